// Contacts of a pile into the pairs that it is swept as.
//
// Problem: of every point that was found a pair wants a lever and what it may begin with, in a frame; what was remembered of contacts is as large as all that
// sweeps read, and of a pile at rest every number is looked at once. Rule: four units side by side, as they will lie: what stands one behind the other of
// each is loaded four numbers at a time and turned over, frames are made of the first points of all four, and a point of each begins with
// what it remembers. Where a contact has another frame than the first of its unit, or has just come, it goes alone, by narrow.c. Of the next group
// what is remembered and found is asked for ahead.
// Source: narrow.c, rows/contact.c, pile_start_internal.h.
// Guaranteed: the bits of one by one, and with and without AVX2 (pile_fill_wide.c): every lane is the same sums in the same order.
// Known to fail: nothing of its own.
#include <float.h>
#include <math.h>

#include "engine/step/four_vectors_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/narrow_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"

enum { LANES = TS_PAIR_LANES };

#if TS_WIDE
#define KERNEL(name) name##_wide
#else
#define KERNEL(name) name##_plain
#endif

// A point of each lane, and what is remembered of it; where there is none, of nothing.
typedef struct row {
    const ts_manifold_point* point[LANES];
    const ts_row_memory* old[LANES];
    ts_four there;  // > 0: there is one
} row;

// What is remembered of how a row lay.
typedef struct remembered {
    ts_four_vectors normal, tangent;
} remembered;

static const ts_pile_unit no_unit = {NULL, 0, 0, 0, -1};
static const ts_manifold_point no_point = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0};
static const ts_row_memory no_memory = {.time_step = 1.0};

static inline const ts_row_memory* memory_of(const ts_sim* sim, const ts_pile_unit* unit, int k) {
    const ts_row_memory* known = sim->row_memory.data;
    if (unit->memory >= 0) return known + unit->memory + k;
    int memory = ts_sim_storage_of(sim)->contact_memory_index[unit->first + k];
    return memory >= 0 ? known + memory : &no_memory;
}

// Any row k.
static inline void take_row(const ts_sim* sim, const ts_pile_unit* const unit[LANES], int k, row* out) {
    for (int i = 0; i < LANES; ++i) {
        int is_there = k < unit[i]->count;
        out->point[i] = is_there ? &unit[i]->point[k] : &no_point;
        out->old[i] = is_there ? memory_of(sim, unit[i], k) : &no_memory;
    }
    out->there = ts_four_make(k < unit[0]->count, k < unit[1]->count, k < unit[2]->count, k < unit[3]->count);
}

// How many rows are whole: every lane has a point that goes on from the entry behind that of the point before.
static inline int count_whole(const ts_pile_unit* const unit[LANES]) {
    int least = TS_PAIR_POINTS;
    for (int i = 0; i < LANES; ++i) {
        int count = unit[i]->memory >= 0 ? unit[i]->count : 0;
        if (count < least) least = count;
    }
    return least;
}

// Whether a pile has left all that a whole row remembers, and well.
static inline int goes_on(const row* r) {
    int fits = 1;
    for (int i = 0; i < LANES; ++i) fits &= r->old[i]->valid != 0 && r->old[i]->keeper == TS_ROW_KEEPER_PILE;
    return fits;
}

TS_FOUR_INLINE remembered recall(const row* r) {
    const double *normal[LANES], *tangent[LANES];
    ts_four rest;
    for (int i = 0; i < LANES; ++i) {
        normal[i] = r->old[i]->own + TS_CONTACT_NORMAL;
        tangent[i] = r->old[i]->own + TS_CONTACT_TANGENT;
    }
    remembered m = {ts_four_vectors_gather(normal, &rest), ts_four_vectors_gather(tangent, &rest)};
    return m;
}

TS_FOUR_INLINE ts_four square_of(ts_four_vectors v) { return ts_four_vectors_dot(v, v); }

TS_FOUR_INLINE ts_four largest_of(ts_four_vectors v) {
    return ts_four_most(ts_four_most(ts_four_size(v.x), ts_four_size(v.y)), ts_four_size(v.z));
}

TS_FOUR_INLINE ts_four sizes_of(ts_four_vectors v) {
    return ts_four_plus(ts_four_plus(ts_four_size(v.x), ts_four_size(v.y)), ts_four_size(v.z));
}

