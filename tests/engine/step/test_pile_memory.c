// What a pile remembers from step to step: pairs, their contacts and searches, units, and how long push-outs stay away.
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pile_internal.h"
#include "tests/engine/step/pile_fixture.h"

// Entry of a pair, -1: none.
static int entry_of(const ts_pair_memory_array* memory, uint64_t key) {
    for (int i = 0; i < memory->count; ++i)
        if (memory->data[i].key == key) return i;
    return -1;
}

// Pairs come and go, and what is kept of one is never another's: it is what stood there before, or was made in this step.
Test(pile_memory, what_is_kept_stays_with_its_pair) {
    fixture f = fixture_start(heap(), 1);
    ts_sim_storage* storage = ts_sim_storage_of(f.sim);
    ts_pair_memory_array before = {0};
    ts_manifold_kept_array kept = {0};
    ts_pair_search_array search = {0};
    int came = 0, went = 0, stayed = 0, searched = 0;
    for (int step = 0; step < 60; ++step) {
        cr_assert(ts_pair_memory_array_resize(&before, f.sim->pair_memory.count));
        cr_assert(ts_manifold_kept_array_resize(&kept, storage->kept.count));
        cr_assert(ts_pair_search_array_resize(&search, storage->search.count));
        if (before.count > 0) memcpy(before.data, f.sim->pair_memory.data, (size_t)before.count * sizeof *before.data);
        if (kept.count > 0) memcpy(kept.data, storage->kept.data, (size_t)kept.count * sizeof *kept.data);
        if (search.count > 0) memcpy(search.data, storage->search.data, (size_t)search.count * sizeof *search.data);
        fixture_run(&f, 1);
        const ts_pair_memory_array* now = &f.sim->pair_memory;
        cr_assert_eq(now->count, f.sim->info.pair_count);
        cr_assert_eq(storage->kept.count, now->count);
        cr_assert_eq(storage->search.count, now->count);
        for (int i = 0; i < now->count; ++i) {
            ts_manifold_kept one = storage->kept.data[i];
            int old = entry_of(&before, now->data[i].key);
            if (i > 0) cr_assert_lt(now->data[i - 1].key, now->data[i].key);
            came += old < 0;
            if (!one.is_kept || one.age == 0) continue;
            cr_assert_geq(old, 0, "step %d: kept of nothing", step);
            --one.age;
            cr_assert_eq(memcmp(&one, &kept.data[old], sizeof one), 0, "step %d: another's", step);
            cr_assert_eq(memcmp(&now->data[i], &before.data[old], sizeof before.data[old]), 0);
            cr_assert_eq(memcmp(&storage->search.data[i], &search.data[old], sizeof search.data[old]), 0);
            searched += ts_vec3_max_abs(search.data[old].point_a) > 0.0;
            ++stayed;
        }
        for (int i = 0; i < before.count; ++i) went += entry_of(now, before.data[i].key) < 0;
    }
    cr_expect_gt(came, 100);
    cr_expect_gt(went, 20);
    cr_expect_gt(stayed, 500);
    cr_expect_gt(searched, 10);
    ts_pair_memory_array_free(&before);
    ts_manifold_kept_array_free(&kept);
    ts_pair_search_array_free(&search);
    fixture_end(&f);
}

// Only where some two kinds may need a search anything is remembered of one.
Test(pile_memory, boxes_and_balls_remember_no_searches) {
    for (int capsules = 0; capsules < 2; ++capsules) {
        ts_builder* builder = boxes(2, 2, 0.5, 0.0);
        int body = fixture_free_body(builder, ts_vec3_make(0.0, 1.0, 0.08), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, capsules ? ts_shape_capsule(0.04, 0.05) : ts_shape_sphere(0.08), ts_vec3_zero(),
                     0.5);
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, 3);
        cr_assert_gt(f.sim->pair_memory.count, 3);
        cr_expect_eq(ts_sim_storage_of(f.sim)->search.count, capsules ? f.sim->pair_memory.count : 0);
        fixture_end(&f);
    }
}

