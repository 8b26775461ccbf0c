// report.html: one self-contained page. Words and numbers per solver, plots with a common legend, and how to repeat it.
// Everything is legible without scripts; the script only switches curves on and off.
#include "cli/commands/commands.h"
#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { CARDS_BEFORE_PLOTS = 9, GROUPS_BESIDE_PICTURE = 10 };

void ts_report_escaped(ts_text* text, const char* before, const char* plain, const char* after) {
    ts_text_add(text, "%s", before);
    ts_svg_escape(text, plain);
    ts_text_add(text, "%s", after);
}

void ts_report_command(const char* command, ts_text* text) {
    ts_report_escaped(text, "<pre class=\"cmd\" tabindex=\"0\" title=\"a click copies it\">", command, "</pre>\n");
}

void ts_report_json_vector(ts_json* json, const char* key, ts_vec3 v) {
    ts_json_add_array(json, key);
    ts_json_number(json, v.x);
    ts_json_number(json, v.y);
    ts_json_number(json, v.z);
    ts_json_array_end(json);
}

static void add_head(const ts_comparison* comparison, ts_text* text) {
    const ts_options* options = &comparison->options;
    ts_text_add(text, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    ts_report_escaped(text, "<title>", comparison->scene->name, " - contact solvers compared</title>\n<style>\n");
    ts_report_add_style(text);
    ts_svg_css(text);
    ts_text_add(text, "</style></head>\n<body><main>\n");
    ts_report_escaped(text, "<h1>", comparison->scene->name, "");
    ts_text_add(text, " under %d contact solver%s</h1>\n", comparison->count, comparison->count == 1 ? "" : "s");
    if (comparison->experiment) {
        ts_report_escaped(text, "<p class=\"lead\">", comparison->experiment->summary, ".<br>");
        ts_report_escaped(text, "Reproduces: ", comparison->experiment->source, "</p>\n");
    } else {
        const ts_scene* scene = ts_scene_find(comparison->scene->name);
        if (scene) ts_report_escaped(text, "<p class=\"lead\">", scene->summary, ".</p>\n");
    }
    ts_text_add(text,
                "<ul class=\"facts\"><li>simulated <b>%g s</b></li><li>time step <b>%g ms</b></li>"
                "<li>contact margin <b>%g mm</b></li>",
                comparison->duration, 1e3 * options->time_step, 1e3 * options->contact_margin);
    if (comparison->focus[0]) ts_report_escaped(text, "<li>body in focus <b>", comparison->focus, "</b></li>");
    if (comparison->frame.reference >= 0)
        ts_report_escaped(text, "<li>reference <b>", comparison->series[comparison->frame.reference].solver,
                          "</b></li>");
    ts_text_add(text, "<li>Touchstone <b>%s</b></li></ul>\n", TS_VERSION);
    ts_report_command(ts_text_get(&comparison->command), text);
    if (comparison->replay.length > 0)
        ts_text_add(text, "<p class=\"lead\"><a href=\"replay.html\">Watch the runs side by side</a>: turn, scrub, "
                          "measure, contact by contact.</p>\n");
    if (comparison->interrupted)
        ts_text_add(text,
                    "<p class=\"cut\">Stopped before its end: %d of %d solvers were begun, %d reached the end.</p>\n",
                    comparison->count, comparison->planned, ts_comparison_finished(comparison));
}

static void add_row_picture(const ts_comparison* comparison, ts_text* text) {
    if (comparison->row_picture.length == 0) return;
    ts_text_add(text, "<div><img class=\"row\" alt=\"all solvers side by side at t = %.3g s\" src=\"%s\">",
                comparison->picture_time, ts_text_get(&comparison->row_picture));
    ts_text_add(
        text,
        "<p class=\"hint\">The scene at t = %.3g s%s, once per group of solvers; lines are paths of the body in "
        "focus. The reference has the colours of the scene, the others those of their curves. Contacts that "
        "stick are green, that slide orange, that violate the exact law red; arrows are forces. Cards show the moment "
        "that tells most of each, from the side that shows it, with the reference as an outline; frames enlarge "
        "what would be too small.</p>\n",
        comparison->picture_time,
        comparison->picture_time < comparison->duration ? ", when the runs are farthest apart" : "");
    if (comparison->loop.length > 0) {
        int slower = comparison->loop_slow >= 1.0;
        ts_text_add(text,
                    "<details class=\"loop\" open><summary>The motion, %.2g times %s than life</summary>"
                    "<img class=\"row\" alt=\"the motion of all solvers side by side\" src=\"%s\"></details>\n",
                    slower ? comparison->loop_slow : 1.0 / comparison->loop_slow, slower ? "slower" : "faster",
                    ts_text_get(&comparison->loop));
    }
    ts_text_add(text, "</div>\n");
}

// Every group in a line or two: who, how its motion departs, how well its law and the exact one are met.
static void add_glance(const ts_comparison* comparison, ts_text* text) {
    ts_text_add(text, "<ol class=\"glance\">\n");
    for (int g = 0; g < comparison->groups; ++g) {
        int i = ts_comparison_leader(comparison, g);
        const ts_series* series = &comparison->series[i];
        long long bad = ts_stats_unconverged(&series->stats);
        ts_text members = {0}, headline = {0};
        ts_comparison_members(comparison, g, &members);
        ts_findings_headline(series, &comparison->frame, &comparison->finding[i], &headline);
        ts_text_add(text, "<li class=\"k%d\"><a href=\"#group-%d\">", g % 8, g);
        ts_svg_swatch(g, comparison->groups, text);
        ts_report_escaped(text, "<b title=\"", ts_text_get(&members), "\">");
        ts_report_escaped(text, "", ts_text_get(&members), "</b></a>");
        ts_report_escaped(text, "<span>", ts_text_get(&headline), "</span><small>");
        ts_text_add(text, "%s %.0e, exact law %.0e unmet", ts_contact_law_name(series->law), series->stats.worst_unmet,
                    series->stats.worst_natural);
        if (bad > 0)
            ts_text_add(text, ", <em class=\"warn\">%lld of %lld steps unsolved</em>", bad, series->stats.steps);
        ts_text_add(text, "</small></li>\n");
        ts_text_free(&members);
        ts_text_free(&headline);
    }
    ts_text_add(text, "</ol>\n");
}

// What shows the artefact itself: the moment when the run is farthest from the reference, and its worst step.
static void add_jumps(const ts_comparison* comparison, int g, int i, ts_text* text) {
    const ts_finding* finding = &comparison->finding[i];
    if (comparison->series[i].worst.step > 0)
        ts_text_add(text, "<p class=\"hint\"><a href=\"#worst-%d\">worst step: t = %.4g s</a>%s</p>\n", g,
                    comparison->series[i].worst.time,
                    finding->away_most > comparison->frame.noise ? "; farthest from the reference:" : "");
    if (!(finding->away_most > comparison->frame.noise)) return;
    ts_text command = {0};
    ts_comparison_replay(comparison, i, finding->away_time, &command);
    ts_report_command(ts_text_get(&command), text);
    ts_text_free(&command);
}

// Cards of some groups; the first shows the reference's, if it is among them.
static void add_cards(const ts_comparison* comparison, int first, int last, ts_text* text) {
    if (first >= last) return;
    ts_text_add(text, "<h2>%s</h2>\n<div class=\"cards\">\n", first == 0 ? "What you see" : "And what else");
    for (int g = first; g < last; ++g) {
        int i = ts_comparison_leader(comparison, g);
        ts_text members = {0}, words = {0};
        ts_comparison_members(comparison, g, &members);
        ts_text_add(text, "<article class=\"card k%d\" id=\"group-%d\"><h3>", g % 8, g);
        ts_svg_swatch(g, comparison->groups, text);
        ts_report_escaped(text, "<span>", ts_text_get(&members), "</span>");
        ts_text_add(text, " <span class=\"law\">%s</span></h3>", ts_contact_law_name(comparison->series[i].law));
        if (comparison->picture[g].length)
            ts_text_add(text, "<img alt=\"the scene, with the outline of the reference\" src=\"%s\">",
                        ts_text_get(&comparison->picture[g]));
        ts_text_add(text, "<p>");
        ts_comparison_words(comparison, g, &words);
        ts_svg_escape(text, words.length ? ts_text_get(&words) : "Nothing stands out.");
        ts_text_add(text, "</p>\n");
        add_jumps(comparison, g, i, text);
        ts_text_add(text, "</article>\n");
        ts_text_free(&members);
        ts_text_free(&words);
    }
    ts_text_add(text, "</div>\n");
}

void ts_report_legend_entry(int style, int style_count, const char* label, ts_text* text) {
    ts_text_add(text, "<label><input type=\"checkbox\" checked value=\"%d\">", style);
    ts_svg_swatch(style, style_count, text);
    ts_report_escaped(text, "<span>", label, "</span></label>");
}

static void add_legend(const ts_comparison* comparison, ts_text* text) {
    ts_text_add(text, "<div class=\"legend\">");
    for (int g = 0; g < comparison->groups; ++g) {
        ts_text members = {0};
        ts_comparison_members(comparison, g, &members);
        ts_report_legend_entry(g, comparison->groups, ts_text_get(&members), text);
        ts_text_free(&members);
    }
    ts_text_add(text, "</div>\n");
}

// A residual with a bar over the decades from 1e-14 to 1e6.
static void residual_cell(ts_text* text, double value) {
    double part = value > 0.0 ? (log10(value) + 14.0) / 20.0 : 0.0;
    part = part < 0.0 ? 0.0 : (part > 1.0 ? 1.0 : part);
    ts_text_add(text, "<td class=\"bar\" style=\"--w:%.0f%%\">%.1e</td>", 100.0 * part, value);
}

void ts_report_cell(ts_text* text, double value, const char* unit) {
    ts_text_add(text, "<td>");
    ts_stats_add_quantity(text, value, unit);
    ts_text_add(text, "</td>");
}

void ts_report_figure_cell(ts_text* text, double value, const char* unit, double share) {
    if (share <= ts_certificate_tolerance)
        ts_text_add(text, "<td class=\"dim\">\xC2\xB7</td>");
    else if (value == 0.0)
        ts_text_add(text, "<td class=\"dim\">0</td>");
    else if (strcmp(unit, "deg") == 0)
        ts_text_add(text, "<td>%.3g\xC2\xB0</td>", value);
    else
        ts_report_cell(text, value, unit);
}

double ts_report_whole(double value) { return fabs(value) < 0.5e-4 ? 0.0 : value; }

// How many solves did not converge, and how they ended instead.
static void unsolved_cell(const ts_stats* stats, ts_text* text) {
    ts_text_add(text, ts_stats_unconverged(stats) > 0 ? "<td class=\"warn\">" : "<td>0");
    const char* comma = "";
    for (int status = TS_SOLVE_CONVERGED + 1; status <= TS_SOLVE_FAILED; ++status) {
        if (stats->status_count[status] == 0) continue;
        ts_text_add(text, "%s%lld %s", comma, stats->status_count[status],
                    ts_solve_status_name((ts_solve_status)status));
        comma = "<br>";
    }
    ts_text_add(text, "</td>");
}

static void add_row(const ts_comparison* comparison, int i, ts_text* text) {
    const ts_series* series = &comparison->series[i];
    const ts_stats* stats = &series->stats;
    const ts_sample* last = ts_series_last(series);
    ts_text_add(text, "<tr><th scope=\"row\">");
    ts_svg_swatch(comparison->finding[i].group, comparison->groups, text);
    char label[TS_SERIES_LABEL];
    ts_series_label(series, label);
    ts_report_escaped(text, "", label, "");
    if (comparison->focus[0] && last)
        ts_text_add(text, "<small>%.4f, %.4f, %.4f m</small>", ts_report_whole(last->position.x),
                    ts_report_whole(last->position.y), ts_report_whole(last->position.z));
    ts_text_add(text, "</th><td class=\"left\">%s</td>", ts_contact_law_name(series->law));
    residual_cell(text, stats->worst_unmet);
    residual_cell(text, stats->worst_natural);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        ts_report_figure_cell(text, stats->worst_figure[f], ts_figure_kind_of((ts_figure)f)->unit,
                              stats->worst_natural);
    unsolved_cell(stats, text);
    ts_report_cell(text,
                   stats->energy_last.kinetic + stats->energy_last.potential - stats->energy_first.kinetic -
                       stats->energy_first.potential,
                   "J");
    ts_report_cell(text, stats->worst_penetration, "m");
    ts_text_add(text, "<td>%.3g</td><td>%d</td><td>%.3g</td></tr>\n", ts_stats_iterations_mean(stats),
                stats->iterations_most, 1e6 * ts_stats_seconds_median(stats));
}

static void add_table(const ts_comparison* comparison, ts_text* text) {
    ts_text_add(
        text,
        "<h2>Numbers</h2>\n<div class=\"wide\"><table class=\"numbers\"><thead><tr><th>solver%s</th><th>law</th>"
        "<th>own law<br>unmet</th><th>exact law<br>unmet</th>",
        comparison->focus[0] ? ",<br>final position" : "");
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) ts_text_add(text, "<th>%s</th>", ts_figure_kind_of((ts_figure)f)->name);
    ts_text_add(text, "<th>steps not<br>converged</th><th>energy<br>change</th>"
                      "<th>deepest<br>penetration</th><th>iterations<br>mean</th><th>most</th>"
                      "<th>step, median<br>[\xC2\xB5s]</th></tr></thead><tbody>\n");
    for (int i = 0; i < comparison->count; ++i) add_row(comparison, i, text);
    ts_text_add(text,
                "</tbody></table></div>\n<p class=\"lead\" style=\"font-size:13.5px\">Shares and figures are the worst "
                "of the run, the figures those against the exact law on rigid contacts; bars are logarithmic. "
                "Dots: the exact law holds in every step, to a millionth.</p>\n");
}

