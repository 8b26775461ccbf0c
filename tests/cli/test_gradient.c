// `touchstone gradient`: audits against closed forms, at kinks that are known, and of what is asked for wrongly.
#include "engine/derivative/step_derivative.h"

#include "tests/cli/cli_fixture.h"

TestSuite(gradient, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Entries by their input.
#define BY "by = {e['input']: e for e in d['inputs']}\n"

static void expect_holds(const char* arguments, const char* script) {
    outcome result = run(arguments);
    cr_assert_eq(result.code, 0, "%s: %s", arguments, ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, script), "%s: %s", arguments, ts_text_get(&result.out));
    outcome_free(&result);
}

// A body that is thrown: x_n = x + n h v, z_n = z + n h v - g h^2 n (n + 1) / 2, and in the integral each by trapezoids.
Test(gradient, of_a_body_that_is_thrown) {
    write_text("thrown.xml", "<mujoco><option timestep='0.01' gravity='0 0 -8' integrator='Euler'/><worldbody>"
                             "<body name='a' pos='0 0 2'><freejoint/><geom type='box' size='.1 .2 .3' mass='2'/></body>"
                             "</worldbody></mujoco>");
    expect_holds("gradient thrown.xml --time 0.1 --of 'body[a].x + 3 * body[a].z + 2 * integral(body[a].vx)' "
                 "--wrt 'qpos[0..2],qvel[a],gravity[z],mass[a],time_step' --json",
                 BY "n, h, g = 10, 0.01, 8.0\n"
                    "fall = h * h * n * (n + 1) / 2\n"
                    "want = {'qpos[0]': 1, 'qpos[1]': 0, 'qpos[2]': 3, 'qvel[0]': 3 * n * h, 'qvel[2]': 3 * n * h,\n"
                    "        'qvel[1]': 0, 'qvel[3]': 0, 'gravity[2]': 3 * fall, 'mass[1]': 0,\n"
                    "        'time_step[0]': -3 * g * 2 * fall / h}\n"
                    "for k, v in want.items():\n"
                    "    for way in ('gradient', 'forward', 'differences'):\n"
                    "        assert abs(by[k][way] - v) < 1e-6 * max(1, abs(v)), (k, way, by[k][way], v)\n"
                    "assert d['verdict'] == 'exact' and d['near'] == [], d['verdict']\n"
                    "assert d['line']['kinks'] == [] and abs(d['loss'] - 3 * (2 - g * fall)) < 1e-9, d\n");
}

// What sensors show of the state at the end; of a step nothing, and which number must be said.
Test(gradient, of_what_sensors_show) {
    write_text("sensors.xml",
               "<mujoco><option timestep='0.005'/><worldbody>"
               "<body name='arm' pos='0 0 1'><joint name='p' axis='0 1 0.2'/>"
               "<geom type='capsule' size='0.05' fromto='0 0 0 0.4 0 0' mass='1'/>"
               "<body name='hand' pos='0.4 0 0'><joint name='q' axis='0 1 0'/>"
               "<geom type='box' size='0.1 0.05 0.02' pos='0.1 0 0' mass='0.4'/><site name='tip' pos='0.2 0 0.01'/>"
               "</body></body></worldbody><sensor><gyro name='gyro' site='tip'/><jointpos name='angle' joint='q'/>"
               "<framepos name='tip' objtype='site' objname='tip'/><subtreecom name='com' body='arm'/>"
               "<e_kinetic name='moves'/><accelerometer name='acc' site='tip'/><clock name='time'/></sensor></mujoco>");
    static const char* const of[] = {"sensor[gyro].y + 2 * sensor[angle]", "sensor[com].2 * sensor[tip].x",
                                     "sensor[moves]"};
    static const struct {
        const char *of, *says;
    } wrong[] = {{"sensor[acc].x", "shows what a step does"},
                 {"sensor[tip]", "has 3 numbers: name one, from .0 to .2"},
                 {"sensor[angle].x", "has 1 numbers"},
                 {"sensor[time]", "is a clock"},
                 {"sensor[tap].x", "no sensor is called 'tap'"}};
    for (int i = 0; i < 3; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "gradient sensors.xml --time 0.2 --of '%s' --wrt 'qpos,qvel,mass[hand],gravity[2]' --json", of[i]);
        expect_holds(arguments,
                     "assert d['verdict'] == 'exact' and len(d['inputs']) == 6, (d['verdict'], d['reason'])\n"
                     "assert all(abs(e['gradient']) > 1e-3 for e in d['inputs']), d['inputs']\n"
                     "assert all(e['apart'] < 1e-6 for e in d['inputs']), d['inputs']\n");
    }
    for (int i = 0; i < 5; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "gradient sensors.xml --time 0.2 --of '%s' --wrt qvel", wrong[i].of);
        outcome result = run(arguments);
        cr_expect_neq(result.code, 0);
        cr_expect(strstr(ts_text_get(&result.err), wrong[i].says), "%s: %s", wrong[i].of, ts_text_get(&result.err));
        outcome_free(&result);
    }
}

