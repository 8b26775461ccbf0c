// The source of rows that contacts are, beyond the interface: its reference velocity, and what the narrow phase wants of its
// memory.
#ifndef TS_ENGINE_ROWS_CONTACT_INTERNAL_H
#define TS_ENGINE_ROWS_CONTACT_INTERNAL_H

#include "base/linear/four.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pile_start_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Asks for the memory of entries that are soon written, `ahead` of `at` and `bytes` long, so that nobody waits for it then. There need not be any.
static inline void ts_contact_expect(const void* at, size_t ahead, size_t bytes) {
#if defined(__GNUC__)
    uintptr_t from = (uintptr_t)at + ahead * bytes;
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const void*)(from + i), 1);
#else
    (void)at, (void)ahead, (void)bytes;
#endif
}

/// What decides the reference velocity of a contact's normal row.
typedef struct ts_reference_input {
    double gap;          // m
    double restitution;  // 1
    double speed_now;    // m/s: normal relative velocity when the step begins, < 0 closing
    double speed_free;   // m/s: the same after the step without contacts
    int was_closed;      // nonzero when it carried an impulse in the last step
} ts_reference_input;

/// c*_N, m/s: the least separation velocity the step shall end with (docs/contact.md). *out_bounces is set to nonzero
/// when restitution decides.
double ts_contact_reference(const ts_options* options, const ts_reference_input* input, int* out_bounces);

/// Slower impacts than this do not bounce, m/s.
double ts_contact_bounce_threshold(const ts_options* options);

/// Where a contact's impulse begins (its rows): the remembered one in the frame of now, or nothing, where out_impulse stays as it is. speed_now:
/// m/s, of its normal when the step begins.
void ts_contact_start(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory, double speed_now,
                      double* out_impulse);

/// The key of the contact of no feature of two geoms, to which others add theirs: a label that people and recordings can follow, the pair's own
/// scrambled to 32 bits, then the feature. Matching never relies on the scrambled half being unique.
static inline uint64_t ts_contact_label(int geom_a, int geom_b) {
    uint64_t x = ((uint64_t)(uint32_t)geom_a << 32 | (uint32_t)geom_b) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    return (x * UINT64_C(0xbf58476d1ce4e5b9)) >> 32 << 32;
}

/// Where the vectors of a remembered contact begin: in its place, and in the numbers of its first entry of sim->row_more, which contacts that lie alike
/// may share. Its impulse is the linear one on B, in world axes; what resists spinning or rolling has a second entry, with the angular one (N m s). key.whole
/// is geom_a << 32 | geom_b, key.part ts_contact.key.
enum {
    TS_CONTACT_ON_A = 0,    // m, where on geom A, in its frame
    TS_CONTACT_ON_B = 3,    // m, where on geom B, in its frame
    TS_CONTACT_NORMAL = 0,  // world
    TS_CONTACT_TANGENT = 3  // world, tangent 1
};

/// The axes of a contact's frame, and rows of a geom's, with its origin, as ts_contact_remember reads them: once for all contacts that share them.
typedef struct ts_contact_axes {
    ts_four x, y, z;
} ts_contact_axes;
typedef struct ts_contact_geom {
    ts_four row[3], origin;
} ts_contact_geom;

static inline ts_contact_axes ts_contact_axes_of(const ts_mat3* frame) {
    const double* r = frame->m[0];
    ts_contact_axes axes = {ts_four_load(r), ts_four_load(r + 3), ts_four_next(ts_four_load(r + 5))};
    ts_four rest = ts_four_zero();
    ts_four_transpose(&axes.x, &axes.y, &axes.z, &rest);
    return axes;
}

/// Each read goes one number further than what it is for, which is the next of the pose; but not the last.
static inline ts_contact_geom ts_contact_geom_of(const ts_transform* pose) {
    const double* r = (const double*)pose;
    ts_contact_geom geom = {{ts_four_load(r), ts_four_load(r + 3), ts_four_load(r + 6)},
                            ts_four_next(ts_four_load(r + 8))};
    return geom;
}

static inline ts_four ts_contact_along(const ts_contact_axes* axes, ts_vec3 v) {
    ts_four xy = ts_four_plus(ts_four_times(v.x, axes->x), ts_four_times(v.y, axes->y));
    return ts_four_plus(xy, ts_four_times(v.z, axes->z));
}

static inline ts_four ts_contact_on_geom(const ts_contact_geom* geom, ts_four position) {
    ts_four d = ts_four_minus(position, geom->origin);
    ts_four xy = ts_four_plus(ts_four_product(ts_four_lane(d, 0), geom->row[0]),
                              ts_four_product(ts_four_lane(d, 1), geom->row[1]));
    return ts_four_plus(xy, ts_four_product(ts_four_lane(d, 2), geom->row[2]));
}

/// Puts the first three of them there, rounded.
static inline void ts_contact_store_place(ts_four v, float* to) {
    double place[3];
    ts_four_store_three(v, place);
    for (int i = 0; i < 3; ++i) to[i] = (float)place[i];
}

