// How the force and the torque between a body and its parent in a step answer to what the step is made of.
//
// Problem: the derivative of f = sum over the body and what hangs on it of I a + v x* I v - external (sensor_motion.c). Rule: body by body, about points at rest, with the
// slopes of v and a of sensor_motion_slope.c; a unit of dof j that carries a body turns its inertia, d(I x) = S_j x* I x - I (S_j x x) + I dx. Forces of contacts go along with their points
// and frames, dw = turn x w about the point, which moves; those between two bodies of the sum are none of it. By impulses a row says where it acts. The site turns and moves with its body.
// Source: Featherstone 2008, section 5.3, for f; derived here. Guaranteed: exact up to rounding. Known to fail: says so where something else acts from outside: connections and welds, tendons through
// space, sites that are pulled at, surfaces that stick.
#include <math.h>

#include "engine/actuation/transmission_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sim_internal.h"

// 1: of a unit of force, in m or 1.
static const double cancels = 1e-12;

// A sum of forces on bodies about the site, a point at rest, and how it changes.
typedef struct force_sum {
    const ts_sim* sim;
    const ts_sensor_link* link;
    int root;  // the sensor's body: those of the sum are it and what hangs on it
    ts_vec3 site;
    ts_force whole;
    ts_force *by_q, *by_v, *by_next;  // (nv)
    ts_force* by_inertia;             // (10 body_count)
    ts_force* by_wrench;              // (6 body_count)
    ts_force by_gravity[3];
    ts_force by_time;
} force_sum;

static int is_in(const force_sum* s, int body) {
    while (body > s->root) body = s->sim->model->body[body].parent;
    return body == s->root;
}

static void add(ts_force* to, double factor, ts_force w, ts_vec3 arm) {
    ts_vec3 couple = ts_vec3_add(w.couple, ts_vec3_cross(arm, w.force));
    to->couple = ts_vec3_add_scaled(to->couple, factor, couple);
    to->force = ts_vec3_add_scaled(to->force, factor, w.force);
}

// --- what bodies need ---

typedef struct moving_body {
    const ts_inertia* I;
    ts_motion v, a;
    ts_force h;  // I v
} moving_body;

// v x* I v + I a, differentiated: I at rest.
static ts_force by_motion(const moving_body* m, ts_motion dv, ts_motion da) {
    ts_force f = ts_force_add(ts_inertia_mul(m->I, da), ts_motion_cross_force(dv, m->h));
    return ts_force_add(f, ts_motion_cross_force(m->v, ts_inertia_mul(m->I, dv)));
}

// With what I changes by as the body moves along S.
static ts_force by_turn(const moving_body* m, ts_motion S, ts_motion dv, ts_motion da) {
    ts_force Ia = ts_inertia_mul(m->I, m->a);
    ts_force turned = ts_motion_cross_force(S, Ia), momentum = ts_motion_cross_force(S, m->h);
    turned = ts_force_sub(turned, ts_inertia_mul(m->I, ts_motion_cross(S, m->a)));
    momentum = ts_force_sub(momentum, ts_inertia_mul(m->I, ts_motion_cross(S, m->v)));
    return ts_force_add(ts_force_add(by_motion(m, dv, da), turned), ts_motion_cross_force(m->v, momentum));
}

// Parameters of the inertia, about the origin of the body's frame.
static void add_parameters(force_sum* s, int b, ts_vec3 origin, const moving_body* m) {
    const ts_transform* pose = &s->sim->kinematics.body_pose[b];
    ts_vec3 lever = ts_vec3_sub(pose->p, origin), arm = ts_vec3_sub(pose->p, s->site);
    ts_motion v = {m->v.angular, ts_motion_at(m->v, lever)}, a = {m->a.angular, ts_motion_at(m->a, lever)};
    for (int k = 0; k < TS_SENSOR_PARAMETERS; ++k) {
        ts_inertia unit = ts_derivative_unit_inertia(k, &pose->R);
        ts_force f = ts_motion_cross_force(v, ts_inertia_mul(&unit, v));
        add(&s->by_inertia[TS_SENSOR_PARAMETERS * b + k], 1.0, ts_force_add(f, ts_inertia_mul(&unit, a)), arm);
    }
}

