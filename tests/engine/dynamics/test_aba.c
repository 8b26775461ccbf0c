// Forward dynamics against the inertia and its factor, against a closed form, and back through inverse dynamics.
#include "engine/dynamics/aba.h"
#include "engine/dynamics/rnea.h"
#include "engine/dynamics/tree_factor.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64 };

// Everything the algorithms need, without a simulation.
typedef struct tools {
    ts_arena arena;
    ts_kinematics k;
    ts_tree_scratch scratch;
    ts_tree_factors factors;
} tools;

static void open_tools(const fixture* f, tools* t) {
    memset(t, 0, sizeof *t);
    cr_assert(ts_kinematics_create(f->model, &t->arena, &t->k));
    cr_assert(ts_tree_scratch_create(f->model, &t->arena, &t->scratch));
    cr_assert(ts_tree_factors_create(f->model, &t->arena, &t->factors));
    ts_kinematics_update(f->model, f->sim->qpos, f->sim->qvel, &t->k);
}

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

// All joint types, several on a body, welded bodies, armature, buoyancy of none.
Test(aba, agrees_with_inertia_and_bias) {
    ts_rng rng = ts_rng_make(4, 0);
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        fixture f = fixture_menagerie(seed);
        tools t;
        open_tools(&f, &t);
        int nv = f.model->nv;
        ts_vec3 gravity = ts_vec3_make(0.3, -0.5, -9.81);
        double force[most_dofs], a[most_dofs], b[most_dofs], back[most_dofs];
        for (int d = 0; d < nv; ++d) force[d] = ts_rng_uniform_in(&rng, -20.0, 20.0);
        cr_assert(ts_aba_acceleration(f.model, &t.k, gravity, force, &t.scratch, a));
        ts_rnea_forces(f.model, &t.k, gravity, NULL, &t.scratch, b);
        for (int d = 0; d < nv; ++d) b[d] = force[d] - b[d];
        cr_assert(ts_tree_factors_update(f.model, &t.k, &t.scratch, &t.factors));
        ts_tree_factors_solve(f.model, &t.factors, b);
        double size = largest(b, nv);
        for (int d = 0; d < nv; ++d)
            cr_assert_float_eq(a[d], b[d], 1e-12 * size, "seed %d: %g", (int)seed, a[d] - b[d]);
        ts_rnea_forces(f.model, &t.k, gravity, a, &t.scratch, back);
        for (int d = 0; d < nv; ++d) cr_assert_float_eq(back[d], force[d], 1e-11 * largest(force, nv));
        ts_arena_free(&t.arena);
        fixture_end(&f);
    }
}

// Walks' memory begins with the first tree that is no lone body and ends with the last; articulated bodies have their own.
Test(aba, agrees_where_lone_bodies_lie_between_chains) {
    // Bodies of each tree, in order; lone ones float.
    static const int plans[][7] = {{1, 1, 3, 1, 2, 1, 1}, {2, 1, 1, 1, 1, 1, 4}, {1, 1, 1, 1, 1, 1, 1}, {1, 5, 1}};
    ts_rng rng = ts_rng_make(5, 0);
    for (size_t p = 0; p < sizeof plans / sizeof plans[0]; ++p) {
        ts_builder* builder = ts_builder_create("between");
        for (size_t i = 0; i < 7 && plans[p][i] > 0; ++i)
            for (int k = 0, body = 0; k < plans[p][i]; ++k) {
                body = fixture_random_body(builder, &rng, body);
                fixture_joint(builder, &rng, body, plans[p][i] > 1 ? TS_JOINT_HINGE : TS_JOINT_FREE);
            }
        fixture f = fixture_start(builder, 1);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -2.0, 2.0);
        tools t;
        open_tools(&f, &t);
        ts_tree_scratch walks;
        cr_assert(ts_tree_scratch_create_walks(f.model, &t.arena, &walks));
        cr_assert(walks.acceleration == NULL && walks.dof_force == NULL);
        if (p == 0) {
            cr_assert_eq(ts_tree_scratch_walk(&walks, 3), walks.walk);
            cr_assert_eq(ts_tree_scratch_place(&walks, f.model, 2), 0);
            cr_assert_eq(ts_tree_scratch_place(&walks, f.model, 4), 3 + 6 + 8);
        }
        int nv = f.model->nv;
        ts_vec3 gravity = ts_vec3_make(0.3, -0.5, -9.81);
        double force[most_dofs], a[most_dofs], b[most_dofs];
        cr_assert_leq(nv, most_dofs);
        for (int d = 0; d < nv; ++d) force[d] = ts_rng_uniform_in(&rng, -20.0, 20.0);
        cr_assert(ts_aba_acceleration(f.model, &t.k, gravity, force, &t.scratch, a));
        ts_rnea_forces(f.model, &t.k, gravity, NULL, &walks, b);
        for (int d = 0; d < nv; ++d) b[d] = force[d] - b[d];
        cr_assert(ts_tree_factors_update(f.model, &t.k, &walks, &t.factors));
        ts_tree_factors_solve(f.model, &t.factors, b);
        double size = largest(b, nv);
        for (int d = 0; d < nv; ++d) cr_assert_float_eq(a[d], b[d], 1e-11 * size, "%d: %g", (int)p, a[d] - b[d]);
        ts_arena_free(&t.arena);
        fixture_end(&f);
    }
}

