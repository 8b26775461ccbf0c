// Contacts as a source of rows: reference velocities by their table, and what does not bounce.
#include "engine/rows/contact_internal.h"

#include "tests/engine/engine_fixture.h"

static ts_options plain(void) {
    ts_options options = ts_options_default();
    options.time_step = 0.01;
    options.baumgarte = 0.2;
    options.slop = 1e-3;
    options.push_out_speed = 0.5;
    options.restitution_speed = 0.1;
    return options;
}

static double reference(double gap, double e, double now, double unhindered, int was_closed, int* out_bounces) {
    ts_options options = plain();
    ts_reference_input input = {gap, e, now, unhindered, was_closed};
    return ts_contact_reference(&options, &input, out_bounces);
}

Test(contact_rows, reference_velocity_by_its_table) {
    int bounces;
    // Open: the gap may close, no more. Nothing bounces without restitution, or when the gap stays open.
    cr_assert_float_eq(reference(0.004, 0.0, -3.0, -3.1, 0, &bounces), -0.4, 1e-15);
    cr_assert_eq(bounces, 0);
    cr_assert_float_eq(reference(0.05, 0.5, -3.0, -3.1, 0, &bounces), -5.0, 1e-15);
    cr_assert_eq(bounces, 0);
    // Open but closing within the step: rebound at e |c| alone, no gap / h in the sum.
    cr_assert_float_eq(reference(0.004, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    // Only the pull of this step closes it: the rebound still follows the speed it has now.
    cr_assert_float_eq(reference(0.0305, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    // Closed: slop is left alone, the rest pushed out, not faster than allowed.
    cr_assert_float_eq(reference(-0.0005, 0.0, 0.0, -0.1, 1, &bounces), 0.0, 0.0);
    cr_assert_float_eq(reference(-0.003, 0.0, 0.0, -0.1, 1, &bounces), 0.2 / 0.01 * 0.002, 1e-15);
    cr_assert_float_eq(reference(-0.3, 0.0, 0.0, -0.1, 1, &bounces), 0.5, 0.0);
    // Restitution and push-out: the larger, never the sum.
    cr_assert_float_eq(reference(-0.003, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    cr_assert_float_eq(reference(-0.3, 0.1, -3.0, -3.1, 0, &bounces), 0.5, 1e-15);
    // Old contacts and slow ones do not bounce.
    cr_assert_float_eq(reference(-0.0005, 0.5, -3.0, -3.1, 1, &bounces), 0.0, 0.0);
    cr_assert_eq(bounces, 0);
    cr_assert_float_eq(reference(-0.0005, 0.5, -0.09, -0.2, 0, &bounces), 0.0, 0.0);
    cr_assert_eq(bounces, 0);
}

Test(contact_rows, bounce_threshold) {
    ts_options options = plain();
    cr_assert_float_eq(ts_contact_bounce_threshold(&options), 0.1, 0.0);
    options.restitution_speed = 0.0;
    cr_assert_float_eq(ts_contact_bounce_threshold(&options), 2.0 * 9.81 * 0.01, 1e-15);
    options.gravity = ts_vec3_zero();
    cr_assert_float_eq(ts_contact_bounce_threshold(&options), 0.01 * options.push_out_speed, 1e-18);
}
