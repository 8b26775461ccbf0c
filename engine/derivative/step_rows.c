// Rows that are no contacts: how they answer to positions, at fixed impulses and velocities.
//
// Limits of joints with one number: J is +-1, c* = -gap / h while there is room, else what mends. Dry friction: nothing. Servos: J is constant, c* = intercept / ahead is
// linear in the length. Equalities of joints: the error has its slope; their give, a millionth of G, is taken for constant (1e-9 of what their error does).
// Ties of bodies: step_tie.c. Tendons, limits of rotations and all that is soft are left to differences at frozen impulses: the columns of the trees
// that they move.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"

// Sources that are known here, by name.
typedef struct known_sources {
    int contact;
    int limit;
    int friction;
    int servo;
    int equality;
    int connect;
    int weld;
} known_sources;

// A block of one row over some dofs, u by their positions `factor` times slope.
static int write_row(const ts_step_task* task, ts_step_implicit* p, int b, int count, const int* dof,
                     const double* slope, double factor) {
    const ts_block* block = &task->sim->problem.block[b];
    int* dofs = TS_ARENA_ARRAY(task->arena, int, count);
    double* by_q = TS_ARENA_ARRAY(task->arena, double, count);
    if (!dofs || !by_q) return 0;
    memcpy(dofs, dof, (size_t)count * sizeof(int));
    for (int k = 0; k < count; ++k) by_q[k] = factor * slope[k];
    p->block[b] = (ts_step_block_slope){block->row, 1, count, dofs, by_q, NULL, NULL};
    return 1;
}

// phi = q1 - P(q2), J = (1, -P'), c* = -phi / h, or as fast as push_out allows.
static int find_equality(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const ts_equality* e = ts_row_equality_of(sim, b);
    const ts_joint* first = &sim->model->joint[e->joint[0]];
    double h = sim->options.time_step, reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row];
    double most = first->type == TS_JOINT_HINGE ? sim->options.push_out_turn : sim->options.push_out_speed;
    double share = fabs(reference) < most ? 1.0 / h : 0.0, slope[2] = {share, 0.0};
    int dof[2] = {first->dof_first, -1}, count = 1;
    if (e->joint[1] >= 0) {
        const ts_joint* second = &sim->model->joint[e->joint[1]];
        double x = sim->qpos[second->qpos_first] - second->reference, rate, curve = 0.0;
        ts_row_polynomial(e, x, &rate);
        for (int k = TS_EQUALITY_COEFFICIENTS - 1; k >= 2; --k) curve = curve * x + k * (k - 1) * e->coefficient[k];
        dof[count] = second->dof_first;
        slope[count++] = -share * rate - curve * ts_sim_storage_of(sim)->new_velocity[second->dof_first];
    }
    return write_row(task, p, b, count, dof, slope, 1.0);
}

// Returns 0 when it is not known here.
static int find_limit(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const ts_row_key key = sim->row_block[b].key;
    const ts_joint* joint = &sim->model->joint[key.whole];
    if (joint->type != TS_JOINT_HINGE && joint->type != TS_JOINT_SLIDE) return 0;
    double reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row], h = sim->options.time_step;
    double most = joint->type == TS_JOINT_SLIDE ? sim->options.push_out_speed : sim->options.push_out_turn;
    double rate = key.part == TS_JOINT_LOWER ? 1.0 : -1.0;
    double by_gap = reference < 0.0 ? -1.0 / h : reference < most ? -sim->options.baumgarte / h : 0.0;
    double slope = -by_gap * rate;
    return write_row(task, p, b, 1, &joint->dof_first, &slope, 1.0);
}

static int find_servo(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    int i = (int)sim->row_block[b].key.whole;
    if (i >= sim->model->actuator_count) return 0;
    const ts_drive* drive = ts_actuation_drive(sim, i);
    const ts_actuator* a = &sim->model->actuator[i];
    // By the rate it is constant where damping is taken ahead.
    if (drive->lever->tree < 0 || !p->tree[drive->lever->tree].by_q || a->bias[2] > 0.0) return 0;
    return write_row(task, p, b, drive->lever->count, drive->lever->dof, drive->lever->moment,
                     -a->bias[1] / drive->ahead);
}

// The columns of all trees that block b moves are not known.
static void give_up(const ts_sim* sim, ts_step_implicit* p, int b) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        ts_step_tree_slope* tree = &p->tree[sim->model->dof[plan->segment[s].column].tree];
        tree->by_q = tree->by_v = NULL;
    }
}

int ts_step_blocks_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report) {
    const ts_sim* sim = task->sim;
    known_sources known = {
        ts_row_source_find("contact"), ts_row_source_find("joint-limit"),    ts_row_source_find("joint-friction"),
        ts_row_source_find("servo"),   ts_row_source_find("joint-equality"), ts_row_source_find("connect"),
        ts_row_source_find("weld")};
    // A solver's own compliance goes by G, which changes with the pose.
    int soft = ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE || sim->solver->compliance;
    p->block = (ts_step_block_slope*)ts_arena_alloc_zeroed(task->arena, (size_t)p->block_count, sizeof *p->block);
    if (!p->block) return 0;
    for (int t = 0; t < sim->model->tree_count; ++t)
        ts_step_move_tree(sim->model, t, ts_sim_storage_of(sim)->new_velocity + sim->model->tree[t].dof_first,
                          &p->kinematics);
    for (int b = 0; b < p->block_count; ++b) {
        const ts_row_block* owner = &sim->row_block[b];
        if (!ts_step_block_acts(sim, p, b)) continue;
        int fine = !soft && owner->blocked == TS_ROW_FREE;
        if (owner->source == known.contact && !soft) continue;
        if (fine && owner->source == known.limit)
            fine = find_limit(task, p, b);
        else if (fine && owner->source == known.servo)
            fine = find_servo(task, p, b);
        else if (fine && owner->source == known.equality)
            fine = find_equality(task, p, b);
        else
            fine = fine &&
                   (owner->source == known.friction || owner->source == known.connect || owner->source == known.weld);
        if (!fine) give_up(sim, p, b);
    }
    if (soft) return 1;
    return ts_step_ties_find(task, p, scratch) && ts_step_contacts_find(task, p, scratch, report);
}
