// ncp-subadmm: alternating directions that take the bodies apart.
//
// Problem: the exact law on u = g + sum_s J_s v_s + R lambda, v_s the change of velocity of system s (a body, a tree of them). Every block has
// a copy z_cs of J_cs v_s on each system that it touches, z = J v, and the law is asked of the copies: then no system sees another, and
// no contact another.
// Rule, with one multiplier lambda_c for all copies of a block, and its penalty beta_c:
//     systems     (M_s + J_s^T beta J_s) v_s = J_s^T (beta z_s + lambda)           each by its own small factor
//     contacts    lambda'_c: the law on  g + sum_s J_cs v_s + (n / beta) (lambda' - lambda) + R lambda',  n copies
//                 z'_cs = J_cs v_s + (lambda' - lambda) / beta
// A contact's own law has a diagonal matrix, so its answer is closed: normal, then friction within what that carries. beta_c is rho over
// the contact's stiffness; rho moves when the primal residual (copies that differ from their rows, over the problem's velocity) and the
// dual one (copies that move, times beta, over its impulse) are far apart, with pauses that grow; it is not carried from step to step: the
// one that an easy step ends with is often wrong for the next (scene incline).
// Source: Lee, Lee, Park, Yun and Lee, "Variations of augmented Lagrangian for robotic multi-contact simulation", 2025 (SubADMM);
// Boyd et al. 2011. One multiplier for all copies follows from the update: all of them get the same change.
// Guaranteed: memory and work of an iteration grow with the number of contacts alone; systems and contacts are dealt to the threads, and
// the bits do not depend on them. What is returned is admissible and the best seen; converged means the law's residual.
// Known to fail: no proof for the exact law. What one contact does reaches the next in the next iteration: large mass ratios, tall
// stacks and small tolerances take thousands of iterations.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/coulomb_internal.h"
#include "contact/solver.h"
#include "contact/solvers/splitting/subsystems_internal.h"
#include "contact/trace.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    LOOK_INTERVAL = 16,
    FIRST_PAUSE = 8,  // iterations before rho may move
    SYSTEM_GRAIN = 16,
    BLOCK_GRAIN = 64
};

// Pauses grow by this factor, so that rho comes to rest.
static const double pause_growth = 1.3;
// Weight of the relative primal residual; residuals that are nearer leave rho alone; most that it moves by. Recorded problems.
static const double balance = 10.0;
static const double far_apart = 10.0;
static const double most_step = 10.0;
static const double rho_range = 1e8;

typedef struct subadmm_settings {
    ts_solver_settings shared;  // an iteration solves every system and every contact once
    double penalty;             // rho at first
    double over_relaxation;     // of J v
} subadmm_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(subadmm_settings, penalty, 1e-6, 1e6, "of copies at first, times a contact's stiffness"),
    TS_SETTING_REAL(subadmm_settings, over_relaxation, 1.0, 1.9, "of the systems' answer before the contacts' turn"),
};

static const subadmm_settings defaults = {.shared = {1e-8, 1e-15, 1000, 0.0}, .penalty = 1.0, .over_relaxation = 1.6};

typedef struct subadmm {
    const ts_contact_problem* problem;
    const subadmm_settings* settings;
    ts_yardstick yardstick;
    ts_subsystems parts;
    double rho;
    double* lambda;     // (rows) multipliers, admissible
    double* z;          // (rows of sides) copies
    double* Jv;         // (rows of sides)
    double* v;          // (columns of all systems)
    double* factor;     // of each system, size x size
    size_t* factor_at;  // (systems)
    int* pivot;         // (columns)
    double* stiffness;  // (blocks) zero where nothing moves
    double* primal;     // (blocks) residuals of the last iteration
    double* dual;       // (blocks)
    double* moved;      // (blocks)
    int* fault;         // (systems)
    double* u;          // (rows)
} subadmm;

static double beta_of(const subadmm* q, int b) { return q->rho / q->stiffness[b]; }

// Numbers in a row of a system's factor.
static int row_of(int n) { return (n + TS_PANEL_LANES - 1) / TS_PANEL_LANES * TS_PANEL_LANES; }

