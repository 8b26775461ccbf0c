// Springs and dampers that are not linear: rest under a weight, energy, and a lone damper against its closed form.
#include "tests/engine/engine_fixture.h"

#include "engine/read/mjcf/mjcf.h"

static fixture read_text(const char* text) {
    fixture f = {NULL, NULL};
    ts_status status;
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &f.model, &status);
    cr_assert_eq(code, TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    return f;
}

// 20 N hang on -(30 x + 50 x^2 + 400 x^3), of a joint or of a tendon twice as long.
Test(curve, a_weight_rests_where_the_cubic_says) {
    const char* springs[] = {"<joint name='j' type='slide' axis='0 0 -1' damping='9' %s/>",
                             "<joint name='j' type='slide' axis='0 0 -1' damping='9'/>"};
    for (int tendon = 0; tendon < 2; ++tendon) {
        char joint[200], text[900];
        snprintf(joint, sizeof joint, springs[tendon], "stiffness='30 50 400'");
        snprintf(
            text, sizeof text,
            "<mujoco><option gravity='0 0 -10'/><worldbody><body>%s<geom size='0.1' "
            "mass='2'/></body></worldbody>%s</mujoco>",
            joint,
            tendon
                ? "<tendon><fixed stiffness='7.5 6.25 25' springlength='0'><joint joint='j' coef='2'/></fixed></tendon>"
                : "");
        fixture f = read_text(text);
        fixture_run(&f, 5000);
        double x = f.sim->qpos[0];
        cr_expect_float_eq(30.0 * x + 50.0 * x * x + 400.0 * x * x * x, 20.0, 1e-6, "tendon %d: x = %g", tendon, x);
        fixture_end(&f);
    }
}

// Of a spring that pulls as x^2 and x^3; a step of 1e-3 is fine enough for rounding's sake.
Test(curve, energy_of_free_motion) {
    fixture f =
        read_text("<mujoco><option gravity='0 0 0' integrator='RK4' timestep='0.001'/><worldbody><body>"
                  "<joint type='slide' stiffness='5 20 300'/><geom size='0.1' mass='2'/></body></worldbody></mujoco>");
    f.sim->qpos[0] = 0.3;
    ts_energy start = ts_sim_energy(f.sim);
    double whole = 0.5 * 5.0 * 0.09 + 20.0 / 3.0 * 0.027 + 75.0 * 0.0081;
    cr_assert_float_eq(start.potential, whole, 1e-14);
    fixture_run(&f, 2000);
    ts_energy end = ts_sim_energy(f.sim);
    cr_expect_float_eq(end.potential + end.kinetic, whole, 1e-9 * whole, "%g", end.potential + end.kinetic - whole);
    fixture_end(&f);
}

// m v' = -b v |v|: v = v0 / (1 + b v0 t / m).
Test(curve, quadratic_damping) {
    fixture f = read_text(
        "<mujoco><option gravity='0 0 0' integrator='RK4'/><worldbody><body><joint type='slide' damping='0 3'/>"
        "<geom size='0.1' mass='2'/></body></worldbody></mujoco>");
    f.sim->qvel[0] = -4.0;
    fixture_run(&f, 500);
    cr_expect_float_eq(f.sim->qvel[0], -4.0 / (1.0 + 3.0 * 4.0 * 1.0 / 2.0), 1e-9, "%g", f.sim->qvel[0]);
    fixture_end(&f);
}

// However steep, a damper taken ahead only slows.
Test(curve, steep_dampers_do_not_bound_the_step) {
    fixture f = read_text(
        "<mujoco><option gravity='0 0 0' timestep='0.1'/><worldbody><body><joint type='slide' damping='0 1e4 1e6'/>"
        "<geom size='0.1' mass='2'/></body></worldbody></mujoco>");
    f.sim->qvel[0] = 5.0;
    for (int i = 0; i < 50; ++i) {
        double before = f.sim->qvel[0];
        fixture_run(&f, 1);
        cr_assert(f.sim->qvel[0] > 0.0 && f.sim->qvel[0] < before, "step %d: %g after %g", i, f.sim->qvel[0], before);
    }
    fixture_end(&f);
}