// A cube slides along x and nothing pushes it aside: what is a rounding of what others do is no jump of the loss.
Test(gradient, of_nothing_is_nothing) {
    expect_holds("gradient sliding-cube --time 0.02 --of 'body[cube].x' --wrt 'qvel[0..2],mass[cube]' --json",
                 BY "assert by['qvel[0]']['verdict'] == 'exact' and abs(by['qvel[0]']['gradient']) > 1e-3\n"
                    "for k in ('qvel[1]', 'qvel[2]', 'mass[1]'):\n"
                    "    assert by[k]['verdict'] == 'exact' and abs(by[k]['gradient']) < 1e-15, (k, by[k]['reason'])\n"
                    "    assert by[k]['columns'] == 'exact', (k, by[k]['columns'])\n");
    // Where it has come to rest, no velocity is left of what it had.
    expect_holds("gradient sliding-cube --time 0.3 --of kinetic --wrt 'qvel[0]' --json",
                 BY "assert by['qvel[0]']['verdict'] == 'exact', by['qvel[0]']['reason']\n"
                    "assert abs(by['qvel[0]']['gradient']) < 1e-20, by['qvel[0]']['gradient']\n");
}

// Everything that can be asked of a state, on chains and on a body that tumbles: differences know nothing of its derivative.
Test(gradient, of_all_that_a_state_has) {
    write_text(
        "all.xml",
        "<mujoco><compiler angle='radian'/><option timestep='0.01' gravity='1 2 -8'/><worldbody>"
        "<body name='a' pos='0 0 2'><freejoint/><geom name='g' type='box' pos='.1 0 .2' size='.1 .2 .3' mass='2'/>"
        "<site name='s' pos='.3 .1 0'/></body>"
        "<body name='b' pos='3 0 2'><joint name='j' axis='0 1 0' stiffness='5' springref='.2' armature='.1'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.05' mass='1'/>"
        "<body name='c' pos='.5 0 0'><joint name='k' type='ball'/>"
        "<geom type='box' pos='.2 0 0' size='.2 .05 .1' mass='1'/></body></body></worldbody>"
        "<keyframe><key name='k' qpos='0 0 2 .8 .2 .4 .4 .3 .9 .1 -.3 .3' qvel='1 -1 2 3 -1 2 1 2 -1 1'/></keyframe>"
        "</mujoco>");
    static const char* const all[] = {
        "qpos[4] * qpos[9] + square(qpos[j]) + qvel[8] + qvel[5]",
        "body[a].rxy + 2 * geom[g].rzz - body[c].ryx",
        "norm(site[s].vx, centre[c].vy, 0.5 * geom[g].wz)",
        "exp(0.1 * body[c].wy) + sin(centre[c].z)",
        "kinetic",
        "energy / 10 + integral(potential)",
        "at(0.03, body[c].x * qvel[3]) - min(qpos[0], max(qpos[1], 2 ^ qpos[2])) + atan2(qvel[4], 3)"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        char arguments[512];
        snprintf(arguments, sizeof arguments,
                 "gradient all.xml --key k --time 0.05 --of '%s' --wrt 'qpos,qvel,mass[c],gravity' --json", all[i]);
        expect_holds(arguments, "assert d['verdict'] == 'exact', (d['verdict'], d['reason'])\n"
                                "assert len(d['inputs']) == 24 and d['mismatch'] < 1e-10, d\n"
                                "assert any(abs(e['gradient']) > 1e-2 for e in d['inputs'])\n"
                                "assert all(e['apart'] < 1e-5 for e in d['inputs']), d['inputs']\n");
    }
}

