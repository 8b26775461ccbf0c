// Lone free bodies whose turning the integrator solves for itself (engine/step/integrate/free_rotation.c, touched_rotation.c), differentiated.
//
// With c the centre in the body, J_r(x) the slope of exp (d exp(x) = exp(x) [J_r dx]), E(x) = exp(x), and all turns on the body's side:
//     free       A dw+ = (I - h/2 S) dw + h dn,   A = I + h/2 S,   S = [w_m] I - [I w_m],   n the couple about the centre
//     touched    (I - h/2 [I w] J_r(h w / 2)) dw = E(h w / 2)^T d(E(-late w0) I w0 + h n + forecast),   w_f = w - I^-1 forecast
// and the frame's origin follows from the swing of the centre. Where no row touches it the body turns by cay(h w_m) and by what that lacks, about its
// momentum: d cay(x) on the body's side is (dx - x/2 x dx) / (1 + |x|^2 / 4).
// Source: those files; derived here.
// Left to differences at frozen impulses: steps whose equation was solved in parts.
#include <math.h>
#include <string.h>

#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"

// What is derived is linear in six times three inputs: a vector of a step by each of them.
typedef struct slope3 {
    ts_mat3 shift;   // by the position of the origin, world
    ts_mat3 turn;    // by a turn of the frame, body axes
    ts_mat3 v;       // by qvel, linear
    ts_mat3 w;       // by qvel, angular
    ts_mat3 force;   // by force_applied, linear
    ts_mat3 couple;  // by force_applied, angular
} slope3;

// The body in the step.
typedef struct lone {
    const ts_sim* sim;
    const ts_body* body;
    ts_mat3 R, I;
    ts_vec3 push, twist;  // what pulls along its dofs, a medium included: world, body
    ts_vec3 c;
    double h;
    ts_vec3 v0, w0;    // of the beginning of the step (ts_touched_rotation_start)
    ts_vec3 w;         // of qvel
    ts_vec3 v_f, w_f;  // without rows
    slope3 start_v, start_w, couple;
} lone;

static ts_mat3 zero(void) { return ts_mat3_diagonal(ts_vec3_zero()); }
static ts_mat3 one(void) { return ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)); }
static slope3 nothing(void) { return (slope3){zero(), zero(), zero(), zero(), zero(), zero()}; }

static ts_mat3* part_of(slope3* s, int k) {
    ts_mat3* part[6] = {&s->shift, &s->turn, &s->v, &s->w, &s->force, &s->couple};
    return part[k];
}

// a + M b
static slope3 plus(slope3 a, ts_mat3 M, slope3 b) {
    for (int k = 0; k < 6; ++k) *part_of(&a, k) = ts_mat3_add(*part_of(&a, k), ts_mat3_mul(M, *part_of(&b, k)));
    return a;
}

static slope3 times(ts_mat3 M, slope3 b) { return plus(nothing(), M, b); }

static ts_mat3 solve_columns(const ts_mat3* A, ts_mat3 B) {
    return ts_mat3_from_columns(ts_mat3_solve(A, ts_mat3_column(&B, 0)), ts_mat3_solve(A, ts_mat3_column(&B, 1)),
                                ts_mat3_solve(A, ts_mat3_column(&B, 2)));
}

static ts_mat3 exp_of(ts_vec3 x) { return ts_quat_to_mat3(ts_quat_from_rotation_vector(x)); }

// d(E(s w) y(w)) by w, y' its slope: E (y' - s [y] J_r(s w)).
static ts_mat3 turned_slope(double s, ts_vec3 w, ts_vec3 y, ts_mat3 slope) {
    ts_vec3 x = ts_vec3_scale(s, w);
    ts_mat3 inner = ts_mat3_mul(ts_mat3_scale(s, ts_mat3_skew(y)), ts_step_turn_slope(x));
    return ts_mat3_mul(exp_of(x), ts_mat3_sub(slope, inner));
}

// --- the beginning of the step ---

