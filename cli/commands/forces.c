// `touchstone forces`: what the contact forces of a step could be without anything moving otherwise, and which of them each solver picks.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "contact/judge/internal_force.h"
#include "engine/step/certify.h"
#include "engine/step/step.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One contact of the step.
typedef struct row {
    uint64_t key;
    char name[120];
    ts_contact_mode mode;
    int first;  // its rows among the unknowns: two tangents and the normal; without friction the latter alone
    ts_vec3 position;
    ts_mat3 frame;
    ts_internal_range range;        // N s
    double pick[TS_SETUP_SOLVERS];  // N s, NaN: that solver had no such contact
} row;

typedef struct forces_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_solver_choice chosen;
    ts_sim* sim;
    ts_snapshot before;  // of the step that is looked at
    ts_arena arena;
    row* rows;
    int count;
    double
        unmet;  // share of its law that the step's own solver left; above `solved` ncp has taken the step that is looked at
    int unknowns;  // rows of the problem, and dimensions of its internal forces
    int internal;
    double* space;  // of the internal forces: so many orthonormal vectors, of all unknowns
    double step;    // s, of the last part of the step that is looked at: all impulses are its own
    double inner[TS_SETUP_SOLVERS];
    ts_solve_status status[TS_SETUP_SOLVERS];
} forces_job;

// 1: what is met to this is an answer. Around less, forces that move nothing are not admissible, and there is no interval to be found.
static const double solved = 1e-6;

static int watch(void* user, ts_sim* sim) {
    (void)user;
    (void)sim;
    return ts_signals_caught();
}

static ts_code no_memory(ts_status* status) { return ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory"); }

// An orthonormal basis of what is square to another: of unit vectors, always the one of which most is left.
static int complement(const double* basis, int rank, int n, double* out) {
    double* left = (double*)malloc((size_t)n * sizeof *left);
    if (!left) return 0;
    for (int i = 0; i < n; ++i) {
        left[i] = 1.0;
        for (int k = 0; k < rank; ++k) left[i] -= basis[(size_t)k * n + i] * basis[(size_t)k * n + i];
    }
    for (int found = 0; found < n - rank; ++found) {
        double* vector = out + (size_t)found * n;
        int most = 0;
        for (int i = 1; i < n; ++i)
            if (left[i] > left[most]) most = i;
        memset(vector, 0, (size_t)n * sizeof *vector);
        vector[most] = 1.0;
        // Twice: the first time leaves rounding of what was taken away.
        for (int pass = 0; pass < 2; ++pass) {
            double norm = 0.0;
            for (int k = 0; k < rank + found; ++k) {
                const double* other = k < rank ? basis + (size_t)k * n : out + (size_t)(k - rank) * n;
                double part = 0.0;
                for (int i = 0; i < n; ++i) part += other[i] * vector[i];
                for (int i = 0; i < n; ++i) vector[i] -= part * other[i];
            }
            for (int i = 0; i < n; ++i) norm += vector[i] * vector[i];
            for (int i = 0; i < n; ++i) vector[i] /= sqrt(norm);
        }
        for (int i = 0; i < n; ++i) left[i] -= vector[i] * vector[i];
    }
    free(left);
    return 1;
}

// Where the normal impulse of a contact is.
static int normal_row(const ts_contact_problem* problem, int block) {
    return problem->block[block].row + (problem->block[block].rows >= 3 ? 2 : 0);
}

// The rows of the last step, their names, modes and ranges. Of what sleeps nothing was solved.
static ts_code look(forces_job* job, ts_status* status) {
    ts_sim* sim = job->sim;
    ts_contact_certificate certificate;
    double* basis = NULL;
    const ts_contact_problem* problem = ts_sim_problem(sim);
    if (!problem) return no_memory(status);
    job->step = problem->time_step;
    job->unknowns = problem->row_count;
    if (sim->contact_count == 0 || problem->row_count == 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s at t = %g s",
                             sim->contact_count > 0 ? "all that touches sleeps" : "nothing touches", sim->time);
    if (problem->row_count > TS_INTERNAL_FORCE_ROWS_MAX)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                             "%d rows are more than %d: all contacts are looked at together", problem->row_count,
                             (int)TS_INTERNAL_FORCE_ROWS_MAX);
    job->rows = (row*)calloc((size_t)sim->contact_count, sizeof *job->rows);
    int rank = ts_internal_basis(problem, &job->arena, &basis);
    if (!job->rows || rank < 0) return no_memory(status);
    job->internal = problem->row_count - rank;
    job->space = (double*)calloc((size_t)job->internal * (size_t)job->unknowns + 1, sizeof *job->space);
    if (!job->space || !complement(basis, rank, job->unknowns, job->space)) return no_memory(status);
    ts_code code = ts_certify_step(sim, TS_CERTIFICATE_FAST, &job->arena, &certificate);
    if (code) return ts_status_set(status, code, NULL, 0, "the step cannot be judged");
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        if (contact.block < 0) continue;
        if (ts_signals_caught()) return ts_status_set(status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped");
        row* r = &job->rows[job->count++];
        r->key = contact.key;
        r->position = contact.position;
        r->frame = contact.frame;
        r->first = problem->block[contact.block].row;
        ts_certify_describe(sim, contact.block, r->name, sizeof r->name);
        r->mode = certificate.verdict[contact.block].mode;
        r->range =
            ts_internal_range_of(problem, basis, rank, sim->impulse, normal_row(problem, contact.block), &job->arena);
    }
    return TS_OK;
}

