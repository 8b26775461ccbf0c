// Problem: HDF5 1.10 divides by zero, or writes where it must not, on some files whose headers are damaged, and nothing that is asked for before
// reading prevents it: headers of the old format have no checksum. Rule: a command with an HDF5 file on its line runs in a child that prints for itself; the parent waits,
// hands on signals that were sent to it alone (what a terminal sends reaches both), and tells of a crash. Guarantee: a crash within HDF5 ends as a
// message and an exit code. Known limits: memory that HDF5 spoils without crashing goes unnoticed, and a crash of our own, with such a file, is laid at its door.
#include "cli/guard_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// The signature stands at the beginning, or behind a block of somebody's own of 512, 1024, 2048, ... bytes.
static int is_hdf5(const char* path) {
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char start[8];
    struct stat info;
    // A pipe can be read once only.
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    FILE* file = fopen(path, "rb");
    int found = 0;
    for (long at = 0; file && !found && at < info.st_size; at = at == 0 ? 512 : 2 * at)
        found = fseek(file, at, SEEK_SET) == 0 && fread(start, 1, sizeof start, file) == sizeof start &&
                memcmp(start, signature, sizeof start) == 0;
    if (file) fclose(file);
    return found;
}

int ts_guard_finds(int count, char* const* words, char out_name[TS_GUARD_NAME]) {
    for (int i = 0; i < count; ++i) {
        const char* equals = words[i][0] == '-' ? strchr(words[i], '=') : NULL;
        const char* name = equals ? equals + 1 : words[i];
        if (strlen(name) >= TS_GUARD_NAME) continue;
        memcpy(out_name, name, strlen(name) + 1);
        if (is_hdf5(out_name)) return 1;
        char* moment = strrchr(out_name, '@');
        if (!moment) continue;
        *moment = '\0';
        if (is_hdf5(out_name)) return 1;
    }
    return 0;
}

static int is_crash(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT;
}

// Until the child has ended. The signals are blocked.
static int wait_for(pid_t child, const sigset_t* signals) {
    int status = 0;
    for (;;) {
        siginfo_t info;
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child || (got < 0 && errno != EINTR)) return status;
        int number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code == SI_USER) kill(child, number);
    }
}

int ts_guard_run(int (*run)(const void* context), const void* context, int* out_crash) {
    sigset_t signals, before;
    *out_crash = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t child = fork();
    if (child <= 0) sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return run(context);
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
        exit(run(context));
    }
    int status = wait_for(child, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (is_crash(WTERMSIG(status))) *out_crash = WTERMSIG(status);
    return 128 + WTERMSIG(status);
}
