// Signals set a flag that the run looks at after every step.
#include "cli/signals.h"

#include <signal.h>
#include <string.h>

// A signal handler can reach nothing but a global; this one is written by the handler alone.
static volatile sig_atomic_t caught;

static void on_signal(int number) { caught = number; }

void ts_signals_begin(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;  // the second one kills
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
}

int ts_signals_caught(void) { return (int)caught; }

int ts_signals_exit_code(void) { return 128 + (int)caught; }
