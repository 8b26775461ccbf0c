// Fills a draw list from a simulation, through its public fields only.
//
// Contacts (points, arrows, cones) have the colour of what the step's certificate says they do (contact/judge/certificate.h):
//   green   stick
//   orange  slide
//   grey    open
//   red     violated: breaks the exact law by more than the solver's tolerance
// An arrow starts at the contact point and shows the force on the second geom of the pair (impulse / time step); a body
// resting on the floor is pushed up. Its length is proportional to the force.
#ifndef TS_VIEWER_SCENE_DRAW_H
#define TS_VIEWER_SCENE_DRAW_H

#include "engine/step/certify.h"
#include "viewer/camera.h"
#include "viewer/draw_list.h"
#include "scenes/scene_sizes.h"
#include "viewer/shape_look.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to show, combined with |.
enum {
    TS_SHOW_GEOMS = 1,
    TS_SHOW_CONTACTS = 2,         // a disk per contact point, in the tangent plane
    TS_SHOW_FORCES = 4,           // an arrow per contact
    TS_SHOW_CONES = 8,            // the friction cone, as high as the normal force
    TS_SHOW_FRAMES = 16,          // axes of bodies: x red, y green, z blue
    TS_SHOW_GRID = 32,            // lines on planes
    TS_SHOW_GLASS = 64,           // moving geoms see-through
    TS_SHOW_CENTRES = 128,        // centres of mass
    TS_SHOW_PATTERN = 256,        // round shapes in two shades
    TS_SHOW_COLLISION = 512,      // the shapes that make contacts, where a body also has others that are only for looks
    TS_SHOW_ONLY_MOVING = 1024,   // leave out what cannot move
    TS_SHOW_SPLIT = 2048,         // forces as their normal part and friction
    TS_SHOW_JOINTS = 4096,        // axes of joints
    TS_SHOW_EQUALITIES = 8192,    // what equalities tie together
    TS_SHOW_INERTIA = 16384,      // boxes that have the inertia of the bodies
    TS_SHOW_ISLANDS = 32768,      // bodies that push each other have one colour
    TS_SHOW_APPLIED = 65536,      // forces from outside
    TS_SHOW_NO_SHADOWS = 131072,  // nothing casts a shadow
    TS_SHOW_LINKS = 262144,       // lines from bodies to their parents
    TS_SHOW_TENDONS = 524288,     // tendons, from site to site
    TS_SHOW_GEOM_FRAMES = 1048576,
    TS_SHOW_SITE_FRAMES = 2097152,
    TS_SHOW_CONTACT_FRAMES = 4194304,  // tangents red and green, normal blue
    TS_SHOW_WORLD_FRAME = 8388608
};

/// How a scene is drawn. All borrowed.
typedef struct ts_scene_style {
    const ts_scene_sizes* sizes;
    const ts_own_shapes* own;  // its shapes that the device has meshes of their own for
    const ts_camera* camera;   // decides where the middle of an endless plane is drawn
    unsigned show;             // TS_SHOW_ bits
    const int* island;         // (tree_count) of which colours are, or NULL
} ts_scene_style;

/// Appends the simulation as it is now. `mode` tells what its contacts do (contact_count), NULL shows none of them.
void ts_scene_draw(const ts_sim* sim, const ts_contact_mode* mode, const ts_scene_style* style, ts_draw_list* list);

#ifdef __cplusplus
}
#endif
#endif
