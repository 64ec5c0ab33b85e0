#include "curve/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "curve/vectors.hpp"

namespace cuzk {
namespace {

template <class G>
std::span<const u8, kCompressedBytes<G>> compressed(const std::vector<u8>& bytes) {
    return std::span<const u8, kCompressedBytes<G>>(bytes.data(), kCompressedBytes<G>);
}
template <class G>
std::span<const u8, kUncompressedBytes<G>> uncompressed(const std::vector<u8>& bytes) {
    return std::span<const u8, kUncompressedBytes<G>>(bytes.data(), kUncompressedBytes<G>);
}

template <class G>
std::vector<u8> to_compressed(const Affine<G>& p) {
    std::vector<u8> out(kCompressedBytes<G>);
    encode_compressed(p, std::span<u8, kCompressedBytes<G>>(out));
    return out;
}
template <class G>
std::vector<u8> to_uncompressed(const Affine<G>& p) {
    std::vector<u8> out(kUncompressedBytes<G>);
    encode_uncompressed(p, std::span<u8, kUncompressedBytes<G>>(out));
    return out;
}

template <class G>
const char* group_key() {
    return G::Field::kBytes == 48 || G::Field::kBytes == 32 ? "g1" : "g2";
}

// p in big-endian bytes of one base field coordinate.
template <class F>
std::vector<u8> modulus_bytes() {
    std::vector<u8> out(F::kBytes);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[out.size() - 1 - i] = static_cast<u8>(F::Params::kModulus.limb[i / 8] >> (8 * (i % 8)));
    }
    return out;
}
template <class G>
std::vector<u8> modulus_of() {
    if constexpr (requires { typename G::Field::Base; }) {
        return modulus_bytes<typename G::Field::Base>();
    } else {
        return modulus_bytes<typename G::Field>();
    }
}

template <class G>
class ZcashEncodingTest : public ::testing::Test {
protected:
    // Decoding must fail with this error and leave the output alone.
    static void expect_compressed(const std::vector<u8>& bytes, PointError error) {
        Affine<G> p = Affine<G>::generator();
        EXPECT_EQ(decode_compressed(compressed<G>(bytes), p), error);
        EXPECT_EQ(p, Affine<G>::generator());
    }
    static void expect_uncompressed(const std::vector<u8>& bytes, PointError error) {
        Affine<G> p = Affine<G>::generator();
        EXPECT_EQ(decode_uncompressed(uncompressed<G>(bytes), p), error);
        EXPECT_EQ(p, Affine<G>::generator());
    }

    SeededRandom random_{21};
};
using ZcashGroups = ::testing::Types<Bls12_381G1, Bls12_381G2>;
TYPED_TEST_SUITE(ZcashEncodingTest, ZcashGroups);

TYPED_TEST(ZcashEncodingTest, KnownAnswers) {
    using G = TypeParam;
    const std::string key = group_key<G>();
    for (const auto& v : test::vectors<Bls12_381>().at("encodings").at("zcash")) {
        Bls12_381Fr k;
        test::parse(v.at("k"), k);
        const auto p = (Jacobian<G>::generator() * k).to_affine();
        const auto small = test::parse_bytes(v.at(key + "_compressed"));
        const auto large = test::parse_bytes(v.at(key + "_uncompressed"));
        EXPECT_EQ(to_compressed(p), small);
        EXPECT_EQ(to_uncompressed(p), large);
        Affine<G> q;
        EXPECT_EQ(decode_compressed(compressed<G>(small), q), PointError::kNone);
        EXPECT_EQ(q, p);
        EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q), PointError::kNone);
        EXPECT_EQ(q, p);
    }
}

// The generator as the Zcash protocol specification and the pairing-friendly-curves draft give it.
TEST(ZcashEncoding, GeneratorOfG1) {
    const auto bytes = to_compressed(Affine<Bls12_381G1>::generator());
    EXPECT_EQ(bytes, test::parse_bytes(
                         "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeff"
                         "b3af00adb22c6bb"));
}

