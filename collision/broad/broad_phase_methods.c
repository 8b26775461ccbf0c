// The ways to find all pairs without a memory, for comparisons: sorting and sweeping, a tree built for the occasion, and
// trying all pairs, which needs no argument why it is right.
#include "collision/broad/broad_phase_internal.h"

long long ts_broad_phase_pair_limit(int count) {
    long long by_count = 64LL * count;
    return by_count > 1LL << 22 ? by_count : 1LL << 22;
}

static ts_code tree_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair_list* out_pairs,
                          int* out_invalid) {
    ts_broad_phase_info info;
    ts_pair_list_clear(out_pairs);
    ts_broad_phase* broad = ts_broad_phase_create();
    if (!broad) return TS_ERROR_MEMORY;
    ts_code code = ts_broad_phase_update(broad, bounds, count, NULL, NULL, arena, out_pairs, &info);
    if (out_invalid) *out_invalid = info.invalid;
    ts_broad_phase_destroy(broad);
    return code;
}

static ts_code brute_force_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair_list* out_pairs,
                                 int* out_invalid) {
    long long made = 0;
    int invalid = 0;
    ts_pair_list_clear(out_pairs);
    for (int i = 0; i < count; ++i) invalid += !ts_bounds_valid(&bounds[i]);
    if (out_invalid) *out_invalid = invalid;
    // Counting first costs as much again and needs no list that grows.
    for (int pass = 0; pass < 2; ++pass) {
        made = 0;
        for (int i = 0; i < count; ++i) {
            if (!ts_bounds_valid(&bounds[i])) continue;
            for (int j = i + 1; j < count; ++j) {
                if (!ts_bounds_may_pair(&bounds[i], &bounds[j]) || !ts_bounds_meet(&bounds[i], &bounds[j]) ||
                    !ts_bounds_valid(&bounds[j]))
                    continue;
                if (pass == 1) out_pairs->pair[made] = (ts_pair){i, j};
                ++made;
            }
        }
        if (made > ts_broad_phase_pair_limit(count)) return TS_ERROR_MEMORY;
        if (pass == 1) break;
        out_pairs->pair = TS_ARENA_ARRAY(arena, ts_pair, made);
        if (!out_pairs->pair) return TS_ERROR_MEMORY;
    }
    out_pairs->count = (int)made;
    return TS_OK;
}

static const ts_broad_phase_method methods[] = {
    {"sort-and-sweep", "sorted along one axis in columns, without memory", ts_broad_phase_pairs},
    {"tree", "a tree built for the occasion", tree_pairs},
    {"brute-force", "every pair tried", brute_force_pairs},
};

int ts_broad_phase_method_count(void) { return (int)(sizeof methods / sizeof *methods); }

const ts_broad_phase_method* ts_broad_phase_method_at(int i) { return &methods[i]; }
