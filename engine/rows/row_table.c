// The one list of sources of rows: one line each. Their order is that of the blocks in the problem; sweeps visit them so.
#include <stdio.h>
#include <string.h>

#include "engine/rows/row_source_internal.h"

// X(name) stands for the ts_row_source called ts_row_name.
#define SOURCES(X)                                                 \
    X(contact)         /* points where geoms meet */               \
    X(joint_limit)     /* ends of a joint's range */               \
    X(joint_friction)  /* dry friction of a joint */               \
    X(tendon_limit)    /* ends of a tendon's range */              \
    X(tendon_friction) /* dry friction of a tendon */              \
    X(servo)           /* an actuator that may reach its limits */ \
    X(connect)         /* a point of two bodies */                 \
    X(weld)            /* a frame of two bodies */                 \
    X(joint_equality)  /* a joint as a polynomial of another */    \
    X(tendon_equality) /* a tendon as a polynomial of another */

#define DECLARE(name) extern const ts_row_source ts_row_##name;
#define ADDRESS(name) &ts_row_##name,

SOURCES(DECLARE)

const ts_row_source* const ts_row_source_table[] = {SOURCES(ADDRESS)};

enum { SOURCE_COUNT = sizeof ts_row_source_table / sizeof ts_row_source_table[0] };

int ts_row_source_count(void) { return SOURCE_COUNT; }

const char* ts_row_source_name(int i) { return ts_row_source_table[i]->name; }

int ts_row_source_find(const char* name) {
    for (int i = 0; i < SOURCE_COUNT; ++i)
        if (strcmp(ts_row_source_table[i]->name, name) == 0) return i;
    return -1;
}

int ts_row_label(const char* kind, int index, const char* name, char* out_text, size_t size) {
    if (!name[0]) return snprintf(out_text, size, "%s %d", kind, index);
    return snprintf(out_text, size, "%s %d '%.80s'", kind, index, name);
}