// What is applied to a body at its centre, which moves with it and with its inertia.
static void take_away_applied(force_sum* s, int b, ts_vec3 origin) {
    const ts_body* body = &s->sim->model->body[b];
    ts_vec3 centre = s->sim->kinematics.body_centre[b], arm = ts_vec3_sub(centre, s->site);
    ts_force w = s->sim->wrench_applied[b];
    const ts_mat3* R = &s->sim->kinematics.body_pose[b].R;
    add(&s->whole, -1.0, w, arm);
    for (int k = 0; k < 3; ++k) {
        ts_force couple = {ts_vec3_axis(k), ts_vec3_zero()}, force = {ts_vec3_zero(), ts_vec3_axis(k)};
        add(&s->by_wrench[6 * b + k], -1.0, couple, arm);
        add(&s->by_wrench[6 * b + 3 + k], -1.0, force, arm);
    }
    for (int d = body->tree < 0 ? -1 : body->dof_last; d >= 0; d = s->sim->model->dof[d].parent) {
        ts_vec3 moved =
            ts_motion_at(ts_kinematics_axis(s->sim->model, &s->sim->kinematics, d), ts_vec3_sub(centre, origin));
        s->by_q[d].couple = ts_vec3_sub(s->by_q[d].couple, ts_vec3_cross(moved, w.force));
    }
    for (int k = 0; k < 4 && body->tree >= 0; ++k) {
        ts_vec3 by = k == 0 ? ts_vec3_neg(body->centre) : ts_vec3_axis(k - 1);
        ts_vec3 moved = ts_mat3_mul_vec(R, ts_vec3_scale(1.0 / body->mass, by));
        ts_force* to = &s->by_inertia[TS_SENSOR_PARAMETERS * b + k];
        to->couple = ts_vec3_sub(to->couple, ts_vec3_cross(moved, w.force));
    }
}

static void add_body(force_sum* s, int b) {
    const ts_sim* sim = s->sim;
    const ts_body* body = &sim->model->body[b];
    ts_vec3 origin = ts_sensor_origin(sim, b), arm = ts_vec3_sub(origin, s->site);
    ts_inertia inertia = ts_kinematics_inertia(sim->model, &sim->kinematics, b);
    moving_body m = {.I = &inertia, .v = ts_motion_zero()};
    if (body->tree >= 0) m.v = sim->kinematics.body_velocity[b];
    m.a = ts_sensor_body_acceleration(sim, s->link, b);
    m.h = ts_inertia_mul(m.I, m.v);
    add(&s->whole, 1.0, ts_force_add(ts_inertia_mul(m.I, m.a), ts_motion_cross_force(m.v, m.h)), arm);
    for (int d = body->tree < 0 ? -1 : body->dof_last; d >= 0; d = sim->model->dof[d].parent) {
        ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, d);
        ts_sensor_body_slope slope = ts_sensor_body_slope_find(sim, s->link, b, d);
        add(&s->by_q[d], 1.0, by_turn(&m, S, slope.v_by_q, slope.a_by_q), arm);
        add(&s->by_v[d], 1.0, by_motion(&m, S, slope.a_by_v), arm);
        add(&s->by_next[d], 1.0 / sim->options.time_step, ts_inertia_mul(m.I, S), arm);
    }
    for (int k = 0; k < 3; ++k) {
        ts_motion fall = {ts_vec3_zero(), ts_vec3_neg(ts_vec3_axis(k))};
        add(&s->by_gravity[k], 1.0, ts_inertia_mul(m.I, fall), arm);
    }
    add(&s->by_time, 1.0, ts_inertia_mul(m.I, ts_sensor_body_by_time(sim, b)), arm);
    // What cannot move keeps the inertia that its simulation was made with.
    if (body->tree >= 0) add_parameters(s, b, origin, &m);
    take_away_applied(s, b, origin);
}

