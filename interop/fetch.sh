#!/usr/bin/env bash
# Brings what the interoperability checks need from npm, pinned by version and digest:
#   interop/node_modules             snarkjs, circom2, @noble/curves (package-lock.json)
#   build/interop-cache/npm/         proving keys and witness generators of packages.txt; only the listed files stay
# Nothing is installed or run from these packages (npm's install scripts are off). Does nothing when all is there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CUZK_INTEROP_CACHE:-$here/../build/interop-cache}/npm
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

command -v npm >/dev/null || { echo "interop: npm (Node 20 or later) is needed" >&2; exit 4; }

lock_stamp=$here/node_modules/.cuzk-stamp
if ! cmp -s "$here/package-lock.json" "$lock_stamp"; then
    echo "interop: installing $(grep -c '"integrity"' "$here/package-lock.json") npm packages"
    (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --silent)
    cp "$here/package-lock.json" "$lock_stamp"
fi

# take PACKAGE VERSION INTEGRITY "PATH TARGET"...
take() {
    local package=$1 version=$2 integrity=$3
    shift 3
    local missing=0 pair
    for pair in "$@"; do [[ -s $cache/${pair#* } ]] || missing=1; done
    ((missing)) || return 0
    echo "interop: fetching $package@$version"
    local work tarball digest
    work=$(mktemp -d "$cache/.fetch.XXXXXX")
    (cd "$work" && npm pack --ignore-scripts --silent "$package@$version" >/dev/null)
    tarball=("$work"/*.tgz)
    digest=sha512-$(openssl dgst -sha512 -binary "${tarball[0]}" | base64 -w0)
    if [[ $digest != "$integrity" ]]; then
        echo "interop: $package@$version has digest $digest, expected $integrity" >&2
        rm -rf "$work"
        exit 4
    fi
    local paths=()
    for pair in "$@"; do paths+=("package/${pair% *}"); done
    tar -xzf "${tarball[0]}" -C "$work" "${paths[@]}"
    for pair in "$@"; do mv "$work/package/${pair% *}" "$cache/${pair#* }"; done
    rm -rf "$work"
}

entry=()
while read -r line || [[ -n $line ]]; do
    case $line in
        '#'* | '') continue ;;
        @*' sha512-'*)
            if ((${#entry[@]})); then take "${entry[@]}"; fi
            read -r -a entry <<<"$line"
            ;;
        *) entry+=("$line") ;;
    esac
done <"$here/packages.txt"
take "${entry[@]}"
