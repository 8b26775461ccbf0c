// Claim: while a step takes long the window goes on, says for how long already, and no more when the step is there. A controller makes the step: it
// waits until it has been told that the window said so.
#include "tests/viewer/desk_fixture.h"

#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"

typedef struct gate {
    atomic_int inside;  // the step has begun
    atomic_int open;    // and may end
} gate;

static void doze(void) {
    struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
}

static void wait_at_the_gate(ts_sim* sim, void* user) {
    gate* g = user;
    (void)sim;
    atomic_store(&g->inside, 1);
    while (!atomic_load(&g->open)) doze();
}

// Frames until the window says that it waits, or no longer does; 0 after 60 s.
static int frames_until(desk* d, int waits) {
    double end = ts_clock_seconds() + 60.0;
    ts_status status;
    while ((d->session->ui.waiting > 0) != waits) {
        if (ts_clock_seconds() > end) return 0;
        doze();
        d->now = ts_clock_seconds();
        if (ts_session_tick(d->session, d->now) != TS_REDRAW_ALL) continue;
        cr_assert(ts_session_draw(d->session, &status) == TS_OK, "%s", status.message);
    }
    return 1;
}

Test(waiting, a_long_step_is_told, .timeout = 200) {
    desk d;
    ts_status status;
    gate g = {0, 0};
    ts_event right = {.kind = TS_EVENT_KEY, .code = TS_KEY_RIGHT, .action = TS_ACTION_PRESS};
    desk_prepare(&d, desk_scene("sliding-cube"));
    ts_sim_set_control(d.f.sim, wait_at_the_gate, &g);
    cr_assert(ts_session_open(&d.request, d.device, NULL, 1, &d.session, &status) == TS_OK, "%s", status.message);
    d.now = ts_clock_seconds();
    ts_session_tick(d.session, d.now);
    cr_expect_eq(d.session->ui.waiting, 0);
    ts_session_event(d.session, &right);
    int said = frames_until(&d, 1), inside = atomic_load(&g.inside);
    cr_expect(d.session->shadow->sim.step_count == 0);
    atomic_store(&g.open, 1);
    cr_expect(inside, "the step never began");
    cr_expect(said, "nobody said that a step is being made");
    cr_expect(frames_until(&d, 0), "the step is there, and the window still waits");
    desk_close(&d);
}
