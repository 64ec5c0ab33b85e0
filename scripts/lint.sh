#!/usr/bin/env bash
# Format, layers, names of types, shell scripts and clang-tidy. `--all` runs clang-tidy on every source; the default is only on sources
# that differ from the main branch's last pushed state (or, without one, from the last commit).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/build.sh
source scripts/build.sh

all=false
case "${1:-}" in
    --all) all=true ;;
    '') ;;
    *)
        echo "lint: unknown option '$1'" >&2
        exit 2
        ;;
esac

step() {
    printf '  %-12s' "$1"
    shift
    local started=$SECONDS
    if "$@"; then
        echo "✔ $((SECONDS - started)) s"
    else
        echo "  ✘ $1"
        failed=true
    fi
}
failed=false

check_format() {
    sources | xargs -0 --no-run-if-empty clang-format-14 --dry-run --Werror
}

check_shell() {
    shellcheck --external-sources dev .ci/run scripts/*.sh interop/*.sh tests/*/*.sh
}

# Sources that clang-tidy reads: what the build compiles and the linter understands.
tidy_sources() {
    if $all; then
        git ls-files -- 'src/*.cpp'
    else
        local base
        base=$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD)
        { git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'src/*.hpp' 'tests/*.cpp'
          git ls-files --others --exclude-standard -- 'src/*.cpp' 'tests/*.cpp'; } | grep '\.cpp$' | sort -u || true
    fi
}

check_tidy() {
    local files log=build/lint-tidy.log
    mapfile -t files < <(tidy_sources)
    if ((${#files[@]} == 0)); then
        return 0
    fi
    if ! printf '%s\0' "${files[@]}" |
        xargs -0 -n 1 -P "$build_jobs" clang-tidy-14 -p build/release --quiet >"$log" 2>/dev/null; then
        grep -E -A 4 'warning:|error:' "$log" || cat "$log"
        return 1
    fi
}

step format check_format
step layers python3 scripts/check_layers.py
step names python3 scripts/check_names.py
step shell check_shell
step clang-tidy check_tidy

[[ $failed == false ]]
