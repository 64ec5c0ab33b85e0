#!/usr/bin/env bash
# bench.sh [NAME...] [-- OPTIONS]: runs build/release/bin/bench_NAME, all of them where none is named; the options go to each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=()
while (($# > 0)) && [[ $1 != -- ]]; do
    names+=("$1")
    shift
done
if [[ ${1:-} == -- ]]; then
    shift
fi
if ((${#names[@]} == 0)); then
    shopt -s nullglob
    for binary in build/release/bin/bench_*; do
        names+=("${binary#build/release/bin/bench_}")
    done
fi

printf 'commit    %s\n' "$(git describe --always --dirty)"
printf 'machine   %s, %s cores\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
printf 'compiler  %s\n' "$(g++ --version | head -n 1)"
for name in "${names[@]}"; do
    printf '\n== %s\n' "$name"
    "build/release/bin/bench_$name" "$@"
done
