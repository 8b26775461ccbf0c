// Contacts of a pile, four units side by side, against one by one as narrow.c and the rows of contacts have them; and the same bits with other vectors.
#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/narrow_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"
#include "tests/engine/engine_fixture.h"

enum { PARTS = 2, HIGH = 4, COLUMNS = 5, GROUPS = 8, LANES = TS_PAIR_LANES };

// Columns of boxes; the upper ones are small, and so lie with fewer points on an edge of those below.
static ts_builder* columns(void) {
    ts_builder* builder = ts_builder_create("columns");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    options->substeps = PARTS;
    options->iterations = 8;
    memcpy(options->solver, "ncp-pgs", sizeof "ncp-pgs");
    fixture_floor(builder, 0.6, 0.0);
    for (int c = 0; c < COLUMNS; ++c)
        for (int k = 0; k < HIGH; ++k) {
            ts_geom_def geom = ts_geom_def_default();
            geom.body = fixture_free_body(builder, ts_vec3_make(c, 0.02 * k * c, 0.1 + 0.2 * k), 2.0,
                                          ts_mat3_diagonal(ts_vec3_make(0.03, 0.04, 0.05)));
            geom.shape = k == HIGH - 1 && c % 2 ? ts_shape_sphere(0.1) : ts_shape_box(ts_vec3_make(0.2, 0.2, 0.1));
            geom.pose.rotation = ts_quat_normalize(ts_quat_make(1.0, 0.0, 0.0, 0.2 + 0.1 * c));
            geom.surface.friction = 0.3 + 0.1 * k;
            cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
        }
    return builder;
}

// What is remembered becomes what others may have left: of another solver, invalid, turned, of another time step, or nothing.
static void disturb(fixture* f, ts_rng* rng) {
    for (int i = 0; i < f->sim->row_memory.count; ++i) {
        ts_row_memory* memory = &f->sim->row_memory.data[i];
        int kind = (int)(16.0 * ts_rng_uniform(rng));
        ts_vec3 normal = ts_contact_remembered(memory, TS_CONTACT_NORMAL),
                tangent = ts_contact_remembered(memory, TS_CONTACT_TANGENT);
        if (kind == 0) memory->keeper = 0;
        if (kind == 1) memory->valid = 0;
        if (kind == 2) memory->time_step *= 0.5;
        if (kind == 3)
            ts_vec3_store(ts_vec3_add_scaled(ts_vec3_scale(0.8, tangent), 0.6, ts_vec3_cross(normal, tangent)),
                          memory->own + TS_CONTACT_TANGENT);
        if (kind == 4) ts_vec3_store(ts_vec3_neg(normal), memory->own + TS_CONTACT_NORMAL);
        if (kind == 5) memory->key.part ^= 0xffff;
        if (kind == 6) memory->solver *= 3.0;
        memory->impulse[0] += 0.1 * ts_rng_normal(rng);
    }
}

// The contacts of a step, found and not yet written, as four units of each group; some lanes are empty.
typedef struct laid {
    ts_pile pile;
    ts_pile_layout layout;
    ts_pile_unit whose[LANES * GROUPS];
    ts_pair_unit unit[LANES * GROUPS];
    ts_vec3 centre[2 * LANES * GROUPS + 2];
    ts_pile_contact contact[2 * LANES * LANES * GROUPS];
    int of_lane[LANES * (GROUPS + 1)];
    int groups;
} laid;

