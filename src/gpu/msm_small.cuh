// Sums that are too small for rounds of affine additions: few launches, one wait.
#pragma once

#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "gpu/msm.hpp"
#include "gpu/msm_adder.cuh"
#include "gpu/msm_runs.cuh"
#include "gpu/msm_timer.cuh"

namespace cuzk::gpu {

// Up to here the latency of a round's inversions costs more than XYZZ additions do.
template <class G>
inline constexpr std::size_t kSmallSum = std::size_t{1} << 17;

template <class G>
class SmallMsm {
public:
    using Fr = typename G::Scalar;

    // indices are null or one for each scalar.
    SmallMsm(Arena& arena, DeviceSpan<const Affine<G>> bases, const u32* indices, std::size_t n,
             const Stream& stream, MsmReport& report, bool measured)
        : arena_(arena),
          bases_(bases),
          indices_(indices),
          stream_(stream),
          report_(report),
          n_(static_cast<u32>(n)),
          windows_(windows_for(n)),
          multiprocessors_(Adder<G>::multiprocessors_of(arena.device())),
          timed_(stream, measured) {}

    // Bytes of the arena for n scalars.
    static std::size_t bytes(std::size_t n, u32 multiprocessors) {
        const Windows windows = windows_for(n);
        const std::size_t digits = windows.count * n;
        const std::size_t points = std::size_t{windows.count} * windows.buckets() +
                                   threads_for(digits, multiprocessors) + windows.count * windows.widest;
        constexpr std::size_t kOther = std::size_t{4} << 20;  // the sort's histograms and tiles, alignment
        return digits * 24 + points * sizeof(Xyzz<G>) + kOther;
    }

    Jacobian<G> run(DeviceSpan<const typename Fr::Int> scalars) {
        const std::size_t before = arena_.used();
        const cudaStream_t stream = stream_.get();
        const u32 digits = windows_.count * n_;
        const u32 bits = windows_.widest - 1;
        const auto keys = arena_.take<u32>(digits, "digits");
        const auto entries = arena_.take<u32>(digits, "entries of digits");
        const auto key = arena_.take<u32>(digits, "sorted digits");
        const auto entry = arena_.take<u32>(digits, "sorted entries");
        const DigitRuns runs{key.data, entry.data, digits, per_thread(digits, multiprocessors_),
                             windows_.widest};
        const auto buckets = arena_.take<Xyzz<G>>(std::size_t{windows_.count} << bits, "bucket sums");
        const auto heads = arena_.take<Xyzz<G>>(runs.threads(), "parts of buckets");
        const auto bit_sums = arena_.take<Xyzz<G>>(windows_.count * (bits + 1), "bit sums");
        const auto key_bits = static_cast<int>(windows_.widest + std::bit_width(windows_.count - 1));
        std::size_t temporary_bytes = 0;
        check(cub::DeviceRadixSort::SortPairs(nullptr, temporary_bytes, keys.data, key.data, entries.data,
                                              entry.data, digits, 0, key_bits, stream),
              "radix sort");
        const auto temporary = arena_.take<u8>(temporary_bytes, "sorting");
        report_.windows = report_.windows_at_once = windows_.count;
        report_.additions = digits;
        report_.scratch = arena_.used() - before;

        timed_(report_.sort, [&] {
            split_all_digits<Fr><<<blocks_for(n_, kPlanThreads), kPlanThreads, 0, stream>>>(
                scalars.data, indices_, n_, windows_, 0, windows_.count, keys.data, entries.data);
            check_launch("split_all_digits");
            check(cub::DeviceRadixSort::SortPairs(temporary.data, temporary_bytes, keys.data, key.data,
                                                  entries.data, entry.data, digits, 0, key_bits, stream),
                  "radix sort");
        });
        timed_(report_.add, [&] {
            check(cudaMemsetAsync(buckets.data, 0, buckets.size * sizeof(Xyzz<G>), stream),
                  "cudaMemsetAsync");
            const u32 grid = blocks_for(runs.threads(), kRunThreads);
            sum_runs<G><<<grid, kRunThreads, 0, stream>>>(runs, bases_.data, buckets.data, heads.data);
            check_launch("sum_runs");
            join_blocks<G>
                <<<blocks_for(grid, kRunThreads), kRunThreads, 0, stream>>>(runs, heads.data, buckets.data);
            check_launch("join_blocks");
        });
        timed_(report_.reduce, [&] {
            const BitArray<Xyzz<G>> all{buckets.data, bits, 0};
            sum_by_bits<G><<<dim3(bits + 1, windows_.count), kReduceThreads, 0, stream>>>(all, all, bits, all,
                                                                                          bit_sums.data);
            check_launch("sum_by_bits");
        });
        std::vector<Xyzz<G>> sums(bit_sums.size);
        copy_to_host(sums.data(), bit_sums.data, sums.size() * sizeof(Xyzz<G>), stream_);
        timed_.finish();
        return combine_bit_sums(windows_, bits, sums).to_jacobian();
    }

private:
    static Windows windows_for(std::size_t n) {
        return Windows::for_small_size(static_cast<u32>(Fr::kBits), n);
    }
    // Digits of a thread, so that two warps a scheduler run at once, which is what keeps the multiplier busy.
    static u32 per_thread(std::size_t digits, u32 multiprocessors) {
        constexpr std::size_t kLeast = 8;
        const std::size_t threads = std::size_t{multiprocessors} * 2 * kRunThreads;
        return static_cast<u32>(std::max<std::size_t>(kLeast, (digits + threads - 1) / threads));
    }
    static std::size_t threads_for(std::size_t digits, u32 multiprocessors) {
        return digits / per_thread(digits, multiprocessors) + 1;
    }
    Arena& arena_;
    DeviceSpan<const Affine<G>> bases_;
    const u32* indices_;
    const Stream& stream_;
    MsmReport& report_;
    u32 n_;
    Windows windows_;
    u32 multiprocessors_;
    StageTimer timed_;
};

}  // namespace cuzk::gpu
