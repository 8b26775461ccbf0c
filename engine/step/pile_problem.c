// The problem of a pile's last substep, row by row, as any other step leaves it, for whoever asks.
//
// Problem: certificates, recordings and people ask what was solved, and pairs (contact/pairs/) have no rows; writing them takes a tenth of a step. Rule: only
// when somebody asks (ts_sim_problem) every contact becomes a
// block, in their order; rows are over the velocities of centres and turning in world axes, six of each body, divided by the roots
// of masses and inertias, so that G = J J^T (contact/operator/delassus.h). Impulses, reference velocities and velocities are those of the pairs.
// Guaranteed: u = G lambda + g is the velocity that the pairs were judged by, to rounding.
#include <math.h>
#include <string.h>

#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pair_memory_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"
#include "engine/step/sleep_internal.h"

enum { SIDE = 18 };  // numbers of three rows over six columns

// A body of the pairs, as rows want it.
typedef struct side {
    ts_vec3 linear, angular;  // free velocity
    double mass;              // kg^-1/2
    double turn[6];           // A with A A^T the inverse inertia: 00 10 20 11 21 22
} side;

// The problem under construction.
typedef struct rows {
    ts_sim* sim;
    const ts_pile* pile;
    side* body;  // (body_count)
    ts_block* block;
    ts_row_block* owner;
    int* block_row;
    int* segment_start;
    ts_delassus_segment* segment;
    double* next;  // where the next block's numbers go
    double *g, *impulse, *reference, *after;
    int source;
} rows;

static int take_rows(rows* r) {
    ts_arena* arena = &r->sim->scratch;
    size_t count = (size_t)ts_sleep_solved(r->sim);
    r->body = TS_ARENA_ARRAY(arena, side, r->pile->pairs->body_count);
    r->block = TS_ARENA_ARRAY(arena, ts_block, count);
    r->owner = TS_ARENA_ARRAY(arena, ts_row_block, count);
    r->block_row = TS_ARENA_ARRAY(arena, int, count + 1);
    r->segment_start = TS_ARENA_ARRAY(arena, int, count + 1);
    r->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, 2 * count);
    r->next = TS_ARENA_ARRAY(arena, double, 2 * SIDE * count);
    r->g = TS_ARENA_ARRAY(arena, double, 3 * count);
    r->impulse = TS_ARENA_ARRAY(arena, double, 3 * count);
    r->reference = (double*)ts_arena_alloc_zeroed(arena, 3 * count, sizeof(double));
    r->after = TS_ARENA_ARRAY(arena, double, 3 * count);
    return !arena->failed;
}

static void prepare_bodies(const rows* r) {
    const ts_pairs* pairs = r->pile->pairs;
    memset(&r->body[0], 0, sizeof r->body[0]);
    for (int b = 1; b < pairs->body_count; ++b) {
        const double *I = pairs->body[b].inverse_inertia, *free = pairs->free + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        side* body = &r->body[b];
        body->linear = ts_vec3_load(free);
        body->angular = ts_vec3_load(free + 3);
        body->mass = sqrt(pairs->body[b].inverse_mass);
        double *A = body->turn, a00 = sqrt(I[0]), a10 = I[1] / a00, a20 = I[2] / a00, a11 = sqrt(I[3] - a10 * a10);
        A[0] = a00;
        A[1] = a10;
        A[2] = a20;
        A[3] = a11;
        A[4] = (I[4] - a20 * a10) / a11;
        A[5] = sqrt(I[5] - a20 * a20 - A[4] * A[4]);
    }
}

// Rows of one side of a contact. Adds J v_free to g.
static void fill_side(const side* body, ts_vec3 lever, const ts_vec3* axis, double sign, double* J, double* g) {
    const double* A = body->turn;
    for (int k = 0; k < 3; ++k, J += 6) {
        ts_vec3 push = ts_vec3_scale(sign, axis[k]), turn = ts_vec3_cross(lever, push);
        ts_vec3_store(ts_vec3_scale(body->mass, push), J);
        J[3] = A[0] * turn.x + A[1] * turn.y + A[2] * turn.z;
        J[4] = A[3] * turn.y + A[4] * turn.z;
        J[5] = A[5] * turn.z;
        g[k] += ts_vec3_dot(push, body->linear) + ts_vec3_dot(turn, body->angular);
    }
}

// What the pairs know of contact i.
static void fill_rows(const rows* r, int i) {
    int lane, row = 3 * i;
    const ts_pair_point* point = ts_pairs_point(r->pile->pairs, i, &lane);
    const ts_pair_track* track = ts_pairs_track(r->pile->pairs, i, &lane);
    ts_vec3_store(ts_pair_vector_get(&track->velocity, lane), r->after + row);
    ts_vec3_store(ts_pair_vector_get(&point->lambda, lane), r->impulse + row);
    r->reference[row + 2] = point->reference[lane];
}

