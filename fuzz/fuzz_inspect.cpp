#include "formats/inspect.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        const auto report = inspect(source);
        to_text(report);
        to_json(report);
    });
}
