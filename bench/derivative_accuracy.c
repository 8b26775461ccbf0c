// How good the derivative of a step is: the Jacobian by its equations against central differences of our own step, over random states of
// scenes and robots.
//
// A scene runs under its controller; every so many steps its state is moved at random in all positions and velocities, so that gaps are not those that
// steps like to end with, and the step from there is differentiated by position, velocity, controls and forces. Steps are solved to 1e-12 of their
// contact problem, those of differences to 1e-14 where that can be had; differences are made with four increments, each three times the last. A column counts when no contact changed its
// mode or feature between the ends of its differences, and when three neighbouring increments agree to a part of what is asked; its
// reference is what they extrapolate to. Of more columns of a kind than a case has for a state, as many that are drawn at random.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "bench/derivative_parts.h"
#include "engine/derivative/step_derivative.h"
#include "engine/model/builder.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

enum { KINDS = 4, INCREMENTS = 4 };

// 1: of a column's largest entry: what is asked of a derivative, and of a reference.
static const double asked = 1e-6, resolved = 3e-7;

// A scene, or a robot's file, and how far its states are moved.
static const struct {
    const char* name;
    const char* file;  // below robots/ of the data; NULL: the scene of that name
    int between;       // steps
    int columns;       // of a kind, at most
    double position;   // m or rad
    double velocity;
} cases[] = {
    {"double-pendulum", NULL, 7, 24, 1e-2, 1e-1},
    {"sliding-cube", NULL, 3, 24, 1e-4, 1e-1},
    {"stack of ten", NULL, 5, 6, 1e-6, 1e-3},
    {"pile of 50", NULL, 5, 12, 1e-4, 1e-1},
    {"arm-push", NULL, 11, 24, 1e-4, 1e-1},
    {"hand with ball", NULL, 7, 24, 1e-4, 1e-1},
    {"quadruped", NULL, 7, 24, 1e-4, 1e-1},
    {"biped", NULL, 7, 24, 1e-4, 1e-1},
    {"gripper", NULL, 7, 24, 1e-4, 1e-1},
    {"four-bar", NULL, 7, 24, 1e-4, 1e-1},
    {"Unitree Go2", "unitree_go2/scene.xml", 7, 24, 1e-4, 1e-1},
    {"Panda with a cube", "franka_emika_panda/mjx_single_cube.xml", 7, 24, 1e-4, 1e-1},
    {"ANYmal C", "anybotics_anymal_c/scene.xml", 7, 24, 1e-4, 1e-1},
    {"Unitree H1", "unitree_h1/scene.xml", 7, 24, 1e-4, 1e-1},
};

enum { CASES = sizeof cases / sizeof *cases };

static const ts_step_input_kind kind[KINDS] = {TS_STEP_BY_POSITION, TS_STEP_BY_VELOCITY, TS_STEP_BY_CONTROL,
                                               TS_STEP_BY_FORCE};

// Where an error was found: how many states had gone before, and what was differentiated by.
typedef struct place {
    int state, kind, column;
} place;

typedef struct stage {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_arena arena;
    ts_rng rng;
    // of all states
    place here;   // at present
    int columns;  // of a kind, at most
    int regular, lost, compared, changed, unresolved, wrong;
    double worst, adjoint;
    place worst_at, adjoint_at;
} stage;

// --- scenes ---

// Round bodies that fall in a heap: of other shapes most contacts are hyperstatic, and one-sided where they rest.
static ts_code build_pile(ts_model** out_model, ts_status* out_status) {
    enum { BODIES = 50 };
    ts_rng rng = ts_rng_make(21, 0);
    ts_builder* builder = ts_builder_create("pile");
    ts_geom_def floor = ts_geom_def_default();
    floor.shape = ts_shape_plane();
    ts_builder_add_geom(builder, &floor);
    for (int i = 0; i < BODIES; ++i) {
        ts_body_def body = ts_body_def_default();
        ts_joint_def joint = ts_joint_def_default();
        ts_geom_def geom = ts_geom_def_default();
        double aside = ts_rng_uniform_in(&rng, -0.02, 0.02);
        int layer = i / 9;
        body.pose.position = ts_vec3_make(0.15 * (i % 3) + aside, 0.15 * (i / 3 % 3), 0.12 + 0.2 * layer);
        joint.body = geom.body = ts_builder_add_body(builder, &body);
        joint.type = TS_JOINT_FREE;
        geom.surface.friction = 0.5;
        geom.shape = i % 3 == 0   ? ts_shape_sphere(0.07)
                     : i % 3 == 1 ? ts_shape_ellipsoid(ts_vec3_make(0.06, 0.07, 0.05))
                                  : ts_shape_capsule(0.04, 0.05);
        ts_builder_add_joint(builder, &joint);
        ts_builder_add_geom(builder, &geom);
    }
    return ts_builder_finish(builder, out_model, out_status);
}