// What was kept before a reset is not there after it, where it would do, either.
Test(pile_memory, nothing_is_kept_over_a_reset) {
    uint64_t hash[2];
    for (int again = 0; again < 2; ++again) {
        fixture f = fixture_start(boxes(3, 4, 0.5, 0.0), 1);
        fixture_run(&f, 20 * again);
        ts_sim_reset(f.sim);
        fixture_run(&f, 1);
        cr_expect_eq(f.sim->info.kept_pairs, 0);
        fixture_run(&f, 3);
        hash[again] = ts_sim_hash(f.sim);
        fixture_end(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
}

static int units_of(const ts_pairs* pairs) {
    int units = 0;
    for (int i = 0; i < pairs->group_count; ++i)
        for (int k = 0; k < TS_PAIR_LANES; ++k) units += pairs->group[i].island[k] < pairs->island_count;
    return units;
}

static int counted_units(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int units = 0;
    for (int r = 0; r < storage->run_count; ++r) units += storage->contact_run[r].units;
    return units;
}

// Contacts of a unit share what the next step shall know of how they lie, and no others do.
static void check_memory(const ts_sim* sim, int step) {
    int unit = -1;
    ts_row_key key = {0, 0};
    cr_expect_eq(sim->row_more.count, counted_units(sim), "step %d", step);
    cr_assert_eq(sim->row_memory.count, sim->contact_count);
    for (int i = 0, points = 0; i < sim->contact_count; ++i) {
        const ts_row_memory* memory = &sim->row_memory.data[i];
        const double* lay = sim->row_more.data[memory->more].number;
        const ts_mat3 frame = ts_sim_contact(sim, i).frame;
        int begins = memory->key.whole != key.whole || points == TS_PAIR_POINTS;
        points = begins ? 1 : points + 1;
        unit += begins;
        key = memory->key;
        cr_expect(memory->more == unit && memory->more_count == 1, "step %d, contact %d: %d", step, i, memory->more);
        for (int k = 0; k < 3; ++k) {
            cr_expect_eq(lay[TS_CONTACT_NORMAL + k], frame.m[k][2]);
            cr_expect_eq(lay[TS_CONTACT_TANGENT + k], frame.m[k][0]);
        }
    }
}

// There is room for as many units as there are, where pairs have more points than one holds, too.
Test(pile_memory, units_are_counted_before_they_are_made) {
    ts_builder* builder = heap();
    ts_builder_options(builder)->manifold_points = TS_MANIFOLD_CAPACITY;
    int body = fixture_free_body(builder, ts_vec3_make(3.0, 0.0, 0.05), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.2, 0.15, 0.05)), ts_vec3_zero(), 0.5);
    int turned = fixture_free_body(builder, ts_vec3_make(3.0, 0.0, 0.15), -1.0, ts_mat3_zero());
    fixture_geom(builder, turned, ts_shape_box(ts_vec3_make(0.17, 0.17, 0.05)), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder, 1);
    double* q = f.sim->qpos + f.model->joint[f.model->body[turned].joint_first].qpos_first;
    ts_quat_store(ts_quat_normalize(ts_quat_make(1.0, 0.0, 0.0, 0.4)), q + 3);
    int most = 0;
    for (int step = 0; step < 40; ++step) {
        fixture_run(&f, 1);
        const ts_pile* pile = ts_sim_storage_of(f.sim)->unshown;
        cr_assert_not_null(pile, "the test is of a pile");
        cr_expect_eq(counted_units(f.sim), units_of(pile->pairs), "step %d", step);
        check_memory(f.sim, step);
        for (int i = 0, run = 0; i < f.sim->contact_count; ++i) {
            const ts_contact contact = ts_sim_contact(f.sim, i), before = ts_sim_contact(f.sim, i > 0 ? i - 1 : 0);
            int joins = i > 0 && contact.geom_a == before.geom_a && contact.geom_b == before.geom_b;
            run = joins ? run + 1 : 1;
            most = run > most ? run : most;
        }
    }
    cr_expect_eq(most, TS_MANIFOLD_CAPACITY, "one unit would do");
    fixture_end(&f);
}

// How long push-outs stay away is counted on from step to step, contact by contact.
Test(pile_memory, goes_on_counting_how_long_push_outs_stay_away) {
    fixture f = fixture_start(boxes(3, 3, 0.5, 0.0), 1);
    fixture_run(&f, 10);
    cr_assert_not_null(ts_sim_storage_of(f.sim)->unshown, "the test is of a pile");
    int count = f.sim->row_memory.count;
    cr_assert_eq(count, f.sim->contact_count);
    cr_assert_eq(count, 36);
    for (int i = 0; i < count; ++i) {
        f.sim->row_memory.data[i].pause = 1 + i % 3;
        f.sim->row_memory.data[i].last_pause = 1 + i;
    }
    // Of the column that stands first nothing is left.
    f.sim->qpos[2] += 3.0;
    f.sim->qpos[7 + 2] += 4.0;
    f.sim->qpos[14 + 2] += 5.0;
    ts_row_key key[36];
    for (int i = 0; i < count; ++i) key[i] = f.sim->row_memory.data[i].key;
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->row_memory.count, 24);
    for (int i = 0; i < 24; ++i) {
        const ts_row_memory* memory = &f.sim->row_memory.data[i];
        int old = memory->last_pause - 1;
        cr_assert(old >= 0 && old < count);
        cr_expect(key[old].whole == memory->key.whole && key[old].part == memory->key.part, "%d", i);
        cr_expect_eq(memory->pause, old % 3, "%d", i);
    }
    fixture_end(&f);
}

// What has come to rest keeps its contacts, with substeps; where and how it rests is within what that may err by.
Test(pile_memory, keeps_contacts_of_what_rests) {
    fixture kept = fixture_start(boxes(2, 5, 0.5, 0.0), 1), anew = fixture_start(boxes(2, 5, 0.5, 0.0), 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(anew.sim, "keep_contacts", "0", &status), TS_OK, "%s", status.message);
    double most = kept.sim->options.keep_contacts * kept.sim->options.contact_margin;
    fixture_run(&kept, 60);
    fixture_run(&anew, 60);
    cr_expect_eq(anew.sim->info.kept_pairs, 0);
    cr_expect_eq(kept.sim->info.kept_pairs, 10);
    cr_expect_eq(kept.sim->contact_count, anew.sim->contact_count);
    for (int q = 0; q < kept.model->nq; ++q)
        cr_expect_float_eq(kept.sim->qpos[q], anew.sim->qpos[q], 2.0 * most, "%d", q);
    // Moved by hand it is asked again, and so is what it lies on; another margin asks all of them.
    kept.sim->qpos[7 * 9 + 2] += 2.0 * most;
    fixture_run(&kept, 1);
    cr_expect_eq(kept.sim->info.kept_pairs, 9);
    kept.sim->options.contact_margin *= 1.5;
    fixture_run(&kept, 1);
    cr_expect_eq(kept.sim->info.kept_pairs, 0);
    kept.sim->options.substeps = 1;
    fixture_run(&kept, 2);
    cr_expect_eq(kept.sim->info.kept_pairs, 0);
    fixture_end(&kept);
    fixture_end(&anew);
}
