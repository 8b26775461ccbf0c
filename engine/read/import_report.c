// The list of findings of an import. Findings come from fixed tables, so there are few different ones; a cap keeps a
// hostile file with a million made-up names from turning the search for equal findings into its weapon.
#include "engine/read/import_report.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

// Different findings kept; further ones are counted together in the last.
enum { ITEM_LIMIT = 1000 };

static void copy_cut(char* target, size_t size, const char* source) {
    snprintf(target, size, "%s", source ? source : "");
}

static ts_import_item* find_item(const ts_import_report* report, ts_import_level level, const char* what,
                                 const char* meaning) {
    for (int i = 0; i < report->count; ++i) {
        ts_import_item* item = &report->item[i];
        // What is stored may have been cut to its field.
        if (item->level == level && strncmp(item->what, what, sizeof item->what - 1) == 0 &&
            strncmp(item->meaning, meaning, sizeof item->meaning - 1) == 0)
            return item;
    }
    return NULL;
}

void ts_import_report_add(ts_import_report* report, ts_import_level level, int affects_physics, const char* what,
                          const char* meaning, const char* file, int line) {
    if (!report) return;
    // What is in the model is not lost, whatever a law makes of it.
    if (level == TS_IMPORT_HONOURED || level == TS_IMPORT_KEPT) affects_physics = 0;
    ts_import_item* item = find_item(report, level, what, meaning);
    if (!item && report->count >= ITEM_LIMIT) {
        item = &report->item[report->count - 1];
        copy_cut(item->what, sizeof item->what, "(more)");
        copy_cut(item->meaning, sizeof item->meaning, "too many different findings to list them one by one");
        item->level = TS_IMPORT_IGNORED;
    }
    if (item) {
        ++item->count;
        item->affects_physics |= affects_physics != 0;
        return;
    }
    void* data = report->item;
    if (!ts_array_grow(&data, &report->capacity, sizeof *report->item, report->count + 1)) return;
    report->item = (ts_import_item*)data;
    item = &report->item[report->count++];
    memset(item, 0, sizeof *item);
    item->level = level;
    item->affects_physics = affects_physics != 0;
    item->count = 1;
    copy_cut(item->what, sizeof item->what, what);
    copy_cut(item->meaning, sizeof item->meaning, meaning);
    copy_cut(item->file, sizeof item->file, file);
    item->line = line;
}

int ts_import_report_count(const ts_import_report* report, ts_import_level level, int physics_only) {
    int count = 0;
    if (!report) return 0;
    for (int i = 0; i < report->count; ++i)
        count += report->item[i].level == level && (!physics_only || report->item[i].affects_physics);
    return count;
}

const char* ts_import_level_name(ts_import_level level) {
    static const char* const name[] = {"honoured", "kept", "approximated", "ignored"};
    return (unsigned)level <= TS_IMPORT_IGNORED ? name[level] : "unknown";
}

void ts_import_report_free(ts_import_report* report) {
    if (!report) return;
    ts_array_release(report->item);
    memset(report, 0, sizeof *report);
}
