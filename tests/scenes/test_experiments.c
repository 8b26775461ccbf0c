// Experiments: every measure against its closed form under the exact law, and the signatures of the relaxed ones against theirs.
#include "scenes/experiments/experiment.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A run under a solver of ours, on the heap: it is large. Free with free().
static ts_lab_run* run_of(const char* name, double value, const char* solver) {
    const ts_experiment* experiment = ts_experiment_find(name);
    ts_lab_entrant entrant = {ts_solver_find(solver), NULL};
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    cr_assert(experiment && entrant.solver && run, "%s under %s", name, solver);
    ts_lab_run_one(experiment, value, &entrant, NULL, NULL, run);
    return run;
}

Test(experiments, the_exact_law_passes_them_all) {
    for (int e = 0; e < ts_experiment_count(); ++e) {
        const ts_experiment* experiment = ts_experiment_at(e);
        if (experiment->slow) continue;
        for (int v = 0; experiment->measure_count > 0 && v < ts_experiment_runs(experiment); ++v) {
            ts_lab_run* run = run_of(experiment->name, ts_experiment_value(experiment, v), "ncp");
            cr_expect_eq(run->code, TS_OK, "%s: %s", experiment->name, run->status.message);
            cr_expect_eq(run->unsolved, 0, "%s at %g: %lld steps unsolved", experiment->name, run->value,
                         run->unsolved);
            for (int m = 0; m < experiment->measure_count; ++m)
                cr_expect_eq(ts_lab_verdict(run, m), TS_VERDICT_PASS, "%s at %g, %s: %.9g, should be %.9g +- %.3g",
                             experiment->name, run->value, experiment->measure[m].name, run->measured[m].value,
                             run->measured[m].reference, run->measured[m].tolerance);
            free(run);
        }
    }
}

// Of solvers whose law or way theory faults, and of the others: what is missed is what is foretold, and what is foretold is missed. The short ones of the
// experiments, at all their values.
Test(experiments, no_solver_fails_or_passes_unforeseen) {
    static const char* const name[] = {
        "isotropy", "sliding-lift", "conveyor",       "billiard",      "four-feet",    "painleve",          "cradle",
        "seams",    "mass-ratio",   "million-to-one", "stacked-cubes", "ccp-lift-off", "hyperstatic-forces"};
    for (size_t e = 0; e < sizeof name / sizeof name[0]; ++e) {
        const ts_experiment* experiment = ts_experiment_find(name[e]);
        for (int i = 0; i < ts_experiment_runs(experiment) * ts_solver_count(); ++i) {
            double value = ts_experiment_value(experiment, i / ts_solver_count());
            ts_lab_run* run = run_of(name[e], value, ts_solver_at(i % ts_solver_count())->name);
            cr_expect_eq(run->code, TS_OK, "%s under %s: %s", name[e], run->engine, run->status.message);
            for (int m = 0; m < experiment->measure_count; ++m) {
                ts_verdict verdict = ts_lab_verdict(run, m);
                cr_expect(verdict != TS_VERDICT_FAIL && verdict != TS_VERDICT_LUCKY,
                          "%s at %g under %s, %s: %.9g, should be %.9g +- %.3g, %s", name[e], value, run->engine,
                          experiment->measure[m].name, run->measured[m].value, run->measured[m].reference,
                          run->measured[m].tolerance, ts_verdict_name(verdict));
            }
            free(run);
        }
    }
}

