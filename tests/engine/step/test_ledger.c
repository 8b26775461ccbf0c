// The books of a step: every account against its closed form, all of them together against the energies, and that a wrong term shows.
#include "engine/actuation/actuation_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/ledger_internal.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

// A simulation with its books.
typedef struct book {
    ts_model* model;
    ts_sim* sim;
    ts_ledger ledger;
} book;

static void open_book(const char* text, book* out) {
    memset(out, 0, sizeof *out);
    out->model = mjcf_read(text);
    cr_assert_eq(ts_sim_create(out->model, 1, &out->sim, NULL), TS_OK);
    ts_ledger_keep(out->sim, &out->ledger);
}

static void set(book* b, const char* name, const char* value) {
    ts_status status;
    cr_assert_eq(ts_sim_set(b->sim, name, value, &status), TS_OK, "%s", status.message);
}

static void run(book* b, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) cr_assert_eq(ts_sim_step(b->sim, &status), TS_OK, "%s", status.message);
    cr_expect_leq(b->ledger.total_remainder, 1e-12 * ts_ledger_turnover(&b->ledger), "remainder %g of %g J",
                  b->ledger.total_remainder, ts_ledger_turnover(&b->ledger));
}

static void close_book(book* b) {
    ts_sim_free(b->sim);
    ts_model_free(b->model);
}

static void expect(const book* b, ts_ledger_account account, double wanted, double tolerance) {
    cr_expect_float_eq(b->ledger.total[account], wanted, tolerance, "%s: %.12g J, should be %.12g",
                       ts_ledger_name(account, NULL), b->ledger.total[account], wanted);
}

// All accounts but these are empty.
static void expect_nothing_but(const book* b, const ts_ledger_account* account, int count, double tolerance) {
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) {
        int listed = 0;
        for (int k = 0; k < count; ++k) listed |= (int)account[k] == i;
        if (!listed)
            cr_expect_leq(b->ledger.turned[i], tolerance, "%s: %g J", ts_ledger_name((ts_ledger_account)i, NULL),
                          b->ledger.turned[i]);
    }
}

#define ONLY(b, tolerance, ...)                                                      \
    do {                                                                             \
        const ts_ledger_account only[] = {__VA_ARGS__};                              \
        expect_nothing_but(b, only, (int)(sizeof only / sizeof only[0]), tolerance); \
    } while (0)

#define POINT(options, joints, geom) \
    "<mujoco><option timestep='0.001' " options "/><worldbody><body>" joints geom "</body></worldbody></mujoco>"

// A box of 2 kg that slides: friction is mu m g against the way. A step's mean velocity is half a step behind the one that it moves by.
Test(ledger, friction_is_mu_m_g_times_the_way) {
    book b;
    open_book("<mujoco><option timestep='0.001'/><default><geom friction='0.4'/></default><worldbody><geom "
              "type='plane' size='9 9 1'/><body pos='0 0 0.1'><freejoint/>"
              "<geom type='box' size='0.2 0.2 0.1' mass='2'/></body></worldbody></mujoco>",
              &b);
    set(&b, "solver", "ncp");
    b.sim->qvel[0] = 3.0;
    run(&b, 300);
    double way = b.sim->qpos[0] + 0.5 * 0.001 * (3.0 - b.sim->qvel[0]), v = 3.0 - 0.4 * 9.81 * 0.3;
    cr_expect_float_eq(b.sim->qvel[0], v, 1e-8);
    expect(&b, TS_LEDGER_FRICTION, -0.4 * 2.0 * 9.81 * way, 1e-7);
    expect(&b, TS_LEDGER_FRICTION, -(3.0 * 3.0 - v * v), 1e-7);
    ONLY(&b, 1e-7, TS_LEDGER_FRICTION);
    // At rest it turns over what gravity and floor do within steps, and nothing else.
    run(&b, 1000);
    expect(&b, TS_LEDGER_FRICTION, -9.0, 1e-7);
    cr_expect_float_eq(b.ledger.within, 0.5 * 2.0 * 9.81e-3 * 9.81e-3, 1e-9);
    close_book(&b);
}

