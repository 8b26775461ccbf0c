// URDF and `touchstone convert` on the command line.
#include "tests/cli/cli_fixture.h"

TestSuite(convert, .init = make_folder, .fini = remove_folder);

static void put(const char* name, const char* text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static const char arm[] =
    "<robot name='arm'>\n<link name='base'/>\n<link name='fore'><inertial><origin xyz='0 0 -1'/><mass value='2'/>"
    "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial><collision><geometry>"
    "<sphere radius='0.1'/></geometry></collision></link>\n<joint name='elbow' type='continuous'><parent link='base'/>"
    "<child link='fore'/><dynamics damping='0.1'/></joint>\n</robot>\n";

// Every command takes a URDF, whatever it is called.
Test(convert, urdf_wherever_mjcf_can_be) {
    static const char* const commands[] = {"run arm.urdf --time 0.1", "check arm.urdf", "compare arm.urdf --time 0.01",
                                           "run odd.name --time 0.01", "check arm.urdf --root fixed --json"};
    put("arm.urdf", arm);
    put("odd.name", arm);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        outcome o = run(commands[i]);
        cr_expect_eq(o.code, 0, "%s: %s", commands[i], ts_text_get(&o.err));
        outcome_free(&o);
    }
    outcome o = run("check arm.urdf --root floating");
    cr_expect(has(&o.out, "root link base") && has(&o.out, "floating, as asked for"), "%s", ts_text_get(&o.out));
    outcome_free(&o);
    o = run("check arm.urdf --root flying");
    cr_expect_eq(o.code, 2);
    cr_expect(has(&o.err, "fixed or floating"));
    outcome_free(&o);
}

Test(convert, and_back) {
    put("arm.urdf", arm);
    outcome o = run("convert arm.urdf arm.xml");
    cr_expect_eq(o.code, 0, "%s", ts_text_get(&o.err));
    cr_expect(exists("arm.xml"));
    outcome_free(&o);
    o = run("convert arm.xml again.xml");
    cr_expect_eq(o.code, 0, "%s", ts_text_get(&o.err));
    outcome_free(&o);
    // What was written once is written again.
    char one[200], two[200];
    ts_text first = {0}, second = {0};
    snprintf(one, sizeof one, "%s/arm.xml", folder);
    snprintf(two, sizeof two, "%s/again.xml", folder);
    cr_assert_eq(ts_text_read_file(one, 1 << 20, &first, NULL), TS_OK);
    cr_assert_eq(ts_text_read_file(two, 1 << 20, &second, NULL), TS_OK);
    cr_expect_str_eq(ts_text_get(&first), ts_text_get(&second));
    ts_text_free(&first);
    ts_text_free(&second);
    o = run("run again.xml --time 0.1");
    cr_expect_eq(o.code, 0);
    outcome_free(&o);
}

Test(convert, refusals) {
    put("arm.urdf", arm);
    put("bad.urdf", "<robot name='r'>\n<link/></robot>");
    outcome o = run("convert arm.urdf");
    cr_expect_eq(o.code, 2);
    outcome_free(&o);
    o = run("convert arm.urdf arm.urdf");
    cr_expect_eq(o.code, 2);
    outcome_free(&o);
    o = run("convert bad.urdf bad.xml");
    cr_expect_eq(o.code, 1);
    cr_expect(has(&o.err, "bad.urdf:2"), "%s", ts_text_get(&o.err));
    cr_expect(!exists("bad.xml"));
    outcome_free(&o);
    o = run("convert arm.urdf no/such/folder/arm.xml");
    cr_expect_eq(o.code, 1);
    outcome_free(&o);
}
