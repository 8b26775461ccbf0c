// Claims: what a person does with keys and mouse, written down as events, does what the table of commands says; a session that nobody
// touches is the headless run bit by bit; a held body follows the closed form of its spring; the manual lists every key.
#include "tests/viewer/desk_fixture.h"

#include "base/text.h"
#include "scenes/run.h"
#include "viewer/scene_draw.h"
#include "viewer/session/command_internal.h"
#include "viewer/session/pick_internal.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 800, HEIGHT = 600 };

// A session at the desk of a test: its clock goes by hand.
static void sit_down(desk* d, fixture f, const char* subject) {
    desk_prepare(d, f);
    d->request.subject = subject;
    d->request.width = WIDTH;
    d->request.height = HEIGHT;
    desk_open(d, NULL);
}

static void press(desk* d, int key, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = key, .action = TS_ACTION_PRESS, .mods = mods, .time = d->now};
    ts_session_event(d->session, &event);
    event.action = TS_ACTION_RELEASE;
    ts_session_event(d->session, &event);
    desk_tick(d, 0.001);
}

static void button(desk* d, int code, ts_event_action action, unsigned mods, const double at[2]) {
    ts_event event = {.kind = TS_EVENT_BUTTON, .code = code, .action = action, .mods = mods, .time = d->now};
    event.x = at[0];
    event.y = at[1];
    ts_session_event(d->session, &event);
}

static void move(desk* d, double x, double y) {
    ts_event event = {.kind = TS_EVENT_MOVE, .x = x, .y = y, .time = d->now};
    ts_session_event(d->session, &event);
}

static void double_click(desk* d, int code, const double at[2]) {
    for (int i = 0; i < 2; ++i) {
        button(d, code, TS_ACTION_PRESS, 0, at);
        button(d, code, TS_ACTION_RELEASE, 0, at);
        desk_tick(d, 0.05);
    }
    desk_tick(d, 1.0);
}

static void pixel_of(const desk* d, ts_vec3 point, double out[2]) {
    cr_assert(ts_camera_project(&d->session->view.camera, WIDTH, HEIGHT, point, out));
}

static const ts_sim* shown(const desk* d) { return &d->session->shadow->sim; }

static fixture two_boxes(void) {
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1), ts_vec3_zero(), 0.5);
    fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_make(0.5, 0, 0.4), ts_vec3_make(0.3, 0.1, 0.0), 0.5);
    return fixture_start(builder);
}

Test(session, nobody_interferes_and_it_is_the_headless_run) {
    desk d;
    ts_status status;
    fixture plain = two_boxes();
    sit_down(&d, two_boxes(), NULL);
    press(&d, TS_KEY_SPACE, 0);
    for (int i = 0; i < 60; ++i) desk_tick(&d, 1.0 / 60.0);
    press(&d, TS_KEY_SPACE, 0);
    long long steps = shown(&d)->step_count;
    cr_assert(steps > 400, "%lld", steps);
    for (long long i = 0; i < steps; ++i) cr_assert(ts_sim_step(plain.sim, &status) == TS_OK);
    cr_assert(ts_sim_hash(plain.sim) == ts_sim_hash(d.f.sim));
    // The shadow is what it is a shadow of.
    for (int i = 0; i < plain.sim->model->nq; ++i) cr_assert(shown(&d)->qpos[i] == plain.sim->qpos[i]);
    cr_assert(shown(&d)->contact_count == plain.sim->contact_count);
    fixture_end(&plain);
    desk_close(&d);
}

