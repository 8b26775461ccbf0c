// Controllers drive their robots: what was commanded comes out, on any ground, and a run that is taken up again repeats itself.
#include "engine/step/step.h"
#include "scenes/controllers/controller.h"
#include "scenes/run.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bed {
    ts_loaded_scene scene;
    ts_sim* sim;
} bed;

static bed make_bed(const char* name) {
    bed b = {0};
    ts_status status;
    cr_assert_eq(ts_scene_load(name, NULL, &b.scene, &status), TS_OK, "%s: %s", name, status.message);
    cr_assert_eq(ts_sim_create(b.scene.model, 1, &b.sim, &status), TS_OK, "%s: %s", name, status.message);
    return b;
}

static void free_bed(bed* b) {
    ts_sim_free(b->sim);
    ts_loaded_scene_free(&b->scene);
}

static void set(bed* b, const char* name, double value) {
    ts_status status;
    cr_assert_eq(ts_controller_set(&b->scene.control, name, value, &status), TS_OK, "%s", status.message);
}

static void run(bed* b, double seconds, ts_run_observer observer, void* user) {
    ts_status status;
    cr_assert_eq(ts_run_scene(&b->scene, b->sim, seconds, observer, user, &status), TS_OK, "%s: %s", b->scene.name,
                 status.message);
}

// How far the body of a robot leans at worst: the cosine to the vertical.
static int note_lean(void* user, ts_sim* sim) {
    double* least = (double*)user;
    ts_vec3 up = ts_quat_rotate(ts_quat_load(sim->qpos + 3), ts_vec3_axis(2));
    *least = fmin(*least, up.z);
    return 0;
}

typedef struct ground {
    char scene[32];
    double speed, sideways, turning;
} ground;

ParameterizedTestParameters(trot, keeps_its_velocity_for_half_a_minute) {
    static ground grounds[] = {{"quadruped", 0.3, 0.0, 0.0},           {"quadruped-slippery", 0.3, 0.0, 0.0},
                               {"quadruped-bumpy", 0.3, 0.0, 0.0},     {"quadruped", 0.0, 0.2, 0.0},
                               {"quadruped-slippery", -0.3, 0.0, 0.0}, {"quadruped", 0.2, 0.0, 0.4}};
    return cr_make_param_array(ground, grounds, sizeof grounds / sizeof grounds[0]);
}

// What is commanded grows from zero for a second, so that half a second of it is missing at the end.
ParameterizedTest(ground* g, trot, keeps_its_velocity_for_half_a_minute, .timeout = 300) {
    bed b = make_bed(g->scene);
    double least = 1.0, seconds = 30.0, share = 0.2;
    set(&b, "speed", g->speed);
    set(&b, "sideways", g->sideways);
    set(&b, "turning", g->turning);
    run(&b, seconds, note_lean, &least);
    // 25 degrees.
    cr_expect_gt(least, 0.9, "%s leans", g->scene);
    const double* q = b.sim->qpos;
    double asked = seconds - 0.5, speed = hypot(g->speed, g->sideways);
    if (g->turning == 0.0) {
        cr_expect_lt(hypot(q[0] - g->speed * asked, q[1] - g->sideways * asked), share * speed * asked,
                     "%s: at (%g, %g)", g->scene, q[0], q[1]);
    } else {
        // Along a circle the speed is what remains constant; the heading is held.
        double yaw = 2.0 * atan2(q[6], q[3]), v = hypot(b.sim->qvel[0], b.sim->qvel[1]);
        cr_expect_lt(fabs(remainder(yaw - g->turning * asked, 6.283185307179586)), 0.1, "%g", yaw);
        cr_expect_lt(fabs(v - speed), share * speed, "%g", v);
    }
    free_bed(&b);
}

Test(controllers, runs_taken_up_again_repeat_themselves) {
    static const char* const names[] = {"quadruped-bumpy", "dragged-cube"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        bed a = make_bed(names[i]), b = make_bed(names[i]);
        ts_status status;
        ts_snapshot half = {0};
        run(&a, 0.333, NULL, NULL);
        cr_assert_eq(ts_sim_snapshot(a.sim, &half, &status), TS_OK);
        run(&a, 0.2, NULL, NULL);
        cr_assert_eq(ts_sim_restore(b.sim, &half, &status), TS_OK);
        run(&b, 0.2, NULL, NULL);
        cr_expect_eq(ts_sim_hash(a.sim), ts_sim_hash(b.sim), "%s", names[i]);
        ts_snapshot_free(&half);
        free_bed(&a);
        free_bed(&b);
    }
}

