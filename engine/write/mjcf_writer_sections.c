// <compiler>, <option>, <custom>, and what refers to bodies and joints: <contact>, <tendon>, <equality>, <actuator>, <keyframe>.
// <sensor> has a file of its own.
#include "engine/write/mjcf_writer_internal.h"

#include "base/mat.h"
#include "engine/rows/row_source_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- settings ---

// An entry of <custom>, which opens with the first one.
static void open_custom(ts_mjcf_writer* w, const char* element, const char* name, int* count) {
    char full[96];
    if ((*count)++ == 0) {
        ts_mjcf_writer_open(w, "custom");
        ts_mjcf_writer_inside(w);
    }
    snprintf(full, sizeof full, "touchstone.%.80s", name);
    ts_mjcf_writer_open(w, element);
    ts_mjcf_writer_string(w, "name", full);
}

static void write_custom_whole(ts_mjcf_writer* w, const char* name, int value, int* count) {
    open_custom(w, "numeric", name, count);
    ts_mjcf_writer_whole(w, "data", value);
    ts_mjcf_writer_end(w);
}

// Options that MJCF's <option> has, too.
static int is_plain_option(const char* name) {
    static const char* const plain[] = {"time_step", "gravity", "impratio", "density", "viscosity", "wind", "magnetic"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
        if (strcmp(name, plain[i]) == 0) return 1;
    return 0;
}

static void write_options(ts_mjcf_writer* w, int* count) {
    const ts_options usual = ts_options_default();
    for (int i = 0; i < ts_option_count(); ++i) {
        char value[128], other[128];
        ts_options_get(&w->model->options, i, value, sizeof value);
        ts_options_get(&usual, i, other, sizeof other);
        if (is_plain_option(ts_option_at(i)->name) || strcmp(value, other) == 0) continue;
        open_custom(w, ts_option_at(i)->count == 0 ? "text" : "numeric", ts_option_at(i)->name, count);
        ts_mjcf_writer_string(w, "data", value);
        ts_mjcf_writer_end(w);
    }
}

// One number where all geoms have the same, else one for each.
static void write_restitution(ts_mjcf_writer* w, int* count) {
    const ts_model* m = w->model;
    int bounces = 0, differ = 0;
    for (int g = 0; g < m->geom_count; ++g) {
        bounces |= m->geom[g].surface.restitution != 0.0;
        differ |= m->geom[g].surface.restitution != m->geom[0].surface.restitution;
    }
    if (!bounces) return;
    open_custom(w, "numeric", "restitution", count);
    ts_text_add(w->text, " data=\"");
    for (int g = 0; g < (differ ? m->geom_count : 1); ++g) {
        if (g) ts_text_add(w->text, " ");
        ts_text_add_number(w->text, m->geom[g].surface.restitution);
    }
    ts_text_add(w->text, "\"");
    ts_mjcf_writer_end(w);
}

// Whether some inertia belongs to no body, so that readers must be told to take it.
static int has_odd_inertia(const ts_model* m) {
    for (int b = 1; b < m->body_count; ++b) {
        ts_vec3 moment;
        ts_mat3 axes;
        ts_mat3_eigen_symmetric(&m->body[b].inertia, &moment, &axes);
        double size = fmax(fabs(moment.x), fabs(moment.z));
        if (moment.x < -1e-13 * size || moment.z > moment.x + moment.y + 1e-6 * size) return 1;
        if (m->body[b].mass == 0.0 && size > 0.0) return 1;
    }
    return 0;
}

// The group of actuators that pull at nothing.
enum { IDLE_GROUP = 30 };

static int has_idle_actuators(const ts_model* m) {
    for (int i = 0; i < m->actuator_count; ++i)
        if (!m->actuator[i].active) return 1;
    return 0;
}

// Height fields whose elevations are metres.
static void write_elevation_notes(ts_mjcf_writer* w, int* count) {
    for (int i = 0; i < w->model->ground_count; ++i) {
        char name[32], note[64];
        double most;
        if (ts_mjcf_writer_is_plain_field(w->model->ground[i], &most)) continue;
        ts_mjcf_writer_field_name(i, name);
        snprintf(note, sizeof note, "elevation.%s", name);
        open_custom(w, "text", note, count);
        ts_mjcf_writer_string(w, "data", "metres");
        ts_mjcf_writer_end(w);
    }
}

void ts_mjcf_writer_settings(ts_mjcf_writer* w) {
    const ts_options* o = &w->model->options;
    const ts_options usual = ts_options_default();
    double gravity[3], wind[3], magnetic[3];
    int count = 0;
    ts_vec3_store(o->magnetic, magnetic);
    ts_vec3_store(o->gravity, gravity);
    ts_mjcf_writer_open(w, "compiler");
    ts_mjcf_writer_string(w, "angle", "radian");
    ts_mjcf_writer_string(w, "autolimits", "false");
    ts_mjcf_writer_end(w);
    ts_mjcf_writer_open(w, "option");
    ts_mjcf_writer_numbers(w, "timestep", &o->time_step, 1);
    ts_mjcf_writer_numbers(w, "gravity", gravity, 3);
    if (memcmp(&o->magnetic, &usual.magnetic, sizeof usual.magnetic) != 0)
        ts_mjcf_writer_numbers(w, "magnetic", magnetic, 3);
    if (o->impratio != 1.0) ts_mjcf_writer_numbers(w, "impratio", &o->impratio, 1);
    if (o->density != 0.0) ts_mjcf_writer_numbers(w, "density", &o->density, 1);
    if (o->viscosity != 0.0) ts_mjcf_writer_numbers(w, "viscosity", &o->viscosity, 1);
    ts_vec3_store(o->wind, wind);
    if (ts_vec3_norm(o->wind) != 0.0) ts_mjcf_writer_numbers(w, "wind", wind, 3);
    if (has_idle_actuators(w->model)) ts_mjcf_writer_whole(w, "actuatorgroupdisable", IDLE_GROUP);
    ts_mjcf_writer_end(w);
    write_options(w, &count);
    write_restitution(w, &count);
    if (has_odd_inertia(w->model)) write_custom_whole(w, "any_inertia", 1, &count);
    if (w->model->initial_keyframe >= 0) write_custom_whole(w, "initial_keyframe", w->model->initial_keyframe, &count);
    write_elevation_notes(w, &count);
    if (count > 0) ts_mjcf_writer_close(w, "custom");
}

// --- equalities ---

// A body's pose in the world while all joints are at their references.
static ts_pose rest_pose(const ts_model* m, int body) {
    ts_pose pose = ts_pose_identity();
    for (; body > 0; body = m->body[body].parent) pose = ts_pose_mul(m->body[body].pose, pose);
    return pose;
}

int ts_mjcf_writer_is_aligned(const ts_model* model, const ts_equality* equality) {
    if (equality->body[0] < 0 || equality->body[1] < 0) return 1;
    ts_vec3 a = ts_pose_apply(rest_pose(model, equality->body[0]), equality->frame[0].position);
    ts_vec3 b = ts_pose_apply(rest_pose(model, equality->body[1]), equality->frame[1].position);
    return ts_vec3_distance(a, b) <= 1e-14 * (1.0 + ts_vec3_norm(a));
}

static void write_connect(ts_mjcf_writer* w, int index) {
    const ts_equality* e = &w->model->equality[index];
    double anchor[3];
    if (!ts_mjcf_writer_is_aligned(w->model, e)) {
        ts_mjcf_writer_equality_site(w, "site1", index, 0);
        ts_mjcf_writer_equality_site(w, "site2", index, 1);
        return;
    }
    ts_mjcf_writer_name(w, "body1", TS_MJCF_NAMED_BODY, e->body[0]);
    if (e->body[1] > 0) ts_mjcf_writer_name(w, "body2", TS_MJCF_NAMED_BODY, e->body[1]);
    ts_vec3_store(e->frame[0].position, anchor);
    ts_mjcf_writer_numbers(w, "anchor", anchor, 3);
}

static void write_joint_equality(ts_mjcf_writer* w, int index) {
    const ts_equality* e = &w->model->equality[index];
    ts_mjcf_writer_name(w, "joint1", TS_MJCF_NAMED_JOINT, e->joint[0]);
    if (e->joint[1] >= 0) ts_mjcf_writer_name(w, "joint2", TS_MJCF_NAMED_JOINT, e->joint[1]);
    ts_mjcf_writer_numbers(w, "polycoef", e->coefficient, TS_EQUALITY_COEFFICIENTS);
}

static void write_tendon_equality(ts_mjcf_writer* w, int index) {
    const ts_equality* e = &w->model->equality[index];
    ts_mjcf_writer_name(w, "tendon1", TS_MJCF_NAMED_TENDON, e->tendon[0]);
    if (e->tendon[1] >= 0) ts_mjcf_writer_name(w, "tendon2", TS_MJCF_NAMED_TENDON, e->tendon[1]);
    ts_mjcf_writer_numbers(w, "polycoef", e->coefficient, TS_EQUALITY_COEFFICIENTS);
}

// How the equalities of each source are said.
static const struct saying {
    const char* source;
    const char* element;
    void (*write)(ts_mjcf_writer* w, int index);
} sayings[] = {{"connect", "connect", write_connect},
               {"joint-equality", "joint", write_joint_equality},
               {"tendon-equality", "tendon", write_tendon_equality}};

static void write_equality(ts_mjcf_writer* w, int index) {
    const ts_equality* e = &w->model->equality[index];
    const char* source = ts_row_source_name(e->source);
    const struct saying* s = sayings;
    while (s < sayings + sizeof sayings / sizeof sayings[0] && strcmp(s->source, source) != 0) ++s;
    if (s == sayings + sizeof sayings / sizeof sayings[0]) {
        ts_mjcf_writer_refuse(w, "an equality is a %s, which this writer cannot say in MJCF", source);
        return;
    }
    ts_mjcf_writer_open(w, s->element);
    if (e->name[0]) ts_mjcf_writer_string(w, "name", e->name);
    s->write(w, index);
    if (!e->active) ts_mjcf_writer_string(w, "active", "false");
    ts_mjcf_writer_softness(w, "", &e->softness);
    ts_mjcf_writer_end(w);
}

// --- tendons ---

static void write_part(ts_mjcf_writer* w, const ts_tendon_part* part) {
    static const char* const words[] = {"joint", "site", "pulley", "geom"};
    static const ts_mjcf_named kinds[] = {TS_MJCF_NAMED_JOINT, TS_MJCF_NAMED_SITE, TS_MJCF_NAMED_COUNT,
                                          TS_MJCF_NAMED_GEOM};
    ts_mjcf_writer_open(w, words[part->kind]);
    if (kinds[part->kind] != TS_MJCF_NAMED_COUNT)
        ts_mjcf_writer_name(w, words[part->kind], kinds[part->kind], part->index);
    if (part->kind == TS_TENDON_GEOM && part->side >= 0)
        ts_mjcf_writer_name(w, "sidesite", TS_MJCF_NAMED_SITE, part->side);
    if (part->kind == TS_TENDON_JOINT) ts_mjcf_writer_numbers(w, "coef", &part->number, 1);
    if (part->kind == TS_TENDON_PULLEY) ts_mjcf_writer_numbers(w, "divisor", &part->number, 1);
    ts_mjcf_writer_end(w);
}

static void write_tendon(ts_mjcf_writer* w, int index) {
    const ts_tendon* t = &w->model->tendon[index];
    const ts_tendon_part* part = w->model->tendon_part + t->part_first;
    const char* element = t->part_count > 0 && part->kind == TS_TENDON_JOINT ? "fixed" : "spatial";
    ts_mjcf_writer_open(w, element);
    ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_TENDON, index);
    if (t->limits.limited) {
        ts_mjcf_writer_string(w, "limited", "true");
        ts_mjcf_writer_numbers(w, "range", t->limits.range, 2);
    }
    ts_mjcf_writer_coefficients(w, "stiffness", t->spring, t->curve.spring);
    if (t->spring != 0.0 || t->curve.is_there) ts_mjcf_writer_numbers(w, "springlength", t->rest, 2);
    ts_mjcf_writer_coefficients(w, "damping", t->damping, t->curve.damping);
    if (t->friction != 0.0) ts_mjcf_writer_numbers(w, "frictionloss", &t->friction, 1);
    ts_mjcf_writer_stop_softness(w, &t->softness);
    ts_mjcf_writer_inside(w);
    for (int i = 0; i < t->part_count; ++i) write_part(w, &part[i]);
    ts_mjcf_writer_close(w, element);
}