// A box set on a belt: friction heats with half of what the belt's drive gives, m u^2.
Test(ledger, a_belt_gives_twice_what_it_leaves) {
    book b;
    open_book("<mujoco><option timestep='0.001'/><default><geom friction='0.4'/></default><worldbody><geom type='box' "
              "size='5 1 0.1' pos='0 0 -0.1' "
              "surfacevel='1.5 0 0 0 0 0'/>"
              "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' mass='2' "
              "friction='0.4'/></body></worldbody>"
              "</mujoco>",
              &b);
    set(&b, "solver", "ncp");
    run(&b, 800);
    expect(&b, TS_LEDGER_SURFACE, 2.0 * 1.5 * 1.5, 1e-7);
    expect(&b, TS_LEDGER_FRICTION, -0.5 * 2.0 * 1.5 * 1.5, 1e-7);
    ONLY(&b, 1e-7, TS_LEDGER_FRICTION, TS_LEDGER_SURFACE);
    close_book(&b);
}

// 3 kg at 2 m/s against a wall: the stop takes m (1 + e) u^2 / 2, e times that comes back.
Test(ledger, a_bounce_is_a_stop_and_what_comes_back) {
    for (double e = 0.0; e <= 1.0; e += 0.25) {
        book b;
        open_book("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><geom type='plane' size='9 9 1'/><body "
                  "pos='0 0 0.2'>"
                  "<freejoint/><geom size='0.1' mass='3'/></body></worldbody></mujoco>",
                  &b);
        set(&b, "solver", "ncp");
        for (int g = 0; g < b.model->geom_count; ++g) ((ts_geom*)&b.model->geom[g])->surface.restitution = e;
        b.sim->qvel[2] = -2.0;
        run(&b, 200);
        cr_expect_float_eq(b.sim->qvel[2], 2.0 * e, 1e-9);
        expect(&b, TS_LEDGER_NORMAL, -0.5 * 3.0 * (1.0 + e) * 4.0, 1e-8);
        expect(&b, TS_LEDGER_RESTITUTION, 0.5 * 3.0 * e * (1.0 + e) * 4.0, 1e-8);
        ONLY(&b, 1e-8, TS_LEDGER_NORMAL, TS_LEDGER_RESTITUTION);
        close_book(&b);
    }
}

// Deep in the floor without gravity: the push-out leaves it with the speed it asked for, and that is all of its energy. With gravity it
// lifts the weight besides.
Test(ledger, stabilisation_is_the_push_out) {
    for (int weighs = 0; weighs < 2; ++weighs) {
        book b;
        open_book("<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 "
                  "0.09'><freejoint/>"
                  "<geom size='0.1' mass='3'/></body></worldbody></mujoco>",
                  &b);
        set(&b, "solver", "ncp");
        if (!weighs) set(&b, "gravity", "0 0 0");
        run(&b, 1);
        double v = b.sim->qvel[2];
        cr_expect_gt(v, 0.5);
        double h = 0.001, g = weighs ? 9.81 : 0.0;
        expect(&b, TS_LEDGER_STABILISATION, 0.5 * 3.0 * v * (v + g * h), 1e-9);
        run(&b, 500);
        ONLY(&b, weighs ? 0.02 : 1e-9, TS_LEDGER_STABILISATION, TS_LEDGER_GRAVITY, TS_LEDGER_NORMAL,
             TS_LEDGER_INTEGRATOR_POTENTIAL);
        if (!weighs) expect(&b, TS_LEDGER_STABILISATION, 0.5 * 3.0 * v * v, 1e-9);
        close_book(&b);
    }
}

