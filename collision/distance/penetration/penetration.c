// Incremental penetration depth.
//
// Problem: depth = min |v| over the surface of D = A - B, D known by its support function h. Minimising over what lies
// outside D is a difference of convex functions, so sequential quadratic programming needs no trust region: linearise the
// surface where the present ray leaves D, take the foot of the origin on that plane as the next ray. Rule (Gao,
// "Efficient Incremental Penetration Depth Estimation between Convex Geometries", algorithms 3 to 5): a portal for the
// ray d; its normal n and support point give the upper bound z = h(n) and, where the ray meets it, the lower bound p of
// the depth along d. As soon as p > z the ray n is sure to be better than d (the shortcut); when portal and plane agree,
// n is the surface normal. Ends when p and z agree. The portal is kept from ray to ray, and from query to query.
//
// Signs: D = A - B and d points from A to B, against the printed text; supports are maximisers. Started from the centres
// with the wrong sign the published method ends in a wrong minimum on seven pairs of boxes in ten, ours on four.
//
// Guaranteed: the depth never comes out too small: what is returned is the least support value seen, with its direction.
// With TS_PENETRATION_PROVE_OVERLAP a second portal, on the ray -d, shows that the origin is inside D. Both loops are
// capped.
// Added to the paper, at both paces: the least support value of all directions asked counts, not only of portals. A
// start that the search does not leave (within 3 degrees) may be a maximum or a saddle, where p = z as well; the radii of
// curvature of D there are measured with two supports, and where one is less than the depth the search leaves along it,
// once to each side.
// Added at the curved pace: Newton steps with curvature read off the supports pick the next ray, portals are begun no
// larger than that curvature asks for, and a search that ends above the least value seen goes on from there. Three
// quarters to a seventh of the supports on balls and capsules, and fewer wrong minima on boxes.
// Known limits: a local method. Every face of D that holds its own foot is a minimum: of random overlapping boxes a sixth
// end in a wrong one from the centres, one in twenty from 25 degrees beside the true normal, none from the normal itself
// (test_penetration_minima). EPA, which grows a polytope inscribed in all of D, does not err. Deep curved pairs converge
// linearly, at the ratio of the depth to the radius of curvature of D.
#include "collision/distance/penetration/penetration.h"

#include "base/assert.h"
#include "collision/distance/penetration/mpr_internal.h"
#include "collision/distance/proximity_internal.h"
#include "collision/shape/shape_traits_internal.h"

#include <float.h>
#include <stddef.h>

// A search that stays within this cosine (3 degrees) of a guessed start has not shown that it can leave a maximum.
static const double UNMOVED = 0.9986;

// rad: tilt that measures curvature, and tilt that leaves a maximum.
static const double PROBE = 1.0 / 32.0, LEAVE = 0.25;

typedef struct search {
    const ts_penetration_settings* settings;
    ts_mpr_space space;
    ts_mpr_portal portal;
    ts_penetration_pace pace;  // the one asked for, or the paper's where there is no curvature
    ts_vec3 early[3];          // the first portal, which may help to prove the overlap
    int early_known;
    ts_penetration_result* out;
    ts_vec3 first;    // the start
    ts_vec3 way_out;  // tangent direction to leave a suspected maximum by
    ts_vec3 summit;   // its normal
    int escapes;      // 0: none needed yet; 1, 2: the first, second side is being tried
    double settled;   // m: least support value at which a search has ended
} search;

ts_penetration_settings ts_penetration_settings_default(void) {
    ts_penetration_settings settings = {1e-6,
                                        0.0,
                                        TS_PENETRATION_SHORTCUT,
                                        TS_PENETRATION_PACE_CURVED,
                                        TS_PENETRATION_CORES,
                                        TS_PENETRATION_START_GUESS,
                                        TS_PENETRATION_PROVE_OVERLAP,
                                        256,
                                        64,
                                        NULL};
    return settings;
}

