// The one list of sources of rows: one line each. Their order is that of the blocks in the problem; sweeps visit them so.
#include <string.h>

#include "engine/rows/row_source_internal.h"

#define TS_ROW_SOURCES(source) source(contact) source(joint_limit) source(joint_friction)

#define DECLARE(name) extern const ts_row_source ts_row_##name;
TS_ROW_SOURCES(DECLARE)

#define ENTRY(name) &ts_row_##name,
static const ts_row_source* const source_table[] = {TS_ROW_SOURCES(ENTRY)};

enum { SOURCE_COUNT = sizeof source_table / sizeof source_table[0] };

int ts_row_source_count(void) { return SOURCE_COUNT; }

const ts_row_source* ts_row_source_at(int i) { return source_table[i]; }

const char* ts_row_source_name(int i) { return source_table[i]->name; }

int ts_row_source_find(const char* name) {
    for (int i = 0; i < SOURCE_COUNT; ++i)
        if (strcmp(source_table[i]->name, name) == 0) return i;
    return -1;
}
