// Shares of a difference.
//
// Problem: a run differs from the exact one (the exact law, rigid, solved, no push-out, all contact points, a finer step), or from any other, in
// several ingredients at once; how much of what is seen does each explain?
// Rule: every combination of exchanged ingredients is run; an ingredient's share is the mean, over all orders in which the ingredients may be
// exchanged one by one, of what its exchange changes (Shapley's value). The solver of a combination is one that has that law, that
// softness, and works to that end.
// Guaranteed: shares add up to the difference between the two runs, without remainder; an ingredient that changes
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

// What makes an ingredient beside law, solve and order: the options that are exchanged for it.
static const struct {
    const char* name;
    ts_ingredient of;
} made_of[] = {{"soft_contacts", TS_INGREDIENT_SOFTNESS},
               {"contact_stiffness", TS_INGREDIENT_SOFTNESS},
               {"contact_dissipation", TS_INGREDIENT_SOFTNESS},
               {"compliance_normal", TS_INGREDIENT_SOFTNESS},
               {"compliance_tangent", TS_INGREDIENT_SOFTNESS},
               {"impratio", TS_INGREDIENT_SOFTNESS},
               {"baumgarte", TS_INGREDIENT_STABILISATION},
               {"slop", TS_INGREDIENT_STABILISATION},
               {"push_out_speed", TS_INGREDIENT_STABILISATION},
               {"push_out_turn", TS_INGREDIENT_STABILISATION},
               {"narrow_tolerance", TS_INGREDIENT_NARROW},
               {"manifold_points", TS_INGREDIENT_MANIFOLD},
               {"integrator", TS_INGREDIENT_INTEGRATOR},
               {"time_step", TS_INGREDIENT_STEP},
               {"substeps", TS_INGREDIENT_STEP}};
enum { OPTION_COUNT = sizeof made_of / sizeof made_of[0] };

static void value_of(const ts_explained* side, const char* option, char out_text[128]) {
    out_text[0] = '\0';
    for (int i = 0; i < ts_option_count(); ++i)
        if (strcmp(ts_option_at(i)->name, option) == 0) ts_options_get(&side->options, i, out_text, 128);
}

