# cuzk_layer(<name> DEPS <lower layers> LIBS <external targets> [EXCLUDE <regex>])
#
# Makes the library cuzk_<name> of all *.cpp (in a build with device code also *.cu) in and below the calling folder;
# main.cpp aside, which belongs to an executable, and
# what EXCLUDE matches. A layer of headers alone becomes an INTERFACE library. A build without the daemon has no layer rpc to
# depend on.
# scripts/check_layers.py checks that includes follow DEPS.
function(cuzk_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCLUDE" "DEPS;LIBS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cuzk_layer(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()

    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    if(arg_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
    endif()
    if(CUZK_HAS_CUDA)
        file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu")
        list(APPEND sources ${device_sources})
    endif()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")

    set(target cuzk_${name})
    if(sources)
        add_library(${target} STATIC ${sources} ${headers})
        set(scope PUBLIC)
        cuzk_isa_flags(${sources})
    else()
        add_library(${target} INTERFACE ${headers})
        set(scope INTERFACE)
    endif()

    if(NOT CUZK_HAS_DAEMON)
        list(REMOVE_ITEM arg_DEPS rpc)
    endif()
    list(TRANSFORM arg_DEPS PREPEND cuzk_)
    target_link_libraries(${target} ${scope} cuzk_flags ${arg_DEPS} ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY CUZK_LAYERS ${name})
endfunction()
