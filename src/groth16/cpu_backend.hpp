// The backend that runs on the host's processor, on all threads of the current arena.
#pragma once

#include <map>
#include <mutex>

#include "groth16/backend.hpp"

namespace cuzk {

// Keys stay where they are (mapped or owned by their ProvingKey); a resident key adds only its transform
// tables. A proof needs about five field elements a domain point for its vectors, plus what the largest MSM
// sorts.
template <class C>
class CpuBackend final : public Backend<C> {
public:
    using Fr = typename C::Fr;

    CpuBackend();
    ~CpuBackend() override;

    std::string name() const override { return "cpu"; }
    KeyHandle load(std::shared_ptr<const ProvingKey<C>> key, Progress* progress = nullptr) override;
    void evict(KeyHandle handle) override;
    Proof<C> prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    Proof<C> prove(KeyHandle handle, const Assignment<Fr>& assignment, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    Proof<C> prove(KeyHandle handle, const CompactWitness<Fr>& witness, const Blinding<Fr>& blinding,
                   const ProveMonitor& monitor = {}) override;
    std::vector<MemoryReport> memory() const override;

private:
    struct ResidentKey;
    class WorkingMemory;

    std::shared_ptr<const ResidentKey> find(KeyHandle handle) const;

    mutable std::mutex mutex_;
    std::map<KeyHandle, std::shared_ptr<const ResidentKey>> keys_;
    u64 next_handle_ = 1;
    std::unique_ptr<WorkingMemory> working_;
};

extern template class CpuBackend<Bls12_381>;
extern template class CpuBackend<Bn254>;

}  // namespace cuzk
