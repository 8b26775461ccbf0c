// What is remembered of contacts, against its definition, and with AVX2 as without.
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { BODIES = 4, MOST = 8 * BODIES };

// Boxes on each other on a floor, which slide; they resist rolling where `rolls`.
static fixture heap(double rolls) {
    ts_builder* builder = ts_builder_create("heap");
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    for (int i = 0; i < BODIES; ++i) {
        geom = ts_geom_def_default();
        geom.body = fixture_free_body(builder, ts_vec3_make(0.01 * i, -0.02 * i, 0.0999 + 0.1998 * i), 1.0 + 0.3 * i,
                                      ts_mat3_diagonal(ts_vec3_make(0.02, 0.03, 0.025)));
        geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
        geom.surface.friction = 0.5;
        geom.surface.dimension = rolls > 0.0 ? 6 : 3;
        geom.surface.friction_spin = geom.surface.friction_roll = rolls;
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    }
    return fixture_start(builder, 1);
}

static void expect_vector(const double* is, ts_vec3 should, const char* what, int b) {
    cr_expect(ts_vec3_distance(ts_vec3_load(is), should) <= 1e-14, "block %d: %s", b, what);
}

// To seven digits.
static void expect_place(const float* is, ts_vec3 should, const char* what, int b) {
    cr_expect(is[0] == (float)should.x && is[1] == (float)should.y && is[2] == (float)should.z, "block %d: %s", b,
              what);
}

static void check(const fixture* f, const ts_row_memory* memory, const ts_row_more* more) {
    const ts_sim* sim = f->sim;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_contact* contact = &sim->contact[sim->row_block[b].item];
        const ts_row_memory* m = &memory[sim->row_block[b].item];
        expect_vector(m->impulse, ts_mat3_mul_vec(&contact->frame, contact->impulse), "impulse", b);
        const ts_row_more* n = &more[m->more];
        if (m->more_count > 1)
            expect_vector(n[1].number,
                          ts_mat3_mul_vec(&contact->frame,
                                          ts_sim_contact_rare(sim, (int)(contact - sim->contact))->angular_impulse),
                          "turning", b);
        expect_vector(n->number + TS_CONTACT_NORMAL, ts_mat3_column(&contact->frame, 2), "normal", b);
        expect_vector(n->number + TS_CONTACT_TANGENT, ts_mat3_column(&contact->frame, 0), "tangent", b);
        const ts_transform *a = ts_kinematics_geom(&sim->kinematics, contact->geom_a),
                           *other = ts_kinematics_geom(&sim->kinematics, contact->geom_b);
        expect_place(m->place + TS_CONTACT_ON_A, ts_transform_point_inverse(a, contact->position), "on A", b);
        expect_place(m->place + TS_CONTACT_ON_B, ts_transform_point_inverse(other, contact->position), "on B", b);
    }
}

Test(contact_memory, is_as_defined_and_the_same_with_avx2) {
    for (int k = 0; k < 2; ++k) {
        fixture f = heap(k ? 0.01 : 0.0);
        ts_rng rng = ts_rng_make((uint64_t)k, 0);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 0.2 * ts_rng_normal(&rng);
        int blocks = 0;
        for (int i = 0; i < 40; ++i) {
            cr_assert(ts_sim_foresee(f.sim, NULL) == TS_OK);
            static ts_row_memory narrow[MOST], wide[MOST];
            int count = f.sim->problem.block_count;
            cr_assert_leq(count, MOST);
            static ts_row_more narrow_more[2 * MOST], wide_more[2 * MOST];
            memset(narrow, 0, sizeof narrow);
            memset(narrow_more, 0, sizeof narrow_more);
            for (int b = 0; b < count; ++b) {
                ts_row_memory* m = &narrow[f.sim->row_block[b].item];
                m->more = (k + 1) * b;
                m->more_count = (unsigned)k + 1;
            }
            memcpy(wide, narrow, sizeof wide);
            memset(wide_more, 0, sizeof wide_more);
            ts_contact_remember_blocks_narrow(f.sim, 0, count, narrow, narrow_more);
            ts_contact_remember_blocks(f.sim, 0, count, wide, wide_more);
            cr_expect_arr_eq(narrow, wide, sizeof wide);
            cr_expect_arr_eq(narrow_more, wide_more, sizeof wide_more);
            check(&f, narrow, narrow_more);
            blocks += count;
            fixture_run(&f, 1);
        }
        cr_assert_gt(blocks, 200);
        fixture_end(&f);
    }
}
