// Recordings as HDF5 against those as CSV through an independent reader (h5py), after interruptions, and gone on from.
#include "base/clock.h"
#include "base/text.h"
#include "tests/engine/record/record_fixture.h"

TestSuite(record_hdf5, .init = make_folder, .fini = remove_folder);

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

Test(record_hdf5, holds_the_same_as_csv_and_obeys_newton) {
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
Test(record_hdf5, survives_flushes_within_chunks) {
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
Test(record_hdf5, of_format_1_is_refused_until_it_is_changed) {
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

Test(record_hdf5, a_run_cut_short_says_so) {
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
Test(record_hdf5, a_full_disk_never_takes_the_program_down, .timeout = 200) {
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

Test(record_hdf5, refuses_what_is_no_file_or_is_in_use) {
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
Test(record_hdf5, a_killed_run_leaves_what_was_flushed) {
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
Test(record_hdf5, goes_on_where_it_ended) {
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
Test(record_hdf5, goes_on_from_recordings_of_its_model_only) {
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