// A flat box slides for n steps and stops in the next: n h v - mu g h^2 n (n + 1) / 2, within h of v^2 / (2 mu g).
Test(gradient, of_a_box_that_slides_to_rest) {
    write_text("slide.xml",
               "<mujoco><option timestep='0.01' gravity='0 0 -10'/>"
               "<worldbody><geom name='floor' type='plane' size='9 9 1' friction='.4'/>"
               "<body name='box' pos='0 0 .05'><freejoint/>"
               "<geom type='box' size='.2 .2 .05' mass='3' friction='.4'/></body></worldbody>"
               "<keyframe><key name='k' qpos='0 0 .05 1 0 0 0' qvel='.45 0 0 0 0 0'/></keyframe></mujoco>");
    expect_holds("gradient slide.xml --key k --time 0.2 --of 'body[box].x' --wrt 'qvel[0],friction[floor],mass[box]' "
                 "--span 0.03 --json",
                 BY "v, mu, g, h, n = 0.45, 0.4, 10, 0.01, 11\n"
                    "fall = h * h * n * (n + 1) / 2\n"
                    "want = {'qvel[0]': n * h, 'friction[0]': -g * fall, 'mass[1]': 0}\n"
                    "for k, x in want.items(): assert abs(by[k]['gradient'] - x) < 1e-7, (k, by[k]['gradient'], x)\n"
                    "assert d['verdict'] == 'exact', d['reason']\n"
                    "assert abs(by['qvel[0]']['gradient'] - v / (mu * g)) < h\n"
                    "assert abs(by['friction[0]']['gradient'] + v * v / (2 * mu * mu * g)) < 0.5 * h / mu\n"
                    // Where v = 12 mu g h another step slides: -0.02 less, then 0.04 more. Along (a, b) in v and mu.
                    "a, b = d['line']['direction'][:2]\n"
                    "felt = [k for k in d['line']['kinks'] if k['felt']]\n"
                    "ends = [(m * mu * g * h - v) / (a - m * g * h * b) for m in (11, 12)]\n"
                    "ends = [e for e in ends if abs(e) < 0.03]\n"
                    "assert len(ends) > 0 and len(felt) == len(ends), (ends, felt)\n"
                    "for k, e in zip(sorted(x['at'] for x in felt), sorted(ends)): assert abs(k - e) < 1e-8, (k, e)\n"
                    "assert all('floor' in k['what'] and k['step'] in (10, 11, 12) for k in felt), felt\n");
}

// One step: a ball falls by g h^2, or lands: z = max(r, z0 - g h^2), all in numbers without rounding.
static void write_ball(double above, const char* more) {
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.015625' gravity='0 0 -8'/><custom><numeric name='touchstone.contact_margin' "
             "data='.05'/>"
             "</custom><worldbody><geom name='floor' type='plane' size='9 9 1'/><body name='ball' pos='0 0 "
             "%.17g'><joint type='slide' "
             "axis='0 0 1'/><geom name='skin' type='sphere' size='0.125' mass='1'/></body></worldbody>%s</mujoco>",
             0.125 + 0.001953125 + above, more);
    write_text("ball.xml", text);
}

