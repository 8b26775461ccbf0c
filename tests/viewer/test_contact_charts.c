// Claims: numbers of a contact over time are what statics and the contact itself say, there while it is there and not else; a contact is found again by
// its word for as long as its features touch; what is watched later is found for the steps that were, in all simulations, those that parted and
// recordings too, to the bit; charts compare simulations at the same time.
#include "tests/viewer/desk_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenes/run.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/session/command_internal.h"
#include "viewer/session/session_internal.h"

static void sit_down(desk* d, const char* name, const char* watched) {
    desk_prepare(d, desk_scene(name));
    d->request.watched = watched;
    desk_open(d, NULL);
}

static void tick(desk* d) { desk_tick(d, 0.1); }

static void ask(desk* d, ts_ask_kind kind, long long index) {
    ts_session_ask(d->session, kind, index, 0.0, NULL);
    tick(d);
    tick(d);
}

static double reading(const ts_sim* sim, const char* word) {
    double value = 0.0;
    const char* fault = ts_gauge_read(sim, NULL, word, &value);
    cr_assert_null(fault, "%s: %s", word, fault);
    return value;
}

// A ball falls for sqrt(2 h / g) and then hits the ground: no numbers in the air, and what the ground gives it is all the momentum that gravity does not.
Test(contact_charts, are_there_while_the_contact_is) {
    const double drop = 0.05, radius = 0.1, g = 9.81;
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_sphere(radius), ts_vec3_make(0.0, 0.0, radius + drop), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder);
    double mass = f.scene.model->body[1].mass, lands = sqrt(2.0 * drop / g), h = f.sim->options.time_step, sum = 0.0;
    for (int i = 0; i < 400; ++i) {
        fixture_run(&f, 1);
        double normal = reading(f.sim, "contact[0,1].normal"), impulse = reading(f.sim, "contact[1,0].normal_impulse");
        double gap = reading(f.sim, "contact[1].gap"), count = reading(f.sim, "contact[world].count");
        if (f.sim->time < lands - 2.0 * h) cr_expect(!(normal > 0.0), "%g N at t = %g", normal, f.sim->time);
        if (f.sim->time > lands + 2.0 * h) cr_expect_eq(count, 1.0);
        if (f.sim->contact_count == 0) {
            cr_expect(isnan(normal) && isnan(impulse) && isnan(gap) && count == 0.0);
            continue;
        }
        sum += impulse;
        cr_expect_float_eq(normal * h, impulse, 1e-12);
        cr_expect_float_eq(gap, f.sim->qpos[2] - radius, 5e-3);
        cr_expect_lt(reading(f.sim, "contact[0,1].slip"), 1e-6);
    }
    double gravity = mass * g * f.sim->time;
    cr_expect_gt(gravity, 1.0);
    cr_expect_float_eq(sum, gravity + mass * f.sim->qvel[2], 1e-9 * gravity);
    ts_sim_free(f.sim);
    ts_model_free((ts_model*)f.scene.model);
}

// A number of a contact by its own word, which names no other one.
static double own_number(const ts_sim* sim, int c, const char* part) {
    char word[TS_GAUGE_WORD], whole[TS_GAUGE_WORD + 16];
    ts_gauge_contact_word(sim, c, word);
    snprintf(whole, sizeof whole, "%s.count", word);
    cr_expect_eq(reading(sim, whole), 1.0, "%s", whole);
    snprintf(whole, sizeof whole, "%s.gap", word);
    cr_expect_eq(reading(sim, whole), sim->contact[c].gap, "%s", whole);
    snprintf(whole, sizeof whole, "%s.%s", word, part);
    return reading(sim, whole);
}

