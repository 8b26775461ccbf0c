// Pages that show runs again. What they hold is decoded by a reader of its own, in Python, and compared with recordings of the same runs; what
// they show is looked at in a headless browser. Without python3 or chromium those tests are skipped, and say so.
#include "tests/cli/cli_fixture.h"

TestSuite(replay, .init = make_folder, .fini = remove_folder, .timeout = 240);

static int has_python(void) { return system("python3 -c pass >/dev/null 2>&1") == 0; }

// Runs Python in the test's folder. Nonzero when its assertions hold.
static int python_holds(const char* before, const char* script) {
    ts_text program = {0};
    ts_text_add(&program, "%s\n%s", before, script);
    write_text(".check.py", ts_text_get(&program));
    ts_text_free(&program);
    char command[160];
    snprintf(command, sizeof command, "cd %s && python3 .check.py 1>&2", folder);
    return system(command) == 0;
}

static void expect_run(const char* arguments) {
    outcome result = run(arguments);
    cr_assert_eq(result.code, 0, "touchstone %s: %s", arguments, ts_text_get(&result.err));
    outcome_free(&result);
}

// Decodes pages, by the words at the head of reel_code.c.
static const char* const decoder =
    "import base64, csv, json, math, re, struct\n"
    "def page(path):\n"
    "    text = open(path, encoding='utf-8').read()\n"
    "    return json.loads(re.search('<script type=\"application/json\" id=\"data\">(.*?)</script>', text, "
    "re.S).group(1))\n"
    "def decode(data, run):\n"
    "    raw, n = base64.b64decode(run['motion']), len(data['moving'])\n"
    "    table = base64.b64decode(run['numbers'])\n"
    "    rows = [struct.unpack_from('<14d', table, 112 * f) for f in range(len(table) // 112)]\n"
    "    at, frames, old = 0, [], []\n"
    "    def number():\n"
    "        nonlocal at\n"
    "        value, shift = 0, 0\n"
    "        while True:\n"
    "            byte = raw[at]; at += 1\n"
    "            value |= (byte & 127) << shift; shift += 7\n"
    "            if byte < 128: return value\n"
    "    def signed():\n"
    "        value = number()\n"
    "        return -(value + 1) // 2 if value % 2 else value // 2\n"
    "    for f, row in enumerate(rows):\n"
    "        flags = raw[at:at + (n + 7) // 8]; at += (n + 7) // 8\n"
    "        pose = []\n"
    "        for i in range(n):\n"
    "            for k in range(7):\n"
    "                j = 7 * i + k\n"
    "                told = 2 * frames[-1][0][j] - frames[-2][0][j] if f > 1 else frames[-1][0][j] if f else 0\n"
    "                pose.append(told + (signed() if flags[i // 8] >> i % 8 & 1 else 0))\n"
    "        contacts, linked = [], -1\n"
    "        for c in range(number()):\n"
    "            link, mode = divmod(number(), 4)\n"
    "            if link: linked += link\n"
    "            now = list(old[linked]) if link else [number(), number()] + 10 * [0]\n"
    "            for k in range(2, 11): now[k] += signed()\n"
    "            now[11] = mode\n"
    "            contacts.append(now)\n"
    "        old = contacts\n"
    "        frames.append((pose, contacts))\n"
    "    assert at == len(raw)\n"
    "    return rows, frames\n";

