#!/usr/bin/env python3
"""Filecoin: the network's own verifier (built with cargo from ../shared/oracle/tool) judges the proofs that cuzk makes, of all four
kinds from requests and of a WindowPoSt from a recorded assignment; cuzk judges the proofs that the network's prover made."""
import json
import shutil

from check import check, cuzk_exits, expect, finish, skip, work_directory
from oracle import ORACLE, PARAMS, REQUESTS, build_judge, generated_params, judge

PROOF_BYTES = 192
work = work_directory("filecoin")


def vk_by_inputs():
    """Verifying keys by their number of public inputs: 864 bytes of fixed points, a count, 96 bytes an input (and the one)."""
    return {(path.stat().st_size - 868) // 96 - 1: path for path in PARAMS.glob("*.vk")}


def partitions(case):
    """(public inputs in decimal, proof bytes) of each partition that the case records and has a proof of."""
    recorded = json.loads((ORACLE / case / "circuit.json").read_text())["partitions_recorded"]
    proofs = (ORACLE / case / "proof.bin").read_bytes()
    for k, partition in enumerate(recorded):
        numbers = [int.from_bytes(bytes.fromhex(x), "little") for x in partition["inputs"]]
        expect(numbers[0] == 1, "the first input is the constant one")
        proof = proofs[k * PROOF_BYTES:(k + 1) * PROOF_BYTES]
        if len(proof) == PROOF_BYTES:
            yield k, [str(n) for n in numbers[1:]], proof


def cuzk_verifies(status, vk, public, proof):
    (work / "public.json").write_text(json.dumps(public))
    (work / "proof.bin").write_bytes(proof)
    cuzk_exits(status, "verify", vk, work / "public.json", work / "proof.bin")


def network_proofs():
    keys = vk_by_inputs()
    for case in sorted(p.parent.name for p in ORACLE.glob("*/proof.bin")):
        for k, public, proof in partitions(case):
            vk = keys.get(len(public))
            if not vk:
                skip(f"{case}[{k}]", f"no verifying key with {len(public)} inputs")
                continue
            check(f"{case}[{k}]: the network's proof, cuzk accepts", lambda: cuzk_verifies(0, vk, public, proof))
            changed = public[:-1] + [str(int(public[-1]) ^ 1)]
            check(f"{case}[{k}]: tampered input, cuzk refuses", lambda: cuzk_verifies(1, vk, changed, proof))
            # The sign flag of A flipped: another valid point, another proof.
            flipped = bytes([proof[0] ^ 0x20]) + proof[1:]
            check(f"{case}[{k}]: tampered proof, cuzk refuses", lambda: cuzk_verifies(1, vk, public, flipped))


def our_proof():
    case = "wpost-2KiB"
    window = next(PARAMS.glob("*.params"))
    assignment = ORACLE / case / "assignment-0.bin"
    proof = work / "wpost.proof"
    public = work / "wpost.public.json"

    def prove():
        cuzk_exits(0, "prove", window, assignment, proof, public)
        expect(proof.stat().st_size == PROOF_BYTES, f"{proof.stat().st_size} bytes")
        cuzk_exits(0, "verify", window.with_suffix(".vk"), public, proof)

    def prove_fixed():
        meta = json.loads((ORACLE / case / "meta.json").read_text())["fixed"]
        r, s = (str(int.from_bytes(bytes.fromhex(meta[name]), "little")) for name in ("r", "s"))
        fixed = work / "fixed.proof"
        cuzk_exits(0, "prove", window, assignment, fixed, "--unsafe-test-randomness", f"{r},{s}",
                   environment={"CUZK_TEST_HOOKS": "1"})
        expect(fixed.read_bytes() == (ORACLE / case / "proof-fixed.bin").read_bytes(), "the bytes differ")

    check(f"{case}: the network's bytes under its r and s", prove_fixed)
    if not check(f"{case}: cuzk proves from the recorded assignment", prove):
        return
    if not shutil.which("cargo"):
        skip(f"{case}: the network's verifier", "cargo is absent")
        return
    binary = None

    def build():
        nonlocal binary
        binary = build_judge()

    if not check("the network's verifier is built", build):
        return

    def network_accepts():
        done = judge(binary, case, proof)
        expect(done.returncode == 0 and "valid" in done.stdout, done.output[-400:])

    def network_refuses():
        bad = bytearray(proof.read_bytes())
        bad[0] ^= 0x20
        (work / "bad.proof").write_bytes(bad)
        expect(judge(binary, case, work / "bad.proof").returncode != 0, "a tampered proof was accepted")

    check(f"{case}: the network's verifier accepts it", network_accepts)
    check(f"{case}: the network's verifier refuses it tampered", network_refuses)
    requests(binary)


def requests(binary):
    """From a client's request to the network's verdict, under development parameters that cuzk generates (once, into the cache)."""
    params = generated_params()
    if not params:
        return
    for case in REQUESTS:
        proof = work / f"{case}.request.proof"
        request = ORACLE / case / "request.json"

        def prove():
            cuzk_exits(0, "filecoin", "prove", request, "-o", proof, "--params", params)
            cuzk_exits(0, "filecoin", "verify", request, proof, "--params", params)

        def network_accepts():
            done = judge(binary, case, proof, params)
            expect(done.returncode == 0 and "valid" in done.stdout, done.output[-400:])

        if check(f"{case}: cuzk proves the request", prove):
            check(f"{case}: the network's verifier accepts the request's proof", network_accepts)


if not ORACLE.exists():
    skip("filecoin", f"{ORACLE} is absent")
else:
    network_proofs()
    our_proof()
finish()
