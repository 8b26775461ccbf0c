// The energy of a step, told apart by where it comes from and where it goes.
//
// Problem: energy that appears or vanishes in a simulation has many fathers, and a balance that calls "numerical" what it cannot explain
// explains nothing. Rule: with v_m = (v + v+) / 2 and the inertia M of the beginning of the step,
//
//     1/2 v+^T M v+ - 1/2 v^T M v = v_m^T M (v+ - v),
//
// so every impulse p of the step gives p . v_m, whatever the others do, and nothing is left over. The impulses are known one by one: rows
// from the solve, J^T lambda = M_hat (v+ - v_f) (whose parts they are: engine/rows/row_book.c); what springs, dampers, actuators and the medium do, explicitly
// and ahead, from their own laws, h f - (M_hat - M)(v+ - v) in sum; gravity; and the integrator's: h times the Coriolis forces of the beginning, and
// M_hat (v_f - v_0), v_0 the velocity without rows that these forces alone would give, which is what it adds to them (the
// middle of the step, the forecast of touched_rotation.c). Where forces are taken in stages (rk4), each law's is the mean of them, and the
// integrator has what is left: inertia and Coriolis forces that are not the beginning's.
// Then the state moves: what kinetic energy changes by at the same velocity, since M is another one, is the integrator's, too, and so is the
// difference between the potential that is gained and the work that gravity and springs have done against it, a straight v_m for a curved path.
// Guarantee: the parts are computed apart, so that kinetic energies (from twists of bodies, engine/dynamics/energy.c) less all work are a check of
// dynamics, rows, solve and these books at once: rounding, or something is wrong.
// Known weakness: what integrators other than rk4 make of a medium beyond its force at the beginning is theirs.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/dynamics/rnea.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/ledger_internal.h"

typedef struct account_text {
    const char* name;
    const char* summary;
} account_text;

static const account_text account_table[TS_LEDGER_ACCOUNTS] = {
    [TS_LEDGER_GRAVITY] = {"gravity", "gravity, from potential energy"},
    [TS_LEDGER_SPRING] = {"spring", "springs of joints, from potential energy"},
    [TS_LEDGER_TENDON_SPRING] = {"tendon_spring", "springs of tendons, from potential energy"},
    [TS_LEDGER_ACTUATOR] = {"actuator", "actuators"},
    [TS_LEDGER_APPLIED] = {"applied", "forces from outside"},
    [TS_LEDGER_ADHESION] = {"adhesion", "adhesion of contacts"},
    [TS_LEDGER_SURFACE] = {"surface", "drives of surfaces that run"},
    [TS_LEDGER_FLUID] = {"fluid", "the surrounding medium"},
    [TS_LEDGER_DAMPING] = {"damping", "dampers of joints"},
    [TS_LEDGER_TENDON_DAMPING] = {"tendon_damping", "dampers of tendons"},
    [TS_LEDGER_DRY_FRICTION] = {"dry_friction", "dry friction of joints and tendons"},
    [TS_LEDGER_LIMIT] = {"limit", "ends of ranges: what they stop"},
    [TS_LEDGER_EQUALITY] = {"equality", "connections, welds, gears"},
    [TS_LEDGER_FRICTION] = {"contact_friction", "friction of contacts that slide"},
    [TS_LEDGER_ROLLING] = {"contact_rolling", "friction of contacts that roll or spin"},
    [TS_LEDGER_NORMAL] = {"contact_normal", "what contacts stop"},
    [TS_LEDGER_RESTITUTION] = {"restitution", "what of that bounces back"},
    [TS_LEDGER_STABILISATION] = {"stabilisation", "errors of position that are mended"},
    [TS_LEDGER_SOFTNESS] = {"softness", "contacts and rows that give"},
    [TS_LEDGER_SLEEP] = {"sleep", "what motion was left to bodies that fell asleep"},
    [TS_LEDGER_VIOLATION] = {"violation", "rows that act against their law: relaxed, or not solved"},
    [TS_LEDGER_INTEGRATOR_KINETIC] = {"integrator_kinetic", "integrator: inertia and Coriolis forces"},
    [TS_LEDGER_INTEGRATOR_POTENTIAL] = {"integrator_potential", "integrator: potential along the way"},
};

