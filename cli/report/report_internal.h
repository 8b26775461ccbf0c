// Shared by the files that write the report and its data.
#ifndef TS_CLI_REPORT_INTERNAL_H
#define TS_CLI_REPORT_INTERNAL_H

#include "cli/report/comparison_internal.h"
#include "cli/report/page_plot_internal.h"

/// The page's style sheet, without that of plots.
void ts_report_add_style(ts_text* text);

/// The page's script, with its tags.
void ts_report_add_script(ts_text* text);

/// The <figure>s of the report.
void ts_report_plots(const ts_comparison* comparison, ts_page_files* files, ts_text* text);

/// One entry of a legend: it switches the curves of that style in the plots that follow the legend.
void ts_report_legend_entry(int style, int style_count, const char* label, ts_text* text);

/// Convergence within a step, where it was measured.
void ts_report_convergence(const ts_comparison* comparison, ts_page_files* files, ts_text* text);

/// The worst step of every group, contact by contact.
void ts_report_contacts(const ts_comparison* comparison, ts_page_files* files, ts_text* text);

/// "<td>12.3 mm</td>".
void ts_report_cell(ts_text* text, double value, const char* unit);

/// The same of what a law leaves, of which `share` is unmet; a dot where the law holds, whose rest is rounding.
void ts_report_figure_cell(ts_text* text, double value, const char* unit, double share);

/// Keeps "-0.0000" out of tables with four decimals.
double ts_report_whole(double value);

/// `plain`, escaped, between two pieces of markup.
void ts_report_escaped(ts_text* text, const char* before, const char* plain, const char* after);

/// A command line that a click copies.
void ts_report_command(const char* command, ts_text* text);

/// A key and three numbers.
void ts_report_json_vector(ts_json* json, const char* key, ts_vec3 v);

#endif
