// Fuzz target: any bytes as URDF text. Whatever comes in, the reader must answer with a model or with a message that names a
// place, without leaking, overrunning or looping. No file may be opened: the directory is NULL.
#include "engine/read/urdf/urdf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // Once as the file says, once with the root let go.
    for (int root = TS_ROOT_BY_FILE; root <= TS_ROOT_FLOATING; root += TS_ROOT_FLOATING) {
        ts_model_file_options options = {.root = (ts_root_choice)root};
        ts_status status;
        ts_import_report report;
        ts_model* model = NULL;
        memset(&status, 0, sizeof status);
        memset(&report, 0, sizeof report);
        ts_code code = ts_urdf_parse((const char*)data, size, "fuzz.urdf", NULL, &options, &report, &model, &status);
        // A claim of success must come with a model, a failure with a reason.
        if (code == TS_OK ? model == NULL : model != NULL || status.message[0] == '\0') abort();
        for (int i = 0; model && i < model->geom_count; ++i) ts_model_geoms_can_touch(model, 0, i);
        ts_model_free(model);
        ts_import_report_free(&report);
    }
    return 0;
}
