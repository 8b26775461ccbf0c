// Masses: from geoms where the definition leaves them open, checked in any case; and whether every joint moves something.
//
// Rule 1 (bodies from geoms): m = sum m_i, c = sum m_i c_i / m, and the inertia about c by the parallel-axis theorem.
// Rule 2 (is an inertia possible): the principal moments of any mass distribution are >= 0 and no one exceeds the sum of
// the other two.
// Rule 3 (is the mass matrix regular): the articulated-body recursion (Featherstone, Rigid Body Dynamics Algorithms,
// 2008, ch. 7) eliminates one dof after the other, from the leaves to the root. With U = I^A s, the pivot
// D = s.U + armature is what remains of the dof's inertia once all dofs beyond it move freely; M is positive definite exactly
// when every pivot is positive. A pivot below 1e-14 of what the dof would move if nothing beyond it could move (the
// composite inertia) is rounding.
// Guarantee: a model that passes has a regular M at its initial pose. Known to fail: mechanisms that become singular
// only in another pose (a gimbal of massless rings) pass; the step's Cholesky factorisation then says so.
#include "engine/model/builder_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

#include "base/assert.h"
#include "base/spatial.h"

#include <math.h>
#include <stdlib.h>

// Moments given with a handful of decimals may break the triangle inequality by their rounding.
static const double triangle_slack = 1e-5;

// What a geom adds to its body's inertia about `origin`, a point in the body's frame.
static ts_inertia geom_inertia(const ts_builder_geom* geom, ts_vec3 origin) {
    const ts_geom_def* def = &geom->def;
    ts_mass_properties p = geom->has_solid ? geom->solid : ts_shape_mass_properties(&def->shape);
    // A plane has no volume: it never has mass, whatever the definition says.
    double mass = p.volume > 0.0 ? (def->mass >= 0.0 ? def->mass : def->density * p.volume) : 0.0;
    if (!(mass > 0.0)) return ts_inertia_make(0.0, ts_vec3_zero(), ts_mat3_zero());
    ts_mat3 about_centre = ts_mat3_scale(mass / p.volume, p.inertia);
    ts_mat3 R = ts_quat_to_mat3(def->pose.rotation);
    ts_vec3 centre = ts_vec3_sub(ts_pose_apply(def->pose, p.centre), origin);
    return ts_inertia_make(mass, centre, ts_mat3_rotate_tensor(R, about_centre));
}

// The principal axes of a geom in its body: its own, but for meshes.
static ts_quat geom_axes(const ts_builder_geom* geom) {
    ts_quat own = geom->has_solid ? ts_builder_principal_axes(&geom->solid.inertia) : ts_quat_identity();
    return ts_quat_mul(geom->def.pose.rotation, own);
}

// Sums the geoms in two passes, first the centre, then the inertia about it: a body far from its frame's origin loses
// nothing by subtracting large numbers.
static void mass_from_geoms(const ts_builder* builder, const int* geom, int count, ts_body_def* out) {
    double mass = 0.0;
    ts_vec3 moment = ts_vec3_zero();
    int heavy = 0;
    for (int k = 0; k < count; ++k) {
        const ts_builder_geom* part = &builder->geom.data[geom[k]];
        ts_inertia i = geom_inertia(part, ts_vec3_zero());
        if (i.mass > 0.0) out->axes = geom_axes(part);
        heavy += i.mass > 0.0;
        mass += i.mass;
        moment = ts_vec3_add(moment, i.moment);
    }
    out->has_axes = heavy == 1;
    out->mass = mass;
    out->centre = mass > 0.0 ? ts_vec3_scale(1.0 / mass, moment) : ts_vec3_zero();
    out->inertia = ts_mat3_zero();
    for (int k = 0; k < count; ++k) {
        ts_inertia i = geom_inertia(&builder->geom.data[geom[k]], out->centre);
        out->inertia = ts_mat3_add(out->inertia, i.rotation);
    }
}

void ts_builder_set_geom_solid(ts_builder* builder, int geom, const ts_mass_properties* solid) {
    TS_ASSERT(geom >= 0 && geom < builder->geom.count);
    builder->geom.data[geom].has_solid = 1;
    builder->geom.data[geom].solid = *solid;
}

