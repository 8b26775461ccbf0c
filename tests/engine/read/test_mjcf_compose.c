// <replicate> and <attach>: names, what is copied along, what keeps its own classes and angles, and what is refused. The
// expectations are those of MuJoCo 4.0 for the same texts.
#include "tests/engine/read/mjcf_folder.h"

#include <math.h>
#include <sys/stat.h>

TestSuite(mjcf_compose, .init = make_directory, .fini = remove_directory);

static const char kid[] =
    "<mujoco model='kid'><option timestep='0.5'/><compiler angle='radian'/>"
    "<default><geom size='.3'/><default class='q'><geom size='.2'/></default></default><worldbody>"
    "<geom name='floor' type='plane' size='1 1 1'/><body name='b' childclass='q' pos='0 0 1'>"
    "<freejoint name='fr'/><geom name='g'/><body name='c'><joint name='j' range='-1 1'/>"
    "<geom name='h'/><frame name='f' pos='1 0 0'><site name='s'/><geom name='k'/></frame></body></body></worldbody>"
    "<actuator><motor name='m' joint='j'/></actuator>"
    "<contact><exclude body1='world' body2='c'/><pair geom1='floor' geom2='h'/></contact>"
    "<equality><weld name='w' body1='c' body2='world'/></equality></mujoco>";

// A model with `contents` in the world and `rest` behind it, which may attach `kid`.
static ts_model* with_kid(const char* contents, const char* rest) {
    char text[2000];
    put("kid.xml", kid);
    snprintf(text, sizeof text,
             "<mujoco><default><geom size='.9'/><default class='z'><geom size='.7'/></default></default>"
             "<asset><model file='kid.xml'/></asset><worldbody>%s</worldbody>%s</mujoco>",
             contents, rest);
    put("dad.xml", text);
    return load_fine("dad.xml");
}

Test(mjcf_compose, innermost_replicas_number_their_names_first) {
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><replicate count='2' sep='o'><replicate count='10' sep='i'><body name='b'><joint name='j'/>"
        "<geom name='g' size='.1'/></body></replicate></replicate></worldbody>"
        "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
    cr_assert_eq(m->body_count, 21);
    cr_assert_str_eq(m->body[1].name, "bi00o0");
    cr_assert_str_eq(m->body[2].name, "bi01o0");
    cr_assert_str_eq(m->body[20].name, "bi09o1");
    cr_assert_eq(m->actuator_count, 20);
    cr_assert_str_eq(m->actuator[19].name, "mi09o1");
    cr_assert_eq(m->actuator[19].target, ts_model_find_joint(m, "ji09o1"));
    ts_model_free(m);
}

Test(mjcf_compose, what_refers_to_replicas_is_replicated) {
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/><site name='hook' pos='0 0 3'/>"
        "<replicate count='2' offset='1 0 0'><body name='b'><freejoint/><geom name='g' size='.1'/><site "
        "name='s'/></body>"
        "</replicate></worldbody><contact><exclude body1='b' body2='world'/><pair geom1='f' geom2='g'/></contact>"
        "<tendon><spatial name='t'><site site='hook'/><site site='s'/></spatial></tendon>"
        "<equality><weld name='w' body1='b' body2='world'/><connect name='c' body1='b' anchor='0 0 0'/></equality>"
        "<actuator><motor name='first' tendon='t'/></actuator></mujoco>");
    cr_assert_eq(m->exclusion_count, 2);
    cr_assert_eq(m->pair_count, 2);
    cr_assert_eq(m->tendon_count, 2);
    cr_assert_float_eq(m->tendon[1].length0, sqrt(10.0), 1e-12);
    cr_assert_eq(m->equality_count, 4);
    cr_assert_str_eq(m->equality[0].name, "w0");
    cr_assert_str_eq(m->equality[1].name, "c0");
    cr_assert_str_eq(m->equality[3].name, "c1");
    cr_assert_eq(m->actuator_count, 2);
    cr_assert_str_eq(m->actuator[1].name, "first1");
    cr_assert_eq(m->actuator[1].target, 1);
    ts_model_free(m);
}

// What ties a copy to something that is not copied would tie it twice; both are left alone.
Test(mjcf_compose, equalities_of_half_a_copy_are_named) {
    ts_import_report report;
    memset(&report, 0, sizeof report);
    ts_model* m = NULL;
    static const char text[] =
        "<mujoco><worldbody><body name='o'><freejoint/><geom size='.1'/></body><replicate count='2'><body name='b'>"
        "<freejoint/><geom size='.1'/></body></replicate></worldbody><equality><weld body1='b' body2='o'/></equality>"
        "</mujoco>";
    cr_assert_eq(ts_mjcf_parse(text, sizeof text - 1, "text.xml", NULL, &report, &m, NULL), TS_OK);
    cr_assert_eq(m->equality_count, 0);
    cr_assert_eq(ts_import_report_count(&report, TS_IMPORT_IGNORED, 1), 1);
    ts_import_report_free(&report);
    ts_model_free(m);
}