const char* ts_penetration_status_name(ts_penetration_status status) {
    static const char* const name[TS_PENETRATION_STATUS_COUNT] = {"converged", "stationary", "touching",
                                                                  "separated", "limit",      "invalid-input"};
    return (unsigned)status < TS_PENETRATION_STATUS_COUNT ? name[status] : "unknown";
}

// The smaller eigenvalue of [[a, b], [b, c]] and its unit vector (x, y).
static double smaller_eigenvalue(double a, double b, double c, double* x, double* y) {
    double half = 0.5 * (a - c), root = sqrt(half * half + b * b), least = 0.5 * (a + c) - root;
    // (b, least - a) and (least - c, b) both span it; the longer one has the digits.
    double x1 = b, y1 = least - a, x2 = least - c, y2 = b;
    if (x2 * x2 + y2 * y2 > x1 * x1 + y1 * y1) {
        x1 = x2;
        y1 = y2;
    }
    double length = sqrt(x1 * x1 + y1 * y1);
    *x = length > 0.0 ? x1 / length : 1.0;
    *y = length > 0.0 ? y1 / length : 0.0;
    return least;
}

// Whether D bends away at its surface point `depth` n faster than the sphere of that radius: not a minimum then.
static int bends_away(search* s, ts_vec3 n, double depth) {
    int axis = fabs(n.x) < fabs(n.y) ? (fabs(n.x) < fabs(n.z) ? 0 : 2) : (fabs(n.y) < fabs(n.z) ? 1 : 2);
    ts_vec3 t[2], shift[2];
    t[0] = ts_vec3_unit_or(ts_vec3_cross(n, ts_vec3_axis(axis)), n);
    t[1] = ts_vec3_cross(n, t[0]);
    for (int i = 0; i < 2; ++i) {
        ts_mpr_vertex v;
        ts_mpr_support(&s->space, ts_vec3_unit_or(ts_vec3_add_scaled(n, PROBE, t[i]), n), &v);
        shift[i] = ts_vec3_scale(1.0 / PROBE, ts_vec3_add_scaled(v.w, -depth, n));
    }
    double mixed = 0.5 * (ts_vec3_dot(shift[0], t[1]) + ts_vec3_dot(shift[1], t[0])), x, y;
    double least = smaller_eigenvalue(ts_vec3_dot(shift[0], t[0]), mixed, ts_vec3_dot(shift[1], t[1]), &x, &y);
    if (least >= 0.99 * depth) return 0;
    // Where D has faces the two supports may jump to corners that make no curvature together; ask along the eigenvector.
    s->way_out = ts_vec3_add_scaled(ts_vec3_scale(x, t[0]), y, t[1]);
    for (int side = 1; side >= -1; side -= 2) {
        ts_mpr_vertex v;
        ts_mpr_support(&s->space, ts_vec3_unit_or(ts_vec3_add_scaled(n, side * PROBE, s->way_out), n), &v);
        if (side * ts_vec3_dot(v.w, s->way_out) < 0.99 * PROBE * depth) return 1;
    }
    return 0;
}

static ts_vec3 leave(const search* s, double side) {
    return ts_vec3_unit_or(ts_vec3_add_scaled(s->summit, side * LEAVE, s->way_out), s->summit);
}

