#!/usr/bin/env python3
"""The daemon: a Go client that speaks the API by field numbers alone (go/) does what Curio does, for the four kinds of proofs;
the network's own verifier judges every proof that it was given."""
import shutil
import signal
import subprocess
import time

from check import CUZK, HERE, check, expect, finish, run, skip, work_directory
from oracle import ORACLE, REQUESTS, build_judge, generated_params, judge

work = work_directory("daemon")


def build_client():
    binary = work / "client"
    done = run("go", "build", "-o", binary, ".", cwd=HERE / "go")
    expect(done.returncode == 0, f"go build: {done.output[-800:]}")
    return binary


class Daemon:
    """cuzk serve on a socket of its own; its end by SIGTERM is a check too."""

    def __init__(self, params):
        self.socket = work / "cuzk.sock"
        self.log = work / "daemon.log"
        self.params = params

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [CUZK, "serve", "--listen", f"unix://{self.socket}", "--no-status", "--params", self.params], stderr=log)
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


def main():
    binaries = {}

    def build(name, body):
        def keep():
            binaries[name] = body()
        return check(f"{name} is built", keep)

    if not build("the Go client", build_client):
        return
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


if not ORACLE.exists():
    skip("daemon", f"{ORACLE} is absent")
elif not shutil.which("go"):
    skip("daemon", "Go is absent")
elif run(CUZK, "serve", "--help").returncode != 0:
    skip("daemon", "this build has no daemon")
else:
    main()
finish()
