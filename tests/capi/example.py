"""Proves a circom witness and verifies the proof: example.py libcuzk.so circuit.zkey witness.wtns"""

import pathlib
import sys

import cuzk  # tests/capi/cuzk.py: the whole binding, by ctypes

library = cuzk.Library(sys.argv[1])
try:
    with cuzk.Prover(library, sys.argv[2], device="cpu") as prover:
        proof, inputs = prover.prove(pathlib.Path(sys.argv[3]).read_bytes())
        library.verify(prover.verifying_key(), inputs, proof)
        print(proof.decode(), end="")
except cuzk.CuzkError as error:
    sys.exit(f"{error} ({error.kind})")
