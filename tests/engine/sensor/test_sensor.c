// Sensors of joints, tendons, actuators and of the whole: closed forms, cutoffs, when numbers come about, and what is refused.
#include "tests/engine/sensor/sensor_sample.h"

// A pendulum and a cart with a spring, motors on both, a tendon that adds them up.
static const char cart[] =
    "<compiler angle='radian'/><option timestep='0.001' gravity='0 0 -10'/><worldbody><body name='arm' pos='0 0 2'>"
    "<joint name='h' axis='0 1 0' range='-0.5 0.5'/><geom type='sphere' size='0.1' pos='0 0 -1' mass='2'/></body>"
    "<body name='cart'><joint name='s' type='slide' axis='1 0 0' stiffness='50'/><geom size='0.1' mass='3' "
    "pos='0 5 0'/></body><body name='gimbal' pos='5 0 0'><joint name='b' type='ball'/><geom size='0.2' "
    "mass='1'/></body>"
    "</worldbody><tendon><fixed name='t' range='-1 1'><joint joint='h' coef='2'/><joint joint='s' coef='-3'/></fixed>"
    "</tendon><actuator><motor name='m' joint='s' gear='4'/><motor name='n' tendon='t' gear='0.5'/></actuator><sensor>"
    "<jointpos name='hp' joint='h'/><jointvel name='hv' joint='h'/><jointvel name='cut' joint='h' cutoff='0.25'/>"
    "<jointactuatorfrc name='hf' joint='h'/><jointactuatorfrc name='sf' joint='s'/>"
    "<jointlimitpos name='lp' joint='h'/><jointlimitvel name='lv' joint='h'/><jointlimitfrc name='lf' joint='h'/>"
    "<ballquat name='bq' joint='b'/><ballangvel name='bv' joint='b'/><tendonpos name='tp' tendon='t'/>"
    "<tendonvel name='tv' tendon='t'/><tendonactuatorfrc name='tf' tendon='t'/><tendonlimitpos name='tlp' tendon='t'/>"
    "<tendonlimitvel name='tlv' tendon='t'/><actuatorpos name='ap' actuator='m'/><actuatorvel name='av' actuator='m'/>"
    "<actuatorpos name='np' actuator='n'/><actuatorfrc name='af' actuator='n'/><clock name='c'/>"
    "<e_potential name='ep'/><e_kinetic name='ek'/></sensor>";

static void set_state(const sensed* s, double h, double slide) {
    double *q = s->sim->qpos, *v = s->sim->qvel;
    q[0] = h;
    q[1] = slide;
    v[0] = 0.7;
    v[1] = -0.2;
    v[2] = 1.0;
    v[3] = 2.0;
    v[4] = 3.0;
}

Test(sensor, joints_tendons_and_actuators_show_what_they_are) {
    sensed s = sensed_start(cart);
    ts_status status;
    const double turn[] = {cos(0.3), 0.0, sin(0.3), 0.0}, rate[] = {1.0, 2.0, 3.0};
    set_state(&s, 0.3, 0.1);
    for (int k = 0; k < 4; ++k) s.sim->qpos[2 + k] = 2.0 * turn[k];  // is made a unit
    s.sim->ctrl[0] = 1.5;
    s.sim->ctrl[1] = -2.0;
    cr_assert_eq(ts_sim_forward(s.sim, &status), TS_OK);
    sensed_expect_one(&s, "hp", 0.3, 0.0);
    sensed_expect_one(&s, "hv", 0.7, 0.0);
    sensed_expect_one(&s, "cut", 0.25, 0.0);
    sensed_expect_one(&s, "hf", -2.0 * 0.5 * 2.0, 1e-15);
    sensed_expect_one(&s, "sf", 1.5 * 4.0 - 2.0 * 0.5 * -3.0, 1e-15);
    sensed_expect(&s, "bq", turn, 4, 1e-15);
    sensed_expect(&s, "bv", rate, 3, 0.0);
    sensed_expect_one(&s, "tp", 2.0 * 0.3 - 3.0 * 0.1, 1e-15);
    sensed_expect_one(&s, "tv", 2.0 * 0.7 + 3.0 * 0.2, 1e-15);
    sensed_expect_one(&s, "tf", -2.0, 0.0);
    sensed_expect_one(&s, "ap", 0.4, 1e-15);
    sensed_expect_one(&s, "av", -0.8, 1e-15);
    sensed_expect_one(&s, "np", 0.15, 1e-15);
    sensed_expect_one(&s, "af", -2.0, 0.0);
    sensed_expect_one(&s, "c", 0.0, 0.0);
    sensed_expect_one(&s, "ep", 20.0 * (2.0 - cos(0.3)) + 0.5 * 50.0 * 0.01, 1e-12);
    double arm = 2.0 * (1.0 + 0.4 * 0.01) * 0.49, slide = 3.0 * 0.04, ball = 0.4 * 0.04 * 14.0;
    sensed_expect_one(&s, "ek", 0.5 * (arm + slide + ball), 1e-12);
    sensed_end(&s);
}

