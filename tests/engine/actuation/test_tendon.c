// Tendons against closed forms: lengths around a cylinder and a sphere, moments against differences, limits, friction, springs and equalities.
#include "engine/model/builder_internal.h"
#include "tests/engine/engine_fixture.h"

#include "engine/actuation/lever_internal.h"
#include "engine/actuation/tendon_way.h"
#include "engine/sim_internal.h"

static const double step = 0.005, mass = 0.4;

// `count` masses without weight on slides along x, at x = 0.
static ts_builder* carts(int count) {
    ts_builder* builder = ts_builder_create("carts");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->time_step = step;
    ts_builder_options(builder)->tolerance = 1e-12;
    for (int i = 0; i < count; ++i) {
        ts_body_def body = ts_body_def_default();
        body.pose.position = ts_vec3_make(0.0, i, 0.0);
        body.mass = mass;
        body.inertia = ts_mat3_identity();
        ts_joint_def joint = ts_joint_def_default();
        joint.type = TS_JOINT_SLIDE;
        joint.axis = ts_vec3_axis(0);
        joint.body = ts_builder_add_body(builder, &body);
        ts_builder_add_joint(builder, &joint);
    }
    return builder;
}

// l = sum c q over the first joints.
static ts_tendon_def sum_of(const double* c, int count, ts_tendon_part* parts) {
    ts_tendon_def def = ts_tendon_def_default();
    for (int i = 0; i < count; ++i) parts[i] = (ts_tendon_part){TS_TENDON_JOINT, i, -1, c[i]};
    def.part = parts;
    def.part_count = count;
    return def;
}

// A stop of l = 2 x0 - x1 gives both masses what stops the length, along the moment: v -= M^-1 m (m v) / (m M^-1 m).
Test(tendon, a_limit_stops_the_length_alone) {
    const double c[2] = {2.0, -1.0};
    ts_tendon_part part[2];
    ts_tendon_def def = sum_of(c, 2, part);
    def.is.limits = (ts_limits){1, {-5.0, 0.0}};
    ts_builder* builder = carts(2);
    cr_assert_eq(ts_builder_add_tendon(builder, &def), 0);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = 1.0;
    f.sim->qvel[1] = -0.5;
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->tendon_velocity[0], 2.5);
    double rate = 2.5 / 5.0;
    cr_assert_float_eq(f.sim->qvel[0], 1.0 - rate * 2.0, 1e-10);
    cr_assert_float_eq(f.sim->qvel[1], -0.5 + rate, 1e-10);
    fixture_end(&f);
}

// Dry friction of f slows the masses by h f c / m until the length stands.
Test(tendon, friction) {
    const double c[2] = {1.0, 2.0}, most = 0.3;
    ts_tendon_part part[2];
    ts_tendon_def def = sum_of(c, 2, part);
    def.is.friction = most;
    ts_builder* builder = carts(2);
    ts_builder_add_tendon(builder, &def);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = 1.0;
    fixture_run(&f, 1);
    cr_assert_float_eq(f.sim->qvel[0], 1.0 - step * most / mass, 1e-12);
    cr_assert_float_eq(f.sim->qvel[1], -2.0 * step * most / mass, 1e-12);
    fixture_run(&f, 400);
    cr_assert_float_eq(f.sim->qvel[0] + 2.0 * f.sim->qvel[1], 0.0, 1e-10);
    fixture_end(&f);
}

// A spring that is slack up to 0.2, at the end of the step: m (v+ - v) = -h (k (x + h v+ - 0.2) + d v+).
Test(tendon, a_spring_is_slack_between_its_lengths_and_implicit_beyond) {
    const double one = 1.0, k = 1e5, d = 3.0;
    ts_tendon_part part[1];
    ts_tendon_def def = sum_of(&one, 1, part);
    def.is.spring = k;
    def.rest_at_springs = 0;
    def.is.rest[0] = -0.1;
    def.is.rest[1] = 0.2;
    ts_builder* builder = carts(1);
    ts_builder_add_tendon(builder, &def);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = 0.7;
    fixture_run(&f, 3);
    cr_assert_eq(f.sim->qvel[0], 0.7);
    f.sim->qpos[0] = 0.25;
    cr_assert_float_eq(ts_sim_energy(f.sim).potential, 0.5 * k * 0.05 * 0.05, 1e-9);
    fixture_end(&f);
    def.is.damping = d;
    builder = carts(1);
    ts_builder_add_tendon(builder, &def);
    f = fixture_start(builder, 1);
    f.sim->qpos[0] = 0.25;
    f.sim->qvel[0] = 0.7;
    fixture_run(&f, 1);
    double h = step, wanted = (mass * 0.7 - h * k * 0.05) / (mass + h * d + h * h * k);
    cr_assert_float_eq(f.sim->qvel[0], wanted, 1e-10, "%.15g %.15g", f.sim->qvel[0], wanted);
    fixture_end(&f);
}

