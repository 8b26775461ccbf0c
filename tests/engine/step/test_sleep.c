// Sleep: who is awake does not feel it, to the bit; when it comes, in closed form; everything that wakes, each by its name; what is kept, shown, booked
// and saved of it.
#include "engine/derivative/step_derivative.h"
#include "engine/sim_internal.h"
#include "engine/step/certify.h"
#include "tests/engine/engine_fixture.h"
#include "tests/engine/read/mjcf_sample.h"

static const double g = 9.81;

static fixture make(const char* contents, int workers) {
    char text[4000];
    ts_status status;
    snprintf(text, sizeof text, "<mujoco>%s</mujoco>", contents);
    fixture f = {mjcf_read(text), NULL};
    cr_assert_eq(ts_sim_create(f.model, workers, &f.sim, &status), TS_OK, "%s", status.message);
    return f;
}

static void set(fixture* f, const char* name, const char* value) {
    ts_status status;
    cr_assert_eq(ts_sim_set(f->sim, name, value, &status), TS_OK, "%s", status.message);
}

static int body(const fixture* f, const char* name) {
    int b = ts_model_find_body(f->model, name);
    cr_assert_geq(b, 0, "%s", name);
    return b;
}

static int sleeps(const fixture* f, const char* name) {
    return ts_sim_sleep(f->sim, body(f, name)).reason == TS_SLEEP_ASLEEP;
}

static void expect_text(const fixture* f, const char* name, const char* part) {
    char text[256];
    ts_sim_sleep_text(f->sim, body(f, name), text, sizeof text);
    cr_expect(strstr(text, part), "%s: '%s' is not in '%s'", name, part, text);
}

// --- who is awake ------------------------------------------------------------------------------------------------------

// A stack of three and, far away, a box that is pushed to and fro with another on top of it.
#define BOX(name, x, z) \
    "<body name='" name "' pos='" x " 0 " z "'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
static const char two_piles[] =
    "<option timestep='.002'/><worldbody><geom type='plane' size='9 9 1'/>" BOX("low", "0", ".1")
        BOX("mid", ".01", ".3") BOX("top", "0", ".5") BOX("mover", "5", ".1") BOX("rider", "5.02", ".3") "</worldbody>";

static void push(ts_sim* sim, void* user) {
    (void)user;
    sim->wrench_applied[4].force = ts_vec3_make(300.0 * sin(20.0 * sim->time), 100.0 * cos(31.0 * sim->time), 0.0);
}

static void compare_awake(const char* solver, const char* integrator, const char* substeps, int workers) {
    fixture off = make(two_piles, 1), on = make(two_piles, workers);
    fixture* both[2] = {&off, &on};
    for (int k = 0; k < 2; ++k) {
        set(both[k], "solver", solver);
        set(both[k], "integrator", integrator);
        set(both[k], "substeps", substeps);
        ts_sim_set_control(both[k]->sim, push, NULL);
    }
    set(&on, "sleep", "0.1");
    for (int i = 0; i < 300; ++i) {
        fixture_run(&off, 1);
        fixture_run(&on, 1);
        // Bodies 4 and 5 have the last two trees.
        cr_assert_arr_eq(on.sim->qpos + 21, off.sim->qpos + 21, 14 * sizeof(double), "%s, %s, %d", solver, integrator,
                         i);
        cr_assert_arr_eq(on.sim->qvel + 18, off.sim->qvel + 18, 12 * sizeof(double), "%s, %s, %d", solver, integrator,
                         i);
        cr_assert_eq(off.sim->info.asleep, 0);
    }
    cr_expect_eq(on.sim->info.asleep, 3, "%s, %s: %d sleep", solver, integrator, on.sim->info.asleep);
    cr_expect(sleeps(&on, "low") && sleeps(&on, "mid") && sleeps(&on, "top"));
    cr_expect_eq(ts_sim_sleep(on.sim, body(&on, "top")).value, 3.0, "trees in its island");
    cr_expect_eq(ts_sim_sleep(on.sim, body(&on, "rider")).cause, TS_SLEEP_NONE);
    cr_expect_eq(ts_sim_sleep(off.sim, body(&off, "rider")).reason, TS_SLEEP_OFF);
    double speed = ts_vec3_norm(ts_vec3_load(off.sim->qvel + 18));
    cr_expect_gt(speed, 1e-3, "the mover moves");
    fixture_end(&on);
    fixture_end(&off);
}