Test(sensor, limits_show_only_while_they_are_passed) {
    sensed s = sensed_start(cart);
    set_state(&s, 0.3, 0.1);
    sensed_expect_one(&s, "lp", 0.0, 0.0);
    sensed_expect_one(&s, "lv", 0.0, 0.0);
    sensed_expect_one(&s, "tlp", 0.0, 0.0);
    set_state(&s, 0.75, -0.2);
    sensed_expect_one(&s, "lp", -0.25, 1e-15);
    sensed_expect_one(&s, "lv", -0.7, 1e-15);
    sensed_expect_one(&s, "tlp", 1.0 - (1.5 + 0.6), 1e-15);
    sensed_expect_one(&s, "tlv", -(1.4 + 0.6), 1e-15);
    set_state(&s, -0.75, 0.2);
    sensed_expect_one(&s, "lp", -0.25, 1e-15);
    sensed_expect_one(&s, "lv", 0.7, 1e-15);
    sensed_expect_one(&s, "tlp", -(1.5 + 0.6) + 1.0, 1e-15);
    sensed_end(&s);
}

// At rest against its stop, 0.5 rad off the vertical, the stop carries what gravity and a constant torque put there.
Test(sensor, a_limit_carries_the_joint) {
    sensed s = sensed_start(cart);
    s.sim->qpos[0] = 0.5;
    s.sim->force_applied[0] = 30.0;
    sensed_run(&s, 400);
    sensed_expect_one(&s, "lf", 30.0 - 2.0 * 10.0 * sin(0.5), 1e-6);
    sensed_expect_one(&s, "c", 0.4, 1e-12);
    s.sim->force_applied[0] = 0.0;
    sensed_run(&s, 100);
    sensed_expect_one(&s, "lf", 0.0, 0.0);
    sensed_end(&s);
}

// What happens in a step is forgotten with it; measuring changes nothing that the future depends on.
Test(sensor, when_numbers_come_about) {
    sensed s = sensed_start(cart);
    ts_status status;
    ts_snapshot saved = {0};
    s.sim->qpos[0] = 0.5;
    s.sim->force_applied[0] = 30.0;
    sensed_expect_one(&s, "lf", 0.0, 0.0);
    cr_assert_eq(ts_sim_foresee(s.sim, &status), TS_OK);
    cr_expect_gt(sensed_now(&s, "lf")[0], 1.0);
    cr_expect_eq(s.sim->time, 0.0);
    cr_expect_eq(s.sim->qpos[0], 0.5);
    double foreseen = sensed_now(&s, "lf")[0];
    sensed_run(&s, 1);
    sensed_expect_one(&s, "lf", foreseen, 1e-12 * foreseen);
    cr_assert_eq(ts_sim_snapshot(s.sim, &saved, &status), TS_OK);
    uint64_t before = ts_sim_hash(s.sim);
    ts_sim_measure(s.sim);
    cr_expect_eq(ts_sim_hash(s.sim), before);
    sensed_run(&s, 20);
    uint64_t later = ts_sim_hash(s.sim);
    cr_assert_eq(ts_sim_restore(s.sim, &saved, &status), TS_OK);
    sensed_expect_one(&s, "lf", 0.0, 0.0);
    for (int i = 0; i < 20; ++i) {
        ts_sim_measure(s.sim);
        sensed_run(&s, 1);
        ts_sim_measure(s.sim);
    }
    cr_expect_eq(ts_sim_hash(s.sim), later);
    ts_sim_reset(s.sim);
    sensed_expect_one(&s, "lf", 0.0, 0.0);
    ts_snapshot_free(&saved);
    sensed_end(&s);
}

