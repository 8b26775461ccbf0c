// The panel at the bottom: the timeline, on which a drag goes back and forth, and the charts with the same cursor.
#include "viewer/session/panels_internal.h"

#include "viewer/session/convergence_internal.h"

#include <math.h>
#include <stdio.h>

static const float mark_color[4] = {0.80f, 0.15f, 0.20f, 1.0f};

// Places of charts: one of a solve takes two.
static int place_count(const ts_session* s) {
    int places = s->charts & ts_convergence_bit() ? 2 : 0;
    for (int i = 0; i < ts_chart_count(); ++i) {
        ts_chart chart = {.strips = &s->strips};
        ts_chart_numbers(i, &chart.first, &chart.count);
        places += s->charts >> i & 1u && ts_chart_has_values(&chart);
    }
    return places;
}

// As many rows as leave every chart some width.
static int row_count(const ts_session* s, int places) {
    int fit = (int)((double)s->window_width / (9.0 * s->kit->ops->size(s->kit)));
    if (fit < 3) fit = 3;
    return places > fit ? 2 : 1;
}

double ts_panel_charts_height(const ts_session* session) {
    double line = session->kit->ops->size(session->kit), high = (double)session->window_height;
    if (row_count(session, place_count(session)) > 1) return fmin(floor(16.0 * line), floor(0.42 * high));
    return fmin(floor(9.5 * line), floor(0.3 * high));
}

static void pen_line(void* user, const float* xy, int count, const float color[4]) {
    ts_kit* kit = user;
    kit->ops->line(kit, xy, count, color);
}

static void pen_box(void* user, const double r[4], const float color[4]) {
    ts_kit* kit = user;
    kit->ops->box(kit, r, color);
}

static void pen_text(void* user, double x, double y, const char* text, const float color[4]) {
    ts_kit* kit = user;
    kit->ops->mark(kit, x, y, text, color);
}

static void go_to(ts_session* s, long long step) {
    if (step != s->shadow->sim.step_count) ts_session_ask(s, TS_ASK_SEEK, step, 0.0, NULL);
}

static void timeline(ts_session* s) {
    const ts_shadow* shadow = s->shadow;
    double line = s->kit->ops->size(s->kit);
    ts_canvas c = s->kit->ops->canvas(s->kit, "timeline", 0.0, 1.2 * line);
    double span = fmax(1.0, (double)(shadow->last - shadow->first));
    double at = (double)(shadow->sim.step_count - shadow->first) / span;
    const double all[4] = {c.x, c.y, c.width, c.height}, before[4] = {c.x, c.y, at * c.width, c.height};
    const double here[4] = {c.x + at * c.width - 3.0, c.y, 6.0, c.height};
    char text[160];
    const ts_theme* theme = ts_theme_of(s->view.dark);
    s->kit->ops->box(s->kit, all, theme->paper);
    s->kit->ops->box(s->kit, before, theme->past);
    s->kit->ops->box(s->kit, here, theme->marked);
    // A marked moment, such as the first difference of two recordings.
    double h = shadow->sim.options.time_step;
    double step = (double)shadow->sim.step_count + (s->request->mark - shadow->sim.time) / h;
    double there = (step - (double)shadow->first) / span;
    if (h > 0.0 && there >= 0.0 && there <= 1.0) {
        const double mark[4] = {c.x + there * c.width - 1.0, c.y, 3.0, c.height};
        s->kit->ops->box(s->kit, mark, mark_color);
    }
    snprintf(text, sizeof text, "step %lld of %lld to %lld, %.4f s%s", shadow->sim.step_count, shadow->first,
             shadow->last, shadow->sim.time, shadow->paused ? ", paused: drag to go back" : "");
    s->kit->ops->mark(s->kit, c.x + 8.0, c.y + 0.1 * line, text, theme->plain);
    if (!c.pressed) return;
    double where = fmin(1.0, fmax(0.0, (c.mouse_x - c.x) / c.width));
    go_to(s, shadow->first + (long long)(where * span + 0.5));
}

static void save_buttons(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    char path[256], text[300];
    ts_status status;
    ts_code code = TS_OK;
    int svg = ops->button(s->kit, "SVG", "these charts, as SCENE-STEP.svg in the current folder");
    ops->beside(s->kit);
    int png = ops->button(s->kit, "PNG", "these charts, as SCENE-STEP-charts.png in the current folder");
    ops->beside(s->kit);
    int csv = ops->button(s->kit, "CSV", "all numbers of all remembered steps, as SCENE-STEP.csv (ctrl + E)");
    ops->beside(s->kit);
    ts_session_file_name(s, svg ? ".svg" : (png ? "-charts.png" : ".csv"), path, sizeof path);
    const ts_charted all = ts_session_charted(s);
    if (!all.strips.count) return;
    if (svg) code = ts_chart_write_svg(&all, 900, path, &status);
    if (csv) {
        ts_session_write_csv(s);
        return;
    }
    if (png) s->want_charts = s->dirty = 1;
    if (!svg) return;
    if (code)
        ts_status_format(&status, text, sizeof text);
    else
        snprintf(text, sizeof text, "saved %s", path);
    ts_session_say(s, text);
}

// Beside the others, with a cursor of its own: its axis is iterations.
static void convergence(ts_session* s, const ts_pen* pen, double width, double height) {
    ts_canvas c = s->kit->ops->canvas(s->kit, "convergence", width, height);
    ts_convergence_chart chart = {s->shadow, ts_theme_of(s->view.dark), {c.x, c.y, c.width, c.height}, -1.0};
    if (c.hovered) chart.cursor = ts_convergence_iteration_at(&chart, c.mouse_x);
    ts_convergence_draw(&chart, pen);
}

void ts_panel_charts(ts_session* session) {
    ts_session* s = session;
    double line = s->kit->ops->size(s->kit);
    ts_pen pen = {s->kit, pen_line, pen_box, pen_text, line, 0.44 * line};
    save_buttons(s);
    timeline(s);
    int places = place_count(s), rows = row_count(s, places), each = (places + rows - 1) / rows, k = 0;
    if (!places) return;
    // Curves over iterations, of several simulations, are twice as wide as one over time.
    double width = ((double)s->window_width - 2.0 * pen.size) / (double)each - 7.0;
    double height = (ts_panel_charts_height(s) - 2.4 * pen.size) / (double)rows - 4.0 * (double)(rows - 1);
    if (s->charts & ts_convergence_bit()) {
        convergence(s, &pen, 2.0 * width, height);
        k = 2;
    }
    for (int i = 0; i < ts_chart_count(); ++i) {
        ts_chart chart = {
            .strips = &s->strips, .theme = ts_theme_of(s->view.dark), .cursor = s->shadow->sim.step_count};
        char label[24];
        ts_chart_numbers(i, &chart.first, &chart.count);
        if (!(s->charts >> i & 1u) || !ts_chart_has_values(&chart)) continue;
        if (k++ % each) s->kit->ops->beside(s->kit);
        snprintf(label, sizeof label, "chart %d", i);
        ts_canvas c = s->kit->ops->canvas(s->kit, label, width, height);
        const double r[4] = {c.x, c.y, c.width, c.height};
        for (int n = 0; n < 4; ++n) chart.rectangle[n] = r[n];
        // The mouse is the cursor of all of them; a press takes the simulation there.
        if (c.hovered) s->pointed = ts_chart_step_at(&chart, c.mouse_x);
        if (c.pressed) go_to(s, ts_chart_step_at(&chart, c.mouse_x));
        if (s->pointed >= 0) chart.cursor = s->pointed;
        ts_chart_draw(&chart, &pen);
    }
}
