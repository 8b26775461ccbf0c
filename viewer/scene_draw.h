// Fills a draw list from a simulation, through its public fields only.
//
// Contacts (points, arrows, cones) have the colour of what the step's certificate says they do (contact/judge/certificate.h):
//   green   stick
//   orange  slide
//   grey    open
//   red     violated: breaks the exact law by more than the solver's tolerance
// An arrow starts at the contact point and shows the force (impulse / time step) on the body that moves, of two that move on the second; a body
// resting on the floor is pushed up. Its length is proportional to the force.
#ifndef TS_VIEWER_SCENE_DRAW_H
#define TS_VIEWER_SCENE_DRAW_H

#include "engine/step/certify.h"
#include "viewer/camera.h"
#include "viewer/draw_list.h"
#include "scenes/scene_sizes.h"
#include "viewer/shape_look_internal.h"

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
    TS_SHOW_TENDONS = 524288,     // the way of tendons
    TS_SHOW_GEOM_FRAMES = 1048576,
    TS_SHOW_SITE_FRAMES = 2097152,
    TS_SHOW_CONTACT_FRAMES = 4194304,  // tangents red and green, normal blue
    TS_SHOW_WORLD_FRAME = 8388608,
    TS_SHOW_HEAT = 16777216,        // contacts in the colour of the share of the exact law that they leave unmet
    TS_SHOW_GAPS = 33554432,        // normals with the nearest points of both surfaces
    TS_SHOW_INTERNAL = 67108864,    // what of a force could be taken away without anything moving otherwise
    TS_SHOW_PATCHES = 134217728,    // outlines around the contacts of two bodies, and where their force goes through
    TS_SHOW_ACTUATORS = 268435456,  // what motors pull with, at the joints they pull
    TS_SHOW_RAYS = 536870912,       // what range finders measure
    TS_SHOW_CAMERAS = 1073741824    // where the model's cameras are
};

/// What is known of the contacts of a simulation, arrays of contact_count. Zero-initialised: nothing.
typedef struct ts_contact_facts {
    const ts_contact_mode* mode;  // what they do, or NULL: no contact is shown
    const double* exact;          // 1: share of the problem by which the exact law is broken there, or NULL
    const double* own;            // 1: the same of the solver's own law, or NULL
    const ts_vec3* internal;      // N s, contact frame: the part of the impulse that moves nothing, or NULL
} ts_contact_facts;

/// Which contacts are shown. Zero-initialised: all.
typedef struct ts_contact_filter {
    int body;               // > 0: those of that body only
    unsigned hidden_modes;  // bit m: not those of mode m
    uint64_t pinned;        // key of a contact that is shown in any case, larger than others; 0: none
} ts_contact_filter;

/// How a scene is drawn. All borrowed.
typedef struct ts_scene_style {
    const ts_scene_sizes* sizes;
    const ts_own_shapes* own;         // its shapes that the device has meshes of their own for
    const ts_camera* camera;          // decides where the middle of an endless plane is drawn
    unsigned show;                    // TS_SHOW_ bits
    const int* island;                // (tree_count) of which colours are, or NULL
    const ts_contact_filter* filter;  // or NULL: all contacts
    unsigned hidden_groups;           // bit g: geoms of group g are left out
    int untextured;                   // nonzero: shapes have their colours alone
} ts_scene_style;

/// Appends the simulation as it is now; without `facts` no contacts.
void ts_scene_draw(const ts_sim* sim, const ts_contact_facts* facts, const ts_scene_style* style, ts_draw_list* list);

#ifdef __cplusplus
}
#endif
#endif