Test(gradient, at_a_kink_has_two_sides) {
    write_ball(0.0, "");
    expect_holds("gradient ball.xml --time 0.015625 --of 'body[ball].z' --wrt 'qpos[0]' --json",
                 BY "e = by['qpos[0]']\n"
                    "assert d['verdict'] == e['verdict'] == 'one-sided', d['reason']\n"
                    "assert abs(e['left']) < 1e-6 and abs(e['right'] - 1) < 1e-6, e\n"
                    "assert 'floor' in d['reason'] and 'step 0' in d['reason'], d['reason']\n"
                    "assert len(d['near']) == 1 and 'floor' in d['near'][0]['what'], d['near']\n"
                    "kink = [k for k in d['line']['kinks'] if k['felt'] and k['at'] > -0.0015]\n"
                    "assert len(kink) == 1 and abs(kink[0]['at']) < 1e-9, kink\n"
                    "assert abs(kink[0]['slope_before']) < 1e-6 and abs(kink[0]['slope_after'] - 1) < 1e-6, kink\n");
}

// Off it the derivative is that of the side, and the kink is found where it is.
Test(gradient, beside_a_kink_knows_how_far_it_is) {
    write_ball(0.003, "");
    expect_holds("gradient ball.xml --time 0.015625 --of 'body[ball].z' --wrt 'qpos[0]' --json",
                 BY "assert d['verdict'] == 'exact' and abs(by['qpos[0]']['gradient'] - 1) < 1e-9, d['reason']\n"
                    "assert d['near'] == [], d['near']\n"
                    "kink = [k for k in d['line']['kinks'] if k['felt'] and k['at'] > -0.0035]\n"
                    "assert len(kink) == 1 and abs(kink[0]['at'] + 0.003) < 1e-9, kink\n"
                    "assert kink[0]['what'].endswith('stick -> open') and kink[0]['step'] == 0, kink\n");
}

// Differences of steps that reach over the kink see neither side.
Test(gradient, differences_of_steps_smooth_a_kink) {
    write_ball(1e-7, "");
    expect_holds("gradient ball.xml --time 0.015625 --of 'body[ball].z' --wrt 'qpos[0]' --method difference --json",
                 BY "assert d['verdict'] == 'smoothed' and 0.5 < by['qpos[0]']['gradient'] < 0.6, d['reason']\n");
}

// At or within ten roundings of a change, to either side: a ball that lands, a block that slips, a joint that reaches its stop.
Test(gradient, near_a_change_says_so) {
    static const double roundings[] = {-9.0, -4.0, -1.0, 0.0, 1.0, 4.0, 9.0};
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; ++i) {
        char text[1024];
        // The speed of a solve is told to 1e-12 of the fastest one, 0.125 m/s.
        write_ball(roundings[i] * 1e-12 * 0.125 * 0.015625, "");
        expect_holds(
            "gradient ball.xml --time 0.015625 --of 'body[ball].z' --wrt 'qpos[0]' --json",
            "assert any('floor' in n['what'] and n['step'] == 0 for n in d['near']), (d['near'], d['verdict'])\n");
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.015625' gravity='%.17g 0 -8'/><worldbody>"
                 "<geom name='floor' type='plane' size='9 9 1' friction='.5'/><body pos='0 0 .125'>"
                 "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
                 "<geom type='sphere' size='.125' mass='1' friction='.5'/></body></worldbody></mujoco>",
                 4.0 * (1.0 + roundings[i] * 1e-12));
        write_text("slip.xml", text);
        expect_holds(
            "gradient slip.xml --time 0.015625 --of 'qvel[0]' --wrt 'gravity[x]' --json",
            "assert any('floor' in n['what'] and n['step'] == 0 for n in d['near']), (d['near'], d['verdict'])\n"
            "assert d['verdict'] == 'one-sided', (d['verdict'], d['reason'])\n"
            "e = d['inputs'][0]\n"
            "assert abs(e['left']) < 1e-5 and abs(e['right'] - 0.015625) < 1e-5, e\n");
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.015625' gravity='0 0 -8'/><worldbody><body pos='0 0 1'>"
                 "<joint name='stop' type='slide' axis='0 0 1' limited='true' range='%.17g 9'/>"
                 "<geom type='sphere' size='.125' mass='1'/></body></worldbody></mujoco>",
                 -0.001953125 * (1.0 + roundings[i] * 1e-12));
        write_text("stop.xml", text);
        expect_holds(
            "gradient stop.xml --time 0.015625 --of 'qpos[stop]' --wrt 'qvel[stop]' --json",
            "assert any('stop' in n['what'] and n['step'] == 0 for n in d['near']), (d['near'], d['verdict'])\n");
    }
}

