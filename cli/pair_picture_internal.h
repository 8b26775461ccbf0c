// A picture of two shapes, their nearest (or deepest) points and the normal.
#ifndef TS_CLI_PAIR_PICTURE_INTERNAL_H
#define TS_CLI_PAIR_PICTURE_INTERNAL_H

#include "collision/distance/proximity.h"

/// What to draw; everything borrowed.
typedef struct ts_pair_picture {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose_a;
    const ts_transform* pose_b;
    const ts_proximity* answer;
    int width;   // pixels
    int height;  // pixels
} ts_pair_picture;

/// Renders to a PNG file. TS_ERROR_UNSUPPORTED, with the reason, when this build or machine cannot draw.
ts_code ts_pair_picture_png(const ts_pair_picture* picture, const char* path, ts_status* out_status);

#endif