static void lay(fixture* f, ts_rng* rng, laid* l) {
    ts_sim* sim = f->sim;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pair* pairs;
    int count;
    storage->substep_count = PARTS;
    ts_step_kinematics(sim);
    cr_assert_eq(ts_step_broad_phase(sim, &pairs, &count), TS_OK);
    cr_assert_eq(ts_step_narrow_phase(sim, pairs, count), TS_OK);
    cr_assert(storage->contacts_wait);
    memset(l, 0, sizeof *l);
    l->layout = (ts_pile_layout){.sim = sim, .pile = &l->pile, .centre = l->centre, .unit = l->unit, .whose = l->whose};
    l->pile.contact = l->contact;
    for (int b = 1; b < 2 * LANES * GROUPS + 1; ++b) l->centre[b] = ts_vec3_make(b, ts_rng_normal(rng), 0.1);
    int at = 0;
    for (int r = 0; r < storage->run_count; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        const int* memory = storage->contact_memory_index + run->first;
        cr_assert_eq(run->units, 1);
        ts_pile_unit unit = {run->point, run->first, run->count, r, memory[0]};
        for (int k = 0; k < run->count; ++k)
            if (memory[k] < 0 || memory[k] != memory[0] + k) unit.memory = -1;
        if (at % 7 == 6) l->of_lane[at++] = -1;
        cr_assert_lt(at, LANES * GROUPS);
        l->whose[r] = unit;
        l->unit[r] = (ts_pair_unit){{1 + 2 * r, 2 + 2 * r}, run->first, run->count, 0.0};
        l->of_lane[at++] = r;
    }
    l->groups = (at + LANES - 1) / LANES;
    for (; at < LANES * (GROUPS + 1); ++at) l->of_lane[at] = -1;
}

// A group as pairs hand it out, full of what means nothing.
typedef struct group {
    ts_pair_group group;
    ts_pair_point point[LANES];
    ts_pair_track track[LANES];
} group;

static void fill(laid* l, int g, void (*by)(void*, const int*, const ts_pair_seat*), group* out) {
    memset(out, 0x7f, sizeof *out);
    out->group.count = 0;
    for (int i = 0; i < LANES; ++i) {
        int u = l->of_lane[LANES * g + i];
        out->group.body[0][i] = u >= 0 ? l->unit[u].body[0] : 0;
        out->group.body[1][i] = u >= 0 ? l->unit[u].body[1] : 0;
        if (u >= 0 && l->unit[u].count > out->group.count) out->group.count = l->unit[u].count;
    }
    ts_pair_seat seat = {&out->group, out->point, out->track};
    by(&l->layout, l->of_lane + LANES * g, &seat);
}

static void expect_vector(const ts_pair_vector* v, int lane, ts_vec3 wanted, const char* what) {
    ts_vec3 is = ts_pair_vector_get(v, lane);
    cr_expect(is.x == wanted.x && is.y == wanted.y && is.z == wanted.z, "%s: off by %g", what,
              ts_vec3_distance(is, wanted));
}

// Of one contact, to the bit: what it begins with, from what is remembered, in a frame of its own and then in that of its unit.
static void expect_start(const laid* l, const group* g, int lane, int k, const ts_pile_unit* unit) {
    const ts_sim* sim = l->layout.sim;
    int memory = ts_sim_storage_of(sim)->contact_memory_index[unit->first + k];
    const ts_row_memory* old = memory >= 0 ? &sim->row_memory.data[memory] : NULL;
    ts_vec3 normal = unit->point->normal, wanted = ts_vec3_zero();
    double share = old ? ts_contact_start_share(sim, old, normal) : 0.0, mean = 0.0;
    ts_known_frame own = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero(), .frame = ts_mat3_zero()};
    ts_narrow_frame(sim, &ts_sim_storage_of(sim)->contact_run[unit->run], normal, old, &own);
    if (share != 0.0) wanted = ts_vec3_scale(share, ts_mat3_mul_vec_transposed(&own.frame, ts_vec3_load(old->impulse)));
    if (old && old->keeper == TS_ROW_KEEPER_PILE) mean = share * old->solver;
    int counts = wanted.z > 0.25 * mean && 0.25 * wanted.z < mean;
    if (counts) wanted.z += ts_pile_leak(PARTS) * (mean - wanted.z);
    const ts_pile_contact* taken = &l->contact[unit->first + k];
    cr_expect_eq(taken->mean, counts ? mean : 0.0);
    cr_expect_eq(taken->steps, counts ? old->steps : 0);
    cr_expect_eq(taken->feature, unit->point[k].feature);
    ts_vec3 x = ts_pair_vector_get(&g->group.tangent, lane), t = ts_mat3_column(&own.frame, 0);
    ts_mat3 frame = ts_mat3_from_columns(x, ts_vec3_cross(normal, x), normal);
    if (x.x != t.x || x.y != t.y || x.z != t.z)
        wanted = ts_mat3_mul_vec_transposed(&frame, ts_mat3_mul_vec(&own.frame, wanted));
    expect_vector(&g->point[k].lambda, lane, wanted, "start");
}

