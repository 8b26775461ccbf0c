// What stands still stands still: robots under servos, balls in hands, closed loops, for a minute, under the exact law.
//
// Slopes are level ground under leaning gravity. Robots of people's files are looked for in the folder that TOUCHSTONE_DATA names; where
// they are not, their tests are skipped.
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"
#include "scenes/controllers/controller.h"
#include "scenes/scene_table.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Unoptimised builds, which are those with sanitizers, are twenty times slower; they see the first
// dozen seconds, in which all of them come to rest.
#ifdef NDEBUG
static const double seconds = 60.0;
#else
static const double seconds = 12.0;
#endif

static const double most_creep = 1e-6;  // m, in the last half
static const double most_gap = 1e-8;    // m, of a loop
static const double radian = 3.141592653589793 / 180.0;

typedef struct bed {
    ts_loaded_scene scene;
    ts_sim* sim;
    char* stands;    // (geom_count) touches what cannot move
    ts_vec3* place;  // (geom_count) where
} bed;

// On a loaded scene.
static void make_bed(bed* b, const char* controller, double degrees) {
    ts_status status;
    const ts_model* model = b->scene.model;
    const char* scene = b->scene.name;
    if (controller)
        cr_assert_eq(ts_controller_choose(controller, model, &b->scene.control, &status), TS_OK, "%s: %s", scene,
                     status.message);
    cr_assert_eq(ts_sim_create(model, 1, &b->sim, &status), TS_OK, "%s: %s", scene, status.message);
    cr_assert_eq(ts_sim_set_solver(b->sim, "ncp", &status), TS_OK);
    double g = 9.81, a = degrees * radian;
    b->sim->options.gravity = ts_vec3_make(g * sin(a), 0.0, -g * cos(a));
    b->stands = (char*)calloc((size_t)model->geom_count, 1);
    b->place = (ts_vec3*)calloc((size_t)model->geom_count, sizeof *b->place);
}

static void open_bed(bed* b, const char* scene, const char* controller, double degrees) {
    ts_status status;
    memset(b, 0, sizeof *b);
    cr_assert_eq(ts_scene_load(scene, NULL, &b->scene, &status), TS_OK, "%s: %s", scene, status.message);
    make_bed(b, controller, degrees);
}

static void close_bed(bed* b) {
    free(b->stands);
    free(b->place);
    ts_sim_free(b->sim);
    ts_loaded_scene_free(&b->scene);
}

static void step(bed* b) {
    ts_status status;
    ts_controller_act(&b->scene.control, b->sim);
    cr_assert_eq(ts_sim_step(b->sim, &status), TS_OK, "%s: %s", b->scene.name, status.message);
}

// Which geoms touch the ground, and where they are.
static int note_feet(bed* b) {
    const ts_model* model = b->scene.model;
    int feet = 0;
    for (int i = 0; i < b->sim->contact_count; ++i) {
        const ts_contact* c = &b->sim->contact[i];
        int weld_a = model->body[model->geom[c->geom_a].body].weld,
            weld_b = model->body[model->geom[c->geom_b].body].weld;
        if (weld_a == 0) b->stands[c->geom_b] = 1;
        if (weld_b == 0) b->stands[c->geom_a] = 1;
    }
    for (int g = 0; g < model->geom_count; ++g) {
        b->place[g] = ts_kinematics_geom(&b->sim->kinematics, g)->p;
        feet += b->stands[g];
    }
    return feet;
}

static double creep(const bed* b) {
    double most = 0.0;
    for (int g = 0; g < b->scene.model->geom_count; ++g)
        if (b->stands[g])
            most = fmax(most, ts_vec3_distance(b->place[g], ts_kinematics_geom(&b->sim->kinematics, g)->p));
    return most;
}

