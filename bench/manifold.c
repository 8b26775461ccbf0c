// What a contact manifold costs, pair by pair: shapes at rest on each other and shapes that meet anyhow, without memory
// and with that of the frame before. Before times are compared the deepest point must be the signed distance, certified
// by our query, and shapes at rest must have the points they rest on.
#include "base/rng.h"
#include "bench/bench_list.h"
#include "bench/manifold_peer.h"
#include "collision/shape/height_field.h"
#include "collision/manifold/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Contacts up to this apart are wanted, m: Bullet's own threshold.
static const double MARGIN = 0.02;
// A deepest point off by more than this is wrong, m. Faces are preferred to edges that are better by less than a
// ten-thousandth of the size, here and in Bullet; on hulls of small faces by less than a thousandth.
static const double WRONG = 1e-3;

enum { COUNT_FULL = 256, COUNT_QUICK = 32, ROWS = 12 };

typedef struct scene {
    const char* name;
    int expected;  // points at rest
    void (*make)(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* out_pair);
} scene;

static ts_transform placed(double x, double y, double z, int axis, double angle) {
    ts_transform t;
    t.R = ts_quat_to_mat3(ts_quat_from_axis_angle(ts_vec3_axis(axis), angle));
    t.p = ts_vec3_make(x, y, z);
    return t;
}

static const double quarter = 1.5707963267948966;

// Size of half a millimetre of overlap, as resting bodies have.
static double depth(ts_rng* rng) { return ts_rng_uniform_in(rng, 1e-5, 5e-4); }

static ts_vec3 box_size(ts_rng* rng) {
    double x = ts_rng_uniform_in(rng, 0.05, 0.3), y = ts_rng_uniform_in(rng, 0.05, 0.3);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, 0.05, 0.3));
}

// Drawn one by one, as everywhere here: C leaves open which argument of a call comes first.
static ts_vec3 normal_point(ts_rng* rng) {
    double z = ts_rng_normal(rng), y = ts_rng_normal(rng), x = ts_rng_normal(rng);
    return ts_vec3_make(x, y, z);
}

static ts_vec3 table_size(void) { return ts_vec3_make(1.0, 1.0, 0.2); }

static void box_on_box(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    ts_vec3 h = box_size(rng);
    p->a = ts_shape_box(table_size());
    p->b = ts_shape_box(h);
    double yaw = ts_rng_uniform_in(rng, -3.0, 3.0);
    double height = 0.2 + h.z - depth(rng);
    p->pose_b[0] = placed(ts_rng_uniform_in(rng, -0.3, 0.3), 0.1, height, 2, yaw);
}

// Equal boxes one on the other, as in a stack: corners on corners.
static void box_stack(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    ts_vec3 h = box_size(rng);
    p->a = p->b = ts_shape_box(h);
    p->pose_b[0] = placed(0.0, 0.0, 2.0 * h.z - depth(rng), 2, 0.0);
}

static void boxes_anyhow(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    p->a = ts_shape_box(box_size(rng));
    p->b = ts_shape_box(box_size(rng));
    double q[4];
    for (int k = 0; k < 4; ++k) q[k] = ts_rng_normal(rng);
    p->pose_b[0].R = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(q[0], q[1], q[2], q[3])));
    p->pose_b[0].p = normal_point(rng);
    ts_transform here = ts_transform_identity();
    ts_proximity found;
    ts_proximity_query(&p->a, &here, &p->b, &p->pose_b[0], NULL, NULL, &found);
    p->pose_b[0].p = ts_vec3_add_scaled(p->pose_b[0].p, -found.distance - depth(rng), found.found.normal);
}

