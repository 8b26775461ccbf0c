// Words stand where the things are that they name: what the camera looks at is in the middle of the picture, and to its right is on the right; forces
// are those that hold weights up; what is behind the camera has no word.
#include "viewer/scene_labels_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/scalar.h"
#include "tests/folder_fixture.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/scene_marks_internal.h"

TestSuite(scene_labels, .init = make_folder, .fini = remove_folder);

// The letters of an overlay, and where the first one of each word stands, by the shade behind it.
typedef struct words {
    char text[16][32];
    double x[16], y[16];
    int count;
} words;

static words read_words(const ts_overlay* overlay) {
    words w = {.count = 0};
    for (int i = 0; i < overlay->quads.count; ++i) {
        const ts_overlay_quad* q = &overlay->quads.data[i];
        if (!q->character) {
            cr_assert_lt(w.count, 16);
            w.x[w.count] = (double)q->x;
            w.y[w.count++] = (double)q->y;
        } else if (w.count > 0 && strlen(w.text[w.count - 1]) < 31) {
            size_t length = strlen(w.text[w.count - 1]);
            w.text[w.count - 1][length] = (char)q->character;
        }
    }
    return w;
}

static int find(const words* w, const char* text) {
    for (int i = 0; i < w->count; ++i)
        if (strcmp(w->text[i], text) == 0) return i;
    return -1;
}

static ts_builder* three_balls(void) {
    ts_builder* builder = fixture_floor(0.5);
    static const struct {
        const char* name;
        double x, y;
    } ball[] = {{"near", 0.0, 0.0}, {"", 1.0, 0.0}, {"behind", 0.0, -50.0}};
    for (int i = 0; i < 3; ++i) {
        ts_body_def def = ts_body_def_default();
        def.name = ball[i].name;
        def.pose.position = ts_vec3_make(ball[i].x, ball[i].y, 0.1);
        int body = ts_builder_add_body(builder, &def);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body;
        joint.type = TS_JOINT_FREE;
        ts_builder_add_joint(builder, &joint);
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = ts_shape_sphere(0.1);
        geom.density = 2.0 / (4.0 / 3.0 * TS_PI * 1e-3);  // 2 kg
        ts_builder_add_geom(builder, &geom);
    }
    return builder;
}

Test(scene_labels, stand_where_things_are) {
    fixture f = fixture_start(three_balls());
    fixture_run(&f, 100);
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(0.0, 0.0, 0.1);
    camera.azimuth = -0.5 * TS_PI;  // looks along y
    camera.elevation = 0.0;
    camera.distance = 5.0;
    ts_overlay overlay = {0};
    ts_overlay_begin(&overlay, 600);
    const ts_scene_paper paper = {&camera, 800, 600, 0, &overlay};
    ts_scene_labels(&paper, f.sim, TS_LABEL_BODIES);
    words w = read_words(&overlay);
    cr_assert_eq(w.count, 2, "%d words", w.count);
    int near = find(&w, "near"), other = find(&w, "body2");
    cr_assert(near >= 0 && other >= 0, "%s, %s", w.text[0], w.text[1]);
    cr_expect(fabs(w.x[near] - 400.0) < 1.5 && fabs(w.y[near] - 300.0) < 1.5, "%g, %g", w.x[near], w.y[near]);
    // A metre to the right, five metres away.
    double right = 400.0 + 300.0 / tan(0.5 * camera.field_of_view) / 5.0;
    cr_expect(fabs(w.x[other] - right) < 1.5 && fabs(w.y[other] - 300.0) < 1.5, "%g, not %g", w.x[other], right);
    // 2 kg each.
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, TS_LABEL_FORCES);
    w = read_words(&overlay);
    cr_assert_eq(w.count, 2);
    for (int i = 0; i < w.count; ++i) cr_expect_float_eq(strtod(w.text[i], NULL), 2.0 * 9.81, 0.06, "%s", w.text[i]);
    // By body numbers, and three balls that do not touch one another are three islands, of which one is out of sight.
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, TS_LABEL_CONTACTS);
    w = read_words(&overlay);
    cr_expect(w.count == 2 && find(&w, "0world-near") >= 0 && find(&w, "1world-body2") >= 0, "%s", w.text[0]);
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, TS_LABEL_ISLANDS);
    w = read_words(&overlay);
    cr_expect(w.count == 2 && find(&w, "island0") >= 0 && find(&w, "island1") >= 0, "%s", w.text[0]);
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, 0);
    cr_expect_eq(overlay.quads.count, 0);
    ts_overlay_free(&overlay);
    fixture_end(&f);
}

