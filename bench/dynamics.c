// Algorithms of rigid-body dynamics, one by one: time per call against the number of joints, in a chain and in a balanced tree, and on
// robots, beside MuJoCo and Pinocchio where the build has them.
//
// Every library gets the same model (of a robot the bodies and geoms that we read from its file) and the same random states. Before it is
// timed, its answer to every question must agree with ours at every state, to 1e-9 of the answer's largest entry; who does not agree is
// not timed. Ours is checked against itself there: forward dynamics undone by inverse dynamics.
// Like is compared with like: kinematics of bodies and geoms (MuJoCo's mj_kinematics and mj_comPos), poses and twists of bodies alone (Pinocchio's
// forwardKinematics). From q everybody finds of kinematics as little as its functions allow; MuJoCo's always place geoms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/bench_list.h"
#include "bench/derivative_parts.h"
#include "bench/dynamics_peer.h"
#include "engine/model/builder.h"
#include "engine/read/model_file.h"

enum { ENGINES = 3, STATES = 4 };

// 1: of the largest entry of an answer, by how much another may differ.
static const double agreement = 1e-9;

static const char* const item_name[TS_BENCH_DYNAMICS_ITEMS] = {
    [TS_BENCH_KINEMATICS] = "kinematics",
    [TS_BENCH_BIAS] = "bias (RNEA)",
    [TS_BENCH_INERTIA] = "inertia (CRBA)",
    [TS_BENCH_FACTOR] = "factor",
    [TS_BENCH_JACOBIAN] = "Jacobian of a body",
    [TS_BENCH_SOLVE] = "M^-1 J^T, 3 rows",
    [TS_BENCH_TWISTS_FROM_Q] = "poses and twists from q",
    [TS_BENCH_INVERSE_DYNAMICS] = "inverse dynamics from q",
    [TS_BENCH_INERTIA_FROM_Q] = "inertia from q",
    [TS_BENCH_FORWARD_DYNAMICS] = "forward dynamics from q",
    [TS_BENCH_CENTROIDAL] = "centroidal matrix from q",
    [TS_BENCH_INVERSE_DERIVATIVES] = "derivatives of inverse dynamics from q",
    [TS_BENCH_FORWARD_DERIVATIVES] = "derivatives of forward dynamics from q",
};

// What a benchmark asks everybody: a range of items.
typedef struct inquiry {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* table;
    ts_bench_dynamics_item first, end;
    const char* stem;  // of figures
} inquiry;

// A robot, and where it is below the folder of robots.
typedef struct robot_file {
    const char* name;
    const char* path;
} robot_file;

static const robot_file robots[] = {
    {"panda", "franka_emika_panda/panda.xml"},
    {"allegro", "wonik_allegro/right_hand.xml"},
    {"go2", "unitree_go2/go2.xml"},
    {"anymal-c", "anybotics_anymal_c/anymal_c.xml"},
    {"humanoid", "mujoco_model/humanoid/humanoid.xml"},
    {"h1", "unitree_h1/h1.xml"},
    {"cassie", "agility_cassie/cassie.xml"},
    {"apollo", "apptronik_apollo/apptronik_apollo.xml"},
    {"talos", "pal_talos/talos.xml"},
};

// One library on one model.
typedef struct runner {
    const ts_bench_dynamics_engine* engine;
    ts_bench_dynamics* dynamics;  // NULL: it cannot
    ts_bench_dynamics_item item;  // asked now
} runner;

// A model with its states.
typedef struct question {
    char name[64];
    const ts_model* model;
    ts_bench_states states;
    double* numbers;  // owns the states
    double* room;     // for two answers
} question;

static int list_engines(runner* r) {
    int n = 0;
    memset(r, 0, ENGINES * sizeof *r);
    r[n++].engine = ts_bench_dynamics_touchstone();
#ifdef TS_PEER_MUJOCO
    r[n++].engine = ts_bench_dynamics_mujoco();
#endif
#ifdef TS_PEER_PINOCCHIO
    r[n++].engine = ts_bench_dynamics_pinocchio();
#endif
    return n;
}

static void draw_position(const ts_model* model, ts_rng* rng, double* out_qpos) {
    memcpy(out_qpos, model->qpos_rest, (size_t)model->nq * sizeof(double));
    for (int j = 0; j < model->joint_count; ++j) {
        int first = model->joint[j].qpos_first, last = first + ts_joint_type_nq(model->joint[j].type);
        int turns = model->joint[j].type == TS_JOINT_FREE || model->joint[j].type == TS_JOINT_BALL;
        for (int i = first; i < last; ++i) out_qpos[i] += ts_rng_uniform_in(rng, -1.0, 1.0);
        double* q = out_qpos + last - 4;
        double length = turns ? sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) : 1.0;
        for (int i = 0; turns && i < 4; ++i) q[i] /= length;
    }
}

