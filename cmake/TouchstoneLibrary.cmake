# ts_add_library(<folder> [DEPENDS <target>...]): one folder with its rooms, one static library.
# Sources are found by pattern, so that adding a file needs no change here.
function(ts_add_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.c")
    if(NOT sources)
        # A static library needs one translation unit.
        file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/empty.c" "typedef int ts_${folder}_empty;\n")
        set(sources "${CMAKE_CURRENT_BINARY_DIR}/empty.c")
    endif()
    add_library(ts_${folder} STATIC ${sources})
    add_library(touchstone::ts_${folder} ALIAS ts_${folder})
    target_include_directories(ts_${folder} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/touchstone>)
    target_compile_features(ts_${folder} PUBLIC c_std_99)
    target_link_libraries(ts_${folder} PUBLIC ${arg_DEPENDS})
    set_property(GLOBAL APPEND PROPERTY TS_LIBRARIES ts_${folder})
endfunction()

# ts_add_wide(FOLDER FILE...): files that compile a neighbour's kernels again for AVX2, behind a question to the machine. Where processors are
# others, they are empty, and TS_HAVE_WIDE is not set.
function(ts_add_wide folder)
    set(options "$<$<CONFIG:Release>:-O3>")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND options -mavx2)
        target_compile_definitions(ts_${folder} PRIVATE TS_HAVE_WIDE=1)
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}" COMPILE_DEFINITIONS TS_WIDE=1)
endfunction()

# ts_add_many(FOLDER FILE...): the same for AVX-512's registers, in lanes as wide as AVX2's, where ts_add_wide is called, too.
function(ts_add_many folder)
    set(options "$<$<CONFIG:Release>:-O3>")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND options -mavx2 -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=256)
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}" COMPILE_DEFINITIONS TS_MANY=1)
endfunction()
