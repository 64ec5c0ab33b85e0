// Witnesses on their way into device memory; gpu/witness.cuh has what kernels see of them.
#pragma once

#include "gpu/arena.hpp"
#include "gpu/upload.hpp"
#include "groth16/instanced_circuit.hpp"

namespace cuzk::gpu {

// A witness in an arena; views of memory that its maker's scope holds.
template <class Fr>
struct DeviceWitness {
    u32 variables = 0;
    DeviceSpan<const u32> is_wide, wide_before, bits;  // one word for 32 variables; see WitnessView
    DeviceSpan<const Fr> wide;

    u32 words() const { return (variables + 31) / 32; }
};

// Which variables of a circuit are no bits: the same for all its witnesses, so it stays in device memory with the key.
template <class Fr>
class WitnessLayout {
public:
    WitnessLayout(Arena& arena, const InstancedR1cs<Fr>& r1cs, Uploader& uploader, const Stream& stream);
    static std::size_t bytes(const InstancedR1cs<Fr>& r1cs);

    // Puts a witness of the circuit into the arena: the bits go up as bits. Error(kMalformed) if it is of another shape.
    DeviceWitness<Fr> place(Arena& arena, const CompactWitness<Fr>& witness, Uploader& uploader,
                            const Stream& stream) const;
    static std::size_t witness_bytes(const InstancedR1cs<Fr>& r1cs);

private:
    u32 inputs_, variables_;
    u32 wide_count_ = 0;
    DeviceSpan<u32> is_wide_, wide_before_;
};

// Puts plain values of variables (Montgomery) into the arena, zeros and ones among them as bits. Waits for the stream.
// OutOfDeviceMemory if the others are more than there is room for.
template <class Fr>
DeviceWitness<Fr> place_values(Arena& arena, std::span<const Fr> values, Uploader& uploader,
                               const Stream& stream);
// What it takes where at most so many values are neither zero nor one.
std::size_t placed_values_bytes(std::size_t variables, std::size_t most_wide);

#define CUZK_GPU_WITNESS(linkage, Fr)         \
    linkage template class WitnessLayout<Fr>; \
    linkage template DeviceWitness<Fr> place_values(Arena&, std::span<const Fr>, Uploader&, const Stream&);
CUZK_GPU_WITNESS(extern, Bls12_381Fr)
CUZK_GPU_WITNESS(extern, Bn254Fr)

}  // namespace cuzk::gpu
