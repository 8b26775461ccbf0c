// Command lines that repeat what a report shows.
#ifndef TS_CLI_REPLAY_H
#define TS_CLI_REPLAY_H

#include "cli/args.h"
#include "cli/report/series.h"

/// The comparison as it was asked for: "touchstone compare sliding-cube --out report".
void ts_replay_compare(const ts_args* args, ts_text* text);

/// One of its runs at a moment, in the viewer: "touchstone view SCENE --solver ncp --time 0.25", with the settings of the
/// comparison that this solver has.
void ts_replay_view(const ts_args* args, const char* scene, const ts_series* series, double time, ts_text* text);

#endif
