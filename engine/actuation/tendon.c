// Lengths of tendons, and how they change.
//
// Fixed: l = sum c q, dl/dq = c. Spatial: a straight piece from x on one body to y on another changes by e . (v_y - v_x), e the unit vector
// from x to y. Around a sphere or a cylinder the way is straight, curved, straight; where it touches, it is as if it were fastened to the
// obstacle, because the shortest way does not change, to first order, with where it touches (tendon_wrap.c).
// Known weakness: where a way leaves an obstacle or meets it, the length is smooth once only; where two sites meet, the direction of a piece is
// not defined, and it pulls at nothing.
#include "engine/actuation/tendon_internal.h"

#include "engine/actuation/tendon_way.h"
#include "engine/actuation/tendon_wrap_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

static const ts_tendon_part* part_at(const ts_model* model, const ts_tendon* tendon, int i) {
    return &model->tendon_part[tendon->part_first + i];
}

static int is_fixed(const ts_model* model, const ts_tendon* tendon) {
    return tendon->part_count > 0 && part_at(model, tendon, 0)->kind == TS_TENDON_JOINT;
}

static const char* fixed_fault(const ts_model* model, const ts_tendon* tendon) {
    for (int i = 0; i < tendon->part_count; ++i) {
        const ts_tendon_part* part = part_at(model, tendon, i);
        if (part->kind != TS_TENDON_JOINT) return "it has joints and other parts";
        if (ts_joint_type_nv(model->joint[part->index].type) != 1) return "its joints must be hinges or slides";
    }
    return NULL;
}

const char* ts_tendon_fault(const ts_model* model, const ts_tendon* tendon) {
    if (is_fixed(model, tendon)) return fixed_fault(model, tendon);
    int sites = 0, after = -1;  // of the present branch; the kind before
    for (int i = 0; i < tendon->part_count; ++i) {
        const ts_tendon_part* part = part_at(model, tendon, i);
        switch (part->kind) {
        case TS_TENDON_JOINT: return "it has joints and other parts";
        case TS_TENDON_SITE: ++sites; break;
        case TS_TENDON_PULLEY:
            if (!(part->number > 0.0)) return "the divisor of a pulley must be positive";
            if (i > 0 && sites < 2) return "each of its branches needs two sites";
            if (after == TS_TENDON_GEOM) return "a geom must stand between two sites";
            sites = 0;
            break;
        case TS_TENDON_GEOM:
            if (after != TS_TENDON_SITE) return "a geom must stand between two sites";
            if (!ts_tendon_can_wrap(&model->geom[part->index])) return "it can pass around spheres and cylinders only";
            break;
        }
        after = part->kind;
    }
    if (after == TS_TENDON_GEOM) return "a geom must stand between two sites";
    return sites < 2 ? "each of its branches needs two sites" : NULL;
}

void ts_tendon_mark(const ts_model* model, const ts_tendon* tendon, char* marks) {
    for (int i = 0; i < tendon->part_count; ++i) {
        const ts_tendon_part* part = part_at(model, tendon, i);
        switch (part->kind) {
        case TS_TENDON_JOINT: marks[model->joint[part->index].dof_first] = 1; break;
        case TS_TENDON_SITE: ts_lever_mark_body(model, model->site[part->index].body, marks); break;
        case TS_TENDON_GEOM: ts_lever_mark_body(model, model->geom[part->index].body, marks); break;
        case TS_TENDON_PULLEY: break;
        }
    }
}

static double measure_fixed(const ts_sim* sim, const ts_tendon* tendon, ts_lever* lever) {
    const ts_model* model = sim->model;
    double length = 0.0;
    for (int i = 0; i < tendon->part_count; ++i) {
        const ts_tendon_part* part = part_at(model, tendon, i);
        const ts_joint* joint = &model->joint[part->index];
        int k = 0;
        while (lever->dof[k] != joint->dof_first) ++k;
        lever->moment[k] += part->number;
        length += part->number * sim->qpos[joint->qpos_first];
    }
    return length;
}

// The straight piece from a to b, `share` of which counts: adds its derivatives, returns its length.
static double add_straight(const ts_sim* sim, ts_tendon_hold a, ts_tendon_hold b, double share, ts_lever* lever) {
    ts_vec3 way = ts_vec3_sub(b.point, a.point);
    double length = ts_vec3_norm(way);
    if (a.body == b.body || length == 0.0) return share * length;
    ts_force pull = {ts_vec3_zero(), ts_vec3_scale(share / length, way)};
    ts_lever_add_wrench(sim, b.body, b.point, pull, lever);
    pull.force = ts_vec3_neg(pull.force);
    ts_lever_add_wrench(sim, a.body, a.point, pull, lever);
    return share * length;
}

