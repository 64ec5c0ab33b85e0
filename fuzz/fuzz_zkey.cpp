#include "formats/zkey.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz::run(data, size, [](const ByteSource& source) {
        with_curve(zkey_curve(source), [&]<class C>(C) {
            const ZkeyFile<C> file(source);
            file.transcript();
            file.proving_key();
        });
    });
}
