// The cube of the friction experiments (docs/contact.md): edge 0.2 m, 1 kg, standing on eight spheres of 4 mm
// radius at its corners. Everything is known in closed form, for each contact law differently.
#include "contact/judge/residual.h"
#include "tests/engine/engine_fixture.h"

static const double gravity = 9.81;

// The cube on a floor of friction mu turned about z by `turn`; velocity v0 along +y, 1 ms, solved to the end.
static fixture cube(const char* solver, double mu, double turn, double v0) {
    ts_builder* builder = ts_builder_create("cube");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1e-3;
    options->contact_margin = 1e-3;
    options->tolerance = 1e-9;
    options->iterations = 10000;
    cr_assert_lt(strlen(solver), sizeof options->solver);
    memcpy(options->solver, solver, strlen(solver) + 1);
    double a = 0.2, I = a * a / 6.0;
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.104), 1.0, ts_mat3_diagonal(ts_vec3_make(I, I, I)));
    for (int i = 0; i < 8; ++i) {
        ts_vec3 corner = ts_vec3_make(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
        fixture_geom(builder, body, ts_shape_sphere(0.004), corner, mu);
    }
    fixture_floor(builder, mu, turn);
    cr_assert(ts_builder_set_free_velocity(builder, body, ts_vec3_make(0.0, v0, 0.0), ts_vec3_zero()));
    return fixture_start(builder, 1);
}

Test(sliding_cube, ncp_loses_mu_g_h_in_every_step) {
    double mu = 0.4, h = 1e-3;
    fixture f = cube("ncp-pgs", mu, 0.0, 1.0);
    for (int k = 1; k <= 250; ++k) {
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->contact_count, 4);
        cr_assert_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
        double expected = 1.0 - k * mu * gravity * h;
        cr_assert_float_eq(f.sim->qvel[1], expected, 1e-9 * k, "step %d: %.12g", k, f.sim->qvel[1]);
        cr_assert_float_eq(f.sim->qvel[0], 0.0, 1e-9);
        cr_assert_float_eq(f.sim->qvel[2], 0.0, 1e-9);
    }
    fixture_run(&f, 50);
    // Stopped where the sum of the discrete velocities says, and at rest.
    double y = 0.0;
    for (int k = 1; 1.0 - k * mu * gravity * h > 0.0; ++k) y += h * (1.0 - k * mu * gravity * h);
    cr_assert_float_eq(f.sim->qpos[1], y, 1e-8);
    cr_assert_float_eq(f.sim->qpos[1], 0.126921, 1e-6);
    cr_assert_float_eq(f.sim->qvel[1], 0.0, 1e-9);
    fixture_end(&f);
}

// Moments about the contact plane load the front feet more: N = m g / 4 (1 +- 2 mu h_c / a) (T12). Only the sum over the
// two front feet is determined: four feet on a plane are one too many.
Test(sliding_cube, front_feet_carry_more) {
    double mu = 0.4, h = 1e-3, pair[2] = {0.0, 0.0};
    fixture f = cube("ncp-pgs", mu, 0.0, 1.0);
    fixture_run(&f, 60);
    for (int i = 0; i < 4; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        pair[contact->position.y > f.sim->qpos[1]] += contact->impulse.z / h;
        // Sliding: friction at the cone's edge, against the velocity.
        double slip = hypot(contact->velocity.x, contact->velocity.y);
        double along = (contact->impulse.x * contact->velocity.x + contact->impulse.y * contact->velocity.y) / slip;
        cr_assert_float_eq(along, -mu * contact->impulse.z, 1e-9);
    }
    cr_assert_float_eq(pair[1], gravity / 2.0 * (1.0 + 2.0 * mu * 0.104 / 0.2), 1e-6);
    cr_assert_float_eq(pair[0], gravity / 2.0 * (1.0 - 2.0 * mu * 0.104 / 0.2), 1e-6);
    fixture_end(&f);
}

// The convex relaxation lifts what slides (T2, T15): after one step v_y = (1 - mu g h) / (1 + mu^2), v_z = mu v_y; and as long
// as it slides v_y + mu v_z is what the exact law gives.
Test(sliding_cube, ccp_takes_off) {
    double mu = 0.4, h = 1e-3;
    fixture f = cube("ccp-pgs", mu, 0.0, 1.0);
    fixture_run(&f, 1);
    cr_assert_float_eq(f.sim->qvel[1], 0.858686207, 1e-6);
    cr_assert_float_eq(f.sim->qvel[2], 0.343474483, 1e-6);
    for (int i = 0; i < 4; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        double slip = hypot(contact->velocity.x, contact->velocity.y);
        cr_assert_float_eq(contact->velocity.z, mu * slip, 1e-6);
    }
    cr_assert_gt(f.sim->info.residual.ncp.complementarity / (h * h), 1e3, "the exact law must see the lift");
    double highest = 0.0;
    for (int k = 2; k <= 240; ++k) {
        fixture_run(&f, 1);
        cr_assert_float_eq(f.sim->qvel[1] + mu * f.sim->qvel[2], 1.0 - mu * gravity * h * k, 1e-6);
        if (f.sim->qpos[2] > highest) highest = f.sim->qpos[2];
    }
    cr_assert_float_eq(highest - 0.104, 6.185e-3, 1e-5);
    // Afterwards the cube slides on a cushion of h mu |c_T| (T16).
    cr_assert_gt(f.sim->contact_count, 0);
    double slip = hypot(f.sim->contact[0].velocity.x, f.sim->contact[0].velocity.y);
    cr_assert_float_eq(f.sim->contact[0].gap, h * mu * slip, 1e-5);
    fixture_run(&f, 100);
    cr_assert_float_eq(f.sim->qpos[1], 0.126921, 1e-5);
    fixture_end(&f);
}

