// The table of options: one line per field of ts_options gives it a name, a unit, bounds and its place in the struct,
// so that reading, writing and listing never fall out of step with the struct.
#include "engine/model/options.h"

#include "base/number.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum field_kind { FIELD_REAL, FIELD_INTEGER, FIELD_TEXT } field_kind;

typedef struct field {
    ts_option option;
    field_kind kind;
    size_t offset;
} field;

// A row: the option is called as the field is.
#define ROW(member, kind, unit, summary, count, low, high) \
    { {#member, unit, summary, count, low, high}, kind, offsetof(ts_options, member) }
#define REAL(member, unit, summary, low, high) ROW(member, FIELD_REAL, unit, summary, 1, low, high)
#define WHOLE(member, summary, low, high) ROW(member, FIELD_INTEGER, "", summary, 1, low, high)

static const field fields[] = {
    REAL(time_step, "s", "length of a step", 1e-15, 1e6),
    WHOLE(substeps, "parts of a step: contacts are found once and carried along", 1.0, 1000.0),
    ROW(gravity, FIELD_REAL, "m/s^2", "acceleration of free fall (x y z)", 3, -1e15, 1e15),
    REAL(density, "kg/m^3", "of the surrounding medium", 0.0, 1e15),
    REAL(viscosity, "Pa s", "of the surrounding medium", 0.0, 1e15),
    ROW(wind, FIELD_REAL, "m/s", "velocity of that medium (x y z)", 3, -1e15, 1e15),
    ROW(magnetic, FIELD_REAL, "", "magnetic flux that sensors see (x y z)", 3, -1e15, 1e15),
    REAL(contact_margin, "m", "contacts are made from this gap on", 0.0, 1e6),
    REAL(baumgarte, "", "part of a penetration that vanishes in a step", 0.0, 1.0),
    REAL(slop, "m", "penetration that is left alone", 0.0, 1e6),
    REAL(push_out_speed, "m/s", "most a penetration may add to the separation velocity", 0.0, 1e15),
    REAL(push_out_turn, "rad/s", "the same of an angle beyond its limit", 0.0, 1e15),
    REAL(restitution_speed, "m/s", "slower impacts do not bounce; <= 0: from gravity and the step", -1.0, 1e15),
    REAL(compliance_normal, "1/kg", "R of the normal rows", 0.0, 1e12),
    REAL(compliance_tangent, "1/kg", "R of the tangent rows", 0.0, 1e12),
    WHOLE(soft_contacts, "softness of the model's geoms: 0 never, 1 under solver mujoco, 2 always", 0.0, 2.0),
    REAL(impratio, "", "how much harder friction is than the normal, of such contacts", 1e-6, 1e6),
    REAL(contact_stiffness, "N/m", "every contact point is a spring; 0: none is", 0.0, 1e15),
    REAL(contact_dissipation, "s", "damping of such a spring over its stiffness", 0.0, 1e3),
    WHOLE(manifold_points, "most contact points per pair of geoms", 1.0, 8.0),
    REAL(keep_contacts, "", "with substeps: pairs that moved by less, a share of contact_margin, keep their points",
         0.0, 1.0),
    REAL(narrow_tolerance, "m", "where iterations of the narrow phase stop; 0: at rounding", 0.0, 1e6),
    REAL(sleep, "s", "an island that was quiet for so long sleeps; 0: none does", 0.0, 1e6),
    REAL(sleep_speed, "m/s", "quiet is what moves no faster than that", 0.0, 1e15),
    REAL(sleep_distance, "m", "and no farther than that since it is quiet", 0.0, 1e15),
    WHOLE(warm_start, "1: contacts start from the last impulses, 0: from zero", 0.0, 1.0),
    ROW(solver, FIELD_TEXT, "", "contact solver by name", 0, 0.0, 0.0),
    ROW(accuracy, FIELD_TEXT, "", "work for how good an answer: exact, balanced, fast; of solvers that have them", 0,
        0.0, 0.0),
    ROW(integrator, FIELD_TEXT, "", "integrator by name ('touchstone list integrators')", 0, 0.0, 0.0),
    REAL(tolerance, "", "share of the contact problem that may stay unmet; <= 0: the solver's default", -1.0, 1e6),
    WHOLE(least_norm, "rows up to which forces that move nothing are taken out, by solvers that can", 0.0, 1000.0),
    WHOLE(iterations, "iteration limit; <= 0: the solver's default", -1.0, 1e9),
};

enum { FIELD_COUNT = (int)(sizeof fields / sizeof fields[0]) };

ts_options ts_options_default(void) {
    ts_options o;
    memset(&o, 0, sizeof o);  // padding too: options are hashed and recorded as bytes
    o.time_step = 0.002;
    o.substeps = 1;
    o.gravity = ts_vec3_make(0.0, 0.0, -9.81);
    o.magnetic = ts_vec3_make(0.0, -0.5, 0.0);
    o.contact_margin = 1e-3;
    o.baumgarte = 0.1;
    o.slop = 1e-5;
    o.push_out_speed = 1.0;
    o.push_out_turn = 1.0;
    o.soft_contacts = 1;
    o.impratio = 1.0;
    o.contact_dissipation = 0.1;
    o.manifold_points = 4;
    o.keep_contacts = 0.2;
    o.sleep_speed = 1e-3;
    o.sleep_distance = 1e-4;
    o.warm_start = 1;
    memcpy(o.solver, "ncp", sizeof "ncp");
    memcpy(o.accuracy, "exact", sizeof "exact");
    memcpy(o.integrator, "midpoint", sizeof "midpoint");
    return o;
}

ts_options ts_options_of_substep(const ts_options* options) {
    ts_options o = *options;
    o.time_step = options->time_step / options->substeps;
    o.baumgarte = options->baumgarte / options->substeps;
    o.substeps = 1;
    return o;
}

int ts_option_count(void) { return FIELD_COUNT; }

const ts_option* ts_option_at(int i) { return i >= 0 && i < FIELD_COUNT ? &fields[i].option : NULL; }

static const field* find_field(const char* name) {
    for (int i = 0; i < FIELD_COUNT; ++i)
        if (strcmp(fields[i].option.name, name) == 0) return &fields[i];
    return NULL;
}

static const char* option_name(const void* context, int i) {
    (void)context;
    return fields[i].option.name;
}

static ts_code unknown_name(const char* name, ts_status* out_status) {
    char known[512];
    ts_text_list(option_name, NULL, FIELD_COUNT, sizeof known, known);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "unknown option '%.40s'; known are %s", name, known);
}

// Names of solvers and integrators are words of letters, digits and - _ . : enough to refuse slips early; ts_sim knows which exist.
static ts_code set_text(char* target, size_t size, const char* name, const char* value, ts_status* out_status) {
    size_t length = strlen(value);
    if (length == 0 || length >= size)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes a name of 1 to %d characters", name,
                             (int)size - 1);
    for (size_t i = 0; i < length; ++i) {
        char c = value[i];
        int fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.", c);
        if (!fine) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s: '%.31s' is no name", name, value);
    }
    memset(target, 0, size);
    memcpy(target, value, length);
    return ts_status_ok(out_status);
}

