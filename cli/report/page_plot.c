// Files are named after what stands above the plot: "Speed along the initial direction" is plots/speed-along-the-initial-direction.svg.
#include "cli/report/page_plot_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME = 128 };

static const struct kind {
    const char* suffix;
    const char* words;
    void (*make)(const ts_svg_plot* plot, ts_text* text);
} kinds[] = {{"svg", "SVG", ts_svg_file}, {"pdf", "PDF", ts_svg_pdf}, {"csv", "CSV", ts_svg_csv}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

void ts_page_files_write(ts_page_files* self, const char* name, ts_text* text) {
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", self->directory, name);
    if (!self->status.code) ts_text_write_file(text, path, &self->status);
    ts_text_free(text);
}

// Letters and digits of the words, in lower case, with dashes between.
static void add_words(const char* words, char out_name[NAME]) {
    size_t length = strlen(out_name);
    for (const char* c = words; *c && length + 2 < NAME; ++c) {
        if (!isalnum((unsigned char)*c)) continue;
        if (length > 0 && (c == words || !isalnum((unsigned char)c[-1]))) out_name[length++] = '-';
        out_name[length++] = (char)tolower((unsigned char)*c);
    }
    out_name[length] = '\0';
}

static void write_files(const ts_svg_plot* plot, const char* name, ts_page_files* files) {
    char path[4400];
    snprintf(path, sizeof path, "%s/plots", files->directory);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        ts_status_set(&files->status, TS_ERROR_FILE, path, 0, "cannot make this directory: %s", strerror(errno));
        return;
    }
    for (int k = 0; k < KINDS; ++k) {
        ts_text text = {0};
        kinds[k].make(plot, &text);
        char file[NAME + 16];
        snprintf(file, sizeof file, "plots/%s.%s", name, kinds[k].suffix);
        ts_page_files_write(files, file, &text);
    }
}

void ts_page_plot_add(const ts_page_plot* self, ts_page_files* files, ts_text* text) {
    ts_text_add(text, self->css ? "<figure class=\"%s\">" : "<figure>", self->css);
    if (!self->bare) {
        ts_text_add(text, "<h3>");
        ts_svg_escape(text, self->plot->title);
        ts_text_add(text, "</h3>\n");
    }
    ts_svg_plot_add(self->plot, text);
    ts_text_add(text, "<figcaption>%s", self->caption ? self->caption : "");
    if (files->directory && !files->status.code) {
        char name[NAME] = "";
        if (self->name) add_words(self->name, name);
        add_words(self->plot->title, name);
        write_files(self->plot, name, files);
        ts_text_add(text, "<span class=\"files\">");
        for (int k = 0; k < KINDS; ++k)
            ts_text_add(text, "<a href=\"plots/%s.%s\">%s</a>", name, kinds[k].suffix, kinds[k].words);
        ts_text_add(text, "</span>");
    }
    ts_text_add(text, "</figcaption></figure>\n");
}
