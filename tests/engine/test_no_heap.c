// After warm-up a step touches the heap no more, and a simulation tells what it holds of it. The linker hands every call of the allocator to the
// counters below.
#include <malloc.h>
#include <stdlib.h>

#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

static int counting;
static int calls;
static size_t in_use;  // bytes, of all that was not given back

static void* note(void* data) {
    if (data) in_use += malloc_usable_size(data);
    return data;
}

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* data, size_t size);
void __real_free(void* data);
int __real_posix_memalign(void** out_data, size_t alignment, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* data, size_t size);
void __wrap_free(void* data);
int __wrap_posix_memalign(void** out_data, size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

void* __wrap_malloc(size_t size) {
    calls += counting;
    return note(__real_malloc(size));
}

void* __wrap_calloc(size_t count, size_t size) {
    calls += counting;
    return note(__real_calloc(count, size));
}

void* __wrap_realloc(void* data, size_t size) {
    calls += counting;
    if (data) in_use -= malloc_usable_size(data);
    void* moved = __real_realloc(data, size);
    if (!moved && size) note(data);
    return note(moved);
}

void __wrap_free(void* data) {
    calls += counting;
    if (data) in_use -= malloc_usable_size(data);
    __real_free(data);
}

int __wrap_posix_memalign(void** out_data, size_t alignment, size_t size) {
    calls += counting;
    int failed = __real_posix_memalign(out_data, alignment, size);
    if (!failed) note(*out_data);
    return failed;
}

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
    calls += counting;
    return note(__real_aligned_alloc(alignment, size));
}

// Sensors of each family on the ball and the bar.
static void add_sensors(ts_builder* builder, int ball, int bar) {
    static const char* const kinds[] = {"accelerometer", "force", "touch", "rangefinder", "gyro"};
    int site = ts_builder_add_site(builder, "s", ball, ts_pose_identity(), ts_shape_sphere(0.3), NULL, 0);
    for (int i = 0; i < 5; ++i) {
        ts_sensor_def def = ts_sensor_def_default();
        def.kind = kinds[i];
        def.is.object[0].type = TS_SENSOR_SITE;
        def.is.object[0].index = site;
        cr_assert_geq(ts_builder_add_sensor(builder, &def), 0);
    }
    ts_sensor_def contacts = ts_sensor_def_default();
    contacts.kind = "contact";
    contacts.is.fields = 0x1ff;
    contacts.is.slots = 4;
    contacts.is.order = 2;
    cr_assert_geq(ts_builder_add_sensor(builder, &contacts), 0);
    ts_sensor_def limit = ts_sensor_def_default();
    limit.kind = "jointlimitfrc";
    limit.is.object[0].type = TS_SENSOR_JOINT;
    limit.is.object[0].index = bar;
    cr_assert_geq(ts_builder_add_sensor(builder, &limit), 0);
    ts_sensor_def momentum = ts_sensor_def_default();
    momentum.kind = "subtreeangmom";
    momentum.is.object[0].type = TS_SENSOR_SUBTREE;
    momentum.is.object[0].index = ball;
    cr_assert_geq(ts_builder_add_sensor(builder, &momentum), 0);
}

