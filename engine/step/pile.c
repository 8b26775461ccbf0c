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
#include "engine/dynamics/free_lanes_internal.h"
#include "engine/dynamics/kinematics_frame_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/judge_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/yield_internal.h"

enum {
    BOUT = 16,    // sweeps between looks
    GRAIN = 128,  // bodies or contacts that a thread takes at a time
    MANY = 4000   // contacts: what is known of fewer stays in the near caches
};

// --- whether it is one ---------------------------------------------------------------------------------------------------

static int is_movable(const ts_sim* sim, int body) { return ts_sim_storage_of(sim)->body_tree[body] >= 0; }

static int fits_side(const ts_sim* sim, int body) {
    int tree = ts_sim_storage_of(sim)->body_tree[body];
    if (tree < 0) return 1;
    return ts_sim_storage_of(sim)->tree_is_lone[tree];
}

// Nothing but friction: neither rolling, nor glue, nor a surface that runs.
static int is_plain(const ts_contact* contact, const ts_contact_rare* rare) {
    if (contact->surface.dimension != 3) return 0;
    return !rare || (rare->adhesion == 0.0 && ts_vec3_max_abs(rare->drift) == 0.0);
}

static int fits_bodies(const ts_sim* sim, int a, int b) {
    return fits_side(sim, a) && fits_side(sim, b) && (is_movable(sim, a) || is_movable(sim, b));
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

int ts_pile_may_be(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    return storage->substep_count > 1 && storage->is_loose && sim->integrator->frees_lone_bodies && !storage->ledger &&
           fits_settings(sim);
}

// What there is to be counted of a pile.
typedef struct pile_counts {
    int units;
    int elastic;  // contacts that bounce
    int pauses;   // nonzero: something is remembered of push-outs that stay away
} pile_counts;

// Whether it is one.
static int fits(const ts_sim* sim, pile_counts* out) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->found || sim->contact_count == 0) return 0;
    *out = (pile_counts){0, 0, 0};
    for (int r = 0; r < storage->run_count; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        if (!(run->kind & TS_CONTACT_RUN_PLAIN) || !fits_bodies(sim, run->body[0], run->body[1])) return 0;
        out->units += run->units;
        if (run->kind & TS_CONTACT_RUN_BOUNCES) out->elastic += run->count;
        out->pauses |= run->kind & TS_CONTACT_RUN_PAUSES;
    }
    // Sleepers count, too: who falls asleep changes nothing for the others.
    const ts_bed* bed = storage->bed;
    for (int i = 0; bed && i < bed->contact.count; ++i) {
        const ts_contact* contact = &bed->contact.data[i];
        const ts_contact_rare* rare = bed->rare.count > 0 ? &bed->rare.data[i] : NULL;
        if (!is_plain(contact, rare) || !fits_bodies(sim, contact->body_a, contact->body_b)) return 0;
    }
    return 1;
}

// --- laying it out -------------------------------------------------------------------------------------------------------

// What pairs are made of.
typedef struct layout {
    ts_sim* sim;
    ts_pile* pile;
    int* slot;           // (tree_count) the body of a tree; 0: none yet
    ts_pair_body* body;  // (tree_count + 1)
    double* velocity;    // (tree_count + 1) x TS_PAIR_SPEEDS, when the step begins
    ts_vec3* centre;     // (tree_count + 1) m, where levers on them begin
    int body_count;
    ts_pair_unit* unit;
    int* run_of;  // (unit_count)
    int unit_count;
} layout;

// The direction across gravity in which pairs lie farther apart.
static ts_vec3 wide_axis(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_vec3 up = ts_vec3_unit_or(sim->options.gravity, ts_vec3_axis(2));
    ts_vec3 x = ts_vec3_sub(ts_vec3_axis(0), ts_vec3_scale(up.x, up)),
            y = ts_vec3_sub(ts_vec3_axis(1), ts_vec3_scale(up.y, up));
    // Two of three axes lie across enough.
    if (ts_vec3_norm_squared(x) < 0.25) x = ts_vec3_axis(2);
    if (ts_vec3_norm_squared(y) < 0.25) y = ts_vec3_axis(2);
    double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < storage->run_count; ++i)
        for (int k = 0; k < 2; ++k) {
            double at = ts_vec3_dot(k ? y : x, storage->contact_run[i].centre);
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

static int is_diagonal(const ts_mat3* I) { return I->m[0][1] == 0.0 && I->m[0][2] == 0.0 && I->m[1][2] == 0.0; }

// Diagonal matrices, in axes that are the columns of R.
static void store_diagonals(const ts_mat3* R, ts_vec3 d, ts_vec3 e, double* out_d, double* out_e) {
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double x = R->m[i][0] * R->m[j][0], y = R->m[i][1] * R->m[j][1], z = R->m[i][2] * R->m[j][2];
            *out_d++ = d.x * x + d.y * y + d.z * z;
            *out_e++ = e.x * x + e.y * y + e.z * z;
        }
}

