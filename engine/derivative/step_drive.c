// Drives: how what actuators and tendons pull answers to position, velocity and controls.
//
// A drive pulls with F along its length l, whose moment is m = dl/dq and whose bend is H = dm/dq (step_tendon.c; zero where the length is a sum of joints). With the law
// F(l, r), r = m v, as it is when the step begins, X of step_tree.c has
//     h d(m F) = h (F H + m (F_l m^T + F_r (H^T v)^T)) dq + h F_r m m^T dv.
// Taken ahead (engine/actuation/actuation.c) it is h m phi, phi = F + D r - a r+, r+ = m w of the velocity w that the step or the round leads to, D = -F_r, K = -F_l where
// they are ahead and a = D + h K, which stands in M_hat. D and K change with length and rate themselves:
//     phi_l = F_l + D_l (r - r+) - h K_l r+,   phi_r = F_r + D + D_r (r - r+) - h K_r r+,   phi_r+ = -a,
// where the dv that stands in M_hat is taken off again. By its input u, of which gain and slopes are G, G_l and G_r,
//     phi_u = G - G_r (r - r+) + h G_l r+,   G_r and G_l where D and K are ahead.
// What a row pulls is in step_rows.c.
// Source: derived here.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/derivative/step_pull_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sensor/sensor_step_slope_internal.h"
#include "engine/step/integrate/integrator.h"

int ts_step_tendon_is_sum(const ts_model* model, int tendon) {
    return model->tendon_part[model->tendon[tendon].part_first].kind == TS_TENDON_JOINT;
}

// The tendon whose moments those of drive i are, or -1.
static int tendon_of(const ts_model* model, int i) {
    if (i >= model->actuator_count) return i - model->actuator_count;
    const ts_actuator* a = &model->actuator[i];
    return ts_transmission_at(a->transmission)->target == TS_TARGET_TENDON ? a->target : -1;
}

// Force and slopes by length and rate of drive i, and the slopes of these by its input.
static void law_of(const ts_sim* sim, int i, double out_law[3], double out_gain[3]) {
    int tendon = i - sim->model->actuator_count;
    if (ts_actuation_drive(sim, i)->is_motor) {
        out_law[0] = ts_actuation_drive(sim, i)->intercept;
        out_gain[0] = sim->model->actuator[i].gain[0];
        out_law[1] = out_law[2] = out_gain[1] = out_gain[2] = 0.0;
        return;
    }
    if (tendon < 0) {
        ts_actuation_law(sim, i, out_law, out_gain);
        return;
    }
    const ts_tendon* is = &sim->model->tendon[tendon];
    double stretch = ts_tendon_stretch(is, sim->tendon_length[tendon]);
    out_gain[0] = out_gain[1] = out_gain[2] = 0.0;
    out_law[0] = -is->spring * stretch - is->damping * sim->tendon_velocity[tendon];
    // It has some play.
    out_law[1] = stretch != 0.0 ? -is->spring : 0.0;
    out_law[2] = -is->damping;
}

double ts_step_drive_stiffness(const ts_sim* sim, int i) {
    double law[3], gain[3];
    if (i < sim->model->actuator_count && !sim->model->actuator[i].active) return 0.0;
    law_of(sim, i, law, gain);
    return fmax(-law[1], 0.0);
}

// Whether the slopes of its law are constant.
static int law_is_affine(const ts_actuator* a) {
    return !a->gain_is_muscle && !a->bias_is_muscle && a->gain[1] == 0.0 && a->gain[2] == 0.0;
}

int ts_step_drive_is_plain(const ts_sim* sim, int i) {
    const ts_model* model = sim->model;
    const ts_drive* drive = ts_actuation_drive(sim, i);
    if (drive->is_motor) return 1;
    int tendon = tendon_of(model, i), constant = tendon < 0 || ts_step_tendon_is_sum(model, tendon);
    if (i >= model->actuator_count) {
        if (model->tendon[tendon].curve.is_there) return 0;
        if (model->tendon[tendon].spring == 0.0 && model->tendon[tendon].damping == 0.0) return 1;
    } else {
        const ts_actuator* a = &model->actuator[i];
        if (!a->active) return 1;
        if (ts_step_drive_is_suction(sim, i))
            return drive->mode == TS_DRIVE_PLAIN && law_is_affine(a) && a->bias[1] == 0.0 && a->bias[2] == 0.0;
        if (tendon < 0 && ts_transmission_at(a->transmission)->target != TS_TARGET_JOINT) return 0;
        if (tendon < 0 && ts_joint_traits_of(model->joint[a->target].type)->quaternion) return 0;
        if (drive->mode == TS_DRIVE_ROW && !law_is_affine(a)) return 0;
    }
    // Across trees nothing may answer to the state.
    if (drive->lever->tree < 0) {
        const ts_actuator* a = i < model->actuator_count ? &model->actuator[i] : NULL;
        return a && constant && law_is_affine(a) && a->bias[1] == 0.0 && a->bias[2] == 0.0;
    }
    if (drive->mode == TS_DRIVE_ROW && !constant) return 0;
    return constant || ts_step_tendon_bend(sim, tendon, NULL);
}

