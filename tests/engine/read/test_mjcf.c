// What an MJCF file means: shapes and masses against closed forms, orientations against each other, joints, units, limits,
// keyframes, sites, exclusions and options.
#include "engine/sim.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// A free body with the given contents, in a model with the given head.
static ts_model* body_of(const char* head, const char* attributes, const char* contents) {
    char text[4000];
    snprintf(text, sizeof text, "<mujoco>%s<worldbody><body %s><freejoint/>%s</body></worldbody></mujoco>", head,
             attributes, contents);
    return mjcf_read(text);
}

static void expect_inertia(const ts_body* body, double mass, double xx, double yy, double zz) {
    cr_assert_float_eq(body->mass, mass, 1e-12 * mass);
    const double wanted[3] = {xx, yy, zz};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            cr_assert_float_eq(body->inertia.m[i][j], i == j ? wanted[i] : 0.0, 1e-12 * (xx + yy + zz), "%d %d: %.17g",
                               i, j, body->inertia.m[i][j]);
}

Test(mjcf, primitives_weigh_what_the_formulas_say) {
    double r = 0.2, a = 0.3, b = 0.4, c = 0.5, h = 0.7, rho = 1000.0, m;
    ts_model* model = body_of("", "", "<geom size='.2'/>");
    m = rho * 4.0 / 3.0 * pi * r * r * r;
    expect_inertia(&model->body[1], m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);
    ts_model_free(model);

    model = body_of("", "", "<geom type='box' size='.3 .4 .5' density='500'/>");
    m = 500.0 * 8.0 * a * b * c;
    expect_inertia(&model->body[1], m, m / 3.0 * (b * b + c * c), m / 3.0 * (a * a + c * c), m / 3.0 * (a * a + b * b));
    ts_model_free(model);

    model = body_of("", "", "<geom type='ellipsoid' size='.3 .4 .5' mass='7'/>");
    expect_inertia(&model->body[1], 7.0, 1.4 * (b * b + c * c), 1.4 * (a * a + c * c), 1.4 * (a * a + b * b));
    ts_model_free(model);

    model = body_of("", "", "<geom type='cylinder' size='.2 .7'/>");
    m = rho * pi * r * r * 2.0 * h;
    expect_inertia(&model->body[1], m, m * (r * r / 4.0 + h * h / 3.0), m * (r * r / 4.0 + h * h / 3.0),
                   m * r * r / 2.0);
    ts_model_free(model);

    // A capsule is a cylinder and two half balls whose centres of mass sit 3/8 r behind their flat sides.
    model = body_of("", "", "<geom type='capsule' size='.2 .7'/>");
    double mc = rho * pi * r * r * 2.0 * h, ms = rho * 4.0 / 3.0 * pi * r * r * r;
    double zz = mc * r * r / 2.0 + 0.4 * ms * r * r;
    double d = h + 3.0 / 8.0 * r;
    double half = (0.4 - 9.0 / 64.0) * r * r;  // of a half ball about its own centre of mass, per mass, across its axis
    double xx = mc * (r * r / 4.0 + h * h / 3.0) + ms * (half + d * d);
    expect_inertia(&model->body[1], mc + ms, xx, xx, zz);
    ts_model_free(model);
}

// Every kind that is made of numbers is a type of geom, with its numbers as sizes.
Test(mjcf, every_kind_of_the_table_is_read) {
    const double size[TS_SHAPE_PARAMETERS_MOST] = {0.25, 0.5, 0.75, 1.25};
    static const char* const written[] = {"", ".25", ".25 .5", ".25 .5 .75", ".25 .5 .75 1.25"};
    for (int kind = TS_SHAPE_PLANE + 1; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)kind);
        if (info->made_of) continue;
        char geom[128];
        snprintf(geom, sizeof geom, "<geom type='%s' size='%s' density='1'/>", info->name,
                 written[info->parameter_count]);
        ts_model* model = body_of("", "", geom);
        const ts_shape* shape = &model->geom[0].shape;
        cr_assert_eq(shape->kind, (ts_shape_kind)kind, "%s", info->name);
        for (int i = 0; i < info->parameter_count; ++i)
            cr_expect_eq(ts_shape_value(shape, i), size[i], "%s: %s", info->name, info->parameter[i].name);
        ts_mass_properties mass = ts_shape_mass_properties(shape);
        cr_expect_float_eq(model->body[1].mass, mass.volume, 1e-12 * mass.volume, "%s", info->name);
        ts_model_free(model);
    }
}

