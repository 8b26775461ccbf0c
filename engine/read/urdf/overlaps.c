// Links that overlap in the pose that a file describes.
//
// Problem: many robots' shapes, hulls above all, overlap in every pose. Who wrote them has the SRDF say which links never touch, or checks no collisions of
// the robot with itself. Without that file the links would be pushed out of each other for ever, in ways that their joints forbid.
// Rule: where there is no SRDF, two links that overlap by more than a millimetre while all joints are at zero never touch, like what MoveIt's setup
// assistant calls collisions by default. Less is two fingers that meet. The world is no link.
// Guaranteed: the work is bounded; a file with more pairs of boxes that overlap than the limit is told that the rest touches.
// Known weakness: links that overlap in other poses only stay.
#include "engine/read/urdf/urdf_internal.h"

#include "collision/distance/proximity.h"

#include <stdlib.h>

// m
static const double least_depth = 1e-3;

enum { QUERIES_MOST = 1 << 18 };

// A shape where it is while all joints are at zero.
typedef struct placed_geom {
    const ts_geom_def* def;
    ts_transform pose;
    ts_vec3 low, high;
} placed_geom;

typedef struct placed_robot {
    placed_geom* geom;
    ts_pose* body;
    int* group;     // (bodies) the body that it moves with
    char* is_done;  // (links x links) lower triangle by bodies; nonzero: they do not touch
    int count;
    int bodies;
    long long queries;
} placed_robot;

static int by_low_x(const void* a, const void* b) {
    const placed_geom *p = (const placed_geom*)a, *q = (const placed_geom*)b;
    if (p->low.x != q->low.x) return p->low.x < q->low.x ? -1 : 1;
    // Those that begin at one place stay in the file's order.
    return p->def < q->def ? -1 : p->def > q->def;
}

// Poses of bodies, and boxes around all that touches. Parents stand before their children.
static void place(const ts_builder* builder, placed_robot* robot) {
    for (int b = 0; b < robot->bodies; ++b) {
        const ts_body_def* def = &builder->body.data[b].def;
        robot->body[b] = b == 0 ? ts_pose_identity() : ts_pose_mul(robot->body[def->parent], def->pose);
    }
    for (int g = 0; g < builder->geom.count; ++g) {
        const ts_geom_def* def = &builder->geom.data[g].def;
        if (def->body <= 0 || !(def->category & def->mask) || def->shape.kind == TS_SHAPE_PLANE) continue;
        placed_geom* p = &robot->geom[robot->count];
        p->def = def;
        if (ts_proximity_place(ts_pose_mul(robot->body[def->body], def->pose), &p->pose) >= TS_PROXIMITY_NOT_FINITE)
            continue;
        ts_shape_bounds(&def->shape, &p->pose, &p->low, &p->high);
        if (ts_vec3_is_finite(p->low) && ts_vec3_is_finite(p->high)) ++robot->count;
    }
    qsort(robot->geom, (size_t)robot->count, sizeof *robot->geom, by_low_x);
}

static size_t pair_of(const placed_robot* robot, int a, int b) {
    return (size_t)(a > b ? a : b) * (size_t)robot->bodies + (size_t)(a > b ? b : a);
}

// What never touches anyway: one body, neighbours, what is excluded, and what is fixed together.
static void note_silent(ts_urdf_reader* reader, placed_robot* robot) {
    for (int i = 0; i < reader->link.count; ++i) {
        const ts_urdf_link* link = &reader->link.data[i];
        if (link->body < 0) continue;
        robot->group[link->body] = link->group;
        robot->is_done[pair_of(robot, link->body, link->body)] = 1;
        if (link->joint < 0) continue;
        int parent = reader->link.data[reader->joint.data[link->joint].parent].body;
        robot->is_done[pair_of(robot, link->body, parent)] = 1;
    }
    for (int i = 0; i < reader->builder->exclusion.count; ++i) {
        const ts_exclusion* e = &reader->builder->exclusion.data[i];
        robot->is_done[pair_of(robot, e->body_a, e->body_b)] = 1;
    }
}

static int overlap_deeply(const placed_geom* a, const placed_geom* b) {
    if (a->low.y > b->high.y || b->low.y > a->high.y || a->low.z > b->high.z || b->low.z > a->high.z) return 0;
    ts_proximity_options options = ts_proximity_options_default();
    ts_proximity found;
    options.give_up_distance = 0.0;
    ts_proximity_query(&a->def->shape, &a->pose, &b->def->shape, &b->pose, &options, NULL, &found);
    return found.status != TS_PROXIMITY_INVALID_INPUT && found.distance < -least_depth;
}

static void exclude(ts_urdf_reader* reader, placed_robot* robot, int a, int b) {
    robot->is_done[pair_of(robot, a, b)] = 1;
    if (!ts_builder_exclude(reader->builder, a, b)) ts_urdf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory");
    const ts_xml_node* node = NULL;
    for (int i = 0; i < reader->link.count; ++i)
        if (reader->link.data[i].body == (a < b ? a : b)) node = reader->link.data[i].node;
    ts_urdf_report(reader, node, TS_IMPORT_APPROXIMATED, 1, "links that overlap with all joints at zero",
                   "they never touch each other, since no SRDF says otherwise: 'check --write-srdf' writes one, "
                   "--overlaps keep lets them touch");
}

static void compare(ts_urdf_reader* reader, placed_robot* robot) {
    for (int i = 0; i < robot->count && !reader->xml.code; ++i)
        for (int j = i + 1; j < robot->count && robot->geom[j].low.x <= robot->geom[i].high.x; ++j) {
            const placed_geom *p = &robot->geom[i], *q = &robot->geom[j];
            int a = p->def->body, b = q->def->body;
            if (robot->is_done[pair_of(robot, a, b)] || robot->group[a] == robot->group[b]) continue;
            if (++robot->queries > QUERIES_MOST) {
                ts_urdf_report(reader, NULL, TS_IMPORT_IGNORED, 0, "links that overlap with all joints at zero",
                               "too many shapes lie in one place: not all of them were looked at");
                return;
            }
            if (overlap_deeply(p, q)) exclude(reader, robot, a, b);
            if (reader->xml.code) return;
        }
}

void ts_urdf_exclude_overlaps(ts_urdf_reader* reader) {
    enum { LINKS_MOST = 8192 };
    placed_robot robot = {.bodies = reader->builder->body.count};
    if (reader->srdf || reader->options->overlaps_touch || robot.bodies > LINKS_MOST) return;
    size_t bodies = (size_t)robot.bodies;
    robot.geom = (placed_geom*)calloc((size_t)reader->builder->geom.count + 1, sizeof *robot.geom);
    robot.body = (ts_pose*)calloc(bodies, sizeof *robot.body);
    robot.group = (int*)calloc(bodies, sizeof *robot.group);
    robot.is_done = (char*)calloc(bodies * bodies, 1);
    if (robot.geom && robot.body && robot.group && robot.is_done) {
        place(reader->builder, &robot);
        note_silent(reader, &robot);
        compare(reader, &robot);
    } else {
        ts_urdf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory");
    }
    free(robot.geom);
    free(robot.body);
    free(robot.group);
    free(robot.is_done);
}
