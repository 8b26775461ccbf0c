// Problem: a run of thousands of steps of a thousand bodies has to fit into a page. Rule: sixty frames a second of simulated time are what a
// screen can show (more where all is over before that would be anything to look at); places are whole multiples of a power of two near a four-thousandth of a body's radius, quaternions of 1/16384, so
// that what rests does not change at all, and a jitter of less than that is none. Of many contacts those stay that break the
// law, then those with most force. Guaranteed: no stored place is farther off than half the diagonal of a quantum. Known to fail: what
// flies farther than 10^8 quanta stays there.
#include "cli/replay/reel_internal.h"

#include "engine/step/certify.h"
#include "scenes/scene_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of poses and contacts that one reel may take in memory.
static const double most_bytes = 192e6;

// Quanta beyond which nothing is stored: differences of differences of these are whole numbers of 32 bits.
static const double most_quanta = 1e8;

static double power_below(double x) { return exp2(floor(log2(x))); }

static int32_t quanta(double x, double quantum) {
    double q = rint(x / quantum);
    return (int32_t)fmax(-most_quanta, fmin(most_quanta, isfinite(q) ? q : 0.0));
}

static void quanta_of(ts_vec3 v, double quantum, int32_t out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = quanta(ts_vec3_get(v, i), quantum);
}

double ts_reel_length_error(const ts_reel* reel) { return 0.5 * sqrt(3.0) * reel->length; }

// The four components are off by half a quantum at most; a unit quaternion that is off by d is a rotation that is off by 2 d.
double ts_reel_turn_error(void) { return 2.0 / (double)TS_REEL_TURN; }

int ts_reel_moves(const ts_model* model, int body) {
    for (int b = body; b > 0; b = model->body[b].parent)
        if (model->body[b].tree >= 0 || model->body[b].mocap >= 0) return 1;
    return 0;
}

// N: what a body weighs on average, or would weigh on Earth.
static double weight_of(const ts_sim* sim) {
    const ts_model* model = sim->model;
    double mass = 0.0, gravity = ts_vec3_norm(sim->options.gravity);
    for (int b = 1; b < model->body_count; ++b)
        if (model->body[b].tree >= 0) mass += model->body[b].mass;
    double weight = mass * (gravity > 0.0 ? gravity : 9.81) / (double)(model->tree_count > 0 ? model->tree_count : 1);
    return weight > 0.0 && isfinite(weight) ? weight : 1.0;
}

double ts_reel_rate(double duration) {
    static const double rate = 60.0, least_frames = 120.0;
    return duration > 0.0 ? fmax(rate, least_frames / duration) : rate;
}

void ts_reel_begin(ts_reel* reel, ts_sim* sim, const char* name, double rate) {
    const ts_model* model = sim->model;
    memset(reel, 0, sizeof *reel);
    reel->model = model;
    reel->spacing = 1.0 / rate;
    reel->due = sim->time;
    reel->box = ts_scene_box_empty();
    reel->body = (int*)calloc((size_t)model->body_count, sizeof *reel->body);
    reel->failed = !reel->body;
    for (int b = 1; reel->body && b < model->body_count; ++b)
        if (ts_reel_moves(model, b)) reel->body[reel->moving++] = b;
    ts_sim_update_kinematics(sim);
    reel->sizes = ts_scene_sizes_measure(sim);
    reel->length = power_below(reel->sizes.body_radius / 4096.0);
    reel->force = power_below(weight_of(sim) / 1024.0);
    size_t length = strlen(name);
    memcpy(reel->name, name, length < sizeof reel->name ? length : sizeof reel->name - 1);
    const char* law = ts_contact_law_name(sim->solver->law);
    memcpy(reel->law, law, strlen(law) < sizeof reel->law ? strlen(law) : sizeof reel->law - 1);
}

// --- a frame ---------------------------------------------------------------------------------------------------------

static int add_poses(ts_reel* reel, const ts_sim* sim) {
    int first = reel->poses.count;
    if (!ts_reel_poses_reserve(&reel->poses, first + 7 * reel->moving)) return 0;
    reel->poses.count += 7 * reel->moving;
    for (int i = 0; i < reel->moving; ++i) {
        int32_t* out = reel->poses.data + first + 7 * i;
        const ts_transform* pose = &sim->kinematics.body_pose[reel->body[i]];
        quanta_of(pose->p, reel->length, out);
        double q[4];
        ts_quat_store(ts_quat_from_mat3(&pose->R), q);
        // Both signs are the same rotation: the one nearer to the last changes less.
        double along = 0.0;
        const int32_t* last = first > 0 ? out - 7 * reel->moving : NULL;
        for (int k = 0; k < 4; ++k) along += last ? q[k] * last[3 + k] : 0.0;
        for (int k = 0; k < 4; ++k) out[3 + k] = quanta(along < 0.0 ? -q[k] : q[k], 1.0 / (double)TS_REEL_TURN);
    }
    return 1;
}

// A contact and how much it matters.
typedef struct ranked {
    int contact;
    int mode;
    double weight;
    uint64_t key;
} ranked;

static int by_weight(const void* a, const void* b) {
    double x = ((const ranked*)a)->weight, y = ((const ranked*)b)->weight;
    if (x != y) return x > y ? -1 : 1;
    return ((const ranked*)a)->contact - ((const ranked*)b)->contact;
}

