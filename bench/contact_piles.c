// Piles of boxes, bricks and spheres in whitened coordinates: the Jacobian's rows are divided by the roots of mass and
// inertia, so that the operator is J J^T.
#include "bench/contact_piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mass = 1.0;     // kg
static const double inertia = 0.1;  // kg m^2

void ts_bench_pile_free(ts_bench_pile* p) {
    free(p->block);
    free(p->block_row);
    free(p->segment_start);
    free(p->segment);
    free(p->J);
    free(p->g);
    free(p->impulse);
    ts_arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

static int make_room(ts_bench_pile* p, int contacts) {
    size_t n = (size_t)contacts;
    memset(p, 0, sizeof *p);
    p->room = contacts;
    p->block = (ts_block*)calloc(n, sizeof *p->block);
    p->block_row = (int*)calloc(n + 1, sizeof(int));
    p->segment_start = (int*)calloc(n + 1, sizeof(int));
    p->segment = (ts_delassus_segment*)calloc(2 * n, sizeof *p->segment);
    p->J = (double*)calloc(36 * n, sizeof(double));
    p->g = (double*)calloc(3 * n, sizeof(double));
    p->impulse = (double*)calloc(3 * n, sizeof(double));
    return p->block && p->block_row && p->segment_start && p->segment && p->J && p->g && p->impulse;
}

// One side's rows in whitened coordinates: sign [frame^T, (r x frame)^T], divided by the roots of mass and inertia.
// Also adds what gravity makes of the approach within a step.
static void fill_side(double* J, double* g, double frame[3][3], const double r[3], double sign) {
    for (int k = 0; k < 3; ++k, J += 6) {
        const double* d = frame[k];
        const double moment[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]};
        for (int j = 0; j < 3; ++j) {
            J[j] = sign * d[j] / sqrt(mass);
            J[3 + j] = sign * moment[j] / sqrt(inertia);
        }
        g[k] += sign * d[2] * (-9.81 * ts_bench_pile_step);
    }
}

// A contact from body a (-1: the ground) to body b along `axis`, at places given relative to their centres.
static void add_contact(ts_bench_pile* p, int a, int b, int axis, const double on_a[3], const double on_b[3]) {
    if (p->contacts == p->room) return;
    int c = p->contacts++, s = p->segment_start[c];
    double frame[3][3] = {{0.0}};
    for (int k = 0; k < 3; ++k) frame[k][(axis + 1 + k) % 3] = 1.0;
    double *J = p->J + 36 * (size_t)c, *g = p->g + 3 * (size_t)c;
    int bodies[2] = {b, a};
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] < 0) continue;
        double* rows = J + 18 * side;
        fill_side(rows, g, frame, side ? on_a : on_b, side ? -1.0 : 1.0);
        ts_delassus_segment segment = {6 * bodies[side], 6, rows, rows};
        p->segment[s++] = segment;
        if (bodies[side] >= p->bodies) p->bodies = bodies[side] + 1;
    }
    ts_block block = {TS_SET_CONE, 3 * c, 3, 0.6, 0.0, 0.0};
    p->block[c] = block;
    p->block_row[c + 1] = 3 * c + 3;
    p->segment_start[c + 1] = s;
}

// One column, four contacts under each box, from the top down. Its boxes are the next `height` bodies.
static void add_column(ts_bench_pile* p, int height) {
    int first = p->bodies;
    for (int k = height - 1; k >= 0; --k)
        for (int corner = 0; corner < 4; ++corner) {
            double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
            const double under[3] = {x, y, 0.5}, above[3] = {x, y, -0.5};
            add_contact(p, k > 0 ? first + k - 1 : -1, first + k, 2, under, above);
        }
}

static void add_columns(ts_bench_pile* p, int contacts) {
    int height = contacts < 40 ? (contacts + 3) / 4 : 10;
    while (p->contacts < contacts) add_column(p, height);
}

static void add_boxes(ts_bench_pile* p, int contacts) {
    while (p->contacts < contacts) add_column(p, 1);
}

// Heights 1, 2, 4, ... 64 and 100, each half as often as the one before, in a fixed disorder.
static void add_uneven(ts_bench_pile* p, int contacts) {
    for (unsigned k = 1; p->contacts < contacts; ++k) {
        unsigned bits = k * 2654435761u >> 24;
        int height = 1;
        for (; bits & 1u && height < 128; bits >>= 1) height *= 2;
        int left = (contacts - p->contacts + 3) / 4;
        height = height > 100 ? 100 : height;
        add_column(p, height < left ? height : left);
    }
}

// Bricks of length two, each on halves of two others: two contacts on each half.
static void add_wall(ts_bench_pile* p, int contacts) {
    int layers = 1;
    while (8 * layers * layers < contacts + 4 * layers) ++layers;  // twice as many bricks to a layer as layers
    int length = 2 * layers;
    for (int z = layers - 1; z >= 0; --z)
        for (int x = 0; x < length; ++x)
            for (int k = 0; k < 4; ++k) {
                double half = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
                int below = z % 2 ? x + (k & 1) : x - 1 + (k & 1);
                const double under[3] = {-half, y, 0.5}, above[3] = {half, y, -0.5};
                if (z > 0 && (below < 0 || below >= length)) continue;
                add_contact(p, z > 0 ? (z - 1) * length + below : -1, z * length + x, 2, under, above);
            }
}

// Spheres on a cubic grid, each touching six others.
static void add_heap(ts_bench_pile* p, int contacts) {
    int n = 1;
    while (3 * n * n * n - 2 * n * n < contacts) ++n;
    for (int z = n - 1; z >= 0; --z)
        for (int i = 0; i < n * n; ++i) {
            int me = z * n * n + i;
            const double up[3][3] = {{0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.5}};
            const double down[3][3] = {{-0.5, 0.0, 0.0}, {0.0, -0.5, 0.0}, {0.0, 0.0, -0.5}};
            if (i % n > 0) add_contact(p, me - 1, me, 0, up[0], down[0]);
            if (i / n > 0) add_contact(p, me - n, me, 1, up[1], down[1]);
            add_contact(p, z > 0 ? me - n * n : -1, me, 2, up[2], down[2]);
        }
}

typedef struct pile_kind {
    const char* name;
    void (*add)(ts_bench_pile* p, int contacts);
} pile_kind;

static const pile_kind kinds[TS_BENCH_PILE_KINDS] = {
    {"columns", add_columns}, {"wall", add_wall}, {"heap", add_heap}, {"boxes", add_boxes}, {"uneven", add_uneven}};

const char* ts_bench_pile_name(ts_bench_pile_kind kind) { return kinds[kind].name; }

int ts_bench_pile_make(ts_bench_pile* p, ts_bench_pile_kind kind, int contacts) {
    // Piles are whole: they end with the first column, layer or cube that has enough.
    if (!make_room(p, 2 * contacts + 64)) return 0;
    kinds[kind].add(p, contacts);
    p->problem.block_count = p->contacts;
    p->problem.row_count = 3 * p->contacts;
    p->problem.block = p->block;
    p->problem.g = p->g;
    p->problem.time_step = ts_bench_pile_step;
    p->problem.delassus =
        ts_delassus_velocity_form(&p->arena, 6 * p->bodies, p->contacts, p->block_row, p->segment_start, p->segment);
    return p->problem.delassus != NULL;
}
