// Whether a gradient is to be trusted: that of a loss over a run, backward and forward, beside differences of whole runs, with the kinks along its
// direction.
#ifndef TS_CLI_GRADIENT_INTERNAL_H
#define TS_CLI_GRADIENT_INTERNAL_H

#include "cli/args.h"
#include "cli/gradient/expression_internal.h"
#include "cli/gradient/inputs_internal.h"
#include "cli/report/page_plot_internal.h"
#include "scenes/scene_table.h"

/// Increments of differences, places along the line, kinks that are found there, entries of a list of changes nearby.
enum { TS_GRADIENT_INCREMENTS = 17, TS_GRADIENT_PLACES = 61, TS_GRADIENT_KINKS = 12, TS_GRADIENT_NEAR = 16 };

/// Room for what a block of rows does, in words.
enum { TS_GRADIENT_WORDS = 256 };

/// From good to bad.
typedef enum ts_gradient_verdict {
    TS_GRADIENT_EXACT,      // it is the derivative
    TS_GRADIENT_ONE_SIDED,  // there is none: it is that to one side, or between both
    TS_GRADIENT_SMOOTHED,   // differences agree over larger increments only
    TS_GRADIENT_USELESS,    // they never do, or the loss jumps, or there is no gradient
    TS_GRADIENT_VERDICTS
} ts_gradient_verdict;

/// A derivative as differences have it.
typedef struct ts_gradient_limit {
    double value;      // as increments go to zero
    double error;      // 1 of that: by how much estimates of it differ
    double increment;  // the longest that it comes from
} ts_gradient_limit;

/// One input: all derivatives in units of the loss per unit of the input.
typedef struct ts_gradient_entry {
    double backward;
    double forward;
    double increment[TS_GRADIENT_INCREMENTS];  // descending
    double central[TS_GRADIENT_INCREMENTS];
    double left[TS_GRADIENT_INCREMENTS];        // (f(x) - f(x - e)) / e
    double right[TS_GRADIENT_INCREMENTS];       // (f(x + e) - f(x)) / e
    uint64_t modes[2][TS_GRADIENT_INCREMENTS];  // ts_trial.modes at x - e and at x + e
    double
        apart;  // 1: by which differences differ from `backward`, of the larger or of a billionth of the largest entry
    ts_gradient_limit centre_limit;
    ts_gradient_limit left_limit;
    ts_gradient_limit right_limit;
    ts_gradient_verdict verdict;
    char reason[TS_GRADIENT_WORDS];
} ts_gradient_entry;

/// A place along the line where the mode of some contact or joint row changes.
typedef struct ts_gradient_kink {
    double at;                     // along the line
    double slope[2];               // of the loss before and after it
    double jump;                   // of the loss there
    int felt;                      // nonzero: slope or loss change by more than their noise
    int step;                      // the first that differs; -1: none was found
    char what[TS_GRADIENT_WORDS];  // "contact: floor - cube, stick -> slide"
    int also;                      // how many more changes there are at the same place
} ts_gradient_kink;

/// Something in a step that is within a few roundings of a change of its mode.
typedef struct ts_gradient_near {
    char what[TS_GRADIENT_WORDS];
    int step;  // the first
    int steps;
    double roundings;  // the least
} ts_gradient_near;

/// The audit. Zero-initialised plus args and scene; free with ts_gradient_free.
typedef struct ts_gradient {
    const ts_args* args;
    ts_loaded_scene* scene;
    double duration;   // s
    double time_step;  // s
    int steps;
    char solver[64];
    ts_step_method method;
    ts_expression expression;
    ts_inputs inputs;
    int parameter_count;  // ranges of what is no part of the first state
    ts_step_input parameter[TS_INPUTS_MOST];
    double loss;
    ts_gradient_entry* entry;  // (inputs.count)
    ts_status gradient;        // why there is none, or TS_OK
    ts_rollout_report report;
    double mismatch;  // 1: by which backward and forward differ, of the largest entry
    double open;      // 1: largest part of a change that depends on how hyperstatic contacts share their load
    int open_step;    // where
    int near_count;
    ts_gradient_near near[TS_GRADIENT_NEAR];
    double span;        // of the line, to either side, in units of the inputs' scales
    double slope;       // of the loss along the line, by the gradient
    double* direction;  // (inputs.count) change of each input per unit of the line
    double place[TS_GRADIENT_PLACES];
    double course[TS_GRADIENT_PLACES];  // the loss there
    int kink_count;
    ts_gradient_kink kink[TS_GRADIENT_KINKS];
    ts_gradient_verdict verdict;
    char reason[2 * TS_GRADIENT_WORDS];
    long long runs;
    double seconds;  // wall clock of it all
    double seconds_backward;
    double seconds_run;  // of one run
} ts_gradient;

