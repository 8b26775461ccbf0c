// Bodies that are moved from outside: they carry, push and pull what moves, rest against nothing that does not, and are part of the
// state.
#include "tests/engine/engine_fixture.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

static ts_sim* make(const char* contents, ts_model** out_model) {
    char text[2000];
    snprintf(text, sizeof text, "<mujoco>%s</mujoco>", contents);
    *out_model = mjcf_read(text);
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_sim_create(*out_model, 1, &sim, &status), TS_OK, "%s", status.message);
    return sim;
}

static void run(ts_sim* sim, int steps, ts_vec3 velocity) {
    ts_status status;
    for (int i = 0; i < steps; ++i) {
        ts_vec3 at = ts_vec3_add_scaled(ts_vec3_load(sim->mocap), sim->options.time_step, velocity);
        ts_vec3_store(at, sim->mocap);
        cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
    }
}

static void finish(ts_sim* sim, ts_model* model) {
    ts_sim_free(sim);
    ts_model_free(model);
}

// A tray with a rim that stands on the floor, a ball in it, and what hangs on it: a geom of a child and a pendulum.
static const char tray[] =
    "<worldbody><geom name='floor' type='plane' size='5 5 1'/><body name='tray' mocap='true' pos='0 0 0.05'>"
    "<geom name='plate' type='box' size='.5 .5 .05'/><body pos='.4 0 .1'><geom name='rim' type='box' size='.05 .5 "
    ".1'/></body>"
    "<body name='arm' pos='0 0 1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' "
    "contype='0' conaffinity='0'/></body></body>"
    "<body name='ball' pos='0 0 .2'><freejoint/><geom name='ball' size='.1'/></body></worldbody>";

Test(mocap, it_lifts_and_pushes_and_does_not_mind_the_floor) {
    ts_model* model;
    ts_sim* sim = make(tray, &model);
    cr_assert_eq(model->mocap_count, 1);
    cr_assert_not(
        ts_model_geoms_can_touch(model, ts_model_find_geom(model, "floor"), ts_model_find_geom(model, "plate")));
    run(sim, 500, ts_vec3_make(0.0, 0.0, 0.2));
    int ball = ts_model_find_body(model, "ball"), arm = ts_model_find_body(model, "arm");
    // It lags by what is pushed out at a tenth per step: ten steps of 0.4 mm.
    cr_assert_float_eq(sim->kinematics.body_pose[ball].p.z, 0.2 + 0.2 - 0.004, 1e-4, "it rides up");
    cr_assert_float_eq(sim->kinematics.body_pose[arm].p.z, 1.05 + 0.2, 1e-12, "what hangs on it moves with it");
    // The rim comes from the right and takes the ball along.
    run(sim, 2000, ts_vec3_make(-0.2, 0.0, 0.0));
    cr_assert_lt(sim->kinematics.body_pose[ball].p.x, -0.3);
    for (int i = 0; i < sim->contact_count; ++i) {
        int a = sim->contact[i].body_a, b = sim->contact[i].body_b;
        cr_assert(model->body[a].tree >= 0 || model->body[b].tree >= 0);
    }
    finish(sim, model);
}

Test(mocap, a_weld_to_it_pulls) {
    ts_model* model;
    ts_sim* sim =
        make("<worldbody><body name='hand' mocap='true' pos='0 0 1'/><body name='thing' pos='0 0 1'><freejoint/>"
             "<geom type='box' size='.1 .1 .1'/></body></worldbody><equality><weld body1='hand' body2='thing'/>"
             "</equality>",
             &model);
    ts_quat turn = ts_quat_from_axis_angle(ts_vec3_axis(2), 0.5);
    run(sim, 500, ts_vec3_make(0.3, 0.0, 0.0));
    ts_quat_store(turn, sim->mocap + 3);
    run(sim, 1000, ts_vec3_zero());
    cr_assert_lt(ts_vec3_distance(ts_vec3_load(sim->qpos), ts_vec3_make(0.3, 0.0, 1.0)), 1e-6);
    ts_quat got = ts_quat_load(sim->qpos + 3);
    cr_assert_float_eq(fabs(got.w * turn.w + got.z * turn.z), 1.0, 1e-9);
    finish(sim, model);
}

Test(mocap, where_it_is_belongs_to_the_state) {
    ts_model* model;
    ts_sim* sim =
        make("<worldbody><body mocap='true' pos='0 0 1'><geom size='.1'/></body><body pos='0 0 1.21'><freejoint/>"
             "<geom size='.1'/></body></worldbody><keyframe><key name='k' mpos='0 0 2' mquat='0 0 0 2'/><key "
             "name='l'/></keyframe>",
             &model);
    cr_assert_eq(sim->mocap[2], 1.0);
    cr_assert_eq(model->keyframe[1].mocap_position[2], 1.0);
    ts_status status;
    cr_assert_eq(ts_sim_set_keyframe(sim, 0, &status), TS_OK);
    cr_assert_eq(sim->mocap[2], 2.0);
    cr_assert_eq(sim->mocap[6], 1.0);
    cr_assert_eq(sim->kinematics.body_pose[1].p.z, 2.0);
    ts_snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    cr_assert_eq(ts_sim_snapshot(sim, &snapshot, &status), TS_OK);
    uint64_t hash = ts_sim_hash(sim);
    sim->mocap[0] = 5.0;
    cr_assert_neq(ts_sim_hash(sim), hash);
    run(sim, 10, ts_vec3_zero());
    cr_assert_eq(ts_sim_restore(sim, &snapshot, &status), TS_OK);
    cr_assert_eq(ts_sim_hash(sim), hash);
    cr_assert_eq(sim->kinematics.body_pose[1].p.x, 0.0);
    ts_sim_reset(sim);
    cr_assert_eq(sim->mocap[2], 1.0);
    ts_snapshot_free(&snapshot);
    finish(sim, model);
}

Test(mocap, what_makes_no_sense_is_refused) {
    mjcf_refuse("<mujoco><worldbody><body>\n<body mocap='true'/></body></worldbody></mujoco>", 2, "child of the world");
    mjcf_refuse("<mujoco><worldbody>\n<body mocap='true'><joint/></body></worldbody></mujoco>", 2, "joints");
    mjcf_refuse("<mujoco><worldbody><body mocap='true'/></worldbody><keyframe>\n<key mpos='1 2'/></keyframe></mujoco>",
                2, "mpos comes in threes");
    mjcf_refuse(
        "<mujoco><worldbody><body mocap='true'/></worldbody><keyframe>\n<key mquat='0 0 0 0'/></keyframe></mujoco>", 2,
        "mquat is zero");
}
