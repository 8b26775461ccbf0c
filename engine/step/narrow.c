// The narrow stage of a step: pairs of geoms become contact points that keep their identity and tangents.
//
// Order decides everything here. Pairs are brought into the order (geom A, geom B) where A has the smaller shape kind,
// or index for equal kinds; the points of a pair are ordered by feature. What was remembered from the last step has the
// same order of pairs, so old and new are matched by walking both once, and no result depends on which worker did what.
//
// Tangents: t1 is the axis of geom A least aligned with the normal, projected on the tangent plane; for a plane always
// its x axis. A point that was there last step and whose normal moved by less than 1e-6 keeps last step's t1. Circular
// cones do not care; pyramids do (docs/contact.md), and so do warm starts of single components.
#include <math.h>
#include <string.h>

#include "contact/pairs/pairs.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/foresee_internal.h"
#include "engine/step/pair_memory_internal.h"
#include "engine/step/pile_start_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/step.h"

// 1: normals closer than this keep their tangents. Far above rounding, far below what friction could notice.
static const double same_normal = 1e-6;

enum { AHEAD = 6 };  // contacts whose memory is on its way

// A label that people and recordings can follow: the pair's key scrambled to 32 bits, then the feature. Matching never
// relies on the scrambled half being unique.
static uint64_t contact_key(uint64_t pair, uint32_t feature) {
    uint64_t x = pair * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    return (x * UINT64_C(0xbf58476d1ce4e5b9)) >> 32 << 32 | feature;
}

// Where a pair touches. Of most pairs there are fewer points than a manifold has room for.
typedef struct narrow_touch {
    int count;
    int units;  // of a pile (contact/pairs/pairs.h)
    ts_proximity_status status;
    const ts_manifold_point* point;  // (count)
} narrow_touch;

typedef struct narrow_context {
    ts_sim* sim;
    const ts_narrow_pair* pair;
    ts_pair_memory* memory;
    ts_gjk_cache* search;    // NULL where no pair searches
    ts_manifold_kept* kept;  // NULL where none are kept
    double most;             // m: how far they may have moved
    int keeps_all;           // 0: only of dear pairs that rest
    narrow_touch* touch;
    ts_manifold_point* point;  // (room for every pair)
    int room;                  // points: of all but several surfaces together
    ts_manifold_settings settings;
    int overlapping_only;
    int has_margins;
} narrow_context;

// A spring that is not pressed does nothing, not even damp. Returns how many are left.
static int drop_apart(ts_manifold_point* point, int count) {
    int left = 0;
    for (int k = 0; k < count; ++k)
        if (point[k].gap < 0.0) point[left++] = point[k];
    return left;
}

// Points by feature; there are at most eight.
static void sort_points(ts_manifold* manifold) {
    for (int k = 1; k < manifold->count; ++k) {
        if (manifold->point[k - 1].feature <= manifold->point[k].feature) continue;
        ts_manifold_point point = manifold->point[k];
        int m = k;
        for (; m > 0 && manifold->point[m - 1].feature > point.feature; --m)
            manifold->point[m] = manifold->point[m - 1];
        manifold->point[m] = point;
    }
}

