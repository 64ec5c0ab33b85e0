#!/usr/bin/env python3
"""Checks that each layer includes only itself and the layers below it.

The order is that of docs/architecture.md; a layer's DEPS in its CMakeLists.txt must name every layer that it includes.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Bottom to top. poly and msm are siblings: neither may include the other.
RANKS = {
    "base": 0, "field": 1, "curve": 2, "poly": 3, "msm": 3, "r1cs": 4, "groth16": 5, "formats": 6, "gpu": 7,
    "filecoin": 8, "engine": 9, "rpc": 10, "capi": 11, "cli": 12,
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
DEPS = re.compile(r"DEPS\s+([a-z0-9_ \n]+?)(?:\bLIBS\b|\))", re.IGNORECASE)


def declared_deps(layer_dir):
    lists = layer_dir / "CMakeLists.txt"
    match = DEPS.search(lists.read_text()) if lists.is_file() else None
    return set(match.group(1).split()) if match else set()


def check_file(path, layer, deps):
    for name in INCLUDE.findall(path.read_text()):
        target = name.split("/")[0]
        if "/" not in name or target not in RANKS or not (ROOT / "src" / name).is_file():
            yield f'include "{name}" is no path below src/'
        elif target != layer and RANKS[target] >= RANKS[layer]:
            yield f'include "{name}": {layer} stands below {target}, or beside it'
        elif target != layer and target not in deps:
            yield f'include "{name}": {target} is missing from DEPS of src/{layer}/CMakeLists.txt'


def main():
    problems = []
    for layer_dir in sorted(path for path in (ROOT / "src").iterdir() if path.is_dir()):
        layer = layer_dir.name
        if layer not in RANKS:
            problems.append(f"src/{layer}: not a layer known to {pathlib.Path(__file__).name}")
            continue
        deps = declared_deps(layer_dir)
        for path in sorted(layer_dir.rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".cu", ".cuh"}:
                problems += [f"{path.relative_to(ROOT)}: {text}" for text in check_file(path, layer, deps)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
