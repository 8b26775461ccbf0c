// The pages in a browser: no errors, and the script does what it says on numbers that are known; and the files of the plots. What
// needs a browser is driven by a script that the test puts into a copy of the page; without chromium those tests are skipped.
#include "tests/cli/cli_fixture.h"

TestSuite(pages, .init = make_folder, .fini = remove_folder, .timeout = 240);

static int has_python(void) { return system("python3 -c pass >/dev/null 2>&1") == 0; }

// Runs Python in the test's folder. Nonzero when its assertions hold.
static int python_holds(const char* script) {
    write_text(".check.py", script);
    char command[160];
    snprintf(command, sizeof command, "cd %s && python3 .check.py 1>&2", folder);
    return system(command) == 0;
}

static const char* const drive_begin =
    "import html, json, re, shutil, subprocess, sys, os\n"
    "browser = next((b for b in ('chromium', 'chromium-browser', 'google-chrome') if shutil.which(b)), None)\n"
    "head = '''<script>const log={errors:[]};addEventListener('error',e=>log.errors.push(e.message+' in line "
    "'+e.lineno));\n"
    "const fig=t=>[...document.querySelectorAll('figure')].find(f=>f.querySelector('h3')&&f.querySelector('h3')."
    "textContent.startsWith(t));\n"
    "const plot=t=>fig(t).querySelector('svg.plot');\n"
    "const fire=(svg,type,px,py,o={})=>{const b=svg.getBoundingClientRect(),k=b.width/svg.viewBox.baseVal.width;"
    "svg.dispatchEvent(new "
    "(type==='wheel'?WheelEvent:type==='keydown'?KeyboardEvent:PointerEvent)(type,{clientX:b.left+"
    "px*k,clientY:b.top+py*k,bubbles:true,cancelable:true,button:0,pointerType:'mouse',...o}))};\n"
    "const drag=(svg,a,b,c,d)=>{fire(svg,'pointerdown',a,b);fire(svg,'pointermove',c,d);fire(svg,'pointerup',c,d)};\n"
    "const tip=()=>document.querySelector('.tip');\n"
    "const rows=()=>tip().hidden?null:[...tip().querySelectorAll('tr')].map(r=>[...r.cells].map(c=>c.textContent));\n"
    "</script>'''\n"
    "def drive(page, script):\n"
    "    text = open(page, encoding='utf-8').read()\n"
    "    tail = '<script>addEventListener(\"load\",()=>{try{' + script + '}catch(e){log.errors.push(String(e))}' + "
    "'''\n"
    "const "
    "p=document.createElement('pre');p.id='log';p.textContent=JSON.stringify(log);document.body.append(p)})</"
    "script>'''\n"
    "    copy = os.path.join(os.path.dirname(os.path.abspath(page)), '.driven.html')\n"
    "    open(copy, 'w', encoding='utf-8').write(text.replace('<head>', '<head>' + head, 1).replace('</body>', tail + "
    "'</body>'))\n"
    "    done = subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1300,9000',\n"
    "        '--enable-logging=stderr', '--user-data-dir=' + os.path.abspath('.profile'), '--dump-dom', 'file://' + "
    "copy],\n"
    "        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200)\n"
    "    said = [l for l in done.stderr.decode('utf-8', 'replace').splitlines() if 'CONSOLE' in l]\n"
    "    found = re.search('<pre id=\"log\">(.*?)</pre>', done.stdout.decode('utf-8'), re.S)\n"
    "    assert found, done.stderr[-2000:]\n"
    "    log = json.loads(html.unescape(found.group(1)))\n"
    "    assert not said and not log['errors'], (said, log['errors'])\n"
    "    return log\n"
    "def number(words):\n"
    "    return float(words.split(' ')[0].replace('\\u2212', '-'))\n"
    "if not browser: sys.exit(0)\n";

// Puts a script into a copy of a page; Python then judges what it noted.
static int page_does(const char* page, const char* script, const char* judge) {
    ts_text program = {0};
    ts_text_add(&program, "%slog = drive('%s', r'''%s''')\n%s", drive_begin, page, script, judge);
    int holds = python_holds(ts_text_get(&program));
    ts_text_free(&program);
    return holds;
}

static void need_browser(void) {
    if (!has_python()) cr_skip("no python3");
    if (system("command -v chromium chromium-browser google-chrome >/dev/null 2>&1") != 0)
        cr_skip("no chromium to open pages with");
}

