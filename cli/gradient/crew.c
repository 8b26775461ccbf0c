// Runs of an audit: each from the same start with some inputs changed, on all threads; what their contacts and rows do, step by step; and the run
// whose gradient is asked for.
//
// A run is the rollout of engine/derivative/rollout.h, contacts solved to its tolerance, so that differences are of the function that is
// differentiated. Open blocks are left out of what is compared: contacts that come near and do nothing change nothing.
#include "cli/gradient/gradient_internal.h"

#include "base/clock.h"
#include "cli/controls.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "engine/step/certify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// m: gaps less than that apart are the same to ts_mode_entry.branch.
static const double gap_width = 1e-10;

// What is looked for in a run: whose block that is.
typedef struct wanted {
    ts_mode_entry entry;
    int found;
    char text[TS_GRADIENT_WORDS];
} wanted;

// Whoever makes a run, and what it sees.
typedef struct worker {
    ts_gradient* audit;
    ts_sim* sim;
    ts_snapshot start;
    ts_options options;
    double* table;  // values of all quantities in all states
    double* by;     // the loss by them
    double by_step;
    uint64_t modes;
    ts_mode_trace* trace;
    wanted* want;
    ts_arena scratch;
    int failed;  // memory was short
} worker;

struct ts_crew {
    ts_gradient* audit;
    int count;
    worker* worker;
    ts_task_pool* pool;
    ts_progress progress;
    ts_trial* trial;  // being made
};

void ts_mode_trace_free(ts_mode_trace* trace) {
    free(trace->entry);
    memset(trace, 0, sizeof *trace);
}

static void trace_add(ts_mode_trace* trace, const ts_mode_entry* entry) {
    if (trace->count == trace->capacity) {
        int capacity = trace->capacity ? 2 * trace->capacity : 256;
        ts_mode_entry* more = (ts_mode_entry*)realloc(trace->entry, (size_t)capacity * sizeof *more);
        if (!more) {
            trace->failed = 1;
            return;
        }
        trace->entry = more;
        trace->capacity = capacity;
    }
    trace->entry[trace->count++] = *entry;
}

// --- what a run sees ---

// FNV-1a, 64 bit.
static const uint64_t hash_start = 0xcbf29ce484222325ULL;

static uint64_t mix(uint64_t hash, uint64_t value) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> (8 * i) & 0xff)) * 0x100000001b3ULL;
    return hash;
}

// 1: of the largest impulse and the largest speed of a step: less is none. Solves leave a tenth of it open.
static const double least_share = 1e-11;

// What counts as none in a step.
typedef struct least {
    double impulse;  // N s
    double speed;    // m/s
} least;

static least least_of(const ts_sim* sim, const ts_contact_certificate* certificate) {
    least most = {0.0, sim->problem.rest_speed};
    for (int b = 0; b < certificate->block_count; ++b) {
        const ts_contact_verdict* v = &certificate->verdict[b];
        most.impulse = fmax(most.impulse, fabs(v->normal_impulse));
        most.speed = fmax(most.speed, fmax(fabs(v->normal_velocity), v->slip));
    }
    return (least){least_share * most.impulse, least_share * most.speed};
}

// Finer than the certificate, whose modes are for people: where solves are to 1e-12, a kink is found to as much.
static int mode_of(const ts_contact_verdict* v, const least* none) {
    switch (v->set) {
    case TS_SET_CONE:
        if (v->normal_impulse <= none->impulse) return TS_MODE_OPEN;
        return v->slip > none->speed ? TS_MODE_SLIDE : TS_MODE_STICK;
    case TS_SET_HALF_LINE: return v->normal_impulse <= none->impulse ? TS_MODE_OPEN : TS_MODE_STICK;
    case TS_SET_BOX: return fabs(v->normal_velocity) > none->speed ? TS_MODE_SLIDE : TS_MODE_STICK;
    case TS_SET_FREE: break;
    }
    return TS_MODE_STICK;
}

static int branch_of(const ts_sim* sim, int b, int contact_source) {
    if (sim->row_block[b].source != contact_source) return 0;
    double gap = ts_sim_contact(sim, sim->row_block[b].item).gap;
    return (gap > gap_width) - (gap < -sim->options.slop - gap_width);
}

