// What sensors see of geoms: rays, distances, volumes, contacts.
#include "tests/engine/sensor/sensor_sample.h"

static const double g = 9.81;

// 2 m above the floor, tilted by 60 degrees; a ball in the way of another ray; ghosts and its own geom are not seen.
Test(sensor_space, a_rangefinder_meets_planes_and_balls) {
    sensed s = sensed_start(
        "<worldbody><geom type='plane' size='1 1 1'/><geom size='0.5' pos='3 0 2'/><geom size='9' rgba='1 1 1 "
        "0'/><body "
        "pos='0 0 2'><freejoint/><geom size='0.1'/><site name='down' euler='120 0 0'/><site name='ahead' zaxis='1 0 "
        "0'/>"
        "<site name='up'/></body></worldbody><sensor><rangefinder name='down' site='down'/><rangefinder name='ahead' "
        "site='ahead' data='dist dir origin point normal depth'/><rangefinder name='up' site='up' data='dist point'/>"
        "<rangefinder name='cut' site='ahead' cutoff='1.5'/></sensor>");
    const double ahead[] = {2.5, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 2.5, 0.0, 2.0, -1.0, 0.0, 0.0, 2.5};
    const double nothing[] = {-1.0, 0.0, 0.0, 0.0};
    sensed_expect_one(&s, "down", 4.0, 1e-13);
    sensed_expect(&s, "ahead", ahead, 14, 1e-13);
    sensed_expect(&s, "up", nothing, 4, 0.0);
    sensed_expect_one(&s, "cut", 1.5, 0.0);
    sensed_end(&s);
}