// Held back, but for a give R: on a slope the box creeps at R times what friction holds, and all of that work is softness's.
Test(ledger, creep_is_softness) {
    book b;
    open_book("<mujoco><option timestep='0.001' gravity='2 0 -9'/><default><geom "
              "friction='1'/></default><worldbody><geom type='plane' size='9 9 1'/><body "
              "pos='0 0 0.1'><joint "
              "type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' "
              "friction='1'/></body></worldbody>"
              "</mujoco>",
              &b);
    set(&b, "solver", "ncp");
    set(&b, "compliance_tangent", "0.5");
    run(&b, 60);
    double held = 2.0 * 2.0 * 0.001, speed = 0.5 * held;
    cr_expect_float_eq(b.sim->qvel[0], speed, 1e-9);
    cr_expect_float_eq(b.ledger.work[TS_LEDGER_SOFTNESS], -held * speed, 1e-11);
    cr_expect_float_eq(b.ledger.work[TS_LEDGER_FRICTION], 0.0, 1e-11);
    cr_expect_float_eq(b.ledger.work[TS_LEDGER_GRAVITY], held * speed, 1e-11);
    close_book(&b);
}

// The convex relaxation lets what slides at v open at mu v: lambda / m (1 + mu^2) = mu v0 + g h, and the lift is work against the law.
Test(ledger, the_relaxation_violates) {
    book b;
    open_book("<mujoco><option timestep='0.001'/><default><geom friction='0.5'/></default><worldbody><geom "
              "type='plane' size='9 9 1'/><body pos='0 0 "
              "0.1'><joint type='slide' "
              "axis='1 0 0'/><joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' "
              "friction='0.5'/></body></worldbody></mujoco>",
              &b);
    set(&b, "solver", "ccp-pgs");
    b.sim->qvel[0] = 6.0;
    run(&b, 1);
    double fall = 9.81e-3, pressed = 2.0 * (0.5 * 6.0 + fall) / 1.25, slip = 6.0 - 0.5 * pressed / 2.0;
    expect(&b, TS_LEDGER_VIOLATION, 0.5 * pressed * 0.5 * slip, 1e-6);
    expect(&b, TS_LEDGER_FRICTION, -0.5 * pressed * 0.5 * (6.0 + slip), 1e-6);
    close_book(&b);
    open_book("<mujoco><option timestep='0.001'/><default><geom friction='0.5'/></default><worldbody><geom "
              "type='plane' size='9 9 1'/><body pos='0 0 "
              "0.1'><joint type='slide' "
              "axis='1 0 0'/><joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' "
              "friction='0.5'/></body></worldbody></mujoco>",
              &b);
    set(&b, "solver", "ncp");
    b.sim->qvel[0] = 6.0;
    run(&b, 1);
    expect(&b, TS_LEDGER_VIOLATION, 0.0, 1e-9);
    close_book(&b);
}

// 2 kg on a rail with a damper of 3 N s/m, or with dry friction of 3 N: all of its motion, force times way.
Test(ledger, dampers_and_dry_friction_take_what_moves) {
    static const char* const integrator[] = {"midpoint", "euler", "rk4"};
    for (int i = 0; i < 3; ++i) {
        book b;
        open_book(
            POINT("gravity='0 0 0'", "<joint type='slide' axis='1 0 0' damping='3'/>", "<geom size='0.1' mass='2'/>"),
            &b);
        set(&b, "integrator", integrator[i]);
        b.sim->qvel[0] = 4.0;
        run(&b, 400);
        double v = 4.0 * pow(1.0 / (1.0 + 0.001 * 3.0 / 2.0), 400), end = b.sim->qvel[0];
        if (i < 2) cr_expect_float_eq(end, v, 1e-12);
        expect(&b, TS_LEDGER_DAMPING, end * end - 16.0, 1e-12);
        ONLY(&b, 1e-12, TS_LEDGER_DAMPING);
        close_book(&b);
    }
    book b;
    open_book(
        POINT("gravity='0 0 0'", "<joint type='slide' axis='1 0 0' frictionloss='3'/>", "<geom size='0.1' mass='2'/>"),
        &b);
    b.sim->qvel[0] = 4.0;
    run(&b, 1000);
    double way = b.sim->qpos[0] + 0.5 * 0.001 * (4.0 - b.sim->qvel[0]);
    expect(&b, TS_LEDGER_DRY_FRICTION, -3.0 * way, 1e-9);
    expect(&b, TS_LEDGER_DRY_FRICTION, b.sim->qvel[0] * b.sim->qvel[0] - 16.0, 1e-9);
    ONLY(&b, 1e-9, TS_LEDGER_DRY_FRICTION);
    close_book(&b);
}

