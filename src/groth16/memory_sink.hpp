// A key sink that keeps the key in memory: for embedding, tests and benchmarks.
#pragma once

#include <algorithm>
#include <memory>

#include "base/large_vector.hpp"
#include "base/parallel.hpp"
#include "groth16/key_sink.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk {

template <class C>
class MemoryKeySink final : public KeySink<C> {
public:
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    using Matrix = SparseMatrix<typename C::Fr>;

    void begin(const KeyHeader<C>& header) override {
        key_ = {};
        points_ = std::make_shared<Points>();
        key_.family = header.family;
        key_.vk = header.vk;
        key_.variables = header.variables;
        key_.log_domain = header.log_domain;
        if (header.a_matrix != nullptr) key_.a_matrix = std::make_shared<const Matrix>(*header.a_matrix);
        if (header.b_matrix != nullptr) key_.b_matrix = std::make_shared<const Matrix>(*header.b_matrix);
    }
    void begin_query(Query query, std::size_t points) override {
        query_ = query;
        added_ = 0;
        if (query == Query::kBG2)
            points_->b_g2.resize(points);
        else
            g1_points().resize(points);
    }
    void add(std::span<const Affine<G1>> points) override { append(g1_points(), points); }
    void add(std::span<const Affine<G2>> points) override { append(points_->b_g2, points); }
    void end() override {
        const auto view = [](const auto& points) {
            return AffineView(std::span(points.data(), points.size()));
        };
        key_.a = view(points_->a);
        key_.b_g1 = view(points_->b_g1);
        key_.b_g2 = view(points_->b_g2);
        key_.l = view(points_->l);
        key_.h = view(points_->h);
        key_.storage = points_;
    }

    // The key, once end() was called.
    std::shared_ptr<const ProvingKey<C>> key() const { return std::make_shared<const ProvingKey<C>>(key_); }

private:
    struct Points {
        LargeVector<Affine<G1>> a, b_g1, l, h;
        LargeVector<Affine<G2>> b_g2;
    };

    // By all threads, which fault the memory in as they write it.
    template <class G>
    void append(LargeVector<Affine<G>>& to, std::span<const Affine<G>> points) {
        parallel_ranges(0, points.size(), std::size_t{1} << 12, [&](std::size_t first, std::size_t last) {
            std::copy(points.begin() + static_cast<std::ptrdiff_t>(first),
                      points.begin() + static_cast<std::ptrdiff_t>(last), to.data() + added_ + first);
        });
        added_ += points.size();
    }

    LargeVector<Affine<G1>>& g1_points() {
        switch (query_) {
            case Query::kA: return points_->a;
            case Query::kBG1: return points_->b_g1;
            case Query::kL: return points_->l;
            default: return points_->h;
        }
    }

    ProvingKey<C> key_;
    std::shared_ptr<Points> points_;
    Query query_ = Query::kA;
    std::size_t added_ = 0;  // points of this query
};

}  // namespace cuzk
