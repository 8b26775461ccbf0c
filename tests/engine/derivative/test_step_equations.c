// Columns of a step's derivative that have their equations, against central differences of the whole step at two increments (Richardson), by every input; and
// that they are no differences. States are random and the worlds are made such that every term matters: none is symmetric, none at rest.
#include "engine/derivative/step_derivative_internal.h"
#include "engine/actuation/tendon_way.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/integrate/integrator.h"

#include "../engine_fixture.h"

// 1: of the largest entry of a column.
static const double tolerance = 1e-6;

// A Jacobian by one range of inputs.
typedef struct jacobian {
    ts_arena arena;
    ts_step_derivative of;
    double* matrix;
} jacobian;

static jacobian take(ts_sim* sim, ts_step_method method, double increment, ts_step_input input) {
    jacobian J = {0};
    ts_status status;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = method;
    settings.increment = increment;
    if (method == TS_STEP_DIFFERENCE) settings.tolerance = 1e-15;
    ts_code code = ts_step_derivative_make(sim, &settings, &input, 1, &J.arena, &J.of, &status);
    cr_assert_eq(code, TS_OK, "%s by %s: %s", sim->model->name, ts_step_input_name(input.kind), status.message);
    J.matrix = TS_ARENA_ARRAY(&J.arena, double, J.of.rows* J.of.columns);
    cr_assert_eq(ts_step_derivative_matrix(&J.of, &J.arena, J.matrix), TS_OK);
    return J;
}

static fixture read_world(const char* text, const char* solver, const char* integrator) {
    fixture f = {NULL, NULL};
    ts_status status;
    cr_assert_eq(ts_mjcf_parse(text, strlen(text), "world", NULL, NULL, &f.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(f.sim, solver, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_integrator(f.sim, integrator, &status), TS_OK, "%s", status.message);
    return f;
}

// Moves the state at random.
static void stir(ts_sim* sim, double position, double velocity, ts_rng* rng) {
    for (int i = 0; i < sim->model->nv; ++i) {
        ts_step_input_move(sim, TS_STEP_BY_POSITION, i, ts_rng_uniform_in(rng, -position, position));
        ts_step_input_move(sim, TS_STEP_BY_VELOCITY, i, ts_rng_uniform_in(rng, -velocity, velocity));
        sim->force_applied[i] = ts_rng_uniform_in(rng, -0.3, 0.3);
    }
    for (int b = 1; b < sim->model->body_count; ++b)
        sim->wrench_applied[b] = (ts_force){fixture_random_vec3(rng, 0.1), fixture_random_vec3(rng, 0.5)};
}

// J x is the matrix times x, and y . (J x) = (J^T y) . x.
static void expect_adjoint(jacobian* J) {
    int rows = J->of.rows, columns = J->of.columns;
    double *x = TS_ARENA_ARRAY(&J->arena, double, columns), *y = TS_ARENA_ARRAY(&J->arena, double, rows);
    double *Jx = TS_ARENA_ARRAY(&J->arena, double, rows), *JTy = TS_ARENA_ARRAY(&J->arena, double, columns);
    double left = 0.0, right = 0.0, size = 0.0;
    for (int c = 0; c < columns; ++c) x[c] = sin(1.0 + 2.3 * c);
    for (int r = 0; r < rows; ++r) y[r] = cos(0.4 + 1.7 * r);
    cr_assert_eq(ts_step_derivative_forward(&J->of, x, &J->arena, Jx), TS_OK);
    cr_assert_eq(ts_step_derivative_reverse(&J->of, y, &J->arena, JTy), TS_OK);
    for (int r = 0; r < rows; ++r) {
        double sum = 0.0, total = 0.0;
        for (int c = 0; c < columns; ++c) sum += J->matrix[r * columns + c] * x[c];
        for (int c = 0; c < columns; ++c) total += fabs(J->matrix[r * columns + c] * x[c]);
        cr_expect(fabs(sum - Jx[r]) <= 1e-11 * total + 1e-13, "row %d: %.17g, the matrix: %.17g", r, Jx[r], sum);
        left += y[r] * Jx[r];
        size += fabs(y[r] * Jx[r]);
    }
    for (int c = 0; c < columns; ++c) right += JTy[c] * x[c];
    for (int c = 0; c < columns; ++c) size += fabs(JTy[c] * x[c]);
    cr_expect(fabs(left - right) <= 1e-12 * size, "%.17g, transposed %.17g", left, right);
}

// Equations against differences by all inputs of a kind. `open`: 1, what the solve may leave of velocities.
static void expect_known(ts_sim* sim, ts_step_input_kind kind, double open, const char* what) {
    ts_step_input input = ts_step_input_all(sim->model, kind);
    if (kind == TS_STEP_BY_WRENCH || kind == TS_STEP_BY_INERTIA) {
        // The world's do nothing.
        int each = input.count / sim->model->body_count;
        input.first += each;
        input.count -= each;
    }
    if (input.count == 0) return;
    jacobian one = take(sim, TS_STEP_IMPLICIT, 1.0, input), two = take(sim, TS_STEP_DIFFERENCE, 1.0, input),
             wide = take(sim, TS_STEP_DIFFERENCE, 4.0, input);
    const char* name = ts_step_input_name(kind);
    cr_expect_eq(one.of.report.differenced & TS_PART_INPUTS, 0u, "%s by %s: differenced", what, name);
    for (int c = 0; c < one.of.columns; ++c) {
        double size = 0.0, off = 0.0, doubt = 0.0, limit;
        int row = 0, one_sided;
        double e = ts_step_increment(sim, kind, input.first + c, &one_sided);
        cr_expect(!two.of.report.column_changed[c], "%s by %s %d: a mode changes", what, name, c);
        for (int r = 0; r < one.of.rows; ++r) {
            int at = r * one.of.columns + c;
            double a = two.matrix[at], b = wide.matrix[at], best = a + (a - b) / 15.0;
            size = fmax(size, fabs(best));
            doubt = fmax(doubt, fabs(a - b) / 15.0);
            if (fabs(one.matrix[at] - best) > off) row = r;
            off = fmax(off, fabs(one.matrix[at] - best));
        }
        limit = tolerance * size + open / e + (one_sided ? 20.0 * doubt : 0.0);
        cr_expect(off <= limit, "%s under %s by %s %d, row %d: off by %g, largest %g (%.9g, not %.9g)", what,
                  sim->integrator->name, name, input.first + c, row, off, size, one.matrix[row * one.of.columns + c],
                  two.matrix[row * one.of.columns + c]);
        cr_expect(doubt <= 10.0 * tolerance * size + open / e, "%s by %s %d: differences are no good", what, name, c);
    }
    expect_adjoint(&one);
    ts_arena_free(&one.arena);
    ts_arena_free(&two.arena);
    ts_arena_free(&wide.arena);
}

static void expect_all_known(ts_sim* sim, double open, const char* what) {
    for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k)
        if (k != TS_STEP_BY_COMPLIANCE) expect_known(sim, (ts_step_input_kind)k, open, what);
}

// Two chains and a lone body, tied to each other and to the world.
#define CHAINS(equalities)                                                                                 \
    "<mujoco><option timestep='0.01'/><worldbody>"                                                         \
    "<body name='a' pos='0 0 1'><joint type='hinge' axis='0.2 1 0.1' damping='0.1'/>"                      \
    "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"                             \
    "<body name='b' pos='0.3 0 -0.2'><joint type='ball' damping='0.05'/>"                                  \
    "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/>"          \
    "<body name='c' pos='0.2 0.1 0'><joint type='slide' axis='1 0.3 0' stiffness='30' damping='1'/>"       \
    "<joint type='hinge' axis='0 0.4 1'/>"                                                                 \
    "<inertial pos='0.05 0 0.03' mass='0.5' diaginertia='0.005 0.004 0.006'/></body></body></body>"        \
    "<body name='d' pos='1 0.2 0.8'><freejoint/>"                                                          \
    "<inertial pos='0.02 -0.05 0.04' mass='0.9' fullinertia='0.02 0.03 0.025 0.004 0.002 -0.003'/></body>" \
    "<body name='e' pos='-0.4 0.3 0.5'><joint type='free' damping='0.02'/>"                                \
    "<inertial pos='0.04 0.03 0.01' mass='1.1' diaginertia='0.03 0.02 0.015'/>"                            \
    "<body name='f' pos='0.1 0.1 0.1'><joint type='hinge' axis='1 0.5 0.2'/>"                              \
    "<inertial pos='0.1 0 0' mass='0.4' diaginertia='0.004 0.003 0.002'/></body></body>"                   \
    "</worldbody><equality>" equalities "</equality></mujoco>"

static void expect_chains_known(const char* text, const char* what) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    ts_rng rng = ts_rng_make(3, 0);
    for (int i = 0; i < 5; ++i)
        for (int n = 0; n < 2; ++n) {
            fixture f = read_world(text, "ncp", integrator[i]);
            stir(f.sim, 0.02, 2.0, &rng);
            expect_all_known(f.sim, 3e-12, what);
            fixture_end(&f);
        }
}

