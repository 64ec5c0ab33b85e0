// A proving key as the device uses it.
#pragma once

#include <optional>
#include <string>

#include "gpu/matrices.hpp"
#include "gpu/memory_plan.hpp"
#include "gpu/msm.hpp"
#include "gpu/query_points.hpp"
#include "gpu/quotient.hpp"
#include "gpu/selection.hpp"
#include "gpu/shared_sum.cuh"
#include "groth16/key_checks.hpp"

namespace cuzk::gpu {

// Up to this size no sum of a proof fills the device: they run side by side.
inline constexpr unsigned kSmallLogDomain = 17;

template <class C>
struct DeviceKey {
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    using G2 = typename C::G2;

    // Takes device memory as the plan says. Where all points stay there they come from `other`, the same key resident on another device,
    // if it is given. Waits for its copies.
    DeviceKey(std::shared_ptr<const ProvingKey<C>> host_key, const MemoryPlan& memory_plan, int device,
              bool pin, Uploader& uploader, const Stream& stream, const DeviceKey* other = nullptr)
        : key(std::move(host_key)),
          plan(memory_plan),
          arena(device, plan.key),
          quotient(arena, key->family, key->log_domain, stream) {
        const auto query = [&]<class G>(QueryPoints<G> DeviceKey::*points, AffineView<G> host, Query which) {
            if (other == nullptr)
                this->*points = QueryPoints<G>(host, plan.kept[which], pin, arena, uploader, stream);
            else
                this->*points = QueryPoints<G>(other->*points, other->arena.device(), arena, stream);
        };
        if (other != nullptr) allow_copies_from(other->arena.device());
        query(&DeviceKey::h, key->h, Query::kH);
        query(&DeviceKey::l, key->l, Query::kL);
        query(&DeviceKey::a, key->a, Query::kA);
        query(&DeviceKey::b_g1, key->b_g1, Query::kBG1);
        query(&DeviceKey::b_g2, key->b_g2, Query::kBG2);
        l_layout.first_variable = static_cast<u32>(key->vk.ic.size());
        if (key->family == KeyFamily::kSnarkjs) {
            matrices.emplace(arena, *key->a_matrix, *key->b_matrix, uploader, stream);
            place_snarkjs_layouts(uploader, stream);
        } else if (key->circuit) {
            const InstancedCircuit<Fr>& circuit = *key->circuit;
            matrices.emplace(arena, circuit.r1cs, uploader, stream);
            witness.emplace(arena, circuit.r1cs, uploader, stream);
            const std::size_t inputs = circuit.r1cs.inputs;
            a_layout = place_density(arena, nullptr, inputs, circuit.density.a_aux, uploader, stream);
            b_layout = place_density(arena, &circuit.density.b_inputs, inputs, circuit.density.b_aux,
                                     uploader, stream);
        }
        stream.synchronize();
    }

    // The layout of a kBellman query from the densities of inputs (null: all are there) and of private variables.
    static QueryLayout place_density(Arena& to, const DensityBits* inputs, std::size_t input_count,
                                     const DensityBits& aux, Uploader& uploader, const Stream& stream) {
        DensityBits all(input_count + aux.size());
        for (std::size_t i = 0; i < input_count; ++i)
            if (inputs == nullptr || (*inputs)[i]) all.set(i);
        for (std::size_t i = 0; i < aux.size(); ++i)
            if (aux[i]) all.set(input_count + i);
        return place_layout(to, all.bytes(), all.size(), true, uploader, stream);
    }

    // What its proofs need, for plan_memory.
    static ProofSizes sizes(const ProvingKey<C>& key) {
        PerQuery points;
        points[Query::kL] = key.l.size();
        points[Query::kA] = key.a.size();
        points[Query::kBG1] = key.b_g1.size();
        points[Query::kBG2] = key.b_g2.size();
        points[Query::kH] = key.h.size();
        return sizes(key, points);
    }
    // The same for a key of the kBellman family that nobody has made yet.
    static ProofSizes sizes(const std::shared_ptr<const InstancedCircuit<Fr>>& circuit) {
        ProvingKey<C> key;
        key.family = KeyFamily::kBellman;
        key.variables = circuit->variables();
        key.circuit = circuit;
        while (key.domain() < circuit->rows()) ++key.log_domain;
        PerQuery points;
        points[Query::kL] = circuit->r1cs.aux;
        points[Query::kA] = circuit->r1cs.inputs + circuit->density.a_aux.count();
        points[Query::kBG1] = points[Query::kBG2] =
            circuit->density.b_inputs.count() + circuit->density.b_aux.count();
        points[Query::kH] = key.domain() - 1;
        return sizes(key, points);
    }

    std::shared_ptr<const ProvingKey<C>> key;
    MemoryPlan plan;
    Arena arena;
    DeviceQuotient<Fr> quotient;
    QueryPoints<G1> h, l, a, b_g1;
    QueryPoints<G2> b_g2;
    QueryLayout l_layout, a_layout, b_layout;  // of a and b: not for keys that prove ready assignments only
    std::optional<DeviceMatrices<Fr>> matrices;
    std::optional<WitnessLayout<Fr>> witness;
    // If other devices help with the sum over h. One sum at a time.
    mutable std::optional<SharedSum<G1>> shared_h;

private:
    static ProofSizes sizes(const ProvingKey<C>& key, const PerQuery& points) {
        ProofSizes s;
        s.domain = key.domain();
        s.family = key.family;
        s.points = points;
        s.g1_bytes = sizeof(Affine<G1>);
        s.g2_bytes = sizeof(Affine<G2>);
        s.tables = DeviceQuotient<Fr>::table_bytes(key.log_domain);
        std::size_t bits = 0;  // variables that are known to be bits
        if (key.family == KeyFamily::kSnarkjs) {
            s.tables += DeviceMatrices<Fr>::bytes(*key.a_matrix, *key.b_matrix) +
                        2 * layout_bytes(key.variables, false);
            s.witness = placed_values_bytes(key.variables, key.variables);
        } else if (key.circuit) {
            bits = key.circuit->r1cs.bit_count();
            s.tables += DeviceMatrices<Fr>::bytes(key.circuit->r1cs) +
                        WitnessLayout<Fr>::bytes(key.circuit->r1cs) + 2 * layout_bytes(key.variables, true);
            // Of a compact witness, or of the values of a ready assignment.
            s.witness = std::max(WitnessLayout<Fr>::witness_bytes(key.circuit->r1cs),
                                 placed_values_bytes(key.variables, key.variables - bits) +
                                     2 * layout_bytes(key.variables, true));
        } else {
            s.witness =
                placed_values_bytes(key.variables, key.variables) + 2 * layout_bytes(key.variables, true);
        }
        s.most_scalars = key.variables - bits;
        s.small = key.log_domain <= kSmallLogDomain;
        s.witness += (s.small ? 3 : 1) * selection_bytes(key.variables, bits);
        return s;
    }

    // Points at infinity add nothing: their variables are left out.
    void place_snarkjs_layouts(Uploader& uploader, const Stream& stream) {
        DensityBits in_a(key->variables), in_b(key->variables);
        for (std::size_t i = 0; i < key->variables; ++i) {
            if (!key->a[i].is_infinity()) in_a.set(i);
            if (!key->b_g1[i].is_infinity() || !key->b_g2[i].is_infinity()) in_b.set(i);
        }
        a_layout = place_layout(arena, in_a.bytes(), in_a.size(), false, uploader, stream);
        b_layout = place_layout(arena, in_b.bytes(), in_b.size(), false, uploader, stream);
    }
};

}  // namespace cuzk::gpu
