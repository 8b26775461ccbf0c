// Contacts: how their rows and what they press answer to positions, at fixed impulses and velocities.
//
// A contact lies at p with the frame (t1, t2, n) between A and B. A unit of a dof that moves A carries the whole picture; what is left is a motion of B relative to A, of
// which the narrow phase has the derivative (collision/derivative/proximity_derivative.h): dp, dn and the change of the gap. The frame turns with
// dw = n x dn, and with A; another turn about n changes tangents, friction and slip alike, which no round cone notices. With c = v_B(p) - v_A(p) and f the
// impulse in the world,
//     du = d . (c x dw) + d . (dv_B - dv_A) - dc*,     df = dw x f,     dv_B = what is fixed there + omega_B x dp
//     d(J^T lambda)_k = (S_j x S_k) . F + S_k . (dp x f + (p - o) x df, df)
// Source: docs/contact.md for the rows; derived here. Twists as in engine/dynamics/kinematics_derivative.c.
// Manifolds: step_manifold.c.
#include <math.h>
#include <string.h>

#include "base/linear/four.h"
#include "collision/derivative/proximity_derivative.h"
#include "engine/derivative/sensor_step_internal.h"
#include "engine/derivative/step_pull_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/step/step.h"

// How a dof moves a contact.
typedef struct contact_motion {
    int dof;
    int on_a;
    int on_b;
    ts_vec3 point;   // dp
    ts_vec3 turn;    // dw
    double gap;      // dgap
    ts_motion push;  // of u: linear and angular, dv_B - dv_A at the moving point
} contact_motion;

// --- motions ---

static ts_vec3 product(const double matrix[3][6], ts_motion twist) {
    double x[6] = {twist.linear.x, twist.linear.y, twist.linear.z, twist.angular.x, twist.angular.y, twist.angular.z},
           y[3];
    for (int i = 0; i < 3; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < 6; ++j) y[i] += matrix[i][j] * x[j];
    }
    return ts_vec3_load(y);
}

static double along_gap(const double gap[6], ts_motion twist) {
    return gap[0] * twist.linear.x + gap[1] * twist.linear.y + gap[2] * twist.linear.z + gap[3] * twist.angular.x +
           gap[4] * twist.angular.y + gap[5] * twist.angular.z;
}

// The dofs of both chains, descending. Returns how many.
static int list_motions(const ts_model* model, const ts_contact* contact, contact_motion* out) {
    int a = model->body[contact->body_a].dof_last, b = model->body[contact->body_b].dof_last, count = 0;
    while (a >= 0 || b >= 0) {
        int dof = a > b ? a : b;
        contact_motion* m = &out[count++];
        memset(m, 0, sizeof *m);
        m->dof = dof;
        m->on_a = a == dof;
        m->on_b = b == dof;
        if (m->on_a) a = model->dof[a].parent;
        if (m->on_b) b = model->dof[b].parent;
    }
    return count;
}

// Adds what each dof changes of a body's twist: `sign` times its field at the contact, velocities those of `k`.
static void add_field(const ts_model* model, const ts_kinematics* k, int body, ts_vec3 point, double sign,
                      contact_motion* motion) {
    int tree = model->body[body].tree, at = 0;
    if (tree < 0) return;
    ts_vec3 lever = ts_vec3_sub(point, k->tree_origin[tree]);
    ts_motion beyond = ts_motion_zero();
    for (int last = model->body[body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        // The axes of a quaternion are beyond each other.
        first = ts_step_turns_with(model, last);
        for (int d = last; d >= first; --d) beyond = ts_motion_add_scaled(beyond, k->dof_velocity[d], k->dof_axis[d]);
        for (int j = last; j >= first; --j) {
            while (motion[at].dof != j) ++at;
            ts_motion change = ts_motion_cross(k->dof_axis[j], beyond);
            motion[at].push.linear = ts_vec3_add_scaled(motion[at].push.linear, sign, ts_motion_at(change, lever));
            motion[at].push.angular = ts_vec3_add_scaled(motion[at].push.angular, sign, change.angular);
        }
    }
}

static ts_vec3 spin_of(const ts_model* model, const ts_kinematics* k, int body) {
    return model->body[body].tree >= 0 ? k->body_velocity[body].angular : ts_vec3_zero();
}

// How every dof moves a contact and its rows.
static void find_motions(const ts_sim* sim, const ts_kinematics* k, const ts_contact* contact,
                         const ts_manifold_derivative_point* slope, contact_motion* motion, int count) {
    const ts_model* model = sim->model;
    ts_vec3 normal = ts_mat3_column(&contact->frame, 2), centre = k->geom_pose[contact->geom_b].p;
    ts_vec3 spin = ts_vec3_sub(spin_of(model, k, contact->body_b), spin_of(model, k, contact->body_a));
    for (int i = 0; i < count; ++i) {
        contact_motion* m = &motion[i];
        ts_motion S = k->dof_axis[m->dof];
        ts_vec3 origin = k->tree_origin[model->dof[m->dof].tree];
        if (m->on_a != m->on_b) {
            double sign = m->on_b ? 1.0 : -1.0;
            ts_motion twist = {ts_vec3_scale(sign, S.angular),
                               ts_vec3_scale(sign, ts_motion_at(S, ts_vec3_sub(centre, origin)))};
            m->point = product(slope->position, twist);
            m->turn = ts_vec3_cross(normal, product(slope->normal, twist));
            m->gap = along_gap(slope->gap, twist);
        }
        if (m->on_a) {
            m->point = ts_vec3_add(m->point, ts_motion_at(S, ts_vec3_sub(contact->position, origin)));
            m->turn = ts_vec3_add(m->turn, S.angular);
        }
        m->push = (ts_motion){.linear = ts_vec3_cross(spin, m->point), .angular = ts_vec3_zero()};
    }
    add_field(model, k, contact->body_b, contact->position, 1.0, motion);
    add_field(model, k, contact->body_a, contact->position, -1.0, motion);
}

// --- rows ---

// What rows from the fourth on are scaled by.
static double turn_scale(const ts_contact* contact, int r) {
    return (r == 3 ? contact->surface.friction_spin : contact->surface.friction_roll) / contact->surface.friction;
}

// Of a hard contact, and whether leverage has slowed it, so that it goes by G as well. Returns 0 when that is not known here.
static int hard_slopes(const ts_sim* sim, const ts_contact* contact, double reference, ts_mujoco_row_slopes* out,
                       int* out_slowed) {
    double h = sim->options.time_step, bounce = -contact->surface.restitution * contact->velocity_before.z;
    if (bounce > 0.0 && reference == bounce) {
        out->reference_by_speed = -contact->surface.restitution;
        return 1;
    }
    if (contact->gap > 0.0) {
        out->reference_by_gap = -1.0 / h;
        return 1;
    }
    double depth = -contact->gap - sim->options.slop;
    if (!(depth > 0.0)) return 1;
    double push = depth * sim->options.baumgarte / h, most = sim->options.push_out_speed;
    double share = reference / fmin(push, most);
    *out_slowed = share < 1.0 - 1e-12;
    if (push < most) out->reference_by_gap = -share * sim->options.baumgarte / h;
    return share <= 1.0 + 1e-12;
}

int ts_step_contact_softness(const ts_sim* sim, const ts_contact* contact, ts_mujoco_row_slopes* out) {
    ts_vec3 before = contact->velocity_before;
    // Of more rows the speeds before are not kept, nor asked for.
    double speed[TS_BLOCK_ROWS_MAX] = {before.x, before.y, before.z};
    if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_NONE) return 0;
    if (contact->surface.dimension == 1) speed[0] = before.z;
    ts_soft_contact_slopes(sim, contact, speed, out);
    return 1;
}

