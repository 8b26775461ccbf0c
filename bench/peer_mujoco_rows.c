// Rows of MuJoCo's contacts.
#include "bench/peer_mujoco_rows.h"

#include <mujoco/mujoco.h>
#include <string.h>

void ts_peer_mujoco_contact_rows(const mjModel* m, const mjData* d, const mjContact* contact, double* jacobian,
                                 double* out_rows) {
    int n = (int)m->nv;
    memset(out_rows, 0, 3 * (size_t)n * sizeof(double));
    for (int side = 0; side < 2; ++side) {
        mj_jac(m, d, jacobian, NULL, contact->pos, m->geom_bodyid[contact->geom[side]]);
        for (int r = 0; r < 3; ++r) {
            const double* axis = contact->frame + 3 * ((r + 1) % 3);
            for (int k = 0; k < 3; ++k)
                for (int j = 0; j < n; ++j) out_rows[r * n + j] += (side ? 1.0 : -1.0) * axis[k] * jacobian[k * n + j];
        }
    }
}
