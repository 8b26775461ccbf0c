// Scenes of any size: pyramids and piles.
//
// The planar pyramid of boxes of a metre, thirty at its foot, is what game engines are compared on: weight that has thirty layers to go
// through, and nothing but friction and balance that holds it together.
#include "scenes/sized_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/builder.h"
#include "scenes/pile_internal.h"
#include "scenes/scene_table.h"

static const double half = 0.5;       // m, of a box
static const double pitch = 1.05;     // m, from box to box of a layer
static const double density = 100.0;  // kg/m^3: 100 kg a box

static int add_box(ts_builder* builder, ts_vec3 position) {
    ts_body_def body = ts_body_def_default();
    body.pose.position = position;
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_FREE;
    ts_geom_def geom = ts_geom_def_default();
    geom.body = index;
    geom.shape = ts_shape_box(ts_vec3_make(half, half, half));
    geom.density = density;
    geom.surface.friction = 0.6;
    // Layers take turns.
    int dark = (int)(position.z + half) % 2;
    geom.rgba[0] = dark ? 0.24f : 0.93f;
    geom.rgba[1] = 0.55f;
    geom.rgba[2] = dark ? 0.75f : 0.18f;
    geom.rgba[3] = 1.0f;
    return index >= 0 && ts_builder_add_joint(builder, &joint) >= 0 && ts_builder_add_geom(builder, &geom) >= 0;
}

static int add_floor(ts_builder* builder) {
    ts_geom_def def = ts_geom_def_default();
    def.name = "floor";
    def.shape = ts_shape_plane();
    def.surface.friction = 0.6;
    def.rgba[0] = def.rgba[1] = 0.75f;
    def.rgba[2] = 0.8f;
    return ts_builder_add_geom(builder, &def) >= 0;
}

// NULL when memory is short.
static ts_builder* begin(const char* name) {
    ts_builder* builder = ts_builder_create(name);
    if (!builder) return NULL;
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    memcpy(options->solver, "ncp-pgs", sizeof "ncp-pgs");
    options->iterations = 50;
    return builder;
}

static ts_code end(ts_builder* builder, int fits, const char* name, ts_model** out_model, ts_status* out_status) {
    if (fits) return ts_builder_finish(builder, out_model, out_status);
    ts_builder_free(builder);
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory while building %s", name);
}

// `deep`: layers are squares.
static ts_code build(const char* name, int layers, int deep, ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    ts_builder* builder = begin(name);
    int fits = builder && add_floor(builder);
    for (int layer = 0; layer < layers; ++layer) {
        int row = layers - layer;
        for (int i = 0; i < row * (deep ? row : 1) && fits; ++i) {
            double x = pitch * (i % row - 0.5 * (row - 1)), y = deep ? pitch * (i / row - 0.5 * (row - 1)) : 0.0;
            fits = add_box(builder, ts_vec3_make(x, y, half * (2 * layer + 1)));
        }
    }
    return end(builder, fits, name, out_model, out_status);
}

ts_code ts_pyramid_build(int base, ts_model** out_model, ts_status* out_status) {
    return build("pyramid", base, 0, out_model, out_status);
}

ts_code ts_square_pyramid_build(int layers, ts_model** out_model, ts_status* out_status) {
    return build("square-pyramid", layers, 1, out_model, out_status);
}

enum { COLUMN = 10 };  // boxes of a column

// Columns stand in a square, too far from each other to touch.
static ts_code build_columns(int count, ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    int side = 1, fits;
    while (side * side < count) ++side;
    ts_builder* builder = begin("columns");
    fits = builder && add_floor(builder);
    for (int i = 0; i < COLUMN * count && fits; ++i) {
        int column = i / COLUMN, row = column / side;
        double x = 2.0 * (column % side - 0.5 * (side - 1)), y = 2.0 * (row - 0.5 * (side - 1));
        fits = add_box(builder, ts_vec3_make(x, y, half * (2 * (i % COLUMN) + 1)));
    }
    return end(builder, fits, "columns", out_model, out_status);
}

static ts_code build_pile(int count, ts_model** out_model, ts_status* out_status) {
    return ts_pile_build(TS_PILE_MIXED, count, 42, out_model, out_status);
}

static ts_code build_boxes(int count, ts_model** out_model, ts_status* out_status) {
    return ts_pile_build(TS_PILE_BOXES, count, 42, out_model, out_status);
}

static ts_code build_icosahedra(int count, ts_model** out_model, ts_status* out_status) {
    return ts_pile_build(TS_PILE_ICOSAHEDRA, count, 42, out_model, out_status);
}

static const ts_sized_scene kinds[] = {
    {"pyramid", "a vertical pyramid of boxes, so many at its foot", 1000, 10.0, ts_pyramid_build},
    {"square-pyramid", "a pyramid of so many square layers of boxes", 100, 10.0, ts_square_pyramid_build},
    {"columns", "so many columns of ten boxes, apart from each other", 100000, 10.0, build_columns},
    {"pile", "so many mixed shapes fall into a container", 1000000, 3.0, build_pile},
    {"pile-boxes", "so many boxes fall into a container", 1000000, 3.0, build_boxes},
    {"pile-icosahedra", "so many icosahedra fall into a container", 1000000, 3.0, build_icosahedra},
};

const ts_sized_scene* ts_scene_sized(int i) {
    return i >= 0 && i < (int)(sizeof kinds / sizeof kinds[0]) ? &kinds[i] : NULL;
}

const ts_sized_scene* ts_sized_scene_find(const char* name, int* out_number) {
    const char* colon = strchr(name, ':');
    for (size_t i = 0; colon && i < sizeof kinds / sizeof kinds[0]; ++i) {
        const ts_sized_scene* kind = &kinds[i];
        if (strlen(kind->name) != (size_t)(colon - name) || strncmp(kind->name, name, (size_t)(colon - name)) != 0)
            continue;
        char* end = NULL;
        long number = strtol(colon + 1, &end, 10);
        if (colon[1] < '0' || colon[1] > '9' || *end || number < 1 || number > kind->most) return NULL;
        *out_number = (int)number;
        return kind;
    }
    return NULL;
}
