# The rooms of the house and who may include whom: `conclave_room(ROOM MAY-INCLUDE...)`.
# The linker follows this table, and tools/tidy reads it from here to check every #include.
# A room is the library `conclave_<room>`, made of src/<room>/*.cc without the tests; a room of
# headers only is an interface library. A room that nobody has built yet is passed over.

set(CONCLAVE_ROOMS "")  # the libraries, for those who may use anything

function(conclave_room room)
    if(NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${room})
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS src/${room}/*.cc)
    list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
    set(library conclave_${room})
    if(sources)
        add_library(${library} STATIC ${sources})
        set(scope PUBLIC)
    else()
        add_library(${library} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_link_libraries(${library} ${scope} conclave_base)
    foreach(other IN LISTS ARGN)
        if(TARGET conclave_${other})
            target_link_libraries(${library} ${scope} conclave_${other})
        endif()
    endforeach()
    set(CONCLAVE_ROOMS ${CONCLAVE_ROOMS} ${library} PARENT_SCOPE)
endfunction()

conclave_room(core)
conclave_room(detect core)
conclave_room(elect core)
conclave_room(mutex core)
conclave_room(service core detect elect mutex)
conclave_room(catalog core detect elect mutex service)
conclave_room(wire core)
conclave_room(sim core wire)
conclave_room(check core sim)
conclave_room(store core wire)
conclave_room(net core wire)
conclave_room(client core service wire net)
conclave_room(engine core service net client)
conclave_room(node core catalog service wire store net engine client)
conclave_room(library core service catalog net client node engine)

# What nearly every file there includes takes longer to read than the file itself to compile.
target_precompile_headers(conclave_net PRIVATE <boost/asio/io_context.hpp>
    <boost/asio/steady_timer.hpp> <functional> <map> <memory> <string> <vector>)
target_precompile_headers(conclave_node PRIVATE <node/node.h> <boost/asio/steady_timer.hpp>
    <boost/json/parse.hpp> <boost/json/serialize.hpp>)

# include/ is for applications. Of ourselves the library implements it, and the command and the
# tests are its first users.
target_include_directories(conclave_library PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_precompile_headers(conclave_library PRIVATE <library/core.h>)
# In every build: what is inside of an exported class is hidden, and so must be who holds it.
set_target_properties(conclave_library PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