// v0 and w0 by qvel: half a step ago where a contact was, else the same.
static void find_start(lone* b, double late) {
    b->start_v = b->start_w = nothing();
    b->start_v.v = b->start_w.w = one();
    if (late == 0.0) return;
    ts_vec3 swing = ts_vec3_cross(b->w, b->c), momentum = ts_mat3_mul_vec(&b->I, b->w);
    ts_mat3 C = ts_mat3_skew(b->c), back = turned_slope(-late, b->w, momentum, b->I);
    b->start_w.w = solve_columns(&b->I, back);
    // v0 = v + R y, y = E(-late w) (w x c) - w0 x c
    ts_mat3 slope = turned_slope(-late, b->w, swing, ts_mat3_scale(-1.0, C));
    slope = ts_mat3_add(slope, ts_mat3_mul(C, b->start_w.w));
    ts_vec3 y = ts_mat3_mul_vec_transposed(&b->R, ts_vec3_sub(b->v0, ts_vec3_load(b->sim->qvel + b->body->dof_first)));
    b->start_v.w = ts_mat3_mul(b->R, slope);
    b->start_v.turn = ts_mat3_scale(-1.0, ts_mat3_mul(b->R, ts_mat3_skew(y)));
}

// The couple about the centre, n = f_w + R^T couple - c x R^T f_v.
static void find_couple(lone* b, int index, ts_vec3* out_couple) {
    ts_vec3 turn = ts_mat3_mul_vec_transposed(&b->R, b->sim->wrench_applied[index].couple);
    ts_vec3 push = ts_mat3_mul_vec_transposed(&b->R, b->push);
    ts_mat3 C = ts_mat3_skew(b->c);
    *out_couple = ts_vec3_sub(ts_vec3_add(b->twist, turn), ts_vec3_cross(b->c, push));
    b->couple = nothing();
    b->couple.couple = one();
    b->couple.force = ts_mat3_scale(-1.0, ts_mat3_mul_transposed(C, b->R));
    b->couple.turn = ts_mat3_sub(ts_mat3_skew(turn), ts_mat3_mul(C, ts_mat3_skew(push)));
}

// Adds what forces do to a velocity of the centre.
static slope3 with_force(const lone* b, slope3 v) {
    v.force = ts_mat3_add(v.force, ts_mat3_scale(b->h / b->body->mass, one()));
    return v;
}

// --- without contacts ---

// dw+ of the free rule, and dw_m. Returns 0 where the step was solved in parts.
static int find_free_spin(const lone* b, ts_vec3 couple, slope3* out_w, slope3* out_middle) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(b->w0, b->w_f)), momentum = ts_mat3_mul_vec(&b->I, middle);
    ts_vec3 gyration = ts_vec3_sub(ts_vec3_cross(middle, momentum), couple);
    ts_vec3 rest = ts_vec3_add_scaled(ts_mat3_mul_vec(&b->I, ts_vec3_sub(b->w_f, b->w0)), b->h, gyration);
    double size = ts_vec3_norm(ts_mat3_mul_vec(&b->I, b->w0)) + b->h * ts_vec3_norm(couple);
    if (!(ts_vec3_norm(rest) <= 1e-10 * size + 1e-300)) return 0;
    ts_mat3 S = ts_mat3_sub(ts_mat3_mul(ts_mat3_skew(middle), b->I), ts_mat3_skew(momentum));
    ts_mat3 A = ts_mat3_add(b->I, ts_mat3_scale(0.5 * b->h, S)), B = ts_mat3_sub(b->I, ts_mat3_scale(0.5 * b->h, S));
    *out_w = times(solve_columns(&A, B), b->start_w);
    *out_w = plus(*out_w, ts_mat3_scale(b->h, solve_columns(&A, one())), b->couple);
    *out_middle = plus(times(ts_mat3_scale(0.5, one()), *out_w), ts_mat3_scale(0.5, one()), b->start_w);
    return 1;
}

// v_f = v0 + h (g + F / m) - R swing, swing = (w+ - w0) x c + h w_m x (w_m x c).
static slope3 find_free_velocity(const lone* b, const slope3* w, const slope3* middle) {
    ts_vec3 m = ts_vec3_scale(0.5, ts_vec3_add(b->w0, b->w_f)), across = ts_vec3_cross(m, b->c);
    ts_mat3 C = ts_mat3_skew(b->c);
    ts_mat3 by_middle = ts_mat3_scale(b->h, ts_mat3_add(ts_mat3_skew(across), ts_mat3_mul(ts_mat3_skew(m), C)));
    ts_vec3 swing = ts_vec3_cross(ts_vec3_sub(b->w_f, b->w0), b->c);
    swing = ts_vec3_add_scaled(swing, b->h, ts_vec3_cross(m, across));
    slope3 v = with_force(b, b->start_v);
    v = plus(v, ts_mat3_mul(b->R, C), *w);
    v = plus(v, ts_mat3_scale(-1.0, ts_mat3_mul(b->R, C)), b->start_w);
    v = plus(v, ts_mat3_mul(b->R, by_middle), *middle);
    v.turn = ts_mat3_add(v.turn, ts_mat3_mul(b->R, ts_mat3_skew(swing)));
    return v;
}

