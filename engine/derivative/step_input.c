// The inputs of a step: what it can be differentiated by, one row each.
//
// State, controls and forces are fields of the simulation. What the world is made of belongs to a model that many share; a simulation that
// is to have a mass of its own gets a copy of the model's bodies and trees, and one whose surfaces are moved a number for each geom, which
// the narrow phase adds (engine/step/found.c).
#include <math.h>
#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_weight_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/sleep_internal.h"

const char* ts_step_input_name(ts_step_input_kind kind) {
    static const char* const name[TS_STEP_INPUT_KINDS] = {"qpos",      "qvel",     "ctrl",        "act",  "force",
                                                          "wrench",    "friction", "restitution", "mass", "inertia",
                                                          "time_step", "gravity",  "compliance"};
    return (unsigned)kind < TS_STEP_INPUT_KINDS ? name[kind] : "unknown";
}

int ts_step_input_size(const ts_model* model, ts_step_input_kind kind) {
    switch (kind) {
    case TS_STEP_BY_POSITION:
    case TS_STEP_BY_VELOCITY:
    case TS_STEP_BY_FORCE: return model->nv;
    case TS_STEP_BY_CONTROL: return model->actuator_count;
    case TS_STEP_BY_ACTIVATION: return model->act_count;
    case TS_STEP_BY_WRENCH: return 6 * model->body_count;
    case TS_STEP_BY_FRICTION:
    case TS_STEP_BY_RESTITUTION: return model->geom_count;
    case TS_STEP_BY_MASS: return model->body_count;
    case TS_STEP_BY_INERTIA: return 10 * model->body_count;
    case TS_STEP_BY_TIME_STEP: return 1;
    case TS_STEP_BY_GRAVITY: return 3;
    case TS_STEP_BY_COMPLIANCE: return 2;
    case TS_STEP_INPUT_KINDS: break;
    }
    return 0;
}

ts_step_input ts_step_input_all(const ts_model* model, ts_step_input_kind kind) {
    return (ts_step_input){kind, 0, ts_step_input_size(model, kind)};
}

// --- masses ---

static int is_of_mass(ts_step_input_kind kind) { return kind == TS_STEP_BY_MASS || kind == TS_STEP_BY_INERTIA; }

static int body_of(ts_step_input_kind kind, int index) { return kind == TS_STEP_BY_INERTIA ? index / 10 : index; }

// The simulation's own copy of what masses are in; makes it. Returns NULL when memory is short.
static ts_own_masses* own_masses(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->own_masses) return storage->own_masses;
    const ts_model* model = sim->model;
    ts_own_masses* own = TS_ARENA_ARRAY(&storage->fixed, ts_own_masses, 1);
    ts_body* body = TS_ARENA_ARRAY(&storage->fixed, ts_body, model->body_count);
    ts_kinematic_tree* tree = TS_ARENA_ARRAY(&storage->fixed, ts_kinematic_tree, model->tree_count);
    if (!own || !body || !tree) return NULL;
    memcpy(body, model->body, (size_t)model->body_count * sizeof *body);
    if (model->tree_count > 0) memcpy(tree, model->tree, (size_t)model->tree_count * sizeof *tree);
    if (!ts_mass_matrices_part(sim)) return NULL;
    own->model = *model;
    own->body = body;
    own->tree = tree;
    own->model.body = body;
    own->model.tree = tree;
    sim->model = &own->model;
    return storage->own_masses = own;
}

// After a body was changed: what follows from masses. Returns 0 when memory is short.
static int refresh_masses(ts_sim* sim) {
    int nq = sim->model->nq, nv = sim->model->nv;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    double* state = TS_ARENA_ARRAY(&sim->scratch, double, nq + nv);
    int fine = state != NULL;
    if (fine) {
        memcpy(state, sim->qpos, (size_t)nq * sizeof(double));
        memcpy(state + nq, sim->qvel, (size_t)nv * sizeof(double));
        fine = ts_row_weigh(sim);
        memcpy(sim->qpos, state, (size_t)nq * sizeof(double));
        memcpy(sim->qvel, state + nq, (size_t)nv * sizeof(double));
        ts_sim_update_kinematics(sim);
    }
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}

// A body of given parameters (ts_derivative_parameters).
static void take_parameters(const double* p, ts_body* body) {
    ts_vec3 first = ts_vec3_load(p + 1), c = ts_vec3_scale(1.0 / p[0], first);
    body->mass = p[0];
    body->centre = c;
    double square = ts_vec3_dot(c, c);
    ts_mat3 about = {{{p[4], p[7], p[8]}, {p[7], p[5], p[9]}, {p[8], p[9], p[6]}}};
    ts_mat3 shift = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(square, square, square)), ts_mat3_outer(c, c));
    body->inertia = ts_mat3_sub(about, ts_mat3_scale(p[0], shift));
}

