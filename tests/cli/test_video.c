// Films: what is written is what the formats say, to the last code and check sum; both of our own writers show the same pictures; and
// another program is started without a shell, or its absence told before anything runs.
#include "tests/cli/cli_fixture.h"

TestSuite(video, .init = make_folder, .fini = remove_folder, .timeout = 240);

static int python_holds(const char* script) {
    if (system("python3 -c pass >/dev/null 2>&1") != 0) return 1;
    write_text(".check.py", script);
    char command[160];
    snprintf(command, sizeof command, "cd %s && python3 .check.py 1>&2", folder);
    return system(command) == 0;
}

static void film(const char* arguments) {
    outcome result = run(arguments);
    int absent = has(&result.err, "TS_VIEWER=ON") || has(&result.err, "OpenGL") || has(&result.err, "EGL");
    cr_expect(result.code == 0 || absent, "%s: %s", arguments, ts_text_get(&result.err));
    outcome_free(&result);
    if (absent) cr_skip("no pictures here");
}

// Readers of both formats that know nothing of ours: pictures as lists of rows of bytes, and how long each is shown, s.
static const char* const readers =
    "import struct, zlib\n"
    "def unpack(width, data):\n"
    "    clear, out, bits, have, at = 1 << width, [], 0, 0, 0\n"
    "    size, table, last = width + 1, None, None\n"
    "    while True:\n"
    "        while have < size:\n"
    "            bits |= data[at] << have; at += 1; have += 8\n"
    "        code = bits & ((1 << size) - 1); bits >>= size; have -= size\n"
    "        if code == clear:\n"
    "            table = [bytes([i]) for i in range(clear)] + [None, None]; size = width + 1; last = None; continue\n"
    "        if code == clear + 1: break\n"
    "        entry = table[code] if code < len(table) else last + last[:1]\n"
    "        assert code <= len(table) and entry is not None\n"
    "        out.append(entry)\n"
    "        if last is not None and len(table) < 4096: table.append(last + entry[:1])\n"
    "        if len(table) == 1 << size and size < 12: size += 1\n"
    "        last = entry\n"
    "    assert at == len(data), (at, len(data))\n"
    "    return b''.join(out)\n"
    "def read_gif(path):\n"
    "    b = open(path, 'rb').read()\n"
    "    assert b[:6] == b'GIF89a'\n"
    "    w, h, flags = struct.unpack('<HHB', b[6:11])\n"
    "    at, screen, films = 13, bytearray(3 * w * h), []\n"
    "    assert not flags & 0x80 and b[13:32] == b'\\x21\\xff\\x0bNETSCAPE2.0\\x03\\x01\\0\\0\\0'\n"
    "    at = 32\n"
    "    while b[at] != 0x3B:\n"
    "        assert b[at:at + 4] == b'\\x21\\xf9\\x04\\x05' and b[at + 7] == 0, at\n"
    "        delay, see, = struct.unpack('<HB', b[at + 4:at + 7])\n"
    "        mark, x, y, fw, fh, packed = struct.unpack('<BHHHHB', b[at + 8:at + 18])\n"
    "        assert mark == 0x2C and packed == 0x87 and x + fw <= w and y + fh <= h\n"
    "        colors = b[at + 18:at + 786]; width = b[at + 786]; at += 787; data = b''\n"
    "        while b[at]: data += b[at + 1:at + 1 + b[at]]; at += 1 + b[at]\n"
    "        at += 1\n"
    "        index = unpack(width, data)\n"
    "        assert len(index) == fw * fh\n"
    "        for r in range(fh):\n"
    "            for c in range(fw):\n"
    "                i = index[r * fw + c]\n"
    "                if i == see: continue\n"
    "                to = 3 * ((y + r) * w + x + c)\n"
    "                screen[to:to + 3] = colors[3 * i:3 * i + 3]\n"
    "        films.append((bytes(screen), delay / 100))\n"
    "    assert at == len(b) - 1\n"
    "    return w, h, films\n"
    "def read_apng(path):\n"
    "    b = open(path, 'rb').read()\n"
    "    assert b[:8] == b'\\x89PNG\\r\\n\\x1a\\n'\n"
    "    at, chunks = 8, []\n"
    "    while at < len(b):\n"
    "        size, name = struct.unpack('>I4s', b[at:at + 8])\n"
    "        body = b[at + 8:at + 8 + size]\n"
    "        assert struct.unpack('>I', b[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body), name\n"
    "        chunks.append((name, body)); at += 12 + size\n"
    "    assert chunks[0][0] == b'IHDR' and chunks[1][0] == b'acTL' and chunks[-1] == (b'IEND', b'')\n"
    "    w, h, depth, kind = struct.unpack('>IIBB', chunks[0][1][:10])\n"
    "    assert (depth, kind) == (8, 2) and chunks[1][1][4:] == bytes(4)\n"
    "    order = [struct.unpack('>I', d[:4])[0] for n, d in chunks if n in (b'fcTL', b'fdAT')]\n"
    "    assert order == list(range(len(order)))\n"
    "    frames = []\n"
    "    for n, d in chunks:\n"
    "        if n == b'fcTL': frames.append([struct.unpack('>IIIIHHBB', d[4:]), b''])\n"
    "        if n == b'IDAT': frames[0][1] += d\n"
    "        if n == b'fdAT': frames[-1][1] += d[4:]\n"
    "    assert struct.unpack('>I', chunks[1][1][:4])[0] == len(frames)\n"
    "    screen, films = bytearray(3 * w * h), []\n"
    "    for (fw, fh, x, y, num, den, dispose, blend), data in frames:\n"
    "        assert dispose == blend == 0 and x + fw <= w and y + fh <= h\n"
    "        raw = zlib.decompress(data)\n"
    "        assert len(raw) == fh * (3 * fw + 1)\n"
    "        for r in range(fh):\n"
    "            line = raw[r * (3 * fw + 1):(r + 1) * (3 * fw + 1)]\n"
    "            assert line[0] == 0\n"
    "            to = 3 * ((y + r) * w + x)\n"
    "            screen[to:to + 3 * fw] = line[1:]\n"
    "        films.append((bytes(screen), num / den))\n"
    "    return w, h, films\n";

