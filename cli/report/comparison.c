// A comparison as a table for people, and as JSON for programs.
#include "cli/report/comparison_internal.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/report/replay_internal.h"
#include "cli/report/report_internal.h"
#include "cli/setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* label_of(const ts_comparison* comparison, int i, char* label) {
    ts_series_label(&comparison->series[i], label);
    return label;
}

int ts_comparison_leader(const ts_comparison* comparison, int group) {
    int reference = comparison->frame.reference, best = -1;
    if (reference >= 0 && comparison->finding[reference].group == group) return reference;
    for (int i = 0; i < comparison->count; ++i) {
        if (comparison->finding[i].group != group) continue;
        if (best < 0 ||
            ts_stats_unconverged(&comparison->series[i].stats) < ts_stats_unconverged(&comparison->series[best].stats))
            best = i;
    }
    return best;
}

void ts_comparison_words(const ts_comparison* comparison, int group, ts_text* text) {
    char label[TS_SERIES_LABEL];
    int leader = ts_comparison_leader(comparison, group);
    ts_findings_words(comparison->series, &comparison->frame, leader, &comparison->finding[leader], text);
    for (int i = 0; i < comparison->count; ++i) {
        const ts_stats* stats = &comparison->series[i].stats;
        if (comparison->finding[i].group == group && i != leader && ts_stats_unconverged(stats) > 0)
            ts_text_add(text, "Of %s %lld of %lld steps did not converge. ", label_of(comparison, i, label),
                        ts_stats_unconverged(stats), stats->steps);
    }
}

ts_code ts_comparison_start(const ts_comparison* comparison, int i, ts_sim** out_sim, ts_status* out_status) {
    const ts_args* args = comparison->args;
    ts_code code = ts_sim_create(comparison->scene->model, args->threads > 0 ? args->threads : 1, out_sim, out_status);
    if (code == TS_OK) code = ts_setup_configure(*out_sim, args, comparison->series[i].solver, 1, out_status);
    if (code == TS_OK && comparison->controls) ts_controls_follow(comparison->controls, *out_sim);
    if (code == TS_OK && comparison->series[i].integrator[0])
        code = ts_sim_set(*out_sim, "integrator", comparison->series[i].integrator, out_status);
    return code == TS_OK ? ts_sim_forward(*out_sim, out_status) : code;
}

void ts_comparison_replay(const ts_comparison* comparison, int i, double time, ts_text* text) {
    const char* scene =
        comparison->experiment ? ts_experiment_scene(comparison->experiment) : comparison->args->subject;
    ts_replay_view(comparison->args, scene, comparison->series[i].solver, comparison->series[i].integrator, text);
    ts_replay_time(time, text);
}

void ts_comparison_members(const ts_comparison* comparison, int group, ts_text* text) {
    char label[TS_SERIES_LABEL];
    int leader = ts_comparison_leader(comparison, group);
    ts_text_add(text, "%s", label_of(comparison, leader, label));
    for (int i = 0; i < comparison->count; ++i)
        if (comparison->finding[i].group == group && i != leader)
            ts_text_add(text, ", %s", label_of(comparison, i, label));
}

int ts_comparison_finished(const ts_comparison* comparison) {
    int finished = 0;
    for (int i = 0; i < comparison->count; ++i) finished += comparison->series[i].code == TS_OK;
    return finished;
}

// Puts words into lines of at most `width` characters, indented.
static void add_wrapped(ts_text* text, const char* words, int indent, int width) {
    int column = 0;
    for (const char* c = words; *c;) {
        while (*c == ' ') ++c;
        int length = (int)strcspn(c, " ");
        if (length == 0) break;
        if (column > 0 && column + 1 + length > width) {
            ts_text_add(text, "\n");
            column = 0;
        }
        if (column == 0)
            for (int i = 0; i < indent; ++i) ts_text_add_bytes(text, " ", 1);
        else
            ts_text_add_bytes(text, " ", 1);
        ts_text_add_bytes(text, c, (size_t)length);
        column += length + 1;
        c += length;
    }
    ts_text_add(text, "\n");
}

static void add_cell(ts_text* text, double value, const char* unit, int width) {
    ts_text quantity = {0};
    ts_stats_add_quantity(&quantity, value, unit);
    ts_console_pad(text, ts_text_get(&quantity), width);
    ts_text_free(&quantity);
}

static void add_row(ts_text* text, const ts_comparison* comparison, int i) {
    const ts_series* series = &comparison->series[i];
    const ts_stats* stats = &series->stats;
    double change = stats->energy_last.kinetic + stats->energy_last.potential - stats->energy_first.kinetic -
                    stats->energy_first.potential;
    char cell[64], label[TS_SERIES_LABEL];
    ts_console_pad(text, label_of(comparison, i, label), 20);
    ts_text_add(text, " %-6s %9.1e  %9.1e ", ts_contact_law_name(series->law), stats->worst_unmet,
                stats->worst_natural);
    add_cell(text, stats->worst_figure[TS_FIGURE_APPROACH], "m/s", 13);
    add_cell(text, stats->worst_figure[TS_FIGURE_OFF_CONE], "N", 13);
    snprintf(cell, sizeof cell, "%lld/%lld", ts_stats_unconverged(stats), stats->steps);
    ts_text_add(text, "%13s  ", cell);
    add_cell(text, change, "J", 13);
    add_cell(text, stats->worst_penetration, "m", 12);
    ts_text_add(text, "%7.4g /%6d  %8.3g us\n", ts_stats_iterations_mean(stats), stats->iterations_most,
                1e6 * ts_stats_seconds_median(stats));
}

