// "Contact Models in Robotics", Fig. 13: Solo-12 stands, its joints locked, on contacts softened by R = epsilon I, and is pushed sideways with 2 N.
//
// The first step has a closed form (scenes/experiments/stand.c); both solvers of the relaxation must meet it. What is left to see is that R makes the
// forces unique, at a price: without it, what each solver picks of them, and the sweeps that it takes.
#include <math.h>
#include <string.h>

#include "bench/bench_list.h"
#include "bench/robot_stand.h"
#include "engine/step/step.h"
#include "scenes/experiments/experiment.h"

static const double compliances[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
enum { VALUES = sizeof compliances / sizeof compliances[0] };
static const char* const solvers[] = {"ccp-admm", "ccp-pgs"};

// What a solver made of the first step.
typedef struct answer {
    double load, sinks, creeps;
    ts_lab_stand known;
    int iterations;
} answer;

static ts_code step_once(const ts_model* model, double epsilon, const char* solver, answer* out, ts_status* status) {
    ts_sim* sim = NULL;
    memset(out, 0, sizeof *out);
    ts_code code = ts_sim_create(model, 1, &sim, status);
    if (code) return code;
    sim->options.time_step = 1e-3;
    sim->options.gravity = ts_vec3_make(2.0 / ts_model_total_mass(model), 0.0, -9.81);
    sim->options.compliance_normal = sim->options.compliance_tangent = epsilon;
    sim->options.tolerance = 1e-10;
    sim->options.iterations = 1000000;
    code = ts_sim_set_solver(sim, solver, status);
    if (code == TS_OK) code = ts_sim_step(sim, status);
    for (int i = 0; code == TS_OK && i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        out->load += c.impulse.z / sim->options.time_step;
        out->sinks = fmax(out->sinks, -c.velocity.z);
        out->creeps = fmax(out->creeps, hypot(c.velocity.x, c.velocity.y));
    }
    out->iterations = sim->info.solve.iterations;
    if (code == TS_OK) code = ts_lab_stand_on(sim, ts_scene_default_focus(model), epsilon, &out->known, status);
    ts_sim_free(sim);
    return code;
}

static int is_near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b) + 1e-9; }

static int meets(const answer* a) {
    return a->known.holds && is_near(a->load, a->known.load) && is_near(a->sinks, a->known.sinks) &&
           is_near(a->creeps, a->known.creeps);
}

static void add_row(ts_bench_table* t, double epsilon, const answer a[2]) {
    const double numbers[] = {epsilon,
                              a[0].load,
                              a[0].known.load,
                              1e6 * a[0].sinks,
                              1e6 * a[0].known.sinks,
                              1e6 * a[0].creeps,
                              1e6 * a[0].known.creeps,
                              a[0].known.internal,
                              a[1].known.internal,
                              a[1].iterations};
    ts_bench_row(t);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) ts_bench_number(t, numbers[i]);
}

// The robot, and the same as one body on its feet; the caller frees both.
static ts_model* open_locked(const ts_bench_options* options, ts_bench_report* report, ts_loaded_scene* out_robot) {
    ts_status status;
    ts_sim* sim = NULL;
    ts_model* locked = NULL;
    memset(out_robot, 0, sizeof *out_robot);
    ts_code code = TS_OK;
    if (options->data_folder)
        out_robot->model = ts_bench_stand_open(options, report, ts_bench_stand_at(0));
    else
        code = ts_scene_load("quadruped", NULL, out_robot, &status);
    if (code == TS_OK && out_robot->model) code = ts_sim_create(out_robot->model, 1, &sim, &status);
    if (sim) {
        ts_bench_put_down(sim, 0.0);
        code = ts_scene_lock(sim, &locked, &status);
    }
    if (code) ts_bench_note(report, "%s", status.message);
    ts_sim_free(sim);
    return locked;
}

// Both solvers at one epsilon, as a row.
static ts_code try_value(const ts_model* model, double epsilon, ts_bench_table* t, int* good, ts_status* status) {
    answer a[2];
    for (int k = 0; k < 2; ++k) {
        ts_code code = step_once(model, epsilon, solvers[k], &a[k], status);
        if (code) return code;
        *good &= meets(&a[k]);
    }
    add_row(t, epsilon, a);
    return TS_OK;
}

int ts_bench_robot_compliance(const ts_bench_options* options, ts_bench_report* report) {
    static const char* const head[][2] = {{"epsilon", "1/kg"},     {"load", "N"},           {"closed form", "N"},
                                          {"sinks", "um/s"},       {"closed form", "um/s"}, {"creeps", "um/s"},
                                          {"closed form", "um/s"}, {"internal ADMM", "N"},  {"internal PGS", "N"},
                                          {"sweeps", ""}};
    int good = 1;
    ts_bench_table* t =
        ts_bench_add_table(report, "robot-compliance", "A robot on contacts softened by R, pushed with 2 N");
    for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i) ts_bench_add_column(t, head[i][0], head[i][1]);
    ts_loaded_scene robot;
    ts_status status;
    ts_code code = TS_OK;
    ts_model* model = open_locked(options, report, &robot);
    for (int i = 0; model && i < VALUES && code == TS_OK; ++i) {
        code = try_value(model, compliances[i], t, &good, &status);
        if (ts_bench_progress(report, i + 1, VALUES)) break;
    }
    ts_bench_note(
        report, "%s, joints locked, one step of 1 ms to 1e-10; internal is the part of the forces that moves nothing.",
        options->data_folder ? "Solo-12 as its SRDF stands" : "Our quadruped, since TOUCHSTONE_DATA names no folder");
    if (!good) ts_bench_note(report, "An answer is off the closed form.");
    if (code) ts_bench_note(report, "%s", status.message);
    int ran = model && code == TS_OK;
    ts_model_free(model);
    ts_loaded_scene_free(&robot);
    return !ran ? TS_BENCH_FAILED : good ? TS_BENCH_DONE : TS_BENCH_WRONG;
}
