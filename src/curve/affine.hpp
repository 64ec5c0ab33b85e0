// Affine points of y^2 = x^3 + b.
#pragma once

#include <cstring>
#include <span>

#include "curve/curves.hpp"

namespace cuzk {

// Infinity is (0, 0), which is on neither curve since b != 0; snarkjs' files use the same convention, so their
// point sections are arrays of this type. Nothing here checks that a point is on the curve or in the subgroup.
template <class G>
struct Affine {
    using Group = G;
    using Field = typename G::Field;

    Field x, y;

    CUZK_HD static constexpr Affine infinity() { return {}; }
    static constexpr Affine generator() {
        constexpr Affine g{G::generator_x(), G::generator_y()};
        return g;
    }
    CUZK_HD constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    CUZK_HD constexpr Affine operator-() const { return {x, -y}; }
    CUZK_HD friend constexpr bool operator==(const Affine& a, const Affine& b) {
        return a.x == b.x && a.y == b.y;
    }
    // Infinity counts as on the curve.
    CUZK_HD constexpr bool is_on_curve() const {
        return is_infinity() || y.square() == x.square() * x + G::b();
    }
};

// Read-only array of affine points in memory of any alignment (a mapped file section, a vector). Does not own.
template <class G>
class AffineView {
public:
    constexpr AffineView() = default;
    // Bytes hold x, y as little-endian Montgomery limbs, infinity as zeros; bytes.size() is a multiple of the point size.
    explicit AffineView(std::span<const u8> bytes)
        : data_(bytes.data()), size_(bytes.size() / sizeof(Affine<G>)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): an array of points is such a view
    AffineView(std::span<const Affine<G>> points)
        : data_(reinterpret_cast<const u8*>(points.data())), size_(points.size()) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const u8* data() const { return data_; }
    Affine<G> operator[](std::size_t i) const {
        Affine<G> p;
        std::memcpy(static_cast<void*>(&p), data_ + i * sizeof(Affine<G>), sizeof(Affine<G>));
        return p;
    }
    AffineView subview(std::size_t first, std::size_t count) const {
        return AffineView(std::span<const u8>(data_ + first * sizeof(Affine<G>), count * sizeof(Affine<G>)));
    }

private:
    const u8* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace cuzk
