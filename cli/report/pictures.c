// Pictures repeat the runs up to one moment, which the same bits make exact.
#include "cli/report/pictures.h"

#include "cli/report/picture.h"
#include "cli/setup.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// After longer comparisons the report comes without pictures.
static const double picture_wall_seconds = 20.0;

enum { ROW_WIDTH = 1200, ROW_HEIGHT = 560, FILE_LIMIT = 1 << 23 };

// In a row of up to so many, every solver is large enough for its contact forces to be seen.
enum { ROW_WITHOUT_CLOSE_UPS = 4 };

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

static void add_base64(ts_text* text, const unsigned char* bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned b1 = i + 1 < count ? bytes[i + 1] : 0u;
        unsigned b2 = i + 2 < count ? bytes[i + 2] : 0u;
        unsigned group = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63u], i + 1 < count ? digits[group >> 6 & 63u] : '=',
                        i + 2 < count ? digits[group & 63u] : '='};
        ts_text_add_bytes(text, four, 4);
    }
}

static void embed(const char* path, ts_text* text) {
    ts_text png = {0};
    if (ts_text_read_file(path, FILE_LIMIT, &png, NULL) == TS_OK) {
        ts_text_add(text, "data:image/png;base64,");
        add_base64(text, (const unsigned char*)ts_text_get(&png), png.length);
    }
    ts_text_free(&png);
}

// The renderer writes files; those of the report live for a moment where temporary files belong.
static int temporary_file(char path[4096]) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, 4096, "%.4000s/touchstone-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) return 0;
    close(fd);
    return 1;
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
        row->style[row->count++] = g;
    }
    if (row->count == 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "no picture: no run got to t = %g s", row->time);
    return TS_OK;
}

static void take_close_ups(ts_comparison* comparison, const ts_picture_row* row) {
    ts_picture_box box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0};
    char path[4096];
    if (!temporary_file(path)) return;
    for (int i = 0; i < row->count; ++i) ts_picture_box_add(&box, row->sim[i]);
    for (int i = 0; i < row->count; ++i) {
        if (ts_picture_close_up_png(row->scene, row->sim[i], &box, path, NULL)) break;
        embed(path, &comparison->picture[row->style[i]]);
    }
    unlink(path);
}

ts_code ts_pictures_take(const ts_args* args, ts_comparison* comparison, ts_status* out_status) {
    double wall = 0.0;
    for (int i = 0; i < comparison->count; ++i) wall += comparison->series[i].wall;
    if (!args->png && (!args->out || wall > picture_wall_seconds)) return ts_status_ok(out_status);
    comparison->picture_time = isnan(args->png_time) ? best_time(comparison) : args->png_time;
    ts_picture_row row;
    memset(&row, 0, sizeof row);
    row.scene = comparison->scene;
    row.length = comparison->frame.length;
    row.time = comparison->picture_time;
    row.width = args->width > 0 ? args->width : ROW_WIDTH;
    row.height = args->width > 0 ? args->height : ROW_HEIGHT;
    row.forward = comparison->frame.has_direction ? comparison->frame.forward : ts_vec3_axis(1);
    char temporary[4096] = "";
    const char* path = args->png;
    if (!path) path = temporary_file(temporary) ? temporary : NULL;
    ts_code code = path ? line_up(comparison, &row, out_status) : TS_ERROR_FILE;
    if (code == TS_OK) code = ts_picture_row_png(&row, path, out_status);
    if (code == TS_OK && args->out) {
        embed(path, &comparison->row_picture);
        if (row.count > ROW_WITHOUT_CLOSE_UPS) take_close_ups(comparison, &row);
    }
    if (temporary[0]) unlink(temporary);
    for (int i = 0; i < TS_PICTURE_ROW; ++i) ts_sim_free(row.sim[i]);
    return args->png ? code : ts_status_ok(out_status);
}