static ts_code open_stage(int k, const char* data, stage* out, ts_status* out_status) {
    char path[1024];
    ts_code code = TS_OK;
    memset(out, 0, sizeof *out);
    out->rng = ts_rng_make(7, (uint64_t)k);
    out->columns = cases[k].columns;
    if (strcmp(cases[k].name, "pile of 50") == 0) {
        code = build_pile(&out->scene.model, out_status);
    } else {
        const char* name = strcmp(cases[k].name, "stack of ten") == 0     ? "stack-10"
                           : strcmp(cases[k].name, "hand with ball") == 0 ? "hand"
                                                                          : cases[k].name;
        if (cases[k].file) snprintf(path, sizeof path, "%s/robots/%s", data, cases[k].file);
        code = ts_scene_load(cases[k].file ? path : name, NULL, &out->scene, out_status);
    }
    if (!code) code = ts_sim_create(out->scene.model, 1, &out->sim, out_status);
    if (!code) code = ts_sim_set_solver(out->sim, "ncp", out_status);
    return code;
}

static void close_stage(stage* at) {
    ts_sim_free(at->sim);
    ts_loaded_scene_free(&at->scene);
    ts_arena_free(&at->arena);
}

// Boxes on one another: each is pressed into the one below by less than what is left alone.
static void press(stage* at) {
    const ts_model* model = at->sim->model;
    for (int t = 0; t < model->tree_count; ++t)
        ts_step_input_move(at->sim, TS_STEP_BY_POSITION, model->tree[t].dof_first + 2, -4e-6 * (t + 1));
}

// --- a state ---

static double* take_jacobian(stage* at, ts_step_method method, double increment, double tolerance, ts_step_input input,
                             ts_step_derivative* out) {
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = method;
    settings.increment = increment;
    settings.tolerance = tolerance;
    if (ts_step_derivative_make(at->sim, &settings, &input, 1, &at->arena, out, NULL)) return NULL;
    double* matrix = TS_ARENA_ARRAY(&at->arena, double, (size_t)out->rows*(size_t)out->columns);
    if (!matrix || ts_step_derivative_matrix(out, &at->arena, matrix)) return NULL;
    return matrix;
}

// What columns are measured with at least: where all sticks a state does not answer to itself, but might; forces count with what they do to a
// kilogramme in a step.
static double floor_at(const stage* at) { return at->here.kind < 2 ? 1.0 : at->sim->options.time_step; }

// How far columns k and k + 1 are apart.
static double apart(double* const matrix[INCREMENTS], int k, int rows, int columns, int c) {
    double most = 0.0;
    for (int r = 0; r < rows; ++r) most = fmax(most, fabs(matrix[k][r * columns + c] - matrix[k + 1][r * columns + c]));
    return most;
}

// The reference of column c, of `rows`: what two increments extrapolate to that agree with each other and with one more. 0: none do. io_size: its largest
// entry, or what it is already.
static int extrapolate(double* const matrix[INCREMENTS], int rows, int columns, int c, double* out_column,
                       double* io_size) {
    double best = HUGE_VAL;
    for (int r = 0; r < rows; ++r) *io_size = fmax(*io_size, fabs(matrix[0][r * columns + c]));
    for (int k = 0; k + 2 < INCREMENTS; ++k) {
        double worst = fmax(apart(matrix, k, rows, columns, c), apart(matrix, k + 1, rows, columns, c));
        if (worst >= best) continue;
        best = worst;
        // Errors go with the square of increments.
        for (int r = 0; r < rows; ++r) {
            double one = matrix[k][r * columns + c], three = matrix[k + 1][r * columns + c];
            out_column[r] = one + (one - three) / 8.0;
        }
    }
    return best <= resolved * *io_size;
}

// `first`: the number of the first column among all of its kind.
static void compare_columns(stage* at, int first, const double* analytic, double* const matrix[INCREMENTS],
                            const ts_step_derivative d[INCREMENTS]) {
    int rows = d[0].rows, columns = d[0].columns;
    double* column = TS_ARENA_ARRAY(&at->arena, double, rows);
    for (int c = 0; column && c < columns; ++c) {
        double size = floor_at(at), off = 0.0;
        if (d[INCREMENTS - 1].report.column_changed[c] || d[0].report.column_changed[c]) {
            ++at->changed;
            continue;
        }
        int clear = extrapolate(matrix, rows, columns, c, column, &size);
        if (!clear) {
            ++at->unresolved;
            continue;
        }
        for (int r = 0; r < rows; ++r) off = fmax(off, fabs(analytic[r * columns + c] - column[r]));
        double share = off / size;
        ++at->compared;
        at->here.column = first + c;
        if (share > at->worst) at->worst_at = at->here;
        at->worst = fmax(at->worst, share);
        at->wrong += !(share <= asked);
    }
}

