// Kinematics against closed forms (poses) and against differences of positions (axes, twists).
#include "engine/step/integrate_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64 };

static void assert_vec3(ts_vec3 a, ts_vec3 b, double tolerance, const char* what) {
    cr_assert(ts_vec3_distance(a, b) <= tolerance, "%s: (%g %g %g) against (%g %g %g), off by %g", what, a.x, a.y, a.z,
              b.x, b.y, b.z, ts_vec3_distance(a, b));
}

// Position of a body-fixed point, and the body's axes, after moving along `qvel` for a time t.
static ts_transform moved_pose(fixture* f, const double* qpos, const double* qvel, double t, int body) {
    ts_integrate_position(f->model, qpos, qvel, t, f->sim->qpos);
    ts_sim_update_kinematics(f->sim);
    ts_transform pose = f->sim->kinematics.body_pose[body];
    memcpy(f->sim->qpos, qpos, (size_t)f->model->nq * sizeof(double));
    return pose;
}

// Central differences of order four for the velocity of a point and for the angular velocity.
static void difference(fixture* f, const double* qpos, const double* qvel, int body, ts_vec3 point, ts_vec3* out_linear,
                       ts_vec3* out_angular) {
    double t = 1e-3;
    ts_transform p1 = moved_pose(f, qpos, qvel, t, body), m1 = moved_pose(f, qpos, qvel, -t, body);
    ts_transform p2 = moved_pose(f, qpos, qvel, 2 * t, body), m2 = moved_pose(f, qpos, qvel, -2 * t, body);
    ts_vec3 near = ts_vec3_sub(ts_transform_point(&p1, point), ts_transform_point(&m1, point));
    ts_vec3 far = ts_vec3_sub(ts_transform_point(&p2, point), ts_transform_point(&m2, point));
    *out_linear = ts_vec3_scale(1.0 / (12.0 * t), ts_vec3_sub(ts_vec3_scale(8.0, near), far));
    ts_mat3 rate = ts_mat3_sub(ts_mat3_scale(8.0, ts_mat3_sub(p1.R, m1.R)), ts_mat3_sub(p2.R, m2.R));
    ts_transform now = moved_pose(f, qpos, qvel, 0.0, body);
    ts_mat3 skew = ts_mat3_scale(1.0 / (12.0 * t), ts_mat3_mul_transposed(rate, now.R));
    *out_angular = ts_vec3_scale(
        0.5, ts_vec3_make(skew.m[2][1] - skew.m[1][2], skew.m[0][2] - skew.m[2][0], skew.m[1][0] - skew.m[0][1]));
}

Test(kinematics, axes_and_twists_are_derivatives_of_positions) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        fixture f = fixture_menagerie(seed);
        double qpos[2 * most_dofs];
        cr_assert(f.model->nq <= 2 * most_dofs && f.model->nv <= most_dofs);
        memcpy(qpos, f.sim->qpos, (size_t)f.model->nq * sizeof(double));
        ts_vec3 point = ts_vec3_make(0.2, -0.3, 0.4);
        for (int b = 1; b < f.model->body_count; ++b) {
            ts_vec3 linear, angular;
            for (int d = 0; d < f.model->nv; ++d) {
                double unit[most_dofs] = {0.0};
                unit[d] = 1.0;
                difference(&f, qpos, unit, b, point, &linear, &angular);
                ts_sim_update_kinematics(f.sim);
                int moves = 0;
                for (int e = f.model->body[b].dof_last; e >= 0; e = f.model->dof[e].parent) moves |= e == d;
                ts_vec3 world = ts_transform_point(&f.sim->kinematics.body_pose[b], point);
                ts_motion axis = ts_motion_zero();
                if (moves) axis = ts_kinematics_axis(f.sim->model, &f.sim->kinematics, d);
                ts_vec3 origin =
                    moves ? ts_kinematics_origin(f.model, &f.sim->kinematics, f.model->body[b].tree) : world;
                assert_vec3(ts_motion_at(axis, ts_vec3_sub(world, origin)), linear, 1e-9, "point by dof");
                assert_vec3(axis.angular, angular, 1e-9, "turn by dof");
            }
            difference(&f, qpos, f.sim->qvel, b, point, &linear, &angular);
            ts_sim_update_kinematics(f.sim);
            ts_vec3 world = ts_transform_point(&f.sim->kinematics.body_pose[b], point);
            assert_vec3(ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, b, world), linear, 1e-8,
                        "point velocity");
            ts_motion velocity = ts_sim_body_velocity(f.sim, b);
            assert_vec3(velocity.angular, angular, 1e-8, "angular velocity");
            difference(&f, qpos, f.sim->qvel, b, ts_vec3_zero(), &linear, &angular);
            assert_vec3(velocity.linear, linear, 1e-8, "velocity of the frame's origin");
        }
        fixture_end(&f);
    }
}

