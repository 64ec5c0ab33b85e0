#include "formats/key_cache.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        const KeyCacheFile file(source);
        file.proving_key();
        file.check({PointChecks::kSubgroup, nullptr});
    });
}