// y . (J x) against (J^T y) . x.
static void compare_transposes(stage* at, const ts_step_derivative* d, const double* matrix) {
    double *x = TS_ARENA_ARRAY(&at->arena, double, d->columns), *y = TS_ARENA_ARRAY(&at->arena, double, d->rows);
    double *Jx = TS_ARENA_ARRAY(&at->arena, double, d->rows), *JTy = TS_ARENA_ARRAY(&at->arena, double, d->columns);
    double left = 0.0, right = 0.0, size = 0.0;
    if (!x || !y || !Jx || !JTy) return;
    for (int c = 0; c < d->columns; ++c) x[c] = ts_rng_uniform_in(&at->rng, -1.0, 1.0);
    for (int r = 0; r < d->rows; ++r) y[r] = ts_rng_uniform_in(&at->rng, -1.0, 1.0);
    if (ts_step_derivative_forward(d, x, &at->arena, Jx) || ts_step_derivative_reverse(d, y, &at->arena, JTy)) return;
    for (int r = 0; r < d->rows; ++r) left += y[r] * Jx[r];
    for (int c = 0; c < d->columns; ++c) right += JTy[c] * x[c];
    for (int r = 0; r < d->rows; ++r)
        for (int c = 0; c < d->columns; ++c)
            size += fabs(y[r] * x[c]) * fmax(fabs(matrix[r * d->columns + c]), floor_at(at) / d->rows);
    if (!(fabs(left - right) > at->adjoint * size)) return;
    at->adjoint = fabs(left - right) / size;
    at->adjoint_at = at->here;
}

// Differences of the answer that was differentiated: where the law has several, a solver that is asked for more digits may find another. 0: it did.
static int take_differences(stage* at, const ts_step_derivative* d, double tolerance, ts_step_input input,
                            double* matrix[INCREMENTS], ts_step_derivative* reference) {
    double increment = 1.0;
    for (int i = 0; i < INCREMENTS; ++i, increment *= 3.0) {
        const ts_step_report *one = &d->report, *two = &reference[i].report;
        matrix[i] = take_jacobian(at, TS_STEP_DIFFERENCE, increment, tolerance, input, &reference[i]);
        if (!matrix[i] || one->block_count != two->block_count) return 0;
        for (int b = 0; b < one->block_count; ++b) {
            double a = fmin(one->block[b].impulse, one->block[b].speed);
            double z = fmin(two->block[b].impulse, two->block[b].speed);
            if (one->block[b].mode != two->block[b].mode) return 0;
            if (one->block[b].change == two->block[b].change && isfinite(a) && fabs(a - z) > 1e-6 * fmax(a, z))
                return 0;
        }
    }
    return 1;
}

// Whether the present step can be solved to so much: where it cannot, every step of a difference would try in vain.
static int is_solved_to(stage* at, double tolerance) {
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_derivative d;
    settings.tolerance = tolerance;
    ts_code code = ts_step_derivative_make(at->sim, &settings, NULL, 0, &at->arena, &d, NULL);
    return code == TS_OK && d.report.unmet <= tolerance;
}

// All kinds at the present state.
static void compare_state(stage* at) {
    ts_arena_reset(&at->arena);
    int regular = 0, is_exact = is_solved_to(at, 1e-14);
    for (int k = 0; k < KINDS; ++k) {
        ts_step_derivative d, reference[INCREMENTS];
        double* matrix[INCREMENTS];
        ts_step_input input = ts_step_input_all(at->sim->model, kind[k]);
        if (input.count > at->columns) {
            input.first = (int)ts_rng_uniform_in(&at->rng, 0.0, input.count - at->columns + 1);
            input.count = at->columns;
        }
        if (input.count == 0) continue;
        at->here.kind = k;
        ts_arena_reset(&at->arena);
        double* analytic = take_jacobian(at, TS_STEP_IMPLICIT, 1.0, 1e-12, input, &d);
        int fine = analytic && d.report.verdict == TS_STEP_REGULAR && d.report.changed == 0;
        if (k == 0) regular = fine;
        if (!fine) continue;
        compare_transposes(at, &d, analytic);
        // What cannot be solved to the last digit may be answered otherwise.
        fine = (is_exact && take_differences(at, &d, 1e-14, input, matrix, reference)) ||
               take_differences(at, &d, 1e-12, input, matrix, reference);
        at->lost += !fine;
        if (fine) compare_columns(at, input.first, analytic, matrix, reference);
    }
    at->regular += regular;
}

// --- scenes ---

