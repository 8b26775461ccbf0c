// Walks over trees that are compiled twice: what this machine runs gives the same bits as what every machine can run.
#include "engine/dynamics/crba_walk_internal.h"
#include "engine/dynamics/inverse_derivative_walk_internal.h"
#include "engine/dynamics/kinematics_walk_internal.h"
#include "engine/dynamics/rnea_walk_internal.h"
#include "engine/dynamics/tree_factor_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { DOFS = 64, BODIES = 64 };

// What the walk of kinematics writes.
typedef struct motion_table {
    ts_motion axis[DOFS], velocity[BODIES], bias[BODIES];
    ts_inertia inertia[BODIES];
} motion_table;

static void keep(const fixture* f, motion_table* out) {
    const ts_kinematics* k = &f->sim->kinematics;
    size_t bodies = (size_t)f->model->body_count;
    memset(out, 0, sizeof *out);
    memcpy(out->axis, k->dof_axis, (size_t)f->model->nv * sizeof(ts_motion));
    memcpy(out->velocity, k->body_velocity, bodies * sizeof(ts_motion));
    memcpy(out->bias, k->body_bias, bodies * sizeof(ts_motion));
    memcpy(out->inertia, k->body_inertia, bodies * sizeof(ts_inertia));
}

Test(walks, kinematics_have_one_set_of_bits) {
    static motion_table start, here, anywhere;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        cr_assert(f.model->nv <= DOFS && f.model->body_count <= BODIES);
        ts_sim_update_kinematics(f.sim);
        keep(&f, &start);
        for (int t = 0; t < f.model->tree_count; ++t) ts_kinematics_walk(f.model, t, &f.sim->kinematics);
        keep(&f, &here);
        // The walk carries axes on: from the same place again.
        memcpy(f.sim->kinematics.dof_axis, start.axis, (size_t)f.model->nv * sizeof(ts_motion));
        for (int t = 0; t < f.model->tree_count; ++t) ts_kinematics_walk_narrow(f.model, t, &f.sim->kinematics);
        keep(&f, &anywhere);
        cr_assert_arr_eq(&here, &anywhere, sizeof here);
        fixture_end(&f);
    }
}

// Poses of the last update, and what has to be as before when they are found again.
Test(walks, poses_have_one_set_of_bits) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_kinematics *k = &f.sim->kinematics, before = *k;
        ts_sim_update_kinematics(f.sim);
        size_t bodies = (size_t)f.model->body_count * sizeof(ts_transform),
               geoms = (size_t)f.model->geom_count * sizeof(ts_transform),
               anchors = (size_t)f.model->joint_count * sizeof(ts_vec3),
               centres = (size_t)f.model->body_count * sizeof(ts_vec3);
        ts_transform* body = (ts_transform*)calloc(1, bodies + geoms);
        ts_vec3* point = (ts_vec3*)calloc(1, anchors + centres);
        cr_assert(body && point);
        k->body_pose = body;
        k->geom_pose = body + f.model->body_count;
        k->joint_anchor = point;
        k->body_centre = point + f.model->joint_count;
        for (int b = 0; b < f.model->body_count; ++b) ts_kinematics_poses_narrow(f.model, &b, 1, f.sim->qpos, k);
        cr_assert_arr_eq(k->body_pose, before.body_pose, bodies);
        cr_assert_arr_eq(k->geom_pose, before.geom_pose, geoms);
        cr_assert_arr_eq(k->joint_anchor, before.joint_anchor, anchors);
        cr_assert_arr_eq(k->body_centre, before.body_centre, centres);
        *k = before;
        free(body);
        free(point);
        fixture_end(&f);
    }
}

Test(walks, inverse_dynamics_has_one_set_of_bits) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_rng rng = ts_rng_make(seed, 5);
        double velocity[DOFS], acceleration[DOFS], here[DOFS], anywhere[DOFS];
        ts_sim_update_kinematics(f.sim);
        for (int d = 0; d < f.model->nv; ++d) {
            velocity[d] = ts_rng_normal(&rng);
            acceleration[d] = ts_rng_normal(&rng);
        }
        for (int t = 0; t < f.model->tree_count; ++t) {
            const ts_kinematic_tree* tree = &f.model->tree[t];
            for (int asked = 0; tree->kind == TS_TREE_GENERAL && asked < 4; ++asked) {
                ts_rnea_walk walk = {f.model,
                                     &f.sim->kinematics,
                                     f.sim->options.gravity,
                                     t,
                                     asked & 1 ? velocity + tree->dof_first : NULL,
                                     asked & 2 ? acceleration + tree->dof_first : NULL,
                                     &ts_sim_storage_of(f.sim)->tree_scratch};
                ts_rnea_walk_run(&walk, here);
                ts_rnea_walk_narrow(&walk, anywhere);
                cr_assert_arr_eq(here, anywhere, (size_t)tree->dof_count * sizeof(double));
            }
        }
        fixture_end(&f);
    }
}