// Boxes lie on each other with four corners: each pair of boxes carries what is above it, and every corner has its own part of it.
Test(contact_charts, tell_the_corners_of_a_pair_apart) {
    desk d;
    ts_status status;
    sit_down(&d, "stack-10", NULL);
    for (int i = 0; i < 20; ++i) cr_assert(ts_scene_step(&d.f.scene, d.f.sim, &status) == TS_OK);
    cr_assert_eq(d.f.sim->contact_count, 40);
    double above = 0.0, sum = 0.0;
    for (int b = 1; b < d.f.sim->model->body_count; ++b) above += 9.81 * d.f.sim->model->body[b].mass;
    for (int c = 0; c < 40; ++c) {
        double own = own_number(d.f.sim, c, "normal");
        cr_expect_gt(own, 0.0);
        sum += own;
    }
    // Ten, nine, eight, ... of the ten boxes.
    cr_expect_float_eq(sum, 5.5 * above, 1e-6 * above);
    cr_expect_float_eq(reading(d.f.sim, "contact[world].normal"), above, 1e-6 * above);
    desk_close(&d);
}

// Coulomb: a box that slides is held back by mu times its weight, and by what it is too fast, whichever corner carries it.
Test(contact_charts, say_what_friction_does) {
    desk d;
    ts_status status;
    sit_down(&d, "sliding-cube", NULL);
    for (int i = 0; i < 50; ++i) cr_assert(ts_scene_step(&d.f.scene, d.f.sim, &status) == TS_OK);
    double weight = 9.81 * d.f.sim->model->body[1].mass, mu = d.f.sim->contact[0].surface.friction, sum = 0.0;
    cr_expect_float_eq(reading(d.f.sim, "contact[cube,floor].normal"), weight, 1e-6 * weight);
    cr_expect_float_eq(reading(d.f.sim, "contact[floor,cube].friction"), mu * weight, 1e-6 * weight);
    cr_expect_float_eq(reading(d.f.sim, "contact[cube].slip"), fabs(d.f.sim->qvel[1]), 1e-6);
    for (int c = 0; c < d.f.sim->contact_count; ++c) sum += own_number(d.f.sim, c, "normal");
    cr_expect_float_eq(sum, weight, 1e-6 * weight);
    static const char* const bad[] = {
        "contact",         "contact[cube]",      "contact[cube].gab",    "contact[cub].gap",
        "contact[].gap",   "contact[99].gap",    "contact[cube,].gap",   "contact[-1].gap",
        "contact[0:].gap", "contact[0:xyz].gap", "contact[cube,99].gap", "contact[0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        double value = 3.0;
        cr_expect(ts_gauge_read(d.f.sim, NULL, bad[i], &value) && value == 3.0, "'%s'", bad[i]);
    }
    desk_close(&d);
}

// Pinned with a key: five charts; the contact is the same from step to step, and its numbers are those that its contacts have in a run of its own, also of
// the steps before the key was pressed.
Test(contact_charts, a_contact_is_followed_and_its_past_is_found) {
    desk d;
    ts_status status;
    sit_down(&d, "sliding-cube", NULL);
    ask(&d, TS_ASK_STEP, 30);
    const ts_sim* shown = &d.session->shadow->sim;
    cr_assert_eq(shown->step_count, 30);
    uint64_t key = d.session->view.filter.pinned = shown->contact[1].key;
    ts_event press = {.kind = TS_EVENT_KEY, .code = 'Z', .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT};
    ts_session_event(d.session, &press);
    cr_assert(strstr(d.session->watched, ".exact"), "'%s'", d.session->watched);
    tick(&d);
    tick(&d);
    ask(&d, TS_ASK_STEP, 10);
    // Going back and on again leaves the lines as they are.
    ask(&d, TS_ASK_SEEK, 12);
    ts_session_take_strips(d.session, 1);
    const ts_strip* strip = ts_strips_chosen(&d.session->strips);
    cr_assert_eq(strip->count, 40);
    ts_sim* own;
    ts_arena arena = {0};
    cr_assert(ts_sim_create(d.f.scene.model, 1, &own, &status) == TS_OK);
    for (int k = 0; k < 40; ++k) {
        cr_assert(ts_scene_step(&d.f.scene, own, &status) == TS_OK);
        const float* value = ts_strip_at(strip, k)->value + TS_QUANTITY_WATCHED;
        ts_arena_reset(&arena);
        ts_contact_facts facts = ts_scene_contacts_judge(own, 0, &arena);
        int found = -1;
        for (int c = 0; c < own->contact_count; ++c)
            if (own->contact[c].key == key) found = c;
        cr_assert_geq(found, 0, "step %d", k + 1);
        const ts_contact* c = &own->contact[found];
        double h = own->options.time_step;
        cr_expect_eq(value[0], (float)c->gap, "step %d", k + 1);
        cr_expect_eq(value[1], (float)(c->impulse.z / h));
        cr_expect_float_eq(value[2], (float)(hypot(c->impulse.x, c->impulse.y) / h), 1e-5f);
        cr_expect_eq(value[3], (float)hypot(c->velocity.x, c->velocity.y));
        cr_expect_eq(value[4], (float)facts.exact[found]);
    }
    ts_arena_free(&arena);
    ts_sim_free(own);
    // Once more, and they are gone.
    tick(&d);
    ts_session_event(d.session, &press);
    cr_expect_str_eq(d.session->watched, "");
    desk_close(&d);
}

