// Motions whose answers are known in closed form: without contacts, with joints, and with contacts.
#include "tests/engine/engine_fixture.h"

static const double pi = 3.14159265358979323846;

static ts_mat3 small_inertia(double x) { return ts_mat3_diagonal(ts_vec3_make(x, x, x)); }

// A body on a joint to `parent`; returns the body.
static int jointed(ts_builder* builder, int parent, ts_vec3 position, double mass, ts_vec3 centre, ts_mat3 inertia,
                   const ts_joint_def* wanted) {
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = position;
    body.mass = mass;
    body.centre = centre;
    body.inertia = inertia;
    ts_joint_def joint = *wanted;
    joint.body = ts_builder_add_body(builder, &body);
    cr_assert(joint.body > 0 && ts_builder_add_joint(builder, &joint) >= 0);
    return joint.body;
}

static ts_joint_def slide_along_x(void) {
    ts_joint_def joint = ts_joint_def_default();
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(0);
    return joint;
}

static ts_joint_def hinge_about_y(void) {
    ts_joint_def joint = ts_joint_def_default();
    joint.axis = ts_vec3_axis(1);
    return joint;
}

// Point masses m on weightless rods of length l, angles measured joint by joint.
static fixture double_pendulum(double h, double m, double l) {
    ts_builder* builder = ts_builder_create("double pendulum");
    ts_builder_options(builder)->time_step = h;
    ts_joint_def joint = hinge_about_y();
    ts_vec3 end = ts_vec3_make(0.0, 0.0, -l);
    int upper = jointed(builder, 0, ts_vec3_zero(), m, end, small_inertia(1e-12), &joint);
    jointed(builder, upper, end, m, end, small_inertia(1e-12), &joint);
    return fixture_start(builder, 1);
}

Test(physics, a_thrown_sphere_follows_its_parabola) {
    ts_builder* builder = ts_builder_create("throw");
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 50.0), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 1.0);
    fixture_floor(builder, 1.0, 0.0);
    ts_builder_set_free_velocity(builder, body, ts_vec3_make(2.0, -1.0, 3.0), ts_vec3_make(0.0, 5.0, 0.0));
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step;
    int n = 700;
    fixture_run(&f, n);
    cr_assert_float_eq(f.sim->time, n * h, 1e-12);
    cr_assert_float_eq(f.sim->qvel[2], 3.0 - 9.81 * n * h, 1e-11);
    cr_assert_float_eq(f.sim->qpos[0], 2.0 * n * h, 1e-11);
    cr_assert_float_eq(f.sim->qpos[1], -1.0 * n * h, 1e-11);
    cr_assert_float_eq(f.sim->qpos[2], 50.0 + 3.0 * n * h - 9.81 * h * h * 0.5 * n * (n + 1), 1e-9);
    // A ball spins on about the same axis.
    ts_quat turn = ts_quat_from_axis_angle(ts_vec3_axis(1), 5.0 * n * h);
    double same = turn.w * f.sim->qpos[3] + turn.x * f.sim->qpos[4] + turn.y * f.sim->qpos[5] + turn.z * f.sim->qpos[6];
    cr_assert_float_eq(fabs(same), 1.0, 1e-12);
    fixture_end(&f);
}

Test(physics, double_pendulum_keeps_its_energy_to_first_order) {
    double drift[2];
    for (int k = 0; k < 2; ++k) {
        double h = k == 0 ? 2e-4 : 1e-4;
        fixture f = double_pendulum(h, 1.3, 0.7);
        f.sim->qpos[0] = 1.2;
        f.sim->qpos[1] = -0.7;
        ts_energy start = ts_sim_energy(f.sim);
        fixture_run(&f, (int)lround(1.0 / h));
        ts_energy end = ts_sim_energy(f.sim);
        drift[k] = end.kinetic + end.potential - start.kinetic - start.potential;
        cr_assert_gt(end.kinetic, 0.5);
        fixture_end(&f);
    }
    cr_assert_lt(fabs(drift[1]), 2e-2);
    cr_assert_float_eq(drift[0] / drift[1], 2.0, 0.1, "drift %g and %g", drift[0], drift[1]);
}

