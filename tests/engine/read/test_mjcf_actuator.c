// <actuator>: shortcuts, their defaults, ranges, keyframes, and what is refused. The numbers of defaults that follow each other are
// those of MuJoCo 4.0 (tests/python/test_against_mujoco.py asks it).
#include "tests/engine/read/mjcf_sample.h"

#define ARM                                                                                                        \
    "<worldbody><site name='hook'/><body name='a'><joint name='j' range='-90 180' actuatorfrcrange='-4 5'/><geom " \
    "size='.1'/><site name='tip'/><body><joint name='k' type='ball'/><geom size='.1'/></body></body></worldbody>"

static void expect_law(const ts_actuator* a, const double gain[3], const double bias[3]) {
    for (int i = 0; i < 3; ++i) {
        cr_assert_eq(a->gain[i], gain[i], "%s: gain[%d] = %g", a->name, i, a->gain[i]);
        cr_assert_eq(a->bias[i], bias[i], "%s: bias[%d] = %g", a->name, i, a->bias[i]);
    }
}

Test(mjcf_actuator, shortcuts) {
    ts_model* m =
        mjcf_read("<mujoco>" ARM "<actuator><motor name='m' joint='j' gear='3' ctrlrange='-1 1'/>"
                  "<position name='p' joint='j' kp='20' kv='2' timeconst='.3' forcerange='-7 8'/>"
                  "<velocity name='v' joint='j' kv='5'/><intvelocity name='i' joint='j' kp='6' inheritrange='.5'/>"
                  "<damper name='d' joint='j' kv='2' ctrlrange='0 3'/>"
                  "<cylinder name='c' joint='j' timeconst='2' area='3' bias='1 2 3'/>"
                  "<general name='g' site='tip' refsite='hook' gear='1 2 3 4 5 6' gaintype='affine' "
                  "gainprm='1 2 3' biastype='affine' biasprm='4 5 6' dyntype='filter' dynprm='.1' actrange='0 1' "
                  "actearly='true'/><motor name='b' jointinparent='k'/></actuator></mujoco>");
    const ts_actuator* a = m->actuator;
    const double zero[3] = {0.0, 0.0, 0.0};
    cr_assert_eq(m->actuator_count, 8);
    cr_assert_eq(m->act_count, 4);
    expect_law(&a[0], (double[]){1.0, 0.0, 0.0}, zero);
    cr_assert(a[0].gear[0] == 3.0 && a[0].control.limited && a[0].control.range[0] == -1.0);
    cr_assert_str_eq(ts_transmission_name(a[0].transmission), "joint");
    cr_assert_str_eq(ts_actuator_target_name(m, &a[0]), "j");
    expect_law(&a[1], (double[]){20.0, 0.0, 0.0}, (double[]){0.0, -20.0, -2.0});
    cr_assert(a[1].activation == TS_ACTIVATION_FILTER_EXACT && a[1].time_constant == 0.3 && a[1].act == 0);
    cr_assert(a[1].force.limited && a[1].force.range[1] == 8.0 && !a[1].control.limited);
    expect_law(&a[2], (double[]){5.0, 0.0, 0.0}, (double[]){0.0, 0.0, -5.0});
    expect_law(&a[3], (double[]){6.0, 0.0, 0.0}, (double[]){0.0, -6.0, 0.0});
    cr_assert(a[3].activation == TS_ACTIVATION_INTEGRATOR && a[3].act_limits.limited);
    // Half of -90 to 180 degrees about its middle.
    cr_assert_float_eq(a[3].act_limits.range[0], -22.5 * acos(-1.0) / 180.0, 1e-14);
    cr_assert_float_eq(a[3].act_limits.range[1], 112.5 * acos(-1.0) / 180.0, 1e-14);
    expect_law(&a[4], (double[]){0.0, 0.0, -2.0}, zero);
    expect_law(&a[5], (double[]){3.0, 0.0, 0.0}, (double[]){1.0, 2.0, 3.0});
    cr_assert(a[5].activation == TS_ACTIVATION_FILTER && a[5].time_constant == 2.0);
    expect_law(&a[6], (double[]){1.0, 2.0, 3.0}, (double[]){4.0, 5.0, 6.0});
    cr_assert(a[6].act_early && a[6].act == 3 && a[6].gear[5] == 6.0);
    cr_assert_str_eq(m->site[a[6].target].name, "tip");
    cr_assert_str_eq(m->site[a[6].reference].name, "hook");
    cr_assert_str_eq(ts_transmission_name(a[7].transmission), "jointinparent");
    cr_assert(m->joint[0].actuation.limited && m->joint[0].actuation.range[1] == 5.0);
    ts_model_free(m);
}

