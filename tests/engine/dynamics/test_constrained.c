// Constrained accelerations: a four-bar linkage against its closed form, what rows promise, rows that depend or contradict.
#include "engine/dynamics/constrained.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/rnea.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64, most_rows = 24 };

typedef struct tools {
    ts_arena arena, work;
    ts_kinematics k;
    ts_tree_scratch scratch;
    ts_tree_factors factors;
} tools;

static void open_tools(const ts_model* model, tools* t) {
    memset(t, 0, sizeof *t);
    cr_assert(ts_kinematics_create(model, &t->arena, &t->k));
    cr_assert(ts_tree_scratch_create(model, &t->arena, &t->scratch));
    cr_assert(ts_tree_factors_create(model, &t->arena, &t->factors));
}

static void close_tools(tools* t) {
    ts_arena_free(&t->arena);
    ts_arena_free(&t->work);
}

// Rows that keep two body points together, and their targets.
static void add_connection(const ts_model* model, const ts_kinematics* k, int a, int b, ts_vec3 point, double* J,
                           double* target) {
    int nv = model->nv;
    double other[3 * most_dofs];
    ts_jacobian_point(model, k, a, point, J, NULL);
    ts_jacobian_point(model, k, b, point, other, NULL);
    for (int i = 0; i < 3 * nv; ++i) J[i] -= other[i];
    ts_vec3 bias =
        ts_vec3_sub(ts_jacobian_bias(model, k, b, point).linear, ts_jacobian_bias(model, k, a, point).linear);
    ts_vec3_store(bias, target);
}

static int add_bar(ts_builder* builder, int parent, double above, double mass, double length, double armature) {
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = ts_vec3_make(above, 0.0, 0.0);
    body.mass = mass;
    body.centre = ts_vec3_make(0.5 * length, 0.0, 0.0);
    body.inertia = ts_mat3_diagonal(ts_vec3_make(1e-3, mass * length * length / 12, mass * length * length / 12));
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis(2);
    joint.armature = armature;
    ts_builder_add_joint(builder, &joint);
    return joint.body;
}

// A parallelogram: cranks of length a, coupler of length b, in the plane. All bars but the coupler turn with the crank's angle p, the
// coupler only shifts, so by Lagrange (I1 + I3 + mc a^2) p'' = torque, gravity across the plane's axis aside:
// p'' = (torque - (m1 + m3) g a cos(p) / 2 - mc g a cos(p)) / (m1 a^2 / 3 + m3 a^2 / 3 + mc a^2).
Test(constrained, four_bar_linkage) {
    double a = 0.4, b = 0.7, m1 = 0.8, mc = 1.1, m3 = 0.6, g = 9.81, rotor = 0.02;
    ts_builder* builder = ts_builder_create("four-bar");
    int crank = add_bar(builder, 0, 0.0, m1, a, rotor), coupler = add_bar(builder, crank, a, mc, b, 0.0);
    int rocker = add_bar(builder, 0, b, m3, a, 0.0);
    fixture f = fixture_start(builder, 1);
    const ts_model* model = f.model;
    tools t;
    open_tools(model, &t);
    ts_rng rng = ts_rng_make(8, 0);
    for (int trial = 0; trial < 20; ++trial) {
        double p = ts_rng_uniform_in(&rng, 0.3, 2.8), w = ts_rng_uniform_in(&rng, -5.0, 5.0);
        double torque = ts_rng_uniform_in(&rng, -4.0, 4.0);
        double q[3] = {p, -p, p}, v[3] = {w, -w, w}, force[3] = {torque, 0.0, 0.0};
        double J[9], target[3], bias[3], acceleration[3], multiplier[3];
        ts_vec3 gravity = ts_vec3_make(0.0, -g, 0.0);
        ts_kinematics_update(model, q, v, &t.k);
        cr_assert(ts_tree_factors_update(model, &t.k, &t.scratch, &t.factors));
        ts_vec3 pin = ts_transform_point(&t.k.body_pose[rocker], ts_vec3_make(a, 0.0, 0.0));
        ts_vec3 tip = ts_transform_point(&t.k.body_pose[coupler], ts_vec3_make(b, 0.0, 0.0));
        cr_assert(ts_vec3_distance(pin, tip) < 1e-14);
        add_connection(model, &t.k, coupler, rocker, pin, J, target);
        ts_rnea_forces(model, &t.k, gravity, NULL, &t.scratch, bias);
        for (int d = 0; d < 3; ++d) force[d] -= bias[d];
        ts_constraint_rows rows = {3, J, target};
        ts_constrained_report report;
        cr_assert(
            ts_constrained_acceleration(model, &t.factors, force, &rows, &t.work, acceleration, multiplier, &report));
        double inertia = (m1 + m3) * a * a / 3 + mc * a * a + rotor;
        double expected = (torque - (0.5 * (m1 + m3) + mc) * g * a * cos(p)) / inertia;
        // Across the plane the row is empty.
        cr_assert_eq(report.rank, 2);
        cr_assert(report.residual < 1e-12, "%g", report.residual);
        cr_assert_float_eq(acceleration[0], expected, 1e-10, "%g %g", acceleration[0], expected);
        cr_assert_float_eq(acceleration[1], -expected, 1e-10);
        cr_assert_float_eq(acceleration[2], expected, 1e-10);
    }
    close_tools(&t);
    fixture_end(&f);
}

