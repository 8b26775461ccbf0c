// Reading recordings: every moment is that of the run, bit for bit, told by a second run of the same; and files that were damaged in any
// byte end in an error or in numbers, never in a crash (the sanitizers see to that).
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "engine/record/record.h"
#include "engine/step/certify.h"
#include "tests/engine/engine_fixture.h"
#include "tests/folder_fixture.h"

// A damaged length makes the HDF5 library ask for more memory than there is; it takes no for an answer.
const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "allocator_may_return_null=1"; }  // NOLINT

TestSuite(recording, .init = make_folder, .fini = remove_folder, .timeout = 120);

// A cube that slides on a floor beside a driven hinge and a plate that is moved from outside.
static fixture make_scene(double friction) {
    ts_builder* builder = ts_builder_create("recorded");
    ts_builder_options(builder)->time_step = 1e-3;
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    geom.surface.friction = friction;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 0.0, ts_mat3_identity());
    geom.body = body;
    geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    cr_assert(ts_builder_set_free_velocity(builder, body, ts_vec3_make(1.0, 0.3, 0.0), ts_vec3_zero()));
    ts_body_def plate = ts_body_def_default();
    plate.is_mocap = 1;
    plate.pose.position = ts_vec3_make(0.0, 5.0, 1.0);
    geom.body = ts_builder_add_body(builder, &plate);
    geom.shape = ts_shape_sphere(0.05);
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    ts_body_def rod = ts_body_def_default();
    rod.pose.position = ts_vec3_make(3.0, 0.0, 2.0);
    body = ts_builder_add_body(builder, &rod);
    geom.body = body;
    geom.pose.position = ts_vec3_make(0.3, 0.0, 0.0);
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    ts_joint_def hinge = ts_joint_def_default();
    hinge.body = body;
    hinge.axis = ts_vec3_make(0.0, 1.0, 0.0);
    ts_actuator_def motor = ts_actuator_def_default();
    motor.is.target = ts_builder_add_joint(builder, &hinge);
    motor.is.activation = TS_ACTIVATION_FILTER;
    motor.is.time_constant = 0.1;
    cr_assert(ts_builder_add_actuator(builder, &motor) >= 0);
    return fixture_start(builder, 1);
}

// What is done to it before step i.
static void drive(ts_sim* sim, int i) {
    sim->ctrl[0] = 0.5 + 1e-3 * i;
    sim->mocap[0] = 0.01 * i;
}

