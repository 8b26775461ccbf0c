// What is kept of sleepers: made once, moved to and fro, and saved with a state.
//
// Memory of pairs and of rows lies sorted in ts_sim, and what a step does not meet in it is forgotten. So that of sleepers lies apart, sorted
// likewise, and goes back when they wake: they start from the impulses that held them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/step/sleep_internal.h"

// --- making it ---------------------------------------------------------------------------------------------------------

#define BED_ARRAY(bed, type, count) ((type*)ts_arena_alloc_zeroed(&(bed)->fixed, (size_t)(count), sizeof(type)))

// m: what lies farthest from the frame of each body, with all that hangs on it by joints.
static void find_reach(const ts_model* model, double* out_reach) {
    for (int b = model->body_count - 1; b > 0; --b) {
        const ts_body* body = &model->body[b];
        double own = ts_vec3_norm(body->centre);
        if (body->mass > 0.0)
            own += sqrt(0.5 * (body->inertia.m[0][0] + body->inertia.m[1][1] + body->inertia.m[2][2]) / body->mass);
        for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) {
            double radius =
                ts_shape_bounding_radius(&model->geom[g].shape) + ts_vec3_norm(model->geom[g].pose.position);
            if (isfinite(radius)) own = fmax(own, radius);
        }
        out_reach[b] = fmax(out_reach[b], own);
        int up = body->parent;
        out_reach[up] = fmax(out_reach[up], ts_vec3_norm(body->pose.position) + out_reach[b]);
    }
}

static void find_dof_reach(const ts_model* model, const double* of_body, double* out_reach) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        int shifts = joint->type == TS_JOINT_FREE ? 3 : joint->type == TS_JOINT_SLIDE ? 1 : 0;
        double turning = of_body[joint->body] + ts_vec3_norm(joint->anchor);
        for (int i = 0; i < ts_joint_type_nv(joint->type); ++i)
            out_reach[joint->dof_first + i] = i < shifts ? 1.0 : turning;
    }
}

static void find_barred(const ts_sim* sim, int* out_barred) {
    const ts_model* model = sim->model;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
        for (int k = 0; model->actuator[i].act >= 0 && k < lever->chain_count; ++k)
            out_barred[model->dof[lever->chain[k]].tree] = TS_SLEEP_ACTIVATION;
    }
    for (int b = 1; b < model->body_count; ++b)
        if (model->body[b].tree >= 0 && model->body[b].stays_awake) out_barred[model->body[b].tree] = TS_SLEEP_NEVER;
}

int ts_sleep_make_bed(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_bed* bed = (ts_bed*)calloc(1, sizeof *bed);
    if (!bed) return 0;
    bed->tree = BED_ARRAY(bed, ts_tree_rest, model->tree_count);
    bed->reach = BED_ARRAY(bed, double, model->nv);
    bed->place = BED_ARRAY(bed, double, model->nq);
    bed->sensor = BED_ARRAY(bed, double, model->sensor_size);
    bed->barred = BED_ARRAY(bed, int, model->tree_count);
    bed->ctrl = BED_ARRAY(bed, double, model->actuator_count);
    bed->equality = BED_ARRAY(bed, int, model->equality_count);
    bed->mocap = BED_ARRAY(bed, double, 7 * model->mocap_count);
    bed->force = BED_ARRAY(bed, double, model->nv);
    bed->wrench = BED_ARRAY(bed, ts_force, model->body_count);
    bed->moved = BED_ARRAY(bed, unsigned char, model->body_count);
    bed->root = BED_ARRAY(bed, int, model->tree_count);
    bed->holds = BED_ARRAY(bed, int, model->tree_count);
    bed->change = BED_ARRAY(bed, double, model->nv);
    bed->way = BED_ARRAY(bed, double, model->body_count);
    bed->driven = BED_ARRAY(bed, unsigned char, model->tree_count);
    ts_sim_storage_of(sim)->bed = bed;
    if (bed->fixed.failed) {
        ts_sleep_free(sim);
        return 0;
    }
    find_reach(model, bed->way);
    find_dof_reach(model, bed->way, bed->reach);
    find_barred(sim, bed->barred);
    ts_sleep_forget(sim);
    return 1;
}

