// Claims: a window opens on a display, is heard by keys that come through it, saves the picture that `view --png` writes without a display, and ends
// well when it is told to quit. The display is Xvfb's, the keys are xdotool's; without either the test is skipped, and says so. Tolerance: a window
// takes one sample a pixel where OpenGL is software, and a picture four, so that edges differ; blocks of 8 x 8 pixels are compared by their means, of
// which at most one in a hundred may differ by more than 12 of 255 levels. A camera that was turned by 15 degrees differs in more than one of ten.
#include "tests/cli/cli_fixture.h"

#include <math.h>
#include <png.h>

TestSuite(window, .init = make_folder, .fini = remove_folder, .timeout = 280);

enum { WIDTH = 320, HEIGHT = 200, BLOCK = 8 };

// What a picture shows: the window's, less its menus.
typedef struct picture {
    int width, height;
    unsigned char rgb[3 * WIDTH * HEIGHT];
} picture;

// Opens the window, waits for it, presses keys and leaves what was saved as window.png. Leaks are the drivers' own: viewer/gl_objects counts ours.
static const char* const script =
    "cd '%s' || exit 100\n"
    "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"; export ASAN_OPTIONS\n"
    "Xvfb -displayfd 5 -screen 0 800x600x24 -nolisten tcp 5>display 2>xvfb.err & xvfb=$!\n"
    "trap 'kill $xvfb 2>/dev/null; wait' EXIT\n"
    "within() { n=0; until eval \"$1\"; do n=$((n+1)); [ $n -gt 240 ] && return 1; sleep 0.25; done; }\n"
    "within '[ -s display ]' || exit 77\n"
    "DISPLAY=:$(cat display); export DISPLAY\n"
    "'%s' view stack-10 --time 1 --camera 60,20,3,0,0,0.5 --size %dx%d >out 2>err & viewer=$!\n"
    "seen() { id=$(xdotool search --name stack-10 2>/dev/null | head -n 1); [ -n \"$id\" ]; }\n"
    "ended() { ! kill -0 $viewer 2>/dev/null; }\n"
    "within 'seen || ended' || exit 101\n"
    "ended && { cat err >&2; grep -q 'OpenGL' err && exit 77; exit 102; }\n"
    "xdotool windowfocus $id; sleep 1\n"
    "for key in Tab F2 F3 l; do xdotool key $key; sleep 0.5; done\n"
    "sleep 6\n"
    "xdotool key ctrl+p\n"
    "within 'ls stack-10-*.png >/dev/null 2>&1' || { cat err >&2; kill $viewer; exit 103; }\n"
    "sleep 1; xdotool key ctrl+q\n"
    "within ended || { kill -9 $viewer; exit 104; }\n"
    "wait $viewer || { echo \"the viewer ended with $?\" >&2; cat err >&2; exit 105; }\n"
    "mv stack-10-*.png window.png\n";

static void read_picture(const char* name, picture* out_picture) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    cr_assert(png_image_begin_read_from_file(&image, in_folder(name)), "%s: %s", name, image.message);
    image.format = PNG_FORMAT_RGB;
    cr_assert(image.width <= WIDTH && image.height <= HEIGHT && 2 * image.width > WIDTH && 2 * image.height > HEIGHT,
              "%s has %u x %u pixels", name, image.width, image.height);
    out_picture->width = (int)image.width;
    out_picture->height = (int)image.height;
    cr_assert(png_image_finish_read(&image, NULL, out_picture->rgb, 0, NULL));
}

// The share of blocks that differ.
static double apart(const picture* a, const picture* b) {
    int different = 0, blocks = 0;
    cr_assert(a->width == b->width && a->height == b->height);
    for (int y = 0; y + BLOCK <= a->height; y += BLOCK)
        for (int x = 0; x + BLOCK <= a->width; x += BLOCK) {
            double most = 0.0;
            for (int channel = 0; channel < 3; ++channel) {
                int sum = 0;
                for (int k = 0; k < BLOCK * BLOCK; ++k) {
                    int at = 3 * ((y + k / BLOCK) * a->width + x + k % BLOCK) + channel;
                    sum += a->rgb[at] - b->rgb[at];
                }
                most = fmax(most, fabs((double)sum) / (BLOCK * BLOCK));
            }
            different += most > 12.0;
            blocks++;
        }
    return (double)different / blocks;
}

Test(window, opens_is_heard_and_shows_what_a_picture_shows) {
    static picture window, same, turned;
    char command[4096], arguments[256];
    if (system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") != 0)
        cr_skip("no Xvfb or xdotool (Debian: xvfb, xdotool)");
    int length = snprintf(command, sizeof command, script, folder, TS_TEST_CLI, WIDTH, HEIGHT);
    cr_assert(length > 0 && (size_t)length < sizeof command);
    int status = system(command);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    if (code == 77) cr_skip("no display, or no OpenGL 3.3 on it");
    cr_assert_eq(code, 0, "step %d of the walk failed", code);
    read_picture("window.png", &window);
    for (int k = 0; k < 2; ++k) {
        const char* name = k == 0 ? "same.png" : "turned.png";
        snprintf(arguments, sizeof arguments,
                 "view stack-10 --time 1 --camera %d,20,3,0,0,0.5 --layers -words --size %dx%d --png %s",
                 k == 0 ? 60 : 75, window.width, window.height, name);
        outcome result = run(arguments);
        cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
        outcome_free(&result);
        read_picture(name, k == 0 ? &same : &turned);
    }
    cr_expect_leq(apart(&window, &same), 0.01, "the window and a picture differ in %g of their blocks",
                  apart(&window, &same));
    cr_expect_geq(apart(&window, &turned), 0.1, "this test does not see a camera that turned: %g",
                  apart(&window, &turned));
}
