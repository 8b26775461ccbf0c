// Every scene under every solver, and the demo scenes against their closed forms.
#include "engine/step/step.h"
#include "scenes/experiments/experiment.h"
#include "scenes/pile_internal.h"
#include "scenes/run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A loaded scene with a simulation on it; the solver is left as the scene has it when `solver` is NULL.
typedef struct bed {
    ts_loaded_scene scene;
    ts_sim* sim;
} bed;

static bed make_bed(const char* name, const char* solver, int workers) {
    bed b = {0};
    ts_status status;
    cr_assert_eq(ts_scene_load(name, NULL, &b.scene, &status), TS_OK, "%s: %s", name, status.message);
    cr_assert_eq(ts_sim_create(b.scene.model, workers, &b.sim, &status), TS_OK, "%s: %s", name, status.message);
    if (solver) cr_assert_eq(ts_sim_set_solver(b.sim, solver, &status), TS_OK, "%s", status.message);
    return b;
}

static void free_bed(bed* b) {
    ts_sim_free(b->sim);
    ts_loaded_scene_free(&b->scene);
}

// Closed forms are met to more digits than the default tolerance asks for.
static void set_tight(bed* b) {
    ts_status status;
    cr_assert_eq(ts_sim_set(b->sim, "tolerance", "1e-12", &status), TS_OK, "%s", status.message);
}

static void step_once(bed* b) {
    ts_status status;
    ts_controller_act(&b->scene.control, b->sim);
    cr_assert_eq(ts_sim_step(b->sim, &status), TS_OK, "%s", status.message);
}

static int all_finite(const double* value, int count) {
    for (int i = 0; i < count; ++i)
        if (!isfinite(value[i])) return 0;
    return 1;
}

// Twice the energy that contacts give, relative to what they are asked for: lambda . (G lambda + 2 g) = lambda . (u + g), and lambda . u <= 0
// under every law. `scale`: what its parts are.
static double given_energy(const ts_sim* sim, double* out_scale) {
    static double u[4096];
    const ts_contact_problem* problem = &sim->problem;
    double sum = 0.0;
    cr_assert_leq(problem->row_count, 4096);
    *out_scale = 0.0;
    if (problem->row_count > 0) ts_contact_problem_velocity(problem, sim->impulse, u);
    for (int i = 0; i < problem->row_count; ++i) {
        sum += sim->impulse[i] * (u[i] + problem->g[i]);
        *out_scale += fabs(sim->impulse[i]) * (fabs(u[i]) + fabs(problem->g[i]));
    }
    return sum;
}

Test(scenes, answers_that_are_none_add_no_energy, .timeout = 300) {
    static const char* const names[] = {"unequal-cubes", "tonne-on-gram", "sliding-cube-rotated", "stack-10"};
    static const char* const limits[] = {"1", "2", "3", "7"};
    int held = 0;
    for (int i = 0; i < ts_solver_count(); ++i)
        for (size_t k = 0; k < 4; ++k)
            for (size_t l = 0; l < 4; ++l) {
                bed b = make_bed(names[k], ts_solver_at(i)->name, 1);
                ts_status status;
                cr_assert_eq(ts_sim_set(b.sim, "iterations", limits[l], &status), TS_OK, "%s", status.message);
                for (int step = 0; step < 40; ++step) {
                    step_once(&b);
                    double scale, energy = given_energy(b.sim, &scale);
                    held += b.sim->info.held_back;
                    if (b.sim->info.solve.status != TS_SOLVE_CONVERGED)
                        cr_assert_leq(energy, 1e-12 * scale, "%s under %s, %s iterations, step %d", names[k],
                                      ts_solver_at(i)->name, limits[l], step);
                }
                free_bed(&b);
            }
    cr_assert_gt(held, 0, "nothing was put to the test");
}

