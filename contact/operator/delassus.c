// What every Delassus operator shares: reading it out as a matrix.
#include "contact/operator/delassus.h"

#include "base/assert.h"

void ts_delassus_to_matrix(ts_delassus* G, ts_arena* scratch, double* out_G) {
    int n = G->row_count;
    TS_ASSERT(G->ops->abilities & TS_DELASSUS_APPLY);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* e = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n, sizeof(double));
    double* column = TS_ARENA_ARRAY(scratch, double, n);
    if (e && column) {
        for (int j = 0; j < n; ++j) {
            e[j] = 1.0;
            G->ops->apply(G, e, column);
            e[j] = 0.0;
            for (int i = 0; i < n; ++i) out_G[(size_t)i * (size_t)n + (size_t)j] = column[i];
        }
    }
    ts_arena_scope_end(scratch, scope);
}