static void record(const char* path, double friction, int steps) {
    fixture f = make_scene(friction);
    ts_record* r = NULL;
    ts_status status;
    cr_assert_eq(ts_record_open(path, "a scene", f.sim, &r, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_record_note(r, "model_file", "/nowhere/model.xml", &status), TS_OK);
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    cr_assert_eq(ts_record_append(r, f.sim, &status), TS_OK);
    for (int i = 0; i < steps; ++i) {
        drive(f.sim, i);
        cr_assert_eq(ts_sim_step(f.sim, &status), TS_OK);
        cr_assert_eq(ts_record_append(r, f.sim, &status), TS_OK);
    }
    cr_assert_eq(ts_record_close(r, 1, &status), TS_OK);
    fixture_end(&f);
}

#ifdef TS_HAVE_HDF5

static void expect_same(const ts_sim* shown, ts_sim* lived, long long row) {
    const ts_model* model = shown->model;
    // A step leaves the kinematics of its beginning; a recording shows where everything is.
    ts_sim_update_kinematics(lived);
    cr_expect_eq(shown->time, lived->time);
    cr_expect_eq(shown->step_count, lived->step_count);
    cr_expect_eq(memcmp(shown->qpos, lived->qpos, sizeof(double) * (size_t)model->nq), 0, "row %lld", row);
    cr_expect_eq(memcmp(shown->qvel, lived->qvel, sizeof(double) * (size_t)model->nv), 0, "row %lld", row);
    cr_expect_eq(shown->ctrl[0], lived->ctrl[0]);
    cr_expect_eq(shown->act[0], lived->act[0]);
    cr_expect_eq(shown->actuator_force[0], lived->actuator_force[0]);
    for (int b = 0; b < model->body_count; ++b)
        cr_expect_lt(ts_vec3_distance(shown->kinematics.body_pose[b].p, lived->kinematics.body_pose[b].p), 1e-15,
                     "row %lld, body %d", row, b);
    cr_expect_eq(shown->info.unmet, lived->info.unmet);
    cr_expect_eq(shown->info.residual.natural, lived->info.residual.natural);
    cr_expect_eq(shown->info.solve.status, lived->info.solve.status);
    cr_expect_eq(shown->info.solve.iterations, lived->info.solve.iterations);
    cr_assert_eq(shown->contact_count, lived->contact_count);
    ts_arena arena = {0};
    const ts_contact_mode* recorded = ts_certify_contacts(shown, &arena);
    const ts_contact_mode* certified = ts_certify_contacts(lived, &arena);
    for (int c = 0; c < shown->contact_count; ++c) {
        const ts_contact *a = &shown->contact[c], *b = &lived->contact[c];
        cr_expect(a->geom_a == b->geom_a && a->geom_b == b->geom_b && a->body_b == b->body_b && a->key == b->key);
        cr_expect_eq(memcmp(&a->position, &b->position, sizeof a->position), 0);
        cr_expect_eq(memcmp(&a->frame, &b->frame, sizeof a->frame), 0);
        cr_expect_eq(memcmp(&a->impulse, &b->impulse, sizeof a->impulse), 0);
        cr_expect_eq(memcmp(&a->velocity, &b->velocity, sizeof a->velocity), 0);
        cr_expect(a->gap == b->gap && a->surface.friction == b->surface.friction);
        cr_expect_eq(recorded[c], certified[c], "row %lld, contact %d", row, c);
    }
    ts_arena_free(&arena);
}

Test(recording, every_moment_is_that_of_the_run) {
    enum { STEPS = 60 };
    record(in_folder("run.h5"), 0.4, STEPS);
    ts_recording* r = NULL;
    ts_status status;
    cr_assert_eq(ts_recording_open(in_folder("run.h5"), &r, &status), TS_OK, "%s", status.message);
    const ts_recording_about* about = ts_recording_about_of(r);
    cr_expect_eq(about->count, STEPS + 1);
    cr_expect_eq(about->finished, 1);
    cr_expect_str_eq(about->scene, "a scene");
    cr_expect_str_eq(about->model_file, "/nowhere/model.xml");
    cr_expect_str_eq(about->law, "NCP");
    cr_expect_eq(about->time_step, 1e-3);
    fixture shown = make_scene(0.4), lived = make_scene(0.4);
    cr_assert_eq(ts_sim_forward(lived.sim, &status), TS_OK);
    int touched = 0;
    for (int i = 0; i < STEPS; ++i) {
        drive(lived.sim, i);
        cr_assert_eq(ts_sim_step(lived.sim, &status), TS_OK);
        cr_assert_eq(ts_recording_take(r, i + 1, shown.sim, &status), TS_OK, "%s", status.message);
        expect_same(shown.sim, lived.sim, i + 1);
        touched += shown.sim->contact_count;
        cr_expect_eq(shown.sim->mocap[0], 0.01 * i);
    }
    cr_expect_gt(touched, STEPS);
    // And back, in any order; a step from there works and certifies what it has solved itself.
    cr_assert_eq(ts_recording_take(r, 20, shown.sim, &status), TS_OK);
    cr_expect_eq(shown.sim->step_count, 20);
    cr_assert_eq(ts_sim_step(shown.sim, &status), TS_OK);
    cr_expect_null(shown.sim->contact_mode);
    cr_expect_gt(shown.sim->problem.row_count, 0);
    cr_assert_eq(ts_recording_take(r, 0, shown.sim, &status), TS_OK);
    cr_expect_eq(shown.sim->contact_count, 4);
    for (int c = 0; c < shown.sim->contact_count; ++c) cr_expect_eq(shown.sim->contact[c].impulse.z, 0.0);
    cr_expect_eq(ts_recording_take(r, STEPS + 1, shown.sim, &status), TS_ERROR_VALUE);
    fixture_end(&shown);
    fixture_end(&lived);
    ts_recording_close(r);
}

Test(recording, the_nearest_moment_is_found) {
    record(in_folder("run.h5"), 0.4, 10);
    ts_recording* r = NULL;
    cr_assert_eq(ts_recording_open(in_folder("run.h5"), &r, NULL), TS_OK);
    cr_expect_eq(ts_recording_nearest(r, -1.0), 0);
    cr_expect_eq(ts_recording_nearest(r, 0.0), 0);
    cr_expect_eq(ts_recording_nearest(r, 0.0044), 4);
    cr_expect_eq(ts_recording_nearest(r, 0.0046), 5);
    cr_expect_eq(ts_recording_nearest(r, 7.0), 10);
    cr_expect_eq(ts_recording_nearest(r, (double)NAN), 10);
    ts_recording_close(r);
}

Test(recording, another_model_is_refused) {
    record(in_folder("run.h5"), 0.4, 3);
    ts_builder* builder = ts_builder_create("other");
    fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
    fixture other = fixture_start(builder, 1);
    ts_recording* r = NULL;
    ts_status status;
    cr_assert_eq(ts_recording_open(in_folder("run.h5"), &r, &status), TS_OK);
    cr_expect_eq(ts_recording_take(r, 1, other.sim, &status), TS_ERROR_VALUE);
    cr_expect_str_eq(status.file, in_folder("run.h5"));
    cr_expect_not_null(strstr(status.message, "another model"));
    ts_recording_close(r);
    fixture_end(&other);
}

Test(recording, what_is_no_recording_says_so) {
    ts_recording* r = NULL;
    ts_status status;
    cr_expect_eq(ts_recording_open(in_folder("nowhere.h5"), &r, &status), TS_ERROR_FILE);
    cr_expect_null(r);
    cr_expect_str_eq(status.file, in_folder("nowhere.h5"));
    ts_text text = {0};
    ts_text_add(&text, "time,height\n0,1\n");
    cr_assert_eq(ts_text_write_file(&text, in_folder("plain.h5"), &status), TS_OK);
    ts_text_free(&text);
    cr_expect_eq(ts_recording_open(in_folder("plain.h5"), &r, &status), TS_ERROR_FILE);
    cr_expect_gt(strlen(status.message), strlen("cannot read this as an HDF5 recording: "));
}

// --- damage ------------------------------------------------------------------------------------------------------------

// Processes, and trials of each.
enum { SEEDS = 6, TRIALS = 100 };

// A file, and where its bytes are that are not zero: most of what is zero is room that is not used.
typedef struct image {
    ts_text whole;
    size_t* used;
    size_t used_count;
} image;

static image read_image(const char* path) {
    image result = {0};
    cr_assert_eq(ts_text_read_file(path, 1 << 26, &result.whole, NULL), TS_OK);
    result.used = (size_t*)malloc(result.whole.length * sizeof *result.used);
    cr_assert_not_null(result.used);
    for (size_t i = 0; i < result.whole.length; ++i)
        if (result.whole.data[i]) result.used[result.used_count++] = i;
    return result;
}

static size_t any_of(size_t count, ts_rng* rng) { return (size_t)((double)count * ts_rng_uniform(rng)); }

// A copy that is cut, or has bytes changed: a dozen anywhere, one where something is written, or a few there in a row.
static ts_text damaged(const image* from, int trial, ts_rng* rng) {
    ts_text bad = {0};
    int kind = trial % 4;
    ts_text_add_bytes(&bad, from->whole.data, kind == 0 ? any_of(from->whole.length, rng) : from->whole.length);
    if (kind == 0) return bad;
    size_t at = from->used[any_of(from->used_count, rng)];
    for (size_t k = 0; k < (kind == 1 ? 12u : kind == 2 ? 1u : 8u); ++k) {
        if (kind == 1) at = any_of(bad.length, rng);
        int flip = ts_rng_uniform(rng) < 0.3;
        if (at + k < bad.length) bad.data[at + k] = (char)(flip ? ~bad.data[at + k] : (char)(ts_rng_bits(rng) & 255));
    }
    return bad;
}

// How many damaged copies of a file are refused, -1 when one is so under another name.
static int refused_of_damaged(const image* from, uint64_t seed) {
    fixture f = make_scene(0.4);
    ts_rng rng = ts_rng_make(seed, 0);
    int refused = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        ts_text bad = damaged(from, trial, &rng);
        if (ts_text_write_file(&bad, in_folder("bad.h5"), NULL)) return -1;
        ts_text_free(&bad);
        ts_recording* r = NULL;
        ts_status status;
        ts_code code = ts_recording_open(in_folder("bad.h5"), &r, &status);
        if (!code) code = ts_recording_configure(r, f.sim, &status);
        for (long long row = 0; !code && row < ts_recording_about_of(r)->count && row < 30; ++row)
            code = ts_recording_take(r, row, f.sim, &status);
        if (code && strcmp(status.file, in_folder("bad.h5")) != 0) return -1;
        refused += code != TS_OK;
        ts_recording_close(r);
        (void)ts_record_restore(in_folder("bad.h5"), (double)NAN, f.sim, NULL);
    }
    return refused;
}

// Cut at any length, and with any bytes changed: a file is refused by its name, or gives numbers. In processes of their own, which end
// without closing the HDF5 library: that one leaks, and says so, when it has read damaged files.
Test(recording, damage_is_survived) {
    record(in_folder("run.h5"), 0.4, 20);
    image whole = read_image(in_folder("run.h5"));
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        pid_t child = fork();
        cr_assert(child >= 0);
        if (child == 0) {
            int refused = refused_of_damaged(&whole, seed);
            _exit(refused >= TRIALS / 4 && refused < TRIALS ? 0 : 1);
        }
        int end = 0;
        cr_assert_eq(waitpid(child, &end, 0), child);
        cr_expect(WIFEXITED(end) && WEXITSTATUS(end) == 0, "seed %d: it ended with %x", (int)seed, (unsigned)end);
    }
    free(whole.used);
    ts_text_free(&whole.whole);
}

#else

Test(recording, needs_hdf5_and_says_so) {
    ts_recording* r = NULL;
    ts_status status;
    cr_expect_eq(ts_recording_open(in_folder("run.h5"), &r, &status), TS_ERROR_UNSUPPORTED);
    cr_expect_not_null(strstr(status.message, "TS_HDF5=ON"));
}

#endif
