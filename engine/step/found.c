// What is found of pairs of geoms as contacts, or as what a pile begins with.
//
// Problem: a contact says all there is to say of it, 232 bytes, and piles have many, whose pairs (contact/pairs/) hold what changes in a step once more.
// Rule: contacts are written at once where the step is none of a pile. Where it may be one, what is not known elsewhere is noted (ts_contact_note); where
// points are is kept until they are laid out, or until it is known that the step is none: then contacts are made of it after all. What a contact of a pile
// is like is put together when somebody asks (pile_contact.c).
// Old and new contacts have one order of pairs and are matched by walking both once: by label, and what is then left by nearness.
// Tangents: t1 is the axis of geom A least aligned with the normal, projected on the tangent plane; for a plane always
// its x axis. A point that was there last step and whose normal moved by less than 1e-6 keeps last step's t1. Circular
// cones do not care; pyramids do (docs/contact.md), and so do warm starts of single components.
// Source: own.
// Guaranteed: no result depends on which worker did what; linear time.
// Known to fail: a point that slides over its geom from one feature to the next farther than 2 % of the geom's size in a step is a new one.
#include "engine/step/found_internal.h"

#include <math.h>
#include <string.h>

#include "contact/pairs/pairs.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"
#include "engine/step/sleep_internal.h"

// What every contact goes through, in loops over them.
#define INLINED static inline __attribute__((always_inline))

enum { AHEAD = 6 };  // contacts whose memory is on its way

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
    int geom_a, geom_b;
    int body_a, body_b;
    const ts_surface* surface;
    uint64_t label;  // of the pair: that of no feature
} shared_contact;

INLINED shared_contact share(const ts_sim* sim, const ts_narrow_pair* pair, ts_known_surface* surfaces) {
    const ts_geom* geom = sim->model->geom;
    return (shared_contact){pair->a,
                            pair->b,
                            geom[pair->a].body,
                            geom[pair->b].body,
                            surface_of(sim, pair, surfaces),
                            ts_contact_label(pair->a, pair->b)};
}

// A frame, and what it was made of: points of a manifold mostly share it.
typedef struct known_frame {
    ts_vec3 normal, wanted;  // both zero: nobody's; wanted zero: no tangent of the last step
    ts_mat3 frame;
} known_frame;

// Brings io_known to the frame of a contact with that normal.
INLINED void find_frame(const ts_sim* sim, int geom_a, ts_vec3 normal, const ts_row_memory* old,
                        known_frame* io_known) {
    ts_vec3 tangent = ts_vec3_zero();
    if (old && ts_vec3_norm_squared(ts_vec3_sub(ts_contact_remembered(sim, old, TS_CONTACT_NORMAL), normal)) <
                   ts_found_same_normal * ts_found_same_normal)
        tangent = ts_contact_remembered(sim, old, TS_CONTACT_TANGENT);
    if (ts_same_vector(normal, io_known->normal) && ts_same_vector(tangent, io_known->wanted)) return;
    int is_fresh = ts_same_vector(tangent, ts_vec3_zero());
    io_known->normal = normal;
    io_known->wanted = tangent;
    io_known->frame = contact_frame(normal, is_fresh ? fresh_tangent(sim, geom_a, normal) : tangent);
}

// The contact of a point, all of it; `old`: what is remembered of it, or NULL.
INLINED void fill_contact(const ts_sim* sim, const shared_contact* shared, const ts_manifold_point* point,
                          const ts_row_memory* old, known_frame* known, ts_contact* contact) {
    const ts_surface* surface = shared->surface;
    find_frame(sim, shared->geom_a, point->normal, old, known);
    // One by one: a literal is made elsewhere and copied, which costs as much as all the rest.
    _Static_assert(sizeof(void*) != 8 || sizeof(ts_contact) == 232, "whatever a contact has is set here");
    contact->geom_a = shared->geom_a;
    contact->geom_b = shared->geom_b;
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
}