// --- actuators ---

// NAMEtype and NAMEprm: an affine law, or a muscle's.
static void write_law(ts_mjcf_writer* w, const char* name, const char* type, const double* law, const ts_muscle* m) {
    const double number[] = {m->range[0], m->range[1], m->force,   m->scale,      m->shortest,
                             m->longest,  m->fastest,  m->passive, m->lengthening};
    int is_muscle = strcmp(type, "muscle") == 0;
    char attribute[16];
    snprintf(attribute, sizeof attribute, "%stype", name);
    ts_mjcf_writer_string(w, attribute, type);
    snprintf(attribute, sizeof attribute, "%sprm", name);
    ts_mjcf_writer_numbers(w, attribute, is_muscle ? number : law, is_muscle ? 9 : 3);
}

static void write_actuator(ts_mjcf_writer* w, const ts_actuator* a) {
    const char* transmission = ts_transmission_name(a->transmission);
    ts_mjcf_named kind = ts_mjcf_writer_target_kind(a);
    if (kind == TS_MJCF_NAMED_COUNT)
        ts_mjcf_writer_refuse(w, "an actuator pulls at a %s, which this writer cannot say", transmission);
    if (w->code) return;
    ts_mjcf_writer_open(w, "general");
    ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_ACTUATOR, (int)(a - w->model->actuator));
    ts_mjcf_writer_name(w, transmission, kind, a->target);
    int is_crank = strcmp(transmission, "cranksite") == 0;
    if (a->reference >= 0)
        ts_mjcf_writer_name(w, is_crank ? "slidersite" : "refsite", TS_MJCF_NAMED_SITE, a->reference);
    if (is_crank) ts_mjcf_writer_numbers(w, "cranklength", &a->rod, 1);
    if (!a->active) ts_mjcf_writer_whole(w, "group", IDLE_GROUP);
    ts_mjcf_writer_numbers(w, "gear", a->gear, TS_GEAR_SIZE);
    ts_mjcf_writer_limits(w, "ctrl", &a->control);
    ts_mjcf_writer_limits(w, "force", &a->force);
    ts_mjcf_writer_limits(w, "act", &a->act_limits);
    if (a->activation != TS_ACTIVATION_NONE) {
        const double constant[] = {a->time_constant, a->rest_constant, a->rest_width};
        ts_mjcf_writer_string(w, "dyntype", ts_activation_name(a->activation));
        ts_mjcf_writer_numbers(w, "dynprm", constant, a->activation == TS_ACTIVATION_MUSCLE ? 3 : 1);
        if (a->act_early) ts_mjcf_writer_string(w, "actearly", "true");
    }
    if (a->gain_is_muscle || a->bias_is_muscle) ts_mjcf_writer_numbers(w, "lengthrange", a->length_range, 2);
    const char* gain = a->gain[1] != 0.0 || a->gain[2] != 0.0 ? "affine" : "fixed";
    write_law(w, "gain", a->gain_is_muscle ? "muscle" : gain, a->gain, &a->pull);
    write_law(w, "bias", a->bias_is_muscle ? "muscle" : "affine", a->bias, &a->stretch);
    ts_mjcf_writer_end(w);
}

