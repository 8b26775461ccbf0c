// Bullet's broad phases: the dynamic tree that its worlds use, and the sweep along three axes.
#include "bench/broad_peer.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <cstdint>
#include <new>
#include <vector>

namespace {

struct state {
    btBroadphaseInterface* broad;
    std::vector<btBroadphaseProxy*> proxy;
};

btVector3 vector(ts_vec3 v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }

void* fill(btBroadphaseInterface* broad, const ts_bounds* bounds, int count) {
    state* s = new state{broad, {}};
    // Bullet takes a body's address here; the index plus one is all that is asked for.
    for (int i = 0; i < count; ++i)
        s->proxy.push_back(broad->createProxy(vector(bounds[i].min), vector(bounds[i].max), 0,
                                              reinterpret_cast<void*>(std::intptr_t(i) + 1), 1, -1, nullptr));
    return s;
}

void* create_tree(const ts_bounds* bounds, int count) { return fill(new btDbvtBroadphase, bounds, count); }

void* create_sweep(const ts_bounds* bounds, int count) {
    ts_vec3 low = bounds[0].min, high = bounds[0].max;
    for (int i = 1; i < count; ++i) {
        low = ts_vec3_min(low, bounds[i].min);
        high = ts_vec3_max(high, bounds[i].max);
    }
    ts_vec3 room = ts_vec3_make(5.0, 5.0, 5.0);
    btVector3 from = vector(ts_vec3_sub(low, room)), to = vector(ts_vec3_add(high, room));
    return fill(new bt32BitAxisSweep3(from, to, unsigned(count) + 2), bounds, count);
}

void update(void* data, const ts_bounds* bounds) {
    state* s = static_cast<state*>(data);
    for (size_t i = 0; i < s->proxy.size(); ++i)
        s->broad->setAabb(s->proxy[i], vector(bounds[i].min), vector(bounds[i].max), nullptr);
    s->broad->calculateOverlappingPairs(nullptr);
}

int pairs(void* data, ts_pair* out, int room) {
    state* s = static_cast<state*>(data);
    btBroadphasePairArray& found = s->broad->getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < found.size() && i < room; ++i) {
        int a = int(reinterpret_cast<std::intptr_t>(found[i].m_pProxy0->m_clientObject)) - 1;
        int b = int(reinterpret_cast<std::intptr_t>(found[i].m_pProxy1->m_clientObject)) - 1;
        out[i].first = a < b ? a : b;
        out[i].second = a < b ? b : a;
    }
    return found.size();
}

void release(void* data) {
    state* s = static_cast<state*>(data);
    if (!s) return;
    for (btBroadphaseProxy* proxy : s->proxy) s->broad->destroyProxy(proxy, nullptr);
    delete s->broad;
    delete s;
}

const ts_bench_broad_peer peers[] = {
    {"Bullet btDbvtBroadphase", 1 << 30, 0, create_tree, update, pairs, release},
    {"Bullet bt32BitAxisSweep3", 10000, 0, create_sweep, update, pairs, release},
};

}  // namespace

int ts_bench_broad_bullet(const ts_bench_broad_peer** out_peers) {
    *out_peers = peers;
    return int(sizeof peers / sizeof *peers);
}
