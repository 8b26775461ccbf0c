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

const double ts_certificate_tolerance = 1e-6;

static const ts_contact_law laws[3] = {TS_LAW_LCP, TS_LAW_CCP, TS_LAW_NCP};
static const unsigned law_bit[3] = {TS_HOLDS_LCP, TS_HOLDS_CCP, TS_HOLDS_NCP};

static unsigned laws_that_hold(const double unmet[3], double tolerance) {
    unsigned holds = 0;
    for (int k = 0; k < 3; ++k)
        if (unmet[k] <= tolerance) holds |= law_bit[k];
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

// What the blocks of one island are judged by.
typedef struct judge {
    const ts_contact_problem* problem;
    const double* impulse;
    const double* u;
    double tolerance;
    ts_residual_scale scale;
} judge;

// The one place that decides what a block does. `exact` says whether the exact law holds.
static ts_contact_mode mode_of(const judge* j, int b, int exact) {
    const ts_block* block = &j->problem->block[b];
    const double *lambda = j->impulse + block->row, *u = j->u + block->row;
    double impulse_floor = j->tolerance * fmax(j->scale.impulse, j->scale.velocity * j->scale.step);
    double speed_floor = j->tolerance * j->scale.velocity;
    if (!exact) return TS_MODE_VIOLATED;
    if (block->set == TS_SET_FREE) return TS_MODE_STICK;
    if (block->set == TS_SET_BOX) {
        if (block->low == 0.0 && block->high == 0.0) return TS_MODE_OPEN;
        return fabs(u[0]) <= speed_floor ? TS_MODE_STICK : TS_MODE_SLIDE;
    }
    int is_cone = block->set == TS_SET_CONE, normal = is_cone ? 2 : 0;
    if (lambda[normal] <= impulse_floor || step_of(j->problem, block, b) * u[normal] > lambda[normal])
        return TS_MODE_OPEN;
    return is_cone && ts_block_set_tangent_length(u, block->rows) > speed_floor ? TS_MODE_SLIDE : TS_MODE_STICK;
}

static void judge_block(const judge* j, int b, ts_contact_verdict* v) {
    static const ts_contact_verdict nothing;
    const ts_block* block = &j->problem->block[b];
    const double* l = j->impulse + block->row;
    const double* w = j->u + block->row;
    *v = nothing;
    v->block = b;
    v->set = block->set;
    ts_residual_of_block(j->problem, b, &j->scale, j->impulse, j->u, &v->residual);
    for (int k = 0; k < 3; ++k)
        v->unmet[k] = ts_yardstick_unmet_of_block(j->problem, laws[k], b, &j->scale, j->impulse, j->u);
    v->holds = laws_that_hold(v->unmet, j->tolerance);
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
    v->mode = mode_of(j, b, (v->holds & TS_HOLDS_NCP) != 0);
}

// All blocks, island by island.
static void judge_all(judge* j, const ts_islands* islands, ts_contact_certificate* c) {
    int apart = islands && islands->block;
    for (int i = 0; i < (apart ? islands->count : 1); ++i) {
        const int* block = apart ? islands->block + islands->start[i] : NULL;
        int count = apart ? islands->start[i + 1] - islands->start[i] : j->problem->block_count;
        j->scale = ts_residual_scale_of(j->problem, block, count, j->impulse);
        for (int n = 0; n < count; ++n) {
            int b = block ? block[n] : n;
            ts_contact_verdict* v = &c->verdict[b];
            judge_block(j, b, v);
            c->count[v->mode] += 1;
            for (int k = 0; k < 3; ++k)
                if (!(v->unmet[k] <= c->unmet[k]) && !isnan(c->unmet[k])) c->unmet[k] = v->unmet[k];
        }
    }
    c->holds = laws_that_hold(c->unmet, j->tolerance);
}

ts_code ts_certificate_make(const ts_contact_problem* problem, const ts_islands* islands, const double* impulse,
                            double tolerance, ts_certificate_extent extent, ts_arena* arena,
                            ts_contact_certificate* out_certificate) {
    static const ts_contact_certificate nothing;
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    *out_certificate = nothing;
    if ((problem->delassus->ops->abilities & needs) != needs || !(tolerance >= 0.0)) return TS_ERROR_VALUE;
    ts_contact_verdict* verdict = TS_ARENA_ARRAY(arena, ts_contact_verdict, problem->block_count);
    if (!verdict) return TS_ERROR_MEMORY;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* u = TS_ARENA_ARRAY(arena, double, problem->row_count);
    if (u) {
        ts_contact_certificate* c = out_certificate;
        c->tolerance = tolerance;
        c->time_step = problem->time_step;
        c->block_count = problem->block_count;
        c->verdict = verdict;
        ts_contact_problem_velocity(problem, impulse, u);
        ts_residual_from_velocity(problem, islands, impulse, u, &c->residual);
        judge j = {.problem = problem, .impulse = impulse, .u = u, .tolerance = tolerance};
        judge_all(&j, islands, c);
        c->internal_force = (double)NAN;
        if (extent == TS_CERTIFICATE_FULL) c->internal_force = ts_internal_force(problem, impulse, arena, NULL);
    }
    ts_arena_scope_end(arena, scope);
    return u ? TS_OK : TS_ERROR_MEMORY;
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

static void write_law(ts_json* json, const char* key, ts_law_residual law, int holds, double unmet) {
    ts_json_add_object(json, key);
    ts_json_add_bool(json, "holds", holds);
    ts_json_add_number(json, "unmet", unmet);
    ts_json_add_number(json, "impulse", law.primal);
    ts_json_add_number(json, "velocity", law.dual);
    ts_json_add_number(json, "work", law.complementarity);
    ts_json_object_end(json);
}

static void write_laws(ts_json* json, const ts_residual* r, unsigned holds, const double unmet[3], double h) {
    write_law(json, "lcp", r->lcp, (holds & TS_HOLDS_LCP) != 0, unmet[0]);
    write_law(json, "ccp", r->ccp, (holds & TS_HOLDS_CCP) != 0, unmet[1]);
    write_law(json, "ncp", r->ncp, (holds & TS_HOLDS_NCP) != 0, unmet[2]);
    ts_json_add_object(json, "figures");
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        ts_json_add_number(json, ts_figure_kind_of((ts_figure)f)->key, ts_figure_of(r, (ts_figure)f, h));
    ts_json_object_end(json);
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
    write_laws(json, &v->residual, v->holds, v->unmet, h);
    ts_json_object_end(json);
}

void ts_certificate_write(const ts_contact_certificate* c, ts_json* json) {
    ts_json_object(json);
    ts_json_add_number(json, "tolerance", c->tolerance);
    ts_json_add_number(json, "time_step", c->time_step);
    write_laws(json, &c->residual, c->holds, c->unmet, c->time_step);
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
