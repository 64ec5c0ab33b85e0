// A key sink that keeps the key in memory: for embedding, tests and benchmarks.
#pragma once

#include <memory>
#include <vector>

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
        if (query == Query::kBG2)
            points_->b_g2.reserve(points);
        else
            g1_points().reserve(points);
    }
    void add(std::span<const Affine<G1>> points) override {
        g1_points().insert(g1_points().end(), points.begin(), points.end());
    }
    void add(std::span<const Affine<G2>> points) override {
        points_->b_g2.insert(points_->b_g2.end(), points.begin(), points.end());
    }
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
        std::vector<Affine<G1>> a, b_g1, l, h;
        std::vector<Affine<G2>> b_g2;
    };

    std::vector<Affine<G1>>& g1_points() {
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
};

}  // namespace cuzk
