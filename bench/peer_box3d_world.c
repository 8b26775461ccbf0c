// Box3D (github.com/erincatto/box3d, found by TS_BOX3D_PREFIX) behind the face of worlds: single precision, soft contacts,
// four substeps a step as its own samples have, sleeping and continuous collision off.
#include <box3d/box3d.h>
#include <math.h>
#include <stdlib.h>

#include "bench/world.h"

enum { SUBSTEPS = 4, MOST_CONTACTS = 64 };

struct ts_bench_world {
    b3WorldId world;
    b3BodyId* moving;
    int count;
    double time_step;  // s
};

static b3Vec3 to_vec(ts_vec3 v) { return (b3Vec3){(float)v.x, (float)v.y, (float)v.z}; }

static b3Quat to_quat(ts_quat q) { return (b3Quat){{(float)q.x, (float)q.y, (float)q.z}, (float)q.w}; }

static b3Transform to_transform(ts_pose pose) { return (b3Transform){to_vec(pose.position), to_quat(pose.rotation)}; }

static b3HullData* make_hull(const ts_hull* hull) {
    b3Vec3* point = (b3Vec3*)malloc((size_t)hull->vertex_count * sizeof *point);
    if (!point) return NULL;
    for (int i = 0; i < hull->vertex_count; ++i) point[i] = to_vec(hull->vertex[i]);
    b3HullData* made = b3CreateHull(point, hull->vertex_count, hull->vertex_count);
    free(point);
    return made;
}

// 0 where it has no such shape.
static int add_geom(b3BodyId body, const ts_geom* geom) {
    const ts_shape* shape = &geom->shape;
    b3ShapeDef def = b3DefaultShapeDef();
    def.baseMaterial.friction = (float)geom->surface.friction;
    def.baseMaterial.restitution = (float)geom->surface.restitution;
    def.updateBodyMass = false;
    b3Transform at = to_transform(geom->pose);
    if (shape->kind == TS_SHAPE_BOX) {
        b3BoxHull box = b3MakeTransformedBoxHull((float)shape->half.x, (float)shape->half.y, (float)shape->half.z, at);
        return b3Shape_IsValid(b3CreateHullShape(body, &def, &box.base));
    }
    if (shape->kind == TS_SHAPE_PLANE) {  // a box of 40 m whose top is the plane
        ts_pose below = ts_pose_mul(geom->pose, (ts_pose){{0.0, 0.0, -0.5}, ts_quat_identity()});
        b3BoxHull box = b3MakeTransformedBoxHull(20.0f, 20.0f, 0.5f, to_transform(below));
        return b3Shape_IsValid(b3CreateHullShape(body, &def, &box.base));
    }
    if (shape->kind == TS_SHAPE_SPHERE) {
        b3Sphere sphere = {at.p, (float)shape->radius};
        return b3Shape_IsValid(b3CreateSphereShape(body, &def, &sphere));
    }
    if (shape->kind == TS_SHAPE_HULL && ts_vec3_norm(geom->pose.position) == 0.0 && geom->pose.rotation.w == 1.0) {
        b3HullData* hull = make_hull(shape->hull);
        if (!hull) return 0;
        int made = b3Shape_IsValid(b3CreateHullShape(body, &def, hull));
        b3DestroyHull(hull);
        return made;
    }
    return 0;
}

