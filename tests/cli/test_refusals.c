// What the program must not do in silence: contradictions, names that mean something else, requests that cannot come true; and
// that it says which thing it is about.
#include "tests/cli/cli_fixture.h"

TestSuite(refusals, .init = make_folder, .fini = remove_folder, .timeout = 240);

// What used to be done in silence, or to something else than was meant.
Test(refusals, refuses_what_cannot_be_meant) {
    expect_refusal("view sliding-cube --png a.jpg", 2, "'a.jpg' should end in .png");
    expect_refusal("compare sliding-cube --png out.d/a.gif", 2, "should end in .png");
    expect_refusal("distance sphere:1 sphere:1 --png a.jpeg", 2, "should end in .png");
    expect_refusal("view sliding-cube --html a.txt", 2, "'a.txt' should end in .html");
    expect_refusal("run sliding-cube --ledger a.h5", 2, "'a.h5' should end in .csv");
    expect_refusal("run sliding-cube --certificates a.xyz", 2, "'a.xyz' should end in .csv or .h5 or .hdf5");
    expect_refusal("judge a.csv --out a.cs", 2, "'a.cs' should end in .csv or .h5");
    expect_refusal("compare sliding-cube --png-time 0.1", 2, "--png FILE or --out DIR");
    expect_refusal("run sliding-cube --solver ncp --set solver=ccp-pgs", 2, "contradicts --set solver=ccp-pgs");
    expect_refusal("view sliding-cube --solver ncp --set solver=ccp-pgs --png a.png", 2, "contradicts");
    expect_refusal("run sliding-cube --dt 0.001 --set time_step=0.002", 2, "contradicts --set time_step=0.002");
    expect_refusal("view sliding-cube --substeps 2 --set substeps=3 --png a.png", 2, "contradicts --set substeps=3");
    expect_refusal("run sliding-cube --certificate 99999:x.json", 2, "asks for step 99999 of a run of");
    expect_refusal("run sliding-cube --time 0.01 --dt 0.001 --dump-problem 11:x.hdf5", 2,
                   "step 11 of a run of 10 steps");
    outcome result = run("run sliding-cube --time 0.01 --solver ncp --set solver=ncp --dt 0.001 --set time_step=1e-3");
    cr_expect_eq(result.code, 0, "saying one thing twice is no contradiction: %s", ts_text_get(&result.err));
    outcome_free(&result);
}

Test(refusals, an_experiment_is_not_a_scene) {
    expect_refusal("run three-models", 2, "'three-models' is an experiment: 'touchstone compare three-models' runs it");
    expect_refusal("view three-models", 2, "is an experiment");
    expect_refusal("check three-models", 2, "is an experiment");
}

Test(refusals, a_recording_is_not_a_model) {
    static const char signature[] = "\x89HDF\r\n\x1a\n and more";
    write_text("recording.h5", signature);
    expect_refusal("run recording.h5", 2, "this is an HDF5 file, not a model");
    expect_refusal("check recording.h5", 2, "h5py");
    write_text("broken.h5", "no more than a name");
    expect_refusal("run broken.h5", 2, "this is no HDF5 file");
#ifdef TS_HAVE_HDF5
    expect_refusal("view broken.h5 --html page.html", 1, "cannot read this as an HDF5 recording");
    expect_refusal("view gone.h5 --html page.html", 1, "gone.h5: ");
#endif
}