// One by one: what is put together elsewhere is waited for when it is copied.
static void store_round(double d, double* out) {
    out[0] = out[3] = out[5] = d;
    out[1] = out[2] = out[4] = 0.0;
}

// A body's inertia and its inverse in world axes. What is round stays so to the bit.
static void weigh_body(const ts_mat3* R, const ts_mat3* I, int is_round, ts_pair_body* out) {
    if (!is_diagonal(I)) {
        store_tensor(ts_mat3_rotate_tensor(*R, *I), out->inertia);
        store_tensor(ts_mat3_rotate_tensor(*R, inverse_of(I)), out->inverse_inertia);
        return;
    }
    if (!is_round) {
        ts_vec3 d = {I->m[0][0], I->m[1][1], I->m[2][2]}, inverse = {1.0 / d.x, 1.0 / d.y, 1.0 / d.z};
        store_diagonals(R, d, inverse, out->inertia, out->inverse_inertia);
        return;
    }
    store_round(I->m[0][0], out->inertia);
    store_round(1.0 / I->m[0][0], out->inverse_inertia);
}

// The number of a body among the pairs'.
static int slot_of(layout* l, int body) {
    int tree = ts_sim_storage_of(l->sim)->body_tree[body];
    if (tree < 0) return 0;
    if (l->slot[tree]) return l->slot[tree];
    int slot = l->slot[tree] = l->body_count++;
    l->pile->tree[slot] = tree;
    return slot;
}

// Generalised velocities are those of the frame's origin in world axes, and of turning in the body's; pairs' are those of the centre of mass, all in
// the world's.
static void take_speed(const ts_sim* sim, int tree, const double* from, double* to) {
    const ts_kinematic_tree* t = &sim->model->tree[tree];
    const ts_mat3* R = &sim->kinematics.body_pose[t->root].R;
    ts_vec3 v = ts_vec3_load(from + t->dof_first), omega = ts_vec3_load(from + t->dof_first + 3);
    if (t->kind != TS_TREE_CENTRED)
        v = ts_vec3_add(v, ts_mat3_mul_vec(R, ts_vec3_cross(omega, sim->model->body[t->root].centre)));
    ts_vec3_store(v, to);
    ts_vec3_store(ts_mat3_mul_vec(R, omega), to + 3);
    to[6] = to[7] = 0.0;
}

// Where bodies that have a number are, how they move, their masses and inertias.
static void take_bodies(void* context, int begin, int end, int worker) {
    const layout* l = (const layout*)context;
    (void)worker;
    for (int slot = begin > 0 ? begin : 1; slot < end; ++slot) {
        int tree = l->pile->tree[slot], root = l->sim->model->tree[tree].root;
        const ts_body* b = &l->sim->model->body[root];
        ts_pair_body* pair_body = &l->body[slot];
        int is_round = ts_touched_rotation_is_round(&b->inertia);
        l->centre[slot] = l->sim->kinematics.body_centre[root];
        take_speed(l->sim, tree, l->sim->qvel, l->velocity + (size_t)TS_PAIR_SPEEDS * (size_t)slot);
        pair_body->mass = b->mass;
        pair_body->inverse_mass = 1.0 / b->mass;
        l->pile->flies_on[slot] = is_round && l->sim->model->tree[tree].kind == TS_TREE_CENTRED && b->buoyancy == 0.0;
        weigh_body(&l->sim->kinematics.body_pose[root].R, &b->inertia, is_round, pair_body);
    }
}

static void add_unit(layout* l, int run, int first, int count, const int slot[2], double place) {
    l->run_of[l->unit_count] = run;
    l->unit[l->unit_count++] = (ts_pair_unit){{slot[0], slot[1]}, first, count, place};
}