// t - 2 atan(t / 2) over t, and the slope of that over t (free_rotation.c).
static double lag_over(double t, double* out_slope) {
    double square = t * t;
    if (square < 1e-3) {
        *out_slope = 1.0 / 6.0 - square * (1.0 / 20.0 - square * 6.0 / 448.0);
        return square * (1.0 / 12.0 - square * (1.0 / 80.0 - square / 448.0));
    }
    double lag = t - 2.0 * atan(0.5 * t), rate = 0.25 * square / (1.0 + 0.25 * square);
    *out_slope = (rate * t - lag) / (square * t);
    return lag / t;
}

// The turn over the step, and how it answers on the body's side to x = h w_m and to the momentum p = I w+.
static ts_mat3 find_turn(const lone* b, ts_mat3* out_by_x, ts_mat3* out_by_p) {
    ts_vec3 x = ts_vec3_scale(0.5 * b->h, ts_vec3_add(b->w0, b->w_f)), p = ts_mat3_mul_vec(&b->I, b->w_f);
    double t = ts_vec3_norm(x), square = ts_vec3_norm_squared(p), slope, g = lag_over(t, &slope);
    ts_mat3 cay = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(1.0, 0.5 * x.x, 0.5 * x.y, 0.5 * x.z)));
    *out_by_x = ts_mat3_scale(1.0 / (1.0 + 0.25 * t * t), ts_mat3_sub(one(), ts_mat3_scale(0.5, ts_mat3_skew(x))));
    *out_by_p = zero();
    if (!(square > 0.0)) return cay;
    // y = missing p, missing = g(t) x . p / |p|^2
    double dot = ts_vec3_dot(x, p), missing = g * dot / square;
    ts_vec3 by_missing_x = ts_vec3_scale(1.0 / square, ts_vec3_add(ts_vec3_scale(slope * dot, x), ts_vec3_scale(g, p)));
    ts_vec3 by_missing_p = ts_vec3_scale(g / square, ts_vec3_add_scaled(x, -2.0 * dot / square, p));
    ts_mat3 y_x = ts_mat3_outer(p, by_missing_x);
    ts_mat3 y_p = ts_mat3_add(ts_mat3_scale(missing, one()), ts_mat3_outer(p, by_missing_p));
    ts_vec3 y = ts_vec3_scale(missing, p);
    ts_mat3 E = exp_of(y), J = ts_step_turn_slope(y);
    *out_by_x = ts_mat3_add(ts_mat3_transposed_mul(E, *out_by_x), ts_mat3_mul(J, y_x));
    *out_by_p = ts_mat3_mul(J, y_p);
    return ts_mat3_mul(cay, E);
}

// Where a body ends that no row touches: its centre flies straight. out[0..3]: position, turn, velocity, spin.
static void find_flight(const lone* b, const slope3* w, const slope3* middle, slope3 out[4]) {
    ts_mat3 by_x, by_p, T = find_turn(b, &by_x, &by_p), R = ts_mat3_mul(b->R, T), C = ts_mat3_skew(b->c);
    slope3 turn = times(ts_mat3_scale(b->h, by_x), *middle);
    turn = plus(turn, ts_mat3_mul(by_p, b->I), *w);
    // The turn of the beginning goes on.
    turn.turn = ts_mat3_add(turn.turn, ts_mat3_transpose(T));
    // flight = v0 + R (w0 x c) + h (g + F / m)
    slope3 flight = with_force(b, b->start_v);
    flight = plus(flight, ts_mat3_scale(-1.0, ts_mat3_mul(b->R, C)), b->start_w);
    flight.turn = ts_mat3_sub(flight.turn, ts_mat3_mul(b->R, ts_mat3_skew(ts_vec3_cross(b->w0, b->c))));
    slope3 position = times(ts_mat3_scale(b->h, one()), flight);
    position.shift = ts_mat3_add(position.shift, one());
    position.turn = ts_mat3_sub(position.turn, ts_mat3_mul(b->R, C));
    out[0] = plus(position, ts_mat3_mul(R, C), turn);
    out[1] = turn;
    out[2] = plus(flight, ts_mat3_mul(R, ts_mat3_skew(ts_vec3_cross(b->w_f, b->c))), turn);
    out[2] = plus(out[2], ts_mat3_mul(R, C), *w);
    out[3] = *w;
}

