// Touchstone behind the benchmark's face.
#include "bench/world.h"

#include "contact/judge/residual.h"
#include "engine/step/step.h"

#include <stdlib.h>

struct ts_bench_world {
    ts_sim* sim;
};

static void destroy(ts_bench_world* world) {
    if (!world) return;
    ts_sim_free(world->sim);
    free(world);
}

static ts_bench_world* create(const ts_model* model, const ts_bench_settings* settings) {
    ts_bench_world* world = calloc(1, sizeof *world);
    if (!world) return NULL;
    if (ts_sim_create(model, settings->threads > 0 ? settings->threads : 1, &world->sim, NULL)) {
        free(world);
        return NULL;
    }
    world->sim->options.time_step = settings->time_step;
    if (settings->substeps > 0) world->sim->options.substeps = settings->substeps;
    if (settings->iterations < 0) world->sim->options.iterations = -1;
    if (settings->iterations > 0) {
        world->sim->options.iterations = settings->iterations;
        world->sim->options.tolerance = 1e-300;  // never met: exactly that many sweeps
    }
    if (ts_sim_set_solver(world->sim, settings->solver ? settings->solver : model->options.solver, NULL)) {
        destroy(world);
        return NULL;
    }
    if (settings->omega > 0.0 &&
        ts_solver_set(world->sim->solver, world->sim->solver_settings, "omega", settings->omega, NULL)) {
        destroy(world);
        return NULL;
    }
    return world;
}

static int step(ts_bench_world* world) { return ts_sim_step(world->sim, NULL) == TS_OK; }

static void tell_stages(ts_bench_world* world, int tells) {
    world->sim->times = tells ? TS_STEP_TIMES_STAGES : TS_STEP_TIMES_NONE;
}

static int free_body(const ts_model* model, int body) {
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].type == TS_JOINT_FREE && body-- == 0) return j;
    return -1;
}

static void centre(ts_bench_world* world, int body, double out_position[3]) {
    const ts_model* model = world->sim->model;
    int joint = free_body(model, body);
    const double* q = world->sim->qpos + model->joint[joint].qpos_first;
    ts_pose pose = {ts_vec3_load(q), ts_quat_load(q + 3)};
    ts_vec3_store(ts_pose_apply(pose, model->body[model->joint[joint].body].centre), out_position);
}

static ts_bench_state state(ts_bench_world* world) {
    const ts_step_info* info = &world->sim->info;
    ts_bench_state s = {
        info->contact_count,
        info->worst_penetration,
        info->residual.natural,
        info->solve.iterations,
        {info->seconds_broad, info->seconds_narrow,
         info->seconds_kinematics + info->seconds_dynamics + info->seconds_assemble, info->seconds_solve,
         info->seconds_integrate},
    };
    return s;
}

const ts_bench_engine* ts_bench_touchstone(void) {
    static const ts_bench_engine engine = {"touchstone", create, destroy, step, centre, state, tell_stages};
    return &engine;
}
