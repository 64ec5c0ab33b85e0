#!/usr/bin/env bash
# demo.sh CUZK [PROVE OPTIONS]: a real circuit, from the files that its users have to a checked proof, and two attempts to cheat.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cuzk=$PWD/$1
options=("${@:2}")
circuit=tests/data/darkforest_whitelist-bn128
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() {
    printf '$ cuzk %s\n' "$*"
    "$cuzk" "$@"
}
must_fail() {
    local expected=$1 code=0
    shift
    show "$@" || code=$?
    if ((code != expected)); then
        echo "demo: exit code $code where $expected was expected" >&2
        exit 1
    fi
    echo "(exit code $code, as it should be)"
}

say "The proving key of Dark Forest's whitelist circuit, as its npm package ships it"
show inspect "$circuit/circuit.zkey"

say "Prove knowledge of a witness"
show prove "$circuit/circuit.zkey" "$circuit/witness.wtns" "$out/proof.json" "$out/public.json" "${options[@]}"

say "Verify the proof"
show verify "$circuit/vkey.json" "$out/public.json" "$out/proof.json"

say "A public input is replaced by 1: the proof no longer holds"
sed '0,/"[0-9]*"/s//"1"/' "$out/public.json" >"$out/forged.json"
must_fail 1 verify "$circuit/vkey.json" "$out/forged.json" "$out/proof.json"

say "A constraint system is given for a proving key: refused, with the reason"
must_fail 3 prove "$circuit/circuit.r1cs" "$circuit/witness.wtns" "$out/none.json" "$out/none-public.json"
test ! -e "$out/none.json"

say "Filecoin: the proof that two sectors are still stored, for sectors that are simulated"
show filecoin simulate --proof window-post --sector-size 2KiB -o "$out/request.json"
show filecoin params generate --circuit window-post --sector-size 2KiB --params "$out/params"
show filecoin prove "$out/request.json" -o "$out/proof.bin" --params "$out/params" "${options[@]}"
show filecoin verify "$out/request.json" "$out/proof.bin" --params "$out/params"

say "Done: proved, verified, and two bad inputs refused."
