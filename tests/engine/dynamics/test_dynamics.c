// Mass matrix, bias and free velocity against brute force: partial velocities, differences of motions, closed forms.
#include "base/linear/dense.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/sim_internal.h"
#include "engine/dynamics/rnea.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 64, most_bodies = 32 };

static ts_tree_scratch* scratch_of(const fixture* f) { return &ts_sim_storage_of(f->sim)->tree_scratch; }

// Partial velocities: what each body's centre and rotation do per unit of each dof.
typedef struct partials {
    ts_vec3 linear[most_bodies][most_dofs];
    ts_vec3 angular[most_bodies][most_dofs];
} partials;

static void find_partials(fixture* f, partials* out) {
    double keep[most_dofs];
    memcpy(keep, f->sim->qvel, (size_t)f->model->nv * sizeof(double));
    memset(out, 0, sizeof *out);
    for (int d = 0; d < f->model->nv; ++d) {
        memset(f->sim->qvel, 0, (size_t)f->model->nv * sizeof(double));
        f->sim->qvel[d] = 1.0;
        ts_sim_update_kinematics(f->sim);
        for (int b = 1; b < f->model->body_count; ++b) {
            if (f->model->body[b].tree < 0) continue;
            out->linear[b][d] =
                ts_kinematics_point_velocity(f->sim->model, &f->sim->kinematics, b, f->sim->kinematics.body_centre[b]);
            out->angular[b][d] = f->sim->kinematics.body_velocity[b].angular;
        }
    }
    memcpy(f->sim->qvel, keep, (size_t)f->model->nv * sizeof(double));
    ts_sim_update_kinematics(f->sim);
}

static double mass_entry(const fixture* f, const partials* p, int i, int j) {
    double sum = i == j ? f->model->dof[i].armature : 0.0;
    for (int b = 1; b < f->model->body_count; ++b) {
        ts_mat3 inertia = ts_mat3_rotate_tensor(f->sim->kinematics.body_pose[b].R, f->model->body[b].inertia);
        sum += f->model->body[b].mass * ts_vec3_dot(p->linear[b][i], p->linear[b][j]);
        sum += ts_vec3_dot(p->angular[b][i], ts_mat3_mul_vec(&inertia, p->angular[b][j]));
    }
    return sum;
}

Test(dynamics, mass_matrix_is_the_sum_over_bodies) {
    static partials p;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        fixture f = fixture_menagerie(seed);
        double M[most_dofs * most_dofs];
        find_partials(&f, &p);
        for (int t = 0; t < f.model->tree_count; ++t) {
            int first = f.model->tree[t].dof_first, n = f.model->tree[t].dof_count;
            ts_crba_tree(f.model, &f.sim->kinematics, t, scratch_of(&f), M);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    cr_assert_float_eq(M[i * n + j], mass_entry(&f, &p, first + i, first + j), 1e-12);
        }
        fixture_end(&f);
    }
}

typedef struct body_state {
    ts_vec3 centre;
    ts_vec3 angular_momentum;
} body_state;

// State of all bodies after a time t of motion with constant coordinate velocities.
static void states_at(fixture* f, const double* qpos, double t, body_state* out) {
    ts_integrate_position(f->model, qpos, f->sim->qvel, t, f->sim->qpos);
    ts_sim_update_kinematics(f->sim);
    for (int b = 1; b < f->model->body_count; ++b) {
        ts_mat3 inertia = ts_mat3_rotate_tensor(f->sim->kinematics.body_pose[b].R, f->model->body[b].inertia);
        out[b].centre = f->sim->kinematics.body_centre[b];
        out[b].angular_momentum = ts_mat3_mul_vec(&inertia, ts_sim_body_velocity(f->sim, b).angular);
    }
    memcpy(f->sim->qpos, qpos, (size_t)f->model->nq * sizeof(double));
}