Test(step_equations, trees) { expect_chains_known(CHAINS(""), "trees"); }

// Balls with springs and stops; `limited` of the second.
#define SHOULDERS(limited)                                                                          \
    "<mujoco><option timestep='0.008'/><worldbody>"                                                 \
    "<body name='a' pos='0 0 1'><joint type='ball' stiffness='4' damping='0.1'/>"                   \
    "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"                      \
    "<body name='b' pos='0.3 0 -0.2'><joint name='elbow' type='ball' stiffness='0.5' " limited "/>" \
    "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/>"   \
    "<body name='c' pos='0.2 0.1 0'><joint type='hinge' axis='0 0.4 1' damping='0.05'/>"            \
    "<inertial pos='0.05 0 0.03' mass='0.5' diaginertia='0.005 0.004 0.006'/></body></body></body>" \
    "</worldbody></mujoco>"

// Turns of a few hundredths, where slopes are series, and of more than two radians.
static void turn_shoulders(ts_sim* sim, double angle, ts_rng* rng) {
    stir(sim, 1e-3, 1.0, rng);
    for (int j = 0; j < 2; ++j) {
        ts_vec3 axis = fixture_random_vec3(rng, 1.0);
        axis = ts_vec3_scale(1.0 / ts_vec3_norm(axis), axis);
        ts_quat_store(ts_quat_from_rotation_vector(ts_vec3_scale(angle, axis)), sim->qpos + 4 * j);
        // It goes on turning that way: into its stop, if there is one.
        for (int i = 0; i < 3; ++i) sim->qvel[3 * j + i] += 3.0 * ts_vec3_get(axis, i);
    }
}

Test(step_equations, springs_of_balls) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    static const double angle[] = {0.02, 0.3, 2.4};
    ts_rng rng = ts_rng_make(31, 0);
    for (int i = 0; i < 5; ++i)
        for (int n = 0; n < 3; ++n) {
            fixture f = read_world(SHOULDERS("damping='0.02'"), "ncp", integrator[i]);
            turn_shoulders(f.sim, angle[n], &rng);
            expect_all_known(f.sim, 3e-12, "springs of balls");
            fixture_end(&f);
        }
}

// Before the stop, and beyond it; the law is hard, and as soft as the model says.
Test(step_equations, stops_of_balls) {
    static const double angle[] = {0.49, 0.51};
    ts_rng rng = ts_rng_make(32, 0);
    for (int n = 0; n < 8; ++n) {
        int soft = n / 4;
        if (soft && n % 2 == 0) continue;
        fixture f = read_world(SHOULDERS("limited='true' range='0 0.5'"), soft ? "mujoco" : "ncp",
                               n / 2 % 2 ? "euler" : "midpoint");
        turn_shoulders(f.sim, angle[n % 2], &rng);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert_eq(f.sim->problem.block_count, 1);
        cr_assert_gt(f.sim->impulse[0], 1e-4, "it presses");
        for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k)
            if (k != TS_STEP_BY_COMPLIANCE)
                expect_known(f.sim, (ts_step_input_kind)k, 3e-12, soft ? "soft stops of balls" : "stops of balls");
        fixture_end(&f);
    }
}

