// Push-outs that contradict each other give way.
//
// Two ways to tell. Where no motion can do what is asked, a proof (contact/contradiction.c). Where one can, but only with absurd speeds, because
// joints leave next to nothing of the directions that are asked for, the solve itself tells: with normal impulses lambda any motion that meets
// the demands c* has at least the energy E = (lambda . c*)^2 / (2 |J'^T lambda|^2). All that the demands move, of mass M and in T trees, one standing on
// the other, has M ((T + 1) c*)^2 / 2 at most where each tree goes c* faster than the one below it. A motion that needs more than that, and more
// than there was before (something that bounces), is none that anybody meant; c* counts as what gravity gives in a step at least. Measured: E is 0.19 of it at most in all scenes and
// robots that stand (ncp), 3 to 10^6 of it where capsules of a humanoid overlap around a joint by 9 cm, 40 in an arm that is tied to a place out of
// its reach. Up to a hundred times as much all that is asked for is asked for more slowly, so that E is as much as may be: what overlaps comes apart
// all the same, later. Beyond, contacts and limits give way; ties, which nobody wants to lose, are slowed down however much they ask for.
//
// Problem: where no motion can do all that push-outs ask for the exact law has no solution (contact/contradiction.c). Rule: the push-out of
// the blocks that carry the proof is taken back: what is left, not to approach, is met by standing still, so a solution exists. A solver
// that fails on a problem that has a solution proves nothing, and nothing changes.
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
    double* impulse = TS_ARENA_ARRAY(&sim->scratch, double, problem->row_count);
    *out_short = !impulse;
    int is_proof = 0;
    for (int with_friction = 0; impulse && !is_proof && with_friction <= with_friction_too; ++with_friction)
        is_proof = ts_contact_problem_seek_contradiction(problem, with_friction, scratch, impulse);
    problem->delassus->ops->set_impulse(problem->delassus, sim->impulse);
    return is_proof ? impulse : NULL;
}

// Whether row r of a block holds something off, or together: rows of which the push-out counts.
static int is_asked(const ts_block* block, int r) {
    return block->set != TS_SET_CONE || r == ts_contact_problem_opening_row(block);
}

// The trees that are pushed, and how.
typedef struct pushed {
    unsigned char* is_marked;  // (tree_count)
    int trees;
    double mass;     // kg, of all of them
    double fastest;  // m/s, that one is asked to leave another with
} pushed;

// Marks the trees that block b moves; returns the mass of the lightest.
static double mark_trees(const ts_sim* sim, int b, pushed* io) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    double lightest = (double)INFINITY;
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        int tree = sim->model->dof[plan->segment[s].column].tree;
        lightest = fmin(lightest, sim->model->tree[tree].mass);
        if (io->is_marked[tree]) continue;
        io->is_marked[tree] = 1;
        ++io->trees;
        io->mass += sim->model->tree[tree].mass;
    }
    return lightest;
}

// Adds what block b asks for. A contact that leverage has slowed down (engine/rows/contact.c) counts with the speed that its energy is of; a tie
// asks for all at once, and where it has little left to ask for has had its speed.
static void add_demand(const ts_sim* sim, int b, pushed* io) {
    const ts_contact_problem* problem = &sim->problem;
    const ts_block* block = &problem->block[b];
    int opening = ts_contact_problem_opening_row(block), asks = 0;
    for (int r = block->row; opening < 0 && r < block->row + block->rows; ++r)
        asks = asks || problem->push_out[r] != 0.0;
    if (opening >= 0 ? !(problem->push_out[opening] > 0.0) : !asks) return;
    double lightest = mark_trees(sim, b, io),
           speed = opening < 0 ? sim->options.push_out_speed : problem->push_out[opening];
    if (block->set == TS_SET_CONE) {
        const double* G = problem->delassus->ops->diagonal(problem->delassus, b);
        double lever = lightest * G[(opening - block->row) * (block->rows + 1)];
        if (lever > 0.0 && lever < 1.0) speed /= sqrt(lever);
    }
    io->fastest = fmax(io->fastest, speed);
}

// Twice the energy that what is asked for moves with at most, NAN when memory is short.
static double twice_the_most(ts_sim* sim) {
    pushed p = {(unsigned char*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)sim->model->tree_count, 1), 0, 0.0,
                sim->problem.rest_speed};
    if (!p.is_marked) return (double)NAN;
    for (int b = 0; b < sim->problem.block_count; ++b) add_demand(sim, b, &p);
    double speed = (p.trees + 1) * p.fastest;
    return p.mass * speed * speed;
}