void ts_comparison_text(const ts_comparison* comparison, ts_text* text) {
    ts_text_add(text, "%s, %g s at time step %g s\n", comparison->scene->name, comparison->duration,
                comparison->options.time_step);
    if (comparison->experiment)
        ts_text_add(text, "%s: %s\n", comparison->experiment->source, comparison->experiment->summary);
    ts_text_add(text,
                "\n%-20s law      own law  exact law  approach     off cone        unconverged  energy       "
                "deepest        iterations       step\n",
                "solver");
    for (int i = 0; i < comparison->count; ++i) add_row(text, comparison, i);
    ts_text_add(
        text, "Own law, exact law: share of the problem left unmet, the worst of the run; the exact law (NCP) on rigid "
              "contacts.\nApproach and friction off the cone: worst, against the exact law. Iterations: mean / most. "
              "Step: median.\n\n");
    for (int g = 0; g < comparison->groups; ++g) {
        ts_text words = {0};
        ts_comparison_words(comparison, g, &words);
        ts_comparison_members(comparison, g, text);
        ts_text_add(text, "\n");
        add_wrapped(text, ts_text_get(&words), 4, 100);
        ts_text_free(&words);
    }
    if (comparison->interrupted)
        ts_text_add(text, "\nStopped by a signal: %d of %d solvers were begun, %d reached the end.\n",
                    comparison->count, comparison->planned, ts_comparison_finished(comparison));
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static void add_finding(ts_json* json, const ts_comparison* comparison, int i) {
    const ts_finding* finding = &comparison->finding[i];
    ts_json_add_object(json, "finding");
    ts_json_add_bool(json, "is_reference", finding->is_reference);
    ts_json_add_integer(json, "group", finding->group);
    ts_json_add_number(json, "along", finding->along);
    ts_json_add_number(json, "sideways", finding->side);
    ts_json_add_number(json, "sideways_max", finding->side_most);
    ts_json_add_number(json, "rise_max", finding->rise_most);
    ts_json_add_number(json, "sink_max", finding->sink_most);
    ts_json_add_number(json, "distance_max", finding->away_most);
    ts_json_add_number(json, "final_turn", finding->turn);
    ts_json_add_number(json, "energy_above_max", finding->energy_more);
    ts_json_add_number(json, "energy_below_max", finding->energy_less);
    ts_json_add_number(json, "opening_speed", finding->opening);
    ts_json_add_number(json, "opening_over_mu_slip", finding->opening_part);
    ts_json_add_number(json, "slip_angle", finding->slip_angle);
    ts_json_add_number(json, "inner_friction_max", finding->inner_friction);
    ts_text words = {0};
    ts_findings_words(comparison->series, &comparison->frame, i, finding, &words);
    while (words.length > 0 && words.data[words.length - 1] == ' ') words.data[--words.length] = '\0';
    ts_json_add_string(json, "words", ts_text_get(&words));
    ts_text_free(&words);
    ts_json_object_end(json);
}

static void add_solver(ts_json* json, const ts_comparison* comparison, int i) {
    const ts_series* series = &comparison->series[i];
    const ts_sample* last = ts_series_last(series);
    ts_json_object(json);
    ts_json_add_string(json, "name", series->solver);
    ts_json_add_string(json, "integrator", series->integrator[0] ? series->integrator : NULL);
    ts_json_add_string(json, "law", ts_contact_law_name(series->law));
    ts_json_add_bool(json, "finished", series->code == TS_OK);
    ts_json_key(json, "error");
    ts_console_json_error(json, series->code ? &series->status : NULL, TS_EXIT_FAILED);
    ts_stats_json(&series->stats, ts_solver_find(series->solver), json);
    ts_json_add_number(json, "wall_seconds", series->wall);
    if (last && series->focus >= 0) {
        ts_report_json_vector(json, "final_position", last->position);
        ts_report_json_vector(json, "final_velocity", last->velocity);
    }
    ts_json_key(json, "worst_step");
    ts_worst_step_json(&series->worst, json);
    ts_text replay = {0};
    if (series->worst.step > 0) ts_comparison_replay(comparison, i, series->worst.time, &replay);
    ts_json_add_string(json, "worst_step_replay", replay.length > 0 ? ts_text_get(&replay) : NULL);
    ts_text_free(&replay);
    add_finding(json, comparison, i);
    ts_json_object_end(json);
}

void ts_comparison_json(const ts_comparison* comparison, ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "scene", comparison->scene->name);
    ts_json_add_string(&json, "experiment", comparison->experiment ? comparison->experiment->name : NULL);
    ts_json_add_string(&json, "focus", comparison->focus[0] ? comparison->focus : NULL);
    ts_json_add_number(&json, "time_step", comparison->options.time_step);
    ts_json_add_number(&json, "duration", comparison->duration);
    ts_json_add_bool(&json, "interrupted", comparison->interrupted);
    ts_json_add_integer(&json, "solvers_planned", comparison->planned);
    ts_json_add_string(&json, "reference",
                       comparison->frame.reference >= 0 ? comparison->series[comparison->frame.reference].solver
                                                        : NULL);
    ts_json_add_string(&json, "command", ts_text_get(&comparison->command));
    ts_json_add_array(&json, "solvers");
    for (int i = 0; i < comparison->count; ++i) add_solver(&json, comparison, i);
    ts_json_array_end(&json);
    ts_json_key(&json, "convergence");
    ts_convergence_json(comparison, &json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}