// --- with contacts ---

static void find_touched(const lone* b, const ts_spin_memory* memory, slope3* out_v, slope3* out_w) {
    ts_vec3 forecast = ts_vec3_scale(memory->steady ? b->h : 0.0, ts_mat3_mul_vec_transposed(&b->R, memory->torque));
    ts_vec3 pressed = ts_mat3_solve(&b->I, forecast), next = ts_vec3_add(b->w_f, pressed);
    ts_vec3 x = ts_vec3_scale(0.5 * b->h, next), p = ts_mat3_mul_vec(&b->I, next);
    ts_mat3 E = exp_of(x), J = ts_step_turn_slope(x), C = ts_mat3_skew(b->c);
    slope3 by_forecast = nothing();
    by_forecast.turn = ts_mat3_skew(forecast);
    slope3 momentum = plus(by_forecast, ts_mat3_scale(b->h, one()), b->couple);
    momentum.w = ts_mat3_add(momentum.w, turned_slope(-memory->late, b->w, ts_mat3_mul_vec(&b->I, b->w), b->I));
    ts_mat3 A = ts_mat3_sub(b->I, ts_mat3_scale(0.5 * b->h, ts_mat3_mul(ts_mat3_skew(p), J)));
    slope3 w = times(solve_columns(&A, ts_mat3_transpose(E)), momentum);
    slope3 by_pressed = times(solve_columns(&b->I, one()), by_forecast);
    *out_w = plus(w, ts_mat3_scale(-1.0, one()), by_pressed);
    // swing = E(h w / 2) (w x c) - E(-late w0) (w0 x c) - pressed x c
    ts_vec3 after = ts_vec3_cross(next, b->c), before = ts_vec3_cross(b->w, b->c);
    slope3 swing = times(turned_slope(0.5 * b->h, next, after, ts_mat3_scale(-1.0, C)), w);
    swing.w = ts_mat3_sub(swing.w, turned_slope(-memory->late, b->w, before, ts_mat3_scale(-1.0, C)));
    swing = plus(swing, C, by_pressed);
    ts_vec3 total = ts_mat3_mul_vec(&E, after);
    total =
        ts_vec3_sub(total, ts_quat_rotate(ts_quat_from_rotation_vector(ts_vec3_scale(-memory->late, b->w)), before));
    total = ts_vec3_sub(total, ts_vec3_cross(pressed, b->c));
    slope3 v = nothing();
    v.v = one();
    v = with_force(b, v);
    v = plus(v, ts_mat3_scale(-1.0, b->R), swing);
    v.turn = ts_mat3_add(v.turn, ts_mat3_mul(b->R, ts_mat3_skew(total)));
    *out_v = v;
}

// --- a body ---

// Rows [3 row, 3 row + 3) of the six by kind, `ld` apart, from `columns` on.
static void store(const slope3* s, int row, int ld, int stride, double* out) {
    slope3 copy = *s;
    for (int k = 0; k < 6; ++k) {
        const ts_mat3* part = part_of(&copy, k);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) out[(k / 2) * stride + (3 * row + i) * ld + 3 * (k % 2) + j] = part->m[i][j];
    }
}

