// What theory says of a run before it is made, and how the run came out beside that.
//
// A forecast follows from a solver's law and from how it works (its traits), never from its name and never from what a run printed. Each
// measure lists the traits that make a model miss it. `conclude` refines that by the value of the parameter: a trait that cannot show at
// this value is spared, each with its reason; and where theory has no statement at all, it is left open.
#include "scenes/experiments/experiment.h"

#include <math.h>

unsigned ts_traits_of(const ts_solver* solver) {
    unsigned traits = 0;
    if (solver->law == TS_LAW_CCP) traits |= TS_TRAIT_RELAXED;
    if (ts_contact_law_facets(solver->law) > 0) traits |= TS_TRAIT_PYRAMID;
    if (solver->law == TS_LAW_RAISIM) traits |= TS_TRAIT_ASIDE;
    if (solver->law == TS_LAW_EXPLICIT) traits |= TS_TRAIT_RELAXED | TS_TRAIT_PYRAMID | TS_TRAIT_ALONE;
    if (solver->anchors)
        traits |= TS_TRAIT_ANCHOR;
    else if (solver->compliance || solver->takes_softness)
        traits |= TS_TRAIT_SOFT;
    if (solver->compliance && !solver->takes_softness && !solver->anchors && solver->law != TS_LAW_EXPLICIT)
        traits |= TS_TRAIT_STIFF;
    if (solver->sweeps) traits |= TS_TRAIT_SWEEPS;
    if (solver->sweeps == 2) traits |= TS_TRAIT_APART;
    if (solver->gradients) traits |= TS_TRAIT_GRADIENT;
    if (solver->pivots) traits |= TS_TRAIT_CORNER;
    return traits;
}

void ts_lab_foretell(ts_lab_run* run, int measure, double theory, double leeway) {
    ts_measured* m = &run->measured[measure];
    m->foretold = 1;
    m->theory = theory;
    m->leeway = leeway;
}

void ts_lab_spare(ts_lab_run* run, int measure, unsigned traits, const char* why) {
    if (run->missed_by[measure] & run->traits & traits) {
        run->why[measure] = why;
        run->why_so[measure] = TS_OUTLOOK_PASSES;
    }
    run->missed_by[measure] &= ~traits;
}

void ts_lab_leave_open(ts_lab_run* run, int measure, unsigned traits, const char* why) {
    if (!(run->traits & traits)) return;
    run->open[measure] = 1;
    run->why[measure] = why;
    run->why_so[measure] = TS_OUTLOOK_OPEN;
}

ts_outlook ts_lab_outlook(const ts_lab_run* run, int measure, const char** out_why) {
    unsigned at_fault = run->missed_by[measure] & run->traits;
    ts_outlook outlook = run->open[measure] ? TS_OUTLOOK_OPEN : at_fault ? TS_OUTLOOK_MISSES : TS_OUTLOOK_PASSES;
    const char* why = run->why_so[measure] == outlook ? run->why[measure] : NULL;
    if (outlook == TS_OUTLOOK_MISSES && at_fault == TS_TRAIT_SWEEPS && run->traits & TS_TRAIT_APART) {
        outlook = TS_OUTLOOK_OPEN;
        why = "bodies and contacts in turn get there at a rate that has no closed form";
    }
    if (out_why) *out_why = why;
    return outlook;
}

const char* ts_outlook_name(ts_outlook outlook) {
    static const char* const names[TS_OUTLOOK_COUNT] = {"passes", "misses", "no forecast"};
    return names[outlook];
}

void ts_lab_softness(const ts_sim* sim, double* out_normal, double* out_tangent) {
    const ts_contact_problem* problem = &sim->problem;
    double normal = 0.0, tangent = 0.0;
    int hard = sim->info.row_count == 0;
    ts_arena arena;
    ts_arena_init(&arena, 0);
    double* R = hard ? NULL : TS_ARENA_ARRAY(&arena, double, problem->row_count);
    for (int r = 0; R && r < problem->row_count; ++r) R[r] = problem->R ? problem->R[r] : 0.0;
    if (R && sim->solver->compliance) sim->solver->compliance(problem, sim->solver_settings, R);
    for (int b = 0; R && b < problem->block_count; ++b) {
        if (problem->block[b].set != TS_SET_CONE) continue;
        const double* own = R + problem->block[b].row;
        normal += 1.0 / own[2];
        tangent += 2.0 / (own[0] + own[1]);
    }
    ts_arena_free(&arena);
    // Hard ones have 1 / 0, without end.
    *out_normal = normal > 0.0 ? 1.0 / normal : 0.0;
    *out_tangent = tangent > 0.0 ? 1.0 / tangent : 0.0;
}

void ts_lab_spare_solved(ts_lab_run* run, int measure, unsigned traits) {
    if (run->steps > 0 && run->unsolved == 0)
        ts_lab_spare(run, measure, traits,
                     "every step met its tolerance: no iteration was cut, and the law is all there");
}

double ts_lab_left_at_most(const ts_lab_run* run, double kappa) { return kappa * run->worst_unmet; }

double ts_lab_sinkage(const ts_sim* sim, double normal, double load) {
    double h = sim->options.time_step;
    double rest = sim->options.slop + normal * load * h * h / sim->options.baumgarte;
    return fmin(rest, normal * load * h * sim->time);
}

double ts_lab_gradient_share(double ratio, int iterations) { return exp(-(double)iterations / sqrt(ratio)); }

int ts_lab_is_within(const ts_lab_run* run, int measure) {
    const ts_measured* m = &run->measured[measure];
    return m->told && fabs(m->value - m->reference) <= m->tolerance;
}

ts_verdict ts_lab_verdict(const ts_lab_run* run, int measure) {
    const ts_measured* m = &run->measured[measure];
    if (!m->told)
        return run->code == TS_OK || run->code == TS_ERROR_UNSUPPORTED ? TS_VERDICT_NOT_RUN : TS_VERDICT_BROKEN_OFF;
    ts_outlook outlook = ts_lab_outlook(run, measure, NULL);
    if (outlook == TS_OUTLOOK_OPEN) return TS_VERDICT_OPEN;
    int misses = outlook == TS_OUTLOOK_MISSES, as_foretold = !m->foretold || fabs(m->value - m->theory) <= m->leeway;
    if (ts_lab_is_within(run, measure)) return misses ? TS_VERDICT_LUCKY : TS_VERDICT_PASS;
    return misses && as_foretold ? TS_VERDICT_FORESEEN : TS_VERDICT_FAIL;
}

const char* ts_verdict_name(ts_verdict verdict) {
    static const char* const names[TS_VERDICT_COUNT] = {
        "pass", "fails as foreseen", "FAIL", "passes unforeseen", "broken off", "not run", "no forecast"};
    return names[verdict];
}
