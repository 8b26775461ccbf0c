// Pairs of free bodies: their layout, and what islands make of passes. Their order is that of pairs_order.c.
#include "contact/pairs/pairs.h"

#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/judge/residual_internal.h"
#include "contact/pairs/pairs_kernel_internal.h"
#include "contact/solver.h"

// --- islands -----------------------------------------------------------------------------------------------------------

static int root_of(int* parent, int b) {
    while (parent[b] != b) {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    return b;
}

// Islands in the order of their first units. Returns how many.
static int find_islands(const ts_pair_unit* unit, int unit_count, int body_count, int* parent, int* out_island_of) {
    int count = 0;
    for (int b = 0; b < body_count; ++b) {
        parent[b] = b;
        out_island_of[b] = -1;
    }
    for (int u = 0; u < unit_count; ++u) {
        int a = root_of(parent, unit[u].body[0]), b = root_of(parent, unit[u].body[1]);
        // What does not move joins nothing.
        if (a == 0 || b == 0) continue;
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
    for (int u = 0; u < unit_count; ++u) {
        int root = root_of(parent, unit[u].body[0] ? unit[u].body[0] : unit[u].body[1]);
        if (out_island_of[root] < 0) out_island_of[root] = count++;
    }
    for (int b = 1; b < body_count; ++b) out_island_of[b] = out_island_of[root_of(parent, b)];
    return count;
}

// Sums of an island are at hand while it is the same one: in memory, each addition would wait for the store before it.
static inline void turn_to(const ts_pairs* pairs, int island, int* at, ts_pair_island* here) {
    if (island == *at) return;
    pairs->island[*at] = *here;
    *here = pairs->island[*at = island];
}

// --- layout ------------------------------------------------------------------------------------------------------------

static int island_of(const ts_pairs* pairs, const ts_pair_unit* unit) {
    return pairs->island_of[unit->body[0] ? unit->body[0] : unit->body[1]];
}

// What pairs themselves know of a unit.
static void put_unit(const ts_pairs* pairs, const ts_pair_unit* unit, const ts_pair_seat* seat) {
    ts_pair_group* group = seat->group;
    int lane = seat->lane;
    group->island[lane] = island_of(pairs, unit);
    for (int side = 0; side < 2; ++side) group->body[side][lane] = unit->body[side];
    int* slot = pairs->slot + unit->first;
    for (int k = 0; k < unit->count; ++k) {
        seat->point[k].natural[lane] = 1.0;  // it is there; weighing finds its true size
        slot[k] = TS_PAIR_LANES * (group->first + k) + lane;
    }
}

// The unit of every place of the groups, -1: none.
static void list_lanes(const int* place, int unit_count, int group_count, int* out_unit) {
    for (int i = 0; i < TS_PAIR_LANES * group_count; ++i) out_unit[i] = -1;
    for (int u = 0; u < unit_count; ++u) out_unit[place[u]] = u;
}

// How many points each group has, and where they begin. Returns how many there are.
static int count_points(const ts_pairs* pairs, const ts_pair_unit* unit, const int* lane_unit) {
    int points = 0;
    for (int g = 0; g < pairs->group_count; ++g) {
        int most = 0;
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            int u = lane_unit[TS_PAIR_LANES * g + k];
            if (u >= 0 && unit[u].count > most) most = unit[u].count;
        }
        pairs->group[g].first = points;
        pairs->group[g].count = most;
        points += most;
    }
    return points;
}

// What groups are made of.
typedef struct layout_job {
    const ts_pairs* pairs;
    const ts_pairs_input* input;
    const int* lane_unit;
    double* steps;  // (group_count x TS_PAIR_LANES) kg, of the natural map
    ts_pairs_seat_kernel kernel;
} layout_job;

// Whether every lane has as many points as the group: then all that is read of it will be written.
static int is_whole(const layout_job* job, const ts_pair_group* group, const int* unit) {
    for (int k = 0; k < TS_PAIR_LANES; ++k)
        if (unit[k] < 0 || job->input->unit[unit[k]].count != group->count) return 0;
    return 1;
}

// What nobody else writes is zero: of a whole group what substeps add up, of any other all that is not written.
static void clear_group(const ts_pairs* pairs, ts_pair_group* group, int whole) {
    for (int i = group->first; whole && i < group->first + group->count; ++i) {
        memset(pairs->point[i].reference, 0, sizeof pairs->point[i].reference);
        memset(&pairs->track[i].total, 0, sizeof pairs->track[i].total);
    }
    if (whole) return;
    *group = (ts_pair_group){.first = group->first, .count = group->count};
    memset(&pairs->point[group->first], 0, (size_t)group->count * sizeof *pairs->point);
    memset(&pairs->track[group->first], 0, (size_t)group->count * sizeof *pairs->track);
    for (int k = 0; k < TS_PAIR_LANES; ++k) group->island[k] = pairs->island_count;
}

// What is read of the groups behind g is on its way.
static void expect_groups(const layout_job* job, int g) {
    static const int ahead[2] = {2, 5};
    const ts_pair_source* source = &job->input->source;
    for (int k = 1; k >= 0; --k) {
        const int* unit = job->lane_unit + (size_t)TS_PAIR_LANES * (size_t)(g + ahead[k]);
        for (int lane = 0; g + ahead[k] < job->pairs->group_count && lane < TS_PAIR_LANES; ++lane)
            if (unit[lane] >= 0) source->expect(source->context, unit[lane], k);
    }
}

// A group while it is in the caches, from nothing to all that sweeps read of it.
static void put_group(const layout_job* job, int g) {
    const ts_pairs* pairs = job->pairs;
    const ts_pair_source* source = &job->input->source;
    const int* unit = job->lane_unit + (size_t)TS_PAIR_LANES * (size_t)g;
    ts_pair_group* group = &pairs->group[g];
    if (source->expect) expect_groups(job, g);
    int whole = is_whole(job, group, unit);
    clear_group(pairs, group, whole);
    ts_pair_seat seat = {0, group, &pairs->point[group->first], &pairs->track[group->first]};
    for (int k = 0; k < group->count; ++k) pairs->group_of[group->first + k] = g;
    for (seat.lane = 0; seat.lane < TS_PAIR_LANES; ++seat.lane) {
        if (unit[seat.lane] < 0) continue;
        put_unit(pairs, &job->input->unit[unit[seat.lane]], &seat);
    }
    seat.lane = 0;
    int filled = whole && source->fill_four && source->fill_four(source->context, unit, &seat);
    for (; !filled && seat.lane < TS_PAIR_LANES; ++seat.lane)
        if (unit[seat.lane] >= 0) source->fill(source->context, unit[seat.lane], &seat);
    job->kernel(pairs, g, job->input->most_approach, job->steps + (size_t)TS_PAIR_LANES * (size_t)g);
}

static void put_groups(void* context, int begin, int end, int worker) {
    (void)worker;
    for (int g = begin; g < end; ++g) put_group((const layout_job*)context, g);
}

static void* zeroed(ts_arena* arena, int count, size_t size) {
    return ts_arena_alloc_zeroed(arena, (size_t)count, size);
}

static int take_bodies(ts_pairs* pairs, ts_arena* arena) {
    size_t bodies = (size_t)pairs->body_count;
    pairs->island_of = TS_ARENA_ARRAY(arena, int, bodies);
    pairs->free = (double*)zeroed(arena, pairs->body_count, TS_PAIR_SPEEDS * sizeof(double));
    pairs->slot = TS_ARENA_ARRAY(arena, int, pairs->contact_count);
    return !arena->failed;
}

// The arrays whose sizes the order decides, and what stands in them. Returns 0 when memory is short.
static int take_groups(ts_pairs* pairs, ts_arena* arena, const int* place, layout_job* job) {
    const ts_pairs_input* input = job->input;
    int* lane_unit = TS_ARENA_ARRAY(input->brief, int, TS_PAIR_LANES * pairs->group_count);
    job->steps = TS_ARENA_ARRAY(input->brief, double, TS_PAIR_LANES * pairs->group_count);
    pairs->island = (ts_pair_island*)zeroed(arena, pairs->island_count + 1, sizeof *pairs->island);
    pairs->group = TS_ARENA_ARRAY(arena, ts_pair_group, pairs->group_count);
    if (arena->failed || input->brief->failed) return 0;
    list_lanes(place, input->unit_count, pairs->group_count, lane_unit);
    job->lane_unit = lane_unit;
    pairs->point_count = count_points(pairs, input->unit, lane_unit);
    pairs->point = TS_ARENA_ARRAY(arena, ts_pair_point, pairs->point_count);
    pairs->track = TS_ARENA_ARRAY(arena, ts_pair_track, pairs->point_count);
    pairs->group_of = TS_ARENA_ARRAY(arena, int, pairs->point_count);
    return !arena->failed;
}

// What islands are made of.
static void sum_islands(ts_pairs* pairs, const ts_pairs_input* input, const double* steps) {
    int at = 0;
    ts_pair_island island = pairs->island[0];
    for (int u = 0; u < input->unit_count; ++u) {
        turn_to(pairs, island_of(pairs, &input->unit[u]), &at, &island);
        island.contacts += input->unit[u].count;
    }
    for (int g = 0; g < pairs->group_count; ++g)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            turn_to(pairs, pairs->group[g].island[k], &at, &island);
            island.step_sum += *steps++;
        }
    pairs->island[at] = island;
}

