// Columns by what a world is made of: masses, inertias, gravity, the time step, restitution, compliance.
//
// Problem: the change of a step by a parameter s at fixed position and velocity. Rule: as for positions, at frozen impulses,
//     M_hat dv+ = X + J^T dlambda_b,     X = M_hat dv_f - dM_hat (v+ - v_f),     du = J dv+ - dc* + dR lambda,
// lambda_b the impulses of blocks at a bound, which go with it. X of a tree: step_parameter_tree.c. c* is -gap / h, what mends an error in h or
// restitution times the velocity before; a tie's R is a part of its largest G_ii = y . M_hat y, y = M_hat^-1 j, so dG_ii = -y . dM_hat y.
// Source: derived here.
// Guaranteed: as exact as the columns by position. Columns are kept as numbers like those of differences (step_frozen.c).
// What is left to differences: step_parameter_known.c. What activations and controls add: step_activation.c.
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_parameter_tree_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"

int ts_step_parameter_concerns(const ts_step_parameters* w, ts_step_column c, int t) {
    if (ts_step_is_of_mass(c.kind)) return w->p->model->body[ts_step_body_of(c)].tree == t;
    if (ts_step_is_of_drive(c.kind))
        return ts_actuation_drive(w->task->sim, ts_step_drive_of(w->p->model, c))->lever->tree == t;
    return c.kind == TS_STEP_BY_GRAVITY || c.kind == TS_STEP_BY_TIME_STEP;
}

void ts_step_parameter_direction(const ts_model* model, ts_step_column c, double out[TS_STEP_PARAMETERS]) {
    const ts_mat3 none = ts_mat3_zero();
    memset(out, 0, TS_STEP_PARAMETERS * sizeof(double));
    if (c.kind == TS_STEP_BY_MASS)
        ts_derivative_parameters(1.0, model->body[c.index].centre, &none, out);
    else
        out[c.index % TS_STEP_PARAMETERS] = 1.0;
}

ts_vec3 ts_step_centre_slope(const ts_model* model, ts_step_column c) {
    if (c.kind != TS_STEP_BY_INERTIA) return ts_vec3_zero();
    const ts_body* body = &model->body[ts_step_body_of(c)];
    int k = c.index % TS_STEP_PARAMETERS;
    if (k == 0) return ts_vec3_scale(-1.0 / body->mass, body->centre);
    return k < 4 ? ts_vec3_scale(1.0 / body->mass, ts_vec3_axis(k - 1)) : ts_vec3_zero();
}

static int acts(const ts_step_parameters* w, int b) { return ts_step_block_acts(w->task->sim, w->p, b); }

// dc* / dh of row r of block b.
static double reference_rate(const ts_step_parameters* w, int b, int r) {
    const ts_sim* sim = w->task->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double h = sim->options.time_step, reference = storage->reference[sim->problem.block[b].row + r];
    if (ts_step_is_tie(sim, b)) return ts_step_tie_rate(sim, &w->start, b, r);
    if (ts_row_is(sim, b, &ts_row_servo)) {
        const ts_drive* drive = ts_actuation_drive(sim, (int)sim->row_block[b].key.whole);
        double stiffness = ts_step_stiffness_ahead(sim, (int)sim->row_block[b].key.whole);
        return -drive->intercept * stiffness / (drive->ahead * drive->ahead);
    }
    if (ts_row_is(sim, b, &ts_row_contact)) {
        const ts_contact* contact = &sim->contact[sim->row_block[b].item];
        ts_mujoco_row_slopes law[TS_BLOCK_ROWS_MAX];
        if (ts_step_contact_softness(sim, contact, law)) return law[r].reference_by_time;
        if (r != (contact->surface.dimension == 1 ? 0 : 2)) return 0.0;
        double bounce = -contact->surface.restitution * contact->velocity_before.z;
        if (bounce > 0.0 && reference == bounce) return 0.0;
    }
    ts_mujoco_row_slopes soft;
    if (ts_step_joint_softness(sim, b, &soft)) return soft.reference_by_time;
    // What closes a gap or mends an error over the step, unless it is as fast as it may be.
    double most = sim->options.push_out_speed;
    if (ts_row_is(sim, b, &ts_row_joint_limit) && sim->model->joint[sim->row_block[b].key.whole].type != TS_JOINT_SLIDE)
        most = sim->options.push_out_turn;
    return reference >= most ? 0.0 : -reference / h;
}

