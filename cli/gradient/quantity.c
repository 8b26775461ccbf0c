// Numbers of a state, by name.
//
// Derivatives are tangent, as in engine/derivative/step_derivative.h. A point that moves with a body: dp = J dq, its velocity v = J qvel by J and by
// ts_derivative_velocity; columns c of a rotation turn by dc = (J_w dq) x c. Kinetic energy is sum of m v.v / 2 + w.I w / 2 at centres of mass, and
// I turns with the body, so that d(w.I w) / 2 = I w . dw + (I w x w) . (J_w dq).
#include "cli/gradient/quantity_internal.h"

#include "cli/args.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/jacobian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- reading ---

static const struct kind_row {
    const char* name;
    ts_quantity_kind kind;
} kinds[] = {{"qpos", TS_QUANTITY_QPOS},           {"qvel", TS_QUANTITY_QVEL},     {"act", TS_QUANTITY_ACT},
             {"body", TS_QUANTITY_BODY},           {"centre", TS_QUANTITY_CENTRE}, {"geom", TS_QUANTITY_GEOM},
             {"site", TS_QUANTITY_SITE},           {"sensor", TS_QUANTITY_SENSOR}, {"kinetic", TS_QUANTITY_KINETIC},
             {"potential", TS_QUANTITY_POTENTIAL}, {"energy", TS_QUANTITY_ENERGY}};

enum { KINDS = sizeof kinds / sizeof kinds[0], PARTS = 18 };

static const char* const parts[PARTS] = {"x",   "y",   "z",   "vx",  "vy",  "vz",  "wx",  "wy",  "wz",
                                         "rxx", "rxy", "rxz", "ryx", "ryy", "ryz", "rzx", "rzy", "rzz"};

static const char* kind_name(const void* context, int i) { return ((const struct kind_row*)context)[i].name; }

static const char* body_name(const void* context, int i) { return ((const ts_model*)context)->body[i].name; }
static const char* geom_name(const void* context, int i) { return ((const ts_model*)context)->geom[i].name; }
static const char* site_name(const void* context, int i) { return ((const ts_model*)context)->site[i].name; }
static const char* sensor_name(const void* context, int i) { return ((const ts_model*)context)->sensor[i].name; }
static const char* joint_name(const void* context, int i) { return ((const ts_model*)context)->joint[i].name; }

ts_code ts_quantity_read_name(const char** io_text, char* out_name, size_t size, ts_status* out_status) {
    const char* text = *io_text;
    if (*text != '[')
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a '[' with a name or a number is missing");
    size_t length = strcspn(text + 1, "]");
    if (text[1 + length] != ']') return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "this '[' has no ']'");
    if (length == 0 || length >= size)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "between '[' and ']' stands a name or a number");
    memcpy(out_name, text + 1, length);
    out_name[length] = '\0';
    *io_text = text + length + 2;
    return TS_OK;
}

int ts_quantity_number(const char* name, int count) {
    if (!name[0] || strlen(name) > 9 || strspn(name, "0123456789") != strlen(name)) return -1;
    long index = strtol(name, NULL, 10);
    return index < count ? (int)index : -1;
}

// By name, else by number.
static ts_code find(const ts_model* model, const char* what, const char* name, int found, ts_text_name names, int count,
                    int* out_index, ts_status* out_status) {
    char room[TS_ARGS_HINT];
    *out_index = found >= 0 ? found : ts_quantity_number(name, count);
    if (*out_index >= 0) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no %s is called '%.60s', and there are %d%s", what, name,
                         count, ts_args_hint(name, names, model, count, "", room));
}

