// Centre of mass and momentum against sums over bodies in long double, rates against differences, and what must be conserved.
#include "engine/dynamics/aba.h"
#include "engine/dynamics/centroidal.h"
#include "engine/step/integrate_internal.h"
#include "tests/engine/dynamics/long_motion.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64 };

static long_room room;

typedef struct tools {
    ts_arena arena;
    ts_kinematics k;
    ts_tree_scratch scratch;
} tools;

static void open_tools(const fixture* f, tools* t) {
    memset(t, 0, sizeof *t);
    cr_assert(ts_kinematics_create(f->model, &t->arena, &t->k));
    cr_assert(ts_tree_scratch_create(f->model, &t->arena, &t->scratch));
    ts_kinematics_update(f->model, f->sim->qpos, f->sim->qvel, &t->k);
}

// Mass, centre, momentum and angular momentum about the centre of a tree (-1: of all) after moving for a time t, by sums in long double.
typedef struct sums {
    long double mass;
    lvec centre, linear, angular;
} sums;

static sums sum_up(const ts_model* model, const double* qpos, const double* qvel, int tree) {
    lvec zero = {{0, 0, 0}}, centre[LONG_BODIES], velocity[LONG_BODIES];
    sums s = {0, zero, zero, zero};
    long_poses(model, qpos, qvel, 0, room.pose);
    long_differences(model, qpos, qvel, zero, room.scratch, room.rates);
    for (int b = 1; b < model->body_count; ++b) {
        lvec lever = lmat_apply(&room.pose[b].R, lvec_of(model->body[b].centre));
        centre[b] = lvec_sum(room.pose[b].p, 1, lever);
        velocity[b] = lvec_sum(room.rates[b].velocity, 1, lvec_cross(room.rates[b].turn, lever));
        if (model->body[b].tree < 0 || (tree >= 0 && model->body[b].tree != tree)) continue;
        s.mass += model->body[b].mass;
        s.centre = lvec_sum(s.centre, model->body[b].mass, centre[b]);
        s.linear = lvec_sum(s.linear, model->body[b].mass, velocity[b]);
    }
    s.centre = lvec_sum(zero, 1 / s.mass, s.centre);
    for (int b = 1; b < model->body_count; ++b) {
        if (model->body[b].tree < 0 || (tree >= 0 && model->body[b].tree != tree)) continue;
        lmat inertia = long_inertia(&model->body[b], &room.pose[b].R);
        s.angular = lvec_sum(s.angular, 1, lmat_apply(&inertia, room.rates[b].turn));
        s.angular =
            lvec_sum(s.angular, model->body[b].mass, lvec_cross(lvec_sum(centre[b], -1, s.centre), velocity[b]));
    }
    return s;
}

static void assert_near(ts_vec3 a, lvec b, double tolerance, const char* what) {
    double d[3] = {a.x - (double)b.x[0], a.y - (double)b.x[1], a.z - (double)b.x[2]};
    for (int i = 0; i < 3; ++i) cr_assert(fabs(d[i]) <= tolerance, "%s: off by %g", what, d[i]);
}

Test(centroidal, is_the_sum_over_bodies) {
    for (uint64_t seed = 31; seed <= 33; ++seed) {
        fixture f = fixture_menagerie(seed);
        tools t;
        open_tools(&f, &t);
        int nv = f.model->nv;
        double A[6 * most_dofs], J[3 * most_dofs], h[6] = {0.0}, c[3] = {0.0};
        for (int tree = -1; tree < f.model->tree_count; ++tree) {
            sums s = sum_up(f.model, f.sim->qpos, f.sim->qvel, tree);
            ts_centroidal_state state = ts_centroidal_find(f.model, &t.k, tree);
            cr_assert_float_eq(state.mass, (double)s.mass, 1e-13);
            assert_near(state.centre, s.centre, 1e-13, "centre");
            assert_near(state.linear, s.linear, 1e-11, "linear");
            assert_near(state.angular, s.angular, 2e-11, "angular");
            ts_centroidal_matrix(f.model, &t.k, tree, &t.scratch, A);
            ts_centroidal_jacobian(f.model, &t.k, tree, &t.scratch, J);
            for (int r = 0; r < 6; ++r) {
                h[r] = 0.0;
                for (int d = 0; d < nv; ++d) h[r] += A[r * nv + d] * f.sim->qvel[d];
            }
            for (int r = 0; r < 3; ++r) {
                c[r] = 0.0;
                for (int d = 0; d < nv; ++d) c[r] += J[r * nv + d] * f.sim->qvel[d];
            }
            assert_near(ts_vec3_load(h), s.angular, 2e-11, "A v, angular");
            assert_near(ts_vec3_load(h + 3), s.linear, 1e-11, "A v, linear");
            lvec speed = lvec_sum((lvec){{0, 0, 0}}, 1 / s.mass, s.linear);
            assert_near(ts_vec3_load(c), speed, 1e-12, "J v");
            assert_near(state.velocity, speed, 1e-12, "velocity");
        }
        ts_arena_free(&t.arena);
        fixture_end(&f);
    }
}

