// Rows side by side against what they must satisfy: M (L^-T j) products, speeds by brute force, and the twin for any machine.
#include "base/linear/dense.h"
#include "base/scalar.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/rows/row_lanes_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { DOFS = 64, ROWS = 6 };

// Random rows over the chain of a dof, or over the whole tree (last < 0); off it zero.
static void fill(const fixture* f, const ts_kinematic_tree* tree, int last, int rows, ts_rng* rng,
                 double row[ROWS][DOFS], double* J) {
    memset(row, 0, ROWS * DOFS * sizeof(double));
    memset(J, 0, ts_row_lanes_size(rows, tree->dof_count) * sizeof(double));
    for (int d = last < 0 ? tree->dof_first + tree->dof_count - 1 : last; d >= tree->dof_first;
         d = last < 0 ? d - 1 : f->model->dof[d].parent) {
        for (int r = 0; r < rows; ++r) {
            row[r][d - tree->dof_first] = ts_rng_normal(rng);
            J[ts_row_lanes_at(tree->dof_count, r, d - tree->dof_first)] = row[r][d - tree->dof_first];
        }
    }
}

// The segments of that chain, leaves first, or one over the tree.
static int segments_of(const fixture* f, const ts_kinematic_tree* tree, int last, ts_delassus_segment* out) {
    int count = 0;
    if (last < 0) out[count++] = (ts_delassus_segment){tree->dof_first, tree->dof_count, NULL, NULL};
    for (int d = last; d >= 0; d = f->model->dof[f->model->dof[d].run].parent) {
        int run = f->model->dof[d].run;
        out[count++] = (ts_delassus_segment){run, d - run + 1, NULL, NULL};
    }
    return count;
}

static void check(const fixture* f, int t, int last, int rows, ts_rng* rng) {
    const ts_sim* sim = f->sim;
    const ts_kinematic_tree* tree = &f->model->tree[t];
    int n = tree->dof_count, at = 0;
    double row[ROWS][DOFS], white[ROWS][DOFS] = {{0.0}}, J[TS_ROW_LANES_MOST * DOFS], twin[TS_ROW_LANES_MOST * DOFS];
    double stored[2][ROWS * DOFS] = {{0.0}}, now[2][ROWS] = {{0.0}}, free[2][ROWS] = {{0.0}};
    ts_delassus_segment segment[DOFS];
    fill(f, tree, last, rows, rng, row, J);
    memcpy(twin, J, sizeof J);
    ts_row_lanes lanes = {sim->model,
                          J,
                          rows,
                          tree->dof_first,
                          n,
                          sim->mass_factor + sim->mass_start[t],
                          ts_sim_inverse_diagonal(sim, t),
                          segment,
                          segments_of(f, tree, last, segment),
                          sim->qvel + tree->dof_first,
                          sim->free_velocity + tree->dof_first};
    ts_row_lanes_close(&lanes, now[0], free[0], stored[0]);
    lanes.J = twin;
    ts_row_lanes_close_narrow(&lanes, now[1], free[1], stored[1]);
    cr_assert_arr_eq(stored[0], stored[1], sizeof stored[0]);
    cr_assert_arr_eq(now[0], now[1], sizeof now[0]);
    cr_assert_arr_eq(free[0], free[1], sizeof free[0]);
    for (int s = 0; s < lanes.segments; ++s)
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < segment[s].count; ++k)
                white[r][segment[s].column - tree->dof_first + k] = stored[0][at++];
    for (int r = 0; r < rows; ++r) {
        double inverse[DOFS], back[DOFS];
        cr_assert_float_eq(now[0][r], ts_dot(row[r], lanes.now, n), 1e-12);
        cr_assert_float_eq(free[0][r], ts_dot(row[r], lanes.free, n), 1e-11);
        // L^-1 of it is M^-1 j, and M of that j again.
        memcpy(inverse, white[r], sizeof inverse);
        ts_dynamics_unwhiten(sim, t, inverse);
        ts_dense_apply(sim->mass_matrix + sim->mass_start[t], n, n, n, inverse, back);
        for (int d = 0; d < n; ++d) cr_assert_float_eq(back[d], row[r][d], 1e-10, "row %d, dof %d", r, d);
    }
}

Test(row_lanes, whiten_and_store_what_chains_have) {
    for (uint64_t seed = 6; seed < 12; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_sim_update_kinematics(f.sim);
        cr_assert_eq(ts_dynamics_update(f.sim), -1);
        ts_rng rng = ts_rng_make(seed, 3);
        for (int t = 0; t < f.model->tree_count; ++t) {
            const ts_kinematic_tree* tree = &f.model->tree[t];
            if (tree->kind != TS_TREE_GENERAL) continue;
            for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d)
                for (int rows = 1; rows <= ROWS; ++rows) check(&f, t, d, rows, &rng);
            check(&f, t, -1, 3, &rng);
        }
        fixture_end(&f);
    }
}