Test(step_equations, connections) {
    expect_chains_known(CHAINS("<connect body1='c' body2='d' anchor='0.1 0 0.05'/>"
                               "<connect body1='f' body2='world' anchor='0.1 0.05 0'/>"),
                        "connections");
}

// A chain that is closed: both sides in one tree.
Test(step_equations, loops) {
    expect_chains_known(CHAINS("<connect body1='c' body2='a' anchor='0.1 0 0.05'/>"), "loops");
}

Test(step_equations, welds) {
    expect_chains_known(CHAINS("<weld body1='b' body2='d' torquescale='0.7'/><weld body1='e' body2='world'/>"),
                        "welds");
}

// What is mended as fast as may be.
Test(step_equations, torn_ties) {
    fixture f = read_world(CHAINS("<weld body1='b' body2='d' torquescale='0.7'/>"), "ncp", "midpoint");
    ts_rng rng = ts_rng_make(4, 0);
    stir(f.sim, 0.02, 2.0, &rng);
    f.sim->qpos[f.model->joint[f.model->body[4].joint_first].qpos_first] += 0.3;
    expect_all_known(f.sim, 3e-12, "torn ties");
    fixture_end(&f);
}

// Bodies that slide, roll and bounce on each other: the closing speed before the step stands in their law.
static const char* const balls =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.3'/>"
    "<body name='ball' pos='0 0 0.1'><freejoint/><inertial pos='0.01 0.02 -0.01' mass='0.8' diaginertia='0.004 0.003 "
    "0.0035'/>"
    "<geom type='sphere' size='0.1' friction='0.4'/></body>"
    "<body name='arm' pos='0.5 0 0.4'><joint type='hinge' axis='0 1 0.1' frictionloss='0.05'/><joint type='slide' "
    "axis='1 0 0'/>"
    "<inertial pos='0 0 -0.2' mass='1' diaginertia='0.02 0.02 0.01'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0 0 -0.347' friction='0.2'/></body>"
    "</worldbody></mujoco>";

// The ball comes down on the floor at this speed.
static void drop(ts_sim* sim, double speed, double height) {
    sim->qvel[2] = -speed;
    sim->qpos[2] = 0.1 + height;
}

Test(step_equations, bounces) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast"};
    ts_rng rng = ts_rng_make(5, 0);
    for (int i = 0; i < 3; ++i) {
        fixture f = read_world(balls, "ncp", integrator[i]);
        stir(f.sim, 1e-4, 0.3, &rng);
        drop(f.sim, 2.0, 2e-4);
        cr_assert(ts_step_input_move(f.sim, TS_STEP_BY_RESTITUTION, 0, 0.6));
        expect_all_known(f.sim, 3e-12, "bounces");
        fixture_end(&f);
    }
}

// Springs and dampers of contacts, stops and dry friction as the model has them; under MuJoCo's law masses stand in weights as well.
Test(step_equations, soft_laws) {
    ts_rng rng = ts_rng_make(6, 0);
    for (int n = 0; n < 6; ++n) {
        fixture f = read_world(balls, n < 3 ? "mujoco" : "ncp", n % 3 == 1 ? "euler" : "midpoint");
        stir(f.sim, 1e-4, 0.3, &rng);
        drop(f.sim, n % 3 == 2 ? -0.2 : 0.3, -4e-4);
        if (n >= 3) f.sim->options.contact_stiffness = 5e3;
        if (n >= 3) f.sim->options.contact_dissipation = 0.01;
        for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k) {
            if (k != TS_STEP_BY_COMPLIANCE)
                expect_known(f.sim, (ts_step_input_kind)k, 3e-12, n < 3 ? "mujoco" : "springs");
        }
        fixture_end(&f);
    }
}

// A ball that spins, rolls and slides, with friction against each: some rows hold, some do not.
Test(step_equations, spinning_and_rolling) {
    static const char* const friction[] = {"condim='4' friction='0.4 0.02 0.001'",
                                           "condim='6' friction='0.4 0.02 0.01'"};
    ts_rng rng = ts_rng_make(7, 0);
    for (int n = 0; n < 8; ++n) {
        char text[2048];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='5 5 1' %s/>"
                 "<body pos='0 0 0.1'><freejoint/><inertial pos='0.01 0.02 -0.01' mass='0.8' diaginertia='0.004 0.003 "
                 "0.0035'/>"
                 "<geom type='sphere' size='0.1' %s/></body></worldbody></mujoco>",
                 friction[n % 2], friction[n % 2]);
        fixture f = read_world(text, n < 4 ? "ncp" : "ccp-admm", n % 4 < 2 ? "midpoint" : "euler");
        stir(f.sim, 1e-4, 0.5, &rng);
        drop(f.sim, 0.02, -6e-6);
        if (n % 2) f.sim->qvel[3] = f.sim->qvel[4] = 0.0;
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            if (k != TS_STEP_BY_ACTIVATION)
                expect_known(f.sim, (ts_step_input_kind)k, n < 4 ? 3e-12 : 1e-11, "spinning and rolling");
        fixture_end(&f);
    }
}

