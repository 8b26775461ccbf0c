// Derivatives of a loss over many steps.
//
// Problem: s_{k+1} = step(s_k, u_k, p) for k < N and L = sum_k l_k(s_k, u_k, p): find dL by s_0, u_0 .. u_{N-1} and p.
// Rule, backward: a_N = dl_N/ds, a_k = dl_k/ds + (ds_{k+1}/ds_k)^T a_{k+1}, and by controls and parameters (ds_{k+1}/d(u, p))^T a_{k+1} are
// collected on the way. Going back needs every s_k: a first run keeps one snapshot in ceil(sqrt N), a second goes through each stretch
// between two again, the last first, and keeps all of its own (Griewank and Walther, "Evaluating Derivatives", ch. 12, in two levels).
// Rule, forward: ds_{k+1} = (ds_{k+1}/ds_k) ds_k + (ds_{k+1}/d(u, p)) d(u, p).
// Guaranteed: backward and forward are each other's transpose as those of steps are; the second run repeats the first to the bit, because
// snapshots hold all that a step depends on.
// Known failure: what contacts and spins remember from step to step, beside the state, is held fixed in each step's derivative, so
// what acts through it alone is left out; and gradients of long contact-rich rollouts grow as the motion itself diverges.
#include "engine/derivative/rollout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/step/step.h"

// Most ranges of inputs of a step: three of the state, controls, forces, and parameters.
enum { state_ranges = 3, most_ranges = 64 };

// A rollout under way.
typedef struct journey {
    ts_sim* sim;
    const ts_rollout* rollout;
    ts_step_strict strict;
    ts_snapshot start;
    int rows;             // 2 nv + act_count
    int parameter_count;  // inputs
    int range_count;
    int column_count;
    int ctrl_column;       // where controls of a step begin among the columns, -1: nowhere
    int force_column;      // likewise
    int parameter_column;  // likewise
    ts_step_input range[most_ranges];
    ts_rollout_report* report;
    ts_arena* scratch;
} journey;

int ts_rollout_parameters(const ts_step_input* parameter, int parameter_count) {
    int sum = 0;
    for (int n = 0; n < parameter_count; ++n) sum += parameter[n].count;
    return sum;
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a rollout");
}

static ts_code check_parameters(const ts_model* model, const ts_rollout* rollout, ts_status* out_status) {
    if (rollout->parameter_count > most_ranges - state_ranges - 2)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d ranges of parameters: at most %d",
                             rollout->parameter_count, most_ranges - state_ranges - 2);
    for (int n = 0; n < rollout->parameter_count; ++n) {
        const ts_step_input* p = &rollout->parameter[n];
        int size = ts_step_input_size(model, p->kind);
        if (p->kind == TS_STEP_BY_POSITION || p->kind == TS_STEP_BY_VELOCITY || p->kind == TS_STEP_BY_ACTIVATION)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                                 "%s is not the same in all steps: it is no parameter of a rollout",
                                 ts_step_input_name(p->kind));
        if (p->first < 0 || p->count < 0 || p->count > size - p->first)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "inputs [%d, %d) of %s: the model has %d",
                                 p->first, p->first + p->count, ts_step_input_name(p->kind), size);
    }
    return TS_OK;
}

static int add_range(journey* j, ts_step_input range) {
    int column = j->column_count;
    j->range[j->range_count++] = range;
    j->column_count += range.count;
    return column;
}

// Columns of the derivatives of steps: the state, then what is asked for.
static void list_columns(journey* j, int by_ctrl, int by_force) {
    const ts_model* model = j->sim->model;
    add_range(j, ts_step_input_all(model, TS_STEP_BY_POSITION));
    add_range(j, ts_step_input_all(model, TS_STEP_BY_VELOCITY));
    add_range(j, ts_step_input_all(model, TS_STEP_BY_ACTIVATION));
    if (by_ctrl) j->ctrl_column = add_range(j, ts_step_input_all(model, TS_STEP_BY_CONTROL));
    if (by_force) j->force_column = add_range(j, ts_step_input_all(model, TS_STEP_BY_FORCE));
    j->parameter_column = j->column_count;
    for (int n = 0; n < j->rollout->parameter_count; ++n) add_range(j, j->rollout->parameter[n]);
}

