// Push-outs that contradict each other.
//
// Problem: contacts that overlap and joints beyond their range ask to be pushed out, at a speed c*. A box between two walls that both
// overlap it, a leg whose mesh overlaps the trunk around its own hip: no motion can do all that is asked, the exact law has no
// solution, and impulses grow without bound while a solver looks for one.
// Rule: impulses lambda in their cones prove it. Any motion that meets the demands has lambda . (J v - c*) >= 0, so with J' the whitened
// rows |J'^T lambda| |v'| >= lambda . c*: it has at least the kinetic energy
//
//     1/2 (lambda . c* / |J'^T lambda|)^2.
//
// Where that is far above what the demands would take one by one, sum c*^2 / (2 G_ii), they contradict each other, and the blocks that carry
// lambda are those that fight. Their push-out is taken back: what is left, not to approach, is met by standing still, so a
// solution exists. The bound holds for every lambda in the cones, whichever solver left it; a solver that fails on a problem
// that has a solution proves nothing, and nothing changes.
// A solver that has nothing to show leaves no such impulses; sweeps over the demands alone, from rest, then look for them, and grow
// where there is a fight.
// Once given way, a push-out stays away for some steps, twice as many each time in a row, so that not every step has
// to fail first.
// Source: weak duality (a Farkas certificate with a norm); existence with c* <= 0: Acary, Cadoux, Lemarechal, Malick (2011).
// What gives a little (R) counts as rigid here; contacts that are soft take no part: they are in nobody's way.
// Known limit: demands are judged by the whole problem's impulses, so of two fights in one step the weaker may be seen only in
// the next. What overlaps there stays: it is named, with `blocked`, not mended.
#include "engine/step/yield_internal.h"

#include <math.h>
#include <string.h>

#include "engine/sim_internal.h"

// 1: a motion that takes this many times the energy of the demands one by one is none that anybody meant. Measured: legs whose
// meshes overlap their trunk 1e15 and more; unfinished solves of the scenes, piles among them, 28 at most.
static const double absurd = 1e5;

// 1: part of the largest push (impulse times demand) below which a block has no part in a fight.
static const double least_share = 1e-4;

// 1: share of the law left unmet above which a solver has nothing to show, and how many sweeps then look for a proof: impulses
// grow by one push-out per sweep, so some hundred prove what is absurd.
static const double nothing_to_show = 0.1;
enum { PROOF_SWEEPS = 1000 };

// Steps for which a push-out that gave way stays away: the first time, and at most.
enum { SHORT_PAUSE = 8, LONG_PAUSE = 1024 };

// The row that asks block b to open, or -1: blocks that hold both ways have no push-out.
static int opening_row(const ts_block* block) {
    if (block->set == TS_SET_CONE) return block->row + 2;
    return block->set == TS_SET_HALF_LINE ? block->row : -1;
}

// What row r of a block asks for by way of push-out. Along tangents a contact asks to run with its surfaces, which mends nothing.
static double demand_of(const ts_block* block, int r, const double* reference) {
    return block->set == TS_SET_CONE && r != block->row + 2 ? 0.0 : reference[r];
}

static void take_back(ts_row_block* owner, double* g, double* reference) {
    *g += *reference;
    *reference = 0.0;
    owner->blocked = TS_ROW_CONTRADICTED;
}

// Nonzero when these impulses prove that the demands are absurd.
static int is_absurd(const ts_sim* sim, const double* reference, const double* impulse) {
    const ts_contact_problem* problem = &sim->problem;
    const double* change = ts_delassus_velocity_change(problem->delassus);
    double push = 0.0, alone = 0.0, squared = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        int opening = opening_row(block);
        for (int r = block->row; r < block->row + block->rows; ++r) push += impulse[r] * demand_of(block, r, reference);
        if (opening < 0 || !(reference[opening] > 0.0)) continue;
        if (problem->R && problem->R[opening] > 0.0) return 0;
        const double* G = problem->delassus->ops->diagonal(problem->delassus, b);
        double diagonal = G[(opening - block->row) * (block->rows + 1)];
        if (diagonal > 0.0) alone += reference[opening] * reference[opening] / diagonal;
    }
    for (int d = 0; d < sim->model->nv; ++d) squared += change[d] * change[d];
    return push > 0.0 && alone > 0.0 && push * push > absurd * alone * squared;
}

