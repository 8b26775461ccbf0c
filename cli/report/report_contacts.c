// The worst step of every group: which contacts break which law and by how much, and where their forces lie in the cone.
#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scalar.h"

// A longer table is folded after so many rows.
enum { ROWS_IN_SIGHT = 8 };

enum { CONE_WIDTH = 340, CONE_HEIGHT = 290, CIRCLE = 96, GUIDE = CIRCLE + 8 };

// --- forces against the cone -----------------------------------------------------------------------------------------

// Every mode has a mark and a colour: what it is must be seen without its colour as well.
static const char* const mode_class[TS_MODE_COUNT] = {"open", "stick", "slide", "violated"};

// Forces of the contacts that have a cone, by mode.
typedef struct cloud {
    double x[TS_MODE_COUNT][TS_WORST_STEP_ROWS];
    double y[TS_MODE_COUNT][TS_WORST_STEP_ROWS];
    int count[TS_MODE_COUNT];
} cloud;

static void cloud_add(cloud* self, ts_contact_mode mode, double x, double y) {
    int i = self->count[mode]++;
    self->x[mode][i] = x;
    self->y[mode][i] = y;
}

// Where the plots of a group go.
typedef struct sheet {
    const char* name;
    ts_page_files* files;
    ts_text* text;
} sheet;

static void draw_cloud(const cloud* self, ts_svg_plot plot, const char* caption, const sheet* to) {
    const char* label[TS_MODE_COUNT];
    ts_svg_curve curve[TS_MODE_COUNT];
    for (int m = 0; m < TS_MODE_COUNT; ++m) curve[m] = (ts_svg_curve){self->x[m], self->y[m], self->count[m], m};
    for (int m = 0; m < TS_MODE_COUNT; ++m) label[m] = ts_contact_mode_name((ts_contact_mode)m);
    plot.label = label;
    plot.curve = curve;
    plot.curve_count = TS_MODE_COUNT;
    plot.cloud = mode_class;
    plot.width = CONE_WIDTH;
    plot.height = CONE_HEIGHT;
    ts_page_plot_add(&(ts_page_plot){.plot = &plot, .name = to->name, .css = "cone", .caption = caption, .bare = 1},
                     to->files, to->text);
}

// What all cones of a step have in common.
typedef struct cones {
    int count;
    double mu;      // of all; NAN where they differ
    double normal;  // N: the largest
} cones;

static cones cones_of(const ts_worst_step* worst) {
    cones all = {0, 0.0, 0.0};
    for (int i = 0; i < worst->row.count; ++i) {
        const ts_contact_row* row = &worst->row.data[i];
        if (!row->is_contact || !(row->mu > 0.0) || !isfinite(row->force.z) || !isfinite(row->friction)) continue;
        if (all.count > 0 && row->mu != all.mu) all.mu = (double)NAN;
        if (all.count == 0) all.mu = row->mu;
        all.normal = fmax(all.normal, row->force.z);
        all.count++;
    }
    return all;
}

static int has_cone(const ts_contact_row* row) {
    return row->is_contact && row->mu > 0.0 && isfinite(row->force.z) && isfinite(row->friction);
}

// Friction over normal force, and the cone's edge. Where coefficients differ, friction is that of a contact with 1.
static void add_side_view(const ts_worst_step* worst, const cones* all, cloud* points, const sheet* to) {
    int same = isfinite(all->mu);
    double x[2] = {0.0, all->normal}, y[2] = {0.0, all->normal * (same ? all->mu : 1.0)};
    ts_svg_curve edge = {x, y, 2, 0};
    ts_svg_plot plot = {
        .title = "Friction against normal force, and the cone", .x_label = "normal force", .x_unit = "N"};
    char caption[128];
    memset(points, 0, sizeof *points);
    for (int i = 0; i < worst->row.count; ++i) {
        const ts_contact_row* row = &worst->row.data[i];
        if (has_cone(row)) cloud_add(points, row->mode, row->force.z, row->friction / (same ? 1.0 : row->mu));
    }
    plot.y_label = same ? "friction" : "friction / \xCE\xBC";
    plot.y_unit = "N";
    plot.y_from_zero = 1;
    plot.guide = &edge;
    if (same)
        snprintf(caption, sizeof caption, "From the side. Dashed: the cone, \xCE\xBC = %g.", all->mu);
    else
        snprintf(caption, sizeof caption, "From the side, friction by its contact's \xCE\xBC. Dashed: the cone.");
    draw_cloud(points, plot, caption, to);
}