// Slopes of what a drive gives beside what is a row. Nothing at a limit but its turning.
typedef struct slopes {
    double force;   // N along its length
    double length;  // phi_l
    double rate;    // phi_r, but for what stands in M_hat
    double before;  // what multiplies m v where m turns
    double after;   // and m w
} slopes;

// `rate` before and `next` after.
static slopes slopes_of(const ts_sim* sim, int i, double rate, double next) {
    const ts_drive* drive = ts_actuation_drive(sim, i);
    slopes out = {0.0, 0.0, 0.0, 0.0, 0.0};
    double law[3], gain[3], bend[3] = {0.0, 0.0, 0.0}, h = sim->options.time_step;
    int is_actuator = i < sim->model->actuator_count;
    if (drive->mode == TS_DRIVE_ROW || (is_actuator && !sim->model->actuator[i].active)) return out;
    if (drive->mode == TS_DRIVE_PLAIN) {
        out.force = drive->beside;
        if (is_actuator && !(drive->beside > drive->low && drive->beside < drive->high)) return out;
        law_of(sim, i, law, gain);
        out.length = law[1];
        out.rate = out.before = law[2];
        return out;
    }
    law_of(sim, i, law, gain);
    if (is_actuator && !law_is_affine(&sim->model->actuator[i])) ts_actuation_law_bend(sim, i, bend);
    int damps = law[2] < 0.0, springs = sim->integrator->springs_ahead && law[1] < 0.0;
    double D = damps ? -law[2] : 0.0, D_length = damps ? -bend[1] : 0.0, D_rate = damps ? -bend[2] : 0.0;
    double K_length = springs ? -bend[0] : 0.0, K_rate = springs ? -bend[1] : 0.0;
    out.force = drive->intercept - drive->ahead * next;
    out.length = law[1] + D_length * (rate - next) - h * K_length * next;
    out.before = law[2] + D + D_rate * (rate - next) - h * K_rate * next;
    out.after = -drive->ahead;
    out.rate = out.before - drive->ahead;
    return out;
}

// x = H^T v, v (nv from `first` on).
static void turn_of(const ts_lever* lever, const double* H, const double* v, int first, double* x) {
    int n = lever->count;
    memset(x, 0, (size_t)n * sizeof(double));
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) x[c] += H[r * n + c] * v[lever->dof[r] - first];
}

// What is beside constant moments.
static void add_turning(const ts_sim* sim, int t, int i, const double* next, const slopes* s, ts_arena* scratch,
                        double* by_q) {
    const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
    int tendon = tendon_of(sim->model, i), first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    int count = lever->count;
    double gear = i < sim->model->actuator_count ? sim->model->actuator[i].gear[0] : 1.0;
    double h = sim->options.time_step;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* H = TS_ARENA_ARRAY(scratch, double, (count + 2) * count);
    if (H && ts_step_tendon_bend(sim, tendon, H)) {
        double *before = H + count * count, *after = before + count;
        for (int k = 0; k < count * count; ++k) H[k] *= gear;
        turn_of(lever, H, sim->qvel + first, first, before);
        turn_of(lever, H, next, first, after);
        for (int r = 0; r < count; ++r)
            for (int c = 0; c < count; ++c)
                by_q[(lever->dof[r] - first) * n + lever->dof[c] - first] +=
                    h *
                    (s->force * H[r * count + c] + lever->moment[r] * (s->before * before[c] + s->after * after[c]));
    }
    ts_arena_scope_end(scratch, scope);
}

