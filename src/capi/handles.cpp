#include "capi/handles.hpp"

#include <new>

#include "engine/types.hpp"

namespace cuzk::capi {

namespace {

const char* kind_word(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::kUnsatisfied: return "unsatisfied";
        case ErrorKind::kUsage: return "usage";
        case ErrorKind::kMalformed: return "malformed";
        case ErrorKind::kUnsupported: return "unsupported";
        case ErrorKind::kEnvironment: return "environment";
        case ErrorKind::kInternal: break;
    }
    return "internal";
}

const char* refusal_word(engine::Refusal reason) {
    switch (reason) {
        case engine::Refusal::kDraining: return "draining";
        case engine::Refusal::kQueueFull: return "queue-full";
        case engine::Refusal::kClientLimit: return "client-limit";
        case engine::Refusal::kJournal: return "journal";
    }
    return "environment";
}

// What is handed out where there is no memory for an error of its own; cuzk_error_free leaves it alone.
cuzk_error& out_of_memory() {
    static cuzk_error error{CUZK_ENVIRONMENT, "environment", "out of memory"};
    return error;
}

cuzk_status hand_out(cuzk_error** error, cuzk_status status, const char* kind, const char* message) noexcept {
    if (error == nullptr) return status;
    try {
        *error = new cuzk_error{status, kind, message};
    } catch (const std::bad_alloc&) {
        *error = &out_of_memory();
        return CUZK_ENVIRONMENT;
    }
    return status;
}

// The number of bytes of the UTF-8 character at `text`; 0 if there is none (RFC 3629: no overlong forms, no surrogates).
std::size_t utf8_length(const unsigned char* text) {
    const unsigned char first = text[0];
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((text[i] & 0xC0) != 0x80) return 0;  // the NUL at the end is none either
    const bool overlong = (first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90);
    const bool beyond = (first == 0xED && text[1] >= 0xA0) || (first == 0xF4 && text[1] >= 0x90);
    return overlong || beyond ? 0 : length;
}

}  // namespace

cuzk_status report_exception(cuzk_error** error) noexcept {
    try {
        throw;
    } catch (const JobAnswer& e) {
        return hand_out(error, e.status(), e.kind(), e.what());
    } catch (const engine::RefusedError& e) {
        return hand_out(error, exit_code(e.kind()), refusal_word(e.reason()), e.what());
    } catch (const Error& e) {
        return hand_out(error, exit_code(e.kind()), kind_word(e.kind()), e.what());
    } catch (const std::bad_alloc&) {
        return hand_out(error, CUZK_ENVIRONMENT, "environment", "out of memory");
    } catch (const std::exception& e) {
        return hand_out(error, CUZK_INTERNAL, "internal", e.what());
    } catch (...) {
        return hand_out(error, CUZK_INTERNAL, "internal", "an exception of an unknown kind");
    }
}

std::string required_text(const char* argument, const char* name) {
    required(argument, name);
    const auto* at = reinterpret_cast<const unsigned char*>(argument);
    while (*at != 0) {
        const std::size_t length = utf8_length(at);
        if (length == 0) throw Error(ErrorKind::kUsage, std::string(name) + " is not UTF-8");
        at += length;
    }
    return argument;
}

ByteSource borrowed(const void* data, std::size_t size, const char* name) {
    if (data == nullptr && size != 0)
        throw Error(ErrorKind::kUsage, std::string(name) + " is NULL, and its length is not 0");
    return ByteSource::borrow(name, {static_cast<const u8*>(data), size});
}

std::unique_ptr<cuzk_buffer> make_buffer(std::string bytes) {
    return std::make_unique<cuzk_buffer>(cuzk_buffer{std::move(bytes)});
}

}  // namespace cuzk::capi

extern "C" {

uint32_t cuzk_abi_version(void) {
    return CUZK_ABI_VERSION;
}
const char* cuzk_version(void) {
    return CUZK_VERSION;
}

cuzk_status cuzk_error_status(const cuzk_error* error) {
    return error == nullptr ? CUZK_OK : error->status;
}
const char* cuzk_error_kind(const cuzk_error* error) {
    return error == nullptr ? "ok" : error->kind;
}
const char* cuzk_error_message(const cuzk_error* error) {
    return error == nullptr ? "" : error->message.c_str();
}
void cuzk_error_free(cuzk_error* error) {
    if (error != &cuzk::capi::out_of_memory()) delete error;
}

const void* cuzk_buffer_data(const cuzk_buffer* buffer) {
    return buffer == nullptr ? nullptr : buffer->bytes.data();
}
size_t cuzk_buffer_size(const cuzk_buffer* buffer) {
    return buffer == nullptr ? 0 : buffer->bytes.size();
}
const char* cuzk_buffer_text(const cuzk_buffer* buffer) {
    return buffer == nullptr ? "" : buffer->bytes.c_str();
}
void cuzk_buffer_free(cuzk_buffer* buffer) {
    delete buffer;
}

}  // extern "C"
