// Contacts of lone bodies in one go against the rows and the law of their source, one after the other: the bits are the same.
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

enum { BODIES = 5 };

// A heap that is pressed and sheared: boxes that lie on each other, in turn of unequal inertia.
static fixture heap(double restitution) {
    ts_builder* builder = ts_builder_create("heap");
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    for (int i = 0; i < BODIES; ++i) {
        ts_mat3 inertia = ts_mat3_diagonal(ts_vec3_make(0.02 + 0.001 * i, 0.03, 0.025));
        inertia.m[0][1] = inertia.m[1][0] = 0.002;
        int body =
            fixture_free_body(builder, ts_vec3_make(0.01 * i, -0.02 * i, 0.0999 + 0.1998 * i), 1.0 + 0.3 * i, inertia);
        geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
        geom.surface.friction = 0.5;
        geom.surface.restitution = restitution;
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    }
    return fixture_start(builder, 1);
}

// What the source says of block b itself.
typedef struct told {
    double J[2][18], reference[TS_BLOCK_ROWS_MAX], R[TS_BLOCK_ROWS_MAX], impulse[TS_BLOCK_ROWS_MAX];
    ts_row_speeds speeds;
    ts_vec3 before;
} told;

static void ask(ts_sim* sim, int b, told* out) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    ts_row_piece piece[2];
    int count = 0, slowed = 0;
    memset(out, 0, sizeof *out);
    memset(piece, 0, sizeof piece);
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s, ++count) {
        int tree = sim->model->dof[plan->segment[s].column].tree;
        piece[count] = (ts_row_piece){.J = out->J[count],
                                      .tree = tree,
                                      .is_free_body = 1,
                                      .dof_first = sim->model->tree[tree].dof_first,
                                      .dof_count = 6,
                                      .segment_first = s};
    }
    ts_row_jacobian J = {.sim = sim, .piece = piece, .piece_count = count, .speeds = &out->speeds};
    ts_row_contact.jacobian(sim, b, &J);
    ts_row_law law = {&out->speeds, &J, out->reference, out->R, out->impulse, 0, &slowed};
    ts_row_contact.law(sim, b, &law);
    out->before = sim->contact[sim->row_block[b].item].velocity_before;
}

// Blocks done in one go: their rows lie as in the problem.
typedef struct done_at_once {
    double J[BODIES * 8 * 36], g[BODIES * 8][3], reference[BODIES * 8][3], impulse[BODIES * 8][3],
        before[BODIES * 8][3];
} done_at_once;

// Block b of the step, `at` the number of it among those that were done at once and began to be stored at J.
static void compare_block(fixture* f, int b, const done_at_once* other, int at, const double* J) {
    const ts_row_plan* plan = ts_sim_storage_of(f->sim)->row_plan;
    const ts_delassus_segment* segment = &plan->segment[plan->segment_start[b]];
    int bodies = plan->segment_start[b + 1] - plan->segment_start[b];
    ts_vec3 before = f->sim->contact[plan->owner[b].item].velocity_before;
    told one;
    ask(f->sim, b, &one);
    cr_assert_arr_eq(J, one.J[0], 18 * (size_t)bodies * sizeof(double));
    cr_assert_arr_eq(other->reference[at], one.reference, 3 * sizeof(double));
    cr_assert_arr_eq(other->impulse[at], one.impulse, 3 * sizeof(double));
    cr_assert_arr_eq(other->before[at], one.speeds.now, 3 * sizeof(double));
    cr_assert_arr_eq(&before, &one.before, sizeof before);
    for (int r = 0; r < 3; ++r) {
        double g = one.speeds.free[r] - one.reference[r];
        cr_assert_arr_eq(&other->g[at][r], &g, sizeof g);
        // And so has assembly.
        cr_assert_eq(f->sim->problem.g[3 * b + r], g);
    }
    cr_assert_arr_eq(segment->J, one.J[0], 18 * (size_t)bodies * sizeof(double));
    cr_assert_arr_eq(ts_sim_storage_of(f->sim)->reference + 3 * b, one.reference, 3 * sizeof(double));
    cr_assert_arr_eq(f->sim->impulse + 3 * b, one.impulse, 3 * sizeof(double));
}

// Steps, and after each asks for the next one's blocks in both ways. Returns how many were done in one go.
static int compare(fixture* f, int steps) {
    int done = 0;
    for (int i = 0; i < steps; ++i) {
        fixture_run(f, 1);
        cr_assert(ts_sim_forward(f->sim, NULL) == TS_OK);
        const ts_row_plan* plan = ts_sim_storage_of(f->sim)->row_plan;
        cr_assert(plan->block_count > 0);
        for (int b = 0, count; b<plan->block_count; b += count> 0 ? count : 1) {
            static done_at_once other;
            memset(&other, 0, sizeof other);
            ts_row_place place = {other.J, other.g[0], other.reference[0], other.impulse[0], other.before[0]};
            count = ts_contact_fill_lone(f->sim, plan, b, plan->block_count, &place);
            int bodies = plan->segment_start[b + 1] - plan->segment_start[b];
            for (int k = 0; k < count; ++k) {
                cr_assert_eq(plan->owner[b + k].key.whole, plan->owner[b].key.whole, "of another pair");
                compare_block(f, b + k, &other, k, other.J + (ptrdiff_t)(18 * bodies) * k);
            }
            // No further than it is told.
            cr_assert_eq(count == 0 ? 0 : ts_contact_fill_lone(f->sim, plan, b, b + 1, &place), count > 0);
            done += count;
        }
    }
    return done;
}

Test(contact_lone, have_the_bits_of_rows_and_law) {
    for (int seed = 0; seed < 4; ++seed) {
        fixture f = heap(0.0);
        ts_rng rng = ts_rng_make((uint64_t)seed, 0);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 0.3 * ts_rng_normal(&rng);
        cr_assert_gt(compare(&f, 60), 200);
        fixture_end(&f);
    }
}

Test(contact_lone, leave_what_bounces_to_the_source) {
    fixture f = heap(0.5);
    cr_assert_eq(compare(&f, 5), 0);
    fixture_end(&f);
}
