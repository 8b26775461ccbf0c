// A scorecard as Markdown and as JSON.
#include "cli/scorecard/scorecard_internal.h"

#include "contact/solver.h"

#include <math.h>

static void add_conjunction(const ts_scorecard* card, ts_text* text) {
    ts_conjunct column[16];
    char number[32];
    int columns = ts_scorecard_conjunction(card, 16, column);
    if (columns == 0) return;
    ts_text_add(text, "## The conjunction\n\nAll of them should be zero, at once. **Bold** passes.\n\n|");
    for (int c = 0; c < columns; ++c) ts_text_add(text, " | %s", column[c].heading);
    ts_text_add(text, " |\n|---");
    for (int c = 0; c < columns; ++c) ts_text_add(text, "|---");
    ts_text_add(text, "|\n");
    for (int k = 0; k < card->entrant_count; ++k) {
        ts_text_add(text, "| %s", ts_lab_entrant_name(&card->entrant[k]));
        for (int c = 0; c < columns; ++c) {
            const ts_lab_run* run = ts_scorecard_run(card, column[c].experiment, column[c].value, k);
            const char* mark = ts_lab_is_within(run, column[c].measure) ? "**" : "";
            ts_scorecard_number(&run->measured[column[c].measure], number);
            ts_text_add(text, " | %s%s%s", mark, number, mark);
        }
        ts_text_add(text, " |\n");
    }
    ts_text_add(text, "\n");
}

static void add_summary(const ts_scorecard* card, ts_text* text) {
    ts_text_add(text,
                "## All experiments\n\nMeasures passed of those taken; f: missed as theory foresees; **F**: "
                "missed though nothing "
                "in the law says so; u: passed unforeseen; n: theory has no forecast; b: broken off; -: not run, the "
                "engine has not what it takes or does not tell it.\n\n| experiment");
    for (int k = 0; k < card->entrant_count; ++k) ts_text_add(text, " | %s", ts_lab_entrant_name(&card->entrant[k]));
    ts_text_add(text, " |\n|---");
    for (int k = 0; k < card->entrant_count; ++k) ts_text_add(text, "|---");
    ts_text_add(text, "|\n");
    for (int e = 0; e < card->experiment_count; ++e) {
        if (card->experiment[e]->measure_count == 0) continue;
        ts_text_add(text, "| %s", card->experiment[e]->name);
        for (int k = 0; k < card->entrant_count; ++k) {
            int n[TS_VERDICT_COUNT], all = 0;
            ts_scorecard_tally(card, e, k, n);
            for (int v = 0; v < TS_VERDICT_COUNT; ++v) all += v == TS_VERDICT_NOT_RUN ? 0 : n[v];
            if (all == 0) {
                ts_text_add(text, " | -");
                continue;
            }
            ts_text_add(text, " | %d/%d", ts_scorecard_passed(card, e, k), all);
            if (n[TS_VERDICT_FORESEEN]) ts_text_add(text, " %df", n[TS_VERDICT_FORESEEN]);
            if (n[TS_VERDICT_FAIL]) ts_text_add(text, " **%dF**", n[TS_VERDICT_FAIL]);
            if (n[TS_VERDICT_LUCKY]) ts_text_add(text, " %du", n[TS_VERDICT_LUCKY]);
            if (n[TS_VERDICT_OPEN]) ts_text_add(text, " %dn", n[TS_VERDICT_OPEN]);
            if (n[TS_VERDICT_BROKEN_OFF]) ts_text_add(text, " %db", n[TS_VERDICT_BROKEN_OFF]);
        }
        ts_text_add(text, " |\n");
    }
    ts_text_add(text, "\n");
    ts_text cut = {0}, ledger = {0};
    ts_scorecard_cut_short(card, &cut);
    if (cut.length > 0) ts_text_add(text, "%s\n\n", ts_text_get(&cut));
    ts_scorecard_ledger(card, &ledger);
    if (ledger.length > 0) ts_text_add(text, "%s\n\n", ts_text_get(&ledger));
    ts_text_free(&cut);
    ts_text_free(&ledger);
}

// One table: a row for each value and measure, a column for each entrant.
static void add_experiment(const ts_scorecard* card, int e, ts_text* text) {
    const ts_experiment* experiment = card->experiment[e];
    char number[32];
    ts_text_add(text, "### %s\n\n%s. (%s; `touchstone compare %s`)\n\n", experiment->name, experiment->summary,
                experiment->source, experiment->name);
    for (int m = 0; m < experiment->measure_count; ++m)
        ts_text_add(text, "- %s%s%s%s: %s\n", experiment->measure[m].name, experiment->measure[m].unit[0] ? " [" : "",
                    experiment->measure[m].unit, experiment->measure[m].unit[0] ? "]" : "",
                    experiment->measure[m].rule);
    ts_text_add(text, "\n| %s | should be", experiment->parameter ? experiment->parameter : "");
    for (int k = 0; k < card->entrant_count; ++k) ts_text_add(text, " | %s", ts_lab_entrant_name(&card->entrant[k]));
    ts_text_add(text, " |\n|---|---");
    for (int k = 0; k < card->entrant_count; ++k) ts_text_add(text, "|---");
    ts_text_add(text, "|\n");
    for (int v = 0; v < ts_experiment_runs(experiment); ++v) {
        for (int m = 0; m < experiment->measure_count; ++m) {
            ts_measured should = ts_scorecard_reference(card, e, v, m);
            ts_scorecard_number(&should, number);
            if (experiment->parameter)
                ts_text_add(text, "| %g, %s | %s", ts_experiment_value(experiment, v), experiment->measure[m].name,
                            number);
            else
                ts_text_add(text, "| %s | %s", experiment->measure[m].name, number);
            if (should.told) ts_text_add(text, " ± %.1g", should.tolerance);
            for (int k = 0; k < card->entrant_count; ++k) {
                const ts_lab_run* run = ts_scorecard_run(card, e, v, k);
                ts_verdict verdict = ts_lab_verdict(run, m);
                ts_scorecard_number(&run->measured[m], number);
                ts_text_add(text, " | %s%s", number,
                            verdict == TS_VERDICT_PASS       ? ""
                            : verdict == TS_VERDICT_FORESEEN ? " f"
                            : verdict == TS_VERDICT_FAIL     ? " **F**"
                            : verdict == TS_VERDICT_LUCKY    ? " u"
                            : verdict == TS_VERDICT_OPEN     ? " n"
                            : verdict == TS_VERDICT_NOT_RUN  ? ""
                                                             : " b");
            }
            ts_text_add(text, " |\n");
        }
    }
    ts_text forecasts = {0};
    ts_scorecard_forecasts(card, e, "- ", "\n", 0, &forecasts);
    if (forecasts.length > 0) ts_text_add(text, "\nWhat theory says more finely:\n\n%s", ts_text_get(&forecasts));
    ts_text_free(&forecasts);
    ts_text_add(text, "\n");
}