static ts_code take_step(forces_job* job, ts_status* status) {
    ts_controller_act(&job->scene.control, job->sim);
    return ts_sim_step(job->sim, status);
}

// The step that is looked at: under the solver that ran up to it, or where that leaves it unsolved, under ncp.
static ts_code take_solved_step(forces_job* job, ts_status* status) {
    ts_sim* sim = job->sim;
    const ts_options own = sim->options;
    ts_code code = take_step(job, status);
    job->unmet = sim->info.unmet;
    if (code || job->unmet <= solved) return code;
    code = ts_sim_restore(sim, &job->before, status);
    snprintf(sim->options.accuracy, sizeof sim->options.accuracy, "exact");
    sim->options.tolerance = 0.0;
    sim->options.iterations = 0;
    if (code == TS_OK) code = ts_sim_set_solver(sim, "ncp", status);
    if (code == TS_OK) code = take_step(job, status);
    sim->options = own;
    return code;
}

// The same step under every solver.
static ts_code pick(forces_job* job, ts_status* status) {
    for (int s = 0; s < job->chosen.count; ++s) {
        ts_code code = ts_sim_restore(job->sim, &job->before, status);
        if (code == TS_OK) code = ts_sim_set_solver(job->sim, job->chosen.solver[s]->name, status);
        if (code == TS_OK) code = take_step(job, status);
        if (code) return code;
        job->status[s] = job->sim->info.solve.status;
        const ts_contact_problem* problem = ts_sim_problem(job->sim);
        if (!problem) return no_memory(status);
        job->inner[s] = ts_internal_force(problem, job->sim->impulse, &job->arena, NULL);
        for (int i = 0; i < job->count; ++i) job->rows[i].pick[s] = (double)NAN;
        for (int k = 0; k < job->sim->contact_count; ++k) {
            const ts_contact contact = ts_sim_contact(job->sim, k);
            if (contact.block < 0) continue;
            double impulse = job->sim->impulse[normal_row(problem, contact.block)];
            for (int i = 0; i < job->count; ++i)
                if (contact.key == job->rows[i].key) job->rows[i].pick[s] = impulse;
        }
    }
    return TS_OK;
}

