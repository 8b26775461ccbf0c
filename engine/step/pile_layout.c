// The pairs of a pile.
//
// Problem: of a step's contacts, whether the pairs of bodies of contact/pairs/ can stand for them, and these. Rule: they can where every row is one of a
// frictional contact between lone free bodies and what does not move, the solver is ncp-pgs with settings that pairs know, and nothing is soft. Pairs of
// geoms are taken in the order of their memories; contacts of one normal are a unit, a body gets its number where it is first met.
// Source: own.
// Guaranteed: one order of units and bodies for any number of threads.
// Known to fail: nothing of its own.
#include <string.h>

#include "base/assert.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/pile_fill_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/sleep_internal.h"

enum { MANY = 1000 };  // contacts: what is known of fewer stays in the near caches

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

int ts_pile_fits(const ts_sim* sim, ts_pile_counts* out) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->found || sim->contact_count == 0) return 0;
    *out = (ts_pile_counts){0, 0, 0};
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
        ts_pile_take_speed(l->sim, tree, l->sim->qvel, l->velocity + (size_t)TS_PAIR_SPEEDS * (size_t)slot);
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

// Before memories are written over.
static void note_pauses(const ts_sim* sim, ts_pile* pile) {
    for (int i = 0; pile->pause && i < sim->contact_count; ++i) {
        const ts_row_memory* memory = ts_contact_memory_of(sim, i);
        pile->pause[i] = memory ? ts_step_pause_of(memory) : (ts_row_pause){0, 0};
    }
}

static ts_pile* take_pile(ts_sim* sim, const ts_pile_counts* counts) {
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

// What fills four units at once on this machine.
static int (*four_filler(void))(void*, const int*, const ts_pair_seat*) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_pile_fill_four_wide;
#endif
    return ts_pile_fill_four_plain;
}

static ts_pairs* lay_out(ts_sim* sim, ts_pile* pile, int units) {
    ts_arena *arena = &ts_sim_storage_of(sim)->solve_scratch[0], *scratch = &sim->scratch;
    const ts_contact_run* run = ts_sim_storage_of(sim)->contact_run;
    int most = sim->model->tree_count + 1;
    layout l = {.sim = sim, .pile = pile, .body_count = 1};
    l.body = TS_ARENA_ARRAY(arena, ts_pair_body, most);
    l.velocity = TS_ARENA_ARRAY(arena, double, TS_PAIR_SPEEDS* most);
    l.slot = (int*)ts_arena_alloc_zeroed(scratch, (size_t)sim->model->tree_count, sizeof(int));
    l.centre = TS_ARENA_ARRAY(scratch, ts_vec3, most + 1);
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
    ts_task_parallel_for(sim->tasks, l.body_count, TS_PILE_GRAIN, take_bodies, &l);
    pile->before = TS_ARENA_ARRAY(arena, double, TS_PAIR_SPEEDS* l.body_count);
    if (!pile->before) return NULL;
    memcpy(pile->before, l.velocity, TS_PAIR_SPEEDS * (size_t)l.body_count * sizeof(double));
    ts_pile_fill fill = {sim, l.centre, l.unit, l.run_of};
    ts_pairs_input input = {
        .body = l.body,
        .velocity = l.velocity,
        .unit = l.unit,
        .source = {&fill, ts_pile_fill_unit, sim->contact_count > MANY ? ts_pile_fill_expect : NULL, four_filler()},
        .body_count = l.body_count,
        .unit_count = l.unit_count,
        .contact_count = sim->contact_count,
        .brief = scratch,
        .tasks = sim->tasks,
        .omega = ts_solver_get(sim->solver, sim->solver_settings, "omega"),
        .most_approach = ts_contact_bounce_threshold(&sim->options)};
    return ts_pairs_make(arena, &input);
}

ts_pile* ts_pile_lay_out(ts_sim* sim, const ts_pile_counts* counts) {
    ts_pile* pile = take_pile(sim, counts);
    if (!pile) return NULL;
    pile->pairs = lay_out(sim, pile, counts->units);
    return pile->pairs ? pile : NULL;
}
