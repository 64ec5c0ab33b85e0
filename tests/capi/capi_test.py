"""The C ABI from Python: capi_test.py LIBRARY ROOT [UNITTEST OPTIONS]"""

import concurrent.futures
import ctypes
import pathlib
import sys
import tempfile
import time
import unittest

import cuzk

LIBRARY = cuzk.Library(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2])
DATA = ROOT / "tests" / "data"
ORACLE = ROOT.parent / "shared" / "oracle"
CURVES = ("bn128", "bls12381")


def fixture(circuit, curve, name):
    return (DATA / f"{circuit}-{curve}" / name).read_bytes()


class CapiTest(unittest.TestCase):
    def refused(self, status, kind, text, function, *arguments, **options):
        with self.assertRaises(cuzk.CuzkError) as raised:
            function(*arguments, **options)
        self.assertEqual((raised.exception.status, raised.exception.kind), (status, kind), raised.exception)
        self.assertIn(text, str(raised.exception))


class Circuits(CapiTest):
    def test_proofs_verify_on_both_curves(self):
        for curve in CURVES:
            with self.subTest(curve), cuzk.Prover(LIBRARY, DATA / f"bits-{curve}" / "circuit.zkey") as prover:
                proof, inputs = prover.prove(fixture("bits", curve, "witness.wtns"))
                LIBRARY.verify(fixture("bits", curve, "vkey.json"), fixture("bits", curve, "public.json"), proof)
                LIBRARY.verify(prover.verifying_key(), inputs, fixture("bits", curve, "proof.json"))

    def test_wrong_proofs_and_wrong_bytes_are_told_apart(self):
        vk, inputs = fixture("bits", "bn128", "vkey.json"), fixture("bits", "bn128", "public.json")
        self.refused(cuzk.UNSATISFIED, "unsatisfied", "pairing equation", LIBRARY.verify, vk, inputs,
                     fixture("chain30", "bn128", "proof.json"))
        self.refused(cuzk.MALFORMED, "malformed", "proof: ", LIBRARY.verify, vk, inputs, b"{}")
        self.refused(cuzk.MALFORMED, "malformed", "inputs: ", LIBRARY.verify, vk, b'["-1"]',
                     fixture("bits", "bn128", "proof.json"))
        self.refused(cuzk.ENVIRONMENT, "environment", "/nowhere.zkey", cuzk.Prover, LIBRARY, "/nowhere.zkey")
        self.refused(cuzk.USAGE, "usage", "'devices' is not known", cuzk.Prover, LIBRARY, "a", devices="cpu")

    def test_null_is_an_error(self):
        self.refused(cuzk.USAGE, "usage", "prover is NULL", LIBRARY.call, "cuzk_prover_open", b"a", None, None)
        self.refused(cuzk.USAGE, "usage", "engine is NULL", LIBRARY.call, "cuzk_engine_drain", None)
        self.refused(cuzk.USAGE, "usage", "statement is NULL", LIBRARY.call, "cuzk_filecoin_verify", None,
                     ctypes.c_size_t(1), None, ctypes.c_size_t(0), None)

    def test_threads_share_a_prover(self):
        witness, vk = fixture("chain30", "bn128", "witness.wtns"), fixture("chain30", "bn128", "vkey.json")
        with cuzk.Prover(LIBRARY, DATA / "chain30-bn128" / "circuit.zkey") as prover:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                results = list(pool.map(lambda _: prover.prove(witness), range(12)))
        for proof, inputs in results:
            LIBRARY.verify(vk, inputs, proof)
        self.assertEqual(len({proof for proof, _ in results}), 12)