// A callback of the simulation does what the loop of scenes does.
Test(controllers, follow_a_simulation_by_themselves) {
    bed a = make_bed("quadruped"), b = make_bed("quadruped");
    ts_status status;
    ts_controller_follow(&b.scene.control, b.sim);
    run(&a, 0.2, NULL, NULL);
    for (int i = 0; i < 100; ++i) cr_assert_eq(ts_sim_step(b.sim, &status), TS_OK);
    cr_expect_eq(ts_sim_hash(a.sim), ts_sim_hash(b.sim));
    free_bed(&a);
    free_bed(&b);
}

Test(controllers, refuse_what_they_cannot_drive) {
    bed b = make_bed("stack-10");
    ts_controller_choice choice;
    ts_status status;
    for (int i = 0; i < ts_controller_count(); ++i) {
        const ts_controller* controller = ts_controller_at(i);
        cr_expect_eq(ts_controller_find(controller->name), controller);
        cr_expect_leq(controller->setting_count, TS_CONTROLLER_SETTINGS);
        cr_expect_eq(ts_controller_choose(controller->name, b.scene.model, &choice, &status), TS_ERROR_UNSUPPORTED);
        cr_expect_not_null(strstr(status.message, controller->name), "%s", status.message);
        cr_expect_null(choice.controller);
    }
    cr_expect_eq(ts_controller_choose("gallop", b.scene.model, &choice, &status), TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, "trot"), "%s", status.message);
    cr_expect_eq(ts_controller_choose("none", b.scene.model, &choice, &status), TS_OK);
    cr_expect_eq(ts_controller_set(&choice, "speed", 0.1, &status), TS_ERROR_VALUE);
    free_bed(&b);
    b = make_bed("quadruped");
    cr_expect_eq(ts_controller_set(&b.scene.control, "speed", 100.0, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_controller_set(&b.scene.control, "sped", 0.1, &status), TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, "speed"), "%s", status.message);
    free_bed(&b);
}

// The angle that a ball has turned about the vertical, added up step by step so that whole turns count.
static int note_turn(void* user, ts_sim* sim) {
    double* turned = (double*)user;  // all of it, and the angle of the last step
    double angle = 2.0 * atan2(sim->qpos[6], sim->qpos[3]);
    turned[0] += remainder(angle - turned[1], 6.283185307179586);
    turned[1] = angle;
    return 0;
}

// A finger sweeps 0.7 rad about an axis that is 45 mm from where its tip touches a ball of 40 mm: 0.79 rad a sweep, two sweeps
// a period.
Test(turn, a_ball_turns_in_the_hand_and_stays_there, .timeout = 300) {
    for (int way = -1; way <= 1; way += 2) {
        bed b = make_bed("hand");
        double turned[2] = {0.0, 0.0}, seconds = 6.0;
        set(&b, "sweep", 0.35 * way);
        run(&b, seconds, note_turn, turned);
        int ball = ts_model_find_body(b.scene.model, "ball");
        ts_vec3 at = b.sim->kinematics.body_pose[ball].p;
        cr_expect_lt(hypot(at.x, at.y), 5e-3);
        cr_expect_lt(fabs(at.z - 0.06), 2e-3);
        // The first period grows into it.
        double most = 2.0 * 0.7 * 45.0 / 40.0 * seconds;
        cr_expect_lt(-way * turned[0], most, "%g", turned[0]);
        cr_expect_gt(-way * turned[0], 0.8 * most, "%g", turned[0]);
        free_bed(&b);
    }
}

// Along its path the arm's tip, a ball of 30 mm, goes from 0.25 m to 0.6 m; the box of 120 mm ends up in front of it.
Test(path, an_arm_pushes_a_box, .timeout = 300) {
    bed b = make_bed("arm-push");
    run(&b, 3.0, NULL, NULL);
    ts_vec3 at = b.sim->kinematics.body_pose[ts_model_find_body(b.scene.model, "box")].p;
    cr_expect_float_eq(at.x, 0.6 + 0.03 + 0.06, 5e-3, "%g", at.x);
    cr_expect_float_eq(at.y, 0.0, 1e-3);
    cr_expect_float_eq(at.z, 0.06, 1e-4);
    free_bed(&b);
}
