// Rows that are no contacts: how they answer to positions, at fixed impulses and velocities.
//
// Limits of joints with one number: J is +-1, c* = -gap / h while there is room, else what mends; of balls J turns with the joint. Dry friction: nothing. Servos: J is constant, c* = intercept / ahead is
// linear in the length. Equalities of joints: the error has its slope, and so has their give, a millionth of G.
// Tendons that are sums of joints are like joints, in equalities too. Ties of bodies: step_tie.c. Other tendons are left to differences at frozen impulses: the columns of the trees
// that they move.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"

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

// Adds dR lambda, R a part of G, be it the row's or the solver's: of all dofs of the trees that the row moves. `by_q` (nv) has the slopes so far; J turns by `turned` times the moments of `about` for each m that that gets longer.
static int add_give(const ts_step_task* task, const ts_step_implicit* p, int b, const ts_lever* about, double turned,
                    double* by_q, double* by_v) {
    ts_sim* sim = task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    ts_step_leverage l;
    const double one = 1.0;
    int row = sim->problem.block[b].row;
    if (!ts_step_leverage_take(sim, p, &sim->scratch, &l)) return 0;
    if (!ts_step_leverage_find(sim, p, b, &one, &l)) return 0;
    double give = p->own_R ? p->own_R[row] * sim->impulse[row] / l.G : 0.0;
    for (int s = plan->segment_start[b], seen = -1; s < plan->segment_start[b + 1]; ++s) {
        int t = sim->model->dof[plan->segment[s].column].tree, first = sim->model->tree[t].dof_first;
        // Segments of a tree lie together.
        if (t == seen) continue;
        seen = t;
        for (int d = first; d < first + sim->model->tree[t].dof_count; ++d) {
            by_q[d] += give * l.slope[d];
            by_v[d] += give * l.by_v[d];
        }
    }
    if (about) ts_lever_pull(about, give * 2.0 * turned * ts_lever_rate(about, l.velocity), 0, by_q);
    return 1;
}

// A row over what is not zero of by_q and by_v (nv).
static int write_wide_row(const ts_step_task* task, ts_step_implicit* p, int b, const double* by_q,
                          const double* by_v) {
    int count = 0, nv = task->sim->model->nv;
    int* dof = TS_ARENA_ARRAY(&task->sim->scratch, int, nv);
    double* slope = TS_ARENA_ARRAY(&task->sim->scratch, double, nv);
    double* rate = TS_ARENA_ARRAY(task->arena, double, nv);
    if (!dof || !slope || !rate) return 0;
    for (int d = 0; d < nv; ++d)
        if (by_q[d] != 0.0 || by_v[d] != 0.0) {
            dof[count] = d;
            rate[count] = by_v[d];
            slope[count++] = by_q[d];
        }
    if (!write_row(task, p, b, count, dof, slope, 1.0)) return 0;
    p->block[b].by_v = rate;
    return 1;
}

// P'' at x.
static double curve_of(const ts_equality* e, double x) {
    double curve = 0.0;
    for (int k = TS_EQUALITY_COEFFICIENTS - 1; k >= 2; --k) curve = curve * x + k * (k - 1) * e->coefficient[k];
    return curve;
}

// What an equality is of: lengths that go with dofs by constant moments.
typedef struct coupled {
    const ts_lever* first;
    const ts_lever* second;  // NULL: there is none
    double x;                // the second one's stretch
    double most;             // at which errors are mended at most, per s
} coupled;