static int move_mass(ts_sim* sim, ts_step_input_kind kind, int index, double amount) {
    int b = body_of(kind, index), t = sim->model->body[b].tree;
    // What cannot move has a mass that nothing asks for.
    if (t < 0) return 1;
    ts_body changed = sim->model->body[b];
    if (kind == TS_STEP_BY_MASS) {
        changed.mass += amount;
    } else {
        double parameter[10];
        ts_derivative_parameters(changed.mass, changed.centre, &changed.inertia, parameter);
        parameter[index % 10] += amount;
        if (!(parameter[0] > 0.0)) return 0;
        take_parameters(parameter, &changed);
    }
    if (!(changed.mass > 0.0)) return 0;
    ts_own_masses* own = own_masses(sim);
    if (!own) return 0;
    own->tree[t].mass += changed.mass - own->body[b].mass;
    own->body[b] = changed;
    if (own->tree[t].kind == TS_TREE_CENTRED && ts_vec3_max_abs(changed.centre) != 0.0)
        own->tree[t].kind = TS_TREE_FREE_BODY;
    return refresh_masses(sim);
}

// --- surfaces ---

static double* moved_surface(ts_sim* sim, ts_step_input_kind kind, int geom) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->surface_move)
        storage->surface_move = (ts_surface_move*)ts_arena_alloc_zeroed(&storage->fixed, (size_t)sim->model->geom_count,
                                                                        sizeof(ts_surface_move));
    if (!storage->surface_move) return NULL;
    ts_surface_move* move = &storage->surface_move[geom];
    return kind == TS_STEP_BY_FRICTION ? &move->friction : &move->restitution;
}

// --- all kinds ---

static double* gravity_of(ts_sim* sim, int index) {
    ts_vec3* g = &sim->options.gravity;
    return index == 0 ? &g->x : index == 1 ? &g->y : &g->z;
}

// The number that an input is, where it is one. NULL: it is none, or memory is short.
static double* number_of(ts_sim* sim, ts_step_input_kind kind, int index) {
    switch (kind) {
    case TS_STEP_BY_VELOCITY: return &sim->qvel[index];
    case TS_STEP_BY_CONTROL: return &sim->ctrl[index];
    case TS_STEP_BY_ACTIVATION: return &sim->act[index];
    case TS_STEP_BY_FORCE: return &sim->force_applied[index];
    case TS_STEP_BY_WRENCH: {
        ts_force* wrench = &sim->wrench_applied[index / 6];
        ts_vec3* part = index % 6 < 3 ? &wrench->couple : &wrench->force;
        return index % 3 == 0 ? &part->x : index % 3 == 1 ? &part->y : &part->z;
    }
    case TS_STEP_BY_FRICTION:
    case TS_STEP_BY_RESTITUTION: return moved_surface(sim, kind, index);
    case TS_STEP_BY_TIME_STEP: return &sim->options.time_step;
    case TS_STEP_BY_GRAVITY: return gravity_of(sim, index);
    case TS_STEP_BY_COMPLIANCE: return index == 0 ? &sim->options.compliance_normal : &sim->options.compliance_tangent;
    case TS_STEP_BY_POSITION:
    case TS_STEP_BY_MASS:
    case TS_STEP_BY_INERTIA:
    case TS_STEP_INPUT_KINDS: break;
    }
    return NULL;
}

static void move_position(ts_sim* sim, int dof, double amount) {
    const ts_joint* joint = &sim->model->joint[sim->model->dof[dof].joint];
    double velocity[6] = {0.0};
    velocity[dof - joint->dof_first] = amount;
    double* q = sim->qpos + joint->qpos_first;
    ts_joint_integrate(joint->type, q, velocity, 1.0, q);
}

int ts_step_input_move(ts_sim* sim, ts_step_input_kind kind, int index, double amount) {
    if (index < 0 || index >= ts_step_input_size(sim->model, kind)) return 0;
    // Sleepers see all else that comes from outside when the next step begins.
    if (is_of_mass(kind) || kind == TS_STEP_BY_FRICTION || kind == TS_STEP_BY_RESTITUTION)
        ts_sleep_wake_all(sim, TS_SLEEP_OPTION);
    if (is_of_mass(kind)) return move_mass(sim, kind, index, amount);
    if (kind == TS_STEP_BY_POSITION) {
        move_position(sim, index, amount);
        return 1;
    }
    double* number = number_of(sim, kind, index);
    if (!number) return 0;
    *number += amount;
    return 1;
}

// --- copies ---

static double* copy_numbers(ts_arena* arena, const double* from, int count) {
    double* to = TS_ARENA_ARRAY(arena, double, count);
    if (to && count > 0) memcpy(to, from, (size_t)count * sizeof(double));
    return to;
}

int ts_step_saved_make(const ts_sim* sim, ts_arena* arena, ts_step_saved* out) {
    const ts_model* model = sim->model;
    memset(out, 0, sizeof *out);
    out->qpos = copy_numbers(arena, sim->qpos, model->nq);
    out->qvel = copy_numbers(arena, sim->qvel, model->nv);
    out->ctrl = copy_numbers(arena, sim->ctrl, model->actuator_count);
    out->act = copy_numbers(arena, sim->act, model->act_count);
    out->force = copy_numbers(arena, sim->force_applied, model->nv);
    out->wrench = TS_ARENA_ARRAY(arena, ts_force, model->body_count);
    if (out->wrench) memcpy(out->wrench, sim->wrench_applied, (size_t)model->body_count * sizeof(ts_force));
    out->options = sim->options;
    return out->qpos && out->qvel && out->ctrl && out->act && out->force && out->wrench;
}

