#include "filecoin/chain/claim.hpp"
#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) { filecoin::parse_claim(source); });
}
