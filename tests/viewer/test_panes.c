// Claims: panes share a picture without overlap, and each is the picture that its simulation alone would give; a simulation that parts from another
// one makes the same steps to the bit until something is changed in it, and the original never notices; the way back leads to before the parting.
#include "tests/viewer/desk_fixture.h"

#include "viewer/offscreen.h"
#include "viewer/panes_internal.h"
#include "viewer/session/session_internal.h"

#include <stdio.h>
#include <stdlib.h>

Test(panes, a_picture_is_shared_evenly) {
    static const int size[][2] = {{1280, 720}, {300, 900}, {64, 64}, {1921, 1081}};
    for (int k = 0; k < 4; ++k)
        for (int count = 1; count <= 9; ++count) {
            ts_panes panes = ts_panes_cut(count, size[k][0], size[k][1]);
            cr_assert(panes.columns * panes.rows >= count);
            for (int i = 0; i < count; ++i) {
                ts_device_place a = ts_panes_place(&panes, i);
                cr_assert(a.left >= 0 && a.top >= 0 && a.left + panes.width <= size[k][0] &&
                          a.top + panes.height <= size[k][1]);
                cr_assert((a.goes_on != 0) == (i > 0), "only the first begins a picture");
                cr_assert(ts_panes_at(&panes, a.left + 0.5 * panes.width, a.top + 0.5 * panes.height) == i);
                for (int j = 0; j < i; ++j) {
                    ts_device_place b = ts_panes_place(&panes, j);
                    cr_assert(abs(a.left - b.left) >= panes.width || abs(a.top - b.top) >= panes.height, "%d on %d", i,
                              j);
                }
            }
        }
    ts_panes two = ts_panes_cut(2, 1280, 720);
    cr_assert(two.columns == 2 && two.rows == 1, "wide pictures are cut into columns");
    cr_assert(ts_panes_at(&two, two.width + 1.0, 10.0) == -1, "between two panes is none");
}

// A box thrown along the floor, which relaxed laws treat otherwise.
static fixture thrown_box(void) {
    ts_builder* builder = fixture_floor(0.6);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1),
                 ts_vec3_make(2.0, 0.5, 0.0), 0.6);
    fixture_body(builder, ts_shape_sphere(0.08), ts_vec3_make(-0.4, 0, 0.3), ts_vec3_zero(), 0.5);
    return fixture_start(builder);
}

enum { WIDTH = 402, HEIGHT = 200 };

static ts_view_request request_for(const fixture* f, const ts_camera* camera) {
    ts_view_request request = ts_view_request_default();
    request.scene = &f->scene;
    request.sim = f->sim;
    request.width = WIDTH;
    request.height = HEIGHT;
    request.camera = camera;
    request.overlay = 0;
    return request;
}

