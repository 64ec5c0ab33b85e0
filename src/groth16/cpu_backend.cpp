#include "groth16/cpu_backend.hpp"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/large_vector.hpp"
#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "groth16/assemble.hpp"
#include "groth16/instanced_circuit.hpp"
#include "groth16/key_checks.hpp"
#include "groth16/quotient.hpp"
#include "groth16/stage.hpp"
#include "msm/msm.hpp"
#include "poly/pointwise.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kGrain = 4096;
// Vectors up to this size stay for the next proof. Larger ones go back to the system: fetching them anew takes less than a hundredth of
// the proof's time, and whoever plans the host's memory counts them only while a proof has them.
constexpr u64 kMostKept = u64{64} << 20;

// The vectors of one proof. Each holds max(domain, variables) elements and changes its meaning as the proof
// proceeds.
template <class Fr>
struct Vectors {
    explicit Vectors(std::size_t size) : a(size), b(size), c(size) {}

    u64 bytes() const { return 3 * a.size() * sizeof(Fr); }
    // They hold the witness; it must not outlive the proof in memory that others get.
    void wipe() {
        for (auto* v : {&a, &b, &c})
            parallel_ranges(0, v->size(), std::size_t{1} << 15, [v](std::size_t first, std::size_t last) {
                explicit_bzero(static_cast<void*>(v->data() + first), (last - first) * sizeof(Fr));
            });
    }

    LargeVector<Fr> a, b, c;
};

// Canonical integers held in the storage of field elements, to spare a second vector.
template <class Fr>
std::span<const typename Fr::Int> as_integers(std::span<const Fr> values) {
    static_assert(sizeof(Fr) == sizeof(typename Fr::Int) && alignof(Fr) == alignof(typename Fr::Int));
    return {reinterpret_cast<const typename Fr::Int*>(values.data()), values.size()};
}

// out[i] = the canonical integer of in[i], in the storage of out; in and out may be the same.
template <class Fr>
std::span<const typename Fr::Int> to_integers(std::span<const Fr> in, std::span<Fr> out) {
    parallel_ranges(0, in.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) out[i] = Fr::from_montgomery(in[i].to_int());
    });
    return as_integers<Fr>(out.first(in.size()));
}

// The integers of in[i] where bit i is set, packed, in the storage of out; returns how many.
template <class Fr>
std::size_t pack_integers(std::span<const Fr> in, const DensityBits& bits, std::span<Fr> out) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < in.size(); ++i)
        if (bits[i]) out[n++] = Fr::from_montgomery(in[i].to_int());
    return n;
}

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
    throw Error(ErrorKind::kMalformed, (key.empty() ? "" : key + ": ") + what);
}

template <class G>
Jacobian<G> run_msm(const ProveMonitor& monitor, const char* stage, AffineView<G> bases,
                    std::span<const typename G::Scalar::Int> scalars) {
    const Stage timer(monitor, stage, bases.size() * sizeof(Affine<G>) + scalars.size_bytes());
    const Jacobian<G> sum = msm<G>(bases, scalars);
    // A key that is used where it lies in its file need not be in memory as a whole at any time.
    MappedFile::release({bases.data(), bases.size() * sizeof(Affine<G>)});
    return sum;
}

}  // namespace

template <class C>
struct CpuBackend<C>::ResidentKey {
    explicit ResidentKey(std::shared_ptr<const ProvingKey<C>> k)
        : key(std::move(k)), quotient(key->family, key->log_domain) {}

    std::size_t vector_size() const { return std::max(key->domain(), key->variables); }

    std::shared_ptr<const ProvingKey<C>> key;
    Quotient<Fr> quotient;
};

// Keeps the vectors of the last proof, if they are small, for the next one, and counts what is out.
template <class C>
class CpuBackend<C>::WorkingMemory {
public:
    using Held = std::unique_ptr<Vectors<Fr>>;

    // Gives its vectors back, wiped, when the proof ends in whatever way.
    class Lease {
    public:
        Lease(WorkingMemory& owner, Held vectors) : owner_(owner), vectors_(std::move(vectors)) {}
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease() { owner_.give_back(std::move(vectors_)); }
        Vectors<Fr>& operator*() { return *vectors_; }

