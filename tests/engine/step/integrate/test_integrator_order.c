// The order of convergence of every integrator, observed: errors at h and h / 2 against a reference in long double.
#include "tests/engine/engine_fixture.h"

#include "engine/step/integrate/integrator.h"
#include "tests/engine/step/integrate/reference_motion.h"

static void choose(fixture* f, const char* integrator) {
    ts_status status;
    cr_assert_eq(ts_sim_set(f->sim, "integrator", integrator, &status), TS_OK, "%s", status.message);
}

// The error of a free body's turn and spin after 1 s.
static double free_body_error(const char* integrator, double h) {
    static const long double moments[3] = {0.1L, 0.2L, 0.3L};
    long double truth[REFERENCE_NUMBERS] = {1.0L, 0.0L, 0.0L, 0.0L, 3.0L, 5.0L, -2.0L};
    reference_run(reference_free_body, moments, 7, 1.0L, 8000, truth);
    ts_builder* builder = ts_builder_create("spin");
    ts_builder_options(builder)->time_step = h;
    int body = fixture_free_body(builder, ts_vec3_zero(), 2.0, ts_mat3_diagonal(ts_vec3_make(0.1, 0.2, 0.3)));
    ts_builder_set_free_velocity(builder, body, ts_vec3_zero(), ts_vec3_make(3.0, 5.0, -2.0));
    fixture f = fixture_start(builder, 1);
    choose(&f, integrator);
    fixture_run(&f, (int)lround(1.0 / h));
    double sign = (double)truth[0] * f.sim->qpos[3] < 0.0 ? -1.0 : 1.0, sum = 0.0;
    for (int c = 0; c < 4; ++c) sum += pow(sign * f.sim->qpos[3 + c] - (double)truth[c], 2);
    for (int c = 0; c < 3; ++c) sum += pow(f.sim->qvel[3 + c] - (double)truth[4 + c], 2);
    fixture_end(&f);
    return sqrt(sum);
}

static int rod(ts_builder* builder, int parent, double length) {
    ts_body_def def = ts_body_def_default();
    def.parent = parent;
    if (parent > 0) def.pose.position = ts_vec3_make(0.0, 0.0, -length);
    def.mass = 1.0;
    def.centre = ts_vec3_make(0.0, 0.0, -length);
    def.inertia = ts_mat3_diagonal(ts_vec3_make(1e-13, 1e-13, 1e-13));
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &def);
    joint.type = TS_JOINT_HINGE;
    joint.axis = ts_vec3_neg(ts_vec3_axis(1));
    ts_builder_add_joint(builder, &joint);
    return joint.body;
}

// That of a double pendulum's angles and their rates after 1 s.
static double pendulum_error(const char* integrator, double h) {
    static const long double parameter[2] = {9.81L, 0.5L};
    long double truth[REFERENCE_NUMBERS] = {0.8L, 0.3L, 0.0L, 2.0L};
    reference_run(reference_double_pendulum, parameter, 4, 1.0L, 8000, truth);
    ts_builder* builder = ts_builder_create("pendulum");
    ts_builder_options(builder)->time_step = h;
    rod(builder, rod(builder, 0, 0.5), 0.5);
    fixture f = fixture_start(builder, 1);
    choose(&f, integrator);
    double start[2] = {0.8, -0.5}, rate[2] = {0.0, 2.0};
    memcpy(f.sim->qpos, start, sizeof start);
    memcpy(f.sim->qvel, rate, sizeof rate);
    fixture_run(&f, (int)lround(1.0 / h));
    const double *q = f.sim->qpos, *v = f.sim->qvel;
    double now[4] = {q[0], q[0] + q[1], v[0], v[0] + v[1]}, sum = 0.0;
    for (int c = 0; c < 4; ++c) sum += pow(now[c] - (double)truth[c], 2);
    fixture_end(&f);
    return sqrt(sum);
}

static const struct {
    const char* name;
    double step;
    double free_body;
    double pendulum;
} orders[] = {
    {"midpoint", 1e-3, 2.0, 1.0}, {"euler", 1e-3, 1.0, 1.0},        {"rk4", 1e-2, 4.0, 4.0},
    {"implicit", 1e-3, 1.0, 1.0}, {"implicitfast", 1e-3, 1.0, 1.0}, {"discrete", 1e-3, 1.0, 1.0},
};

// Every row of the table is here.
Test(integrator_order, is_what_the_table_of_docs_says) {
    cr_assert_eq((int)(sizeof orders / sizeof orders[0]), ts_integrator_count());
    for (int i = 0; i < ts_integrator_count(); ++i) {
        const char* name = orders[i].name;
        double h = orders[i].step;
        double coarse = free_body_error(name, h), fine = free_body_error(name, 0.5 * h);
        cr_expect_float_eq(log2(coarse / fine), orders[i].free_body, 0.1, "%s, free body: %g %g", name, coarse, fine);
        coarse = pendulum_error(name, h), fine = pendulum_error(name, 0.5 * h);
        cr_expect_float_eq(log2(coarse / fine), orders[i].pendulum, 0.1, "%s, pendulum: %g %g", name, coarse, fine);
    }
}