// A ball that holds a block by friction and cannot rise, and the floor, share the block's weight as they like, and what the floor bears slows the
// block: the motion has no derivative, and it is not for want of a mode that changes.
Test(gradient, that_hangs_on_shared_loads_is_not_trusted) {
    write_text("shared.xml",
               "<mujoco><compiler angle='radian'/><option timestep='.004'/><worldbody>"
               "<geom type='plane' size='9 9 1' friction='.01'/><body pos='-.5 0 .05'><joint axis='0 0 1'/>"
               "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='.3' contype='0' conaffinity='0'/>"
               "<body pos='.3 0 0'><joint name='b' axis='0 0 1'/>"
               "<geom type='sphere' pos='.3 0 0' size='.03' mass='.05' friction='.5'/></body></body>"
               "<body pos='.075 0 .05'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
               "<joint type='slide' axis='0 0 1'/><geom type='box' size='.05 .05 .05' mass='.5' friction='.3'/></body>"
               "</worldbody><actuator><motor joint='b'/></actuator>"
               "<keyframe><key name='k' qpos='.6 -1.2 0 0 0'/></keyframe></mujoco>");
    expect_holds(
        "gradient shared.xml --key k --time 0.004 --ctrl 0=0.625 --of 'qpos[2] + 2 * qpos[3]' --wrt ctrl --json",
        "assert d['verdict'] in ('useless', 'smoothed') and 'hyperstatic' in d['reason'], d['reason']\n"
        "assert d['open'] > 1e-3, d['open']\n");
}

// A loss that is no number has no gradient, and nothing else is to blame.
Test(gradient, of_no_finite_number_says_so) {
    write_ball(0.003, "");
    expect_holds("gradient ball.xml --time 0.05 --of '1 / (0 * energy)' --wrt 'qvel[0]' --json",
                 "e = d['inputs'][0]\n"
                 "assert d['loss'] is None and e['verdict'] == d['verdict'] == 'useless', d['verdict']\n"
                 "assert 'no finite number' in e['reason'] and 'no finite number' in d['reason'], d['reason']\n");
}

// One thread or two: the same numbers.
Test(gradient, is_the_same_on_any_number_of_threads) {
    write_ball(0.003, "");
    outcome one = run("gradient ball.xml --time 0.05 --of 'energy' --wrt 'qpos,qvel,mass[ball]' --threads 1 --json");
    outcome two = run("gradient ball.xml --time 0.05 --of 'energy' --wrt 'qpos,qvel,mass[ball]' --threads 3 --json");
    cr_assert_eq(one.code, 0, "%s", ts_text_get(&one.err));
    // Times differ: they come last.
    char* ends[2] = {strstr(one.out.data, "\"seconds_gradient\""), strstr(two.out.data, "\"seconds_gradient\"")};
    cr_assert(ends[0] && ends[1]);
    *ends[0] = *ends[1] = '\0';
    cr_expect_str_eq(one.out.data, two.out.data);
    outcome_free(&one);
    outcome_free(&two);
}

Test(gradient, writes_a_page_with_its_plots) {
    write_ball(0.003, "");
    outcome result = run("gradient ball.xml --time 0.05 --of 'body[ball].z' --wrt 'qpos,qvel' --out audit");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "verdict: exact") && has(&result.out, "audit/gradient.html"), "%s",
              ts_text_get(&result.out));
    cr_expect(exists("audit/gradient.csv") && exists("audit/plots/loss-along-the-gradient.svg") &&
              exists("audit/plots/loss-along-the-gradient.pdf") &&
              exists("audit/plots/central-differences-against-the-gradient.csv"));
    ts_text page = read_text("audit/gradient.html"), json = read_text("audit/gradient.json");
    cr_expect(has(&page, "<svg") && has(&page, "touchstone gradient ball.xml"));
    cr_expect(
        json_holds(&json, "assert d['of'] == 'body[ball].z' and len(d['line']['place']) == len(d['line']['loss'])\n"));
    ts_text_free(&page);
    ts_text_free(&json);
    outcome_free(&result);
}

