#!/usr/bin/env python3
"""The daemon under load, on the CPU backend: what clients wait for, and what the daemon's memory was beside its plan.

    daemon_load.py REQUESTS PARAMS [--budgets 12GiB,5GiB,3GiB] [--duration 90] [--probes 5] [--json FILE]

REQUESTS holds NAME/request.json for the kinds of KINDS, PARAMS their parameter files. CUZK names our binary (default
build/release/bin/cuzk). Each part has a daemon of its own on a Unix socket and `cuzk bench serve` as its client, which verifies every
proof:

  alone   each kind in turn, one at a time: latency, and what of it is neither synthesis nor proving (the daemon's overhead)
  probe   WinningPoSt alone, then while PoReps keep the daemon busy
  stress  mixed kinds at random times, once for each budget (memory.total_budget)

Memory is read from /proc/PID/status ten times a second; the plan is /status' account of the same moments. RssFile is left out of
the comparison with the budget: those pages are the page cache's.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
CUZK = pathlib.Path(os.environ.get("CUZK", REPOSITORY / "build/release/bin/cuzk")).resolve()
KINDS = ("wpost-2KiB", "winning-2KiB", "snap-2KiB", "porep-2KiB")
RATES = {"wpost-2KiB": 0.3, "winning-2KiB": 0.1, "snap-2KiB": 0.04, "porep-2KiB": 0.04}
HTTP = "127.0.0.1:9831"
MIB = 1 << 20


class Daemon:
    """cuzk serve in a folder of its own, its memory sampled until it ends."""

    def __init__(self, params, budget=None):
        self.folder = tempfile.TemporaryDirectory(prefix="cuzk-load-")
        root = pathlib.Path(self.folder.name)
        self.address = f"unix://{root}/sock"
        config = root / "cuzk.toml"
        config.write_text(f'[daemon]\nlisten = "{self.address}"\nstatus_listen = "{HTTP}"\n[srs]\nparam_cache = "{params}"\n'
                          + (f'[memory]\ntotal_budget = "{budget}"\neviction_min_idle = "1s"\n' if budget else ""))
        self.log = open(root / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([CUZK, "serve", "--config", config], stderr=self.log)
        while not (root / "sock").exists():
            if self.process.poll() is not None:
                sys.exit((root / "log").read_text())
            time.sleep(0.02)
        self.peak = {}      # of the process, bytes
        self.planned = {}   # owner of host memory -> most bytes at once
        self.plan_peak = 0
        self.stopping = threading.Event()
        self.sampler = threading.Thread(target=self.sample)
        self.sampler.start()

    def sample(self):
        while not self.stopping.wait(0.1):
            try:
                fields = dict(line.split(":", 1) for line in open(f"/proc/{self.process.pid}/status", encoding="ascii"))
                spaces = json.load(urllib.request.urlopen(f"http://{HTTP}/status", timeout=5))["memory"]["spaces"]
            except OSError:
                continue
            for name in ("VmHWM", "RssAnon", "RssFile"):
                self.peak[name] = max(self.peak.get(name, 0), int(fields[name].split()[0]) * 1024)
            planned = 0
            for space in spaces:
                if space["space"] in ("host", "requests"):
                    planned += space["peak_bytes"]
                    for owner in space["owners"]:
                        self.planned[owner["owner"]] = max(self.planned.get(owner["owner"], 0), owner["bytes"])
            self.plan_peak = max(self.plan_peak, planned)

    def bench(self, params, mode, requests, *options):
        command = [CUZK, "bench", "serve", *requests, "--mode", mode, "--params", params, "--addr", self.address, "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def metrics(self):
        return urllib.request.urlopen(f"http://{HTTP}/metrics", timeout=5).read().decode()

    def end(self):
        self.stopping.set()
        self.sampler.join()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=120) != 0:
            self.log.seek(0)
            sys.exit(f"the daemon ended with {self.process.returncode}: {self.log.read()[-500:]}")
        self.folder.cleanup()


def size(text):
    return int(float(text.removesuffix("GiB")) * (1 << 30))


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def latencies(result):
    head("request", "proofs", "failed", "invalid", "p50 s", "p90 s", "p99 s", "max s", "queue p50 s", "synthesis s", "proving s")
    for r in result["requests"]:
        name = r["request"].replace("/request.json", "").split("/")[-1]
        name = name if "," not in r["request"] else name.split(",")[0] + r["request"][r["request"].index(","):]
        row(name, r["proofs"], r["failed"], r["invalid"], *(f"{r[k]:.2f}" for k in (
            "p50_s", "p90_s", "p99_s", "max_s", "queue_wait_p50_s", "synthesis_mean_s", "gpu_compute_mean_s")))
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("requests", type=pathlib.Path)
    parser.add_argument("params", type=pathlib.Path)
    parser.add_argument("--budgets", default="12GiB,5GiB,3GiB")
    parser.add_argument("--duration", default="90")
    parser.add_argument("--probes", default="5")
    parser.add_argument("--parts", default="alone,probe,stress")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    files = {kind: args.requests / kind / "request.json" for kind in KINDS}
    parts = args.parts.split(",")
    results = {"load_before": os.getloadavg()[0]}

    if "alone" in parts:
        daemon = Daemon(args.params)
        results["alone"] = {}
        print("### One at a time\n")
        head("request", "proofs", "p50 s", "synthesis s", "proving s", "overhead ms", "of that outside the daemon ms", "overhead %")
        for kind, file in files.items():
            daemon.bench(args.params, "single", [file])  # loads the key
            r = daemon.bench(args.params, "batch", [file], "--count", "3" if kind in ("snap-2KiB", "porep-2KiB") else "10")["requests"][0]
            results["alone"][kind] = r
            overhead = r["mean_s"] - r["synthesis_mean_s"] - r["gpu_compute_mean_s"]
            row(kind, r["proofs"], f"{r['p50_s']:.2f}", f"{r['synthesis_mean_s']:.3f}", f"{r['gpu_compute_mean_s']:.3f}",
                f"{1e3 * overhead:.1f}", f"{1e3 * r['outside_mean_s']:.1f}", f"{100 * overhead / r['mean_s']:.2f}")
        daemon.end()
        print()

    if "probe" in parts:
        daemon = Daemon(args.params)
        r = daemon.bench(args.params, "probe", [files["winning-2KiB"], files["porep-2KiB"]], "--count", args.probes, "--concurrency", "4")
        results["probe"] = r
        daemon.end()
        print("### WinningPoSt while four PoReps are always under way\n")
        latencies(r)
        p = r["probe"]
        print(f"Bound: 1.5 x {p['alone_p50_s']:.2f} s + {p['stage_alone_s']:.2f} s = {p['bound_s']:.2f} s; "
              f"{p['within_bound']} of {p['probes']} within.\n")

    if "stress" in parts:
        results["stress"] = {}
        for budget in args.budgets.split(","):
            daemon = Daemon(args.params, budget)
            r = daemon.bench(args.params, "stress", [f"{file}@{RATES[kind]}" for kind, file in files.items()], "--duration", args.duration)
            loads = sum(float(line.split()[-1]) for line in daemon.metrics().splitlines() if line.startswith("cuzk_key_loads_total{"))
            daemon.end()
            r.update(peak=daemon.peak, planned=daemon.planned, plan_peak=daemon.plan_peak, key_loads=loads)
            results["stress"][budget] = r
            print(f"### Mixed kinds, budget {budget}\n")
            latencies(r)
        print("### Memory beside the plan, MiB\n")
        owners = sorted({owner for r in results["stress"].values() for owner in r["planned"]})
        head("budget", "key loads", "process VmHWM", "anonymous peak", "file pages peak", "plan peak", *owners, "anonymous within budget")
        for budget, r in results["stress"].items():
            row(budget, int(r["key_loads"]), *(int(b / MIB) for b in (r["peak"]["VmHWM"], r["peak"]["RssAnon"], r["peak"]["RssFile"], r["plan_peak"])),
                *(int(r["planned"].get(owner, 0) / MIB) for owner in owners), "yes" if r["peak"]["RssAnon"] <= size(budget) else "NO")
        print()

    results["load_after"] = os.getloadavg()[0]
    print(f"Load of the machine before and after: {results['load_before']:.1f}, {results['load_after']:.1f}.")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


main()
