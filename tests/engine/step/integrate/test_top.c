// The heavy symmetric top whose tip stands on the floor, against the closed form of its steady precession.
//
// With m g l sin(theta) the torque about the tip, A the moment across the axis there, C that along it and w3 the whole angular
// velocity along the axis, a top precesses at a steady tilt when A W^2 cos(theta) - C w3 W + m g l = 0.
#include "tests/engine/engine_fixture.h"

#include "base/scalar.h"

static const double gravity = 9.81;

// m: a ball that rolls adds a path of its own, in proportion to its size.
static const double tip_radius = 1e-7;

typedef struct top {
    double mass, length, across, along, tilt, spin;  // across: about the centre of mass
    int rough, frame_at_tip;
    double step;
} top;

static const top usual = {.mass = 0.5,
                          .length = 0.1,
                          .across = 0.004,
                          .along = 0.002,
                          .tilt = 0.4,
                          .spin = 150.0,
                          .rough = 1,
                          .frame_at_tip = 1,
                          .step = 1e-3};

// The slow root, written so that it stands at a right angle, too. What stands is the tip on a rough floor, the centre of mass on a
// slippery one.
static double precession_of(const top* t) {
    double A = t->across + t->rough * t->mass * t->length * t->length, p = t->along * t->spin;
    double pull = t->mass * gravity * t->length, root = sqrt(p * p - 4.0 * A * cos(t->tilt) * pull);
    return 2.0 * pull / (p + copysign(root, p));
}

// Its tip is a ball.
static fixture set_up(const top* t) {
    ts_builder* builder = ts_builder_create("top");
    // On a slippery floor its size plays no part.
    double r = t->rough ? tip_radius : 1e-3, mu = t->rough ? 10.0 : 0.0, Omega = precession_of(t);
    ts_builder_options(builder)->time_step = t->step;
    memcpy(ts_builder_options(builder)->solver, "ncp", sizeof "ncp");
    fixture_floor(builder, mu, 0.0);
    ts_body_def def = ts_body_def_default();
    ts_quat tilt = ts_quat_from_axis_angle(ts_vec3_axis(1), t->tilt);
    ts_vec3 axis = ts_quat_rotate(tilt, ts_vec3_axis(2)), tip = ts_vec3_make(0.0, 0.0, r);
    ts_vec3 centre = ts_vec3_make(0.0, 0.0, t->length);
    def.mass = t->mass;
    def.inertia = ts_mat3_diagonal(ts_vec3_make(t->across, t->across, t->along));
    def.centre = t->frame_at_tip ? centre : ts_vec3_zero();
    def.pose.position = t->frame_at_tip ? tip : ts_vec3_add_scaled(tip, t->length, axis);
    def.pose.rotation = tilt;
    int body = ts_builder_add_body(builder, &def);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = body;
    joint.type = TS_JOINT_FREE;
    ts_builder_add_joint(builder, &joint);
    fixture_geom(builder, body, ts_shape_sphere(r), t->frame_at_tip ? ts_vec3_zero() : ts_vec3_neg(centre), mu);
    // Omega z has the part cos(tilt) along the axis; the rest of the spin comes beside it.
    ts_vec3 w = ts_vec3_add_scaled(ts_vec3_make(0.0, 0.0, Omega), t->spin - Omega * cos(t->tilt), axis);
    ts_vec3 local = ts_quat_rotate(ts_quat_conjugate(tilt), w);
    double lever = t->rough ? (t->frame_at_tip ? 0.0 : t->length) : (t->frame_at_tip ? -t->length : 0.0);
    ts_builder_set_free_velocity(builder, body, ts_vec3_cross(w, ts_vec3_scale(lever, axis)), local);
    return fixture_start(builder, 1);
}

typedef struct outcome {
    double rate;             // 1: precession over that of the closed form
    double highest, lowest;  // rad: tilt above that of the start
    double slip;             // m: how far the tip is from where it was
    double sinking;          // m: least height of the tip's ball over the floor
} outcome;

static outcome spin_for(const top* t, double duration) {
    fixture f = set_up(t);
    outcome o = {0.0, 0.0, 0.0, 0.0, 1.0};
    double turned = 0.0, before = 0.0;
    int steps = (int)lround(duration / t->step);
    ts_vec3 tip = ts_kinematics_geom(&f.sim->kinematics, 1)->p;
    for (int i = 0; i < steps; ++i) {
        fixture_run(&f, 1);
        ts_vec3 axis = ts_quat_rotate(ts_quat_load(f.sim->qpos + 3), ts_vec3_axis(2)),
                now_at = ts_kinematics_geom(&f.sim->kinematics, 1)->p;
        double now = atan2(axis.y, axis.x), step = now - before, nod = acos(axis.z) - t->tilt;
        turned += step - 2.0 * TS_PI * round(step / (2.0 * TS_PI));
        before = now;
        o.highest = fmax(o.highest, nod);
        o.lowest = fmin(o.lowest, nod);
        o.slip = fmax(o.slip, hypot(now_at.x - tip.x, now_at.y - tip.y));
        o.sinking = fmin(o.sinking, now_at.z - tip.z);
    }
    o.rate = turned / (precession_of(t) * duration);
    fixture_end(&f);
    return o;
}

