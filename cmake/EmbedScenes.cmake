# cmake -DOUT=<file.c> -DFILES=<list> -P EmbedScenes.cmake
# Writes the scene files as C arrays (see scenes/scene_files_internal.h). Numbers instead of a string literal: no
# escaping, no limit on length.
list(SORT FILES)
set(arrays "")
set(entries "")
set(count 0)
foreach(file IN LISTS FILES)
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    # Sixteen bytes to a line; CMake's expressions have no {16}.
    set(four "0x..,0x..,0x..,0x..,")
    string(REGEX REPLACE "(${four}${four}${four}${four})" "\\1\n    " bytes "${bytes}")
    get_filename_component(name "${file}" NAME_WE)
    string(APPEND arrays "// ${name}\nstatic const unsigned char text_${count}[] = {\n    ${bytes}0};\n\n")
    string(APPEND entries "    {\"${name}\", (const char*)text_${count}, ${size}ul},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUT}" "// Written by cmake/EmbedScenes.cmake; do not edit.
#include \"scenes/scene_files_internal.h\"

${arrays}const ts_scene_file ts_scene_files[] = {
${entries}    {0, 0, 0ul},
};
const int ts_scene_file_count = ${count};
")
