// A step of a pile in substeps.
//
// Problem: assembly, order, islands and looks at the residual cost three times what the sweeps of a small step cost, and from substep to substep they
// say the same. Rule: where rows are frictional contacts of lone free bodies and nothing else, swept by ncp-pgs, the first substep
// lays out pairs of bodies (contact/pairs/); of every substep after it only free velocities, gaps and what follows from them are new. Levers,
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

#include "base/assert.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/judge_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/yield_internal.h"

enum {
    BOUT = 16,   // sweeps between looks
    GRAIN = 128  // bodies or contacts that a thread takes at a time
};

// --- whether it is one ---------------------------------------------------------------------------------------------------

static int is_movable(const ts_sim* sim, int body) { return ts_sim_storage_of(sim)->body_tree[body] >= 0; }

static int fits_side(const ts_sim* sim, int body) {
    int tree = ts_sim_storage_of(sim)->body_tree[body];
    if (tree < 0) return 1;
    return ts_sim_storage_of(sim)->tree_is_lone[tree];
}

// Nothing but friction: neither rolling, nor glue, nor a surface that runs.
static int is_plain(const ts_contact* contact) {
    return contact->surface.dimension == 3 && contact->adhesion == 0.0 && contact->drift.x == 0.0 &&
           contact->drift.y == 0.0 && contact->drift.z == 0.0;
}

static int fits_contact(const ts_sim* sim, const ts_contact* contact) {
    return is_plain(contact) && fits_side(sim, contact->body_a) && fits_side(sim, contact->body_b) &&
           (is_movable(sim, contact->body_a) || is_movable(sim, contact->body_b));
}

static int fits_settings(const ts_sim* sim) {
    const ts_options* options = &sim->options;
    const ts_solver* solver = sim->solver;
    if (solver != ts_solver_find("ncp-pgs")) return 0;
    for (int i = 0; i < solver->setting_count; ++i) {
        const char* name = solver->setting[i].name;
        if (strcmp(name, "omega") == 0) continue;
        if (ts_solver_get(solver, sim->solver_settings, name) != ts_solver_get(solver, solver->defaults, name))
            return 0;
    }
    return options->compliance_normal == 0.0 && options->compliance_tangent == 0.0 && options->density == 0.0 &&
           options->viscosity == 0.0 && ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_NONE;
}

// Nothing but free joints without dry friction: no limits, equalities, tendons, actuators, and no sensors of what happens in a step.
static int fits_model(const ts_sim* sim) {
    const ts_model* model = sim->model;
    if (model->equality_count || model->tendon_count || model->actuator_count || model->step_sensor_count) return 0;
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].type != TS_JOINT_FREE || model->joint[j].limited) return 0;
    for (int d = 0; d < model->nv; ++d)
        if (model->dof[d].friction > 0.0) return 0;
    return sim->integrator->frees_lone_bodies && !ts_sim_storage_of(sim)->ledger;
}

static int may_be(const ts_sim* sim) {
    return ts_sim_storage_of(sim)->substep_count > 1 && fits_model(sim) && fits_settings(sim);
}

// Whether it is one, and how many of its contacts bounce.
static int fits(const ts_sim* sim, int* out_elastic) {
    if (!may_be(sim) || sim->contact_count == 0) return 0;
    *out_elastic = 0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        // Contacts of a pair lie together, and have its bodies.
        int same = i > 0 && contact->geom_a == contact[-1].geom_a && contact->geom_b == contact[-1].geom_b;
        if (same ? !is_plain(contact) : !fits_contact(sim, contact)) return 0;
        *out_elastic += contact->surface.restitution > 0.0;
    }
    // Sleepers count, too: who falls asleep changes nothing for the others.
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    for (int i = 0; bed && i < bed->contact.count; ++i)
        if (!fits_contact(sim, &bed->contact.data[i])) return 0;
    return 1;
}

// --- laying it out -------------------------------------------------------------------------------------------------------

// What pairs are made of.
typedef struct layout {
    ts_sim* sim;
    ts_pile* pile;
    int* slot;           // (tree_count) the body of a tree; 0: none yet
    ts_pair_body* body;  // (tree_count + 1)
    ts_vec3* centre;     // (tree_count + 1) m, where levers on them begin
    int body_count;
    ts_pair_unit* unit;  // (storage->unit_count)
    int unit_count;
    ts_vec3* lever;  // (contact_count)
    int contact_count;
    ts_vec3 across;  // along which threads share the pile
} layout;

