#!/usr/bin/env bash
# fuzz.sh [SECONDS] [NAME...]: each fuzz target for SECONDS from its seed corpus; new inputs stay in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=30
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
fi

targets=()
if (($# > 0)); then
    targets=("${@/#/build/fuzz/bin/fuzz_}")
else
    shopt -s nullglob
    targets=(build/fuzz/bin/fuzz_*)
fi
if ((${#targets[@]} == 0)); then
    echo "fuzz: there is no fuzz target" >&2
    exit 1
fi

for target in "${targets[@]}"; do
    name=$(basename "$target")
    name=${name#fuzz_}
    found=build/fuzz/corpus/$name
    log=build/fuzz/$name.log
    mkdir -p "$found"
    printf '  %-24s' "$name"
    if ! "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=512 \
        -artifact_prefix="build/fuzz/crash-$name-" "$found" "fuzz/corpus/$name" >"$log" 2>&1; then
        echo "✘ (build/fuzz/crash-$name-*)"
        tail -n 40 "$log"
        exit 1
    fi
    echo "✔ $(grep -oE '^Done [0-9]+ runs' "$log" | grep -oE '[0-9]+' || true) runs"
done