// After a search has ended at `n` with support value `value`: 1 and another ray when it has to go on, else 0 and the
// status.
static int go_on(search* s, ts_vec3 n, double value, ts_vec3* ray) {
    double tolerance = ts_mpr_tolerance(&s->space);
    ts_penetration_status* status = &s->out->status;
    *status = TS_PENETRATION_CONVERGED;
    if (s->escapes == 0 && s->settings->start == TS_PENETRATION_START_GUESS && ts_vec3_dot(n, s->first) > UNMOVED &&
        bends_away(s, n, value)) {
        s->escapes = 1;
        s->summit = n;
        s->settled = value;
        *ray = leave(s, 1.0);
        s->portal.top = 0;
        return 1;
    }
    if (s->escapes == 1) {
        if (value < s->settled - tolerance) {
            s->escapes = 3;  // there was a way down
        } else {
            s->escapes = 2;
            *ray = leave(s, -1.0);
            s->portal.top = 0;
            return 1;
        }
    } else if (s->escapes == 2) {
        s->escapes = 3;
        // Back where it began: neither side went down, though the curvature says that some way does.
        if (!(value < s->settled - tolerance)) *status = TS_PENETRATION_STATIONARY;
    }
    if (value < s->settled) s->settled = value;
    if (s->settings->pace == TS_PENETRATION_PACE_CURVED && s->space.best < s->settled - tolerance) {
        *ray = s->space.best_normal;
        s->portal.count = 0;
        return 1;
    }
    return 0;
}

// Refines the portal of ray d as far as it must. 1 when a look at its normal was enough to see a better ray, *out_next.
static int refine(search* s, ts_vec3 d, ts_mpr_verdict* out_verdict, ts_mpr_state* state, ts_vec3* out_next) {
    const ts_penetration_settings* settings = s->settings;
    ts_penetration_result* out = s->out;
    if (s->pace == TS_PENETRATION_PACE_CURVED) {
        *out_verdict = ts_mpr_refine(&s->space, d, settings->shortcut, 1, &s->portal, state);
        out->inner += state->steps;
        out->depth_ray = state->ray;
        if (*out_verdict != TS_MPR_LIMIT) return 0;
        // Leaving the ray before it is known to be the longer one is safe as long as the bound falls every time.
        double before = s->space.best, worth = 0.25 * ts_mpr_tolerance(&s->space);
        *out_next = state->normal;
        if (ts_mpr_descend(&s->space, &s->portal, state->newest, ts_vec3_scale(state->ray, d), out_next) &&
            s->space.best < before - worth)
            return 1;
        s->portal.top = 0;
    }
    *out_verdict = ts_mpr_refine(&s->space, d, settings->shortcut, settings->inner_limit, &s->portal, state);
    out->inner += state->steps;
    out->depth_ray = state->ray;
    return 0;
}

// A portal as it is seen: with the plane beyond it and where its ray meets it.
static void watch(search* s, ts_vec3 d, const ts_mpr_state* state) {
    ts_proximity_step* step = ts_proximity_trace_step(s->settings->trace, TS_PROXIMITY_STAGE_PORTAL, s->out->outer);
    if (!step) return;
    const ts_mpr_vertex* v = ts_mpr_corner(&s->portal, state->newest);
    step->direction = state->normal;
    step->point_a = v->a;
    step->point_b = ts_transform_point(&s->space.pair->b_in_a, v->b_local);
    step->support = -state->plane;
    step->lower = -s->space.best;
    step->nearest = ts_vec3_scale(state->ray, d);
    step->corners = s->portal.count;
    for (int i = 0; i < s->portal.count; ++i) step->corner[i] = ts_mpr_corner(&s->portal, i)->w;
}

