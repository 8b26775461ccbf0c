// URDF from text: the meaning of every element against closed forms, and of what is missing or wrong.
#include "base/text.h"
#include "engine/sim.h"
#include "engine/step/step.h"
#include "tests/engine/read/urdf_sample.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static void expect_vec(ts_vec3 v, double x, double y, double z) {
    cr_expect_float_eq(v.x, x, 1e-14, "x %g, not %g", v.x, x);
    cr_expect_float_eq(v.y, y, 1e-14, "y %g, not %g", v.y, y);
    cr_expect_float_eq(v.z, z, 1e-14, "z %g, not %g", v.z, z);
}

static ts_sim* sim_of(const ts_model* model) {
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_sim_create(model, 1, &sim, &status), TS_OK, "%s", status.message);
    return sim;
}

Test(urdf, joint_types) {
    ts_model* m =
        urdf_read(LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") JOINT(
            "ja", "revolute", "base", "a", "<axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>")
                      JOINT("jb", "continuous", "a", "b", "<dynamics damping='0.5' friction='0.25'/>")
                          JOINT("jc", "prismatic", "b", "c", "<axis xyz='0 0 -1'/><limit lower='0' upper='0.1'/>")
                              JOINT("jd", "fixed", "c", "d", "<origin xyz='1 2 3'/>")
                                  JOINT("je", "planar", "d", "e", "<axis xyz='0 0 1'/>"));
    cr_assert_eq(m->joint_count, 6);
    cr_assert_eq(m->body_count, 7);
    const ts_joint* j = m->joint;
    cr_expect_eq(j[0].type, TS_JOINT_HINGE);
    expect_vec(j[0].axis, 0.0, 1.0, 0.0);
    cr_expect(j[0].limited && j[0].range[0] == -1.0 && j[0].range[1] == 2.0);
    cr_expect(j[0].actuation.limited && j[0].actuation.range[0] == -3.0 && j[0].actuation.range[1] == 3.0);
    cr_expect(!j[1].actuation.limited);
    // The axis is x when nothing says otherwise.
    cr_expect_eq(j[1].type, TS_JOINT_HINGE);
    expect_vec(j[1].axis, 1.0, 0.0, 0.0);
    cr_expect(!j[1].limited && j[1].damping == 0.5 && j[1].friction == 0.25);
    cr_expect_eq(j[2].type, TS_JOINT_SLIDE);
    expect_vec(j[2].axis, 0.0, 0.0, -1.0);
    cr_expect_eq(m->body[ts_model_find_body(m, "d")].joint_count, 0);
    expect_vec(m->body[ts_model_find_body(m, "d")].pose.position, 1.0, 2.0, 3.0);
    cr_expect_str_eq(j[3].name, "je_TX");
    expect_vec(j[3].axis, 1.0, 0.0, 0.0);
    expect_vec(j[4].axis, 0.0, 1.0, 0.0);
    cr_expect_str_eq(j[5].name, "je_RZ");
    cr_expect_eq(j[5].type, TS_JOINT_HINGE);
    expect_vec(j[5].axis, 0.0, 0.0, 1.0);
    ts_model_free(m);
}

// The slides of a planar joint span the plane across its axis, whatever the axis.
Test(urdf, planar_across_its_axis) {
    ts_model* m = urdf_read(LINK("base") LINK("a") JOINT("j", "planar", "base", "a", "<axis xyz='1 -2 0.5'/>"));
    const ts_joint* j = m->joint;
    for (int k = 0; k < 2; ++k) {
        cr_expect_float_eq(ts_vec3_dot(j[k].axis, j[2].axis), 0.0, 1e-15);
        cr_expect_float_eq(ts_vec3_norm(j[k].axis), 1.0, 1e-15);
    }
    ts_vec3 across = ts_vec3_cross(j[0].axis, j[1].axis);
    expect_vec(ts_vec3_sub(across, j[2].axis), 0.0, 0.0, 0.0);
    ts_model_free(m);
}

