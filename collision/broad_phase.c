// Broad phase: all overlapping pairs of axis-aligned boxes.
//
// Rule: cut space into strips along the axis on which the centres vary second most, and in each strip sweep along the
// axis on which they vary most (sort by lower end, compare each box with those that begin before it ends; Baraff's
// sort-and-sweep with one more dimension cut away). A pair that shares several strips is reported by the first one only.
// Boxes without finite ends, such as a ground plane's, are compared with everything.
// Sort keys are lower ends rounded down to 32-bit grid numbers: rounding is monotone, so comparing grid numbers loses no
// pair, and every hit is checked with the true ends. Finally the pairs are put in order by two counting passes.
// Guaranteed: exactly the pairs whose closed boxes meet and whose groups and masks allow it, ascending, whatever the
// order of work. Cost: O(n + pairs) for boxes of similar size; one box as large as the scene costs O(n).
// Known limit: many boxes that are long along both axes bring it back to O(n^2).
#include "collision/broad_phase.h"

#include <stdint.h>
#include <string.h>

enum { STRIPS_MAX = 256 };

typedef struct sweep_box {
    uint32_t low, high;           // grid numbers of the ends along the sweep axis
    int index;                    // into the caller's array
    int first_strip, last_strip;  // inclusive
} sweep_box;

typedef struct pair_list {
    ts_pair* pair;
    int count, capacity;
    ts_arena* arena;
    int failed;
} pair_list;

