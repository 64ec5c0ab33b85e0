// The digest of one query in a key cache: SHA-256 over the SHA-256 of its chunks.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "formats/digest.hpp"
#include "formats/key_cache_layout.hpp"

namespace cuzk::key_cache {

// Takes the bytes in pieces of any size. Not thread-safe; uses threads of its own.
class QueryHasher {
public:
    void update(std::span<const u8> bytes) {
        if (!rest_.empty()) {
            const std::size_t more = std::min(bytes.size(), kChunk - rest_.size());
            rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(more));
            bytes = bytes.subspan(more);
            if (rest_.size() < kChunk) return;
            over_chunks_.update(sha256(rest_));
            rest_.clear();
        }
        std::vector<std::array<u8, kSha256Bytes>> digests(bytes.size() / kChunk);
        parallel_for(0, digests.size(),
                     [&](std::size_t i) { digests[i] = sha256(bytes.subspan(i * kChunk, kChunk)); });
        for (const auto& digest : digests) over_chunks_.update(digest);
        const auto left = bytes.subspan(digests.size() * kChunk);
        rest_.assign(left.begin(), left.end());
    }

    std::array<u8, kSha256Bytes> finish() {
        if (!rest_.empty()) over_chunks_.update(sha256(rest_));
        std::array<u8, kSha256Bytes> out{};
        over_chunks_.finish(out);
        return out;
    }

private:
    Hasher over_chunks_{Hasher::Algorithm::kSha256};
    std::vector<u8> rest_;
};

}  // namespace cuzk::key_cache
