// Whether an impulse lies in the sets of its blocks: what no label of a solver may hide.
#ifndef TS_TESTS_CONTACT_ADMISSIBLE_H
#define TS_TESTS_CONTACT_ADMISSIBLE_H

#include <math.h>

#include "contact/problem.h"

static inline int is_admissible(const ts_contact_problem* problem, const double* impulse) {
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* l = impulse + block->row;
        double tangential = 0.0;
        for (int i = 0; i < block->rows; ++i) {
            if (!isfinite(l[i])) return 0;
            if (i != 2) tangential += l[i] * l[i];
        }
        if (block->set == TS_SET_HALF_LINE && l[0] < 0.0) return 0;
        if (block->set == TS_SET_BOX && (l[0] < block->low || l[0] > block->high)) return 0;
        if (block->set == TS_SET_CONE && !(sqrt(tangential) <= block->mu * l[2] * (1.0 + 1e-12))) return 0;
    }
    return 1;
}

#endif
