// What stands in report.html as a whole: its list at the top, its plots and jumps, and what it folds.
#include "tests/cli/cli_fixture.h"

TestSuite(report, .init = make_folder, .fini = remove_folder, .timeout = 240);

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
    result = run("compare unequal-cubes --time 0.02 --out report --no-pictures --json");
    outcome_free(&result);
    cr_expect(page_holds(page_script));
    cr_expect(page_holds("assert groups > 9 and '<img' not in page, groups\n"));
}

// A page with hundreds of contacts folds its tables and says what it leaves out.
Test(report, long_tables_are_folded) {
    outcome result =
        run("compare pile-1000 --solvers ncp --time 0.5 --set iterations=5 --out report --no-pictures --json");
    outcome_free(&result);
    cr_expect(
        page_holds("worst = d['solvers'][0]['worst_step']\n"
                   "article = of('article', ' class=\"worst', page)[0]\n"
                   "sight, folded = [len(of('tr', '', t)) for t in of('tbody', '', article)]\n"
                   "assert worst['rows'] > 200 == len(worst['worst']) == sight + folded and sight <= 10\n"
                   "assert '%d more rows' % folded in article and '200 of %d rows' % worst['rows'] in article\n"));
}

// Convergence within a step: the hardest step takes the reference as many iterations as it took in its run, curves end below the
// tolerance where the status says so, begin lower warm than cold, and every one is on the page.
Test(report, convergence_within_a_step) {
    outcome result = run("compare sliding-cube-rotated --time 0.28 --out report --no-pictures --json");
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