static ts_code begin(ts_sim* sim, const ts_rollout* rollout, journey* j, ts_status* out_status) {
    memset(j, 0, sizeof *j);
    j->sim = sim;
    j->rollout = rollout;
    j->rows = 2 * sim->model->nv + sim->model->act_count;
    j->ctrl_column = j->force_column = -1;
    ts_code code = check_parameters(sim->model, rollout, out_status);
    if (!code && rollout->steps < 0)
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a rollout of %d steps", rollout->steps);
    if (!code) code = ts_sim_snapshot(sim, &j->start, out_status);
    if (code) return code;
    j->parameter_count = ts_rollout_parameters(rollout->parameter, rollout->parameter_count);
    ts_step_strict_begin(sim, rollout->settings.tolerance, &j->strict);
    return TS_OK;
}

// Puts the simulation back. The first failure is the one that is told.
static ts_code end(journey* j, ts_code code, ts_status* out_status) {
    if (j->start.data) {
        ts_step_strict_end(j->sim, &j->strict);
        ts_code restored = ts_sim_restore(j->sim, &j->start, code ? NULL : out_status);
        if (!code) code = restored;
    }
    ts_snapshot_free(&j->start);
    return code ? code : ts_status_ok(out_status);
}

// --- steps ---

static void take_inputs(const journey* j, int step) {
    size_t nu = (size_t)j->sim->model->actuator_count, nv = (size_t)j->sim->model->nv, k = (size_t)step;
    if (j->rollout->ctrl && nu > 0) memcpy(j->sim->ctrl, j->rollout->ctrl + k * nu, nu * sizeof(double));
    if (j->rollout->force && nv > 0) memcpy(j->sim->force_applied, j->rollout->force + k * nv, nv * sizeof(double));
}

static ts_code tell_step(ts_code code, int step, ts_status* io_status) {
    if (!code || !io_status) return code;
    char text[sizeof io_status->message];
    snprintf(text, sizeof text, "step %d: %.480s", step, io_status->message);
    return ts_status_set(io_status, code, NULL, 0, "%s", text);
}

static ts_code ask_to_go_on(const journey* j, int step, ts_status* out_status) {
    if (!j->rollout->stop || !j->rollout->stop(j->rollout->user)) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "interrupted before step %d", step);
}

static ts_code make_step(journey* j, int step, ts_status* out_status) {
    ts_code code = ask_to_go_on(j, step, out_status);
    if (code) return code;
    take_inputs(j, step);
    return tell_step(ts_sim_step(j->sim, out_status), step, out_status);
}

static double loss_at(journey* j, int state, ts_rollout_pull* pull) {
    if (!j->rollout->loss) return 0.0;
    if (state < j->rollout->steps) take_inputs(j, state);
    ts_sim_update_kinematics(j->sim);
    return j->rollout->loss(j->rollout->user, j->sim, state, pull);
}

static void note_report(journey* j, int step, const ts_step_report* seen) {
    ts_rollout_report* all = j->report;
    // Of equals the earliest, whichever way we go.
    if (seen->verdict > all->verdict || (seen->verdict == all->verdict && (all->step < 0 || step < all->step))) {
        all->verdict = seen->verdict;
        all->step = step;
        snprintf(all->reason, sizeof all->reason, "%s", seen->reason);
    }
    all->count[seen->verdict]++;
    all->unmet = fmax(all->unmet, seen->unmet);
    all->differenced |= seen->differenced;
    for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k)
        if (seen->input_verdict[k] > all->input_verdict[k]) all->input_verdict[k] = seen->input_verdict[k];
    if (seen->nearest >= 0) {
        double roundings = seen->block[seen->nearest].roundings;
        if (roundings < all->roundings || (roundings == all->roundings && step < all->nearest_step)) {
            all->roundings = roundings;
            all->nearest_step = step;
        }
    }
}

static void begin_report(ts_rollout_report* report) {
    memset(report, 0, sizeof *report);
    report->step = report->nearest_step = -1;
    report->roundings = (double)INFINITY;
}

// The derivative of the step that comes, in memory of the scratch.
static ts_code differentiate(journey* j, int step, ts_step_derivative* out, ts_status* out_status) {
    ts_step_derivative_settings settings = j->rollout->settings;
    settings.foreseen = 0;
    ts_code code = ask_to_go_on(j, step, out_status);
    if (code) return code;
    take_inputs(j, step);
    code = ts_step_derivative_make(j->sim, &settings, j->range, j->range_count, j->scratch, out, out_status);
    if (code) return tell_step(code, step, out_status);
    note_report(j, step, &out->report);
    if (j->rollout->seen) j->rollout->seen(j->rollout->user, j->sim, step, &out->report);
    return TS_OK;
}