static void compare(const char* more) {
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "compare sliding-cube-rotated --solvers ncp,ccp-pgs,lcp-pgs --time 0.5 --no-pictures --out report %s",
             more);
    outcome result = run(arguments);
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
}

// Copies the report's page, and nothing else, to alone/.
static int mkdir_alone(void) {
    char command[256];
    snprintf(command, sizeof command, "mkdir %s/alone && cp %s/report/report.html %s/alone", folder, folder, folder);
    return system(command);
}

// At every pixel the values told are those recorded at the step next to it; in all plots over time stands the same line, and on the
// path a dot where the body then was; what the legend has switched off is neither told nor dotted.
Test(pages, the_cursor_tells_what_was_recorded) {
    need_browser();
    compare("");
    cr_expect(page_does(
        "report/report.html",
        "log.moments=[];"
        "for(const px of [65,90,141,200.5,333,419]){fire(plot('Height'),'pointermove',px,100);"
        "log.moments.push({px,head:tip().firstChild.textContent,rows:rows(),lines:[...document.querySelectorAll('."
        "cursor "
        "path')].map(p=>p.getAttribute('d').split(' ')[0]),path:[...plot('Path').querySelectorAll('.cursor circle')]."
        "length})}"
        "fire(plot('What the'),'pointermove',200.5,100);log.unmet=rows();"
        "const box=document.querySelectorAll('.legend input')[1];box.click();"
        "fire(plot('Height'),'pointermove',90,100);log.without=rows();"
        "log.dots=plot('Height').querySelectorAll('.cursor circle').length;box.click();"
        "fire(plot('Height'),'pointermove',10,10);log.outside=rows();"
        "log.left=document.querySelectorAll('.cursor path').length;",
        "import csv\n"
        "table = list(csv.DictReader(open('report/data.csv')))\n"
        "names = ['ncp', 'ccp-pgs', 'lcp-pgs']\n"
        "runs = [[r for r in table if r['solver'] == n] for n in names]\n"
        "for m in log['moments']:\n"
        "    t = (m['px'] - 64) / (420 - 64) * 0.5\n"
        "    at = min(range(len(runs[0])), key=lambda i: abs(float(runs[0][i]['time']) - t))\n"
        "    told = number(m['head'].split(' ', 1)[1])\n"
        "    assert m['head'].startswith('time: ') and m['head'].endswith(' s'), m\n"
        "    assert abs(told - float(runs[0][at]['time'])) < 2e-6, (told, t)\n"
        "    assert [r[0] for r in m['rows']] == names, m\n"
        "    for run, row in zip(runs, m['rows']):\n"
        "        assert row[1].endswith(' mm'), row\n"
        "        height = 1e3 * (float(run[at]['z']) - float(run[0]['z']))\n"
        "        assert abs(number(row[1]) - height) <= 2e-5 * abs(height) + 1e-9, (row, height)\n"
        "    assert len(m['lines']) >= 3 and len(set(m['lines'])) == 1, m['lines']\n"
        "    assert m['path'] >= 2, m\n"
        "at = min(range(len(runs[0])), key=lambda i: abs(float(runs[0][i]['time']) - (200.5 - 64) / 356 * 0.5))\n"
        "for run, row in zip(runs, log['unmet']):\n"
        "    natural = float(run[at]['residual_natural'])\n"
        "    assert abs(number(row[1]) - natural) <= 1e-4 * natural, (row, natural)\n"
        "assert [r[0] for r in log['without']] == ['ncp', 'lcp-pgs'] and log['dots'] == 2, log\n"
        "assert log['outside'] is None and log['left'] == 0, log\n"));
}

