// Ctrl-C: the first asks the program to finish what it is at, the second kills it.
#ifndef TS_CLI_SIGNALS_H
#define TS_CLI_SIGNALS_H

/// From now on SIGINT and SIGTERM set a flag once; a second one has its usual effect. A closed pipe on standard output
/// becomes a write error instead of sudden death, so that recordings are closed.
void ts_signals_begin(void);

/// The signal that came, or 0.
int ts_signals_caught(void);

/// The exit code that a shell expects of a program stopped by the signal that came: 130 for Ctrl-C, 143 for SIGTERM.
int ts_signals_exit_code(void);

#endif