// The tangents that a row's are made of: those that are remembered, or axes of A.
TS_FOUR_INLINE ts_four_vectors wanted_tangents(const ts_sim* sim, const ts_pile_unit* const unit[LANES], const row* r,
                                               ts_four_vectors normal, const remembered* m) {
    ts_four zero = ts_four_zero(), one = ts_four_all(1.0);
    ts_four near = ts_four_minus(ts_four_all(ts_narrow_same_normal * ts_narrow_same_normal),
                                 square_of(ts_four_vectors_minus(m->normal, normal)));
    ts_four known = ts_four_where(near, largest_of(m->tangent), zero);
    ts_four_vectors any = {one, zero, zero}, wanted = ts_four_vectors_where(known, m->tangent, any);
    ts_four fresh = ts_four_where(known, zero, r->there);
    if (!ts_four_any(fresh)) return wanted;
    double lane[3][LANES], is_fresh[LANES];
    ts_four_vectors_store(wanted, lane[0]);
    ts_four_store(fresh, is_fresh);
    for (int i = 0; i < LANES; ++i) {
        if (is_fresh[i] <= 0.0) continue;
        int a = ts_sim_storage_of(sim)->contact_run[unit[i]->run].geom[0];
        ts_vec3 axis = ts_narrow_fresh_tangent(sim, a, r->point[i]->normal);
        lane[0][i] = axis.x;
        lane[1][i] = axis.y;
        lane[2][i] = axis.z;
    }
    return ts_four_vectors_load(lane[0]);
}

// The first tangents of the frames of a row's lanes; zero where there is none.
TS_FOUR_INLINE ts_four_vectors tangents_of(const ts_sim* sim, const ts_pile_unit* const unit[LANES], const row* r,
                                           ts_four_vectors normal, const remembered* m) {
    ts_four_vectors wanted = wanted_tangents(sim, unit, r, normal, m), none = ts_four_vectors_zero();
    ts_four along = ts_four_vectors_dot(wanted, normal), one = ts_four_all(1.0);
    ts_four_vectors t = ts_four_vectors_minus(wanted, ts_four_vectors_times(along, normal));
    ts_four most = largest_of(t), finite = ts_four_minus(ts_four_all(HUGE_VAL), sizes_of(t));
    ts_four_vectors part = {ts_four_quotient(t.x, most), ts_four_quotient(t.y, most), ts_four_quotient(t.z, most)};
    ts_four over = ts_four_quotient(one, ts_four_root(square_of(part)));
    part = ts_four_vectors_where(r->there, ts_four_vectors_times(over, part), none);
    ts_four bad = ts_four_where(most, ts_four_where(finite, ts_four_zero(), r->there), r->there);
    if (!ts_four_any(bad)) return part;
    // Nothing that shapes make.
    double lane[3][LANES], is_bad[LANES];
    ts_four_vectors_store(part, lane[0]);
    ts_four_store(bad, is_bad);
    for (int i = 0; i < LANES; ++i)
        if (is_bad[i] > 0.0) lane[0][i] = 1.0, lane[1][i] = lane[2][i] = 0.0;
    return ts_four_vectors_load(lane[0]);
}

// The share of remembered impulses that a row begins with: ts_contact_start_share. `goes_on`, here and below: it does.
TS_FOUR_INLINE ts_four shares_of(const ts_sim* sim, const row* r, ts_four_vectors normal, const remembered* m,
                                 int goes_on) {
    const ts_row_memory* const* old = r->old;
    ts_four zero = ts_four_zero();
    ts_four step = ts_four_make(old[0]->time_step, old[1]->time_step, old[2]->time_step, old[3]->time_step);
    double now = sim->options.warm_start ? sim->options.time_step : 0.0;
    ts_four share = ts_four_quotient(ts_four_all(now), step);
    ts_four other = ts_four_minus(ts_four_all(ts_contact_least_agreement), ts_four_vectors_dot(m->normal, normal));
    share = ts_four_where(other, zero, share);
    if (goes_on) return share;
    ts_four valid = ts_four_make(old[0]->valid, old[1]->valid, old[2]->valid, old[3]->valid);
    return ts_four_where(valid, share, zero);
}

// What a row's contacts begin with in their frames, and their means.
TS_FOUR_INLINE ts_four_vectors starts_of(const ts_sim* sim, double leak, const row* r, const ts_four_axes* frame,
                                         const remembered* m, int goes_on, ts_four* out_mean) {
    const double* impulse[LANES];
    const ts_row_memory* const* old = r->old;
    ts_four rest, share = shares_of(sim, r, frame->z, m, goes_on);
    for (int i = 0; i < LANES; ++i) impulse[i] = old[i]->impulse;
    ts_four_vectors start = ts_four_axes_seen(frame, ts_four_vectors_gather(impulse, &rest));
    start = ts_four_vectors_where(share, ts_four_vectors_times(share, start), ts_four_vectors_zero());
    ts_four mean = goes_on ? ts_four_make(old[0]->solver, old[1]->solver, old[2]->solver, old[3]->solver)
                           : ts_four_make(ts_pile_remembered(old[0]), ts_pile_remembered(old[1]),
                                          ts_pile_remembered(old[2]), ts_pile_remembered(old[3]));
    *out_mean = ts_four_product(share, mean);
    start.z = ts_pile_start(start.z, leak, out_mean);
    return start;
}

