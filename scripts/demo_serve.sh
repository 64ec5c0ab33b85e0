#!/usr/bin/env bash
# demo_serve.sh CUZK: the daemon at work: started, asked for Filecoin proofs by its client, looked at, stopped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cuzk=$PWD/$1
out=$(mktemp -d)
daemon=
stop() {
    if [[ -n $daemon ]]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    rm -rf "$out"
}
trap stop EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() {
    printf '$ cuzk %s\n' "$*"
    "$cuzk" "$@"
}

say "A request for the proof that two sectors are still stored (simulated), and development parameters for its circuit"
show filecoin simulate --proof window-post --sector-size 2KiB -o "$out/request.json"
show filecoin params generate --circuit window-post --sector-size 2KiB --params "$out/params"

say "The daemon, on a socket of its own"
export CUZK_ADDR=unix://$out/cuzk.sock
touch "$out/log"
printf '$ cuzk serve --listen %s --status-listen 127.0.0.1:0 --params %s &\n' "$CUZK_ADDR" "$out/params"
"$cuzk" serve --listen "$CUZK_ADDR" --status-listen 127.0.0.1:0 --params "$out/params" 2>"$out/log" &
daemon=$!
for _ in $(seq 300); do
    url=$(sed -n 's/.*dashboard on //p' "$out/log")
    if [[ -n $url ]]; then
        break
    fi
    if ! kill -0 "$daemon" 2>/dev/null; then
        echo "demo: the daemon did not start:" >&2
        cat "$out/log" >&2
        exit 1
    fi
    sleep 0.1
done
echo "dashboard: $url"

say "Submit the request; the answer is a proof that the daemon has verified"
show submit "$out/request.json" -o "$out/proof.bin"

say "Verify it once more, by itself"
show filecoin verify "$out/request.json" "$out/proof.bin" --params "$out/params"

say "What the daemon says of itself"
show status
show top --once --status-addr "${url#http://}"

say "SIGTERM: it finishes what it has, and stops"
kill "$daemon"
code=0
wait "$daemon" || code=$?
daemon=
if ((code != 0)); then
    echo "demo: the daemon ended with code $code" >&2
    cat "$out/log" >&2
    exit 1
fi
tail -n 2 "$out/log"

say "Done: served and verified. While it ran, its dashboard was at $url"
