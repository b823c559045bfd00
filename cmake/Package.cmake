# What `cmake --install` puts where: the command, the headers of include/, and two shared libraries.
#
#     libconclave_client   locks and fencing for a process that is no member: needs OpenSSL only
#     libconclave          an embedded node, on top of the first
#
# Everything that a room has is hidden; what a header marks CONCLAVE_API is exported. Applications
# find them as conclave::client and conclave::conclave (find_package), or with pkg-config.

if(CONCLAVE_SANITIZE)
    return()  # the applications would have to be sanitized as well
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What goes into a shared library must be able to live anywhere. The simulator and the checker do
# not go in, and stay as fast as they are.
foreach(target conclave_core conclave_wire conclave_store conclave_net conclave_client
        conclave_node conclave_library conclave_hosts conclave_engine conclave_zookeeper)
    if(TARGET ${target})
        get_target_property(type ${target} TYPE)
        if(NOT type STREQUAL "INTERFACE_LIBRARY")
            set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
        endif()
    endif()
endforeach()

# conclave_shared(TARGET NAME KIND PATTERN LINKED...): lib<NAME>, of those objects of src/library
# that `KIND` (INCLUDE or EXCLUDE) and `pattern` choose.
function(conclave_shared target name kind pattern)
    add_library(${target} SHARED
        "$<FILTER:$<TARGET_OBJECTS:conclave_library>,${kind},${pattern}>")
    target_link_libraries(${target} PRIVATE ${ARGN})
    set(exports ${CMAKE_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined
        -Wl,--as-needed)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
    target_compile_features(${target} INTERFACE cxx_std_20)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
        VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${exports})
    install(TARGETS ${target} EXPORT conclave)
endfunction()

set(for_clients "/(client|fence|keeper)[a-z_]*\\.cc\\.o$")
conclave_shared(client_library conclave_client INCLUDE "${for_clients}" conclave_client
    conclave_engine)
set_target_properties(client_library PROPERTIES EXPORT_NAME client)
conclave_shared(node_library conclave EXCLUDE "${for_clients}" conclave_node conclave_hosts)
set_target_properties(node_library PROPERTIES EXPORT_NAME conclave)
target_link_libraries(node_library PUBLIC client_library)

install(TARGETS conclave)
install(DIRECTORY include/conclave TYPE INCLUDE)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/conclave)
install(EXPORT conclave NAMESPACE conclave:: FILE conclaveConfig.cmake DESTINATION ${folder})
write_basic_package_version_file(conclaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/conclaveConfigVersion.cmake DESTINATION ${folder})
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # wherever it is moved to
foreach(name conclave conclave-client)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
