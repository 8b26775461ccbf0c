// <equality>: what becomes of connect and joint, and what is refused.
#include "tests/engine/read/mjcf_sample.h"

#include "engine/rows/row_block.h"

// Two arms side by side, the second turned by a quarter about z, and a frame in the world.
#define ARMS                                                                                                         \
    "<worldbody><site name='hook' pos='5 6 7'/><body name='a' pos='1 0 0'><joint name='ja' ref='30'/><geom "         \
    "size='.1'/>"                                                                                                    \
    "<body name='a2' pos='0 0 1'><joint name='ja2' type='slide'/><geom size='.1'/><site name='tip' pos='.1 .2 .3'/>" \
    "</body></body><body name='b' pos='0 2 0' euler='0 0 90'><joint name='jb'/><geom size='.1'/></body>"             \
    "<body name='c'><joint name='jball' type='ball'/><geom size='.1'/></body></worldbody>"

static void expect_vec3(ts_vec3 v, double x, double y, double z) {
    cr_assert_lt(ts_vec3_distance(v, ts_vec3_make(x, y, z)), 1e-15, "(%g, %g, %g)", v.x, v.y, v.z);
}

Test(mjcf_equality, connect_by_bodies) {
    ts_model* model = mjcf_read("<mujoco>" ARMS "<equality><connect name='c' body1='a2' body2='b' anchor='.5 0 0'/>"
                                "<connect body1='a' anchor='0 0 2'/></equality></mujoco>");
    cr_assert_eq(model->equality_count, 2);
    const ts_equality* c = &model->equality[0];
    cr_assert_str_eq(c->name, "c");
    cr_assert_str_eq(ts_row_source_name(c->source), "connect");
    cr_assert_eq(c->active, 1);
    cr_assert_str_eq(model->body[c->body[0]].name, "a2");
    cr_assert_str_eq(model->body[c->body[1]].name, "b");
    expect_vec3(c->frame[0].position, 0.5, 0.0, 0.0);
    // (1.5, 0, 1) in the world, seen from (0, 2, 0) with x along the world's y.
    expect_vec3(c->frame[1].position, -2.0, -1.5, 1.0);
    // Without a second body: the world.
    cr_assert_eq(model->equality[1].body[1], 0);
    expect_vec3(model->equality[1].frame[1].position, 1.0, 0.0, 2.0);
    ts_model_free(model);
}

// A weld is told from its second body; its relative pose is that of the second in the first.
Test(mjcf_equality, welds) {
    ts_model* model = mjcf_read("<mujoco>" ARMS "<equality><weld body1='a2' body2='b' anchor='.5 0 0' torquescale='3'/>"
                                "<weld body1='a' body2='b' relpose='1 2 3 2 0 0 0'/><weld body1='a'/>"
                                "<weld site1='tip' site2='hook'/></equality></mujoco>");
    const ts_equality* w = model->equality;
    cr_assert_str_eq(ts_row_source_name(w[0].source), "weld");
    cr_assert_str_eq(model->body[w[0].body[0]].name, "b");
    cr_assert_str_eq(model->body[w[0].body[1]].name, "a2");
    expect_vec3(w[0].frame[0].position, 0.5, 0.0, 0.0);
    // (0, 2.5, 0) in the world, seen from (1, 0, 1); b is turned by a quarter.
    expect_vec3(w[0].frame[1].position, -1.0, 2.5, -1.0);
    cr_assert_float_eq(w[0].frame[1].rotation.z, sqrt(0.5), 1e-15);
    cr_assert(w[0].coefficient[1] == 3.0 && w[1].coefficient[1] == 1.0);
    expect_vec3(w[1].frame[1].position, 1.0, 2.0, 3.0);
    cr_assert_eq(w[1].frame[1].rotation.w, 1.0);
    cr_assert_eq(w[2].body[0], 0);
    expect_vec3(w[2].frame[1].position, -1.0, 0.0, 0.0);
    expect_vec3(w[3].frame[0].position, 5.0, 6.0, 7.0);
    ts_model_free(model);
}

// Sites need not be in one place: they are pulled together.
Test(mjcf_equality, connect_by_sites) {
    ts_model* model = mjcf_read("<mujoco>" ARMS "<equality><connect site1='tip' site2='hook'/></equality></mujoco>");
    const ts_equality* c = &model->equality[0];
    cr_assert_str_eq(model->body[c->body[0]].name, "a2");
    cr_assert_eq(c->body[1], 0);
    expect_vec3(c->frame[0].position, 0.1, 0.2, 0.3);
    expect_vec3(c->frame[1].position, 5.0, 6.0, 7.0);
    ts_model_free(model);
}

