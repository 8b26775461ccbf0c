// What stands in report.html: that its tables, plots and commands are there and say what the numbers in summary.json say.
#include "tests/cli/cli_fixture.h"

#include <math.h>

TestSuite(report, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Runs Python on report/report.html: `page` is its text without pictures, `d` summary.json, `leaders` the runs that stand for
// the groups, of(tag, attributes, text) all matches of an element. Nonzero when its assertions hold, or without Python.
static int page_holds(const char* script) {
    if (system("python3 -c pass >/dev/null 2>&1") != 0) return 1;
    ts_text program = {0};
    ts_text_add(&program,
                "import json, os, re\n"
                "page = re.sub('base64,[^\"]*', '', open('%s/report/report.html', encoding='utf-8').read())\n"
                "d = json.load(open('%s/report/summary.json'))\n"
                "groups = 1 + max(s['finding']['group'] for s in d['solvers'])\n"
                "def leader(g):\n"
                "    own = [s for s in d['solvers'] if s['finding']['group'] == g]\n"
                "    first = [s for s in own if s['finding']['is_reference']]\n"
                "    return (first or sorted(own, key=lambda s: s['steps_not_converged']))[0]\n"
                "leaders = [leader(g) for g in range(groups)]\n"
                "def of(tag, attributes, text):\n"
                "    return re.findall('<%%s%%s[^>]*>(.*?)</%%s>' %% (tag, attributes, tag), text, re.S)\n"
                "def number(cell):\n"
                "    value, unit = cell.split()\n"
                "    scale = {'n': 1e-9, '\\u00b5': 1e-6, 'm': 1e-3, 'k': 1e3, 'M': 1e6}\n"
                "    prefix = unit[0] if unit not in ('m', 'm/s') and len(unit) > 1 else ''\n"
                "    return float(value) * scale.get(prefix, 1.0)\n"
                "%s",
                folder, folder, script);
    write_text(".page.py", ts_text_get(&program));
    ts_text_free(&program);
    char command[128];
    snprintf(command, sizeof command, "python3 %s/.page.py 1>&2", folder);
    return system(command) == 0;
}

// Every group has a table of its leader's worst step, and its modes and normal forces are those of summary.json.
Test(report, worst_steps_stand_contact_by_contact) {
    outcome result = run("compare sliding-cube-rotated --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect(page_holds(
        "articles = of('article', ' class=\"worst', page)\n"
        "assert len(articles) == groups >= 5 and leaders[0]['finding']['is_reference'], len(articles)\n"
        "for s, article in zip(leaders, articles):\n"
        "    worst = s['worst_step']\n"
        "    rows = of('tr', '', ''.join(of('tbody', '', article)))\n"
        "    assert len(rows) == worst['rows'] == sum(worst['modes'].values()) > 0\n"
        "    for row, w in zip(rows, worst['worst']):\n"
        "        cells = of('td', '', row)\n"
        "        assert cells[0] == w['mode'], (cells, w)\n"
        "        assert abs(number(cells[2]) - w['force'][2]) <= 0.006 * abs(w['force'][2]), (cells, w)\n"
        "        assert ' '.join('%.4f,' % round(x, 4) for x in w['position'])[:-1].replace('-0.0000', '0.0000') "
        "in row, row\n"
        "        dots = [w['own_unmet'] <= 1e-6] * 3 + [w['exact_unmet'] <= 1e-6] * 7\n"
        "        assert [c == '\\u00b7' for c in cells[7:10] + cells[11:]] == dots, (cells, dots)\n"
        "    unmet = [w['exact_unmet'] for w in worst['worst']]\n"
        "    assert unmet == sorted(unmet, reverse=True)\n"
        "    assert s['worst_step_replay'] in article\n"));
}

// Against closed forms and against the certificate that `run` writes of the same step.
Test(report, a_worst_step_is_the_one_that_run_certifies) {
    outcome result =
        run("compare sliding-cube --solvers ncp,ccp-pgs,lcp-pgs,mujoco --time 0.2 --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(
        &result.out,
        "for s in d['solvers']:\n"
        "    w = s['worst_step']\n"
        "    assert abs(w['natural'] - s['residual_natural_max']) <= 1e-15 * w['natural'], s['name']\n"
        "    assert w['natural'] == max(r['exact_unmet'] for r in w['worst'])\n"
        "    assert max(r['own_unmet'] for r in w['worst']) <= s['own_unmet_max'] * (1 + 1e-12) < 1e-7, s['name']\n"
        "    assert (w['modes']['violated'] > 0) == (s['name'] != 'ncp'), (s['name'], w['modes'])\n"
        "    for r in w['worst']:\n"
        "        assert r['name'] == 'floor - cube' and r['mu'] == 0.4, r\n"
        "        if s['law'] != 'LCP': assert r['friction'] <= r['mu'] * r['force'][2] + 1e-9, r\n"
        "        assert max(abs(r['force'][0]), abs(r['force'][1])) <= r['mu'] * r['force'][2] + 1e-9, r\n"));
    outcome_free(&result);
    if (system("python3 -c pass >/dev/null 2>&1") != 0) cr_skip("no python3");
    cr_expect(page_holds("step = d['solvers'][1]['worst_step']['step']\n"
                         "open(os.path.dirname(__file__) + '/.step', 'w').write(str(step))\n"));
    ts_text step = read_text(".step");
    char arguments[256];
    snprintf(arguments, sizeof arguments, "run sliding-cube --solver ccp-pgs --time 0.2 --certificate %s:why.json",
             ts_text_get(&step));
    ts_text_free(&step);
    result = run(arguments);
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect(page_holds("why = json.load(open(os.path.dirname(__file__) + '/why.json'))\n"
                         "mine = sorted(r['force'][2] for r in d['solvers'][1]['worst_step']['worst'])\n"
                         "theirs = sorted(b['normal_force'] for b in why['certificate']['blocks'])\n"
                         "assert mine == theirs and len(mine) == 4, (mine, theirs)\n"));
}

