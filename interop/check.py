"""Shared by the Python checks: one line a check ("ok", "FAIL" or "skip"), and the cuzk command under test."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent
SHARED = REPOSITORY.parent / "shared"
CACHE = pathlib.Path(os.environ.get("CUZK_INTEROP_CACHE", REPOSITORY / "build" / "interop-cache")).resolve()
CUZK = pathlib.Path(os.environ.get("CUZK", REPOSITORY / "build" / "release" / "bin" / "cuzk")).resolve()

_failures = 0


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def check(name, body):
    global _failures
    try:
        body()
        print(f"ok   {name}", flush=True)
        return True
    except Exception as error:  # a broken check is a failed check, whatever broke
        _failures += 1
        text = str(error).strip().replace("\n", " | ")
        print(f"FAIL {name}: {type(error).__name__ if not text else text}", flush=True)
        return False


def skip(name, reason):
    print(f"skip {name}: {reason}", flush=True)


def finish():
    sys.exit(1 if _failures else 0)


def work_directory(name):
    directory = CACHE / "work" / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    done.output = (done.stdout + done.stderr).strip()
    return done


def cuzk_exits(status, *arguments, environment=None):
    """Runs cuzk and wants this exit status: 0 done or valid, 1 invalid or unsatisfied, 3 malformed input."""
    wanted = status if isinstance(status, tuple) else (status,)
    done = run(CUZK, *arguments, env={**os.environ, **(environment or {})})
    if done.returncode not in wanted:
        expect(False, f"cuzk {' '.join(map(str, arguments))}: exit {done.returncode}, expected "
                      f"{' or '.join(map(str, wanted))}: {done.output[-400:]}")
    return done