// Tendons that are sums of joints: springs with and without play, dampers, stops, dry friction, across branches; and a gear whose ratio changes.
static const char* const gears =
    "<mujoco><option timestep='0.01'/><worldbody>"
    "<body name='a' pos='0 0 1'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1'/>"
    "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"
    "<body name='b' pos='0.3 0 -0.2'><joint name='q' type='hinge' axis='1 0.2 0'/>"
    "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/></body>"
    "<body name='c' pos='-0.2 0.1 0'><joint name='r' type='hinge' axis='0 0.4 1'/>"
    "<inertial pos='0.05 0 0.03' mass='0.5' diaginertia='0.005 0.004 0.006'/>"
    "<body name='d' pos='0.1 0.1 0.1'><joint name='s' type='slide' axis='1 0.4 0.2'/>"
    "<inertial pos='0.05 0 0.03' mass='0.3' diaginertia='0.003 0.002 0.004'/></body></body></body></worldbody>"
    "<tendon><fixed stiffness='20' damping='0.3' springlength='0.3'><joint joint='p' coef='0.8'/><joint joint='q' "
    "coef='-0.5'/></fixed>"
    "<fixed stiffness='15' damping='0.2' springlength='-0.01 0.01'><joint joint='q' coef='1'/><joint joint='r' "
    "coef='0.4'/></fixed>"
    "<fixed frictionloss='0.05'><joint joint='p' coef='0.5'/><joint joint='r' coef='0.3'/></fixed>"
    "<fixed limited='true' range='0.045 3'><joint joint='p' coef='0.1'/><joint joint='q' coef='-0.4'/></fixed>"
    "</tendon><equality><joint joint1='s' joint2='r' polycoef='0.01 0.3 0.9 -0.4 0'/></equality></mujoco>";

Test(step_equations, tendons_and_gears) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit"};
    ts_rng rng = ts_rng_make(9, 0);
    int met = 0;
    for (int n = 0; n < 12; ++n) {
        fixture f = read_world(gears, "ncp", integrator[n % 4]);
        stir(f.sim, n < 8 ? 0.01 : 0.1, 0.8, &rng);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        // Where velocities are small rounds change them by much, and yet lead somewhere.
        int solved = f.sim->info.unsolved_rotations == 0;
        met += solved;
        for (int k = 0; solved && k < TS_STEP_INPUT_KINDS; ++k)
            if (k != TS_STEP_BY_COMPLIANCE) expect_known(f.sim, (ts_step_input_kind)k, 3e-12, "tendons and gears");
        fixture_end(&f);
    }
    cr_expect_eq(met, 12);
}

// Tendons that are tied, by a curve within a tree and by a line to another: their ratio changes, and the give goes by it.
Test(step_equations, tied_tendons) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit"};
    static const char* const text =
        "<mujoco><option timestep='0.01'/><worldbody>"
        "<body name='a' pos='0 0 1'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1'/>"
        "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"
        "<body name='b' pos='0.3 0 -0.2'><joint name='q' type='hinge' axis='1 0.2 0'/>"
        "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/>"
        "<body name='c' pos='-0.2 0.1 0'><joint name='r' type='hinge' axis='0 0.4 1'/>"
        "<inertial pos='0.05 0 0.03' mass='0.5' diaginertia='0.005 0.004 0.006'/></body></body></body>"
        "<body name='d' pos='1 0 1'><joint name='s' type='slide' axis='1 0.4 0.2'/>"
        "<inertial pos='0.05 0 0.03' mass='0.3' diaginertia='0.003 0.002 0.004'/></body></worldbody>"
        "<tendon><fixed name='pq'><joint joint='p' coef='0.8'/><joint joint='q' coef='-0.5'/></fixed>"
        "<fixed name='qr'><joint joint='q' coef='1'/><joint joint='r' coef='0.4'/></fixed>"
        "<fixed name='r'><joint joint='r' coef='0.3'/></fixed><fixed name='s'><joint joint='s' "
        "coef='2'/></fixed></tendon>"
        "<equality><tendon tendon1='pq' tendon2='qr' polycoef='0.01 0.3 0.9 -0.4 0'/>"
        "<tendon tendon1='r' tendon2='s' polycoef='0.002 0.7 0 0 0'/></equality></mujoco>";
    ts_rng rng = ts_rng_make(47, 0);
    for (int n = 0; n < 12; ++n) {
        fixture f = read_world(text, n < 8 ? "ncp" : "sap", integrator[n % 4]);
        stir(f.sim, n < 4 ? 0.01 : 0.1, 0.8, &rng);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert_eq(f.sim->problem.block_count, 2);
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            expect_known(f.sim, (ts_step_input_kind)k, 1e-11, "tied tendons");
        fixture_end(&f);
    }
}

// `sap` softens by the size of each block's own part of G: what is hard, and what mends an error as leverage allows. Contacts are those of one tree, of two, with
// rows of spin, at a stop.
#define PRESSED(condim)                                                                                   \
    "<mujoco><option timestep='0.005'/><worldbody>"                                                       \
    "<geom type='plane' size='5 5 1' friction='0.3'/>"                                                    \
    "<body name='ball' pos='0 0 0.0995'><freejoint/>"                                                     \
    "<inertial pos='0.01 0.02 -0.01' mass='0.8' diaginertia='0.004 0.003 0.0035'/>"                       \
    "<geom type='sphere' size='0.1' friction='0.4'/></body>"                                              \
    "<body name='arm' pos='-0.4 0 0.347'><joint name='p' type='hinge' axis='0.1 1 0' frictionloss='40'/>" \
    "<inertial pos='0.2 0 0' mass='1' diaginertia='0.01 0.02 0.02'/>"                                     \
    "<body pos='0.4 0 0'><joint name='q' type='hinge' axis='0.2 1 0.1' limited='true' range='0.02 1'/>"   \
    "<inertial pos='0 0.01 -0.05' mass='0.5' fullinertia='0.004 0.003 0.002 0.0005 -0.0003 0.0004'/>"     \
    "<geom type='capsule' size='0.05' fromto='0.02 -0.1 -0.1005 0.02 0.1 -0.1005' condim='" condim        \
    "' friction='0.2 0.01 0.001'/>"                                                                       \
    "</body></body></worldbody><actuator><position joint='q' kp='3' kv='0.2'/></actuator></mujoco>"

