// Where impulses of a pile begin: means against sums in long double, the swing of a pile against its difference equation, and ten boxes that stand.
#include "engine/sim_internal.h"
#include "engine/step/ledger_internal.h"
#include "engine/step/pile_start_internal.h"
#include "tests/engine/engine_fixture.h"

static const double g = 9.81;

enum { HIGH = 10, LANE = 7 };

// A contact as a step finds it. Returns where its impulse begins.
static double begin(const ts_row_memory* memory, double leak, ts_contact_note* note) {
    memset(note, 0, sizeof *note);
    return ts_pile_start(memory, 1.0, leak, memory->impulse[2], note);
}

// And as it leaves it.
static void leave(const ts_contact_note* note, double last, ts_row_memory* memory) {
    ts_pile_note_mean(note, last, memory);
    memory->impulse[2] = last;
}

static double go_on(ts_row_memory* memory, double leak, double last) {
    ts_contact_note note;
    double start = begin(memory, leak, &note);
    leave(&note, last, memory);
    return start;
}

// The k-th of n impulses weighs k (k + 1): what forgets its first steps by 3 / (n + 3).
Test(pile_start, means_forget_their_first_steps) {
    ts_row_memory memory;
    memset(&memory, 0, sizeof memory);
    ts_rng rng = ts_rng_make(5, 0);
    long double sum = 0.0L, weights = 0.0L;
    double leak = ts_pile_leak(2);
    for (int k = 1; k <= 50; ++k) {
        double last = 1.0 + ts_rng_uniform(&rng), before = memory.impulse[2];
        double mean = k > 1 ? (double)(sum / weights) : 0.0;
        double start = go_on(&memory, leak, last);
        cr_expect_float_eq(start, before + leak * (k > 1 ? mean - before : 0.0), 1e-14, "%d", k);
        long double weight = (long double)k * (k + 1);
        sum += weight * (long double)last;
        weights += weight;
        cr_expect_eq(memory.steps, k);
        cr_expect_eq(memory.keeper, TS_ROW_KEEPER_PILE);
    }
}

Test(pile_start, what_stays_begins_as_it_is) {
    ts_row_memory memory;
    memset(&memory, 0, sizeof memory);
    for (int k = 0; k < TS_PILE_MEAN_STEPS + 20; ++k) {
        double start = go_on(&memory, ts_pile_leak(4), 0.7);
        if (k > 0) cr_assert_eq(start, 0.7, "%d", k);
    }
    cr_expect_eq(memory.steps, TS_PILE_MEAN_STEPS);
}

Test(pile_start, what_is_lifted_off_is_not_held) {
    static const double becomes[] = {0.0, 0.2, 8.0};
    for (int i = 0; i < 3; ++i) {
        ts_row_memory memory;
        memset(&memory, 0, sizeof memory);
        for (int k = 0; k < 30; ++k) (void)go_on(&memory, 0.25, 1.0);
        (void)go_on(&memory, 0.25, becomes[i]);
        cr_expect_eq(go_on(&memory, 0.25, becomes[i]), becomes[i]);
        cr_expect_eq(memory.steps, 1);
    }
}

// Other memories have no mean, whatever they hold.
Test(pile_start, what_a_solver_remembers_is_no_mean) {
    ts_row_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.impulse[2] = 1.0;
    memory.solver = 1.5;
    memory.keeper = 3;
    memory.steps = 9;
    cr_expect_eq(go_on(&memory, 0.25, 2.0), 1.0);
    cr_expect_eq(memory.solver, 2.0);
}

// How far a way of moving swings in steps 400 to 500, whose share eta sweeps see: v its velocity, p what impulses do to it in a step, w its depth over h,
// all in units of g h; a share beta of the depth is pushed out.
static double swing(double eta, double beta, double leak) {
    ts_row_memory memory;
    memset(&memory, 0, sizeof memory);
    double v = 0.01, w = 0.0, p = 1.0, least = HUGE_VAL, most = -HUGE_VAL;
    (void)go_on(&memory, 0.0, p);
    for (int k = 0; k < 500; ++k) {
        ts_contact_note note;
        double start = begin(&memory, leak, &note), free = v - 1.0 + start, more = eta * (beta * w - free);
        p = start + more;
        v = free + more;
        w -= v;
        leave(&note, p, &memory);
        if (k < 400) continue;
        least = fmin(least, w);
        most = fmax(most, w);
    }
    return most - least;
}

// From the eigenvalues of the equation: with eta = 0.04 and beta = 0.05 swings grow by 1.0038 a step, and shrink by 0.99 or faster where a quarter leaks.
Test(pile_start, a_swing_is_braked) {
    double grows = swing(0.04, 0.05, 0.0), shrinks = swing(0.04, 0.05, ts_pile_leak(2));
    cr_expect(grows > 0.1, "%g", grows);
    cr_expect(shrinks < 0.01 * grows, "%g beside %g", shrinks, grows);
}

