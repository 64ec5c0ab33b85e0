#!/usr/bin/env python3
"""Filecoin's proofs beside the network's own prover (bellperson): the same sector sizes, parameters and cores, run in turn.

    filecoin.py [KIND...] [--threads 2] [--rounds 3] [--json FILE] [--record]

KIND: porep, wpost, winning, snap; all by default, at 2 KiB. ORACLE names the network's prover as built by
interop/filecoin.py from ../shared/oracle/tool (default build/interop-cache/oracle/target/release/oracle), PARAMS the folder of
parameter files that both use (default build/interop-cache/filecoin-params), CUZK our binary (default build/release/bin/cuzk).

What is timed. cuzk: the whole process, from the request's file to the verified proof in its file. bellperson: its tool seals a
sector first and proves twice, so its log is read: "request to proof" is the time between the network's API being asked for a
proof (vanilla proofs in memory, parameters to be read from their file) and its verifier's answer; "proving" is
what bellperson itself logs as synthesis and prover time of that proof. Peak memory is of the whole process; the tool
without --prove gives the share of it that sealing has. Both processes are bound to the same cores and have as many threads.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile

from compare import CUZK, REPOSITORY, machine, record, run_measured

SHARED = REPOSITORY.parent / "shared" / "oracle"
ORACLE = pathlib.Path(os.environ.get("ORACLE", REPOSITORY / "build/interop-cache/oracle/target/release/oracle"))
PARAMS = pathlib.Path(os.environ.get("PARAMS", REPOSITORY / "build/interop-cache/filecoin-params"))

# Kind -> the network's API functions around one proof, as they name themselves in the log.
API = {
    "porep": ("seal_commit_phase2:start", "verify_seal:finish"),
    "wpost": ("generate_window_post_with_vanilla:start", "verify_window_post:finish"),
    "winning": ("generate_winning_post_with_vanilla:start", "verify_winning_post:finish"),
    "snap": ("generate_empty_sector_update_proof_with_vanilla:start", "verify_empty_sector_update_proof:finish"),
}
UNITS = {"ms": 1e-3, "s": 1, "µs": 1e-6}


def moment(log, text):
    """Seconds of the last line that ends in this text."""
    lines = [line for line in log.splitlines() if re.sub(r"(: SectorId\(\d+\))?\s*$", "", line).endswith(text)]
    if not lines:
        raise ValueError(f"the log has no line '{text}'")
    return datetime.datetime.fromisoformat(lines[-1].split()[0]).timestamp()


def logged(log, name):
    """The last duration of this name that bellperson logged, in seconds."""
    number, unit = re.findall(rf"{name}: ([0-9.]+)(ms|µs|s)\b", log)[-1]
    return float(number) * UNITS[unit]


def run_bellperson(kind, threads, cores, scratch, prove=True):
    environment = {"RUST_LOG": "info", "RAYON_NUM_THREADS": str(threads), "EC_GPU_NUM_THREADS": str(threads),
                   "FIL_PROOFS_PARAMETER_CACHE": str(PARAMS), "FIL_PROOFS_PARENT_CACHE": str(scratch / "parents")}
    command = [str(ORACLE), kind, "2KiB", str(scratch / kind)] + (["--prove"] if prove else [])
    _, _, peak, log = run_measured(command, environment, cores)
    if not prove:
        return {"peak_mib": peak}
    start, end = (moment(log, text) for text in API[kind])
    return {"request_to_proof": end - start, "proving": logged(log, "synthesis time") + logged(log, "prover time"), "peak_mib": peak}


def run_cuzk(kind, threads, cores, scratch):
    request, proof = SHARED / f"{kind}-2KiB" / "request.json", scratch / f"{kind}.proof"
    command = [str(CUZK), "filecoin", "prove", str(request), "-o", str(proof), "--params", str(PARAMS), "--threads", str(threads), "--json"]
    wall, cpu, peak, text = run_measured(command, {}, cores)
    report = json.loads(text[text.index("{"):])
    run_measured([str(CUZK), "filecoin", "verify", str(request), str(proof), "--params", str(PARAMS)], {}, cores)
    proof.unlink()
    stages = {stage["stage"]: stage["ms"] / 1e3 for stage in report["stages"]}
    return {"request_to_proof": wall, "proving": wall - sum(stages.get(name, 0) for name in ("request", "key", "circuit", "verify")),
            "cpu": cpu, "peak_mib": peak, "constraints": report["constraints"]}


def compare(kind, threads, rounds):
    cores = sorted(os.sched_getaffinity(0))[:threads]
    samples = {"bellperson": [], "cuzk": []}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        sealing = run_bellperson(kind, threads, cores, scratch, prove=False)["peak_mib"]
        run_cuzk(kind, threads, cores, scratch)  # the parameter file is in memory for everyone from here on
        for turn in range(rounds):
            runs = [("bellperson", run_bellperson), ("cuzk", run_cuzk)]
            for name, run in runs if turn % 2 == 0 else reversed(runs):
                samples[name].append(run(kind, threads, cores, scratch))
    middle = {name: {key: statistics.median(sample[key] for sample in rows) for key in rows[0]} for name, rows in samples.items()}
    middle["bellperson"]["peak_sealing_only_mib"] = sealing
    ours, theirs = middle["cuzk"], middle["bellperson"]
    return {"kind": kind, "threads": threads, **middle, "samples": samples,
            "ratios": {key: theirs[key] / ours[key] for key in ("request_to_proof", "proving", "peak_mib")}}


def table(facts, results):
    lines = ["# Filecoin's proofs beside bellperson", ""]
    lines += [f"- {key}: {value}" for key, value in facts.items()]
    lines += ["", *(" ".join(part.split()) for part in __doc__.split("\n\n")[-1:]), "",
              "Medians. Ratios: bellperson's figure over cuzk's.", "",
              "| 2 KiB proof | constraints | threads | bellperson request to proof s | cuzk s | ratio | bellperson proving s | cuzk s | ratio "
              "| bellperson peak MiB (sealing only) | cuzk peak MiB |",
              "|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        b, c, q = r["bellperson"], r["cuzk"], r["ratios"]
        lines.append(f"| {r['kind']} | {c['constraints']:,.0f} | {r['threads']} | {b['request_to_proof']:.2f} | {c['request_to_proof']:.2f} "
                     f"| {q['request_to_proof']:.1f} | {b['proving']:.2f} | {c['proving']:.2f} | {q['proving']:.1f} "
                     f"| {b['peak_mib']:.0f} ({b['peak_sealing_only_mib']:.0f}) | {c['peak_mib']:.0f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(API):
        parser.error(f"unknown kind {', '.join(sorted(unknown))}")
    for needed, what in ((CUZK, "cuzk binary"), (ORACLE, "prover of the network"), (PARAMS, "parameter folder")):
        if not needed.exists():
            sys.exit(f"filecoin: no {what} at {needed}")
    facts = machine()
    facts = {key: facts[key] for key in ("cpu", "ifma", "cores", "memory_gib", "system", "commit", "modified", "load_at_start", "date")}
    facts |= {"bellperson": "0.26.0 (filecoin-proofs 19.0.1), on the CPU", "rounds": options.rounds}
    results = []
    for kind in options.kinds or API:
        results.append(compare(kind, options.threads, options.rounds))
        r = results[-1]
        print(f"{kind}: bellperson {r['bellperson']['request_to_proof']:.2f} s, cuzk {r['cuzk']['request_to_proof']:.2f} s, "
              f"{r['ratios']['request_to_proof']:.1f}x", file=sys.stderr, flush=True)
    facts["load_at_end"] = round(os.getloadavg()[0], 2)
    text, document = table(facts, results), json.dumps({"machine": facts, "results": results}, indent=1) + "\n"
    print(text)
    if options.json:
        options.json.write_text(document)
    if options.record:
        record(facts, text, document, "filecoin")


if __name__ == "__main__":
    main()
