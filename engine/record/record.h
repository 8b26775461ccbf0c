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

/// Finishes and closes the file; the record is gone. `finished` is written into it: 1 the run reached its end, 0 it was cut. A simulation
/// that was appended must still be there; into HDF5 goes the snapshot of its present state, if that is the last one appended.
ts_code ts_record_close(ts_record* record, int finished, ts_status* out_status);

/// Takes a simulation to where an HDF5 recording of the same model was at `time` (the nearest moment), or at its end when that is NAN. At
/// the end it goes on bit by bit as it would have; at other moments it begins with no memory of contacts. Options and solver stay
/// those of `sim`, which is brought up to date by ts_sim_forward. TS_ERROR_FILE when this is no such recording,
/// TS_ERROR_VALUE for another model or a time that it does not cover, TS_ERROR_UNSUPPORTED in a build without HDF5.
ts_code ts_record_restore(const char* path, double time, ts_sim* sim, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