static void see_step(worker* w, ts_sim* sim, int step) {
    ts_contact_certificate certificate;
    int contact_source = ts_row_source_find("contact");
    ts_arena_scope scope = ts_arena_scope_begin(&w->scratch);
    if (ts_certify_step(sim, TS_CERTIFICATE_FAST, &w->scratch, &certificate)) w->failed = 1;
    least none = w->failed ? (least){0.0, 0.0} : least_of(sim, &certificate);
    for (int b = 0; !w->failed && b < certificate.block_count; ++b) {
        const ts_row_block* block = &sim->row_block[b];
        ts_mode_entry entry;
        memset(&entry, 0, sizeof entry);
        entry.step = step;
        entry.source = block->source;
        entry.mode = mode_of(&certificate.verdict[b], &none);
        entry.branch = branch_of(sim, b, contact_source);
        entry.key = block->key;
        if (entry.mode == TS_MODE_OPEN) continue;
        // A sum: the order of blocks is no matter.
        uint64_t hash = mix(hash_start, (uint64_t)step << 8 | (uint64_t)(4 * (entry.branch + 1) + entry.mode));
        w->modes += mix(mix(hash, block->key.whole + (uint64_t)block->source), block->key.part);
        if (w->trace) trace_add(w->trace, &entry);
        if (w->want && memcmp(&w->want->entry, &entry, sizeof entry) == 0) {
            ts_certify_describe(sim, b, w->want->text, sizeof w->want->text);
            w->want->found = 1;
        }
    }
    ts_arena_scope_end(&w->scratch, scope);
}

// What a state adds to the gradient, along weights that were found when the run was over.
static void pull_state(worker* w, ts_sim* sim, int state, ts_rollout_pull* pull) {
    const ts_gradient* a = w->audit;
    const ts_expression* e = &a->expression;
    const double* by = w->by + (size_t)state * (size_t)e->quantity_count;
    for (int q = 0; q < e->quantity_count; ++q)
        if (by[q] != 0.0 && !ts_quantity_pull(sim, &e->quantity[q], by[q], &w->scratch, pull)) w->failed = 1;
    int n = 0;
    for (int i = 0; i < a->inputs.count; ++i) {
        const ts_input* in = &a->inputs.input[i];
        if (ts_input_is_start(in)) continue;
        for (int q = 0; q < e->quantity_count; ++q)
            if (by[q] != 0.0)
                pull->parameter[n] +=
                    by[q] * ts_quantity_by_parameter(sim, &e->quantity[q], in->kind, in->index, &w->scratch);
        if (in->kind == TS_STEP_BY_TIME_STEP && state == a->steps) pull->parameter[n] += w->by_step;
        ++n;
    }
}

static double observe(void* user, ts_sim* sim, int state, ts_rollout_pull* pull) {
    worker* w = (worker*)user;
    const ts_expression* e = &w->audit->expression;
    if (pull) {
        pull_state(w, sim, state, pull);
        return 0.0;
    }
    for (int q = 0; q < e->quantity_count; ++q)
        w->table[(size_t)state * (size_t)e->quantity_count + (size_t)q] = ts_quantity_value(sim, &e->quantity[q]);
    if (state > 0) see_step(w, sim, state - 1);
    return state == w->audit->steps ? ts_expression_value(e, w->table) : 0.0;
}

static int is_interrupted(void* user) {
    (void)user;
    return ts_signals_caught();
}

static ts_rollout rollout_of(worker* w) {
    ts_rollout rollout = {.steps = w->audit->steps,
                          .settings = ts_step_derivative_default(),
                          .parameter = w->audit->parameter,
                          .parameter_count = w->audit->parameter_count,
                          .loss = observe,
                          .stop = is_interrupted,
                          .user = w};
    rollout.settings.method = w->audit->method;
    return rollout;
}

// --- a start with changes ---

static ts_code hire(worker* w, ts_status* out_status) {
    const ts_args* args = w->audit->args;
    ts_controls controls = {0};
    ts_code code = ts_sim_create(w->audit->scene->model, 1, &w->sim, out_status);
    if (!code) code = ts_setup_configure(w->sim, args, args->solver, 1, out_status);
    if (!code && args->ctrl_count > 0) code = ts_controls_read(args, w->sim->model, &controls, out_status);
    for (int k = 0; !code && k < controls.count; ++k) w->sim->ctrl[controls.actuator[k]] = controls.number[k + 1];
    ts_controls_free(&controls);
    if (!code) code = ts_sim_snapshot(w->sim, &w->start, out_status);
    if (!code) w->options = w->sim->options;
    return code;
}

static void dismiss(worker* w) {
    ts_sim_free(w->sim);
    w->sim = NULL;
    ts_snapshot_free(&w->start);
}

