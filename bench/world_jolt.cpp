// Jolt (github.com/jrouwe/JoltPhysics, found by TS_JOLT_PREFIX) behind the face of worlds: single precision, its own ten
// velocity and two position sweeps, sleeping off.
#include "bench/world.h"

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace {

constexpr JPH::ObjectLayer still = 0, moving = 1;
constexpr unsigned temporary_bytes = 32u << 20, most_pairs = 1u << 16, most_jobs = 2048;

class layers final : public JPH::BroadPhaseLayerInterface {
  public:
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
        return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
    }
};

class layer_to_broad final : public JPH::ObjectVsBroadPhaseLayerFilter {
  public:
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
        return a == moving || b == JPH::BroadPhaseLayer(moving);
    }
};

class layer_to_layer final : public JPH::ObjectLayerPairFilter {
  public:
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == moving || b == moving; }
};

// Counts the points of a step and mixes friction as our models mean it.
class listener final : public JPH::ContactListener {
  public:
    int points = 0;
    double deepest = 0.0;
    void OnContactAdded(const JPH::Body& a, const JPH::Body& b, const JPH::ContactManifold& manifold,
                        JPH::ContactSettings& settings) override {
        settings.mCombinedFriction = std::max(a.GetFriction(), b.GetFriction());
        points += static_cast<int>(manifold.mRelativeContactPointsOn1.size());
        deepest = std::max(deepest, static_cast<double>(manifold.mPenetrationDepth));
    }
    void OnContactPersisted(const JPH::Body& a, const JPH::Body& b, const JPH::ContactManifold& manifold,
                            JPH::ContactSettings& settings) override {
        OnContactAdded(a, b, manifold, settings);
    }
};

JPH::Vec3 to_jolt(ts_vec3 v) {
    return JPH::Vec3(static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z));
}

JPH::Quat to_jolt(ts_quat q) {
    return JPH::Quat(static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
                     static_cast<float>(q.w));
}

// Its library is set up once in a process, before the first world, and stays.
void set_up() {
    if (JPH::Factory::sInstance) return;
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory();
    JPH::RegisterTypes();
}

// Shapes are rounded by 5 cm as they come, which boxes of 10 cm cannot be: by a tenth of the shortest side, where that is less.
float rounding(double half) { return std::min(0.05f, 0.2f * static_cast<float>(half)); }

// Null where it is not told of such a shape.
JPH::ShapeRefC make_shape(const ts_shape& shape) {
    switch (shape.kind) {
    case TS_SHAPE_PLANE: return JPH::BoxShapeSettings(JPH::Vec3(20.0f, 20.0f, 0.5f)).Create().Get();
    case TS_SHAPE_SPHERE: return JPH::SphereShapeSettings(static_cast<float>(shape.radius)).Create().Get();
    case TS_SHAPE_BOX:
        return JPH::BoxShapeSettings(to_jolt(shape.half),
                                     rounding(std::min({shape.half.x, shape.half.y, shape.half.z})))
            .Create()
            .Get();
    case TS_SHAPE_HULL: {
        JPH::Array<JPH::Vec3> points;
        double reach = 0.0;
        for (int i = 0; i < shape.hull->vertex_count; ++i) {
            points.push_back(to_jolt(shape.hull->vertex[i]));
            reach = std::max(reach, ts_vec3_norm(shape.hull->vertex[i]));
        }
        return JPH::ConvexHullShapeSettings(points, rounding(0.5 * reach)).Create().Get();
    }
    default: return nullptr;
    }
}

}  // namespace

struct ts_bench_world {
    layers broad;
    layer_to_broad object_to_broad;
    layer_to_layer object_to_object;
    listener ear;
    JPH::PhysicsSystem system;
    std::unique_ptr<JPH::TempAllocatorImpl> scratch;
    std::unique_ptr<JPH::JobSystemSingleThreaded> jobs;
    std::vector<JPH::BodyID> bodies, moving;
    double time_step = 0.0;
};

