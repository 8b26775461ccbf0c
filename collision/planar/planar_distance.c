// GJK in the plane with barycodes.
//
// Problem: min |x| over x in D = A - B, two convex polygons, and whether D holds the origin.
// Rule: keep the vertex or edge of D nearest to the origin so far; add the support point of D towards the origin; the
// signs of the barycentric coordinates of the origin in the new triangle say which feature comes next (Zhang, Wu, Wang,
// Zhou, "Barycode-based GJK Algorithm", 2020, algorithms 1 to 6). Where this differs from the printed listings:
// - The search direction of an edge is its perpendicular, not the barycentric sum v, which cancels near contact.
// - A step must come closer, compared without a division; otherwise it is rounding, and the loop ends. Without this the
//   printed rule with a squared tolerance cycles. With it the newest vertex always lies beyond the old edge, so four
//   codes remain, and with the edge kept in order two signs decide between them.
// - Those two signs are the paper's vertical-angle test of the collision routine: the distance routine gets it free.
// - A sign is taken of a cross product with the edge vector, not of two long points: no loss far from the origin.
// - No tolerance: on polygons the loop ends when the support point is no farther than the feature.
// Guaranteed: lower is a separating-line certificate, upper the distance of two points of the shapes. Whole-number
// polygons at whole-number positions and quarter turns are decided exactly. Touching is a collision.
// Radii stay out of the loop: the distance of rounded polygons is that of the cores less the radii.
// Known limit: an error of a few ulp of the largest |a - b|, which is what the input poses are worth.
#include "collision/planar/planar_distance.h"

#include "base/assert.h"
#include "collision/planar/planar_gjk_internal.h"
#include "collision/planar/planar_query_internal.h"

ts_planar_options ts_planar_options_default(void) {
    ts_planar_options options = {TS_PLANAR_SUPPORT_AUTO, TS_PLANAR_DEPTH_EXACT, 0.0};
    return options;
}

const char* ts_planar_status_name(ts_planar_status status) {
    static const char* const name[] = {"separated",       "touching",        "penetrating",
                                       "separated early", "iteration limit", "invalid input"};
    return (unsigned)status < sizeof name / sizeof name[0] ? name[status] : "unknown";
}

static int tidy_rotation(ts_planar_vec* rotation) {
    double squared = rotation->x * rotation->x + rotation->y * rotation->y;
    if (!(fabs(squared - 1.0) <= 2e-2)) return 0;
    double length = sqrt(squared);
    rotation->x /= length;
    rotation->y /= length;
    return 1;
}

int planar_tidy_pose(ts_planar_pose* pose) {
    return fabs(pose->position.x) <= 1e30 && fabs(pose->position.y) <= 1e30 && tidy_rotation(&pose->rotation);
}

static const planar_kernels* kernels_for(const planar_query* query, ts_planar_support_rule rule) {
    int climbs =
        rule == TS_PLANAR_SUPPORT_CLIMB || query->a->count > TS_PLANAR_SCAN_MAX || query->b->count > TS_PLANAR_SCAN_MAX;
    if (climbs) return &planar_kernels_climb;
    return rule == TS_PLANAR_SUPPORT_PLAIN_SCAN ? &planar_kernels_scalar : planar_kernels_here();
}

// Whether the walk knows what to do: a point has no edges to walk on.
static int can_walk(const ts_planar_polygon* a, const ts_planar_polygon* b, ts_planar_support_rule rule) {
    return rule == TS_PLANAR_SUPPORT_AUTO && a->count > 1 && b->count > 1 && a->count <= TS_PLANAR_SCAN_MAX &&
           b->count <= TS_PLANAR_SCAN_MAX;
}

// What the loop found, of the cores, in the query frame.
typedef struct core_answer {
    ts_planar_status status;
    double distance, lower, upper;
    double nx, ny, ax, ay;
} core_answer;

// Closest points of a simplex of rank 1 or 2.
static void from_feature(const planar_query* query, const planar_simplex* simplex, core_answer* out) {
    const ts_planar_polygon* a = query->a;
    int i = simplex->ia[0];
    double inverse = 1.0 / sqrt(simplex->dx * simplex->dx + simplex->dy * simplex->dy);
    out->nx = simplex->dx * inverse;
    out->ny = simplex->dy * inverse;
    out->lower = -simplex->dw * inverse;
    out->ax = a->x[i];
    out->ay = a->y[i];
    if (simplex->rank == 1) {
        out->distance = -(out->nx * simplex->wx[0] + out->ny * simplex->wy[0]);
    } else {
        int k = simplex->ia[1];
        double ex = simplex->wx[1] - simplex->wx[0], ey = simplex->wy[1] - simplex->wy[0];
        double t = -(simplex->wx[0] * ex + simplex->wy[0] * ey) * (inverse * inverse);
        t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        int near_end = t > 0.5;
        out->ax += t * (a->x[k] - a->x[i]);
        out->ay += t * (a->y[k] - a->y[i]);
        out->distance = -(out->nx * simplex->wx[near_end] + out->ny * simplex->wy[near_end]);
    }
    out->upper = out->distance;
    if (out->lower > out->upper) out->lower = out->upper;
    out->status = simplex->ending == PLANAR_RAN_OUT ? TS_PLANAR_LIMIT : TS_PLANAR_SEPARATED;
}