Test(mjcf, from_to_is_the_same_as_pos_and_zaxis) {
    static const char* const type[] = {"capsule", "cylinder", "box", "ellipsoid"};
    for (int i = 0; i < 4; ++i) {
        char a[200], b[200];
        snprintf(a, sizeof a, "<geom type='%s' fromto='1 2 3 3 4 4' size='.1'/>", type[i]);
        snprintf(b, sizeof b, "<geom type='%s' pos='2 3 3.5' zaxis='2 2 1' size='%s'/>", type[i],
                 i < 2 ? ".1 1.5" : ".1 .1 1.5");
        ts_model* x = body_of("", "", a);
        ts_model* y = body_of("", "", b);
        cr_assert_eq(x->geom[0].shape.kind, y->geom[0].shape.kind);
        cr_assert_lt(ts_vec3_distance(x->geom[0].shape.half, y->geom[0].shape.half), 1e-14);
        cr_assert_eq(x->geom[0].shape.radius, y->geom[0].shape.radius);
        cr_assert_lt(ts_vec3_distance(x->geom[0].pose.position, y->geom[0].pose.position), 1e-14);
        ts_vec3 zx = ts_quat_rotate(x->geom[0].pose.rotation, ts_vec3_axis(2));
        ts_vec3 zy = ts_quat_rotate(y->geom[0].pose.rotation, ts_vec3_axis(2));
        cr_assert_float_eq(fabs(ts_vec3_dot(zx, zy)), 1.0, 1e-14);
        ts_model_free(x);
        ts_model_free(y);
    }
}

// The turn by `angle` about axis 0, 1 or 2 as a matrix, written out.
static ts_mat3 turn(int axis, double angle) {
    ts_mat3 R = ts_mat3_identity();
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    R.m[i][i] = R.m[j][j] = cos(angle);
    R.m[i][j] = -sin(angle);
    R.m[j][i] = sin(angle);
    return R;
}

static void expect_rotation(const char* head, const char* attribute, ts_mat3 wanted) {
    ts_model* model = body_of(head, attribute, "<geom size='.1'/>");
    ts_mat3 got = ts_quat_to_mat3(model->body[1].pose.rotation);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            cr_assert_float_eq(got.m[i][j], wanted.m[i][j], 1e-14, "%s %s: [%d][%d] %.17g, not %.17g", head, attribute,
                               i, j, got.m[i][j], wanted.m[i][j]);
    cr_assert_float_eq(model->qpos0[3], model->body[1].pose.rotation.w, 0.0);
    ts_model_free(model);
}

Test(mjcf, five_ways_to_turn) {
    const double deg = pi / 180.0;
    expect_rotation("", "", ts_mat3_identity());
    expect_rotation("", "quat='2 0 0 2'", turn(2, pi / 2.0));
    expect_rotation("", "axisangle='0 3 0 30'", turn(1, 30.0 * deg));
    expect_rotation("<compiler angle='radian'/>", "axisangle='0 3 0 .5'", turn(1, 0.5));
    expect_rotation("", "xyaxes='0 2 0 -3 1 0'", turn(2, pi / 2.0));
    expect_rotation("", "zaxis='0 -1 0'", turn(0, pi / 2.0));
    // Lower case: about the moved axes, so the matrices stand in reading order; upper case the other way round.
    ts_mat3 xyz = ts_mat3_mul(turn(0, 0.1), ts_mat3_mul(turn(1, 0.2), turn(2, 0.3)));
    ts_mat3 zyx = ts_mat3_mul(turn(2, 0.3), ts_mat3_mul(turn(1, 0.2), turn(0, 0.1)));
    expect_rotation("<compiler angle='radian'/>", "euler='.1 .2 .3'", xyz);
    expect_rotation("<compiler angle='radian' eulerseq='XYZ'/>", "euler='.1 .2 .3'", zyx);
    expect_rotation("<compiler angle='radian' eulerseq='zyx'/>", "euler='.3 .2 .1'", zyx);
    expect_rotation("<compiler eulerseq='zxz'/>", "euler='10 20 30'",
                    ts_mat3_mul(turn(2, 10.0 * deg), ts_mat3_mul(turn(0, 20.0 * deg), turn(2, 30.0 * deg))));
}

Test(mjcf, joints_and_their_units) {
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><body pos='1 2 3'>"
        "<joint name='h' axis='0 2 0' pos='.1 .2 .3' range='-90 45' ref='30' springref='-60' stiffness='5' damping='.5'"
        " armature='.25' frictionloss='.125'/>"
        "<joint name='s' type='slide' axis='1 0 0' range='-90 45' ref='30' springref='-60'/>"
        "<geom size='.1'/><body><joint name='b' type='ball' range='0 60'/><geom size='.1'/></body></body>"
        "</worldbody></mujoco>");
    cr_assert_eq(m->nq, 6);
    cr_assert_eq(m->nv, 5);
    const ts_joint* h = &m->joint[ts_model_find_joint(m, "h")];
    cr_assert_float_eq(h->range[0], -pi / 2.0, 1e-15);
    cr_assert_float_eq(h->range[1], pi / 4.0, 1e-15);
    cr_assert_float_eq(h->reference, pi / 6.0, 1e-15);
    cr_assert_float_eq(h->spring_rest, -pi / 3.0, 1e-15);
    cr_assert_eq(h->axis.y, 1.0);
    cr_assert_eq(h->anchor.z, 0.3);
    cr_assert(h->limited && h->spring == 5.0 && h->damping == 0.5 && h->armature == 0.25 && h->friction == 0.125);
    cr_assert_eq(m->dof[0].damping, 0.5);
    cr_assert_eq(m->dof[0].armature, 0.25);
    cr_assert_eq(m->dof[0].friction, 0.125);
    const ts_joint* s = &m->joint[ts_model_find_joint(m, "s")];
    cr_assert(s->range[0] == -90.0 && s->range[1] == 45.0 && s->reference == 30.0 && s->spring_rest == -60.0);
    const ts_joint* b = &m->joint[ts_model_find_joint(m, "b")];
    cr_assert_float_eq(b->range[1], pi / 3.0, 1e-15);
    const double qpos[6] = {h->reference, 30.0, 1.0, 0.0, 0.0, 0.0};
    cr_assert_eq(memcmp(m->qpos0, qpos, sizeof qpos), 0);
    ts_model_free(m);
}

