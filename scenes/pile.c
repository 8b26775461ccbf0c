// A falling pile of mixed shapes. Spacing, mass and container follow the box pile that simulators are commonly compared
// on: layers of ten by ten at 0.28 m, 0.36 m between layers, a square of 3 m, friction 0.5, 8 kg a body.
#include "scenes/pile_internal.h"

#include "base/rng.h"
#include "engine/model/builder.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10 };
static const double half_width = 1.5;  // m, of the container
static const double size = 0.1;        // m, half extent of the boxes; the others are about as big

// Twelve corners of an icosahedron of circumradius r: (0, +-1, +-phi) and its cyclic permutations, scaled.
static ts_code icosahedron(double r, ts_hull** out_hull, ts_status* out_status) {
    const double phi = 0.5 * (1.0 + sqrt(5.0));
    const double s = r / sqrt(1.0 + phi * phi);
    ts_vec3 corner[12];
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int signs = 0; signs < 4; ++signs) {
            double one = signs & 1 ? -s : s;
            double golden = signs & 2 ? -s * phi : s * phi;
            ts_vec3 c = ts_vec3_with(ts_vec3_zero(), (axis + 1) % 3, one);
            corner[n++] = ts_vec3_with(c, (axis + 2) % 3, golden);
        }
    }
    return ts_hull_build(corner, n, out_hull, out_status);
}

// A rotation uniform over all rotations: a normalised vector of four normal draws.
static ts_quat random_rotation(ts_rng* rng) {
    double w = ts_rng_normal(rng);
    double x = ts_rng_normal(rng);
    double y = ts_rng_normal(rng);
    double z = ts_rng_normal(rng);
    return ts_quat_normalize(ts_quat_make(w, x, y, z));
}

static int add_plane(ts_builder* builder, const char* name, ts_vec3 position, ts_vec3 normal) {
    ts_geom_def def = ts_geom_def_default();
    def.name = name;
    def.shape = ts_shape_plane();
    def.pose.position = position;
    def.pose.rotation = ts_quat_between(ts_vec3_axis(2), normal);
    def.surface.friction = 0.5;
    def.rgba[0] = 0.75f;
    def.rgba[1] = 0.77f;
    def.rgba[2] = 0.8f;
    return ts_builder_add_geom(builder, &def) >= 0;
}

static int add_container(ts_builder* builder) {
    return add_plane(builder, "floor", ts_vec3_zero(), ts_vec3_axis(2)) &&
           add_plane(builder, "wall-x-", ts_vec3_make(-half_width, 0.0, 0.0), ts_vec3_make(1.0, 0.0, 0.0)) &&
           add_plane(builder, "wall-x+", ts_vec3_make(half_width, 0.0, 0.0), ts_vec3_make(-1.0, 0.0, 0.0)) &&
           add_plane(builder, "wall-y-", ts_vec3_make(0.0, -half_width, 0.0), ts_vec3_make(0.0, 1.0, 0.0)) &&
           add_plane(builder, "wall-y+", ts_vec3_make(0.0, half_width, 0.0), ts_vec3_make(0.0, -1.0, 0.0));
}

static ts_shape shape_in_turn(ts_pile_mix mix, int i, const ts_hull* hull) {
    if (mix == TS_PILE_BOXES) i = 0;
    if (mix == TS_PILE_ICOSAHEDRA) return ts_shape_hull(hull);
    switch (i % 5) {
    case 0: return ts_shape_box(ts_vec3_make(size, size, size));
    case 1: return ts_shape_sphere(1.15 * size);
    case 2: return ts_shape_capsule(0.75 * size, 0.75 * size);
    case 3: return ts_shape_cylinder(size, size);
    default: return ts_shape_hull(hull);
    }
}

static int add_falling_body(ts_builder* builder, ts_pile_mix mix, int i, const ts_hull* hull, ts_rng* rng) {
    static const float colour[5][3] = {{0.93f, 0.55f, 0.18f},
                                       {0.24f, 0.55f, 0.75f},
                                       {0.45f, 0.68f, 0.36f},
                                       {0.80f, 0.35f, 0.34f},
                                       {0.58f, 0.45f, 0.70f}};
    const double spacing = 0.28;
    int layer = i / (COLUMNS * COLUMNS);
    int row = i / COLUMNS % COLUMNS;
    int column = i % COLUMNS;
    char name[32];
    snprintf(name, sizeof name, "body%d", i + 1);
    ts_body_def body = ts_body_def_default();
    body.name = name;
    body.pose.position = ts_vec3_make((column - 0.5 * (COLUMNS - 1)) * spacing, (row - 0.5 * (COLUMNS - 1)) * spacing,
                                      0.3 + 0.36 * layer);
    body.pose.rotation = random_rotation(rng);
    int index = ts_builder_add_body(builder, &body);
    if (index < 0) return 0;
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_FREE;
    ts_geom_def geom = ts_geom_def_default();
    geom.body = index;
    // Shapes change with the layer too, so that no column is all of one kind.
    geom.shape = shape_in_turn(mix, i + layer + row, hull);
    geom.mass = 8.0;
    geom.surface.friction = 0.5;
    for (int k = 0; k < 3; ++k) geom.rgba[k] = colour[(i + layer + row) % 5][k];
    geom.rgba[3] = 1.0f;
    return ts_builder_add_joint(builder, &joint) >= 0 && ts_builder_add_geom(builder, &geom) >= 0;
}

ts_code ts_pile_build(ts_pile_mix mix, int count, unsigned long seed, ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    char name[32];
    snprintf(name, sizeof name, "pile-%d", count);
    ts_hull* hull = NULL;
    ts_code code = icosahedron(1.25 * size, &hull, out_status);
    if (code) return code;
    ts_builder* builder = ts_builder_create(name);
    if (!builder || !ts_builder_add_hull(builder, hull)) {
        ts_hull_free(hull);
        ts_builder_free(builder);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory while building %s", name);
    }
    ts_options* options = ts_builder_options(builder);
    options->time_step = 0.004;
    // A bounded amount of work a step, as engines for piles have it: what it leaves is in the residual.
    memcpy(options->accuracy, "fast", sizeof "fast");
    options->contact_margin = 2e-3;
    options->baumgarte = 0.2;
    ts_rng rng = ts_rng_make(seed, 0);
    int fits = add_container(builder);
    for (int i = 0; i < count && fits; ++i) fits = add_falling_body(builder, mix, i, hull, &rng);
    if (!fits) {
        ts_builder_free(builder);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory while building %s", name);
    }
    return ts_builder_finish(builder, out_model, out_status);
}

ts_code ts_pile_build_1000(ts_model** out_model, ts_status* out_status) {
    return ts_pile_build(TS_PILE_MIXED, 1000, 42, out_model, out_status);
}
