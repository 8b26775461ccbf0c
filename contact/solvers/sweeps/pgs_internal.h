// Projected Gauss-Seidel: what its solvers share. Settings, data per block, warm start, sweeps in order, stopping. The
// update rule itself is not here: each solver's file holds its own sweep. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_PGS_INTERNAL_H
#define TS_CONTACT_SOLVERS_PGS_INTERNAL_H

#include <math.h>

#include "base/vec.h"
#include "contact/solver.h"
#include "contact/solvers/splitting/anderson_internal.h"
#include "contact/solvers/sweeps/momentum_internal.h"
#include "contact/sweep_order_internal.h"

/// How long the step on a block is.
typedef enum ts_pgs_step_rule {
    TS_PGS_STEP_SAFE,  // 1 / largest eigenvalue of what is stepped on: never overshoots
    TS_PGS_STEP_SEED   // the published shortcut from diagonal entries; can cycle or diverge. For reproduction only
} ts_pgs_step_rule;

/// In which order a sweep visits the blocks.
typedef enum ts_pgs_order {
    TS_PGS_ORDER_FORWARD,    // always forward: about twice as fast on stacks and chains
    TS_PGS_ORDER_ALTERNATE,  // forward, then backward, and so on: no directional bias in internal forces
    TS_PGS_ORDER_SYMMETRIC   // forward and backward as one step (two sweeps), after which alone the answer is judged
} ts_pgs_order;

/// Settings of a projected Gauss-Seidel solver.
typedef struct ts_pgs_settings {
    ts_solver_settings shared;
    double omega;          // over-relaxation of every step, 0 < omega < 2
    int step_rule;         // ts_pgs_step_rule
    int order;             // ts_pgs_order
    int local_iterations;  // how often a block is updated before the sweep moves on
    int anderson;  // memory of Anderson acceleration, 0 for none; with alternating order it sees symmetric steps
    double
        momentum;  // largest part of a sweep's movement that the next one begins with (momentum.c), 0 for none; Anderson goes before it
    int drops;  // nonzero: a start worse than none is dropped, and not shortened to the best on its ray; for those that call sweeps
} ts_pgs_settings;

enum { TS_PGS_SETTING_COUNT = 6 };

/// The fields of ts_pgs_settings by name.
extern const ts_setting ts_pgs_setting[TS_PGS_SETTING_COUNT];

/// Safe step, omega 1, forward order, one local iteration.
extern const ts_pgs_settings ts_pgs_default;

/// Those of its solvers that others call; settings are ts_pgs_settings.
extern const ts_solver ts_ncp_nsgs_solver;
extern const ts_solver ts_ncp_pgs_solver;
extern const ts_solver ts_lcp_pgs_solver;
extern const ts_solver ts_ccp_pgs_solver;

// What a sweep needs of a frictional block, in two cache lines. D = G_bb + R_b, symmetric.
typedef struct ts_pgs_block {
    double D00, D01, D11, D02, D12, D22;  // kg^-1; 0 and 1 tangents, 2 normal
    double g[3];                          // m/s
    double R[3];                          // kg^-1
    double mu;
    double step_normal;   // kg; chosen by the solver
    double step_tangent;  // kg; chosen by the solver
    int row;
    int kind;  // ts_pgs_kind
} ts_pgs_block;

// How a sweep treats a block.
typedef enum ts_pgs_kind {
    TS_PGS_CONE,        // the solver's own rule
    TS_PGS_ROWS,        // ts_pgs_update_rows: a contact that also spins or rolls
    TS_PGS_COORDINATE,  // ts_pgs_update_coordinates
    TS_PGS_SKIP         // nothing can move it (zero diagonal): its impulse stays zero
} ts_pgs_kind;

// The largest movements of a sweep, or of a piece of it.
typedef struct ts_pgs_movement {
    double velocity;  // m/s: largest |delta lambda_r| D_rr
    double impulse;   // N s: largest |delta lambda_r|
} ts_pgs_movement;

