// The plots of the comparison report: which quantities, and how each is looked at.
#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_WIDTH = 440, PLOT_HEIGHT = 270 };

// A sample, and where it stands.
typedef struct moment {
    const ts_comparison* comparison;
    const ts_series* series;
    const ts_sample* sample;
} moment;

typedef double (*moment_value)(const moment* at);

// --- quantities ------------------------------------------------------------------------------------------------------

// Numbers of a step mean nothing before the first one.
static double of_step(const moment* at, double value) { return at->sample->step > 0 ? value : (double)NAN; }

static double moved_along(const moment* at, ts_vec3 direction) {
    return ts_vec3_dot(ts_vec3_sub(at->sample->position, at->series->sample.data[0].position), direction);
}

static double height_change(const moment* at) { return moved_along(at, at->comparison->frame.up); }
static double side_change(const moment* at) { return moved_along(at, at->comparison->frame.left); }

static double speed(const moment* at) {
    if (!at->comparison->frame.has_direction) return ts_vec3_norm(at->sample->velocity);
    return ts_vec3_dot(at->sample->velocity, at->comparison->frame.forward);
}

// Potential energy counted from its start, so that the plot shows what the motion does and not where zero lies.
static double energy(const moment* at) {
    return at->sample->kinetic + at->sample->potential - at->series->sample.data[0].potential;
}

static double natural(const moment* at) { return of_step(at, at->sample->natural); }
static double penetration(const moment* at) { return of_step(at, at->sample->penetration); }
static double contacts(const moment* at) { return of_step(at, (double)at->sample->contacts); }
static double iterations(const moment* at) { return of_step(at, (double)at->sample->iterations); }
static double opening(const moment* at) { return of_step(at, at->sample->motion.opening); }
static double inner_friction(const moment* at) { return of_step(at, at->sample->inner_friction); }

static double when(const moment* at) { return at->sample->time; }
static double at_x(const moment* at) { return at->sample->position.x; }
static double at_y(const moment* at) { return at->sample->position.y; }
static double at_forward(const moment* at) { return ts_vec3_dot(at->sample->position, at->comparison->frame.forward); }
static double at_left(const moment* at) { return ts_vec3_dot(at->sample->position, at->comparison->frame.left); }
static double at_up(const moment* at) { return ts_vec3_dot(at->sample->position, at->comparison->frame.up); }

// --- drawing ---------------------------------------------------------------------------------------------------------

// Numbers and names of all curves of one plot.
typedef struct curves {
    ts_svg_curve* curve;
    double* numbers;
    const double** time;
    const char** label;
    ts_text* members;
} curves;

// Where the plots go.
typedef struct sheet {
    ts_page_files* files;
    ts_text* text;
} sheet;

static int curves_make(const ts_comparison* comparison, moment_value of_x, moment_value of_y, curves* out) {
    size_t total = 0;
    for (int g = 0; g < comparison->groups; ++g)
        total += (size_t)comparison->series[ts_comparison_leader(comparison, g)].sample.count;
    out->curve = (ts_svg_curve*)calloc((size_t)comparison->groups + 1, sizeof *out->curve);
    out->numbers = (double*)malloc((3 * total + 1) * sizeof *out->numbers);
    out->time = (const double**)calloc((size_t)comparison->groups + 1, sizeof *out->time);
    out->label = (const char**)calloc((size_t)comparison->groups + 1, sizeof *out->label);
    out->members = (ts_text*)calloc((size_t)comparison->groups + 1, sizeof *out->members);
    if (!out->curve || !out->numbers || !out->time || !out->label || !out->members) return 0;
    double* next = out->numbers;
    for (int g = 0; g < comparison->groups; ++g) {
        const ts_series* series = &comparison->series[ts_comparison_leader(comparison, g)];
        int count = series->sample.count;
        for (int i = 0; i < count; ++i) {
            moment at = {comparison, series, &series->sample.data[i]};
            next[i] = of_x(&at);
            next[count + i] = of_y(&at);
            next[2 * count + i] = when(&at);
        }
        ts_svg_curve curve = {next, next + count, count, g};
        out->curve[g] = curve;
        out->time[g] = next + 2 * count;
        next += 3 * count;
        ts_comparison_members(comparison, g, &out->members[g]);
        out->label[g] = ts_text_get(&out->members[g]);
    }
    return 1;
}

static void curves_free(const ts_comparison* comparison, curves* self) {
    for (int g = 0; self->members && g < comparison->groups; ++g) ts_text_free(&self->members[g]);
    free(self->members);
    free(self->label);
    free(self->time);
    free(self->curve);
    free(self->numbers);
}

static void add_figure(const ts_comparison* comparison, ts_svg_plot plot, moment_value of_x, moment_value of_y,
                       const char* caption, const sheet* to) {
    curves all = {0};
    if (curves_make(comparison, of_x, of_y, &all)) {
        plot.curve = all.curve;
        plot.curve_count = comparison->groups;
        plot.style_count = comparison->groups;
        plot.label = all.label;
        plot.time = plot.path ? all.time : NULL;
        plot.width = PLOT_WIDTH;
        plot.height = PLOT_HEIGHT;
        ts_page_plot_add(&(ts_page_plot){.plot = &plot, .caption = caption}, to->files, to->text);
    } else {
        to->text->failed = 1;
    }
    curves_free(comparison, &all);
}

