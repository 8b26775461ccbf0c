// What is drawn of a model beside its shapes and contacts: joints, ties, inertia, forces from outside.
#ifndef TS_VIEWER_SCENE_MARKS_INTERNAL_H
#define TS_VIEWER_SCENE_MARKS_INTERNAL_H

#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds the marks that the style's `show` asks for.
void ts_scene_marks_draw(const ts_sim* sim, const ts_scene_style* style, ts_draw_list* list);

/// Adds the axes of a frame, that long, m: x red, y green, z blue.
void ts_scene_marks_frame(const ts_transform* placed, double size, ts_draw_list* list);

/// Adds the force of a contact (N, world axes) as its normal part and its friction.
void ts_scene_marks_split(const ts_contact* contact, ts_vec3 force, const ts_scene_sizes* sizes, ts_draw_list* list);

/// For each tree the lowest number of a tree that it hangs together with by contacts that push and by equalities; NULL when there is none
/// or memory is short.
const int* ts_scene_marks_islands(const ts_sim* sim, ts_arena* arena);

#ifdef __cplusplus
}
#endif
#endif