// Modes of two equal point masses on equal rods: w^2 = (2 -+ sqrt 2) g / l with absolute angles 1 : +-sqrt 2.
Test(physics, double_pendulum_small_swings) {
    double l = 0.8, h = 1e-3;
    for (int mode = 0; mode < 2; ++mode) {
        double sign = mode == 0 ? 1.0 : -1.0;
        fixture f = double_pendulum(h, 0.4, l);
        f.sim->qpos[0] = 1e-5;
        f.sim->qpos[1] = 1e-5 * (sign * sqrt(2.0) - 1.0);
        double first = 0.0, last = 0.0, before = f.sim->qpos[0];
        int crossings = 0;
        while (crossings < 11) {
            fixture_run(&f, 1);
            double now = f.sim->qpos[0];
            cr_assert_float_eq(f.sim->qpos[1], now * (sign * sqrt(2.0) - 1.0), 1e-9);
            if (before > 0.0 && now <= 0.0) {
                last = f.sim->time - h * now / (now - before);
                if (crossings == 0) first = last;
                ++crossings;
            }
            before = now;
            cr_assert_lt(f.sim->time, 60.0);
        }
        double period = (last - first) / 10.0, w = sqrt((2.0 - sign * sqrt(2.0)) * 9.81 / l);
        cr_assert_float_eq(period * w / (2.0 * pi), 1.0, 5e-6, "mode %d: period %g", mode, period);
        fixture_end(&f);
    }
}

// A free symmetric top: in body axes the cross component of w turns at (I3 - I1) / I1 w3. The midpoint rule: second order.
Test(physics, free_symmetric_top_precesses) {
    double I1 = 0.3, I3 = 0.5, w3 = 4.0, A = 1.0, error[2];
    for (int k = 0; k < 2; ++k) {
        ts_builder* builder = ts_builder_create("top");
        double h = k == 0 ? 2e-4 : 1e-4;
        ts_builder_options(builder)->time_step = h;
        ts_builder_options(builder)->gravity = ts_vec3_zero();
        ts_mat3 inertia = ts_mat3_diagonal(ts_vec3_make(I1, I1, I3));
        int body = fixture_free_body(builder, ts_vec3_zero(), 2.0, inertia);
        ts_builder_set_free_velocity(builder, body, ts_vec3_zero(), ts_vec3_make(A, 0.0, w3));
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, (int)lround(1.5 / h));
        double rate = (I3 - I1) / I1 * w3, t = 1.5;
        error[k] = hypot(f.sim->qvel[3] - A * cos(rate * t), f.sim->qvel[4] - A * sin(rate * t));
        cr_assert_float_eq(f.sim->qvel[5], w3, 1e-12);
        // Angular momentum in world axes stays I w of the start.
        ts_vec3 w = ts_vec3_load(f.sim->qvel + 3);
        ts_vec3 L = ts_quat_rotate(ts_quat_load(f.sim->qpos + 3), ts_mat3_mul_vec(&inertia, w));
        cr_assert_lt(ts_vec3_distance(L, ts_vec3_make(I1 * A, 0.0, I3 * w3)), 1e-11);
        fixture_end(&f);
    }
    cr_assert_lt(error[1], 1e-6);
    cr_assert_float_eq(error[0] / error[1], 4.0, 0.1);
}

// The centre of mass is not the frame's origin: it still flies on a parabola, to first order, while the body tumbles.
Test(physics, off_centre_body_tumbles_about_its_centre_of_mass) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
        double h = k == 0 ? 2e-4 : 1e-4;
        ts_builder* builder = ts_builder_create("tumble");
        ts_builder_options(builder)->time_step = h;
        ts_body_def def = ts_body_def_default();
        def.mass = 1.5;
        def.centre = ts_vec3_make(0.3, -0.2, 0.1);
        def.inertia = ts_mat3_diagonal(ts_vec3_make(0.1, 0.12, 0.15));
        int body = ts_builder_add_body(builder, &def);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body;
        joint.type = TS_JOINT_FREE;
        ts_builder_add_joint(builder, &joint);
        ts_vec3 w = ts_vec3_make(2.0, 3.0, -1.0);
        ts_vec3 v = ts_vec3_make(0.5, 0.0, 4.0);
        ts_builder_set_free_velocity(builder, body, v, w);
        fixture f = fixture_start(builder, 1);
        ts_vec3 velocity = ts_vec3_add(v, ts_vec3_cross(w, def.centre));
        fixture_run(&f, (int)lround(1.0 / h));
        ts_sim_energy(f.sim);
        ts_vec3 expected = ts_vec3_add(def.centre, velocity);
        expected.z -= 0.5 * 9.81;
        error[k] = ts_vec3_distance(f.sim->kinematics.body_centre[body], expected);
        fixture_end(&f);
    }
    cr_assert_lt(error[1], 2e-3);
    cr_assert_float_eq(error[0] / error[1], 2.0, 0.1);
}

