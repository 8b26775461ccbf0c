// Blocks of mass matrices that lone bodies share: whose they are, what stands in them, and when they part.
#include "engine/derivative/step_derivative.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { BODIES = 12, NUMBERS = 36 };

// Boxes of two kinds in turns, one of a third kind, one whose frame is not in its centre of mass, and a pendulum.
static ts_builder* boxes(void) {
    ts_builder* builder = ts_builder_create("boxes");
    for (int i = 0; i < BODIES; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(i, 0.0, 0.0), -1.0, ts_mat3_zero());
        double half = i == 5 ? 0.3 : i % 2 ? 0.2 : 0.1;
        ts_vec3 at = i == 7 ? ts_vec3_make(0.05, 0.0, 0.02) : ts_vec3_zero();
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(half, 0.1, 0.15)), at, 0.5);
    }
    ts_body_def def = ts_body_def_default();
    def.pose.position.y = 3.0;
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &def);
    cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
    fixture_geom(builder, joint.body, ts_shape_sphere(0.1), ts_vec3_make(0.4, 0.0, 0.0), 0.5);
    return builder;
}

static void throw_them(ts_sim* sim) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int d = 0; d < sim->model->nv; ++d) sim->qvel[d] = ts_rng_uniform_in(&rng, -3.0, 3.0);
}

// Every block against the composite bodies' of its tree, bit for bit, and the factor that follows; -0 is 0.
static void expect_right(const fixture* f, const char* what) {
    for (int t = 0; t < f->sim->model->tree_count; ++t) {
        int n = f->model->tree[t].dof_count;
        double M[NUMBERS], L[NUMBERS], inverse[6];
        const double *held = f->sim->mass_matrix + f->sim->mass_start[t],
                     *factor = f->sim->mass_factor + f->sim->mass_start[t];
        ts_crba_tree(f->sim->model, &f->sim->kinematics, t, &ts_sim_storage_of(f->sim)->tree_scratch, M);
        memset(L, 0, sizeof L);
        cr_assert(ts_tree_factor_make(f->sim->model, t, M, L, inverse));
        for (int i = 0; i < n * n; ++i) {
            cr_assert_eq(held[i], M[i], "%s: M of tree %d, entry %d: %g, %g", what, t, i, held[i], M[i]);
            cr_assert_eq(factor[i], L[i], "%s: L of tree %d, entry %d: %g, %g", what, t, i, factor[i], L[i]);
        }
        for (int i = 0; i < n; ++i)
            cr_assert_eq(ts_sim_inverse_diagonal(f->sim, t)[i], inverse[i], "%s: tree %d", what, t);
    }
}

Test(mass_matrices, bodies_that_are_alike_share_one) {
    fixture f = fixture_start(boxes(), 1);
    const int* start = f.sim->mass_start;
    for (int a = 0; a < BODIES; ++a)
        for (int b = 0; b < a; ++b) {
            int odd = a == 5 || a == 7 || b == 5 || b == 7;
            cr_expect_eq(start[a] == start[b], !odd && a % 2 == b % 2, "bodies %d and %d", a, b);
            cr_expect_eq(ts_sim_inverse_diagonal(f.sim, a) == ts_sim_inverse_diagonal(f.sim, b), start[a] == start[b]);
        }
    cr_expect_eq(start[f.model->tree_count], 4 * NUMBERS + 1, "two kinds, two odd ones, a pendulum");
    fixture_end(&f);
}

Test(mass_matrices, stand_in_them_whatever_the_integrator) {
    static const char* const integrators[] = {"midpoint", "rk4", "euler", "implicitfast", "midpoint"};
    for (int workers = 1; workers <= 4; workers *= 2) {
        fixture f = fixture_start(boxes(), workers);
        throw_them(f.sim);
        for (int i = 0; i < 5; ++i) {
            cr_assert_eq(ts_sim_set_integrator(f.sim, integrators[i], NULL), TS_OK);
            fixture_run(&f, 3);
            ts_status status;
            cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
            expect_right(&f, integrators[i]);
        }
        fixture_end(&f);
    }
}

// What may pull ahead would change one and with it all.
Test(mass_matrices, are_each_tree_s_own_where_something_pulls) {
    ts_builder* builder = boxes();
    ts_actuator_def motor = ts_actuator_def_default();
    motor.is.target = BODIES;  // the pendulum's joint
    cr_assert_geq(ts_builder_add_actuator(builder, &motor), 0);
    fixture f = fixture_start(builder, 1);
    cr_expect_eq(f.sim->mass_start[f.model->tree_count], BODIES * NUMBERS + 1);
    throw_them(f.sim);
    fixture_run(&f, 3);
    cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
    expect_right(&f, "pulled");
    fixture_end(&f);
}

// One body's mass is the simulation's to change, and no other's with it.
Test(mass_matrices, part_when_a_mass_is_changed) {
    fixture f = fixture_start(boxes(), 1);
    throw_them(f.sim);
    fixture_run(&f, 3);
    double inverse[BODIES][6];
    for (int t = 0; t < BODIES; ++t) memcpy(inverse[t], ts_sim_inverse_diagonal(f.sim, t), sizeof inverse[t]);
    cr_assert(ts_step_input_move(f.sim, TS_STEP_BY_MASS, 3, 0.25));
    for (int t = 0; t < BODIES; ++t) cr_expect_arr_eq(ts_sim_inverse_diagonal(f.sim, t), inverse[t], sizeof inverse[t]);
    cr_expect_eq(f.sim->mass_start[f.model->tree_count], BODIES * NUMBERS + 1);
    cr_expect_gt(f.sim->mass_matrix[f.sim->mass_start[0]], 0.0, "what was known is still there");
    fixture_run(&f, 3);
    cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
    expect_right(&f, "heavier");
    cr_expect_float_eq(f.sim->mass_matrix[f.sim->mass_start[2]] - f.sim->mass_matrix[f.sim->mass_start[0]], 0.25,
                       1e-12);
    fixture_end(&f);
}