// > 0 in lanes that remember to have lain otherwise than the first of their unit, and may have another frame.
TS_FOUR_INLINE ts_four others_of(const row* r, const remembered* m, const remembered* first) {
    ts_four off = ts_four_plus(sizes_of(ts_four_vectors_minus(m->normal, first->normal)),
                               sizes_of(ts_four_vectors_minus(m->tangent, first->tangent)));
    // What is no number is otherwise, too.
    return ts_four_where(ts_four_minus(ts_four_all(DBL_TRUE_MIN), off), ts_four_zero(), r->there);
}

// What one contact begins with that may have a frame of its own, in that of its unit.
static ts_vec3 start_alone(const ts_sim* sim, double leak, const ts_contact_run* run, ts_vec3 normal,
                           const ts_row_memory* old, const ts_mat3* frame, double* out_mean) {
    ts_known_frame own = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero(), .frame = ts_mat3_zero()};
    double share = ts_contact_start_share(sim, old, normal), z[LANES];
    ts_narrow_frame(sim, run, normal, old, &own);
    ts_four mean = ts_four_all(share * ts_pile_remembered(old));
    ts_vec3 start = ts_vec3_zero();
    if (share != 0.0) start = ts_vec3_scale(share, ts_mat3_mul_vec_transposed(&own.frame, ts_vec3_load(old->impulse)));
    ts_four_store(ts_pile_start(ts_four_all(start.z), leak, &mean), z);
    start.z = z[0];
    ts_four_store(mean, z);
    *out_mean = z[0];
    ts_vec3 t = ts_mat3_column(&own.frame, 0), u = ts_mat3_column(frame, 0);
    if (t.x == u.x && t.y == u.y && t.z == u.z) return start;
    return ts_mat3_mul_vec_transposed(frame, ts_mat3_mul_vec(&own.frame, start));
}

// Where a row begins, those of its lanes included that go alone, and what its contacts take with them.
typedef struct begun {
    double start[3][LANES], mean[LANES];
} begun;

static void go_alone(const ts_pile_layout* l, const ts_pile_unit* const unit[LANES], const row* r, ts_four others,
                     const ts_pair_group* group, double leak, begun* io) {
    double is_other[LANES];
    ts_four_store(others, is_other);
    for (int i = 0; i < LANES; ++i) {
        if (is_other[i] <= 0.0) continue;
        const ts_contact_run* run = &ts_sim_storage_of(l->sim)->contact_run[unit[i]->run];
        ts_vec3 x = ts_pair_vector_get(&group->tangent, i), z = ts_pair_vector_get(&group->normal, i);
        ts_mat3 frame = ts_mat3_from_columns(x, ts_vec3_cross(z, x), z);
        ts_vec3 start = start_alone(l->sim, leak, run, z, r->old[i], &frame, &io->mean[i]);
        io->start[0][i] = start.x;
        io->start[1][i] = start.y;
        io->start[2][i] = start.z;
    }
}

// Asks for what is read of units that come next.
static inline void expect_units(const ts_pile_layout* l, const int* unit) {
    for (int i = 0; i < LANES; ++i) {
        const ts_pile_unit* next = unit[i] >= 0 ? &l->whose[unit[i]] : &no_unit;
        if (!next->count) continue;
        int memory = ts_sim_storage_of(l->sim)->contact_memory_index[next->first];
        ts_contact_expect(next->point, 0, (size_t)next->count * sizeof *next->point);
        if (memory >= 0)
            ts_contact_expect(&l->sim->row_memory.data[memory], 0, (size_t)next->count * sizeof(ts_row_memory));
    }
}

// What all rows of a group share.
typedef struct filling {
    const ts_pile_layout* l;
    const ts_pile_unit* unit[LANES];
    const ts_pair_seat* seat;
    ts_four_axes frame;
    ts_four_vectors centre;  // m, of A
    remembered first;        // of the first row
    double leak;
} filling;

