// What is to be drawn, as plain data: meshes with a transform and a colour, arrows, lines, and text on top. Whoever fills a
// list knows nothing of graphics libraries; whoever draws it (device.h) knows nothing of simulations.
//
// Positions are floats relative to `origin`, so that a scene far from the world's origin loses no precision.
#ifndef TS_VIEWER_DRAW_LIST_H
#define TS_VIEWER_DRAW_LIST_H

#include "base/array.h"
#include "base/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Meshes every device has, by number; hull h of a model is TS_DRAW_MESH_HULL + h.
typedef enum ts_draw_mesh {
    TS_DRAW_MESH_SQUARE,
    TS_DRAW_MESH_BOX,
    TS_DRAW_MESH_SPHERE,
    TS_DRAW_MESH_CAPSULE,
    TS_DRAW_MESH_CYLINDER,
    TS_DRAW_MESH_CONE,
    TS_DRAW_MESH_HULL
} ts_draw_mesh;

/// When, and with what rules, an item is drawn.
typedef enum ts_draw_pass {
    TS_DRAW_PASS_SOLID,  // opaque
    TS_DRAW_PASS_FLOOR,  // a plane: grid lines, fading with distance, see-through from below
    TS_DRAW_PASS_MARK,   // marks and arrows: also seen faintly through what hides them
    TS_DRAW_PASS_GLASS,  // colour with alpha < 1, far ones first
    TS_DRAW_PASS_GHOST,  // nothing but its outline, on top of all
    TS_DRAW_PASS_COUNT
} ts_draw_pass;

/// Looks of an item, combined with |.
enum {
    TS_DRAW_SHADOW = 1,   // it casts a shadow
    TS_DRAW_PATTERN = 2,  // two shades by octant of its own frame, so that a rotation can be seen on round shapes
    TS_DRAW_GLOW = 4,     // its colour hardly depends on light
    TS_DRAW_NO_GRID = 8   // a floor without lines
};

/// How a place on a mesh, (x, y, z) in its own frame and size or (X, Y, Z) before it was scaled, becomes one on a texture. Places on a flat one
/// count from its upper left corner, and again after 1.
typedef enum ts_draw_mapping {
    TS_DRAW_NO_TEXTURE,
    TS_DRAW_MAP_FLAT,       // (m0 x + m2, m3 - m1 y)
    TS_DRAW_MAP_CUBE,       // towards (m0 x, m1 y, m2 z)
    TS_DRAW_MAP_CUBE_FROM,  // towards (x - m0, y - m1, z - m2)
    TS_DRAW_MAP_BOX,  // upright on each face: m0 or (across y) m1 times from left to right, m2 or (down z) m3 times down
    TS_DRAW_MAP_AROUND,  // m0 times round z from X on, m1 times from top to bottom; m2 is 0 on a ball, 1 on a cylinder, 2 on a capsule
    TS_DRAW_MAP_OWN  // the mesh's own places, times (m0, m1)
} ts_draw_mapping;

/// What a surface is like.
typedef struct ts_draw_surface {
    float emission;   // of its colour
    float specular;   // strength of highlights, 0 to 1
    float shininess;  // 0 to 1: the smaller they are
    ts_draw_mapping mapping;
    int texture;  // number that the device knows it by; where `mapping` says so
    float map[4];
} ts_draw_surface;

/// One mesh to draw.
typedef struct ts_draw_item {
    int mesh;  // ts_draw_mesh, or TS_DRAW_MESH_HULL + hull
    ts_draw_pass pass;
    unsigned flags;
    float rotation[9];  // row-major
    float position[3];  // m, relative to the list's origin
    float scale[3];
    float stretch;   // m, see geometry_mesh.h
    float color[4];  // sRGB, alpha
    float grid[3];   // floor: the item's centre in plane coordinates (m, modulo 100 cells), and the cell, m
    int source;      // geom or contact it stands for, -1 for none
    int body;        // 1 and more: what shares this number has an outline in common; 0 for none
    ts_draw_surface surface;
} ts_draw_item;

/// An arrow.
typedef struct ts_draw_arrow {
    float from[3];
    float vector[3];  // m, from tail to tip
    float radius;     // m, of the shaft
    float color[4];
    int source;
} ts_draw_arrow;

/// A straight line of constant width on the screen.
typedef struct ts_draw_line {
    float from[3];
    float to[3];
    float width;  // pixels
    float color[4];
} ts_draw_line;

TS_ARRAY_DECLARE(ts_draw_items, ts_draw_item);
TS_ARRAY_DECLARE(ts_draw_arrows, ts_draw_arrow);
TS_ARRAY_DECLARE(ts_draw_lines, ts_draw_line);

/// Numbers a device copies for one instance of a mesh: eight groups of four.
typedef struct ts_draw_instance {
    float row[3][4];  // rotation | position
    float scale[4];   // scale, stretch
    float color[4];
    float extra[4];    // flags + 16 * body, grid
    float surface[4];  // emission, specular, shininess, mapping
    float map[4];
} ts_draw_instance;

/// A run of instances of one mesh with one texture in one pass: one draw call.
typedef struct ts_draw_batch {
    int mesh;
    int texture;  // -1: none
    ts_draw_pass pass;
    int first;
    int count;
} ts_draw_batch;

TS_ARRAY_DECLARE(ts_draw_instances, ts_draw_instance);
TS_ARRAY_DECLARE(ts_draw_batches, ts_draw_batch);

/// A draw list. Zero-initialised is empty; reuse it from frame to frame, so that it stops allocating.
typedef struct ts_draw_list {
    ts_vec3 origin;  // m
    ts_draw_items items;
    ts_draw_arrows arrows;
    ts_draw_lines lines;
    int failed;  // nonzero once memory ran out; what did not fit is missing

    // made by ts_draw_list_batch
    ts_draw_instances instances;
    ts_draw_batches batches;
} ts_draw_list;

/// Half shiny, without light and texture of its own.
ts_draw_surface ts_draw_surface_default(void);

/// Empties the list and sets its origin.
void ts_draw_list_begin(ts_draw_list* list, ts_vec3 origin);

/// Adds a mesh at `placed`. `scale` in m for unit meshes. The pass follows from alpha: solid, or glass below 0.995.
/// Returns the item to change further (valid until the next addition), or NULL on short memory.
ts_draw_item* ts_draw_list_add(ts_draw_list* list, int mesh, const ts_transform* placed, ts_vec3 scale, double stretch,
                               const float color[4]);

/// Adds an arrow. Vectors that are zero or not finite are left out.
void ts_draw_list_add_arrow(ts_draw_list* list, ts_vec3 from, ts_vec3 vector, double radius, const float color[4],
                            int source);

/// Adds a line.
void ts_draw_list_add_line(ts_draw_list* list, ts_vec3 from, ts_vec3 to, double width, const float color[4]);

/// Sorts items and arrows into runs that share a mesh, a texture and a pass: `instances` and `batches`. Glass goes from far to near as
/// seen from `eye` (world). A scene of any size of solid shapes needs at most one run per mesh and texture. Returns 0 on short memory.
int ts_draw_list_batch(ts_draw_list* list, ts_vec3 eye);

/// A right-handed rotation whose third column is the given unit vector.
ts_mat3 ts_draw_list_frame(ts_vec3 direction);

/// Releases the memory; the list is empty and usable afterwards.
void ts_draw_list_free(ts_draw_list* list);

#ifdef __cplusplus
}
#endif
#endif