    private:
        WorkingMemory& owner_;
        Held vectors_;
    };

    Lease take(std::size_t size) {
        {
            const std::lock_guard lock(mutex_);
            if (idle_ && idle_->a.size() == size) return Lease(*this, std::move(idle_));
            drop_idle();
        }
        auto vectors = std::make_unique<Vectors<Fr>>(size);
        const std::lock_guard lock(mutex_);
        bytes_ += vectors->bytes();
        peak_ = std::max(peak_, bytes_);
        return Lease(*this, std::move(vectors));
    }

    void trim() {
        const std::lock_guard lock(mutex_);
        drop_idle();
    }

    std::pair<u64, u64> bytes_and_peak() const {
        const std::lock_guard lock(mutex_);
        return {bytes_, peak_};
    }

private:
    void give_back(Held vectors) {
        vectors->wipe();
        const std::lock_guard lock(mutex_);
        if (vectors->bytes() > kMostKept) {
            bytes_ -= vectors->bytes();
            return;
        }
        drop_idle();
        idle_ = std::move(vectors);
    }
    void drop_idle() {
        if (!idle_) return;
        bytes_ -= idle_->bytes();
        idle_.reset();
    }

    mutable std::mutex mutex_;
    Held idle_;
    u64 bytes_ = 0;
    u64 peak_ = 0;
};

template <class C>
CpuBackend<C>::CpuBackend() : working_(std::make_unique<WorkingMemory>()) {}

template <class C>
CpuBackend<C>::~CpuBackend() = default;

template <class C>
KeyHandle CpuBackend<C>::load(std::shared_ptr<const ProvingKey<C>> key, Progress*) {
    check_shape(*key);
    auto resident = std::make_shared<const ResidentKey>(std::move(key));
    const std::lock_guard lock(mutex_);
    const KeyHandle handle{next_handle_++};
    keys_.emplace(handle, std::move(resident));
    return handle;
}

template <class C>
void CpuBackend<C>::evict(KeyHandle handle) {
    const std::lock_guard lock(mutex_);
    if (keys_.erase(handle) == 0) throw Error(ErrorKind::kUsage, "no such key is loaded");
    if (keys_.empty()) working_->trim();
}

template <class C>
std::shared_ptr<const typename CpuBackend<C>::ResidentKey> CpuBackend<C>::find(KeyHandle handle) const {
    const std::lock_guard lock(mutex_);
    const auto it = keys_.find(handle);
    if (it == keys_.end()) throw Error(ErrorKind::kUsage, "no such key is loaded");
    return it->second;
}

template <class C>
Proof<C> CpuBackend<C>::prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                              const ProveMonitor& monitor) {
    const auto resident = find(handle);
    const ProvingKey<C>& key = *resident->key;
    if (key.family != KeyFamily::kSnarkjs)
        throw Error(ErrorKind::kUsage,
                    "a bellman key holds no matrices: it proves ready assignments, not a witness");
    if (z.size() != key.variables)
        refuse(key.name, "the key is for " + std::to_string(key.variables) + " variables, the witness has " +
                             std::to_string(z.size()));

    auto lease = working_->take(resident->vector_size());
    Vectors<Fr>& v = *lease;
    const std::size_t n = key.domain();
    {
        const Stage stage(monitor, "abc");
        const auto evaluate = [&](const SparseMatrix<Fr>& matrix, LargeVector<Fr>& out) {
            matrix.multiply(z, std::span<Fr>(out).first(matrix.rows()));
            std::fill(out.begin() + static_cast<std::ptrdiff_t>(matrix.rows()),
                      out.begin() + static_cast<std::ptrdiff_t>(n), Fr::zero());
        };
        evaluate(*key.a_matrix, v.a);
        evaluate(*key.b_matrix, v.b);
        // The key holds no C matrix; where the witness satisfies the circuit, C z is the product of the other
        // two.
        multiply<Fr>(std::span(v.a).first(n), std::span(v.b).first(n), std::span(v.c).first(n));
    }

    Sums<C> sums;
    const std::span<Fr> a = std::span(v.a).first(n);
    {
        const Stage stage(monitor, "h");
        resident->quotient.compute(a, std::span(v.b).first(n), std::span(v.c).first(n));
        to_integers<Fr>(a, a);
    }
    sums.h = run_msm<typename C::G1>(monitor, "msm h", key.h, as_integers<Fr>(a.first(key.h.size())));
    const auto scalars = to_integers<Fr>(z, v.b);
    sums.a = run_msm<typename C::G1>(monitor, "msm a", key.a, scalars);
    sums.b_g1 = run_msm<typename C::G1>(monitor, "msm b g1", key.b_g1, scalars);
    sums.b_g2 = run_msm<typename C::G2>(monitor, "msm b g2", key.b_g2, scalars);
    sums.l = run_msm<typename C::G1>(monitor, "msm l", key.l, scalars.subspan(key.public_inputs() + 1));
    return assemble(key.vk, sums, blinding);
}