// What is left to be found of groups, by two threads.
typedef struct finish_job {
    const layout_job* layout;
    ts_pairs* pairs;
    ts_arena* arena;
    const ts_pair_order* order;
    int enough;  // 0: memory is short
} finish_job;

static void finish(void* context, int begin, int end, int worker) {
    finish_job* job = (finish_job*)context;
    (void)worker;
    for (int k = begin; k < end; ++k)
        if (k == 0)
            sum_islands(job->pairs, job->layout->input, job->layout->steps);
        else
            job->enough = ts_pair_parts_make(job->pairs, job->arena, job->layout->input->brief, job->order);
}

// Orders units and lays them out. Returns 0 when memory is short.
static int lay_out(ts_pairs* pairs, ts_arena* arena, layout_job* job) {
    const ts_pairs_input* input = job->input;
    ts_pair_order order;
    int* parent = TS_ARENA_ARRAY(input->brief, int, input->body_count);
    if (!parent || !take_bodies(pairs, arena)) return 0;
    pairs->island_count = find_islands(input->unit, input->unit_count, input->body_count, parent, pairs->island_of);
    ts_pair_bodies bodies = {pairs->island_count, pairs->island_of};
    if (!ts_pair_order_make(input->brief, input, bodies, &order)) return 0;
    pairs->group_count = order.group_count;
    if (!take_groups(pairs, arena, order.place, job)) return 0;
    ts_task_parallel_for(pairs->tasks, pairs->group_count, 16, put_groups, job);
    finish_job last = {job, pairs, arena, &order, 0};
    ts_task_parallel_for(pairs->tasks, 2, 1, finish, &last);
    return last.enough;
}

