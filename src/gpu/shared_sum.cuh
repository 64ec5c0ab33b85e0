// One sum over several devices: each has a share of the bases and returns the sum of its part.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/msm.hpp"

namespace cuzk::gpu {

// The bases [first(), first() + count()) on another device than the one that has all, with what their sum needs there. One sum at a
// time.
template <class G>
class Share {
public:
    using Point = Affine<G>;
    using Int = typename G::Scalar::Int;

    // On the current device. Copies the bases from the device that has them, directly where the link allows it. Waits.
    Share(int device, DeviceSpan<const Point> all, int home, std::size_t first, std::size_t count)
        : home_(home), first_(first), arena_(device, bytes_for(count)) {
        allow_copies_from(home);
        const auto points = arena_.template take<Point>(count, "a share of the bases");
        scalars_ = arena_.template take<Int>(count, "a share of the scalars");
        copy_between(points.data, device, all.data + first, home, count * sizeof(Point), stream_);
        stream_.synchronize();
        points_ = {points.data, count};
    }

    std::size_t first() const { return first_; }
    std::size_t count() const { return points_.size; }
    int device() const { return arena_.device(); }
    std::size_t bytes() const { return arena_.size(); }

    // Starts the sum of its bases with its part of the scalars, which lie ready on the device that has all bases and stay there
    // until the result is there. The future throws DeviceFailure where this device fails.
    std::future<Jacobian<G>> start(DeviceSpan<const Int> all) {
        return std::async(std::launch::async, [this, all] {
            const CurrentDevice current(device());
            try {
                copy_between(scalars_.data, device(), all.data + first_, home_, count() * sizeof(Int),
                             stream_);
                const Arena::Scope scope(arena_);
                return msm<G>(arena_, points_, {scalars_.data, scalars_.size}, stream_);
            } catch (...) {
                // The copy may still read what the home device gives to others as soon as it hears of this.
                forget(cudaStreamSynchronize(stream_.get()));
                throw;
            }
        });
    }

private:
    static std::size_t bytes_for(std::size_t count) {
        constexpr std::size_t kSlack = std::size_t{64} << 10;
        return Arena::rounded(count * sizeof(Point)) + Arena::rounded(count * sizeof(Int)) +
               msm_scratch_bytes<G>(count) + kSlack;
    }

    int home_;
    std::size_t first_;
    Arena arena_;
    Stream stream_;
    DeviceSpan<const Point> points_;
    DeviceSpan<Int> scalars_;
};

// All bases of a query on one device, and copies of equal shares of them on its helpers. A helper that fails is left out from then
// on, and its part is summed where all bases are.
template <class G>
class SharedSum {
public:
    using Point = Affine<G>;
    using Int = typename G::Scalar::Int;

    // Helpers without room for their share are left out.
    SharedSum(DeviceSpan<const Point> all, int home, const std::vector<int>& helpers) : all_(all) {
        const std::size_t share = all.size / (helpers.size() + 1);
        if (share == 0) return;
        std::size_t end = all.size;
        for (const int helper : helpers) {
            try {
                const CurrentDevice current(helper);
                shares_.push_back(std::make_unique<Share<G>>(helper, all, home, end - share, share));
                end -= share;
            } catch (const DeviceFailure&) {
                continue;
            }
        }
    }

    // How many are left.
    std::size_t helpers() const {
        const std::lock_guard lock(mutex_);
        return shares_.size();
    }
    // Of a helper's memory.
    std::size_t bytes_on(int device) const {
        const std::lock_guard lock(mutex_);
        std::size_t bytes = 0;
        for (const auto& share : shares_)
            if (share->device() == device) bytes += share->bytes();
        return bytes;
    }

    // sum of scalars[i] * all[i]; the scalars lie ready on the home device, which is current and does its part on `stream`.
    Jacobian<G> operator()(Arena& arena, DeviceSpan<const Int> scalars, const Stream& stream) {
        if (scalars.size != all_.size)
            throw Error(ErrorKind::kInternal, "a sum over " + std::to_string(all_.size) + " bases got " +
                                                  std::to_string(scalars.size) + " scalars");
        std::vector<std::size_t> lost;
        std::vector<std::future<Jacobian<G>>> parts;  // wait when they go, also when something throws
        for (const auto& share : shares_) parts.push_back(share->start(scalars));
        const auto here = [&](std::size_t first, std::size_t count) {
            return msm<G>(arena, all_.subspan(first, count), scalars.subspan(first, count), stream);
        };
        Jacobian<G> sum = here(0, shares_.empty() ? all_.size : shares_.back()->first());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            try {
                sum += parts[i].get();
            } catch (const DeviceFailure&) {
                sum += here(shares_[i]->first(), shares_[i]->count());
                lost.push_back(i);
            }
        }
        if (!lost.empty()) {
            // The home device has all bases below the last share: helpers below a lost one have nothing to add any more.
            const std::lock_guard lock(mutex_);
            shares_.resize(lost.front());
        }
        return sum;
    }

private:
    DeviceSpan<const Point> all_;
    mutable std::mutex mutex_;  // between changes to shares_, which only a sum makes, and others' looks at it
    std::vector<std::unique_ptr<Share<G>>>
        shares_;  // of falling first(); the first one ends where the bases end
};

}  // namespace cuzk::gpu