static int same_numbers(const ts_strip* a, const ts_strip* b) {
    int same = a->count == b->count;
    for (int k = 0; k < a->count && same; ++k)
        same = memcmp(ts_strip_at(a, k)->value + TS_QUANTITY_WATCHED, ts_strip_at(b, k)->value + TS_QUANTITY_WATCHED,
                      TS_GAUGE_MOST * sizeof(float)) == 0;
    return same;
}

// Watched all along, or asked for in the end: two futures of a push, of which the second parts on the way.
Test(contact_charts, a_past_that_parted_is_found_in_both_futures) {
    static const char words[] = "contact[cube,floor].normal contact[cube].slip contact[cube,floor].own qpos[2]";
    desk d[2];
    for (int k = 0; k < 2; ++k) {
        sit_down(&d[k], "sliding-cube", k ? words : NULL);
        ask(&d[k], TS_ASK_STEP, 15);
        ask(&d[k], TS_ASK_PART, 0);
        ts_session_ask(d[k].session, TS_ASK_SOLVER, 0, 0.0, "ccp-pgs");
        tick(&d[k]);
        tick(&d[k]);
        ask(&d[k], TS_ASK_STEP, 15);
        if (!k) snprintf(d[k].session->watched, sizeof d[k].session->watched, "%s", words);
        tick(&d[k]);
        tick(&d[k]);
        ts_session_take_strips(d[k].session, 1);
        cr_assert_eq(d[k].session->strips.count, 2);
    }
    const ts_strips *later = &d[0].session->strips, *always = &d[1].session->strips;
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(always->strip[i]->count, 30);
        cr_expect(same_numbers(later->strip[i], always->strip[i]), "simulation %d", i);
        cr_expect(isfinite(ts_strip_at(later->strip[i], 5)->value[TS_QUANTITY_WATCHED]));
    }
    // Exact and relaxed law part from there on: the relaxed one takes off.
    cr_expect_eq(ts_strips_value(later, 0, 14, TS_QUANTITY_WATCHED),
                 ts_strips_value(later, 1, 14, TS_QUANTITY_WATCHED));
    cr_expect_neq(ts_strips_value(later, 0, 20, TS_QUANTITY_WATCHED + 3),
                  ts_strips_value(later, 1, 20, TS_QUANTITY_WATCHED + 3));
    for (int k = 0; k < 2; ++k) desk_close(&d[k]);
}

// Curves of simulations with different time steps meet where times do.
Test(contact_charts, other_steps_are_compared_by_time) {
    ts_strip* strip[2] = {calloc(1, sizeof(ts_strip)), calloc(1, sizeof(ts_strip))};
    for (int i = 0; i < 2; ++i) {
        ts_strip_watch(strip[i], "time");
        for (int k = 1; k <= 30; ++k) {
            ts_sample sample = {.step = k, .time = k * (i ? 0.003 : 0.002)};
            sample.value[TS_QUANTITY_WATCHED] = (float)(100 * i + k);
            ts_strip_add(strip[i], sample);
        }
    }
    const ts_strips both = {{strip[0], strip[1]}, {"one", "two"}, 2, 0};
    for (int at = 0; at < 30; ++at) {
        float other = ts_strips_value(&both, 1, at, TS_QUANTITY_WATCHED);
        cr_expect_eq(ts_strips_value(&both, 0, at, TS_QUANTITY_WATCHED), (float)(at + 1));
        if ((at + 1) % 3)
            cr_expect(isnan(other), "%d", at);
        else
            cr_expect_eq(other, (float)(100 + (at + 1) / 3 * 2), "%d", at);
    }
    for (int i = 0; i < 2; ++i) free(strip[i]);
}

