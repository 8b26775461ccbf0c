// `touchstone bench`: lists the benchmarks, or runs one and shows its report as tables, JSON and figures.
#include "cli/commands/commands.h"

#include "bench/bench.h"
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/report/svg_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* bench_name(const void* context, int i) {
    (void)context;
    return ts_bench_at(i)->name;
}

static int list_benchmarks(const ts_args* args) {
    ts_text text = {0};
    if (args->json_file) {
        ts_json json = ts_json_begin(&text);
        ts_json_object(&json);
        ts_json_add_array(&json, "benchmarks");
        for (int i = 0; i < ts_bench_count(); ++i) {
            ts_json_object(&json);
            ts_json_add_string(&json, "name", ts_bench_at(i)->name);
            ts_json_add_string(&json, "summary", ts_bench_at(i)->summary);
            ts_json_object_end(&json);
        }
        ts_json_array_end(&json);
        ts_json_object_end(&json);
        ts_text_add(&text, "\n");
        if (strcmp(args->json_file, "-") != 0) {
            ts_status status;
            ts_code code = ts_text_write_file(&text, args->json_file, &status);
            ts_text_free(&text);
            return code ? ts_console_error("bench", 0, TS_EXIT_FAILED, &status) : TS_EXIT_DONE;
        }
        return ts_console_print(&text, TS_EXIT_DONE);
    }
    for (int i = 0; i < ts_bench_count(); ++i)
        ts_text_add(&text, "%-22s %s\n", ts_bench_at(i)->name, ts_bench_at(i)->summary);
    ts_text_add(&text, "\nCompared with:");
    int found = 0;
    for (int i = 0; i < ts_bench_peer_count(); ++i) {
        const ts_bench_peer* peer = ts_bench_peer_at(i);
        if (peer->version) ts_text_add(&text, "%s %s %s", found++ ? "," : "", peer->name, peer->version);
    }
    ts_text_add(&text, "%s\n", found ? "" : " nobody: this build has no peers (cmake -DTS_PEERS=ON)");
    return ts_console_print(&text, TS_EXIT_DONE);
}

static int watch(void* context, double fraction) {
    if (fraction >= 0.0) ts_progress_update((ts_progress*)context, fraction);
    return ts_signals_caught();
}

static ts_code write_figure(const ts_bench_figure* figure, const char* folder, ts_status* out_status) {
    ts_svg_curve curve[TS_BENCH_CURVES];
    const char* label[TS_BENCH_CURVES];
    for (int i = 0; i < figure->curve_count; ++i) {
        curve[i] = (ts_svg_curve){figure->curve[i].x, figure->curve[i].y, figure->curve[i].count, i};
        label[i] = figure->curve[i].label;
    }
    ts_svg_plot plot;
    memset(&plot, 0, sizeof plot);
    plot.title = figure->title;
    plot.x_label = figure->x.label;
    plot.x_unit = figure->x.unit;
    plot.y_label = figure->y.label;
    plot.y_unit = figure->y.unit;
    plot.width = 720;
    plot.height = 420;
    static const ts_svg_scale scale[] = {TS_SVG_LINEAR, TS_SVG_LOG, TS_SVG_SIGNED_LOG};
    plot.x_scale = scale[figure->x.scale];
    plot.y_scale = scale[figure->y.scale];
    plot.y_from_zero = 1;
    plot.points = 1;
    plot.curve = curve;
    plot.curve_count = figure->curve_count;
    plot.style_count = figure->curve_count;
    ts_text text = {0};
    plot.label = label;
    ts_svg_file(&plot, &text);
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s.svg", folder, figure->stem);
    ts_code code = length < 0 || (size_t)length >= sizeof path
                       ? ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the path of a figure is too long")
                       : ts_text_write_file(&text, path, out_status);
    ts_text_free(&text);
    return code;
}