// lambda . c* of the last solve's normals, and the fastest c*. Returns 0 where nothing is pushed out, or something gives.
static int sum_demands(const ts_sim* sim, double* out_fastest, double* out_asked) {
    const ts_contact_problem* problem = &sim->problem;
    *out_fastest = *out_asked = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        int opening = ts_contact_problem_opening_row(block);
        for (int r = block->row; r < block->row + block->rows; ++r) {
            if (!is_asked(block, r)) continue;
            double speed = problem->push_out[r];
            *out_asked += sim->impulse[r] * speed;
            if (opening >= 0 && !(speed > 0.0)) continue;
            if (opening >= 0 && problem->R && problem->R[r] > 0.0) return 0;
            *out_fastest = fmax(*out_fastest, fabs(speed));
        }
    }
    return *out_fastest > 0.0 && *out_asked > 0.0;
}

double ts_step_push_excess(ts_sim* sim) {
    const ts_contact_problem* problem = &sim->problem;
    double fastest, asked, made = 0.0;
    if (!problem->push_out || !sum_demands(sim, &fastest, &asked)) return 0.0;
    // What push-outs put in is half of what they ask for at most: mostly that is little, less than gravity puts in in a step, and nothing else need be known.
    fastest = fmax(fastest, problem->rest_speed);
    double lightest = (double)INFINITY;
    for (int t = 0; t < sim->model->tree_count; ++t) lightest = fmin(lightest, sim->model->tree[t].mass);
    if (asked <= 4.0 * lightest * fastest * fastest) return 0.0;
    ts_arena* scratch = ts_sim_storage_of(sim)->solve_scratch;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int n = problem->row_count;
    double *push = (double*)ts_arena_alloc_zeroed(scratch, 2 * (size_t)n, sizeof(double)), *u = push ? push + n : NULL;
    double most = push ? twice_the_most(sim) : (double)NAN, excess = 0.0;
    if (most > 0.0 && asked > most) {
        for (int b = 0; b < problem->block_count; ++b)
            for (int r = problem->block[b].row; r < problem->block[b].row + problem->block[b].rows; ++r)
                if (is_asked(&problem->block[b], r)) push[r] = sim->impulse[r];
        problem->delassus->ops->apply(problem->delassus, push, u);
        for (int i = 0; i < n; ++i) made += push[i] * u[i];
        if (asked * asked > most * made) most += 2.0 * ts_sim_energy(sim).kinetic;
        excess = made > 0.0 ? asked * asked / (most * made) : 0.0;
    }
    ts_arena_scope_end(scratch, scope);
    return excess;
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
    double *reference = ts_sim_storage_of(sim)->reference, most = 0.0;
    ts_row_block* owner = ts_sim_storage_of(sim)->row_plan->owner;
    int count = 0;
    double* g = own_g(sim);
    if (!g) return -1;
    for (int b = 0; b < problem->block_count; ++b) {
        int r = ts_contact_problem_opening_row(&problem->block[b]);
        if (r >= 0) most = fmax(most, impulse[r] * reference[r]);
    }
    for (int b = 0; b < problem->block_count; ++b) {
        int r = ts_contact_problem_opening_row(&problem->block[b]);
        if (r < 0 || !(reference[r] > 0.0) || impulse[r] * reference[r] < least_share * most) continue;
        take_back(&owner[b], &g[r], &reference[r]);
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
    double *reference = ts_sim_storage_of(sim)->reference, share = 1.0 / sqrt(excess), *g = own_g(sim);
    int count = 0;
    if (!g) return -1;
    for (int b = 0; b < problem->block_count; ++b) {
        int slowed = 0;
        for (int r = problem->block[b].row; r < problem->block[b].row + problem->block[b].rows; ++r) {
            if (!is_asked(&problem->block[b], r) ||
                (ts_contact_problem_opening_row(&problem->block[b]) >= 0 && !(reference[r] > 0.0)))
                continue;
            slowed |= reference[r] != 0.0;
            g[r] += (1.0 - share) * reference[r];
            reference[r] *= share;
        }
        if (!slowed) continue;
        ts_sim_storage_of(sim)->row_plan->owner[b].blocked = TS_ROW_SLOWED;
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

void ts_step_yield_remember(const ts_sim* sim, int memory, int blocked, ts_row_memory* out_memory) {
    const ts_row_memory* old = memory >= 0 ? &sim->row_memory.data[memory] : NULL;
    int pause = old ? old->pause : 0, last = old ? old->last_pause : 0;
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
