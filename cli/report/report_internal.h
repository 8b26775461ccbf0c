// Shared by the two files that write report.html.
#ifndef TS_CLI_REPORT_INTERNAL_H
#define TS_CLI_REPORT_INTERNAL_H

#include "cli/report/comparison.h"
#include "cli/report/svg.h"

/// The <figure>s of the report.
void ts_report_plots(const ts_comparison* comparison, ts_text* text);

#endif