static ts_svg_plot over_time(const char* title, const char* label, const char* unit) {
    return (ts_svg_plot){.title = title, .x_label = "time", .x_unit = "s", .y_label = label, .y_unit = unit};
}

// --- the path --------------------------------------------------------------------------------------------------------

static double extent(const ts_comparison* comparison, moment_value of) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int s = 0; s < comparison->count; ++s) {
        const ts_series* series = &comparison->series[s];
        for (int i = 0; i < series->sample.count; ++i) {
            moment at = {comparison, series, &series->sample.data[i]};
            double value = of(&at);
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    return high > low ? high - low : 0.0;
}

// What is so little that a plot of it would show noise; the same for every scene, whatever its size.
static double nothing(const ts_comparison* comparison, const char* unit) {
    const ts_frame_of_reference* frame = &comparison->frame;
    static const double part = 1e-4;  // of the scene's weight
    if (strcmp(unit, "m") == 0) return 0.1 * frame->noise;
    if (strcmp(unit, "m/s") == 0) return 0.1 * frame->speed;
    if (strcmp(unit, "J") == 0) return 0.1 * frame->energy;
    return strcmp(unit, "N") == 0 ? part * frame->weight : 0.0;
}

static void add_path(const ts_comparison* comparison, const sheet* to) {
    ts_svg_plot plot = over_time("Path from above", "y", "m");
    plot.x_label = "x";
    plot.x_unit = "m";
    plot.path = 1;
    plot.y_span = 10.0 * comparison->frame.noise;
    static const char* const caption = "The circle is the start; each solver's last mark is where it ended.";
    double wide = extent(comparison, at_forward);
    double across = extent(comparison, at_left);
    double high = extent(comparison, at_up);
    if (high > 0.3 * fmax(wide, across)) {
        // Falling, swinging, climbing: there is more to see from the side.
        plot.title = "Path from the side";
        plot.x_label = wide >= across ? "along" : "across";
        plot.y_label = "height";
        add_figure(comparison, plot, wide >= across ? at_forward : at_left, at_up, caption, to);
    } else if (comparison->frame.up.z < 0.999) {
        plot.x_label = "along";
        plot.y_label = "to the left";
        add_figure(comparison, plot, at_forward, at_left, caption, to);
    } else if (extent(comparison, at_y) > extent(comparison, at_x)) {
        // The longer way lies flat on the page: the picture is turned, so x grows downwards.
        plot.x_label = "y";
        plot.y_label = "x, downwards";
        plot.y_reversed = 1;
        add_figure(comparison, plot, at_y, at_x, caption, to);
    } else {
        add_figure(comparison, plot, at_x, at_y, caption, to);
    }
}

static void add_speed(const ts_comparison* comparison, const sheet* to) {
    ts_svg_plot plot =
        over_time(comparison->frame.has_direction ? "Speed along the initial direction" : "Speed", "speed", "m/s");
    plot.y_from_zero = 1;
    plot.y_span = nothing(comparison, "m/s");
    ts_sliding_law law = comparison->sliding;
    double x[3] = {0.0, 0.0, comparison->duration};
    double y[3] = {law.initial_speed, 0.0, 0.0};
    ts_svg_curve guide = {x, y, 3, 0};
    char caption[256] = "";
    if (law.known) {
        x[1] = law.initial_speed / law.deceleration;
        if (x[1] > comparison->duration) {
            x[1] = x[2];
            y[1] = y[2] = law.initial_speed - law.deceleration * x[2];
        }
        plot.guide = &guide;
        snprintf(caption, sizeof caption,
                 "Dashed: Coulomb's law for sliding without tipping, v\xE2\x82\x80 \xE2\x88\x92 \xCE\xBC g t with "
                 "\xCE\xBC = %g.",
                 law.mu);
    }
    add_figure(comparison, plot, when, speed, caption, to);
}

// --- what is said below a plot, where it is true ---------------------------------------------------------------------

static double largest_side(const ts_comparison* comparison, int lcp_only) {
    double most = 0.0;
    for (int i = 0; i < comparison->count; ++i)
        if (!lcp_only || comparison->series[i].law == TS_LAW_LCP)
            most = fmax(most, fabs(comparison->finding[i].side_most));
    return most;
}

static const char* about_height(const ts_comparison* comparison) {
    return comparison->frame.on_floor ? "A body that slides on a floor should neither rise nor sink." : "";
}

static const char* about_side(const ts_comparison* comparison) {
    return largest_side(comparison, 1) > comparison->frame.noise
               ? "Friction that depends on the axes of a pyramid pulls sideways."
               : "";
}

static const char* about_opening(const ts_comparison* comparison) {
    for (int i = 0; i < comparison->count; ++i)
        if (comparison->series[i].law == TS_LAW_CCP && comparison->finding[i].opening > comparison->frame.speed)
            return "The exact law has zero here: a contact that pushes does not open. The convex relaxation has "
                   "\xCE\xBC times slip speed.";
    return "The exact law has zero here: a contact that pushes does not open.";
}

// What a plot needs: a body in focus, or one that starts in some direction.
typedef enum need { ALWAYS, FOCUS, DIRECTION } need;

// How its values are looked at: as they are, with zero in sight, as whole numbers at least `least` high, or logarithmic from `least` up.
typedef enum look { AROUND, FROM_ZERO, WHOLE, LOG } look;

// The plots in the order of the page: of a value over time, or drawn by a function.
static const struct figure {
    need need;
    moment_value value;
    const char *title, *label, *unit;
    look look;
    double least;
    const char* caption;
    const char* (*words)(const ts_comparison* comparison);  // in place of the caption
    void (*add)(const ts_comparison* comparison, const sheet* to);
} figures[] = {
    {FOCUS, .add = add_path},
    {FOCUS, height_change, "Height, change from the start", "height", "m", AROUND, 0.0, .words = about_height},
    {FOCUS, .add = add_speed},
    {DIRECTION, side_change, "Sideways from the initial direction", "to the left", "m", AROUND, 0.0,
     .words = about_side},
    {ALWAYS, energy, "Energy", "energy", "J", AROUND, 0.0,
     .caption = "Kinetic plus potential, the latter counted from the start."},
    {ALWAYS, natural, "What the exact law leaves unmet", "natural map", "", LOG, 1e-14,
     .caption = "Share of the problem by which forces and motion miss Signorini and Coulomb on rigid contacts, judged "
                "by the same "
                "code for all. Below "
                "10\xE2\x81\xBB\xC2\xB9\xE2\x81\xB4 drawn at the floor."},
    {ALWAYS, opening, "Opening speed of contacts that push", "opening speed", "m/s", FROM_ZERO, 0.0,
     .words = about_opening},
    {ALWAYS, penetration, "Worst penetration", "depth", "m", FROM_ZERO, 0.0,
     .caption = "Deepest overlap of any pair of geoms."},
    {FOCUS, inner_friction, "Friction forces that cancel one another", "inner friction", "N", FROM_ZERO, 0.0,
     .caption = "On the body in focus: sum of magnitudes less magnitude of the sum. Zero with one contact."},
    {ALWAYS, iterations, "Iterations per step", "iterations", "", LOG, 1.0,
     .caption = "Work of the solver; an iteration costs differently in each."},
    {ALWAYS, contacts, "Contact points", "contacts", "", WHOLE, 1.0, .caption = "In the whole scene."},
};

static void add_row(const ts_comparison* comparison, const struct figure* f, const sheet* to) {
    ts_svg_plot plot = over_time(f->title, f->label, f->unit);
    plot.y_scale = f->look == LOG ? TS_SVG_LOG : TS_SVG_LINEAR;
    plot.y_floor = f->look == LOG ? f->least : 0.0;
    plot.y_span = f->look == WHOLE ? f->least : nothing(comparison, f->unit);
    plot.y_from_zero = f->look == FROM_ZERO || f->look == WHOLE;
    plot.y_whole = f->look == WHOLE;
    add_figure(comparison, plot, when, f->value, f->words ? f->words(comparison) : f->caption, to);
}

// Whether all curves lie within what is noise in this scene.
static int shows_nothing(const ts_comparison* comparison, const struct figure* f) {
    // That nothing happens to the energy is worth a plot.
    if (f->add || f->value == energy || f->look == LOG || f->look == WHOLE) return 0;
    return extent(comparison, f->value) <= nothing(comparison, f->unit);
}

void ts_report_plots(const ts_comparison* comparison, ts_page_files* files, ts_text* text) {
    enum { FIGURES = sizeof figures / sizeof figures[0] };
    need met = !comparison->focus[0] ? ALWAYS : comparison->frame.has_direction ? DIRECTION : FOCUS;
    int empty[FIGURES] = {0}, left_out = 0;
    sheet to = {files, text};
    for (int i = 0; i < FIGURES; ++i) {
        if (figures[i].need > met) continue;
        empty[i] = shows_nothing(comparison, &figures[i]);
        left_out += empty[i];
        if (empty[i]) continue;
        if (figures[i].add)
            figures[i].add(comparison, &to);
        else
            add_row(comparison, &figures[i], &to);
    }
    if (left_out == 0) return;
    ts_text_add(text, "<p class=\"hint\">Not drawn, since it would show noise: ");
    for (int i = 0; i < FIGURES; ++i) {
        if (!empty[i]) continue;
        ts_text_add(text, "%s (all within ", figures[i].title);
        ts_stats_add_quantity(text, extent(comparison, figures[i].value), figures[i].unit);
        ts_text_add(text, --left_out > 0 ? "), " : ").</p>\n");
    }
}
