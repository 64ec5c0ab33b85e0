#include "r1cs/matrix_builder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace cuzk {
namespace {

// The triples of a matrix as a TripleSource; entries with `other` set belong elsewhere.
template <class Fr>
struct Triples {
    struct Entry {
        u32 row;
        u32 column;
        Fr coefficient;
        bool other = false;
    };
    std::vector<Entry> entries;

    std::size_t size() const { return entries.size(); }
    u32 row(std::size_t i) const { return entries[i].row; }
    u32 column(std::size_t i) const { return entries[i].column; }
    Fr coefficient(std::size_t i) const { return entries[i].coefficient; }
    bool skip(std::size_t i) const { return entries[i].other; }
};

class Dice {
public:
    explicit Dice(u64 seed) : random_(seed) {}
    std::size_t below(std::size_t n) {
        u8 bytes[8];
        random_.fill(bytes);
        u64 x = 0;
        for (const u8 b : bytes) x = x << 8 | b;
        return x % n;
    }
    // 0, 1, -1, 2 or anything.
    template <class Fr>
    Fr coefficient() {
        switch (below(5)) {
            case 0: return Fr();
            case 1: return Fr::one();
            case 2: return -Fr::one();
            case 3: return Fr::from_u64(2);
            default: return Fr::random(random_);
        }
    }

private:
    SeededRandom random_;
};

// Entries in random order with duplicates; some rows stay empty.
template <class Fr>
Triples<Fr> random_triples(std::size_t rows, std::size_t columns, std::size_t count, u64 seed) {
    Dice dice(seed);
    Triples<Fr> t;
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = static_cast<u32>(dice.below(rows));
        const auto column = static_cast<u32>(dice.below(columns));
        t.entries.push_back({row, column, dice.coefficient<Fr>(), dice.below(4) == 0});
    }
    return t;
}

template <class Fr>
SparseMatrix<Fr> build_by_rows(std::size_t rows, std::size_t columns, const Triples<Fr>& t) {
    std::vector<std::vector<Term<Fr>>> terms(rows);
    for (const auto& e : t.entries)
        if (!e.other) terms[e.row].push_back({e.column, e.coefficient});
    MatrixBuilder<Fr> builder(columns);
    for (const auto& row : terms) builder.add_row(row);
    return std::move(builder).finish();
}

template <class Fr>
std::vector<Fr> random_values(std::size_t n, u64 seed) {
    SeededRandom random(seed);
    std::vector<Fr> v(n);
    for (Fr& x : v) x = Fr::random(random);
    return v;
}

template <class Fr>
class MatrixTest : public testing::Test {};
using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(MatrixTest, Fields);

TYPED_TEST(MatrixTest, BothBuildersMakeTheSameMatrix) {
    using Fr = TypeParam;
    for (const auto& [rows, columns, count] :
         {std::tuple{1, 1, 5}, {1, 100, 40}, {100, 1, 40}, {50, 60, 1000}, {3000, 2000, 9000}, {10, 10, 0}}) {
        const auto t = random_triples<Fr>(rows, columns, count, 7);
        const auto by_rows = build_by_rows(rows, columns, t);
        const auto by_triples = TripleMatrixBuilder<Fr>::build(rows, columns, t);
        EXPECT_TRUE(by_rows == by_triples);

        std::map<std::pair<u32, u32>, Fr> expected;
        for (const auto& e : t.entries)
            if (!e.other) expected[{e.row, e.column}] += e.coefficient;
        std::erase_if(expected, [](const auto& item) { return item.second.is_zero(); });
        ASSERT_EQ(by_rows.nonzeros(), expected.size());
        ASSERT_EQ(by_rows.rows(), static_cast<std::size_t>(rows));
        ASSERT_EQ(by_rows.columns(), static_cast<std::size_t>(columns));
        auto next = expected.begin();
        ColumnSet used(columns);
        for (u32 row = 0; row < by_rows.rows(); ++row) {
            std::size_t length = 0;
            by_rows.for_each_term(row, [&](u32 column, const Fr& coefficient) {
                EXPECT_EQ(next->first, (std::pair{row, column}));
                EXPECT_TRUE(next->second == coefficient);
                used.insert(column);
                ++next;
                ++length;
            });
            EXPECT_EQ(by_rows.row_length(row), length);
        }
        EXPECT_TRUE(by_rows.used_columns() == used);
    }
}

TYPED_TEST(MatrixTest, MultipliesLikeItsTerms) {
    using Fr = TypeParam;
    for (const auto& [rows, columns, count] :
         {std::tuple{1, 1, 1}, {1, 3000, 2500}, {20000, 5, 300}, {5000, 4000, 60000}}) {
        const auto t = random_triples<Fr>(rows, columns, count, 11);
        const auto m = TripleMatrixBuilder<Fr>::build(rows, columns, t);
        const auto z = random_values<Fr>(columns, 1);
        const auto x = random_values<Fr>(rows, 2);
        std::vector<Fr> expected(rows);
        std::vector<Fr> expected_transposed(columns);
        for (const auto& e : t.entries) {
            if (e.other) continue;
            expected[e.row] += e.coefficient * z[e.column];
            expected_transposed[e.column] += e.coefficient * x[e.row];
        }
        for (const std::size_t threads : {1U, 7U}) {
            const ThreadLimit limit(threads);
            std::vector<Fr> out(rows, Fr::from_u64(9));
            m.multiply(z, out);
            EXPECT_TRUE(out == expected);
            std::vector<Fr> transposed(columns, Fr::from_u64(9));
            m.multiply_transposed(x, transposed);
            EXPECT_TRUE(transposed == expected_transposed);
        }
    }
}

