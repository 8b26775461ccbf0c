// Softened convex contact as Drake's SAP has it (contact/solvers/newton/sap.c).
#ifndef TS_CONTACT_SOLVERS_SAP_H
#define TS_CONTACT_SOLVERS_SAP_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of sap.
typedef struct ts_sap_settings {
    ts_solver_settings shared;  // an iteration is one linear system
    double beta;                // 1: R_N is at least beta^2 / (4 pi^2) times the size of the contact's own block of G
    double sigma;               // 1: R_T over that size, where the problem has no R_T
} ts_sap_settings;

/// Defaults: beta 1, sigma 1e-3, 100 iterations.
ts_sap_settings ts_sap_settings_default(void);

/// "sap": primal Newton on nearly rigid contacts. Its own law is the relaxed one with the compliance it chooses.
extern const ts_solver ts_sap_solver;

#ifdef __cplusplus
}
#endif
#endif
