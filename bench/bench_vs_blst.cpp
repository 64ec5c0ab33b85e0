// BLS12-381 primitives beside blst, on one thread: field multiplication, transform, multi-scalar multiplication.
//
// Built against a copy of blst that the user names (-DCUZK_PEER_BLST=DIR with blst.h, blst_aux.h and libblst.a in it);
// without one the benchmark says so and ends. Both libraries hold field elements as little-endian Montgomery limbs of the
// same radix, so the same bytes serve both, and each result is compared before it is timed.
#include <fmt/core.h>

#ifndef CUZK_PEER_BLST

int main() {
    fmt::print("skipped: no blst to compare with (configure with -DCUZK_PEER_BLST=DIR)\n");
    return 0;
}

#else

#include <blst.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "curve/affine.hpp"
#include "field/cpu.hpp"
#include "msm/msm.hpp"
#include "poly/domain.hpp"

namespace {

using namespace cuzk;
using Fr = Bls12_381Fr;
using Fq = Bls12_381Fp;
using G1 = Bls12_381G1;

static_assert(sizeof(blst_fr) == sizeof(Fr) && sizeof(blst_fp) == sizeof(Fq));
static_assert(sizeof(blst_p1_affine) == sizeof(Affine<G1>));

constexpr int kRounds = 5;

struct Row {
    std::string name;
    double ours;    // seconds
    double theirs;  // seconds
    double count;   // multiplications, elements or points
};

double seconds(const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Medians of alternating runs, so that a slow moment of the machine meets both.
Row race(std::string name, double count, const std::function<void()>& ours,
         const std::function<void()>& theirs) {
    std::vector<double> a, b;
    for (int round = 0; round < kRounds; ++round) {
        a.push_back(seconds(ours));
        b.push_back(seconds(theirs));
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return {std::move(name), a[kRounds / 2], b[kRounds / 2], count};
}

void require(bool equal, std::string_view what) {
    if (equal) return;
    fmt::print(stderr, "bench_vs_blst: results differ: {}\n", what);
    std::exit(1);
}

template <class F>
std::vector<F> random_elements(std::size_t n) {
    OsRandom source;
    std::vector<F> v(n);
    for (F& x : v) x = F::random(source);
    return v;
}

template <class To, class From>
const To* as(const From* p) {
    return reinterpret_cast<const To*>(p);
}
template <class To, class From>
To* as(From* p) {
    return reinterpret_cast<To*>(p);
}

// Independent products, out of the first-level cache: throughput, not latency.
template <class F, class BlstF>
Row multiplication(std::string name, void (*blst_mul)(BlstF*, const BlstF*, const BlstF*)) {
    constexpr std::size_t kElements = 256;
    constexpr std::size_t kRepeats = 20000;
    const auto a = random_elements<F>(kElements), b = random_elements<F>(kElements);
    std::vector<F> ours(kElements), theirs(kElements);
    const auto run_ours = [&] {
        for (std::size_t r = 0; r < kRepeats; ++r) {
            for (std::size_t i = 0; i < kElements; ++i) ours[i] = a[i] * b[i];
            asm volatile("" : : "r"(ours.data()) : "memory");
        }
    };
    const auto run_theirs = [&] {
        for (std::size_t r = 0; r < kRepeats; ++r)
            for (std::size_t i = 0; i < kElements; ++i)
                blst_mul(as<BlstF>(&theirs[i]), as<BlstF>(&a[i]), as<BlstF>(&b[i]));
    };
    Row row = race(std::move(name), static_cast<double>(kElements * kRepeats), run_ours, run_theirs);
    require(ours == theirs, row.name);
    return row;
}

// The plain loop: bit reversal, then log n passes of butterflies with a table of twiddles.
void butterfly_loop(std::vector<blst_fr>& v, unsigned log_n, const std::vector<blst_fr>& twiddles) {
    const std::size_t n = v.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(v[i], v[j]);
    }
    for (unsigned level = 1; level <= log_n; ++level) {
        const std::size_t half = std::size_t{1} << (level - 1), step = n >> level;
        for (std::size_t block = 0; block < n; block += 2 * half) {
            for (std::size_t k = 0; k < half; ++k) {
                blst_fr t;
                blst_fr_mul(&t, &v[block + half + k], &twiddles[k * step]);
                blst_fr_sub(&v[block + half + k], &v[block + k], &t);
                blst_fr_add(&v[block + k], &v[block + k], &t);
            }
        }
    }
}

Row transform(unsigned log_n) {
    const auto domain = Domain<Fr>::zcash(log_n);
    const std::size_t n = domain.size();
    const auto input = random_elements<Fr>(n);
    std::vector<blst_fr> twiddles(n / 2);
    Fr power = Fr::one();
    for (auto& t : twiddles) {
        std::memcpy(&t, &power, sizeof t);
        power *= domain.root();
    }
    std::vector<Fr> ours(input);
    std::vector<blst_fr> theirs(n);
    std::memcpy(theirs.data(), input.data(), n * sizeof(Fr));
    domain.forward(ours);
    butterfly_loop(theirs, log_n, twiddles);
    require(std::memcmp(ours.data(), theirs.data(), n * sizeof(Fr)) == 0, "transform");
    return race(
        fmt::format("NTT 2^{}", log_n), static_cast<double>(n), [&] { domain.forward(ours); },
        [&] { butterfly_loop(theirs, log_n, twiddles); });
}

std::vector<Affine<G1>> random_points(std::size_t n) {
    // A walk from a random start by a random step: distinct points without structure that a sum could profit from.
    const auto k = random_elements<Fr>(2);
    blst_p1 point, step;
    for (auto [target, scalar] : {std::pair{&point, k[0]}, std::pair{&step, k[1]}}) {
        const auto canonical = scalar.to_int();
        blst_p1_mult(target, blst_p1_generator(), as<byte>(&canonical), 255);
    }
    std::vector<blst_p1> walk(n);
    for (auto& w : walk) {
        w = point;
        blst_p1_add_or_double(&point, &point, &step);
    }
    std::vector<Affine<G1>> affine(n);
    const blst_p1* const list[] = {walk.data(), nullptr};
    blst_p1s_to_affine(as<blst_p1_affine>(affine.data()), list, n);
    return affine;
}

Row sum(unsigned log_n, const std::vector<Affine<G1>>& all_points) {
    const std::size_t n = std::size_t{1} << log_n;
    const std::span<const Affine<G1>> points(all_points.data(), n);
    std::vector<Fr::Int> scalars;
    for (const Fr& x : random_elements<Fr>(n)) scalars.push_back(x.to_int());
    Jacobian<G1> ours;
    blst_p1 theirs;
    std::vector<limb_t> scratch(blst_p1s_mult_pippenger_scratch_sizeof(n) / sizeof(limb_t) + 1);
    const blst_p1_affine* const point_list[] = {as<blst_p1_affine>(points.data()), nullptr};
    const byte* const scalar_list[] = {as<byte>(scalars.data()), nullptr};
    Row row = race(
        fmt::format("G1 MSM 2^{}", log_n), static_cast<double>(n), [&] { ours = msm<G1>(points, scalars); },
        [&] { blst_p1s_mult_pippenger(&theirs, point_list, n, scalar_list, 255, scratch.data()); });
    blst_p1_affine theirs_affine;
    blst_p1_to_affine(&theirs_affine, &theirs);
    const Affine<G1> ours_affine = ours.to_affine();
    require(std::memcmp(&ours_affine, &theirs_affine, sizeof ours_affine) == 0, row.name);
    return row;
}

}  // namespace

int main(int argc, char** argv) {
    bool json = false;
    unsigned largest = 20;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json") json = true;
        if (std::string_view(argv[i]) == "--small") largest = 16;
    }
    const ThreadLimit one_thread(1);
    std::vector<Row> rows;
    rows.push_back(multiplication<Fr, blst_fr>("Fr multiplication", blst_fr_mul));
    rows.push_back(multiplication<Fq, blst_fp>("Fp multiplication", blst_fp_mul));
    for (unsigned log_n : {16u, 20u}) {
        if (log_n <= largest) rows.push_back(transform(log_n));
    }
    const auto points = random_points(std::size_t{1} << largest);
    for (unsigned log_n : {12u, 16u, 18u, 20u}) {
        if (log_n <= largest) rows.push_back(sum(log_n, points));
    }

    if (json) {
        fmt::print("{{\"isa\": \"{}\", \"threads\": 1, \"rows\": [", isa_name(active_isa()));
        for (std::size_t i = 0; i < rows.size(); ++i)
            fmt::print("{}{{\"name\": \"{}\", \"cuzk_s\": {:.6g}, \"blst_s\": {:.6g}, \"count\": {:.0f}}}",
                       i ? ", " : "", rows[i].name, rows[i].ours, rows[i].theirs, rows[i].count);
        fmt::print("]}}\n");
        return 0;
    }
    fmt::print("BLS12-381, one thread, cuzk's path: {}\n", isa_name(active_isa()));
    fmt::print("{:<20} {:>14} {:>14} {:>12} {:>12} {:>8}\n", "", "cuzk ms", "blst ms", "cuzk M/s", "blst M/s",
               "ratio");
    for (const Row& r : rows)
        fmt::print("{:<20} {:>14.3f} {:>14.3f} {:>12.3f} {:>12.3f} {:>8.2f}\n", r.name, r.ours * 1e3,
                   r.theirs * 1e3, r.count / r.ours / 1e6, r.count / r.theirs / 1e6, r.theirs / r.ours);
    return 0;
}

#endif
