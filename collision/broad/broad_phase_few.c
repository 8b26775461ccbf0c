// The pairs of a few boxes, as a robot has: no trees, a list.
//
// Rule: as with many boxes (broad_phase.c), boxes are kept a little larger than they are, and so are the pairs whose larger boxes meet. A box
// that has left its own is kept anew and compared with all others, whose sets of neighbours are bits of a word: so pairs come in
// order, and what never pairs is taken out of a set at once.
// Guaranteed: exactly the pairs of boxes that meet, ascending. What is remembered changes nothing but time.
// Known limit: where all boxes leave in every update each is compared with each.
#include <string.h>

#include "collision/broad/broad_phase_internal.h"

// A box reaches ahead by at most this part of its largest extent, as with many boxes.
static const double ahead_limit = 0.25;

static double largest_extent(const ts_bounds* b) {
    double largest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double extent = ts_vec3_get(b->max, k) - ts_vec3_get(b->min, k);
        extent = extent < (double)INFINITY ? extent : 0.0;
        largest = extent > largest ? extent : largest;
    }
    return largest;
}

// How far an end that moved outwards by `motion` since its box was placed is kept ahead of where it is.
static double ahead_of(double motion, double updates, double most) {
    double ahead = motion * updates;
    ahead = ahead > 0.0 ? ahead : 0.0;
    return ahead < most ? ahead : most;
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

// --- sets ------------------------------------------------------------------------------------------------------------

static inline uint64_t bit(int i) { return (uint64_t)1 << i; }

// All after box i.
static inline uint64_t above(int i) { return ~(((uint64_t)2 << i) - 1); }

// The lowest box of a set that is not empty.
static inline int first_of(uint64_t set) {
#if defined(__GNUC__)
    return __builtin_ctzll(set);
#else
    int i = 0;
    while (!(set >> i & 1u)) ++i;
    return i;
#endif
}

static int count_of(uint64_t set) {
    int count = 0;
    for (; set; set &= set - 1) ++count;
    return count;
}

// Where the note of a pair is.
static inline unsigned char* note_of(ts_few_boxes* few, int i, int j) {
    return &few->note[i < j ? i * TS_BROAD_PHASE_FEW + j : j * TS_BROAD_PHASE_FEW + i];
}

// --- neighbours ------------------------------------------------------------------------------------------------------

// Finds who may pair with box i, whose owner has changed.
static void find_partners(ts_few_boxes* few, int i) {
    uint64_t may = 0;
    for (int j = 0; j < few->count; ++j) {
        few->may[j] &= ~bit(i);
        if (!ts_bounds_may_pair(&few->kept[i], &few->kept[j]) || *note_of(few, i, j) == TS_BROAD_PHASE_NEVER) continue;
        may |= bit(j);
        few->may[j] |= bit(i);
    }
    few->may[i] = may;
}

#if defined(__GNUC__)
typedef double pair_of_ends __attribute__((vector_size(16)));
typedef long long pair_of_bits __attribute__((vector_size(16)));

static inline pair_of_ends load(const double* from) {
    pair_of_ends ends;
    memcpy(&ends, from, sizeof ends);
    return ends;
}
#endif

// All boxes whose kept ones meet that of i, two at a time; bits beyond the last mean nothing.
static uint64_t find_near(const ts_few_boxes* few, int i) {
    const double(*low)[TS_BROAD_PHASE_FEW] = few->low, (*high)[TS_BROAD_PHASE_FEW] = few->high;
#if defined(__GNUC__)
    pair_of_bits near = {0, 0}, bits = {1, 2};
    pair_of_ends x0 = {low[0][i], low[0][i]}, y0 = {low[1][i], low[1][i]}, z0 = {low[2][i], low[2][i]};
    pair_of_ends x1 = {high[0][i], high[0][i]}, y1 = {high[1][i], high[1][i]}, z1 = {high[2][i], high[2][i]};
    for (int j = 0; j < few->count; j += 2) {
        pair_of_bits x = (load(low[0] + j) <= x1) & (x0 <= load(high[0] + j));
        pair_of_bits y = (load(low[1] + j) <= y1) & (y0 <= load(high[1] + j));
        pair_of_bits z = (load(low[2] + j) <= z1) & (z0 <= load(high[2] + j));
        near |= x & y & z & bits;
        bits <<= 2;
    }
    return (uint64_t)near[0] | (uint64_t)near[1];
#else
    uint64_t near = 0;
    for (int j = 0; j < few->count; ++j)
        if ((low[0][j] <= high[0][i]) & (low[0][i] <= high[0][j]) & (low[1][j] <= high[1][i]) &
            (low[1][i] <= high[1][j]) & (low[2][j] <= high[2][i]) & (low[2][i] <= high[2][j]))
            near |= bit(j);
    return near;
#endif
}

// Keeps a box anew. Nonzero when those who may pair with it have changed.
static int place(ts_few_boxes* few, const ts_pairs_job* job, int i, int is_new) {
    const ts_bounds* b = &job->bounds[i];
    ts_bounds* kept = &few->kept[i];
    int changed = is_new || kept->group != b->group || kept->category != b->category || kept->mask != b->mask;
    int is_valid = ts_bounds_valid(b);
    *kept = enlarged(job->settings, &few->placed[i], b, is_new ? 0 : few->updates - few->placed_at[i]);
    few->placed[i] = *b;
    few->placed_at[i] = few->updates;
    few->refused = is_valid ? few->refused & ~bit(i) : few->refused | bit(i);
    for (int k = 0; k < 3; ++k) {
        few->low[k][i] = is_valid ? ts_vec3_get(kept->min, k) : (double)INFINITY;
        few->high[k][i] = is_valid ? ts_vec3_get(kept->max, k) : -(double)INFINITY;
    }
    return changed;
}

// --- an update -------------------------------------------------------------------------------------------------------

// Nonzero when the box will be where it is kept after moving on as far as it has moved since it was placed.
static int stays_kept(const ts_bounds* kept, const ts_bounds* placed, const ts_bounds* b) {
    int stays = 1;
    for (int k = 0; k < 3; ++k) {
        double low = ts_vec3_get(b->min, k), high = ts_vec3_get(b->max, k);
        stays &= low - (ts_vec3_get(placed->min, k) - low) >= ts_vec3_get(kept->min, k);
        stays &= high + (high - ts_vec3_get(placed->max, k)) <= ts_vec3_get(kept->max, k);
    }
    return stays;
}

// Sees to it that few->near has every pair of boxes that meet. Who would leave soon is placed with those that have left: so most updates
// have none.
static void keep_up(ts_few_boxes* few, const ts_pairs_job* job, int count) {
    int is_new = few->count != count;
    uint64_t left = 0, changed = 0;
    for (int i = 0; i < count; ++i) left |= (uint64_t)(is_new | !is_kept(&few->kept[i], &job->bounds[i])) << i;
    few->left = left;
    ++few->updates;
    if (!left) return;
    if (is_new) few->refused = 0;
    few->count = count;
    for (int i = 0; i < count && !is_new; ++i)
        left |= (uint64_t)!stays_kept(&few->kept[i], &few->placed[i], &job->bounds[i]) << i;
    for (uint64_t set = left; set; set &= set - 1)
        if (place(few, job, first_of(set), is_new)) changed |= set & -set;
    for (uint64_t set = changed; set; set &= set - 1) find_partners(few, first_of(set));
    for (int i = 0; i < count; ++i) few->near[i] &= ~left;
    for (uint64_t set = left; set; set &= set - 1) {
        int i = first_of(set);
        few->near[i] = find_near(few, i) & few->may[i];
        for (uint64_t other = few->near[i]; other; other &= other - 1) few->near[first_of(other)] |= bit(i);
    }
    few->candidates = 0;
    for (int i = 0; i < count; ++i) few->candidates += count_of(few->near[i] & above(i));
}

ts_code ts_pairs_few(const ts_pairs_job* job, int count, ts_pair_list* out_pairs, ts_broad_phase_info* info) {
    const ts_broad_phase_settings* settings = job->settings;
    const ts_bounds* bounds = job->bounds;
    ts_few_boxes* few = &job->broad->few;
    keep_up(few, job, count);
    int made = 0;
    ts_pair* pair = TS_ARENA_ARRAY(job->arena, ts_pair, few->candidates);
    if (!pair) return TS_ERROR_MEMORY;
    for (int i = 0; i < count; ++i) {
        for (uint64_t set = few->near[i] & above(i); set; set &= set - 1) {
            int j = first_of(set);
            if (!ts_bounds_meet(&bounds[i], &bounds[j])) continue;
            unsigned char* note = note_of(few, i, j);
            if (settings->filter && !settings->filter(settings->filter_context, i, j, note)) {
                if (*note != TS_BROAD_PHASE_NEVER) continue;
                few->may[i] &= ~bit(j);
                few->may[j] &= ~bit(i);
                few->near[i] &= ~bit(j);
                few->near[j] &= ~bit(i);
                continue;
            }
            pair[made++] = (ts_pair){i, j};
        }
    }
    info->invalid = count_of(few->refused);
    info->moved = count_of(few->left);
    info->candidates = few->candidates;
    out_pairs->pair = pair;
    out_pairs->count = made;
    return TS_OK;
}