// How the law of each row goes with the gap and the speeds before. Returns 0 when that is not known here.
static int law_slopes(const ts_sim* sim, const ts_contact* contact, ts_mujoco_row_slopes* out, int* out_slowed) {
    *out_slowed = 0;
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2;
    memset(out, 0, (size_t)rows * sizeof *out);
    if (ts_step_contact_softness(sim, contact, out)) return 1;
    double reference = ts_sim_storage_of(sim)->reference[sim->problem.block[contact->block].row + normal];
    return hard_slopes(sim, contact, reference, &out[normal], out_slowed);
}

// Velocity of B's against A's at the contact.
static ts_motion relative_velocity(const ts_model* model, const ts_kinematics* k, const ts_contact* contact) {
    ts_motion c;
    c.linear = ts_vec3_sub(ts_kinematics_point_velocity(model, k, contact->body_b, contact->position),
                           ts_kinematics_point_velocity(model, k, contact->body_a, contact->position));
    c.angular = ts_vec3_sub(spin_of(model, k, contact->body_b), spin_of(model, k, contact->body_a));
    return c;
}

// d(J v) at the velocities of `k`.
static void fill_rows(const ts_model* model, const ts_kinematics* k, const ts_contact* contact,
                      const contact_motion* motion, int count, double* out) {
    int rows = contact->surface.dimension;
    ts_motion c = relative_velocity(model, k, contact);
    for (int i = 0; i < count; ++i) {
        const contact_motion* m = &motion[i];
        ts_vec3 linear = ts_vec3_add(ts_vec3_cross(c.linear, m->turn), m->push.linear);
        ts_vec3 angular = ts_vec3_add(ts_vec3_cross(c.angular, m->turn), m->push.angular);
        for (int r = 0; r < rows; ++r) {
            int axis = rows == 1 ? 2 : r < 3 ? r : r == 3 ? 2 : r - 4;
            ts_vec3 direction = ts_mat3_column(&contact->frame, axis);
            double* to = &out[r * count + i];
            *to = r < 3 ? ts_vec3_dot(direction, linear) : turn_scale(contact, r) * ts_vec3_dot(direction, angular);
        }
    }
}

// dR lambda - dc* of row r by the gap. What sticks presses by no more than its impulse is beyond the pull (engine/rows/contact.c).
static double slope_by_gap(const ts_sim* sim, const ts_contact* contact, const ts_mujoco_row_slopes* law, int r) {
    double stuck = r == (contact->surface.dimension == 1 ? 0 : 2) ? sim->options.time_step * contact->adhesion : 0.0;
    double lambda = sim->impulse[sim->problem.block[contact->block].row + r];
    return law[r].R_by_gap * (lambda - stuck) - law[r].reference_by_gap;
}

