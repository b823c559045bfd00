# bench/<name>.cc becomes bench_<name>, with Google Benchmark. `make bench` builds and runs them all.

find_package(benchmark REQUIRED)

add_custom_target(benchmarks)

# Programs that the scripts of bench/<folder>.sh run. Etcd's client is in Go, and built there.
function(conclave_driver folder name source)
    add_executable(${name} EXCLUDE_FROM_ALL bench/${folder}/${source})
    target_link_libraries(${name} PRIVATE ${ARGN})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/${folder})
    add_dependencies(benchmarks ${name})
endfunction()

conclave_driver(locks locks_driver driver.cc conclave_client)
conclave_driver(locks locks_sticky sticky.cc conclave_library)
conclave_driver(leadership mandates mandates.cc conclave_library)
if(TARGET conclave_zookeeper)
    conclave_driver(locks zookeeper_driver zookeeper_driver.cc conclave_base ${ZOOKEEPER_LIBRARY})
    target_compile_definitions(zookeeper_driver PRIVATE THREADED)
endif()

file(GLOB sources CONFIGURE_DEPENDS bench/*.cc)
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(bench_${name} PRIVATE
        ${CONCLAVE_ROOMS} $<TARGET_NAME_IF_EXISTS:conclave_algorithms> benchmark::benchmark_main)
    target_include_directories(bench_${name} PRIVATE ${CMAKE_SOURCE_DIR}/bench)
    set_target_properties(bench_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
    add_dependencies(benchmarks bench_${name})
endforeach()