// rpy is about fixed axes: x first, then y, then z. A quarter of each takes x to z's place and so on.
Test(urdf, roll_pitch_yaw) {
    ts_model* m =
        urdf_read(LINK("base") LINK("a") LINK("b")
                      JOINT("ja", "fixed", "base", "a", "<origin rpy='1.5707963267948966 0 1.5707963267948966'/>")
                          JOINT("jb", "fixed", "base", "b", "<origin rpy='0.3 -0.7 1.1'/>"));
    // Roll takes y to z, z to -y; yaw then takes x to y, y to -x.
    ts_quat q = m->body[ts_model_find_body(m, "a")].pose.rotation;
    expect_vec(ts_quat_rotate(q, ts_vec3_axis(0)), 0.0, 1.0, 0.0);
    expect_vec(ts_quat_rotate(q, ts_vec3_axis(1)), 0.0, 0.0, 1.0);
    expect_vec(ts_quat_rotate(q, ts_vec3_axis(2)), 1.0, 0.0, 0.0);
    // The textbook's matrix of roll a, pitch b, yaw c.
    ts_mat3 R = ts_quat_to_mat3(m->body[ts_model_find_body(m, "b")].pose.rotation);
    double a = 0.3, b = -0.7, c = 1.1;
    cr_expect_float_eq(R.m[0][0], cos(c) * cos(b), 1e-15);
    cr_expect_float_eq(R.m[1][0], sin(c) * cos(b), 1e-15);
    cr_expect_float_eq(R.m[2][0], -sin(b), 1e-15);
    cr_expect_float_eq(R.m[2][1], cos(b) * sin(a), 1e-15);
    cr_expect_float_eq(R.m[0][1], cos(c) * sin(b) * sin(a) - sin(c) * cos(a), 1e-15);
    ts_model_free(m);
}

// A pendulum whose inertia is given in turned axes, about a joint away from its centre of mass.
Test(urdf, pendulum) {
    ts_model* m = urdf_read(
        LINK("base") "<link name='a'><inertial><origin xyz='0 0 -0.4' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                     "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.3' iyz='0' izz='0.25'/></inertial></link>" JOINT(
                         "j", "continuous", "base", "a", "<axis xyz='1 0 0'/>"));
    ts_sim* sim = sim_of(m);
    ts_status status;
    sim->qpos[0] = 0.6;
    cr_assert_eq(ts_sim_forward(sim, &status), TS_OK);
    // The quarter turn about z makes the body's moment about x the file's iyy.
    cr_expect_float_eq(sim->mass_matrix[0], 0.3 + 2.0 * 0.4 * 0.4, 1e-15);
    cr_expect_float_eq(sim->bias[0], 2.0 * 9.81 * 0.4 * sin(0.6), 1e-14);
    ts_sim_free(sim);
    ts_model_free(m);
}

Test(urdf, double_pendulum_of_rods) {
    ts_model* m = urdf_read(
        LINK("base") "<link name='a'><inertial><origin xyz='0 0 -0.5'/><mass value='1'/>"
                     "<inertia ixx='0.08' ixy='0' ixz='0' iyy='0.08' iyz='0' izz='0.01'/></inertial></link>"
                     "<link name='b'><inertial><origin xyz='0 0 -0.25'/><mass value='3'/>"
                     "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.01'/></inertial></link>" JOINT(
                         "j1", "continuous", "base", "a", "<axis xyz='0 1 0'/>")
                         JOINT("j2", "continuous", "a", "b", "<origin xyz='0 0 -1'/><axis xyz='0 1 0'/>"));
    ts_sim* sim = sim_of(m);
    ts_status status;
    double q2 = 0.9, w1 = 1.3, w2 = -0.4;
    sim->qpos[0] = 0.2;
    sim->qpos[1] = q2;
    sim->qvel[0] = w1;
    sim->qvel[1] = w2;
    cr_assert_eq(ts_sim_forward(sim, &status), TS_OK);
    // The planar arm of every textbook: lengths 1, centres at 0.5 and 0.25.
    double c = 3.0 * 1.0 * 0.25 * cos(q2), s = 3.0 * 1.0 * 0.25 * sin(q2);
    double m22 = 0.02 + 3.0 * 0.0625, m12 = m22 + c, m11 = 0.08 + 0.25 + 3.0 + m22 + 2.0 * c;
    cr_expect_float_eq(sim->mass_matrix[0], m11, 1e-14);
    cr_expect_float_eq(sim->mass_matrix[1], m12, 1e-14);
    cr_expect_float_eq(sim->mass_matrix[3], m22, 1e-14);
    double g1 = 9.81 * ((0.5 + 3.0) * sin(0.2) + 0.75 * sin(0.2 + q2)), g2 = 9.81 * 0.75 * sin(0.2 + q2);
    cr_expect_float_eq(sim->bias[0], -s * (2.0 * w1 * w2 + w2 * w2) + g1, 1e-13);
    cr_expect_float_eq(sim->bias[1], s * w1 * w1 + g2, 1e-13);
    ts_sim_free(sim);
    ts_model_free(m);
}