const char* ts_ledger_name(ts_ledger_account account, const char** out_summary) {
    if (out_summary) *out_summary = account_table[account].summary;
    return account_table[account].name;
}

void ts_ledger_keep(ts_sim* sim, ts_ledger* ledger) {
    ts_sim_storage_of(sim)->ledger = ledger;
    if (ledger) memset(ledger, 0, sizeof *ledger);
}

double ts_ledger_turnover(const ts_ledger* ledger) {
    double sum = ledger->first.kinetic + ledger->total_within;
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) sum += ledger->turned[i];
    return sum;
}

double ts_ledger_step_share(const ts_ledger* ledger) {
    double turned = ledger->start.kinetic + ledger->within;
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) turned += fabs(ledger->work[i]);
    return ledger->remainder == 0.0 ? 0.0 : fabs(ledger->remainder) / turned;
}

int ts_ledger_open(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->ledger) return 1;
    storage->explicit_velocity = TS_ARENA_ARRAY(&sim->scratch, double, sim->model->nv);
    if (!storage->explicit_velocity) return 0;
    memcpy(storage->explicit_velocity, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
    return 1;
}

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// A step, seen by its velocities, (nv) each.
typedef struct span {
    ts_sim* sim;
    double h;
    const double *before, *after;
    double *middle, *change, *force;
} span;

// x^T M y, from the bodies: with y = x twice the kinetic energy, in the pose of the beginning of the step. Returns 0 when memory is short.
static int inertia_product(const ts_sim* sim, const double* x, const double* y, double* out_product) {
    const ts_model* model = sim->model;
    ts_arena* arena = (ts_arena*)&sim->scratch;
    ts_motion* moves = TS_ARENA_ARRAY(arena, ts_motion, 2 * model->nv);
    if (!moves) return 0;
    ts_motion* other = moves + model->nv;
    *out_product = 0.0;
    for (int d = 0; d < model->nv; ++d) {
        int parent = model->dof[d].parent;
        moves[d] = ts_motion_add_scaled(parent >= 0 ? moves[parent] : ts_motion_zero(), x[d],
                                        ts_kinematics_axis(sim->model, &sim->kinematics, d));
        other[d] = ts_motion_add_scaled(parent >= 0 ? other[parent] : ts_motion_zero(), y[d],
                                        ts_kinematics_axis(sim->model, &sim->kinematics, d));
        *out_product += model->dof[d].armature * x[d] * y[d];
    }
    for (int b = 1; b < model->body_count; ++b) {
        int last = model->body[b].dof_last;
        if (model->body[b].tree < 0 || last < 0) continue;
        ts_inertia inertia = ts_kinematics_inertia(model, &sim->kinematics, b);
        *out_product += ts_motion_dot_force(moves[last], ts_inertia_mul(&inertia, other[last]));
    }
    return 1;
}

// Springs and dampers of joints (engine/dynamics/dynamics.c).
static void book_joints(const span* step, double* account) {
    const ts_model* model = step->sim->model;
    const ts_integrator* integrator = step->sim->integrator;
    double h = step->h, stretch[TS_JOINT_NV_MOST], stiffness, damping;
    for (int d = 0; d < model->nv; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        double v = step->before[d], next = step->after[d], impulse = h * step->middle[d];
        account[TS_LEDGER_DAMPING] -= impulse * model->dof[d].damping * (integrator->damping_ahead ? next : v);
        if (joint->spring == 0.0 && !joint->curve.is_there) continue;
        ts_joint_stretch(joint, step->sim->qpos + joint->qpos_first, stretch);
        double x = stretch[d - joint->dof_first], way = integrator->springs_ahead ? h * next : 0.0;
        account[TS_LEDGER_SPRING] -= impulse * joint->spring * (x + way);
        if (!joint->curve.is_there) continue;
        double spring = ts_curve_force(&joint->curve, x, 0.0, &stiffness, &damping);
        double both = ts_curve_force(&joint->curve, x, v, &stiffness, &damping);
        double ahead = integrator->damping_ahead ? fmax(damping, 0.0) * (next - v) : 0.0;
        account[TS_LEDGER_SPRING] += impulse * (spring - fmax(stiffness, 0.0) * way);
        account[TS_LEDGER_DAMPING] += impulse * (both - spring - ahead);
    }
}