static int differs(const ts_explanation* self, ts_ingredient ingredient) {
    char a[128], b[128];
    for (int i = 0; i < OPTION_COUNT; ++i) {
        if (made_of[i].of != ingredient) continue;
        value_of(&self->run, made_of[i].name, a);
        value_of(&self->other, made_of[i].name, b);
        if (strcmp(a, b) != 0) return 1;
    }
    return 0;
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

// Whether its contacts are soft because its solver is.
static int brings_softness(const ts_explained* side) {
    return side->solver->compliance && !(side->solver->takes_softness && side->options.soft_contacts == 2);
}

static int is_soft(const ts_explained* side) {
    const ts_options* o = &side->options;
    return o->soft_contacts || o->contact_stiffness > 0.0 || o->compliance_normal > 0.0 || o->compliance_tangent > 0.0;
}

static const char* softness_words(const ts_explained* side) {
    if (brings_softness(side)) return "soft by the solver";
    return side->options.soft_contacts ? "soft as the model says" : is_soft(side) ? "soft by options" : "rigid";
}

// How an ingredient is in one of the two runs.
static void describe(const ts_explanation* self, ts_ingredient ingredient, const ts_explained* side, char out[64]) {
    static const char* const orders[] = {"forward sweeps", "forward and backward in turn", "forward and backward"};
    const ts_options* o = &side->options;
    out[0] = '\0';
    switch (ingredient) {
    case TS_INGREDIENT_LAW:
        snprintf(out, 64, "%s%s%s", law_words(side->solver->law), self->law_and_softness ? ", " : "",
                 self->law_and_softness ? softness_words(side) : "");
        break;
    case TS_INGREDIENT_SOFTNESS: snprintf(out, 64, "%s", softness_words(side)); break;
    case TS_INGREDIENT_SOLVE: snprintf(out, 64, "tolerance %.2g, %g iterations", side->tolerance, side->limit); break;
    case TS_INGREDIENT_ORDER: snprintf(out, 64, "%s", orders[(int)side->order]); break;
    case TS_INGREDIENT_STABILISATION:
        if (o->baumgarte > 0.0)
            snprintf(out, 64, "baumgarte %g", o->baumgarte);
        else
            snprintf(out, 64, "none");
        break;
    case TS_INGREDIENT_NARROW:
        if (o->narrow_tolerance > 0.0)
            snprintf(out, 64, "to %g m", o->narrow_tolerance);
        else
            snprintf(out, 64, "to rounding");
        break;
    case TS_INGREDIENT_MANIFOLD: snprintf(out, 64, "%d points", o->manifold_points); break;
    case TS_INGREDIENT_INTEGRATOR: snprintf(out, 64, "%.40s", o->integrator); break;
    case TS_INGREDIENT_STEP:
        snprintf(out, 64, o->substeps > 1 ? "%g s in %d parts" : "%g s", o->time_step, o->substeps);
        break;
    case TS_INGREDIENT_COUNT: break;
    }
}

static void activate(ts_explanation* self, ts_ingredient ingredient) {
    self->active[self->active_count++] = ingredient;
    describe(self, ingredient, &self->run, self->own[ingredient]);
    describe(self, ingredient, &self->other, self->exchanged[ingredient]);
}

static int is_exchanged(const ts_explanation* self, int mask, ts_ingredient ingredient) {
    for (int i = 0; i < self->active_count; ++i)
        if (self->active[i] == ingredient) return mask >> i & 1;
    return 0;
}

static const ts_explained* side_of(const ts_explanation* self, int mask, ts_ingredient ingredient) {
    return is_exchanged(self, mask, ingredient) ? &self->other : &self->run;
}

// A solver of a law that works as `manner` does: by sweeps, or to the end.
static const char* solver_of_law(const ts_solver* of_law, const ts_solver* manner) {
    if (manner->law == of_law->law) return manner->name;
    switch (of_law->law) {
    case TS_LAW_NCP: return manner->sweeps ? "ncp-pgs" : "ncp";
    case TS_LAW_CCP: return manner->sweeps ? "ccp-pgs" : "ccp-admm";
    case TS_LAW_LCP: return manner->sweeps ? "lcp-pgs" : "lcp-lemke";
    case TS_LAW_RAISIM:
    case TS_LAW_LCP8:
    case TS_LAW_LCP16:
    case TS_LAW_EXPLICIT: break;
    }
    return of_law->name;
}

// Who solves what has the law of one run, and of one the softness and the end that it goes to.
static const char* pick(const ts_explained* law, const ts_explained* softness, const ts_explained* solve) {
    // A relaxed law without the softness that its solver brings along needs another one.
    if (law->solver->takes_softness && !softness->options.soft_contacts && law->options.soft_contacts)
        return "ccp-admm";
    if (brings_softness(law)) return law->solver->name;
    const char* name = solver_of_law(law->solver, solve->solver);
    // Nor may it come with one that is only borrowed for its end.
    const ts_solver* found = ts_solver_find(name);
    return found->compliance && found != law->solver ? law->solver->name : name;
}

static const char* solver_for(const ts_explanation* self, int mask) {
    const ts_explained* law = side_of(self, mask, TS_INGREDIENT_LAW);
    return pick(law, self->law_and_softness ? law : side_of(self, mask, TS_INGREDIENT_SOFTNESS),
                side_of(self, mask, TS_INGREDIENT_SOLVE));
}

// What of the two runs differs.
static void find_ingredients(ts_explanation* self) {
    const ts_explained *run = &self->run, *other = &self->other;
    int others = run->solver != other->solver;
    self->law_and_softness = others && (brings_softness(run) || brings_softness(other));
    int law = run->solver->law != other->solver->law || self->law_and_softness;
    if (law) activate(self, TS_INGREDIENT_LAW);
    int soft = (is_soft(run) || is_soft(other)) && differs(self, TS_INGREDIENT_SOFTNESS);
    if (soft && !self->law_and_softness) activate(self, TS_INGREDIENT_SOFTNESS);
    const char* without = pick(law ? other : run, soft || self->law_and_softness ? other : run, run);
    if (strcmp(without, other->solver->name) != 0 || run->tolerance != other->tolerance || run->limit != other->limit)
        activate(self, TS_INGREDIENT_SOLVE);
    if (run->order != other->order) activate(self, TS_INGREDIENT_ORDER);
    for (int k = TS_INGREDIENT_STABILISATION; k < TS_INGREDIENT_COUNT; ++k)
        if (differs(self, (ts_ingredient)k)) activate(self, (ts_ingredient)k);
}

static ts_code set_number(ts_sim* sim, const char* name, double value, ts_status* out_status) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return ts_sim_set(sim, name, text, out_status);
}