// Two hulls with a face of each in one plane, a little into each other.
static void hull_on_hull(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    const ts_hull* h[2];
    ts_vec3 normal[2], middle[2];
    for (int k = 0; k < 2; ++k) {
        h[k] = hull[(int)(ts_rng_uniform(rng) * 8.0)];
        int f = (int)(ts_rng_uniform(rng) * h[k]->face_count), count = h[k]->face_start[f + 1] - h[k]->face_start[f];
        normal[k] = h[k]->face_normal[f];
        middle[k] = ts_vec3_zero();
        for (int c = h[k]->face_start[f]; c < h[k]->face_start[f + 1]; ++c)
            middle[k] = ts_vec3_add_scaled(middle[k], 1.0 / count, h[k]->vertex[h[k]->face_corner[c]]);
    }
    p->a = ts_shape_hull(h[0]);
    p->b = ts_shape_hull(h[1]);
    p->pose_b[0].R = ts_quat_to_mat3(ts_quat_between(normal[1], ts_vec3_neg(normal[0])));
    ts_vec3 to = ts_vec3_add_scaled(middle[0], -depth(rng), normal[0]);
    p->pose_b[0].p = ts_vec3_sub(to, ts_mat3_mul_vec(&p->pose_b[0].R, middle[1]));
}

static void cylinder_standing(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    double h = ts_rng_uniform_in(rng, 0.1, 0.3);
    p->a = ts_shape_box(table_size());
    p->b = ts_shape_cylinder(ts_rng_uniform_in(rng, 0.05, 0.3), h);
    double yaw = ts_rng_uniform(rng), height = 0.2 + h - depth(rng);
    p->pose_b[0] = placed(ts_rng_uniform_in(rng, -0.3, 0.3), 0.1, height, 2, yaw);
}

static void cylinder_lying(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    double r = ts_rng_uniform_in(rng, 0.05, 0.3);
    p->a = ts_shape_box(table_size());
    p->b = ts_shape_cylinder(r, ts_rng_uniform_in(rng, 0.1, 0.3));
    double height = 0.2 + r - depth(rng);
    p->pose_b[0] = placed(ts_rng_uniform_in(rng, -0.3, 0.3), 0.1, height, 1, quarter);
}

static void capsule_lying(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    double r = ts_rng_uniform_in(rng, 0.05, 0.2);
    p->a = ts_shape_box(table_size());
    p->b = ts_shape_capsule(r, ts_rng_uniform_in(rng, 0.1, 0.3));
    double height = 0.2 + r - depth(rng);
    p->pose_b[0] = placed(ts_rng_uniform_in(rng, -0.3, 0.3), 0.1, height, 1, quarter);
}

static void cone_standing(ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* p) {
    (void)hull;
    double h = ts_rng_uniform_in(rng, 0.1, 0.3);
    p->a = ts_shape_box(table_size());
    p->b = ts_shape_cone(ts_rng_uniform_in(rng, 0.05, 0.3), h);
    double yaw = ts_rng_uniform(rng), height = 0.2 + h - depth(rng);
    p->pose_b[0] = placed(ts_rng_uniform_in(rng, -0.3, 0.3), 0.1, height, 2, yaw);
}

static const scene scenes[] = {
    {"box on box", 4, box_on_box},
    {"equal boxes stacked", 4, box_stack},
    {"boxes anyhow", 0, boxes_anyhow},
    {"hull on hull", 0, hull_on_hull},
    {"cylinder standing", 4, cylinder_standing},
    {"cylinder lying", 2, cylinder_lying},
    {"capsule lying", 2, capsule_lying},
    {"cone standing", 4, cone_standing},
};

// Our own ways: with and without the memory of the frame before.
typedef struct ours {
    const ts_bench_contact_pair* pair;
    ts_manifold_cache* cache;
    unsigned char* frame;
    ts_manifold_settings settings;
    int forgets;
    ts_manifold last;
} ours;

static void ours_release(void* prepared) {
    ours* o = (ours*)prepared;
    if (!o) return;
    free(o->cache);
    free(o->frame);
    free(o);
}

