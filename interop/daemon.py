#!/usr/bin/env python3
"""The daemon: a Go client that speaks the API by field numbers alone (go/) does what Curio does, for the four kinds of proofs;
the network's own verifier judges every proof that it was given. Proofs of registered circuits, asked for by the Go client and by
cuzk's own commands, are judged by snarkjs."""
import shutil
import signal
import subprocess
import time

from check import CUZK, HERE, REPOSITORY, check, cuzk_exits, expect, finish, run, skip, work_directory
from oracle import ORACLE, REQUESTS, build_judge, generated_params, judge

work = work_directory("daemon")


def build_client():
    binary = work / "client"
    done = run("go", "build", "-o", binary, ".", cwd=HERE / "go")
    expect(done.returncode == 0, f"go build: {done.output[-800:]}")
    return binary


class Daemon:
    """cuzk serve on a socket of its own; its end by SIGTERM is a check too."""

    def __init__(self, params, *options):
        self.options = options
        self.socket = work / "cuzk.sock"
        self.log = work / "daemon.log"
        self.params = params

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [CUZK, "serve", "--listen", f"unix://{self.socket}", "--no-status", "--params", self.params, *self.options],
                stderr=log)
        deadline = time.monotonic() + 30
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"cuzk serve does not come up: {self.log.read_text()[-800:]}")
            time.sleep(0.02)
        return f"unix://{self.socket}"

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)

        def ends():
            expect(self.process.wait(timeout=60) == 0, f"exit {self.process.returncode}: {self.log.read_text()[-400:]}")
            expect(not self.socket.exists(), "the socket is still there")

        check("SIGTERM ends the daemon with code 0", ends)
        if self.process.poll() is None:
            self.process.kill()


def drive(client, address):
    """The client's lines are checks of their own; true if all are good."""
    done = subprocess.run([client, "-addr", address, "-oracle", ORACLE, "-out", work, *REQUESTS], check=False)
    return done.returncode == 0


def snarkjs_accepts(folder, public, proof):
    done = run("node", HERE / "node_modules" / "snarkjs" / "build" / "cli.cjs", "groth16", "verify", folder / "vkey.json", public, proof)
    expect(done.returncode == 0 and "OK" in done.output, done.output[-400:])


def circuits():
    """Registered circuits of both curves."""
    folders = [f for f in sorted((REPOSITORY / "tests" / "data").glob("*-b*")) if not f.name.startswith("insecure")]
    config = work / "circuits.toml"
    config.write_text("".join(
        f'[[circuits]]\nid = "{f.name}"\nkey = "{f / "circuit.zkey"}"\npreload = true\n' for f in folders))
    if not check("the configuration of the circuits is good", lambda: cuzk_exits(0, "config", "check", config)):
        return
    with Daemon(work, "--config", config) as address:
        for folder in folders:
            proof, public = work / f"{folder.name}.proof.json", work / f"{folder.name}.public.json"

            def proved(folder=folder, proof=proof, public=public):
                cuzk_exits(0, "submit", "--addr", address, "--circuit", folder.name, folder / "witness.wtns", "-o", proof, "--public", public)
                snarkjs_accepts(folder, public, proof)

            check(f"{folder.name}: the daemon proves it, snarkjs accepts", proved)
        if "the Go client" not in binaries:
            return
        some = [f for f in folders if f.name.startswith(("mimc_merkle", "bits"))]
        client = subprocess.run([binaries["the Go client"], "-addr", address, "-out", work, "-circuits", *some], check=False)
        check("the Go client's checks of circuits", lambda: expect(client.returncode == 0, "see its lines above"))
        for folder in some:
            for form in "wtns", "values":
                proof, public = (work / f"{folder.name}.{form}.{part}.json" for part in ("proof", "public"))
                check(f"{folder.name}: snarkjs accepts the Go client's proof from {form}",
                      lambda folder=folder, proof=proof, public=public: snarkjs_accepts(folder, public, proof))


binaries = {}


def build(name, body):
    def keep():
        binaries[name] = body()
    return check(f"{name} is built", keep)


def main():
    params = generated_params()
    if not params:
        return
    with Daemon(params) as address:
        check("the Go client's checks", lambda: expect(drive(binaries["the Go client"], address), "see its lines above"))
    if not shutil.which("cargo"):
        skip("the network's verifier", "cargo is absent")
        return
    if not build("the network's verifier", build_judge):
        return
    proofs = sorted(work.glob("*.proof"))
    check("the client left proofs of every case", lambda: expect(len(proofs) >= len(REQUESTS), f"{len(proofs)}"))
    for proof in proofs:
        case = proof.name.split(".")[0]

        def accepted(case=case, proof=proof):
            done = judge(binaries["the network's verifier"], case, proof, params)
            expect(done.returncode == 0 and "valid" in done.stdout, done.output[-400:])

        check(f"{proof.name}: the network's verifier accepts it", accepted)


if run(CUZK, "serve", "--help").returncode != 0:
    skip("daemon", "this build has no daemon")
else:
    if not shutil.which("go"):
        skip("daemon: the Go client", "Go is absent")
    else:
        build("the Go client", build_client)
    circuits()
    if not ORACLE.exists():
        skip("daemon: Filecoin", f"{ORACLE} is absent")
    elif "the Go client" in binaries:
        main()
finish()