void ts_step_saved_note(const ts_sim* sim, ts_step_input_kind kind, int index, ts_step_saved* saved) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (kind == TS_STEP_BY_FRICTION || kind == TS_STEP_BY_RESTITUTION) {
        ts_surface_move none = {0.0, 0.0};
        saved->surface = storage->surface_move ? storage->surface_move[index] : none;
    }
    if (!is_of_mass(kind)) return;
    saved->body = sim->model->body[body_of(kind, index)];
    if (saved->body.tree >= 0) saved->tree = sim->model->tree[saved->body.tree];
}

void ts_step_saved_restore(ts_sim* sim, ts_step_input_kind kind, int index, const ts_step_saved* saved) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memcpy(sim->qpos, saved->qpos, (size_t)model->nq * sizeof(double));
    memcpy(sim->qvel, saved->qvel, (size_t)model->nv * sizeof(double));
    if (model->actuator_count > 0) memcpy(sim->ctrl, saved->ctrl, (size_t)model->actuator_count * sizeof(double));
    if (model->act_count > 0) memcpy(sim->act, saved->act, (size_t)model->act_count * sizeof(double));
    memcpy(sim->force_applied, saved->force, (size_t)model->nv * sizeof(double));
    memcpy(sim->wrench_applied, saved->wrench, (size_t)model->body_count * sizeof(ts_force));
    sim->options = saved->options;
    if ((kind == TS_STEP_BY_FRICTION || kind == TS_STEP_BY_RESTITUTION) && storage->surface_move)
        storage->surface_move[index] = saved->surface;
    if (is_of_mass(kind) && saved->body.tree >= 0 && storage->own_masses) {
        storage->own_masses->body[body_of(kind, index)] = saved->body;
        storage->own_masses->tree[saved->body.tree] = saved->tree;
        refresh_masses(sim);
    }
}

// --- increments ---

// Central differences of a step lose f''' e^2 to its curvature and what the solver leaves open over e; positions act on velocities with 1 / h.
static const double position_increment = 1e-6, relative_increment = 1e-5;

// Of the mass, and of mass times length and times length squared with the length of the body's own inertia.
static double inertia_increment(const ts_body* body, int k) {
    const ts_mat3* I = &body->inertia;
    double trace = I->m[0][0] + I->m[1][1] + I->m[2][2], square = ts_vec3_norm_squared(body->centre);
    double length = body->mass > 0.0 ? sqrt(trace / body->mass + square) : 0.0;
    double size = body->mass * (k == 0 ? 1.0 : k < 4 ? length : length * length);
    // What has no mass does not move either.
    return relative_increment * (size > 0.0 ? size : 1.0);
}

double ts_step_increment(const ts_sim* sim, ts_step_input_kind kind, int index, int* out_one_sided) {
    const ts_model* model = sim->model;
    double h = sim->options.time_step;
    *out_one_sided = 0;
    switch (kind) {
    case TS_STEP_BY_POSITION: return position_increment;
    case TS_STEP_BY_CONTROL: return relative_increment * fmax(1.0, fabs(sim->ctrl[index]));
    case TS_STEP_BY_ACTIVATION: return relative_increment;
    // Such that the velocity changes as by an increment of its own.
    case TS_STEP_BY_FORCE: {
        int tree = model->dof[index].tree;
        double inverse = ts_sim_inverse_diagonal(sim, tree)[index - model->tree[tree].dof_first];
        return inverse > 0.0 ? relative_increment / (h * inverse * inverse) : relative_increment;
    }
    case TS_STEP_BY_WRENCH: {
        const ts_body* body = &model->body[index / 6];
        double inertia = fmax(body->inertia.m[0][0], fmax(body->inertia.m[1][1], body->inertia.m[2][2]));
        double size = index % 6 < 3 ? inertia : body->mass;
        return relative_increment * (size > 0.0 ? size / h : 1.0);
    }
    // It is mostly zero, and no less: upwards.
    case TS_STEP_BY_RESTITUTION: *out_one_sided = 1; return relative_increment;
    case TS_STEP_BY_FRICTION: return relative_increment;
    case TS_STEP_BY_MASS: return relative_increment * (model->body[index].mass > 0.0 ? model->body[index].mass : 1.0);
    case TS_STEP_BY_INERTIA: return inertia_increment(&model->body[index / 10], index % 10);
    case TS_STEP_BY_TIME_STEP: return relative_increment * h;
    case TS_STEP_BY_COMPLIANCE: {
        double R = index == 0 ? sim->options.compliance_normal : sim->options.compliance_tangent;
        *out_one_sided = !(R > 0.0);
        return R > 0.0 ? relative_increment * R : 1e-6;
    }
    case TS_STEP_BY_VELOCITY:
    case TS_STEP_BY_GRAVITY:
    case TS_STEP_INPUT_KINDS: break;
    }
    return relative_increment;
}