// The same of a number: before (H^T v) + after (H^T w), added to by_q (n).
static void add_turned(const ts_sim* sim, int t, int i, const double* w, const slopes* s, ts_arena* scratch,
                       double* by_q) {
    const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
    int first = sim->model->tree[t].dof_first, count = lever->count;
    double gear = i < sim->model->actuator_count ? sim->model->actuator[i].gear[0] : 1.0;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* H = TS_ARENA_ARRAY(scratch, double, (count + 2) * count);
    if (H && ts_step_tendon_bend(sim, tendon_of(sim->model, i), H)) {
        double *before = H + count * count, *after = before + count;
        turn_of(lever, H, sim->qvel + first, first, before);
        turn_of(lever, H, w, first, after);
        for (int k = 0; k < count; ++k)
            by_q[lever->dof[k] - first] += gear * (s->before * before[k] + s->after * after[k]);
    }
    ts_arena_scope_end(scratch, scope);
}

void ts_step_drives_add(const ts_sim* sim, int t, const double* next, ts_arena* scratch, double* by_q, double* by_v) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double h = sim->options.time_step;
    if (!storage->drive) return;
    for (int at = storage->tree_drive_first[t]; at < storage->tree_drive_first[t + 1]; ++at) {
        int i = storage->tree_drive[at];
        // It pulls the same everywhere.
        if (storage->drive[i].is_motor) continue;
        const ts_lever* lever = storage->drive[i].lever;
        int tendon = tendon_of(sim->model, i);
        double rate = 0.0, after = 0.0;
        for (int k = 0; k < lever->count; ++k) rate += lever->moment[k] * sim->qvel[lever->dof[k]];
        for (int k = 0; k < lever->count; ++k) after += lever->moment[k] * next[lever->dof[k] - first];
        slopes s = slopes_of(sim, i, rate, after);
        for (int r = 0; r < lever->count; ++r)
            for (int c = 0; c < lever->count; ++c) {
                double moments = h * lever->moment[r] * lever->moment[c];
                int place = (lever->dof[r] - first) * n + lever->dof[c] - first;
                by_q[place] += moments * s.length;
                by_v[place] += moments * s.rate;
            }
        int pulls = s.force != 0.0 || s.before != 0.0 || s.after != 0.0;
        if (pulls && tendon >= 0 && !ts_step_tendon_is_sum(sim->model, tendon))
            add_turning(sim, t, i, next, &s, scratch, by_q);
    }
}

void ts_step_drives_add_inertia(const ts_sim* sim, int t, const double* w, double scale, ts_arena* scratch,
                                double* by_q, double* by_v) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[t].dof_first;
    double h = sim->options.time_step;
    for (int at = storage->drive ? storage->tree_drive_first[t] : 0;
         storage->drive && at < storage->tree_drive_first[t + 1]; ++at) {
        int i = storage->tree_drive[at], tendon = tendon_of(sim->model, i);
        const ts_drive* drive = &storage->drive[i];
        const ts_lever* lever = drive->lever;
        double law[3], gain[3], bend[3] = {0.0, 0.0, 0.0}, along = 0.0;
        if (drive->mode != TS_DRIVE_AHEAD) continue;
        law_of(sim, i, law, gain);
        if (ts_step_drive_stiffens(sim, i)) ts_actuation_law_bend(sim, i, bend);
        int damps = law[2] < 0.0, springs = sim->integrator->springs_ahead && law[1] < 0.0;
        for (int k = 0; k < lever->count; ++k) along += lever->moment[k] * w[lever->dof[k] - first];
        double size = scale * h * along * along;
        double by_length = -size * ((damps ? bend[1] : 0.0) + (springs ? h * bend[0] : 0.0));
        double by_rate = -size * ((damps ? bend[2] : 0.0) + (springs ? h * bend[1] : 0.0));
        for (int k = 0; k < lever->count; ++k) {
            by_q[lever->dof[k] - first] += by_length * lever->moment[k];
            by_v[lever->dof[k] - first] += by_rate * lever->moment[k];
        }
        if (tendon >= 0 && !ts_step_tendon_is_sum(sim->model, tendon)) {
            slopes turning = {.before = by_rate, .after = 2.0 * scale * h * drive->ahead * along};
            add_turned(sim, t, i, w, &turning, scratch, by_q);
        }
    }
}

