// Translating a spring and a damper.
//
// Problem: a contact of stiffness k and damping c under a mass m, on steps of h: what are MuJoCo's solref and solimp, Drake's relaxation time,
// ERP and CFM, R and c*, and what do they come to?
// Rule: all of them say u = (G + R) lambda + g - c* of one row, u the velocity at the end of the step. The spring and damper at the end of the
// step, lambda / h = -k (phi + h u) - c u, are R = 1 / (h k (h + tau)), c* = -phi / (h + tau), tau = c / k. MuJoCo has R = (1 - d) / d A
// and c* = v - h (b v + kappa d phi), v the velocity at the beginning: the same where d = A / (A + R), b = 1 / h, kappa d = 1 / (h (h + tau)),
// A = 1 / m; directly given, solref is (-kappa d^2, -b d). ERP = h k / (h k + c), CFM = 1 / (h k + c) are the same in forces. SAP never goes below
// R = beta^2 / (4 pi^2) |G| and gives friction R_T = sigma |G|.
// Guaranteed: predictions are of the discrete law, by iterating its one row, not of the continuous spring; `--verify` confirms them.
// Known to fail: several contacts under one body share its mass; A is then larger than 1 / m, and so is what follows from it.
#include "cli/material/material_internal.h"

#include "base/text.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/sim.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double gravity = 9.81, fall_speed = 1.0;  // m/s^2, m/s
// Of SAP: its defaults.
static const double sap_beta = 1.0, sap_sigma = 1e-3, four_pi_squared = 39.478417604357434;
// The hardest impedance that MuJoCo takes.
static const double hardest = 0.9999;

static const char* const model_names[TS_MATERIAL_MODELS] = {"touchstone, hard", "touchstone, springs", "mujoco",
                                                            "sap (Drake)", "Bullet, ODE"};

// A row that is soft: R, and c* = -rate phi + keep v.
typedef struct soft_row {
    double R;     // 1/kg
    double rate;  // 1/s
    double keep;  // 1
} soft_row;

// What is left of the speed of a fall that touches at the end of a step: steps of the one row, there while shapes overlap, until it pushes
// no more.
static double bounce_of(const ts_material* m, soft_row row) {
    double v = -fall_speed, phi = 0.0, h = m->time_step;
    for (long i = 0; i < 100000000L; ++i) {
        double free = v - h * gravity, target = -row.rate * phi + row.keep * v;
        double lambda = phi < 0.0 ? (target - free) / (1.0 / m->mass + row.R) : 0.0;
        if (lambda <= 0.0 && i > 0) return fmax(0.0, v / fall_speed);
        v = free + fmax(lambda, 0.0) / m->mass;
        phi += h * v;
        if (i > 1000 && fabs(v) < 1e-3 * fall_speed &&
            fabs(lambda - m->mass * gravity * h) < 1e-6 * m->mass * gravity * h)
            return 0.0;
    }
    return (double)NAN;
}