Test(mjcf_compose, a_body_is_attached_with_all_that_refers_to_it) {
    ts_model* m =
        with_kid("<frame pos='0 2 0' childclass='z'><attach model='kid' body='b' prefix='p_'/><geom name='z'/></frame>",
                 "<actuator><motor name='own' joint='p_j'/></actuator>");
    cr_assert_eq(m->body_count, 3);
    int b = ts_model_find_body(m, "p_b");
    cr_assert_eq(b, 1);
    cr_assert_eq(ts_model_find_joint(m, "p_fr"), 0);
    cr_assert_lt(ts_vec3_distance(m->body[b].pose.position, ts_vec3_make(0.0, 2.0, 1.0)), 1e-15);
    // Classes and angles are its own, options are not.
    cr_assert_eq(m->geom[ts_model_find_geom(m, "p_g")].shape.radius, 0.2);
    cr_assert_eq(m->geom[ts_model_find_geom(m, "z")].shape.radius, 0.7);
    cr_assert_eq(m->joint[1].range[1], 1.0);
    cr_assert_neq(m->options.time_step, 0.5);
    cr_assert_eq(m->actuator_count, 2);
    cr_assert_str_eq(m->actuator[0].name, "own");
    cr_assert_str_eq(m->actuator[1].name, "p_m");
    // The floor stays behind, and so does what it was to touch.
    cr_assert_eq(m->pair_count, 0);
    cr_assert_eq(m->exclusion_count, 1);
    cr_assert_eq(m->equality_count, 1);
    cr_assert_str_eq(m->equality[0].name, "p_w");
    ts_model_free(m);
}

Test(mjcf_compose, bodies_frames_and_whole_models_many_times) {
    ts_model* m =
        with_kid("<attach model='kid' prefix='all_'/><frame pos='0 9 0'><attach model='kid' prefix='more_'/></frame>"
                 "<body name='x'><joint/><geom size='.1'/><attach model='kid' body='c' prefix='deep_'/>"
                 "<attach model='kid' frame='f' prefix='frame_'/></body>"
                 "<replicate count='2' sep='-'><attach model='kid' body='b' prefix='_'/></replicate>",
                 "");
    cr_assert_eq(m->body_count, 11);
    cr_assert_eq(m->pair_count, 2);
    cr_assert_geq(ts_model_find_geom(m, "all_floor"), 0);
    cr_assert_eq(m->body[ts_model_find_body(m, "more_b")].pose.position.y, 9.0);
    int x = ts_model_find_body(m, "x");
    cr_assert_eq(m->body[ts_model_find_body(m, "deep_c")].parent, x);
    // The class in which the original stands goes with it.
    cr_assert_eq(m->geom[ts_model_find_geom(m, "deep_h")].shape.radius, 0.2);
    const ts_geom* k = &m->geom[ts_model_find_geom(m, "frame_k")];
    cr_assert_eq(k->body, x);
    cr_assert_eq(k->shape.radius, 0.2);
    cr_assert_eq(k->pose.position.x, 1.0);
    cr_assert_geq(ts_model_find_body(m, "_c-1"), 0);
    cr_assert_eq(m->actuator_count, 5);
    cr_assert_str_eq(m->actuator[4].name, "_m-1");
    ts_model_free(m);
}

