// <actuator>: general ones, and the shortcuts that stand for them.
//
// An actuator is told in a row: what the classes from the outermost to its own say, then the element itself. <general> says single
// numbers of the law; a shortcut (<position kp kv>) says what its attributes mean, and starts from a plain law when another shortcut
// has spoken before. A bias[2] above zero, where gain and bias are those of a position servo, is a damping ratio. So it is in MuJoCo 4.0.
#include "engine/read/mjcf/drafts_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"

#include "base/scalar.h"

#include <math.h>
#include <string.h>

// Words of gaintype, biastype and dyntype in the order of the schema; those beyond are not known here. Of dyntype the first are as
// ts_activation.
enum { GAIN_FIXED, GAIN_AFFINE, GAIN_MUSCLE, GAIN_KNOWN };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_MUSCLE, BIAS_KNOWN };
enum { DYNAMICS_MUSCLE = 6 };

static void plain_law(ts_mjcf_actuator* actuator) {
    actuator->dynamics = TS_ACTIVATION_NONE;
    actuator->gain_kind = GAIN_FIXED;
    actuator->bias_kind = BIAS_NONE;
    memset(actuator->dynprm, 0, sizeof actuator->dynprm);
    memset(actuator->gainprm, 0, sizeof actuator->gainprm);
    memset(actuator->biasprm, 0, sizeof actuator->biasprm);
    actuator->dynprm[0] = actuator->gainprm[0] = 1.0;
    actuator->inherit_range = 0.0;
}

static ts_mjcf_actuator default_actuator(void) {
    ts_mjcf_actuator actuator;
    memset(&actuator, 0, sizeof actuator);
    actuator.def = ts_actuator_def_default();
    for (int k = 0; k < TS_MJCF_TARGETS; ++k) actuator.target[k] = -1;
    actuator.def.is.target = -1;
    actuator.control_limited = actuator.force_limited = actuator.act_limited = 2;
    plain_law(&actuator);
    return actuator;
}

// An attribute that cannot be negative; `fallback` when it is missing.
static double real_from_zero(const ts_mjcf_element* e, const char* name, double fallback) {
    double value = ts_mjcf_real(e, name, fallback);
    if (ts_mjcf_text(e, name, NULL) && value < 0.0)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "%s of %s cannot be negative", name, e->node->name);
    return value;
}

// --- the shortcuts; `same` is nonzero when a class has spoken of the same one before ---

static void be_motor(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    (void)e, (void)same;
    plain_law(actuator);
}

static void be_servo(const ts_mjcf_element* e, ts_mjcf_actuator* actuator) {
    double kp = ts_mjcf_real(e, "kp", actuator->gainprm[0]);
    int has_kv = ts_mjcf_text(e, "kv", NULL) != NULL, has_ratio = ts_mjcf_text(e, "dampratio", NULL) != NULL;
    if (has_kv && has_ratio)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "%s has both kv and dampratio", e->node->name);
    actuator->gain_kind = GAIN_FIXED;
    actuator->bias_kind = BIAS_AFFINE;
    actuator->gainprm[0] = kp;
    actuator->biasprm[0] = 0.0;
    actuator->biasprm[1] = -kp;
    if (has_kv) actuator->biasprm[2] = -real_from_zero(e, "kv", 0.0);
    if (has_ratio) actuator->biasprm[2] = real_from_zero(e, "dampratio", 0.0);
    actuator->inherit_range = real_from_zero(e, "inheritrange", actuator->inherit_range);
}

static void be_position(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    be_servo(e, actuator);
    int has_time = ts_mjcf_text(e, "timeconst", NULL) != NULL;
    if (same && !has_time) return;
    actuator->dynprm[0] = has_time ? real_from_zero(e, "timeconst", 0.0) : 1.0;
    actuator->dynamics = has_time && actuator->dynprm[0] > 0.0 ? TS_ACTIVATION_FILTER_EXACT : TS_ACTIVATION_NONE;
}

static void be_intvelocity(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    (void)same;
    be_servo(e, actuator);
    actuator->dynamics = TS_ACTIVATION_INTEGRATOR;
    actuator->dynprm[0] = 1.0;
}

static void be_velocity(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    double kv = ts_mjcf_real(e, "kv", actuator->gainprm[0]);
    (void)same;
    plain_law(actuator);
    actuator->bias_kind = BIAS_AFFINE;
    actuator->gainprm[0] = kv;
    actuator->biasprm[2] = -kv;
}