// Upper arm: hinge about y through a point of its own that is not its origin, with a reference angle; fore-arm: slide along
// its x and then a hinge about its z. Everything by hand with plane trigonometry.
Test(kinematics, arm_by_hand) {
    ts_builder* builder = ts_builder_create("arm");
    ts_body_def body = ts_body_def_default();
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    body.pose.position = ts_vec3_make(1.0, 2.0, 3.0);
    body.centre = ts_vec3_make(0.1, 0.0, 0.0);
    int upper = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = upper;
    joint.axis = ts_vec3_axis(1);
    joint.anchor = ts_vec3_make(-0.5, 0.0, 0.0);
    joint.reference = 0.25;
    ts_builder_add_joint(builder, &joint);
    body.parent = upper;
    body.pose.position = ts_vec3_make(1.0, 0.0, 0.0);
    int fore = ts_builder_add_body(builder, &body);
    joint = ts_joint_def_default();
    joint.body = fore;
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(0);
    joint.reference = -0.15;
    ts_builder_add_joint(builder, &joint);
    joint.type = TS_JOINT_HINGE;
    joint.axis = ts_vec3_axis(2);
    joint.reference = 0.0;
    ts_builder_add_joint(builder, &joint);
    ts_geom_def geom = ts_geom_def_default();
    geom.body = fore;
    geom.pose.position = ts_vec3_make(0.0, 0.7, 0.0);
    ts_builder_add_geom(builder, &geom);
    fixture f = fixture_start(builder, 1);
    double a = 0.6, s = 0.3, c = -0.8;
    f.sim->qpos[0] = a + 0.25;
    f.sim->qpos[1] = s - 0.15;
    f.sim->qpos[2] = c;
    ts_sim_update_kinematics(f.sim);
    // A turn by a about y takes x to (cos a, 0, -sin a). The pivot is at (0.5, 2, 3).
    ts_vec3 pivot = ts_vec3_make(0.5, 2.0, 3.0), x = ts_vec3_make(cos(a), 0.0, -sin(a)), y = ts_vec3_axis(1);
    assert_vec3(f.sim->kinematics.body_pose[upper].p, ts_vec3_add_scaled(pivot, 0.5, x), 1e-15, "upper arm");
    assert_vec3(f.sim->kinematics.body_centre[upper], ts_vec3_add_scaled(pivot, 0.6, x), 1e-15, "its centre");
    ts_vec3 elbow = ts_vec3_add_scaled(pivot, 1.5 + s, x);
    assert_vec3(f.sim->kinematics.body_pose[fore].p, elbow, 1e-15, "fore-arm");
    ts_vec3 across = ts_vec3_add(ts_vec3_scale(-sin(c), x), ts_vec3_scale(cos(c), y));
    assert_vec3(ts_kinematics_geom(&f.sim->kinematics, 0)->p, ts_vec3_add_scaled(elbow, 0.7, across), 1e-15, "geom");
    fixture_end(&f);
}

// R v with R the turn about a unit vector by `angle`.
static void turn_long(const long double axis[3], long double angle, const long double v[3], long double out[3]) {
    long double c = cosl(angle), s = sinl(angle),
                along = (1.0L - c) * (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
    for (int i = 0; i < 3; ++i) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        out[i] = c * v[i] + s * (axis[a] * v[b] - axis[b] * v[a]) + along * axis[i];
    }
}

