// Random pairs at known distances.
//
// Rule: place a pair apart at random, ask for its distance and normal n, slide B along n to the distance wanted. While
// the shapes are apart the two planes through the closest points, normal to n, stay supporting planes, so the new
// distance is exact to rounding. The first slide goes to a millimetre and is measured again, which makes n as good as
// it gets.
// Guarantee: every placed pair carries certified bounds of its signed distance, found by a query without shortcuts;
// answers, ours included, are judged by them.
#include "bench/workload.h"

#include "base/rng.h"
#include "collision/shape/mesh_file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* ts_bench_family_name(ts_bench_family family) {
    static const char* const name[] = {"ellipsoids", "ellipsoids 0.1 m", "hulls",   "boxes",
                                       "capsules",   "sphere, capsule",  "spheres", "box, ellipsoid"};
    return family >= 0 && family < TS_BENCH_FAMILY_COUNT ? name[family] : "unknown";
}

// Numbers are drawn one by one: C leaves open which argument of a call comes first, and every build shall ask the same.
static ts_vec3 random_direction(ts_rng* rng) {
    for (;;) {
        double z = ts_rng_normal(rng), y = ts_rng_normal(rng), x = ts_rng_normal(rng);
        ts_vec3 v = ts_vec3_make(x, y, z);
        double length = ts_vec3_norm(v);
        if (length > 1e-3) return ts_vec3_scale(1.0 / length, v);
    }
}

static ts_mat3 random_rotation(ts_rng* rng) {
    for (;;) {
        double z = ts_rng_normal(rng), y = ts_rng_normal(rng), x = ts_rng_normal(rng), w = ts_rng_normal(rng);
        ts_quat q = ts_quat_make(w, x, y, z);
        if (ts_quat_norm(q) > 1e-3) return ts_quat_to_mat3(ts_quat_normalize(q));
    }
}

static ts_vec3 random_axes(ts_rng* rng, double low, double high) {
    double x = ts_rng_uniform_in(rng, low, high);
    double y = ts_rng_uniform_in(rng, low, high);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, low, high));
}

static double normal_radius(ts_rng* rng) {
    double radius = 0.1 + 0.025 * ts_rng_normal(rng);
    return radius < 0.02 ? 0.02 : radius;
}

ts_hull* ts_bench_hull_on_ellipsoid(ts_vec3 semi_axes, int vertices, uint64_t seed, uint64_t stream) {
    ts_rng rng = ts_rng_make(seed, stream);
    ts_vec3* point = (ts_vec3*)malloc((size_t)vertices * sizeof *point);
    ts_hull* hull = NULL;
    if (!point) return NULL;
    for (int i = 0; i < vertices; ++i) {
        ts_vec3 u = random_direction(&rng);
        point[i] = ts_vec3_make(semi_axes.x * u.x, semi_axes.y * u.y, semi_axes.z * u.z);
    }
    if (ts_hull_build(point, vertices, &hull, NULL)) hull = NULL;
    free(point);
    return hull;
}

static ts_shape random_shape(ts_bench_family family, int second, const ts_bench_workload* w, ts_rng* rng) {
    switch (family) {
    case TS_BENCH_ELLIPSOIDS_PAPER: {
        double x = normal_radius(rng);
        double y = normal_radius(rng);
        return ts_shape_ellipsoid(ts_vec3_make(x, y, normal_radius(rng)));
    }
    case TS_BENCH_HULLS: return ts_shape_hull(w->hull[ts_rng_bits(rng) % (uint64_t)w->hull_count]);
    case TS_BENCH_BOXES: return ts_shape_box(random_axes(rng, 0.05, 0.5));
    case TS_BENCH_SPHERES: return ts_shape_sphere(ts_rng_uniform_in(rng, 0.02, 0.3));
    case TS_BENCH_CAPSULES:
    case TS_BENCH_SPHERE_CAPSULE: {
        if (family == TS_BENCH_SPHERE_CAPSULE && !second) return ts_shape_sphere(ts_rng_uniform_in(rng, 0.02, 0.3));
        double radius = ts_rng_uniform_in(rng, 0.02, 0.2);
        return ts_shape_capsule(radius, ts_rng_uniform_in(rng, 0.05, 0.5));
    }
    case TS_BENCH_BOX_ELLIPSOID:
        if (!second) return ts_shape_box(random_axes(rng, 0.05, 0.5));
        break;
    default: break;
    }
    return ts_shape_ellipsoid(random_axes(rng, 0.02, 0.5));
}

