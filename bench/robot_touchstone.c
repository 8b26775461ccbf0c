// Touchstone behind the face of robots.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/robot_peer.h"
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

static ts_bench_robot* open_robot(const char* file, char error[200]) {
    ts_bench_robot* robot = (ts_bench_robot*)calloc(1, sizeof *robot);
    if (!robot) return NULL;
    ts_status status;
    ts_code code = ts_scene_load(file, NULL, &robot->scene, &status);
    if (!code) code = ts_sim_create(robot->scene.model, 1, &robot->sim, &status);
    if (code) {
        snprintf(error, 200, "%.199s", status.message);
        close_robot(robot);
        return NULL;
    }
    return robot;
}

static double time_step(const ts_bench_robot* robot) { return robot->sim->options.time_step; }

static int dofs(const ts_bench_robot* robot) { return robot->scene.model->nv; }

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

static int step(ts_bench_robot* robot) { return ts_sim_step(robot->sim, NULL) == TS_OK; }

static ts_bench_robot_state state(const ts_bench_robot* robot) {
    const ts_step_info* info = &robot->sim->info;
    ts_bench_robot_state s = {info->contact_count, info->worst_penetration, info->residual.natural};
    return s;
}

const ts_bench_robot_engine* ts_bench_robot_touchstone(void) {
    static const ts_bench_robot_engine engine = {"touchstone", open_robot, close_robot, time_step,
                                                 dofs,         inertia,    step,        state};
    return &engine;
}
