// Ties of two bodies, connections and welds: how their rows answer to positions and velocities; and what ties of any kind owe to the time step.
//
// Problem: rows of engine/rows/connect.c and weld.c, u = J v+ - c* + R lambda with c* = -s phi - h/2 (dJ/dt) v at the velocity v before the step (row_tie.c). A unit of
// dof j turns and shifts body k and what hangs on it by S, where that is on its chain. With `beyond` what of twist v and acceleration a (joints do not accelerate) comes from
// dof j on, p what comes before, and f_m(x) the field of a twist m at x,
//     dx = f_S(x),   dv = S x beyond_v,   da = S x beyond_a + (v_p x S) x beyond_v
//     by velocity instead   dx = 0,   dv = S,   da = v_p x S + S x beyond_v (less the joint's own)
//     x'' = f_a(x) + w x f_v(x),   dx'' = f_da(x) + a x dx + dw x x' + w x (f_dv(x) + w x dx)
// and of turns, T(y) = s/2 vec(q_A* y q_B) of any quaternion y: dT(y) = T(dy) + T(y t_B - t_A y) / 2, with t_k the turn of body k.
// Source: the rows' own files; derived here by the Jacobi identity.
// R is a millionth of the largest G_ii, whose slope at fixed j is that of step_leverage.c. Under great loads it is felt (1e-5 of a column).
// Left to differences: ties that the model's softness is in force for.
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/row_source_internal.h"

enum { POINT_ROWS = 3, ROWS_MOST = 6, TORQUE_SCALE = 1 };

// One side of a tie.
typedef struct side {
    int body;
    int tree;  // -1: it stands
    ts_vec3 point;
    ts_vec3 lever;         // of the point, from the tree's origin
    ts_motion v, a;        // before the step
    ts_vec3 speed;         // of the point, before the step
    ts_vec3 acceleration;  // of the point
} side;

// How a unit of an input moves a side.
typedef struct change {
    ts_vec3 point;  // dx
    ts_vec3 turn;
    ts_vec3 spin;          // dw
    ts_vec3 spin_rate;     // angular part of da
    ts_vec3 acceleration;  // dx''
} change;

typedef struct tie {
    const ts_sim* sim;
    const ts_equality* equality;
    int rows;
    side side[2];
    ts_quat a_conjugate, b;  // how both frames are turned, as weld.c has them
    double error[ROWS_MOST];
    double bias[ROWS_MOST];
    double share;  // 1/s
    double size;   // of the error
    int limited;   // nonzero: it is mended as fast as it may be
} tie;

static ts_quat pure(ts_vec3 v) { return ts_quat_make(0.0, v.x, v.y, v.z); }

static ts_quat minus(ts_quat x, ts_quat y) { return ts_quat_make(x.w - y.w, x.x - y.x, x.y - y.y, x.z - y.z); }

static ts_quat plus_half(ts_quat x, ts_quat y) {
    return ts_quat_make(x.w + 0.5 * y.w, x.x + 0.5 * y.x, x.y + 0.5 * y.y, x.z + 0.5 * y.z);
}

// T
static ts_vec3 between(const tie* t, ts_quat x) {
    ts_quat q = ts_quat_mul(ts_quat_mul(t->a_conjugate, x), t->b);
    return ts_vec3_scale(0.5 * t->equality->coefficient[TORQUE_SCALE], ts_vec3_make(q.x, q.y, q.z));
}

// y t_B - t_A y
static ts_quat turned(ts_quat y, ts_vec3 turn_a, ts_vec3 turn_b) {
    return minus(ts_quat_mul(y, pure(turn_b)), ts_quat_mul(pure(turn_a), y));
}

static side side_of(const ts_sim* sim, const ts_kinematics* k, const ts_equality* e, int which) {
    side s = {.body = e->body[which], .tree = sim->model->body[e->body[which]].tree};
    s.point = ts_row_equality_point(sim, e, which);
    if (s.tree < 0) return s;
    s.lever = ts_vec3_sub(s.point, ts_kinematics_origin(sim->model, k, s.tree));
    s.v = k->body_velocity[s.body];
    s.a = ts_kinematics_bias(sim->model, k, s.body);
    s.speed = ts_motion_at(s.v, s.lever);
    s.acceleration = ts_vec3_add(ts_motion_at(s.a, s.lever), ts_vec3_cross(s.v.angular, s.speed));
    return s;
}