// What loses speed against a stop, 2 kg at 3 m/s, and what is tied to another of the same mass that stands: the half of it stays.
Test(ledger, stops_and_ties_take_impacts) {
    book b;
    open_book(POINT("gravity='0 0 0'", "<joint type='slide' axis='1 0 0' limited='true' range='-1 0.2'/>",
                    "<geom size='0.1' mass='2'/>"),
              &b);
    b.sim->qvel[0] = 3.0;
    run(&b, 100);
    expect(&b, TS_LEDGER_LIMIT, -9.0, 1e-9);
    ONLY(&b, 1e-9, TS_LEDGER_LIMIT);
    close_book(&b);
    open_book("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body name='a'><freejoint/><geom "
              "size='0.1' mass='2'/></body>"
              "<body name='b' pos='0.5 0 0'><freejoint/><geom size='0.1' mass='2'/></body></worldbody><equality><weld "
              "body1='a' "
              "body2='b'/></equality></mujoco>",
              &b);
    b.sim->qvel[0] = 3.0;
    run(&b, 1);
    expect(&b, TS_LEDGER_EQUALITY, -4.5, 1e-3);
    cr_expect_lt(b.ledger.turned[TS_LEDGER_SOFTNESS] + b.ledger.turned[TS_LEDGER_VIOLATION], 1e-3);
    close_book(&b);
}

// A motor on a wheel of 0.08 kg m^2: tau^2 t^2 / (2 I), all of it motion. A servo at its limit: force times way.
Test(ledger, actuators_give_force_times_way) {
    book b;
    open_book("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body><joint name='j' type='hinge' axis='0 "
              "0 1'/><inertial pos='0 0 0' "
              "mass='1' diaginertia='0.08 0.08 0.08'/></body></worldbody><actuator><motor joint='j' "
              "gear='2'/></actuator></mujoco>",
              &b);
    b.sim->ctrl[0] = 0.3;
    run(&b, 500);
    expect(&b, TS_LEDGER_ACTUATOR, 0.6 * 0.6 * 0.25 / (2.0 * 0.08), 1e-11);
    ONLY(&b, 1e-11, TS_LEDGER_ACTUATOR);
    close_book(&b);
    open_book("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 "
              "0 0'/><geom size='0.1' "
              "mass='2'/></body></worldbody><actuator><position joint='j' kp='1000' kv='10' forcerange='-6 "
              "6'/></actuator></mujoco>",
              &b);
    b.sim->ctrl[0] = 50.0;
    run(&b, 500);
    expect(&b, TS_LEDGER_ACTUATOR, 0.5 * 2.0 * 1.5 * 1.5, 1e-11);
    ONLY(&b, 1e-11, TS_LEDGER_ACTUATOR);
    close_book(&b);
}

// Implicit in its spring an oscillator keeps 1 / (1 + h^2 w^2) of its energy in every step: the integrator's doing, and on which side it is
// booked follows from x+ = x + h v+.
Test(ledger, an_implicit_spring_loses_to_the_integrator) {
    static const char* const model[2] = {
        POINT("gravity='0 0 0'", "<joint type='slide' axis='1 0 0' stiffness='800'/>", "<geom size='0.1' mass='2'/>"),
        "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 "
        "0'/><geom size='0.1' "
        "mass='2'/></body></worldbody><tendon><fixed stiffness='800' springlength='0'><joint joint='j' "
        "coef='1'/></fixed></tendon></mujoco>"};
    for (int m = 0; m < 2; ++m) {
        book b;
        open_book(model[m], &b);
        b.sim->qpos[0] = 0.3;
        double energy = 0.5 * 800.0 * 0.09, kept = 1.0 / (1.0 + 1e-6 * 400.0);
        run(&b, 1);
        expect(&b, TS_LEDGER_INTEGRATOR_POTENTIAL, -energy * (1.0 - kept), 1e-10);
        run(&b, 999);
        expect(&b, TS_LEDGER_INTEGRATOR_POTENTIAL, -energy * (1.0 - pow(kept, 1000.0)), 1e-9);
        ONLY(&b, 1e-12, m ? TS_LEDGER_TENDON_SPRING : TS_LEDGER_SPRING, TS_LEDGER_INTEGRATOR_POTENTIAL);
        close_book(&b);
    }
}

