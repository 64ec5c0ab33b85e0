#!/usr/bin/env bash
# Prints the path of a CUDA compiler: nvcc of this machine where there is one of version 13, else one from PyPI wheels
# of a single pinned release, unpacked once into build/.cuda.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

readonly cuda_wheels=(
    nvidia-cuda-nvcc==13.0.88
    nvidia-cuda-crt==13.0.88
    nvidia-nvvm==13.0.88
    nvidia-cuda-runtime==13.0.88
    nvidia-cuda-cccl==13.0.85
)

system_nvcc() {
    local nvcc
    nvcc=$(command -v nvcc || true)
    if [[ -z $nvcc && -x /usr/local/cuda/bin/nvcc ]]; then
        nvcc=/usr/local/cuda/bin/nvcc
    fi
    if [[ -n $nvcc ]] && "$nvcc" --version | grep -q 'release 13\.'; then
        echo "$nvcc"
    fi
}

wheel_nvcc() {
    local venv=$root/build/.cuda toolkit
    local mark=$venv/.done
    if [[ ! -f $mark || $(cat "$mark") != "${cuda_wheels[*]}" ]]; then
        need_packages python3-venv >&2
        rm -rf "$venv"
        # Debian's python3 by its path: it has the venv module of the package above, whatever else is on PATH.
        /usr/bin/python3 -m venv "$venv" >&2
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "${cuda_wheels[@]}" >&2
        toolkit=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
        # The wheels leave out what a toolkit's installer adds: the 64-bit library folder and the unversioned name.
        ln -s lib "$toolkit/lib64"
        ln -s libcudart.so.13 "$toolkit/lib/libcudart.so"
        ln -s "$toolkit" "$venv/toolkit"
        echo "${cuda_wheels[*]}" >"$mark"
    fi
    echo "$venv/toolkit/bin/nvcc"
}

nvcc=$(system_nvcc)
if [[ -z $nvcc ]]; then
    nvcc=$(wheel_nvcc)
fi
echo "$nvcc"