static ts_code write_files(const ts_args* args, const ts_bench* bench, const ts_bench_options* options,
                           const ts_bench_report* report, ts_status* out_status) {
    if (args->json_file && strcmp(args->json_file, "-") != 0) {
        ts_text text = {0};
        ts_bench_report_json(bench, options, report, &text);
        ts_code code = ts_text_write_file(&text, args->json_file, out_status);
        ts_text_free(&text);
        if (code) return code;
    }
    for (const ts_bench_figure* figure = report->figure; figure && args->svg; figure = figure->next) {
        ts_code code = write_figure(figure, args->svg, out_status);
        if (code) return code;
    }
    return ts_status_ok(out_status);
}

static int print_report(const ts_args* args, const ts_bench* bench, const ts_bench_options* options,
                        const ts_bench_report* report, int exit_code) {
    ts_text text = {0};
    if (args->json_file && strcmp(args->json_file, "-") == 0) {
        ts_bench_report_json(bench, options, report, &text);
    } else {
        ts_text_add(&text, "%s: %s (seed %llu%s)\n", bench->name, bench->summary, (unsigned long long)options->seed,
                    options->quick ? ", quick: not to be quoted" : "");
        ts_bench_report_text(report, &text);
    }
    return ts_console_print(&text, exit_code);
}

static int unknown(const char* name) {
    ts_status status;
    char room[TS_ARGS_HINT];
    ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "there is no benchmark '%s'%s", name,
                  ts_args_hint(name, bench_name, NULL, ts_bench_count(), "; 'touchstone bench' lists them", room));
    return ts_console_error("bench", 0, TS_EXIT_USAGE, &status);
}

// Whether --only chose something; a benchmark that then did nothing has nothing to show.
static int nothing_chosen(const ts_bench* bench, const ts_bench_options* options, const ts_bench_report* report,
                          ts_status* out_status) {
    if (!options->only || report->parts_wanted > 0) return 0;
    ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no part of '%s' is called '%s'; there are: %s", bench->name,
                  options->only, ts_text_get(&report->parts));
    return 1;
}

int ts_cmd_bench(const ts_args* args) {
    if (!args->subject) return list_benchmarks(args);
    const ts_bench* bench = ts_bench_find(args->subject);
    if (!bench) return unknown(args->subject);
    ts_status status;
    // Before hours of measuring, not after.
    int made = 0;
    if (args->svg && ts_setup_directory(args->svg, &made, &status))
        return ts_console_error("bench", 0, TS_EXIT_FAILED, &status);
    if (args->json_file && strcmp(args->json_file, "-") != 0 && ts_setup_writable(args->json_file, &status))
        return ts_console_error("bench", 0, TS_EXIT_FAILED, &status);
    const char* data = getenv("TOUCHSTONE_DATA");
    ts_bench_options options = {args->quick, args->seed < 0 ? 1u : (uint64_t)args->seed, data && data[0] ? data : NULL,
                                args->only, args->model};
    ts_progress progress;
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    report.watcher = &progress;
    report.progress = watch;
    ts_signals_begin();
    progress = ts_progress_begin(bench->name);
    int result = bench->run(&options, &report);
    ts_progress_end(&progress);
    if (ts_signals_caught()) {
        ts_bench_report_free(&report);
        ts_console_note("stopped: nothing was written");
        return ts_signals_exit_code();
    }
    if (nothing_chosen(bench, &options, &report, &status)) {
        ts_bench_report_free(&report);
        return ts_console_error("bench", 0, TS_EXIT_USAGE, &status);
    }
    report.finished = result == TS_BENCH_DONE || result == TS_BENCH_WRONG;
    int exit_code = result == TS_BENCH_DONE ? TS_EXIT_DONE : TS_EXIT_FAILED;
    ts_status_ok(&status);
    if (report.out_of_memory)
        ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "memory ran out");
    else if (!report.finished)
        ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "%s could not run: %s", bench->name,
                      report.error[0] ? report.error : "no reason given");
    else
        write_files(args, bench, &options, &report, &status);
    if (report.finished) exit_code = print_report(args, bench, &options, &report, exit_code);
    if (result == TS_BENCH_WRONG) ts_console_note("%s: an answer was wrong, see the tables", bench->name);
    ts_bench_report_free(&report);
    return status.code ? ts_console_error("bench", 0, TS_EXIT_FAILED, &status) : exit_code;
}