// phi = l1 - P(l2), J = m1 - P' m2, c* = -phi / h, or as fast as push_out allows.
static int find_coupled(const ts_step_task* task, ts_step_implicit* p, int b, const coupled* c) {
    ts_sim* sim = task->sim;
    const ts_equality* e = ts_row_equality_of(sim, b);
    double h = sim->options.time_step, reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row];
    double lambda = sim->impulse[sim->problem.block[b].row], rate = 0.0;
    double share = fabs(reference) < c->most * (1.0 - 1e-12) ? 1.0 / h : 0.0, curve = curve_of(e, c->x);
    // Where J^T lambda of one tree turns with another.
    if (c->second && curve != 0.0 && c->second->tree < 0) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    size_t nv = (size_t)sim->model->nv;
    double* by_q = (double*)ts_arena_alloc_zeroed(&sim->scratch, 2 * nv, sizeof(double));
    if (by_q) ts_lever_pull(c->first, share, 0, by_q);
    if (by_q && c->second) {
        ts_row_polynomial(e, c->x, &rate);
        double after = ts_lever_rate(c->second, ts_sim_storage_of(sim)->new_velocity);
        ts_lever_pull(c->second, -share * rate - curve * after, 0, by_q);
        double* turned = curve != 0.0 ? p->tree[c->second->tree].by_q : NULL;
        for (int r = 0; turned && r < c->second->count; ++r)
            for (int k = 0; k < c->second->count; ++k) {
                const ts_kinematic_tree* span = &sim->model->tree[c->second->tree];
                int row = c->second->dof[r] - span->dof_first, column = c->second->dof[k] - span->dof_first;
                turned[row * span->dof_count + column] -= curve * lambda * c->second->moment[r] * c->second->moment[k];
            }
    }
    int fine =
        by_q && add_give(task, p, b, c->second, -curve, by_q, by_q + nv) && write_wide_row(task, p, b, by_q, by_q + nv);
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}

static int find_equality(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const ts_equality* e = ts_row_equality_of(sim, b);
    const ts_joint* joint[2] = {&sim->model->joint[e->joint[0]], NULL};
    if (e->joint[1] >= 0) joint[1] = &sim->model->joint[e->joint[1]];
    int dof[2] = {joint[0]->dof_first, joint[1] ? joint[1]->dof_first : -1};
    double one = 1.0;
    ts_lever lever[2];
    memset(lever, 0, sizeof lever);
    for (int k = 0; k < 2 && joint[k]; ++k) {
        lever[k].dof = &dof[k];
        lever[k].moment = &one;
        lever[k].count = 1;
        lever[k].tree = sim->model->dof[dof[k]].tree;
    }
    coupled c = {&lever[0], joint[1] ? &lever[1] : NULL, 0.0, sim->options.push_out_speed};
    if (joint[0]->type == TS_JOINT_HINGE) c.most = sim->options.push_out_turn;
    if (joint[1]) c.x = sim->qpos[joint[1]->qpos_first] - joint[1]->reference;
    return find_coupled(task, p, b, &c);
}

// Of tendons that are sums of joints.
static int find_tendon_equality(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const int* tendon = ts_row_equality_of(sim, b)->tendon;
    const ts_lever* lever = ts_sim_storage_of(sim)->tendon_lever;
    coupled c = {&lever[tendon[0]], NULL, 0.0, sim->options.push_out_speed};
    if (!ts_step_tendon_is_sum(sim->model, tendon[0])) return 0;
    if (tendon[1] >= 0) {
        if (!ts_step_tendon_is_sum(sim->model, tendon[1])) return 0;
        c.second = &lever[tendon[1]];
        c.x = sim->tendon_length[tendon[1]] - sim->model->tendon[tendon[1]].length0;
    }
    return find_coupled(task, p, b, &c);
}

