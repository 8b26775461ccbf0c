// A step's contacts and their certificates: ours come with the problem they answer, others' with the velocities that came of them.
#include "cli/judge/judge_internal.h"

#include "cli/report/worst_step_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ts_logged_step_free(ts_logged_step* step) {
    ts_logged_contact_array_free(&step->contact);
    ts_arena_free(&step->arena);
}

// m/s^2: what free falls gain speed by where nobody says.
static const double gravity = 9.81;

ts_logged_scale ts_logged_step_scale(const ts_logged_step* step) {
    ts_logged_scale scale = {gravity * step->dt, 0.0};
    for (int i = 0; i < step->contact.count; ++i) {
        scale.speed = fmax(scale.speed, ts_vec3_norm(step->contact.data[i].velocity));
        scale.impulse = fmax(scale.impulse, ts_vec3_norm(step->contact.data[i].impulse));
    }
    return scale;
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for contacts");
}

void ts_logged_contact_name(char out_name[TS_LOG_NAME], const char* name) {
    snprintf(out_name, TS_LOG_NAME, "%.63s", name);
    for (char* c = out_name; *c; ++c)
        if (*c == ',' || *c == '"' || *c == '\n' || *c == '\r') *c = '_';
}

static void name_side(const ts_model* model, int geom, char out[TS_LOG_NAME]) {
    char room[TS_CONTACT_ROW_NAME];
    ts_logged_contact_name(out, ts_contact_side_name(model, geom, room));
}

ts_code ts_logged_step_take(ts_logged_step* step, const ts_sim* sim, ts_status* out_status) {
    ts_contact_certificate certificate;
    ts_arena_reset(&step->arena);
    step->step = sim->step_count;
    step->time = sim->time;
    step->dt = sim->options.time_step;
    step->contact.count = 0;
    if (sim->contact_count == 0) return TS_OK;
    if (ts_certify_step(sim, TS_CERTIFICATE_FAST, &step->arena, &certificate)) return no_memory(out_status);
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        if (!ts_logged_contact_array_resize(&step->contact, i + 1)) return no_memory(out_status);
        ts_logged_contact* out = &step->contact.data[i];
        memset(out, 0, sizeof *out);
        name_side(sim->model, c.geom_a, out->a);
        name_side(sim->model, c.geom_b, out->b);
        out->position = c.position;
        out->tangent = ts_mat3_column(&c.frame, 0);
        out->normal = ts_mat3_column(&c.frame, 2);
        out->gap = c.gap;
        out->mu = c.surface.friction;
        out->impulse = ts_mat3_mul_vec(&c.frame, c.impulse);
        out->velocity = ts_mat3_mul_vec(&c.frame, c.velocity);
        if (c.block >= 0) out->verdict = certificate.verdict[c.block];
    }
    return TS_OK;
}

// --- told by others ----------------------------------------------------------------------------------------------------

static ts_vec3 unit(ts_vec3 v) { return ts_vec3_scale(1.0 / ts_vec3_norm(v), v); }

// Tangent 1, tangent 2, normal; the tangent that was told where it is one.
static ts_mat3 frame_of(const ts_logged_contact* c) {
    ts_vec3 n = unit(c->normal), t = ts_vec3_sub(c->tangent, ts_vec3_scale(ts_vec3_dot(c->tangent, n), n));
    if (!(ts_vec3_norm(t) > 0.1)) {
        ts_vec3 axis = fabs(n.x) < 0.6 ? ts_vec3_make(1.0, 0.0, 0.0) : ts_vec3_make(0.0, 1.0, 0.0);
        t = ts_vec3_sub(axis, ts_vec3_scale(ts_vec3_dot(axis, n), n));
    }
    t = unit(t);
    return ts_mat3_from_columns(t, ts_vec3_cross(n, t), n);
}

ts_code ts_logged_step_certify(ts_logged_step* step, ts_status* out_status) {
    int n = step->contact.count;
    ts_arena* arena = &step->arena;
    ts_contact_certificate certificate;
    ts_arena_reset(arena);
    if (n == 0) return TS_OK;
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, n);
    ts_delassus_segment* segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, n);
    int *row = TS_ARENA_ARRAY(arena, int, n + 1), *first = TS_ARENA_ARRAY(arena, int, n + 1);
    double *impulse = TS_ARENA_ARRAY(arena, double, 3 * n), *g = TS_ARENA_ARRAY(arena, double, 3 * n);
    if (arena->failed) return no_memory(out_status);
    ts_logged_scale scale = ts_logged_step_scale(step);
    // kg^-1: what an impulse is worth as a velocity.
    double k = scale.impulse > 0.0 ? scale.speed / scale.impulse : 1.0;
    double root = sqrt(k), J[9] = {root, 0.0, 0.0, 0.0, root, 0.0, 0.0, 0.0, root};
    for (int i = 0; i < n; ++i) {
        const ts_logged_contact* c = &step->contact.data[i];
        ts_mat3 frame = frame_of(c);
        ts_vec3 l = ts_mat3_mul_vec_transposed(&frame, c->impulse), u = ts_mat3_mul_vec_transposed(&frame, c->velocity);
        u.z += fmax(c->gap, 0.0) / step->dt;
        block[i] = (ts_block){.set = TS_SET_CONE, .row = 3 * i, .rows = 3, .mu = c->mu};
        segment[i] = (ts_delassus_segment){3 * i, 3, J, J};
        row[i] = 3 * i;
        first[i] = i;
        ts_vec3_store(l, impulse + 3 * i);
        ts_vec3_store(ts_vec3_sub(u, ts_vec3_scale(k, l)), g + 3 * i);
    }
    row[n] = 3 * n;
    first[n] = n;
    ts_contact_problem problem = {.block = block, .block_count = n, .row_count = 3 * n, .g = g};
    problem.time_step = step->dt;
    problem.rest_speed = gravity * step->dt;
    problem.delassus = ts_delassus_velocity_form(arena, 3 * n, n, row, first, segment);
    if (!problem.delassus || ts_certificate_make(&problem, NULL, impulse, ts_certificate_tolerance, TS_CERTIFICATE_FAST,
                                                 arena, &certificate))
        return no_memory(out_status);
    for (int i = 0; i < n; ++i) step->contact.data[i].verdict = certificate.verdict[i];
    return TS_OK;
}
