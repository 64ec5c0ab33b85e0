#!/usr/bin/env bash
# run.sh [CHECK...]: other implementations judge cuzk's proofs, and cuzk judges theirs. CHECK: fixtures, production, sweep,
# ironfish, filecoin, daemon, dashboard (default: all). CUZK names the binary under test, CUZK_INTEROP_CACHE where downloads and work files stay.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 4

export CUZK=${CUZK:-../build/release/bin/cuzk}
export CUZK_INTEROP_CACHE=${CUZK_INTEROP_CACHE:-../build/interop-cache}
[[ -x $CUZK ]] || { echo "interop: no cuzk binary at $CUZK (./dev interop builds it)" >&2; exit 4; }
./fetch.sh || exit

checks=("$@")
((${#checks[@]})) || checks=(fixtures production sweep ironfish filecoin daemon dashboard)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for name in "${checks[@]}"; do
    printf '== %s\n' "$name"
    start=$SECONDS
    case $name in
        fixtures | production | sweep) runner=(node "$name.mjs") ;;
        ironfish | filecoin | daemon | dashboard) runner=(python3 -B "$name.py") ;;
        *) echo "interop: no check named '$name'" >&2; exit 2 ;;
    esac
    before=$(grep -c '^FAIL ' "$log")
    "${runner[@]}" | tee -a "$log"
    status=${PIPESTATUS[0]}
    # A script that died without a FAIL line of its own must not pass for a clean run.
    if ((status != 0)) && [[ $(grep -c '^FAIL ' "$log") == "$before" ]]; then
        echo "FAIL $name: ended with status $status" | tee -a "$log"
    fi
    printf '   %s took %s s\n' "$name" "$((SECONDS - start))"
done

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^FAIL ' "$log")
skipped=$(grep -c '^skip ' "$log")
((skipped)) && echo "$skipped skipped"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
