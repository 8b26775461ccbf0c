// The tasks. Adding one: a row of the table, and the scene it is about (scenes/).
//
// What is asked is taken from the motion at the answer, so that the answer has no distance left. Throw, push and settle have it in closed form too
// (tests/bench/test_gradient_tasks.c).
#include "bench/gradient_tasks.h"

#include <stdlib.h>
#include <string.h>

#define FORCE(k, answer) \
    { TS_STEP_BY_CONTROL, 0, 10 * (k), 10 * (k) + 10, answer, -25.0, 25.0 }
#define SPEEDS(k) \
    {10 * (k), 1, 0}, { 10 * (k), 1, 3 }

static const ts_task tasks[] = {
    {.name = "throw",
     .summary = "a box is thrown such that it comes down, slides and is at a place",
     .scene = "throw",
     .steps = 100,
     .unknown_count = 2,
     .unknown = {{TS_STEP_BY_VELOCITY, 0, 0, 0, 2.5, 1.5, 3.5}, {TS_STEP_BY_VELOCITY, 1, 0, 0, 0.5, -1.0, 1.0}},
     .asked_count = 2,
     .asked = {{100, 0, 0}, {100, 0, 1}}},
    {.name = "push",
     .summary = "friction and mass of a box from where it was while it was pushed",
     .scene = "push",
     .steps = 100,
     .unknown_count = 2,
     .unknown = {{TS_STEP_BY_FRICTION, 1, 0, 0, 0.3, 0.1, 0.6}, {TS_STEP_BY_MASS, 1, 0, 0, 1.5, 0.5, 3.0}},
     .asked_count = 10,
     .asked = {{10, 0, 0},
               {20, 0, 0},
               {30, 0, 0},
               {40, 0, 0},
               {50, 0, 0},
               {60, 0, 0},
               {70, 0, 0},
               {80, 0, 0},
               {90, 0, 0},
               {100, 0, 0}},
     .push_count = 2,
     .push = {{0, 0, 40, 6.0}, {0, 40, 70, 4.0}}},
    {.name = "settle",
     .summary = "a moving stack is brought to rest at a place by forces on its base, and nothing slides off",
     .scene = "settle",
     .steps = 100,
     .unknown_count = 2,
     .unknown = {{TS_STEP_BY_CONTROL, 0, 0, 50, -4.8, -30.0, 20.0},
                 {TS_STEP_BY_CONTROL, 0, 50, 100, -4.8, -30.0, 20.0}},
     .asked_count = 6,
     .asked = {{100, 0, 0}, {100, 1, 0}, {100, 0, 1}, {100, 1, 1}, {100, 0, 3}, {100, 1, 3}}},
    {.name = "follow",
     .summary = "the same stack goes as it was recorded to go, by ten forces",
     .scene = "settle",
     .steps = 100,
     .unknown_count = 10,
     .unknown = {FORCE(0, -2.0), FORCE(1, 6.0), FORCE(2, -9.0), FORCE(3, -4.0), FORCE(4, 12.0), FORCE(5, 1.0),
                 FORCE(6, -12.0), FORCE(7, 3.0), FORCE(8, -7.0), FORCE(9, -5.0)},
     .asked_count = 20,
     .asked = {SPEEDS(1), SPEEDS(2), SPEEDS(3), SPEEDS(4), SPEEDS(5), SPEEDS(6), SPEEDS(7), SPEEDS(8), SPEEDS(9),
               SPEEDS(10)}},
    {.name = "arm",
     .summary = "an arm pushes a box to a place on the floor by two torques",
     .scene = "two-link-push",
     .steps = 100,
     .unknown_count = 2,
     .unknown = {{TS_STEP_BY_CONTROL, 0, 0, 60, 0.1, -0.2, 0.4}, {TS_STEP_BY_CONTROL, 1, 0, 60, 0.7, 0.4, 1.2}},
     .asked_count = 2,
     .asked = {{100, 0, 3}, {100, 0, 4}}},
};

int ts_task_count(void) { return (int)(sizeof tasks / sizeof tasks[0]); }