// Dragging shows what was dragged over, the wheel comes nearer to the cursor, and whatever was done, one step leads back to the plot
// of before. Curves then go through the same numbers on other pixels.
Test(pages, plots_zoom_and_come_back) {
    need_browser();
    compare("");
    cr_expect(page_does(
        "report/report.html",
        "const s=plot('Speed'),state=()=>({ticks:[...s.querySelectorAll('.tick "
        "text')].map(t=>[t.getAttribute('text-anchor'),+t.getAttribute('x'),+t.getAttribute('y'),t.textContent]),"
        "d:s.querySelector('.s0 .l').getAttribute('d')});"
        "const "
        "still=()=>s.querySelector('.grid').outerHTML+s.querySelector('.tick').outerHTML+[...s.querySelectorAll('.c,"
        ".guide')].map(g=>g.innerHTML+g.getAttribute('d')).join();"
        "const before=still();log.whole=state();"
        "drag(s,100,60,220,150);log.boxed=state();s.dispatchEvent(new "
        "MouseEvent('dblclick'));log.back=[still()===before];"
        "drag(s,100,60,220,65);log.flat=state();fig('Speed').querySelector('button').click();log.back.push(still()==="
        "before);"
        "fire(s,'wheel',242,100,{deltaY:-1,ctrlKey:true});log.wheel=state();fire(s,'keydown',0,0,{key:'0'});"
        "log.back.push(still()===before);"
        "fire(s,'wheel',242,100,{deltaY:-1});log.back.push(still()===before);"
        "fire(s,'pointerdown',100,60);fire(s,'pointermove',102,61);fire(s,'pointerup',102,61);log.back.push(still()==="
        "before);"
        "fire(s,'wheel',242,100,{deltaY:-1,ctrlKey:true});fire(s,'wheel',242,100,{deltaY:1,ctrlKey:true});"
        "log.back.push(still()===before);"
        "for(let i=0;i<200;i++)fire(s,'wheel',242,100,{deltaY:-1,ctrlKey:true});log.deep=s.querySelector('.s0 "
        ".l').getAttribute('d');"
        "const u=plot('What the');drag(u,100,60,220,150);log.powers=[...u.querySelectorAll('.tick "
        "text')].map(t=>t.textContent);",
        "import csv\n"
        "assert all(log['back']) and len(log['back']) == 6, log['back']\n"
        "def axis(state, anchor, at):\n"
        "    ticks = [(t[at], float(t[3].replace('\\u2212', '-'))) for t in state['ticks'] if t[0] == anchor]\n"
        "    (p, a), (q, b) = ticks[0], ticks[-1]\n"
        "    slope = (b - a) / (q - p)\n"
        "    for pixel, value in ticks: assert abs(a + slope * (pixel - p) - value) < 2e-3 * abs(b - a), ticks\n"
        "    assert len(ticks) >= 3, ticks\n"
        "    return lambda pixel: a + slope * (pixel - p)\n"
        "x, y = axis(log['whole'], 'middle', 1), axis(log['whole'], 'end', 2)\n"
        "bx, by = axis(log['boxed'], 'middle', 1), axis(log['boxed'], 'end', 2)\n"
        "near = lambda a, b, by: abs(a - b) < 4e-3 * by\n"
        "assert near(bx(64), x(100), 0.5) and near(bx(420), x(220), 0.5), (bx(64), x(100))\n"
        "assert near(by(34 + 3.8), y(60 + 3.8), 1) and near(by(224 + 3.8), y(150 + 3.8), 1), (by(37.8), y(63.8))\n"
        "fx, fy = axis(log['flat'], 'middle', 1), axis(log['flat'], 'end', 2)\n"
        "assert near(fx(64), x(100), 0.5) and near(fx(420), x(220), 0.5) and near(fy(60), y(60), 1)\n"
        "wx = axis(log['wheel'], 'middle', 1)\n"
        "assert near(wx(242), x(242), 0.5) and near(wx(420) - wx(64), 0.8 * (x(420) - x(64)), 0.5)\n"
        "rows = [r for r in csv.DictReader(open('report/data.csv')) if r['solver'] == 'ncp']\n"
        "speeds = {round(float(r['time']), 9): (float(r['vx']) ** 2 + float(r['vy']) ** 2) ** 0.5 for r in rows}\n"
        "for state, tx, ty in ((log['boxed'], bx, by), (log['flat'], fx, fy)):\n"
        "    pen = [float(n) for n in state['d'].replace('M', ' ').split()]\n"
        "    assert len(pen) == 2 * len(rows)\n"
        "    for r, px, py in zip(rows, pen[::2], pen[1::2]):\n"
        "        if not 64 <= px <= 420: continue\n"
        "        assert near(tx(px), float(r['time']), 0.5), (px, r['time'])\n"
        "        assert near(ty(py + 3.8), speeds[round(float(r['time']), 9)], 1), (py, r['time'])\n"
        "assert 'N' not in log['deep'] and 'e' not in log['deep'], log['deep'][:200]\n"
        "assert any(t.startswith('10') and t != '10' for t in log['powers']), log['powers']\n"));
}

