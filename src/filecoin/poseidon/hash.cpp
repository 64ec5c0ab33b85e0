#include "filecoin/poseidon/hash.hpp"

namespace cuzk::filecoin {

namespace {

Fr pow5(const Fr& x) {
    return x.square().square() * x;
}

void apply_dense(const Matrix& m, std::span<Fr> state, std::span<Fr> scratch) {
    for (std::size_t j = 0; j < state.size(); ++j) {
        Fr sum = state[0] * m.at(0, j);
        for (std::size_t i = 1; i < state.size(); ++i) sum += state[i] * m.at(i, j);
        scratch[j] = sum;
    }
    std::copy(scratch.begin(), scratch.end(), state.begin());
}

void apply_sparse(const SparseRound& m, std::span<Fr> state) {
    Fr first = state[0] * m.w[0];
    for (std::size_t i = 1; i < state.size(); ++i) {
        first += state[i] * m.w[i];
        state[i] += m.v[i - 1] * state[0];
    }
    state[0] = first;
}

std::vector<Fr> initial_state(std::span<const Fr> inputs, PoseidonDomain domain) {
    std::vector<Fr> state;
    state.reserve(inputs.size() + 1);
    state.push_back(poseidon_tag(domain, inputs.size()));
    state.insert(state.end(), inputs.begin(), inputs.end());
    return state;
}

}  // namespace

Fr poseidon_tag(PoseidonDomain domain, std::size_t arity) {
    return domain == PoseidonDomain::kMerkle ? Fr::from_u64((u64{1} << arity) - 1)
                                             : Fr::from_u64(u64{1} << 40);
}

Fr poseidon(std::span<const Fr> inputs, PoseidonDomain domain) {
    const PoseidonConstants& c = poseidon_constants(inputs.size());
    const std::size_t t = c.width;
    const std::size_t half = c.full_rounds / 2;
    std::vector<Fr> state = initial_state(inputs, domain);
    std::vector<Fr> scratch(t);
    const Fr* key = c.compressed.data();

    for (std::size_t j = 0; j < t; ++j) state[j] += *key++;
    for (std::size_t q = 0; q < half; ++q) {
        for (std::size_t j = 0; j < t; ++j) state[j] = pow5(state[j]) + *key++;
        apply_dense(q + 1 < half ? c.mds : c.pre_sparse, state, scratch);
    }
    for (std::size_t q = 0; q < c.partial_rounds; ++q) {
        state[0] = pow5(state[0]) + *key++;
        apply_sparse(c.sparse[q], state);
    }
    for (std::size_t q = 0; q < half; ++q) {
        for (std::size_t j = 0; j < t; ++j) {
            state[j] = pow5(state[j]);
            if (q + 1 < half) state[j] += *key++;
        }
        apply_dense(c.mds, state, scratch);
    }
    return state[1];
}

Fr poseidon_plain(std::span<const Fr> inputs, PoseidonDomain domain) {
    const PoseidonConstants& c = poseidon_constants(inputs.size());
    const std::size_t half = c.full_rounds / 2;
    std::vector<Fr> state = initial_state(inputs, domain);
    for (std::size_t q = 0; q < c.full_rounds + c.partial_rounds; ++q) {
        for (std::size_t j = 0; j < c.width; ++j) state[j] += c.round_keys[q * c.width + j];
        const bool full = q < half || q >= half + c.partial_rounds;
        for (std::size_t j = 0; j < (full ? c.width : 1); ++j) state[j] = pow5(state[j]);
        state = c.mds.apply(state);
    }
    return state[1];
}

}  // namespace cuzk::filecoin
