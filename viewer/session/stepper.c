// Problem: why did the narrow phase say that? Rule: the same query is made again for the geoms where they are, by the searches that have steps, and
// watched; the picture of one step is drawn on a device of its own. Guaranteed: the simulation is only read. Known to fail: the engine's own
// contacts may come from closed forms, which have no steps: what is shown is the search that would have found them.
#include "viewer/session/stepper_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Room of a trace.
enum { STEPS = 512, TRIANGLES = 32768 };

static const char* name_of(const ts_sim* sim, int geom, char out[48]) {
    const char* name = sim->model->geom[geom].name;
    const char* body = sim->model->body[sim->model->geom[geom].body].name;
    if (name && name[0])
        snprintf(out, 48, "%.40s", name);
    else if (body && body[0])
        snprintf(out, 48, "%.30s", body);
    else
        snprintf(out, 48, "geom %d", geom);
    return out;
}

static ts_code make_room(ts_stepper* s, ts_status* out_status) {
    s->trace.step = calloc(STEPS, sizeof *s->trace.step);
    s->trace.triangle = calloc(TRIANGLES, sizeof *s->trace.triangle);
    s->trace.step_room = STEPS;
    s->trace.triangle_room = TRIANGLES;
    s->pixels = calloc((size_t)TS_STEPPER_WIDTH * TS_STEPPER_HEIGHT, 3);
    if (s->trace.step && s->trace.triangle && s->pixels) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the steps of a query");
}

static ts_code watch(ts_stepper* s, const ts_sim* sim, const ts_contact* contact, int portals, ts_device* device,
                     ts_status* out_status) {
    const ts_shape* a = &sim->model->geom[contact->geom_a].shape;
    const ts_shape* b = &sim->model->geom[contact->geom_b].shape;
    const ts_transform* pose_a = ts_kinematics_geom(&sim->kinematics, contact->geom_a);
    const ts_transform* pose_b = ts_kinematics_geom(&sim->kinematics, contact->geom_b);
    const ts_shape* each[2] = {a, b};
    for (int k = 0; k < 2; ++k)
        if (!ts_shape_is_convex(each[k]) || each[k]->kind == TS_SHAPE_PLANE)
            return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "no search to walk through with a %s",
                                 ts_shape_kind_name(each[k]->kind));
    ts_proximity_options options = ts_proximity_options_default();
    options.method = portals ? TS_PROXIMITY_INCREMENTAL : TS_PROXIMITY_GJK;
    options.trace = &s->trace;
    snprintf(s->method, sizeof s->method, "%s", ts_proximity_method_name(options.method));
    ts_proximity_query(a, pose_a, b, pose_b, &options, NULL, &s->answer);
    if (s->answer.status == TS_PROXIMITY_INVALID_INPUT)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "%s",
                             ts_proximity_reason_text(s->answer.reason));
    if (s->trace.steps == 0)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this pair was answered without any step");
    const ts_watched_pair pair = {a, b, pose_a, pose_b, &s->trace};
    return ts_pair_drawing_open(&s->drawing, &pair, device, out_status);
}

ts_stepper* ts_stepper_open(const ts_sim* sim, int contact, int portals, ts_device* device, const ts_typeface* typeface,
                            ts_status* out_status) {
    char name[2][48];
    ts_stepper* s = calloc(1, sizeof *s);
    if (!s) {
        ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the steps of a query");
        return NULL;
    }
    const ts_contact c = ts_sim_contact(sim, contact);
    ts_code code = make_room(s, out_status);
    if (!code) code = watch(s, sim, &c, portals, device, out_status);
    if (code) {
        ts_stepper_close(s);
        return NULL;
    }
    s->drawing.overlay.typeface = typeface;
    snprintf(s->title, sizeof s->title, "%s - %s", name_of(sim, c.geom_a, name[0]), name_of(sim, c.geom_b, name[1]));
    s->stale = 1;
    return s;
}

int ts_stepper_draw(ts_stepper* stepper) {
    ts_stepper* s = stepper;
    const int size[2] = {TS_STEPPER_WIDTH, TS_STEPPER_HEIGHT};
    if (!s || !s->stale) return 0;
    s->stale = 0;
    ts_status status;
    ts_camera camera = ts_pair_drawing_aim(&s->drawing, (double)size[0] / size[1]);
    camera.azimuth += s->turn;
    camera.elevation = fmin(1.5, fmax(-1.5, camera.elevation + s->tilt));
    if (ts_pair_drawing_draw(&s->drawing, s->step, &camera, size, s->dark, &status)) return 0;
    if (ts_device_read(s->drawing.device, 3, s->pixels, &status)) return 0;
    ++s->version;
    return 1;
}

void ts_stepper_words(const ts_stepper* stepper, char* out_text, size_t size) {
    static const char* const simplex[] = {"nothing yet", "a point", "a segment", "a triangle", "a tetrahedron"};
    const ts_stepper* s = stepper;
    const ts_proximity_step* step = &s->trace.step[s->step];
    char held[48], bound[2][24];
    const double value[2] = {step->lower, step->upper};
    snprintf(held, sizeof held, "%s", simplex[step->corners < 0 || step->corners > 4 ? 0 : step->corners]);
    if (step->stage == TS_PROXIMITY_STAGE_PORTAL) snprintf(held, sizeof held, "a portal");
    if (step->triangles > 0) snprintf(held, sizeof held, "a polytope of %d faces", step->triangles);
    for (int k = 0; k < 2; ++k) {
        snprintf(bound[k], sizeof bound[k], "?");
        if (isfinite(value[k])) snprintf(bound[k], sizeof bound[k], "%.9g", value[k] + 0.0);
    }
    snprintf(out_text, size,
             "%s, step %d: %s\ndistance of the cores %s to %s m\ndirection %.5f %.5f %.5f\nanswer %.9g m, %s", s->title,
             step->iteration, held, bound[0], bound[1], step->direction.x, step->direction.y, step->direction.z,
             s->answer.distance, ts_proximity_status_name(s->answer.status));
}

void ts_stepper_close(ts_stepper* stepper) {
    if (!stepper) return;
    ts_pair_drawing_close(&stepper->drawing);
    free(stepper->trace.step);
    free(stepper->trace.triangle);
    free(stepper->pixels);
    free(stepper);
}