// dG of a combination of the rows of block b.
static double leverage_rate(ts_step_parameters* w, ts_step_column c, int b, const double* along) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    int rows = sim->problem.block[b].rows;
    double sum = 0.0;
    for (int t = 0; t < sim->model->tree_count; ++t) {
        int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, any = 0;
        memset(w->next, 0, (size_t)n * sizeof(double));
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &plan->segment[s];
            if (sim->model->dof[g->column].tree != t) continue;
            any = 1;
            for (int r = 0; r < rows; ++r)
                for (int i = 0; i < g->count; ++i) w->next[g->column - first + i] += along[r] * g->J[r * g->count + i];
        }
        if (!any || !ts_step_parameter_concerns(w, c, t)) continue;
        ts_tree_factor_unwhiten(sim->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, 1, w->next);
        ts_step_parameter_change_inertia(w, t, c, w->next, w->x);
        for (int d = 0; d < n; ++d) sum -= w->next[d] * w->x[d];
    }
    return sum;
}

// dR of row r of block b: what of it goes with the time step or with G.
static double compliance_rate(ts_step_parameters* w, ts_step_column c, int b, int r) {
    const ts_sim* sim = w->task->sim;
    if (c.kind == TS_STEP_BY_TIME_STEP && ts_row_is(sim, b, &ts_row_servo)) {
        int i = (int)sim->row_block[b].key.whole;
        double h = sim->options.time_step, ahead = ts_actuation_drive(sim, i)->ahead;
        return -(ahead + h * ts_step_stiffness_ahead(sim, i)) / (h * h * ahead * ahead);
    }
    if (c.kind == TS_STEP_BY_TIME_STEP && ts_row_is(sim, b, &ts_row_contact)) {
        ts_mujoco_row_slopes law[TS_BLOCK_ROWS_MAX];
        return ts_step_contact_softness(sim, &sim->contact[sim->row_block[b].item], law) ? law[r].R_by_time : 0.0;
    }
    double give = 0.0, unit[TS_BLOCK_ROWS_MAX] = {0.0};
    int stiffest = ts_step_tie_stiffest(sim, b, r, &give);
    if (stiffest < 0) return 0.0;
    unit[stiffest] = 1.0;
    return give * leverage_rate(w, c, b, unit);
}

// What the solver has softened: the sum that its rates are of.
static double softening_rate(ts_step_parameters* w, ts_step_column c, int b, const ts_step_softening* softening) {
    double sum = 0.0;
    for (int k = 0; k < softening->count; ++k) sum += leverage_rate(w, c, b, softening->along[k]);
    return sum;
}

// 1: how much of an option is in R of a contact's row.
static double compliance_share(const ts_sim* sim, int option, int normal) {
    ts_soft_contact kind = ts_soft_contact_kind(sim);
    if (kind == TS_SOFT_CONTACT_MODEL || (kind == TS_SOFT_CONTACT_SPRING && normal)) return 0.0;
    return option == (normal ? 0 : 1) ? 1.0 : 0.0;
}

// Adds dR lambda of a block whose R is in proportion to a weight. What sticks has R of what presses beyond the pull (step_contact_rows.c).
static void add_weight(const ts_step_parameters* w, ts_step_column c, int b, double* du) {
    const ts_sim* sim = w->task->sim;
    const ts_block* block = &sim->problem.block[b];
    double parameter[TS_STEP_PARAMETERS], h = sim->options.time_step;
    ts_step_parameter_direction(sim->model, c, parameter);
    if (ts_row_is(sim, b, &ts_row_servo)) return;
    double rate =
        ts_step_weight_rate(&w->weights, b, ts_step_body_of(c), parameter, ts_step_centre_slope(sim->model, c));
    for (int r = block->row; r < block->row + block->rows; ++r) du[r] += rate * sim->problem.R[r] * sim->impulse[r];
    if (!ts_row_is(sim, b, &ts_row_contact)) return;
    int normal = block->row + (block->rows == 1 ? 0 : 2);
    double adhesion = ts_sim_contact_rare(sim, sim->row_block[b].item)->adhesion;
    du[normal] -= rate * sim->problem.R[normal] * h * adhesion;
}