static ts_code read_number_of_state(const ts_model* model, const char* name, ts_quantity* q, ts_status* out_status) {
    if (q->kind == TS_QUANTITY_ACT) {
        q->index = ts_quantity_number(name, model->act_count);
        if (q->index >= 0) return TS_OK;
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "act has %d numbers: '%.60s' is none of them",
                             model->act_count, name);
    }
    int is_qpos = q->kind == TS_QUANTITY_QPOS, size = is_qpos ? model->nq : model->nv, joint = -1;
    q->index = ts_quantity_number(name, size);
    if (q->index >= 0) return TS_OK;
    if (strspn(name, "0123456789") == strlen(name))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s has %d numbers, from 0 on: not '%.60s'",
                             is_qpos ? "qpos" : "qvel", size, name);
    ts_code code = find(model, "joint", name, ts_model_find_joint(model, name), joint_name, model->joint_count, &joint,
                        out_status);
    if (code) return code;
    const ts_joint* j = &model->joint[joint];
    int count = is_qpos ? ts_joint_type_nq(j->type) : ts_joint_type_nv(j->type);
    q->index = is_qpos ? j->qpos_first : j->dof_first;
    if (count == 1) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "joint '%.60s' has %d numbers: name one, from %d to %d",
                         name, count, q->index, q->index + count - 1);
}

static ts_code read_part(const char** io_text, ts_quantity* q, ts_status* out_status) {
    const char* text = *io_text;
    size_t length = text[0] == '.' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
    for (int i = 0; i < PARTS && length > 0; ++i)
        if (strlen(parts[i]) == length && strncmp(parts[i], text + 1, length) == 0) {
            q->part = i;
            *io_text = text + 1 + length;
            return TS_OK;
        }
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "a frame has .x .y .z, velocities .vx .vy .vz, .wx .wy .wz, and a rotation .rxx to .rzz");
}

// What can be differentiated along a run.
static ts_code check_sensor(const ts_sensor* sensor, ts_status* out_status) {
    const char* kind = ts_sensor_kind_name(sensor->kind);
    if (strcmp(kind, "clock") == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "sensor '%.60s' is a clock: it goes by nothing",
                             sensor->name);
    if (ts_sensor_kind_time(sensor->kind) == TS_SENSOR_OF_STATE && !ts_sensor_kind_stands(sensor->kind)) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "sensor '%.60s' (%s) shows what a step does, not the state after it: it has a derivative of "
                         "one step only (ts_sensor_jacobian_make; in Python world.jacobian(..., of=...))",
                         sensor->name, kind);
}

// Which of a sensor's numbers: .0, .1 and so on; of three .x, .y, .z.
static ts_code read_number(const ts_model* model, const char** io_text, ts_quantity* q, ts_status* out_status) {
    int size = model->sensor[q->index].size;
    const char *text = *io_text, *axis = text[0] == '.' && text[1] ? strchr("xyz", text[1]) : NULL;
    char digits[8];
    size_t length = text[0] == '.' ? strspn(text + 1, "0123456789") : 0;
    q->part = size == 1 && text[0] != '.' ? 0 : -1;
    if (length > 0 && length < sizeof digits) {
        memcpy(digits, text + 1, length);
        digits[length] = '\0';
        q->part = ts_quantity_number(digits, size);
    } else if (axis && size == 3) {
        length = 1;
        q->part = text[1] == 'x' ? 0 : text[1] == 'y' ? 1 : 2;
    }
    if (q->part < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "sensor '%.60s' has %d numbers: name one, from .0 to .%d%s", model->sensor[q->index].name,
                             size, size - 1, size == 3 ? ", or .x, .y, .z" : "");
    if (length > 0) *io_text = text + 1 + length;
    return TS_OK;
}

// A sum that leaves out what stores energy would not be one.
static ts_code check_springs(const ts_model* model, ts_status* out_status) {
    int odd = 0;
    for (int j = 0; j < model->joint_count; ++j)
        odd |= model->joint[j].curve.is_there ||
               (model->joint[j].spring != 0.0 && ts_joint_type_nv(model->joint[j].type) > 1);
    for (int t = 0; t < model->tendon_count; ++t)
        odd |= model->tendon[t].spring != 0.0 || model->tendon[t].curve.is_there;
    if (!odd) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "this model has springs of tendons, of ball joints or that are not linear: their energy has "
                         "no derivative here");
}

