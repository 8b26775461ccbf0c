// Pictures repeat the runs up to one moment, which the same bits make exact.
#include "cli/report/pictures_internal.h"

#include "cli/report/picture_internal.h"
#include "cli/video/video_internal.h"

#include <math.h>
#include <string.h>

// After longer comparisons the report comes without pictures.
static const double picture_wall_seconds = 20.0;

enum { ROW_WIDTH = 1200, ROW_HEIGHT = 560, PAIR_WIDTH = 640, PAIR_HEIGHT = 340 };

// The moving picture of a report.
enum { LOOP_WIDTH = 750, LOOP_HEIGHT = 350 };
static const double loop_rate = 10.0, loop_seconds = 3.5;

// Longer runs, and pictures that take longer, leave the report without it.
static const double loop_runs_seconds = 5.0, loop_drawing_seconds = 12.0;

// When a picture tells most: when the runs are farthest apart, or at the end where they are not.
static double best_time(const ts_comparison* comparison) {
    double time = comparison->duration;
    double away = comparison->frame.noise;
    for (int i = 0; i < comparison->count; ++i) {
        if (comparison->finding[i].away_most <= away || comparison->series[i].code) continue;
        away = comparison->finding[i].away_most;
        time = comparison->finding[i].away_time;
    }
    return time;
}

static void embed(const char* kind, const ts_text* bytes, ts_text* text) {
    ts_text_add(text, "data:image/%s;base64,", kind);
    ts_text_add_base64(text, ts_text_get(bytes), bytes->length);
}

// Fresh simulations of the runs that got that far.
static ts_code line_up(const ts_comparison* comparison, ts_picture_row* row, ts_status* status) {
    for (int g = 0; g < comparison->groups && row->count < TS_PICTURE_ROW; ++g) {
        int i = ts_comparison_leader(comparison, g);
        const ts_sample* last = ts_series_last(&comparison->series[i]);
        if (!last || last->time < row->time * (1.0 - 1e-9)) continue;
        ts_code code = ts_comparison_start(comparison, i, &row->sim[row->count], status);
        if (code) return code;
        if (i == comparison->frame.reference) row->reference = row->count;
        ts_series_label(&comparison->series[i], row->name[row->count]);
        row->style[row->count++] = g;
    }
    if (row->count == 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "no picture: no run got to t = %g s", row->time);
    return TS_OK;
}

// When a group differs most from the reference: at the height of a lift, if that is a good part of it, else where it is farthest.
static double telling_time(const ts_comparison* comparison, int i) {
    const ts_finding* finding = &comparison->finding[i];
    if (finding->is_reference || comparison->frame.reference < 0) return comparison->picture_time;
    if (finding->rise_most > 0.3 * finding->away_most) return finding->rise_time;
    return finding->away_most > comparison->frame.noise ? finding->away_time : comparison->picture_time;
}

// A picture of a group's leader with the reference's outline over it. Without one the card has words only.
static void take_pair(ts_comparison* comparison, const ts_picture_row* row, int g) {
    int i = ts_comparison_leader(comparison, g), reference = comparison->frame.reference;
    float color[3];
    ts_text png = {0};
    ts_status status;
    ts_sim* sims[2] = {NULL, NULL};
    ts_picture_color(comparison->scene->model, g, color);
    int paired = reference >= 0 && i != reference;
    ts_code code = ts_comparison_start(comparison, i, &sims[0], &status);
    if (!code && paired) code = ts_comparison_start(comparison, reference, &sims[1], &status);
    ts_picture_pair pair = {.scene = comparison->scene,
                            .sim = sims[0],
                            .reference = sims[1],
                            .color = i == reference ? NULL : color,
                            .forward = row->forward,
                            .worth = comparison->frame.noise,
                            .time = telling_time(comparison, i),
                            .width = PAIR_WIDTH,
                            .height = PAIR_HEIGHT};
    if (!code) code = ts_picture_pair_png(&pair, &png, &status);
    if (!code) embed("png", &png, &comparison->picture[g]);
    ts_text_free(&png);
    ts_sim_free(sims[0]);
    ts_sim_free(sims[1]);
}

static void release(ts_picture_row* row) {
    for (int i = 0; i < TS_PICTURE_ROW; ++i) ts_sim_free(row->sim[i]);
    memset(row->sim, 0, sizeof row->sim);
    row->count = 0;
}