void ts_found_start(const ts_sim* sim, const ts_contact_run* run, const ts_pair_unit* unit, ts_mat3* out_frame,
                    ts_vec3* out_impulse) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_contact_note* note = storage->contact_note + unit->first;
    ts_vec3 normal = storage->found->normal[run->unit + note->unit];
    known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero()};  // nobody's
    for (int k = 0; k < unit->count; ++k) {
        const ts_row_memory* old = ts_contact_memory_of(sim, unit->first + k);
        find_frame(sim, run->geom[0], normal, old, &known);
        if (k == 0) *out_frame = known.frame;
        out_impulse[k] = ts_vec3_zero();
        if (!old) continue;
        double share = ts_contact_start_share(sim, old, normal);
        if (share == 0.0) continue;
        ts_vec3 impulse = ts_mat3_mul_vec_transposed(&known.frame, ts_vec3_load(old->impulse));
        impulse = ts_vec3_scale(share, impulse);
        impulse.z = ts_pile_start(old, share, storage->leak, impulse.z, &note[k]);
        if (k > 0 && !ts_same_vector(ts_mat3_column(&known.frame, 0), ts_mat3_column(out_frame, 0)))
            impulse = ts_mat3_mul_vec_transposed(out_frame, ts_mat3_mul_vec(&known.frame, impulse));
        out_impulse[k] = impulse;
    }
}

// N: what it pulls its bodies together with.
static double adhesion_of(const ts_sim* sim, double gap, const ts_surface* surface) {
    return gap <= surface->gap + sim->options.slop ? surface->adhesion : 0.0;
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
static void match_points(const ts_sim* sim, const ts_narrow_pair* pair, const ts_narrow_touch* touch,
                         uint64_t pair_label, int first, int last, int* out_memory) {
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
} contact_range;

typedef struct compact_context {
    ts_sim* sim;
    const ts_narrow_pair* pair;
    const ts_narrow_touch* touch;
    ts_narrow_sum* sum;      // of all pairs before every batch
    int first_old, end_old;  // of the memories of contacts
} compact_context;

// The contacts of a pair.
static void fill_points(const ts_sim* sim, const shared_contact* shared, const ts_narrow_touch* touch, int first) {
    known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero()};  // nobody's
    for (int k = 0; k < touch->count; ++k) {
        ts_contact* contact = &sim->contact[first + k];
        ts_contact_expect(contact, AHEAD, sizeof *contact);
        fill_contact(sim, shared, &touch->point[k], ts_contact_memory_of(sim, first + k), &known, contact);
    }
}

// What there is to be kept of a pair where the step may be one of a pile. Units are those that the search has counted.
static void keep_points(const ts_sim_storage* storage, const ts_narrow_touch* touch, const contact_range* range) {
    ts_contact_note* note = storage->contact_note + range->at;
    ts_found_point* found = storage->found->point + range->at;
    ts_vec3* normal = storage->found->normal + range->unit;
    int unit = -1;
    for (int k = 0, first = 0; k < touch->count; ++k) {
        const ts_manifold_point* point = &touch->point[k];
        if (k == 0 || k - first == TS_PAIR_POINTS || !ts_same_vector(point->normal, normal[unit])) {
            normal[++unit] = point->normal;
            first = k;
        }
        note[k].mean = 0.0;
        note[k].feature = point->feature;
        note[k].steps = 0;
        note[k].unit = (unsigned short)unit;
        found[k].position = point->position;
        found[k].gap = point->gap;
    }
}

// Whether the surface runs at point k of a pair, which is contact i.
static int drifts_at(const ts_sim* sim, const shared_contact* shared, const ts_manifold_point* point, int i) {
    known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero()};
    ts_contact contact;
    fill_contact(sim, shared, point, ts_contact_memory_of(sim, i), &known, &contact);
    return ts_vec3_max_abs(drift_of(sim, &contact)) != 0.0;
}

// ts_contact_run.kind of a pair.
static int kind_of(const ts_sim* sim, const shared_contact* shared, const ts_narrow_touch* touch, int runs, int first) {
    const ts_surface* surface = shared->surface;
    int glues = surface->adhesion != 0.0, plain = surface->dimension == 3, rare = runs || surface->dimension > 3,
        pauses = 0;
    for (int k = 0; k < touch->count; ++k) {
        const ts_row_memory* old = ts_contact_memory_of(sim, first + k);
        int sticks = glues && adhesion_of(sim, touch->point[k].gap, surface) != 0.0;
        rare = rare || sticks;
        plain = plain && !sticks && (!runs || !drifts_at(sim, shared, &touch->point[k], first + k));
        pauses = pauses || (old && (old->pause != 0 || old->last_pause != 0));
    }
    return (plain ? TS_CONTACT_RUN_PLAIN : 0) | (surface->restitution > 0.0 ? TS_CONTACT_RUN_BOUNCES : 0) |
           (pauses ? TS_CONTACT_RUN_PAUSES : 0) | (rare ? TS_CONTACT_RUN_RARE : 0);
}

