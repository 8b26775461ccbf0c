// What sensors show, differentiated: slopes by the state against differences of measuring, and after a step against differences of whole steps.
#include "engine/derivative/step_derivative_internal.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"

#include "../engine_fixture.h"

// A chain, a ball, a lone body; tendons, an actuator, sites and cameras, and a sensor of every kind that there is.
static const char* const world =
    "<mujoco><option timestep='0.005' magnetic='0.2 -0.4 0.1'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='0.6'/><camera name='eye' pos='1 2 3'/>"
    "<body name='a' pos='0 0 1'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1' limited='true' range='-0.3 "
    "0.3'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0.3 0 -0.2' mass='1.3'/>"
    "<body name='b' pos='0.3 0 -0.2'><joint name='q' type='ball' damping='0.05'/>"
    "<geom name='ellipsoid' type='ellipsoid' size='0.05 0.1 0.07' pos='0.1 0.05 0' mass='0.7'/>"
    "<site name='s' pos='0.05 0.02 0.1' euler='20 30 40'/>"
    "<body name='c' pos='0.2 0.1 0'><joint name='r' type='slide' axis='1 0.3 0'/><joint name='u' type='hinge' "
    "axis='0 0.4 1'/>"
    "<geom type='box' size='0.05 0.03 0.02' pos='0.1 0 0' mass='0.5'/><site name='tip' pos='0.1 0 0.02' euler='10 0 "
    "50'/>"
    "</body></body></body>"
    "<body name='ball' pos='1 0.2 0.0999'><freejoint/><geom name='ball' type='sphere' size='0.1' mass='0.8'/>"
    "<site name='pad' size='0.12'/></body></worldbody>"
    "<tendon><fixed name='sum'><joint joint='p' coef='0.8'/><joint joint='u' coef='-0.5'/></fixed>"
    "<spatial name='way'><site site='s'/><site site='tip'/></spatial></tendon>"
    "<actuator><motor name='motor' joint='p' gear='2'/><position name='servo' tendon='sum' kp='3'/></actuator><sensor>"
    "<jointpos joint='p'/><jointvel joint='u'/><ballquat joint='q'/><ballangvel joint='q'/><jointlimitpos joint='p'/>"
    "<jointlimitvel joint='p'/><tendonpos tendon='sum'/><tendonvel tendon='sum'/><tendonpos tendon='way'/>"
    "<actuatorpos actuator='motor'/><actuatorpos actuator='servo'/>"
    "<framepos objtype='site' objname='tip'/><framequat objtype='site' objname='tip'/><framexaxis objtype='body' "
    "objname='c'/>"
    "<framelinvel objtype='site' objname='tip'/><frameangvel objtype='body' objname='c'/>"
    "<framepos objtype='site' objname='tip' reftype='body' refname='ball'/>"
    "<framequat objtype='site' objname='tip' reftype='site' refname='s'/>"
    "<frameyaxis objtype='body' objname='ball' reftype='site' refname='tip'/>"
    "<framezaxis objtype='geom' objname='ball' reftype='camera' refname='eye'/>"
    "<framelinvel objtype='xbody' objname='ball' reftype='site' refname='tip'/>"
    "<frameangvel objtype='site' objname='tip' reftype='body' refname='ball'/>"
    "<gyro site='tip'/><velocimeter site='tip'/><magnetometer site='tip'/>"
    "<subtreecom body='a'/><subtreelinvel body='a'/><subtreeangmom body='a'/><clock/>"
    // Without equations.
    "<tendonvel tendon='way'/><actuatorvel actuator='motor'/><distance geom1='ellipsoid' geom2='ball' cutoff='9'/>"
    "<e_kinetic/><e_potential/>"
    // Of a step.
    "<accelerometer site='tip'/><framelinacc objtype='site' objname='tip'/><force site='tip'/><torque site='s'/>"
    "<touch site='pad'/><actuatorfrc actuator='servo'/><jointactuatorfrc joint='p'/></sensor></mujoco>";

enum { EXACT = 29, OF_STATE = 34 };

