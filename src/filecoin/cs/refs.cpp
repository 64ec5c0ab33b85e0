#include "filecoin/cs/refs.hpp"

#include <algorithm>

namespace cuzk::filecoin {

void LinearCombination::normalise() {
    // Inputs carry the top bit in the raw form, so flipping it sorts them first.
    const auto key = [](const Term& t) { return t.var.raw() ^ Var::kInputFlag; };
    if (!std::is_sorted(terms_.begin(), terms_.end(),
                        [&](const Term& a, const Term& b) { return key(a) < key(b); }))
        std::stable_sort(terms_.begin(), terms_.end(),
                         [&](const Term& a, const Term& b) { return key(a) < key(b); });
    std::size_t out = 0;
    for (std::size_t i = 0; i < terms_.size();) {
        Term merged = terms_[i++];
        while (i < terms_.size() && terms_[i].var == merged.var)
            merged.coefficient += terms_[i++].coefficient;
        if (!merged.coefficient.is_zero()) terms_[out++] = merged;
    }
    terms_.resize(out);
}

}  // namespace cuzk::filecoin