// What is held over a step, and Coriolis forces.
static void book_held(const span* step, double* account) {
    ts_sim* sim = step->sim;
    size_t bytes = (size_t)sim->model->nv * sizeof(double);
    int nv = sim->model->nv;
    ts_dynamics_gather_applied(sim, step->force);
    account[TS_LEDGER_APPLIED] = step->h * dot(step->force, step->middle, nv);
    memset(step->force, 0, bytes);
    ts_dynamics_gather_adhesion(sim, step->force);
    account[TS_LEDGER_ADHESION] = step->h * dot(step->force, step->middle, nv);
    ts_rnea_gravity(sim->model, &sim->kinematics, sim->options.gravity, &ts_sim_storage_of(sim)->tree_scratch,
                    step->force);
    for (int d = 0; d < nv; ++d) step->force[d] -= sim->bias[d];
    account[TS_LEDGER_INTEGRATOR_KINETIC] = step->h * dot(step->force, step->middle, nv);
}

// What laws make of the present state: gravity, springs and dampers, actuators, the medium.
static void book_laws(const span* step, double* account) {
    ts_sim* sim = step->sim;
    if (ts_fluid_is_there(&sim->options)) account[TS_LEDGER_FLUID] += ts_fluid_work(sim, step->middle, step->change);
    ts_rnea_gravity(sim->model, &sim->kinematics, sim->options.gravity, &ts_sim_storage_of(sim)->tree_scratch,
                    step->force);
    account[TS_LEDGER_GRAVITY] -= step->h * dot(step->force, step->middle, sim->model->nv);
    book_joints(step, account);
    ts_actuation_book(sim, step->before, step->after, account);
}

// The mean of the stages, in place of the beginning.
typedef struct stage_mean {
    const span* step;
    double* after;
    double account[TS_LEDGER_ACCOUNTS];
} stage_mean;

// A stage, as a step from its velocity that has the whole step's middle.
static void book_stage(ts_sim* sim, double weight, void* user) {
    stage_mean* mean = (stage_mean*)user;
    span stage = *mean->step;
    double account[TS_LEDGER_ACCOUNTS] = {0.0};
    for (int d = 0; d < sim->model->nv; ++d) mean->after[d] = 2.0 * stage.middle[d] - sim->qvel[d];
    stage.before = sim->qvel;
    stage.after = mean->after;
    book_laws(&stage, account);
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) mean->account[i] += weight * account[i];
}

// Returns 0 when memory is short.
static int book_by_stages(const span* step, double* account) {
    ts_sim* sim = step->sim;
    stage_mean mean = {step, TS_ARENA_ARRAY(&sim->scratch, double, sim->model->nv), {0.0}};
    double start[TS_LEDGER_ACCOUNTS] = {0.0};
    if (sim->integrator->revisit && !mean.after) return 0;
    book_laws(step, start);
    if (!sim->integrator->revisit)
        memcpy(mean.account, start, sizeof start);
    else if (!sim->integrator->revisit(sim, &sim->scratch, book_stage, &mean))
        return 0;
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) {
        account[i] += mean.account[i];
        account[TS_LEDGER_INTEGRATOR_KINETIC] -= mean.account[i] - start[i];
    }
    return 1;
}

// x^T M_hat (a - b) of tree t.
static double tree_product(const ts_sim* sim, int t, const double* x, const double* a, const double* b) {
    const double* M = sim->mass_matrix + sim->mass_start[t];
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) sum += x[first + i] * M[i * n + k] * (a[first + k] - b[first + k]);
    return sum;
}

// v_m . M_hat (v_f - v_0): what the integrator made of the velocity without rows. Of bodies that it frees itself v_0 is known by its forces.
static double integrator_work(const span* step) {
    const ts_sim* sim = step->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const double* explicit = storage->explicit_velocity;
    double sum = 0.0;
    for (int t = 0; t < sim->model->tree_count; ++t) {
        int first = sim->model->tree[t].dof_first,
            freed = sim->integrator->frees_lone_bodies && storage->tree_is_lone[t];
        sum += tree_product(sim, t, step->middle, sim->free_velocity, freed ? step->before : explicit);
        if (freed) sum -= step->h * dot(step->middle + first, explicit + first, sim->model->tree[t].dof_count);
    }
    return sum;
}

