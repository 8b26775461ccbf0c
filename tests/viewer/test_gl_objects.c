// Claims: OpenGL's objects are counted exactly, by functions that stand between the device and OpenGL: frames, reloads, other scenes, resizes and
// panes keep none, and the device leaves none behind. A frame that makes an OpenGL error is refused; so the same frames make none.
#include "tests/folder_fixture.h"
#include "tests/viewer/desk_fixture.h"

#include "viewer/device_gl.h"
#include "viewer/offscreen.h"

TestSuite(gl_objects, .init = make_folder, .fini = remove_folder);

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

// --- between the device and OpenGL -------------------------------------------------------------------------------------

#define KINDS(X) X(Textures) X(Buffers) X(VertexArrays) X(Framebuffers) X(Renderbuffers) X(Samplers)

static ts_device_gl_loader opengl;
static int alive;  // objects that were made and not deleted
static int made;

typedef void (*gen_function)(int count, unsigned* names);
typedef void (*delete_function)(int count, const unsigned* names);
typedef unsigned (*shader_function)(unsigned type);
typedef unsigned (*program_function)(void);
typedef void (*one_function)(unsigned name);
typedef unsigned (*error_function)(void);

#define COUNTED(kind)                                              \
    static void gen_##kind(int count, unsigned* names) {           \
        ((gen_function)opengl("glGen" #kind))(count, names);       \
        alive += count;                                            \
        made += count;                                             \
    }                                                              \
    static void delete_##kind(int count, const unsigned* names) {  \
        for (int i = 0; i < count; ++i) alive -= names[i] != 0;    \
        ((delete_function)opengl("glDelete" #kind))(count, names); \
    }
KINDS(COUNTED)

static unsigned create_shader(unsigned type) {
    ++alive;
    ++made;
    return ((shader_function)opengl("glCreateShader"))(type);
}
static unsigned create_program(void) {
    ++alive;
    ++made;
    return ((program_function)opengl("glCreateProgram"))();
}
static void delete_shader(unsigned name) {
    alive -= name != 0;
    ((one_function)opengl("glDeleteShader"))(name);
}
static void delete_program(unsigned name) {
    alive -= name != 0;
    ((one_function)opengl("glDeleteProgram"))(name);
}

// One that nobody has made, once.
static unsigned wrong;
static unsigned get_error(void) {
    unsigned error = ((error_function)opengl("glGetError"))();
    if (!error) error = wrong;
    wrong = 0;
    return error;
}

static ts_device_gl_function counting(const char* name) {
#define ROWS(kind) \
    {"glGen" #kind, (ts_device_gl_function)gen_##kind}, {"glDelete" #kind, (ts_device_gl_function)delete_##kind},
    static const struct {
        const char* name;
        ts_device_gl_function function;
    } row[] = {KINDS(ROWS){"glCreateShader", (ts_device_gl_function)create_shader},
               {"glCreateProgram", (ts_device_gl_function)create_program},
               {"glDeleteShader", (ts_device_gl_function)delete_shader},
               {"glDeleteProgram", (ts_device_gl_function)delete_program},
               {"glGetError", (ts_device_gl_function)get_error}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (strcmp(name, row[i].name) == 0 && opengl(name)) return row[i].function;
    return opengl(name);
}

// --- the desk ----------------------------------------------------------------------------------------------------------

enum { WIDTH = 96, HEIGHT = 64 };

static const char textured[] =
    "<mujoco><asset><texture name='t' type='2d' builtin='checker' rgb1='.2 .3 .4' rgb2='.8 .8 .8' width='32' "
    "height='32'/>"
    "<texture type='skybox' builtin='gradient' rgb1='.6 .7 .9' rgb2='.1 .1 .2' width='16' height='96'/>"
    "<material name='m' texture='t'/><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
    "<geom type='plane' size='2 2 .1' material='m'/><body pos='0 0 %g'><freejoint/><geom type='mesh' "
    "mesh='wedge'/></body>"
    "<body pos='0 0 2'><freejoint/><geom type='sphere' size='.2' material='m'/></body></worldbody></mujoco>";

static void write_scene(double height) {
    FILE* file = fopen(in_folder("textured.xml"), "w");
    cr_assert(file);
    fprintf(file, textured, height);
    fclose(file);
}

static void press(desk* d, int key, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = key, .action = TS_ACTION_PRESS, .mods = mods, .time = d->now};
    ts_session_event(d->session, &event);
    event.action = TS_ACTION_RELEASE;
    ts_session_event(d->session, &event);
    desk_tick(d, 0.01);
}

static void drop(desk* d, const char* path) {
    ts_event event = {.kind = TS_EVENT_DROP, .path = path, .time = d->now};
    ts_session_event(d->session, &event);
    desk_tick(d, 0.01);
    desk_tick(d, 0.01);
}

// Everything that makes or changes what OpenGL holds.
static void live(desk* d, int turn) {
    for (int i = 0; i < 4; ++i) {
        ts_event resize = {
            .kind = TS_EVENT_RESIZE, .width = WIDTH + 5 * i + turn % 3, .height = HEIGHT - i, .scale = 1.0};
        ts_session_event(d->session, &resize);
        press(d, TS_KEY_RIGHT, 0);
    }
    write_scene(turn % 2 ? 0.1 : 0.3);
    drop(d, in_folder("textured.xml"));
    press(d, TS_KEY_RIGHT, TS_MOD_SHIFT);
    press(d, 'L', TS_MOD_CONTROL);
    press(d, 'T', TS_MOD_SHIFT);
    press(d, 'T', TS_MOD_SHIFT);
    press(d, 'B', TS_MOD_CONTROL);
    press(d, TS_KEY_RIGHT, 0);
    press(d, 'G', TS_MOD_CONTROL);
    press(d, TS_KEY_RIGHT, 0);
    press(d, 'G', TS_MOD_CONTROL);
    press(d, TS_KEY_F1, 0);
    press(d, TS_KEY_ESCAPE, 0);
    press(d, 'W', TS_MOD_CONTROL);
    drop(d, "hand");
    press(d, TS_KEY_RIGHT, 0);
}

static ts_offscreen* open_desk(desk* d) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    opengl = ts_offscreen_loader(offscreen);
    desk_prepare(d, desk_scene("sliding-cube"));
    ts_device_destroy(d->device);
    ts_code code = ts_device_gl_create(counting, 1, TS_DEVICE_GL_FAST, &d->device, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    d->request.width = WIDTH;
    d->request.height = HEIGHT;
    desk_open(d, NULL);
    desk_tick(d, 0.01);
    return offscreen;
}

Test(gl_objects, none_is_kept_and_none_is_left) {
    enum { WARM = 2, TURNS = 4 };
    desk d;
    ts_offscreen* offscreen = open_desk(&d);
    int after[TURNS];
    for (int turn = 0; turn < TURNS; ++turn) {
        live(&d, turn);
        after[turn] = alive;
    }
    cr_assert_gt(made, 40, "they are counted: %d", made);
    for (int turn = WARM; turn < TURNS; ++turn) cr_expect_eq(after[turn], after[WARM - 1], "turn %d", turn);
    desk_close(&d);
    cr_expect_eq(alive, 0, "%d are left of %d", alive, made);
    ts_offscreen_destroy(offscreen);
}

Test(gl_objects, an_error_fails_the_frame) {
    desk d;
    ts_status status;
    ts_offscreen* offscreen = open_desk(&d);
    cr_assert_eq(ts_session_draw(d.session, &status), TS_OK, "%s", status.message);
    wrong = 0x502;
    cr_expect_eq(ts_session_draw(d.session, &status), TS_ERROR_UNSUPPORTED);
    cr_expect(strstr(status.message, "0x502"), "%s", status.message);
    cr_expect_eq(ts_session_draw(d.session, &status), TS_OK);
    desk_close(&d);
    ts_offscreen_destroy(offscreen);
}
