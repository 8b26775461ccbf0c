// Words are quoted for a shell, so that a line can be copied as it stands.
#include "cli/report/replay_internal.h"

#include "contact/solver.h"

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

void ts_replay_command(const char* command, const ts_args* args, ts_text* text) {
    ts_text_add(text, "touchstone %s", command);
    for (int i = 0; i < args->word_count; ++i) quote(text, args->word[i]);
}

void ts_replay_run(const ts_args* args, ts_text* text) {
    static const char* const outputs[] = {"--out", "--certificate", "--certificates", "--dump-problem"};
    ts_text_add(text, "touchstone run");
    for (int i = 0; i < args->word_count; ++i) {
        size_t length = strcspn(args->word[i], "=");
        int writes = 0;
        for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; ++k)
            writes |= strlen(outputs[k]) == length && strncmp(args->word[i], outputs[k], length) == 0;
        if (!writes)
            quote(text, args->word[i]);
        else if (!args->word[i][length])
            ++i;
    }
}

// Whether a --set pair has a meaning for that solver: options do, settings only when they are its own.
static int concerns(const char* pair, const ts_solver* solver) {
    char name[128];
    if (strncmp(pair, "solver.", 7) != 0) return 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(pair + 7, "="), pair + 7);
    return solver && ts_solver_setting_find(solver, name) != NULL;
}

// Flags of other commands that mean nothing to `view`, or something else, or are given anew.
static int is_foreign(const char* word, int length) {
    static const char* const names[] = {
        "--solver",   "--solvers", "--integrators", "--time",        "--from",         "--out",          "--png",
        "--png-time", "--size",    "--threads",     "--certificate", "--certificates", "--dump-problem", "--strict",
        "--json",     "--video",   "--fps",         "--slow",        "--still",        "--no-pictures"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if ((int)strlen(names[i]) == length && strncmp(word, names[i], (size_t)length) == 0) return 1;
    return 0;
}

static int is_switch(const char* word) {
    return strcmp(word, "--strict") == 0 || strcmp(word, "--json") == 0 || strcmp(word, "--still") == 0 ||
           strcmp(word, "--no-pictures") == 0;
}

void ts_replay_view(const ts_args* args, const char* scene, const char* solver, const char* integrator, ts_text* text) {
    int chosen = integrator && integrator[0];
    ts_text_add(text, "touchstone view");
    quote(text, scene);
    ts_text_add(text, " --solver %s", solver);
    for (int i = 0; i < args->word_count; ++i) {
        const char* word = args->word[i];
        int length = (int)strcspn(word, "=");
        const char* value = is_switch(word) ? NULL : word[length] ? word + length + 1 : args->word[i + 1];
        if (strncmp(word, "--", 2) != 0) continue;  // the subject
        int own_word = value && !word[length];
        i += own_word;
        if (is_foreign(word, length) || !value) continue;
        int is_set = length == 5 && strncmp(word, "--set", 5) == 0;
        if (is_set && !concerns(value, ts_solver_find(solver))) continue;
        // The one it was run under stands at the end, where it has the last word.
        if (is_set && chosen && strncmp(value, "integrator=", 11) == 0) continue;
        quote(text, word);
        if (own_word) quote(text, value);
    }
    if (chosen) ts_text_add(text, " --set integrator=%s", integrator);
}

// Whole steps lie far more than nine digits apart.
void ts_replay_time(double time, ts_text* text) { ts_text_add(text, " --time %.9g", time); }

void ts_replay_from(const char* recording, ts_text* text) {
    ts_text_add(text, " --from");
    quote(text, recording);
}