static int change_inputs(worker* w, const double* change) {
    int fine = 1;
    for (int i = 0; fine && change && i < w->audit->inputs.count; ++i)
        if (change[i] != 0.0)
            fine =
                ts_step_input_move(w->sim, w->audit->inputs.input[i].kind, w->audit->inputs.input[i].index, change[i]);
    return fine;
}

// What is no part of a snapshot is put back here, to the bit: masses in a simulation of their own.
static int change_back(worker* w, const double* change) {
    int afresh = 0;
    for (int i = 0; change && i < w->audit->inputs.count; ++i) {
        const ts_input* in = &w->audit->inputs.input[i];
        if (change[i] == 0.0) continue;
        if (in->kind == TS_STEP_BY_FRICTION || in->kind == TS_STEP_BY_RESTITUTION)
            ts_step_input_move(w->sim, in->kind, in->index, -change[i]);
        afresh |= in->kind == TS_STEP_BY_MASS || in->kind == TS_STEP_BY_INERTIA;
    }
    if (afresh) {
        dismiss(w);
        return hire(w, NULL) == TS_OK;
    }
    w->sim->options = w->options;
    return ts_sim_restore(w->sim, &w->start, NULL) == TS_OK;
}

static void make_run(worker* w, ts_trial* trial) {
    ts_rollout rollout = rollout_of(w);
    rollout.parameter_count = 0;
    w->modes = 0;
    w->trace = trial->trace;
    trial->loss = (double)NAN;
    if (change_inputs(w, trial->change) && ts_rollout_run(w->sim, &rollout, &trial->loss, NULL))
        trial->loss = (double)NAN;
    trial->modes = w->modes;
    w->trace = NULL;
    if (!change_back(w, trial->change)) w->failed = 1;
}

static void run_range(void* context, int begin, int end, int who) {
    ts_crew* crew = (ts_crew*)context;
    for (int i = begin; i < end && !ts_signals_caught() && !crew->worker[who].failed; ++i)
        make_run(&crew->worker[who], &crew->trial[i]);
}

int ts_crew_run(ts_crew* crew, ts_trial* trial, int count) {
    // In pieces, between which the bar moves on and an interruption is heard.
    int piece = 4 * crew->count;
    for (int i = 0; i < count; i += piece) {
        crew->trial = trial + i;
        ts_task_parallel_for(crew->pool, count - i < piece ? count - i : piece, 1, run_range, crew);
        crew->audit->runs += count - i < piece ? count - i : piece;
        // 2 differences of each input at each increment, the line, and about as much again for kinks.
        double all = 2.0 * TS_GRADIENT_INCREMENTS * crew->audit->inputs.count + 8.0 * TS_GRADIENT_PLACES;
        ts_progress_update(&crew->progress, fmin(1.0, (double)crew->audit->runs / all));
        if (ts_signals_caught()) return 0;
    }
    return 1;
}

ts_code ts_crew_create(ts_gradient* audit, int threads, ts_crew** out_crew, ts_status* out_status) {
    ts_crew* crew = (ts_crew*)calloc(1, sizeof *crew);
    size_t entries = ((size_t)audit->steps + 1) * (size_t)audit->expression.quantity_count;
    ts_code code = ts_status_ok(out_status);
    *out_crew = crew;
    if (crew) crew->worker = (worker*)calloc((size_t)threads, sizeof *crew->worker);
    if (!crew || !crew->worker) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    crew->audit = audit;
    crew->count = threads;
    crew->progress = ts_progress_begin("gradient");
    for (int i = 0; i < threads && !code; ++i) {
        worker* w = &crew->worker[i];
        w->audit = audit;
        w->table = (double*)calloc(entries + 1, sizeof *w->table);
        w->by = (double*)calloc(entries + 1, sizeof *w->by);
        if (!w->table || !w->by) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        code = hire(w, out_status);
    }
    if (!code) crew->pool = ts_task_pool_create(threads);
    return code;
}

ts_sim* ts_crew_sim(ts_crew* crew) { return crew->worker[0].sim; }

void ts_crew_free(ts_crew* crew) {
    if (!crew) return;
    ts_progress_end(&crew->progress);
    ts_task_pool_destroy(crew->pool);
    for (int i = 0; crew->worker && i < crew->count; ++i) {
        dismiss(&crew->worker[i]);
        free(crew->worker[i].table);
        free(crew->worker[i].by);
        ts_arena_free(&crew->worker[i].scratch);
    }
    free(crew->worker);
    free(crew);
}