Test(physics, a_hanging_spring_rests_at_m_g_over_k) {
    ts_builder* builder = ts_builder_create("spring");
    ts_joint_def joint = ts_joint_def_default();
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(2);
    joint.spring = 500.0;
    joint.spring_rest = 0.1;
    joint.damping = 40.0;
    jointed(builder, 0, ts_vec3_zero(), 2.0, ts_vec3_zero(), small_inertia(0.1), &joint);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 3000);
    cr_assert_float_eq(f.sim->qpos[0], 0.1 - 2.0 * 9.81 / 500.0, 1e-12);
    ts_energy energy = ts_sim_energy(f.sim);
    double stretch = 2.0 * 9.81 / 500.0;
    cr_assert_float_eq(energy.potential, 2.0 * 9.81 * f.sim->qpos[0] + 250.0 * stretch * stretch, 1e-10);
    fixture_end(&f);
}

Test(physics, armature_adds_to_the_inertia) {
    ts_builder* builder = ts_builder_create("armature");
    ts_joint_def joint = slide_along_x();
    joint.armature = 0.75;
    jointed(builder, 0, ts_vec3_zero(), 0.5, ts_vec3_zero(), small_inertia(0.1), &joint);
    fixture f = fixture_start(builder, 1);
    f.sim->force_applied[0] = 2.5;
    fixture_run(&f, 40);
    double v = 40 * f.sim->options.time_step * 2.5 / 1.25;
    cr_assert_float_eq(f.sim->qvel[0], v, 1e-13);
    cr_assert_float_eq(ts_sim_energy(f.sim).kinetic, 0.5 * 1.25 * v * v, 1e-13);
    fixture_end(&f);
}

// A slider meets its stop (T21 ii): it may close the gap, then it stands, and the stop has taken its momentum.
Test(physics, joint_limits_stop_the_joint) {
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? 1.0 : -1.0;
        ts_builder* builder = ts_builder_create("stop");
        ts_builder_options(builder)->gravity = ts_vec3_zero();
        ts_joint_def joint = slide_along_x();
        joint.limited = 1;
        joint.range[0] = -0.1;
        joint.range[1] = 0.1;
        jointed(builder, 0, ts_vec3_zero(), 3.0, ts_vec3_zero(), small_inertia(0.1), &joint);
        fixture f = fixture_start(builder, 1);
        f.sim->qvel[0] = 2.0 * sign;
        double taken = 0.0, furthest = 0.0;
        for (int i = 0; i < 60; ++i) {
            fixture_run(&f, 1);
            for (int r = 0; r < f.sim->problem.row_count; ++r) taken += f.sim->impulse[r];
            if (sign * f.sim->qpos[0] > furthest) furthest = sign * f.sim->qpos[0];
        }
        cr_assert_float_eq(taken, 3.0 * 2.0, 1e-7);
        cr_assert_float_eq(f.sim->qvel[0], 0.0, 1e-8);
        cr_assert_float_eq(furthest, 0.1, 1e-9);
        fixture_end(&f);
    }
}

Test(physics, a_ball_joint_stops_at_its_cone) {
    ts_builder* builder = ts_builder_create("cone");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_joint_def joint = ts_joint_def_default();
    joint.type = TS_JOINT_BALL;
    joint.limited = 1;
    joint.range[1] = 0.6;
    jointed(builder, 0, ts_vec3_zero(), 1.0, ts_vec3_zero(), small_inertia(0.2), &joint);
    fixture f = fixture_start(builder, 1);
    ts_vec3 axis = ts_vec3_make(0.6, 0.0, 0.8);
    ts_vec3_store(ts_vec3_scale(3.0, axis), f.sim->qvel);
    fixture_run(&f, 300);
    ts_vec3 theta = ts_quat_to_rotation_vector(ts_quat_load(f.sim->qpos));
    cr_assert_lt(ts_vec3_distance(theta, ts_vec3_scale(0.6, axis)), 1e-8);
    cr_assert_lt(ts_vec3_norm(ts_vec3_load(f.sim->qvel)), 1e-7);
    fixture_end(&f);
}