// d(M_hat x) / dq for x = v+ - v_f of a body whose centre is off its frame: its levers turn.
static void add_turning_inertia(const lone* b, const double* next, double* by_q) {
    ts_vec3 a = ts_vec3_sub(ts_vec3_load(next), b->v_f), alpha = ts_vec3_sub(ts_vec3_load(next + 3), b->w_f);
    ts_mat3 swing = ts_mat3_mul(b->R, ts_mat3_skew(ts_vec3_cross(alpha, b->c)));
    ts_mat3 couple = ts_mat3_mul(ts_mat3_skew(b->c), ts_mat3_skew(ts_mat3_mul_vec_transposed(&b->R, a)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            by_q[6 * i + 3 + j] += b->body->mass * swing.m[i][j];
            by_q[6 * (3 + i) + 3 + j] -= b->body->mass * couple.m[i][j];
        }
}

// The body in the step, and how its couple and the beginning answer.
static lone lone_of(const ts_sim* sim, const ts_step_implicit* p, int t, ts_vec3* out_couple) {
    int root = sim->model->tree[t].root, first = sim->model->tree[t].dof_first;
    const ts_body* body = &sim->model->body[root];
    lone b = {.sim = sim, .body = body, .R = sim->kinematics.body_pose[root].R, .I = body->inertia, .c = body->centre};
    b.h = sim->options.time_step;
    b.push = ts_vec3_load(sim->force_applied + first);
    b.twist = ts_vec3_load(sim->force_applied + first + 3);
    if (p->pull) {
        b.push = ts_vec3_add(b.push, ts_vec3_load(p->pull + first));
        b.twist = ts_vec3_add(b.twist, ts_vec3_load(p->pull + first + 3));
    }
    if (ts_fluid_is_there(&sim->options)) {
        b.push = ts_vec3_add(b.push, ts_vec3_load(sim->force_fluid + first));
        b.twist = ts_vec3_add(b.twist, ts_vec3_load(sim->force_fluid + first + 3));
    }
    b.w = ts_vec3_load(sim->qvel + first + 3);
    b.v_f = ts_vec3_load(sim->free_velocity + first);
    b.w_f = ts_vec3_load(sim->free_velocity + first + 3);
    ts_touched_rotation_start(sim, t, &b.v0, &b.w0);
    find_couple(&b, root, out_couple);
    return b;
}

// What the medium does goes by position, velocity and forces, and acts as a force does. Returns 0 when memory is short.
static int enter_medium(const ts_step_task* task, int t, ts_step_tree_slope* out) {
    double slopes[108], *held = TS_ARENA_ARRAY(task->arena, double, 72);
    if (!held) return 0;
    ts_step_fluid_lone_find(task->sim, t, slopes);
    for (int r = 0; r < 6; ++r)
        for (int k = 0; k < 6; ++k) {
            held[12 * r + k] = out->by_force[6 * r + k];
            held[12 * r + 6 + k] = out->coast ? out->coast[18 * r + 12 + k] : 0.0;
        }
    double* by[3] = {out->by_q, out->by_v, out->by_force};
    for (int of = 0; of < 3; ++of)
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c)
                for (int k = 0; k < 6; ++k) {
                    by[of][6 * r + c] += held[12 * r + k] * slopes[36 * of + 6 * k + c];
                    if (out->coast)
                        out->coast[18 * r + 6 * of + c] += held[12 * r + 6 + k] * slopes[36 * of + 6 * k + c];
                }
    out->held = held;
    return 1;
}

int ts_step_lone_find(const ts_step_task* task, const ts_step_implicit* p, int t, ts_step_tree_slope* out) {
    const ts_sim* sim = task->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[t].dof_first, coasts = p->coasts[t];
    const ts_spin_memory* memory = &storage->spin_memory[t];
    ts_vec3 couple;
    slope3 w, middle, end[4];
    lone b = lone_of(sim, p, t, &couple);
    // Only the rule of touched bodies leaves a velocity that is late.
    if (storage->late_next[t] != 0.0) {
        find_touched(&b, memory, &end[2], &end[3]);
    } else {
        find_start(&b, memory->late);
        out->plain = 0;
        out->plain = find_free_spin(&b, couple, &w, &middle);
        if (!out->plain) return 1;
        if (coasts) {
            find_flight(&b, &w, &middle, end);
        } else {
            end[2] = find_free_velocity(&b, &w, &middle);
            end[3] = w;
        }
    }
    double velocity[108];
    double* numbers = TS_ARENA_ARRAY(task->arena, double, 216);
    if (!numbers) return 0;
    *out = (ts_step_tree_slope){numbers, numbers + 36, numbers + 72, 1, coasts ? numbers + 108 : NULL, NULL};
    store(&end[2], 0, 6, 36, velocity);
    store(&end[3], 1, 6, 36, velocity);
    if (coasts) {
        store(&end[0], 0, 18, 6, out->coast);
        store(&end[1], 1, 18, 6, out->coast);
    }
    const double* M = sim->mass_matrix + sim->mass_start[t];
    memset(numbers, 0, 108 * sizeof(double));
    for (int k = 0; k < 3; ++k)
        for (int r = 0; r < 6; ++r)
            for (int i = 0; i < 6; ++i) {
                double m = r >= i ? M[6 * r + i] : M[6 * i + r];
                for (int c = 0; m != 0.0 && c < 6; ++c) numbers[36 * k + 6 * r + c] += m * velocity[36 * k + 6 * i + c];
            }
    if (!coasts && sim->model->tree[t].kind != TS_TREE_CENTRED)
        add_turning_inertia(&b, storage->new_velocity + first, out->by_q);
    return !ts_fluid_is_there(&sim->options) || enter_medium(task, t, out);
}