static int draw_states(question* q, const ts_model* model, uint64_t seed) {
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
    ts_rng rng = ts_rng_make(seed, nv);
    q->model = model;
    q->numbers = (double*)calloc(STATES * (nq + 3 * nv) + 1, sizeof(double));
    q->room = (double*)calloc(2 * ts_bench_dynamics_room(model), sizeof(double));
    if (!q->numbers || !q->room) return 0;
    double *qpos = q->numbers, *rest = qpos + STATES * nq;
    for (size_t s = 0; s < STATES; ++s) draw_position(model, &rng, qpos + s * nq);
    for (size_t i = 0; i < 3 * STATES * nv; ++i) rest[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    q->states = (ts_bench_states){STATES, qpos, rest, rest + STATES * nv, rest + 2 * STATES * nv};
    return 1;
}

static void forget(question* q) {
    free(q->numbers);
    free(q->room);
}

// How far an answer is from ours, as a share of ours; NAN when it has none. Everybody has answered the questions before.
static double difference(const question* q, const runner* ours, const runner* theirs, ts_bench_dynamics_item item,
                         int state) {
    double *a = q->room, *b = q->room + ts_bench_dynamics_room(q->model), most = 0.0, worst = 0.0;
    if (!theirs->engine->run(theirs->dynamics, item, state)) return (double)NAN;
    int n = ours->engine->answer(ours->dynamics, item, state, a);
    int m = theirs->engine->answer(theirs->dynamics, item, state, b);
    // What has no coordinates of its own is judged by what is made of it.
    if (n == 0 || m == 0) return 0.0;
    if (n != m) return HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i]));
        double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst / (most > 0.0 ? most : 1.0);
}

// Forward dynamics of ours, undone by inverse dynamics of ours.
static double undone(const question* q, const runner* ours, int state) {
    size_t nv = (size_t)q->model->nv;
    double *a = q->room, *tau = q->room + ts_bench_dynamics_room(q->model), most = 0.0, worst = 0.0;
    const double* force = q->states.force + (size_t)state * nv;
    double* acceleration = q->numbers + (q->states.acceleration - q->numbers) + (size_t)state * nv;
    double* keep = tau + nv;
    if (!ours->engine->run(ours->dynamics, TS_BENCH_FORWARD_DYNAMICS, state)) return HUGE_VAL;
    ours->engine->answer(ours->dynamics, TS_BENCH_FORWARD_DYNAMICS, state, a);
    memcpy(keep, acceleration, nv * sizeof(double));
    memcpy(acceleration, a, nv * sizeof(double));
    ours->engine->run(ours->dynamics, TS_BENCH_INVERSE_DYNAMICS, state);
    ours->engine->answer(ours->dynamics, TS_BENCH_INVERSE_DYNAMICS, state, tau);
    memcpy(acceleration, keep, nv * sizeof(double));
    for (size_t i = 0; i < nv; ++i) {
        most = fmax(most, fabs(tau[i]));
        worst = fmax(worst, fabs(tau[i] - force[i]));
    }
    // Of the largest of what is added up on the way, which forces of order one may be small beside.
    ours->engine->run(ours->dynamics, TS_BENCH_BIAS, state);
    ours->engine->answer(ours->dynamics, TS_BENCH_BIAS, state, tau);
    for (size_t i = 0; i < nv; ++i) most = fmax(most, fabs(tau[i]));
    return worst / most;
}

static void ask(void* context, int state) {
    runner* r = (runner*)context;
    r->engine->run(r->dynamics, r->item, state);
}

static ts_bench_table* add_table(ts_bench_report* report, const char* stem) {
    ts_bench_table* t = ts_bench_add_table(report, stem, "Time per call, one thread");
    ts_bench_add_column(t, "model", "");
    ts_bench_add_column(t, "bodies", "");
    ts_bench_add_column(t, "dofs", "");
    ts_bench_add_column(t, "asked", "");
    ts_bench_add_column(t, "library", "");
    ts_bench_add_column(t, "differs", "");
    ts_bench_add_column(t, "median", "us");
    ts_bench_add_column(t, "10 %", "us");
    ts_bench_add_column(t, "90 %", "us");
    ts_bench_add_column(t, "theirs / ours", "");
    return t;
}