// Of a ball, gap = range - |x|, x its rotation vector: J = -n along the axis n = x / |x|, along which the angle goes as n . w; and dn = (1 - n n^T) / |x|
// dx. `law`: its slopes by gap and by speed, R among them.
static int find_ball_limit(const ts_step_task* task, ts_step_implicit* p, int b, const ts_mujoco_row_slopes* law) {
    const ts_sim* sim = task->sim;
    const ts_joint* joint = &sim->model->joint[sim->row_block[b].key.whole];
    int first = joint->dof_first, tree = sim->model->dof[first].tree, n = sim->model->tree[tree].dof_count;
    double lambda = sim->impulse[sim->problem.block[b].row], by_q[3], rate[3];
    ts_vec3 x = ts_step_ball_turn(sim, joint), axis = ts_vec3_scale(1.0 / ts_vec3_norm(x), x);
    ts_mat3 across = ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)), slope = ts_step_log_slope(x);
    across = ts_mat3_sub(across, ts_mat3_outer(axis, axis));
    ts_mat3 turned = ts_mat3_scale(1.0 / ts_vec3_norm(x), ts_mat3_mul(across, slope));
    ts_vec3 after = ts_vec3_load(ts_sim_storage_of(sim)->new_velocity + first),
            before = ts_vec3_load(sim->qvel + first);
    ts_vec3 moved = ts_mat3_mul_vec_transposed(&turned, ts_vec3_add_scaled(after, -law->reference_by_speed, before));
    ts_vec3_store(ts_vec3_neg(axis), rate);
    const int dof[3] = {first, first + 1, first + 2};
    for (int k = 0; k < 3; ++k)
        by_q[k] = (law->R_by_gap * lambda - law->reference_by_gap) * rate[k] - ts_vec3_get(moved, k);
    double* by_v = TS_ARENA_ARRAY(task->arena, double, 3);
    if (!by_v || !write_row(task, p, b, 3, dof, by_q, 1.0)) return 0;
    for (int k = 0; k < 3; ++k) by_v[k] = -law->reference_by_speed * rate[k];
    if (law->reference_by_speed != 0.0) p->block[b].by_v = by_v;
    double* to = p->tree[tree].by_q;
    for (int r = 0; to && r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            to[(first - sim->model->tree[tree].dof_first) * (n + 1) + r * n + c] -= lambda * turned.m[r][c];
    return 1;
}

static int find_hard_limit(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const ts_row_key key = sim->row_block[b].key;
    const ts_joint* joint = &sim->model->joint[key.whole];
    double reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row], h = sim->options.time_step;
    double most = joint->type == TS_JOINT_SLIDE ? sim->options.push_out_speed : sim->options.push_out_turn;
    double rate = key.part == TS_JOINT_LOWER ? 1.0 : -1.0;
    double by_gap = reference < 0.0 ? -1.0 / h : reference < most ? -sim->options.baumgarte / h : 0.0;
    double slope = -by_gap * rate;
    if (joint->type == TS_JOINT_BALL)
        return find_ball_limit(task, p, b, &(ts_mujoco_row_slopes){.reference_by_gap = by_gap});
    return write_row(task, p, b, 1, &joint->dof_first, &slope, 1.0);
}

// A row of one dof that the model makes soft: (dR lambda - dc*) by its gap, which goes with `rate` times the dof, and by its speed.
static int write_soft_row(const ts_step_task* task, ts_step_implicit* p, int b, int dof, double rate,
                          const ts_mujoco_row_slopes* law) {
    double lambda = task->sim->impulse[task->sim->problem.block[b].row];
    double slope = rate * (law->R_by_gap * lambda - law->reference_by_gap);
    double* by_v = TS_ARENA_ARRAY(task->arena, double, 1);
    if (!by_v || !write_row(task, p, b, 1, &dof, &slope, 1.0)) return 0;
    by_v[0] = -law->reference_by_speed * rate;
    p->block[b].by_v = by_v;
    return 1;
}

int ts_step_joint_softness(const ts_sim* sim, int b, ts_mujoco_row_slopes* out) {
    const ts_row_key key = sim->row_block[b].key;
    int limits = ts_row_is(sim, b, &ts_row_joint_limit), dof = (int)key.whole, k = 0;
    if (ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_MODEL) return 0;
    if (!limits && !ts_row_is(sim, b, &ts_row_joint_friction)) return 0;
    const ts_joint* joint = &sim->model->joint[limits ? (int)key.whole : sim->model->dof[dof].joint];
    const ts_mujoco_softness* softness = limits ? &joint->softness.limit : &joint->softness.friction;
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    double gap = 0.0, speed = sim->qvel[dof], d_slope = 0.0;
    if (limits) {
        int stops = ts_joint_traits_of(joint->type)->stops(joint, sim->qpos + joint->qpos_first, stop);
        while (k + 1 < stops && (uint64_t)stop[k].side != key.part) ++k;
        gap = stop[k].gap - joint->softness.margin;
        dof = joint->dof_first;
        speed = 0.0;
        for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) speed += stop[k].rate[i] * sim->qvel[dof + i];
        d_slope = ts_mujoco_impedance_slope(softness->solimp, gap);
    }
    *out = ts_mujoco_row_slope(softness, ts_mujoco_impedance(softness->solimp, gap), d_slope,
                               ts_sim_storage_of(sim)->dof_inverse_weight[dof], gap, speed, sim->options.time_step);
    // Friction has no gap.
    if (!limits) out->reference_by_gap = 0.0;
    return 1;
}