// Points of random bodies nailed together or to the world, every row twice: forces balance, rows hold to rounding, the second copies
// add nothing.
Test(constrained, rows_hold_and_forces_balance) {
    static const int nailed[4][2] = {{3, 5}, {9, 0}, {2, 0}, {12, 0}};
    ts_rng rng = ts_rng_make(9, 0);
    for (uint64_t seed = 41; seed <= 60; ++seed) {
        fixture f = fixture_menagerie(seed);
        const ts_model* model = f.model;
        tools t;
        open_tools(model, &t);
        int nv = model->nv;
        double J[most_rows * most_dofs], target[most_rows], force[most_dofs], acceleration[most_dofs],
            balance[most_dofs];
        double multiplier[most_rows];
        ts_kinematics_update(model, f.sim->qpos, f.sim->qvel, &t.k);
        cr_assert(ts_tree_factors_update(model, &t.k, &t.scratch, &t.factors));
        int count = 0;
        for (int twice = 0; twice < 2; ++twice)
            for (int i = 0; i < 4; ++i, count += 3)
                add_connection(model, &t.k, nailed[i][0], nailed[i][1], t.k.body_pose[nailed[i][0]].p, J + count * nv,
                               target + count);
        for (int d = 0; d < nv; ++d) force[d] = ts_rng_uniform_in(&rng, -10.0, 10.0);
        ts_constraint_rows once = {count / 2, J, target}, rows = {count, J, target};
        ts_constrained_report alone, report;
        cr_assert(ts_constrained_acceleration(model, &t.factors, force, &once, &t.work, balance, multiplier, &alone));
        cr_assert(
            ts_constrained_acceleration(model, &t.factors, force, &rows, &t.work, acceleration, multiplier, &report));
        double size = 0.0;
        for (int d = 0; d < nv; ++d) size = fmax(size, fabs(acceleration[d]));
        cr_assert_eq(report.rank, alone.rank);
        cr_assert_leq(report.rank, count / 2);
        cr_assert_geq(report.rank, 9);
        for (int d = 0; d < nv; ++d) cr_assert_float_eq(acceleration[d], balance[d], 1e-10 * size);
        for (int r = 0; r < count; ++r) {
            double value = -target[r];
            for (int d = 0; d < nv; ++d) value += J[r * nv + d] * acceleration[d];
            cr_assert(fabs(value) <= report.residual + 1e-13 * size);
        }
        cr_assert(report.residual <= 1e-12 * size, "%g of %g", report.residual, size);
        // M a = force + J^T multiplier, M a by inverse dynamics without gravity and velocities.
        double still[most_dofs] = {0.0};
        ts_kinematics_update(model, f.sim->qpos, still, &t.k);
        ts_rnea_forces(model, &t.k, ts_vec3_zero(), acceleration, &t.scratch, balance);
        for (int d = 0; d < nv; ++d) {
            double pulled = force[d], pull = fabs(force[d]);
            for (int r = 0; r < count; ++r) {
                pulled += J[r * nv + d] * multiplier[r];
                pull += fabs(J[r * nv + d] * multiplier[r]);
            }
            cr_assert_float_eq(balance[d], pulled, 1e-11 * pull + 1e-12, "dof %d: %g against %g", d, balance[d],
                               pulled);
        }
        close_tools(&t);
        fixture_end(&f);
    }
}

Test(constrained, contradictions_are_told) {
    fixture f = fixture_menagerie(61);
    tools t;
    open_tools(f.model, &t);
    double J[2 * most_dofs] = {0.0}, target[2] = {1.0, 3.0}, force[most_dofs] = {0.0}, a[most_dofs], multiplier[2];
    J[7] = J[f.model->nv + 7] = 1.0;
    ts_kinematics_update(f.model, f.sim->qpos, f.sim->qvel, &t.k);
    cr_assert(ts_tree_factors_update(f.model, &t.k, &t.scratch, &t.factors));
    ts_constraint_rows rows = {2, J, target};
    ts_constrained_report report;
    cr_assert(ts_constrained_acceleration(f.model, &t.factors, force, &rows, &t.work, a, multiplier, &report));
    cr_assert_eq(report.rank, 1);
    cr_assert_float_eq(a[7], 1.0, 1e-12);
    cr_assert_float_eq(report.residual, 2.0, 1e-12);
    // No rows at all: what is free.
    rows.count = 0;
    force[7] = 1.0;
    cr_assert(ts_constrained_acceleration(f.model, &t.factors, force, &rows, &t.work, a, multiplier, &report));
    ts_tree_factors_solve(f.model, &t.factors, force);
    for (int d = 0; d < f.model->nv; ++d) cr_assert_float_eq(a[d], force[d], 1e-14);
    close_tools(&t);
    fixture_end(&f);
}
