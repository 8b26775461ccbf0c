// A scorecard as a page that opens from disk: the conjunction, a summary, then every experiment with its curve and its numbers.
#include "cli/scorecard/scorecard_internal.h"

#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What a plot shows of a run: every second, fourth, ... sample.
enum { CURVE_SAMPLES = 128 };

static const char style[] =
    "<style>.pass{color:#1a7f4b}.foreseen{color:var(--soft)}.fail{color:var(--warn);font-weight:700}.lucky{color:#"
    "1a7f4b;"
    "font-style:italic}.open{color:#8a6d1a}.broken{color:var(--warn)}@media "
    "(prefers-color-scheme:dark){.pass,.lucky{color:#5fd39a}.open{color:#d9b95a}}"
    "td.pass{font-weight:600}.few thead th{white-space:normal}section{margin-top:26px}.rules{margin:6px "
    "0;padding-left:18px;color:var(--soft);font-size:13.5px}"
    ".split{display:grid;gap:14px;grid-template-columns:minmax(0,1fr)}@media "
    "(min-width:1000px){.split{grid-template-columns:460px "
    "minmax(0,1fr)}}.key{display:inline-flex;gap:5px;align-items:center}th,td{vertical-align:top}</style>\n";

static const char* verdict_class(ts_verdict verdict) {
    static const char* const classes[TS_VERDICT_COUNT] = {"pass",   "foreseen", "fail", "lucky",
                                                          "broken", "hint",     "open"};
    return classes[verdict];
}

static void add_heads(const ts_scorecard* card, ts_text* text) {
    for (int k = 0; k < card->entrant_count; ++k)
        ts_report_escaped(text, "<th>", ts_lab_entrant_name(&card->entrant[k]), "</th>");
}

static void add_cell(const ts_lab_run* run, int m, ts_text* text) {
    char number[32];
    ts_verdict verdict = ts_lab_verdict(run, m);
    ts_scorecard_number(&run->measured[m], number);
    const char* why;
    ts_lab_outlook(run, m, &why);
    ts_text_add(text, "<td class=\"%s\" title=\"%s", verdict_class(verdict), ts_verdict_name(verdict));
    if (why && run->measured[m].told) ts_report_escaped(text, ": ", why, "");
    if (run->measured[m].foretold)
        ts_text_add(text, "; theory says %.5g for this kind of model", run->measured[m].theory);
    if (run->code) ts_report_escaped(text, ": ", run->status.message, "");
    ts_text_add(text, "\">%s</td>", number);
}

static void add_conjunction(const ts_scorecard* card, ts_text* text) {
    ts_conjunct column[16];
    int columns = ts_scorecard_conjunction(card, 16, column);
    if (columns == 0) return;
    ts_text_add(text, "<h2>The conjunction</h2><p class=\"hint\">All of them should be zero, at once.</p><div "
                      "class=\"wide few\"><table>"
                      "<thead><tr><th></th>");
    for (int c = 0; c < columns; ++c) ts_report_escaped(text, "<th>", column[c].heading, "</th>");
    ts_text_add(text, "</tr></thead><tbody>");
    for (int k = 0; k < card->entrant_count; ++k) {
        ts_report_escaped(text, "<tr><th>", ts_lab_entrant_name(&card->entrant[k]), "</th>");
        for (int c = 0; c < columns; ++c)
            add_cell(ts_scorecard_run(card, column[c].experiment, column[c].value, k), column[c].measure, text);
        ts_text_add(text, "</tr>\n");
    }
    ts_text_add(text, "</tbody></table></div>\n");
}

