// The table of integrators: by what names they are had, and what each promises about motion.
#include "tests/engine/engine_fixture.h"

#include "base/scalar.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/rnea.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/step.h"
#include "tests/engine/read/mjcf_sample.h"

static ts_builder* one_box(void) {
    ts_builder* builder = ts_builder_create("box");
    fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_diagonal(ts_vec3_make(0.1, 0.2, 0.3)));
    return builder;
}

Test(integrators, are_chosen_by_name) {
    fixture f = fixture_start(one_box(), 1);
    ts_status status;
    cr_assert_str_eq(f.sim->integrator->name, ts_integrator_at(0)->name);
    for (int i = 0; i < ts_integrator_count(); ++i) {
        cr_assert_eq(ts_sim_set(f.sim, "integrator", ts_integrator_at(i)->name, &status), TS_OK);
        cr_assert_eq(f.sim->integrator, ts_integrator_at(i));
    }
    cr_assert_eq(ts_sim_set(f.sim, "integrator", "EULER", &status), TS_OK);
    cr_assert_str_eq(f.sim->options.integrator, "euler");
    cr_assert_eq(ts_sim_set(f.sim, "integrator", "leapfrog", &status), TS_ERROR_VALUE);
    cr_assert_not_null(strstr(status.message, "midpoint, euler"), "%s", status.message);
    cr_assert_str_eq(f.sim->integrator->name, "euler");
    fixture_end(&f);
}

Test(integrators, of_a_file_are_taken) {
    static const char* const name[] = {"Euler", "RK4", "implicit", "implicitfast", "discrete"};
    for (int i = 0; i < 5; ++i) {
        char text[200];
        snprintf(text, sizeof text,
                 "<mujoco><option integrator='%s'/><worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
                 "</mujoco>",
                 name[i]);
        fixture f = {mjcf_read(text), NULL};
        ts_status status;
        cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
        cr_assert_eq(f.sim->integrator, ts_integrator_find(name[i]));
        fixture_run(&f, 3);
        fixture_end(&f);
    }
}

Test(integrators, an_unknown_name_makes_no_simulation) {
    ts_builder* builder = one_box();
    memcpy(ts_builder_options(builder)->integrator, "leapfrog", sizeof "leapfrog");
    ts_model* model = NULL;
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_OK);
    cr_assert_eq(ts_sim_create(model, 1, &sim, &status), TS_ERROR_VALUE);
    cr_assert_not_null(strstr(status.message, "leapfrog"), "%s", status.message);
    ts_model_free(model);
}

// Three bodies on ball joints that float and spin: no force, so energy and momentum are those of the start.
static fixture spinning_chain(const char* integrator, double spin) {
    ts_builder* builder = ts_builder_create("chain");
    ts_rng rng = ts_rng_make(12, 0);
    ts_builder_options(builder)->time_step = 1e-3;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    for (int i = 0; i < 3; ++i) {
        ts_body_def def = ts_body_def_default();
        def.parent = i;
        def.pose.position = ts_vec3_make(0.3, 0.0, 0.0);
        def.mass = 1.0;
        def.inertia = ts_mat3_diagonal(ts_vec3_make(0.004, 0.012, 0.014));
        ts_joint_def joint = ts_joint_def_default();
        joint.body = ts_builder_add_body(builder, &def);
        joint.type = i == 0 ? TS_JOINT_FREE : TS_JOINT_BALL;
        if (i > 0) joint.anchor = ts_vec3_make(-0.15, 0.0, 0.0);
        ts_builder_add_joint(builder, &joint);
    }
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "integrator", integrator, &status), TS_OK);
    for (int d = 3; d < f.model->nv; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -spin, spin);
    return f;
}

static double energy_after(const char* integrator, double spin, int steps) {
    fixture f = spinning_chain(integrator, spin);
    double before = ts_sim_energy(f.sim).kinetic;
    fixture_run(&f, steps);
    double ratio = ts_sim_energy(f.sim).kinetic / before;
    cr_assert_eq(f.sim->info.unsolved_rotations, 0);
    fixture_end(&f);
    return ratio;
}

Test(integrators, a_spinning_tree_keeps_its_energy) {
    double now = energy_after("midpoint", 10.0, 5000);
    cr_assert_float_eq(now, 1.0, 0.02, "%g", now);
}

// Several turns in a step: no round of the fixed point helps, and the step says so and goes on.
Test(integrators, a_tree_too_fast_for_the_step_is_counted) {
    fixture f = spinning_chain("midpoint", 5e3);
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->info.unsolved_rotations, 1);
    fixture_end(&f);
}

// What is left of M (v+ - v) / h + b((v + v+) / 2) = 0 after a step of the chain that falls, by M (v+ - v) / h, both by the energy that
// they would give.
static double left_of_the_equation(const char* integrator, double spin, int* out_rounds) {
    fixture f = spinning_chain(integrator, spin);
    f.sim->options.time_step = 5e-3;
    f.sim->options.gravity = ts_vec3_make(0.0, 0.0, -9.81);
    cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
    int n = f.model->nv;
    double middle[12], a[12], left[12];
    cr_assert_eq(n, 12);
    for (int d = 0; d < n; ++d) {
        a[d] = (f.sim->free_velocity[d] - f.sim->qvel[d]) / f.sim->options.time_step;
        middle[d] = 0.5 * (f.sim->free_velocity[d] + f.sim->qvel[d]);
    }
    ts_kinematics_update(f.model, f.sim->qpos, middle, &f.sim->kinematics);
    ts_rnea_forces(f.model, &f.sim->kinematics, f.sim->options.gravity, a, &ts_sim_storage_of(f.sim)->tree_scratch,
                   left);
    ts_dynamics_whiten(f.sim, 0, 1, left);
    double all = 0.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) all += a[i] * f.sim->mass_matrix[i * n + j] * a[j];
    *out_rounds = ts_midpoint_rounds(f.sim, 0);
    fixture_end(&f);
    return sqrt(ts_dot(left, left, n) / all);
}

Test(integrators, midpoint_meets_the_equation_of_the_step_in_trees) {
    static const double spin[] = {0.3, 1.0, 5.0, 20.0};
    int most = 0, none, rounds;
    for (int i = 0; i < 4; ++i) {
        double left = left_of_the_equation("midpoint", spin[i], &rounds);
        cr_assert_lt(left, 1e-4, "%g rad/s: %g after %d rounds", spin[i], left, rounds);
        cr_assert_geq(rounds, most);
        most = rounds;
    }
    // No more rounds than the fastest spin can need, and more than one of them.
    cr_assert(most >= 2 && most <= 6, "%d", most);
    double without = left_of_the_equation("euler", 20.0, &none);
    cr_assert_gt(without, 1e-2, "%g", without);
}
