#include "filecoin/vanilla/c1.hpp"

#include <simdjson.h>

#include <map>

#include "filecoin/vanilla/base64.hpp"

namespace cuzk::filecoin {

namespace {

namespace od = simdjson::ondemand;

// Context of a message: the blob's name and the field being read.
struct Place {
    const std::string& name;
    std::string field;
    Place in(const std::string& more) const { return {name, field.empty() ? more : field + ", " + more}; }
    [[noreturn]] void fail(const std::string& reason) const {
        throw Error(ErrorKind::kMalformed, name + ": " + (field.empty() ? "" : field + ": ") + reason);
    }
};

template <class T>
T get(simdjson::simdjson_result<T> result, const Place& place) {
    T value;
    if (const auto error = std::move(result).get(value)) place.fail(simdjson::error_message(error));
    return value;
}

od::value field(od::object& object, const char* key, const Place& place) {
    return get(object.find_field_unordered(key), place.in(key));
}
od::object object_at(od::object& parent, const char* key, const Place& place) {
    od::value v = field(parent, key, place);
    return get(v.get_object(), place.in(key));
}

std::array<u8, 32> bytes32(od::value v, const Place& place) {
    std::array<u8, 32> out{};
    std::size_t n = 0;
    for (auto item : get(v.get_array(), place)) {
        u64 byte = 0;
        if (n == 32 || item.get_uint64().get(byte) != simdjson::SUCCESS || byte > 255)
            place.fail("is no array of 32 bytes");
        out[n++] = static_cast<u8>(byte);
    }
    if (n != 32) place.fail("is no array of 32 bytes");
    return out;
}

Fr element(od::value v, const Place& place) {
    const auto x = Fr::from_bytes_le(bytes32(v, place));
    if (!x) place.fail("is no canonical element of the scalar field");
    return *x;
}

void append_path(od::object& part, const char* key, const Place& place, MerklePath& path) {
    od::object wrapper = object_at(part, key, place);
    od::value list = field(wrapper, "path", place);
    for (auto entry : get(list.get_array(), place)) {
        od::object level_object = get(entry.get_object(), place);
        MerklePath::Level level;
        od::value hashes = field(level_object, "hashes", place);
        for (auto hash : get(hashes.get_array(), place)) {
            if (level.siblings.size() == 7) place.fail("a level has more than 7 siblings");
            level.siblings.push_back(element(get(hash, place), place));
        }
        const u64 index = get(field(level_object, "index", place).get_uint64(), place);
        if (index > level.siblings.size()) place.fail("an index is not below the arity of its level");
        level.index = static_cast<u32>(index);
        path.levels.push_back(std::move(level));
        if (path.levels.size() > 64) place.fail("a Merkle path of more than 64 levels");
    }
}

MerkleProof merkle_proof(od::object& parent, const char* key, const Place& outer) {
    const Place place = outer.in(key);
    od::object proof = object_at(parent, key, outer);
    od::object data = object_at(proof, "data", place);
    MerkleProof out;
    for (auto variant : data) {
        const std::string_view kind = get(variant.unescaped_key(), place);
        od::object part = get(variant.value().get_object(), place);
        if (kind == "Single") {
            out.root = element(field(part, "root", place), place.in("root"));
            out.leaf = element(field(part, "leaf", place), place.in("leaf"));
            append_path(part, "path", place, out.path);
        } else if (kind == "Sub" || kind == "Top") {
            append_path(part, "base_proof", place, out.path);
            append_path(part, "sub_proof", place, out.path);
            if (kind == "Top") append_path(part, "top_proof", place, out.path);
            out.root = element(field(part, "root", place), place.in("root"));
            out.leaf = element(field(part, "leaf", place), place.in("leaf"));
        } else {
            place.fail("unknown kind of Merkle proof '" + std::string(kind) + "'");
        }
        return out;
    }
    place.fail("holds no Merkle proof");
}

struct Tree {
    const SectorShape& shape;
    std::vector<u32> poseidon, binary;
};

struct Roots {
    Fr tree_r, tree_c;
    bool known = false;
};

PorepParent parent(od::value v, const Tree& tree, const Place& place, Fr& root) {
    od::object o = get(v.get_object(), place);
    PorepParent out;
    od::object column = object_at(o, "column", place);
    od::value rows = field(column, "rows", place);
    for (auto row : get(rows.get_array(), place.in("rows"))) {
        if (out.column.size() == tree.shape.layers) place.fail("the column has more labels than layers");
        out.column.push_back(element(get(row, place), place.in("rows")));
    }
    if (out.column.size() != tree.shape.layers) place.fail("the column has fewer labels than layers");
    MerkleProof proof = merkle_proof(o, "inclusion_proof", place);
    require_shape(proof.path, tree.poseidon, place.name + ": " + place.field + ", inclusion_proof");
    root = proof.root;
    out.path = std::move(proof.path);
    return out;
}

PorepChallenge challenge(od::value v, const Tree& tree, const Place& place, Roots& roots) {
    const auto same_root = [&](Fr& known, const Fr& root, const char* what) {
        if (roots.known && !(known == root))
            place.fail(std::string("another root of ") + what + " than before");
        known = root;
    };
    od::object o = get(v.get_object(), place);
    PorepChallenge c;
    MerkleProof data = merkle_proof(o, "comm_d_proofs", place);
    require_shape(data.path, tree.binary, place.name + ": " + place.field + ", comm_d_proofs");
    c.data_leaf = data.leaf;
    c.data_path = std::move(data.path);
    MerkleProof replica = merkle_proof(o, "comm_r_last_proof", place);
    require_shape(replica.path, tree.poseidon, place.name + ": " + place.field + ", comm_r_last_proof");
    same_root(roots.tree_r, replica.root, "tree R");
    c.replica_path = std::move(replica.path);

    od::object columns = object_at(o, "replica_column_proofs", place);
    od::object own = object_at(columns, "c_x", place);
    MerkleProof column = merkle_proof(own, "inclusion_proof", place.in("c_x"));
    require_shape(column.path, tree.poseidon, place.name + ": " + place.field + ", c_x");
    same_root(roots.tree_c, column.root, "tree C");
    c.column_path = std::move(column.path);
    roots.known = true;
    for (const auto& [key, count] :
         {std::pair{"drg_parents", kDrgParents}, std::pair{"exp_parents", kExpanderParents}}) {
        od::value list = field(columns, key, place);
        u32 n = 0;
        for (auto item : get(list.get_array(), place.in(key))) {
            const Place here = place.in(std::string(key) + ' ' + std::to_string(n));
            Fr root;
            c.parents.push_back(parent(get(item, here), tree, here, root));
            if (!(root == roots.tree_c)) here.fail("another root of tree C than c_x");
            if (++n > count) here.fail("too many parents");
        }
        if (n != count)
            place.in(key).fail("holds " + std::to_string(n) + " parents instead of " + std::to_string(count));
    }
    od::value labels = field(o, "labeling_proofs", place);
    for (auto item : get(labels.get_array(), place.in("labeling_proofs"))) {
        od::object label = get(item.get_object(), place.in("labeling_proofs"));
        c.node = get(field(label, "node", place).get_uint64(), place.in("node"));
        if (c.node >= tree.shape.nodes()) place.in("node").fail("is beyond the sector");
        return c;
    }
    place.fail("labeling_proofs is empty");
}

void parse_proof_name(const std::string& text, C1Output& out, const std::string& name) {
    static const std::map<std::string, std::pair<bool, bool>> suffixes = {
        {"V1", {false, false}},
        {"V1_1", {false, false}},
        {"V1_1_Feat_SyntheticPoRep", {true, false}},
        {"V1_2_Feat_NonInteractivePoRep", {false, true}}};
    const std::string prefix = "StackedDrg";
    const auto end = text.find("iBV1");
    if (text.rfind(prefix, 0) == 0 && end != std::string::npos) {
        const auto known = suffixes.find(text.substr(end + 2));
        if (known != suffixes.end()) {
            out.registered_proof = text;
            out.sector_size = parse_sector_size(text.substr(prefix.size(), end + 2 - prefix.size()));
            std::tie(out.synthetic, out.non_interactive) = known->second;
            return;
        }
    }
    throw Error(ErrorKind::kUnsupported,
                name + ": registered_proof '" + text + "' is none that this build knows");
}

C1Output decode_bare(od::document& document, const std::string& name) {
    const Place top{name, ""};
    od::object o = get(document.get_object(), top);

    C1Output out;
    const std::string_view proof_name =
        get(field(o, "registered_proof", top).get_string(), top.in("registered_proof"));
    parse_proof_name(std::string(proof_name), out, name);
    const SectorShape shape = sector_shape(out.sector_size);
    const Tree tree{shape, shape.tree_arities(), std::vector<u32>(shape.log_nodes(), 2)};
    Roots roots;
    const u32 partitions = out.non_interactive ? shape.ni_partitions : shape.porep_partitions;

    od::object by_name = object_at(o, "vanilla_proofs", top);
    for (auto entry : by_name) {
        for (auto list : get(entry.value().get_array(), top.in("vanilla_proofs"))) {
            const Place place = top.in("partition " + std::to_string(out.partitions.size()));
            if (out.partitions.size() == partitions)
                place.fail("there are more partitions than this proof kind has");
            PorepPartition p;
            p.layers = shape.layers;
            for (auto item : get(list.get_array(), place)) {
                const Place here = place.in("challenge " + std::to_string(p.challenges.size()));
                if (p.challenges.size() == shape.porep_challenges)
                    here.fail("there are more challenges than allowed");
                p.challenges.push_back(challenge(get(item, here), tree, here, roots));
            }
            if (p.challenges.size() != shape.porep_challenges)
                place.fail("holds " + std::to_string(p.challenges.size()) + " challenges instead of " +
                           std::to_string(shape.porep_challenges));
            out.partitions.push_back(std::move(p));
        }
        break;
    }
    if (out.partitions.size() != partitions)
        top.fail("holds " + std::to_string(out.partitions.size()) + " partitions instead of " +
                 std::to_string(partitions));

    out.comm_r = element(field(o, "comm_r", top), top.in("comm_r"));
    out.comm_d = element(field(o, "comm_d", top), top.in("comm_d"));
    out.replica_id = element(field(o, "replica_id", top), top.in("replica_id"));
    out.seed = bytes32(field(o, "seed", top), top.in("seed"));
    out.ticket = bytes32(field(o, "ticket", top), top.in("ticket"));
    const auto all_zero = [](const std::array<u8, 32>& b) {
        return std::all_of(b.begin(), b.end(), [](u8 x) { return x == 0; });
    };
    if (all_zero(out.seed)) top.in("seed").fail("is all zero");
    if (out.comm_d.is_zero()) top.in("comm_d").fail("is all zero");
    if (out.comm_r.is_zero()) top.in("comm_r").fail("is all zero");
    for (PorepPartition& p : out.partitions) {
        p.replica_id = out.replica_id;
        p.comm_d = out.comm_d;
        p.comm_r = out.comm_r;
        p.comm_r_last = roots.tree_r;
        p.comm_c = roots.tree_c;
    }
    return out;
}

}  // namespace

C1Output decode_c1(std::span<const u8> json, const std::string& name) {
    const simdjson::padded_string text(reinterpret_cast<const char*>(json.data()), json.size());
    od::parser parser;
    od::document document;
    od::object o;
    std::string_view wrapped;
    const Place top{name, ""};
    if (const auto error = parser.iterate(text).get(document)) top.fail(simdjson::error_message(error));
    if (document.get_object().get(o) != simdjson::SUCCESS) top.fail("is no JSON object");
    if (o.find_field_unordered("Phase1Out").get_string().get(wrapped) != simdjson::SUCCESS) {
        // From the start: a document that was left with an error can not be rewound.
        if (const auto error = parser.iterate(text).get(document)) top.fail(simdjson::error_message(error));
        return decode_bare(document, name);
    }
    const std::string where = name + ": Phase1Out";
    std::vector<u8> inner = decode_base64(wrapped, where);
    const std::size_t size = inner.size();
    inner.resize(size + simdjson::SIMDJSON_PADDING);
    const simdjson::padded_string_view view(reinterpret_cast<const char*>(inner.data()), size, inner.size());
    od::document inner_document;
    od::parser inner_parser;
    if (const auto error = inner_parser.iterate(view).get(inner_document))
        throw Error(ErrorKind::kMalformed, where + ": " + simdjson::error_message(error));
    return decode_bare(inner_document, where);
}

}  // namespace cuzk::filecoin
