// The compact form of a constraint system in which blocks repeat (SHA-256 compressions, Poseidon hashes, insertions,
// unpackings): they are stored once as templates, and each use is an instance: where its rows and auxiliary
// variables start and which variables its parameters are. Everything else is plain sparse rows ("glue").
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "r1cs/coefficient_table.hpp"
#include "r1cs/var.hpp"

namespace cuzk {

// Rows of one matrix; entries of a row by variable, inputs first, each variable once.
struct SparseRows {
    struct Entry {
        Var var;
        u32 coefficient;  // index into the table
    };
    std::vector<u32> ends;  // ends[i] = one past row i's last entry
    std::vector<Entry> entries;

    std::size_t rows() const { return ends.size(); }
    std::span<const Entry> row(std::size_t i) const {
        const u32 first = i == 0 ? 0 : ends[i - 1];
        return std::span<const Entry>(entries).subspan(first, ends[i] - first);
    }
    std::size_t bytes() const { return ends.size() * sizeof(u32) + entries.size() * sizeof(Entry); }
};

enum MatrixId : u8 { kA, kB, kC };

struct BlockTemplate {
    std::string key;
    u32 params = 0;
    u32 locals = 0;
    std::array<SparseRows, 3> matrices;  // variables are Var::one(), Var::param(i) or Var::aux(local)
    std::vector<bool> local_is_bit;
    std::size_t rows() const { return matrices[kA].rows(); }
};

// A run of consecutive rows: one instance of a template, or `rows` glue rows.
struct Segment {
    static constexpr u32 kGlue = 0xffffffff;
    u32 block;  // index of the template, or kGlue
    u32 rows;
    u64 first_row;
    u32 first_aux;    // instances: global index of local 0
    u32 first_glue;   // glue: index of the first row in the glue matrices
    u64 first_param;  // instances: where its parameters start in `params`
};

// Immutable once made, so safe to share between threads.
template <class Fr>
class InstancedR1cs {
public:
    u32 inputs = 1;  // public inputs with the constant one
    u32 aux = 0;
    u64 constraints = 0;  // without the appended input rows

    CoefficientTable<Fr> coefficients;
    std::vector<BlockTemplate> blocks;
    std::vector<Segment> segments;  // in row order
    std::vector<u32> params;        // raw Vars
    std::array<SparseRows, 3> glue;
    std::vector<u64> aux_is_bit;  // bitmap, low bit first

    bool is_bit(u32 aux_index) const { return ((aux_is_bit[aux_index / 64] >> (aux_index % 64)) & 1) != 0; }
    u64 bit_count() const;
    std::size_t bytes() const;  // memory of all the above

    // Calls visit(row, a, b, c) for each constraint in order; the spans hold global variables sorted inputs first.
    template <class Visit>
    void for_each_row(const Visit& visit) const;

    // The variable that `v` of a template is in an instance.
    Var resolve(const Segment& s, Var v) const {
        if (v.is_input()) return v;
        if (v.is_param()) return Var::from_raw(params[s.first_param + v.index()]);
        return Var::aux(s.first_aux + v.index());
    }

private:
    void resolve_row(const Segment& s, std::span<const SparseRows::Entry> row,
                     std::vector<SparseRows::Entry>& out) const;
};

template <class Fr>
template <class Visit>
void InstancedR1cs<Fr>::for_each_row(const Visit& visit) const {
    std::array<std::vector<SparseRows::Entry>, 3> rows;
    for (const Segment& s : segments)
        for (u32 i = 0; i < s.rows; ++i) {
            if (s.block == Segment::kGlue) {
                visit(s.first_row + i, glue[kA].row(s.first_glue + i), glue[kB].row(s.first_glue + i),
                      glue[kC].row(s.first_glue + i));
                continue;
            }
            const BlockTemplate& block = blocks[s.block];
            for (const MatrixId m : {kA, kB, kC}) resolve_row(s, block.matrices[m].row(i), rows[m]);
            visit(s.first_row + i, std::span<const SparseRows::Entry>(rows[kA]),
                  std::span<const SparseRows::Entry>(rows[kB]), std::span<const SparseRows::Entry>(rows[kC]));
        }
}

extern template class InstancedR1cs<Bls12_381Fr>;
extern template class InstancedR1cs<Bn254Fr>;

}  // namespace cuzk
