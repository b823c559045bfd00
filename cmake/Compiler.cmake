# How everything is compiled. Every target links `conclave_base` and gets it from there.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# Asserts stay on in release: a bug must stop a node, not be acted upon.
foreach(kind RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${kind} "${CMAKE_CXX_FLAGS_${kind}}")
endforeach()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without this, ccache remembers nothing that uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_package(Boost 1.81 REQUIRED)

add_library(conclave_base INTERFACE)
target_include_directories(conclave_base INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(conclave_base INTERFACE Boost::headers)
target_compile_options(conclave_base INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${CONCLAVE_WERROR}>:-Werror>
    -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)  # an assert names src/..., not somebody's home

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(conclave_base INTERFACE
        -Wno-restrict       # g++ 12 blames `"text" + string`
        -fpch-preprocess  # ccache wants to see which precompiled header is used
        --param=ggc-min-heapsize=524288)  # collects its garbage seldom: a twentieth of the time
else()
    # For clang it is a part of -Wconversion, for g++ it is not: let both mean the same.
    target_compile_options(conclave_base INTERFACE -Wno-sign-conversion)
endif()

if(CONCLAVE_SANITIZE)
    target_compile_options(conclave_base INTERFACE
        -fsanitize=${CONCLAVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(conclave_base INTERFACE -fsanitize=${CONCLAVE_SANITIZE})
    target_compile_definitions(conclave_base INTERFACE _GLIBCXX_ASSERTIONS)
    if(CONCLAVE_SANITIZE MATCHES "undefined")
        # The first two double the time to compile, the third adds an eighth and most of the size.
        # The address sanitizer sees null and wild pointers and small objects anyway; nobody looks
        # for misaligned ones.
        target_compile_options(conclave_base INTERFACE
            -fno-sanitize=null,alignment,pointer-overflow,object-size)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # A false alarm in instrumented code; the release build still listens to it.
        target_compile_options(conclave_base INTERFACE -Wno-maybe-uninitialized)
    endif()
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold CONCLAVE_HAS_MOLD)
check_linker_flag(CXX -fuse-ld=bfd CONCLAVE_HAS_BFD)
target_link_options(conclave_base INTERFACE
    $<$<AND:$<BOOL:${CONCLAVE_HAS_MOLD}>,$<NOT:$<BOOL:$<TARGET_PROPERTY:LAID_OUT>>>>:-fuse-ld=mold>
    -Wl,--as-needed)

# Each function in a section of its own, so that the command can be laid out: as people run it.
set(CONCLAVE_IDLE_LAYOUT OFF)
if(CONCLAVE_HAS_BFD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CONCLAVE_SANITIZE
        AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(CONCLAVE_IDLE_LAYOUT ON)
    target_compile_options(conclave_base INTERFACE -ffunction-sections)
endif()