template <class C>
Proof<C> CpuBackend<C>::prove(KeyHandle handle, const Assignment<Fr>& assignment,
                              const Blinding<Fr>& blinding, const ProveMonitor& monitor) {
    const auto resident = find(handle);
    const ProvingKey<C>& key = *resident->key;
    if (key.family != KeyFamily::kBellman)
        throw Error(ErrorKind::kUsage, "a snarkjs key proves a witness: ready rows are for bellman keys");
    check_assignment(key, assignment);

    auto lease = working_->take(resident->vector_size());
    Vectors<Fr>& v = *lease;
    const std::size_t n = key.domain();
    Sums<C> sums;
    const std::span<Fr> a = std::span(v.a).first(n);
    {
        const Stage stage(monitor, "h");
        const auto pad = [n](std::span<const Fr> in, LargeVector<Fr>& out) {
            std::copy(in.begin(), in.end(), out.begin());
            std::fill(out.begin() + static_cast<std::ptrdiff_t>(in.size()),
                      out.begin() + static_cast<std::ptrdiff_t>(n), Fr::zero());
        };
        pad(assignment.a, v.a);
        pad(assignment.b, v.b);
        pad(assignment.c, v.c);
        resident->quotient.compute(a, std::span(v.b).first(n), std::span(v.c).first(n));
        to_integers<Fr>(a, a);
    }
    sums.h = run_msm<typename C::G1>(monitor, "msm h", key.h, as_integers<Fr>(a.first(key.h.size())));

    const std::span<const Fr> inputs = assignment.z.first(assignment.inputs);
    const std::span<const Fr> aux = assignment.z.subspan(assignment.inputs);
    const auto packed = std::span(v.b);
    std::size_t used = to_integers<Fr>(inputs, packed).size();
    used += pack_integers<Fr>(aux, assignment.a_aux, packed.subspan(used));
    sums.a = run_msm<typename C::G1>(monitor, "msm a", key.a, as_integers<Fr>(packed.first(used)));

    used = pack_integers<Fr>(inputs, assignment.b_inputs, packed);
    used += pack_integers<Fr>(aux, assignment.b_aux, packed.subspan(used));
    const auto b_scalars = as_integers<Fr>(packed.first(used));
    sums.b_g1 = run_msm<typename C::G1>(monitor, "msm b g1", key.b_g1, b_scalars);
    sums.b_g2 = run_msm<typename C::G2>(monitor, "msm b g2", key.b_g2, b_scalars);

    sums.l = run_msm<typename C::G1>(monitor, "msm l", key.l, to_integers<Fr>(aux, packed));
    return assemble(key.vk, sums, blinding);
}

template <class C>
Proof<C> CpuBackend<C>::prove(KeyHandle handle, const CompactWitness<Fr>& witness,
                              const Blinding<Fr>& blinding, const ProveMonitor& monitor) {
    const auto resident = find(handle);
    if (!resident->key->circuit)
        throw Error(ErrorKind::kUsage, "the key came without its circuit: it proves ready assignments only");
    const Assignment<Fr> assignment = [&] {
        const Stage stage(monitor, "abc");
        return resident->key->circuit->assignment(witness);
    }();
    return prove(handle, assignment, blinding, monitor);
}

template <class C>
std::vector<MemoryReport> CpuBackend<C>::memory() const {
    const auto [bytes, peak] = working_->bytes_and_peak();
    return {{"host", 0, bytes, peak}};
}

template class CpuBackend<Bls12_381>;
template class CpuBackend<Bn254>;

}  // namespace cuzk
