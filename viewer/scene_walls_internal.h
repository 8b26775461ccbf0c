// Planes that stand on end: what is drawn of them.
#ifndef TS_VIEWER_SCENE_WALLS_INTERNAL_H
#define TS_VIEWER_SCENE_WALLS_INTERNAL_H

#include "engine/sim.h"
#include "viewer/draw_list.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_SCENE_WALL_CORNERS = 16 };

/// The part of a wall that is drawn: a convex polygon.
typedef struct ts_scene_wall {
    ts_vec3 corner[TS_SCENE_WALL_CORNERS];  // (count) m
    int count;                              // 0: nothing
} ts_scene_wall;

/// Against gravity; z without any.
ts_vec3 ts_scene_walls_up(const ts_sim* sim);

/// Whether a geom is a plane that does not face up.
int ts_scene_walls_has(const ts_sim* sim, int g);

/// What is drawn of that wall around a scene with such a box.
ts_scene_wall ts_scene_walls_shape(const ts_sim* sim, int g, ts_vec3 low, ts_vec3 high);

/// Adds its outline, and its face where it is seen from inside.
void ts_scene_walls_draw(const ts_scene_wall* wall, const float color[4], ts_vec3 normal, ts_vec3 eye,
                         ts_draw_list* list);

#ifdef __cplusplus
}
#endif
#endif
