// URDF with other files: packages, meshes of every format, SRDF, and names that would lead outside.
#include "engine/read/collada_internal.h"
#include "tests/engine/read/urdf_sample.h"

#include <math.h>
#include <sys/stat.h>

// A tetrahedron with corners at the origin and at 1, 2, 3 along the axes.
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const char tetrahedron_stl[] =
    "solid t\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 2 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 3\nvertex 0 2 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 2 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "endsolid t\n";

#define POSITIONS                                                                                           \
    "<source id='p'><float_array id='f' count='12'>0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>" \
    "<accessor source='#f' count='4' stride='3'/></technique_common></source><vertices id='v'><input "      \
    "semantic='POSITION' source='#p'/></vertices>"
#define INPUTS "<input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' offset='1'/>"
#define COLLADA(asset, mesh, node)                                                                                 \
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>" asset                  \
    "</asset><library_geometries><geometry id='g'><mesh>" POSITIONS mesh "</mesh></geometry></library_geometries>" \
    "<library_visual_scenes><visual_scene id='s'><node>" node "</node></visual_scene></library_visual_scenes>"     \
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"
#define SHOWN "<instance_geometry url='#g'/>"
#define TRIANGLES "<triangles count='4'>" INPUTS "<p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3 0</p></triangles>"

static const char tetrahedron_dae[] = COLLADA("", TRIANGLES, SHOWN);

static void put(const char* folder, const char* name, const char* text) {
    scratch_write(folder, name, text, strlen(text));
}

static void make_folder(const char* folder, const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(mkdir(path, 0777), 0, "%s", path);
}

#define ROBOT(uri)                                                                              \
    "<robot name='r'><link name='a'><collision><geometry><mesh filename='" uri "'/></geometry>" \
    "</collision></link></robot>"

static ts_code load(const char* folder, const char* name, const ts_model_file_options* options,
                    ts_import_report* report, ts_model** model, ts_status* status) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    memset(status, 0, sizeof *status);
    return ts_model_file_load(path, options, report, model, status);
}

static void expect_volume(const char* folder, const char* name, const ts_model_file_options* options, double volume) {
    ts_model* model;
    ts_status status;
    cr_assert_eq(load(folder, name, options, NULL, &model, &status), TS_OK, "%s:%d: %s", status.file, status.line,
                 status.message);
    cr_assert_eq(model->hull_count, 1);
    cr_expect_float_eq(model->hull[0]->volume, volume, 1e-12, "%s: volume %g, not %g", name, model->hull[0]->volume,
                       volume);
    ts_model_free(model);
}