// On a straight rail, where inertia is the same all along, a single law has done all that happened to the motion: of rk4's stages, too. What
// the end of a step differs by from the mean of its stages is of fourth order.
Test(ledger, rk4_books_the_mean_of_its_stages) {
    static const struct {
        const char *joint, *rest;
        ts_ledger_account account;
    } law[] = {
        {"stiffness='800'", "", TS_LEDGER_SPRING},
        {"damping='2 3'", "", TS_LEDGER_DAMPING},
        {"", "<tendon><fixed stiffness='800' springlength='0'><joint joint='j' coef='1'/></fixed></tendon>",
         TS_LEDGER_TENDON_SPRING},
        {"", "<tendon><fixed damping='4'><joint joint='j' coef='1'/></fixed></tendon>", TS_LEDGER_TENDON_DAMPING},
        {"", "<actuator><position joint='j' kp='300' kv='5'/></actuator>", TS_LEDGER_ACTUATOR},
        {"", "<option density='1000'/>", TS_LEDGER_FLUID},
    };
    for (size_t i = 0; i < sizeof law / sizeof law[0]; ++i) {
        book b;
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.001' gravity='0 0 0' integrator='RK4'/><worldbody><body><joint name='j' "
                 "type='slide' axis='1 0 0' %s/><geom size='0.1' mass='2'/></body></worldbody>%s</mujoco>",
                 law[i].joint, law[i].rest);
        open_book(text, &b);
        b.sim->qpos[0] = 0.3;
        b.sim->qvel[0] = 2.0;
        double before = 4.0;
        run(&b, 100);
        expect(&b, law[i].account, b.sim->qvel[0] * b.sim->qvel[0] - before, 1e-12);
        cr_expect_gt(b.ledger.turned[law[i].account], 0.1);
        cr_expect_leq(b.ledger.turned[TS_LEDGER_INTEGRATOR_POTENTIAL], 1e-6);
        ONLY(&b, 1e-12, law[i].account, TS_LEDGER_INTEGRATOR_POTENTIAL);
        close_book(&b);
    }
}