class Engines(CapiTest):
    def test_a_request_that_is_none(self):
        with cuzk.Engine(LIBRARY, devices="cpu", host_budget=1 << 30) as engine:
            self.refused(cuzk.MALFORMED, "malformed", "c1.json: ", engine.submit, b"[]", name="c1.json")
            self.refused(cuzk.UNKNOWN_JOB, "unknown-job", "'x'", engine.wait, "x", 0)
            self.assertFalse(engine.cancel("x"))
            engine.drain()
            self.assertTrue(engine.status()["draining"])
            engine.stop()

    def test_registered_circuits(self):
        circuits = [{"id": curve, "key": str(DATA / f"chain30-{curve}" / "circuit.zkey")} for curve in CURVES]
        with cuzk.Engine(LIBRARY, devices=["cpu"], host_budget=1 << 30, circuits=circuits) as engine:
            jobs = {curve: engine.submit_witness(curve, fixture("chain30", curve, "witness.wtns"))
                    for curve in CURVES}
            for curve, job in jobs.items():
                proof, inputs = engine.wait(job, 60_000)
                LIBRARY.verify(fixture("chain30", curve, "vkey.json"), inputs, proof)
            self.refused(cuzk.USAGE, "usage", "'x'", engine.submit_witness, "x", b"")

    def test_a_journal_outlives_its_engine(self):
        circuits = [{"id": "c", "key": str(DATA / "multiplier-bls12381" / "circuit.zkey")}]
        with tempfile.TemporaryDirectory() as folder:
            options = {"devices": "cpu", "host_budget": 1 << 30, "circuits": circuits, "journal_folder": folder}
            with cuzk.Engine(LIBRARY, **options) as engine:
                self.refused(cuzk.ENVIRONMENT, "environment", folder, cuzk.Engine, LIBRARY, **options)
                job = engine.submit_witness("c", fixture("multiplier", "bls12381", "witness.wtns"))
                answer = engine.wait(job)
            with cuzk.Engine(LIBRARY, **options) as engine:
                self.assertEqual(engine.wait(job), answer)

    @unittest.skipUnless((ORACLE / "README.md").exists(), "the vectors of ../shared/oracle are not beside this checkout")
    def test_filecoin(self):
        request = (ORACLE / "wpost-2KiB" / "request.json").read_bytes()
        params = str(ORACLE / "params")
        with cuzk.Engine(LIBRARY, devices="cpu", params_folder=params, host_budget=4 << 30) as engine:
            engine.preload("wpost-2k")
            job = engine.submit(request, priority="high")
            # It may have ended already, where this thread was kept waiting long enough.
            if engine.job(job)["state"] != "completed":
                try:
                    engine.wait(job, 0)
                except cuzk.CuzkError as error:
                    self.assertEqual((error.status, error.kind), (cuzk.RUNNING, "running"))
            unwanted = engine.submit(request, request_id="unwanted")
            cancelled = engine.cancel(unwanted)
            if cancelled:
                self.refused(cuzk.CANCELLED, "cancelled", "", engine.wait, unwanted)

            proof, inputs = engine.wait(job)
            self.assertEqual((len(proof), inputs), (192, b""))
            self.assertEqual(engine.job(job)["state"], "completed")
            self.assertEqual(engine.status()["counters"]["total_completed"], 1 if cancelled else 2)
            engine.stop()  # also waits for what the cancelled job had begun
            self.assertGreater(engine.evict("wpost-2k"), 10 << 20)
            LIBRARY.filecoin_verify(request, proof, params_folder=params)
            other = (ORACLE / "wpost-2KiB-v10" / "request.json").read_bytes()
            self.refused(cuzk.UNSATISFIED, "unsatisfied", "invalid", LIBRARY.filecoin_verify, other, proof,
                         params_folder=params)


    @unittest.skipUnless((ORACLE / "README.md").exists(), "the vectors of ../shared/oracle are not beside this checkout")
    def test_key_caches_are_made_where_they_are_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            options = {"devices": "cpu", "params_folder": str(ORACLE / "params"), "host_budget": 4 << 30,
                       "key_cache_folder": folder}
            self.refused(cuzk.USAGE, "usage", "key_cache is 'on'; it can be off, use, make", cuzk.Engine, LIBRARY,
                         key_cache="on", **options)
            with cuzk.Engine(LIBRARY, key_cache="use", **options) as engine:
                engine.preload("wpost-2k")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
            with cuzk.Engine(LIBRARY, key_cache="make", **options) as engine:
                engine.preload("wpost-2k")
                deadline = time.monotonic() + 60
                while not list(pathlib.Path(folder).glob("*.cuzk-key")) and time.monotonic() < deadline:
                    time.sleep(0.01)
            self.assertNotEqual(list(pathlib.Path(folder).glob("*.cuzk-key")), [])


class Documents(unittest.TestCase):
    def test_the_examples_shown_are_those_that_run(self):
        text = (ROOT / "docs" / "capi.md").read_text()
        for name in ("example.c", "example.py"):
            self.assertIn((ROOT / "tests" / "capi" / name).read_text(), text, name)

    def test_the_binding_knows_every_status(self):
        header = (ROOT / "src" / "capi" / "cuzk.h").read_text()
        for line in header.splitlines():
            if line.startswith("#define CUZK_") and "(cuzk_status)" in line:
                name, value = line.split()[1], line.split("(cuzk_status)")[1].split(")")[0]
                self.assertEqual(getattr(cuzk, name.removeprefix("CUZK_")), int(value), name)


if __name__ == "__main__":
    print(f"cuzk {LIBRARY.version()}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