ts_code ts_rollout_run(ts_sim* sim, const ts_rollout* rollout, double* out_loss, ts_status* out_status) {
    journey j;
    double loss = 0.0;
    ts_code code = begin(sim, rollout, &j, out_status);
    for (int k = 0; k < rollout->steps && !code; ++k) {
        loss += loss_at(&j, k, NULL);
        code = make_step(&j, k, out_status);
    }
    if (!code) loss += loss_at(&j, rollout->steps, NULL);
    *out_loss = loss;
    return end(&j, code, out_status);
}

// --- backward ---

// Snapshots at the beginning of stretches, those of the present stretch, and gradients by the state that we have come back to.
typedef struct way_back {
    int stretch;          // steps of a stretch
    int count;            // stretches
    ts_snapshot* first;   // (count) at the beginning of each
    ts_snapshot* within;  // (stretch) of the present one
    double* state_bar;    // (rows)
    double* column_bar;   // (column_count) of a step's inputs
    double* pull;         // what a loss adds
    int pull_size;
} way_back;

static int prepare_back(const journey* j, way_back* w) {
    int steps = j->rollout->steps;
    memset(w, 0, sizeof *w);
    w->stretch = steps > 0 ? (int)ceil(sqrt((double)steps)) : 1;
    w->count = (steps + w->stretch - 1) / w->stretch;
    w->pull_size = j->rows + j->sim->model->actuator_count + j->parameter_count;
    w->first = (ts_snapshot*)ts_arena_alloc_zeroed(j->scratch, (size_t)w->count, sizeof(ts_snapshot));
    w->within = (ts_snapshot*)ts_arena_alloc_zeroed(j->scratch, (size_t)w->stretch, sizeof(ts_snapshot));
    w->state_bar = (double*)ts_arena_alloc_zeroed(j->scratch, (size_t)j->rows, sizeof(double));
    w->column_bar = TS_ARENA_ARRAY(j->scratch, double, j->column_count);
    w->pull = TS_ARENA_ARRAY(j->scratch, double, w->pull_size);
    return w->first && w->within && w->state_bar && w->column_bar && w->pull;
}

static void free_back(const way_back* w) {
    for (int i = 0; w->first && i < w->count; ++i) ts_snapshot_free(&w->first[i]);
    for (int i = 0; w->within && i < w->stretch; ++i) ts_snapshot_free(&w->within[i]);
}

static void add_to(double* io_sum, const double* addend, int count) {
    if (!io_sum) return;
    for (int i = 0; i < count; ++i) io_sum[i] += addend[i];
}

// Asks how the loss answers to this state itself, in w->pull: state, controls, parameters.
static ts_rollout_pull ask_loss(journey* j, way_back* w, int state) {
    const ts_model* model = j->sim->model;
    memset(w->pull, 0, (size_t)w->pull_size * sizeof(double));
    double* ctrl = w->pull + j->rows;
    ts_rollout_pull pull = {w->pull, w->pull + model->nv, w->pull + 2 * model->nv, ctrl, ctrl + model->actuator_count};
    loss_at(j, state, &pull);
    return pull;
}

// From state k + 1 back to state k, at which the simulation is.
static ts_code step_back(journey* j, way_back* w, int k, ts_rollout_gradient* g, ts_status* out_status) {
    const ts_model* model = j->sim->model;
    ts_rollout_pull pull = ask_loss(j, w, k);
    ts_arena_scope scope = ts_arena_scope_begin(j->scratch);
    ts_step_derivative derivative;
    ts_code code = differentiate(j, k, &derivative, out_status);
    if (!code) {
        code = ts_step_derivative_reverse(&derivative, w->state_bar, j->scratch, w->column_bar);
        if (code) code = no_memory(out_status);
    }
    ts_arena_scope_end(j->scratch, scope);
    if (code) return code;
    size_t nu = (size_t)model->actuator_count, nv = (size_t)model->nv, at = (size_t)k;
    memcpy(w->state_bar, w->column_bar, (size_t)j->rows * sizeof(double));
    add_to(w->state_bar, w->pull, j->rows);
    if (j->ctrl_column >= 0) {
        add_to(g->ctrl + at * nu, w->column_bar + j->ctrl_column, (int)nu);
        add_to(g->ctrl + at * nu, pull.ctrl, (int)nu);
    }
    if (j->force_column >= 0) add_to(g->force + at * nv, w->column_bar + j->force_column, (int)nv);
    add_to(g->parameter, w->column_bar + j->parameter_column, j->parameter_count);
    add_to(g->parameter, pull.parameter, j->parameter_count);
    return TS_OK;
}