// A trait is at fault, is spared, or nobody knows; the reason goes with the forecast that it is one of.
Test(experiments, forecasts_are_refined_with_their_reasons) {
    const ts_measure measure[] = {{"way", "m", "0", TS_TRAIT_SOFT | TS_TRAIT_RELAXED, NULL, 0}};
    const ts_experiment experiment = {.name = "none", .measure = measure, .measure_count = 1};
    ts_lab_run* run = (ts_lab_run*)calloc(1, sizeof *run);
    const char* why;
    cr_assert_not_null(run);
    run->experiment = &experiment;
    run->traits = TS_TRAIT_SOFT;
    run->missed_by[0] = measure[0].missed_by;
    ts_lab_tell(run, 0, 1.0, 0.0, 0.5);
    cr_expect_eq(ts_lab_outlook(run, 0, &why), TS_OUTLOOK_MISSES);
    cr_expect_null(why);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_FORESEEN);
    // What this model has not is no reason.
    ts_lab_spare(run, 0, TS_TRAIT_RELAXED, "nothing slides");
    cr_expect_eq(ts_lab_outlook(run, 0, &why), TS_OUTLOOK_MISSES);
    cr_expect_null(why);
    ts_lab_spare(run, 0, TS_TRAIT_SOFT, "nothing presses");
    cr_expect_eq(ts_lab_outlook(run, 0, &why), TS_OUTLOOK_PASSES);
    cr_expect_str_eq(why, "nothing presses");
    ts_lab_spare(run, 0, TS_TRAIT_RELAXED, "nothing slides");
    ts_lab_outlook(run, 0, &why);
    cr_expect_str_eq(why, "nothing presses");
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_FAIL);
    ts_lab_leave_open(run, 0, TS_TRAIT_PYRAMID, "who knows");
    cr_expect_eq(ts_lab_outlook(run, 0, NULL), TS_OUTLOOK_PASSES);
    ts_lab_leave_open(run, 0, TS_TRAIT_SOFT, "who knows");
    cr_expect_eq(ts_lab_outlook(run, 0, &why), TS_OUTLOOK_OPEN);
    cr_expect_str_eq(why, "who knows");
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_OPEN);
    cr_expect_not(ts_lab_is_within(run, 0));
    // A rate that nobody knows is no fault, but where it decides alone.
    memset(run->open, 0, sizeof run->open);
    run->traits = TS_TRAIT_SWEEPS | TS_TRAIT_APART;
    run->missed_by[0] = TS_TRAIT_SWEEPS;
    cr_expect_eq(ts_lab_outlook(run, 0, &why), TS_OUTLOOK_OPEN);
    cr_expect_not_null(why);
    run->traits |= TS_TRAIT_SOFT;
    run->missed_by[0] |= TS_TRAIT_SOFT;
    cr_expect_eq(ts_lab_outlook(run, 0, NULL), TS_OUTLOOK_MISSES);
    free(run);
}

// A rod comes to lie: for long every iteration of alternating directions moves the multipliers by the same, so that what accelerates them
// proposes rounding. It is taken back, and leaves no trace.
Test(experiments, alternating_directions_solve_every_step_of_the_rod) {
    static const char* const solver[] = {"ccp-admm", "ncp-admm", "ccp-admm-anderson", "ncp-admm-anderson"};
    const ts_experiment* rod = ts_experiment_find("painleve");
    for (int v = 0; v < ts_experiment_runs(rod); ++v)
        for (size_t s = 0; s < sizeof solver / sizeof solver[0]; ++s) {
            ts_lab_run* run = run_of("painleve", ts_experiment_value(rod, v), solver[s]);
            cr_expect_eq(run->code, TS_OK, "%s: %s", solver[s], run->status.message);
            cr_expect_eq(run->unsolved, 0, "%s, friction %g: %lld", solver[s], run->value, run->unsolved);
            free(run);
        }
}

// Four flights, their landings and their energies, each within a thousandth of the geometric sequence.
Test(experiments, the_relaxation_bounces_as_its_sequence_says) {
    const double q = 0.84 / 1.16, stop = 1e3 / (0.4 * 9.81);
    ts_lab_run* run = run_of("ccp-bounce", 0.0, "ccp-pgs");
    for (int k = 0; k < 4; ++k) {
        double landing = stop * (1.0 - pow(q, k + 1)), energy = 0.5 / 1.16 * pow(q, 2 * k);
        cr_expect_float_eq(run->measured[1 + k].value, landing, 1e-3 * landing, "landing %d: %g, %g", k,
                           run->measured[1 + k].value, landing);
        cr_expect_float_eq(run->measured[5 + k].value, energy, 1e-3 * energy, "flight %d: %g, %g", k,
                           run->measured[5 + k].value, energy);
    }
    for (int m = 0; m < run->experiment->measure_count; ++m) cr_expect_eq(ts_lab_verdict(run, m), TS_VERDICT_FORESEEN);
    free(run);
}