// A simulation set up as the run is, with what the mask says exchanged.
static ts_code configure(ts_explanation* self, int mask, ts_sim** out_sim, ts_status* out_status) {
    const ts_explained *law = side_of(self, mask, TS_INGREDIENT_LAW), *solve = side_of(self, mask, TS_INGREDIENT_SOLVE);
    ts_code code = ts_sim_create(self->scene->model, 1, out_sim, out_status);
    ts_sim* sim = *out_sim;
    if (code == TS_OK) code = ts_setup_configure(sim, self->args, self->run.solver->name, 1, out_status);
    for (int i = 0; i < OPTION_COUNT && code == TS_OK; ++i) {
        char value[128];
        int with_law = self->law_and_softness && made_of[i].of == TS_INGREDIENT_SOFTNESS;
        value_of(with_law ? law : side_of(self, mask, made_of[i].of), made_of[i].name, value);
        code = ts_sim_set(sim, made_of[i].name, value, out_status);
    }
    if (code) return code;
    const char* name = solver_for(self, mask);
    snprintf(self->solver_of[mask], sizeof self->solver_of[mask], "%s", name);
    if (strcmp(name, self->run.solver->name) != 0) code = ts_sim_set_solver(sim, name, out_status);
    if (code == TS_OK) code = set_number(sim, "solver.tolerance", solve->tolerance, out_status);
    if (code == TS_OK) code = set_number(sim, "solver.iteration_limit", solve->limit, out_status);
    if (code == TS_OK && ts_solver_setting_find(sim->solver, "order"))
        code = set_number(sim, "solver.order", side_of(self, mask, TS_INGREDIENT_ORDER)->order, out_status);
    if (code == TS_OK && self->start.data) code = ts_sim_restore(sim, &self->start, out_status);
    return code;
}

// What a simulation that is set up says of its run.
static void look_at(ts_explained* side, const ts_sim* sim) {
    const ts_options* o = &sim->options;
    side->solver = sim->solver;
    side->options = *o;
    side->options.soft_contacts =
        o->soft_contacts == 2 || (o->soft_contacts == 1 && sim->solver->takes_softness) ? 2 : 0;
    side->tolerance = ts_solver_get(sim->solver, sim->solver_settings, "tolerance");
    side->limit = ts_solver_get(sim->solver, sim->solver_settings, "iteration_limit");
    int sweeps = ts_solver_setting_find(sim->solver, "order") != NULL;
    side->order = sweeps ? ts_solver_get(sim->solver, sim->solver_settings, "order") : (double)NAN;
}

// The exact run, in all else as this one.
static ts_explained exact_one(const ts_explained* run) {
    ts_explained exact = *run;
    ts_options* o = &exact.options;
    exact.solver = ts_solver_find("ncp");
    exact.tolerance = exact_tolerance;
    exact.limit = EXACT_ITERATIONS;
    if (!isnan(run->order)) exact.order = IN_TURN;
    o->soft_contacts = 0;
    o->contact_stiffness = o->compliance_normal = o->compliance_tangent = 0.0;
    o->baumgarte = o->narrow_tolerance = 0.0;
    o->manifold_points = EXACT_POINTS;
    snprintf(o->integrator, sizeof o->integrator, "rk4");
    o->time_step /= finer;
    return exact;
}

// Whether `pair`, KEY=VALUE, is about that key.
static int is_about(const char* pair, const char* key) {
    size_t length = strlen(key);
    return strncmp(pair, key, length) == 0 && pair[length] == '=';
}

static int can_differ(const char* pair) {
    static const char* const more[] = {
        "solver", "tolerance", "iterations", "solver.tolerance", "solver.iteration_limit", "solver.order", "dt"};
    for (int i = 0; i < (int)(sizeof more / sizeof more[0]); ++i)
        if (is_about(pair, more[i])) return 1;
    for (int i = 0; i < OPTION_COUNT; ++i)
        if (is_about(pair, made_of[i].name)) return 1;
    return 0;
}

