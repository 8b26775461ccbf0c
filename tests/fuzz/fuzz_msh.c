// Fuzz target: any bytes as MSH.
#include "tests/fuzz/mesh_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz_mesh(ts_mesh_parse, "fuzz.msh", 1, data, size);
}