Test(session, steps_and_the_way_back) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    desk_tick(&d, 1.0);
    cr_assert(shown(&d)->step_count == 0, "it started paused");
    uint64_t hash[8];
    hash[0] = ts_sim_hash(d.f.sim);
    for (int i = 1; i < 8; ++i) {
        press(&d, TS_KEY_RIGHT, 0);
        hash[i] = ts_sim_hash(d.f.sim);
        cr_assert(shown(&d)->step_count == i);
    }
    press(&d, TS_KEY_LEFT, 0);
    press(&d, TS_KEY_LEFT, 0);
    cr_assert(shown(&d)->step_count == 5 && ts_sim_hash(d.f.sim) == hash[5]);
    cr_assert(d.session->shadow->first == 0 && d.session->shadow->last == 7, "the future is still known");
    press(&d, TS_KEY_HOME, 0);
    cr_assert(ts_sim_hash(d.f.sim) == hash[0]);
    press(&d, TS_KEY_END, 0);
    cr_assert(ts_sim_hash(d.f.sim) == hash[7]);
    press(&d, TS_KEY_LEFT, TS_MOD_SHIFT);
    cr_assert(ts_sim_hash(d.f.sim) == hash[0], "ten steps back end at the first");
    // Charts know all of it, and forget what another solver makes another future of.
    ts_session_take_strips(d.session, 1);
    const ts_strip* strip = ts_strips_chosen(&d.session->strips);
    cr_assert(strip->count == 7 && ts_strip_at(strip, 6)->step == 7);
    press(&d, TS_KEY_DOWN, TS_MOD_CONTROL);
    cr_assert(d.session->shadow->last == 0);
    press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    cr_assert(shown(&d)->step_count == 10);
    press(&d, TS_KEY_BACKSPACE, 0);
    cr_assert(shown(&d)->step_count == 0 && d.session->shadow->last == 0);
    desk_close(&d);
}

Test(session, solvers_change_and_say_so) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    const ts_solver* first = shown(&d)->solver;
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* before = shown(&d)->solver;
        press(&d, TS_KEY_DOWN, TS_MOD_CONTROL);
        cr_assert(shown(&d)->solver != before);
        cr_assert_str_eq(d.session->ui.message, shown(&d)->solver->summary);
        press(&d, TS_KEY_RIGHT, 0);
    }
    cr_assert(shown(&d)->solver == first, "all of them, once around");
    ts_session_ask(d.session, TS_ASK_SET, 0, 0.0, "time_step=0.004");
    desk_tick(&d, 0.1);
    cr_assert(shown(&d)->options.time_step == 0.004);
    ts_session_ask(d.session, TS_ASK_SET, 0, 0.0, "time_step=-1");
    desk_tick(&d, 0.1);
    cr_assert(shown(&d)->options.time_step == 0.004 && strstr(d.session->ui.message, "time_step"));
    desk_close(&d);
}

Test(session, what_is_under_the_mouse_is_selected) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    double at[2];
    pixel_of(&d, shown(&d)->kinematics.body_centre[2], at);
    double_click(&d, TS_BUTTON_LEFT, at);
    cr_assert(d.session->selected == 2, "%d", d.session->selected);
    cr_assert(d.session->view.selected == 2);
    double corner[2] = {5.0, HEIGHT - 5.0};
    double_click(&d, TS_BUTTON_LEFT, corner);
    cr_assert(d.session->selected == -1, "the floor cannot move");
    pixel_of(&d, shown(&d)->kinematics.body_centre[1], at);
    button(&d, TS_BUTTON_LEFT, TS_ACTION_PRESS, 0, at);
    button(&d, TS_BUTTON_LEFT, TS_ACTION_RELEASE, 0, at);
    cr_assert(d.session->selected == 1, "a click is enough");
    press(&d, TS_KEY_PAGE_UP, 0);
    cr_assert(d.session->selected == -1, "the world is no body to select");
    // The point that is looked at is the one under the mouse.
    double_click(&d, TS_BUTTON_RIGHT, at);
    ts_vec3 target = d.session->view.camera.target;
    cr_assert(fabs(target.x) <= 0.1 + 1e-6 && fabs(target.y) <= 0.1 + 1e-6 && target.z >= -1e-6 &&
              target.z <= 0.2 + 1e-6);
    desk_close(&d);
}

Test(session, dragging_turns_the_camera_and_leaves_bodies_alone) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    uint64_t hash = ts_sim_hash(d.f.sim);
    ts_camera before = d.session->view.camera;
    double at[2] = {400.0, 300.0};
    button(&d, TS_BUTTON_LEFT, TS_ACTION_PRESS, 0, at);
    move(&d, 500.0, 320.0);
    button(&d, TS_BUTTON_LEFT, TS_ACTION_RELEASE, 0, at);
    move(&d, 700.0, 320.0);
    cr_assert(fabs(d.session->view.camera.azimuth - before.azimuth) > 0.1);
    double azimuth = d.session->view.camera.azimuth;
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_PRESS, TS_MOD_SHIFT, at);
    move(&d, 450.0, 250.0);
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_RELEASE, 0, at);
    cr_assert(d.session->view.camera.azimuth == azimuth);
    cr_assert(d.session->view.camera.target.z == before.target.z, "along the ground");
    cr_assert(ts_vec3_distance(d.session->view.camera.target, before.target) > 0.01);
    desk_tick(&d, 0.1);
    cr_assert(ts_sim_hash(d.f.sim) == hash);
    press(&d, 'A', TS_MOD_CONTROL);
    cr_assert(d.session->selected == -1);
    desk_close(&d);
}

