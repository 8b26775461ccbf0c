// Servos far stiffer than a step could follow stay stable, and their force limits are boxes that hold exactly.
//
// A chain of three links of 50 g and 0.1 m under servos of kp = 1e5 N m/rad, which would swing a link at a thousand times a step of 5 ms
// could follow. What it must come to is statics: the servo gives way by the torque of gravity over kp.
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINKS = 3 };

static const double kp = 1e5, mass = 0.05, length = 0.1, gravity = 9.81;  // N m/rad, kg, m, m/s^2
static const double most = 5.0;                                           // N m

typedef struct chain {
    ts_model* model;
    ts_sim* sim;
} chain;

static chain make_chain(double kv) {
    chain c = {0};
    char text[2048];
    ts_status status;
    int n = snprintf(
        text, sizeof text,
        "<mujoco><option timestep='0.005'/><compiler angle='radian'/><default><geom type='capsule' size='0.01' "
        "fromto='0 0 0 0.1 0 0' mass='%g' contype='0' conaffinity='0'/><joint axis='0 1 0'/>"
        "<position kp='%g' kv='%g' forcerange='%g %g'/></default><worldbody>"
        "<body><joint name='a'/><geom/><body pos='0.1 0 0'><joint name='b'/><geom/><body pos='0.1 0 0'>"
        "<joint name='c'/><geom/></body></body></body></worldbody><actuator><position joint='a'/>"
        "<position joint='b'/><position joint='c'/></actuator></mujoco>",
        mass, kp, kv, -most, most);
    cr_assert_eq(ts_mjcf_parse(text, (unsigned long)n, "chain", NULL, NULL, &c.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(c.model, 1, &c.sim, &status), TS_OK, "%s", status.message);
    return c;
}

static void free_chain(chain* c) {
    ts_sim_free(c->sim);
    ts_model_free(c->model);
}

// Runs; returns the largest torque, and in *out_speed the largest speed of the last tenth.
static double run(chain* c, int steps, double* out_speed) {
    double largest = 0.0;
    ts_status status;
    *out_speed = 0.0;
    for (int i = 0; i < steps; ++i) {
        cr_assert_eq(ts_sim_step(c->sim, &status), TS_OK, "step %d: %s", i, status.message);
        cr_assert_eq(c->sim->info.solve.status, TS_SOLVE_CONVERGED, "step %d: %d unmet %g rows %d solver %s", i,
                     c->sim->info.solve.status, c->sim->info.unmet, c->sim->info.row_count, c->sim->solver->name);
        for (int k = 0; k < LINKS; ++k) {
            largest = fmax(largest, fabs(c->sim->actuator_force[k]));
            if (i >= steps - steps / 10) *out_speed = fmax(*out_speed, fabs(c->sim->qvel[k]));
        }
    }
    return largest;
}

Test(stiff_servos, come_to_rest_where_statics_says) {
    // Damping of a thousandth second over kp, and none at all.
    const double kv[] = {100.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        chain c = make_chain(kv[k]);
        double speed, target[LINKS] = {0.3, -0.2, 0.4}, angle = 0.0, torque = 0.0;
        memcpy(c.sim->ctrl, target, sizeof target);
        run(&c, 400, &speed);
        cr_expect_lt(speed, 1e-6, "kv %g", kv[k]);
        // From the tip: about y, what hangs out along x pulls with m g x.
        double centre[LINKS], joint[LINKS], x = 0.0;
        for (int i = 0; i < LINKS; ++i) {
            angle += target[i];
            joint[i] = x;
            centre[i] = x + 0.5 * length * cos(angle);
            x += length * cos(angle);
        }
        for (int i = 0; i < LINKS; ++i) {
            torque = 0.0;
            for (int j = i; j < LINKS; ++j) torque += mass * gravity * (centre[j] - joint[i]);
            cr_expect_float_eq(c.sim->qpos[i] - target[i], torque / kp, 1e-3 * torque / kp, "joint %d, kv %g: %g", i,
                               kv[k], c.sim->qpos[i] - target[i]);
        }
        free_chain(&c);
    }
}

// A jump of a radian asks for 1e5 N m: the torque is at its limit, to the last digit, until the target is near.
Test(stiff_servos, reach_their_limits_and_no_more) {
    chain c = make_chain(100.0);
    double speed;
    c.sim->ctrl[0] = 1.0;
    double first = run(&c, 1, &speed);
    cr_expect_float_eq(first, most, 1e-9 * most, "%.17g", first);
    double largest = run(&c, 600, &speed);
    cr_expect_leq(largest, most * (1.0 + 1e-9), "%.17g", largest);
    cr_expect_lt(speed, 1e-6);
    cr_expect_float_eq(c.sim->qpos[0], 1.0, 1e-5);
    free_chain(&c);
}