// What the law adds: dR lambda - dc*, with what `before` says of the speeds before the step (NULL: nothing), and by the velocity before into by_v.
static void add_law(const ts_sim* sim, const ts_contact* contact, const ts_mujoco_row_slopes* law,
                    const contact_motion* motion, int count, const double* before, double* by_q, double* by_v) {
    int rows = contact->surface.dimension;
    for (int r = 0; r < rows; ++r) {
        double by_gap = slope_by_gap(sim, contact, law, r);
        int axis = rows == 1 ? 2 : r < 3 ? r : r == 3 ? 2 : r - 4;
        ts_vec3 direction = ts_mat3_column(&contact->frame, axis);
        for (int i = 0; i < count; ++i) {
            by_q[r * count + i] += by_gap * motion[i].gap;
            if (!before) continue;
            by_q[r * count + i] -= law[r].reference_by_speed * before[r * count + i];
            ts_motion S = sim->kinematics.dof_axis[motion[i].dof];
            ts_vec3 origin = sim->kinematics.tree_origin[sim->model->dof[motion[i].dof].tree];
            ts_vec3 moved = ts_motion_at(S, ts_vec3_sub(contact->position, origin));
            double rate =
                r < 3 ? ts_vec3_dot(direction, moved) : turn_scale(contact, r) * ts_vec3_dot(direction, S.angular);
            by_v[r * count + i] = -law[r].reference_by_speed * (motion[i].on_b - motion[i].on_a) * rate;
        }
    }
}

// The impulse in the world, about the contact.
static ts_force world_impulse(const ts_contact* contact, const double* lambda) {
    ts_force w = {ts_vec3_zero(), ts_vec3_zero()};
    int rows = contact->surface.dimension;
    for (int r = 0; r < rows; ++r) {
        int axis = rows == 1 ? 2 : r < 3 ? r : r == 3 ? 2 : r - 4;
        ts_vec3 direction = ts_mat3_column(&contact->frame, axis);
        if (r < 3)
            w.force = ts_vec3_add_scaled(w.force, lambda[r], direction);
        else
            w.couple = ts_vec3_add_scaled(w.couple, lambda[r] * turn_scale(contact, r), direction);
    }
    return w;
}

// Where the force of dof r by dof c goes.
typedef struct force_matrix {
    double* numbers;
    int ld;
    const int* place;  // (motions) row and column of each
} force_matrix;

// What one side of contacts between the same two bodies passes on: the forces at the tree's origin, and how they answer to each dof.
typedef struct side_change {
    ts_force whole;
    ts_force* by;  // (motions)
} side_change;

// Adds what a contact does to one side of it.
static void add_change(const ts_model* model, const ts_kinematics* k, const ts_contact* contact, int on_b, ts_force w,
                       const contact_motion* motion, int count, side_change* to) {
    int body = on_b ? contact->body_b : contact->body_a, tree = model->body[body].tree;
    ts_vec3 lever = ts_vec3_sub(contact->position, k->tree_origin[tree]);
    if (!on_b) w = (ts_force){ts_vec3_neg(w.couple), ts_vec3_neg(w.force)};
    ts_force at_origin = {ts_vec3_add(w.couple, ts_vec3_cross(lever, w.force)), w.force};
    to->whole = ts_force_add(to->whole, at_origin);
    for (int j = 0; j < count; ++j) {
        ts_force change;
        change.force = ts_vec3_cross(motion[j].turn, w.force);
        change.couple = ts_vec3_add(ts_vec3_cross(motion[j].point, w.force), ts_vec3_cross(lever, change.force));
        change.couple = ts_vec3_add(change.couple, ts_vec3_cross(motion[j].turn, w.couple));
        to->by[j] = ts_force_add(to->by[j], change);
    }
}

// Adds d(J^T lambda) of that.
static void spread_change(const ts_model* model, const ts_kinematics* k, int on_b, const side_change* from,
                          const contact_motion* motion, int count, const force_matrix* to) {
    for (int i = 0; i < count; ++i) {
        if (!(on_b ? motion[i].on_b : motion[i].on_a)) continue;
        int d = motion[i].dof, at = 0;
        double* row = to->numbers + to->place[i] * to->ld;
        for (int j = 0; j < count; ++j) row[to->place[j]] += ts_motion_dot_force(k->dof_axis[d], from->by[j]);
        for (int c = ts_step_carrier(model, d); c >= 0; c = model->dof[c].parent) {
            while (motion[at].dof != c) ++at;
            row[to->place[at]] += ts_motion_dot_force(ts_motion_cross(k->dof_axis[c], k->dof_axis[d]), from->whole);
        }
    }
}

// The numbers of a motion, and twice that: by a motion, and by the change of twist that it makes of those beyond.
enum { MOTION = 6, TWICE = 12, LANES = 4 };

// The dofs that carry a body, the last first, and what those beyond each become: for contacts of that body with the world.
typedef struct body_chain {
    int body;  // -1: none
    int count;
    int* dof;                  // (count) in the derivative's memory
    double (*numbers)[TWICE];  // (nv + 1): the axis, and S x twist beyond
} body_chain;

// Room for the contacts of a step, and what those of a body against the world have in common, to be spread once.
typedef struct contact_room {
    contact_motion* motion;     // (nv + 1)
    int* place;                 // (nv + 1)
    side_change change;         // (nv + 1)
    const ts_contact* pending;  // one of those of whom `common` is; NULL: nothing is
    side_change common;         // by the six units of a motion about the tree's origin
    body_chain chain;
} contact_room;

static void clear_change(side_change* change, int count) {
    memset(&change->whole, 0, sizeof change->whole);
    memset(change->by, 0, (size_t)count * sizeof *change->by);
}

