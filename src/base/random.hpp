// Randomness: the operating system's CSPRNG for secrets, and an explicit, seeded generator for tests and
// reproducible development setups.
#pragma once

#include <array>
#include <span>

#include "base/types.hpp"

namespace cuzk {

// Anything that fills a buffer with uniform bytes.
class RandomSource {
public:
    virtual ~RandomSource() = default;
    virtual void fill(std::span<u8> out) = 0;
};

// getrandom(2). Blocks until the kernel pool is ready; throws Error(kEnvironment) if the call fails. Thread-safe.
class OsRandom final : public RandomSource {
public:
    void fill(std::span<u8> out) override;
};

// Deterministic stream: SHA-256(seed || counter), counter as 8 bytes little-endian. For tests and for
// `setup --seed` only; never a source of a prover's r and s outside an explicit test hook. Not thread-safe.
class SeededRandom final : public RandomSource {
public:
    explicit SeededRandom(std::span<const u8> seed);
    explicit SeededRandom(u64 seed);
    void fill(std::span<u8> out) override;

private:
    void refill();

    std::array<u8, 32> key_{};
    std::array<u8, 32> block_{};
    u64 counter_ = 0;
    std::size_t used_ = 32;
};

}  // namespace cuzk