Test(mjcf, radians_are_left_alone) {
    ts_model* m = mjcf_read("<mujoco><compiler angle='radian'/><worldbody><body><joint range='-1 .5' ref='.25'/>"
                            "<geom size='1'/></body></worldbody></mujoco>");
    cr_assert(m->joint[0].range[0] == -1.0 && m->joint[0].range[1] == 0.5 && m->qpos0[0] == 0.25);
    ts_model_free(m);
}

Test(mjcf, who_is_limited) {
    static const struct {
        const char* head;
        const char* joint;
        int limited;
    } cases[] = {{"", "range='-1 1'", 1},
                 {"", "range='-1 1' limited='auto'", 1},
                 {"", "range='-1 1' limited='false'", 0},
                 {"", "", 0},
                 {"<compiler autolimits='false'/>", "range='-1 1'", 0},
                 {"<compiler autolimits='false'/>", "range='-1 1' limited='true'", 1},
                 {"<option><flag limit='disable'/></option>", "range='-1 1'", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[500];
        snprintf(text, sizeof text,
                 "<mujoco>%s<worldbody><body><joint %s/><geom size='1'/></body></worldbody></mujoco>", cases[i].head,
                 cases[i].joint);
        ts_model* m = mjcf_read(text);
        cr_assert_eq(m->joint[0].limited, cases[i].limited, "%s %s", cases[i].head, cases[i].joint);
        ts_model_free(m);
    }
}

// What MuJoCo takes, too: a class that limits all joints, a free one among them; a camera that is to look at nothing.
Test(mjcf, limits_and_aims_that_say_half) {
    ts_model* m =
        mjcf_read("<mujoco><default><joint limited='true'/></default><worldbody><camera name='c' mode='targetbodycom'/>"
                  "<replicate count='2' prefix='A' offset='3 0 0'><body><joint type='free'/><geom "
                  "size='1'/></body></replicate></worldbody></mujoco>");
    cr_assert_eq(m->joint_count, 2);
    cr_expect(!m->joint[0].limited && !m->joint[1].limited);
    cr_expect_eq(m->camera[0].mode, TS_MODEL_CAMERA_FIXED);
    ts_model_free(m);
    static const char* const types[] = {"hinge", "slide"};
    for (int i = 0; i < 2; ++i) {
        char text[200];
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><body><geom size='1'/>\n<joint type='%s' limited='true'/></body></worldbody></mujoco>",
            types[i]);
        mjcf_refuse(text, 2, "has no range");
    }
}

Test(mjcf, given_inertia) {
    ts_model* m =
        body_of("", "", "<inertial pos='1 2 3' mass='4' diaginertia='1 2 2.5' euler='0 0 90'/><geom size='9'/>");
    const ts_body* b = &m->body[1];
    cr_assert_eq(b->mass, 4.0);
    cr_assert_eq(b->centre.z, 3.0);
    cr_assert_float_eq(b->inertia.m[0][0], 2.0, 1e-14);
    cr_assert_float_eq(b->inertia.m[1][1], 1.0, 1e-14);
    cr_assert_float_eq(b->inertia.m[2][2], 2.5, 1e-14);
    ts_model_free(m);
    m = body_of("", "", "<inertial pos='0 0 0' mass='4' fullinertia='5 6 7 .1 .2 .3'/>");
    static const double full[3][3] = {{5.0, 0.1, 0.2}, {0.1, 6.0, 0.3}, {0.2, 0.3, 7.0}};
    for (int i = 0; i < 9; ++i) cr_assert_eq(m->body[1].inertia.m[i / 3][i % 3], full[i / 3][i % 3]);
    ts_model_free(m);
    m = body_of("<compiler inertiafromgeom='true'/>", "",
                "<inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/><geom size='.1' mass='3'/>");
    cr_assert_eq(m->body[1].mass, 3.0);
    ts_model_free(m);
    m = body_of("<compiler inertiagrouprange='1 2'/>", "",
                "<geom size='.1' mass='3'/><geom size='.1' mass='5' group='2'/>");
    cr_assert_eq(m->body[1].mass, 5.0);
    ts_model_free(m);
}

