// Four contacts of three rows side by side. Not for use outside contact/judge/.
#ifndef TS_CONTACT_CONE_LANES_INTERNAL_H
#define TS_CONTACT_CONE_LANES_INTERNAL_H

#include "contact/judge/residual.h"

/// Lanes.
enum { TS_CONE_LANES = 4 };

/// Contacts, number by number; at least one of each lane is there twice where there are fewer.
typedef struct ts_cone_lanes {
    double mu[TS_CONE_LANES];         // 1
    double lambda[3][TS_CONE_LANES];  // N s
    double u[3][TS_CONE_LANES];       // m/s
    double step[TS_CONE_LANES];       // kg: 1 / stiffness
} ts_cone_lanes;

/// What is added up contact by contact, by whoever knows which are there.
typedef struct ts_cone_lanes_sums {
    double across[TS_CONE_LANES];   // J: |lambda_T x u_T|
    double opposed[TS_CONE_LANES];  // J: -lambda_T . u_T
    double work[TS_CONE_LANES];     // J: |lambda_T| |u_T|
} ts_cone_lanes_sums;

/// Makes what is worst in `io_residual`, but for natural and slip_angle, and in *io_natural_squared, (N s)^2, no better than in these four. Returns
/// 0 where a number is so large, or none, that this would not see what one contact after the other does: then nothing is changed.
int ts_cone_lanes_judge(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                        ts_cone_lanes_sums* out_sums);

/// Makes what is worst in `io_law`, of the relaxed law or the exact one, no better than in these four; steps are not read, but must be numbers.
/// Returns 0 as above.
int ts_cone_lanes_law(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law);

/// Makes *io_natural_squared, (N s)^2, no better than in these four. Returns 0 as above.
int ts_cone_lanes_natural(const ts_cone_lanes* cones, double* io_natural_squared);

/// The same, whatever the machine, and with AVX2: the same bits.
int ts_cone_lanes_natural_narrow(const ts_cone_lanes* cones, double* io_natural_squared);
int ts_cone_lanes_natural_wide(const ts_cone_lanes* cones, double* io_natural_squared);
int ts_cone_lanes_law_narrow(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law);
int ts_cone_lanes_law_wide(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law);
int ts_cone_lanes_judge_narrow(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                               ts_cone_lanes_sums* out_sums);
int ts_cone_lanes_judge_wide(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                             ts_cone_lanes_sums* out_sums);

#endif