static int by_key(const void* a, const void* b) {
    uint64_t x = ((const ranked*)a)->key, y = ((const ranked*)b)->key;
    if (x != y) return x < y ? -1 : 1;
    return ((const ranked*)a)->contact - ((const ranked*)b)->contact;
}

static ts_reel_contact contact_of(const ts_reel* reel, const ts_sim* sim, const ranked* r) {
    const ts_contact c = ts_sim_contact(sim, r->contact);
    double side = ts_scene_look_side(sim->model, c.body_a, c.body_b), h = sim->options.time_step;
    ts_reel_contact out = {.key = c.key, .geom = {c.geom_a, c.geom_b}, .mode = r->mode};
    quanta_of(c.position, reel->length, out.place);
    quanta_of(ts_mat3_mul_vec(&c.frame, ts_vec3_scale(side / h, c.impulse)), reel->force, out.force);
    quanta_of(ts_vec3_scale(side, ts_mat3_column(&c.frame, 2)), 1.0 / (double)TS_REEL_NORMAL, out.normal);
    return out;
}

static int add_contacts(ts_reel* reel, const ts_sim* sim, ts_reel_frame* frame) {
    int count = sim->contact_count;
    frame->first = reel->contacts.count;
    if (count == 0) return 1;
    ts_arena_reset(&reel->arena);
    const ts_contact_mode* mode = ts_certify_contacts(sim, &reel->arena);
    ranked* list = TS_ARENA_ARRAY(&reel->arena, ranked, count);
    if (!mode || !list) return 0;
    for (int c = 0; c < count; ++c) {
        double force = ts_vec3_norm(ts_sim_contact(sim, c).impulse);
        list[c] =
            (ranked){c, (int)mode[c], mode[c] == TS_MODE_VIOLATED ? 1e300 + force : force, ts_sim_contact(sim, c).key};
        frame->number[10 + mode[c]] += 1.0;
    }
    int kept = count < TS_REEL_CONTACTS ? count : TS_REEL_CONTACTS;
    if (kept < count) qsort(list, (size_t)count, sizeof *list, by_weight);
    qsort(list, (size_t)kept, sizeof *list, by_key);
    for (int k = 0; k < kept; ++k)
        if (!ts_reel_contacts_push(&reel->contacts, contact_of(reel, sim, &list[k]))) return 0;
    frame->contacts = kept;
    return 1;
}

static int add_frame(ts_reel* reel, ts_sim* sim) {
    // Also brings poses up to date: a step leaves those of its beginning.
    ts_energy energy = ts_sim_energy(sim);
    ts_reel_frame frame = {.number = {sim->time, (double)sim->step_count, sim->info.unmet, sim->info.residual.natural,
                                      energy.kinetic, energy.potential, sim->info.worst_penetration,
                                      sim->info.solve.iterations, sim->info.solve.status, sim->contact_count}};
    ts_vec3 low, high;
    ts_scene_sizes_bounds(sim, &low, &high);
    ts_scene_box_add(&reel->box, low, high);
    return add_contacts(reel, sim, &frame) && add_poses(reel, sim) && ts_reel_frames_push(&reel->frames, frame);
}

// Every second frame goes.
static void thin(ts_reel* reel) {
    size_t row = 7 * (size_t)reel->moving;
    long long at = 0;
    int kept = 0;
    for (int f = 0; f < reel->frames.count; f += 2) {
        ts_reel_frame frame = reel->frames.data[f];
        if (frame.contacts > 0)
            memmove(reel->contacts.data + at, reel->contacts.data + frame.first,
                    (size_t)frame.contacts * sizeof *reel->contacts.data);
        if (row > 0)
            memmove(reel->poses.data + row * (size_t)kept, reel->poses.data + row * (size_t)f,
                    row * sizeof *reel->poses.data);
        frame.first = at;
        at += frame.contacts;
        reel->frames.data[kept++] = frame;
    }
    reel->frames.count = kept;
    reel->contacts.count = (int)at;
    reel->poses.count = (int)row * kept;
    reel->spacing *= 2.0;
}

int ts_reel_add(ts_reel* reel, ts_sim* sim, int last) {
    if (reel->failed) return 0;
    int there = reel->frames.count > 0 && reel->frames.data[reel->frames.count - 1].number[0] == sim->time;
    // A step that ends a rounding before a frame is due is the one that was meant.
    if (there || (!last && sim->time < reel->due - 1e-6 * reel->spacing)) return 1;
    reel->failed = !add_frame(reel, sim);
    double bytes = 4.0 * reel->poses.count + (double)sizeof(ts_reel_contact) * reel->contacts.count;
    if (bytes > most_bytes && reel->frames.count > 2) thin(reel);
    while (reel->due <= sim->time + 1e-6 * reel->spacing) reel->due += reel->spacing;
    return !reel->failed;
}

void ts_reel_free(ts_reel* reel) {
    free(reel->body);
    ts_reel_frames_free(&reel->frames);
    ts_reel_poses_free(&reel->poses);
    ts_reel_contacts_free(&reel->contacts);
    ts_arena_free(&reel->arena);
    memset(reel, 0, sizeof *reel);
}
