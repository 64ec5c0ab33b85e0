#include "gpu/matrices.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/matrices_kernels.cuh"

namespace cuzk::gpu {

// What goes up, in host memory.
template <class Fr>
struct DeviceMatrices<Fr>::HostForm {
    struct Matrix {
        std::vector<u32> starts = {0};
        std::vector<Entry> entries;
        std::vector<u32> long_rows;

        std::size_t row_length(std::size_t stored) const { return starts[stored + 1] - starts[stored]; }
        void end_row() {
            if (entries.size() > 0xffffffffu)
                throw Error(ErrorKind::kUnsupported, "a matrix of more than 2^32 entries on the device");
            starts.push_back(static_cast<u32>(entries.size()));
        }
    };

    Matrix matrices[3];
    std::vector<Instance> instances;
    std::vector<u32> first_instance;
    std::vector<u32> parameters;
    std::span<const Fr> coefficients;
    u32 rows = 0;
    u32 appended = 0;

    // After the matrices and the instances are there.
    void finish() {
        for (u32 row = 0, i = 0; row < rows; row += kRowsPerBlock) {
            while (i + 1 < instances.size() && instances[i + 1].first_row <= row) ++i;
            first_instance.push_back(i);
        }
        first_instance.push_back(instances.empty() ? 0 : static_cast<u32>(instances.size() - 1));
        for (Matrix& m : matrices) {
            if (m.starts.size() == 1) continue;
            // Most templates have no long row; those that have are few.
            std::vector<u32> long_stored;
            for (std::size_t i = 0; i + 1 < m.starts.size(); ++i)
                if (m.row_length(i) > kLongRow) long_stored.push_back(static_cast<u32>(i));
            for (std::size_t k = 0; k < instances.size(); ++k) {
                const u32 end_row = k + 1 < instances.size() ? instances[k + 1].first_row : rows;
                const u32 first = instances[k].first_stored;
                const u32 last = first + (end_row - instances[k].first_row);
                for (auto it = std::lower_bound(long_stored.begin(), long_stored.end(), first);
                     it != long_stored.end() && *it < last; ++it)
                    m.long_rows.push_back(instances[k].first_row + (*it - first));
            }
        }
    }

    static HostForm of(const InstancedR1cs<Fr>& r1cs) {
        if (r1cs.constraints + r1cs.inputs > 0xffffffffu || r1cs.params.size() > 0xffffffffu)
            throw Error(ErrorKind::kUnsupported, "a constraint system of more than 2^32 rows on the device");
        HostForm host;
        host.rows = static_cast<u32>(r1cs.constraints);
        host.appended = r1cs.inputs;
        host.coefficients = r1cs.coefficients.values();
        std::vector<u32> block_rows;
        const auto push = [&](const std::array<SparseRows, 3>& rows) {
            for (int m = 0; m < 3; ++m)
                for (std::size_t i = 0; i < rows[m].rows(); ++i) {
                    for (const auto& e : rows[m].row(i))
                        host.matrices[m].entries.push_back({e.var.raw(), e.coefficient});
                    host.matrices[m].end_row();
                }
        };
        for (const BlockTemplate& block : r1cs.blocks) {
            block_rows.push_back(static_cast<u32>(host.matrices[0].starts.size() - 1));
            push(block.matrices);
        }
        const auto glue_rows = static_cast<u32>(host.matrices[0].starts.size() - 1);
        push(r1cs.glue);
        host.instances.reserve(r1cs.segments.size());
        for (const Segment& s : r1cs.segments) {
            const bool glue = s.block == Segment::kGlue;
            host.instances.push_back(
                {static_cast<u32>(s.first_row), glue ? glue_rows + s.first_glue : block_rows[s.block],
                 r1cs.inputs + (glue ? 0 : s.first_aux), glue ? 0 : static_cast<u32>(s.first_param)});
        }
        host.parameters.reserve(r1cs.params.size());
        for (const u32 raw : r1cs.params) {
            const Var v = Var::from_raw(raw);
            host.parameters.push_back(v.is_input() ? v.index() : r1cs.inputs + v.index());
        }
        host.finish();
        return host;
    }

