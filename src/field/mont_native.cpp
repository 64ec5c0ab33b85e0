#include "field/mont_native.hpp"

#include "field/cpu.hpp"
#include "field/mont_portable.hpp"
#include "field/params.hpp"

namespace cuzk::native {

namespace {

#if defined(__x86_64__)

// Coarsely integrated operand scanning (Koç, Acar, Kaliski 1996) with mulx and two carry chains: adox takes the low halves
// of the partial products, adcx the high ones. The top bit of each modulus is free, so no row carries out of its N + 1
// words. Registers rotate: a reduction leaves word 0 in %[h] and frees the old word 0.

// clang-format off

// t[0..N] = a b_0
#define CUZK_FIRST(t0, t1) "movq (%[b]), %%rdx; mulxq (%[a]), " t0 ", " t1 "\n\t"
#define CUZK_FIRST_STEP(add, j, tj, tk) "mulxq " #j "*8(%[a]), %%rax, " tk "; " add " %%rax, " tj "\n\t"
#define CUZK_FIRST_END(tn) "adcq $0, " tn "\n\t"

// t[0..N] += a b_i; t[N] = top is written only
#define CUZK_ROW(i) "movq " #i "*8(%[b]), %%rdx; xorl %%eax, %%eax\n\t"
#define CUZK_ROW_STEP(j, tj, tk, top) \
    "mulxq " #j "*8(%[a]), %%rax, " top "; adoxq %%rax, " tj "; adcxq " top ", " tk "\n\t"
#define CUZK_ROW_END(j, tj, top) \
    "mulxq " #j "*8(%[a]), %%rax, " top "; adoxq %%rax, " tj "\n\t" \
    "movl $0, %%eax; adcxq %%rax, " top "; adoxq %%rax, " top "\n\t"

// t = (t + m p) / 2^64, m = t[0] n0
#define CUZK_REDUCE(t0, h) \
    "movq %[n0], %%rdx; imulq " t0 ", %%rdx; xorl %%eax, %%eax\n\t" \
    "mulxq (%[p]), %%rax, " h "; adcxq " t0 ", %%rax\n\t"
#define CUZK_REDUCE_STEP(j, low, tj) \
    "adcxq " tj ", " low "; mulxq " #j "*8(%[p]), %%rax, " tj "; adoxq %%rax, " low "\n\t"
#define CUZK_REDUCE_END(last, top) "movl $0, %%eax; adcxq %%rax, " last "; adoxq " top ", " last "\n\t"

#define CUZK_ROW4(i, t0, t1, t2, t3, top) \
    CUZK_ROW(i) CUZK_ROW_STEP(0, t0, t1, top) CUZK_ROW_STEP(1, t1, t2, top) CUZK_ROW_STEP(2, t2, t3, top) \
    CUZK_ROW_END(3, t3, top)
#define CUZK_REDUCE4(t0, t1, t2, t3, top, h) \
    CUZK_REDUCE(t0, h) CUZK_REDUCE_STEP(1, h, t1) CUZK_REDUCE_STEP(2, t1, t2) CUZK_REDUCE_STEP(3, t2, t3) \
    CUZK_REDUCE_END(t3, top)
#define CUZK_ROW6(i, t0, t1, t2, t3, t4, t5, top) \
    CUZK_ROW(i) CUZK_ROW_STEP(0, t0, t1, top) CUZK_ROW_STEP(1, t1, t2, top) CUZK_ROW_STEP(2, t2, t3, top) \
    CUZK_ROW_STEP(3, t3, t4, top) CUZK_ROW_STEP(4, t4, t5, top) CUZK_ROW_END(5, t5, top)
#define CUZK_REDUCE6(t0, t1, t2, t3, t4, t5, top, h) \
    CUZK_REDUCE(t0, h) CUZK_REDUCE_STEP(1, h, t1) CUZK_REDUCE_STEP(2, t1, t2) CUZK_REDUCE_STEP(3, t2, t3) \
    CUZK_REDUCE_STEP(4, t3, t4) CUZK_REDUCE_STEP(5, t4, t5) CUZK_REDUCE_END(t5, top)

// s = t - p if that is not negative, else t
#define CUZK_LAST_SUB(sub, j, t, s) "movq " t ", " s "; " sub " " #j "*8(%[p]), " s "\n\t"
#define CUZK_LAST_MOVE(t, s) "cmovc " t ", " s "\n\t"

template <class P>
[[gnu::always_inline]] inline BigInt<4> mul_adx(const BigInt<4>& x, const BigInt<4>& y) {
    const u64* a = x.limb;
    const u64* b = y.limb;
    u64 t0, t1, t2, t3, t4, h, r0, r1;
    __asm__(
        CUZK_FIRST("%[t0]", "%[t1]")
        CUZK_FIRST_STEP("addq", 1, "%[t1]", "%[t2]") CUZK_FIRST_STEP("adcq", 2, "%[t2]", "%[t3]")
        CUZK_FIRST_STEP("adcq", 3, "%[t3]", "%[t4]") CUZK_FIRST_END("%[t4]")
        CUZK_REDUCE4("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[h]")
        CUZK_ROW4(1, "%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
        CUZK_REDUCE4("%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t0]")
        CUZK_ROW4(2, "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
        CUZK_REDUCE4("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[h]")
        CUZK_ROW4(3, "%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
        CUZK_REDUCE4("%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t0]")
        CUZK_LAST_SUB("subq", 0, "%[t0]", "%%rax") CUZK_LAST_SUB("sbbq", 1, "%[t1]", "%%rdx")
        CUZK_LAST_SUB("sbbq", 2, "%[t2]", "%[h]") CUZK_LAST_SUB("sbbq", 3, "%[t3]", "%[t4]")
        CUZK_LAST_MOVE("%[t0]", "%%rax") CUZK_LAST_MOVE("%[t1]", "%%rdx")
        CUZK_LAST_MOVE("%[t2]", "%[h]") CUZK_LAST_MOVE("%[t3]", "%[t4]")
        : "=&a"(r0), "=&d"(r1), [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
          [h] "=&r"(h)
        : [a] "r"(a), [b] "r"(b), [p] "r"(P::kModulus.limb), [n0] "i"(FieldConstants<P>::kN0)
        : "cc", "memory");
    return {{r0, r1, h, t4}};
}

template <class P>
[[gnu::always_inline]] inline BigInt<6> mul_adx(const BigInt<6>& x, const BigInt<6>& y) {
    const u64* a = x.limb;
    const u64* b = y.limb;
    u64 t0, t1, t2, t3, t4, t5, t6, h, r0, r1;
    __asm__(
        CUZK_FIRST("%[t0]", "%[t1]")
        CUZK_FIRST_STEP("addq", 1, "%[t1]", "%[t2]") CUZK_FIRST_STEP("adcq", 2, "%[t2]", "%[t3]")
        CUZK_FIRST_STEP("adcq", 3, "%[t3]", "%[t4]") CUZK_FIRST_STEP("adcq", 4, "%[t4]", "%[t5]")
        CUZK_FIRST_STEP("adcq", 5, "%[t5]", "%[t6]") CUZK_FIRST_END("%[t6]")
        CUZK_REDUCE6("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[h]")
        CUZK_ROW6(1, "%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
        CUZK_REDUCE6("%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
        CUZK_ROW6(2, "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
        CUZK_REDUCE6("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[h]")
        CUZK_ROW6(3, "%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
        CUZK_REDUCE6("%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
        CUZK_ROW6(4, "%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
        CUZK_REDUCE6("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[h]")
        CUZK_ROW6(5, "%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]")
        CUZK_REDUCE6("%[h]", "%[t1]", "%[t2]", "%[t3]", "%[t4]", "%[t5]", "%[t6]", "%[t0]")
        CUZK_LAST_SUB("subq", 0, "%[t0]", "%%rax") CUZK_LAST_SUB("sbbq", 1, "%[t1]", "%%rdx")
        CUZK_LAST_SUB("sbbq", 2, "%[t2]", "%[h]") CUZK_LAST_SUB("sbbq", 3, "%[t3]", "%[t6]")
        CUZK_LAST_SUB("sbbq", 4, "%[t4]", "%[a]") CUZK_LAST_SUB("sbbq", 5, "%[t5]", "%[b]")
        CUZK_LAST_MOVE("%[t0]", "%%rax") CUZK_LAST_MOVE("%[t1]", "%%rdx")
        CUZK_LAST_MOVE("%[t2]", "%[h]") CUZK_LAST_MOVE("%[t3]", "%[t6]")
        CUZK_LAST_MOVE("%[t4]", "%[a]") CUZK_LAST_MOVE("%[t5]", "%[b]")
        : "=&a"(r0), "=&d"(r1), [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
          [t5] "=&r"(t5), [t6] "=&r"(t6), [h] "=&r"(h), [a] "+&r"(a), [b] "+&r"(b)
        : [p] "r"(P::kModulus.limb), [n0] "i"(FieldConstants<P>::kN0)
        : "cc", "memory");
    return {{r0, r1, h, t6, reinterpret_cast<u64>(a), reinterpret_cast<u64>(b)}};
}

// clang-format on

#endif

}  // namespace

template <class P>
BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__x86_64__)
    if (detail::use_adx.load(std::memory_order_relaxed)) [[likely]]
        return mul_adx<P>(a, b);
#endif
    return portable::mont_mul(a, b, P::kModulus, FieldConstants<P>::kN0);
}

template <class P>
void mul_assign(BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__x86_64__)
    if (detail::use_adx.load(std::memory_order_relaxed)) [[likely]] {
        a = mul_adx<P>(a, b);
        return;
    }
#endif
    a = portable::mont_mul(a, b, P::kModulus, FieldConstants<P>::kN0);
}

template <class P>
BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a) {
    return mul<P>(a, a);
}

#define CUZK_INSTANTIATE(P)                                                                \
    template BigInt<P::kLimbs> mul<P>(const BigInt<P::kLimbs>&, const BigInt<P::kLimbs>&); \
    template void mul_assign<P>(BigInt<P::kLimbs>&, const BigInt<P::kLimbs>&);             \
    template BigInt<P::kLimbs> sqr<P>(const BigInt<P::kLimbs>&);
CUZK_INSTANTIATE(Bls12_381FrParams)
CUZK_INSTANTIATE(Bls12_381FpParams)
CUZK_INSTANTIATE(Bn254FrParams)
CUZK_INSTANTIATE(Bn254FpParams)

}  // namespace cuzk::native
