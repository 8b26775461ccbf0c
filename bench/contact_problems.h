// Contact problems to measure solvers on: recorded files and steps of our own scenes.
#ifndef TS_BENCH_CONTACT_PROBLEMS_H
#define TS_BENCH_CONTACT_PROBLEMS_H

#include "bench/bench.h"
#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One problem with a block-sparse operator.
typedef struct ts_bench_contact_problem {
    char name[64];               // "stack-10 step 100"
    int from_file;               // nonzero: recorded by others
    ts_contact_problem problem;  // memory of the set
} ts_bench_contact_problem;

/// A set of them, by size. Zero-initialised is empty.
typedef struct ts_bench_contact_set {
    ts_bench_contact_problem* problem;
    int count;
    int room;
    ts_arena arena;
} ts_bench_contact_set;

/// Reads the files of options->data_folder and simulates scenes up to the steps that are wanted. What cannot be had
/// becomes a note of the report. Returns 0 when memory is short.
int ts_bench_contact_set_make(const ts_bench_options* options, ts_bench_report* report, ts_bench_contact_set* out_set);

/// Adds the files of options->data_folder alone, by name.
int ts_bench_contact_set_read(const ts_bench_options* options, ts_bench_report* report, ts_bench_contact_set* set);

/// Simulates a scene (its name, or the path of a file) with `ncp`, and adds the problems of some steps, ascending and
/// ended by 0. `name` is for the reader. Returns 0 when memory is short; what cannot be had becomes a note.
int ts_bench_contact_set_record(ts_bench_report* report, const char* path, const char* name, const int* step,
                                ts_bench_contact_set* set);

/// Frees the problems.
void ts_bench_contact_set_free(ts_bench_contact_set* set);

#ifdef __cplusplus
}
#endif
#endif
