#include "formats/proof_bytes.hpp"

#include <algorithm>

#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // What is accepted has one encoding only.
    fuzz::run(data, size, [](const ByteSource& source) {
        const auto proofs = read_proof_bytes(source);
        for (std::size_t i = 0; i < proofs.size(); ++i) {
            const auto bytes = proof_to_bytes(proofs[i]);
            if (!std::equal(bytes.begin(), bytes.end(),
                            source.bytes.begin() + static_cast<std::ptrdiff_t>(i * kProofBytes)))
                std::abort();
        }
    });
    return fuzz::run(data, size, [](const ByteSource& source) {
        const auto bytes = proof_to_bytes(read_bn254_proof_bytes(source));
        if (!std::equal(bytes.begin(), bytes.end(), source.bytes.begin(), source.bytes.end())) std::abort();
    });
}