Test(mjcf, adjusted_masses) {
    ts_model* m = body_of("<compiler settotalmass='12'/>", "", "<geom size='.1' mass='3'/>");
    cr_assert_float_eq(m->body[1].mass, 12.0, 1e-12);
    cr_assert_float_eq(m->body[1].inertia.m[0][0], 0.4 * 12.0 * 0.01, 1e-15);
    ts_model_free(m);
    m = body_of("<compiler boundmass='5' boundinertia='2'/>", "",
                "<inertial pos='0 0 0' mass='1' diaginertia='1 1.5 2.25' euler='0 0 90'/>");
    cr_assert_eq(m->body[1].mass, 5.0);
    cr_assert_float_eq(m->body[1].inertia.m[0][0], 2.0, 1e-14);
    cr_assert_float_eq(m->body[1].inertia.m[1][1], 2.0, 1e-14);
    cr_assert_float_eq(m->body[1].inertia.m[2][2], 2.25, 1e-14);
    ts_model_free(m);
    m = body_of("<compiler balanceinertia='true'/>", "", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/>");
    for (int i = 0; i < 3; ++i) cr_assert_float_eq(m->body[1].inertia.m[i][i], 2.0, 1e-14);
    ts_model_free(m);
}

Test(mjcf, contact_settings) {
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = mjcf_read(
        "<mujoco><custom><numeric name='touchstone.restitution' data='.5'/></custom>"
        "<asset><material name='red' rgba='1 0 0 .5'/></asset><worldbody>"
        "<geom size='1' friction='.3 .1 .1' condim='1' contype='6' conaffinity='9' priority='-2' material='red'/>"
        "<geom size='1' condim='6' material='red' rgba='0 1 0 1'/></worldbody></mujoco>");
    const ts_geom* g = m->geom;
    cr_assert(g[0].surface.friction == 0.3 && g[0].surface.dimension == 1 && g[0].category == 6 && g[0].mask == 9);
    cr_assert(g[0].surface.priority == -2 && g[0].surface.restitution == 0.5);
    cr_assert(g[0].rgba[0] == 1.0f && g[0].rgba[1] == 0.0f && g[0].rgba[3] == 0.5f);
    cr_assert(g[0].surface.friction_spin == 0.1 && g[0].surface.friction_roll == 0.1);
    cr_assert(g[1].surface.friction_spin == 0.005 && g[1].surface.friction_roll == 0.0001);
    cr_assert(g[1].surface.friction == 1.0 && g[1].surface.dimension == 6 && g[1].category == 1 && g[1].mask == 1);
    cr_assert(g[1].rgba[0] == 0.0f && g[1].rgba[1] == 1.0f);
    ts_model_free(m);
    m = mjcf_read("<mujoco><option><flag contact='disable'/></option><worldbody><geom size='1'/></worldbody></mujoco>");
    cr_assert(m->geom[0].category == 0 && m->geom[0].mask == 0);
    ts_model_free(m);
}

Test(mjcf, exclusions) {
    ts_model* m = mjcf_read(
        "<mujoco><contact><exclude body1='b' body2='a'/><exclude body1='world' body2='a'/></contact><worldbody>"
        "<geom name='floor' type='plane' size='0 0 1'/><body name='a'><freejoint/><geom name='ga' size='1'/></body>"
        "<body name='b'><freejoint/><geom name='gb' size='1'/></body></worldbody></mujoco>");
    int floor = ts_model_find_geom(m, "floor"), a = ts_model_find_geom(m, "ga"), b = ts_model_find_geom(m, "gb");
    cr_assert_eq(ts_model_geoms_can_touch(m, a, b), 0);
    cr_assert_eq(ts_model_geoms_can_touch(m, a, floor), 0);
    cr_assert_eq(ts_model_geoms_can_touch(m, b, floor), 1);
    ts_model_free(m);
}

Test(mjcf, options_and_their_own_names) {
    ts_model* m = mjcf_read(
        "<mujoco model='name'><option timestep='.01' gravity='1 2 3' iterations='77' tolerance='1e-6'/><custom>"
        "<numeric name='touchstone.iterations' data='88'/><numeric name='touchstone.tolerance' data='1e-5'/>"
        "<numeric name='touchstone.contact_margin' data='.25'/><text name='touchstone.solver' data='lcp-pgs'/>"
        "<numeric name='other' data='1 2 3'/><text name='other' data='x'/></custom></mujoco>");
    cr_assert_str_eq(m->name, "name");
    cr_assert(m->options.time_step == 0.01 && m->options.gravity.y == 2.0);
    // MuJoCo's iterations and tolerance mean something else; only our own names count.
    cr_assert_eq(m->options.iterations, 88);
    cr_assert(m->options.tolerance == 1e-5 && m->options.contact_margin == 0.25);
    cr_assert_str_eq(m->options.solver, "lcp-pgs");
    ts_model_free(m);
    m = mjcf_read("<mujoco><option gravity='1 2 3'><flag gravity='disable' warmstart='disable'/></option></mujoco>");
    cr_assert_eq(ts_vec3_norm(m->options.gravity), 0.0);
    cr_assert_eq(m->options.warm_start, 0);
    ts_model_free(m);
}

// What a keyframe leaves out stays as it is without it; more than there is would belong to something else.
Test(mjcf, keyframes_may_say_less) {
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><body mocap='true' pos='1 2 3'><geom size='1'/></body><body pos='0 0 5'><freejoint/>"
        "<geom size='1'/><body><joint ref='30'/><geom size='1'/></body></body></worldbody>"
        "<keyframe><key name='a' qpos='1 2' qvel='3'/><key name='b' mquat='0 1 0 0'/></keyframe></mujoco>");
    const double *q = m->keyframe[0].qpos, *rest = m->qpos_rest;
    cr_assert(q[0] == 1.0 && q[1] == 2.0 && q[2] == 5.0 && q[3] == 1.0 && q[7] == rest[7] && rest[7] > 0.5);
    cr_assert(m->keyframe[0].qvel[0] == 3.0 && m->keyframe[0].qvel[6] == 0.0);
    cr_assert(m->keyframe[1].mocap_position[2] == 3.0 && m->keyframe[1].mocap_rotation[1] == 1.0);
    ts_model_free(m);
    mjcf_refuse(
        "<mujoco><worldbody><body mocap='true'><geom size='1'/></body></worldbody>\n<keyframe>\n<key mpos='1 2'/>"
        "</keyframe></mujoco>",
        3, "threes");
    mjcf_refuse("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody><keyframe>\n<key qvel='1 2'/>"
                "</keyframe></mujoco>",
                2, "qvel has 2 numbers, but the model takes 1");
}

