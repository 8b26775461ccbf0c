// Shares of a difference.
//
// Problem: a run differs from the exact one (the exact law, rigid, solved, no push-out, all contact points, a finer step) in several
// ingredients at once; how much of what is seen does each explain?
// Rule: every combination of exchanged ingredients is run; an ingredient's share is the mean, over all orders in which the ingredients may be
// exchanged one by one, of what its exchange changes (Shapley's value). The solver of a combination is one that has that law, that
// softness, and works to that end.
// Guaranteed: shares add up to the difference between the run and the exact one, without remainder; an ingredient that changes
// nothing in any combination has share zero; what is left between the exact run and a closed form is no ingredient's.
// Known to fail: chaotic scenes, where every exchange changes everything; sap, whose softness cannot be had under another law (both are one
// ingredient then).
#include "cli/explain/explain_internal.h"

#include "base/task.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "engine/step/step.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const ingredient_names[TS_INGREDIENT_COUNT] = {
    "law", "softness", "solve", "order", "stabilisation", "narrow phase", "manifold", "integrator", "step"};
static const char* const effect_names[TS_EFFECT_COUNT] = {"along",         "sideways", "height",
                                                          "highest climb", "energy",   "worst overlap"};
static const char* const effect_units[TS_EFFECT_COUNT] = {"m", "m", "m", "m", "J", "m"};

// The exact one's.
static const double exact_tolerance = 1e-13;
enum { EXACT_ITERATIONS = 100000, EXACT_POINTS = 8 };
// The order of sweeps that prefers neither end: forward and backward in turn.
enum { IN_TURN = 1 };
static const double finer = 8.0;

const char* ts_ingredient_name(ts_ingredient ingredient) { return ingredient_names[ingredient]; }
const char* ts_effect_name(ts_effect effect) { return effect_names[effect]; }
const char* ts_effect_unit(ts_effect effect) { return effect_units[effect]; }

static void activate(ts_explanation* self, ts_ingredient ingredient, const char* own, const char* exchanged) {
    self->active[self->active_count++] = ingredient;
    snprintf(self->own[ingredient], sizeof self->own[ingredient], "%s", own);
    snprintf(self->exchanged[ingredient], sizeof self->exchanged[ingredient], "%s", exchanged);
}

static const char* law_words(ts_contact_law law) {
    switch (law) {
    case TS_LAW_CCP: return "convex relaxation";
    case TS_LAW_LCP: return "pyramid of four facets";
    case TS_LAW_LCP8: return "pyramid of eight facets";
    case TS_LAW_LCP16: return "pyramid of sixteen facets";
    case TS_LAW_RAISIM: return "friction nearly against the slip";
    case TS_LAW_EXPLICIT: return "every facet by itself";
    case TS_LAW_NCP: break;
    }
    return "exact";
}

// What of the run differs from the exact one.
static void find_ingredients(ts_explanation* self, const ts_sim* sim) {
    const ts_options* o = &sim->options;
    char own[64], other[64];
    int model_soft = o->soft_contacts == 2 || (o->soft_contacts == 1 && sim->solver->takes_softness);
    int soft = model_soft || o->contact_stiffness > 0.0 || o->compliance_normal > 0.0 || o->compliance_tangent > 0.0;
    self->law_and_softness = sim->solver->compliance && !(sim->solver->takes_softness && model_soft);
    if (self->law_and_softness)
        activate(self, TS_INGREDIENT_LAW, "relaxed, and soft by the solver", "exact and rigid");
    else if (sim->solver->law != TS_LAW_NCP)
        activate(self, TS_INGREDIENT_LAW, law_words(sim->solver->law), "exact");
    if (soft && !self->law_and_softness)
        activate(self, TS_INGREDIENT_SOFTNESS, model_soft ? "as the model says" : "by options", "rigid");
    double tolerance = ts_solver_get(sim->solver, sim->solver_settings, "tolerance");
    snprintf(own, sizeof own, "tolerance %.2g, %g iterations", tolerance,
             ts_solver_get(sim->solver, sim->solver_settings, "iteration_limit"));
    snprintf(other, sizeof other, "tolerance %g", exact_tolerance);
    activate(self, TS_INGREDIENT_SOLVE, own, other);
    if (ts_solver_setting_find(sim->solver, "order")) {
        static const char* const orders[] = {"forward sweeps", "forward and backward in turn", "forward and backward"};
        int order = (int)ts_solver_get(sim->solver, sim->solver_settings, "order");
        if (order != IN_TURN) activate(self, TS_INGREDIENT_ORDER, orders[order], orders[IN_TURN]);
    }
    snprintf(own, sizeof own, "baumgarte %g", o->baumgarte);
    if (o->baumgarte > 0.0) activate(self, TS_INGREDIENT_STABILISATION, own, "none");
    snprintf(own, sizeof own, "to %g m", o->narrow_tolerance);
    if (o->narrow_tolerance > 0.0) activate(self, TS_INGREDIENT_NARROW, own, "to rounding");
    snprintf(own, sizeof own, "%d points", o->manifold_points);
    snprintf(other, sizeof other, "%d points", (int)EXACT_POINTS);
    if (o->manifold_points < EXACT_POINTS) activate(self, TS_INGREDIENT_MANIFOLD, own, other);
    if (strcmp(o->integrator, "rk4") != 0) activate(self, TS_INGREDIENT_INTEGRATOR, o->integrator, "rk4");
    snprintf(own, sizeof own, "%g s", o->time_step);
    snprintf(other, sizeof other, "%g s", o->time_step / finer);
    activate(self, TS_INGREDIENT_STEP, own, other);
}