static int add_rod(ts_builder* builder, int parent, double mass, double length, double above, double buoyancy) {
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = ts_vec3_make(0.0, 0.0, -above);
    body.mass = mass;
    body.centre = ts_vec3_make(0.0, 0.0, -0.5 * length);
    body.inertia = ts_mat3_diagonal(ts_vec3_make(mass * length * length / 12, mass * length * length / 12, 1e-3));
    body.buoyancy = buoyancy;
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_make(0.0, -1.0, 0.0);
    ts_builder_add_joint(builder, &joint);
    return joint.body;
}

// Two rods in the plane, angles p (absolute) and p + q: the textbook's equations of the double pendulum of rods.
Test(aba, double_pendulum) {
    double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 0.6, g = 9.81, lift = 0.25;
    ts_builder* builder = ts_builder_create("double pendulum");
    int first = add_rod(builder, 0, m1, l1, 0.0, 0.0);
    add_rod(builder, first, m2, l2, l1, lift);
    fixture f = fixture_start(builder, 1);
    tools t;
    open_tools(&f, &t);
    ts_rng rng = ts_rng_make(5, 0);
    for (int trial = 0; trial < 50; ++trial) {
        double q[2], v[2], tau[2], a[2];
        for (int i = 0; i < 2; ++i) {
            q[i] = ts_rng_uniform_in(&rng, -3.0, 3.0);
            v[i] = ts_rng_uniform_in(&rng, -4.0, 4.0);
            tau[i] = ts_rng_uniform_in(&rng, -3.0, 3.0);
        }
        ts_kinematics_update(f.model, q, v, &t.k);
        cr_assert(ts_aba_acceleration(f.model, &t.k, ts_vec3_make(0, 0, -g), tau, &t.scratch, a));
        // In the absolute angles A = p, B = p + q: M A'' by Lagrange.
        double A = q[0], B = q[0] + q[1], wA = v[0], wB = v[0] + v[1], c = cos(A - B), s = sin(A - B);
        double M11 = m1 * l1 * l1 / 3 + m2 * l1 * l1, M22 = m2 * l2 * l2 / 3, M12 = 0.5 * m2 * l1 * l2 * c;
        double m2g = m2 * (1.0 - lift) * g;
        double f1 = tau[0] - tau[1] - 0.5 * m2 * l1 * l2 * s * wB * wB - (0.5 * m1 * g + m2g) * l1 * sin(A);
        double f2 = tau[1] + 0.5 * m2 * l1 * l2 * s * wA * wA - 0.5 * m2g * l2 * sin(B);
        double det = M11 * M22 - M12 * M12, aA = (M22 * f1 - M12 * f2) / det, aB = (M11 * f2 - M12 * f1) / det;
        cr_assert_float_eq(a[0], aA, 1e-12 * (1 + fabs(aA)));
        cr_assert_float_eq(a[1], aB - aA, 1e-12 * (1 + fabs(aB - aA)));
    }
    ts_arena_free(&t.arena);
    fixture_end(&f);
}

Test(aba, massless_dofs_are_refused) {
    ts_builder* builder = ts_builder_create("thin");
    ts_body_def body = ts_body_def_default();
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    ts_builder_add_joint(builder, &joint);
    fixture f = fixture_start(builder, 1);
    tools t;
    open_tools(&f, &t);
    double q = (double)NAN, v = 0.0, force = 0.0, a;
    ts_kinematics_update(f.model, &q, &v, &t.k);
    cr_assert_not(ts_aba_acceleration(f.model, &t.k, ts_vec3_zero(), &force, &t.scratch, &a));
    ts_arena_free(&t.arena);
    fixture_end(&f);
}
