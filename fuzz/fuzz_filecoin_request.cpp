#include "filecoin/prove/job.hpp"
#include "fuzz_input.hpp"

using namespace cuzk;

// All that happens to a client's request before proving: parsed, its vanilla proofs decoded and checked.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        filecoin::prepare(filecoin::parse_request(source.bytes, source.name), source.name);
    });
}