static int make(forces_job* job, ts_status* status) {
    const ts_args* args = job->args;
    int exit_code = ts_setup_load(args, args->subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (args->solver && !ts_setup_solver(args->solver, status)) return TS_EXIT_USAGE;
    if (ts_setup_solvers(args->solvers ? args->solvers : "all", &job->chosen, status)) return TS_EXIT_USAGE;
    ts_code code = ts_sim_create(job->scene.model, 1, &job->sim, status);
    if (code == TS_OK) code = ts_setup_configure(job->sim, args, args->solver, 1, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    char recording[4096];
    code = ts_setup_from(args, job->sim, recording, sizeof recording, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    double h = job->sim->options.time_step;
    double time = !isnan(args->time) ? args->time : args->from ? h : job->scene.duration;
    ts_signals_begin();
    code = ts_run_scene(&job->scene, job->sim, fmax(0.0, time - h), watch, NULL, status);
    if (code == TS_OK) code = ts_sim_snapshot(job->sim, &job->before, status);
    if (code == TS_OK) code = take_solved_step(job, status);
    if (code == TS_OK) code = look(job, status);
    if (code == TS_OK) code = pick(job, status);
    return code ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

static void add_force(ts_text* text, double newtons) {
    if (isfinite(newtons))
        ts_text_add(text, " %10.5g", newtons);
    else
        ts_text_add(text, " %10s", isnan(newtons) ? "-" : newtons > 0.0 ? "no end" : "-no end");
}

static void add_text(const forces_job* job, ts_text* text) {
    ts_text_add(text, "%s, t = %g s: %d contacts, %d unknowns, internal forces of %d dimensions\n\n", job->scene.name,
                job->sim->time, job->count, job->unknowns, job->internal);
    if (job->unmet > solved)
        ts_text_add(text, "The step left %.1e of its law unmet, so this is as ncp solves it.\n\n", job->unmet);
    ts_text_add(text, "normal force [N]\n%-44s %-6s %10s %10s", "contact", "", "least", "most");
    for (int s = 0; s < job->chosen.count; ++s) ts_text_add(text, " %10.10s", job->chosen.solver[s]->name);
    ts_text_add(text, "\n");
    for (int i = 0; i < job->count; ++i) {
        const row* r = &job->rows[i];
        ts_text_add(text, "%-44.44s %-6.6s", r->name, ts_contact_mode_name(r->mode));
        add_force(text, r->range.low / job->step);
        add_force(text, r->range.high / job->step);
        for (int s = 0; s < job->chosen.count; ++s) add_force(text, r->pick[s] / job->step);
        ts_text_add(text, "\n");
    }
    ts_text_add(text, "%-44s %-6s %10s %10s", "internal part of all forces", "", "", "");
    for (int s = 0; s < job->chosen.count; ++s) add_force(text, job->inner[s] / job->step);
    ts_text_add(text, "\n");
    for (int s = 0; s < job->chosen.count; ++s)
        if (job->status[s] != TS_SOLVE_CONVERGED)
            ts_text_add(text, "%s: %s\n", job->chosen.solver[s]->name, ts_solve_status_name(job->status[s]));
    ts_text_add(
        text,
        "\nForces between least and most move nothing otherwise; sticking contacts may push against each other.\n");
}

// In a list, or under a name.
static void add_vector(ts_json* json, const char* name, const double* value, int count) {
    if (name)
        ts_json_add_array(json, name);
    else
        ts_json_array(json);
    for (int i = 0; i < count; ++i) ts_json_number(json, value[i]);
    ts_json_array_end(json);
}

static void add_json(const forces_job* job, ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "scene", job->scene.name);
    ts_json_add_number(&json, "time", job->sim->time);
    ts_json_add_number(&json, "own_unmet", job->unmet);
    ts_json_add_bool(&json, "solved_anew", job->unmet > solved);
    ts_json_add_integer(&json, "unknowns", job->unknowns);
    ts_json_add_integer(&json, "internal_dimensions", job->internal);
    ts_json_add_array(&json, "contacts");
    for (int i = 0; i < job->count; ++i) {
        const row* r = &job->rows[i];
        ts_json_object(&json);
        ts_json_add_string(&json, "name", r->name);
        ts_json_add_string(&json, "mode", ts_contact_mode_name(r->mode));
        ts_json_add_integer(&json, "first", r->first);
        add_vector(&json, "position", (double[3]){r->position.x, r->position.y, r->position.z}, 3);
        ts_json_add_array(&json, "axes");
        for (int k = 0; k < 3; ++k)
            add_vector(&json, NULL, (double[3]){r->frame.m[0][k], r->frame.m[1][k], r->frame.m[2][k]}, 3);
        ts_json_array_end(&json);
        ts_json_add_number(&json, "least", r->range.low / job->step);
        ts_json_add_number(&json, "most", r->range.high / job->step);
        ts_json_add_bool(&json, "endless", isinf(r->range.high) != 0);
        ts_json_add_number(&json, "rest", r->range.rest / job->step);
        ts_json_add_object(&json, "picked");
        for (int s = 0; s < job->chosen.count; ++s)
            ts_json_add_number(&json, job->chosen.solver[s]->name, r->pick[s] / job->step);
        ts_json_object_end(&json);
        ts_json_object_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_add_array(&json, "null_space");
    for (int k = 0; k < job->internal; ++k)
        add_vector(&json, NULL, job->space + (size_t)k * (size_t)job->unknowns, job->unknowns);
    ts_json_array_end(&json);
    ts_json_add_object(&json, "internal_force");
    for (int s = 0; s < job->chosen.count; ++s)
        ts_json_add_number(&json, job->chosen.solver[s]->name, job->inner[s] / job->step);
    ts_json_object_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

int ts_cmd_forces(const ts_args* args) {
    forces_job job;
    ts_status status;
    ts_text text = {0};
    memset(&job, 0, sizeof job);
    ts_status_ok(&status);
    job.args = args;
    int exit_code = make(&job, &status);
    if (exit_code) {
        if (ts_signals_caught()) exit_code = ts_signals_exit_code();
        exit_code = ts_console_error("forces", args->json, exit_code, &status);
    } else {
        if (args->json)
            add_json(&job, &text);
        else
            add_text(&job, &text);
        exit_code = ts_console_print(&text, exit_code);
    }
    free(job.rows);
    free(job.space);
    ts_arena_free(&job.arena);
    ts_snapshot_free(&job.before);
    ts_sim_free(job.sim);
    ts_loaded_scene_free(&job.scene);
    ts_import_report_free(&job.report);
    return exit_code;
}
