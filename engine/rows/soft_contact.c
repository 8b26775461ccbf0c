// Soft contacts.
//
// Problem: a contact with gap phi and normal velocity c shall carry the force of a spring and damper, however stiff,
// and friction shall creep as it does in the simulator the model was made for.
// Rule: implicit in the velocity, force = -k (phi + h c) - b c is u = c - c* + R lambda = 0 with
//     R = 1 / (h (h k + b)),   c* = -phi k / (h k + b).
// MJCF gives k and b per unit of (unknown) mass, as an acceleration a_ref = -b c - k phi of which the contact gets the
// share d: R = (1 - d) / d A, c* = c + h a_ref, A an estimate of G_NN; friction has R_T = R_N / impratio and no spring
// (contact/mujoco_softness.c). A is MuJoCo's: the sum over both bodies of the mean diagonal of J M^-1 J^T at their
// centres of mass in the initial pose. It is not the contact's own G_NN: at a box's corner that is up to four times as
// large.
// Source: MuJoCo's documentation, chapters Computation (constraint model) and Modeling (solver parameters, contact
// parameters); Castro, Permenter and Han 2022 for the implicit spring.
// Guaranteed: a point mass rests where (1 - d) / d^2 g dw^2 tc^2 dr^2 = -phi; the implicit spring is stable for any k,
// b, h.
// Known to differ from MuJoCo: margin and gap of geoms, <pair>, o_solref and o_solimp are not read; joint limits and
// dry friction stay hard; the mass matrix holds implicit joint damping, and with it A; cones are round.
#include "engine/rows/soft_contact_internal.h"

#include <string.h>

#include "engine/dynamics/dynamics_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

ts_soft_contact ts_soft_contact_kind(const ts_sim* sim) {
    if (sim->options.contact_stiffness > 0.0) return TS_SOFT_CONTACT_SPRING;
    int wanted = sim->options.soft_contacts == 2 || (sim->options.soft_contacts == 1 && sim->solver->takes_softness);
    return wanted ? TS_SOFT_CONTACT_MODEL : TS_SOFT_CONTACT_NONE;
}

void ts_soft_contact_rows(const ts_sim* sim, const ts_contact* contact, const double* speed, double* out_reference,
                          double* out_R) {
    const ts_options* options = &sim->options;
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2;
    double h = options->time_step;
    if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_SPRING) {
        double k = options->contact_stiffness, time = h + options->contact_dissipation;
        for (int r = 0; r < rows; ++r) {
            out_reference[r] = r == normal ? -contact->gap / time : 0.0;
            out_R[r] = r == normal ? 1.0 / (h * k * time) : options->compliance_tangent;
        }
        return;
    }
    const double* inverse_weight = ts_sim_storage_of(sim)->inverse_weight;
    const ts_mujoco_softness* softness = &contact->surface.softness;
    double d = ts_mujoco_impedance(softness->solimp, contact->gap);
    double A = inverse_weight[contact->body_a] + inverse_weight[contact->body_b];
    for (int r = 0; r < rows; ++r) {
        ts_mujoco_row(softness, d, A, r == normal ? contact->gap : 0.0, speed[r], h, &out_R[r], &out_reference[r]);
        if (r != normal) out_R[r] /= options->impratio;
    }
}

// The mean over `rows` rows of a tree of |L^-T j|^2 = j M^-1 j^T.
static double mean_response(const ts_sim* sim, int tree, int rows, double* J) {
    int numbers = rows * sim->model->tree[tree].dof_count;
    double sum = 0.0;
    ts_dynamics_whiten(sim, tree, rows, J);
    for (int i = 0; i < numbers; ++i) sum += J[i] * J[i];
    return sum / rows;
}

static void weigh_dofs(const ts_sim* sim, int tree, double* J) {
    const ts_kinematic_tree* span = &sim->model->tree[tree];
    for (int d = 0; d < span->dof_count; ++d) {
        memset(J, 0, (size_t)span->dof_count * sizeof(double));
        J[d] = 1.0;
        ts_sim_storage_of(sim)->dof_inverse_weight[span->dof_first + d] = mean_response(sim, tree, 1, J);
    }
}

// Of the centre of a body, or, with `turn` nonzero, of its turns. J has room for three rows and four.
static double weigh_body(const ts_sim* sim, int b, int turn, double* J) {
    const ts_vec3 axes[3] = {ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    int tree = sim->model->body[b].tree, n = sim->model->tree[tree].dof_count;
    double* lanes = J + 3 * n;
    memset(lanes, 0, ts_row_lanes_size(3, n) * sizeof(double));
    ts_row_piece piece = {.tree = tree, .dof_first = sim->model->tree[tree].dof_first, .dof_count = n, .J = lanes};
    ts_row_jacobian rows = {sim, &piece, 1, NULL};
    if (turn)
        ts_row_add_turn(&rows, 0, 3, b, axes, 1.0);
    else
        ts_row_add_point(&rows, 0, 3, b, sim->kinematics.body_centre[b], axes, 1.0);
    for (int r = 0; r < 3; ++r)
        for (int d = 0; d < n; ++d) J[r * n + d] = ts_row_entry(&piece, r, d);
    return mean_response(sim, tree, 3, J);
}

// The mean of what a couple about each axis does to a lone body.
static double weigh_lone_turn(const ts_body* body) {
    ts_vec3 moment;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&body->inertia, &moment, &axes);
    return moment.x > 0.0 ? (1.0 / moment.x + 1.0 / moment.y + 1.0 / moment.z) / 3.0 : 0.0;
}

int ts_soft_contact_weigh(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    double* J = TS_ARENA_ARRAY(&sim->scratch, double, 7 * (size_t)storage->dof_most);
    int factored = 0;
    for (int b = 0; b < model->body_count && J; ++b) {
        int tree = model->body[b].tree;
        storage->inverse_weight[b] = storage->inverse_turn_weight[b] = 0.0;
        if (tree < 0) continue;
        storage->inverse_weight[b] = model->body[b].mass > 0.0 ? 1.0 / model->body[b].mass : 0.0;
        if (model->equality_count > 0) storage->inverse_turn_weight[b] = weigh_lone_turn(&model->body[b]);
        if (sim->model->tree[tree].kind != TS_TREE_GENERAL) continue;
        if (!factored) ts_dynamics_update(sim);
        factored = 1;
        if (storage->tree_failed[tree]) continue;  // the first step will say so
        storage->inverse_weight[b] = weigh_body(sim, b, 0, J);
        if (model->equality_count > 0) storage->inverse_turn_weight[b] = weigh_body(sim, b, 1, J);
        if (b == model->tree[tree].root && model->equality_count > 0) weigh_dofs(sim, tree, J);
    }
    ts_arena_scope_end(&sim->scratch, scope);
    return J != NULL;
}
