// Box2D's distance routine: GJK in the plane, single precision.
#include "bench/planar_peer.h"

#include <box2d/b2_distance.h>

#include <new>
#include <vector>

namespace {

struct state {
    std::vector<std::vector<b2Vec2>> vertices;
    std::vector<b2DistanceInput> input;
    b2DistanceOutput output;
};

b2Transform transform(ts_planar_pose pose) {
    b2Transform t;
    t.p.Set(float(pose.position.x), float(pose.position.y));
    t.q.c = float(pose.rotation.x);
    t.q.s = float(pose.rotation.y);
    return t;
}

b2DistanceProxy proxy(state& s, const ts_planar_polygon* polygon) {
    std::vector<b2Vec2> points;
    for (int i = 0; i < polygon->count; ++i) {
        ts_planar_vec v = ts_planar_polygon_vertex(polygon, i);
        points.push_back(b2Vec2(float(v.x), float(v.y)));
    }
    s.vertices.push_back(std::move(points));
    b2DistanceProxy p;
    p.Set(s.vertices.back().data(), int(s.vertices.back().size()), 0.0f);
    return p;
}

}  // namespace

extern "C" void* ts_bench_box2d_prepare(const ts_bench_planar_pair* pair, int count) {
    state* s = new (std::nothrow) state;
    if (!s) return nullptr;
    s->vertices.reserve(2 * size_t(count));
    for (int i = 0; i < count; ++i) {
        b2DistanceInput input;
        input.proxyA = proxy(*s, pair[i].a);
        input.proxyB = proxy(*s, pair[i].b);
        input.transformA = transform(pair[i].pose_a);
        input.transformB = transform(pair[i].pose_b);
        input.useRadii = false;
        s->input.push_back(input);
    }
    return s;
}

extern "C" void ts_bench_box2d_run(void* data, int query) {
    state* s = static_cast<state*>(data);
    b2SimplexCache cache;
    cache.count = 0;
    b2Distance(&s->output, &cache, &s->input[size_t(query)]);
}

extern "C" double ts_bench_box2d_answer(const void* data, double out_vector[2]) {
    const state* s = static_cast<const state*>(data);
    out_vector[0] = double(s->output.pointB.x) - double(s->output.pointA.x);
    out_vector[1] = double(s->output.pointB.y) - double(s->output.pointA.y);
    return double(s->output.distance);
}

extern "C" void ts_bench_box2d_release(void* data) { delete static_cast<state*>(data); }