void ts_scorecard_markdown(const ts_scorecard* card, ts_text* text) {
    ts_text_add(text, "# Scorecard\n\n`%s`, %.0f s of wall clock%s\n\n", card->command, card->seconds,
                card->interrupted ? "; INTERRUPTED: what was not run is marked b" : "");
    add_conjunction(card, text);
    add_summary(card, text);
    ts_text_add(text, "## One by one\n\n");
    for (int e = 0; e < card->experiment_count; ++e)
        if (card->experiment[e]->measure_count > 0) add_experiment(card, e, text);
}

static void write_run(const ts_scorecard* card, const ts_lab_run* run, ts_json* json) {
    ts_text why = {0};
    if (ts_scorecard_is_cut_short(card, run)) ts_lab_why_long(run, &why);
    ts_json_object(json);
    ts_json_add_string(json, "engine", run->engine);
    if (run->experiment->parameter) ts_json_add_number(json, "value", run->value);
    ts_json_add_string(json, "error", run->code ? run->status.message : NULL);
    ts_json_add_string(json, "why", why.length > 0 ? ts_text_get(&why) : NULL);
    ts_json_add_integer(json, "steps", run->steps);
    ts_json_add_integer(json, "unsolved", run->unsolved);
    ts_json_add_number(json, "worst_unmet", run->worst_unmet);
    ts_json_add_number(json, "seconds", run->seconds);
    ts_json_add_number(json, "ledger_share", run->ledger_share);
    ts_json_add_integer(json, "ledger_step", run->ledger_step);
    ts_json_add_array(json, "measured");
    for (int m = 0; m < run->experiment->measure_count; ++m) {
        const ts_measured* measured = &run->measured[m];
        ts_json_object(json);
        ts_json_add_string(json, "name", run->experiment->measure[m].name);
        ts_json_add_string(json, "unit", run->experiment->measure[m].unit);
        ts_json_add_number(json, "value", measured->told ? measured->value : (double)NAN);
        ts_json_add_number(json, "reference", measured->told ? measured->reference : (double)NAN);
        ts_json_add_number(json, "tolerance", measured->told ? measured->tolerance : (double)NAN);
        ts_json_add_number(json, "theory", measured->foretold ? measured->theory : (double)NAN);
        const char* reason;
        ts_json_add_string(json, "forecast", ts_outlook_name(ts_lab_outlook(run, m, &reason)));
        ts_json_add_string(json, "why", reason);
        ts_json_add_string(json, "verdict", ts_verdict_name(ts_lab_verdict(run, m)));
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
    ts_text_free(&why);
}

// The worst books of all, or null.
static void write_ledger(const ts_scorecard* card, ts_json* json) {
    int kept;
    const ts_lab_run* worst = ts_scorecard_worst_ledger(card, &kept);
    ts_json_add_object(json, "ledger");
    ts_json_add_integer(json, "runs", kept);
    ts_json_add_string(json, "experiment", worst ? worst->experiment->name : NULL);
    ts_json_add_number(json, "value", worst && worst->experiment->parameter ? worst->value : (double)NAN);
    ts_json_add_string(json, "engine", worst ? worst->engine : NULL);
    ts_json_add_integer(json, "step", worst ? worst->ledger_step : 0);
    ts_json_add_number(json, "share", worst ? worst->ledger_share : (double)NAN);
    ts_json_add_bool(json, "closes", worst && ts_scorecard_ledger_closes(worst));
    ts_json_object_end(json);
}

void ts_scorecard_json(const ts_scorecard* card, ts_json* json) {
    ts_json_object(json);
    ts_json_add_string(json, "command", card->command);
    ts_json_add_number(json, "seconds", card->seconds);
    ts_json_add_bool(json, "interrupted", card->interrupted);
    ts_json_add_number(json, "time_limit", card->limit);
    write_ledger(card, json);
    ts_json_add_array(json, "experiments");
    for (int e = 0; e < card->experiment_count; ++e) {
        const ts_experiment* experiment = card->experiment[e];
        ts_json_object(json);
        ts_json_add_string(json, "name", experiment->name);
        ts_json_add_string(json, "source", experiment->source);
        ts_json_add_string(json, "summary", experiment->summary);
        ts_json_add_string(json, "parameter", experiment->parameter);
        ts_json_add_array(json, "runs");
        for (int i = card->first[e]; i < card->first[e + 1]; ++i) write_run(card, &card->run[i], json);
        ts_json_array_end(json);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}