static ts_code check_body_inertia(const ts_builder* builder, int index, ts_body_def* body, ts_status* out_status) {
    const ts_builder_label* label = &builder->body.data[index].label;
    double size = 0.0, skew = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            size = fmax(size, fabs(body->inertia.m[i][j]));
            skew = fmax(skew, fabs(body->inertia.m[i][j] - body->inertia.m[j][i]));
        }
    if (!isfinite(body->mass) || !isfinite(size) || !ts_vec3_is_finite(body->centre))
        return ts_builder_refuse(builder, label, "body", index, out_status, "its mass or inertia overflows");
    if (skew > 1e-9 * size)
        return ts_builder_refuse(builder, label, "body", index, out_status, "its inertia is not symmetric");
    body->inertia = ts_mat3_scale(0.5, ts_mat3_add(body->inertia, ts_mat3_transpose(body->inertia)));
    if (builder->any_inertia) return TS_OK;
    if (body->mass == 0.0 && size > 0.0)
        return ts_builder_refuse(builder, label, "body", index, out_status, "it has inertia but no mass");
    ts_vec3 moment;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&body->inertia, &moment, &axes);
    if (moment.x < -1e-12 * size)
        return ts_builder_refuse(builder, label, "body", index, out_status,
                                 "its inertia has the negative principal moment %g", moment.x);
    if (moment.z > (moment.x + moment.y) + triangle_slack * size)
        return ts_builder_refuse(builder, label, "body", index, out_status,
                                 "its principal moments %g %g %g break the triangle inequality: no body has them",
                                 moment.x, moment.y, moment.z);
    return TS_OK;
}

ts_code ts_builder_settle_masses(ts_builder* builder, ts_status* out_status) {
    int bodies = builder->body.count, geoms = builder->geom.count;
    // The geoms sorted by body, in the order of adding: counting sort.
    int* start = (int*)calloc((size_t)bodies + 2, sizeof *start);
    int* list = (int*)malloc(((size_t)geoms + 1) * sizeof *list);
    if (!start || !list) {
        free(start);
        free(list);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    }
    for (int i = 0; i < geoms; ++i) ++start[builder->geom.data[i].def.body + 2];
    for (int i = 0; i < bodies; ++i) start[i + 1] += start[i];
    for (int i = 0; i < geoms; ++i) list[start[builder->geom.data[i].def.body + 1]++] = i;
    for (int i = 1; i < bodies; ++i) {
        ts_body_def* def = &builder->body.data[i].def;
        if (def->mass < 0.0) mass_from_geoms(builder, list + start[i], start[i + 1] - start[i], def);
    }
    free(start);
    free(list);
    return TS_OK;
}

ts_code ts_builder_check_masses(ts_builder* builder, ts_status* out_status) {
    for (int i = 1; i < builder->body.count; ++i) {
        ts_code code = check_body_inertia(builder, i, &builder->body.data[i].def, out_status);
        if (code) return code;
    }
    return TS_OK;
}

// A symmetric 6x6 spatial inertia, angular part first, world axes, about the world's origin shifted to the tree's root.
typedef struct inertia6 {
    double m[6][6];
} inertia6;

static void inertia6_add_body(inertia6* target, const ts_inertia* i) {
    ts_mat3 h = ts_mat3_skew(i->moment);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            target->m[r][c] += i->rotation.m[r][c];
            target->m[r][c + 3] += h.m[r][c];
            target->m[r + 3][c] -= h.m[r][c];
        }
        target->m[r + 3][r + 3] += i->mass;
    }
}

// Eliminates the dof along s (6) from the articulated inertia. Returns 0 when its pivot is nothing but rounding.
static int inertia6_eliminate(inertia6* a, const inertia6* composite, const double s[6], double armature) {
    double u[6], pivot = armature, size = armature;
    for (int r = 0; r < 6; ++r) {
        u[r] = 0.0;
        for (int c = 0; c < 6; ++c) {
            u[r] += a->m[r][c] * s[c];
            size += fabs(s[r] * composite->m[r][c] * s[c]);
        }
        pivot += s[r] * u[r];
    }
    if (!(pivot > 1e-14 * size)) return 0;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) a->m[r][c] -= u[r] * u[c] / pivot;
    return 1;
}

