// What a pile's last substep leaves: contacts as they are now, for whoever looks, and what the next step shall know of them.
//
// Problem: both are large, and a step that computes little else writes them anew. Rule: nothing has been written of a contact before, and now all of it is, once,
// one behind the other. Contacts of a pair of geoms lie together and share poses, bodies and, unit by unit, frames, which are read once; vectors are
// turned in registers of four numbers, of which the last means nothing. What is remembered is of the last substep, what is shown of all. Neither is in
// the near caches any more when a step ends, so what is to be written is asked for some contacts ahead, and nothing that has just been written number by number is
// read again as a vector, which would wait for all of it to be there. The points have moved on with their bodies, half-way between where A and B carry them.
// Source: row by row as in rows/contact.c.
// Guaranteed: same bits with and without AVX2 (pile_leave_wide.c), since every number is its own sum.
// Known to fail: nothing of its own.
#include "engine/step/four_vectors_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/narrow_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"

enum {
    LANES = TS_PAIR_LANES,
    GRAIN = 32,  // pairs of geoms that a thread takes at a time
    AHEAD = 6    // contacts whose memory is on its way
};

// What all contacts have in common.
typedef struct leave_job {
    const ts_sim* sim;
    const ts_pile* pile;
    const ts_pairs* pairs;
    const ts_vec3* centre;  // (body_count) m, where bodies are now
    const int* found;       // (contact_count) see ts_sim_storage.contact_memory_index
    const int* body_tree;
    ts_contact* contact;
    ts_row_memory* memory;
    double time_step;
    int source, valid;  // of all memories
} leave_job;

#if TS_WIDE
#define KERNEL(name) name##_wide
#else
#define KERNEL(name) name##_plain
#endif

void ts_pile_leave_runs_plain(void* context, int begin, int end, int worker);
void ts_pile_leave_runs_wide(void* context, int begin, int end, int worker);

// What the contacts of a pair of geoms share.
typedef struct leave_run {
    const ts_contact_run* run;
    ts_contact_geom a, b;
    uint64_t label;
    int tree;
} leave_run;

// What those of them share that are one unit of the pairs.
typedef struct unit_frame {
    ts_contact_axes axes;
    ts_four rows[2];  // of the frame's matrix, but for its last number
    double last;
    ts_four middle;  // m, half-way between where a lever of zero would be on A and on B
} unit_frame;

TS_FOUR_INLINE ts_four four_of(ts_vec3 v) { return ts_four_make(v.x, v.y, v.z, v.z); }

TS_FOUR_INLINE unit_frame frame_of(const leave_job* job, const ts_pair_group* group, int lane, ts_vec3 offset) {
    ts_vec3 x = ts_pair_vector_get(&group->tangent, lane), z = ts_pair_vector_get(&group->normal, lane);
    ts_vec3 y = ts_vec3_cross(z, x);
    ts_vec3 both = ts_vec3_add(job->centre[group->body[0][lane]], job->centre[group->body[1][lane]]);
    unit_frame f = {.axes = {four_of(x), four_of(y), four_of(z)},
                    .rows = {ts_four_make(x.x, y.x, z.x, x.y), ts_four_make(y.y, z.y, x.z, y.z)},
                    .last = z.z};
    f.middle = ts_four_times(0.5, ts_four_plus(four_of(both), ts_contact_along(&f.axes, offset)));
    return f;
}