// Dry friction (T21 iii): v+ = sign(w) max(0, |w| - h f / m) with w = v + h F / m; below the limit nothing moves at all.
Test(physics, dry_joint_friction) {
    ts_builder* builder = ts_builder_create("dry");
    ts_joint_def joint = slide_along_x();
    joint.friction = 1.2;
    jointed(builder, 0, ts_vec3_zero(), 0.8, ts_vec3_zero(), small_inertia(0.1), &joint);
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step, v = 0.05;
    f.sim->qvel[0] = v;
    f.sim->force_applied[0] = -0.4;
    for (int i = 0; i < 40; ++i) {
        fixture_run(&f, 1);
        double w = v - h * 0.4 / 0.8;
        v = fabs(w) > h * 1.2 / 0.8 ? (w > 0.0 ? w - h * 1.2 / 0.8 : w + h * 1.2 / 0.8) : 0.0;
        cr_assert_float_eq(f.sim->qvel[0], v, 1e-10);
    }
    cr_assert_float_eq(f.sim->qvel[0], 0.0, 1e-10);
    f.sim->force_applied[0] = 1.1;
    double q = f.sim->qpos[0];
    fixture_run(&f, 1000);
    cr_assert_float_eq(f.sim->qpos[0], q, 1e-9);
    f.sim->force_applied[0] = 1.6;
    fixture_run(&f, 100);
    cr_assert_float_eq(f.sim->qvel[0], 100 * h * 0.4 / 0.8, 1e-8);
    fixture_end(&f);
}

static int free_box(ts_builder* builder, ts_vec3 position, ts_vec3 half, double mass, double mu) {
    int body = fixture_free_body(builder, position, mass, fixture_box_inertia(mass, half));
    fixture_geom(builder, body, ts_shape_box(half), ts_vec3_zero(), mu);
    return body;
}

Test(physics, colliding_boxes_keep_their_momentum) {
    ts_builder* builder = ts_builder_create("crash");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_vec3 half = ts_vec3_make(0.1, 0.1, 0.1);
    int a = free_box(builder, ts_vec3_make(-0.15, 0.03, 0.0), half, 1.0, 0.3);
    int b = free_box(builder, ts_vec3_make(0.15, 0.0, 0.04), half, 3.0, 0.3);
    ts_builder_set_free_velocity(builder, a, ts_vec3_make(2.0, 0.4, 0.0), ts_vec3_make(0.3, 0.1, 0.2));
    ts_builder_set_free_velocity(builder, b, ts_vec3_make(-1.0, 0.0, 0.0), ts_vec3_zero());
    fixture f = fixture_start(builder, 1);
    double* v = f.sim->qvel;
    ts_mat3 inertia[2] = {f.model->body[a].inertia, f.model->body[b].inertia};
    ts_vec3 linear = ts_vec3_zero(), angular = ts_vec3_zero();
    int touched = 0;
    for (int i = 0; i <= 200; ++i) {
        ts_vec3 p = ts_vec3_zero(), L = ts_vec3_zero();
        for (int k = 0; k < 2; ++k) {
            double mass = f.model->body[k + 1].mass;
            ts_vec3 momentum = ts_vec3_scale(mass, ts_vec3_load(v + 6 * k));
            ts_quat turn = ts_quat_load(f.sim->qpos + 7 * k + 3);
            p = ts_vec3_add(p, momentum);
            L = ts_vec3_add(L, ts_vec3_cross(ts_vec3_load(f.sim->qpos + 7 * k), momentum));
            L = ts_vec3_add(L, ts_quat_rotate(turn, ts_mat3_mul_vec(&inertia[k], ts_vec3_load(v + 6 * k + 3))));
        }
        if (i == 0) {
            linear = p;
            angular = L;
        }
        cr_assert_lt(ts_vec3_distance(p, linear), 1e-12);
        // Spin of cubes is free of gyroscopic terms, so the angular momentum is as exact.
        cr_assert_lt(ts_vec3_distance(L, angular), 1e-11);
        fixture_run(&f, 1);
        touched |= f.sim->contact_count > 0;
    }
    cr_assert(touched);
    fixture_end(&f);
}

