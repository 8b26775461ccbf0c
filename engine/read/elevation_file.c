// Files of elevations: see the header. Files are untrusted: sizes are checked against the file and a limit before memory is taken.
// libpng reports errors by longjmp; everything that must survive one lives in a struct outside.
#include "engine/read/elevation_file_internal.h"

#include "engine/read/xml_internal.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef TS_HAVE_PNG
#include <png.h>
#include <setjmp.h>
#endif

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

#ifdef TS_HAVE_PNG
typedef struct png_job {
    const unsigned char* data;
    size_t size, at;
    unsigned char* pixels;
    png_bytep* row;
    int width, height, channels;
    char why[160];
} png_job;

static void on_error(png_structp png, png_const_charp message) {
    png_job* job = (png_job*)png_get_error_ptr(png);
    strncpy(job->why, message, sizeof job->why - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep bytes, size_t count) {
    png_job* job = (png_job*)png_get_io_ptr(png);
    if (count > job->size - job->at) png_error(png, "it ends too early");
    memcpy(bytes, job->data + job->at, count);
    job->at += count;
}

// The picture in bytes, one or three for a pixel. Returns 0 with job->why.
static int read_stream(png_job* job) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    if (!png) return 0;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return 0;
    }
    png_set_read_fn(png, job, on_read);
    png_read_info(png, info);
    png_set_strip_16(png);
    png_set_expand(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    if (width > TS_ELEVATION_SAMPLE_LIMIT || height > TS_ELEVATION_SAMPLE_LIMIT ||
        (unsigned long long)width * height > TS_ELEVATION_SAMPLE_LIMIT)
        png_error(png, "it has too many pixels");
    size_t bytes = png_get_rowbytes(png, info);
    job->width = (int)width;
    job->height = (int)height;
    job->channels = (int)(bytes / width);
    job->pixels = (unsigned char*)malloc(bytes * height);
    job->row = (png_bytep*)malloc(height * sizeof *job->row);
    if (!job->pixels || !job->row) png_error(png, "out of memory");
    for (png_uint_32 y = 0; y < height; ++y) job->row[y] = job->pixels + bytes * y;
    png_read_image(png, job->row);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return 1;
}

static ts_code read_png(const ts_text* bytes, ts_elevation* out_elevation, ts_status* out_status) {
    png_job job = {.data = (const unsigned char*)ts_text_get(bytes), .size = bytes->length, .why = "out of memory"};
    ts_code code = read_stream(&job)
                       ? ts_elevation_make(job.height, job.width, out_elevation, out_status)
                       : ts_status_set(out_status, TS_ERROR_PARSE, NULL, 0, "it is no sound PNG: %s", job.why);
    for (int y = 0; !code && y < job.height; ++y)
        for (int x = 0; x < job.width; ++x)
            out_elevation->value[(job.height - 1 - y) * job.width + x] = (double)job.row[y][x * job.channels];
    free(job.pixels);
    free(job.row);
    return code;
}
#else
static ts_code read_png(const ts_text* bytes, ts_elevation* out_elevation, ts_status* out_status) {
    (void)bytes;
    (void)out_elevation;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no libpng to read pictures with");
}
#endif

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