static void write_keyframe(ts_mjcf_writer* w, const ts_keyframe* key) {
    const ts_model* m = w->model;
    ts_mjcf_writer_open(w, "key");
    if (key->name[0]) ts_mjcf_writer_string(w, "name", key->name);
    ts_mjcf_writer_numbers(w, "time", &key->time, 1);
    if (m->nq) ts_mjcf_writer_numbers(w, "qpos", key->qpos, m->nq);
    if (m->nv) ts_mjcf_writer_numbers(w, "qvel", key->qvel, m->nv);
    if (m->actuator_count) ts_mjcf_writer_numbers(w, "ctrl", key->ctrl, m->actuator_count);
    if (m->act_count) ts_mjcf_writer_numbers(w, "act", key->act, m->act_count);
    if (m->mocap_count) ts_mjcf_writer_numbers(w, "mpos", key->mocap_position, 3 * m->mocap_count);
    if (m->mocap_count) ts_mjcf_writer_numbers(w, "mquat", key->mocap_rotation, 4 * m->mocap_count);
    ts_mjcf_writer_end(w);
}

// A section with as many entries as there are; none is no section.
static void write_section(ts_mjcf_writer* w, const char* name, int count, void (*write)(ts_mjcf_writer*, int)) {
    if (count == 0) return;
    ts_mjcf_writer_open(w, name);
    ts_mjcf_writer_inside(w);
    for (int i = 0; i < count && !w->code; ++i) write(w, i);
    ts_mjcf_writer_close(w, name);
}