// Takes over direction and deepest point.
static void face(core_answer* core, const planar_depth_result* found) {
    core->nx = found->nx;
    core->ny = found->ny;
    core->ax = found->ax;
    core->ay = found->ay;
}

// A poor direction near contact: an edge normal that separates as far as the witnesses are apart is a better one.
static void sharpen(const planar_query* query, core_answer* core) {
    planar_depth_result found;
    planar_depth(query, &found);
    if (!(found.distance > core->lower)) return;
    core->lower = found.distance < core->upper ? found.distance : core->upper;
    face(core, &found);
}

// Cores that overlap or touch: the exact depth, or only the fact.
static void from_overlap(const planar_query* query, ts_planar_depth depth, double scale, core_answer* out) {
    out->status = TS_PLANAR_PENETRATING;
    if (depth == TS_PLANAR_DEPTH_NONE) {
        double apart = sqrt(query->tx * query->tx + query->ty * query->ty);
        out->distance = out->upper = 0.0;
        out->lower = apart - query->a->reach - query->b->reach;
        if (out->lower > 0.0) out->lower = 0.0;
        out->nx = apart > 0.0 ? query->tx / apart : 1.0;
        out->ny = apart > 0.0 ? query->ty / apart : 0.0;
        out->ax = out->ay = 0.0;
        return;
    }
    planar_depth_result found;
    planar_depth(query, &found);
    out->distance = out->lower = out->upper = found.distance;
    face(out, &found);
    if (fabs(found.distance) <= 8.0 * DBL_EPSILON * scale) out->status = TS_PLANAR_TOUCHING;
}

// Radii on, and into the world.
static void to_world(const planar_query* query, ts_planar_pose pose_a, const core_answer* core, double scale,
                     ts_planar_result* out) {
    double radius = query->a->radius + query->b->radius;
    out->status = core->status;
    out->distance = core->distance;
    out->lower = core->lower;
    out->upper = core->upper;
    double ax = core->ax, ay = core->ay;
    if (radius > 0.0) {
        out->distance -= radius;
        out->lower -= radius;
        out->upper -= radius;
        ax += query->a->radius * core->nx;
        ay += query->a->radius * core->ny;
        if (core->status == TS_PLANAR_SEPARATED || core->status == TS_PLANAR_TOUCHING) {
            double level = 8.0 * DBL_EPSILON * (scale + radius);
            out->status = out->distance > level ? TS_PLANAR_SEPARATED
                                                : (out->distance < -level ? TS_PLANAR_PENETRATING : TS_PLANAR_TOUCHING);
        }
    }
    ts_planar_vec r = pose_a.rotation;
    ax += query->a->centre.x;
    ay += query->a->centre.y;
    out->normal = ts_planar_vec_make(r.x * core->nx - r.y * core->ny, r.y * core->nx + r.x * core->ny);
    out->point_a =
        ts_planar_vec_make(pose_a.position.x + (r.x * ax - r.y * ay), pose_a.position.y + (r.y * ax + r.x * ay));
    out->point_b = ts_planar_vec_add_scaled(out->point_a, out->distance, out->normal);
}

static void remember(ts_planar_cache* cache, const planar_simplex* simplex, double nx, double ny) {
    if (!cache) return;
    cache->direction = ts_planar_vec_make(nx, ny);
    cache->rank = simplex->rank;
    for (int k = 0; k < 3; ++k) {
        cache->simplex_a[k] = k < simplex->rank ? simplex->ia[k] : 0;
        cache->simplex_b[k] = k < simplex->rank ? simplex->ib[k] : 0;
    }
}

