// The judgement of a step: how good the answer is, whoever gave it.
//
// Twice: by the law that the solver claims, with its own softness and the model's; and by the exact law against rigid contact, the
// same problem for everybody. The first decides whether the solve counts as converged (contact/judge/yardstick.h), the second
// what a user is told of the contacts. Both by islands, so that a light heap beside a heavy one is held to its own scale.
#include "engine/step/judge_internal.h"

#include <math.h>
#include <string.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

void ts_step_judge_nothing(ts_sim* sim) {
    memset(&sim->info.own, 0, sizeof sim->info.own);
    memset(&sim->info.residual, 0, sizeof sim->info.residual);
    sim->info.unmet = 0.0;
    sim->info.held_back = 0;
    ts_sim_storage_of(sim)->islands = (ts_islands){1, NULL, NULL};
}

// Tells the sources what became of their blocks, whose rows have these velocities now.
static void answer_sources(ts_sim* sim, const double* velocity) {
    int count = sim->problem.block_count;
    const ts_row_block* owner = sim->row_block;
    // Blocks of a source lie together.
    for (int b = 0, end; b < count; b = end) {
        const ts_row_source* source = ts_row_source_at(owner[b].source);
        for (end = b + 1; end < count && owner[end].source == owner[b].source;) ++end;
        if (source->answer) source->answer(sim, b, end, velocity, sim->impulse);
    }
}

// The law that the solver claims, with its own softness. `u` is that of the problem as it was given, and is overwritten.
static void judge_own_law(ts_sim* sim, const double* soft_R, double* u) {
    ts_contact_problem own = sim->problem;
    for (int i = 0; soft_R && i < own.row_count; ++i) u[i] += (soft_R[i] - (own.R ? own.R[i] : 0.0)) * sim->impulse[i];
    if (soft_R) own.R = soft_R;
    sim->info.unmet =
        ts_yardstick_judge(&own, sim->solver->law, &ts_sim_storage_of(sim)->islands, sim->impulse, u, &sim->info.own);
}

int ts_step_rigid_problem(const ts_sim* sim, ts_arena* arena, ts_contact_problem* out) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    *out = sim->problem;
    if (!storage->rigid_R) return 1;
    double* g = TS_ARENA_ARRAY(arena, double, out->row_count);
    if (!g) return 0;
    for (int i = 0; i < out->row_count; ++i)
        g[i] = sim->problem.g[i] + storage->reference[i] - storage->rigid_reference[i];
    out->g = g;
    out->R = storage->rigid_R;
    return 1;
}

// lambda . g and lambda . G lambda of block b, on top of what there is.
static void add_work(const ts_contact_problem* problem, int b, const double* impulse, const double* u, double* io_asked,
                     double* io_made) {
    const ts_block* block = &problem->block[b];
    for (int r = block->row; r < block->row + block->rows; ++r) {
        *io_asked += impulse[r] * problem->g[r];
        *io_made += impulse[r] * (u[r] - problem->g[r]);
    }
}

// Part 0 makes zeros of what is not finite, too.
static void shorten(const ts_contact_problem* problem, int b, double part, double* impulse, double* u) {
    const ts_block* block = &problem->block[b];
    for (int r = block->row; r < block->row + block->rows; ++r) {
        impulse[r] = part > 0.0 ? part * impulse[r] : 0.0;
        u[r] = problem->g[r] + (part > 0.0 ? part * (u[r] - problem->g[r]) : 0.0);
    }
}

// Shortens the answers of islands that are worse than none, and returns how many there were. Every solution of every law makes
// q = 1/2 lambda^T G lambda + lambda . g negative, since lambda . u <= 0 there: contacts take energy, relative to what they are
// asked for. An answer short of a solution that makes q positive would drive bodies apart the faster the worse it is; on its ray the
// lowest q is taken, which no cone or interval forbids. u goes with it.
static int hold_back(ts_sim* sim, double* u) {
    const ts_contact_problem* problem = &sim->problem;
    const ts_islands* islands = &ts_sim_storage_of(sim)->islands;
    int held = 0;
    for (int i = 0; i < islands->count; ++i) {
        const int* list = islands->block ? islands->block + islands->start[i] : NULL;
        int count = list ? islands->start[i + 1] - islands->start[i] : problem->block_count;
        double asked = 0.0, made = 0.0;
        for (int k = 0; k < count; ++k) add_work(problem, list ? list[k] : k, sim->impulse, u, &asked, &made);
        double part = ts_solver_part(asked, made);
        if (part == 1.0) continue;
        for (int k = 0; k < count; ++k) shorten(problem, list ? list[k] : k, part, sim->impulse, u);
        ++held;
    }
    return held;
}

