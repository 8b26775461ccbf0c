// Push-outs that contradict each other.
//
// Problem: contacts that overlap and joints beyond their range ask to be pushed out, at a speed c*. A box between two walls that both
// overlap it, a leg whose mesh overlaps the trunk around its own hip: no motion can do all that is asked, the exact law has no
// solution, and impulses grow without bound while a solver looks for one.
// Rule: impulses lambda of normals alone prove it. Any motion that meets the demands has lambda . (J v - c*) >= 0, so with J' the whitened
// rows |J'^T lambda| |v'| >= lambda . c*: it has at least the kinetic energy
//
//     1/2 (lambda . c* / |J'^T lambda|)^2.
//
// Where that is far above what the demands would take one by one, sum c*^2 / (2 G_ii), they contradict each other, and the blocks that carry
// lambda are those that fight. The bound holds for every such lambda, whichever solver left it. With friction, in its cone, the same sum holds for
// motions that open contacts at least mu times as fast as they slide: where none does, friction jams, and the law need not have a
// solution, though now and then it has one. A solver that has nothing to show leaves no such impulses; sweeps over the demands alone, from rest, then
// look for them, and grow where there is a fight.
// Source: weak duality (a Farkas certificate with a norm); with friction the condition under which a solution is known to exist: Acary,
// Cadoux, Lemarechal, Malick 2011.
// Guaranteed: without friction, what is called a contradiction is one. Where contacts are soft (R) nothing is proven: they are in nobody's way.
// Known to fail: a fight that is slow to grow is not found.
#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "contact/solver.h"

// 1: a motion that takes this many times the energy of the demands one by one is none that anybody meant. Measured: legs whose
// meshes overlap their trunk 1e15 and more; unfinished solves of the scenes, piles among them, 28 at most.
static const double absurd = 1e5;

// Of the search for a proof: impulses grow by one push-out per sweep, so some hundred prove what is absurd. On many blocks more cost too much.
enum { PROOF_SWEEPS = 1000, LEAST_PROOF_SWEEPS = 300, PROOF_BLOCKS = 24000 };

// lambda . c* of an impulse, which is left in out_push, with or without friction; *out_alone: sum c*^2 / G_ii. 0 where something gives.
static double asked_of(const ts_contact_problem* problem, int with_friction, const double* impulse, double* out_push,
                       double* out_alone) {
    double asked = 0.0;
    *out_alone = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        int opening = ts_contact_problem_opening_row(block);
        for (int r = block->row; r < block->row + block->rows; ++r) {
            // What asks to run along a surface mends nothing.
            int is_tangent = block->set == TS_SET_CONE && r != opening;
            out_push[r] = is_tangent && !with_friction ? 0.0 : impulse[r];
            if (!is_tangent) asked += out_push[r] * problem->push_out[r];
        }
        if (opening < 0 || !(problem->push_out[opening] > 0.0)) continue;
        if (problem->R && problem->R[opening] > 0.0) return 0.0;
        const double* G = problem->delassus->ops->diagonal(problem->delassus, b);
        double diagonal = G[(opening - block->row) * (block->rows + 1)];
        if (diagonal > 0.0) *out_alone += problem->push_out[opening] * problem->push_out[opening] / diagonal;
    }
    return asked;
}

int ts_contact_problem_contradicts(const ts_contact_problem* problem, int with_friction, const double* impulse,
                                   ts_arena* scratch) {
    int n = problem->row_count, is_proof = 0;
    if (!problem->push_out) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double alone = 0.0, made = 0.0, *push = TS_ARENA_ARRAY(scratch, double, 2 * n), *u = push ? push + n : NULL;
    double asked = push ? asked_of(problem, with_friction, impulse, push, &alone) : 0.0;
    if (asked > 0.0 && alone > 0.0) {
        problem->delassus->ops->apply(problem->delassus, push, u);
        for (int i = 0; i < n; ++i) made += push[i] * u[i];
        is_proof = asked * asked > absurd * alone * fmax(made, 0.0);
    }
    ts_arena_scope_end(scratch, scope);
    return is_proof;
}

int ts_contact_problem_seek_contradiction(const ts_contact_problem* problem, int with_friction, ts_arena* scratch,
                                          double* out_impulse) {
    int n = problem->row_count, is_asked = 0;
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    const ts_solver* sweeps = ts_solver_find("ccp-pgs");
    memset(out_impulse, 0, (size_t)n * sizeof(double));
    if (!problem->push_out) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_block* asked = TS_ARENA_ARRAY(scratch, ts_block, problem->block_count);
    double* g = TS_ARENA_ARRAY(scratch, double, n);
    for (int b = 0; asked && g && b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        asked[b] = *block;
        if (block->set == TS_SET_CONE && !with_friction) asked[b].mu = 0.0;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            g[r] = block->set == TS_SET_CONE && r != block->row + 2 ? 0.0 : -problem->push_out[r];
            is_asked |= g[r] < 0.0;
        }
    }
    if (is_asked) {
        ts_contact_problem demands = *problem;
        demands.block = asked;
        demands.g = g;
        demands.trace = NULL;
        demands.memory = NULL;
        ts_solver_default_settings(sweeps, settings);
        double limit = fmax(LEAST_PROOF_SWEEPS, fmin(PROOF_SWEEPS, (double)PROOF_BLOCKS / problem->block_count));
        ts_solver_set(sweeps, settings, "iteration_limit", floor(limit), NULL);
        ts_solver_solve(sweeps, &demands, settings, scratch, out_impulse);
    }
    ts_arena_scope_end(scratch, scope);
    return is_asked && ts_contact_problem_contradicts(problem, with_friction, out_impulse, scratch);
}