static void add_pair(pair_list* list, int i, int j) {
    if (list->count == list->capacity) {
        // The old block stays with the arena until its owner resets it; doubling bounds the waste.
        if (list->capacity > (1 << 29)) {
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

static int may_pair(const ts_bounds* a, const ts_bounds* b) {
    return a->group != b->group && ((a->category & b->mask) || (b->category & a->mask));
}

static int boxes_meet(const ts_bounds* a, const ts_bounds* b) {
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

// Whether each end is a number and in order; a NaN fails every comparison.
static int is_valid(const ts_bounds* b) { return b->min.x <= b->max.x && b->min.y <= b->max.y && b->min.z <= b->max.z; }

static int is_bounded(const ts_bounds* b) { return ts_vec3_is_finite(b->min) && ts_vec3_is_finite(b->max); }

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

// Sorts boxes by `low`, stable, with three passes of eleven bits. Returns whichever of the two arrays holds the result.
static sweep_box* sort_boxes(sweep_box* box, sweep_box* scratch, int count) {
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

static void sweep_strip(const ts_bounds* bounds, const sweep_box* box, const int* member, int count, int strip,
                        pair_list* list) {
    for (int i = 0; i < count; ++i) {
        const sweep_box* a = &box[member[i]];
        const ts_bounds* bounds_a = &bounds[a->index];
        for (int j = i + 1; j < count; ++j) {
            const sweep_box* b = &box[member[j]];
            if (b->low > a->high) break;
            const ts_bounds* bounds_b = &bounds[b->index];
            if (!boxes_meet(bounds_a, bounds_b)) continue;
            // The first strip both are in reports the pair.
            int shared = a->first_strip > b->first_strip ? a->first_strip : b->first_strip;
            if (shared == strip && may_pair(bounds_a, bounds_b)) add_pair(list, a->index, b->index);
        }
    }
}

// How many strips pay: no narrower than two boxes, and not so many that large boxes are stored many times over.
static int strip_count(const scene_measure* m, int axis, int count) {
    double range = m->high[axis] - m->low[axis];
    if (count < 32 || !(m->extent[axis] > 0.0) || !(range > 0.0)) return 1;
    double wanted = range / (2.0 * m->extent[axis]);
    return wanted < 2.0 ? 1 : (wanted > STRIPS_MAX ? STRIPS_MAX : (int)wanted);
}

static int sweep(const ts_bounds* bounds, const int* bounded, int count, pair_list* list) {
    if (count < 2) return 1;
    scene_measure m = measure(bounds, bounded, count);
    int first = 0;
    for (int k = 1; k < 3; ++k)
        if (m.spread[k] > m.spread[first]) first = k;
    int second = (first + 1) % 3, third = (first + 2) % 3;
    if (m.spread[third] > m.spread[second]) second = third;
    int strips = strip_count(&m, second, count);
    double range = m.high[first] - m.low[first], scale = range > 0.0 ? 4294967295.0 / range : 0.0;
    if (!isfinite(scale)) scale = 0.0;
    double strip_range = m.high[second] - m.low[second];
    double strip_scale = strip_range > 0.0 && isfinite(strip_range) ? strips / strip_range : 0.0;
    sweep_box* box = TS_ARENA_ARRAY(list->arena, sweep_box, count);
    sweep_box* scratch = TS_ARENA_ARRAY(list->arena, sweep_box, count);
    int* start = (int*)ts_arena_alloc_zeroed(list->arena, (size_t)strips + 1, sizeof(int));
    if (!box || !scratch || !start) return 0;
    size_t members = 0;
    for (int i = 0; i < count; ++i) {
        const ts_bounds* b = &bounds[bounded[i]];
        box[i].index = bounded[i];
        box[i].low = grid(ts_vec3_get(b->min, first), m.low[first], scale);
        box[i].high = grid(ts_vec3_get(b->max, first), m.low[first], scale);
        uint32_t s0 = grid(ts_vec3_get(b->min, second), m.low[second], strip_scale);
        uint32_t s1 = grid(ts_vec3_get(b->max, second), m.low[second], strip_scale);
        box[i].first_strip = s0 < (uint32_t)strips ? (int)s0 : strips - 1;
        box[i].last_strip = s1 < (uint32_t)strips ? (int)s1 : strips - 1;
        members += (size_t)(box[i].last_strip - box[i].first_strip + 1);
        for (int s = box[i].first_strip; s <= box[i].last_strip; ++s) ++start[s + 1];
    }
    int* member = TS_ARENA_ARRAY(list->arena, int, members);
    int* fill = TS_ARENA_ARRAY(list->arena, int, strips);
    if (!member || !fill) return 0;
    box = sort_boxes(box, scratch, count);
    for (int s = 0; s < strips; ++s) {
        start[s + 1] += start[s];
        fill[s] = start[s];
    }
    for (int i = 0; i < count; ++i)
        for (int s = box[i].first_strip; s <= box[i].last_strip; ++s) member[fill[s]++] = i;
    for (int s = 0; s < strips; ++s) sweep_strip(bounds, box, member + start[s], start[s + 1] - start[s], s, list);
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

ts_code ts_broad_phase_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair** out_pairs,
                             int* out_pair_count, int* out_invalid) {
    *out_pairs = 0;
    *out_pair_count = 0;
    pair_list list = {0, 0, 8 * count + 64, arena, 0};
    int* bounded = TS_ARENA_ARRAY(arena, int, count);
    int* unbounded = TS_ARENA_ARRAY(arena, int, count);
    list.pair = TS_ARENA_ARRAY(arena, ts_pair, list.capacity);
    if (!bounded || !unbounded || !list.pair) return TS_ERROR_MEMORY;
    int bounded_count = 0, unbounded_count = 0, invalid = 0;
    for (int i = 0; i < count; ++i) {
        if (!is_valid(&bounds[i]))
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
            if (may_pair(a, &bounds[other]) && boxes_meet(a, &bounds[other])) add_pair(&list, unbounded[i], other);
        }
    }
    if (!sweep(bounds, bounded, bounded_count, &list) || list.failed) return TS_ERROR_MEMORY;
    if (!sort_pairs(&list, count) || list.failed) return TS_ERROR_MEMORY;
    *out_pairs = list.pair;
    *out_pair_count = list.count;
    return TS_OK;
}