// Limited without a range is a ball that may not turn; a hinge without one is a mistake.
Test(mjcf, a_ball_is_limited_without_a_range) {
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><body><joint type='ball' limited='true'/><geom size='1'/></body></worldbody></mujoco>");
    cr_assert(m->joint[0].limited && m->joint[0].range[1] > 0.0 && m->joint[0].range[1] < 1e-5);
    ts_model_free(m);
    mjcf_refuse("<mujoco><worldbody><body>\n<joint limited='true'/><geom size='1'/></body></worldbody></mujoco>", 2,
                "range");
}

Test(mjcf, keyframes) {
    ts_model* m = mjcf_read(
        "<mujoco><custom><numeric name='touchstone.initial_keyframe' data='1'/></custom><worldbody><body><joint/>"
        "<geom size='1'/></body></worldbody><keyframe><key name='a' qpos='1'/></keyframe>"
        "<keyframe><key name='b' time='2.5' qpos='3' qvel='4'/></keyframe></mujoco>");
    cr_assert_eq(m->keyframe_count, 2);
    cr_assert(m->keyframe[0].qpos[0] == 1.0 && m->keyframe[0].qvel[0] == 0.0 && m->keyframe[0].time == 0.0);
    cr_assert(m->keyframe[1].qpos[0] == 3.0 && m->keyframe[1].qvel[0] == 4.0 && m->keyframe[1].time == 2.5);
    cr_assert(m->qpos0[0] == 3.0 && m->qvel0[0] == 4.0);
    cr_assert_eq(ts_model_find_keyframe(m, "b"), 1);
    ts_model_free(m);
}

// One that is called "home" is where people expect a robot to start; what the file says itself goes before.
Test(mjcf, home_is_where_a_model_starts) {
    static const char text[] =
        "<mujoco>%s<worldbody><body><joint/><geom size='1'/></body></worldbody><keyframe><key name='a' qpos='1'/>"
        "<key name='home' qpos='2' qvel='3'/></keyframe></mujoco>";
    static const char* const says[] = {"", "<custom><numeric name='touchstone.initial_keyframe' data='0'/></custom>"};
    for (int i = 0; i < 2; ++i) {
        char file[512];
        ts_status status;
        ts_sim* sim = NULL;
        snprintf(file, sizeof file, text, says[i]);
        ts_model* m = mjcf_read(file);
        cr_assert_eq(m->initial_keyframe, i ? 0 : 1);
        cr_assert_eq(ts_sim_create(m, 1, &sim, &status), TS_OK);
        cr_expect_eq(sim->qpos[0], i ? 1.0 : 2.0);
        cr_expect_eq(sim->qvel[0], i ? 0.0 : 3.0);
        cr_expect_eq(ts_sim_start_from(sim, "none", &status), TS_OK);
        cr_expect(sim->qpos[0] == 0.0 && sim->qvel[0] == 0.0);
        cr_expect_eq(ts_sim_start_from(sim, "a", &status), TS_OK);
        sim->qpos[0] = 9.0;
        ts_sim_reset(sim);
        cr_expect_eq(sim->qpos[0], 1.0, "a reset goes back to where it was told to start");
        cr_expect_eq(ts_sim_start_from(sim, "b", &status), TS_ERROR_VALUE);
        cr_expect_not_null(strstr(status.message, "home"), "%s", status.message);
        cr_expect_eq(sim->qpos[0], 1.0);
        ts_sim_free(sim);
        ts_model_free(m);
    }
}

