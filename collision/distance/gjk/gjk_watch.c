// What a query shows to whoever watches it (ts_proximity_trace): one step after another, in arrays that are not its own. Bounds are
// those that a step proves by itself and those before it: the plane orthogonal to the direction, and the nearest point of the simplex.
#include "collision/distance/gjk/gjk_internal.h"
#include "collision/distance/proximity_internal.h"

#include <string.h>

const char* ts_proximity_stage_name(ts_proximity_stage stage) {
    static const char* const name[] = {"gjk", "portal", "epa"};
    return (unsigned)stage < sizeof name / sizeof name[0] ? name[stage] : "unknown";
}

ts_proximity_step* ts_proximity_trace_step(ts_proximity_trace* trace, ts_proximity_stage stage, int iteration) {
    if (trace->steps >= trace->step_room) {
        ++trace->lost;
        return NULL;
    }
    ts_proximity_step* step = &trace->step[trace->steps++];
    memset(step, 0, sizeof *step);
    step->stage = stage;
    step->iteration = iteration;
    step->lower = -(double)INFINITY;
    step->upper = (double)INFINITY;
    return step;
}

void ts_gjk_watch(const ts_gjk_run* run, ts_vec3 d, double value, int slot, int iteration) {
    ts_proximity_trace* trace = run->trace;
    int before = trace->steps;
    ts_proximity_step* step = ts_proximity_trace_step(trace, TS_PROXIMITY_STAGE_GJK, iteration);
    if (!step) return;
    const ts_gjk_feature* f = run->feature;
    const ts_gjk_vertex* v = &run->store[slot];
    double length = ts_vec3_norm(d);
    step->direction = ts_vec3_unit_or(ts_vec3_neg(d), ts_vec3_axis(0));
    step->point_a = v->a;
    step->point_b = v->b;
    step->support = step->lower = length > 0.0 ? value / length : -(double)INFINITY;
    step->upper = f->rank == 4 ? 0.0 : sqrt(f->xx);
    const ts_proximity_step* last = before > 0 ? &trace->step[before - 1] : NULL;
    if (last && last->stage == TS_PROXIMITY_STAGE_GJK && last->lower > step->lower) step->lower = last->lower;
    if (f->rank < 4 && f->dd > 0.0) step->nearest = ts_gjk_feature_point(f);
    step->corners = f->rank;
    for (int i = 0; i < f->rank; ++i) step->corner[i] = run->store[f->slot[i]].w;
}
