#!/usr/bin/env python3
"""gpu_test.py RESULT.json BINARY... [-- TEST OPTIONS]: runs the device tests, then small ones of the first binary under
compute-sanitizer where that is installed, writes what came out as JSON, and prints it as a table last."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Small cases of every kernel: a sanitized thread is a hundred times as slow.
SANITIZED = ":".join([
    "BackendOnDevice/*.ProofsEqualTheProcessors", "BackendOnDevice/*.RefusesWhatItCannotProve",
    "NttDeviceTest/*.OtherRootsAgreeWithHost", "QuotientDeviceTest/*.SizesDoNotDisturbEachOther",
    "PointSumDeviceTest/*.NothingIsInfinity", "MsmDeviceTest/*.SizesMustAgree",
    "FixedBaseDeviceTest/*.MultiplesOfInfinityAreInfinity", "SharedSumDeviceTest/*.AHelperWithoutRoomIsLeftOut"])
TOOLS = ["memcheck", "racecheck", "initcheck"]


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def run_tests(binary, options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        code = subprocess.run([binary, f"--gtest_output=json:{report}", *options]).returncode
        suites = json.loads(report.read_text())["testsuites"] if report.is_file() else []
    rows = []
    for suite in suites:
        tests = suite["testsuite"]
        skipped = sum(test.get("result") == "SKIPPED" for test in tests)
        failed = [test["name"] for test in tests if "failures" in test]
        rows.append({"suite": suite["name"], "passed": len(tests) - skipped - len(failed), "skipped": skipped,
                     "failed": failed, "seconds": float(suite["time"].rstrip("s"))})
    return code, rows


def run_sanitizer(binary):
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not pathlib.Path(sanitizer).is_file():
        return None
    rows = []
    for tool in TOOLS:
        command = [sanitizer, "--tool", tool, "--error-exitcode", "1", binary, f"--gtest_filter={SANITIZED}"]
        result = subprocess.run(command, capture_output=True, text=True)
        lines = [line for line in result.stdout.splitlines() if "ERROR SUMMARY" in line]
        if result.returncode != 0:
            sys.stdout.write(result.stdout[-20000:])
        rows.append({"tool": tool, "passed": result.returncode == 0,
                     "summary": lines[-1].lstrip("= ") if lines else "no summary"})
    return rows


def main():
    target, *rest = sys.argv[1:]
    split = rest.index("--") if "--" in rest else len(rest)
    binaries, options = rest[:split], rest[split + 1:]
    device = output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    if not device:
        print("no CUDA device on this machine", file=sys.stderr)
        return 4
    code, suites = 0, []
    for binary in binaries:
        failed, rows = run_tests(binary, options)
        code = code or failed
        suites += rows
    sanitized = None if options else run_sanitizer(binaries[0])
    result = {"commit": output_of("git", "describe", "--always", "--dirty"), "devices": device.splitlines(),
              "suites": suites, "sanitizer": sanitized}
    pathlib.Path(target).write_text(json.dumps(result, indent=2) + "\n")

    print(f"\n{'suite':<40} {'passed':>6} {'skipped':>7} {'failed':>6} {'seconds':>8}")
    for row in suites:
        print(f"{row['suite']:<40} {row['passed']:>6} {row['skipped']:>7} {len(row['failed']):>6} {row['seconds']:>8.1f}")
    total = [sum(row[key] for row in suites) for key in ("passed", "skipped")]
    failures = sum(len(row["failed"]) for row in suites)
    print(f"{'all':<40} {total[0]:>6} {total[1]:>7} {failures:>6} {sum(row['seconds'] for row in suites):>8.1f}")
    for row in sanitized or []:
        print(f"compute-sanitizer {row['tool']}: {'passed' if row['passed'] else 'FAILED'}, {row['summary']}")
    if sanitized is None and not options:
        print("compute-sanitizer: not installed, not run")
    print(f"{', '.join(device.splitlines())}; {target}")
    return code or any(not row["passed"] for row in sanitized or []) or not suites


if __name__ == "__main__":
    sys.exit(main())