// One solve in progress.
typedef struct ts_pgs {
    const ts_contact_problem* problem;
    const ts_pgs_settings* settings;
    ts_delassus* G;
    ts_velocity_form* form;  // G when it is the velocity form, whose common blocks the sweep handles itself; else NULL
    const ts_sweep_order* order;  // pieces of a sweep; NULL: one piece
    ts_pgs_block* block;          // (block_count)
    ts_yardstick yardstick;
    double largest;         // entry of lambda, when last looked at
    double* part;           // excess of parts of the problem, while it is looked at
    double* lambda;         // (row_count), the caller's array
    double* u;              // (row_count), filled when the residual is evaluated
    double* finite_lambda;  // (row_count), the last iterate known to be finite
    ts_contact_law law;
    int exact_rows;          // as in ts_pgs_method
    ts_anderson* anderson;   // NULL: no acceleration
    ts_momentum* momentum;   // NULL: none
    int backward;            // direction of the coming sweep
    double omega;            // relaxation of the coming sweep; a sweep may change it for the next one
    ts_pgs_movement change;  // of the sweep
} ts_pgs;

// What makes one solver different from another.
typedef struct ts_pgs_method {
    ts_contact_law law;
    /// Sets step_normal and step_tangent of a frictional block; NULL: nothing is stepped, they stay zero.
    void (*choose_steps)(ts_pgs_block* block, ts_pgs_step_rule rule);
    /// One pass over the blocks [begin, end) of a sweep, in the direction of pgs->backward.
    void (*sweep)(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement);
    /// Nonzero: contacts that spin or roll are solved exactly.
    int exact_rows;
    /// Nonzero: the sweep keeps nothing of its own, so that several threads may be at work on pieces of it.
    int in_pieces;
} ts_pgs_method;

/// The largest eigenvalue of the tangent block, closed form.
static inline double ts_pgs_tangent_stiffness(const ts_pgs_block* block) {
    double half_sum = 0.5 * (block->D00 + block->D11);
    double half_difference = 0.5 * (block->D00 - block->D11);
    return half_sum + sqrt(half_difference * half_difference + block->D01 * block->D01);
}

/// The velocity form's entry of block b when its inline kernels apply, else NULL.
static inline const ts_velocity_block* ts_pgs_six(const ts_pgs* pgs, int b) {
    if (!pgs->form || pgs->form->block[b].kernel == TS_VELOCITY_ANY) return NULL;
    return &pgs->form->block[b];
}

/// u = (G+R) lambda + g of a frictional block.
static inline ts_vec3 ts_pgs_velocity(const ts_pgs* pgs, int b, const ts_velocity_block* six, const ts_pgs_block* block,
                                      ts_vec3 lambda) {
    double u[3];
    if (six)
        ts_velocity_read_six(six, pgs->form->V, u);
    else
        pgs->G->ops->velocity(pgs->G, b, u);
    // What does not wait for the sweep's last change is added up first.
    return ts_vec3_make(u[0] + (block->g[0] + block->R[0] * lambda.x), u[1] + (block->g[1] + block->R[1] * lambda.y),
                        u[2] + (block->g[2] + block->R[2] * lambda.z));
}

/// What a frictional block sees of the others: u - D lambda.
static inline ts_vec3 ts_pgs_bias(const ts_pgs_block* c, ts_vec3 l, ts_vec3 u) {
    return ts_vec3_make(u.x - (c->D00 * l.x + c->D01 * l.y + c->D02 * l.z),
                        u.y - (c->D01 * l.x + c->D11 * l.y + c->D12 * l.z),
                        u.z - (c->D02 * l.x + c->D12 * l.y + c->D22 * l.z));
}

static inline double ts_pgs_larger(double a, double b) { return a > b ? a : b; }

