// Problem: tell at a glance what runs and how good it is. Rule: one panel with the scene, the solver and two shares that are unmet, its
// own law's and the exact law's, with a chart of both over past steps on a logarithmic scale; a legend of
// contact colours with counts; help on request. Guaranteed: reads the simulation only.
#include "viewer/ui_internal.h"

#include "scenes/scene_look.h"
#include "viewer/scene_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The chart's range, powers of ten of what is unmet.
static const double chart_low = -13.0;
static const double chart_high = 1.0;

static const float color_panel[4] = {0.07f, 0.09f, 0.12f, 0.66f};
static const float color_title[4] = {1.0f, 1.0f, 1.0f, 1.0f};
static const float color_text[4] = {0.86f, 0.89f, 0.92f, 1.0f};
static const float color_dim[4] = {0.62f, 0.67f, 0.73f, 1.0f};
static const float color_own[4] = {0.45f, 0.74f, 1.0f, 1.0f};
static const float color_exact[4] = {1.0f, 0.66f, 0.36f, 1.0f};
static const float color_rule[4] = {1.0f, 1.0f, 1.0f, 0.12f};

void ts_ui_set_title(ts_ui* ui, const ts_loaded_scene* scene) {
    const char* own = scene->model->name;
    if (own[0] && strpbrk(scene->name, "/."))
        snprintf(ui->title, sizeof ui->title, "%.70s (%.80s)", own, scene->name);
    else
        snprintf(ui->title, sizeof ui->title, "%.150s", scene->name);
}

static float log_share(double value) {
    if (!(value > 0.0)) return isnan(value) ? (float)chart_high : (float)chart_low;
    return (float)fmin(chart_high, fmax(chart_low, log10(value)));
}

void ts_ui_note(ts_ui* ui, double own, double exact) {
    ui->own[ui->history_next] = log_share(own);
    ui->exact[ui->history_next] = log_share(exact);
    ui->history_next = (ui->history_next + 1) % TS_UI_HISTORY;
    if (ui->history_count < TS_UI_HISTORY) ++ui->history_count;
}

void ts_ui_note_step(ts_ui* ui, const ts_sim* sim) { ts_ui_note(ui, sim->info.unmet, sim->info.residual.natural); }

void ts_ui_clear(ts_ui* ui) { ui->history_next = ui->history_count = 0; }

// One dot per step and curve, on rules four decades apart that are named at their right ends.
static void add_chart(const ts_ui* ui, ts_overlay* overlay, double x, double y, double width, double height) {
    double unit = overlay->unit, dot = ceil(unit);
    ts_overlay_set_size(overlay, 4.5 * unit);
    double name = ts_overlay_text_width(overlay, "1e-12 ");
    width -= name;
    for (int power = -12; power <= 0; power += 4) {
        double at = y + height * (chart_high - (double)power) / (chart_high - chart_low);
        char text[8];
        snprintf(text, sizeof text, power ? "1e%d" : "1", power);
        ts_overlay_add_rectangle(overlay, x, at, width, 1.0, color_rule);
        ts_overlay_add_text(overlay, x + width + 0.1 * name, at - 4.0 * overlay->unit, text, color_dim);
    }
    overlay->unit = unit;
    int first = ui->history_next - ui->history_count + TS_UI_HISTORY;
    for (int i = 0; i < ui->history_count; ++i) {
        int slot = (first + i) % TS_UI_HISTORY;
        double at_x = x + (width - dot) * (double)(TS_UI_HISTORY - ui->history_count + i) / (double)(TS_UI_HISTORY - 1);
        double range = (height - dot) / (chart_high - chart_low);
        ts_overlay_add_rectangle(overlay, at_x, y + range * (chart_high - (double)ui->exact[slot]), dot, dot,
                                 color_exact);
        ts_overlay_add_rectangle(overlay, at_x, y + range * (chart_high - (double)ui->own[slot]), dot, dot, color_own);
    }
}

// "label value" with the label dimmed; returns the next line's height.
static double add_row(ts_overlay* overlay, double x, double y, const char* label, const char* value,
                      const float color[4]) {
    ts_overlay_add_text(overlay, x, y, label, color_dim);
    ts_overlay_add_text(overlay, x + ts_overlay_text_width(overlay, "contacts  "), y, value, color);
    return y + ts_overlay_line_height(overlay);
}