static void* ours_prepare(const ts_bench_manifold_peer* self, const ts_bench_contact_pair* pair, int count,
                          double margin) {
    ours* o = (ours*)calloc(1, sizeof *o);
    if (!o) return NULL;
    o->pair = pair;
    o->cache = (ts_manifold_cache*)calloc((size_t)count, sizeof *o->cache);
    o->frame = (unsigned char*)calloc((size_t)count, 1);
    o->settings.margin = margin;
    o->settings.max_points = 4;
    o->forgets = self->setting;
    if (!o->cache || !o->frame) {
        ours_release(o);
        return NULL;
    }
    return o;
}

static void ours_run(void* prepared, int query) {
    ours* o = (ours*)prepared;
    const ts_bench_contact_pair* p = &o->pair[query];
    int frame = o->frame[query] ^= 1;
    ts_manifold_collide(&p->a, &p->pose_a, &p->b, &p->pose_b[frame], &o->settings, o->forgets ? NULL : &o->cache[query],
                        &o->last);
}

static ts_bench_contact ours_contact(void* prepared, int query) {
    const ts_manifold* m = &((ours*)prepared)->last;
    ts_bench_contact contact;
    (void)query;
    contact.count = m->count;
    for (int k = 0; k < m->count; ++k) contact.gap[k] = m->point[k].gap;
    return contact;
}

static const ts_bench_manifold_peer our_rows[2] = {
    {"ours, remembering", ~0u, 0, ours_prepare, ours_run, ours_contact, ours_release},
    {"ours, forgetting", ~0u, 1, ours_prepare, ours_run, ours_contact, ours_release},
};

// Two frames of each pair, a tenth of a millimetre and a milliradian apart where that leaves the contact as it is, both
// carried off by one random motion so that no axis is special.
static void make_pairs(const scene* s, ts_rng* rng, const ts_hull* const* hull, ts_bench_contact_pair* pair,
                       int count) {
    for (int i = 0; i < count; ++i) {
        ts_bench_contact_pair* p = &pair[i];
        s->make(rng, hull, p);
        p->expected = s->expected;
        ts_transform off;
        ts_vec3 imaginary = normal_point(rng);
        off.R =
            ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(ts_rng_normal(rng), imaginary.x, imaginary.y, imaginary.z)));
        off.p = normal_point(rng);
        p->pose_b[1] = p->pose_b[0];
        // Along the table, and turned a little in itself about the axis that stands on it.
        p->pose_b[1].p.x += 1e-4 * ts_rng_normal(rng);
        p->pose_b[1].p.y += 1e-4 * ts_rng_normal(rng);
        p->pose_a = off;
        for (int k = 0; k < 2; ++k) {
            p->pose_b[k] = ts_transform_mul(&off, &p->pose_b[k]);
            ts_proximity found;
            ts_proximity_query(&p->a, &p->pose_a, &p->b, &p->pose_b[k], NULL, NULL, &found);
            p->lower[k] = found.found.lower;
            p->upper[k] = found.found.upper;
        }
    }
}

typedef struct verdict {
    double points;
    double worst;  // m
    int wrong;
} verdict;

// Both frames of every pair, twice, so that the second time there is something to remember.
static verdict judge(const ts_bench_manifold_peer* way, void* prepared, const ts_bench_contact_pair* pair, int count) {
    verdict v = {0.0, 0.0, 0};
    for (int pass = 0; pass < 4; ++pass)
        for (int i = 0; i < count; ++i) {
            int frame = pass % 2 ? 0 : 1;  // runs take turns, beginning with the second
            way->run(prepared, i);
            ts_bench_contact contact = way->contact(prepared, i);
            double least = (double)INFINITY;
            for (int k = 0; k < contact.count; ++k) least = contact.gap[k] < least ? contact.gap[k] : least;
            double error = fmax(pair[i].lower[frame] - least, least - pair[i].upper[frame]);
            if (!(error > 0.0)) error = 0.0;
            if (!isfinite(least)) error = (double)INFINITY;
            v.points += (double)contact.count / (4.0 * count);
            if (error > v.worst) v.worst = error;
            v.wrong += !(error <= WRONG) || (pair[i].expected && contact.count < pair[i].expected);
        }
    return v;
}

