#!/usr/bin/env bash
# bench.sh [NAME...] [-- OPTIONS]: runs build/release/bin/bench_NAME, all of them where none is named; the options go to each.
# The name "peers" stands for whole proofs beside other provers (bench/peers), and is part of "all of them".
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
    names+=(peers)
fi

bench_peers() {
    local inputs=build/bench-inputs
    if ! command -v npm >/dev/null; then
        echo "skipped: making the circuits needs Node.js and npm"
        return
    fi
    [[ -d bench/peers/node_modules ]] || (cd bench/peers && npm ci --ignore-scripts --no-audit --no-fund --silent)
    node bench/peers/make_inputs.mjs "$inputs"
    bench/peers/compare.py "$inputs" "$@"
}

printf 'commit    %s\n' "$(git describe --always --dirty)"
printf 'machine   %s, %s cores\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
printf 'compiler  %s\n' "$(g++ --version | head -n 1)"
for name in "${names[@]}"; do
    printf '\n== %s\n' "$name"
    if [[ $name == peers ]]; then
        # The options are Google Benchmark's, unless this is all that runs.
        if ((${#names[@]} == 1)); then bench_peers "$@"; else bench_peers; fi
    else
        "build/release/bin/bench_$name" "$@"
    fi
done