Test(sleep, who_is_awake_has_the_bits_of_a_run_without) {
    static const char* const solver[] = {"ncp", "ncp-pgs", "mujoco", "ccp-pgs", "sap"};
    for (int i = 0; i < 5; ++i) compare_awake(solver[i], "midpoint", "1", 1);
    compare_awake("ncp", "rk4", "1", 1);
    compare_awake("ncp", "implicitfast", "1", 2);
    compare_awake("ncp", "euler", "3", 1);
}

// --- when --------------------------------------------------------------------------------------------------------------

// One ball in empty space: with a speed v it went v t after t. `reach`: 0.1 m from its centre.
static const char drifter[] =
    "<option timestep='.001' gravity='0 0 0'/><worldbody><body name='ball'><freejoint/><geom size='.1'/></body>"
    "</worldbody>";

static fixture drift(double speed, double turning) {
    fixture f = make(drifter, 1);
    set(&f, "sleep", "0.05");
    f.sim->qvel[0] = speed;
    f.sim->qvel[4] = turning;
    return f;
}

static int steps_until_asleep(fixture* f, int most) {
    for (int i = 1; i <= most; ++i) {
        fixture_run(f, 1);
        if (f->sim->info.asleep) return i;
    }
    return 0;
}

Test(sleep, quiet_is_a_bound_on_speed_and_way_for_a_time) {
    fixture f = drift(0.0, 0.0);
    cr_expect_eq(steps_until_asleep(&f, 100), 50);
    fixture_end(&f);
    f = drift(1.001e-3, 0.0);
    cr_expect_eq(steps_until_asleep(&f, 200), 0);
    cr_expect_eq(ts_sim_sleep(f.sim, 1).reason, TS_SLEEP_MOVES);
    cr_expect_float_eq(ts_sim_sleep(f.sim, 1).value, 1.001e-3, 1e-12);
    expect_text(&f, "ball", "moves at 0.001 m/s");
    fixture_end(&f);
    f = drift(0.9e-3, 0.0);
    set(&f, "sleep_distance", "4.3e-5");  // it goes 4.5e-5 m in that time
    cr_expect_eq(steps_until_asleep(&f, 200), 0);
    fixture_end(&f);
    f = drift(0.9e-3, 0.0);
    set(&f, "sleep_distance", "4.7e-5");
    cr_expect_gt(steps_until_asleep(&f, 200), 0);
    fixture_end(&f);
    f = drift(0.0, 1.01e-2);
    cr_expect_eq(steps_until_asleep(&f, 200), 0, "its surface moves at 1.01e-3 m/s");
    fixture_end(&f);
    f = drift(0.0, 0.99e-2);
    cr_expect_gt(steps_until_asleep(&f, 200), 0);
    fixture_end(&f);
    f = drift(0.6e-3, 0.5e-2);
    cr_expect_eq(steps_until_asleep(&f, 200), 0, "both together are faster");
    fixture_end(&f);
}

Test(sleep, speeds_along_a_chain_add_up) {
    // Two rods of a metre on hinges, one after the other: the tip goes at most 2 w1 + 1 w2.
    fixture f = make("<option timestep='.001' gravity='0 0 0'/><worldbody><body name='a'><joint axis='0 1 0'/><geom "
                     "type='capsule' fromto='0 0 0 1 0 0' size='.001'/><body name='b' pos='1 0 0'><joint axis='0 1 "
                     "0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.001'/></body></body></worldbody>",
                     1);
    set(&f, "sleep", "0.05");
    f.sim->qvel[0] = 0.3e-3;
    f.sim->qvel[1] = 0.6e-3;
    fixture_run(&f, 1);
    cr_expect_eq(ts_sim_sleep(f.sim, 2).reason, TS_SLEEP_MOVES);
    // The bound takes the rods' radii, and what inertia makes of them, on top.
    cr_expect_float_eq(ts_sim_sleep(f.sim, 2).value, 2.0 * f.sim->qvel[0] + f.sim->qvel[1], 4e-6);
    fixture_end(&f);
}

