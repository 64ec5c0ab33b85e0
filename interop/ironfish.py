#!/usr/bin/env python3
"""Bellman parameter files of a real ceremony (Iron Fish's Sapling-like circuits, BLS12-381, 2,870 contributions):
inspected, converted and back byte for byte, and real proofs of the network verified under them."""
import contextlib
import hashlib
import io
import json

from carve_bellman import main as carve
from check import CACHE, SHARED, check, cuzk_exits, expect, finish, skip, work_directory

# SHA-256 of the bodies, that is without the ceremony transcript.
BODY_SHA256 = {
    "spend": "1726604da2d1faf643fb425762ef9748a28f338ac0e04626a6b25734cd58c82e",
    "output": "a4efe606c144cf0c4741ebdbe376be5c925866844257ebf4642dd9a5907eac66",
    "mint": "e5d4edf9b719c620055ec081af04487dc2a1930d9014d86dc77154431d5c48f5",
}

params = CACHE / "ironfish"
work = work_directory("ironfish")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def carved():
    if not all((params / f"{name}.params").exists() for name in BODY_SHA256):
        with contextlib.redirect_stdout(io.StringIO()):  # its report; the digests below say the same
            carve(CACHE / "npm" / "ironfish.node", params)
    for name, digest in BODY_SHA256.items():
        expect(sha256(params / f"{name}.body.params") == digest, f"{name}: digest differs")


def inspect(name):
    def body():
        done = cuzk_exits(0, "inspect", params / f"{name}.params", "--json")
        text = done.stdout.lower()
        expect("bls12" in text, f"curve not named: {text[:300]}")
        json.loads(done.stdout)
    return body


def round_trip(file):
    def body():
        out = work / file.name
        cuzk_exits(0, "convert", file, out)
        expect(sha256(out) == sha256(file), "the copy differs")
        out.unlink()
    return body


def verify(name, tamper):
    case = json.loads((SHARED / "data" / "cases" / f"ironfish-{name}.case.json").read_text())

    def body():
        public = list(case["public"])
        if tamper:
            public[-1] = str(int(public[-1]) + 1)
        (work / f"{name}.public.json").write_text(json.dumps(public))
        (work / f"{name}.proof.bin").write_bytes(bytes.fromhex(case["proof_hex"]))
        cuzk_exits(1 if tamper else 0, "verify", params / f"{name}.params", work / f"{name}.public.json",
                   work / f"{name}.proof.bin")
    return body


if check("ironfish: parameter files carved, digests as known", carved):
    for circuit in BODY_SHA256:
        check(f"ironfish-{circuit}: inspect", inspect(circuit))
        check(f"ironfish-{circuit}: round trip, with the ceremony transcript", round_trip(params / f"{circuit}.params"))
        check(f"ironfish-{circuit}: round trip, bare body", round_trip(params / f"{circuit}.body.params"))
        if (SHARED / "data" / "cases").exists():
            check(f"ironfish-{circuit}: real proof, cuzk accepts", verify(circuit, False))
            check(f"ironfish-{circuit}: tampered input, cuzk refuses", verify(circuit, True))
        else:
            skip(f"ironfish-{circuit}: real proof", f"{SHARED / 'data' / 'cases'} is absent")
finish()