Test(session, a_paused_body_goes_where_the_mouse_puts_it) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    double at[2], end[2];
    pixel_of(&d, shown(&d)->kinematics.body_centre[2], at);
    move(&d, at[0], at[1]);
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_PRESS, TS_MOD_CONTROL, at);
    desk_tick(&d, 0.01);
    ts_vec3 held = d.session->grab.target;
    move(&d, at[0] + 60.0, at[1] - 40.0);
    desk_tick(&d, 0.01);
    // The point that was taken is now seen under the mouse.
    ts_vec3 point = ts_transform_point(&shown(&d)->kinematics.body_pose[2], d.session->grab.local);
    pixel_of(&d, point, end);
    cr_assert(fabs(end[0] - at[0] - 60.0) < 1e-6 && fabs(end[1] - at[1] + 40.0) < 1e-6, "%g %g", end[0], end[1]);
    cr_assert(ts_vec3_distance(point, held) > 0.01);
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_RELEASE, 0, end);
    desk_tick(&d, 0.01);
    cr_assert(d.session->shadow->grabbed == -1 && shown(&d)->step_count == 0);
    // Turned by a quarter: a drag over a quarter of the height.
    pixel_of(&d, shown(&d)->kinematics.body_centre[1], at);
    move(&d, at[0], at[1]);
    ts_vec3 place = shown(&d)->kinematics.body_pose[1].p;
    button(&d, TS_BUTTON_LEFT, TS_ACTION_PRESS, TS_MOD_CONTROL, at);
    move(&d, at[0] + 0.25 * HEIGHT, at[1]);
    desk_tick(&d, 0.01);
    ts_quat turned = ts_quat_from_mat3(&shown(&d)->kinematics.body_pose[1].R);
    cr_assert(fabs(ts_vec3_norm(ts_quat_to_rotation_vector(turned)) - 1.5707963267948966) < 1e-9);
    cr_assert(ts_vec3_distance(place, shown(&d)->kinematics.body_pose[1].p) < 1e-12);
    desk_close(&d);
}

// Where a critically damped spring has pulled a point by then.
static double still_to_go(double start, double rate, double time) {
    return start * (1.0 + rate * time) * exp(-rate * time);
}