static unsigned char* render(const ts_view_request* request) {
    ts_status status;
    unsigned char* rgb = malloc(3u * (size_t)request->width * (size_t)request->height);
    cr_assert(rgb);
    ts_code code = ts_viewer_render_pixels(request, rgb, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return rgb;
}

static void skip_without_opengl(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    ts_code code = ts_offscreen_create(&offscreen, &status);
    ts_offscreen_destroy(offscreen);
    if (code) cr_skip_test("no OpenGL 3.3 on this machine: %s", status.message);
}

Test(panes, each_is_the_picture_of_its_simulation_alone) {
    skip_without_opengl();
    ts_status status;
    fixture f = thrown_box(), alone[2] = {thrown_box(), thrown_box()};
    ts_view_companion companion = {0};
    cr_assert(ts_sim_create(f.scene.model, 1, &companion.sim, &status) == TS_OK);
    cr_assert(ts_sim_set_solver(companion.sim, "ccp-pgs", &status) == TS_OK);
    cr_assert(ts_sim_set_solver(alone[1].sim, "ccp-pgs", &status) == TS_OK);
    ts_camera camera = ts_camera_default();
    camera.distance = 2.0;
    ts_view_request request = request_for(&f, &camera);
    request.companion = &companion;
    request.companion_count = 1;
    request.layout = TS_LAYOUT_PANES;
    request.time = 0.1;
    unsigned char* both = render(&request);
    ts_panes panes = ts_panes_cut(2, WIDTH, HEIGHT);
    for (int i = 0; i < 2; ++i) {
        ts_view_request one = request_for(&alone[i], &camera);
        one.width = panes.width;
        one.height = panes.height;
        one.time = 0.1;
        unsigned char* rgb = render(&one);
        ts_device_place place = ts_panes_place(&panes, i);
        int different = 0;
        for (int y = 0; y < panes.height; ++y)
            different += memcmp(rgb + 3 * y * panes.width, both + 3 * ((place.top + y) * WIDTH + place.left),
                                3u * (size_t)panes.width) != 0;
        cr_expect_eq(different, 0, "%d rows of pane %d differ", different, i);
        free(rgb);
        fixture_end(&alone[i]);
    }
    ts_device_place second = ts_panes_place(&panes, 1);
    cr_assert(memcmp(both + 3 * (100 * WIDTH), both + 3 * (100 * WIDTH + second.left), 3u * (size_t)panes.width) != 0,
              "two laws, two pictures");
    free(both);
    ts_sim_free(companion.sim);
    fixture_end(&f);
}

Test(panes, ghosts_leave_the_first_in_front) {
    skip_without_opengl();
    ts_status status;
    fixture f = thrown_box();
    ts_view_companion companion = {0};
    cr_assert(ts_sim_create(f.scene.model, 1, &companion.sim, &status) == TS_OK);
    // The ghost stands a metre to the side; neither falls, since no time passes.
    companion.sim->qpos[0] += 1.0;
    cr_assert(ts_sim_forward(companion.sim, &status) == TS_OK);
    ts_camera camera = ts_camera_default();
    camera.distance = 4.0;
    ts_view_request request = request_for(&f, &camera);
    request.show = TS_SHOW_GEOMS;
    request.companion = &companion;
    request.layout = TS_LAYOUT_GHOSTS;
    unsigned char* plain = render(&request);
    request.companion_count = 1;
    unsigned char* both = render(&request);
    double pixel[2];
    cr_assert(ts_camera_project(&camera, WIDTH, HEIGHT, ts_vec3_make(1.0, 0.0, 0.1), pixel));
    const unsigned char* there = both + 3 * ((int)pixel[1] * WIDTH + (int)pixel[0]);
    const unsigned char* before = plain + 3 * ((int)pixel[1] * WIDTH + (int)pixel[0]);
    // Glass of a warm colour over a grey floor: red stays, blue goes; the floor still counts.
    cr_expect(there[2] + 25 < before[2] && there[2] > 20, "blue %d before, %d behind glass", before[2], there[2]);
    free(plain);
    free(both);
    ts_sim_free(companion.sim);
    fixture_end(&f);
}

// --- in a session ------------------------------------------------------------------------------------------------------

static void sit_down(desk* d) {
    desk_prepare(d, thrown_box());
    d->request.width = WIDTH;
    d->request.height = HEIGHT;
    d->request.overlay = 0;
    desk_open(d, NULL);
}

static void tick(desk* d) { desk_tick(d, 0.001); }

static void press(desk* d, int key, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = key, .action = TS_ACTION_PRESS, .mods = mods, .time = d->now};
    ts_session_event(d->session, &event);
    tick(d);
}

static const ts_shadow* shown(const desk* d) { return d->session->shadow; }

static int same_state(const ts_sim* a, const ts_sim* b) {
    return memcmp(a->qpos, b->qpos, (size_t)a->model->nq * sizeof *a->qpos) == 0 &&
           memcmp(a->qvel, b->qvel, (size_t)a->model->nv * sizeof *a->qvel) == 0;
}

Test(panes, a_simulation_parts_and_the_original_never_notices) {
    desk d;
    fixture plain = thrown_box();
    sit_down(&d);
    for (int i = 0; i < 20; ++i) press(&d, TS_KEY_RIGHT, 0);
    press(&d, 'B', TS_MOD_CONTROL);
    cr_assert(shown(&d)->look_count == 2 && shown(&d)->chosen == 1);
    cr_assert(same_state(&shown(&d)->look[0].sim, &shown(&d)->look[1].sim));
    for (int i = 0; i < 10; ++i) press(&d, TS_KEY_RIGHT, 0);
    cr_assert(same_state(&shown(&d)->look[0].sim, &shown(&d)->look[1].sim), "nothing was changed in it");
    // Now its solver changes, and only its.
    ts_session_ask(d.session, TS_ASK_SOLVER, 0, 0.0, "ccp-pgs");
    for (int i = 0; i < 30; ++i) press(&d, TS_KEY_RIGHT, 0);
    cr_assert_str_eq(shown(&d)->look[1].sim.solver->name, "ccp-pgs");
    cr_assert_str_neq(shown(&d)->look[0].sim.solver->name, "ccp-pgs");
    cr_assert(!same_state(&shown(&d)->look[0].sim, &shown(&d)->look[1].sim));
    fixture_run(&plain, 60);
    cr_assert(same_state(&shown(&d)->look[0].sim, plain.sim), "the original's steps are the headless ones");
    cr_assert(shown(&d)->look[1].sim.step_count == 60);
    fixture_end(&plain);
    desk_close(&d);
}

