// The law of rows that hold things together: connections, gears.
//
// Problem: an error phi (rows) with J v = phi' shall vanish and stay away.
// Rule: u = J v - c* + R lambda = 0 with c* = -phi / h - h / 2 (dJ/dt) v, no faster than push_out_speed. The whole error goes in a step, not
// the share that overlaps go by: phi(q + h v) = phi + h J v + h^2 / 2 (dJ/dt) v + O(h^3), so that what is left after a step is
// of third order in it and adds up to nothing (a crank of 0.1 m at half a turn a second, h = 1 ms: 3e-9 m; with a share of
// a fifth 2e-8 m). R is a give of a millionth of the largest G_ii, of points and of turns apart: at a dead centre of a linkage
// rows contradict each other (a limit asks a rod for what it cannot give), and without any give the answer is impulses that
// throw the machine away. Under a load of one weight it costs R h^2 m g, 4e-11 m at h = 2 ms.
// Where joints let points move in some direction as if they had far more mass than their tree (an arm almost stretched, tied to a place out of its
// reach), that part of the error asks for no more speed than the tree's mass has with the energy that it has at push_out_speed: the part
// along an eigenvector of G, of eigenvalue l, for |c*| <= push_out_speed sqrt(l m). Else what is left of an error of a hand's breadth makes an arm of
// 120 kg 20 kJ. Turns likewise.
// Where the softness of the model is in force, MuJoCo's law instead: impedance by |phi|, then row by row as contacts, and the
// acceleration that is asked for less (dJ/dt) v.
// Known to differ from MuJoCo then: as soft contacts do (soft_contact.c).
// Known to fail: where a stop and a tie ask for motions that contradict each other at a dead centre, the impulse is what they
// differ by over R. Cassie's rods bear 2 MN each for its first 0.11 s: with two stops the rows of a rod are dependent up to
// 1e-12, and what such impulses do to velocities is known to 1e-12 m/s only.
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"

#include <math.h>

// 1: R of a tie against its largest G_ii. Cassie dropped from its reference pose, where the rods of its shins are at a dead
// centre and its knees outside of their range, under ncp, after 1 s: up to 1e-10 it is not finite, 1e-8 leaves 30 J of
// kinetic energy, 1e-7 to 1e-5 about 1 J.
static const double give = 1e-6;

double ts_row_polynomial(const ts_equality* equality, double x, double* out_slope) {
    double value = 0.0;
    *out_slope = 0.0;
    for (int k = TS_EQUALITY_COEFFICIENTS - 1; k >= 0; --k) {
        *out_slope = *out_slope * x + value;
        value = value * x + equality->coefficient[k];
    }
    return value;
}

static int is_turn(const ts_row_tie* tie, int row) { return tie->turn_first > 0 && row >= tie->turn_first; }

// Slows down what three rows ask for along directions that hardly move: see above.
static void limit_energy(const ts_sim* sim, const ts_row_law* law, int row, double stiffest) {
    ts_vec3 c = ts_vec3_load(law->reference + row);
    double mass = ts_row_lightest(law->J), speed = sim->options.push_out_speed;
    // What gives by R has no less a G than that.
    if (!(ts_vec3_dot(c, c) > give * stiffest * mass * speed * speed)) return;
    ts_mat3 G = ts_row_products(law->J, row), axes;
    ts_vec3 value, left = c;
    ts_mat3_eigen_symmetric(&G, &value, &axes);
    for (int i = 0; i < 3; ++i) {
        ts_vec3 axis = ts_mat3_column(&axes, i);
        double asked = ts_vec3_dot(axis, c), most = speed * sqrt(fmax(ts_vec3_get(value, i), give * stiffest) * mass);
        if (fabs(asked) <= most) continue;
        left = ts_vec3_add_scaled(left, copysign(most, asked) - asked, axis);
        *law->slowed = 1;
    }
    ts_vec3_store(left, law->reference + row);
}

void ts_row_tie_law(const ts_sim* sim, int rows, const ts_row_tie* tie, const ts_row_law* law) {
    double squared = 0.0, stiffest[2] = {0.0, 0.0}, h = sim->options.time_step;
    for (int r = 0; r < rows; ++r) squared += tie->error[r] * tie->error[r];
    double size = sqrt(squared), share = 0.0;
    if (size > 0.0)
        share = fmin(1.0 / h, (tie->turns ? sim->options.push_out_turn : sim->options.push_out_speed) / size);
    if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL && !law->rigid) {
        double d = ts_mujoco_impedance(tie->softness->solimp, size);
        for (int r = 0; r < rows; ++r) {
            ts_mujoco_row(tie->softness, d, is_turn(tie, r) ? tie->turn_weight : tie->weight, tie->error[r],
                          law->speeds->now[r], h, &law->R[r], &law->reference[r]);
            law->reference[r] -= h * tie->bias[r];
        }
        return;
    }
    for (int r = 0; r < rows; ++r)
        stiffest[is_turn(tie, r)] = fmax(stiffest[is_turn(tie, r)], ts_row_squared(law->J, r));
    for (int r = 0; r < rows; ++r) {
        law->reference[r] = -share * tie->error[r];
        law->R[r] = give * stiffest[is_turn(tie, r)];
    }
    for (int r = 0; r + 3 <= rows; r += 3) limit_energy(sim, law, r, stiffest[is_turn(tie, r)]);
    for (int r = 0; r < rows; ++r) law->reference[r] -= 0.5 * h * tie->bias[r];
}