// The direction across gravity in which pairs lie farther apart.
static ts_vec3 wide_axis(const ts_sim* sim, const ts_contact_run* run, int runs) {
    ts_vec3 up = ts_vec3_unit_or(sim->options.gravity, ts_vec3_axis(2));
    ts_vec3 x = ts_vec3_sub(ts_vec3_axis(0), ts_vec3_scale(up.x, up)),
            y = ts_vec3_sub(ts_vec3_axis(1), ts_vec3_scale(up.y, up));
    // Two of three axes lie across enough.
    if (ts_vec3_norm_squared(x) < 0.25) x = ts_vec3_axis(2);
    if (ts_vec3_norm_squared(y) < 0.25) y = ts_vec3_axis(2);
    double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < runs; ++i)
        for (int k = 0; k < 2; ++k) {
            double at = ts_vec3_dot(k ? y : x, run[i].centre);
            least[k] = at < least[k] ? at : least[k];
            most[k] = at > most[k] ? at : most[k];
        }
    return most[1] - least[1] > most[0] - least[0] ? y : x;
}

static void store_tensor(ts_mat3 I, double* out) {
    const double numbers[6] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
    memcpy(out, numbers, sizeof numbers);
}

static ts_mat3 inverse_of(const ts_mat3* I) {
    return ts_mat3_from_columns(ts_mat3_solve(I, ts_vec3_axis(0)), ts_mat3_solve(I, ts_vec3_axis(1)),
                                ts_mat3_solve(I, ts_vec3_axis(2)));
}

// The number of a body among the pairs'.
static int slot_of(layout* l, int body) {
    const ts_model* model = l->sim->model;
    int tree = ts_sim_storage_of(l->sim)->body_tree[body];
    if (tree < 0) return 0;
    if (l->slot[tree]) return l->slot[tree];
    int slot = l->slot[tree] = l->body_count++, root = model->tree[tree].root;
    l->centre[slot] = ts_transform_point(&l->sim->kinematics.body_pose[root], model->body[root].centre);
    l->pile->tree[slot] = tree;
    return slot;
}

// Masses and inertias of bodies that have a number.
static void weigh_bodies(void* context, int begin, int end, int worker) {
    const layout* l = (const layout*)context;
    (void)worker;
    for (int slot = begin > 0 ? begin : 1; slot < end; ++slot) {
        const ts_kinematic_tree* tree = &l->sim->model->tree[l->pile->tree[slot]];
        int root = tree->root;
        const ts_mat3* R = &l->sim->kinematics.body_pose[root].R;
        const ts_body* b = &l->sim->model->body[root];
        ts_pair_body* pair_body = &l->body[slot];
        pair_body->mass = b->mass;
        pair_body->inverse_mass = 1.0 / b->mass;
        // What is round stays so to the bit.
        int turns = !ts_touched_rotation_is_round(&b->inertia);
        l->pile->flies_on[slot] = !turns && tree->kind == TS_TREE_CENTRED && b->buoyancy == 0.0;
        ts_mat3 inverse = inverse_of(&b->inertia);
        store_tensor(turns ? ts_mat3_rotate_tensor(*R, b->inertia) : b->inertia, pair_body->inertia);
        store_tensor(turns ? ts_mat3_rotate_tensor(*R, inverse) : inverse, pair_body->inverse_inertia);
    }
}

