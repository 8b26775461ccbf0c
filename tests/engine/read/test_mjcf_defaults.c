// Default classes: who inherits what from whom.
#include "tests/engine/read/mjcf_sample.h"

static double friction_of(const ts_model* m, const char* geom) {
    int index = ts_model_find_geom(m, geom);
    cr_assert_geq(index, 0);
    return m->geom[index].surface.friction;
}

Test(mjcf_defaults, nearest_class_wins) {
    ts_model* m = mjcf_read(
        "<mujoco><default><geom friction='.1' size='.5'/>"
        "<default class='a'><geom friction='.2'/><default class='aa'><geom friction='.3'/></default>"
        "<default class='ab'><joint damping='7'/></default></default>"
        "<default class='b'><geom type='box' size='1 1 1'/></default></default><worldbody>"
        "<geom name='main'/><geom name='a' class='a'/><geom name='aa' class='aa'/><geom name='ab' class='ab'/>"
        "<geom name='own' class='aa' friction='.9'/><geom name='b' class='b'/>"
        "<body childclass='a'><joint class='ab'/><geom name='child'/><body><geom name='grandchild'/></body>"
        "<body childclass='b'><geom name='other'/><frame childclass='aa'><geom name='framed'/></frame></body>"
        "<geom name='explicit' class='main'/></body></worldbody></mujoco>");
    static const struct {
        const char* name;
        double friction;
    } wanted[] = {{"main", 0.1},  {"a", 0.2},          {"aa", 0.3},    {"ab", 0.2},     {"own", 0.9},     {"b", 0.1},
                  {"child", 0.2}, {"grandchild", 0.2}, {"other", 0.1}, {"framed", 0.3}, {"explicit", 0.1}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
        cr_assert_eq(friction_of(m, wanted[i].name), wanted[i].friction, "%s", wanted[i].name);
    cr_assert_eq(m->geom[ts_model_find_geom(m, "other")].shape.kind, TS_SHAPE_BOX);
    cr_assert_eq(m->geom[ts_model_find_geom(m, "framed")].shape.kind, TS_SHAPE_SPHERE);
    cr_assert_eq(m->joint[0].damping, 7.0);
    ts_model_free(m);
}

// As in MuJoCo: what a class says holds, and what nobody says is the default.
Test(mjcf_defaults, blank_attributes_say_nothing) {
    ts_model* m = mjcf_read("<mujoco><default><geom friction='.3' rgba='1 0 .5 1'/></default><worldbody>"
                            "<geom size='.1' rgba='' friction='' pos=' ' condim='' solref=''/></worldbody></mujoco>");
    cr_assert_eq(m->geom[0].surface.friction, 0.3);
    cr_assert(m->geom[0].rgba[0] == 1.0f && m->geom[0].rgba[1] == 0.0f && m->geom[0].rgba[2] == 0.5f);
    cr_assert_eq(m->geom[0].shape.radius, 0.1);
    ts_model_free(m);
}

Test(mjcf_defaults, sections_add_up_and_the_later_wins) {
    ts_model* m =
        mjcf_read("<mujoco><worldbody><geom name='g'/></worldbody><default><geom size='.1' friction='.1'/></default>"
                  "<default class='main'><geom friction='.2'/></default></mujoco>");
    cr_assert_eq(m->geom[0].surface.friction, 0.2);
    cr_assert_eq(m->geom[0].shape.radius, 0.1);
    ts_model_free(m);
}

Test(mjcf_defaults, an_own_orientation_beats_any_inherited_spelling) {
    ts_model* m = mjcf_read("<mujoco><default><geom size='.1' euler='90 0 0' pos='1 2 3'/></default><worldbody>"
                            "<geom name='inherits'/><geom name='own' quat='0 0 0 1'/></worldbody></mujoco>");
    const ts_geom* own = &m->geom[ts_model_find_geom(m, "own")];
    cr_assert_eq(own->pose.rotation.z, 1.0);
    cr_assert_eq(own->pose.position.y, 2.0);
    cr_assert_float_eq(m->geom[ts_model_find_geom(m, "inherits")].pose.rotation.x, 0.70710678118654752, 1e-15);
    ts_model_free(m);
}

Test(mjcf_defaults, a_range_is_converted_by_the_final_type) {
    ts_model* m = mjcf_read(
        "<mujoco><default><joint range='-90 90'/><default class='s'><joint type='slide'/></default></default>"
        "<worldbody><body><joint name='h'/><joint name='s' class='s'/><geom size='1'/></body></worldbody></mujoco>");
    cr_assert_eq(m->joint[ts_model_find_joint(m, "s")].range[1], 90.0);
    cr_assert_float_eq(m->joint[ts_model_find_joint(m, "h")].range[1], 1.5707963267948966, 1e-15);
    ts_model_free(m);
}

Test(mjcf_defaults, meshes_materials_and_sites_have_defaults_too) {
    ts_model* m = mjcf_read(
        "<mujoco><default><mesh scale='2 2 2' inertia='exact'/><material rgba='0 1 0 1'/><site size='.5'/></default>"
        "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><material name='g'/></asset><worldbody>"
        "<geom type='mesh' mesh='m' material='g'/><site/></worldbody></mujoco>");
    cr_assert_float_eq(m->hull[0]->volume, 8.0 / 6.0, 1e-14);
    cr_assert_eq(m->geom[0].rgba[1], 1.0f);
    cr_assert_eq(m->geom[0].rgba[0], 0.0f);
    cr_assert_eq(m->site[0].shape.radius, 0.5);
    ts_model_free(m);
}

Test(mjcf_defaults, a_free_joint_has_none) {
    ts_model* m = mjcf_read("<mujoco><default><joint damping='3' "
                            "armature='2'/></default><worldbody><body><freejoint/><geom size='1'/></body>"
                            "<body><joint type='free'/><geom size='1'/></body></worldbody></mujoco>");
    cr_assert_eq(m->dof[0].damping, 0.0);
    cr_assert_eq(m->dof[6].damping, 3.0);
    cr_assert_eq(m->dof[6].armature, 2.0);
    ts_model_free(m);
}

Test(mjcf_defaults, what_is_refused) {
    mjcf_refuse("<mujoco>\n<worldbody>\n<geom size='1' class='x'/></worldbody></mujoco>", 3,
                "unknown default class 'x'");
    mjcf_refuse("<mujoco>\n<worldbody>\n<body childclass='x'/></worldbody></mujoco>", 3, "unknown default class 'x'");
    mjcf_refuse("<mujoco><default>\n<default>\n</default></default></mujoco>", 2, "needs a class name");
    mjcf_refuse("<mujoco><default>\n<default class='a'/>\n<default class='a'/></default></mujoco>", 3, "defined twice");
    mjcf_refuse("<mujoco><default>\n<geom siez='1'/></default></mujoco>", 2, "no attribute 'siez'");
    mjcf_refuse("<mujoco><default>\n<goem size='1'/></default></mujoco>", 2, "no element <goem>");
    mjcf_refuse("<mujoco><default>\n<geom name='n'/></default></mujoco>", 2, "cannot have a name");
    mjcf_refuse("<mujoco><default>\n<geom/>\n<geom/></default></mujoco>", 3, "second <geom>");
    // The place of a bad number is where it stands, not where it is used.
    mjcf_refuse("<mujoco><default>\n<geom size='x'/></default>\n<worldbody>\n<geom/></worldbody></mujoco>", 2,
                "'x' is not a number");
}
