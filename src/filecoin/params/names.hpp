// Names of the network's parameter files.
#pragma once

#include <string>
#include <vector>

#include "filecoin/circuits/compile.hpp"

namespace cuzk::filecoin {

// The string that identifies a circuit's public parameters, byte for byte as the network's software prints it.
std::string parameter_identifier(CircuitKind kind, const SectorShape& shape);

// "v28-<prefix>-<hex SHA-256 of the identifier>", without ".params" or ".vk".
std::string parameter_name(CircuitKind kind, const SectorShape& shape);

// What the network publishes of a file: the first 32 hex digits of its BLAKE2b-512.
struct PublishedDigest {
    CircuitKind kind;
    u64 sector_bytes;
    const char* params;
    const char* vk;
};
// The published digests known to this build; other sizes have development parameters only.
std::vector<PublishedDigest> published_digests();

// FIL_PROOFS_PARAMETER_CACHE, or the network's default folder.
std::string parameter_folder();

}  // namespace cuzk::filecoin
