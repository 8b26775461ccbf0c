// Push-outs that would take absurd speeds.
//
// Problem: joints can leave next to nothing of the directions that contacts ask to be pushed out in. A motion that does what is asked exists, so
// the exact law has an answer, and the model flies apart.
// Rule: the solve itself tells. With normal impulses lambda any motion that meets the demands c* has at least the energy
//     E = (lambda . c*)^2 / (2 |J'^T lambda|^2)
// (weak duality, contact/contradiction.c). What the demands move, of mass M and in T trees, one standing on the other, has M ((T + 1) c*)^2 / 2 at
// most where each tree goes c* faster than the one below it. A motion that needs more than that, and more than there was before (something that
// bounces), is none that anybody meant; c* counts as what gravity gives in a step at least. What follows is in solve.c and yield.c: up to
// TS_ABSURD_EXCESS times as much all is asked for more slowly, so that E is as much as may be, and what overlaps comes apart later; beyond, contacts
// and limits give way; ties, which nobody wants to lose, are slowed down however much they ask for.
// That is a bound without friction, whose jams do worse: two contacts that hold each other by friction reach what they ask for by impulses of tons, and
// push-outs pump energy through them. So what the answer itself has put in counts, too: where that is more than `absurd_gain` of what may be, and of what
// it takes, contacts and limits give way.
// Source: derived here.
// Guaranteed: E is a bound whichever impulses there are; friction is no part of it. Scenes that differ by units have the same answer.
// Measured: E is 0.19 of what may be at most in all scenes and robots that stand (ncp), 3 to 10^6 of it where capsules of a humanoid overlap around a
// joint by 9 cm, 40 in an arm that is tied to a place out of its reach. Of 3000 falls of a body on two legs that begin folded into each other, with
// friction 2, 57 flew apart before answers were asked what they put in, and one does since.
// Known to fail: in a crowd T is large, and nothing is ever too much. How near an answer is to being too much by what it puts in is no part of a
// derivative's nearness (engine/derivative/step_report.c).
#include <math.h>

#include "engine/dynamics/dynamics_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/yield_internal.h"

// 1: of the energy that may be at most, what an answer may have put in. By that bound 1 is too much; at 4 four of 3000 falls fly apart, at 100 41.
static const double absurd_gain = 2.0;

// Whether row r of a block holds something off, or together: rows of which the push-out counts.
static int is_held(const ts_block* block, int r) {
    return block->set != TS_SET_CONE || r == ts_contact_problem_opening_row(block);
}

int ts_step_row_asks(const ts_block* block, int r, double speed) {
    return is_held(block, r) && (ts_contact_problem_opening_row(block) >= 0 ? speed > 0.0 : speed != 0.0);
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
    for (int r = block->row; r < block->row + block->rows; ++r)
        asks = asks || ts_step_row_asks(block, r, problem->push_out[r]);
    if (!asks) return;
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
    const double *push = problem->push_out, *impulse = sim->impulse;
    double fastest = 0.0, asked = 0.0;
    *out_fastest = *out_asked = 0.0;
    // What rests within the slop asks for nothing.
    double asks = 0.0;
    for (int r = 0; r < problem->row_count; ++r) asks += fabs(push[r]);
    if (asks == 0.0) return 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        int opening = ts_contact_problem_opening_row(block), is_cone = block->set == TS_SET_CONE;
        int first = is_cone ? opening : block->row, end = is_cone ? opening + 1 : block->row + block->rows;
        for (int r = first; r < end; ++r) {
            asked += impulse[r] * push[r];
            // All of these rows are held.
            if (opening >= 0 ? !(push[r] > 0.0) : push[r] == 0.0) continue;
            if (opening >= 0 && problem->R && problem->R[r] > 0.0) return 0;
            fastest = fmax(fastest, fabs(push[r]));
        }
    }
    *out_fastest = fastest;
    *out_asked = asked;
    return fastest > 0.0 && asked > 0.0;
}

// How many times `most` the least energy is that the demands take, both twice; once more beside what there was before, where it is too much.
// `push` and `u` (row_count) are scratch, push zero.
static double excess_over(const ts_sim* sim, double asked, double most, double* push, double* u) {
    const ts_contact_problem* problem = &sim->problem;
    double made = 0.0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int r = problem->block[b].row; r < problem->block[b].row + problem->block[b].rows; ++r)
            if (is_held(&problem->block[b], r)) push[r] = sim->impulse[r];
    problem->delassus->ops->apply(problem->delassus, push, u);
    for (int i = 0; i < problem->row_count; ++i) made += push[i] * u[i];
    if (asked * asked > most * made) most += 2.0 * ts_dynamics_kinetic_energy(sim);
    return asked * asked / (most * fmax(made, 0.0));
}

// Twice the energy that contacts, limits and ties have put in by the last solve's impulses. `u` (row_count) is scratch.
static double twice_put_in(const ts_sim* sim, double* u) {
    const ts_contact_problem* problem = &sim->problem;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double sum = 0.0;
    problem->delassus->ops->apply(problem->delassus, sim->impulse, u);
    for (int b = 0; b < problem->block_count; ++b) {
        if (ts_row_source_at(storage->row_plan->owner[b].source)->drives) continue;
        for (int r = problem->block[b].row; r < problem->block[b].row + problem->block[b].rows; ++r)
            sum += sim->impulse[r] * (u[r] + 2.0 * (problem->g[r] + storage->reference[r]));
    }
    return sum;
}

double ts_step_push_excess(ts_sim* sim) {
    const ts_contact_problem* problem = &sim->problem;
    double fastest, asked, lightest = (double)INFINITY;
    // A law that gives does not do what is asked.
    if (sim->solver->compliance || ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL) return 0.0;
    if (!problem->push_out || !sum_demands(sim, &fastest, &asked)) return 0.0;
    // What push-outs put in is half of what they ask for at most: mostly that is little, less than gravity puts in in a step, and nothing
    // else need be known.
    fastest = fmax(fastest, problem->rest_speed);
    for (int t = 0; t < sim->model->tree_count; ++t) lightest = fmin(lightest, sim->model->tree[t].mass);
    if (asked <= 4.0 * lightest * fastest * fastest) return 0.0;
    double most = twice_the_most(sim);
    if (!(asked > most)) return most >= 0.0 ? 0.0 : -1.0;
    ts_arena* scratch = ts_sim_storage_of(sim)->solve_scratch;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    size_t n = (size_t)problem->row_count;
    double* push = (double*)ts_arena_alloc_zeroed(scratch, 2 * n, sizeof(double));
    double excess = push ? excess_over(sim, asked, most, push, push + n) : -1.0;
    if (push && asked > absurd_gain * most) {
        double gain = twice_put_in(sim, push + n) / (most + 2.0 * ts_dynamics_kinetic_energy(sim));
        if (gain > absurd_gain * fmax(excess, 1.0)) excess = fmax(excess, TS_ABSURD_EXCESS * gain / absurd_gain);
    }
    ts_arena_scope_end(scratch, scope);
    return excess;
}