// The command line of the run that --against describes: this one's, but for what it names.
static ts_code other_arguments(const ts_args* args, ts_args* out_args, ts_status* out_status) {
    *out_args = *args;
    for (int i = 0; i < args->vary_count; ++i) {
        const char* pair = args->vary[i];
        const char* value = strchr(pair, '=') + 1;
        if (!can_differ(pair))
            return ts_status_set(
                out_status, TS_ERROR_VALUE, NULL, 0,
                "--against %s: what may differ is solver, tolerance, iterations, dt, substeps, integrator, "
                "solver.order, and options of softness, push-out, manifolds and the narrow phase",
                pair);
        int kept = 0, is_step = is_about(pair, "dt") || is_about(pair, "time_step"),
            is_solver = is_about(pair, "solver");
        for (int k = 0; k < out_args->pair_count; ++k) {
            const char* old = out_args->pair[k];
            int same = strncmp(old, pair, (size_t)(value - pair)) == 0 || (is_step && is_about(old, "time_step"));
            if (!same) out_args->pair[kept++] = old;
        }
        out_args->pair_count = kept;
        if (is_step) out_args->dt = (double)NAN;
        if (is_about(pair, "substeps")) out_args->substeps = 0;
        if (is_step && !ts_args_number(value, &out_args->dt))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--against %s: not a number", pair);
        if (is_solver) out_args->solver = value;
        if (is_step || is_solver) continue;
        if (kept == TS_ARGS_PAIRS) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "too many pairs");
        out_args->pair[out_args->pair_count++] = pair;
    }
    return TS_OK;
}

static ts_code look(const ts_explanation* self, const ts_args* args, ts_explained* side, ts_status* out_status) {
    ts_sim* sim = NULL;
    ts_code code = ts_sim_create(self->scene->model, 1, &sim, out_status);
    if (code == TS_OK) code = ts_setup_configure(sim, args, args->solver, 1, out_status);
    if (code == TS_OK) look_at(side, sim);
    ts_sim_free(sim);
    return code;
}

// Where --from begins. Read once: HDF5 is for one thread.
static ts_code find_start(ts_explanation* self, ts_status* out_status) {
    ts_sim* sim = NULL;
    char recording[4096];
    if (!self->args->from) return TS_OK;
    ts_code code = ts_sim_create(self->scene->model, 1, &sim, out_status);
    if (code == TS_OK) code = ts_setup_configure(sim, self->args, self->args->solver, 1, out_status);
    if (code == TS_OK) code = ts_setup_from(self->args, sim, recording, sizeof recording, out_status);
    if (code == TS_OK) code = ts_sim_snapshot(sim, &self->start, out_status);
    ts_sim_free(sim);
    return code;
}

void ts_explanation_free(ts_explanation* self) { ts_snapshot_free(&self->start); }

ts_code ts_explanation_plan(ts_explanation* self, ts_status* out_status) {
    ts_args other;
    if (self->scene->focus < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "nothing moves in '%s'", self->scene->name);
    ts_code code = find_start(self, out_status);
    if (code == TS_OK) code = look(self, self->args, &self->run, out_status);
    if (code) return code;
    self->other = exact_one(&self->run);
    if (self->args->vary_count > 0) {
        code = other_arguments(self->args, &other, out_status);
        if (!code && other.solver && !ts_setup_solver(other.solver, out_status)) code = out_status->code;
        if (!code) code = look(self, &other, &self->other, out_status);
        if (code) return code;
    }
    // An order counts where both sweep.
    if (isnan(self->run.order) || isnan(self->other.order)) {
        double order = isnan(self->run.order) ? self->other.order : self->run.order;
        self->run.order = self->other.order = isnan(order) ? 0.0 : order;
    }
    find_ingredients(self);
    if (self->active_count == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--against: the two runs do not differ");
    return TS_OK;
}

// A run at work, and what it showed.
typedef struct course {
    int focus, begun;
    ts_vec3 start, first, last;  // m, m/s, m
    double climb, overlap, energy;
    ts_vec3 up;
} course;

static int observe(void* user, ts_sim* sim) {
    course* at = (course*)user;
    ts_sim_update_kinematics(sim);
    ts_vec3 now = sim->kinematics.body_centre[at->focus];
    if (!at->begun) {
        at->begun = 1;
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

// Effects in the directions of the other run: along its motion, else along the first velocity, else x.
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
    // Without the run itself, or the other one, there is no difference to explain.
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
