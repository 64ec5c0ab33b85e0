#include "formats/snarkjs_json.hpp"

#include <fmt/format.h>

#include "curve/pairing.hpp"
#include "formats/decimal.hpp"
#include "formats/json_text.hpp"
#include "formats/point_checks.hpp"

namespace cuzk {

namespace {

using Json = nlohmann::ordered_json;

// ---- reading

template <class F>
F read_number(const JsonPlace& place) {
    const std::string& text = place.text();
    const auto value = from_decimal<F::kLimbs>(text);
    if (!value) {
        if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
            place.fail("is not a decimal number");
        if (text.size() > 1 && text[0] == '0') place.fail("has leading zeros");
    }
    if (!value || *value >= F::Constants::kModulus)
        place.fail(fmt::format("is not below the modulus of {}", F::Params::kName));
    return F::from_int(*value);
}

template <class F>
struct Coordinate {
    static F read(const JsonPlace& place) { return read_number<F>(place); }
    static Json write(const F& x) { return to_decimal(x.to_int()); }
};

template <class F>
struct Coordinate<Fp2<F>> {
    static Fp2<F> read(const JsonPlace& place) {
        const F c0 = read_number<F>(place.element(0, 2));
        return {c0, read_number<F>(place.element(1, 2))};
    }
    static Json write(const Fp2<F>& x) {
        return Json::array({to_decimal(x.c0.to_int()), to_decimal(x.c1.to_int())});
    }
};

template <class G>
bool looks_swapped(const Affine<G>& p) {
    if constexpr (requires { p.x.c1; }) {
        const Affine<G> swapped{{p.x.c1, p.x.c0}, {p.y.c1, p.y.c0}};
        return swapped.is_on_curve();
    } else {
        return false;
    }
}

template <class G>
Affine<G> read_point(const JsonPlace& place, bool allow_infinity) {
    using F = typename G::Field;
    const F x = Coordinate<F>::read(place.element(0, 3));
    const F y = Coordinate<F>::read(place.element(1, 3));
    const F z = Coordinate<F>::read(place.element(2, 3));
    if (z.is_zero()) {
        if (!x.is_zero() || !y.is_one())
            place.fail("has third coordinate 0, but is not the point at infinity (0 : 1 : 0)");
        if (!allow_infinity) place.fail("is the point at infinity");
        return Affine<G>::infinity();
    }
    if (!z.is_one()) place.fail("has a third coordinate other than 1");
    const Affine<G> point{x, y};
    if (!point.is_on_curve() || point.is_infinity())
        place.fail(looks_swapped(point) ? "is not on the curve, but would be with the two halves of each "
                                          "coordinate swapped (as Ethereum orders them)"
                                        : "is not on the curve");
    if (!in_subgroup(point)) place.fail("is on the curve, but outside the prime-order subgroup");
    return point;
}

std::optional<CurveId> read_curve(const JsonPlace& root) {
    if (root.has("protocol")) {
        const auto protocol = root.member("protocol");
        if (protocol.text() != "groth16" && protocol.text() != "groth")
            protocol.fail(fmt::format("the protocol \"{}\" is not supported, only groth16", protocol.text()),
                          ErrorKind::kUnsupported);
    }
    if (!root.has("curve")) return std::nullopt;
    const auto place = root.member("curve");
    const auto curve = curve_from_name(place.text());
    if (!curve)
        place.fail(fmt::format("the curve \"{}\" is not supported (bn128, bls12381)", place.text()),
                   ErrorKind::kUnsupported);
    return curve;
}

template <class C>
void require_curve(const JsonPlace& root) {
    const auto curve = read_curve(root);
    if (curve && *curve != curve_id<C>())
        root.member("curve").fail(fmt::format("is {}, {} is wanted", curve_name(*curve), C::kName),
                                  ErrorKind::kUnsupported);
}

// ---- writing

template <class G>
Json point_json(const Affine<G>& p) {
    using F = typename G::Field;
    using W = Coordinate<F>;
    if (p.is_infinity()) return Json::array({W::write(F::zero()), W::write(F::one()), W::write(F::zero())});
    return Json::array({W::write(p.x), W::write(p.y), W::write(F::one())});
}

template <class Gt>
Json gt_json(const Gt& value) {
    Json halves = Json::array();
    for (const auto* half : {&value.c0, &value.c1}) {
        Json parts = Json::array();
        for (const auto* part : {&half->c0, &half->c1, &half->c2})
            parts.push_back(Coordinate<std::remove_cvref_t<decltype(*part)>>::write(*part));
        halves.push_back(std::move(parts));
    }
    return halves;
}

std::string as_text(const Json& value) {
    return value.dump(1) + "\n";
}

}  // namespace

std::optional<CurveId> json_curve(const ByteSource& source) {
    const auto document = parse_json(source);
    return read_curve(JsonPlace(document, source.name));
}

template <class C>
Proof<C> read_proof_json(const ByteSource& source) {
    const auto document = parse_json(source);
    const JsonPlace root(document, source.name);
    require_curve<C>(root);
    Proof<C> proof;
    proof.a = read_point<typename C::G1>(root.member("pi_a"), false);
    proof.b = read_point<typename C::G2>(root.member("pi_b"), false);
    proof.c = read_point<typename C::G1>(root.member("pi_c"), false);
    return proof;
}

template <class C>
std::string proof_to_json(const Proof<C>& proof) {
    Json out;
    out["pi_a"] = point_json(proof.a);
    out["pi_b"] = point_json(proof.b);
    out["pi_c"] = point_json(proof.c);
    out["protocol"] = "groth16";
    out["curve"] = C::kName;
    return as_text(out);
}

template <class C>
std::vector<typename C::Fr> read_public_json(const ByteSource& source) {
    const auto document = parse_json(source);
    const JsonPlace root(document, source.name);
    const std::size_t count = root.array_size();
    std::vector<typename C::Fr> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(read_number<typename C::Fr>(root.element(i, count)));
    return values;
}

template <class C>
std::string public_to_json(std::span<const typename C::Fr> values) {
    Json out = Json::array();
    for (const auto& value : values) out.push_back(to_decimal(value.to_int()));
    return as_text(out);
}

template <class C>
VerifyingKey<C> read_vk_json(const ByteSource& source) {
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    const auto document = parse_json(source);
    const JsonPlace root(document, source.name);
    require_curve<C>(root);
    VerifyingKey<C> vk;
    vk.alpha_g1 = read_point<G1>(root.member("vk_alpha_1"), false);
    vk.beta_g2 = read_point<G2>(root.member("vk_beta_2"), false);
    vk.gamma_g2 = read_point<G2>(root.member("vk_gamma_2"), false);
    vk.delta_g2 = read_point<G2>(root.member("vk_delta_2"), false);
    const u64 public_inputs = root.member("nPublic").unsigned_number();
    const auto ic = root.member("IC");
    const std::size_t count = ic.array_size();
    if (count == 0 || count - 1 != public_inputs)
        ic.fail(fmt::format("has {} points; {} public inputs need one more than that", count, public_inputs));
    vk.ic.reserve(count);
    for (std::size_t i = 0; i < count; ++i) vk.ic.push_back(read_point<G1>(ic.element(i, count), true));
    return vk;
}

template <class C>
std::string vk_to_json(const VerifyingKey<C>& vk) {
    Json out;
    out["protocol"] = "groth16";
    out["curve"] = C::kName;
    out["nPublic"] = vk.public_inputs();
    out["vk_alpha_1"] = point_json(vk.alpha_g1);
    out["vk_beta_2"] = point_json(vk.beta_g2);
    out["vk_gamma_2"] = point_json(vk.gamma_g2);
    out["vk_delta_2"] = point_json(vk.delta_g2);
    out["vk_alphabeta_12"] = gt_json(pairing<C>(vk.alpha_g1, vk.beta_g2));
    out["IC"] = Json::array();
    for (const auto& point : vk.ic) out["IC"].push_back(point_json(point));
    return as_text(out);
}

template <class C>
std::optional<bool> vk_json_alphabeta_matches(const ByteSource& source, const VerifyingKey<C>& vk) {
    const auto document = parse_json(source);
    if (!document.is_object() || !document.contains("vk_alphabeta_12")) return std::nullopt;
    return document["vk_alphabeta_12"] == nlohmann::json(gt_json(pairing<C>(vk.alpha_g1, vk.beta_g2)));
}

template <class C>
std::string solidity_calldata(const Proof<C>& proof, std::span<const typename C::Fr> public_inputs) {
    // Words of 256 bits; a longer field's numbers are printed as they are.
    const auto word = [](const auto& x) { return fmt::format("\"0x{}\"", to_hex(x.to_int(), 64)); };
    const auto pair = [&](const auto& x, const auto& y) { return fmt::format("[{}, {}]", word(x), word(y)); };
    std::vector<std::string> inputs;
    for (const auto& value : public_inputs) inputs.push_back(word(value));
    // Ethereum's precompile takes the imaginary half first
    return fmt::format("{},[{},{}],{},[{}]\n", pair(proof.a.x, proof.a.y), pair(proof.b.x.c1, proof.b.x.c0),
                       pair(proof.b.y.c1, proof.b.y.c0), pair(proof.c.x, proof.c.y), fmt::join(inputs, ","));
}

#define CUZK_DEFINE_SNARKJS_JSON(C)                                                                       \
    template Proof<C> read_proof_json<C>(const ByteSource&);                                              \
    template std::string proof_to_json<C>(const Proof<C>&);                                               \
    template std::vector<C::Fr> read_public_json<C>(const ByteSource&);                                   \
    template std::string public_to_json<C>(std::span<const C::Fr>);                                       \
    template VerifyingKey<C> read_vk_json<C>(const ByteSource&);                                          \
    template std::string vk_to_json<C>(const VerifyingKey<C>&);                                           \
    template std::optional<bool> vk_json_alphabeta_matches<C>(const ByteSource&, const VerifyingKey<C>&); \
    template std::string solidity_calldata<C>(const Proof<C>&, std::span<const C::Fr>);
CUZK_DEFINE_SNARKJS_JSON(Bn254)
CUZK_DEFINE_SNARKJS_JSON(Bls12_381)
#undef CUZK_DEFINE_SNARKJS_JSON

}  // namespace cuzk
