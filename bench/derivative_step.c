// The derivative of a step: time of the Jacobian by position, velocity and controls, and of one gradient backward, beside a step, central
// differences of our own step, and MuJoCo's step and mjd_transitionFD on the same models.
//
// Models: an arm of 7 hinges, bent (stretched it could hardly get out of the floor), and bodies that float on legs with 18, 36 and 50 degrees of freedom; feet with 0, 4 or 16 balls, 0.3 mm in
// the floor, which slide while they land. Before it is timed, the Jacobian must agree with the differences to 1e-6 of each
// column's largest entry, at every state whose report is regular; without contacts MuJoCo's must agree with it as well. With contacts
// MuJoCo's law is another. 16 balls below the one foot of an arm have more rows than it has degrees of freedom: hard, they slide in different directions, by which the exact
// law leaves the motion open. So they give a little there (`give`), which tells how they share their load. Ours starts cold at every state and solves to 1e-12 of the
// contact problem, MuJoCo starts from its last answer and solves to its default of 1e-8.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/rng.h"
#include "base/scalar.h"
#include "bench/derivative_parts.h"
#include "bench/step_peer.h"
#include "engine/derivative/step_derivative.h"
#include "engine/dynamics/jacobian.h"
#include "engine/model/builder.h"
#include "engine/step/step.h"

enum { STATES = 4, INPUTS = 3, MEASURED = 7 };

// 1: of a column's largest entry.
static const double agreement = 1e-6;

// A robot: so many legs of so many hinges each, below a body that floats or is fixed.
typedef struct machine {
    const char* name;
    int legs, hinges, floats;
} machine;

static const machine machines[] = {
    {"arm", 1, 7, 0}, {"four legs of 3", 4, 3, 1}, {"six legs of 5", 6, 5, 1}, {"four legs of 11", 4, 11, 1}};

static const int contacts_of[] = {0, 4, 16};

enum { MACHINES = sizeof machines / sizeof *machines, CASES = sizeof contacts_of / sizeof *contacts_of };

// One model at its states, and whoever answers about it.
typedef struct question {
    ts_model* model;
    ts_sim* sim[STATES];
    double* state;  // (STATES x (nq + nv + nu))
    ts_step_input input[INPUTS];
    ts_arena arena;
    double* matrix;  // (rows x columns) the last Jacobian
    double* other;   // another one
    double* bar;     // (rows) ones, then (columns) their gradient
    int rows, columns;
    unsigned char* changed;  // (columns) nonzero: in the differences of this one a contact or a mode changed
    ts_step_verdict verdict;
    int failed;
    ts_bench_steps* peer;
} question;

// --- models ---

// kg^-1: of contacts that outnumber degrees of freedom; a hundredth or so of what they meet.
static const double give = 1.0;

static const double reach = 0.5, depth = 3e-4, ball = 0.02;

// rad: how a link stands to the one before, about y. What floats has straight legs; an arm's foot is flat again.
static double bend_of(const machine* m, int number) {
    return m->floats ? 0.0 : number == 1 || number == 5 ? 0.5 : number == 4 ? -1.0 : 0.0;
}

static ts_vec3 next_link(const machine* m, int number) {
    return ts_vec3_make(number % 2 ? -0.04 : 0.04, 0.0, -reach / m->hinges);
}

// m: of the hip above the foot.
static double height_of(const machine* m) {
    double angle = 0.0, height = 0.0;
    for (int k = 0; k < m->hinges; ++k) {
        ts_vec3 next = k + 1 < m->hinges ? next_link(m, k) : ts_vec3_make(0.0, 0.0, -reach / m->hinges);
        angle += bend_of(m, k);
        height -= next.z * cos(angle) - next.x * sin(angle);
    }
    return height;
}

static int add_link(ts_builder* builder, const machine* m, int parent, ts_vec3 at, int number) {
    double length = reach / m->hinges;
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = at;
    body.pose.rotation = ts_quat_from_axis_angle(ts_vec3_axis(1), bend_of(m, number));
    body.mass = 0.6 / m->hinges;
    body.centre = ts_vec3_make(0.005, 0.002, -0.5 * length);
    body.inertia = ts_mat3_diagonal(ts_vec3_make(2e-3 / m->hinges, 2.2e-3 / m->hinges, 1e-3 / m->hinges));
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis(number % 3 == 0 ? 0 : 1);
    joint.armature = 0.01;
    joint.damping = 0.1;
    ts_actuator_def motor = ts_actuator_def_default();
    motor.is.target = ts_builder_add_joint(builder, &joint);
    ts_builder_add_actuator(builder, &motor);
    return joint.body;
}

