"""The network's side of Filecoin's checks: recorded cases, the verifier built from its software, parameters that cuzk made."""
import os

from check import CACHE, SHARED, check, cuzk_exits, expect, run, work_directory

ORACLE = SHARED / "oracle"
PARAMS = ORACLE / "params"
work = work_directory("filecoin-judge")

# Case, and the circuit whose parameters it needs.
REQUESTS = {"wpost-2KiB": "window-post", "wpost-2KiB-3sectors": "window-post", "winning-2KiB": "winning-post", "snap-2KiB": "update",
            "porep-2KiB": "porep", "porep-2KiB-v10": "porep", "porep-2KiB-synth": "porep"}


def build_judge():
    """The verifier's binary: built once into the cache (some five minutes), reused as long as its source is the same."""
    root = CACHE / "oracle"
    source = root / "tool"
    fresh = {p.relative_to(ORACLE / "tool"): p.read_bytes() for p in (ORACLE / "tool").rglob("*") if p.is_file()}
    for leaf, content in fresh.items():
        copy = source / leaf
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    environment = dict(os.environ, CARGO_TARGET_DIR=str(root / "target"))
    done = run("cargo", "build", "--release", "--locked", "--quiet", cwd=source, env=environment)
    expect(done.returncode == 0, f"cargo build: {done.output[-800:]}")
    return root / "target" / "release" / "oracle"


def judge(binary, case, proof, params=PARAMS):
    environment = dict(os.environ, FIL_PROOFS_PARAMETER_CACHE=str(params), FIL_PROOFS_PARENT_CACHE=str(work / "parents"),
                       RUST_LOG="off")
    return run(binary, "verify", ORACLE / case, proof, env=environment)


def generated_params():
    """Development parameters of all circuits of REQUESTS: generated once, into the cache. Null if that fails."""
    params = CACHE / "filecoin-params"
    for circuit in dict.fromkeys(REQUESTS.values()):
        if not list(params.glob(f"{circuit}.done")):
            done = check(f"{circuit} 2KiB: cuzk generates parameters", lambda: cuzk_exits(
                0, "filecoin", "params", "generate", "--circuit", circuit, "--sector-size", "2KiB", "--params", params))
            if not done:
                return None
            (params / f"{circuit}.done").touch()
    return params
