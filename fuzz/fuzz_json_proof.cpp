#include "formats/snarkjs_json.hpp"

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A document that names no curve is tried as both; what is accepted survives a round trip.
    for (const CurveId curve : {CurveId::kBn254, CurveId::kBls12_381})
        fuzz::run(data, size, [&](const ByteSource& source) {
            with_curve(curve, [&]<class C>(C) {
                const auto proof = read_proof_json<C>(source);
                const std::string text = proof_to_json(proof);
                const auto again =
                    ByteSource::borrow("again", {reinterpret_cast<const u8*>(text.data()), text.size()});
                if (!(read_proof_json<C>(again) == proof)) std::abort();
            });
        });
    return 0;
}
