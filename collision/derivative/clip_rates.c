// Derivatives of points that clipping made (clip.c, box_box.c).
//
// Problem: a point of a manifold tells where it is, not how it came there. Rule: it lies on the incident feature, so it is one of its
// corners, or where one of its edges passes a side plane of the reference polygon, or the point of its face under a corner of the
// reference; which one, its place says to rounding. Everything is differentiated in the frame of the reference shape, where only
// the incident feature moves (and the normal, where it is not the reference polygon's own), and then moves with that frame.
// Guaranteed: exact to rounding while the point stays what it is; room says for how long.
// Known limits: points within the manifold's own tolerance (1e-6 of the size) of two of these at once are taken for the nearer one and
// have no room. Changes of the reference or of the incident face are foreseen only as far as `turn` says.
#include "collision/derivative/manifold_rates_internal.h"

#include "collision/distance/proximity_internal.h"

// Directions that differ by less are the same but for rounding of poses.
static const double SAME_DIRECTION = 1e-12;
// Of the features' size: how far a point may be off an edge or a plane that it was computed on.
static const double ON = 1e-9;
// rad: how far a face's normal may be from the query's to stand in for it (manifold.c), 3 degrees.
static const double SNAP = 0.052359877559829887;

static void feature_of(const ts_shape* shape, const ts_transform* at, ts_vec3 direction, int whole_face,
                       ts_support_feature* out) {
    ts_vec3 d = ts_transform_direction_inverse(at, direction);
    if (whole_face) {  // of a box the face that looks that way most, however little
        int axis = ts_vec3_largest(ts_vec3_abs(d));
        d = ts_vec3_scale(ts_vec3_get(d, axis) < 0.0 ? -1.0 : 1.0, ts_vec3_axis(axis));
    }
    ts_support_feature_along(shape, d, out);
    for (int k = 0; k < out->count; ++k) out->point[k] = ts_transform_point(at, out->point[k]);
    out->normal = ts_transform_direction(at, out->normal);
}

// Which polygon is the reference: what the pair remembers, else the one whose normal the contact has, else the better aligned one,
// of equals the first kind's.
static int choose_side(const ts_contact_source* source, const ts_support_feature* a, const ts_support_feature* b,
                       ts_vec3 n) {
    int polygon_a = a->count > 2, polygon_b = b->count > 2;
    if (!polygon_a || !polygon_b) return polygon_a ? 1 : (polygon_b ? 2 : 0);
    if (source->reference) return source->reference;
    double off_a = ts_vec3_distance(a->normal, n), off_b = ts_vec3_distance(ts_vec3_neg(b->normal), n);
    if (fabs(off_a - off_b) > SAME_DIRECTION) return off_a < off_b ? 1 : 2;
    return source->pair->a->kind <= source->pair->b->kind ? 1 : 2;
}

// The features along a direction, for a manifold with that normal.
static void view_along(const ts_contact_source* source, ts_vec3 normal, ts_vec3 along, ts_clip_view* out) {
    const ts_moving_pair* pair = source->pair;
    out->boxes =
        pair->a->kind == TS_SHAPE_BOX && pair->b->kind == TS_SHAPE_BOX && pair->a->radius + pair->b->radius == 0.0;
    ts_support_feature *a = &out->reference, *b = &out->incident;
    feature_of(pair->a, &pair->a_at, along, out->boxes, a);
    feature_of(pair->b, &pair->b_at, ts_vec3_neg(along), out->boxes, b);
    out->side = a->count < 2 || b->count < 2 ? 0 : choose_side(source, a, b, normal);
    if (!out->side) return;
    if (out->side == 2) {
        ts_support_feature swap = *a;
        *a = *b;
        *b = swap;
    }
    out->n = normal;
    out->outward = out->side == 1 ? normal : ts_vec3_neg(normal);
    out->own_normal = ts_vec3_distance(out->reference.normal, out->outward) <= SAME_DIRECTION;
    double squared = 0.0;
    for (int k = 1; k < out->incident.count; ++k)
        squared = fmax(squared, ts_vec3_norm_squared(ts_vec3_sub(out->incident.point[0], out->incident.point[k])));
    for (int k = 0; k < out->reference.count; ++k) {
        ts_vec3 from = out->reference.point[k], to = out->reference.point[k + 1 < out->reference.count ? k + 1 : 0];
        ts_vec3 e = ts_vec3_sub(to, from);
        out->inward[k] = ts_vec3_unit_or(ts_vec3_cross(out->outward, e), ts_vec3_zero());
        squared = fmax(squared, ts_vec3_norm_squared(e));
    }
    out->size = sqrt(squared);
}

// Where the incident point p lies.
typedef struct clip_place {
    ts_vec3 p;
    int corner;  // of the incident feature, or -1
    int edge;    // of the incident feature, or -1
    int plane;   // of the reference polygon, the nearest
    int shared;  // corner of the reference polygon at which the two nearest planes meet, or -1
    double off_corner, off_edge, off_plane, off_second;
} clip_place;

