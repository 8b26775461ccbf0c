# Other libraries that benchmarks compare with, each on its own: what is missing is left out and said.
#   TS_PEERS_FOUND          names of those found, in lower case
#   TS_PEER_<NAME>_VERSION  version
#   TS_PEER_<NAME>_TARGETS  what to link
# coal comes with Python's package of that name: point TS_COAL_PREFIX at .../site-packages/cmeel.prefix (proxsuite the
# same, TS_PROXSUITE_PREFIX), or have it in CMAKE_PREFIX_PATH.
set(TS_COAL_PREFIX "" CACHE PATH "Where coal is installed (empty: CMAKE_PREFIX_PATH)")
set(TS_PROXSUITE_PREFIX "" CACHE PATH "Where proxsuite is installed (empty: CMAKE_PREFIX_PATH)")
set(TS_PEERS_FOUND "")

function(ts_peer_result name found version targets)
    string(TOUPPER "${name}" NAME)
    if(found)
        list(APPEND TS_PEERS_FOUND "${name}")
        set(TS_PEERS_FOUND "${TS_PEERS_FOUND}" PARENT_SCOPE)
        set(TS_PEER_${NAME}_VERSION "${version}" PARENT_SCOPE)
        set(TS_PEER_${NAME}_TARGETS "${targets}" PARENT_SCOPE)
        message(STATUS "Peer ${name}: ${version}")
    else()
        message(STATUS "Peer ${name}: not found")
    endif()
endfunction()

if(TS_PEERS)
    enable_language(CXX)
    pkg_check_modules(TS_BULLET QUIET IMPORTED_TARGET bullet-float64)
    ts_peer_result(bullet "${TS_BULLET_FOUND}" "${TS_BULLET_VERSION}" PkgConfig::TS_BULLET)
    pkg_check_modules(TS_CCD QUIET IMPORTED_TARGET ccd)
    ts_peer_result(ccd "${TS_CCD_FOUND}" "${TS_CCD_VERSION}" PkgConfig::TS_CCD)
    pkg_check_modules(TS_FCL QUIET IMPORTED_TARGET fcl)
    ts_peer_result(fcl "${TS_FCL_FOUND}" "${TS_FCL_VERSION}" PkgConfig::TS_FCL)
    find_package(box2d QUIET CONFIG)
    ts_peer_result(box2d "${box2d_FOUND}" "${box2d_VERSION}" box2d::box2d)

    # Found without find_package: its package file asks for more than its headers need.
    find_path(TS_COAL_INCLUDE coal/config.hh HINTS "${TS_COAL_PREFIX}/include")
    find_library(TS_COAL_LIBRARY coal HINTS "${TS_COAL_PREFIX}/lib")
    mark_as_advanced(TS_COAL_INCLUDE TS_COAL_LIBRARY)
    set(coal_found OFF)
    set(coal_version "")
    if(TS_COAL_INCLUDE AND TS_COAL_LIBRARY)
        set(coal_found ON)
        file(STRINGS "${TS_COAL_INCLUDE}/coal/config.hh" line REGEX "define COAL_VERSION ")
        string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" coal_version "${line}")
        find_package(Eigen3 QUIET NO_MODULE)
        if(NOT TARGET Eigen3::Eigen)
            set(coal_found OFF)
        else()
            get_filename_component(coal_folder "${TS_COAL_LIBRARY}" DIRECTORY)
            add_library(ts_coal INTERFACE)
            target_include_directories(ts_coal SYSTEM INTERFACE "${TS_COAL_INCLUDE}")
            # As plain flags: its folder also holds libraries of its own that CMake would warn about.
            target_link_libraries(ts_coal INTERFACE Eigen3::Eigen "-L${coal_folder}" "-Wl,-rpath,${coal_folder}"
                "-Wl,-rpath-link,${coal_folder}" -lcoal)
        endif()
    endif()
    ts_peer_result(coal "${coal_found}" "${coal_version}" ts_coal)

    # Headers only, and found like coal: its package file asks for a serialiser that its solvers do not need.
    find_path(TS_PROXSUITE_INCLUDE proxsuite/config.hpp HINTS "${TS_PROXSUITE_PREFIX}/include")
    mark_as_advanced(TS_PROXSUITE_INCLUDE)
    set(proxsuite_found OFF)
    set(proxsuite_version "")
    find_package(Eigen3 QUIET NO_MODULE)
    if(TS_PROXSUITE_INCLUDE AND TARGET Eigen3::Eigen)
        set(proxsuite_found ON)
        file(STRINGS "${TS_PROXSUITE_INCLUDE}/proxsuite/config.hpp" line REGEX "define PROXSUITE_VERSION ")
        string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" proxsuite_version "${line}")
        add_library(ts_proxsuite INTERFACE)
        target_include_directories(ts_proxsuite SYSTEM INTERFACE "${TS_PROXSUITE_INCLUDE}")
        target_link_libraries(ts_proxsuite INTERFACE Eigen3::Eigen)
    endif()
    ts_peer_result(proxsuite "${proxsuite_found}" "${proxsuite_version}" ts_proxsuite)
endif()
