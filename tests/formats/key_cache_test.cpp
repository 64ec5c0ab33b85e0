#include "formats/key_cache.hpp"

#include <random>

#include "formats/detect.hpp"
#include "formats/digest.hpp"
#include "formats/inspect.hpp"
#include "formats/key_cache_layout.hpp"
#include "formats/key_cache_writer.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/prover.hpp"
#include "key_fixtures.hpp"

namespace cuzk::test {
namespace {

constexpr const char* kCircuit = "a test's circuit";

struct Made {
    TemporaryFolder folder;
    std::string params = folder.file("p.params"), cache = folder.file("p.cuzk-key");
    explicit Made(const std::string& circuit) {
        make_params(circuit, params);
        EXPECT_TRUE(write_key_cache(params, kCircuit, cache));
    }
};

Bytes cache_of(const std::string& circuit) {
    return read_bytes(Made(circuit).cache);
}

void store_le(Bytes& bytes, std::size_t at, u64 value, int size) {
    for (int i = 0; i < size; ++i)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<u8>(value >> (8 * i));
}

// What a forger would do: makes the digest of header and trailer fit again.
Bytes resealed(Bytes bytes) {
    static const std::size_t header = KeyCacheFile(in_memory(cache_of("chain30"))).queries()[0].offset;
    Hasher hasher(Hasher::Algorithm::kSha256);
    hasher.update(std::span(bytes).first(header));
    const auto trailer = std::span(bytes).last(key_cache::kTrailerBytes);
    hasher.update(trailer.first(trailer.size() - 32));
    hasher.finish(trailer.last(32));
    return bytes;
}

template <class G>
void expect_equal(AffineView<G> x, AffineView<G> y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], y[i]) << i;
}

TEST(KeyCache, HoldsTheKeyOfItsSource) {
    for (const char* circuit : {"multiplier", "factor33", "linear", "chain30", "mimc_merkle"}) {
        const Made made(circuit);
        const ParamsFile params(ByteSource::open(made.params));
        const auto wanted = params.proving_key();
        const KeyCacheFile file(ByteSource::open(made.cache));
        EXPECT_EQ(file.circuit(), kCircuit);
        EXPECT_EQ(file.made_from(), FileStamp::of(made.params));
        EXPECT_EQ(hex_text(file.source_digest()), hex_text(blake2b_512(params.source().bytes)));
        EXPECT_EQ(file.source().bytes.size(), key_cache_bytes(params, kCircuit));
        file.check({PointChecks::kSubgroup, nullptr});

        const auto key = file.proving_key();
        EXPECT_EQ(key.vk, wanted.vk);
        EXPECT_EQ(key.variables, wanted.variables);
        EXPECT_EQ(key.log_domain, wanted.log_domain);
        expect_equal(key.h, wanted.h);
        expect_equal(key.l, wanted.l);
        expect_equal(key.a, wanted.a);
        expect_equal(key.b_g1, wanted.b_g1);
        expect_equal(key.b_g2, wanted.b_g2);
        for (const auto& query : file.queries()) {
            EXPECT_EQ(query.offset % 4096, 0u) << query.name;
        }
        // Used in place, and where the processor wants them.
        EXPECT_EQ(key.h.data(), file.source().bytes.data() + file.queries()[0].offset);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(key.b_g2.data()) % 4096, 0u);
    }
}

TEST(KeyCache, IsMadeEqualEveryTime) {
    const Made made("chain30");
    const Bytes first = read_bytes(made.cache);
    EXPECT_TRUE(write_key_cache(made.params, kCircuit, made.cache));
    EXPECT_EQ(read_bytes(made.cache), first);
    EXPECT_EQ(made.folder.files(), 2u);
}

TEST(KeyCache, ProvesAsItsSourceDoes) {
    const Made made("chain30");
    const auto r1cs = bls_circuit("chain30").system;
    const auto z = read_wtns<Bls12_381>(data_file("chain30-bls12381/witness.wtns"));
    const auto proof_with = [&](ProvingKey<Bls12_381> key) {
        CpuBackend<Bls12_381> backend;
        Prover<Bls12_381> prover(backend, std::make_shared<const ProvingKey<Bls12_381>>(std::move(key)));
        ProveOptions<Bls12_381Fr> options;
        options.fixed = FixedBlinding<Bls12_381Fr>{{}, Bls12_381Fr::from_u64(3), Bls12_381Fr::from_u64(5)};
        const auto assignment = make_assignment(r1cs, z, r1cs.constraints() + r1cs.public_inputs + 1,
                                                [](std::size_t i) { return i; });
        return prover.prove(assignment, options);
    };
    EXPECT_EQ(proof_with(KeyCacheFile(ByteSource::open(made.cache)).proving_key()),
              proof_with(read_params(ByteSource::open(made.params))));
}