// The other pages bring the same script: clouds and measured points tell their values too.
Test(pages, scorecard_and_study_open_without_errors) {
    outcome result = run("scorecard --only stack-heights --solvers ncp,mujoco --quick --out card");
    if (result.code != 0) {
        outcome_free(&result);
        result = run("scorecard --only lcp-anisotropy --solvers ncp,mujoco --out card");
    }
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    result = run("study sliding-cube --vary dt=0.004,0.002,0.001 --vary solver=ncp,ccp-pgs --time 0.1 --out study");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    need_browser();
    compare("");
    cr_expect(
        page_does("card/scorecard.html",
                  "const s=document.querySelector('svg.plot');fire(s,'pointermove',200,100);log.rows=rows();"
                  "drag(s,100,60,220,150);log.zoomed=!fig('').querySelector('.back').hidden;"
                  "log.links=[...document.querySelectorAll('.files a')].map(a=>a.getAttribute('href'));",
                  "assert [r[0] for r in log['rows']] == ['ncp', 'mujoco'] and log['zoomed'], log\n"
                  "assert all(re.search(' [a-zA-Z/]+$', r[1]) for r in log['rows']), log['rows']\n"
                  "assert len(log['links']) >= 2 and all(os.path.exists('card/' + l) for l in log['links']), log\n"));
    cr_expect(page_does(
        "study/study.html",
        "const "
        "s=document.querySelector('svg.plot');fire(s,'pointermove',252,100);log.rows=rows();log.head=tip()."
        "firstChild.textContent;"
        "drag(s,100,60,220,150);",
        "import csv\n"
        "table = list(csv.DictReader(open('study/study.csv')))\n"
        "assert log['head'] == 'dt: 0.002 s' and [r[0] for r in log['rows']] == ['ncp', 'ccp-pgs'], log\n"
        "for r in log['rows']:\n"
        "    error, = [float(t['error [m s]']) for t in table if t['solver'] == r[0] and float(t['dt']) == 0.002 "
        "]\n"
        "    assert abs(number(r[1]) - error) < 1e-4 * error and r[1].endswith(' m s'), (r, error)\n"));
    cr_expect(page_does(
        "report/report.html",
        "const s=document.querySelector('.cone svg.plot'),m=s.querySelector('.m').getBBox();"
        "fire(s,'pointermove',m.x+m.width/2,m.y+m.height/2);log.rows=rows();"
        "const c=document.querySelector('.convergence "
        "svg.plot');fire(c,'pointermove',400,100);log.curves=rows();log.head=tip().firstChild.textContent;",
        "assert len(log['rows']) == 1 and all(c.endswith(' N') or c.endswith(' mN') for c in log['rows'][0][1:]), log\n"
        "assert [r[0] for r in log['curves']] == ['ncp', 'ccp-pgs', 'lcp-pgs'], log\n"
        "head = log['head'].split(': ')\n"
        "assert head[0].startswith('iterations') and head[1].isdigit(), log['head']\n"
        "panel = [p for p in json.load(open('report/summary.json'))['convergence'] if p['problem'] == 'hardest'][0]\n"
        "for (name, told, *at), s in zip(log['curves'], panel['solvers']):\n"
        "    last = [p[1] for p in s['points'] if p[0] + 1 <= int(head[1])][-1]\n"
        "    assert name == s['name'] and abs(number(told) - last) <= 1e-4 * last, (name, told, last)\n"));
}

