# What programs of others need: headers, libraries, the Fortran module and a package configuration. `cmake --install`
# puts them into a prefix, `pip install` into the folder of the Python package.
include(CMakePackageConfigHelpers)
set(layers base comm program solver skeleton sim simcomm)
if(TRADEWIND_MPI_FOUND)
    list(APPEND layers mpi)
endif()
set(configuration lib/cmake/tradewind)

add_custom_target(tradewind_development)
foreach(layer IN LISTS layers)
    set_target_properties(tradewind_${layer} PROPERTIES EXPORT_NAME ${layer})
    add_dependencies(tradewind_development tradewind_${layer})
    install(TARGETS tradewind_${layer} EXPORT cpp ARCHIVE DESTINATION lib COMPONENT development)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/tradewind/${layer}" DESTINATION include/tradewind
            COMPONENT development FILES_MATCHING PATTERN "*.hpp")
endforeach()
set_target_properties(tradewind_options PROPERTIES EXPORT_NAME options)
install(TARGETS tradewind_options EXPORT cpp INCLUDES DESTINATION include)
install(EXPORT cpp NAMESPACE tradewind:: FILE tradewindCppTargets.cmake DESTINATION ${configuration}
        COMPONENT development)

if(TRADEWIND_MPI_FOUND)
    set_target_properties(tradewind PROPERTIES EXPORT_NAME c)
    if(SKBUILD)
        # From <environment>/lib/python3.x/site-packages/tradewind/lib to the libraries of the environment.
        set_target_properties(tradewind PROPERTIES INSTALL_RPATH "$ORIGIN/../../../..")
    else()
        set_target_properties(tradewind PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
    add_dependencies(tradewind_development tradewind)
    install(TARGETS tradewind EXPORT c LIBRARY DESTINATION lib COMPONENT development)
    install(FILES "${PROJECT_SOURCE_DIR}/src/tradewind/capi/tradewind.h" DESTINATION include COMPONENT development)
    install(FILES "${PROJECT_SOURCE_DIR}/src/tradewind/capi/tradewind.f90" DESTINATION share/tradewind
            COMPONENT development)
    install(EXPORT c NAMESPACE tradewind:: FILE tradewindCTargets.cmake DESTINATION ${configuration}
            COMPONENT development)
endif()

foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES LINK_OPTIONS COMPILE_OPTIONS COMPILE_DEFINITIONS)
    get_target_property(value tradewind_mpi_library INTERFACE_${property})
    if(NOT value)
        set(value "")
    endif()
    set(tradewind_mpi_${property} "${value}")
endforeach()
# The package of an environment is searched there; a wheel must not name the place where it was built.
set(tradewind_mpi_home "")
if(TRADEWIND_MPI_ORIGIN STREQUAL "wheel" AND TRADEWIND_MPI_FOUND)
    get_filename_component(tradewind_mpi_file "${tradewind_mpi_LINK_LIBRARIES}" NAME)
    if(NOT SKBUILD)
        get_filename_component(tradewind_mpi_home "${tradewind_mpi_INCLUDE_DIRECTORIES}" DIRECTORY)
    endif()
    set(tradewind_mpi_INCLUDE_DIRECTORIES "")
    set(tradewind_mpi_LINK_LIBRARIES "")
    set(tradewind_mpi_launcher "")
else()
    set(tradewind_mpi_launcher "${TRADEWIND_MPI_LAUNCHER}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tradewindConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/tradewindConfig.cmake"
                              INSTALL_DESTINATION ${configuration} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/tradewindConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/tradewindConfig.cmake"
        "${PROJECT_BINARY_DIR}/package/tradewindConfigVersion.cmake"
        DESTINATION ${configuration} COMPONENT development)
