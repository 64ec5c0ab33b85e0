#include "formats/r1cs_file.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        with_curve(read_r1cs_header(source).curve,
                   [&]<class C>(C) { read_r1cs<C>(source).system.check_shape(); });
    });
}
