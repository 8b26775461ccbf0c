// Claims: the pictures of a report suit light and dark pages, are small, and show what is written beside them: a lift of 6 mm is enlarged,
// drawn to scale, and as long as the table says.
#include "tests/cli/cli_fixture.h"

TestSuite(pictures, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Reads PNGs as this program writes them: no filters, no interlacing.
static const char read_pictures[] =
    "import base64, os, re, struct, sys, zlib\n"
    "html = open(os.path.join(os.path.dirname(sys.argv[0]), 'report/report.html')).read()\n"
    "def decode(data):\n"
    "    width, height, depth, kind = struct.unpack('>IIBB', data[16:26])\n"
    "    at, body = 8, b''\n"
    "    while at < len(data):\n"
    "        size, name = struct.unpack('>I4s', data[at:at + 8])\n"
    "        body += data[at + 8:at + 8 + size] if name == b'IDAT' else b''\n"
    "        at += 12 + size\n"
    "    n = 4 if kind == 6 else 3\n"
    "    raw, row = zlib.decompress(body), n * width + 1\n"
    "    assert depth == 8 and all(raw[y * row] == 0 for y in range(height))\n"
    "    return [[tuple(raw[y * row + 1 + n * x:y * row + 1 + n * (x + 1)]) for x in range(width)] for y in "
    "range(height)]\n"
    "found = re.findall(r'data:image/png;base64,([A-Za-z0-9+/=]+)', html)\n"
    "pictures = [decode(base64.b64decode(f)) for f in found]\n"
    "def longest(line, wanted):\n"
    "    best = run = 0\n"
    "    for p in line:\n"
    "        run = run + 1 if wanted(p) else 0\n"
    "        best = max(best, run)\n"
    "    return best\n";

static const char check_pages[] = "assert len(found) == 4, len(found)\n"
                                  "assert len(html) < 2e6\n"
                                  "for p in pictures:\n"
                                  "    flat = [pixel for row in p for pixel in row]\n"
                                  "    assert len(flat[0]) == 4, 'without alpha'\n"
                                  "    clear = sum(pixel[3] == 0 for pixel in flat)\n"
                                  "    assert clear > 0.25 * len(flat), (clear, len(flat))\n"
                                  "assert 'brightness(' not in html\n";

// The dimension is the longest upright line in its colour, the scale the longest level one in grey that is two pixels thick and more.
static const char check_lift[] =
    "rise = [s['finding']['rise_max'] for s in d['solvers'] if s['name'] == 'ccp-pgs'][0]\n"
    "assert 0.004 < rise < 0.009, rise\n"
    "picture = pictures[2]\n"
    "part = [row[len(row) * 6 // 10:] for row in picture]\n"
    "columns = list(zip(*part))\n"
    "red = lambda p: p[3] == 255 and abs(p[0] - 219) < 4 and abs(p[1] - 84) < 4 and abs(p[2] - 64) < 4\n"
    "grey = lambda p: p[3] == 255 and p[0] == p[1] == p[2] and 115 < p[0] < 126\n"
    "length = max(longest(c, red) for c in columns)\n"
    "bars = [min(longest(part[y], grey), longest(part[y + 1], grey)) for y in range(4, len(part) - 4)]\n"
    "bar = max(bars)\n"
    "assert length > 30, length\n"
    "shown = [length / bar * unit * 10 ** power for unit in (1, 2, 5) for power in range(-6, 0)]\n"
    "assert min(abs(s / rise - 1) for s in shown) < 0.05, (length, bar, rise)\n";

Test(pictures, of_a_lift_show_how_high_it_is) {
    outcome result = run("compare sliding-cube-rotated --solvers ncp,ccp-pgs,lcp-pgs --out report");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    ts_text html = read_text("report/report.html"), summary = read_text("report/summary.json");
    if (!has(&html, "<img")) cr_skip_test("no viewer in this build, or no OpenGL on this machine");
    ts_text script = {0};
    ts_text_add(&script, "%s%s", read_pictures, check_pages);
    cr_expect(json_holds(&summary, ts_text_get(&script)));
    ts_text_free(&script);
    ts_text_add(&script, "%s%s", read_pictures, check_lift);
    cr_expect(json_holds(&summary, ts_text_get(&script)));
    ts_text_free(&script);
    ts_text_free(&html);
    ts_text_free(&summary);
    outcome_free(&result);
}
