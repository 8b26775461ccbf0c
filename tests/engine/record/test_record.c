// Recordings against the simulation they came from (bit by bit), against each other through an independent reader
// (h5py), and after interruptions.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "engine/record/record.h"
#include "tests/engine/engine_fixture.h"

// A ball that hops on a floor beside a pendulum without a name, under an awkward name.
static fixture make_scene(void) {
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

static char folder[64];

static void make_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/touchstone-record-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(record, .init = make_folder, .fini = remove_folder);

static const char* in_folder(const char* name) {
    static char path[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static ts_record* open_record(const char* path, const ts_sim* sim) {
    ts_record* record = NULL;
    ts_status status;
    ts_code code = ts_record_open(path, "a scene", sim, &record, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return record;
}

static void append(ts_record* record, ts_sim* sim) {
    ts_status status;
    ts_code code = ts_record_append(record, sim, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

static void close_record(ts_record* record, int finished) {
    ts_status status;
    ts_code code = ts_record_close(record, finished, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

Test(record, refuses_other_extensions_and_creates_nothing) {
    fixture f = make_scene();
    static const char* const names[] = {"run.txt", "run", "run.csv.gz", "csv", "a.h5/run"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        ts_record* record = (ts_record*)&f;
        ts_status status;
        ts_code code = ts_record_open(in_folder(names[i]), "s", f.sim, &record, &status);
        cr_expect_eq(code, TS_ERROR_VALUE, "%s", names[i]);
        cr_expect_null(record);
        cr_expect(strlen(status.message) > 0);
        struct stat info;
        cr_expect_neq(stat(in_folder(names[i]), &info), 0, "%s exists", names[i]);
    }
    fixture_end(&f);
}

Test(record, says_when_it_cannot_write) {
    fixture f = make_scene();
    cr_assert_eq(symlink("/dev/full", in_folder("full.csv")), 0);
    static const char* const names[] = {"missing/run.csv", "full.csv", "missing/run.h5"};
    int tried = 2;
#ifdef TS_HAVE_HDF5
    tried = 3;
#endif
    for (int i = 0; i < tried; ++i) {
        ts_record* record = NULL;
        ts_status status;
        cr_expect_eq(ts_record_open(in_folder(names[i]), "s", f.sim, &record, &status), TS_ERROR_FILE, "%s", names[i]);
        cr_expect_str_eq(status.file, in_folder(names[i]));
    }
    fixture_end(&f);
}

#ifdef TS_HAVE_HDF5
int H5close(void);  // what the HDF5 library does when a program ends
#endif

// In a child of its own, on a disk (a limit of the file's size) that is full after `bytes`: records until that fails,
// waiting for a flush before row `pause`, and lets HDF5 end as it does when programs end. Returns 0 when opening
// failed, 1 when a later write did; fails the test when the child crashed, wrote something, or failed without a reason.
static int record_on_full_disk(fixture* f, const char* path, rlim_t bytes, int pause) {
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

Test(record, a_full_disk_leaves_whole_rows) {
    fixture f = make_scene();
    const char* path = in_folder("run.csv");
    cr_assert_eq(record_on_full_disk(&f, path, 100001, -1), 1);
    ts_text text = {0};
    cr_assert_eq(ts_text_read_file(path, 1 << 26, &text, NULL), TS_OK);
    cr_assert_gt(text.length, 90000u);
    cr_expect_eq(text.data[text.length - 1], '\n');
    ts_text_free(&text);
    fixture_end(&f);
}

#ifndef TS_HAVE_HDF5
Test(record, without_hdf5_says_which_option_is_off) {
    fixture f = make_scene();
    ts_record* record = NULL;
    ts_status status;
    cr_expect_eq(ts_record_open(in_folder("run.h5"), "s", f.sim, &record, &status), TS_ERROR_UNSUPPORTED);
    cr_expect_not_null(strstr(status.message, "TS_HDF5"));
    fixture_end(&f);
}
#endif

// Reads a number that the text must consist of up to the next comma or newline, and moves on.
static double next_number(char** text) {
    char* end = NULL;
    double value = strtod(*text, &end);
    cr_assert(end != *text && (*end == ',' || *end == '\n'), "not a number: %.20s", *text);
    *text = end + 1;
    return value;
}

Test(record, csv_numbers_read_back_to_the_same_bits) {
    enum { STEPS = 200, ROW = 2 * 13 + 6 };
    fixture f = make_scene();
    static double expected[STEPS + 1][ROW];
    static double times[STEPS + 1];
    const char* path = in_folder("run.csv");
    ts_record* record = open_record(path, f.sim);
    for (int i = 0; i <= STEPS; ++i) {
        f.sim->ctrl[0] = 0.01 * i;
        if (i > 0) fixture_run(&f, 1);
        append(record, f.sim);
        times[i] = f.sim->time;
        expected[i][26] = 0.01 * i;
        expected[i][27] = f.sim->actuator_force[0];
        expected[i][28] = expected[i][30] = f.sim->qpos[7];
        expected[i][29] = f.sim->qvel[6];
        expected[i][31] = f.sim->time;
        for (int b = 1; b <= 2; ++b) {
            double* row = expected[i] + 13 * (b - 1);
            ts_motion velocity = ts_sim_body_velocity(f.sim, b);
            ts_vec3_store(f.sim->kinematics.body_pose[b].p, row);
            ts_quat_store(ts_quat_from_mat3(&f.sim->kinematics.body_pose[b].R), row + 3);
            ts_vec3_store(velocity.linear, row + 7);
            ts_vec3_store(velocity.angular, row + 10);
        }
        // A filter without overshoot: it follows from below.
        cr_assert(i < 2 || (expected[i][27] > 0.0 && expected[i][27] < 0.01 * i));
        // The pose written is that of qpos now, not of the step's beginning.
        cr_assert_float_eq(expected[i][2], f.sim->qpos[2], 1e-15);
        cr_assert_float_eq(expected[i][7], f.sim->qvel[0], 1e-15);
    }
    close_record(record, 1);

    ts_text text = {0};
    cr_assert_eq(ts_text_read_file(path, 1 << 26, &text, NULL), TS_OK);
    char* cursor = text.data;
    static const char head[] =
        "time,kinetic_energy,potential_energy,contacts,worst_penetration,residual_natural,own_unmet,approach,sinks,"
        "pull,off_"
        "cone,"
        "friction_angle,power,complementarity,iterations,status,step_seconds,\"a \"\"ball\"\", red.px\",";
    cr_expect_eq(strncmp(cursor, head, sizeof head - 1), 0, "header is %.300s", cursor);
    char* end_of_header = strchr(cursor, '\n');
    cr_assert_not_null(end_of_header);
    *end_of_header = '\0';
    cr_expect_not_null(strstr(cursor, ",body2.px,body2.py,body2.pz,body2.qw,"));
    static const char tail[] = ",actuator0.ctrl,actuator0.force,joint1.q,joint1.v,angle.sensor0,sensor1.sensor0";
    cr_expect_str_eq(end_of_header - (sizeof tail - 1), tail);
    cursor = end_of_header + 1;
    for (int i = 0; i <= STEPS; ++i) {
        cr_assert_eq(next_number(&cursor), times[i]);
        for (int k = 0; k < 14; ++k) next_number(&cursor);
        cursor = strchr(cursor, ',') + 1;  // status
        next_number(&cursor);
        for (int k = 0; k < ROW; ++k) cr_assert_eq(next_number(&cursor), expected[i][k], "row %d, number %d", i, k);
    }
    cr_expect_eq(*cursor, '\0', "rows behind the last one");
    ts_text_free(&text);
    fixture_end(&f);
}

#ifdef TS_HAVE_HDF5

// The python with h5py, or NULL.
static const char* python_with_h5py(void) {
    static const char* const candidates[] = {"/usr/bin/python3", "python3"};
    for (int i = 0; i < 2; ++i) {
        char command[128];
        snprintf(command, sizeof command, "%s -c 'import h5py' >/dev/null 2>&1", candidates[i]);
        if (system(command) == 0) return candidates[i];
    }
    return NULL;
}

// Runs a script with two arguments; its output is shown when it fails.
static int run_python(const char* script, const char* a, const char* b) {
    const char* python = python_with_h5py();
    const char* path = in_folder("script.py");
    ts_text text = {0};
    ts_text_add(&text, "%s", script);
    cr_assert_eq(ts_text_write_file(&text, path, NULL), TS_OK);
    ts_text_free(&text);
    char command[512];
    snprintf(command, sizeof command, "%s '%s' '%s' '%s' 1>&2", python, path, a, b);
    return system(command);
}

static const char compare_script[] =
    "import csv, sys, h5py\n"
    "import numpy as np\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "rows = list(csv.reader(open(sys.argv[2], newline='')))\n"
    "head, rows = rows[0], rows[1:]\n"
    "col = lambda name: np.array([float(r[head.index(name)]) for r in rows])\n"
    "n = len(rows)\n"
    "same = lambda a, b: np.testing.assert_array_equal(np.asarray(a), b)\n"
    "same(f['/state/time'], col('time'))\n"
    "same(f['/energy/kinetic'], col('kinetic_energy'))\n"
    "same(f['/energy/potential'], col('potential_energy'))\n"
    "same(f['/contacts/count'], col('contacts'))\n"
    "same(f['/contacts/worst_penetration'], col('worst_penetration'))\n"
    "same(f['/solver/natural'], col('residual_natural'))\n"
    "same(f['/solver/own_unmet'], col('own_unmet'))\n"
    "assert len(f['/figures']) == 7\n"
    "for name in f['/figures']:\n"
    "    same(f['/figures/' + name], col(name))\n"
    "same(f['/solver/iterations'], col('iterations'))\n"
    "same(f['/timing/total'], col('step_seconds'))\n"
    "names = [s.decode() for s in f['/model/body_names'][:]]\n"
    "assert names == ['world', 'a \"ball\", red', 'body2'], names\n"
    "for b in (1, 2):\n"
    "    for data, parts in (('position', 'px py pz'), ('quaternion', 'qw qx qy qz'),\n"
    "                        ('linear_velocity', 'vx vy vz'), ('angular_velocity', 'wx wy wz')):\n"
    "        for k, part in enumerate(parts.split()):\n"
    "            same(f['/bodies/' + data][:, b, k], col(names[b] + '.' + part))\n"
    "same(f['/state/qpos'][:, :3], f['/bodies/position'][:, 1])\n"
    "assert f['/state/qpos'].shape == (n, 8) and f['/state/qvel'].shape == (n, 7)\n"
    "same(f['/actuators/force'][:, 0], col('actuator0.force'))\n"
    "same(f['/state/ctrl'][:, 0], col('actuator0.ctrl'))\n"
    "assert f['/actuators/length'].shape == f['/actuators/velocity'].shape == (n, 1)\n"
    "count, first = f['/contacts/count'][:], f['/contacts/first'][:]\n"
    "same(first, np.concatenate(([0], np.cumsum(count)[:-1])))\n"
    "total = int(count.sum())\n"
    "assert total > 100\n"
    "for name in 'position frame impulse velocity gap friction geom_a geom_b key mode laws natural'.split():\n"
    "    assert len(f['/contacts/' + name]) == total, name\n"
    "frame = f['/contacts/frame'][:]\n"
    "assert np.allclose(frame @ frame.transpose(0, 2, 1), np.eye(3), atol=1e-12)\n"
    "assert np.allclose(frame[:, :, 2], [0, 0, 1])\n"
    "at = f['/contacts/position'][:]\n"
    "assert np.all(np.abs(at[:, 2]) < 0.01)\n"
    // The worst contact is what the step is judged by, and modes are what one sees.
    "which = np.repeat(np.arange(n), count)\n"
    "for name in ('natural',):\n"
    "    worst = np.zeros(n)\n"
    "    np.maximum.at(worst, which, f['/contacts/' + name][:])\n"
    // Unless a row of a joint is worse.
    "    judged = f['/solver/' + name][:]\n"
    "    assert np.all(worst <= judged * (1 + 1e-6) + 1e-12), name\n"
    "    assert np.mean(np.isclose(worst, judged, rtol=1e-6, atol=1e-12)[count > 0]) > 0.5, name\n"
    "mode, laws = f['/contacts/mode'][:], f['/contacts/laws'][:]\n"
    "assert np.all((mode == 3) == (f['/contacts/natural'][:] > 1e-6))\n"
    "assert np.all((laws & 4 == 4) == (mode != 3))\n"
    "impulse, velocity = f['/contacts/impulse'][:], f['/contacts/velocity'][:]\n"
    "assert np.all(impulse[mode == 0, 2] < 1e-8) and np.all(impulse[mode == 2, 2] > 0)\n"
    "assert np.all(np.hypot(velocity[mode == 1, 0], velocity[mode == 1, 1]) < 1e-8)\n"
    "assert len(set(mode)) >= 2, set(mode)\n"
    // Newton's second law of the ball, vertically: m (v1 - v0) = impulse - m g h.
    "v = f['/bodies/linear_velocity'][:, 1, 2]\n"
    "push = np.zeros(n)\n"
    "np.add.at(push, np.repeat(np.arange(n), count), f['/contacts/impulse'][:, 2])\n"
    "mass = 1000 * 4 / 3 * np.pi * 0.1 ** 3\n"
    "assert np.allclose(mass * np.diff(v), push[1:] - mass * 9.81 * 1e-3, atol=1e-7)\n"
    "assert push.max() > 0\n"
    "assert f.attrs['scene'] == b'a scene' and f.attrs['finished'] == 1 and f.attrs['format_version'] == 2\n"
    "assert len(f.attrs['touchstone_version']) > 0\n"
    "assert f['/model/source'][()].decode().startswith('<mujoco>\\n  <!-- not empty & not plain: \\u00e9')\n"
    "assert f['/options'].attrs['time_step'] == b'0.001'\n"
    "assert f['/solver'].attrs['name'] and f['/solver'].attrs['law'] == b'NCP'\n"
    "assert f['/solver/settings'].attrs['tolerance'] > 0\n"
    "def unit(name, data):\n"
    "    if isinstance(data, h5py.Dataset) and not name.startswith('model/'): assert data.attrs['unit'], name\n"
    "f.visititems(unit)\n"
    // Nothing of variable length: HDF5 1.10 reads that unsafely.
    "def fixed(name, data):\n"
    "    kinds = [data.attrs.get_id(key).dtype for key in data.attrs]\n"
    "    kinds += [data.dtype] if isinstance(data, h5py.Dataset) else []\n"
    "    assert all(kind.kind != 'O' for kind in kinds), (name, kinds)\n"
    "fixed('/', f)\n"
    "f.visititems(fixed)\n";

// Joints and sensors, with their names and where their numbers are.
static const char sensors_script[] =
    "import sys, csv, h5py\n"
    "import numpy as np\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "rows = list(csv.reader(open(sys.argv[2], newline='')))\n"
    "head, rows = rows[0], rows[1:]\n"
    "col = lambda name: np.array([float(r[head.index(name)]) for r in rows])\n"
    "same = lambda a, b: np.testing.assert_array_equal(np.asarray(a), b)\n"
    "n = len(rows)\n"
    "at = f['/model/joint_qpos'][1]\n"
    "same(f['/state/qpos'][:, at], col('joint1.q'))\n"
    "assert f['/sensors/value'].shape == (n, 2)\n"
    "assert [s.decode() for s in f['/model/sensor_names'][:]] == ['angle', '']\n"
    "assert [s.decode() for s in f['/model/sensor_kinds'][:]] == ['jointpos', 'clock']\n"
    "assert list(f['/model/sensor_first'][:]) == [0, 1]\n"
    "same(f['/sensors/value'][:, 0], f['/state/qpos'][:, at])\n"
    "same(f['/sensors/value'][:, 1], f['/state/time'])\n";

// Newton's law of the rod about its hinge, with the dry friction that only the rows tell: I (w1 - w0) = h m g r cos(q0) +
// impulse.
static const char rows_script[] =
    "import sys, h5py\n"
    "import numpy as np\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "n = len(f['/state/time'])\n"
    "row_count, row_first = f['/rows/count'][:], f['/rows/first'][:]\n"
    "assert np.all(row_count[1:] == 1) and row_count[0] == 0 and np.all(row_first[1:] == np.arange(n - 1))\n"
    "sources = [s.decode() for s in f['/model/row_sources'][:]]\n"
    "assert set(f['/rows/source'][:]) == {sources.index('joint-friction')}, sources\n"
    "assert np.all(f['/rows/key'][:] == [6, 0])\n"
    "q, w, brake = f['/state/qpos'][:, 7], f['/state/qvel'][:, 6], f['/rows/impulse'][:]\n"
    "assert np.all(brake[:, 1:] == 0) and np.all(np.abs(brake[:, 0]) <= 2e-3) and np.ptp(brake[:, 0]) > 3e-3\n"
    "mass = 1000 * 4 / 3 * np.pi * 0.1 ** 3\n"
    "moment = mass * (0.4 * 0.1 ** 2 + 0.3 ** 2)\n"
    "assert np.allclose(moment * np.diff(w), 1e-3 * mass * 9.81 * 0.3 * np.cos(q[:-1]) + brake[:, 0], atol=1e-7)\n";

Test(record, hdf5_holds_the_same_as_csv_and_obeys_newton) {
    if (!python_with_h5py()) cr_skip("no python3 with h5py here");
    fixture f = make_scene();
    ts_record* h5 = open_record(in_folder("run.h5"), f.sim);
    ts_record* csv = open_record(in_folder("run.csv"), f.sim);
    // Beyond several chunks, and not at the end of one.
    for (int i = 0; i <= 3111; ++i) {
        if (i > 0) fixture_run(&f, 1);
        append(h5, f.sim);
        append(csv, f.sim);
    }
    close_record(h5, 1);
    close_record(csv, 1);
    cr_expect_eq(run_python(compare_script, in_folder("run.h5"), in_folder("run.csv")), 0);
    cr_expect_eq(run_python(sensors_script, in_folder("run.h5"), in_folder("run.csv")), 0);
    cr_expect_eq(run_python(rows_script, in_folder("run.h5"), ""), 0);
    fixture_end(&f);
}

static void sleep_over_a_flush(void) {
    struct timespec wait = {1, 50000000};
    nanosleep(&wait, NULL);
}

// Flushes in the middle of chunks, so that chunks are stored unfinished and rewritten later.
Test(record, hdf5_survives_flushes_within_chunks) {
    if (!python_with_h5py()) cr_skip("no python3 with h5py here");
    fixture f = make_scene();
    ts_record* h5 = open_record(in_folder("run.h5"), f.sim);
    ts_record* csv = open_record(in_folder("run.csv"), f.sim);
    for (int i = 0; i <= 2000; ++i) {
        if (i > 0) fixture_run(&f, 1);
        if (i == 333 || i == 1500) sleep_over_a_flush();
        append(h5, f.sim);
        append(csv, f.sim);
    }
    close_record(h5, 1);
    close_record(csv, 1);
    cr_expect_eq(run_python(compare_script, in_folder("run.h5"), in_folder("run.csv")), 0);
    fixture_end(&f);
}

// What a recording of format 1 was like: texts of variable length.
static const char to_format_1_script[] =
    "import sys, h5py\n"
    "with h5py.File(sys.argv[1], 'r+') as f:\n"
    "    texts = []\n"
    "    def change(name, item):\n"
    "        for key in item.attrs:\n"
    "            if isinstance(item.attrs[key], bytes): item.attrs[key] = item.attrs[key].decode()\n"
    "        if isinstance(item, h5py.Dataset) and item.dtype.kind == 'S': texts.append(name)\n"
    "    change('/', f)\n"
    "    f.visititems(change)\n"
    "    for name in texts:\n"
    "        text = f[name].asstr()[()]\n"
    "        del f[name]\n"
    "        f.create_dataset(name, data=text, dtype=h5py.string_dtype())\n"
    "    f.attrs['format_version'] = 1\n";

// As docs/recording.md has it.
static const char from_format_1_script[] =
    "import sys, h5py, numpy\n"
    "with h5py.File(sys.argv[1], 'r+') as f:\n"
    "    texts = []\n"
    "    def change(name, item):\n"
    "        for key, value in item.attrs.items():\n"
    "            if isinstance(value, str): item.attrs[key] = numpy.bytes_(value.encode() or b'\\0')\n"
    "        if isinstance(item, h5py.Dataset) and item.dtype.kind == 'O': texts.append(name)\n"
    "    change('/', f)\n"
    "    f.visititems(change)\n"
    "    for name in texts:\n"
    "        text = numpy.array(f[name][()], dtype='S')\n"
    "        del f[name]\n"
    "        f[name] = text\n"
    "    f.attrs['format_version'] = 2\n";

// Recordings of format 1 are refused, with the reason; changed as the document says they are read.
Test(record, hdf5_of_format_1_is_refused_until_it_is_changed) {
    if (!python_with_h5py()) cr_skip("no python3 with h5py here");
    fixture f = make_scene();
    ts_record* h5 = open_record(in_folder("run.h5"), f.sim);
    append(h5, f.sim);
    close_record(h5, 1);
    fixture_end(&f);
    ts_recording* r = NULL;
    ts_status status;
    cr_assert_eq(run_python(to_format_1_script, in_folder("run.h5"), ""), 0);
    cr_expect_eq(ts_recording_open(in_folder("run.h5"), &r, &status), TS_ERROR_FILE);
    cr_expect(strstr(status.message, "format version 1: its texts are of variable length"), "%s", status.message);
    cr_assert_eq(run_python(from_format_1_script, in_folder("run.h5"), ""), 0);
    cr_assert_eq(ts_recording_open(in_folder("run.h5"), &r, &status), TS_OK, "%s", status.message);
    const ts_recording_about* about = ts_recording_about_of(r);
    cr_expect_str_eq(about->scene, "a scene");
    cr_expect_str_eq(about->law, "NCP");
    cr_expect(strstr(about->source, "not empty & not plain: \xC3\xA9"), "%s", about->source);
    ts_recording_close(r);
}

static const char cut_script[] =
    "import sys, h5py\n"
    "import numpy as np\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "t = f['/state/time'][:]\n"
    "n = int(sys.argv[2])\n"
    "assert len(t) >= n, len(t)\n"
    "assert np.allclose(t[:n], 1e-3 * np.arange(n), atol=1e-9) and np.all(t[n:] == t[n - 1])\n"
    "assert f.attrs['finished'] == 0\n"
    "def whole(name, data):\n"
    "    if isinstance(data, h5py.Dataset):\n"
    "        data[()]\n"
    "        if name.split('/')[0] in ('state', 'bodies', 'energy', 'solver', 'timing'): "
    "assert len(data) == len(t), name\n"
    "f.visititems(whole)\n"
    "count, first = f['/contacts/count'][:], f['/contacts/first'][:]\n"
    "assert np.array_equal(first, np.concatenate(([0], np.cumsum(count)[:-1])))\n"
    "assert first[-1] + count[-1] == len(f['/contacts/impulse'])\n"
    "frame = f['/contacts/frame'][:]\n"
    "assert np.allclose(frame @ frame.transpose(0, 2, 1), np.eye(3), atol=1e-12)\n"
    "assert np.all(np.abs(f['/contacts/position'][:, 2]) < 0.01) and np.all(f['/contacts/geom_b'][:] > 0)\n"
    "assert np.allclose(np.linalg.norm(f['/bodies/quaternion'][:], axis=2), 1, atol=1e-9)\n"
    "assert np.array_equal(f['/state/qpos'][:, :3], f['/bodies/position'][:, 1])\n";

Test(record, a_run_cut_short_says_so) {
    if (!python_with_h5py()) cr_skip("no python3 with h5py here");
    fixture f = make_scene();
    ts_record* record = open_record(in_folder("cut.h5"), f.sim);
    for (int i = 0; i < 50; ++i) {
        if (i > 0) fixture_run(&f, 1);
        append(record, f.sim);
    }
    close_record(record, 0);
    cr_expect_eq(run_python(cut_script, in_folder("cut.h5"), "50"), 0);
    fixture_end(&f);
}

// Wherever the disk becomes full: no crash, no word from the HDF5 library when the program ends, and what there is can
// be read. Too early for a recording to begin, no file is left.
Test(record, a_full_disk_never_takes_the_program_down, .timeout = 200) {
    fixture f = make_scene();
    int failed_to_open = 0;
    for (rlim_t bytes = 0; bytes < 60000; bytes += 3000) {
        const char* path = in_folder("full.h5");
        if (record_on_full_disk(&f, path, bytes, -1)) break;
        ++failed_to_open;
        struct stat about;
        cr_assert_neq(stat(path, &about), 0, "a file is left after failing at %ld bytes", (long)bytes);
    }
    cr_assert(failed_to_open > 5);
    if (python_with_h5py()) {
        cr_assert_eq(record_on_full_disk(&f, in_folder("late.h5"), 3000000, 1500), 1);
        cr_expect_eq(run_python(cut_script, in_folder("late.h5"), "1501"), 0);
    }
    fixture_end(&f);
}

Test(record, hdf5_refuses_what_is_no_file_or_is_in_use) {
    fixture f = make_scene();
    cr_assert_eq(symlink("/dev/null", in_folder("null.h5")), 0);
    ts_record* record = NULL;
    ts_status status;
    cr_expect_eq(ts_record_open(in_folder("null.h5"), "s", f.sim, &record, &status), TS_ERROR_FILE);
    ts_record* first = open_record(in_folder("twice.h5"), f.sim);
    append(first, f.sim);
    cr_expect_eq(ts_record_open(in_folder("twice.h5"), "s", f.sim, &record, &status), TS_ERROR_FILE);
    cr_expect_not_null(strstr(status.message, "open"));
    close_record(first, 1);
    struct stat about;
    cr_assert_eq(stat(in_folder("twice.h5"), &about), 0);
    cr_expect_gt(about.st_size, 1000, "the first recording is whole");
    fixture_end(&f);
}

// Goes on after the flush for long enough that chunks are full, leave the cache and go to the file: none of them may
// disturb what the flush wrote.
Test(record, a_killed_run_leaves_what_was_flushed) {
    if (!python_with_h5py()) cr_skip("no python3 with h5py here");
    fixture f = make_scene();
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        ts_status status;
        ts_record* record = NULL;
        if (ts_record_open(in_folder("killed.h5"), "s", f.sim, &record, &status)) _exit(1);
        double flushed = 0.0;
        // Not up to the next flush, which would make things good again.
        for (int i = 0; i < 1300 || (i < 60000 && ts_clock_seconds() - flushed < 0.7); ++i) {
            if (i > 0 && i < 1300 && ts_sim_step(f.sim, &status)) _exit(2);
            if (i == 1299) sleep_over_a_flush();  // this append flushes 1300 rows, more than one chunk
            if (ts_record_append(record, f.sim, &status)) _exit(3);
            if (i == 1299) flushed = ts_clock_seconds();
        }
        raise(SIGKILL);
    }
    int outcome = 0;
    cr_assert_eq(waitpid(child, &outcome, 0), child);
    cr_assert(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGKILL, "the child ended otherwise: %d", outcome);
    cr_expect_eq(run_python(cut_script, in_folder("killed.h5"), "1300"), 0);
    fixture_end(&f);
}

// A recording's end goes on as the run itself would have, bit by bit; another moment has its state alone.
Test(record, goes_on_where_it_ended) {
    ts_status status;
    fixture f = make_scene(), again = make_scene();
    double middle_time = 0.0, middle[3] = {0.0, 0.0, 0.0};
    ts_record* record = open_record(in_folder("run.h5"), f.sim);
    f.sim->ctrl[0] = 0.25;
    for (int i = 0; i < 300; ++i) {
        if (i > 0) fixture_run(&f, 1);
        append(record, f.sim);
        if (i != 150) continue;
        middle_time = f.sim->time;
        middle[0] = f.sim->qpos[2];
        middle[1] = f.sim->qvel[2];
        middle[2] = f.sim->act[0];
    }
    close_record(record, 1);
    uint64_t end = ts_sim_hash(f.sim);
    fixture_run(&f, 200);
    cr_assert_eq(ts_record_restore(in_folder("run.h5"), (double)NAN, again.sim, &status), TS_OK, "%s", status.message);
    cr_expect_eq(ts_sim_hash(again.sim), end);
    cr_expect_eq(again.sim->step_count, 299);
    fixture_run(&again, 200);
    cr_expect_eq(ts_sim_hash(again.sim), ts_sim_hash(f.sim));
    cr_assert_eq(ts_record_restore(in_folder("run.h5"), middle_time + 2e-4, again.sim, &status), TS_OK);
    cr_expect_eq(again.sim->time, middle_time);
    cr_expect_eq(again.sim->step_count, 150);
    cr_expect(again.sim->qpos[2] == middle[0] && again.sim->qvel[2] == middle[1]);
    cr_expect(again.sim->ctrl[0] == 0.25 && again.sim->act[0] == middle[2] && middle[2] > 0.1);
    cr_expect_eq(ts_record_restore(in_folder("run.h5"), 0.5, again.sim, &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "0.299"), "%s", status.message);
    cr_expect_eq(again.sim->time, middle_time, "a refusal leaves the simulation as it was");
    fixture_end(&f);
    fixture_end(&again);
}

// Another model, a file of something else, no file: refused, and the simulation stays as it was.
Test(record, goes_on_from_recordings_of_its_model_only) {
    ts_status status;
    fixture f = make_scene();
    ts_record* record = open_record(in_folder("run.h5"), f.sim);
    append(record, f.sim);
    close_record(record, 1);
    ts_builder* builder = ts_builder_create("other");
    fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 1.0), 1.0, ts_mat3_identity());
    fixture other = fixture_start(builder, 1);
    uint64_t hash = ts_sim_hash(other.sim);
    cr_expect_eq(ts_record_restore(in_folder("run.h5"), (double)NAN, other.sim, &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "model"), "%s", status.message);
    cr_expect_eq(ts_record_restore(in_folder("nowhere.h5"), 0.0, other.sim, &status), TS_ERROR_FILE);
    FILE* file = fopen(in_folder("text.h5"), "w");
    cr_assert(file && fputs("no recording", file) >= 0 && fclose(file) == 0);
    cr_expect_eq(ts_record_restore(in_folder("text.h5"), 0.0, other.sim, &status), TS_ERROR_FILE);
    cr_expect_eq(ts_sim_hash(other.sim), hash);
    fixture_end(&other);
    fixture_end(&f);
}

#endif
