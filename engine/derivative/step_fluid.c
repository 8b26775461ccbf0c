// A medium in the derivative of a step: what it does to trees, and to bodies whose velocity is found from their forces alone.
//
// Problem: X of step_tree.c with a medium (engine/dynamics/fluid.c). A shape at its centre, in its axes, has velocity and spin x = R^T (J v - wind), and
// where drag B is taken ahead it gives h J^T R phi with
//     phi = f(x) - B(x) delta,   delta = R^T J (v+ - v).
// Rule: phi turns with the body, and x and delta are what moves it:
//     h (d(J^T R) phi + J^T R (df - dB delta - B d delta)),   d(J v) by position of engine/dynamics/kinematics_derivative.c.
// A lone body has g = M A^-1 (f + p) - p in place of f, p what else pulls at it and A = M + h B, all about its centre and in its axes: then
//     dg = M A^-1 (df + dp - dA A^-1 (f + p)) + dM A^-1 (f + p) - dp.
// Source: derived here; slopes of f and B in engine/dynamics/fluid_shape.c.
// Guaranteed: exact up to rounding. Known to fail: nothing.
#include <string.h>

#include "base/linear/dense.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/fluid_internal.h"

// --- trees ---

// A shape in the medium.
typedef struct flow {
    int body;
    const ts_fluid_shape* shape;
    ts_vec3 centre, lever;
    ts_mat3 R;
    ts_motion world, local;  // velocity against the medium and spin
    ts_fluid_pressure now;
} flow;

static ts_motion to_shape(const ts_mat3* R, ts_motion x) {
    return (ts_motion){ts_mat3_mul_vec_transposed(R, x.angular), ts_mat3_mul_vec_transposed(R, x.linear)};
}

static flow flow_of(const ts_sim* sim, int b, const ts_fluid_shape* shape) {
    const ts_kinematics* k = &sim->kinematics;
    flow f = {.body = b, .shape = shape};
    f.R = ts_mat3_mul(k->body_pose[b].R, ts_quat_to_mat3(shape->pose.rotation));
    f.centre = ts_transform_point(&k->body_pose[b], shape->pose.position);
    f.lever = ts_vec3_sub(f.centre, ts_kinematics_origin(sim->model, k, sim->model->body[b].tree));
    f.world.angular = k->body_velocity[b].angular;
    f.world.linear = ts_vec3_sub(ts_motion_at(k->body_velocity[b], f.lever), sim->options.wind);
    f.local = to_shape(&f.R, f.world);
    f.now = ts_fluid_press(&sim->options, shape, f.local.linear, f.local.angular);
    return f;
}

// What shapes need.
typedef struct flow_room {
    ts_kinematics at;    // of other velocities
    double* rate[2][2];  // (3 x nv) d(J v) by position, linear and angular; of the velocities before, and of the others
    double* turned;      // (nv x nv) zero
    double* other;       // (nv) the others
} flow_room;

static int take_room(const ts_sim* sim, ts_arena* scratch, flow_room* out) {
    size_t nv = (size_t)sim->model->nv;
    double* numbers = TS_ARENA_ARRAY(scratch, double, 13 * nv);
    out->turned = (double*)ts_arena_alloc_zeroed(scratch, nv * nv, sizeof(double));
    if (!numbers || !out->turned || !ts_step_share_poses(sim, scratch, &out->at)) return 0;
    for (int i = 0; i < 4; ++i) out->rate[i / 2][i % 2] = numbers + 3 * (size_t)i * nv;
    out->other = numbers + 12 * nv;
    return 1;
}

// R^T J v by position of dof c: the axes turn back.
static ts_motion rate_of(const flow* f, const ts_sim* sim, double* const rate[2], ts_motion world, int c) {
    size_t nv = (size_t)sim->model->nv, d = (size_t)c;
    ts_vec3 turn = ts_kinematics_axis(sim->model, &sim->kinematics, c).angular;
    ts_motion x = {ts_vec3_make(rate[1][d], rate[1][nv + d], rate[1][2 * nv + d]),
                   ts_vec3_make(rate[0][d], rate[0][nv + d], rate[0][2 * nv + d])};
    x.angular = ts_vec3_sub(x.angular, ts_vec3_cross(turn, world.angular));
    x.linear = ts_vec3_sub(x.linear, ts_vec3_cross(turn, world.linear));
    return to_shape(&f->R, x);
}

static ts_motion column_of(const flow* f, const ts_sim* sim, int c) {
    ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, c);
    return to_shape(&f->R, (ts_motion){S.angular, ts_motion_at(S, f->lever)});
}

