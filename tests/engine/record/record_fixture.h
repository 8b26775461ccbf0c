// A scene to record, recordings that must succeed, and one on a disk that becomes full.
#ifndef TS_TESTS_RECORD_FIXTURE_H
#define TS_TESTS_RECORD_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/record/record.h"
#include "tests/engine/engine_fixture.h"
#include "tests/folder_fixture.h"

// A ball that hops on a floor beside a pendulum without a name, under an awkward name.
static inline fixture make_scene(void) {
    ts_builder* builder = ts_builder_create("recorded");
    ts_builder_options(builder)->time_step = 1e-3;
    ts_builder_set_source(builder, "<mujoco>\n  <!-- not empty & not plain: \xC3\xA9 -->\n</mujoco>\n");
    ts_geom_def floor = ts_geom_def_default();
    floor.name = "floor";
    floor.shape = ts_shape_plane();
    cr_assert(ts_builder_add_geom(builder, &floor) >= 0);
    ts_body_def ball = ts_body_def_default();
    ball.name = "a \"ball\", red";
    ball.pose.position = ts_vec3_make(0.0, 0.0, 0.102);
    int body = ts_builder_add_body(builder, &ball);
    ts_geom_def sphere = ts_geom_def_default();
    sphere.body = body;
    sphere.surface.restitution = 0.5;
    cr_assert(ts_builder_add_geom(builder, &sphere) >= 0);
    ts_joint_def free_joint = ts_joint_def_default();
    free_joint.body = body;
    free_joint.type = TS_JOINT_FREE;
    cr_assert(ts_builder_add_joint(builder, &free_joint) >= 0);
    cr_assert(ts_builder_set_free_velocity(builder, body, ts_vec3_make(0.5, 0.1, 0.0), ts_vec3_make(1.0, 2.0, 3.0)));
    ts_body_def rod = ts_body_def_default();
    rod.pose.position = ts_vec3_make(3.0, 0.0, 2.0);
    body = ts_builder_add_body(builder, &rod);
    sphere.body = body;
    sphere.pose.position = ts_vec3_make(0.3, 0.0, 0.0);
    cr_assert(ts_builder_add_geom(builder, &sphere) >= 0);
    ts_joint_def hinge = ts_joint_def_default();
    hinge.body = body;
    hinge.axis = ts_vec3_make(0.0, 1.0, 0.0);
    hinge.friction = 2.0;
    ts_actuator_def motor = ts_actuator_def_default();
    motor.is.target = ts_builder_add_joint(builder, &hinge);
    cr_assert(motor.is.target >= 0);
    motor.is.activation = TS_ACTIVATION_FILTER;
    motor.is.time_constant = 0.1;
    cr_assert(ts_builder_add_actuator(builder, &motor) >= 0);
    ts_sensor_def angle = ts_sensor_def_default();
    angle.kind = "jointpos";
    angle.is.name = "angle";
    angle.is.object[0].type = TS_SENSOR_JOINT;
    angle.is.object[0].index = motor.is.target;
    cr_assert(ts_builder_add_sensor(builder, &angle) >= 0);
    ts_sensor_def clock = ts_sensor_def_default();
    cr_assert(ts_builder_add_sensor(builder, &clock) >= 0);
    return fixture_start(builder, 1);
}

static inline ts_record* open_record(const char* path, const ts_sim* sim) {
    ts_record* record = NULL;
    ts_status status;
    ts_code code = ts_record_open(path, "a scene", sim, &record, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return record;
}

static inline void append(ts_record* record, ts_sim* sim) {
    ts_status status;
    ts_code code = ts_record_append(record, sim, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

static inline void close_record(ts_record* record, int finished) {
    ts_status status;
    ts_code code = ts_record_close(record, finished, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

#ifdef TS_HAVE_HDF5
int H5close(void);  // what the HDF5 library does when a program ends
#endif

// In a child of its own, on a disk (a limit of the file's size) that is full after `bytes`: records until that fails,
// waiting for a flush before row `pause`, and lets HDF5 end as it does when programs end. Returns 0 when opening
// failed, 1 when a later write did; fails the test when the child crashed, wrote something, or failed without a reason.
static inline int record_on_full_disk(fixture* f, const char* path, rlim_t bytes, int pause) {
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        struct rlimit limit = {bytes, bytes};
        signal(SIGXFSZ, SIG_IGN);
        int out = open(in_folder("said"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(out, STDERR_FILENO);
        setrlimit(RLIMIT_FSIZE, &limit);
        ts_status status;
        ts_record* record = NULL;
        ts_code code = ts_record_open(path, "s", f->sim, &record, &status);
        int opened = code == TS_OK;
        for (int i = 0; i < 20000 && code == TS_OK; ++i) {
            struct timespec wait = {1, 50000000};
            if (i == pause) nanosleep(&wait, NULL);
            if (i > 0) code = ts_sim_step(f->sim, &status);
            if (code == TS_OK) code = ts_record_append(record, f->sim, &status);
        }
        if (code)
            (void)ts_record_close(record, 0, NULL);
        else
            code = ts_record_close(record, 1, &status);
        int said = code == TS_ERROR_FILE && strstr(status.message, strerror(EFBIG)) != NULL;
#ifdef TS_HAVE_HDF5
        H5close();
#endif
        _exit(said ? opened : 9);
    }
    int outcome = 0;
    cr_assert_eq(waitpid(child, &outcome, 0), child);
    cr_assert(WIFEXITED(outcome) && WEXITSTATUS(outcome) <= 1, "%s, %ld bytes: %x", path, (long)bytes, outcome);
    struct stat said;
    cr_assert_eq(stat(in_folder("said"), &said), 0);
    cr_assert_eq(said.st_size, 0, "%s, %ld bytes: something was printed", path, (long)bytes);
    return WEXITSTATUS(outcome);
}

#endif
