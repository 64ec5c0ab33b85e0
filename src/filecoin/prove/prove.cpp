#include "filecoin/prove/prove.hpp"

#include "formats/proof_bytes.hpp"

namespace cuzk::filecoin {

std::vector<u8> prove_job(const ProofJob& job, Prover<Bls12_381>& prover, const ProveOptions<Fr>& options) {
    std::vector<u8> out;
    for (std::size_t k = 0; k < job.partitions.size(); ++k) {
        report_progress(options.monitor.progress, "partitions", k, job.partitions.size());
        const CompactWitness witness = [&] {
            const StageTimer timer(options.monitor.stages, "witness");
            return job.witness(k);
        }();
        const auto bytes = proof_to_bytes(prover.prove(witness, options));
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
    report_progress(options.monitor.progress, "partitions", job.partitions.size(), job.partitions.size());
    return out;
}

bool verify_partitions(std::vector<std::vector<Fr>> inputs, const Verifier<Bls12_381>& verifier,
                       std::span<const u8> proof_bytes, const std::string& name) {
    const auto proofs = read_proof_bytes(ByteSource::borrow(name, proof_bytes));
    if (proofs.size() != inputs.size())
        throw Error(ErrorKind::kMalformed, name + ": holds " + std::to_string(proofs.size()) +
                                               " proofs, there are " + std::to_string(inputs.size()) +
                                               " partitions");
    std::vector<Statement<Bls12_381>> statements;
    for (std::size_t k = 0; k < proofs.size(); ++k) statements.push_back({proofs[k], std::move(inputs[k])});
    OsRandom random;
    return verifier.verify_all(statements, random);
}

bool verify_job(const ProofJob& job, const Verifier<Bls12_381>& verifier, std::span<const u8> proof_bytes,
                const std::string& name) {
    std::vector<std::vector<Fr>> inputs;
    for (std::size_t k = 0; k < job.partitions.size(); ++k) {
        inputs.push_back(job.witness(k).inputs);
        inputs.back().erase(inputs.back().begin());  // the constant one is no public input
    }
    return verify_partitions(std::move(inputs), verifier, proof_bytes, name);
}

}  // namespace cuzk::filecoin