static int run_scene(const scene* s, const ts_bench_options* options, ts_bench_report* report, ts_bench_table* table,
                     const ts_bench_contact_pair* pair, int count) {
    const ts_bench_manifold_peer* way[ROWS];
    void* prepared[ROWS];
    verdict found[ROWS];
    ts_bench_contestant contestant[ROWS];
    ts_bench_timing timing[ROWS];
    int rows = 0, result = TS_BENCH_DONE;
    const ts_bench_manifold_peer* peers = NULL;
    int peer_count = 0;
#ifdef TS_PEER_BULLET
    peer_count = ts_bench_manifold_bullet(&peers);
#endif
    unsigned kinds = 1u << pair[0].a.kind | 1u << pair[0].b.kind;
    for (int k = 0; k < 2 + peer_count && rows < ROWS; ++k) {
        const ts_bench_manifold_peer* w = k < 2 ? &our_rows[k] : &peers[k - 2];
        if (kinds & ~w->kinds) continue;
        prepared[rows] = w->prepare(w, pair, count, MARGIN);
        if (!prepared[rows]) continue;
        way[rows] = w;
        found[rows] = judge(w, prepared[rows], pair, count);
        if (k < 2 && found[rows].wrong) result = TS_BENCH_WRONG;
        contestant[rows].name = w->name;
        contestant[rows].run = w->run;
        contestant[rows].context = prepared[rows];
        ++rows;
    }
    if (rows > 0) ts_bench_time(report, options, &(ts_bench_race){contestant, rows, count, 0, 0.0}, timing, NULL);
    for (int k = 0; k < rows; ++k) {
        ts_bench_row(table);
        ts_bench_text(table, "%s", s->name);
        ts_bench_text(table, "%s", way[k]->name);
        ts_bench_number(table, found[k].points);
        ts_bench_number(table, found[k].wrong);
        ts_bench_number(table, found[k].worst);
        ts_bench_number(table, timing[k].median);
        ts_bench_number(table, timing[k].query_p50);
        ts_bench_number(table, timing[k].query_p99);
        ts_bench_number(table, timing[k].query_most);
        ts_bench_number(table, timing[k].median / timing[0].median);
        way[k]->release(prepared[k]);
    }
    return result;
}

// A box dragged over level ground made of triangles, by how many of them it covers.
static int run_ground(const ts_bench_options* options, ts_bench_report* report, int count) {
    ts_bench_table* table =
        ts_bench_add_table(report, "ground", "A box of 0.6 m on a level height field, by the size of its cells");
    ts_bench_add_column(table, "cell", "m");
    ts_bench_add_column(table, "triangles met", "");
    ts_bench_add_column(table, "points", "");
    ts_bench_add_column(table, "wrong", "");
    ts_bench_add_column(table, "median", "ns");
    static const int across[4] = {5, 11, 21, 41};
    int result = TS_BENCH_DONE;
    for (int g = 0; g < 4; ++g) {
        int n = across[g];
        double* height = (double*)calloc((size_t)n * (size_t)n, sizeof *height);
        ts_bench_contact_pair* pair = (ts_bench_contact_pair*)calloc((size_t)count, sizeof *pair);
        ts_height_field* field = NULL;
        double cell = 2.0 / (n - 1);
        if (!height || !pair || ts_height_field_build(height, n, n, cell, cell, -1.0, &field, NULL)) {
            free(height);
            free(pair);
            return ts_bench_fail(report, "out of memory");
        }
        ts_rng rng = ts_rng_make(options->seed, 700u + (unsigned)g);
        for (int i = 0; i < count; ++i) {
            pair[i].a = ts_shape_box(ts_vec3_make(0.3, 0.3, 0.1));
            pair[i].b = ts_shape_height_field(field);
            double sunk = depth(&rng), x = ts_rng_uniform_in(&rng, -0.4, 0.4);
            pair[i].pose_a = placed(x, 0.1, 0.1 - sunk, 2, ts_rng_uniform(&rng));
            pair[i].pose_b[0] = pair[i].pose_b[1] = ts_transform_identity();
            pair[i].lower[0] = pair[i].upper[0] = pair[i].lower[1] = pair[i].upper[1] = -sunk;
            pair[i].expected = 4;
        }
        void* prepared = our_rows[0].prepare(&our_rows[0], pair, count, MARGIN);
        if (prepared) {
            verdict v = judge(&our_rows[0], prepared, pair, count);
            if (v.wrong) result = TS_BENCH_WRONG;
            ts_bench_contestant c = {our_rows[0].name, our_rows[0].run, prepared};
            ts_bench_timing timing;
            ts_bench_time(report, options, &(ts_bench_race){&c, 1, count, 0, 0.0}, &timing, NULL);
            ts_bench_row(table);
            ts_bench_number(table, cell);
            ts_bench_number(table, 2.0 * (0.6 / cell + 1.0) * (0.6 / cell + 1.0));
            ts_bench_number(table, v.points);
            ts_bench_number(table, v.wrong);
            ts_bench_number(table, timing.median);
            our_rows[0].release(prepared);
        }
        ts_height_field_free(field);
        free(height);
        free(pair);
    }
    return result;
}