TYPED_TEST(ZcashEncodingTest, KnownInvalid) {
    using G = TypeParam;
    const auto error_of = [](const std::string& reason) {
        if (reason.find("flag missing") != std::string::npos || reason == "compression flag set" ||
            reason == "sign flag set")
            return PointError::kFlags;
        if (reason.find("infinity") == 0) return PointError::kInfinityBits;
        if (reason.find("= p") != std::string::npos) return PointError::kNotCanonical;
        if (reason == "not in the subgroup") return PointError::kNotInSubgroup;
        return PointError::kNotOnCurve;
    };
    const std::string key = group_key<G>();
    const auto& invalid = test::vectors<Bls12_381>().at("encodings").at("invalid");
    for (const auto& v : invalid.at(key + "_compressed")) {
        SCOPED_TRACE(v.at("reason").get<std::string>());
        this->expect_compressed(test::parse_bytes(v.at("bytes")), error_of(v.at("reason")));
    }
    for (const auto& v : invalid.at(key + "_uncompressed")) {
        SCOPED_TRACE(v.at("reason").get<std::string>());
        this->expect_uncompressed(test::parse_bytes(v.at("bytes")), error_of(v.at("reason")));
    }
}

TYPED_TEST(ZcashEncodingTest, RoundTrips) {
    using G = TypeParam;
    for (int i = 0; i < 10; ++i) {
        for (const auto& p : {test::random_point<G>(this->random_), -test::random_point<G>(this->random_)}) {
            Affine<G> q;
            EXPECT_EQ(decode_compressed(compressed<G>(to_compressed(p)), q), PointError::kNone);
            EXPECT_EQ(q, p);
            EXPECT_EQ(decode_compressed(compressed<G>(to_compressed(-p)), q), PointError::kNone);
            EXPECT_EQ(q, -p);
            EXPECT_EQ(decode_uncompressed(uncompressed<G>(to_uncompressed(p)), q), PointError::kNone);
            EXPECT_EQ(q, p);
        }
    }
}

TYPED_TEST(ZcashEncodingTest, EveryFlagCombination) {
    using G = TypeParam;
    const auto p = test::random_point<G>(this->random_);
    const auto small = to_compressed(p);
    const auto large = to_uncompressed(p);
    const u8 sign = small[0] & 0x20;
    for (unsigned flags = 0; flags < 8; ++flags) {
        const u8 bits = static_cast<u8>(flags << 5);
        auto bytes = small;
        bytes[0] = static_cast<u8>((bytes[0] & 0x1f) | bits);
        if ((bits & 0x80) == 0) {
            this->expect_compressed(bytes, PointError::kFlags);
        } else if ((bits & 0x40) != 0) {
            this->expect_compressed(bytes, PointError::kInfinityBits);
        } else {
            Affine<G> q;
            EXPECT_EQ(decode_compressed(compressed<G>(bytes), q), PointError::kNone);
            EXPECT_EQ(q, (bits & 0x20) == sign ? p : -p);
        }
        bytes = large;
        bytes[0] = static_cast<u8>((bytes[0] & 0x1f) | bits);
        if ((bits & 0xa0) != 0) {
            this->expect_uncompressed(bytes, PointError::kFlags);
        } else if (bits != 0) {
            this->expect_uncompressed(bytes, PointError::kInfinityBits);
        }
    }
}

TYPED_TEST(ZcashEncodingTest, InfinityHasOneEncoding) {
    using G = TypeParam;
    const auto infinity = Affine<G>::infinity();
    auto small = to_compressed(infinity);
    auto large = to_uncompressed(infinity);
    EXPECT_EQ(small[0], 0xc0);
    EXPECT_EQ(large[0], 0x40);
    Affine<G> q = Affine<G>::generator();
    EXPECT_EQ(decode_compressed(compressed<G>(small), q), PointError::kNone);
    EXPECT_TRUE(q.is_infinity());
    q = Affine<G>::generator();
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q), PointError::kNone);
    EXPECT_TRUE(q.is_infinity());

    for (std::size_t at = 0; at < small.size(); ++at) {
        auto bytes = small;
        bytes[at] |= 1;
        this->expect_compressed(bytes, PointError::kInfinityBits);
    }
    for (std::size_t at = 0; at < large.size(); ++at) {
        auto bytes = large;
        bytes[at] |= 1;
        this->expect_uncompressed(bytes, PointError::kInfinityBits);
    }
    small[0] = 0xe0;
    this->expect_compressed(small, PointError::kInfinityBits);
    large[0] = 0;  // (0, 0) without the flag
    this->expect_uncompressed(large, PointError::kNotOnCurve);
}