// A pendulum of 1 kg on 0.5 m with a damper: damping takes the integral of c w^2, by Runge and Kutta in long double; the integrator's part
// halves with the step.
Test(ledger, a_damped_pendulum) {
    long double q = 1.0L, w = 0.0L, heat = 0.0L, h = 1e-5L, c = 0.2L, inertia = 0.25L + 0.4L * 0.01L;
    for (int i = 0; i < 100000; ++i) {
        long double kq[5] = {0}, kw[5] = {0}, kh[5] = {0};
        for (int s = 1; s <= 4; ++s) {
            long double part = s == 1   ? 0.0L
                               : s == 4 ? 1.0L
                                        : 0.5L,
                        a = q + part * h * kq[s - 1], b = w + part * h * kw[s - 1];
            kq[s] = b;
            kw[s] = (-c * b - 9.81L * 0.5L * sinl(a)) / inertia;
            kh[s] = c * b * b;
        }
        q += h / 6.0L * (kq[1] + 2.0L * kq[2] + 2.0L * kq[3] + kq[4]);
        w += h / 6.0L * (kw[1] + 2.0L * kw[2] + 2.0L * kw[3] + kw[4]);
        heat += h / 6.0L * (kh[1] + 2.0L * kh[2] + 2.0L * kh[3] + kh[4]);
    }
    double integrator[2];
    for (int k = 0; k < 2; ++k) {
        book b;
        open_book("<mujoco><worldbody><body><joint type='hinge' axis='0 1 0' damping='0.2'/><geom size='0.1' mass='1' "
                  "pos='0 0 -0.5'/></body>"
                  "</worldbody></mujoco>",
                  &b);
        set(&b, "time_step", k ? "0.0005" : "0.001");
        b.sim->qpos[0] = 1.0;
        run(&b, k ? 2000 : 1000);
        expect(&b, TS_LEDGER_DAMPING, (double)-heat, (k ? 0.5 : 1.0) * 2e-3 * (double)heat);
        expect(&b, TS_LEDGER_GRAVITY, -9.81 * 0.5 * (cos(1.0) - cos((double)q)), 1e-2);
        integrator[k] = b.ledger.total[TS_LEDGER_INTEGRATOR_POTENTIAL] + b.ledger.total[TS_LEDGER_INTEGRATOR_KINETIC];
        ONLY(&b, 1e-12, TS_LEDGER_DAMPING, TS_LEDGER_GRAVITY, TS_LEDGER_INTEGRATOR_KINETIC,
             TS_LEDGER_INTEGRATOR_POTENTIAL);
        close_book(&b);
    }
    cr_expect_float_eq(integrator[0] / integrator[1], 2.0, 0.05, "%g and %g J", integrator[0], integrator[1]);
    // Of rk4 the mean of its stages times the mean velocity: a second-order rule.
    double off[2];
    for (int k = 0; k < 2; ++k) {
        book b;
        open_book("<mujoco><option integrator='RK4'/><worldbody><body><joint type='hinge' axis='0 1 0' damping='0.2'/>"
                  "<geom size='0.1' mass='1' pos='0 0 -0.5'/></body></worldbody></mujoco>",
                  &b);
        set(&b, "time_step", k ? "0.005" : "0.01");
        b.sim->qpos[0] = 1.0;
        run(&b, k ? 200 : 100);
        off[k] = b.ledger.total[TS_LEDGER_DAMPING] + (double)heat;
        cr_expect_lt(fabs(off[k]), 1e-3 * (double)heat, "%g of %g J", off[k], (double)heat);
        close_book(&b);
    }
    cr_expect_float_eq(off[0] / off[1], 4.0, 0.2, "%g and %g J", off[0], off[1]);
}

// Everything at once.
static const char zoo[] =
    "<mujoco><option timestep='0.002' density='1.2' viscosity='0.02' wind='1 0 0'/><default><geom friction='0.5 0.01 "
    "0.002' condim='6'/></default>"
    "<worldbody><geom name='floor' type='plane' size='9 9 1' surfacevel='0.1 0 0 0 0 0'/>"
    "<body pos='0 0 0.5' euler='20 10 0'><freejoint/><geom type='box' size='0.1 0.2 0.05' pos='0.05 0 0.02' "
    "mass='1'/><geom type='capsule' "
    "size='0.03 0.1' pos='0.1 0.1 0' mass='0.3'/></body>"
    "<body pos='1 0 0.3'><freejoint/><geom size='0.1' mass='1'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='j1' type='ball' damping='0.05' stiffness='1'/><geom type='capsule' "
    "fromto='0 0 0 0.4 0 0' size='0.03'/>"
    "<body pos='0.4 0 0'><joint name='j2' type='hinge' axis='0 1 0' damping='0.1 0.02' stiffness='2 1' springref='20' "
    "frictionloss='0.02' armature='0.01' "
    "limited='true' range='-60 60'/><geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02'/><site name='tip' pos='0.3 "
    "0 0'/>"
    "<body pos='0.3 0 0'><joint name='j3' type='slide' axis='1 0 0' damping='1' limited='true' range='-0.1 0.1' "
    "actuatorfrclimited='true' "
    "actuatorfrcrange='-2 2'/><geom size='0.05' mass='0.2'/></body></body></body>"
    "<body name='cart' pos='3 0 1'><joint name='j4' type='slide' axis='1 0 0'/><geom type='box' size='0.1 0.1 0.1' "
    "fluidshape='ellipsoid'/><site name='s' "
    "pos='0 0 -0.1'/></body><body name='load' pos='3.2 0 0.6'><freejoint/><geom size='0.06'/></body><site name='wall' "
    "pos='3.5 0 1.5'/></worldbody>"
    "<tendon><fixed name='t1' stiffness='30' damping='0.5' frictionloss='0.1'><joint joint='j2' coef='0.2'/><joint "
    "joint='j3' coef='1'/></fixed>"
    "<spatial name='t2' stiffness='40' damping='1' springlength='0.1'><site site='wall'/><site site='s'/></spatial>"
    "<spatial name='t3' stiffness='20' damping='0.5' springlength='0.2'><site site='tip'/><site "
    "site='s'/></spatial></tendon>"
    "<equality><connect body1='cart' body2='load' anchor='0.2 0 -0.4'/></equality>"
    "<actuator><motor joint='j2' ctrllimited='true' ctrlrange='-1 1'/><position joint='j3' kp='60' kv='2' "
    "forcerange='-3 3'/><velocity joint='j3' kv='3'/>"
    "<position tendon='t2' kp='20'/><general joint='j4' dyntype='filter' dynprm='0.1' gainprm='3'/><muscle joint='j2' "
    "lengthrange='-1 1'/></actuator></mujoco>";