// The reference: iterative and from scratch, so that closed forms are not judged by themselves alone. What cannot be
// done that way is asked for as usual.
static void reference(const ts_bench_pair* p, ts_proximity* out) {
    ts_proximity_options options = ts_proximity_options_default();
    options.method = TS_PROXIMITY_GJK;
    ts_proximity_query(&p->a, &p->pose_a, &p->b, &p->pose_b, &options, NULL, out);
    if (out->status == TS_PROXIMITY_INVALID_INPUT)
        ts_proximity_query(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, out);
}

static void move_b(ts_bench_pair* p, ts_vec3 to) {
    p->pose_b.p = to;
    p->b_in_a.R = ts_mat3_mul(ts_mat3_transpose(p->pose_a.R), p->pose_b.R);
    p->b_in_a.p = ts_transform_point_inverse(&p->pose_a, to);
}

static void scatter(ts_bench_pair* p, ts_rng* rng) {
    double reach = ts_shape_bounding_radius(&p->a) + ts_shape_bounding_radius(&p->b);
    ts_proximity answer;
    p->pose_a.R = random_rotation(rng);
    p->pose_a.p = ts_vec3_scale(0.5, random_direction(rng));
    p->pose_b.R = random_rotation(rng);
    move_b(p, ts_vec3_add(p->pose_a.p, ts_vec3_scale(1.05 * reach, random_direction(rng))));
    reference(p, &answer);
    // Near, then again: the normal of the near pair is the one to slide along.
    move_b(p, ts_vec3_sub(p->pose_b.p, ts_vec3_scale(answer.distance - 1e-3, answer.found.normal)));
    reference(p, &answer);
    p->axis = answer.found.normal;
    p->touch = ts_vec3_sub(p->pose_b.p, ts_vec3_scale(answer.distance, answer.found.normal));
}

static int make_pairs(ts_bench_workload* w, int count) {
    w->pair = (ts_bench_pair*)calloc((size_t)count, sizeof *w->pair);
    w->count = w->pair ? count : 0;
    return w->pair != NULL;
}

int ts_bench_workload_make(ts_bench_family family, int vertices, int count, uint64_t seed,
                           ts_bench_workload* out_workload) {
    // Few large hulls and many small ones, so that what is timed is an algorithm and not main memory: 16384 vertices
    // with their neighbours fit into the second-level cache of the usual machine.
    enum { MOST_HULLS = 64, MOST_VERTICES = 16384, LEAST_HULLS = 8 };
    ts_bench_workload* w = out_workload;
    memset(w, 0, sizeof *w);
    if (count < 1 || !make_pairs(w, count)) return 0;
    ts_rng rng = ts_rng_make(seed, 1000u * (uint64_t)family + (uint64_t)vertices);
    if (family == TS_BENCH_HULLS) {
        int hulls = MOST_VERTICES / (vertices > 1 ? vertices : 1);
        if (hulls > MOST_HULLS) hulls = MOST_HULLS;
        if (hulls < LEAST_HULLS) hulls = LEAST_HULLS;
        if (hulls > 2 * count) hulls = 2 * count;
        w->hull = (ts_hull**)calloc((size_t)hulls, sizeof(ts_hull*));
        for (; w->hull && w->hull_count < hulls; ++w->hull_count) {
            ts_vec3 axes = random_axes(&rng, 0.02, 0.5);
            w->hull[w->hull_count] = ts_bench_hull_on_ellipsoid(
                axes, vertices, seed, 1000000u + (uint64_t)(vertices * MOST_HULLS + w->hull_count));
            if (!w->hull[w->hull_count]) break;
        }
        if (!w->hull || w->hull_count < hulls) {
            ts_bench_workload_free(w);
            return 0;
        }
    }
    for (int i = 0; i < count; ++i) {
        w->pair[i].a = random_shape(family, 0, w, &rng);
        w->pair[i].b = random_shape(family, 1, w, &rng);
        scatter(&w->pair[i], &rng);
    }
    ts_bench_workload_place(w, 0.1);
    return 1;
}