static void add_panel(const ts_ui* ui, const ts_sim* sim, ts_overlay* overlay) {
    double s = overlay->unit;
    double line = ts_overlay_line_height(overlay);
    double margin = 6.0 * s;
    double left = margin, top = margin;
    double x = left + margin;
    double y = top + margin;
    double chart = 34.0 * s;
    int rows = 7 + (ui->window ? 2 : 0);
    double width = ts_overlay_text_width(overlay, "contacts  ") + 24.0 * ts_overlay_text_width(overlay, "0");
    width = fmax(width, ts_overlay_text_width(overlay, ui->title));
    ts_overlay_add_rectangle(overlay, left, top, width + 2.0 * margin,
                             (double)rows * line + 4.0 * s + chart + 2.0 * margin, color_panel);
    ts_overlay_add_text(overlay, x, y, ui->title, color_title);
    y += line + 2.0 * s;

    char text[96];
    const ts_step_info* info = &sim->info;
    snprintf(text, sizeof text, "%s (%s)", sim->solver ? sim->solver->name : sim->options.solver,
             sim->solver ? ts_contact_law_name(sim->solver->law) : "?");
    y = add_row(overlay, x, y, "solver", text, color_text);
    if (ui->waiting > 0)
        snprintf(text, sizeof text, "%.3f s  next step: %d s", sim->time, ui->waiting);
    else
        snprintf(text, sizeof text, "%.3f s%s", sim->time, ui->paused ? "  paused" : "");
    y = add_row(overlay, x, y, "time", text, color_text);
    if (ui->window) {
        snprintf(text, sizeof text, "\xC3\x97%g (now %.2g)  %.0f fps", ui->speed, ui->rate, ui->frames_per_second);
        y = add_row(overlay, x, y, "speed", text, color_text);
        snprintf(text, sizeof text, ui->memory < 1e6 ? "%.0f kB" : "%.1f MB",
                 ui->memory * (ui->memory < 1e6 ? 1e-3 : 1e-6));
        y = add_row(overlay, x, y, "memory", text, color_text);
    }
    int islands = ui->window ? info->islands.islands : 0;
    snprintf(text, sizeof text, islands > 0 ? "%d in %d island%s" : "%d", sim->contact_count, islands,
             islands == 1 ? "" : "s");
    y = add_row(overlay, x, y, "contacts", text, color_text);
    // Without rows nothing was solved, and there is no residual to speak of.
    int solved = info->row_count > 0;
    snprintf(text, sizeof text, "%s, %d it", ts_solve_status_name(info->solve.status), info->solve.iterations);
    y = add_row(overlay, x, y, "solve", solved ? text : "-", color_text);
    snprintf(text, sizeof text, "%.1e unmet", info->unmet);
    y = add_row(overlay, x, y, "own law", solved ? text : "-", color_own);
    snprintf(text, sizeof text, "%.1e unmet", info->residual.natural);
    y = add_row(overlay, x, y, "exact", solved ? text : "-", color_exact);
    add_chart(ui, overlay, x, y + 2.0 * s, width, chart);
}

// A coloured square, the name and how many contacts are in that mode. Returns where it ends.
static double add_legend(const ts_ui* ui, const ts_sim* sim, int height, ts_overlay* overlay) {
    static const ts_contact_mode order[TS_MODE_COUNT] = {TS_MODE_STICK, TS_MODE_SLIDE, TS_MODE_OPEN, TS_MODE_VIOLATED};
    int count[TS_MODE_COUNT] = {0};
    ts_arena arena = {0};
    const ts_contact_mode* mode = ui->mode_count ? NULL : ts_certify_contacts(sim, &arena);
    for (int c = 0; mode && c < sim->contact_count; ++c) ++count[mode[c]];
    if (ui->mode_count) memcpy(count, ui->mode_count, sizeof count);
    ts_arena_free(&arena);
    double s = overlay->unit;
    double margin = 6.0 * s;
    double line = ts_overlay_line_height(overlay);
    char text[TS_MODE_COUNT][48];
    double width = margin;
    for (int i = 0; i < TS_MODE_COUNT; ++i) {
        snprintf(text[i], sizeof text[i], "%s %d", ts_contact_mode_name(order[i]), count[order[i]]);
        width += 10.0 * s + ts_overlay_text_width(overlay, text[i]) + 2.0 * margin;
    }
    double top = (double)height - margin - line - margin, left = margin;
    ts_overlay_add_rectangle(overlay, left, top, width, line + margin, color_panel);
    double x = left + margin;
    for (int i = 0; i < TS_MODE_COUNT; ++i) {
        ts_overlay_add_rectangle(overlay, x, top + 0.5 * margin + s, 7.0 * s, 7.0 * s,
                                 ts_scene_look_mode_color(order[i]));
        x += 10.0 * s;
        x += ts_overlay_add_text(overlay, x, top + 0.5 * margin + s, text[i], color_text) + 2.0 * margin;
    }
    return left + width;
}

// What there is to say, or where help is to be had, in the lower right corner.
static void add_note(const ts_ui* ui, double legend, int width, int height, ts_overlay* overlay) {
    const char* note = ui->message[0] ? ui->message : (ui->window ? "F1 help" : "");
    if (!note[0]) return;
    double s = overlay->unit;
    double margin = 6.0 * s;
    double line = ts_overlay_line_height(overlay);
    double w = ts_overlay_text_width(overlay, note) + 2.0 * margin;
    double x = (double)width - w - margin;
    double y = (double)height - line - 2.0 * margin;
    // Above the legend, and above the bar of forces beside it, where there is no room beside the legend.
    if (x < legend) y -= 2.0 * (line + 2.0 * margin);
    ts_overlay_add_rectangle(overlay, x, y, w, line + margin, color_panel);
    ts_overlay_add_text(overlay, x + margin, y + 0.5 * margin + s, note, color_text);
}

void ts_ui_add_note(const ts_ui* ui, int width, int height, ts_overlay* overlay) {
    add_note(ui, 0.0, width, height, overlay);
}

void ts_ui_fill(const ts_ui* ui, const ts_sim* sim, int width, int height, ts_overlay* overlay) {
    ts_overlay_begin(overlay, height);
    if (ui->panel) add_panel(ui, sim, overlay);
    double legend = ui->panel && ui->legend ? add_legend(ui, sim, height, overlay) : 0.0;
    if (ui->panel) add_note(ui, legend, width, height, overlay);
}
