// PNG files by libpng: see the header. Files are untrusted: sizes are checked against a limit before memory is taken. libpng reports
// errors by longjmp; everything that must survive one lives in a struct outside.
#include "engine/read/png_file_internal.h"

#include <stdlib.h>
#include <string.h>

#ifdef TS_HAVE_PNG
#include <png.h>
#include <setjmp.h>

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
    if (width > TS_PNG_PIXEL_LIMIT || height > TS_PNG_PIXEL_LIMIT ||
        (unsigned long long)width * height > TS_PNG_PIXEL_LIMIT)
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

ts_code ts_png_decode(const ts_text* bytes, ts_png* out_png, ts_status* out_status) {
    png_job job = {.data = (const unsigned char*)ts_text_get(bytes), .size = bytes->length, .why = "out of memory"};
    int read = read_stream(&job);
    free(job.row);
    memset(out_png, 0, sizeof *out_png);
    if (!read) {
        free(job.pixels);
        return ts_status_set(out_status, TS_ERROR_PARSE, NULL, 0, "it is no sound PNG: %s", job.why);
    }
    *out_png = (ts_png){job.width, job.height, job.channels, job.pixels};
    return ts_status_ok(out_status);
}
#else
ts_code ts_png_decode(const ts_text* bytes, ts_png* out_png, ts_status* out_status) {
    (void)bytes;
    memset(out_png, 0, sizeof *out_png);
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no libpng to read pictures with");
}
#endif

void ts_png_free(ts_png* png) {
    free(png->pixel);
    memset(png, 0, sizeof *png);
}
