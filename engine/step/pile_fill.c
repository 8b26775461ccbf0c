// What a pile's pairs begin with: where their points are, how they lie, and what the last step leaves of their impulses.
//
// Problem: a pile that stands has the contacts of the last step, and to find of each its frame and its start one by one took as long as three sweeps.
// Rule: where the units of a group's four lanes go on with points that all are remembered, of frames that are the last step's, all of it is
// found in four lanes at once; rows of memory are read as they lie and turned over. Any other is filled unit by unit (found.c).
// Source: that of one unit, ts_found_start.
// Guaranteed: the bits of four units one by one; the same with and without AVX2 (pile_fill_wide.c).
// Known to fail: nothing of its own.
#include "engine/step/pile_fill_internal.h"

#include <float.h>

#include "base/linear/four.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/pile_start_internal.h"

#if TS_WIDE
#define KERNEL(name) name##_wide
#else
#define KERNEL(name) name##_plain
#endif

enum { LANES = TS_PAIR_LANES };

// A vector of each lane.
typedef struct lanes3 {
    ts_four x, y, z;
} lanes3;

static inline lanes3 minus3(lanes3 a, lanes3 b) {
    lanes3 v = {ts_four_minus(a.x, b.x), ts_four_minus(a.y, b.y), ts_four_minus(a.z, b.z)};
    return v;
}

static inline lanes3 times3(ts_four s, lanes3 a) {
    lanes3 v = {ts_four_product(s, a.x), ts_four_product(s, a.y), ts_four_product(s, a.z)};
    return v;
}

static inline lanes3 where3(ts_four c, lanes3 a, lanes3 b) {
    lanes3 v = {ts_four_where(c, a.x, b.x), ts_four_where(c, a.y, b.y), ts_four_where(c, a.z, b.z)};
    return v;
}

static inline ts_four dot3(lanes3 a, lanes3 b) {
    return ts_four_plus(ts_four_plus(ts_four_product(a.x, b.x), ts_four_product(a.y, b.y)), ts_four_product(a.z, b.z));
}

static inline lanes3 cross3(lanes3 a, lanes3 b) {
    lanes3 v = {ts_four_minus(ts_four_product(a.y, b.z), ts_four_product(a.z, b.y)),
                ts_four_minus(ts_four_product(a.z, b.x), ts_four_product(a.x, b.z)),
                ts_four_minus(ts_four_product(a.x, b.y), ts_four_product(a.y, b.x))};
    return v;
}

// Four numbers of each lane; the last ones into out_fourth.
static inline lanes3 gather(const double* const from[LANES], ts_four* out_fourth) {
    ts_four a = ts_four_load(from[0]), b = ts_four_load(from[1]), c = ts_four_load(from[2]), d = ts_four_load(from[3]);
    ts_four_transpose(&a, &b, &c, &d);
    *out_fourth = d;
    return (lanes3){a, b, c};
}

static inline void put3(lanes3 v, ts_pair_vector* to) {
    ts_four_store(v.x, to->at[0]);
    ts_four_store(v.y, to->at[1]);
    ts_four_store(v.z, to->at[2]);
}

// Four units, and what is remembered of them.
typedef struct four_units {
    const ts_pair_unit* unit[LANES];
    const ts_contact_run* run[LANES];
    const int* memory[LANES];  // of the unit's points
    int count;
} four_units;

// Whether points of a unit are all remembered, with one frame, as a pile remembers them.
static inline int goes_on(const ts_row_memory* known, const int* memory, int count) {
    if (memory[0] < 0) return 0;
    unsigned more = known[memory[0]].more;
    for (int k = 0; k < count; ++k) {
        if (memory[k] < 0) return 0;
        const ts_row_memory* old = &known[memory[k]];
        if (old->more != more || !old->valid || old->keeper != TS_ROW_KEEPER_PILE) return 0;
    }
    return 1;
}

static inline int find_units(const ts_pile_fill* fill, const int* u, four_units* out) {
    const ts_sim_storage* storage = ts_sim_storage_of(fill->sim);
    out->count = fill->unit[u[0]].count;
    for (int k = 0; k < LANES; ++k) {
        out->unit[k] = &fill->unit[u[k]];
        out->run[k] = &storage->contact_run[fill->run_of[u[k]]];
        out->memory[k] = storage->contact_memory_index + out->unit[k]->first;
        if (!goes_on(fill->sim->row_memory.data, out->memory[k], out->count)) return 0;
    }
    return 1;
}