    static HostForm of(const SparseMatrix<Fr>& a, const SparseMatrix<Fr>& b, std::vector<Fr>& coefficients) {
        HostForm host;
        host.rows = static_cast<u32>(std::max(a.rows(), b.rows()));
        coefficients.assign(a.coefficients().begin(), a.coefficients().end());
        // B's coefficients follow A's; one and minus one stay at their places.
        const auto shift = static_cast<u32>(coefficients.size());
        coefficients.insert(coefficients.end(), b.coefficients().begin(), b.coefficients().end());
        const auto push = [&](const SparseMatrix<Fr>& matrix, MatrixId to, u32 offset) {
            for (std::size_t row = 0; row < host.rows; ++row) {
                if (row < matrix.rows())
                    matrix.for_each_entry(row, [&](u32 column, u32 k) {
                        const bool unit =
                            k == CoefficientTable<Fr>::kOne || k == CoefficientTable<Fr>::kMinusOne;
                        host.matrices[to].entries.push_back({column, unit ? k : k + offset});
                    });
                host.matrices[to].end_row();
            }
        };
        push(a, kA, 0);
        push(b, kB, shift);
        host.instances.push_back({0, 0, 0, 0});
        host.coefficients = coefficients;
        host.finish();
        return host;
    }
};

template <class Fr>
std::size_t DeviceMatrices<Fr>::bytes_of(const HostForm& host) {
    const auto size = [](const auto& vector) {
        return Arena::rounded(vector.size() *
                              sizeof(typename std::remove_cvref_t<decltype(vector)>::value_type));
    };
    std::size_t n = size(host.instances) + size(host.first_instance) + size(host.parameters) +
                    Arena::rounded(host.coefficients.size_bytes());
    for (const auto& m : host.matrices) n += size(m.starts) + size(m.entries) + size(m.long_rows);
    return n;
}

template <class Fr>
std::size_t DeviceMatrices<Fr>::bytes(const InstancedR1cs<Fr>& r1cs) {
    return bytes_of(HostForm::of(r1cs));
}

template <class Fr>
std::size_t DeviceMatrices<Fr>::bytes(const SparseMatrix<Fr>& a, const SparseMatrix<Fr>& b) {
    std::vector<Fr> coefficients;
    return bytes_of(HostForm::of(a, b, coefficients));
}

template <class Fr>
void DeviceMatrices<Fr>::place(Arena& arena, const HostForm& host, Uploader& uploader, const Stream& stream) {
    rows_ = host.rows;
    appended_rows_ = host.appended;
    const auto put = [&]<class T>(const T* values, std::size_t count) {
        const auto device = arena.take<T>(count, "a circuit's matrices");
        uploader.copy(device.data, values, count * sizeof(T), stream);
        return device;
    };
    for (int m = 0; m < 3; ++m) {
        const auto& from = host.matrices[m];
        matrices_[m] = {put(from.starts.data(), from.starts.size()),
                        put(from.entries.data(), from.entries.size()),
                        put(from.long_rows.data(), from.long_rows.size())};
    }
    instances_ = put(host.instances.data(), host.instances.size());
    first_instance_ = put(host.first_instance.data(), host.first_instance.size());
    parameters_ = put(host.parameters.data(), host.parameters.size());
    coefficients_ = put(host.coefficients.data(), host.coefficients.size());
}

template <class Fr>
DeviceMatrices<Fr>::DeviceMatrices(Arena& arena, const InstancedR1cs<Fr>& r1cs, Uploader& uploader,
                                   const Stream& stream) {
    place(arena, HostForm::of(r1cs), uploader, stream);
}

template <class Fr>
DeviceMatrices<Fr>::DeviceMatrices(Arena& arena, const SparseMatrix<Fr>& a, const SparseMatrix<Fr>& b,
                                   Uploader& uploader, const Stream& stream) {
    std::vector<Fr> coefficients;
    place(arena, HostForm::of(a, b, coefficients), uploader, stream);
}

template <class Fr>
void DeviceMatrices<Fr>::multiply(MatrixId matrix, const DeviceWitness<Fr>& witness, DeviceSpan<Fr> out,
                                  const Stream& stream) const {
    const Stored& stored = matrices_[matrix];
    if (stored.starts.size == 1 && rows_ != 0)
        throw Error(ErrorKind::kInternal, "the device holds no such matrix");
    if (out.size < std::size_t{rows_} + appended_rows_)
        throw Error(ErrorKind::kInternal, "a product of " + std::to_string(rows_ + appended_rows_) +
                                              " rows in memory for " + std::to_string(out.size));
    const MatrixView<Fr> m{stored.starts.data,   stored.entries.data, instances_.data,
                           first_instance_.data, parameters_.data,    coefficients_.data};
    const WitnessView<Fr> w{witness.is_wide.data, witness.wide_before.data, witness.bits.data,
                            witness.wide.data};
    const auto blocks = static_cast<u32>((out.size + kRowsPerBlock - 1) / kRowsPerBlock);
    multiply_rows<<<blocks, kRowsPerBlock, 0, stream.get()>>>(m, w, rows_, appended_rows_, matrix == kA,
                                                              static_cast<u32>(out.size), out.data);
    check_launch("multiply_rows");
    if (stored.long_rows.size == 0) return;
    multiply_long_rows<<<static_cast<u32>(stored.long_rows.size), kRowsPerBlock, 0, stream.get()>>>(
        m, w, stored.long_rows.data, out.data);
    check_launch("multiply_long_rows");
}

template class DeviceMatrices<Bls12_381Fr>;
template class DeviceMatrices<Bn254Fr>;

}  // namespace cuzk::gpu
