// Recording a run: HDF5 with everything, or CSV with the plain series. docs/recording.md lists columns and datasets.
#ifndef TS_ENGINE_RECORD_H
#define TS_ENGINE_RECORD_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A recording in progress.
typedef struct ts_record ts_record;

/// Opens a recording; the extension decides: .h5 or .hdf5, or .csv. `scene` is the name written into it. What exists at
/// `path` is replaced. TS_ERROR_FILE when it cannot be written, TS_ERROR_UNSUPPORTED for .h5 in a build without HDF5,
/// TS_ERROR_VALUE for another extension.
ts_code ts_record_open(const char* path, const char* scene, const ts_sim* sim, ts_record** out_record,
                       ts_status* out_status);

/// Appends the present state and the last step's contacts and numbers. What is written survives an interruption: data is
/// flushed about every second of wall clock.
ts_code ts_record_append(ts_record* record, ts_sim* sim, ts_status* out_status);

/// Finishes and closes the file; the record is gone. `finished` is written into it: 1 the run reached its end, 0 it was cut.
ts_code ts_record_close(ts_record* record, int finished, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