#ifdef TS_HAVE_HDF5
static int append(void* user, ts_sim* sim) {
    ts_status status;
    cr_assert_eq(ts_record_append(*(ts_record**)user, sim, &status), TS_OK);
    return 0;
}

// Of a recording the past is what was recorded: the same numbers as the run's own, and no shares of a law, which are not in it.
Test(contact_charts, recordings_have_them_too) {
    char path[] = "/tmp/touchstone-charted-XXXXXX.h5";
    int fd = mkstemps(path, 3);
    cr_assert(fd >= 0);
    close(fd);
    static const char words[] =
        "contact[cube,floor].normal contact[cube,floor].gap contact[cube].slip contact[cube].exact";
    desk live;
    ts_status status;
    ts_record* record = NULL;
    sit_down(&live, "sliding-cube", words);
    ts_sim* sim;
    cr_assert(ts_sim_create(live.f.scene.model, 1, &sim, &status) == TS_OK);
    cr_assert_eq(ts_record_open(path, live.f.scene.name, sim, &record, &status), TS_OK);
    cr_assert_eq(ts_run_scene(&live.f.scene, sim, 0.04, append, &record, &status), TS_OK);
    cr_assert_eq(ts_record_close(record, 1, &status), TS_OK);
    ts_sim_free(sim);
    ask(&live, TS_ASK_STEP, 40);
    ts_session_take_strips(live.session, 1);

    desk d;
    fixture f;
    memset(&f, 0, sizeof f);
    cr_assert_eq(ts_scene_load_recording(path, NULL, NULL, NULL, &f.scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(f.scene.model, 1, &f.sim, &status), TS_OK);
    cr_assert_eq(ts_recording_configure(f.scene.recording, f.sim, &status), TS_OK);
    cr_assert_eq(ts_recording_take(f.scene.recording, 0, f.sim, &status), TS_OK);
    desk_prepare(&d, f);
    desk_open(&d, NULL);
    for (int k = 0; k < 40; ++k) {
        ts_session_ask(d.session, TS_ASK_STEP, 1, 0.0, NULL);
        tick(&d);
    }
    snprintf(d.session->watched, sizeof d.session->watched, "%s", words);
    tick(&d);
    tick(&d);
    ts_session_take_strips(d.session, 1);
    const ts_strip *seen = ts_strips_chosen(&d.session->strips), *made = ts_strips_chosen(&live.session->strips);
    int compared = 0;
    for (int k = 0; k < seen->count; ++k) {
        const ts_sample* sample = ts_strip_at(seen, k);
        const ts_sample* was = ts_strip_at(made, ts_strip_find(made, sample->step));
        cr_assert_eq(was->step, sample->step);
        for (int q = TS_QUANTITY_WATCHED; q < TS_QUANTITY_WATCHED + 3; ++q) {
            cr_expect(isfinite(sample->value[q]), "step %lld, number %d", sample->step, q - TS_QUANTITY_WATCHED);
            cr_expect_float_eq(sample->value[q], was->value[q], 1e-6f * fabsf(was->value[q]) + 1e-12f);
        }
        cr_expect(isnan(sample->value[TS_QUANTITY_WATCHED + 3]) && isfinite(was->value[TS_QUANTITY_WATCHED + 3]));
        ++compared;
    }
    cr_expect_gt(compared, 30, "%d", compared);
    desk_close(&d);
    desk_close(&live);
    unlink(path);
}
#endif
