// Problem: a PNG that is either whole or not there. Rule: libpng writes a temporary file beside the target, which then takes
// the target's name. Guaranteed: the same pixels give the same bytes (no time stamp). libpng reports errors by longjmp;
// everything that must survive one lives in a struct outside.
#include "viewer/capture.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct png_job {
    FILE* file;
    const unsigned char* rgb;
    int width;
    int height;
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

static int write_stream(png_job* job) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    if (!png) return 0;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_init_io(png, job->file);
    png_set_IHDR(png, info, (png_uint_32)job->width, (png_uint_32)job->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < job->height; ++y) png_write_row(png, job->rgb + 3u * (size_t)job->width * (size_t)y);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 1;
}

ts_code ts_capture_write_png(const char* path, int width, int height, const unsigned char* rgb, ts_status* out_status) {
    static const char suffix[] = ".tmpXXXXXX";
    size_t length = strlen(path);
    char* temporary = malloc(length + sizeof suffix);
    if (!temporary) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "no memory to write a picture");
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof suffix);

    png_job job = {NULL, rgb, width, height, "libpng has no memory"};
    int descriptor = mkstemp(temporary);
    if (descriptor >= 0) job.file = fdopen(descriptor, "wb");
    if (!job.file) {
        ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write a picture here: %s", strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
            unlink(temporary);
        }
        free(temporary);
        return TS_ERROR_FILE;
    }
    // mkstemp makes files private; a picture should have the rights any new file has.
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);

    int written = write_stream(&job);
    if (fclose(job.file) != 0 && written) {
        written = 0;
        strncpy(job.why, strerror(errno), sizeof job.why - 1);
    }
    if (written && rename(temporary, path) != 0) {
        written = 0;
        strncpy(job.why, strerror(errno), sizeof job.why - 1);
    }
    if (!written) unlink(temporary);
    free(temporary);
    if (!written) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "the picture was not written: %s", job.why);
    return ts_status_ok(out_status);
}
