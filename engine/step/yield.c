// Push-outs that contradict each other give way.
//
// Problem: where no motion can do all that push-outs ask for the exact law has no solution (contact/contradiction.c). Rule: the push-out of
// the blocks that carry the proof is taken back: what is left, not to approach, is met by standing still, so a solution exists. A solver
// that fails on a problem that has a solution proves nothing, and nothing changes. Where a motion can do it, but only with absurd speeds
// (push_excess.c), contacts and limits give way likewise, or all that is asked for is slowed down.
// Once given way, a push-out stays away for some steps, twice as many each time in a row, so that not every step has
// to fail first.
// Source: existence with c* <= 0: Acary, Cadoux, Lemarechal, Malick (2011).
// Known limit: demands are judged by the whole problem's impulses, so of two fights in one step the weaker may be seen only in
// the next. What overlaps there stays: it is named, with `blocked`, not mended.
#include "engine/step/yield_internal.h"

#include <math.h>
#include <string.h>

#include "engine/sim_internal.h"

// 1: part of the largest push (impulse times demand) below which a block has no part in a fight.
static const double least_share = 1e-4;

// 1: share of the law left unmet above which a solver has nothing to show, and a proof is looked for; and rows up to which that costs
// so little that it always is.
static const double nothing_to_show = 0.1;
enum { FEW_ROWS = 500 };

// Sweeps that a proof takes where there is one. Who is to stop after fewer has not failed, and is not to be kept longer for the proof than for the
// answer: what its own impulses prove must do.
enum { PROOF_SWEEPS = 100 };

// Steps for which a push-out that gave way stays away: the first time, and at most.
enum { SHORT_PAUSE = 8, LONG_PAUSE = 1024 };

// A share of the last pause is forgotten in every step without a fight: some fights go on a step or two after they were let in again.
enum { FORGETTING = 8 };

static void take_back(ts_row_block* owner, double* g, double* reference) {
    *g += *reference;
    *reference = 0.0;
    owner->blocked = TS_ROW_CONTRADICTED;
}

// Impulses that prove the demands absurd, NULL when there are none. *out_short is set when memory is short.
static const double* find_proof(ts_sim* sim, int with_friction_too, int* out_short) {
    const ts_contact_problem* problem = &sim->problem;
    ts_arena* scratch = ts_sim_storage_of(sim)->solve_scratch;
    if (ts_contact_problem_contradicts(problem, with_friction_too, sim->impulse, scratch)) return sim->impulse;
    if (sim->info.unmet < nothing_to_show && problem->row_count > FEW_ROWS) return NULL;
    if (sim->info.solve.status == TS_SOLVE_ITERATION_LIMIT && sim->info.solve.iterations < PROOF_SWEEPS) return NULL;
    double* impulse = TS_ARENA_ARRAY(&sim->scratch, double, problem->row_count);
    *out_short = !impulse;
    int is_proof = 0;
    for (int with_friction = 0; impulse && !is_proof && with_friction <= with_friction_too; ++with_friction)
        is_proof = ts_contact_problem_seek_contradiction(problem, with_friction, scratch, impulse);
    problem->delassus->ops->set_impulse(problem->delassus, sim->impulse);
    return is_proof ? impulse : NULL;
}

// A copy of g that may be changed; NULL when memory is short.
static double* own_g(ts_sim* sim) {
    double* g = TS_ARENA_ARRAY(&sim->scratch, double, sim->problem.row_count);
    if (g) memcpy(g, sim->problem.g, (size_t)sim->problem.row_count * sizeof(double));
    return g;
}

// Takes back the push-outs that carry an impulse's proof. Returns how many, -1 when memory is short.
static int take_back_by(ts_sim* sim, const double* impulse) {
    const ts_contact_problem* problem = &sim->problem;
    double *reference = ts_sim_storage_of(sim)->reference, *push = ts_sim_storage_of(sim)->push_out, most = 0.0;
    ts_row_block* owner = ts_sim_storage_of(sim)->row_plan->owner;
    int count = 0;
    double* g = own_g(sim);
    if (!g) return -1;
    for (int b = 0; b < problem->block_count; ++b) {
        int r = ts_contact_problem_opening_row(&problem->block[b]);
        if (r >= 0) most = fmax(most, impulse[r] * push[r]);
    }
    for (int b = 0; b < problem->block_count; ++b) {
        int r = ts_contact_problem_opening_row(&problem->block[b]);
        if (r < 0 || !(push[r] > 0.0) || impulse[r] * push[r] < least_share * most) continue;
        take_back(&owner[b], &g[r], &reference[r]);
        push[r] = 0.0;
        ++count;
    }
    sim->problem.g = g;
    return count;
}

int ts_step_yield(ts_sim* sim, int with_friction_too) {
    int is_short = 0;
    const double* impulse = find_proof(sim, with_friction_too, &is_short);
    return impulse ? take_back_by(sim, impulse) : is_short ? -1 : 0;
}

int ts_step_yield_excess(ts_sim* sim) { return take_back_by(sim, sim->impulse); }

int ts_step_slow_down(ts_sim* sim, double excess) {
    const ts_contact_problem* problem = &sim->problem;
    double *reference = ts_sim_storage_of(sim)->reference, *push = ts_sim_storage_of(sim)->push_out;
    double share = 1.0 / sqrt(excess), *g = own_g(sim);
    int count = 0;
    if (!g) return -1;
    for (int b = 0; b < problem->block_count; ++b) {
        int slowed = 0;
        for (int r = problem->block[b].row; r < problem->block[b].row + problem->block[b].rows; ++r) {
            if (!ts_step_row_asks(&problem->block[b], r, push[r])) continue;
            slowed = 1;
            g[r] += (1.0 - share) * reference[r];
            reference[r] *= share;
            push[r] = reference[r];
        }
        int* blocked = &ts_sim_storage_of(sim)->row_plan->owner[b].blocked;
        if (!slowed || *blocked != TS_ROW_FREE) continue;
        *blocked = TS_ROW_SLOWED;
        ++count;
    }
    sim->problem.g = g;
    return count;
}

static const ts_row_memory* memory_of(const ts_sim* sim, const ts_row_block* owner) {
    return owner->memory >= 0 ? &sim->row_memory.data[owner->memory] : NULL;
}

void ts_step_yield_again(const ts_sim* sim, const ts_row_plan* plan, int b, double* g, double* reference) {
    const ts_row_memory* memory = memory_of(sim, &plan->owner[b]);
    int r = ts_contact_problem_opening_row(&plan->block[b]);
    if (!memory || memory->pause <= 0 || r < 0) return;
    r -= plan->block[b].row;
    if (reference[r] > 0.0) take_back(&plan->owner[b], &g[r], &reference[r]);
}

void ts_step_yield_remember(ts_row_pause old, int blocked, ts_row_memory* out_memory) {
    int pause = old.left, last = old.last;
    if (pause == 0 && blocked == TS_ROW_CONTRADICTED) {
        last = last == 0 ? SHORT_PAUSE : last < LONG_PAUSE ? 2 * last : LONG_PAUSE;
        pause = last;
    } else if (pause > 0) {
        --pause;
    } else {
        last -= (last + FORGETTING - 1) / FORGETTING;
    }
    out_memory->pause = pause;
    out_memory->last_pause = last;
}