static void be_damper(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    double kv = real_from_zero(e, "kv", same ? -actuator->gainprm[2] : 0.0);
    plain_law(actuator);
    actuator->gain_kind = GAIN_AFFINE;
    actuator->gainprm[0] = 0.0;
    actuator->gainprm[2] = -kv;
    actuator->control_limited = 1;
}

static void be_cylinder(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    (void)same;
    actuator->dynamics = TS_ACTIVATION_FILTER;
    actuator->gain_kind = GAIN_FIXED;
    actuator->bias_kind = BIAS_AFFINE;
    actuator->dynprm[0] = real_from_zero(e, "timeconst", actuator->dynprm[0]);
    actuator->gainprm[0] = real_from_zero(e, "area", actuator->gainprm[0]);
    double diameter = real_from_zero(e, "diameter", 0.0);
    if (diameter > 0.0) actuator->gainprm[0] = 0.25 * TS_PI * diameter * diameter;
    ts_mjcf_reals(e, "bias", actuator->biasprm, 3, 3);
}

// A muscle's numbers in gainprm and biasprm: range, force, scale, lmin, lmax, vmax, fpmax, fvmax.
enum { MUSCLE_NUMBERS = 9 };

// An attribute of up to two numbers; those that are negative keep what there is.
static void take_unless_negative(const ts_mjcf_element* e, const char* name, int count, double* io_value) {
    double value[2] = {-1.0, -1.0};
    ts_mjcf_reals(e, name, value, count, count);
    for (int i = 0; i < count; ++i)
        if (value[i] >= 0.0) io_value[i] = value[i];
}

static void be_muscle(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    static const double usual[MUSCLE_NUMBERS] = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2};
    static const char* const name[MUSCLE_NUMBERS] = {"range", NULL,   "force", "scale", "lmin",
                                                     "lmax",  "vmax", "fpmax", "fvmax"};
    double *gain = actuator->gainprm, *constant = actuator->dynprm;
    (void)same;
    // What nobody has spoken of is as a muscle has it.
    if (constant[0] == 1.0) constant[0] = 0.01;
    if (constant[1] == 0.0) constant[1] = 0.04;
    for (int i = 0; i < MUSCLE_NUMBERS; ++i)
        if (gain[i] == (i == 0 ? 1.0 : 0.0)) gain[i] = usual[i];
    take_unless_negative(e, "timeconst", 2, constant);
    constant[2] = real_from_zero(e, "tausmooth", constant[2]);
    for (int i = 0; i < MUSCLE_NUMBERS; ++i)
        if (name[i]) take_unless_negative(e, name[i], i == 0 ? 2 : 1, gain + i);
    memcpy(actuator->biasprm, gain, MUSCLE_NUMBERS * sizeof *gain);
    actuator->dynamics = DYNAMICS_MUSCLE;
    actuator->gain_kind = GAIN_MUSCLE;
    actuator->bias_kind = BIAS_MUSCLE;
}

static void be_adhesion(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator) {
    double gain = real_from_zero(e, "gain", actuator->gainprm[0]);
    (void)same;
    plain_law(actuator);
    actuator->gainprm[0] = gain;
    actuator->control_limited = 1;
    const double* range = actuator->def.is.control.range;
    if (range[0] < 0.0 || range[1] < 0.0)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "ctrlrange of adhesion cannot be negative");
}

static const struct shortcut {
    const char* name;
    void (*be)(const ts_mjcf_element* e, int same, ts_mjcf_actuator* actuator);
} shortcuts[] = {{"motor", be_motor},       {"position", be_position}, {"intvelocity", be_intvelocity},
                 {"velocity", be_velocity}, {"damper", be_damper},     {"cylinder", be_cylinder},
                 {"muscle", be_muscle},     {"adhesion", be_adhesion}};

static const struct shortcut* find_shortcut(const char* name) {
    for (size_t i = 0; i < sizeof shortcuts / sizeof shortcuts[0]; ++i)
        if (strcmp(shortcuts[i].name, name) == 0) return &shortcuts[i];
    return NULL;
}

int ts_mjcf_is_actuator(const char* name) { return strcmp(name, "general") == 0 || find_shortcut(name) != NULL; }

