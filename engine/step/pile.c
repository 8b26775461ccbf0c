// A step of a pile in substeps.
//
// Problem: assembly, order, islands and looks at the residual cost three times what the sweeps of a small step cost, and from substep to substep they
// say the same. Rule: where rows are frictional contacts of lone free bodies and nothing else, swept by ncp-pgs, the first substep
// lays out pairs of bodies (pile_layout.c, contact/pairs/); of every substep after it only free velocities, gaps and what follows from them are new. Levers,
// frames, and inertias in world axes stay as they were when the step began; velocities are those of the present pose, and gaps move on by
// the velocity of the surfaces. Sweeps are made as many as asked for, in bouts with a look at the answer behind each. The answer of every substep is
// judged, and the last one's problem is written row by row when somebody asks for it (pile_problem.c).
// Source: as substep.c; contact/pairs/.
// Guaranteed: the law, the figures and the warm starts of the general path; what is left of islands that are worse than nothing is shortened as there. Bits
// do not depend on the number of threads (contact/pairs/pairs_parts.c).
// Known to fail: a body that turns by an angle a in the step has levers and an inertia that are off by a. Demands that contradict each other
// are not looked for (yield.c).
#include "engine/step/pile_internal.h"

#include <string.h>

#include "engine/dynamics/free_lanes_internal.h"
#include "engine/dynamics/kinematics_frame_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/judge_internal.h"

enum { BOUT = 16 };  // sweeps between looks

// --- velocities ----------------------------------------------------------------------------------------------------------

typedef struct speed_job {
    const ts_sim* sim;
    const ts_pile* pile;
    const double* from;
    double* to;
} speed_job;

static void take_free_speeds(void* context, int begin, int end, int worker) {
    const speed_job* job = (const speed_job*)context;
    (void)worker;
    for (int b = begin > 0 ? begin : 1; b < end; ++b)
        ts_pile_take_speed(job->sim, job->pile->tree[b], job->from, job->to + (size_t)TS_PAIR_SPEEDS * (size_t)b);
}

// The same of a substep that goes on with the impulses of the one before.
static void renew_free_speeds(void* context, int begin, int end, int worker) {
    const speed_job* job = (const speed_job*)context;
    (void)worker;
    for (int b = begin > 0 ? begin : 1; b < end; ++b) {
        double speed[TS_PAIR_SPEEDS];
        ts_pile_take_speed(job->sim, job->pile->tree[b], job->from, speed);
        ts_pairs_free_again(job->pile->pairs, b, speed);
    }
}

static void give_speed(void* context, int begin, int end, int worker) {
    const speed_job* job = (const speed_job*)context;
    const ts_model* model = job->sim->model;
    (void)worker;
    for (int b = begin > 0 ? begin : 1; b < end; ++b) {
        const ts_kinematic_tree* tree = &model->tree[job->pile->tree[b]];
        const ts_mat3* R = &job->sim->kinematics.body_pose[tree->root].R;
        const double* from = job->from + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        ts_vec3 v = ts_vec3_load(from), omega = ts_mat3_mul_vec_transposed(R, ts_vec3_load(from + 3));
        if (tree->kind != TS_TREE_CENTRED)
            v = ts_vec3_sub(v, ts_mat3_mul_vec(R, ts_vec3_cross(omega, model->body[tree->root].centre)));
        ts_vec3_store(v, job->to + tree->dof_first);
        ts_vec3_store(omega, job->to + tree->dof_first + 3);
    }
}

static void take_speeds(const ts_sim* sim, const ts_pile* pile, int renews) {
    speed_job job = {sim, pile, sim->free_velocity, pile->pairs->free};
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, TS_PILE_GRAIN,
                         renews ? take_free_speeds : renew_free_speeds, &job);
}

static void give_speeds(const ts_sim* sim, const ts_pile* pile, double* qvel) {
    speed_job job = {sim, pile, pile->pairs->velocity, qvel};
    memcpy(qvel, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, TS_PILE_GRAIN, give_speed, &job);
}

// --- a step and its substeps ---------------------------------------------------------------------------------------------

static int is_last(const ts_sim_storage* storage) { return storage->substep + 1 == storage->substep_count; }

int ts_pile_remembers(const ts_sim* sim) { return !ts_pile_is_on(sim) || is_last(ts_sim_storage_of(sim)); }

int ts_pile_open(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->pile = NULL;
    ts_pile_counts counts;
    if (!ts_pile_fits(sim, &counts)) {
        if (storage->lacks_twists) ts_sim_move_on(sim);
        return !storage->found || (ts_found_fill(sim) && ts_found_take_rare(sim));
    }
    ts_pile* pile = ts_pile_lay_out(sim, &counts);
    if (!pile) return 0;
    ts_arena_scope_end(&sim->scratch, storage->found->without);
    storage->found = NULL;
    storage->pile = pile;
    return ts_found_take_rare(sim);
}

