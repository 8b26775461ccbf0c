// The broad stage of a step: a box around every geom that can touch anything, the pairs of boxes that overlap, and a
// second look at those.
//
// Which geoms can touch is a matter of the model: one whose category and mask meet nobody's, or only those of geoms it is
// welded to, and that no contact pair names, is there for looks and has no part in this. Boxes of meshes come from what turns with them (hull_outline.c, hull_box.c), so no vertex is looked at; they grow
// by half the contact margin and the geom's own, so that two shapes a margin apart still pair. Geoms of bodies that are welded together
// share a group. What the broad phase remembers from step to step makes it fast and changes no answer, so it is no part
// of a snapshot; neither is what the second look notes for each pair.
#include <math.h>
#include <string.h>

#include "engine/sim_internal.h"
#include "engine/step/foresee_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/step.h"

// --- who takes part --------------------------------------------------------------------------------------------------

enum { BITS = 32, NOBODY = -1, SEVERAL = -2 };

// For every bit of a mask, the rigid body that has a geom with it: a weld, NOBODY or SEVERAL.
typedef struct bit_owners {
    int weld[BITS];
} bit_owners;

static void add_owner(bit_owners* owners, unsigned bits, int weld) {
    for (int k = 0; k < BITS; ++k)
        if (bits >> k & 1u && owners->weld[k] != weld) owners->weld[k] = owners->weld[k] == NOBODY ? weld : SEVERAL;
}

static int meets_other(const bit_owners* owners, unsigned bits, int weld) {
    for (int k = 0; k < BITS; ++k)
        if (bits >> k & 1u && owners->weld[k] != NOBODY && owners->weld[k] != weld) return 1;
    return 0;
}

// The box of a geom. Boxes of hulls are known to these; others are mostly where their geom is. Returns 0 when memory is short.
static int take_box(ts_sim_storage* storage, const ts_shape* shape, ts_collider* collider) {
    const ts_transform straight = ts_transform_identity();
    ts_obb box;
    collider->placed = NULL;
    collider->is_box = shape->kind == TS_SHAPE_BOX && shape->radius == 0.0;
    collider->has_box = shape->kind != TS_SHAPE_SPHERE && ts_obb_of_shape(shape, &box);
    if (!collider->has_box) return 1;
    collider->half = box.half;
    // A box turned by a bit is turned. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (!memcmp(&box.placed, &straight, sizeof straight)) return 1;
    if (shape->kind == TS_SHAPE_HULL) {
        collider->placed = &shape->hull->box;
        return 1;
    }
    ts_transform* placed = TS_ARENA_ARRAY(&storage->fixed, ts_transform, 1);
    if (placed) *placed = box.placed;
    collider->placed = placed;
    return placed != NULL;
}

// A geom of a contact pair meets every bit; the second look keeps from it whom it may not touch. Returns 0 when memory is short.
static int add_collider(ts_sim* sim, int index, int paired, double margin) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_geom* geom = &sim->model->geom[index];
    const ts_body* body = &sim->model->body[geom->body];
    ts_collider* collider = &storage->collider[storage->collider_count];
    ts_bounds* bounds = &storage->bounds[storage->collider_count++];
    collider->geom = index;
    collider->dof = body->tree >= 0 && sim->model->tree[body->tree].kind != TS_TREE_GENERAL
                        ? sim->model->tree[body->tree].dof_first
                        : -1;
    collider->is_fixed = body->tree < 0 && sim->model->mocap_count == 0;
    collider->margin = margin;
    collider->size = ts_shape_bounding_radius(&geom->shape);
    collider->radius = collider->size + ts_vec3_norm(geom->pose.position);
    bounds->group = body->weld;
    bounds->category = paired ? ~0u : geom->category;
    bounds->mask = paired ? ~0u : geom->mask;
    return take_box(storage, &geom->shape, collider);
}

