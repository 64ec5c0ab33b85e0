#include "filecoin/poseidon/constants.hpp"

#include <array>
#include <bitset>
#include <deque>
#include <utility>

#include "base/error.hpp"

namespace cuzk::filecoin {

Matrix Matrix::identity(std::size_t size) {
    Matrix m(size);
    for (std::size_t i = 0; i < size; ++i) m.at(i, i) = Fr::one();
    return m;
}

std::vector<Fr> Matrix::apply(const std::vector<Fr>& v) const {
    std::vector<Fr> r(size_);
    for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t j = 0; j < size_; ++j) r[j] += v[i] * at(i, j);
    return r;
}

Matrix Matrix::operator*(const Matrix& b) const {
    Matrix r(size_);
    for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t k = 0; k < size_; ++k)
            for (std::size_t j = 0; j < size_; ++j) r.at(i, j) += at(i, k) * b.at(k, j);
    return r;
}

// Gauss-Jordan elimination.
Matrix Matrix::inverse() const {
    Matrix a = *this;
    Matrix r = identity(size_);
    for (std::size_t col = 0; col < size_; ++col) {
        std::size_t pivot = col;
        while (pivot < size_ && a.at(pivot, col).is_zero()) ++pivot;
        if (pivot == size_) throw Error(ErrorKind::kInternal, "a Poseidon matrix has no inverse");
        const Fr scale = a.at(pivot, col).inverse();
        for (std::size_t j = 0; j < size_; ++j) {
            std::swap(a.at(pivot, j), a.at(col, j));
            std::swap(r.at(pivot, j), r.at(col, j));
            a.at(col, j) *= scale;
            r.at(col, j) *= scale;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            if (i == col) continue;
            const Fr f = a.at(i, col);
            for (std::size_t j = 0; j < size_; ++j) {
                a.at(i, j) -= f * a.at(col, j);
                r.at(i, j) -= f * r.at(col, j);
            }
        }
    }
    return r;
}

namespace {

// The Grain LFSR in self-shrinking mode, seeded with the description of the instance.
class Grain {
public:
    Grain(std::size_t width, std::size_t full, std::size_t partial) {
        append(1, 2);           // prime field
        append(1, 4);           // S-box x^alpha
        append(Fr::kBits, 12);  // field size
        append(width, 12);
        append(full, 10);
        append(partial, 10);
        append((1u << 30) - 1, 30);
        for (int i = 0; i < 160; ++i) step();
    }

    Fr next_element() {
        for (;;) {
            Fr::Int x;
            for (std::size_t i = Fr::kBits; i-- > 0;)
                if (next_bit()) x.limb[i / 64] |= u64{1} << (i % 64);
            if (x < FieldConstants<Bls12_381FrParams>::kModulus) return Fr::from_int(x);
        }
    }

private:
    void append(u64 value, int bits) {
        while (bits-- > 0) state_.push_back(((value >> bits) & 1) != 0);
    }
    bool step() {
        bool bit = false;
        for (const std::size_t tap : {62, 51, 38, 23, 13, 0}) bit ^= state_[tap];
        state_.pop_front();
        state_.push_back(bit);
        return bit;
    }
    bool next_bit() {
        for (;;) {
            const bool keep = step();
            const bool bit = step();
            if (keep) return bit;
        }
    }