int ts_step_soft_row_is_known(const ts_sim* sim, int b) {
    if (ts_row_is(sim, b, &ts_row_contact)) return sim->problem.block[b].rows <= 3;
    return ts_row_is(sim, b, &ts_row_joint_limit) || ts_row_is(sim, b, &ts_row_joint_friction) ||
           ts_row_is(sim, b, &ts_row_servo);
}

static int find_limit(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    const ts_row_key key = sim->row_block[b].key;
    ts_mujoco_row_slopes law;
    if (ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_MODEL) return find_hard_limit(task, p, b);
    if (!ts_step_joint_softness(sim, b, &law)) return 0;
    if (sim->model->joint[key.whole].type == TS_JOINT_BALL) return find_ball_limit(task, p, b, &law);
    return write_soft_row(task, p, b, sim->model->joint[key.whole].dof_first, key.part == TS_JOINT_LOWER ? 1.0 : -1.0,
                          &law);
}

// Dry friction is a box and no more, or creeps.
static int find_friction(const ts_step_task* task, ts_step_implicit* p, int b) {
    ts_mujoco_row_slopes law;
    if (!ts_step_joint_softness(task->sim, b, &law)) return 1;
    return write_soft_row(task, p, b, (int)task->sim->row_block[b].key.whole, 1.0, &law);
}

static int find_servo(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    int i = (int)sim->row_block[b].key.whole, tendon = i - sim->model->actuator_count;
    const ts_drive* drive = ts_actuation_drive(sim, i);
    if (drive->lever->tree < 0 || !p->tree[drive->lever->tree].by_q) return 0;
    // By the rate it is constant where damping is taken ahead.
    if (tendon < 0 && sim->model->actuator[i].bias[2] > 0.0) return 0;
    double stiffness = tendon < 0 ? -sim->model->actuator[i].bias[1] : ts_step_drive_stiffness(sim, i);
    return write_row(task, p, b, drive->lever->count, drive->lever->dof, drive->lever->moment,
                     stiffness / drive->ahead);
}

// Along a tendon through space, J = sign m: adds what u does as m turns to by_q (NULL: nothing moves it) and what J^T lambda does to its tree. Returns 0 where that is
// not known.
static int add_tendon_turning(const ts_step_task* task, const ts_step_implicit* p, int b, double sign, double* by_q) {
    ts_sim* sim = task->sim;
    int tendon = (int)sim->row_block[b].key.whole;
    const ts_lever* lever = &ts_sim_storage_of(sim)->tendon_lever[tendon];
    if (ts_step_tendon_is_sum(sim->model, tendon)) return 1;
    if (lever->tree < 0 || !p->tree[lever->tree].by_q) return 0;
    int count = lever->count, first = sim->model->tree[lever->tree].dof_first;
    int n = sim->model->tree[lever->tree].dof_count;
    double lambda = sim->impulse[sim->problem.block[b].row], *of_tree = p->tree[lever->tree].by_q;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    double* H = TS_ARENA_ARRAY(&sim->scratch, double, count* count);
    int fine = H && ts_step_tendon_bend(sim, tendon, H);
    for (int r = 0; fine && r < count; ++r)
        for (int c = 0; c < count; ++c) {
            double turned = sign * H[r * count + c];
            if (by_q) by_q[c] += turned * ts_sim_storage_of(sim)->new_velocity[lever->dof[r]];
            of_tree[(lever->dof[r] - first) * n + lever->dof[c] - first] += lambda * turned;
        }
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}