static void excite(book* b) {
    for (int d = 0; d < b->model->nv; ++d) b->sim->qvel[d] = 1.5 * sin(1.0 + 3.0 * d);
    for (int i = 0; i < b->model->actuator_count; ++i) b->sim->ctrl[i] = 0.4 + 0.3 * sin(2.0 * i);
    b->sim->force_applied[7] = 0.3;
    b->sim->wrench_applied[2].force.z = 0.5;
}

// Under every integrator, soft and hard, solved and hardly solved, the books close; and every account has been used, so that a
// term which is wrong or missing would have shown.
Test(ledger, closes_on_everything_at_once) {
    static const char* const solver[] = {"ncp", "ccp-pgs", "lcp-pgs", "mujoco", "sap", "raisim", "ncp-pgs"};
    double turned[TS_LEDGER_ACCOUNTS] = {0.0};
    for (int i = 0; i < ts_integrator_count(); ++i)
        for (int s = 0; s < 7; ++s)
            for (int soft = 0; soft < 3; ++soft) {
                book b;
                open_book(zoo, &b);
                set(&b, "integrator", ts_integrator_at(i)->name);
                set(&b, "solver", solver[s]);
                if (s == 6) set(&b, "solver.iteration_limit", "2");
                if (soft == 1) set(&b, "soft_contacts", "2");
                if (soft == 2) set(&b, "contact_stiffness", "2000");
                for (int g = 0; g < b.model->geom_count; ++g) {
                    ((ts_geom*)&b.model->geom[g])->surface.restitution = 0.5;
                    ((ts_geom*)&b.model->geom[g])->surface.adhesion = 0.2;
                }
                excite(&b);
                run(&b, 300);
                double turnover = ts_ledger_turnover(&b.ledger);
                cr_expect_leq(b.ledger.total_remainder, 1e-12 * turnover, "%s, %s, %d: %g of %g J",
                              ts_integrator_at(i)->name, solver[s], soft, b.ledger.total_remainder, turnover);
                cr_expect_lt(fabs(b.ledger.total_outside), 1e-12 * turnover);
                for (int a = 0; a < TS_LEDGER_ACCOUNTS; ++a) turned[a] = fmax(turned[a], b.ledger.turned[a] / turnover);
                close_book(&b);
            }
    // Nothing sleeps here: test_sleep.c.
    for (int a = 0; a < TS_LEDGER_ACCOUNTS; ++a)
        cr_expect(turned[a] > 1e-6 || a == TS_LEDGER_SLEEP, "%s is never used: %g",
                  ts_ledger_name((ts_ledger_account)a, NULL), turned[a]);
}