// Runs to the end; the most that a foot, and that `watched`, moved in the last half.
static double stand(bed* b, int watched, double* out_watched) {
    int steps = (int)(seconds / b->sim->options.time_step), feet = 0;
    double most = 0.0;
    ts_vec3 first = ts_vec3_zero();
    *out_watched = 0.0;
    for (int i = 0; i < steps; ++i) {
        step(b);
        if (i == steps / 2) {
            feet = note_feet(b);
            first = watched >= 0 ? b->sim->kinematics.body_pose[watched].p : first;
        }
        if (i <= steps / 2) continue;
        most = fmax(most, creep(b));
        if (watched >= 0)
            *out_watched = fmax(*out_watched, ts_vec3_distance(first, b->sim->kinematics.body_pose[watched].p));
    }
    cr_expect_gt(feet, 0, "%s: nothing touches the ground", b->scene.name);
    return most;
}

static double height(const bed* b) { return b->sim->qpos[2]; }

// --- our own ---

typedef struct own {
    char scene[24];
    double degrees;
} own;

ParameterizedTestParameters(standing, our_robots_stand_still) {
    static own robots[] = {{"quadruped", 0.0}, {"quadruped", 10.0}, {"biped", 0.0}, {"biped", 10.0}};
    return cr_make_param_array(own, robots, sizeof robots / sizeof robots[0]);
}

ParameterizedTest(own* robot, standing, our_robots_stand_still, .timeout = 300) {
    bed b;
    double unused;
    open_bed(&b, robot->scene, "hold", robot->degrees);
    double high = height(&b);
    cr_expect_lt(stand(&b, -1, &unused), most_creep, "%s at %g degrees", robot->scene, robot->degrees);
    cr_expect_gt(height(&b), 0.9 * high, "%s at %g degrees fell", robot->scene, robot->degrees);
    close_bed(&b);
}

Test(standing, our_hand_holds_its_ball_still, .timeout = 300) {
    bed b;
    double ball;
    open_bed(&b, "hand", "hold", 0.0);
    stand(&b, ts_model_find_body(b.scene.model, "ball"), &ball);
    cr_expect_lt(ball, most_creep);
    close_bed(&b);
}

// What rests has the same answer from step to step: what little an answer misses moves bodies by so little that it holds for hundreds of steps, and what
// has grown out of it is put right in three.
Test(standing, a_stack_at_rest_is_seldom_solved) {
    enum { SETTLE = 60, WATCHED = 600, MOST = 30 };
    static const double time_step[] = {1e-3, 1.0 / 60.0};
    for (int i = 0; i < 2; ++i) {
        bed b;
        int solved = 0;
        open_bed(&b, "stack-10", NULL, 0.0);
        b.sim->options.time_step = time_step[i];
        for (int k = 0; k < SETTLE; ++k) step(&b);
        for (int k = 0; k < WATCHED; ++k) {
            step(&b);
            solved += b.sim->info.solve.iterations > 0;
            cr_assert_leq(b.sim->info.residual.natural, 1e-8);
        }
        cr_expect_leq(solved, MOST, "%d of %d steps of %g s", solved, WATCHED, time_step[i]);
        close_bed(&b);
    }
}

// What rests keeps its contacts, hard ones and soft ones; asked anew in every step it stands in the same place. Soft ones sink for 600 steps first.
static void check_kept(const char* solver, int settle) {
    bed kept, anew;
    int pairs = 0;
    double farthest = 0.0;
    open_bed(&kept, "stack-10", NULL, 0.0);
    open_bed(&anew, "stack-10", NULL, 0.0);
    cr_assert_eq(ts_sim_set_solver(kept.sim, solver, NULL), TS_OK);
    cr_assert_eq(ts_sim_set_solver(anew.sim, solver, NULL), TS_OK);
    anew.sim->options.keep_contacts = 0.0;
    for (int k = 0; k < 1000; ++k) {
        step(&kept);
        step(&anew);
        pairs += kept.sim->info.kept_pairs;
        cr_assert_eq(anew.sim->info.kept_pairs, 0);
        // At first soft ones are there or not by a rounding.
        if (k >= settle) cr_assert_eq(kept.sim->contact_count, anew.sim->contact_count, "%s, step %d", solver, k);
    }
    // Nine of the ten pairs are of boxes; the last lies on a plane.
    cr_expect_geq(pairs, 9 * (900 - settle), "%s: %d", solver, pairs);
    for (int i = 0; i < kept.scene.model->nq; ++i)
        farthest = fmax(farthest, fabs(kept.sim->qpos[i] - anew.sim->qpos[i]));
    cr_expect_leq(farthest, 1e-9, "%s: %g m", solver, farthest);
    close_bed(&kept);
    close_bed(&anew);
}