// Ten cubes of a metre, one on the other.
static ts_builder* column(void) {
    ts_builder* builder = ts_builder_create("column");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    options->substeps = 2;
    options->iterations = 8;
    options->gravity = ts_vec3_make(0.0, 0.0, -g);
    memcpy(options->solver, "ncp-pgs", sizeof "ncp-pgs");
    fixture_floor(builder, 0.6, 0.0);
    for (int k = 0; k < HIGH; ++k) {
        ts_body_def def = ts_body_def_default();
        def.pose.position = ts_vec3_make(0.0, 0.0, 0.5 + k);
        def.mass = 1000.0;
        def.inertia = ts_mat3_diagonal(ts_vec3_make(1000.0 / 6.0, 1000.0 / 6.0, 1000.0 / 6.0));
        ts_joint_def joint = ts_joint_def_default();
        ts_geom_def geom = ts_geom_def_default();
        geom.body = joint.body = ts_builder_add_body(builder, &def);
        joint.type = TS_JOINT_FREE;
        cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
        geom.shape = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
        geom.surface.friction = 0.6;
        cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    }
    return builder;
}

// Runs ten seconds, with means or without; generally: books are kept. Returns how far any of them came from where it was, in the last second, m.
static double way_of_column(int with_means, int generally) {
    fixture f = fixture_start(column(), 1);
    ts_ledger books;
    double most = 0.0;
    if (generally) ts_ledger_keep(f.sim, &books);
    for (int i = 0; i < 600; ++i) {
        fixture_run(&f, 1);
        cr_assert_eq(ts_sim_storage_of(f.sim)->unshown != NULL, !generally, "the test is of a pile");
        for (int k = 0; !with_means && k < f.sim->row_memory.count; ++k) f.sim->row_memory.data[k].keeper = 0;
        for (int k = 0; i >= 540 && k < HIGH; ++k) {
            const double* q = f.sim->qpos + LANE * k;
            most = fmax(most, ts_vec3_norm(ts_vec3_sub(ts_vec3_load(q), ts_vec3_make(0.0, 0.0, 0.5 + k))));
        }
    }
    fixture_end(&f);
    return most;
}

Test(pile_start, ten_boxes_stand_under_few_sweeps) {
    for (int generally = 0; generally < 2; ++generally) {
        double with = way_of_column(1, generally), without = way_of_column(0, generally);
        cr_expect(with < 0.02, "%d: %g m", generally, with);
        cr_expect(without > 0.1, "%d: %g m: the test shows nothing", generally, without);
    }
}

// Whoever keeps books has the same means, but for levers that stay within a step.
Test(pile_start, the_general_way_remembers_the_same) {
    fixture pile = fixture_start(column(), 1), plain = fixture_start(column(), 1);
    ts_ledger books;
    ts_ledger_keep(plain.sim, &books);
    for (int i = 0; i < 12; ++i) {
        fixture_run(&pile, 1);
        fixture_run(&plain, 1);
        cr_assert_eq(pile.sim->row_memory.count, plain.sim->row_memory.count);
        for (int k = 0; k < pile.sim->row_memory.count; ++k) {
            const ts_row_memory *a = &pile.sim->row_memory.data[k], *b = &plain.sim->row_memory.data[k];
            cr_assert_eq(b->keeper, TS_ROW_KEEPER_PILE);
            cr_expect_eq(a->steps, b->steps, "step %d, contact %d: %d and %d", i, k, a->steps, b->steps);
            cr_expect_float_eq(a->solver, b->solver, 1e-3 * 1000.0 * g / 120.0, "step %d, contact %d: %g and %g", i, k,
                               a->solver, b->solver);
        }
    }
    fixture_end(&pile);
    fixture_end(&plain);
}

// Of other solvers nothing is remembered so, and what others remember is not touched.
Test(pile_start, other_solvers_have_no_means) {
    fixture f = fixture_start(column(), 1);
    ts_status status;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ccp-pgs", &status), TS_OK, "%s", status.message);
    fixture_run(&f, 3);
    cr_assert_gt(f.sim->row_memory.count, 0);
    for (int k = 0; k < f.sim->row_memory.count; ++k) cr_expect_eq(f.sim->row_memory.data[k].keeper, 0);
    fixture_end(&f);
}

// Half of them are taken away: the others stay where they are.
Test(pile_start, what_is_relieved_does_not_jump) {
    fixture f = fixture_start(column(), 1);
    fixture_run(&f, 300);
    for (int k = HIGH / 2; k < HIGH; ++k) f.sim->qpos[LANE * k + 2] += 100.0 + 3.0 * k;
    double most = -HUGE_VAL;
    for (int i = 0; i < 60; ++i) {
        fixture_run(&f, 1);
        for (int k = 0; k < HIGH / 2; ++k) most = fmax(most, f.sim->qpos[LANE * k + 2] - (0.5 + k));
    }
    cr_expect(most < 1e-3, "%g m", most);
    fixture_end(&f);
}

// It is part of what a snapshot holds: both go on to the bit.
Test(pile_start, goes_on_from_a_snapshot) {
    fixture f = fixture_start(column(), 1), other = fixture_start(column(), 1);
    ts_status status;
    fixture_run(&f, 100);
    ts_snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_restore(other.sim, &snapshot, &status), TS_OK, "%s", status.message);
    fixture_run(&f, 50);
    fixture_run(&other, 50);
    cr_expect_eq(ts_sim_hash(f.sim), ts_sim_hash(other.sim));
    // And of its hash.
    uint64_t hash = ts_sim_hash(f.sim);
    f.sim->row_memory.data[0].steps += 1;
    cr_expect_neq(ts_sim_hash(f.sim), hash);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
    fixture_end(&other);
}
