// The chart of how the solve of the step that is shown converged: one curve for every simulation, over iterations.
#ifndef TS_VIEWER_SESSION_CONVERGENCE_INTERNAL_H
#define TS_VIEWER_SESSION_CONVERGENCE_INTERNAL_H

#include "viewer/session/chart_internal.h"
#include "viewer/session/shadow_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The chart in its place.
typedef struct ts_convergence_chart {
    const ts_shadow* shadow;
    const ts_theme* theme;
    double rectangle[4];  // x, y, width, height
    double cursor;        // iteration that is marked, and whose values are named; < 0: none, the ends are named
} ts_convergence_chart;

/// Its bit among those of ts_chart_usual.
unsigned ts_convergence_bit(void);

/// Its name among the charts.
extern const char ts_convergence_name[];

/// Whether there is a curve.
int ts_convergence_has_values(const ts_shadow* shadow);

/// Draws it; without a curve it says why.
void ts_convergence_draw(const ts_convergence_chart* chart, const ts_pen* pen);

/// The iteration at that place of the chart.
double ts_convergence_iteration_at(const ts_convergence_chart* chart, double x);

/// Writes the points as CSV: simulation, iteration, share unmet. TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_convergence_write_csv(const ts_shadow* shadow, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
