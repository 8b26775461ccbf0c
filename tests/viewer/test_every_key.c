// Claims: every key of the table can be pressed at any time: at the beginning, while it runs, after a keyframe, with futures side by side, with
// a body selected and a contact pinned. A switch says that it is on after one press and off after the other, everything is drawn after each, and
// no number that is shown is not finite. The model has one of everything that a key shows.
#include "tests/folder_fixture.h"
#include "tests/viewer/desk_fixture.h"
#include "tests/viewer/kit_script.h"

#include "viewer/session/command_internal.h"

#include <unistd.h>

TestSuite(every_key, .init = make_folder, .fini = remove_folder);

static const char everything[] =
    "<mujoco model='everything'><worldbody>"
    "<camera name='side' pos='0 -3 1' xyaxes='1 0 0 0 .3 1'/>"
    "<geom name='floor' type='plane' size='3 3 .1'/><site name='anchor' pos='-.8 0 1.5'/>"
    "<body name='low' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='high' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1' group='1'/></body>"
    "<body name='apart' pos='.5 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' group='2'/></body>"
    "<body name='arm' pos='-.8 0 .8'><joint name='shoulder' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' "
    "size='.04'/><site name='middle' pos='.2 0 0'/>"
    "<body name='fore' pos='.4 0 0'><joint name='elbow' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' "
    "size='.03'/><site name='eye' pos='.3 0 0' euler='0 180 0'/></body></body>"
    "<body name='ball' pos='.9 .4 .1'><freejoint/><geom type='sphere' size='.1'/></body>"
    "<body name='tied' pos='1.2 .4 .1'><freejoint/><geom type='sphere' size='.1'/></body></worldbody>"
    "<equality><connect name='tie' body1='ball' body2='tied' anchor='.15 0 0'/></equality>"
    "<tendon><spatial name='rope' stiffness='10'><site site='anchor'/><site site='middle'/></spatial></tendon>"
    "<actuator><motor name='turn' joint='shoulder' ctrlrange='-1 1'/></actuator>"
    "<sensor><rangefinder name='far' site='eye'/><jointpos name='angle' joint='shoulder'/></sensor>"
    "<keyframe><key name='lifted' qpos='0 0 .1 1 0 0 0 0 0 .6 1 0 0 0 .5 0 .1 1 0 0 0 .5 .5 .9 .4 .2 1 0 0 0 1.2 .4 .2 "
    "1 0 "
    "0 0'/></keyframe></mujoco>";

// In the folder, since keys save files where they are pressed.
static void sit_down(desk* d) {
    ts_status status;
    fixture f;
    cr_assert_eq(chdir(folder), 0);
    FILE* file = fopen("everything.xml", "w");
    cr_assert(file);
    fputs(everything, file);
    fclose(file);
    memset(&f, 0, sizeof f);
    cr_assert(ts_scene_load("everything.xml", NULL, &f.scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_forward(f.sim, &status) == TS_OK, "%s", status.message);
    desk_prepare(d, f);
    d->request.subject = "everything.xml";
    kit_script* script = calloc(1, sizeof *script);
    cr_assert(script);
    script->kit.ops = &script_ops;
    desk_open(d, &script->kit);
    d->session->panels.right = 1;
}

static void get_up(desk* d) {
    ts_kit* kit = d->kit;
    desk_close(d);
    free(script_of(kit));
    cr_assert_eq(chdir("/"), 0);
}

static void press(desk* d, int key, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = key, .action = TS_ACTION_PRESS, .mods = mods, .time = d->now};
    ts_session_event(d->session, &event);
    event.action = TS_ACTION_RELEASE;
    ts_session_event(d->session, &event);
    desk_tick(d, 0.002);
    ts_session_panels(d->session, 0.002);
    desk_tick(d, 0.002);
}

// Of those that stay on or off: the pages of help are turned, and two more are other people's.
static int is_switch(const ts_command* c) {
    return c->is_on && strcmp(c->name, "help") != 0 && strcmp(c->name, "pause") != 0;
}

static void press_all(desk* d, const char* when) {
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* c = ts_command_at(i);
        if (strcmp(c->name, "quit") == 0) continue;
        int before = is_switch(c) && c->is_on(d->session, c->argument);
        for (int k = 1; k <= 2; ++k) {
            press(d, c->key, c->mods);
            int on = is_switch(c) && c->is_on(d->session, c->argument);
            if (is_switch(c)) cr_expect_eq(on, before ^ (k & 1), "%s: %s, press %d", when, c->name, k);
            cr_assert_null(strstr(script_of(d->kit)->seen, "NOT FINITE"), "%s: %s", when, c->name);
        }
        const ts_sim* sim = &d->session->shadow->sim;
        for (int q = 0; q < sim->model->nq; ++q) cr_assert(isfinite(sim->qpos[q]), "%s: %s", when, c->name);
    }
}

