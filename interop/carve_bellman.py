#!/usr/bin/env python3
"""carve_bellman.py BINARY OUT_DIR: writes the bellman parameter files embedded in a native module.

A BLS12-381 parameter file starts with alpha (G1), beta (G1), beta (G2), gamma (G2); ceremonies of the Sapling kind leave
gamma at the generator, so its uncompressed encoding marks a candidate 384 bytes after the start. Behind the body follows
the ceremony transcript: a 64-byte circuit digest, a big-endian count, 544 bytes a contribution. Prints one JSON line a file.
"""
import hashlib
import json
import mmap
import pathlib
import struct
import sys

G2_GENERATOR = bytes.fromhex(
    "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
    "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"
    "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801"
)
G1, G2 = 96, 192
SECTIONS = (("ic", G1), ("h", G1), ("l", G1), ("a", G1), ("b_g1", G1), ("b_g2", G2))
BEFORE_GAMMA = 2 * G1 + G2
CONTRIBUTION = 544


def body_end(data, start):
    """The counts of the parameter file at `start` and the offset behind it, or None if there is none."""
    at = start + BEFORE_GAMMA + G2 + G1 + G2
    counts = {}
    for name, size in SECTIONS:
        if at + 4 > len(data):
            return None
        (count,) = struct.unpack_from(">I", data, at)
        at += 4 + count * size
        if at > len(data) or (name == "ic" and not 1 <= count <= 4096):
            return None
        counts[name] = count
    return counts, at


def main(binary, out_dir):
    out = pathlib.Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    with open(binary, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = -1
        while (at := data.find(G2_GENERATOR, at + 1)) >= 0:
            start = at - BEFORE_GAMMA
            found = body_end(data, start) if start >= 0 else None
            if not found:
                continue
            counts, end = found
            (contributions,) = struct.unpack_from(">I", data, end + 64)
            full_end = end + 68 + contributions * CONTRIBUTION
            if full_end > len(data):
                continue
            body = data[start:end]
            digest = hashlib.sha256(body).hexdigest()
            # Named by size: the largest is the spend circuit, then output, then mint.
            name = {131071: "spend", 65535: "output", 32767: "mint"}.get(counts["h"], f"h{counts['h']}")
            (out / f"{name}.params").write_bytes(data[start:full_end])
            (out / f"{name}.body.params").write_bytes(body)
            print(json.dumps({"name": name, "offset": start, "body_bytes": len(body), "body_sha256": digest,
                              "contributions": contributions, "counts": counts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