ts_pairs* ts_pairs_make_by(ts_arena* arena, const ts_pairs_input* input, ts_pairs_seat_kernel kernel) {
    ts_pairs* pairs = (ts_pairs*)zeroed(arena, 1, sizeof *pairs);
    if (!pairs) return NULL;
    pairs->body = input->body;
    pairs->velocity = input->velocity;
    pairs->body_count = input->body_count;
    pairs->contact_count = input->contact_count;
    pairs->tasks = input->tasks;
    pairs->omega = input->omega;
    layout_job job = {.pairs = pairs, .input = input, .kernel = kernel};
    ts_arena_scope scope = ts_arena_scope_begin(input->brief);
    int made = lay_out(pairs, arena, &job);
    ts_arena_scope_end(input->brief, scope);
    return made ? pairs : NULL;
}

int ts_pairs_take_sums(ts_pairs* pairs, ts_arena* arena) {
    pairs->wish = TS_ARENA_ARRAY(arena, ts_pair_wish, pairs->group_count);
    pairs->body_work = TS_ARENA_ARRAY(arena, double, 2 * (size_t)pairs->body_count);
    return pairs->wish && pairs->body_work;
}

void ts_pairs_start(ts_pairs* pairs, int i, double friction, ts_vec3 impulse) {
    int lane;
    ts_pair_point* point = ts_pairs_point(pairs, i, &lane);
    ts_pair_vector_put(&point->lambda, lane, ts_block_set_admit_cone(impulse, friction));
}