static void expect_softened_known(fixture f, int spins, const char* what) {
    ts_rng rng = ts_rng_make(41, 0);
    stir(f.sim, 1e-4, 0.3, &rng);
    for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(&rng, -0.5, 0.5);
    cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
    cr_assert_gt(f.sim->problem.block_count, 0);
    // The rows of spin are scaled by friction, and so is their part of G: that is differenced.
    for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
        if (!spins || k != TS_STEP_BY_FRICTION) expect_known(f.sim, (ts_step_input_kind)k, 1e-11, what);
    fixture_end(&f);
}

Test(step_equations, softened_by_size) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    for (int i = 0; i < 5; ++i) {
        fixture f = read_world(i % 2 ? PRESSED("4") : PRESSED("3"), "sap", integrator[i]);
        // What is hard and closes fast has a law that jumps by restitution.
        for (int g = 0; g < f.model->geom_count; ++g) ts_step_input_move(f.sim, TS_STEP_BY_RESTITUTION, g, 0.1);
        if (i > 2) f.sim->options.compliance_normal = 0.05;
        expect_softened_known(f, i % 2, "contacts of sap");
        f = read_world(CHAINS("<connect body1='c' body2='d' anchor='0.1 0 0.05'/>"
                              "<weld body1='e' body2='world' torquescale='0.7'/>"),
                       "sap", integrator[i]);
        expect_softened_known(f, 0, "ties of sap");
        if (i == 4) continue;
        f = read_world(gears, "sap", integrator[i]);
        expect_softened_known(f, 0, "gears of sap");
    }
}

// Weights of soft rows: of a lone body, of bodies far out on a chain, of its dry friction and its stop, by the masses of all of them.
Test(step_equations, weights) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    ts_rng rng = ts_rng_make(43, 0);
    for (int i = 0; i < 5; ++i) {
        fixture f = read_world(i % 2 ? PRESSED("4") : PRESSED("3"), "mujoco", integrator[i]);
        stir(f.sim, 1e-4, 0.3, &rng);
        f.sim->qpos[f.model->nq - 1] = 0.0;  // beyond its stop
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert_eq(f.sim->contact_count, 2);
        cr_assert_eq(f.sim->problem.block_count, 4);
        for (int b = 0; b < 4; ++b)
            cr_assert_neq(f.sim->impulse[f.sim->problem.block[b].row + (b < 2 ? 2 : 0)], 0.0, "%d is open", b);
        expect_known(f.sim, TS_STEP_BY_MASS, 3e-12, "weights");
        expect_known(f.sim, TS_STEP_BY_INERTIA, 3e-12, "weights");
        fixture_end(&f);
    }
}

// Contacts that stick, and actuators that suck: of a lone body on the floor, of two trees, one that is open, and one that is drawn off.
#define STICKY(actuators)                                                                                          \
    "<mujoco><option timestep='0.005'/><worldbody>"                                                                \
    "<geom type='plane' size='5 5 1' friction='0.3'/>"                                                             \
    "<body name='ball' pos='0 0 0.0995'><freejoint/>"                                                              \
    "<inertial pos='0.01 0.02 -0.01' mass='0.8' diaginertia='0.004 0.003 0.0035'/>"                                \
    "<geom type='sphere' size='0.1' friction='0.4' adhesion='2'/></body>"                                          \
    "<body name='arm' pos='-0.4 0 0.3488'><joint type='hinge' axis='0.1 1 0' damping='0.1'/>"                      \
    "<inertial pos='0.2 0 0' mass='1' diaginertia='0.01 0.02 0.02'/>"                                              \
    "<body name='hand' pos='0.4 0 0'><joint type='hinge' axis='0.2 1 0.1'/>"                                       \
    "<inertial pos='0 0.01 -0.05' mass='0.5' fullinertia='0.004 0.003 0.002 0.0005 -0.0003 0.0004'/>"              \
    "<geom type='capsule' size='0.05' fromto='0.02 -0.1 -0.1005 0.02 0.1 -0.1005' friction='0.2' adhesion='1'/>"   \
    "</body></body>"                                                                                               \
    "<body name='cup' pos='1 0 0.1004'><joint type='slide' axis='0 0.1 1'/><joint type='hinge' axis='1 0.4 0.2'/>" \
    "<inertial pos='0.02 0.01 0' mass='0.3' diaginertia='0.001 0.002 0.0015'/>"                                    \
    "<geom type='ellipsoid' size='0.12 0.1 0.1' friction='0.2'/></body>"                                           \
    "</worldbody><actuator>" actuators "</actuator></mujoco>"

Test(step_equations, what_sticks) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    static const char* const solver[] = {"ncp", "sap", "mujoco"};
    ts_rng rng = ts_rng_make(44, 0);
    for (int n = 0; n < 15; ++n) {
        fixture f = read_world(STICKY("<adhesion body='hand' gain='5' ctrlrange='0 1'/>"
                                      "<adhesion body='cup' gain='8' ctrlrange='0 1'/>"),
                               solver[n / 5], integrator[n % 5]);
        int weighs = n / 5 == 2;
        stir(f.sim, 1e-4, 0.1, &rng);
        // The cup is drawn off, and its contact is open.
        f.sim->qvel[f.model->nv - 2] = 0.5;
        // Soft contacts begin where shapes overlap.
        if (weighs) ts_step_input_move(f.sim, TS_STEP_BY_POSITION, 6, 0.004);
        if (weighs) ts_step_input_move(f.sim, TS_STEP_BY_POSITION, f.model->nv - 2, -0.001);
        for (int g = 0; g < f.model->geom_count; ++g) ts_step_input_move(f.sim, TS_STEP_BY_RESTITUTION, g, 0.1);
        for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(&rng, 0.2, 0.8);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert_eq(f.sim->contact_count, 3, "%d under %s", f.sim->contact_count, solver[n / 5]);
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            if (!weighs || k != TS_STEP_BY_TIME_STEP) expect_known(f.sim, (ts_step_input_kind)k, 1e-11, solver[n / 5]);
        fixture_end(&f);
    }
}

