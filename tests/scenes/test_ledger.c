// The ledger closes on every experiment under every solver, to 1e-9 of the energy turned over from step to step, or it would say so. What rests turns over
// nothing but within steps, of which no more than rounding may be missing.
#include "engine/step/integrate/integrator.h"
#include "engine/step/step.h"
#include "scenes/experiments/experiment.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// 1: the remainder that is allowed, of the energy turned over from step to step, and within steps.
static const double most_remainder = 1e-9, most_within = 1e-13;

// Steps of every solver from the start, of every integrator, and from where the scene is after some more.
enum { FEW = 2, SOME = 6, MORE = 150, LONG = 500 };

typedef struct stage {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_ledger ledger;
} stage;

static void open_stage(const ts_experiment* experiment, double value, stage* out) {
    ts_status status;
    memset(out, 0, sizeof *out);
    cr_assert_eq(ts_experiment_load(experiment, value, &out->scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(out->scene.model, 1, &out->sim, &status), TS_OK, "%s", status.message);
}

static void close_stage(stage* at) {
    ts_sim_free(at->sim);
    ts_loaded_scene_free(&at->scene);
}

// Steps with books, as far as it gets: a solver that blows up ends its run, and the steps until then are booked.
static void expect_closed(stage* at, const ts_experiment* experiment, double value, long long steps) {
    ts_status status;
    ts_ledger_keep(at->sim, &at->ledger);
    for (long long i = 0; i < steps; ++i) {
        ts_controller_act(&at->scene.control, at->sim);
        if (ts_sim_step(at->sim, &status)) break;
    }
    double turnover = ts_ledger_turnover(&at->ledger), within = at->ledger.total_within;
    cr_expect_gt(at->ledger.steps, 0, "%s at %g under %s: %s", experiment->name, value, at->sim->solver->name,
                 status.message);
    double most = most_remainder * (turnover - within) + most_within * within;
    cr_expect(at->ledger.total_remainder <= most, "%s at %g under %s: %g of %g J, within steps %g J", experiment->name,
              value, at->sim->solver->name, at->ledger.total_remainder, turnover, within);
    cr_expect(isfinite(turnover), "%s at %g under %s", experiment->name, value, at->sim->solver->name);
    ts_ledger_keep(at->sim, NULL);
}

static void choose(stage* at, const char* solver) {
    if (strcmp(at->sim->solver->name, solver) != 0) cr_assert_eq(ts_sim_set_solver(at->sim, solver, NULL), TS_OK);
}

static void expect_all_solvers_closed(const ts_experiment* experiment, double value) {
    stage at;
    ts_snapshot now = {NULL, 0, 0};
    open_stage(experiment, value, &at);
    for (int later = 0; later < 2; ++later) {
        if (later) {
            choose(&at, "ncp");
            expect_closed(&at, experiment, value, MORE);
        }
        cr_assert_eq(ts_sim_snapshot(at.sim, &now, NULL), TS_OK);
        for (int s = 0; s < ts_solver_count(); ++s) {
            cr_assert_eq(ts_sim_restore(at.sim, &now, NULL), TS_OK);
            choose(&at, ts_solver_at(s)->name);
            expect_closed(&at, experiment, value, FEW);
        }
        cr_assert_eq(ts_sim_restore(at.sim, &now, NULL), TS_OK);
    }
    ts_snapshot_free(&now);
    close_stage(&at);
}

Test(ledger_sweep, closes_under_every_solver) {
    for (int e = 0; e < ts_experiment_count(); ++e) {
        const ts_experiment* experiment = ts_experiment_at(e);
        if (experiment->slow) continue;
        for (int v = 0; v < ts_experiment_runs(experiment); ++v)
            expect_all_solvers_closed(experiment, ts_experiment_value(experiment, v));
    }
}

// Every integrator on every experiment, the long ones too, and with every solver in turn.
Test(ledger_sweep, closes_under_every_integrator) {
    int turn = 0;
    for (int e = 0; e < ts_experiment_count(); ++e) {
        const ts_experiment* experiment = ts_experiment_at(e);
        stage at;
        ts_snapshot start = {NULL, 0, 0};
        double value = ts_experiment_value(experiment, 0);
        open_stage(experiment, value, &at);
        cr_assert_eq(ts_sim_snapshot(at.sim, &start, NULL), TS_OK);
        for (int i = 0; i < ts_integrator_count(); ++i, ++turn) {
            cr_assert_eq(ts_sim_restore(at.sim, &start, NULL), TS_OK);
            cr_assert_eq(ts_sim_set(at.sim, "integrator", ts_integrator_at(i)->name, NULL), TS_OK);
            choose(&at, ts_solver_at(turn % ts_solver_count())->name);
            expect_closed(&at, experiment, value, SOME);
        }
        ts_snapshot_free(&start);
        close_stage(&at);
    }
}

Test(ledger_sweep, closes_over_long_runs_of_the_exact_law) {
    for (int e = 0; e < ts_experiment_count(); ++e) {
        const ts_experiment* experiment = ts_experiment_at(e);
        if (experiment->slow) continue;
        stage at;
        double value = ts_experiment_value(experiment, 0);
        open_stage(experiment, value, &at);
        choose(&at, "ncp");
        expect_closed(&at, experiment, value, LONG);
        close_stage(&at);
    }
}