Test(sleep, an_island_sleeps_as_a_whole) {
    fixture f = make(two_piles, 1);
    set(&f, "sleep", "0.05");
    ts_sim_set_control(f.sim, push, NULL);
    // The rider's friction carries it along: of the pile that is pushed neither sleeps, of the other all.
    fixture_run(&f, 200);
    cr_expect_eq(f.sim->info.asleep, 3);
    // Held by nothing but a touch: the lowest shakes under a top that would be quiet.
    fixture g1 = make("<option timestep='.001'/><worldbody><geom type='plane' size='9 9 1'/>" BOX("low", "0", ".1")
                          BOX("top", "0", ".3") "</worldbody>",
                      1);
    set(&g1, "sleep", "0.02");
    for (int i = 0; i < 100; ++i) {
        // So that the lower is fast at the end of the step, and the upper is not.
        fixture_run(&g1, 1);
        if (i < 60) g1.sim->force_applied[5] = 0.05 * (i % 2 ? 1.0 : -1.0);
        if (i == 50) cr_expect_eq(g1.sim->info.asleep, 0);
    }
    cr_expect_eq(g1.sim->info.asleep, 2);
    fixture_end(&g1);
    fixture_end(&f);
}

// --- who wakes ---------------------------------------------------------------------------------------------------------

static const char room[] =
    "<option timestep='.001'/><worldbody><geom type='plane' size='9 9 1'/><body name='table' mocap='true' pos='3 0 "
    ".2'><geom name='plate' type='box' size='.3 .3 .05'/></body><body name='cup' pos='3 0 .3'><freejoint/><geom "
    "type='box' size='.05 .05 .05'/></body>" BOX("low", "0", ".1")
        BOX("top", "0",
            ".3") "<body name='far' pos='-3 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body><body "
                  "name='rod' pos='0 5 "
                  "1'><joint name='hinge' axis='0 1 0' damping='1'/><geom type='capsule' fromto='0 0 0 0 0 -.3' "
                  "size='.02'/></body></worldbody><equality><weld name='tie' active='false' body1='far' "
                  "body2='world'/></equality><actuator><motor name='motor' joint='hinge'/></actuator>";

static fixture asleep_room(void) {
    fixture f = make(room, 1);
    set(&f, "sleep", "0.02");
    fixture_run(&f, 60);
    cr_assert_eq(f.sim->info.asleep, 5, "%d sleep", f.sim->info.asleep);
    return f;
}

// After one step who woke, and why.
static void expect_woken(fixture* f, const char* name, ts_sleep_reason cause, int trees) {
    fixture_run(f, 1);
    cr_expect_eq(f->sim->info.woken, trees, "%s: %d woke", name, f->sim->info.woken);
    cr_expect_eq(ts_sim_sleep(f->sim, body(f, name)).cause, cause, "%s: %s", name,
                 ts_sleep_reason_name(ts_sim_sleep(f->sim, body(f, name)).cause));
    cr_expect_not(sleeps(f, name));
    fixture_run(f, 1);
    cr_expect_eq(f->sim->info.woken, 0);
}

static int tree_of(const fixture* f, const char* name) { return f->model->body[body(f, name)].tree; }

static int dof_of(const fixture* f, const char* name) { return f->model->tree[tree_of(f, name)].dof_first; }

Test(sleep, each_thing_from_outside_wakes_whom_it_concerns) {
    fixture f = asleep_room();
    ts_snapshot night = {0};
    ts_status status;
    cr_assert_eq(ts_sim_snapshot(f.sim, &night, &status), TS_OK);
    f.sim->wrench_applied[body(&f, "top")].couple.z = 1e-9;
    expect_woken(&f, "low", TS_SLEEP_FORCE, 2);
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    f.sim->force_applied[dof_of(&f, "far")] = 1.0;
    expect_woken(&f, "far", TS_SLEEP_FORCE, 1);
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    f.sim->ctrl[0] = 0.5;
    expect_woken(&f, "rod", TS_SLEEP_CONTROL, 1);
    expect_text(&f, "rod", "the control of 'motor' changed");
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    f.sim->qvel[dof_of(&f, "top") + 2] = 0.5;
    expect_woken(&f, "low", TS_SLEEP_STATE, 2);
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    f.sim->qpos[f.model->joint[f.model->body[body(&f, "rod")].joint_first].qpos_first] += 0.1;
    expect_woken(&f, "rod", TS_SLEEP_STATE, 1);
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    f.sim->equality_active[0] = 1;
    expect_woken(&f, "far", TS_SLEEP_EQUALITY, 1);
    expect_text(&f, "far", "'tie' was switched");
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    ts_sim_wake(f.sim, body(&f, "top"));
    expect_woken(&f, "low", TS_SLEEP_ASKED, 2);
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    // The table moves, and what hangs on nothing else stays asleep; rods with motors wake, too: their paths are not looked at.
    f.sim->mocap[2] += 1e-4;
    expect_woken(&f, "cup", TS_SLEEP_MOVED, 2);
    expect_text(&f, "cup", "'table' was moved under it");
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    set(&f, "gravity", "0 0 -1.6");
    expect_woken(&f, "cup", TS_SLEEP_OPTION, 5);
    set(&f, "gravity", "0 0 -9.81");
    cr_assert_eq(ts_sim_restore(f.sim, &night, &status), TS_OK);
    set(&f, "sleep", "0");
    expect_woken(&f, "cup", TS_SLEEP_OFF, 5);
    ts_snapshot_free(&night);
    fixture_end(&f);
}