// Three bodies on hinges and a ball, with tendons through space: straight, over a pulley, around a sphere and around a cylinder that turn with them.
#define SINEWS(inside)                                                                                                \
    "<mujoco><option timestep='0.01'/><worldbody>"                                                                    \
    "<site name='s0' pos='-0.3 0.1 1.2'/><site name='s9' pos='0.4 -0.2 0.7'/>"                                        \
    "<body name='a' pos='0 0 1'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1'/>"                        \
    "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"                                        \
    "<site name='s1' pos='-0.12 0.03 0.05'/><geom name='ball' type='sphere' size='0.06' pos='0.12 0.05 0.02'/><site " \
    "name='s4' pos='0.35 0.04 -0.04'/>"                                                                               \
    "<body name='b' pos='0.3 0 -0.2'><joint name='q' type='ball' damping='0.05'/>"                                    \
    "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/>"                     \
    "<site name='s2' pos='0.05 0.04 0.16'/><geom name='rod' type='cylinder' size='0.06 0.2' pos='0.16 0 0.07' "       \
    "euler='80 20 10'/><site name='side' pos='0.16 0 0.3'/>"                                                          \
    "<body name='c' pos='0.2 0.1 0'><joint name='r' type='hinge' axis='0 0.4 1'/>"                                    \
    "<inertial pos='0.05 0 0.03' mass='0.5' diaginertia='0.005 0.004 0.006'/><site name='s3' pos='0.1 -0.02 0.03'/>"  \
    "</body></body></body></worldbody><tendon>"                                                                       \
    "<spatial name='t0' stiffness='40' damping='0.8' springlength='0.2'><site site='s0'/><site site='s1'/>"           \
    "<site site='s2'/><pulley divisor='2'/><site site='s2'/><site site='s3'/><site site='s9'/></spatial>"             \
    "<spatial name='t1' " inside "><site site='s0'/><geom geom='ball'/><site site='s2'/></spatial>"                   \
    "<spatial name='t2' stiffness='30' damping='0.5' springlength='0.1'><site site='s4'/>"                            \
    "<geom geom='rod' sidesite='side'/><site site='s3'/></spatial></tendon>"

static int is_wrapped(const ts_sim* sim, int tendon) {
    ts_tendon_segment segment[100];
    return ts_tendon_way(sim, tendon, 100, segment) > 10;
}

static void expect_sinews_known(const char* text, double open, const char* what) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    ts_rng rng = ts_rng_make(12, 0);
    for (int n = 0; n < 10; ++n) {
        fixture f = read_world(text, "ncp", integrator[n % 5]);
        stir(f.sim, 0.05, 1.0, &rng);
        for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(&rng, 0.2, 0.9);
        for (int i = 0; i < f.model->act_count; ++i) f.sim->act[i] = ts_rng_uniform_in(&rng, 0.1, 0.9);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert(is_wrapped(f.sim, 1) && is_wrapped(f.sim, 2), "it goes around");
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k) expect_known(f.sim, (ts_step_input_kind)k, open, what);
        fixture_end(&f);
    }
}

Test(step_equations, tendons_through_space) {
    expect_sinews_known(SINEWS("stiffness='20' damping='0.3' springlength='0.5'") "</mujoco>", 3e-12, "springs");
    expect_sinews_known(SINEWS("") "<actuator><motor tendon='t1' gear='3'/><motor tendon='t0' gear='-2'/>"
                                   "<general tendon='t2' gainprm='5' biastype='affine' biasprm='0.4 -6 -0.3' "
                                   "gear='0.7'/></actuator></mujoco>",
                        3e-12, "motors and servos");
}

// A stop that holds, and dry friction.
Test(step_equations, stops_of_tendons_through_space) {
    static const char* const text = SINEWS("limited='true' range='0 0.6' frictionloss='0.01'") "</mujoco>";
    ts_rng rng = ts_rng_make(13, 0);
    for (int n = 0; n < 6; ++n) {
        fixture f = read_world(text, "ncp", n % 2 ? "euler" : "midpoint");
        stir(f.sim, 0.05, 1.0, &rng);
        cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
        cr_assert(is_wrapped(f.sim, 1));
        cr_assert_eq(f.sim->problem.block_count, 2);
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            expect_known(f.sim, (ts_step_input_kind)k, 3e-12, "stops of tendons");
        fixture_end(&f);
    }
}

// And motors whose gain goes by length and rate, with an activation and without. A tie's give goes by what is taken ahead.
#define MUSCLES                                                                                                        \
    "<actuator><muscle tendon='t1' force='30' lengthrange='0.4 0.9'/>"                                                 \
    "<muscle tendon='t2' force='20' lengthrange='0.1 0.35' range='0.7 1.1' tausmooth='1.5'/>"                          \
    "<muscle joint='r' force='2' lengthrange='-1 1' timeconst='0.02 0.06'/>"                                           \
    "<general joint='r' gainprm='1 0.5 -0.2' gaintype='affine' biastype='affine' biasprm='0 -1 -0.5'/>"                \
    "<general joint='r' gainprm='1 0.5 -0.2' gaintype='affine' biastype='affine' biasprm='0 -1 -0.5' actearly='true' " \
    "dyntype='filter' dynprm='0.05'/></actuator>"

Test(step_equations, muscles) { expect_sinews_known(SINEWS("") MUSCLES "</mujoco>", 3e-12, "muscles"); }

Test(step_equations, muscles_that_are_tied) {
    expect_sinews_known(SINEWS("") MUSCLES "<equality><connect body1='c' body2='world' anchor='0.1 0.02 0'/></equality>"
                                           "</mujoco>",
                        3e-12, "muscles that are tied");
}