// T20. The speed at the floor is known to a step's worth of gravity, so rebounds are compared to that accuracy.
Test(physics, a_ball_bounces_with_its_restitution) {
    static const double e[] = {0.7, 1.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        ts_builder* builder = ts_builder_create("bounce");
        double h = 2e-4, H = 0.5;
        ts_builder_options(builder)->time_step = h;
        int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1 + H), -1.0, ts_mat3_zero());
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.surface.restitution = e[k];
        ts_builder_add_geom(builder, &geom);
        fixture_floor(builder, 0.5, 0.0);
        fixture f = fixture_start(builder, 1);
        ts_energy start = ts_sim_energy(f.sim);
        double falling = 0.0, expected = sqrt(2.0 * 9.81 * H);
        int bounces = 0;
        for (int i = 0; i < 12000 && bounces < 4; ++i) {
            double before = f.sim->qvel[2];
            fixture_run(&f, 1);
            if (before < -0.05 && f.sim->qvel[2] > 0.0) {
                falling = before;
                cr_assert_float_eq(-falling, expected, 5.0 * 9.81 * h * (bounces + 1));
                // The very law: rebound at e times the speed before.
                cr_assert_float_eq(f.sim->qvel[2], -e[k] * falling, 1e-9);
                expected *= e[k];
                ++bounces;
            }
        }
        cr_assert_eq(bounces, e[k] > 0.0 ? 4 : 0);
        if (e[k] == 0.0) cr_assert_float_eq(f.sim->qpos[2], 0.1, 2e-5);
        if (e[k] == 1.0) {
            ts_energy end = ts_sim_energy(f.sim);
            cr_assert_float_eq((end.kinetic + end.potential) / (start.kinetic + start.potential), 1.0, 0.01);
        }
        fixture_end(&f);
    }
}

// A flat box on a tilted plane (T17): sticks while tan(theta) <= mu, else slides with g (sin - mu cos).
Test(physics, incline_sticks_or_slides) {
    double theta = 0.45;
    for (int k = 0; k < 2; ++k) {
        double mu = k == 0 ? 0.3 : 0.5;
        ts_builder* builder = ts_builder_create("incline");
        ts_builder_options(builder)->iterations = 10000;
        ts_builder_options(builder)->gravity = ts_vec3_make(9.81 * sin(theta), 0.0, -9.81 * cos(theta));
        free_box(builder, ts_vec3_make(0.0, 0.0, 0.02), ts_vec3_make(0.2, 0.2, 0.02), 1.5, mu);
        fixture_floor(builder, mu, 0.3);
        fixture f = fixture_start(builder, 1);
        double h = f.sim->options.time_step;
        for (int i = 1; i <= 200; ++i) {
            fixture_run(&f, 1);
            double expected = k == 0 ? i * h * 9.81 * (sin(theta) - mu * cos(theta)) : 0.0;
            cr_assert_float_eq(f.sim->qvel[0], expected, 1e-8);
            cr_assert_float_eq(f.sim->qvel[2], 0.0, 1e-8);
        }
        fixture_end(&f);
    }
}

// A ball on a slope with enough friction rolls: 5/7 g sin(theta), every step.
Test(physics, a_ball_rolls_down) {
    ts_builder* builder = ts_builder_create("roll");
    double theta = 0.3, r = 0.1;
    ts_builder_options(builder)->gravity = ts_vec3_make(9.81 * sin(theta), 0.0, -9.81 * cos(theta));
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, r), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_sphere(r), ts_vec3_zero(), 0.5);
    fixture_floor(builder, 0.1, 0.0);
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step;
    for (int i = 1; i <= 300; ++i) {
        fixture_run(&f, 1);
        double v = i * h * 5.0 / 7.0 * 9.81 * sin(theta);
        cr_assert_float_eq(f.sim->qvel[0], v, 1e-8);
        cr_assert_float_eq(f.sim->qvel[4], v / r, 1e-7);
    }
    fixture_end(&f);
}