static void add_summary(const ts_scorecard* card, ts_text* text) {
    ts_text_add(text, "<h2>All experiments</h2><p class=\"hint\">Measures passed of those taken. <span "
                      "class=\"foreseen\">f: missed as theory "
                      "foresees</span>; <span class=\"fail\">F: missed though nothing in the law says so</span>; <span "
                      "class=\"lucky\">u: passed "
                      "unforeseen</span>; <span class=\"open\">n: theory has no forecast</span>; <span "
                      "class=\"broken\">b: broken off</span>; -: not run, the engine has not "
                      "what it takes or does not tell it.</p><div "
                      "class=\"wide\"><table><thead><tr><th></th>");
    add_heads(card, text);
    ts_text_add(text, "</tr></thead><tbody>");
    for (int e = 0; e < card->experiment_count; ++e) {
        const ts_experiment* experiment = card->experiment[e];
        if (experiment->measure_count == 0) continue;
        ts_text_add(text, "<tr><th><a href=\"#%s\">%s</a></th>", experiment->name, experiment->name);
        for (int k = 0; k < card->entrant_count; ++k) {
            int n[TS_VERDICT_COUNT], all = 0;
            static const char letter[TS_VERDICT_COUNT] = {0, 'f', 'F', 'u', 'b', 0, 'n'};
            ts_scorecard_tally(card, e, k, n);
            for (int v = 0; v < TS_VERDICT_COUNT; ++v) all += v == TS_VERDICT_NOT_RUN ? 0 : n[v];
            if (all == 0) {
                ts_text_add(text, "<td>-</td>");
                continue;
            }
            ts_text_add(text, "<td><span class=\"pass\">%d/%d</span>", ts_scorecard_passed(card, e, k), all);
            for (int v = 0; v < TS_VERDICT_COUNT; ++v)
                if (letter[v] && n[v])
                    ts_text_add(text, " <span class=\"%s\">%d%c</span>", verdict_class((ts_verdict)v), n[v], letter[v]);
            ts_text_add(text, "</td>");
        }
        ts_text_add(text, "</tr>\n");
    }
    ts_text_add(text, "</tbody></table></div>\n");
    ts_text cut = {0}, ledger = {0};
    ts_scorecard_cut_short(card, &cut);
    if (cut.length > 0) ts_report_escaped(text, "<p class=\"broken\">", ts_text_get(&cut), "</p>\n");
    const ts_lab_run* worst = ts_scorecard_worst_ledger(card, NULL);
    ts_scorecard_ledger(card, &ledger);
    if (worst)
        ts_report_escaped(text, ts_scorecard_ledger_closes(worst) ? "<p class=\"hint\">" : "<p class=\"fail\">",
                          ts_text_get(&ledger), "</p>\n");
    ts_text_free(&cut);
    ts_text_free(&ledger);
}

// The signal of every entrant at the value that is shown.
static void add_plot(const ts_scorecard* card, int e, ts_page_files* files, ts_text* text) {
    const char* label[TS_SCORECARD_ENTRANTS];
    const ts_experiment* experiment = card->experiment[e];
    ts_svg_curve* curve = (ts_svg_curve*)calloc((size_t)card->entrant_count, sizeof *curve);
    double* number = (double*)malloc((size_t)card->entrant_count * 2 * CURVE_SAMPLES * sizeof *number);
    int curves = 0;
    for (int k = 0; curve && number && k < card->entrant_count; ++k) {
        const ts_lab_run* run = ts_scorecard_run(card, e, 0, k);
        double *x = number + (size_t)(2 * k) * CURVE_SAMPLES, *y = x + CURVE_SAMPLES;
        int stride = (run->samples + CURVE_SAMPLES - 1) / CURVE_SAMPLES, count = 0;
        for (int i = 0; stride > 0 && i < run->samples; i += stride, ++count) {
            x[count] = run->sample_time[i];
            y[count] = run->sample[i];
        }
        ts_svg_curve one = {x, y, count, k};
        if (count > 1) label[curves] = ts_lab_entrant_name(&card->entrant[k]);
        if (count > 1) curve[curves++] = one;
    }
    if (!curve || !number) text->failed = 1;
    if (curves > 0) {
        ts_svg_plot plot = {.title = experiment->signal,
                            .x_label = "time",
                            .x_unit = "s",
                            .y_label = "",
                            .y_unit = "",
                            .width = 440,
                            .height = 270,
                            .y_span = 1e-6,
                            .curve = curve,
                            .curve_count = curves,
                            .style_count = card->entrant_count,
                            .label = label};
        char caption[128] = "";
        if (experiment->parameter)
            snprintf(caption, sizeof caption, "%s %g", experiment->parameter, ts_experiment_value(experiment, 0));
        ts_page_plot_add(&(ts_page_plot){.plot = &plot, .name = experiment->name, .caption = caption}, files, text);
    }
    free(curve);
    free(number);
}

