// Sort and sweep: all overlapping pairs of axis-aligned boxes, from nothing.
//
// Rule: cut space into columns along the axis on which the box centres vary most, and in each column sweep along that
// axis (sort by lower end, compare each box with those that begin before it ends; Baraff's sort-and-sweep with two more
// dimensions cut away). A pair that shares several columns is reported by the first one only.
// Boxes without finite ends, such as a ground plane's, are compared with everything.
// Ends are rounded to 32-bit grid numbers: rounding is monotone, so comparing grid numbers loses no pair, and every hit
// is checked with the true ends. That halves what the inner loop reads and lets it decide without branches. Finally the
// pairs are put in order by two counting passes.
// Guaranteed: exactly the pairs whose closed boxes meet and whose groups and masks allow it, ascending, whatever the
// order of work. Cost: O(n + pairs) for boxes of similar size; one box as large as the scene costs O(n).
// Known limit: many boxes that are long along both axes bring it back to O(n^2).

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "collision/broad/broad_phase_internal.h"

enum { STRIPS_MAX = 64, COLUMNS_MAX = STRIPS_MAX * STRIPS_MAX };

typedef struct sweep_box {
    uint32_t low, high;    // grid numbers of the ends along the sweep axis
    uint32_t low2, high2;  // along the other two
    uint32_t low3, high3;
    int index;                // into the caller's array
    short first[2], last[2];  // rows and columns the box reaches into, inclusive
} sweep_box;

typedef struct pair_list {
    ts_pair* pair;
    int count, capacity;
    ts_arena* arena;
    long long limit;  // most pairs
    long long work;   // comparisons that may still be made
    int failed;
} pair_list;

static void add_pair(pair_list* list, int i, int j) {
    if (list->count == list->capacity) {
        // The old block stays with the arena until its owner resets it; doubling bounds the waste.
        if (list->failed || list->capacity > list->limit || list->capacity > (1 << 29)) {
            list->failed = 1;
            return;
        }
        ts_pair* larger = TS_ARENA_ARRAY(list->arena, ts_pair, 2 * list->capacity);
        if (!larger) {
            list->failed = 1;
            return;
        }
        memcpy(larger, list->pair, (size_t)list->count * sizeof *larger);
        list->pair = larger;
        list->capacity *= 2;
    }
    ts_pair pair = {i < j ? i : j, i < j ? j : i};
    list->pair[list->count++] = pair;
}

static int is_bounded(const ts_bounds* b) {
    // The sum of extents is finite only if every end is; ends so large that it overflows count as endless too.
    return isfinite((b->max.x - b->min.x) + (b->max.y - b->min.y) + (b->max.z - b->min.z));
}

// Where the bounded boxes are and how large.
typedef struct scene_measure {
    double low[3], high[3];  // ends over all boxes
    double spread[3];        // variance of the centres
    double extent[3];        // mean extent
} scene_measure;

static scene_measure measure(const ts_bounds* bounds, const int* bounded, int count) {
    scene_measure m;
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0, squares = 0.0, extent = 0.0;
        double low = ts_vec3_get(bounds[bounded[0]].min, k), high = ts_vec3_get(bounds[bounded[0]].max, k);
        double origin = low;  // squares about a point of the scene keep their digits
        for (int i = 0; i < count; ++i) {
            double a = ts_vec3_get(bounds[bounded[i]].min, k), b = ts_vec3_get(bounds[bounded[i]].max, k);
            double centre = 0.5 * a + 0.5 * b - origin;
            low = a < low ? a : low;
            high = b > high ? b : high;
            sum += centre;
            squares += centre * centre;
            extent += b - a;
        }
        double mean = sum / count;
        m.low[k] = low;
        m.high[k] = high;
        m.spread[k] = squares / count - mean * mean;
        m.extent[k] = extent / count;
    }
    return m;
}

// Monotone: a <= b implies grid(a) <= grid(b).
static uint32_t grid(double x, double low, double scale) {
    double g = (x - low) * scale;
    return g <= 0.0 ? 0u : (g >= 4294967295.0 ? 4294967295u : (uint32_t)g);
}

// Fewer boxes than this are sorted by insertion: the tables of the other way cost more than the boxes.
enum { FEW_BOXES = 64 };

// Sorts boxes by `low`, stable, with three passes of eleven bits. Returns whichever of the two arrays holds the result.
static sweep_box* sort_boxes(sweep_box* box, sweep_box* scratch, int count) {
    if (count < FEW_BOXES) {
        for (int i = 1; i < count; ++i) {
            sweep_box moved = box[i];
            int k = i;
            for (; k > 0 && box[k - 1].low > moved.low; --k) box[k] = box[k - 1];
            box[k] = moved;
        }
        return box;
    }
    for (int shift = 0; shift < 33; shift += 11) {
        int start[2048] = {0};
        for (int i = 0; i < count; ++i) ++start[box[i].low >> shift & 2047u];
        int sum = 0;
        for (int k = 0; k < 2048; ++k) {
            int here = start[k];
            start[k] = sum;
            sum += here;
        }
        for (int i = 0; i < count; ++i) scratch[start[box[i].low >> shift & 2047u]++] = box[i];
        sweep_box* swap = box;
        box = scratch;
        scratch = swap;
    }
    return box;
}

