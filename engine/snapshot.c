// Saving, restoring and hashing what the future depends on: time, step count, coordinates, velocities, controls, activations, which
// equalities hold, bodies moved from outside, applied forces and the memory of pairs, of their manifolds, of blocks of rows, and of sleep. Options and the choice of solver belong to the caller and stay. The hash goes
// field by field, because structs have holes whose bytes mean nothing.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/sim_internal.h"
#include "engine/step/sleep_internal.h"

// The head of a snapshot; the arrays follow in the order of their counts here.
typedef struct snapshot_head {
    uint64_t magic;
    double time;
    long long step_count;
    int nq;
    int nv;
    int actuator_count;
    int act_count;
    int mocap_count;
    int equality_count;
    int body_count;
    int tree_count;
    int pair_count;
    int row_count;
    int more_count;
    int kept_count;
    int search_count;
    size_t sleep_size;
} snapshot_head;

static const uint64_t snapshot_magic = UINT64_C(0x61736e7074736e73);

static size_t snapshot_size(const snapshot_head* head) {
    size_t numbers = (size_t)head->nq + 2 * (size_t)head->nv + (size_t)head->actuator_count + (size_t)head->act_count +
                     7 * (size_t)head->mocap_count;
    return sizeof *head + numbers * sizeof(double) + (size_t)head->equality_count * sizeof(int) +
           (size_t)head->body_count * sizeof(ts_force) + (size_t)head->tree_count * sizeof(ts_spin_memory) +
           (size_t)head->pair_count * sizeof(ts_pair_memory) + (size_t)head->row_count * sizeof(ts_row_memory) +
           (size_t)head->more_count * sizeof(ts_row_more) + (size_t)head->kept_count * sizeof(ts_manifold_kept) +
           (size_t)head->search_count * sizeof(ts_gjk_cache) + head->sleep_size;
}

static unsigned char* put(unsigned char* at, const void* source, size_t count, size_t size) {
    if (count > 0) memcpy(at, source, count * size);
    return at + count * size;
}

static const unsigned char* take(const unsigned char* at, void* target, size_t count, size_t size) {
    if (count > 0) memcpy(target, at, count * size);
    return at + count * size;
}

ts_code ts_sim_snapshot(const ts_sim* sim, ts_snapshot* out_snapshot, ts_status* out_status) {
    snapshot_head head;
    memset(&head, 0, sizeof head);
    head.magic = snapshot_magic;
    head.time = sim->time;
    head.step_count = sim->step_count;
    head.nq = sim->model->nq;
    head.nv = sim->model->nv;
    head.actuator_count = sim->model->actuator_count;
    head.act_count = sim->model->act_count;
    head.mocap_count = sim->model->mocap_count;
    head.equality_count = sim->model->equality_count;
    head.body_count = sim->model->body_count;
    head.tree_count = sim->model->tree_count;
    head.pair_count = sim->pair_memory.count;
    head.row_count = sim->row_memory.count;
    head.more_count = sim->row_more.count;
    head.kept_count = ts_sim_storage_of(sim)->kept.count;
    head.search_count = ts_sim_storage_of(sim)->search.count;
    head.sleep_size = ts_sleep_saved_size(sim);
    size_t size = snapshot_size(&head);
    if (size > out_snapshot->capacity) {
        unsigned char* data = (unsigned char*)realloc(out_snapshot->data, size);
        if (!data)
            return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a snapshot of %zu bytes", size);
        out_snapshot->data = data;
        out_snapshot->capacity = size;
    }
    out_snapshot->size = size;
    unsigned char* at = put(out_snapshot->data, &head, 1, sizeof head);
    at = put(at, sim->qpos, (size_t)head.nq, sizeof(double));
    at = put(at, sim->qvel, (size_t)head.nv, sizeof(double));
    at = put(at, sim->ctrl, (size_t)head.actuator_count, sizeof(double));
    at = put(at, sim->act, (size_t)head.act_count, sizeof(double));
    at = put(at, sim->mocap, 7 * (size_t)head.mocap_count, sizeof(double));
    at = put(at, sim->force_applied, (size_t)head.nv, sizeof(double));
    at = put(at, sim->wrench_applied, (size_t)head.body_count, sizeof(ts_force));
    at = put(at, ts_sim_storage_of(sim)->spin_memory, (size_t)head.tree_count, sizeof(ts_spin_memory));
    at = put(at, sim->pair_memory.data, (size_t)head.pair_count, sizeof(ts_pair_memory));
    at = put(at, sim->row_memory.data, (size_t)head.row_count, sizeof(ts_row_memory));
    at = put(at, sim->row_more.data, (size_t)head.more_count, sizeof(ts_row_more));
    at = put(at, ts_sim_storage_of(sim)->kept.data, (size_t)head.kept_count, sizeof(ts_manifold_kept));
    at = put(at, ts_sim_storage_of(sim)->search.data, (size_t)head.search_count, sizeof(ts_gjk_cache));
    at = put(at, sim->equality_active, (size_t)head.equality_count, sizeof(int));
    ts_sleep_save(sim, at);
    return ts_status_ok(out_status);
}