// What one element says, of a class or of the actuator itself.
static void tell(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_actuator* actuator) {
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    const struct shortcut* shortcut = find_shortcut(node->name);
    ts_mjcf_take(&e, node->name, actuator);
    if (shortcut) {
        int same = actuator->shortcut && strcmp(actuator->shortcut, node->name) == 0;
        if (actuator->shortcut && !same) plain_law(actuator);
        shortcut->be(&e, same, actuator);
    }
    actuator->shortcut = shortcut ? shortcut->name : NULL;
}

// Classes from the outermost to the nearest, then the element.
static void tell_all(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_actuator* actuator) {
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_ACTUATOR, 0);
    ts_xml_node_array nodes = {NULL, 0, 0};
    ts_mjcf_default_cursor cursor = {e.class_index, 0};
    for (const ts_xml_node* at; (at = ts_mjcf_next_default(&e, &cursor));)
        if (!ts_xml_node_array_push(&nodes, at)) ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    for (int i = nodes.count - 1; i >= 0 && !reader->xml.code; --i) tell(reader, nodes.data[i], actuator);
    ts_xml_node_array_free(&nodes);
    if (!reader->xml.code) tell(reader, node, actuator);
}

// --- from what was told to a definition ---

void ts_mjcf_settle_limits(const ts_mjcf_reader* reader, const ts_xml_node* node, int limited, ts_limits* limits) {
    int given = limits->range[0] < limits->range[1];
    limits->limited = limited == 1 || (limited == 2 && given && ts_mjcf_compiler_of(reader, node)->auto_limits);
}

// What an actuator may pull at: attributes, in the order of ts_mjcf_actuator.target, and the transmissions that they ask for.
static const char* const transmission_of[TS_MJCF_TARGETS] = {"joint",  "jointinparent", "site",
                                                             "tendon", "cranksite",     "body"};

// The one target, and its transmission. Returns 0 with a failure when there is not just one.
static int settle_target(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_actuator* actuator) {
    int count = 0;
    for (int k = 0; k < TS_MJCF_TARGETS; ++k) {
        if (actuator->target[k] < 0) continue;
        actuator->def.transmission = transmission_of[k];
        actuator->def.is.target = actuator->target[k];
        ++count;
    }
    if (count != 1)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "%s needs one thing that it pulls at (joint, site, ...), not %d",
                     node->name, count);
    return count == 1;
}

// The range of what an actuator pulls at; NULL where there is none.
static const double* range_of(const ts_mjcf_reader* reader, const ts_mjcf_actuator* actuator) {
    const ts_builder* builder = reader->builder;
    if (strcmp(actuator->def.transmission, "joint") == 0) return builder->joint.data[actuator->def.is.target].def.range;
    if (strcmp(actuator->def.transmission, "tendon") == 0)
        return builder->tendon.data[actuator->def.is.target].def.is.limits.range;
    return NULL;
}

static void inherit_range(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_actuator* actuator) {
    ts_actuator* is = &actuator->def.is;
    double* range = is->activation == TS_ACTIVATION_INTEGRATOR ? is->act_limits.range : is->control.range;
    const double* of_target = range_of(reader, actuator);
    if (range[0] != 0.0 || range[1] != 0.0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "%s has both inheritrange and a range of its own", node->name);
    } else if (!of_target || !(of_target[0] < of_target[1])) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "inheritrange of %s: what it pulls at has no range", node->name);
    } else {
        double middle = 0.5 * (of_target[0] + of_target[1]);
        double half = 0.5 * actuator->inherit_range * (of_target[1] - of_target[0]);
        range[0] = middle - half;
        range[1] = middle + half;
    }
}

static ts_muscle muscle_of(const double* numbers) {
    return (ts_muscle){
        {numbers[0], numbers[1]}, numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]};
}

static void settle_muscle(ts_mjcf_actuator* actuator) {
    ts_actuator* is = &actuator->def.is;
    is->gain_is_muscle = actuator->gain_kind == GAIN_MUSCLE;
    is->bias_is_muscle = actuator->bias_kind == BIAS_MUSCLE;
    if (is->gain_is_muscle) is->pull = muscle_of(actuator->gainprm);
    if (is->bias_is_muscle) is->stretch = muscle_of(actuator->biasprm);
    for (int i = 0; is->gain_is_muscle && i < 3; ++i) is->gain[i] = 0.0;
    if (is->activation != TS_ACTIVATION_MUSCLE) return;
    is->rest_constant = actuator->dynprm[1];
    is->rest_width = actuator->dynprm[2];
}

