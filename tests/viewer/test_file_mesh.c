// A mesh that only serves looks is drawn as it was given, hollows and all, in a file or in the model; what collides is drawn as it collides. Either wears
// flat textures where its coordinates say, as often as the material says, in a mirror too: those of OBJ, of Collada, and MJCF's own.
#include "tests/folder_fixture.h"
#include "tests/viewer/device_null.h"
#include "tests/viewer/viewer_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/read/model_file.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"
#include "viewer/viewer.h"

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

TestSuite(file_mesh, .init = make_folder, .fini = remove_folder);

static const double ell[12][3] = {{0, 0, 0},   {1, 0, 0},   {1, 0.5, 0},   {0.5, 0.5, 0},   {0.5, 1, 0},   {0, 1, 0},
                                  {0, 0, 0.5}, {1, 0, 0.5}, {1, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 1, 0.5}, {0, 1, 0.5}};

static void write_file(const char* name, const char* text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0);
    fclose(file);
}

// The mesh lies twice as large beside the body's origin, which the file of the model says.
static void write_ell(void) {
    char text[2000];
    int n = 0;
    for (int k = 0; k < 12; ++k)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %g %g %g\n", ell[k][0], ell[k][1], ell[k][2]);
    for (int side = 0; side < 2; ++side)
        for (int t = 1; t < 5; ++t)
            n += side ? snprintf(text + n, sizeof text - (size_t)n, "f 7 %d %d\n", 7 + t, 8 + t)
                      : snprintf(text + n, sizeof text - (size_t)n, "f 1 %d %d\n", 2 + t, 1 + t);
    for (int k = 0; k < 6; ++k)
        n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d %d\n", 1 + k, 1 + (k + 1) % 6, 7 + (k + 1) % 6,
                      7 + k);
    write_file("ell.obj", text);
    write_file("m.xml",
               "<mujoco><asset><mesh name='ell' file='ell.obj' scale='2 2 2'/></asset><worldbody>"
               "<body pos='0 0 1' euler='20 30 40'><freejoint/>"
               "<geom name='looks' type='mesh' mesh='ell' pos='3 1 2' contype='0' conaffinity='0' group='2'/>"
               "<geom name='touches' type='mesh' mesh='ell' pos='3 1 2' group='3'/></body></worldbody></mujoco>");
}

// The same as MJCF has it itself, as large as it is.
static void write_ell_inside(void) {
    char vertex[800], face[800], text[2400];
    int n = 0, m = 0;
    for (int k = 0; k < 12; ++k)
        n += snprintf(vertex + n, sizeof vertex - (size_t)n, "%g %g %g ", ell[k][0], ell[k][1], ell[k][2]);
    for (int side = 0; side < 2; ++side)
        for (int t = 1; t < 5; ++t)
            m += side ? snprintf(face + m, sizeof face - (size_t)m, "6 %d %d ", 6 + t, 7 + t)
                      : snprintf(face + m, sizeof face - (size_t)m, "0 %d %d ", 1 + t, t);
    for (int k = 0; k < 6; ++k) {
        int a = k, b = (k + 1) % 6;
        m += snprintf(face + m, sizeof face - (size_t)m, "%d %d %d %d %d %d ", a, b, 6 + b, a, 6 + b, 6 + a);
    }
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='ell' vertex='%s' face='%s'/></asset><worldbody><body><freejoint/>"
             "<geom type='mesh' mesh='ell' contype='0' conaffinity='0' group='2'/>"
             "<geom type='mesh' mesh='ell' group='3'/></body></worldbody></mujoco>",
             vertex, face);
    write_file("m.xml", text);
}

static void load(fixture* f) {
    char path[128];
    ts_status status;
    snprintf(path, sizeof path, "%s/m.xml", folder);
    memset(f, 0, sizeof *f);
    cr_assert(ts_scene_load(path, NULL, &f->scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f->scene.model, 1, &f->sim, &status) == TS_OK);
    cr_assert(ts_sim_forward(f->sim, &status) == TS_OK);
}

// How many triangles are drawn.
static int drawn(ts_view* view, unsigned show) {
    ts_status status;
    ts_device_null* device = (ts_device_null*)view->device;
    view->show = show;
    cr_assert(ts_view_draw(view, 300, 200, NULL, &status) == TS_OK, "%s", status.message);
    return device->triangles;
}