Test(mjcf, sites) {
    ts_model* m = mjcf_read("<mujoco><worldbody><body pos='1 0 0'><site name='s' pos='0 1 0' size='.25' quat='0 1 0 "
                            "0'/><site name='t' fromto='0 0 0 0 2 0'/>"
                            "</body></worldbody></mujoco>");
    int s = ts_model_find_site(m, "s"), t = ts_model_find_site(m, "t");
    cr_assert(m->site[s].body == 1 && m->site[s].pose.position.y == 1.0 && m->site[s].shape.radius == 0.25);
    cr_assert_eq(m->site[s].pose.rotation.x, 1.0);
    cr_assert_eq(m->site[t].pose.position.y, 1.0);
    ts_model_free(m);
}

// A frame is nothing but a pose: the model is the same as with the poses multiplied by hand.
Test(mjcf, frames_compose) {
    ts_model* m =
        mjcf_read("<mujoco><worldbody><frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'><body name='b' pos='0 0 1'>"
                  "<frame euler='0 0 90' pos='0 0 5'><joint axis='1 0 0' pos='1 0 0'/><geom size='.1' pos='1 0 "
                  "0'/></frame></body></frame>"
                  "<geom name='g' size='.1' pos='0 1 0'/></frame></worldbody></mujoco>");
    const ts_body* b = &m->body[1];
    cr_assert_lt(ts_vec3_distance(b->pose.position, ts_vec3_make(1.0, 1.0, 1.0)), 1e-15);
    cr_assert_lt(ts_vec3_distance(ts_quat_rotate(b->pose.rotation, ts_vec3_axis(0)), ts_vec3_axis(1)), 1e-15);
    cr_assert_lt(ts_vec3_distance(m->joint[0].axis, ts_vec3_axis(1)), 1e-15);
    cr_assert_lt(ts_vec3_distance(m->joint[0].anchor, ts_vec3_make(0.0, 1.0, 5.0)), 1e-15);
    const ts_geom* g = &m->geom[ts_model_find_geom(m, "g")];
    cr_assert_lt(ts_vec3_distance(g->pose.position, ts_vec3_zero()), 1e-15);
    ts_model_free(m);
}

Test(mjcf, replicas_turn_and_move_against_each_other) {
    ts_model* m = mjcf_read("<mujoco><worldbody><replicate count='12' euler='0 0 90' offset='1 0 0' sep='-'>"
                            "<body name='b' pos='0 0 1'><freejoint/><geom name='g' size='.1'/><site name='s'/></body>"
                            "</replicate></worldbody></mujoco>");
    cr_assert_eq(m->body_count, 13);
    cr_assert_eq(ts_model_find_body(m, "b-00"), 1);
    cr_assert_eq(ts_model_find_geom(m, "g-11"), 11);
    cr_assert_eq(ts_model_find_site(m, "s-07"), 7);
    // Steps of one metre, a quarter turn after each: a square walked three times.
    static const double corner[4][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}};
    for (int i = 0; i < 12; ++i) {
        ts_vec3 wanted = ts_vec3_make(corner[i % 4][0], corner[i % 4][1], 1.0);
        cr_assert_lt(ts_vec3_distance(m->body[1 + i].pose.position, wanted), 1e-14, "replica %d", i);
    }
    ts_model_free(m);
}

Test(mjcf, bodies_come_depth_first) {
    ts_model* m = mjcf_read("<mujoco><worldbody><body name='a'><body name='b'><joint/><geom "
                            "size='1'/></body><joint/><geom size='1'/></body>"
                            "<body name='c'><joint type='slide'/><geom size='1'/></body></worldbody></mujoco>");
    cr_assert_eq(ts_model_find_body(m, "a"), 1);
    cr_assert_eq(ts_model_find_body(m, "b"), 2);
    cr_assert_eq(ts_model_find_body(m, "c"), 3);
    cr_assert_eq(m->dof[0].body, 1, "the joint behind the child body still comes first");
    cr_assert_eq(m->dof[1].parent, 0);
    cr_assert_eq(m->tree_count, 2);
    ts_model_free(m);
}