static int has_wrenches(const ts_sim* sim) {
    for (int b = 1; b < sim->model->body_count; ++b) {
        ts_force wrench = sim->wrench_applied[b];
        if (ts_vec3_max_abs(wrench.force) != 0.0 || ts_vec3_max_abs(wrench.couple) != 0.0) return 1;
    }
    return 0;
}

// The coordinates of a lone body.
static const double* place_in(const ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    return sim->qpos + model->joint[model->body[model->tree[tree].root].joint_first].qpos_first;
}

// Lone bodies that wait for company to be placed.
typedef struct waiting_trees {
    int tree[TS_FREE_LANES];
    int count;
} waiting_trees;

// Between the first substep and the last nobody asks more of a lone body that is touched than how it is turned.
static void place_roots(ts_sim* sim, const waiting_trees* waiting) {
    const ts_kinematic_tree* tree = sim->model->tree;
    ts_transform *pose = sim->kinematics.body_pose, *to[TS_FREE_LANES];
    const double* q[TS_FREE_LANES];
    if (waiting->count < TS_FREE_LANES) {
        for (int k = 0; k < waiting->count; ++k)
            pose[tree[waiting->tree[k]].root] = ts_free_lanes_place_one(place_in(sim, waiting->tree[k]));
        return;
    }
    for (int k = 0; k < TS_FREE_LANES; ++k) {
        q[k] = place_in(sim, waiting->tree[k]);
        to[k] = &pose[tree[waiting->tree[k]].root];
    }
    ts_free_lanes_place(q, to);
}

// What goes with a lone body that is placed: as the walk of kinematics has it, to the bit.
static void place_geoms_of(ts_sim* sim, int tree) {
    ts_kinematics* k = &sim->kinematics;
    int root = sim->model->tree[tree].root;
    const ts_body* body = &sim->model->body[root];
    ts_frame_four frame = ts_frame_four_load(&k->body_pose[root]);
    ts_four_store_three(ts_frame_four_point(&frame, body->centre), &k->body_centre[root].x);
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) ts_frame_four_place_geom(&frame, g, k);
}

// Lone bodies, and their geoms where `geoms` says so of a tree.
static void place_lone(ts_sim* sim, waiting_trees* waiting, const unsigned char* touched) {
    place_roots(sim, waiting);
    for (int k = 0; k < waiting->count; ++k)
        if (!touched || !touched[waiting->tree[k]]) place_geoms_of(sim, waiting->tree[k]);
    waiting->count = 0;
}

// Of those that are touched only how they are turned; `touched` NULL: nobody is.
static void place_range(ts_sim* sim, int begin, int end, const unsigned char* touched) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    waiting_trees waiting = {{0}, 0};
    for (int t = begin; t < end; ++t) {
        if (!touched && storage->tree_asleep[t] == TS_TREE_LIES) continue;
        if (!storage->tree_is_lone[t])
            ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, t, &sim->kinematics);
        else
            waiting.tree[waiting.count++] = t;
        if (waiting.count == TS_FREE_LANES) place_lone(sim, &waiting, touched);
    }
    place_lone(sim, &waiting, touched);
}

static void place_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    (void)worker;
    place_range(sim, begin, end, ts_sim_storage_of(sim)->tree_touched);
}

// In the first substep also where geoms are.
static void place_geoms(void* context, int begin, int end, int worker) {
    (void)worker;
    place_range((ts_sim*)context, begin, end, NULL);
}

int ts_pile_begin(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->lacks_twists = ts_pile_may_be(sim) && !has_wrenches(sim);
    if (!storage->lacks_twists) return 0;
    if (sim->model->mocap_count > 0) ts_kinematics_place(sim->model, sim->mocap, &sim->kinematics);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, TS_PILE_GRAIN, place_geoms, sim);
    return 1;
}

void ts_pile_move_on(ts_sim* sim) {
    if (is_last(ts_sim_storage_of(sim)) || has_wrenches(sim))
        ts_sim_move_on(sim);
    else
        ts_task_parallel_for(sim->tasks, sim->model->tree_count, TS_PILE_GRAIN, place_trees, sim);
}

// Of what bounces: the reference velocity, from velocities now and without contacts.
static void refer_elastic(ts_sim* sim, ts_pile* pile, int is_first) {
    ts_pairs* pairs = pile->pairs;
    ts_pairs_read(pairs, pairs->free);
    for (int e = 0; e < pile->elastic_count; ++e) {
        int k = pile->elastic[e].contact, lane, bounces = 0;
        const ts_row_memory* memory = is_first ? ts_contact_memory_of(sim, k) : NULL;
        const ts_pair_track* track = ts_pairs_track(pairs, k, &lane);
        ts_pair_point* point = ts_pairs_point(pairs, k, &lane);
        ts_reference_input input = {track->gap[lane], pile->elastic[e].restitution, pile->elastic[e].now,
                                    track->velocity.at[2][lane], point->lambda.at[2][lane] > 0.0};
        if (memory) input.was_closed = ts_contact_was_closed(sim, memory);
        point->reference[lane] = ts_contact_reference(&sim->options, &input, &bounces);
        if (bounces) ts_pairs_start(pairs, k, 0.0, ts_vec3_zero());
    }
}

