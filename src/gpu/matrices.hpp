// The matrices of a circuit in device memory, and their products with a witness.
#pragma once

#include "gpu/witness.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk::gpu {

// A, B and, for instanced systems, C. Plain sparse matrices are instanced ones with a single instance, so there is one form:
// rows of templates, and for each instance where its rows, its variables and its parameters are. Lies in an arena; immutable.
template <class Fr>
class DeviceMatrices {
public:
    // The rows that provers append for the inputs are made without being stored.
    DeviceMatrices(Arena& arena, const InstancedR1cs<Fr>& r1cs, Uploader& uploader, const Stream& stream);
    // A and B of a key of the kSnarkjs family, appended rows included. There is no C then.
    DeviceMatrices(Arena& arena, const SparseMatrix<Fr>& a, const SparseMatrix<Fr>& b, Uploader& uploader,
                   const Stream& stream);
    static std::size_t bytes(const InstancedR1cs<Fr>& r1cs);
    static std::size_t bytes(const SparseMatrix<Fr>& a, const SparseMatrix<Fr>& b);

    // out[i] = row i of the matrix times the witness; zero past the last row. Queued.
    void multiply(MatrixId matrix, const DeviceWitness<Fr>& witness, DeviceSpan<Fr> out,
                  const Stream& stream) const;

    // Rows that start at first_row. Their entries are rows [first_stored, ...) of the stored ones.
    struct Instance {
        u32 first_row;
        u32 first_stored;
        u32 first_variable;   // variable of the template's first local
        u32 first_parameter;  // in the list of parameters
    };
    struct Entry {
        u32 variable;  // raw Var, of a template
        u32 coefficient;
    };
    struct Stored {
        DeviceSpan<u32> starts;  // stored rows + 1
        DeviceSpan<Entry> entries;
        DeviceSpan<u32> long_rows;  // rows of the system that a block does, not a thread
    };

private:
    struct HostForm;
    void place(Arena& arena, const HostForm& host, Uploader& uploader, const Stream& stream);
    static std::size_t bytes_of(const HostForm& host);

    u32 rows_ = 0;           // stored and instanced ones
    u32 appended_rows_ = 0;  // of inputs, made on the fly
    Stored matrices_[3];
    DeviceSpan<Instance> instances_;
    DeviceSpan<u32> first_instance_;  // of each run of kRowsPerBlock rows, and one at the end
    DeviceSpan<u32> parameters_;      // variables
    DeviceSpan<Fr> coefficients_;
};

extern template class DeviceMatrices<Bls12_381Fr>;
extern template class DeviceMatrices<Bn254Fr>;

}  // namespace cuzk::gpu