// The settings of a run's solver as they were in force.
static void add_solver_settings(const ts_comparison* comparison, int i, ts_text* text) {
    ts_sim* sim = NULL;
    char label[TS_SERIES_LABEL];
    if (ts_comparison_start(comparison, i, &sim, NULL) == TS_OK && sim->solver) {
        ts_series_label(&comparison->series[i], label);
        ts_report_escaped(text, "<dt>", label, "</dt><dd>");
        for (int k = 0; k < ts_solver_setting_count(sim->solver); ++k) {
            const char* name = ts_solver_setting_at(sim->solver, k)->name;
            ts_text_add(text, "%s%s = %.6g", k ? ", " : "", name,
                        ts_solver_get(sim->solver, sim->solver_settings, name));
        }
        ts_text_add(text, "</dd>");
    }
    ts_sim_free(sim);
}

// Everything that was in force, so that the page alone can be repeated.
static void add_settings(const ts_comparison* comparison, ts_text* text) {
    struct utsname machine;
    ts_text_add(text, "<h2>Settings</h2>\n<details><summary>all options of the run, the settings of every solver, "
                      "versions</summary><dl>");
    for (int i = 0; i < ts_option_count(); ++i) {
        const ts_option* option = ts_option_at(i);
        char value[128];
        if (strcmp(option->name, "solver") == 0) continue;
        ts_options_get(&comparison->options, i, value, sizeof value);
        ts_report_escaped(text, "<dt>", option->name, "</dt>");
        ts_report_escaped(text, "<dd>", value, " ");
        ts_report_escaped(text, "", option->unit, " - ");
        ts_report_escaped(text, "", option->summary, "</dd>");
    }
    for (int i = 0; i < comparison->count; ++i) add_solver_settings(comparison, i, text);
    ts_report_escaped(text, "<dt>version</dt><dd>Touchstone ", TS_VERSION, ", compiled by " COMPILER "</dd>");
    if (uname(&machine) == 0)
        ts_text_add(text, "<dt>machine</dt><dd>%s, %s, %ld processors</dd>", machine.sysname, machine.machine,
                    sysconf(_SC_NPROCESSORS_ONLN));
    ts_text_add(text, "</dl></details>\n");
}

