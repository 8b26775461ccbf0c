// MJCF over several files: includes with their cycles, and meshes that are there, broken, or missing.
#include "tests/engine/read/mjcf_folder.h"

#include <sys/stat.h>

TestSuite(mjcf_files, .init = make_directory, .fini = remove_directory);

Test(mjcf_files, includes_are_spliced_in_where_they_stand) {
    put("main.xml",
        "<mujoco><include file='settings.xml'/><worldbody><geom name='first' size='1'/>\n<include file='part.xml'/>\n"
        "<geom name='last'/></worldbody></mujoco>");
    put("settings.xml", "<mujocoinclude><default><geom size='.5'/></default><option timestep='.25'/></mujocoinclude>");
    put("part.xml", "<mujoco model='ignored'><geom name='second'/><include file='deep.xml'/></mujoco>");
    put("deep.xml", "<mujoco><body name='b'><geom name='third'/></body></mujoco>");
    ts_model* m = load_fine("main.xml");
    cr_assert_eq(m->options.time_step, 0.25);
    cr_assert_eq(m->geom_count, 4);
    cr_assert_str_eq(m->geom[0].name, "first");
    cr_assert_str_eq(m->geom[1].name, "second");
    cr_assert_str_eq(m->geom[2].name, "last");
    cr_assert_eq(m->geom[1].shape.radius, 0.5);
    cr_assert_eq(ts_model_find_body(m, "b"), 1);
    cr_assert_not_null(strstr(m->source, "settings.xml"));
    ts_model_free(m);
}

Test(mjcf_files, include_cycles_and_repeats) {
    put("self.xml", "<mujoco>\n<include file='self.xml'/></mujoco>");
    load_refused("self.xml", "self.xml", 2, "includes itself");
    put("a.xml", "<mujoco>\n<include file='b.xml'/></mujoco>");
    put("b.xml", "<mujoco>\n\n<include file='./c.xml'/></mujoco>");
    put("c.xml", "<mujoco>\n\n\n<include file='../x/../a.xml'/></mujoco>");
    // By another spelling of the same path, through a link.
    char link_path[512];
    snprintf(link_path, sizeof link_path, "%s/alias.xml", directory);
    cr_assert_eq(symlink("a.xml", link_path), 0);
    put("c.xml", "<mujoco>\n\n\n<include file='alias.xml'/></mujoco>");
    load_refused("a.xml", "c.xml", 4, "includes itself");
    put("twice.xml", "<mujoco><include file='leaf.xml'/>\n<include file='leaf.xml'/></mujoco>");
    put("leaf.xml", "<mujoco/>");
    load_refused("twice.xml", "twice.xml", 2, "second time");
}

Test(mjcf_files, long_chains_of_includes_end_at_the_depth_limit) {
    for (int i = 0; i < 120; ++i) {
        char name[32], text[100];
        snprintf(name, sizeof name, "chain%d.xml", i);
        snprintf(text, sizeof text, "<mujoco><include file='chain%d.xml'/></mujoco>", i + 1);
        put(name, text);
    }
    put("chain120.xml", "<mujoco/>");
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(load("chain0.xml", NULL, &model, &status), TS_ERROR_PARSE);
    cr_assert(strstr(status.message, "nested deeper"), "%s", status.message);
}

Test(mjcf_files, bad_includes) {
    put("missing.xml", "<mujoco>\n<include file='nowhere.xml'/></mujoco>");
    load_refused("missing.xml", "missing.xml", 2, "no such file");
    put("noname.xml", "<mujoco>\n<include/></mujoco>");
    load_refused("noname.xml", "noname.xml", 2, "attribute 'file'");
    put("folder.xml", "<mujoco>\n<include file='.'/></mujoco>");
    load_refused("folder.xml", "folder.xml", 2, "no such file");
    put("full.xml", "<mujoco>\n<include file='leaf.xml'><geom/></include></mujoco>");
    load_refused("full.xml", "full.xml", 2, "elements inside");
    put("urdf.xml", "<robot/>");
    put("wrong.xml", "<mujoco>\n<include file='urdf.xml'/></mujoco>");
    load_refused("wrong.xml", "urdf.xml", 1, "must begin with <mujoco>");
    put("broken.xml", "<mujoco>\n<geom size='1'");
    put("outer.xml", "<mujoco><include file='broken.xml'/></mujoco>");
    load_refused("outer.xml", "broken.xml", 2, "");
    put("typo.xml", "<mujoco>\n<worldbody>\n<geom siez='1'/></worldbody></mujoco>");
    put("outer.xml", "<mujoco><include file='typo.xml'/></mujoco>");
    load_refused("outer.xml", "typo.xml", 3, "siez");
    put("laugh.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<mujoco/>");
    put("outer.xml", "<mujoco><include file='laugh.xml'/></mujoco>");
    load_refused("outer.xml", "laugh.xml", 1, "DOCTYPE");
}

