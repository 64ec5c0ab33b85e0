#!/usr/bin/env bash
# interop.sh [OPTIONS of interop/run.sh]: brings Node.js and Chromium where they are missing, and runs the checks against other implementations.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

if ! command -v npm >/dev/null; then
    need_packages nodejs npm
fi
# Checks that need these say "skip" without them.
command -v chromium >/dev/null || need_packages chromium || true
CUZK=$PWD/build/release/bin/cuzk interop/run.sh "$@"
