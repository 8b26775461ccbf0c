// The bodies behind a contact problem.
//
// Problem: which columns of a velocity form belong to one system, so that blocks couple systems and nothing else does. Rule: columns
// that one segment holds belong together, since a segment lies within a tree of bodies; segments are intervals, so systems are the unions
// of those that overlap. An operator without bodies is taken for one system: G = L L^T with as many columns as G has rank, by Cholesky's
// method with the row that has most of itself left as the next pivot. Source: textbook (Higham 1990, on the pivoted factor).
// Guaranteed: the sum over systems of J Y^T is G, to rounding. Known to fail: a matrix without bodies is factorised in full.
#include "contact/solvers/splitting/subsystems_internal.h"

#include <math.h>
#include <string.h>

#include "contact/operator/delassus_velocity_internal.h"

// 1: what is left of a row's own entry when nothing but rounding is left.
static const double rank_left = 1e-13;

// Columns of a velocity form to systems: *out_of (velocity_count) is the system of a column, or -1. Returns their number, -1 when memory is
// short.
static int find_systems(const ts_velocity_form* form, ts_arena* arena, int* reach, int* out_of) {
    int segments = form->segment_start[form->base.block_count], systems = 0, end = 0;
    if (arena->failed) return -1;
    for (int c = 0; c < form->velocity_count; ++c) reach[c] = 0;
    for (int s = 0; s < segments; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        int last = segment->column + segment->count;
        if (segment->count > 0 && reach[segment->column] < last) reach[segment->column] = last;
    }
    for (int c = 0; c < form->velocity_count; ++c) {
        if (c >= end && reach[c] > 0) ++systems;
        if (reach[c] > end) end = reach[c];
        out_of[c] = c < end ? systems - 1 : -1;
    }
    return systems;
}

// Sizes, and sides by system. `first_column` (systems)
static int make_lists(const ts_contact_problem* problem, ts_subsystems* out, const ts_subsystem_side* side,
                      const int* size, ts_arena* arena) {
    int* first = TS_ARENA_ARRAY(arena, int, out->systems + 1);
    int* start = (int*)ts_arena_alloc_zeroed(arena, (size_t)out->systems + 2, sizeof(int));
    int* list = TS_ARENA_ARRAY(arena, int, out->sides + 1);
    if (!first || !start || !list) return 0;
    first[0] = 0;
    for (int s = 0; s < out->systems; ++s) first[s + 1] = first[s] + size[s];
    // Counted two further on, so that filling the list turns ends into starts.
    for (int i = 0; i < out->sides; ++i) ++start[side[i].system + 2];
    for (int s = 0; s < out->systems; ++s) start[s + 2] += start[s + 1];
    for (int i = 0; i < out->sides; ++i) list[start[side[i].system + 1]++] = i;
    out->side = side;
    out->size = size;
    out->first = first;
    out->list_start = start;
    out->list = list;
    out->rows = 0;
    for (int i = 0; i < out->sides; ++i) out->rows += problem->block[side[i].block].rows;
    return 1;
}

static int from_bodies(const ts_contact_problem* problem, const ts_velocity_form* form, ts_arena* arena,
                       ts_subsystems* out) {
    int columns = form->velocity_count, segments = form->segment_start[problem->block_count], at = 0;
    int* reach = TS_ARENA_ARRAY(arena, int, columns + 1);
    int* of = TS_ARENA_ARRAY(arena, int, columns + 1);
    int* start = TS_ARENA_ARRAY(arena, int, problem->block_count + 1);
    ts_subsystem_side* side = TS_ARENA_ARRAY(arena, ts_subsystem_side, segments + 1);
    if (!reach || !of || !start || !side) return 0;
    out->systems = find_systems(form, arena, reach, of);
    int* size = (int*)ts_arena_alloc_zeroed(arena, (size_t)out->systems + 1, sizeof(int));
    int* origin = TS_ARENA_ARRAY(arena, int, out->systems + 1);
    if (!size || !origin) return 0;
    for (int c = columns; c-- > 0;) {
        if (of[c] < 0) continue;
        ++size[of[c]];
        origin[of[c]] = c;
    }
    out->sides = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        start[b] = out->sides;
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* from = &form->segment[s];
            if (from->count == 0) continue;
            int system = of[from->column];
            ts_subsystem_side made = {b,       system, from->column - origin[system], from->count, from->count, at,
                                      from->J, from->Y};
            side[out->sides++] = made;
            at += problem->block[b].rows;
        }
    }
    start[problem->block_count] = out->sides;
    out->side_start = start;
    return make_lists(problem, out, side, size, arena);
}