static int same_vector(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Runs of points of one normal, none longer than a unit of a pile.
static int count_units(const ts_manifold* manifold) {
    int units = 0;
    for (int k = 0, first = 0; k < manifold->count; ++k) {
        int joins = k > first && k - first < TS_PAIR_POINTS &&
                    same_vector(manifold->point[k].normal, manifold->point[first].normal);
        if (joins) continue;
        first = k;
        ++units;
    }
    return units;
}

// Where the points of a pair go. Several surfaces together may have more than one; NULL, which the arena remembers, when there is no memory for them.
static ts_manifold_point* room_for(const narrow_context* job, int i, int count, ts_arena* arena) {
    return count > job->room ? TS_ARENA_ARRAY(arena, ts_manifold_point, count) : job->point + (ptrdiff_t)job->room * i;
}

// What the pairs need of a manifold.
static void note_touch(const narrow_context* job, int i, const ts_manifold* manifold, ts_arena* arena) {
    ts_manifold_point* point = room_for(job, i, manifold->count, arena);
    int count = point ? manifold->count : 0;
    for (int k = 0; k < count; ++k) point[k] = manifold->point[k];
    job->touch[i] = (narrow_touch){count, count_units(manifold), manifold->status, point};
}

// 1: of what pairs may have moved in steps with substeps, where there are none: a fifth of a nanometre, and gaps err by the square of that. Of that,
// what they may move in a step to be worth keeping. Contacts of bodies that stand move by a hundredth of it in a hundred steps.
static const double still_part = 1e-6, rest_part = 0.1;

// Spheres and capsules, and what lies on planes, are asked as quickly.
static int is_dear(const ts_shape* a, const ts_shape* b) {
    return a->kind > TS_SHAPE_CAPSULE && b->kind > TS_SHAPE_CAPSULE;
}

static int is_worth_keeping(const narrow_context* job, int a, int b, int points) {
    const ts_sim* sim = job->sim;
    if (job->keeps_all) return 1;
    // Springs that are not there yet are pressed as soon as shapes touch.
    if (job->overlapping_only && points == 0) return 0;
    if (!is_dear(&sim->model->geom[a].shape, &sim->model->geom[b].shape)) return 0;
    return (ts_foresee_speed(sim, a) + ts_foresee_speed(sim, b)) * sim->options.time_step <= rest_part * job->most;
}

// What was kept of a pair, where it still holds. All of it has one normal.
static int take_kept(const narrow_context* job, int i, const ts_transform* pose_a, const ts_transform* pose_b,
                     double margin, ts_arena* arena) {
    ts_manifold_kept* kept = &job->kept[i];
    narrow_touch* touch = &job->touch[i];
    _Static_assert(TS_MANIFOLD_KEPT <= (int)TS_PAIR_POINTS, "they are one unit");
    ts_manifold_point* point = room_for(job, i, kept->is_kept ? kept->count : 0, arena);
    if (!point || !ts_manifold_take(kept, pose_a, pose_b, margin, job->most, point, &touch->status)) return 0;
    touch->count = job->overlapping_only ? drop_apart(point, kept->count) : kept->count;
    touch->units = touch->count > 0;
    touch->point = point;
    return 1;
}

static void collide_pair(const narrow_context* job, int i, ts_arena* arena) {
    const ts_sim* sim = job->sim;
    int a = job->pair[i].a, b = job->pair[i].b;
    const ts_transform *pose_a = ts_kinematics_geom(&sim->kinematics, a),
                       *pose_b = ts_kinematics_geom(&sim->kinematics, b);
    const ts_shape *shape_a = &sim->model->geom[a].shape, *shape_b = &sim->model->geom[b].shape;
    double own = job->has_margins ? ts_model_margin_between(sim->model, a, b) : 0.0, margin = job->settings.margin;
    if (!job->overlapping_only) margin = ts_foresee_margin(sim, a, b, margin);
    margin = margin + own > 0.0 ? margin + own : 0.0;
    if (job->kept && take_kept(job, i, pose_a, pose_b, margin, arena)) return;
    ts_manifold_settings settings = job->settings;
    ts_manifold manifold;
    settings.margin = margin;
    manifold.count = 0;
    manifold.status = TS_PROXIMITY_SEPARATED_EARLY;
    ts_gjk_cache* search = job->search ? &job->search[i] : NULL;
    ts_manifold_cache cache;
    ts_pair_memory_get(&job->memory[i], search, &cache);
    ts_manifold_collide(shape_a, pose_a, shape_b, pose_b, &settings, &cache, &manifold);
    ts_pair_memory_put(&cache, &job->memory[i], search);
    for (int k = 0; own != 0.0 && k < manifold.count; ++k) manifold.point[k].gap -= own;
    sort_points(&manifold);
    if (job->kept && is_worth_keeping(job, a, b, manifold.count))
        ts_manifold_keep(pose_a, shape_b, pose_b, margin, &manifold, &job->kept[i]);
    else if (job->kept)
        job->kept[i].is_kept = 0;
    if (job->overlapping_only) manifold.count = drop_apart(manifold.point, manifold.count);
    note_touch(job, i, &manifold, arena);
}

static void collide_pairs(void* context, int begin, int end, int worker) {
    const narrow_context* job = (const narrow_context*)context;
    ts_arena* arena = &ts_sim_storage_of(job->sim)->solve_scratch[worker];
    for (int i = begin; i < end; ++i) collide_pair(job, i, arena);
}

// Turns the pairs so that A is the smaller kind, and sorts by (A, B): a counting sort by B and then, stable, by A.
// Returns NULL when memory is short.
static ts_narrow_pair* ordered_pairs(ts_sim* sim, const ts_pair* pairs, int count) {
    const ts_model* model = sim->model;
    ts_narrow_pair* one = TS_ARENA_ARRAY(&sim->scratch, ts_narrow_pair, count);
    if (!one) return NULL;
    int ascend = 1;
    for (int i = 0; i < count; ++i) {
        int a = pairs[i].first, b = pairs[i].second;
        ts_shape_kind kind_a = model->geom[a].shape.kind, kind_b = model->geom[b].shape.kind;
        int swap = kind_b < kind_a || (kind_b == kind_a && b < a);
        one[i].a = swap ? b : a;
        one[i].b = swap ? a : b;
        ascend &= i == 0 || ts_pair_key(one[i - 1].a, one[i - 1].b) < ts_pair_key(one[i].a, one[i].b);
    }
    if (ascend) return one;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    ts_narrow_pair* two = TS_ARENA_ARRAY(&sim->scratch, ts_narrow_pair, count);
    int* start = TS_ARENA_ARRAY(&sim->scratch, int, model->geom_count + 1);
    if (!two || !start) return NULL;
    for (int pass = 0; pass < 2; ++pass) {
        const ts_narrow_pair* from = pass == 0 ? one : two;
        ts_narrow_pair* to = pass == 0 ? two : one;
        memset(start, 0, ((size_t)model->geom_count + 1) * sizeof(int));
        for (int i = 0; i < count; ++i) ++start[(pass == 0 ? from[i].b : from[i].a) + 1];
        for (int g = 0; g < model->geom_count; ++g) start[g + 1] += start[g];
        for (int i = 0; i < count; ++i) to[start[pass == 0 ? from[i].b : from[i].a]++] = from[i];
    }
    ts_arena_scope_end(&sim->scratch, scope);
    return one;
}

static ts_vec3 fresh_tangent(const ts_sim* sim, int geom_a, ts_vec3 normal) {
    const ts_mat3* axes = &ts_kinematics_geom(&sim->kinematics, geom_a)->R;
    int best = 0;
    if (sim->model->geom[geom_a].shape.kind != TS_SHAPE_PLANE) {
        double smallest = fabs(ts_vec3_dot(ts_mat3_column(axes, 0), normal));
        for (int i = 1; i < 3; ++i) {
            double along = fabs(ts_vec3_dot(ts_mat3_column(axes, i), normal));
            if (along < smallest) {
                smallest = along;
                best = i;
            }
        }
    }
    return ts_mat3_column(axes, best);
}

static ts_mat3 contact_frame(ts_vec3 normal, ts_vec3 wanted_tangent) {
    ts_vec3 t1 = ts_vec3_add_scaled(wanted_tangent, -ts_vec3_dot(wanted_tangent, normal), normal);
    // A tilted plane's x axis is never along its own normal, so the fallback only meets input that is not finite.
    t1 = ts_vec3_unit_or(t1, ts_vec3_axis(0));
    return ts_mat3_from_columns(t1, ts_vec3_cross(normal, t1), normal);
}

// How the surface of a geom runs at a point, in world axes.
static ts_motion surface_motion(const ts_sim* sim, int geom, ts_vec3 point) {
    const double* motion = sim->model->geom[geom].surface.motion;
    const ts_transform* pose = ts_kinematics_geom(&sim->kinematics, geom);
    ts_vec3 turn = ts_mat3_mul_vec(&pose->R, ts_vec3_load(motion + 3));
    ts_vec3 along = ts_mat3_mul_vec(&pose->R, ts_vec3_load(motion));
    ts_vec3 from_centre = ts_vec3_sub(point, pose->p);
    return (ts_motion){.linear = ts_vec3_add(along, ts_vec3_cross(turn, from_centre)), .angular = turn};
}

// What runs along the tangents and about the normal; a surface makes nothing approach.
static ts_vec3 drift_of(const ts_sim* sim, const ts_contact* contact) {
    ts_motion a = surface_motion(sim, contact->geom_a, contact->position);
    ts_motion b = surface_motion(sim, contact->geom_b, contact->position);
    ts_vec3 drift = ts_mat3_mul_vec_transposed(&contact->frame, ts_vec3_sub(b.linear, a.linear));
    drift.z = ts_vec3_dot(ts_mat3_column(&contact->frame, 2), ts_vec3_sub(b.angular, a.angular));
    return drift;
}

void ts_contact_turn_frame(const ts_sim* sim, ts_contact* contact, ts_vec3 tangent) {
    contact->frame = contact_frame(ts_mat3_column(&contact->frame, 2), tangent);
    if (!sim->contact_rare) return;
    ts_contact_rare* rare = &sim->contact_rare[contact - sim->contact];
    if (ts_vec3_max_abs(rare->drift) > 0.0) rare->drift = drift_of(sim, contact);
}

static int surface_runs(const ts_surface* surface) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += fabs(surface->motion[i]);
    return sum > 0.0;
}