// One question to everybody: checked, then timed. Returns 0 when ours is wrong.
static int ask_all(const question* q, const inquiry* all, runner* r, int n, ts_bench_dynamics_item item,
                   double* out_ours) {
    ts_bench_report* report = all->report;
    ts_bench_table* t = all->table;
    double differs[ENGINES] = {0.0};
    int racing[ENGINES], count = 0;
    ts_bench_contestant contestant[ENGINES];
    ts_bench_timing timing[ENGINES];
    for (int e = 0; e < n; ++e) {
        for (int s = 0; r[e].dynamics && s < STATES; ++s) {
            double d = difference(q, &r[0], &r[e], item, s);
            if (!(d <= differs[e])) differs[e] = d;
        }
        if (e == 0 && item == TS_BENCH_FORWARD_DYNAMICS)
            for (int s = 0; s < STATES; ++s) differs[0] = fmax(differs[0], undone(q, &r[0], s));
        r[e].item = item;
        if (!r[e].dynamics || !(differs[e] <= agreement)) continue;
        racing[count] = e;
        contestant[count++] = (ts_bench_contestant){r[e].engine->name, ask, &r[e]};
    }
    ts_bench_race race = {.contestant = contestant, .contestants = count, .queries = STATES};
    ts_bench_time(report, all->options, &race, timing, NULL);
    for (int c = 0; c < count; ++c) {
        int e = racing[c];
        ts_bench_row(t);
        ts_bench_text(t, "%s", q->name);
        ts_bench_number(t, q->model->body_count - 1);
        ts_bench_number(t, q->model->nv);
        ts_bench_text(t, "%s", item_name[item]);
        ts_bench_text(t, "%s", r[e].engine->name);
        ts_bench_number(t, e == 0 && item != TS_BENCH_FORWARD_DYNAMICS ? (double)NAN : differs[e]);
        ts_bench_number(t, 1e-3 * timing[c].median);
        ts_bench_number(t, 1e-3 * timing[c].p10);
        ts_bench_number(t, 1e-3 * timing[c].p90);
        ts_bench_number(t, e == 0 ? (double)NAN : timing[c].median / timing[0].median);
    }
    for (int e = 1; e < n; ++e)
        if (r[e].dynamics && differs[e] > agreement)
            ts_bench_note(report, "%s, %s: %s differs from ours by %.1e of it: not timed.", q->name, item_name[item],
                          r[e].engine->name, differs[e]);
    *out_ours = count > 0 && racing[0] == 0 ? 1e-3 * timing[0].median : (double)NAN;
    return differs[0] <= agreement;
}

// All questions about one model; out_ours (TS_BENCH_DYNAMICS_ITEMS) gets our medians, us.
static int ask_about(const char* name, const ts_model* model, const inquiry* all, double* out_ours) {
    ts_bench_report* report = all->report;
    question q = {.name = ""};
    runner r[ENGINES];
    int n = list_engines(r), result = TS_BENCH_DONE;
    snprintf(q.name, sizeof q.name, "%s", name);
    if (!draw_states(&q, model, all->options->seed)) result = ts_bench_fail(report, "%s: out of memory", name);
    for (int e = 0; e < n && result == TS_BENCH_DONE; ++e) {
        char error[200] = "";
        r[e].dynamics = r[e].engine->open(model, &q.states, error);
        if (!r[e].dynamics && e > 0)
            ts_bench_note(report, "%s: %s cannot: %.150s", name, r[e].engine->name, error);
        else if (!r[e].dynamics)
            result = ts_bench_fail(report, "%s: %.150s", name, error);
    }
    for (int item = (int)all->first; item < (int)all->end && result == TS_BENCH_DONE; ++item) {
        if (!ask_all(&q, all, r, n, (ts_bench_dynamics_item)item, &out_ours[item])) {
            ts_bench_note(report, "%s, %s: ours is WRONG.", name, item_name[item]);
            result = TS_BENCH_WRONG;
        }
        if (report->stopped || ts_bench_progress(report, -1.0, 1.0)) result = TS_BENCH_STOPPED;
    }
    for (int e = 0; e < n; ++e) r[e].engine->close(r[e].dynamics);
    forget(&q);
    return result;
}

// A link with a hinge below `parent`.
static int add_link(ts_builder* builder, ts_rng* rng, int parent) {
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = ts_vec3_make(ts_rng_uniform_in(rng, 0.05, 0.1), ts_rng_uniform_in(rng, -0.05, 0.05), 0.1);
    body.mass = ts_rng_uniform_in(rng, 0.5, 2.0);
    body.centre = ts_vec3_make(0.02, 0.01, ts_rng_uniform_in(rng, 0.03, 0.06));
    body.inertia = ts_mat3_diagonal(ts_vec3_make(0.003, 0.004, 0.002));
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis((int)(3.0 * ts_rng_uniform_in(rng, 0.0, 0.999)));
    joint.armature = 0.01;
    ts_builder_add_joint(builder, &joint);
    return joint.body;
}

// Links below `parent`: `links` one behind the other, or with `is_tree` one that carries two trees of half of the rest each. Whatever hangs on
// a link follows it at once, as Pinocchio asks.
static void add_links(ts_builder* builder, ts_rng* rng, int parent, int links, int is_tree) {
    for (; links > 0; --links) {
        parent = add_link(builder, rng, parent);
        if (!is_tree) continue;
        add_links(builder, rng, parent, (links - 1) / 2, 1);
        links -= (links - 1) / 2;
    }
}

