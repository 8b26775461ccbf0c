// A surrounding medium: terminal speeds, what does no work, an identity of potential flow, steps far too large.
#include "tests/engine/engine_fixture.h"

#include "base/scalar.h"
#include "engine/read/mjcf/mjcf.h"

static fixture read_text(const char* text) {
    fixture f = {NULL, NULL};
    ts_status status;
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &f.model, &status);
    cr_assert_eq(code, TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    return f;
}

// A ball of radius 0.1 and mass 2 falls, free or on a slide. Viscous: Stokes' law of the ball, and of the box with its inertia,
// whose half sides are sqrt(0.6) r. Dense: drag of the disk that the medium sees.
Test(fluid, terminal_speeds) {
    const struct {
        const char *option, *geom;
        double speed;
    } cases[] = {
        {"viscosity='3'", "fluidshape='ellipsoid'", 20.0 / (6.0 * TS_PI * 3.0 * 0.1)},
        {"viscosity='3'", "", 20.0 / (6.0 * TS_PI * 3.0 * 0.1 * sqrt(0.6))},
        {"density='50'", "fluidshape='ellipsoid' fluidcoef='0.4 0.25 1.5 1 1'",
         sqrt(20.0 / (50.0 * 0.4 * TS_PI * 0.01))},
        {"density='50'", "", sqrt(20.0 / (2.0 * 50.0 * 0.6 * 0.01))},
    };
    const char* joints[] = {"<freejoint/>", "<joint type='slide' axis='0 0 1'/>"};
    for (int c = 0; c < 4; ++c)
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 4; ++i) {
                const char* integrator[] = {"midpoint", "euler", "implicit", "RK4"};
                char text[700];
                snprintf(text, sizeof text,
                         "<mujoco><option gravity='0 0 -10' integrator='%s' wind='0 0 0.5' %s/><worldbody><body>%s"
                         "<geom size='0.1' mass='2' %s/></body></worldbody></mujoco>",
                         integrator[i], cases[c].option, joints[j], cases[c].geom);
                fixture f = read_text(text);
                fixture_run(&f, 4000);
                double speed = 0.5 - f.sim->qvel[j ? 0 : 2];
                cr_expect_float_eq(speed, cases[c].speed, 1e-6 * cases[c].speed, "%d %d %s: %g, not %g", c, j,
                                   integrator[i], speed, cases[c].speed);
                fixture_end(&f);
            }
}

// Far beyond what an explicit step could bear (h 6 pi beta r / m is 1e5), speeds only fall.
Test(fluid, no_viscosity_bounds_the_step) {
    const char* integrators[] = {"midpoint", "implicit", "implicitfast", "discrete"};
    const char* shapes[] = {"", "fluidshape='ellipsoid'"};
    for (int i = 0; i < 8; ++i) {
        char text[1100];
        snprintf(
            text, sizeof text,
            "<mujoco><option gravity='0 0 0' timestep='0.1' integrator='%s' viscosity='1000' density='1e5'/><worldbody>"
            "<body><freejoint/><geom type='ellipsoid' size='0.1 0.03 0.02' mass='0.003' %s pos='0.02 0 0.01'/></body>"
            "<body pos='2 0 0' euler='20 30 40'><freejoint/><geom type='ellipsoid' size='0.1 0.03 0.02' mass='0.003' "
            "%s/></body>"
            "<body pos='1 0 0'><joint axis='0 1 0'/><geom type='capsule' size='0.03 0.1' mass='0.003' %s/><body "
            "pos='0.1 0 0'>"
            "<joint type='ball'/><geom type='box' size='0.1 0.03 0.02' mass='0.003' "
            "%s/></body></body></worldbody></mujoco>",
            integrators[i / 2], shapes[i % 2], shapes[i % 2], shapes[i % 2], shapes[i % 2]);
        fixture f = read_text(text);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 1.0 + 0.3 * d;
        double last = ts_sim_energy(f.sim).kinetic;
        for (int k = 0; k < 20; ++k) {
            fixture_run(&f, 1);
            double now = ts_sim_energy(f.sim).kinetic;
            cr_assert(now < last || now < 1e-9, "%d, step %d: %g after %g", i, k, now, last);
            last = now;
        }
        fixture_end(&f);
    }
}

// Lift, and what the medium's own inertia does to steady motion, have no power.
Test(fluid, lift_does_no_work) {
    fixture f =
        read_text("<mujoco><option density='30' wind='0 0 0'/><worldbody><body><freejoint/><geom type='ellipsoid' "
                  "size='0.1 0.3 0.02' euler='10 20 30' fluidshape='ellipsoid' fluidcoef='0 0 0 1.3 0.7'/></body>"
                  "</worldbody></mujoco>");
    ts_rng rng = ts_rng_make(5, 1);
    for (int trial = 0; trial < 100; ++trial) {
        double power = 0.0, size = 0.0;
        for (int i = 0; i < 4; ++i) f.sim->qpos[3 + i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        for (int d = 0; d < 6; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -2.0, 2.0);
        cr_assert_eq(ts_sim_set_integrator(f.sim, "rk4", NULL), TS_OK);
        cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
        for (int d = 0; d < 6; ++d) {
            power += f.sim->force_fluid[d] * f.sim->qvel[d];
            size += fabs(f.sim->force_fluid[d] * f.sim->qvel[d]);
        }
        cr_assert(size > 1e-3 && fabs(power) < 1e-12 * size, "%g of %g", power, size);
    }
    fixture_end(&f);
}

// kappa_x + kappa_y + kappa_z = 2 for every ellipsoid, with kappa = 2 m / (V + m); of a ball each is 2/3.
Test(fluid, added_masses_of_ellipsoids) {
    ts_rng rng = ts_rng_make(6, 1);
    for (int trial = 0; trial < 300; ++trial) {
        double r[3];
        for (int i = 0; i < 3; ++i) r[i] = trial == 0 ? 0.2 : pow(10.0, ts_rng_uniform_in(&rng, -3.0, 0.0));
        ts_builder* builder = ts_builder_create("ellipsoid");
        int body = fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = ts_shape_ellipsoid(ts_vec3_load(r));
        geom.fluid_ellipsoid = 1;
        cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
        fixture f = fixture_start(builder, 1);
        cr_assert_eq(f.model->fluid_count, 1);
        double mass[3], turn[3], sum = 0.0, volume = 4.0 / 3.0 * TS_PI * r[0] * r[1] * r[2];
        ts_vec3_store(f.model->fluid[0].added_mass, mass);
        ts_vec3_store(f.model->fluid[0].added_inertia, turn);
        for (int i = 0; i < 3; ++i) {
            sum += 2.0 * mass[i] / (volume + mass[i]);
            cr_assert(turn[i] >= 0.0 && isfinite(turn[i]));
        }
        cr_assert_float_eq(sum, 2.0, 1e-12, "%g %g %g: %.17g", r[0], r[1], r[2], sum);
        if (trial == 0) cr_assert_float_eq(mass[0], 0.5 * volume, 1e-14 * volume);
        fixture_end(&f);
    }
}