Test(scenes, every_scene_loads_and_names_its_focus) {
    cr_assert_geq(ts_scene_count(), 8);
    for (int i = 0; i < ts_scene_count(); ++i) {
        const ts_scene* scene = ts_scene_at(i);
        ts_import_report report = {0};
        ts_loaded_scene loaded;
        ts_status status;
        cr_assert_eq(ts_scene_load(scene->name, &report, &loaded, &status), TS_OK, "%s: %s", scene->name,
                     status.message);
        cr_expect_gt(loaded.duration, 0.0);
        cr_expect_geq(loaded.focus, 1, "%s", scene->name);
        if (scene->focus) cr_expect_str_eq(loaded.model->body[loaded.focus].name, scene->focus);
        cr_expect_eq(ts_import_report_count(&report, TS_IMPORT_IGNORED, 1), 0, "%s", scene->name);
        cr_expect_eq(ts_import_report_count(&report, TS_IMPORT_APPROXIMATED, 1), 0, "%s", scene->name);
        for (int j = 0; j < i; ++j) cr_expect_str_neq(scene->name, ts_scene_at(j)->name);
        ts_import_report_free(&report);
        ts_loaded_scene_free(&loaded);
    }
}

Test(scenes, every_solver_steps_every_scene) {
    for (int i = 0; i < ts_scene_count(); ++i) {
        for (int s = 0; s < ts_solver_count(); ++s) {
            bed b = make_bed(ts_scene_at(i)->name, ts_solver_at(s)->name, 1);
            for (int k = 0; k < 10; ++k) step_once(&b);
            cr_expect(all_finite(b.sim->qpos, b.scene.model->nq), "%s, %s", ts_scene_at(i)->name,
                      ts_solver_at(s)->name);
            cr_expect(all_finite(b.sim->qvel, b.scene.model->nv));
            cr_expect_neq(b.sim->info.solve.status, TS_SOLVE_FAILED);
            free_bed(&b);
        }
    }
}

Test(scenes, experiments_name_scenes_and_solvers_that_exist) {
    cr_assert_gt(ts_experiment_count(), 0);
    for (int i = 0; i < ts_experiment_count(); ++i) {
        const ts_experiment* e = ts_experiment_at(i);
        cr_expect((e->scene != NULL) != (e->write != NULL), "%s has one scene", e->name);
        cr_expect(ts_scene_is_known(ts_experiment_scene(e)), "%s", e->name);
        if (e->scene) cr_expect_not(ts_scene_is_known(e->name), "%s would be ambiguous", e->name);
        cr_expect_eq(ts_experiment_find(e->name), e);
        cr_expect_gt(e->duration, 0.0);
        if (strcmp(e->solvers, "all") == 0) continue;
        char list[256];
        snprintf(list, sizeof list, "%s", e->solvers);
        for (char* name = strtok(list, ","); name; name = strtok(NULL, ","))
            cr_expect_not_null(ts_solver_find(name), "%s: %s", e->name, name);
    }
}

Test(scenes, unknown_names_and_missing_files_are_refused_with_help) {
    ts_loaded_scene loaded;
    ts_status status;
    cr_expect_eq(ts_scene_load("slidng-cube", NULL, &loaded, &status), TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, "sliding-cube"), "%s", status.message);
    cr_expect_null(loaded.model);
    cr_expect_eq(ts_scene_load("no/such/file.xml", NULL, &loaded, &status), TS_ERROR_FILE);
    cr_expect_null(loaded.model);
}

Test(run, counts_whole_steps) {
    cr_expect_eq(ts_run_steps(0.3, 0.001), 300);  // 0.3 / 0.001 is a little under 300 in doubles
    cr_expect_eq(ts_run_steps(0.1, 0.03), 4);
    cr_expect_eq(ts_run_steps(0.0, 0.001), 0);
    cr_expect_eq(ts_run_steps(0.0011, 0.001), 2);
    cr_expect_eq(ts_run_steps(1.4e-17, 1.0 / 60.0), 0, "six steps of 1/60 fall short of 0.1 by that");
    cr_expect_eq(ts_run_steps(-1.0, 0.001), 0);
    cr_expect_eq(ts_run_steps((double)NAN, 0.001), 0);
    cr_expect_eq(ts_run_steps(1.0, 1.0 / 60.0), 60);
}

static int stop_at_third_call(void* user, ts_sim* sim) {
    (void)sim;
    return ++*(int*)user == 3;
}

Test(run, observer_sees_the_start_and_can_stop) {
    bed b = make_bed("double-pendulum", NULL, 1);
    int calls = 0;
    ts_status status;
    cr_expect_eq(ts_run_scene(&b.scene, b.sim, 1.0, stop_at_third_call, &calls, &status), TS_ERROR_INTERRUPTED);
    cr_expect_eq(calls, 3);
    cr_expect_eq(b.sim->step_count, 2);
    free_bed(&b);
}

static const double mu = 0.4;
static const double gravity = 9.81;
static const double h = 1e-3;