// l0 = x0 + x1 follows the square of l1 = x2: of the masses that move, the closed form of the rate that is left.
Test(tendon, an_equality_ties_lengths) {
    const double c[2] = {1.0, 1.0};
    ts_tendon_part part[2], other = {TS_TENDON_JOINT, 2, -1, 1.0};
    ts_tendon_def def = sum_of(c, 2, part);
    ts_builder* builder = carts(3);
    ts_builder_add_tendon(builder, &def);
    def.part = &other;
    def.part_count = 1;
    ts_builder_add_tendon(builder, &def);
    ts_equality_def tie = ts_equality_def_default();
    tie.kind = "tendon-equality";
    tie.tendon[0] = 0;
    tie.tendon[1] = 1;
    tie.coefficient[1] = 0.0;
    tie.coefficient[2] = 1.0;
    ts_builder_add_equality(builder, &tie);
    fixture f = fixture_start(builder, 1);
    f.sim->qpos[0] = 0.09;
    f.sim->qpos[1] = 0.07;
    f.sim->qpos[2] = 0.4;
    f.sim->qvel[0] = 1.0;
    fixture_run(&f, 1);
    // J = (1, 1, -0.8): v - J^T (J v) / (J J^T), to the millionth that ties give.
    double away = 1.0 / 2.64;
    cr_assert_float_eq(f.sim->qvel[0], 1.0 - away, 2e-6);
    cr_assert_float_eq(f.sim->qvel[1], -away, 2e-6);
    cr_assert_float_eq(f.sim->qvel[2], 0.8 * away, 2e-6);
    for (int n = 0; n < 400; ++n) {
        fixture_run(&f, 1);
        double error = f.sim->qpos[0] + f.sim->qpos[1] - f.sim->qpos[2] * f.sim->qpos[2];
        cr_assert_lt(fabs(error), 1e-4, "step %d: %g", n, error);
    }
    fixture_end(&f);
}

// The way is drawn as long as it is, by chords of the curve: from the post to (x, 0, 0) in one piece, without a bend, never inside of a circle of r about
// the geom's middle, or its axis.
static void check_way(const ts_sim* sim, double r, ts_vec3 from, ts_vec3 to, int flat) {
    ts_tendon_segment s[64];
    int count = ts_tendon_way(sim, 0, 64, s);
    cr_assert(count == 1 || count == TS_TENDON_ARC_SEGMENTS + 2, "%d", count);
    cr_assert_lt(ts_vec3_distance(s[0].from, from) + ts_vec3_distance(s[count - 1].to, to), 1e-12);
    double length = 0.0;
    ts_vec3 before = ts_vec3_zero();
    for (int i = 0; i < count; ++i) {
        ts_vec3 way = ts_vec3_sub(s[i].to, s[i].from);
        double away = hypot(hypot(s[i].to.x, s[i].to.y), flat ? 0.0 : s[i].to.z);
        length += ts_vec3_norm(way);
        cr_assert_gt(away, r - 1e-12, "point %d", i);
        if (i) cr_assert_lt(ts_vec3_distance(s[i].from, s[i - 1].to), 1e-12);
        // No chord turns by more than a whole way around in as many pieces.
        if (i && ts_vec3_norm(way) > 1e-9)
            cr_assert_gt(ts_vec3_dot(before, way) / ts_vec3_norm(way), cos(6.3 / TS_TENDON_ARC_SEGMENTS), "bend %d", i);
        if (ts_vec3_norm(way) > 1e-9) before = ts_vec3_scale(1.0 / ts_vec3_norm(way), way);
    }
    cr_assert_float_eq(length, sim->tendon_length[0], 3e-4 * length);
    cr_assert_leq(length, sim->tendon_length[0] + 1e-12);
    cr_assert_eq(ts_tendon_way(sim, 0, 0, NULL), count);
}

