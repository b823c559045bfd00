# The `conclave` command: src/cli/main.cc, and the rest of src/cli as a library so that tests reach it.

find_package(CLI11 REQUIRED)

file(GLOB sources CONFIGURE_DEPENDS src/cli/*.cc)
list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
if(sources)
    add_library(conclave_cli STATIC ${sources})
    target_link_libraries(conclave_cli PUBLIC ${CONCLAVE_ROOMS} CLI11::CLI11)
    if(TARGET conclave_algorithms)
        target_link_libraries(conclave_cli PUBLIC conclave_algorithms)
    endif()
    target_precompile_headers(conclave_cli PRIVATE <cli/ask.h> <sim/simulator.h>
        <boost/json/parse.hpp> <boost/json/serialize.hpp>)
    target_include_directories(conclave_cli PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_compile_definitions(conclave_cli PRIVATE CONCLAVE_VERSION="${PROJECT_VERSION}")
endif()

file(GLOB main CONFIGURE_DEPENDS src/cli/main.cc)
if(main)
    add_executable(conclave ${main})
    target_link_libraries(conclave PRIVATE $<TARGET_NAME_IF_EXISTS:conclave_cli> conclave_base)
    set_target_properties(conclave PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    if(CONCLAVE_IDLE_LAYOUT)
        # What a node at rest runs through stands side by side (tools/idle-layout), which GNU's
        # linker does where mold cannot.
        target_link_options(conclave PRIVATE
            -fuse-ld=bfd -Wl,--script=${CMAKE_SOURCE_DIR}/cmake/idle.ld)
        set_target_properties(conclave PROPERTIES LAID_OUT ON
            LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/idle.ld)
    endif()
endif()
