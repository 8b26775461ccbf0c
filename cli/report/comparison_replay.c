// The page of moving pictures beside a report repeats the runs that stand for their groups, which the same bits make exact.
#include "cli/replay/replay_page_internal.h"
#include "cli/report/comparison_internal.h"
#include "cli/signals.h"

#include <math.h>
#include <string.h>

// Runs that took longer in all leave the report without it.
static const double most_wall_seconds = 20.0;

static int watch(void* user, double done) {
    (void)user;
    (void)done;
    return ts_signals_caught();
}

// The reference stands first, so that the others are told against it.
static int order(const ts_comparison* comparison, int out_run[TS_REPLAY_RUNS]) {
    int count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int g = 0; g < comparison->groups && count < TS_REPLAY_RUNS; ++g) {
            int i = ts_comparison_leader(comparison, g);
            if ((i == comparison->frame.reference) == (pass == 0)) out_run[count++] = i;
        }
    return count;
}

void ts_comparison_take_replay(ts_comparison* comparison) {
    int run[TS_REPLAY_RUNS], planned = order(comparison, run), count = 0;
    double wall = 0.0;
    ts_reel reel[TS_REPLAY_RUNS];
    ts_text note = {0};
    memset(reel, 0, sizeof reel);
    for (int k = 0; k < planned; ++k) wall += comparison->series[run[k]].wall;
    if (wall > most_wall_seconds) return;
    int failed = 0;
    for (int k = 0; k < planned && !failed; ++k) {
        ts_sim* sim = NULL;
        ts_status status;
        char label[TS_SERIES_LABEL];
        ts_series_label(&comparison->series[run[k]], label);
        failed = ts_comparison_start(comparison, run[k], &sim, &status) != TS_OK;
        if (!failed) {
            ts_reel_wish wish = {label, ts_reel_rate(comparison->duration), watch, NULL};
            ts_code code = ts_reel_of_run(comparison->scene, sim, comparison->duration, &wish, &reel[count], &status);
            failed = code == TS_ERROR_INTERRUPTED || code == TS_ERROR_MEMORY || reel[count].frames.count == 0;
            if (code) ts_text_add(&note, "%s%s: %s", note.length ? "; " : "", label, status.message);
            ++count;
        }
        ts_sim_free(sim);
    }
    ts_replay_page page = {.scene = comparison->scene,
                           .reel = reel,
                           .count = count,
                           .command = ts_text_get(&comparison->command),
                           .mark = (double)NAN,
                           .note = note.length ? ts_text_get(&note) : NULL};
    if (!failed && count > 0 && ts_replay_page_html(&page, &comparison->replay, NULL))
        ts_text_free(&comparison->replay);
    for (int k = 0; k < TS_REPLAY_RUNS; ++k) ts_reel_free(&reel[k]);
    ts_text_free(&note);
}
