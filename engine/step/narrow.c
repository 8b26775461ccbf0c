// The narrow stage of a step: pairs of geoms become contact points that keep their identity and tangents.
//
// Order decides everything here. Pairs are brought into the order (geom A, geom B) where A has the smaller shape kind,
// or index for equal kinds; the points of a pair are ordered by feature. What was remembered from the last step has the
// same order of pairs, so old and new are matched by walking both once, and no result depends on which worker did what.
// What becomes of the points is in found.c.
#include <string.h>

#include "contact/pairs/pairs.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/foresee_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/step.h"

typedef struct narrow_context {
    ts_sim* sim;
    const ts_narrow_pair* pair;
    ts_pair_memory* memory;
    ts_gjk_cache* search;    // NULL where no pair searches
    ts_manifold_kept* kept;  // NULL where none are kept
    double most;             // m: how far they may have moved
    int keeps_all;           // 0: only of dear pairs that rest
    ts_narrow_touch* touch;
    ts_narrow_sum* sum;        // of every batch
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

// Runs of points of one normal, none longer than a unit of a pile.
static int count_units(const ts_manifold* manifold) {
    int units = 0;
    for (int k = 0, first = 0; k < manifold->count; ++k) {
        int joins = k > first && k - first < TS_PAIR_POINTS &&
                    ts_same_vector(manifold->point[k].normal, manifold->point[first].normal);
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
    job->touch[i] = (ts_narrow_touch){count, count_units(manifold), manifold->status, point};
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
    ts_narrow_touch* touch = &job->touch[i];
    _Static_assert(TS_MANIFOLD_KEPT <= (int)TS_PAIR_POINTS, "they are one unit");
    ts_manifold_point* point = room_for(job, i, kept->is_kept ? kept->count : 0, arena);
    if (!point || !ts_manifold_take(kept, pose_a, pose_b, margin, job->most, point, &touch->status)) return 0;
    touch->count = job->overlapping_only ? drop_apart(point, kept->count) : kept->count;
    touch->units = touch->count > 0;
    touch->point = point;
    return 1;
}

// Returns nonzero where its manifold was kept.
static int collide_pair(const narrow_context* job, int i, ts_arena* arena) {
    const ts_sim* sim = job->sim;
    int a = job->pair[i].a, b = job->pair[i].b;
    const ts_transform *pose_a = ts_kinematics_geom(&sim->kinematics, a),
                       *pose_b = ts_kinematics_geom(&sim->kinematics, b);
    const ts_shape *shape_a = &sim->model->geom[a].shape, *shape_b = &sim->model->geom[b].shape;
    double own = job->has_margins ? ts_model_margin_between(sim->model, a, b) : 0.0, margin = job->settings.margin;
    if (!job->overlapping_only) margin = ts_foresee_margin(sim, a, b, margin);
    margin = margin + own > 0.0 ? margin + own : 0.0;
    if (job->kept && take_kept(job, i, pose_a, pose_b, margin, arena)) return 1;
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
    return 0;
}

// A batch of pairs.
static void collide_pairs(void* context, int begin, int end, int worker) {
    const narrow_context* job = (const narrow_context*)context;
    ts_arena* arena = &ts_sim_storage_of(job->sim)->solve_scratch[worker];
    ts_narrow_sum sum = {0, 0, 0, 0, 0, 0.0};
    for (int i = begin; i < end; ++i) {
        sum.kept += collide_pair(job, i, arena);
        const ts_narrow_touch* touch = &job->touch[i];
        sum.failures += touch->status == TS_PROXIMITY_LIMIT || touch->status == TS_PROXIMITY_INVALID_INPUT;
        sum.contacts += touch->count;
        sum.runs += touch->count > 0;
        if (touch->count > 0) sum.units += touch->units;
    }
    job->sum[begin / TS_NARROW_GRAIN] = sum;
}

// Pairs that are turned.
typedef struct turn_job {
    const ts_model* model;
    const ts_pair* from;
    ts_narrow_pair* to;
    unsigned char* descends;  // (workers) nonzero: met a pair that does not come after the one before it
} turn_job;

// A is the smaller kind, or the smaller index.
static ts_narrow_pair turned(const ts_model* model, ts_pair pair) {
    int a = pair.first, b = pair.second;
    ts_shape_kind kind_a = model->geom[a].shape.kind, kind_b = model->geom[b].shape.kind;
    int swap = kind_b < kind_a || (kind_b == kind_a && b < a);
    return swap ? (ts_narrow_pair){b, a} : (ts_narrow_pair){a, b};
}

static void turn_pairs(void* context, int begin, int end, int worker) {
    const turn_job* job = (const turn_job*)context;
    // The one before is another's to write.
    ts_narrow_pair last = turned(job->model, job->from[begin > 0 ? begin - 1 : 0]);
    for (int i = begin; i < end; ++i) {
        ts_narrow_pair pair = turned(job->model, job->from[i]);
        if (i > 0 && ts_pair_key(last.a, last.b) >= ts_pair_key(pair.a, pair.b)) job->descends[worker] = 1;
        job->to[i] = last = pair;
    }
}

// Turns the pairs so that A is the smaller kind, and sorts by (A, B): a counting sort by B and then, stable, by A.
// Returns NULL when memory is short.
static ts_narrow_pair* ordered_pairs(ts_sim* sim, const ts_pair* pairs, int count) {
    const ts_model* model = sim->model;
    int workers = ts_task_pool_workers(sim->tasks), descend = 0;
    ts_narrow_pair* one = TS_ARENA_ARRAY(&sim->scratch, ts_narrow_pair, count);
    turn_job job = {model, pairs, one, (unsigned char*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)workers, 1)};
    if (!one || !job.descends) return NULL;
    ts_task_parallel_for(sim->tasks, count, 512, turn_pairs, &job);
    for (int w = 0; w < workers; ++w) descend |= job.descends[w];
    if (!descend) return one;
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
    ts_narrow_touch* touch = TS_ARENA_ARRAY(&storage->solve_scratch[0], ts_narrow_touch, count);
    int room = settings.max_points < 1 ? 1 : settings.max_points;
    ts_manifold_point* point = TS_ARENA_ARRAY(&storage->solve_scratch[0], ts_manifold_point, (ptrdiff_t)room * count);
    ts_narrow_sum* sum = TS_ARENA_ARRAY(&storage->solve_scratch[0], ts_narrow_sum, count / TS_NARROW_GRAIN + 1);
    if (!touch || !point || !sum) return TS_ERROR_MEMORY;
    ts_pair_memory* memory = storage->renews_pairs ? sim->pair_memory.data : storage->pair_next.data;
    ts_manifold_kept* kept = !keeps ? NULL : storage->renews_pairs ? storage->kept.data : storage->kept_next.data;
    ts_gjk_cache* search = storage->renews_pairs ? storage->search.data : storage->search_next.data;
    if (!storage->pairs_search) search = NULL;
    narrow_context job = {sim,   pair, memory, search, kept,     most, keeps_all,
                          touch, sum,  point,  room,   settings, soft, storage->has_margins};
    // One by one also where nobody helps: a batch has its place.
    ts_task_run_ranges(sim->tasks, count, TS_NARROW_GRAIN, collide_pairs, &job);
    for (int w = 0; w < workers; ++w)
        if (storage->solve_scratch[w].failed) return TS_ERROR_MEMORY;
    return ts_found_take(sim, pair, touch, count, sum);
}
