// The pairs of a few boxes, as a robot has: no trees, a list.
//
// Rule: as with many boxes (broad_phase.c), boxes are kept a little larger than they are, and the list of pairs whose
// larger boxes meet is kept until a box leaves its own; then all are enlarged anew and swept: sorted by where they begin
// along the axis on which they are farthest spread, each compared with those that begin before it ends. What is found
// goes into rows by its first box and into order within them, so that the list is in order.
// Guaranteed: exactly the pairs of boxes that meet, ascending. What is remembered changes nothing but time.
// Known limit: one fast box costs a sweep in every update; a sweep costs the square of the boxes at worst.
#include <string.h>

#include "collision/broad/broad_phase_internal.h"

// A box reaches ahead by at most this part of its largest extent, as with many boxes.
static const double ahead_limit = 0.25;

static double largest_extent(const ts_bounds* b) {
    double largest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double extent = ts_vec3_get(b->max, k) - ts_vec3_get(b->min, k);
        largest = extent > largest && extent < (double)INFINITY ? extent : largest;
    }
    return largest;
}

// How far an end that moved outwards by `motion` since the last sweep is kept ahead of where it is.
static double ahead_of(double motion, double updates, double most) {
    double ahead = motion * updates;
    return ahead > 0.0 ? (ahead < most ? ahead : most) : 0.0;
}

// The box kept for one that was `was` a number of updates ago. Ends that are infinite stay so, and a box that is to be
// refused stays as it is.
static ts_bounds enlarged(const ts_broad_phase_settings* settings, const ts_bounds* was, const ts_bounds* is, int age) {
    if (!ts_bounds_valid(is)) return *is;
    double extent = largest_extent(is), margin = fmin(settings->margin_relative * extent, settings->margin_limit);
    double updates = age > 0 ? settings->prediction / age : 0.0, low[3], high[3];
    ts_bounds out = *is;
    for (int k = 0; k < 3; ++k) {
        double l = ts_vec3_get(is->min, k), h = ts_vec3_get(is->max, k);
        low[k] = l - margin - ahead_of(ts_vec3_get(was->min, k) - l, updates, ahead_limit * extent);
        high[k] = h + margin + ahead_of(h - ts_vec3_get(was->max, k), updates, ahead_limit * extent);
    }
    out.min = ts_vec3_load(low);
    out.max = ts_vec3_load(high);
    return out;
}

// Nonzero when the box is where it is kept; never for one that is to be refused.
static int is_kept(const ts_bounds* kept, const ts_bounds* b) {
    return (kept->min.x <= b->min.x) & (kept->min.y <= b->min.y) & (kept->min.z <= b->min.z) &
           (b->max.x <= kept->max.x) & (b->max.y <= kept->max.y) & (b->max.z <= kept->max.z) &
           (kept->group == b->group) & (kept->category == b->category) & (kept->mask == b->mask) & ts_bounds_valid(b);
}

// --- a sweep ---------------------------------------------------------------------------------------------------------

// The kept boxes in sorted order, an array for each end: what is compared lies side by side.
typedef struct sorted_boxes {
    int count;
    unsigned char item[TS_BROAD_PHASE_FEW];
    double low[3][TS_BROAD_PHASE_FEW];  // along the axis that they are sorted by, and the other two
    double high[3][TS_BROAD_PHASE_FEW];
} sorted_boxes;

typedef struct row {
    int count;
    unsigned char second[TS_BROAD_PHASE_FEW];  // ascending
} row;

static int widest_axis(const ts_bounds* bounds, int count) {
    double widest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (int i = 0; i < count; ++i) {
            double low = ts_vec3_get(bounds[i].min, k);
            // Boxes without ends say nothing about how far the others are spread.
            least = low < least && low > -(double)INFINITY ? low : least;
            most = low > most && low < (double)INFINITY ? low : most;
        }
        if (!(most - least > widest)) continue;
        widest = most - least;
        axis = k;
    }
    return axis;
}