// A page that is sent without its folder has no dead links: it makes tables and drawings of what it has.
Test(pages, alone_it_makes_its_files_itself) {
    need_browser();
    compare("");
    cr_assert_eq(mkdir_alone(), 0);
    cr_expect(page_does(
        "alone/report.html",
        "log.links=[...document.querySelectorAll('.files a')].map(a=>[a.textContent,a.getAttribute('href')]);"
        "const made=(t,k)=>{const a=[...fig(t).querySelectorAll('.files a')].find(a=>a.textContent===k);a.onclick();"
        "return [a.download,decodeURIComponent(a.href.slice(a.href.indexOf(',')+1))]};"
        "log.height=made('Height','CSV');log.path=made('Path','CSV');log.unmet=made('What the','CSV');"
        "log.drawn=[...document.querySelectorAll('.files a')].filter(a=>a.textContent==='SVG').map(a=>{a.onclick();"
        "return decodeURIComponent(a.href.slice(a.href.indexOf(',')+1))});",
        "import csv, io\n"
        "import xml.etree.ElementTree as tree\n"
        "assert log['links'] and all(l in (['SVG', '#'], ['CSV', '#']) for l in log['links']), log['links']\n"
        "for key, unit in (('height', 1e3), ('path', None), ('unmet', 1.0)):\n"
        "    name, text = log[key]\n"
        "    here = list(csv.reader(io.StringIO(text)))\n"
        "    there = list(csv.reader(open('report/plots/' + name)))\n"
        "    assert len(here) == len(there) and [r[0] for r in here] == [r[0] for r in there], name\n"
        "    assert len(here[0]) == len(there[0]) and all(len(r) == len(here[0]) for r in here), here[0]\n"
        "    for a, b in zip(here[1:], there[1:]):\n"
        "        for k in range(1, len(a)):\n"
        "            if b[k] in ('', 'nan') or a[k] == '': continue\n"
        "            x, y = float(a[k]), float(b[k])\n"
        "            scale = unit if unit and k == len(a) - 1 else 1e3 if '[mm]' in here[0][k] else 1.0\n"
        "            assert abs(x - scale * y) <= 2e-6 * abs(x) + 1e-12, (name, here[0], a, b)\n"
        "assert len(log['drawn']) >= 10\n"
        "for text in log['drawn']:\n"
        "    root = tree.fromstring(text)\n"
        "    assert root.tag.endswith('svg') and 'base64' not in text and float(root.get('height')) > 100\n"
        "    assert any(e.tag.endswith('path') and 'stroke:rgb' in e.get('style', '') for e in root.iter()), "
        "text[:300]\n"));
    cr_expect(page_does(
        "report/report.html", "log.links=[...document.querySelectorAll('.files a')].map(a=>a.getAttribute('href'));",
        "assert len(log['links']) % 3 == 0 and all(l.startswith('plots/') for l in log['links']), log\n"));
}

// A table of a plot has every number that was recorded, to the last bit, and says its units; names with commas come back whole; files
// of plots are well-formed and need nothing from elsewhere.
Test(pages, every_plot_is_a_table_and_a_drawing) {
    outcome result = run(
        "compare sliding-cube-rotated --solvers ncp,ccp-pgs,ncp-newton,lcp-pgs --time 0.5 --no-pictures --out report");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    if (!has_python()) cr_skip("no python3");
    cr_expect(python_holds(
        "import csv, glob, os, re\n"
        "import xml.etree.ElementTree as tree\n"
        "page = open('report/report.html', encoding='utf-8').read()\n"
        "links = re.findall('href=\"(plots/[^\"]*)\"', page)\n"
        "made = sorted(os.path.relpath(p, 'report') for p in glob.glob('report/plots/*'))\n"
        "assert sorted(links) == made and len(set(links)) == len(links), (links, made)\n"
        "assert page.count('<figure') * 3 == len(links)\n"
        "table = list(csv.DictReader(open('report/data.csv')))\n"
        "run = lambda name: [r for r in table if r['solver'] == name]\n"
        "def curves(path):\n"
        "    rows = list(csv.reader(open('report/plots/' + path)))\n"
        "    assert all(len(r) == len(rows[0]) for r in rows), path\n"
        "    out = {}\n"
        "    for r in rows[1:]: out.setdefault(r[0], []).append(r[1:])\n"
        "    return rows[0], out\n"
        "head, drawn = curves('what-the-exact-law-leaves-unmet.csv')\n"
        "assert head == ['curve', 'time [s]', 'natural map'], head\n"
        "assert list(drawn) == ['ncp, ncp-newton', 'ccp-pgs', 'lcp-pgs'], list(drawn)\n"
        "for name, points in drawn.items():\n"
        "    mine = run(name.split(',')[0])\n"
        "    assert len(points) == len(mine)\n"
        "    for p, r in zip(points, mine):\n"
        "        assert float(p[0]) == float(r['time'])\n"
        "        if int(r['step']) > 0: assert float(p[1]) == float(r['residual_natural']), (p, r)\n"
        "head, drawn = curves('height-change-from-the-start.csv')\n"
        "assert head[1:] == ['time [s]', 'height [m]'], head\n"
        "for name, points in drawn.items():\n"
        "    mine = run(name.split(',')[0])\n"
        "    for p, r in zip(points, mine): assert abs(float(p[1]) - (float(r['z']) - float(mine[0]['z']))) < 1e-15\n"
        "head, drawn = curves('path-from-above.csv')\n"
        "assert head[:2] == ['curve', 'time [s]'] and set(h.split(' ')[-1] for h in head[2:]) == {'[m]'}, head\n"
        "for p, r in zip(drawn['ccp-pgs'], run('ccp-pgs')):\n"
        "    assert sorted(map(float, p)) == sorted(float(r[k]) for k in ('time', 'x', 'y')), (p, r)\n"
        "for path in glob.glob('report/plots/*.svg'):\n"
        "    text = open(path, encoding='utf-8').read()\n"
        "    tree.fromstring(text)\n"
        "    assert 'base64' not in text and 'href' not in text and 'url(' not in text, path\n"));
}