ts_code ts_material_complete(ts_material* m, ts_status* out_status) {
    if (m->restitution > 1.0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--restitution is 0 to 1, not %g", m->restitution);
    double pi = 3.14159265358979323846, critical = 2.0 * sqrt(m->stiffness * m->mass);
    m->impact = m->restitution;
    if (m->restitution >= 0.0 && m->damping < 0.0) {
        // Of a linear spring and damper: e = exp(-pi zeta / sqrt(1 - zeta^2)).
        double loss = -log(fmax(m->restitution, 1e-12));
        m->damping = critical * loss / sqrt(pi * pi + loss * loss);
    } else {
        if (m->damping < 0.0) m->damping = 0.0;
        double zeta = m->damping / critical;
        m->restitution = zeta < 1.0 ? exp(-pi * zeta / sqrt(1.0 - zeta * zeta)) : 0.0;
    }
    if (m->impact < 0.0) m->impact = m->restitution;
    return ts_status_ok(out_status);
}

// Drake's: the Frobenius norm over the rows, of a mass that does not turn.
static double sap_size(const ts_material* m) { return sqrt(3.0) / 3.0 / m->mass; }

// The row of model i; where a limit of the model decides, `limited` is set.
static soft_row row_of(const ts_material* m, int i, int* limited) {
    double h = m->time_step, tau = m->damping / m->stiffness;
    soft_row row = {1.0 / (h * m->stiffness * (h + tau)), 1.0 / (h + tau), 0.0};
    *limited = 0;
    if (i == 2) {
        double d = 1.0 / (1.0 + m->mass * row.R);
        *limited = d > hardest;
        if (*limited) row.R = (1.0 - hardest) / hardest / m->mass;
    }
    if (i == 3) {
        double least = sap_beta * sap_beta / four_pi_squared * sap_size(m);
        *limited = row.R < least;
        row.R = fmax(row.R, least);
    }
    return row;
}

static void describe(const ts_material* m, int i, soft_row row, int limited, ts_material_native* out) {
    double h = m->time_step, tau = m->damping / m->stiffness, d = 1.0 / (1.0 + m->mass * row.R);
    char* text = out->parameters;
    size_t room = sizeof out->parameters;
    if (i == 0) {
        snprintf(text, room, "--set contact_stiffness=0 (the default); touchstone.restitution %.4g", m->impact);
        snprintf(out->remark, sizeof out->remark, "no spring: nothing sinks, nothing creeps; bounces are Newton's law");
    } else if (i == 1) {
        snprintf(text, room, "--set contact_stiffness=%.6g --set contact_dissipation=%.6g", m->stiffness, tau);
    } else if (i == 2) {
        snprintf(text, room, "solref=\"%.9g %.9g\" solimp=\"%.9g %.9g 0.001 0.5 2\"", -d / (h * (h + tau)), -d / h, d,
                 d);
        if (limited) snprintf(out->remark, sizeof out->remark, "stiffer than its impedance of %g allows", hardest);
    } else if (i == 3) {
        snprintf(text, room, "point_contact_stiffness=%.6g relaxation_time=%.6g (solver.beta=%g solver.sigma=%g)",
                 m->stiffness, tau, sap_beta, sap_sigma);
        if (limited)
            snprintf(out->remark, sizeof out->remark, "stiffer than a period of beta = %g steps: it is as soft as that",
                     sap_beta);
    } else {
        snprintf(text, room, "ERP=%.6g CFM=%.6g", h * m->stiffness / (h * m->stiffness + m->damping),
                 1.0 / (h * m->stiffness + m->damping));
    }
}

void ts_material_translate(const ts_material* m, ts_material_native out_native[TS_MATERIAL_MODELS]) {
    static const char* const solvers[TS_MATERIAL_MODELS] = {NULL, "ncp", "mujoco", "sap", NULL};
    double h = m->time_step;
    for (int i = 0; i < TS_MATERIAL_MODELS; ++i) {
        ts_material_native* n = &out_native[i];
        int limited = 0;
        soft_row row = row_of(m, i, &limited);
        memset(n, 0, sizeof *n);
        n->model = model_names[i];
        n->solver = solvers[i];
        describe(m, i, row, limited, n);
        if (i == 0) {
            n->bounce = m->impact;
            continue;
        }
        n->compliance = row.R;
        // At rest u = 0: R lambda = c* = -rate phi, lambda = m g h.
        n->penetration = row.R * m->mass * gravity * h / row.rate;
        n->bounce = bounce_of(m, row);
        if (fabs(n->bounce - m->restitution) > 0.05 && !n->remark[0])
            snprintf(n->remark, sizeof n->remark,
                     "bounces %.3g in place of %.3g: weight and steps of %g s, %.2g of the spring's period", n->bounce,
                     m->restitution, h, h / (6.283185307179586 * sqrt(m->mass / m->stiffness)));
        // Friction that holds yields by R_T lambda_T a step: MuJoCo's R_T is R_N (impratio 1), SAP's sigma |G|; others have none.
        double tangent = i == 2 ? row.R : i == 3 ? sap_sigma * sap_size(m) : 0.0;
        n->creep = tangent * 0.5 * m->mu * m->mass * gravity * h;
        // Either wall carries half of the weight.
        if (m->mu > 0.0) n->pinch = tangent * 0.5 * m->mass * gravity * h;
    }
}

// --- runs ------------------------------------------------------------------------------------------------------------

// A ball on three slides, so that it does not turn: on the floor, with gravity that pulls sideways by half of what friction holds; falling on
// it; or between two walls that overlap it by as much as makes friction hold twice the weight.
typedef enum trial { REST, FALL, PINCH, TRIAL_COUNT } trial;

static ts_code make_ball(const ts_material* m, int i, const ts_material_native* native, trial kind,
                         ts_model** out_model, ts_status* out_status) {
    double slope = kind == REST ? 0.5 * m->mu : 0.0;
    ts_text text = {0};
    char surface[240] = "";
    if (i == 2) snprintf(surface, sizeof surface, "%s", native->parameters);
    ts_text_add(&text,
                "<mujoco model=\"material\"><option timestep=\"%.17g\" gravity=\"%.17g 0 %.17g\" "
                "cone=\"elliptic\"><flag refsafe=\"disable\"/></option><custom>",
                m->time_step, gravity * slope, -gravity);
    ts_text_add(&text, "<numeric name=\"touchstone.initial_keyframe\" data=\"0\"/><numeric "
                       "name=\"touchstone.tolerance\" data=\"1e-12\"/>");
    if (i != 2)
        ts_text_add(&text,
                    "<numeric name=\"touchstone.contact_stiffness\" data=\"%.17g\"/><numeric "
                    "name=\"touchstone.contact_dissipation\" "
                    "data=\"%.17g\"/>",
                    m->stiffness, m->damping / m->stiffness);
    ts_text_add(&text, "</custom><worldbody>");
    for (int side = -1; side <= (kind == PINCH); side += 2)
        ts_text_add(&text,
                    "<geom type=\"plane\" size=\"1 1 0.1\" zaxis=\"%d 0 %d\" pos=\"%.17g 0 0\" friction=\"%.17g\" %s/>",
                    kind == PINCH ? -side : 0, kind != PINCH,
                    kind == PINCH ? side * (0.05 - native->penetration / m->mu) : 0.0, m->mu, surface);
    ts_text_add(&text, "<body pos=\"0 0 %g\">", kind == PINCH ? 0.0 : 0.05);
    for (int k = 0; k < 3; ++k) ts_text_add(&text, "<joint type=\"slide\" axis=\"%d %d %d\"/>", k == 0, k == 1, k == 2);
    ts_text_add(&text, "<geom type=\"sphere\" size=\"0.05\" mass=\"%.17g\" friction=\"%.17g\" %s/></body></worldbody>",
                m->mass, m->mu, surface);
    ts_text_add(&text, "<keyframe><key qpos=\"0 0 %.17g\" qvel=\"0 0 %.17g\"/></keyframe></mujoco>",
                kind == REST ? -native->penetration : 0.0, kind == FALL ? -fall_speed : 0.0);
    ts_code code = ts_mjcf_parse(ts_text_get(&text), text.length, "material", NULL, NULL, out_model, out_status);
    ts_text_free(&text);
    return code;
}

// Steps until it rests (or, falling, until it leaves the floor); what it did then.
static ts_code run_ball(const ts_material* m, const ts_material_native* native, const ts_model* model, trial kind,
                        ts_material_native* out_measured, ts_status* out_status) {
    ts_sim* sim = NULL;
    double h = m->time_step, before = 0.0;
    ts_code code = ts_sim_create(model, 1, &sim, out_status);
    if (code == TS_OK) code = ts_sim_set_solver(sim, native->solver, out_status);
    // Long enough for the slowest of the spring's motions.
    double settle = 40.0 * fmax(sqrt(m->mass / m->stiffness), m->damping / m->stiffness) + 100.0 * h;
    if (m->damping > 0.0) settle += 40.0 * m->mass / m->damping;
    long steps = (long)fmin(settle / h, 5e6);
    int touched = 0;
    for (long k = 0; k < steps && code == TS_OK; ++k) {
        before = sim->qvel[2];
        code = ts_sim_step(sim, out_status);
        double pressed = sim->contact_count > 0 ? ts_sim_contact(sim, 0).impulse.z : 0.0;
        if (kind == FALL && touched && pressed <= 0.0) break;
        touched |= pressed > 0.0;
    }
    if (code == TS_OK && kind == FALL) out_measured->bounce = fmax(0.0, before / fall_speed);
    if (code == TS_OK && kind == PINCH) out_measured->pinch = -sim->qvel[2];
    if (code == TS_OK && kind == REST) {
        out_measured->penetration = -sim->qpos[2];
        out_measured->creep = sim->qvel[0];
    }
    ts_sim_free(sim);
    return code;
}

ts_code ts_material_verify(const ts_material* m, int i, const ts_material_native* native,
                           ts_material_native* out_measured, ts_status* out_status) {
    *out_measured = *native;
    ts_code code = ts_status_ok(out_status);
    for (int kind = 0; kind < TRIAL_COUNT && code == TS_OK; ++kind) {
        ts_model* model = NULL;
        if (kind == PINCH && !(m->mu > 0.0)) continue;  // nothing holds
        code = make_ball(m, i, native, (trial)kind, &model, out_status);
        if (code == TS_OK) code = run_ball(m, native, model, (trial)kind, out_measured, out_status);
        ts_model_free(model);
    }
    return code;
}