static double number_of(ts_motion S, int i) { return i < 3 ? ts_vec3_get(S.angular, i) : ts_vec3_get(S.linear, i - 3); }

// Spreads what is pending.
static void settle(const ts_model* model, const ts_step_implicit* p, contact_room* room) {
    const ts_contact* contact = room->pending;
    room->pending = NULL;
    if (!contact) return;
    int on_b = model->body[contact->body_a].tree < 0;
    int tree = model->body[on_b ? contact->body_b : contact->body_a].tree;
    if (!p->tree[tree].by_q) return;
    int count = list_motions(model, contact, room->motion);
    for (int i = 0; i < count; ++i) room->place[i] = room->motion[i].dof - model->tree[tree].dof_first;
    clear_change(&room->change, count);
    room->change.whole = room->common.whole;
    for (int i = 0; i < count; ++i)
        for (int n = 0; n < MOTION; ++n) {
            double share = number_of(p->kinematics.dof_axis[room->motion[i].dof], n);
            ts_force* by = &room->change.by[i];
            by->couple = ts_vec3_add_scaled(by->couple, share, room->common.by[n].couple);
            by->force = ts_vec3_add_scaled(by->force, share, room->common.by[n].force);
        }
    force_matrix to = {p->tree[tree].by_q, model->tree[tree].dof_count, room->place};
    spread_change(model, &p->kinematics, on_b, &room->change, room->motion, count, &to);
}

// --- a contact ---

// Adds the other dofs of the trees that a contact moves. Returns how many there are then.
static int list_others(const ts_model* model, const ts_contact* contact, contact_motion* motion, int count) {
    int tree[2] = {model->body[contact->body_a].tree, model->body[contact->body_b].tree}, chain = count;
    for (int side = 0; side < 2; ++side) {
        if (tree[side] < 0 || (side == 1 && tree[1] == tree[0])) continue;
        int first = model->tree[tree[side]].dof_first;
        for (int d = first; d < first + model->tree[tree[side]].dof_count; ++d) {
            int at = 0;
            while (at < chain && motion[at].dof != d) ++at;
            if (at < chain) continue;
            memset(&motion[count], 0, sizeof *motion);
            motion[count++].dof = d;
        }
    }
    return count;
}

// --- a contact with the world ---

// The numbers of a slope by a motion at the centre of B, as one by a motion about a point that the centre is `lever` from.
static void move_slope(const double* slope, ts_vec3 lever, double sign, double out[MOTION]) {
    ts_vec3 by_shift = ts_vec3_scale(sign, ts_vec3_load(slope));
    ts_vec3_store(ts_vec3_add_scaled(ts_vec3_cross(lever, by_shift), sign, ts_vec3_load(slope + 3)), out);
    ts_vec3_store(by_shift, out + 3);
}

// What a contact of something with the world does by the six units of a motion about the origin of that thing's tree.
static void find_units(const ts_kinematics* k, const ts_contact* contact, const ts_manifold_derivative_point* slope,
                       int on_b, int tree, contact_motion unit[MOTION]) {
    ts_vec3 normal = ts_mat3_column(&contact->frame, 2), origin = k->tree_origin[tree];
    ts_vec3 lever = ts_vec3_sub(k->geom_pose[contact->geom_b].p, origin);
    double point[3][MOTION], turn[3][MOTION], gap[MOTION], sign = on_b ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        move_slope(slope->position[i], lever, sign, point[i]);
        move_slope(slope->normal[i], lever, sign, turn[i]);
    }
    move_slope(slope->gap, lever, sign, gap);
    for (int n = 0; n < MOTION; ++n) {
        unit[n].on_a = !on_b;
        unit[n].on_b = on_b;
        unit[n].point = ts_vec3_make(point[0][n], point[1][n], point[2][n]);
        unit[n].turn = ts_vec3_cross(normal, ts_vec3_make(turn[0][n], turn[1][n], turn[2][n]));
        unit[n].gap = gap[n];
    }
    // What A carries moves with it.
    for (int n = 0; n < 3 && !on_b; ++n) {
        ts_vec3 axis = ts_vec3_axis(n);
        unit[n].point = ts_vec3_add(unit[n].point, ts_vec3_cross(axis, ts_vec3_sub(contact->position, origin)));
        unit[n].turn = ts_vec3_add(unit[n].turn, axis);
        unit[n + 3].point = ts_vec3_add(unit[n + 3].point, axis);
    }
}

// Adds what it passes on to what is pending.
static void add_common(const ts_model* model, const ts_kinematics* k, const ts_contact* contact, int on_b, ts_force w,
                       const contact_motion unit[MOTION], contact_room* room) {
    if (!room->pending) clear_change(&room->common, MOTION);
    room->pending = contact;
    add_change(model, k, contact, on_b, w, unit, MOTION, &room->common);
}