// The balls of a foot, on a square grid below the end of the last link.
static void add_balls(ts_builder* builder, const machine* m, int body, int balls) {
    int side = balls == 16 ? 4 : balls == 4 ? 2 : 1;
    for (int i = 0; i < balls; ++i) {
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = ts_shape_sphere(ball);
        geom.mass = 0.0;
        int row = i / side, column = i % side;
        double x = 0.05 * (column - 0.5 * (side - 1)), y = 0.05 * (row - 0.5 * (side - 1));
        geom.pose.position = ts_vec3_make(x, y, -reach / m->hinges);
        geom.surface.friction = 0.2;
        geom.mask = 2;  // the floor only
        ts_builder_add_geom(builder, &geom);
    }
}

static ts_model* build(const machine* m, int contacts) {
    ts_builder* builder = ts_builder_create(m->name);
    ts_model* model = NULL;
    if (!builder) return NULL;
    strcpy(ts_builder_options(builder)->solver, "ncp");
    if (!m->floats && contacts > m->hinges)
        ts_builder_options(builder)->compliance_normal = ts_builder_options(builder)->compliance_tangent = give;
    ts_geom_def floor = ts_geom_def_default();
    floor.shape = ts_shape_plane();
    floor.surface.friction = 0.2;
    floor.category = 2;
    ts_builder_add_geom(builder, &floor);
    ts_body_def trunk = ts_body_def_default();
    trunk.pose.position.z = height_of(m) + ball - depth;
    trunk.mass = 6.0;
    trunk.inertia = ts_mat3_diagonal(ts_vec3_make(0.05, 0.08, 0.1));
    int root = ts_builder_add_body(builder, &trunk);
    if (m->floats) {
        ts_joint_def joint = ts_joint_def_default();
        joint.body = root;
        joint.type = TS_JOINT_FREE;
        ts_builder_add_joint(builder, &joint);
    }
    int feet = m->legs < 4 ? m->legs : 4;
    for (int leg = 0; leg < m->legs; ++leg) {
        int row = leg / 2;
        double side = leg % 2 ? -0.15 : 0.15, along = 0.2 * row - 0.1;
        ts_vec3 at = m->floats ? ts_vec3_make(along, side, 0.0) : ts_vec3_zero();
        int body = root;
        for (int k = 0; k < m->hinges; ++k) {
            body = add_link(builder, m, body, at, k);
            at = next_link(m, k);
        }
        if (leg < feet) add_balls(builder, m, body, contacts / feet);
    }
    return ts_builder_finish(builder, &model, NULL) ? NULL : model;
}

// --- states ---

static void close_question(question* q) {
#ifdef TS_PEER_MUJOCO
    ts_bench_steps_mujoco_close(q->peer);
#endif
    for (int s = 0; s < STATES; ++s) ts_sim_free(q->sim[s]);
    ts_arena_free(&q->arena);
    free(q->state);
    free(q->matrix);
    free(q->other);
    free(q->bar);
    free(q->changed);
    ts_model_free(q->model);
}

// Lets all feet land while they slide: what floats as a whole, the foot of an arm by the hinges that turn the least.
static void throw_down(ts_sim* sim, const machine* m) {
    const double along = 1.0, down = -0.2;
    if (m->floats) {
        sim->qvel[0] += along;
        sim->qvel[2] += down;
        return;
    }
    double J[6 * 7], square[36], twist[6] = {along, 0.0, down};
    int foot = sim->model->body_count - 1, n = sim->model->nv;
    ts_step_kinematics(sim);
    ts_jacobian_point(sim->model, &sim->kinematics, foot, sim->kinematics.body_centre[foot], J, J + 3 * n);
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) square[6 * r + c] = ts_dot(J + n * r, J + n * c, n);
    if (!ts_cholesky_factor(square, 6, 6)) return;
    ts_cholesky_solve(square, 6, 6, twist);
    memset(sim->qvel, 0, (size_t)n * sizeof(double));
    for (int r = 0; r < 6; ++r)
        for (int i = 0; i < n; ++i) sim->qvel[i] += J[n * r + i] * twist[r];
}

