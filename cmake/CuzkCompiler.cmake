# Language level, warnings, sanitizers and tools that hold for the whole build.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# -g1 keeps line numbers in Release profiles and crash reports at little cost. There is no -march: one binary runs
# on every x86-64 and picks its code paths at run time.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
# -Og rather than -O0: the inline assembly of the field layer needs the registers that -O0 spends on frame pointers.
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")
set(CMAKE_CXX_FLAGS_SANITIZED "-O1 -g1")

add_library(cuzk_flags INTERFACE)
target_compile_options(cuzk_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>"
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CUZK_WERROR}>>:-Werror>")
# g++ 12 sees overlapping copies in `"literal" + std::string` that are not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(cuzk_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")
endif()
target_include_directories(cuzk_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")

if(CUZK_SANITIZE)
    # The instrumentation hides initialisations from g++ 12, which then warns of correct code.
    set(cuzk_sanitize -fsanitize=${CUZK_SANITIZE} -fno-sanitize-recover=all -Wno-maybe-uninitialized)
    target_compile_options(cuzk_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cuzk_sanitize}>")
    target_link_options(cuzk_flags INTERFACE ${cuzk_sanitize})
endif()

if(CUZK_LIBFUZZER)
    target_compile_options(cuzk_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>")
endif()

find_program(CUZK_CCACHE ccache)
if(CUZK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Two clones, or two build folders, of the same sources share their objects: paths are hashed relative to the root.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${CUZK_CCACHE}")
endif()
find_program(CUZK_MOLD mold)
if(CUZK_MOLD)
    target_link_options(cuzk_flags INTERFACE "$<$<LINK_LANGUAGE:CXX>:-fuse-ld=mold>")
endif()

# Files named *_ifma.cpp hold AVX-512 IFMA code and nothing else; only they get its flags, so that no instruction of
# it can reach an object that runs on an older processor.
set(CUZK_IFMA_FLAGS -mavx512f -mavx512ifma -mavx512vl -mavx512dq -mavx512bw -mbmi2 -madx)
if(CUZK_SANITIZE MATCHES "undefined")
    # Its checks of inlined intrinsics find nothing and multiply the compile time of these files.
    list(APPEND CUZK_IFMA_FLAGS -fno-sanitize=undefined)
endif()
function(cuzk_isa_flags)
    foreach(file IN LISTS ARGN)
        if(file MATCHES "_ifma\\.cpp$")
            set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "${CUZK_IFMA_FLAGS}")
        endif()
    endforeach()
endfunction()