// v_s <- Y_s^T x of one side, on top of what there is.
static void add_side(const ts_subsystem_side* side, int rows, const double* x, double* v) {
    for (int r = 0; r < rows; ++r) {
        const double* Y = side->Y + (size_t)r * (size_t)side->ld;
        for (int c = 0; c < side->count; ++c) v[side->column + c] += Y[c] * x[r];
    }
}

static void read_side(const ts_subsystem_side* side, int rows, const double* v, double* out) {
    for (int r = 0; r < rows; ++r)
        out[r] = ts_dot(side->J + (size_t)r * (size_t)side->ld, v + side->column, side->count);
}

// 1 + Y_s^T beta J_s, factorised.
static void factor_systems(void* context, int begin, int end, int worker) {
    const subadmm* q = (const subadmm*)context;
    (void)worker;
    for (int s = begin; s < end; ++s) {
        int n = q->parts.size[s], ld = row_of(n);
        double* A = q->factor + q->factor_at[s];
        memset(A, 0, (size_t)n * (size_t)ld * sizeof(double));
        for (int i = 0; i < n; ++i) A[(size_t)i * (size_t)(ld + 1)] = 1.0;
        for (int k = q->parts.list_start[s]; k < q->parts.list_start[s + 1]; ++k) {
            const ts_subsystem_side* side = &q->parts.side[q->parts.list[k]];
            if (!(q->stiffness[side->block] > 0.0)) continue;
            double beta = beta_of(q, side->block);
            for (int r = 0; r < q->problem->block[side->block].rows; ++r) {
                const double* J = side->J + (size_t)r * (size_t)side->ld;
                const double* Y = side->Y + (size_t)r * (size_t)side->ld;
                for (int i = 0; i < side->count; ++i)
                    for (int j = 0; j < side->count; ++j)
                        A[(size_t)(side->column + i) * (size_t)ld + (size_t)(side->column + j)] += beta * Y[i] * J[j];
            }
        }
        q->fault[s] = !ts_lu_factor(A, n, ld, q->pivot + q->parts.first[s]);
    }
}

// Returns 0 when a system breaks down.
static int set_penalty(subadmm* q, double rho) {
    q->rho = ts_clamp(rho, 1.0 / rho_range, rho_range);
    ts_task_parallel_for(q->problem->tasks, q->parts.systems, SYSTEM_GRAIN, factor_systems, q);
    for (int s = 0; s < q->parts.systems; ++s)
        if (q->fault[s]) return 0;
    return 1;
}

static void solve_systems(void* context, int begin, int end, int worker) {
    const subadmm* q = (const subadmm*)context;
    (void)worker;
    for (int s = begin; s < end; ++s) {
        int n = q->parts.size[s], first = q->parts.list_start[s], last = q->parts.list_start[s + 1];
        double* v = q->v + q->parts.first[s];
        memset(v, 0, (size_t)n * sizeof(double));
        for (int k = first; k < last; ++k) {
            const ts_subsystem_side* side = &q->parts.side[q->parts.list[k]];
            const ts_block* block = &q->problem->block[side->block];
            double x[MAX];
            if (!(q->stiffness[side->block] > 0.0)) continue;
            double beta = beta_of(q, side->block);
            for (int r = 0; r < block->rows; ++r) x[r] = beta * q->z[side->at + r] + q->lambda[block->row + r];
            add_side(side, block->rows, x, v);
        }
        ts_lu_solve(q->factor + q->factor_at[s], n, row_of(n), q->pivot + q->parts.first[s], v);
        for (int k = first; k < last; ++k) {
            const ts_subsystem_side* side = &q->parts.side[q->parts.list[k]];
            read_side(side, q->problem->block[side->block].rows, v, q->Jv + side->at);
        }
    }
}

// The law on u = c x + a, c diagonal: in closed form.
static void solve_alone(const ts_block* block, const double* c, const double* a, double* out) {
    int rows = block->rows, round = 1;
    for (int r = 0; r < rows; ++r) {
        out[r] = -a[r] / c[r];
        if (block->set == TS_SET_CONE && r != 2 && c[r] != c[0]) round = 0;
    }
    if (round) {
        ts_block_set_admit(block, TS_FRICTION_DISC, out);
        return;
    }
    double D[MAX * MAX] = {0.0};
    for (int r = 0; r < rows; ++r) D[r * (rows + 1)] = c[r];
    if (rows == 3)
        ts_vec3_store(ts_coulomb_solve(c[0], 0.0, c[1], 0.0, 0.0, c[2], ts_vec3_load(a), block->mu), out);
    else
        ts_coulomb_solve_rows(D, rows, a, block->mu, out);
}