void ts_sleep_free(ts_sim* sim) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    if (!bed) return;
    ts_sleeping_contact_array_free(&bed->contact);
    ts_sleeping_rare_array_free(&bed->rare);
    ts_sleeping_verdict_array_free(&bed->verdict);
    ts_pair_memory_array_free(&bed->pair);
    ts_manifold_kept_array_free(&bed->kept);
    ts_pair_search_array_free(&bed->search);
    ts_row_memory_array_free(&bed->row);
    ts_row_more_array_free(&bed->more);
    ts_arena_free(&bed->fixed);
    free(bed);
    ts_sim_storage_of(sim)->bed = NULL;
}

size_t ts_sleep_memory(const ts_sim* sim) {
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    if (!bed) return 0;
    return sizeof *bed + ts_arena_reserved(&bed->fixed) + (size_t)bed->contact.capacity * sizeof *bed->contact.data +
           (size_t)bed->rare.capacity * sizeof *bed->rare.data +
           (size_t)bed->verdict.capacity * sizeof *bed->verdict.data +
           (size_t)bed->pair.capacity * sizeof *bed->pair.data + (size_t)bed->kept.capacity * sizeof *bed->kept.data +
           (size_t)bed->search.capacity * sizeof *bed->search.data + (size_t)bed->row.capacity * sizeof *bed->row.data +
           (size_t)bed->more.capacity * sizeof *bed->more.data;
}

void ts_sleep_forget(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    if (!bed) return;
    memset(storage->tree_asleep, 0, (size_t)sim->model->tree_count);
    storage->asleep_count = 0;
    for (int t = 0; t < sim->model->tree_count; ++t) {
        ts_tree_rest rest = {.state = {TS_SLEEP_SETTLES, 0.0, -1, TS_SLEEP_NONE, -1, 0.0}};
        bed->tree[t] = rest;
    }
    memcpy(bed->place, sim->qpos, (size_t)sim->model->nq * sizeof(double));
    bed->knows_inputs = bed->woken = bed->failed = 0;
    bed->contact.count = bed->rare.count = bed->verdict.count = 0;
    bed->pair.count = bed->kept.count = bed->search.count = bed->row.count = bed->more.count = 0;
}

// --- to and fro --------------------------------------------------------------------------------------------------------

// Whether a pair of geoms is of sleepers alone, and what does not move.
static int pair_sleeps(const ts_sim* sim, uint64_t key) {
    const ts_model* model = sim->model;
    int a = model->body[model->geom[key >> 32].body].tree;
    int b = model->body[model->geom[key & UINT32_MAX].body].tree;
    return (a < 0 || ts_sim_tree_sleeps(sim, a)) && (b < 0 || ts_sim_tree_sleeps(sim, b)) && (a >= 0 || b >= 0);
}

// Pairs, each with its manifold where manifolds are kept, and its search where pairs search.
typedef struct pair_list {
    ts_pair_memory_array* pair;
    ts_manifold_kept_array* kept;
    ts_pair_search_array* search;
    int keeps;     // nonzero: there is a manifold of each pair
    int searches;  // nonzero: there is a search of each pair
} pair_list;

static void put_pair(const pair_list* from, int i, const pair_list* to, int at) {
    to->pair->data[at] = from->pair->data[i];
    if (to->searches) to->search->data[at] = from->search->data[i];
    if (!to->keeps) return;
    if (from->keeps)
        to->kept->data[at] = from->kept->data[i];
    else
        memset(&to->kept->data[at], 0, sizeof to->kept->data[at]);
}

// Moves the pairs that sleep (or those that do not) from one sorted list into another. Returns 0 when memory is short.
static int move_pairs(const ts_sim* sim, const pair_list* from, const pair_list* to, int sleeping) {
    int moved = 0, left = 0, i = to->pair->count - 1;
    for (int k = 0; k < from->pair->count; ++k) moved += pair_sleeps(sim, from->pair->data[k].key) == sleeping;
    if (moved == 0) return 1;
    if (!ts_pair_memory_array_resize(to->pair, i + 1 + moved)) return 0;
    if (to->keeps && !ts_manifold_kept_array_resize(to->kept, i + 1 + moved)) return 0;
    if (to->searches && !ts_pair_search_array_resize(to->search, i + 1 + moved)) return 0;
    int at = to->pair->count;
    for (int k = from->pair->count - 1; k >= 0; --k) {
        uint64_t key = from->pair->data[k].key;
        if (pair_sleeps(sim, key) != sleeping) continue;
        while (i >= 0 && to->pair->data[i].key > key) put_pair(to, i--, to, --at);
        put_pair(from, k, to, --at);
    }
    for (int k = 0; k < from->pair->count; ++k)
        if (pair_sleeps(sim, from->pair->data[k].key) != sleeping) put_pair(from, k, from, left++);
    from->pair->count = left;
    if (from->keeps) from->kept->count = left;
    if (from->searches) from->search->count = left;
    return 1;
}