// Slope of what acts beside what is taken ahead by the input.
static double gain_of(const ts_sim* sim, int i) {
    const ts_drive* drive = ts_actuation_drive(sim, i);
    double law[3], gain[3];
    if (drive->mode == TS_DRIVE_ROW || !sim->model->actuator[i].active) return 0.0;
    if (drive->mode == TS_DRIVE_PLAIN && !(drive->beside > drive->low && drive->beside < drive->high)) return 0.0;
    if (drive->is_motor) return sim->model->actuator[i].gain[0];
    law_of(sim, i, law, gain);
    return gain[0];
}

int ts_step_drives_find(const ts_step_task* task, ts_step_implicit* p) {
    ts_sim* sim = task->sim;
    int count = sim->model->actuator_count, moments = 0;
    p->drive = (ts_step_drive_slope*)ts_arena_alloc_zeroed(task->arena, (size_t)count, sizeof *p->drive);
    p->lever = (ts_step_lever*)ts_arena_alloc_zeroed(task->arena, (size_t)count, sizeof *p->lever);
    if (!p->drive || !p->lever) return 0;
    for (int i = 0; i < count; ++i) moments += ts_actuation_drive(sim, i)->lever->count;
    double* moment = TS_ARENA_ARRAY(task->arena, double, moments);
    if (!moment) return 0;
    for (int i = 0; i < count; ++i) {
        const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
        p->drive[i].gain = gain_of(sim, i);
        p->drive[i].row = -1;
        for (int k = 0; k < lever->count; ++k) moment[k] = lever->moment[k];
        p->lever[i] = (ts_step_lever){lever->count, lever->dof, moment};
        moment += lever->count;
    }
    for (int b = 0; b < sim->problem.block_count; ++b) {
        int i = (int)sim->row_block[b].key.whole;
        if (!ts_row_is(sim, b, &ts_row_servo) || i >= count) continue;
        p->drive[i].row = sim->problem.block[b].row;
        p->drive[i].push = -sim->model->actuator[i].gain[0] / ts_actuation_drive(sim, i)->ahead;
    }
    return 1;
}

int ts_step_drive_stiffens(const ts_sim* sim, int i) {
    const ts_actuator* a = i < sim->model->actuator_count ? &sim->model->actuator[i] : NULL;
    return a && a->active && !law_is_affine(a) && ts_actuation_drive(sim, i)->mode == TS_DRIVE_AHEAD;
}

// How the slopes that are taken ahead answer to the input: -dD, -dK.
static void stiffening_of(const ts_sim* sim, int i, const double law[3], const double gain[3], double* out_damping,
                          double* out_spring) {
    int stiffens = ts_step_drive_stiffens(sim, i);
    *out_damping = stiffens && law[2] < 0.0 ? gain[2] : 0.0;
    *out_spring = stiffens && sim->integrator->springs_ahead && law[1] < 0.0 ? gain[1] : 0.0;
}

double ts_step_drive_pull(const ts_sim* sim, int i, double rate, double next) {
    double law[3], gain[3], damping, spring, plain = gain_of(sim, i);
    if (!ts_step_drive_stiffens(sim, i)) return plain;
    law_of(sim, i, law, gain);
    stiffening_of(sim, i, law, gain, &damping, &spring);
    return plain - damping * (rate - next) + sim->options.time_step * spring * next;
}

double ts_step_drive_stiffening(const ts_sim* sim, int i) {
    double law[3], gain[3], damping, spring;
    law_of(sim, i, law, gain);
    stiffening_of(sim, i, law, gain, &damping, &spring);
    return -(damping + sim->options.time_step * spring);
}

int ts_step_drive_is_known(const ts_sim* sim, const ts_step_implicit* p, int i) {
    int tree = ts_actuation_drive(sim, i)->lever->tree;
    return ts_step_drive_is_plain(sim, i) && tree >= 0 && p->tree[tree].plain;
}

int ts_step_control_is_inside(const ts_sim* sim, int i) {
    const ts_limits* range = &sim->model->actuator[i].control;
    return !range->limited || (sim->ctrl[i] > range->range[0] && sim->ctrl[i] < range->range[1]);
}

