// Ways to view that are files of their own.
#ifndef TS_CLI_VIEW_INTERNAL_H
#define TS_CLI_VIEW_INTERNAL_H

#include "cli/args.h"
#include "cli/replay/replay_page_internal.h"

/// What --camera, --layers and --layout ask of a page. TS_ERROR_VALUE for what a page cannot show, or cannot be asked without the viewer.
ts_code ts_view_html_look(const ts_args* args, const ts_model* model, ts_replay_look* out_look, ts_status* out_status);

/// How many files of what kind are asked for, of --png, --video, --charts and --html; the flags of the first two are told.
int ts_view_outputs(const ts_args* args, const char* out_first[2]);

/// view --html: writes a page. Returns the exit code.
int ts_view_html(const ts_args* args);

#endif