static int row_order(const ts_row_memory* a, const ts_row_memory* b) {
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->key.whole != b->key.whole) return a->key.whole < b->key.whole ? -1 : 1;
    return (a->key.part > b->key.part) - (a->key.part < b->key.part);
}

// Rows, and what they have more.
typedef struct row_list {
    ts_row_memory_array* row;
    ts_row_more_array* more;
} row_list;

// Copies what a row has more behind all that is there; but what the row before it had in common with it is there already. `from` is where it was, `to`
// may be the same. Returns 0 when memory is short.
static int take_more(ts_row_more_array* from, ts_row_more_array* to, int* last_from, int* last_to, ts_row_memory* row) {
    if (row->more_count == 0) return 1;
    if (row->more != *last_from) {
        int first = to->count, count = (int)row->more_count;
        if (!ts_row_more_array_resize(to, first + count)) return 0;
        memcpy(to->data + first, from->data + row->more, (size_t)count * sizeof *to->data);
        *last_from = row->more;
        *last_to = first;
    }
    row->more = *last_to;
    return 1;
}

// Leaves of what rows have more only what those have that are there. Returns 0 when memory is short.
static int shed_more(const row_list* list) {
    int before = list->more->count, last_from = -1, last_to = -1;
    for (int k = 0; k < list->row->count; ++k)
        if (!take_more(list->more, list->more, &last_from, &last_to, &list->row->data[k])) return 0;
    for (int k = 0; k < list->row->count; ++k)
        if (list->row->data[k].more_count > 0) list->row->data[k].more -= before;
    list->more->count -= before;
    memmove(list->more->data, list->more->data + before, (size_t)list->more->count * sizeof *list->more->data);
    return 1;
}

// Likewise rows, but that parts of one whole are not sorted: they stay together, as they were.
static int move_rows(const ts_sim* sim, const row_list* from, const row_list* to, int sleeping) {
    int moved = 0, left = 0, i = to->row->count - 1, last_from = -1, last_to = -1;
    for (int k = 0; k < from->row->count; ++k) moved += ts_sim_tree_sleeps(sim, from->row->data[k].tree) == sleeping;
    if (moved == 0) return 1;
    if (!ts_row_memory_array_resize(to->row, i + 1 + moved)) return 0;
    int at = to->row->count;
    for (int k = from->row->count - 1; k >= 0; --k) {
        ts_row_memory row = from->row->data[k];
        if (ts_sim_tree_sleeps(sim, row.tree) != sleeping) continue;
        if (!take_more(from->more, to->more, &last_from, &last_to, &row)) return 0;
        while (i >= 0 && row_order(&to->row->data[i], &row) > 0) to->row->data[--at] = to->row->data[i--];
        to->row->data[--at] = row;
    }
    for (int k = 0; k < from->row->count; ++k)
        if (ts_sim_tree_sleeps(sim, from->row->data[k].tree) != sleeping) from->row->data[left++] = from->row->data[k];
    from->row->count = left;
    return shed_more(from);
}

// Both lists of rows, likewise.
static void find_row_lists(ts_sim* sim, row_list out_list[2]) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    out_list[0] = (row_list){&sim->row_memory, &sim->row_more};
    out_list[1] = (row_list){&bed->row, &bed->more};
}

// Both lists of pairs: of the simulation, of the bed. Where manifolds are kept the simulation's list has one of each pair, else none.
static void find_lists(ts_sim* sim, pair_list out_list[2]) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    int keeps = storage->kept.count > 0 || (sim->pair_memory.count == 0 && bed->kept.count > 0);
    out_list[0] = (pair_list){&sim->pair_memory, &storage->kept, &storage->search, keeps, storage->pairs_search};
    out_list[1] = (pair_list){&bed->pair, &bed->kept, &bed->search, 1, storage->pairs_search};
}

int ts_sleep_lay_down(ts_sim* sim) {
    pair_list list[2];
    row_list rows[2];
    find_lists(sim, list);
    find_row_lists(sim, rows);
    return move_pairs(sim, &list[0], &list[1], 1) && move_rows(sim, &rows[0], &rows[1], 1);
}

