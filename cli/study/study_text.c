// A study as tables, JSON and CSV.
#include "cli/study/study_internal.h"

#include <math.h>
#include <string.h>

// Factors of a performance profile.
static const double factors[] = {1.0, 2.0, 5.0, 10.0, 100.0};
enum { FACTORS = sizeof factors / sizeof factors[0] };

static void add_number(ts_text* text, double value, const char* format) {
    if (isfinite(value))
        ts_text_add(text, format, value);
    else
        ts_text_add(text, "%10s", "-");
}

static void add_runs(const ts_study* study, ts_text* text) {
    for (int k = 0; k < study->key_count; ++k)
        ts_text_add(text, "%-*s ", strcmp(study->key[k].name, "solver") == 0 ? 18 : 10, study->key[k].name);
    ts_text_add(text, "%11s %10s %6s %8s %9s %10s %10s %9s\n", "error [m s]", "last [m]", "order", "steps", "unsolved",
                "natural", "sunk [mm]", "time [s]");
    for (int i = study->reference_count; i < study->run_count; ++i) {
        const ts_study_run* run = &study->run[i];
        for (int k = 0; k < study->key_count; ++k)
            ts_text_add(text, "%-*s ", strcmp(study->key[k].name, "solver") == 0 ? 18 : 10,
                        study->key[k].value[run->choice[k]]);
        if (!run->done || run->failed) {
            ts_text_add(text, "%s\n", run->done ? run->reason : "not run");
            continue;
        }
        ts_text_add(text, " ");
        add_number(text, run->error, "%10.4g");
        ts_text_add(text, " ");
        add_number(text, run->last_error, "%10.4g");
        if (isfinite(run->order))
            ts_text_add(text, " %6.2f", run->order);
        else
            ts_text_add(text, " %6s", "-");
        ts_text_add(text, " %8lld %9lld %10.2g %10.3g %9.3g%s\n", run->steps, run->unsolved, run->natural,
                    1e3 * run->penetration, run->seconds,
                    run->reference < 0 ? "  (others are measured against this)" : "");
    }
}

// For every other setting the shortest time that an error took.
static void add_time_to_error(const ts_study* study, ts_text* text) {
    int solver = ts_study_key_of(study, "solver");
    if (solver < 0 || study->reference_count == 0) return;
    ts_text_add(text, "\nShortest time [s] to an error of\n%-18s", "");
    for (int d = 2; d <= 7; ++d) ts_text_add(text, "    1e-%d m s", d);
    ts_text_add(text, "\n");
    for (int s = 0; s < study->key[solver].count; ++s) {
        ts_text_add(text, "%-18s", study->key[solver].value[s]);
        for (int d = 2; d <= 7; ++d) {
            double best = HUGE_VAL;
            for (int i = study->reference_count; i < study->run_count; ++i)
                if (study->run[i].choice[solver] == s && study->run[i].error <= pow(10.0, -d))
                    best = fmin(best, study->run[i].seconds);
            ts_text_add(text, " ");
            add_number(text, best, "%11.3g");
            if (!isfinite(best)) ts_text_add(text, " ");
        }
        ts_text_add(text, "\n");
    }
}

static void add_profile(const ts_study* study, ts_text* text) {
    int solver = ts_study_key_of(study, "solver"), problems = 0;
    if (solver < 0 || study->key[solver].count < 2) return;
    ts_text_add(
        text,
        "\nPart of the settings solved (all steps converged) within a multiple of the fastest solver's time\n%-18s",
        "");
    for (int f = 0; f < FACTORS; ++f) ts_text_add(text, " %6gx", factors[f]);
    ts_text_add(text, "\n");
    for (int s = 0; s < study->key[solver].count; ++s) {
        ts_text_add(text, "%-18s", study->key[solver].value[s]);
        for (int f = 0; f < FACTORS; ++f) {
            double part = ts_study_profile(study, s, factors[f], &problems);
            if (problems > 0)
                ts_text_add(text, " %6.0f%%", 100.0 * part);
            else
                ts_text_add(text, " %7s", "-");
        }
        ts_text_add(text, "\n");
    }
}

void ts_study_text(const ts_study* study, ts_text* text) {
    ts_text_add(text, "%s, %g s, %d runs and %d references\n", study->scene->name, study->duration,
                study->run_count - study->reference_count, study->reference_count);
    if (study->reference_count > 0) {
        ts_text_add(text, "against: ");
        ts_study_name(study, 0, text);
        ts_text_add(text, study->reference_count > 1 ? ", and its like for the other settings\n\n" : "\n\n");
    } else {
        ts_text_add(text, "\n");
    }
    add_runs(study, text);
    add_time_to_error(study, text);
    add_profile(study, text);
}

void ts_study_json(const ts_study* study, ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "command", study->command);
    ts_json_add_string(&json, "scene", study->scene->name);
    ts_json_add_number(&json, "duration", study->duration);
    ts_json_add_bool(&json, "interrupted", study->interrupted);
    ts_json_add_array(&json, "runs");
    for (int i = 0; i < study->run_count; ++i) {
        const ts_study_run* run = &study->run[i];
        ts_text name = {0};
        ts_study_name(study, i, &name);
        ts_json_object(&json);
        ts_json_add_string(&json, "name", ts_text_get(&name));
        for (int k = 0; k < study->key_count && !run->is_reference; ++k)
            ts_json_add_string(&json, study->key[k].name, study->key[k].value[run->choice[k]]);
        ts_json_add_bool(&json, "reference", run->is_reference);
        ts_json_add_bool(&json, "done", run->done);
        ts_json_add_string(&json, "failed", run->failed ? run->reason : NULL);
        ts_json_add_number(&json, "error", run->error);
        ts_json_add_number(&json, "last_error", run->last_error);
        ts_json_add_number(&json, "order", run->order);
        ts_json_add_integer(&json, "steps", run->steps);
        ts_json_add_integer(&json, "unsolved", run->unsolved);
        ts_json_add_number(&json, "natural", run->natural);
        ts_json_add_number(&json, "penetration", run->penetration);
        ts_json_add_number(&json, "seconds", run->seconds);
        ts_json_object_end(&json);
        ts_text_free(&name);
    }
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

void ts_study_csv(const ts_study* study, ts_text* text) {
    for (int k = 0; k < study->key_count; ++k) ts_text_add(text, "%s,", study->key[k].name);
    ts_text_add(text, "error [m s],last error [m],order,steps,unsolved,natural map,penetration [m],time [s],failed\n");
    for (int i = study->reference_count; i < study->run_count; ++i) {
        const ts_study_run* run = &study->run[i];
        for (int k = 0; k < study->key_count; ++k) ts_text_add(text, "%s,", study->key[k].value[run->choice[k]]);
        ts_text_add(text, "%.9g,%.9g,%.4g,%lld,%lld,%.4g,%.6g,%.6g,%d\n", run->error, run->last_error, run->order,
                    run->steps, run->unsolved, run->natural, run->penetration, run->seconds, run->failed || !run->done);
    }
}