// One motion, written both ways: the same number of pictures, as long as the motion, and of the same colours but for rounding to 255.
Test(video, both_writers_show_the_same_motion) {
    film("view dragged-cube --time 0.5 --fps 20 --size 160x96 --video cube.gif");
    film("view dragged-cube --time 0.5 --fps 20 --size 160x96 --video cube.png --json");
    ts_text script = {0};
    ts_text_add(
        &script,
        "%s"
        "w, h, gif = read_gif('cube.gif')\n"
        "v, g, png = read_apng('cube.png')\n"
        "assert (w, h) == (v, g) == (160, 96) and 6 <= len(gif) == len(png) <= 11, (len(gif), len(png))\n"
        "assert abs(sum(d for f, d in gif) - 11 / 20) < 0.011 and abs(sum(d for f, d in png) - 11 / 20) < 0.002\n"
        "assert len(set(f for f, d in png)) == len(png)\n"
        "for (a, s), (b, t) in zip(gif, png):\n"
        "    assert abs(s - t) < 0.011, (s, t)\n"
        "    off = sorted(abs(p - q) for p, q in zip(a, b))\n"
        "    assert sum(off) / len(off) < 2.5 and off[-len(off) // 100] < 24, (sum(off) / len(off), off[-1])\n",
        readers);
    cr_expect(python_holds(ts_text_get(&script)));
    ts_text_free(&script);
}

// Large noisy pictures fill LZW's table many times over; a row of runs ends with the pictures that its stills have.
Test(video, a_comparison_moves) {
    film("compare sliding-cube --solvers ncp,ccp-pgs --time 0.2 --fps 10 --slow 2 --size 480x300 --video row.gif --out "
         "report");
    ts_text script = {0};
    ts_text_add(&script,
                "%s"
                "import base64, re\n"
                "w, h, row = read_gif('row.gif')\n"
                "assert (w, h, len(row)) == (480, 300, 5), (w, h, len(row))\n"
                "assert abs(sum(d for f, d in row) - 0.5) < 0.011\n"
                "differ = lambda a, b: sum(a[i:i + 3] != b[i:i + 3] for i in range(0, len(a), 3)) / (w * h)\n"
                "assert all(0.005 < differ(a[0], b[0]) < 0.6 for a, b in zip(row, row[1:]))\n"
                "page = open('report/report.html', encoding='utf-8').read()\n"
                "loop, = re.findall('data:image/gif;base64,([^\"]*)', page)\n"
                "open('loop.gif', 'wb').write(base64.b64decode(loop))\n"
                "w, h, loop = read_gif('loop.gif')\n"
                "assert 10 < len(loop) <= 36 and abs(sum(d for f, d in loop) - 3.6) < 0.011, len(loop)\n"
                "assert len(page) < 1.5e6, len(page)\n",
                readers);
    cr_expect(python_holds(ts_text_get(&script)));
    ts_text_free(&script);
    outcome result = run("compare sliding-cube --solvers ncp,ccp-pgs --time 0.2 --still --out still");
    cr_expect_eq(result.code, 0);
    ts_text page = read_text("still/report.html");
    cr_expect(!has(&page, "image/gif"));
    ts_text_free(&page);
    outcome_free(&result);
}

