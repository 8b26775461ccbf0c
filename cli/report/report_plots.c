// The plots of the comparison report: which quantities, and how each is looked at.
#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_WIDTH = 440, PLOT_HEIGHT = 270 };

typedef double (*sample_value)(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample);

// --- quantities ------------------------------------------------------------------------------------------------------

// Numbers of a step mean nothing before the first one.
static double of_step(const ts_sample* sample, double value) { return sample->step > 0 ? value : (double)NAN; }

static double height_change(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    return ts_vec3_dot(ts_vec3_sub(sample->position, series->sample.data[0].position), comparison->frame.up);
}

static double side_change(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    return ts_vec3_dot(ts_vec3_sub(sample->position, series->sample.data[0].position), comparison->frame.left);
}

static double speed(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)series;
    if (!comparison->frame.has_direction) return ts_vec3_norm(sample->velocity);
    return ts_vec3_dot(sample->velocity, comparison->frame.forward);
}

// Potential energy counted from its start, so that the plot shows what the motion does and not where zero lies.
static double energy(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    return sample->kinetic + sample->potential - series->sample.data[0].potential;
}

static double ncp(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, sample->ncp);
}

static double penetration(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, sample->penetration);
}

static double contacts(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, (double)sample->contacts);
}

static double iterations(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, (double)sample->iterations);
}

static double opening(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, sample->motion.opening);
}

static double inner_friction(const ts_comparison* comparison, const ts_series* series, const ts_sample* sample) {
    (void)comparison;
    (void)series;
    return of_step(sample, sample->inner_friction);
}

// --- drawing ---------------------------------------------------------------------------------------------------------

// Numbers of all curves of one plot.
typedef struct curves {
    ts_svg_curve* curve;
    double* numbers;
} curves;

static int curves_make(const ts_comparison* comparison, sample_value of_x, sample_value of_y, curves* out) {
    size_t total = 0;
    for (int s = 0; s < comparison->count; ++s) total += (size_t)comparison->series[s].sample.count;
    out->curve = (ts_svg_curve*)calloc((size_t)comparison->count + 1, sizeof *out->curve);
    out->numbers = (double*)malloc((2 * total + 1) * sizeof *out->numbers);
    if (!out->curve || !out->numbers) return 0;
    double* next = out->numbers;
    for (int s = 0; s < comparison->count; ++s) {
        const ts_series* series = &comparison->series[s];
        int count = series->sample.count;
        for (int i = 0; i < count; ++i) {
            const ts_sample* sample = &series->sample.data[i];
            next[i] = of_x ? of_x(comparison, series, sample) : sample->time;
            next[count + i] = of_y(comparison, series, sample);
        }
        ts_svg_curve curve = {next, next + count, count, s};
        out->curve[s] = curve;
        next += 2 * count;
    }
    return 1;
}

static void curves_free(curves* self) {
    free(self->curve);
    free(self->numbers);
}

static void add_figure(const ts_comparison* comparison, ts_svg_plot plot, sample_value of_x, sample_value of_y,
                       const char* caption, ts_text* text) {
    curves all = {NULL, NULL};
    if (curves_make(comparison, of_x, of_y, &all)) {
        plot.curve = all.curve;
        plot.curve_count = comparison->count;
        plot.style_count = comparison->count;
        plot.width = PLOT_WIDTH;
        plot.height = PLOT_HEIGHT;
        ts_text_add(text, "<figure><h3>");
        ts_svg_escape(text, plot.title);
        ts_text_add(text, "</h3>\n");
        ts_svg_plot_add(&plot, text);
        ts_text_add(text, "<figcaption>%s</figcaption></figure>\n", caption);
    } else {
        text->failed = 1;
    }
    curves_free(&all);
}

static ts_svg_plot over_time(const char* title, const char* y_label, const char* y_unit) {
    ts_svg_plot plot;
    memset(&plot, 0, sizeof plot);
    plot.title = title;
    plot.x_label = "time";
    plot.x_unit = "s";
    plot.y_label = y_label;
    plot.y_unit = y_unit;
    return plot;
}

// --- the path --------------------------------------------------------------------------------------------------------

static double at_x(const ts_comparison* c, const ts_series* s, const ts_sample* sample) {
    (void)c;
    (void)s;
    return sample->position.x;
}

static double at_y(const ts_comparison* c, const ts_series* s, const ts_sample* sample) {
    (void)c;
    (void)s;
    return sample->position.y;
}

static double at_forward(const ts_comparison* c, const ts_series* s, const ts_sample* sample) {
    (void)s;
    return ts_vec3_dot(sample->position, c->frame.forward);
}

static double at_left(const ts_comparison* c, const ts_series* s, const ts_sample* sample) {
    (void)s;
    return ts_vec3_dot(sample->position, c->frame.left);
}

static double at_up(const ts_comparison* c, const ts_series* s, const ts_sample* sample) {
    (void)s;
    return ts_vec3_dot(sample->position, c->frame.up);
}