static void solve_contacts(void* context, int begin, int end, int worker) {
    const subadmm* q = (const subadmm*)context;
    double over = q->settings->over_relaxation;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        const ts_block* block = &q->problem->block[b];
        int first = q->parts.side_start[b], last = q->parts.side_start[b + 1];
        double a[MAX], c[MAX], next[MAX] = {0.0}, *lambda = q->lambda + block->row;
        q->primal[b] = q->dual[b] = q->moved[b] = 0.0;
        if (!(q->stiffness[b] > 0.0)) continue;
        double beta = beta_of(q, b), copies = (double)(last - first) / beta;
        for (int r = 0; r < block->rows; ++r) {
            a[r] = q->problem->g[block->row + r] - copies * lambda[r];
            c[r] = copies + (q->problem->R ? q->problem->R[block->row + r] : 0.0);
            for (int i = first; i < last; ++i) {
                double *Jv = q->Jv + q->parts.side[i].at + r, z = q->z[q->parts.side[i].at + r];
                *Jv = over * *Jv + (1.0 - over) * z;
                a[r] += *Jv;
            }
        }
        solve_alone(block, c, a, next);
        for (int r = 0; r < block->rows; ++r) {
            double change = (next[r] - lambda[r]) / beta;
            q->primal[b] = ts_worse(q->primal[b], fabs(change));
            q->moved[b] = ts_worse(q->moved[b], fabs(next[r] - lambda[r]));
            for (int i = first; i < last; ++i) {
                double *z = q->z + q->parts.side[i].at + r, to = q->Jv[q->parts.side[i].at + r] + change;
                q->dual[b] = ts_worse(q->dual[b], beta * fabs(to - *z));
                *z = to;
            }
            lambda[r] = next[r];
        }
    }
}

static double judge(subadmm* q) {
    ts_contact_problem_velocity(q->problem, q->lambda, q->u);
    return ts_yardstick_excess(&q->yardstick, q->lambda, q->u);
}

// The start: its velocities are what the copies begin with.
static void start_copies(subadmm* q) {
    memset(q->v, 0, (size_t)q->parts.first[q->parts.systems] * sizeof(double));
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < q->parts.sides; ++i) {
            const ts_subsystem_side* side = &q->parts.side[i];
            const ts_block* block = &q->problem->block[side->block];
            double* v = q->v + q->parts.first[side->system];
            if (pass == 0)
                add_side(side, block->rows, q->lambda + block->row, v);
            else
                read_side(side, block->rows, v, q->z + side->at);
        }
}

// Another rho where the residuals call for one. Returns 0 when a system breaks down.
static int adapt(subadmm* q, double primal, double dual, int* io_changed) {
    double ratio = balance * primal / dual;
    *io_changed = 0;
    if (!(primal > 0.0 && dual > 0.0) || (ratio < far_apart && ratio > 1.0 / far_apart)) return 1;
    *io_changed = 1;
    return set_penalty(q, q->rho * ts_clamp(sqrt(ratio), 1.0 / most_step, most_step));
}

