// Compounds: several placed convex shapes that move as one, under a tree of boxes.
#ifndef TS_COLLISION_COMPOUND_H
#define TS_COLLISION_COMPOUND_H

#include "base/status.h"
#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One convex shape in the compound's frame.
typedef struct ts_compound_child {
    ts_shape shape;       // convex, not a plane; what it points to is borrowed
    ts_transform placed;  // in the compound's frame
} ts_compound_child;

/// A box of the tree, in the order of a walk that looks at a box before what is in it: whoever misses the box goes on
/// at `skip`, whoever meets it at the next node.
typedef struct ts_compound_node {
    ts_vec3 box_min;  // m
    ts_vec3 box_max;  // m
    int skip;         // node behind everything in this box
    int child;        // of a leaf, else -1
} ts_compound_node;

/// Convex children and the tree above them. Owned by whoever built it; constant afterwards.
struct ts_compound {
    int count;
    ts_compound_child* child;  // (count)
    ts_compound_node* node;    // (2 count - 1)
    ts_vec3 box_min;           // m
    ts_vec3 box_max;           // m
};

/// Copies the children. Refuses none at all, children that are planes or not convex or not valid, and poses that are not
/// finite or whose matrix is not a rotation to 1e-6: TS_ERROR_VALUE and the reason. Free with ts_compound_free.
ts_code ts_compound_build(const ts_compound_child* children, int count, ts_compound** out_compound,
                          ts_status* out_status);

/// Releases a compound, not what its children point to; NULL is ignored.
void ts_compound_free(ts_compound* compound);

#ifdef __cplusplus
}
#endif
#endif