static int is_exchanged(const ts_explanation* self, int mask, ts_ingredient ingredient) {
    for (int i = 0; i < self->active_count; ++i)
        if (self->active[i] == ingredient) return mask >> i & 1;
    return 0;
}

// Who solves a combination: the law of the run or the exact one, to the end that the run goes to or to rounding.
static const char* solver_for(const ts_explanation* self, int mask) {
    const ts_solver* own = self->solver;
    int exact = is_exchanged(self, mask, TS_INGREDIENT_LAW), finished = is_exchanged(self, mask, TS_INGREDIENT_SOLVE);
    // A relaxed law without the softness that its solver brings along needs another one.
    if (!exact && own->takes_softness && is_exchanged(self, mask, TS_INGREDIENT_SOFTNESS)) return "ccp-admm";
    if (exact) return finished || !own->sweeps ? "ncp" : "ncp-pgs";
    if (!finished || own->compliance) return own->name;
    switch (own->law) {
    case TS_LAW_CCP: return "ccp-admm";
    case TS_LAW_LCP: return "lcp-lemke";
    case TS_LAW_RAISIM:
    case TS_LAW_LCP8:
    case TS_LAW_LCP16:
    case TS_LAW_EXPLICIT:
    case TS_LAW_NCP: break;
    }
    return own->law == TS_LAW_NCP ? "ncp" : own->name;
}

static ts_code set_number(ts_sim* sim, const char* name, double value, ts_status* out_status) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return ts_sim_set(sim, name, text, out_status);
}

// A simulation set up as the run is, with what the mask says exchanged.
static ts_code configure(ts_explanation* self, int mask, ts_sim** out_sim, ts_status* out_status) {
    int exact = is_exchanged(self, mask, TS_INGREDIENT_LAW), finished = is_exchanged(self, mask, TS_INGREDIENT_SOLVE);
    ts_code code = ts_sim_create(self->scene->model, 1, out_sim, out_status);
    ts_sim* sim = *out_sim;
    if (code == TS_OK) code = ts_setup_configure(sim, self->args, self->solver->name, 1, out_status);
    if (code) return code;
    int soft = sim->options.soft_contacts == 2 || (sim->options.soft_contacts == 1 && self->solver->takes_softness);
    int limit = (int)ts_solver_get(self->solver, sim->solver_settings, "iteration_limit");
    double tolerance = ts_solver_get(self->solver, sim->solver_settings, "tolerance");
    if (soft) code = set_number(sim, "soft_contacts", 2.0, out_status);
    if (is_exchanged(self, mask, TS_INGREDIENT_SOFTNESS) || (self->law_and_softness && exact)) {
        static const char* const off[] = {"soft_contacts", "contact_stiffness", "compliance_normal",
                                          "compliance_tangent"};
        for (int i = 0; i < 4 && code == TS_OK; ++i) code = set_number(sim, off[i], 0.0, out_status);
    }
    if (code == TS_OK && is_exchanged(self, mask, TS_INGREDIENT_STABILISATION))
        code = set_number(sim, "baumgarte", 0.0, out_status);
    if (code == TS_OK && is_exchanged(self, mask, TS_INGREDIENT_NARROW))
        code = set_number(sim, "narrow_tolerance", 0.0, out_status);
    if (code == TS_OK && is_exchanged(self, mask, TS_INGREDIENT_MANIFOLD))
        code = set_number(sim, "manifold_points", EXACT_POINTS, out_status);
    if (code == TS_OK && is_exchanged(self, mask, TS_INGREDIENT_INTEGRATOR))
        code = ts_sim_set(sim, "integrator", "rk4", out_status);
    if (code == TS_OK && is_exchanged(self, mask, TS_INGREDIENT_STEP))
        code = set_number(sim, "time_step", sim->options.time_step / finer, out_status);
    const char* name = solver_for(self, mask);
    snprintf(self->solver_of[mask], sizeof self->solver_of[mask], "%s", name);
    if (code == TS_OK && strcmp(name, self->solver->name) != 0) code = ts_sim_set_solver(sim, name, out_status);
    if (code == TS_OK) code = set_number(sim, "solver.tolerance", finished ? exact_tolerance : tolerance, out_status);
    if (code == TS_OK)
        code = set_number(sim, "solver.iteration_limit", finished ? EXACT_ITERATIONS : limit, out_status);
    if (code == TS_OK && ts_solver_setting_find(sim->solver, "order"))
        code = set_number(sim, "solver.order",
                          is_exchanged(self, mask, TS_INGREDIENT_ORDER) ? (double)IN_TURN : self->order, out_status);
    return code;
}

