# src/catalog/list.def has one line per algorithm or stack:
#
#     name | C++ type | header[, header...]        # a comment
#
# For each line and each walker one small file is generated, because fifteen algorithms in one file
# compile ten times slower than one; no file instantiates two. Each walker also gets a table of all
# its algorithms. A new walker is a template in cmake/walkers/ and a `conclave_walker` line below.

set(CONCLAVE_LIST ${CMAKE_SOURCE_DIR}/src/catalog/list.def)
set(CONCLAVE_GENERATED ${CMAKE_BINARY_DIR}/generated)
set(CONCLAVE_ALGORITHMS "")  # the names, in the order of the list

# Reads the list into CONCLAVE_ALGORITHMS and, for each name, type_<name> and headers_<name>.
macro(conclave_read_list)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CONCLAVE_LIST})
    file(STRINGS ${CONCLAVE_LIST} lines REGEX "^[ \t]*[^# \t]")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^ *([a-z][a-z0-9-]*) *\\| *([^|#]*[^|# ]) *\\| *([^|#]*[^|# ]) *(#.*)?$")
            message(FATAL_ERROR
                "src/catalog/list.def: not of the form 'name | C++ type | header, ...':\n  ${line}")
        endif()
        set(name ${CMAKE_MATCH_1})
        set(type_${name} "${CMAKE_MATCH_2}")
        string(REGEX REPLACE " *, *" ";" headers_${name} "${CMAKE_MATCH_3}")
        if(CONCLAVE_SKIP AND name MATCHES "${CONCLAVE_SKIP}")
            continue()  # half a minute each under sanitizers; the stacks that are left show the same
        endif()
        if(name IN_LIST CONCLAVE_ALGORITHMS)
            message(FATAL_ERROR "src/catalog/list.def: '${name}' is there twice")
        endif()
        list(APPEND CONCLAVE_ALGORITHMS ${name})
    endforeach()
endmacro()

# conclave_walker(LIBRARY VERB INTERFACE TABLE): from walkers/VERB.cc.in the file VERB_<name>.cc of
# each algorithm, which defines `std::unique_ptr<INTERFACE> VERB_<name>()`; and from
# walkers/table.cc.in TABLE.cc, which defines `std::span<const INTERFACEEntry> TABLE()`, declared in
# catalog/TABLE.h. Algorithms whose name matches `but` are not walked; the others are
# CONCLAVE_<TABLE>.
function(conclave_walker library verb interface table but)
    set(names ${CONCLAVE_ALGORITHMS})
    if(but)
        list(FILTER names EXCLUDE REGEX "${but}")
    endif()
    list(LENGTH names count)
    string(TOUPPER ${table} walked)
    set(CONCLAVE_${walked} ${names} PARENT_SCOPE)
    set(sources "")
    set(declarations "")
    set(entries "")
    foreach(name IN LISTS names)
        string(REPLACE "-" "_" id ${name})
        set(type "${type_${name}}")
        list(TRANSFORM headers_${name} REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE includes)
        list(JOIN includes "\n" includes)
        set(source ${CONCLAVE_GENERATED}/${verb}_${id}.cc)
        configure_file(cmake/walkers/${verb}.cc.in ${source} @ONLY)
        list(APPEND sources ${source})
        string(APPEND declarations "std::unique_ptr<${interface}> ${verb}_${id}();\n")
        string(APPEND entries "    {\"${name}\", ${verb}_${id}},\n")
    endforeach()
    configure_file(cmake/walkers/table.cc.in ${CONCLAVE_GENERATED}/${table}.cc @ONLY)
    target_sources(${library} PRIVATE ${sources} ${CONCLAVE_GENERATED}/${table}.cc)
endfunction()

if(EXISTS ${CONCLAVE_LIST})
    conclave_read_list()
    add_library(conclave_hosts STATIC)  # what a node needs of it, and so the shared library
    target_link_libraries(conclave_hosts PUBLIC conclave_node)
    target_link_libraries(conclave_node PUBLIC conclave_hosts)  # finds them by name
    target_precompile_headers(conclave_hosts PRIVATE <node/host.h>)
    # On a node the detector is shared by all groups: nothing is stacked on one. A mutual exclusion
    # that needs a leader stands on the election that survives a real network.
    conclave_walker(conclave_hosts host Host hosts
        "-on-(heartbeat|ping|bully)$|-in-|^(central|token-ring|path-token)$")
    add_library(conclave_algorithms STATIC)
    target_link_libraries(conclave_algorithms PUBLIC conclave_base ${CONCLAVE_ROOMS} conclave_hosts)
    target_precompile_headers(conclave_algorithms PRIVATE <sim/simulate.h>)
    conclave_walker(conclave_algorithms simulate Simulator simulators "")
    conclave_walker(conclave_algorithms check Checker checkers "${CONCLAVE_UNCHECKED}")
endif()
