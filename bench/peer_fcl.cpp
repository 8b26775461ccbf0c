// FCL over libccd. Distances at 1e-8 (its stock 1e-6 has outliers); depths at the stock tolerance, because below it the
// signed distance of curved shapes runs into its own assertion and ends the process.
#include "bench/peer.h"
#include "bench/peer_shapes.h"

#include <exception>
#include <memory>
#include <vector>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

namespace {

using Solver = fcl::detail::GJKSolver_libccd<double>;
using Transform = fcl::Transform3<double>;
using Geometry = fcl::CollisionGeometry<double>;

struct Query;
using Ask = void (*)(const Solver&, const Query&, ts_bench_question, double&, bool&);

struct Query {
    std::shared_ptr<Geometry> a;
    std::shared_ptr<Geometry> b;
    Transform pose_a;
    Transform pose_b;
    Ask ask;
};

struct Prepared {
    std::vector<Query> query;
    Solver solver;
    ts_bench_question question;
    double distance = 0.0;
    bool overlap = false;
    bool failed = false;
};

fcl::Vector3<double> vec(const ts_vec3& v) { return fcl::Vector3<double>(v.x, v.y, v.z); }

Transform pose(const ts_transform& t) {
    Transform result = Transform::Identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) result.linear()(i, j) = t.R.m[i][j];
    result.translation() = vec(t.p);
    return result;
}

std::shared_ptr<Geometry> hull_of(const ts_hull* hull) {
    auto points = std::make_shared<std::vector<fcl::Vector3<double>>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int i = 0; i < hull->vertex_count; ++i) points->push_back(vec(hull->vertex[i]));
    for (int f = 0; f < hull->face_count; ++f) {
        faces->push_back(hull->face_start[f + 1] - hull->face_start[f]);
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; ++k) faces->push_back(hull->face_corner[k]);
    }
    return std::make_shared<fcl::Convex<double>>(points, hull->face_count, faces, false);
}

std::shared_ptr<Geometry> shape_of(const ts_shape& s) {
    switch (s.kind) {
    case TS_SHAPE_SPHERE: return std::make_shared<fcl::Sphere<double>>(s.radius);
    case TS_SHAPE_CAPSULE: return std::make_shared<fcl::Capsule<double>>(s.radius, 2.0 * s.half.z);
    case TS_SHAPE_ELLIPSOID: return std::make_shared<fcl::Ellipsoid<double>>(s.half.x, s.half.y, s.half.z);
    case TS_SHAPE_BOX: return std::make_shared<fcl::Box<double>>(2.0 * s.half.x, 2.0 * s.half.y, 2.0 * s.half.z);
    case TS_SHAPE_HULL: return hull_of(s.hull);
    default: return nullptr;
    }
}

template <typename A, typename B>
void ask(const Solver& solver, const Query& q, ts_bench_question question, double& distance, bool& overlap) {
    const A& a = static_cast<const A&>(*q.a);
    const B& b = static_cast<const B&>(*q.b);
    fcl::Vector3<double> p1;  // its closed forms insist on points
    fcl::Vector3<double> p2;
    if (question == TS_BENCH_ASK_VERDICT)
        overlap = solver.shapeIntersect(a, q.pose_a, b, q.pose_b, nullptr);
    else if (question == TS_BENCH_ASK_DISTANCE)
        overlap = !solver.shapeDistance(a, q.pose_a, b, q.pose_b, &distance, &p1, &p2);
    else
        overlap = !solver.shapeSignedDistance(a, q.pose_a, b, q.pose_b, &distance, &p1, &p2);
}

template <typename A> Ask second(ts_shape_kind b) {
    switch (b) {
    case TS_SHAPE_SPHERE: return ask<A, fcl::Sphere<double>>;
    case TS_SHAPE_CAPSULE: return ask<A, fcl::Capsule<double>>;
    case TS_SHAPE_ELLIPSOID: return ask<A, fcl::Ellipsoid<double>>;
    case TS_SHAPE_BOX: return ask<A, fcl::Box<double>>;
    case TS_SHAPE_HULL: return ask<A, fcl::Convex<double>>;
    default: return nullptr;
    }
}

Ask function_of(ts_shape_kind a, ts_shape_kind b) {
    switch (a) {
    case TS_SHAPE_SPHERE: return second<fcl::Sphere<double>>(b);
    case TS_SHAPE_CAPSULE: return second<fcl::Capsule<double>>(b);
    case TS_SHAPE_ELLIPSOID: return second<fcl::Ellipsoid<double>>(b);
    case TS_SHAPE_BOX: return second<fcl::Box<double>>(b);
    case TS_SHAPE_HULL: return second<fcl::Convex<double>>(b);
    default: return nullptr;
    }
}

void* prepare(const ts_bench_solver* self, const ts_bench_pair* pair, int count, ts_bench_question question) {
    auto prepared = std::make_unique<Prepared>();
    prepared->question = question;
    prepared->solver.distance_tolerance = question == TS_BENCH_ASK_DEPTH ? 1e-6 : self->tolerance;
    ts_peer_shapes<Geometry> find(shape_of);
    for (int i = 0; i < count; ++i) {
        Query q{find(pair[i].a), find(pair[i].b), pose(pair[i].pose_a), pose(pair[i].pose_b),
                function_of(pair[i].a.kind, pair[i].b.kind)};
        if (!q.a || !q.b || !q.ask) return nullptr;
        prepared->query.push_back(q);
    }
    return prepared.release();
}

void run(void* context, int query) {
    auto* p = static_cast<Prepared*>(context);
    const Query& q = p->query[static_cast<size_t>(query)];
    p->failed = false;
    try {
        q.ask(p->solver, q, p->question, p->distance, p->overlap);
    } catch (const std::exception&) {
        p->failed = true;  // it throws where its polytope is not what it expects
    }
}

ts_bench_answer answer(const void* context) {
    const auto* p = static_cast<const Prepared*>(context);
    return ts_bench_answer{p->distance, p->overlap, -1, p->failed};
}

void release(void* context) { delete static_cast<Prepared*>(context); }

const unsigned kinds = 1u << TS_SHAPE_SPHERE | 1u << TS_SHAPE_CAPSULE | 1u << TS_SHAPE_ELLIPSOID | 1u << TS_SHAPE_BOX |
                       1u << TS_SHAPE_HULL;

const ts_bench_solver solvers[] = {
    {"FCL, libccd", "1e-8, depth 1e-6", TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_VERDICT | TS_BENCH_ASK_DEPTH, kinds, 0,
     1e-8, prepare, run, answer, release, 1},
};

}  // namespace

extern "C" int ts_bench_solvers_fcl(const ts_bench_solver** out_solvers) {
    *out_solvers = solvers;
    return static_cast<int>(sizeof solvers / sizeof solvers[0]);
}