namespace {

// Bodies of one geom at their origin, or planes of the world: what the scenes of the benchmark have.
bool add_body(ts_bench_world* w, const ts_model* model, int b) {
    const ts_body& body = model->body[b];
    bool moves = body.tree >= 0;
    if (moves && body.geom_count != 1) return false;
    for (int g = body.geom_first; g < body.geom_first + body.geom_count; ++g) {
        const ts_geom& geom = model->geom[g];
        if (!geom.category && !geom.mask) continue;
        JPH::ShapeRefC shape = make_shape(geom.shape);
        if (!shape) return false;
        ts_pose pose = geom.pose;
        const double* q = moves ? model->qpos0 + model->joint[body.joint_first].qpos_first : nullptr;
        if (geom.shape.kind == TS_SHAPE_PLANE)
            pose = ts_pose_mul(pose, ts_pose{ts_vec3_make(0.0, 0.0, -0.5), ts_quat_identity()});
        if (moves) {
            if (ts_vec3_norm(pose.position) > 0.0 || std::fabs(pose.rotation.w) < 1.0) return false;
            pose = ts_pose{ts_vec3_load(q), ts_quat_load(q + 3)};
        }
        JPH::BodyCreationSettings def(shape, to_jolt(pose.position), to_jolt(pose.rotation),
                                      moves ? JPH::EMotionType::Dynamic : JPH::EMotionType::Static,
                                      moves ? moving : still);
        def.mFriction = static_cast<float>(geom.surface.friction);
        def.mRestitution = static_cast<float>(geom.surface.restitution);
        def.mAllowSleeping = false;
        def.mLinearDamping = def.mAngularDamping = 0.0f;
        if (moves) {
            const double* v = model->qvel0 + body.dof_first;
            const ts_mat3& I = body.inertia;
            def.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
            def.mMassPropertiesOverride.mMass = static_cast<float>(body.mass);
            def.mMassPropertiesOverride.mInertia =
                JPH::Mat44(JPH::Vec4(to_jolt(ts_vec3_make(I.m[0][0], I.m[1][0], I.m[2][0])), 0.0f),
                           JPH::Vec4(to_jolt(ts_vec3_make(I.m[0][1], I.m[1][1], I.m[2][1])), 0.0f),
                           JPH::Vec4(to_jolt(ts_vec3_make(I.m[0][2], I.m[1][2], I.m[2][2])), 0.0f),
                           JPH::Vec4(0.0f, 0.0f, 0.0f, 1.0f));
            def.mLinearVelocity = to_jolt(ts_vec3_load(v));
            def.mAngularVelocity = to_jolt(ts_quat_rotate(ts_quat_load(q + 3), ts_vec3_load(v + 3)));
        }
        JPH::BodyID id = w->system.GetBodyInterface().CreateAndAddBody(def, moves ? JPH::EActivation::Activate
                                                                                  : JPH::EActivation::DontActivate);
        if (id.IsInvalid()) return false;
        w->bodies.push_back(id);
        if (moves) w->moving.push_back(id);
    }
    return true;
}

void destroy(ts_bench_world* w) {
    if (!w) return;
    for (JPH::BodyID id : w->bodies) {
        w->system.GetBodyInterface().RemoveBody(id);
        w->system.GetBodyInterface().DestroyBody(id);
    }
    delete w;
}

ts_bench_world* create(const ts_model* model, const ts_bench_settings* settings) {
    set_up();
    auto* w = new ts_bench_world();
    w->time_step = settings->time_step;
    w->scratch = std::make_unique<JPH::TempAllocatorImpl>(temporary_bytes);
    w->jobs = std::make_unique<JPH::JobSystemSingleThreaded>(most_jobs);
    w->system.Init(static_cast<JPH::uint>(model->body_count) + 16, 0, most_pairs, most_pairs, w->broad,
                   w->object_to_broad, w->object_to_object);
    w->system.SetGravity(to_jolt(model->options.gravity));
    w->system.SetContactListener(&w->ear);
    for (int b = 0; b < model->body_count; ++b) {
        if (!add_body(w, model, b)) {
            destroy(w);
            return nullptr;
        }
    }
    w->system.OptimizeBroadPhase();
    return w;
}

int step(ts_bench_world* w) {
    w->ear.points = 0;
    w->ear.deepest = 0.0;
    return w->system.Update(static_cast<float>(w->time_step), 1, w->scratch.get(), w->jobs.get()) ==
           JPH::EPhysicsUpdateError::None;
}

void centre(ts_bench_world* w, int body, double out_position[3]) {
    JPH::RVec3 p = w->system.GetBodyInterface().GetCenterOfMassPosition(w->moving[static_cast<size_t>(body)]);
    for (JPH::uint k = 0; k < 3; ++k) out_position[k] = static_cast<double>(p[k]);
}

ts_bench_state state(ts_bench_world* w) { return {w->ear.points, w->ear.deepest, -1.0, -1, {}}; }

}  // namespace

extern "C" const ts_bench_engine* ts_bench_jolt(void) {
    static const ts_bench_engine engine = {"jolt-f32", create, destroy, step, centre, state, nullptr};
    return &engine;
}