static ts_code check_number(const field* f, double value, ts_status* out_status) {
    const ts_option* o = &f->option;
    // Written so that NaN fails.
    if (!(value >= o->low && value <= o->high))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s = %g is out of range: %g to %g%s%s", o->name,
                             value, o->low, o->high, o->unit[0] ? " " : "", o->unit);
    if (f->kind == FIELD_INTEGER && value != floor(value))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s = %g is not a whole number", o->name, value);
    return TS_OK;
}

ts_code ts_options_set(ts_options* options, const char* name, const char* value, ts_status* out_status) {
    const field* f = find_field(name);
    if (!f) return unknown_name(name, out_status);
    char* target = (char*)options + f->offset;
    if (f->kind == FIELD_TEXT) return set_text(target, sizeof options->solver, name, value, out_status);

    double number[3];
    char why[80] = "";
    int count = ts_number_list(value, number, f->option.count, why, sizeof why);
    if (count < 0) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s: %s", name, why);
    if (count != f->option.count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes %d number%s, not %d", name, f->option.count,
                             f->option.count == 1 ? "" : "s", count);
    for (int i = 0; i < count; ++i) {
        ts_code code = check_number(f, number[i], out_status);
        if (code) return code;
    }
    if (f->kind == FIELD_INTEGER) {
        int whole = (int)number[0];
        memcpy(target, &whole, sizeof whole);
    } else {
        memcpy(target, number, (size_t)count * sizeof(double));
    }
    return ts_status_ok(out_status);
}

ts_code ts_options_check(const ts_options* options, ts_status* out_status) {
    for (int i = 0; i < FIELD_COUNT; ++i) {
        const field* f = &fields[i];
        const char* source = (const char*)options + f->offset;
        if (f->kind == FIELD_TEXT) {
            if (memchr(source, '\0', sizeof options->solver) && source[0]) continue;
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s is not a name", f->option.name);
        }
        for (int k = 0; k < f->option.count; ++k) {
            double value = 0.0;
            int whole = 0;
            if (f->kind == FIELD_INTEGER) {
                memcpy(&whole, source, sizeof whole);
                value = (double)whole;
            } else {
                memcpy(&value, source + (size_t)k * sizeof value, sizeof value);
            }
            ts_code code = check_number(f, value, out_status);
            if (code) return code;
        }
    }
    return ts_status_ok(out_status);
}

void ts_options_get(const ts_options* options, int i, char* out_text, unsigned long size) {
    if (size == 0) return;
    out_text[0] = '\0';
    if (i < 0 || i >= FIELD_COUNT) return;
    const field* f = &fields[i];
    const char* source = (const char*)options + f->offset;
    if (f->kind == FIELD_TEXT) {
        snprintf(out_text, size, "%.31s", source);
        return;
    }
    size_t used = 0;
    for (int k = 0; k < f->option.count && used < size; ++k) {
        char number[32];
        if (f->kind == FIELD_INTEGER) {
            int whole = 0;
            memcpy(&whole, source, sizeof whole);
            snprintf(number, sizeof number, "%d", whole);
        } else {
            double value = 0.0;
            memcpy(&value, source + (size_t)k * sizeof value, sizeof value);
            ts_number_print(value, number, sizeof number);
        }
        int n = snprintf(out_text + used, size - used, "%s%s", k ? " " : "", number);
        used += n > 0 ? (size_t)n : 0;
    }
}