// Impulses from sweeps over the demands alone. NULL when memory is short.
static const double* seek_proof(ts_sim* sim, const double* reference) {
    int rows = sim->problem.row_count;
    double* impulse = (double*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)rows, sizeof(double));
    double* g = TS_ARENA_ARRAY(&sim->scratch, double, rows);
    if (!impulse || !g) return NULL;
    const ts_solver* sweeps = ts_solver_find("ccp-pgs");
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(sweeps, settings);
    ts_solver_set(sweeps, settings, "iteration_limit", PROOF_SWEEPS, NULL);
    ts_contact_problem demands = sim->problem;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        for (int r = block->row; r < block->row + block->rows; ++r) g[r] = -demand_of(block, r, reference);
    }
    demands.g = g;
    demands.trace = NULL;
    demands.memory = NULL;
    ts_solver_solve(sweeps, &demands, settings, ts_sim_storage_of(sim)->solve_scratch, impulse);
    demands.delassus->ops->set_impulse(demands.delassus, impulse);
    return impulse;
}

// Impulses that prove the demands absurd, NULL when there are none. *out_short is set when memory is short.
static const double* find_proof(ts_sim* sim, const double* reference, int* out_short) {
    ts_delassus* G = sim->problem.delassus;
    if (is_absurd(sim, reference, sim->impulse)) return sim->impulse;
    if (sim->info.unmet < nothing_to_show) return NULL;
    const double* impulse = seek_proof(sim, reference);
    int absurd_demands = impulse && is_absurd(sim, reference, impulse);
    *out_short = !impulse;
    G->ops->set_impulse(G, sim->impulse);
    return absurd_demands ? impulse : NULL;
}

int ts_step_yield(ts_sim* sim) {
    const ts_contact_problem* problem = &sim->problem;
    double *reference = ts_sim_storage_of(sim)->reference, most = 0.0;
    ts_row_block* owner = ts_sim_storage_of(sim)->row_plan->owner;
    int count = 0, is_short = 0;
    const double* impulse = find_proof(sim, reference, &is_short);
    if (!impulse) return is_short ? -1 : 0;
    double* g = TS_ARENA_ARRAY(&sim->scratch, double, problem->row_count);
    if (!g) return -1;
    memcpy(g, problem->g, (size_t)problem->row_count * sizeof(double));
    for (int b = 0; b < problem->block_count; ++b) {
        int r = opening_row(&problem->block[b]);
        if (r >= 0) most = fmax(most, impulse[r] * reference[r]);
    }
    for (int b = 0; b < problem->block_count; ++b) {
        int r = opening_row(&problem->block[b]);
        if (r < 0 || !(reference[r] > 0.0) || impulse[r] * reference[r] < least_share * most) continue;
        take_back(&owner[b], &g[r], &reference[r]);
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
    int r = opening_row(&plan->block[b]);
    if (!memory || memory->pause <= 0 || r < 0) return;
    r -= plan->block[b].row;
    if (reference[r] > 0.0) take_back(&plan->owner[b], &g[r], &reference[r]);
}

void ts_step_yield_remember(const ts_sim* sim, int memory, int blocked, ts_row_memory* out_memory) {
    const ts_row_memory* old = memory >= 0 ? &sim->row_memory.data[memory] : NULL;
    int pause = old ? old->pause : 0, last = old ? old->last_pause : 0;
    if (pause == 0 && blocked == TS_ROW_CONTRADICTED) {
        last = last == 0 ? SHORT_PAUSE : last < LONG_PAUSE ? 2 * last : LONG_PAUSE;
        pause = last;
    } else if (pause > 0) {
        --pause;
    } else {
        last /= 2;
    }
    out_memory->pause = pause;
    out_memory->last_pause = last;
}