// All contacts of a pair that touches, of which memories [first_old, end_old) are, and what they are together. Returns the deepest, m, >= 0.
static double fill_pair(ts_sim* sim, const ts_narrow_pair* pair, const ts_narrow_touch* touch,
                        ts_known_surface* surfaces, int first_old, int end_old, const contact_range* range) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const shared_contact shared = share(sim, pair, surfaces);
    ts_contact_run* run = &storage->contact_run[range->run];
    ts_vec3 sum = ts_vec3_zero();
    double deepest = 0.0;
    match_points(sim, pair, touch, shared.label, first_old, end_old, storage->contact_memory_index + range->at);
    if (storage->found)
        keep_points(storage, touch, range);
    else
        fill_points(sim, &shared, touch, range->at);
    for (int k = 0; k < touch->count; ++k) {
        sum = ts_vec3_add(sum, touch->point[k].position);
        if (-touch->point[k].gap > deepest) deepest = -touch->point[k].gap;
    }
    run->centre = ts_vec3_scale(1.0 / touch->count, sum);
    run->first = range->at;
    run->count = touch->count;
    run->geom[0] = pair->a;
    run->geom[1] = pair->b;
    run->body[0] = shared.body_a;
    run->body[1] = shared.body_b;
    run->unit = range->unit;
    run->units = (short)touch->units;
    run->kind = (short)kind_of(sim, &shared, touch, surfaces->runs, range->at);
    run->friction = shared.surface->friction;
    run->restitution = shared.surface->restitution;
    return deepest;
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

// A batch. Pairs and memory ascend together.
static void fill_contacts(void* context, int begin, int end, int worker) {
    const compact_context* job = (const compact_context*)context;
    const ts_row_memory* known = job->sim->row_memory.data;
    ts_known_surface* surfaces = surfaces_of(job->sim, worker);
    ts_narrow_sum* sum = &job->sum[begin / TS_NARROW_GRAIN];
    contact_range range = {.run = sum->runs, .unit = sum->units, .at = sum->contacts};
    int old = -1;
    sum->deepest = 0.0;
    for (int i = begin; i < end; ++i) {
        const ts_narrow_pair* pair = &job->pair[i];
        const ts_narrow_touch* touch = &job->touch[i];
        uint64_t key = ts_pair_key(pair->a, pair->b);
        if (!touch->count) continue;
        if (old < 0) old = first_memory(known, job->first_old, job->end_old, key);
        while (old < job->end_old && known[old].key.whole < key) ++old;
        int first = old;
        while (old < job->end_old && known[old].key.whole == key) ++old;
        double deepest = fill_pair(job->sim, pair, touch, surfaces, first, old, &range);
        if (deepest > sum->deepest) sum->deepest = deepest;
        ++range.run;
        range.unit += touch->units;
        range.at += touch->count;
    }
}

// Contacts of what has been found.
static void fill_found(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_known_surface* surfaces = surfaces_of(sim, worker);
    for (int r = begin; r < end; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        const ts_narrow_pair pair = {run->geom[0], run->geom[1]};
        const shared_contact shared = share(sim, &pair, surfaces);
        known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero()};
        for (int i = run->first; i < run->first + run->count; ++i) {
            const ts_contact_note* note = &storage->contact_note[i];
            const ts_found_point* found = &storage->found->point[i];
            const ts_manifold_point point = {.position = found->position,
                                             .normal = storage->found->normal[run->unit + note->unit],
                                             .gap = found->gap,
                                             .feature = note->feature};
            fill_contact(sim, &shared, &point, ts_contact_memory_of(sim, i), &known, &sim->contact[i]);
        }
    }
}

// Room for contacts, and behind them for those that sleep: they are shown there.
static int take_contacts(ts_sim* sim, int count) {
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    sim->contact = TS_ARENA_ARRAY(&sim->scratch, ts_contact, count + (bed ? bed->contact.count : 0));
    return sim->contact != NULL;
}

int ts_found_fill(ts_sim* sim) {
    if (!take_contacts(sim, sim->contact_count)) return 0;
    ts_task_parallel_for(sim->tasks, ts_sim_storage_of(sim)->run_count, 64, fill_found, sim);
    ts_sim_storage_of(sim)->found = NULL;
    return 1;
}