static int same_vector(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// A unit that begins with contact i, number k of the pairs'.
static ts_pair_unit* add_unit(layout* l, int k, const ts_contact* contact, const int slot[2]) {
    TS_ASSERT(l->unit_count < ts_sim_storage_of(l->sim)->unit_count);
    ts_pair_unit* unit = &l->unit[l->unit_count++];
    *unit = (ts_pair_unit){
        .body = {slot[0], slot[1]},
        .first = k,
        .normal = ts_mat3_column(&contact->frame, 2),
        .tangent = ts_mat3_column(&contact->frame, 0),
        .offset = ts_vec3_sub(l->centre[slot[0]], l->centre[slot[1]]),
        .friction = contact->surface.friction,
        .place = ts_vec3_dot(l->across, contact->position),
    };
    return unit;
}

// Contacts of a pair of geoms: units of one normal, whose points have one frame, the first one's.
static void add_run(layout* l, const ts_contact_run* run) {
    ts_sim* sim = l->sim;
    ts_pile* pile = l->pile;
    const ts_contact* first = &sim->contact[run->first];
    ts_pair_unit* unit = NULL;
    int slot[2] = {slot_of(l, first->body_a), slot_of(l, first->body_b)};
    for (int i = run->first; i < run->first + run->count; ++i) {
        ts_contact* contact = &sim->contact[i];
        int k = l->contact_count++;
        if (unit && unit->count < TS_PAIR_POINTS && same_vector(unit->normal, ts_mat3_column(&contact->frame, 2)))
            contact->frame = first->frame;
        else
            unit = add_unit(l, k, first = contact, slot);
        ++unit->count;
        pile->order[k] = i;
        pile->place[i] = k;
        l->lever[k] = ts_vec3_sub(contact->position, l->centre[slot[0]]);
        if (contact->surface.restitution > 0.0) pile->elastic[pile->elastic_count++] = k;
    }
}

static ts_pile* take_pile(ts_sim* sim, int elastic) {
    ts_arena* arena = &sim->scratch;
    ts_pile* pile = TS_ARENA_ARRAY(arena, ts_pile, 1);
    if (!pile) return NULL;
    pile->elastic_count = 0;
    pile->tree = TS_ARENA_ARRAY(arena, int, sim->model->tree_count + 1);
    pile->flies_on = TS_ARENA_ARRAY(arena, unsigned char, sim->model->tree_count + 1);
    pile->elastic = TS_ARENA_ARRAY(arena, int, elastic);
    pile->elastic_now = TS_ARENA_ARRAY(arena, double, elastic);
    pile->order = TS_ARENA_ARRAY(arena, int, sim->contact_count);
    pile->place = TS_ARENA_ARRAY(arena, int, sim->contact_count);
    pile->pause = TS_ARENA_ARRAY(arena, ts_row_pause, sim->contact_count);
    return arena->failed ? NULL : pile;
}

static ts_pairs* lay_out(ts_sim* sim, ts_pile* pile) {
    ts_arena *arena = &ts_sim_storage_of(sim)->solve_scratch[0], *scratch = &sim->scratch;
    ts_arena_reset(arena);
    layout l = {.sim = sim, .pile = pile, .body_count = 1};
    l.slot = (int*)ts_arena_alloc_zeroed(arena, (size_t)sim->model->tree_count, sizeof(int));
    l.body = TS_ARENA_ARRAY(scratch, ts_pair_body, sim->model->tree_count + 1);
    l.centre = TS_ARENA_ARRAY(arena, ts_vec3, sim->model->tree_count + 1);
    l.unit = TS_ARENA_ARRAY(arena, ts_pair_unit, ts_sim_storage_of(sim)->unit_count);
    l.lever = TS_ARENA_ARRAY(arena, ts_vec3, sim->contact_count);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int runs = 0;
    const ts_contact_run* run = ts_contact_order_runs(sim, &runs);
    if (arena->failed || scratch->failed || !run) return NULL;
    memset(&l.body[0], 0, sizeof l.body[0]);
    pile->tree[0] = -1;
    l.centre[0] = ts_vec3_zero();
    l.across = wide_axis(sim, run, runs);
    for (int r = 0; r < runs; ++r) add_run(&l, &run[r]);
    ts_arena_scope_end(scratch, scope);
    ts_task_parallel_for(sim->tasks, l.body_count, GRAIN, weigh_bodies, &l);
    ts_pairs_input input = {l.body,       l.unit,
                            l.lever,      l.body_count,
                            l.unit_count, sim->contact_count,
                            sim->tasks,   ts_solver_get(sim->solver, sim->solver_settings, "omega")};
    return ts_pairs_make(scratch, &input);
}

// --- velocities ----------------------------------------------------------------------------------------------------------

// Generalised velocities are those of the frame's origin in world axes, and of turning in the body's; pairs' are those of the centre of mass, all in
// the world's.
typedef struct speed_job {
    const ts_sim* sim;
    const ts_pile* pile;
    const double* from;
    double* to;
} speed_job;

static void take_speed(void* context, int begin, int end, int worker) {
    const speed_job* job = (const speed_job*)context;
    const ts_model* model = job->sim->model;
    (void)worker;
    for (int b = begin > 0 ? begin : 1; b < end; ++b) {
        const ts_kinematic_tree* tree = &model->tree[job->pile->tree[b]];
        const ts_mat3* R = &job->sim->kinematics.body_pose[tree->root].R;
        ts_vec3 v = ts_vec3_load(job->from + tree->dof_first), omega = ts_vec3_load(job->from + tree->dof_first + 3);
        double* to = job->to + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        if (tree->kind != TS_TREE_CENTRED)
            v = ts_vec3_add(v, ts_mat3_mul_vec(R, ts_vec3_cross(omega, model->body[tree->root].centre)));
        ts_vec3_store(v, to);
        ts_vec3_store(ts_mat3_mul_vec(R, omega), to + 3);
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

static void take_speeds(const ts_sim* sim, const ts_pile* pile, const double* qvel, double* out) {
    speed_job job = {sim, pile, qvel, out};
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, GRAIN, take_speed, &job);
}

static void give_speeds(const ts_sim* sim, const ts_pile* pile, double* qvel) {
    speed_job job = {sim, pile, pile->pairs->velocity, qvel};
    memcpy(qvel, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, GRAIN, give_speed, &job);
}

// --- a step and its substeps ---------------------------------------------------------------------------------------------

static ts_contact* contact_at(const ts_sim* sim, const ts_pile* pile, int k) { return &sim->contact[pile->order[k]]; }

// Of contact i.
static const ts_row_memory* memory_of(const ts_sim* sim, int i) {
    int memory = ts_sim_storage_of(sim)->contact_memory_index[i];
    return memory >= 0 ? &sim->row_memory.data[memory] : NULL;
}

typedef struct contact_job {
    ts_sim* sim;
    ts_pile* pile;
    const ts_vec3* centre;
    int source;
} contact_job;

static void start_contact(ts_sim* sim, const ts_pile* pile, int i) {
    int lane, k = pile->place[i];
    ts_contact* contact = &sim->contact[i];
    const ts_row_memory* memory = memory_of(sim, i);
    ts_pair_track* track = ts_pairs_track(pile->pairs, k, &lane);
    double impulse[3] = {0.0, 0.0, 0.0};
    contact->velocity_before = ts_pair_vector_get(&track->velocity, lane);
    contact->block = i;
    track->gap[lane] = contact->gap;
    pile->pause[i] = memory ? ts_step_pause_of(memory) : (ts_row_pause){0, 0};
    if (memory) ts_contact_start(sim, contact, memory, contact->velocity_before.z, impulse);
    ts_pairs_start(pile->pairs, k, contact->surface.friction, ts_vec3_load(impulse));
}

// Contacts and memories are large, and lie one behind the other: who goes through both goes in their order, not in that of the pairs.
static void start_contacts(void* context, int begin, int end, int worker) {
    const contact_job* job = (const contact_job*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) start_contact(job->sim, job->pile, i);
}

// Velocities before the step, gaps, and admissible impulses to begin with.
static void start(ts_sim* sim, ts_pile* pile) {
    contact_job job = {.sim = sim, .pile = pile};
    take_speeds(sim, pile, sim->qvel, pile->pairs->velocity);
    ts_pairs_read(pile->pairs, pile->pairs->velocity);
    ts_task_parallel_for(sim->tasks, sim->contact_count, GRAIN, start_contacts, &job);
}

int ts_pile_is_on(const ts_sim* sim) { return ts_sim_storage_of(sim)->pile != NULL; }

static int is_last(const ts_sim_storage* storage) { return storage->substep + 1 == storage->substep_count; }

int ts_pile_remembers(const ts_sim* sim) { return !ts_pile_is_on(sim) || is_last(ts_sim_storage_of(sim)); }

int ts_pile_open(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->pile = NULL;
    int elastic = 0;
    if (!fits(sim, &elastic)) {
        if (storage->lacks_twists) ts_sim_move_on(sim);
        return 1;
    }
    ts_pile* pile = take_pile(sim, elastic);
    if (!pile) return 0;
    pile->pairs = lay_out(sim, pile);
    if (!pile->pairs) return 0;
    pile->free_next =
        (double*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)pile->pairs->body_count, TS_PAIR_SPEEDS * sizeof(double));
    if (!pile->free_next) return 0;
    start(sim, pile);
    storage->pile = pile;
    return 1;
}

static int has_wrenches(const ts_sim* sim) {
    for (int b = 1; b < sim->model->body_count; ++b) {
        ts_force wrench = sim->wrench_applied[b];
        if (ts_vec3_max_abs(wrench.force) != 0.0 || ts_vec3_max_abs(wrench.couple) != 0.0) return 1;
    }
    return 0;
}

// Between the first substep and the last nobody asks more of a lone body that is touched than how it is turned.
static void place_root(ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    int root = model->tree[tree].root;
    const double* q = sim->qpos + model->joint[model->body[root].joint_first].qpos_first;
    ts_pose pose = {ts_vec3_load(q), ts_quat_normalize(ts_quat_load(q + 3))};
    sim->kinematics.body_pose[root] = ts_transform_from_pose(pose);
}

static void place_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    (void)worker;
    for (int t = begin; t < end; ++t)
        if (storage->tree_is_lone[t] && storage->tree_touched[t])
            place_root(sim, t);
        else if (storage->tree_is_lone[t])
            ts_kinematics_find_tree(sim->model, sim->qpos, NULL, TS_KINEMATICS_GEOMS, t, &sim->kinematics);
        else
            ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, t, &sim->kinematics);
}

