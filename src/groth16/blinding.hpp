// The two secret scalars that make a Groth16 proof zero-knowledge.
#pragma once

#include <string.h>  // explicit_bzero

#include "base/random.hpp"
#include "field/fp.hpp"

namespace cuzk {

// The only key to a Blinding of chosen values. Its holder gives up zero-knowledge: whoever knows r and s and
// sees the proof can test guesses of the witness. For tests that compare proof bytes.
struct TestRandomness {};

// r and s of one proof: uniform, used once, wiped on destruction. A repeated pair with two witnesses leaks,
// hence no copies.
template <class Fr>
class Blinding {
public:
    // From the operating system; throws Error(kEnvironment) if it has none.
    static Blinding draw() {
        OsRandom os;
        const Fr r = Fr::random(os);
        return Blinding(r, Fr::random(os));
    }
    static Blinding fixed(TestRandomness, const Fr& r, const Fr& s) { return Blinding(r, s); }

    Blinding(const Blinding&) = delete;
    Blinding& operator=(const Blinding&) = delete;
    ~Blinding() { explicit_bzero(static_cast<void*>(this), sizeof(*this)); }

    const Fr& r() const { return r_; }
    const Fr& s() const { return s_; }

private:
    Blinding(const Fr& r, const Fr& s) : r_(r), s_(s) {}

    Fr r_, s_;
};

}  // namespace cuzk