// Air and water: boxes of inertia and ellipsoids with lift; a chain, bodies that are lone, one of them about its centre, and one whose geoms press it.
#define SWIMMERS(equalities)                                                                                      \
    "<mujoco><option timestep='0.01' density='40' viscosity='0.3' wind='0.4 -0.3 0.2'/><worldbody>"               \
    "<body name='a' pos='0 0 1'><joint type='hinge' axis='0.2 1 0.1' damping='0.1'/>"                             \
    "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"                                    \
    "<body name='b' pos='0.3 0 -0.2'><joint type='ball' damping='0.05'/>"                                         \
    "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 0.003'/>"                 \
    "<geom type='ellipsoid' size='0.2 0.1 0.05' pos='0.05 0.1 0.02' euler='20 30 40' fluidshape='ellipsoid' "     \
    "contype='0' conaffinity='0'/></body></body>"                                                                 \
    "<body name='d' pos='1 0.2 0.8'><freejoint/>"                                                                 \
    "<inertial pos='0.02 -0.05 0.04' mass='0.9' fullinertia='0.02 0.03 0.025 0.004 0.002 -0.003'/></body>"        \
    "<body name='e' pos='-1 0.3 0.5'><freejoint/>"                                                                \
    "<inertial pos='0 0 0' mass='1.1' diaginertia='0.03 0.02 0.015'/></body>"                                     \
    "<body name='leaf' pos='-1 2 0.5'><freejoint/>"                                                               \
    "<inertial pos='0.01 0.02 0' mass='0.3' diaginertia='0.003 0.002 0.0045'/>"                                   \
    "<geom type='box' size='0.2 0.15 0.02' pos='0.03 0 0.01' fluidshape='ellipsoid' contype='0' conaffinity='0' " \
    "fluidcoef='0.6 0.3 1.4 1.1 0.9'/></body></worldbody><equality>" equalities "</equality></mujoco>"

// By its centre a body that is lone about it jumps to another rule where Coriolis forces are taken ahead.
static void expect_swimmers_known(const char* text, const char* what) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    ts_rng rng = ts_rng_make(17, 0);
    for (int n = 0; n < 10; ++n) {
        fixture f = read_world(text, "ncp", integrator[n % 5]);
        stir(f.sim, 0.02, 2.0, &rng);
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            if (n % 5 < 3 || k != TS_STEP_BY_INERTIA) expect_known(f.sim, (ts_step_input_kind)k, 3e-12, what);
        fixture_end(&f);
    }
}

Test(step_equations, media) {
    expect_swimmers_known(SWIMMERS(""), "media");
    expect_swimmers_known(SWIMMERS("<connect body1='b' body2='d' anchor='0.1 0 0.05'/>"
                                   "<connect body1='leaf' body2='world' anchor='0.1 0 0.05'/>"),
                          "ties in media");
}

// Four stages: chains, balls with springs, lone bodies that coast, in a medium, tied, on a floor; in a medium by what is not of the model.
Test(step_equations, stages) {
    enum { OF_MODEL = 6, KINDS = 10 };
    static const ts_step_input_kind kind[] = {
        TS_STEP_BY_POSITION, TS_STEP_BY_VELOCITY, TS_STEP_BY_CONTROL, TS_STEP_BY_FORCE,   TS_STEP_BY_WRENCH,
        TS_STEP_BY_FRICTION, TS_STEP_BY_MASS,     TS_STEP_BY_INERTIA, TS_STEP_BY_GRAVITY, TS_STEP_BY_TIME_STEP};
    static const char* const text[] = {
        CHAINS(""),
        SHOULDERS("damping='0.02'"),
        SWIMMERS(""),
        CHAINS("<connect body1='c' body2='d' anchor='0.1 0 0.05'/>"),
        SINEWS("stiffness='20' damping='0.3' springlength='0.5'") "</mujoco>",
        SINEWS("") "<actuator><motor joint='r' gear='3'/><position joint='p' kp='5'/></actuator></mujoco>"};
    ts_rng rng = ts_rng_make(33, 0);
    for (int n = 0; n < 12; ++n) {
        fixture f = read_world(text[n % 6], "ncp", "rk4");
        // Once as fast as that the charts of rotations curve.
        stir(f.sim, 0.02, n == 6 ? 120.0 : 2.0, &rng);
        if (n % 6 == 1) turn_shoulders(f.sim, n < 6 ? 0.3 : 2.4, &rng);
        for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(&rng, -0.5, 0.5);
        for (int k = 0; k < (n % 6 == 2 ? OF_MODEL : KINDS); ++k) expect_known(f.sim, kind[k], 3e-12, "stages");
        fixture_end(&f);
    }
    fixture f = read_world(balls, "ncp", "rk4");
    stir(f.sim, 1e-4, 0.3, &rng);
    drop(f.sim, 0.3, 2e-4);
    for (int k = 0; k < KINDS; ++k) expect_known(f.sim, kind[k], 3e-12, "stages that touch");
    fixture_end(&f);
    f = read_world(STICKY(""), "ncp", "rk4");
    stir(f.sim, 1e-4, 0.1, &rng);
    for (int g = 0; g < f.model->geom_count; ++g) ts_step_input_move(f.sim, TS_STEP_BY_RESTITUTION, g, 0.1);
    for (int k = 0; k < KINDS; ++k) expect_known(f.sim, kind[k], 1e-11, "stages that stick");
    fixture_end(&f);
}

