// The certificate of a solve: contact by contact, what it does, which law it obeys, and by how much it breaks the others.
// Everything is recomputed from the impulses (contact/judge/residual.h); no solver has a say.
#ifndef TS_CONTACT_CERTIFICATE_H
#define TS_CONTACT_CERTIFICATE_H

#include "base/text.h"
#include "contact/judge/residual.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a block does in the step. For other sets than contacts: a joint limit is open or sticks, dry friction and a servo
/// stick (they hold their speed) or slide (at their bound), a bilateral constraint sticks.
typedef enum ts_contact_mode {
    TS_MODE_OPEN,     // carries nothing
    TS_MODE_STICK,    // carries, and does not move
    TS_MODE_SLIDE,    // carries, and moves against its friction
    TS_MODE_VIOLATED  // breaks the exact law by more than the tolerance
} ts_contact_mode;

/// How many modes there are.
enum { TS_MODE_COUNT = 4 };

/// The laws that hold; a bit set.
typedef enum ts_law_holds {
    TS_HOLDS_LCP = 1,
    TS_HOLDS_CCP = 2,
    TS_HOLDS_NCP = 4,
} ts_law_holds;

/// One block's verdict. Impulses in N s (joint rows: N m s), velocities in m/s (rad/s); forces are impulses over the step.
typedef struct ts_contact_verdict {
    int block;
    ts_block_set set;
    ts_contact_mode mode;
    unsigned holds;          // ts_law_holds of this block alone
    double mu;               // friction, cones
    double normal_impulse;   // lambda_N; of other sets the largest entry, with its sign
    double friction;         // |lambda_T|, N s
    double normal_velocity;  // u_N, against the reference velocity; of other sets the largest entry, with its sign
    double slip;             // |u_T|, m/s
    double slip_angle;       // rad: between friction and the opposite of slip; 0 where there is no slip
    ts_residual residual;    // by how much each part of each law is broken, and the natural map
} ts_contact_verdict;

/// The certificate.
typedef struct ts_contact_certificate {
    double tolerance;          // force units: N, m/s^2, N m/s^2 (ts_law_residual_in_force_units)
    double time_step;          // s
    unsigned holds;            // ts_law_holds of the whole: every block's
    ts_residual residual;      // of the whole
    double internal_force;     // N s, contact/judge/internal_force.h; NaN unless asked for and small enough
    int count[TS_MODE_COUNT];  // blocks in each mode
    int block_count;
    ts_contact_verdict* verdict;  // (block_count), in memory of the arena
} ts_contact_certificate;

/// Whether to compute the internal force, which costs row_count^3.
typedef enum ts_certificate_extent { TS_CERTIFICATE_FAST, TS_CERTIFICATE_FULL } ts_certificate_extent;

/// Judges `impulse` (row_count) as an answer of `problem`. A law holds when its residual in force units is at most
/// `tolerance`. The verdicts live in the arena. Needs ROWS and APPLY of the operator. TS_ERROR_MEMORY when memory is short,
/// TS_ERROR_VALUE when the operator cannot do what is needed or the tolerance is negative.
ts_code ts_certificate_make(const ts_contact_problem* problem, const double* impulse, double tolerance,
                            ts_certificate_extent extent, ts_arena* arena, ts_contact_certificate* out_certificate);

/// "open", "stick", "slide", "violated".
const char* ts_contact_mode_name(ts_contact_mode mode);

/// Writes the certificate as the next value of a JSON text: an object with
///   tolerance (force units), time_step (s),
///   lcp, ccp, ncp: {holds, impulse (N s), velocity (m/s), work (J), force (the three as one, force units)},
///   signorini, dissipation (J), coulomb, pulling (N s), closing (m/s), slip_angle (rad), natural (1), internal_force (N s or
///   null), modes {open, stick, slide, violated}: how many blocks,
///   blocks: a list of {block, set, mode, normal_impulse (N s), normal_force (N), normal_velocity (m/s), of cones mu, friction
///   (N s), friction_force (N), slip (m/s); signorini ... natural, lcp, ccp, ncp as above}.
/// Numbers that are not finite are null.
void ts_certificate_write(const ts_contact_certificate* certificate, ts_json* json);

#ifdef __cplusplus
}
#endif
#endif