// (v+ - v_f)^T M_hat (v+ - v_f) / 2; `force` holds the difference then.
static double taken_within(const span* step) {
    const ts_model* model = step->sim->model;
    double sum = 0.0;
    for (int d = 0; d < model->nv; ++d) step->force[d] = step->after[d] - step->sim->free_velocity[d];
    for (int t = 0; t < model->tree_count; ++t)
        sum += tree_product(step->sim, t, step->force, step->after, step->sim->free_velocity);
    return 0.5 * sum;
}

static void book_rows(const ts_sim* sim, double* account) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_soft_contact kind = ts_soft_contact_kind(sim);
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        int row = block->row, is_contact = block->set == TS_SET_CONE || sim->row_block[b].source == 0;
        const double* R = storage->row_softness;
        ts_row_work work = {sim->impulse + row,       storage->row_before + row, storage->row_after + row,
                            storage->reference + row, R ? R + row : NULL,        kind == TS_SOFT_CONTACT_MODEL};
        if (kind == TS_SOFT_CONTACT_SPRING) work.soft = is_contact;
        ts_row_book_block(sim, b, &work, account);
    }
}

int ts_ledger_book(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_ledger* ledger = storage->ledger;
    int nv = sim->model->nv;
    if (!ledger) return 1;
    double* numbers = TS_ARENA_ARRAY(&sim->scratch, double, 3 * nv);
    span step = {sim,     sim->options.time_step, sim->qvel,       storage->new_velocity,
                 numbers, numbers + nv,           numbers + 2 * nv};
    double was = 0.0, is = 0.0, *account = ledger->work;
    if (!numbers) return 0;
    for (int d = 0; d < nv; ++d) {
        step.middle[d] = 0.5 * (step.before[d] + step.after[d]);
        step.change[d] = step.after[d] - step.before[d];
    }
    if (!inertia_product(sim, step.before, step.before, &was) || !inertia_product(sim, step.after, step.after, &is))
        return 0;
    memset(account, 0, sizeof ledger->work);
    book_held(&step, account);
    if (!book_by_stages(&step, account)) return 0;
    book_rows(sim, account);
    ts_energy start = ts_sim_energy(sim);
    ledger->outside =
        ledger->steps == 0 ? 0.0 : (start.kinetic - ledger->end.kinetic) + (start.potential - ledger->end.potential);
    ledger->start = start;
    // From the velocities to what they stand for, where a body's is half a step late; `close` knows the other end.
    account[TS_LEDGER_INTEGRATOR_KINETIC] += integrator_work(&step) + 0.5 * was - start.kinetic - 0.5 * is;
    ledger->within = taken_within(&step);
    return 1;
}

void ts_ledger_close(ts_sim* sim) {
    ts_ledger* ledger = ts_sim_storage_of(sim)->ledger;
    if (!ledger) return;
    double *work = ledger->work, sum = 0.0;
    ledger->end = ts_sim_energy(sim);
    work[TS_LEDGER_INTEGRATOR_KINETIC] += ledger->end.kinetic;
    work[TS_LEDGER_INTEGRATOR_POTENTIAL] = ledger->end.potential - ledger->start.potential + work[TS_LEDGER_GRAVITY] +
                                           work[TS_LEDGER_SPRING] + work[TS_LEDGER_TENDON_SPRING];
    for (int i = 0; i < TS_LEDGER_INTEGRATOR_POTENTIAL; ++i) sum += work[i];
    ledger->remainder = ledger->end.kinetic - ledger->start.kinetic - sum;
    if (ledger->steps++ == 0) ledger->first = ledger->start;
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) {
        ledger->total[i] += work[i];
        ledger->turned[i] += fabs(work[i]);
    }
    ledger->total_within += ledger->within;
    ledger->total_outside += ledger->outside;
    ledger->total_remainder += fabs(ledger->remainder);
}

void ts_ledger_put_to_sleep(ts_sim* sim) {
    ts_ledger* ledger = ts_sim_storage_of(sim)->ledger;
    if (!ledger) return;
    ts_energy now = ts_sim_energy(sim);
    double taken = now.kinetic - ledger->end.kinetic;
    ledger->end.kinetic = now.kinetic;
    ledger->work[TS_LEDGER_SLEEP] += taken;
    ledger->total[TS_LEDGER_SLEEP] += taken;
    ledger->turned[TS_LEDGER_SLEEP] += fabs(taken);
}