// A page with hundreds of contacts folds its tables and says what it leaves out.
Test(report, long_tables_are_folded) {
    outcome result = run("compare pile-1000 --solvers ncp --time 0.5 --set iterations=5 --out report --still --json");
    outcome_free(&result);
    cr_expect(
        page_holds("worst = d['solvers'][0]['worst_step']\n"
                   "article = of('article', ' class=\"worst', page)[0]\n"
                   "sight, folded = [len(of('tr', '', t)) for t in of('tbody', '', article)]\n"
                   "assert worst['rows'] > 200 == len(worst['worst']) == sight + folded and sight <= 10\n"
                   "assert '%d more rows' % folded in article and '200 of %d rows' % worst['rows'] in article\n"));
}

// Forces lie against the cone: marks by mode as many as contacts of that mode, and a pyramid only where one is used.
Test(report, forces_stand_against_the_cone) {
    outcome result = run("compare sliding-cube-rotated --solvers ncp,ccp-pgs,lcp-pgs --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect(page_holds("articles = of('article', ' class=\"worst', page)\n"
                         "for s, article in zip(leaders, articles):\n"
                         "    side, top = of('figure', ' class=\"cone\"', article)\n"
                         "    for mode, count in s['worst_step']['modes'].items():\n"
                         "        for view in (side, top):\n"
                         "            cloud, = of('g', ' class=\"cloud %s\"' % mode, view)\n"
                         "            assert cloud.count('<path') == count, (s['name'], mode, count, cloud)\n"
                         "    assert side.count('class=\"guide\"') == top.count('class=\"guide\"') == 1\n"
                         "    guide = re.search('class=\"guide\" d=\"([^\"]*)\"', top).group(1)\n"
                         "    assert guide.count('M') == (2 if s['law'] == 'LCP' else 1), guide\n"));
}

// The command of a worst step, given to the program, shows that moment.
Test(report, commands_replay_what_they_stand_for) {
    outcome result = run("compare lcp-anisotropy --solvers ncp,mujoco --dt 0.002 --set solver.tolerance=1e-7 --set "
                         "baumgarte=0.1 --time 0.1 --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect(
        page_holds("import os\n"
                   "lines = [s['worst_step_replay'] for s in d['solvers']]\n"
                   "assert all(l.startswith('touchstone view sliding-cube-rotated --solver ') for l in lines), lines\n"
                   "assert all('--dt 0.002 --set ' in l and '--set baumgarte=0.1' in l for l in lines), lines\n"
                   "open(os.path.dirname(__file__) + '/.replay', 'w').write(lines[0][len('touchstone '):])\n"));
    if (system("python3 -c pass >/dev/null 2>&1") != 0) cr_skip("no python3");
    ts_text replay = read_text(".replay");
    char arguments[512];
    snprintf(arguments, sizeof arguments, "%s --png moment.png --size 160x120 --json", ts_text_get(&replay));
    ts_text_free(&replay);
    result = run(arguments);
    if (result.code != 0) {
        cr_expect(has(&result.err, "TS_VIEWER=ON") || has(&result.err, "OpenGL") || has(&result.err, "EGL"), "%s",
                  ts_text_get(&result.err));
        outcome_free(&result);
        cr_skip("no pictures here");
    }
    write_text("replayed.json", ts_text_get(&result.out));
    outcome_free(&result);
    cr_expect(page_holds("shown = json.load(open(os.path.dirname(__file__) + '/replayed.json'))['time']\n"
                         "assert abs(shown - d['solvers'][0]['worst_step']['time']) < 1e-9, shown\n"));
}

