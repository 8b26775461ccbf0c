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

/// Writes a line of text about the recording into it: in HDF5 an attribute of `/`; CSV has no place for it.
ts_code ts_record_note(ts_record* record, const char* name, const char* text, ts_status* out_status);

/// Appends the present state and the last step's contacts and numbers, times of its stages where `sim->times` asked for them. What is
/// written survives an interruption: data is flushed about every second of wall clock.
ts_code ts_record_append(ts_record* record, ts_sim* sim, ts_status* out_status);

/// Finishes and closes the file; the record is gone. `finished` is written into it: 1 the run reached its end, 0 it was cut. A simulation
/// that was appended must still be there; into HDF5 goes the snapshot of its present state, if that is the last one appended.
ts_code ts_record_close(ts_record* record, int finished, ts_status* out_status);

/// Takes a simulation to where an HDF5 recording of the same model was at `time` (the nearest moment), or at its end when that is NAN. At
/// the end it goes on bit by bit as it would have; at other moments it begins with no memory of contacts. Options and solver stay
/// those of `sim`, which is brought up to date by ts_sim_forward. TS_ERROR_FILE when this is no such recording,
/// TS_ERROR_VALUE for another model or a time that it does not cover, TS_ERROR_UNSUPPORTED in a build without HDF5.
ts_code ts_record_restore(const char* path, double time, ts_sim* sim, ts_status* out_status);

/// An HDF5 recording that is being read. Close with ts_recording_close.
typedef struct ts_recording ts_recording;

/// What is in a recording. Text is never NULL, "" where the file has none.
typedef struct ts_recording_about {
    const char* path;        // of the recording
    const char* scene;       // its name
    const char* model_file;  // where its model was read from
    const char* source;      // text of that file
    const char* solver;
    const char* law;
    double time_step;       // s
    long long count;        // moments, at least one
    const double* time;     // (count) s, ascending
    const long long* step;  // (count)
    int finished;           // nonzero when the run reached its end
    int nq, nv, body_count;
} ts_recording_about;

/// Opens one. TS_ERROR_FILE says what is wrong with the file, TS_ERROR_UNSUPPORTED that this build has no HDF5.
ts_code ts_recording_open(const char* path, ts_recording** out_recording, ts_status* out_status);

/// What is in it; valid until it is closed.
const ts_recording_about* ts_recording_about_of(const ts_recording* recording);

/// The moment nearest to `time`; NAN: the last one.
long long ts_recording_nearest(const ts_recording* recording, double time);

/// The first moment after step `step`; -1 when there is none.
long long ts_recording_after(const ts_recording* recording, long long step);

/// Gives a simulation the options, the solver and its settings that were recorded. What this program does not know is left alone.
ts_code ts_recording_configure(const ts_recording* recording, ts_sim* sim, ts_status* out_status);

/// Shows moment `row` in a simulation of the same model: state, kinematics, contacts with their forces and modes, numbers about the step
/// that led there, actuators and sensors. What was solved is not in a recording, so sim->problem is empty (and info.row_count is that of the contacts): the contacts belong to no block, and
/// sim->contact_mode says what each does. A step from here begins with no memory of contacts. TS_ERROR_VALUE for another model,
/// TS_ERROR_FILE for what is damaged; the simulation then is at its start.
ts_code ts_recording_take(ts_recording* recording, long long row, ts_sim* sim, ts_status* out_status);

/// Closes it; NULL is ignored.
void ts_recording_close(ts_recording* recording);

#ifdef __cplusplus
}
#endif
#endif