// With accelerations and without, and where something is buoyant.
Test(walks, derivatives_of_inverse_dynamics_have_one_set_of_bits) {
    static double matrix[2][3][DOFS * DOFS];
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_arena arena = {0};
        ts_derivative_scratch scratch;
        double acceleration[DOFS];
        ts_rng rng = ts_rng_make(seed, 6);
        for (int d = 0; d < f.model->nv; ++d) acceleration[d] = ts_rng_normal(&rng);
        for (int b = 1; b < f.model->body_count; b += 3)
            ((ts_body*)f.model->body)[b].buoyancy = 0.3 * (double)(seed % 2);
        cr_assert(ts_derivative_scratch_create(f.model, &arena, &scratch));
        ts_sim_update_kinematics(f.sim);
        for (int t = 0; t < f.model->tree_count; ++t)
            for (int pushed = 0; pushed < 2; ++pushed) {
                ts_inverse_derivative_walk walk = {
                    f.model, &f.sim->kinematics,         f.sim->options.gravity,
                    t,       f.model->tree[t].dof_count, pushed ? acceleration + f.model->tree[t].dof_first : NULL,
                    &scratch};
                memset(matrix, 0, sizeof matrix);
                for (int k = 0; k < 2; ++k) {
                    ts_derivative_matrices out = {matrix[k][0], matrix[k][1], matrix[k][2]};
                    (k ? ts_inverse_derivative_walk_narrow : ts_inverse_derivative_walk_run)(&walk, &out);
                }
                cr_assert_arr_eq(matrix[0], matrix[1], sizeof matrix[0]);
            }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

Test(walks, inertia_and_factor_have_one_set_of_bits) {
    static double M[2][DOFS * DOFS], L[2][DOFS * DOFS], inverse[2][DOFS];
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_sim_update_kinematics(f.sim);
        for (int t = 0; t < f.model->tree_count; ++t) {
            int n = f.model->tree[t].dof_count;
            size_t bytes = (size_t)(n * n) * sizeof(double);
            if (f.model->tree[t].kind != TS_TREE_GENERAL) continue;
            ts_crba_walk walk = {f.model, &f.sim->kinematics, t, n, &ts_sim_storage_of(f.sim)->tree_scratch};
            ts_dof_chains chains = ts_dof_chains_of(f.model, t);
            memset(M, 0, sizeof M);
            memset(L, 0, sizeof L);
            ts_crba_walk_run(&walk, M[0]);
            ts_crba_walk_narrow(&walk, M[1]);
            cr_assert_arr_eq(M[0], M[1], bytes);
            cr_assert(ts_tree_factor_tiles(&chains, n, M[0], L[0], inverse[0]));
            cr_assert(ts_tree_factor_tiles_narrow(&chains, n, M[0], L[1], inverse[1]));
            cr_assert_arr_eq(L[0], L[1], bytes);
            cr_assert_arr_eq(inverse[0], inverse[1], (size_t)n * sizeof(double));
            double row[2][DOFS];
            for (int i = 0; i < n; ++i) row[0][i] = row[1][i] = M[0][i] + 0.1 * i;
            ts_tree_factor_whiten_one(&chains, n, L[0], inverse[0], row[0]);
            ts_tree_factor_whiten_one_narrow(&chains, n, L[0], inverse[0], row[1]);
            cr_assert_arr_eq(row[0], row[1], (size_t)n * sizeof(double));
            ts_tree_factor_unwhiten_one(&chains, n, L[0], inverse[0], row[0]);
            ts_tree_factor_unwhiten_one_narrow(&chains, n, L[0], inverse[0], row[1]);
            cr_assert_arr_eq(row[0], row[1], (size_t)n * sizeof(double));
            for (int rows = 2; rows <= TS_TREE_LANES; ++rows) {
                double x[2][TS_TREE_LANES * DOFS], alone[TS_TREE_LANES * DOFS];
                for (int i = 0; i < rows * n; ++i) alone[i] = x[0][i] = x[1][i] = M[0][i % (n * n)] + 0.1 * i;
                ts_tree_factor_unwhiten_few(&chains, n, L[0], inverse[0], rows, x[0]);
                ts_tree_factor_unwhiten_narrow(&chains, n, L[0], inverse[0], rows, x[1]);
                cr_assert_arr_eq(x[0], x[1], (size_t)(rows * n) * sizeof(double));
                for (int r = 0; r < rows; ++r) ts_tree_factor_unwhiten(f.model, t, L[0], inverse[0], 1, alone + r * n);
                for (int i = 0; i < rows * n; ++i) cr_assert_float_eq(x[0][i], alone[i], 1e-9 * (1.0 + fabs(alone[i])));
            }
            // What lies above the diagonal is nobody's.
            for (int i = 0; i < n; ++i)
                for (int j = i + 1; j < n; ++j) cr_assert_eq(L[0][i * n + j], 0.0);
        }
        fixture_end(&f);
    }
}
