// The import report of MJCF: nothing that is not taken over exactly goes unmentioned, and nothing that is exact is.
#include "tests/engine/read/mjcf_sample.h"

static void expect(const char* text, const char* what, ts_import_level level, int physics, int count, int line) {
    ts_import_report report = mjcf_report(text);
    const ts_import_item* item = mjcf_finding(&report, what);
    cr_assert_not_null(item, "no finding about '%s'", what);
    cr_assert_eq(item->level, level, "%s", what);
    cr_assert_eq(item->affects_physics, physics, "%s", what);
    cr_assert_eq(item->count, count, "%s: %d", what, item->count);
    cr_assert_eq(item->line, line, "%s: line %d", what, item->line);
    cr_assert_str_eq(item->file, "t.xml");
    cr_assert(item->meaning[0]);
    ts_import_report_free(&report);
}

Test(mjcf_report, a_model_taken_over_exactly_has_no_findings) {
    ts_import_report report = mjcf_report(
        "<mujoco model='m'><compiler angle='radian' autolimits='true'/><option timestep='.001' gravity='0 0 -1'><flag "
        "filterparent='enable' override='disable'/></option>"
        "<default><geom friction='.5'/></default><asset><material name='r' rgba='1 0 0 1'/></asset><worldbody>"
        "<geom type='plane' size='1 1 1' material='r'/><body pos='0 0 1' euler='1 0 0'><freejoint/><geom "
        "size='.1'/><site/></body>"
        "<body><joint range='-1 1' damping='1' stiffness='2' armature='.1' frictionloss='.1' margin='.1' "
        "springdamper='1 1'/><geom type='box' size='1 "
        "1 1'/></body>"
        "</worldbody><contact/><keyframe><key time='1'/></keyframe></mujoco>");
    cr_assert_eq(report.count, 0, "%s", report.count ? report.item[0].what : "");
    ts_import_report_free(&report);
}

Test(mjcf_report, sections_that_are_not_read) {
    expect("<mujoco><actuator>\n<dcmotor joint='a'/>\n<dcmotor joint='b'/><pid/></actuator></mujoco>",
           "actuator/dcmotor", TS_IMPORT_IGNORED, 1, 2, 2);
    expect("<mujoco><sensor>\n<user dim='1'/></sensor></mujoco>", "sensor/user", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco><equality>\n<flex/></equality></mujoco>", "equality/flex", TS_IMPORT_IGNORED, 1, 1, 2);
    expect("<mujoco>\n<visual/></mujoco>", "mujoco/visual", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco>\n<size nkey='1'/></mujoco>", "mujoco/size", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco><asset>\n<skin/></asset></mujoco>", "asset/skin", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco><worldbody>\n<light/>\n<camera/></worldbody></mujoco>", "body/light", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco><worldbody>\n<flexcomp/></worldbody></mujoco>", "body/flexcomp", TS_IMPORT_IGNORED, 1, 1, 2);
    expect("<mujoco>stray</mujoco>", "text", TS_IMPORT_IGNORED, 0, 1, 1);
}

Test(mjcf_report, attributes_that_are_not_taken_over) {
    expect("<mujoco>\n<option solver='Newton' cone='elliptic'/></mujoco>", "option@cone", TS_IMPORT_IGNORED, 0, 1, 2);
    expect("<mujoco><option>\n<flag filterparent='disable'/></option></mujoco>", "flag@filterparent", TS_IMPORT_IGNORED,
           1, 1, 2);
    expect("<mujoco><worldbody>\n<geom size='1' solref='1 1'/>\n<geom size='1' solref='1 1'/></worldbody></mujoco>",
           "geom@solref", TS_IMPORT_KEPT, 0, 2, 2);
    expect("<mujoco><worldbody><body>\n<joint solreflimit='1 1'/><geom size='1'/></body></worldbody></mujoco>",
           "joint@solreflimit", TS_IMPORT_KEPT, 0, 1, 2);
    expect(
        "<mujoco><worldbody><body>\n<joint type='ball' stiffness='1 2'/><geom size='1'/></body></worldbody></mujoco>",
        "joint@stiffness (nonlinear)", TS_IMPORT_APPROXIMATED, 1, 1, 2);
    expect("<mujoco><worldbody><body>\n<joint type='free' stiffness='1'/><geom size='1'/></body></worldbody></mujoco>",
           "joint@stiffness (free joint)", TS_IMPORT_IGNORED, 1, 1, 2);
    expect("<mujoco><worldbody>\n<geom type='sdf'/></worldbody></mujoco>", "geom type sdf", TS_IMPORT_IGNORED, 1, 1, 2);
    expect("<mujoco><worldbody><body><freejoint/>\n<geom size='1' shellinertia='true'/></body></worldbody></mujoco>",
           "geom@shellinertia", TS_IMPORT_APPROXIMATED, 1, 1, 2);
    expect("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody>\n<keyframe><key qpos='0 0 0 0 0 0 "
           "0'/></keyframe></mujoco>",
           "key@qpos (zero quaternion)", TS_IMPORT_HONOURED, 0, 1, 2);
    expect("<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>\n<geom type='mesh' "
           "mesh='m'/></worldbody></mujoco>",
           "geom@mesh", TS_IMPORT_HONOURED, 0, 1, 2);
}

Test(mjcf_report, is_filled_even_when_reading_fails) {
    const char text[] =
        "<mujoco><sensor><user/></sensor><option cone='elliptic'/><worldbody><geom/></worldbody></mujoco>";
    ts_model* model = NULL;
    ts_status status;
    ts_import_report report;
    memset(&report, 0, sizeof report);
    cr_assert_neq(ts_mjcf_parse(text, strlen(text), "t.xml", NULL, &report, &model, &status), TS_OK);
    cr_assert_not_null(mjcf_finding(&report, "option@cone"));
    ts_import_report_free(&report);
}