// What the dofs that carry a body are and do to it, at the velocities of `k`: their axes, and S x twist beyond.
static void fill_chain(const ts_model* model, const ts_kinematics* k, int body, double (*numbers)[TWICE]) {
    ts_motion beyond = ts_motion_zero();
    for (int last = model->body[body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        first = ts_step_turns_with(model, last);
        for (int d = last; d >= first; --d) beyond = ts_motion_add_scaled(beyond, k->dof_velocity[d], k->dof_axis[d]);
        for (int d = last; d >= first; --d, ++numbers) {
            ts_motion S = k->dof_axis[d], change = ts_motion_cross(S, beyond);
            for (int n = 0; n < MOTION; ++n) (*numbers)[n] = number_of(S, n);
            for (int n = 0; n < MOTION; ++n) (*numbers)[MOTION + n] = number_of(change, n);
        }
    }
}

static int find_chain(const ts_step_task* task, const ts_kinematics* k, int body, body_chain* chain) {
    const ts_model* model = task->sim->model;
    if (chain->body == body) return 1;
    int count = 0;
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) ++count;
    chain->dof = TS_ARENA_ARRAY(task->arena, int, count);
    if (!chain->dof) return 0;
    chain->body = body;
    chain->count = count;
    for (int i = 0, d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) chain->dof[i++] = d;
    fill_chain(model, k, body, chain->numbers);
    return 1;
}

// A contact whose rows are looked for.
typedef struct sought_contact {
    const ts_contact* contact;
    const ts_manifold_derivative_point* slope;
    int by_units;  // nonzero: it is with the world, of three rows or one, and known by what it does by the six units
    int on_b;      // then: the side of it that moves
    contact_motion unit[MOTION];
} sought_contact;

// Rows of a contact over the `count` dofs of a chain, `ld` apart, at the velocities of `k`: each is twelve numbers times those of the dof, all rows at once. `law`:
// hard, or soft by the gap alone; NULL: d(J v) only.
static void fill_chain_rows(const ts_sim* sim, const ts_kinematics* k, const sought_contact* w,
                            const ts_mujoco_row_slopes* law, double (*numbers)[TWICE], int count, int ld,
                            double* by_q) {
    const ts_contact* contact = w->contact;
    const contact_motion* unit = w->unit;
    int on_b = w->on_b, rows = contact->surface.dimension, body = on_b ? contact->body_b : contact->body_a;
    double part[TWICE][LANES] = {{0.0}}, sign = on_b ? 1.0 : -1.0;
    ts_vec3 lever = ts_vec3_sub(contact->position, k->tree_origin[sim->model->body[body].tree]);
    ts_motion c = relative_velocity(sim->model, k, contact);
    ts_vec3 pushed[MOTION];
    for (int n = 0; n < MOTION; ++n)
        pushed[n] = ts_vec3_add(ts_vec3_cross(c.linear, unit[n].turn), ts_vec3_cross(c.angular, unit[n].point));
    for (int r = 0; r < rows; ++r) {
        ts_vec3 direction = ts_mat3_column(&contact->frame, rows == 1 ? 2 : r);
        double by_gap = law ? slope_by_gap(sim, contact, law, r) : 0.0;
        for (int n = 0; n < MOTION; ++n) part[n][r] = ts_vec3_dot(direction, pushed[n]) + by_gap * unit[n].gap;
        ts_motion field = {ts_vec3_cross(lever, direction), direction};
        for (int n = 0; n < MOTION; ++n) part[MOTION + n][r] = sign * number_of(field, n);
    }
    for (int i = 0; i < count; ++i) {
        double sums[LANES];
        ts_four sum = ts_four_zero();
        for (int n = 0; n < TWICE; ++n) sum = ts_four_plus(sum, ts_four_times(numbers[i][n], ts_four_load(part[n])));
        ts_four_store(sum, sums);
        for (int r = 0; r < rows; ++r) by_q[r * ld + i] = sums[r];
    }
}

// --- what goes by G ---

// How G of a combination of rows answers to the dofs of both trees.
typedef struct own_slopes {
    double G;
    double *by_q, *by_v;  // (motions)
} own_slopes;

// d(J v) at the velocities of `k`. Returns over how many dofs, of both chains; below zero: memory is short.
static int turn_rows(const ts_sim* sim, const ts_kinematics* k, const sought_contact* w, ts_arena* scratch,
                     double* out) {
    const ts_contact* contact = w->contact;
    int body = w->on_b ? contact->body_b : contact->body_a, count = 0;
    if (!w->by_units) {
        contact_motion* chain = TS_ARENA_ARRAY(scratch, contact_motion, sim->model->nv + 1);
        if (!chain) return -1;
        count = list_motions(sim->model, contact, chain);
        find_motions(sim, k, contact, w->slope, chain, count);
        fill_rows(sim->model, k, contact, chain, count, out);
        return count;
    }
    for (int d = sim->model->body[body].dof_last; d >= 0; d = sim->model->dof[d].parent) ++count;
    double(*numbers)[TWICE] = (double(*)[TWICE])ts_arena_alloc(scratch, (size_t)count * sizeof *numbers);
    if (!numbers) return -1;
    fill_chain(sim->model, k, body, numbers);
    fill_chain_rows(sim, k, w, NULL, numbers, count, count, out);
    return count;
}

// Adds that of the combination `along`; G is set. Returns 0 when memory is short.
static int add_leverage(const ts_step_task* task, const ts_step_implicit* p, const sought_contact* w,
                        const double* along, const int* dof, int count, own_slopes* to) {
    const ts_sim* sim = task->sim;
    int rows = w->contact->surface.dimension, n = -1;
    ts_arena* scratch = &task->sim->scratch;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_step_leverage l;
    double* turned = TS_ARENA_ARRAY(scratch, double, rows * sim->model->nv);
    if (turned && ts_step_leverage_take(sim, p, scratch, &l) &&
        ts_step_leverage_find(sim, p, w->contact->block, along, &l))
        n = turn_rows(sim, &l.k, w, scratch, turned);
    if (n >= 0) to->G = l.G;
    for (int i = 0; i < count && n >= 0; ++i) {
        to->by_q[i] += l.slope[dof[i]];
        to->by_v[i] += l.by_v[dof[i]];
        for (int r = 0; i < n && r < rows; ++r) to->by_q[i] += 2.0 * along[r] * turned[r * n + i];
    }
    ts_arena_scope_end(scratch, scope);
    return n >= 0;
}