Test(panes, the_way_back_leads_to_before_the_parting) {
    desk d;
    sit_down(&d);
    for (int i = 0; i < 20; ++i) press(&d, TS_KEY_RIGHT, 0);
    press(&d, 'B', TS_MOD_CONTROL);
    ts_session_ask(d.session, TS_ASK_SOLVER, 0, 0.0, "ccp-pgs");
    for (int i = 0; i < 30; ++i) press(&d, TS_KEY_RIGHT, 0);
    double there[13];
    memcpy(there, shown(&d)->look[1].sim.qpos, sizeof there);
    cr_assert(shown(&d)->first == 0 && shown(&d)->last == 50, "%lld to %lld", shown(&d)->first, shown(&d)->last);
    ts_session_ask(d.session, TS_ASK_SEEK, 10, 0.0, NULL);
    tick(&d);
    cr_assert(shown(&d)->look[0].sim.step_count == 10 && shown(&d)->look[1].sim.step_count == 10);
    cr_assert(same_state(&shown(&d)->look[0].sim, &shown(&d)->look[1].sim), "then there was only one");
    ts_session_ask(d.session, TS_ASK_SEEK, 50, 0.0, NULL);
    tick(&d);
    cr_assert(memcmp(there, shown(&d)->look[1].sim.qpos, sizeof there) == 0, "and forth again: the same bits");
    // What is known ahead is gone through again; once something is changed, it parts there.
    ts_session_ask(d.session, TS_ASK_SEEK, 10, 0.0, NULL);
    tick(&d);
    press(&d, TS_KEY_RIGHT, 0);
    cr_assert(same_state(&shown(&d)->look[0].sim, &shown(&d)->look[1].sim));
    press(&d, TS_KEY_LEFT, 0);
    ts_session_ask(d.session, TS_ASK_SOLVER, 0, 0.0, "ccp-pgs");
    press(&d, TS_KEY_RIGHT, 0);
    press(&d, TS_KEY_RIGHT, 0);
    fixture other = thrown_box();
    fixture_run(&other, 10);
    cr_assert(ts_sim_set_solver(other.sim, "ccp-pgs", NULL) == TS_OK);
    fixture_run(&other, 2);
    cr_assert(shown(&d)->look[1].sim.step_count == 12 && same_state(&shown(&d)->look[1].sim, other.sim));
    fixture_end(&other);
    // Taken away, the original is alone.
    press(&d, 'W', TS_MOD_CONTROL);
    cr_assert(shown(&d)->look_count == 1 && shown(&d)->look[0].sim.step_count == 12);
    press(&d, 'W', TS_MOD_CONTROL);
    cr_assert(shown(&d)->look_count == 1 && shown(&d)->message[0], "the only one stays");
    desk_close(&d);
}

Test(panes, steps_of_other_length_keep_to_the_same_time) {
    desk d;
    sit_down(&d);
    double h = d.f.sim->options.time_step;
    char text[64];
    press(&d, 'B', TS_MOD_CONTROL);
    snprintf(text, sizeof text, "time_step=%.17g", 0.25 * h);
    ts_session_ask(d.session, TS_ASK_SET, 0, 0.0, text);
    ts_session_ask(d.session, TS_ASK_CHOOSE, 0, 0.0, NULL);
    for (int i = 0; i < 12; ++i) press(&d, TS_KEY_RIGHT, 0);
    cr_assert(shown(&d)->chosen == 0 && shown(&d)->sim.step_count == 12);
    cr_assert(shown(&d)->look[1].sim.step_count == 48, "%lld", shown(&d)->look[1].sim.step_count);
    cr_assert(fabs(shown(&d)->look[1].sim.time - shown(&d)->sim.time) < 1e-9);
    cr_assert(strstr(shown(&d)->look[1].name, "time_step=") != NULL, "%s", shown(&d)->look[1].name);
    ts_session_ask(d.session, TS_ASK_SEEK, 5, 0.0, NULL);
    tick(&d);
    cr_assert(shown(&d)->look[1].sim.step_count == 20, "%lld", shown(&d)->look[1].sim.step_count);
    desk_close(&d);
}