// Boxes and spheres in walls of twelve that stand, and a hinged bar that swings beside it: contact counts settle, so memory does.
static ts_builder* wall(int boxes) {
    ts_builder* builder = ts_builder_create("wall");
    fixture_floor(builder, 0.8, 0.0);
    for (int i = 0; i < boxes; ++i) {
        ts_vec3 p = ts_vec3_make(0.25 * (i % 4), 0.3 * (i / 12), 0.1 + 0.2 * (i / 4 % 3));
        int body = fixture_free_body(builder, p, -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.8);
    }
    int ball = fixture_free_body(builder, ts_vec3_make(-0.5, 0.0, 0.2), -1.0, ts_mat3_zero());
    fixture_geom(builder, ball, ts_shape_sphere(0.2), ts_vec3_zero(), 0.8);
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(2.0, 0.0, 1.0);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis(1);
    joint.limited = 1;
    joint.range[0] = -0.3;
    joint.range[1] = 0.3;
    joint.friction = 0.1;
    ts_equality_def gear = ts_equality_def_default();
    gear.kind = "joint-equality";
    gear.joint[0] = ts_builder_add_joint(builder, &joint);
    // A second bar, geared to the first and held by its end.
    body.pose.position.y = 1.0;
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    ts_joint_def other = ts_joint_def_default();
    other.body = ts_builder_add_body(builder, &body);
    gear.joint[1] = ts_builder_add_joint(builder, &other);
    ts_builder_add_equality(builder, &gear);
    ts_equality_def held = ts_equality_def_default();
    held.kind = "connect";
    held.body[0] = fixture_free_body(builder, ts_vec3_make(2.0, 2.0, 1.0), 1.0, ts_mat3_identity());
    held.frame[0].position.x = 0.3;
    ts_builder_add_equality(builder, &held);
    fixture_geom(builder, joint.body, ts_shape_capsule(0.05, 0.3), ts_vec3_make(0.2, 0.0, -0.3), 0.5);
    add_sensors(builder, ball, gear.joint[0]);
    return builder;
}

static void assert_no_calls(const char* solver, int boxes, int workers, int substeps) {
    fixture f = fixture_start(wall(boxes), workers);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "solver", solver, &status), TS_OK);
    cr_assert_eq(ts_sim_set(f.sim, "iterations", "60", &status), TS_OK);
    f.sim->options.substeps = substeps;
    ts_ledger ledger;
    if (workers == 2) ts_ledger_keep(f.sim, &ledger);
    fixture_run(&f, 50);
    calls = 0;
    counting = 1;
    ts_code code = TS_OK;
    for (int i = 0; i < 200 && code == TS_OK; ++i) code = ts_sim_step(f.sim, &status);
    ts_sim_energy(f.sim);
    ts_sim_measure(f.sim);
    counting = 0;
    cr_assert_eq(code, TS_OK);
    cr_assert_gt(f.sim->contact_count, 20);
    cr_assert_eq(calls, 0, "%s with %d workers: %d calls of the allocator", solver, workers, calls);
    fixture_end(&f);
}

Test(no_heap, a_warm_step_leaves_the_heap_alone) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        assert_no_calls(ts_solver_at(i)->name, 12, 1, 1);
        assert_no_calls(ts_solver_at(i)->name, 12, 2, 1);
    }
}

// Enough geoms for the broad phase to keep trees.
Test(no_heap, nor_does_a_warm_step_of_many_geoms_need_it) {
    assert_no_calls("ncp-pgs", 60, 1, 1);
    assert_no_calls("ncp-pgs", 60, 3, 1);
    assert_no_calls("ncp-pgs", 60, 2, 3);
}

// Nothing but stones: steps in substeps that threads share as one pile.
Test(no_heap, nor_does_a_warm_step_of_a_pile) {
    for (int workers = 1; workers <= 4; workers *= 2) {
        ts_builder* builder = ts_builder_create("pile");
        ts_status status;
        fixture_floor(builder, 0.8, 0.0);
        for (int i = 0; i < 150; ++i) {
            int body = fixture_free_body(builder, ts_vec3_make(0.21 * (i % 50), 0.0, 0.1 + 0.2 * (i / 50)), -1.0,
                                         ts_mat3_zero());
            fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.8);
        }
        fixture f = fixture_start(builder, workers);
        cr_assert_eq(ts_sim_set(f.sim, "solver", "ncp-pgs", &status), TS_OK);
        cr_assert_eq(ts_sim_set(f.sim, "iterations", "6", &status), TS_OK);
        f.sim->options.substeps = 4;
        fixture_run(&f, 10);
        cr_assert_not_null(ts_sim_storage_of(f.sim)->unshown, "the test is of a pile");
        calls = 0;
        counting = 1;
        ts_code code = TS_OK;
        for (int i = 0; i < 20 && code == TS_OK; ++i) code = ts_sim_step(f.sim, &status);
        counting = 0;
        cr_assert_eq(code, TS_OK);
        cr_assert_eq(calls, 0, "%d workers: %d calls of the allocator", workers, calls);
        fixture_end(&f);
    }
}