ts_code ts_explanation_plan(ts_explanation* self, ts_status* out_status) {
    ts_sim* sim = NULL;
    if (self->scene->focus < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "nothing moves in '%s'", self->scene->name);
    ts_code code = ts_sim_create(self->scene->model, 1, &sim, out_status);
    if (code == TS_OK) code = ts_setup_configure(sim, self->args, self->args->solver, 1, out_status);
    if (code == TS_OK) {
        self->solver = sim->solver;
        if (ts_solver_setting_find(sim->solver, "order"))
            self->order = ts_solver_get(sim->solver, sim->solver_settings, "order");
        find_ingredients(self, sim);
    }
    ts_sim_free(sim);
    return code;
}

// A run at work, and what it showed.
typedef struct course {
    int focus;
    ts_vec3 start, first, last;  // m, m/s, m
    double climb, overlap, energy;
    ts_vec3 up;
} course;

static int observe(void* user, ts_sim* sim) {
    course* at = (course*)user;
    ts_sim_update_kinematics(sim);
    ts_vec3 now = sim->kinematics.body_centre[at->focus];
    if (sim->step_count == 0) {
        double g = ts_vec3_norm(sim->options.gravity);
        at->up = g > 0.0 ? ts_vec3_scale(-1.0 / g, sim->options.gravity) : ts_vec3_make(0.0, 0.0, 1.0);
        at->start = now;
        at->first = ts_sim_body_velocity(sim, at->focus).linear;
    }
    at->last = now;
    at->climb = fmax(at->climb, ts_vec3_dot(at->up, ts_vec3_sub(now, at->start)));
    at->overlap = fmax(at->overlap, sim->info.worst_penetration);
    return ts_signals_caught();
}

typedef struct crew {
    ts_explanation* self;
    course seen[1 << TS_INGREDIENT_COUNT];
    ts_code code[1 << TS_INGREDIENT_COUNT];
    ts_status status[1 << TS_INGREDIENT_COUNT];
} crew;

// The combination that comes to the same and is run: where nobody sweeps there is no order to exchange.
static int twin_of(const ts_explanation* self, int mask) {
    if (ts_solver_setting_find(ts_solver_find(solver_for(self, mask)), "order")) return mask;
    for (int i = 0; i < self->active_count; ++i)
        if (self->active[i] == TS_INGREDIENT_ORDER) mask &= ~(1 << i);
    return mask;
}

static void run_range(void* context, int begin, int end, int worker) {
    crew* all = (crew*)context;
    (void)worker;
    for (int mask = begin; mask < end; ++mask) {
        ts_sim* sim = NULL;
        course* seen = &all->seen[mask];
        if (twin_of(all->self, mask) != mask) continue;
        memset(seen, 0, sizeof *seen);
        seen->focus = all->self->scene->focus;
        all->code[mask] = configure(all->self, mask, &sim, &all->status[mask]);
        if (all->code[mask] == TS_OK)
            all->code[mask] =
                ts_run_scene(all->self->scene, sim, all->self->duration, observe, seen, &all->status[mask]);
        if (all->code[mask] == TS_OK) {
            ts_energy energy = ts_sim_energy(sim);
            seen->energy = energy.kinetic + energy.potential;
        }
        ts_sim_free(sim);
    }
}