ts_code ts_sim_restore(ts_sim* sim, const ts_snapshot* snapshot, ts_status* out_status) {
    snapshot_head head;
    const ts_model* model = sim->model;
    ts_manifold_kept_array* kept = &ts_sim_storage_of(sim)->kept;
    ts_pair_search_array* search = &ts_sim_storage_of(sim)->search;
    memset(&head, 0, sizeof head);
    if (snapshot->size >= sizeof head) memcpy(&head, snapshot->data, sizeof head);
    if (head.magic != snapshot_magic || head.pair_count < 0 || head.row_count < 0 || head.more_count < 0 ||
        (head.kept_count != 0 && head.kept_count != head.pair_count))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "this is no snapshot");
    if (head.nq != model->nq || head.nv != model->nv || head.body_count != model->body_count ||
        head.actuator_count != model->actuator_count || head.act_count != model->act_count ||
        head.mocap_count != model->mocap_count || head.equality_count != model->equality_count ||
        head.tree_count != model->tree_count ||
        head.search_count != (ts_sim_storage_of(sim)->pairs_search ? head.pair_count : 0) ||
        snapshot->size != snapshot_size(&head) ||
        !ts_sleep_is_saved(sim, snapshot->data + snapshot->size - head.sleep_size, head.sleep_size))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "the snapshot is of another model: nq %d, nv %d, %d bodies; here nq %d, nv %d, %d bodies",
                             head.nq, head.nv, head.body_count, model->nq, model->nv, model->body_count);
    if (!ts_pair_memory_array_reserve(&sim->pair_memory, head.pair_count) ||
        !ts_row_memory_array_reserve(&sim->row_memory, head.row_count) ||
        !ts_row_more_array_reserve(&sim->row_more, head.more_count) ||
        !ts_manifold_kept_array_reserve(kept, head.kept_count) ||
        !ts_pair_search_array_reserve(search, head.search_count) ||
        !ts_sleep_restore(sim, snapshot->data + snapshot->size - head.sleep_size, head.sleep_size))
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory to restore");
    sim->time = head.time;
    sim->step_count = head.step_count;
    const unsigned char* at = snapshot->data + sizeof head;
    at = take(at, sim->qpos, (size_t)head.nq, sizeof(double));
    at = take(at, sim->qvel, (size_t)head.nv, sizeof(double));
    at = take(at, sim->ctrl, (size_t)head.actuator_count, sizeof(double));
    at = take(at, sim->act, (size_t)head.act_count, sizeof(double));
    at = take(at, sim->mocap, 7 * (size_t)head.mocap_count, sizeof(double));
    at = take(at, sim->force_applied, (size_t)head.nv, sizeof(double));
    at = take(at, sim->wrench_applied, (size_t)head.body_count, sizeof(ts_force));
    at = take(at, ts_sim_storage_of(sim)->spin_memory, (size_t)head.tree_count, sizeof(ts_spin_memory));
    at = take(at, sim->pair_memory.data, (size_t)head.pair_count, sizeof(ts_pair_memory));
    at = take(at, sim->row_memory.data, (size_t)head.row_count, sizeof(ts_row_memory));
    at = take(at, sim->row_more.data, (size_t)head.more_count, sizeof(ts_row_more));
    at = take(at, kept->data, (size_t)head.kept_count, sizeof(ts_manifold_kept));
    at = take(at, search->data, (size_t)head.search_count, sizeof(ts_gjk_cache));
    take(at, sim->equality_active, (size_t)head.equality_count, sizeof(int));
    if (head.sleep_size == 0) ts_sleep_forget(sim);  // quiet begins where the state is
    kept->count = head.kept_count;
    search->count = head.search_count;
    sim->pair_memory.count = head.pair_count;
    sim->row_memory.count = head.row_count;
    sim->row_more.count = head.more_count;
    // The contacts of the last step belonged to another state.
    ts_sim_forget_step(sim);
    ts_sim_forget_sensors(sim);
    ts_sim_update_kinematics(sim);
    return ts_status_ok(out_status);
}

void ts_snapshot_free(ts_snapshot* snapshot) {
    free(snapshot->data);
    memset(snapshot, 0, sizeof *snapshot);
}