TYPED_TEST(ZcashEncodingTest, CoordinatesMustBeBelowP) {
    using G = TypeParam;
    const auto modulus = modulus_of<G>();
    const auto p = test::random_point<G>(this->random_);
    for (std::size_t at = 0; at < kCompressedBytes<G>; at += modulus.size()) {
        auto bytes = to_compressed(p);
        const u8 flags = bytes[0] & 0xe0;
        std::copy(modulus.begin(), modulus.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        bytes[0] |= flags;
        this->expect_compressed(bytes, PointError::kNotCanonical);
    }
    for (std::size_t at = 0; at < kUncompressedBytes<G>; at += modulus.size()) {
        auto bytes = to_uncompressed(p);
        std::copy(modulus.begin(), modulus.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        this->expect_uncompressed(bytes, PointError::kNotCanonical);
    }
}

TYPED_TEST(ZcashEncodingTest, ChecksAreAsDeepAsAskedFor) {
    using G = TypeParam;
    const auto outside = test::random_curve_point<G>(this->random_);
    Affine<G> q;
    const auto small = to_compressed(outside);
    EXPECT_EQ(decode_compressed(compressed<G>(small), q), PointError::kNotInSubgroup);
    EXPECT_EQ(decode_compressed(compressed<G>(small), q, DecodeChecks::kCurve), PointError::kNone);
    EXPECT_EQ(q, outside);
    auto large = to_uncompressed(outside);
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q), PointError::kNotInSubgroup);
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q, DecodeChecks::kCurve), PointError::kNone);
    large.back() ^= 1;
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q, DecodeChecks::kCurve), PointError::kNotOnCurve);
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(large), q, DecodeChecks::kEncoding), PointError::kNone);
}

TYPED_TEST(ZcashEncodingTest, BatchesNameTheFirstBadPoint) {
    using G = TypeParam;
    constexpr std::size_t kCount = 150;
    std::vector<Affine<G>> points(kCount);
    std::vector<u8> small;
    std::vector<u8> large;
    for (std::size_t i = 0; i < kCount; ++i) {
        points[i] = (Jacobian<G>::generator() * G::Scalar::from_u64(i)).to_affine();
        const auto a = to_compressed(points[i]);
        const auto b = to_uncompressed(points[i]);
        small.insert(small.end(), a.begin(), a.end());
        large.insert(large.end(), b.begin(), b.end());
    }
    std::vector<Affine<G>> out(kCount);
    EXPECT_FALSE(decode_compressed_batch<G>(small, out).has_value());
    EXPECT_EQ(out, points);
    out.assign(kCount, {});
    EXPECT_FALSE(decode_uncompressed_batch<G>(large, out).has_value());
    EXPECT_EQ(out, points);

    small[101 * kCompressedBytes<G>] &= 0x7f;
    small[140 * kCompressedBytes<G>] |= 0x40;
    auto bad = decode_compressed_batch<G>(small, out);
    ASSERT_TRUE(bad.has_value());
    EXPECT_EQ(bad->index, 101U);
    EXPECT_EQ(bad->error, PointError::kFlags);
    large[78 * kUncompressedBytes<G> - 1] ^= 1;
    bad = decode_uncompressed_batch<G>(large, out);
    ASSERT_TRUE(bad.has_value());
    EXPECT_EQ(bad->index, 77U);
    EXPECT_EQ(bad->error, PointError::kNotOnCurve);

    EXPECT_FALSE(decode_compressed_batch<G>({}, {}).has_value());
    small.pop_back();
    EXPECT_THROW((void)decode_compressed_batch<G>(small, out), Error);
}

template <class G>
class RawEncodingTest : public ::testing::Test {};
using AllGroups = ::testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(RawEncodingTest, AllGroups);

