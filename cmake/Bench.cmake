# bench/<name>.cc becomes bench_<name>, with Google Benchmark. `make bench` builds and runs them all.

find_package(benchmark REQUIRED)

add_custom_target(benchmarks)

# Driven by bench/locks.sh, beside other systems.
add_executable(locks_driver EXCLUDE_FROM_ALL bench/locks/driver.cc)
target_link_libraries(locks_driver PRIVATE conclave_client)
set_target_properties(locks_driver PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/locks)
add_dependencies(benchmarks locks_driver)
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