// A program called ffmpeg that writes down what it was told and how much came in.
static void pretend_ffmpeg(const char* last_line) {
    char path[4096];
    ts_text script = {0};
    snprintf(path, sizeof path, "%s/bin", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    ts_text_add(&script,
                "#!/bin/sh\nfor word; do printf '%%s\\n' \"$word\" >>'%s/words'; done\n"
                "for out; do :; done\nwc -c >\"${out#file:}\"\n%s\n",
                folder, last_line);
    write_text("bin/ffmpeg", ts_text_get(&script));
    ts_text_free(&script);
    snprintf(path, sizeof path, "%s/bin/ffmpeg", folder);
    cr_assert_eq(chmod(path, 0700), 0);
    snprintf(path, sizeof path, "%s/bin:%s", folder, getenv("PATH"));
    cr_assert_eq(setenv("PATH", path, 1), 0);
}

Test(video, ffmpeg_is_given_all_pictures_without_a_shell) {
    pretend_ffmpeg("");
    film("view sliding-cube --time 0.1 --fps 50 --size 64x48 --video 'a $(touch b) \"c\".mp4'");
    ts_text words = read_text("words"), bytes = read_text("a $(touch b) \"c\".mp4");
    cr_expect(has(&words, "\nrawvideo\n") && has(&words, "\nrgb24\n") && has(&words, "\n64x48\n") &&
              has(&words, "\n50\n"));
    cr_expect_eq(atoi(ts_text_get(&bytes)), 6 * 3 * 64 * 48, "%s", ts_text_get(&bytes));
    cr_expect(!exists("b"));
    cr_expect_eq(file_count(), 3, "a film left more than itself");
    ts_text_free(&words);
    ts_text_free(&bytes);
}

Test(video, a_failing_ffmpeg_leaves_no_film) {
    pretend_ffmpeg("exit 3");
    outcome result = run("view sliding-cube --time 0.1 --size 64x48 --video film.mp4");
    if (has(&result.err, "TS_VIEWER=ON") || has(&result.err, "OpenGL") || has(&result.err, "EGL"))
        cr_skip("no pictures");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "ffmpeg did not write this film"), "%s", ts_text_get(&result.err));
    cr_expect_eq(file_count(), 2);
    outcome_free(&result);
    char path[128];
    snprintf(path, sizeof path, "%s/bin/ffmpeg", folder);
    write_text("bin/ffmpeg", "#!/bin/sh\nexit 1\n");
    cr_assert_eq(chmod(path, 0700), 0);
    result = run("view sliding-cube --time 2 --size 640x480 --video film.mp4");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "ffmpeg"), "%s", ts_text_get(&result.err));
    cr_expect(!exists("film.mp4"));
    outcome_free(&result);
}

Test(video, refusals) {
    expect_refusal("view sliding-cube --video film.avi", 2, "--video writes .gif");
    expect_refusal("compare sliding-cube --video film --fps 10", 2, "--video writes .gif");
    expect_refusal("view sliding-cube --video film.gif --fps 0", 2, "--fps");
    char path[128];
    outcome probe = run("view sliding-cube --png probe.png --size 32x32");
    int draws = probe.code == 0;
    outcome_free(&probe);
    if (!draws) cr_skip("no pictures here");
    expect_refusal("view sliding-cube --video film.gif --png film.png", 2, "not both");
    expect_refusal("view sliding-cube --video film.gif --time 0", 1, "after its start");
    expect_refusal("view sliding-cube --video nowhere/film.gif", 1, "cannot write");
    char* before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s/none", folder);
    cr_assert_eq(setenv("PATH", path, 1), 0);
    expect_refusal("view sliding-cube --video film.mp4", 1, "ffmpeg, which is not installed");
    expect_refusal("compare sliding-cube --video film.mp4", 1, "ffmpeg, which is not installed");
    cr_assert_eq(setenv("PATH", before, 1), 0);
    free(before);
}
