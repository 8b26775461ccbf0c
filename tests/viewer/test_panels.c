// Claims: the panels offer every scene, experiment, solver, setting, integrator and option of their tables; what is done to a widget arrives in the
// simulation; what differs from the file is marked, and the command line that is copied makes the same simulation; charts show what
// was stepped, on the screen, as SVG and as CSV.
#include "tests/viewer/desk_fixture.h"
#include "tests/viewer/kit_script.h"

#include "base/text.h"
#include "engine/step/integrate/integrator.h"
#include "scenes/experiments/experiment.h"
#include "scenes/run.h"
#include "viewer/session/convergence_internal.h"
#include "viewer/session/command_internal.h"
#include "viewer/session/panels_internal.h"

#include <stdlib.h>
#include <unistd.h>

static void sit_down(desk* d, const char* name) {
    desk_prepare(d, desk_scene(name));
    d->request.subject = name;
    kit_script* script = calloc(1, sizeof *script);
    cr_assert(script);
    script->kit.ops = &script_ops;
    desk_open(d, &script->kit);
    d->session->panels.right = 1;
}

static void get_up(desk* d) {
    desk_close(d);
    free(script_of(d->kit));
}

static void tick(desk* d) {
    desk_tick(d, 0.1);
    ts_session_panels(d->session, 0.1);
}

// Does something to a widget; afterwards the picture is of what came of it.
static void act(desk* d, const char* label, double value) {
    snprintf(script_of(d->kit)->target, sizeof script_of(d->kit)->target, "%s", label);
    script_of(d->kit)->value = value;
    int before = script_of(d->kit)->done;
    tick(d);
    cr_assert(script_of(d->kit)->done == before + 1, "there is no %s among\n%s", label, script_of(d->kit)->seen);
    tick(d);
}

static int sees(const desk* d, const char* line) {
    char whole[200];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    return strstr(script_of(d->kit)->seen, whole) != NULL;
}

static const ts_sim* shown(const desk* d) { return &d->session->shadow->sim; }

Test(panels, everything_that_is_in_a_table_is_offered) {
    desk d;
    sit_down(&d, "sliding-cube");
    tick(&d);
    for (int i = 0; i < ts_scene_count(); ++i) cr_assert(sees(&d, ts_scene_at(i)->name));
    for (int i = 0; i < ts_experiment_count(); ++i) cr_assert(sees(&d, ts_experiment_at(i)->name));
    for (int i = 0; i < ts_solver_count(); ++i) cr_assert(sees(&d, ts_solver_at(i)->name));
    for (int i = 0; i < ts_integrator_count(); ++i) cr_assert(sees(&d, ts_integrator_at(i)->name));
    for (int i = 0; i < ts_command_count(); ++i) cr_assert(sees(&d, ts_command_at(i)->name));
    for (int i = 0; i < ts_option_count(); ++i) {
        char label[96];
        const ts_option* option = ts_option_at(i);
        if (option->count == 0) continue;
        snprintf(label, sizeof label, option->count > 1 ? "%s y" : "%s", option->name);
        cr_assert(sees(&d, label), "%s", label);
    }
    // The settings of every solver, when it is chosen.
    for (int k = 0; k < ts_solver_count(); ++k) {
        act(&d, "contact model", k);
        cr_assert(shown(&d)->solver == ts_solver_at(k));
        for (int i = 0; i < ts_solver_setting_count(shown(&d)->solver); ++i)
            cr_assert(sees(&d, ts_solver_setting_at(shown(&d)->solver, i)->name));
        cr_assert(!strstr(script_of(d.kit)->seen, "NOT FINITE"));
    }
    get_up(&d);
}

