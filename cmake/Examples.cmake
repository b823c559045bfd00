# examples/<name>.cc is the program example_<name>, and a test that runs it: it fails if the story
# that it tells comes out differently. examples/project is built against an installed package.

file(GLOB sources CONFIGURE_DEPENDS examples/*.cc)
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(example_${name} ${source})
    target_include_directories(example_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(example_${name} PRIVATE conclave_library)
    set_target_properties(example_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
    add_test(NAME example.${name} COMMAND example_${name})
    set_tests_properties(example.${name} PROPERTIES LABELS example TIMEOUT 300)
endforeach()

if(TARGET node_library)
    add_test(NAME package COMMAND ${CMAKE_SOURCE_DIR}/tools/check-package ${CMAKE_BINARY_DIR})
    set_tests_properties(package PROPERTIES LABELS example TIMEOUT 600)
endif()