// Those of the step have equations as well.
static int is_exact(int s) { return s < EXACT || s >= OF_STATE; }

static fixture begin(ts_rng* rng) {
    fixture f = {NULL, NULL};
    ts_status status;
    cr_assert_eq(ts_mjcf_parse(world, strlen(world), "world", NULL, NULL, &f.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    for (int i = 0; i < f.model->nv; ++i) {
        int of_ball = i >= f.model->nv - 6;
        ts_step_input_move(f.sim, TS_STEP_BY_POSITION, i, ts_rng_uniform_in(rng, 0.0, of_ball ? 1e-6 : 0.4));
        ts_step_input_move(f.sim, TS_STEP_BY_VELOCITY, i, ts_rng_uniform_in(rng, -1.0, 1.0));
    }
    f.sim->qvel[f.model->nv - 4] = -0.2;  // down
    f.sim->qpos[0] = 0.31;                // beyond its range
    f.sim->ctrl[0] = 0.3;
    f.sim->ctrl[1] = -0.2;
    return f;
}

// What a sensor shows, in the state or after a step (in the step, for those of one).
static void show(ts_sim* sim, const ts_sensor* sensor, int after, double* out) {
    if (after) cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
    ts_sim_measure(sim);
    memcpy(out, sim->sensor + sensor->first, (size_t)sensor->size * sizeof(double));
}

// By an input, of fourth order.
static void differ(ts_sim* sim, const ts_sensor* sensor, ts_step_input_kind kind, int index, double e, int after,
                   double* out) {
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0};
    double value[4][8];
    for (int k = 0; k < 4; ++k) {
        ts_snapshot start = {0};
        cr_assert_eq(ts_sim_snapshot(sim, &start, NULL), TS_OK);
        cr_assert(ts_step_input_move(sim, kind, index, at[k] * e));
        show(sim, sensor, after, value[k]);
        cr_assert(ts_step_input_move(sim, kind, index, -at[k] * e));
        cr_assert_eq(ts_sim_restore(sim, &start, NULL), TS_OK);
        ts_snapshot_free(&start);
    }
    for (int i = 0; i < sensor->size; ++i)
        out[i] = (8.0 * (value[2][i] - value[1][i]) - (value[3][i] - value[0][i])) / (12.0 * e);
}

Test(sensor_derivative, slopes) {
    ts_rng rng = ts_rng_make(21, 0);
    for (int n = 0; n < 3; ++n) {
        fixture f = begin(&rng);
        ts_arena arena = {0};
        int nv = f.model->nv;
        for (int s = 0; s < f.model->sensor_count; ++s) {
            const ts_sensor* sensor = &f.model->sensor[s];
            double *by_q = TS_ARENA_ARRAY(&arena, double, 2 * sensor->size * nv), *by_v = by_q + sensor->size * nv;
            ts_step_column_verdict verdict;
            const char* name = ts_sensor_kind_name(sensor->kind);
            ts_code code = ts_sensor_slopes(f.sim, s, &arena, by_q, by_v, &verdict, NULL);
            cr_assert_eq(code, s < OF_STATE ? TS_OK : TS_ERROR_UNSUPPORTED, "%d %s", s, name);
            if (code) continue;
            cr_expect_eq(verdict, s < EXACT ? TS_COLUMN_EXACT : TS_COLUMN_DIFFERENCE, "%d %s", s, name);
            for (int d = 0; d < 2 * nv; ++d) {
                double off[8];
                ts_step_input_kind kind = d < nv ? TS_STEP_BY_POSITION : TS_STEP_BY_VELOCITY;
                // Energies go with squares, and far up: their differences are of larger numbers.
                differ(f.sim, sensor, kind, d % nv, 1e-3, 0, off);
                for (int r = 0; r < sensor->size; ++r) {
                    double is = (d < nv ? by_q : by_v)[r * nv + d % nv];
                    cr_expect_float_eq(is, off[r], 2e-10 * (1.0 + fabs(off[r])),
                                       "%d %s: number %d by %d: %.12g, not %.12g", s, name, r, d, is, off[r]);
                }
            }
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

// By everything; steps are solved to 1e-12, and so the differences are worth 1e-6.
Test(sensor_derivative, after_a_step) {
    static const struct {
        ts_step_input_kind kind;
        double increment;
    } by[] = {{TS_STEP_BY_POSITION, 1e-5}, {TS_STEP_BY_VELOCITY, 1e-4}, {TS_STEP_BY_CONTROL, 1e-3},
              {TS_STEP_BY_MASS, 1e-3},     {TS_STEP_BY_GRAVITY, 1e-2},  {TS_STEP_BY_TIME_STEP, 1e-6}};
    ts_rng rng = ts_rng_make(22, 0);
    fixture f = begin(&rng);
    ts_arena arena = {0};
    int sensor[64], count = f.model->sensor_count;
    for (int s = 0; s < count; ++s) sensor[s] = s;
    for (int k = 0; k < 6; ++k) {
        ts_step_input input = ts_step_input_all(f.model, by[k].kind);
        if (by[k].kind == TS_STEP_BY_MASS) {
            ++input.first;
            --input.count;
        }
        ts_sensor_request request = {&input, 1, sensor, count};
        ts_step_derivative_settings settings = ts_step_derivative_default();
        ts_sensor_jacobian J;
        ts_status status;
        cr_assert_eq(ts_sensor_jacobian_make(f.sim, &settings, &request, &arena, &J, &status), TS_OK, "%s",
                     status.message);
        cr_assert_eq(J.columns, input.count);
        cr_assert_eq(J.rows, f.model->sensor_size);
        for (int s = 0, row = 0; s < count; row += f.model->sensor[s++].size) {
            const ts_sensor* of = &f.model->sensor[s];
            cr_expect_eq(J.row_verdict[row], is_exact(s) ? TS_COLUMN_EXACT : TS_COLUMN_DIFFERENCE, "%d", s);
            for (int c = 0; c < J.columns; ++c) {
                double off[8];
                ts_step_strict strict;
                ts_step_strict_begin(f.sim, 1e-15, &strict);
                differ(f.sim, of, by[k].kind, input.first + c, by[k].increment, 1, off);
                ts_step_strict_end(f.sim, &strict);
                for (int r = 0; r < of->size; ++r) {
                    double is = J.matrix[(row + r) * J.columns + c];
                    cr_expect_float_eq(is, off[r], 1e-6 * (1.0 + fabs(off[r])),
                                       "%d %s: number %d by %s %d: %.12g, not %.12g", s, ts_sensor_kind_name(of->kind),
                                       r, ts_step_input_name(by[k].kind), c, is, off[r]);
                }
            }
        }
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}

// A sensor of every kind that has equations of a step, on bodies that contacts, limits and wrenches act on: both bodies of a contact of the chain with itself, what slides, spins and rolls, a
// static body that things hang on. Each under several integrators, hard and soft.
static const char* const pressed =
    "<mujoco><option timestep='0.004' integrator='%s'/><default><geom solref='0.02 1'/></default><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='0.4'/><body name='post' pos='0 0 0.6'><site name='foot' "
    "pos='0.1 0 0.2' euler='10 20 30'/><geom type='sphere' size='0.01' contype='0' conaffinity='0' mass='0.5'/>"
    "<body name='a'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1' limited='true' range='-0.3 0.3'/>"
    "<geom type='capsule' size='0.04' fromto='0 0 0 0.3 0 0' mass='1.3' friction='0.5'/><site name='root' pos='0 0.1 "
    "0'/>"
    "<body name='b' pos='0.3 0 0'><joint name='q' type='ball' damping='0.05'/>"
    "<geom type='sphere' size='0.07' pos='0.2 0.05 0' mass='0.7'/><site name='s' pos='0.05 0.02 0.1' euler='20 30 "
    "40'/>"
    "<site name='skin' pos='0.2 0.05 0' size='0.09'/></body></body></body>"
    "<body name='ball' pos='0.05 0.01 0.7395'><freejoint/><inertial pos='0.01 0.02 -0.01' mass='0.8' "
    "diaginertia='0.004 "
    "0.003 0.0035'/><geom name='ball' type='sphere' size='0.1' friction='0.3 0.01 0.002' condim='6'/><site name='pad' "
    "size='0.12'/></body>"
    "<body name='low' pos='2 0 0.0999'><freejoint/><inertial pos='-0.01 0.01 0.02' mass='0.7' diaginertia='0.003 0.003 "
    "0.004'/><geom type='sphere' size='0.1' friction='0.3'/><site "
    "name='sole' size='0.12'/></body></worldbody>"
    "<sensor><accelerometer site='s'/><frameangacc objtype='body' objname='b'/><framelinacc objtype='site' "
    "objname='foot'/>"
    "<force site='root'/><torque site='root'/><force site='s'/><torque site='s'/><force site='foot'/><torque "
    "site='foot'/><force site='pad'/><torque site='sole'/><touch site='pad'/><touch site='sole'/><jointlimitfrc "
    "joint='p'/>"
    "<accelerometer site='s' cutoff='0.5'/><actuatorfrc actuator='motor'/><actuatorfrc actuator='held'/><actuatorfrc "
    "actuator='servo'/><actuatorfrc actuator='damper'/><actuatorfrc actuator='bent'/><actuatorfrc actuator='early'/>"
    "<jointactuatorfrc joint='p'/><tendonactuatorfrc tendon='sum'/><actuatorfrc actuator='servo' "
    "cutoff='0.01'/></sensor><tendon><fixed name='sum'><joint joint='p' coef='0.7'/></fixed></tendon>"
    "<actuator><motor name='motor' joint='p' gear='2'/><motor name='held' joint='p' forcerange='-0.1 0.1'/>"
    "<position name='servo' joint='p' kp='20' kv='2' forcerange='-%g %g'/><velocity name='damper' tendon='sum' kv='3'/>"
    "<general name='bent' joint='p' gainprm='1 0.5 -0.3' gaintype='affine' biasprm='0.1 -4 -0.5' biastype='affine'/>"
    "<position name='early' tendon='sum' kp='6' ctrlrange='0.25 1'/></actuator></mujoco>";

static fixture begin_pressed(ts_rng* rng, const char* integrator, const char* solver, double most) {
    fixture f = {NULL, NULL};
    ts_status status;
    char text[8192];
    snprintf(text, sizeof text, pressed, integrator, most, most);
    cr_assert_eq(ts_mjcf_parse(text, strlen(text), "world", NULL, NULL, &f.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(f.sim, solver, &status), TS_OK, "%s", status.message);
    for (int i = 0; i < f.model->nv; ++i) {
        int of_body = i >= f.model->nv - 12;
        ts_step_input_move(f.sim, TS_STEP_BY_POSITION, i, ts_rng_uniform_in(rng, 0.0, of_body ? 1e-6 : 0.01));
        ts_step_input_move(f.sim, TS_STEP_BY_VELOCITY, i, ts_rng_uniform_in(rng, -0.3, 0.3));
        f.sim->force_applied[i] = ts_rng_uniform_in(rng, -0.2, 0.2);
    }
    f.sim->qvel[f.model->nv - 4] = -0.1;
    f.sim->qvel[f.model->nv - 10] = -0.1;
    f.sim->qpos[0] = 0.305;
    for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(rng, 0.2, 0.4);
    f.sim->ctrl[5] = 0.25;  // at the end of its range
    for (int b = 1; b < f.model->body_count; ++b)
        f.sim->wrench_applied[b] = (ts_force){ts_vec3_make(0.1, -0.05, 0.02), ts_vec3_make(0.2, 0.1, -0.4)};
    return f;
}

static void compare_pressed(fixture* f, ts_arena* arena, ts_step_input input, double increment, const char* what) {
    int sensor[64], count = f->model->sensor_count;
    for (int s = 0; s < count; ++s) sensor[s] = s;
    ts_sensor_request request = {&input, 1, sensor, count};
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_sensor_jacobian J;
    ts_status status;
    cr_assert_eq(ts_sensor_jacobian_make(f->sim, &settings, &request, arena, &J, &status), TS_OK, "%s: %s", what,
                 status.message);
    for (int s = 0, row = 0; s < count; row += f->model->sensor[s++].size) {
        const ts_sensor* of = &f->model->sensor[s];
        // Under an integrator that frees lone bodies what one shows that nothing touches is of before it turns.
        int freed = strstr(what, "midpoint") && s == 9;
        cr_expect_eq(J.row_verdict[row], freed ? TS_COLUMN_DIFFERENCE : TS_COLUMN_EXACT, "%s: %d %s", what, s,
                     ts_sensor_kind_name(of->kind));
        if (freed) continue;
        for (int c = 0; c < J.columns; ++c) {
            double off[8];
            ts_step_strict strict;
            ts_step_strict_begin(f->sim, 1e-15, &strict);
            differ(f->sim, of, input.kind, input.first + c, increment, 1, off);
            ts_step_strict_end(f->sim, &strict);
            for (int r = 0; r < of->size; ++r) {
                double is = J.matrix[(row + r) * J.columns + c];
                cr_expect_float_eq(is, off[r], 2e-6 * (1.0 + fabs(off[r])),
                                   "%s: %d %s: number %d by %s %d: %.12g, not %.12g", what, s,
                                   ts_sensor_kind_name(of->kind), r, ts_step_input_name(input.kind), c, is, off[r]);
            }
        }
    }
}

Test(sensor_derivative, of_a_step) {
    static const struct {
        ts_step_input_kind kind;
        double increment;
    } by[] = {{TS_STEP_BY_POSITION, 2e-6}, {TS_STEP_BY_VELOCITY, 1e-4}, {TS_STEP_BY_FORCE, 1e-3},
              {TS_STEP_BY_WRENCH, 1e-3},   {TS_STEP_BY_FRICTION, 1e-4}, {TS_STEP_BY_MASS, 1e-3},
              {TS_STEP_BY_INERTIA, 1e-5},  {TS_STEP_BY_GRAVITY, 1e-2},  {TS_STEP_BY_TIME_STEP, 1e-6},
              {TS_STEP_BY_CONTROL, 1e-4}};
    static const char* const way[][2] = {{"Euler", "ncp"}, {"implicitfast", "ncp"}, {"RK4", "ncp"}, {"Euler", "sap"}};
    // Of the servo: out of its reach, and what it is held at, as a row where the integrator has those.
    static const double most[] = {1e3, 1e-2};
    ts_rng rng = ts_rng_make(24, 0);
    for (int w = 0; w < 10; ++w) {
        const char* const* by_way = way[w % 5 < 4 ? w % 5 : 0];
        fixture f = begin_pressed(&rng, by_way[0], by_way[1], most[w / 5]);
        if (w % 5 == 4) cr_assert_eq(ts_sim_set_integrator(f.sim, "midpoint", NULL), TS_OK);
        ts_arena arena = {0};
        for (int k = 0; k < 10; ++k) {
            ts_step_input input = ts_step_input_all(f.model, by[k].kind);
            // The world has no mass, and what does not move has no say.
            int first = by[k].kind == TS_STEP_BY_MASS ? 1 : by[k].kind == TS_STEP_BY_INERTIA ? 10 : 0;
            input.first += first;
            input.count -= first;
            char what[64];
            snprintf(what, sizeof what, "%s, %s, %g", w % 5 == 4 ? "midpoint" : by_way[0], by_way[1], most[w / 5]);
            compare_pressed(&f, &arena, input, by[k].increment, what);
            ts_arena_reset(&arena);
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

// Where impulses are open, a sum of them that bodies feel has its equations, and no other; and a force on which a weld has a say has none.
Test(sensor_derivative, open_shares) {
    static const char* const text =
        "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='5 5 1' friction='0.6'/>"
        "<body name='box' pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' mass='1'/>"
        "<site name='all' type='box' size='0.3 0.3 0.2'/><site name='corner' pos='0.2 0.2 -0.1' size='0.05'/></body>"
        "<body name='tied' pos='2 0 1'><joint type='hinge' axis='0 1 0'/><geom type='sphere' size='0.1' pos='0.3 0 0' "
        "mass='1'/><site name='s'/></body></worldbody><equality><connect body1='tied' body2='world' anchor='0.3 0 "
        "0'/></equality>"
        "<sensor><touch site='all'/><touch site='corner'/><force site='s'/><accelerometer site='s'/></sensor></mujoco>";
    static const ts_step_column_verdict expected[] = {TS_COLUMN_EXACT, TS_COLUMN_DIFFERENCE, TS_COLUMN_DIFFERENCE,
                                                      TS_COLUMN_EXACT};
    fixture f = {NULL, NULL};
    ts_status status;
    ts_arena arena = {0};
    cr_assert_eq(ts_mjcf_parse(text, strlen(text), "world", NULL, NULL, &f.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK);
    int sensor[] = {0, 1, 2, 3};
    ts_step_input input = ts_step_input_all(f.model, TS_STEP_BY_MASS);
    ts_sensor_request request = {&input, 1, sensor, 4};
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_sensor_jacobian J;
    cr_assert_eq(ts_sensor_jacobian_make(f.sim, &settings, &request, &arena, &J, &status), TS_OK, "%s", status.message);
    cr_assert_lt(J.report.rank, J.report.unknowns);
    for (int s = 0, row = 0; s < 4; row += f.model->sensor[s++].size)
        cr_expect_eq(J.row_verdict[row], expected[s], "sensor %d: %s", s,
                     ts_step_column_verdict_name((ts_step_column_verdict)J.row_verdict[row]));
    // It bears the weight.
    cr_expect_float_eq(J.matrix[1], 9.81, 1e-9);
    ts_arena_free(&arena);
    fixture_end(&f);
}

// What is held at its cutoff, an index that is none, and a touch whose contact opens within the differences.
Test(sensor_derivative, limits) {
    ts_rng rng = ts_rng_make(23, 0);
    fixture f = begin(&rng);
    ts_arena arena = {0};
    ts_step_column_verdict verdict;
    double by_q[8 * 32], by_v[8 * 32];
    cr_expect_eq(ts_sensor_slopes(f.sim, f.model->sensor_count, &arena, by_q, by_v, &verdict, NULL), TS_ERROR_VALUE);
    cr_expect_eq(ts_sensor_slopes(f.sim, -1, &arena, by_q, by_v, &verdict, NULL), TS_ERROR_VALUE);
    // It leaves at just that speed which the step before it stops pressing.
    int touch = OF_STATE + 4, z = f.model->nv - 4;
    f.sim->qpos[f.model->nq - 5] = 0.1;
    f.sim->qvel[z] = 9.81 * 0.005 + 2e-6;
    ts_step_input input = {TS_STEP_BY_VELOCITY, z, 1};
    ts_sensor_request request = {&input, 1, &touch, 1};
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_sensor_jacobian J;
    settings.method = TS_STEP_DIFFERENCE;
    cr_assert_eq(ts_sensor_jacobian_make(f.sim, &settings, &request, &arena, &J, NULL), TS_OK);
    cr_expect_eq(J.row_verdict[0], TS_COLUMN_USELESS);
    // Equations know which side they are on.
    settings.method = TS_STEP_IMPLICIT;
    cr_assert_eq(ts_sensor_jacobian_make(f.sim, &settings, &request, &arena, &J, NULL), TS_OK);
    cr_expect_eq(J.row_verdict[0], TS_COLUMN_EXACT);
    cr_expect_eq(J.matrix[0], 0.0);
    f.sim->qvel[z] -= 4e-6;
    cr_assert_eq(ts_sensor_jacobian_make(f.sim, &settings, &request, &arena, &J, NULL), TS_OK);
    cr_expect_float_eq(J.matrix[0], -0.8 / 0.005, 1e-9);
    ts_arena_free(&arena);
    fixture_end(&f);
}