// A frame, and what it was made of: points of a manifold mostly share it.
typedef struct known_frame {
    ts_vec3 normal, wanted;  // zero: no tangent of the last step
    ts_mat3 frame;
} known_frame;

// The surface of a pair, with what the simulation adds to it. Pairs one after another, and steps, mostly share it.
static const ts_surface* surface_of(const ts_sim* sim, const ts_narrow_pair* pair, ts_known_surface* known) {
    const ts_model* model = sim->model;
    const ts_surface *a = &model->geom[pair->a].surface, *b = &model->geom[pair->b].surface;
    const ts_surface_move* move = ts_sim_storage_of(sim)->surface_move;
    // What is not the same to the bit counts as another surface.
    int same =
        known->is_known && !move && model->pair_count == 0 &&
        (a == known->a || !memcmp(a, &known->of_a, sizeof *a)) &&  // NOLINT(bugprone-suspicious-memory-comparison)
        (b == known->b || !memcmp(b, &known->of_b, sizeof *b));    // NOLINT(bugprone-suspicious-memory-comparison)
    known->a = a;
    known->b = b;
    if (same) return &known->between;
    known->is_known = !move;
    known->runs = surface_runs(a) || surface_runs(b);
    memcpy(&known->of_a, a, sizeof *a);
    memcpy(&known->of_b, b, sizeof *b);
    known->between = ts_model_surface_between(model, pair->a, pair->b);
    if (!move) return &known->between;
    ts_surface* surface = &known->between;
    surface->friction = fmax(surface->friction + (move[pair->a].friction + move[pair->b].friction), 0.0);
    surface->restitution = fmax(surface->restitution + (move[pair->a].restitution + move[pair->b].restitution), 0.0);
    return surface;
}

