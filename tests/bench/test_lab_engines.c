// Other engines in the laboratory: they carry what weighs, in a scene whose loads are known, and are skipped where a build has none.
#include "bench/bench.h"
#include "scenes/experiments/experiment.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(lab_engines, carry_the_weight, .timeout = 300) {
    ts_lab_run* run = (ts_lab_run*)malloc(sizeof *run);
    cr_assert_not_null(run);
    if (!ts_bench_lab_engine(0)) cr_skip_test("this build has no other engines: configure with -DTS_PEERS=ON");
    for (int i = 0; ts_bench_lab_engine(i); ++i) {
        ts_lab_entrant entrant = {NULL, ts_bench_lab_engine(i)};
        // All four loads of the table are its weight, 8 kg.
        ts_lab_run_one(ts_experiment_find("four-feet"), 0.0, &entrant, NULL, NULL, run);
        cr_expect_eq(run->code, TS_OK, "%s: %s", entrant.engine->name, run->status.message);
        cr_expect_float_eq(run->measured[1].value, 8.0 * 9.81, 0.03 * 8.0 * 9.81, "%s: %g", entrant.engine->name,
                           run->measured[1].value);
        // Positions, velocities and impulses of the engine, not the shadow's own: it stops sliding where Coulomb says.
        ts_lab_run_one(ts_experiment_find("lcp-anisotropy"), 0.0, &entrant, NULL, NULL, run);
        cr_expect_eq(run->code, TS_OK, "%s: %s", entrant.engine->name, run->status.message);
        cr_expect_float_eq(run->measured[1].value, run->measured[1].reference, 0.03 * run->measured[1].reference,
                           "%s: %g", entrant.engine->name, run->measured[1].value);
        // A tonne on a gram is too much for all of them, and they are said to fail there, not to have been left out.
        ts_lab_run_one(ts_experiment_find("million-to-one"), 0.0, &entrant, NULL, NULL, run);
        cr_expect_neq(ts_lab_verdict(run, 0), TS_VERDICT_NOT_RUN, "%s: %s", entrant.engine->name, run->status.message);
    }
    free(run);
}