// Of a PDF: every offset of its table is that of the object, the stream is as long as it says, what is saved is restored; its curves go
// through the points of the drawing's, and its words are the drawing's.
Test(pages, every_plot_is_a_pdf) {
    compare("");
    if (!has_python()) cr_skip("no python3");
    cr_expect(
        python_holds("import glob, re\n"
                     "import xml.etree.ElementTree as tree\n"
                     "paths = glob.glob('report/plots/*.pdf')\n"
                     "assert len(paths) >= 10, paths\n"
                     "def numbers(text): return [float(n) for n in re.findall('-?[0-9.]+', text)]\n"
                     "for path in paths:\n"
                     "    raw = open(path, 'rb').read()\n"
                     "    assert raw.startswith(b'%PDF-1.4\\n') and raw.endswith(b'%%EOF\\n'), path\n"
                     "    start = int(re.search(b'startxref\\n([0-9]+)\\n%%EOF', raw).group(1))\n"
                     "    lines = raw[start:].split(b'\\n')\n"
                     "    assert lines[0] == b'xref', path\n"
                     "    count = int(lines[1].split()[1])\n"
                     "    for i in range(1, count):\n"
                     "        entry = lines[2 + i] + b'\\n'\n"
                     "        assert len(entry) == 20 and entry.endswith(b' 00000 n \\n'), entry\n"
                     "        assert raw[int(entry[:10]):].startswith(b'%d 0 obj\\n' % i), (path, i)\n"
                     "    assert raw.count(b' 0 obj\\n') == count - 1 and b'/Size %d ' % count in raw\n"
                     "    length = int(re.search(b'/Length ([0-9]+)', raw).group(1))\n"
                     "    at = raw.index(b'stream\\n') + 7\n"
                     "    assert raw[at + length:].startswith(b'\\nendstream'), path\n"
                     "    page = raw[at:at + length].decode('ascii').split('\\n')\n"
                     "    assert page.count('q') == page.count('Q') > 3\n"
                     "    assert sum(l.startswith('BT') for l in page) == sum(l.endswith('ET') for l in page)\n"
                     "    svg = tree.fromstring(open(path[:-3] + 'svg', encoding='utf-8').read())\n"
                     "    name = lambda e: e.tag.split('}')[-1]\n"
                     "    drawn = [e.get('d') for e in svg.iter() if name(e) == 'path' and e.get('class') == 'l']\n"
                     "    strokes, now = [], []\n"
                     "    for l in page:\n"
                     "        if l.endswith((' m', ' l')): now += numbers(l)\n"
                     "        elif l.endswith((' c', 'h')): now = None if now is None else now + [float('nan')]\n"
                     "        elif l in ('S', 'B'): strokes.append(now); now = []\n"
                     "    for d in drawn:\n"
                     "        if d and 'H' not in d: assert numbers(d) in strokes, (path, d[:80])\n"
                     "    words = ''.join(re.findall(r'\\((.*?)\\) Tj', '\\n'.join(page)))\n"
                     "    for e in svg.iter():\n"
                     "        if name(e) == 'text' and e.text.isascii():\n"
                     "            assert e.text.replace('(', '\\\\(').replace(')', '\\\\)') in words, (path, e.text)\n"
                     "    box = numbers(re.search(b'MediaBox \\\\[(.*?)\\\\]', raw).group(1).decode())\n"
                     "    assert abs(box[2] - 0.75 * float(svg.get('width'))) < 0.01 and abs(box[3] - 0.75 * "
                     "float(svg.get('height'))) < 0.01\n"));
}