// What the mouse does to a widget of that name, in a picture that has come to rest and is drawn only when the session asks for it. How often it
// was drawn for that.
static int click(desk* d, const char* label) {
    for (int i = 0; i < 3; ++i) desk_tick(d, 10.0);
    const int before = ((const ts_device_null*)d->device)->frames;
    snprintf(script_of(d->kit)->target, sizeof script_of(d->kit)->target, "%s", label);
    ts_session_panels(d->session, 0.002);
    cr_assert_eq(script_of(d->kit)->target[0], '\0', "there is no %s", label);
    desk_tick(d, 0.002);
    return ((const ts_device_null*)d->device)->frames - before;
}

static void point_at_contact(desk* d) {
    const ts_session* s = d->session;
    const ts_sim* sim = &s->shadow->sim;
    double at[2];
    for (int c = 0; c < sim->contact_count; ++c) {
        if (!ts_camera_project(&s->view.camera, s->width, s->height, sim->contact[c].position, at)) continue;
        ts_event event = {.kind = TS_EVENT_MOVE, .x = at[0] + s->left, .y = at[1] + s->top, .time = d->now};
        ts_session_event(d->session, &event);
        if (ts_session_hovered(s) >= 0) return;
    }
    cr_assert_fail("no contact can be pointed at");
}

Test(every_key, at_the_beginning) {
    desk d;
    sit_down(&d);
    press_all(&d, "at the beginning");
    get_up(&d);
}

// With the mouse over a contact, and a body selected: more is drawn then.
Test(every_key, while_it_runs) {
    desk d;
    sit_down(&d);
    press(&d, TS_KEY_SPACE, 0);
    for (int i = 0; i < 20; ++i) desk_tick(&d, 0.01);
    ts_session_select(d.session, 2);
    point_at_contact(&d);
    press_all(&d, "while it runs");
    get_up(&d);
}

// The pose is another one than that of the last step: what touches has been found, and nobody has solved it.
Test(every_key, after_a_keyframe) {
    desk d;
    sit_down(&d);
    for (int i = 0; i < 3; ++i) press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    int many = d.session->shadow->sim.contact_count;
    press(&d, 'K', TS_MOD_CONTROL);
    const ts_sim* sim = &d.session->shadow->sim;
    const ts_contact_facts* facts = &d.session->shadow->look[0].facts;
    cr_assert(sim->contact_count > 0 && sim->contact_count < many, "%d of %d", sim->contact_count, many);
    for (int c = 0; c < sim->contact_count; ++c) cr_expect_eq(facts->mode[c], TS_MODE_OPEN);
    // Nothing that steps, and so is shown what was solved again, before all that is shown has been.
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* c = ts_command_at(i);
        if (strcmp(c->group, "Show") == 0) press(&d, c->key, c->mods);
    }
    press_all(&d, "after a keyframe");
    get_up(&d);
}

Test(every_key, side_by_side) {
    desk d;
    sit_down(&d);
    for (int i = 0; i < 3; ++i) press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    press(&d, 'B', TS_MOD_CONTROL);
    press(&d, TS_KEY_DOWN, TS_MOD_CONTROL);
    press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    cr_assert_eq(d.session->shadow->look_count, 2);
    ts_session_select(d.session, 2);
    press_all(&d, "side by side");
    get_up(&d);
}

// A paused picture is drawn anew where somebody asks for something else, by a menu, too, without the mouse having to move over it.
Test(every_key, menus_are_seen_at_once) {
    desk d;
    sit_down(&d);
    press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    d.session->panels.right = 0;
    for (int i = 0; i < 3; ++i) desk_tick(&d, 10.0);
    const ts_device_null* device = (const ts_device_null*)d.device;
    int idle = device->frames;
    for (int i = 0; i < 3; ++i) desk_tick(&d, 0.1);
    cr_assert_eq(device->frames, idle, "nothing new, and drawn");
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* c = ts_command_at(i);
        if (is_switch(c)) cr_expect_gt(click(&d, c->name), 0, "%s", c->name);
    }
    d.session->panels.right = 1;
    script_of(d.kit)->value = 2.0;
    cr_expect_gt(click(&d, "arrows"), 0);
    get_up(&d);
}

// A grey picture, in place of one that was drawn.
static ts_code grey(ts_device* device, int channels, unsigned char* out_pixels, ts_status* out_status) {
    const ts_device_frame* last = &((const ts_device_null*)device)->last;
    memset(out_pixels, 128, (size_t)channels * (size_t)last->width * (size_t)last->height);
    return ts_status_ok(out_status);
}

Test(every_key, pictures_are_saved_where_they_are_asked_for) {
    desk d;
    sit_down(&d);
    ts_device_ops photographing = *d.device->ops;
    photographing.read = grey;
    d.device->ops = &photographing;
    for (int i = 0; i < 3; ++i) press(&d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    click(&d, "picture");
    cr_expect_eq(access("everything-000030.png", R_OK), 0);
    click(&d, "PNG");
    cr_expect_eq(access("everything-000030-charts.png", R_OK), 0);
    click(&d, "SVG");
    cr_expect_eq(access("everything-000030.svg", R_OK), 0);
    click(&d, "CSV");
    cr_expect_eq(access("everything-000030.csv", R_OK), 0);
    get_up(&d);
}
