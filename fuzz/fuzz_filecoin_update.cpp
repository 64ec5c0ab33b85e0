#include "filecoin/vanilla/update.hpp"
#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        filecoin::decode_update_vanilla(source.bytes, source.name, filecoin::sector_shape(2048), 0, {});
    });
}
