// A derivative that is asked for within ten roundings of where a step begins to do something else is told to be near a change, in every case: contacts, limits, friction,
// servos, activations and tendons of random worlds. The place is found by halving, down to neighbouring doubles, by which of two straight lines the step itself is
// on, and is the one that a formula on paper knows.
#include "engine/derivative/step_derivative.h"
#include "engine/read/mjcf/mjcf.h"

#include "../engine_fixture.h"

enum { DRAWS = 20, ROUNDINGS = 10, ROWS = 64 };

static const double h = 0.01, g = 9.81;

// In the texts # and $ are random numbers of about 1.
typedef struct kink {
    const char* what;
    const char* body;  // of the only body and the floor
    const char* rest;  // behind the world
    ts_step_input_kind kind;
    double (*place)(double a, double b);  // of the kink, a for # and b for $; NULL: no formula
    double low, high;                     // times that: between which it is looked for; without a formula, times a
    const char* integrator;               // NULL: euler
    const char* solver;                   // NULL: ncp
} kink;

#define FLOOR "<geom type='plane' size='1 1 1' friction='$'/>"
#define BALL "<geom type='sphere' size='0.1' mass='#' friction='$'/></body>"
#define ON_FLOOR \
    FLOOR "<body pos='0 0 0.099995'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>" BALL
#define SLIDER(attributes) "<body><joint name='j' type='slide' axis='1 0 0' " attributes "/>" BALL
#define ACTUATOR(text) "<actuator>" text "</actuator>"
#define TENDON(attributes) "<tendon><fixed " attributes "><joint joint='j' coef='1'/></fixed></tendon>"

static double margin(double a, double b) { return (void)a, (void)b, 1e-3; }
static double sticking(double a, double b) { return (void)a, (void)b, 1e-5; }
static double weight(double a, double b) { return (void)b, a * g; }
static double friction(double a, double b) { return a * b * g; }
static double stopping(double a, double b) { return (void)a, b * g * h; }
static double landing(double a, double b) { return (void)a, (void)b, g * h - 0.0002 / h; }
static double first(double a, double b) { return (void)b, a; }
static double in_a_step(double a, double b) { return (void)b, a / h; }
static double in_a_hundredth(double a, double b) { return (void)b, a / 100.0; }
static double half(double a, double b) { return (void)b, 0.5 * a; }

