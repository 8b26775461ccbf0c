// What pairs of a pile begin with: four units at once are held to one at a time, to the bit.
#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/found_internal.h"
#include "engine/step/pile_fill_internal.h"
#include "engine/step/pile_start_internal.h"
#include "tests/engine/engine_fixture.h"

enum { COLUMNS = 4, PARTS = 4, UNITS = 2 * COLUMNS, POINTS = TS_PAIR_POINTS };

// Columns of two boxes, no two of which lie alike; every other one lies on its side.
static ts_builder* columns(void) {
    ts_builder* builder = ts_builder_create("columns");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    options->substeps = PARTS;
    options->iterations = 10;
    memcpy(options->solver, "ncp-pgs", sizeof "ncp-pgs");
    fixture_floor(builder, 0.6, 0.0);
    for (int c = 0; c < COLUMNS; ++c)
        for (int k = 0; k < 2; ++k) {
            ts_body_def def = ts_body_def_default();
            def.pose.position = ts_vec3_make(0.6 * c, 0.01 * c, 0.1 + 0.2 * k);
            ts_quat side = ts_quat_from_axis_angle(ts_vec3_axis(0), c % 2 ? 0.5 * acos(-1.0) : 0.0);
            def.pose.rotation = ts_quat_mul(ts_quat_from_axis_angle(ts_vec3_axis(2), 0.3 * c + 0.1 * k), side);
            ts_joint_def joint = ts_joint_def_default();
            ts_geom_def geom = ts_geom_def_default();
            geom.body = joint.body = ts_builder_add_body(builder, &def);
            joint.type = TS_JOINT_FREE;
            cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
            geom.shape = ts_shape_box(c % 2 ? ts_vec3_make(0.2, 0.1, 0.15) : ts_vec3_make(0.2, 0.15, 0.1));
            geom.surface.friction = 0.4 + 0.1 * c;
            cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
        }
    return builder;
}

// The first substep of the next step as far as contacts are found.
static void find_contacts(fixture* f) {
    ts_sim_storage* storage = ts_sim_storage_of(f->sim);
    ts_pair* pairs;
    int count;
    f->sim->options.time_step /= PARTS;
    storage->substep_count = PARTS;
    storage->leak = ts_pile_leak(PARTS);
    ts_step_kinematics(f->sim);
    cr_assert_eq(ts_step_broad_phase(f->sim, &pairs, &count), TS_OK);
    cr_assert_eq(ts_step_narrow_phase(f->sim, pairs, count), TS_OK);
    cr_assert_not_null(storage->found, "it may be a pile");
}

// Where four units go.
typedef struct seats {
    ts_pair_group group;
    ts_pair_point point[POINTS];
    ts_pair_track track[POINTS];
    ts_contact_note note[4 * UNITS];
} seats;

typedef int (*filler)(void* context, const int* unit, const ts_pair_seat* seat);

typedef struct scene {
    fixture f;
    ts_pile_fill fill;
    ts_vec3 centre[UNITS + 2];
    ts_pair_unit unit[UNITS];
    int run_of[UNITS];
} scene;

static void list_units(scene* s) {
    const ts_sim* sim = s->f.sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    cr_assert_eq(storage->run_count, UNITS);
    for (int b = 1; b < sim->model->body_count; ++b)
        s->centre[1 + storage->body_tree[b]] = sim->kinematics.body_centre[b];
    for (int r = 0; r < UNITS; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        cr_assert_eq(run->count, POINTS);
        s->unit[r] = (ts_pair_unit){
            {1 + storage->body_tree[run->body[0]], 1 + storage->body_tree[run->body[1]]}, run->first, POINTS, 0.0};
        s->run_of[r] = r;
    }
    s->fill = (ts_pile_fill){s->f.sim, s->centre, s->unit, s->run_of};
}

// Notes go back to what the search has left of them.
static void keep_notes(const scene* s, ts_contact_note* kept, seats* out) {
    ts_contact_note* note = ts_sim_storage_of(s->f.sim)->contact_note;
    if (out) memcpy(out->note, note, sizeof out->note);
    memcpy(note, kept, sizeof out->note);
}

static int fill_by(scene* s, filler four, const int* units, seats* out) {
    ts_contact_note before[4 * UNITS];
    memset(out, 0, sizeof *out);
    memcpy(before, ts_sim_storage_of(s->f.sim)->contact_note, sizeof before);
    ts_pair_seat seat = {0, &out->group, out->point, out->track};
    int done = 1;
    if (four)
        done = four(&s->fill, units, &seat);
    else
        for (; seat.lane < TS_PAIR_LANES; ++seat.lane) ts_pile_fill_unit(&s->fill, units[seat.lane], &seat);
    keep_notes(s, before, out);
    return done;
}

