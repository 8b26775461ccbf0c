// Derivatives of inverse and forward dynamics, column by column, against sixth-order differences of the functions themselves along the
// manifold, and against invariants, on trees with all joints.
#include "engine/dynamics/aba.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/rnea.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/step/integrate_internal.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64, points = 6 };

// Sixth order: with a step of 2e-3 the error of the rule is below rounding over the step, some 1e-12 of the values.
static const double step = 2e-3;
static const double at[points] = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};
static const double weight[points] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 45.0 / 60, -9.0 / 60, 1.0 / 60};

// A state to be differentiated at, and everything the algorithms need.
typedef struct subject {
    fixture f;
    ts_arena arena;
    ts_kinematics k;
    ts_tree_scratch scratch;
    ts_derivative_scratch room;
    ts_tree_factors factors;
    ts_vec3 gravity;
    double input[most_dofs];  // accelerations, or forces
    double dq[most_dofs * most_dofs];
    double dv[most_dofs * most_dofs];
    double by_input[most_dofs * most_dofs];
} subject;

static subject s;

static void begin(uint64_t seed) {
    memset(&s, 0, sizeof s);
    s.f = fixture_menagerie(seed);
    ts_rng rng = ts_rng_make(seed, 7);
    // Some bodies have less weight than mass.
    for (int b = 1; b < s.f.model->body_count; b += 2)
        ((ts_body*)s.f.model->body)[b].buoyancy = ts_rng_uniform_in(&rng, -0.5, 1.5);
    for (int d = 0; d < s.f.model->nv; ++d) {
        ((ts_dof*)s.f.model->dof)[d].armature = ts_rng_uniform_in(&rng, 0.0, 0.3);
        s.input[d] = ts_rng_uniform_in(&rng, -3.0, 3.0);
    }
    cr_assert(s.f.model->nv <= most_dofs);
    s.gravity = ts_vec3_make(1.3, -2.1, -9.81);
    cr_assert(ts_kinematics_create(s.f.model, &s.arena, &s.k));
    cr_assert(ts_tree_scratch_create(s.f.model, &s.arena, &s.scratch));
    cr_assert(ts_derivative_scratch_create(s.f.model, &s.arena, &s.room));
    cr_assert(ts_tree_factors_create(s.f.model, &s.arena, &s.factors));
    ts_kinematics_update(s.f.model, s.f.sim->qpos, s.f.sim->qvel, &s.k);
}

static void end(void) {
    ts_arena_free(&s.arena);
    fixture_end(&s.f);
}

static void inverse(double* out) { ts_rnea_forces(s.f.model, &s.k, s.gravity, s.input, &s.scratch, out); }

static void forward(double* out) {
    cr_assert(ts_aba_acceleration(s.f.model, &s.k, s.gravity, s.input, &s.scratch, out));
}

typedef enum along { ALONG_Q, ALONG_V, ALONG_INPUT } along;

// The column of dof d, by differences.
static void difference(void (*function)(double*), along what, int d, double* out) {
    const ts_model* model = s.f.model;
    double value[most_dofs], unit[most_dofs] = {0.0}, q[2 * most_dofs], v[most_dofs], kept = s.input[d];
    memset(out, 0, most_dofs * sizeof(double));
    unit[d] = 1.0;
    for (int p = 0; p < points; ++p) {
        double h = at[p] * step;
        memcpy(q, s.f.sim->qpos, (size_t)model->nq * sizeof(double));
        memcpy(v, s.f.sim->qvel, (size_t)model->nv * sizeof(double));
        if (what == ALONG_Q) ts_integrate_position(model, s.f.sim->qpos, unit, h, q);
        if (what == ALONG_V) v[d] += h;
        if (what == ALONG_INPUT) s.input[d] = kept + h;
        ts_kinematics_update(model, q, v, &s.k);
        function(value);
        for (int i = 0; i < model->nv; ++i) out[i] += weight[p] / step * value[i];
    }
    s.input[d] = kept;
    ts_kinematics_update(model, s.f.sim->qpos, s.f.sim->qvel, &s.k);
}

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void assert_columns(void (*function)(double*), along what, const double* matrix, double tolerance) {
    int nv = s.f.model->nv;
    double column[most_dofs], scale = largest(matrix, nv * nv);
    for (int d = 0; d < nv; ++d) {
        difference(function, what, d, column);
        for (int i = 0; i < nv; ++i)
            cr_assert_float_eq(matrix[i * nv + d], column[i], tolerance * scale, "by %d, row %d column %d: %g %g",
                               (int)what, i, d, matrix[i * nv + d], column[i]);
    }
}

Test(derivative, inverse_dynamics_against_differences) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        begin(seed);
        ts_derivative_inverse(s.f.model, &s.k, s.gravity, s.input, &s.room,
                              &(ts_derivative_matrices){s.dq, s.dv, s.by_input});
        assert_columns(inverse, ALONG_Q, s.dq, 1e-10);
        assert_columns(inverse, ALONG_V, s.dv, 1e-10);
        assert_columns(inverse, ALONG_INPUT, s.by_input, 1e-10);
        end();
    }
}

