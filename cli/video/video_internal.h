// Films as files: GIF and animated PNG by writers of our own, everything else by ffmpeg where it is installed.
#ifndef TS_CLI_VIDEO_INTERNAL_H
#define TS_CLI_VIDEO_INTERNAL_H

#include "base/text.h"
#include "cli/progress.h"

/// A film that is being written.
typedef struct ts_video ts_video;

/// What it is to be.
typedef struct ts_video_format {
    const char* path;  // (borrowed) ends in .gif, .png, .mp4, .webm, .mkv or .mov; NULL: a GIF in memory
    int width;         // pixels
    int height;
    double rate;  // pictures per second
} ts_video_format;

/// Whether a name ends as one of a film does.
int ts_video_is_name(const char* path);

/// Whether this machine can write a film of that name; TS_ERROR_UNSUPPORTED says that ffmpeg is missing.
ts_code ts_video_check(const char* path, ts_status* out_status);

/// Begins a film. An error leaves nothing to be closed.
ts_code ts_video_open(const ts_video_format* format, ts_video** out_video, ts_status* out_status);

/// Adds a picture: rows from top to bottom, three bytes per pixel.
ts_code ts_video_add(ts_video* video, const unsigned char* rgb, ts_status* out_status);

/// Ends it and releases the memory. With `keep` the file appears, whole or not at all; one in memory is appended to `out_bytes`, which may
/// otherwise be NULL. Without, nothing is left.
ts_code ts_video_close(ts_video* video, int keep, ts_text* out_bytes, ts_status* out_status);

/// A film that comes picture by picture, and its progress. Zero-initialised plus `patience`.
typedef struct ts_video_job {
    ts_video* video;
    double patience;  // s of wall clock: a film that will take longer is given up
    int count;        // of its pictures
    ts_progress progress;
} ts_video_job;

/// Begins a film of a motion of `duration` seconds, so many times slower than life.
ts_code ts_video_begin(const ts_video_format* format, double duration, double slow, ts_video_job* out_job,
                       ts_status* out_status);

/// Takes a picture of it; `user` is the job. See ts_view_take.
ts_code ts_video_take(void* user, int frame, const unsigned char* rgb, ts_status* out_status);

/// Ends it: see ts_video_close. `code` is how the pictures ended, and is returned unless it is TS_OK.
ts_code ts_video_end(ts_video_job* job, ts_code code, ts_text* out_bytes, ts_status* out_status);

/// How pictures become bytes: a writer of its own for every kind of file.
typedef struct ts_video_kind {
    ts_code (*begin)(ts_video* video, ts_status* out_status);
    ts_code (*add)(ts_video* video, const unsigned char* rgb, ts_status* out_status);
    ts_code (*end)(ts_video* video, int keep, ts_status* out_status);
} ts_video_kind;

/// The part of a picture that differs from the one before.
typedef struct ts_video_part {
    int x;
    int y;
    int width;  // 0: nothing does
    int height;
} ts_video_part;

struct ts_video {
    ts_video_format format;
    const ts_video_kind* kind;
    ts_text bytes;          // of the file
    unsigned char* before;  // the picture before this one
    long long count;        // pictures so far
    size_t delay;           // where in `bytes` the time of the last written one stands
    long long shown;        // pictures since then, itself included
    unsigned sequence;      // of an animated PNG: its next chunk; and
    unsigned written;       // pictures in it
    size_t control;         // where it says how many
    int pipe;               // to ffmpeg
    int child;              // its process
    char temporary[4200];   // what it writes
};

/// A writer of GIF.
extern const ts_video_kind ts_video_gif;

/// One of animated PNG.
extern const ts_video_kind ts_video_apng;

/// One that hands pictures to ffmpeg.
extern const ts_video_kind ts_video_ffmpeg;

/// Finds ffmpeg in PATH. TS_ERROR_UNSUPPORTED.
ts_code ts_video_find_ffmpeg(const char* path, char* out_program, size_t size, ts_status* out_status);

/// What has changed since the picture before; all of the first one.
ts_video_part ts_video_changed(const ts_video* video, const unsigned char* rgb);

#endif
