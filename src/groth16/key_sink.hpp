// Where a setup writes a key, piece by piece, so that no key has to fit into memory twice.
#pragma once

#include <span>
#include <string>

#include "groth16/types.hpp"

namespace cuzk {

enum class Query { kA, kBG1, kBG2, kL, kH };

constexpr const char* query_name(Query query) {
    switch (query) {
        case Query::kA: return "A";
        case Query::kBG1: return "B in G1";
        case Query::kBG2: return "B in G2";
        case Query::kL: return "L";
        case Query::kH: return "H";
    }
    return "?";
}

// Everything about a key that is not a query. The pointers are null for kBellman.
template <class C>
struct KeyHeader {
    KeyFamily family = KeyFamily::kSnarkjs;
    std::size_t variables = 0;
    unsigned log_domain = 0;
    VerifyingKey<C> vk;
    const SparseMatrix<typename C::Fr>* a_matrix = nullptr;  // appended public rows included
    const SparseMatrix<typename C::Fr>* b_matrix = nullptr;
    std::string contribution;  // a notice that the key's maker wants to be read (kSnarkjs files can hold it)
};

// Calls come in this order: begin; then for each query, in the order of the family's files (kSnarkjs: A, BG1,
// BG2, L, H; kBellman: H, L, A, BG1, BG2), begin_query and its points in chunks; then end. All from one
// thread. Each throws Error(kEnvironment) if the output can not take it; then no further call comes.
template <class C>
class KeySink {
public:
    virtual ~KeySink() = default;
    virtual void begin(const KeyHeader<C>& header) = 0;
    virtual void begin_query(Query query, std::size_t points) = 0;
    virtual void add(std::span<const Affine<typename C::G1>> points) = 0;
    virtual void add(std::span<const Affine<typename C::G2>> points) = 0;
    virtual void end() = 0;
};

}  // namespace cuzk