// Friction along both tangents over mu times normal force. Contacts whose normal force is noise have no such point.
static void add_top_view(const ts_worst_step* worst, const cones* all, int pyramid, cloud* points, const sheet* to) {
    static const double noise = 1e-9;  // 1: of the largest normal force of the step
    static const double square_x[] = {1.0, -1.0, -1.0, 1.0, 1.0}, square_y[] = {1.0, 1.0, -1.0, -1.0, 1.0};
    static const double farthest = 2.0;  // 1: farther points lie on that circle
    double x[GUIDE], y[GUIDE];
    int left_out = 0, count = CIRCLE + 1;
    ts_svg_plot plot = {.title = "Friction from above", .x_label = "friction along tangent 1 / \xCE\xBCN"};
    char caption[192];
    for (int i = 0; i <= CIRCLE; ++i) {
        x[i] = cos(2.0 * TS_PI * i / CIRCLE);
        y[i] = sin(2.0 * TS_PI * i / CIRCLE);
    }
    if (pyramid) {
        x[count] = y[count] = (double)NAN;
        memcpy(x + count + 1, square_x, sizeof square_x);
        memcpy(y + count + 1, square_y, sizeof square_y);
        count += 6;
    }
    ts_svg_curve edge = {x, y, count, 0};
    memset(points, 0, sizeof *points);
    for (int i = 0; i < worst->row.count; ++i) {
        const ts_contact_row* row = &worst->row.data[i];
        if (!has_cone(row)) continue;
        double reach = row->mu * row->force.z;
        if (!(row->force.z > noise * all->normal)) {
            left_out++;
            continue;
        }
        double size = hypot(row->force.x, row->force.y) / reach, shrink = size > farthest ? farthest / size : 1.0;
        cloud_add(points, row->mode, shrink * row->force.x / reach, shrink * row->force.y / reach);
    }
    plot.x_unit = plot.y_unit = "";
    plot.y_label = "along tangent 2";
    plot.path = 1;
    plot.guide = &edge;
    int length = snprintf(caption, sizeof caption, "From above. Dashed: the cone%s.",
                          pyramid ? ", and around it the pyramid that this solver uses" : "");
    if (left_out > 0)
        snprintf(caption + length, sizeof caption - (size_t)length, " %d without normal force left out.", left_out);
    draw_cloud(points, plot, caption, to);
}

static void add_cones(const ts_worst_step* worst, ts_contact_law law, const sheet* to) {
    cloud points;
    cones all = cones_of(worst);
    if (all.count == 0 || !(all.normal > 0.0)) return;
    ts_text_add(to->text, "<div class=\"cones\">");
    add_side_view(worst, &all, &points, to);
    add_top_view(worst, &all, law == TS_LAW_LCP, &points, to);
    ts_text_add(to->text, "</div>\n");
}

// --- the table -------------------------------------------------------------------------------------------------------

// The cells of one law: the share that decides, and what it is made of; noise where the law holds.
static void share_cell(ts_text* text, double share) {
    const char* class = share <= ts_certificate_tolerance ? "dim" : "warn";
    ts_text_add(text, "<td class=\"%s\">%.1e</td>", class, share);
}

static void add_row(const ts_contact_row* row, ts_text* text) {
    ts_text_add(text, "<tr><th scope=\"row\">");
    ts_svg_escape(text, row->name);
    static const char* const left_out[] = {"", " <span class=\"law\">blocked</span>",
                                           " <span class=\"law\">contradicted</span>",
                                           " <span class=\"law\">slowed</span>"};
    ts_text_add(text, "%s", left_out[row->blocked]);
    if (row->is_contact)
        ts_text_add(text, "<small>%.4f, %.4f, %.4f m</small>", ts_report_whole(row->position.x),
                    ts_report_whole(row->position.y), ts_report_whole(row->position.z));
    ts_text_add(text, "</th>");
    ts_text_add(text, "<td class=\"left mode %s\">%s</td>", mode_class[row->mode], ts_contact_mode_name(row->mode));
    if (row->is_contact)
        ts_report_cell(text, row->gap, "m");
    else
        ts_text_add(text, "<td>-</td>");
    ts_report_cell(text, row->force.z, "N");
    if (row->mu > 0.0) {
        ts_report_cell(text, row->friction, "N");
        if (row->force.z > 0.0)
            ts_text_add(text, "<td>%.3g</td>", row->friction / (row->mu * row->force.z));
        else
            ts_text_add(text, "<td>-</td>");
        ts_report_cell(text, row->slip, "m/s");
    } else {
        ts_text_add(text, "<td>-</td><td>-</td><td>-</td>");
    }
    share_cell(text, row->own_unmet);
    ts_report_figure_cell(text, row->own_force, "N", row->own_unmet);
    ts_report_figure_cell(text, row->own_velocity, "m/s", row->own_unmet);
    ts_report_figure_cell(text, row->own_power, "W", row->own_unmet);
    share_cell(text, row->exact_unmet);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        ts_report_figure_cell(text, row->figure[f], ts_figure_kind_of((ts_figure)f)->unit, row->exact_unmet);
    ts_text_add(text, "</tr>\n");
}

