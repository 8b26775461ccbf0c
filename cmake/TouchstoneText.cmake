# cmake -DFROM=FILE -DTO=FILE.c -DNAME=NAME -P TouchstoneText.cmake: writes a file's bytes as a C array, terminated.
file(READ "${FROM}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${TO}" "extern const unsigned char ${NAME}[];\nconst unsigned char ${NAME}[] = {${bytes}0};\n")