// As many of them as this machine has.
static int list_fillers(filler out[2]) {
    out[0] = ts_pile_fill_four_plain;
#if defined(__GNUC__) && defined(__x86_64__)
    out[1] = ts_pile_fill_four_wide;
    if (__builtin_cpu_supports("avx2")) return 2;
#endif
    return 1;
}

static void expect_same(scene* s, const int* units) {
    seats one, four;
    cr_assert(fill_by(s, NULL, units, &one));
    cr_expect_gt(one.point[0].lambda.at[2][0], 0.0, "it goes on with what it had");
    cr_expect_gt(one.note[s->unit[units[0]].first].mean, 0.0);
    filler fillers[2];
    for (int k = list_fillers(fillers) - 1; k >= 0; --k) {
        cr_expect(fill_by(s, fillers[k], units, &four));
        cr_expect_eq(memcmp(&four, &one, sizeof one), 0);
    }
}

// `turn`: rad, of every other body since the last step.
static void compare(double turn) {
    scene s = {.f = fixture_start(columns(), 1)};
    fixture_run(&s.f, 30);
    // The last step's means are other than its impulses.
    for (int i = 0; i < s.f.sim->row_memory.count; ++i) s.f.sim->row_memory.data[i].solver *= 1.0 + 0.01 * i;
    // Tangents that nobody would choose anew.
    for (int i = 0; i < s.f.sim->row_more.count; ++i) {
        double* n = s.f.sim->row_more.data[i].number;
        ts_vec3_store(ts_vec3_cross(ts_vec3_load(n), ts_vec3_load(n + 3)), n + 3);
    }
    // Far more than its mean: it begins anew.
    s.f.sim->row_memory.data[3].solver *= 0.01;
    for (int t = 0; t < s.f.model->tree_count; t += 2) {
        double* q = s.f.sim->qpos + 7 * t + 3;
        ts_quat more = ts_quat_from_axis_angle(ts_vec3_make(0.6, 0.8, 0.0), turn);
        ts_quat to = ts_quat_mul(more, ts_quat_make(q[0], q[1], q[2], q[3]));
        q[0] = to.w, q[1] = to.x, q[2] = to.y, q[3] = to.z;
    }
    find_contacts(&s.f);
    list_units(&s);
    expect_same(&s, (const int[]){0, 1, 2, 3});
    expect_same(&s, (const int[]){4, 5, 6, 7});
    expect_same(&s, (const int[]){7, 0, 5, 2});
    fixture_end(&s.f);
}

Test(pile_fill, four_units_that_lie_as_they_did) { compare(0.0); }

Test(pile_fill, four_units_of_which_some_have_turned) { compare(1e-5); }

// A unit of which a point is new, or the search says too little, is filled alone.
Test(pile_fill, leaves_what_is_new) {
    static const int units[] = {0, 1, 2, 3};
    filler fillers[2];
    scene s = {.f = fixture_start(columns(), 1)};
    fixture_run(&s.f, 30);
    find_contacts(&s.f);
    list_units(&s);
    for (int k = list_fillers(fillers) - 1; k >= 0; --k) {
        seats four, nothing;
        ts_sim* sim = s.f.sim;
        int *known = &ts_sim_storage_of(sim)->contact_memory_index[s.unit[2].first + 1], was = *known;
        ts_row_memory* old = &sim->row_memory.data[was];
        memset(&nothing, 0, sizeof nothing);
        *known = -1;
        cr_expect_not(fill_by(&s, fillers[k], units, &four));
        *known = was;
        cr_expect_eq(memcmp(&four, &nothing, offsetof(seats, note)), 0);
        old->valid = 0;
        cr_expect_not(fill_by(&s, fillers[k], units, &four));
        old->valid = 1;
        old->keeper = 0;
        cr_expect_not(fill_by(&s, fillers[k], units, &four));
        old->keeper = TS_ROW_KEEPER_PILE;
        sim->options.warm_start = 0;
        cr_expect_not(fill_by(&s, fillers[k], units, &four));
        sim->options.warm_start = 1;
        cr_expect(fill_by(&s, fillers[k], units, &four));
        // Half a turn of a normal, of which the last step's impulse says nothing.
        for (int i = 0; i < 3; ++i) sim->row_more.data[old->more].number[i] *= -1.0;
        cr_expect_not(fill_by(&s, fillers[k], units, &four));
        for (int i = 0; i < 3; ++i) sim->row_more.data[old->more].number[i] *= -1.0;
    }
    fixture_end(&s.f);
}
