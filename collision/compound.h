// Compounds: several placed convex shapes that move as one.
#ifndef TS_COLLISION_COMPOUND_H
#define TS_COLLISION_COMPOUND_H

#include "collision/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One convex shape in the compound's frame.
typedef struct ts_compound_child {
    ts_shape shape;       // convex, not a plane; hull and triangle borrowed
    ts_transform placed;  // in the compound's frame
} ts_compound_child;

/// Convex children with a tree of boxes above them. Owned by whoever built it; constant afterwards.
struct ts_compound {
    int count;
    ts_compound_child* child;  // (count)
    ts_vec3 box_min;           // m
    ts_vec3 box_max;           // m
};

#ifdef __cplusplus
}
#endif
#endif