// fresh_tangent of found.c: of geom A's axes the one least along the normal, of a plane the first.
static inline lanes3 fresh_tangents(const ts_pile_fill* fill, const four_units* four, lanes3 normal) {
    const ts_sim* sim = fill->sim;
    const double* row[3][LANES];
    double turns[LANES];
    for (int k = 0; k < LANES; ++k) {
        int geom = four->run[k]->geom[0];
        // Each read goes one number further than its row, which is the next of the pose.
        for (int i = 0; i < 3; ++i) row[i][k] = ts_kinematics_geom(&sim->kinematics, geom)->R.m[i];
        turns[k] = sim->model->geom[geom].shape.kind != TS_SHAPE_PLANE;
    }
    ts_four rest, choice = ts_four_make(turns[0], turns[1], turns[2], turns[3]);
    lanes3 x = gather(row[0], &rest), y = gather(row[1], &rest), z = gather(row[2], &rest);
    const lanes3 axis[3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    lanes3 best = axis[0];
    ts_four least = ts_four_size(dot3(best, normal));
    for (int i = 1; i < 3; ++i) {
        ts_four along = ts_four_size(dot3(axis[i], normal));
        ts_four less = ts_four_product(choice, ts_four_minus(least, along));
        best = where3(less, axis[i], best);
        least = ts_four_where(less, along, least);
    }
    return best;
}

// contact_frame of found.c. Returns 0 where a lane's normal is far from the last step's, or is none.
static inline int find_frames(const ts_pile_fill* fill, const four_units* four, lanes3 axis[3]) {
    const ts_sim_storage* storage = ts_sim_storage_of(fill->sim);
    const double *at[LANES], *old[LANES], *old_tangent[LANES];
    for (int k = 0; k < LANES; ++k) {
        int first = four->unit[k]->first;
        at[k] = &storage->found->normal[four->run[k]->unit + storage->contact_note[first].unit].x;
        old[k] = fill->sim->row_more.data[fill->sim->row_memory.data[*four->memory[k]].more].number;
        old_tangent[k] = old[k] + TS_CONTACT_TANGENT - 1;
    }
    ts_four rest;
    lanes3 normal = gather(at, &rest), was = gather(old, &rest), apart = minus3(was, normal);
    lanes3 tangent = gather(old_tangent, &rest);
    tangent = (lanes3){tangent.y, tangent.z, rest};
    ts_four squared = ts_four_all(ts_found_same_normal * ts_found_same_normal);
    ts_four near = ts_four_minus(squared, dot3(apart, apart));
    if (!ts_four_every(near)) tangent = where3(near, tangent, fresh_tangents(fill, four, normal));
    ts_four agree = ts_four_minus(dot3(was, normal), ts_four_all(ts_contact_least_agreement));
    tangent = minus3(tangent, times3(dot3(tangent, normal), normal));
    ts_four most = ts_four_most(ts_four_size(tangent.y), ts_four_size(tangent.x));
    most = ts_four_most(ts_four_size(tangent.z), most);
    ts_four finite = ts_four_minus(ts_four_all(DBL_MAX), most);
    if (!ts_four_every(ts_four_least(agree, ts_four_least(finite, most)))) return 0;
    tangent = (lanes3){ts_four_quotient(tangent.x, most), ts_four_quotient(tangent.y, most),
                       ts_four_quotient(tangent.z, most)};
    axis[0] = times3(ts_four_quotient(ts_four_all(1.0), ts_four_root(dot3(tangent, tangent))), tangent);
    axis[1] = cross3(normal, axis[0]);
    axis[2] = normal;
    return 1;
}

// Points k of all lanes.
static inline void fill_points(const ts_pile_fill* fill, const four_units* four, const lanes3 axis[3], lanes3 centre,
                               int k, const ts_pair_seat* seat) {
    const ts_sim_storage* storage = ts_sim_storage_of(fill->sim);
    const ts_row_memory* old[LANES];
    const double *where[LANES], *impulse_of[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        old[lane] = &fill->sim->row_memory.data[four->memory[lane][k]];
        where[lane] = &storage->found->point[four->unit[lane]->first + k].position.x;
        impulse_of[lane] = old[lane]->impulse;
    }
    ts_four gap, mean, zero = ts_four_zero();
    lanes3 position = gather(where, &gap), impulse = gather(impulse_of, &mean);
    ts_four share =
        ts_four_quotient(ts_four_all(fill->sim->options.time_step),
                         ts_four_make(old[0]->time_step, old[1]->time_step, old[2]->time_step, old[3]->time_step));
    impulse = times3(share, (lanes3){dot3(axis[0], impulse), dot3(axis[1], impulse), dot3(axis[2], impulse)});
    // ts_pile_start_at.
    mean = ts_four_product(share, mean);
    ts_four last = impulse.z, quarter = ts_four_all(0.25), leak = ts_four_all(storage->leak);
    ts_four stays = ts_four_least(ts_four_minus(last, ts_four_product(quarter, mean)),
                                  ts_four_minus(mean, ts_four_product(quarter, last)));
    ts_four begins = ts_four_plus(last, ts_four_product(leak, ts_four_minus(mean, last)));
    impulse.z = ts_four_where(stays, begins, last);
    mean = ts_four_where(stays, mean, zero);
    put3(minus3(position, centre), &seat->point[k].lever);
    put3(impulse, &seat->point[k].lambda);
    ts_four_store(gap, seat->track[k].gap);
    double means[LANES];
    ts_four_store(mean, means);
    for (int lane = 0; lane < LANES; ++lane) {
        ts_contact_note* note = &storage->contact_note[four->unit[lane]->first + k];
        note->mean = means[lane];
        note->steps = means[lane] > 0.0 ? old[lane]->steps : 0;
    }
}

int KERNEL(ts_pile_fill_four)(void* context, const int* u, const ts_pair_seat* seat) {
    const ts_pile_fill* fill = (const ts_pile_fill*)context;
    four_units four;
    lanes3 axis[3];
    if (!fill->sim->options.warm_start || !find_units(fill, u, &four) || !find_frames(fill, &four, axis)) return 0;
    const double* at[2][LANES];
    for (int k = 0; k < LANES; ++k)
        for (int side = 0; side < 2; ++side) at[side][k] = &fill->centre[four.unit[k]->body[side]].x;
    ts_four rest;
    lanes3 a = gather(at[0], &rest), b = gather(at[1], &rest);
    for (int k = 0; k < four.count; ++k) fill_points(fill, &four, axis, a, k, seat);
    put3(axis[2], &seat->group->normal);
    put3(axis[0], &seat->group->tangent);
    put3(minus3(a, b), &seat->group->offset);
    ts_four_store(
        ts_four_make(four.run[0]->friction, four.run[1]->friction, four.run[2]->friction, four.run[3]->friction),
        seat->group->friction);
    return 1;
}

#if !TS_WIDE

// What a unit begins with is asked for, what leads to the rest of it first.
void ts_pile_fill_expect(void* context, int u, int how_far) {
    const ts_pile_fill* fill = (const ts_pile_fill*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(fill->sim);
    const ts_contact_run* run = &storage->contact_run[fill->run_of[u]];
    int first = fill->unit[u].first, memory = storage->contact_memory_index[first];
    const ts_row_memory* old = memory < 0 ? NULL : &fill->sim->row_memory.data[memory];
    if (how_far > 0) {
        ts_contact_expect(run, 0, sizeof *run);
        ts_contact_expect(&storage->contact_note[first], 0, sizeof(ts_contact_note));
        ts_contact_expect(&storage->found->point[first], 0, TS_PAIR_POINTS * sizeof(ts_found_point));
        if (old) ts_contact_expect(old, 0, TS_PAIR_POINTS * sizeof *old);
    } else {
        ts_contact_expect(&storage->found->normal[run->unit], 0, sizeof(ts_vec3));
        if (old && old->more_count > 0) ts_contact_expect(&fill->sim->row_more.data[old->more], 0, sizeof(ts_row_more));
    }
}

// Contacts of a unit into its seat. They have one frame, the first one's.
void ts_pile_fill_unit(void* context, int u, const ts_pair_seat* seat) {
    const ts_pile_fill* fill = (const ts_pile_fill*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(fill->sim);
    const ts_pair_unit* unit = &fill->unit[u];
    const ts_contact_run* run = &storage->contact_run[fill->run_of[u]];
    const ts_found_point* point = &storage->found->point[unit->first];
    ts_vec3 centre = fill->centre[unit->body[0]], impulse[TS_PAIR_POINTS];
    ts_mat3 frame;
    int lane = seat->lane;
    ts_found_start(fill->sim, run, unit, &frame, impulse);
    for (int k = 0; k < unit->count; ++k) {
        ts_pair_vector_put(&seat->point[k].lever, lane, ts_vec3_sub(point[k].position, centre));
        ts_pair_vector_put(&seat->point[k].lambda, lane, impulse[k]);
        seat->track[k].gap[lane] = point[k].gap;
    }
    ts_pair_vector_put(&seat->group->normal, lane, ts_mat3_column(&frame, 2));
    ts_pair_vector_put(&seat->group->tangent, lane, ts_mat3_column(&frame, 0));
    ts_pair_vector_put(&seat->group->offset, lane, ts_vec3_sub(centre, fill->centre[unit->body[1]]));
    seat->group->friction[lane] = run->friction;
}

#endif
