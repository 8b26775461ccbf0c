// Command lines that repeat what a report shows.
#ifndef TS_CLI_REPLAY_INTERNAL_H
#define TS_CLI_REPLAY_INTERNAL_H

#include "cli/args.h"
#include "base/text.h"

/// The comparison as it was asked for: "touchstone compare sliding-cube --out report".
void ts_replay_command(const char* command, const ts_args* args, ts_text* text);

/// A run as it was asked for, without what it wrote.
void ts_replay_run(const ts_args* args, ts_text* text);

/// A run of a scene in the viewer: "touchstone view SCENE --solver ncp", with those of the words given that mean the same there and
/// settings that this solver has. `integrator`: NULL or "" for that of the words. A moment follows.
void ts_replay_view(const ts_args* args, const char* scene, const char* solver, const char* integrator, ts_text* text);

/// " --time 0.25": at that moment.
void ts_replay_time(double time, ts_text* text);

/// " --from run.h5": from where that recording ends, or "run.h5@0.25" was at that moment.
void ts_replay_from(const char* recording, ts_text* text);

#endif
