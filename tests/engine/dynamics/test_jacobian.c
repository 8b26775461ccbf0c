// Jacobians, their rates and the acceleration of constant velocities against differences of poses in long double.
#include "engine/dynamics/jacobian.h"
#include "engine/step/integrate_internal.h"
#include "tests/engine/dynamics/long_motion.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64 };

static long_room room;

// Kinematics of the fixture's state, without its simulation.
static ts_kinematics kinematics_of(const fixture* f, ts_arena* arena) {
    ts_kinematics k;
    cr_assert(ts_kinematics_create(f->model, arena, &k));
    ts_kinematics_update(f->model, f->sim->qpos, f->sim->qvel, &k);
    return k;
}

static void assert_near(ts_vec3 a, lvec b, double tolerance, const char* what) {
    double d[3] = {a.x - (double)b.x[0], a.y - (double)b.x[1], a.z - (double)b.x[2]};
    for (int i = 0; i < 3; ++i) cr_assert(fabs(d[i]) <= tolerance, "%s: off by %g", what, d[i]);
}

static ts_vec3 column(const double* J, int nv, int d) { return ts_vec3_make(J[d], J[nv + d], J[2 * nv + d]); }

Test(jacobian, columns_are_velocities_of_points) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_arena arena = {0};
        ts_kinematics k = kinematics_of(&f, &arena);
        int nv = f.model->nv;
        double linear[3 * most_dofs], angular[3 * most_dofs], unit[most_dofs];
        ts_vec3 point = ts_vec3_make(0.3, -0.2, 0.5);
        for (int d = 0; d < nv; ++d) {
            memset(unit, 0, sizeof unit);
            unit[d] = 1.0;
            long_differences(f.model, f.sim->qpos, unit, lvec_of(point), room.scratch, room.rates);
            for (int b = 0; b < f.model->body_count; ++b) {
                ts_jacobian_point(f.model, &k, b, ts_transform_point(&k.body_pose[b], point), linear, angular);
                assert_near(column(linear, nv, d), room.rates[b].velocity, 2e-13, "linear");
                assert_near(column(angular, nv, d), room.rates[b].turn, 2e-13, "angular");
            }
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

Test(jacobian, bias_is_the_acceleration_of_constant_velocities) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_arena arena = {0};
        ts_kinematics k = kinematics_of(&f, &arena);
        ts_vec3 point = ts_vec3_make(-0.1, 0.4, 0.2);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] *= 0.3;
        ts_kinematics_update(f.model, f.sim->qpos, f.sim->qvel, &k);
        long_differences(f.model, f.sim->qpos, f.sim->qvel, lvec_of(point), room.scratch, room.rates);
        for (int b = 0; b < f.model->body_count; ++b) {
            ts_motion bias = ts_jacobian_bias(f.model, &k, b, ts_transform_point(&k.body_pose[b], point));
            assert_near(bias.linear, room.rates[b].acceleration, 2e-11, "linear");
            assert_near(bias.angular, room.rates[b].turn_rate, 2e-11, "angular");
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

// dJ/dt by fourth-order differences of J along the motion, and times the velocity it is the bias.
Test(jacobian, rate_is_the_derivative) {
    static const double weight[5] = {1.0, -8.0, 0.0, 8.0, -1.0};
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_arena arena = {0};
        ts_kinematics now = kinematics_of(&f, &arena), then = kinematics_of(&f, &arena);
        int nv = f.model->nv;
        double h = 1e-3, J[6 * most_dofs], rate[6 * most_dofs], sum[6 * most_dofs], qpos[2 * most_dofs];
        ts_vec3 point = ts_vec3_make(0.2, 0.1, -0.3);
        for (int b = 0; b < f.model->body_count; ++b) {
            ts_vec3 at = ts_transform_point(&now.body_pose[b], point);
            ts_jacobian_rate(f.model, &now, b, at, rate, rate + 3 * nv);
            memset(sum, 0, sizeof sum);
            for (int i = 0; i < 5; ++i) {
                ts_integrate_position(f.model, f.sim->qpos, f.sim->qvel, (i - 2) * h, qpos);
                ts_kinematics_update(f.model, qpos, f.sim->qvel, &then);
                ts_jacobian_point(f.model, &then, b, ts_transform_point(&then.body_pose[b], point), J, J + 3 * nv);
                for (int e = 0; e < 6 * nv; ++e) sum[e] += weight[i] / (12.0 * h) * J[e];
            }
            for (int e = 0; e < 6 * nv; ++e)
                cr_assert_float_eq(rate[e], sum[e], 1e-9, "body %d: %g %g", b, rate[e], sum[e]);
            ts_motion bias = ts_jacobian_bias(f.model, &now, b, at);
            double bias_of[6];
            ts_vec3_store(bias.linear, bias_of);
            ts_vec3_store(bias.angular, bias_of + 3);
            for (int r = 0; r < 6; ++r) {
                double value = 0.0;
                for (int d = 0; d < nv; ++d) value += rate[r * nv + d] * f.sim->qvel[d];
                cr_assert_float_eq(value, bias_of[r], 1e-12);
            }
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

Test(jacobian, site_is_where_its_body_has_it) {
    ts_builder* builder = ts_builder_create("site");
    ts_rng rng = ts_rng_make(3, 0);
    int body = fixture_random_body(builder, &rng, 0);
    fixture_joint(builder, &rng, body, TS_JOINT_FREE);
    ts_pose pose = {ts_vec3_make(0.1, 0.2, 0.3), fixture_random_turn(&rng)};
    cr_assert(ts_builder_add_site(builder, "tip", body, pose, ts_shape_sphere(0.01), NULL, 0) >= 0);
    fixture f = fixture_start(builder, 1);
    f.sim->qpos[4] = 0.7;
    ts_arena arena = {0};
    ts_kinematics k = kinematics_of(&f, &arena);
    ts_transform placed = ts_kinematics_site(f.model, &k, 0);
    long_poses(f.model, f.sim->qpos, f.sim->qvel, 0, room.pose);
    lvec at = lvec_sum(room.pose[1].p, 1, lmat_apply(&room.pose[1].R, lvec_of(pose.position)));
    assert_near(placed.p, at, 1e-15, "site");
    ts_arena_free(&arena);
    fixture_end(&f);
}
