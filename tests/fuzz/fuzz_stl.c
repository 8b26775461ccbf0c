// Fuzz target: any bytes as STL, binary or text.
#include "tests/fuzz/mesh_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz_mesh(ts_mesh_parse, "fuzz.stl", 0, data, size);
}
