// A setup whose points are made on a CUDA device. Free of CUDA headers, and there in every build: without device code making
// one is an error.
#pragma once

#include <memory>
#include <string>

#include "curve/curves.hpp"
#include "groth16/setup_target.hpp"

namespace cuzk::gpu {

// Multiplies on the device (empty name: the first; else a UUID or number as gpu::find_device has it) and streams the points
// into `sink`; equal scalars make equal points, whatever the device. All arguments must outlive the target; `progress` may be
// null. `memory_limit`: bytes of device memory, 0 for what is free; more than 16 GiB are not taken. Error(kEnvironment) if
// there is no such device, or not enough memory for a table of multiples.
//
// Host memory: 224 MiB pinned, beside what the sink holds.
template <class C>
std::unique_ptr<SetupTarget<C>> make_setup_target(const std::string& device, std::size_t memory_limit,
                                                  KeySink<C>& sink, const SetupBases<C>& bases,
                                                  Progress* progress);

extern template std::unique_ptr<SetupTarget<Bls12_381>> make_setup_target(const std::string&, std::size_t,
                                                                          KeySink<Bls12_381>&,
                                                                          const SetupBases<Bls12_381>&,
                                                                          Progress*);
extern template std::unique_ptr<SetupTarget<Bn254>> make_setup_target(const std::string&, std::size_t,
                                                                      KeySink<Bn254>&,
                                                                      const SetupBases<Bn254>&, Progress*);

}  // namespace cuzk::gpu
