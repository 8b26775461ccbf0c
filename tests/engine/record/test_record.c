// Recordings as CSV against the simulation they came from, bit by bit; and what cannot be recorded, or not there.
#include "base/text.h"
#include "tests/engine/record/record_fixture.h"

TestSuite(record, .init = make_folder, .fini = remove_folder);

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
