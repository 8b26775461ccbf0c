// A contest: the same questions to every solver of the build, answers judged before times are taken.
#ifndef TS_BENCH_CONTEST_H
#define TS_BENCH_CONTEST_H

#include "bench/bench.h"
#include "bench/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One contest: pairs at a distance, and what is asked about them.
typedef struct ts_bench_contest {
    const char* label;  // "hulls of 128"
    double distance;    // m, where the pairs are placed
    ts_bench_question question;
} ts_bench_contest;

/// Adds the table that contests fill, one row per contest and solver.
ts_bench_table* ts_bench_contest_table(ts_bench_report* report, const char* stem, const char* title);

/// Places the pairs, asks every solver that can answer, and adds its row: answers that were wrong, largest error, mean
/// iterations, time with its spread and tail, and time relative to ours (above 1: slower than us). Returns
/// TS_BENCH_WRONG when our own query was wrong.
int ts_bench_contest_run(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table,
                         ts_bench_workload* workload, const ts_bench_contest* contest);

/// Runs a contest about the same pairs for every question, at the distances where it makes sense. Progress goes from `done` to
/// `done + 1` of `total`.
int ts_bench_contest_all(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table,
                         ts_bench_workload* workload, const char* label, double done, double total);

/// Labels of contests that stand for numbers: hulls by their vertices.
typedef struct ts_bench_contest_axis {
    const char* name;  // "vertices"
    const char* const* label;
    const double* number;
    int count;  // at most 16
} ts_bench_contest_axis;

/// Adds a figure of median time over an axis, from the rows of a contest table with that question and distance; its stem is the
/// contest's label.
void ts_bench_contest_figure(ts_bench_report* report, const ts_bench_table* table, const char* title,
                             const ts_bench_contest* what, const ts_bench_contest_axis* axis);

/// Adds the sentences that explain the columns.
void ts_bench_contest_notes(ts_bench_report* report);

#ifdef __cplusplus
}
#endif
#endif
