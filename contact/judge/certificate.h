// The certificate of a solve: contact by contact, what it does, which law it obeys, and by how much it breaks the others.
// Everything is recomputed from the impulses (contact/judge/residual.h); no solver has a say.
#ifndef TS_CONTACT_CERTIFICATE_H
#define TS_CONTACT_CERTIFICATE_H

#include "base/text.h"
#include "contact/judge/figures.h"
#include "contact/judge/yardstick.h"

#ifdef __cplusplus
extern "C" {
#endif

/// 1: share of a problem beyond which a law counts as broken. Solvers end at 1e-8; noise is far below, and nothing that shows
/// is.
extern const double ts_certificate_tolerance;

/// What a block does in the step. For other sets than contacts: a joint limit is open or sticks, dry friction and a servo
/// stick (they hold their speed) or slide (at their bound), a bilateral constraint sticks.
typedef enum ts_contact_mode {
    TS_MODE_OPEN,   // carries nothing
    TS_MODE_STICK,  // carries, and does not move
    TS_MODE_SLIDE,  // carries, and moves against its friction
    TS_MODE_VIOLATED  // breaks the exact law by more than the tolerance (by ts_certificate_tolerance, wherever it is shown)
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
    double unmet[3];         // 1: share of the problem by which LCP, CCP, NCP are broken here
    ts_residual residual;    // by how much each part of each law is broken, and the natural map
} ts_contact_verdict;

/// The certificate.
typedef struct ts_contact_certificate {
    double tolerance;          // 1
    double time_step;          // s
    unsigned holds;            // ts_law_holds of the whole: every block's
    double unmet[3];           // of the whole: the worst block's
    ts_residual residual;      // of the whole
    double internal_force;     // N s, contact/judge/internal_force.h; NaN unless asked for and small enough
    int count[TS_MODE_COUNT];  // blocks in each mode
    int block_count;
    ts_contact_verdict* verdict;  // (block_count), in memory of the arena
} ts_contact_certificate;

/// Whether to compute the internal force, which costs row_count^3.
typedef enum ts_certificate_extent { TS_CERTIFICATE_FAST, TS_CERTIFICATE_FULL } ts_certificate_extent;

/// Judges `impulse` (row_count) as an answer of `problem`, made of islands (NULL: one). A law holds when at most
/// `tolerance` of the problem, a share as in contact/judge/yardstick.h, is unmet. The verdicts live in the arena. Needs ROWS
/// and APPLY of the operator. TS_ERROR_MEMORY when memory is short, TS_ERROR_VALUE when the operator cannot do what is
/// needed or the tolerance is negative.
ts_code ts_certificate_make(const ts_contact_problem* problem, const ts_islands* islands, const double* impulse,
                            double tolerance, ts_certificate_extent extent, ts_arena* arena,
                            ts_contact_certificate* out_certificate);

/// "open", "stick", "slide", "violated".
const char* ts_contact_mode_name(ts_contact_mode mode);

/// Writes the certificate as the next value of a JSON text: an object with
///   tolerance (1), time_step (s),
///   lcp, ccp, ncp: {holds, unmet (1), impulse (N s), velocity (m/s), work (J)},
///   figures: {approach (m/s), sinks (m), pull (N), off_cone (N), friction_angle (deg), power (W), complementarity (W)},
///   signorini, dissipation (J), coulomb, pulling (N s), closing (m/s), slip_angle (rad), natural (1), internal_force (N s or
///   null), modes {open, stick, slide, violated}: how many blocks,
///   blocks: a list of {block, set, mode, normal_impulse (N s), normal_force (N), normal_velocity (m/s), of cones mu, friction
///   (N s), friction_force (N), slip (m/s); figures, signorini ... natural, lcp, ccp, ncp as above}.
/// Numbers that are not finite are null.
void ts_certificate_write(const ts_contact_certificate* certificate, ts_json* json);

#ifdef __cplusplus
}
#endif
#endif
