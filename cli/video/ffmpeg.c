// Films by ffmpeg: a process of its own, started without a shell, reads raw pictures from a pipe and writes a file beside the one that
// was asked for, which takes its name when all went well.
#include "cli/video/video_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

ts_code ts_video_find_ffmpeg(const char* path, char* out_program, size_t size, ts_status* out_status) {
    const char* folders = getenv("PATH");
    while (folders && *folders) {
        int length = (int)strcspn(folders, ":");
        int written = snprintf(out_program, size, "%.*s/ffmpeg", length, folders);
        if (length > 0 && written > 0 && (size_t)written < size && access(out_program, X_OK) == 0)
            return ts_status_ok(out_status);
        folders += length + (folders[length] == ':');
    }
    return ts_status_set(
        out_status, TS_ERROR_UNSUPPORTED, path, 0,
        "this kind of film needs the program ffmpeg, which is not installed; .gif and .png are written without it");
}

// Beside the file, of the same kind: "film.mp4" becomes ".film.1234.mp4".
static int name_temporary(ts_video* video) {
    const char* path = video->format.path;
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    int length = snprintf(video->temporary, sizeof video->temporary, "%.*s.%.*s.%ld%s", (int)(name - path), path,
                          (int)(dot - name), name, (long)getpid(), dot);
    return length > 0 && (size_t)length < sizeof video->temporary;
}

static void become_ffmpeg(const ts_video* video, const char* program, int from) {
    char size[32], rate[32], output[4300];
    snprintf(size, sizeof size, "%dx%d", video->format.width, video->format.height);
    snprintf(rate, sizeof rate, "%g", video->format.rate);
    // A name that begins with a dash, or has a colon, is a file all the same.
    snprintf(output, sizeof output, "file:%s", video->temporary);
    const char* words[] = {"ffmpeg",   "-nostdin", "-loglevel", "error", "-y",  "-f",
                           "rawvideo", "-pix_fmt", "rgb24",     "-s",    size,  "-r",
                           rate,       "-i",       "pipe:0",    "-an",   "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                           "-pix_fmt", "yuv420p",  output,      NULL};
    dup2(from, 0);
    signal(SIGPIPE, SIG_DFL);
    execv(program, (char* const*)words);
    _exit(127);
}

static ts_code begin(ts_video* video, ts_status* out_status) {
    char program[4200];
    int ends[2];
    video->pipe = -1;
    ts_code code = ts_video_find_ffmpeg(video->format.path, program, sizeof program, out_status);
    if (code) return code;
    if (!name_temporary(video))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the name of the film is too long");
    if (pipe(ends) != 0) return ts_status_set(out_status, TS_ERROR_FILE, NULL, 0, "no pipe: %s", strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) become_ffmpeg(video, program, ends[0]);
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return ts_status_set(out_status, TS_ERROR_FILE, NULL, 0, "ffmpeg does not start: %s", strerror(errno));
    }
    video->pipe = ends[1];
    video->child = (int)child;
    return ts_status_ok(out_status);
}

static ts_code add(ts_video* video, const unsigned char* rgb, ts_status* out_status) {
    size_t size = 3u * (size_t)video->format.width * (size_t)video->format.height, done = 0;
    // That ffmpeg has ended shall be an error here, not the end of this program.
    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    while (done < size) {
        ssize_t written = write(video->pipe, rgb + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    sigaction(SIGPIPE, &before, NULL);
    if (done == size) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_FILE, video->format.path, 0,
                         "ffmpeg does not take the pictures of this film");
}

static ts_code end(ts_video* video, int keep, ts_status* out_status) {
    int how = 0;
    if (video->pipe < 0) return ts_status_ok(out_status);
    close(video->pipe);
    while (waitpid((pid_t)video->child, &how, 0) < 0 && errno == EINTR) continue;
    if (!keep) {
        unlink(video->temporary);
        return ts_status_ok(out_status);
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0 && rename(video->temporary, video->format.path) == 0)
        return ts_status_ok(out_status);
    unlink(video->temporary);
    return ts_status_set(out_status, TS_ERROR_FILE, video->format.path, 0, "ffmpeg did not write this film");
}

const ts_video_kind ts_video_ffmpeg = {begin, add, end};