Test(session, a_held_body_follows_its_spring) {
    static const double rate = 12.0;
    for (int kind = TS_GRAB_MOVE; kind <= TS_GRAB_TURN; ++kind) {
        ts_builder* builder = ts_builder_create("free");
        fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_zero(), ts_vec3_zero(), 0.5);
        fixture f = fixture_start(builder);
        f.sim->options.gravity = ts_vec3_zero();
        f.sim->options.time_step = 1e-4;
        ts_grab grab = {.kind = (ts_grab_kind)kind, .body = 1, .rate = rate};
        grab.target = ts_vec3_make(0.4, 0.0, 0.0);
        grab.rotation = ts_quat_from_axis_angle(ts_vec3_axis(1), 0.4);
        ts_arena arena = {0};
        ts_grab_load load = ts_grab_weigh(f.sim, &grab, &arena);
        double r = 0.1, mass = f.sim->model->body[1].mass;
        cr_assert(fabs(load.mass - mass) < 1e-9 * mass, "held at its centre");
        cr_assert(fabs(load.inertia - 0.4 * mass * r * r) < 1e-9 * mass);
        for (int i = 0; i < 5000; ++i) {
            ts_status status;
            ts_sim_update_kinematics(f.sim);
            ts_push push = ts_grab_push(f.sim, &grab, &load);
            f.sim->wrench_applied[1] = push.wrench;
            cr_assert(ts_sim_step(f.sim, &status) == TS_OK);
            double want = still_to_go(0.4, rate, f.sim->time);
            ts_quat turned = ts_quat_from_mat3(&f.sim->kinematics.body_pose[1].R);
            double gone =
                kind == TS_GRAB_MOVE ? f.sim->kinematics.body_pose[1].p.x : ts_quat_to_rotation_vector(turned).y;
            // First order in the step: h w of what there is to go.
            cr_assert(fabs(0.4 - gone - want) < 2.0 * 0.4 * rate * 1e-4, "%g: %g, not %g", f.sim->time, 0.4 - gone,
                      want);
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

Test(session, no_step_is_too_long_for_the_spring) {
    ts_builder* builder = ts_builder_create("free");
    fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_zero(), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder);
    f.sim->options.gravity = ts_vec3_zero();
    f.sim->options.time_step = 0.05;
    ts_grab grab = {.kind = TS_GRAB_MOVE, .body = 1, .rate = 80.0, .target = {1.0, 0.0, 0.0}};
    grab.rotation = ts_quat_identity();
    ts_arena arena = {0};
    ts_grab_load load = ts_grab_weigh(f.sim, &grab, &arena);
    double before = 1.0;
    for (int i = 0; i < 60; ++i) {
        ts_status status;
        ts_sim_update_kinematics(f.sim);
        f.sim->wrench_applied[1] = ts_grab_push(f.sim, &grab, &load).wrench;
        cr_assert(ts_sim_step(f.sim, &status) == TS_OK);
        double left = 1.0 - f.sim->kinematics.body_pose[1].p.x;
        cr_assert(left >= -1e-12 && left <= before, "%d: %g after %g", i, left, before);
        before = left;
    }
    cr_assert(before < 1e-9, "%g", before);
    ts_arena_free(&arena);
    fixture_end(&f);
}

Test(session, a_running_body_can_be_thrown) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    double at[2];
    pixel_of(&d, ts_vec3_make(0.0, 0.0, 0.2), at);
    press(&d, TS_KEY_SPACE, 0);
    move(&d, at[0], at[1]);
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_PRESS, TS_MOD_CONTROL, at);
    move(&d, at[0], at[1] - 80.0);
    for (int i = 0; i < 30; ++i) desk_tick(&d, 0.01);
    cr_assert(d.session->shadow->grabbed == 1 && d.session->view.spring.shown);
    // It hangs by a point of its top: its centre at least a half of its height lower, less what the spring gives.
    cr_assert(shown(&d)->kinematics.body_centre[1].z > 0.1 + 0.05, "lifted");
    button(&d, TS_BUTTON_RIGHT, TS_ACTION_RELEASE, 0, at);
    for (int i = 0; i < 10; ++i) desk_tick(&d, 0.01);
    cr_assert(d.session->shadow->grabbed == -1);
    // What was done by hand is remembered with the states: going back and forth gives the same bits.
    press(&d, TS_KEY_SPACE, 0);
    uint64_t end = ts_sim_hash(d.f.sim);
    press(&d, TS_KEY_HOME, 0);
    press(&d, TS_KEY_END, 0);
    cr_assert(ts_sim_hash(d.f.sim) == end);
    desk_close(&d);
}

Test(session, show_keys_change_what_is_drawn) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    press(&d, TS_KEY_RIGHT, 0);
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* command = ts_command_at(i);
        if (!command->is_on || strcmp(command->group, "Show") != 0) continue;
        int before = command->is_on(d.session, command->argument);
        press(&d, command->key, command->mods);
        cr_assert(command->is_on(d.session, command->argument) == !before, "%s", command->name);
        press(&d, command->key, command->mods);
        cr_assert(command->is_on(d.session, command->argument) == before, "%s", command->name);
    }
    press(&d, TS_KEY_F1, 0);
    cr_assert(((ts_device_null*)d.device)->overlay_quads > 500, "the help is words");
    // The key turns its pages, and after the last puts it away.
    int pages = ts_session_help_pages(d.session);
    for (int page = 2; page <= pages; ++page) {
        press(&d, TS_KEY_F1, 0);
        cr_assert_eq(d.session->panels.help, page);
    }
    press(&d, TS_KEY_F1, 0);
    cr_assert_eq(d.session->panels.help, 0);
    press(&d, TS_KEY_F1, 0);
    press(&d, TS_KEY_ESCAPE, 0);
    cr_assert_eq(d.session->panels.help, 0);
    desk_close(&d);
}

