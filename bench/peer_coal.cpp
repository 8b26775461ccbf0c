// coal: GJK with its three variants, EPA, and its closed forms, called below its dispatch tables so that only the solvers
// are compared. Tolerances: `duality gap` stops on its bound of the squared norm, `1e-10` on its default criterion.
#include "bench/peer.h"
#include "bench/peer_shapes.h"

#include <memory>
#include <vector>

#include <coal/internal/shape_shape_func.h>
#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace {

enum Setting { DEFAULT, POLYAK, NESTEROV, BOX_GUESS };

struct Query;
using Distance = double (*)(const Query&, const coal::GJKSolver*, bool);

struct Query {
    std::shared_ptr<coal::CollisionGeometry> a;
    std::shared_ptr<coal::CollisionGeometry> b;
    coal::Transform3s pose_a;
    coal::Transform3s pose_b;
    Distance distance;
};

struct Prepared {
    std::vector<Query> query;
    coal::GJKSolver solver;
    ts_bench_question question;
    double distance = 0.0;
};

coal::Vec3s vec(const ts_vec3& v) { return coal::Vec3s(v.x, v.y, v.z); }

coal::Transform3s pose(const ts_transform& t) {
    coal::Matrix3s R;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R(i, j) = t.R.m[i][j];
    return coal::Transform3s(R, vec(t.p));
}

std::shared_ptr<coal::CollisionGeometry> hull_of(const ts_hull* hull) {
    auto points = std::make_shared<std::vector<coal::Vec3s>>();
    auto triangles = std::make_shared<std::vector<coal::Triangle>>();
    for (int i = 0; i < hull->vertex_count; ++i) points->push_back(vec(hull->vertex[i]));
    for (int f = 0; f < hull->face_count; ++f) {
        const int* corner = &hull->face_corner[hull->face_start[f]];
        int corners = hull->face_start[f + 1] - hull->face_start[f];
        for (int k = 2; k < corners; ++k)
            triangles->push_back(coal::Triangle(static_cast<size_t>(corner[0]), static_cast<size_t>(corner[k - 1]),
                                                static_cast<size_t>(corner[k])));
    }
    return std::make_shared<coal::Convex<coal::Triangle>>(points, static_cast<unsigned>(points->size()), triangles,
                                                          static_cast<unsigned>(triangles->size()));
}

std::shared_ptr<coal::CollisionGeometry> shape_of(const ts_shape& s) {
    std::shared_ptr<coal::CollisionGeometry> shape;
    switch (s.kind) {
    case TS_SHAPE_SPHERE: shape = std::make_shared<coal::Sphere>(s.radius); break;
    case TS_SHAPE_CAPSULE: shape = std::make_shared<coal::Capsule>(s.radius, 2.0 * s.half.z); break;
    case TS_SHAPE_ELLIPSOID: shape = std::make_shared<coal::Ellipsoid>(s.half.x, s.half.y, s.half.z); break;
    case TS_SHAPE_BOX: shape = std::make_shared<coal::Box>(2.0 * s.half.x, 2.0 * s.half.y, 2.0 * s.half.z); break;
    case TS_SHAPE_HULL: shape = hull_of(s.hull); break;
    default: return nullptr;
    }
    shape->computeLocalAABB();
    return shape;
}

template <typename A, typename B> double distance_of(const Query& q, const coal::GJKSolver* solver, bool depth) {
    coal::Vec3s p1, p2, normal;
    return coal::internal::ShapeShapeDistance<A, B>(q.a.get(), q.pose_a, q.b.get(), q.pose_b, solver, depth, p1, p2,
                                                    normal);
}

template <typename A> Distance second(ts_shape_kind b) {
    switch (b) {
    case TS_SHAPE_SPHERE: return distance_of<A, coal::Sphere>;
    case TS_SHAPE_CAPSULE: return distance_of<A, coal::Capsule>;
    case TS_SHAPE_ELLIPSOID: return distance_of<A, coal::Ellipsoid>;
    case TS_SHAPE_BOX: return distance_of<A, coal::Box>;
    case TS_SHAPE_HULL: return distance_of<A, coal::ConvexBase>;
    default: return nullptr;
    }
}

Distance function_of(ts_shape_kind a, ts_shape_kind b) {
    switch (a) {
    case TS_SHAPE_SPHERE: return second<coal::Sphere>(b);
    case TS_SHAPE_CAPSULE: return second<coal::Capsule>(b);
    case TS_SHAPE_ELLIPSOID: return second<coal::Ellipsoid>(b);
    case TS_SHAPE_BOX: return second<coal::Box>(b);
    case TS_SHAPE_HULL: return second<coal::ConvexBase>(b);
    default: return nullptr;
    }
}

