// The audit as a page: the loss along the gradient with its tangent and its kinks, and how far differences are from the gradient by increment.
#include "cli/gradient/gradient_internal.h"

#include "cli/report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The loss, and where the runs before and after a kink meet.
static void add_line(const ts_gradient* self, ts_page_files* files, ts_text* text) {
    enum { N = TS_GRADIENT_PLACES };
    static const char* const label[] = {"loss", "kinks"};
    double at[TS_GRADIENT_KINKS], loss[TS_GRADIENT_KINKS], ends[2] = {self->place[0], self->place[N - 1]}, tangent[2];
    int kinks = 0, known = isfinite(self->slope);
    for (int k = 0; k < self->kink_count; ++k) {
        if (!self->kink[k].felt) continue;
        // On the course, between its places.
        int i = 0;
        while (i + 2 < N && self->place[i + 1] < self->kink[k].at) ++i;
        double share = (self->kink[k].at - self->place[i]) / (self->place[i + 1] - self->place[i]);
        at[kinks] = self->kink[k].at;
        loss[kinks++] = (1.0 - share) * self->course[i] + share * self->course[i + 1];
    }
    for (int i = 0; i < 2; ++i) tangent[i] = self->loss + self->slope * ends[i];
    ts_svg_curve curve[] = {{self->place, self->course, N, 0}, {at, loss, kinks, 1}};
    ts_svg_curve guide = {ends, tangent, 2, 0};
    ts_svg_plot plot = {.title = "loss along the gradient",
                        .x_label = "way, in scales of the inputs",
                        .x_unit = "",
                        .y_label = "loss",
                        .y_unit = "",
                        .width = 620,
                        .height = 380,
                        .points = 1,
                        .curve = curve,
                        .curve_count = kinks > 0 ? 2 : 1,
                        .style_count = 2,
                        .guide = known ? &guide : NULL,
                        .label = label};
    ts_page_plot_add(&(ts_page_plot){.plot = &plot, .caption = "dashed: the tangent that the gradient is"}, files,
                     text);
}

// |difference - gradient| over the increment, of every input.
static void add_errors(const ts_gradient* self, ts_page_files* files, ts_text* text) {
    enum { N = TS_GRADIENT_INCREMENTS, MOST = 12 };
    int count = self->inputs.count < MOST ? self->inputs.count : MOST;
    ts_svg_curve curve[MOST];
    const char* label[MOST];
    double x[MOST][N], y[MOST][N];
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < N; ++j) {
            x[i][j] = self->entry[i].increment[j] / self->inputs.input[i].scale;
            y[i][j] = fmax(fabs(self->entry[i].central[j] - self->entry[i].backward), 1e-16);
        }
        curve[i] = (ts_svg_curve){x[i], y[i], N, i};
        label[i] = self->inputs.input[i].label;
    }
    ts_svg_plot plot = {.title = "central differences against the gradient",
                        .x_label = "increment, in scales of the inputs",
                        .x_unit = "",
                        .y_label = "apart",
                        .y_unit = "",
                        .width = 620,
                        .height = 380,
                        .x_scale = TS_SVG_LOG,
                        .y_scale = TS_SVG_LOG,
                        .points = 1,
                        .curve = curve,
                        .curve_count = count,
                        .style_count = count,
                        .label = label};
    ts_text_add(text, "<div class=\"legend\">");
    for (int i = 0; i < count; ++i) ts_report_legend_entry(i, count, label[i], text);
    ts_text_add(text, "</div><div>");
    ts_page_plot_add(&(ts_page_plot){.plot = &plot}, files, text);
    ts_text_add(text, "</div>");
}

void ts_gradient_html(const ts_gradient* self, const char* command, ts_page_files* files, ts_text* text) {
    ts_text table = {0};
    ts_gradient_text(self, &table);
    ts_text_add(text,
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Gradient</title><style>");
    ts_report_add_style(text);
    ts_svg_css(text);
    ts_text_add(text, "</style></head><body><main>");
    ts_report_escaped(text, "<h1>Gradient in ", self->scene->name, "</h1>\n");
    ts_report_escaped(text, "<p class=\"lead\">", ts_gradient_verdict_name(self->verdict), ": ");
    ts_report_escaped(text, "", self->reason, "</p>\n");
    ts_report_command(command, text);
    ts_text_add(text, "<div class=\"plots two\">\n");
    add_line(self, files, text);
    ts_text_add(text, "</div>\n");
    if (!self->gradient.code) add_errors(self, files, text);
    ts_report_escaped(text, "<pre>", ts_text_get(&table), "</pre></main>\n");
    ts_report_add_script(text);
    ts_text_add(text, "</body></html>\n");
    ts_text_free(&table);
}