// The contacts of a unit, from number i to `end`, whose places in the pairs are one lane of as many points from number p.
TS_FOUR_INLINE void leave_unit(const leave_job* job, const leave_run* r, int i, int end, int p, int lane) {
    const ts_contact_run* run = r->run;
    const ts_pair_group* group = &job->pairs->group[job->pairs->group_of[p]];
    const ts_pair_track* track = &job->pairs->track[p];
    const ts_pair_point* point = &job->pairs->point[p];
    const ts_pair_vector* before = &job->pairs->before[p];
    const int is_round = group->is_round, geom[2] = {run->geom[0], run->geom[1]},
              body[2] = {run->body[0], run->body[1]};
    const uint64_t whole = (uint64_t)(uint32_t)geom[0] << 32 | (uint32_t)geom[1];
    const ts_vec3 offset = ts_pair_vector_get(&group->offset, lane);
    const unit_frame f = frame_of(job, group, lane, offset);
    double shrink = is_round ? group->round.shrink[lane] : 0.0;
    double shrunk = is_round ? shrink * group->round.ease[1][lane] : 0.0;
    for (; i < end; ++i, ++track, ++point, ++before) {
        const ts_pile_contact* own = &job->pile->contact[i];
        ts_contact* contact = &job->contact[i];
        ts_row_memory* memory = &job->memory[i];
        double* frame = (double*)contact->frame.m;
        uint64_t key = r->label | own->feature;
        ts_contact_expect(memory, AHEAD, sizeof *memory);
        ts_contact_expect(contact, AHEAD, sizeof *contact);
        ts_vec3 impulse = ts_pair_vector_get(&point->lambda, lane), lever = ts_pair_vector_get(&point->lever, lane);
        if (is_round) lever = ts_vec3_add_scaled(ts_vec3_scale(shrink, lever), -shrunk, offset);  // ts_pair_lever_on_a
        ts_four position = ts_four_plus(f.middle, ts_contact_along(&f.axes, lever));
        memory->key.whole = whole;
        memory->key.part = key;
        memory->source = (unsigned short)job->source;
        memory->valid = (unsigned char)job->valid;
        memory->keeper = TS_ROW_KEEPER_PILE;
        memory->tree = r->tree;
        memory->pause = memory->last_pause = 0;
        memory->steps = ts_pile_steps_after(own->steps);
        memory->time_step = job->time_step;
        memory->solver = ts_pile_mean_after(own->mean, own->steps, impulse.z);
        ts_contact_remember(&f.axes, &r->a, &r->b, position, impulse, ts_four_zero(), memory);
        _Static_assert(sizeof(void*) != 8 || sizeof(ts_contact) == 232, "whatever a contact has is set here");
        contact->geom_a = geom[0];
        contact->geom_b = geom[1];
        contact->body_a = body[0];
        contact->body_b = body[1];
        contact->key = key;
        ts_four_store_three(position, &contact->position.x);
        ts_four_store(f.rows[0], frame);
        ts_four_store(f.rows[1], frame + 4);
        frame[8] = f.last;
        contact->gap = track->gap[lane];
        contact->impulse = ts_vec3_add(impulse, ts_pair_vector_get(&track->total, lane));
        contact->velocity = ts_pair_vector_get(&track->velocity, lane);
        contact->velocity_before = ts_pair_vector_get(before, lane);
        contact->surface = run->surface;
        contact->block = i;
        contact->persistent = job->found[i] >= 0;
        contact->asleep = 0;
    }
}

static inline void leave(const leave_job* job, const ts_contact_run* run) {
    const ts_pairs* pairs = job->pairs;
    const ts_transform* pose = job->sim->kinematics.geom_pose;
    leave_run r = {.run = run,
                   .a = ts_contact_geom_of(&pose[run->geom[0]]),
                   .b = ts_contact_geom_of(&pose[run->geom[1]]),
                   .label = ts_narrow_label(run->geom[0], run->geom[1]),
                   .tree = job->body_tree[run->body[job->body_tree[run->body[0]] < 0]]};
    int end = run->first + run->count;
    for (int i = run->first, next; i < end; i = next) {
        // The contacts of a unit lie side by side here and there; two units of a pair share a body that moves, and so no group.
        int slot = pairs->slot[i], p = (int)((unsigned)slot / LANES), group = pairs->group_of[p];
        next = i + 1;
        while (next < end && pairs->slot[next] == slot + LANES * (next - i) && pairs->group_of[p + next - i] == group)
            ++next;
        leave_unit(job, &r, i, next, p, (int)((unsigned)slot % LANES));
    }
    const ts_row_pause* pause = job->pile->pause;
    for (int i = run->first; pause && i < end; ++i) ts_step_yield_remember(pause[i], TS_ROW_FREE, &job->memory[i]);
}

void KERNEL(ts_pile_leave_runs)(void* context, int begin, int end, int worker) {
    const leave_job* job = (const leave_job*)context;
    (void)worker;
    for (int r = begin; r < end; ++r) leave(job, &ts_sim_storage_of(job->sim)->contact_run[r]);
}

#if !TS_WIDE

// Of the last step's memory, which this takes the place of, the pauses alone are still asked for. As elsewhere (integrate.c), a new maximum takes a
// thirty-second more.
int ts_pile_leave(ts_sim* sim, ts_pile* pile) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_row_memory_array* next = &sim->row_memory;
    int count = sim->contact_count, bodies = pile->pairs->body_count;
    ts_vec3* centre = TS_ARENA_ARRAY(&sim->scratch, ts_vec3, bodies);
    if (!centre || !ts_row_memory_array_reserve_little(next, count)) return 0;
    centre[0] = ts_vec3_zero();
    for (int b = 1; b < bodies; ++b) centre[b] = sim->kinematics.body_centre[sim->model->tree[pile->tree[b]].root];
    leave_job job = {.sim = sim,
                     .pile = pile,
                     .pairs = pile->pairs,
                     .centre = centre,
                     .found = storage->contact_memory_index,
                     .body_tree = storage->body_tree,
                     .contact = sim->contact,
                     .memory = next->data,
                     .time_step = sim->options.time_step,
                     .source = ts_row_source_find("contact"),
                     .valid = sim->info.solve.status != TS_SOLVE_FAILED};
    ts_task_range run = ts_pile_leave_runs_plain;
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) run = ts_pile_leave_runs_wide;
#endif
    ts_task_parallel_for(sim->tasks, storage->run_count, GRAIN, run, &job);
    next->count = count;
    storage->contacts_wait = 0;
    pile->rest_speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    return 1;
}

#endif