Test(file_mesh, looks_have_hollows_and_what_collides_has_none) {
    fixture f;
    ts_view view;
    ts_status status;
    write_ell();
    load(&f);
    ts_device* device = ts_device_null_create();
    cr_assert_not_null(device);
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK, "%s", status.message);
    // The file's twenty triangles; its hull, a prism on five corners, has sixteen.
    cr_expect_eq(drawn(&view, TS_SHOW_GEOMS), 20);
    cr_expect_eq(drawn(&view, TS_SHOW_GEOMS | TS_SHOW_COLLISION), 16);
    ts_view_close(&view);
    // Placed by the geom's pose, corners are where file and model say: from the body, at (3, 1, 2) + 2 v.
    ts_mesh mesh;
    cr_assert(ts_model_hull_mesh(f.scene.model, 0, &mesh, &status) == TS_OK, "%s", status.message);
    cr_assert_eq(mesh.vertex_count, 12);
    const ts_transform* body = &f.sim->kinematics.body_pose[1];
    for (int k = 0; k < 12; ++k) {
        ts_vec3 local = ts_vec3_make(3.0 + 2.0 * ell[k][0], 1.0 + 2.0 * ell[k][1], 2.0 + 2.0 * ell[k][2]);
        ts_vec3 there = ts_transform_point(ts_kinematics_geom(&f.sim->kinematics, 0), mesh.vertex[k]);
        cr_expect_lt(ts_vec3_distance(there, ts_transform_point(body, local)), 1e-12, "corner %d", k);
    }
    ts_mesh_free(&mesh);
    cr_expect_eq(ts_model_hull_mesh(f.scene.model, 99, &mesh, &status), TS_ERROR_VALUE);
    // Without the file the hull is there.
    write_file("ell.obj", "v 1 2\n");
    cr_expect(ts_model_hull_mesh(f.scene.model, 0, &mesh, &status) != TS_OK && strstr(status.file, "ell.obj"));
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK, "%s", status.message);
    cr_expect_eq(drawn(&view, TS_SHOW_GEOMS), 16);
    ts_view_close(&view);
    ts_device_destroy(device);
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&f.scene);
}

Test(file_mesh, looks_that_the_model_file_holds_have_hollows_too) {
    fixture f;
    ts_view view;
    ts_status status;
    write_ell_inside();
    load(&f);
    ts_device* device = ts_device_null_create();
    cr_assert_not_null(device);
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK, "%s", status.message);
    cr_expect_eq(drawn(&view, TS_SHOW_GEOMS), 20);
    cr_expect_eq(drawn(&view, TS_SHOW_GEOMS | TS_SHOW_COLLISION), 16);
    ts_view_close(&view);
    ts_device_destroy(device);
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&f.scene);
}

// A slab whose face towards -y has the left half of a picture, from the lower left corner on. The picture is red in its upper left quarter and
// opposite, else blue.
static void write_model(const char* mesh, const char* repeat, const char* geom) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='slab' %s/><texture name='t' type='2d' builtin='checker' rgb1='1 0 0' "
             "rgb2='0 0 1' width='64' height='64'/><material name='t' texture='t' texrepeat='%s'/></asset>"
             "<worldbody><geom type='mesh' mesh='slab' material='t' %s/></worldbody></mujoco>",
             mesh, repeat, geom);
    write_file("m.xml", text);
}

static const char looks_only[] = "contype='0' conaffinity='0'";

static void write_slab(const char* repeat, const char* scale) {
    static const char faces[] =
        "v -1 -.1 -1\nv 1 -.1 -1\nv 1 -.1 1\nv -1 -.1 1\nv -1 .1 -1\nv 1 .1 -1\nv 1 .1 1\nv -1 .1 1\n"
        "vt 0 0\nvt .5 0 0\nvt .5 1\nvt 0 1\n"
        "f 1/1 2/-3 3/3 4/4\nf 6/1 5/2 8/3 7/4\nf 1/1/1 5/1 6/2 2/2\nf 4/4 3/3 7/3 8/4\n"
        "f 1/1 4/4 8/4 5/1\nf 2/2 6/2 7/3 3/3\n";
    char mesh[100];
    write_file("slab.obj", faces);
    snprintf(mesh, sizeof mesh, "file='slab.obj' scale='%s'", scale);
    write_model(mesh, repeat, looks_only);
}

// MJCF's own coordinates count from above.
static const char slab_inside[] = "vertex='-1 -.1 -1 1 -.1 -1 1 -.1 1 -1 -.1 1 -1 .1 -1 1 .1 -1 1 .1 1 -1 .1 1' "
                                  "texcoord='0 1 .5 1 .5 0 0 0 0 1 .5 1 .5 0 0 0' ";
static const char slab_faces[] = "face='0 1 2 0 2 3 5 4 7 5 7 6 0 4 5 0 5 1 3 2 6 3 6 7 0 3 7 0 7 4 1 5 6 1 6 2'";

