// The sentences of a report: what is said of a law is what happened, and nothing else is.
#include "tests/cli/cli_fixture.h"

#include <math.h>

TestSuite(report_words, .init = make_folder, .fini = remove_folder, .timeout = 240);

// A light cube that is crushed from above moves down, nowhere else, and what an unfinished solve does to friction is no law's doing.
Test(report_words, a_vertical_crush_is_told_as_one) {
    outcome result = run("compare unequal-cubes --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "for s in d['solvers']:\n"
                         "    words = s['finding']['words']\n"
                         "    for false in ('opposite of slip', 'sideways', 'away from where', 'Lifts off', 'along'):\n"
                         "        assert false not in words, (s['name'], false, words)\n"
                         "    assert not s['energy_alarm'], s['name']\n"
                         "    assert ('lower' in words) == (s['finding']['sink_max'] > 1e-5), words\n"));
    outcome_free(&result);
}

// Pyramids whose axes lie along the motion do nothing sideways: no plot of nanometres, no words about it.
Test(report_words, what_does_not_happen_is_not_explained) {
    outcome result = run("compare sliding-cube --solvers ncp,ccp-pgs,lcp-pgs --out report --no-pictures --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert all('sideways' not in s['finding']['words'] for s in d['solvers'])\n"
                                      "assert max(abs(s['finding']['sideways_max']) for s in d['solvers']) < 1e-5\n"));
    outcome_free(&result);
    cr_expect(page_holds("assert 'pulls sideways' not in page\n"
                         "assert 'Sideways from the initial direction (all within' in page\n"
                         "assert 'should neither rise nor sink' in page\n"));
    result = run("compare double-pendulum --solvers ncp,ccp-pgs --time 0.2 --out report --no-pictures --json");
    outcome_free(&result);
    cr_expect(page_holds("assert 'should neither rise nor sink' not in page and 'constant friction' not in page\n"
                         "assert 'dual cone' not in page and 'times slip speed.' not in page\n"
                         "assert all('exactly like' in s['finding']['words'] for s in d['solvers'][1:])\n"));
}

// Friction forces that point the wrong way and move nothing are said to cancel.
Test(report_words, forces_that_cancel_are_said_to) {
    outcome result = run("compare incline --solvers ncp,lcp-pgs,raisim --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(
        &result.out,
        "n, l, r = [s['finding'] for s in d['solvers']]\n"
        "assert l['distance_max'] < 1e-8 and l['slip_angle'] > 0.1, l\n"
        "assert 'Moves like the reference' in l['words'] and 'cancel one another' in l['words'], l['words']\n"
        "assert r['final_turn'] > 0.01 and 'Ends turned' in r['words'] and 'cancel' not in r['words'], r['words']\n"));
    outcome_free(&result);
}

// The same scene a thousand times as small, under the same gravity: every length is a thousandth, every time its root, and the
// report says the same of it but for the numbers.
Test(report_words, sentences_do_not_know_how_large_a_scene_is) {
    static const char model[] =
        "<mujoco><compiler angle=\"degree\"/><option timestep=\"%.17g\" gravity=\"0 0 -9.81\"/><custom>"
        "<numeric name=\"touchstone.iterations\" data=\"10000\"/><numeric name=\"touchstone.warm_start\" data=\"0\"/>"
        "<numeric name=\"touchstone.contact_margin\" data=\"%.17g\"/><numeric name=\"touchstone.slop\" data=\"0\"/>"
        "<numeric name=\"touchstone.baumgarte\" data=\"1e-4\"/><numeric name=\"touchstone.initial_keyframe\" "
        "data=\"0\"/>"
        "</custom><worldbody><geom name=\"floor\" type=\"plane\" size=\"2 2 .1\" friction=\".4\" euler=\"0 0 22.5\"/>"
        "<body name=\"cube\" pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"%.17g %.17g %.17g\" mass=\"1\" "
        "friction=\".4\"/></body></worldbody><keyframe><key qpos=\"0 0 %.17g 1 0 0 0\" qvel=\"0 %.17g 0 0 0 0\"/>"
        "</keyframe></mujoco>\n";
    ts_text words[2] = {{0}, {0}};
    for (int k = 0; k < 2; ++k) {
        char text[2048], arguments[160];
        double length = k ? 1e-3 : 1.0, time = sqrt(length), half = 0.1 * length;
        snprintf(text, sizeof text, model, 1e-3 * time, 1e-3 * length, half, half, half, half, half, length / time);
        write_text("cube.xml", text);
        snprintf(arguments, sizeof arguments, "compare cube.xml --solvers ncp,ccp-pgs,lcp-pgs --time %.17g --json",
                 0.3 * time);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
        if (!json_holds(&result.out, "import re, os\n"
                                     "words = '\\n'.join(s['finding']['words'] for s in d['solvers'])\n"
                                     "words = re.sub(r'-?[0-9][-+0-9.e]*( [^\\s.]*(m/s|m|J|s)\\b)?', '#', words)\n"
                                     "open(os.path.dirname(__file__) + '/.words', 'w').write(words)\n"))
            cr_assert(0, "no words at length %g", length);
        outcome_free(&result);
        if (!exists(".words")) cr_skip("no python3");
        words[k] = read_text(".words");
    }
    cr_expect(has(&words[0], "Lifts off") && has(&words[0], "sideways"), "%s", ts_text_get(&words[0]));
    cr_expect_str_eq(ts_text_get(&words[0]), ts_text_get(&words[1]));
    ts_text_free(&words[0]);
    ts_text_free(&words[1]);
}