Test(sleep, the_table_comes_from_elsewhere) {
    // What is moved against a sleeper wakes it, though nobody is awake.
    fixture f = asleep_room();
    ts_vec3_store(ts_vec3_make(-3.0, 0.0, 0.2 + 0.0495), f.sim->mocap);
    fixture_run(&f, 1);
    cr_expect_eq(ts_sim_sleep(f.sim, body(&f, "far")).cause, TS_SLEEP_MOVED);
    cr_expect_eq(ts_sim_sleep(f.sim, body(&f, "cup")).cause, TS_SLEEP_MOVED);
    cr_expect(sleeps(&f, "low"));
    // Without what it lay on it falls, from the very step: 2 g h^2 / 2 and more after three.
    fixture_run(&f, 3);
    cr_expect_float_eq(f.sim->qvel[dof_of(&f, "cup") + 2], -4.0 * g * 1e-3, 1e-9);
    fixture_end(&f);
}

Test(sleep, a_force_acts_in_the_step_that_wakes) {
    fixture f = drift(0.0, 0.0);
    cr_assert_gt(steps_until_asleep(&f, 100), 0);
    f.sim->force_applied[0] = 3.0;
    fixture_run(&f, 10);
    cr_expect_float_eq(f.sim->qvel[0], 10.0 * 3.0 * 1e-3 / f.model->body[1].mass, 1e-12);
    // A force that does not change may put it to sleep no sooner than after the time that quiet takes.
    fixture_end(&f);
    f = drift(0.0, 0.0);
    cr_assert_gt(steps_until_asleep(&f, 100), 0);
    f.sim->force_applied[0] = 0.2 * f.model->body[1].mass;
    cr_expect_eq(steps_until_asleep(&f, 500), 0, "0.2 m/s^2 are 0.01 m/s after 0.05 s");
    fixture_end(&f);
}

Test(sleep, who_is_awake_and_pushed_has_the_time_to_move) {
    // Five steps before it would sleep: by then 0.05 m/s^2 have made 2.5e-4 m/s, after the time that quiet takes 2.5e-3.
    fixture f = drift(0.0, 0.0);
    fixture_run(&f, 45);
    f.sim->force_applied[0] = 0.05 * f.model->body[1].mass;
    cr_expect_eq(steps_until_asleep(&f, 200), 0);
    fixture_end(&f);
}

Test(sleep, piles_in_substeps_are_islands_too) {
    fixture f = make(two_piles, 1);
    set(&f, "solver", "ncp-pgs");
    set(&f, "substeps", "4");
    set(&f, "sleep", "0.1");
    ts_sim_set_control(f.sim, push, NULL);
    fixture_run(&f, 300);
    cr_expect_eq(f.sim->info.asleep, 3, "%d sleep", f.sim->info.asleep);
    cr_expect_eq(ts_sim_sleep(f.sim, body(&f, "top")).value, 3.0, "trees in its island");
    cr_expect_eq(f.sim->asleep_contacts, 12);
    ts_sim_wake(f.sim, body(&f, "low"));
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->info.asleep, 0);
    fixture_end(&f);
}

// A ball flies at two that lie in a row and touch, in empty space.
static const char row_of_balls[] =
    "<option timestep='.001' gravity='0 0 0'/><worldbody><body name='a' pos='0 0 0'><freejoint/><geom "
    "size='.1'/></body><body name='b' pos='.2 0 0'><freejoint/><geom size='.1'/></body><body name='c' pos='-.5 0 "
    "0'><freejoint/><geom size='.1'/></body><body name='d' pos='0 0 5'><freejoint/><geom "
    "size='.1'/></body></worldbody>";