// A tower that is too large to be pivoted is swept, and misses what sweeps miss.
Test(experiments, a_stand_in_brings_its_own_ways) {
    const ts_experiment* kapla = ts_experiment_find("kapla");
    ts_experiment few = *kapla;
    few.duration = 0.004;
    ts_lab_entrant entrant = {ts_solver_find("lcp-lemke"), NULL};
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    cr_assert(run);
    ts_lab_run_one(&few, 20.0, &entrant, NULL, NULL, run);
    cr_expect(run->traits & TS_TRAIT_SWEEPS);
    ts_lab_run_one(&few, 4.0, &entrant, NULL, NULL, run);
    cr_expect_not(run->traits & TS_TRAIT_SWEEPS);
    free(run);
}

// The conjunction's limits, in its units, wherever the experiments put theirs.
Test(experiments, the_conjunction_holds_under_ncp) {
    const struct {
        const char* name;
        double value, limit;
    } wanted[] = {{"creep", 0.0, 1e-6},          {"stack", 0.0, 1e-6},        {"heavy-on-light", 1e3, 1e-6},
                  {"heavy-on-light", 1e6, 1e-6}, {"sliding-lift", 0.0, 1e-9}, {"isotropy", 22.5, 1e-8},
                  {"free-spin", 0.0, 1e-8}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        ts_lab_run* run = run_of(wanted[i].name, wanted[i].value, "ncp");
        cr_expect(run->measured[0].told && fabs(run->measured[0].value) < wanted[i].limit, "%s: %g", wanted[i].name,
                  run->measured[0].value);
        free(run);
    }
}

// mu 0.5 and 6 m/s: in the first step the relaxation turns v into v / (1 + mu^2) forward and mu times that upward, where it flies;
// h: what it rises in that step.
Test(experiments, the_relaxation_throws_the_cube) {
    ts_lab_run* run = run_of("sliding-lift", 0.0, "ccp-pgs");
    double up = 0.5 * 6.0 / 1.25, height = 1e3 * up * up / (2.0 * 9.81);
    cr_expect_float_eq(run->measured[0].value, height, 0.01 * height, "%g mm, theory %g", run->measured[0].value,
                       height);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_FORESEEN);
    free(run);
}

// Four facets, mu 0.4, 1 m/s at 22.5 degrees: friction mu m g along each axis until that axis' speed is gone; the path is the sum of two
// straight decelerations.
Test(experiments, the_pyramid_turns_the_cube) {
    ts_lab_run* run = run_of("isotropy", 22.5, "lcp-pgs");
    double turn = 22.5 * acos(-1.0) / 180.0, a = 0.4 * 9.81, h = 1e-3, x = cos(turn), y = sin(turn);
    double reach_x = x * x / (2.0 * a) - 0.5 * h * x, reach_y = y * y / (2.0 * a) - 0.5 * h * y;
    double side = 1e3 * (reach_y * cos(turn) - reach_x * sin(turn));
    cr_expect_float_eq(run->measured[0].value, side, 1e-3 * fabs(side), "%g mm, theory %g", run->measured[0].value,
                       side);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_FORESEEN);
    free(run);
}

// A kilogram on a gram under pivoting: rounding leaves a basis without pivots, of which it once read on. It need not succeed,
// but every step must end with a name.
Test(experiments, pivoting_that_is_lost_says_so) {
    ts_lab_run* run = run_of("stacked-cubes", 1e6, "lcp-lemke");
    cr_expect_eq(run->code, TS_OK);
    cr_expect_eq(run->steps, 100);
    free(run);
}

// An engine that is told of a broken scene, and one that never moves, through the interface that others use.
static int made, freed;

