# The C interface on real MPI, and programs that are built against an installed Tradewind.
enable_language(C)
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cpp/capi/*.cpp")
add_executable(capi_tests ${sources} cpp/mpi/testing_main.cpp cpp/mpi/real_ranks.cpp)
target_include_directories(capi_tests PRIVATE cpp)
target_link_libraries(capi_tests PRIVATE tradewind tradewind_mpi tradewind_warnings)
tradewind_precompile(capi_tests)
foreach(ranks 1 2 3 4)
    add_test(NAME mpi_capi_${ranks} COMMAND ${TRADEWIND_MPI_LAUNCHER} -n ${ranks} $<TARGET_FILE:capi_tests>)
endforeach()

# start_and_end, and missing_barrier: a collective on one rank only, which the watchdog ends.
foreach(program start_and_end missing_barrier)
    add_executable(${program} cpp/capi/programs/${program}.c)
    set_target_properties(${program} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
    target_link_libraries(${program} PRIVATE tradewind tradewind_warnings)
    target_compile_options(${program} PRIVATE -Wpedantic -Werror)
    if(TRADEWIND_SANITIZE)
        target_link_options(${program} PRIVATE -fsanitize=${TRADEWIND_SANITIZE})
    endif()
    add_test(NAME mpi_${program} COMMAND ${TRADEWIND_MPI_LAUNCHER} -n 2 $<TARGET_FILE:${program}>)
endforeach()
set_tests_properties(mpi_start_and_end PROPERTIES FAIL_REGULAR_EXPRESSION "WRONG")
add_dependencies(tradewind_tests capi_tests start_and_end missing_barrier tradewind_development)

# Programs of others are not compiled with sanitizers.
if(NOT TRADEWIND_SANITIZE)
    get_filename_component(mpi_home "${TRADEWIND_MPI_LAUNCHER}/../.." ABSOLUTE)
    add_test(NAME mpi_outside COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
             -DWORK=${PROJECT_BINARY_DIR}/outside -DLAUNCHER=${TRADEWIND_MPI_LAUNCHER} -DVERSION=${PROJECT_VERSION} -DMPI_HOME=${mpi_home}
             -P ${CMAKE_CURRENT_SOURCE_DIR}/install/outside.cmake)
endif()