Test(mjcf_compose, a_model_attaches_its_own_parts) {
    ts_model* m = mjcf_read(
        "<mujoco><default><geom size='.3'/><default class='q'><geom size='.2'/></default></default><worldbody>"
        "<body name='b' childclass='q'><joint name='j'/><geom name='g'/><attach body='b' prefix='in_'/></body>"
        "<frame pos='1 0 0'><attach body='b' prefix='z_'/></frame></worldbody>"
        "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
    cr_assert_eq(m->body_count, 5);
    cr_assert_eq(m->body[ts_model_find_body(m, "in_b")].parent, ts_model_find_body(m, "b"));
    cr_assert_eq(m->body[ts_model_find_body(m, "z_in_b")].parent, ts_model_find_body(m, "z_b"));
    cr_assert_eq(m->geom[ts_model_find_geom(m, "z_in_g")].shape.radius, 0.2);
    cr_assert_eq(m->actuator_count, 4);
    ts_model_free(m);
}

Test(mjcf_compose, models_in_models_have_their_own_files) {
    char path[600];
    snprintf(path, sizeof path, "%s/sub", directory);
    cr_assert_eq(mkdir(path, 0700), 0);
    put("sub/part.xml", "<mujoco><geom name='pg' size='.1'/></mujoco>");
    put("sub/corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    put("sub/deep.xml",
        "<mujoco model='deep'><asset><mesh file='corner.obj'/></asset><worldbody><body name='d'>"
        "<geom name='m' type='mesh' mesh='corner'/><include file='part.xml'/></body></worldbody></mujoco>");
    put("mid.xml", "<mujoco><asset><model name='in' file='sub/deep.xml'/></asset><worldbody><body name='w'>"
                   "<attach model='in' body='d' prefix='1'/></body></worldbody></mujoco>");
    put("top.xml", "<mujoco><asset><model name='a' file='mid.xml'/><model name='b' file='mid.xml'/></asset><worldbody>"
                   "<attach model='a' prefix='a'/><attach model='b' body='w' prefix='b'/>"
                   "<geom type='mesh' mesh='a1corner'/></worldbody></mujoco>");
    ts_model* m = load_fine("top.xml");
    cr_assert_eq(m->body_count, 5);
    cr_assert_geq(ts_model_find_body(m, "b1d"), 0);
    cr_assert_geq(ts_model_find_geom(m, "a1pg"), 0);
    ts_model_free(m);
}

Test(mjcf_compose, models_that_attach_themselves_are_refused) {
    put("self.xml", "<mujoco>\n<asset><model file='self.xml'/></asset></mujoco>");
    load_refused("self.xml", "self.xml", 2, "a model within itself");
    put("a.xml", "<mujoco><asset>\n<model name='b' file='b.xml'/></asset></mujoco>");
    put("b.xml", "<mujoco>\n\n<asset><model name='a' file='./a.xml'/></asset></mujoco>");
    load_refused("a.xml", "b.xml", 3, "a model within itself");
    // A tower of models, each of which attaches the next one twice.
    for (int i = 0; i < 30; ++i) {
        char name[32], text[400];
        snprintf(name, sizeof name, "t%d.xml", i);
        snprintf(text, sizeof text,
                 "<mujoco><asset><model name='n' file='t%d.xml'/></asset><worldbody><attach model='n' prefix='a'/>"
                 "<attach model='n' prefix='b'/></worldbody></mujoco>",
                 i + 1);
        put(name, text);
    }
    put("t30.xml", "<mujoco><worldbody><body name='b'/></worldbody></mujoco>");
    ts_model* model = NULL;
    ts_status status;
    cr_assert_neq(load("t0.xml", NULL, &model, &status), TS_OK);
    cr_assert(strstr(status.message, "replicate and attach make more"), "%s", status.message);
}

Test(mjcf_compose, mistakes_have_a_place) {
    put("kid.xml", kid);
    static const struct {
        const char *line3, *wanted;
    } mistakes[] = {{"<attach model='none' prefix='p'/>", "there is no model 'none'"},
                    {"<attach model='kid' body='none' prefix='p'/>", "no body 'none'"},
                    {"<attach model='kid' frame='b' prefix='p'/>", "no frame 'b'"},
                    {"<attach model='kid' body='b'/>", "needs a prefix"},
                    {"<attach model='kid' body='b' frame='f' prefix='p'/>", "not both"},
                    {"<attach prefix='p'/>", "needs a model"},
                    {"<attach body='b' prefix='p'/>", "no body 'b'"},
                    {"<attach model='kid' prefix='p'><geom/></attach>", "elements inside"},
                    {"<attach model='kid' prefix='p' suffix='s'/>", "no attribute 'suffix'"},
                    {"<body name='pb'/><attach model='kid' body='b' prefix='p'/>", "a 'pb' already"},
                    {"<body><replicate count='2'><joint/></replicate></body>", "cannot stand directly"},
                    {"<replicate count='1000000000'><geom size='1'/></replicate>", "count between"},
                    {"<replicate count='200000'><geom size='1'/></replicate>", "replicate and attach make more"},
                    {"<replicate/>", "count between"}};
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<mujoco><asset><model file='kid.xml'/></asset>\n<worldbody>\n%s\n</worldbody></mujoco>",
                 mistakes[i].line3);
        put("bad.xml", text);
        load_refused("bad.xml", "bad.xml", 3, mistakes[i].wanted);
    }
    put("nofile.xml", "<mujoco>\n<asset><model file='gone.xml'/></asset></mujoco>");
    load_refused("nofile.xml", "nofile.xml", 2, "no file");
    put("noname.xml", "<mujoco>\n<asset><model name='x'/></asset></mujoco>");
    load_refused("noname.xml", "noname.xml", 2, "needs a file");
    put("twice.xml", "<mujoco><asset><model file='kid.xml'/>\n<model file='kid.xml'/></asset></mujoco>");
    load_refused("twice.xml", "twice.xml", 2, "another model is named 'kid'");
    put("robot.xml", "<robot/>");
    put("wrong.xml", "<mujoco>\n<asset><model file='robot.xml'/></asset></mujoco>");
    load_refused("wrong.xml", "robot.xml", 1, "MJCF begins with");
    put("inner.xml", "<mujoco model='i'><worldbody><body name='b'>\n<geom size='-1'/></body></worldbody></mujoco>");
    put("outer.xml", "<mujoco><asset><model file='inner.xml'/></asset><worldbody><attach model='i' "
                     "prefix='p'/></worldbody></mujoco>");
    load_refused("outer.xml", "inner.xml", 2, "");
    mjcf_refuse("<mujoco>\n<asset><model file='kid.xml'/></asset></mujoco>", 2, "not read from a file");
}