// The tilt may leave its steady value by no more than the axis goes along its circle in a step and a half: velocities belong to
// the middle of steps, so what the closed form says of the start is true of half a step away, and the first steps have no forecast.
static double nodding(const top* t) { return 1.5 * t->step * fabs(precession_of(t)) * sin(t->tilt); }

Test(top, precesses_as_the_closed_form_says) {
    static const double tilt[] = {0.1, 0.4, 0.8, 1.2, 0.5 * TS_PI, 2.0}, spin[] = {120.0, 150.0, 300.0, -200.0};
    for (size_t i = 0; i < sizeof tilt / sizeof tilt[0]; ++i)
        for (size_t k = 0; k < sizeof spin / sizeof spin[0]; ++k) {
            top t = usual;
            t.tilt = tilt[i];
            t.spin = spin[k];
            outcome o = spin_for(&t, 4.0);
            cr_expect_float_eq(o.rate, 1.0, 1e-3, "tilt %g, spin %g: %g", t.tilt, t.spin, o.rate);
            cr_expect_gt(o.lowest, -nodding(&t), "tilt %g, spin %g: %g, not %g", t.tilt, t.spin, o.lowest, nodding(&t));
            cr_expect_lt(o.highest, nodding(&t), "tilt %g, spin %g: %g, not %g", t.tilt, t.spin, o.highest,
                         nodding(&t));
            // Neither slips nor sinks: it rolls by what so small a ball rolls.
            cr_expect_lt(o.slip, 2.5 * tip_radius * fabs(t.spin / precession_of(&t)), "%g", o.slip);
            // What the solver's tolerance leaves of a contact, 1e-8 of what moves there, over four seconds.
            cr_expect_gt(o.sinking, -1e-11, "%g", o.sinking);
        }
}

// On a slippery floor and with the frame in the centre of mass, too; there the tip of a rough one moves in a small circle, for its
// contact is made with the levers of the beginning of the step.
Test(top, precesses_on_any_floor_and_from_any_frame) {
    for (int k = 0; k < 8; ++k) {
        top t = usual;
        t.rough = k & 1;
        t.frame_at_tip = k >> 1 & 1;
        t.step = k >> 2 ? 1e-4 : 1e-3;
        outcome o = spin_for(&t, 4.0);
        double nod = t.rough && !t.frame_at_tip ? 8.0 * t.step : nodding(&t);
        cr_expect_float_eq(o.rate, 1.0, 1e-3, "case %d: %g", k, o.rate);
        cr_expect_gt(o.lowest, -nod, "case %d: %g", k, o.lowest);
        cr_expect_lt(o.highest, nod, "case %d: %g", k, o.highest);
    }
}

// The forecast is part of the state: what is restored goes on as what was saved.
Test(top, goes_on_from_a_snapshot) {
    fixture f = set_up(&usual);
    ts_snapshot snapshot = {0};
    ts_status status;
    fixture_run(&f, 50);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    fixture_run(&f, 50);
    uint64_t hash = ts_sim_hash(f.sim);
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
    fixture_run(&f, 50);
    cr_expect_eq(ts_sim_hash(f.sim), hash);
    ts_sim_reset(f.sim);
    fixture_run(&f, 100);
    cr_expect_eq(ts_sim_hash(f.sim), hash);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

// The way of the centre of mass in a step, along the floor.
static ts_vec3 way_of_centre(fixture* f) {
    ts_vec3 from = f->sim->kinematics.body_centre[1];
    fixture_run(f, 1);
    ts_sim_energy(f->sim);  // places all bodies
    ts_vec3 way = ts_vec3_sub(f->sim->kinematics.body_centre[1], from);
    return ts_vec3_make(way.x, way.y, 0.0);
}

// A top that is pulled off the floor: its centre of mass goes on as it went, though its velocity belonged to the middle of steps.
Test(top, takes_off_as_it_went) {
    fixture f = set_up(&usual);
    fixture_run(&f, 199);
    ts_sim_energy(f.sim);
    ts_vec3 before = way_of_centre(&f);
    f.sim->wrench_applied[1].force = ts_vec3_make(0.0, 0.0, 1.5 * usual.mass * gravity);
    fixture_run(&f, 100);
    cr_expect_eq(f.sim->contact_count, 0);
    cr_expect_gt(ts_kinematics_geom(&f.sim->kinematics, 1)->p.z, 0.01);
    ts_sim_energy(f.sim);
    ts_vec3 after = way_of_centre(&f);
    cr_expect_lt(ts_vec3_distance(after, before), 0.01 * ts_vec3_norm(before), "%g of %g",
                 ts_vec3_distance(after, before), ts_vec3_norm(before));
    fixture_end(&f);
}