// Adds du of acting rows by their own laws.
static void add_rows(ts_step_parameters* w, ts_step_column c, double* du) {
    const ts_sim* sim = w->task->sim;
    for (int b = 0; b < w->p->block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        const ts_contact* contact = ts_row_is(sim, b, &ts_row_contact) ? &sim->contact[sim->row_block[b].item] : NULL;
        int softens = c.kind == TS_STEP_BY_TIME_STEP || ts_step_is_of_mass(c.kind) || ts_step_is_of_drive(c.kind);
        ts_step_softening softening = {.count = 0};
        if (!acts(w, b)) continue;
        // Where that is not known no such column is asked for.
        if (softens) (void)ts_step_softening_find(sim, w->p, b, &softening);
        if (w->weights.sim && ts_step_is_of_mass(c.kind)) add_weight(w, c, b, du);
        double softer = softening.count > 0 ? softening_rate(w, c, b, &softening) : 0.0;
        for (int r = 0; r < block->rows; ++r) {
            double lambda = sim->impulse[block->row + r];
            int normal = r == (block->rows == 1 ? 0 : 2);
            if (c.kind == TS_STEP_BY_TIME_STEP) du[block->row + r] -= reference_rate(w, b, r);
            if (softening.count > 0 && softening.rate[r] != 0.0)
                du[block->row + r] += softening.rate[r] * softer * lambda;
            else if (softens)
                du[block->row + r] += compliance_rate(w, c, b, r) * lambda;
            if (!contact) continue;
            if (c.kind == TS_STEP_BY_COMPLIANCE) du[block->row + r] += compliance_share(sim, c.index, normal) * lambda;
            if (c.kind != TS_STEP_BY_RESTITUTION || !normal) continue;
            double bounce = -contact->surface.restitution * contact->velocity_before.z;
            int sides = (contact->geom_a == c.index) + (contact->geom_b == c.index);
            if (bounce > 0.0 && ts_sim_storage_of(sim)->reference[block->row + r] == bounce)
                du[block->row + r] += sides * contact->velocity_before.z;
        }
    }
}

// Whitened: adds what blocks at a bound press that goes with the time step.
static void add_bounds(const ts_step_parameters* w, double* z) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int b = 0; b < w->p->block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        if (block->set != TS_SET_BOX || acts(w, b)) continue;
        double rate = sim->impulse[block->row] / sim->options.time_step;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &plan->segment[s];
            for (int i = 0; i < g->count; ++i) z[g->column + i] += rate * g->J[i];
        }
    }
}

// Whitened impulses, du and dmu by the friction of a geom: rows from the fourth on are scaled by one over it.
static void add_friction(const ts_step_parameters* w, ts_step_column c, double* z, double* du, double* dmu) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        const ts_block* block = &sim->problem.block[contact->block];
        int sides = (contact->geom_a == c.index) + (contact->geom_b == c.index);
        if (sides == 0) continue;
        dmu[contact->block] += sides;
        if (!acts(w, contact->block)) continue;
        for (int r = 3; r < block->rows; ++r) {
            double rate = -sides / contact->surface.friction, lambda = sim->impulse[block->row + r];
            du[block->row + r] += rate * w->speed[block->row + r];
            for (int s = plan->segment_start[contact->block]; s < plan->segment_start[contact->block + 1]; ++s) {
                const ts_delassus_segment* g = &plan->segment[s];
                for (int k = 0; k < g->count; ++k) z[g->column + k] += rate * lambda * g->J[r * g->count + k];
            }
        }
    }
}

// From impulses to what they do: the column as step_frozen.c has it.
static void finish(ts_step_parameters* w, int c) {
    const ts_step_implicit* p = w->p;
    double *column = ts_step_parameter_column(w, c), *z = column + p->frozen.velocity, *du = column + p->frozen.row;
    const double* new_velocity = ts_sim_storage_of(w->task->sim)->new_velocity;
    int of_time = w->column[c].kind == TS_STEP_BY_TIME_STEP;
    ts_step_whiten(p, z);
    if (of_time && p->has_contact) add_bounds(w, z);
    if (w->column[c].kind == TS_STEP_BY_FRICTION) add_friction(w, w->column[c], z, du, column + p->frozen.friction);
    if (p->has_contact) {
        ts_step_add_rows(p, z, du);
        add_rows(w, w->column[c], du);
    }
    ts_step_unwhiten(p, z);
    ts_step_move_positions(p, z, column + p->frozen.position);
    for (int d = 0; of_time && d < p->model->nv; ++d)
        if (!p->coasts[p->model->dof[d].tree]) column[p->frozen.position + d] += new_velocity[d];
}