Test(sleep, a_touch_wakes_and_momentum_is_kept) {
    fixture f = make(row_of_balls, 1);
    set(&f, "sleep", "0.02");
    f.sim->qvel[12] = 1.0;
    double mass = f.model->body[1].mass;
    int woke_at = -1;
    for (int i = 0; i < 400; ++i) {
        fixture_run(&f, 1);
        double momentum = 0.0;
        for (int t = 0; t < 4; ++t) momentum += mass * f.sim->qvel[6 * t];
        cr_assert_float_eq(momentum, mass, 1e-12, "%d", i);
        if (woke_at >= 0 || f.sim->info.woken == 0) continue;
        woke_at = i;
        cr_expect_eq(f.sim->info.woken, 2, "both of the island");
        cr_expect_eq(ts_sim_sleep(f.sim, 2).cause, TS_SLEEP_TOUCHED);
        cr_expect_eq(ts_sim_sleep(f.sim, 2).cause_other, 3);
        expect_text(&f, "b", "touched by 'c'");
    }
    // 0.3 m at 1 m/s, less a margin of a millimetre.
    cr_expect_leq(abs(woke_at - 299), 2, "woke at %d", woke_at);
    cr_expect(sleeps(&f, "d"));
    // No restitution: all three go on together.
    for (int t = 0; t < 3; ++t) cr_expect_float_eq(f.sim->qvel[6 * t], 1.0 / 3.0, 1e-9);
    fixture_end(&f);
}

// --- what is kept, shown and booked --------------------------------------------------------------------------------------

Test(sleep, positions_stay_and_contacts_are_shown_as_last_solved) {
    fixture f = make("<option timestep='.001'/><worldbody><geom type='plane' size='9 9 1'/><body name='low' pos='0 0 "
                     ".1'><freejoint/><geom type='box' size='.1 .1 .1'/><site name='s' type='box' size='.2 .2 "
                     ".2'/></body>" BOX("top", "0", ".3") "</worldbody><sensor><touch site='s'/></sensor>",
                     1);
    set(&f, "sleep", "0.02");
    cr_assert_gt(steps_until_asleep(&f, 100), 0);
    double place[14], mass = f.model->body[1].mass, h = f.sim->options.time_step;
    memcpy(place, f.sim->qpos, sizeof place);
    for (int i = 0; i < 50; ++i) {
        fixture_run(&f, 1);
        cr_assert_arr_eq(f.sim->qpos, place, sizeof place);
        for (int d = 0; d < 12; ++d) cr_assert_eq(f.sim->qvel[d], 0.0);
        cr_assert_eq(f.sim->info.contact_count, 0);
        cr_assert_eq(f.sim->contact_count, 8);
        cr_assert_eq(f.sim->asleep_contacts, 8);
    }
    double floor = 0.0, between = 0.0;
    ts_arena arena = {0};
    const ts_contact_mode* mode = ts_certify_contacts(f.sim, &arena);
    cr_assert(mode);
    for (int i = 0; i < 8; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        cr_expect_eq(contact->asleep, 1);
        cr_expect_eq(contact->block, -1);
        cr_expect_eq(mode[i], TS_MODE_STICK);
        *(contact->body_a == 0 ? &floor : &between) += contact->impulse.z / h;
    }
    ts_arena_free(&arena);
    cr_expect_float_eq(floor, 2.0 * mass * g, 1e-6 * mass * g);
    cr_expect_float_eq(between, mass * g, 1e-6 * mass * g);
    cr_expect_float_eq(f.sim->sensor[0], 3.0 * mass * g, 1e-6 * mass * g, "%g", f.sim->sensor[0]);
    // They wake with what held them: nothing is left to solve.
    ts_sim_wake(f.sim, 1);
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->info.asleep, 0);
    cr_expect_eq(f.sim->info.contact_count, 8);
    cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(f.sim->info.solve.iterations, 0);
    cr_expect_lt(fabs(f.sim->qvel[2]), 1e-9);
    fixture_end(&f);
}

Test(sleep, the_motion_that_is_taken_is_booked) {
    fixture f = drift(0.8e-3, 0.0);
    ts_ledger ledger;
    ts_ledger_keep(f.sim, &ledger);
    cr_assert_gt(steps_until_asleep(&f, 200), 0);
    double energy = 0.5 * f.model->body[1].mass * 0.8e-3 * 0.8e-3;
    cr_expect_float_eq(ledger.total[TS_LEDGER_SLEEP], -energy, 1e-12 * energy);
    cr_expect_float_eq(ledger.end.kinetic, 0.0, 1e-30);
    double sum = 0.0;
    for (int i = 0; i < TS_LEDGER_INTEGRATOR_POTENTIAL; ++i) sum += ledger.total[i];
    cr_expect_float_eq(sum, ledger.end.kinetic - ledger.first.kinetic, 1e-12 * energy);
    fixture_run(&f, 10);
    cr_expect_float_eq(ledger.total_outside, 0.0, 1e-30);
    cr_expect_float_eq(ledger.total_remainder, 0.0, 1e-12 * energy);
    fixture_end(&f);
}

