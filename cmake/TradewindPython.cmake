# The Python module tradewind._core from python/bindings, by nanobind.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE missing)
if(missing)
    message(FATAL_ERROR "${Python_EXECUTABLE} has no nanobind: use `pip install .`, install nanobind, "
                        "or configure with -DTRADEWIND_PYTHON=OFF")
endif()
# Under build isolation nanobind lies somewhere else each time.
unset(nanobind_DIR CACHE)
find_package(nanobind CONFIG REQUIRED PATHS "${nanobind_folder}" NO_DEFAULT_PATH)

file(GLOB bindings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/*.cpp")
nanobind_add_module(_core NB_STATIC NOMINSIZE ${bindings})
target_compile_definitions(_core PRIVATE TRADEWIND_VERSION="${PROJECT_VERSION}")
target_link_libraries(_core PRIVATE tradewind_simcomm tradewind_skeleton tradewind_trace tradewind_measure
                      tradewind_models tradewind_catalogue tradewind_warnings)
tradewind_unity(_core)
if(TRADEWIND_PRECOMPILE)
    target_precompile_headers(_core PRIVATE ${tradewind_standard_headers} <nanobind/nanobind.h>
                              <nanobind/stl/string.h> <nanobind/stl/string_view.h> <nanobind/stl/vector.h>)
endif()

# Into the package; an installation by CMake alone is the library.
if(SKBUILD)
    install(TARGETS _core LIBRARY DESTINATION .)
endif()

# What lets the processes of mpiexec share a simulation; _core itself knows no MPI.
if(TRADEWIND_MPI_FOUND)
    file(GLOB process_bindings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/processes/*.cpp")
    nanobind_add_module(_processes NB_STATIC NOMINSIZE ${process_bindings})
    target_include_directories(_processes PRIVATE "${PROJECT_SOURCE_DIR}/apps")
    target_link_libraries(_processes PRIVATE tradewind_mpi tradewind_sim tradewind_warnings)
    # From <environment>/lib/python3.x/site-packages/tradewind to the libraries of the environment.
    set_target_properties(_processes PROPERTIES INSTALL_RPATH "$ORIGIN/../../..")
    if(SKBUILD)
        install(TARGETS _processes LIBRARY DESTINATION .)
    endif()
endif()