// A pyramid's friction points at a corner whenever both axes slip, so a cube that slides obliquely to the tangent axes drifts
// sideways (T4): lateral v0^2 sin a cos a (sin a - cos a) / (2 mu g), along v0^2 (cos^3 a + sin^3 a) / (2 mu g) - h v0 / 2.
Test(sliding_cube, lcp_drifts_when_the_axes_are_turned) {
    double mu = 0.4, h = 1e-3, angle = 22.5 * acos(-1.0) / 180.0;
    fixture f = cube("lcp-pgs", mu, angle, 1.0);
    fixture_run(&f, 400);
    double s = sin(angle), c = cos(angle);
    double lateral = s * c * (s - c) / (2.0 * mu * gravity);
    double along = (c * c * c + s * s * s) / (2.0 * mu * gravity) - 0.5 * h;
    cr_assert_float_eq(fabs(f.sim->qpos[0]), -lateral, 5e-5, "lateral %.6f", f.sim->qpos[0]);
    cr_assert_float_eq(fabs(f.sim->qpos[0]), 0.02438, 5e-5);
    cr_assert_float_eq(f.sim->qpos[1], along, 5e-5);
    fixture_end(&f);
    f = cube("lcp-pgs", mu, 0.0, 1.0);
    fixture_run(&f, 400);
    cr_assert_float_eq(f.sim->qpos[0], 0.0, 1e-6);
    cr_assert_float_eq(f.sim->qpos[1], 0.126921, 1e-5);
    fixture_end(&f);
}

// Circular cones do not care how the tangents lie (T25).
Test(sliding_cube, cone_solvers_do_not_care_about_the_axes) {
    static const char* const solver[] = {"ncp-pgs", "ccp-pgs"};
    for (int k = 0; k < 2; ++k) {
        fixture straight = cube(solver[k], 0.4, 0.0, 1.0);
        fixture turned = cube(solver[k], 0.4, 0.7, 1.0);
        for (int i = 0; i < 100; ++i) {
            fixture_run(&straight, 1);
            fixture_run(&turned, 1);
            for (int d = 0; d < 6; ++d) cr_assert_float_eq(straight.sim->qvel[d], turned.sim->qvel[d], 1e-6);
        }
        fixture_end(&straight);
        fixture_end(&turned);
    }
}

Test(sliding_cube, at_rest_the_feet_carry_the_weight) {
    static const char* const solver[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs"};
    for (int k = 0; k < 3; ++k) {
        fixture f = cube(solver[k], 0.4, 0.3, 0.0);
        fixture_run(&f, 20);
        ts_vec3 sum = ts_vec3_zero();
        for (int i = 0; i < f.sim->contact_count; ++i)
            sum = ts_vec3_add(sum, ts_mat3_mul_vec(&f.sim->contact[i].frame, f.sim->contact[i].impulse));
        sum = ts_vec3_scale(1e3, sum);
        // The normal points from the plane (A) to the foot (B) and the impulse acts on B: upwards.
        cr_assert_float_eq(sum.z, gravity, 1e-6);
        cr_assert_float_eq(sum.x, 0.0, 1e-6);
        cr_assert_float_eq(sum.y, 0.0, 1e-6);
        for (int d = 0; d < 6; ++d) cr_assert_float_eq(f.sim->qvel[d], 0.0, 1e-8);
        fixture_end(&f);
    }
}

// A steady pull below mu m g must not move the cube at all, however long it lasts.
Test(sliding_cube, stuck_does_not_creep) {
    fixture f = cube("ncp-pgs", 0.9, 0.2, 0.0);
    f.sim->wrench_applied[1].force = ts_vec3_make(0.0, 5.0, 0.0);
    fixture_run(&f, 100);
    double x = f.sim->qpos[0], y = f.sim->qpos[1], z = f.sim->qpos[2];
    fixture_run(&f, 20000);
    cr_assert_float_eq(f.sim->qpos[0], x, 1e-7);
    cr_assert_float_eq(f.sim->qpos[1], y, 1e-7);
    cr_assert_float_eq(f.sim->qpos[2], z, 1e-7);
    // The pull is at half height, so it tilts the load forwards (T11): rear feet 1.1525 N, front feet 3.7525 N each.
    for (int i = 0; i < 4; ++i) {
        int front = f.sim->contact[i].position.y > y;
        double pair = 0.0;
        for (int k = 0; k < 4; ++k)
            if ((f.sim->contact[k].position.y > y) == front) pair += f.sim->contact[k].impulse.z * 1e3;
        cr_assert_float_eq(pair, front ? 2.0 * 3.7525 : 2.0 * 1.1525, 1e-4);
    }
    fixture_end(&f);
}