// Sums of six components, segment by segment, in segments of every length up to three vectors.
Test(row_lanes, combine_is_a_sum_of_components) {
    enum { LONGEST = 12, COMPONENTS = 6, COLUMNS = LONGEST * (LONGEST + 1) / 2 };
    ts_rng rng = ts_rng_make(9, 4);
    ts_delassus_segment segment[LONGEST];
    double component[COMPONENTS * COLUMNS], wrench[COMPONENTS * ROWS], here[ROWS * COLUMNS], anywhere[ROWS * COLUMNS];
    for (int s = 0; s < LONGEST; ++s) segment[s] = (ts_delassus_segment){0, s + 1, NULL, NULL};
    for (int i = 0; i < COMPONENTS * COLUMNS; ++i) component[i] = ts_rng_normal(&rng);
    for (int i = 0; i < COMPONENTS * ROWS; ++i) wrench[i] = ts_rng_normal(&rng);
    for (int rows = 1; rows <= ROWS; ++rows) {
        ts_row_lanes_mix mix = {segment, LONGEST, component, wrench, rows};
        const double *from = component, *to = here;
        ts_row_lanes_combine(&mix, here);
        ts_row_lanes_combine_narrow(&mix, anywhere);
        cr_assert_arr_eq(here, anywhere, (size_t)(rows * COLUMNS) * sizeof(double));
        for (int s = 0; s < LONGEST; from += COMPONENTS * (s + 1), to += rows * (s + 1), ++s)
            for (int r = 0; r < rows; ++r)
                for (int d = 0; d <= s; ++d) {
                    double sum = 0.0;
                    for (int k = 0; k < COMPONENTS; ++k) sum += wrench[COMPONENTS * r + k] * from[k * (s + 1) + d];
                    cr_assert_float_eq(to[r * (s + 1) + d], sum, 1e-14, "%d rows, row %d of %d columns", rows, r,
                                       s + 1);
                }
    }
}

static void fill_normal(ts_rng* rng, double* x, int count) {
    for (int i = 0; i < count; ++i) x[i] = ts_rng_normal(rng);
}

// Three rows over a centred body: the bits of one row after the other.
Test(row_lanes, three_rows_of_a_lone_body_are_three_times_one) {
    enum { ROWS_OF_CONTACT = 3, SIX = 6 };
    ts_rng rng = ts_rng_make(10, 5);
    for (int trial = 0; trial < 200; ++trial) {
        double q[4], M[SIX * SIX] = {0.0}, inverse[SIX], v[2][SIX], direction[9], lever[3];
        double speed[3][2][TS_ROW_LANES], rows[3][ROWS_OF_CONTACT * SIX];
        fill_normal(&rng, q, 4);
        fill_normal(&rng, &v[0][0], 2 * SIX);
        fill_normal(&rng, direction, 9);
        fill_normal(&rng, lever, 3);
        fill_normal(&rng, &speed[0][0][0], 2 * TS_ROW_LANES);
        memcpy(speed[1], speed[0], sizeof speed[0]);
        memcpy(speed[2], speed[0], sizeof speed[0]);
        for (int i = 0; i < SIX; ++i) M[7 * i] = i < 3 ? 2.0 : 3.0 + i;
        M[27] = 0.3, M[33] = -0.2, M[34] = 0.4;
        cr_assert(ts_free_body_factor_centred(M, inverse));
        ts_transform pose = {ts_quat_to_mat3(ts_quat_normalize(ts_quat_load(q))), ts_vec3_zero()};
        ts_vec3 along[3] = {ts_vec3_load(direction), ts_vec3_load(direction + 3), ts_vec3_load(direction + 6)};
        ts_mat3 frame = ts_mat3_from_columns(along[0], along[1], along[2]);
        double sign = trial % 2 ? 1.0 : -1.0;
        ts_row_lanes_lone by = {&pose, ts_vec3_load(lever), &frame, sign, M, inverse, v[0], v[1]};
        ts_row_lanes_three(&by, 1, speed[0][0], speed[0][1], rows[0]);
        ts_row_lanes_three_narrow(&by, 1, speed[1][0], speed[1][1], rows[1]);
        for (int r = 0; r < ROWS_OF_CONTACT; ++r) {
            double* one = rows[2] + SIX * r;
            ts_free_body_row(&pose, by.point, ts_vec3_scale(sign, along[r]), one);
            for (int k = 0; k < 2; ++k)
                speed[2][k][r] += ((one[0] * v[k][0] + one[1] * v[k][1]) + (one[2] * v[k][2] + one[3] * v[k][3])) +
                                  (one[4] * v[k][4] + one[5] * v[k][5]);
            ts_free_body_whiten_centred(M, inverse, one);
        }
        for (int way = 0; way < 2; ++way) {
            cr_assert_arr_eq(speed[way], speed[2], sizeof speed[2], "speeds, trial %d, way %d", trial, way);
            cr_assert_arr_eq(rows[way], rows[2], sizeof rows[2], "rows, trial %d, way %d", trial, way);
        }
    }
}
