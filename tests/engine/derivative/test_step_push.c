// Derivatives of steps whose push-outs are slowed down, or give way: a ball without friction that overlaps both sides of a groove, each `angle` from the vertical.
#include "engine/derivative/step_derivative.h"

#include "tests/engine/groove_fixture.h"

static const double h = 0.002, mass = 2.0;

// The Jacobian (12 x 18) by position, velocity and force, NULL where it is refused; the report is *out's.
static const double* take(ts_sim* sim, ts_step_method method, ts_arena* arena, ts_step_derivative* out,
                          ts_status* out_status) {
    const ts_step_input input[] = {ts_step_input_all(sim->model, TS_STEP_BY_POSITION),
                                   ts_step_input_all(sim->model, TS_STEP_BY_VELOCITY),
                                   ts_step_input_all(sim->model, TS_STEP_BY_FORCE)};
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = method;
    if (ts_step_derivative_make(sim, &settings, input, 3, arena, out, out_status)) return NULL;
    double* matrix = TS_ARENA_ARRAY(arena, double, out->rows * out->columns);
    cr_assert(matrix && ts_step_derivative_matrix(out, arena, matrix) == TS_OK);
    return matrix;
}

// At 20 degrees it would have to rise three times as fast as it is asked to and goes twice as fast: that share goes by the solve. Equations say that they do not know it;
// differences do: v = 2 b (overlap - z sin(angle) - slop) / h, whatever it is pulled with.
Test(step_push, what_is_slowed_down_is_refused_and_differences_know_it) {
    double angle = 20.0 * TS_PI / 180.0, overlap = 2e-4;
    fixture f = ball_in_a_groove(h, angle, overlap, "ncp");
    const ts_options* o = &f.sim->options;
    cr_assert_lt(o->baumgarte * (overlap - o->slop) / h, 0.5 * o->push_out_speed);
    ts_arena arena = {0};
    ts_step_derivative d;
    ts_status status;
    cr_expect_null(take(f.sim, TS_STEP_IMPLICIT, &arena, &d, &status));
    cr_expect_eq(status.code, TS_ERROR_UNSUPPORTED);
    cr_expect_eq(d.report.verdict, TS_STEP_UNSUPPORTED);
    cr_expect(strstr(d.report.reason, "pushed out more slowly"), "%s", d.report.reason);
    const double* J = take(f.sim, TS_STEP_DIFFERENCE, &arena, &d, &status);
    cr_assert_not_null(J, "%s", status.message);
    double wanted = -2.0 * o->baumgarte / h * sin(angle);
    cr_expect_float_eq(J[8 * 18 + 2], wanted, 1e-5 * fabs(wanted), "%g for %g", J[8 * 18 + 2], wanted);
    cr_expect_float_eq(J[8 * 18 + 14], 0.0, 1e-6 * h / mass, "%g", J[8 * 18 + 14]);
    ts_arena_free(&arena);
    fixture_end(&f);
}

// Where it begins to be slowed down, and where it is no longer pushed at all, is a kink and a jump.
Test(step_push, where_it_begins_is_told) {
    static const struct {
        double sine;  // of the angle
        int told;
    } cases[] = {{0.5, 1}, {0.5 * (1.0 + 1e-14), 1}, {0.52, 0}, {0.6, 0}};
    for (int i = 0; i < 4; ++i) {
        fixture f = ball_in_a_groove(h, asin(cases[i].sine), 2e-4, "ncp");
        ts_arena arena = {0};
        ts_step_derivative d;
        ts_status status;
        f.sim->force_applied[2] = -1.0;
        take(f.sim, TS_STEP_IMPLICIT, &arena, &d, &status);
        cr_expect_eq(d.report.verdict != TS_STEP_REGULAR, cases[i].told, "sine %.17g: %s, %s", cases[i].sine,
                     ts_step_verdict_name(d.report.verdict), d.report.reason);
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

// At 2 degrees it would take 28 times as much speed: it is not pushed at all. Pressed down it stays, wherever it is.
Test(step_push, what_gives_way_has_no_slope_of_its_push) {
    fixture f = ball_in_a_groove(h, 2.0 * TS_PI / 180.0, 2e-4, "ncp");
    f.sim->force_applied[2] = -1.0;
    ts_arena arena = {0};
    ts_step_derivative d;
    ts_status status;
    const double* J = take(f.sim, TS_STEP_IMPLICIT, &arena, &d, &status);
    cr_assert_not_null(J, "%s", status.message);
    cr_assert_eq(f.sim->problem.block_count, 2);
    for (int b = 0; b < 2; ++b) cr_assert_eq(f.sim->row_block[b].blocked, TS_ROW_CONTRADICTED);
    cr_expect_eq(d.report.verdict, TS_STEP_REGULAR, "%s", d.report.reason);
    for (int c = 0; c < 3; c += 2) {
        cr_expect_float_eq(J[6 * 18 + c], 0.0, 1e-6, "dvx by %d: %g", c, J[6 * 18 + c]);
        cr_expect_float_eq(J[8 * 18 + c], 0.0, 1e-6, "dvz by %d: %g", c, J[8 * 18 + c]);
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}