// The bias of turns before T: a + (w w_B - w_A w) / 2.
static ts_quat turn_bias(const tie* t) {
    ts_vec3 w = ts_vec3_sub(t->side[1].v.angular, t->side[0].v.angular);
    ts_quat straight = pure(ts_vec3_sub(t->side[1].a.angular, t->side[0].a.angular));
    return plus_half(straight, turned(pure(w), t->side[0].v.angular, t->side[1].v.angular));
}

// `k` has the velocities before the step.
static tie tie_of(const ts_sim* sim, const ts_kinematics* k, int b) {
    tie t = {.sim = sim, .equality = ts_row_equality_of(sim, b), .rows = sim->problem.block[b].rows};
    double squared = 0.0, h = sim->options.time_step;
    ts_quat q[2];
    for (int i = 0; i < 2; ++i) {
        t.side[i] = side_of(sim, k, t.equality, i);
        q[i] = ts_quat_mul(ts_quat_from_mat3(&sim->kinematics.body_pose[t.equality->body[i]].R),
                           t.equality->frame[i].rotation);
    }
    t.a_conjugate = ts_quat_conjugate(q[0]);
    t.b = q[1];
    if (ts_quat_mul(t.a_conjugate, t.b).w < 0.0) t.b = ts_quat_make(-t.b.w, -t.b.x, -t.b.y, -t.b.z);
    ts_vec3_store(ts_vec3_sub(t.side[1].point, t.side[0].point), t.error);
    ts_vec3_store(ts_vec3_sub(t.side[1].acceleration, t.side[0].acceleration), t.bias);
    if (t.rows > POINT_ROWS) {
        ts_vec3_store(ts_vec3_scale(2.0, between(&t, ts_quat_identity())), t.error + POINT_ROWS);
        ts_vec3_store(between(&t, turn_bias(&t)), t.bias + POINT_ROWS);
    }
    for (int r = 0; r < t.rows; ++r) squared += t.error[r] * t.error[r];
    t.size = sqrt(squared);
    t.limited = t.size > h * sim->options.push_out_speed;
    t.share = t.limited ? sim->options.push_out_speed / t.size : 1.0 / h;
    return t;
}

// --- changes ---

