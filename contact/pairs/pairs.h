// Pairs of free bodies as units: what sweeps over piles in small steps work on. Points of a manifold share their bodies, masses and frame;
// rows are made of lever arms on the fly, 96 bytes a point. Four pairs that share no body lie side by side.
//
// Velocities are those of centres of mass and turning, both in world axes, and everything that depends on where bodies are stays as it was
// when the pairs were made: substeps change velocities, gaps and impulses.
#ifndef TS_CONTACT_PAIRS_H
#define TS_CONTACT_PAIRS_H

#include "base/arena.h"
#include "base/mat.h"
#include "base/task.h"
#include "contact/judge/residual.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sizes of what is laid out.
enum {
    TS_PAIR_LANES = 4,   // pairs side by side
    TS_PAIR_POINTS = 4,  // most points of a pair
    TS_PAIR_SPEEDS = 8   // numbers of a body's velocity: three of the centre, three of turning, two of nothing
};

/// A body. Number 0 stands for all that does not move, and is all zero.
typedef struct ts_pair_body {
    double mass;                // kg
    double inverse_mass;        // kg^-1
    double inertia[6];          // kg m^2, about the centre of mass, world axes: xx xy xz yy yz zz
    double inverse_inertia[6];  // likewise
} ts_pair_body;

/// A pair of bodies with up to four points of one normal, as far as its place is concerned.
typedef struct ts_pair_unit {
    int body[2];  // A and B
    int first;    // its contacts, by their number
    int count;
    double place;  // m, along some axis: what is near each other is one thread's; for speed only
} ts_pair_unit;

/// A vector of each of four pairs.
typedef struct ts_pair_vector {
    double at[3][TS_PAIR_LANES];
} ts_pair_vector;

/// A symmetric tensor of each: xx xy xz yy yz zz.
typedef struct ts_pair_tensor {
    double at[6][TS_PAIR_LANES];
} ts_pair_tensor;

/// One point of each of four pairs: what a sweep reads and writes of it. In the frames of the pairs.
typedef struct ts_pair_point {
    ts_pair_vector lever;               // m, from A's centre of mass; of a round group as ts_pair_round says
    double reference[TS_PAIR_LANES];    // m/s, c* of the normal
    ts_pair_vector lambda;              // N s: tangents, normal
    double step[2][TS_PAIR_LANES];      // kg: of the tangents, of the normal, omega in them; 0: there is no point
    double coupling[2][TS_PAIR_LANES];  // 1: D of normal and tangents, times the tangents' step
    double natural[TS_PAIR_LANES];      // kg: step of the natural map
} ts_pair_point;

/// The rest of it, for which sweeps have no use.
typedef struct ts_pair_track {
    double gap[TS_PAIR_LANES];  // m
    ts_pair_vector velocity;    // m/s, of the surfaces, when last read or judged
    ts_pair_vector total;       // N s, of the substeps before this one
} ts_pair_track;

/// Pairs of bodies whose inverse inertias are numbers, a and b. Seen from the point between their centres of mass that divides their distance by these
/// numbers, what pushes there turns neither against the other, and what turns them moves it nowhere. Levers are from there, times the root of a + b.
typedef struct ts_pair_round {
    ts_pair_vector arm;             // from B's centre to A's, world axes, over the root of a + b
    ts_pair_tensor yield;           // kg^-1: what an impulse makes of the velocity there, in the pairs' frames
    double shrink[TS_PAIR_LANES];   // 1 over the root of a + b; 0: nothing moves
    double ease[2][TS_PAIR_LANES];  // a and b, times that
    double twist[TS_PAIR_LANES];    // a b times that
} ts_pair_round;

/// Four pairs side by side.
typedef struct ts_pair_group {
    ts_pair_vector normal, tangent;  // in world axes
    double friction[TS_PAIR_LANES];
    double inverse_mass[2][TS_PAIR_LANES];
    int body[2][TS_PAIR_LANES];
    int first, count;           // points
    int is_round;               // nonzero: all inertias are a number times 1
    int island[TS_PAIR_LANES];  // of a lane without a pair: one behind the last
    ts_pair_vector offset;      // in the pairs' frames
    union {
        ts_pair_tensor inverse_inertia[2];  // likewise
        ts_pair_round round;                // where it is
    };
} ts_pair_group;

/// Where a unit is written: a lane of a group and of its points.
typedef struct ts_pair_seat {
    int lane;
    ts_pair_group* group;
    ts_pair_point* point;  // (count of the unit)
    ts_pair_track* track;  // likewise
} ts_pair_seat;

