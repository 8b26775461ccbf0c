// Bullet (Debian: libbullet-dev, double precision build) behind the benchmark's face.
#include "bench/world.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

struct ts_bench_world {
    btDefaultCollisionConfiguration configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<btRigidBody*> moving;
    double time_step = 0.0;
};

namespace {

btTransform to_bullet(const ts_pose& pose) {
    return btTransform(btQuaternion(pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w),
                       btVector3(pose.position.x, pose.position.y, pose.position.z));
}

// A shape in the model's geom frame. Planes become boxes of 40 m whose top is the plane, as most Bullet users do.
std::unique_ptr<btCollisionShape> make_shape(const ts_shape& shape, btTransform* io_offset) {
    std::unique_ptr<btCollisionShape> made;
    switch (shape.kind) {
    case TS_SHAPE_PLANE:
        made = std::make_unique<btBoxShape>(btVector3(20, 20, 0.5));
        *io_offset = *io_offset * btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -0.5));
        break;
    case TS_SHAPE_SPHERE: made = std::make_unique<btSphereShape>(shape.radius); break;
    case TS_SHAPE_CAPSULE: made = std::make_unique<btCapsuleShapeZ>(shape.radius, 2.0 * shape.half.z); break;
    case TS_SHAPE_CYLINDER:
        made = std::make_unique<btCylinderShapeZ>(btVector3(shape.half.x, shape.half.y, shape.half.z));
        break;
    case TS_SHAPE_BOX: made = std::make_unique<btBoxShape>(btVector3(shape.half.x, shape.half.y, shape.half.z)); break;
    case TS_SHAPE_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < shape.hull->vertex_count; ++i)
            hull->addPoint(btVector3(shape.hull->vertex[i].x, shape.hull->vertex[i].y, shape.hull->vertex[i].z), false);
        hull->recalcLocalAabb();
        // The margin would blow the hull up by 4 cm; boxes and cylinders shrink their cores by it instead.
        hull->setMargin(0.001);
        made = std::move(hull);
        break;
    }
    default: break;  // ellipsoids: Bullet has none
    }
    return made;
}

// Adds body b of the model; false when Bullet has no such shape.
bool add_body(ts_bench_world* w, const ts_model* model, int b) {
    const ts_body& body = model->body[b];
    bool moves = body.tree >= 0;
    // Bullet's body frame is the centre of mass with principal axes; the bench models are built that way already.
    auto compound = std::make_unique<btCompoundShape>();
    double friction = 0.0;
    int used = 0;
    for (int g = body.geom_first; g < body.geom_first + body.geom_count; ++g) {
        const ts_geom& geom = model->geom[g];
        if (!geom.category && !geom.mask) continue;
        btTransform offset = to_bullet(geom.pose);
        auto shape = make_shape(geom.shape, &offset);
        if (!shape) return false;
        if (moves) offset.setOrigin(offset.getOrigin() - btVector3(body.centre.x, body.centre.y, body.centre.z));
        friction = std::fmax(friction, geom.surface.friction);
        compound->addChildShape(offset, shape.get());
        w->shapes.push_back(std::move(shape));
        ++used;
    }
    if (!used && !moves) return true;
    // A single shape at the origin needs no compound around it: faster, and what a user would write.
    btCollisionShape* shape = compound.get();
    if (moves && used == 1 && compound->getChildTransform(0) == btTransform::getIdentity())
        shape = w->shapes.back().get();
    w->shapes.push_back(std::move(compound));

    ts_pose pose = ts_pose_identity();
    double mass = 0.0;
    btVector3 inertia(0, 0, 0);
    if (moves) {
        const double* q = model->qpos0 + model->joint[body.joint_first].qpos_first;
        pose.position = ts_vec3_load(q);
        pose.rotation = ts_quat_load(q + 3);
        pose.position = ts_pose_apply(pose, body.centre);
        mass = body.mass;
        inertia = btVector3(body.inertia.m[0][0], body.inertia.m[1][1], body.inertia.m[2][2]);
    }
    auto motion = std::make_unique<btDefaultMotionState>(to_bullet(pose));
    btRigidBody::btRigidBodyConstructionInfo info(mass, motion.get(), shape, inertia);
    info.m_friction = std::sqrt(friction);
    auto rigid = std::make_unique<btRigidBody>(info);
    rigid->setActivationState(DISABLE_DEACTIVATION);
    if (moves) {
        const double* v = model->qvel0 + body.dof_first;
        rigid->setLinearVelocity(btVector3(v[0], v[1], v[2]));
        w->moving.push_back(rigid.get());
    }
    w->world->addRigidBody(rigid.get());
    w->motions.push_back(std::move(motion));
    w->bodies.push_back(std::move(rigid));
    return true;
}

void destroy(ts_bench_world* w) {
    if (!w) return;
    for (auto& body : w->bodies) w->world->removeRigidBody(body.get());
    w->world.reset();
    delete w;
}

ts_bench_world* create(const ts_model* model, const ts_bench_settings* settings) {
    auto* w = new ts_bench_world();
    w->dispatcher = std::make_unique<btCollisionDispatcher>(&w->configuration);
    w->world =
        std::make_unique<btDiscreteDynamicsWorld>(w->dispatcher.get(), &w->broad_phase, &w->solver, &w->configuration);
    const ts_vec3& g = model->options.gravity;
    w->world->setGravity(btVector3(g.x, g.y, g.z));
    w->time_step = settings->time_step;
    if (settings->iterations > 0) w->world->getSolverInfo().m_numIterations = settings->iterations;
    for (int b = 0; b < model->body_count; ++b) {
        if (!add_body(w, model, b)) {
            destroy(w);
            return nullptr;
        }
    }
    return w;
}

int step(ts_bench_world* w) {
    w->world->stepSimulation(w->time_step, 0);
    return 1;
}

void centre(ts_bench_world* w, int body, double out_position[3]) {
    const btVector3& p = w->moving[static_cast<size_t>(body)]->getWorldTransform().getOrigin();
    for (int k = 0; k < 3; ++k) out_position[k] = p[k];
}

ts_bench_state state(ts_bench_world* w) {
    ts_bench_state s = {0, 0.0, -1.0, w->world->getSolverInfo().m_numIterations};
    for (int m = 0; m < w->dispatcher->getNumManifolds(); ++m) {
        const btPersistentManifold* manifold = w->dispatcher->getManifoldByIndexInternal(m);
        s.contacts += manifold->getNumContacts();
        for (int p = 0; p < manifold->getNumContacts(); ++p)
            s.penetration = std::fmax(s.penetration, -manifold->getContactPoint(p).getDistance());
    }
    return s;
}

}  // namespace

extern "C" const ts_bench_engine* ts_bench_bullet(void) {
    static const ts_bench_engine engine = {"bullet-f64", create, destroy, step, centre, state};
    return &engine;
}