void ts_sleep_give_back(ts_sim* sim) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    pair_list list[2];
    row_list rows[2];
    int left = 0;
    find_lists(sim, list);
    find_row_lists(sim, rows);
    bed->failed |= !move_pairs(sim, &list[1], &list[0], 0) || !move_rows(sim, &rows[1], &rows[0], 0);
    for (int i = 0; i < bed->contact.count; ++i) {
        const ts_contact* contact = &bed->contact.data[i];
        if (!ts_sim_body_sleeps(sim, contact->body_a) && !ts_sim_body_sleeps(sim, contact->body_b)) continue;
        if (bed->rare.count > 0) bed->rare.data[left] = bed->rare.data[i];
        bed->verdict.data[left] = bed->verdict.data[i];
        bed->contact.data[left++] = *contact;
    }
    if (bed->rare.count > 0) bed->rare.count = left;
    bed->contact.count = bed->verdict.count = left;
}

// --- saving ------------------------------------------------------------------------------------------------------------

typedef struct saved_head {
    int tree_count;
    int nq, nv;
    int body_count;
    int actuator_count, equality_count, mocap_count, sensor_size;
    int asleep_count;
    int knows_inputs;
    int contact_count, rare_count, pair_count, row_count, more_count;
} saved_head;

typedef struct piece {
    void* data;
    size_t bytes;
} piece;

enum { PIECES = 19 };

// All pieces of what is saved, as the head has their sizes.
static int list_pieces(const ts_sim* sim, const saved_head* head, piece out[PIECES]) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    size_t trees = (size_t)head->tree_count, contacts = (size_t)head->contact_count, pairs = (size_t)head->pair_count;
    const piece list[PIECES] = {
        {ts_sim_storage_of(sim)->tree_asleep, trees},
        {bed->tree, trees * sizeof *bed->tree},
        {bed->place, (size_t)head->nq * sizeof(double)},
        {bed->force, (size_t)head->nv * sizeof(double)},
        {bed->wrench, (size_t)head->body_count * sizeof(ts_force)},
        {bed->ctrl, (size_t)head->actuator_count * sizeof(double)},
        {bed->equality, (size_t)head->equality_count * sizeof(int)},
        {bed->mocap, 7 * (size_t)head->mocap_count * sizeof(double)},
        {bed->sensor, (size_t)head->sensor_size * sizeof(double)},
        {&bed->options, sizeof bed->options},
        {bed->settings, sizeof bed->settings},
        {bed->contact.data, contacts * sizeof *bed->contact.data},
        {bed->rare.data, (size_t)head->rare_count * sizeof *bed->rare.data},
        {bed->verdict.data, contacts * sizeof *bed->verdict.data},
        {bed->pair.data, pairs * sizeof *bed->pair.data},
        {bed->kept.data, pairs * sizeof *bed->kept.data},
        {bed->search.data, ts_sim_storage_of(sim)->pairs_search ? pairs * sizeof *bed->search.data : 0},
        {bed->row.data, (size_t)head->row_count * sizeof *bed->row.data},
        {bed->more.data, (size_t)head->more_count * sizeof *bed->more.data},
    };
    memcpy(out, list, sizeof list);
    return PIECES;
}

static saved_head head_of(const ts_sim* sim) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_bed* bed = storage->bed;
    saved_head head = {.tree_count = model->tree_count,
                       .nq = model->nq,
                       .nv = model->nv,
                       .body_count = model->body_count,
                       .actuator_count = model->actuator_count,
                       .equality_count = model->equality_count,
                       .mocap_count = model->mocap_count,
                       .sensor_size = model->sensor_size,
                       .asleep_count = storage->asleep_count,
                       .knows_inputs = bed->knows_inputs,
                       .contact_count = bed->contact.count,
                       .rare_count = bed->rare.count,
                       .pair_count = bed->pair.count,
                       .row_count = bed->row.count,
                       .more_count = bed->more.count};
    return head;
}

static size_t size_of(const ts_sim* sim, const saved_head* head) {
    piece list[PIECES];
    size_t bytes = sizeof *head;
    int count = list_pieces(sim, head, list);
    for (int i = 0; i < count; ++i) bytes += list[i].bytes;
    return bytes;
}

size_t ts_sleep_saved_size(const ts_sim* sim) {
    if (!ts_sim_storage_of(sim)->bed) return 0;
    saved_head head = head_of(sim);
    return size_of(sim, &head);
}