static void add_numbers(const ts_scorecard* card, int e, ts_text* text) {
    const ts_experiment* experiment = card->experiment[e];
    char number[32];
    ts_text_add(text, "<div class=\"wide\"><table><thead><tr><th>%s</th><th>should be</th>",
                experiment->parameter ? experiment->parameter : "");
    add_heads(card, text);
    ts_text_add(text, "</tr></thead><tbody>");
    for (int v = 0; v < ts_experiment_runs(experiment); ++v) {
        for (int m = 0; m < experiment->measure_count; ++m) {
            ts_measured should = ts_scorecard_reference(card, e, v, m);
            ts_scorecard_number(&should, number);
            ts_text_add(text, "<tr><th>");
            if (experiment->parameter) ts_text_add(text, "%g: ", ts_experiment_value(experiment, v));
            ts_report_escaped(text, "", experiment->measure[m].name, "");
            if (experiment->measure[m].unit[0]) ts_report_escaped(text, " [", experiment->measure[m].unit, "]");
            ts_text_add(text, "</th><td>%s", number);
            if (should.told) ts_text_add(text, " &plusmn; %.1g", should.tolerance);
            ts_text_add(text, "</td>");
            for (int k = 0; k < card->entrant_count; ++k) add_cell(ts_scorecard_run(card, e, v, k), m, text);
            ts_text_add(text, "</tr>\n");
        }
    }
    ts_text_add(text, "</tbody></table></div>\n");
}

static void add_experiment(const ts_scorecard* card, int e, ts_page_files* files, ts_text* text) {
    const ts_experiment* experiment = card->experiment[e];
    ts_text_add(text, "<section id=\"%s\"><h2>%s</h2>", experiment->name, experiment->name);
    ts_report_escaped(text, "<p>", experiment->summary, ". ");
    ts_report_escaped(text, "<span class=\"hint\">", experiment->source, "</span></p><ul class=\"rules\">");
    for (int m = 0; m < experiment->measure_count; ++m) {
        ts_report_escaped(text, "<li>", experiment->measure[m].name, ": ");
        ts_report_escaped(text, "", experiment->measure[m].rule, "</li>");
    }
    ts_text_add(text, "</ul><div class=\"split\"><div>");
    if (experiment->signal) add_plot(card, e, files, text);
    ts_text_add(text, "</div><div>");
    add_numbers(card, e, text);
    ts_text forecasts = {0};
    ts_scorecard_forecasts(card, e, "<li>", "</li>\n", 1, &forecasts);
    if (forecasts.length > 0)
        ts_text_add(text, "<p class=\"hint\">What theory says more finely:</p><ul class=\"rules\">%s</ul>",
                    ts_text_get(&forecasts));
    ts_text_free(&forecasts);
    ts_text_add(text, "<pre class=\"cmd\" tabindex=\"0\">touchstone compare %s --out %s</pre></div></div></section>\n",
                experiment->name, experiment->name);
}

void ts_scorecard_html(const ts_scorecard* card, ts_page_files* files, ts_text* text) {
    ts_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Scorecard</title>"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>");
    ts_report_add_style(text);
    ts_svg_css(text);
    ts_text_add(text,
                "</style>%s</head><body><main><h1>Scorecard of contact models</h1>"
                "<p class=\"lead\">Every experiment under every model, against its closed form.</p>",
                style);
    ts_report_command(card->command, text);
    ts_text_add(text, "<p class=\"hint\">%.0f s of wall clock%s</p>\n", card->seconds,
                card->interrupted ? "; <span class=\"broken\">interrupted: what was not run is missing</span>" : "");
    add_conjunction(card, text);
    add_summary(card, text);
    ts_text_add(text, "<div class=\"legend\">");
    for (int k = 0; k < card->entrant_count; ++k)
        ts_report_legend_entry(k, card->entrant_count, ts_lab_entrant_name(&card->entrant[k]), text);
    ts_text_add(text, "</div><div>\n");
    for (int e = 0; e < card->experiment_count; ++e)
        if (card->experiment[e]->measure_count > 0) add_experiment(card, e, files, text);
    ts_text_add(text, "</div></main>\n");
    ts_report_add_script(text);
    ts_text_add(text, "</body></html>\n");
}
