// The certificate of a solve.
//
// Problem: say of every contact what it does and which law it obeys. Rule: recompute u = (G + R) lambda + g, take every
// block's residual apart (contact/judge/residual.c), and name the mode where the exact law holds:
//     open    lambda_N no more than the tolerance, or less than what would stop u_N: r u_N > lambda_N, r = 1 / stiffness
//     stick   |u_T| no more than the tolerance
//     slide   otherwise
// The comparison with r u_N is the natural map's own decision, and settles which of two tiny numbers is the zero one.
// Source: docs/contact.md. Guaranteed: a NaN is a violation; a law that holds for every block holds for the whole.
// Known to fail: at the edge of the cone, where sticking and sliding meet, the mode depends on the tolerance.
#include "contact/judge/certificate.h"

#include <math.h>

#include "contact/block_set_internal.h"
#include "contact/judge/internal_force.h"

static unsigned laws_that_hold(const ts_residual* r, double tolerance, double h) {
    unsigned holds = 0;
    if (ts_law_residual_in_force_units(r->lcp, h) <= tolerance) holds |= TS_HOLDS_LCP;
    if (ts_law_residual_in_force_units(r->ccp, h) <= tolerance) holds |= TS_HOLDS_CCP;
    if (ts_law_residual_in_force_units(r->ncp, h) <= tolerance) holds |= TS_HOLDS_NCP;
    return holds;
}

// The entry with the largest size; a NaN wins.
static double largest(const double* x, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        if (!isnan(most) && !(fabs(x[i]) <= fabs(most))) most = x[i];
    return most;
}

// 1 / trace(G_bb + R_b): short of 1 / stiffness, never beyond.
static double step_of(const ts_contact_problem* problem, const ts_block* block, int b) {
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    double trace = 0.0;
    for (int r = 0; r < block->rows; ++r)
        trace += D[r * block->rows + r] + (problem->R ? problem->R[block->row + r] : 0.0);
    return trace > 0.0 ? 1.0 / trace : 0.0;
}

// The one place that decides what a block does. `lambda` and `u` are the block's, `exact` says whether the exact law holds.
static ts_contact_mode mode_of(const ts_contact_problem* problem, int b, const double* lambda, const double* u,
                               int exact, double tolerance) {
    const ts_block* block = &problem->block[b];
    double impulse_floor = tolerance * problem->time_step, speed_floor = tolerance * problem->time_step;
    if (!exact) return TS_MODE_VIOLATED;
    if (block->set == TS_SET_FREE) return TS_MODE_STICK;
    if (block->set == TS_SET_BOX) {
        if (block->low == 0.0 && block->high == 0.0) return TS_MODE_OPEN;
        return fabs(u[0]) <= speed_floor ? TS_MODE_STICK : TS_MODE_SLIDE;
    }
    int is_cone = block->set == TS_SET_CONE, normal = is_cone ? 2 : 0;
    if (lambda[normal] <= impulse_floor || step_of(problem, block, b) * u[normal] > lambda[normal]) return TS_MODE_OPEN;
    return is_cone && ts_block_set_tangent_length(u, block->rows) > speed_floor ? TS_MODE_SLIDE : TS_MODE_STICK;
}

static void judge_block(const ts_contact_problem* problem, int b, const ts_residual_scale* scale, const double* impulse,
                        const double* u, double tolerance, ts_contact_verdict* v) {
    static const ts_contact_verdict nothing;
    const ts_block* block = &problem->block[b];
    const double* l = impulse + block->row;
    const double* w = u + block->row;
    double h = problem->time_step;
    *v = nothing;
    v->block = b;
    v->set = block->set;
    ts_residual_of_block(problem, b, scale, impulse, u, &v->residual);
    v->holds = laws_that_hold(&v->residual, tolerance, h);
    v->slip_angle = v->residual.slip_angle;
    if (block->set == TS_SET_CONE) {
        v->mu = block->mu;
        v->normal_impulse = l[2];
        v->normal_velocity = w[2];
        v->friction = ts_block_set_tangent_length(l, block->rows);
        v->slip = ts_block_set_tangent_length(w, block->rows);
    } else {
        v->normal_impulse = largest(l, block->rows);
        v->normal_velocity = largest(w, block->rows);
    }
    v->mode = mode_of(problem, b, l, w, (v->holds & TS_HOLDS_NCP) != 0, tolerance);
}

