// The work of actuators and tendons.
//
// Problem: forces that are taken ahead stand in the mass matrix in part, and some are rows. Rule: whichever way it entered, the force is what acts beside,
// less ahead (m v+ - m v), or what the row answered (engine/actuation/actuation.c), and works h f m (v + v+) / 2. A tendon's spring has the force at the
// length that it was taken at; what is left of the tendon's is its damper's.
#include <math.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/tendon_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

// N along tendon t: of its spring alone, which ends the step with the rate `after`.
static double spring_force(const ts_sim* sim, int t, ts_drive_mode mode, double after) {
    const ts_tendon* tendon = &sim->model->tendon[t];
    double stretch = ts_tendon_stretch(tendon, sim->tendon_length[t]),
           stiffness = stretch != 0.0 ? tendon->spring : 0.0;
    double force = -tendon->spring * stretch, curved = 0.0, damping;
    if (tendon->curve.is_there) force += ts_curve_force(&tendon->curve, stretch, 0.0, &curved, &damping);
    int ahead = mode != TS_DRIVE_PLAIN && sim->integrator->springs_ahead;
    return ahead ? force - sim->options.time_step * fmax(stiffness + curved, 0.0) * after : force;
}

void ts_actuation_book_drive(const ts_sim* sim, int i, double pull, double before, double after, double* account) {
    int tendon = i - sim->model->actuator_count;
    double middle = 0.5 * (before + after);
    if (tendon < 0) {
        account[TS_LEDGER_ACTUATOR] += pull * middle;
        return;
    }
    double force = spring_force(sim, tendon, ts_actuation_drive(sim, i)->mode, after);
    double spring = sim->options.time_step * force;
    account[TS_LEDGER_TENDON_SPRING] += spring * middle;
    account[TS_LEDGER_TENDON_DAMPING] += (pull - spring) * middle;
}

void ts_actuation_book(const ts_sim* sim, const double* before, const double* after, double* account) {
    double h = sim->options.time_step;
    const double* excess = ts_sim_storage_of(sim)->joint_excess;
    for (int i = 0; i < ts_actuation_drive_count(sim->model); ++i) {
        const ts_drive* drive = ts_actuation_drive(sim, i);
        double rate = ts_lever_rate(drive->lever, before), next = ts_lever_rate(drive->lever, after);
        double force = drive->beside - (drive->mode == TS_DRIVE_AHEAD ? drive->ahead * (next - rate) : 0.0);
        if (drive->mode != TS_DRIVE_ROW) ts_actuation_book_drive(sim, i, h * force, rate, next, account);
    }
    for (int d = 0; excess && d < sim->model->nv; ++d)
        account[TS_LEDGER_ACTUATOR] -= h * excess[d] * 0.5 * (before[d] + after[d]);
}