// What goes by G: -dc* of a push that leverage has slowed, c* = sqrt(G m) push, and dR lambda of what the solver has softened. Returns 0 when memory is short.
static int add_own(const ts_step_task* task, const ts_step_implicit* p, const sought_contact* w,
                   const ts_step_softening* softening, int slowed, const ts_step_block_slope* to) {
    const ts_sim* sim = task->sim;
    int rows = to->rows, count = to->count, normal = rows == 1 ? 0 : 2;
    ts_arena_scope scope = ts_arena_scope_begin(&task->sim->scratch);
    double* room = (double*)ts_arena_alloc_zeroed(&task->sim->scratch, 4 * (size_t)count, sizeof(double));
    own_slopes push = {0.0, room, room ? room + count : NULL},
               whole = {0.0, room ? room + 2 * count : NULL, room ? room + 3 * count : NULL};
    double along[TS_BLOCK_ROWS_MAX] = {0.0}, share = 0.0;
    along[normal] = 1.0;
    int fine = room && (!slowed || add_leverage(task, p, w, along, to->dof, count, &push));
    for (int k = 0; fine && k < softening->count; ++k)
        fine = add_leverage(task, p, w, softening->along[k], to->dof, count, &whole);
    if (slowed) share = 0.5 * ts_sim_storage_of(sim)->reference[to->row + normal] / push.G;
    double *by_q = (double*)to->by_q, *by_v = (double*)to->by_v;
    for (int r = 0; fine && r < rows; ++r) {
        double weight = softening->rate[r] * sim->impulse[to->row + r], slower = r == normal ? share : 0.0;
        for (int i = 0; i < count; ++i) {
            by_q[r * count + i] += weight * whole.by_q[i] - slower * push.by_q[i];
            by_v[r * count + i] += weight * whole.by_v[i] - slower * push.by_v[i];
        }
    }
    ts_arena_scope_end(&task->sim->scratch, scope);
    return fine;
}

// How the law of a contact goes.
typedef struct contact_law {
    ts_mujoco_row_slopes row[TS_BLOCK_ROWS_MAX];
    ts_step_softening softening;
    int slowed;  // nonzero: leverage slows its push
} contact_law;

static int goes_by_G(const contact_law* law) { return law->slowed || law->softening.count > 0; }

// A contact with the world of three rows or one that go by nothing but positions. Returns 0 when memory is short.
static int find_world_contact(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact,
                              const ts_manifold_derivative_point* slope, const contact_law* law, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    const ts_kinematics* k = &p->kinematics;
    const ts_block* block = &sim->problem.block[contact->block];
    sought_contact w = {
        .contact = contact, .slope = slope, .by_units = 1, .on_b = model->body[contact->body_a].tree < 0};
    int body = w.on_b ? contact->body_b : contact->body_a;
    if (!find_chain(task, k, body, &room->chain)) return 0;
    ts_step_block_slope own = {block->row, block->rows, room->chain.count, room->chain.dof, NULL, NULL, NULL};
    size_t size = (size_t)block->rows * (size_t)own.count;
    if (goes_by_G(law)) {
        own.count = list_others(model, contact, room->motion, list_motions(model, contact, room->motion));
        size = (size_t)block->rows * (size_t)own.count;
        int* dof = TS_ARENA_ARRAY(task->arena, int, own.count);
        own.by_v = (double*)ts_arena_alloc_zeroed(task->arena, 2 * size, sizeof(double));
        if (!dof || !own.by_v) return 0;
        for (int i = 0; i < own.count; ++i) dof[i] = room->motion[i].dof;
        own.dof = dof;
        own.by_q = own.by_v + size;
    } else {
        own.by_q = TS_ARENA_ARRAY(task->arena, double, size);
        if (!own.by_q) return 0;
    }
    find_units(k, contact, slope, w.on_b, model->body[body].tree, w.unit);
    fill_chain_rows(sim, k, &w, law->row, room->chain.numbers, room->chain.count, own.count, (double*)own.by_q);
    if (goes_by_G(law) && !add_own(task, p, &w, &law->softening, law->slowed, &own)) return 0;
    add_common(model, k, contact, w.on_b, world_impulse(contact, sim->impulse + block->row), w.unit, room);
    p->block[contact->block] = own;
    return 1;
}

