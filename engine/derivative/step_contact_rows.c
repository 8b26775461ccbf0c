// How contacts and their rows answer to positions, at fixed velocities.
//
// Problem: a contact lies at p with the frame (t1, t2, n) between A and B. A unit of a dof that moves A carries the whole picture; what is left is a motion of B relative to A, of
// which the narrow phase has the derivative (collision/derivative/proximity_derivative.h): dp, dn and the change of the gap. The frame turns with
// dw = n x dn, and with A; another turn about n changes tangents, friction and slip alike, which no round cone notices. Rule: with c = v_B(p) - v_A(p),
//     du = d . (c x dw) + d . (dv_B - dv_A) - dc*,     dv_B = what is fixed there + omega_B x dp
// dof by dof, or, for one with the world, by the six units of a motion about the origin of the tree, of which every dof's is a combination.
// Source: docs/contact.md for the rows; derived here. Twists as in engine/dynamics/kinematics_derivative.c.
// Manifolds: step_manifold.c.
#include "engine/derivative/step_contact_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/four.h"
#include "engine/derivative/sensor_step_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/soft_contact_internal.h"

enum { LANES = 4 };  // rows of a contact side by side

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

int ts_step_contact_list(const ts_model* model, const ts_contact* contact, ts_step_contact_motion* out) {
    int a = model->body[contact->body_a].dof_last, b = model->body[contact->body_b].dof_last, count = 0;
    while (a >= 0 || b >= 0) {
        int dof = a > b ? a : b;
        ts_step_contact_motion* m = &out[count++];
        memset(m, 0, sizeof *m);
        m->dof = dof;
        m->on_a = a == dof;
        m->on_b = b == dof;
        if (m->on_a) a = model->dof[a].parent;
        if (m->on_b) b = model->dof[b].parent;
    }
    return count;
}