// Exact Coulomb friction: the discrete velocity is v0 - k mu g h in every step until less than one decrement is left.
Test(sliding_cube, exact_law_decelerates_by_mu_g_in_every_step) {
    bed b = make_bed("sliding-cube", "ncp-pgs", 1);
    set_tight(&b);
    double before = 1.0;
    double expected_y = 0.0;
    for (int k = 1; k <= 254; ++k) {  // v0 / (mu g h) = 254.8
        step_once(&b);
        double speed = b.sim->qvel[1];
        cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED);
        cr_assert_leq(fabs((before - speed) / (mu * gravity * h) - 1.0), 1e-9, "step %d", k);
        before = speed;
        expected_y += h * (1.0 - k * mu * gravity * h);
    }
    cr_expect_float_eq(b.sim->qpos[1], expected_y, 1e-10);
    cr_expect_float_eq(b.sim->qpos[2], 0.104, 1e-10);
    cr_expect_leq(fabs(b.sim->qpos[0]), 1e-10);
    for (int k = 0; k < 50; ++k) step_once(&b);
    cr_expect_leq(fabs(b.sim->qvel[1]), 1e-9, "it rests in the end");
    free_bed(&b);
}

// The convex law: c_N = mu |c_T| while sliding, and v_y + mu v_z follows the exact law's velocity.
Test(sliding_cube, convex_law_lifts_off_with_mu_times_slip) {
    bed b = make_bed("sliding-cube", "ccp-pgs", 1);
    set_tight(&b);
    step_once(&b);
    cr_assert_eq(b.sim->contact_count, 4);
    for (int c = 0; c < 4; ++c) {
        ts_vec3 u = b.sim->contact[c].velocity;
        cr_expect_float_eq(u.z, mu * sqrt(u.x * u.x + u.y * u.y), 1e-9);
        cr_expect_gt(u.z, 0.3);
    }
    // First step in closed form: c_T = (v - mu gamma) / (1 + mu^2), gamma = g h.
    double slip = (1.0 - mu * gravity * h) / (1.0 + mu * mu);
    cr_expect_float_eq(b.sim->qvel[1], slip, 1e-8);
    cr_expect_float_eq(b.sim->qvel[2], mu * slip, 1e-8);
    double highest = 0.0;
    for (int k = 2; k <= 250; ++k) {
        step_once(&b);
        cr_assert_float_eq(b.sim->qvel[1] + mu * b.sim->qvel[2], 1.0 - mu * gravity * k * h, 1e-6, "step %d", k);
        if (b.sim->qpos[2] - 0.104 > highest) highest = b.sim->qpos[2] - 0.104;
    }
    cr_expect_float_eq(highest, 6.185e-3, 1e-3 * 6.185e-3, "%.9f", highest);
    free_bed(&b);
}

// The pyramid: each friction axis is a one-dimensional Coulomb slider of its own, so the path is known exactly.
static double slider_distance(double speed) {
    double distance = 0.0;
    for (int k = 1; speed - k * mu * gravity * h > 0.0; ++k) distance += h * (speed - k * mu * gravity * h);
    return distance;
}

Test(sliding_cube, pyramid_with_turned_axes_drifts_sideways) {
    bed b = make_bed("sliding-cube-rotated", "lcp-pgs", 1);
    ts_status status;
    cr_assert_eq(ts_run_scene(&b.scene, b.sim, 0.4, NULL, NULL, &status), TS_OK);
    double angle = 22.5 * acos(-1.0) / 180.0;
    double d1 = slider_distance(sin(angle));
    double d2 = slider_distance(cos(angle));
    double x = d1 * cos(angle) - d2 * sin(angle);
    double y = d1 * sin(angle) + d2 * cos(angle);
    cr_expect_float_eq(x, -0.024381, 1e-3 * 0.024381, "the closed form itself: %.9f", x);
    cr_expect_float_eq(b.sim->qpos[0], x, 1e-3 * fabs(x), "%.9f", b.sim->qpos[0]);
    cr_expect_float_eq(b.sim->qpos[1], y, 1e-3 * y, "%.9f", b.sim->qpos[1]);
    free_bed(&b);
}

