// Problem: an endless plane that stands on end hides the scene from one side and means nothing from the other. Rule: a plane that
// faces up, less than 60 degrees off, is a floor and drawn as one; any other is a wall, drawn as the part of it that the other planes
// and the scene's height leave, in outline, and with a faint face where it is seen from inside. Guaranteed: the outline lies in the
// plane and inside of all others. Known to fail: walls far from everything are left out.
#include "viewer/scene_walls_internal.h"

static const double floor_cosine = 0.5;  // of the angle between a floor's normal and the vertical
static const double far_away =
    2.0;  // scene radii: walls farther from the scene's middle than this, beyond its edge, are left out

ts_vec3 ts_scene_walls_up(const ts_sim* sim) {
    return ts_vec3_unit_or(ts_vec3_neg(sim->options.gravity), ts_vec3_axis(2));
}

int ts_scene_walls_has(const ts_sim* sim, int g) {
    if (sim->model->geom[g].shape.kind != TS_SHAPE_PLANE) return 0;
    return ts_vec3_dot(ts_mat3_column(&ts_kinematics_geom(&sim->kinematics, g)->R, 2), ts_scene_walls_up(sim)) <
           floor_cosine;
}

// Keeps the part of a convex polygon where dot(normal, x) >= offset.
static int clip(const ts_vec3* corner, int count, ts_vec3 normal, double offset, ts_vec3* out_corner) {
    int kept = 0;
    for (int i = 0; i < count && kept + 2 <= TS_SCENE_WALL_CORNERS; ++i) {
        ts_vec3 a = corner[i], b = corner[(i + 1) % count];
        double at_a = ts_vec3_dot(normal, a) - offset, at_b = ts_vec3_dot(normal, b) - offset;
        if (at_a >= 0.0) out_corner[kept++] = a;
        if ((at_a >= 0.0) != (at_b >= 0.0)) out_corner[kept++] = ts_vec3_lerp(a, b, at_a / (at_a - at_b));
    }
    return kept;
}

static void clip_by(ts_scene_wall* wall, ts_vec3 normal, double offset) {
    ts_vec3 kept[TS_SCENE_WALL_CORNERS];
    int count = clip(wall->corner, wall->count, normal, offset, kept);
    for (int i = 0; i < count; ++i) wall->corner[i] = kept[i];
    wall->count = count;
}

ts_scene_wall ts_scene_walls_shape(const ts_sim* sim, int g, ts_vec3 low, ts_vec3 high) {
    const ts_transform* placed = ts_kinematics_geom(&sim->kinematics, g);
    ts_scene_wall wall = {{{0.0, 0.0, 0.0}}, 0};
    ts_vec3 middle = ts_vec3_lerp(low, high, 0.5), normal = ts_mat3_column(&placed->R, 2);
    double radius = 0.5 * ts_vec3_distance(low, high);
    double away = ts_vec3_dot(normal, ts_vec3_sub(middle, placed->p));
    if (!(fabs(away) < (1.0 + far_away) * radius)) return wall;
    ts_vec3 centre = ts_vec3_add_scaled(middle, -away, normal);
    wall.count = 4;
    for (int k = 0; k < 4; ++k) {
        double x = k == 0 || k == 3 ? -1.0 : 1.0, y = k < 2 ? -1.0 : 1.0;
        ts_vec3 across = ts_vec3_add(ts_vec3_scale(x, ts_mat3_column(&placed->R, 0)),
                                     ts_vec3_scale(y, ts_mat3_column(&placed->R, 1)));
        wall.corner[k] = ts_vec3_add_scaled(centre, 10.0 * radius, across);
    }
    // Other planes first, then the scene's own box with some room; walls are as high as what they hold.
    ts_vec3 up = ts_scene_walls_up(sim);
    for (int other = 0; other < sim->model->geom_count; ++other) {
        if (other == g || sim->model->geom[other].shape.kind != TS_SHAPE_PLANE) continue;
        ts_vec3 n = ts_mat3_column(&ts_kinematics_geom(&sim->kinematics, other)->R, 2);
        if (fabs(ts_vec3_dot(n, normal)) < 0.999)
            clip_by(&wall, n, ts_vec3_dot(n, ts_kinematics_geom(&sim->kinematics, other)->p));
    }
    for (int axis = 0; axis < 6; ++axis) {
        ts_vec3 n = ts_vec3_scale(axis < 3 ? 1.0 : -1.0, ts_vec3_axis(axis % 3));
        if (fabs(ts_vec3_dot(n, normal)) > 0.7) continue;
        double room = ts_vec3_dot(n, up) < -0.7 ? 0.0 : 0.5 * radius;
        clip_by(&wall, n, ts_vec3_dot(n, axis < 3 ? low : high) - room);
    }
    if (wall.count < 3) wall.count = 0;
    return wall;
}

void ts_scene_walls_draw(const ts_scene_wall* wall, const float color[4], ts_vec3 normal, ts_vec3 eye,
                         ts_draw_list* list) {
    float line[4] = {0.6f * color[0], 0.6f * color[1], 0.6f * color[2], 1.0f};
    float face[4] = {color[0], color[1], color[2], 0.14f};
    for (int i = 0; i < wall->count; ++i)
        ts_draw_list_add_line(list, wall->corner[i], wall->corner[(i + 1) % wall->count], 1.5, line);
    if (wall->count != 4 || !(ts_vec3_dot(normal, ts_vec3_sub(eye, wall->corner[0])) > 0.0)) return;
    ts_vec3 u = ts_vec3_sub(wall->corner[1], wall->corner[0]), v = ts_vec3_sub(wall->corner[3], wall->corner[0]);
    ts_vec3 x = ts_vec3_unit_or(u, ts_vec3_axis(0)), y = ts_vec3_cross(normal, x);
    ts_transform placed = {ts_mat3_from_columns(x, y, normal), ts_vec3_lerp(wall->corner[0], wall->corner[2], 0.5)};
    ts_vec3 scale = ts_vec3_make(0.5 * ts_vec3_norm(u), 0.5 * fabs(ts_vec3_dot(v, y)), 1.0);
    // Only a rectangle is the square, scaled.
    if (fabs(ts_vec3_dot(u, v)) < 1e-6 * ts_vec3_norm(u) * ts_vec3_norm(v))
        (void)ts_draw_list_add(list, TS_DRAW_MESH_SQUARE, &placed, scale, 0.0, face);
}
