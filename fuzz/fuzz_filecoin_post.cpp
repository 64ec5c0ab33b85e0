#include "filecoin/vanilla/post.hpp"
#include "fuzz_input.hpp"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const filecoin::SectorShape shape = filecoin::sector_shape(2048);
    for (const u32 challenges : {filecoin::kWindowChallenges, filecoin::kWinningSlots})
        fuzz::run(data, size, [&](const ByteSource& source) {
            filecoin::decode_post_vanilla(source.bytes, source.name, shape, challenges);
        });
    return 0;
}