// The sums that the header promises, from the numbers that a user sees.
Test(ledger, columns_add_up) {
    book b;
    open_book(zoo, &b);
    excite(&b);
    for (int i = 0; i < 50; ++i) {
        run(&b, 1);
        const double* work = b.ledger.work;
        double kinetic = 0.0, scale = ts_ledger_turnover(&b.ledger);
        for (int a = 0; a < TS_LEDGER_INTEGRATOR_POTENTIAL; ++a) kinetic += work[a];
        double potential = work[TS_LEDGER_INTEGRATOR_POTENTIAL] - work[TS_LEDGER_GRAVITY] - work[TS_LEDGER_SPRING] -
                           work[TS_LEDGER_TENDON_SPRING];
        ts_energy now = ts_sim_energy(b.sim);
        cr_expect_float_eq(b.ledger.end.kinetic, now.kinetic, 0.0);
        cr_expect_float_eq(b.ledger.end.potential, now.potential, 0.0);
        cr_expect_float_eq(b.ledger.end.kinetic - b.ledger.start.kinetic, kinetic + b.ledger.remainder, 1e-14 * scale);
        cr_expect_float_eq(b.ledger.end.potential - b.ledger.start.potential, potential, 1e-13 * scale);
    }
    cr_expect_eq(b.ledger.steps, 50);
    // What is set between steps is nobody's work.
    double before = b.ledger.end.kinetic;
    for (int d = 0; d < b.model->nv; ++d) b.sim->qvel[d] *= 2.0;
    run(&b, 1);
    cr_expect_float_eq(b.ledger.outside, 3.0 * before, 1e-9 * before);
    close_book(&b);
}

// A wrong impulse, force, velocity or pose of a step: each shows in the remainder.
Test(ledger, a_wrong_term_shows) {
    enum { IMPULSE, ACTUATOR, APPLIED, MEDIUM, VELOCITY, DAMPING, STIFFNESS, INERTIA, NOTHING, WRONGS };
    for (int wrong = 0; wrong < WRONGS; ++wrong) {
        book b;
        ts_status status;
        open_book(zoo, &b);
        excite(&b);
        for (int i = 0; i < 150; ++i) cr_assert_eq(ts_sim_step(b.sim, &status), TS_OK);
        double before = b.ledger.total_remainder, scale = ts_ledger_turnover(&b.ledger);
        cr_assert_eq(ts_sim_foresee(b.sim, &status), TS_OK);
        cr_assert_gt(b.sim->problem.row_count, 3);
        for (int r = 0; r < b.sim->problem.row_count && wrong == IMPULSE; ++r) b.sim->impulse[r] *= 1.0001;
        if (wrong == APPLIED) b.sim->wrench_applied[4].force.z += 0.01;
        for (int d = 0; d < b.model->nv; ++d) {
            if (wrong == MEDIUM) b.sim->force_fluid[d] *= 1.001;
            if (wrong == VELOCITY) ts_sim_storage_of(b.sim)->new_velocity[d] += 1e-6;
            if (wrong == DAMPING) ((ts_dof*)&b.model->dof[d])->damping *= 1.001;
        }
        if (wrong == ACTUATOR) ((ts_drive*)ts_actuation_drive(b.sim, 0))->beside += 0.001;
        if (wrong == STIFFNESS) ((ts_joint*)&b.model->joint[2])->spring *= 1.001;
        if (wrong == INERTIA) ((ts_dof*)&b.model->dof[b.model->joint[3].dof_first])->armature *= 1.001;
        cr_assert(ts_ledger_book(b.sim));
        cr_assert_eq(ts_step_integrate(b.sim, &status), TS_OK);
        ts_ledger_close(b.sim);
        double remainder = b.ledger.total_remainder - before;
        if (wrong == NOTHING)
            cr_expect_lt(remainder, 1e-14 * scale);
        else
            cr_expect_gt(remainder, 1e-10 * scale, "wrong %d: %g of %g J", wrong, remainder, scale);
        close_book(&b);
    }
}

// With books and without: the same bits, under every integrator.
Test(ledger, books_change_nothing) {
    for (int i = 0; i < ts_integrator_count(); ++i) {
        book with, without;
        open_book(zoo, &with);
        open_book(zoo, &without);
        ts_ledger_keep(without.sim, NULL);
        set(&with, "integrator", ts_integrator_at(i)->name);
        set(&without, "integrator", ts_integrator_at(i)->name);
        excite(&with);
        excite(&without);
        run(&with, 200);
        run(&without, 200);
        cr_expect_eq(ts_sim_hash(with.sim), ts_sim_hash(without.sim), "%s", ts_integrator_at(i)->name);
        cr_expect_eq(without.ledger.steps, 0);
        close_book(&with);
        close_book(&without);
    }
}