// What a worker knows of surfaces; where they are is not known from the last step, whose model may be gone.
static ts_known_surface* surfaces_of(const ts_sim* sim, int worker) {
    ts_known_surface* known = &ts_sim_storage_of(sim)->known_surface[worker];
    known->a = known->b = NULL;
    return known;
}

// What the contacts of a pair share.
typedef struct shared_contact {
    const ts_narrow_pair* pair;
    const ts_surface* surface;
    int body_a, body_b;
    int starts;  // nonzero: the step may be one of a pile, which begins with the impulses that it finds in its contacts
    double leak;     // 1: see ts_pile_leak
    uint64_t label;  // of the pair: that of no feature
} shared_contact;

// The contact of a point, all of it; `memory` as match_points says.
static void fill_contact(const ts_sim* sim, const shared_contact* shared, const ts_manifold_point* point, int memory,
                         known_frame* known, ts_contact* contact) {
    const ts_row_memory* old = memory >= 0 ? &sim->row_memory.data[memory] : NULL;
    const ts_surface* surface = shared->surface;
    ts_vec3 normal = point->normal, tangent = ts_vec3_zero();
    if (old && ts_vec3_norm_squared(ts_vec3_sub(ts_contact_remembered(sim, old, TS_CONTACT_NORMAL), normal)) <
                   same_normal * same_normal)
        tangent = ts_contact_remembered(sim, old, TS_CONTACT_TANGENT);
    if (!same_vector(normal, known->normal) || !same_vector(tangent, known->wanted)) {
        int is_fresh = same_vector(tangent, ts_vec3_zero());
        ts_vec3 wanted = is_fresh ? fresh_tangent(sim, shared->pair->a, normal) : tangent;
        *known = (known_frame){normal, tangent, contact_frame(normal, wanted)};
    }
    // One by one: a literal is made elsewhere and copied, which costs as much as all the rest.
    _Static_assert(sizeof(void*) != 8 || sizeof(ts_contact) == 232, "whatever a contact has is set here");
    contact->geom_a = shared->pair->a;
    contact->geom_b = shared->pair->b;
    contact->body_a = shared->body_a;
    contact->body_b = shared->body_b;
    contact->key = shared->label | point->feature;
    contact->position = point->position;
    contact->frame = known->frame;
    contact->gap = point->gap;
    contact->surface = (ts_contact_surface){surface->friction, surface->restitution, surface->dimension};
    contact->persistent = old != NULL;
    contact->block = -1;
    contact->asleep = 0;
    contact->velocity_before = contact->velocity = contact->impulse = ts_vec3_zero();
    if (!old || !shared->starts) return;
    double share = ts_contact_start_share(sim, old, normal);
    if (share == 0.0) return;
    ts_vec3 impulse = ts_mat3_mul_vec_transposed(&contact->frame, ts_vec3_load(old->impulse));
    contact->impulse = ts_vec3_scale(share, impulse);
    ts_pile_start(old, share, shared->leak, contact);
}

