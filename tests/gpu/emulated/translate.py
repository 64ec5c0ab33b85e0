#!/usr/bin/env python3
"""translate.py SOURCE TARGET: rewrites a CUDA source so that a C++ compiler takes it.

Launches become calls of emulated::launch, which queues calls of the kernel, one for each thread; shared arrays become storage of
the system thread that runs the block, since it runs one block at a time. Everything else is left to macros in cuda_runtime.h.
"""

import pathlib
import re
import sys


def balanced(text, start, opening, closing):
    """The index just behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == opening:
            depth += 1
        elif text[i] == closing:
            depth -= 1
            if depth == 0:
                return i + 1
    raise ValueError(f"unbalanced {opening} at {start}")


def kernel_begins(text, end):
    """Where the name of a kernel, perhaps with template arguments, begins that ends before `end`."""
    i = len(text[:end].rstrip())
    if text[i - 1] == ">":
        depth = 0
        while True:
            i -= 1
            depth += (text[i] == ">") - (text[i] == "<")
            if depth == 0:
                break
        i = len(text[:i].rstrip())
    return re.search(r"[\w:]+$", text[:i]).start()


def launches(text):
    out = []
    done = 0
    while (at := text.find("<<<", done)) >= 0:
        name = kernel_begins(text, at)
        config_end = text.index(">>>", at)
        arguments = text.index("(", config_end)
        end = balanced(text, arguments, "(", ")")
        kernel = text[name:at].strip()
        out += [text[done:name], f"::emulated::launch({{{text[at + 3:config_end]}}}, ",
                f"[](const auto&... arguments) {{ {kernel}(arguments...); }}, ", text[arguments + 1:end]]
        done = end
    return "".join([*out, text[done:]])


def translate(text):
    text = re.sub(r"extern __shared__ (\w+) (\w+)\[\];",
                  r"\1* const \2 = static_cast<\1*>(::emulated::dynamic_shared());", text)
    text = re.sub(r"(?<!extern )__shared__ ", "alignas(16) static thread_local ", text)
    # No macro: the standard library spells the attribute in the same way.
    text = text.replace("__noinline__", "[[gnu::noinline]]")
    # Some of the loops that a device's compiler unrolls g++ does not know as loops any more, and says so.
    text = re.sub(r"^ *CUZK_UNROLL$", "", text, flags=re.MULTILINE)
    # So that both methods of a sum are met by short ones, and parked vectors of small domains come back in several pieces.
    text = text.replace("kSmallSum = std::size_t{1} << 17", "kSmallSum = std::size_t{1} << 11")
    text = text.replace("kParkedPiece = std::size_t{1} << 18", "kParkedPiece = std::size_t{1} << 5")
    return launches(text)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f'#line 1 "{source}"\n' + translate(source.read_text()))


if __name__ == "__main__":
    main()