static void expect_lane(const laid* l, const group* g, int lane, int u) {
    const ts_sim* sim = l->layout.sim;
    const ts_pile_unit* unit = u >= 0 ? &l->whose[u] : NULL;
    for (int k = unit ? unit->count : 0; k < g->group.count; ++k) {
        expect_vector(&g->point[k].lever, lane, ts_vec3_zero(), "lever of none");
        expect_vector(&g->point[k].lambda, lane, ts_vec3_zero(), "start of none");
        cr_expect_eq(g->track[k].gap[lane], 0.0);
    }
    if (!unit) {
        expect_vector(&g->group.normal, lane, ts_vec3_zero(), "normal of none");
        expect_vector(&g->group.tangent, lane, ts_vec3_zero(), "tangent of none");
        cr_expect_eq(g->group.friction[lane], 0.0);
        return;
    }
    const ts_contact_run* run = &ts_sim_storage_of(sim)->contact_run[unit->run];
    int memory = ts_sim_storage_of(sim)->contact_memory_index[unit->first];
    ts_known_frame known = {.normal = ts_vec3_zero(), .wanted = ts_vec3_zero(), .frame = ts_mat3_zero()};
    ts_narrow_frame(sim, run, unit->point->normal, memory >= 0 ? &sim->row_memory.data[memory] : NULL, &known);
    ts_vec3 a = l->centre[l->unit[u].body[0]], b = l->centre[l->unit[u].body[1]];
    expect_vector(&g->group.normal, lane, unit->point->normal, "normal");
    expect_vector(&g->group.tangent, lane, ts_mat3_column(&known.frame, 0), "tangent");
    expect_vector(&g->group.offset, lane, ts_vec3_sub(a, b), "offset");
    cr_expect_eq(g->group.friction[lane], run->surface.friction);
    for (int k = 0; k < unit->count; ++k) {
        expect_vector(&g->point[k].lever, lane, ts_vec3_sub(unit->point[k].position, a), "lever");
        cr_expect_eq(g->track[k].gap[lane], unit->point[k].gap);
        expect_start(l, g, lane, k, unit);
    }
}

Test(pile_fill, is_what_contacts_are_one_by_one) {
    ts_rng rng = ts_rng_make(21, 0);
    laid* l = (laid*)malloc(sizeof *l);
    cr_assert_not_null(l);
    for (int round = 0; round < 20; ++round) {
        fixture f = fixture_start(columns(), 1);
        fixture_run(&f, 12);
        if (round > 0) disturb(&f, &rng);
        lay(&f, &rng, l);
        cr_assert_gt(l->groups, 4);
        for (int n = 0; n < l->groups; ++n) {
            group g;
            fill(l, n, ts_pile_fill_plain, &g);
            for (int lane = 0; lane < LANES; ++lane) expect_lane(l, &g, lane, l->of_lane[LANES * n + lane]);
        }
        fixture_end(&f);
    }
    free(l);
}

#if defined(__x86_64__) && defined(__GNUC__)
Test(pile_fill, wide_code_gives_the_same_bits) {
    if (!__builtin_cpu_supports("avx2")) cr_skip_test("no AVX2 here");
    ts_rng rng = ts_rng_make(22, 0);
    laid *a = (laid*)malloc(sizeof *a), *b = (laid*)malloc(sizeof *b);
    cr_assert(a && b);
    for (int round = 0; round < 20; ++round) {
        fixture f = fixture_start(columns(), 1);
        fixture_run(&f, 12);
        if (round > 0) disturb(&f, &rng);
        lay(&f, &rng, a);
        memcpy(b, a, sizeof *b);
        b->pile.contact = b->contact;
        b->layout.pile = &b->pile;
        for (int n = 0; n < a->groups; ++n) {
            group plain, wide;
            fill(a, n, ts_pile_fill_plain, &plain);
            fill(b, n, ts_pile_fill_wide, &wide);
            cr_expect_eq(memcmp(&plain, &wide, sizeof plain), 0, "round %d, group %d", round, n);
        }
        cr_expect_eq(memcmp(a->contact, b->contact, sizeof a->contact), 0, "round %d", round);
        fixture_end(&f);
    }
    free(a);
    free(b);
}
#endif
