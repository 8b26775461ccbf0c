// The problem of a pile's last substep, row by row, as any other step leaves it.
//
// Problem: certificates, recordings and people ask what was solved, and pairs (contact/pairs/) have no rows. Rule: every contact becomes a
// block, in the order of sim->contact; rows are over the velocities of centres and turning in world axes, six of each body, and with them goes
// M^-1 J^T (contact/operator/delassus.h). Impulses, reference velocities and velocities are those of the pairs.
// Guaranteed: u = G lambda + g is the velocity that the pairs were judged by, to rounding.
#include <string.h>

#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pile_internal.h"

enum { SIDE = 18 };  // numbers of three rows over six columns

// The problem under construction.
typedef struct rows {
    ts_sim* sim;
    const ts_pile* pile;
    int* place;  // (contact_count) of a contact among the pairs'
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
    size_t count = (size_t)r->sim->contact_count;
    r->place = TS_ARENA_ARRAY(arena, int, count);
    r->block = TS_ARENA_ARRAY(arena, ts_block, count);
    r->owner = TS_ARENA_ARRAY(arena, ts_row_block, count);
    r->block_row = TS_ARENA_ARRAY(arena, int, count + 1);
    r->segment_start = TS_ARENA_ARRAY(arena, int, count + 1);
    r->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, 2 * count);
    r->next = TS_ARENA_ARRAY(arena, double, 4 * SIDE * count);
    r->g = TS_ARENA_ARRAY(arena, double, 3 * count);
    r->impulse = TS_ARENA_ARRAY(arena, double, 3 * count);
    r->reference = (double*)ts_arena_alloc_zeroed(arena, 3 * count, sizeof(double));
    r->after = TS_ARENA_ARRAY(arena, double, 3 * count);
    return !arena->failed;
}

static ts_vec3 tensor_times(const double I[6], ts_vec3 a) {
    return ts_vec3_make(I[0] * a.x + I[1] * a.y + I[2] * a.z, I[1] * a.x + I[3] * a.y + I[4] * a.z,
                        I[2] * a.x + I[4] * a.y + I[5] * a.z);
}

// Rows of one side of a contact, and M^-1 J^T. Adds J v_free to g.
static void fill_side(const ts_pairs* pairs, const ts_pile_contact* place, int side, const ts_mat3* frame, double* J,
                      double* Y, double* g) {
    const ts_pair_body* body = &pairs->body[place->body[side]];
    const double* free = pairs->free + (size_t)TS_PAIR_SPEEDS * (size_t)place->body[side];
    for (int k = 0; k < 3; ++k, J += 6, Y += 6) {
        ts_vec3 push = ts_vec3_scale(side ? 1.0 : -1.0, ts_mat3_column(frame, k));
        ts_vec3 turn = ts_vec3_cross(place->lever[side], push);
        ts_vec3_store(push, J);
        ts_vec3_store(turn, J + 3);
        ts_vec3_store(ts_vec3_scale(body->inverse_mass, push), Y);
        ts_vec3_store(tensor_times(body->inverse_inertia, turn), Y + 3);
        for (int d = 0; d < 6; ++d) g[k] += J[d] * free[d];
    }
}

// A contact as the pairs have it now; its point has moved on with its bodies.
static void show_contact(const rows* r, int k, ts_contact* contact) {
    int lane, row = 3 * contact->block;
    const ts_pairs* pairs = r->pile->pairs;
    const ts_pile_contact* place = &r->pile->contact[k];
    const ts_pair_track* track = ts_pairs_track(pairs, k, &lane);
    const ts_pair_point* point = ts_pairs_point(pairs, k, &lane);
    ts_vec3 a = ts_vec3_add(ts_pile_centre(r->sim, contact->body_a), place->lever[0]);
    ts_vec3 b = ts_vec3_add(ts_pile_centre(r->sim, contact->body_b), place->lever[1]);
    contact->position = ts_vec3_scale(0.5, ts_vec3_add(a, b));
    contact->gap = track->gap[lane];
    contact->velocity = ts_pair_vector_get(&track->velocity, lane);
    contact->impulse = ts_pair_vector_get(&point->lambda, lane);
    contact->angular_impulse = ts_vec3_zero();
    ts_vec3_store(contact->velocity, r->after + row);
    ts_vec3_store(contact->impulse, r->impulse + row);
    r->reference[row + 2] = point->reference[lane];
}

