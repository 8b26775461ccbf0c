// Every experiment under every entrant, and the one table that comes of it.
#ifndef TS_CLI_SCORECARD_INTERNAL_H
#define TS_CLI_SCORECARD_INTERNAL_H

#include "base/text.h"
#include "cli/report/page_plot_internal.h"
#include "scenes/experiments/experiment.h"

/// Most entrants, and most experiments.
enum { TS_SCORECARD_ENTRANTS = 64, TS_SCORECARD_EXPERIMENTS = 128 };

/// A scorecard. Zero-initialised plus entrants and experiments; free with ts_scorecard_free.
typedef struct ts_scorecard {
    ts_lab_entrant entrant[TS_SCORECARD_ENTRANTS];
    int entrant_count;
    const ts_experiment* experiment[TS_SCORECARD_EXPERIMENTS];
    int experiment_count;
    const char* command;  // that was given, borrowed
    double limit;         // s of processor time that a run may take
    // what came out
    int first[TS_SCORECARD_EXPERIMENTS +
              1];  // runs of experiment e are those from first[e] on: values outside, entrants inside
    ts_lab_run* run;
    unsigned char* late;  // by run: it was broken off at the limit
    double seconds;       // wall clock of it all
    int interrupted;
} ts_scorecard;

/// Makes all runs on that many threads. `stop` and `progress` (a share of 1, from one thread at a time) may be NULL. TS_ERROR_MEMORY.
ts_code ts_scorecard_make(ts_scorecard* card, int threads, int (*stop)(void* user),
                          void (*progress)(void* user, double share), void* user, ts_status* out_status);

/// Releases the runs.
void ts_scorecard_free(ts_scorecard* card);

/// The run of experiment e at value number v under entrant k.
const ts_lab_run* ts_scorecard_run(const ts_scorecard* card, int e, int v, int k);

/// What measure m of experiment e should be at value number v, with its tolerance; `told` is zero where no run of it was measured.
ts_measured ts_scorecard_reference(const ts_scorecard* card, int e, int v, int m);

/// How many measures of experiment e under entrant k came out each way.
void ts_scorecard_tally(const ts_scorecard* card, int e, int k, int out_count[TS_VERDICT_COUNT]);

/// How many measures of experiment e under entrant k are within their tolerance, whatever was forecast.
int ts_scorecard_passed(const ts_scorecard* card, int e, int k);

/// The forecasts of experiment e that are finer than the kinds of models: for each, "measure, at 0 and 90 (mujoco, sap): passes: why", between
/// `open` and `close`, both escaped for HTML where `html` is nonzero.
void ts_scorecard_forecasts(const ts_scorecard* card, int e, const char* open, const char* close, int html,
                            ts_text* text);

/// A column of the conjunction: a measure at a value.
typedef struct ts_conjunct {
    int experiment;
    int value;
    int measure;
    char heading[64];  // with its unit
} ts_conjunct;

/// Whether a run of the card was broken off at the limit.
int ts_scorecard_is_cut_short(const ts_scorecard* card, const ts_lab_run* run);

/// The experiments and entrants of which a run was broken off at the limit, and why (of the first), as a sentence; nothing where there are none.
void ts_scorecard_cut_short(const ts_scorecard* card, ts_text* text);

/// The run whose books of energy close worst, or NULL where none kept any; in *out_kept (may be NULL) how many did.
const ts_lab_run* ts_scorecard_worst_ledger(const ts_scorecard* card, int* out_kept);

/// Whether its books close: to 1e-9 of the energy that a step turns over.
int ts_scorecard_ledger_closes(const ts_lab_run* run);

/// Both as a sentence; nothing where no books were kept.
void ts_scorecard_ledger(const ts_scorecard* card, ts_text* text);

/// The columns of the conjunction, at most `room` of them. Returns how many.
int ts_scorecard_conjunction(const ts_scorecard* card, int room, ts_conjunct* out_column);

/// "1.2e-09", "12.3"; "-" for what was not told.
void ts_scorecard_number(const ts_measured* measured, char out_text[32]);

/// The scorecard as Markdown, as the next value of a JSON text, and as a page.
void ts_scorecard_markdown(const ts_scorecard* card, ts_text* text);

/// See ts_scorecard_markdown.
void ts_scorecard_json(const ts_scorecard* card, ts_json* json);

/// See ts_scorecard_markdown; its plots go to files as well.
void ts_scorecard_html(const ts_scorecard* card, ts_page_files* files, ts_text* text);

#endif