static const kink kinks[] = {
    {"a contact opens", FLOOR "<body pos='0 0 0.099995'><joint type='slide' axis='0 0 1'/>" BALL, "", TS_STEP_BY_FORCE,
     weight, 0.5, 1.5, NULL, NULL},
    {"a contact closes", FLOOR "<body pos='0 0 0.1002'><joint type='slide' axis='0 0 1'/>" BALL, "",
     TS_STEP_BY_VELOCITY, landing, 0.5, 1.5, NULL, NULL},
    {"a contact is made at the margin", FLOOR "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/>" BALL, "",
     TS_STEP_BY_POSITION, margin, 0.5, 1.5, NULL, NULL},
    {"a contact with a box is made at the margin",
     "<geom type='box' size='1 1 1' pos='0 0 -1' friction='$'/><body pos='0 0 0.1'><joint type='slide' axis='0 0 "
     "1'/>" BALL,
     "", TS_STEP_BY_POSITION, margin, 0.5, 1.5, NULL, NULL},
    {"a contact sticks",
     FLOOR "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/>"
           "<geom type='sphere' size='0.1' mass='#' adhesion='$'/></body>",
     "", TS_STEP_BY_POSITION, sticking, 0.5, 1.5, NULL, NULL},
    {"it slips", ON_FLOOR, "", TS_STEP_BY_FORCE, friction, 0.5, 1.5, NULL, NULL},
    {"it stops", ON_FLOOR, "", TS_STEP_BY_VELOCITY, stopping, 0.5, 1.5, NULL, NULL},
    {"it stops under the relaxed law", ON_FLOOR, "", TS_STEP_BY_VELOCITY, NULL, 0.001, 10.0, NULL, "ccp-apgd"},
    {"a joint comes to its stop", SLIDER("range='-5 #'"), "", TS_STEP_BY_VELOCITY, in_a_step, 0.5, 1.5, NULL, NULL},
    {"dry friction of a joint slips", SLIDER("frictionloss='#'"), "", TS_STEP_BY_FORCE, first, 0.5, 1.5, NULL, NULL},
    {"dry friction of a joint holds", SLIDER("frictionloss='1'"), "", TS_STEP_BY_VELOCITY, NULL, 0.001, 10.0, NULL,
     NULL},
    {"a motor at its limit", SLIDER(""), ACTUATOR("<motor joint='j' forcerange='-3 #'/>"), TS_STEP_BY_CONTROL, first,
     0.5, 1.5, NULL, NULL},
    {"a control at its end", SLIDER(""), ACTUATOR("<motor joint='j' ctrlrange='-3 #'/>"), TS_STEP_BY_CONTROL, first,
     0.5, 1.5, NULL, NULL},
    {"a servo at its limit", SLIDER(""), ACTUATOR("<position joint='j' kp='100' forcerange='-3 #'/>"),
     TS_STEP_BY_CONTROL, in_a_hundredth, 0.5, 1.5, NULL, NULL},
    {"a servo with damping ahead at its limit", SLIDER(""),
     ACTUATOR("<position joint='j' kp='100' kv='20' forcerange='-3 #'/>"), TS_STEP_BY_CONTROL, in_a_hundredth, 0.5, 1.5,
     "implicitfast", NULL},
    {"a servo at its limit at the end", SLIDER(""),
     ACTUATOR("<position joint='j' kp='100' kv='20' forcerange='-3 #'/>"), TS_STEP_BY_CONTROL, NULL, 0.0, 1.0,
     "midpoint", NULL},
    {"a joint that may be pulled at so hard", SLIDER("actuatorfrcrange='-3 #'"), ACTUATOR("<motor joint='j'/>"),
     TS_STEP_BY_CONTROL, first, 0.5, 1.5, NULL, NULL},
    {"two that pull at a joint", SLIDER("actuatorfrcrange='-3 #'"),
     ACTUATOR("<motor joint='j' gear='2'/><motor joint='j'/>"), TS_STEP_BY_CONTROL, half, 0.5, 1.5, NULL, NULL},
    {"an activation at its end", SLIDER(""),
     ACTUATOR("<general joint='j' dyntype='integrator' actlimited='true' actrange='-3 #'/>"), TS_STEP_BY_CONTROL,
     in_a_step, 0.5, 1.5, NULL, NULL},
    {"a filter at its end", SLIDER(""),
     ACTUATOR("<general joint='j' dyntype='filterexact' dynprm='0.05' actlimited='true' actrange='-3 #'/>"),
     TS_STEP_BY_CONTROL, NULL, 0.0, 20.0, NULL, NULL},
    {"a tendon has no more play", SLIDER(""), TENDON("springlength='0 #' stiffness='10'"), TS_STEP_BY_POSITION, first,
     0.5, 1.5, NULL, NULL},
    {"a tendon comes to its stop", SLIDER(""), TENDON("range='-5 #' limited='true'"), TS_STEP_BY_VELOCITY, in_a_step,
     0.5, 1.5, NULL, NULL},
    {"dry friction of a tendon slips", SLIDER(""), TENDON("frictionloss='#'"), TS_STEP_BY_FORCE, first, 0.5, 1.5, NULL,
     NULL},
};

enum { KINKS = sizeof kinks / sizeof *kinks };

static void put(const char* from, double a, double b, char* out, size_t size) {
    size_t at = strlen(out);
    for (; *from && at + 32 < size; ++from) {
        if (*from == '#' || *from == '$')
            at += (size_t)snprintf(out + at, size - at, "%.17g", *from == '#' ? a : b);
        else
            out[at++] = *from;
        out[at] = '\0';
    }
}

