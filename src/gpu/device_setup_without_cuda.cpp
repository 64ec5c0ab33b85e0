// What stands in for setups on a device in a build without device code.
#ifndef CUZK_WITH_CUDA

#include "base/error.hpp"
#include "gpu/device_setup.hpp"
#include "gpu/devices.hpp"

namespace cuzk::gpu {

template <class C>
std::unique_ptr<SetupTarget<C>> make_setup_target(const std::string& device, std::size_t, KeySink<C>&,
                                                  const SetupBases<C>&, Progress*) {
    find_device(device);  // throws
    return nullptr;
}

template std::unique_ptr<SetupTarget<Bls12_381>> make_setup_target(const std::string&, std::size_t,
                                                                   KeySink<Bls12_381>&,
                                                                   const SetupBases<Bls12_381>&, Progress*);
template std::unique_ptr<SetupTarget<Bn254>> make_setup_target(const std::string&, std::size_t,
                                                               KeySink<Bn254>&, const SetupBases<Bn254>&,
                                                               Progress*);

}  // namespace cuzk::gpu

#endif
