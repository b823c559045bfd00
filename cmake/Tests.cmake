# What CTest runs: the unit tests of every room, files that must not compile, scenarios, seeds,
# worlds that are explored, planted bugs, tidy.

find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
include(GoogleTest)

set(only_our_leaks "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/leaks.supp:print_suppressions=0")

# src/<room>/*_test.cc is the program <room>_test. A test may include anything, so it links all.
function(conclave_add_room_tests room)
    file(GLOB sources CONFIGURE_DEPENDS src/${room}/*_test.cc)
    if(NOT TARGET conclave_zookeeper)
        list(FILTER sources EXCLUDE REGEX "/zookeeper_[a-z_]*test\\.cc$")
    endif()
    if(NOT sources OR NOT room MATCHES "${CONCLAVE_TEST_ROOMS}")
        return()
    endif()
    set(program ${room}_test)
    add_executable(${program} ${sources})
    target_link_libraries(${program} PRIVATE
        $<TARGET_NAME_IF_EXISTS:conclave_cli> $<TARGET_NAME_IF_EXISTS:conclave_algorithms>
        ${CONCLAVE_ROOMS} rapidcheck_gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${program} PRIVATE
        CONCLAVE_BINARY="${CMAKE_BINARY_DIR}/conclave"
        CONCLAVE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_precompile_headers(${program} PRIVATE <gtest/gtest.h> <core/value.h>)
    set_target_properties(${program} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    set(properties TIMEOUT 600)
    if(room STREQUAL engine)  # three servers each, some of them Java: not several clusters at once
        list(APPEND properties RESOURCE_LOCK servers ENVIRONMENT ${only_our_leaks})
    endif()
    gtest_discover_tests(${program} DISCOVERY_MODE PRE_TEST
        TEST_FILTER "-KeptByZooKeeper.*:Curator.*"
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES ${properties})
endfunction()

# Those tests share servers that take seconds to start: they run in one process.
function(conclave_add_zookeeper_tests)
    if(NOT TARGET engine_test)
        return()
    endif()
    target_sources(engine_test PRIVATE src/cli/relay_test.cc src/cli/cluster_kit_test.cc)
    foreach(suite KeptByZooKeeper Curator)
        add_test(NAME ${suite} COMMAND engine_test --gtest_filter=${suite}.*
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(${suite} PROPERTIES TIMEOUT 900 RESOURCE_LOCK servers
            ENVIRONMENT ${only_our_leaks})
    endforeach()
endfunction()

# A wall clock that a test can set, for nodes that it starts. Sanitizers want to be loaded first.
function(conclave_add_wall_clock)
    if(CONCLAVE_SANITIZE OR NOT TARGET cli_test)
        return()
    endif()
    add_library(wall_clock MODULE src/cli/preload/wall_clock.cc)
    target_link_libraries(wall_clock PRIVATE conclave_base)
    set_target_properties(wall_clock PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_dependencies(cli_test wall_clock)
    target_compile_definitions(cli_test PRIVATE
        CONCLAVE_WALL_CLOCK="$<TARGET_FILE:wall_clock>")
endfunction()

# An application under locks, which the chaos run starts twenty times.
function(conclave_add_chaos_client)
    if(NOT TARGET cli_test)
        return()
    endif()
    add_executable(chaos_client src/cli/chaos/client.cc)
    target_link_libraries(chaos_client PRIVATE conclave_library conclave_sim)
    target_include_directories(chaos_client PRIVATE ${CMAKE_SOURCE_DIR}/include)
    set_target_properties(chaos_client PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_dependencies(cli_test chaos_client)
    target_compile_definitions(cli_test PRIVATE
        CONCLAVE_CHAOS_CLIENT="$<TARGET_FILE:chaos_client>")
endfunction()

# src/<room>/compile_fail/<name>.cc must fail to compile, with the text of its first line.
function(conclave_add_compile_fail source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/src OUTPUT_VARIABLE name)
    string(REGEX REPLACE "/compile_fail/(.*)\\.cc$" ".\\1" name ${name})
    add_test(NAME compile_fail.${name} COMMAND ${CMAKE_COMMAND}
        -D COMPILER=${CMAKE_CXX_COMPILER} -D INCLUDES=${CMAKE_SOURCE_DIR}/src -D SOURCE=${source}
        -P ${CMAKE_SOURCE_DIR}/cmake/CompileFail.cmake)
endfunction()

# scenarios/<name>.txt: `conclave sim FILE` compares the run with what the file expects.
function(conclave_add_scenario file)
    cmake_path(GET file STEM name)
    add_test(NAME scenario.${name} COMMAND conclave sim scenarios/${name}.txt
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(scenario.${name} PROPERTIES LABELS scenario TIMEOUT 120)
endfunction()

# CONCLAVE_SEEDS random walks of one algorithm under the faults that it claims to survive.
# Detectors, and a list that is begun anew again and again, take ten times as many events: a tenth
# of the seeds. What stands on a detector is walked with all seeds on the oracle: a fiftieth.
function(conclave_add_seeds algorithm)
    set(seeds ${CONCLAVE_SEEDS})
    if(algorithm MATCHES "-on-(heartbeat|ping)$")
        math(EXPR seeds "${seeds} / 50")
    elseif(algorithm MATCHES "^(heartbeat|ping)$|^(path-token|locks)-on-quorum$")
        math(EXPR seeds "${seeds} / 10")
    endif()
    add_test(NAME seeds.${algorithm}
        COMMAND conclave sim ${algorithm} --claimed --runs ${seeds}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(seeds.${algorithm} PROPERTIES LABELS seeds TIMEOUT 1200)
    # As a node runs it.
    if(algorithm MATCHES "^(quorum|locks-on-quorum|quorum-on-heartbeat)$")
        add_test(NAME seeds.${algorithm}.sparing
            COMMAND conclave sim ${algorithm} --claimed --runs ${seeds} --set sparing=on
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(seeds.${algorithm}.sparing PROPERTIES LABELS seeds TIMEOUT 1200)
    endif()
endfunction()

# checks/worlds.def: `conclave check` explores each world of which this build has the checker, and
# says what is expected; and the README tells of the largest.
function(conclave_add_checks)
    set(list ${CMAKE_SOURCE_DIR}/checks/worlds.def)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} lines REGEX "^[a-z]")
    foreach(line IN LISTS lines)
        if(line MATCHES "^([^ |]+) *\\| *([^ |]+)[^|]*\\| *(holds|breaks)" AND
                CMAKE_MATCH_2 IN_LIST CONCLAVE_CHECKERS)
            add_test(NAME check.${CMAKE_MATCH_1}
                COMMAND ${CMAKE_SOURCE_DIR}/tools/run-checks --binary $<TARGET_FILE:conclave>
                    ${CMAKE_MATCH_1})
            set_tests_properties(check.${CMAKE_MATCH_1} PROPERTIES LABELS check TIMEOUT 600)
        endif()
    endforeach()
    add_test(NAME readme.guarantees
        COMMAND ${CMAKE_SOURCE_DIR}/tools/run-checks --binary $<TARGET_FILE:conclave> --summary
            --told-in ${CMAKE_SOURCE_DIR}/README.md)
endfunction()

# mutants/<name>.patch: a planted bug that the checker or the random walk must catch. Each compiles
# one generated file anew, as this build compiles it: half a minute, so only where it is optimised,
# and one of each algorithm. `make test-all` has all of them.
function(conclave_add_mutants)
    file(GLOB patches CONFIGURE_DEPENDS mutants/*.patch)
    list(FILTER patches EXCLUDE REGEX
        "/(quorum_(lease|vote)_|maekawa_latest_|ricart_agrawala_tie|ring_old_)[a-z_]*\\.patch$")
    foreach(patch IN LISTS patches)
        cmake_path(GET patch STEM name)
        add_test(NAME mutant.${name}
            COMMAND ${CMAKE_SOURCE_DIR}/tools/run-mutants --build ${CMAKE_BINARY_DIR} ${name})
        set_tests_properties(mutant.${name} PROPERTIES LABELS mutant TIMEOUT 600)
    endforeach()
endfunction()

file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS src/*)
foreach(folder IN LISTS folders)
    cmake_path(GET folder FILENAME room)
    conclave_add_room_tests(${room})
endforeach()
conclave_add_wall_clock()
conclave_add_chaos_client()
conclave_add_zookeeper_tests()

file(GLOB sources CONFIGURE_DEPENDS src/*/compile_fail/*.cc)
foreach(source IN LISTS sources)
    conclave_add_compile_fail(${source})
endforeach()

file(GLOB files CONFIGURE_DEPENDS scenarios/*.txt)
if(TARGET conclave)
    foreach(file IN LISTS files)
        conclave_add_scenario(${file})
    endforeach()
    if(CONCLAVE_SEEDS GREATER 0)
        foreach(algorithm IN LISTS CONCLAVE_ALGORITHMS)
            if(algorithm MATCHES "-in-succession$")
                continue()  # made for the checker: nobody follows if the last leader crashes
            endif()
            conclave_add_seeds(${algorithm})
        endforeach()
    endif()
    if(NOT CONCLAVE_SANITIZE)
        conclave_add_checks()
        conclave_add_mutants()
    endif()
endif()

# src/<room>/fuzz/<target>.cc is fed its corpus and a bounded number of mutations of it.
function(conclave_add_fuzz corpus)
    cmake_path(GET corpus FILENAME target)
    cmake_path(GET corpus PARENT_PATH folder)
    cmake_path(GET folder PARENT_PATH folder)
    add_executable(fuzz_${target} ${folder}/${target}.cc)
    target_link_libraries(fuzz_${target} PRIVATE fuzz_driver ${CONCLAVE_ROOMS})
    set_target_properties(fuzz_${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    add_test(NAME fuzz.${target} COMMAND fuzz_${target} ${corpus})
    set_tests_properties(fuzz.${target} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()

if(CONCLAVE_SANITIZE)
    add_library(fuzz_driver OBJECT src/wire/fuzz/allocated.cc src/wire/fuzz/fuzz_main.cc)
    target_link_libraries(fuzz_driver PUBLIC conclave_base)
    file(GLOB corpora CONFIGURE_DEPENDS src/*/fuzz/corpus/*)
    foreach(corpus IN LISTS corpora)
        conclave_add_fuzz(${corpus})
    endforeach()
endif()

# The API's document by itself, and against the answers of real nodes.
add_test(NAME openapi.document COMMAND ${CMAKE_SOURCE_DIR}/tools/lint-openapi)
add_test(NAME openapi.self_test COMMAND ${CMAKE_SOURCE_DIR}/tools/lint-openapi --self-test)
add_test(NAME metrics.self_test COMMAND ${CMAKE_SOURCE_DIR}/tools/check-api --self-test)
if(TARGET conclave)
    add_test(NAME openapi.answers
        COMMAND ${CMAKE_SOURCE_DIR}/tools/check-api --binary $<TARGET_FILE:conclave>)
    set_tests_properties(openapi.answers PROPERTIES TIMEOUT 600)
endif()

if(CONCLAVE_IDLE_LAYOUT)
    add_test(NAME idle.layout
        COMMAND ${CMAKE_SOURCE_DIR}/tools/idle-layout check $<TARGET_FILE:conclave>)
endif()
add_test(NAME tidy COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy)
add_test(NAME tidy.self_test COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy --self-test)