/// The larger of both, in place.
static inline void ts_pgs_note(ts_pgs_movement* movement, ts_pgs_movement more) {
    movement->velocity = ts_pgs_larger(more.velocity, movement->velocity);
    movement->impulse = ts_pgs_larger(more.impulse, movement->impulse);
}

/// Stores the new impulse of a frictional block, tells the operator, and notes how far it moved.
static inline void ts_pgs_commit(ts_pgs* pgs, int b, const ts_velocity_block* six, const ts_pgs_block* block,
                                 ts_vec3 old, ts_vec3 lambda, ts_pgs_movement* movement) {
    ts_vec3 delta = ts_vec3_sub(lambda, old);
    double d0 = fabs(delta.x), d1 = fabs(delta.y), d2 = fabs(delta.z);
    double largest = ts_pgs_larger(ts_pgs_larger(d0, d1), d2);
    // Resting contacts that are done, and open ones, cost half a visit.
    if (largest == 0.0) return;
    ts_vec3_store(lambda, pgs->lambda + block->row);
    if (six) {
        ts_velocity_change_six(six, delta.x, delta.y, delta.z, pgs->form->V);
    } else {
        const double d[3] = {delta.x, delta.y, delta.z};
        pgs->G->ops->add_impulse(pgs->G, b, d);
    }
    movement->impulse = ts_pgs_larger(largest, movement->impulse);
    double v = ts_pgs_larger(ts_pgs_larger(d0 * block->D00, d1 * block->D11), d2 * block->D22);
    movement->velocity = ts_pgs_larger(v, movement->velocity);
}

/// A block that is no friction cone, row by row: lambda_r <- clamp(lambda_r - omega u_r / D_rr).
void ts_pgs_update_coordinates(ts_pgs* pgs, int b, ts_pgs_movement* movement);

/// A frictional contact of 4 or 6 rows, by the rule of pgs->law; see pgs_rows.c.
void ts_pgs_update_rows(ts_pgs* pgs, int b, ts_pgs_movement* movement);

/// A solver's update of one frictional contact: changes lambda, given its u = (G+R) lambda + g. Keeps u current where
/// `again` says that another update of the same contact follows.
typedef void (*ts_pgs_update)(const ts_pgs_block* block, double omega, int again, ts_vec3* lambda, ts_vec3* u);

/// One pass over the blocks [begin, end) with a solver's update. Inline, so that the update is compiled into the loop.
static inline void ts_pgs_sweep(ts_pgs* pgs, int begin, int end, ts_pgs_movement* out_movement, ts_pgs_update update) {
    double omega = pgs->omega;
    int local_iterations = pgs->settings->local_iterations;
    ts_pgs_movement movement = {0.0, 0.0};
    for (int k = begin; k < end; ++k) {
        int b = pgs->backward ? begin + end - 1 - k : k;
        const ts_pgs_block* block = &pgs->block[b];
        if (block->kind == TS_PGS_CONE) {
            ts_vec3 old = ts_vec3_load(pgs->lambda + block->row);
            ts_vec3 lambda = old;
            const ts_velocity_block* six = ts_pgs_six(pgs, b);
            ts_vec3 u = ts_pgs_velocity(pgs, b, six, block, lambda);
            for (int again = local_iterations; again > 0; --again) update(block, omega, again > 1, &lambda, &u);
            ts_pgs_commit(pgs, b, six, block, old, lambda, &movement);
        } else if (block->kind == TS_PGS_COORDINATE) {
            ts_pgs_update_coordinates(pgs, b, &movement);
        } else if (block->kind == TS_PGS_ROWS) {
            ts_pgs_update_rows(pgs, b, &movement);
        }
    }
    ts_pgs_note(out_movement, movement);
}

/// The solve: warm start, sweeps, stopping.
ts_solve_report ts_pgs_solve(const ts_pgs_method* method, const ts_contact_problem* problem,
                             const ts_pgs_settings* settings, ts_arena* scratch, double* impulse);

#endif