// Kane's equations: with zero coordinate accelerations the generalised force is the sum over bodies of
// m (a - g) . partial velocity + dL/dt . partial angular velocity. Accelerations come from fourth-order differences.
Test(dynamics, bias_by_kanes_equations) {
    static partials p;
    for (uint64_t seed = 11; seed <= 14; ++seed) {
        fixture f = fixture_menagerie(seed);
        double qpos[2 * most_dofs], t = 2e-3;
        body_state s[5][most_bodies];
        memcpy(qpos, f.sim->qpos, (size_t)f.model->nq * sizeof(double));
        for (int k = 0; k < 5; ++k) states_at(&f, qpos, (k - 2) * t, s[k]);
        find_partials(&f, &p);
        for (int tree = 0; tree < f.model->tree_count; ++tree) {
            double bias[most_dofs];
            ts_rnea_tree(f.model, &f.sim->kinematics, f.sim->options.gravity, tree, NULL, scratch_of(&f), bias);
            for (int i = 0; i < f.model->tree[tree].dof_count; ++i) {
                int d = f.model->tree[tree].dof_first + i;
                double sum = 0.0;
                for (int b = 1; b < f.model->body_count; ++b) {
                    ts_vec3 a = ts_vec3_zero(), torque = ts_vec3_zero();
                    static const double second[5] = {-1.0, 16.0, -30.0, 16.0, -1.0};
                    static const double first[5] = {1.0, -8.0, 0.0, 8.0, -1.0};
                    for (int k = 0; k < 5; ++k) {
                        a = ts_vec3_add_scaled(a, second[k] / (12.0 * t * t), s[k][b].centre);
                        torque = ts_vec3_add_scaled(torque, first[k] / (12.0 * t), s[k][b].angular_momentum);
                    }
                    a = ts_vec3_sub(a, f.sim->options.gravity);
                    sum += f.model->body[b].mass * ts_vec3_dot(a, p.linear[b][d]);
                    sum += ts_vec3_dot(torque, p.angular[b][d]);
                }
                cr_assert_float_eq(bias[i], sum, 2e-6, "dof %d: %.12g against %.12g", d, bias[i], sum);
            }
        }
        fixture_end(&f);
    }
}

Test(dynamics, inverse_dynamics_is_affine_in_the_acceleration) {
    fixture f = fixture_menagerie(5);
    ts_sim_update_kinematics(f.sim);
    ts_rng rng = ts_rng_make(77, 0);
    for (int t = 0; t < f.model->tree_count; ++t) {
        int n = f.model->tree[t].dof_count;
        double M[most_dofs * most_dofs], a[most_dofs], bias[most_dofs], tau[most_dofs], Ma[most_dofs];
        for (int i = 0; i < n; ++i) a[i] = ts_rng_uniform_in(&rng, -5.0, 5.0);
        ts_crba_tree(f.model, &f.sim->kinematics, t, scratch_of(&f), M);
        ts_rnea_tree(f.model, &f.sim->kinematics, f.sim->options.gravity, t, NULL, scratch_of(&f), bias);
        ts_rnea_tree(f.model, &f.sim->kinematics, f.sim->options.gravity, t, a, scratch_of(&f), tau);
        ts_dense_apply(M, n, n, n, a, Ma);
        for (int i = 0; i < n; ++i) cr_assert_float_eq(tau[i], Ma[i] + bias[i], 1e-11);
    }
    fixture_end(&f);
}

