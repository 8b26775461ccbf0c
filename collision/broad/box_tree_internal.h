// A dynamic tree of axis-aligned boxes: who overlaps this box, what does this ray meet. Not for use outside collision/ and
// its tests.
//
// Items are numbers of the caller's choice (0, 1, 2, ...; memory is linear in the largest). Boxes are kept in single
// precision, rounded outwards: a query may report an item whose box misses by one part in 10^6 of the coordinates, and
// never misses one. That makes a pair of siblings one cache line, and the caller looks closer anyway.
#ifndef TS_COLLISION_BOX_TREE_INTERNAL_H
#define TS_COLLISION_BOX_TREE_INTERNAL_H

#include <math.h>
#include <stddef.h>

#include "collision/broad/broad_phase.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Coordinates beyond this (m, from the tree's origin) do not go into a tree.
#define TS_BOX_TREE_REACH 1e18

/// Most items a tree can hold.
#define TS_BOX_TREE_ITEMS_MAX (1 << 29)

/// Two siblings of the tree: one cache line. Private.
typedef struct ts_box_tree_pair {
    float bound[6][2];  // low x, y, z, then minus high x, y, z, of either sibling; m, from the tree's origin
    int child[2];       // >= 0: the pair below; < 0: ~item; INT_MIN: nothing here
    int parent;         // 2 * pair + side of the node this pair hangs on; -1 for pair 0
    int unused;
} ts_box_tree_pair;

/// The tree. Zero-initialised is valid and empty; free with ts_box_tree_free. Fields are private.
typedef struct ts_box_tree {
    ts_box_tree_pair* pair;  // pair 0 holds the root in its first place and nothing in its second
    int pair_count;          // pairs ever used, those given back included
    int pair_capacity;
    int pair_free;  // first of the list of pairs given back, linked through `parent`; 0: none
    int* place;     // (place_count) 2 * pair + side of each item, or -1
    int place_count;
    int place_capacity;
    int item_count;
    ts_vec3 origin;     // m
    double cost;        // m^2, sum of half the surfaces of all inner nodes
    double built_cost;  // m^2, the same when the tree was last built
    long long changes;  // insertions, removals and moves since then
    void* scratch;      // for building
    size_t scratch_bytes;
} ts_box_tree;

/// Gives all memory back; the tree is empty and usable again.
void ts_box_tree_free(ts_box_tree* tree);

/// Takes all items out; memory and origin stay.
void ts_box_tree_clear(ts_box_tree* tree);

/// Takes an item out; does nothing when it is not in the tree.
void ts_box_tree_remove(ts_box_tree* tree, int item);

/// Nonzero when the item is in the tree.
int ts_box_tree_has(const ts_box_tree* tree, int item);

/// How many times worse than when it was built the tree has become (sum of surfaces, 1 = as good).
double ts_box_tree_decay(const ts_box_tree* tree);

/// A ray as boxes are asked about it.
typedef struct ts_box_ray {
    double from[3];
    double inverse[3];
    int still[3];  // the ray does not move along this axis
} ts_box_ray;

/// The ray `from + t direction`.
static inline ts_box_ray ts_box_ray_make(ts_vec3 from, ts_vec3 direction) {
    ts_box_ray ray;
    ts_vec3_store(from, ray.from);
    for (int k = 0; k < 3; ++k) {
        // A component whose inverse overflows moves the ray nowhere within the reach of a tree.
        ray.inverse[k] = 1.0 / ts_vec3_get(direction, k);
        ray.still[k] = !isfinite(ray.inverse[k]);
    }
    return ray;
}

/// The parameter at which the ray enters the box, or -1 when it misses it up to `limit`.
static inline double ts_box_ray_enter(const ts_box_ray* ray, const double low[3], const double high[3], double limit) {
    double enter = 0.0, leave = limit;
    for (int k = 0; k < 3; ++k) {
        if (ray->still[k]) {
            if (!(low[k] <= ray->from[k] && ray->from[k] <= high[k])) return -1.0;
            continue;
        }
        double one = (low[k] - ray->from[k]) * ray->inverse[k], two = (high[k] - ray->from[k]) * ray->inverse[k];
        double near = one < two ? one : two, far = one < two ? two : one;
        // Each of these numbers has three roundings.
        near -= fabs(near) * 0x1p-50;
        far += fabs(far) * 0x1p-50;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave ? enter : -1.0;
}

/// Visits the items whose boxes the ray `from + t direction`, 0 <= t <= limit, meets, roughly from near to far.
/// `direction` need not be a unit vector; zero means the point `from`. Nothing is visited when an input is NaN or
/// `from` infinite. Returns the last limit.
double ts_box_tree_ray(const ts_box_tree* tree, ts_vec3 from, ts_vec3 direction, double limit, ts_box_ray_visit visit,
                       void* context);

#ifdef __cplusplus
}
#endif
#endif