ts_code ts_quantity_read(const ts_model* model, const char** io_text, ts_quantity* out, ts_status* out_status) {
    char name[128], word[32], room[TS_ARGS_HINT];
    size_t length = strspn(*io_text, "abcdefghijklmnopqrstuvwxyz");
    const struct kind_row* row = NULL;
    for (int i = 0; i < KINDS; ++i)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, *io_text, length) == 0) row = &kinds[i];
    if (!row) {
        if (length >= sizeof word) length = sizeof word - 1;
        memcpy(word, *io_text, length);
        word[length] = '\0';
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a state has no '%s'%s", word,
                             ts_args_hint(word, kind_name, kinds, KINDS,
                                          ": it has qpos, qvel, act, body, centre, geom, site, sensor, kinetic, "
                                          "potential, energy",
                                          room));
    }
    memset(out, 0, sizeof *out);
    out->kind = row->kind;
    if (out->kind == TS_QUANTITY_KINETIC || ts_quantity_is_energy(out)) {
        ts_code code = out->kind == TS_QUANTITY_KINETIC ? TS_OK : check_springs(model, out_status);
        if (!code) *io_text += length;
        return code;
    }
    const char* text = *io_text + length;
    ts_code code = ts_quantity_read_name(&text, name, sizeof name, out_status);
    if (code) return code;
    *io_text += length + 1;
    switch (out->kind) {
    case TS_QUANTITY_BODY:
    case TS_QUANTITY_CENTRE:
        code = find(model, "body", name, ts_model_find_body(model, name), body_name, model->body_count, &out->index,
                    out_status);
        break;
    case TS_QUANTITY_GEOM:
        code = find(model, "geom", name, ts_model_find_geom(model, name), geom_name, model->geom_count, &out->index,
                    out_status);
        break;
    case TS_QUANTITY_SITE:
        code = find(model, "site", name, ts_model_find_site(model, name), site_name, model->site_count, &out->index,
                    out_status);
        break;
    case TS_QUANTITY_SENSOR:
        code = find(model, "sensor", name, ts_model_find_sensor(model, name), sensor_name, model->sensor_count,
                    &out->index, out_status);
        if (!code) code = check_sensor(&model->sensor[out->index], out_status);
        break;
    default: code = read_number_of_state(model, name, out, out_status); break;
    }
    if (code) return code;
    *io_text = text;
    if (out->kind == TS_QUANTITY_SENSOR) return read_number(model, io_text, out, out_status);
    return out->kind <= TS_QUANTITY_ACT ? TS_OK : read_part(io_text, out, out_status);
}

int ts_quantity_is_energy(const ts_quantity* q) { return q->kind >= TS_QUANTITY_KINETIC; }

// --- frames ---

// What a quantity of space is of.
typedef struct place {
    int body;
    ts_vec3 point;  // m
    ts_mat3 R;
} place;

static place place_of(const ts_sim* sim, const ts_quantity* q) {
    const ts_kinematics* k = &sim->kinematics;
    if (q->kind == TS_QUANTITY_SITE) {
        ts_transform t = ts_kinematics_site(sim->model, k, q->index);
        return (place){sim->model->site[q->index].body, t.p, t.R};
    }
    if (q->kind == TS_QUANTITY_GEOM)
        return (place){sim->model->geom[q->index].body, ts_kinematics_geom(k, q->index)->p,
                       ts_kinematics_geom(k, q->index)->R};
    ts_transform t = k->body_pose[q->index];
    return (place){q->index, q->kind == TS_QUANTITY_CENTRE ? k->body_centre[q->index] : t.p, t.R};
}

static ts_vec3 spin_of(const ts_sim* sim, int body) { return sim->kinematics.body_velocity[body].angular; }