// A cart at (x, 0, 0) that a tendon joins, around a geom of radius r at the origin, with the site (0, height, along).
static double length_around(ts_shape shape, double x, double height, double along) {
    ts_builder* builder = carts(1);
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = shape;
    geom.category = geom.mask = 0;
    ts_builder_add_geom(builder, &geom);
    ts_builder_add_site(builder, "cart", 1, ts_pose_identity(), ts_shape_sphere(0.01), NULL, 0);
    ts_pose post = ts_pose_identity();
    post.position = ts_vec3_make(0.0, height, along);
    ts_builder_add_site(builder, "post", 0, post, ts_shape_sphere(0.01), NULL, 0);
    ts_tendon_part part[3] = {{TS_TENDON_SITE, 1, -1, 1.0}, {TS_TENDON_GEOM, 0, -1, 1.0}, {TS_TENDON_SITE, 0, -1, 1.0}};
    ts_tendon_def def = ts_tendon_def_default();
    def.part = part;
    def.part_count = 3;
    ts_builder_add_tendon(builder, &def);
    fixture f = fixture_start(builder, 1);
    double length[3];
    for (int k = 0; k < 3; ++k) {
        ts_status status;
        f.sim->qpos[0] = x + (k - 1) * 1e-5;
        f.sim->qvel[0] = 1.0;
        cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
        length[k] = f.sim->tendon_length[0];
        if (k == 1) check_way(f.sim, 0.3, post.position, ts_vec3_make(x, 0.0, 0.0), along != 0.0);
        if (k == 1)
            cr_assert_float_eq(f.sim->tendon_velocity[0], ts_sim_storage_of(f.sim)->tendon_lever[0].moment[0], 0.0);
    }
    double moment = ts_sim_storage_of(f.sim)->tendon_lever[0].moment[0];
    cr_assert_float_eq((length[2] - length[0]) / 2e-5, moment, 1e-4, "differences");
    fixture_end(&f);
    return length[1];
}

// sqrt(x^2 - r^2) + r (angle between - acos(r/x) - acos(r/y)) + sqrt(y^2 - r^2); a helix adds the climb squared.
Test(tendon, lengths_around_round_things) {
    const double r = 0.3, pi = acos(-1.0);
    const double size[3] = {r, 1.0, 0.0};
    for (double x = 0.35; x < 1.0; x += 0.13) {
        double y = 0.38, arc = r * (0.5 * pi - acos(r / x) - acos(r / y));
        double flat = arc > 0.0 ? sqrt(x * x - r * r) + arc + sqrt(y * y - r * r) : hypot(x, y);
        cr_assert_float_eq(length_around(ts_shape_sphere(r), x, y, 0.0), flat, 1e-12);
        cr_assert_float_eq(length_around(ts_shape_make(TS_SHAPE_CYLINDER, size), x, y, 0.2), hypot(flat, 0.2), 1e-12);
    }
}

// Two masses that a spring of a tendon joins, each a tree: x0 - x1 = cos(sqrt(2 k / m) t); half the step, a sixteenth of the error.
Test(tendon, rk4_takes_joined_trees_together) {
    const double c[2] = {1.0, -1.0}, stiffness = 300.0, end = 0.3;
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        ts_tendon_part part[2];
        ts_tendon_def def = sum_of(c, 2, part);
        def.is.spring = stiffness;
        ts_builder* builder = carts(2);
        ts_builder_options(builder)->time_step = fine ? 0.00125 : 0.0025;
        memcpy(ts_builder_options(builder)->integrator, "rk4", sizeof "rk4");
        ts_builder_add_tendon(builder, &def);
        fixture f = fixture_start(builder, 1);
        cr_assert_eq(f.model->tree_count, 2);
        f.sim->qpos[0] = 0.5;
        f.sim->qpos[1] = -0.5;
        fixture_run(&f, fine ? 240 : 120);
        error[fine] = fabs(f.sim->qpos[0] - f.sim->qpos[1] - cos(sqrt(2.0 * stiffness / mass) * end));
        fixture_end(&f);
    }
    cr_assert_float_eq(error[0] / error[1], 16.0, 2.0, "%g and %g", error[0], error[1]);
}

