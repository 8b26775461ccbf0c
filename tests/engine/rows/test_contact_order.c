// Contacts become blocks from the top down, pair by pair, against the definition.
#include "engine/rows/contact_order_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/task.h"
#include "engine/sim_internal.h"

enum { CONTACTS_MAX = 400 };

// Pairs of one to four points at random places; heights repeat, so that ties occur.
static int make_contacts(ts_rng* rng, int pairs, ts_contact* contact) {
    int count = 0;
    memset(contact, 0, CONTACTS_MAX * sizeof *contact);
    for (int p = 0; p < pairs; ++p) {
        int points = 1 + (int)(4.0 * ts_rng_uniform(rng));
        for (int k = 0; k < points; ++k, ++count) {
            contact[count].geom_a = p / 3;
            contact[count].geom_b = 100 + p;
            contact[count].position = ts_vec3_make(ts_rng_normal(rng), ts_rng_normal(rng), (p * 7 % 11) * 0.25);
        }
    }
    return count;
}

// The pairs of all contacts, as the search leaves them.
static void find_runs(const ts_contact* contact, int count, ts_contact_run* run, ts_sim_storage* out_storage) {
    int runs = 0;
    for (int i = 0; i < count; ++i) {
        int same = i > 0 && contact[i].geom_a == contact[i - 1].geom_a && contact[i].geom_b == contact[i - 1].geom_b;
        if (!same) run[runs++] = (ts_contact_run){.first = i};
        ts_contact_run* last = &run[runs - 1];
        ts_vec3 sum = ts_vec3_add(ts_vec3_scale(last->count, last->centre), contact[i].position);
        last->centre = ts_vec3_scale(1.0 / ++last->count, sum);
    }
    *out_storage = (ts_sim_storage){.contact_run = run, .run_count = runs};
}

// The contacts in the order of their pairs.
static void list_contacts(ts_sim* sim, int* out_order) {
    const ts_contact_run* run = ts_sim_storage_of(sim)->contact_run;
    const int* runs = ts_contact_order_runs(sim);
    cr_assert_not_null(runs);
    for (int k = 0, at = 0; k < ts_sim_storage_of(sim)->run_count; ++k)
        for (int i = 0; i < run[runs[k]].count; ++i) out_order[at++] = run[runs[k]].first + i;
}

Test(contact_order, is_top_down_by_pairs_and_stable) {
    static ts_contact contact[CONTACTS_MAX];
    static ts_contact_run run[CONTACTS_MAX];
    static ts_sim_storage storage;
    ts_rng rng = ts_rng_make(81, 0);
    ts_sim sim;
    memset(&sim, 0, sizeof sim);
    sim.storage = &storage;
    for (int pairs = 0; pairs <= 100; pairs += pairs < 20 ? 1 : 16) {
        sim.contact = contact;
        sim.contact_count = make_contacts(&rng, pairs, contact);
        sim.options.gravity = ts_vec3_make(0.0, 0.0, -9.81);
        find_runs(contact, sim.contact_count, run, &storage);
        int seen[CONTACTS_MAX] = {0};
        int order[CONTACTS_MAX];
        list_contacts(&sim, order);
        for (int b = 0; b < sim.contact_count; ++b) {
            cr_assert(order[b] >= 0 && order[b] < sim.contact_count);
            cr_assert_eq(seen[order[b]]++, 0, "contact %d twice", order[b]);
            if (b == 0) continue;
            const ts_contact *before = &contact[order[b - 1]], *now = &contact[order[b]];
            cr_expect_geq(before->position.z, now->position.z, "%d pairs, block %d", pairs, b);
            if (before->position.z == now->position.z) cr_expect_lt(order[b - 1], order[b], "block %d", b);
        }
        ts_arena_reset(&sim.scratch);
    }
    ts_arena_free(&sim.scratch);
}

// Points of a pair stay together although those of another lie between them, and "up" is against gravity.
Test(contact_order, keeps_pairs_together_and_follows_gravity) {
    ts_contact contact[4];
    memset(contact, 0, sizeof contact);
    const double x[4] = {0.0, 2.0, 1.5, 1.6};
    for (int i = 0; i < 4; ++i) {
        contact[i].geom_b = 1 + i / 2;
        contact[i].position = ts_vec3_make(x[i], 0.0, 5.0 * i);
    }
    ts_sim sim;
    memset(&sim, 0, sizeof sim);
    sim.contact = contact;
    sim.contact_count = 4;
    ts_contact_run run[4];
    static ts_sim_storage storage;
    find_runs(contact, 4, run, &storage);
    sim.storage = &storage;
    // Up is +x: the second pair has the higher mean, 1.55 against 1.
    sim.options.gravity = ts_vec3_make(-3.0, 0.0, 0.0);
    int order[4];
    list_contacts(&sim, order);
    const int up_x[4] = {2, 3, 0, 1}, as_is[4] = {0, 1, 2, 3};
    cr_expect_arr_eq(order, up_x, sizeof up_x);
    sim.options.gravity = ts_vec3_make(3.0, 0.0, 0.0);
    list_contacts(&sim, order);
    cr_expect_arr_eq(order, as_is, sizeof as_is);
    sim.options.gravity = ts_vec3_zero();
    list_contacts(&sim, order);
    cr_expect_arr_eq(order, as_is, sizeof as_is, "without gravity nothing moves");
    ts_arena_free(&sim.scratch);
}

// Thousands of pairs in a few layers, which threads share: sorted, ties as they were, and all of them.
Test(contact_order, is_the_same_where_threads_share_it) {
    enum { RUNS = 6000 };
    static ts_contact_run run[RUNS];
    static ts_sim_storage storage;
    ts_rng rng = ts_rng_make(5, 0);
    ts_sim sim;
    memset(&sim, 0, sizeof sim);
    for (int r = 0; r < RUNS; ++r) {
        double z = r % 7 + 1e-3 * (int)(50.0 * ts_rng_uniform(&rng));
        run[r] = (ts_contact_run){.first = r, .count = 1, .centre = ts_vec3_make(0.0, 0.0, z)};
    }
    storage = (ts_sim_storage){.contact_run = run, .run_count = RUNS};
    sim.storage = &storage;
    sim.options.gravity = ts_vec3_make(0.0, 0.0, -9.81);
    for (int workers = 1; workers <= 3; ++workers) {
        static int seen[RUNS];
        memset(seen, 0, sizeof seen);
        sim.tasks = ts_task_pool_create(workers);
        const int* order = ts_contact_order_runs(&sim);
        cr_assert_not_null(order);
        for (int k = 0; k < RUNS; ++k) {
            cr_assert(order[k] >= 0 && order[k] < RUNS);
            cr_assert_eq(seen[order[k]]++, 0, "pair %d twice", order[k]);
            if (k == 0) continue;
            double before = run[order[k - 1]].centre.z, now = run[order[k]].centre.z;
            cr_assert(before > now || (before == now && order[k - 1] < order[k]), "%d workers, %d", workers, k);
        }
        ts_task_pool_destroy(sim.tasks);
        ts_arena_reset(&sim.scratch);
    }
    ts_arena_free(&sim.scratch);
}
