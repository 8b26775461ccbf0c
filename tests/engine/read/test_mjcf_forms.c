// Meshes that are made from parameters, against geometry: where their corners lie, and what they hold.
#include "tests/engine/read/mjcf_sample.h"

static const double turn = 6.28318530717958647692;

static ts_model* form(const char* builtin, const char* params, const char* inertia) {
    char text[500];
    snprintf(
        text, sizeof text,
        "<mujoco><asset><mesh name='m' builtin='%s' params='%s' inertia='%s'/></asset><worldbody><body><freejoint/>"
        "<geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>",
        builtin, params, inertia);
    return mjcf_read(text);
}

// Volume by the mesh (at density 1), and its hull.
static double volume_of(const char* builtin, const char* params, int corners) {
    ts_model* m = form(builtin, params, "exact");
    double volume = m->body[1].mass;
    if (corners > 0) cr_expect_eq(m->geom[0].shape.hull->vertex_count, corners, "%s %s", builtin, params);
    ts_model_free(m);
    return volume;
}

static void expect_near(double is, double want, double share, const char* what) {
    cr_expect(fabs(is - want) <= share * want, "%s: %.9g, but %.9g is wanted", what, is, want);
}

Test(mjcf_forms, balls_hold_what_balls_hold) {
    // Twenty tetrahedra of the icosahedron in the unit ball: its edge is 4 / sqrt(10 + 2 sqrt(5)), its volume 5 (3 + sqrt(5)) / 12 of that cubed.
    double edge = 4.0 / sqrt(10.0 + 2.0 * sqrt(5.0)), ball = 2.0 / 3.0 * turn;
    expect_near(volume_of("sphere", "0", 12), 5.0 * (3.0 + sqrt(5.0)) / 12.0 * pow(edge, 3.0), 1e-6, "icosahedron");
    expect_near(volume_of("sphere", "2", 162), ball, 0.04, "ball");
    expect_near(volume_of("sphere", "3.9", 642), ball, 0.01, "ball");
    // Half an octahedron, and half a ball; the middle of the bottom is no corner.
    expect_near(volume_of("hemisphere", "0", 5), 2.0 / 3.0, 1e-6, "half an octahedron");
    expect_near(volume_of("hemisphere", "10", 1 + 2 * 11 * 12), 0.5 * ball, 0.02, "half a ball");
    expect_near(volume_of("supersphere", "40 1 1", 2 + 40 * 39), ball, 0.02, "ball");
    // Exponents of 2 make an octahedron, of 0 a cube.
    expect_near(volume_of("supersphere", "40 2 2", 0), 4.0 / 3.0, 1e-5, "octahedron");
}

Test(mjcf_forms, cones_and_rings) {
    for (int n = 3; n < 9; ++n) {
        char params[40];
        double area = 0.5 * n * sin(turn / n);
        snprintf(params, sizeof params, "%d 0", n);
        expect_near(volume_of("cone", params, n + 1), 2.0 / 3.0 * area, 1e-6, "cone");
        snprintf(params, sizeof params, "%d 0.4", n);
        expect_near(volume_of("cone", params, 2 * n), 2.0 / 3.0 * area * (1.0 + 0.4 + 0.16), 1e-6, "frustum");
        snprintf(params, sizeof params, "%d 1", n);
        expect_near(volume_of("cone", params, 2 * n), 2.0 * area, 1e-6, "prism");
    }
    // Pappus: the section's area times the way of its middle, 2 pi.
    expect_near(volume_of("supertorus", "60 0.25 1 1", 0), 0.5 * turn * 0.0625 * turn, 0.01, "ring");
    // Square sections: |x|^(2/s) + |z|^(2/s) = r^(2/s) with s = 2 is a square of area 2 r^2.
    expect_near(volume_of("supertorus", "60 0.25 2 1", 0), 2.0 * 0.0625 * turn, 0.01, "ring of squares");
}

// A slice of the ball in front of a camera that looks along -z.
Test(mjcf_forms, wedges_lie_on_the_ball) {
    ts_model* m = form("wedge", "8 6 60 30 0.3", "convex");
    const ts_hull* hull = m->geom[0].shape.hull;
    ts_vec3 at = m->geom[0].pose.position;
    cr_assert_eq(hull->vertex_count, 48);
    for (int v = 0; v < 48; ++v) {
        ts_vec3 p = ts_vec3_add(at, ts_quat_rotate(m->geom[0].pose.rotation, hull->vertex[v]));
        cr_assert_float_eq(ts_vec3_norm(p), 1.0, 1e-6);
        cr_assert(p.z < 0.0 && fabs(atan2(p.x, -p.z)) < turn / 6.0 && fabs(asin(p.y)) < turn / 12.0);
    }
    ts_model_free(m);
}

// Points alone weigh what the surface of their hull does: a pyramid on a unit square's corners, twice as wide.
Test(mjcf_forms, shells) {
    ts_model* m = form("cone", "4 0", "shell");
    // A square of area 2, and four triangles from its edges (sqrt 2 long) to a tip 2 above.
    expect_near(m->body[1].mass, 2.0 + 4.0 * 0.5 * sqrt(2.0) * sqrt(4.0 + 0.5), 1e-6, "pyramid");
    ts_model_free(m);
}

static void refuse(const char* attributes, const char* wanted) {
    char text[400];
    const int line = 2;
    snprintf(
        text, sizeof text,
        "<mujoco><asset>\n<mesh name='m' %s/></asset><worldbody>\n<geom type='mesh' mesh='m'/></worldbody></mujoco>",
        attributes);
    mjcf_refuse(text, line, wanted);
}

Test(mjcf_forms, what_is_wrong_is_refused) {
    refuse("builtin='prism' params='3'", "prism");
    refuse("builtin='sphere'", "needs params");
    refuse("builtin='sphere' params='1 2'", "takes 1 params, not 2");
    refuse("builtin='sphere' params='5'", "subdivision is 5");
    refuse("builtin='hemisphere' params='-1'", "resolution is -1");
    refuse("builtin='cone' params='2 1'", "nvert is 2");
    refuse("builtin='cone' params='5 1.5'", "radius is 1.5");
    refuse("builtin='supersphere' params='2 1 1'", "resolution is 2");
    refuse("builtin='supertorus' params='9 0 1 1'", "radius is 0");
    refuse("builtin='wedge' params='3 3 45 100 0'", "fov_theta is 100");
    refuse("builtin='plate' params='x 1'", "params");
    // What is flat cannot collide, but may be looked at.
    mjcf_refuse("<mujoco><asset><mesh name='m' builtin='plate' params='3 3'/></asset><worldbody>\n"
                "<geom type='mesh' mesh='m'/></worldbody></mujoco>",
                2, "plane");
    ts_model_free(mjcf_read("<mujoco><asset><mesh name='m' builtin='plate' params='3 3'/></asset><worldbody>"
                            "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/></worldbody></mujoco>"));
}