// Gain and bias of the general law.
static void settle_law(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_actuator* actuator) {
    ts_actuator* is = &actuator->def.is;
    int fixed = actuator->gain_kind == GAIN_FIXED, affine = actuator->bias_kind == BIAS_AFFINE;
    is->gain[0] = actuator->gainprm[0];
    for (int i = 1; i < 3; ++i) is->gain[i] = fixed ? 0.0 : actuator->gainprm[i];
    for (int i = 0; i < 3; ++i) is->bias[i] = affine ? actuator->biasprm[i] : 0.0;
    is->activation = actuator->dynamics == DYNAMICS_MUSCLE ? TS_ACTIVATION_MUSCLE : (ts_activation)actuator->dynamics;
    is->time_constant = actuator->dynprm[0];
    actuator->def.damping = actuator->damping[0];
    memcpy(actuator->def.damping_more, actuator->damping + 1, sizeof actuator->def.damping_more);
    if (actuator->def.armature != 0.0 && strcmp(actuator->def.transmission, "tendon") == 0)
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, 1, "actuator@armature (tendon)", "tendons have no mass");
    settle_muscle(actuator);
    int is_servo = fixed && affine && is->gain[0] == -is->bias[1];
    if (is_servo && is->bias[2] > 0.0) {
        actuator->def.damping_ratio = is->bias[2];
        is->bias[2] = 0.0;
    }
    if (is_servo && actuator->inherit_range > 0.0) inherit_range(reader, node, actuator);
    ts_mjcf_settle_limits(reader, node, actuator->control_limited, &is->control);
    ts_mjcf_settle_limits(reader, node, actuator->force_limited, &is->force);
    ts_mjcf_settle_limits(reader, node, actuator->act_limited, &is->act_limits);
    if (reader->switches.no_clamp_control) is->control.limited = 0;
    int group = actuator->group;
    is->active = !reader->switches.no_actuation &&
                 !(group >= 0 && group < 31 && (reader->switches.actuator_groups_off >> group & 1));
}

// Remembers that the file has an actuator: keyframes count those that are left out, too.
static void count_actuator(ts_mjcf_reader* reader, const ts_xml_node* node, int is_read, int has_activation) {
    if (!ts_mjcf_flag_array_push(&reader->control_is_read, is_read) ||
        (has_activation && !ts_mjcf_flag_array_push(&reader->act_is_read, is_read)))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// Sensors may name it all the same.
static void note_left_out(ts_mjcf_reader* reader, const ts_xml_node* node) {
    const char* name = ts_xml_value(node, "name");
    if (name && !ts_name_table_put(&reader->actuator_name, name, TS_MJCF_LEFT_OUT))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

static void read_actuator(ts_mjcf_reader* reader, const ts_xml_node* node) {
    if (!ts_mjcf_is_actuator(node->name)) {
        if (!ts_mjcf_report_element(reader, node, "actuator")) ts_mjcf_unknown_element(reader, node);
        count_actuator(reader, node, 0, 0);
        note_left_out(reader, node);
        return;
    }
    ts_mjcf_actuator actuator = default_actuator();
    ts_mjcf_check(reader, node, node->name);
    tell_all(reader, node, &actuator);
    if (reader->xml.code) return;
    int lost = actuator.gain_kind >= GAIN_KNOWN || actuator.bias_kind >= BIAS_KNOWN ||
               (actuator.dynamics > TS_ACTIVATION_FILTER_EXACT && actuator.dynamics != DYNAMICS_MUSCLE);
    count_actuator(reader, node, !lost, actuator.dynamics != TS_ACTIVATION_NONE);
    if (lost) {
        ts_mjcf_report(
            reader, node, TS_IMPORT_IGNORED, 1, "actuator/general (law)",
            "the laws known are fixed and affine gains, muscles, filters and integrators; it pulls at nothing");
        note_left_out(reader, node);
        return;
    }
    if (!settle_target(reader, node, &actuator)) return;
    settle_law(reader, node, &actuator);
    actuator.def.is.name = ts_xml_value(node, "name");
    actuator.def.file = node->file;
    actuator.def.line = node->line;
    if (reader->xml.code) return;
    int index = ts_builder_add_actuator(reader->builder, &actuator.def);
    ts_mjcf_note(reader, node, &reader->actuator_name, actuator.def.is.name, index);
}

void ts_mjcf_read_actuator(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        read_actuator(reader, child);
}
