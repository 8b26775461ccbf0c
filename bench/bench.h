// Benchmarks: one file each, bench/NAME.c, with one line in bench_table.c. A benchmark measures and fills a report; it
// never prints. The program prints the report's tables and writes them, with its figures, as JSON and SVG.
//
// A benchmark first checks that the answers agree, to a tolerance that it states, and only then compares speed. Random
// numbers come from options->seed, so that the same seed asks the same questions.
#ifndef TS_BENCH_BENCH_H
#define TS_BENCH_BENCH_H

#include "base/text.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ts_lab_engine;  // scenes/experiments/experiment.h

/// What a benchmark is asked to do.
typedef struct ts_bench_options {
    int quick;                // nonzero: a small part of the work, to see that it runs; not to be quoted
    uint64_t seed;            // of everything random
    const char* data_folder;  // TOUCHSTONE_DATA, or NULL
    const char* only;         // only parts whose name contains this; NULL: all
    const char* model;        // the file of a robot that takes the place of all others (robots); NULL: none
} ts_bench_options;

/// A cell of a table: a number, or text when `text` is not NULL.
typedef struct ts_bench_cell {
    double number;  // not finite: unknown, shown as "-"
    char* text;     // owned by the report
} ts_bench_cell;

/// The head of a column.
typedef struct ts_bench_column {
    char name[48];
    char unit[16];
} ts_bench_column;

enum { TS_BENCH_COLUMNS = 32 };

/// A table: cells by rows, column_count of them to a row.
typedef struct ts_bench_table {
    char stem[48];    // of its key in JSON: "distance-hulls"
    char title[200];  // one line above it
    ts_bench_column column[TS_BENCH_COLUMNS];
    int column_count;
    ts_bench_cell* cell;
    int row_count;
    int filled;  // cells of the last row that were given
    int room;    // cells
    struct ts_bench_table* next;
    struct ts_bench_report* report;
} ts_bench_table;

/// How an axis counts; SIGNED_LOG, for x only, is logarithmic to both sides of zero.
typedef enum ts_bench_scale { TS_BENCH_LINEAR, TS_BENCH_LOG, TS_BENCH_SIGNED_LOG } ts_bench_scale;

/// An axis of a figure. Its words live as long as the report.
typedef struct ts_bench_axis {
    const char* label;  // short: "distance", "iterations"
    const char* unit;   // may be ""
    ts_bench_scale scale;
} ts_bench_axis;

/// One curve of a figure: copies of what ts_bench_add_curve was given.
typedef struct ts_bench_curve {
    char label[64];
    double* x;
    double* y;
    int count;
} ts_bench_curve;

enum { TS_BENCH_CURVES = 24 };

/// A figure: curves over common axes. Becomes FOLDER/STEM.svg.
typedef struct ts_bench_figure {
    char stem[64];
    char title[160];
    ts_bench_axis x;
    ts_bench_axis y;
    ts_bench_curve curve[TS_BENCH_CURVES];
    int curve_count;
    struct ts_bench_figure* next;
    struct ts_bench_report* report;
} ts_bench_figure;

/// One sentence for the reader.
typedef struct ts_bench_sentence {
    char text[600];
    struct ts_bench_sentence* next;
} ts_bench_sentence;

/// What a benchmark found. Zero-initialised is empty; free with ts_bench_report_free.
typedef struct ts_bench_report {
    ts_bench_table* table;  // in the order they were added
    ts_bench_figure* figure;
    ts_bench_sentence* note;
    ts_text parts;     // names of the parts that options->only chose among, separated by ", "
    int parts_wanted;  // how many of them were
    int out_of_memory;
    int stopped;      // nonzero: whoever runs it wants it to end
    int finished;     // nonzero once TS_BENCH_DONE or TS_BENCH_WRONG was returned; the program sets it
    char error[400];  // why it could not run, "" when it could
    void* watcher;    // passed to `progress`
    int (*progress)(void* watcher, double fraction);  // fraction < 0 only asks; returns nonzero to stop; may be NULL
} ts_bench_report;

/// How a benchmark ended, and what it returns.
enum {
    TS_BENCH_DONE = 0,
    TS_BENCH_WRONG = 1,    // it ran, but one of our own answers was wrong or a stated agreement did not hold
    TS_BENCH_FAILED = 2,   // it could not run: ts_bench_fail says why
    TS_BENCH_STOPPED = 3,  // it was asked to stop
};

/// Adds a table; `stem` is short, lower case, with dashes. Returns NULL when memory is short, which all functions below
/// take without harm.
ts_bench_table* ts_bench_add_table(ts_bench_report* report, const char* stem, const char* title);

/// Adds a column, before the first row. `unit` may be "".
void ts_bench_add_column(ts_bench_table* table, const char* name, const char* unit);

/// Starts a row; cells follow from left to right, those left out are unknown.
void ts_bench_row(ts_bench_table* table);