// Every frame is the recorded step of its time, to the errors that the page states; the numbers are those recorded, to the bit.
Test(replay, frames_are_what_was_recorded) {
    if (!has_python()) cr_skip("no python3");
    expect_run("view fast-cube --solver ccp-pgs,ncp --time 0.5 --html cube.html");
    expect_run("run fast-cube --solver ccp-pgs --time 0.5 --out ccp-pgs.csv");
    expect_run("run fast-cube --solver ncp --time 0.5 --out ncp.csv");
    cr_expect(python_holds(
        decoder,
        "data = page('cube.html')\n"
        "assert [r['name'] for r in data['runs']] == ['ccp-pgs', 'ncp']\n"
        "names = [data['bodies'][b] for b in data['moving']]\n"
        "assert names == ['cube'] and data['scene'] == 'fast-cube'\n"
        "worst = turn = 0\n"
        "for run in data['runs']:\n"
        "    rows, frames = decode(data, run)\n"
        "    table = list(csv.DictReader(open(run['name'] + '.csv')))\n"
        "    by_time = {float(r['time']): r for r in table}\n"
        "    assert 120 <= len(rows) <= 122 and rows[0][0] == 0 and rows[-1][0] == float(table[-1]['time'])\n"
        "    for a, b in zip(rows, rows[1:-1]): assert abs(b[0] - a[0] - 1 / 240) < 0.0011, (a, b)\n"
        "    for row, (pose, contacts) in zip(rows, frames):\n"
        "        r = by_time[row[0]]\n"
        "        for key, value in (('own_unmet', row[2]), ('residual_natural', row[3]), ('kinetic_energy', row[4]),\n"
        "                ('potential_energy', row[5]), ('worst_penetration', row[6]), ('iterations', row[7]), "
        "('contacts', row[9])):\n"
        "            assert float(r[key]) == value, (key, r[key], value)\n"
        "        assert sum(row[10:]) == row[9] == len(contacts)\n"
        "        off = math.dist([float(r['cube.p' + c]) for c in 'xyz'], [x * run['length'] for x in pose[:3]])\n"
        "        q = [float(r['cube.q' + c]) for c in 'wxyz']\n"
        "        p = [x / data['turn'] for x in pose[3:]]\n"
        "        dot = abs(sum(a * b for a, b in zip(q, p))) / math.hypot(*p)\n"
        "        angle = 2 * math.acos(min(1, dot))\n"
        "        worst, turn = max(worst, off), max(turn, angle)\n"
        "assert 0.1 * data['length_error'] < worst <= data['length_error'] < 1e-4, (worst, data['length_error'])\n"
        "assert turn <= data['turn_error'] < 2e-4, (turn, data['turn_error'])\n"));
}

// Forces of the page are the impulses that the certificate tells, by the time step, in the world's axes: on a floor they carry the weight.
Test(replay, forces_carry_the_weight) {
    if (!has_python()) cr_skip("no python3");
    expect_run("view stack-10 --time 0.5 --html stack.html --solver ncp");
    cr_expect(python_holds(
        decoder,
        "data = page('stack.html')\n"
        "run = data['runs'][0]\n"
        "rows, frames = decode(data, run)\n"
        "pose, contacts = frames[-1]\n"
        "assert len(contacts) == rows[-1][9] >= 40\n"
        "up = sum(c[10] * run['force'] for c in contacts if data['geoms'][c[0]]['body'] == 0)\n"
        "per = [sum(c[10] * run['force'] for c in contacts if data['geoms'][c[1]]['body'] == b) for b in "
        "data['moving']]\n"
        "step = per[0] / 10\n"
        "assert abs(up - per[0]) < 1e-6\n"
        "for i, force in enumerate(per): assert abs(force - (10 - i) * step) < 40 * run['force'], (i, force, step)\n"
        "for c in contacts:\n"
        "    assert c[11] == 1 and c[7] == 127 and abs(c[5]) + abs(c[6]) == 0, c\n"));
}