static void place_geoms(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    (void)worker;
    for (int t = begin; t < end; ++t) {
        if (storage->tree_asleep[t] == TS_TREE_LIES) continue;
        if (storage->tree_is_lone[t])
            ts_kinematics_find_tree(sim->model, sim->qpos, NULL, TS_KINEMATICS_GEOMS, t, &sim->kinematics);
        else
            ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, t, &sim->kinematics);
    }
}

int ts_pile_begin(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->lacks_twists = may_be(sim) && !has_wrenches(sim);
    if (!storage->lacks_twists) return 0;
    if (sim->model->mocap_count > 0) ts_kinematics_place(sim->model, sim->mocap, &sim->kinematics);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, GRAIN, place_geoms, sim);
    return 1;
}

void ts_pile_move_on(ts_sim* sim) {
    if (is_last(ts_sim_storage_of(sim)) || has_wrenches(sim))
        ts_sim_move_on(sim);
    else
        ts_task_parallel_for(sim->tasks, sim->model->tree_count, GRAIN, place_trees, sim);
}

// Of what bounces: the reference velocity, from velocities now and without contacts.
static void refer_elastic(ts_sim* sim, ts_pile* pile, int is_first) {
    ts_pairs* pairs = pile->pairs;
    ts_pairs_read(pairs, pairs->free);
    for (int e = 0; e < pile->elastic_count; ++e) {
        int k = pile->elastic[e], lane, bounces = 0;
        const ts_row_memory* memory = is_first ? memory_of(sim, pile->order[k]) : NULL;
        const ts_pair_track* track = ts_pairs_track(pairs, k, &lane);
        ts_pair_point* point = ts_pairs_point(pairs, k, &lane);
        ts_reference_input input = {track->gap[lane], contact_at(sim, pile, k)->surface.restitution,
                                    pile->elastic_now[e], track->velocity.at[2][lane], point->lambda.at[2][lane] > 0.0};
        if (memory)
            input.was_closed =
                ts_vec3_dot(ts_vec3_load(memory->impulse), ts_contact_remembered(memory, TS_CONTACT_NORMAL)) > 0.0;
        point->reference[lane] = ts_contact_reference(&sim->options, &input, &bounces);
        if (bounces) ts_pairs_start(pairs, k, 0.0, ts_vec3_zero());
    }
}