static void sweep_column(const ts_bounds* bounds, const sweep_box* box, int count, int row, int column,
                         pair_list* list) {
    for (int i = 0; i < count && !list->failed; ++i) {
        const sweep_box a = box[i];
        int j = i + 1;
        for (; j < count && box[j].low <= a.high; ++j) {
            const sweep_box* b = &box[j];
            if (!((a.low2 <= b->high2) & (b->low2 <= a.high2) & (a.low3 <= b->high3) & (b->low3 <= a.high3))) continue;
            // The first column both are in reports the pair.
            int first_row = a.first[0] > b->first[0] ? a.first[0] : b->first[0];
            int first_column = a.first[1] > b->first[1] ? a.first[1] : b->first[1];
            if (first_row != row || first_column != column) continue;
            const ts_bounds *bounds_a = &bounds[a.index], *bounds_b = &bounds[b->index];
            if (ts_bounds_may_pair(bounds_a, bounds_b) && ts_bounds_meet(bounds_a, bounds_b))
                add_pair(list, a.index, b->index);
        }
        list->work -= j - i;
        if (list->work < 0) return;
    }
}

// How many parts along an axis pay: none narrower than two boxes.
static int part_count(const scene_measure* m, int axis, int count) {
    double range = m->high[axis] - m->low[axis];
    if (count < 32 || !(m->extent[axis] > 0.0) || !(range > 0.0)) return 1;
    double wanted = range / (2.0 * m->extent[axis]);
    return wanted < 2.0 ? 1 : (wanted > STRIPS_MAX ? STRIPS_MAX : (int)wanted);
}

// The two axes that matter most, and the third.
static void choose_axes(const scene_measure* m, int axis[3]) {
    axis[0] = 0;
    for (int k = 1; k < 3; ++k)
        if (m->spread[k] > m->spread[axis[0]]) axis[0] = k;
    axis[1] = (axis[0] + 1) % 3;
    axis[2] = (axis[0] + 2) % 3;
    if (m->spread[axis[2]] > m->spread[axis[1]]) {
        int swap = axis[1];
        axis[1] = axis[2];
        axis[2] = swap;
    }
}

static double grid_scale(const scene_measure* m, int axis, double cells) {
    double range = m->high[axis] - m->low[axis], scale = range > 0.0 ? cells / range : 0.0;
    return isfinite(scale) ? scale : 0.0;  // everything in one cell is slow but right
}

static void fill_box(const ts_bounds* b, const scene_measure* m, const int axis[3], sweep_box* out) {
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        double scale = grid_scale(m, axis[k], 4294967295.0);
        low[k] = grid(ts_vec3_get(b->min, axis[k]), m->low[axis[k]], scale);
        high[k] = grid(ts_vec3_get(b->max, axis[k]), m->low[axis[k]], scale);
    }
    out->low = low[0];
    out->high = high[0];
    out->low2 = low[1];
    out->high2 = high[1];
    out->low3 = low[2];
    out->high3 = high[2];
}

// Equal parts of the 32-bit grid.
static short part_of(uint32_t g, int parts) { return (short)((uint64_t)g * (uint64_t)parts >> 32); }

// Assigns columns; start[c + 1] counts what goes into column c. Returns the total.
static size_t assign_columns(sweep_box* box, int count, const int parts[2], int* start) {
    size_t total = 0;
    memset(start, 0, ((size_t)parts[0] * (size_t)parts[1] + 1) * sizeof *start);
    for (int i = 0; i < count; ++i) {
        sweep_box* b = &box[i];
        b->first[0] = part_of(b->low2, parts[0]);
        b->last[0] = part_of(b->high2, parts[0]);
        b->first[1] = part_of(b->low3, parts[1]);
        b->last[1] = part_of(b->high3, parts[1]);
        for (int r = b->first[0]; r <= b->last[0]; ++r)
            for (int c = b->first[1]; c <= b->last[1]; ++c) ++start[r * parts[1] + c + 1];
        total += (size_t)(b->last[0] - b->first[0] + 1) * (size_t)(b->last[1] - b->first[1] + 1);
    }
    return total;
}

