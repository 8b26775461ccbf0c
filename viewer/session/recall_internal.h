// Numbers of past steps that nobody noted when the steps were made.
#ifndef TS_VIEWER_SESSION_RECALL_INTERNAL_H
#define TS_VIEWER_SESSION_RECALL_INTERNAL_H

#include "viewer/session/runs_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far it is. Zero-initialised has nothing to do; free with ts_recall_end.
typedef struct ts_recall {
    int busy;         // nonzero: there is something left
    int run;          // whose strip is filled
    long long below;  // its samples from this step on are done
    long long row;    // of a recording: the next moment; < 0: the first of them
    ts_sim* sim;      // owned: where steps are made again
} ts_recall;

/// What a past step came to.
typedef struct ts_recalled {
    int run;
    int whole;         // nonzero: all numbers; else those from TS_QUANTITY_HEIGHT on
    ts_sample sample;  //
} ts_recalled;

/// What is asked for (a body, numbers that are watched) is to be found for all samples of all strips, the latest first; of recordings all numbers of all
/// moments that fit into a strip.
void ts_recall_begin(ts_recall* recall);

/// Makes one more past step again and measures it; `body` (or -1) is the one that is charted. Returns 0 when nothing is left. The runs are not changed.
int ts_recall_next(ts_recall* recall, const ts_runs* runs, const ts_loaded_scene* scene, int body,
                   ts_recalled* out_recalled);

/// Writes it into the strip it is of, if it has a place there.
void ts_recall_note(const ts_recalled* recalled, const ts_runs* runs);

/// Nothing is to be found any more; releases what it holds.
void ts_recall_end(ts_recall* recall);

#ifdef __cplusplus
}
#endif
#endif
