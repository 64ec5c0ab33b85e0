#include "field/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cuzk {

namespace {

#if defined(__x86_64__)
CpuFeatures detect() {
    u32 a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return {false, false};
    const auto has = [&b](int bit) { return ((b >> bit) & 1) != 0; };
    const bool adx = has(8) && has(19);  // BMI2, ADX

    u32 a1 = 0, b1 = 0, c1 = 0, d1 = 0;
    if (__get_cpuid(1, &a1, &b1, &c1, &d1) == 0 || ((c1 >> 27) & 1) == 0) return {adx, false};  // OSXSAVE
    u32 xcr0 = 0, xcr0_high = 0;
    __asm__("xgetbv" : "=a"(xcr0), "=d"(xcr0_high) : "c"(0));
    constexpr u32 kZmmState = 0xe6;  // SSE, AVX, opmask, upper halves of zmm0-15, zmm16-31
    const bool saved = (xcr0 & kZmmState) == kZmmState;
    // F, DQ, IFMA, BW, VL
    return {adx, adx && saved && has(16) && has(17) && has(21) && has(30) && has(31)};
}
#else
CpuFeatures detect() {
    return {false, false};
}
#endif

// What CUZK_ISA asks for; nothing if it is unset, or holds an unknown word.
std::optional<Isa> requested(std::string_view word) {
    for (Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma})
        if (word == isa_name(isa)) return isa;
    return std::nullopt;
}

struct Choice {
    Isa isa = Isa::kPortable;
    std::string unknown;  // content of CUZK_ISA that names no path
};

const Choice& initial_choice() {
    static const Choice choice = [] {
        const char* word = std::getenv("CUZK_ISA");
        if (word == nullptr) return Choice{best_isa(), {}};
        const auto isa = requested(word);
        if (!isa) return Choice{Isa::kPortable, word};
        return Choice{std::min(*isa, best_isa()), {}};
    }();
    return choice;
}

std::atomic<Isa>& current() {
    static std::atomic<Isa> isa{initial_choice().isa};
    return isa;
}

void activate(Isa isa) {
    current().store(isa, std::memory_order_relaxed);
    detail::use_adx.store(isa >= Isa::kAdx, std::memory_order_relaxed);
}

}  // namespace

namespace detail {
std::atomic<bool> use_adx{current().load(std::memory_order_relaxed) >= Isa::kAdx};
}

const CpuFeatures& cpu_features() {
    static const CpuFeatures features = detect();
    return features;
}

std::string_view isa_name(Isa isa) {
    switch (isa) {
        case Isa::kPortable: return "portable";
        case Isa::kAdx: return "adx";
        case Isa::kIfma: break;
    }
    return "ifma";
}

Isa best_isa() {
    if (cpu_features().avx512ifma) return Isa::kIfma;
    return cpu_features().adx ? Isa::kAdx : Isa::kPortable;
}

Isa active_isa() {
    if (const Choice& choice = initial_choice(); !choice.unknown.empty())
        throw Error(ErrorKind::kUsage, "environment variable CUZK_ISA: \"" + choice.unknown +
                                           "\" is none of portable, adx, ifma");
    return current().load(std::memory_order_relaxed);
}

IsaOverride::IsaOverride(Isa isa) : previous_(current().load(std::memory_order_relaxed)) {
    activate(std::min(isa, best_isa()));
}

IsaOverride::~IsaOverride() {
    activate(previous_);
}

}  // namespace cuzk
