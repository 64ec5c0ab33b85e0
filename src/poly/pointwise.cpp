#include "poly/pointwise.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "poly/pointwise_vector.hpp"
#include "poly/twiddles.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kVectorsPerTask = 512;

void check_lengths(std::size_t a, std::size_t b) {
    if (a != b)
        throw Error(ErrorKind::kInternal, "an elementwise operation was given vectors of different lengths");
}

template <class Fr>
const u64* words(const Fr* elements) {
    return reinterpret_cast<const u64*>(elements);
}

template <class Fr>
u64* words(Fr* elements) {
    return reinterpret_cast<u64*>(elements);
}

// Calls vectors(first element, count of vectors) for parts of [0, size), or element(i) for what is left over
// and where there is no vector path.
template <class Vectors, class Element>
void for_all(std::size_t size, const Vectors& vectors, const Element& element) {
    if (active_isa() != Isa::kIfma) {
        parallel_for(0, size, element, kLanes * kVectorsPerTask);
        return;
    }
    parallel_ranges(0, size / kLanes, kVectorsPerTask,
                    [&](std::size_t first, std::size_t last) { vectors(kLanes * first, last - first); });
    for (std::size_t i = size / kLanes * kLanes; i < size; ++i) element(i);
}

}  // namespace

template <class Fr>
void multiply(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out) {
    check_lengths(a.size(), b.size());
    check_lengths(a.size(), out.size());
    for_all(
        a.size(),
        [&](std::size_t i, std::size_t vectors) {
            pointwise::multiply_vectors<typename Fr::Params>(words(&a[i]), words(&b[i]), words(&out[i]),
                                                             vectors);
        },
        [&](std::size_t i) { out[i] = a[i] * b[i]; });
}

template <class Fr>
void multiply_into(std::span<Fr> a, std::span<const Fr> b) {
    multiply(std::span<const Fr>(a), b, a);
}

template <class Fr>
void multiply_subtract_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c) {
    check_lengths(a.size(), b.size());
    check_lengths(a.size(), c.size());
    for_all(
        a.size(),
        [&](std::size_t i, std::size_t vectors) {
            pointwise::multiply_subtract_vectors<typename Fr::Params>(words(&a[i]), words(&b[i]),
                                                                      words(&c[i]), words(&a[i]), vectors);
        },
        [&](std::size_t i) { a[i] = a[i] * b[i] - c[i]; });
}

template <class Fr>
void subtract_scale_into(std::span<Fr> a, std::span<const Fr> b, const Fr& factor) {
    check_lengths(a.size(), b.size());
    const ntt::FactorList<Fr> prepared({factor}, active_isa() == Isa::kIfma);
    for_all(
        a.size(),
        [&](std::size_t i, std::size_t vectors) {
            pointwise::subtract_scale_vectors<typename Fr::Params>(
                words(&a[i]), words(&b[i]), prepared.view().prepared, words(&a[i]), vectors);
        },
        [&](std::size_t i) { a[i] = (a[i] - b[i]) * factor; });
}

CUZK_POINTWISE(template, Bls12_381Fr)
CUZK_POINTWISE(template, Bn254Fr)

}  // namespace cuzk
