// What MuJoCo would compute otherwise, and why, with a consequence in numbers.
//
// Of a soft row in MuJoCo (impedance d, stiffness K = 1 / (d_width T zeta)^2, damping B = 2 / (d_width T)) that carries a steady load which
// would accelerate it by a: it gives by a (1 - d) / (d^2 K); and friction that holds a creeps at a (1 - d) / (d impratio B). Both follow from
// f (A + R) = a_ref + a, A f = a and R = A (1 - d) / d (MuJoCo's documentation, "Computation").
#include "cli/check/check_internal.h"

#include "contact/mujoco_softness.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double slope = 0.17364817766693033;  // sin 10 degrees

// Length by which a row gives under `load` (m/s^2 or rad/s^2).
static double give(const ts_mujoco_softness* softness, double time_step, double load) {
    const double *ref = softness->solref, *imp = softness->solimp;
    double K = -ref[0] / (imp[1] * imp[1]), length = 0.0;
    if (ref[0] > 0.0) {
        double T = fmax(ref[0], 2.0 * time_step);
        K = 1.0 / (imp[1] * imp[1] * T * T * ref[1] * ref[1]);
    }
    // The impedance depends on the length itself, mildly.
    for (int i = 0; i < 50; ++i) {
        double d = ts_mujoco_impedance(imp, length);
        length = load * (1.0 - d) / (d * d * K);
    }
    return length;
}

static double creep(const ts_mujoco_softness* softness, double time_step, double impratio, double load) {
    const double *ref = softness->solref, *imp = softness->solimp;
    double B = ref[0] > 0.0 ? 2.0 / (imp[1] * fmax(ref[0], 2.0 * time_step)) : -ref[1] / imp[1];
    double d = ts_mujoco_impedance(imp, 0.0);
    return B > 0.0 ? load * (1.0 - d) / (d * impratio * B) : 0.0;
}

static int is_soft(const ts_sim* sim) {
    return sim->options.soft_contacts == 2 || (sim->options.soft_contacts == 1 && sim->solver->compliance != NULL) ||
           strcmp(sim->solver->name, "mujoco") == 0;
}

static void note_contacts(const ts_sim* sim, ts_check_note_array* notes) {
    ts_surface surface = ts_surface_default();
    if (sim->contact_count > 0) {
        const ts_contact first = ts_sim_contact(sim, 0);
        surface = ts_model_surface_between(sim->model, first.geom_a, first.geom_b);
    }
    double g = ts_vec3_norm(sim->options.gravity), h = sim->options.time_step;
    double sinks = give(&surface.softness, h, g),
           creeps = creep(&surface.softness, h, sim->options.impratio, slope * g);
    int touches = 0;
    for (int i = 0; i < sim->model->geom_count; ++i) touches |= sim->model->geom[i].category != 0;
    if ((!touches && sim->model->pair_count == 0) || g == 0.0) return;
    ts_check_note_add(
        notes, "soft contacts", "contacts", sinks, "m",
        "are soft there: what rests on a single contact sinks by %.3g mm; here contacts are hard, and overlap is "
        "left alone up to %.3g mm",
        1e3 * sinks, 1e3 * sim->options.slop);
    ts_check_note_add(
        notes, "creep", "friction", creeps, "m/s",
        "creeps there: on a slope of 10 degrees what should stick slides at %.3g mm/s (impratio %.3g); here it "
        "sticks",
        1e3 * creeps, sim->options.impratio);
    ts_check_note_add(
        notes, "cone", "friction", 1.0 - sqrt(0.5), "1",
        "is a pyramid there unless cone=\"elliptic\" is said: along its diagonals it holds 29 %% less; here it is "
        "a round cone");
}

// The limited joint that gravity would drive hardest. `plain` has the mass matrix of the masses alone.
static void note_limits(const ts_sim* plain, ts_check_note_array* notes) {
    const ts_model* model = plain->model;
    int worst = -1;
    double most = 0.0;
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        if (!joint->limited || ts_joint_type_nv(joint->type) != 1) continue;
        int d = joint->dof_first, tree = model->dof[d].tree, n = model->tree[tree].dof_count;
        int i = d - model->tree[tree].dof_first;
        double load = fabs(plain->bias[d]) / plain->mass_matrix[plain->mass_start[tree] + i * n + i];
        if (load < most || !isfinite(load)) continue;
        most = load;
        worst = j;
    }
    if (worst < 0 || most == 0.0) return;
    const ts_joint* joint = &model->joint[worst];
    double gives = give(&joint->softness.limit, plain->options.time_step, most);
    char name[140];
    ts_check_name("joint", joint->name, worst, name);
    int turns = joint->type == TS_JOINT_HINGE;
    ts_check_note_add(
        notes, "soft limits", name, gives, turns ? "rad" : "m",
        "would hang %.3g %s beyond its end under its load at the start: limits are soft there and hard here",
        turns ? gives : 1e3 * gives, turns ? "rad" : "mm");
}

static void note_equalities(const ts_sim* sim, ts_check_note_array* notes) {
    double g = ts_vec3_norm(sim->options.gravity), most = 0.0;
    int worst = -1;
    for (int e = 0; e < sim->model->equality_count; ++e) {
        const ts_equality* equality = &sim->model->equality[e];
        double gives = give(&equality->softness, sim->options.time_step, g);
        if (!equality->active || equality->body[0] < 0 || gives <= most) continue;
        most = gives;
        worst = e;
    }
    if (worst < 0) return;
    const ts_equality* equality = &sim->model->equality[worst];
    char name[140];
    ts_check_name(ts_row_source_name(equality->source), equality->name, worst, name);
    ts_check_note_add(notes, "soft equalities", name, most, "m",
                      "opens by %.3g mm there under a load of its own weight; here it is held to 1e-8 m", 1e3 * most);
}