/// What a run is asked, and what it came to.
typedef struct ts_trial {
    const double* change;         // (inputs.count) what is added to each input; NULL: nothing
    double loss;                  // NaN: it failed
    uint64_t modes;               // the same for runs whose contacts and rows do the same in all steps
    struct ts_mode_trace* trace;  // where to keep these modes one by one; NULL: nowhere
} ts_trial;

/// What one block of rows did in one step.
typedef struct ts_mode_entry {
    int step;
    int source;
    int mode;    // ts_contact_mode
    int branch;  // of a contact: its gap closes (1), is left alone (0), is pushed out (-1)
    ts_row_key key;
} ts_mode_entry;

/// All of a run. Zero-initialised is empty; free with ts_mode_trace_free.
typedef struct ts_mode_trace {
    int count;
    int capacity;
    int failed;  // memory was short
    ts_mode_entry* entry;
} ts_mode_trace;

/// Releases the memory.
void ts_mode_trace_free(ts_mode_trace* trace);

/// Those who make runs: a simulation for each thread.
typedef struct ts_crew ts_crew;

/// Makes them. TS_ERROR_VALUE is wrong use.
ts_code ts_crew_create(ts_gradient* self, int threads, ts_crew** out_crew, ts_status* out_status);

/// The simulation of the first of them, at its start.
ts_sim* ts_crew_sim(ts_crew* crew);

/// Makes these runs. Returns 0 when it was interrupted: then they are not done.
int ts_crew_run(ts_crew* crew, ts_trial* trial, int count);

/// The loss at the start, and all that backward and forward find.
ts_code ts_crew_differentiate(ts_crew* crew, ts_status* out_status);

/// In words what differs first between the runs with these changes; *out_step: where, -1: nothing does.
void ts_crew_name_difference(ts_crew* crew, const double* before, const double* after, int* out_step,
                             char out_what[TS_GRADIENT_WORDS]);

/// Releases them; NULL is ignored.
void ts_crew_free(ts_crew* crew);

/// Reads what is asked for and checks it. TS_ERROR_VALUE is wrong use.
ts_code ts_gradient_plan(ts_gradient* self, ts_status* out_status);

/// Does all of it. TS_ERROR_INTERRUPTED.
ts_code ts_gradient_make(ts_gradient* self, int threads, ts_status* out_status);

/// Changes of modes along the line, once its places have been asked.
ts_code ts_gradient_find_kinks(ts_gradient* self, ts_crew* crew, const uint64_t* modes, ts_status* out_status);

/// Limits of differences, verdicts, reasons. Runs are asked for to name a kink.
void ts_gradient_judge(ts_gradient* self, ts_crew* crew);

/// "exact", "one-sided", "smoothed", "useless".
const char* ts_gradient_verdict_name(ts_gradient_verdict verdict);

/// Tables, JSON, CSV and a page.
void ts_gradient_text(const ts_gradient* self, ts_text* text);
/// See ts_gradient_text.
void ts_gradient_json(const ts_gradient* self, ts_text* text);
/// See ts_gradient_text.
void ts_gradient_csv(const ts_gradient* self, ts_text* text);
/// See ts_gradient_text; plots go to files as well.
void ts_gradient_html(const ts_gradient* self, const char* command, ts_page_files* files, ts_text* text);

/// Releases what the audit owns.
void ts_gradient_free(ts_gradient* self);

#endif
