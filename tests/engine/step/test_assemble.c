// The contact problem: operators against the system's own response, velocities before and after.
#include "base/linear/dense.h"
#include "engine/sim_internal.h"
#include "engine/rows/row_source_internal.h"
#include "tests/contact/dense_operator.h"
#include "tests/engine/engine_fixture.h"

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

// A trunk on two soles: four contacts move the chain of each.
static fixture walker(void) {
    ts_builder* builder = ts_builder_create("walker");
    ts_rng rng = ts_rng_make(5, 3);
    fixture_floor(builder, 0.5, 0.0);
    int trunk = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.3), 4.0, fixture_random_inertia(&rng));
    for (int side = -1; side <= 1; side += 2) {
        int parent = trunk;
        for (int i = 0; i < 3; ++i) {
            ts_body_def body = ts_body_def_default();
            body.parent = parent;
            body.pose.position = ts_vec3_make(0.0, i == 0 ? 0.1 * side : 0.0, -0.08);
            body.mass = 0.5;
            body.inertia = fixture_random_inertia(&rng);
            parent = ts_builder_add_body(builder, &body);
            ts_joint_def joint = ts_joint_def_default();
            joint.body = parent;
            joint.axis = ts_vec3_axis(i == 1);
            joint.damping = 0.3;
            ts_builder_add_joint(builder, &joint);
        }
        fixture_geom(builder, parent, ts_shape_box(ts_vec3_make(0.1, 0.05, 0.02)), ts_vec3_make(0.0, 0.0, -0.0399),
                     0.3);
    }
    return fixture_start(builder, 1);
}

// G lambda of the operator against the velocity change of the whole system: M dv = J^T lambda with J from the point
// rows, solved by another route, tree by tree.
static void check_response(fixture f, int contacts, int others) {
    ts_status status;
    fixture_run(&f, 3);
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    const ts_contact_problem* problem = &f.sim->problem;
    cr_assert_geq(f.sim->contact_count, contacts);
    cr_assert_geq(problem->block_count - f.sim->contact_count, others);
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
                if (tree < 0) continue;
                const ts_kinematic_tree* span = &f.model->tree[tree];
                double entry[TS_ROW_LANES * 64] = {0.0};
                ts_row_piece piece = {
                    .rows = 1, .tree = tree, .dof_first = span->dof_first, .dof_count = span->dof_count, .J = entry};
                ts_row_jacobian J = {.sim = f.sim, .piece = &piece, .piece_count = 1};
                cr_assert_leq(span->dof_count, 64);
                ts_row_add_point(&J, 0, 1, body, contact->position, &direction, side ? 1.0 : -1.0);
                for (int d = 0; d < span->dof_count; ++d) column[span->dof_first + d] += ts_row_entry(&piece, 0, d);
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
            ts_sim_update_kinematics(f.sim);
            int row = problem->block[contact->block].row + r;
            for (int k = 0; k < f.sim->contact_count; ++k) {
                const ts_contact* other = &f.sim->contact[k];
                ts_vec3 relative = ts_vec3_sub(
                    ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, other->body_b, other->position),
                    ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, other->body_a, other->position));
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

Test(assemble, operator_is_the_systems_response) {
    check_response(corner(), 6, 5);
    check_response(walker(), 8, 0);
}

// g + c* is the free relative velocity, and after the step each contact's velocity is that of its points.
static void check_velocities(fixture f) {
    ts_status status;
    fixture_run(&f, 5);
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        ts_vec3 relative = ts_vec3_sub(
            ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, contact->body_b, contact->position),
            ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, contact->body_a, contact->position));
        ts_vec3 u = ts_mat3_mul_vec_transposed(&contact->frame, relative);
        cr_assert_lt(ts_vec3_distance(u, contact->velocity_before), 1e-12);
    }
    double qpos[64];
    cr_assert_leq(f.model->nq, 64);
    memcpy(qpos, f.sim->qpos, (size_t)f.model->nq * sizeof(double));
    fixture_run(&f, 1);
    // The new velocity seen from the geometry of the step's beginning.
    memcpy(f.sim->qpos, qpos, (size_t)f.model->nq * sizeof(double));
    ts_sim_update_kinematics(f.sim);
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        ts_vec3 relative = ts_vec3_sub(
            ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, contact->body_b, contact->position),
            ts_kinematics_point_velocity(f.sim->model, &f.sim->kinematics, contact->body_a, contact->position));
        ts_vec3 u = ts_mat3_mul_vec_transposed(&contact->frame, relative);
        cr_assert_lt(ts_vec3_distance(u, contact->velocity), 1e-11);
    }
    fixture_end(&f);
}

Test(assemble, velocities_before_and_after) {
    check_velocities(corner());
    check_velocities(walker());
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
