#pragma once

#include <cstddef>

namespace thrust {

template <class F, class Iterator>
struct transform_iterator {
    Iterator from;
    F function;
    auto operator[](std::size_t i) const { return function(from[i]); }
};
template <class F, class Iterator>
transform_iterator<F, Iterator> make_transform_iterator(Iterator from, F function) {
    return {from, function};
}

}  // namespace thrust
