// The list of a step's blocks, kept from the last step where it can be, against one that is made anew.
#include "engine/rows/row_plan_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { BODIES = 6, STEPS = 500 };

// Boxes and balls that fall on each other, roll and slide; contacts of one box have no friction.
static fixture heap(void) {
    ts_builder* builder = ts_builder_create("heap");
    fixture_floor(builder, 0.1, 0.3);
    for (int i = 0; i < BODIES; ++i) {
        ts_geom_def geom = ts_geom_def_default();
        geom.body = fixture_free_body(builder, ts_vec3_make(0.03 * i, 0.02 * i, 0.15 + 0.22 * i), -1.0, ts_mat3_zero());
        geom.shape = i % 3 == 2 ? ts_shape_sphere(0.08) : ts_shape_box(ts_vec3_make(0.1, 0.08, 0.1));
        geom.surface.friction = 0.3;
        geom.surface.dimension = i == 1 ? 1 : 3;
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    }
    fixture f = fixture_start(builder, 1);
    for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 0.3 * sin(d);
    return f;
}

static void compare(const fixture* a, const fixture* b, int step) {
    const ts_row_plan *x = ts_sim_storage_of(a->sim)->row_plan, *y = ts_sim_storage_of(b->sim)->row_plan;
    cr_assert_eq(x->block_count, y->block_count, "step %d", step);
    cr_assert_eq(x->row_count, y->row_count);
    cr_assert_eq(x->segment_count, y->segment_count);
    cr_assert_eq(x->number_count, y->number_count);
    cr_assert_eq(x->tree_most, y->tree_most);
    cr_assert_eq(x->wide_most, y->wide_most);
    for (int i = 0; i < x->block_count; ++i) {
        const ts_row_block *p = &x->owner[i], *q = &y->owner[i];
        cr_assert(p->key.whole == q->key.whole && p->key.part == q->key.part && p->source == q->source &&
                      p->item == q->item && p->memory == q->memory && p->blocked == q->blocked,
                  "step %d, block %d", step, i);
        cr_assert(x->block[i].set == y->block[i].set && x->block[i].row == y->block[i].row &&
                  x->block[i].rows == y->block[i].rows && x->block[i].mu == y->block[i].mu);
        cr_assert_eq(x->block_row[i + 1], y->block_row[i + 1]);
        cr_assert_eq(x->segment_start[i + 1], y->segment_start[i + 1]);
    }
    for (int s = 0; s < x->segment_count; ++s)
        cr_assert(x->segment[s].column == y->segment[s].column && x->segment[s].count == y->segment[s].count);
    cr_assert_eq(ts_sim_hash(a->sim), ts_sim_hash(b->sim), "step %d", step);
}

Test(row_plan, what_is_kept_is_what_would_be_listed) {
    fixture keeps = heap(), lists = heap();
    int kept = 0, changed = 0;
    for (int i = 0; i < STEPS; ++i) {
        const ts_row_plan* plan = ts_sim_storage_of(keeps.sim)->row_plan;
        int before = plan->block_count;
        ts_sim_storage_of(lists.sim)->row_plan->block_count = 0;  // of a plan of nothing nothing is kept
        fixture_run(&keeps, 1);
        fixture_run(&lists, 1);
        compare(&keeps, &lists, i);
        kept += plan->known > 0 && plan->block_count > 0;
        changed += before != plan->block_count;
    }
    cr_expect_geq(kept, STEPS / 4, "%d", kept);
    cr_expect_geq(changed, 20, "%d", changed);
    fixture_end(&lists);
    fixture_end(&keeps);
}

// What changes while contacts stay is of now.
Test(row_plan, friction_is_of_now) {
    fixture f = heap();
    ts_surface_move* move = (ts_surface_move*)calloc((size_t)f.model->geom_count, sizeof *move);
    fixture_run(&f, 200);
    for (int g = 0; g < f.model->geom_count; ++g) move[g].friction = 0.05;
    ts_sim_storage_of(f.sim)->surface_move = move;
    fixture_run(&f, 1);
    const ts_row_plan* plan = ts_sim_storage_of(f.sim)->row_plan;
    cr_assert_gt(plan->block_count, 0);
    for (int b = 0; b < plan->block_count; ++b)
        cr_expect_eq(plan->block[b].mu, f.sim->contact[plan->owner[b].item].surface.friction);
    ts_sim_storage_of(f.sim)->surface_move = NULL;
    fixture_end(&f);
    free(move);
}
