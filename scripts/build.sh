# shellcheck shell=bash
# Sourced from the repository root: configuring and building by preset.

# Two cores are the smallest machine the project is built on; more are used where there are more.
build_jobs=${CUZK_JOBS:-$(nproc)}

# Null-separated list of our C, C++ and CUDA sources.
sources() {
    git ls-files -z --cached --others --exclude-standard -- \
        'src/*.h' 'src/*.hpp' 'src/*.cpp' 'src/*.cu' 'src/*.cuh' \
        'tests/*.h' 'tests/*.c' 'tests/*.hpp' 'tests/*.cpp' 'tests/*.cu' \
        'bench/*.hpp' 'bench/*.cpp' 'bench/*.cu' 'bench/*.cuh' 'tests/*.cuh' 'fuzz/*.hpp' 'fuzz/*.cpp'
}

# configure_preset PRESET: seconds, and less when nothing changed.
configure_preset() {
    local preset=$1 options=() log=build/configure-$1.log
    case $preset in
        cuda-release) options+=("-DCMAKE_CUDA_COMPILER=$(scripts/cuda_toolchain.sh)") ;;
        cuda)
            options+=("-DCMAKE_CUDA_COMPILER=$(scripts/cuda_toolchain.sh)")
            # For the cards of this machine, where it has some.
            local capabilities
            capabilities=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | paste -sd ';' || true)
            capabilities=${capabilities//./}
            if [[ $capabilities =~ ^[0-9]+(\;[0-9]+)*$ ]]; then
                options+=("-DCMAKE_CUDA_ARCHITECTURES=$capabilities")
            fi
            ;;
        fuzz) options+=(-DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14) ;;
        *) options+=(-DCMAKE_CXX_COMPILER=g++) ;;
    esac
    mkdir -p build
    if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}

# build_preset PRESET [TARGET...]: all targets where none is named.
build_preset() {
    local preset=$1 log=build/build-$1.log
    shift
    configure_preset "$preset"
    local targets=()
    if (($# > 0)); then
        targets=(--target "$@")
    fi
    # On a terminal ninja's one status line shows the progress; elsewhere only a failure is worth printing.
    if [[ -t 1 ]]; then
        cmake --build "build/$preset" -j "$build_jobs" "${targets[@]}"
    elif ! cmake --build "build/$preset" -j "$build_jobs" "${targets[@]}" >"$log" 2>&1; then
        grep -v '^\[' "$log" | tail -n 100 >&2 || true
        echo "build of preset $preset failed; whole log: $log" >&2
        return 1
    fi
}