// --- contacts ---

// Which way a contact acts on the sum: on B, or on A against its frame; 0: within it, or not at all.
static int side_of(const force_sum* s, const ts_contact* contact) {
    return is_in(s, contact->body_b) - is_in(s, contact->body_a);
}

// Returns 0 where the contact has no slopes.
static int take_away_contact(force_sum* s, const ts_contact* contact, const ts_sensor_contact_motion* motion) {
    int side = side_of(s, contact);
    if (side == 0 || contact->block < 0) return 1;
    const ts_contact_rare* rare = ts_sim_contact_rare(s->sim, (int)(contact - s->sim->contact));
    if (rare->adhesion != 0.0) return 0;
    double rate = side / s->sim->options.time_step;
    ts_vec3 force = ts_vec3_scale(rate, ts_mat3_mul_vec(&contact->frame, contact->impulse));
    ts_vec3 couple = ts_vec3_scale(rate, ts_mat3_mul_vec(&contact->frame, rare->angular_impulse));
    if (ts_vec3_max_abs(force) == 0.0 && ts_vec3_max_abs(couple) == 0.0) return 1;
    if (!motion) return 0;
    ts_vec3 arm = ts_vec3_sub(contact->position, s->site);
    add(&s->whole, -1.0, (ts_force){couple, force}, arm);
    for (int d = 0; d < s->sim->model->nv; ++d) {
        ts_vec3 turn = motion[d].turn;
        ts_force moved = {ts_vec3_cross(turn, couple), ts_vec3_cross(turn, force)};
        moved.couple = ts_vec3_add(moved.couple, ts_vec3_cross(motion[d].point, force));
        add(&s->by_q[d], -1.0, moved, arm);
    }
    return 1;
}

static int take_away_contacts(force_sum* s, const ts_sensor_contact_motion* motion) {
    int nv = s->sim->model->nv;
    for (int i = 0; i < s->sim->contact_count; ++i)
        if (!take_away_contact(s, &s->sim->contact[i], motion ? motion + i * nv : NULL)) return 0;
    return 1;
}

// --- what is written ---

// Column c of three numbers: the force, or the torque.
static void show(const ts_transform* site, int torque, ts_force f, int ld, int c, double* matrix) {
    ts_sensor_add_column(&site->R, torque ? f.couple : f.force, ld, c, matrix);
}

// Rows say where they act. Returns 0 where one that is no contact acts on the sum.
static int add_impulses(const force_sum* s, ts_sim* sim, const ts_transform* site, int torque,
                        const ts_sensor_step_slope* by) {
    int rows = sim->problem.row_count;
    double rate = 1.0 / sim->options.time_step;
    for (int b = 0; b < sim->problem.block_count; ++b)
        for (int r = 0; r < sim->problem.block[b].rows; ++r) {
            const ts_force* left = ts_sensor_row_forces(sim, b, r);
            ts_force f = ts_force_zero();
            for (int m = s->root; m < sim->model->body_count; ++m)
                if (is_in(s, m)) add(&f, rate, left[m], ts_vec3_sub(ts_sensor_origin(sim, m), s->site));
            // What acts between two bodies of the sum cancels, to rounding.
            if (fmax(ts_vec3_max_abs(f.force), ts_vec3_max_abs(f.couple)) < cancels * rate) continue;
            if (sim->row_block[b].source != ts_row_source_find("contact")) return 0;
            int row = sim->problem.block[b].row + r;
            show(site, torque, f, rows, row, by->impulse);
            show(site, torque,
                 (ts_force){ts_vec3_scale(-rate * sim->impulse[row], f.couple),
                            ts_vec3_scale(-rate * sim->impulse[row], f.force)},
                 1, 0, by->time_step);
        }
    return 1;
}