Test(standing, kept_contacts_hold_as_well_as_new_ones) {
    check_kept("ncp", 0);
    check_kept("mujoco", 600);
}

// --- loops ---

static double loop_gap(const ts_sim* sim) {
    const ts_model* model = sim->model;
    double most = 0.0;
    for (int e = 0; e < model->equality_count; ++e) {
        const ts_equality* equality = &model->equality[e];
        if (!equality->active || equality->body[0] < 0 || equality->body[1] < 0) continue;
        ts_vec3 at[2];
        for (int k = 0; k < 2; ++k)
            at[k] = ts_transform_point(&sim->kinematics.body_pose[equality->body[k]], equality->frame[k].position);
        most = fmax(most, ts_vec3_distance(at[0], at[1]));
    }
    return most;
}

// The widest gap from `begin` (s) on.
static double widest_gap(bed* b, double begin) {
    double most = 0.0;
    cr_assert_gt(b->scene.model->equality_count, 0);
    for (int i = 0; (double)i * b->sim->options.time_step < seconds; ++i) {
        step(b);
        if (b->sim->time > begin) most = fmax(most, loop_gap(b->sim));
    }
    return most;
}

Test(loops, a_crank_goes_round_and_stays_closed, .timeout = 300) {
    bed b;
    open_bed(&b, "four-bar", NULL, 0.0);
    cr_expect_lt(widest_gap(&b, 0.0), most_gap);
    // Half a turn a second, less what the servo yields.
    cr_expect_gt(fabs(b.sim->qpos[0]), 0.7 * 3.14 * seconds);
    close_bed(&b);
}

Test(loops, a_gripper_that_opens_and_closes_stays_closed, .timeout = 300) {
    bed b;
    ts_status status;
    open_bed(&b, "gripper", "path", 0.0);
    cr_assert_eq(ts_controller_set(&b.scene.control, "repeat", 1.0, &status), TS_OK);
    cr_expect_lt(widest_gap(&b, 0.0), most_gap);
    close_bed(&b);
}

// --- robots of people's files ---

static void find_robot(const char* file, size_t size, char* out_path) {
    const char* data = getenv("TOUCHSTONE_DATA");
    struct stat info;
    snprintf(out_path, size, "%s/robots/%s", data ? data : "", file);
    if (!data || stat(out_path, &info) != 0) cr_skip_test("TOUCHSTONE_DATA names no folder with this robot");
}

static void open_robot(bed* b, const char* file, const char* controller, double degrees) {
    char path[1024];
    find_robot(file, sizeof path, path);
    open_bed(b, path, controller, degrees);
}

typedef struct robot {
    char file[48];
    char controller[8];
    char ankle[2][24];  // pitch joints
    double degrees;
} robot;

// A humanoid's feet are shorter than what its weight moves by on a slope: it stands upright there, ankles bent by the slope, and
// turned about where its ankles are.
static void lean(bed* b, const robot* r) {
    const ts_model* model = b->scene.model;
    const ts_keyframe* key = &model->keyframe[0];
    const double ankle_height = 0.1;
    double a = r->degrees * radian;
    ts_status status;
    for (int k = 0; k < 2; ++k) {
        int joint = ts_model_find_joint(model, r->ankle[k]);
        cr_assert_geq(joint, 0);
        key->qpos[model->joint[joint].qpos_first] += a;
        for (int i = 0; i < model->actuator_count; ++i)
            if (model->actuator[i].target == joint) key->ctrl[i] += a;
    }
    double up = key->qpos[2] - ankle_height;
    const double turned[7] = {
        key->qpos[0] - sin(a) * up, key->qpos[1], ankle_height + cos(a) * up, cos(0.5 * a), 0.0, -sin(0.5 * a), 0.0};
    memcpy(key->qpos, turned, sizeof turned);
    cr_assert_eq(ts_sim_start_from(b->sim, key->name, &status), TS_OK);
    cr_assert_eq(ts_sim_set_keyframe(b->sim, 0, &status), TS_OK);
}