void set_solver(coal::GJKSolver& solver, const ts_bench_solver* self, ts_bench_question question) {
    solver.gjk_variant = self->setting == POLYAK     ? coal::GJKVariant::PolyakAcceleration
                         : self->setting == NESTEROV ? coal::GJKVariant::NesterovAcceleration
                                                     : coal::GJKVariant::DefaultGJK;
    solver.gjk_initial_guess =
        self->setting == BOX_GUESS ? coal::GJKInitialGuess::BoundingVolumeGuess : coal::GJKInitialGuess::DefaultGuess;
    solver.gjk_max_iterations = 256;
    solver.gjk_tolerance = self->tolerance;
    solver.gjk_convergence_criterion =
        self->tolerance < 1e-9 ? coal::GJKConvergenceCriterion::Default : coal::GJKConvergenceCriterion::DualityGap;
    solver.epa_max_iterations = 128;
    solver.epa_tolerance = 1e-6;  // its own default and documented least
    if (question == TS_BENCH_ASK_VERDICT) solver.distance_upper_bound = 0.0;
}

void* prepare(const ts_bench_solver* self, const ts_bench_pair* pair, int count, ts_bench_question question) {
    auto prepared = std::make_unique<Prepared>();
    prepared->question = question;
    set_solver(prepared->solver, self, question);
    ts_peer_shapes<coal::CollisionGeometry> find(shape_of);
    for (int i = 0; i < count; ++i) {
        Query q{find(pair[i].a), find(pair[i].b), pose(pair[i].pose_a), pose(pair[i].pose_b),
                function_of(pair[i].a.kind, pair[i].b.kind)};
        if (!q.a || !q.b || !q.distance) return nullptr;
        prepared->query.push_back(q);
    }
    return prepared.release();
}

void run(void* context, int query) {
    auto* p = static_cast<Prepared*>(context);
    const Query& q = p->query[static_cast<size_t>(query)];
    // Cold: nothing is remembered from the query before.
    p->solver.support_func_cached_guess.setZero();
    p->distance = q.distance(q, &p->solver, p->question == TS_BENCH_ASK_DEPTH);
}

ts_bench_answer answer(const void* context) {
    const auto* p = static_cast<const Prepared*>(context);
    ts_bench_answer a = {p->distance, p->distance <= 0.0, -1, 0};
    auto status = p->solver.gjk.status;
    if (status == coal::details::GJK::DidNotRun) return a;  // a closed form
    a.iterations = static_cast<int>(p->solver.gjk.getNumIterations());
    a.overlap =
        status == coal::details::GJK::Collision || status == coal::details::GJK::CollisionWithPenetrationInformation;
    a.failed = status == coal::details::GJK::Failed;
    return a;
}

void release(void* context) { delete static_cast<Prepared*>(context); }

const unsigned kinds = 1u << TS_SHAPE_SPHERE | 1u << TS_SHAPE_CAPSULE | 1u << TS_SHAPE_ELLIPSOID | 1u << TS_SHAPE_BOX |
                       1u << TS_SHAPE_HULL;
const int all = TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_VERDICT | TS_BENCH_ASK_DEPTH;
const int quick = TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_VERDICT;
const int fine = TS_BENCH_ASK_DISTANCE;

const ts_bench_solver solvers[] = {
    {"coal default", "gap 1e-8, EPA 1e-6", all, kinds, DEFAULT, 1e-8, prepare, run, answer, release, 0},
    {"coal Polyak", "gap 1e-8, EPA 1e-6", all, kinds, POLYAK, 1e-8, prepare, run, answer, release, 0},
    {"coal Nesterov", "gap 1e-8, EPA 1e-6", all, kinds, NESTEROV, 1e-8, prepare, run, answer, release, 0},
    {"coal default, box guess", "gap 1e-8", quick, kinds, BOX_GUESS, 1e-8, prepare, run, answer, release, 0},
    {"coal default, tight", "1e-10", fine, kinds, DEFAULT, 1e-10, prepare, run, answer, release, 0},
    {"coal Polyak, tight", "1e-10", fine, kinds, POLYAK, 1e-10, prepare, run, answer, release, 0},
    {"coal Nesterov, tight", "1e-10", fine, kinds, NESTEROV, 1e-10, prepare, run, answer, release, 0},
};

}  // namespace

extern "C" int ts_peer_coal_solvers(const ts_bench_solver** out_solvers) {
    *out_solvers = solvers;
    return static_cast<int>(sizeof solvers / sizeof solvers[0]);
}