static void invalid(ts_planar_result* out) {
    ts_planar_result nothing = {TS_PLANAR_INVALID_INPUT, 0, 0, 0.0, 0.0, 0.0, {1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    *out = nothing;
}

void ts_planar_distance(const ts_planar_polygon* a, ts_planar_pose pose_a, const ts_planar_polygon* b,
                        ts_planar_pose pose_b, const ts_planar_options* options, ts_planar_cache* cache,
                        ts_planar_result* out_result) {
    TS_ASSERT(a && b && out_result);
    ts_planar_support_rule rule = options ? options->support : TS_PLANAR_SUPPORT_AUTO;
    planar_walk_end end = PLANAR_WALK_UNSURE;
    if (!cache && can_walk(a, b, rule)) {
        end = planar_kernels_here()->walk_distance(a, &pose_a, b, &pose_b,
                                                   options ? options->depth : TS_PLANAR_DEPTH_EXACT, out_result);
        if (end != PLANAR_WALK_UNSURE && end != PLANAR_WALK_INSIDE) return;
    }
    ts_planar_options chosen = options ? *options : ts_planar_options_default();
    planar_query query;
    if (!planar_query_make(a, &pose_a, b, &pose_b, &query)) {
        invalid(out_result);
        return;
    }
    double scale = a->reach + b->reach + fabs(query.tx) + fabs(query.ty);
    if (end == PLANAR_WALK_INSIDE) {
        core_answer inside;
        from_overlap(&query, chosen.depth, scale, &inside);
        to_world(&query, pose_a, &inside, scale, out_result);
        return;
    }
    query.cache = cache;
    double radius = a->radius + b->radius;
    query.limit = chosen.give_up_distance > 0.0 ? chosen.give_up_distance + radius : (double)INFINITY;
    query.limit_squared = query.limit * query.limit;
    planar_simplex simplex;
    kernels_for(&query, chosen.support)->distance(&query, &simplex);
    core_answer core;
    if (simplex.ending == PLANAR_INSIDE) {
        from_overlap(&query, chosen.depth, scale, &core);
    } else if (simplex.ending == PLANAR_BEYOND) {
        from_feature(&query, &simplex, &core);
        core.status = TS_PLANAR_SEPARATED_EARLY;
        core.distance = core.lower = -simplex.dw / sqrt(simplex.dx * simplex.dx + simplex.dy * simplex.dy);
    } else {
        from_feature(&query, &simplex, &core);
        if (!(core.distance > 8.0 * DBL_EPSILON * scale)) {
            from_overlap(&query, chosen.depth, scale, &core);
            if (chosen.depth == TS_PLANAR_DEPTH_NONE) core.status = TS_PLANAR_TOUCHING;
        } else if (core.upper - core.lower > 8.0 * DBL_EPSILON * scale) {
            sharpen(&query, &core);
        }
    }
    to_world(&query, pose_a, &core, scale, out_result);
    if (simplex.ending == PLANAR_BEYOND) out_result->upper = (double)INFINITY;
    out_result->iterations = simplex.iterations;
    out_result->support_calls = simplex.support_calls;
    remember(cache, &simplex, core.nx, core.ny);
}

ts_planar_verdict ts_planar_overlap(const ts_planar_polygon* a, ts_planar_pose pose_a, const ts_planar_polygon* b,
                                    ts_planar_pose pose_b, double margin, ts_planar_support_rule support,
                                    ts_planar_cache* cache) {
    TS_ASSERT(a && b);
    double limit = a->radius + b->radius + margin;
    if (limit <= 0.0 && !cache && can_walk(a, b, support)) {
        planar_walk_end end = planar_kernels_here()->walk_overlap(a, &pose_a, b, &pose_b);
        if (end != PLANAR_WALK_UNSURE) return end == PLANAR_WALK_INSIDE ? TS_PLANAR_OVERLAP : TS_PLANAR_APART;
    }
    planar_query query;
    if (!planar_query_make(a, &pose_a, b, &pose_b, &query) || !(margin == margin)) return TS_PLANAR_UNKNOWN;
    query.limit = limit > 0.0 ? limit : 0.0;
    query.limit_squared = query.limit * query.limit;
    // Discs around and inside the cores decide most pairs of a scene.
    double squared = query.tx * query.tx + query.ty * query.ty;
    double outer = a->reach + b->reach + query.limit;
    if (squared > outer * outer * (1.0 + 16.0 * DBL_EPSILON)) return TS_PLANAR_APART;
    if (a->inner > 0.0 && b->inner > 0.0) {
        double inner = a->inner + b->inner + query.limit;
        if (squared < inner * inner * (1.0 - 16.0 * DBL_EPSILON)) return TS_PLANAR_OVERLAP;
    }
    if (!cache && can_walk(a, b, support)) {
        ts_planar_result near;
        planar_walk_end end = planar_kernels_here()->walk_distance(a, &pose_a, b, &pose_b, TS_PLANAR_DEPTH_NONE, &near);
        if (end != PLANAR_WALK_UNSURE) return near.distance <= margin ? TS_PLANAR_OVERLAP : TS_PLANAR_APART;
    }
    query.cache = cache;
    planar_simplex simplex;
    kernels_for(&query, support)->overlap(&query, &simplex);
    remember(cache, &simplex, simplex.dx, simplex.dy);
    if (simplex.ending == PLANAR_STALLED || simplex.ending == PLANAR_RAN_OUT) {
        planar_depth_result found;
        planar_depth(&query, &found);
        return found.distance > query.limit ? TS_PLANAR_APART : TS_PLANAR_OVERLAP;
    }
    return simplex.ending == PLANAR_BEYOND ? TS_PLANAR_APART : TS_PLANAR_OVERLAP;
}
