// The broad phase: boxes in, pairs that may touch out. Deterministic: pairs come sorted by (first, second), and depend
// on the boxes alone, not on the history or the number of workers.
//
// ts_broad_phase_pairs is the simple call without memory. A ts_broad_phase remembers boxes from update to update and is
// much faster where little changes.
#ifndef TS_COLLISION_BROAD_PHASE_H
#define TS_COLLISION_BROAD_PHASE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/task.h"
#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called with each item whose box the ray enters at parameter `enter` (0 when it starts inside) before `limit`.
/// Returns the new limit: `limit` to go on, the parameter of a hit to look for nearer ones only, a negative number to
/// stop.
typedef double (*ts_box_ray_visit)(void* context, int item, double enter, double limit);

/// An axis-aligned box with who it belongs to.
typedef struct ts_bounds {
    ts_vec3 min;        // m, world; may be -infinity
    ts_vec3 max;        // m, world; may be +infinity
    int group;          // boxes of the same group never pair (one group per rigidly connected set of shapes)
    unsigned category;  // pairs need (a.category & b.mask) || (b.category & a.mask), as in MJCF contype/conaffinity
    unsigned mask;
} ts_bounds;

/// Two boxes that overlap; first < second are indices into the array of bounds.
typedef struct ts_pair {
    int first;
    int second;
} ts_pair;

/// Pairs that were found; their memory belongs to whoever gave the arena.
typedef struct ts_pair_list {
    ts_pair* pair;
    int count;
} ts_pair_list;

/// Most pairs a call gives for `count` boxes unless told otherwise: 2^22, or 64 per box where that is more. Beyond it
/// boxes lie in heaps (20,000 in one place make 2 * 10^8 pairs), and whatever follows would drown.
long long ts_broad_phase_pair_limit(int count);

/// All overlapping pairs of `count` boxes, ascending. Memory for them comes from `arena`. A box with a NaN or with ends
/// in the wrong order pairs with nothing and is counted in *out_invalid (may be NULL). TS_ERROR_MEMORY when the arena
/// fails or there are more pairs than ts_broad_phase_pair_limit.
ts_code ts_broad_phase_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair_list* out_pairs,
                             int* out_invalid);

/// One way of finding all pairs, for comparisons; the contract of `pairs` is that of ts_broad_phase_pairs.
typedef struct ts_broad_phase_method {
    const char* name;
    const char* summary;
    ts_code (*pairs)(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair_list* out_pairs, int* out_invalid);
} ts_broad_phase_method;

/// How many ways there are.
int ts_broad_phase_method_count(void);

/// Way number i: sort-and-sweep (what ts_broad_phase_pairs does), tree, brute-force.
const ts_broad_phase_method* ts_broad_phase_method_at(int i);

/// A note that says that the pair is dropped whatever its boxes are: the filter need not be asked again.
enum { TS_BROAD_PHASE_NEVER = 255 };

/// A second look at a pair whose boxes overlap; zero drops the pair from this update's answer. `note` is a byte that
/// belongs to the pair for as long as its boxes stay near each other (0 at first): for a hint such as the last
/// separating axis, or TS_BROAD_PHASE_NEVER. Called from several threads at once, for different pairs; must not depend on
/// the note but for speed.
typedef int (*ts_broad_phase_filter)(void* context, int first, int second, unsigned char* note);

/// How a ts_broad_phase works; see ts_broad_phase_settings_default.
typedef struct ts_broad_phase_settings {
    double margin_relative;        // 1: boxes that move are kept larger by this part of their largest extent ...
    double margin_limit;           // m: ... and at most this, so that small motions change nothing
    double prediction;             // updates: a box that moves is also kept larger by this many times its last motion
    long long pair_limit;          // most pairs; <= 0: ts_broad_phase_pair_limit
    ts_broad_phase_filter filter;  // or NULL
    void* filter_context;
} ts_broad_phase_settings;

/// 0.125, 0.05 m, 8 updates, no filter.
ts_broad_phase_settings ts_broad_phase_settings_default(void);

/// What an update did.
typedef struct ts_broad_phase_info {
    int invalid;        // boxes refused: a NaN, or ends in the wrong order
    int outside;        // boxes without finite ends, such as planes: compared with everything, kept out of the trees
    int still;          // boxes in the tree of those that have never changed
    int moving;         // boxes in the tree of the others
    int moved;          // boxes that left their enlarged box, came or went: only they look for new neighbours
    int rebuilt;        // trees built anew
    int swept;          // nonzero: so many moved that nothing was kept; sorting and sweeping answered
    int candidates;     // pairs kept because their enlarged boxes overlap
    int pairs;          // pairs given
    int limit_reached;  // nonzero: TS_ERROR_MEMORY came from the pair limit
} ts_broad_phase_info;

/// Boxes remembered from update to update: two trees (boxes that never changed, boxes that did) and the set of pairs
/// whose enlarged boxes overlap. One thread at a time, apart from the pool given to it.
typedef struct ts_broad_phase ts_broad_phase;

/// An empty broad phase; NULL when memory is short. Free with ts_broad_phase_destroy.
ts_broad_phase* ts_broad_phase_create(void);

/// Gives everything back; NULL is ignored.
void ts_broad_phase_destroy(ts_broad_phase* broad);

/// Takes the boxes as they are now (box i is the one that was box i in the last update; `count` may change) and gives
/// the overlapping pairs: the same answer as ts_broad_phase_pairs, with the filter applied. Memory for pairs comes from
/// `arena`; once numbers of boxes and pairs no longer grow, the heap is not touched. `pool`, `settings` and `out_info`
/// may be NULL. TS_ERROR_MEMORY when memory is short or there are more candidates than the limit; the next update
/// starts afresh.
ts_code ts_broad_phase_update(ts_broad_phase* broad, const ts_bounds* bounds, int count,
                              const ts_broad_phase_settings* settings, ts_task_pool* pool, ts_arena* arena,
                              ts_pair_list* out_pairs, ts_broad_phase_info* out_info);

/// Bytes that it holds.
size_t ts_broad_phase_memory(const ts_broad_phase* broad);

/// Forgets all boxes.
void ts_broad_phase_clear(ts_broad_phase* broad);

/// Visits the boxes that the ray `from + t direction`, 0 <= t <= limit, meets, roughly from near to far. `direction` need
/// not be a unit vector; zero means the point `from`. Nothing is visited when an input is NaN or `from` infinite.
/// `bounds` are those of the last update. Returns the last limit.
double ts_broad_phase_ray(const ts_broad_phase* broad, const ts_bounds* bounds, ts_vec3 from, ts_vec3 direction,
                          double limit, ts_box_ray_visit visit, void* context);

#ifdef __cplusplus
}
#endif
#endif
