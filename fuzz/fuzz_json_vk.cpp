#include "formats/snarkjs_json.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    for (const CurveId curve : {CurveId::kBn254, CurveId::kBls12_381})
        fuzz::run(data, size, [&](const ByteSource& source) {
            with_curve(curve,
                       [&]<class C>(C) { vk_json_alphabeta_matches<C>(source, read_vk_json<C>(source)); });
        });
    return 0;
}
