// Each gadget alone: its size and digest, its value against the native twin, and that no variable can be changed.
#include <gtest/gtest.h>

#include "filecoin/circuits/witness.hpp"
#include "filecoin/gadgets/merkle.hpp"
#include "filecoin/native/hash.hpp"
#include "formats/digest.hpp"
#include "r1cs/instanced_values.hpp"
#include "structure_digest.hpp"

namespace cuzk::filecoin {
namespace {

template <class Circuit>
InstancedR1cs structure_of(const Circuit& circuit) {
    StructureBuilder cs;
    circuit(cs);
    return cs.finish();
}

// The circuit holds for its own witness, and for none in which one variable differs (every `stride`-th is tried).
template <class Circuit>
void expect_tight(const Circuit& circuit, std::size_t stride = 1) {
    const InstancedR1cs r1cs = structure_of(circuit);
    WitnessBuilder cs;
    circuit(cs);
    std::vector<Fr> z = expand(r1cs, cs.finish());
    const std::size_t rows = r1cs.constraints + r1cs.inputs;
    std::vector<Fr> a(rows), b(rows), c(rows);
    const auto holds = [&] {
        evaluate(r1cs, z, a, b, c);
        const auto head = [&](const std::vector<Fr>& v) { return std::span(v).first(r1cs.constraints); };
        return !first_violation<Fr>(head(a), head(b), head(c)).has_value();
    };
    ASSERT_TRUE(holds());
    for (std::size_t i = 1; i < z.size(); i += stride) {
        const Fr kept = z[i];
        z[i] += Fr::one();
        EXPECT_FALSE(holds()) << "variable " << i;
        z[i] = kept;
    }
}

std::vector<Fr> random_elements(std::size_t n, u64 seed) {
    SeededRandom random(seed);
    std::vector<Fr> out(n);
    for (Fr& x : out) x = Fr::random(random);
    return out;
}

template <class CS>
std::vector<Num> alloc_all(CS& cs, const std::vector<Fr>& values) {
    std::vector<Num> out;
    for (const Fr& x : values) out.push_back(cs.alloc_num(x));
    return out;
}

TEST(PoseidonGadget, SizesDigestsAndValues) {
    const std::tuple<std::size_t, u64, const char*> cases[] = {
        {2, 311, "658f013f99360e164ad8e7f96290944601cc064f93c153d9ea7ac1275927175f"},
        {4, 377, "2360602a7c4555d454b46891236273f4ae308090bc916fdcef1fb81d00ebbe70"},
        {8, 505, "ab50aeda63344f7125999ef5c4af7777380b9015ec82ad48bac2213e9353b163"},
        {11, 598, "e94a28106cbb9a718e525f0f2593ce3b138350047854ebcc3c83472ed482a6f6"}};
    for (const auto& [arity, rows, digest] : cases) {
        const std::vector<Fr> inputs = random_elements(arity, arity);
        const auto circuit = [&](auto& cs) {
            return poseidon_gadget(cs, std::span<const Num>(alloc_all(cs, inputs)));
        };
        const InstancedR1cs r1cs = structure_of(circuit);
        EXPECT_EQ(r1cs.constraints, rows);
        EXPECT_EQ(r1cs.aux, rows + arity);
        EXPECT_EQ(digest_structure(r1cs, 4096, true).tcs_blake2s, digest);
        WitnessBuilder cs;
        EXPECT_EQ(circuit(cs).value, poseidon(inputs));
        expect_tight(circuit);
    }
}

TEST(Sha256Gadget, SizesDigestAndValues) {
    // 512 message bits, each allocated with its own row.
    std::vector<u8> message(64);
    SeededRandom random(11);
    random.fill(message);
    const auto circuit = [&](auto& cs) {
        Bits bits;
        for (const u8 byte : message)
            for (int i = 7; i >= 0; --i) bits.push_back(alloc_bit(cs, ((byte >> i) & 1) != 0));
        return sha256_gadget(cs, bits);
    };
    const InstancedR1cs r1cs = structure_of(circuit);
    EXPECT_EQ(r1cs.constraints, 44874u + 512u);
    EXPECT_EQ(r1cs.aux, 45340u);
    EXPECT_EQ(digest_structure(r1cs, 4096, true).tcs_blake2s,
              "39b920088193af138e8d3494179b1d9a20442bb23e28e65028b068c6a9e48771");
    WitnessBuilder cs;
    const Bits digest = circuit(cs);
    Digest native(EVP_sha256());
    native.update(message);
    std::string hex;
    for (std::size_t i = 0; i < digest.size(); i += 4) {
        int nibble = 0;
        for (std::size_t k = 0; k < 4; ++k) nibble = 2 * nibble + (digest[i + k].value ? 1 : 0);
        hex += "0123456789abcdef"[nibble];
    }
    EXPECT_EQ(hex, native.hex());
    expect_tight(circuit, 1009);
}

TEST(Sha256Gadget, ConstantMessagesCostNothing) {
    const auto circuit = [](auto& cs) { return sha256_gadget(cs, Bits(96, Bit::constant(true))); };
    const InstancedR1cs r1cs = structure_of(circuit);
    EXPECT_EQ(r1cs.constraints, 0u);
    EXPECT_EQ(r1cs.aux, 0u);
}

TEST(Sha256Gadget, PairHash) {
    const std::vector<Fr> pair = random_elements(2, 12);
    const auto circuit = [&](auto& cs) {
        const auto nums = alloc_all(cs, pair);
        return sha256_pair(cs, nums[0], nums[1]);
    };
    const InstancedR1cs r1cs = structure_of(circuit);
    EXPECT_EQ(r1cs.constraints, 45379u);
    EXPECT_EQ(r1cs.aux, 45331u + 2u);
    WitnessBuilder cs;
    EXPECT_EQ(circuit(cs).value, native_sha256_pair(pair[0], pair[1]));
    // trim(SHA256(1 || 2)), a published value
    EXPECT_EQ(
        native_sha256_pair(Fr::from_u64(1), Fr::from_u64(2)),
        *Fr::from_bytes_le(std::array<u8, 32>{
            0xff, 0x55, 0xc9, 0x79, 0x76, 0xa8, 0x40, 0xb4, 0xce, 0xd9, 0x64, 0xed, 0x49, 0xe3, 0x79, 0x45,
            0x94, 0xba, 0x3f, 0x67, 0x52, 0x38, 0xb5, 0xfd, 0x25, 0xd2, 0x82, 0xb6, 0x0f, 0x70, 0xa1, 0x14}));
    expect_tight(circuit, 1201);
}

// label(layer 2, node 7) of replica id 55 and parents 0..36, a published value.
TEST(NativeHash, Label) {
    std::vector<Fr> parents;
    for (u64 i = 0; i < 37; ++i) parents.push_back(Fr::from_u64(i));
    std::array<u8, 32> bytes{};
    stacked_label(Fr::from_u64(55), 2, 7, parents).to_bytes_le(bytes);
    EXPECT_EQ(hex_text(bytes), "a4a101055f9c5d8c9a55d8fb7a3fa137940482fe8ba9cb357c32f0c9b4b5c332");
}

TEST(InsertionGadget, SizesAndEveryPosition) {
    for (const auto& [arity, rows] : {std::pair<u32, u64>{2, 2}, {4, 8}, {8, 22}}) {
        const std::vector<Fr> siblings = random_elements(arity - 1, arity);
        const Fr node = Fr::from_u64(999);
        const auto width = static_cast<std::size_t>(std::countr_zero(arity));
        for (u32 at = 0; at < arity; ++at) {
            const auto circuit = [&](auto& cs) {
                const Num current = cs.alloc_num(node);
                const Bits bits = alloc_bits(cs, at, width);
                return insert(cs, current, std::span<const Bit>(bits),
                              std::span<const Num>(alloc_all(cs, siblings)));
            };
            EXPECT_EQ(structure_of(circuit).constraints, rows + width);
            WitnessBuilder cs;
            std::vector<Fr> expected = siblings;
            expected.insert(expected.begin() + at, node);
            const auto children = circuit(cs);
            ASSERT_EQ(children.size(), arity);
            for (u32 i = 0; i < arity; ++i)
                EXPECT_EQ(children[i].value, expected[i]) << arity << ' ' << at << ' ' << i;
        }
    }
}

TEST(InsertionGadget, SelectTakesTheIndexedElement) {
    const std::vector<Fr> list = random_elements(16, 3);
    for (u32 at = 0; at < 16; ++at) {
        const auto circuit = [&](auto& cs) {
            const auto nums = alloc_all(cs, list);
            const Bits bits = alloc_bits(cs, at, 4);
            return select(cs, nums, std::span<const Bit>(bits));
        };
        EXPECT_EQ(structure_of(circuit).constraints, 15u + 4u);
        WitnessBuilder cs;
        EXPECT_EQ(circuit(cs).value, list[at]);
    }
}

TEST(NumberGadgets, DecompositionsAreTheCanonicalBits) {
    for (const Fr& x : {Fr::zero(), Fr::one(), -Fr::one(), random_elements(1, 4)[0]}) {
        const auto circuit = [&](auto& cs) {
            const Num n = cs.alloc_num(x);
            return std::pair{to_bits(cs, n), binary_decomposition(cs, n)};
        };
        const InstancedR1cs r1cs = structure_of(circuit);
        EXPECT_EQ(r1cs.constraints, 2u * 256u);
        EXPECT_EQ(r1cs.bit_count(), 2u * 255u);
        WitnessBuilder cs;
        const auto [first, second] = circuit(cs);
        for (std::size_t i = 0; i < 255; ++i) {
            EXPECT_EQ(first[i].value, x.to_int().bit(i));
            EXPECT_EQ(second[i].value, x.to_int().bit(i));
        }
        expect_tight(circuit);
    }
}

// Proofs of inclusion with the root allocated last, as the published digests have it.
TEST(MerkleGadget, SizesAndDigests) {
    const auto circuit_for = [](TreeHasher hasher, const std::vector<u32>& arities) {
        return [hasher, arities](auto& cs) {
            MerklePath path;
            u64 seed = 20;
            for (const u32 arity : arities)
                path.levels.push_back({random_elements(arity - 1, seed++), arity / 2});
            const Fr leaf = Fr::from_u64(77);
            const Num leaf_num = cs.alloc_num(leaf);
            // The same rows as merkle_inclusion, but for the place where the root is allocated.
            Num current = leaf_num;
            Bits index;
            for (const auto& level : path.levels) {
                const Bits bits = alloc_bits(cs, level.index,
                                             static_cast<std::size_t>(std::bit_width(level.siblings.size())));
                index.insert(index.end(), bits.begin(), bits.end());
                const auto siblings = alloc_all(cs, level.siblings);
                current =
                    hash_children(cs, hasher, insert(cs, current, bits, std::span<const Num>(siblings)));
            }
            pack_into_inputs(cs, std::span<const Bit>(index));
            const Num root = cs.alloc_num(merkle_root(hasher, leaf, path));
            enforce_equal(cs, current, root);
        };
    };
    const auto poseidon_tree = circuit_for(TreeHasher::kPoseidon, {8, 8, 8, 2});
    InstancedR1cs r1cs = structure_of(poseidon_tree);
    EXPECT_EQ(r1cs.inputs, 2u);
    EXPECT_EQ(r1cs.aux, 1928u);
    EXPECT_EQ(r1cs.constraints, 1906u);
    EXPECT_EQ(digest_structure(r1cs, 4096, true).tcs_blake2s,
              "4e7946e0dfd305ad955eb8871b286f7fc720651de2f5c9051afc83f2b29657b3");
    expect_tight(poseidon_tree);

    const auto sha_tree = circuit_for(TreeHasher::kSha256, std::vector<u32>(6, 2));
    r1cs = structure_of(sha_tree);
    EXPECT_EQ(r1cs.aux, 272012u);
    EXPECT_EQ(r1cs.constraints, 272294u);
    EXPECT_EQ(digest_structure(r1cs, 4096, true).tcs_blake2s,
              "66830b3f7dfc02ea2f6b72409e4cacf22b48fd61aeae8e0dcb0baf43cbe0754f");
    expect_tight(sha_tree, 30011);
}

}  // namespace
}  // namespace cuzk::filecoin