static ts_code create_still(const ts_lab_engine* engine, const char* mjcf, size_t size, const ts_sim* shadow,
                            void** out_state, ts_status* out_status) {
    cr_expect_str_eq(engine->name, "still");
    cr_expect(strncmp(mjcf, "<mujoco", 7) == 0 && strlen(mjcf) == size && shadow->model->body_count > 1);
    *out_state = &made;
    made++;
    return ts_status_ok(out_status);
}

static ts_code step_still(void* state, ts_sim* shadow, ts_status* out_status) {
    cr_expect_eq(state, (void*)&made);
    shadow->time += shadow->options.time_step;
    return ts_status_ok(out_status);
}

static void free_still(void* state) { freed += state == (void*)&made; }

Test(experiments, another_engine_is_measured_by_what_its_shadow_shows) {
    const ts_lab_engine still = {"still", "moves nothing", TS_TRAIT_SOFT, create_still, step_still, free_still};
    ts_lab_entrant entrant = {NULL, &still};
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    cr_assert_not_null(run);
    ts_lab_run_one(ts_experiment_find("stack"), 0.0, &entrant, NULL, NULL, run);
    cr_expect_eq(run->code, TS_OK);
    cr_expect_eq(run->steps, 4000);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_LUCKY);  // a soft one should have sunk
    ts_lab_run_one(ts_experiment_find("sliding-lift"), 0.0, &entrant, NULL, NULL, run);
    cr_expect_eq(ts_lab_verdict(run, 1), TS_VERDICT_FAIL);  // no softness keeps a cube from sliding 3.7 m
    cr_expect_eq(made, 2);
    cr_expect_eq(freed, 2);
    free(run);
}

static int stop_at_once(void* user) { return ++*(int*)user >= 3; }

Test(experiments, a_stopped_run_has_measured_nothing) {
    ts_lab_entrant entrant = {ts_solver_find("ncp"), NULL};
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    int asked = 0;
    cr_assert_not_null(run);
    ts_lab_run_one(ts_experiment_find("stack"), 0.0, &entrant, stop_at_once, &asked, run);
    cr_expect_eq(run->code, TS_ERROR_INTERRUPTED);
    cr_expect_eq(run->steps, 3);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_BROKEN_OFF);
    free(run);
}

Test(experiments, scenes_of_experiments_are_called_by_their_value) {
    double value = 0.0;
    cr_expect_eq(ts_experiment_of_scene("isotropy", &value), ts_experiment_find("isotropy"));
    cr_expect_eq(value, 22.5);
    cr_expect_eq(ts_experiment_of_scene("isotropy:-3e1", &value), ts_experiment_find("isotropy"));
    cr_expect_eq(value, -30.0);
    const char* const wrong[] = {"isotropy:",    "isotropy:x", "isotropy:1 2", "isotropy:nan",
                                 "isotropy:inf", "mass-ratio", "no-such",      ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
        cr_expect_null(ts_experiment_of_scene(wrong[i], &value), "'%s'", wrong[i]);
}

static ts_code refuse(const ts_lab_engine* engine, const char* mjcf, size_t size, const ts_sim* shadow,
                      void** out_state, ts_status* out_status) {
    cr_expect_eq(strlen(mjcf), size);
    cr_expect_eq(shadow->step_count, 0);
    *out_state = NULL;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "%s has no boxes", engine->name);
}

// What an engine cannot take is not a failure of its contacts, and no success either.
Test(experiments, an_engine_may_decline) {
    const ts_lab_engine engine = {"spheres-only", "", TS_TRAIT_SOFT, refuse, NULL, NULL};
    ts_lab_entrant entrant = {NULL, &engine};
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    cr_assert_not_null(run);
    ts_lab_run_one(ts_experiment_find("creep"), 0.0, &entrant, NULL, NULL, run);
    cr_expect_eq(run->code, TS_ERROR_UNSUPPORTED);
    cr_expect_eq(run->steps, 0);
    cr_expect_eq(ts_lab_verdict(run, 0), TS_VERDICT_NOT_RUN);
    cr_expect_str_eq(run->status.message, "spheres-only has no boxes");
    free(run);
}
