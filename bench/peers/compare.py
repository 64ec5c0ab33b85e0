#!/usr/bin/env python3
"""Whole proofs beside other provers: the same key and witness, processes run in turn on the same cores, medians and ratios.

    compare.py INPUTS [NAME...] [--threads 1,2] [--rounds 5] [--json FILE] [--record]

INPUTS/NAME/ holds circuit.r1cs and witness.wtns (make_inputs.mjs makes them); a circuit.zkey that is missing is set up first
by cuzk. Peers are found, never fetched: RAPIDSNARK names a rapidsnark `prover` binary (BN254 only), and snarkjs
is measured where interop/node_modules has it. GNARK names Light Protocol's gnark prover (BN254) and GNARK_KEYS its folder of keys: it
gives no witness away, so its own circuit is proved and constraints a second are compared, from its log and so without
the reading of keys that our figure includes. CUZK names our binary (default build/release/bin/cuzk).

Time and memory are of the whole process, from start to exit, as wait4 reports them; every process is bound to the first N
cores, so all have the same N threads to run on. Each proof is verified once. The memory bound is key file + 8 x 32 bytes a
domain element. --record writes bench/results/<date>-<machine>-<commit>.{md,json}.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CUZK = pathlib.Path(os.environ.get("CUZK", REPOSITORY / "build/release/bin/cuzk")).resolve()
SNARKJS = REPOSITORY / "interop/node_modules/snarkjs/build/cli.cjs"
RAPIDSNARK = os.environ.get("RAPIDSNARK", "")
GNARK = os.environ.get("GNARK", "")
SNARKJS_ROUNDS = 3
SNARKJS_LARGEST_DOMAIN = 2**18  # beyond, it takes minutes and many GiB

# Provers: name -> (command before the four file arguments, extra environment). {threads} is filled in.
PROVERS = {"cuzk": ([str(CUZK), "prove", "--threads", "{threads}"], {})}
PROVERS["cuzk-adx"] = (PROVERS["cuzk"][0], {"CUZK_ISA": "adx"})
if RAPIDSNARK:
    PROVERS["rapidsnark"] = ([RAPIDSNARK], {"OMP_NUM_THREADS": "{threads}"})
if SNARKJS.exists():
    PROVERS["snarkjs"] = (["node", str(SNARKJS), "groth16", "prove"], {})


def zkey_facts(path):
    """(curve, domain) from the header section of a .zkey."""
    with open(path, "rb") as file:
        file.seek(8)
        (sections,) = struct.unpack("<I", file.read(4))
        for _ in range(sections):
            kind, length = struct.unpack("<IQ", file.read(12))
            if kind != 2:
                file.seek(length, os.SEEK_CUR)
                continue
            (n8q,) = struct.unpack("<I", file.read(4))
            file.seek(n8q + 4 + 32 + 8, os.SEEK_CUR)
            (domain,) = struct.unpack("<I", file.read(4))
            return {32: "bn128", 48: "bls12381"}[n8q], domain
    raise ValueError(f"{path}: no header section")


def run_measured(command, environment, cores):
    """Runs the command on these cores; wall seconds, CPU seconds, peak MiB, and what it printed. Raises if it fails."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment},
                                   preexec_fn=lambda: os.sched_setaffinity(0, cores))
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}: {text[-500:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def measure(command, environment, cores):
    """Wall seconds, CPU seconds, peak MiB of the command."""
    return run_measured(command, environment, cores)[:3]


def prepare(circuit):
    zkey, vkey = circuit / "circuit.zkey", circuit / "vkey.json"
    result = {}
    if not zkey.exists():
        cores = os.sched_getaffinity(0)
        wall, cpu, peak = measure([str(CUZK), "setup", str(circuit / "circuit.r1cs"), str(zkey)], {}, cores)
        result = {"setup": {"wall": wall, "cpu": cpu, "peak_mib": peak}}
        vkey.unlink(missing_ok=True)
    if not vkey.exists():
        subprocess.run([CUZK, "convert", zkey, vkey], check=True, capture_output=True)
    return result


def constraints(r1cs):
    """Number of constraints from the header section (the first in every .r1cs seen) of an .r1cs."""
    with open(r1cs, "rb") as file:
        file.seek(8)
        (sections,) = struct.unpack("<I", file.read(4))
        for _ in range(sections):
            kind, length = struct.unpack("<IQ", file.read(12))
            if kind == 1:
                body = file.read(length)
                return struct.unpack_from("<I", body, 4 + 32 + 4 * 4 + 8)[0]
            file.seek(length, os.SEEK_CUR)
    raise ValueError(f"{r1cs}: no header section")


def gnark_rate(threads, rounds):
    """Constraints a second of gnark's prover, median, from the time that it logs for the proof itself."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    bind = {"preexec_fn": lambda: os.sched_setaffinity(0, cores), "check": True, "capture_output": True, "text": True}
    environment = {**os.environ, "GOMAXPROCS": str(threads)}
    parameters = subprocess.run([GNARK, "gen-test-params", "--compressed-accounts", "8"], **bind).stdout
    rates = []
    for _ in range(rounds):
        run = subprocess.run([GNARK, "prove", "--inclusion", "--keys-dir", os.environ["GNARK_KEYS"] + "/"], input=parameters,
                             env=environment, **bind)
        log = re.sub(r"\x1b\[[0-9;]*m", "", run.stderr + run.stdout)
        done = next(line for line in log.splitlines() if "prover done" in line)
        count, took = (float(re.search(rf"{key}=([0-9.]+)", done)[1]) for key in ("nbConstraints", "took"))
        rates.append(count / (took / 1000))
    return {"constraints": int(count), "rate": statistics.median(rates)}


def compare(circuit, threads, rounds, only):
    cores = sorted(os.sched_getaffinity(0))[:threads]
    zkey, witness, vkey = (circuit / leaf for leaf in ("circuit.zkey", "witness.wtns", "vkey.json"))
    curve, domain = zkey_facts(zkey)
    names = [name for name in PROVERS if not (name == "rapidsnark" and curve != "bn128")]
    names = [name for name in names if not (name == "snarkjs" and domain > SNARKJS_LARGEST_DOMAIN)]
    names = [name for name in names if not only or name in only]
    samples = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        proof, public = pathlib.Path(scratch, "proof.json"), pathlib.Path(scratch, "public.json")
        for turn in range(rounds):
            # Turn and turn about, so that a slow minute of the machine meets everybody.
            for name in names if turn % 2 == 0 else reversed(names):
                if name == "snarkjs" and turn >= SNARKJS_ROUNDS:
                    continue  # many times slower than the rest: a few runs say enough
                command, environment = PROVERS[name]
                command = [part.format(threads=threads) for part in command] + [str(f) for f in (zkey, witness, proof, public)]
                environment = {key: value.format(threads=threads) for key, value in environment.items()}
                samples[name].append(measure(command, environment, cores))
                if turn == 0:
                    subprocess.run([CUZK, "verify", vkey, public, proof], check=True, capture_output=True)
                proof.unlink()
    result = {"circuit": circuit.name, "curve": curve, "domain": domain, "threads": threads, "key_bytes": zkey.stat().st_size,
              "constraints": constraints(circuit / "circuit.r1cs"),
              "witness_bytes": witness.stat().st_size, "memory_bound_mib": (zkey.stat().st_size + 8 * 32 * domain) / 2**20,
              "provers": {}}
    ours, ours_cpu = (statistics.median(s[column] for s in samples["cuzk"]) for column in (0, 1))
    for name in names:
        wall, cpu, peak = (statistics.median(column) for column in zip(*samples[name]))
        result["provers"][name] = {"wall": wall, "cpu": cpu, "peak_mib": peak, "ratio": wall / ours,
                                   "cpu_ratio": cpu / ours_cpu,
                                   "walls": [round(s[0], 4) for s in samples[name]]}
    return result


def machine():
    model = "unknown"
    flags = ""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
        if line.startswith("flags"):
            flags = line
    git = lambda *a: subprocess.run(["git", "-C", REPOSITORY, *a], capture_output=True, text=True, check=False).stdout.strip()
    return {
        "cpu": model,
        "ifma": " avx512ifma" in flags,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "commit": git("rev-parse", "--short=10", "HEAD"),
        "modified": bool(git("status", "--porcelain", "--untracked-files=no", "--", "src", "cmake", "CMakeLists.txt")),
        "load_at_start": round(os.getloadavg()[0], 2),
        "rapidsnark": os.environ.get("RAPIDSNARK_VERSION", "unstated") if RAPIDSNARK else None,
        "snarkjs": json.loads((SNARKJS.parents[1] / "package.json").read_text())["version"] if SNARKJS.exists() else None,
        "node": subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip(),
        "date": datetime.date.today().isoformat(),
    }


def record(facts, text, document, subject=""):
    """Writes bench/results/<date>-<machine>-<commit>[-<subject>].{md,json}."""
    kind = re.sub(r"[^A-Za-z0-9]+", "-", facts["cpu"]).strip("-").lower()
    stem = REPOSITORY / "bench/results" / "-".join(filter(None, (facts["date"], kind, facts["commit"], subject)))
    stem.parent.mkdir(parents=True, exist_ok=True)
    while stem.with_suffix(".md").exists():  # an earlier record stays as it is
        stem = stem.with_name(stem.name + "-again")
    stem.with_suffix(".md").write_text(text)
    stem.with_suffix(".json").write_text(document)
    print(f"recorded in {stem.relative_to(REPOSITORY)}.{{md,json}}", file=sys.stderr)


def rates_table(gnark, results):
    lines = ["", "| constraints a second | threads | thousands |", "|---|---|---|"]
    for threads, g in gnark.items():
        lines.append(f"| gnark, its circuit of {g['constraints']} constraints (proof alone) | {threads} | {g['rate'] / 1e3:.1f} |")
    for r in results:
        if r["curve"] == "bn128":
            rate = r["constraints"] / r["provers"]["cuzk"]["wall"]
            lines.append(f"| cuzk, {r['circuit']} (whole process) | {r['threads']} | {rate / 1e3:.1f} |")
    return "\n".join(lines) + "\n"


def table(facts, setups, results):
    lines = ["# Whole proofs beside other provers", ""]
    lines += [f"- {key}: {value}" for key, value in facts.items()]
    lines += ["", "Medians; whole process, key file read included. Ratio: the prover's time over cuzk's; CPU seconds suffer less from a "
              "busy machine (the load at the start is stated) than wall time. `cuzk-adx` is cuzk with its "
              "AVX-512 code switched off.", "",
              "| circuit | curve | domain | threads | prover | wall s | CPU s | peak MiB | bound MiB | ratio | CPU ratio |",
              "|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        for name, p in r["provers"].items():
            bound = f"{r['memory_bound_mib']:.0f}" if name.startswith("cuzk") else ""
            lines.append(f"| {r['circuit']} | {r['curve']} | 2^{r['domain'].bit_length() - 1} | {r['threads']} | {name} | {p['wall']:.3f} "
                         f"| {p['cpu']:.2f} | {p['peak_mib']:.0f} | {bound} | {p['ratio']:.2f} | {p['cpu_ratio']:.2f} |")
    if setups:
        lines += ["", "| development setup | wall s | CPU s | peak MiB |", "|---|---|---|---|"]
        lines += [f"| {n} | {s['wall']:.2f} | {s['cpu']:.2f} | {s['peak_mib']:.0f} |" for n, s in setups.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="provers to run, by name, comma-separated (cuzk among them)")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if not CUZK.exists():
        sys.exit(f"compare: no cuzk binary at {CUZK}")
    cores = len(os.sched_getaffinity(0))
    threads = [int(t) for t in options.threads.split(",")] if options.threads else sorted({1, min(2, cores)})
    only = set(filter(None, options.only.split(",")))
    facts = machine()
    if not facts["ifma"]:
        PROVERS.pop("cuzk-adx")
    names = options.names or sorted(d.name for d in options.inputs.iterdir() if (d / "witness.wtns").exists())
    setups, results = {}, []
    for name in names:
        circuit = options.inputs / name
        setups.update({name: s for s in prepare(circuit).values()})
        for count in threads:
            results.append(compare(circuit, count, options.rounds, only))
            print(f"{name}, {count} threads: " + ", ".join(
                f"{n} {p['wall']:.3f} s ({p['ratio']:.2f}x)" for n, p in results[-1]["provers"].items()), file=sys.stderr, flush=True)
    text = table(facts, setups, results)
    gnark = {count: gnark_rate(count, 3) for count in threads} if GNARK else {}
    if gnark:
        text += rates_table(gnark, results)
    print(text)
    document = json.dumps({"machine": facts, "setup": setups, "results": results, "gnark": gnark}, indent=1) + "\n"
    if options.json:
        options.json.write_text(document)
    if options.record:
        record(facts, text, document)


if __name__ == "__main__":
    main()