// Stretch `s`: goes through it again, keeping every state, and back.
static ts_code stretch_back(journey* j, way_back* w, int s, ts_rollout_gradient* g, ts_status* out_status) {
    int first = s * w->stretch, last = first + w->stretch;
    if (last > j->rollout->steps) last = j->rollout->steps;
    ts_code code = ts_sim_restore(j->sim, &w->first[s], out_status);
    for (int k = first; k < last && !code; ++k) {
        code = ts_sim_snapshot(j->sim, &w->within[k - first], out_status);
        if (!code && k + 1 < last) code = make_step(j, k, out_status);
    }
    for (int k = last - 1; k >= first && !code; --k) {
        code = ts_sim_restore(j->sim, &w->within[k - first], out_status);
        if (!code) code = step_back(j, w, k, g, out_status);
    }
    return code;
}

static void clear(double* numbers, size_t count) {
    if (numbers && count > 0) memset(numbers, 0, count * sizeof(double));
}

static ts_code go_back(journey* j, way_back* w, ts_rollout_gradient* g, ts_status* out_status) {
    int steps = j->rollout->steps, nv = j->sim->model->nv;
    ts_code code = TS_OK;
    for (int k = 0; k < steps && !code; ++k) {
        if (k % w->stretch == 0) code = ts_sim_snapshot(j->sim, &w->first[k / w->stretch], out_status);
        if (code) break;
        g->loss += loss_at(j, k, NULL);
        code = make_step(j, k, out_status);
    }
    if (code) return code;
    g->loss += loss_at(j, steps, NULL);
    ts_rollout_pull pull = ask_loss(j, w, steps);
    memcpy(w->state_bar, w->pull, (size_t)j->rows * sizeof(double));
    add_to(g->parameter, pull.parameter, j->parameter_count);
    for (int s = w->count - 1; s >= 0 && !code; --s) code = stretch_back(j, w, s, g, out_status);
    if (code) return code;
    add_to(g->qpos, w->state_bar, nv);
    add_to(g->qvel, w->state_bar + nv, nv);
    add_to(g->act, w->state_bar + 2 * nv, j->sim->model->act_count);
    return TS_OK;
}

ts_code ts_rollout_backward(ts_sim* sim, const ts_rollout* rollout, ts_arena* scratch, ts_rollout_gradient* g,
                            ts_status* out_status) {
    const ts_model* model = sim->model;
    journey j;
    way_back w = {0};
    g->loss = 0.0;
    begin_report(&g->report);
    ts_code code = begin(sim, rollout, &j, out_status);
    if (code) return end(&j, code, out_status);
    size_t steps = (size_t)rollout->steps;
    clear(g->qpos, (size_t)model->nv);
    clear(g->qvel, (size_t)model->nv);
    clear(g->act, (size_t)model->act_count);
    clear(g->ctrl, steps * (size_t)model->actuator_count);
    clear(g->force, steps * (size_t)model->nv);
    clear(g->parameter, (size_t)j.parameter_count);
    j.report = &g->report;
    j.scratch = scratch;
    list_columns(&j, g->ctrl != NULL, g->force != NULL);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    code = prepare_back(&j, &w) ? go_back(&j, &w, g, out_status) : no_memory(out_status);
    free_back(&w);
    ts_arena_scope_end(scratch, scope);
    return end(&j, code, out_status);
}

// --- forward ---

// What is needed beside the columns themselves.
typedef struct way_ahead {
    double* dx;    // (column_count) change of a step's inputs
    double* dy;    // (rows)
    way_back ask;  // its pull only
} way_ahead;

static int prepare_ahead(const journey* j, way_ahead* w) {
    memset(w, 0, sizeof *w);
    w->dx = (double*)ts_arena_alloc_zeroed(j->scratch, (size_t)j->column_count, sizeof(double));
    w->dy = TS_ARENA_ARRAY(j->scratch, double, j->rows);
    w->ask.pull_size = j->rows + j->sim->model->actuator_count + j->parameter_count;
    w->ask.pull = TS_ARENA_ARRAY(j->scratch, double, w->ask.pull_size);
    return w->dx && w->dy && w->ask.pull;
}

