# Device code is optional. CUZK_HAS_CUDA says whether this build has it.

set(CUZK_HAS_CUDA OFF)
if(CUZK_CUDA STREQUAL "AUTO")
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(CUZK_HAS_CUDA ON)
    endif()
elseif(CUZK_CUDA)
    set(CUZK_HAS_CUDA ON)
endif()

if(CUZK_HAS_CUDA)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 knows the dialect of older compilers only
        set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
        set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    # The relaxed constexpr lets device code call the constexpr functions that derive the field constants. 550, "set but
    # never used", is wrong about the scratch operands of the host's inline assembly.
    target_compile_options(cuzk_flags INTERFACE
        "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--Werror=all-warnings;--diag-suppress=550>")
endif()
message(STATUS "Device code: ${CUZK_HAS_CUDA}")
