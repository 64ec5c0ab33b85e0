// Placing a node among its siblings, and selecting from a list, by bits of an index.
#pragma once

#include "base/error.hpp"
#include "filecoin/gadgets/number.hpp"

namespace cuzk::filecoin {

namespace insertion_detail {

template <class CS>
std::vector<Num> insert2(CS& cs, const Num& c, std::span<const Bit> b, std::span<const Num> s) {
    const Num left = pick(cs, b[0], s[0], c);
    const Num right = pick(cs, b[0], c, s[0]);
    return {left, right};
}

template <class CS>
std::vector<Num> insert4(CS& cs, const Num& c, std::span<const Bit> b, std::span<const Num> s) {
    std::vector<Num> out;
    out.push_back(pick(cs, b[1], s[0], pick(cs, b[0], s[0], c)));
    out.push_back(pick(cs, b[1], s[1], pick(cs, b[0], c, s[0])));
    const Num y2 = pick(cs, b[0], s[2], c);
    out.push_back(pick(cs, b[1], y2, s[1]));
    const Num y3 = pick(cs, b[0], c, s[2]);
    out.push_back(pick(cs, b[1], y3, s[2]));
    return out;
}

template <class CS>
std::vector<Num> insert8(CS& cs, const Num& c, std::span<const Bit> b, std::span<const Num> s) {
    const Bit neither = bit_and(cs, !b[0], !b[1]);
    const Bit both = bit_and(cs, b[0], b[1]);
    // Two picks on the low bits give the child were the high bit clear (or set); the last pick looks at the high bit.
    const auto low = [&](const Num& if_b0, const Num& if_not_b0) { return pick(cs, b[0], if_b0, if_not_b0); };
    std::vector<Num> out;
    Num y = pick(cs, neither, c, s[0]);
    out.push_back(pick(cs, b[2], s[0], y));
    y = low(c, s[0]);
    y = pick(cs, b[1], s[1], y);
    out.push_back(pick(cs, b[2], s[1], y));
    y = low(s[2], c);
    y = pick(cs, b[1], y, s[1]);
    out.push_back(pick(cs, b[2], s[2], y));
    y = pick(cs, both, c, s[2]);
    out.push_back(pick(cs, b[2], s[3], y));
    y = pick(cs, neither, c, s[4]);
    out.push_back(pick(cs, b[2], y, s[3]));
    y = low(c, s[4]);
    y = pick(cs, b[1], s[5], y);
    out.push_back(pick(cs, b[2], y, s[4]));
    y = low(s[6], c);
    y = pick(cs, b[1], y, s[5]);
    out.push_back(pick(cs, b[2], y, s[5]));
    y = pick(cs, both, c, s[6]);
    out.push_back(pick(cs, b[2], y, s[6]));
    return out;
}

}  // namespace insertion_detail

// The children of a node of arity siblings.size() + 1 (2, 4 or 8): `current` at the position that the bits (low first) spell,
// the siblings around it in order.
template <class CS>
std::vector<Num> insert(CS& cs, const Num& current, std::span<const Bit> bits,
                        std::span<const Num> siblings) {
    Ports in;
    in.bits.assign(bits.begin(), bits.end());
    in.nums.push_back(current);
    in.nums.insert(in.nums.end(), siblings.begin(), siblings.end());
    return cs
        .block("insert", in,
               [&](const Ports& p) {
                   const auto s = std::span<const Num>(p.nums).subspan(1);
                   Ports out;
                   switch (p.nums.size()) {
                       case 2: out.nums = insertion_detail::insert2(cs, p.nums[0], p.bits, s); break;
                       case 4: out.nums = insertion_detail::insert4(cs, p.nums[0], p.bits, s); break;
                       case 8: out.nums = insertion_detail::insert8(cs, p.nums[0], p.bits, s); break;
                       default: throw Error(ErrorKind::kInternal, "no insertion gadget of this arity");
                   }
                   return out;
               })
        .nums;
}

// list[index], list.size() = 2^bits.size(), bits low first.
template <class CS>
Num select(CS& cs, std::vector<Num> list, std::span<const Bit> bits) {
    for (std::size_t k = bits.size(); k-- > 0;) {
        const std::size_t half = list.size() / 2;
        for (std::size_t j = 0; j < half; ++j) list[j] = pick(cs, bits[k], list[half + j], list[j]);
        list.resize(half);
    }
    return list.front();
}

}  // namespace cuzk::filecoin