Test(sliding_cube, cones_do_not_notice_turned_axes) {
    static const char* const cones[] = {"ncp-pgs", "ccp-pgs"};
    for (int s = 0; s < 2; ++s) {
        bed straight = make_bed("sliding-cube", cones[s], 1);
        bed turned = make_bed("sliding-cube-rotated", cones[s], 1);
        for (int k = 0; k < 300; ++k) {
            step_once(&straight);
            step_once(&turned);
        }
        cr_expect_leq(fabs(turned.sim->qpos[0]), 1e-6, "%s", cones[s]);
        cr_expect_float_eq(turned.sim->qpos[1], straight.sim->qpos[1], 1e-6, "%s", cones[s]);
        free_bed(&straight);
        free_bed(&turned);
    }
}

// F(t) = min(2 mu m g, 4 m g t) against mu m g: slip starts at mu / 4, and from then on the velocity is the sum of the
// excess force over the steps.
Test(dragged_cube, slips_when_the_force_passes_the_cone) {
    bed b = make_bed("dragged-cube", "ncp-pgs", 1);
    double expected = 0.0;
    for (int k = 0; k < 600; ++k) {
        double t = k * h;
        double force = fmin(2.0 * 0.9 * gravity, 4.0 * gravity * t);
        double excess = force - 0.9 * gravity;
        if (excess > 0.0) expected += h * excess;
        step_once(&b);
        if (t < 0.2249) cr_assert_leq(fabs(b.sim->qvel[1]), 1e-9, "it must stick at t = %g", t);
    }
    cr_expect_float_eq(b.sim->qvel[1], expected, 1e-6, "%.9f", b.sim->qvel[1]);
    cr_expect_float_eq(expected, 2.3132, 5e-4);
    free_bed(&b);
}

Test(incline, one_block_sticks_and_one_slides) {
    bed b = make_bed("incline", "ncp-pgs", 1);
    const ts_model* model = b.scene.model;
    double angle = 20.0 * acos(-1.0) / 180.0;
    double a = gravity * (sin(angle) - 0.2 * cos(angle));
    const ts_joint* slide = &model->joint[model->body[ts_model_find_body(model, "sliding")].joint_first];
    const ts_joint* stick = &model->joint[model->body[ts_model_find_body(model, "sticking")].joint_first];
    double x0 = b.sim->qpos[stick->qpos_first];
    for (int k = 1; k <= 500; ++k) {
        step_once(&b);
        const double* v = b.sim->qvel + slide->dof_first;
        double down = v[0] * cos(angle) - v[2] * sin(angle);
        cr_assert_float_eq(down, k * h * a, 1e-7 + 1e-6 * k * h * a, "step %d", k);
    }
    cr_expect_leq(fabs(b.sim->qpos[stick->qpos_first] - x0), 1e-9);
    free_bed(&b);
}

Test(stack, ten_boxes_stand) {
    bed b = make_bed("stack-10", NULL, 1);
    ts_status status;
    cr_assert_eq(ts_run_scene(&b.scene, b.sim, 1.0, NULL, NULL, &status), TS_OK);
    const ts_joint* top = &b.scene.model->joint[b.scene.model->joint_count - 1];
    const double* q = b.sim->qpos + top->qpos_first;
    cr_expect_float_eq(q[2], 1.9, 1e-4, "%.9f", q[2]);
    cr_expect_leq(hypot(q[0], q[1]), 1e-5);
    // The floor carries ten weights.
    double sum = 0.0;
    for (int c = 0; c < b.sim->contact_count; ++c)
        if (b.sim->contact[c].body_a == 0) sum += b.sim->contact[c].impulse.z;
    cr_expect_float_eq(sum / (10.0 * gravity * b.sim->options.time_step), 1.0, 1e-3);
    free_bed(&b);
}

// Last step's answer is a start that alternating directions can use, with last step's penalty: they converge in every step, in
// two iterations on average, where a penalty made afresh takes ncp-admm more than three and a cold start fifteen.
Test(stack, alternating_directions_profit_from_warm_starts) {
    static const char* const name[] = {"ncp-admm", "ccp-admm"};
    for (int i = 0; i < 2; ++i) {
        bed b = make_bed("stack-10", name[i], 1);
        int iterations = 0;
        for (int k = 0; k < 300; ++k) {
            step_once(&b);
            cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s, step %d: %s at %g", name[i], k,
                         ts_solve_status_name(b.sim->info.solve.status), b.sim->info.unmet);
            if (k >= 50) iterations += b.sim->info.solve.iterations;
        }
        cr_expect_lt(iterations, 2 * 250, "%s: %d iterations", name[i], iterations);
        free_bed(&b);
    }
}