Test(urdf, shapes_colours_and_contact) {
    ts_model* m = urdf_read(
        "<material name='red'><color rgba='1 0 0 1'/></material><link name='base'>"
        "<collision name='foot'><origin xyz='0 0 1'/><geometry><box size='0.2 0.4 0.6'/></geometry></collision>"
        "<collision name='foot'><geometry><cylinder radius='0.1' length='0.5'/></geometry></collision>"
        "<collision><geometry><capsule radius='0.1' length='0.5'/></geometry></collision>"
        "<visual><geometry><sphere radius='0.3'/></geometry><material name='red'/></visual>"
        "<contact><lateral_friction value='0.7'/><restitution value='0.5'/></contact></link>");
    cr_assert_eq(m->geom_count, 4);
    expect_vec(ts_vec3_make(ts_shape_value(&m->geom[0].shape, 0), ts_shape_value(&m->geom[0].shape, 1),
                            ts_shape_value(&m->geom[0].shape, 2)),
               0.1, 0.2, 0.3);
    cr_expect_str_eq(m->geom[0].name, "foot");
    cr_expect_str_eq(m->geom[1].name, "");
    cr_expect_float_eq(m->geom[0].pose.position.z, 1.0, 0.0);
    for (int g = 1; g < 3; ++g) {
        cr_expect_eq(m->geom[g].shape.kind, g == 1 ? TS_SHAPE_CYLINDER : TS_SHAPE_CAPSULE);
        cr_expect_eq(ts_shape_value(&m->geom[g].shape, 0), 0.1);
        cr_expect_eq(ts_shape_value(&m->geom[g].shape, 1), 0.25);
    }
    cr_expect(m->geom[0].category == 1 && m->geom[0].mask == 1);
    cr_expect(m->geom[3].category == 0 && m->geom[3].mask == 0);
    cr_expect(m->geom[3].rgba[0] == 1.0f && m->geom[3].rgba[1] == 0.0f);
    cr_expect_eq(m->geom[1].surface.friction, 0.7);
    cr_expect_eq(m->geom[1].surface.restitution, 0.5);
    ts_model_free(m);
}

Test(urdf, root) {
    const char arm[] = LINK("base") LINK("a") JOINT("j", "continuous", "base", "a", "");
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = urdf_read_as(arm, TS_ROOT_BY_FILE, &report);
    cr_expect_eq(m->nv, 1);
    const ts_import_item* item = mjcf_finding(&report, "root link base");
    cr_assert_not_null(item);
    cr_expect(strstr(item->meaning, "fixed") && item->level == TS_IMPORT_HONOURED);
    ts_import_report_free(&report);
    ts_model_free(m);
    m = urdf_read_as(arm, TS_ROOT_FLOATING, NULL);
    cr_expect_eq(m->nv, 7);
    cr_expect_eq(m->joint[0].type, TS_JOINT_FREE);
    cr_expect_str_eq(m->joint[0].name, "root_joint");
    ts_model_free(m);
    // A lone body is there to move, unless it is told not to, or has no mass.
    m = urdf_read(LINK("stone"));
    cr_expect_eq(m->nv, 6);
    ts_model_free(m);
    m = urdf_read_as(LINK("stone"), TS_ROOT_FIXED, NULL);
    cr_expect_eq(m->nv, 0);
    ts_model_free(m);
    m = urdf_read("<link name='ghost'/>");
    cr_expect_eq(m->nv, 0);
    ts_model_free(m);
    // A root called world is the world itself.
    m = urdf_read("<link name='world'><collision><geometry><sphere radius='1'/></geometry></collision></link>" LINK("a")
                      JOINT("j", "floating", "world", "a", "<origin xyz='0 0 2'/>"));
    cr_expect_eq(m->body_count, 2);
    cr_expect_eq(m->geom[0].body, 0);
    cr_expect_eq(m->nv, 6);
    cr_expect_eq(m->qpos0[2], 2.0);
    ts_model_free(m);
}

