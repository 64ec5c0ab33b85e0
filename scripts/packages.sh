# shellcheck shell=bash disable=SC2034  # the lists are for the scripts that source this file
# Sourced: Debian packages by name, installed only where missing.

readonly build_packages=(
    g++ cmake ninja-build ccache
    libtbb-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libssl-dev libsimdjson-dev
    pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc libcpp-httplib-dev libtomlplusplus-dev
    libgtest-dev libbenchmark-dev
)
readonly lint_packages=(clang-format-14 clang-tidy-14 shellcheck python3)
readonly fuzz_packages=(clang-14 libclang-rt-14-dev)

# need_packages NAME...: quiet and instant when all are there.
need_packages() {
    local name missing=()
    for name in "$@"; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) != installed ]]; then
            missing+=("$name")
        fi
    done
    if ((${#missing[@]} == 0)); then
        return 0
    fi

    local as_root=()
    if ((EUID != 0)); then
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        -o DPkg::Lock::Timeout=300 --no-install-recommends "${missing[@]}" >/dev/null
    echo "installed ${#missing[@]} packages ✔"
}
