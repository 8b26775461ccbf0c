// How large a scene is, and how large marks in it should be.
#ifndef TS_SCENES_SCENE_SIZES_H
#define TS_SCENES_SCENE_SIZES_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A box around what was added to it.
typedef struct ts_scene_box {
    ts_vec3 low;   // m
    ts_vec3 high;  // m
    int count;     // things added; without any, the ends mean nothing
} ts_scene_box;

/// Around nothing.
ts_scene_box ts_scene_box_empty(void);

/// Makes room for a box; what is endless or not a number is passed over.
void ts_scene_box_add(ts_scene_box* box, ts_vec3 low, ts_vec3 high);

/// Makes room for a shape, likewise.
void ts_scene_box_add_shape(ts_scene_box* box, const ts_shape* shape, const ts_transform* placed);

/// Sizes that fit a scene.
typedef struct ts_scene_sizes {
    ts_vec3 low;               // m, of the box around what is worth looking at
    ts_vec3 high;              // m
    double radius;             // m, half the diagonal of what is worth looking at
    double body_radius;        // m, half the diagonal around a moving body, on average
    double metres_per_newton;  // length of force arrows; 0 when nothing has mass
    double longest_arrow;      // m, force arrows are cut at this length
    double grid_cell;          // m, a power of ten
} ts_scene_sizes;

/// The box around what is worth looking at: all that moves, and still things not much larger than that; everything finite
/// when nothing moves, and two metres around the origin when nothing is finite.
void ts_scene_sizes_bounds(const ts_sim* sim, ts_vec3* out_min, ts_vec3* out_max);

/// The same with room for what hangs on the world and will swing: where it gets to within ten seconds, or less for large robots.
void ts_scene_sizes_reach(const ts_sim* sim, ts_vec3* out_min, ts_vec3* out_max);

/// Sizes for the simulation's present pose. The weight of a robot or body of average mass becomes an arrow three times as
/// long as its radius, so the four arrows under a resting cube are a little shorter than the cube; in a crowd, half as
/// long as its radius.
ts_scene_sizes ts_scene_sizes_measure(const ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