// A floating joint hangs on whatever stands still, at its place in the world.
Test(urdf, floating_joint_on_a_fixed_link) {
    ts_model* m =
        urdf_read(LINK("base") LINK("table") LINK("cup")
                      JOINT("jt", "fixed", "base", "table", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>")
                          JOINT("jc", "floating", "table", "cup", "<origin xyz='0.5 0 0'/>"));
    cr_assert_eq(m->nq, 7);
    cr_expect_float_eq(m->qpos0[0], 1.0, 1e-15);
    cr_expect_float_eq(m->qpos0[1], 0.5, 1e-15);
    cr_expect_float_eq(m->qpos0[3], cos(pi / 4.0), 1e-15);
    ts_model_free(m);
    urdf_refuse(LINK("base") LINK("a") "\n" LINK("b")
                    JOINT("ja", "continuous", "base", "a", "") "\n" JOINT("jb", "floating", "a", "b", ""),
                3, "must hang on the world");
}

Test(urdf, mimic) {
    ts_model* m = urdf_read(LINK("base") LINK("a") LINK("b") JOINT("jb", "continuous", "base", "b",
                                                                   "<mimic joint='ja' multiplier='-2' offset='0.1'/>")
                                JOINT("ja", "continuous", "base", "a", ""));
    cr_assert_eq(m->equality_count, 1);
    const ts_equality* e = &m->equality[0];
    cr_expect_str_eq(m->joint[e->joint[0]].name, "jb");
    cr_expect_str_eq(m->joint[e->joint[1]].name, "ja");
    cr_expect(e->coefficient[0] == 0.1 && e->coefficient[1] == -2.0 && e->coefficient[2] == 0.0);
    // It acts: driven one way, the other joint follows.
    ts_sim* sim = sim_of(m);
    ts_status status;
    int a = m->joint[e->joint[1]].dof_first, b = m->joint[e->joint[0]].dof_first;
    sim->qpos[b] = 0.1;
    sim->force_applied[a] = 1.0;
    for (int i = 0; i < 100; ++i) cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
    cr_expect_float_eq(sim->qpos[b], 0.1 - 2.0 * sim->qpos[a], 1e-8);
    cr_expect(sim->qpos[a] > 1e-3);
    ts_sim_free(sim);
    ts_model_free(m);
}

Test(urdf, links_that_a_joint_connects_do_not_touch) {
#define BALL(name)                                                                                                \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>" \
    "</inertial><collision><geometry><sphere radius='1'/></geometry></collision></link>"
    ts_model* m = urdf_read(BALL("base") BALL("a") BALL("b") JOINT("ja", "continuous", "base", "a", "")
                                JOINT("jb", "continuous", "a", "b", "<origin xyz='3 0 0'/>"));
    cr_expect_eq(ts_model_geoms_can_touch(m, 0, 1), 0);
    cr_expect_eq(ts_model_geoms_can_touch(m, 1, 2), 0);
    cr_expect_eq(ts_model_geoms_can_touch(m, 0, 2), 1);
    ts_model_free(m);
}

// Whatever M is positive definite with is taken as it is and named; a negative moment only where something carries it.
Test(urdf, inertia_of_no_body) {
#define MOMENTS(name, mass, x, y, z)                                                                       \
    "<link name='" name "'><inertial><mass value='" mass "'/><inertia ixx='" x "' ixy='0' ixz='0' iyy='" y \
    "' iyz='0' izz='" z "'/></inertial></link>"
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = urdf_read_as(
        LINK("base") MOMENTS("a", "1", "1", "1", "3") MOMENTS("b", "1", "-1", "2", "2") MOMENTS("c", "0", "1", "1", "1")
            MOMENTS("d", "1", "-1", "2", "2") MOMENTS("e", "0", "0", "0", "0") JOINT("ja", "fixed", "base", "a", "")
                JOINT("jb", "continuous", "base", "b", "<axis xyz='0 1 0'/>") JOINT("jc", "fixed", "base", "c", "")
                    JOINT("jd", "fixed", "base", "d", "") JOINT("je", "fixed", "base", "e", ""),
        TS_ROOT_BY_FILE, &report);
    cr_expect_eq(m->body[2].inertia.m[2][2], 3.0);
    cr_expect_float_eq(m->body[3].inertia.m[0][0], 0.0, 1e-15);
    cr_expect_float_eq(m->body[3].inertia.m[1][1], 2.0, 1e-15);
    cr_expect_eq(m->body[4].inertia.m[0][0], 1.0);
    cr_expect_eq(m->body[5].inertia.m[0][0], -1.0);
    const char* const kept[] = {"inertia of link a", "inertia of link c", "inertia of link d"};
    for (int i = 0; i < 3; ++i) {
        const ts_import_item* item = mjcf_finding(&report, kept[i]);
        cr_assert(item && item->level == TS_IMPORT_HONOURED, "%s", kept[i]);
    }
    const ts_import_item* cut = mjcf_finding(&report, "inertia of link b");
    cr_assert(cut && cut->level == TS_IMPORT_APPROXIMATED);
    cr_expect_null(mjcf_finding(&report, "inertia of link e"));
    ts_import_report_free(&report);
    ts_model_free(m);
}

// A joint that moves nothing heavy gets a little inertia of its own.
Test(urdf, joint_without_mass) {
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = urdf_read_as(LINK("base") LINK("a") "<link name='tip'/>" JOINT("ja", "continuous", "base", "a", "")
                                   JOINT("jt", "continuous", "a", "tip", ""),
                               TS_ROOT_BY_FILE, &report);
    cr_expect_eq(m->joint[0].armature, 0.0);
    cr_expect_gt(m->joint[1].armature, 0.0);
    cr_expect_not_null(mjcf_finding(&report, "joint that moves no mass"));
    ts_import_report_free(&report);
    ts_model_free(m);
}

// What parsers of ROS let pass.
Test(urdf, lenient) {
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = urdf_read_as(
        "<link name='base'/>" LINK("a")
            LINK("b") "<xacro:leftover/><gazebo reference='a'><mu1>0.5</mu1></gazebo><transmission name='t'/>" JOINT(
                "ja", "revolute", "base", "a",
                "<origin xyz='' rpy=''/><limit lower='0' upper='0' effort='1' velocity='1'/>"
                "<safety_controller k_velocity='1'/><calibration rising='0'/>") JOINT("jb", "revolute", "a", "b", ""),
        TS_ROOT_BY_FILE, &report);
    cr_expect_eq(m->body[1].mass, 0.0);
    cr_expect(!m->joint[0].limited && !m->joint[1].limited);
    const char* const named[] = {"gazebo/mu1",
                                 "robot/transmission",
                                 "robot/xacro:leftover",
                                 "origin@xyz (empty)",
                                 "limit (upper not above lower)",
                                 "joint without limit",
                                 "joint/safety_controller",
                                 "joint/calibration",
                                 "limit@velocity"};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; ++i)
        cr_expect_not_null(mjcf_finding(&report, named[i]), "%s", named[i]);
    cr_expect_eq(mjcf_finding(&report, "gazebo/mu1")->affects_physics, 1);
    cr_expect_eq(mjcf_finding(&report, "limit@velocity")->affects_physics, 0);
    ts_import_report_free(&report);
    ts_model_free(m);
}