Test(panes, every_look_is_drawn_once_and_a_click_chooses) {
    desk d;
    sit_down(&d);
    ts_device_null* null = (ts_device_null*)d.device;
    press(&d, 'B', TS_MOD_CONTROL | TS_MOD_SHIFT);
    int count = shown(&d)->look_count;
    cr_assert(count >= 3 && shown(&d)->chosen == 0, "one of every law: %d", count);
    int frames = null->frames;
    d.session->dirty = 1;
    tick(&d);
    cr_assert_eq(null->frames - frames, count);
    cr_assert(null->last.place.goes_on && null->last.place.width == WIDTH);
    // The box, in the second pane.
    ts_panes panes = ts_session_cut(d.session);
    ts_device_place place = ts_panes_place(&panes, 1);
    double pixel[2];
    cr_assert(ts_camera_project(&d.session->view.camera, panes.width, panes.height,
                                shown(&d)->look[1].sim.kinematics.body_centre[1], pixel));
    ts_event event = {.kind = TS_EVENT_BUTTON, .code = TS_BUTTON_LEFT, .action = TS_ACTION_PRESS, .time = d.now};
    event.x = place.left + pixel[0];
    event.y = place.top + pixel[1];
    ts_session_event(d.session, &event);
    event.action = TS_ACTION_RELEASE;
    ts_session_event(d.session, &event);
    tick(&d);
    cr_assert_eq(shown(&d)->chosen, 1);
    cr_assert_eq(d.session->selected, 1);
    press(&d, 'G', TS_MOD_CONTROL);
    frames = null->frames;
    d.session->dirty = 1;
    tick(&d);
    cr_assert_eq(null->frames - frames, 1, "over each other they are one frame");
    desk_close(&d);
}

// --- on a command line -------------------------------------------------------------------------------------------------

Test(panes, wishes_are_read_and_misspelt_ones_refused) {
    ts_status status;
    ts_view_request request = ts_view_request_default();
    cr_assert(ts_viewer_read_layers("cones,-shadows,-words", &request, &status) == TS_OK, "%s", status.message);
    cr_assert(request.show == ((ts_view_default_show() | TS_SHOW_CONES) | TS_SHOW_NO_SHADOWS) && !request.overlay);
    cr_assert(ts_viewer_read_layers("none,shadows", &request, &status) == TS_OK);
    cr_assert(!(request.show & (TS_SHOW_CONTACTS | TS_SHOW_FORCES | TS_SHOW_CONES)) && request.show & TS_SHOW_GEOMS);
    cr_assert(ts_viewer_read_layers("cone", &request, &status) == TS_ERROR_VALUE && strstr(status.message, "cones"));
    cr_assert(ts_viewer_read_layers("", &request, &status) == TS_ERROR_VALUE);
    for (int i = 0; ts_viewer_layer_name(i); ++i)
        cr_assert(ts_viewer_read_layers(ts_viewer_layer_name(i), &request, &status) == TS_OK);

    static const char* const bad[] = {"",      "upside", "10", "1,2,3", "0,90", "0,10,-1,0,0,0", "1,2,3,4,5,6,7",
                                      "1,nan", "1, 2"};
    ts_camera camera;
    int number;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        cr_assert(ts_viewer_read_camera(bad[i], NULL, &camera, &number, &status) == TS_ERROR_VALUE, "'%s'", bad[i]);
    cr_assert(ts_viewer_read_camera("90,45,2,1,2,3", NULL, &camera, &number, &status) == TS_OK);
    // From above the target's +y side, a metre and a bit away along either axis.
    ts_vec3 eye = ts_camera_eye(&camera), want = ts_vec3_make(1.0, 2.0 + sqrt(2.0), 3.0 + sqrt(2.0));
    cr_assert(ts_vec3_distance(eye, want) < 1e-12);
    cr_assert(ts_viewer_read_camera("top", NULL, &camera, &number, &status) == TS_OK && !(camera.distance > 0.0));
    ts_layout layout;
    cr_assert(ts_viewer_read_layout("panes", &layout, &status) == TS_OK && layout == TS_LAYOUT_PANES);
    cr_assert(ts_viewer_read_layout("tiles", &layout, &status) == TS_ERROR_VALUE);
}