// The row on white for a file, and see-through for the page.
static ts_code take_row(const ts_args* args, ts_comparison* comparison, ts_picture_row* row, ts_status* out_status) {
    ts_code code = line_up(comparison, row, out_status);
    for (int clear = 0; clear < 2 && !code; ++clear) {
        ts_text png = {0};
        row->clear = clear;
        if (!(clear ? args->out && !args->no_pictures : args->png != NULL)) continue;
        code = ts_picture_row_png(row, &png, out_status);
        if (!code && !clear) code = ts_text_write_file(&png, args->png, out_status);
        if (!code && clear) embed("png", &png, &comparison->row_picture);
        ts_text_free(&png);
    }
    release(row);
    return code;
}

// A film of the row from its start to its time, given up after `patience` seconds; of one in memory, the bytes.
static ts_code take_film(const ts_comparison* comparison, ts_picture_row* row, const ts_video_format* format,
                         double slow, double patience, ts_text* bytes, ts_status* out_status) {
    ts_video_job job = {.patience = patience};
    row->width = format->width;
    row->height = format->height;
    row->clear = 0;
    ts_code code = line_up(comparison, row, out_status);
    if (!code) code = ts_video_begin(format, row->time, slow, &job, out_status);
    if (!code)
        code =
            ts_video_end(&job, ts_picture_row_film(row, job.count, ts_video_take, &job, out_status), bytes, out_status);
    release(row);
    return code;
}

// When everything is at rest, or nearly, or the end: a thousandth of the most kinetic energy there was.
static double rest_time(const ts_comparison* comparison) {
    static const double part = 1e-3;
    double last = 0.0;
    for (int i = 0; i < comparison->count; ++i) {
        const ts_sample_array* sample = &comparison->series[i].sample;
        double most = 0.0;
        for (int k = 0; k < sample->count; ++k) most = fmax(most, sample->data[k].kinetic);
        for (int k = 0; k < sample->count; ++k)
            if (sample->data[k].kinetic > part * most) last = fmax(last, sample->data[k].time);
    }
    return last > 0.0 ? fmin(1.2 * last, comparison->duration) : comparison->duration;
}

// The report does without one where a run broke off before.
static void take_loop(ts_comparison* comparison, ts_picture_row* row, double patience) {
    ts_video_format format = {NULL, LOOP_WIDTH, LOOP_HEIGHT, loop_rate};
    ts_status status;
    ts_text gif = {0};
    row->time = rest_time(comparison);
    if (row->time > 0.0) {
        comparison->loop_slow = loop_seconds / row->time;
        if (take_film(comparison, row, &format, comparison->loop_slow, patience, &gif, &status) == TS_OK)
            embed("gif", &gif, &comparison->loop);
    }
    ts_text_free(&gif);
}

static ts_code take_video(const ts_args* args, const ts_comparison* comparison, ts_picture_row* row,
                          ts_status* out_status) {
    ts_video_format format = {args->video, row->width, row->height, isnan(args->rate) ? 25.0 : args->rate};
    row->time = comparison->duration;
    return take_film(comparison, row, &format, isnan(args->slow) ? 1.0 : args->slow, HUGE_VAL, NULL, out_status);
}

ts_code ts_pictures_take(const ts_args* args, ts_comparison* comparison, ts_status* out_status) {
    double wall = 0.0;
    for (int i = 0; i < comparison->count; ++i) wall += comparison->series[i].wall;
    int of_report = args->out && !args->no_pictures && wall <= picture_wall_seconds;
    if (!args->png && !args->video && !of_report) return ts_status_ok(out_status);
    comparison->picture_time = isnan(args->png_time) ? best_time(comparison) : args->png_time;
    ts_picture_row row;
    memset(&row, 0, sizeof row);
    row.scene = comparison->scene;
    row.length = comparison->frame.length;
    row.time = comparison->picture_time;
    row.width = args->width > 0 ? args->width : ROW_WIDTH;
    row.height = args->width > 0 ? args->height : ROW_HEIGHT;
    row.forward = comparison->frame.has_direction ? comparison->frame.forward : ts_vec3_axis(1);
    ts_code code = TS_OK;
    if (args->png || of_report) code = take_row(args, comparison, &row, out_status);
    if (!args->png && code) return args->video ? code : ts_status_ok(out_status);
    for (int g = 0; g < comparison->groups && of_report && !code; ++g) take_pair(comparison, &row, g);
    if (args->video && !code) code = take_video(args, comparison, &row, out_status);
    // Who asks for a film anyway waits for this one, too.
    if (of_report && (args->video || wall <= loop_runs_seconds) && !args->still && !code)
        take_loop(comparison, &row, args->video ? HUGE_VAL : loop_drawing_seconds);
    return code ? code : ts_status_ok(out_status);
}