TEST(KeyCache, AStoppedWriterLeavesNothing) {
    const TemporaryFolder folder;
    make_params("chain30", folder.file("p"));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(write_key_cache(folder.file("p"), kCircuit, folder.file("c"),
                                 {PointChecks::kNone, nullptr, stop.get_token()}));
    EXPECT_EQ(folder.files(), 1u);
}

TEST(KeyCache, ABadSourceMakesNoCache) {
    const TemporaryFolder folder;
    make_params("chain30", folder.file("p"));
    Bytes bytes = read_bytes(folder.file("p"));
    const ParamsFile good(in_memory(bytes));
    bytes[good.queries()[2].offset + 95] ^= 1;
    std::ofstream(folder.file("q"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    expect_refused(
        [&] {
            write_key_cache(folder.file("q"), kCircuit, folder.file("c"), {PointChecks::kCurve, nullptr, {}});
        },
        {"a query", "point 0", "is not on the curve"});
    EXPECT_FALSE(std::filesystem::exists(folder.file("c")));
    expect_refused([&] { write_key_cache(folder.file("none"), kCircuit, folder.file("c")); }, {"none"},
                   ErrorKind::kEnvironment);
}

TEST(KeyCache, RefuseEveryTruncationAndWhatFollows) {
    const Bytes file = cache_of("chain30");
    const KeyCacheFile good(in_memory(file));
    std::vector<std::size_t> cuts{0, 1, 7, 8, 12, 24, 40, 104, 120, file.size() - 1, file.size() - 256};
    for (const auto& query : good.queries())
        for (const std::size_t cut : {query.offset - 1, query.offset, query.offset + 1}) cuts.push_back(cut);
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) cuts.push_back(random() % file.size());
    for (const std::size_t cut : cuts)
        expect_refused(
            [&] {
                KeyCacheFile{in_memory({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut)})};
            },
            {"mutated: header", "offset"});
    Bytes longer = file;
    longer.push_back(0);
    expect_refused([&] { KeyCacheFile{in_memory(longer)}; }, {"was written with"});
}

TEST(KeyCache, RefuseWhatIsNotOurs) {
    const Bytes file = cache_of("chain30");
    const auto refused = [&](std::size_t at, u32 value, const std::vector<std::string>& parts) {
        Bytes other = file;
        store_le(other, at, value, 4);
        expect_refused([&] { KeyCacheFile{in_memory(other)}; }, parts, ErrorKind::kUnsupported);
    };
    refused(8, 2, {"offset 0x8", "version 2"});
    refused(12, 2, {"offset 0xc", "curve 2"});
    refused(16, 7, {"offset 0x10", "key family 7"});
    Bytes other = file;
    other[0] = 'C';
    expect_refused([&] { KeyCacheFile{in_memory(other)}; }, {"is no key cache"});
}

TEST(KeyCache, EveryBitOfHeaderAndTrailerCounts) {
    const Bytes file = cache_of("multiplier");
    const std::size_t header = KeyCacheFile(in_memory(file)).queries()[0].offset;
    std::mt19937 random(9);
    for (int i = 0; i < 300; ++i) {
        Bytes bad = file;
        const std::size_t at = i % 2 == 0 ? random() % header : file.size() - 1 - random() % 256;
        bad[at] ^= static_cast<u8>(1u << (random() % 8));
        EXPECT_THROW(KeyCacheFile{in_memory(bad)}, Error) << at;
    }
}

// Numbers that a forger put in, digest and all. A query may be shorter than it was (its digest tells), and a name, which nothing
// depends on.
TEST(KeyCache, RefuseLyingNumbers) {
    const Bytes file = cache_of("chain30");
    for (const std::size_t at : {20, 24, 32, 40, 48, 56, 64, 72, 80, 88, 112}) {
        const int size = at == 20 || at == 112 ? 4 : 8;
        for (const u64 value : {u64{0}, u64{1}, u64{4096}, u64{65535}, ~u64{0}, u64{1} << 63, u64{1} << 58}) {
            Bytes lying = file;
            SCOPED_TRACE(std::to_string(at) + " " + std::to_string(value));
            store_le(lying, at, value, size);
            if (lying == file) continue;
            expect_refused([&] { KeyCacheFile{in_memory(resealed(lying))}.check_digests(); }, {"mutated: "});
        }
        for (const u64 step : {u64{1}, ~u64{0}}) {
            Bytes lying = file;
            u64 value = 0;
            for (int i = size; i-- > 0;) value = value << 8 | file[at + static_cast<std::size_t>(i)];
            SCOPED_TRACE(std::to_string(at) + " + " + std::to_string(step));
            store_le(lying, at, value + step, size);
            if (at == 112) continue;
            expect_refused([&] { KeyCacheFile{in_memory(resealed(lying))}.check_digests(); }, {"mutated: "});
        }
    }
}