// How every dof of a side's chain moves it, by position or by velocity, into change[dof].
static void find_changes(const ts_sim* sim, const ts_kinematics* k, const side* s, int by_velocity, change* out) {
    const ts_model* model = sim->model;
    ts_motion beyond_v = ts_motion_zero(), beyond_a = ts_motion_zero();
    if (s->tree < 0) return;
    for (int last = model->body[s->body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        ts_motion own = ts_motion_zero(), after = beyond_v;
        first = ts_step_turns_with(model, last);
        for (int d = last; d >= first; --d)
            own = ts_motion_add_scaled(own, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
        beyond_v = ts_motion_add(beyond_v, own);
        ts_motion before = ts_motion_add_scaled(s->v, -1.0, beyond_v);
        beyond_a = ts_motion_add(beyond_a, ts_motion_cross(before, own));
        for (int j = last; j >= first; --j) {
            ts_motion S = ts_kinematics_axis(model, k, j), rate = ts_motion_cross(before, S), dv, da;
            change c = {.point = ts_vec3_zero(), .turn = ts_vec3_zero()};
            if (by_velocity) {
                dv = S;
                da = ts_motion_add(rate, ts_motion_cross(S, after));
            } else {
                c.point = ts_motion_at(S, s->lever);
                c.turn = S.angular;
                dv = ts_motion_cross(S, beyond_v);
                da = ts_motion_add(ts_motion_cross(S, beyond_a), ts_motion_cross(rate, beyond_v));
            }
            c.spin = dv.angular;
            c.spin_rate = da.angular;
            ts_vec3 moved = ts_vec3_add(ts_motion_at(dv, s->lever), ts_vec3_cross(s->v.angular, c.point));
            c.acceleration = ts_vec3_add(ts_motion_at(da, s->lever), ts_vec3_cross(s->a.angular, c.point));
            c.acceleration = ts_vec3_add(c.acceleration, ts_vec3_cross(c.spin, s->speed));
            c.acceleration = ts_vec3_add(c.acceleration, ts_vec3_cross(s->v.angular, moved));
            out[j] = c;
        }
    }
}

// The changes of error and bias (rows) by those of both sides.
static void change_rows(const tie* t, const change* a, const change* b, double* out_error, double* out_bias) {
    ts_vec3_store(ts_vec3_sub(b->point, a->point), out_error);
    ts_vec3_store(ts_vec3_sub(b->acceleration, a->acceleration), out_bias);
    if (t->rows == POINT_ROWS) return;
    ts_vec3 w = ts_vec3_sub(t->side[1].v.angular, t->side[0].v.angular), spin = ts_vec3_sub(b->spin, a->spin);
    ts_vec3_store(between(t, pure(ts_vec3_sub(b->turn, a->turn))), out_error + POINT_ROWS);
    ts_quat moved = pure(ts_vec3_sub(b->spin_rate, a->spin_rate));
    moved = plus_half(moved, turned(pure(spin), t->side[0].v.angular, t->side[1].v.angular));
    moved = plus_half(moved, turned(pure(w), a->spin, b->spin));
    moved = plus_half(moved, turned(turn_bias(t), a->turn, b->turn));
    ts_vec3_store(between(t, moved), out_bias + POINT_ROWS);
}

// Of -dc*: share de, less what of it is along e where that is mended at a fixed speed, and h/2 of the bias.
static void add_reference(const tie* t, const double* error, const double* bias, int ld, double* by) {
    double along = 0.0, h = t->sim->options.time_step;
    for (int r = 0; r < t->rows; ++r) along += t->error[r] * error[r];
    for (int r = 0; r < t->rows; ++r) {
        double moved = error[r];
        if (t->limited) moved -= t->error[r] * along / (t->size * t->size);
        by[r * ld] += t->share * moved + 0.5 * h * bias[r];
    }
}

// --- rows and forces ---

// What is found of ties, for all of them (n: nv).
typedef struct ties {
    const ts_step_task* task;
    ts_step_implicit* p;
    change* side[2];           // (n)
    double *linear, *angular;  // (3 x n) of velocities by positions
    double* force;             // (n x n), zero between ties
    ts_step_leverage leverage;
    int* dof;  // (n)
} ties;

// Adds d(J v+) by position, at the velocities after the step.
static void add_velocity(const ties* w, const tie* t, int count, double* by_q) {
    const ts_model* model = w->task->sim->model;
    const ts_kinematics* k = &w->p->kinematics;
    int nv = model->nv;
    for (int i = 0; i < 2; ++i) {
        const side* s = &t->side[i];
        double sign = i ? 1.0 : -1.0;
        if (s->tree < 0) continue;
        ts_derivative_velocity(model, k, s->body, s->point, w->linear, w->angular);
        for (int c = 0; c < count; ++c) {
            int d = w->dof[c];
            for (int r = 0; r < POINT_ROWS; ++r) by_q[r * count + c] += sign * w->linear[r * nv + d];
            if (t->rows == POINT_ROWS) continue;
            ts_vec3 spin = ts_vec3_make(w->angular[d], w->angular[nv + d], w->angular[2 * nv + d]);
            double turn[3];
            ts_vec3_store(between(t, pure(spin)), turn);
            for (int r = 0; r < 3; ++r) by_q[(POINT_ROWS + r) * count + c] += sign * turn[r];
        }
    }
    if (t->rows == POINT_ROWS) return;
    ts_vec3 spin[2];
    for (int i = 0; i < 2; ++i)
        spin[i] = t->side[i].tree >= 0 ? k->body_velocity[t->side[i].body].angular : ts_vec3_zero();
    ts_quat w_between = pure(ts_vec3_sub(spin[1], spin[0]));
    for (int c = 0; c < count; ++c) {
        double turn[3];
        int d = w->dof[c];
        ts_vec3_store(between(t, turned(w_between, w->side[0][d].turn, w->side[1][d].turn)), turn);
        for (int r = 0; r < 3; ++r) by_q[(POINT_ROWS + r) * count + c] += 0.5 * turn[r];
    }
}

// The couple of the rows of turns, in the world; `turn` NULL, or its change as both sides turn.
static ts_vec3 couple_of(const tie* t, const double* lambda, const ts_vec3* turn) {
    ts_vec3 push = ts_vec3_load(lambda + POINT_ROWS);
    double out[3];
    for (int i = 0; i < 3; ++i) {
        ts_quat axis = pure(ts_vec3_axis(i));
        out[i] = turn ? 0.5 * ts_vec3_dot(push, between(t, turned(axis, turn[0], turn[1])))
                      : ts_vec3_dot(push, between(t, axis));
    }
    return ts_vec3_load(out);
}

// d(J^T lambda) into `force`, of which only the tie's dofs are touched.
static void add_force(const ties* w, const tie* t, const double* lambda, int count) {
    const ts_model* model = w->task->sim->model;
    const ts_kinematics* k = &w->p->kinematics;
    size_t nv = (size_t)model->nv;
    ts_force wrench = {ts_vec3_zero(), ts_vec3_load(lambda)};
    if (t->rows > POINT_ROWS) wrench.couple = couple_of(t, lambda, NULL);
    for (int i = 0; i < 2; ++i) {
        const side* s = &t->side[i];
        ts_force own = wrench;
        if (s->tree < 0) continue;
        if (i == 0) own = (ts_force){ts_vec3_neg(wrench.couple), ts_vec3_neg(wrench.force)};
        ts_derivative_add_wrench(model, k, s->body, s->point, own, TS_WRENCH_AT, s->body, w->force);
        for (int c = 0; c < count && t->rows > POINT_ROWS; ++c) {
            ts_vec3 turn[2] = {w->side[0][w->dof[c]].turn, w->side[1][w->dof[c]].turn};
            ts_vec3 couple = ts_vec3_scale(i ? 1.0 : -1.0, couple_of(t, lambda, turn));
            for (int d = model->body[s->body].dof_last; d >= 0; d = model->dof[d].parent)
                w->force[(size_t)d * nv + (size_t)w->dof[c]] +=
                    ts_vec3_dot(ts_kinematics_axis(model, k, d).angular, couple);
        }
    }
}

// The dofs of both trees: G feels those beyond the chains, too.
static int list_dofs(const ts_model* model, const tie* t, int* out) {
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        int tree = t->side[i].tree;
        if (tree < 0 || (i == 1 && tree == t->side[0].tree)) continue;
        for (int d = 0; d < model->tree[tree].dof_count; ++d) out[count++] = model->tree[tree].dof_first + d;
    }
    return count;
}

// From `force`, which becomes zero again, to where it belongs. Returns what a block of two trees keeps, or NULL.
static double* take_force(const ties* w, const tie* t, int count, double* own) {
    const ts_model* model = w->task->sim->model;
    int a = t->side[0].tree, b = t->side[1].tree, tree = a < 0 ? b : a, shared = a >= 0 && b >= 0 && a != b;
    int first = model->tree[tree].dof_first, n = model->tree[tree].dof_count;
    for (int r = 0; r < count; ++r)
        for (int c = 0; c < count; ++c) {
            double* from = &w->force[(size_t)w->dof[r] * (size_t)model->nv + (size_t)w->dof[c]];
            if (shared)
                own[r * count + c] = *from;
            else if (w->p->tree[tree].by_q)
                w->p->tree[tree].by_q[(w->dof[r] - first) * n + w->dof[c] - first] += *from;
            *from = 0.0;
        }
    return shared ? own : NULL;
}

// Adds weight_r (rows) times the change of G of the combination `along` of its rows, by position and velocity. Returns 0 when memory is short.
static int add_leverage(const ties* w, const tie* t, int b, const double* along, const double* weight, int count,
                        double* by_q, double* by_v) {
    const ts_sim* sim = w->task->sim;
    size_t nv = (size_t)sim->model->nv;
    ts_step_leverage l = w->leverage;
    if (!ts_step_leverage_find(sim, w->p, b, along, &l)) return 0;
    add_force(w, t, along, count);
    for (int c = 0; c < count; ++c) {
        double by_G = l.slope[w->dof[c]];
        for (int d = 0; d < count; ++d) {
            double* from = &w->force[(size_t)w->dof[d] * nv + (size_t)w->dof[c]];
            by_G += 2.0 * l.velocity[w->dof[d]] * *from;
            *from = 0.0;
        }
        for (int r = 0; r < t->rows; ++r) {
            by_q[r * count + c] += weight[r] * by_G;
            by_v[r * count + c] += weight[r] * l.by_v[w->dof[c]];
        }
    }
    return 1;
}

// Adds dR lambda: R of points and of turns is that of the stiffest of each, or the solver's. Returns 0 when memory is short.
static int add_give(const ties* w, const tie* t, int b, int count, double* by_q, double* by_v) {
    const ts_sim* sim = w->task->sim;
    const double* lambda = sim->impulse + sim->problem.block[b].row;
    ts_step_softening softening;
    double weight[ROWS_MOST];
    if (!ts_step_softening_find(sim, w->p, b, &softening)) return 1;  // given up
    for (int k = 0; k < softening.count; ++k) {
        for (int r = 0; r < t->rows; ++r) weight[r] = softening.rate[r] * lambda[r];
        if (!add_leverage(w, t, b, softening.along[k], weight, count, by_q, by_v)) return 0;
    }
    for (int first = 0; softening.count == 0 && first < t->rows; first += POINT_ROWS) {
        double unit[ROWS_MOST] = {0.0}, give = 0.0;
        int stiffest = ts_step_tie_stiffest(sim, b, first, &give);
        if (stiffest < 0) continue;
        unit[stiffest] = 1.0;
        for (int r = 0; r < t->rows; ++r) weight[r] = r / POINT_ROWS == first / POINT_ROWS ? give * lambda[r] : 0.0;
        if (!add_leverage(w, t, b, unit, weight, count, by_q, by_v)) return 0;
    }
    return 1;
}

static int find_tie(const ties* w, const ts_kinematics* start, int b) {
    const ts_sim* sim = w->task->sim;
    const ts_block* block = &sim->problem.block[b];
    tie t = tie_of(sim, start, b);
    int count = list_dofs(sim->model, &t, w->dof), rows = t.rows;
    size_t size = (size_t)count;
    int* dof = TS_ARENA_ARRAY(w->task->arena, int, size);
    double* by = (double*)ts_arena_alloc_zeroed(w->task->arena, (size_t)rows * size * 2, sizeof(double));
    double* own = TS_ARENA_ARRAY(w->task->arena, double, size* size);
    if (!dof || !by || !own) return 0;
    double *by_q = by, *by_v = by + (size_t)rows * size, error[ROWS_MOST], bias[ROWS_MOST];
    memcpy(dof, w->dof, size * sizeof(int));
    // Velocities first: turns are wanted of positions.
    for (int by_velocity = 1; by_velocity >= 0; --by_velocity) {
        for (int i = 0; i < 2; ++i) {
            for (int c = 0; c < count; ++c) memset(&w->side[i][dof[c]], 0, sizeof(change));
            find_changes(sim, start, &t.side[i], by_velocity, w->side[i]);
        }
        for (int c = 0; c < count; ++c) {
            change_rows(&t, &w->side[0][dof[c]], &w->side[1][dof[c]], error, bias);
            add_reference(&t, error, bias, count, (by_velocity ? by_v : by_q) + c);
        }
    }
    add_velocity(w, &t, count, by_q);
    if (!add_give(w, &t, b, count, by_q, by_v)) return 0;
    add_force(w, &t, sim->impulse + block->row, count);
    w->p->block[b] = (ts_step_block_slope){block->row, rows, count, dof, by_q, take_force(w, &t, count, own), by_v};
    return 1;
}

// Of bodies.
static int is_tie(const ts_sim* sim, int b) {
    return ts_row_is(sim, b, &ts_row_connect) || ts_row_is(sim, b, &ts_row_weld);
}

int ts_step_is_tie(const ts_sim* sim, int b) {
    return is_tie(sim, b) || ts_row_is(sim, b, &ts_row_joint_equality) || ts_row_is(sim, b, &ts_row_tendon_equality);
}

int ts_step_ties_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch) {
    const ts_sim* sim = task->sim;
    size_t nv = (size_t)sim->model->nv;
    ties w = {.task = task, .p = p};
    int any = 0, fine = 1;
    for (int b = 0; b < p->block_count; ++b) any = any || (is_tie(sim, b) && ts_step_block_acts(sim, p, b));
    if (!any) return 1;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_kinematics start;
    w.side[0] = (change*)ts_arena_alloc_zeroed(scratch, nv, sizeof(change));
    w.side[1] = (change*)ts_arena_alloc_zeroed(scratch, nv, sizeof(change));
    w.linear = TS_ARENA_ARRAY(scratch, double, 6 * nv);
    w.force = (double*)ts_arena_alloc_zeroed(scratch, nv * nv, sizeof(double));
    w.dof = TS_ARENA_ARRAY(scratch, int, nv);
    fine = w.side[0] && w.side[1] && w.linear && w.force && w.dof && ts_step_share_poses(sim, scratch, &start) &&
           ts_step_leverage_take(sim, p, scratch, &w.leverage);
    w.angular = fine ? w.linear + 3 * nv : NULL;
    for (int t = 0; fine && t < sim->model->tree_count; ++t) {
        int first = sim->model->tree[t].dof_first;
        ts_step_move_tree(sim->model, t, sim->qvel + first, &start);
    }
    for (int b = 0; fine && b < p->block_count; ++b)
        if (is_tie(sim, b) && ts_step_block_acts(sim, p, b)) fine = find_tie(&w, &start, b);
    ts_arena_scope_end(scratch, scope);
    return fine;
}