// Convergence within a step: the hardest step takes the reference as many iterations as it took in its run, curves end below the
// tolerance where the status says so, begin lower warm than cold, and every one is on the page.
Test(report, convergence_within_a_step) {
    outcome result = run("compare sliding-cube-rotated --time 0.28 --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect(page_holds(
        "import csv\n"
        "rows = list(csv.DictReader(open(os.path.dirname(__file__) + '/report/data.csv')))\n"
        "own = {int(r['step']): int(r['iterations']) for r in rows if r['solver'] == d['reference']}\n"
        "cost = {k: sum(int(r['iterations']) for r in rows if r['law'] == 'NCP' and int(r['step']) == k) for k in "
        "own}\n"
        "panels = {(p['problem'], p['start']): p for p in d['convergence']}\n"
        "assert len(panels) == 4, panels.keys()\n"
        "names = [s['name'] for s in d['solvers']]\n"
        "for (problem, start), p in panels.items():\n"
        "    assert [s['name'] for s in p['solvers']] == names\n"
        "    for s in p['solvers']:\n"
        "        at = [q[0] for q in s['points']]\n"
        "        assert at == sorted(set(at)) and at[0] == 0 and at[-1] == s['iterations'], s\n"
        "        assert (s['status'] == 'converged') == (s['points'][-1][1] <= 1.0000001e-8), s\n"
        "    mine = [s for s in p['solvers'] if s['name'] == d['reference']][0]\n"
        "    if start == 'cold': assert mine['iterations'] == own[p['step']], (p['step'], mine)\n"
        "assert cost[panels['hardest', 'cold']['step']] == max(cost.values())\n"
        "first = lambda start: [s['points'][0][1] for s in panels['hardest', start]['solvers'] if s['name'][:3] == "
        "'ncp']\n"
        "assert all(w < 0.5 * c for w, c in zip(first('warm'), first('cold'))), (first('warm'), first('cold'))\n"
        "figures = of('figure', ' class=\"convergence\"', page)\n"
        "assert len(figures) == 4\n"
        "for f in figures: assert all('class=\"c s%d k' % i in f for i in range(len(names))), f[:200]\n"));
}

// --- sentences -------------------------------------------------------------------------------------------------------

// A light cube that is crushed from above moves down, nowhere else, and what an unfinished solve does to friction is no law's doing.
Test(report, a_vertical_crush_is_told_as_one) {
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
Test(report, what_does_not_happen_is_not_explained) {
    outcome result = run("compare sliding-cube --solvers ncp,ccp-pgs,lcp-pgs --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert all('sideways' not in s['finding']['words'] for s in d['solvers'])\n"
                                      "assert max(abs(s['finding']['sideways_max']) for s in d['solvers']) < 1e-5\n"));
    outcome_free(&result);
    cr_expect(page_holds("assert 'pulls sideways' not in page\n"
                         "assert 'Sideways from the initial direction (all within' in page\n"
                         "assert 'should neither rise nor sink' in page\n"));
    result = run("compare double-pendulum --solvers ncp,ccp-pgs --time 0.2 --out report --still --json");
    outcome_free(&result);
    cr_expect(page_holds("assert 'should neither rise nor sink' not in page and 'constant friction' not in page\n"
                         "assert 'dual cone' not in page and 'times slip speed.' not in page\n"
                         "assert all('exactly like' in s['finding']['words'] for s in d['solvers'][1:])\n"));
}

// Friction forces that point the wrong way and move nothing are said to cancel.
Test(report, forces_that_cancel_are_said_to) {
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
Test(report, sentences_do_not_know_how_large_a_scene_is) {
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

// --- the page --------------------------------------------------------------------------------------------------------

// All groups stand in one list at the top, every jump has its goal, plots come before the tenth card, and the page is light.
Test(report, all_solvers_at_one_glance) {
    outcome result = run("compare sliding-cube-rotated --out report --still --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    static const char page_script[] =
        "glance = of('li', ' class=\"k', of('ol', ' class=\"glance\"', page)[0])\n"
        "assert len(glance) == groups and page.index('class=\"glance\"') < page.index('class=\"cards\"')\n"
        "for s, line in zip(leaders, glance): assert s['name'] in line and s['law'] in line, line\n"
        "ids = re.findall(' id=\"([^\"]*)\"', page)\n"
        "assert len(ids) == len(set(ids)) and set(re.findall('href=\"#([^\"]*)\"', page)) <= set(ids)\n"
        "cards = [m.start() for m in re.finditer('<article class=\"card', page)]\n"
        "plots = page.index('<div class=\"plots\">')\n"
        "assert len(cards) == groups and sum(c < plots for c in cards) == min(groups, 9)\n"
        "commands = of('pre', ' class=\"cmd\"', page)\n"
        "assert commands[0] == d['command'] and len(commands) >= 1 + groups\n"
        "assert all(c.startswith('touchstone ') for c in commands)\n"
        "light, dark = re.findall(r':root\\{([^}]*)\\}', page)\n"
        "names = lambda css: set(re.findall('(--[a-z]+):', css))\n"
        "assert names(light) == names(dark) and re.search('<meta name=\"viewport\"', page)\n";
    cr_expect(page_holds(page_script));
    cr_expect(page_holds("assert groups <= 2 + len(set(s['law'] for s in d['solvers'])), groups\n"
                         "assert os.path.getsize(os.path.dirname(__file__) + '/report/report.html') < 2e6\n"));
    result = run("compare unequal-cubes --time 0.02 --out report --still --json");
    outcome_free(&result);
    cr_expect(page_holds(page_script));
    cr_expect(page_holds("assert groups > 9, groups\n"));
}