// A share in a step: the same numbers times a factor, those by velocity beside the inertia.
Test(derivative, a_share_is_a_multiple_beside_the_inertia) {
    begin(4);
    const ts_model* model = s.f.model;
    double by_q[most_dofs * most_dofs], by_v[most_dofs * most_dofs], M[most_dofs * most_dofs];
    ts_derivative_inverse(model, &s.k, s.gravity, s.input, &s.room, &(ts_derivative_matrices){s.dq, s.dv, s.by_input});
    ts_crba_matrix(model, &s.k, &s.scratch, M);
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
        double lower[most_dofs * most_dofs];
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) lower[r * n + c] = c > r ? (double)NAN : M[(first + r) * model->nv + first + c];
        ts_derivative_share share = {-0.3, lower};
        ts_derivative_inverse_share_tree(model, &s.k, s.gravity, t, s.input + first, &s.room, &share,
                                         &(ts_derivative_matrices){by_q, by_v, NULL});
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) {
                int entry = (first + r) * model->nv + first + c;
                cr_assert_eq(by_q[r * n + c], -0.3 * s.dq[entry]);
                cr_assert_float_eq(by_v[r * n + c], M[entry] - 0.3 * s.dv[entry],
                                   1e-14 * largest(M, model->nv * model->nv));
            }
    }
    end();
}

// Trees alone, each matrix alone, and no accelerations: the same numbers.
Test(derivative, trees_are_blocks_of_the_whole) {
    begin(3);
    const ts_model* model = s.f.model;
    double dq[most_dofs * most_dofs], M[most_dofs * most_dofs], zero[most_dofs] = {0.0};
    ts_derivative_inverse(model, &s.k, s.gravity, zero, &s.room, &(ts_derivative_matrices){s.dq, s.dv, s.by_input});
    ts_crba_matrix(model, &s.k, &s.scratch, M);
    double scale = largest(M, model->nv * model->nv);
    for (int i = 0; i < model->nv * model->nv; ++i) cr_assert_float_eq(s.by_input[i], M[i], 1e-13 * scale);
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
        ts_derivative_inverse_tree(model, &s.k, s.gravity, t, NULL, &s.room, &(ts_derivative_matrices){.by_q = dq});
        for (int i = 0; i < n; ++i)
            cr_assert_arr_eq(dq + i * n, s.dq + (first + i) * model->nv + first, (size_t)n * sizeof(double));
    }
    end();
}

Test(derivative, gravity_is_linear) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        begin(seed);
        const ts_model* model = s.f.model;
        double bias[most_dofs], dg[3 * most_dofs];
        ts_rnea_gravity(model, &s.k, s.gravity, &s.scratch, bias);
        for (int t = 0; t < model->tree_count; ++t)
            ts_derivative_gravity_tree(model, &s.k, t, &s.room, dg + 3 * model->tree[t].dof_first);
        for (int d = 0; d < model->nv; ++d)
            cr_assert_float_eq(ts_vec3_dot(ts_vec3_load(dg + 3 * d), s.gravity), bias[d], 1e-11);
        end();
    }
}

// Puts a tree's block into a matrix of the model.
static void place(const ts_model* model, int tree, const double* block, double* matrix) {
    int first = model->tree[tree].dof_first, n = model->tree[tree].dof_count;
    for (int i = 0; i < n; ++i)
        memcpy(matrix + (first + i) * model->nv + first, block + i * n, (size_t)n * sizeof(double));
}

Test(derivative, forward_dynamics_against_differences) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        begin(seed);
        const ts_model* model = s.f.model;
        double a[most_dofs], block[3][most_dofs * most_dofs];
        forward(a);
        cr_assert(ts_tree_factors_update(model, &s.k, &s.scratch, &s.factors));
        for (int t = 0; t < model->tree_count; ++t) {
            int first = model->tree[t].dof_first;
            ts_derivative_forward_tree(model, &s.k, s.gravity, t, a + first, &s.factors, &s.room,
                                       &(ts_derivative_matrices){block[0], block[1], block[2]});
            place(model, t, block[0], s.dq);
            place(model, t, block[1], s.dv);
            place(model, t, block[2], s.by_input);
        }
        assert_columns(forward, ALONG_Q, s.dq, 1e-9);
        assert_columns(forward, ALONG_V, s.dv, 1e-9);
        assert_columns(forward, ALONG_INPUT, s.by_input, 1e-9);
        end();
    }
}

