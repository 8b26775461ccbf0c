// The alternating direction method of multipliers on a contact problem: its settings. Not for use outside contact/ and
// its tests.
#ifndef TS_CONTACT_SOLVERS_ADMM_INTERNAL_H
#define TS_CONTACT_SOLVERS_ADMM_INTERNAL_H

#include "contact/solver.h"

/// How the penalty rho is adapted.
typedef enum ts_admm_step_rule {
    TS_ADMM_STEP_SAFE,  // by the residuals relative to what they are residuals of, with pauses that grow
    TS_ADMM_STEP_PAPER  // as published: by their plain ratio, whenever it is off, and with an absolute proximal weight
} ts_admm_step_rule;

/// In which units the iteration runs.
typedef enum ts_admm_scaling {
    TS_ADMM_SCALING_NONE,  // those of the problem: internal forces stay out
    TS_ADMM_SCALING_BLOCK  // each block divided by the root of its stiffness
} ts_admm_scaling;

/// Settings of an ADMM solver.
typedef struct ts_admm_settings {
    ts_solver_settings shared;
    double over_relaxation;  // of x, 1 to 1.8
    double rho_power;        // p: rho starts at sqrt(L m) kappa^p, kappa = L / m
    double rho_step;         // delta: rho changes by factors up to kappa^delta
    double balance;          // weight of the relative primal residual against the dual one; safe rule
    double rho_ratio;        // residuals this far apart call for a change
    double condition;        // kappa: the condition number assumed, so that m = L / kappa; safe rule
    double eta;              // proximal weight, relative to L; safe rule
    int freeze;              // rho stays as it is after so many iterations
    int step_rule;           // ts_admm_step_rule
    int scaling;             // ts_admm_scaling
    int anderson;            // memory of Anderson acceleration, 0 for none
    int least_norm;          // rows up to which internal forces are taken out, contact/least_norm_internal.h
    int leaves_start;        // nonzero: the start is no answer; what is returned is the best of what comes after it
} ts_admm_settings;

/// The settings both solvers start from.
extern const ts_admm_settings ts_admm_default;

/// "ncp-admm", settings ts_admm_settings: for those that call it.
extern const ts_solver ts_ncp_admm_solver;

#endif