static double entry(ts_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

static double value_of_frame(const ts_sim* sim, const ts_quantity* q) {
    place at = place_of(sim, q);
    if (q->part < 3) return entry(at.point, q->part);
    if (q->part < 6)
        return entry(ts_kinematics_point_velocity(sim->model, &sim->kinematics, at.body, at.point), q->part - 3);
    if (q->part < 9) return entry(spin_of(sim, at.body), q->part - 6);
    return at.R.m[(q->part - 9) / 3][(q->part - 9) % 3];
}

// Room for what a point does: J and its derivative, of the point and of the turning.
typedef struct motion_of_point {
    double* J;       // (3 nv)
    double* J_w;     // (3 nv)
    double* by_q;    // (3 nv)
    double* w_by_q;  // (3 nv)
} motion_of_point;

static int find_motion(const ts_sim* sim, int body, ts_vec3 point, ts_arena* scratch, motion_of_point* out) {
    int size = 3 * sim->model->nv;
    double* all = TS_ARENA_ARRAY(scratch, double, 4 * size);
    if (!all) return 0;
    *out = (motion_of_point){all, all + size, all + 2 * size, all + 3 * size};
    ts_jacobian_point(sim->model, &sim->kinematics, body, point, out->J, out->J_w);
    ts_derivative_velocity(sim->model, &sim->kinematics, body, point, out->by_q, out->w_by_q);
    return 1;
}

// Adds weight . (rows of a 3 x nv matrix).
static void add_rows(const double* matrix, ts_vec3 weight, int nv, double* io_sum) {
    for (int d = 0; d < nv; ++d)
        io_sum[d] += weight.x * matrix[d] + weight.y * matrix[nv + d] + weight.z * matrix[2 * nv + d];
}

static ts_vec3 column_of(const ts_mat3* R, int c) { return ts_vec3_make(R->m[0][c], R->m[1][c], R->m[2][c]); }

static int pull_frame(const ts_sim* sim, const ts_quantity* q, double weight, ts_arena* scratch,
                      ts_rollout_pull* pull) {
    place at = place_of(sim, q);
    int nv = sim->model->nv;
    motion_of_point m;
    if (!find_motion(sim, at.body, at.point, scratch, &m)) return 0;
    ts_vec3 axis = ts_vec3_scale(weight, ts_vec3_axis((q->part < 9 ? q->part : (q->part - 9) / 3) % 3));
    if (q->part < 3) {
        add_rows(m.J, axis, nv, pull->qpos);
    } else if (q->part < 6) {
        add_rows(m.J, axis, nv, pull->qvel);
        add_rows(m.by_q, axis, nv, pull->qpos);
    } else if (q->part < 9) {
        add_rows(m.J_w, axis, nv, pull->qvel);
        add_rows(m.w_by_q, axis, nv, pull->qpos);
    } else {
        add_rows(m.J_w, ts_vec3_cross(column_of(&at.R, (q->part - 9) % 3), axis), nv, pull->qpos);
    }
    return 1;
}

// --- numbers of qpos ---

// A quaternion turns by dq = q (0, w) / 2.
static void pull_qpos(const ts_sim* sim, int index, double weight, ts_rollout_pull* pull) {
    const ts_joint* joint = sim->model->joint;
    while (index >= joint->qpos_first + ts_joint_type_nq(joint->type)) ++joint;
    int offset = index - joint->qpos_first, straight = joint->type == TS_JOINT_FREE ? 3 : 0;
    if (joint->type >= TS_JOINT_HINGE || offset < straight) {
        pull->qpos[joint->dof_first + offset] += weight;
        return;
    }
    const double* p = sim->qpos + joint->qpos_first + straight;
    double *out = pull->qpos + joint->dof_first + straight, half = 0.5 * weight;
    const double turn[4][3] = {{-p[1], -p[2], -p[3]}, {p[0], -p[3], p[2]}, {p[3], p[0], -p[1]}, {-p[2], p[1], p[0]}};
    for (int k = 0; k < 3; ++k) out[k] += half * turn[offset - straight][k];
}

// --- energies ---

static ts_vec3 velocity_of_centre(const ts_sim* sim, int b) {
    return ts_kinematics_point_velocity(sim->model, &sim->kinematics, b, sim->kinematics.body_centre[b]);
}

static ts_vec3 turned_momentum(const ts_sim* sim, int b) {
    ts_transform pose = sim->kinematics.body_pose[b];
    ts_vec3 w = ts_mat3_mul_vec_transposed(&pose.R, spin_of(sim, b));
    return ts_mat3_mul_vec(&pose.R, ts_mat3_mul_vec(&sim->model->body[b].inertia, w));
}

static double weight_of(const ts_body* body) { return (1.0 - body->buoyancy) * body->mass; }

static int moves(const ts_model* model, int b) { return model->body[b].tree >= 0; }

static double kinetic(const ts_sim* sim) {
    const ts_model* model = sim->model;
    double sum = 0.0;
    for (int b = 1; b < model->body_count; ++b)
        if (moves(model, b))
            sum += 0.5 * (model->body[b].mass * ts_vec3_norm_squared(velocity_of_centre(sim, b)) +
                          ts_vec3_dot(spin_of(sim, b), turned_momentum(sim, b)));
    for (int d = 0; d < model->nv; ++d) sum += 0.5 * model->dof[d].armature * sim->qvel[d] * sim->qvel[d];
    return sum;
}

static double stretch_of(const ts_sim* sim, const ts_joint* joint) {
    return sim->qpos[joint->qpos_first] - joint->spring_rest;
}

static double potential(const ts_sim* sim) {
    const ts_model* model = sim->model;
    double sum = 0.0;
    for (int b = 1; b < model->body_count; ++b)
        if (moves(model, b))
            sum -= weight_of(&model->body[b]) * ts_vec3_dot(sim->options.gravity, sim->kinematics.body_centre[b]);
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].spring != 0.0)
            sum += 0.5 * model->joint[j].spring * stretch_of(sim, &model->joint[j]) * stretch_of(sim, &model->joint[j]);
    return sum;
}