// N: what it pulls its bodies together with.
static double adhesion_of(const ts_sim* sim, const ts_contact* contact, const ts_surface* surface) {
    return contact->gap <= surface->gap + sim->options.slop ? surface->adhesion : 0.0;
}

// How far a point may have moved on either geom and still be the one of last step: 2 % of the smaller geom's size.
static double match_distance(const ts_sim* sim, const ts_narrow_pair* pair) {
    double radius_a = ts_shape_bounding_radius(&sim->model->geom[pair->a].shape);
    double radius_b = ts_shape_bounding_radius(&sim->model->geom[pair->b].shape);
    return 0.04 * fmin(radius_a, radius_b);
}

// Finds the memory of each point of one pair among entries [first, last) of that pair: by label, and what is then left
// by nearness on either geom. Labels alone are not enough: where corners of two geoms coincide, as on a stack of equal
// boxes, rounding decides which of several names a point gets. An entry serves one point only. `pair_label` is the label of no feature.
static void match_points(const ts_sim* sim, const ts_narrow_pair* pair, const narrow_touch* touch, uint64_t pair_label,
                         int first, int last, int* out_memory) {
    const ts_row_memory* memory = sim->row_memory.data;
    unsigned used = 0;  // bit per entry; a manifold has at most 8 points
    int missing = 0, same = 0;
    // Mostly the points are those of the last step.
    while (same < touch->count && first + same < last &&
           memory[first + same].key.part == (pair_label | touch->point[same].feature)) {
        out_memory[same] = first + same;
        used |= 1u << same++;
    }
    for (int k = same; k < touch->count; ++k) {
        uint64_t label = pair_label | touch->point[k].feature;
        out_memory[k] = -1;
        for (int m = first; m < last && out_memory[k] < 0; ++m)
            if (memory[m].key.part == label) out_memory[k] = m;
        if (out_memory[k] >= 0)
            used |= 1u << (out_memory[k] - first);
        else
            ++missing;
    }
    if (!missing || first == last) return;
    double reach = match_distance(sim, pair);
    for (int k = 0; k < touch->count; ++k) {
        if (out_memory[k] >= 0) continue;
        ts_vec3 on_a =
            ts_transform_point_inverse(ts_kinematics_geom(&sim->kinematics, pair->a), touch->point[k].position);
        ts_vec3 on_b =
            ts_transform_point_inverse(ts_kinematics_geom(&sim->kinematics, pair->b), touch->point[k].position);
        double nearest = reach;
        for (int m = first; m < last; ++m) {
            if (used >> (m - first) & 1u) continue;
            double distance = fmin(ts_vec3_distance(on_a, ts_contact_remembered_place(&memory[m], TS_CONTACT_ON_A)),
                                   ts_vec3_distance(on_b, ts_contact_remembered_place(&memory[m], TS_CONTACT_ON_B)));
            if (distance >= nearest) continue;
            nearest = distance;
            out_memory[k] = m;
        }
        if (out_memory[k] >= 0) used |= 1u << (out_memory[k] - first);
    }
}