TYPED_TEST(RawEncodingTest, KnownAnswers) {
    using G = TypeParam;
    using C = std::conditional_t<G::Field::kBytes == 48 || G::Field::kBytes == 96, Bls12_381, Bn254>;
    for (const auto& v : test::vectors<C>().at("encodings").at("zkey")) {
        typename C::Fr k;
        test::parse(v.at("k"), k);
        const auto p = (Jacobian<G>::generator() * k).to_affine();
        const auto bytes = test::parse_bytes(v.at(group_key<G>()));
        ASSERT_EQ(bytes.size(), kRawBytes<G>);
        EXPECT_EQ(std::memcmp(&p, bytes.data(), bytes.size()), 0);
        Affine<G> q;
        EXPECT_EQ(load_affine_checked(std::span<const u8, kRawBytes<G>>(bytes), q), PointError::kNone);
        EXPECT_EQ(q, p);
    }
}

TYPED_TEST(RawEncodingTest, Invalid) {
    using G = TypeParam;
    const auto generator = Affine<G>::generator();
    std::vector<u8> bytes(kRawBytes<G>);
    std::memcpy(bytes.data(), &generator, bytes.size());
    const std::span<const u8, kRawBytes<G>> view(bytes);
    Affine<G> q;

    auto modulus = modulus_of<G>();
    std::reverse(modulus.begin(), modulus.end());
    for (std::size_t at = 0; at < bytes.size(); at += modulus.size()) {
        const auto saved = bytes;
        std::copy(modulus.begin(), modulus.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(load_affine_checked(view, q, DecodeChecks::kEncoding), PointError::kNotCanonical);
        std::copy(saved.begin(), saved.end(), bytes.begin());
    }
    bytes[0] ^= 1;
    EXPECT_EQ(load_affine_checked(view, q), PointError::kNotOnCurve);
    EXPECT_EQ(load_affine_checked(view, q, DecodeChecks::kEncoding), PointError::kNone);
    if constexpr (!std::is_same_v<G, Bn254G1>) {
        SeededRandom random(9);
        const auto outside = test::random_curve_point<G>(random);
        std::memcpy(bytes.data(), &outside, bytes.size());
        EXPECT_EQ(load_affine_checked(view, q), PointError::kNotInSubgroup);
        EXPECT_EQ(load_affine_checked(view, q, DecodeChecks::kCurve), PointError::kNone);
    }
}

template <class G>
class EthereumEncodingTest : public ::testing::Test {};
using EthereumGroups = ::testing::Types<Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(EthereumEncodingTest, EthereumGroups);

TYPED_TEST(EthereumEncodingTest, RoundTripsAndRefuses) {
    using G = TypeParam;
    SeededRandom random(4);
    Affine<G> q;
    for (const auto& p : {test::random_point<G>(random), Affine<G>::infinity(), Affine<G>::generator()}) {
        const auto bytes = to_uncompressed(p);
        EXPECT_EQ(decode_uncompressed(uncompressed<G>(bytes), q), PointError::kNone);
        EXPECT_EQ(q, p);
    }
    auto bytes = to_uncompressed(Affine<G>::generator());
    bytes.back() ^= 1;
    EXPECT_EQ(decode_uncompressed(uncompressed<G>(bytes), q), PointError::kNotOnCurve);
    const auto modulus = modulus_of<G>();
    for (std::size_t at = 0; at < bytes.size(); at += modulus.size()) {
        bytes = to_uncompressed(Affine<G>::generator());
        std::copy(modulus.begin(), modulus.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(decode_uncompressed(uncompressed<G>(bytes), q), PointError::kNotCanonical);
    }
}

// P2 of EIP-197: the generator with the imaginary parts first.
TEST(EthereumEncoding, GeneratorOfG2) {
    EXPECT_EQ(to_uncompressed(Affine<Bn254G2>::generator()),
              test::parse_bytes("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
                                "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
                                "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
                                "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"));
}

TEST(PointErrors, HaveWords) {
    for (const PointError e : {PointError::kFlags, PointError::kInfinityBits, PointError::kNotCanonical,
                               PointError::kNotOnCurve, PointError::kNotInSubgroup}) {
        EXPECT_NE(std::string(describe(e)), describe(PointError::kNone));
    }
}

}  // namespace
}  // namespace cuzk
