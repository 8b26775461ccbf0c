// FCL's dynamic tree of boxes.
#include "bench/broad_peer.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace {

struct state {
    fcl::DynamicAABBTreeCollisionManager<double> manager;
    std::vector<std::unique_ptr<fcl::CollisionObject<double>>> object;
    std::vector<ts_pair> pair;
};

fcl::Vector3d middle(const ts_bounds& b) {
    return fcl::Vector3d(0.5 * (b.min.x + b.max.x), 0.5 * (b.min.y + b.max.y), 0.5 * (b.min.z + b.max.z));
}

void* create(const ts_bounds* bounds, int count) {
    state* s = new state;
    std::vector<fcl::CollisionObject<double>*> all;
    for (int i = 0; i < count; ++i) {
        const ts_bounds& b = bounds[i];
        auto box = std::make_shared<fcl::Box<double>>(b.max.x - b.min.x, b.max.y - b.min.y, b.max.z - b.min.z);
        fcl::Transform3d pose = fcl::Transform3d::Identity();
        pose.translation() = middle(b);
        s->object.emplace_back(new fcl::CollisionObject<double>(box, pose));
        s->object.back()->setUserData(reinterpret_cast<void*>(std::intptr_t(i)));
        s->object.back()->computeAABB();
        all.push_back(s->object.back().get());
    }
    s->manager.registerObjects(all);
    s->manager.setup();
    return s;
}

bool take(fcl::CollisionObject<double>* one, fcl::CollisionObject<double>* two, void* data) {
    state* s = static_cast<state*>(data);
    int a = int(reinterpret_cast<std::intptr_t>(one->getUserData()));
    int b = int(reinterpret_cast<std::intptr_t>(two->getUserData()));
    s->pair.push_back(a < b ? ts_pair{a, b} : ts_pair{b, a});
    return false;
}

void update(void* data, const ts_bounds* bounds) {
    state* s = static_cast<state*>(data);
    for (size_t i = 0; i < s->object.size(); ++i) {
        s->object[i]->setTranslation(middle(bounds[i]));
        s->object[i]->computeAABB();
    }
    s->manager.update();
    s->pair.clear();
    s->manager.collide(s, take);
}

int pairs(void* data, ts_pair* out, int room) {
    state* s = static_cast<state*>(data);
    for (int i = 0; i < int(s->pair.size()) && i < room; ++i) out[i] = s->pair[size_t(i)];
    return int(s->pair.size());
}

void release(void* data) { delete static_cast<state*>(data); }

const ts_bench_broad_peer peers[] = {
    {"FCL DynamicAABBTree", 1 << 30, 0, create, update, pairs, release},
};

}  // namespace

int ts_bench_broad_fcl(const ts_bench_broad_peer** out_peers) {
    *out_peers = peers;
    return int(sizeof peers / sizeof *peers);
}