static int find_contact(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact,
                        const ts_manifold_derivative_point* slope, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    const ts_kinematics* k = &p->kinematics;
    const ts_block* block = &sim->problem.block[contact->block];
    contact_motion* motion = room->motion;
    int* place = room->place;
    int rows = block->rows, a = model->body[contact->body_a].tree, b = model->body[contact->body_b].tree;
    contact_law law;
    int moves = 0;
    if (!ts_step_softening_find(sim, p, contact->block, &law.softening) ||
        !law_slopes(sim, contact, law.row, &law.slowed))
        return 0;
    int by_G = goes_by_G(&law);
    for (int r = 0; r < rows; ++r) moves = moves || law.row[r].reference_by_speed != 0.0;
    if ((a < 0 || b < 0) && !moves && (rows == 1 || rows == 3))
        return find_world_contact(task, p, contact, slope, &law, room);
    int count = list_motions(model, contact, motion);
    if (by_G) count = list_others(model, contact, motion, count);
    int* dof = TS_ARENA_ARRAY(task->arena, int, count);
    double* by_q = TS_ARENA_ARRAY(task->arena, double, rows* count);
    int more = moves || by_G;
    double* by_v =
        more ? (double*)ts_arena_alloc_zeroed(task->arena, (size_t)(2 * rows * count), sizeof(double)) : NULL;
    double* before = by_v && moves ? by_v + rows * count : NULL;
    int tree = a < 0 ? b : a, shared = a >= 0 && b >= 0 && a != b;
    // What one tree does to itself is the tree's.
    force_matrix to = {shared ? NULL : p->tree[tree].by_q, model->tree[tree].dof_count, place};
    if (shared) {
        to.numbers = (double*)ts_arena_alloc_zeroed(task->arena, (size_t)count * (size_t)count, sizeof(double));
        to.ld = count;
    }
    if (!dof || !by_q || task->arena->failed) return 0;
    if (before) {
        find_motions(sim, &sim->kinematics, contact, slope, motion, count);
        fill_rows(model, &sim->kinematics, contact, motion, count, before);
        list_motions(model, contact, motion);
    }
    find_motions(sim, k, contact, slope, motion, count);
    for (int i = 0; i < count; ++i) {
        dof[i] = motion[i].dof;
        place[i] = shared ? i : motion[i].dof - model->tree[tree].dof_first;
    }
    fill_rows(model, k, contact, motion, count, by_q);
    add_law(sim, contact, law.row, motion, count, before, by_q, by_v);
    const ts_step_block_slope own = {block->row, rows, count, dof, by_q, shared ? to.numbers : NULL, by_v};
    const sought_contact sought = {.contact = contact, .slope = slope};
    if (by_G && !add_own(task, p, &sought, &law.softening, law.slowed, &own)) return 0;
    ts_force w = world_impulse(contact, sim->impulse + block->row);
    if (a < 0 || b < 0) {
        contact_motion unit[MOTION];
        find_units(k, contact, slope, a < 0, tree, unit);
        add_common(model, k, contact, a < 0, w, unit, room);
    }
    for (int side = 0; a >= 0 && b >= 0 && to.numbers && side < 2; ++side) {
        clear_change(&room->change, count);
        add_change(model, k, contact, side, w, motion, count, &room->change);
        spread_change(model, k, side, &room->change, motion, count, &to);
    }
    p->block[contact->block] = own;
    return 1;
}

// The block of a contact over all dofs of both trees, made where there is none. Returns 0 when memory is short.
static int widen(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact, int shared,
                 const contact_motion* motion, int count) {
    const ts_block* block = &task->sim->problem.block[contact->block];
    ts_step_block_slope *slope = &p->block[contact->block], old = *slope;
    size_t wide = (size_t)count;
    int* dof = TS_ARENA_ARRAY(task->arena, int, wide);
    double* by_q = (double*)ts_arena_alloc_zeroed(task->arena, 2 * (size_t)block->rows * wide, sizeof(double));
    double* force = shared ? (double*)ts_arena_alloc_zeroed(task->arena, wide * wide, sizeof(double)) : NULL;
    if (task->arena->failed) return 0;
    double* by_v = by_q + (size_t)block->rows * wide;
    // The chain comes first in both.
    for (int i = 0; i < count; ++i) dof[i] = motion[i].dof;
    for (int r = 0; r < block->rows; ++r)
        for (int i = 0; i < old.count; ++i) {
            by_q[r * count + i] = old.by_q[r * old.count + i];
            if (old.by_v) by_v[r * count + i] = old.by_v[r * old.count + i];
        }
    for (int r = 0; r < old.count && old.force; ++r)
        memcpy(force + r * count, old.force + r * old.count, (size_t)old.count * sizeof(double));
    *slope = (ts_step_block_slope){block->row, block->rows, count, dof, by_q, force, by_v};
    return 1;
}

// What pulls the contact together turns with it. Returns 0 when memory is short.
static int add_pull(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact, double pull,
                    const ts_manifold_derivative_point* slope, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    int tree[2] = {model->body[contact->body_a].tree, model->body[contact->body_b].tree};
    int shared = tree[0] >= 0 && tree[1] >= 0 && tree[0] != tree[1];
    settle(model, p, room);
    int count = list_others(model, contact, room->motion, list_motions(model, contact, room->motion));
    find_motions(sim, &p->kinematics, contact, slope, room->motion, count);
    if (!widen(task, p, contact, shared, room->motion, count)) return 0;
    const ts_step_block_slope* block = &p->block[contact->block];
    ts_arena_scope scope = ts_arena_scope_begin(&task->sim->scratch);
    size_t size = (size_t)count * (size_t)count;
    double* turned = (double*)ts_arena_alloc_zeroed(&task->sim->scratch, size, sizeof(double));
    for (int i = 0; i < count; ++i) room->place[i] = i;
    force_matrix to = {turned, count, room->place};
    ts_force w = {ts_vec3_zero(), ts_vec3_scale(-pull, ts_mat3_column(&contact->frame, 2))};
    for (int side = 0; side < 2 && turned; ++side) {
        if (tree[side] < 0) continue;
        clear_change(&room->change, count);
        add_change(model, &p->kinematics, contact, side, w, room->motion, count, &room->change);
        spread_change(model, &p->kinematics, side, &room->change, room->motion, count, &to);
    }
    for (int side = 0; side < 2 && turned; ++side)
        if (tree[side] >= 0 && p->tree[tree[side]].by_q && (side == 0 || tree[0] != tree[1]))
            ts_step_pull_add(p, tree[side], block, turned, (double*)block->force);
    ts_arena_scope_end(&task->sim->scratch, scope);
    return turned != NULL;
}

