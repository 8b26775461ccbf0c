// A command that reads somebody's HDF5 files runs in a process of its own: HDF5 1.10 crashes on some damaged ones, and a crash shall end in a
// message as everything else does.
#ifndef TS_CLI_GUARD_INTERNAL_H
#define TS_CLI_GUARD_INTERNAL_H

/// Room for the name of a file, terminator included.
enum { TS_GUARD_NAME = 1024 };

/// Looks for an HDF5 file among the words of a command line: FILE, FILE@MOMENT, --flag=FILE. Nonzero where there is one; the first one's name goes to out_name.
int ts_guard_finds(int count, char* const* words, char out_name[TS_GUARD_NAME]);

/// Runs it in a process of its own, which is sent what interrupts this one, and returns its exit code. *out_crash is the signal that a crash ended it
/// by, else 0. Where no process can be made it runs here.
int ts_guard_run(int (*run)(const void* context), const void* context, int* out_crash);

#endif