ts_vec3 ts_pairs_lever(const ts_pairs* pairs, int i, int side) {
    int lane;
    const ts_pair_point* point = ts_pairs_point(pairs, i, &lane);
    const ts_pair_group* group = ts_pairs_group(pairs, i);
    ts_vec3 lever = ts_pair_lever_on_a(group, point, lane);
    if (side) lever = ts_vec3_add(lever, ts_pairs_offset(pairs, i));
    ts_mat3 frame = ts_pair_frame(group, lane);
    return ts_mat3_mul_vec(&frame, lever);
}

// --- passes ------------------------------------------------------------------------------------------------------------

#if defined(TS_HAVE_WIDE)
#define KERNEL(name)                                                                                   \
    (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? ts_pairs_##name##_many \
     : __builtin_cpu_supports("avx2")                                         ? ts_pairs_##name##_wide \
                                                                              : ts_pairs_##name##_plain)
#else
#define KERNEL(name) ts_pairs_##name##_plain
#endif

enum { BODIES = 64 };  // that a thread takes at a time: 466 of them are worth two threads

// A pass and its kernel.
typedef struct pass_job {
    ts_pairs_kernel kernel;
    ts_pair_pass* pass;
} pass_job;

static void run_range(void* context, int begin, int end, int worker) {
    const pass_job* job = (const pass_job*)context;
    (void)worker;
    for (int k = begin; k < end; ++k) job->kernel(job->pass, k);
}

// A pass over all slices, of which none waits for another.
static void run(ts_pair_pass* pass, ts_pairs_kernel kernel) {
    pass_job job = {kernel, pass};
    ts_task_parallel_for(pass->pairs->tasks, pass->pairs->parts->slices, 1, run_range, &job);
}

// One shared pass after the other, as long as there are any.
static void run_turns(void* context, int begin, int end, int worker) {
    const pass_job* job = (const pass_job*)context;
    const ts_pair_turns* turns = &job->pass->turns;
    (void)worker;
    for (int k = begin; k < end; ++k)
        for (int at; (at = ts_pair_turns_take(job->pass->pairs->parts, turns)) < turns->passes;)
            job->kernel(job->pass, at);
}

// So many passes over all parts. Returns how many places there are for what they find.
static int walk(ts_pair_pass* pass, ts_pairs_kernel kernel, int passes) {
    const struct ts_pair_parts* parts = pass->pairs->parts;
    ts_task_pool* tasks = pass->pairs->tasks;
    int threads = ts_task_pool_workers(tasks);
    pass_job job = {kernel, pass};
    pass->turns = ts_pair_turns_of(parts, passes, threads);
    ts_pair_parts_rewind(parts);
    if (pass->turns.are_shared)
        ts_task_parallel_for(tasks, threads < passes ? threads : passes, 1, run_turns, &job);
    else
        ts_task_parallel_for(tasks, parts->count, 1, run_range, &job);
    return pass->turns.are_shared ? passes : parts->count;
}

ts_pairs* ts_pairs_make(ts_arena* arena, const ts_pairs_input* input) {
    return ts_pairs_make_by(arena, input, KERNEL(seat));
}

void ts_pairs_read(ts_pairs* pairs, const double* velocity) {
    ts_pair_pass pass = {.pairs = pairs, .velocity = velocity};
    run(&pass, KERNEL(read));
}

ts_vec3 ts_pairs_velocity(const ts_pairs* pairs, int i, const double* velocity) {
    ts_pair_vector seen[TS_PAIR_POINTS];
    int at = pairs->slot[i] / TS_PAIR_LANES, g = pairs->group_of[at];
    ts_pairs_look_plain(pairs, g, velocity, seen);
    return ts_pair_vector_get(&seen[at - pairs->group[g].first], pairs->slot[i] % TS_PAIR_LANES);
}

double ts_pairs_refer(ts_pairs* pairs, int moves) {
    double deepest = 0.0;
    ts_pair_pass pass = {.pairs = pairs, .count = moves};
    run(&pass, KERNEL(refer));
    for (int k = 0; k < pairs->parts->slices; ++k) deepest = fmax(deepest, pass.deepest[k]);
    return deepest;
}

void ts_pairs_begin(ts_pairs* pairs) {
    ts_pair_pass pass = {.pairs = pairs};
    memcpy(pairs->velocity, pairs->free, (size_t)pairs->body_count * TS_PAIR_SPEEDS * sizeof(double));
    walk(&pass, KERNEL(begin), 1);
}

static void forget_islands(ts_pairs* pairs) {
    for (int i = 0; i <= pairs->island_count; ++i) {
        ts_pair_island* island = &pairs->island[i];
        *island = (ts_pair_island){.contacts = island->contacts, .step_sum = island->step_sum};
    }
}

// What islands make of what a pass found.
static void judge_islands(ts_pairs* pairs, double rest_speed, ts_residual* out_residual) {
    double across = 0.0, opposed = 0.0;
    for (int i = 0; i < pairs->island_count; ++i) {
        ts_pair_island* island = &pairs->island[i];
        ts_residual_scale scale = {0.0, ts_worse(rest_speed, island->velocity), island->step_sum / island->contacts};
        ts_residual_scale_impulse(&scale, island->impulse);
        double unit = ts_residual_unit(&scale);
        // What is not finite anywhere is in all figures.
        island->unmet = out_residual->ncp.dual - out_residual->ncp.dual + ts_share(sqrt(island->natural), unit);
        out_residual->natural = ts_worse(out_residual->natural, island->unmet);
        if (island->work <= ts_residual_least_work * unit * scale.velocity) continue;
        across += island->across;
        opposed += island->opposed;
    }
    out_residual->slip_angle = atan2(across, opposed);
}

void ts_pairs_sweep(ts_pairs* pairs, int count, double rest_speed, ts_residual* out_residual) {
    ts_pair_pass pass = {.pairs = pairs, .count = count, .judges = out_residual != NULL};
    if (pass.judges) forget_islands(pairs);
    int places = walk(&pass, KERNEL(sweep), count + pass.judges);
    if (!out_residual) return;
    *out_residual = pass.residual[0];
    for (int p = 1; p < places; ++p) ts_pair_residual_join(out_residual, &pass.residual[p]);
    judge_islands(pairs, rest_speed, out_residual);
}

// --- what is worse than nothing -----------------------------------------------------------------------------------------

// What a tensor makes of a turn.
static ts_vec3 tensor_times(const double I[6], ts_vec3 a) {
    return ts_vec3_make(I[0] * a.x + I[1] * a.y + I[2] * a.z, I[1] * a.x + I[3] * a.y + I[4] * a.z,
                        I[2] * a.x + I[4] * a.y + I[5] * a.z);
}

static void find_body_work(void* context, int begin, int end, int worker) {
    const ts_pairs* pairs = (const ts_pairs*)context;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        const double *free = pairs->free + (size_t)TS_PAIR_SPEEDS * (size_t)b,
                     *now = pairs->velocity + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        const ts_pair_body* body = &pairs->body[b];
        ts_vec3 v = ts_vec3_load(free), w = ts_vec3_load(free + 3);
        ts_vec3 moved = ts_vec3_sub(ts_vec3_load(now), v), turned = ts_vec3_sub(ts_vec3_load(now + 3), w);
        ts_vec3 push = ts_vec3_scale(body->mass, moved), couple = tensor_times(body->inertia, turned);
        pairs->body_work[2 * b] = ts_vec3_dot(push, v) + ts_vec3_dot(couple, w);
        pairs->body_work[2 * b + 1] = ts_vec3_dot(push, moved) + ts_vec3_dot(couple, turned);
    }
}