// The most that each geom adds to the margin of a contact: its own, or half of that of a pair. NULL when memory is short.
static double* find_margins(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    double* margin = (double*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)model->geom_count, sizeof *margin);
    for (int g = 0; g < model->geom_count && margin; ++g) {
        margin[g] = fmax(model->geom[g].surface.margin, 0.0);
        storage->has_margins |= model->geom[g].surface.margin != 0.0;
    }
    for (int i = 0; i < model->pair_count && margin; ++i) {
        const ts_contact_pair* pair = &model->pair[i];
        margin[pair->geom_a] = fmax(margin[pair->geom_a], 0.5 * pair->surface.margin);
        margin[pair->geom_b] = fmax(margin[pair->geom_b], 0.5 * pair->surface.margin);
        storage->has_margins |= pair->surface.margin != 0.0;
    }
    return margin;
}

// Whether any two kinds of shapes that are there may search; the thickest of a kind stands for all of it.
static int some_search(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_shape* of[TS_SHAPE_KIND_COUNT] = {NULL};
    for (int c = 0; c < storage->collider_count; ++c) {
        const ts_shape* shape = &sim->model->geom[storage->collider[c].geom].shape;
        if (!of[shape->kind] || of[shape->kind]->radius < shape->radius) of[shape->kind] = shape;
    }
    for (int a = 0; a < TS_SHAPE_KIND_COUNT; ++a)
        for (int b = a; b < TS_SHAPE_KIND_COUNT; ++b)
            if (of[a] && of[b] && ts_manifold_searches(of[a], of[b])) return 1;
    return 0;
}

int ts_sim_find_colliders(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    bit_owners category, mask;
    storage->collider = TS_ARENA_ARRAY(&storage->fixed, ts_collider, model->geom_count);
    storage->bounds = TS_ARENA_ARRAY(&storage->fixed, ts_bounds, model->geom_count);
    storage->foreseen =
        (ts_foreseen*)ts_arena_alloc_zeroed(&storage->fixed, (size_t)model->geom_count, sizeof(ts_foreseen));
    char* is_paired = (char*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)model->geom_count, 1);
    const double* margin = find_margins(sim);
    if (!storage->collider || !storage->bounds || !storage->foreseen || !is_paired || !margin) return 0;
    for (int i = 0; i < model->pair_count; ++i) is_paired[model->pair[i].geom_a] = is_paired[model->pair[i].geom_b] = 1;
    for (int k = 0; k < BITS; ++k) category.weld[k] = mask.weld[k] = NOBODY;
    for (int g = 0; g < model->geom_count; ++g) {
        add_owner(&category, model->geom[g].category, model->body[model->geom[g].body].weld);
        add_owner(&mask, model->geom[g].mask, model->body[model->geom[g].body].weld);
    }
    for (int g = 0; g < model->geom_count; ++g) {
        const ts_geom* geom = &model->geom[g];
        int weld = model->body[geom->body].weld;
        int meets =
            is_paired[g] || meets_other(&mask, geom->category, weld) || meets_other(&category, geom->mask, weld);
        if (meets && !add_collider(sim, g, is_paired[g], margin[g])) return 0;
    }
    storage->pairs_search = some_search(sim);
    storage->fixed_margin = (double)NAN;
    int turned = 0;
    for (int c = 0; c < storage->collider_count; ++c)
        storage->collider[c].turned = storage->collider[c].placed ? turned++ : 0;
    storage->oriented = TS_ARENA_ARRAY(&storage->fixed, ts_obb, turned);
    return storage->oriented != NULL;
}

// --- boxes -----------------------------------------------------------------------------------------------------------

// Where the box of a collider is now.
static inline const ts_transform* place_of(const ts_sim* sim, const ts_collider* collider) {
    return collider->placed ? &ts_sim_storage_of(sim)->oriented[collider->turned].placed
                            : ts_kinematics_geom(&sim->kinematics, collider->geom);
}

// Geoms among which the straight box around their own, turned, will do: the second look, which asks that one, costs less than a tighter box.
enum { FEW = 64 };