// --- by the time step ---

double ts_step_tie_rate(const ts_sim* sim, const ts_kinematics* start, int b, int r) {
    double h = sim->options.time_step, reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row + r];
    if (is_tie(sim, b)) {
        tie t = tie_of(sim, start, b);
        return (t.limited ? 0.0 : t.error[r] / (h * h)) - 0.5 * t.bias[r];
    }
    const ts_equality* e = ts_row_equality_of(sim, b);
    int turns = ts_row_is(sim, b, &ts_row_joint_equality) && sim->model->joint[e->joint[0]].type == TS_JOINT_HINGE;
    double most = turns ? sim->options.push_out_turn : sim->options.push_out_speed;
    return fabs(reference) < most * (1.0 - 1e-12) ? -reference / h : 0.0;
}

int ts_step_tie_stiffest(const ts_sim* sim, int b, int r, double* out_give) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    int rows = sim->problem.block[b].rows, best = -1;
    double most = 0.0;
    if (!sim->problem.R || !ts_step_is_tie(sim, b)) return -1;
    for (int i = 0; i < rows; ++i) {
        double squared = 0.0;
        if ((i >= POINT_ROWS) != (r >= POINT_ROWS)) continue;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s)
            for (int k = 0; k < plan->segment[s].count; ++k) {
                double x = plan->segment[s].J[i * plan->segment[s].count + k];
                squared += x * x;
            }
        if (squared <= most) continue;
        most = squared;
        best = i;
    }
    *out_give = best >= 0 ? sim->problem.R[sim->problem.block[b].row + r] / most : 0.0;
    return best;
}
