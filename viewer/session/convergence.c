// Problem: see how a solver got to its answer, next to what it answered. Rule: of every simulation that is shown the last solve of the step that
// is shown, as contact/trace.h notes it: the share of its own law that is unmet after so many iterations, both by powers of ten. Going back
// makes a step again, and its notes with it. Guaranteed: what is noted changes no bit of a step. Known to fail: iterations of different methods are
// different work; recordings and steps of piles (engine/step/pile.c) have no notes.
#include "viewer/session/convergence_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/solver.h"

const char ts_convergence_name[] = "convergence of this step";

// Powers of ten that are drawn.
static const double lowest = -16.0, highest = 2.0;

unsigned ts_convergence_bit(void) { return 1u << ts_chart_count(); }

int ts_convergence_has_values(const ts_shadow* shadow) {
    int points = 0;
    for (int i = 0; i < shadow->look_count; ++i) points += shadow->look[i].curve.count;
    return points > 0;
}

static double power_of(double unmet) {
    if (isnan(unmet)) return highest;
    return unmet > 0.0 ? fmin(highest, fmax(lowest, log10(unmet))) : lowest;
}

// What the axes span.
typedef struct span {
    double last;       // iteration
    double low, high;  // powers of ten
} span;

static span span_of(const ts_shadow* shadow) {
    span s = {1.0, highest, lowest};
    for (int i = 0; i < shadow->look_count; ++i) {
        const ts_solve_curve* curve = &shadow->look[i].curve;
        if (curve->count) s.last = fmax(s.last, curve->iteration[curve->count - 1]);
        for (int k = 0; k < curve->count; ++k) {
            s.low = fmin(s.low, power_of(curve->unmet[k]));
            s.high = fmax(s.high, power_of(curve->unmet[k]));
        }
    }
    s.low = floor(s.low);
    s.high = fmax(s.low + 1.0, ceil(s.high));
    return s;
}

// Curves stand to the right of the words.
static double left_of(const ts_convergence_chart* chart) { return chart->rectangle[0] + 0.48 * chart->rectangle[2]; }
static double width_of(const ts_convergence_chart* chart) { return 0.52 * chart->rectangle[2] - 2.0; }

static double x_of(const ts_convergence_chart* chart, const span* s, double iteration) {
    return left_of(chart) + width_of(chart) * log1p(iteration) / log1p(s->last);
}

static double y_of(const ts_convergence_chart* chart, const span* s, double power) {
    return chart->rectangle[1] + chart->rectangle[3] * (s->high - power) / (s->high - s->low);
}

double ts_convergence_iteration_at(const ts_convergence_chart* chart, double x) {
    span s = span_of(chart->shadow);
    double share = (x - left_of(chart)) / width_of(chart);
    return floor(expm1(fmin(1.0, fmax(0.0, share)) * log1p(s.last)) + 0.5);
}

static void draw_grid(const ts_convergence_chart* chart, const span* s, const ts_pen* pen) {
    const double* r = chart->rectangle;
    int high = (int)s->high, low = (int)s->low, every = (high - low + 3) / 4;
    char text[32];
    for (int power = high - every; power > low; power -= every) {
        const double line[4] = {left_of(chart), y_of(chart, s, power), width_of(chart), 1.0};
        pen->box(pen->user, line, chart->theme->rule);
        snprintf(text, sizeof text, "1e%d", power);
        const double at[2] = {r[0] + r[2] - pen->letter * 5.0, line[1] - 0.5 * pen->size};
        ts_chart_text(chart->theme, pen, at, text, chart->theme->dim);
    }
    const ts_sim* sim = &chart->shadow->look[chart->shadow->chosen].sim;
    double tolerance = ((const ts_solver_settings*)(const void*)sim->solver_settings)->tolerance;
    double wanted = tolerance > 0.0 ? log10(tolerance) : lowest;
    const double line[4] = {left_of(chart), y_of(chart, s, wanted), width_of(chart), 1.0};
    if (wanted > s->low && wanted < s->high) pen->box(pen->user, line, chart->theme->marked);
}

static void draw_curve(const ts_convergence_chart* chart, const span* s, int look, const ts_pen* pen) {
    const ts_solve_curve* curve = &chart->shadow->look[look].curve;
    float xy[2 * TS_CURVE_POINTS], color[4];
    ts_theme_ink(chart->theme, look, color);
    for (int k = 0; k < curve->count; ++k) {
        xy[2 * k] = (float)x_of(chart, s, curve->iteration[k]);
        xy[2 * k + 1] = (float)y_of(chart, s, power_of(curve->unmet[k]));
    }
    if (curve->count > 1) pen->line(pen->user, xy, curve->count, color);
    // A start that already was the answer has no line; a few iterations are told apart.
    for (int k = 0; k < curve->count && (k == 0 || curve->count < 12); ++k) {
        const double dot[4] = {(double)xy[2 * k] - 2.0, (double)xy[2 * k + 1] - 2.0, 4.0, 4.0};
        pen->box(pen->user, dot, color);
    }
}

