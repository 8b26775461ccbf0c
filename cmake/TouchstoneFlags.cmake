# Compiler settings shared by every target of the project.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions($<$<COMPILE_LANGUAGE:C>:_POSIX_C_SOURCE=200809L> $<$<COMPILE_LANGUAGE:C>:_DEFAULT_SOURCE>)
add_compile_definitions($<$<COMPILE_LANGUAGE:C>:TS_VERSION="${PROJECT_VERSION}">)

# Same model, same inputs, same bits: the compiler may not fuse a multiply and an add as it likes.
add_compile_options(-ffp-contract=off)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wvla -Wdouble-promotion -Werror)
if(TS_NATIVE)
    add_compile_options(-march=native)
endif()

# What the sanitizer presets put into CMAKE_C_FLAGS decides how tests are run and which fuzz driver is built.
set(TS_ASAN OFF)
set(TS_TSAN OFF)
set(TS_LIBFUZZER OFF)
if(CMAKE_C_FLAGS MATCHES "-fsanitize=[a-z,-]*address")
    set(TS_ASAN ON)
endif()
if(CMAKE_C_FLAGS MATCHES "-fsanitize=[a-z,-]*thread")
    set(TS_TSAN ON)
endif()
if(CMAKE_C_FLAGS MATCHES "-fsanitize=[a-z,-]*fuzzer-no-link")
    set(TS_LIBFUZZER ON)
endif()

# Several hundred sanitized programs link in half the time by LLVM's linker, where it is.
if(TS_ASAN AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
    find_program(TS_LLD ld.lld)
    mark_as_advanced(TS_LLD)
    if(TS_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
endif()
