// A study: one scene under every combination of the settings that vary, each run against a more exact one of its own kind.
#ifndef TS_CLI_STUDY_INTERNAL_H
#define TS_CLI_STUDY_INTERNAL_H

#include "base/text.h"
#include "cli/args.h"
#include "cli/ranks.h"
#include "cli/report/page_plot_internal.h"
#include "scenes/scene_table.h"

/// Most keys that vary, values of one, and characters of a value.
enum { TS_STUDY_KEYS = 8, TS_STUDY_VALUES = 64, TS_STUDY_VALUE = 48 };

/// A setting that varies: "dt", "solver", an option, or "solver.NAME".
typedef struct ts_study_key {
    char name[TS_STUDY_VALUE];
    int count;
    char value[TS_STUDY_VALUES][TS_STUDY_VALUE];
} ts_study_key;

/// One run.
typedef struct ts_study_run {
    int choice[TS_STUDY_KEYS];  // which value of each key
    int is_reference;           // nonzero: dt, tolerance and iterations are finer than any that vary
    int reference;              // index of the run that it is measured against; -1: is one
    int done;
    int failed;  // nonzero: it ended before its time; `reason` says why
    char reason[160];
    long long steps;
    long long unsolved;  // steps that did not converge
    double seconds;      // wall clock of its steps
    double natural;      // 1: worst natural map of the exact law
    double penetration;  // m, worst
    double error;        // m s: integral of the distance of the body in focus from that of the reference
    double last_error;   // m: that distance at the end
    double order;        // by dt, against the next coarser one; NaN where there is none
    double* path;        // (samples x 3) m: the body in focus at the study's instants, owned
} ts_study_run;

/// The whole. Zero-initialised; free with ts_study_free.
typedef struct ts_study {
    const ts_args* args;
    ts_loaded_scene* scene;
    const char* command;  // that was given, borrowed
    double duration;      // s
    double interval;      // s between instants: the longest dt
    int samples;          // instants, the start not among them
    int key_count;
    ts_study_key key[TS_STUDY_KEYS];
    int run_count;  // references first
    int reference_count;
    ts_study_run* run;
    int interrupted;
    double seconds;  // wall clock of it all
} ts_study;

/// Reads --vary and lists the runs; checks every combination by configuring a simulation. TS_ERROR_VALUE is wrong use.
ts_code ts_study_plan(ts_study* study, ts_status* out_status);

/// Makes the runs of this rank that are not done, on that many threads, each appended to `part` (may be NULL: nowhere) as it ends.
ts_code ts_study_make(ts_study* study, ts_ranks* ranks, int threads, const char* part, ts_status* out_status);

/// A finished run as a line of text, and back. Lines that belong to no run of this study are passed over.
void ts_study_pack(const ts_study* study, int run, ts_text* text);

/// Takes in what ts_study_pack wrote, any number of lines; a last line without its end is passed over. TS_ERROR_MEMORY.
ts_code ts_study_unpack(ts_study* study, const char* text, ts_status* out_status);

/// Errors and orders, once all runs are done.
void ts_study_measure(ts_study* study);

/// "dt=0.001 solver=ncp", or of a reference what is finer.
void ts_study_name(const ts_study* study, int run, ts_text* text);

/// The key of that name, or -1.
int ts_study_key_of(const ts_study* study, const char* name);

/// Releases runs and paths.
void ts_study_free(ts_study* study);

/// Tables, JSON, CSV and a page.
void ts_study_text(const ts_study* study, ts_text* text);

/// See ts_study_text.
void ts_study_json(const ts_study* study, ts_text* text);

/// See ts_study_text.
void ts_study_csv(const ts_study* study, ts_text* text);

/// See ts_study_text; its plots go to files as well.
void ts_study_html(const ts_study* study, ts_page_files* files, ts_text* text);

/// The part of `problems` that a value of the key "solver" solves within `factor` of the fastest; a problem is a combination of all other keys.
/// Solved: it reached its end and all steps converged.
double ts_study_profile(const ts_study* study, int solver, double factor, int* out_problems);

#endif