Test(sensor, the_model_lists_them) {
    sensed s = sensed_start(cart);
    int first = 0;
    for (int i = 0; i < s.model->sensor_count; ++i) {
        cr_expect_eq(s.model->sensor[i].first, first);
        first += s.model->sensor[i].size;
    }
    cr_expect_eq(s.model->sensor_size, first);
    cr_expect_eq(s.model->step_sensor_count, 1);
    const ts_sensor* sensor = &s.model->sensor[ts_model_find_sensor(s.model, "np")];
    cr_expect_str_eq(ts_sensor_kind_name(sensor->kind), "actuatorpos");
    cr_expect_str_eq(ts_sensor_object_name(s.model, &sensor->object[0]), "n");
    cr_expect_eq(ts_model_find_sensor(s.model, "nothing"), -1);
    for (int i = 0; i < ts_sensor_kind_count(); ++i) {
        cr_expect_eq(ts_sensor_kind_find(ts_sensor_kind_name(i)), i);
        cr_expect(ts_sensor_kind_summary(i)[0]);
    }
    sensed_end(&s);
}

#define BODY \
    "<mujoco><worldbody><body><joint name='h'/><geom size='1' pos='1 0 0'/><site name='x'/></body></worldbody>\n"

Test(sensor, what_cannot_be_is_refused) {
    mjcf_refuse(BODY "<sensor><jointpos/></sensor></mujoco>", 2, "it needs joint");
    mjcf_refuse(BODY "<sensor><jointpos joint='k'/></sensor></mujoco>", 2, "there is no joint 'k'");
    mjcf_refuse(BODY "<sensor><jointpos joint='h' site='x'/></sensor></mujoco>", 2, "no attribute 'site'");
    mjcf_refuse(BODY "<sensor><jointlimitpos joint='h'/></sensor></mujoco>", 2, "no limits");
    mjcf_refuse(BODY "<sensor><ballquat joint='h'/></sensor></mujoco>", 2, "must be a ball");
    mjcf_refuse(BODY "<sensor><clock cutoff='-1'/></sensor></mujoco>", 2, "negative");
    mjcf_refuse(BODY "<sensor><klock/></sensor></mujoco>", 2, "no element <klock>");
    mjcf_refuse(BODY "<sensor><clock name='a'/>\n<clock name='a'/></sensor></mujoco>", 3, "same name");
}

Test(sensor, what_is_left_out_is_reported) {
    ts_import_report report = mjcf_report(
        BODY "<actuator><dcmotor name='m' joint='h'/></actuator>\n<sensor><actuatorfrc actuator='m'/><user dim='3'/>"
             "<clock delay='0.1' nsample='5'/></sensor></mujoco>");
    const ts_import_item* item = mjcf_finding(&report, "sensor/user");
    cr_expect(item && item->level == TS_IMPORT_IGNORED && item->line == 3);
    item = mjcf_finding(&report, "sensor/of the world@delay");
    cr_expect(item && item->level == TS_IMPORT_IGNORED);
    ts_import_report_free(&report);
}