Test(mjcf_equality, joint_with_polynomial_and_without) {
    ts_model* model =
        mjcf_read("<mujoco>" ARMS "<equality><joint joint1='jb' joint2='ja2' polycoef='.1 -2 3'/><joint joint1='ja'/>"
                  "<joint joint1='ja2' joint2='ja' active='false'/></equality></mujoco>");
    const ts_equality* e = model->equality;
    cr_assert_str_eq(ts_row_source_name(e[0].source), "joint-equality");
    cr_assert_str_eq(model->joint[e[0].joint[0]].name, "jb");
    cr_assert_str_eq(model->joint[e[0].joint[1]].name, "ja2");
    const double given[] = {0.1, -2.0, 3.0, 0.0, 0.0}, usual[] = {0.0, 1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < TS_EQUALITY_COEFFICIENTS; ++k) {
        cr_assert_eq(e[0].coefficient[k], given[k]);
        cr_assert_eq(e[1].coefficient[k], usual[k]);
    }
    cr_assert_eq(e[1].joint[1], -1);
    cr_assert(e[0].active && e[1].active && !e[2].active);
    ts_model_free(model);
}

Test(mjcf_equality, softness_comes_from_the_class) {
    ts_model* model =
        mjcf_read("<mujoco><default><equality solref='.01 2'/><default class='k'><equality solimp='.5 .6 "
                  ".7'/></default></default>" ARMS
                  "<equality><joint joint1='jb'/><joint joint1='ja' class='k' solref='.03 1'/></equality></mujoco>");
    cr_assert_eq(model->equality[0].softness.solref[0], 0.01);
    cr_assert_eq(model->equality[0].softness.solref[1], 2.0);
    cr_assert_eq(model->equality[0].softness.solimp[0], 0.9);
    cr_assert_eq(model->equality[1].softness.solref[0], 0.03);
    cr_assert_eq(model->equality[1].softness.solimp[1], 0.6);
    cr_assert_eq(model->equality[1].softness.solimp[3], 0.5);
    ts_model_free(model);
}

Test(mjcf_equality, the_flag_switches_all_off) {
    ts_model* model = mjcf_read("<mujoco><option><flag equality='disable'/></option>" ARMS
                                "<equality><joint joint1='jb'/></equality></mujoco>");
    cr_assert_eq(model->equality_count, 1);
    cr_assert_eq(model->equality[0].active, 0);
    ts_model_free(model);
}

Test(mjcf_equality, what_is_taken_over_is_not_reported) {
    ts_import_report report =
        mjcf_report("<mujoco>" ARMS "<equality><connect body1='a' body2='b' anchor='0 0 0' active='true'/>"
                    "<joint joint1='jb' joint2='ja' polycoef='0 2'/></equality></mujoco>");
    cr_assert_eq(report.count, 0, "%s", report.count ? report.item[0].what : "");
    ts_import_report_free(&report);
    report = mjcf_report("<mujoco>" ARMS "<equality><joint joint1='jb' solref='.01 1'/>"
                         "<flex flex='f'/></equality></mujoco>");
    cr_assert_eq(report.count, 2);
    cr_assert_eq(mjcf_finding(&report, "equality/joint@solref")->level, TS_IMPORT_KEPT);
    cr_assert_eq(mjcf_finding(&report, "equality/flex")->level, TS_IMPORT_IGNORED);
    ts_import_report_free(&report);
}

Test(mjcf_equality, what_makes_no_sense_is_refused) {
#define REFUSE(element, wanted) mjcf_refuse("<mujoco>" ARMS "<equality>\n" element "</equality></mujoco>", 2, wanted)
    REFUSE("<connect body1='a' body2='nobody' anchor='0 0 0'/>", "body2 of connect: there is no body 'nobody'");
    REFUSE("<connect site1='tip' site2='nowhere'/>", "site2 of connect: there is no site 'nowhere'");
    REFUSE("<connect site1='tip'/>", "connect needs site1 and site2, or neither");
    REFUSE("<connect anchor='0 0 0'/>", "it needs two bodies");
    REFUSE("<connect name='me' body1='a' body2='a' anchor='0 0 0'/>", "equality 'me': it needs two different bodies");
    REFUSE("<connect body1='a' anchor='0 0'/>", "anchor of connect needs 3 numbers");
    REFUSE("<connect body1='a' anker='0 0 0'/>", "no attribute 'anker'");
    REFUSE("<joint/>", "it needs a joint");
    REFUSE("<joint joint1='ja' joint2='ja'/>", "two different joints");
    REFUSE("<joint joint1='jball'/>", "hinges or slides");
    REFUSE("<joint joint1='jc'/>", "joint1 of joint: there is no joint 'jc'");
    REFUSE("<joint joint1='ja' polycoef='1 2 3 4 5 6'/>", "polycoef of joint");
    REFUSE("<joint joint1='ja' active='perhaps'/>", "active of joint");
    mjcf_refuse("<mujoco>" ARMS
                "<equality><joint name='n' joint1='ja'/>\n<joint name='n' joint1='jb'/></equality></mujoco>",
                2, "another equality has the same name");
}
