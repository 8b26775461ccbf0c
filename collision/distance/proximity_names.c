// The methods of the query and what its answers are called, for menus, command lines and messages.
#include "collision/distance/proximity.h"

#include <string.h>

typedef struct method_row {
    const char* name;
    const char* summary;
} method_row;

static const method_row methods[TS_PROXIMITY_METHOD_COUNT] = {
    {"auto", "the cheapest that does the pair: a closed form where there is one, else GJK and EPA"},
    {"gjk", "GJK on the cores and EPA where they overlap, never a closed form (but for half-spaces)"},
    {"closed-form", "formulas only: half-spaces, spheres, capsules; refuses other pairs"},
    {"sat", "boxes only: active sets and separating axes"},
    {"incremental", "GJK, and incremental depth where the shapes overlap: a local search, loosely bounded from above"},
};

const char* ts_proximity_method_name(ts_proximity_method method) {
    return (unsigned)method < TS_PROXIMITY_METHOD_COUNT ? methods[method].name : "unknown";
}

const char* ts_proximity_method_summary(ts_proximity_method method) {
    return (unsigned)method < TS_PROXIMITY_METHOD_COUNT ? methods[method].summary : "";
}

ts_proximity_method ts_proximity_method_find(const char* name) {
    int i = 0;
    while (i < TS_PROXIMITY_METHOD_COUNT && strcmp(methods[i].name, name) != 0) ++i;
    return (ts_proximity_method)i;
}

const char* ts_proximity_status_name(ts_proximity_status status) {
    static const char* const name[] = {"separated",     "touching", "penetrating",  "separated-early",
                                       "overlap-early", "limit",    "invalid-input"};
    return (unsigned)status <= TS_PROXIMITY_INVALID_INPUT ? name[status] : "unknown";
}

const char* ts_proximity_reason_text(ts_proximity_reason reason) {
    static const char* const text[TS_PROXIMITY_REASON_COUNT] = {
        "nothing is wrong",
        "a pose is not finite",
        "a dimension or a vertex leads to numbers that are not finite",
        "two half-spaces have no distance",
        "the method asked for does not do this pair of shapes",
    };
    return (unsigned)reason < TS_PROXIMITY_REASON_COUNT ? text[reason] : "unknown";
}