// One ray: 1 and the next one while the search goes on, else 0 and the status.
static int follow(search* s, ts_vec3* ray) {
    ts_penetration_result* out = s->out;
    ts_vec3 d = *ray;
    int kept = s->portal.count == 3, limit = s->settings->inner_limit;
    ts_mpr_verdict verdict = ts_mpr_find(&s->space, d, s->pace, limit, &s->portal);
    if (verdict == TS_MPR_LIMIT && kept) {
        ts_mpr_clear(&s->portal);
        verdict = ts_mpr_find(&s->space, d, s->pace, limit, &s->portal);
    }
    out->ray = d;
    if (verdict == TS_MPR_STATIONARY) {
        out->depth_ray = ts_vec3_dot(ts_mpr_corner(&s->portal, 0)->w, d);
        return go_on(s, d, out->depth_ray, ray);
    }
    if (verdict == TS_MPR_PORTAL && !s->early_known) {
        s->early_known = 1;
        for (int i = 0; i < 3; ++i) s->early[i] = ts_mpr_corner(&s->portal, i)->w;
    }
    ts_mpr_state state = {{0.0, 0.0, 0.0}, 0.0, 0.0, 0, 0};
    int better = verdict == TS_MPR_PORTAL && refine(s, d, &verdict, &state, ray);
    if (s->settings->trace && state.steps > 0) watch(s, d, &state);
    if (better) return 1;
    switch (verdict) {
    case TS_MPR_PORTAL:
        if (state.ray <= state.plane + ts_mpr_tolerance(&s->space)) return go_on(s, state.normal, state.plane, ray);
        // fall through
    case TS_MPR_SHORTCUT:
        *ray = state.normal;
        if (s->pace == TS_PENETRATION_PACE_CURVED)
            ts_mpr_descend(&s->space, &s->portal, 3, ts_vec3_scale(state.ray, d), ray);
        return 1;
    case TS_MPR_DEGENERATE:
        // A portal with no area left: a fresh one from the best direction, unless that is where this one came from.
        if (kept) {
            s->portal.count = 0;
            *ray = s->space.best_normal;
            return 1;
        }
        out->status = TS_PENETRATION_LIMIT;
        return 0;
    case TS_MPR_NOT_INSIDE:
        out->status =
            s->space.best < -8.0 * DBL_EPSILON * s->space.scale ? TS_PENETRATION_SEPARATED : TS_PENETRATION_TOUCHING;
        return 0;
    case TS_MPR_INVALID: out->status = TS_PENETRATION_INVALID_INPUT; return 0;
    case TS_MPR_LIMIT:
    case TS_MPR_STATIONARY: break;
    }
    out->status = TS_PENETRATION_LIMIT;
    return 0;
}

static double volume(ts_vec3 a, ts_vec3 b, ts_vec3 c) { return ts_vec3_dot(a, ts_vec3_cross(b, c)); }

// Whether the first portal, if it is wide, and one support point opposite make a tetrahedron around the origin.
static int surrounded(search* s) {
    const ts_vec3* w = s->early;
    double scale = s->space.scale;
    if (!s->early_known || ts_vec3_distance(w[0], w[1]) + ts_vec3_distance(w[1], w[2]) < scale) return 0;
    ts_mpr_vertex b;
    ts_vec3 middle = ts_vec3_add(w[0], ts_vec3_add(w[1], w[2]));
    ts_mpr_support(&s->space, ts_vec3_unit_or(ts_vec3_neg(middle), s->first), &b);
    double v0 = volume(w[1], w[2], b.w), v1 = volume(w[2], w[0], b.w), v2 = volume(w[0], w[1], b.w);
    double v3 = -volume(w[0], w[1], w[2]), rounding = 64.0 * DBL_EPSILON * scale * scale * scale;
    return (v0 > rounding && v1 > rounding && v2 > rounding && v3 > rounding) ||
           (v0 < -rounding && v1 < -rounding && v2 < -rounding && v3 < -rounding);
}

// A point of D on the ray -d, with the one found on d, has the origin between them. Returns what the search back says.
static ts_mpr_verdict look_back(search* s, ts_vec3 d) {
    ts_mpr_portal behind;
    ts_mpr_clear(&behind);
    ts_vec3 back = ts_vec3_neg(d);
    int limit = s->settings->inner_limit;
    ts_mpr_verdict verdict = ts_mpr_find(&s->space, back, TS_PENETRATION_PACE_PAPER, limit, &behind);
    for (int step = 0; verdict == TS_MPR_PORTAL && step < limit; ++step) {
        ts_vec3 w = ts_mpr_corner(&behind, 0)->w;
        ts_vec3 n =
            ts_vec3_cross(ts_vec3_sub(ts_mpr_corner(&behind, 1)->w, w), ts_vec3_sub(ts_mpr_corner(&behind, 2)->w, w));
        if (ts_vec3_dot(n, w) >= 0.0) return TS_MPR_PORTAL;
        ts_mpr_state state;
        verdict = ts_mpr_refine(&s->space, back, TS_PENETRATION_NO_SHORTCUT, 1, &behind, &state);
        if (verdict == TS_MPR_LIMIT) verdict = TS_MPR_PORTAL;
    }
    return verdict;
}