Test(panels, what_is_changed_arrives_and_is_marked) {
    desk d;
    sit_down(&d, "sliding-cube");
    tick(&d);
    cr_assert(!sees(&d, "*time_step"));
    act(&d, "time_step", 0.004);
    cr_assert(shown(&d)->options.time_step == 0.004 && sees(&d, "*time_step"));
    act(&d, "gravity z", -1.5);
    cr_assert(shown(&d)->options.gravity.z == -1.5 && shown(&d)->options.gravity.x == 0.0);
    act(&d, "contact model", 1.0);
    act(&d, "iteration_limit", 77.0);
    cr_assert(ts_solver_get(shown(&d)->solver, shown(&d)->solver_settings, "iteration_limit") == 77.0);
    cr_assert(sees(&d, "*iteration_limit") && !sees(&d, "*tolerance"));
    act(&d, "speed", 0.25);
    cr_assert(d.session->shadow->speed == 0.25);
    act(&d, "copy command", 0.0);
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "touchstone view 'sliding-cube' --solver %s --set 'time_step=0.004' --set 'gravity=0 0 -1.5' "
             "--set 'solver.iteration_limit=77'",
             ts_solver_at(1)->name);
    cr_assert_str_eq(d.session->wishes.clipboard, wanted);
    act(&d, ">", 0.0);
    cr_assert(shown(&d)->step_count == 1);
    act(&d, "start again", 0.0);
    cr_assert(shown(&d)->step_count == 0 && shown(&d)->options.time_step == 0.004);
    get_up(&d);
}

// Arrows of forces are as long as the knob says, and so is what an arrow of the scale bar means; another scene begins at its own length.
Test(panels, arrows_are_stretched) {
    desk d;
    sit_down(&d, "sliding-cube");
    tick(&d);
    double before = d.session->view.sizes.metres_per_newton;
    cr_assert_gt(before, 0.0);
    d.session->panels.right = 1;
    act(&d, "arrows", 4.0);
    act(&d, "arrows", 0.5);
    cr_expect_float_eq(d.session->view.sizes.metres_per_newton, 0.5 * before, 1e-12 * before);
    act(&d, "arrows", 0.0);
    cr_expect_float_eq(d.session->view.sizes.metres_per_newton, 0.5 * before, 1e-12 * before);
    act(&d, "sliding-cube", 0.0);
    cr_expect_eq(d.session->view.sizes.metres_per_newton, before);
    cr_expect_eq(d.session->arrows, 1.0);
    get_up(&d);
}

Test(panels, a_scene_is_found_and_loaded) {
    desk d;
    sit_down(&d, "sliding-cube");
    tick(&d);
    cr_assert(sees(&d, "double-pendulum") && sees(&d, "stack-10"));
    snprintf(d.session->search, sizeof d.session->search, "PENDUL swing");
    tick(&d);
    cr_assert(!sees(&d, "stack-10"), "it has neither word");
    d.session->search[0] = '\0';
    act(&d, "double-pendulum", 0.0);
    cr_assert_str_eq(d.session->subject, "double-pendulum");
    cr_assert(shown(&d)->model->joint_count == 2);
    act(&d, "funnel", 0.0);
    cr_assert(shown(&d)->model->body_count > 10);
    get_up(&d);
}

Test(panels, joints_and_controls_move) {
    desk d;
    sit_down(&d, "gripper");
    tick(&d);
    const ts_model* model = d.f.scene.model;
    cr_assert(model->actuator_count > 0);
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        if (joint->type != TS_JOINT_SLIDE && joint->type != TS_JOINT_HINGE) continue;
        double value = joint->limited ? 0.5 * (joint->range[0] + joint->range[1]) : 0.01;
        act(&d, joint->name, value);
        cr_assert(shown(&d)->qpos[joint->qpos_first] == value, "%s", joint->name);
        break;
    }
    double value = model->actuator[0].control.limited ? model->actuator[0].control.range[1] : 1.0;
    if (model->actuator[0].name[0]) act(&d, model->actuator[0].name, value);
    if (model->actuator[0].name[0]) cr_assert(shown(&d)->ctrl[0] == value);
    act(&d, "all to zero", 0.0);
    cr_assert(shown(&d)->ctrl[0] == 0.0);
    for (int b = 1; b < model->body_count; ++b) {
        // Of one name the script takes the first that it meets.
        const char* name = model->body[b].name;
        if (ts_model_find_joint(model, name) >= 0 || ts_model_find_actuator(model, name) >= 0) continue;
        act(&d, name, 0.0);
        cr_assert(d.session->selected == b);
    }
    get_up(&d);
}