static fixture open_world(const kink* k, double a, double b) {
    fixture f = {NULL, NULL};
    ts_status status;
    char text[2000] = "";
    put("<mujoco><compiler angle='radian'/><option timestep='0.01'/><worldbody>", a, b, text, sizeof text);
    put(k->body, a, b, text, sizeof text);
    put("</worldbody>", a, b, text, sizeof text);
    put(k->rest, a, b, text, sizeof text);
    put("</mujoco>", a, b, text, sizeof text);
    cr_assert_eq(ts_mjcf_parse(text, strlen(text), "world", NULL, NULL, &f.model, &status), TS_OK, "%s: %s", k->what,
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(f.sim, k->solver ? k->solver : "ncp", &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_solver_set(f.sim->solver, f.sim->solver_settings, "tolerance", 1e-14, NULL), TS_OK);
    cr_assert_eq(ts_sim_set_integrator(f.sim, k->integrator ? k->integrator : "euler", &status), TS_OK, "%s",
                 status.message);
    return f;
}

// The number that leads to the kink, which is the first of its kind.
static double* number_of(ts_sim* sim, ts_step_input_kind kind) {
    return kind == TS_STEP_BY_FORCE      ? sim->force_applied
           : kind == TS_STEP_BY_VELOCITY ? sim->qvel
           : kind == TS_STEP_BY_CONTROL  ? sim->ctrl
                                         : sim->qpos;
}

// How the step answers to the number where it is x. Nonzero: told to be near something, or refused, when the column is no number.
static int ask(const kink* k, ts_sim* sim, double x, double out_column[ROWS], char out_reason[200]) {
    ts_arena arena = {0};
    ts_step_derivative d;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_input input = {k->kind, 0, 1};
    ts_status status;
    *number_of(sim, k->kind) = x;
    ts_code code = ts_step_derivative_make(sim, &settings, &input, 1, &arena, &d, &status);
    for (int r = 0; r < ROWS; ++r) out_column[r] = code ? (double)NAN : 0.0;
    snprintf(out_reason, 200, "%s", code ? status.message : d.report.reason);
    cr_assert(code != TS_ERROR_MEMORY, "%s at %.17g: %s", k->what, x, status.message);
    if (!code) cr_assert_leq(d.rows, ROWS);
    if (!code) cr_assert_eq(ts_step_derivative_matrix(&d, &arena, out_column), TS_OK);
    int told = code || d.report.verdict != TS_STEP_REGULAR;
    ts_arena_free(&arena);
    return told;
}

// A place, the step from there, and how it answers there.
typedef struct side {
    double x;
    double end[ROWS];    // positions, velocities and activations after the step
    double slope[ROWS];  // of these
} side;

static void take_step(const kink* k, ts_sim* sim, double x, double out_end[ROWS]) {
    ts_snapshot before = {0};
    const ts_model* model = sim->model;
    *number_of(sim, k->kind) = x;
    cr_assert_eq(ts_sim_snapshot(sim, &before, NULL), TS_OK);
    cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
    memset(out_end, 0, ROWS * sizeof(double));
    for (int i = 0; i < model->nv; ++i) {
        out_end[i] = sim->qpos[i];
        out_end[model->nv + i] = sim->qvel[i];
    }
    for (int i = 0; i < model->act_count; ++i) out_end[2 * model->nv + i] = sim->act[i];
    cr_assert_eq(ts_sim_restore(sim, &before, NULL), TS_OK);
    ts_snapshot_free(&before);
}

static side take_side(const kink* k, ts_sim* sim, double x) {
    side at;
    char reason[200];
    at.x = x;
    int told = ask(k, sim, x, at.slope, reason);
    cr_expect(!told, "%s: told %g from it: %s", k->what, x, reason);
    take_step(k, sim, x, at.end);
    return at;
}

// How far an end is from where a side leads in a straight line.
static double off_line(const side* at, double x, const double end[ROWS]) {
    double sum = 0.0;
    for (int r = 0; r < ROWS; ++r) sum += fabs(end[r] - at->end[r] - (x - at->x) * at->slope[r]);
    return sum;
}

static void expect_told(const kink* k, double a, double b) {
    fixture f = open_world(k, a, b);
    char reason[200];
    // It falls through the margin in a step.
    if (k->place == margin) f.sim->qvel[0] = -2.0;
    // It is drawn off.
    if (k->place == sticking) f.sim->qvel[0] = 2.0;
    double unit = k->place ? k->place(a, b) : a, end[ROWS], slope[ROWS];
    side left = take_side(k, f.sim, k->low * unit), right = take_side(k, f.sim, k->high * unit);
    double low = left.x, high = right.x, bends = off_line(&left, right.x, right.end);
    cr_assert_gt(bends, 1e-5, "%s: there is no kink", k->what);
    for (double middle = 0.5 * (low + high); middle != low && middle != high; middle = 0.5 * (low + high)) {
        take_step(k, f.sim, middle, end);
        if (off_line(&left, middle, end) < off_line(&right, middle, end))
            low = middle;
        else
            high = middle;
    }
    if (k->place) cr_expect(fabs(low - unit) <= 1e-10 * fabs(unit), "%s: at %.17g, not %.17g", k->what, low, unit);
    for (int n = 0; n <= ROUNDINGS; ++n, low = nextafter(low, left.x), high = nextafter(high, right.x)) {
        cr_expect(ask(k, f.sim, low, slope, reason), "%s: nothing told at %.17g, %d roundings before", k->what, low, n);
        cr_expect(ask(k, f.sim, high, slope, reason), "%s: nothing told at %.17g, %d roundings after", k->what, high,
                  n);
    }
    fixture_end(&f);
}

Test(step_nearness, every_kink_is_told) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int k = 0; k < KINKS; ++k)
        for (int n = 0; n < DRAWS; ++n) {
            double a = ts_rng_uniform_in(&rng, 0.5, 2.0), b = ts_rng_uniform_in(&rng, 0.5, 2.0);
            expect_told(&kinks[k], a, b);
        }
}
