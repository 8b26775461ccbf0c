// libccd, called directly with support functions of ours: its GJK and MPR for verdicts, its GJK and EPA for depths. It has
// no distance between shapes that are apart. Its EPA compares `epa_tolerance` with a squared length.
#include "bench/peer.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <ccd/vec3.h>
#include <stdlib.h>

enum { GJK_EPA, MPR };

typedef struct object {
    ts_shape shape;
    ts_transform pose;
} object;

typedef struct prepared {
    object* object;  // two for every query
    ccd_t ccd;
    ts_bench_question question;
    int setting;
    double distance;
    int overlap;
} prepared;

static void support(const void* of, const ccd_vec3_t* direction, ccd_vec3_t* out_point) {
    const object* o = (const object*)of;
    ts_vec3 d = ts_vec3_make(direction->v[0], direction->v[1], direction->v[2]);
    ts_vec3 local = ts_transform_direction_inverse(&o->pose, d);
    ts_vec3 p = ts_support_core(&o->shape, local, -1).point;
    // A ball belongs to its shape here: libccd knows no radius.
    double length = ts_vec3_norm(local);
    if (o->shape.radius > 0.0 && length > 0.0) p = ts_vec3_add(p, ts_vec3_scale(o->shape.radius / length, local));
    p = ts_transform_point(&o->pose, p);
    ccdVec3Set(out_point, p.x, p.y, p.z);
}

static void centre(const void* of, ccd_vec3_t* out_centre) {
    const object* o = (const object*)of;
    ccdVec3Set(out_centre, o->pose.p.x, o->pose.p.y, o->pose.p.z);
}

static void release(void* context) {
    prepared* p = (prepared*)context;
    if (p) free(p->object);
    free(p);
}

static void* prepare(const ts_bench_solver* self, const ts_bench_pair* pair, int count, ts_bench_question question) {
    prepared* p = (prepared*)calloc(1, sizeof *p);
    if (!p) return NULL;
    p->object = (object*)calloc(2 * (size_t)count, sizeof *p->object);
    if (!p->object) {
        release(p);
        return NULL;
    }
    for (int i = 0; i < count; ++i) {
        p->object[2 * i] = (object){pair[i].a, pair[i].pose_a};
        p->object[2 * i + 1] = (object){pair[i].b, pair[i].pose_b};
    }
    CCD_INIT(&p->ccd);
    p->ccd.support1 = p->ccd.support2 = support;
    p->ccd.center1 = p->ccd.center2 = centre;
    p->ccd.max_iterations = 1000;
    p->ccd.epa_tolerance = self->tolerance;
    p->question = question;
    p->setting = self->setting;
    return p;
}

static void run(void* context, int query) {
    prepared* p = (prepared*)context;
    const object* a = &p->object[2 * query];
    const object* b = &p->object[2 * query + 1];
    if (p->question == TS_BENCH_ASK_VERDICT) {
        p->overlap = p->setting == MPR ? ccdMPRIntersect(a, b, &p->ccd) : ccdGJKIntersect(a, b, &p->ccd);
        return;
    }
    ccd_real_t depth = 0.0;
    ccd_vec3_t direction;
    ccd_vec3_t position;
    p->overlap = ccdGJKPenetration(a, b, &p->ccd, &depth, &direction, &position) == 0;
    p->distance = p->overlap ? -depth : (double)NAN;
}

static ts_bench_answer answer(const void* context) {
    const prepared* p = (const prepared*)context;
    ts_bench_answer a = {p->distance, p->overlap, -1, 0};
    return a;
}

#define ALL ((1u << TS_SHAPE_CONVEX_COUNT) - 1u)

static const ts_bench_solver solvers[] = {
    {"libccd GJK, EPA", "EPA 1e-8", TS_BENCH_ASK_VERDICT | TS_BENCH_ASK_DEPTH, ALL, GJK_EPA, 1e-8, prepare, run, answer,
     release, 0},
    {"libccd MPR", "1e-4", TS_BENCH_ASK_VERDICT, ALL, MPR, 1e-4, prepare, run, answer, release, 0},
};

int ts_bench_solvers_ccd(const ts_bench_solver** out_solvers) {
    *out_solvers = solvers;
    return (int)(sizeof solvers / sizeof solvers[0]);
}
