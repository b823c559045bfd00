# What the rooms of a real node stand on. Each library is seen by the room that wraps it and by
# nobody else, except Asio, which is the loop itself.

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)

# Compiled once, in net/asio_impl.cc: a header-only Asio costs half a minute in every file.
target_compile_definitions(conclave_net PUBLIC
    BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(conclave_net PUBLIC OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A false alarm on Asio's handlers at -O2.
    target_compile_options(conclave_net PUBLIC -Wno-mismatched-new-delete)
endif()

target_link_libraries(conclave_store PRIVATE SQLite::SQLite3 PUBLIC Threads::Threads)

target_compile_definitions(conclave_node PRIVATE
    CONCLAVE_VERSION="${PROJECT_VERSION}")
target_link_libraries(conclave_node PRIVATE
    PkgConfig::TOMLPLUSPLUS spdlog::spdlog prometheus-cpp::core)

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/node/openapi.json)
file(READ src/node/openapi.json openapi)
configure_file(cmake/openapi.cc.in ${CMAKE_BINARY_DIR}/generated/openapi.cc @ONLY)
target_sources(conclave_node PRIVATE ${CMAKE_BINARY_DIR}/generated/openapi.cc)

# The client of ZooKeeper is for those who want that engine, and nobody need have it.
find_path(ZOOKEEPER_INCLUDE zookeeper/zookeeper.h)
find_library(ZOOKEEPER_LIBRARY zookeeper_mt)
if(ZOOKEEPER_INCLUDE AND ZOOKEEPER_LIBRARY)
    file(GLOB sources CONFIGURE_DEPENDS src/engine/zookeeper/*.cc)
    add_library(conclave_zookeeper STATIC ${sources})
    target_compile_definitions(conclave_zookeeper PRIVATE THREADED)
    target_include_directories(conclave_zookeeper SYSTEM PRIVATE ${ZOOKEEPER_INCLUDE})
    target_link_libraries(conclave_zookeeper PUBLIC conclave_engine PRIVATE ${ZOOKEEPER_LIBRARY})
    target_link_libraries(conclave_engine PUBLIC conclave_zookeeper)
    target_compile_definitions(conclave_engine PUBLIC CONCLAVE_ZOOKEEPER)
else()
    message(STATUS "no ZooKeeper client (libzookeeper-mt-dev): that engine is left out")
endif()