/// What the next step shall know of a contact at `position` between geoms that lie there: impulse and place. `impulse` is its own, in its
/// frame, of the last solve. Inline, for who goes through many.
static inline void ts_contact_remember(const ts_contact_axes* axes, const ts_contact_geom* a, const ts_contact_geom* b,
                                       ts_four position, ts_vec3 impulse, ts_row_memory* out_memory) {
    ts_four_store_three(ts_contact_along(axes, impulse), out_memory->impulse);
    ts_contact_store_place(ts_contact_on_geom(a, position), out_memory->place + TS_CONTACT_ON_A);
    ts_contact_store_place(ts_contact_on_geom(b, position), out_memory->place + TS_CONTACT_ON_B);
}

/// And how it lies.
static inline void ts_contact_remember_axes(const ts_contact_axes* axes, ts_row_more* out_more) {
    ts_four_store_three(axes->z, out_more->number + TS_CONTACT_NORMAL);
    ts_four_store_three(axes->x, out_more->number + TS_CONTACT_TANGENT);
}

/// ts_row_source.remember of contacts.
void ts_contact_remember_blocks(const ts_sim* sim, int b, int end, ts_row_memory* out_memory, ts_row_more* out_more);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_contact_remember_blocks_narrow(const ts_sim* sim, int b, int end, ts_row_memory* out_memory,
                                       ts_row_more* out_more);
void ts_contact_remember_blocks_wide(const ts_sim* sim, int b, int end, ts_row_memory* out_memory,
                                     ts_row_more* out_more);

/// What is remembered of contact i of the step; NULL: nothing.
static inline const ts_row_memory* ts_contact_memory_of(const ts_sim* sim, int i) {
    int memory = ts_sim_storage_of(sim)->contact_memory_index[i];
    return memory >= 0 ? &sim->row_memory.data[memory] : NULL;
}

/// A vector of how a remembered contact lay.
static inline ts_vec3 ts_contact_remembered(const ts_sim* sim, const ts_row_memory* memory, int which) {
    return ts_vec3_load(sim->row_more.data[memory->more].number + which);
}

/// m, where it was on a geom, in its frame, to seven digits.
static inline ts_vec3 ts_contact_remembered_place(const ts_row_memory* memory, int which) {
    const float* place = memory->place + which;
    return ts_vec3_make((double)place[0], (double)place[1], (double)place[2]);
}

/// Whether its impulse pressed.
static inline int ts_contact_was_closed(const ts_sim* sim, const ts_row_memory* memory) {
    return ts_vec3_dot(ts_vec3_load(memory->impulse), ts_contact_remembered(sim, memory, TS_CONTACT_NORMAL)) > 0.0;
}

/// 1: cosine between a normal and last step's below which the old impulse says nothing.
static const double ts_contact_least_agreement = 0.7;

/// What of the remembered impulse, in world axes, a contact with this normal begins with: the ratio of time steps, or 0. What closes faster than
/// ts_contact_bounce_threshold begins without, too.
static inline double ts_contact_start_share(const ts_sim* sim, const ts_row_memory* memory, ts_vec3 normal) {
    if (!sim->options.warm_start || !memory->valid) return 0.0;
    if (ts_vec3_dot(ts_contact_remembered(sim, memory, TS_CONTACT_NORMAL), normal) < ts_contact_least_agreement)
        return 0.0;
    return sim->options.time_step / memory->time_step;
}

/// Nonzero where a contact moves nothing but lone bodies.
static inline int ts_contact_is_loose(const ts_sim* sim, const ts_contact* contact) {
    const int* tree = ts_sim_storage_of(sim)->body_tree;
    int a = tree[contact->body_a], b = tree[contact->body_b];
    return (a < 0 || sim->model->tree[a].kind != TS_TREE_GENERAL) &&
           (b < 0 || sim->model->tree[b].kind != TS_TREE_GENERAL);
}

/// Where a contact's impulse along its frame begins, with that share; 0, where nothing is told, for nothing. speed_now: m/s, of its normal when the
/// step begins.
static inline double ts_contact_start_of(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory,
                                         double speed_now, ts_vec3* out_impulse) {
    double share = ts_contact_start_share(sim, memory, ts_mat3_column(&contact->frame, 2));
    if (share == 0.0 || (speed_now < 0.0 && -speed_now > ts_contact_bounce_threshold(&sim->options))) return 0.0;
    ts_vec3 impulse = ts_mat3_mul_vec_transposed(&contact->frame, ts_vec3_load(memory->impulse));
    *out_impulse = ts_vec3_scale(share, impulse);
    double leak = ts_sim_storage_of(sim)->leak, mean = share * ts_pile_mean_of(memory);
    if (leak > 0.0 && ts_contact_is_loose(sim, contact)) out_impulse->z = ts_pile_start_at(out_impulse->z, leak, &mean);
    return share;
}

/// Rows, free velocity, reference velocity and start of blocks from b on, of one pair of geoms, as far as they are frictional contacts of centred lone
/// bodies and plain, of a step in which nothing is soft: ts_row_source.lone of contacts.
int ts_contact_fill_lone(ts_sim* sim, const ts_row_plan* plan, int b, int end, const ts_row_place* place);

/// Turns a contact's tangents about its normal such that the first lies along `tangent`, projected (engine/step/found.c).
void ts_contact_turn_frame(const ts_sim* sim, ts_contact* contact, ts_vec3 tangent);

/// The contacts of the last step: entries [*out_first, *out_last) of sim->row_memory, sorted by pair.
void ts_contact_memory(const ts_sim* sim, int* out_first, int* out_last);

#ifdef __cplusplus
}
#endif
#endif