TYPED_TEST(MatrixTest, HandlesEmptyShapes) {
    using Fr = TypeParam;
    const auto none = std::move(MatrixBuilder<Fr>(5)).finish();
    EXPECT_EQ(none.rows(), 0U);
    EXPECT_EQ(none.nonzeros(), 0U);
    std::vector<Fr> out;
    none.multiply(std::vector<Fr>(5), out);
    std::vector<Fr> transposed(5, Fr::one());
    none.multiply_transposed(out, transposed);
    EXPECT_TRUE(transposed == std::vector<Fr>(5));
    EXPECT_EQ(none.used_columns().count(), 0U);

    MatrixBuilder<Fr> builder(1);
    for (int i = 0; i < 3; ++i) builder.end_row();
    const auto empty_rows = std::move(builder).finish();
    std::vector<Fr> three(3, Fr::one());
    empty_rows.multiply(std::vector<Fr>(1, Fr::one()), three);
    EXPECT_TRUE(three == std::vector<Fr>(3));
}

TYPED_TEST(MatrixTest, DropsTermsThatCancel) {
    using Fr = TypeParam;
    MatrixBuilder<Fr> builder(3);
    builder.add_term(2, Fr::one());
    builder.add_term(0, Fr());
    builder.add_term(1, Fr::from_u64(5));
    builder.add_term(2, -Fr::one());
    builder.end_row();
    const auto m = std::move(builder).finish();
    EXPECT_EQ(m.nonzeros(), 1U);
    EXPECT_EQ(m.used_columns().count(), 1U);
    EXPECT_TRUE(m.used_columns().contains(1));
}

TYPED_TEST(MatrixTest, StoresDistinctCoefficientsOnce) {
    using Fr = TypeParam;
    MatrixBuilder<Fr> builder(1000);
    for (u32 i = 0; i < 1000; ++i) {
        builder.add_term(i, Fr::from_u64(1 + i % 3));
        builder.end_row();
    }
    const auto m = std::move(builder).finish();
    EXPECT_EQ(m.coefficients().size(), 4U);  // 1, -1, 2, 3
    EXPECT_LE(m.memory_bytes(), 1000 * (4 + 2 + 8) + 8 + 4 * sizeof(Fr));
}

// More distinct coefficients than 16-bit indices can name.
TYPED_TEST(MatrixTest, WidensTheCoefficientIndex) {
    using Fr = TypeParam;
    constexpr u32 kCount = 70000;
    MatrixBuilder<Fr> builder(kCount);
    Triples<Fr> t;
    for (u32 i = 0; i < kCount; ++i) {
        builder.add_term(i, Fr::from_u64(2 + i));
        builder.end_row();
        t.entries.push_back({i, i, Fr::from_u64(2 + i)});
    }
    const auto m = std::move(builder).finish();
    EXPECT_EQ(m.coefficients().size(), kCount + 2);
    EXPECT_TRUE(m == TripleMatrixBuilder<Fr>::build(kCount, kCount, t));
    std::vector<Fr> out(kCount);
    m.multiply(std::vector<Fr>(kCount, Fr::one()), out);
    for (u32 i = 0; i < kCount; ++i) ASSERT_TRUE(out[i] == Fr::from_u64(2 + i));
}

TYPED_TEST(MatrixTest, RefusesEntriesOutsideTheMatrix) {
    using Fr = TypeParam;
    const auto message = [](const auto& action) -> std::string {
        try {
            action();
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), ErrorKind::kMalformed);
            return e.what();
        }
        return "accepted";
    };
    MatrixBuilder<Fr> builder(10);
    builder.end_row();
    builder.add_term(10, Fr::one());
    EXPECT_EQ(message([&] { builder.end_row(); }), "row 1: column 10 is outside the 10 columns");

    const auto build = [](const Triples<Fr>& t) { TripleMatrixBuilder<Fr>::build(4, 10, t); };
    EXPECT_EQ(message([&] {
                  build({{{0, 0, Fr::one()}, {4, 3, Fr::one()}}});
              }),
              "entry 1 (row 4, column 3) is outside the 4 x 10 matrix");
    EXPECT_EQ(message([&] {
                  build({{{3, 10, Fr::one()}}});
              }),
              "entry 0 (row 3, column 10) is outside the 4 x 10 matrix");
    EXPECT_EQ(message([&] {
                  build({{{0xffffffff, 0xffffffff, Fr::one()}}});
              }),
              "entry 0 (row 4294967295, column 4294967295) is outside the 4 x 10 matrix");
}

TYPED_TEST(MatrixTest, RefusesVectorsOfTheWrongLength) {
    using Fr = TypeParam;
    MatrixBuilder<Fr> builder(2);
    builder.end_row();
    const auto m = std::move(builder).finish();
    std::vector<Fr> one(1), two(2), three(3);
    EXPECT_THROW(m.multiply(one, one), Error);
    EXPECT_THROW(m.multiply(two, two), Error);
    EXPECT_THROW(m.multiply_transposed(two, two), Error);
    EXPECT_THROW(m.multiply_transposed(one, three), Error);
}

TEST(ColumnSet, Counts) {
    ColumnSet set(200);
    for (const std::size_t i : {0U, 63U, 64U, 65U, 127U, 128U, 199U}) set.insert(i);
    EXPECT_EQ(set.count(), 7U);
    EXPECT_EQ(set.count(0, 64), 2U);
    EXPECT_EQ(set.count(1, 63), 0U);
    EXPECT_EQ(set.count(63, 66), 3U);
    EXPECT_EQ(set.count(64, 199), 4U);
    EXPECT_EQ(set.count(5, 5), 0U);
    EXPECT_TRUE(set.contains(199));
    EXPECT_FALSE(set.contains(198));
    EXPECT_EQ(ColumnSet(0).count(), 0U);
}

}  // namespace
}  // namespace cuzk