// The points of the shapes that a vertex is the difference of, balls included, each in its own frame.
static ts_vec3 point_on_a(const search* s, const ts_mpr_vertex* v) {
    return ts_vec3_add_scaled(v->a, s->space.radius_a, v->direction);
}

static ts_vec3 point_on_b(const search* s, const ts_mpr_vertex* v) {
    ts_vec3 along = ts_transform_direction_inverse(&s->space.pair->b_in_a, v->direction);
    return ts_vec3_add_scaled(v->b_local, -s->space.radius_b, along);
}

// Where the line along d meets the portal, in barycentric weights; 0 when it misses.
static int meet(search* s, ts_vec3 d, double weight[3]) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        ts_vec3 next = ts_mpr_corner(&s->portal, (i + 1) % 3)->w, last = ts_mpr_corner(&s->portal, (i + 2) % 3)->w;
        weight[i] = ts_vec3_dot(d, ts_vec3_cross(next, last));
        if (weight[i] < 0.0) return 0;
        sum += weight[i];
    }
    if (!(sum > 0.0)) return 0;
    for (int i = 0; i < 3; ++i) weight[i] /= sum;
    return 1;
}

// Deepest points: where the line along the normal meets the portal, or at least the last ray, spread evenly about the two.
static void place_points(search* s) {
    ts_penetration_result* out = s->out;
    double weight[3] = {1.0, 0.0, 0.0};
    int count = s->portal.count == 3 ? 3 : 1;
    if (count == 3 && !meet(s, out->found.normal, weight) && !meet(s, out->ray, weight)) {
        weight[0] = 1.0;
        weight[1] = weight[2] = 0.0;
    }
    ts_vec3 a = ts_vec3_zero(), b = ts_vec3_zero();
    for (int i = 0; i < count; ++i) {
        const ts_mpr_vertex* v = ts_mpr_corner(&s->portal, i);
        a = ts_vec3_add_scaled(a, weight[i], point_on_a(s, v));
        b = ts_vec3_add_scaled(b, weight[i], point_on_b(s, v));
    }
    out->found.point_a = a;
    out->found.point_b = ts_transform_point(&s->space.pair->b_in_a, b);
    ts_separation_straighten(&out->found);
}

static void load_portal(search* s, const ts_penetration_portal* portal) {
    if (!portal || portal->count != 3) return;
    for (int i = 0; i < 3; ++i) {
        ts_mpr_vertex* v = &s->portal.store[i];
        v->a = portal->point_a[i];
        v->b_local = portal->point_b[i];
        v->direction = ts_vec3_zero();  // the balls are in the points already
        v->w = ts_vec3_sub(v->a, ts_transform_point(&s->space.pair->b_in_a, v->b_local));
        if (!ts_vec3_is_finite(v->w)) return;
        double squared = ts_vec3_norm_squared(v->w);
        if (squared > s->space.scale_squared) {
            s->space.scale_squared = squared;
            s->space.scale = sqrt(squared);
        }
    }
    s->portal.count = 3;
}

static void store_portal(search* s, ts_penetration_portal* portal) {
    if (!portal) return;
    portal->count = s->portal.count == 3 ? 3 : 0;
    for (int i = 0; i < portal->count; ++i) {
        portal->point_a[i] = point_on_a(s, ts_mpr_corner(&s->portal, i));
        portal->point_b[i] = point_on_b(s, ts_mpr_corner(&s->portal, i));
    }
}

