#include "base/random.hpp"

#include <openssl/sha.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace cuzk {

void OsRandom::fill(std::span<u8> out) {
    while (!out.empty()) {
        const ssize_t got = getrandom(out.data(), out.size(), 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            throw Error(ErrorKind::kEnvironment,
                        std::string("the operating system gave no random bytes: ") + std::strerror(errno));
        }
        out = out.subspan(static_cast<std::size_t>(got));
    }
}

SeededRandom::SeededRandom(std::span<const u8> seed) {
    SHA256(seed.data(), seed.size(), key_.data());
}

SeededRandom::SeededRandom(u64 seed) {
    std::array<u8, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(seed >> (8 * i));
    SHA256(bytes.data(), bytes.size(), key_.data());
}

void SeededRandom::refill() {
    std::array<u8, 40> input{};
    std::copy(key_.begin(), key_.end(), input.begin());
    for (std::size_t i = 0; i < 8; ++i) input[32 + i] = static_cast<u8>(counter_ >> (8 * i));
    SHA256(input.data(), input.size(), block_.data());
    ++counter_;
    used_ = 0;
}

void SeededRandom::fill(std::span<u8> out) {
    while (!out.empty()) {
        if (used_ == block_.size()) refill();
        const std::size_t take = std::min(out.size(), block_.size() - used_);
        std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(used_), take, out.begin());
        used_ += take;
        out = out.subspan(take);
    }
}

}  // namespace cuzk