static int run_case(int k, int states, stage* at, ts_status* out_status) {
    ts_snapshot before = {0}, start = {0};
    double most = 0.0;
    int fine = ts_sim_snapshot(at->sim, &start, out_status) == TS_OK;
    for (int i = 0; fine && i < (strcmp(cases[k].name, "pile of 50") == 0 ? 250 : 0); ++i)
        fine = ts_sim_step(at->sim, out_status) == TS_OK;
    most = at->scene.duration > 0.0 ? at->scene.duration : 5.0;
    for (int n = 0; fine && n < states; ++n) {
        // From the beginning again where the scene is over: other states, as they are moved otherwise.
        if (at->sim->time > most) fine = ts_sim_restore(at->sim, &start, out_status) == TS_OK;
        for (int i = 0; fine && i < cases[k].between; ++i) {
            ts_controller_act(&at->scene.control, at->sim);
            fine = ts_sim_step(at->sim, out_status) == TS_OK;
        }
        ts_controller_act(&at->scene.control, at->sim);
        fine = fine && ts_sim_snapshot(at->sim, &before, out_status) == TS_OK;
        if (!fine) break;
        for (int i = 0; i < at->sim->model->nv; ++i) {
            double move = ts_rng_uniform_in(&at->rng, -cases[k].position, cases[k].position);
            double push = ts_rng_uniform_in(&at->rng, -cases[k].velocity, cases[k].velocity);
            ts_step_input_move(at->sim, TS_STEP_BY_POSITION, i, move);
            ts_step_input_move(at->sim, TS_STEP_BY_VELOCITY, i, push);
        }
        if (strcmp(cases[k].name, "stack of ten") == 0) press(at);
        at->here.state = n;
        compare_state(at);
        fine = ts_sim_restore(at->sim, &before, out_status) == TS_OK;
    }
    ts_snapshot_free(&before);
    ts_snapshot_free(&start);
    return fine;
}

static ts_bench_table* add_table(ts_bench_report* report) {
    static const char* const head[] = {"dofs",    "states",  "regular",     "lost",          "columns",
                                       "changed", "unclear", "beyond 1e-6", "largest error", "transpose"};
    ts_bench_table* table =
        ts_bench_add_table(report, "derivative-accuracy", "The Jacobian of a step against differences, random states");
    ts_bench_add_column(table, "scene", "");
    for (unsigned k = 0; k < sizeof head / sizeof *head; ++k) ts_bench_add_column(table, head[k], "");
    return table;
}

int ts_bench_derivative_accuracy(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* table = NULL;
    int states = options->quick ? 3 : 1000, wrong = 0, missing = 0;
    for (int k = 0; k < CASES; ++k) {
        stage at;
        ts_status status;
        char part[80];
        snprintf(part, sizeof part, "accuracy %s", cases[k].name);
        if (!ts_bench_wanted(report, options, part)) continue;
        if (!table) table = add_table(report);
        if (cases[k].file && !options->data_folder) {
            ++missing;
            continue;
        }
        int fine = open_stage(k, options->data_folder, &at, &status) == TS_OK && run_case(k, states, &at, &status);
        int dofs = fine ? at.sim->model->nv : 0;
        close_stage(&at);
        if (!fine) return ts_bench_fail(report, "%s: %s", cases[k].name, status.message);
        double number[] = {dofs,       states,        at.regular, at.lost,  at.compared,
                           at.changed, at.unresolved, at.wrong,   at.worst, at.adjoint};
        ts_bench_row(table);
        ts_bench_text(table, "%s", cases[k].name);
        for (unsigned i = 0; i < sizeof number / sizeof *number; ++i) ts_bench_number(table, number[i]);
        if (at.wrong > 0)
            ts_bench_note(report, "%s: the largest error is in state %d, by number %d of %s.", cases[k].name,
                          at.worst_at.state, at.worst_at.column, ts_step_input_name(kind[at.worst_at.kind]));
        if (at.adjoint > 1e-12)
            ts_bench_note(report, "%s: forward and backward differ most in state %d, by %s.", cases[k].name,
                          at.adjoint_at.state, ts_step_input_name(kind[at.adjoint_at.kind]));
        wrong += at.wrong + (at.adjoint > 1e-12);
        if (ts_bench_progress(report, k + 1, CASES)) return TS_BENCH_STOPPED;
    }
    if (!table) return TS_BENCH_DONE;
    ts_bench_note(report,
                  "regular: states whose report says so; lost: kinds of inputs at a state whose differences are of "
                  "another answer of the law; columns: compared; changed: a contact changed between the "
                  "ends of the differences; "
                  "unclear: differences do not agree to %g; errors are parts of a column's largest entry.",
                  resolved);
    if (missing) ts_bench_note(report, "%d robots were left out: TOUCHSTONE_DATA has them.", missing);
    return wrong ? TS_BENCH_WRONG : TS_BENCH_DONE;
}