static void find_place(const ts_clip_view* view, ts_vec3 p, clip_place* out) {
    const ts_support_feature *incident = &view->incident, *reference = &view->reference;
    out->p = p;
    out->corner = out->edge = out->plane = out->shared = -1;
    out->off_corner = out->off_edge = out->off_plane = out->off_second = (double)INFINITY;
    int count = incident->count, edges = count > 2 ? count : count - 1, second = -1;
    for (int k = 0; k < count; ++k) {
        double off = ts_vec3_norm_squared(ts_vec3_sub(p, incident->point[k]));
        if (!(off < out->off_corner)) continue;
        out->off_corner = off;
        out->corner = k;
    }
    out->off_corner = sqrt(out->off_corner);
    for (int k = 0; k < edges; ++k) {
        ts_vec3 from = incident->point[k], e = ts_vec3_sub(incident->point[k + 1 < count ? k + 1 : 0], from),
                r = ts_vec3_sub(p, from);
        double t = ts_vec3_dot(r, e) / ts_vec3_norm_squared(e), w = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        double off = ts_vec3_norm_squared(ts_vec3_add_scaled(r, -w, e));
        if (!(off < out->off_edge)) continue;
        out->off_edge = off;
        out->edge = k;
    }
    out->off_edge = sqrt(out->off_edge);
    for (int j = 0; j < reference->count; ++j) {
        double off = fabs(ts_vec3_dot(view->inward[j], ts_vec3_sub(p, reference->point[j])));
        if (off < out->off_plane) {
            out->off_second = out->off_plane;
            second = out->plane;
            out->off_plane = off;
            out->plane = j;
        } else if (off < out->off_second) {
            out->off_second = off;
            second = j;
        }
    }
    if (second == (out->plane + 1) % reference->count) out->shared = second;
    if (out->plane == (second + 1) % reference->count) out->shared = out->plane;
}

enum place_sort { NOWHERE, CORNER, CUT, UNDER_CORNER };

static enum place_sort sort_of(const ts_clip_view* view, const clip_place* place, double tolerance, double* out_room) {
    if (place->off_corner <= tolerance) {
        *out_room = place->off_plane;
        return CORNER;
    }
    if (place->off_edge <= tolerance && place->off_plane <= tolerance) {
        *out_room = fmin(place->off_corner, place->off_second);
        return CUT;
    }
    if (place->shared >= 0 && place->off_second <= tolerance && view->incident.count > 2) {
        *out_room = place->off_edge;
        return UNDER_CORNER;
    }
    return NOWHERE;
}

// What one column of a twist does to the incident point, seen from the reference; `slip` is how the normal turns there.
static ts_vec3 move_seen(const ts_clip_view* view, const clip_place* place, enum place_sort sort, ts_vec3 seen,
                         ts_vec3 slip) {
    if (sort == CORNER) return seen;
    const ts_support_feature *incident = &view->incident, *reference = &view->reference;
    if (sort == CUT) {
        ts_vec3 from = reference->point[place->plane],
                side = ts_vec3_sub(reference->point[(place->plane + 1) % reference->count], from);
        ts_vec3 e = ts_vec3_sub(incident->point[(place->edge + 1) % incident->count], incident->point[place->edge]);
        ts_vec3 m = ts_vec3_cross(view->outward, side), dm = ts_vec3_cross(slip, side);
        double through = ts_vec3_dot(m, e);
        double dw = -(ts_vec3_dot(dm, ts_vec3_sub(place->p, from)) + ts_vec3_dot(m, seen)) / through;
        return isfinite(dw) ? ts_vec3_add_scaled(seen, dw, e) : seen;
    }
    ts_vec3 m = incident->normal;
    double t = ts_vec3_dot(ts_vec3_sub(place->p, reference->point[place->shared]), view->outward);
    double dt = (ts_vec3_dot(m, seen) - t * ts_vec3_dot(m, slip)) / ts_vec3_dot(m, view->outward);
    return ts_vec3_add(ts_vec3_scale(t, slip), ts_vec3_scale(dt, view->outward));
}

