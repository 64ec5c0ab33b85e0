# cuzk_layer(<name> DEPS <lower layers> LIBS <external targets>)
#
# Makes the library cuzk_<name> of all *.cpp (in a build with device code also *.cu) in and below the calling folder;
# main.cpp aside: it belongs to an executable. A layer of headers alone becomes an INTERFACE library.
# scripts/check_layers.py checks that includes follow DEPS.
function(cuzk_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;LIBS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cuzk_layer(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()

    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
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

    list(TRANSFORM arg_DEPS PREPEND cuzk_)
    target_link_libraries(${target} ${scope} cuzk_flags ${arg_DEPS} ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY CUZK_LAYERS ${name})
endfunction()