// All bodies as one: a turn of everything has the locked inertia.
Test(centroidal, locked_inertia_is_that_of_one_body) {
    fixture f = fixture_menagerie(34);
    tools t;
    open_tools(&f, &t);
    ts_centroidal_state state = ts_centroidal_find(f.model, &t.k, 0);
    double A[6 * most_dofs];
    ts_centroidal_matrix(f.model, &t.k, 0, &t.scratch, A);
    // The first tree hangs on a free joint, and what turns its root turns all of it: rows of A, columns of the turn.
    ts_mat3 R = t.k.body_pose[1].R, turned = ts_mat3_mul(state.inertia, R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) cr_assert_float_eq(A[i * f.model->nv + 3 + j], turned.m[i][j], 1e-12);
    ts_arena_free(&t.arena);
    fixture_end(&f);
}

Test(centroidal, bias_is_the_rate_of_momentum) {
    static const double weight[5] = {1.0, -8.0, 0.0, 8.0, -1.0};
    for (uint64_t seed = 35; seed <= 37; ++seed) {
        fixture f = fixture_menagerie(seed);
        tools t;
        open_tools(&f, &t);
        double h = 1e-3, qpos[2 * most_dofs];
        for (int tree = -1; tree < f.model->tree_count; ++tree) {
            ts_kinematics_update(f.model, f.sim->qpos, f.sim->qvel, &t.k);
            ts_force bias = ts_centroidal_bias(f.model, &t.k, tree);
            ts_vec3 linear = ts_vec3_zero(), angular = ts_vec3_zero();
            for (int i = 0; i < 5; ++i) {
                ts_integrate_position(f.model, f.sim->qpos, f.sim->qvel, (i - 2) * h, qpos);
                sums s = sum_up(f.model, qpos, f.sim->qvel, tree);
                for (int e = 0; e < 3; ++e) {
                    ((double*)&linear)[e] += weight[i] / (12.0 * h) * (double)s.linear.x[e];
                    ((double*)&angular)[e] += weight[i] / (12.0 * h) * (double)s.angular.x[e];
                }
            }
            cr_assert(ts_vec3_distance(bias.force, linear) < 1e-8, "%g", ts_vec3_distance(bias.force, linear));
            cr_assert(ts_vec3_distance(bias.couple, angular) < 1e-8, "%g", ts_vec3_distance(bias.couple, angular));
        }
        ts_arena_free(&t.arena);
        fixture_end(&f);
    }
}

// A floating tree under gravity and forces inside it: A a + (dA/dt) v is its weight, whatever the joints do.
Test(centroidal, only_weight_changes_the_momentum_of_what_floats) {
    fixture f = fixture_menagerie(38);
    tools t;
    open_tools(&f, &t);
    ts_rng rng = ts_rng_make(6, 0);
    int nv = f.model->nv;
    double force[most_dofs] = {0.0}, a[most_dofs], A[6 * most_dofs], rate[6];
    ts_vec3 gravity = ts_vec3_make(0.5, 0.2, -9.0);
    // Armature would be held by the world: rotors take up momentum of their own.
    ts_dof dof[most_dofs];
    memcpy(dof, f.model->dof, (size_t)nv * sizeof *dof);
    for (int d = 0; d < nv; ++d) dof[d].armature = 0.0;
    ts_model bare = *f.model;
    bare.dof = dof;
    for (int d = 6; d < nv; ++d) force[d] = ts_rng_uniform_in(&rng, -5.0, 5.0);
    cr_assert(ts_aba_acceleration(&bare, &t.k, gravity, force, &t.scratch, a));
    ts_centroidal_matrix(&bare, &t.k, 0, &t.scratch, A);
    ts_force bias = ts_centroidal_bias(&bare, &t.k, 0);
    for (int r = 0; r < 6; ++r) {
        rate[r] = 0.0;
        for (int d = 0; d < nv; ++d) rate[r] += A[r * nv + d] * a[d];
    }
    ts_vec3 couple = ts_vec3_add(ts_vec3_load(rate), bias.couple),
            weight = ts_vec3_add(ts_vec3_load(rate + 3), bias.force);
    cr_assert(ts_vec3_max_abs(couple) < 1e-10, "%g", ts_vec3_max_abs(couple));
    cr_assert(ts_vec3_distance(weight, ts_vec3_scale(bare.tree[0].mass, gravity)) < 1e-10);
    ts_arena_free(&t.arena);
    fixture_end(&f);
}