// Velocities to begin with: the free ones, and what the impulses that are there make of them. Where these are the last substep's, that is known.
static void begin(ts_sim* sim, ts_pile* pile, int is_first) {
    ts_pairs* pairs = pile->pairs;
    int renews = is_first || pile->elastic_count > 0 || !sim->options.warm_start;
    take_speeds(sim, pile, sim->free_velocity, renews ? pairs->free : pile->free_next);
    if (!renews) {
        ts_pairs_go_on(pairs, pile->free_next);
        return;
    }
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
        const ts_pair_track* track = ts_pairs_track(pairs, pile->elastic[e], &lane);
        pile->elastic_now[e] = track->velocity.at[2][lane];
    }
    sim->info.worst_penetration = ts_pairs_refer(pairs, !is_first);
    begin(sim, pile, is_first);
}

// The verdict of the impulses as they are.
static ts_solve_status verdict(ts_sim* sim, ts_pairs* pairs, ts_solve_status said) {
    ts_solver_settings shared;
    ts_step_info* info = &sim->info;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    ts_pairs_judge(pairs, sim->options.time_step * ts_vec3_norm(sim->options.gravity), &info->residual);
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
        ts_pairs_sweep(pairs, bout);
        report->iterations += bout;
        report->status = verdict(sim, pairs, TS_SOLVE_ITERATION_LIMIT);
        if (isnan(sim->info.unmet)) {
            report->status = TS_SOLVE_FAILED;
            break;
        }
    }
    if (report->status == TS_SOLVE_CONVERGED) return;
    sim->info.held_back = ts_pairs_hold_back(pairs);
    if (sim->info.held_back > 0) report->status = verdict(sim, pairs, report->status);
}

