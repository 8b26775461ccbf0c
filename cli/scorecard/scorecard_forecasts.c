// Forecasts that are finer than the kinds of models, each once: measure, values, entrants, and the reason.
#include "cli/scorecard/scorecard_internal.h"

#include "cli/report/report_internal.h"

#include <string.h>

// A forecast of measure m at value number v.
typedef struct forecast {
    const char* why;
    ts_outlook outlook;
    unsigned long long entrants;  // bits
} forecast;

static const char* reason(const ts_scorecard* card, int e, int v, int m, int k, ts_outlook* out_outlook) {
    const ts_lab_run* run = ts_scorecard_run(card, e, v, k);
    const char* why = NULL;
    *out_outlook = ts_lab_outlook(run, m, &why);
    return run->measured[m].told ? why : NULL;
}

// Of whom the same is said at that value, among the entrants from k on.
static forecast collect(const ts_scorecard* card, int e, int v, int m, int k) {
    forecast f = {0};
    f.why = reason(card, e, v, m, k, &f.outlook);
    for (int i = 0; f.why && i < card->entrant_count; ++i) {
        ts_outlook outlook;
        const char* why = reason(card, e, v, m, i, &outlook);
        if (why && outlook == f.outlook && strcmp(why, f.why) == 0) f.entrants |= 1ULL << i;
    }
    return f;
}

static int is_same(const forecast* a, const forecast* b) {
    return b->why && a->outlook == b->outlook && a->entrants == b->entrants && strcmp(a->why, b->why) == 0;
}

static int lowest(unsigned long long entrants) {
    int k = 0;
    while (!(entrants >> k & 1)) ++k;
    return k;
}

// Whether an earlier value has it: there it is said of this one as well.
static int is_said(const ts_scorecard* card, int e, int v, int m, const forecast* f) {
    for (int earlier = 0; earlier < v; ++earlier) {
        forecast other = collect(card, e, earlier, m, lowest(f->entrants));
        if (is_same(f, &other)) return 1;
    }
    return 0;
}

static void say(const ts_scorecard* card, int e, int v, int m, const forecast* f, ts_text* text) {
    const ts_experiment* experiment = card->experiment[e];
    ts_text_add(text, "%s", experiment->measure[m].name);
    for (int i = v, many = 0; experiment->parameter && i < ts_experiment_runs(experiment); ++i) {
        forecast other = collect(card, e, i, m, lowest(f->entrants));
        if (is_same(f, &other)) ts_text_add(text, "%s%g", many++ ? ", " : ", at ", ts_experiment_value(experiment, i));
    }
    for (int k = 0, many = 0; k < card->entrant_count; ++k)
        if (f->entrants >> k & 1)
            ts_text_add(text, "%s%s", many++ ? ", " : " (", ts_lab_entrant_name(&card->entrant[k]));
    ts_text_add(text, "): %s: %s", ts_outlook_name(f->outlook), f->why);
}

void ts_scorecard_forecasts(const ts_scorecard* card, int e, const char* open, const char* close, int html,
                            ts_text* text) {
    for (int m = 0; m < card->experiment[e]->measure_count; ++m)
        for (int v = 0; v < ts_experiment_runs(card->experiment[e]); ++v)
            for (int k = 0; k < card->entrant_count; ++k) {
                forecast f = collect(card, e, v, m, k);
                if (!f.why || lowest(f.entrants) != k || is_said(card, e, v, m, &f)) continue;
                ts_text line = {0};
                say(card, e, v, m, &f, &line);
                if (html)
                    ts_report_escaped(text, open, ts_text_get(&line), close);
                else
                    ts_text_add(text, "%s%s%s", open, ts_text_get(&line), close);
                ts_text_free(&line);
            }
}