Test(mjcf, inline_meshes) {
    static const char box[] = "0 0 0  1 0 0  0 2 0  1 2 0  0 0 3  1 0 3  0 2 3  1 2 3";
    char text[2000];
    // A box of 1 x 2 x 3 with a dent would differ between hull and triangles; this one is convex, so all agree.
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' vertex='%s' face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 "
             "4 6 1 3 5 3 7 5' %%s/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='m' pos='10 0 0'/></body></worldbody></mujoco>",
             box);
    static const char* const how[] = {"", "inertia='exact'", "inertia='convex'"};
    for (int i = 0; i < 3; ++i) {
        char full[2100];
        snprintf(full, sizeof full, text, how[i]);
        ts_model* m = mjcf_read(full);
        expect_inertia(&m->body[1], 6000.0, 500.0 * 13.0, 500.0 * 10.0, 500.0 * 5.0);
        cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(10.5, 1.0, 1.5)), 1e-12);
        cr_assert_eq(m->geom[0].shape.kind, TS_SHAPE_HULL);
        cr_assert_eq(m->geom[0].shape.hull, m->hull[0]);
        ts_model_free(m);
    }
    // First moved by -refpos, then turned back by refquat, then scaled (a mirror keeps the volume positive).
    char full[2100];
    snprintf(full, sizeof full, text, "inertia='exact' refpos='1 0 0' refquat='1 0 0 1' scale='1 -2 1'");
    ts_model* m = mjcf_read(full);
    cr_assert_float_eq(m->body[1].mass, 12000.0, 1e-8);
    // The centre (.5 1 1.5) - (1 0 0) = (-.5 1 1.5), turned by -90 degrees about z: (1 .5 1.5), scaled: (1 -1 1.5).
    cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(11.0, -1.0, 1.5)), 1e-12);
    ts_model_free(m);
    // A shell: six sides of unit density per area.
    snprintf(full, sizeof full, text, "inertia='shell'");
    m = mjcf_read(full);
    cr_assert_float_eq(m->body[1].mass, 22000.0, 1e-8);
    ts_model_free(m);
}

// A dented box: the triangles weigh less than the hull that collides.
Test(mjcf, meshes_that_are_not_convex) {
    // An L of three unit cubes, as a prism over a hexagon, height 1.
    char text[3000];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' %%s vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 "
             "2 1 0 2 1'"
             " face='0 3 1 1 3 2 0 5 3 5 4 3  6 7 9 7 8 9 6 9 11 11 9 10"
             " 0 1 6 1 7 6 1 2 7 2 8 7 2 3 8 3 9 8 3 4 9 4 10 9 4 5 10 5 11 10 5 0 11 0 6 11'/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>");
    char full[3100];
    snprintf(full, sizeof full, text, "inertia='exact'");
    ts_model* m = mjcf_read(full);
    // Three unit cubes centred at (.5 .5), (1.5 .5), (.5 1.5), half way up.
    cr_assert_float_eq(m->body[1].mass, 3.0, 1e-13);
    cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(2.5 / 3.0, 2.5 / 3.0, 0.5)), 1e-13);
    double zz = 0.0;
    static const double at[3][2] = {{0.5, 0.5}, {1.5, 0.5}, {0.5, 1.5}};
    for (int i = 0; i < 3; ++i) {
        double x = at[i][0] - 2.5 / 3.0, y = at[i][1] - 2.5 / 3.0;
        zz += 1.0 / 6.0 + x * x + y * y;
    }
    cr_assert_float_eq(m->body[1].inertia.m[2][2], zz, 1e-13);
    cr_assert_float_eq(m->hull[0]->volume, 3.5, 1e-12);
    ts_model_free(m);
    snprintf(full, sizeof full, text, "inertia='convex'");
    m = mjcf_read(full);
    cr_assert_float_eq(m->body[1].mass, 3.5, 1e-12);
    ts_model_free(m);
}

// With several angles, replica i is turned by i times each of them, which is not i times the turn.
Test(mjcf, replicas_multiply_their_angles) {
    ts_model* m =
        mjcf_read("<mujoco><worldbody><replicate count='3' euler='10 20 30' offset='1 2 3'><body/></replicate>"
                  "<body name='one' euler='10 20 30'/><body name='two' euler='20 40 60'/></worldbody></mujoco>");
    ts_quat one = m->body[ts_model_find_body(m, "one")].pose.rotation;
    ts_quat two = m->body[ts_model_find_body(m, "two")].pose.rotation;
    ts_vec3 offset = ts_vec3_make(1.0, 2.0, 3.0);
    ts_quat got = m->body[3].pose.rotation;
    cr_assert_float_eq(fabs(got.w * two.w + got.x * two.x + got.y * two.y + got.z * two.z), 1.0, 1e-15);
    cr_assert_lt(ts_vec3_distance(m->body[3].pose.position, ts_vec3_add(offset, ts_quat_rotate(one, offset))), 1e-14);
    ts_model_free(m);
}

// An L of three unit cubes with part of its bottom missing. The numbers are MuJoCo 4.0's, which keeps vertices in single
// precision.
Test(mjcf, meshes_that_are_open) {
    ts_model* m =
        mjcf_read("<mujoco><asset><mesh name='m' inertia='exact' "
                  "vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' "
                  "face='0 5 3 5 4 3 6 7 9 7 8 9 6 9 11 11 9 10 0 1 6 1 7 6 1 2 7 2 8 7 2 3 8 3 9 8 3 4 9 4 10 9 "
                  "4 5 10 5 11 10 5 0 11 0 6 11'/></asset><worldbody><body><freejoint/>"
                  "<geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>");
    cr_assert_float_eq(m->body[1].mass, 2.731470588, 1e-6);
    cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(0.80382353, 0.86147059, 0.53705882)), 1e-6);
    ts_model_free(m);
}