Test(dynamics, whitening_gives_the_inverse_mass_matrix) {
    fixture f = fixture_menagerie(6);
    ts_sim_update_kinematics(f.sim);
    cr_assert_eq(ts_dynamics_update(f.sim), -1);
    ts_rng rng = ts_rng_make(78, 0);
    for (int t = 0; t < f.model->tree_count; ++t) {
        int n = f.model->tree[t].dof_count;
        double rows[2 * most_dofs], x[most_dofs], back[most_dofs], M_back[most_dofs];
        for (int i = 0; i < 2 * n; ++i) rows[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        memcpy(x, rows + n, (size_t)n * sizeof(double));
        ts_dynamics_whiten(f.sim, t, 2, rows);
        memcpy(back, rows + n, (size_t)n * sizeof(double));
        ts_dynamics_unwhiten(f.sim, t, back);
        // back = M^-1 x, so M back = x.
        ts_dense_apply(f.sim->mass_matrix + f.sim->mass_start[t], n, n, n, back, M_back);
        for (int i = 0; i < n; ++i) cr_assert_float_eq(M_back[i], x[i], 1e-11);
    }
    fixture_end(&f);
}

// A row that concerns one body stays on the chain of dofs that move the body; nothing else in the tree hears of it.
Test(dynamics, whitening_keeps_rows_on_their_chain) {
    fixture f = fixture_menagerie(6);
    ts_sim_update_kinematics(f.sim);
    cr_assert_eq(ts_dynamics_update(f.sim), -1);
    for (int b = 1; b < f.model->body_count; ++b) {
        int tree = f.model->body[b].tree, on_chain[most_dofs] = {0};
        if (tree < 0) continue;
        double row[most_dofs] = {0.0};
        int first = f.model->tree[tree].dof_first, n = f.model->tree[tree].dof_count;
        for (int d = f.model->body[b].dof_last; d >= 0; d = f.model->dof[d].parent) {
            on_chain[d - first] = 1;
            row[d - first] = 1.0 + d;
        }
        ts_dynamics_whiten(f.sim, tree, 1, row);
        for (int i = 0; i < n; ++i) cr_assert_eq(row[i] != 0.0, on_chain[i], "body %d dof %d", b, first + i);
    }
    fixture_end(&f);
}

Test(dynamics, wrench_acts_at_the_centre_of_mass) {
    static partials p;
    fixture f = fixture_menagerie(7);
    find_partials(&f, &p);
    for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 0.0;
    f.sim->options.gravity = ts_vec3_zero();
    ts_sim_update_kinematics(f.sim);
    int body = 4;
    ts_force wrench = {ts_vec3_make(0.3, -0.2, 0.5), ts_vec3_make(2.0, 1.0, -3.0)};
    f.sim->wrench_applied[body] = wrench;
    ts_dynamics_update(f.sim);
    int tree = f.model->body[body].tree, first = f.model->tree[tree].dof_first, n = f.model->tree[tree].dof_count;
    double momentum[most_dofs];
    ts_dense_apply(f.sim->mass_matrix + f.sim->mass_start[tree], n, n, n, f.sim->free_velocity + first, momentum);
    for (int i = 0; i < n; ++i) {
        double force = ts_vec3_dot(p.linear[body][first + i], wrench.force) +
                       ts_vec3_dot(p.angular[body][first + i], wrench.couple);
        cr_assert_float_eq(momentum[i], f.sim->options.time_step * force, 1e-12);
    }
    fixture_end(&f);
}

// One slider of mass m with spring, damper and armature: the new velocity solves the implicit equation
// (m + a) (v+ - v) = h (F - K (q + h v+ - rest) - D v+).
Test(dynamics, spring_and_damper_are_implicit) {
    ts_builder* builder = ts_builder_create("slider");
    ts_body_def body = ts_body_def_default();
    body.mass = 2.0;
    body.inertia = ts_mat3_identity();
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(0);
    joint.spring = 3e5;
    joint.spring_rest = 0.2;
    joint.damping = 400.0;
    joint.armature = 0.5;
    ts_builder_add_joint(builder, &joint);
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step, q = -0.3, v = 4.0, F = 7.0;
    f.sim->qpos[0] = q;
    f.sim->qvel[0] = v;
    f.sim->force_applied[0] = F;
    fixture_run(&f, 1);
    double w = f.sim->qvel[0];
    double left = (2.0 + 0.5) * (w - v), right = h * (F - 3e5 * (q + h * w - 0.2) - 400.0 * w);
    cr_assert_float_eq(left, right, 1e-10);
    cr_assert_float_eq(f.sim->qpos[0], q + h * w, 1e-15);
    fixture_end(&f);
}

Test(dynamics, lone_damper_decays_by_its_closed_form) {
    ts_builder* builder = ts_builder_create("damper");
    ts_body_def body = ts_body_def_default();
    body.mass = 0.5;
    body.inertia = ts_mat3_identity();
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(1);
    joint.damping = 9.0;
    ts_builder_add_joint(builder, &joint);
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step;
    f.sim->qvel[0] = 3.0;
    fixture_run(&f, 50);
    cr_assert_float_eq(f.sim->qvel[0], 3.0 * pow(1.0 + h * 9.0 / 0.5, -50.0), 1e-14);
    // Stiff beyond any explicit method: still a plain decay.
    fixture_end(&f);
}

Test(dynamics, ball_spring_pulls_back_along_its_rotation_vector) {
    ts_builder* builder = ts_builder_create("ball");
    ts_body_def body = ts_body_def_default();
    body.mass = 1.0;
    body.inertia = ts_mat3_diagonal(ts_vec3_make(0.1, 0.1, 0.1));
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_BALL;
    joint.spring = 2.5;
    ts_builder_add_joint(builder, &joint);
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    fixture f = fixture_start(builder, 1);
    ts_vec3 theta = ts_vec3_make(0.4, -0.7, 0.2);
    ts_quat_store(ts_quat_from_rotation_vector(theta), f.sim->qpos);
    double h = f.sim->options.time_step;
    fixture_run(&f, 1);
    for (int i = 0; i < 3; ++i)
        cr_assert_float_eq(f.sim->qvel[i], -h * 2.5 * ts_vec3_get(theta, i) / (0.1 + h * h * 2.5), 1e-14);
    ts_energy energy = ts_sim_energy(f.sim);
    cr_assert_float_eq(energy.potential, 0.5 * 2.5 * ts_vec3_dot(theta, theta), 1e-3);
    fixture_end(&f);
}

Test(dynamics, a_state_that_is_not_finite_names_the_tree) {
    fixture f = fixture_menagerie(8);
    ts_status status;
    double keep = f.sim->qvel[0];
    f.sim->qpos[f.model->joint[f.model->body[10].joint_first].qpos_first + 3] = (double)INFINITY;  // the free body
    f.sim->qpos[0] = (double)NAN;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_ERROR_NUMERIC);
    cr_assert_eq(f.sim->qvel[0], keep);
    cr_assert_eq(f.sim->step_count, 0);
    fixture_end(&f);
    ts_builder* builder = ts_builder_create("thin");
    ts_body_def body = ts_body_def_default();
    body.name = "rod";
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    ts_builder_add_joint(builder, &joint);
    f = fixture_start(builder, 1);
    f.sim->qpos[0] = (double)NAN;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_ERROR_NUMERIC);
    cr_assert(strstr(status.message, "rod"), "%s", status.message);
    fixture_end(&f);
}