static void find_wishes(ts_pair_pass* pass, int slice) {
    const ts_pairs* pairs = pass->pairs;
    int end = ts_pair_slice_begin(pairs->parts, slice + 1);
    for (int g = ts_pair_slice_begin(pairs->parts, slice); g < end; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        ts_pair_wish wish = {.asked = {0.0}};
        memcpy(wish.island, group->island, sizeof wish.island);
        for (int i = group->first; i < group->first + group->count; ++i)
            for (int k = 0; k < TS_PAIR_LANES; ++k)
                wish.asked[k] += pairs->point[i].lambda.at[2][k] * pairs->point[i].reference[k];
        pairs->wish[g] = wish;
    }
}

// Bodies know what the impulses made of their velocities.
void ts_pairs_find_work(ts_pairs* pairs) {
    ts_pair_pass pass = {.pairs = pairs};
    ts_task_parallel_for(pairs->tasks, pairs->body_count, BODIES, find_body_work, pairs);
    run(&pass, find_wishes);
    for (int i = 0; i <= pairs->island_count; ++i) pairs->island[i].asked = pairs->island[i].made = 0.0;
    for (int b = 1; b < pairs->body_count; ++b) {
        ts_pair_island* island = &pairs->island[pairs->island_of[b]];
        island->asked += pairs->body_work[2 * b];
        island->made += pairs->body_work[2 * b + 1];
    }
    for (int g = 0; g < pairs->group_count; ++g)
        for (int k = 0; k < TS_PAIR_LANES; ++k)
            pairs->island[pairs->wish[g].island[k]].asked -= pairs->wish[g].asked[k];
}

