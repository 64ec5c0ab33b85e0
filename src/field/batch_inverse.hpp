// Montgomery's trick: n inversions for one inversion and 3 (n - 1) products.
#pragma once

#include <span>
#include <vector>

namespace cuzk {

// Replaces each element by its inverse; zeros stay zero. Allocates one element per input.
template <class F>
void batch_inverse(std::span<F> values) {
    std::vector<F> prefix(values.size());
    F product = F::one();
    for (std::size_t i = 0; i < values.size(); ++i) {
        prefix[i] = product;
        if (!values[i].is_zero()) product *= values[i];
    }
    F inverse = product.inverse();
    for (std::size_t i = values.size(); i-- > 0;) {
        if (values[i].is_zero()) continue;
        const F next = inverse * values[i];
        values[i] = inverse * prefix[i];
        inverse = next;
    }
}

}  // namespace cuzk