// Free bodies keep the masses that our model has.
static int add_body(ts_bench_world* w, const ts_model* model, int b) {
    const ts_body* body = &model->body[b];
    b3BodyDef def = b3DefaultBodyDef();
    int moves = body->tree >= 0;
    if (moves) {
        const double* q = model->qpos0 + model->joint[body->joint_first].qpos_first;
        const double* v = model->qvel0 + body->dof_first;
        ts_quat turned = ts_quat_load(q + 3);
        def.type = b3_dynamicBody;
        def.position = (b3Pos){(float)q[0], (float)q[1], (float)q[2]};
        def.rotation = to_quat(turned);
        def.angularVelocity = to_vec(ts_quat_rotate(turned, ts_vec3_load(v + 3)));
        def.linearVelocity = to_vec(ts_vec3_load(v));
        def.enableSleep = false;
    }
    b3BodyId id = b3CreateBody(w->world, &def);
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) {
        const ts_geom* geom = &model->geom[g];
        if ((geom->category || geom->mask) && !add_geom(id, geom)) return 0;
    }
    if (!moves) return 1;
    b3MassData mass = {.mass = (float)body->mass, .center = to_vec(body->centre)};
    const double(*m)[3] = body->inertia.m;
    mass.inertia = (b3Matrix3){{(float)m[0][0], (float)m[1][0], (float)m[2][0]},
                               {(float)m[0][1], (float)m[1][1], (float)m[2][1]},
                               {(float)m[0][2], (float)m[1][2], (float)m[2][2]}};
    b3Body_SetMassData(id, mass);
    w->moving[w->count++] = id;
    return 1;
}

static void destroy(ts_bench_world* w) {
    if (!w) return;
    if (b3World_IsValid(w->world)) b3DestroyWorld(w->world);
    free(w->moving);
    free(w);
}

static float mix(float a, uint64_t of_a, float b, uint64_t of_b) {
    (void)of_a, (void)of_b;
    return fmaxf(a, b);
}

static ts_bench_world* create(const ts_model* model, const ts_bench_settings* settings) {
    ts_bench_world* w = (ts_bench_world*)calloc(1, sizeof *w);
    if (!w) return NULL;
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = to_vec(model->options.gravity);
    def.enableSleep = false;
    def.enableContinuous = false;
    def.frictionCallback = mix;  // as our models mean it
    def.workerCount = (uint32_t)(settings->threads > 0 ? settings->threads : 1);
    w->world = b3CreateWorld(&def);
    w->time_step = settings->time_step;
    w->moving = (b3BodyId*)calloc((size_t)model->body_count + 1, sizeof *w->moving);
    int fits = w->moving && b3World_IsValid(w->world);
    for (int b = 0; b < model->body_count && fits; ++b) fits = add_body(w, model, b);
    if (fits) return w;
    destroy(w);
    return NULL;
}

static int step(ts_bench_world* w) {
    b3World_Step(w->world, (float)w->time_step, SUBSTEPS);
    return 1;
}

static void centre(ts_bench_world* w, int body, double out_position[3]) {
    b3Pos p = b3Body_GetWorldCenter(w->moving[body]);
    out_position[0] = (double)p.x;
    out_position[1] = (double)p.y;
    out_position[2] = (double)p.z;
}

// A contact of two that move is seen from both.
static ts_bench_state state(ts_bench_world* w) {
    ts_bench_state s = {0, 0.0, -1.0, -1, {0.0}};
    b3ContactData contact[MOST_CONTACTS];
    for (int b = 0; b < w->count; ++b) {
        int count = b3Body_GetContactData(w->moving[b], contact, MOST_CONTACTS);
        for (int c = 0; c < count; ++c) {
            b3BodyId of_a = b3Shape_GetBody(contact[c].shapeIdA), of_b = b3Shape_GetBody(contact[c].shapeIdB);
            b3BodyId other = B3_ID_EQUALS(of_a, w->moving[b]) ? of_b : of_a;
            int counted = b3Body_GetType(other) != b3_dynamicBody || other.index1 > w->moving[b].index1;
            for (int m = 0; m < contact[c].manifoldCount && counted; ++m) {
                const b3Manifold* manifold = &contact[c].manifolds[m];
                s.contacts += manifold->pointCount;
                for (int p = 0; p < manifold->pointCount; ++p)
                    s.penetration = fmax(s.penetration, -(double)manifold->points[p].separation);
            }
        }
    }
    return s;
}

const ts_bench_engine* ts_bench_box3d(void) {
    static const ts_bench_engine engine = {"box3d-f32", create, destroy, step, centre, state, NULL};
    return &engine;
}
