// Files of elevations: see the header. Files are untrusted: sizes are checked against the file and a limit before memory is taken.
#include "engine/read/elevation_file_internal.h"

#include "engine/read/png_file_internal.h"
#include "engine/read/xml_internal.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

ts_code ts_elevation_make(int rows, int columns, ts_elevation* out_elevation, ts_status* out_status) {
    memset(out_elevation, 0, sizeof *out_elevation);
    if (rows < 2 || columns < 2)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a height field needs two rows and two columns, not %d and %d", rows, columns);
    if ((long long)rows * columns > TS_ELEVATION_SAMPLE_LIMIT)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d rows of %d samples are more than the %d that fit",
                             rows, columns, TS_ELEVATION_SAMPLE_LIMIT);
    out_elevation->value = (double*)calloc((size_t)rows * (size_t)columns, sizeof(double));
    if (!out_elevation->value) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    out_elevation->rows = rows;
    out_elevation->columns = columns;
    return TS_OK;
}

void ts_elevation_free(ts_elevation* elevation) {
    free(elevation->value);
    memset(elevation, 0, sizeof *elevation);
}

// --- MuJoCo's format ---

static uint32_t word_at(const unsigned char* bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static ts_code read_binary(const ts_text* bytes, ts_elevation* out_elevation, ts_status* out_status) {
    const unsigned char* data = (const unsigned char*)ts_text_get(bytes);
    if (bytes->length < 8)
        return ts_status_set(out_status, TS_ERROR_PARSE, NULL, 0, "it ends before its numbers of rows and columns");
    uint32_t rows = word_at(data), columns = word_at(data + 4);
    if (rows > INT_MAX || columns > INT_MAX)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "its numbers of rows and columns are negative");
    ts_code code = ts_elevation_make((int)rows, (int)columns, out_elevation, out_status);
    if (code) return code;
    size_t count = (size_t)rows * columns;
    if (bytes->length != 4 * (count + 2))
        return ts_status_set(out_status, TS_ERROR_PARSE, NULL, 0,
                             "%u rows of %u numbers take %llu bytes, but it has %llu", rows, columns,
                             (unsigned long long)(4 * (count + 2)), (unsigned long long)bytes->length);
    for (size_t i = 0; i < count; ++i) {
        uint32_t word = word_at(data + 8 + 4 * i);
        float value;
        memcpy(&value, &word, sizeof value);
        out_elevation->value[i] = (double)value;
    }
    return TS_OK;
}

// --- pictures ---

static ts_code read_png(const ts_text* bytes, ts_elevation* out_elevation, ts_status* out_status) {
    ts_png png;
    ts_code code = ts_png_decode(bytes, &png, out_status);
    if (!code) code = ts_elevation_make(png.height, png.width, out_elevation, out_status);
    for (int y = 0; !code && y < png.height; ++y)
        for (int x = 0; x < png.width; ++x)
            out_elevation->value[(png.height - 1 - y) * png.width + x] =
                (double)png.pixel[((size_t)y * (size_t)png.width + (size_t)x) * (size_t)png.channels];
    ts_png_free(&png);
    return code;
}

ts_code ts_elevation_load(const char* path, int is_png, ts_elevation* out_elevation, ts_status* out_status) {
    ts_text bytes = {0};
    memset(out_elevation, 0, sizeof *out_elevation);
    ts_status why;
    memset(&why, 0, sizeof why);
    ts_code code = ts_xml_read_file(path, &bytes, &why);
    if (!code) code = is_png ? read_png(&bytes, out_elevation, &why) : read_binary(&bytes, out_elevation, &why);
    ts_text_free(&bytes);
    if (!code) return ts_status_ok(out_status);
    ts_elevation_free(out_elevation);
    return ts_status_set(out_status, code, path, 0, "%s", why.message);
}
