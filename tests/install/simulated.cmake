# Installs to an empty prefix, builds examples/simulated against it, and compares what the program prints:
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P simulated.cmake
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}: ${failed}\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component development)
step("${CMAKE_COMMAND}" -S "${SOURCE}/examples/simulated" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
     -DCMAKE_BUILD_TYPE=Release)
step("${CMAKE_COMMAND}" --build "${WORK}/build")
execute_process(COMMAND "${WORK}/build/wavefront" OUTPUT_VARIABLE output RESULT_VARIABLE failed)
file(READ "${SOURCE}/examples/simulated/wavefront.out" expected)
if(failed OR NOT output STREQUAL expected)
    message(FATAL_ERROR "wavefront: ${failed}\n${output}\ninstead of\n${expected}")
endif()

# A machine file that C++ programs cannot read is refused in one line.
file(WRITE "${WORK}/machine.toml" "[topology]\nname = \"star\"\nnodes = 4\n[link]\nlatency = \"1 us\"\n")
execute_process(COMMAND "${WORK}/build/wavefront" "${WORK}/machine.toml" RESULT_VARIABLE failed ERROR_VARIABLE output)
if(NOT failed EQUAL 2 OR NOT output MATCHES "machine.toml, line 5: latency: \"1 us\" is not a whole number of ps")
    message(FATAL_ERROR "a machine file in other units was not refused: ${failed} ${output}")
endif()