/// Who knows of units what pairs do not ask of every one of them at once. Called from several threads, for each unit once.
typedef struct ts_pair_source {
    void* context;
    /// Writes normal (from A to B), tangent (the second one is normal x tangent), offset (a lever on B less the same point's on A) and friction, and of
    /// every point lever, gap and, in the pair's frame, lambda (what it may begin with); all other vectors in world axes.
    void (*fill)(void* context, int unit, const ts_pair_seat* seat);
    /// May ask for what `fill` will read of a unit that is this far off: 1, then 0. NULL: nobody does.
    void (*expect)(void* context, int unit, int how_far);
    /// May fill four units of as many points at once, of which the first has that seat; returns 0, and writes nothing, where it does not. NULL: it never does.
    int (*fill_four)(void* context, const int* unit, const ts_pair_seat* seat);
} ts_pair_source;

/// What references ask of a group, before sweeps: for islands to be told in order.
typedef struct ts_pair_wish {
    double asked[TS_PAIR_LANES];  // J: lambda . c*
    int island[TS_PAIR_LANES];
} ts_pair_wish;

/// Pairs that act on each other.
typedef struct ts_pair_island {
    int contacts;
    double step_sum;  // kg: of 1 / stiffness over its contacts
    double velocity;  // m/s: largest |g|
    double impulse;   // N s: largest entry
    double natural;   // (N s)^2
    double across, opposed, work;
    double asked, made;  // J: lambda . g, lambda . G lambda
    double unmet;        // 1: natural map, a share
} ts_pair_island;

/// How a gap becomes the reference velocity of a normal.
typedef struct ts_pair_law {
    double time_step;  // s
    double slop;       // m
    double mend;       // 1/s: of what is deeper, so much a second
    double most;       // m/s
} ts_pair_law;

/// All pairs of a step. Everything but what is summed up lives in the arena that it was made in.
typedef struct ts_pairs {
    int group_count, point_count, body_count, island_count, contact_count;
    ts_pair_group* group;
    ts_pair_point* point;      // (point_count)
    ts_pair_track* track;      // (point_count)
    const ts_pair_body* body;  // the input's
    int* group_of;             // (point_count)
    int* island_of;            // (body_count) -1: of none
    double* free;              // (body_count x TS_PAIR_SPEEDS)
    double* velocity;
    ts_pair_island* island;  // (island_count + 1) the last is of lanes without a pair
    int* slot;               // (contact_count) TS_PAIR_LANES times the point, plus the lane
    ts_pair_law law;
    double omega;                 // the input's
    ts_pair_wish* wish;           // (group_count) where ts_pairs_take_sums has put them, as the next
    double* body_work;            // (2 x body_count) J
    ts_task_pool* tasks;          // who passes over them
    struct ts_pair_parts* parts;  // who over which
} ts_pairs;

/// What pairs are made of: bodies and contacts numbered from 0, each contact in one unit; units in the order in which loads run.
typedef struct ts_pairs_input {
    const ts_pair_body* body;  // (body_count) to be there as long as the pairs are
    double* velocity;          // (body_count x TS_PAIR_SPEEDS) at first; the pairs' from now on
    const ts_pair_unit* unit;  // (unit_count)
    ts_pair_source source;
    int body_count, unit_count, contact_count;
    ts_arena* brief;       // another one, for what nobody needs when they are made
    ts_task_pool* tasks;   // threads that share passes; bits do not depend on them. NULL: the caller's
    double omega;          // 1: over-relaxation of every step of a sweep, 0 < omega < 2
    double most_approach;  // m/s: what closes faster at first begins without impulse
} ts_pairs_input;

/// Orders units and lays them out: levers in the frames of their pairs, impulses what friction admits of them (ts_pairs_start), steps
/// and couplings of all points, and the velocities of their surfaces. NULL when memory is short.
ts_pairs* ts_pairs_make(ts_arena* arena, const ts_pairs_input* input);

/// Room for what finding work sums up, which is to be there while it does. Returns 0 when memory is short.
int ts_pairs_take_sums(ts_pairs* pairs, ts_arena* arena);

/// The impulse of contact i becomes what its friction admits of this one: the normal first, then friction in its disc.
void ts_pairs_start(ts_pairs* pairs, int i, double friction, ts_vec3 impulse);

/// Puts a vector into a lane.
static inline void ts_pair_vector_put(ts_pair_vector* to, int lane, ts_vec3 v) {
    to->at[0][lane] = v.x;
    to->at[1][lane] = v.y;
    to->at[2][lane] = v.z;
}

/// Contact i's point, and which lane of it.
static inline ts_pair_point* ts_pairs_point(const ts_pairs* pairs, int i, int* out_lane) {
    *out_lane = pairs->slot[i] % TS_PAIR_LANES;
    return &pairs->point[pairs->slot[i] / TS_PAIR_LANES];
}