Test(sensor_space, distances_of_balls) {
    sensed s = sensed_start(
        "<worldbody><body name='a'><freejoint/><geom name='a1' size='0.5'/><geom name='a2' size='0.2' pos='0 3 "
        "0'/></body>"
        "<body name='b' pos='3 0 0'><freejoint/><geom name='b1' size='1'/></body></worldbody><sensor><distance "
        "name='d' "
        "geom1='a1' geom2='b1' cutoff='5'/><normal name='n' geom1='a1' geom2='b1' cutoff='5'/><normal name='m' "
        "geom1='b1' geom2='a1' cutoff='5'/><fromto name='p' geom1='a1' geom2='b1' cutoff='5'/><distance name='bodies' "
        "body1='b' body2='a' cutoff='5'/><distance name='far' geom1='a2' geom2='b1' cutoff='0.3'/><fromto name='none' "
        "geom1='a2' geom2='b1'/></sensor>");
    const double right[] = {1.0, 0.0, 0.0}, left[] = {-1.0, 0.0, 0.0}, points[] = {0.5, 0.0, 0.0, 2.0, 0.0, 0.0};
    const double nothing[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    sensed_expect_one(&s, "d", 1.5, 1e-15);
    sensed_expect(&s, "n", right, 3, 1e-15);
    sensed_expect(&s, "m", left, 3, 1e-15);
    sensed_expect(&s, "p", points, 6, 1e-15);
    sensed_expect_one(&s, "bodies", 1.5, 1e-15);
    sensed_expect_one(&s, "far", 0.3, 0.0);
    sensed_expect(&s, "none", nothing, 6, 0.0);
    // Overlapping by 0.25: from surface to surface it goes the other way.
    s.sim->qpos[7] = 1.25;
    sensed_expect_one(&s, "d", -0.25, 1e-15);
    sensed_expect(&s, "n", left, 3, 1e-15);
    sensed_end(&s);
}

Test(sensor_space, inside_of_a_site) {
    sensed s = sensed_start(
        "<worldbody><site name='box' type='box' size='1 2 3' pos='1 0 0'/><body name='b'><freejoint/><geom size='0.1'/>"
        "<site name='s' pos='0.5 0 0'/></body></worldbody><sensor><insidesite name='in' objtype='site' objname='s' "
        "site='box'/><insidesite name='body' objtype='xbody' objname='b' site='box'/></sensor>");
    const double x[] = {-0.6, -0.4, 0.1, 1.4, 1.6}, site[] = {0.0, 1.0, 1.0, 1.0, 0.0},
                 body[] = {0.0, 0.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < 5; ++i) {
        s.sim->qpos[0] = x[i];
        sensed_expect_one(&s, "in", site[i], 0.0);
        sensed_expect_one(&s, "body", body[i], 0.0);
    }
    sensed_end(&s);
}

// A ball of 2 kg at rest, and one that is far away.
#define BALLS                                                                                                        \
    "<option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='ball' pos='0 0 " \
    "0.1'><freejoint/><geom name='one' size='0.1' mass='2'/></body><body name='far' pos='3 0 5'><freejoint/><geom "  \
    "size='0.1'/></body></worldbody><sensor>"

Test(sensor_space, contacts_of_a_ball_at_rest) {
#define ALL "data='found force torque dist pos normal tangent linvel angvel'"
    sensed s =
        sensed_start(BALLS "<contact name='up' geom1='floor' geom2='one' " ALL "/><contact name='down' body1='ball' "
                           "geom2='floor' data='found force normal' num='2'/><contact name='all'/><contact "
                           "name='none' body1='far'/><contact name='net' subtree1='ball' reduce='netforce' "
                           "data='found force pos'/></sensor>");
    sensed_run(&s, 500);
    const double* x = sensed_now(&s, "up");
    cr_expect_eq(x[0], 1.0);
    cr_expect_float_eq(x[1], 2.0 * g, 1e-6);
    for (int k = 2; k < 7; ++k) cr_expect_float_eq(x[k], 0.0, 1e-6);
    cr_expect(fabs(x[7]) < 1e-3);
    cr_expect(fabs(x[8]) < 1e-6 && fabs(x[10]) < 1e-3);
    cr_expect_float_eq(x[13], 1.0, 1e-12, "the normal points from the floor to the ball");
    cr_expect_float_eq(x[16], 0.0, 1e-12, "the tangent lies in the floor");
    x = sensed_now(&s, "down");
    cr_expect_eq(x[0], 1.0);
    cr_expect_float_eq(x[1], 2.0 * g, 1e-6, "what presses them apart does so from both sides");
    cr_expect_float_eq(x[6], -1.0, 1e-12);
    for (int k = 7; k < 14; ++k) cr_expect_eq(x[k], 0.0, "an empty slot");
    sensed_expect_one(&s, "all", 1.0, 0.0);
    sensed_expect_one(&s, "none", 0.0, 0.0);
    // What the ball does to the floor, in world axes.
    const double net[] = {1.0, 0.0, 0.0, -2.0 * g, 0.0, 0.0, 0.0};
    sensed_expect(&s, "net", net, 7, 1e-3);
    sensed_end(&s);
}

// A box that slides: friction mu m g against its way; slots in the order of depth and of strength; the net force is that of all.
Test(sensor_space, contacts_of_a_box_that_slides) {
    sensed s = sensed_start(
        "<option timestep='0.001'/><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='box' pos='0 0 "
        "0.1'><freejoint/><geom name='one' type='box' size='0.2 0.2 0.1' mass='2' friction='0.3'/></body></worldbody>"
        "<default><geom friction='0.3'/></default><sensor><contact name='four' geom1='floor' geom2='one' num='5' "
        "data='found force normal tangent linvel' reduce='maxforce'/><contact name='deep' geom1='floor' num='4' "
        "data='dist' reduce='mindist'/><contact name='net' geom1='floor' geom2='one' reduce='netforce' data='force "
        "torque "
        "pos'/><contact name='back' geom1='one' geom2='floor' num='4' data='force normal tangent'/></sensor>");
    s.sim->qvel[0] = 1.6;
    s.sim->qvel[1] = 1.2;
    sensed_run(&s, 49);
    ts_vec3 centre = ts_vec3_load(s.sim->qpos);
    sensed_run(&s, 1);
    const double* x = sensed_now(&s, "four");
    ts_vec3 sum = ts_vec3_zero();
    double last = HUGE_VAL;
    for (int k = 0; k < 4; ++k, x += 13) {
        ts_vec3 n = ts_vec3_load(x + 4), t = ts_vec3_load(x + 7), b = ts_vec3_cross(n, t);
        double size = ts_vec3_norm(ts_vec3_load(x + 1));
        cr_expect_eq(x[0], 4.0);
        cr_expect_leq(size, last * (1.0 + 1e-12));
        last = size;
        sum = ts_vec3_add_scaled(ts_vec3_add_scaled(ts_vec3_add_scaled(sum, x[1], n), x[2], t), x[3], b);
        ts_vec3 velocity = ts_vec3_add_scaled(ts_vec3_add_scaled(ts_vec3_scale(x[10], n), x[11], t), x[12], b);
        cr_expect_float_eq(velocity.x, s.sim->qvel[0], 1e-3);
        cr_expect_float_eq(velocity.y, s.sim->qvel[1], 1e-3);
    }
    for (int k = 0; k < 13; ++k) cr_expect_eq(x[k], 0.0);
    cr_expect_float_eq(sum.z, 2.0 * g, 1e-4);
    cr_expect_float_eq(sum.x, -0.8 * 0.3 * 2.0 * g, 1e-4, "%g", sum.x);
    cr_expect_float_eq(sum.y, -0.6 * 0.3 * 2.0 * g, 1e-4, "%g", sum.y);
    x = sensed_now(&s, "deep");
    for (int k = 0; k < 3; ++k) cr_expect_leq(x[k], x[k + 1]);
    x = sensed_now(&s, "net");
    cr_expect_float_eq(ts_vec3_distance(ts_vec3_load(x), sum), 0.0, 1e-9);
    // About the box's centre all contacts together hold its turning: friction's moment is met by where the weight rests.
    ts_vec3 arm = ts_vec3_sub(ts_vec3_load(x + 6), centre);
    ts_vec3 moment = ts_vec3_add(ts_vec3_load(x + 3), ts_vec3_cross(arm, ts_vec3_load(x)));
    cr_expect_lt(ts_vec3_norm(moment), 1e-3, "%g", ts_vec3_norm(moment));
    // From the other side: the opposite, in the opposite frame.
    x = sensed_now(&s, "back");
    ts_vec3 other = ts_vec3_zero();
    for (int k = 0; k < 4; ++k, x += 9) {
        ts_vec3 n = ts_vec3_load(x + 3), t = ts_vec3_load(x + 6), b = ts_vec3_cross(n, t);
        other = ts_vec3_add_scaled(ts_vec3_add_scaled(ts_vec3_add_scaled(other, x[0], n), x[1], t), x[2], b);
    }
    cr_expect_float_eq(ts_vec3_norm(ts_vec3_add(other, sum)), 0.0, 1e-9);
    sensed_end(&s);
}

#define TEXT(sensor) \
    "<mujoco><worldbody><site name='p'/><geom name='g' size='1'/></worldbody>\n<sensor>" sensor "</sensor></mujoco>"

Test(sensor_space, what_cannot_be_is_refused) {
    mjcf_refuse(TEXT("<distance geom1='g'/>"), 2, "geom2 or body2");
    mjcf_refuse(TEXT("<distance geom1='g' body1='world' geom2='g'/>"), 2, "several things");
    mjcf_refuse(TEXT("<rangefinder site='p' data='dist speed'/>"), 2, "'speed' is no field");
    mjcf_refuse(TEXT("<contact data='force found'/>"), 2, "'found' is out of order");
    mjcf_refuse(TEXT("<contact num='0'/>"), 2, "num of contact");
    mjcf_refuse(TEXT("<contact reduce='best'/>"), 2, "cannot be 'best'");
    mjcf_refuse(TEXT("<contact reduce='netforce' num='2'/>"), 2, "one slot");
    mjcf_refuse(TEXT("<touch site='q'/>"), 2, "there is no site 'q'");
    mjcf_refuse("<mujoco><worldbody><site name='p' size='0'/></worldbody>\n<sensor><touch site='p'/></sensor></mujoco>",
                2, "no volume");
    ts_import_report report = mjcf_report(TEXT("<insidesite objtype='geom' objname='g' site='p' enclosed='true'/>"));
    cr_expect_not_null(mjcf_finding(&report, "insidesite@enclosed"));
    ts_import_report_free(&report);
}