// A row along a tendon, J = sign m, with `factor` m of its law.
static int write_tendon_row(const ts_step_task* task, ts_step_implicit* p, int b, double sign, double factor) {
    const ts_lever* lever = &ts_sim_storage_of(task->sim)->tendon_lever[task->sim->row_block[b].key.whole];
    double* by_q = TS_ARENA_ARRAY(task->arena, double, lever->count);
    if (!by_q) return 0;
    for (int k = 0; k < lever->count; ++k) by_q[k] = factor * lever->moment[k];
    return add_tendon_turning(task, p, b, sign, by_q) && write_row(task, p, b, lever->count, lever->dof, by_q, 1.0);
}

static int find_tendon_limit(const ts_step_task* task, ts_step_implicit* p, int b) {
    const ts_sim* sim = task->sim;
    double reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row], h = sim->options.time_step;
    double by_gap = reference < 0.0                           ? -1.0 / h
                    : reference < sim->options.push_out_speed ? -sim->options.baumgarte / h
                                                              : 0.0;
    // key.part 0: the lower end (engine/rows/tendon_limit.c).
    double sign = sim->row_block[b].key.part == 0 ? 1.0 : -1.0;
    return write_tendon_row(task, p, b, sign, -sign * by_gap);
}

// The columns of all trees that block b moves are not known.
static void give_up(const ts_sim* sim, ts_step_implicit* p, int b) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        ts_step_tree_slope* tree = &p->tree[sim->model->dof[plan->segment[s].column].tree];
        tree->by_q = tree->by_v = NULL;
    }
}

// Of any source but contacts. Returns 0 where it is not known here.
static int find_row(const ts_step_task* task, ts_step_implicit* p, int b, int soft) {
    const ts_sim* sim = task->sim;
    const ts_row_source* source = ts_row_source_at(sim->row_block[b].source);
    if (source == &ts_row_joint_limit) return find_limit(task, p, b);
    if (source == &ts_row_servo) return find_servo(task, p, b);
    if (source == &ts_row_joint_friction) return find_friction(task, p, b);
    if (soft) return 0;
    if (source == &ts_row_tendon_limit) return find_tendon_limit(task, p, b);
    if (source == &ts_row_tendon_friction) return write_tendon_row(task, p, b, 1.0, 0.0);
    if (source == &ts_row_joint_equality) return find_equality(task, p, b);
    if (source == &ts_row_tendon_equality) return find_tendon_equality(task, p, b);
    return source == &ts_row_connect || source == &ts_row_weld;
}

int ts_step_blocks_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report) {
    const ts_sim* sim = task->sim;
    int soft = ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL;
    p->block = (ts_step_block_slope*)ts_arena_alloc_zeroed(task->arena, (size_t)p->block_count, sizeof *p->block);
    if (!p->block) return 0;
    if (p->block_count == 0) return 1;
    for (int t = 0; t < sim->model->tree_count; ++t)
        ts_step_move_tree(sim->model, t, ts_sim_storage_of(sim)->new_velocity + sim->model->tree[t].dof_first,
                          &p->kinematics);
    for (int b = 0; b < p->block_count; ++b) {
        // What slips along a tendon presses on, and turns.
        int slips = !ts_step_block_acts(sim, p, b);
        if (slips && ts_row_is(sim, b, &ts_row_tendon_friction) && !add_tendon_turning(task, p, b, 1.0, NULL))
            give_up(sim, p, b);
        if (slips || ts_row_is(sim, b, &ts_row_contact)) continue;
        // A solver's own compliance goes by G, which changes with the pose.
        ts_step_softening softening;
        int fine = sim->row_block[b].blocked == TS_ROW_FREE && ts_step_softening_find(sim, p, b, &softening);
        fine = fine && find_row(task, p, b, soft);
        if (fine && softening.count > 0 && !ts_step_is_tie(sim, b))
            fine = ts_step_softening_add(task, p, b, &softening);
        if (!fine) give_up(sim, p, b);
    }
    return (soft || ts_step_ties_find(task, p, scratch)) && ts_step_contacts_find(task, p, scratch, report);
}
