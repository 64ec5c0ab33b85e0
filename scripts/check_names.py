#!/usr/bin/env python3
"""Checks that a type with external linkage has one definition: two of the same name in one namespace, in different
files of a program, break the one-definition rule. No compiler says so, and the linker silently keeps one copy of each
template instantiated with either of them."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# A namespace, the head of a type's definition (a nested name such as Outer::Impl or a specialisation Name<...> is caught
# whole), or a brace.
TOKEN = re.compile(
    r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
    r"|(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*"
    r"(?P<type>\w+(?:::\w+)*(?:<[^;{}()]*>)?)(?:\s+final)?(?:\s*:[^;{}()]*)?\s*\{"
    r"|[{}]")


def external_types(path):
    """Yields (qualified name, line) of the types that `path` defines at namespace scope outside unnamed namespaces."""
    text = NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), path.read_text())
    scopes = []  # the names of the namespaces around, None for any other block
    for token in TOKEN.finditer(text):
        if token["namespace"] is not None:
            scopes.append(token["namespace"] or "(unnamed)")
        elif token["type"]:
            if None not in scopes and "(unnamed)" not in scopes:
                name = "::".join([*scopes, re.sub(r"\s+", "", token["type"])])
                yield name, text.count("\n", 0, token.start()) + 1
            scopes.append(None)
        elif token.group() == "{":
            scopes.append(None)
        elif scopes:
            scopes.pop()


# What is linked into one program: the library, and beside it one folder of tests, one benchmark or one fuzz target.
def programs():
    library = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in SUFFIXES)
    yield library
    for folder in sorted((ROOT / "tests").iterdir()):
        if folder.is_dir():
            yield library + sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    for path in sorted([*(ROOT / "bench").glob("*.cpp"), *(ROOT / "fuzz").glob("*.cpp")]):
        yield [*library, path]


def main():
    cache = {}
    problems = set()
    for program in programs():
        places = collections.defaultdict(set)
        for path in program:
            if path not in cache:
                cache[path] = list(external_types(path))
            for name, line in cache[path]:
                places[name].add((str(path.relative_to(ROOT)), line))
        for name, found in places.items():
            if len({file for file, _ in found}) > 1:
                problems.add(f"{name} is defined at " + " and ".join(f"{file}:{line}" for file, line in sorted(found)))
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