Test(mjcf_actuator, defaults_are_told_from_the_outermost_class_on) {
    ts_model* m = mjcf_read(
        "<mujoco><default><position kp='50' kv='3' gear='2'/><default class='in'><position kp='60'/></default>"
        "<default class='gen'><general biastype='affine' gainprm='40' biasprm='9 -40 -1'/></default>"
        "<default class='off'><velocity kv='4'/></default></default>" ARM
        "<actuator><position name='p' joint='j'/><position name='in' class='in' joint='j'/><velocity name='v' "
        "joint='j'/>"
        "<position name='gen' class='gen' joint='j'/><general name='raw' class='gen' joint='j'/>"
        "<velocity name='gv' class='gen' joint='j'/><position name='off' class='off' joint='j'/>"
        "<motor name='m' joint='j'/></actuator></mujoco>");
    const ts_actuator* a = m->actuator;
    expect_law(&a[0], (double[]){50.0, 0.0, 0.0}, (double[]){0.0, -50.0, -3.0});
    expect_law(&a[1], (double[]){60.0, 0.0, 0.0}, (double[]){0.0, -60.0, -3.0});
    expect_law(&a[2], (double[]){1.0, 0.0, 0.0}, (double[]){0.0, 0.0, -1.0});
    expect_law(&a[3], (double[]){40.0, 0.0, 0.0}, (double[]){0.0, -40.0, -1.0});
    expect_law(&a[4], (double[]){40.0, 0.0, 0.0}, (double[]){9.0, -40.0, -1.0});
    expect_law(&a[5], (double[]){40.0, 0.0, 0.0}, (double[]){0.0, 0.0, -40.0});
    expect_law(&a[6], (double[]){1.0, 0.0, 0.0}, (double[]){0.0, -1.0, 0.0});
    for (int i = 0; i < 8; ++i) cr_assert_eq(a[i].gear[0], 2.0, "gears are no part of a law");
    ts_model_free(m);
}

Test(mjcf_actuator, switches) {
    ts_model* m = mjcf_read(
        "<mujoco><option actuatorgroupdisable='2 5'><flag clampctrl='disable'/></option>" ARM
        "<actuator><motor joint='j' group='2' ctrlrange='0 1'/><motor joint='j' group='1'/></actuator></mujoco>");
    cr_assert(!m->actuator[0].active && m->actuator[1].active && !m->actuator[0].control.limited);
    ts_model_free(m);
    m = mjcf_read("<mujoco><option><flag actuation='disable'/></option>" ARM
                  "<actuator><motor joint='j'/></actuator></mujoco>");
    cr_assert(!m->actuator[0].active);
    ts_model_free(m);
}

// A keyframe counts what is left out, too.
Test(mjcf_actuator, keyframes) {
    ts_model* m = mjcf_read("<mujoco>" ARM "<actuator><position joint='j' timeconst='1'/><general joint='j' "
                            "dyntype='user'/><intvelocity joint='j'/></actuator>"
                            "<keyframe><key name='home' ctrl='1 2 3' act='4 5 6'/><key/></keyframe></mujoco>");
    const ts_keyframe* key = m->keyframe;
    cr_assert(key[0].ctrl[0] == 1.0 && key[0].ctrl[1] == 3.0 && key[0].act[0] == 4.0 && key[0].act[1] == 6.0);
    cr_assert(key[1].ctrl[0] == 0.0 && key[1].act[1] == 0.0);
    ts_model_free(m);
}

static void refuse(const char* actuator, const char* wanted) {
    char text[2000];
    snprintf(text, sizeof text, "<mujoco>" ARM "<actuator>\n%s</actuator></mujoco>", actuator);
    mjcf_refuse(text, 2, wanted);
}

Test(mjcf_actuator, what_is_refused) {
    refuse("<position/>", "needs one thing that it pulls at");
    refuse("<position joint='j' site='tip'/>", "needs one thing that it pulls at (joint, site, ...), not 2");
    refuse("<position joint='x'/>", "there is no joint 'x'");
    refuse("<position joint='j' kv='1' dampratio='1'/>", "both kv and dampratio");
    refuse("<position joint='j' kv='-1'/>", "kv of position cannot be negative");
    refuse("<position joint='j' ctrlrange='0 1' inheritrange='1'/>", "both inheritrange and a range");
    refuse("<position joint='k' inheritrange='1'/>", "has no range");
    refuse("<motor joint='j' kp='1'/>", "motor has no attribute 'kp'");
    refuse("<general joint='j' dyntype='magic'/>", "must be one of none, integrator");
    refuse("<motor name='a' joint='j' forcerange='2 1' forcelimited='true'/>", "range of its force is empty");
    refuse("<damper name='a' joint='j' ctrlrange='3 1'/>", "range of its control is empty");
    refuse("<thruster joint='j'/>", "no element <thruster>");
    refuse("<muscle joint='j' range='1 1'/>", "range of its muscle is empty");
    refuse("<muscle joint='j' tausmooth='-1'/>", "tausmooth of muscle cannot be negative");
    refuse("<motor cranksite='tip' cranklength='1'/>", "a crank needs a slider");
    refuse("<motor cranksite='tip' slidersite='tip'/>", "its rod needs a length");
    refuse("<adhesion body='nowhere' ctrlrange='0 1'/>", "there is no body 'nowhere'");
    refuse("<adhesion ctrlrange='-1 1' body='world'/>", "cannot be negative");
    mjcf_refuse("<mujoco>" ARM
                "<actuator><motor joint='j'/></actuator><keyframe>\n<key ctrl='1 2'/></keyframe></mujoco>",
                2, "ctrl has 2 numbers, but the model takes 1");
    mjcf_refuse("<mujoco>\n<option actuatorgroupdisable='31'/></mujoco>", 2, "groups from 0 to 30");
}
