// Words are quoted for a shell, so that a line can be copied as it stands.
#include "cli/report/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void quote(ts_text* text, const char* word) {
    if (word[0] &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == strlen(word)) {
        ts_text_add(text, " %s", word);
        return;
    }
    ts_text_add(text, " '");
    for (const char* c = word; *c; ++c) {
        if (*c == '\'')
            ts_text_add(text, "'\\''");
        else
            ts_text_add_bytes(text, c, 1);
    }
    ts_text_add(text, "'");
}

void ts_replay_compare(const ts_args* args, ts_text* text) {
    ts_text_add(text, "touchstone compare");
    for (int i = 0; i < args->word_count; ++i) quote(text, args->word[i]);
}

// Whether a --set pair has a meaning for that solver: options do, settings only when they are its own.
static int concerns(const char* pair, const ts_solver* solver) {
    char name[128];
    if (strncmp(pair, "solver.", 7) != 0) return 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(pair + 7, "="), pair + 7);
    return solver && ts_solver_setting_find(solver, name) != NULL;
}

void ts_replay_view(const ts_args* args, const char* scene, const ts_series* series, double time, ts_text* text) {
    ts_text_add(text, "touchstone view");
    quote(text, scene);
    ts_text_add(text, " --solver %s", series->solver);
    if (series->integrator[0]) ts_text_add(text, " --set integrator=%s", series->integrator);
    if (!isnan(args->dt)) {
        ts_text_add(text, " --dt ");
        ts_text_add_number(text, args->dt);
    }
    if (args->key) {
        ts_text_add(text, " --key");
        quote(text, args->key);
    }
    for (int i = 0; i < args->pair_count; ++i) {
        if (!concerns(args->pair[i], ts_solver_find(series->solver))) continue;
        if (series->integrator[0] && strncmp(args->pair[i], "integrator=", 11) == 0) continue;
        ts_text_add(text, " --set");
        quote(text, args->pair[i]);
    }
    // Whole steps lie far more than nine digits apart.
    ts_text_add(text, " --time %.9g", time);
}