int ts_bench_workload_of_hulls(const ts_hull* const* first, int first_count, const ts_hull* const* second,
                               int second_count, int count, uint64_t seed, ts_bench_workload* out_workload) {
    ts_bench_workload* w = out_workload;
    memset(w, 0, sizeof *w);
    if (count < 1 || first_count < 1 || second_count < 1 || !make_pairs(w, count)) return 0;
    ts_rng rng = ts_rng_make(seed, 77);
    for (int i = 0; i < count; ++i) {
        w->pair[i].a = ts_shape_hull(first[ts_rng_bits(&rng) % (uint64_t)first_count]);
        w->pair[i].b = ts_shape_hull(second[ts_rng_bits(&rng) % (uint64_t)second_count]);
        scatter(&w->pair[i], &rng);
    }
    ts_bench_workload_place(w, 0.1);
    return 1;
}

static void place(ts_bench_workload* w, ts_bench_pair* p, double distance) {
    ts_proximity answer;
    p->distance = distance;
    move_b(p, ts_vec3_add(p->touch, ts_vec3_scale(distance, p->axis)));
    reference(p, &answer);
    p->lower = answer.found.lower;
    p->upper = answer.found.upper;
    // Two certificates hold together: where the usual query proves more, its bounds are taken. Bounds that exclude each
    // other by more than rounding would be a wrong certificate of ours.
    ts_proximity usual;
    ts_proximity_query(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &usual);
    double rounding = 1e-13 * (ts_shape_bounding_radius(&p->a) + ts_shape_bounding_radius(&p->b) + fabs(distance));
    if (usual.found.lower > p->upper + rounding || usual.found.upper < p->lower - rounding) ++w->contradictions;
    if (usual.found.lower > p->lower) p->lower = usual.found.lower;
    if (usual.found.upper < p->upper) p->upper = usual.found.upper;
    if (p->lower > p->upper) p->lower = p->upper = 0.5 * (p->lower + p->upper);
    double gap = p->upper - p->lower;
    if (!(gap <= w->worst_gap)) w->worst_gap = gap;
    double error = ts_bench_error(p, distance);
    if (distance >= 0.0 && !(error <= w->worst_place)) w->worst_place = error;
}

void ts_bench_workload_place(ts_bench_workload* workload, double distance) {
    workload->worst_gap = workload->worst_place = 0.0;
    workload->contradictions = 0;
    for (int i = 0; i < workload->count; ++i) place(workload, &workload->pair[i], distance);
}

void ts_bench_workload_place_each(ts_bench_workload* workload, const double* distance) {
    workload->worst_gap = workload->worst_place = 0.0;
    workload->contradictions = 0;
    for (int i = 0; i < workload->count; ++i) place(workload, &workload->pair[i], distance[i]);
}

void ts_bench_workload_free(ts_bench_workload* workload) {
    for (int i = 0; workload->hull && i < workload->hull_count; ++i) ts_hull_free(workload->hull[i]);
    free(workload->hull);
    free(workload->pair);
    memset(workload, 0, sizeof *workload);
}

double ts_bench_error(const ts_bench_pair* pair, double answer) {
    if (!isfinite(answer)) return HUGE_VAL;
    if (answer > pair->upper) return answer - pair->upper;
    return answer < pair->lower ? pair->lower - answer : 0.0;
}

static int by_name(const void* a, const void* b) { return strcmp((const char*)a, (const char*)b); }

int ts_bench_ycb_hulls(const char* data_folder, ts_hull** out_hull, int room) {
    enum { MOST_FILES = 256, NAME = 128 };
    if (!data_folder) return 0;
    char folder[600];
    snprintf(folder, sizeof folder, "%.500s/ycb_hulls", data_folder);
    DIR* directory = opendir(folder);
    if (!directory) return 0;
    char(*name)[NAME] = (char(*)[NAME])calloc(MOST_FILES, NAME);
    int files = 0;
    for (struct dirent* entry = readdir(directory); name && entry; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || length >= NAME || strcmp(entry->d_name + length - 4, ".obj") != 0) continue;
        if (files < MOST_FILES) memcpy(name[files++], entry->d_name, length + 1);
    }
    closedir(directory);
    if (name) qsort(name, (size_t)files, NAME, by_name);
    int count = 0;
    for (int i = 0; i < files && count < room; ++i) {
        char path[800];
        ts_mesh mesh;
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        if (ts_mesh_load(path, &mesh, NULL)) continue;
        if (ts_hull_build(mesh.vertex, mesh.vertex_count, &out_hull[count], NULL) == TS_OK) ++count;
        ts_mesh_free(&mesh);
    }
    free(name);
    return count;
}