/// The next cell: text, printf style.
void ts_bench_text(ts_bench_table* table, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// The next cell: a number in the column's unit; NAN when unknown.
void ts_bench_number(ts_bench_table* table, double value);

/// Adds a figure.
ts_bench_figure* ts_bench_add_figure(ts_bench_report* report, const char* stem, const char* title, ts_bench_axis x,
                                     ts_bench_axis y);

/// Adds a curve through `count` points (copied). Points that are not finite interrupt it.
void ts_bench_add_curve(ts_bench_figure* figure, const char* label, const double* x, const double* y, int count);

/// Adds the distribution of a sample as a curve: x the values in order, y the part of the sample up to x (0 to 1), thinned
/// to at most 200 points. Sorts `value`.
void ts_bench_add_distribution(ts_bench_figure* figure, const char* label, double* value, int count);

/// Adds one sentence, printf style: what was agreed to what tolerance, what a column means.
void ts_bench_note(ts_bench_report* report, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// Says why the benchmark could not run; returns TS_BENCH_FAILED.
int ts_bench_fail(ts_bench_report* report, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// Says how far things are. Returns nonzero when the benchmark should end soon with TS_BENCH_STOPPED.
int ts_bench_progress(ts_bench_report* report, double done, double total);

/// Nonzero when the part `name` is among those asked for by options->only. The report remembers the names of all parts, so that
/// asking for none of them can be answered with what there is.
int ts_bench_wanted(ts_bench_report* report, const ts_bench_options* options, const char* name);

/// Frees everything and leaves an empty report.
void ts_bench_report_free(ts_bench_report* report);

// --- samples and time --------------------------------------------------------------------------------------------------

/// A sample in a few numbers.
typedef struct ts_bench_sample {
    int count;
    double mean;
    double deviation;  // standard
    double least;
    double p10;
    double median;
    double p90;
    double p99;
    double most;
} ts_bench_sample;

/// Summarises a sample; sorts `value`. All NAN when count is 0.
ts_bench_sample ts_bench_summarise(double* value, int count);

/// One who answers queries: `run` answers query number `query` and leaves the answer in `context`.
typedef struct ts_bench_contestant {
    const char* name;
    void (*run)(void* context, int query);
    void* context;
} ts_bench_contestant;

/// Time per query, nanoseconds: of the calling thread's processor time (rounds) or of wall clock (single queries).
typedef struct ts_bench_timing {
    double least;       // over the rounds, of the mean over all queries
    double p10;         // the same
    double median;      // the same: the number to quote
    double p90;         // the same
    double query_p50;   // over the queries, of the shortest of several repeats, less the clock's own time
    double query_p99;   // the same
    double query_most;  // the same
    double query_trim;  // mean of the fastest 90 % of queries, the papers' measure
    double query_trim_deviation;
} ts_bench_timing;

/// Who answers what, and for how long.
typedef struct ts_bench_race {
    const ts_bench_contestant* contestant;
    int contestants;
    int queries;           // numbered 0 .. queries - 1
    int rounds;            // 0: 11, or 3 when quick
    double least_seconds;  // passes over short sets are repeated within a round until they last this long; 0: 1 ms
} ts_bench_race;

/// Runs all contestants on all queries, round after round, taking turns so that a machine whose speed drifts slows all alike;
/// who begins moves on from round to round. Only for work on this one thread. `per_query` may be NULL; else it gets
/// contestants * queries shortest times in ns, by contestant. When asked to stop, the rest is NAN.
void ts_bench_time(ts_bench_report* report, const ts_bench_options* options, const ts_bench_race* race,
                   ts_bench_timing* out_timing, double* per_query);

/// Adds the columns "median", "10 %", "90 %", "query p50", "query p99" and "query max", ns.
void ts_bench_add_timing_columns(ts_bench_table* table);

/// The next cells, under those columns.
void ts_bench_timing_cells(ts_bench_table* table, const ts_bench_timing* timing);

/// What an empty contestant costs, ns per query: the floor below which a time means nothing.
double ts_bench_floor(void);

// --- the table of benchmarks -------------------------------------------------------------------------------------------

/// A benchmark.
typedef struct ts_bench {
    const char* name;     // "gjk-ellipsoids"
    const char* summary;  // one line
    int (*run)(const ts_bench_options* options, ts_bench_report* report);
} ts_bench;

/// How many benchmarks there are.
int ts_bench_count(void);

/// Benchmark number i.
const ts_bench* ts_bench_at(int i);

/// The benchmark of that name, or NULL.
const ts_bench* ts_bench_find(const char* name);

/// Another library that benchmarks compare with.
typedef struct ts_bench_peer {
    const char* name;     // "libccd"
    const char* version;  // NULL when it was not found or peers are off
} ts_bench_peer;

/// How many peers benchmarks know of.
int ts_bench_peer_count(void);

/// Peer number i.
const ts_bench_peer* ts_bench_peer_at(int i);

/// Engine number i of those that experiments run in beside Touchstone, in the peers that were found; NULL beyond the last.
const struct ts_lab_engine* ts_bench_lab_engine(int i);

// --- writing a report ----------------------------------------------------------------------------------------------------

/// Appends tables and notes as plain text.
void ts_bench_report_text(const ts_bench_report* report, ts_text* text);

/// Appends one JSON object: benchmark, seed, machine, compiler, peers, tables, figures, notes.
void ts_bench_report_json(const ts_bench* bench, const ts_bench_options* options, const ts_bench_report* report,
                          ts_text* text);

#ifdef __cplusplus
}
#endif
#endif