// Refused boxes are left out.
static void sort_boxes(const ts_bounds* bounds, int count, int axis, sorted_boxes* out) {
    out->count = 0;
    for (int i = 0; i < count; ++i) {
        double low = ts_vec3_get(bounds[i].min, axis);
        if (!ts_bounds_valid(&bounds[i])) continue;
        int k = out->count++;
        for (; k > 0 && out->low[0][k - 1] > low; --k) {
            out->low[0][k] = out->low[0][k - 1];
            out->item[k] = out->item[k - 1];
        }
        out->low[0][k] = low;
        out->item[k] = (unsigned char)i;
    }
    for (int n = 0; n < out->count; ++n) {
        const ts_bounds* b = &bounds[out->item[n]];
        out->high[0][n] = ts_vec3_get(b->max, axis);
        for (int k = 1; k < 3; ++k) {
            out->low[k][n] = ts_vec3_get(b->min, (axis + k) % 3);
            out->high[k][n] = ts_vec3_get(b->max, (axis + k) % 3);
        }
    }
}

static void add_pair(row* rows, int i, int j) {
    int first = i < j ? i : j, second = i < j ? j : i;
    row* r = &rows[first];
    int k = r->count++;
    for (; k > 0 && r->second[k - 1] > second; --k) r->second[k] = r->second[k - 1];
    r->second[k] = (unsigned char)second;
}

static int may_pair(const ts_few_boxes* few, int i, int j) {
    int first = i < j ? i : j, second = i < j ? j : i;
    return ts_bounds_may_pair(&few->kept[i], &few->kept[j]) &
           (few->note[first * TS_BROAD_PHASE_FEW + second] != TS_BROAD_PHASE_NEVER);
}

// All pairs of kept boxes that meet and may, into few->pair.
static void sweep(ts_few_boxes* few) {
    sorted_boxes s;
    row rows[TS_BROAD_PHASE_FEW];
    sort_boxes(few->kept, few->count, widest_axis(few->kept, few->count), &s);
    for (int i = 0; i < few->count; ++i) rows[i].count = 0;
    for (int n = 0; n < s.count; ++n) {
        double end = s.high[0][n], low1 = s.low[1][n], high1 = s.high[1][n], low2 = s.low[2][n], high2 = s.high[2][n];
        for (int m = n + 1; m < s.count && s.low[0][m] <= end; ++m) {
            if (!((s.low[1][m] <= high1) & (low1 <= s.high[1][m]) & (s.low[2][m] <= high2) & (low2 <= s.high[2][m])))
                continue;
            if (may_pair(few, s.item[n], s.item[m])) add_pair(rows, s.item[n], s.item[m]);
        }
    }
    few->refused = few->count - s.count;
    few->pair_count = 0;
    for (int i = 0; i < few->count; ++i)
        for (int k = 0; k < rows[i].count; ++k)
            few->pair[few->pair_count++] = (ts_few_pair){(unsigned char)i, rows[i].second[k]};
}

// --- an update -------------------------------------------------------------------------------------------------------

// Sees to it that few->pair has every pair of boxes that meet. Nonzero when that took a sweep.
static int keep_up(ts_few_boxes* few, const ts_pairs_job* job, int count) {
    int left = few->count != count;
    for (int i = 0; i < count && !left; ++i) left = !is_kept(&few->kept[i], &job->bounds[i]);
    ++few->age;
    if (!left) return 0;
    int age = few->count == count ? few->age : 0;
    for (int i = 0; i < count; ++i) few->kept[i] = enlarged(job->settings, &few->swept[i], &job->bounds[i], age);
    memcpy(few->swept, job->bounds, (size_t)count * sizeof *few->swept);
    few->count = count;
    few->age = 0;
    sweep(few);
    return 1;
}

ts_code ts_pairs_few(const ts_pairs_job* job, int count, ts_pair_list* out_pairs, ts_broad_phase_info* info) {
    const ts_broad_phase_settings* settings = job->settings;
    const ts_bounds* bounds = job->bounds;
    ts_few_boxes* few = &job->broad->few;
    info->swept = keep_up(few, job, count);
    ts_pair* pair = TS_ARENA_ARRAY(job->arena, ts_pair, few->pair_count);
    int made = 0;
    if (!pair) return TS_ERROR_MEMORY;
    for (int n = 0; n < few->pair_count; ++n) {
        int i = few->pair[n].first, j = few->pair[n].second;
        unsigned char* note = &few->note[i * TS_BROAD_PHASE_FEW + j];
        if (!ts_bounds_meet(&bounds[i], &bounds[j])) continue;
        if (settings->filter && !settings->filter(settings->filter_context, i, j, note)) continue;
        pair[made++] = (ts_pair){i, j};
    }
    info->invalid = few->refused;
    info->candidates = few->pair_count;
    out_pairs->pair = pair;
    out_pairs->count = made;
    return TS_OK;
}