static void add_glossary(ts_text* text) {
    ts_text_add(
        text,
        "<h2>How to read this</h2>\n<dl>"
        "<dt>NCP</dt><dd>the exact law: a contact pushes or opens, never both (Signorini), and friction opposes slip "
        "with "
        "\xCE\xBC times the normal force (Coulomb).</dd>"
        "<dt>CCP</dt><dd>the convex relaxation: a sliding contact also separates, at \xCE\xBC times the slip "
        "speed.</dd>"
        "<dt>LCP</dt><dd>friction pyramids instead of cones: friction depends on the direction of slip.</dd>"
        "<dt>own law unmet</dt><dd>the share of the problem, by its own velocities and impulses, that is left unmet of "
        "the "
        "law the solver means to solve, with its own softness. It decides whether a step converged.</dd>"
        "<dt>exact law unmet</dt><dd>the same against the NCP on rigid contacts (the natural map), computed from "
        "scratch by "
        "the same code for every solver: a solver can be perfect at its own law and far from the exact one.</dd>"
        "<dt>approach, deeper per step</dt><dd>speed at which bodies still approach at a contact after the step, and "
        "how "
        "deep that takes them in one step.</dd>"
        "<dt>pull, friction off the cone</dt><dd>normal force that pulls; friction beyond \xCE\xBC times the normal "
        "force.</dd>"
        "<dt>friction off slip</dt><dd>angle between friction and the opposite of slip, each contact weighted by the "
        "work it "
        "could do.</dd>"
        "<dt>power created, complementarity</dt><dd>power a contact puts into the bodies; normal force times normal "
        "velocity.</dd>"
        "<dt>deepest penetration</dt><dd>overlap of shapes, which no law has but time stepping allows.</dd></dl>\n");
}

void ts_report_html(const ts_comparison* comparison, ts_page_files* files, ts_text* text) {
    add_head(comparison, text);
    ts_text_add(text, "<div class=\"top%s\">", comparison->groups <= GROUPS_BESIDE_PICTURE ? " few" : "");
    add_row_picture(comparison, text);
    add_glance(comparison, text);
    ts_text_add(text, "</div>\n");
    // On a small screen cards stand one above the other: plots come before there are too many.
    int first = comparison->groups < CARDS_BEFORE_PLOTS ? comparison->groups : CARDS_BEFORE_PLOTS;
    add_cards(comparison, 0, first, text);
    add_legend(comparison, text);
    ts_text_add(text, "<div class=\"plots\">\n");
    ts_report_plots(comparison, files, text);
    ts_text_add(text, "</div>\n");
    add_cards(comparison, first, comparison->groups, text);
    ts_report_convergence(comparison, files, text);
    ts_report_contacts(comparison, files, text);
    add_table(comparison, text);
    add_settings(comparison, text);
    add_glossary(text);
    ts_text_add(text, "</main>\n");
    ts_report_add_script(text);
    ts_text_add(text, "</body></html>\n");
}