// How far apart two integrators are after a while without contacts, in the largest coordinate.
static double integrators_part(const ts_sim* sim, int steps) {
    ts_sim* run[2] = {NULL, NULL};
    ts_status status;
    double apart = (double)NAN;
    int well = 1;
    for (int k = 0; k < 2 && well; ++k) {
        well = ts_sim_create(sim->model, 1, &run[k], &status) == TS_OK;
        if (well) ts_check_without_contacts(run[k]);
        if (well && k == 1) well = !ts_sim_set_integrator(run[k], "Euler", &status);
        for (int i = 0; i < steps && well; ++i) well = !ts_sim_step(run[k], &status);
    }
    for (int q = 0; q < sim->model->nq && well; ++q)
        apart = fmax(fabs(run[0]->qpos[q] - run[1]->qpos[q]), isnan(apart) ? 0.0 : apart);
    for (int k = 0; k < 2; ++k) ts_sim_free(run[k]);
    return apart;
}

static void note_integrator(const ts_sim* sim, ts_check_note_array* notes) {
    enum { STEPS = 50 };
    if (sim->model->nv == 0 || strcmp(sim->options.integrator, "midpoint") != 0) return;
    double apart = integrators_part(sim, STEPS);
    if (isfinite(apart))
        ts_check_note_add(
            notes, "integrator", "integrator", apart, "m, rad",
            "is midpoint here where the file says none, and Euler there: after %d steps of this model the two are "
            "apart by %.3g (m, rad) in the coordinate that differs most",
            STEPS, apart);
    else
        ts_check_note_add(
            notes, "integrator", "integrator", (double)NAN, "",
            "is midpoint here where the file says none, and Euler there, under which this model leaves the finite "
            "numbers within %d steps, or one of the two fails",
            STEPS);
}

// Servos: forces at the end of the step here, at its beginning there.
static void note_servos(const ts_sim* plain, const ts_sim* sim, ts_check_note_array* notes) {
    const ts_model* model = plain->model;
    double most = 0.0, h = sim->options.time_step;
    int worst = -1;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        if (ts_transmission_name(a->transmission)[0] != 'j' || ts_joint_type_nv(model->joint[a->target].type) != 1)
            continue;
        int d = model->joint[a->target].dof_first, tree = model->dof[d].tree, n = model->tree[tree].dof_count;
        int k = d - model->tree[tree].dof_first;
        double inertia = plain->mass_matrix[plain->mass_start[tree] + k * n + k], gear = a->gear[0] * a->gear[0];
        double number = gear * (fmax(-a->bias[1], 0.0) * h * h + fmax(-a->bias[2], 0.0) * h) / inertia;
        if (!(number > most)) continue;
        most = number;
        worst = i;
    }
    if (worst < 0 || strcmp(sim->options.integrator, "midpoint") != 0) return;
    char name[140];
    ts_check_name("actuator", model->actuator[worst].name, worst, name);
    ts_check_note_add(
        notes, "servos", name, most, "1",
        "pulls with its force at the end of the step here, limits included, and with that at the beginning under "
        "MuJoCo's Euler: (k h^2 + d h) / m is %.3g, %s",
        most, most > 2.0 ? "where that is not stable" : "where both are stable (below 2)");
}

static void note_sensors(const ts_sim* sim, ts_check_note_array* notes) {
    int rays = 0, hulls = 0;
    for (int i = 0; i < sim->model->sensor_count; ++i)
        rays += strcmp(ts_sensor_kind_name(sim->model->sensor[i].kind), "rangefinder") == 0;
    for (int i = 0; i < sim->model->geom_count; ++i) hulls += sim->model->geom[i].shape.kind == TS_SHAPE_HULL;
    if (rays > 0 && hulls > 0)
        ts_check_note_add(
            notes, "rays", "rangefinders", hulls, "1",
            "meet %d mesh%s where their convex hulls are, and planes without end; there they meet the triangles, and "
            "planes within their size",
            hulls, hulls == 1 ? "" : "es");
    if (sim->model->step_sensor_count > 0)
        ts_check_note_add(
            notes, "accelerations", "sensors", sim->model->step_sensor_count, "1",
            "of accelerations and forces (%d) show means over the step that led to the state; there they belong to "
            "the instant at which the step began",
            sim->model->step_sensor_count);
}

void ts_check_mujoco_find(ts_sim* sim, ts_check_note_array* out_notes) {
    ts_sim* plain = NULL;
    ts_status status;
    int well = ts_sim_create(sim->model, 1, &plain, &status) == TS_OK &&
               !ts_sim_set_integrator(plain, "rk4", &status) && !ts_sim_forward(plain, &status);
    if (!is_soft(sim)) {
        note_contacts(sim, out_notes);
        if (well) note_limits(plain, out_notes);
        note_equalities(sim, out_notes);
    }
    note_integrator(sim, out_notes);
    if (well) note_servos(plain, sim, out_notes);
    note_sensors(sim, out_notes);
    ts_sim_free(plain);
}