int ts_step_control_is_known(const ts_sim* sim, const ts_step_implicit* p, int i) {
    const ts_actuator* a = &sim->model->actuator[i];
    const ts_drive* drive = ts_actuation_drive(sim, i);
    int inside = ts_step_control_is_inside(sim, i);
    if (drive->is_motor && !sim->integrator->revisit)
        return inside && drive->lever->tree >= 0 && p->tree[drive->lever->tree].plain;
    int plain = inside && !ts_step_drive_stiffens(sim, i);
    // Where forces are found several times they have to be the same in all.
    if (sim->integrator->revisit && a->active) {
        int tendon = tendon_of(sim->model, i), held = tendon < 0 || ts_step_tendon_is_sum(sim->model, tendon);
        plain = plain && held && law_is_affine(a) && !(drive->high < HUGE_VAL) && !(drive->low > -HUGE_VAL);
    }
    int known = ts_step_drive_is_known(sim, p, i);
    if (ts_step_drive_is_suction(sim, i)) {
        known = ts_step_drive_is_plain(sim, i) && !sim->integrator->revisit;
        for (int t = 0; t < sim->model->tree_count; ++t) known = known && p->tree[t].plain;
    }
    return a->act < 0 && plain && known;
}

// How much of a control has a say: half at an end of its range, as in the differences that columns by it are there.
static double sided(const ts_sim* sim, int i) {
    const ts_limits* range = &sim->model->actuator[i].control;
    if (ts_step_control_is_inside(sim, i)) return 1.0;
    return sim->ctrl[i] == range->range[0] || sim->ctrl[i] == range->range[1] ? 0.5 : 0.0;
}

// What a drive shows: its law as the step begins, within its limits; taken ahead, with the velocity after the step; or its row.
static void add_shown(const ts_sim* sim, int i, double share, const ts_sensor_step_slope* by) {
    const ts_drive* drive = ts_actuation_drive(sim, i);
    const ts_lever* lever = drive->lever;
    double law[3], gain[3], rate = ts_lever_rate(lever, sim->qvel);
    double next = ts_lever_rate(lever, ts_sim_storage_of(sim)->new_velocity);
    int ahead = drive->mode == TS_DRIVE_AHEAD && sim->integrator->servos == TS_SERVO_END;
    law_of(sim, i, law, gain);
    const ts_limits* limits = &sim->model->actuator[i].force;
    int held = limits->limited && !(law[0] > limits->range[0] && law[0] < limits->range[1]);
    if (!ahead && held) return;
    slopes s = {.length = law[1], .before = law[2], .after = 0.0};
    if (ahead) s = slopes_of(sim, i, rate, next);
    for (int k = 0; k < lever->count; ++k) {
        by->q[lever->dof[k]] += share * s.length * lever->moment[k];
        by->v[lever->dof[k]] += share * s.before * lever->moment[k];
        by->next[lever->dof[k]] += share * s.after * lever->moment[k];
    }
    if (ahead && sim->integrator->springs_ahead) by->time_step[0] += share * fmin(law[1], 0.0) * next;
    by->control[i] += share * sided(sim, i) * (ahead ? ts_step_drive_pull(sim, i, rate, next) : gain[0]);
}

int ts_sensor_actuator_slope(const ts_sim* sim, int i, double share, const ts_sensor_step_slope* by) {
    const ts_actuator* a = &sim->model->actuator[i];
    int tendon = tendon_of(sim->model, i);
    if (!a->active) return 1;
    if (a->act >= 0 || (tendon >= 0 && !ts_step_tendon_is_sum(sim->model, tendon))) return 0;
    if (tendon < 0 && ts_transmission_at(a->transmission)->target != TS_TARGET_JOINT) return 0;
    if (tendon < 0 && ts_joint_traits_of(sim->model->joint[a->target].type)->quaternion) return 0;
    if (ts_actuation_drive(sim, i)->mode != TS_DRIVE_ROW) {
        add_shown(sim, i, share, by);
        return 1;
    }
    for (int b = 0; b < sim->problem.block_count; ++b) {
        if (!ts_row_is(sim, b, &ts_row_servo) || sim->row_block[b].key.whole != (uint64_t)i) continue;
        int row = sim->problem.block[b].row;
        double h = sim->options.time_step;
        by->impulse[row] += share / h;
        // At its bound the force is the same in a longer step.
        int held = !(sim->impulse[row] > sim->problem.block[b].low && sim->impulse[row] < sim->problem.block[b].high);
        if (!held) by->time_step[0] -= share * sim->impulse[row] / (h * h);
    }
    return 1;
}
