// Shared by the two files that write report.html.
#ifndef TS_CLI_REPORT_INTERNAL_H
#define TS_CLI_REPORT_INTERNAL_H

#include "cli/comparison.h"
#include "cli/svg.h"

/// The <figure>s of the report.
void ts_report_plots(const ts_comparison* comparison, ts_text* text);

#endif