// What the site sees of all that but for impulses, as it goes with its body.
static void write(const force_sum* s, const ts_transform* site, int torque, const ts_sensor_step_slope* by) {
    const ts_sim* sim = s->sim;
    const ts_model* model = sim->model;
    int nv = model->nv, bodies = model->body_count, root_tree = model->body[s->root].tree;
    ts_vec3 shown = torque ? s->whole.couple : s->whole.force;
    for (int d = 0; d < nv; ++d) {
        show(site, torque, s->by_q[d], nv, d, by->q);
        show(site, torque, s->by_v[d], nv, d, by->v);
        show(site, torque, s->by_next[d], nv, d, by->next);
    }
    for (int d = root_tree < 0 ? -1 : model->body[s->root].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, d);
        ts_vec3 change = ts_vec3_cross(S.angular, shown);
        ts_vec3 moved = ts_motion_at(S, ts_vec3_sub(site->p, ts_sensor_origin(sim, s->root)));
        if (torque) change = ts_vec3_add(change, ts_vec3_cross(moved, s->whole.force));
        ts_sensor_add_column(&site->R, ts_vec3_neg(change), nv, d, by->q);
    }
    for (int k = 0; k < 3; ++k) show(site, torque, s->by_gravity[k], 3, k, by->gravity);
    for (int k = 0; k < 6 * bodies; ++k) show(site, torque, s->by_wrench[k], 6 * bodies, k, by->wrench);
    for (int k = 0; k < TS_SENSOR_PARAMETERS * bodies; ++k)
        show(site, torque, s->by_inertia[k], TS_SENSOR_PARAMETERS * bodies, k, by->inertia);
    show(site, torque, s->by_time, 1, 0, by->time_step);
}

// --- what has no slopes here ---

static int tendon_does_nothing(const ts_sim* sim, int t) {
    const ts_model* model = sim->model;
    const ts_tendon* tendon = &model->tendon[t];
    if (model->tendon_part[tendon->part_first].kind == TS_TENDON_JOINT) return 1;
    for (int i = 0; i < model->actuator_count; ++i)
        if (ts_transmission_at(model->actuator[i].transmission)->target == TS_TARGET_TENDON &&
            model->actuator[i].target == t)
            return 0;
    for (int e = 0; e < model->equality_count; ++e)
        if (model->equality[e].tendon[0] == t || model->equality[e].tendon[1] == t) return 0;
    return tendon->spring == 0.0 && tendon->damping == 0.0 && tendon->friction == 0.0 && !tendon->limits.limited &&
           !tendon->curve.is_there;
}

static int is_simple(const ts_sim* sim) {
    for (int t = 0; t < sim->model->tendon_count; ++t)
        if (!tendon_does_nothing(sim, t)) return 0;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        ts_transmission_target target = ts_transmission_at(sim->model->actuator[i].transmission)->target;
        if (target != TS_TARGET_JOINT && target != TS_TARGET_TENDON) return 0;
    }
    return 1;
}

int ts_sensor_force_slope(ts_sim* sim, const ts_sensor* sensor, int torque, ts_arena* scratch,
                          const ts_sensor_step_slope* by) {
    const ts_model* model = sim->model;
    size_t nv = (size_t)model->nv, bodies = (size_t)model->body_count, total = 3 * nv + 16 * bodies;
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    if (!is_simple(sim)) return 0;
    ts_force* room = (ts_force*)ts_arena_alloc_zeroed(scratch, total, sizeof(ts_force));
    force_sum s = {.sim = sim, .root = sensor->object[0].body, .site = site.p};
    s.link = ts_sensor_links_find(sim, scratch);
    if (!room || !s.link) return 0;
    s.by_q = room;
    s.by_v = room + nv;
    s.by_next = room + 2 * nv;
    s.by_wrench = room + 3 * nv;
    s.by_inertia = s.by_wrench + 6 * bodies;
    for (int b = s.root; b < model->body_count; ++b)
        if (is_in(&s, b)) add_body(&s, b);
    if (!take_away_contacts(&s, by->contact) || !add_impulses(&s, sim, &site, torque, by)) return 0;
    write(&s, &site, torque, by);
    return 1;
}