// The last point at or before the iteration.
static int point_at(const ts_solve_curve* curve, double iteration) {
    int k = 0;
    while (k + 1 < curve->count && curve->iteration[k + 1] <= iteration) ++k;
    return k;
}

static void say_curve(const ts_convergence_chart* chart, const ts_look* look, char* out_text, size_t size) {
    const ts_solve_curve* curve = &look->curve;
    const ts_solve_report* report = &look->sim.info.solve;
    if (!curve->count) {
        snprintf(out_text, size, "%.40s: nothing was solved", look->name);
    } else if (chart->cursor >= 0.0) {
        int k = point_at(curve, chart->cursor);
        snprintf(out_text, size, "%.40s: %.2g after %.0f", look->name, curve->unmet[k], curve->iteration[k]);
    } else {
        const char* stage = report->stage ? ts_solver_stage_name(look->sim.solver, report->stage) : "";
        int fine = report->status == TS_SOLVE_CONVERGED;
        snprintf(out_text, size, "%.40s: %.2g after %d%s%s%s%s", look->name, curve->unmet[curve->count - 1],
                 report->iterations, stage[0] ? ", " : "", stage, fine ? "" : ", ",
                 fine ? "" : ts_solve_status_name(report->status));
    }
    size_t used = strlen(out_text);
    if (curve->missed) snprintf(out_text + used, size - used, "; %d not noted", curve->missed);
}

void ts_convergence_draw(const ts_convergence_chart* chart, const ts_pen* pen) {
    const double* r = chart->rectangle;
    const ts_shadow* shadow = chart->shadow;
    double at[2] = {r[0] + 4.0, r[1] + 2.0};
    char text[200];
    pen->box(pen->user, r, chart->theme->paper);
    if (!ts_convergence_has_values(shadow)) {
        ts_chart_text(chart->theme, pen, at, ts_convergence_name, chart->theme->plain);
        at[1] += pen->size;
        ts_chart_text(chart->theme, pen, at, "no contact was solved in it, or it was not noted", chart->theme->dim);
        return;
    }
    span s = span_of(shadow);
    draw_grid(chart, &s, pen);
    for (int i = 0; i < shadow->look_count; ++i) draw_curve(chart, &s, i, pen);
    if (chart->cursor >= 0.0) {
        const double mark[4] = {x_of(chart, &s, chart->cursor), r[1], 1.0, r[3]};
        pen->box(pen->user, mark, chart->theme->marked);
    }
    ts_chart_text(chart->theme, pen, at, ts_convergence_name, chart->theme->plain);
    snprintf(text, sizeof text, "%.0f iteration%s", s.last, s.last > 1.0 ? "s" : "");
    const double end[2] = {r[0] + r[2] - pen->letter * (double)strlen(text), r[1] + r[3] - pen->size};
    ts_chart_text(chart->theme, pen, end, text, chart->theme->dim);
    for (int i = 0; i < shadow->look_count; ++i) {
        float color[4];
        ts_theme_ink(chart->theme, i, color);
        say_curve(chart, &shadow->look[i], text, sizeof text);
        at[1] += pen->size;
        ts_chart_text(chart->theme, pen, at, text, color);
    }
}

// A name in quotes, as a name may hold a comma.
static void add_name(ts_text* text, const char* name) {
    ts_text_add(text, "\"");
    for (const char* c = name; *c; ++c) {
        if (*c == '"') ts_text_add(text, "\"");
        ts_text_add_bytes(text, c, 1);
    }
    ts_text_add(text, "\"");
}

ts_code ts_convergence_write_csv(const ts_shadow* shadow, const char* path, ts_status* out_status) {
    ts_text text = {0};
    ts_text_add(&text, "simulation,iteration,law unmet\n");
    for (int i = 0; i < shadow->look_count; ++i) {
        const ts_solve_curve* curve = &shadow->look[i].curve;
        for (int k = 0; k < curve->count; ++k) {
            add_name(&text, shadow->look[i].name);
            ts_text_add(&text, ",%.0f,%.7g\n", curve->iteration[k], curve->unmet[k]);
        }
    }
    ts_code code = ts_text_write_file(&text, path, out_status);
    ts_text_free(&text);
    return code;
}