int ts_step_contact_list_others(const ts_model* model, const ts_contact* contact, ts_step_contact_motion* motion,
                                int count) {
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

// Adds what each dof changes of a body's twist: `sign` times its field at the contact, velocities those of `k`.
static void add_field(const ts_model* model, const ts_kinematics* k, int body, ts_vec3 point, double sign,
                      ts_step_contact_motion* motion) {
    int tree = model->body[body].tree, at = 0;
    if (tree < 0) return;
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(model, k, tree));
    ts_motion beyond = ts_motion_zero();
    for (int last = model->body[body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        // The axes of a quaternion are beyond each other.
        first = ts_step_turns_with(model, last);
        for (int d = last; d >= first; --d)
            beyond = ts_motion_add_scaled(beyond, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
        for (int j = last; j >= first; --j) {
            while (motion[at].dof != j) ++at;
            ts_motion change = ts_motion_cross(ts_kinematics_axis(model, k, j), beyond);
            motion[at].push.linear = ts_vec3_add_scaled(motion[at].push.linear, sign, ts_motion_at(change, lever));
            motion[at].push.angular = ts_vec3_add_scaled(motion[at].push.angular, sign, change.angular);
        }
    }
}

static ts_vec3 spin_of(const ts_model* model, const ts_kinematics* k, int body) {
    return model->body[body].tree >= 0 ? k->body_velocity[body].angular : ts_vec3_zero();
}

void ts_step_contact_move(const ts_sim* sim, const ts_kinematics* k, const ts_contact* contact,
                          const ts_manifold_derivative_point* slope, ts_step_contact_motion* motion, int count) {
    const ts_model* model = sim->model;
    ts_vec3 normal = ts_mat3_column(&contact->frame, 2), centre = ts_kinematics_geom(k, contact->geom_b)->p;
    ts_vec3 spin = ts_vec3_sub(spin_of(model, k, contact->body_b), spin_of(model, k, contact->body_a));
    for (int i = 0; i < count; ++i) {
        ts_step_contact_motion* m = &motion[i];
        ts_motion S = ts_kinematics_axis(model, k, m->dof);
        ts_vec3 origin = ts_kinematics_origin(model, k, model->dof[m->dof].tree);
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

// Which way a row looks; of rows from the fourth on: about which axis.
static ts_vec3 direction_of(const ts_contact* contact, int r) {
    int axis = contact->surface.dimension == 1 ? 2 : r < 3 ? r : r == 3 ? 2 : r - 4;
    return ts_mat3_column(&contact->frame, axis);
}

// What rows from the fourth on are scaled by.
static double turn_scale(const ts_sim* sim, const ts_contact* contact, int r) {
    const ts_contact_rare* rare = ts_sim_contact_rare(sim, (int)(contact - sim->contact));
    return (r == 3 ? rare->friction_spin : rare->friction_roll) / contact->surface.friction;
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

int ts_step_contact_law(const ts_sim* sim, const ts_contact* contact, ts_mujoco_row_slopes* out, int* out_slowed) {
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

void ts_step_contact_fill_rows(const ts_sim* sim, const ts_kinematics* k, const ts_contact* contact,
                               const ts_step_contact_motion* motion, int count, double* out) {
    int rows = contact->surface.dimension;
    ts_motion c = relative_velocity(sim->model, k, contact);
    for (int i = 0; i < count; ++i) {
        const ts_step_contact_motion* m = &motion[i];
        ts_vec3 linear = ts_vec3_add(ts_vec3_cross(c.linear, m->turn), m->push.linear);
        ts_vec3 angular = ts_vec3_add(ts_vec3_cross(c.angular, m->turn), m->push.angular);
        for (int r = 0; r < rows; ++r) {
            ts_vec3 direction = direction_of(contact, r);
            double* to = &out[r * count + i];
            *to =
                r < 3 ? ts_vec3_dot(direction, linear) : turn_scale(sim, contact, r) * ts_vec3_dot(direction, angular);
        }
    }
}

// dR lambda - dc* of row r by the gap. What sticks presses by no more than its impulse is beyond the pull (engine/rows/contact.c).
static double slope_by_gap(const ts_sim* sim, const ts_contact* contact, const ts_mujoco_row_slopes* law, int r) {
    double stuck = r == (contact->surface.dimension == 1 ? 0 : 2)
                       ? sim->options.time_step * ts_sim_contact_rare(sim, (int)(contact - sim->contact))->adhesion
                       : 0.0;
    double lambda = sim->impulse[sim->problem.block[contact->block].row + r];
    return law[r].R_by_gap * (lambda - stuck) - law[r].reference_by_gap;
}

void ts_step_contact_add_law(const ts_sim* sim, const ts_contact* contact, const ts_mujoco_row_slopes* law,
                             const ts_step_contact_motion* motion, int count, const double* before, double* by_q,
                             double* by_v) {
    int rows = contact->surface.dimension;
    for (int r = 0; r < rows; ++r) {
        double by_gap = slope_by_gap(sim, contact, law, r);
        ts_vec3 direction = direction_of(contact, r);
        for (int i = 0; i < count; ++i) {
            by_q[r * count + i] += by_gap * motion[i].gap;
            if (!before) continue;
            by_q[r * count + i] -= law[r].reference_by_speed * before[r * count + i];
            ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, motion[i].dof);
            ts_vec3 origin = ts_kinematics_origin(sim->model, &sim->kinematics, sim->model->dof[motion[i].dof].tree);
            ts_vec3 moved = ts_motion_at(S, ts_vec3_sub(contact->position, origin));
            double rate =
                r < 3 ? ts_vec3_dot(direction, moved) : turn_scale(sim, contact, r) * ts_vec3_dot(direction, S.angular);
            by_v[r * count + i] = -law[r].reference_by_speed * (motion[i].on_b - motion[i].on_a) * rate;
        }
    }
}

ts_force ts_step_contact_impulse(const ts_sim* sim, const ts_contact* contact, const double* lambda) {
    ts_force w = {ts_vec3_zero(), ts_vec3_zero()};
    int rows = contact->surface.dimension;
    for (int r = 0; r < rows; ++r) {
        ts_vec3 direction = direction_of(contact, r);
        if (r < 3)
            w.force = ts_vec3_add_scaled(w.force, lambda[r], direction);
        else
            w.couple = ts_vec3_add_scaled(w.couple, lambda[r] * turn_scale(sim, contact, r), direction);
    }
    return w;
}

// --- a contact with the world, by the six units of a motion ---

// The numbers of a slope by a motion at the centre of B, as one by a motion about a point that the centre is `lever` from.
static void move_slope(const double* slope, ts_vec3 lever, double sign, double out[TS_CONTACT_UNITS]) {
    ts_vec3 by_shift = ts_vec3_scale(sign, ts_vec3_load(slope));
    ts_vec3_store(ts_vec3_add_scaled(ts_vec3_cross(lever, by_shift), sign, ts_vec3_load(slope + 3)), out);
    ts_vec3_store(by_shift, out + 3);
}

void ts_step_contact_units(const ts_kinematics* k, const ts_contact* contact, const ts_manifold_derivative_point* slope,
                           int on_b, ts_vec3 origin, ts_step_contact_motion unit[TS_CONTACT_UNITS]) {
    ts_vec3 normal = ts_mat3_column(&contact->frame, 2);
    ts_vec3 lever = ts_vec3_sub(ts_kinematics_geom(k, contact->geom_b)->p, origin);
    double point[3][TS_CONTACT_UNITS], turn[3][TS_CONTACT_UNITS], gap[TS_CONTACT_UNITS], sign = on_b ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        move_slope(slope->position[i], lever, sign, point[i]);
        move_slope(slope->normal[i], lever, sign, turn[i]);
    }
    move_slope(slope->gap, lever, sign, gap);
    for (int n = 0; n < TS_CONTACT_UNITS; ++n) {
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

void ts_step_contact_fill_chain(const ts_model* model, const ts_kinematics* k, int body,
                                double (*numbers)[TS_CONTACT_CHAIN]) {
    ts_motion beyond = ts_motion_zero();
    for (int last = model->body[body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        first = ts_step_turns_with(model, last);
        for (int d = last; d >= first; --d)
            beyond = ts_motion_add_scaled(beyond, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
        for (int d = last; d >= first; --d, ++numbers) {
            ts_motion S = ts_kinematics_axis(model, k, d), change = ts_motion_cross(S, beyond);
            for (int n = 0; n < TS_CONTACT_UNITS; ++n) (*numbers)[n] = ts_step_contact_number(S, n);
            for (int n = 0; n < TS_CONTACT_UNITS; ++n)
                (*numbers)[TS_CONTACT_UNITS + n] = ts_step_contact_number(change, n);
        }
    }
}

void ts_step_contact_fill_chain_rows(const ts_sim* sim, const ts_kinematics* k, const ts_step_contact_sought* w,
                                     const ts_mujoco_row_slopes* law, double (*numbers)[TS_CONTACT_CHAIN], int count,
                                     int ld, double* by_q) {
    const ts_contact* contact = w->contact;
    const ts_step_contact_motion* unit = w->unit;
    int on_b = w->on_b, rows = contact->surface.dimension, body = on_b ? contact->body_b : contact->body_a;
    double part[TS_CONTACT_CHAIN][LANES] = {{0.0}}, sign = on_b ? 1.0 : -1.0;
    ts_vec3 lever = ts_vec3_sub(contact->position, ts_kinematics_origin(sim->model, k, sim->model->body[body].tree));
    ts_motion c = relative_velocity(sim->model, k, contact);
    ts_vec3 pushed[TS_CONTACT_UNITS];
    for (int n = 0; n < TS_CONTACT_UNITS; ++n)
        pushed[n] = ts_vec3_add(ts_vec3_cross(c.linear, unit[n].turn), ts_vec3_cross(c.angular, unit[n].point));
    for (int r = 0; r < rows; ++r) {
        ts_vec3 direction = direction_of(contact, r);
        double by_gap = law ? slope_by_gap(sim, contact, law, r) : 0.0;
        for (int n = 0; n < TS_CONTACT_UNITS; ++n)
            part[n][r] = ts_vec3_dot(direction, pushed[n]) + by_gap * unit[n].gap;
        ts_motion field = {ts_vec3_cross(lever, direction), direction};
        for (int n = 0; n < TS_CONTACT_UNITS; ++n)
            part[TS_CONTACT_UNITS + n][r] = sign * ts_step_contact_number(field, n);
    }
    for (int i = 0; i < count; ++i) {
        double sums[LANES];
        ts_four sum = ts_four_zero();
        for (int n = 0; n < TS_CONTACT_CHAIN; ++n)
            sum = ts_four_plus(sum, ts_four_times(numbers[i][n], ts_four_load(part[n])));
        ts_four_store(sum, sums);
        for (int r = 0; r < rows; ++r) by_q[r * ld + i] = sums[r];
    }
}

// --- for sensors ---

int ts_step_contact_motions_find(const ts_sim* sim, ts_arena* arena, const ts_sensor_contact_motion** out_motion) {
    int nv = sim->model->nv, known = 1;
    size_t size = (size_t)sim->contact_count * (size_t)nv;
    ts_step_report report = {.differenced = 0};
    ts_sensor_contact_motion* all =
        (ts_sensor_contact_motion*)ts_arena_alloc_zeroed(arena, size, sizeof(ts_sensor_contact_motion));
    ts_step_contact_motion* motion = TS_ARENA_ARRAY(arena, ts_step_contact_motion, nv + 1);
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
            int count = ts_step_contact_list(sim->model, &sim->contact[n], motion);
            ts_step_contact_move(sim, &sim->kinematics, &sim->contact[n], &slope[n - i], motion, count);
            for (int k = 0; k < count; ++k)
                all[n * nv + motion[k].dof] = (ts_sensor_contact_motion){motion[k].point, motion[k].turn};
        }
    }
    if (known) *out_motion = all;
    return 1;
}
