// Which writer a film is for, and what writers have in common.
#include "cli/video/video_internal.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct ending {
    const char* name;
    const ts_video_kind* kind;
} endings[] = {{".gif", &ts_video_gif},     {".png", &ts_video_apng},   {".mp4", &ts_video_ffmpeg},
               {".webm", &ts_video_ffmpeg}, {".mkv", &ts_video_ffmpeg}, {".mov", &ts_video_ffmpeg}};

static const ts_video_kind* kind_of(const char* path) {
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; ++i)
        if (strcasecmp(dot, endings[i].name) == 0) return endings[i].kind;
    return NULL;
}

int ts_video_is_name(const char* path) { return kind_of(path) != NULL; }

ts_code ts_video_check(const char* path, ts_status* out_status) {
    char program[4200];
    if (kind_of(path) != &ts_video_ffmpeg) return ts_status_ok(out_status);
    return ts_video_find_ffmpeg(path, program, sizeof program, out_status);
}

ts_code ts_video_open(const ts_video_format* format, ts_video** out_video, ts_status* out_status) {
    ts_video* video = (ts_video*)calloc(1, sizeof *video);
    *out_video = NULL;
    if (video) video->before = (unsigned char*)malloc(3u * (size_t)format->width * (size_t)format->height);
    if (!video || !video->before) {
        free(video);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a film");
    }
    video->format = *format;
    video->kind = format->path ? kind_of(format->path) : &ts_video_gif;
    ts_code code = video->kind->begin(video, out_status);
    if (code)
        ts_video_close(video, 0, NULL, NULL);
    else
        *out_video = video;
    return code;
}

ts_code ts_video_add(ts_video* video, const unsigned char* rgb, ts_status* out_status) {
    ts_code code = video->kind->add(video, rgb, out_status);
    memcpy(video->before, rgb, 3u * (size_t)video->format.width * (size_t)video->format.height);
    video->count++;
    if (!code && video->bytes.failed)
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a film");
    return code;
}

ts_code ts_video_close(ts_video* video, int keep, ts_text* out_bytes, ts_status* out_status) {
    ts_code code = video->kind->end(video, keep, out_status);
    if (!code && keep && video->kind != &ts_video_ffmpeg) {
        if (video->format.path)
            code = ts_text_write_file(&video->bytes, video->format.path, out_status);
        else
            ts_text_add_bytes(out_bytes, ts_text_get(&video->bytes), video->bytes.length);
    }
    ts_text_free(&video->bytes);
    free(video->before);
    free(video);
    return code;
}

ts_video_part ts_video_changed(const ts_video* video, const unsigned char* rgb) {
    int width = video->format.width, height = video->format.height;
    ts_video_part all = {0, 0, width, height};
    if (video->count == 0) return all;
    int left = width, right = -1, top = height, bottom = -1;
    for (int y = 0; y < height; ++y) {
        const unsigned char *a = rgb + 3 * (size_t)y * (size_t)width,
                            *b = video->before + 3 * (size_t)y * (size_t)width;
        if (memcmp(a, b, 3u * (size_t)width) == 0) continue;
        int first = 0, last = width - 1;
        while (memcmp(a + 3 * first, b + 3 * first, 3) == 0) ++first;
        while (memcmp(a + 3 * last, b + 3 * last, 3) == 0) --last;
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y;
    }
    ts_video_part part = {left, top, right - left + 1, bottom - top + 1};
    if (right < 0) part = (ts_video_part){0, 0, 0, 0};
    return part;
}

ts_code ts_video_begin(const ts_video_format* format, double duration, double slow, ts_video_job* out_job,
                       ts_status* out_status) {
    double count = floor(duration * slow * format->rate + 0.5) + 1.0;
    out_job->count = count < 2.0 ? 2 : count > 1e7 ? 10000000 : (int)count;
    out_job->progress = ts_progress_begin("film");
    return ts_video_open(format, &out_job->video, out_status);
}

ts_code ts_video_take(void* user, int frame, const unsigned char* rgb, ts_status* out_status) {
    ts_video_job* job = (ts_video_job*)user;
    ts_progress_update(&job->progress, (double)(frame + 1) / (double)job->count);
    // After some pictures it can be told how long all of them take.
    if (frame >= 3 && (ts_clock_seconds() - job->progress.start) * job->count > job->patience * (frame + 1))
        return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "this film takes too long");
    return ts_video_add(job->video, rgb, out_status);
}

ts_code ts_video_end(ts_video_job* job, ts_code code, ts_text* out_bytes, ts_status* out_status) {
    ts_progress_end(&job->progress);
    ts_code ended = ts_video_close(job->video, code == TS_OK, out_bytes, code ? NULL : out_status);
    return code ? code : ended;
}