const ts_task* ts_task_at(int i) { return &tasks[i]; }

static int is_parameter(const ts_task_unknown* u) {
    return u->kind == TS_STEP_BY_FRICTION || u->kind == TS_STEP_BY_MASS;
}

// --- a run ---

static void note(ts_task_bench* self, const ts_sim* sim, int state) {
    for (int r = 0; r < self->task->asked_count; ++r) {
        const ts_task_asked* a = &self->task->asked[r];
        if (a->state == state) self->now[r] = a->is_velocity ? sim->qvel[a->dof] : sim->qpos[a->dof];
    }
}

static double see(void* user, ts_sim* sim, int state, ts_rollout_pull* pull) {
    (void)pull;
    note((ts_task_bench*)user, sim, state);
    return 0.0;
}

static void see_tangents(void* user, ts_sim* sim, int state, const ts_rollout_tangents* t) {
    ts_task_bench* self = (ts_task_bench*)user;
    int nv = sim->model->nv, rows = 2 * nv + sim->model->act_count, n = self->task->unknown_count;
    note(self, sim, state);
    for (int r = 0; r < self->task->asked_count; ++r) {
        const ts_task_asked* a = &self->task->asked[r];
        for (int c = 0; c < n && a->state == state; ++c)
            self->J[r * n + c] = t->state[c * rows + (a->is_velocity ? nv : 0) + a->dof];
    }
}

// The start, with the unknowns as they are guessed.
static ts_code take(ts_task_bench* self, const double* x, ts_status* out_status) {
    const ts_task* task = self->task;
    int nu = self->model->actuator_count;
    ts_code code = ts_sim_restore(self->sim, &self->start, out_status);
    for (int c = 0; c < task->unknown_count && !code; ++c) {
        const ts_task_unknown* u = &task->unknown[c];
        int fine = 1;
        if (u->kind == TS_STEP_BY_VELOCITY) self->sim->qvel[u->index] = x[c];
        for (int k = u->from; k < u->to && u->kind == TS_STEP_BY_CONTROL; ++k) self->ctrl[k * nu + u->index] = x[c];
        if (u->kind == TS_STEP_BY_MASS)
            fine = ts_step_input_move(self->sim, u->kind, u->index, x[c] - self->sim->model->body[u->index].mass);
        if (u->kind == TS_STEP_BY_FRICTION) {
            // Below none there is none to differentiate.
            fine = x[c] >= 0.0 && ts_step_input_move(self->sim, u->kind, u->index, x[c] - u->answer - self->moved[c]);
            if (fine) self->moved[c] = x[c] - u->answer;
        }
        if (!fine)
            code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no such world: unknown %d is %g", c, x[c]);
    }
    return code;
}

static ts_rollout rollout_of(ts_task_bench* self, ts_step_input* parameter) {
    ts_rollout rollout = {.steps = self->task->steps,
                          .settings = ts_step_derivative_default(),
                          .ctrl = self->model->actuator_count > 0 ? self->ctrl : NULL,
                          .force = self->task->push_count > 0 ? self->force : NULL,
                          .parameter = parameter,
                          .user = self};
    for (int c = 0; c < self->task->unknown_count; ++c)
        if (is_parameter(&self->task->unknown[c]))
            parameter[rollout.parameter_count++] =
                (ts_step_input){self->task->unknown[c].kind, self->task->unknown[c].index, 1};
    return rollout;
}

static void subtract(const ts_task_bench* self, double* out_residual) {
    for (int r = 0; r < self->task->asked_count; ++r) out_residual[r] = self->now[r] - self->answer[r];
}

ts_code ts_task_run(ts_task_bench* self, const double* x, double* out_residual, ts_status* out_status) {
    ts_step_input parameter[TS_TASK_UNKNOWNS];
    ts_rollout rollout = rollout_of(self, parameter);
    double loss = 0.0;
    rollout.loss = see;
    ++self->runs;
    ts_code code = take(self, x, out_status);
    if (!code) code = ts_rollout_run(self->sim, &rollout, &loss, out_status);
    if (!code) subtract(self, out_residual);
    return code;
}