static const char ball_file[] =
    "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body name=\"ball\" pos=\"0 0 %g\">"
    "<freejoint name=\"j\"/><geom type=\"sphere\" size=\"%g\"/></body></worldbody></mujoco>";

static void write_ball(const char* path, double height, double radius) {
    FILE* file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, ball_file, height, radius);
    fclose(file);
}

Test(session, files_are_dropped_watched_and_loaded_again) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/ts-session-%ld.xml", (long)getpid());
    write_ball(path, 1.0, 0.1);
    desk d;
    sit_down(&d, two_boxes(), NULL);
    press(&d, 'L', TS_MOD_CONTROL);
    cr_assert(strstr(d.session->ui.message, "cannot be loaded again"), "%s", d.session->ui.message);
    ts_event drop = {.kind = TS_EVENT_DROP, .path = path, .time = d.now};
    ts_session_event(d.session, &drop);
    desk_tick(&d, 0.1);
    cr_assert(shown(&d)->model->body_count == 2 && fabs(shown(&d)->qpos[2] - 1.0) < 1e-12);
    press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    double fallen = shown(&d)->qpos[2];
    cr_assert(fallen < 1.0 && shown(&d)->step_count == 10);
    // Another size: the state is kept. A file that is no model: everything is.
    desk_tick(&d, 1.0);
    write_ball(path, 1.0, 0.25);
    desk_tick(&d, 1.0);
    desk_tick(&d, 1.0);
    cr_assert(shown(&d)->model->geom[1].shape.radius == 0.25 && shown(&d)->qpos[2] == fallen);
    FILE* file = fopen(path, "w");
    cr_assert(file);
    fputs("<mujoco><worldbody><geom type=\"cheese\"/>", file);
    fclose(file);
    desk_tick(&d, 1.0);
    desk_tick(&d, 1.0);
    cr_assert(shown(&d)->model->geom[1].shape.radius == 0.25 && d.session->ui.message[0]);
    remove(path);
    press(&d, 'L', TS_MOD_CONTROL);
    cr_assert(shown(&d)->model->geom[1].shape.radius == 0.25 && d.session->ui.message[0]);
    desk_close(&d);
}

// Bytes in use; zero where the heap is not glibc's own, under a sanitizer, which finds leaks by itself.
static size_t bytes_in_use(void) { return mallinfo2().uordblks; }

Test(session, ten_thousand_frames_reloads_and_resizes_keep_no_memory) {
    enum { FRAMES = 10000, WARM = 2500, RELOAD = 500, RESIZE = 50 };
    char path[64];
    snprintf(path, sizeof path, "/tmp/ts-session-frames-%ld.xml", (long)getpid());
    write_ball(path, 0.1, 0.1);
    desk d;
    sit_down(&d, two_boxes(), NULL);
    ts_event drop = {.kind = TS_EVENT_DROP, .path = path, .time = d.now};
    ts_session_event(d.session, &drop);
    desk_tick(&d, 0.1);
    press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    size_t warm = 0;
    for (int i = 1; i <= FRAMES; ++i) {
        ts_event resize = {.kind = TS_EVENT_RESIZE, .width = 300 + i % 7, .height = 200 + i % 5, .scale = 1.0};
        if (i % RESIZE == 0) ts_session_event(d.session, &resize);
        ts_camera_orbit(&d.session->view.camera, 1.0, 0.1, 300);
        d.session->dirty = 1;
        desk_tick(&d, 1e-5);
        if (i % RELOAD != 0) continue;
        press(&d, 'L', TS_MOD_CONTROL);
        press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
        cr_assert(shown(&d)->step_count == 10 && shown(&d)->contact_count == 1);
        if (i == WARM) warm = bytes_in_use();
    }
    cr_assert(((ts_device_null*)d.device)->frames >= FRAMES);
    size_t end = bytes_in_use();
    // A frame that kept 16 bytes would have kept 120,000 since.
    cr_assert(end < warm + 32768, "%zu bytes, and %zu after %d frames more", warm, end, FRAMES - WARM);
    remove(path);
    desk_close(&d);
}

