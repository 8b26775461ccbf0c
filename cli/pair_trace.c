// The steps of a query in words and as JSON. Bounds are those of the cores; the balls around them are taken off at the end, which is said.
#include "cli/pair_trace_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ts_code ts_pair_trace_open(ts_proximity_trace* out, ts_status* out_status) {
    memset(out, 0, sizeof *out);
    out->step = (ts_proximity_step*)calloc(TS_PAIR_TRACE_STEPS, sizeof *out->step);
    out->triangle = (ts_vec3(*)[3])calloc(TS_PAIR_TRACE_TRIANGLES, sizeof *out->triangle);
    out->step_room = TS_PAIR_TRACE_STEPS;
    out->triangle_room = TS_PAIR_TRACE_TRIANGLES;
    if (out->step && out->triangle) return ts_status_ok(out_status);
    ts_pair_trace_close(out);
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for the steps of a query");
}

void ts_pair_trace_close(ts_proximity_trace* trace) {
    free(trace->step);
    free(trace->triangle);
    memset(trace, 0, sizeof *trace);
}

static const char* figure_of(const ts_proximity_step* step) {
    static const char* const simplex[] = {"", "point", "segment", "triangle", "tetrahedron"};
    if (step->stage == TS_PROXIMITY_STAGE_EPA) return "polytope";
    if (step->stage == TS_PROXIMITY_STAGE_PORTAL) return "portal";
    return simplex[step->corners];
}

static void add_bound(ts_text* text, double value) {
    if (isfinite(value))
        ts_text_add(text, " %14.7g", value + 0.0);
    else
        ts_text_add(text, " %14s", value < 0.0 ? "-" : "?");
}

static void add_step(const ts_proximity_step* s, ts_text* text) {
    ts_text_add(text, "%-7s %4d", ts_proximity_stage_name(s->stage), s->iteration);
    add_bound(text, s->lower);
    add_bound(text, s->upper);
    add_bound(text, s->support);
    ts_text_add(text, "  %-11s", figure_of(s));
    if (s->triangles > 0)
        ts_text_add(text, " %3d faces ", s->triangles);
    else
        ts_text_add(text, "           ");
    ts_vec3 w = ts_vec3_sub(s->point_a, s->point_b);
    ts_text_add(text, " % .5f % .5f % .5f  % .5g % .5g % .5g\n", s->direction.x + 0.0, s->direction.y + 0.0,
                s->direction.z + 0.0, w.x + 0.0, w.y + 0.0, w.z + 0.0);
}

void ts_pair_trace_words(const ts_pair_trace* pair, ts_text* text) {
    const ts_proximity_trace* trace = pair->trace;
    if (trace->steps == 0) {
        ts_text_add(text, "\nno steps: %s\n",
                    pair->answer->flags & TS_PROXIMITY_USED_CLOSED_FORM
                        ? "this pair has a closed form"
                        : "this method has none that can be watched (--method gjk has)");
        return;
    }
    double balls = pair->a->radius + pair->b->radius;
    ts_text_add(text, "\nSteps in the frame of %s: the bounds are of the cores' signed distance",
                trace->swapped ? "B, of B - A" : "A, of A - B");
    if (balls > 0.0) ts_text_add(text, ", %.9g m more than that of the shapes, for their balls", balls);
    ts_text_add(text, ".\n\n%-7s %4s %14s %14s %14s  %-22s  %-27s %s\n", "search", "step", "lower [m]", "upper [m]",
                "gap along [m]", "what there is", "direction tried", "support point [m]");
    for (int i = 0; i < trace->steps; ++i) add_step(&trace->step[i], text);
    if (trace->lost > 0) ts_text_add(text, "%d more steps or polytopes found no room\n", trace->lost);
    if (pair->answer->flags & TS_PROXIMITY_POLISHED)
        ts_text_add(text, "then Newton's method on the curved surfaces, for the rest of the digits\n");
}

static void add_vector(ts_json* json, const char* key, ts_vec3 v) {
    if (key) ts_json_key(json, key);
    ts_json_array(json);
    ts_json_number(json, v.x + 0.0);
    ts_json_number(json, v.y + 0.0);
    ts_json_number(json, v.z + 0.0);
    ts_json_array_end(json);
}

static void add_step_json(const ts_proximity_trace* trace, const ts_proximity_step* s, ts_json* json) {
    ts_json_object(json);
    ts_json_add_string(json, "search", ts_proximity_stage_name(s->stage));
    ts_json_add_integer(json, "step", s->iteration);
    ts_json_add_number(json, "lower", s->lower);
    ts_json_add_number(json, "upper", s->upper);
    ts_json_add_number(json, "gap", s->support);
    add_vector(json, "direction", s->direction);
    add_vector(json, "point_a", s->point_a);
    add_vector(json, "point_b", s->point_b);
    add_vector(json, "nearest", s->nearest);
    ts_json_add_array(json, "corners");
    for (int i = 0; i < s->corners; ++i) add_vector(json, NULL, s->corner[i]);
    ts_json_array_end(json);
    ts_json_add_array(json, "faces");
    for (int i = 0; i < s->triangles; ++i) {
        ts_json_array(json);
        for (int k = 0; k < 3; ++k) add_vector(json, NULL, trace->triangle[s->triangle_first + i][k]);
        ts_json_array_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_pair_trace_json(const ts_pair_trace* pair, ts_json* json) {
    ts_json_add_number(json, "balls", pair->a->radius + pair->b->radius);
    ts_json_add_string(json, "frame", pair->trace->swapped ? "b" : "a");
    ts_json_add_integer(json, "lost", pair->trace->lost);
    ts_json_add_array(json, "steps");
    for (int i = 0; i < pair->trace->steps; ++i) add_step_json(pair->trace, &pair->trace->step[i], json);
    ts_json_array_end(json);
}