// Two balls that lie on each other are one island, named by the lower tree of both; a tie has its name where it holds; a camera's axes stand where its eye is.
Test(scene_labels, of_islands_ties_and_cameras) {
    static const char model[] =
        "<mujoco><worldbody><camera name='eye' pos='3 0 1' xyaxes='0 1 0 0 0 1'/><geom type='plane' size='1 1 1'/>"
        "<body name='a' pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
        "<body name='b' pos='0 0 .3'><freejoint/><geom size='.1'/></body>"
        "<body name='c' pos='1 0 .1'><freejoint/><geom size='.1'/></body></worldbody>"
        "<equality><connect name='tie' body1='c' body2='world' anchor='.5 0 0'/></equality></mujoco>";
    ts_status status;
    fixture f;
    memset(&f, 0, sizeof f);
    FILE* file = fopen(in_folder("model.xml"), "w");
    cr_assert(file && fputs(model, file) >= 0 && fclose(file) == 0);
    cr_assert(ts_scene_load(in_folder("model.xml"), NULL, &f.scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK, "%s", status.message);
    fixture_run(&f, 1);
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(1.0, 0.0, 0.1);
    camera.azimuth = -0.5 * TS_PI;  // looks along y
    camera.elevation = 0.0;
    camera.distance = 5.0;
    ts_overlay overlay = {0};
    const ts_scene_paper paper = {&camera, 800, 600, 0, &overlay};
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, TS_LABEL_ISLANDS);
    words w = read_words(&overlay);
    int pushed = 0;
    for (int i = 0; i < w.count; ++i) pushed += strcmp(w.text[i], "island0") == 0;
    cr_expect(w.count == 3 && pushed == 2 && find(&w, "island2") >= 0, "%s, %s, %s", w.text[0], w.text[1], w.text[2]);
    ts_overlay_begin(&overlay, 600);
    ts_scene_labels(&paper, f.sim, TS_LABEL_EQUALITIES);
    w = read_words(&overlay);
    // Half a metre right of the body, which is in the middle.
    double right = 400.0 + 0.5 * 300.0 / tan(0.5 * camera.field_of_view) / 5.0;
    cr_assert(w.count == 1 && find(&w, "tie") == 0, "%s", w.text[0]);
    cr_expect_float_eq(w.x[0], right, 1.5, "%g, not %g", w.x[0], right);
    ts_overlay_free(&overlay);

    ts_scene_sizes sizes = ts_scene_sizes_measure(f.sim);
    ts_own_shapes own = {0};
    ts_draw_list list = {0};
    int arrows[2];
    for (int k = 0; k < 2; ++k) {
        ts_scene_style style = {&sizes, &own, &camera, TS_SHOW_FRAMES | (k ? (unsigned)TS_SHOW_CAMERAS : 0u),
                                NULL,   NULL, 0,       0};
        ts_draw_list_begin(&list, camera.target);
        ts_scene_marks_draw(f.sim, &style, &list);
        arrows[k] = list.arrows.count;
    }
    cr_expect_eq(arrows[1] - arrows[0], 3, "%d and %d", arrows[0], arrows[1]);
    ts_draw_list_free(&list);
    fixture_end(&f);
}

// What a layer of the command line asks for.
Test(scene_labels, are_layers) {
    ts_view_request request = ts_view_request_default();
    ts_status status;
    cr_assert_eq(request.labels, 0u);
    cr_assert(ts_viewer_read_layers("body-names,force-words,joint-names,-joint-names", &request, &status) == TS_OK);
    cr_expect_eq(request.labels, (unsigned)(TS_LABEL_BODIES | TS_LABEL_FORCES));
    cr_assert(ts_viewer_read_layers("names", &request, &status) == TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "body-names"), "%s", status.message);
}