Test(derivative, regressor_times_parameters_is_the_force) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        begin(seed);
        const ts_model* model = s.f.model;
        double tau[most_dofs], sum[most_dofs], matrix[10 * most_dofs], parameter[10];
        inverse(tau);
        for (int d = 0; d < model->nv; ++d) sum[d] = model->dof[d].armature * s.input[d];
        for (int b = 1; b < model->body_count; ++b) {
            const ts_body* body = &model->body[b];
            if (body->tree < 0) continue;
            int first = model->tree[body->tree].dof_first, n = model->tree[body->tree].dof_count;
            ts_derivative_regressor(model, &s.k, s.gravity, b, s.input + first, matrix);
            ts_derivative_parameters(body->mass, body->centre, &body->inertia, parameter);
            for (int i = 0; i < n; ++i)
                for (int p = 0; p < 10; ++p) sum[first + i] += matrix[10 * i + p] * parameter[p];
        }
        double scale = largest(tau, model->nv);
        for (int d = 0; d < model->nv; ++d) cr_assert_float_eq(sum[d], tau[d], 1e-12 * scale);
        end();
    }
}

// A point of a body, and a wrench there in the axes of a carrier or of the world.
static struct {
    int body, carrier;
    ts_wrench_carried how;
    ts_vec3 point, at, carried;  // of the body; in the world; of the carrier
    ts_force wrench, turned;     // in the world; in axes of the carrier
} asked;

static void linear_velocity(double* out) {
    ts_vec3 at_now = ts_transform_point(&s.k.body_pose[asked.body], asked.point);
    ts_vec3_store(ts_kinematics_point_velocity(s.f.model, &s.k, asked.body, at_now), out);
    for (int i = 3; i < s.f.model->nv; ++i) out[i] = 0.0;
}

static void angular_velocity(double* out) {
    ts_vec3 w = s.f.model->body[asked.body].tree < 0 ? ts_vec3_zero() : s.k.body_velocity[asked.body].angular;
    ts_vec3_store(w, out);
    for (int i = 3; i < s.f.model->nv; ++i) out[i] = 0.0;
}

static void wrench_force(double* out) {
    const ts_model* model = s.f.model;
    const ts_transform* carrier = &s.k.body_pose[asked.carrier];
    double linear[3 * most_dofs], angular[3 * most_dofs];
    ts_vec3 place = asked.how == TS_WRENCH_FIXED ? asked.at : ts_transform_point(carrier, asked.carried);
    ts_force w = asked.wrench;
    if (asked.how == TS_WRENCH_WITH) {
        w.couple = ts_transform_direction(carrier, asked.turned.couple);
        w.force = ts_transform_direction(carrier, asked.turned.force);
    }
    ts_jacobian_point(model, &s.k, asked.body, place, linear, angular);
    for (int d = 0, nv = model->nv; d < nv; ++d)
        out[d] = linear[d] * w.force.x + linear[nv + d] * w.force.y + linear[2 * nv + d] * w.force.z +
                 angular[d] * w.couple.x + angular[nv + d] * w.couple.y + angular[2 * nv + d] * w.couple.z;
}

Test(derivative, velocities_of_points_against_differences) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        begin(seed);
        asked.point = ts_vec3_make(0.3, -0.4, 0.2);
        for (int b = 0; b < s.f.model->body_count; ++b) {
            asked.body = b;
            memset(s.dq, 0, sizeof s.dq);
            memset(s.dv, 0, sizeof s.dv);
            ts_vec3 now = ts_transform_point(&s.k.body_pose[b], asked.point);
            ts_derivative_velocity(s.f.model, &s.k, b, now, s.dq, s.dv);
            assert_columns(linear_velocity, ALONG_Q, s.dq, 1e-9);
            assert_columns(angular_velocity, ALONG_Q, s.dv, 1e-9);
        }
        end();
    }
}

Test(derivative, forces_of_wrenches_against_differences) {
    for (int how = TS_WRENCH_FIXED; how <= TS_WRENCH_WITH; ++how) {
        begin(5 + (uint64_t)how);
        const ts_model* model = s.f.model;
        asked.how = (ts_wrench_carried)how;
        asked.wrench = (ts_force){ts_vec3_make(0.7, -1.2, 0.4), ts_vec3_make(2.0, 1.0, -3.0)};
        for (int b = 1; b < model->body_count; ++b) {
            for (int c = 0; c < 2; ++c) {
                // On the body itself, or on some other one.
                asked.body = b;
                asked.carrier = c == 0 ? b : model->body_count - 1 - b / 2;
                asked.at = ts_transform_point(&s.k.body_pose[b], ts_vec3_make(0.2, 0.1, -0.3));
                const ts_transform* carrier = &s.k.body_pose[asked.carrier];
                asked.carried = ts_mat3_mul_vec_transposed(&carrier->R, ts_vec3_sub(asked.at, carrier->p));
                asked.turned.couple = ts_mat3_mul_vec_transposed(&carrier->R, asked.wrench.couple);
                asked.turned.force = ts_mat3_mul_vec_transposed(&carrier->R, asked.wrench.force);
                memset(s.dq, 0, sizeof s.dq);
                ts_derivative_add_wrench(model, &s.k, b, asked.at, asked.wrench, asked.how, asked.carrier, s.dq);
                assert_columns(wrench_force, ALONG_Q, s.dq, 1e-8);
            }
        }
        end();
    }
}