void ts_sleep_save(const ts_sim* sim, unsigned char* out_data) {
    if (!ts_sim_storage_of(sim)->bed) return;
    piece list[PIECES];
    saved_head head = head_of(sim);
    int count = list_pieces(sim, &head, list);
    memcpy(out_data, &head, sizeof head);
    out_data += sizeof head;
    for (int i = 0; i < count; ++i) {
        if (list[i].bytes > 0) memcpy(out_data, list[i].data, list[i].bytes);
        out_data += list[i].bytes;
    }
}

int ts_sleep_is_saved(const ts_sim* sim, const unsigned char* data, size_t size) {
    const ts_model* model = sim->model;
    saved_head head;
    if (size == 0) return 1;
    if (size < sizeof head) return 0;
    memcpy(&head, data, sizeof head);
    return head.tree_count == model->tree_count && head.nq == model->nq && head.nv == model->nv &&
           head.body_count == model->body_count && head.actuator_count == model->actuator_count &&
           head.equality_count == model->equality_count && head.mocap_count == model->mocap_count &&
           head.sensor_size == model->sensor_size && head.contact_count >= 0 &&
           (head.rare_count == 0 || head.rare_count == head.contact_count) && head.pair_count >= 0 &&
           head.row_count >= 0 && head.more_count >= 0;
}

int ts_sleep_restore(ts_sim* sim, const unsigned char* data, size_t size) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    saved_head head;
    piece list[PIECES];
    if (size == 0) {
        ts_sleep_forget(sim);
        return 1;
    }
    if (!storage->bed && !ts_sleep_make_bed(sim)) return 0;
    ts_bed* bed = storage->bed;
    memcpy(&head, data, sizeof head);
    if (size_of(sim, &head) != size) return 0;
    if (!ts_sleeping_contact_array_resize(&bed->contact, head.contact_count) ||
        !ts_sleeping_rare_array_resize(&bed->rare, head.rare_count) ||
        !ts_sleeping_verdict_array_resize(&bed->verdict, head.contact_count) ||
        !ts_pair_memory_array_resize(&bed->pair, head.pair_count) ||
        !ts_manifold_kept_array_resize(&bed->kept, head.pair_count) ||
        !ts_pair_search_array_resize(&bed->search, storage->pairs_search ? head.pair_count : 0) ||
        !ts_row_memory_array_resize(&bed->row, head.row_count) ||
        !ts_row_more_array_resize(&bed->more, head.more_count))
        return 0;
    data += sizeof head;
    int count = list_pieces(sim, &head, list);
    for (int i = 0; i < count; ++i) {
        if (list[i].bytes > 0) memcpy(list[i].data, data, list[i].bytes);
        data += list[i].bytes;
    }
    storage->asleep_count = head.asleep_count;
    bed->knows_inputs = head.knows_inputs;
    bed->woken = bed->failed = 0;
    for (int t = 0; t < head.tree_count; ++t) {
        const ts_kinematic_tree* tree = &sim->model->tree[t];
        if (!storage->tree_asleep[t]) continue;
        storage->tree_asleep[t] = TS_TREE_FELL;
        memset(sim->free_velocity + tree->dof_first, 0, (size_t)tree->dof_count * sizeof(double));
        memset(storage->new_velocity + tree->dof_first, 0, (size_t)tree->dof_count * sizeof(double));
    }
    return 1;
}

// Impulses to wake with, and how long who was quiet.
uint64_t ts_sleep_hash(const ts_sim* sim, uint64_t hash) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_bed* bed = storage->bed;
    if (!bed) return hash;
    for (int t = 0; t < sim->model->tree_count; ++t) {
        int sleeps = storage->tree_asleep[t] != TS_TREE_AWAKE;
        hash = ts_hash_bytes(hash, &sleeps, sizeof sleeps);
        if (!sleeps) hash = ts_hash_bytes(hash, &bed->tree[t].quiet, sizeof(double));
    }
    for (int i = 0; i < bed->row.count; ++i) {
        const ts_row_memory* row = &bed->row.data[i];
        hash = ts_hash_bytes(hash, row->impulse, sizeof row->impulse);
        for (unsigned k = 0; k < row->more_count; ++k)
            hash = ts_hash_bytes(hash, bed->more.data[row->more + (int)k].number, sizeof bed->more.data->number);
    }
    return ts_hash_bytes(hash, bed->place, (size_t)sim->model->nq * sizeof(double));
}
