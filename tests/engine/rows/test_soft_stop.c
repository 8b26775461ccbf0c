// Limits and dry friction of joints and tendons as soft as the model says, and margins under every law: rest positions and creep
// against the documented spring law, worked out by hand for an impedance that does not depend on the violation.
#include "tests/engine/engine_fixture.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

// At impedance d everywhere, time constant T and damping ratio 1: a mass that gravity presses rests (1 - d) g T^2 beyond where the stop
// begins to act, and creeps with (1 - d) g T / 2 where dry friction holds it.
#define IMPEDANCE "0.8 0.8 0.01 0.5 2"
static const double lost = 0.2, gravity = 9.81;

static ts_sim* make(const char* contents, const char* solver, ts_model** out_model) {
    char text[2000];
    snprintf(text, sizeof text, "<mujoco><option timestep='0.001'/>%s</mujoco>", contents);
    *out_model = mjcf_read(text);
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_sim_create(*out_model, 1, &sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(sim, solver, &status), TS_OK, "%s", status.message);
    return sim;
}

static void run(ts_sim* sim, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
}

static void finish(ts_sim* sim, ts_model* model) {
    ts_sim_free(sim);
    ts_model_free(model);
}

static const char slide[] =
    "<worldbody><body><joint type='slide' axis='0 0 1' range='-0.1 1' limited='true' margin='0.05' "
    "solreflimit='0.1 1' solimplimit='" IMPEDANCE "'/><geom size='.1' mass='3'/></body></worldbody>";

static const char rope[] =
    "<worldbody><site name='top' pos='0 0 1'/><body><joint type='slide' axis='0 0 1'/><geom size='.1' mass='3'/>"
    "<site name='end'/></body></worldbody><tendon><spatial range='0 1.1' limited='true' margin='0.05' "
    "solreflimit='0.1 1' solimplimit='" IMPEDANCE "'><site site='top'/><site site='end'/></spatial></tendon>";

Test(soft_stop, soft_limits_give_as_much_as_they_say) {
    const char* const models[] = {slide, rope};
    for (int i = 0; i < 2; ++i) {
        ts_model* model;
        ts_sim* sim = make(models[i], "mujoco", &model);
        run(sim, 5000);
        cr_assert_float_eq(sim->qpos[0], -0.05 - lost * gravity * 0.01, 1e-9, "%d: %.12f", i, sim->qpos[0]);
        finish(sim, model);
    }
}

Test(soft_stop, hard_limits_keep_the_margin_and_do_not_give) {
    const char* const models[] = {slide, rope};
    for (int i = 0; i < 2; ++i) {
        ts_model* model;
        ts_sim* sim = make(models[i], "ncp", &model);
        run(sim, 5000);
        cr_assert_float_eq(sim->qpos[0], -0.05, 1e-8, "%d: %.12f", i, sim->qpos[0]);
        finish(sim, model);
    }
}

Test(soft_stop, soft_dry_friction_creeps_as_much_as_it_says) {
    static const char* const models[] = {
        "<worldbody><body><joint type='slide' axis='0 0 1' frictionloss='100' solreffriction='0.1 1' "
        "solimpfriction='" IMPEDANCE "'/><geom size='.1' mass='3'/></body></worldbody>",
        "<worldbody><site name='top' pos='0 0 1'/><body><joint type='slide' axis='0 0 1'/><geom size='.1' mass='3'/>"
        "<site name='end'/></body></worldbody><tendon><spatial frictionloss='100' solreffriction='0.1 1' "
        "solimpfriction='" IMPEDANCE "'><site site='top'/><site site='end'/></spatial></tendon>"};
    for (int i = 0; i < 2; ++i) {
        ts_model* model;
        ts_sim* sim = make(models[i], "mujoco", &model);
        run(sim, 2000);
        cr_assert_float_eq(sim->qvel[0], -lost * gravity * 0.1 / 2.0, 1e-9, "%d: %.12f", i, sim->qvel[0]);
        cr_assert_eq(ts_sim_set_solver(sim, "ncp", NULL), TS_OK);
        run(sim, 10);
        cr_assert_float_eq(sim->qvel[0], 0.0, 1e-9, "hard friction holds");
        finish(sim, model);
    }
}

// Margins add up and inflate the geoms, under every law; gaps only make contacts known earlier.
Test(soft_stop, margins_of_geoms_hold_bodies_apart) {
    static const char* const solvers[] = {"ncp", "ncp-pgs", "ccp-pgs", "lcp-pgs"};
    static const char* const models[] = {
        "<worldbody><geom type='plane' size='1 1 1' margin='0.02' gap='0.5'/><body pos='0 0 .2'><freejoint/>"
        "<geom size='.1' margin='0.01'/></body></worldbody>",
        "<worldbody><geom name='f' type='plane' size='1 1 1' margin='7'/><body pos='0 0 .2'><freejoint/>"
        "<geom name='g' size='.1'/></body></worldbody><contact><pair geom1='f' geom2='g' margin='0.03' "
        "gap='1'/></contact>",
        "<worldbody><geom type='plane' size='1 1 1' margin='0.03'/><body pos='0 0 .2'><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody>"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i)
        for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; ++k) {
            ts_model* model;
            ts_sim* sim = make(models[i], solvers[k], &model);
            run(sim, 2000);
            cr_assert_float_eq(sim->qpos[2], 0.13, 2e-5, "%zu %s: %.9f", i, solvers[k], sim->qpos[2]);
            finish(sim, model);
        }
}

// A ball of radius r at the end of a rod l: I = m (2/5 r^2 + l^2), k = I / (T z)^2, b = 2 I / T.
Test(soft_stop, springs_that_are_told_by_how_they_swing) {
    ts_model* m =
        mjcf_read("<mujoco><worldbody><body><joint springdamper='0.2 0.5' stiffness='7'/><geom size='.1' mass='2' "
                  "pos='.3 0 0'/></body></worldbody></mujoco>");
    double I = 2.0 * (0.4 * 0.01 + 0.09);
    cr_assert_float_eq(m->joint[0].spring, I / 0.01, 1e-12);
    cr_assert_float_eq(m->joint[0].damping, 10.0 * I, 1e-12);
    cr_assert_eq(m->dof[0].damping, m->joint[0].damping);
    ts_model_free(m);
}
