// Registered circuits in the engine: real keys of both curves, on the processor.
#include <gtest/gtest.h>

#include <fstream>

#include "base/random.hpp"
#include "engine/circuit_work.hpp"
#include "engine/engine.hpp"
#include "engine/journal.hpp"
#include "fakes.hpp"
#include "formats/bellman.hpp"
#include "formats/digest.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/setup.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::engine {
namespace {

using fakes::TemporaryFolder;
using Encoding = CircuitRequest::Encoding;

std::string data(const std::string& name) {
    return std::string(CUZK_TEST_DATA_DIR) + "/" + name;
}
std::vector<u8> bytes_of(const std::string& path) {
    const ByteSource source = ByteSource::open(path);
    return {source.bytes.begin(), source.bytes.end()};
}

// "bits" over a curve, as `bits-bn128` or `bits-bls12381`.
CircuitSpec spec(const std::string& folder, bool with_r1cs = true) {
    return {folder, data(folder + "/circuit.zkey"), with_r1cs ? data(folder + "/circuit.r1cs") : "", false};
}

std::unique_ptr<Engine> make_engine(
    fakes::World& world, const std::vector<CircuitSpec>& specs, EngineConfig config = fakes::small_config(),
    std::shared_ptr<Backend<Bn254>> bn254 = std::make_shared<CpuBackend<Bn254>>()) {
    CircuitRegistry registry;
    for (const CircuitSpec& s : specs) registry.add(s);
    config.host_budget = u64{2} << 30;
    return std::make_unique<Engine>(
        std::move(config),
        make_circuit_workload(std::move(registry), std::make_unique<fakes::FakeWorkload>(world)),
        std::vector<DeviceSpec>{
            {make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>(), 0, std::move(bn254)),
             false}});
}

JobRequest request(const std::string& id, std::vector<u8> witness, Encoding encoding = Encoding::kWtns) {
    JobRequest r;
    r.content = CircuitRequest{id, encoding, std::move(witness)};
    return r;
}

template <class C>
std::vector<u8> values_of(const std::string& folder) {
    const auto source = ByteSource::open(data(folder + "/witness.wtns"));
    const auto values = wtns_values<C>(source);
    return {values.begin(), values.end()};
}

template <class C>
Proof<C> proof_of(const std::vector<u8>& bytes) {
    const ByteSource source = ByteSource::borrow("proof", bytes);
    if constexpr (std::is_same_v<C, Bn254>)
        return read_bn254_proof_bytes(source);
    else
        return read_proof_bytes(source).at(0);
}

template <class C>
class CircuitOn : public ::testing::Test {
protected:
    static std::string folder(const std::string& circuit) { return circuit + "-" + C::kName; }
    static void expect_valid(const std::string& folder, const JobResult& result, const VerifyingKey<C>& vk) {
        ASSERT_EQ(result.state, JobState::kCompleted) << result.error;
        EXPECT_EQ(result.proof.size(), (std::is_same_v<C, Bn254> ? 256u : 192u));
        EXPECT_EQ(result.circuit_id, folder);
        const auto inputs = read_public_json<C>(ByteSource::open(data(folder + "/public.json")));
        EXPECT_TRUE(Verifier<C>(vk).verify(proof_of<C>(result.proof), inputs));
        ASSERT_EQ(result.public_inputs.size(), 32 * inputs.size());
        std::vector<u8> expected(result.public_inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i)
            inputs[i].to_bytes_le(std::span<u8, 32>(expected.data() + 32 * i, 32));
        EXPECT_EQ(result.public_inputs, expected);
    }
    static VerifyingKey<C> vk(const std::string& folder) {
        return read_vk_json<C>(ByteSource::open(data(folder + "/vkey.json")));
    }
    fakes::World world_;
};
using Curves = ::testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(CircuitOn, Curves);