// Where the contacts of a pair go, and what is remembered of them.
typedef struct contact_range {
    int run;   // of storage->contact_run
    int unit;  // the first one
    int at;
    double deepest;  // m
} contact_range;

typedef struct compact_context {
    ts_sim* sim;
    const ts_narrow_pair* pair;
    const narrow_touch* touch;
    contact_range* range;
    int first_old, end_old;  // of the memories of contacts
} compact_context;

// All contacts of a pair that touches, of which memories [first_old, end_old) are, and what they are together.
static void fill_pair(ts_sim* sim, const ts_narrow_pair* pair, const narrow_touch* touch, ts_known_surface* surfaces,
                      int first_old, int end_old, contact_range* range) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_geom* geom = sim->model->geom;
    ts_contact* contact = &sim->contact[range->at];
    int* memory = storage->contact_memory_index + range->at;
    const shared_contact shared = {.pair = pair,
                                   .surface = surface_of(sim, pair, surfaces),
                                   .body_a = geom[pair->a].body,
                                   .body_b = geom[pair->b].body,
                                   .starts = storage->substep_count > 1,
                                   .leak = storage->leak,
                                   .label = contact_key(ts_pair_key(pair->a, pair->b), 0)};
    match_points(sim, pair, touch, shared.label, first_old, end_old, memory);
    known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero(), .frame = ts_mat3_zero()};  // nobody's
    int drifts = surfaces->runs, glues = shared.surface->adhesion != 0.0;
    int plain = shared.surface->dimension == 3, rare = drifts || shared.surface->dimension > 3, pauses = 0;
    ts_vec3 sum = ts_vec3_zero();
    for (int k = 0; k < touch->count; ++k) {
        const ts_row_memory* old = memory[k] >= 0 ? &sim->row_memory.data[memory[k]] : NULL;
        ts_contact_expect(&contact[k], AHEAD, sizeof *contact);
        fill_contact(sim, &shared, &touch->point[k], memory[k], &known, &contact[k]);
        int sticks = glues && adhesion_of(sim, &contact[k], shared.surface) != 0.0;
        rare = rare || sticks;
        plain = plain && !sticks && (!drifts || ts_vec3_max_abs(drift_of(sim, &contact[k])) == 0.0);
        pauses = pauses || (old && (old->pause != 0 || old->last_pause != 0));
        sum = ts_vec3_add(sum, contact[k].position);
        if (-contact[k].gap > range->deepest) range->deepest = -contact[k].gap;
    }
    storage->contact_run[range->run] = (ts_contact_run){
        .centre = ts_vec3_scale(1.0 / touch->count, sum),
        .first = range->at,
        .count = touch->count,
        .body = {shared.body_a, shared.body_b},
        .unit = range->unit,
        .units = touch->units,
        .kind = (plain ? TS_CONTACT_RUN_PLAIN : 0) | (shared.surface->restitution > 0.0 ? TS_CONTACT_RUN_BOUNCES : 0) |
                (pauses ? TS_CONTACT_RUN_PAUSES : 0) | (rare ? TS_CONTACT_RUN_RARE : 0),
    };
}

