// Touchstone behind the face of robots.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/robot_peer.h"
#include "engine/batch.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

struct ts_bench_robot {
    ts_loaded_scene scene;
    ts_sim* sim;
};

static void close_robot(ts_bench_robot* robot) {
    if (!robot) return;
    ts_sim_free(robot->sim);
    ts_loaded_scene_free(&robot->scene);
    free(robot);
}

static ts_bench_robot* open_robot(const char* file, const char* text, char error[200]) {
    ts_bench_robot* robot = (ts_bench_robot*)calloc(1, sizeof *robot);
    if (!robot) return NULL;
    ts_status status;
    (void)text;  // the file's own
    ts_code code = ts_scene_load(file, NULL, &robot->scene, &status);
    if (!code) code = ts_sim_create(robot->scene.model, 1, &robot->sim, &status);
    if (!code) code = ts_sim_set_solver(robot->sim, "ncp", &status);
    if (code) {
        snprintf(error, 200, "%.199s", status.message);
        close_robot(robot);
        return NULL;
    }
    return robot;
}

static ts_bench_robot_view view(ts_bench_robot* robot) {
    const ts_model* model = robot->scene.model;
    const ts_sim* sim = robot->sim;
    ts_bench_robot_view v = {model->nq, model->nv, model->actuator_count, model->body_count, sim->options.time_step,
                             sim->qpos, sim->qvel, sim->force_actuator,   sim->ctrl};
    return v;
}

static void reset(ts_bench_robot* robot, const double* qpos, const double* qvel) {
    const ts_model* model = robot->scene.model;
    ts_sim_reset(robot->sim);
    if (qpos) memcpy(robot->sim->qpos, qpos, (size_t)model->nq * sizeof(double));
    if (qvel) memcpy(robot->sim->qvel, qvel, (size_t)model->nv * sizeof(double));
}

// Under rk4 nothing of damping or springs is taken ahead: the matrix is the inertia.
static int inertia(ts_bench_robot* robot, double* out_matrix) {
    const ts_model* model = robot->scene.model;
    ts_sim* sim = NULL;
    if (ts_sim_create(model, 1, &sim, NULL)) return 0;
    int done = !ts_sim_set_integrator(sim, "rk4", NULL);
    memcpy(sim->qpos, robot->sim->qpos, (size_t)model->nq * sizeof(double));
    done = done && !ts_sim_forward(sim, NULL);
    memset(out_matrix, 0, (size_t)model->nv * (size_t)model->nv * sizeof(double));
    for (int t = 0; done && t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
        for (int i = 0; i < n; ++i)
            memcpy(out_matrix + (size_t)(first + i) * (size_t)model->nv + first,
                   sim->mass_matrix + sim->mass_start[t] + i * n, (size_t)n * sizeof(double));
    }
    ts_sim_free(sim);
    return done;
}

static int driven(const ts_bench_robot* robot, int i, int* out_position, int* out_velocity) {
    const ts_model* model = robot->scene.model;
    const ts_actuator* actuator = &model->actuator[i];
    if (actuator->transmission != ts_transmission_find("joint")) return 0;
    const ts_joint* joint = &model->joint[actuator->target];
    *out_position = joint->qpos_first;
    *out_velocity = joint->dof_first;
    return joint->type == TS_JOINT_HINGE || joint->type == TS_JOINT_SLIDE;
}

static int range(const ts_bench_robot* robot, int i, double out_range[2]) {
    const ts_limits* control = &robot->scene.model->actuator[i].control;
    memcpy(out_range, control->range, sizeof control->range);
    return control->limited;
}

static int step(ts_bench_robot* robot) { return ts_sim_step(robot->sim, NULL) == TS_OK; }

static int watch(ts_bench_robot* robot, ts_bench_robot_step* out_step) {
    const ts_step_info* info = &robot->sim->info;
    ts_energy energy = ts_sim_energy(robot->sim);
    robot->sim->times = TS_STEP_TIMES_STAGES;
    int done = step(robot);
    robot->sim->times = TS_STEP_TIMES_NONE;
    if (!done) return 0;
    *out_step = (ts_bench_robot_step){info->contact_count,
                                      info->solve.status == TS_SOLVE_CONVERGED,
                                      info->worst_penetration,
                                      info->residual.natural,
                                      energy.kinetic + energy.potential,
                                      {info->seconds_kinematics, info->seconds_broad, info->seconds_narrow,
                                       info->seconds_dynamics, info->seconds_assemble, info->seconds_solve,
                                       info->seconds_integrate}};
    return 1;
}

static void centres(ts_bench_robot* robot, double* out_points) {
    for (int b = 0; b < robot->scene.model->body_count; ++b)
        ts_vec3_store(robot->sim->kinematics.body_centre[b], out_points + 3 * b);
}

static double batch(ts_bench_robot* robot, int worlds, int steps, int threads) {
    const ts_model* model = robot->scene.model;
    ts_batch* many = NULL;
    if (ts_batch_create(&model, 1, worlds, threads, &many, NULL)) return -1.0;
    int wrong = 0;
    for (int i = 0; i < worlds; ++i) wrong += ts_sim_set_solver(many->sim[i], "ncp", NULL) != TS_OK;
    ts_batch_step(many, 1, NULL, NULL, NULL);
    double begin = ts_clock_seconds();
    wrong += ts_batch_step(many, steps, NULL, NULL, NULL);
    double seconds = ts_clock_seconds() - begin;
    ts_batch_free(many);
    return wrong ? -1.0 : seconds;
}

const ts_bench_robot_engine* ts_bench_robot_touchstone(void) {
    static const ts_bench_robot_engine engine = {"touchstone", open_robot, close_robot, view,  reset,   inertia,
                                                 driven,       range,      step,        watch, centres, batch};
    return &engine;
}
