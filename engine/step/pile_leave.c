// What a pile's last substep leaves: what the next step shall know of its contacts.
//
// Problem: that is large, and a step that computes little else goes through it once more. Rule: contacts of a pair of geoms lie together and share poses,
// bodies and, unit by unit, frames, which are read once; vectors are turned in registers of four numbers, of which the last means nothing. What is
// remembered is of the last substep, what is shown of all. Neither is in the near caches any more when a step ends, so
// what is to be written is asked for some contacts ahead. The points have moved on with their bodies, half-way between where A and B carry them.
// Source: row by row as in rows/contact.c.
// Guaranteed: same bits with and without AVX2 (pile_leave_wide.c), since every number is its own sum.
// Known to fail: nothing of its own.
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pair_memory_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"

enum {
    GRAIN = 32,  // pairs of geoms that a thread takes at a time
    AHEAD = 6    // contacts whose memory is on its way
};

// What all contacts have in common.
typedef struct leave_job {
    ts_sim* sim;
    const ts_pile* pile;
    int source, valid;  // of all memories
} leave_job;

#if TS_WIDE
#define KERNEL(name) name##_wide
#else
#define KERNEL(name) name##_plain
#endif

void ts_pile_leave_runs_plain(void* context, int begin, int end, int worker);
void ts_pile_leave_runs_wide(void* context, int begin, int end, int worker);

// All of a memory that is not the contact's own to say.
static inline void note_memory(const leave_job* job, int i, ts_row_key key, int tree, int more, ts_row_memory* out) {
    const ts_pile* pile = job->pile;
    out->key = key;
    out->source = job->source;
    out->more = (unsigned)more;
    out->more_count = 1;
    out->valid = (unsigned)job->valid;
    out->pause = out->last_pause = 0;
    out->time_step = job->sim->options.time_step;
    out->tree = tree;
    if (pile->pause) ts_step_yield_remember(pile->pause[i], TS_ROW_FREE, out);
}

// Of what the group knows number by number: what is stored so is waited for when it is read as a whole.
static inline ts_contact_axes axes_of(const ts_pair_group* group, int lane) {
    ts_vec3 n = ts_pair_vector_get(&group->normal, lane), t = ts_pair_vector_get(&group->tangent, lane);
    ts_vec3 s = ts_vec3_cross(n, t);
    return (ts_contact_axes){ts_four_make(t.x, t.y, t.z, 0.0), ts_four_make(s.x, s.y, s.z, 0.0),
                             ts_four_make(n.x, n.y, n.z, 0.0)};
}

static inline void leave_run(const leave_job* job, const ts_contact_run* run) {
    ts_sim* sim = job->sim;
    const ts_pairs* pairs = job->pile->pairs;
    const int* body_tree = ts_sim_storage_of(sim)->body_tree;
    const ts_contact_note* note = ts_sim_storage_of(sim)->contact_note;
    ts_contact_geom a = ts_contact_geom_of(ts_kinematics_geom(&sim->kinematics, run->geom[0])),
                    b = ts_contact_geom_of(ts_kinematics_geom(&sim->kinematics, run->geom[1]));
    ts_contact_axes axes = {ts_four_zero(), ts_four_zero(), ts_four_zero()};
    ts_four middle = ts_four_zero();
    uint64_t label = ts_contact_label(run->geom[0], run->geom[1]);
    ts_row_key key = {ts_pair_key(run->geom[0], run->geom[1]), 0};
    int tree = body_tree[run->body[body_tree[run->body[0]] < 0]], group = -1, more = run->unit - 1;
    for (int i = run->first; i < run->first + run->count; ++i) {
        int slot = pairs->slot[i], lane = slot % TS_PAIR_LANES, at = slot / TS_PAIR_LANES;
        ts_contact_expect(&sim->row_memory.data[i], AHEAD, sizeof(ts_row_memory));
        const ts_pair_point* point = &pairs->point[at];
        // Two units of a pair share a body that moves, and so no group.
        if (pairs->group_of[at] != group) {
            group = pairs->group_of[at];
            axes = axes_of(&pairs->group[group], lane);
            middle = ts_pile_middle(job->pile, i, &axes);
            ts_contact_remember_axes(&axes, &sim->row_more.data[++more]);
        }
        ts_row_memory* memory = &sim->row_memory.data[i];
        ts_vec3 impulse = ts_pair_vector_get(&point->lambda, lane);
        ts_vec3 lever = ts_pair_lever_on_a(&pairs->group[group], point, lane);
        ts_four position = ts_four_plus(middle, ts_contact_along(&axes, lever));
        key.part = label | note[i].feature;
        note_memory(job, i, key, tree, more, memory);
        ts_pile_note_mean(&note[i], impulse.z, memory);
        ts_contact_remember(&axes, &a, &b, position, impulse, memory);
    }
}

void KERNEL(ts_pile_leave_runs)(void* context, int begin, int end, int worker) {
    const leave_job* job = (const leave_job*)context;
    (void)worker;
    for (int r = begin; r < end; ++r) leave_run(job, &ts_sim_storage_of(job->sim)->contact_run[r]);
}

#if !TS_WIDE

// Of the last step's memory, which this takes the place of, the pauses alone are still asked for. As elsewhere (integrate.c), a new maximum takes
// little more.
int ts_pile_leave(ts_sim* sim, ts_pile* pile) {
    ts_row_memory_array* next = &sim->row_memory;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_contact_run* last = &storage->contact_run[storage->run_count - 1];
    int count = sim->contact_count, units = last->unit + last->units, bodies = pile->pairs->body_count;
    ts_vec3* centre = pile->centre = TS_ARENA_ARRAY(&sim->scratch, ts_vec3, bodies);
    if (!centre || !ts_row_memory_array_reserve_little(next, count)) return 0;
    if (!ts_row_more_array_reserve_little(&sim->row_more, units)) return 0;
    centre[0] = ts_vec3_zero();
    for (int b = 1; b < bodies; ++b) centre[b] = sim->kinematics.body_centre[sim->model->tree[pile->tree[b]].root];
    leave_job job = {.sim = sim, .pile = pile};
    job.source = ts_row_source_find("contact");
    job.valid = sim->info.solve.status != TS_SOLVE_FAILED;
    ts_task_range run = ts_pile_leave_runs_plain;
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) run = ts_pile_leave_runs_wide;
#endif
    ts_task_parallel_for(sim->tasks, storage->run_count, GRAIN, run, &job);
    next->count = count;
    sim->row_more.count = units;
    pile->rest_speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    return 1;
}

#endif