// Contacts of a pair of geoms: units of one normal.
static void add_run(layout* l, int r, double place) {
    const ts_contact_run* run = &ts_sim_storage_of(l->sim)->contact_run[r];
    const ts_contact_note* note = ts_sim_storage_of(l->sim)->contact_note;
    int slot[2] = {slot_of(l, run->body[0]), slot_of(l, run->body[1])}, end = run->first + run->count;
    for (int k = 0; k < run->count && run->kind & TS_CONTACT_RUN_BOUNCES; ++k)
        l->pile->elastic[l->pile->elastic_count++] = (ts_pile_bounce){run->first + k, run->restitution, 0.0};
    for (int i = run->first, next; i < end; i = next) {
        for (next = i + 1; next < end && note[next].unit == note[i].unit;) ++next;
        add_unit(l, r, i, next - i, slot, place);
    }
}

// Of contact i.
static const ts_row_memory* memory_of(const ts_sim* sim, int i) {
    int memory = ts_sim_storage_of(sim)->contact_memory_index[i];
    return memory >= 0 ? &sim->row_memory.data[memory] : NULL;
}

// What a unit begins with is asked for, what leads to the rest of it first.
static void expect_unit(void* context, int u, int how_far) {
    const layout* l = (const layout*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(l->sim);
    const ts_contact_run* run = &storage->contact_run[l->run_of[u]];
    int first = l->unit[u].first, memory = storage->contact_memory_index[first];
    const ts_row_memory* old = &l->sim->row_memory.data[memory < 0 ? 0 : memory];
    if (how_far > 0) {
        ts_contact_expect(run, 0, sizeof *run);
        ts_contact_expect(&storage->contact_note[first], 0, sizeof(ts_contact_note));
        ts_contact_expect(&storage->found->point[first], 0, TS_PAIR_POINTS * sizeof(ts_found_point));
        if (memory >= 0) ts_contact_expect(old, 0, TS_PAIR_POINTS * sizeof *old);
    } else {
        ts_contact_expect(&storage->found->normal[run->unit], 0, sizeof(ts_vec3));
        if (memory >= 0) ts_contact_expect(&l->sim->row_more.data[old->more], 0, sizeof(ts_row_more));
    }
}

// Contacts of a unit into its seat. They have one frame, the first one's.
static void fill_unit(void* context, int u, const ts_pair_seat* seat) {
    const layout* l = (const layout*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(l->sim);
    const ts_pair_unit* unit = &l->unit[u];
    const ts_contact_run* run = &storage->contact_run[l->run_of[u]];
    const ts_found_point* point = &storage->found->point[unit->first];
    ts_vec3 centre = l->centre[unit->body[0]], impulse[TS_PAIR_POINTS];
    ts_mat3 frame;
    int lane = seat->lane;
    ts_found_start(l->sim, run, unit, &frame, impulse);
    for (int k = 0; k < unit->count; ++k) {
        ts_pair_vector_put(&seat->point[k].lever, lane, ts_vec3_sub(point[k].position, centre));
        ts_pair_vector_put(&seat->point[k].lambda, lane, impulse[k]);
        seat->track[k].gap[lane] = point[k].gap;
    }
    ts_pair_vector_put(&seat->group->normal, lane, ts_mat3_column(&frame, 2));
    ts_pair_vector_put(&seat->group->tangent, lane, ts_mat3_column(&frame, 0));
    ts_pair_vector_put(&seat->group->offset, lane, ts_vec3_sub(centre, l->centre[unit->body[1]]));
    seat->group->friction[lane] = run->friction;
}

// Before memories are written over.
static void note_pauses(const ts_sim* sim, ts_pile* pile) {
    for (int i = 0; pile->pause && i < sim->contact_count; ++i) {
        const ts_row_memory* memory = memory_of(sim, i);
        pile->pause[i] = memory ? ts_step_pause_of(memory) : (ts_row_pause){0, 0};
    }
}

static ts_pile* take_pile(ts_sim* sim, const pile_counts* counts) {
    ts_arena* arena = &ts_sim_storage_of(sim)->solve_scratch[0];
    // In the place of what the search for contacts had there.
    ts_arena_reset(arena);
    ts_pile* pile = TS_ARENA_ARRAY(arena, ts_pile, 1);
    if (!pile) return NULL;
    pile->elastic_count = 0;
    pile->centre = NULL;
    pile->tree = TS_ARENA_ARRAY(arena, int, sim->model->tree_count + 1);
    pile->flies_on = TS_ARENA_ARRAY(arena, unsigned char, sim->model->tree_count + 1);
    pile->elastic = TS_ARENA_ARRAY(arena, ts_pile_bounce, counts->elastic);
    pile->pause = counts->pauses ? TS_ARENA_ARRAY(arena, ts_row_pause, sim->contact_count) : NULL;
    if (arena->failed) return NULL;
    note_pauses(sim, pile);
    return pile;
}

static ts_pairs* lay_out(ts_sim* sim, ts_pile* pile, int units) {
    ts_arena *arena = &ts_sim_storage_of(sim)->solve_scratch[0], *scratch = &sim->scratch;
    const ts_contact_run* run = ts_sim_storage_of(sim)->contact_run;
    int most = sim->model->tree_count + 1;
    layout l = {.sim = sim, .pile = pile, .body_count = 1};
    l.body = TS_ARENA_ARRAY(arena, ts_pair_body, most);
    l.velocity = TS_ARENA_ARRAY(arena, double, TS_PAIR_SPEEDS* most);
    l.slot = (int*)ts_arena_alloc_zeroed(scratch, (size_t)sim->model->tree_count, sizeof(int));
    l.centre = TS_ARENA_ARRAY(scratch, ts_vec3, most);
    l.unit = TS_ARENA_ARRAY(scratch, ts_pair_unit, units);
    l.run_of = TS_ARENA_ARRAY(scratch, int, units);
    const int* order = ts_contact_order_runs(sim);
    if (arena->failed || scratch->failed || !order) return NULL;
    memset(&l.body[0], 0, sizeof l.body[0]);
    memset(l.velocity, 0, TS_PAIR_SPEEDS * sizeof(double));
    pile->tree[0] = -1;
    l.centre[0] = ts_vec3_zero();
    ts_vec3 across = wide_axis(sim);
    for (int r = 0; r < ts_sim_storage_of(sim)->run_count; ++r)
        add_run(&l, order[r], ts_vec3_dot(across, run[order[r]].centre));
    TS_ASSERT(l.unit_count == units);
    ts_task_parallel_for(sim->tasks, l.body_count, GRAIN, take_bodies, &l);
    pile->before = TS_ARENA_ARRAY(arena, double, TS_PAIR_SPEEDS* l.body_count);
    if (!pile->before) return NULL;
    memcpy(pile->before, l.velocity, TS_PAIR_SPEEDS * (size_t)l.body_count * sizeof(double));
    ts_pairs_input input = {.body = l.body,
                            .velocity = l.velocity,
                            .unit = l.unit,
                            .source = {&l, fill_unit, sim->contact_count > MANY ? expect_unit : NULL},
                            .body_count = l.body_count,
                            .unit_count = l.unit_count,
                            .contact_count = sim->contact_count,
                            .brief = scratch,
                            .tasks = sim->tasks,
                            .omega = ts_solver_get(sim->solver, sim->solver_settings, "omega"),
                            .most_approach = ts_contact_bounce_threshold(&sim->options)};
    return ts_pairs_make(arena, &input);
}

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
        take_speed(job->sim, job->pile->tree[b], job->from, job->to + (size_t)TS_PAIR_SPEEDS * (size_t)b);
}

// The same of a substep that goes on with the impulses of the one before.
static void renew_free_speeds(void* context, int begin, int end, int worker) {
    const speed_job* job = (const speed_job*)context;
    (void)worker;
    for (int b = begin > 0 ? begin : 1; b < end; ++b) {
        double speed[TS_PAIR_SPEEDS];
        take_speed(job->sim, job->pile->tree[b], job->from, speed);
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
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, GRAIN, renews ? take_free_speeds : renew_free_speeds,
                         &job);
}

static void give_speeds(const ts_sim* sim, const ts_pile* pile, double* qvel) {
    speed_job job = {sim, pile, pile->pairs->velocity, qvel};
    memcpy(qvel, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
    ts_task_parallel_for(sim->tasks, pile->pairs->body_count, GRAIN, give_speed, &job);
}

// --- a step and its substeps ---------------------------------------------------------------------------------------------

static int is_last(const ts_sim_storage* storage) { return storage->substep + 1 == storage->substep_count; }

int ts_pile_remembers(const ts_sim* sim) { return !ts_pile_is_on(sim) || is_last(ts_sim_storage_of(sim)); }

int ts_pile_open(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->pile = NULL;
    pile_counts counts;
    if (!fits(sim, &counts)) {
        if (storage->lacks_twists) ts_sim_move_on(sim);
        return !storage->found || (ts_found_fill(sim) && ts_found_take_rare(sim));
    }
    ts_pile* pile = take_pile(sim, &counts);
    if (!pile) return 0;
    pile->pairs = lay_out(sim, pile, counts.units);
    if (!pile->pairs) return 0;
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
        int k = pile->elastic[e].contact, lane, bounces = 0;
        const ts_row_memory* memory = is_first ? memory_of(sim, k) : NULL;
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
