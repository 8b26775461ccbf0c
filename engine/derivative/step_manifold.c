// How the points of a pair that touches answer to the motion of one relative to the other, as a step has found them.
//
// Rule: the derivative of the narrow phase (collision/derivative/proximity_derivative.h); where it has none of a pair, central differences of manifolds with B moved
// (TS_PART_COLLISION). Known to fail: where other points touch nearby there are none.
#include <math.h>
#include <string.h>

#include "engine/derivative/step_implicit_internal.h"
#include "engine/step/pair_memory_internal.h"

// m and rad: of B's pose, for differences of manifolds.
static const double pose_increment = 1e-6;

// A pair's manifold as the narrow phase had it.
static void rebuild(const ts_sim* sim, const ts_contact* first, int count, ts_manifold* out) {
    memset(out, 0, sizeof *out);
    double margin = ts_model_margin_between(sim->model, first->geom_a, first->geom_b);
    for (int k = 0; k < count; ++k) {
        ts_vec3 normal = ts_mat3_column(&first[k].frame, 2);
        out->point[k] = (ts_manifold_point){first[k].position, normal, first[k].gap + margin, (uint32_t)first[k].key};
    }
    out->count = count;
    out->normal = out->point[0].normal;
}

// What its pair remembers, in `room`; NULL: nothing.
static const ts_manifold_cache* cache_of(const ts_sim* sim, const ts_contact* contact, ts_manifold_cache* room) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_pair_memory_array* memory = &storage->pair_next;
    uint64_t key = (uint64_t)(uint32_t)contact->geom_a << 32 | (uint32_t)contact->geom_b;
    int low = 0, high = memory->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (memory->data[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == memory->count || memory->data[low].key != key) return NULL;
    ts_pair_memory_get(&memory->data[low], storage->pairs_search ? &storage->search_next.data[low] : NULL, room);
    return room;
}

// B's pose moved along number j of its twist.
static ts_transform moved_pose(const ts_transform* pose, int j, double e) {
    ts_transform moved = *pose;
    if (j < 3) {
        moved.p = ts_vec3_add_scaled(pose->p, e, ts_vec3_axis(j));
        return moved;
    }
    ts_mat3 turn = ts_quat_to_mat3(ts_quat_from_rotation_vector(ts_vec3_scale(e, ts_vec3_axis(j - 3))));
    moved.R = ts_mat3_mul(turn, pose->R);
    return moved;
}

// The same manifold as `known` with B moved: its points in the order of `known`. Returns 0 when they are others.
static int collide_moved(const ts_sim* sim, const ts_contact* contact, const ts_manifold* known, int j, double e,
                         ts_manifold_point* out_point) {
    const ts_kinematics* k = &sim->kinematics;
    ts_manifold_cache now;
    ts_manifold found;
    if (!cache_of(sim, contact, &now)) memset(&now, 0, sizeof now);
    ts_transform pose = moved_pose(ts_kinematics_geom(k, contact->geom_b), j, e);
    double margin = ts_model_margin_between(sim->model, contact->geom_a, contact->geom_b);
    ts_manifold_settings settings = {fmax(sim->options.contact_margin + margin, 0.0) + 10.0 * fabs(e),
                                     sim->options.manifold_points, 0.0};
    found.count = 0;
    ts_manifold_collide(&sim->model->geom[contact->geom_a].shape, ts_kinematics_geom(k, contact->geom_a),
                        &sim->model->geom[contact->geom_b].shape, &pose, &settings, &now, &found);
    for (int n = 0; n < known->count; ++n) {
        int at = 0;
        while (at < found.count && found.point[at].feature != known->point[n].feature) ++at;
        if (at == found.count) return 0;
        out_point[n] = found.point[at];
    }
    return 1;
}

// By differences. Returns 0 when other points touch nearby.
static int difference_manifold(const ts_sim* sim, const ts_contact* contact, const ts_manifold* known,
                               ts_manifold_derivative_point* out) {
    ts_manifold_point low[TS_MANIFOLD_CAPACITY], high[TS_MANIFOLD_CAPACITY];
    double half = 0.5 / pose_increment;
    for (int j = 0; j < 6; ++j) {
        if (!collide_moved(sim, contact, known, j, -pose_increment, low) ||
            !collide_moved(sim, contact, known, j, pose_increment, high))
            return 0;
        for (int n = 0; n < known->count; ++n) {
            ts_vec3 position = ts_vec3_scale(half, ts_vec3_sub(high[n].position, low[n].position));
            ts_vec3 normal = ts_vec3_scale(half, ts_vec3_sub(high[n].normal, low[n].normal));
            out[n].gap[j] = half * (high[n].gap - low[n].gap);
            for (int i = 0; i < 3; ++i) {
                out[n].position[i][j] = ts_vec3_get(position, i);
                out[n].normal[i][j] = ts_vec3_get(normal, i);
            }
        }
    }
    return 1;
}

int ts_step_manifold_slopes(const ts_sim* sim, const ts_contact* first, int count, ts_manifold_derivative_point* out,
                            ts_step_report* report) {
    ts_manifold manifold;
    ts_manifold_cache room;
    const ts_kinematics* k = &sim->kinematics;
    rebuild(sim, first, count, &manifold);
    if (ts_manifold_derivative(&sim->model->geom[first->geom_a].shape, ts_kinematics_geom(k, first->geom_a),
                               &sim->model->geom[first->geom_b].shape, ts_kinematics_geom(k, first->geom_b), &manifold,
                               cache_of(sim, first, &room), out) == count)
        return 1;
    report->differenced |= TS_PART_COLLISION;
    return difference_manifold(sim, first, &manifold, out);
}