// Block i: sim->contact[i].
static void add_block(rows* r, int i) {
    ts_contact* contact = &r->sim->contact[i];
    const ts_pile_contact* place = &r->pile->contact[r->place[i]];
    int at = r->segment_start[i], sides = (place->body[0] > 0) + (place->body[1] > 0);
    double *J = r->next, *Y = r->next + sides * SIDE, *g = r->g + 3 * i;
    show_contact(r, r->place[i], contact);
    g[0] = g[1] = 0.0;
    g[2] = -r->reference[3 * i + 2];
    for (int side = 0; side < 2; ++side) {
        if (!place->body[side]) continue;
        fill_side(r->pile->pairs, place, side, &contact->frame, J, Y, g);
        r->segment[at++] = (ts_delassus_segment){6 * (place->body[side] - 1), 6, J, Y};
        J += SIDE;
        Y += SIDE;
    }
    r->next = Y;
    ts_row_key key = {(uint64_t)(uint32_t)contact->geom_a << 32 | (uint32_t)contact->geom_b, contact->key};
    r->owner[i] = (ts_row_block){key, r->source, i, ts_sim_storage_of(r->sim)->contact_memory_index[i], TS_ROW_FREE};
    r->block[i] = (ts_block){TS_SET_CONE, 3 * i, 3, contact->surface.friction, 0.0, 0.0};
    r->block_row[i + 1] = 3 * (i + 1);
    r->segment_start[i + 1] = at;
}

// The islands of the pairs as lists of blocks. Returns 0 when memory is short.
static int list_islands(const rows* r, ts_islands* out) {
    const ts_pairs* pairs = r->pile->pairs;
    int count = r->sim->contact_count;
    int* start = (int*)ts_arena_alloc_zeroed(&r->sim->scratch, (size_t)pairs->island_count + 2, sizeof(int));
    int* block = TS_ARENA_ARRAY(&r->sim->scratch, int, count);
    if (!start || !block) return 0;
    // One place ahead, so that filling the list leaves every start where it belongs.
    for (int i = 0; i < pairs->island_count; ++i) start[i + 2] = start[i + 1] + pairs->island[i].contacts;
    for (int i = 0; i < count; ++i) {
        const ts_pile_contact* place = &r->pile->contact[r->place[i]];
        block[start[pairs->island_of[place->body[0] ? place->body[0] : place->body[1]] + 1]++] = i;
    }
    *out = (ts_islands){pairs->island_count, start, block};
    return 1;
}

int ts_pile_show(ts_sim* sim, const ts_pile* pile) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    rows r = {.sim = sim, .pile = pile, .source = ts_row_source_find("contact")};
    int count = sim->contact_count;
    if (!take_rows(&r)) return 0;
    for (int k = 0; k < count; ++k) r.place[pile->contact[k].contact] = k;
    r.block_row[0] = r.segment_start[0] = 0;
    for (int i = 0; i < count; ++i) add_block(&r, i);
    ts_contact_problem* problem = &sim->problem;
    memset(problem, 0, sizeof *problem);
    problem->delassus = ts_delassus_velocity_form(&sim->scratch, 6 * (pile->pairs->body_count - 1), count, r.block_row,
                                                  r.segment_start, r.segment);
    if (!problem->delassus || !list_islands(&r, &storage->islands)) return 0;
    problem->block_count = count;
    problem->row_count = 3 * count;
    problem->block = r.block;
    problem->g = r.g;
    problem->time_step = sim->options.time_step;
    problem->rest_speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    problem->delassus->ops->set_impulse(problem->delassus, r.impulse);
    sim->row_block = r.owner;
    sim->impulse = r.impulse;
    storage->reference = r.reference;
    storage->rigid_reference = storage->rigid_R = storage->row_before = NULL;
    storage->row_after = r.after;
    storage->row_softness = NULL;
    return 1;
}