static ts_model* build(int joints, int is_tree, uint64_t seed) {
    ts_builder* builder = ts_builder_create(is_tree ? "tree" : "chain");
    ts_rng rng = ts_rng_make(seed, 0);
    ts_model* model = NULL;
    if (!builder) return NULL;
    add_links(builder, &rng, 0, joints, is_tree);
    return ts_builder_finish(builder, &model, NULL) ? NULL : model;
}

// Chains or trees of all sizes, and our times against their size.
static int run_sizes(const char* name, int is_tree, const inquiry* all) {
    enum { MOST = 8 };
    double x[MOST], y[TS_BENCH_DYNAMICS_ITEMS][MOST], ours[TS_BENCH_DYNAMICS_ITEMS] = {0.0};
    char title[120], stem[64];
    int count = all->options->quick ? 3 : MOST, result = TS_BENCH_DONE;
    for (int i = 0; i < count && result == TS_BENCH_DONE; ++i) {
        char label[64];
        int joints = is_tree ? (2 << i) - 1 : 1 << i;
        ts_model* model = build(joints, is_tree, all->options->seed);
        if (!model) return ts_bench_fail(all->report, "%s of %d joints: out of memory", name, joints);
        snprintf(label, sizeof label, "%s %d", name, joints);
        result = ask_about(label, model, all, ours);
        ts_model_free(model);
        x[i] = joints;
        for (int item = (int)all->first; item < (int)all->end; ++item) y[item][i] = ours[item];
    }
    if (result != TS_BENCH_DONE) return result;
    snprintf(title, sizeof title, "Touchstone: time per call, %s of hinges", name);
    snprintf(stem, sizeof stem, "%s-%ss", all->stem, name);
    ts_bench_figure* figure = ts_bench_add_figure(all->report, stem, title, (ts_bench_axis){"joints", "", TS_BENCH_LOG},
                                                  (ts_bench_axis){"time", "us", TS_BENCH_LOG});
    for (int item = (int)all->first; item < (int)all->end; ++item)
        ts_bench_add_curve(figure, item_name[item], x, y[item], count);
    return result;
}

static int run_robot(const robot_file* robot, const inquiry* all) {
    char path[1024];
    double ours[TS_BENCH_DYNAMICS_ITEMS];
    ts_model* model = NULL;
    ts_status status;
    snprintf(path, sizeof path, "%s/robots/%s", all->options->data_folder, robot->path);
    if (ts_model_file_load(path, NULL, NULL, &model, &status)) {
        ts_bench_note(all->report, "%s: %.300s", robot->name, status.message);
        return TS_BENCH_DONE;
    }
    int result = ask_about(robot->name, model, all, ours);
    ts_model_free(model);
    return result;
}

static int run_robots(const inquiry* all, int every) {
    enum { ROBOTS = sizeof robots / sizeof robots[0] };
    int result = TS_BENCH_DONE;
    if (!all->options->data_folder)
        ts_bench_note(all->report, "TOUCHSTONE_DATA names no folder with robots/: none is asked.");
    for (int i = 0; i < ROBOTS && all->options->data_folder && result == TS_BENCH_DONE; ++i) {
        if (!every && !ts_bench_wanted(all->report, all->options, robots[i].name)) continue;
        if (ts_bench_progress(all->report, i, ROBOTS)) return TS_BENCH_STOPPED;
        result = run_robot(&robots[i], all);
    }
    ts_bench_note(all->report,
                  "Answers agree to %.0e of their largest entry, at %d random states; who does not is not timed.",
                  agreement, STATES);
    return result;
}

int ts_bench_dynamics_run(const ts_bench_options* options, ts_bench_report* report) {
    inquiry all = {options,   report, add_table(report, "dynamics"), TS_BENCH_KINEMATICS, TS_BENCH_DERIVATIVES,
                   "dynamics"};
    int result = TS_BENCH_DONE;
    if (ts_bench_wanted(report, options, "chains")) result = run_sizes("chain", 0, &all);
    if (result == TS_BENCH_DONE && ts_bench_wanted(report, options, "trees")) result = run_sizes("tree", 1, &all);
    return result == TS_BENCH_DONE ? run_robots(&all, 0) : result;
}

int ts_bench_derivative_dynamics(const ts_bench_options* options, ts_bench_report* report) {
    inquiry all = {options,
                   report,
                   add_table(report, "derivative-dynamics"),
                   TS_BENCH_DERIVATIVES,
                   TS_BENCH_DYNAMICS_ITEMS,
                   "derivative-dynamics"};
    int result = run_sizes("chain", 0, &all);
    return result == TS_BENCH_DONE ? run_robots(&all, 1) : result;
}