// Block i: contact i, of that run.
static void add_block(rows* r, const ts_contact_run* run, int i) {
    const ts_pairs* pairs = r->pile->pairs;
    const ts_sim_storage* storage = ts_sim_storage_of(r->sim);
    int at = r->segment_start[i];
    double* g = r->g + 3 * i;
    ts_vec3 axis[3];
    ts_mat3 frame = ts_pair_frame(ts_pairs_group(pairs, i), pairs->slot[i] % TS_PAIR_LANES);
    for (int k = 0; k < 3; ++k) axis[k] = ts_mat3_column(&frame, k);
    fill_rows(r, i);
    g[0] = g[1] = 0.0;
    g[2] = -r->reference[3 * i + 2];
    for (int k = 0; k < 2; ++k) {
        int body = ts_pairs_body(pairs, i, k);
        if (!body) continue;
        fill_side(&r->body[body], ts_pairs_lever(pairs, i, k), axis, k ? 1.0 : -1.0, r->next, g);
        r->segment[at++] = (ts_delassus_segment){6 * (body - 1), 6, r->next, r->next};
        r->next += SIDE;
    }
    ts_row_key key = {ts_pair_key(run->geom[0], run->geom[1]),
                      ts_contact_label(run->geom[0], run->geom[1]) | storage->contact_note[i].feature};
    r->owner[i] = (ts_row_block){key, r->source, i, storage->contact_memory_index[i], TS_ROW_FREE};
    r->block[i] = (ts_block){TS_SET_CONE, 3 * i, 3, run->friction, 0.0, 0.0};
    r->block_row[i + 1] = 3 * (i + 1);
    r->segment_start[i + 1] = at;
}

// The islands of the pairs as lists of blocks. Returns 0 when memory is short.
static int list_islands(const rows* r, ts_islands* out) {
    const ts_pairs* pairs = r->pile->pairs;
    int count = ts_sleep_solved(r->sim);
    int* start = (int*)ts_arena_alloc_zeroed(&r->sim->scratch, (size_t)pairs->island_count + 2, sizeof(int));
    int* block = TS_ARENA_ARRAY(&r->sim->scratch, int, count);
    if (!start || !block) return 0;
    // One place ahead, so that filling the list leaves every start where it belongs.
    for (int i = 0; i < pairs->island_count; ++i) start[i + 2] = start[i + 1] + pairs->island[i].contacts;
    for (int i = 0; i < count; ++i) {
        int a = ts_pairs_body(pairs, i, 0), b = ts_pairs_body(pairs, i, 1);
        block[start[pairs->island_of[a ? a : b] + 1]++] = i;
    }
    *out = (ts_islands){pairs->island_count, start, block};
    return 1;
}

static int show(ts_sim* sim, const ts_pile* pile) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    rows r = {.sim = sim, .pile = pile, .source = ts_row_source_find("contact")};
    int count = ts_sleep_solved(sim);
    if (!take_rows(&r)) return 0;
    prepare_bodies(&r);
    r.block_row[0] = r.segment_start[0] = 0;
    for (int n = 0; n < storage->run_count; ++n) {
        const ts_contact_run* run = &storage->contact_run[n];
        for (int i = run->first; i < run->first + run->count; ++i) add_block(&r, run, i);
    }
    ts_contact_problem* problem = &sim->problem;
    memset(problem, 0, sizeof *problem);
    problem->delassus = ts_delassus_velocity_form(&sim->scratch, 6 * (pile->pairs->body_count - 1), count, r.block_row,
                                                  r.segment_start, r.segment);
    if (!problem->delassus || !list_islands(&r, &storage->islands)) return 0;
    problem->block_count = count;
    problem->row_count = 3 * count;
    problem->block = r.block;
    problem->g = r.g;
    problem->push_out = r.reference;
    problem->time_step = pile->pairs->law.time_step;
    problem->rest_speed = pile->rest_speed;
    problem->delassus->ops->set_impulse(problem->delassus, r.impulse);
    sim->row_block = r.owner;
    sim->impulse = r.impulse;
    storage->reference = storage->push_out = r.reference;
    storage->rigid_reference = storage->rigid_R = storage->row_before = NULL;
    storage->row_after = r.after;
    storage->row_softness = NULL;
    return 1;
}

const ts_contact_problem* ts_sim_problem(const ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_pile* pile = storage ? storage->unshown : NULL;
    // Whoever asks sees what was there all along.
    if (pile && !show((ts_sim*)sim, pile)) return NULL;
    if (pile) storage->unshown = NULL;
    return &sim->problem;
}