// The same yardstick for a spring: under MuJoCo's law a cube of 1 kg crushes one of 1 g, obeys its own law to the tolerance,
// and is far from the exact one. Against rigid contact nobody is excused.
Test(unequal_cubes, a_soft_law_is_judged_twice) {
    static const char* const name[] = {"mujoco", "sap"};
    for (int i = 0; i < 2; ++i) {
        bed b = make_bed("unequal-cubes", name[i], 1);
        double worst = 0.0, approach = 0.0;
        for (int k = 0; k < 100; ++k) {
            step_once(&b);
            cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s, step %d", name[i], k);
            cr_expect_leq(b.sim->info.unmet, 1e-8);
            worst = fmax(worst, b.sim->info.residual.natural);
            approach = fmax(approach, ts_figure_of(&b.sim->info.residual, TS_FIGURE_APPROACH, h));
        }
        cr_expect_gt(worst, 1e-3, "%s: %g", name[i], worst);
        cr_expect_gt(approach, 1e-3, "%s approaches at %g m/s", name[i], approach);
        cr_expect_gt(b.sim->info.worst_penetration, 1e-3, "%s sinks %g m", name[i], b.sim->info.worst_penetration);
        free_bed(&b);
    }
}

// While the dragged cube sticks, up to 0.225 s, its forces are not unique; the least of them pull nowhere against each other, and
// none of them sideways, even when the rear feet are on their cones (from 0.117 s on).
Test(dragged_cube, carries_no_internal_friction_while_it_sticks) {
    static const char* const name[] = {"ncp", "ncp-newton", "ncp-admm", "ccp-admm", "ncp-staggered"};
    for (int i = 0; i < 5; ++i) {
        bed b = make_bed("dragged-cube", name[i], 1);
        double against = 0.0, sideways = 0.0;
        for (int k = 0; k < 224; ++k) {
            double apart = 0.0, across = 0.0, together[2] = {0.0, 0.0};
            step_once(&b);
            for (int c = 0; c < b.sim->contact_count; ++c) {
                const ts_contact* contact = &b.sim->contact[c];
                ts_vec3 force = ts_mat3_mul_vec(&contact->frame, contact->impulse);
                apart += hypot(force.x, force.y);
                across += fabs(force.x);
                together[0] += force.x;
                together[1] += force.y;
            }
            against = fmax(against, (apart - hypot(together[0], together[1])) / b.sim->options.time_step);
            sideways = fmax(sideways, across / b.sim->options.time_step);
        }
        cr_expect_leq(against, 1e-6, "%s: %g N", name[i], against);
        cr_expect_leq(sideways, 1e-6, "%s: %g N sideways", name[i], sideways);
        free_bed(&b);
    }
}

// Pivots among eight feet of unequal cubes, which carry each other in many ways, are led astray by rounding; with care every
// step is solved, and to rounding.
Test(unequal_cubes, pivoting_takes_care) {
    bed b = make_bed("unequal-cubes", "lcp-lemke", 1);
    for (int k = 0; k < 100; ++k) {
        step_once(&b);
        cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "step %d: %g", k, b.sim->info.unmet);
    }
    free_bed(&b);
}

// Gauss-Seidel cannot hold 1 kg on 1 g within 100 sweeps: it must say so, in status and residual, and the cube sinks.
Test(unequal_cubes, a_failing_solver_says_that_it_fails) {
    for (int s = 0; s < ts_solver_count(); ++s) {
        bed b = make_bed("unequal-cubes", ts_solver_at(s)->name, 1);
        ts_sim_set(b.sim, "warm_start", "0", NULL);
        int honest = 1;
        for (int k = 0; k < 50; ++k) {
            step_once(&b);
            honest = honest && (b.sim->info.solve.status == TS_SOLVE_CONVERGED) == (b.sim->info.unmet <= 1e-8);
        }
        cr_expect(honest, "%s", ts_solver_at(s)->name);
        free_bed(&b);
    }
    // After 100 cold sweeps the share (m2 / (m1 + m2))^100 = 0.905 of the weight is missing: the heavy cube falls
    // nearly freely, so the residual is of the order of g, and calling that converged would be a lie.
    bed b = make_bed("unequal-cubes", "ncp-pgs", 1);
    ts_sim_set(b.sim, "warm_start", "0", NULL);
    step_once(&b);
    cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_ITERATION_LIMIT);
    cr_expect_gt(ts_law_residual_in_force_units(b.sim->info.own, h), 1.0);
    free_bed(&b);
}