// Both rates of a shape; `other` of the velocities in room->at.
static ts_motion find_rates(const ts_sim* sim, const flow* f, flow_room* r) {
    const ts_model* model = sim->model;
    ts_motion other = {r->at.body_velocity[f->body].angular, ts_motion_at(r->at.body_velocity[f->body], f->lever)};
    ts_derivative_velocity(model, &sim->kinematics, f->body, f->centre, r->rate[0][0], r->rate[0][1]);
    ts_derivative_velocity(model, &r->at, f->body, f->centre, r->rate[1][0], r->rate[1][1]);
    return other;
}

static ts_fluid_pressure slope_along(const ts_sim* sim, const flow* f, ts_motion x) {
    return ts_fluid_press_slope(&sim->options, f->shape, f->local.linear, f->local.angular, x.linear, x.angular);
}

// Force and couple less B d, of a pressure or a change of one.
static ts_force press_against(const ts_fluid_pressure* p, ts_motion d) {
    return (ts_force){ts_vec3_sub(p->couple, ts_mat3_mul_vec(&p->turn_drag, d.angular)),
                      ts_vec3_sub(p->force, ts_mat3_mul_vec(&p->drag, d.linear))};
}

static void add_shape(const ts_sim* sim, int t, const flow* f, int ahead, flow_room* room, double* by_q, double* by_v) {
    const ts_model* model = sim->model;
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count, last = model->body[f->body].dof_last;
    double h = sim->options.time_step;
    size_t nv = (size_t)model->nv;
    ts_motion world = find_rates(sim, f, room), delta = to_shape(&f->R, world);
    if (!ahead) delta = ts_motion_zero();
    ts_force phi = press_against(&f->now, delta);
    ts_force wrench = {ts_mat3_mul_vec(&f->R, phi.couple), ts_mat3_mul_vec(&f->R, phi.force)};
    ts_derivative_add_wrench(model, &sim->kinematics, f->body, f->centre, wrench, TS_WRENCH_WITH, f->body,
                             room->turned);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            double* from = &room->turned[(size_t)(first + r) * nv + (size_t)(first + c)];
            by_q[r * n + c] += h * *from;
            *from = 0.0;
        }
    for (int c = last; c >= 0; c = model->dof[c].parent)
        for (int by_velocity = 0; by_velocity < 2; ++by_velocity) {
            ts_motion x = by_velocity ? column_of(f, sim, c) : rate_of(f, sim, room->rate[0], f->world, c);
            ts_fluid_pressure slope = slope_along(sim, f, x);
            ts_force change = press_against(&slope, delta);
            if (ahead && !by_velocity) {
                ts_motion moved = rate_of(f, sim, room->rate[1], world, c);
                change.force = ts_vec3_sub(change.force, ts_mat3_mul_vec(&f->now.drag, moved.linear));
                change.couple = ts_vec3_sub(change.couple, ts_mat3_mul_vec(&f->now.turn_drag, moved.angular));
            }
            double* to = (by_velocity ? by_v : by_q) + c - first;
            for (int r = last; r >= 0; r = model->dof[r].parent) {
                ts_motion S = column_of(f, sim, r);
                to[(r - first) * n] +=
                    h * (ts_vec3_dot(S.linear, change.force) + ts_vec3_dot(S.angular, change.couple));
            }
        }
}

// Calls of every shape of a tree, with the room of it.
typedef struct walk {
    int body, shape;
} walk;

static int next_shape(const ts_sim* sim, int t, walk* at, flow* out) {
    const ts_model* model = sim->model;
    const ts_kinematic_tree* span = &model->tree[t];
    for (; at->body < span->body_count; ++at->body, at->shape = 0) {
        int b = model->tree_body[span->body_first + at->body];
        if (at->shape >= model->body[b].fluid_count) continue;
        *out = flow_of(sim, b, &model->fluid[model->body[b].fluid_first + at->shape++]);
        return 1;
    }
    return 0;
}

int ts_step_fluid_add(const ts_sim* sim, int t, const double* next, ts_arena* scratch, double* by_q, double* by_v) {
    if (!ts_fluid_is_there(&sim->options) || ts_fluid_is_freed(sim, t)) return 1;
    const ts_kinematic_tree* span = &sim->model->tree[t];
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    flow_room room;
    flow f;
    walk at = {0, 0};
    int fine = take_room(sim, scratch, &room), ahead = ts_fluid_is_ahead(sim, t);
    for (int d = 0; fine && d < span->dof_count; ++d) room.other[d] = next[d] - sim->qvel[span->dof_first + d];
    if (fine) ts_step_move_tree(sim->model, t, room.other, &room.at);
    while (fine && next_shape(sim, t, &at, &f)) add_shape(sim, t, &f, ahead, &room, by_q, by_v);
    ts_arena_scope_end(scratch, scope);
    return fine;
}

