// Bullet (Debian: libbullet-dev, double precision build) behind the benchmark's face.
#include "bench/lab_peer_internal.h"
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
    std::vector<int> moving_body;      // of the model
    std::vector<ts_contact> contacts;  // of the last step, for the laboratory
    double time_step = 0.0;
};

namespace {

btTransform to_bullet(const ts_pose& pose) {
    return btTransform(btQuaternion(pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w),
                       btVector3(pose.position.x, pose.position.y, pose.position.z));
}

btQuaternion pose_rotation(const ts_pose& pose) { return to_bullet(pose).getRotation(); }

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
    double friction = 0.0, restitution = 0.0;
    int used = 0;
    for (int g = body.geom_first; g < body.geom_first + body.geom_count; ++g) {
        const ts_geom& geom = model->geom[g];
        if (!geom.category && !geom.mask) continue;
        btTransform offset = to_bullet(geom.pose);
        auto shape = make_shape(geom.shape, &offset);
        if (!shape) return false;
        if (moves) offset.setOrigin(offset.getOrigin() - btVector3(body.centre.x, body.centre.y, body.centre.z));
        friction = std::fmax(friction, geom.surface.friction);
        restitution = std::fmax(restitution, geom.surface.restitution);
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
    info.m_restitution = std::sqrt(restitution);
    auto rigid = std::make_unique<btRigidBody>(info);
    rigid->setUserIndex(b);
    rigid->setActivationState(DISABLE_DEACTIVATION);
    if (moves) {
        const double* v = model->qvel0 + body.dof_first;
        // Ours is the origin's; the turning is told in the body's axes.
        btVector3 turn = btMatrix3x3(pose_rotation(pose)) * btVector3(v[3], v[4], v[5]);
        btVector3 arm = btMatrix3x3(pose_rotation(pose)) * btVector3(body.centre.x, body.centre.y, body.centre.z);
        rigid->setAngularVelocity(turn);
        rigid->setLinearVelocity(btVector3(v[0], v[1], v[2]) + turn.cross(arm));
        w->moving.push_back(rigid.get());
        w->moving_body.push_back(b);
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
    ts_bench_state s = {0, 0.0, -1.0, w->world->getSolverInfo().m_numIterations, {}};
    for (int m = 0; m < w->dispatcher->getNumManifolds(); ++m) {
        const btPersistentManifold* manifold = w->dispatcher->getManifoldByIndexInternal(m);
        s.contacts += manifold->getNumContacts();
        for (int p = 0; p < manifold->getNumContacts(); ++p)
            s.penetration = std::fmax(s.penetration, -manifold->getContactPoint(p).getDistance());
    }
    return s;
}

// --- the laboratory ----------------------------------------------------------------------------------------------------

// What Bullet as it is used here cannot say, or NULL.
const char* missing(const ts_model* model) {
    if (model->actuator_count || model->mocap_count || model->equality_count || model->tendon_count)
        return "has motors, guided bodies, equalities or tendons";
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].type != TS_JOINT_FREE) return "has joints";
    for (int b = 1; b < model->body_count; ++b) {
        const ts_mat3& I = model->body[b].inertia;
        double off = std::fabs(I.m[0][1]) + std::fabs(I.m[0][2]) + std::fabs(I.m[1][2]);
        if (off > 1e-9 * (I.m[0][0] + I.m[1][1] + I.m[2][2]))
            return "has bodies that are not along their principal axes";
    }
    for (int g = 0; g < model->geom_count; ++g)
        for (double speed : model->geom[g].surface.motion)
            if (speed != 0.0) return "has surfaces that run";
    return nullptr;
}

ts_code open_lab(const ts_lab_engine* engine, const char*, size_t, const ts_sim* shadow, void** out_state,
                 ts_status* out_status) {
    ts_bench_settings settings = {shadow->options.time_step, 0, nullptr, 1, 0, 0.0};
    const char* lack = missing(shadow->model);
    ts_bench_world* w = lack ? nullptr : create(shadow->model, &settings);
    if (!w)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, nullptr, 0, "%s is not told of what %s", engine->name,
                             lack ? lack : "has shapes that it does not know");
    *out_state = w;
    return ts_status_ok(out_status);
}