TYPED_TEST(CircuitOn, ProvesWitnessFilesAndPlainValues) {
    const std::string folder = this->folder("bits");
    const auto engine = make_engine(this->world_, {spec(folder), spec(this->folder("chain30"), false)});
    const Ticket first = engine->submit(request(folder, bytes_of(data(folder + "/witness.wtns"))));
    const Ticket second = engine->submit(request(folder, values_of<TypeParam>(folder), Encoding::kValues));
    const std::string other = this->folder("chain30");
    const Ticket third = engine->submit(request(other, bytes_of(data(other + "/witness.wtns"))));
    this->expect_valid(folder, fakes::finish(*engine, first.job_id), this->vk(folder));
    this->expect_valid(folder, fakes::finish(*engine, second.job_id), this->vk(folder));
    this->expect_valid(other, fakes::finish(*engine, third.job_id), this->vk(other));

    const EngineStatus status = engine->status();
    EXPECT_EQ(status.completed_by_kind[kind_index(JobKind::kCircuit)], 3u);
    ASSERT_EQ(status.circuits.size(), 2u);
    const CircuitInfo& bits = status.circuits[0];
    EXPECT_EQ(bits.id, folder);
    EXPECT_EQ(bits.curve, TypeParam::kName);
    EXPECT_TRUE(bits.constraints);
    EXPECT_FALSE(status.circuits[1].constraints) << "a .zkey does not tell";
    EXPECT_EQ(bits.variables * 32, values_of<TypeParam>(folder).size());
    const auto text = bytes_of(data(folder + "/vkey.json"));
    EXPECT_EQ(bits.key_digest, hex_text(sha256(text)));
    const auto key = std::find_if(status.keys.begin(), status.keys.end(),
                                  [&](const KeyStatus& k) { return k.circuit_id == folder; });
    ASSERT_NE(key, status.keys.end());
    EXPECT_EQ(key->key_bytes, bits.key_bytes);
    EXPECT_TRUE(engine->preload(folder).already_loaded);
    EXPECT_TRUE(fakes::eventually([&] { return engine->status().keys[0].evictable; }));
    EXPECT_TRUE(engine->evict(folder).was_loaded);
    EXPECT_THROW(engine->evict("bits"), Error);
    fakes::expect_at_rest(*engine);
}

TYPED_TEST(CircuitOn, EqualContentUnderOneIdJoins) {
    const std::string folder = this->folder("multiplier");
    const auto engine = make_engine(this->world_, {spec(folder)});
    JobRequest r = request(folder, bytes_of(data(folder + "/witness.wtns")));
    r.request_id = "mine";
    const Ticket first = engine->submit(r);
    EXPECT_TRUE(engine->submit(r).joined);
    std::get<CircuitRequest>(r.content) = {folder, Encoding::kValues, values_of<TypeParam>(folder)};
    const Ticket other = engine->submit(r);
    EXPECT_FALSE(other.joined) << "the encoding is content, too";
    EXPECT_NE(other.job_id, first.job_id);
    this->expect_valid(folder, fakes::finish(*engine, first.job_id), this->vk(folder));
    this->expect_valid(folder, fakes::finish(*engine, other.job_id), this->vk(folder));
}

