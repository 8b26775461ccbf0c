// The inertia against the kinetic energy of bodies in long double, whole matrices against those of trees, and gravity against the
// slope of the potential.
#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "tests/engine/dynamics/long_motion.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64 };

static long_room room;

// What each body does per unit of each dof.
static long_rates partial[most_dofs][LONG_BODIES];

static long double mass_entry(const ts_model* model, int i, int j) {
    long double sum = i == j ? model->dof[i].armature : 0.0;
    for (int b = 1; b < model->body_count; ++b) {
        if (model->body[b].tree < 0) continue;
        lmat inertia = long_inertia(&model->body[b], &room.pose[b].R);
        lvec centre = lmat_apply(&room.pose[b].R, lvec_of(model->body[b].centre));
        lvec vi = lvec_sum(partial[i][b].velocity, 1, lvec_cross(partial[i][b].turn, centre));
        lvec vj = lvec_sum(partial[j][b].velocity, 1, lvec_cross(partial[j][b].turn, centre));
        sum += model->body[b].mass * lvec_dot(vi, vj) +
               lvec_dot(partial[i][b].turn, lmat_apply(&inertia, partial[j][b].turn));
    }
    return sum;
}

Test(crba, matrix_is_that_of_the_kinetic_energy) {
    for (uint64_t seed = 21; seed <= 23; ++seed) {
        fixture f = fixture_menagerie(seed);
        const ts_model* model = f.model;
        ts_arena arena = {0};
        ts_kinematics k;
        ts_tree_scratch scratch;
        cr_assert(ts_kinematics_create(model, &arena, &k) && ts_tree_scratch_create(model, &arena, &scratch));
        ts_kinematics_update(model, f.sim->qpos, f.sim->qvel, &k);
        int nv = model->nv;
        double M[most_dofs * most_dofs], own[most_dofs * most_dofs], unit[most_dofs];
        lvec origin = {{0, 0, 0}};
        long_poses(model, f.sim->qpos, f.sim->qvel, 0, room.pose);
        for (int d = 0; d < nv; ++d) {
            memset(unit, 0, sizeof unit);
            unit[d] = 1.0;
            long_differences(model, f.sim->qpos, unit, origin, room.scratch, partial[d]);
        }
        ts_crba_matrix(model, &k, &scratch, M);
        for (int i = 0; i < nv; ++i)
            for (int j = 0; j < nv; ++j) cr_assert_float_eq(M[i * nv + j], (double)mass_entry(model, i, j), 2e-12);
        for (int t = 0; t < model->tree_count; ++t) {
            int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
            ts_crba_tree(model, &k, t, &scratch, own);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) cr_assert_eq(own[i * n + j], M[(first + i) * nv + first + j]);
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

// The potential -m g . c of all bodies at t along v, with what buoyancy leaves of it.
static long double potential(const ts_model* model, const double* qpos, const double* v, long double t,
                             ts_vec3 gravity) {
    long double sum = 0;
    long_poses(model, qpos, v, t, room.pose);
    for (int b = 1; b < model->body_count; ++b) {
        lvec c = lvec_sum(room.pose[b].p, 1, lmat_apply(&room.pose[b].R, lvec_of(model->body[b].centre)));
        if (model->body[b].tree >= 0)
            sum -= (1.0L - model->body[b].buoyancy) * model->body[b].mass * lvec_dot(lvec_of(gravity), c);
    }
    return sum;
}

Test(crba, gravity_is_the_slope_of_the_potential) {
    fixture f = fixture_menagerie(24);
    const ts_model* model = f.model;
    ts_arena arena = {0};
    ts_kinematics k;
    ts_tree_scratch scratch;
    cr_assert(ts_kinematics_create(model, &arena, &k) && ts_tree_scratch_create(model, &arena, &scratch));
    ts_kinematics_update(model, f.sim->qpos, f.sim->qvel, &k);
    ts_vec3 gravity = ts_vec3_make(1.0, -2.0, -9.0);
    double force[most_dofs], rest[most_dofs], unit[most_dofs], still[most_dofs] = {0.0};
    ts_rnea_gravity(model, &k, gravity, &scratch, force);
    ts_kinematics_update(model, f.sim->qpos, still, &k);
    ts_rnea_forces(model, &k, gravity, NULL, &scratch, rest);
    for (int d = 0; d < model->nv; ++d) {
        memset(unit, 0, sizeof unit);
        unit[d] = 1.0;
        long double h = 1e-3L, slope = 0;
        static const long double weight[5] = {1, -8, 0, 8, -1};
        for (int i = 0; i < 5; ++i)
            slope += weight[i] / (12 * h) * potential(model, f.sim->qpos, unit, (i - 2) * h, gravity);
        cr_assert_float_eq(force[d], (double)slope, 1e-9, "dof %d: %g against %g", d, force[d], (double)slope);
        cr_assert_float_eq(force[d], rest[d], 1e-12);
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}
