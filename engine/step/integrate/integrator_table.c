// The one list of integrators. Adding one is a file beside this one and a line here.
#include "engine/step/integrate/integrator.h"

#include "base/text.h"

// X(name) stands for the ts_integrator called ts_name_integrator. Menus show them in this order; the first is the default.
#define INTEGRATORS(X) \
    X(midpoint)        \
    X(euler)           \
    X(rk4)             \
    X(implicit)        \
    X(implicitfast)    \
    X(discrete)

#define DECLARE(name) extern const ts_integrator ts_##name##_integrator;
#define ADDRESS(name) &ts_##name##_integrator,

INTEGRATORS(DECLARE)

static const ts_integrator* const integrator_table[] = {INTEGRATORS(ADDRESS)};

int ts_integrator_count(void) { return (int)(sizeof integrator_table / sizeof integrator_table[0]); }

const ts_integrator* ts_integrator_at(int i) { return integrator_table[i]; }

static char small_letter(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static int same_name(const char* a, const char* b) {
    while (*a && small_letter(*a) == small_letter(*b)) ++a, ++b;
    return small_letter(*a) == small_letter(*b);
}

const ts_integrator* ts_integrator_find(const char* name) {
    for (int i = 0; i < ts_integrator_count(); ++i)
        if (same_name(integrator_table[i]->name, name)) return integrator_table[i];
    return NULL;
}

static const char* integrator_name(const void* context, int i) {
    (void)context;
    return integrator_table[i]->name;
}

ts_code ts_integrator_unknown(const char* name, ts_status* out_status) {
    char known[200];
    ts_text_list(integrator_name, NULL, ts_integrator_count(), sizeof known, known);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no integrator \"%.31s\"; there are: %s", name, known);
}
