// A mesh that only serves looks is drawn as its file has it, hollows and all, where the file has it; what collides is drawn as it collides.
#include "tests/folder_fixture.h"
#include "tests/viewer/device_null.h"
#include "tests/viewer/viewer_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/read/model_file.h"
#include "viewer/view.h"

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
        ts_vec3 there = ts_transform_point(&f.sim->kinematics.geom_pose[0], mesh.vertex[k]);
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
