// SHA-256 (FIPS 180-4) in the circuit: additions of many words are checked several to a row, as in the network's circuits.
#pragma once

#include <array>

#include "filecoin/gadgets/number.hpp"
#include "filecoin/gadgets/word.hpp"

namespace cuzk::filecoin {

inline constexpr std::array<u32, 8> kSha256Iv = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
inline constexpr std::array<u32, 64> kSha256K = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Several equalities L_j = R_j of numbers of few bits, in one row: sum 2^(offset_j) L_j * 1 = sum 2^(offset_j) R_j.
template <class CS>
class MultiEq {
public:
    explicit MultiEq(CS& cs) : cs_(cs) {}

    // bits: no side exceeds 2^bits - 1. Flushes first if the row would overflow the field.
    void add(std::size_t bits, const LinearCombination& left, const LinearCombination& right) {
        if (used_ + bits >= kPackedBits) flush();
        left_.add(left, shift_);
        right_.add(right, shift_);
        for (std::size_t i = 0; i < bits; ++i) shift_ = shift_.dbl();
        used_ += bits;
    }
    void flush() {
        if (used_ == 0) return;
        cs_.enforce(std::move(left_), constant_one(), std::move(right_));
        left_ = {};
        right_ = {};
        shift_ = Fr::one();
        used_ = 0;
    }

private:
    CS& cs_;
    std::size_t used_ = 0;
    Fr shift_ = Fr::one();
    LinearCombination left_, right_;
};

// Witness mode has no rows, so nothing to collect.
template <>
class MultiEq<WitnessBuilder> {
public:
    explicit MultiEq(WitnessBuilder& /*cs*/) {}
    void flush() {}
};

namespace sha256_detail {

// Sum of words modulo 2^32. All bits of the integer sum, carries included, become variables.
template <class CS>
Word<CS> add_many(CS& cs, MultiEq<CS>& equalities, std::span<const Word<CS>> words) {
    u64 sum = 0;
    bool constant = true;
    for (const auto& w : words) {
        sum += w.constant_value();
        constant = constant && w.is_constant();
    }
    if (constant) return Word<CS>::constant(static_cast<u32>(sum));
    const unsigned count = static_cast<unsigned>(std::bit_width(words.size() * u64{0xffffffff}));
    if constexpr (CS::kStructure) {
        LinearCombination left;
        for (const auto& w : words) left.add(weighted_sum(w.bits), Fr::one());
        Bits fresh(count);
        for (Bit& b : fresh) b = alloc_bit(cs, false);
        equalities.add(count, left, weighted_sum(fresh));
        StructureWord out;
        std::copy_n(fresh.begin(), 32, out.bits.begin());
        return out;
    } else {
        cs.new_bits(sum, count);
        return WitnessWord{static_cast<u32>(sum), WitnessWord::kAll};
    }
}

template <class CS>
std::array<Word<CS>, 64> expand_message(CS& cs, MultiEq<CS>& eq, std::span<const Word<CS>, 16> message) {
    std::array<Word<CS>, 64> w;
    std::copy(message.begin(), message.end(), w.begin());
    for (std::size_t i = 16; i < 64; ++i) {
        const auto& x = w[i - 15];
        const auto& y = w[i - 2];
        const auto s0 = word_xor(cs, word_xor(cs, x.rotr(7), x.rotr(18)), x.shr(3));
        const auto s1 = word_xor(cs, word_xor(cs, y.rotr(17), y.rotr(19)), y.shr(10));
        const Word<CS> terms[] = {w[i - 16], s0, w[i - 7], s1};
        w[i] = add_many<CS>(cs, eq, terms);
    }
    return w;
}

// A sum that is evaluated only when its value is needed: SHA-256's new a and e of a round.
template <class CS>
class Deferred {
public:
    explicit Deferred(const Word<CS>& w) : terms_{w} {}
    explicit Deferred(std::vector<Word<CS>> terms) : terms_(std::move(terms)) {}
    Word<CS> force(CS& cs, MultiEq<CS>& eq) const {
        return terms_.size() == 1 ? terms_[0] : add_many<CS>(cs, eq, terms_);
    }
    Word<CS> force_with(CS& cs, MultiEq<CS>& eq, const Word<CS>& more) const {
        auto terms = terms_;
        terms.push_back(more);
        return add_many<CS>(cs, eq, terms);
    }

private:
    std::vector<Word<CS>> terms_;
};

template <class CS>
std::array<Word<CS>, 8> compress(CS& cs, std::span<const Word<CS>, 16> message,
                                 const std::array<Word<CS>, 8>& h0) {
    using W = Word<CS>;
    MultiEq<CS> eq(cs);
    const auto w = expand_message<CS>(cs, eq, message);
    Deferred<CS> new_a(h0[0]);
    Deferred<CS> new_e(h0[4]);
    W b = h0[1], c = h0[2], d = h0[3], f = h0[5], g = h0[6], h = h0[7];
    for (std::size_t i = 0; i < 64; ++i) {
        const W e = new_e.force(cs, eq);
        const W s1 = word_xor(cs, word_xor(cs, e.rotr(6), e.rotr(11)), e.rotr(25));
        const W ch = word_choose(cs, e, f, g);
        std::vector<W> t1{h, s1, ch, W::constant(kSha256K[i]), w[i]};
        const W a = new_a.force(cs, eq);
        const W s0 = word_xor(cs, word_xor(cs, a.rotr(2), a.rotr(13)), a.rotr(22));
        const W mj = word_majority(cs, a, b, c);
        h = g;
        g = f;
        f = e;
        std::vector<W> e_terms = t1;
        e_terms.push_back(d);
        new_e = Deferred<CS>(std::move(e_terms));
        d = c;
        c = b;
        b = a;
        t1.push_back(s0);
        t1.push_back(mj);
        new_a = Deferred<CS>(std::move(t1));
    }
    const auto plus = [&](const W& x, const W& y) {
        const W terms[] = {x, y};
        return add_many<CS>(cs, eq, terms);
    };
    std::array<W, 8> out;
    out[0] = new_a.force_with(cs, eq, h0[0]);
    out[1] = plus(h0[1], b);
    out[2] = plus(h0[2], c);
    out[3] = plus(h0[3], d);
    out[4] = new_e.force_with(cs, eq, h0[4]);
    out[5] = plus(h0[5], f);
    out[6] = plus(h0[6], g);
    out[7] = plus(h0[7], h);
    eq.flush();
    return out;
}

// Message bits come most significant first in each word.
template <class CS>
Word<CS> word_from_stream(std::span<const Bit> bits) {
    Word<CS> w;
    for (std::size_t i = 0; i < 32; ++i) w.set(i, bits[31 - i]);
    return w;
}

template <class CS>
std::array<Word<CS>, 8> compress_block(CS& cs, std::span<const Bit> block,
                                       const std::array<Word<CS>, 8>& state) {
    std::array<Word<CS>, 16> message;
    for (std::size_t i = 0; i < 16; ++i) message[i] = word_from_stream<CS>(block.subspan(32 * i, 32));
    if constexpr (!CS::kStructure) {
        return compress<CS>(cs, message, state);
    } else {
        Ports in;
        for (const auto& w : message) in.bits.insert(in.bits.end(), w.bits.begin(), w.bits.end());
        for (const auto& w : state) in.bits.insert(in.bits.end(), w.bits.begin(), w.bits.end());
        const auto word = [](const Ports& p, std::size_t k) {
            StructureWord w;
            std::copy_n(p.bits.begin() + static_cast<std::ptrdiff_t>(32 * k), 32, w.bits.begin());
            return w;
        };
        const Ports out = cs.block("sha256", in, [&](const Ports& p) {
            std::array<StructureWord, 16> m;
            std::array<StructureWord, 8> h;
            for (std::size_t k = 0; k < 16; ++k) m[k] = word(p, k);
            for (std::size_t k = 0; k < 8; ++k) h[k] = word(p, 16 + k);
            Ports r;
            for (const auto& w : compress<CS>(cs, m, h))
                r.bits.insert(r.bits.end(), w.bits.begin(), w.bits.end());
            return r;
        });
        std::array<StructureWord, 8> result;
        for (std::size_t k = 0; k < 8; ++k) result[k] = word(out, k);
        return result;
    }
}

}  // namespace sha256_detail

// Digest of a bit stream (each byte most significant bit first): 256 bits in the same order.
template <class CS>
Bits sha256_gadget(CS& cs, Bits message) {
    const u64 length = message.size();
    message.push_back(Bit::constant(true));
    while (message.size() % 512 != 448) message.push_back(Bit::constant(false));
    for (std::size_t i = 64; i-- > 0;) message.push_back(Bit::constant(((length >> i) & 1) != 0));

    std::array<Word<CS>, 8> state;
    for (std::size_t i = 0; i < 8; ++i) state[i] = Word<CS>::constant(kSha256Iv[i]);
    for (std::size_t i = 0; i < message.size(); i += 512)
        state = sha256_detail::compress_block<CS>(cs, std::span<const Bit>(message).subspan(i, 512), state);

    Bits digest;
    digest.reserve(256);
    for (const auto& w : state)
        for (std::size_t i = 32; i-- > 0;) digest.push_back(w.bit(i));
    return digest;
}

// Node of the SHA-256 Merkle trees: trim(SHA-256(left || right)) as a number.
template <class CS>
Num sha256_pair(CS& cs, const Num& left, const Num& right) {
    Ports in;
    in.nums = {left, right};
    return cs
        .block("sha256_pair", in,
               [&](const Ports& p) {
                   Bits stream = reverse_bytes(to_bits(cs, p.nums[0]));
                   const Bits second = reverse_bytes(to_bits(cs, p.nums[1]));
                   stream.insert(stream.end(), second.begin(), second.end());
                   Ports out;
                   out.nums.push_back(pack_bits(cs, reverse_bytes(sha256_gadget(cs, std::move(stream)))));
                   return out;
               })
        .nums.front();
}

}  // namespace cuzk::filecoin
