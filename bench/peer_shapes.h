// Shapes as another library has them: a hull that many pairs share is made once, as in a scene. For the peers' C++ only.
#ifndef TS_BENCH_PEER_SHAPES_H
#define TS_BENCH_PEER_SHAPES_H
#ifdef __cplusplus

#include "collision/shape/shape.h"

#include <memory>
#include <utility>
#include <vector>

/// Finds or makes a library's shape, which pairs share; NULL where `make` has none.
template <typename Shape> class ts_peer_shapes {
  public:
    explicit ts_peer_shapes(std::shared_ptr<Shape> (*maker)(const ts_shape&)) : make(maker) {}

    std::shared_ptr<Shape> operator()(const ts_shape& s) {
        if (s.kind != TS_SHAPE_HULL) return make(s);
        for (const auto& entry : known)
            if (entry.first == s.hull) return entry.second;
        known.emplace_back(s.hull, make(s));
        return known.back().second;
    }

  private:
    std::shared_ptr<Shape> (*make)(const ts_shape&);
    std::vector<std::pair<const ts_hull*, std::shared_ptr<Shape>>> known;
};

#endif
#endif