// Effects in the directions of the exact run: along its motion, else along the first velocity, else x.
static void measure(ts_explanation* self, const crew* all) {
    int count = 1 << self->active_count;
    const course* exact = &all->seen[count - 1];
    ts_vec3 way = ts_vec3_sub(exact->last, exact->start);
    way = ts_vec3_sub(way, ts_vec3_scale(ts_vec3_dot(way, exact->up), exact->up));
    if (ts_vec3_norm(way) < 1e-6)
        way = ts_vec3_sub(exact->first, ts_vec3_scale(ts_vec3_dot(exact->first, exact->up), exact->up));
    ts_vec3 forward, left;
    double length = ts_vec3_norm(way);
    if (length > 1e-9)
        forward = ts_vec3_scale(1.0 / length, way);
    else
        forward = ts_vec3_sub(ts_vec3_make(1.0, 0.0, 0.0), ts_vec3_scale(exact->up.x, exact->up));
    length = ts_vec3_norm(forward);
    forward = length > 1e-9 ? ts_vec3_scale(1.0 / length, forward) : ts_vec3_make(0.0, 1.0, 0.0);
    left = ts_vec3_cross(exact->up, forward);
    for (int mask = 0; mask < count; ++mask) {
        const course* seen = &all->seen[mask];
        ts_vec3 moved = ts_vec3_sub(seen->last, seen->start);
        double* value = self->value[mask];
        value[TS_EFFECT_ALONG] = ts_vec3_dot(moved, forward);
        value[TS_EFFECT_SIDE] = ts_vec3_dot(moved, left);
        value[TS_EFFECT_HEIGHT] = ts_vec3_dot(moved, exact->up);
        value[TS_EFFECT_CLIMB] = seen->climb;
        value[TS_EFFECT_ENERGY] = seen->energy;
        value[TS_EFFECT_OVERLAP] = seen->overlap;
        for (int e = 0; e < TS_EFFECT_COUNT && all->code[mask]; ++e) value[e] = (double)NAN;
        self->failed += all->code[mask] != TS_OK;
    }
}

// Shapley's values of the game that mask -> value is.
static void divide(ts_explanation* self) {
    int n = self->active_count;
    double factorial[TS_INGREDIENT_COUNT + 1] = {1.0};
    for (int i = 1; i <= n; ++i) factorial[i] = i * factorial[i - 1];
    for (int i = 0; i < n; ++i)
        for (int e = 0; e < TS_EFFECT_COUNT; ++e) {
            double sum = 0.0;
            for (int mask = 0; mask < 1 << n; ++mask) {
                if (mask >> i & 1) continue;
                int before = 0;
                for (int k = 0; k < n; ++k) before += mask >> k & 1;
                double weight = factorial[before] * factorial[n - 1 - before] / factorial[n];
                sum += weight * (self->value[mask][e] - self->value[mask | 1 << i][e]);
            }
            self->share[self->active[i]][e] = sum;
        }
}

static void take_twins(ts_explanation* self, crew* all) {
    for (int mask = 0; mask < 1 << self->active_count; ++mask) {
        int twin = twin_of(self, mask);
        self->runs += twin == mask;
        if (twin == mask) continue;
        all->seen[mask] = all->seen[twin];
        all->code[mask] = all->code[twin];
        all->status[mask] = all->status[twin];
        memcpy(self->solver_of[mask], self->solver_of[twin], sizeof self->solver_of[mask]);
    }
}

ts_code ts_explanation_make(ts_explanation* self, int threads, ts_status* out_status) {
    int count = 1 << self->active_count;
    crew* all = (crew*)calloc(1, sizeof *all);
    if (!all) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    all->self = self;
    ts_task_pool* pool = ts_task_pool_create(threads);
    ts_task_parallel_for(pool, count, 1, run_range, all);
    ts_task_pool_destroy(pool);
    take_twins(self, all);
    self->interrupted = ts_signals_caught() != 0;
    ts_code code = ts_status_ok(out_status);
    // Without the run itself, or the exact one, there is no difference to explain.
    for (int i = 0; i < 2 && !code; ++i) {
        int mask = i ? count - 1 : 0;
        code = all->code[mask];
        if (code) *out_status = all->status[mask];
    }
    if (!code) {
        measure(self, all);
        divide(self);
    }
    free(all);
    return code;
}
