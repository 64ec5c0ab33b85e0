#include "poly/pointwise.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kGrain = 1 << 12;

void check_lengths(std::size_t a, std::size_t b) {
    if (a != b)
        throw Error(ErrorKind::kInternal, "an elementwise operation was given vectors of different lengths");
}

}  // namespace

template <class Fr>
void multiply(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out) {
    check_lengths(a.size(), b.size());
    check_lengths(a.size(), out.size());
    parallel_for(
        0, a.size(), [&](std::size_t i) { out[i] = a[i] * b[i]; }, kGrain);
}

template <class Fr>
void multiply_into(std::span<Fr> a, std::span<const Fr> b) {
    multiply(std::span<const Fr>(a), b, a);
}

template <class Fr>
void multiply_subtract_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c) {
    check_lengths(a.size(), b.size());
    check_lengths(a.size(), c.size());
    parallel_for(
        0, a.size(), [&](std::size_t i) { a[i] = a[i] * b[i] - c[i]; }, kGrain);
}

template <class Fr>
void multiply_subtract_scale_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c,
                                  const Fr& scale) {
    check_lengths(a.size(), b.size());
    check_lengths(a.size(), c.size());
    parallel_for(
        0, a.size(), [&](std::size_t i) { a[i] = (a[i] * b[i] - c[i]) * scale; }, kGrain);
}

template <class Fr>
void scale_by_powers(std::span<Fr> a, const Fr& first, const Fr& ratio) {
    parallel_ranges(0, a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        Fr factor = first * ratio.pow(begin);
        for (std::size_t i = begin; i < end; ++i) {
            a[i] *= factor;
            factor *= ratio;
        }
    });
}

CUZK_POINTWISE(template, Bls12_381Fr)
CUZK_POINTWISE(template, Bn254Fr)

}  // namespace cuzk
