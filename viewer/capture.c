// Problem: a PNG that is either whole or not there. Rule: libpng writes into memory, and the bytes become a file in one piece
// (ts_text_write_file). Guaranteed: the same pixels give the same bytes (no time stamp). libpng reports errors by longjmp;
// everything that must survive one lives in a struct outside.
#include "viewer/capture.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct png_job {
    ts_text* bytes;
    ts_capture_pixels pixels;
    char why[200];
} png_job;

static void on_error(png_structp png, png_const_charp message) {
    png_job* job = png_get_error_ptr(png);
    strncpy(job->why, message, sizeof job->why - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    png_job* job = png_get_io_ptr(png);
    ts_text_add_bytes(job->bytes, (const char*)bytes, count);
    if (job->bytes->failed) png_error(png, "out of memory");
}

static void on_flush(png_structp png) { (void)png; }

static int write_stream(png_job* job) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    if (!png) return 0;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_set_write_fn(png, job, on_write, on_flush);
    const ts_capture_pixels* p = &job->pixels;
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8,
                 p->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Flat colours and thin lines compress best as they are; filters suit photographs.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, 9);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    size_t row = (size_t)p->channels * (size_t)p->width;
    for (int y = 0; y < p->height; ++y) png_write_row(png, p->data + row * (size_t)y);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 1;
}

ts_code ts_capture_encode_png(ts_capture_pixels pixels, ts_text* png, ts_status* out_status) {
    png_job job = {png, pixels, "libpng has no memory"};
    return write_stream(&job)
               ? ts_status_ok(out_status)
               : ts_status_set(out_status, TS_ERROR_FILE, NULL, 0, "the picture was not written: %s", job.why);
}

ts_code ts_capture_write_png(const char* path, ts_capture_pixels pixels, ts_status* out_status) {
    ts_text png = {0};
    ts_code code = ts_capture_encode_png(pixels, &png, out_status);
    if (!code) code = ts_text_write_file(&png, path, out_status);
    ts_text_free(&png);
    return code;
}

ts_code ts_capture_device(ts_device* device, int width, int height, const char* path, ts_status* out_status) {
    unsigned char* rgb = malloc(3u * (size_t)width * (size_t)height);
    if (!rgb) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    ts_code code = ts_device_read(device, 3, rgb, out_status);
    ts_capture_pixels pixels = {width, height, 3, rgb};
    if (!code) code = ts_capture_write_png(path, pixels, out_status);
    free(rgb);
    return code;
}