// Whether M_hat of a tree has drag in it.
static int stands_ahead(const ts_sim* sim, int t) {
    return ts_fluid_is_there(&sim->options) && ts_fluid_is_ahead(sim, t) && !ts_fluid_is_freed(sim, t);
}

int ts_step_fluid_add_inertia(const ts_sim* sim, int t, const double* w, double scale, ts_arena* scratch, double* by_q,
                              double* by_v) {
    if (!stands_ahead(sim, t)) return 1;
    int first = sim->model->tree[t].dof_first;
    double h = scale * sim->options.time_step;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    flow_room room;
    flow f;
    walk at = {0, 0};
    int fine = take_room(sim, scratch, &room);
    if (fine) ts_step_move_tree(sim->model, t, w, &room.at);
    while (fine && next_shape(sim, t, &at, &f)) {
        ts_motion world = find_rates(sim, &f, &room), x = to_shape(&f.R, world);
        ts_vec3 force = ts_mat3_mul_vec(&f.now.drag, x.linear), couple = ts_mat3_mul_vec(&f.now.turn_drag, x.angular);
        for (int c = sim->model->body[f.body].dof_last; c >= 0; c = sim->model->dof[c].parent) {
            ts_motion moved = rate_of(&f, sim, room.rate[1], world, c);
            by_q[c - first] += 2.0 * h * (ts_vec3_dot(moved.linear, force) + ts_vec3_dot(moved.angular, couple));
            for (int by_velocity = 0; by_velocity < 2; ++by_velocity) {
                ts_motion along = by_velocity ? column_of(&f, sim, c) : rate_of(&f, sim, room.rate[0], f.world, c);
                ts_fluid_pressure slope = slope_along(sim, &f, along);
                double change = ts_vec3_dot(x.linear, ts_mat3_mul_vec(&slope.drag, x.linear)) +
                                ts_vec3_dot(x.angular, ts_mat3_mul_vec(&slope.turn_drag, x.angular));
                (by_velocity ? by_v : by_q)[c - first] += h * change;
            }
        }
    }
    ts_arena_scope_end(scratch, scope);
    return fine;
}

void ts_step_fluid_stretch(const ts_sim* sim, int t, const double* y, double* x) {
    const ts_model* model = sim->model;
    int first = model->tree[t].dof_first;
    flow f;
    walk at = {0, 0};
    while (stands_ahead(sim, t) && next_shape(sim, t, &at, &f)) {
        ts_motion sum = ts_motion_zero();
        int last = model->body[f.body].dof_last;
        for (int d = last; d >= 0; d = model->dof[d].parent)
            sum = ts_motion_add_scaled(sum, y[d - first], column_of(&f, sim, d));
        ts_vec3 force = ts_mat3_mul_vec(&f.now.drag, sum.linear),
                couple = ts_mat3_mul_vec(&f.now.turn_drag, sum.angular);
        for (int d = last; d >= 0; d = model->dof[d].parent) {
            ts_motion S = column_of(&f, sim, d);
            x[d - first] += ts_vec3_dot(S.linear, force) + ts_vec3_dot(S.angular, couple);
        }
    }
}

// --- lone bodies ---

enum { SIX = 6 };

// The body, in its axes and about its centre; force first, then couple.
typedef struct lone {
    const ts_sim* sim;
    const ts_body* body;
    ts_mat3 R;
    ts_vec3 speed, spin;              // of the frame's origin against the medium
    ts_vec3 applied, pushed, couple;  // N, N m: force_applied, the wrench's force, its couple
    double beside[SIX];               // p
    double x[SIX];                    // A^-1 (f + p)
    double drag[SIX * SIX];           // B
    double A[SIX * SIX];              // its factor
} lone;

// How it goes with something.
typedef struct change {
    ts_vec3 speed, spin;
    double beside[SIX];
    ts_vec3 turn;
    ts_step_body_change by;
} change;