int ts_bench_manifold(const ts_bench_options* options, ts_bench_report* report) {
    enum { HULLS = 8, SCENES = sizeof scenes / sizeof scenes[0] };
    int count = options->quick ? COUNT_QUICK : COUNT_FULL, result = TS_BENCH_DONE;
    ts_hull* hull[HULLS] = {NULL};
    ts_bench_contact_pair* pair = (ts_bench_contact_pair*)calloc((size_t)count, sizeof *pair);
    int ready = pair != NULL;
    for (int k = 0; k < HULLS && ready; ++k) {
        hull[k] = ts_bench_hull_on_ellipsoid(ts_vec3_make(0.3, 0.2, 0.25), 32, options->seed, 600u + (unsigned)k);
        ready = hull[k] != NULL;
    }
    ts_bench_table* table = ts_bench_add_table(report, "manifold", "Time of one contact manifold, two frames by turns");
    static const char* const column[10] = {"pair",   "way",       "points",    "wrong",     "worst error",
                                           "median", "query p50", "query p99", "query max", "to ours"};
    static const char* const unit[10] = {"", "", "", "", "m", "ns", "ns", "ns", "ns", ""};
    for (int k = 0; k < 10; ++k) ts_bench_add_column(table, column[k], unit[k]);
    for (int s = 0; s < SCENES && ready && result < TS_BENCH_FAILED; ++s) {
        if (!ts_bench_wanted(report, options, scenes[s].name)) continue;
        ts_rng rng = ts_rng_make(options->seed, 500u + (unsigned)s);
        make_pairs(&scenes[s], &rng, (const ts_hull* const*)hull, pair, count);
        if (run_scene(&scenes[s], options, report, table, pair, count)) result = TS_BENCH_WRONG;
        if (ts_bench_progress(report, s + 1, SCENES + 1)) result = TS_BENCH_STOPPED;
    }
    if (ready && result < TS_BENCH_FAILED && ts_bench_wanted(report, options, "ground")) {
        int ground = run_ground(options, report, count);
        if (ground) result = ground;
    }
    for (int k = 0; k < HULLS; ++k) ts_hull_free(hull[k]);
    free(pair);
    if (!ready) return ts_bench_fail(report, "out of memory");
    ts_bench_note(report,
                  "Wrong: a deepest point more than %g m off the certified signed distance, or fewer points than "
                  "the shapes rest on. Points: mean over all pairs and frames.",
                  WRONG);
    ts_bench_note(report, "Every pair alternates between two frames about 0.1 mm apart, so a memory is of a frame that "
                          "was a little different.");
    return result;
}