static void pull_kinetic(const ts_sim* sim, int b, double weight, const motion_of_point* m, ts_rollout_pull* pull) {
    int nv = sim->model->nv;
    ts_vec3 p = ts_vec3_scale(weight * sim->model->body[b].mass, velocity_of_centre(sim, b));
    ts_vec3 L = ts_vec3_scale(weight, turned_momentum(sim, b));
    add_rows(m->J, p, nv, pull->qvel);
    add_rows(m->by_q, p, nv, pull->qpos);
    add_rows(m->J_w, L, nv, pull->qvel);
    add_rows(m->w_by_q, L, nv, pull->qpos);
    add_rows(m->J_w, ts_vec3_cross(L, spin_of(sim, b)), nv, pull->qpos);
}

static int pull_energy(const ts_sim* sim, const ts_quantity* q, double weight, ts_arena* scratch,
                       ts_rollout_pull* pull) {
    const ts_model* model = sim->model;
    int moving = q->kind != TS_QUANTITY_POTENTIAL, lying = q->kind != TS_QUANTITY_KINETIC;
    for (int b = 1; b < model->body_count; ++b) {
        if (!moves(model, b)) continue;
        ts_arena_scope scope = ts_arena_scope_begin(scratch);
        motion_of_point m;
        if (!find_motion(sim, b, sim->kinematics.body_centre[b], scratch, &m)) return 0;
        if (moving) pull_kinetic(sim, b, weight, &m, pull);
        if (lying)
            add_rows(m.J, ts_vec3_scale(-weight * weight_of(&model->body[b]), sim->options.gravity), model->nv,
                     pull->qpos);
        ts_arena_scope_end(scratch, scope);
    }
    for (int d = 0; d < model->nv && moving; ++d) pull->qvel[d] += weight * model->dof[d].armature * sim->qvel[d];
    for (int j = 0; j < model->joint_count && lying; ++j)
        if (model->joint[j].spring != 0.0)
            pull->qpos[model->joint[j].dof_first] +=
                weight * model->joint[j].spring * stretch_of(sim, &model->joint[j]);
    return 1;
}

// By an input itself.
static double sensor_by_parameter(ts_sim* sim, const ts_quantity* q, ts_step_input_kind kind, int index,
                                  ts_arena* scratch) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* slope = TS_ARENA_ARRAY(scratch, double, sim->model->sensor[q->index].size);
    ts_code code = slope ? ts_sensor_by_input(sim, q->index, kind, index, scratch, slope, NULL) : TS_ERROR_MEMORY;
    double value = code ? (double)NAN : slope[q->part];
    ts_arena_scope_end(scratch, scope);
    return value;
}

