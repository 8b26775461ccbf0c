// What few contacts have beside what all have: there where it should be and nowhere else, kept by those that sleep, and saved.
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

static const double couple = 1e-3;  // N m, about the vertical, less than spinning friction holds
static const double stick = 2.0;    // N

enum { BALL = 1, STICKY, RIDER, PLAIN, BODIES };

static void add(ts_builder* builder, int body, ts_shape shape, ts_vec3 at, const ts_surface* surface) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = shape;
    geom.pose.position = at;
    geom.surface = *surface;
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
}

// On a floor a ball that resists rolling, a box that sticks, a box on a belt, and a box.
static ts_builder* yard(void) {
    ts_builder* builder = ts_builder_create("yard");
    ts_builder_options(builder)->time_step = 0.005;
    fixture_floor(builder, 0.5, 0.0);
    ts_surface usual = ts_geom_def_default().surface, rolls = usual, sticks = usual, runs = usual;
    rolls.dimension = 6;
    rolls.friction_spin = 0.02;
    rolls.friction_roll = 0.01;
    sticks.adhesion = stick;
    runs.motion[0] = 0.1;
    const ts_surface* surface[BODIES] = {&usual, &rolls, &sticks, &usual, &usual};
    ts_shape cube = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
    add(builder, 0, ts_shape_box(ts_vec3_make(5.0, 0.2, 0.05)), ts_vec3_make(0.0, 2.0, 0.05), &runs);
    for (int b = BALL; b < BODIES; ++b) {
        ts_vec3 at = b == RIDER ? ts_vec3_make(0.0, 2.0, 0.2) : ts_vec3_make(b, 0.0, 0.1);
        int body = fixture_free_body(builder, at, -1.0, ts_mat3_zero());
        cr_assert_eq(body, b);
        add(builder, body, b == BALL ? ts_shape_sphere(0.1) : cube, ts_vec3_zero(), surface[b]);
    }
    return builder;
}

static int mover_of(const ts_contact* contact) { return contact->body_a ? contact->body_a : contact->body_b; }

static void expect_right(const fixture* f, const char* when) {
    int seen[BODIES] = {0};
    for (int i = 0; i < f->sim->contact_count; ++i) {
        const ts_contact* contact = &f->sim->contact[i];
        const ts_contact_rare* rare = ts_sim_contact_rare(f->sim, (int)(contact - f->sim->contact));
        int b = mover_of(contact);
        double turned = couple * f->sim->options.time_step * (contact->body_a == b ? 1.0 : -1.0);
        ts_surface between = ts_model_surface_between(f->model, contact->geom_a, contact->geom_b);
        ++seen[b];
        cr_expect_eq(rare->friction_spin, b == BALL ? between.friction_spin : rare->friction_spin, "%s, %d", when, b);
        cr_expect_eq(rare->friction_roll, b == BALL ? between.friction_roll : rare->friction_roll, "%s, %d", when, b);
        cr_expect_eq(contact->surface.dimension, b == BALL ? 6 : 3, "%s, %d", when, b);
        cr_expect_eq(rare->adhesion, b == STICKY ? stick : 0.0, "%s, %d: %g", when, b, rare->adhesion);
        cr_expect_float_eq(hypot(rare->drift.x, rare->drift.y), b == RIDER ? 0.1 : 0.0, 1e-12, "%s, %d", when, b);
        cr_expect_float_eq(rare->angular_impulse.z, b == BALL ? turned : 0.0, 1e-9, "%s, %d: %g", when, b,
                           rare->angular_impulse.z);
    }
    for (int b = BALL; b < BODIES; ++b) cr_expect_eq(seen[b], b == BALL ? 1 : 4, "%s: %d of %d", when, seen[b], b);
}

static fixture start(int workers) {
    fixture f = fixture_start(yard(), workers);
    cr_assert_eq(ts_sim_set(f.sim, "sleep", "0.1", NULL), TS_OK);
    f.sim->wrench_applied[BALL].couple.z = couple;
    return f;
}

Test(contact_rare, is_theirs_who_have_it) {
    for (int workers = 1; workers <= 4; workers *= 2) {
        fixture f = start(workers);
        fixture_run(&f, 10);
        expect_right(&f, "awake");
        fixture_end(&f);
    }
}

// Nor is there any room for it.
Test(contact_rare, is_not_there_where_nobody_has_any) {
    ts_builder* builder = ts_builder_create("boxes");
    fixture_floor(builder, 0.5, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 3);
    cr_expect_eq(f.sim->contact_count, 4);
    cr_expect_null(f.sim->contact_rare);
    fixture_end(&f);
}

static int is_asleep(const fixture* f, int body) { return ts_sim_sleep(f->sim, body).reason == TS_SLEEP_ASLEEP; }

// Sleepers keep it, while others come and go, and a simulation that is put there knows it, too.
Test(contact_rare, is_kept_by_sleepers_and_saved) {
    fixture f = start(1), g = start(1);
    ts_snapshot saved = {0};
    fixture_run(&f, 100);
    cr_assert(is_asleep(&f, BALL) && is_asleep(&f, STICKY) && is_asleep(&f, PLAIN) && !is_asleep(&f, RIDER));
    expect_right(&f, "asleep");
    cr_assert_eq(ts_sim_snapshot(f.sim, &saved, NULL), TS_OK);
    // Who wakes takes his own with him.
    f.sim->wrench_applied[PLAIN].force.x = 1e-3;
    fixture_run(&f, 1);
    cr_assert(is_asleep(&f, BALL) && !is_asleep(&f, PLAIN));
    expect_right(&f, "one is awake");
    f.sim->wrench_applied[BALL].force.x = 1e-6;
    fixture_run(&f, 1);
    cr_assert_not(is_asleep(&f, BALL));
    expect_right(&f, "two are awake");
    cr_assert_eq(ts_sim_restore(g.sim, &saved, NULL), TS_OK);
    fixture_run(&g, 2);
    cr_assert(is_asleep(&g, BALL) && is_asleep(&g, STICKY));
    expect_right(&g, "restored");
    ts_snapshot_free(&saved);
    fixture_end(&f);
    fixture_end(&g);
}