static int open_question(question* q, const machine* m, int contacts, uint64_t seed) {
    memset(q, 0, sizeof *q);
    q->model = build(m, contacts);
    if (!q->model) return 0;
    size_t nq = (size_t)q->model->nq, nv = (size_t)q->model->nv, nu = (size_t)q->model->actuator_count;
    q->rows = 2 * (int)nv;
    q->columns = q->rows + (int)nu;
    size_t size = (size_t)q->rows * (size_t)q->columns;
    q->state = (double*)calloc(STATES * (nq + nv + nu), sizeof(double));
    q->matrix = (double*)calloc(size, sizeof(double));
    q->other = (double*)calloc(size, sizeof(double));
    q->bar = (double*)calloc((size_t)q->rows + (size_t)q->columns, sizeof(double));
    q->changed = (unsigned char*)calloc((size_t)q->columns, 1);
    if (!q->state || !q->matrix || !q->other || !q->bar || !q->changed) return 0;
    static const ts_step_input_kind kinds[INPUTS] = {TS_STEP_BY_POSITION, TS_STEP_BY_VELOCITY, TS_STEP_BY_CONTROL};
    for (int k = 0; k < INPUTS; ++k) q->input[k] = ts_step_input_all(q->model, kinds[k]);
    for (int r = 0; r < q->rows; ++r) q->bar[r] = 1.0;
    ts_rng rng = ts_rng_make(seed, 9700u + nv);
    for (int s = 0; s < STATES; ++s) {
        if (ts_sim_create(q->model, 1, &q->sim[s], NULL)) return 0;
        ts_sim* sim = q->sim[s];
        for (size_t i = 0; i < nv; ++i) {
            ts_step_input_move(sim, TS_STEP_BY_POSITION, (int)i, ts_rng_uniform_in(&rng, -1e-4, 1e-4));
            sim->qvel[i] = ts_rng_uniform_in(&rng, -0.01, 0.01);
        }
        if (m->floats || contacts > 0) throw_down(sim, m);
        for (size_t i = 0; i < nu; ++i) sim->ctrl[i] = ts_rng_uniform_in(&rng, -0.2, 0.2);
        double* to = q->state + (size_t)s * (nq + nv + nu);
        memcpy(to, sim->qpos, nq * sizeof(double));
        memcpy(to + nq, sim->qvel, nv * sizeof(double));
        memcpy(to + nq + nv, sim->ctrl, nu * sizeof(double));
    }
    return 1;
}

// --- questions ---

static void run_step(void* context, int state) {
    question* q = (question*)context;
    q->failed += ts_sim_foresee(q->sim[state], NULL) != TS_OK;
}

// Makes the derivative and asks for the matrix, or for one gradient backward.
static void differentiate(question* q, int state, ts_step_method method, int backward) {
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_derivative derivative;
    settings.method = method;
    ts_arena_reset(&q->arena);
    ts_code code = ts_step_derivative_make(q->sim[state], &settings, q->input, INPUTS, &q->arena, &derivative, NULL);
    if (!code)
        code = backward ? ts_step_derivative_reverse(&derivative, q->bar, &q->arena, q->bar + q->rows)
                        : ts_step_derivative_matrix(&derivative, &q->arena, q->matrix);
    q->verdict = code ? TS_STEP_UNSUPPORTED : derivative.report.verdict;
    q->failed += code != TS_OK;
    if (!code && method == TS_STEP_DIFFERENCE) memcpy(q->changed, derivative.report.column_changed, (size_t)q->columns);
}

static void run_jacobian(void* context, int state) { differentiate((question*)context, state, TS_STEP_IMPLICIT, 0); }

static void run_backward(void* context, int state) { differentiate((question*)context, state, TS_STEP_IMPLICIT, 1); }

static void run_differences(void* context, int state) {
    differentiate((question*)context, state, TS_STEP_DIFFERENCE, 0);
}

#ifdef TS_PEER_MUJOCO
static void run_their_step(void* context, int state) {
    ts_bench_steps_mujoco_run(((question*)context)->peer, TS_BENCH_STEP, state);
}

