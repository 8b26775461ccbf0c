// `touchstone check`: masses and contacts, tables of sensors and tendons, loops, doubts, and where MuJoCo would compute otherwise, against closed forms.
#include "tests/cli/cli_fixture.h"

#include "scenes/scene_table.h"

TestSuite(check, .init = make_folder, .fini = remove_folder);

// Python on the JSON that `check NAME.xml --json` prints of a model with these contents, as `d`.
static void expect(const char* contents, const char* python) {
    char text[4000];
    snprintf(text, sizeof text, "<mujoco>%s</mujoco>\n", contents);
    write_text("m.xml", text);
    outcome result = run("check m.xml --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, python), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

#define NOTE "def note(key, of='doubts'):\n    return [n for n in d[of] if n['key'] == key]\n"

Test(check, sensors_and_tendons) {
    static const char model[] =
        "<worldbody><site name='post' pos='0 0 3'/><body name='b'><joint name='j'/><geom size='0.1' pos='1 0 "
        "0'/><site name='s'/></body></worldbody><tendon><spatial name='rope' stiffness='5' springlength='2'><site "
        "site='post'/><site site='s'/></spatial><fixed name='sum'><joint joint='j' coef='2'/></fixed></tendon><sensor>"
        "<gyro name='g' site='s' noise='0.1'/><accelerometer site='s' cutoff='3'/><tendonpos tendon='rope'/></sensor>";
    expect(model, "s = d['sensors']\n"
                  "assert [x['kind'] for x in s] == ['gyro', 'accelerometer', 'tendonpos']\n"
                  "assert s[0]['name'] == 'g' and s[0]['object'] == \"site 's'\" and s[0]['noise'] == 0.1\n"
                  "assert [x['first'] for x in s] == [0, 3, 6] and s[1]['cutoff'] == 3 and s[1]['of_a_step']\n"
                  "t = d['tendons']\n"
                  "assert t[0]['name'] == 'rope' and t[0]['length'] == 3 and t[0]['unit'] == 'm'\n"
                  "assert t[1]['length'] == 0 and t[1]['unit'] == 'rad'\n");
    outcome result = run("check m.xml");
    cr_expect(has(&result.out, "Sensors (7 numbers in all)"));
    cr_expect(has(&result.out, "tendon 'rope'"));
    outcome_free(&result);
}

Test(check, loops_before_and_after) {
    // A rod that hangs from its hinge and is tied, 0.02 m off, to a point that it can reach; a gear that starts 0.3 rad off.
    expect(
        "<option gravity='0 0 0'/><worldbody><site name='there' pos='0.02 0 -1'/><body name='rod'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -1' size='0.05'/><site name='tip' pos='0 0 -1'/></body><body pos='5 0 "
        "0'>"
        "<joint name='p'/><geom size='0.1'/></body><body pos='7 0 0'><joint name='q'/><geom "
        "size='0.1'/></body></worldbody>"
        "<equality><connect name='pin' site1='tip' site2='there'/><joint name='gear' joint1='p' joint2='q' "
        "polycoef='0.3 1 0 0 0'/><connect name='off' body1='rod' anchor='0 0 -1' active='false'/></equality>",
        "e = {x['name']: x for x in d['equalities']}\n"
        "assert abs(e['pin']['start']['length'] - 0.02) < 1e-12 and e['pin']['start']['angle'] == 0\n"
        // It cannot come nearer than the difference of sqrt(1 + 0.02^2) and 1.
        "assert abs(e['pin']['after_all_steps']['length'] - 0.0002) < 1e-5, e['pin']\n"
        "assert e['pin']['verdict'] == 'is closing'\n"
        "assert abs(e['gear']['start']['angle'] - 0.3) < 1e-12 and e['gear']['after_one_step']['angle'] < 0.3\n"
        "assert e['gear']['verdict'] in ('closes', 'is closing'), e['gear']\n"
        "assert e['off']['start']['length'] == 0 and e['off']['verdict'] == 'switched off'\n");
}

#define ARM(mass, joint, rest)                                                                                   \
    "<compiler angle='radian'/><worldbody><body name='arm'><joint name='j' axis='0 1 0' " joint "/>"             \
    "<inertial pos='0.5 0 0' mass='" mass "' diaginertia='0.1 0.1 0.1'/><geom type='box' size='0.15 0.15 0.15' " \
    "pos='0.5 0 0'/></body></worldbody>" rest

Test(check, doubts_about_units) {
    // 3000 kg in a cube of 0.3 m.
    expect(ARM("3000", "", ""),
           NOTE "n = note('density')\n"
                "assert len(n) == 1 and abs(n[0]['value'] - 3000 / 0.027) < 1e-6 and \"'arm'\" in n[0]['about']\n"
                "assert '3000 kg' in n[0]['sentence']\n");
    expect(ARM("0.01", "", ""),
           NOTE "assert len(note('density')) == 1 and 'less than air' in note('density')[0]['sentence']");
    expect("<worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom "
           "size='300'/></body></worldbody>",
           NOTE "assert note('size')[0]['value'] == 300 and 'millimetres' in note('size')[0]['sentence']");
    expect("<option gravity='0 0 -9810'/>" ARM("3", "", ""), NOTE "assert note('gravity')[0]['value'] == 9810");
    expect("<option gravity='0 0 0'/>" ARM("3", "", ""),
           NOTE "assert 'nothing falls' in note('gravity')[0]['sentence']");
    expect(ARM("3", "range='-90 90'", ""),
           NOTE "assert note('range')[0]['value'] == 90 and 'degrees' in note('range')[0]['sentence']");
    expect("<worldbody><geom name='f' type='plane' size='1 1 1'/><body pos='0 0 0.08'><freejoint/><geom "
           "size='0.1'/></body></worldbody>",
           NOTE "assert abs(note('overlap')[0]['value'] - 0.02) < 1e-9");
    expect(ARM("3", "range='-1 1'", ""), "assert d['doubts'] == [], d['doubts']");
}

Test(check, doubts_about_actuators) {
    // The inertia at the joint: 0.1 + 4 * 0.25.
#define PULL(what) ARM("4", "", "<actuator>" what "</actuator>")
    expect(PULL("<position joint='j' kp='0.011'/>"), NOTE "assert abs(note('gain')[0]['value'] - 0.1) < 1e-12");
    expect(PULL("<position joint='j' kp='1.1e9' kv='1e5'/>"),
           NOTE "assert abs(note('gain')[0]['value'] / 31622.7766 - 1) < 1e-6");
    expect(PULL("<position joint='j' kp='100' kv='2000'/>"),
           NOTE "assert abs(note('damping')[0]['value'] - 20) < 1e-12");
    expect(PULL("<general joint='j' biastype='affine' biasprm='0 0 3'/>"),
           NOTE "assert note('damping sign')[0]['value'] == 3");
    expect(PULL("<general joint='j' biastype='affine' biasprm='0 7 0'/>"),
           NOTE "assert note('stiffness sign')[0]['value'] == 7");
    // Gravity asks for 4 * 9.81 * 0.5 N m.
    expect(PULL("<motor joint='j' forcerange='-1 1'/>"),
           NOTE "assert note('strength')[0]['value'] == 1 and '19.6' in note('strength')[0]['sentence']");
    expect(PULL("<position joint='j' kp='100' kv='20' forcerange='-50 50'/>"), "assert d['doubts'] == [], d['doubts']");
}

// A ball under solver mujoco sinks as deep as is told for MuJoCo.
Test(check, what_gives_in_mujoco_gives_so_much) {
    static const char ball[] =
        "<option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/><geom "
        "size='0.1'/></body></worldbody>";
    char python[600];
    expect(ball, NOTE "n = note('soft contacts', 'mujoco_differs')\nimport sys, "
                      "os\nopen(os.path.join(os.path.dirname(sys.argv[0]), 'sinks'), 'w').write(repr(n[0]['value']))\n"
                      "assert note('creep', 'mujoco_differs')[0]['value'] > 0 and note('cone', 'mujoco_differs')\n");
    outcome result = run("run m.xml --solver mujoco --time 3 --out ball.csv");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    snprintf(python, sizeof python,
             "python3 -c \"import csv; rows = list(csv.reader(open('%s/ball.csv'))); "
             "z = float(rows[-1][rows[0].index('body1.pz')]); told = float(open('%s/sinks').read()); "
             "assert abs((0.1 - z) / told - 1) < 1e-3, (z, told)\"",
             folder, folder);
    cr_expect_eq(system(python), 0);
}

Test(check, integrators_limits_and_servos_in_mujoco) {
    expect(ARM("4", "range='-1 1'",
               "<actuator><position joint='j' kp='1e6' kv='100'/></actuator><sensor><clock/></sensor>"),
           "n = {x['key']: x for x in d['mujoco_differs']}\n"
           "assert n['integrator']['value'] is not None and n['soft limits']['value'] > 0\n"
           // (k h^2 + d h) / m with h = 2 ms.
           "assert abs(n['servos']['value'] - (4 + 0.2) / 1.1) < 1e-9 and 'not stable' in n['servos']['sentence']\n");
    expect("<option integrator='implicitfast'/>" ARM("4", "", ""),
           "assert not [x for x in d['mujoco_differs'] if x['key'] == 'integrator']\n");
}

Test(check, tells_masses_inertias_and_contacts) {
    write_text("small.xml", small_model);
    outcome result = run("check small.xml");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "total mass 2 kg"));
    cr_expect(has(&result.out, "just touching"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("check small.xml --json");
    // A solid ball: 2/5 m r^2.
    cr_expect(json_holds(&result.out, "assert d['total_mass'] == 2 and d['body_count'] == 1\n"
                                      "b = d['bodies'][0]\n"
                                      "assert b['name'] == 'ball' and b['plausible']\n"
                                      "assert all(abs(i - 0.4 * 2 * 0.01) < 1e-12 for i in b['principal_moments'])\n"
                                      "assert abs(b['reach'] - 0.1) < 1e-12\n"
                                      "assert len(d['contacts']) == 1 and abs(d['contacts'][0]['gap']) < 1e-9"));
    outcome_free(&result);
}

Test(check, doubts_implausible_inertias) {
    write_text("huge.xml", "<mujoco><worldbody><body name=\"b\"><freejoint/>"
                           "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"5 5 5\"/>"
                           "<geom type=\"sphere\" size=\"0.1\"/></body></worldbody></mujoco>\n");
    outcome result = run("check huge.xml --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['doubtful_inertias'] == 1 and 'too large' in d['bodies'][0]['doubt']"));
    outcome_free(&result);
}

Test(check, knows_every_scene) {
    for (int i = 0; i < ts_scene_count(); ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "check %s --json", ts_scene_at(i)->name);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0, "%s: %s", ts_scene_at(i)->name, ts_text_get(&result.err));
        cr_expect(json_holds(&result.out, "assert d['doubtful_inertias'] == 0 and d['total_mass'] > 0"), "%s",
                  ts_scene_at(i)->name);
        outcome_free(&result);
    }
}