Test(physics, ten_boxes_stand) {
    ts_builder* builder = ts_builder_create("stack");
    for (int i = 0; i < 10; ++i)
        free_box(builder, ts_vec3_make(0.0, 0.0, 0.1 + 0.2 * i), ts_vec3_make(0.1, 0.1, 0.1), 1.0, 0.6);
    fixture_floor(builder, 0.6, 0.0);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1000);
    for (int i = 0; i < 10; ++i) {
        const double* q = f.sim->qpos + 7 * i;
        cr_assert_lt(hypot(q[0], q[1]), 1e-4);
        cr_assert_float_eq(q[2], 0.1 + 0.2 * i, 1e-4);
        cr_assert_float_eq(fabs(q[3]), 1.0, 1e-6);
    }
    cr_assert_lt(f.sim->info.worst_penetration, 1e-4);
    fixture_end(&f);
}

// Loads add up through a stack: the floor carries both, the joint between them the upper one (T9).
Test(physics, a_heavy_box_on_a_light_one) {
    ts_builder* builder = ts_builder_create("ratio");
    ts_builder_options(builder)->iterations = 20000;
    ts_vec3 half = ts_vec3_make(0.1, 0.1, 0.1);
    free_box(builder, ts_vec3_make(0.0, 0.0, 0.1), half, 0.5, 0.6);
    free_box(builder, ts_vec3_make(0.0, 0.0, 0.3), half, 20.0, 0.6);
    fixture_floor(builder, 0.6, 0.0);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 100);
    double floor_load = 0.0, upper_load = 0.0;
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        *(contact->body_a == 0 ? &floor_load : &upper_load) += contact->impulse.z / f.sim->options.time_step;
    }
    cr_assert_float_eq(floor_load, 20.5 * 9.81, 1e-3);
    cr_assert_float_eq(upper_load, 20.0 * 9.81, 1e-3);
    fixture_end(&f);
}

// A slider strikes a free box centrally: the common velocity is that of a perfectly plastic impact.
Test(physics, articulated_and_free_bodies_meet) {
    ts_builder* builder = ts_builder_create("meet");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_joint_def joint = slide_along_x();
    int slider = jointed(builder, 0, ts_vec3_make(-0.25, 0.0, 0.0), 1.0, ts_vec3_zero(), small_inertia(0.1), &joint);
    fixture_geom(builder, slider, ts_shape_sphere(0.1), ts_vec3_zero(), 0.0);
    free_box(builder, ts_vec3_make(0.1, 0.0, 0.0), ts_vec3_make(0.1, 0.1, 0.1), 2.0, 0.0);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = 1.5;
    fixture_run(&f, 200);
    cr_assert_float_eq(f.sim->qvel[0], 0.5, 1e-7);
    cr_assert_float_eq(f.sim->qvel[1], 0.5, 1e-7);
    fixture_end(&f);
}

// Two fingers of one floating hand meet: a contact within one tree. Their common speed is the mean, the palm feels nothing.
Test(physics, contact_within_a_tree) {
    ts_builder* builder = ts_builder_create("hand");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    int palm = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 5.0), 2.0, small_inertia(0.5));
    ts_joint_def joint = slide_along_x();
    int left = jointed(builder, palm, ts_vec3_make(-0.2, 0.0, 0.3), 1.0, ts_vec3_zero(), small_inertia(0.1), &joint);
    int right = jointed(builder, palm, ts_vec3_make(0.2, 0.0, 0.3), 1.0, ts_vec3_zero(), small_inertia(0.1), &joint);
    fixture_geom(builder, left, ts_shape_sphere(0.1), ts_vec3_zero(), 0.7);
    fixture_geom(builder, right, ts_shape_sphere(0.1), ts_vec3_zero(), 0.7);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[6] = 1.0;
    // The palm moves so that the total linear momentum is that of one finger; angular momentum is not touched.
    fixture_run(&f, 300);
    ts_sim_forward(f.sim, NULL);
    double v_left = ts_sim_body_velocity(f.sim, left).linear.x, v_right = ts_sim_body_velocity(f.sim, right).linear.x;
    cr_assert_float_eq(v_left, v_right, 1e-5);
    cr_assert_float_eq(f.sim->qvel[6], f.sim->qvel[7], 1e-6);
    cr_assert_gt(f.sim->contact_count, 0);
    double momentum = 2.0 * f.sim->qvel[0] + v_left + v_right;
    cr_assert_float_eq(momentum, 1.0, 1e-3);
    fixture_end(&f);
}
