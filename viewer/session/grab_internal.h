// A body held by the mouse: the spring between a point of it and where the mouse is.
#ifndef TS_VIEWER_SESSION_GRAB_INTERNAL_H
#define TS_VIEWER_SESSION_GRAB_INTERNAL_H

#include "viewer/session/playback_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is done to a body.
typedef enum ts_grab_kind {
    TS_GRAB_NONE,
    TS_GRAB_MOVE,  // a point of it is pulled to `target`
    TS_GRAB_TURN   // it is turned to `rotation`
} ts_grab_kind;

/// A hold on a body.
typedef struct ts_grab {
    ts_grab_kind kind;
    int body;
    ts_vec3 local;     // m, the point that is held, in the body frame
    ts_vec3 target;    // m, in the world
    ts_quat rotation;  // that the body frame shall have
    double rate;       // 1/s: of the spring's critically damped motion
} ts_grab;

/// What a hold has to move.
typedef struct ts_grab_load {
    double mass;     // kg: of the point; 0: nothing there moves
    double inertia;  // kg m^2
} ts_grab_load;

/// How heavy the point is, and how hard to turn the body, with all that hangs on it in the present pose; means over directions.
/// Zeros when the arena has no memory.
ts_grab_load ts_grab_weigh(const ts_sim* sim, const ts_grab* grab, ts_arena* arena);

/// What the spring does in the coming step: it is taken at the step's end, so that it never swings itself up.
ts_push ts_grab_push(const ts_sim* sim, const ts_grab* grab, const ts_grab_load* load);

/// Moves or turns the body itself, at once: of trees that begin with a free joint the whole, and bodies that are moved from outside.
/// Returns 0 for others.
int ts_grab_place(ts_sim* sim, const ts_grab* grab);

#ifdef __cplusplus
}
#endif
#endif
