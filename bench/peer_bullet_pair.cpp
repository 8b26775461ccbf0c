// Bullet in double precision: its GJK pair detector for distances, and GjkEpa2 for distances and depths. Both work on
// cores: margins are zero, and what Bullet treats as a margin (balls) is left out.
#include "bench/peer.h"
#include "bench/peer_shapes.h"

#include <cmath>
#include <memory>
#include <vector>

#include <btBulletCollisionCommon.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

namespace {

enum Setting { EPA2, DETECTOR };

// Bullet has no ellipsoid of its own.
class Ellipsoid : public btConvexInternalShape {
  public:
    explicit Ellipsoid(const ts_vec3& half) : axes(half.x, half.y, half.z) {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        setMargin(0.0);
    }
    void setMargin(btScalar margin) override { m_collisionMargin = margin; }
    btScalar getMargin() const override { return 0.0; }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
        btVector3 e = axes * axes * d;
        btScalar size = std::sqrt(d.dot(e));
        return size > 0.0 ? e / size : btVector3(axes.x(), 0.0, 0.0);
    }
    btVector3 localGetSupportingVertex(const btVector3& d) const override {
        return localGetSupportingVertexWithoutMargin(d);
    }
    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* d, btVector3* out, int n) const override {
        for (int i = 0; i < n; ++i) out[i] = localGetSupportingVertexWithoutMargin(d[i]);
    }
    void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
    const char* getName() const override { return "ellipsoid"; }

  private:
    btVector3 axes;
};

struct Query {
    std::shared_ptr<btConvexShape> a;
    std::shared_ptr<btConvexShape> b;
    btTransform pose_a;
    btTransform pose_b;
};

struct Prepared {
    std::vector<Query> query;
    btVoronoiSimplexSolver simplex;
    ts_bench_question question;
    int setting = 0;
    double distance = 0.0;
    bool overlap = false;
    bool failed = false;
};

btTransform pose(const ts_transform& t) {
    btMatrix3x3 R(t.R.m[0][0], t.R.m[0][1], t.R.m[0][2], t.R.m[1][0], t.R.m[1][1], t.R.m[1][2], t.R.m[2][0],
                  t.R.m[2][1], t.R.m[2][2]);
    return btTransform(R, btVector3(t.p.x, t.p.y, t.p.z));
}

std::shared_ptr<btConvexShape> shape_of(const ts_shape& s) {
    std::shared_ptr<btConvexShape> shape;
    if (s.kind == TS_SHAPE_ELLIPSOID) shape = std::make_shared<Ellipsoid>(s.half);
    if (s.kind == TS_SHAPE_BOX) shape = std::make_shared<btBoxShape>(btVector3(s.half.x, s.half.y, s.half.z));
    if (s.kind == TS_SHAPE_HULL) {
        auto hull = std::make_shared<btConvexHullShape>();
        for (int i = 0; i < s.hull->vertex_count; ++i)
            hull->addPoint(btVector3(s.hull->vertex[i].x, s.hull->vertex[i].y, s.hull->vertex[i].z), false);
        hull->recalcLocalAabb();
        shape = hull;
    }
    if (shape) shape->setMargin(0.0);
    return shape;
}

void* prepare(const ts_bench_solver* self, const ts_bench_pair* pair, int count, ts_bench_question question) {
    auto prepared = std::make_unique<Prepared>();
    prepared->question = question;
    prepared->setting = self->setting;
    ts_peer_shapes<btConvexShape> find(shape_of);
    for (int i = 0; i < count; ++i) {
        Query q{find(pair[i].a), find(pair[i].b), pose(pair[i].pose_a), pose(pair[i].pose_b)};
        if (!q.a || !q.b) return nullptr;
        prepared->query.push_back(q);
    }
    return prepared.release();
}

void run_detector(Prepared* p, const Query& q) {
    btGjkPairDetector detector(q.a.get(), q.b.get(), &p->simplex, nullptr);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = q.pose_a;
    input.m_transformB = q.pose_b;
    btPointCollector points;
    detector.getClosestPoints(input, points, nullptr);
    p->failed = !points.m_hasResult;
    p->distance = points.m_distance;
    p->overlap = !points.m_hasResult || points.m_distance <= 0.0;
}

void run_epa2(Prepared* p, const Query& q) {
    btGjkEpaSolver2::sResults result;
    btVector3 guess = q.pose_b.getOrigin() - q.pose_a.getOrigin();
    if (p->question == TS_BENCH_ASK_DEPTH) {
        p->overlap = btGjkEpaSolver2::Penetration(q.a.get(), q.pose_a, q.b.get(), q.pose_b, guess, result, false);
        p->distance = p->overlap ? result.distance : std::nan("");
        p->failed = !p->overlap;
        return;
    }
    p->failed = !btGjkEpaSolver2::Distance(q.a.get(), q.pose_a, q.b.get(), q.pose_b, guess, result);
    p->overlap = p->failed;
    p->distance = p->failed ? std::nan("") : result.distance;
}

void run(void* context, int query) {
    auto* p = static_cast<Prepared*>(context);
    const Query& q = p->query[static_cast<size_t>(query)];
    if (p->setting == DETECTOR)
        run_detector(p, q);
    else
        run_epa2(p, q);
}

ts_bench_answer answer(const void* context) {
    const auto* p = static_cast<const Prepared*>(context);
    return ts_bench_answer{p->distance, p->overlap, -1, p->failed};
}

void release(void* context) { delete static_cast<Prepared*>(context); }

const unsigned kinds = 1u << TS_SHAPE_ELLIPSOID | 1u << TS_SHAPE_BOX | 1u << TS_SHAPE_HULL;

const ts_bench_solver solvers[] = {
    {"Bullet GjkEpa2", "stock", TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_DEPTH, kinds, EPA2, 0.0, prepare, run, answer,
     release, 0},
    {"Bullet pair detector", "stock", TS_BENCH_ASK_DISTANCE, kinds, DETECTOR, 0.0, prepare, run, answer, release, 0},
};

}  // namespace

extern "C" int ts_bench_solvers_bullet(const ts_bench_solver** out_solvers) {
    *out_solvers = solvers;
    return static_cast<int>(sizeof solvers / sizeof solvers[0]);
}