// A side within the geom: where the straight way misses the circle, it bends at the top of it.
Test(tendon, a_side_within_draws_the_way_in) {
    ts_builder* builder = carts(1);
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_sphere(0.3);
    geom.category = geom.mask = 0;
    ts_builder_add_geom(builder, &geom);
    ts_pose post = ts_pose_identity(), inside = ts_pose_identity();
    post.position = ts_vec3_make(1.0, 0.0, 0.7);
    inside.position.y = 0.1;
    ts_builder_add_site(builder, "post", 0, post, ts_shape_sphere(0.01), NULL, 0);
    ts_builder_add_site(builder, "inside", 0, inside, ts_shape_sphere(0.01), NULL, 0);
    post.position.x = 0.0;
    ts_builder_add_site(builder, "cart", 1, post, ts_shape_sphere(0.01), NULL, 0);
    ts_tendon_part part[3] = {{TS_TENDON_SITE, 0, -1, 1.0}, {TS_TENDON_GEOM, 0, 1, 1.0}, {TS_TENDON_SITE, 2, -1, 1.0}};
    ts_tendon_def def = ts_tendon_def_default();
    def.part = part;
    def.part_count = 3;
    ts_builder_add_tendon(builder, &def);
    fixture f = fixture_start(builder, 1);
    f.sim->qpos[0] = -1.0;
    cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
    cr_assert_float_eq(f.sim->tendon_length[0], 2.0 * hypot(1.0, 0.4), 1e-12);
    fixture_end(&f);
}

static void refuse(const ts_tendon_part* part, int count, double damping, const char* wanted) {
    ts_builder* builder = carts(2);
    ts_model* model = NULL;
    ts_status status;
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0));
    ts_builder_add_geom(builder, &geom);
    ts_builder_add_site(builder, "s", 1, ts_pose_identity(), ts_shape_sphere(0.01), NULL, 0);
    ts_tendon_def def = ts_tendon_def_default();
    def.part = part;
    def.part_count = count;
    def.is.damping = damping;
    def.line = 7;
    ts_builder_add_tendon(builder, &def);
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_ERROR_VALUE);
    cr_assert_not_null(strstr(status.message, wanted), "%s", status.message);
    cr_assert_eq(status.line, 7);
}

Test(tendon, what_is_refused) {
    const ts_tendon_part joint = {TS_TENDON_JOINT, 0, -1, 1.0}, site = {TS_TENDON_SITE, 0, -1, 1.0};
    const ts_tendon_part box = {TS_TENDON_GEOM, 0, -1, 1.0}, pulley = {TS_TENDON_PULLEY, -1, -1, 0.0};
    const ts_tendon_part lost = {TS_TENDON_SITE, 3, -1, 1.0};
    refuse(&joint, 1, -1.0, "damping or friction is negative");
    refuse(&site, 1, 0.0, "needs two sites");
    refuse((ts_tendon_part[]){joint, site}, 2, 0.0, "joints and other parts");
    refuse((ts_tendon_part[]){site, box, site}, 3, 0.0, "spheres and cylinders only");
    refuse((ts_tendon_part[]){box, site}, 2, 0.0, "between two sites");
    refuse((ts_tendon_part[]){site, site, pulley}, 3, 0.0, "divisor of a pulley");
    refuse((ts_tendon_part[]){site, lost}, 2, 0.0, "a part of it is not there");
}

// A spring without lengths of its own rests where those of the joints do, not where the joints are described.
Test(tendon, a_spring_rests_with_the_springs_of_joints) {
    const double c[2] = {1.0, -2.0};
    ts_tendon_part part[2];
    ts_tendon_def def = sum_of(c, 2, part);
    def.is.spring = 10.0;
    ts_builder* builder = carts(2);
    builder->joint.data[0].def.reference = 0.1;
    builder->joint.data[0].def.spring_rest = 0.7;
    builder->joint.data[1].def.spring_rest = -0.2;
    ts_builder_add_tendon(builder, &def);
    fixture f = fixture_start(builder, 1);
    cr_assert_float_eq(f.model->tendon[0].length0, 0.1, 1e-15);
    cr_assert_float_eq(f.model->tendon[0].rest[0], 0.7 + 0.4, 1e-15);
    cr_assert_float_eq(f.model->tendon[0].rest[1], 0.7 + 0.4, 1e-15);
    fixture_end(&f);
}
