#!/usr/bin/env bash
# install_test.sh CMAKE BUILD CC EXAMPLE ARGUMENT...: installs the library, builds the example by what pkg-config says, and runs it.
set -euo pipefail
cmake=$1 build=$2 cc=$3 example=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build" --component capi --prefix "$folder/usr" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$folder" -name cuzk.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs cuzk)"
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$example" "${flags[@]}" -o "$folder/example"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir cuzk) "$folder/example" "$@"
