// Runs whose solves are traced have the bits of any other.
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "contact/trace.h"
#include "engine/step/step.h"
#include "scenes/run.h"

enum { ENTRIES = 1000, STEPS = 40 };

// A pyramid whose boxes are thrown about: Newton takes steps back there.
static ts_sim* thrown(const ts_loaded_scene* scene, ts_trace* trace) {
    ts_status status;
    ts_sim* sim = NULL;
    ts_rng rng = ts_rng_make(3, 0);
    cr_assert_eq(ts_sim_create(scene->model, 1, &sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set(sim, "time_step", "0.004", &status), TS_OK);
    cr_assert_eq(ts_sim_set(sim, "solver", "ncp", &status), TS_OK);
    for (int d = 0; d < scene->model->nv; ++d) sim->qvel[d] += 0.03 * ts_rng_normal(&rng);
    sim->trace = trace;
    return sim;
}

Test(traced, steps_have_the_bits_of_others, .timeout = 60) {
    static const char* const name[] = {"pyramid:3", "unequal-cubes"};
    static ts_trace_entry entry[ENTRIES];
    for (int k = 0; k < 2; ++k) {
        ts_loaded_scene scene;
        ts_status status;
        ts_trace trace = {.entry = entry, .capacity = ENTRIES};
        cr_assert_eq(ts_scene_load(name[k], NULL, &scene, &status), TS_OK, "%s", status.message);
        ts_sim *plain = thrown(&scene, NULL), *traced = thrown(&scene, &trace);
        int systems = 0;
        for (int i = 0; i < STEPS; ++i) {
            cr_assert_eq(ts_sim_step(plain, &status), TS_OK);
            cr_assert_eq(ts_sim_step(traced, &status), TS_OK);
            systems += plain->info.solve.iterations;
            cr_expect_eq(traced->info.solve.iterations, plain->info.solve.iterations, "%s, step %d", name[k], i);
        }
        cr_expect_gt(systems, STEPS, "%s: hardly anything was solved", name[k]);
        size_t bytes = (size_t)scene.model->nq * sizeof(double);
        cr_expect_eq(memcmp(plain->qpos, traced->qpos, bytes), 0, "%s: other bits with a trace", name[k]);
        ts_sim_free(traced);
        ts_sim_free(plain);
        ts_loaded_scene_free(&scene);
    }
}