    std::deque<bool> state_;
};

std::size_t partial_rounds(std::size_t arity) {
    switch (arity) {
        case 2: return 55;
        case 4: return 56;
        case 8:
        case 11: return 57;
        default: throw Error(ErrorKind::kInternal, "no Poseidon instance of arity " + std::to_string(arity));
    }
}

std::vector<Fr> slice(const std::vector<Fr>& v, std::size_t block, std::size_t width) {
    const auto first = v.begin() + static_cast<std::ptrdiff_t>(block * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
}

// Round keys moved behind the S-box layer of the round before, and in partial rounds folded to one scalar.
std::vector<Fr> compress_keys(const PoseidonConstants& c, const Matrix& inverse_mds) {
    const std::size_t t = c.width;
    const std::size_t half = c.full_rounds / 2;
    std::vector<Fr> out = slice(c.round_keys, 0, t);
    const auto append = [&](const std::vector<Fr>& v) { out.insert(out.end(), v.begin(), v.end()); };

    for (std::size_t q = 1; q < half; ++q) append(inverse_mds.apply(slice(c.round_keys, q, t)));

    std::vector<Fr> scalars;
    std::vector<Fr> acc = slice(c.round_keys, half + c.partial_rounds, t);
    for (std::size_t i = 0; i < c.partial_rounds; ++i) {
        std::vector<Fr> x = inverse_mds.apply(acc);
        scalars.push_back(x[0]);
        x[0] = Fr::zero();
        const std::vector<Fr> key = slice(c.round_keys, half + c.partial_rounds - 1 - i, t);
        for (std::size_t j = 0; j < t; ++j) acc[j] = x[j] + key[j];
    }
    append(inverse_mds.apply(acc));
    out.insert(out.end(), scalars.rbegin(), scalars.rend());

    for (std::size_t q = 1; q < half; ++q)
        append(inverse_mds.apply(slice(c.round_keys, half + c.partial_rounds + q, t)));
    return out;
}

// Splits MDS^partial_rounds into one dense matrix and one sparse matrix a round.
void factorise(PoseidonConstants& c) {
    const std::size_t t = c.width;
    Matrix current = c.mds;
    std::vector<SparseRound> recorded;
    for (std::size_t round = 0; round < c.partial_rounds; ++round) {
        Matrix hat(t - 1);
        for (std::size_t i = 1; i < t; ++i)
            for (std::size_t j = 1; j < t; ++j) hat.at(i - 1, j - 1) = current.at(i, j);
        // Column 0 acts through the inverse of the block: w_hat = hat^-1 w, as a column vector.
        const Matrix inverse = hat.inverse();
        SparseRound s;
        s.w.push_back(current.at(0, 0));
        for (std::size_t i = 0; i + 1 < t; ++i) {
            Fr sum;
            for (std::size_t k = 0; k + 1 < t; ++k) sum += inverse.at(i, k) * current.at(k + 1, 0);
            s.w.push_back(sum);
        }
        for (std::size_t j = 1; j < t; ++j) s.v.push_back(current.at(0, j));
        recorded.push_back(std::move(s));

        Matrix block = Matrix::identity(t);
        for (std::size_t i = 1; i < t; ++i)
            for (std::size_t j = 1; j < t; ++j) block.at(i, j) = hat.at(i - 1, j - 1);
        current = c.mds * block;
    }
    c.pre_sparse = current;
    c.sparse.assign(recorded.rbegin(), recorded.rend());
}

PoseidonConstants derive(std::size_t arity) {
    const std::size_t t = arity + 1;
    PoseidonConstants c{.arity = arity,
                        .width = t,
                        .full_rounds = 8,
                        .partial_rounds = partial_rounds(arity),
                        .round_keys = {},
                        .compressed = {},
                        .mds = Matrix(t),
                        .pre_sparse = Matrix(t),
                        .sparse = {}};
    Grain grain(t, c.full_rounds, c.partial_rounds);
    for (std::size_t i = 0; i < (c.full_rounds + c.partial_rounds) * t; ++i)
        c.round_keys.push_back(grain.next_element());
    for (std::size_t i = 0; i < t; ++i)
        for (std::size_t j = 0; j < t; ++j) c.mds.at(i, j) = Fr::from_u64(i + j + t).inverse();
    c.compressed = compress_keys(c, c.mds.inverse());
    factorise(c);
    return c;
}

}  // namespace

const PoseidonConstants& poseidon_constants(std::size_t arity) {
    switch (arity) {
        case 2: {
            static const PoseidonConstants c = derive(2);
            return c;
        }
        case 4: {
            static const PoseidonConstants c = derive(4);
            return c;
        }
        case 8: {
            static const PoseidonConstants c = derive(8);
            return c;
        }
        case 11: {
            static const PoseidonConstants c = derive(11);
            return c;
        }
        default: throw Error(ErrorKind::kInternal, "no Poseidon instance of arity " + std::to_string(arity));
    }
}

}  // namespace cuzk::filecoin
