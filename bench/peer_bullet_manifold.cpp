// Bullet's contact manifolds in double precision: its box against box, and its convex against convex with the extra
// iterations that give several points at once, each with the persistent manifold of the pair.
#include "bench/manifold_peer.h"

#include <memory>
#include <vector>

#include <btBulletCollisionCommon.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>

namespace {

enum Setting { REMEMBERING, FORGETTING };

struct Pair {
    std::unique_ptr<btCollisionShape> shape[2];
    btCollisionObject object[2];
    btTransform frame[2];
    int at = 0;
    btCollisionAlgorithm* algorithm = nullptr;
    btPersistentManifold* manifold = nullptr;
};

struct Prepared {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDispatcherInfo info;
    std::vector<std::unique_ptr<Pair>> pair;
    int setting = 0;
};

btTransform pose(const ts_transform& t) {
    btMatrix3x3 R(t.R.m[0][0], t.R.m[0][1], t.R.m[0][2], t.R.m[1][0], t.R.m[1][1], t.R.m[1][2], t.R.m[2][0],
                  t.R.m[2][1], t.R.m[2][2]);
    return btTransform(R, btVector3(t.p.x, t.p.y, t.p.z));
}

std::unique_ptr<btCollisionShape> shape_of(const ts_shape& s) {
    btVector3 half(s.half.x, s.half.y, s.half.z);
    switch (s.kind) {
    case TS_SHAPE_BOX: return std::make_unique<btBoxShape>(half);
    case TS_SHAPE_CYLINDER: return std::make_unique<btCylinderShapeZ>(half);
    case TS_SHAPE_CAPSULE: return std::make_unique<btCapsuleShapeZ>(s.radius, 2.0 * s.half.z);
    case TS_SHAPE_CONE: {
        auto cone = std::make_unique<btConeShapeZ>(s.half.x, 2.0 * s.half.z);
        cone->setMargin(0.0);  // it would be added
        return cone;
    }
    case TS_SHAPE_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < s.hull->vertex_count; ++i)
            hull->addPoint(btVector3(s.hull->vertex[i].x, s.hull->vertex[i].y, s.hull->vertex[i].z), false);
        hull->recalcLocalAabb();
        hull->initializePolyhedralFeatures();
        // The margin would blow the hull up; boxes and cylinders shrink their cores by it instead.
        hull->setMargin(0.0);
        return hull;
    }
    default: return nullptr;
    }
}

void release(void* prepared) {
    auto* p = static_cast<Prepared*>(prepared);
    if (!p) return;
    for (auto& pair : p->pair) {
        if (!pair->algorithm) continue;
        pair->algorithm->~btCollisionAlgorithm();
        p->dispatcher.freeCollisionAlgorithm(pair->algorithm);
    }
    delete p;
}

void* prepare(const ts_bench_manifold_peer* self, const ts_bench_contact_pair* pair, int count, double) {
    auto prepared = std::make_unique<Prepared>();
    prepared->setting = self->setting;
    prepared->configuration.setConvexConvexMultipointIterations();
    for (int i = 0; i < count; ++i) {
        auto made = std::make_unique<Pair>();
        made->shape[0] = shape_of(pair[i].a);
        made->shape[1] = shape_of(pair[i].b);
        if (!made->shape[0] || !made->shape[1]) {
            release(prepared.release());
            return nullptr;
        }
        for (int k = 0; k < 2; ++k) {
            made->object[k].setCollisionShape(made->shape[k].get());
            made->frame[k] = pose(pair[i].pose_b[k]);
        }
        made->object[0].setWorldTransform(pose(pair[i].pose_a));
        made->object[1].setWorldTransform(made->frame[0]);
        prepared->pair.push_back(std::move(made));
    }
    return prepared.release();
}

void run(void* prepared, int query) {
    auto* p = static_cast<Prepared*>(prepared);
    Pair& q = *p->pair[query];
    q.at ^= 1;
    q.object[1].setWorldTransform(q.frame[q.at]);
    btCollisionObjectWrapper a(nullptr, q.object[0].getCollisionShape(), &q.object[0], q.object[0].getWorldTransform(),
                               -1, -1);
    btCollisionObjectWrapper b(nullptr, q.object[1].getCollisionShape(), &q.object[1], q.object[1].getWorldTransform(),
                               -1, -1);
    if (!q.algorithm) q.algorithm = p->dispatcher.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    if (p->setting == FORGETTING && q.manifold) q.manifold->clearManifold();
    btManifoldResult result(&a, &b);
    q.algorithm->processCollision(&a, &b, p->info, &result);
    if (!q.manifold) {
        btManifoldArray all;
        q.algorithm->getAllContactManifolds(all);
        if (all.size() > 0) q.manifold = all[0];
    }
}

ts_bench_contact contact(void* prepared, int query) {
    const Pair& q = *static_cast<Prepared*>(prepared)->pair[query];
    ts_bench_contact found;
    found.count = 0;
    for (int k = 0; q.manifold && k < q.manifold->getNumContacts() && k < TS_BENCH_MANIFOLD_POINTS; ++k)
        found.gap[found.count++] = q.manifold->getContactPoint(k).getDistance();
    return found;
}

const unsigned kinds =
    1u << TS_SHAPE_BOX | 1u << TS_SHAPE_CYLINDER | 1u << TS_SHAPE_CAPSULE | 1u << TS_SHAPE_CONE | 1u << TS_SHAPE_HULL;

const ts_bench_manifold_peer rows[] = {
    {"Bullet, remembering", kinds, REMEMBERING, prepare, run, contact, release},
    {"Bullet, forgetting", kinds, FORGETTING, prepare, run, contact, release},
};

}  // namespace

int ts_bench_manifold_bullet(const ts_bench_manifold_peer** out_peers) {
    *out_peers = rows;
    return static_cast<int>(sizeof rows / sizeof rows[0]);
}