// --- the gradient ---

static void note_near(ts_gradient* a, const char* what, int step, double roundings) {
    ts_gradient_near* near = NULL;
    for (int i = 0; i < a->near_count; ++i)
        if (strcmp(a->near[i].what, what) == 0) near = &a->near[i];
    if (!near) {
        // The last place is for all that find none.
        near = &a->near[a->near_count < TS_GRADIENT_NEAR ? a->near_count++ : TS_GRADIENT_NEAR - 1];
        if (near->steps == 0) {
            snprintf(near->what, sizeof near->what, "%s", what);
            near->step = step;
            near->roundings = roundings;
        }
    }
    ++near->steps;
    if (step < near->step) near->step = step;
    near->roundings = fmin(near->roundings, roundings);
}

// Whatever is within a few roundings of a change of its mode in any step.
static void note_step(void* user, ts_sim* sim, int step, const ts_step_report* report) {
    worker* w = (worker*)user;
    double nearness = ts_step_derivative_default().nearness;
    char whose[120], what[TS_GRADIENT_WORDS];
    int blocks = 0;
    if (report->mismatch > w->audit->open) {
        w->audit->open = report->mismatch;
        w->audit->open_step = step;
    }
    for (int b = 0; report->block && b < report->block_count; ++b) {
        const ts_step_block_report* block = &report->block[b];
        if (!(block->roundings <= nearness)) continue;
        ts_certify_describe(sim, b, whose, sizeof whose);
        snprintf(what, sizeof what, "%s %s", whose, ts_step_change_name(block->change));
        note_near(w->audit, what, step, block->roundings);
        ++blocks;
    }
    // What is no block: a control at the end of its range.
    if (blocks == 0 && (report->verdict == TS_STEP_NEAR_CHANGE || report->verdict == TS_STEP_ONE_SIDED))
        note_near(w->audit, report->reason, step, 0.0);
}

static ts_code go_backward(worker* w, ts_status* out_status) {
    ts_gradient* a = w->audit;
    const ts_model* model = w->sim->model;
    int state = 2 * model->nv + model->act_count, n = 0;
    double* numbers = (double*)calloc((size_t)state + (size_t)a->inputs.count + 1, sizeof *numbers);
    if (!numbers) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    ts_rollout rollout = rollout_of(w);
    rollout.seen = note_step;
    ts_rollout_gradient g = {
        .qpos = numbers, .qvel = numbers + model->nv, .act = numbers + 2 * model->nv, .parameter = numbers + state};
    double start = ts_clock_seconds();
    ts_code code = ts_rollout_backward(w->sim, &rollout, &w->scratch, &g, out_status);
    a->seconds_backward = ts_clock_seconds() - start;
    for (int i = 0; i < a->inputs.count && !code; ++i) {
        const ts_input* in = &a->inputs.input[i];
        a->entry[i].backward = ts_input_is_start(in) ? numbers[ts_input_place(model, in)] : numbers[state + n++];
    }
    a->report = g.report;
    free(numbers);
    return code;
}

static ts_code go_forward(worker* w, ts_status* out_status) {
    ts_gradient* a = w->audit;
    const ts_model* model = w->sim->model;
    size_t state = 2 * (size_t)model->nv + (size_t)model->act_count, count = (size_t)a->inputs.count;
    double* numbers = (double*)calloc(count * (2 * state + count + 1) + 1, sizeof *numbers);
    if (!numbers) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    double *start = numbers, *end = start + count * state, *parameter = end + count * state,
           *loss = parameter + count * count;
    size_t n = 0, parameters = 0;
    for (size_t i = 0; i < count; ++i) parameters += !ts_input_is_start(&a->inputs.input[i]);
    for (size_t i = 0; i < count; ++i) {
        const ts_input* in = &a->inputs.input[i];
        if (ts_input_is_start(in))
            start[i * state + (size_t)ts_input_place(model, in)] = 1.0;
        else
            parameter[i * parameters + n++] = 1.0;
    }
    ts_rollout rollout = rollout_of(w);
    ts_rollout_tangents t = {.count = (int)count, .start = start, .parameter = parameter, .state = end, .loss = loss};
    ts_code code = ts_rollout_forward(w->sim, &rollout, &w->scratch, &t, NULL, out_status);
    for (size_t i = 0; i < count && !code; ++i) a->entry[i].forward = loss[i];
    free(numbers);
    return code;
}

