// Arrays of canonical little-endian field elements, to Montgomery form and back.
#pragma once

#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "base/parallel.hpp"
#include "field/fp.hpp"

namespace cuzk {

// Canonical little-endian bytes of the modulus itself, as file headers hold it.
template <class Fr>
std::array<u8, Fr::kBytes> modulus_bytes() {
    std::array<u8, Fr::kBytes> out{};
    std::memcpy(out.data(), Fr::Constants::kModulus.limb, out.size());
    return out;
}

// Calls visit(index, number) for each canonical number, in parallel and in no order; returns the index of the first that is not
// below the modulus, if any: then some numbers are not visited. bytes.size() is a multiple of Fr::kBytes.
template <class Fr, class Visit>
std::optional<std::size_t> visit_field_array(std::span<const u8> bytes, const Visit& visit) {
    std::atomic<std::size_t> first_bad{std::numeric_limits<std::size_t>::max()};
    parallel_ranges(0, bytes.size() / Fr::kBytes, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            typename Fr::Int value;
            std::memcpy(value.limb, bytes.data() + i * Fr::kBytes, Fr::kBytes);
            if (value >= Fr::Constants::kModulus) {
                std::size_t seen = first_bad.load();
                while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
                }
                return;
            }
            visit(i, value);
        }
    });
    const std::size_t bad = first_bad.load();
    if (bad == std::numeric_limits<std::size_t>::max()) return std::nullopt;
    return bad;
}

// The index of the first number that is not below the modulus, if any.
template <class Fr>
std::optional<std::size_t> first_not_canonical(std::span<const u8> bytes) {
    return visit_field_array<Fr>(bytes, [](std::size_t, const typename Fr::Int&) {});
}

// bytes.size() == out.size() * Fr::kBytes. Returns the index of the first number that is not below the modulus, if any;
// `out` is then incomplete. Parallel.
template <class Fr>
std::optional<std::size_t> decode_field_array(std::span<const u8> bytes, std::span<Fr> out) {
    return visit_field_array<Fr>(
        bytes, [&](std::size_t i, const typename Fr::Int& value) { out[i] = Fr::from_int(value); });
}

}  // namespace cuzk