// The straight box around a geom's own, with room on all sides.
static inline void around_box(const ts_transform* placed, ts_vec3 h, double room, ts_bounds* out_bounds) {
    const ts_mat3* R = &placed->R;
    ts_vec3 grow = ts_vec3_make(room, room, room);
    ts_vec3 reach = ts_vec3_make(fabs(R->m[0][0]) * h.x + fabs(R->m[0][1]) * h.y + fabs(R->m[0][2]) * h.z,
                                 fabs(R->m[1][0]) * h.x + fabs(R->m[1][1]) * h.y + fabs(R->m[1][2]) * h.z,
                                 fabs(R->m[2][0]) * h.x + fabs(R->m[2][1]) * h.y + fabs(R->m[2][2]) * h.z);
    out_bounds->min = ts_vec3_sub(ts_vec3_sub(placed->p, reach), grow);
    out_bounds->max = ts_vec3_add(ts_vec3_add(placed->p, reach), grow);
}

// m: what boxes are grown by, both together: a trifle more than the margin, so that a pair is known that is about to come within it
// (engine/derivative/step_report_margin.c).
static double room_of_margin(const ts_sim* sim) { return (1.0 + 1e-9) * sim->options.contact_margin; }

// The straight box around a geom; of a hull its own box is placed like this.
static void straight_box(const ts_shape* shape, const ts_transform* pose, const ts_transform* placed, double margin,
                         ts_bounds* out_bounds) {
    if (shape->kind == TS_SHAPE_SPHERE) {
        out_bounds->min = out_bounds->max = pose->p;
        margin += shape->radius;
    } else if (shape->kind == TS_SHAPE_HULL) {
        ts_hull_bounds(shape->hull, placed, &out_bounds->min, &out_bounds->max);
        margin += shape->radius;
    } else {
        ts_shape_bounds(shape, pose, &out_bounds->min, &out_bounds->max);
    }
    ts_vec3 grow = ts_vec3_make(margin, margin, margin);
    out_bounds->min = ts_vec3_sub(out_bounds->min, grow);
    out_bounds->max = ts_vec3_add(out_bounds->max, grow);
}

// Whether a tree sleeps where its boxes are.
static int lies(const ts_sim_storage* storage, int tree) {
    return tree >= 0 && storage->tree_asleep[tree] == TS_TREE_LIES;
}