// A mirrored mesh is turned inside out; its triangles are turned with it. (The hull would weigh 3.5.)
Test(mjcf, mirrored_meshes) {
    ts_model* m =
        mjcf_read("<mujoco><asset><mesh name='m' inertia='exact' scale='-1 1 1' "
                  "vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' "
                  "face='0 3 1 1 3 2 0 5 3 5 4 3 6 7 9 7 8 9 6 9 11 11 9 10 0 1 6 1 7 6 1 2 7 2 8 7 2 3 8 3 9 8 "
                  "3 4 9 4 10 9 4 5 10 5 11 10 5 0 11 0 6 11'/></asset><worldbody><body><freejoint/>"
                  "<geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>");
    cr_assert_float_eq(m->body[1].mass, 3.0, 1e-12);
    cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(-2.5 / 3.0, 2.5 / 3.0, 0.5)), 1e-12);
    ts_model_free(m);
}

// The surface of a unit cube with unit density per area: 6 kg, and about each axis 5/18 m a^2.
Test(mjcf, shells) {
    ts_model* m = mjcf_read("<mujoco><asset><mesh name='m' inertia='shell' "
                            "vertex='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1' "
                            "face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5'/></asset>"
                            "<worldbody><body><freejoint/><geom type='mesh' mesh='m' density='1' pos='3 0 0'/></body>"
                            "</worldbody></mujoco>");
    expect_inertia(&m->body[1], 6.0, 6.0 * 5.0 / 18.0, 6.0 * 5.0 / 18.0, 6.0 * 5.0 / 18.0);
    cr_assert_lt(ts_vec3_distance(m->body[1].centre, ts_vec3_make(3.5, 0.5, 0.5)), 1e-14);
    ts_model_free(m);
}

Test(mjcf, a_turned_geom_turns_its_inertia) {
    ts_model* m = body_of("", "", "<geom type='box' size='.3 .4 .5' mass='3' euler='0 0 90'/>");
    // Edges along x and y are swapped: m/3 (b^2 + c^2) with half edges.
    expect_inertia(&m->body[1], 3.0, 0.09 + 0.25, 0.16 + 0.25, 0.09 + 0.16);
    ts_model_free(m);
}

// A box of 2 x 4 x 6, off its origin, as corners alone: the longest side comes last.
Test(mjcf, primitives_are_fitted_to_meshes) {
    static const char text[] = "<mujoco><compiler fitaabb='%s'/><asset><mesh name='m' vertex='0 0 0 4 0 0 4 6 0 0 6 0 "
                               "0 0 2 4 0 2 4 6 2 0 6 2'/>"
                               "</asset><worldbody><body><freejoint/><geom type='%s' mesh='m' pos='1 0 0' "
                               "fitscale='0.5'/></body></worldbody></mujoco>";
    static const struct {
        const char *by_box, *type;
        double size[3];
    } wanted[] = {
        {"false", "box", {0.5, 1.0, 1.5}}, {"true", "box", {0.5, 1.0, 1.5}},    {"false", "ellipsoid", {0.5, 1.0, 1.5}},
        {"false", "sphere", {1.0}},        {"true", "sphere", {1.5}},           {"false", "cylinder", {0.75, 1.5}},
        {"true", "cylinder", {1.0, 1.5}},  {"false", "capsule", {0.75, 1.125}}, {"true", "capsule", {1.0, 0.5}}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        char full[1000];
        snprintf(full, sizeof full, text, wanted[i].by_box, wanted[i].type);
        ts_model* m = mjcf_read(full);
        const ts_geom* geom = &m->geom[0];
        cr_assert_str_eq(ts_shape_kind_name(geom->shape.kind), wanted[i].type);
        for (int k = 0; k < ts_shape_kind_info_of(geom->shape.kind)->parameter_count; ++k)
            cr_assert_float_eq(ts_shape_value(&geom->shape, k), wanted[i].size[k], 1e-12, "%s %d", wanted[i].type, k);
        cr_assert_lt(ts_vec3_distance(geom->pose.position, ts_vec3_make(3.0, 3.0, 1.0)), 1e-12);
        ts_vec3 along = ts_quat_rotate(geom->pose.rotation, ts_vec3_axis(2));
        cr_assert_float_eq(fabs(along.y), 1.0, 1e-12);
        ts_model_free(m);
    }
}

Test(mjcf, without_constraints_nothing_holds) {
    ts_model* m =
        mjcf_read("<mujoco><option><flag constraint='disable'/></option><worldbody><geom type='plane' size='1 1 1'/>"
                  "<body><joint name='j' range='-1 1' frictionloss='1'/><geom size='1' pos='1 0 0'/></body></worldbody>"
                  "<equality><joint joint1='j'/></equality></mujoco>");
    cr_assert_eq(m->joint[0].limited, 0);
    cr_assert_eq(m->joint[0].friction, 0.0);
    cr_assert_eq(m->equality[0].active, 0);
    cr_assert_not(ts_model_geoms_can_touch(m, 0, 1));
    ts_model_free(m);
}
