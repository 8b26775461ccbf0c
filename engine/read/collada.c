#include "engine/read/collada_internal.h"

ts_code ts_collada_load(const char* path, ts_mesh* out_mesh, ts_status* out_status) {
    (void)out_mesh;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0, "Collada");
}
