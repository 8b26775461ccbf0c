// Claims: simulated time follows the wall clock, pausing stops it, single steps are single, and going back gives the very
// state, contacts and forces that were there.
#include "tests/viewer/viewer_fixture.h"

#include "viewer/session/playback_internal.h"

Test(playback, keeps_pace_with_the_wall_clock) {
    ts_playback playback;
    memset(&playback, 0, sizeof playback);
    playback.speed = 0.5;
    int steps = 0;
    for (int frame = 0; frame < 600; ++frame) steps += ts_playback_due(&playback, 1.0 / 60.0, 0.002);
    // Ten seconds at half speed are five, in steps of 2 ms; what is owed at the end is less than a step.
    cr_assert(steps == 2499 || steps == 2500, "%d", steps);
}

Test(playback, forgets_debts_it_cannot_pay) {
    ts_playback playback;
    memset(&playback, 0, sizeof playback);
    playback.speed = 1.0;
    cr_assert(ts_playback_due(&playback, 60.0, 0.002) <= 50);
    cr_assert(ts_playback_due(&playback, 0.0, 0.002) == 0);
}

Test(playback, pause_steps_and_speed) {
    ts_playback playback;
    memset(&playback, 0, sizeof playback);
    playback.speed = 1.0;
    playback.paused = 1;
    cr_assert(ts_playback_due(&playback, 1.0, 0.002) == 0);
    playback.single_steps = 3;
    cr_assert(ts_playback_due(&playback, 1.0, 0.002) == 3);
    cr_assert(ts_playback_due(&playback, 1.0, 0.002) == 0);
    for (int i = 0; i < 50; ++i) ts_playback_change_speed(&playback, 1);
    cr_assert(playback.speed <= 64.0);
    for (int i = 0; i < 50; ++i) ts_playback_change_speed(&playback, 0);
    cr_assert(playback.speed > 0.0);
}

// Pushes the body sideways, by a rule that depends on the state only.
static void push(ts_sim* sim, const double* value) {
    (void)value;
    sim->force_applied[0] = sim->qpos[0] < 0.05 ? 20.0 : -20.0;
}

static const ts_controller pusher = {.name = "push", .act = push};

static const ts_push no_push = {-1, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};

static fixture pushed_cube(void) {
    ts_builder* builder = fixture_floor(0.3);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1),
                 ts_vec3_make(0.4, 0.1, 0.0), 0.3);
    fixture f = fixture_start(builder);
    f.scene.control.controller = &pusher;
    return f;
}

Test(playback, going_back_gives_the_same_bits) {
    enum { STEPS = 40 };
    fixture f = pushed_cube();
    ts_history history;
    ts_status status;
    cr_assert(ts_history_open(&history, f.sim, 1ul << 20, &status) == TS_OK, "%s", status.message);
    cr_assert(history.capacity > STEPS);
    uint64_t hash[STEPS + 1];
    ts_contact contact[STEPS + 1][8];
    int count[STEPS + 1];
    // Of some steps the mouse is part.
    const ts_push pull = {1, {{0.0, 3.0, 20.0}, {0.1, 0.0, 0.0}}};
    for (int i = 0; i <= STEPS; ++i) {
        ts_push push = i > 20 && i < 30 ? pull : no_push;
        if (i) cr_assert(ts_history_step(&history, &f.scene, f.sim, push, &status) == TS_OK, "%s", status.message);
        hash[i] = ts_sim_hash(f.sim);
        count[i] = f.sim->contact_count;
        cr_assert(count[i] <= 8);
        if (count[i]) memcpy(contact[i], f.sim->contact, (size_t)count[i] * sizeof contact[i][0]);
    }
    for (int i = STEPS - 1; i >= 0; --i) {
        cr_assert(ts_history_seek(&history, &f.scene, f.sim, f.sim->step_count - 1, &status) == TS_OK, "%s",
                  status.message);
        cr_assert(f.sim->step_count == i, "%lld, not %d", f.sim->step_count, i);
        cr_assert(ts_sim_hash(f.sim) == hash[i], "step %d", i);
        cr_assert(f.sim->contact_count == count[i]);
        for (int c = 0; i > 0 && c < count[i]; ++c) {
            cr_assert(ts_vec3_distance(f.sim->contact[c].impulse, contact[i][c].impulse) <= 0.0, "step %d", i);
            cr_assert(ts_vec3_distance(f.sim->contact[c].position, contact[i][c].position) <= 0.0);
        }
    }
    // Nothing is remembered before the beginning.
    cr_assert(ts_history_seek(&history, &f.scene, f.sim, f.sim->step_count - 1, &status) == TS_OK);
    cr_assert(f.sim->step_count == 0);
    ts_history_free(&history);
    fixture_end(&f);
}

Test(playback, a_full_memory_forgets_the_oldest) {
    fixture f = pushed_cube();
    ts_history history;
    ts_status status;
    cr_assert(ts_history_open(&history, f.sim, 1ul, &status) == TS_OK);
    cr_assert(history.capacity == 2);
    for (int i = 0; i < 10; ++i) cr_assert(ts_history_step(&history, &f.scene, f.sim, no_push, &status) == TS_OK);
    for (int i = 0; i < 5; ++i)
        cr_assert(ts_history_seek(&history, &f.scene, f.sim, f.sim->step_count - 1, &status) == TS_OK);
    cr_assert(f.sim->step_count == 8, "two states were kept, the clock says %lld", f.sim->step_count);
    ts_history_clear(&history);
    cr_assert(history.count == 0);
    ts_history_free(&history);
    fixture_end(&f);
}