// What became of the solve, in one word.
static void conclude(ts_sim* sim) {
    ts_solver_settings shared;
    ts_step_info* info = &sim->info;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    info->solve.status = ts_solver_verdict(info->solve.status, &shared, info->unmet, info->own, sim->options.time_step);
    int converged = info->solve.status == TS_SOLVE_CONVERGED;
    if (converged != (info->islands.not_converged == 0)) info->islands.not_converged = !converged;
}

// Whether more is unmet than `enough` times what may be.
static int misses(const ts_sim* sim, double enough) {
    ts_solver_settings shared;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    return !(ts_goal_excess(ts_solver_goal(&shared), sim->info.unmet, sim->info.own, sim->options.time_step) <= enough);
}

// Row velocities are wanted by sources, as J v+ = u + c*, and by both judgements: they are computed once. Of a start that misses more than `enough`,
// an excess, nothing is told; 0: it is an answer, however good. Returns 0 for such a start and when memory is short.
static int judge(ts_sim* sim, double enough) {
    const ts_contact_problem* problem = &sim->problem;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_arena* arena = &sim->scratch;
    int soft = storage->rigid_R != NULL, softens = sim->solver->compliance != NULL;
    ts_contact_problem rigid;
    double* u = TS_ARENA_ARRAY(arena, double, problem->row_count);
    double* velocity = TS_ARENA_ARRAY(arena, double, problem->row_count);
    double* rigid_u = soft ? TS_ARENA_ARRAY(arena, double, problem->row_count) : u;
    double* R = softens ? TS_ARENA_ARRAY(arena, double, problem->row_count) : NULL;
    if (!ts_step_rigid_problem(sim, arena, &rigid) || arena->failed) return 0;
    ts_delassus* G = problem->delassus;
    const double *g = problem->g, *reference = storage->reference;
    int rows = problem->row_count;
    ts_delassus_velocities(G, sim->impulse, u);
    for (int i = 0; i < rows; ++i) {
        u[i] += g[i];
        velocity[i] = u[i] + reference[i];
    }
    sim->info.held_back = sim->info.solve.status != TS_SOLVE_CONVERGED ? hold_back(sim, u) : 0;
    if (sim->info.held_back > 0) {
        G->ops->set_impulse(G, sim->impulse);
        for (int i = 0; i < rows; ++i) velocity[i] = u[i] + reference[i];
    }
    for (int i = 0; problem->R && i < rows; ++i) u[i] += problem->R[i] * sim->impulse[i];
    for (int i = 0; soft && i < rows; ++i)
        rigid_u[i] = velocity[i] - storage->rigid_reference[i] + storage->rigid_R[i] * sim->impulse[i];
    ts_residual_from_velocity(&rigid, &storage->islands, sim->impulse, rigid_u, &sim->info.residual);
    if (softens) sim->solver->compliance(problem, sim->solver_settings, R);
    storage->row_after = velocity;
    storage->row_softness = softens ? R : problem->R;
    if (sim->solver->law == TS_LAW_NCP && !soft && !softens) {
        sim->info.own = sim->info.residual.ncp;
        sim->info.unmet = sim->info.residual.natural;
    } else {
        judge_own_law(sim, R, u);
    }
    if (enough > 0.0 && misses(sim, enough)) return 0;
    answer_sources(sim, velocity);
    conclude(sim);
    return 1;
}

int ts_step_judge(ts_sim* sim) { return judge(sim, 0.0); }

int ts_step_start_holds(ts_sim* sim) {
    const ts_solver* solver = sim->solver;
    const ts_islands* islands = &ts_sim_storage_of(sim)->islands;
    double* start = sim->impulse;
    if (!solver->keeps_start || islands->count > 1 || sim->problem.is_part) return 0;
    double* impulse = TS_ARENA_ARRAY(&sim->scratch, double, sim->problem.row_count);
    if (!impulse) return 0;
    double enough = solver->keeps_start(&sim->problem, sim->solver_settings, start, impulse, &sim->info.solve);
    if (enough == 0.0) return 0;
    sim->impulse = impulse;
    sim->info.islands = (ts_island_report){1, sim->problem.block_count, 0};
    if (judge(sim, enough)) return 1;
    sim->impulse = start;
    return 0;
}