// Even in the middle of a gradient.
Test(gradient, ends_when_interrupted) {
    static const char* const arguments[] = {"touchstone", "gradient", "pile-1000", "--of",  "energy",
                                            "--wrt",      "gravity",  "--out",     "audit", NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "%d: %s", result.code, ts_text_get(&result.err));
    cr_expect_eq(result.out.length, 0u);
    cr_expect(!exists("audit/gradient.html"));
    outcome_free(&result);
}

// Whatever can be asked for is in the help: what stands in brackets, and every input that has a derivative here.
Test(gradient, help_has_every_word) {
    static const char* const word[] = {"body[N]",   "centre[N]", "geom[N]", "site[N]",  "sensor[N]",
                                       "potential", "energy",    "at(",     "integral("};
    outcome help = run("gradient --help");
    for (int i = 0; i < 9; ++i) cr_expect(has(&help.out, word[i]), "%s", word[i]);
    for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k)
        if (k != TS_STEP_BY_INERTIA)
            cr_expect(has(&help.out, ts_step_input_name((ts_step_input_kind)k)), "%s",
                      ts_step_input_name((ts_step_input_kind)k));
    outcome_free(&help);
}

Test(gradient, refuses_what_makes_no_sense) {
    write_ball(0.0, "");
    expect_refusal("gradient", 2, "needs SCENE");
    expect_refusal("gradient ball.xml --wrt qvel", 2, "--of is missing");
    expect_refusal("gradient ball.xml --of energy", 2, "--wrt is missing");
#define REFUSE(of, piece) expect_refusal("gradient ball.xml --time 0.1 --wrt qvel --of '" of "'", 2, piece)
    REFUSE("1 + body[bal].z", "character 10, at 'bal].z': no body is called 'bal'");
    REFUSE("1 + body[bal].z", "did you mean 'ball'?");
    REFUSE("body[ball].q", "character 11");
    REFUSE("body[ball", "no ']'");
    REFUSE("enrgy", "did you mean 'energy'?");
    REFUSE("sqrt(energy", "at its end: a ')' is missing");
    REFUSE("square(energy, 2)", "a ')' is missing");
    REFUSE("max(energy)", "second argument");
    REFUSE("root(energy)", "no such function");
    REFUSE("energy energy", "character 8, at 'energy': nothing more");
    REFUSE("energy + ", "at its end");
    REFUSE("2 * 3", "whatever the state is");
    REFUSE("at(0.2, energy)", "character 4, at '0.2, energy)': this is after the end");
    REFUSE("integral(at(0.1, energy))", "within each other");
    REFUSE("qpos[7]", "qpos has 1 numbers");
    REFUSE("1..5 + energy", "no number");
    REFUSE("((((((((((((((((((((((((((((((((((((((((((((((((((energy))))))))))))))))))))))))))))))))))))))))))))))))))",
           "too deeply");
#undef REFUSE
#define REFUSE(wrt, piece) expect_refusal("gradient ball.xml --time 0.1 --of energy --wrt '" wrt "'", 2, piece)
    REFUSE("qvl", "did you mean 'qvel'?");
    REFUSE("ctrl", "has no ctrl");
    REFUSE("qvel[3]", "qvel[3] is nothing of this model");
    REFUSE("qvel[0..4]", "qvel[0..4] is nothing");
    REFUSE("friction[cube]", "friction[cube] is nothing of this model, which has");
    REFUSE("mass[bal]", "mass[bal] is nothing of this model; did you mean 'ball'?");
    REFUSE("qvel[0],qvel", "names qvel[0] twice");
    REFUSE("qvel[0] qpos", "',' should stand before 'qpos'");
    REFUSE("inertia[ball]", "no derivative by inertia");
#undef REFUSE
    expect_refusal("gradient ball.xml --of energy --wrt qvel --method magic", 2, "implicit, difference, cascade");
    expect_refusal("gradient ball.xml --of energy --wrt qvel --time 0", 2, "steps");
    expect_refusal("gradient arm-push --of energy --wrt qvel", 2, "--controller none");
}
