// The contact problem: reference velocities by their table, rows against point velocities, operators against each
// other.
#include "engine/step/assemble.h"

#include "base/linear/dense.h"
#include "engine/dynamics/kinematics.h"
#include "tests/contact/dense_operator.h"
#include "tests/engine/engine_fixture.h"

static ts_options plain(void) {
    ts_options options = ts_options_default();
    options.time_step = 0.01;
    options.baumgarte = 0.2;
    options.slop = 1e-3;
    options.push_out_speed = 0.5;
    options.restitution_speed = 0.1;
    return options;
}

static double reference(double gap, double e, double now, double unhindered, int was_closed, int* out_bounces) {
    ts_options options = plain();
    ts_reference_input input = {gap, e, now, unhindered, was_closed};
    return ts_assemble_reference(&options, &input, out_bounces);
}

Test(assemble, reference_velocity_by_its_table) {
    int bounces;
    // Open: the gap may close, no more. Nothing bounces without restitution, or when the gap stays open.
    cr_assert_float_eq(reference(0.004, 0.0, -3.0, -3.1, 0, &bounces), -0.4, 1e-15);
    cr_assert_eq(bounces, 0);
    cr_assert_float_eq(reference(0.05, 0.5, -3.0, -3.1, 0, &bounces), -5.0, 1e-15);
    cr_assert_eq(bounces, 0);
    // Open but closing within the step: rebound at e |c| alone, no gap / h in the sum.
    cr_assert_float_eq(reference(0.004, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    // Only the pull of this step closes it: the rebound still follows the speed it has now.
    cr_assert_float_eq(reference(0.0305, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    // Closed: slop is left alone, the rest pushed out, not faster than allowed.
    cr_assert_float_eq(reference(-0.0005, 0.0, 0.0, -0.1, 1, &bounces), 0.0, 0.0);
    cr_assert_float_eq(reference(-0.003, 0.0, 0.0, -0.1, 1, &bounces), 0.2 / 0.01 * 0.002, 1e-15);
    cr_assert_float_eq(reference(-0.3, 0.0, 0.0, -0.1, 1, &bounces), 0.5, 0.0);
    // Restitution and push-out: the larger, never the sum.
    cr_assert_float_eq(reference(-0.003, 0.5, -3.0, -3.1, 0, &bounces), 1.5, 1e-15);
    cr_assert_eq(bounces, 1);
    cr_assert_float_eq(reference(-0.3, 0.1, -3.0, -3.1, 0, &bounces), 0.5, 1e-15);
    // Old contacts and slow ones do not bounce.
    cr_assert_float_eq(reference(-0.0005, 0.5, -3.0, -3.1, 1, &bounces), 0.0, 0.0);
    cr_assert_eq(bounces, 0);
    cr_assert_float_eq(reference(-0.0005, 0.5, -0.09, -0.2, 0, &bounces), 0.0, 0.0);
    cr_assert_eq(bounces, 0);
}

Test(assemble, bounce_threshold) {
    ts_options options = plain();
    cr_assert_float_eq(ts_assemble_bounce_threshold(&options), 0.1, 0.0);
    options.restitution_speed = 0.0;
    cr_assert_float_eq(ts_assemble_bounce_threshold(&options), 2.0 * 9.81 * 0.01, 1e-15);
    options.gravity = ts_vec3_zero();
    cr_assert_float_eq(ts_assemble_bounce_threshold(&options), 0.01, 0.0);
}

Test(assemble, rows_give_point_velocities) {
    for (uint64_t seed = 21; seed <= 23; ++seed) {
        fixture f = fixture_menagerie(seed);
        ts_kinematics_update(f.sim);
        ts_rng rng = ts_rng_make(seed, 1);
        for (int b = 1; b < f.model->body_count; ++b) {
            int tree = f.model->body[b].tree;
            if (tree < 0) continue;
            double J[3 * 64] = {0.0};
            int n = f.model->tree[tree].dof_count, first = f.model->tree[tree].dof_first;
            cr_assert_leq(n, 64);
            ts_vec3 point = ts_vec3_add(f.sim->body_pose[b].p, fixture_random_vec3(&rng, 0.5));
            ts_vec3 direction[3] = {fixture_random_vec3(&rng, 1.0), fixture_random_vec3(&rng, 1.0),
                                    fixture_random_vec3(&rng, 1.0)};
            ts_assemble_add_point_rows(f.sim, b, point, direction, 3, -1.0, J);
            ts_vec3 velocity = ts_kinematics_point_velocity(f.sim, b, point);
            for (int r = 0; r < 3; ++r) {
                double sum = 0.0;
                for (int d = 0; d < n; ++d) sum += J[r * n + d] * f.sim->qvel[first + d];
                cr_assert_float_eq(sum, -ts_vec3_dot(direction[r], velocity), 1e-12);
            }
        }
        fixture_end(&f);
    }
}

// Two boxes leaning, a jointed bar on them, a limit and dry friction: rows of every kind.
static fixture corner(void) {
    ts_builder* builder = ts_builder_create("corner");
    ts_rng rng = ts_rng_make(3, 3);
    fixture_floor(builder, 0.5, 0.2);
    for (int i = 0; i < 2; ++i) {
        ts_vec3 half = ts_vec3_make(0.1, 0.12, 0.1);
        int body = fixture_free_body(builder, ts_vec3_make(0.05 * i, 0.0, 0.1 + 0.2 * i), 1.0 + i,
                                     fixture_box_inertia(1.0 + i, half));
        fixture_geom(builder, body, ts_shape_box(half), ts_vec3_zero(), 0.4);
    }
    int parent = 0;
    for (int i = 0; i < 3; ++i) {
        ts_body_def body = ts_body_def_default();
        body.parent = parent;
        body.pose.position = i == 0 ? ts_vec3_make(0.35, 0.0, 0.3) : ts_vec3_make(0.0, 0.0, -0.1);
        body.mass = 0.5;
        body.inertia = fixture_random_inertia(&rng);
        parent = ts_builder_add_body(builder, &body);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = parent;
        joint.type = i == 1 ? TS_JOINT_BALL : TS_JOINT_HINGE;
        joint.axis = ts_vec3_axis(1);
        joint.damping = 0.3;
        joint.friction = 0.02;
        joint.limited = i == 0;
        joint.range[0] = -1e-4;
        joint.range[1] = 2.0;
        ts_builder_add_joint(builder, &joint);
    }
    fixture_geom(builder, parent, ts_shape_sphere(0.1), ts_vec3_zero(), 0.3);
    fixture f = fixture_start(builder, 1);
    for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -0.2, 0.2);
    return f;
}

// G lambda of the operator against the velocity change of the whole system: M dv = J^T lambda with J from the point
// rows, solved by another route, tree by tree.
Test(assemble, operator_is_the_systems_response) {
    fixture f = corner();
    ts_status status;
    fixture_run(&f, 3);
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    const ts_contact_problem* problem = &f.sim->problem;
    cr_assert_geq(f.sim->contact_count, 6);
    cr_assert_geq(problem->block_count - f.sim->contact_count, 5);
    int n = problem->row_count, nv = f.model->nv;
    double* G = calloc((size_t)n * (size_t)n, sizeof(double));
    ts_arena scratch = {0};
    dense_operator_matrix(problem->delassus, &scratch, G);
    double* column = calloc((size_t)nv, sizeof(double));
    for (int c = 0; c < f.sim->contact_count; ++c) {
        const ts_contact* contact = &f.sim->contact[c];
        for (int r = 0; r < 3; ++r) {
            ts_vec3 direction = ts_mat3_column(&contact->frame, r);
            memset(column, 0, (size_t)nv * sizeof(double));
            for (int side = 0; side < 2; ++side) {
                int body = side ? contact->body_b : contact->body_a;
                int tree = f.model->body[body].tree;
                if (tree >= 0)
                    ts_assemble_add_point_rows(f.sim, body, contact->position, &direction, 1, side ? 1.0 : -1.0,
                                               column + f.model->tree[tree].dof_first);
            }
            for (int t = 0; t < f.model->tree_count; ++t) {
                double M[64 * 64];
                int count = f.model->tree[t].dof_count;
                cr_assert_leq(count, 64);
                memcpy(M, f.sim->mass_matrix + f.sim->mass_start[t], (size_t)(count * count) * sizeof(double));
                cr_assert(ts_cholesky_factor(M, count, count));
                ts_cholesky_solve(M, count, count, column + f.model->tree[t].dof_first);
            }
            memcpy(f.sim->qvel, column, (size_t)nv * sizeof(double));
            ts_kinematics_update(f.sim);
            int row = problem->block[contact->block].row + r;
            for (int k = 0; k < f.sim->contact_count; ++k) {
                const ts_contact* other = &f.sim->contact[k];
                ts_vec3 relative = ts_vec3_sub(ts_kinematics_point_velocity(f.sim, other->body_b, other->position),
                                               ts_kinematics_point_velocity(f.sim, other->body_a, other->position));
                ts_vec3 u = ts_mat3_mul_vec_transposed(&other->frame, relative);
                int at = problem->block[other->block].row;
                for (int i = 0; i < 3; ++i)
                    cr_assert_float_eq(G[(size_t)(at + i) * (size_t)n + (size_t)row], ts_vec3_get(u, i), 1e-10);
            }
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            cr_assert_float_eq(G[(size_t)i * (size_t)n + (size_t)j], G[(size_t)j * (size_t)n + (size_t)i], 1e-12);
    free(G);
    free(column);
    ts_arena_free(&scratch);
    fixture_end(&f);
}

// g + c* is the free relative velocity, and after the step each contact's velocity is that of its points.
Test(assemble, velocities_before_and_after) {
    fixture f = corner();
    ts_status status;
    fixture_run(&f, 5);
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        ts_vec3 relative = ts_vec3_sub(ts_kinematics_point_velocity(f.sim, contact->body_b, contact->position),
                                       ts_kinematics_point_velocity(f.sim, contact->body_a, contact->position));
        ts_vec3 u = ts_mat3_mul_vec_transposed(&contact->frame, relative);
        cr_assert_lt(ts_vec3_distance(u, contact->velocity_before), 1e-12);
    }
    double qpos[64];
    cr_assert_leq(f.model->nq, 64);
    memcpy(qpos, f.sim->qpos, (size_t)f.model->nq * sizeof(double));
    fixture_run(&f, 1);
    // The new velocity seen from the geometry of the step's beginning.
    double moved[64];
    memcpy(moved, f.sim->qpos, sizeof moved);
    memcpy(f.sim->qpos, qpos, (size_t)f.model->nq * sizeof(double));
    ts_kinematics_update(f.sim);
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        ts_vec3 relative = ts_vec3_sub(ts_kinematics_point_velocity(f.sim, contact->body_b, contact->position),
                                       ts_kinematics_point_velocity(f.sim, contact->body_a, contact->position));
        ts_vec3 u = ts_mat3_mul_vec_transposed(&contact->frame, relative);
        cr_assert_lt(ts_vec3_distance(u, contact->velocity), 1e-11);
    }
    fixture_end(&f);
}

Test(assemble, compliance_lets_the_box_sink) {
    // R on the normal rows: u_N = -R lambda_N at rest on four feet, so the speed of sinking is R m g h / (4 + R m)
    // (Fig. 13).
    ts_builder* builder = ts_builder_create("soft");
    ts_options* options = ts_builder_options(builder);
    options->compliance_normal = 0.05;
    options->tolerance = 1e-11;
    options->iterations = 20000;
    options->baumgarte = 0.0;
    ts_vec3 half = ts_vec3_make(0.1, 0.1, 0.1);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 2.0, fixture_box_inertia(2.0, half));
    fixture_geom(builder, body, ts_shape_box(half), ts_vec3_zero(), 0.5);
    fixture_floor(builder, 0.5, 0.0);
    fixture f = fixture_start(builder, 1);
    double h = f.sim->options.time_step;
    fixture_run(&f, 1);
    double expected = -0.05 * 2.0 * 9.81 * h / (4.0 + 0.05 * 2.0);
    cr_assert_float_eq(f.sim->qvel[2], expected, 1e-9, "%g against %g", f.sim->qvel[2], expected);
    fixture_end(&f);
}