double ts_quantity_by_parameter(ts_sim* sim, const ts_quantity* q, ts_step_input_kind kind, int index,
                                ts_arena* scratch) {
    const ts_model* model = sim->model;
    double sum = 0.0;
    if (q->kind == TS_QUANTITY_SENSOR) return sensor_by_parameter(sim, q, kind, index, scratch);
    if (!ts_quantity_is_energy(q)) return 0.0;
    int lying = q->kind != TS_QUANTITY_KINETIC;
    if (kind == TS_STEP_BY_MASS && moves(model, index)) {
        if (q->kind != TS_QUANTITY_POTENTIAL) sum += 0.5 * ts_vec3_norm_squared(velocity_of_centre(sim, index));
        if (lying)
            sum -= (1.0 - model->body[index].buoyancy) *
                   ts_vec3_dot(sim->options.gravity, sim->kinematics.body_centre[index]);
    }
    for (int b = 1; b < model->body_count && lying && kind == TS_STEP_BY_GRAVITY; ++b)
        if (moves(model, b)) sum -= weight_of(&model->body[b]) * entry(sim->kinematics.body_centre[b], index);
    return sum;
}

// --- all kinds ---

static double sensor_value(ts_sim* sim, const ts_quantity* q) {
    ts_sim_measure(sim);
    return sim->sensor[sim->model->sensor[q->index].first + q->part];
}

static int pull_sensor(ts_sim* sim, const ts_quantity* q, double weight, ts_arena* scratch, ts_rollout_pull* pull) {
    int nv = sim->model->nv, size = sim->model->sensor[q->index].size;
    double* by_q = TS_ARENA_ARRAY(scratch, double, 2 * size * nv);
    ts_step_column_verdict verdict;
    if (!by_q || ts_sensor_slopes(sim, q->index, scratch, by_q, by_q + size * nv, &verdict, NULL)) return 0;
    for (int d = 0; d < nv; ++d) {
        pull->qpos[d] += weight * by_q[q->part * nv + d];
        pull->qvel[d] += weight * by_q[(size + q->part) * nv + d];
    }
    return 1;
}

double ts_quantity_value(ts_sim* sim, const ts_quantity* q) {
    switch (q->kind) {
    case TS_QUANTITY_QPOS: return sim->qpos[q->index];
    case TS_QUANTITY_QVEL: return sim->qvel[q->index];
    case TS_QUANTITY_ACT: return sim->act[q->index];
    case TS_QUANTITY_BODY:
    case TS_QUANTITY_CENTRE:
    case TS_QUANTITY_GEOM:
    case TS_QUANTITY_SITE: return value_of_frame(sim, q);
    case TS_QUANTITY_SENSOR: return sensor_value(sim, q);
    case TS_QUANTITY_KINETIC: return kinetic(sim);
    case TS_QUANTITY_POTENTIAL: return potential(sim);
    case TS_QUANTITY_ENERGY: return kinetic(sim) + potential(sim);
    }
    return 0.0;
}

int ts_quantity_pull(ts_sim* sim, const ts_quantity* q, double weight, ts_arena* scratch, ts_rollout_pull* pull) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int fine = 1;
    switch (q->kind) {
    case TS_QUANTITY_QPOS: pull_qpos(sim, q->index, weight, pull); break;
    case TS_QUANTITY_QVEL: pull->qvel[q->index] += weight; break;
    case TS_QUANTITY_ACT: pull->act[q->index] += weight; break;
    case TS_QUANTITY_BODY:
    case TS_QUANTITY_CENTRE:
    case TS_QUANTITY_GEOM:
    case TS_QUANTITY_SITE: fine = pull_frame(sim, q, weight, scratch, pull); break;
    case TS_QUANTITY_SENSOR: fine = pull_sensor(sim, q, weight, scratch, pull); break;
    case TS_QUANTITY_KINETIC:
    case TS_QUANTITY_POTENTIAL:
    case TS_QUANTITY_ENERGY: fine = pull_energy(sim, q, weight, scratch, pull); break;
    }
    ts_arena_scope_end(scratch, scope);
    return fine;
}