// A chain of hinges along and against each axis and about others, at the frame's origin and beside it: the last body's frame, from there back to the
// world joint by joint, in long double.
Test(kinematics, hinges_about_every_axis_turn_as_rodrigues_says) {
    static const double axis[][3] = {{1, 0, 0},  {0, 1, 0},     {0, 0, 1},      {-1, 0, 0},       {0, -1, 0},
                                     {0, 0, -1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}, {0.48, 0.6, 0.64}};
    enum { AXES = sizeof axis / sizeof axis[0], LINKS = 2 * AXES };
    ts_builder* builder = ts_builder_create("hinges");
    ts_rng rng = ts_rng_make(12, 0);
    ts_vec3 anchor[LINKS], shift[LINKS];
    double angle[LINKS];
    ts_body_def body = ts_body_def_default();
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    for (int i = 0; i < LINKS; ++i) {
        anchor[i] = i < AXES ? ts_vec3_zero() : ts_vec3_make(ts_rng_normal(&rng), ts_rng_normal(&rng), 0.3);
        shift[i] = ts_vec3_make(ts_rng_normal(&rng), ts_rng_normal(&rng), ts_rng_normal(&rng));
        angle[i] = ts_rng_uniform_in(&rng, -9.0, 9.0);
        body.pose.position = shift[i];
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body.parent = ts_builder_add_body(builder, &body);
        joint.axis = ts_vec3_load(axis[i % AXES]);
        joint.anchor = anchor[i];
        joint.reference = 0.125 * i;
        ts_builder_add_joint(builder, &joint);
    }
    fixture f = fixture_start(builder, 1);
    for (int i = 0; i < LINKS; ++i) f.sim->qpos[i] = angle[i] + 0.125 * i;
    ts_sim_update_kinematics(f.sim);
    const ts_transform* last = &f.sim->kinematics.body_pose[body.parent];
    for (int column = 0; column < 4; ++column) {
        // The end of a unit vector, or of none.
        long double x[3] = {column == 0, column == 1, column == 2}, y[3];
        for (int i = LINKS - 1; i >= 0; --i) {
            const long double n[3] = {(long double)axis[i % AXES][0], (long double)axis[i % AXES][1],
                                      (long double)axis[i % AXES][2]};
            double hold[3], by[3];
            ts_vec3_store(anchor[i], hold);
            ts_vec3_store(shift[i], by);
            for (int r = 0; r < 3; ++r) x[r] -= (long double)hold[r];
            turn_long(n, (long double)(angle[i] + 0.125 * i - 0.125 * i), x, y);
            for (int r = 0; r < 3; ++r) x[r] = y[r] + (long double)hold[r] + (long double)by[r];
        }
        ts_vec3 end = ts_vec3_make((double)x[0], (double)x[1], (double)x[2]), found = last->p;
        if (column < 3) found = ts_vec3_add(found, ts_mat3_column(&last->R, column));
        assert_vec3(found, end, 1e-13, "end of the chain");
    }
    fixture_end(&f);
}

Test(kinematics, free_and_ball_take_their_quaternion) {
    ts_builder* builder = ts_builder_create("poses");
    int body = fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
    ts_body_def def = ts_body_def_default();
    def.mass = 1.0;
    def.inertia = ts_mat3_identity();
    def.pose.position = ts_vec3_make(0.0, 0.0, 2.0);
    int ball = ts_builder_add_body(builder, &def);
    ts_joint_def joint = ts_joint_def_default();
    joint.type = TS_JOINT_BALL;
    joint.body = ball;
    joint.anchor = ts_vec3_make(0.0, 0.0, 1.0);
    ts_builder_add_joint(builder, &joint);
    fixture f = fixture_start(builder, 1);
    // A quarter turn about x, given with a length that is not one: it counts as a direction.
    double free_pose[7] = {4.0, 5.0, 6.0, 2.0, 2.0, 0.0, 0.0};
    memcpy(f.sim->qpos, free_pose, sizeof free_pose);
    ts_quat_store(ts_quat_from_axis_angle(ts_vec3_axis(0), acos(-1.0) / 2.0), f.sim->qpos + 7);
    ts_sim_update_kinematics(f.sim);
    assert_vec3(f.sim->kinematics.body_pose[body].p, ts_vec3_make(4.0, 5.0, 6.0), 0.0, "free position");
    assert_vec3(ts_mat3_column(&f.sim->kinematics.body_pose[body].R, 1), ts_vec3_axis(2), 1e-15, "free y axis");
    // The anchor stays at z = 3; the body hangs on it along its own -z, which now is world +y.
    assert_vec3(f.sim->kinematics.body_pose[ball].p, ts_vec3_make(0.0, 1.0, 3.0), 1e-15, "ball position");
    fixture_end(&f);
}

Test(kinematics, difference_inverts_integration) {
    fixture f = fixture_menagerie(9);
    double moved[2 * most_dofs], velocity[most_dofs];
    ts_integrate_position(f.model, f.sim->qpos, f.sim->qvel, 0.3, moved);
    ts_integrate_difference(f.model, f.sim->qpos, moved, 0.3, velocity);
    for (int d = 0; d < f.model->nv; ++d) cr_assert_float_eq(velocity[d], f.sim->qvel[d], 1e-12);
    fixture_end(&f);
}