// Collada's count from below. The second set of coordinates and the normals are not looked at.
static void write_collada(void) {
    static const char text[] =
        "<COLLADA version='1.4.1'><asset/><library_geometries><geometry id='g'><mesh>"
        "<source id='p'><float_array id='a' count='24'>-1 -.1 -1 1 -.1 -1 1 -.1 1 -1 -.1 1 -1 .1 -1 1 .1 -1 1 .1 1 "
        "-1 .1 1</float_array><technique_common><accessor source='#a' count='8' "
        "stride='3'/></technique_common></source>"
        "<source id='t'><float_array id='b' count='12'>0 0 7 .5 0 7 .5 1 7 0 1 7</float_array><technique_common>"
        "<accessor source='#b' count='4' stride='3'/></technique_common></source>"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
        "<polylist count='6'><input semantic='VERTEX' source='#v' offset='0'/>"
        "<input semantic='TEXCOORD' source='#t' offset='1' set='0'/>"
        "<input semantic='TEXCOORD' source='#p' offset='0' set='1'/><vcount>4 4 4 4 4 4</vcount>"
        "<p>0 0 1 1 2 2 3 3  5 0 4 1 7 2 6 3  0 0 4 0 5 1 1 1  3 3 2 2 6 2 7 3  0 0 3 3 7 3 4 0  1 1 5 1 6 2 2 2</p>"
        "</polylist></mesh></geometry></library_geometries></COLLADA>";
    write_file("slab.dae", text);
}

// 'r' or 'b' of the four quarters of the face, from the upper left on.
static void look_at_slab(unsigned show, char out_seen[5]) {
    enum { SIZE = 120 };
    fixture f;
    ts_status status;
    ts_camera camera = ts_camera_default();
    ts_view_request request = ts_view_request_default();
    static unsigned char pixels[3 * SIZE * SIZE];
    load(&f);
    camera.azimuth = -1.5707963267948966;
    camera.elevation = 0.0;
    camera.distance = 5.0;
    camera.target = ts_vec3_zero();
    request.scene = &f.scene;
    request.sim = f.sim;
    request.width = request.height = SIZE;
    request.samples = 1;
    request.camera = &camera;
    request.overlay = 0;
    request.show = show;
    cr_assert(ts_viewer_render_pixels(&request, pixels, &status) == TS_OK, "%s", status.message);
    for (int k = 0; k < 4; ++k) {
        double at[2];
        ts_vec3 point = ts_vec3_make(k % 2 ? 0.5 : -0.5, -0.1, k / 2 ? -0.5 : 0.5);
        cr_assert(ts_camera_project(&camera, SIZE, SIZE, point, at));
        const unsigned char* p = pixels + 3 * ((int)at[1] * SIZE + (int)at[0]);
        out_seen[k] = p[0] > p[2] + 60 ? 'r' : p[2] > p[0] + 60 ? 'b' : '-';
    }
    out_seen[4] = '\0';
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&f.scene);
}

static void expect_seen(const char* wanted) {
    char seen[5];
    look_at_slab(TS_SHOW_GEOMS, seen);
    cr_expect_str_eq(seen, wanted);
}

static void need_pictures(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    ts_offscreen_destroy(offscreen);
}

Test(file_mesh, textures_lie_where_the_file_says) {
    need_pictures();
    write_slab("1 1", "1 1 1");
    expect_seen("rrbb");
    write_slab("2 1", "1 1 1");
    expect_seen("rbbr");
    write_slab("2 1", "-1 1 1");
    expect_seen("brrb");
    write_collada();
    write_model("file='slab.dae'", "1 1", looks_only);
    expect_seen("rrbb");
    write_model("file='slab.dae' scale='-1 1 1'", "2 1", looks_only);
    expect_seen("brrb");
}

Test(file_mesh, textures_lie_where_the_model_says) {
    char mesh[400];
    need_pictures();
    snprintf(mesh, sizeof mesh, "%s %s", slab_inside, slab_faces);
    write_model(mesh, "1 1", looks_only);
    expect_seen("rrbb");
    write_model(mesh, "2 1", looks_only);
    expect_seen("rbbr");
    // Without triangles they are those of the hull.
    write_model(slab_inside, "2 1", looks_only);
    expect_seen("rbbr");
}

// What collides wears its texture likewise; as it collides, it is covered by the box around it: a picture thrown along z has columns on an upright face.
Test(file_mesh, what_collides_wears_its_texture_where_it_was_given) {
    char mesh[400], seen[5];
    need_pictures();
    snprintf(mesh, sizeof mesh, "%s %s", slab_inside, slab_faces);
    write_model(mesh, "1 .8", "");
    expect_seen("rrbb");
    look_at_slab(TS_SHOW_GEOMS | TS_SHOW_COLLISION, seen);
    cr_expect(seen[0] == seen[2] && seen[1] == seen[3] && seen[0] != seen[1], "%s", seen);
    write_slab("1 1", "1 1 1");
    write_model("file='slab.obj'", "2 1", "");
    expect_seen("rbbr");
}