static uint64_t hash_doubles(uint64_t hash, const double* x, size_t count) {
    return count > 0 ? ts_hash_bytes(hash, x, count * sizeof(double)) : hash;
}

static uint64_t hash_int(uint64_t hash, int x) { return ts_hash_bytes(hash, &x, sizeof x); }

static uint64_t hash_vec3(uint64_t hash, ts_vec3 x) {
    double bytes[3] = {x.x, x.y, x.z};
    return hash_doubles(hash, bytes, 3);
}

static uint64_t hash_kept(uint64_t hash, const ts_manifold_kept_array* kept) {
    for (int i = 0; i < kept->count; ++i) {
        const ts_manifold_kept* one = &kept->data[i];
        hash = hash_int(hash, one->is_kept);
        if (!one->is_kept) continue;
        hash = hash_int(hash, one->count);
        hash = hash_doubles(hash, &one->clearance, 1);
        hash = hash_doubles(hash, one->pose, 12);
        hash = hash_doubles(hash, one->normal, 3);
        hash = hash_doubles(hash, one->on_a[0], (size_t)3 * TS_MANIFOLD_KEPT);
        hash = hash_doubles(hash, one->on_b[0], (size_t)3 * TS_MANIFOLD_KEPT);
    }
    return hash;
}

uint64_t ts_sim_hash(const ts_sim* sim) {
    const ts_model* model = sim->model;
    uint64_t hash = ts_hash_bytes(TS_HASH_START, &sim->time, sizeof sim->time);
    hash = ts_hash_bytes(hash, &sim->step_count, sizeof sim->step_count);
    hash = hash_doubles(hash, sim->qpos, (size_t)model->nq);
    hash = hash_doubles(hash, sim->qvel, (size_t)model->nv);
    hash = hash_doubles(hash, sim->ctrl, (size_t)model->actuator_count);
    hash = hash_doubles(hash, sim->act, (size_t)model->act_count);
    hash = hash_doubles(hash, sim->mocap, 7 * (size_t)model->mocap_count);
    // As the model has them they leave no mark.
    for (int e = 0; e < model->equality_count; ++e)
        if (!sim->equality_active[e] != !model->equality[e].active) hash = hash_int(hash, e);
    hash = hash_doubles(hash, sim->force_applied, (size_t)model->nv);
    for (int b = 0; b < model->body_count; ++b) {
        hash = hash_vec3(hash, sim->wrench_applied[b].couple);
        hash = hash_vec3(hash, sim->wrench_applied[b].force);
    }
    for (int t = 0; t < model->tree_count; ++t) {
        hash = hash_vec3(hash, ts_sim_storage_of(sim)->spin_memory[t].torque);
        hash = hash_doubles(hash, &ts_sim_storage_of(sim)->spin_memory[t].late, 1);
    }
    const ts_pair_search_array* searches = &ts_sim_storage_of(sim)->search;
    for (int i = 0; i < sim->pair_memory.count; ++i) {
        const ts_pair_memory* memory = &sim->pair_memory.data[i];
        const ts_gjk_cache* search = i < searches->count ? &searches->data[i] : NULL;
        hash = ts_hash_bytes(hash, &memory->key, sizeof memory->key);
        hash = hash_vec3(hash, memory->normal);
        hash = hash_int(hash, search ? search->hint_a : 0);
        hash = hash_int(hash, search ? search->hint_b : 0);
        hash = hash_int(hash, memory->reference);
    }
    hash = hash_kept(hash, &ts_sim_storage_of(sim)->kept);
    for (int i = 0; i < sim->row_memory.count; ++i) {
        const ts_row_memory* memory = &sim->row_memory.data[i];
        hash = hash_int(hash, (int)memory->source);
        hash = ts_hash_bytes(hash, &memory->key.whole, sizeof memory->key.whole);
        hash = ts_hash_bytes(hash, &memory->key.part, sizeof memory->key.part);
        hash = hash_doubles(hash, memory->impulse, 3);
        hash = ts_hash_bytes(hash, memory->place, sizeof memory->place);
        for (unsigned k = 0; k < memory->more_count; ++k)
            hash = hash_doubles(hash, sim->row_more.data[memory->more + (int)k].number, 6);
        hash = hash_doubles(hash, &memory->time_step, 1);
        hash = hash_int(hash, (int)memory->valid);
        hash = hash_int(hash, memory->pause);
        hash = hash_int(hash, memory->last_pause);
        if (memory->keeper == 0) continue;
        hash = hash_int(hash, (int)memory->keeper);
        hash = hash_int(hash, (int)memory->steps);
        hash = hash_doubles(hash, &memory->solver, 1);
    }
    return ts_sleep_hash(sim, hash);
}
