// Takes an iden3 container (.zkey, .wtns, .r1cs) apart, lets a test change it, and puts it together again.
#pragma once

#include <algorithm>
#include <cstring>

#include "fixtures.hpp"

namespace cuzk::test {

inline u64 load_le(const u8* p, std::size_t n) {
    u64 value = 0;
    for (std::size_t i = 0; i < n; ++i) value |= u64{p[i]} << (8 * i);
    return value;
}
inline void store_le(u8* p, std::size_t n, u64 value) {
    for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<u8>(value >> (8 * i));
}

struct Iden3Editor {
    struct Section {
        u32 id;
        Bytes data;
    };
    Bytes magic_and_version;
    std::vector<Section> sections;

    explicit Iden3Editor(const Bytes& file) : magic_and_version(file.begin(), file.begin() + 8) {
        std::size_t at = 12;
        for (u64 i = load_le(file.data() + 8, 4); i > 0; --i) {
            const auto id = static_cast<u32>(load_le(file.data() + at, 4));
            const std::size_t size = load_le(file.data() + at + 4, 8);
            const auto data = file.begin() + static_cast<std::ptrdiff_t>(at + 12);
            sections.push_back({id, Bytes(data, data + static_cast<std::ptrdiff_t>(size))});
            at += 12 + size;
        }
    }

    Bytes& section(u32 id) {
        return std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.id == id; })
            ->data;
    }
    void erase(u32 id) {
        std::erase_if(sections, [&](const Section& s) { return s.id == id; });
    }

    Bytes build() const {
        Bytes out = magic_and_version;
        const auto append = [&](u64 value, std::size_t n) {
            out.resize(out.size() + n);
            store_le(out.data() + out.size() - n, n, value);
        };
        append(sections.size(), 4);
        for (const auto& s : sections) {
            append(s.id, 4);
            append(s.data.size(), 8);
            out.insert(out.end(), s.data.begin(), s.data.end());
        }
        return out;
    }
    ByteSource source(std::string name = "mutated") const { return in_memory(build(), std::move(name)); }

    // Offsets where a section header or its data begins, and the end of the file.
    std::vector<std::size_t> boundaries() const {
        std::vector<std::size_t> out{4, 8, 12};
        std::size_t at = 12;
        for (const auto& s : sections) {
            out.push_back(at);
            out.push_back(at + 4);
            out.push_back(at + 12);
            at += 12 + s.data.size();
        }
        out.push_back(at);
        return out;
    }
};

}  // namespace cuzk::test