// Every kind of shape comes with a surface; of a field its heights.
Test(replay, every_shape_is_there) {
    if (!has_python()) cr_skip("no python3");
    write_text("shapes.xml",
               "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
               "<hfield name='h' nrow='3' ncol='4' size='2 1 0.5 0.1' elevation='0 1 0 0  0 0 1 0  0 0 0 "
               "0'/></asset><worldbody>"
               "<geom name='floor' type='plane' size='1 1 1' pos='0 0 -5'/><geom name='hills' type='hfield' hfield='h' "
               "pos='0 0 -3'/>"
               "<body name='all &apos;\"&lt;/script>' pos='0 0 1'><freejoint/><geom type='sphere' size='.1'/>"
               "<geom type='capsule' size='.1 .2'/><geom type='ellipsoid' size='.1 .2 .3'/><geom type='cylinder' "
               "size='.1 .2'/>"
               "<geom type='box' size='.1 .2 .3'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
    expect_run("view shapes.xml --time 0.05 --html shapes.html");
    cr_expect(python_holds(
        decoder,
        "data = page('shapes.html')\n"
        "assert '</script>' in data['bodies'][1], data['bodies']\n"
        "kinds = [data['meshes'][p['mesh']].get('kind') or sorted(data['meshes'][p['mesh']]) for p in data['parts']]\n"
        "assert kinds[0] == 'square' and kinds[2:7] == ['sphere', 'capsule', 'sphere', 'cylinder', 'box'], kinds\n"
        "field = data['meshes'][data['parts'][1]['mesh']]\n"
        "heights = struct.unpack('<12f', base64.b64decode(field['heights']))\n"
        "assert (field['rows'], field['columns']) == (3, 4) and sorted(heights)[-2:] == [0.5, 0.5], heights\n"
        "hull = data['meshes'][data['parts'][7]['mesh']]\n"
        "assert len(base64.b64decode(hull['points'])) == 4 * 12 and len(base64.b64decode(hull['corners'])) == 4 * 12\n"
        "assert data['parts'][3]['scale'] == [.1, .1, .1, .2] and data['parts'][4]['scale'] == [.1, .2, .3, 0]\n"));
}

static void need_browser(void) {
    if (!has_python()) cr_skip("no python3");
    if (system("command -v chromium chromium-browser google-chrome >/dev/null 2>&1") != 0)
        cr_skip("no chromium to open pages with");
}

// Opens a page with a script of the test's at its end; `log` is what that noted. Frames come by a clock, since a browser that draws for nobody
// need not ask for any. A browser that cannot draw at all ends the test well, and says so.
static const char* const driver =
    "import html, os, shutil, subprocess, sys\n"
    "browser = next(b for b in ('chromium', 'chromium-browser', 'google-chrome') if shutil.which(b))\n"
    "def drive(page, script, size='1000,700'):\n"
    "    text = open(page, encoding='utf-8').read()\n"
    "    head = '<script>requestAnimationFrame=f=>setTimeout(()=>f(performance.now()),16);const "
    "log={errors:[]};addEventListener(\"error\",e=>log.errors.push(e.message+\" in line "
    "\"+e.lineno));'"
    "'const note=()=>{const "
    "p=document.createElement(\"pre\");p.id=\"log\";p.hidden=true;p.textContent=JSON.stringify(log);"
    "document.body.append(p)};</script>'\n"
    "    tail = '<script>addEventListener(\"load\",async()=>{try{' + script + "
    "'}catch(e){log.errors.push(String(e))}note()})</script>'\n"
    "    open('.driven.html', 'w', encoding='utf-8').write(text.replace('<head>', '<head>' + head, "
    "1).replace('</body>', tail + '</body>'))\n"
    "    done = subprocess.run([browser, '--headless', '--no-sandbox', '--use-angle=swiftshader', "
    "'--enable-unsafe-swiftshader',\n"
    "        '--ignore-gpu-blocklist', '--hide-scrollbars', '--window-size=' + size, '--virtual-time-budget=20000', "
    "'--enable-logging=stderr',\n"
    "        '--user-data-dir=' + os.path.abspath('.profile'), '--dump-dom', 'file://' + "
    "os.path.abspath('.driven.html')],\n"
    "        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200)\n"
    "    said = [l for l in done.stderr.decode('utf-8', 'replace').splitlines() if 'CONSOLE' in l and 'GPU stall' not "
    "in l]\n"
    "    out = done.stdout.decode('utf-8')\n"
    "    if 'has no WebGL 2' in out.split('</head>', 1)[1].split('<script', 1)[0]:\n"
    "        print('skipped: this browser has no WebGL 2'); sys.exit(0)\n"
    "    found = re.search('<pre id=\"log\" hidden=\"\">(.*?)</pre>', out, re.S)\n"
    "    assert found, done.stderr[-2000:]\n"
    "    log = json.loads(html.unescape(found.group(1)))\n"
    "    assert not said and not log['errors'], (said, log['errors'])\n"
    "    return log\n";

static int page_does(const char* page, const char* script, const char* judge) {
    ts_text all = {0};
    ts_text_add(&all, "%slog = drive('%s', r'''%s''')\n%s", driver, page, script, judge);
    int holds = python_holds(decoder, ts_text_get(&all));
    ts_text_free(&all);
    return holds;
}

// It plays by itself, stops, scrubs to where the pointer is, steps by keys, and shows the frame of that time: poses as decoded elsewhere,
// pixels that change, no error of the script nor of WebGL.
Test(replay, it_moves_and_scrubs) {
    need_browser();
    expect_run("view fast-cube --solver ccp-pgs,ncp --time 0.5 --html cube.html");
    cr_expect(page_does(
        "cube.html",
        "const R=replay,sum=()=>{R.draw();const "
        "c=document.querySelector('#stage "
        "canvas'),p=R.pixels(0,0,c.width,c.height);let h=0;for(let "
        "i=0;i<p.length;i+=4)h=(h*31+p[i]+3*p[i+1]+7*p[i+2])%1e9;return h};"
        "const key=(k,o={})=>dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true,cancelable:true,...o}));"
        "log.playing=R.state.playing;log.begin=R.state.time;for(let i=0;i<300&&R.state.time===log.begin;++i)await new "
        "Promise(requestAnimationFrame);log.later=R.state.time;key(' "
        "');log.paused=!R.state.playing;"
        "const still=R.state.time;for(let i=0;i<5;++i)await new "
        "Promise(requestAnimationFrame);log.stands=R.state.time===still;"
        "const line=document.getElementById('time'),b=line.getBoundingClientRect(),at=x=>b.left+46+x*(b.width-58);"
        "const fire=(type,x)=>line.dispatchEvent(new "
        "PointerEvent(type,{clientX:at(x),clientY:b.top+30,bubbles:true,pointerId:1,button:0}));"
        "log.scrubs=[];for(const x of "
        "[0,0.25,0.5,1]){fire('pointerdown',x);fire('pointerup',x);log.scrubs.push({x,t:R.state.time,"
        "sum:sum(),frame:[R.frame(0),R.frame(1)],pose:[R.pose(0,1),R.pose(1,1)]})}"
        "key('Home');log.home=R.state.time;key('ArrowRight');log.one=R.frame(0);key('ArrowRight',{shiftKey:true});log."
        "eleven=R.frame(0);"
        "key('ArrowLeft');log.ten=R.frame(0);key('End');log.end=R.state.time;"
        "R.seek(0.25);const before=sum();key('f');log.without=sum()!==before;key('f');log.with=sum()===before;"
        "key('o');log.overlaid=sum()!==before;key('o');key('n');log.dark=sum()!==before;log.class=document."
        "documentElement.className;"
        "log.gl=R.renderer.error();log.cards=[...document.querySelectorAll('.card')].map(c=>c.textContent);",
        "assert log['playing'] and log['later'] > log['begin'] and log['paused'] and log['stands'], log\n"
        "data = page('cube.html')\n"
        "decoded = [decode(data, r) for r in data['runs']]\n"
        "for s in log['scrubs']:\n"
        "    assert abs(s['t'] - 0.5 * s['x']) < 2e-3, s\n"
        "    for (rows, frames), f, pose, run in zip(decoded, s['frame'], s['pose'], data['runs']):\n"
        "        assert f == max(i for i, row in enumerate(rows) if row[0] <= s['t'] + 1e-9), (f, s)\n"
        "        for k in range(7):\n"
        "            assert abs(pose[k] - frames[f][0][k] * (run['length'] if k < 3 else 1 / data['turn'])) < 1e-12, "
        "(pose, k)\n"
        "assert len(set(s['sum'] for s in log['scrubs'])) == 4, log['scrubs']\n"
        "assert log['home'] == 0 and (log['one'], log['eleven'], log['ten']) == (1, 11, 10) and abs(log['end'] - 0.5) "
        "< 1e-9, log\n"
        "assert log['without'] and log['with'] and log['overlaid'] and log['dark'] and 'dark' in log['class'], log\n"
        "assert log['gl'] == 0\n"
        "assert 'no contact' in log['cards'][0] and '4 slide' in log['cards'][1] and 'from ccp-pgs' in "
        "log['cards'][1], "
        "log['cards']\n"));
}

// A page opens from where, with what and in which layout it was asked to; what a page cannot show is refused.
Test(replay, it_opens_as_asked) {
    outcome viewer = run("view stack-10 --time 0.05 --html no.html --layers cones");
    int refused = viewer.code == 2 && !exists("no.html");
    if (has(&viewer.err, "this build has no viewer")) cr_skip("no viewer in this build");
    cr_expect(refused && has(&viewer.err, "contacts, forces, glass, grid and dark"), "%s", ts_text_get(&viewer.err));
    outcome_free(&viewer);
    outcome camera = run("view stack-10 --time 0.05 --html no.html --camera upside");
    cr_expect(camera.code == 2 && has(&camera.err, "AZIMUTH,ELEVATION"), "%s", ts_text_get(&camera.err));
    outcome_free(&camera);
    expect_run("view stack-10 --solver ncp,ccp-pgs --time 0.05 --html look.html --camera 90,45,2,1,2,3 --layers "
               "-forces,glass,dark --layout ghost");
    ts_text html = read_text("look.html");
    cr_expect(has(&html, "\"target\": [1, 2, 3]") && has(&html, "\"forces\": false") &&
              has(&html, "\"layout\": \"ghost\""));
    ts_text_free(&html);
    need_browser();
    cr_expect(page_does(
        "look.html",
        "const "
        "R=replay,s=R.state;s.playing=false;log.show=s.show;log.layout=s.layout;log.dark=document.documentElement."
        "className;log.camera=[R.camera.azimuth,R.camera.elevation,R.camera.distance,...R.camera.target];",
        "import math\n"
        "assert log['show'] == dict(contacts=True, forces=False, glass=True, grid=True), log\n"
        "assert log['layout'] == 'ghost' and 'dark' in log['dark'], log\n"
        "want = [math.pi / 2, math.pi / 4, 2, 1, 2, 3]\n"
        "assert all(abs(a - b) < 1e-12 for a, b in zip(log['camera'], want)), log\n"));
}

// The ruler's ends stay where they were put on the bodies: across the top of a cube of 0.2 m they are as far apart as its edge is long, at any
// time and from any side; a ray through the middle meets the top. The card names what is under the pointer.
Test(replay, the_ruler_measures) {
    need_browser();
    write_text("box.xml", "<mujoco><option gravity='0 0 0'/><worldbody><body name='crate' pos='0 0 1'><freejoint/>"
                          "<geom type='box' size='.1 .15 .2' rgba='.2 .4 .8 1'/></body></worldbody>"
                          "<keyframe><key name='home' qpos='0 0 1 1 0 0 0' qvel='0.3 0 0 0 0 2'/></keyframe></mujoco>");
    expect_run("view box.xml --time 1 --html box.html");
    cr_expect(page_does(
        "box.html",
        "const R=replay,c=document.querySelector('#stage canvas'),key=k=>dispatchEvent(new "
        "KeyboardEvent('keydown',{key:k}));"
        "R.state.playing=false;R.seek(0);R.draw();"
        "const b=c.getBoundingClientRect(),click=p=>{for(const t of ['pointerdown','pointerup'])c.dispatchEvent(new "
        "PointerEvent(t,{clientX:b.left+p[0],clientY:b.top+p[1],bubbles:true,pointerId:1,button:0,pointerType:'mouse'})"
        ")};"
        "const A=[0.05,-0.1,1.2],B=[-0.05,0.1,1.2];key('d');click(R.project(A,0));click(R.project(B,0));R.draw();"
        "log.length=R.ruler_length();log.label=document.querySelector('.length').textContent;"
        "R.seek(0.8);R.camera.azimuth+=1;R.draw();log.later=R.ruler_length();"
        "R.seek(0);const p=R.project([0,0,1.2],0);log.hit=R.pick(...p).point;"
        "c.dispatchEvent(new "
        "PointerEvent('pointermove',{clientX:b.left+p[0],clientY:b.top+p[1],bubbles:true,pointerType:'mouse'}));"
        "log.tip=document.querySelector('.tip').textContent;key('d');R.draw();log.gone=document.querySelector('.length'"
        ").hidden;",
        "assert abs(log['length'] - math.hypot(0.1, 0.2)) < 1e-3 and abs(log['later'] - log['length']) < 1e-9, log\n"
        "assert abs(float(log['label'].split()[0]) - 1e3 * log['length']) < 0.1 and log['label'].endswith(' mm'), log\n"
        "assert math.dist(log['hit'], [0, 0, 1.2]) < 1e-3 and log['tip'].startswith('crate box'), log\n"
        "assert log['gone']\n"));
}

// A thousand bodies fit into a few megabytes, open, and show every shape: with all bodies away from it the picture is another.
Test(replay, a_pile_fits) {
    need_browser();
    expect_run("view pile-1000 --time 0.4 --html pile.html");
    ts_text text = read_text("pile.html");
    cr_expect_lt(text.length, 2000000u, "%zu bytes", text.length);
    ts_text_free(&text);
    cr_expect(page_does(
        "pile.html",
        "const "
        "R=replay;R.state.playing=false;R.seek(0.4);R.draw();log.gl=R.renderer.error();log.bodies=R.runs[0].bodies;"
        "const c=document.querySelector('#stage canvas'),p=R.pixels(0,0,c.width,c.height),seen=new Set();"
        "for(let i=0;i<p.length;i+=4)seen.add(p[i]>>4<<8|p[i+1]>>4<<4|p[i+2]>>4);log.colors=seen.size;",
        "assert log['gl'] == 0 and log['bodies'] == 1000 and log['colors'] > 60, log\n"));
}

// A report leads to a page with its groups, the reference first.
Test(replay, a_report_has_one) {
    if (!has_python()) cr_skip("no python3");
    expect_run("compare sliding-cube-rotated --solvers lcp-pgs,ncp,ccp-pgs --still --out report");
    ts_text page = read_text("report/report.html");
    cr_expect(has(&page, "href=\"replay.html\""));
    ts_text_free(&page);
    cr_expect(python_holds(decoder,
                           "data = page('report/replay.html')\n"
                           "names = [r['name'] for r in data['runs']]\n"
                           "assert names[0] == 'ncp' and sorted(names) == ['ccp-pgs', 'lcp-pgs', 'ncp'], names\n"
                           "for run in data['runs']: assert len(decode(data, run)[0]) > 100\n"));
}

Test(replay, what_cannot_be_is_refused) {
    expect_refusal("view sliding-cube --html cube.png", 2, ".html");
    expect_refusal("view sliding-cube --html cube", 2, ".html");
    expect_refusal("view sliding-cube --html a.html --png b.png", 2, "--png or --html, not both");
    expect_refusal("view sliding-cube --solver nobody --html a.html", 2, "nobody");
    expect_refusal("view sliding-cube --solver all --html a.html", 2, "9 runs");
    expect_refusal("view sliding-cube stack-10 --html a.html", 2, "recordings");
    expect_refusal("view sliding-cube --html nowhere/a.html", 1, "nowhere/a.html");
}