static void run_their_forward(void* context, int state) {
    ts_bench_steps_mujoco_run(((question*)context)->peer, TS_BENCH_STEP_FORWARD, state);
}

static void run_their_central(void* context, int state) {
    ts_bench_steps_mujoco_run(((question*)context)->peer, TS_BENCH_STEP_CENTRAL, state);
}
#endif

// The largest difference of `matrix` and `other`, of the larger one's largest entry in the column.
static double most_apart(const question* q) {
    double most = 0.0;
    for (int c = 0; c < q->columns; ++c) {
        double size = 0.0, off = 0.0;
        for (int r = 0; r < q->rows; ++r) {
            double a = q->matrix[r * q->columns + c], b = q->other[r * q->columns + c];
            size = fmax(size, fmax(fabs(a), fabs(b)));
            off = fmax(off, fabs(a - b));
        }
        if (!q->changed[c] && !(off <= most * size)) most = off / size;
    }
    return most;
}

// What was found out before timing.
typedef struct finding {
    int regular;     // states
    int open;        // states in which hyperstatic contacts leave the motion open, of which the report says so
    int contacts;    // of the first state, ours
    double differs;  // of ours and our differences, the most of regular states
    double theirs;   // of ours and MuJoCo's
    int their_contacts;
} finding;

static finding check(question* q) {
    finding f = {0, 0, 0, 0.0, 0.0, -1};
    size_t bytes = (size_t)q->rows * (size_t)q->columns * sizeof(double);
    for (int s = 0; s < STATES; ++s) {
        run_differences(q, s);
        memcpy(q->other, q->matrix, bytes);
        run_jacobian(q, s);
        if (s == 0) f.contacts = q->sim[0]->contact_count;
        f.open += q->verdict == TS_STEP_RANK_DEFICIENT;
        if (q->verdict <= TS_STEP_NEAR_CHANGE) {
            ++f.regular;
            f.differs = fmax(f.differs, most_apart(q));
        }
#ifdef TS_PEER_MUJOCO
        if (q->peer) {
            ts_bench_steps_mujoco_run(q->peer, TS_BENCH_STEP_CENTRAL, s);
            f.their_contacts = ts_bench_steps_mujoco_answer(q->peer, q->other);
            f.theirs = fmax(f.theirs, most_apart(q));
        }
#endif
    }
    return f;
}

// --- table ---

static ts_bench_table* add_table(ts_bench_report* report) {
    static const char* const head[MEASURED] = {"step",
                                               "Jacobian",
                                               "one gradient back",
                                               "our differences",
                                               "MuJoCo step",
                                               "transitionFD, forward",
                                               "transitionFD, central"};
    ts_bench_table* t = ts_bench_add_table(
        report, "derivative-step", "Time of a step and of its Jacobian by position, velocity, controls; one thread");
    ts_bench_add_column(t, "model", "");
    ts_bench_add_column(t, "dofs", "");
    ts_bench_add_column(t, "contacts", "");
    ts_bench_add_column(t, "regular states", "");
    ts_bench_add_column(t, "differs", "");
    for (int k = 0; k < MEASURED; ++k) ts_bench_add_column(t, head[k], "us");
    ts_bench_add_column(t, "Jacobian / step", "");
    ts_bench_add_column(t, "differences / Jacobian", "");
    ts_bench_add_column(t, "transitionFD, central / Jacobian", "");
    return t;
}

static void add_row(ts_bench_table* t, const machine* m, const question* q, const finding* f,
                    const double us[MEASURED]) {
    ts_bench_row(t);
    ts_bench_text(t, "%s", m->name);
    ts_bench_number(t, q->model->nv);
    ts_bench_number(t, f->contacts);
    if (f->open > 0)
        ts_bench_text(t, "%d of %d, %d open", f->regular, STATES, f->open);
    else
        ts_bench_text(t, "%d of %d", f->regular, STATES);
    ts_bench_number(t, f->differs);
    for (int k = 0; k < MEASURED; ++k) ts_bench_number(t, us[k]);
    ts_bench_number(t, us[1] / us[0]);
    ts_bench_number(t, us[3] / us[1]);
    ts_bench_number(t, us[6] / us[1]);
}