// Three links in one place: the first and the last are no neighbours. What is written is found beside the robot, and says the same.
Test(check, writes_who_never_touches) {
#define BALL(name)                                                                                                \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>" \
    "</inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
#define HINGE(name, parent, child) \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child "'/></joint>"
    write_text("r.urdf", "<robot name='r &amp; s'>" BALL("a") BALL("b") BALL("c") HINGE("ab", "a", "b")
                             HINGE("bc", "b", "c") "</robot>");
    static const char counts[] = "n = [f for f in d['import'] if 'overlap' in f['what']]\n";
    char python[300];
    snprintf(python, sizeof python, "%sassert len(n) == 1 and n[0]['count'] == 1\nassert d['contacts'] == []\n",
             counts);
    outcome result = run("check r.urdf --json --write-srdf r.srdf");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, python), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    snprintf(python, sizeof python, "%sassert n == []\nassert d['contacts'] == []\n", counts);
    result = run("check r.urdf --json");
    cr_expect(json_holds(&result.out, python), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    write_text("q.urdf",
               "<robot name='q'>" BALL("a") BALL("b") BALL("c") HINGE("ab", "a", "b") HINGE("bc", "b", "c") "</robot>");
    result = run("check q.urdf --json --overlaps keep");
    cr_expect(json_holds(&result.out, "assert len(d['contacts']) == 1\n"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("check q.urdf --overlaps perhaps");
    cr_expect(result.code != 0 && has(&result.err, "exclude or keep"));
    outcome_free(&result);
}