// The first of memories [first, end) that is not before a key.
static int first_memory(const ts_row_memory* known, int first, int end, uint64_t key) {
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (known[middle].key.whole < key)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// Pairs and memory ascend together.
static void fill_contacts(void* context, int begin, int end, int worker) {
    const compact_context* job = (const compact_context*)context;
    const ts_row_memory* known = job->sim->row_memory.data;
    ts_known_surface* surfaces = surfaces_of(job->sim, worker);
    int old = -1;
    for (int i = begin; i < end; ++i) {
        const ts_narrow_pair* pair = &job->pair[i];
        uint64_t key = ts_pair_key(pair->a, pair->b);
        job->range[i].deepest = 0.0;
        if (!job->touch[i].count) continue;
        if (old < 0) old = first_memory(known, job->first_old, job->end_old, key);
        while (old < job->end_old && known[old].key.whole < key) ++old;
        int first = old;
        while (old < job->end_old && known[old].key.whole == key) ++old;
        fill_pair(job->sim, pair, &job->touch[i], surfaces, first, old, &job->range[i]);
    }
}

// What few contacts have, of those that do.
static void fill_rare(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    ts_known_surface* surfaces = surfaces_of(sim, worker);
    for (int r = begin; r < end; ++r) {
        const ts_contact_run* run = &ts_sim_storage_of(sim)->contact_run[r];
        if (!(run->kind & TS_CONTACT_RUN_RARE)) continue;
        const ts_contact* contact = &sim->contact[run->first];
        ts_narrow_pair pair = {contact->geom_a, contact->geom_b};
        const ts_surface* surface = surface_of(sim, &pair, surfaces);
        ts_contact_rare* rare = &sim->contact_rare[run->first];
        for (int k = 0; k < run->count; ++k)
            rare[k] = (ts_contact_rare){.friction_spin = surface->friction_spin,
                                        .friction_roll = surface->friction_roll,
                                        .drift = surfaces->runs ? drift_of(sim, &contact[k]) : ts_vec3_zero(),
                                        .adhesion = adhesion_of(sim, &contact[k], surface),
                                        .angular_impulse = ts_vec3_zero()};
    }
}

// Where any contact, or any that sleeps, has something of it. Returns 0 when memory is short.
static int take_rare(ts_sim* sim, int count, int asleep) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int any = storage->bed && storage->bed->rare.count > 0;
    for (int r = 0; r < storage->run_count && !any; ++r) any = storage->contact_run[r].kind & TS_CONTACT_RUN_RARE;
    if (!any) return 1;
    sim->contact_rare = (ts_contact_rare*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)count + (size_t)asleep,
                                                                sizeof *sim->contact_rare);
    if (!sim->contact_rare) return 0;
    ts_task_parallel_for(sim->tasks, storage->run_count, 64, fill_rare, sim);
    return 1;
}

// Ranges of all pairs. Returns how many contacts there are, and in the storage of how many pairs.
static int find_ranges(ts_sim* sim, const narrow_touch* touch, int pair_count, contact_range* out_range) {
    int at = 0, runs = 0, units = 0;
    for (int i = 0; i < pair_count; ++i) {
        out_range[i].at = at;
        sim->info.narrow_failures +=
            touch[i].status == TS_PROXIMITY_LIMIT || touch[i].status == TS_PROXIMITY_INVALID_INPUT;
        if (!touch[i].count) continue;
        out_range[i].run = runs++;
        out_range[i].unit = units;
        units += touch[i].units;
        at += touch[i].count;
    }
    ts_sim_storage_of(sim)->run_count = runs;
    return at;
}

