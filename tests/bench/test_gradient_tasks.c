// The tasks of the benchmark of gradients: their motions by closed forms, and their derivatives by differences of whole runs.
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "bench/gradient_tasks.h"

static const double g = 9.81, h = 0.005, T = 0.5;

static ts_task_bench begin(const char* name) {
    ts_task_bench bench = {0};
    ts_status status;
    for (int i = 0; i < ts_task_count(); ++i)
        if (strcmp(ts_task_at(i)->name, name) == 0) {
            cr_assert_eq(ts_task_begin(ts_task_at(i), &bench, &status), TS_OK, "%s", status.message);
            return bench;
        }
    cr_assert_fail("no task is called %s", name);
    return bench;
}

// Falls 0.3 m, comes down flat, and slides: what friction takes of the speed is mu times all that gravity gave.
Test(gradient_tasks, a_throw_comes_down_and_slides) {
    ts_task_bench bench = begin("throw");
    const double mu = 0.4, vx = 2.5, vy = 0.5, v = sqrt(vx * vx + vy * vy), fall = sqrt(2.0 * 0.3 / g);
    double left = T - fall, way = v * fall + (v - mu * g * fall) * left - 0.5 * mu * g * left * left;
    cr_assert(v - mu * g * T > 0.0);
    cr_expect_float_eq(bench.answer[0], way * vx / v, v * h, "%g", bench.answer[0]);
    cr_expect_float_eq(bench.answer[1], way * vy / v, v * h, "%g", bench.answer[1]);
    ts_task_end(&bench);
}

// v' = F / m - mu g.
Test(gradient_tasks, a_push_goes_by_friction_and_mass) {
    ts_task_bench bench = begin("push");
    double x = 0.0, v = 0.5;
    for (int k = 0; k <= 1000; ++k) {
        double t = k * T / 1000.0, force = t < 0.2 ? 6.0 : t < 0.35 ? 4.0 : 0.0, a = force / 1.5 - 0.3 * g;
        if (k > 0 && k % 100 == 0) cr_expect_float_eq(bench.answer[k / 100 - 1], x, h, "%d: %g", k, x);
        x += v * T / 1000.0 + 0.5 * a * T * T / 1e6;
        v += a * T / 1000.0;
    }
    ts_task_end(&bench);
}

// 4 kg at 0.6 m/s are brought to rest within half a second by 4.8 N, over 0.15 m, the whole stack alike.
Test(gradient_tasks, a_stack_settles) {
    ts_task_bench bench = begin("settle");
    for (int i = 0; i < 6; i += 2) {
        cr_expect_float_eq(bench.answer[i], 0.5 * 0.6 * T, 0.6 * h, "%g", bench.answer[i]);
        cr_expect_float_eq(bench.answer[i + 1], 0.0, 1e-9, "%g", bench.answer[i + 1]);
    }
    ts_task_end(&bench);
}

// Forward through every step against central differences, a quarter of the way from either end of the starts.
Test(gradient_tasks, derivatives_are_those_of_the_runs) {
    for (int i = 0; i < ts_task_count(); ++i)
        for (int end = 0; end < 2; ++end) {
            const ts_task* task = ts_task_at(i);
            ts_task_bench bench = begin(task->name);
            double x[TS_TASK_UNKNOWNS], r[TS_TASK_ASKED], up[TS_TASK_ASKED], down[TS_TASK_ASKED];
            double J[TS_TASK_ASKED * TS_TASK_UNKNOWNS], most = 0.0;
            int n = task->unknown_count;
            for (int c = 0; c < n; ++c) {
                const ts_task_unknown* u = &task->unknown[c];
                x[c] = u->answer + 0.25 * ((end ? u->high : u->low) - u->answer);
            }
            cr_assert_eq(ts_task_differentiate(&bench, x, r, J, NULL), TS_OK);
            for (int k = 0; k < task->asked_count * n; ++k) most = fmax(most, fabs(J[k]));
            for (int c = 0; c < n; ++c) {
                double e = 2e-6 * (task->unknown[c].high - task->unknown[c].low), kept = x[c];
                x[c] = kept + e;
                cr_assert_eq(ts_task_run(&bench, x, up, NULL), TS_OK);
                x[c] = kept - e;
                cr_assert_eq(ts_task_run(&bench, x, down, NULL), TS_OK);
                x[c] = kept;
                for (int k = 0; k < task->asked_count; ++k)
                    cr_expect_float_eq(J[k * n + c], (up[k] - down[k]) / (2.0 * e), 1e-6 * most,
                                       "%s, number %d by unknown %d: %.9g, not %.9g", task->name, k, c, J[k * n + c],
                                       (up[k] - down[k]) / (2.0 * e));
            }
            ts_task_end(&bench);
        }
}