ts_code ts_crew_differentiate(ts_crew* crew, ts_status* out_status) {
    worker* w = &crew->worker[0];
    ts_gradient* a = crew->audit;
    ts_rollout rollout = rollout_of(w);
    double start = ts_clock_seconds();
    ts_code code = ts_rollout_run(w->sim, &rollout, &a->loss, out_status);
    a->seconds_run = ts_clock_seconds() - start;
    if (code) return code;
    ts_expression_differentiate(&a->expression, w->table, w->by, &w->by_step);
    for (int i = 0; i < a->inputs.count; ++i) a->entry[i].backward = a->entry[i].forward = (double)NAN;
    ts_status_ok(&a->gradient);
    code = go_backward(w, &a->gradient);
    if (!code) code = go_forward(w, &a->gradient);
    if (code == TS_ERROR_INTERRUPTED) return ts_status_set(out_status, code, NULL, 0, "interrupted");
    if (w->failed || code == TS_ERROR_MEMORY)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    double most = 0.0, apart = 0.0;
    for (int i = 0; i < a->inputs.count; ++i) {
        double scale = a->inputs.input[i].scale;
        most = fmax(most, scale * fabs(a->entry[i].backward));
        apart = fmax(apart, scale * fabs(a->entry[i].backward - a->entry[i].forward));
    }
    a->mismatch = most > 0.0 ? apart / most : apart;
    // That there is none is a result.
    return ts_status_ok(out_status);
}

// --- what differs ---

static int same_block(const ts_mode_entry* a, const ts_mode_entry* b) {
    return a->step == b->step && a->source == b->source && a->key.whole == b->key.whole && a->key.part == b->key.part;
}

// The first entry of `a` that `b` has not; NULL: none.
static const ts_mode_entry* missing(const ts_mode_trace* a, const ts_mode_trace* b, const ts_mode_entry** out_other) {
    int from = 0;
    for (int i = 0; i < a->count; ++i) {
        const ts_mode_entry *entry = &a->entry[i], *other = NULL;
        while (from < b->count && b->entry[from].step < entry->step) ++from;
        for (int k = from; k < b->count && b->entry[k].step == entry->step && !other; ++k)
            if (same_block(entry, &b->entry[k])) other = &b->entry[k];
        if (other && other->mode == entry->mode && other->branch == entry->branch) continue;
        *out_other = other;
        return entry;
    }
    *out_other = NULL;
    return NULL;
}

static const char* words_of(const ts_mode_entry* entry, const ts_mode_entry* beside) {
    static const char* const branches[] = {"is pushed out", "rests", "lands"};
    if (!entry) return "open";
    if (beside && beside->mode == entry->mode) return branches[entry->branch + 1];
    return ts_contact_mode_name((ts_contact_mode)entry->mode);
}

void ts_crew_name_difference(ts_crew* crew, const double* before, const double* after, int* out_step,
                             char out_what[TS_GRADIENT_WORDS]) {
    ts_mode_trace trace[2] = {{0}, {0}};
    ts_trial trial[2] = {{.change = before, .trace = &trace[0]}, {.change = after, .trace = &trace[1]}};
    const ts_mode_entry *other[2], *entry[2];
    wanted want = {0};
    make_run(&crew->worker[0], &trial[0]);
    make_run(&crew->worker[0], &trial[1]);
    crew->audit->runs += 2;
    for (int i = 0; i < 2; ++i) entry[i] = missing(&trace[i], &trace[1 - i], &other[i]);
    *out_step = -1;
    snprintf(out_what, TS_GRADIENT_WORDS, "no contact or row changes what it does");
    // Whichever differs first; of the same step, one that both have.
    int first =
        !entry[0] ||
        (entry[1] && (entry[1]->step < entry[0]->step || (entry[1]->step == entry[0]->step && other[1] && !other[0])));
    if (entry[first]) {
        ts_trial again = {.change = first ? after : before};
        want.entry = *entry[first];
        crew->worker[0].want = &want;
        make_run(&crew->worker[0], &again);
        crew->worker[0].want = NULL;
        ++crew->audit->runs;
        const ts_mode_entry* side[2] = {first ? other[1] : entry[0], first ? entry[1] : other[0]};
        *out_step = want.entry.step;
        snprintf(out_what, TS_GRADIENT_WORDS, "%.150s: %s -> %s", want.found ? want.text : "a block of rows",
                 words_of(side[0], side[1]), words_of(side[1], side[0]));
    }
    ts_mode_trace_free(&trace[0]);
    ts_mode_trace_free(&trace[1]);
}