// Contact i as the pairs have it now; its point has moved on with its bodies.
static void show_contact(const ts_sim* sim, const ts_pile* pile, int i, const ts_vec3* centre) {
    int lane, k = pile->place[i];
    const ts_pair_group* group = ts_pairs_group(pile->pairs, k);
    const ts_pair_track* track = ts_pairs_track(pile->pairs, k, &lane);
    const ts_pair_point* point = ts_pairs_point(pile->pairs, k, &lane);
    ts_contact* contact = &sim->contact[i];
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(centre[group->body[0][lane]], centre[group->body[1][lane]]));
    ts_vec3 lever = ts_vec3_add_scaled(ts_pair_vector_get(&point->lever, lane), 0.5, ts_pairs_offset(pile->pairs, k));
    contact->position = ts_vec3_add(middle, ts_mat3_mul_vec(&contact->frame, lever));
    contact->gap = track->gap[lane];
    contact->velocity = ts_pair_vector_get(&track->velocity, lane);
    contact->impulse = ts_pair_vector_get(&point->lambda, lane);
    contact->angular_impulse = ts_vec3_zero();
}

// The memory of contact i.
static void remember(const ts_sim* sim, const ts_pile* pile, int i, int source, ts_row_memory* out) {
    const ts_contact* contact = &sim->contact[i];
    out->keeper = 0;
    out->solver = 0.0;
    out->key = (ts_row_key){(uint64_t)(uint32_t)contact->geom_a << 32 | (uint32_t)contact->geom_b, contact->key};
    out->source = source;
    const int* tree = ts_sim_storage_of(sim)->body_tree;
    int a = tree[contact->body_a], b = tree[contact->body_b];
    out->tree = a >= 0 ? a : b;
    out->valid = sim->info.solve.status != TS_SOLVE_FAILED;
    out->time_step = sim->options.time_step;
    ts_step_yield_remember(pile->pause[i], TS_ROW_FREE, out);
    ts_contact_remember(sim, contact, out);
}

// What is remembered is of the last substep, what is shown of all.
static void leave_contacts(void* context, int begin, int end, int worker) {
    const contact_job* job = (const contact_job*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int lane;
        const ts_pair_track* track = ts_pairs_track(job->pile->pairs, job->pile->place[i], &lane);
        ts_contact* contact = &job->sim->contact[i];
        show_contact(job->sim, job->pile, i, job->centre);
        remember(job->sim, job->pile, i, job->source, &job->sim->row_memory.data[i]);
        contact->impulse = ts_vec3_add(contact->impulse, ts_pair_vector_get(&track->total, lane));
    }
}

// Leaves contacts and memory, in place of the last step's, of which the pauses alone are still asked for. Returns 0 when memory is short; as elsewhere
// (integrate.c), a new maximum takes a sixteenth more.
static int leave(ts_sim* sim, ts_pile* pile) {
    ts_row_memory_array* next = &sim->row_memory;
    int count = sim->contact_count, bodies = pile->pairs->body_count, source = ts_row_source_find("contact");
    ts_vec3* centre = TS_ARENA_ARRAY(&sim->scratch, ts_vec3, bodies);
    if (!centre || (count > next->capacity && !ts_row_memory_array_reserve(next, count + count / 16))) return 0;
    centre[0] = ts_vec3_zero();
    for (int b = 1; b < bodies; ++b) {
        int root = sim->model->tree[pile->tree[b]].root;
        centre[b] = ts_transform_point(&sim->kinematics.body_pose[root], sim->model->body[root].centre);
    }
    contact_job job = {sim, pile, centre, source};
    ts_task_parallel_for(sim->tasks, count, GRAIN, leave_contacts, &job);
    next->count = count;
    pile->rest_speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    return 1;
}

ts_code ts_pile_solve(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pile* pile = storage->pile;
    memset(&sim->info.solve, 0, sizeof sim->info.solve);
    ts_step_judge_nothing(sim);
    sim->info.row_count = 3 * sim->contact_count;
    renew(sim, pile);
    ts_pairs_find_work(pile->pairs);
    (void)ts_pairs_hold_back(pile->pairs);  // a start that is worse than none, as pgs.c does
    sweep(sim, pile->pairs);
    give_speeds(sim, pile, storage->new_velocity);
    return !is_last(storage) || leave(sim, pile) ? TS_OK : TS_ERROR_MEMORY;
}

void ts_pile_close(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->unshown = storage->pile;
    storage->pile = NULL;
}