ParameterizedTestParameters(standing, robots_stand_still) {
    // H1 and Go2 have torque motors, ANYmal has no keyframe: servos by the controller, whose gains are in its file.
    static robot robots[] = {{"unitree_go2/scene.xml", "servo", {"", ""}, 0.0},
                             {"unitree_go2/scene.xml", "servo", {"", ""}, 10.0},
                             {"anybotics_anymal_c/scene.xml", "servo", {"", ""}, 0.0},
                             {"anybotics_anymal_c/scene.xml", "servo", {"", ""}, 10.0},
                             {"unitree_h1/scene.xml", "servo", {"left_ankle", "right_ankle"}, 0.0},
                             {"unitree_h1/scene.xml", "servo", {"left_ankle", "right_ankle"}, 10.0},
                             {"pal_talos/scene_position.xml", "hold", {"leg_left_5_joint", "leg_right_5_joint"}, 0.0},
                             {"pal_talos/scene_position.xml", "hold", {"leg_left_5_joint", "leg_right_5_joint"}, 10.0}};
    return cr_make_param_array(robot, robots, sizeof robots / sizeof robots[0]);
}

ParameterizedTest(robot* r, standing, robots_stand_still, .timeout = 300) {
    bed b;
    double unused;
    open_robot(&b, r->file, r->controller, r->degrees);
    if (r->ankle[0][0]) lean(&b, r);
    double high = height(&b);
    cr_expect_lt(stand(&b, -1, &unused), most_creep, "%s at %g degrees", r->file, r->degrees);
    cr_expect_gt(height(&b), 0.85 * high, "%s at %g degrees fell", r->file, r->degrees);
    close_bed(&b);
}

// A ball of 0.1 kg in the hand's fingers, which its own servos close.
static const char allegro_with_ball[] =
    "<mujoco><include file='right_hand.xml'/><worldbody><body name='ball' pos='0 -0.02 0.06'><freejoint/>"
    "<geom type='sphere' size='0.035' mass='0.1' friction='0.8' priority='1'/></body></worldbody>"
    "<keyframe><key name='home' qpos='0 .8 .8 .8 0 .8 .8 .8 0 .8 .8 .8 1.2 .4 .5 .5 0 -0.02 0.06 1 0 0 0' "
    "ctrl='0 1.2 1.2 1.2 0 1.2 1.2 1.2 0 1.2 1.2 1.2 1.3 .5 .8 .8'/></keyframe></mujoco>";

Test(standing, allegro_holds_a_ball_still, .timeout = 300) {
    bed b = {0};
    char folder[1024];
    double ball;
    ts_status status;
    find_robot("wonik_allegro", sizeof folder, folder);
    cr_assert_eq(
        ts_mjcf_parse(allegro_with_ball, sizeof allegro_with_ball - 1, "ball", folder, NULL, &b.scene.model, &status),
        TS_OK, "%s", status.message);
    make_bed(&b, "hold", 0.0);
    int body = ts_model_find_body(b.scene.model, "ball");
    stand(&b, body, &ball);
    cr_expect_lt(ball, most_creep);
    cr_expect_gt(b.sim->kinematics.body_pose[body].p.z, 0.03, "it fell");
    close_bed(&b);
}

// Cassie's file describes it with loops open by 2 mm and folds when nothing drives it; once it lies, they are closed.
Test(loops, cassie_stays_closed, .timeout = 300) {
    bed b;
    open_robot(&b, "agility_cassie/scene.xml", NULL, 0.0);
    cr_expect_lt(widest_gap(&b, 0.5 * seconds), most_gap);
    close_bed(&b);
}