ts_code ts_certificate_make(const ts_contact_problem* problem, const double* impulse, double tolerance,
                            ts_certificate_extent extent, ts_arena* arena, ts_contact_certificate* out_certificate) {
    static const ts_contact_certificate nothing;
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    *out_certificate = nothing;
    if ((problem->delassus->ops->abilities & needs) != needs || !(tolerance >= 0.0)) return TS_ERROR_VALUE;
    ts_contact_verdict* verdict = TS_ARENA_ARRAY(arena, ts_contact_verdict, problem->block_count);
    if (!verdict) return TS_ERROR_MEMORY;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* u = TS_ARENA_ARRAY(arena, double, problem->row_count);
    if (!u) {
        ts_arena_scope_end(arena, scope);
        return TS_ERROR_MEMORY;
    }
    ts_contact_certificate* c = out_certificate;
    c->tolerance = tolerance;
    c->time_step = problem->time_step;
    c->block_count = problem->block_count;
    c->verdict = verdict;
    ts_residual_evaluate(problem, impulse, arena, u, &c->residual);
    c->holds = laws_that_hold(&c->residual, tolerance, problem->time_step);
    ts_residual_scale scale = ts_residual_scale_of(problem, impulse);
    for (int b = 0; b < problem->block_count; ++b) {
        judge_block(problem, b, &scale, impulse, u, tolerance, &verdict[b]);
        c->count[verdict[b].mode] += 1;
    }
    c->internal_force = (double)NAN;
    if (extent == TS_CERTIFICATE_FULL) c->internal_force = ts_internal_force(problem, impulse, arena, NULL);
    ts_arena_scope_end(arena, scope);
    return TS_OK;
}

const char* ts_contact_mode_name(ts_contact_mode mode) {
    switch (mode) {
    case TS_MODE_OPEN: return "open";
    case TS_MODE_STICK: return "stick";
    case TS_MODE_SLIDE: return "slide";
    case TS_MODE_VIOLATED: return "violated";
    }
    return "unknown";
}

static void write_law(ts_json* json, const char* key, ts_law_residual law, int holds, double h) {
    ts_json_add_object(json, key);
    ts_json_add_bool(json, "holds", holds);
    ts_json_add_number(json, "impulse", law.primal);
    ts_json_add_number(json, "velocity", law.dual);
    ts_json_add_number(json, "work", law.complementarity);
    ts_json_add_number(json, "force", ts_law_residual_in_force_units(law, h));
    ts_json_object_end(json);
}

static void write_laws(ts_json* json, const ts_residual* r, unsigned holds, double h) {
    write_law(json, "lcp", r->lcp, (holds & TS_HOLDS_LCP) != 0, h);
    write_law(json, "ccp", r->ccp, (holds & TS_HOLDS_CCP) != 0, h);
    write_law(json, "ncp", r->ncp, (holds & TS_HOLDS_NCP) != 0, h);
}

static void write_parts(ts_json* json, const ts_residual* r) {
    ts_json_add_number(json, "signorini", r->signorini);
    ts_json_add_number(json, "dissipation", r->dissipation);
    ts_json_add_number(json, "coulomb", r->coulomb);
    ts_json_add_number(json, "pulling", r->pulling);
    ts_json_add_number(json, "closing", r->closing);
    ts_json_add_number(json, "slip_angle", r->slip_angle);
    ts_json_add_number(json, "natural", r->natural);
}

static void write_verdict(ts_json* json, const ts_contact_verdict* v, double h) {
    ts_json_object(json);
    ts_json_add_integer(json, "block", v->block);
    ts_json_add_string(json, "set", ts_block_set_name(v->set));
    ts_json_add_string(json, "mode", ts_contact_mode_name(v->mode));
    ts_json_add_number(json, "normal_impulse", v->normal_impulse);
    ts_json_add_number(json, "normal_force", v->normal_impulse / h);
    ts_json_add_number(json, "normal_velocity", v->normal_velocity);
    if (v->set == TS_SET_CONE) {
        ts_json_add_number(json, "mu", v->mu);
        ts_json_add_number(json, "friction", v->friction);
        ts_json_add_number(json, "friction_force", v->friction / h);
        ts_json_add_number(json, "slip", v->slip);
    }
    write_parts(json, &v->residual);
    write_laws(json, &v->residual, v->holds, h);
    ts_json_object_end(json);
}

void ts_certificate_write(const ts_contact_certificate* c, ts_json* json) {
    ts_json_object(json);
    ts_json_add_number(json, "tolerance", c->tolerance);
    ts_json_add_number(json, "time_step", c->time_step);
    write_laws(json, &c->residual, c->holds, c->time_step);
    write_parts(json, &c->residual);
    ts_json_add_number(json, "internal_force", c->internal_force);
    ts_json_add_object(json, "modes");
    for (int m = 0; m < TS_MODE_COUNT; ++m) {
        ts_json_add_integer(json, ts_contact_mode_name((ts_contact_mode)m), c->count[m]);
    }
    ts_json_object_end(json);
    ts_json_add_array(json, "blocks");
    for (int b = 0; b < c->block_count; ++b) write_verdict(json, &c->verdict[b], c->time_step);
    ts_json_array_end(json);
    ts_json_object_end(json);
}
