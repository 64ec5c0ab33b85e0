// Products of instanced matrices with a witness.
#pragma once

#include "gpu/matrices.hpp"
#include "gpu/witness.cuh"

namespace cuzk::gpu {

inline constexpr u32 kRowsPerBlock = 128;
inline constexpr u32 kLongRow = 96;  // a row of more entries is a block's work

// One matrix, as the kernels see it.
template <class Fr>
struct MatrixView {
    const u32* starts;
    const typename DeviceMatrices<Fr>::Entry* entries;
    const typename DeviceMatrices<Fr>::Instance* instances;
    const u32* first_instance;
    const u32* parameters;
    const Fr* coefficients;
};

// A sum of coefficient times value. Nearly all values are bits and nearly all coefficients 1 or -1, so those are counted.
template <class Fr>
struct RowSum {
    Fr sum = Fr::zero();
    int count = 0;

    __device__ __forceinline__ void add(const MatrixView<Fr>& m, const WitnessView<Fr>& w, u32 variable,
                                        u32 k) {
        const auto place = w.place(variable);
        if (!w.wide_at(place)) {
            if (!w.bit_at(place)) return;
            if (k == CoefficientTable<Fr>::kOne)
                ++count;
            else if (k == CoefficientTable<Fr>::kMinusOne)
                --count;
            else
                sum += load_constant(m.coefficients + k);
            return;
        }
        const Fr x = load_constant(w.wide + w.wide_index(place));
        if (k == CoefficientTable<Fr>::kOne)
            sum += x;
        else if (k == CoefficientTable<Fr>::kMinusOne)
            sum -= x;
        else
            sum += x * load_constant(m.coefficients + k);
    }
    __device__ __forceinline__ Fr total() const {
        if (count == 0) return sum;
        const Fr magnitude = count == 1 || count == -1
                                 ? Fr::one()
                                 : Fr::from_u64(static_cast<u64>(count < 0 ? -count : count));
        return count < 0 ? sum - magnitude : sum + magnitude;
    }
};

// The variable that an entry of an instance means.
template <class Fr>
__device__ __forceinline__ u32 variable_of(const MatrixView<Fr>& m,
                                           const typename DeviceMatrices<Fr>::Instance& instance, u32 raw) {
    if ((raw & Var::kInputFlag) != 0) return raw & Var::kIndexMask;
    if ((raw & Var::kParamFlag) != 0) return m.parameters[instance.first_parameter + (raw & Var::kIndexMask)];
    return instance.first_variable + raw;
}

// The instance of a row.
template <class Fr>
__device__ __forceinline__ typename DeviceMatrices<Fr>::Instance instance_of(const MatrixView<Fr>& m,
                                                                             u32 row) {
    u32 low = m.first_instance[row / kRowsPerBlock];
    u32 high = m.first_instance[row / kRowsPerBlock + 1];  // the answer is in [low, high]
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (m.instances[middle].first_row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return m.instances[low];
}

// Row i for each i below rows; then, where `append` says so, the first `appended` variables; then zeros up to size.
template <class Fr>
__global__ void __launch_bounds__(kRowsPerBlock) multiply_rows(MatrixView<Fr> m, WitnessView<Fr> w, u32 rows,
                                                               u32 appended, bool append, u32 size, Fr* out) {
    const u32 row = blockIdx.x * kRowsPerBlock + threadIdx.x;
    if (row >= size) return;
    if (row >= rows) {
        store(out + row, append && row - rows < appended ? w.value(row - rows) : Fr::zero());
        return;
    }
    const auto instance = instance_of(m, row);
    const u32 stored = instance.first_stored + (row - instance.first_row);
    const u32 begin = m.starts[stored];
    const u32 end = m.starts[stored + 1];
    if (end - begin > kLongRow) return;
    RowSum<Fr> sum;
#pragma unroll 1
    for (u32 i = begin; i < end; ++i) {
        const uint2 entry = __ldg(reinterpret_cast<const uint2*>(m.entries) + i);
        sum.add(m, w, variable_of(m, instance, entry.x), entry.y);
    }
    store(out + row, sum.total());
}

// One block a row of the list.
template <class Fr>
__global__ void __launch_bounds__(kRowsPerBlock)
    multiply_long_rows(MatrixView<Fr> m, WitnessView<Fr> w, const u32* long_rows, Fr* out) {
    __shared__ uint4 memory[kRowsPerBlock * kQuads<Fr>];
    Fr* sums = reinterpret_cast<Fr*>(memory);
    const u32 row = long_rows[blockIdx.x];
    const auto instance = instance_of(m, row);
    const u32 stored = instance.first_stored + (row - instance.first_row);
    RowSum<Fr> sum;
#pragma unroll 1
    for (u32 i = m.starts[stored] + threadIdx.x; i < m.starts[stored + 1]; i += kRowsPerBlock) {
        const uint2 entry = __ldg(reinterpret_cast<const uint2*>(m.entries) + i);
        sum.add(m, w, variable_of(m, instance, entry.x), entry.y);
    }
    store(sums + threadIdx.x, sum.total());
    for (u32 half = kRowsPerBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            store(sums + threadIdx.x, load(sums + threadIdx.x) + load(sums + threadIdx.x + half));
    }
    if (threadIdx.x == 0) store(out + row, load(sums));
}

}  // namespace cuzk::gpu