// --- by what the body is made of, by gravity and by the time step ---

// How all of a step answers to one of these.
typedef struct push {
    ts_step_body_change by;
    // and what follows
    ts_vec3 rate;                            // g + F / m itself
    ts_vec3 start_v, start_w, couple, fall;  // fall: of h (g + F / m)
} push;

static ts_vec3 apply(const ts_mat3* A, ts_vec3 x) { return ts_mat3_mul_vec(A, x); }

// a - b
static ts_vec3 less(ts_vec3 a, ts_vec3 b) { return ts_vec3_sub(a, b); }

// d(|c|^2 - c c^T) by dc
static ts_mat3 shift_slope(ts_vec3 c, ts_vec3 dc) {
    double twice = 2.0 * ts_vec3_dot(c, dc);
    ts_mat3 outer = ts_mat3_add(ts_mat3_outer(c, dc), ts_mat3_outer(dc, c));
    return ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(twice, twice, twice)), outer);
}

// Of the parameters of ts_derivative_parameters, those about the origin.
static void take_inertia(const ts_body* b, const ts_model* model, ts_step_column c, ts_step_body_change* out) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    int k = c.index % 10;
    ts_mat3 about = zero();
    if (k >= 4) about.m[row[k - 4]][column[k - 4]] = about.m[column[k - 4]][row[k - 4]] = 1.0;
    out->mass = k == 0;
    out->centre = ts_step_centre_slope(model, c);
    double square = ts_vec3_norm_squared(b->centre);
    ts_mat3 shift = ts_mat3_diagonal(ts_vec3_make(square, square, square));
    shift = ts_mat3_sub(shift, ts_mat3_outer(b->centre, b->centre));
    out->inertia = ts_mat3_sub(about, ts_mat3_scale(out->mass, shift));
    out->inertia = ts_mat3_sub(out->inertia, ts_mat3_scale(b->mass, shift_slope(b->centre, out->centre)));
}

ts_step_body_change ts_step_lone_change(const ts_sim* sim, int t, ts_step_column c) {
    ts_step_body_change d = {0.0, ts_vec3_zero(), zero(), ts_vec3_zero(), 0.0};
    if (c.kind == TS_STEP_BY_MASS) d.mass = 1.0;
    if (c.kind == TS_STEP_BY_INERTIA) take_inertia(&sim->model->body[sim->model->tree[t].root], sim->model, c, &d);
    if (c.kind == TS_STEP_BY_GRAVITY) d.gravity = ts_vec3_axis(c.index);
    if (c.kind == TS_STEP_BY_TIME_STEP) d.time = 1.0;
    return d;
}

static push push_of(const lone* b, const ts_step_body_change* by, int body, double late) {
    push d = {.by = *by};
    ts_vec3 force = ts_vec3_add(b->push, b->sim->wrench_applied[body].force);
    d.couple = ts_vec3_cross(ts_mat3_mul_vec_transposed(&b->R, b->push), d.by.centre);
    d.rate = ts_vec3_scale(1.0 - b->body->buoyancy, b->sim->options.gravity);
    d.rate = ts_vec3_add_scaled(d.rate, 1.0 / b->body->mass, force);
    d.fall = ts_vec3_scale(b->h * (1.0 - b->body->buoyancy), d.by.gravity);
    d.fall = ts_vec3_add_scaled(d.fall, -b->h * d.by.mass / (b->body->mass * b->body->mass), force);
    d.fall = ts_vec3_add_scaled(d.fall, d.by.time, d.rate);
    d.start_v = d.start_w = ts_vec3_zero();
    if (late == 0.0) return d;
    // I w0 = E I w, v0 = v + R (E (w x c) - w0 x c)
    ts_mat3 E = exp_of(ts_vec3_scale(-late, b->w));
    d.start_w = less(apply(&E, apply(&d.by.inertia, b->w)), apply(&d.by.inertia, b->w0));
    d.start_w = ts_mat3_solve(&b->I, d.start_w);
    ts_vec3 swing = apply(&E, ts_vec3_cross(b->w, d.by.centre));
    swing = less(swing, ts_vec3_add(ts_vec3_cross(d.start_w, b->c), ts_vec3_cross(b->w0, d.by.centre)));
    d.start_v = apply(&b->R, swing);
    return d;
}

