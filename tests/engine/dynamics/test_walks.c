// Walks over trees that are compiled twice: what this machine runs gives the same bits as what every machine can run.
#include "engine/dynamics/crba_walk_internal.h"
#include "engine/dynamics/inverse_derivative_walk_internal.h"
#include "engine/dynamics/kinematics_walk_internal.h"
#include "engine/dynamics/rnea_walk_internal.h"
#include "engine/dynamics/tree_factor_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { DOFS = 64, BODIES = 64 };

// What kinematics write.
typedef struct motion_table {
    ts_transform body[BODIES], geom[BODIES];
    ts_vec3 centre[BODIES], anchor[DOFS], origin[BODIES];
    ts_motion axis[DOFS], velocity[BODIES], bias[BODIES];
    ts_inertia inertia[BODIES];
} motion_table;

// Copies what is there and puts rubbish in its place.
static void take(void* to, void* from, size_t bytes) {
    memcpy(to, from, bytes);
    memset(from, 0xff, bytes);
}

static void take_all(const ts_model* model, ts_kinematics* k, motion_table* out) {
    memset(out, 0, sizeof *out);
    // A lone body's follow from its pose.
    for (int d = 0; d < model->nv; ++d) out->axis[d] = ts_kinematics_axis(model, k, d);
    for (int t = 0; t < model->tree_count; ++t) out->origin[t] = ts_kinematics_origin(model, k, t);
    for (int j = 0; j < model->joint_count; ++j) out->anchor[j] = ts_kinematics_anchor(model, k, j);
    for (int b = 0; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        // What hangs on the world only is placed once.
        if (body->tree < 0) continue;
        out->inertia[b] = ts_kinematics_inertia(model, k, b);
        if (model->tree[body->tree].kind == TS_TREE_GENERAL) memset(&k->body_inertia[b], 0xff, sizeof *k->body_inertia);
        // Geoms that lie as the body does have its pose.
        for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) {
            out->geom[g] = *ts_kinematics_geom(k, g);
            if (k->geom_place[g] != b) memset(&k->body_pose[k->geom_place[g]], 0xff, sizeof *k->body_pose);
        }
        take(&out->body[b], &k->body_pose[b], sizeof *out->body);
        take(&out->centre[b], &k->body_centre[b], sizeof *out->centre);
        out->bias[b] = ts_kinematics_bias(model, k, b);
        if (model->tree[body->tree].kind == TS_TREE_GENERAL) memset(&k->body_bias[b], 0xff, sizeof *k->body_bias);
        take(&out->velocity[b], &k->body_velocity[b], sizeof *out->velocity);
    }
    memset(k->joint_anchor, 0xff, (size_t)k->anchor_count * sizeof *k->joint_anchor);
    memset(k->own_axis + k->axis_first, 0xff, (size_t)k->axis_count * sizeof *k->own_axis);
    memset(k->dof_velocity, 0xff, (size_t)model->nv * sizeof(double));
}

Test(walks, kinematics_have_one_set_of_bits) {
    static motion_table here, anywhere;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_kinematics* k = &f.sim->kinematics;
        cr_assert(f.model->nv <= DOFS && f.model->body_count <= BODIES && f.model->geom_count <= BODIES);
        // Hinges of all quadrants, and one too far for the polynomials.
        for (int j = 0; j < f.model->joint_count; ++j)
            if (f.model->joint[j].type == TS_JOINT_HINGE)
                f.sim->qpos[f.model->joint[j].qpos_first] += j == 5 ? 3e7 : 1.7 * j - 9.0;
        ts_sim_update_kinematics(f.sim);
        take_all(f.model, k, &here);
        memcpy(k->dof_velocity, f.sim->qvel, (size_t)f.model->nv * sizeof(double));
        for (int t = 0; t < f.model->tree_count; ++t)
            ts_kinematics_walk_narrow(f.model, t, f.sim->qpos, TS_KINEMATICS_ALL, k);
        take_all(f.model, k, &anywhere);
        cr_assert_arr_eq(&here, &anywhere, sizeof here);
        fixture_end(&f);
    }
}

// Rubbish in what is not asked for does no harm, and what is asked for is what one gets with everything.
Test(walks, parts_of_kinematics_are_those_of_the_whole) {
    static motion_table whole, part;
    static const unsigned asked[] = {0,
                                     TS_KINEMATICS_AXES,
                                     TS_KINEMATICS_TWISTS,
                                     TS_KINEMATICS_BIAS,
                                     TS_KINEMATICS_INERTIAS,
                                     TS_KINEMATICS_GEOMS,
                                     TS_KINEMATICS_BIAS | TS_KINEMATICS_INERTIAS,
                                     TS_KINEMATICS_INERTIAS | TS_KINEMATICS_GEOMS};
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_kinematics* k = &f.sim->kinematics;
        ts_kinematics_update(f.model, f.sim->qpos, f.sim->qvel, k);
        take_all(f.model, k, &whole);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
            int twists = (asked[i] & TS_KINEMATICS_TWISTS) == TS_KINEMATICS_TWISTS;
            ts_kinematics_find(f.model, f.sim->qpos, twists ? f.sim->qvel : NULL, asked[i], k);
            take_all(f.model, k, &part);
            cr_assert_arr_eq(part.body, whole.body, sizeof part.body);
            cr_assert_arr_eq(part.centre, whole.centre, sizeof part.centre);
            cr_assert_arr_eq(part.anchor, whole.anchor, sizeof part.anchor);
            if (asked[i] & TS_KINEMATICS_AXES) {
                cr_assert_arr_eq(part.origin, whole.origin, sizeof part.origin);
                cr_assert_arr_eq(part.axis, whole.axis, sizeof part.axis);
            }
            if (twists) cr_assert_arr_eq(part.velocity, whole.velocity, sizeof part.velocity);
            if ((asked[i] & TS_KINEMATICS_BIAS) == TS_KINEMATICS_BIAS)
                cr_assert_arr_eq(part.bias, whole.bias, sizeof part.bias);
            if ((asked[i] & TS_KINEMATICS_INERTIAS) == TS_KINEMATICS_INERTIAS)
                cr_assert_arr_eq(part.inertia, whole.inertia, sizeof part.inertia);
            if (asked[i] & TS_KINEMATICS_GEOMS) cr_assert_arr_eq(part.geom, whole.geom, sizeof part.geom);
        }
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
                ts_inverse_derivative_walk walk = {f.model,
                                                   &f.sim->kinematics,
                                                   f.sim->options.gravity,
                                                   t,
                                                   f.model->tree[t].dof_count,
                                                   pushed ? acceleration + f.model->tree[t].dof_first : NULL,
                                                   &scratch,
                                                   {1.0, NULL}};
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
