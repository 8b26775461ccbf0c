// What a page consists of: files in a folder; and plots, each drawn in the page and written as files of its own, which links below
// it lead to.
#ifndef TS_CLI_PAGE_PLOT_INTERNAL_H
#define TS_CLI_PAGE_PLOT_INTERNAL_H

#include "base/status.h"
#include "cli/report/svg_internal.h"

/// The files of a page. Zero-initialised plus `directory`.
typedef struct ts_page_files {
    const char* directory;  // which exists; plots go to `plots` in it, which is made. NULL: no files
    ts_status status;       // the first error; nothing is written after it
} ts_page_files;

/// Writes `text` to that name in the folder, and frees the text.
void ts_page_files_write(ts_page_files* self, const char* name, ts_text* text);

/// One plot of a page.
typedef struct ts_page_plot {
    const ts_svg_plot* plot;
    const char* name;     // of its files, before the words of its title, or NULL
    const char* css;      // class of its <figure>, or NULL
    const char* caption;  // markup below it, or NULL
    int bare;             // nonzero: without its title
} ts_page_plot;

/// Appends <figure>...</figure>, and writes its files.
void ts_page_plot_add(const ts_page_plot* self, ts_page_files* files, ts_text* text);

#endif
