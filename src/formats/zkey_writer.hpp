// Writes .zkey files that snarkjs accepts, sections in the order 1 to 10.
#pragma once

#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "formats/digest.hpp"
#include "groth16/key_sink.hpp"

namespace cuzk {

// Streams a kSnarkjs key into a file; nothing appears under `path` before end() has returned. Calls out of order, or
// point counts other than the header implies, throw Error(kInternal).
template <class C>
class ZkeySink final : public KeySink<C> {
public:
    using G1 = typename C::G1;
    using G2 = typename C::G2;

    // `transcript` becomes section 10 as it is. If it is empty, one is made: without contributions (or with one that
    // carries the header's notice), its circuit hash BLAKE2b-512 of the other sections' data as they were written.
    explicit ZkeySink(std::string path, std::vector<u8> transcript = {});

    void begin(const KeyHeader<C>& header) override;
    void begin_query(Query query, std::size_t points) override;
    void add(std::span<const Affine<G1>> points) override;
    void add(std::span<const Affine<G2>> points) override;
    void end() override;

    // The same for points that lie in memory already.
    void add_raw(std::span<const u8> bytes);

private:
    void data(std::span<const u8> bytes);
    void data_u32(u32 value);
    template <class G>
    void data_point(const Affine<G>& point);
    void write_header(const KeyHeader<C>& header);
    void write_coefficients(const KeyHeader<C>& header);
    void finish_query() const;

    OutputFile file_;
    Hasher hasher_{Hasher::Algorithm::kBlake2b512};
    std::vector<u8> transcript_;
    std::string notice_;
    u64 query_left_ = 0;  // bytes that the open query still expects
};

// A whole key that is in memory or mapped. `transcript`: as above.
template <class C>
void write_zkey(const std::string& path, const ProvingKey<C>& key, std::vector<u8> transcript = {});

extern template class ZkeySink<Bn254>;
extern template class ZkeySink<Bls12_381>;
extern template void write_zkey<Bn254>(const std::string&, const ProvingKey<Bn254>&, std::vector<u8>);
extern template void write_zkey<Bls12_381>(const std::string&, const ProvingKey<Bls12_381>&, std::vector<u8>);

}  // namespace cuzk