// Robots come as ROBOT/scene.xml: the folder is what tells them apart.
Test(refusals, a_file_is_named_with_its_folder) {
    char path[256];
    snprintf(path, sizeof path, "%s/robot", folder);
    cr_assert_eq(mkdir(path, 0777), 0);
    write_text("robot/scene.xml",
               "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
    static const char* const commands[] = {"run robot/scene.xml --time 0.01", "check ./robot/scene.xml"};
    for (int i = 0; i < 2; ++i) {
        outcome result = run(commands[i]);
        cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
        cr_expect_eq(strncmp(ts_text_get(&result.out), "robot/scene.xml", 15), 0, "%s", ts_text_get(&result.out));
        outcome_free(&result);
    }
}

// A change of energy that is mere rounding has an exponent and a sign, and still does not run into the next column.
Test(refusals, columns_of_a_comparison_stay_apart) {
    outcome result = run("compare stack-10 --solvers ncp,ncp-pgs --time 0.02");
    cr_expect_eq(result.code, 0);
    int seen = 0;
    for (const char* at = ts_text_get(&result.out); (at = strchr(at, 'J')) != NULL; ++at) {
        ++seen;
        cr_expect(at[1] == ' ', "%.40s", at - 20);
    }
    cr_expect_eq(seen, 2, "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

static const char servo[] =
    "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='j' type='slide' axis='1 0 "
    "0'/><geom "
    "size='0.1' mass='2'/></body></worldbody><actuator><motor name='push' joint='j' gear='3'/></actuator></mujoco>";

// A mass of 2 under 3 u for half a second, from a control and from a file whose first row comes after 0.2 s.
Test(refusals, controls_move_what_they_name) {
    write_text("servo.xml", servo);
    write_text("push.csv", "\xEF\xBB\xBFtime, push\n0.2,4\n\n0.3 , -2\r\n");
    static const struct {
        const char* command;
        const char* energy;
    } cases[] = {{"run servo.xml --time 0.5 --ctrl push=4", "9.00 J at the end"},
                 {"run servo.xml --time 0.5 --ctrl 0=4", "9.00 J at the end"},
                 {"run servo.xml --time 0.5 --batch 2 --ctrl push=4", "2 simulations"},
                 {"run servo.xml --time 0.4 --ctrl-file push.csv", "90.0 mJ at the end"},
                 {"run servo.xml --time 0.3 --ctrl-file push.csv", "360 mJ at"},
                 {"compare servo.xml --time 0.1 --solvers ncp,ncp-pgs --ctrl push=4", "ncp-pgs"},
                 {"check servo.xml", "push                     joint j: force (1) u + 0; gear 3"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        outcome result = run(cases[i].command);
        cr_expect_eq(result.code, 0, "%s: %s", cases[i].command, ts_text_get(&result.err));
        cr_expect_not_null(strstr(ts_text_get(&result.out), cases[i].energy), "%s: %s", cases[i].command,
                           ts_text_get(&result.out));
        cr_expect_null(strstr(ts_text_get(&result.out), "without a cause"), "motors are one");
        outcome_free(&result);
    }
}

Test(refusals, controls_that_cannot_be) {
    write_text("servo.xml", servo);
    expect_refusal("run servo.xml --ctrl push", 2, "--ctrl takes NAME=VALUE");
    expect_refusal("run servo.xml --ctrl pusj=1", 2, "no actuator is called 'pusj'; did you mean 'push'?");
    expect_refusal("run servo.xml --ctrl push=high", 2, "--ctrl takes NAME=NUMBER");
    expect_refusal("run servo.xml --ctrl push=1 --ctrl 0=2", 2, "names '0' twice");
    expect_refusal("run servo.xml --ctrl push=1 --ctrl-file a.csv", 2, "contradicts");
    expect_refusal("view sliding-cube --png a.png --ctrl push=1", 2, "the model has none");
    static const char* const wrong[][2] = {{"t,push\n0,1\n", ":1: the first line must be 'time'"},
                                           {"time,puzh\n0,1\n", ":1: no actuator is called 'puzh'"},
                                           {"time,push,push\n0,1,1\n", ":1: two columns are of 'push'"},
                                           {"time,push\n0,1,2\n", ":2: a row needs 2 numbers"},
                                           {"time,push\n0\n", ":2: a row needs 2 numbers"},
                                           {"time,push\n0,1\n\n0,2\n", ":4: times must ascend"},
                                           {"time,push\n0,nan\n", ":2: 'nan' is not a number"},
                                           {"time,push\n", "there are no rows"},
                                           {"", "the first line must be"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        write_text("wrong.csv", wrong[i][0]);
        expect_refusal("run servo.xml --ctrl-file wrong.csv", 2, wrong[i][1]);
    }
    expect_refusal("run servo.xml --ctrl-file missing.csv", 1, "missing.csv");
}

Test(refusals, controllers_are_chosen_set_and_named) {
    static const char* const cases[][2] = {
        {"run quadruped --time 0.02", "controller   trot: speed=0.3"},
        {"run quadruped --time 0.02 --set controller.speed=0.5", "controller   trot: speed=0.5"},
        {"run quadruped --time 0.02 --controller hold", "controller   hold\n"},
        {"run quadruped --time 0.02 --batch 2 --controller hold", "2 simulations"},
        {"run quadruped --time 0.02 --json", "\"controller\": \"trot\""},
        {"run quadruped --time 0.02 --json --controller none", "\"controller\": null"},
        {"compare quadruped --time 0.02 --solvers ncp,ncp-pgs --controller hold", "ncp-pgs"},
        {"list controllers", "controller.speed=0.3"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        outcome result = run(cases[i][0]);
        cr_expect_eq(result.code, 0, "%s: %s", cases[i][0], ts_text_get(&result.err));
        cr_expect_not_null(strstr(ts_text_get(&result.out), cases[i][1]), "%s: %s", cases[i][0],
                           ts_text_get(&result.out));
        outcome_free(&result);
    }
    expect_refusal("run quadruped --controller trit", 2, "no controller is called 'trit'; did you mean 'trot'?");
    expect_refusal("run quadruped --controller turn", 2, "cannot drive this model: it needs servos finger0-spread");
    expect_refusal("run stack-10 --controller hold", 2, "cannot drive this model: it has no actuators");
    expect_refusal("run quadruped --set controller.sped=1", 2, "has no setting 'sped'; it has: speed");
    expect_refusal("run quadruped --set controller.speed=fast", 2, "controller.speed=NUMBER, not 'fast'");
    expect_refusal("run quadruped --set controller.speed=70", 2, "between -1 and 1");
    expect_refusal("run stack-10 --set controller.speed=1", 2, "there is no controller to set");
}