// Part 0 makes zeros of what is not finite, too.
static double shortened(double part, double x) { return part > 0.0 ? part * x : 0.0; }

int ts_pairs_hold_back(ts_pairs* pairs) {
    int held = 0;
    for (int i = 0; i < pairs->island_count; ++i) {
        ts_pair_island* island = &pairs->island[i];
        island->made = ts_solver_part(island->asked, island->made);
        held += island->made != 1.0;
    }
    pairs->island[pairs->island_count].made = 1.0;
    if (!held) return 0;
    for (int b = 1; b < pairs->body_count; ++b) {
        double part = pairs->island[pairs->island_of[b]].made;
        const double* free = pairs->free + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        double* now = pairs->velocity + (size_t)TS_PAIR_SPEEDS * (size_t)b;
        for (int k = 0; k < 6 && part != 1.0; ++k) now[k] = free[k] + shortened(part, now[k] - free[k]);
    }
    for (int g = 0; g < pairs->group_count; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        for (int i = group->first; i < group->first + group->count; ++i)
            for (int k = 0; k < TS_PAIR_LANES; ++k) {
                double part = pairs->island[group->island[k]].made;
                for (int r = 0; r < 3 && part != 1.0; ++r)
                    pairs->point[i].lambda.at[r][k] = shortened(part, pairs->point[i].lambda.at[r][k]);
            }
    }
    return held;
}
