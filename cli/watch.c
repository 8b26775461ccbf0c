// The child holds the writing end of a pipe for as long as it lives; the parent waits for the pipe to close, for a
// signal, or for the time to be up, whichever is first.
#include "cli/watch_internal.h"

#include "base/clock.h"
#include "cli/signals.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// A signal that comes between the look at its flag and the wait is noticed this much later, ms.
enum { PATIENCE_MS = 50 };

void* ts_watch_memory(size_t size) {
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void ts_watch_release(void* memory, size_t size) {
    if (memory) munmap(memory, size);
}

static void be_child(const ts_watched* work) {
    // Ctrl-C reaches both; the parent decides.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to read the answer of an orphan
#endif
    work->run(work->context);
    _exit(0);
}

// Waits until the child has ended or must end.
static ts_watch_end wait_for(const ts_watched* work, int fd) {
    double begin = ts_clock_seconds();
    for (;;) {
        struct pollfd event = {fd, POLLIN, 0};
        double left = work->ready && *work->ready ? HUGE_VAL : begin + work->limit - ts_clock_seconds();
        if (ts_signals_caught()) return TS_WATCH_SIGNAL;
        if (left <= 0.0) return TS_WATCH_TIME_LIMIT;
        int got = poll(&event, 1, left * 1e3 < PATIENCE_MS ? (int)ceil(left * 1e3) : PATIENCE_MS);
        if (got > 0) return TS_WATCH_DONE;
        if (work->tick) work->tick(work->user);
    }
}

ts_watch_end ts_watch_run(const ts_watched* work, int* out_signal) {
    int end[2];
    if (out_signal) *out_signal = 0;
    if (pipe(end) != 0) return TS_WATCH_NOT_STARTED;
    pid_t child = fork();
    if (child == 0) {
        close(end[0]);
        be_child(work);
    }
    close(end[1]);
    if (child < 0) {
        close(end[0]);
        return TS_WATCH_NOT_STARTED;
    }
    ts_watch_end result = wait_for(work, end[0]);
    if (result != TS_WATCH_DONE) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    close(end[0]);
    if (result != TS_WATCH_DONE || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return result;
    if (out_signal && WIFSIGNALED(status)) *out_signal = WTERMSIG(status);
    return TS_WATCH_CRASHED;
}