static void expect_refused(const char* folder, const char* name, const ts_model_file_options* options,
                           const char* wanted) {
    ts_model* model;
    ts_status status;
    cr_assert_neq(load(folder, name, options, NULL, &model, &status), TS_OK, "%s was taken", name);
    cr_expect(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
    cr_expect(strstr(status.file, name), "%s", status.file);
    cr_expect_gt(status.line, 0);
}

Test(urdf_files, meshes_and_scales) {
    char folder[256];
    scratch_make(folder);
    put(folder, "t.obj", tetrahedron);
    put(folder, "t.STL", tetrahedron_stl);
    put(folder, "t.Dae", tetrahedron_dae);
    put(folder, "obj.urdf", ROBOT("t.obj"));
    put(folder, "stl.urdf", ROBOT("t.STL"));
    put(folder, "dae.urdf", ROBOT("t.Dae"));
    put(folder, "mirror.urdf", ROBOT("t.obj' scale='-1 2 0.5"));
    put(folder, "zero.urdf", ROBOT("t.obj' scale='1 0 1"));
    put(folder, "mesh.urdf", ROBOT("t.mesh"));
    put(folder, "t.mesh", "ogre");
    expect_volume(folder, "obj.urdf", NULL, 1.0);
    expect_volume(folder, "stl.urdf", NULL, 1.0);
    expect_volume(folder, "dae.urdf", NULL, 1.0);
    expect_volume(folder, "mirror.urdf", NULL, 1.0);
    ts_model* model;
    ts_status status;
    cr_assert_eq(load(folder, "mirror.urdf", NULL, NULL, &model, &status), TS_OK);
    cr_expect_float_eq(model->hull[0]->box_min.x, -1.0, 1e-15);
    cr_expect_float_eq(model->hull[0]->box_max.y, 4.0, 1e-15);
    cr_expect_float_eq(model->hull[0]->box_max.z, 1.5, 1e-15);
    ts_model_free(model);
    expect_refused(folder, "zero.urdf", NULL, "scale of mesh is zero");
    expect_refused(folder, "mesh.urdf", NULL, "t.mesh");
    scratch_clear(folder);
}

// packages as ROS lays them out, with slashes to spare, and without their package.
Test(urdf_files, packages) {
    char folder[256], inside[300], path[700];
    scratch_make(folder);
    make_folder(folder, "arm");
    make_folder(folder, "arm/urdf");
    make_folder(folder, "arm/meshes");
    make_folder(folder, "tools");
    put(folder, "arm/meshes/t.obj", tetrahedron);
    put(folder, "tools/u.obj", tetrahedron);
    snprintf(inside, sizeof inside, "%s/arm/urdf", folder);
    put(inside, "above.urdf", ROBOT("package://arm/meshes/t.obj"));
    put(inside, "slashes.urdf", ROBOT("package:///arm//meshes/t.obj"));
    put(inside, "model.urdf", ROBOT("model://arm/meshes/t.obj"));
    put(inside, "beside.urdf", ROBOT("package://tools/u.obj"));
    put(inside, "relative.urdf", ROBOT("../meshes/t.obj"));
    put(inside, "ends.urdf", ROBOT("package://elsewhere/robots/arm_description/meshes/t.obj"));
    put(inside, "nowhere.urdf", ROBOT("package://elsewhere/robots/x.obj"));
    for (int i = 0; i < 6; ++i) {
        static const char* const names[] = {"above.urdf",  "slashes.urdf",  "model.urdf",
                                            "beside.urdf", "relative.urdf", "ends.urdf"};
        expect_volume(inside, names[i], NULL, 1.0);
    }
    expect_refused(inside, "nowhere.urdf", NULL, "--package-path");
    ts_import_report report;
    ts_model* model;
    ts_status status;
    memset(&report, 0, sizeof report);
    cr_assert_eq(load(inside, "ends.urdf", NULL, &report, &model, &status), TS_OK);
    cr_expect_not_null(mjcf_finding(&report, "package elsewhere"));
    ts_import_report_free(&report);
    ts_model_free(model);
    // A package that is called otherwise than its folder, on the search path.
    make_folder(folder, "checkout");
    put(folder, "checkout/package.xml", "<package><name> grip </name></package>");
    put(folder, "checkout/t.obj", tetrahedron);
    put(inside, "named.urdf", ROBOT("package://grip/t.obj"));
    snprintf(path, sizeof path, "/nonexistent:%s/checkout", folder);
    ts_model_file_options options = {.package_path = path};
    expect_volume(inside, "named.urdf", &options, 1.0);
    expect_refused(inside, "named.urdf", NULL, "no such file");
    scratch_clear(folder);
}

// No name leads out of the folders that were named, by no spelling.
Test(urdf_files, nothing_leads_outside) {
    char folder[256], inside[300], text[1200], path[700];
    scratch_make(folder);
    make_folder(folder, "secret");
    make_folder(folder, "robot");
    put(folder, "secret/t.obj", tetrahedron);
    snprintf(inside, sizeof inside, "%s/robot", folder);
    put(inside, "t.obj", tetrahedron);
    snprintf(path, sizeof path, "%s/link.obj", inside);
    snprintf(text, sizeof text, "%s/secret/t.obj", folder);
    cr_assert_eq(symlink(text, path), 0);
    // "robot" is no usual name for a subfolder of a package with urdf in it: make the file's own folder its home.
    make_folder(inside, "mine");
    snprintf(inside, sizeof inside, "%s/robot/mine", folder);
    put(inside, "up.urdf", ROBOT("../../secret/t.obj"));
    put(inside, "package.urdf", ROBOT("package://robot/../secret/t.obj"));
    put(inside, "dots.urdf", ROBOT("package://../secret/t.obj"));
    put(inside, "link.urdf", ROBOT("package://robot/link.obj"));
    snprintf(text, sizeof text, ROBOT("file://%s/secret/t.obj"), folder);
    put(inside, "file.urdf", text);
    snprintf(text, sizeof text, ROBOT("%s/secret/t.obj"), folder);
    put(inside, "absolute.urdf", text);
    static const char* const names[] = {"up.urdf",   "package.urdf", "dots.urdf",
                                        "link.urdf", "file.urdf",    "absolute.urdf"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        expect_refused(inside, names[i], NULL, "--package-path");
    // Named, it is allowed.
    snprintf(path, sizeof path, "%s/secret", folder);
    ts_model_file_options options = {.package_path = path};
    expect_volume(inside, "file.urdf", &options, 1.0);
    expect_volume(inside, "up.urdf", &options, 1.0);
    expect_volume(inside, "absolute.urdf", &options, 1.0);
    scratch_clear(folder);
}

// Names are never commands.
Test(urdf_files, names_are_no_commands) {
    char folder[256], path[512];
    scratch_make(folder);
    put(folder, "a.urdf", ROBOT("$(touch pwned).obj"));
    put(folder, "b.urdf", ROBOT("; touch pwned;.obj"));
    expect_refused(folder, "a.urdf", NULL, "no such file");
    expect_refused(folder, "b.urdf", NULL, "no such file");
    struct stat info;
    snprintf(path, sizeof path, "%s/pwned", folder);
    cr_expect_neq(stat(path, &info), 0);
    cr_expect_neq(stat("pwned", &info), 0);
    scratch_clear(folder);
}

// A mesh that only serves looks may be missing.
Test(urdf_files, looks_may_be_missing) {
    char folder[256];
    scratch_make(folder);
    put(folder, "a.urdf",
        "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://x/no.dae'/></geometry>"
        "</visual></link></robot>");
    ts_import_report report;
    ts_model* model;
    ts_status status;
    memset(&report, 0, sizeof report);
    cr_assert_eq(load(folder, "a.urdf", NULL, &report, &model, &status), TS_OK, "%s", status.message);
    cr_expect_eq(model->geom_count, 0);
    cr_expect_not_null(mjcf_finding(&report, "visual mesh"));
    ts_import_report_free(&report);
    ts_model_free(model);
    scratch_clear(folder);
}

static const char dog[] = "<robot name='dog'>" LINK("trunk") LINK("leg") LINK("foot") LINK("tail") JOINT(
    "hip", "revolute", "trunk", "leg", "<limit lower='-2' upper='2'/>") JOINT("knee", "continuous", "leg", "foot", "")
    JOINT("wag", "continuous", "trunk", "tail", "<mimic joint='knee' multiplier='2' offset='0.25'/>") "</robot>";

static const char dog_srdf[] =
    "<robot name='dog'><group name='all'/><virtual_joint name='v' type='floating' parent_frame='world' "
    "child_link='trunk'/>"
    "<group_state name='standing' group='all'><joint name='root_joint' value='1 2 3 0 0 0.6 0.8'/>"
    "<joint name='hip' value='0.5'/><joint name='knee' value='-0.75'/></group_state>"
    "<group_state name='standing' group='half'><joint name='hip' value='1'/></group_state>"
    "<disable_collisions link1='trunk' link2='foot' reason='Never'/>"
    "<disable_collisions link1='trunk' link2='horn' reason='Never'/></robot>";

static void expect_dog(const ts_model* m) {
    cr_assert_eq(m->nq, 10);
    cr_assert_eq(m->keyframe_count, 2);
    cr_expect_str_eq(m->keyframe[0].name, "standing");
    cr_expect_str_eq(m->keyframe[1].name, "half/standing");
    cr_expect_eq(m->initial_keyframe, 0);
    const double* q = m->keyframe[0].qpos;
    const double root[] = {1.0, 2.0, 3.0, 0.8, 0.0, 0.0, 0.6};
    for (int i = 0; i < 7; ++i) cr_expect_float_eq(q[i], root[i], 1e-15, "qpos[%d] %g", i, q[i]);
    cr_expect_eq(q[m->joint[ts_model_find_joint(m, "hip")].qpos_first], 0.5);
    cr_expect_eq(q[m->joint[ts_model_find_joint(m, "knee")].qpos_first], -0.75);
    // What mimics follows.
    cr_expect_eq(q[m->joint[ts_model_find_joint(m, "wag")].qpos_first], -1.25);
    cr_expect_eq(m->exclusion_count, 1);
}

Test(urdf_files, srdf) {
    char folder[256], path[300];
    ts_model* model;
    ts_status status;
    scratch_make(folder);
    make_folder(folder, "urdf");
    make_folder(folder, "srdf");
    put(folder, "urdf/dog.urdf", dog);
    put(folder, "srdf/other.srdf", "<robot name='cat'/>");
    // None for this robot: fixed, no poses.
    cr_assert_eq(load(folder, "urdf/dog.urdf", NULL, NULL, &model, &status), TS_OK);
    cr_expect_eq(model->nq, 3);
    cr_expect_eq(model->keyframe_count, 0);
    ts_model_free(model);
    put(folder, "srdf/any.srdf", dog_srdf);
    cr_assert_eq(load(folder, "urdf/dog.urdf", NULL, NULL, &model, &status), TS_OK, "%s", status.message);
    expect_dog(model);
    ts_model_free(model);
    // Two for this robot: neither, unless one has the file's stem or is asked for.
    put(folder, "srdf/many.srdf", "<robot name='dog'/>");
    cr_assert_eq(load(folder, "urdf/dog.urdf", NULL, NULL, &model, &status), TS_OK);
    cr_expect_eq(model->keyframe_count, 0);
    ts_model_free(model);
    snprintf(path, sizeof path, "%s/srdf/any.srdf", folder);
    ts_model_file_options options = {.srdf = path};
    cr_assert_eq(load(folder, "urdf/dog.urdf", &options, NULL, &model, &status), TS_OK);
    expect_dog(model);
    ts_model_free(model);
    options.root = TS_ROOT_FIXED;
    cr_assert_eq(load(folder, "urdf/dog.urdf", &options, NULL, &model, &status), TS_OK);
    cr_expect_eq(model->nq, 3);
    ts_model_free(model);
    put(folder, "urdf/dog.srdf", dog_srdf);
    cr_assert_eq(load(folder, "urdf/dog.urdf", NULL, NULL, &model, &status), TS_OK);
    expect_dog(model);
    ts_model_free(model);
    scratch_clear(folder);
}

// --- Collada ---

static ts_mesh collada(const char* text) {
    ts_mesh mesh;
    ts_status status;
    memset(&status, 0, sizeof status);
    cr_assert_eq(ts_collada_parse(text, strlen(text), "t.dae", &mesh, &status), TS_OK, "%d: %s", status.line,
                 status.message);
    return mesh;
}

static double volume_of(const ts_mesh* m) {
    double volume = 0.0;
    for (int t = 0; t < m->triangle_count; ++t) {
        const int* i = m->triangle + 3 * t;
        volume += ts_vec3_dot(m->vertex[i[0]], ts_vec3_cross(m->vertex[i[1]], m->vertex[i[2]])) / 6.0;
    }
    return volume;
}

static ts_vec3 high_corner(const ts_mesh* m) {
    ts_vec3 high = m->vertex[0];
    for (int i = 1; i < m->vertex_count; ++i) high = ts_vec3_max(high, m->vertex[i]);
    return high;
}

// Every primitive gives the same body; orientation is kept, so its signed volume is 1.
Test(collada, primitives) {
    static const char* const texts[] = {
        COLLADA("", TRIANGLES, SHOWN),
        COLLADA("",
                "<polylist count='4'>" INPUTS
                "<vcount>3 3 3 3</vcount><p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3 "
                "0</p></polylist>",
                SHOWN),
        COLLADA("",
                "<polygons count='4'>" INPUTS
                "<p>0 0 2 0 1 0</p><p>0 0 1 0 3 0</p><ph><p>0 0 3 0 2 0</p><h/></ph><p>1 0 2 "
                "0 3 0</p></polygons>",
                SHOWN),
        COLLADA("", "<trifans count='2'>" INPUTS "<p>0 0 2 0 1 0 3 0 2 0</p><p>1 0 2 0 3 0</p></trifans>", SHOWN),
        COLLADA("", "<tristrips count='1'>" INPUTS "<p>0 0 2 0 1 0 3 0 0 0 2 0</p></tristrips>", SHOWN),
        COLLADA("", "<lines count='1'>" INPUTS "<p>0 0 1 0</p></lines>" TRIANGLES, SHOWN),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        ts_mesh m = collada(texts[i]);
        cr_expect_eq(m.triangle_count, 4, "%zu", i);
        cr_expect_float_eq(volume_of(&m), 1.0, 1e-14, "primitive %zu: volume %g", i, volume_of(&m));
        ts_mesh_free(&m);
    }
}

Test(collada, transforms_units_and_instances) {
    // Centimetres; moved by matrix (row-major) and turned a quarter about z, transforms from left to right.
    ts_mesh m = collada(COLLADA(
        "<unit meter='0.01'/><up_axis>Y_UP</up_axis>", TRIANGLES,
        "<matrix>1 0 0 100 0 1 0 200 0 0 1 300 0 0 0 1</matrix><rotate>0 0 1 90</rotate><scale>2 2 2</scale>" SHOWN));
    ts_vec3 high = high_corner(&m);
    // x' = 1 - 2 y, y' = 2 + 2 x, z' = 3 + 2 z, all in metres.
    cr_expect_float_eq(high.x, 1.0, 1e-14);
    cr_expect_float_eq(high.y, 2.02, 1e-14);
    cr_expect_float_eq(high.z, 3.06, 1e-14);
    cr_expect_float_eq(volume_of(&m), 8e-6, 1e-14);
    ts_mesh_free(&m);
    // A mirror keeps the fronts outside.
    m = collada(COLLADA("", TRIANGLES, "<scale>-1 1 1</scale>" SHOWN));
    cr_expect_float_eq(volume_of(&m), 1.0, 1e-14);
    ts_mesh_free(&m);
    // Twice, the second in a child that is moved; what is not shown is not there.
    m = collada(COLLADA("", TRIANGLES, SHOWN "<node><translate>0 0 10</translate>" SHOWN "</node>"));
    cr_expect_eq(m.triangle_count, 8);
    cr_expect_float_eq(high_corner(&m).z, 13.0, 1e-14);
    ts_mesh_free(&m);
}

Test(collada, unused_positions_are_left_out) {
    ts_mesh m = collada(COLLADA("", "<triangles count='1'>" INPUTS "<p>0 0 1 0 2 0</p></triangles>", SHOWN));
    cr_expect_eq(m.vertex_count, 3);
    cr_expect_float_eq(high_corner(&m).z, 0.0, 0.0);
    ts_mesh_free(&m);
}

Test(collada, refusals) {
    static const struct {
        const char* text;
        const char* wanted;
    } cases[] = {
        {"<html/>", "begins with <COLLADA>"},
        {"<COLLADA/>", "no triangles"},
        {COLLADA("", TRIANGLES, "<instance_geometry url='#x'/>"), "no geometry '#x'"},
        {COLLADA("", TRIANGLES, "<lookat>1</lookat>" SHOWN), "is not read"},
        {COLLADA("", TRIANGLES, "<matrix>1 2 3</matrix>" SHOWN), "needs 16 numbers, not 3"},
        {COLLADA("", TRIANGLES, "<translate>1 x 3</translate>" SHOWN), "not a finite number"},
        {COLLADA("<unit meter='-1'/>", TRIANGLES, SHOWN), "above 0"},
        {COLLADA("<up_axis>W_UP</up_axis>", TRIANGLES, SHOWN), "up_axis"},
        {COLLADA("", "<triangles>" INPUTS "<p>0 0 1 0 9 0</p></triangles>", SHOWN), "names position 9"},
        {COLLADA("", "<triangles>" INPUTS "<p>0 0 1 0 -1 0</p></triangles>", SHOWN), "names position -1"},
        {COLLADA("", "<triangles><p>0 1 2</p></triangles>", SHOWN), "no input of vertices"},
        {COLLADA("", "<polylist>" INPUTS "<vcount>4</vcount><p>0 0 1 0 2 0</p></polylist>", SHOWN), "3 are left"},
        {COLLADA("", TRIANGLES, "<node id='n'><instance_node url='#n'/></node>"), "without end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ts_mesh mesh;
        ts_status status;
        memset(&status, 0, sizeof status);
        ts_code code = ts_collada_parse(cases[i].text, strlen(cases[i].text), "t.dae", &mesh, &status);
        cr_expect_neq(code, TS_OK, "taken: %s", cases[i].wanted);
        cr_expect(strstr(status.message, cases[i].wanted), "'%s' is not in '%s'", cases[i].wanted, status.message);
        cr_expect_str_eq(status.file, "t.dae");
        ts_mesh_free(&mesh);
    }
}
