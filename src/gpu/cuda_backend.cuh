// The Backend on a CUDA device.
#pragma once

#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>

#include "base/turn.hpp"
#include "gpu/backend.hpp"
#include "gpu/device_key.cuh"
#include "gpu/parked_vector.hpp"
#include "groth16/assemble.hpp"
#include "groth16/stage.hpp"

namespace cuzk::gpu {

// Of the device's memory, what the driver, the code and the launch queues take, which no arena counts.
inline constexpr std::size_t kDriverBytes = std::size_t{700} << 20;

template <class C>
class CudaBackend final : public Backend<C> {
public:
    using Fr = typename C::Fr;
    using Int = typename Fr::Int;
    using G1 = typename C::G1;
    using G2 = typename C::G2;

    explicit CudaBackend(const BackendOptions& options);
    ~CudaBackend() override;

    std::string name() const override {
        return "cuda " + device_.uuid + " (" + device_.name + ")" + options_.label;
    }
    KeyHandle load(std::shared_ptr<const ProvingKey<C>> key, Progress* progress = nullptr) override;
    void evict(KeyHandle handle) override;
    Proof<C> prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    Proof<C> prove(KeyHandle handle, const Assignment<Fr>& assignment, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    Proof<C> prove(KeyHandle handle, const CompactWitness<Fr>& witness, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    std::vector<MemoryReport> memory() const override;

    // plan_proofs() of gpu/backend.hpp.
    static std::vector<std::optional<MemoryPlan>> plans(
        const std::string& device, const std::shared_ptr<const InstancedCircuit<Fr>>& circuit,
        std::span<const u64> limits);

private:
    using Key = DeviceKey<C>;
    static constexpr ScratchModel kScratch{msm_scratch_bytes<G1>, msm_scratch_bytes<G2>,
                                           sum_points_scratch_bytes<G1>, sum_points_scratch_bytes<G2>};

    // What the device does one proof at a time with.
    struct Device {
        Stream stream, copies, rows;                   // of the proof, of pieces of keys, of ready rows
        Event row_free, row_there;                     // what the last row waits for, and what waits for it
        std::array<Event, 2> piece_there, piece_used;  // of parked vectors
        Event pieces_free;                             // what the first piece waits for
        std::array<Stream, 4> lanes;                   // for sums beside those on `stream`
        Uploader uploader, prefetcher;
        std::unique_ptr<Arena> working;
        std::unique_ptr<PinnedBuffer> parked;  // vectors that wait in host memory
    };

    struct Loaded {
        std::shared_ptr<const ProvingKey<C>> host;
        std::shared_ptr<Key>
            placed;  // null while it moves, and after a failure to place it: the next proof tries again
        bool made_room = false;  // it kept points, and let go of them for another key
    };

    std::shared_ptr<const ProvingKey<C>> find(KeyHandle handle) const;
    // most_kept: bytes of points that may stay on the device.
    std::shared_ptr<Key> placed(KeyHandle handle, std::size_t most_kept);
    std::shared_ptr<Key> place(const std::shared_ptr<const ProvingKey<C>>& key, std::size_t most_kept);
    std::shared_ptr<Key> make_key(const std::shared_ptr<const ProvingKey<C>>& key, const MemoryPlan& plan);
    void take_away(std::shared_ptr<Key> key);
    bool take_spare_points();
    void give_spare_points();
    std::size_t most_kept() const {
        return options_.resident_keys ? std::numeric_limits<std::size_t>::max() : 0;
    }
    std::size_t available() const;
    std::size_t working_of_keys() const;
    void make_room(const MemoryPlan& plan);
    void drop_working();
    // Calls work(key) with the device to itself; again, with less of the key on the device, if there was too little memory.
    template <class Work>
    Sums<C> on_device(KeyHandle handle, const Work& work);
    // Memory for pieces of a key that is not resident; the first one is on its way then.
    void take_pieces(const Key& key, PieceBuffers& buffers);

    // The five sums. rows(which, out) puts the values of A, B or C on the domain into out, queued; `ahead` as for the quotient.
    template <class Rows>
    Sums<C> sums(const Key& key, const DeviceWitness<Fr>& witness, const QueryLayout& a_layout,
                 const QueryLayout& b_layout, const Rows& rows, bool ahead, const ProveMonitor& monitor);
    // The five sums where the rows follow from the witness, which place_witness() brings to the device.
    template <class Place>
    Sums<C> witness_sums(const Key& key, const ProveMonitor& monitor, std::size_t bytes,
                         const Place& place_witness);
    // The scalars of the H query, in the memory of `a`, which has one vector of the domain. `ahead`: nothing waits between rows and
    // transforms, for rows that are copied by another stream.
    template <class Rows>
    DeviceSpan<const Int> quotient(const Key& key, DeviceSpan<Fr> a, const Rows& rows, bool ahead,
                                   const ProveMonitor& monitor);
    // The same in one vector on the device, the others being parked.
    template <class Rows>
    DeviceSpan<const Int> parked_quotient(const Key& key, DeviceSpan<Fr> values, const Rows& rows,
                                          const ProveMonitor& monitor);
    // Brings a ready row to `out`, padded by zeros; what is queued on the proof's stream before may use `out`, unless it `is_free` already,
    // and what is queued afterwards finds the row there.
    void copy_row(DeviceSpan<Fr> out, std::span<const Fr> row, bool pinned, bool is_free);
    Jacobian<G1> quotient_sum(const Key& key, Arena& arena, const Stream& stream,
                              DeviceSpan<const Int> scalars, PieceBuffers& pieces,
                              const ProveMonitor& monitor);
    Selection<Fr> choose(const DeviceWitness<Fr>& witness, const QueryLayout& layout,
                         const ProveMonitor& monitor);
    template <class G>
    Jacobian<G> query_sum(Arena& arena, const Stream& stream, const char* name, const QueryPoints<G>& points,
                          const Selection<Fr>& selection, const ProveMonitor& monitor);
    // In pieces: of points that are streamed, or that there is no scratch to add up at once.
    template <class G, class Then>
    Jacobian<G> sum_in_pieces(const char* name, const QueryPoints<G>& points, std::size_t part_bytes,
                              const Selection<Fr>& selection, PieceBuffers& pieces, const Then& then,
                              const ProveMonitor& monitor);
    // The sums over the queries, one after the other in little memory, or side by side.
    void sums_in_turn(const Key& key, const DeviceWitness<Fr>& witness, const QueryLayout& a_layout,
                      const QueryLayout& b_layout, PieceBuffers& pieces, Sums<C>& out,
                      const ProveMonitor& monitor);
    void sums_side_by_side(const Key& key, const DeviceWitness<Fr>& witness, const QueryLayout& a_layout,
                           const QueryLayout& b_layout, DeviceSpan<const Int> h_scalars, Sums<C>& out,
                           const ProveMonitor& monitor);
    void wipe(const DeviceWitness<Fr>& witness);

    BackendOptions options_;
    DeviceInfo device_;
    std::vector<DeviceInfo> helpers_;
    std::size_t limit_ = 0;  // bytes for arenas

    mutable std::mutex keys_mutex_;  // never held while the device works
    std::map<KeyHandle, Loaded> keys_;
    u64 next_handle_ = 1;

    Turn turn_;  // at the device: of a proof, a load or an eviction
    std::unique_ptr<Device> on_;
    // For those who do not wait for the device.
    std::atomic<std::size_t> working_bytes_{0}, working_peak_{0}, parked_bytes_{0}, parked_peak_{0};
};

}  // namespace cuzk::gpu

#include "gpu/cuda_backend_impl.cuh"
#include "gpu/cuda_backend_prove.cuh"
