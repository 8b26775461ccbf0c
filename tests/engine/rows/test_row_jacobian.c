// Rows over the degrees of freedom of a tree against the velocities they read.
#include "engine/rows/row_source_internal.h"

#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { DOFS = 64 };

// Empty rows over a body's tree.
static ts_row_piece piece_of_body(const ts_sim* sim, int body, double* J) {
    const ts_kinematic_tree* tree = &sim->model->tree[sim->model->body[body].tree];
    cr_assert_leq(tree->dof_count, DOFS);
    memset(J, 0, TS_ROW_LANES_MOST * DOFS * sizeof *J);
    ts_row_piece piece = {.rows = TS_BLOCK_ROWS_MAX,
                          .tree = sim->model->body[body].tree,
                          .dof_first = tree->dof_first,
                          .dof_count = tree->dof_count,
                          .J = J};
    return piece;
}

static double times_qvel(const ts_sim* sim, const ts_row_piece* piece, int row) {
    double sum = 0.0;
    for (int d = 0; d < piece->dof_count; ++d) sum += ts_row_entry(piece, row, d) * sim->qvel[piece->dof_first + d];
    return sum;
}

// Two points and one turn in the same rows: what comes later adds to what is there, also on a lone free body, whose first
// addend is written in place.
Test(row_jacobian, rows_add_up_velocities_of_points_and_bodies) {
    double J[TS_ROW_LANES_MOST * DOFS];
    for (uint64_t seed = 21; seed <= 23; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_sim_update_kinematics(f.sim);
        ts_rng rng = ts_rng_make(seed, 1);
        for (int b = 1; b < f.model->body_count; ++b) {
            if (f.model->body[b].tree < 0) continue;
            ts_row_piece piece = piece_of_body(f.sim, b, J);
            ts_row_jacobian rows = {.sim = f.sim, .piece = &piece, .piece_count = 1};
            ts_vec3 point[2], direction[3];
            for (int k = 0; k < 2; ++k)
                point[k] = ts_vec3_add(f.sim->kinematics.body_pose[b].p, fixture_random_vec3(&rng, 0.5));
            for (int r = 0; r < 3; ++r) direction[r] = fixture_random_vec3(&rng, 1.0);
            // Rows 1 to 3 get the first point, 2 to 4 the second, 0 to 2 the turn.
            ts_row_add_point(&rows, 1, 3, b, point[0], direction, -1.0);
            ts_row_add_point(&rows, 2, 3, b, point[1], direction, 2.0);
            ts_row_add_turn(&rows, 0, 3, b, direction, 1.0);
            ts_vec3 v[2], turn = f.sim->kinematics.body_velocity[b].angular;
            for (int k = 0; k < 2; ++k)
                v[k] = ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, b, point[k]);
            for (int r = 0; r < 5; ++r) {
                double expected = r < 3 ? ts_vec3_dot(direction[r], turn) : 0.0;
                if (r >= 1 && r < 4) expected -= ts_vec3_dot(direction[r - 1], v[0]);
                if (r >= 2) expected += 2.0 * ts_vec3_dot(direction[r - 2], v[1]);
                cr_assert_float_eq(times_qvel(f.sim, &piece, r), expected, 1e-12, "body %d, row %d", b, r);
            }
        }
        fixture_end(&f);
    }
}

Test(row_jacobian, a_row_of_one_degree_of_freedom) {
    double J[TS_ROW_LANES_MOST * DOFS];
    fixture f = fixture_menagerie(21);
    for (int d = 0; d < f.model->nv; ++d) {
        ts_row_piece piece = piece_of_body(f.sim, f.model->dof[d].body, J);
        ts_row_jacobian rows = {.sim = f.sim, .piece = &piece, .piece_count = 1};
        ts_row_add_dof(&rows, 0, d, 3.0);
        ts_row_add_dof(&rows, 0, d, -1.0);
        cr_assert_float_eq(times_qvel(f.sim, &piece, 0), 2.0 * f.sim->qvel[d], 1e-15);
    }
    fixture_end(&f);
}
