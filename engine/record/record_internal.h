// What the two kinds of recording share: the table of functions behind ts_record, and how bodies are called.
#ifndef TS_ENGINE_RECORD_INTERNAL_H
#define TS_ENGINE_RECORD_INTERNAL_H

#include "engine/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for a body's name in a column or a label, terminator included; longer names are cut.
enum { TS_RECORD_LABEL_BYTES = 256 };

/// s of wall clock between two flushes: what an interruption may cost.
static const double ts_record_flush_seconds = 1.0;

/// A file format. `file` is what the format's open function returned.
typedef struct ts_record_format {
    ts_code (*append)(void* file, ts_sim* sim, ts_energy energy, ts_status* out_status);
    /// A line of text about the recording; NULL where the format has no place for it.
    ts_code (*note)(void* file, const char* name, const char* text, ts_status* out_status);
    /// Closes and frees, whatever happens. `last` is where the recording ends, NULL when that is not known any more.
    ts_code (*close)(void* file, const ts_sim* last, int finished, ts_status* out_status);
} ts_record_format;

/// A recording in progress.
struct ts_record {
    const ts_record_format* format;
    void* file;
    const ts_model* model;
    const ts_sim* last;   // whose state was appended last; borrowed
    long long last_step;  // of that state
};

/// Opens a CSV recording.
ts_code ts_record_csv_open(const char* path, const ts_sim* sim, ts_record* record, ts_status* out_status);

/// Opens an HDF5 recording, or says that this build cannot.
ts_code ts_record_hdf5_open(const char* path, const char* scene, const ts_sim* sim, ts_record* record,
                            ts_status* out_status);

/// The body's name, or "body12" for the unnamed body 12 (with "_" appended while another body has that name).
void ts_record_body_label(const ts_model* model, int body, char out_label[TS_RECORD_LABEL_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