static void differentiate(const ts_contact_source* source, const ts_clip_view* view, const clip_place* place,
                          enum place_sort sort, const ts_contact_point* point, ts_contact_rates* io) {
    const ts_moving_pair* pair = source->pair;
    int on_b = view->side == 2;  // the reference moves
    const ts_shape* shape = on_b ? pair->a : pair->b;
    const ts_transform* at = on_b ? &pair->a_at : &pair->b_at;
    int glides = ts_shape_traits_of(shape)->turning && view->incident.count == 2;
    ts_vec3 towards = ts_transform_direction_inverse(at, ts_vec3_neg(view->outward));
    double sign = on_b ? -1.0 : 1.0, facing = ts_vec3_dot(view->reference.normal, view->outward);
    double core_gap = point->gap + pair->a->radius + pair->b->radius;
    double shift = -0.5 * core_gap * sign + 0.5 * (pair->a->radius - pair->b->radius);
    for (int j = 0; j < 6; ++j) {
        ts_vec3 moved = ts_rate_of_point(j, place->p), carried = ts_rate_of_direction(j, view->n);
        ts_vec3 seen = ts_vec3_scale(sign, moved),
                off = ts_vec3_sub(io->normal[j], carried);  // the normal's turning seen from B
        ts_vec3 slip = ts_vec3_scale(sign, on_b ? off : io->normal[j]);
        if (glides) {
            ts_vec3 turning = on_b ? io->normal[j] : ts_vec3_neg(off);
            seen = ts_vec3_add(seen, ts_bend_along(shape, at, towards, place->p, turning));
        }
        ts_vec3 move = move_seen(view, place, sort, seen, slip);
        io->gap[j] =
            (ts_vec3_dot(view->reference.normal, move) - core_gap * ts_vec3_dot(view->reference.normal, slip)) / facing;
        if (on_b) move = ts_vec3_add(move, moved);
        ts_vec3 dp = ts_vec3_add_scaled(move, -0.5 * sign * io->gap[j], view->n);
        io->position[j] = ts_vec3_add_scaled(dp, shift, io->normal[j]);
    }
}

// How far the incident point lies from the contact's, along the normal.
static ts_vec3 incident_point(const ts_moving_pair* pair, const ts_clip_view* view, const ts_contact_point* point) {
    double depth = 0.5 * point->gap + (view->side == 1 ? pair->b->radius : pair->a->radius);
    return ts_vec3_add_scaled(point->position, depth, view->outward);
}

// A face's own normal is the query's where the deepest point is a corner well over the face. Else it only stands in for it, up to three
// degrees away, and the query's normal turns with 1 / curvature.
static void judge_snap(ts_contact_source* source, const ts_clip_view* view) {
    if (source->snap_known) return;
    source->snap_known = 1;
    source->snap = ts_derivative_certificate_fine();
    if (view->boxes) return;  // axes, no query
    clip_place place;
    double room = 0.0;
    find_place(view, incident_point(source->pair, view, &source->lowest), &place);
    enum place_sort sort = sort_of(view, &place, ON * view->size + source->rounding, &room);
    int single = source->lowest.feature == ts_contact_label(6, -1, -1, -1, -1);  // a witness, beyond the polygon
    if ((sort == CORNER && !single && room > 1e-4 * view->size) || !ts_contact_source_query(source)) return;
    double off = ts_vec3_distance(source->witness.normal, view->n);
    if (!(off > 1e-9)) {
        source->snap.room = source->rates.certificate.room;
        return;
    }
    source->snap.turn = fmax(SNAP - off, 0.0);
    source->snap.room = fmax(source->rates.certificate.curvature, 0.0) * source->snap.turn;
}

// Sets the rates of the normal. Returns 0 where it is neither a face's own nor the query's.
static int set_normal(ts_contact_source* source, const ts_clip_view* view, ts_contact_rates* out) {
    if (view->own_normal) {
        ts_contact_rates_hold(out, view->side, view->n);
        judge_snap(source, view);
        out->certificate = ts_derivative_certificate_least(out->certificate, source->snap);
        return 1;
    }
    if (!ts_contact_source_query(source) || ts_vec3_distance(source->witness.normal, view->n) > 1e-6) return 0;
    for (int j = 0; j < 6; ++j) out->normal[j] = source->turning[j];
    // Overlapping boxes have one point where edges cross.
    if (view->boxes) out->certificate.room = fmin(out->certificate.room, fabs(source->lowest.gap));
    out->certificate = ts_derivative_certificate_least(out->certificate, source->rates.certificate);
    return 1;
}

int ts_clip_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_clip_view* view = &source->view;
    clip_place place;
    for (; source->viewed < 3; ++source->viewed) {
        if (source->viewed == 0) {
            view_along(source, point->normal, point->normal, &source->view);
            continue;
        }
        if (view->side) {
            find_place(view, incident_point(source->pair, view, point), &place);
            out->certificate = ts_derivative_certificate_fine();
            enum place_sort sort = sort_of(view, &place, ON * view->size + source->rounding, &out->certificate.room);
            if (sort != NOWHERE && set_normal(source, view, out)) {
                ts_derivative_certificate_judge(view->size, &out->certificate);
                differentiate(source, view, &place, sort, point, out);
                return 1;
            }
        }
        // Perhaps the features were seen along the query's normal, which a face's own has replaced.
        if (source->viewed == 1 && !ts_contact_source_query(source)) return 0;
        if (source->viewed == 1) view_along(source, point->normal, source->witness.normal, &source->view);
    }
    source->viewed = 2;
    return 0;
}
