// What the processor offers and which arithmetic path runs. Layers above dispatch on active_isa() once per call of a
// whole transform or sum; the field's own operations read one cached flag.
#pragma once

#include <atomic>
#include <string_view>

#include "base/types.hpp"

namespace cuzk {

struct CpuFeatures {
    bool adx;  // BMI2 and ADX: mulx, adcx, adox
    bool
        avx512ifma;  // AVX-512 F, DQ, BW, VL and IFMA, with BMI2 and ADX, and the operating system saves the registers
};

// Of the running processor; environment and overrides do not change it. Thread-safe.
const CpuFeatures& cpu_features();

// Each path includes the ones before it: under kIfma, single elements use the mulx path.
enum class Isa : u8 { kPortable, kAdx, kIfma };

// "portable", "adx", "ifma"
std::string_view isa_name(Isa isa);

// The best path of the processor.
Isa best_isa();

// The path in use: the best one, or a lower one asked for by the environment variable CUZK_ISA=portable|adx|ifma (a
// path that the processor lacks is lowered to its best) or by an IsaOverride. Throws Error(kUsage) if CUZK_ISA holds
// another word. Thread-safe.
Isa active_isa();

// Test hook: while it lives, active_isa() is min(isa, best_isa()). Process-wide; results of running computations stay
// correct, since all paths agree. Overrides nest.
class IsaOverride {
public:
    explicit IsaOverride(Isa isa);
    ~IsaOverride();
    IsaOverride(const IsaOverride&) = delete;
    IsaOverride& operator=(const IsaOverride&) = delete;

private:
    Isa previous_;
};

namespace detail {
// active_isa() >= Isa::kAdx. Zero-initialised: code that runs before the initialiser of cpu.cpp takes the portable path.
extern std::atomic<bool> use_adx;
}  // namespace detail

}  // namespace cuzk
