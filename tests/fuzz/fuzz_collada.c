// Fuzz target: any bytes as Collada.
#include "engine/read/collada_internal.h"
#include "tests/fuzz/mesh_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz_mesh(ts_collada_parse, "fuzz.dae", 0, data, size);
}