static ts_solve_status iterate(subadmm* q, double best, double* impulse, int* iterations) {
    const ts_solver_settings* settings = &q->settings->shared;
    int n = q->problem->row_count, blocks = q->problem->block_count, next_look = LOOK_INTERVAL, changed = 0, did;
    double pause = FIRST_PAUSE, V = q->yardstick.scale.velocity, I = V * q->yardstick.scale.step;
    while (*iterations < settings->iteration_limit) {
        ts_task_parallel_for(q->problem->tasks, q->parts.systems, SYSTEM_GRAIN, solve_systems, q);
        ts_task_parallel_for(q->problem->tasks, blocks, BLOCK_GRAIN, solve_contacts, q);
        int k = ++*iterations;
        double primal = ts_share(ts_largest(q->primal, blocks), V), size = fmax(ts_largest(q->lambda, n), I);
        double dual = ts_share(ts_largest(q->dual, blocks), size);
        double moved = ts_worse(primal, ts_share(ts_largest(q->moved, blocks), size));
        if (!isfinite(primal) || !isfinite(dual)) return TS_SOLVE_FAILED;
        ts_trace_note(&q->yardstick, k, q->lambda);
        int still = fmax(moved, dual) <= settings->stall;
        if (k >= next_look || still || k == settings->iteration_limit) {
            next_look = k + LOOK_INTERVAL;
            double excess = judge(q);
            if (excess < best) {
                best = excess;
                memcpy(impulse, q->lambda, (size_t)n * sizeof(double));
            }
            if (excess <= 1.0) return TS_SOLVE_CONVERGED;
            if (still) return TS_SOLVE_STALLED;
        }
        if (k - changed < pause) continue;
        changed = k;
        if (!adapt(q, primal, dual, &did)) return TS_SOLVE_FAILED;
        if (did) pause *= pause_growth;
    }
    return TS_SOLVE_ITERATION_LIMIT;
}

static int prepare(subadmm* q, ts_arena* scratch) {
    int n = q->problem->row_count, blocks = q->problem->block_count;
    if (!ts_subsystems_make(q->problem, scratch, &q->parts)) return 0;
    size_t numbers = 0;
    int systems = q->parts.systems, columns = q->parts.first[systems];
    q->factor_at = TS_ARENA_ARRAY(scratch, size_t, systems + 1);
    for (int s = 0; q->factor_at && s < systems; ++s) {
        q->factor_at[s] = numbers;
        numbers += (size_t)q->parts.size[s] * (size_t)row_of(q->parts.size[s]);
    }
    q->factor = TS_ARENA_ARRAY(scratch, double, numbers + 1);
    q->pivot = TS_ARENA_ARRAY(scratch, int, columns + 1);
    q->fault = TS_ARENA_ARRAY(scratch, int, systems + 1);
    q->lambda = TS_ARENA_ARRAY(scratch, double, n);
    q->u = TS_ARENA_ARRAY(scratch, double, n);
    q->z = TS_ARENA_ARRAY(scratch, double, q->parts.rows + 1);
    q->Jv = TS_ARENA_ARRAY(scratch, double, q->parts.rows + 1);
    q->v = TS_ARENA_ARRAY(scratch, double, columns + 1);
    q->stiffness = TS_ARENA_ARRAY(scratch, double, blocks);
    q->primal = TS_ARENA_ARRAY(scratch, double, blocks);
    q->dual = TS_ARENA_ARRAY(scratch, double, blocks);
    q->moved = TS_ARENA_ARRAY(scratch, double, blocks);
    if (scratch->failed) return 0;
    for (int b = 0; b < blocks; ++b) {
        int held = q->parts.side_start[b + 1] > q->parts.side_start[b];
        q->stiffness[b] = held ? ts_contact_problem_stiffness(q->problem, b) : 0.0;
    }
    return 1;
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    subadmm q = {.problem = problem, .settings = (const subadmm_settings*)settings};
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double excess = HUGE_VAL;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (prepare(&q, scratch)) {
        q.yardstick = ts_yardstick_make(problem, TS_LAW_NCP, ts_solver_goal(&q.settings->shared));
        memcpy(q.lambda, impulse, bytes);
        ts_solver_start(problem, TS_LAW_NCP, q.lambda, q.u);
        excess = ts_yardstick_excess(&q.yardstick, q.lambda, q.u);
    }
    if (!isfinite(excess)) {
        memset(impulse, 0, bytes);
    } else {
        memcpy(impulse, q.lambda, bytes);
        report.status = TS_SOLVE_CONVERGED;
        if (!(excess <= 1.0)) {
            start_copies(&q);
            report.status = TS_SOLVE_FAILED;
            if (set_penalty(&q, q.settings->penalty)) report.status = iterate(&q, excess, impulse, &report.iterations);
        }
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

const ts_solver ts_ncp_subadmm_solver = {
    .name = "ncp-subadmm",
    .law = TS_LAW_NCP,
    .summary = "alternating directions on the exact law that take bodies and contacts apart",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve,
    .sweeps = 2,
    TS_SOLVER_SETTINGS(defaults, setting),
};
