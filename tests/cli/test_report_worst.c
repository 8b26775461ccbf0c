// Worst steps in report.html: tables, cones and commands are there and say what the numbers in summary.json say.
#include "tests/cli/cli_fixture.h"

TestSuite(report_worst, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Every group has a table of its leader's worst step, and its modes and normal forces are those of summary.json.
Test(report_worst, worst_steps_stand_contact_by_contact) {
    outcome result = run("compare sliding-cube-rotated --out report --no-pictures --json");
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
Test(report_worst, a_worst_step_is_the_one_that_run_certifies) {
    outcome result =
        run("compare sliding-cube --solvers ncp,ccp-pgs,lcp-pgs,mujoco --time 0.2 --out report --no-pictures --json");
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

// Steps of piles write no contact problem unless somebody asks: the worst of them has its contacts all the same.
Test(report_worst, a_pile_has_a_worst_step) {
    outcome result =
        run("compare pyramid:2 --solvers ncp-pgs,ncp --substeps 2 --time 0.1 --out report --no-pictures --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "for s in d['solvers']:\n"
                         "    w = s['worst_step']\n"
                         "    assert w['natural'] == s['residual_natural_max'] > 0, s['name']\n"
                         "    assert len(w['worst']) == 16 and sum(w['modes'].values()) == 16, (s['name'], w)\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Forces lie against the cone: marks by mode as many as contacts of that mode, and a pyramid only where one is used.
Test(report_worst, forces_stand_against_the_cone) {
    outcome result =
        run("compare sliding-cube-rotated --solvers ncp,ccp-pgs,lcp-pgs --out report --no-pictures --json");
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
Test(report_worst, commands_replay_what_they_stand_for) {
    outcome result = run("compare lcp-anisotropy --solvers ncp,mujoco --dt 0.002 --set solver.tolerance=1e-7 --set "
                         "baumgarte=0.1 --time 0.1 --out report --no-pictures --json");
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