// Row k. What every lane has, is where it `goes_on`.
TS_FOUR_INLINE void fill_row(const filling* f, const row* r, const remembered* m, int k, int goes_on) {
    const ts_pair_seat* seat = f->seat;
    const double* at[LANES];
    const ts_manifold_point* const* point = r->point;
    begun b;
    ts_four mean, rest;
    for (int i = 0; i < LANES; ++i) at[i] = &point[i]->position.x;
    ts_four_vectors lever = ts_four_vectors_minus(ts_four_vectors_gather(at, &rest), f->centre);
    if (!goes_on) lever = ts_four_vectors_where(r->there, lever, ts_four_vectors_zero());
    ts_four_vectors start = starts_of(f->l->sim, f->leak, r, &f->frame, m, goes_on, &mean);
    ts_four_vectors_store(start, b.start[0]);
    ts_four_store(mean, b.mean);
    ts_four others = k > 0 ? others_of(r, m, &f->first) : ts_four_zero();
    if (ts_four_any(others)) go_alone(f->l, f->unit, r, others, seat->group, f->leak, &b);
    ts_four_vectors_store(lever, seat->point[k].lever.at[0]);
    ts_four_vectors_store(ts_four_vectors_load(b.start[0]), seat->point[k].lambda.at[0]);
    ts_four_store(ts_four_make(point[0]->gap, point[1]->gap, point[2]->gap, point[3]->gap), seat->track[k].gap);
    for (int i = 0; i < LANES; ++i)
        if (goes_on || k < f->unit[i]->count)
            f->l->pile->contact[f->unit[i]->first + k] =
                (ts_pile_contact){b.mean[i], b.mean[i] > 0.0 ? r->old[i]->steps : 0, point[i]->feature};
}

// What the rows of a group share, from its first row.
TS_FOUR_INLINE void take_first(filling* f, const row* r) {
    const ts_pile_layout* l = f->l;
    const ts_contact_run* run = ts_sim_storage_of(l->sim)->contact_run;
    ts_pair_group* group = f->seat->group;
    const double *a[LANES], *b[LANES], *normal[LANES], *friction[LANES];
    ts_four rest;
    for (int i = 0; i < LANES; ++i) {
        friction[i] = f->unit[i]->count > 0 ? &run[f->unit[i]->run].surface.friction : &no_point.gap;
        a[i] = &l->centre[group->body[0][i]].x;
        b[i] = &l->centre[group->body[1][i]].x;
        normal[i] = &r->point[i]->normal.x;
    }
    f->centre = ts_four_vectors_gather(a, &rest);
    ts_four_vectors offset = ts_four_vectors_minus(f->centre, ts_four_vectors_gather(b, &rest));
    f->frame.z = ts_four_vectors_gather(normal, &rest);
    f->first = recall(r);
    f->frame.x = tangents_of(l->sim, f->unit, r, f->frame.z, &f->first);
    f->frame.y = ts_four_vectors_cross(f->frame.z, f->frame.x);
    ts_four_vectors_store(f->frame.z, group->normal.at[0]);
    ts_four_vectors_store(f->frame.x, group->tangent.at[0]);
    ts_four_vectors_store(offset, group->offset.at[0]);
    ts_four_store(ts_four_make(*friction[0], *friction[1], *friction[2], *friction[3]), group->friction);
}

static inline void fill(const ts_pile_layout* l, const int* of_lane, const ts_pair_seat* seat) {
    const ts_sim* sim = l->sim;
    filling f = {.l = l, .seat = seat, .leak = ts_pile_leak(ts_sim_storage_of(sim)->substep_count)};
    for (int i = 0; i < LANES; ++i) f.unit[i] = of_lane[i] >= 0 ? &l->whose[of_lane[i]] : &no_unit;
    expect_units(l, of_lane + LANES);
    int whole = count_whole(f.unit), k = 0;
    row r;
    take_row(sim, f.unit, 0, &r);
    take_first(&f, &r);
    remembered m = f.first;
    for (; k < whole && goes_on(&r); ++k) {
        fill_row(&f, &r, &m, k, 1);
        if (k + 1 == whole) continue;
        for (int i = 0; i < LANES; ++i) {
            ++r.point[i];
            ++r.old[i];
        }
        m = recall(&r);
    }
    for (; k < seat->group->count; ++k) {
        take_row(sim, f.unit, k, &r);
        m = recall(&r);
        fill_row(&f, &r, &m, k, 0);
    }
}

void KERNEL(ts_pile_fill)(void* layout, const int* unit, const ts_pair_seat* seat) {
    fill((const ts_pile_layout*)layout, unit, seat);
}