ts_code ts_task_differentiate(ts_task_bench* self, const double* x, double* out_residual, double* out_J,
                              ts_status* out_status) {
    const ts_task* task = self->task;
    ts_step_input parameter[TS_TASK_UNKNOWNS];
    ts_rollout rollout = rollout_of(self, parameter);
    size_t n = (size_t)task->unknown_count, steps = (size_t)task->steps, nu = (size_t)self->model->actuator_count;
    size_t rows = 2 * (size_t)self->model->nv + (size_t)self->model->act_count, np = (size_t)rollout.parameter_count;
    double *start = self->tangent, *state = start + n * rows, *ctrl = state + n * rows, *by = ctrl + n * steps * nu;
    memset(self->tangent, 0, (2 * n * rows + n * steps * nu + n * n) * sizeof(double));
    for (size_t c = 0, p = 0; c < n; ++c) {
        const ts_task_unknown* u = &task->unknown[c];
        if (u->kind == TS_STEP_BY_VELOCITY) start[c * rows + (size_t)self->model->nv + (size_t)u->index] = 1.0;
        for (int k = u->from; k < u->to && u->kind == TS_STEP_BY_CONTROL; ++k)
            ctrl[(c * steps + (size_t)k) * nu + (size_t)u->index] = 1.0;
        if (is_parameter(u)) by[c * np + p++] = 1.0;
    }
    ts_rollout_tangents t = {.count = (int)n,
                             .start = start,
                             .ctrl = nu > 0 ? ctrl : NULL,
                             .parameter = np > 0 ? by : NULL,
                             .state = state,
                             .at = see_tangents};
    ts_code code = take(self, x, out_status);
    if (!code) code = ts_rollout_forward(self->sim, &rollout, &self->scratch, &t, NULL, out_status);
    self->report = t.report;
    if (code) return code;
    subtract(self, out_residual);
    memcpy(out_J, self->J, (size_t)task->asked_count * n * sizeof(double));
    return TS_OK;
}

// --- beginning and end ---

ts_code ts_task_begin(const ts_task* task, ts_task_bench* out, ts_status* out_status) {
    double x[TS_TASK_UNKNOWNS] = {0.0}, residual[TS_TASK_ASKED];
    memset(out, 0, sizeof *out);
    out->task = task;
    ts_code code = ts_scene_load(task->scene, NULL, &out->scene, out_status);
    out->model = out->scene.model;
    if (!code) code = ts_sim_create(out->model, 1, &out->sim, out_status);
    if (!code) code = ts_sim_snapshot(out->sim, &out->start, out_status);
    if (code) return code;
    size_t n = (size_t)task->unknown_count, steps = (size_t)task->steps, nu = (size_t)out->model->actuator_count;
    size_t nv = (size_t)out->model->nv, rows = 2 * nv + (size_t)out->model->act_count;
    out->ctrl = (double*)calloc(steps * nu + 1, sizeof(double));
    out->force = (double*)calloc(steps * nv + 1, sizeof(double));
    out->tangent = (double*)calloc(2 * n * rows + n * steps * nu + n * n + 1, sizeof(double));
    if (!out->ctrl || !out->force || !out->tangent)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    for (int p = 0; p < task->push_count; ++p)
        for (int k = task->push[p].from; k < task->push[p].to; ++k)
            out->force[(size_t)k * nv + (size_t)task->push[p].dof] = task->push[p].force;
    for (size_t c = 0; c < n; ++c) x[c] = task->unknown[c].answer;
    code = ts_task_run(out, x, residual, out_status);
    memcpy(out->answer, out->now, sizeof out->answer);
    return code;
}

void ts_task_end(ts_task_bench* self) {
    ts_sim_free(self->sim);
    ts_loaded_scene_free(&self->scene);
    ts_snapshot_free(&self->start);
    ts_arena_free(&self->scratch);
    free(self->ctrl);
    free(self->force);
    free(self->tangent);
}
