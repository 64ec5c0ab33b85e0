// Bases and scalars of large sums, made on the device from few that come from the host.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/msm_adder.cuh"
#include "msm/fixed_base.hpp"

namespace cuzk::bench {

inline constexpr std::size_t kUploaded = std::size_t{1} << 16;  // values made on the host at a time

// Milliseconds of work() on the clock of the host: median of three after one that warms up.
template <class Work>
double wall_median_ms(const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < 4; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin() + 1, times.end());
    return times[2];
}

// Sums of a point of one table and one of another: many distinct points from few.
template <class G>
struct CombinedTables {
    static constexpr u32 kBits = 13;  // of each table's size
    const Affine<G>* tables;
    Affine<G>* out;

    __device__ __forceinline__ uint2 pair(u32 p) const {
        return make_uint2(p & ((1u << kBits) - 1), (1u << kBits) + (p >> kBits));
    }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const { return tables + entry; }
    __device__ __forceinline__ Affine<G>* target(u32 p) const { return out + p; }
};

// Inputs of 2^last <= 2^26 terms, all distinct.
template <class G>
class SumInputs {
public:
    using Fr = typename G::Scalar;
    using Int = typename Fr::Int;

    SumInputs(gpu::Arena& arena, unsigned last) : most_(std::size_t{1} << last) {
        SeededRandom random(1);
        std::vector<Fr> logarithms(kUploaded);
        for (auto& k : logarithms) k = Fr::random(random);
        const std::span<const Fr> few(logarithms.data(), std::size_t{2} << CombinedTables<G>::kBits);
        const auto points = fixed_base_mul<G>(Affine<G>::generator(), few);
        bases_ = arena.take<Affine<G>>(most_, "bases");
        {
            const gpu::Arena::Scope scope(arena);
            const auto tables = arena.take<Affine<G>>(points.size(), "tables of points");
            gpu::copy_to_device(tables.data, points.data(), points.size() * sizeof(points[0]), stream_);
            gpu::Adder<G> add(arena, stream_);
            add(CombinedTables<G>{tables.data, bases_.data}, most_, add.take_prefixes(most_));
            stream_.synchronize();
        }
        uniform_ = arena.take<Int>(most_, "scalars");
        short_ = arena.take<Int>(most_, "scalars");
        entries_ = arena.take<u32>(most_, "entries");
        std::vector<Int> uniform(kUploaded), narrow(kUploaded);
        std::vector<u32> entries(kUploaded);
        Fr s = Fr::random(random);
        for (std::size_t done = 0; done < most_; done += kUploaded) {
            const std::size_t count = std::min(kUploaded, most_ - done);
            for (std::size_t i = 0; i < count; ++i) {
                s = s * s + logarithms[i];
                uniform[i] = s.montgomery();
                // As circom's witnesses: mostly bits and words.
                const u64 word = s.montgomery().limb[0];
                narrow[i] = i % 16 == 0 ? s.montgomery()
                                        : Int::from_u64(i % 4 == 1   ? word
                                                        : i % 4 == 2 ? word >> 32
                                                                     : word & 1);
                entries[i] = static_cast<u32>(done + i);
            }
            const auto copy = [&](auto* to, const auto& from) {
                gpu::copy_to_device(to + done, from.data(), count * sizeof(from[0]), stream_);
            };
            copy(uniform_.data, uniform);
            copy(short_.data, narrow);
            copy(entries_.data, entries);
            stream_.synchronize();
        }
    }

    gpu::DeviceSpan<const Affine<G>> bases(std::size_t n) const { return {bases_.data, n}; }
    gpu::DeviceSpan<const Int> uniform(std::size_t n) const { return {uniform_.data, n}; }
    gpu::DeviceSpan<const Int> narrow(std::size_t n) const { return {short_.data, n}; }
    gpu::DeviceSpan<const u32> entries(std::size_t n) const { return {entries_.data, n}; }
    const gpu::Stream& stream() const { return stream_; }

private:
    std::size_t most_;
    gpu::Stream stream_;
    gpu::DeviceSpan<Affine<G>> bases_;
    gpu::DeviceSpan<Int> uniform_, short_;
    gpu::DeviceSpan<u32> entries_;
};

}  // namespace cuzk::bench
