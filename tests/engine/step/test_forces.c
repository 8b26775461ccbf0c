// The forces of a step told apart: closed forms of each part, and their sum against Newton's law, under every integrator.
#include "engine/step/integrate/integrator.h"
#include "engine/step/step.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

enum { NV_MOST = 64 };

typedef struct parts {
    double acceleration[NV_MOST], applied[NV_MOST], actuator[NV_MOST], fluid[NV_MOST], constraint[NV_MOST],
        passive[NV_MOST];
} parts;

static parts find(ts_sim* sim) {
    parts p;
    ts_status status;
    ts_step_forces out = {p.acceleration, p.applied, p.actuator, p.fluid, p.constraint, p.passive};
    cr_assert_eq(ts_sim_foresee(sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_step_find_forces(sim, &out), TS_OK);
    return p;
}

static ts_sim* start(const char* text, ts_model** out_model) {
    ts_sim* sim = NULL;
    *out_model = mjcf_read(text);
    cr_assert_eq(ts_sim_create(*out_model, 1, &sim, NULL), TS_OK);
    cr_assert_leq((*out_model)->nv, NV_MOST);
    return sim;
}

// A cart of 2 kg with a spring, a damper, a motor and dry friction: each as it acts at the end of the step.
Test(forces, of_a_cart) {
    ts_model* model;
    ts_sim* sim =
        start("<mujoco><option timestep='0.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0' "
              "stiffness='50' springref='0.1' damping='3' frictionloss='4'/><geom size='0.1' mass='2'/></body>"
              "</worldbody><actuator><motor joint='x' gear='2'/></actuator></mujoco>",
              &model);
    double h = 0.01, q = 0.4, v = 0.7, m = 2.0, K = 50.0, D = 3.0;
    sim->qpos[0] = q;
    sim->qvel[0] = v;
    sim->ctrl[0] = 1.5;
    sim->force_applied[0] = 0.25;
    sim->wrench_applied[1].force.x = 0.5;
    parts p = find(sim);
    // m (v+ - v) = h (0.75 + 3 - 4 - K (q + h v+ - 0.1) - D v+)
    double end = (m * v + h * (0.75 + 3.0 - 4.0 - K * (q - 0.1))) / (m + h * D + h * h * K);
    cr_expect_float_eq(p.acceleration[0], (end - v) / h, 1e-9);
    cr_expect_float_eq(p.applied[0], 0.75, 1e-14);
    cr_expect_float_eq(p.actuator[0], 3.0, 1e-14);
    cr_expect_float_eq(p.constraint[0], -4.0, 1e-9);
    cr_expect_float_eq(p.passive[0], -K * (q + h * end - 0.1) - D * end, 1e-9);
    cr_expect_eq(p.fluid[0], 0.0);
    cr_expect_eq(sim->time, 0.0);
    ts_sim_free(sim);
    ts_model_free(model);
}

// A servo that cannot pull as hard as it would is a row, and its actuator's all the same.
Test(forces, a_servo_at_its_limit_is_no_constraint) {
    ts_model* model;
    ts_sim* sim =
        start("<mujoco><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/>"
              "</body></worldbody><actuator><position joint='x' kp='1000' kv='10' forcerange='-6 6'/>"
              "</actuator></mujoco>",
              &model);
    sim->ctrl[0] = 1.0;
    parts p = find(sim);
    cr_expect_float_eq(p.actuator[0], 6.0, 1e-9);
    cr_expect_float_eq(p.constraint[0], 0.0, 1e-9);
    cr_expect_float_eq(p.passive[0], 0.0, 1e-9);
    cr_expect_float_eq(p.acceleration[0], 3.0, 1e-9);
    ts_sim_free(sim);
    ts_model_free(model);
}

// What rests is carried by its contacts; a pendulum that rests on its stop, by that.
Test(forces, constraints_carry_what_rests) {
    ts_model* model;
    ts_status status;
    ts_sim* sim =
        start("<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 "
              "0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='3'/></body><body pos='5 0 2'><joint "
              "axis='0 1 0' range='-1 0.5'/><geom size='0.1' pos='1 0 0' mass='2'/></body></worldbody></mujoco>",
              &model);
    for (int i = 0; i < 1500; ++i) cr_assert_eq(ts_sim_step(sim, &status), TS_OK);
    parts p = find(sim);
    for (int d = 0; d < 6; ++d) cr_expect_float_eq(p.constraint[d], d == 2 ? 3.0 * 9.81 : 0.0, 1e-4, "%d", d);
    cr_expect_float_eq(sim->qpos[7], 0.5, 1e-6);
    cr_expect_float_eq(p.constraint[6], -2.0 * 9.81 * cos(0.5), 1e-4);
    ts_sim_free(sim);
    ts_model_free(model);
}

// A lone body that nothing drives has no numbers for what drives it, and none for a medium before there is one.
Test(forces, of_a_lone_body_are_nothing_before_there_is_a_medium) {
    ts_model* model;
    ts_sim* sim =
        start("<mujoco><worldbody><body><freejoint/><geom size='0.1' mass='3'/></body></worldbody></mujoco>", &model);
    sim->qvel[0] = 2.0;
    parts p = find(sim);
    cr_expect(!sim->force_actuator && !sim->force_fluid);
    for (int d = 0; d < 6; ++d) cr_expect(p.actuator[d] == 0.0 && p.fluid[d] == 0.0, "%d", d);
    cr_assert_eq(ts_sim_set(sim, "density", "1000", NULL), TS_OK);
    p = find(sim);
    cr_assert_not_null(sim->force_fluid);
    for (int d = 0; d < 6; ++d) cr_expect_eq(p.actuator[d], 0.0, "%d", d);
    cr_expect_lt(p.fluid[0], -1.0);
    ts_sim_free(sim);
    ts_model_free(model);
}

// Of a tree that falls on the floor with all there is: the parts add up to M a + b, M and b from a simulation that takes nothing ahead.
Test(forces, add_up_to_newtons_law) {
    static const char text[] =
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/><site name='p' pos='0 0 "
        "1'/><body "
        "pos='0 0 0.1'><joint name='a' axis='0 1 0' damping='0.4' stiffness='3' frictionloss='0.2'/><geom "
        "type='capsule' "
        "fromto='0 0 0 0.4 0 0' size='0.05' mass='1'/><body pos='0.4 0 0'><joint type='ball' damping='0.1'/><geom "
        "type='capsule' fromto='0.1 0 0 0.4 0 0' size='0.05' mass='1'/><site name='s' pos='0.4 0 0'/></body></body>"
        "</worldbody><tendon><spatial name='t' stiffness='2' damping='1' springlength='0.3'><site site='p'/><site "
        "site='s'/></spatial></tendon><actuator><position joint='a' kp='20' kv='1'/><motor "
        "tendon='t'/></actuator></mujoco>";
    for (int k = 0; k < ts_integrator_count(); ++k) {
        ts_model *model, *twin;
        ts_status status;
        ts_sim *sim = start(text, &model), *plain = start(text, &twin);
        int touched = 0;
        cr_assert_eq(ts_sim_set_integrator(sim, ts_integrator_at(k)->name, &status), TS_OK);
        cr_assert_eq(ts_sim_set_integrator(plain, "rk4", &status), TS_OK);
        sim->ctrl[0] = 0.3;
        sim->ctrl[1] = -1.0;
        for (int i = 0; i < 150; ++i) {
            parts p = find(sim);
            memcpy(plain->qpos, sim->qpos, (size_t)model->nq * sizeof(double));
            memcpy(plain->qvel, sim->qvel, (size_t)model->nv * sizeof(double));
            cr_assert_eq(ts_sim_forward(plain, &status), TS_OK);
            for (int d = 0; d < model->nv; ++d) {
                double newton = plain->bias[d],
                       sum = p.applied[d] + p.actuator[d] + p.fluid[d] + p.constraint[d] + p.passive[d];
                for (int e = 0; e < model->nv; ++e) newton += plain->mass_matrix[d * model->nv + e] * p.acceleration[e];
                cr_expect_float_eq(sum, newton, 1e-8 * (1.0 + fabs(newton)), "%s, step %d, %d",
                                   ts_integrator_at(k)->name, i, d);
            }
            touched += sim->contact_count > 0;
            cr_assert_eq(ts_sim_step(sim, &status), TS_OK);
        }
        cr_expect_gt(touched, 20, "%d", touched);
        ts_sim_free(sim);
        ts_sim_free(plain);
        ts_model_free(model);
        ts_model_free(twin);
    }
}
