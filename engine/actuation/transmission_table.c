// The one list of kinds of transmissions: one line each.
#include <string.h>

#include "base/scalar.h"
#include "engine/actuation/transmission_internal.h"

// X(name) stands for the ts_transmission called ts_transmission_name.
#define TRANSMISSIONS(X) \
    X(joint)             \
    X(jointinparent)     \
    X(site)              \
    X(tendon)            \
    X(cranksite)         \
    X(body)

#define DECLARE(name) extern const ts_transmission ts_transmission_##name;
#define ADDRESS(name) &ts_transmission_##name,

TRANSMISSIONS(DECLARE)

static const ts_transmission* const transmission_table[] = {TRANSMISSIONS(ADDRESS)};

int ts_transmission_count(void) { return (int)(sizeof transmission_table / sizeof transmission_table[0]); }

const ts_transmission* ts_transmission_at(int i) { return transmission_table[i]; }

const char* ts_transmission_name(int i) { return transmission_table[i]->name; }

int ts_transmission_find(const char* name) {
    for (int i = 0; i < ts_transmission_count(); ++i)
        if (strcmp(transmission_table[i]->name, name) == 0) return i;
    return -1;
}

double ts_transmission_full_turn(const double* gear) { return 2.0 * TS_PI * ts_vec3_norm(ts_vec3_load(gear)); }
