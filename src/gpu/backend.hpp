// The backend that runs on a CUDA device. Free of CUDA headers, and there in every build: without device code making one is
// an error.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/devices.hpp"
#include "gpu/key_exchange.hpp"
#include "gpu/memory_plan.hpp"
#include "groth16/backend.hpp"

namespace cuzk::gpu {

// What a backend may use, and mechanisms that can be switched off to measure what they bring.
struct BackendOptions {
    std::string device;    // UUID or number; empty: the first
    std::string label;     // added to the name, where several backends share a device
    u64 memory_limit = 0;  // bytes of device memory, the driver's own included; 0: all that is free
    bool resident_keys =
        true;  // points of keys stay in device memory where they fit; else they are streamed in each proof
    bool pinned_keys = true;  // points that are streamed come from pinned host memory
    bool prefetch = true;     // the next piece of a key is copied while the last one is used
    u64 piece_points = 0;     // of such a piece, at most: a power of two; 0: as many as fit
    // All vectors of a proof's transforms but one wait in pinned host memory, even where the device has room for them.
    bool park_vectors = false;
    // Ready rows of at least so many bytes are pinned where they lie while they are copied, outside the proof's turn at the device;
    // smaller ones, and those that cannot be pinned, go by pinned pieces. Off: to pin 12 GiB of rows for one proof took 0.7 s, and
    // saved 0.07 s (bench/results/gpu_h200_phases.md).
    u64 pinned_rows_from = ~u64{0};
    bool rows_ahead = true;  // ready rows are copied by a stream of their own: B while A is transformed

    // UUIDs or numbers of other devices, each of which takes an equal share of the largest sum of a proof, the one over H, where the
    // key is resident. They keep copies of their shares of the points, if they have room; one that fails is left out from then on.
    std::vector<std::string> helpers;
    // Shared by backends that are to take resident keys from each other's devices instead of the host.
    std::shared_ptr<KeyExchange> exchange;
};

// A backend on one device. Proofs on it take turns; work of their callers before and after overlaps. Throws
// Error(kEnvironment) where there is no such device.
template <class C>
std::unique_ptr<Backend<C>> make_backend(const BackendOptions& options);

// How a device (as BackendOptions::device) would be used by proofs with a key of the kBellman family that is made for this circuit and has
// the device for itself: the plan within each limit (as BackendOptions::memory_limit; not 0); none where it is too little.
std::vector<std::optional<MemoryPlan>> plan_proofs(
    const std::string& device, const std::shared_ptr<const InstancedCircuit<Bls12_381Fr>>& circuit,
    std::span<const u64> limits);

template <>
std::unique_ptr<Backend<Bls12_381>> make_backend(const BackendOptions& options);
template <>
std::unique_ptr<Backend<Bn254>> make_backend(const BackendOptions& options);

}  // namespace cuzk::gpu