static void add_rows(const ts_worst_step* worst, const char* law, int first, int last, ts_text* text) {
    ts_text_add(text,
                "<div class=\"wide\"><table class=\"contacts\"><thead><tr><th rowspan=\"2\">contact</th>"
                "<th rowspan=\"2\" class=\"left\">mode</th><th rowspan=\"2\">gap</th>"
                "<th rowspan=\"2\">normal<br>force</th><th rowspan=\"2\">friction</th><th rowspan=\"2\">of "
                "\xCE\xBCN</th><th rowspan=\"2\">slip</th><th colspan=\"4\" class=\"over\">own law, %s</th>"
                "<th colspan=\"%d\" class=\"over\">exact law on rigid contacts</th></tr>"
                "<tr><th>unmet</th><th>force<br>off</th><th>velocity<br>off</th><th>power<br>left</th><th>unmet</th>",
                law, TS_FIGURE_COUNT + 1);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) ts_text_add(text, "<th>%s</th>", ts_figure_kind_of((ts_figure)f)->name);
    ts_text_add(text, "</tr></thead><tbody>\n");
    for (int i = first; i < last; ++i) add_row(&worst->row.data[i], text);
    ts_text_add(text, "</tbody></table></div>\n");
}

static void add_table(const ts_worst_step* worst, const char* law, ts_text* text) {
    int kept = worst->row.count, first = kept < ROWS_IN_SIGHT ? kept : ROWS_IN_SIGHT;
    add_rows(worst, law, 0, first, text);
    if (kept > first) {
        ts_text_add(text, "<details><summary>%d more rows</summary>", kept - first);
        add_rows(worst, law, first, kept, text);
        ts_text_add(text, "</details>\n");
    }
    if (worst->block_count > kept)
        ts_text_add(
            text,
            "<p class=\"hint\">The worst %d of %d rows; <code>touchstone run --certificate</code> writes all.</p>\n",
            kept, worst->block_count);
}

static void add_modes(const ts_worst_step* worst, ts_text* text) {
    const char* comma = "";
    for (int m = TS_MODE_COUNT - 1; m >= 0; --m) {
        if (worst->mode_count[m] == 0) continue;
        ts_text_add(text, "%s%d %s", comma, worst->mode_count[m], ts_contact_mode_name((ts_contact_mode)m));
        comma = ", ";
    }
}

static void add_group(const ts_comparison* comparison, int group, ts_page_files* files, ts_text* text) {
    int leader = ts_comparison_leader(comparison, group);
    const ts_series* series = &comparison->series[leader];
    const ts_worst_step* worst = &series->worst;
    ts_text members = {0}, command = {0};
    char label[TS_SERIES_LABEL];
    ts_series_label(series, label);
    ts_comparison_members(comparison, group, &members);
    ts_comparison_replay(comparison, leader, worst->time, &command);
    ts_text_add(text, "<article class=\"worst k%d\" id=\"worst-%d\"><h3>", group % 8, group);
    ts_svg_swatch(group, comparison->groups, text);
    ts_report_escaped(text, "<span>", ts_text_get(&members), "</span></h3>\n");
    if (worst->step == 0) {
        ts_text_add(text, "<p>Nothing touched in any step.</p>\n");
    } else {
        ts_text_add(text, "<p>%s%s, step %lld (t = %.6g s): ", label,
                    strcmp(label, ts_text_get(&members)) ? " of these" : "", worst->step, worst->time);
        add_modes(worst, text);
        ts_text_add(text, "; %.1e of the exact law unmet.</p>\n", worst->natural);
        ts_report_command(ts_text_get(&command), text);
        char name[TS_SERIES_LABEL + 16];
        snprintf(name, sizeof name, "worst step %s", label);
        add_cones(worst, series->law, &(sheet){name, files, text});
        add_table(worst, ts_contact_law_name(series->law), text);
    }
    ts_text_add(text, "</article>\n");
    ts_text_free(&members);
    ts_text_free(&command);
}

void ts_report_contacts(const ts_comparison* comparison, ts_page_files* files, ts_text* text) {
    ts_text_add(text,
                "<h2>The worst step, contact by contact</h2>\n<p class=\"hint\">Of one solver of each group the step "
                "that leaves most of the exact law unmet; worst contacts first. Dots: that law holds. ");
    for (int m = 0; m < TS_MODE_COUNT; ++m) {
        ts_text_add(text,
                    "<span class=\"key\"><svg class=\"swatch cloud %s\" viewBox=\"0 0 14 14\" width=\"14\" "
                    "height=\"14\" aria-hidden=\"true\">",
                    mode_class[m]);
        ts_svg_mark(m, 7.0, 7.0, text);
        ts_text_add(text, "</svg>%s</span> ", ts_contact_mode_name((ts_contact_mode)m));
    }
    ts_text_add(text, "</p>\n");
    for (int g = 0; g < comparison->groups; ++g) add_group(comparison, g, files, text);
}