// All manifolds' points in order, each with its memory.
static ts_code compact(ts_sim* sim, const ts_narrow_pair* pair, const narrow_touch* touch, int pair_count) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    contact_range* range = TS_ARENA_ARRAY(&storage->solve_scratch[0], contact_range, pair_count);
    if (!range) return TS_ERROR_MEMORY;
    int count = find_ranges(sim, touch, pair_count, range);
    int asleep = storage->bed ? storage->bed->contact.count : 0;  // they are shown behind
    sim->contact = TS_ARENA_ARRAY(&sim->scratch, ts_contact, count + asleep);
    storage->contact_memory_index = TS_ARENA_ARRAY(&sim->scratch, int, count);
    storage->contact_run = TS_ARENA_ARRAY(&sim->scratch, ts_contact_run, storage->run_count);
    if (sim->scratch.failed) return TS_ERROR_MEMORY;
    compact_context job = {sim, pair, touch, range, 0, 0};
    ts_contact_memory(sim, &job.first_old, &job.end_old);
    ts_task_parallel_for(sim->tasks, pair_count, 64, fill_contacts, &job);
    if (!take_rare(sim, count, asleep)) return TS_ERROR_MEMORY;
    sim->contact_count = count;
    sim->info.contact_count = count;
    for (int i = 0; i < pair_count; ++i)
        if (range[i].deepest > sim->info.worst_penetration) sim->info.worst_penetration = range[i].deepest;
    return TS_OK;
}

ts_code ts_step_narrow_phase(ts_sim* sim, const ts_pair* pairs, int count) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    sim->contact_count = 0;
    sim->contact_rare = NULL;
    sim->info.contact_count = 0;
    sim->info.narrow_failures = sim->info.kept_pairs = 0;
    sim->info.worst_penetration = 0.0;
    ts_narrow_pair* pair = ordered_pairs(sim, pairs, count);
    int workers = ts_task_pool_workers(sim->tasks);
    int soft = ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE;
    int keeps_all = storage->substep_count > 1;
    double most = sim->options.keep_contacts * sim->options.contact_margin * (keeps_all ? 1.0 : still_part);
    // A spring answers to what it is pressed: in substeps points would err by a share of the margin.
    int keeps = most > 0.0 && !(soft && keeps_all);
    if (!pair || !ts_pair_memory_take(sim, pair, count, keeps)) return TS_ERROR_MEMORY;
    // What is gone when the contacts are there takes the place of what solves will need.
    for (int w = 0; w < workers; ++w) ts_arena_reset(&storage->solve_scratch[w]);
    ts_manifold_settings settings = {soft ? 0.0 : sim->options.contact_margin, sim->options.manifold_points,
                                     sim->options.narrow_tolerance};
    narrow_touch* touch = TS_ARENA_ARRAY(&storage->solve_scratch[0], narrow_touch, count);
    int room = settings.max_points < 1 ? 1 : settings.max_points;
    ts_manifold_point* point = TS_ARENA_ARRAY(&storage->solve_scratch[0], ts_manifold_point, (ptrdiff_t)room * count);
    if (!touch || !point) return TS_ERROR_MEMORY;
    ts_pair_memory* memory = storage->renews_pairs ? sim->pair_memory.data : storage->pair_next.data;
    ts_manifold_kept* kept = !keeps ? NULL : storage->renews_pairs ? storage->kept.data : storage->kept_next.data;
    ts_gjk_cache* search = storage->renews_pairs ? storage->search.data : storage->search_next.data;
    if (!storage->pairs_search) search = NULL;
    narrow_context job = {
        sim, pair, memory, search, kept, most, keeps_all, touch, point, room, settings, soft, storage->has_margins};
    ts_task_parallel_for(sim->tasks, count, 32, collide_pairs, &job);
    for (int i = 0; keeps && i < count; ++i) sim->info.kept_pairs += kept[i].is_kept && kept[i].age > 0;
    for (int w = 0; w < workers; ++w)
        if (storage->solve_scratch[w].failed) return TS_ERROR_MEMORY;
    return compact(sim, pair, touch, count);
}
