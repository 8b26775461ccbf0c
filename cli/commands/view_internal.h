// Ways to view that are files of their own.
#ifndef TS_CLI_VIEW_INTERNAL_H
#define TS_CLI_VIEW_INTERNAL_H

#include "cli/args.h"

/// view --html: writes a page. Returns the exit code.
int ts_view_html(const ts_args* args);

#endif
