# The C interface: libtradewind, a shared library that needs nothing but MPI, and exports what tradewind.h declares.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/tradewind/capi/*.cpp")
add_library(tradewind SHARED ${sources})
target_compile_definitions(tradewind PRIVATE TRADEWIND_VERSION="${PROJECT_VERSION}")
target_include_directories(tradewind INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/tradewind/capi>"
                           "$<INSTALL_INTERFACE:include>")
target_link_libraries(tradewind PUBLIC tradewind_mpi_library
                      PRIVATE tradewind_mpi tradewind_skeleton tradewind_comm tradewind_warnings)
tradewind_precompile(tradewind)
tradewind_unity(tradewind)