// What few contacts have, of those that do. Those of a pile neither run nor stick.
static void fill_rare(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    ts_known_surface* surfaces = surfaces_of(sim, worker);
    for (int r = begin; r < end; ++r) {
        const ts_contact_run* run = &ts_sim_storage_of(sim)->contact_run[r];
        if (!(run->kind & TS_CONTACT_RUN_RARE)) continue;
        const ts_narrow_pair pair = {run->geom[0], run->geom[1]};
        const ts_surface* surface = surface_of(sim, &pair, surfaces);
        const ts_contact* contact = sim->contact ? &sim->contact[run->first] : NULL;
        ts_contact_rare* rare = &sim->contact_rare[run->first];
        for (int k = 0; k < run->count; ++k)
            rare[k] =
                (ts_contact_rare){.friction_spin = surface->friction_spin,
                                  .friction_roll = surface->friction_roll,
                                  .drift = contact && surfaces->runs ? drift_of(sim, &contact[k]) : ts_vec3_zero(),
                                  .adhesion = contact ? adhesion_of(sim, contact[k].gap, surface) : 0.0,
                                  .angular_impulse = ts_vec3_zero()};
    }
}

int ts_found_take_rare(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_bed* bed = storage->bed;
    int any = bed && bed->rare.count > 0, all = sim->contact_count + (bed ? bed->contact.count : 0);
    for (int r = 0; r < storage->run_count && !any; ++r) any = storage->contact_run[r].kind & TS_CONTACT_RUN_RARE;
    if (!any) return 1;
    sim->contact_rare = (ts_contact_rare*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)all, sizeof *sim->contact_rare);
    if (!sim->contact_rare) return 0;
    ts_task_parallel_for(sim->tasks, storage->run_count, 64, fill_rare, sim);
    return 1;
}

// Of all batches what is before them. Returns what there is of all.
static ts_narrow_sum sum_up(ts_narrow_sum* io_sum, int batches) {
    ts_narrow_sum all = {0, 0, 0, 0, 0, 0.0};
    for (int i = 0; i < batches; ++i) {
        ts_narrow_sum next = io_sum[i];
        io_sum[i] = all;
        all.contacts += next.contacts;
        all.runs += next.runs;
        all.units += next.units;
        all.kept += next.kept;
        all.failures += next.failures;
    }
    return all;
}

// Room for what is found where the step may be one of a pile. Returns 0 when memory is short.
static int take_found(ts_sim* sim, int count, int units) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_arena* arena = &sim->scratch;
    storage->contact_note = TS_ARENA_ARRAY(arena, ts_contact_note, count);
    ts_arena_scope without = ts_arena_scope_begin(arena);
    storage->found = TS_ARENA_ARRAY(arena, ts_found, 1);
    if (!storage->found) return 0;
    *storage->found = (ts_found){.point = TS_ARENA_ARRAY(arena, ts_found_point, count),
                                 .normal = TS_ARENA_ARRAY(arena, ts_vec3, units + 1),
                                 .without = without};
    return !arena->failed;
}

ts_code ts_found_take(ts_sim* sim, const ts_narrow_pair* pair, const ts_narrow_touch* touch, int pair_count,
                      ts_narrow_sum* sum) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int batches = (pair_count + TS_NARROW_GRAIN - 1) / TS_NARROW_GRAIN;
    ts_narrow_sum all = sum_up(sum, batches);
    sim->info.narrow_failures = all.failures;
    sim->info.kept_pairs = all.kept;
    storage->run_count = all.runs;
    storage->contact_memory_index = TS_ARENA_ARRAY(&sim->scratch, int, all.contacts);
    storage->contact_run = TS_ARENA_ARRAY(&sim->scratch, ts_contact_run, storage->run_count);
    storage->found = NULL;
    int enough = ts_pile_may_be(sim) ? take_found(sim, all.contacts, all.units) : take_contacts(sim, all.contacts);
    if (!enough || sim->scratch.failed) return TS_ERROR_MEMORY;
    compact_context job = {sim, pair, touch, sum, 0, 0};
    ts_contact_memory(sim, &job.first_old, &job.end_old);
    ts_task_run_ranges(sim->tasks, pair_count, TS_NARROW_GRAIN, fill_contacts, &job);
    sim->contact_count = all.contacts;
    sim->info.contact_count = all.contacts;
    for (int i = 0; i < batches; ++i)
        if (sum[i].deepest > sim->info.worst_penetration) sim->info.worst_penetration = sum[i].deepest;
    return storage->found || ts_found_take_rare(sim) ? TS_OK : TS_ERROR_MEMORY;
}