// Velocities to begin with: the free ones, and what the impulses that are there make of them. Where these are the last substep's, that is known.
static void begin(ts_sim* sim, ts_pile* pile, int is_first) {
    ts_pairs* pairs = pile->pairs;
    int renews = is_first || pile->elastic_count > 0 || !sim->options.warm_start;
    take_speeds(sim, pile, renews);
    if (!renews) return;
    if (pile->elastic_count > 0) refer_elastic(sim, pile, is_first);
    for (int k = 0; !sim->options.warm_start && k < sim->contact_count; ++k)
        ts_pairs_start(pairs, k, 0.0, ts_vec3_zero());
    ts_pairs_begin(pairs);
}

// What is new in a substep: free velocities, gaps, reference velocities.
static void renew(ts_sim* sim, ts_pile* pile) {
    const ts_options* options = &sim->options;
    ts_pairs* pairs = pile->pairs;
    int is_first = ts_sim_storage_of(sim)->substep == 0;
    pairs->law = (ts_pair_law){options->time_step, options->slop, options->baumgarte / options->time_step,
                               options->push_out_speed};
    for (int e = 0; e < pile->elastic_count; ++e) {
        int lane;
        const ts_pair_track* track = ts_pairs_track(pairs, pile->elastic[e].contact, &lane);
        pile->elastic[e].now = track->velocity.at[2][lane];
    }
    sim->info.worst_penetration = ts_pairs_refer(pairs, !is_first);
    begin(sim, pile, is_first);
}

// So many sweeps, and the verdict of the impulses as they are then.
static ts_solve_status verdict(ts_sim* sim, ts_pairs* pairs, int sweeps, ts_solve_status said) {
    ts_solver_settings shared;
    ts_step_info* info = &sim->info;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    ts_pairs_sweep(pairs, sweeps, sim->options.time_step * ts_vec3_norm(sim->options.gravity), &info->residual);
    info->own = info->residual.ncp;
    info->unmet = info->residual.natural;
    info->islands = (ts_island_report){pairs->island_count, 0, 0};
    for (int i = 0; i < pairs->island_count; ++i) {
        const ts_pair_island* island = &pairs->island[i];
        if (island->contacts > info->islands.largest) info->islands.largest = island->contacts;
        info->islands.not_converged += !(island->unmet <= shared.tolerance);
    }
    ts_solve_status status = ts_solver_verdict(said, &shared, info->unmet, info->own, sim->options.time_step);
    if (status != TS_SOLVE_CONVERGED && info->islands.not_converged == 0) info->islands.not_converged = 1;
    return status;
}

static void sweep(ts_sim* sim, ts_pairs* pairs) {
    ts_solver_settings shared;
    ts_solve_report* report = &sim->info.solve;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    report->status = TS_SOLVE_ITERATION_LIMIT;
    while (report->status != TS_SOLVE_CONVERGED && report->iterations < shared.iteration_limit) {
        int left = shared.iteration_limit - report->iterations, bout = left < BOUT ? left : BOUT;
        report->iterations += bout;
        report->status = verdict(sim, pairs, bout, TS_SOLVE_ITERATION_LIMIT);
        if (isnan(sim->info.unmet)) {
            report->status = TS_SOLVE_FAILED;
            break;
        }
    }
    if (report->status == TS_SOLVE_CONVERGED) return;
    sim->info.held_back = ts_pairs_hold_back(pairs);
    if (sim->info.held_back > 0) report->status = verdict(sim, pairs, 0, report->status);
}

ts_code ts_pile_solve(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pile* pile = storage->pile;
    memset(&sim->info.solve, 0, sizeof sim->info.solve);
    ts_step_judge_nothing(sim);
    sim->info.row_count = 3 * sim->contact_count;
    renew(sim, pile);
    // In the place of what the end of a step needs.
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    if (!ts_pairs_take_sums(pile->pairs, &sim->scratch)) return TS_ERROR_MEMORY;
    ts_pairs_find_work(pile->pairs);
    (void)ts_pairs_hold_back(pile->pairs);  // a start that is worse than none, as pgs.c does
    sweep(sim, pile->pairs);
    ts_arena_scope_end(&sim->scratch, scope);
    give_speeds(sim, pile, storage->new_velocity);
    return !is_last(storage) || ts_pile_leave(sim, pile) ? TS_OK : TS_ERROR_MEMORY;
}

void ts_pile_close(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->unshown = storage->left = storage->pile;
    storage->pile = NULL;
}