static double inner(const double* a, const double* b, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// Lets the loss and whoever looks see state k with its columns.
static void pass_state(journey* j, way_ahead* w, int k, ts_rollout_tangents* t) {
    size_t nu = (size_t)j->sim->model->actuator_count, rows = (size_t)j->rows, np = (size_t)j->parameter_count;
    size_t steps = (size_t)j->rollout->steps, at = (size_t)k;
    if (t->loss && j->rollout->loss) {
        ts_rollout_pull pull = ask_loss(j, &w->ask, k);
        for (size_t c = 0; c < (size_t)t->count; ++c) {
            t->loss[c] += inner(w->ask.pull, t->state + c * rows, rows);
            if (t->ctrl && at < steps) t->loss[c] += inner(pull.ctrl, t->ctrl + (c * steps + at) * nu, nu);
            if (t->parameter) t->loss[c] += inner(pull.parameter, t->parameter + c * np, np);
        }
    }
    if (t->at) {
        ts_sim_update_kinematics(j->sim);
        t->at(j->rollout->user, j->sim, k, t);
    }
}

// Carries every column over step k, which the simulation is before.
static ts_code carry(journey* j, way_ahead* w, int k, ts_rollout_tangents* t, ts_status* out_status) {
    size_t nu = (size_t)j->sim->model->actuator_count, rows = (size_t)j->rows, np = (size_t)j->parameter_count;
    size_t steps = (size_t)j->rollout->steps, at = (size_t)k;
    ts_step_derivative derivative;
    ts_code code = differentiate(j, k, &derivative, out_status);
    for (size_t c = 0; c < (size_t)t->count && !code; ++c) {
        double* column = t->state + c * rows;
        memcpy(w->dx, column, rows * sizeof(double));
        if (t->ctrl && nu > 0) memcpy(w->dx + j->ctrl_column, t->ctrl + (c * steps + at) * nu, nu * sizeof(double));
        if (t->parameter && np > 0) memcpy(w->dx + j->parameter_column, t->parameter + c * np, np * sizeof(double));
        code = ts_step_derivative_forward(&derivative, w->dx, j->scratch, w->dy);
        if (code) return no_memory(out_status);
        memcpy(column, w->dy, rows * sizeof(double));
    }
    return code;
}

static ts_code go_ahead(journey* j, way_ahead* w, ts_rollout_tangents* t, double* io_loss, ts_status* out_status) {
    ts_code code = TS_OK;
    ts_snapshot here = {0};
    for (int k = 0; k < j->rollout->steps && !code; ++k) {
        *io_loss += loss_at(j, k, NULL);
        pass_state(j, w, k, t);
        code = ts_sim_snapshot(j->sim, &here, out_status);
        ts_arena_scope scope = ts_arena_scope_begin(j->scratch);
        if (!code) code = carry(j, w, k, t, out_status);
        ts_arena_scope_end(j->scratch, scope);
        // A derivative leaves what a step remembers to the tolerance; going on from the snapshot is to the bit.
        if (!code) code = ts_sim_restore(j->sim, &here, out_status);
        if (!code) code = make_step(j, k, out_status);
    }
    ts_snapshot_free(&here);
    if (code) return code;
    *io_loss += loss_at(j, j->rollout->steps, NULL);
    pass_state(j, w, j->rollout->steps, t);
    return TS_OK;
}

ts_code ts_rollout_forward(ts_sim* sim, const ts_rollout* rollout, ts_arena* scratch, ts_rollout_tangents* t,
                           double* out_loss, ts_status* out_status) {
    journey j;
    way_ahead w;
    double loss = 0.0;
    begin_report(&t->report);
    ts_code code = begin(sim, rollout, &j, out_status);
    if (code) return end(&j, code, out_status);
    size_t size = (size_t)t->count * (size_t)j.rows;
    if (t->start && size > 0)
        memcpy(t->state, t->start, size * sizeof(double));
    else
        clear(t->state, size);
    clear(t->loss, (size_t)t->count);
    j.report = &t->report;
    j.scratch = scratch;
    list_columns(&j, t->ctrl != NULL, 0);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    code = prepare_ahead(&j, &w) ? go_ahead(&j, &w, t, &loss, out_status) : no_memory(out_status);
    ts_arena_scope_end(scratch, scope);
    if (out_loss) *out_loss = loss;
    return end(&j, code, out_status);
}

// --- many ---

static void run_jobs(void* context, int first, int last, int worker) {
    ts_rollout_job* job = (ts_rollout_job*)context;
    (void)worker;
    for (int i = first; i < last; ++i) {
        ts_arena scratch = {0};
        if (job[i].value_only)
            ts_rollout_run(job[i].sim, &job[i].rollout, &job[i].gradient.loss, &job[i].status);
        else
            ts_rollout_backward(job[i].sim, &job[i].rollout, &scratch, &job[i].gradient, &job[i].status);
        ts_arena_free(&scratch);
    }
}

int ts_rollout_batch(ts_task_pool* pool, ts_rollout_job* job, int count) {
    int failed = 0;
    ts_task_parallel_for(pool, count, 1, run_jobs, job);
    for (int i = 0; i < count; ++i) failed += job[i].status.code != TS_OK;
    return failed;
}