/// A lane of a vector.
static inline ts_vec3 ts_pair_vector_get(const ts_pair_vector* v, int lane) {
    return ts_vec3_make(v->at[0][lane], v->at[1][lane], v->at[2][lane]);
}

/// Its track.
static inline ts_pair_track* ts_pairs_track(const ts_pairs* pairs, int i, int* out_lane) {
    *out_lane = pairs->slot[i] % TS_PAIR_LANES;
    return &pairs->track[pairs->slot[i] / TS_PAIR_LANES];
}

/// The group of contact i.
static inline const ts_pair_group* ts_pairs_group(const ts_pairs* pairs, int i) {
    return &pairs->group[pairs->group_of[pairs->slot[i] / TS_PAIR_LANES]];
}

/// A body of contact i: A (side 0) or B (1).
static inline int ts_pairs_body(const ts_pairs* pairs, int i, int side) {
    return ts_pairs_group(pairs, i)->body[side][pairs->slot[i] % TS_PAIR_LANES];
}

/// m, in the pair's frame: what a lever of contact i on B is more than on A.
static inline ts_vec3 ts_pairs_offset(const ts_pairs* pairs, int i) {
    return ts_pair_vector_get(&ts_pairs_group(pairs, i)->offset, pairs->slot[i] % TS_PAIR_LANES);
}

/// m, in the pair's frame: a point's lever on A.
static inline ts_vec3 ts_pair_lever_on_a(const ts_pair_group* group, const ts_pair_point* point, int lane) {
    ts_vec3 lever = ts_pair_vector_get(&point->lever, lane);
    if (!group->is_round) return lever;
    double shrink = group->round.shrink[lane];
    return ts_vec3_add_scaled(ts_vec3_scale(shrink, lever), -shrink * group->round.ease[1][lane],
                              ts_pair_vector_get(&group->offset, lane));
}

/// The frame of a pair: tangent, second tangent, normal.
static inline ts_mat3 ts_pair_frame(const ts_pair_group* group, int lane) {
    ts_vec3 normal = ts_pair_vector_get(&group->normal, lane), tangent = ts_pair_vector_get(&group->tangent, lane);
    return ts_mat3_from_columns(tangent, ts_vec3_cross(normal, tangent), normal);
}

/// m, in world axes: contact i, seen from the centre of mass of A (side 0) or B (1).
ts_vec3 ts_pairs_lever(const ts_pairs* pairs, int i, int side);

// --- passes (pairs_frame_internal.h), over all threads; not to be called from within another loop of the same pool ---

/// Velocities of the surfaces in all points, for the velocities of bodies given (body_count x TS_PAIR_SPEEDS).
void ts_pairs_read(ts_pairs* pairs, const double* velocity);

/// m/s, in the pair's frame: the velocity of the surfaces in contact i, as ts_pairs_read finds it; what it was stays where it is.
ts_vec3 ts_pairs_velocity(const ts_pairs* pairs, int i, const double* velocity);

/// Reference velocities from gaps. Where it `moves`, a substep is over: its impulses are added to the totals, and gaps first move on by a
/// time step with the velocities of the surfaces. Returns the deepest penetration, m, >= 0.
double ts_pairs_refer(ts_pairs* pairs, int moves);

/// Begins a substep: velocities are the free ones and what the impulses make of them.
void ts_pairs_begin(ts_pairs* pairs);

/// The same of body b where impulses are those of the substep before: what they made of the free velocity before they make of this one
/// (TS_PAIR_SPEEDS). Of different bodies by any thread.
static inline void ts_pairs_free_again(const ts_pairs* pairs, int b, const double* speed) {
    double *velocity = pairs->velocity + (size_t)TS_PAIR_SPEEDS * (size_t)b,
           *free = pairs->free + (size_t)TS_PAIR_SPEEDS * (size_t)b;
    for (int i = 0; i < TS_PAIR_SPEEDS; ++i) {
        velocity[i] = speed[i] + (velocity[i] - free[i]);
        free[i] = speed[i];
    }
}

/// So many sweeps, 0 or more, by the rule of ncp_pgs.c. Then, where out_residual is not NULL, judges the impulses as contact/judge/residual.c does, island by
/// island: velocities of the surfaces are known after, and the work of islands.
void ts_pairs_sweep(ts_pairs* pairs, int count, double rest_speed, ts_residual* out_residual);

/// Finds the work of islands, as judging does, from the velocities of bodies: before there is anything to judge.
void ts_pairs_find_work(ts_pairs* pairs);

/// Shortens the impulses of islands whose dual cost is positive, as engine/step/judge.c says, by the work that was found last. Returns how many.
int ts_pairs_hold_back(ts_pairs* pairs);

#ifdef __cplusplus
}
#endif
#endif