// Declarations that libxml2 refuses and others read over: behind empty lines, of a version that there is not. Lines are counted on; what is no
// declaration, or stands anywhere else, is refused as before.
Test(urdf, odd_xml_declarations) {
    static const struct {
        const char* text;
        int line;  // of the refusal; 0: taken
        const char* wanted;
    } cases[] = {
        {"<?xml version=\"0.0\" ?>\n<robot name='r'>" LINK("a") "</robot>", 0, NULL},
        {"\n \r\n<?xml version='1.0'?>\n<robot name='r'>" LINK("a") "</robot>", 0, NULL},
        {"\n\n<?xml\n version='0.0'\n?>\n<robot name='r'><link/></robot>", 6, "needs a name"},
        {"<?xml version='0.0'?>", 1, ""},
        {"<?xml version='0.0'", 1, ""},
        {"\n<?xml version='1.0'?>\n<?xml version='1.0'?>\n<robot name='r'>" LINK("a") "</robot>", 3, "declaration"},
        {"<robot name='r'>\n<?xml version='0.0'?>" LINK("a") "</robot>", 2, "declaration"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ts_model* model = NULL;
        ts_status status = {0};
        ts_code code =
            ts_urdf_parse(cases[i].text, strlen(cases[i].text), "odd.urdf", NULL, NULL, NULL, &model, &status);
        cr_expect_eq(code != TS_OK, cases[i].line > 0, "case %zu: %s", i, status.message);
        if (code) cr_expect_eq(status.line, cases[i].line, "case %zu: line %d: %s", i, status.line, status.message);
        if (code) cr_expect_not_null(strstr(status.message, cases[i].wanted), "case %zu: %s", i, status.message);
        ts_model_free(model);
    }
}

Test(urdf, refusals) {
    static const struct {
        const char* text;
        int line;
        const char* wanted;
    } cases[] = {
        {"", 1, "no link"},
        {"\n<link/>", 2, "needs a name"},
        {LINK("a") "\n" LINK("a"), 2, "another link is named 'a'"},
        {LINK("a") LINK("b") "\n" LINK("c") JOINT("j", "fixed", "a", "b", ""), 2, "one root"},
        {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") "\n" JOINT("j", "fixed", "a", "b", ""), 2,
         "another joint"},
        {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") "\n" JOINT("k", "fixed", "a", "b", ""), 2,
         "already the child"},
        {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", ""), 1, "no root"},
        {LINK("r") "\n" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", ""), 2,
         "loop"},
        {LINK("a") "\n<joint name='j' type='fixed'><parent link='a'/>\n<child link='x'/></joint>", 3, "no link 'x'"},
        {LINK("a") LINK("b") "\n<joint name='j' type='ball'/>", 2, "type of joint"},
        {LINK("a") LINK("b") "\n" JOINT("j", "continuous", "a", "b", "\n<axis xyz='0 0 0'/>"), 3,
         "axis of joint is zero"},
        {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "\n<axis xyz='0 1'/>"), 2, "needs 3 numbers, not 2"},
        {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "\n<origin xyz='0 1 nan'/>"), 2, "xyz of origin"},
        {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "\n<dynamics damping='-1'/>"), 2, "cannot be negative"},
        {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "\n<mimic joint='j'/>"), 2, "cannot be mimicked"},
        {"<link name='a'>\n<inertial><mass value='1'/></inertial></link>", 2, "needs <mass> and <inertia>"},
        {"<link name='a'><inertial>\n<mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
         "</inertial></link>",
         2, "mass is negative"},
        {"<link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' izz='1'/></inertial></link>", 2,
         "'ixy'"},
        {"<link name='a'>\n<collision/></link>", 2, "needs a <geometry>"},
        {"<link name='a'><collision>\n<geometry/></collision></link>", 2, "none of box"},
        {"<link name='a'><collision><geometry>\n<box size='1 -1 1'/></geometry></collision></link>", 2, "box"},
        {"<link name='a'><collision><geometry>\n<mesh filename='x.stl'/></geometry></collision></link>", 2,
         "not read from a file"},
        {"<link name='a'><collision><geometry>\n<mesh filename='http://x/x.stl'/></geometry></collision></link>", 2,
         "file://"},
        {"<link name='a'>\n<inertial/><inertial/></link>", 2, "a second <inertial>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        urdf_refuse(cases[i].text, cases[i].line, cases[i].wanted);
}