static int sweep(const ts_bounds* bounds, const int* bounded, int count, pair_list* list) {
    if (count < 2) return 1;
    scene_measure m = measure(bounds, bounded, count);
    int axis[3];
    choose_axes(&m, axis);
    sweep_box* box = TS_ARENA_ARRAY(list->arena, sweep_box, count);
    sweep_box* scratch = TS_ARENA_ARRAY(list->arena, sweep_box, count);
    int* start = TS_ARENA_ARRAY(list->arena, int, COLUMNS_MAX + 1);
    int* fill = TS_ARENA_ARRAY(list->arena, int, COLUMNS_MAX);
    if (!box || !scratch || !start || !fill) return 0;
    for (int i = 0; i < count; ++i) {
        box[i].index = bounded[i];
        fill_box(&bounds[bounded[i]], &m, axis, &box[i]);
    }
    int parts[2] = {part_count(&m, axis[1], count), part_count(&m, axis[2], count)};
    size_t total = assign_columns(box, count, parts, start);
    while (total > 6 * (size_t)count && parts[0] * parts[1] > 1) {
        // Large boxes in many columns cost more than narrow columns save.
        parts[0] = (parts[0] + 1) / 2;
        parts[1] = (parts[1] + 1) / 2;
        total = assign_columns(box, count, parts, start);
    }
    int columns = parts[0] * parts[1];
    for (int c = 0; c < columns; ++c) {
        start[c + 1] += start[c];
        fill[c] = start[c];
    }
    sweep_box* member = TS_ARENA_ARRAY(list->arena, sweep_box, total);
    if (!member) return 0;
    box = sort_boxes(box, scratch, count);
    for (int i = 0; i < count; ++i)
        for (int r = box[i].first[0]; r <= box[i].last[0]; ++r)
            for (int c = box[i].first[1]; c <= box[i].last[1]; ++c) member[fill[r * parts[1] + c]++] = box[i];
    for (int c = 0; c < columns && list->work >= 0; ++c)
        sweep_column(bounds, member + start[c], start[c + 1] - start[c], c / parts[1], c % parts[1], list);
    return 1;
}

// Orders pairs by (first, second) with two stable counting passes over the indices. Returns 0 when memory is short.
static int sort_pairs(pair_list* list, int count) {
    ts_pair* other = TS_ARENA_ARRAY(list->arena, ts_pair, list->count);
    int* start = TS_ARENA_ARRAY(list->arena, int, count + 1);
    if (!other || !start) return 0;
    for (int pass = 0; pass < 2; ++pass) {
        memset(start, 0, ((size_t)count + 1) * sizeof *start);
        for (int i = 0; i < list->count; ++i) ++start[(pass ? list->pair[i].first : list->pair[i].second) + 1];
        for (int k = 0; k < count; ++k) start[k + 1] += start[k];
        for (int i = 0; i < list->count; ++i)
            other[start[pass ? list->pair[i].first : list->pair[i].second]++] = list->pair[i];
        ts_pair* swap = list->pair;
        list->pair = other;
        other = swap;
    }
    return 1;
}

ts_code ts_sweep_pairs_within(const ts_bounds* bounds, int count, long long limit, long long work, ts_arena* arena,
                              ts_pair_list* out_pairs, int* out_invalid, ts_sweep_end* out_end) {
    ts_pair_list_clear(out_pairs);
    *out_end = TS_SWEEP_DONE;
    pair_list list = {0, 0, 8 * count + 64, arena, limit, work, 0};
    int* bounded = TS_ARENA_ARRAY(arena, int, count);
    int* unbounded = TS_ARENA_ARRAY(arena, int, count);
    list.pair = TS_ARENA_ARRAY(arena, ts_pair, list.capacity);
    if (!bounded || !unbounded || !list.pair) return TS_ERROR_MEMORY;
    int bounded_count = 0, unbounded_count = 0, invalid = 0;
    for (int i = 0; i < count; ++i) {
        if (!ts_bounds_valid(&bounds[i]))
            ++invalid;
        else if (is_bounded(&bounds[i]))
            bounded[bounded_count++] = i;
        else
            unbounded[unbounded_count++] = i;
    }
    if (out_invalid) *out_invalid = invalid;
    for (int i = 0; i < unbounded_count; ++i) {
        const ts_bounds* a = &bounds[unbounded[i]];
        for (int j = 0; j < bounded_count + unbounded_count - i - 1; ++j) {
            int other = j < bounded_count ? bounded[j] : unbounded[i + 1 + j - bounded_count];
            if (ts_bounds_meet(a, &bounds[other]) && ts_bounds_may_pair(a, &bounds[other]))
                add_pair(&list, unbounded[i], other);
        }
    }
    int swept = sweep(bounds, bounded, bounded_count, &list);
    if (list.work < 0) *out_end = TS_SWEEP_GAVE_UP;
    if (list.count > list.limit || (list.failed && !arena->failed)) *out_end = TS_SWEEP_LIMIT;
    if (!swept || list.failed || *out_end != TS_SWEEP_DONE || !sort_pairs(&list, count)) return TS_ERROR_MEMORY;
    out_pairs->pair = list.pair;
    out_pairs->count = list.count;
    return TS_OK;
}

ts_code ts_broad_phase_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair_list* out_pairs,
                             int* out_invalid) {
    ts_sweep_end end;
    return ts_sweep_pairs_within(bounds, count, ts_broad_phase_pair_limit(count), LLONG_MAX, arena, out_pairs,
                                 out_invalid, &end);
}