// dw+ of the free rule; dw_m.
static ts_vec3 free_spin(const lone* b, const push* d, ts_vec3 couple, ts_vec3* out_middle) {
    ts_vec3 m = ts_vec3_scale(0.5, ts_vec3_add(b->w0, b->w_f)), momentum = apply(&b->I, m);
    ts_mat3 S = ts_mat3_sub(ts_mat3_mul(ts_mat3_skew(m), b->I), ts_mat3_skew(momentum));
    ts_mat3 A = ts_mat3_add(b->I, ts_mat3_scale(0.5 * b->h, S)), B = ts_mat3_sub(b->I, ts_mat3_scale(0.5 * b->h, S));
    ts_vec3 rest = less(apply(&B, d->start_w), apply(&d->by.inertia, ts_vec3_sub(b->w_f, b->w0)));
    rest = ts_vec3_add_scaled(rest, -b->h, ts_vec3_cross(m, apply(&d->by.inertia, m)));
    rest = ts_vec3_add_scaled(rest, -d->by.time, ts_vec3_sub(ts_vec3_cross(m, momentum), couple));
    ts_vec3 w = ts_mat3_solve(&A, ts_vec3_add_scaled(rest, b->h, d->couple));
    *out_middle = ts_vec3_scale(0.5, ts_vec3_add(w, d->start_w));
    return w;
}

static ts_vec3 free_velocity(const lone* b, const push* d, ts_vec3 w, ts_vec3 middle) {
    ts_vec3 m = ts_vec3_scale(0.5, ts_vec3_add(b->w0, b->w_f)), across = ts_vec3_cross(m, b->c);
    ts_vec3 swing = ts_vec3_cross(less(w, d->start_w), b->c);
    swing = ts_vec3_add(swing, ts_vec3_cross(less(b->w_f, b->w0), d->by.centre));
    swing = ts_vec3_add_scaled(swing, d->by.time, ts_vec3_cross(m, across));
    ts_vec3 turns = ts_vec3_add(ts_vec3_cross(middle, across), ts_vec3_cross(m, ts_vec3_cross(middle, b->c)));
    turns = ts_vec3_add(turns, ts_vec3_cross(m, ts_vec3_cross(m, d->by.centre)));
    swing = ts_vec3_add_scaled(swing, b->h, turns);
    return less(ts_vec3_add(d->start_v, d->fall), apply(&b->R, swing));
}

// Where it flies: position and turn are added to, the velocity is given.
static ts_vec3 flight(const lone* b, const push* d, ts_vec3 w, ts_vec3 middle, double* io_position) {
    ts_mat3 by_x, by_p, T = find_turn(b, &by_x, &by_p), R = ts_mat3_mul(b->R, T);
    ts_vec3 m = ts_vec3_scale(0.5, ts_vec3_add(b->w0, b->w_f));
    ts_vec3 x = ts_vec3_add_scaled(ts_vec3_scale(b->h, middle), d->by.time, m);
    ts_vec3 p = ts_vec3_add(apply(&d->by.inertia, b->w_f), apply(&b->I, w));
    ts_vec3 turn = ts_vec3_add(apply(&by_x, x), apply(&by_p, p));
    ts_vec3 after = ts_vec3_cross(b->w_f, b->c);
    ts_vec3 swing = ts_vec3_add(ts_vec3_cross(d->start_w, b->c), ts_vec3_cross(b->w0, d->by.centre));
    ts_vec3 change = ts_vec3_add(ts_vec3_add(d->start_v, d->fall), apply(&b->R, swing));
    ts_vec3 speed = ts_vec3_add(b->v0, apply(&b->R, ts_vec3_cross(b->w0, b->c)));
    ts_vec3 position = ts_vec3_scale(d->by.time, ts_vec3_add_scaled(speed, b->h, d->rate));
    position = ts_vec3_add_scaled(position, b->h, change);
    position = ts_vec3_add(position, apply(&b->R, d->by.centre));
    position = less(position, apply(&R, ts_vec3_add(d->by.centre, ts_vec3_cross(turn, b->c))));
    for (int i = 0; i < 3; ++i) io_position[i] += ts_vec3_get(position, i);
    for (int i = 0; i < 3; ++i) io_position[3 + i] += ts_vec3_get(turn, i);
    ts_vec3 turned = ts_vec3_add(ts_vec3_cross(turn, after), ts_vec3_cross(w, b->c));
    return less(change, apply(&R, ts_vec3_add(turned, ts_vec3_cross(b->w_f, d->by.centre))));
}