Test(mjcf_files, bad_files) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_mjcf_load("/nowhere/at/all.xml", NULL, &model, &status), TS_ERROR_FILE);
    cr_assert_eq(ts_mjcf_load(directory, NULL, &model, &status), TS_ERROR_FILE);
    cr_assert_eq(ts_mjcf_load("/dev/zero", NULL, &model, &status), TS_ERROR_FILE);
    put("empty.xml", "");
    load_refused("empty.xml", "empty.xml", 1, "empty");
}

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

Test(mjcf_files, meshes_are_looked_up_in_their_directory) {
    char path[512];
    snprintf(path, sizeof path, "%s/sub", directory);
    cr_assert_eq(mkdir(path, 0700), 0);
    put("sub/t.obj", tetrahedron);
    static const char* const compiler[] = {"<compiler meshdir='sub'/>", "<compiler assetdir='sub/'/>",
                                           "<compiler meshdir='sub' assetdir='nowhere'/>",
                                           "<compiler meshdir='sub' strippath='true'/>", ""};
    static const char* const file[] = {"t.obj", "t.obj", "t.obj", "far/away/t.obj", "sub/t.obj"};
    for (int i = 0; i < 5; ++i) {
        char text[500];
        snprintf(
            text, sizeof text,
            "<mujoco>%s<asset><mesh file='%s'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='t'/></body>"
            "</worldbody></mujoco>",
            compiler[i], file[i]);
        put("m.xml", text);
        ts_model* m = load_fine("m.xml");
        cr_assert_eq(m->hull_count, 1);
        cr_assert_float_eq(m->body[1].mass, 1000.0 / 6.0, 1e-10);
        ts_model_free(m);
    }
}

Test(mjcf_files, a_mesh_is_loaded_once_for_all_its_geoms) {
    put("t.obj", tetrahedron);
    put("m.xml", "<mujoco><asset><mesh file='t.obj'/><mesh name='unused' file='nowhere.obj'/></asset><worldbody>"
                 "<geom type='mesh' mesh='t'/><geom type='mesh' mesh='t' pos='1 0 0'/></worldbody></mujoco>");
    ts_model* m = load_fine("m.xml");
    cr_assert_eq(m->hull_count, 1);
    cr_assert_eq(m->geom[0].shape.hull, m->geom[1].shape.hull);
    ts_model_free(m);
}

Test(mjcf_files, missing_meshes) {
    // One that collides, or weighs.
    put("m.xml", "<mujoco><asset><mesh name='gone' file='gone.stl'/></asset><worldbody>\n<geom type='mesh' "
                 "mesh='gone'/></worldbody></mujoco>");
    load_refused("m.xml", "m.xml", 2, "mesh 'gone', which this geom collides with");
    put("m.xml",
        "<mujoco><asset><mesh name='gone' file='gone.stl'/></asset><worldbody><body><freejoint/><geom size='.1'/>\n"
        "<geom type='mesh' mesh='gone' contype='0' conaffinity='0'/></body></worldbody></mujoco>");
    load_refused("m.xml", "m.xml", 2, "weighs by");
    // One that does neither is left out, and the report says so.
    static const char* const visual[] = {
        "<body><freejoint/><geom size='.1'/><geom type='mesh' mesh='gone' contype='0' conaffinity='0' "
        "mass='0'/></body>",
        "<body><freejoint/><geom size='.1'/><geom type='mesh' mesh='gone' contype='0' conaffinity='0' "
        "density='0'/></body>",
        "<body><freejoint/><inertial mass='1' diaginertia='1 1 1'/><geom size='.1'/><geom type='mesh' mesh='gone' "
        "contype='0' conaffinity='0'/></body>",
        "<geom size='.1'/><geom type='mesh' mesh='gone' contype='0' conaffinity='0'/>"};
    for (int i = 0; i < 4; ++i) {
        char text[700];
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='gone' file='gone.stl'/></asset><worldbody>%s</worldbody></mujoco>",
                 visual[i]);
        put("m.xml", text);
        ts_model* model = NULL;
        ts_status status;
        ts_import_report report;
        memset(&report, 0, sizeof report);
        cr_assert_eq(load("m.xml", &report, &model, &status), TS_OK, "%s", status.message);
        cr_assert_eq(model->geom_count, 1);
        const ts_import_item* item = mjcf_finding(&report, "mesh gone");
        cr_assert_not_null(item);
        cr_assert_eq(item->affects_physics, 0);
        ts_model_free(model);
        ts_import_report_free(&report);
    }
}

Test(mjcf_files, broken_meshes_name_their_own_place) {
    put("bad.obj", "v 0 0 0\nv 0 nan 0\n");
    put("m.xml", "<mujoco><asset><mesh name='bad' file='bad.obj'/></asset><worldbody>\n<geom type='mesh' "
                 "mesh='bad'/></worldbody></mujoco>");
    load_refused("m.xml", "m.xml", 2, "bad.obj:2: a coordinate is not finite");
    put("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
    put("m.xml", "<mujoco><asset><mesh name='flat' file='flat.obj'/></asset><worldbody>\n<geom type='mesh' "
                 "mesh='flat'/></worldbody></mujoco>");
    load_refused("m.xml", "m.xml", 2, "mesh 'flat'");
}