Test(session, a_window_without_area_is_no_mistake) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    ts_event resize = {.kind = TS_EVENT_RESIZE, .width = 0, .height = 0, .scale = 1.0};
    ts_session_event(d.session, &resize);
    int frames = ((ts_device_null*)d.device)->frames;
    double at[2] = {0.0, 0.0};
    desk_tick(&d, 0.1);
    double_click(&d, TS_BUTTON_LEFT, at);
    press(&d, 'A', TS_MOD_CONTROL);
    cr_assert(((ts_device_null*)d.device)->frames == frames);
    resize.width = resize.height = 300;
    ts_session_event(d.session, &resize);
    desk_tick(&d, 0.1);
    cr_assert(((ts_device_null*)d.device)->frames == frames + 1);
    ts_event close = {.kind = TS_EVENT_CLOSE};
    ts_session_event(d.session, &close);
    cr_assert(d.session->wishes.over);
    desk_close(&d);
}

Test(session, rays_meet_what_they_should) {
    fixture f = two_boxes();
    ts_camera camera = ts_camera_default();
    for (int parallel = 0; parallel < 2; ++parallel) {
        camera.parallel = parallel;
        for (int i = 0; i < 25; ++i) {
            double pixel[2] = {40.0 + 180.0 * (i % 5), 30.0 + 130.0 * (double)(i / 5)}, back[2];
            ts_vec3 from, direction;
            ts_camera_ray(&camera, WIDTH, HEIGHT, pixel, &from, &direction);
            cr_assert(ts_camera_project(&camera, WIDTH, HEIGHT, ts_vec3_add_scaled(from, 2.5, direction), back));
            cr_assert(fabs(back[0] - pixel[0]) < 1e-9 && fabs(back[1] - pixel[1]) < 1e-9);
        }
    }
    // Straight down on the sphere, beside it on the floor, from below on nothing.
    ts_vec3 down = ts_vec3_make(0.0, 0.0, -1.0);
    ts_pick pick = ts_pick_ray(f.sim, ts_vec3_make(0.5, 0.06, 3.0), down, 1);
    cr_assert(pick.body == 2 && fabs(pick.distance - (2.6 - 0.08)) < 1e-7, "%g", pick.distance);
    pick = ts_pick_ray(f.sim, ts_vec3_make(0.5, 0.11, 3.0), down, 1);
    cr_assert(pick.body == 0 && fabs(pick.distance - 3.0) < 1e-7);
    pick = ts_pick_ray(f.sim, ts_vec3_make(5.0, 0.0, -1.0), down, 1);
    cr_assert(pick.geom == -1);
    fixture_end(&f);
}

Test(session, every_key_is_given_once_and_stands_in_the_manual) {
    ts_text manual = {0};
    ts_status status;
    ts_code code = ts_text_read_file("docs/viewer.md", 1u << 20, &manual, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    char line[256], key[48];
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* command = ts_command_at(i);
        ts_command_key_text(command, key, sizeof key);
        snprintf(line, sizeof line, "| `%s` | %s |", key, command->help);
        cr_assert(strstr(manual.data, line), "docs/viewer.md has no line %s", line);
        for (int k = 0; k < i; ++k)
            cr_assert(ts_command_at(k)->key != command->key || ts_command_at(k)->mods != command->mods, "%s", key);
    }
    for (int i = 0; i < ts_gesture_count(); ++i) {
        snprintf(line, sizeof line, "| %s | %s |", ts_gesture_at(i)->what, ts_gesture_at(i)->help);
        cr_assert(strstr(manual.data, line), "docs/viewer.md has no line %s", line);
    }
    // And nothing else stands there.
    int lines = 0;
    const char* section = strstr(manual.data, "## Keys");
    const char* end = section ? strstr(section + 3, "\n## ") : NULL;
    cr_assert(section && end);
    for (const char* c = section; (c = strstr(c + 1, "\n| ")) != NULL && c < end;) ++lines;
    // The heading is one.
    cr_assert(lines == 1 + ts_command_count() + ts_gesture_count(), "%d lines", lines);
    ts_text_free(&manual);
}

// Whether those words stand on the picture; spaces are not drawn.
static int says(const ts_overlay* overlay, const char* words) {
    char text[8192];
    size_t n = 0;
    for (int i = 0; i < overlay->quads.count && n + 1 < sizeof text; ++i)
        if (overlay->quads.data[i].character) text[n++] = (char)overlay->quads.data[i].character;
    text[n] = '\0';
    return strstr(text, words) != NULL;
}