// Every contact's impulse, as the solver has left it with its point.
void read_contacts(ts_bench_world* w) {
    w->contacts.clear();
    for (int m = 0; m < w->dispatcher->getNumManifolds(); ++m) {
        const btPersistentManifold* manifold = w->dispatcher->getManifoldByIndexInternal(m);
        for (int p = 0; p < manifold->getNumContacts(); ++p) {
            const btManifoldPoint& point = manifold->getContactPoint(p);
            const auto* a = static_cast<const btRigidBody*>(manifold->getBody1());
            const auto* b = static_cast<const btRigidBody*>(manifold->getBody0());
            // Its normal is on body 1 and points to body 0.
            ts_contact c = {};
            const btVector3 at = 0.5 * (point.getPositionWorldOnA() + point.getPositionWorldOnB());
            btVector3 n = point.m_normalWorldOnB, t1, t2;
            btPlaneSpace1(n, t1, t2);
            btVector3 push = point.m_appliedImpulse * n + point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                             point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
            btVector3 speed = b->getVelocityInLocalPoint(at - b->getWorldTransform().getOrigin()) -
                              a->getVelocityInLocalPoint(at - a->getWorldTransform().getOrigin());
            c.body_a = a->getUserIndex();
            c.body_b = b->getUserIndex();
            c.position = ts_vec3_make(at.x(), at.y(), at.z());
            c.frame = ts_mat3_from_columns(ts_vec3_make(t1.x(), t1.y(), t1.z()), ts_vec3_make(t2.x(), t2.y(), t2.z()),
                                           ts_vec3_make(n.x(), n.y(), n.z()));
            c.gap = point.getDistance();
            c.surface.dimension = 3;
            c.surface.friction = point.m_combinedFriction;
            c.impulse = ts_vec3_make(push.dot(t1), push.dot(t2), push.dot(n));
            c.velocity = ts_vec3_make(speed.dot(t1), speed.dot(t2), speed.dot(n));
            w->contacts.push_back(c);
        }
    }
}

ts_code step_lab(void* state, ts_sim* shadow, ts_status* out_status) {
    auto* w = static_cast<ts_bench_world*>(state);
    const ts_model* model = shadow->model;
    for (size_t k = 0; k < w->moving.size(); ++k) {
        const ts_force& wrench = shadow->wrench_applied[w->moving_body[k]];
        w->moving[k]->applyCentralForce(btVector3(wrench.force.x, wrench.force.y, wrench.force.z));
        w->moving[k]->applyTorque(btVector3(wrench.couple.x, wrench.couple.y, wrench.couple.z));
    }
    w->world->stepSimulation(w->time_step, 0);
    w->world->clearForces();
    for (size_t k = 0; k < w->moving.size(); ++k) {
        const ts_body& body = model->body[w->moving_body[k]];
        const btTransform& at = w->moving[k]->getWorldTransform();
        const btVector3 arm = at.getBasis() * btVector3(body.centre.x, body.centre.y, body.centre.z);
        const btVector3 turn = w->moving[k]->getAngularVelocity(), local = at.getBasis().transpose() * turn;
        const btVector3 origin = at.getOrigin() - arm, v = w->moving[k]->getLinearVelocity() - turn.cross(arm);
        const btQuaternion q = at.getRotation();
        double* qpos = shadow->qpos + model->joint[body.joint_first].qpos_first;
        double* qvel = shadow->qvel + body.dof_first;
        const double pose[] = {origin.x(), origin.y(), origin.z(), q.w(), q.x(), q.y(), q.z()};
        const double twist[] = {v.x(), v.y(), v.z(), local.x(), local.y(), local.z()};
        for (int i = 0; i < 7; ++i) qpos[i] = pose[i];
        for (int i = 0; i < 6; ++i) qvel[i] = twist[i];
    }
    shadow->time += w->time_step;
    shadow->step_count++;
    read_contacts(w);
    shadow->contact = w->contacts.data();
    shadow->contact_count = static_cast<int>(w->contacts.size());
    return ts_status_ok(out_status);
}

void close_lab(void* state) { destroy(static_cast<ts_bench_world*>(state)); }

}  // namespace

extern "C" const ts_bench_engine* ts_bench_bullet(void) {
    static const ts_bench_engine engine = {"bullet-f64", create, destroy, step, centre, state, nullptr};
    return &engine;
}

extern "C" const ts_lab_engine* ts_bench_lab_bullet(int i) {
    static const ts_lab_engine engine = {"bullet",
                                         "Bullet " TS_PEER_BULLET " in double precision, as it comes: ten sweeps",
                                         TS_TRAIT_SOFT | TS_TRAIT_SWEEPS | TS_TRAIT_ASIDE | TS_TRAIT_EXPLICIT,
                                         open_lab,
                                         step_lab,
                                         close_lab};
    return i == 0 ? &engine : nullptr;
}
