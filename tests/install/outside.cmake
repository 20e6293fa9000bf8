# Installs to an empty prefix, builds examples/outside against it, and compares what the C++ and C programs print:
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DLAUNCHER=... -DMPI_HOME=... -DVERSION=... -P outside.cmake
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}: ${failed}\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component development)
step("${CMAKE_COMMAND}" -S "${SOURCE}/examples/outside" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
     "-DTRADEWIND_MPI_HOME=${MPI_HOME}" -DCMAKE_BUILD_TYPE=Release)
step("${CMAKE_COMMAND}" --build "${WORK}/build" --target sums diffusion)
foreach(example sums diffusion)
    execute_process(COMMAND "${LAUNCHER}" -n 4 "${WORK}/build/${example}" OUTPUT_VARIABLE output
                    RESULT_VARIABLE failed)
    file(READ "${SOURCE}/examples/outside/${example}.out" expected)
    if(failed OR NOT output STREQUAL expected)
        message(FATAL_ERROR "${example}: ${failed}\n${output}\ninstead of\n${expected}")
    endif()
endforeach()

# A component that does not exist is told, not found later by the linker.
file(WRITE "${WORK}/missing/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20)
project(missing LANGUAGES NONE)
find_package(tradewind ${VERSION} REQUIRED COMPONENTS c weather)
")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/missing" -B "${WORK}/missing/build"
                "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DTRADEWIND_MPI_HOME=${MPI_HOME}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
if(NOT failed OR NOT output MATCHES "there is no tradewind::weather")
    message(FATAL_ERROR "a missing component was not refused: ${output}")
endif()