// Filters and integrators before motors and servos, early and late, at limits and within.
Test(step_equations, activations) {
    static const char* const integrator[] = {"midpoint", "euler", "implicitfast", "implicit"};
    static const char* const text =
        "<mujoco><option timestep='0.01'/><worldbody>"
        "<body name='a' pos='0 0 1'><joint name='p' type='hinge' axis='0.2 1 0.1' damping='0.1'/>"
        "<inertial pos='0.1 0.02 -0.2' mass='1.3' diaginertia='0.02 0.03 0.015'/>"
        "<body name='b' pos='0.3 0 -0.2'><joint name='q' type='hinge' axis='1 0.2 0'/>"
        "<inertial pos='0.05 0.1 0.02' mass='0.7' fullinertia='0.01 0.02 0.015 0.002 -0.001 "
        "0.003'/></body></body></worldbody>"
        "<actuator><general joint='p' dyntype='filter' dynprm='0.05' gainprm='2'/>"
        "<general joint='q' dyntype='filterexact' dynprm='0.03' gainprm='1.5' actearly='true'/>"
        "<general joint='p' dyntype='integrator' gainprm='5' biastype='affine' biasprm='0 -5 -0.2' actearly='true'/>"
        "<general joint='q' dyntype='integrator' gainprm='40' biastype='affine' biasprm='0 -40 0' forcelimited='true' "
        "forcerange='-1 1'/>"
        "<general joint='q' dyntype='integrator' gainprm='1' actlimited='true' actrange='-0.2 "
        "0.2'/></actuator></mujoco>";
    ts_rng rng = ts_rng_make(10, 0);
    for (int n = 0; n < 8; ++n) {
        fixture f = read_world(text, "ncp", integrator[n % 4]);
        stir(f.sim, 0.05, 1.0, &rng);
        for (int i = 0; i < f.model->actuator_count; ++i) f.sim->ctrl[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        for (int i = 0; i < f.model->act_count; ++i) f.sim->act[i] = ts_rng_uniform_in(&rng, -0.15, 0.15);
        if (n > 3) {
            f.sim->act[4] = 0.195;
            f.sim->ctrl[4] = 2.0;
        }
        for (int k = 0; k < TS_STEP_BY_COMPLIANCE; ++k)
            expect_known(f.sim, (ts_step_input_kind)k, 3e-12, "activations");
        fixture_end(&f);
    }
}
// What slides on something fixed that comes after it in the model, so that it is the first of the pair; two balls below one chain, one of a shape with a face.
Test(step_equations, fixed_things_behind) {
    fixture f = read_world(
        "<mujoco><option timestep='0.01'/><worldbody><body name='a' pos='0 0 0.5997'>"
        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
        "<joint type='hinge' axis='0 1 0.2'/><inertial pos='0 0.02 -0.2' mass='1' diaginertia='0.1 0.1 0.1'/>"
        "<body name='b'><joint type='ball' damping='0.1'/>"
        "<inertial pos='0.1 0 -0.4' mass='0.6' diaginertia='0.05 0.04 0.06'/>"
        "<geom type='sphere' size='0.1' pos='0.1 0.05 -0.5' friction='0.3'/>"
        "<geom type='capsule' size='0.1 0.2' pos='-0.1 -0.05 -0.5' euler='80 10 0' friction='0.2'/>"
        "</body></body><body name='table' pos='0 0 -0.05'>"
        "<geom type='ellipsoid' size='3 3 0.05' friction='0.1'/></body></worldbody></mujoco>",
        "ncp", "euler");
    ts_rng rng = ts_rng_make(17, 0);
    stir(f.sim, 1e-5, 0.01, &rng);
    f.sim->qvel[0] += 1.0;
    f.sim->qvel[1] -= 0.3;
    cr_assert_eq(ts_sim_foresee(f.sim, NULL), TS_OK);
    cr_assert_gt(f.sim->contact_count, 1);
    for (int i = 0; i < f.sim->contact_count; ++i) {
        cr_assert_geq(f.model->body[f.sim->contact[i].body_a].tree, 0);
        cr_assert_lt(f.model->body[f.sim->contact[i].body_b].tree, 0);
    }
    static const ts_step_input_kind kind[] = {TS_STEP_BY_POSITION, TS_STEP_BY_VELOCITY, TS_STEP_BY_FORCE,
                                              TS_STEP_BY_FRICTION};
    for (int k = 0; k < 4; ++k) expect_known(f.sim, kind[k], 3e-12, "fixed behind");
    fixture_end(&f);
}

// What a column is worth: equations, a difference, an input that ends here, a law that jumps.
Test(step_equations, what_columns_are_worth) {
    fixture f = read_world(balls, "ncp", "midpoint");
    ts_rng rng = ts_rng_make(8, 0);
    stir(f.sim, 1e-4, 0.3, &rng);
    drop(f.sim, 2.0, 2e-4);
    static const struct {
        ts_step_input input;
        ts_step_column_verdict verdict;
        const char* integrator;
        double viscosity;
    } wanted[] = {{{TS_STEP_BY_VELOCITY, 0, 1}, TS_COLUMN_EXACT, "midpoint", 0.0},
                  {{TS_STEP_BY_MASS, 1, 1}, TS_COLUMN_EXACT, "midpoint", 0.0},
                  {{TS_STEP_BY_VELOCITY, 0, 1}, TS_COLUMN_EXACT, "rk4", 0.0},
                  {{TS_STEP_BY_MASS, 1, 1}, TS_COLUMN_EXACT, "rk4", 0.0},
                  {{TS_STEP_BY_MASS, 1, 1}, TS_COLUMN_DIFFERENCE, "rk4", 0.1},
                  {{TS_STEP_BY_COMPLIANCE, 0, 1}, TS_COLUMN_ONE_SIDED, "midpoint", 0.0},
                  {{TS_STEP_BY_RESTITUTION, 1, 1}, TS_COLUMN_USELESS, "midpoint", 0.0}};
    for (int k = 0; k < 7; ++k) {
        f.sim->options.viscosity = wanted[k].viscosity;
        cr_assert_eq(ts_sim_set_integrator(f.sim, wanted[k].integrator, NULL), TS_OK);
        jacobian J = take(f.sim, TS_STEP_IMPLICIT, 1.0, wanted[k].input);
        cr_assert(J.of.report.column_verdict);
        cr_expect_eq(J.of.report.column_verdict[0], wanted[k].verdict, "%d: %s", k,
                     ts_step_column_verdict_name((ts_step_column_verdict)J.of.report.column_verdict[0]));
        cr_expect_eq(J.of.report.input_verdict[wanted[k].input.kind], wanted[k].verdict);
        ts_arena_free(&J.arena);
    }
    fixture_end(&f);
}