Test(panels, the_picture_leaves_room_for_them) {
    desk d;
    sit_down(&d, "sliding-cube");
    tick(&d);
    int width = d.session->width, height = d.session->height;
    cr_assert(width > 0 && width < 1280 && height < 720 && d.session->left > 0 && d.session->top > 0);
    ts_event key = {.kind = TS_EVENT_KEY, .code = TS_KEY_TAB, .action = TS_ACTION_PRESS};
    ts_session_event(d.session, &key);
    tick(&d);
    cr_assert(d.session->width > width && d.session->left == 0);
    key.mods = TS_MOD_SHIFT;
    ts_session_event(d.session, &key);
    key.mods = 0;
    key.code = TS_KEY_F3;
    ts_session_event(d.session, &key);
    tick(&d);
    cr_assert(d.session->width == 1280 && d.session->height > height);
    get_up(&d);
}

Test(panels, charts_show_what_was_stepped) {
    desk d;
    sit_down(&d, "sliding-cube");
    ts_event key = {.kind = TS_EVENT_KEY, .code = TS_KEY_RIGHT, .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT};
    for (int i = 0; i < 10; ++i) {
        ts_session_event(d.session, &key);
        tick(&d);
    }
    cr_assert(shown(&d)->step_count == 100 && script_of(d.kit)->lines > 3);
    cr_expect_eq(d.session->ui.memory, (double)ts_sim_memory(d.f.sim));
    cr_assert(!strstr(script_of(d.kit)->seen, "NOT FINITE"));
    // Half-way along the timeline, and along a chart, whose first sample is of step 1.
    act(&d, "timeline", 0.5);
    cr_assert(shown(&d)->step_count == 50, "%lld", shown(&d)->step_count);
    act(&d, "chart 0", 1.0);
    cr_assert(shown(&d)->step_count == 100);
    act(&d, "chart 0", 0.0);
    cr_assert(shown(&d)->step_count == 1);
    // A free cube on a floor without push: energies against the closed forms of the samples.
    ts_session_take_strips(d.session, 1);
    const ts_sample* sample = ts_strip_at(ts_strips_chosen(&d.session->strips), 0);
    double sum = (double)sample->value[TS_QUANTITY_KINETIC] + (double)sample->value[TS_QUANTITY_POTENTIAL];
    cr_assert(fabs(sum - (double)sample->value[TS_QUANTITY_TOTAL]) < 1e-6 * fabs(sum) + 1e-9);
    char path[64];
    ts_status status;
    ts_text text = {0};
    snprintf(path, sizeof path, "/tmp/ts-charts-%ld", (long)getpid());
    cr_assert(ts_strip_write_csv(&d.session->strips, path, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK);
    int lines = 0;
    for (const char* c = text.data; *c; ++c) lines += *c == '\n';
    cr_assert(lines == 101 && strncmp(text.data, "step,time [s],kinetic [J],", 26) == 0, "%d lines", lines);
    ts_text_free(&text);
    const ts_charted all = {d.session->strips, 50, ts_theme_of(0), NULL};
    cr_assert(ts_chart_write_svg(&all, 900, path, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK);
    cr_assert(strstr(text.data, "<polyline") && strstr(text.data, "law unmet") && strstr(text.data, "</svg>"));
    cr_assert(!strstr(text.data, "nan") && !strstr(text.data, "inf"));
    ts_text_free(&text);
    remove(path);
    get_up(&d);
}

// Any number that has a name is charted, of all steps that are remembered: what a simulation of its own comes to, step by step; what is no number
// leaves no curve.
Test(panels, watched_numbers_are_charted) {
    desk d;
    ts_status status;
    sit_down(&d, "sliding-cube");
    ts_event forth = {.kind = TS_EVENT_KEY, .code = TS_KEY_RIGHT, .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT};
    ts_session_event(d.session, &forth);
    tick(&d);
    tick(&d);
    snprintf(d.session->watched, sizeof d.session->watched, " qpos[1]  nothing[3] qvel[1]");
    tick(&d);
    ts_session_event(d.session, &forth);
    tick(&d);
    tick(&d);
    cr_assert_eq(shown(&d)->step_count, 20);
    ts_session_take_strips(d.session, 1);
    const ts_strip* strip = ts_strips_chosen(&d.session->strips);
    cr_assert_eq(strip->count, 20);
    ts_sim* own;
    cr_assert(ts_sim_create(d.f.scene.model, 1, &own, &status) == TS_OK);
    for (int k = 0; k < 20; ++k) {
        const float* value = ts_strip_at(strip, k)->value + TS_QUANTITY_WATCHED;
        cr_assert(ts_scene_step(&d.f.scene, own, &status) == TS_OK);
        cr_expect_eq(value[0], (float)own->qpos[1], "step %d", k + 1);
        cr_expect(isnan(value[1]) && isnan(value[3]));
        cr_expect_eq(value[2], (float)own->qvel[1]);
        cr_expect_neq(own->qvel[1], 0.0);
    }
    ts_sim_free(own);
    const ts_charted all = ts_session_charted(d.session);
    char path[96];
    ts_text text = {0};
    snprintf(path, sizeof path, "/tmp/ts-watched-%ld", (long)getpid());
    cr_assert(ts_chart_write_svg(&all, 900, path, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK);
    cr_expect(strstr(text.data, ">qpos[1] ") && strstr(text.data, ">qvel[1] ") && !strstr(text.data, "nothing"));
    ts_text_free(&text);
    cr_assert(ts_strip_write_csv(&d.session->strips, path, &status) == TS_OK);
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK);
    cr_expect(strstr(text.data, ",qpos[1],nothing[3],qvel[1]\n"), "%.400s", text.data);
    ts_text_free(&text);
    remove(path);
    // Others from now on.
    snprintf(d.session->watched, sizeof d.session->watched, "time");
    tick(&d);
    tick(&d);
    ts_session_take_strips(d.session, 1);
    const float* value = ts_strip_at(strip, 19)->value + TS_QUANTITY_WATCHED;
    cr_expect_float_eq(value[0], 0.02f, 1e-6f);
    cr_expect(isnan(value[1]) && isnan(value[2]));
    get_up(&d);
}

static int lines_of(const char* path) {
    ts_text text = {0};
    ts_status status;
    int lines = 0;
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK, "%s", status.message);
    for (const char* c = text.data; *c; ++c) lines += *c == '\n';
    ts_text_free(&text);
    return lines;
}

// Two laws side by side: each has a curve of its own, which begins at the start, ends at what the step's report says was unmet, and is there again when
// the step is gone back to. The simulation is the one that nobody looked into.
Test(panels, convergence_is_that_of_the_step_shown) {
    desk d;
    ts_status status;
    sit_down(&d, "sliding-cube");
    ts_session_ask(d.session, TS_ASK_PART, 0, 0.0, NULL);
    ts_session_ask(d.session, TS_ASK_SOLVER, 0, 0.0, "ncp-pgs");
    ts_event forth = {.kind = TS_EVENT_KEY, .code = TS_KEY_RIGHT, .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT};
    ts_session_event(d.session, &forth);
    tick(&d);
    tick(&d);
    cr_assert_eq(shown(&d)->step_count, 10);
    cr_assert(!ts_convergence_has_values(d.session->shadow));
    ts_event key = {.kind = TS_EVENT_KEY, .code = TS_KEY_F3, .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT};
    ts_session_event(d.session, &key);
    for (int i = 0; i < 3; ++i) tick(&d);
    // The step that led here was made again for it.
    cr_assert_eq(shown(&d)->step_count, 10);
    cr_assert_eq(d.session->shadow->look_count, 2);
    cr_expect_eq(d.session->shadow->look[0].memory, ts_sim_memory(d.f.sim));
    for (int i = 0; i < 2; ++i) {
        const ts_look* look = &d.session->shadow->look[i];
        int last = look->curve.count - 1;
        cr_assert_geq(last, 0, "%s", look->name);
        cr_expect_eq(look->curve.iteration[0], 0.0);
        cr_expect_eq(look->curve.iteration[last], (double)look->sim.info.solve.iterations, "%s", look->name);
        cr_expect_float_eq(look->curve.unmet[last], look->sim.info.unmet, 1e-14 + 1e-6 * look->sim.info.unmet,
                           "%s: %g, %g", look->name, look->curve.unmet[last], look->sim.info.unmet);
    }
    // Sweeps take several, and get better by them.
    const ts_solve_curve sweeps = d.session->shadow->look[1].curve;
    cr_assert_gt(sweeps.count, 3);
    cr_expect_lt(sweeps.unmet[sweeps.count - 1], 1e-3 * sweeps.unmet[0]);
    cr_assert(script_of(d.kit)->lines > 1);
    // Forth and back: the same curve, to the bit.
    ts_session_event(d.session, &forth);
    for (int i = 0; i < 3; ++i) tick(&d);
    cr_assert_eq(shown(&d)->step_count, 20);
    ts_session_ask(d.session, TS_ASK_SEEK, 10, 0.0, NULL);
    for (int i = 0; i < 3; ++i) tick(&d);
    const ts_solve_curve* again = &d.session->shadow->look[1].curve;
    cr_assert_eq(again->count, sweeps.count);
    cr_expect_eq(memcmp(again->unmet, sweeps.unmet, (size_t)sweeps.count * sizeof(double)), 0);
    // As files.
    char path[96];
    snprintf(path, sizeof path, "/tmp/ts-convergence-%ld", (long)getpid());
    cr_assert(ts_convergence_write_csv(d.session->shadow, path, &status) == TS_OK, "%s", status.message);
    cr_expect_eq(lines_of(path), 1 + d.session->shadow->look[0].curve.count + sweeps.count);
    const ts_charted all = ts_session_charted(d.session);
    ts_text text = {0};
    cr_assert(ts_chart_write_svg(&all, 900, path, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_text_read_file(path, 1u << 22, &text, &status) == TS_OK);
    cr_expect(strstr(text.data, ts_convergence_name) && !strstr(text.data, "nan") && !strstr(text.data, "inf"));
    ts_text_free(&text);
    remove(path);
    // The same states as without notes, and none are taken any more once the chart is away.
    uint64_t seen = ts_sim_hash(d.f.sim);
    ts_session_event(d.session, &key);
    for (int i = 0; i < 3; ++i) tick(&d);
    cr_assert_null(d.f.sim->trace);
    ts_sim_reset(d.f.sim);
    for (int i = 0; i < 10; ++i) cr_assert(ts_scene_step(&d.f.scene, d.f.sim, &status) == TS_OK);
    cr_expect_eq(ts_sim_hash(d.f.sim), seen);
    get_up(&d);
}

Test(panels, a_chart_keeps_the_spike_of_one_step) {
    ts_strip* strip = calloc(1, sizeof *strip);
    cr_assert(strip);
    for (int i = 0; i < TS_STRIP_SAMPLES + 500; ++i) {
        ts_sample sample = {.step = i, .time = 0.001 * i};
        for (int q = 0; q < TS_QUANTITY_COUNT; ++q)
            sample.value[q] = i == 2345 && q == TS_QUANTITY_KINETIC ? 7.0f : 1.0f;
        ts_strip_add(strip, sample);
    }
    cr_assert(strip->count == TS_STRIP_SAMPLES && ts_strip_at(strip, 0)->step == 500);
    ts_overlay overlay = {0};
    const ts_charted all = {{{strip}, {"it"}, 1, 0}, 600, ts_theme_of(1), NULL};
    ts_chart_fill_overlay(&all, 300, 2000, &overlay);
    // Its curve is a column of pixels as high as seven eighths of the chart less its margin.
    double tallest = 0.0;
    for (int i = 0; i < overlay.quads.count; ++i) {
        const ts_overlay_quad* quad = &overlay.quads.data[i];
        if (!quad->character && quad->width < 2.0f && quad->width > 1.2f) tallest = fmax(tallest, (double)quad->height);
    }
    double chart = 2000.0 / ts_chart_count() - 6.0;
    cr_assert(fabs(tallest - 6.0 / 7.35 * chart) < 2.0, "%g of %g", tallest, chart);
    ts_overlay_free(&overlay);
    free(strip);
}

// How bright a colour is, by the standard's curve and weights (Rec. 709), times what a theme does to curves.
static double light_of(const float c[4], float factor) {
    static const double share[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double v = (double)(c[k] * factor);
        sum += share[k] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(double a, double b) { return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05); }

// By the contrast of the web's guidelines: words 7 (their best mark) on every ground they stand on, what is no running text 3.
Test(panels, both_themes_can_be_read) {
    for (int dark = 0; dark < 2; ++dark) {
        const ts_theme* t = ts_theme_of(dark);
        const float* ground[5] = {t->page, t->paper, t->button, t->header, t->past};
        for (int g = 0; g < 5; ++g) {
            double words = contrast(light_of(t->plain, 1.0f), light_of(ground[g], 1.0f));
            cr_expect(words > (g < 2 ? 7.0 : 4.5), "dark %d, words on ground %d: %.2f", dark, g, words);
            if (g > 1) continue;
            cr_expect(contrast(light_of(t->dim, 1.0f), light_of(ground[g], 1.0f)) > 4.5, "dark %d, dim words on %d",
                      dark, g);
            cr_expect(contrast(light_of(t->marked, 1.0f), light_of(ground[g], 1.0f)) > 3.0, "dark %d, marked on %d",
                      dark, g);
            for (int ink = 0; ink < TS_INK_COUNT; ++ink) {
                float color[4];
                ts_theme_ink(t, ink, color);
                cr_expect(contrast(light_of(color, 1.0f), light_of(ground[g], 1.0f)) > 3.0, "dark %d, ink %d on %d",
                          dark, ink, g);
            }
        }
    }
}

// Instead of what was drawn: how many things there were.
static ts_code paint(ts_device* device, int channels, unsigned char* out_pixels, ts_status* out_status) {
    const ts_device_null* null = (const ts_device_null*)device;
    memset(out_pixels, null->instances, (size_t)channels * TS_THUMB_WIDTH * TS_THUMB_HEIGHT);
    return ts_status_ok(out_status);
}

// The things in a picture of the scene that an entry of the list is about.
static int things_of(int entry) {
    desk d;
    sit_down(&d, ts_scene_at(entry)->name);
    d.session->view.show = ts_view_default_show() & ~(unsigned)(TS_SHOW_CONTACTS | TS_SHOW_FORCES);
    ts_status status;
    cr_assert(ts_view_draw(&d.session->view, 100, 100, NULL, &status) == TS_OK);
    int things = ((const ts_device_null*)d.device)->instances;
    get_up(&d);
    return things;
}

// Asked for where it is seen, loaded by the thread, drawn at a tick: the picture of that scene and no other.
Test(panels, scenes_have_pictures) {
    enum { LOOKED_AT = 4 };
    desk d;
    sit_down(&d, "stack-10");
    ts_device* small = ts_device_null_create();
    cr_assert(small);
    ts_device_ops painting = *small->ops;
    painting.read = paint;
    small->ops = &painting;
    // The list is longer than what has pictures; all of it is seen.
    d.session->thumbs = ts_thumbs_create(small, LOOKED_AT);
    cr_assert(d.session->thumbs);
    for (int i = 0; i < 10000 && !ts_thumbs_at(d.session->thumbs, LOOKED_AT - 1); ++i) {
        tick(&d);
        usleep(1000);
    }
    tick(&d);
    for (int i = 0; i < LOOKED_AT; ++i) {
        char line[32];
        snprintf(line, sizeof line, "*image %d", i);
        cr_assert(sees(&d, line), "no %s", line);
        cr_expect(ts_thumbs_at(d.session->thumbs, i)[0] == (unsigned char)things_of(i), "%s", ts_scene_at(i)->name);
    }
    cr_assert(sees(&d, "image 20") && ((const ts_device_null*)small)->frames == LOOKED_AT);
    get_up(&d);
    ts_device_destroy(small);
}

// A device that gives no picture is not asked again and again.
Test(panels, a_scene_without_a_picture_is_tried_once) {
    desk d;
    sit_down(&d, "stack-10");
    ts_device* small = ts_device_null_create();
    cr_assert(small);
    d.session->thumbs = ts_thumbs_create(small, 1);
    for (int i = 0; i < 10000 && !((const ts_device_null*)small)->frames; ++i) {
        tick(&d);
        usleep(1000);
    }
    for (int i = 0; i < 20; ++i) {
        tick(&d);
        usleep(1000);
    }
    cr_assert(((const ts_device_null*)small)->frames == 1 && sees(&d, "image 0"));
    get_up(&d);
    ts_device_destroy(small);
}

static void press_z(desk* d) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = 'Z', .action = TS_ACTION_PRESS, .time = d->now};
    ts_session_event(d->session, &event);
    tick(d);
}

// Pins a contact whose geoms are of those kinds.
static void pin(desk* d, ts_shape_kind a, ts_shape_kind b) {
    const ts_sim* sim = &d->session->shadow->look[0].sim;
    d->session->view.filter.pinned = 0;
    for (int c = 0; c < sim->contact_count; ++c) {
        ts_shape_kind kind[2] = {sim->model->geom[sim->contact[c].geom_a].shape.kind,
                                 sim->model->geom[sim->contact[c].geom_b].shape.kind};
        if (kind[0] == a && kind[1] == b) d->session->view.filter.pinned = sim->contact[c].key;
    }
    cr_assert(d->session->view.filter.pinned, "no such contact");
}

// A pinned contact of two boxes is walked through from its first step to its answer, which is between its bounds and the gap of boxes that were
// stacked; once more it is done by portals, and a third time it ends. A plane has no search, and the viewer says so.
Test(panels, the_narrow_phase_is_walked_through) {
    desk d;
    sit_down(&d, "stack-10");
    ts_device* small = ts_device_null_create();
    cr_assert(small);
    ts_device_ops painting = *small->ops;
    painting.read = paint;
    small->ops = &painting;
    d.session->stepper_device = small;
    pin(&d, TS_SHAPE_PLANE, TS_SHAPE_BOX);
    press_z(&d);
    cr_assert(!d.session->stepper && strstr(d.session->ui.message, "plane"), "%s", d.session->ui.message);
    pin(&d, TS_SHAPE_BOX, TS_SHAPE_BOX);
    press_z(&d);
    ts_stepper* s = d.session->stepper;
    cr_assert(s && s->trace.steps > 1 && s->step == 0 && sees(&d, "Narrow phase"));
    tick(&d);
    cr_assert(s->version == 1 && strstr(script_of(d.kit)->seen, "step 0"), "%s", script_of(d.kit)->seen);
    act(&d, "on >", 0.0);
    cr_assert(s->step == 1 && s->version == 2);
    act(&d, "step of the search", (double)s->trace.steps - 1.0);
    const ts_proximity_step* last = &s->trace.step[s->step];
    cr_assert(s->step == s->trace.steps - 1);
    cr_assert(last->lower <= s->answer.distance + 1e-9 && s->answer.distance <= last->upper + 1e-9);
    cr_assert(fabs(s->answer.distance) < 1e-6, "%g", s->answer.distance);
    act(&d, "on >", 0.0);
    cr_assert(s->step == s->trace.steps - 1, "there is no step after the last");
    int before = s->version;
    act(&d, "turn", 0.5);
    cr_assert(s->version == before + 1 && s->turn == 0.5);
    press_z(&d);
    cr_assert(d.session->stepper && strcmp(d.session->stepper->method, "incremental") == 0);
    press_z(&d);
    cr_assert(!d.session->stepper && !sees(&d, "Narrow phase"));
    get_up(&d);
    ts_device_destroy(small);
}