static void time_all(const ts_bench_options* options, ts_bench_report* report, question* q, double us[MEASURED]) {
    ts_bench_contestant c[MEASURED] = {{"step", run_step, q},
                                       {"Jacobian", run_jacobian, q},
                                       {"one gradient back", run_backward, q},
                                       {"our differences", run_differences, q}};
    ts_bench_timing timing[MEASURED];
    int count = 4;
#ifdef TS_PEER_MUJOCO
    if (q->peer) {
        c[count++] = (ts_bench_contestant){"MuJoCo step", run_their_step, q};
        c[count++] = (ts_bench_contestant){"transitionFD, forward", run_their_forward, q};
        c[count++] = (ts_bench_contestant){"transitionFD, central", run_their_central, q};
    }
#endif
    ts_bench_time(report, options, &(ts_bench_race){c, count, STATES, 0, 0.0}, timing, NULL);
    for (int k = 0; k < MEASURED; ++k) us[k] = k < count ? 1e-3 * timing[k].median : (double)NAN;
}

// Returns TS_BENCH_WRONG where the Jacobian is not what differences say.
static int measure(const machine* m, int contacts, const ts_bench_options* options, ts_bench_report* report,
                   ts_bench_table* t, double us[MEASURED]) {
    question q;
    int result = TS_BENCH_DONE;
    if (!open_question(&q, m, contacts, options->seed)) {
        close_question(&q);
        return ts_bench_fail(report, "%s: out of memory", m->name);
    }
#ifdef TS_PEER_MUJOCO
    char error[200];
    q.peer = ts_bench_steps_mujoco_open(q.model, q.state, STATES, error);
    if (!q.peer) ts_bench_note(report, "%s: MuJoCo cannot: %.150s", m->name, error);
#endif
    finding f = check(&q);
    if (f.contacts != contacts || f.differs > agreement || f.regular + f.open == 0 || q.failed) {
        ts_bench_note(report, "%s, %d contacts: ours is WRONG: %d contacts, %d regular states, %.1e off, %d failures.",
                      m->name, contacts, f.contacts, f.regular, f.differs, q.failed);
        result = TS_BENCH_WRONG;
    }
    if (q.peer && contacts == 0 && !(f.theirs <= agreement))
        ts_bench_note(report, "%s without contacts: MuJoCo differs by %.1e.", m->name, f.theirs);
    if (q.peer && contacts > 0 && f.their_contacts != contacts)
        ts_bench_note(report, "%s, %d contacts: MuJoCo has %d.", m->name, contacts, f.their_contacts);
    time_all(options, report, &q, us);
    add_row(t, m, &q, &f, us);
    close_question(&q);
    return result;
}

int ts_bench_derivative_step(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* t = add_table(report);
    double x[MACHINES] = {0.0}, y[CASES][MEASURED][MACHINES] = {{{0.0}}}, us[MEASURED] = {0.0};
    int worst = TS_BENCH_DONE;
    int machine_count = options->quick ? 2 : MACHINES;
    for (int c = 0; c < CASES; ++c)
        for (int m = 0; m < machine_count; ++m) {
            int result = measure(&machines[m], contacts_of[c], options, report, t, us);
            if (result > TS_BENCH_WRONG) return result;
            if (result > worst) worst = result;
            x[m] = machines[m].legs * machines[m].hinges + 6 * machines[m].floats;
            for (int k = 0; k < MEASURED; ++k) y[c][k][m] = us[k];
            if (ts_bench_progress(report, c * machine_count + m + 1, CASES * machine_count)) return TS_BENCH_STOPPED;
        }
    ts_bench_figure* figure = ts_bench_add_figure(report, "derivative-step", "The Jacobian of a step, 16 contacts",
                                                  (ts_bench_axis){"degrees of freedom", "", TS_BENCH_LINEAR},
                                                  (ts_bench_axis){"time", "us", TS_BENCH_LOG});
    static const struct {
        int what;
        const char* label;
    } curve[] = {{0, "step"}, {1, "Jacobian"}, {3, "our differences"}, {6, "MuJoCo's transitionFD, central"}};
    for (size_t k = 0; k < sizeof curve / sizeof *curve; ++k)
        ts_bench_add_curve(figure, curve[k].label, x, y[CASES - 1][curve[k].what], machine_count);
    ts_bench_note(
        report,
        "Jacobians agree with differences of our own step to %.0e of each column's largest entry at regular states.",
        agreement);
    return worst;
}
