// What the opaque types of cuzk.h are, and the one door through which every call passes.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "capi/cuzk.h"

struct cuzk_error {  // NOLINT(readability-identifier-naming)
    cuzk_status status;
    const char* kind;  // static
    std::string message;
};

struct cuzk_buffer {  // NOLINT(readability-identifier-naming)
    std::string bytes;
};

namespace cuzk::capi {

// An answer about a job that is no failure of the call: its status has no ErrorKind.
class JobAnswer : public std::runtime_error {
public:
    JobAnswer(cuzk_status status, const char* kind, const std::string& message)
        : std::runtime_error(message), status_(status), kind_(kind) {}
    cuzk_status status() const noexcept { return status_; }
    const char* kind() const noexcept { return kind_; }

private:
    cuzk_status status_;
    const char* kind_;
};

// The exception under way as a status, and as *error where `error` is not null.
cuzk_status report_exception(cuzk_error** error) noexcept;

// Calls body() and translates what it throws: nothing gets past here.
template <class Body>
cuzk_status guarded(cuzk_error** error, const Body& body) noexcept {
    if (error != nullptr) *error = nullptr;
    try {
        body();
        return CUZK_OK;
    } catch (...) {
        return report_exception(error);
    }
}

// Refuses (kUsage) a null argument, by its name in cuzk.h.
template <class T>
T& required(T* argument, const char* name) {
    if (argument == nullptr) throw Error(ErrorKind::kUsage, std::string(name) + " is NULL");
    return *argument;
}

// A string argument: there, and UTF-8.
std::string required_text(const char* argument, const char* name);

// The caller's bytes, borrowed, under the name by which messages call them.
ByteSource borrowed(const void* data, std::size_t size, const char* name);

std::unique_ptr<cuzk_buffer> make_buffer(std::string bytes);

}  // namespace cuzk::capi