// Adds the drag of a shape about the centre, which is `r` from it. With `moved` its change as r goes along.
static void add_drag(ts_mat3 drag, ts_mat3 turn_drag, ts_vec3 r, const ts_vec3* moved, double* A) {
    ts_mat3 skew = ts_mat3_skew(r), to = moved ? ts_mat3_skew(*moved) : skew;
    ts_mat3 lever = ts_mat3_mul(drag, to), down = ts_mat3_mul(skew, lever);
    if (moved) down = ts_mat3_add(down, ts_mat3_mul(to, ts_mat3_mul(drag, skew)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (!moved) A[SIX * i + j] += drag.m[i][j];
            A[SIX * i + j + 3] -= lever.m[i][j];
            A[SIX * (j + 3) + i] -= lever.m[i][j];
            A[SIX * (i + 3) + j + 3] += (moved ? 0.0 : turn_drag.m[i][j]) - down.m[i][j];
        }
}

static void add_force(ts_vec3 force, ts_vec3 couple, ts_vec3 r, double* x) {
    couple = ts_vec3_add(couple, ts_vec3_cross(r, force));
    for (int i = 0; i < 3; ++i) x[i] += ts_vec3_get(force, i);
    for (int i = 0; i < 3; ++i) x[3 + i] += ts_vec3_get(couple, i);
}

// Velocity and spin in the axes of a shape of the body.
static ts_motion at_shape(const ts_fluid_shape* shape, const ts_mat3* S, ts_vec3 speed, ts_vec3 spin) {
    return to_shape(S, (ts_motion){spin, ts_vec3_add(speed, ts_vec3_cross(spin, shape->pose.position))});
}

// Adds f and B of all shapes; with `by` their changes.
static void add_shapes(const lone* b, const change* by, double* f, double* B) {
    const ts_options* o = &b->sim->options;
    for (int s = b->body->fluid_first; s < b->body->fluid_first + b->body->fluid_count; ++s) {
        const ts_fluid_shape* shape = &b->sim->model->fluid[s];
        ts_mat3 S = ts_quat_to_mat3(shape->pose.rotation);
        ts_motion x = at_shape(shape, &S, b->speed, b->spin);
        ts_vec3 r = ts_vec3_sub(shape->pose.position, b->body->centre);
        ts_fluid_pressure p = ts_fluid_press(o, shape, x.linear, x.angular);
        if (by) {
            ts_vec3 moved = ts_vec3_neg(by->by.centre);
            ts_motion dx = at_shape(shape, &S, by->speed, by->spin);
            add_force(ts_vec3_zero(), ts_vec3_cross(moved, ts_mat3_mul_vec(&S, p.force)), r, f);
            add_drag(ts_mat3_rotate_tensor(S, p.drag), ts_mat3_zero(), r, &moved, B);
            p = ts_fluid_press_slope(o, shape, x.linear, x.angular, dx.linear, dx.angular);
        }
        add_force(ts_mat3_mul_vec(&S, p.force), ts_mat3_mul_vec(&S, p.couple), r, f);
        add_drag(ts_mat3_rotate_tensor(S, p.drag), ts_mat3_rotate_tensor(S, p.turn_drag), r, NULL, B);
    }
}

// y += M x of a mass and an inertia.
static void add_inertia(double mass, const ts_mat3* I, const double* x, double scale, double* y) {
    ts_vec3 turned = ts_mat3_mul_vec(I, ts_vec3_load(x + 3));
    for (int i = 0; i < 3; ++i) y[i] += scale * mass * x[i];
    for (int i = 0; i < 3; ++i) y[3 + i] += scale * ts_vec3_get(turned, i);
}

static lone lone_of(const ts_sim* sim, int t) {
    int root = sim->model->tree[t].root, first = sim->model->tree[t].dof_first;
    lone b = {.sim = sim, .body = &sim->model->body[root], .R = sim->kinematics.body_pose[root].R};
    b.speed = ts_vec3_sub(ts_vec3_load(sim->qvel + first), sim->options.wind);
    b.speed = ts_mat3_mul_vec_transposed(&b.R, b.speed);
    b.spin = ts_vec3_load(sim->qvel + first + 3);
    b.applied = ts_mat3_mul_vec_transposed(&b.R, ts_vec3_load(sim->force_applied + first));
    b.pushed = ts_vec3_scale(b.body->mass * (1.0 - b.body->buoyancy), sim->options.gravity);
    b.pushed = ts_vec3_add(b.pushed, sim->wrench_applied[root].force);
    b.pushed = ts_mat3_mul_vec_transposed(&b.R, b.pushed);
    b.couple = ts_mat3_mul_vec_transposed(&b.R, sim->wrench_applied[root].couple);
    add_force(b.applied, ts_vec3_add(b.couple, ts_vec3_load(sim->force_applied + first + 3)),
              ts_vec3_neg(b.body->centre), b.beside);
    add_force(b.pushed, ts_vec3_zero(), ts_vec3_zero(), b.beside);
    memcpy(b.x, b.beside, sizeof b.x);
    add_shapes(&b, NULL, b.x, b.drag);
    for (int k = 0; k < SIX; ++k) {
        double unit[SIX] = {0.0}, column[SIX] = {0.0};
        unit[k] = 1.0;
        add_inertia(b.body->mass, &b.body->inertia, unit, 1.0, column);
        for (int i = 0; i < SIX; ++i) b.A[SIX * i + k] = column[i] + sim->options.time_step * b.drag[SIX * i + k];
    }
    // The step has factorised the same.
    if (ts_cholesky_factor(b.A, SIX, SIX)) ts_cholesky_solve(b.A, SIX, SIX, b.x);
    return b;
}

// dg as a force along the six.
static void change_of(const lone* b, const change* by, double* out) {
    double rest[SIX], drag[SIX * SIX] = {0.0}, total[SIX] = {0.0}, force[SIX] = {0.0}, h = b->sim->options.time_step;
    memcpy(rest, by->beside, sizeof rest);
    add_shapes(b, by, rest, drag);
    for (int i = 0; i < SIX; ++i)
        for (int k = 0; k < SIX; ++k) rest[i] -= (h * drag[SIX * i + k] + by->by.time * b->drag[SIX * i + k]) * b->x[k];
    add_inertia(by->by.mass, &by->by.inertia, b->x, -1.0, rest);
    ts_cholesky_solve(b->A, SIX, SIX, rest);
    add_inertia(b->body->mass, &b->body->inertia, rest, 1.0, total);
    add_inertia(by->by.mass, &by->by.inertia, b->x, 1.0, total);
    add_inertia(b->body->mass, &b->body->inertia, b->x, 1.0, force);
    for (int i = 0; i < SIX; ++i) total[i] -= by->beside[i];
    for (int i = 0; i < SIX; ++i) force[i] -= b->beside[i];
    ts_vec3 g = ts_vec3_load(force), d = ts_vec3_load(total), arm = b->body->centre;
    ts_vec3 couple = ts_vec3_add(ts_vec3_load(total + 3), ts_vec3_cross(arm, d));
    couple = ts_vec3_add(couple, ts_vec3_cross(by->by.centre, g));
    ts_vec3_store(ts_mat3_mul_vec(&b->R, ts_vec3_add(d, ts_vec3_cross(by->turn, g))), out);
    ts_vec3_store(couple, out + 3);
}

static change nothing(void) { return (change){.by = {.inertia = ts_mat3_zero()}}; }

void ts_step_fluid_lone_find(const ts_sim* sim, int t, double out[3 * SIX * SIX]) {
    lone b = lone_of(sim, t);
    ts_vec3 arm = b.body->centre;
    memset(out, 0, 3 * SIX * SIX * sizeof(double));
    for (int of = 0; of < 3; ++of)
        for (int k = of == 0 ? 3 : 0; k < SIX; ++k) {
            ts_vec3 axis = ts_vec3_axis(k % 3), along = ts_mat3_mul_vec_transposed(&b.R, axis), turned = ts_vec3_zero();
            change by = nothing();
            double column[SIX];
            if (of == 0) {
                by.turn = axis;
                by.speed = ts_vec3_cross(b.speed, axis);
                turned = ts_vec3_cross(b.applied, axis);
                add_force(turned, ts_vec3_cross(b.couple, axis), ts_vec3_neg(arm), by.beside);
                add_force(ts_vec3_cross(b.pushed, axis), ts_vec3_zero(), ts_vec3_zero(), by.beside);
            } else if (of == 1) {
                if (k < 3) by.speed = along;
                if (k >= 3) by.spin = axis;
            } else {
                add_force(k < 3 ? along : turned, k < 3 ? turned : axis, ts_vec3_neg(arm), by.beside);
            }
            change_of(&b, &by, column);
            for (int i = 0; i < SIX; ++i) out[SIX * SIX * of + SIX * i + k] = column[i];
        }
}

void ts_step_fluid_lone_by(const ts_sim* sim, int t, const ts_step_body_change* by, double out[SIX]) {
    lone b = lone_of(sim, t);
    change c = nothing();
    c.by = *by;
    ts_vec3 weight = ts_vec3_scale(by->mass, sim->options.gravity);
    weight = ts_vec3_add_scaled(weight, b.body->mass, by->gravity);
    weight = ts_mat3_mul_vec_transposed(&b.R, ts_vec3_scale(1.0 - b.body->buoyancy, weight));
    add_force(weight, ts_vec3_neg(ts_vec3_cross(by->centre, b.applied)), ts_vec3_zero(), c.beside);
    change_of(&b, &c, out);
}