// A box of 0.2 m at a place of its own.
static void add_box(ts_builder* builder, double x, double z) {
    int body = fixture_free_body(builder, ts_vec3_make(x, 0.0, z), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.8);
}

static void assert_little(ts_builder* builder, int contacts, double a_body, double a_contact) {
    ts_status status;
    fixture_floor(builder, 0.8, 0.0);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set(f.sim, "solver", "ncp-pgs", &status), TS_OK);
    cr_assert_eq(ts_sim_set(f.sim, "iterations", "6", &status), TS_OK);
    f.sim->options.substeps = 4;
    fixture_run(&f, 10);
    cr_assert_not_null(ts_sim_storage_of(f.sim)->unshown, "the test is of a pile");
    cr_assert_eq(f.sim->contact_count, contacts);
    double bytes = (double)ts_sim_memory(f.sim), most = a_body * f.model->tree_count + a_contact * contacts;
    cr_expect_lt(bytes, most, "%d bodies, %d contacts: %g bytes, %g at most", f.model->tree_count, contacts, bytes,
                 most);
    fixture_end(&f);
}

// What a pile takes by its bodies and their contacts, between steps and while one goes on (docs/benchmarks.md): half as many contacts in columns as in a
// pyramid, so that neither can hide behind the other. Numbers of their own: who needs more says so here.
Test(no_heap, a_pile_takes_little_more_than_it_needs) {
    enum { COLUMNS = 60, HIGH = 10, ROWS = 30 };
    const double a_body = 1704.0, a_contact = 615.0;
    ts_builder* columns = ts_builder_create("columns");
    for (int i = 0; i < COLUMNS * HIGH; ++i) add_box(columns, 0.5 * (i % COLUMNS), 0.1 + 0.2 * (i / COLUMNS));
    assert_little(columns, 4 * COLUMNS * HIGH, a_body, a_contact);
    ts_builder* pyramid = ts_builder_create("pyramid");
    for (int row = 0; row < ROWS; ++row)
        for (int i = 0; i < ROWS - row; ++i) add_box(pyramid, 0.25 * (i + 0.5 * row), 0.1 + 0.2 * row);
    assert_little(pyramid, 4 * ROWS + 4 * ROWS * (ROWS - 1), a_body, a_contact);
}

// The counters themselves: creating a simulation must be seen.
Test(no_heap, the_counters_count) {
    calls = 0;
    counting = 1;
    fixture f = fixture_start(wall(12), 1);
    fixture_end(&f);
    counting = 0;
    cr_assert_gt(calls, 10);
}

// What is told is what the allocator gave, less its own rounding.
Test(no_heap, a_simulation_tells_what_it_holds) {
    for (int boxes = 4; boxes <= 144; boxes += 140) {
        ts_model* model;
        ts_sim* sim;
        ts_status status;
        ts_builder* builder = wall(boxes);
        cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_OK, "%s", status.message);
        size_t before = in_use;
        cr_assert_eq(ts_sim_create(model, 1, &sim, &status), TS_OK);
        for (int k = 0; k < 20; ++k) cr_assert_eq(ts_sim_step(sim, &status), TS_OK);
        double given = (double)(in_use - before), told = (double)ts_sim_memory(sim);
        cr_expect(told <= given && told > 0.97 * given, "%d boxes: %g bytes are held, %g are told", boxes, given, told);
        ts_sim_free(sim);
        cr_expect_eq(in_use, before, "%d boxes", boxes);
        ts_model_free(model);
    }
}