TEST(KeyCache, RefuseBadPointsOfTheVerifyingKey) {
    const Bytes file = cache_of("chain30");
    const std::size_t vk = key_cache::kFixedBytes + 16;  // the name has 16 bytes
    Bytes off = file;
    off[vk] ^= 1;
    expect_refused([&] { KeyCacheFile{in_memory(resealed(off))}; },
                   {"verifying key", "alpha in G1", "is not on the curve"});
    Bytes large = file;
    std::fill_n(large.begin() + static_cast<std::ptrdiff_t>(vk), 48, u8{0xff});
    expect_refused([&] { KeyCacheFile{in_memory(resealed(large))}; }, {"alpha in G1", "below"});
    Bytes infinity = file;
    std::fill_n(infinity.begin() + static_cast<std::ptrdiff_t>(vk) + 192, 96, u8{0});
    expect_refused([&] { KeyCacheFile{in_memory(resealed(infinity))}; },
                   {"delta in G1 is the point at infinity"});
}

// Loading does not look at the queries; checking does.
TEST(KeyCache, CheckFindsDamagedPoints) {
    const Bytes file = cache_of("chain30");
    const KeyCacheFile good(in_memory(file));
    EXPECT_NO_THROW(good.check_digests());
    for (const auto& query : good.queries()) {
        const std::size_t at = query.offset + query.point_bytes;  // point 1
        const auto section = std::string(query.name) + " query";
        const auto check = [&](const Bytes& bytes, PointChecks checks) {
            KeyCacheFile{in_memory(bytes)}.check({checks, nullptr});
        };
        Bytes off = file;
        off[at] ^= 1;
        expect_refused([&] { check(off, PointChecks::kCurve); }, {section, "point 1", "is not on the curve"});
        expect_refused([&] { check(off, PointChecks::kNone); }, {section, "digest"});
        EXPECT_NO_THROW(KeyCacheFile{in_memory(off)}.proving_key());
        Bytes large = file;
        std::fill_n(large.begin() + static_cast<std::ptrdiff_t>(at), 48, u8{0xff});
        expect_refused([&] { check(large, PointChecks::kCurve); }, {section, "point 1", "below"});
        Bytes infinity = file;
        std::fill_n(infinity.begin() + static_cast<std::ptrdiff_t>(at), query.point_bytes, u8{0});
        expect_refused([&] { check(infinity, PointChecks::kCurve); },
                       {section, "point 1 is the point at infinity"});
        // A valid point in the wrong place: only the digest tells.
        Bytes swapped = file;
        std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(at - query.point_bytes),
                         swapped.begin() + static_cast<std::ptrdiff_t>(at),
                         swapped.begin() + static_cast<std::ptrdiff_t>(at));
        expect_refused([&] { check(swapped, PointChecks::kSubgroup); }, {section, "digest"});
        Bytes padded = file;
        padded[query.offset + query.count * query.point_bytes] = 1;
        expect_refused([&] { check(padded, PointChecks::kNone); }, {section, "padding"});
    }
}

TEST(KeyCache, IsKnownToInspect) {
    const Made made("chain30");
    EXPECT_EQ(detect(ByteSource::open(made.cache)).kind, FileKind::kKeyCache);
    const auto report = inspect(ByteSource::open(made.cache));
    EXPECT_FALSE(report.has_danger());
    EXPECT_EQ(report.facts["circuit"], kCircuit);
    EXPECT_EQ(report.facts["digests_match"], true);
    EXPECT_EQ(report.sections.size(), 6u);
    const auto deep = inspect(ByteSource::open(made.cache), {true, nullptr});
    EXPECT_EQ(deep.facts["all_points_checked"], true);

    Bytes bad = read_bytes(made.cache);
    bad[KeyCacheFile(ByteSource::open(made.cache)).queries()[1].offset] ^= 1;
    EXPECT_TRUE(inspect(in_memory(bad)).has_danger());
    expect_refused([&] { inspect(in_memory({bad.begin(), bad.begin() + 5000})); }, {"was written with"});
}

TEST(KeyCache, MutationsEndInErrorsOrKeys) {
    const Bytes file = cache_of("multiplier");
    std::mt19937 random(11);
    for (int i = 0; i < 400; ++i) {
        Bytes bad = file;
        for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<u8>(random());
        expect_no_crash([&] {
            const KeyCacheFile mutated(in_memory(bad));
            mutated.check({PointChecks::kSubgroup, nullptr});
        });
    }
}

}  // namespace
}  // namespace cuzk::test