// --- where it is refused, and what it is saved with ----------------------------------------------------------------------

Test(sleep, a_state_that_is_restored_goes_on_with_the_same_bits) {
    fixture f = make(row_of_balls, 1), other = make(row_of_balls, 2);
    ts_snapshot saved = {0}, later = {0};
    ts_status status;
    uint64_t hash[200];
    set(&f, "sleep", "0.02");
    set(&other, "sleep", "0.02");
    f.sim->qvel[12] = 1.0;
    fixture_run(&f, 250);
    cr_assert_eq(f.sim->info.asleep, 3);
    cr_assert_eq(ts_sim_snapshot(f.sim, &saved, &status), TS_OK);
    for (int i = 0; i < 200; ++i) {
        fixture_run(&f, 1);
        hash[i] = ts_sim_hash(f.sim);
    }
    cr_assert_eq(ts_sim_restore(f.sim, &saved, &status), TS_OK);
    cr_assert_eq(ts_sim_restore(other.sim, &saved, &status), TS_OK);
    cr_expect_eq(ts_sim_sleep(other.sim, 1).reason, TS_SLEEP_ASLEEP);
    for (int i = 0; i < 200; ++i) {
        fixture_run(&f, 1);
        fixture_run(&other, 1);
        cr_assert_eq(ts_sim_hash(f.sim), hash[i], "%d", i);
        cr_assert_eq(ts_sim_hash(other.sim), hash[i], "another simulation, %d", i);
        if (i == 100) cr_assert_eq(ts_sim_snapshot(f.sim, &later, &status), TS_OK);
    }
    // The awake of later on, and a reset.
    cr_assert_eq(ts_sim_restore(f.sim, &later, &status), TS_OK);
    fixture_run(&f, 1);
    cr_expect_eq(ts_sim_hash(f.sim), hash[101]);
    ts_sim_reset(f.sim);
    cr_expect_eq(ts_sim_sleep(f.sim, 1).reason, TS_SLEEP_SETTLES);
    ts_snapshot_free(&saved);
    ts_snapshot_free(&later);
    fixture_end(&other);
    fixture_end(&f);
}

Test(sleep, derivatives_of_sleepers_are_refused) {
    fixture f = drift(0.0, 0.0);
    ts_arena arena = {0};
    ts_step_derivative derivative;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_input input = ts_step_input_all(f.model, TS_STEP_BY_VELOCITY);
    ts_status status;
    fixture_run(&f, 1);
    cr_expect_eq(ts_step_derivative_make(f.sim, &settings, &input, 1, &arena, &derivative, &status), TS_OK);
    cr_assert_gt(steps_until_asleep(&f, 200), 0);
    cr_expect_eq(ts_step_derivative_make(f.sim, &settings, &input, 1, &arena, &derivative, &status),
                 TS_ERROR_UNSUPPORTED);
    cr_expect(strstr(status.message, "sleep"), "%s", status.message);
    ts_arena_free(&arena);
    fixture_end(&f);
}

Test(sleep, some_never_sleep) {
    fixture f = make("<option timestep='.001' gravity='0 0 0'/><worldbody><body name='free'><freejoint/><geom "
                     "size='.1'/></body><body name='guard' pos='1 0 0' sleep='never'><freejoint/><geom "
                     "size='.1'/></body><body name='slow' pos='2 0 0'><joint name='j' type='slide'/><geom "
                     "size='.1'/></body></worldbody><actuator><general joint='j' dyntype='filter' "
                     "dynprm='1'/></actuator>",
                     1);
    set(&f, "sleep", "0.02");
    fixture_run(&f, 60);
    cr_expect(sleeps(&f, "free"));
    cr_expect_eq(ts_sim_sleep(f.sim, body(&f, "guard")).reason, TS_SLEEP_NEVER);
    cr_expect_eq(ts_sim_sleep(f.sim, body(&f, "slow")).reason, TS_SLEEP_ACTIVATION);
    cr_expect_eq(ts_sim_sleep(f.sim, 0).reason, TS_SLEEP_FIXED);
    fixture_end(&f);
}