// L (rows x rows, row-major, the first columns of it) with L L^T = G. Returns its columns, -1 when a number is not finite.
static int factorise(const ts_contact_problem* problem, double* L, double* left, double* own, double* column) {
    int n = problem->row_count, rank = 0;
    ts_delassus* G = problem->delassus;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = G->ops->diagonal(G, b);
        for (int r = 0; r < block->rows; ++r) own[block->row + r] = left[block->row + r] = D[r * block->rows + r];
    }
    for (; rank < n; ++rank) {
        int pivot = -1;
        double most = rank_left;
        for (int i = 0; i < n; ++i) {
            if (!isfinite(left[i])) return -1;
            if (!(own[i] > 0.0 && left[i] / own[i] > most)) continue;
            most = left[i] / own[i];
            pivot = i;
        }
        if (pivot < 0) break;
        // The unit vector is made in the column that is about to be written.
        memset(left + n, 0, (size_t)n * sizeof(double));
        left[n + pivot] = 1.0;
        G->ops->apply(G, left + n, column);
        double root = sqrt(left[pivot]);
        for (int i = 0; i < n; ++i) {
            double sum = column[i];
            for (int k = 0; k < rank; ++k)
                sum -= L[(size_t)i * (size_t)n + (size_t)k] * L[(size_t)pivot * (size_t)n + (size_t)k];
            double entry = i == pivot ? root : sum / root;
            L[(size_t)i * (size_t)n + (size_t)rank] = entry;
            left[i] = i == pivot ? 0.0 : left[i] - entry * entry;
        }
    }
    return rank;
}

static int from_matrix(const ts_contact_problem* problem, ts_arena* arena, ts_subsystems* out) {
    size_t n = (size_t)problem->row_count;
    const unsigned needs = TS_DELASSUS_APPLY | TS_DELASSUS_ROWS;
    if ((problem->delassus->ops->abilities & needs) != needs) return 0;
    int* start = TS_ARENA_ARRAY(arena, int, problem->block_count + 1);
    int* size = TS_ARENA_ARRAY(arena, int, 1);
    ts_subsystem_side* side = TS_ARENA_ARRAY(arena, ts_subsystem_side, problem->block_count);
    double* L = TS_ARENA_ARRAY(arena, double, n* n);
    double* vector = TS_ARENA_ARRAY(arena, double, 4 * n);
    if (!start || !size || !side || !L || !vector) return 0;
    int rank = factorise(problem, L, vector, vector + 2 * n, vector + 3 * n);
    if (rank < 0) return 0;
    out->systems = rank > 0;
    out->sides = rank > 0 ? problem->block_count : 0;
    size[0] = rank;
    for (int b = 0; b < problem->block_count; ++b) {
        int row = problem->block[b].row;
        const double* J = L + (size_t)row * n;
        ts_subsystem_side made = {b, 0, 0, rank, (int)n, row, J, J};
        side[b] = made;
        start[b] = rank > 0 ? b : 0;
    }
    start[problem->block_count] = out->sides;
    out->side_start = start;
    return make_lists(problem, out, side, size, arena);
}

int ts_subsystems_make(const ts_contact_problem* problem, ts_arena* arena, ts_subsystems* out) {
    const ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    memset(out, 0, sizeof(*out));
    return form ? from_bodies(problem, form, arena, out) : from_matrix(problem, arena, out);
}