// u = J v+ - c* + R lambda
static int find_speeds(ts_step_parameters* w, ts_arena* scratch) {
    const ts_sim* sim = w->task->sim;
    w->speed = TS_ARENA_ARRAY(scratch, double, w->p->row_count);
    if (!w->speed || w->p->row_count == 0) return w->speed != NULL;
    ts_contact_problem_velocity(&sim->problem, sim->impulse, w->speed);
    for (int i = 0; i < w->p->row_count; ++i) {
        double given = sim->problem.R ? sim->problem.R[i] * sim->impulse[i] : 0.0;
        w->speed[i] += ts_sim_storage_of(sim)->reference[i] - given;
    }
    return 1;
}

static int take_room(ts_step_parameters* w, ts_arena* scratch) {
    const ts_model* model = w->p->model;
    size_t most = 6;
    for (int t = 0; t < model->tree_count; ++t)
        if ((size_t)model->tree[t].dof_count > most) most = (size_t)model->tree[t].dof_count;
    w->matrix = TS_ARENA_ARRAY(scratch, double, most* most);
    w->regress = TS_ARENA_ARRAY(scratch, double, TS_STEP_PARAMETERS* most);
    double* numbers = TS_ARENA_ARRAY(scratch, double, 4 * most);
    if (!w->matrix || !w->regress || !numbers) return 0;
    w->next = numbers;
    w->middle = numbers + most;
    w->a = numbers + 2 * most;
    w->x = numbers + 3 * most;
    int weighs = 0;
    for (int c = 0; c < w->count; ++c) weighs = weighs || ts_step_is_of_mass(w->column[c].kind);
    weighs = weighs && w->p->has_contact && ts_soft_contact_kind(w->task->sim) == TS_SOFT_CONTACT_MODEL;
    if (weighs && !ts_step_weights_take(w->task->sim, scratch, &w->weights)) return 0;
    if (!find_speeds(w, scratch) || !ts_step_share_poses(w->task->sim, scratch, &w->start)) return 0;
    for (int t = 0; t < model->tree_count; ++t)
        ts_step_move_tree(model, t, w->task->sim->qvel + model->tree[t].dof_first, &w->start);
    return ts_derivative_scratch_create(model, scratch, &w->derivative);
}

int ts_step_parameters_find(const ts_step_task* task, ts_step_implicit* p, const ts_step_column* column, int count,
                            double* out_numbers) {
    ts_sim* sim = task->sim;
    ts_step_parameters w = {.task = task, .p = p, .column = column, .count = count, .numbers = out_numbers, .body = -1};
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    int fine = take_room(&w, &sim->scratch), moves = 0;
    w.midpoint = strcmp(sim->integrator->name, "midpoint") == 0;
    if (fine) memset(out_numbers, 0, (size_t)count * (size_t)p->frozen.size * sizeof(double));
    int staged = fine && sim->integrator->revisit;
    for (int c = 0; c < count; ++c)
        moves = moves || ts_step_is_of_mass(column[c].kind) || column[c].kind == TS_STEP_BY_GRAVITY ||
                column[c].kind == TS_STEP_BY_TIME_STEP;
    if (staged && moves) fine = ts_step_parameter_stages(&w);
    for (int t = 0; fine && !staged && t < sim->model->tree_count; ++t) {
        moves = 0;
        for (int c = 0; c < count; ++c) moves = moves || ts_step_parameter_concerns(&w, column[c], t);
        if (!moves) continue;
        fine = ts_step_parameter_tree(&w, t);
    }
    for (int c = 0; fine && c < count; ++c) {
        ts_step_add_activations(task, p, column[c], ts_step_parameter_column(&w, c));
        finish(&w, c);
    }
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}