static void give_up(const ts_sim* sim, ts_step_implicit* p, const ts_contact* contact) {
    int a = sim->model->body[contact->body_a].tree, b = sim->model->body[contact->body_b].tree;
    if (a >= 0) p->tree[a].by_q = NULL;
    if (b >= 0) p->tree[b].by_q = NULL;
    // An impact asks for the velocity before, and so does what is soft.
    if (contact->surface.restitution == 0.0 && ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_NONE) return;
    if (a >= 0) p->tree[a].by_v = NULL;
    if (b >= 0) p->tree[b].by_v = NULL;
}

int ts_step_contacts_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report) {
    const ts_sim* sim = task->sim;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    contact_room room = {.pending = NULL, .chain = {.body = -1}};
    ts_force common[MOTION];
    room.motion = TS_ARENA_ARRAY(scratch, contact_motion, sim->model->nv + 1);
    room.place = TS_ARENA_ARRAY(scratch, int, sim->model->nv + 1);
    room.change.by = TS_ARENA_ARRAY(scratch, ts_force, sim->model->nv + 1);
    room.chain.numbers =
        (double(*)[TWICE])ts_arena_alloc(scratch, ((size_t)sim->model->nv + 1) * sizeof *room.chain.numbers);
    room.common.by = common;
    int fine = room.motion && room.place && room.change.by && room.chain.numbers;
    for (int i = 0, next; fine && i < sim->contact_count; i = next) {
        ts_manifold_derivative_point slope[TS_MANIFOLD_CAPACITY];
        const ts_contact* first = &sim->contact[i];
        if (room.pending && (room.pending->body_a != first->body_a || room.pending->body_b != first->body_b))
            settle(sim->model, p, &room);
        for (next = i + 1; next < sim->contact_count && sim->contact[next].geom_a == first->geom_a &&
                           sim->contact[next].geom_b == first->geom_b;)
            ++next;
        int acting = 0;
        for (int n = i; n < next; ++n)
            acting +=
                ts_step_block_acts(sim, p, sim->contact[n].block) || (p->contact_pull && p->contact_pull[n] != 0.0);
        if (acting == 0) continue;
        int known = ts_step_manifold_slopes(sim, first, next - i, slope, report);
        for (int n = i; n < next; ++n) {
            const ts_contact* contact = &sim->contact[n];
            double pull = p->contact_pull ? p->contact_pull[n] : 0.0;
            int acts = ts_step_block_acts(sim, p, contact->block);
            if (!acts && pull == 0.0) continue;
            int plain = known && ts_vec3_max_abs(contact->drift) == 0.0 &&
                        sim->row_block[contact->block].blocked == TS_ROW_FREE;
            if (plain && acts) plain = find_contact(task, p, contact, &slope[n - i], &room);
            if (!plain)
                give_up(sim, p, contact);
            else if (pull != 0.0)
                fine = fine && add_pull(task, p, contact, pull, &slope[n - i], &room);
        }
    }
    if (fine) settle(sim->model, p, &room);
    fine = fine && !task->arena->failed;
    ts_arena_scope_end(scratch, scope);
    return fine;
}

int ts_step_contact_motions_find(const ts_sim* sim, ts_arena* arena, const ts_sensor_contact_motion** out_motion) {
    int nv = sim->model->nv, known = 1;
    size_t size = (size_t)sim->contact_count * (size_t)nv;
    ts_step_report report = {.differenced = 0};
    ts_sensor_contact_motion* all =
        (ts_sensor_contact_motion*)ts_arena_alloc_zeroed(arena, size, sizeof(ts_sensor_contact_motion));
    contact_motion* motion = TS_ARENA_ARRAY(arena, contact_motion, nv + 1);
    *out_motion = NULL;
    if (arena->failed) return 0;
    for (int i = 0, next; i < sim->contact_count && known; i = next) {
        ts_manifold_derivative_point slope[TS_MANIFOLD_CAPACITY];
        const ts_contact* first = &sim->contact[i];
        int presses = 0;
        for (next = i; next < sim->contact_count && sim->contact[next].geom_a == first->geom_a &&
                       sim->contact[next].geom_b == first->geom_b;
             ++next)
            presses = presses || ts_vec3_max_abs(sim->contact[next].impulse) > 0.0;
        known = !presses || ts_step_manifold_slopes(sim, first, next - i, slope, &report);
        for (int n = i; n < next && known && presses; ++n) {
            int count = list_motions(sim->model, &sim->contact[n], motion);
            find_motions(sim, &sim->kinematics, &sim->contact[n], &slope[n - i], motion, count);
            for (int k = 0; k < count; ++k)
                all[n * nv + motion[k].dof] = (ts_sensor_contact_motion){motion[k].point, motion[k].turn};
        }
    }
    if (known) *out_motion = all;
    return 1;
}