static double extent(const ts_comparison* comparison, sample_value of) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int s = 0; s < comparison->count; ++s) {
        const ts_series* series = &comparison->series[s];
        for (int i = 0; i < series->sample.count; ++i) {
            double value = of(comparison, series, &series->sample.data[i]);
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    return high > low ? high - low : 0.0;
}

static void add_path(const ts_comparison* comparison, ts_text* text) {
    ts_svg_plot plot = over_time("Path from above", "y", "m");
    plot.x_label = "x";
    plot.x_unit = "m";
    plot.path = 1;
    plot.y_span = 1e-4;
    static const char* const caption = "The circle is the start; each solver's last mark is where it ended.";
    double wide = extent(comparison, at_forward);
    double across = extent(comparison, at_left);
    double high = extent(comparison, at_up);
    if (high > 0.3 * fmax(wide, across)) {
        // Falling, swinging, climbing: there is more to see from the side.
        plot.title = "Path from the side";
        plot.x_label = wide >= across ? "along" : "across";
        plot.y_label = "height";
        add_figure(comparison, plot, wide >= across ? at_forward : at_left, at_up, caption, text);
    } else if (comparison->frame.up.z < 0.999) {
        plot.x_label = "along";
        plot.y_label = "to the left";
        add_figure(comparison, plot, at_forward, at_left, caption, text);
    } else if (extent(comparison, at_y) > extent(comparison, at_x)) {
        // The longer way lies flat on the page: the picture is turned, so x grows downwards.
        plot.x_label = "y";
        plot.y_label = "x, downwards";
        plot.y_reversed = 1;
        add_figure(comparison, plot, at_y, at_x, caption, text);
    } else {
        add_figure(comparison, plot, at_x, at_y, caption, text);
    }
}

static void add_speed(const ts_comparison* comparison, ts_text* text) {
    ts_svg_plot plot =
        over_time(comparison->frame.has_direction ? "Speed along the initial direction" : "Speed", "speed", "m/s");
    plot.y_from_zero = 1;
    plot.y_span = 1e-6;
    ts_sliding_law law = comparison->sliding;
    double x[3] = {0.0, 0.0, comparison->duration};
    double y[3] = {law.initial_speed, 0.0, 0.0};
    ts_svg_curve guide = {x, y, 3, 0};
    char caption[256] = "A straight slope is constant friction.";
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
    add_figure(comparison, plot, NULL, speed, caption, text);
}

void ts_report_plots(const ts_comparison* comparison, ts_text* text) {
    int focus = comparison->focus[0] != '\0';
    if (focus) {
        add_path(comparison, text);
        ts_svg_plot plot = over_time("Height, change from the start", "height", "m");
        plot.y_span = 2e-6;
        add_figure(comparison, plot, NULL, height_change, "A body that slides on a floor should neither rise nor sink.",
                   text);
        add_speed(comparison, text);
        if (comparison->frame.has_direction) {
            plot = over_time("Sideways from the initial direction", "to the left", "m");
            plot.y_span = 2e-6;
            add_figure(comparison, plot, NULL, side_change,
                       "Friction that depends on the axes of a pyramid pulls sideways.", text);
        }
    }
    ts_svg_plot plot = over_time("Energy", "energy", "J");
    plot.y_span = 1e-9;
    add_figure(comparison, plot, NULL, energy, "Kinetic plus potential, the latter counted from the start.", text);
    plot = over_time("Residual of the exact law", "NCP residual", "N");
    plot.y_scale = TS_SVG_LOG;
    plot.y_floor = 1e-14;
    add_figure(comparison, plot, NULL, ncp,
               "How far the forces are from Signorini and Coulomb, judged by the same code for all. Below "
               "10\xE2\x81\xBB\xC2\xB9\xE2\x81\xB4 drawn at the floor.",
               text);
    plot = over_time("Opening speed of contacts that push", "opening speed", "m/s");
    plot.y_span = 1e-6;
    plot.y_from_zero = 1;
    add_figure(comparison, plot, NULL, opening,
               "The exact law has zero here: a contact that pushes does not open. The convex relaxation has \xCE\xBC "
               "times slip speed.",
               text);
    plot = over_time("Worst penetration", "depth", "m");
    plot.y_span = 1e-9;
    plot.y_from_zero = 1;
    add_figure(comparison, plot, NULL, penetration, "Deepest overlap of any pair of geoms.", text);
    if (focus) {
        plot = over_time("Friction forces that cancel one another", "inner friction", "N");
        plot.y_span = 1e-6;
        plot.y_from_zero = 1;
        add_figure(comparison, plot, NULL, inner_friction,
                   "On the body in focus: sum of magnitudes less magnitude of the sum. Zero with one contact.", text);
    }
    plot = over_time("Iterations per step", "iterations", "");
    plot.y_scale = TS_SVG_LOG;
    plot.y_floor = 1.0;
    add_figure(comparison, plot, NULL, iterations, "Work of the solver; an iteration costs differently in each.", text);
    plot = over_time("Contact points", "contacts", "");
    plot.y_span = 1.0;
    plot.y_from_zero = 1;
    plot.y_whole = 1;
    add_figure(comparison, plot, NULL, contacts, "In the whole scene.", text);
}
