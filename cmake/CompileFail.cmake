# cmake -D COMPILER=... -D INCLUDES=... -D SOURCE=... -P CompileFail.cmake
# Passes if SOURCE does not compile and the errors contain the text of its first line, which reads
#     // expect: the text

file(STRINGS ${SOURCE} first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
    message(FATAL_ERROR "${SOURCE}:1: must read '// expect: <text of the error>'")
endif()
set(expected "${CMAKE_MATCH_1}")

set(ENV{LC_ALL} C)  # plain quotes and English, everywhere
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDES} ${SOURCE}
    RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_QUIET)
if(result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles, but must not: expected the error '${expected}'")
endif()
string(FIND "${errors}" "${expected}" found)
if(found EQUAL -1)
    message(FATAL_ERROR "${SOURCE} fails for another reason than '${expected}':\n${errors}")
endif()
