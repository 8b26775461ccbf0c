# Installs the headers (without what a folder hides), the static libraries, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

set(ts_installed base collision contact engine scenes)
set(ts_include_dir "${CMAKE_INSTALL_INCLUDEDIR}/touchstone")
set(ts_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/touchstone")

add_library(touchstone_all INTERFACE)
add_library(touchstone::touchstone ALIAS touchstone_all)
set_target_properties(touchstone_all PROPERTIES EXPORT_NAME touchstone)
target_link_libraries(touchstone_all INTERFACE ts_scenes)

set(ts_targets touchstone_all)
foreach(folder IN LISTS ts_installed)
    list(APPEND ts_targets ts_${folder})
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${ts_include_dir}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/touchstone.h" DESTINATION "${ts_include_dir}")
install(TARGETS ${ts_targets} EXPORT touchstoneTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT touchstoneTargets NAMESPACE touchstone:: DESTINATION "${ts_package_dir}")

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/touchstoneConfig.cmake.in" "${PROJECT_BINARY_DIR}/touchstoneConfig.cmake"
    INSTALL_DESTINATION "${ts_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/touchstoneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/touchstoneConfig.cmake" "${PROJECT_BINARY_DIR}/touchstoneConfigVersion.cmake"
    DESTINATION "${ts_package_dir}")

# The libraries are static, so whoever links them needs their dependencies too: all of it stands in the public fields.
set(TS_PC_REQUIRES "libxml-2.0 qhull_r")
if(TS_HDF5)
    string(APPEND TS_PC_REQUIRES " ${TS_HDF5_LIB_MODULE_NAME}")
endif()
if(TS_PNG_FOUND)
    string(APPEND TS_PC_REQUIRES " libpng")
endif()
file(RELATIVE_PATH TS_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/touchstone.pc.in" "${PROJECT_BINARY_DIR}/touchstone.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/touchstone.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