// Few enough for the eye to tell them apart, and all of them again afterwards; what stays is not uploaded again.
Test(session, round_shapes_have_few_wires) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    desk_tick(&d, 0.1);
    const ts_device_null* device = (const ts_device_null*)d.device;
    int smooth = device->triangles, uploads = device->uploads;
    press(&d, 'S', 0);
    press(&d, 'S', 0);
    cr_assert_eq(device->uploads, uploads);
    press(&d, 'W', 0);
    cr_assert_lt(2 * device->triangles, smooth, "%d of %d", device->triangles, smooth);
    press(&d, 'W', 0);
    cr_assert_eq(device->triangles, smooth);
    desk_close(&d);
}

// The ball is clicked in its middle, as seen: that point of it is the one nearest to the eye.
Test(session, the_point_that_was_clicked_is_told) {
    desk d;
    char words[96];
    double at[2];
    sit_down(&d, two_boxes(), NULL);
    desk_tick(&d, 0.1);
    ts_vec3 centre = shown(&d)->kinematics.body_centre[2];
    ts_vec3 to_eye = ts_vec3_sub(ts_camera_eye(&d.session->view.camera), centre);
    ts_vec3 p = ts_vec3_scale(0.1 / ts_vec3_norm(to_eye), to_eye);
    pixel_of(&d, centre, at);
    button(&d, TS_BUTTON_LEFT, TS_ACTION_PRESS, 0, at);
    button(&d, TS_BUTTON_LEFT, TS_ACTION_RELEASE, 0, at);
    press(&d, 'O', TS_MOD_CONTROL);
    snprintf(words, sizeof words, "(%.4g,%.4g,%.4g)", p.x, p.y, p.z);
    cr_assert(says(&d.session->overlay, words), "%s", words);
    desk_close(&d);
}

Test(session, who_sees_nothing_hears_how_to_find_it) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    desk_tick(&d, 0.1);
    cr_assert(!says(&d.session->overlay, "outofsight"));
    d.session->view.camera.target.x += 500.0;
    d.session->dirty = 1;
    desk_tick(&d, 0.1);
    cr_assert(says(&d.session->overlay, "outofsight"));
    press(&d, 'A', TS_MOD_CONTROL);
    cr_assert(!says(&d.session->overlay, "outofsight"));
    desk_close(&d);
}

// From a box to a ball: the picked points lie on the surfaces, stay on their bodies when these move, and the third press takes the ruler away.
Test(session, a_ruler_stays_on_its_bodies) {
    desk d;
    sit_down(&d, two_boxes(), NULL);
    desk_tick(&d, 0.1);
    const ts_sim* sim = shown(&d);
    for (int body = 1; body <= 2; ++body) {
        double at[2];
        cr_assert(ts_camera_project(&d.session->view.camera, WIDTH, HEIGHT, sim->kinematics.body_centre[body], at));
        move(&d, at[0], at[1]);
        desk_tick(&d, 0.01);
        press(&d, 'R', TS_MOD_SHIFT);
        cr_assert(strstr(d.session->ui.message, body == 1 ? "where to" : "measured"), "%s", d.session->ui.message);
    }
    ts_vec3 end[2], later[2];
    cr_assert(ts_session_ruler(d.session, shown(&d), end) == 2);
    for (int k = 0; k < 2; ++k) {
        // On the ray through the centre: of the ball on its surface, of the box no farther than a corner is.
        double away = ts_vec3_distance(end[k], shown(&d)->kinematics.body_centre[k + 1]);
        cr_assert(k ? fabs(away - 0.1) < 1e-6 : away < 0.1733 && away > 0.0999, "%d: %g", k, away);
    }
    char words[64];
    snprintf(words, sizeof words, "%.6gm(", ts_vec3_distance(end[0], end[1]));
    cr_assert(says(&d.session->overlay, words) && d.session->view.ruler.shown, "%s", words);
    d.f.sim->qpos[0] += 0.25;
    press(&d, TS_KEY_RIGHT, 0);
    cr_assert(ts_session_ruler(d.session, shown(&d), later) == 2);
    cr_assert(fabs(later[0].x - end[0].x) > 0.2, "it went with its body: %g", later[0].x - end[0].x);
    press(&d, 'R', TS_MOD_SHIFT);
    cr_assert(ts_session_ruler(d.session, shown(&d), later) == 0);
    desk_close(&d);
}
