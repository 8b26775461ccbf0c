// Muscles, cranks and suction against closed forms and differences.
#include "tests/engine/engine_fixture.h"

#include "engine/actuation/muscle_internal.h"
#include "engine/read/mjcf/mjcf.h"

static fixture read_text(const char* text) {
    fixture f = {NULL, NULL};
    ts_status status;
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &f.model, &status);
    cr_assert_eq(code, TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    return f;
}

static const ts_muscle muscle = {{0.5, 1.5}, 100.0, 1.0, 0.4, 1.8, 2.0, 1.2, 1.3};

// At the knots of the three curves; the transmission is as long as the muscle.
Test(muscle, knots) {
    const double range[2] = {0.5, 1.5};
    const double at[][3] = {{0.4, 0.0, 0.0},  {0.7, 0.0, 50.0},  {1.0, 0.0, 100.0}, {1.4, 0.0, 50.0},  {1.8, 0.0, 0.0},
                            {1.0, -2.0, 0.0}, {1.0, -1.0, 25.0}, {1.0, 0.6, 130.0}, {1.0, 9.0, 130.0}, {2.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        double law[3];
        ts_muscle_pull(&muscle, range, at[i][0], at[i][1], law);
        cr_expect_float_eq(-law[0], at[i][2], 1e-12, "%zu: %g", i, law[0]);
    }
    const double rest[][2] = {{0.9, 0.0}, {1.0, 0.0}, {1.2, 15.0}, {1.4, 60.0}, {1.8, 180.0}};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; ++i) {
        double law[3];
        ts_muscle_stretch(&muscle, range, rest[i][0], law);
        cr_expect_float_eq(-law[0], rest[i][1], 1e-12, "%zu: %g", i, law[0]);
    }
}

Test(muscle, slopes_are_those_of_differences) {
    const double range[2] = {0.2, 0.7}, step = 1e-6;
    for (double l = 0.05; l < 1.1; l += 0.0173)
        for (double v = -1.7; v < 1.0; v += 0.093) {
            double here[3], less[3], more[3];
            ts_muscle_pull(&muscle, range, l, v, here);
            ts_muscle_pull(&muscle, range, l - step, v, less);
            ts_muscle_pull(&muscle, range, l + step, v, more);
            cr_assert_float_eq((more[0] - less[0]) / (2.0 * step), here[1], 2e-2, "length %g rate %g", l, v);
            ts_muscle_pull(&muscle, range, l, v - step, less);
            ts_muscle_pull(&muscle, range, l, v + step, more);
            cr_assert_float_eq((more[0] - less[0]) / (2.0 * step), here[2], 2e-2, "length %g rate %g", l, v);
            ts_muscle_stretch(&muscle, range, l, here);
            ts_muscle_stretch(&muscle, range, l - step, less);
            ts_muscle_stretch(&muscle, range, l + step, more);
            cr_assert_float_eq((more[0] - less[0]) / (2.0 * step), here[1], 2e-2, "rest %g", l);
        }
}

// With one time constant rising is 1/2 + 3/2 w times as slow, falling as fast; half way between over a width both have the same share.
Test(muscle, activation) {
    const double constant[2] = {0.02, 0.05};
    cr_expect_float_eq(ts_muscle_activation_rate(constant, 0.0, 1.0, 0.2), 0.8 / (0.02 * 0.8), 1e-12);
    cr_expect_float_eq(ts_muscle_activation_rate(constant, 0.0, 0.0, 0.2), -0.2 / (0.05 / 0.8), 1e-12);
    cr_expect_float_eq(ts_muscle_activation_rate(constant, 0.0, 7.0, 0.2), 0.8 / (0.02 * 0.8), 1e-12);
    double just = 1e-9, both = 0.5 * (0.02 * 0.8 + 0.05 / 0.8);
    cr_expect_float_eq(ts_muscle_activation_rate(constant, 0.4, 0.2 + just, 0.2), just / both, 1e-6 * just / both);
}

// The slider is a rod's length from the pin, on its axis; the moment is the derivative of that.
Test(muscle, a_crank_moves_its_slider) {
    fixture f = read_text("<mujoco><option gravity='0 0 0'/><worldbody><site name='rail' pos='0.7 0.1 0' euler='0 -90 "
                          "0'/><body><joint axis='0 0 1'/>"
                          "<geom type='box' size='0.2 0.05 0.05'/><site name='pin' pos='0.2 0 0'/></body></worldbody>"
                          "<actuator><motor cranksite='pin' slidersite='rail' cranklength='0.4'/></actuator></mujoco>");
    for (double angle = -3.0; angle < 3.0; angle += 0.21) {
        double length[3], rate = 0.0;
        for (int k = 0; k < 3; ++k) {
            f.sim->qpos[0] = angle + (k == 1 ? -1e-6 : k == 2 ? 1e-6 : 0.0);
            f.sim->qvel[0] = 1.0;
            cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
            length[k] = f.sim->actuator_length[0];
            if (k == 0) rate = f.sim->actuator_velocity[0];
        }
        // The rail's axis is -x.
        double rod = hypot(0.7 - length[0] - 0.2 * cos(angle), 0.1 - 0.2 * sin(angle));
        cr_assert_float_eq(rod, 0.4, 1e-12, "angle %g: %g", angle, rod);
        cr_assert_float_eq((length[2] - length[1]) / 2e-6, rate, 1e-8, "angle %g", angle);
    }
    fixture_end(&f);
}

// A box of 5 N under a ceiling: held by 20 N, which press it with 15 N; not by 4 N.
Test(muscle, suction_holds_a_box) {
    for (int hold = 0; hold < 2; ++hold) {
        fixture f = read_text(
            "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='box' size='0.3 0.3 0.05' pos='0 0 1'/>"
            "<body name='b' pos='0 0 0.9'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.5'/></body>"
            "</worldbody><actuator><adhesion body='b' gain='20' ctrlrange='0 1'/></actuator></mujoco>");
        f.sim->ctrl[0] = hold ? 1.0 : 0.2;
        fixture_run(&f, 500);
        double pressed = 0.0, impulse = 15.0 * f.sim->options.time_step;
        for (int c = 0; c < f.sim->contact_count; ++c) pressed += f.sim->contact[c].impulse.z;
        cr_expect(hold ? fabs(f.sim->qpos[2] - 0.9) < 1e-4 : f.sim->qpos[2] < 0.0, "%g", f.sim->qpos[2]);
        if (hold) cr_expect_float_eq(pressed, impulse, 1e-6 * impulse, "%g", pressed);
        fixture_end(&f);
    }
}

// Lengths that a joint's limits leave, and none where it has none.
Test(muscle, length_ranges_are_found) {
    fixture f =
        read_text("<mujoco><worldbody><body><joint name='j' axis='0 1 0' limited='true' range='-40 70' stiffness='3'/>"
                  "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02'/></body></worldbody>"
                  "<actuator><muscle joint='j' gear='2' force='10'/></actuator></mujoco>");
    const double* range = f.model->actuator[0].length_range;
    const double degree = acos(-1.0) / 180.0;
    cr_expect_float_eq(range[0], -80.0 * degree, 1e-4, "%g", range[0]);
    cr_expect_float_eq(range[1], 140.0 * degree, 1e-4, "%g", range[1]);
    fixture_end(&f);
    const char text[] = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>"
                        "<actuator><muscle joint='j'/></actuator></mujoco>";
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &model, &status), TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, "lengthrange"), "%s", status.message);
}