// A tonne on a gram: the recommended solver holds it in every step, in under 20 linear systems, and so do staggered
// projections with a factor; whoever goes from contact to contact lets it fall, and says so.
Test(tonne_on_gram, is_held_or_admitted) {
    static const char* const holds[] = {"ncp", "ncp-staggered"};
    bed b;
    int height = 0;
    for (int i = 0; i < 2; ++i) {
        b = make_bed("tonne-on-gram", holds[i], 1);
        for (int k = 0; k < 50; ++k) {
            step_once(&b);
            cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s, step %d", holds[i], k);
            cr_expect_lt(b.sim->info.solve.iterations, 20, "%s, step %d: %d", holds[i], k,
                         b.sim->info.solve.iterations);
            cr_expect_leq(b.sim->info.residual.natural, 1e-8, "%s, step %d: %g", holds[i], k,
                          b.sim->info.residual.natural);
        }
        // The heavy cube has not moved.
        height = b.scene.model->joint[b.scene.model->joint_count - 1].qpos_first + 2;
        cr_expect_float_eq(b.sim->qpos[height], 0.312, 1e-7);
        free_bed(&b);
    }
    static const char* const by_contact[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs", "raisim", "raisim-corrected"};
    for (size_t i = 0; i < sizeof by_contact / sizeof by_contact[0]; ++i) {
        b = make_bed("tonne-on-gram", by_contact[i], 1);
        step_once(&b);
        cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_ITERATION_LIMIT, "%s", by_contact[i]);
        for (int k = 1; k < 50; ++k) step_once(&b);
        cr_expect_lt(b.sim->qpos[height], 0.311, "%s holds it after all", by_contact[i]);
        free_bed(&b);
    }
}

Test(double_pendulum, energy_error_is_of_first_order_in_the_step) {
    double drift[2];
    for (int i = 0; i < 2; ++i) {
        bed b = make_bed("double-pendulum", NULL, 1);
        b.sim->options.time_step = i ? 0.25e-3 : 0.5e-3;
        ts_energy start = ts_sim_energy(b.sim);
        ts_status status;
        cr_assert_eq(ts_run_scene(&b.scene, b.sim, 1.0, NULL, NULL, &status), TS_OK);
        ts_energy end = ts_sim_energy(b.sim);
        drift[i] = end.kinetic + end.potential - start.kinetic - start.potential;
        cr_expect_gt(end.kinetic, 0.1, "it moves");
        free_bed(&b);
    }
    cr_expect_float_eq(drift[0] / drift[1], 2.0, 0.2, "%g %g", drift[0], drift[1]);
}

Test(pile, same_bits_for_any_number_of_workers) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_pile_build(TS_PILE_MIXED, 150, 7, &model, &status), TS_OK, "%s", status.message);
    uint64_t expected = 0;
    for (int workers = 1; workers <= 4; workers *= 2) {
        ts_sim* sim = NULL;
        cr_assert_eq(ts_sim_create(model, workers, &sim, &status), TS_OK);
        for (int k = 0; k < 120; ++k) cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
        cr_expect_gt(sim->contact_count, 50, "they must have met something");
        uint64_t hash = ts_sim_hash(sim);
        if (workers == 1) expected = hash;
        cr_expect_eq(hash, expected, "%d workers: %016llx, one: %016llx", workers, (unsigned long long)hash,
                     (unsigned long long)expected);
        ts_sim_free(sim);
    }
    ts_model_free(model);
}

Test(pile, stays_in_its_container) {
    ts_model* model = NULL;
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_pile_build(TS_PILE_MIXED, 200, 3, &model, &status), TS_OK);
    cr_assert_eq(ts_sim_create(model, 2, &sim, &status), TS_OK);
    for (int k = 0; k < 300; ++k) cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
    for (int j = 0; j < model->joint_count; ++j) {
        const double* q = sim->qpos + model->joint[j].qpos_first;
        cr_expect(fabs(q[0]) < 1.5 && fabs(q[1]) < 1.5 && q[2] > 0.05, "body %d at %g %g %g", j, q[0], q[1], q[2]);
    }
    cr_expect_lt(sim->info.worst_penetration, 0.01);
    ts_sim_free(sim);
    ts_model_free(model);
}