TYPED_TEST(CircuitOn, WitnessesThatAreNoneAreRefusedAtOnce) {
    const std::string folder = this->folder("bits");
    const std::string stranger =
        std::string("bits-") + (TypeParam::kName == Bn254::kName ? "bls12381" : "bn128");
    const auto engine = make_engine(this->world_, {spec(folder)});
    const std::vector<u8> file = bytes_of(data(folder + "/witness.wtns"));
    const std::vector<u8> values = values_of<TypeParam>(folder);
    const auto refused = [&](const std::string& id, std::vector<u8> witness, Encoding encoding,
                             const std::string& why, ErrorKind kind = ErrorKind::kMalformed) {
        try {
            engine->submit(request(id, std::move(witness), encoding));
            ADD_FAILURE() << "accepted; wanted: " << why;
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    refused("other", values, Encoding::kValues, "no circuit 'other' is registered", ErrorKind::kUsage);
    refused(folder, {}, Encoding::kValues, "has 0 values");
    refused(folder, {}, Encoding::kWtns, "witness for circuit");
    refused(folder, values, Encoding::kWtns, "witness for circuit");
    refused(folder, file, Encoding::kValues, "no whole number of values");
    refused(folder, bytes_of(data(stranger + "/witness.wtns")), Encoding::kWtns, "the circuit over");
    auto changed = values;
    changed.resize(changed.size() - 32);
    refused(folder, changed, Encoding::kValues, "has " + std::to_string(changed.size() / 32) + " values");
    changed = values;
    std::fill_n(changed.begin() + 64, 32, u8{0xff});
    refused(folder, changed, Encoding::kValues, "the value of variable 2 is not below the modulus");
    changed = values;
    changed[31] = 1;
    refused(folder, changed, Encoding::kValues, "variable 0");
    auto cut = file;
    cut.pop_back();
    refused(folder, cut, Encoding::kWtns, "witness for circuit");
    refused(this->folder("bits"), bytes_of(data(this->folder("chain30") + "/witness.wtns")), Encoding::kWtns,
            "values, the circuit");
    EXPECT_TRUE(engine->status().jobs.empty());
    fakes::expect_at_rest(*engine);
}

TYPED_TEST(CircuitOn, AWitnessThatBreaksTheCircuitFailsItsJobAndNothingElse) {
    const std::string folder = this->folder("bits"), plain = this->folder("multiplier");
    const auto engine = make_engine(this->world_, {spec(folder), spec(plain, false)});
    for (const std::string& id : {folder, plain}) {
        auto values = values_of<TypeParam>(id);
        values[values.size() - 32] ^= 1;
        const JobResult result =
            fakes::finish(*engine, engine->submit(request(id, values, Encoding::kValues)).job_id);
        EXPECT_EQ(result.state, JobState::kFailed);
        EXPECT_EQ(result.error_kind, ErrorKind::kUnsatisfied) << result.error;
        EXPECT_NE(result.error.find(id == folder ? "constraint" : "the witness does not satisfy"),
                  std::string::npos)
            << result.error;
        EXPECT_TRUE(result.proof.empty());
        EXPECT_TRUE(result.public_inputs.empty());
    }
    EXPECT_FALSE(engine->status().devices[0].retired);
    const Ticket good = engine->submit(request(folder, bytes_of(data(folder + "/witness.wtns"))));
    this->expect_valid(folder, fakes::finish(*engine, good.job_id), this->vk(folder));
}

TYPED_TEST(CircuitOn, AJournalKeepsRequestsAndResults) {
    const std::string folder = this->folder("bits");
    const TemporaryFolder journal;
    const JobContent content =
        CircuitRequest{folder, Encoding::kWtns, bytes_of(data(folder + "/witness.wtns"))};
    const JobContent lost = CircuitRequest{"gone", Encoding::kWtns, {1}};
    {  // accepted by a process that was killed before it proved anything
        Journal before(journal.path(), nullptr);
        before.accept({"mine", "mine", "client", content_digest(content), JobKind::kCircuit, folder,
                       Priority::kHigh, Milliseconds(0)},
                      content);
        before.accept({"lost", "lost", "client", content_digest(lost), JobKind::kCircuit, "gone",
                       Priority::kNormal, Milliseconds(0)},
                      lost);
    }
    EngineConfig config = fakes::small_config();
    config.journal_folder = journal.path();
    for (int run = 0; run < 2; ++run) {  // the second time from the journal's result
        const auto engine = make_engine(this->world_, {spec(folder)}, config);
        this->expect_valid(folder, fakes::finish(*engine, "mine"), this->vk(folder));
        EXPECT_EQ(engine->job("mine")->kind, JobKind::kCircuit);
        EXPECT_EQ(engine->job("mine")->circuit_id, folder);
        const JobResult other = fakes::finish(*engine, "lost");
        EXPECT_EQ(other.state, JobState::kFailed);
        EXPECT_NE(other.error.find("no circuit 'gone' is registered"), std::string::npos) << other.error;
    }
}

TYPED_TEST(CircuitOn, AKeyThatWasExchangedIsNotUsed) {
    const TemporaryFolder folder;
    const std::string id = this->folder("bits"), key = folder.path() + "/key.zkey";
    std::filesystem::copy(data(id + "/circuit.zkey"), key);
    const auto engine = make_engine(this->world_, {{id, key, "", false}});
    std::filesystem::remove(key);
    std::filesystem::copy(data(this->folder("multiplier") + "/circuit.zkey"), key);
    const JobResult result =
        fakes::finish(*engine, engine->submit(request(id, bytes_of(data(id + "/witness.wtns")))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_NE(result.error.find("is another key than when the circuit was registered"), std::string::npos)
        << result.error;
}

TEST(Circuit, BellmanParametersWithTheirCircuit) {
    using C = Bls12_381;
    const std::string id = "bits-bls12381";
    const TemporaryFolder folder;
    const std::string key = folder.path() + "/bits.params";
    const auto circuit = read_r1cs<C>(ByteSource::open(data(id + "/circuit.r1cs")));
    OsRandom random;
    ParamsSink sink(key);
    const VerifyingKey<C> vk = setup<C>(KeyFamily::kBellman, circuit.system, random, sink);

    fakes::World world;
    const auto engine = make_engine(world, {{id, key, data(id + "/circuit.r1cs"), false}});
    const JobResult good =
        fakes::finish(*engine, engine->submit(request(id, bytes_of(data(id + "/witness.wtns")))).job_id);
    ASSERT_EQ(good.state, JobState::kCompleted) << good.error;
    const auto inputs = read_public_json<C>(ByteSource::open(data(id + "/public.json")));
    EXPECT_TRUE(Verifier<C>(vk).verify(proof_of<C>(good.proof), inputs));

    auto values = values_of<C>(id);
    values[values.size() - 32] ^= 1;
    const JobResult bad =
        fakes::finish(*engine, engine->submit(request(id, values, Encoding::kValues)).job_id);
    EXPECT_EQ(bad.error_kind, ErrorKind::kUnsatisfied) << bad.error;
    EXPECT_NE(bad.error.find("constraint"), std::string::npos) << bad.error;
}

// Spoils its first proofs.
class FaultyBackend final : public Backend<Bn254> {
public:
    explicit FaultyBackend(int wrong_proofs) : wrong_left_(wrong_proofs) {}
    std::string name() const override { return "faulty"; }
    KeyHandle load(std::shared_ptr<const ProvingKey<Bn254>> key, Progress* progress) override {
        return real_.load(std::move(key), progress);
    }
    void evict(KeyHandle handle) override { real_.evict(handle); }
    Proof<Bn254> prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                       const ProveMonitor& monitor) override {
        Proof<Bn254> proof = real_.prove(handle, z, blinding, monitor);
        if (wrong_left_-- > 0) std::swap(proof.a, proof.c);
        return proof;
    }
    Proof<Bn254> prove(KeyHandle handle, const Assignment<Fr>& assignment, const Blinding<Fr>& blinding,
                       const ProveMonitor& monitor) override {
        return real_.prove(handle, assignment, blinding, monitor);
    }
    Proof<Bn254> prove(KeyHandle handle, const CompactWitness<Fr>& witness, const Blinding<Fr>& blinding,
                       const ProveMonitor& monitor) override {
        return real_.prove(handle, witness, blinding, monitor);
    }
    std::vector<MemoryReport> memory() const override { return real_.memory(); }

private:
    CpuBackend<Bn254> real_;
    std::atomic<int> wrong_left_;
};

TEST(Circuit, ADeviceThatErredOnceIsNotTakenForABadWitness) {
    const std::string id = "multiplier-bn128";
    for (const bool with_r1cs : {false, true}) {
        fakes::World world;
        const auto engine = make_engine(world, {spec(id, with_r1cs)}, fakes::small_config(),
                                        std::make_shared<FaultyBackend>(1));
        const JobResult result =
            fakes::finish(*engine, engine->submit(request(id, bytes_of(data(id + "/witness.wtns")))).job_id);
        EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
        // With the circuit the engine knows whose fault it was.
        EXPECT_EQ(engine->metrics().total("cuzk_selfcheck_failures_total"), with_r1cs ? 1 : 0);
    }
}

TEST(Circuit, ADeviceWithoutTheCurveSaysSo) {
    const std::string id = "multiplier-bn128";
    fakes::World world;
    const auto engine = make_engine(world, {spec(id)}, fakes::small_config(), nullptr);
    const JobResult result =
        fakes::finish(*engine, engine->submit(request(id, bytes_of(data(id + "/witness.wtns")))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_NE(result.error.find("was set up without bn128"), std::string::npos) << result.error;
}

TEST(Circuit, AKeyThatAnyoneCanForgeForIsUsedWhereItIsAllowed) {
    const std::string id = "insecure-bn128";
    fakes::World world;
    const auto engine = make_engine(world, {{id, data(id + "/circuit.zkey"), "", true}});
    const JobResult result =
        fakes::finish(*engine, engine->submit(request(id, bytes_of(data(id + "/witness.wtns")))).job_id);
    EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
}

TEST(Circuit, EntriesThatCannotBeServedAreRefused) {
    const std::string zkey = data("bits-bn128/circuit.zkey");
    const auto complaint = [](const CircuitSpec& wrong, ErrorKind kind) -> std::string {
        CircuitRegistry registry;
        registry.add(spec("multiplier-bn128"));
        try {
            registry.add(wrong);
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            EXPECT_EQ(registry.infos().size(), 1u);
            return e.what();
        }
        return "accepted";
    };
    const auto expect = [&](const CircuitSpec& wrong, ErrorKind kind, const std::string& why) {
        const std::string said = complaint(wrong, kind);
        EXPECT_NE(said.find(why), std::string::npos) << said;
    };
    for (const char* id : {"", "a b", "a/b", "ä"})
        expect({id, zkey, "", false}, ErrorKind::kUsage, "is no id");
    expect({std::string(65, 'a'), zkey, "", false}, ErrorKind::kUsage, "is no id");
    expect({"porep-32g", zkey, "", false}, ErrorKind::kUsage, "the name of a Filecoin circuit");
    expect({"multiplier-bn128", zkey, "", false}, ErrorKind::kUsage, "two circuits 'multiplier-bn128'");
    expect({"x", "/nowhere.zkey", "", false}, ErrorKind::kEnvironment, "/nowhere.zkey");
    expect({"x", data("bits-bn128/vkey.json"), "", false}, ErrorKind::kMalformed, "this is not a");
    expect({"x", zkey, data("multiplier-bn128/circuit.r1cs"), false}, ErrorKind::kMalformed,
           "is not the circuit of");
    expect({"x", zkey, data("bits-bls12381/circuit.r1cs"), false}, ErrorKind::kMalformed,
           "it is over bls12381");
    const std::string weak = data("insecure-bn128/circuit.zkey");
    expect({"x", weak, "", false}, ErrorKind::kUnsupported, "anyone can forge");
    CircuitRegistry registry;
    registry.add({"x", weak, "", true});
    EXPECT_GT(registry.bn254_device_memory(), registry.infos()[0].key_bytes);
    EXPECT_EQ(CircuitRegistry().bn254_device_memory(), 0u);
}

}  // namespace
}  // namespace cuzk::engine