static ts_tendon_hold hold_of_site(const ts_sim* sim, int site) {
    const ts_site* s = &sim->model->site[site];
    return (ts_tendon_hold){s->body, ts_transform_point(&sim->kinematics.body_pose[s->body], s->pose.position)};
}

int ts_tendon_next_span(const ts_sim* sim, const ts_tendon* tendon, ts_tendon_span* io_span) {
    const ts_tendon_part* around = NULL;
    ts_tendon_hold last = io_span->next ? io_span->to : io_span->from;
    while (io_span->next < tendon->part_count) {
        const ts_tendon_part* part = part_at(sim->model, tendon, io_span->next++);
        if (part->kind == TS_TENDON_PULLEY) {
            io_span->share = 1.0 / part->number;
            last.body = -1;
        } else if (part->kind == TS_TENDON_GEOM) {
            around = part;
        } else {
            io_span->from = last;
            io_span->to = last = hold_of_site(sim, part->index);
            io_span->around = around;
            if (io_span->from.body >= 0) return 1;
            around = NULL;
        }
    }
    return 0;
}

ts_tendon_span ts_tendon_first_span(void) {
    return (ts_tendon_span){{-1, ts_vec3_zero()}, {-1, ts_vec3_zero()}, NULL, 1.0, 0};
}

double ts_tendon_curve(const ts_sim* sim, const ts_tendon_span* way, ts_vec3 out_touch[2]) {
    const ts_tendon_part* part = way->around;
    ts_vec3 side = ts_vec3_zero();
    if (!part) return -1.0;
    if (part->side >= 0) side = hold_of_site(sim, part->side).point;
    return ts_tendon_wrap(&sim->model->geom[part->index], ts_kinematics_geom(&sim->kinematics, part->index),
                          way->from.point, way->to.point, part->side >= 0 ? &side : NULL, out_touch);
}

static double measure_spatial(const ts_sim* sim, const ts_tendon* tendon, ts_lever* lever) {
    double length = 0.0;
    for (ts_tendon_span way = ts_tendon_first_span(); ts_tendon_next_span(sim, tendon, &way);) {
        ts_vec3 touch[2];
        double curve = ts_tendon_curve(sim, &way, touch);
        if (!way.around || curve < 0.0) {
            length += add_straight(sim, way.from, way.to, way.share, lever);
            continue;
        }
        int body = sim->model->geom[way.around->index].body;
        ts_tendon_hold on = {body, touch[0]}, off = {body, touch[1]};
        double around = add_straight(sim, way.from, on, way.share, lever) + way.share * curve;
        length += around + add_straight(sim, off, way.to, way.share, lever);
    }
    return length;
}

static void add_segment(ts_vec3 from, ts_vec3 to, int most, ts_tendon_segment* out_segment, int* io_count) {
    if (*io_count < most) out_segment[*io_count] = (ts_tendon_segment){from, to};
    ++*io_count;
}

int ts_tendon_way(const ts_sim* sim, int tendon, int most, ts_tendon_segment* out_segment) {
    const ts_tendon* t = &sim->model->tendon[tendon];
    int count = 0;
    if (is_fixed(sim->model, t)) return 0;
    for (ts_tendon_span way = ts_tendon_first_span(); ts_tendon_next_span(sim, t, &way);) {
        ts_vec3 touch[2], at = way.from.point;
        double curve = ts_tendon_curve(sim, &way, touch);
        for (int i = 0; way.around && curve >= 0.0 && i <= TS_TENDON_ARC_SEGMENTS; ++i) {
            const ts_geom* geom = &sim->model->geom[way.around->index];
            ts_vec3 next = ts_tendon_arc(geom, ts_kinematics_geom(&sim->kinematics, way.around->index), way.from.point,
                                         touch, curve, (double)i / TS_TENDON_ARC_SEGMENTS);
            add_segment(at, next, most, out_segment, &count);
            at = next;
        }
        add_segment(at, way.to.point, most, out_segment, &count);
    }
    return count;
}

double ts_tendon_measure(const ts_sim* sim, const ts_tendon* tendon, ts_lever* lever) {
    for (int k = 0; k < lever->count; ++k) lever->moment[k] = 0.0;
    return is_fixed(sim->model, tendon) ? measure_fixed(sim, tendon, lever) : measure_spatial(sim, tendon, lever);
}

double ts_tendon_stretch(const ts_tendon* tendon, double length) {
    if (length > tendon->rest[1]) return length - tendon->rest[1];
    return length < tendon->rest[0] ? length - tendon->rest[0] : 0.0;
}