static void update_bounds(void* context, int begin, int end, int worker) {
    const ts_sim* sim = (const ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double margin = 0.5 * room_of_margin(sim);
    int few = storage->collider_count <= FEW, is_known = margin == storage->fixed_margin;
    (void)worker;
    for (int c = begin; c < end; ++c) {
        const ts_collider* collider = &storage->collider[c];
        if (is_known && collider->is_fixed) continue;
        const ts_geom* geom = &sim->model->geom[collider->geom];
        ts_foresee_note(sim, collider);
        double reach = storage->foreseen[collider->geom].reach;
        if (storage->asleep_count > 0 && lies(storage, storage->body_tree[geom->body])) continue;
        const ts_transform *pose = ts_kinematics_geom(&sim->kinematics, collider->geom), *placed = pose;
        if (collider->placed) {
            ts_obb* box = &storage->oriented[collider->turned];
            *box = (ts_obb){ts_transform_mul(pose, collider->placed), collider->half};
            placed = &box->placed;
        }
        double room = (margin > reach ? margin : reach) + collider->margin;
        if (collider->is_box || (few && collider->has_box))
            around_box(placed, collider->half, room, &storage->bounds[c]);
        else
            straight_box(&geom->shape, pose, placed, room, &storage->bounds[c]);
    }
}

// --- the second look -------------------------------------------------------------------------------------------------

// Whether the box comes within the margin of a half-space: its lowest corner along the normal, with room for rounding.
static int may_touch_plane(const ts_transform* plane, const ts_transform* placed, ts_vec3 half, double margin) {
    ts_vec3 n = ts_mat3_column(&plane->R, 2);
    double height = ts_vec3_dot(n, ts_vec3_sub(placed->p, plane->p));
    double reach = ts_vec3_dot(ts_vec3_abs(ts_transform_direction_inverse(placed, n)), half);
    return height - reach <= margin + 1e-9 * (fabs(height) + reach);
}

// Where one of the two has no box: of planes it is known how far the other is.
static int may_touch_boxless(const ts_sim* sim, const ts_collider* a, const ts_collider* b, double margin) {
    const ts_collider *plane = a->has_box ? b : a, *other = a->has_box ? a : b;
    if (!other->has_box || sim->model->geom[plane->geom].shape.kind != TS_SHAPE_PLANE) return 1;
    return may_touch_plane(ts_kinematics_geom(&sim->kinematics, plane->geom), place_of(sim, other), other->half,
                           margin);
}

// What is noted about a pair: nothing, or the axis that separated it last, or that none did but the model allows it.
enum { NOTED_NOTHING = 0, NOTED_AXIS = 1, NOTED_NO_AXIS = NOTED_AXIS + TS_OBB_AXES };

// Zero when the model keeps the pair apart, or when a cheap test proves it farther apart than the margin.
static int may_touch(void* context, int first, int second, unsigned char* note) {
    const ts_sim* sim = (const ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_collider *a = &storage->collider[first], *b = &storage->collider[second];
    double margin = ts_foresee_margin(sim, a->geom, b->geom, room_of_margin(sim)) + a->margin + b->margin;
    if (storage->asleep_count > 0 &&
        ts_sleep_keeps_apart(sim, sim->model->geom[a->geom].body, sim->model->geom[b->geom].body))
        return 0;
    if (*note == NOTED_NOTHING)
        *note = ts_model_geoms_can_touch(sim->model, a->geom, b->geom) ? NOTED_NO_AXIS : TS_BROAD_PHASE_NEVER;
    if (*note == TS_BROAD_PHASE_NEVER) return 0;
    if (!a->has_box || !b->has_box) return may_touch_boxless(sim, a, b, margin);
    int hint = *note == NOTED_NO_AXIS ? TS_OBB_NONE : *note - NOTED_AXIS;
    int axis = ts_obb_separating_axis(place_of(sim, a), &a->half, place_of(sim, b), &b->half, margin, hint);
    if (axis == TS_OBB_NONE) return 1;
    *note = (unsigned char)(NOTED_AXIS + axis);
    return 0;
}

ts_code ts_step_broad_phase(ts_sim* sim, ts_pair** out_pairs, int* out_pair_count) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_broad_phase_settings settings = ts_broad_phase_settings_default();
    ts_broad_phase_info info;
    ts_pair_list found;
    if (ts_sleep_is_total(sim)) {
        *out_pairs = NULL;
        *out_pair_count = 0;
        return TS_OK;
    }
    settings.filter = may_touch;
    settings.filter_context = sim;
    // What is gone when pairs are in order takes the place of what the narrow stage and solves will need.
    ts_arena_reset(&storage->solve_scratch[0]);
    ts_task_parallel_for(sim->tasks, storage->collider_count, 128, update_bounds, sim);
    storage->fixed_margin = 0.5 * room_of_margin(sim);
    ts_code code = ts_broad_phase_update(storage->broad, storage->bounds, storage->collider_count, &settings,
                                         sim->tasks, &storage->solve_scratch[0], &found, &info);
    for (int i = 0; i < found.count; ++i) {
        ts_pair* pair = &found.pair[i];
        pair->first = storage->collider[pair->first].geom;
        pair->second = storage->collider[pair->second].geom;
    }
    ts_sleep_lie(sim);
    sim->info.bad_bounds = info.invalid;
    sim->info.pair_count = found.count;
    *out_pairs = found.pair;
    *out_pair_count = found.count;
    sim->info.pair_limit_reached = info.limit_reached;
    return code;
}