// The motions (6 each) per unit velocity of a joint of a body that sits at `at` while all joints rest, about `origin`.
static void joint_axes(const ts_joint* joint, ts_pose rest, const ts_transform* at, ts_vec3 origin,
                       double out_axis[TS_JOINT_NV_MOST][6]) {
    double q[TS_JOINT_NQ_MOST];
    ts_motion axis[TS_JOINT_NV_MOST];
    ts_transform placed = *at;
    ts_joint_rest(joint, &rest, q);
    ts_vec3 anchor = ts_joint_traits_of(joint->type)->place(joint, q, &placed, axis);
    for (int k = 0; k < ts_joint_type_nv(joint->type); ++k) {
        ts_vec3_store(axis[k].angular, out_axis[k]);
        ts_vec3_store(ts_motion_at(axis[k], ts_vec3_sub(origin, anchor)), out_axis[k] + 3);
    }
}

static ts_code eliminate_body(const ts_builder* builder, const ts_model* model, int index, const ts_transform* at,
                              ts_vec3 origin, inertia6* articulated, const inertia6* composite, ts_status* out_status) {
    const ts_body* body = &model->body[index];
    for (int j = body->joint_first + body->joint_count - 1; j >= body->joint_first; --j) {
        const ts_joint* joint = &model->joint[j];
        double axis[TS_JOINT_NV_MOST][6];
        joint_axes(joint, body->pose, at, origin, axis);
        for (int k = ts_joint_type_nv(joint->type) - 1; k >= 0; --k) {
            if (!inertia6_eliminate(articulated, composite, axis[k], joint->armature))
                return ts_builder_refuse(builder, &builder->body.data[index].label, "body", index, out_status,
                                         "its %s joint%s%s%s moves nothing that has mass and inertia along it",
                                         ts_joint_type_name(joint->type), joint->name[0] ? " '" : "", joint->name,
                                         joint->name[0] ? "'" : "");
        }
    }
    return TS_OK;
}

static void inertia6_add(inertia6* target, const inertia6* other) {
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) target->m[r][c] += other->m[r][c];
}

// From the leaves to the roots; `articulated` and `composite` come zeroed.
static ts_code eliminate_all(const ts_builder* builder, const ts_model* model, const ts_transform* at,
                             inertia6* articulated, inertia6* composite, ts_status* out_status) {
    for (int i = model->body_count - 1; i > 0; --i) {
        const ts_body* body = &model->body[i];
        if (body->tree < 0) continue;
        ts_vec3 origin = at[model->tree[body->tree].root].p;
        ts_inertia own = ts_inertia_make(body->mass, ts_vec3_sub(ts_transform_point(&at[i], body->centre), origin),
                                         ts_mat3_rotate_tensor(at[i].R, body->inertia));
        inertia6_add_body(&articulated[i], &own);
        inertia6_add_body(&composite[i], &own);
        ts_code code = eliminate_body(builder, model, i, &at[i], origin, &articulated[i], &composite[i], out_status);
        if (code) return code;
        if (i == model->tree[body->tree].root) continue;
        inertia6_add(&articulated[body->parent], &articulated[i]);
        inertia6_add(&composite[body->parent], &composite[i]);
    }
    return TS_OK;
}

ts_code ts_builder_check_inertia(const ts_builder* builder, const ts_model* model, ts_status* out_status) {
    size_t count = (size_t)model->body_count;
    ts_transform* at = (ts_transform*)malloc(count * sizeof *at);
    inertia6* articulated = (inertia6*)calloc(2 * count, sizeof *articulated);
    ts_code code = TS_OK;
    if (!at || !articulated) {
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    } else {
        at[0] = ts_transform_identity();
        for (int i = 1; i < model->body_count; ++i) {
            ts_transform local = ts_transform_from_pose(model->body[i].pose);
            at[i] = ts_transform_mul(&at[model->body[i].parent], &local);
        }
        code = eliminate_all(builder, model, at, articulated, articulated + count, out_status);
    }
    free(at);
    free(articulated);
    return code;
}