static void conclude(search* s) {
    ts_penetration_result* out = s->out;
    const ts_mpr_space* space = &s->space;
    out->found.lower = -space->best;
    out->found.normal = space->best_normal;
    out->scale = space->scale;
    int overlap_may_be = out->status != TS_PENETRATION_SEPARATED && out->status != TS_PENETRATION_INVALID_INPUT;
    if (s->settings->proof == TS_PENETRATION_ASSUME_OVERLAP) {
        if (overlap_may_be) out->found.upper = 0.0;
    } else if (overlap_may_be && out->status != TS_PENETRATION_TOUCHING && out->depth_ray >= 0.0) {
        ts_mpr_verdict verdict = surrounded(s)                  ? TS_MPR_PORTAL
                                 : ts_mpr_not_inside(&s->space) ? TS_MPR_NOT_INSIDE
                                                                : look_back(s, out->ray);
        if (verdict == TS_MPR_PORTAL || verdict == TS_MPR_STATIONARY) out->found.upper = 0.0;
        if (verdict == TS_MPR_NOT_INSIDE) {
            out->found.lower = -space->best;
            out->found.normal = space->best_normal;
            out->status =
                space->best < -8.0 * DBL_EPSILON * space->scale ? TS_PENETRATION_SEPARATED : TS_PENETRATION_TOUCHING;
        }
    }
    out->support_calls = space->support_calls;
    place_points(s);
}

// Polytopes with faces have corners, and rounding them off does not change where their normals point. Points and segments
// have only what curvature their balls give.
static int has_curvature(const ts_shape_pair* pair) {
    const ts_shape_traits *a = ts_shape_traits_of(pair->a), *b = ts_shape_traits_of(pair->b);
    return !(a->polytope && b->polytope && (a->rank > 1 || b->rank > 1));
}

void ts_penetration_incremental(const ts_shape_pair* pair, ts_vec3 normal, const ts_penetration_settings* settings,
                                ts_penetration_portal* portal, ts_penetration_result* out) {
    TS_ASSERT(pair->a->kind != TS_SHAPE_PLANE && pair->b->kind != TS_SHAPE_PLANE);
    ts_penetration_settings standard = ts_penetration_settings_default();
    if (!settings) settings = &standard;
    search s;
    s.settings = settings;
    s.out = out;
    s.escapes = s.early_known = 0;
    s.pace = has_curvature(pair) ? settings->pace : TS_PENETRATION_PACE_PAPER;
    s.settled = (double)INFINITY;
    ts_mpr_clear(&s.portal);
    ts_mpr_begin(pair, settings, &s.space);
    load_portal(&s, portal);
    out->status = TS_PENETRATION_LIMIT;
    out->found.upper = (double)INFINITY;
    out->depth_ray = 0.0;
    out->outer = out->inner = 0;
    if (!ts_pose_is_usable(&pair->b_in_a)) {
        out->status = TS_PENETRATION_INVALID_INPUT;
        out->found.lower = -(double)INFINITY;
        out->found.normal = out->ray = ts_vec3_axis(0);
        out->found.point_a = out->found.point_b = ts_vec3_zero();
        out->support_calls = 0;
        out->scale = 0.0;
        return;
    }
    ts_vec3 centres =
        ts_vec3_sub(ts_transform_point(&pair->b_in_a, ts_shape_middle(pair->b)), ts_shape_middle(pair->a));
    ts_vec3 ray = ts_vec3_unit_or(normal, ts_vec3_unit_or(centres, ts_vec3_axis(0)));
    s.first = ray;
    while (out->outer < settings->outer_limit) {
        ++out->outer;
        if (!follow(&s, &ray)) break;
        out->status = TS_PENETRATION_LIMIT;
    }
    conclude(&s);
    store_portal(&s, portal);
}