static ts_vec3 touched(const lone* b, const push* d, const ts_spin_memory* memory, ts_vec3 couple, ts_vec3* out_spin) {
    ts_vec3 torque = ts_vec3_scale(memory->steady ? 1.0 : 0.0, ts_mat3_mul_vec_transposed(&b->R, memory->torque));
    ts_vec3 pressed = ts_mat3_solve(&b->I, ts_vec3_scale(b->h, torque)), next = ts_vec3_add(b->w_f, pressed);
    ts_vec3 x = ts_vec3_scale(0.5 * b->h, next), p = apply(&b->I, next);
    ts_mat3 E = exp_of(x), J = ts_step_turn_slope(x), back = exp_of(ts_vec3_scale(-memory->late, b->w));
    ts_vec3 momentum = apply(&back, apply(&d->by.inertia, b->w));
    momentum = ts_vec3_add_scaled(momentum, b->h, d->couple);
    momentum = ts_vec3_add_scaled(momentum, d->by.time, ts_vec3_add(couple, torque));
    ts_mat3 A = ts_mat3_sub(b->I, ts_mat3_scale(0.5 * b->h, ts_mat3_mul(ts_mat3_skew(p), J)));
    ts_vec3 rest = less(ts_mat3_mul_vec_transposed(&E, momentum), apply(&d->by.inertia, next));
    rest = ts_vec3_add_scaled(rest, 0.5 * d->by.time, ts_vec3_cross(p, next));
    ts_vec3 w = ts_mat3_solve(&A, rest);
    ts_vec3 change = less(ts_vec3_scale(d->by.time, torque), apply(&d->by.inertia, pressed));
    change = ts_mat3_solve(&b->I, change);
    *out_spin = less(w, change);
    // swing = E (next x c) - back (w x c) - pressed x c
    ts_vec3 after = ts_vec3_cross(next, b->c);
    ts_vec3 turn = ts_vec3_add_scaled(ts_vec3_scale(0.5 * b->h, apply(&J, w)), 0.5 * d->by.time, next);
    ts_vec3 swing = ts_vec3_add(ts_vec3_cross(w, b->c), ts_vec3_cross(next, d->by.centre));
    swing = apply(&E, ts_vec3_add(swing, ts_vec3_cross(turn, after)));
    swing = less(swing, apply(&back, ts_vec3_cross(b->w, d->by.centre)));
    swing = less(swing, ts_vec3_add(ts_vec3_cross(change, b->c), ts_vec3_cross(pressed, d->by.centre)));
    return less(d->fall, apply(&b->R, swing));
}

void ts_step_lone_by_parameter(const ts_sim* sim, const ts_step_implicit* p, int t, ts_step_column c,
                               double* out_velocity, double* io_position) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_spin_memory* memory = &storage->spin_memory[t];
    int is_touched = storage->late_next[t] != 0.0;
    // A body that is no more as round as it is goes by the rule of touched ones.
    if (c.kind == TS_STEP_BY_INERTIA && sim->integrator->coast) is_touched |= ts_touched_rotation_is_near(sim, t);
    ts_vec3 couple, middle, spin, velocity;
    lone b = lone_of(sim, p, t, &couple);
    ts_step_body_change by = ts_step_lone_change(sim, t, c);
    push d = push_of(&b, &by, sim->model->tree[t].root, is_touched ? 0.0 : memory->late);
    if (is_touched) {
        velocity = touched(&b, &d, memory, couple, &spin);
    } else {
        spin = free_spin(&b, &d, couple, &middle);
        velocity = p->coasts[t] ? flight(&b, &d, spin, middle, io_position) : free_velocity(&b, &d, spin, middle);
    }
    ts_vec3_store(velocity, out_velocity);
    ts_vec3_store(spin, out_velocity + 3);
}