static void write_exclusion_at(ts_mjcf_writer* w, int i) {
    ts_mjcf_writer_open(w, "exclude");
    ts_mjcf_writer_name(w, "body1", TS_MJCF_NAMED_BODY, w->model->exclusion[i].body_a);
    ts_mjcf_writer_name(w, "body2", TS_MJCF_NAMED_BODY, w->model->exclusion[i].body_b);
    ts_mjcf_writer_end(w);
}

static void write_pair(ts_mjcf_writer* w, const ts_contact_pair* pair) {
    const ts_surface* s = &pair->surface;
    const double friction[] = {s->friction, s->friction, s->friction_spin, s->friction_roll, s->friction_roll};
    ts_mjcf_writer_open(w, "pair");
    ts_mjcf_writer_name(w, "geom1", TS_MJCF_NAMED_GEOM, pair->geom_a);
    ts_mjcf_writer_name(w, "geom2", TS_MJCF_NAMED_GEOM, pair->geom_b);
    ts_mjcf_writer_whole(w, "condim", s->dimension);
    ts_mjcf_writer_numbers(w, "friction", friction, 5);
    ts_mjcf_writer_softness(w, "", &s->softness);
    if (s->friction_solref[0] != 0.0 || s->friction_solref[1] != 0.0)
        ts_mjcf_writer_numbers(w, "solreffriction", s->friction_solref, 2);
    ts_mjcf_writer_margins(w, s);
    ts_mjcf_writer_end(w);
}

// Exclusions first, then pairs, in one section.
static void write_contact_at(ts_mjcf_writer* w, int i) {
    int exclusions = w->model->exclusion_count;
    if (i < exclusions)
        write_exclusion_at(w, i);
    else
        write_pair(w, &w->model->pair[i - exclusions]);
}

static void write_actuator_at(ts_mjcf_writer* w, int i) { write_actuator(w, &w->model->actuator[i]); }

static void write_keyframe_at(ts_mjcf_writer* w, int i) { write_keyframe(w, &w->model->keyframe[i]); }

void ts_mjcf_writer_relations(ts_mjcf_writer* w) {
    const ts_model* m = w->model;
    write_section(w, "contact", m->exclusion_count + m->pair_count, write_contact_at);
    write_section(w, "tendon", m->tendon_count, write_tendon);
    write_section(w, "equality", m->equality_count, write_equality);
    write_section(w, "actuator", m->actuator_count, write_actuator_at);
    write_section(w, "sensor", m->sensor_count, ts_mjcf_writer_sensor);
    write_section(w, "keyframe", m->keyframe_count, write_keyframe_at);
}
