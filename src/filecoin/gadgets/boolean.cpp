#include "filecoin/gadgets/boolean.hpp"

#include <algorithm>

namespace cuzk::filecoin {

Bits reverse_bytes(Bits bits) {
    while (bits.size() % 8 != 0) bits.push_back(Bit::constant(false));
    for (std::size_t i = 0; i < bits.size(); i += 8) {
        const auto first = bits.begin() + static_cast<std::ptrdiff_t>(i);
        std::reverse(first, first + 8);
    }
    return bits;
}

}  // namespace cuzk::filecoin
