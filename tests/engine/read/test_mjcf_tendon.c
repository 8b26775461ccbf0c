// <tendon>: parts, classes, lengths at rest, what actuators make of it, and what is refused.
#include "tests/engine/read/mjcf_sample.h"

#define ARM                                                                                                          \
    "<worldbody><site name='post' pos='0 0 1'/><geom name='ball' size='.1'/><body name='a'><joint name='j'/><joint " \
    "name='k' type='slide' ref='.5'/><geom size='.1'/><site name='tip' pos='0 0 -2'/></body></worldbody>"

Test(mjcf_tendon, parts_and_numbers) {
    ts_model* m = mjcf_read(
        "<mujoco><default><tendon frictionloss='2'/><default class='c'><tendon stiffness='5' damping='6'/></default>"
        "</default>" ARM
        "<tendon><fixed name='f' range='-1 2'><joint joint='j' coef='3'/><joint joint='k' coef='-4'/></fixed>"
        "<spatial name='s' class='c' springlength='.3'><site site='post'/><geom geom='ball' sidesite='post'/><site "
        "site='tip'/>"
        "<pulley divisor='2'/><site site='post'/><site site='tip'/></spatial><spatial stiffness='1' range='0 1' "
        "limited='false'><site site='post'/><site site='tip'/></spatial></tendon>"
        "<actuator><position name='p' tendon='f' inheritrange='1'/></actuator></mujoco>");
    const ts_tendon* t = m->tendon;
    const ts_tendon_part* part = m->tendon_part;
    cr_assert_eq(m->tendon_count, 3);
    cr_assert(t[0].limits.limited && t[0].limits.range[1] == 2.0 && t[0].friction == 2.0 && t[0].spring == 0.0);
    cr_assert(part[0].number == 3.0 && part[1].number == -4.0);
    cr_assert_str_eq(m->joint[part[1].index].name, "k");
    cr_assert_eq(t[0].length0, -4.0 * 0.5);
    cr_assert(t[1].part_first == 2 && t[1].part_count == 6 && t[1].damping == 6.0 && t[1].rest[1] == 0.3);
    cr_assert(part[3].kind == TS_TENDON_GEOM && part[5].kind == TS_TENDON_PULLEY && part[5].number == 2.0);
    cr_assert_str_eq(m->site[part[3].side].name, "post");
    cr_assert_str_eq(m->geom[part[3].index].name, "ball");
    // The slide's own spring rests at 0, half a metre below where it is described.
    cr_assert(!t[2].limits.limited && t[2].length0 == 3.0 && t[2].rest[0] == 3.5 && t[2].rest[1] == 3.5, "%g",
              t[2].rest[0]);
    cr_assert_str_eq(ts_actuator_target_name(m, m->actuator), "f");
    cr_assert(m->actuator[0].control.range[0] == -1.0 && m->actuator[0].control.range[1] == 2.0);
    ts_model_free(m);
}

static void refuse(const char* tendon, const char* wanted) {
    char text[2000];
    snprintf(text, sizeof text, "<mujoco>" ARM "<tendon>\n%s</tendon></mujoco>", tendon);
    mjcf_refuse(text, 2, wanted);
}

Test(mjcf_tendon, what_is_refused) {
    refuse("<fixed><joint/></fixed>", "joint of a tendon needs joint");
    refuse("<fixed><joint joint='x'/></fixed>", "there is no joint 'x'");
    refuse("<fixed><site site='tip'/></fixed>", "no element <site>");
    refuse("<spatial><site site='tip'/></spatial>", "needs two sites");
    refuse("<spatial><site site='tip'/><geom geom='ball' sidesite='x'/><site site='post'/></spatial>",
           "there is no site 'x'");
    refuse("<loose/>", "no element <loose>");
    refuse("<fixed kp='1'><joint joint='j'/></fixed>", "no attribute 'kp'");
}
