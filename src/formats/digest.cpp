#include "formats/digest.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/error.hpp"

namespace cuzk {

struct Hasher::State {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { EVP_MD_CTX_free(context); }
};

namespace {

void check(int ok) {
    if (ok != 1) throw Error(ErrorKind::kEnvironment, "OpenSSL cannot compute a digest");
}

}  // namespace

Hasher::Hasher(Algorithm algorithm) : state_(std::make_unique<State>()) {
    check(EVP_DigestInit_ex(state_->context,
                            algorithm == Algorithm::kSha256 ? EVP_sha256() : EVP_blake2b512(), nullptr));
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(std::span<const u8> bytes) {
    check(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

void Hasher::update_u32_be(u32 value) {
    const std::array<u8, 4> bytes{static_cast<u8>(value >> 24), static_cast<u8>(value >> 16),
                                  static_cast<u8>(value >> 8), static_cast<u8>(value)};
    update(bytes);
}

void Hasher::finish(std::span<u8> out) {
    if (out.size() != static_cast<std::size_t>(EVP_MD_CTX_get_size(state_->context)))
        throw Error(ErrorKind::kInternal, "digest buffer of the wrong size");
    check(EVP_DigestFinal_ex(state_->context, out.data(), nullptr));
}

std::array<u8, 64> blake2b_512(std::span<const u8> bytes) {
    std::array<u8, 64> out{};
    Hasher hasher(Hasher::Algorithm::kBlake2b512);
    hasher.update(bytes);
    hasher.finish(out);
    return out;
}

std::array<u8, 32> keyed_blake2b_256(std::string_view key, std::span<const u8> bytes) {
    const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(EVP_MAC_fetch(nullptr, "BLAKE2BMAC", nullptr),
                                                                &EVP_MAC_free);
    const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac.get()),
                                                                            &EVP_MAC_CTX_free);
    std::array<u8, 32> out{};
    std::size_t size = out.size();
    const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                               OSSL_PARAM_construct_end()};
    check(
        EVP_MAC_init(context.get(), reinterpret_cast<const u8*>(key.data()), key.size(), parameters.data()));
    check(EVP_MAC_update(context.get(), bytes.data(), bytes.size()));
    check(EVP_MAC_final(context.get(), out.data(), &size, out.size()));
    return out;
}

std::array<u8, 32> sha256(std::span<const u8> bytes) {
    std::array<u8, 32> out{};
    Hasher hasher(Hasher::Algorithm::kSha256);
    hasher.update(bytes);
    hasher.finish(out);
    return out;
}

std::string hex_text(std::span<const u8> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const u8 b : bytes) {
        text += "0123456789abcdef"[b >> 4];
        text += "0123456789abcdef"[b & 15];
    }
    return text;
}

}  // namespace cuzk
