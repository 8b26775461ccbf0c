// Problem: an OpenGL 3.3 context on a machine without a display, from whichever library is there. Rule: EGL on Mesa's
// surfaceless platform (EGL_MESA_platform_surfaceless), then EGL on its default display, then OSMesa; all drawing goes to
// framebuffer objects, so no surface is needed. The libraries are opened by name at run time and never closed, since Mesa
// leaves handlers behind that must not lose their code; nor is EGL's display terminated, since a process has only one of
// a kind and others may draw on it. Known to fail: without Mesa and without a GPU driver there is no context.
#include "viewer/offscreen.h"

#include <EGL/egl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// From EGL_MESA_platform_surfaceless and GL/osmesa.h (which cannot be included beside a core profile loader).
enum { PLATFORM_SURFACELESS = 0x31DD };
enum {
    OSMESA_FORMAT_KEY = 0x22,
    OSMESA_DEPTH_BITS_KEY = 0x30,
    OSMESA_PROFILE_KEY = 0x33,
    OSMESA_CORE = 0x34,
    OSMESA_MAJOR_KEY = 0x36,
    OSMESA_MINOR_KEY = 0x37,
    FORMAT_RGBA = 0x1908,
    TYPE_UNSIGNED_BYTE = 0x1401
};

typedef void* osmesa_context;
typedef osmesa_context (*osmesa_create_function)(const int* attributes, osmesa_context shared);
typedef unsigned char (*osmesa_current_function)(osmesa_context, void* buffer, unsigned type, int width, int height);
typedef void (*osmesa_destroy_function)(osmesa_context);

typedef EGLDisplay (*egl_platform_display_function)(EGLenum platform, void* native, const EGLint* attributes);

struct ts_offscreen {
    ts_device_gl_loader loader;
    // EGL
    EGLDisplay display;
    EGLContext context;
    EGLBoolean (*make_current)(EGLDisplay, EGLSurface, EGLSurface, EGLContext);
    EGLBoolean (*destroy_context)(EGLDisplay, EGLContext);
    // OSMesa
    osmesa_context osmesa;
    osmesa_current_function osmesa_make_current;
    osmesa_destroy_function osmesa_destroy;
    unsigned char pixel[4 * 16];  // the context insists on a buffer; nothing is drawn there
};

// ISO C has no conversion from a data pointer to a function pointer; POSIX promises that the bytes are the same.
static ts_device_gl_function find(void* library, const char* name) {
    void* symbol = dlsym(library, name);
    ts_device_gl_function function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static void* open_any(const char* const* names) {
    for (int i = 0; names[i]; ++i) {
        void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

static EGLDisplay surfaceless_display(ts_device_gl_loader loader) {
    egl_platform_display_function get = (egl_platform_display_function)loader("eglGetPlatformDisplayEXT");
    return get ? get(PLATFORM_SURFACELESS, NULL, NULL) : EGL_NO_DISPLAY;
}

// Tries one display; on success the context is current. `why` says what failed.
static int egl_on_display(ts_offscreen* o, void* egl, EGLDisplay display, const char** why) {
    EGLBoolean (*initialize)(EGLDisplay, EGLint*, EGLint*) =
        (EGLBoolean(*)(EGLDisplay, EGLint*, EGLint*))find(egl, "eglInitialize");
    EGLBoolean (*bind)(EGLenum) = (EGLBoolean(*)(EGLenum))find(egl, "eglBindAPI");
    EGLBoolean (*choose)(EGLDisplay, const EGLint*, EGLConfig*, EGLint, EGLint*) =
        (EGLBoolean(*)(EGLDisplay, const EGLint*, EGLConfig*, EGLint, EGLint*))find(egl, "eglChooseConfig");
    EGLContext (*create)(EGLDisplay, EGLConfig, EGLContext, const EGLint*) =
        (EGLContext(*)(EGLDisplay, EGLConfig, EGLContext, const EGLint*))find(egl, "eglCreateContext");
    *why = "its functions are missing";
    if (!initialize || !bind || !choose || !create || !o->make_current || !o->destroy_context) return 0;
    *why = "no display";
    if (display == EGL_NO_DISPLAY || !initialize(display, NULL, NULL)) return 0;
    *why = "no OpenGL 3.3 core context";
    static const EGLint config_wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint context_wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (bind(EGL_OPENGL_API) && choose(display, config_wanted, &config, 1, &count) && count > 0) {
        EGLContext context = create(display, config, EGL_NO_CONTEXT, context_wanted);
        if (context != EGL_NO_CONTEXT) {
            if (o->make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
                o->display = display;
                o->context = context;
                return 1;
            }
            o->destroy_context(display, context);
        }
    }
    return 0;
}

static int egl_create(ts_offscreen* o, const char** why) {
    static const char* const names[] = {"libEGL.so.1", "libEGL.so", NULL};
    void* egl = open_any(names);
    *why = "no libEGL";
    if (!egl) return 0;
    o->loader = (ts_device_gl_loader)find(egl, "eglGetProcAddress");
    o->make_current = (EGLBoolean(*)(EGLDisplay, EGLSurface, EGLSurface, EGLContext))find(egl, "eglMakeCurrent");
    o->destroy_context = (EGLBoolean(*)(EGLDisplay, EGLContext))find(egl, "eglDestroyContext");
    EGLDisplay (*get_display)(EGLNativeDisplayType) = (EGLDisplay(*)(EGLNativeDisplayType))find(egl, "eglGetDisplay");
    *why = "its functions are missing";
    if (!o->loader || !get_display) return 0;
    if (egl_on_display(o, egl, surfaceless_display(o->loader), why)) return 1;
    return egl_on_display(o, egl, get_display(EGL_DEFAULT_DISPLAY), why);
}

static int osmesa_create(ts_offscreen* o, const char** why) {
    static const char* const names[] = {"libOSMesa.so.8", "libOSMesa.so", NULL};
    void* library = open_any(names);
    *why = "no libOSMesa";
    if (!library) return 0;
    osmesa_create_function create = (osmesa_create_function)find(library, "OSMesaCreateContextAttribs");
    o->osmesa_make_current = (osmesa_current_function)find(library, "OSMesaMakeCurrent");
    o->osmesa_destroy = (osmesa_destroy_function)find(library, "OSMesaDestroyContext");
    o->loader = (ts_device_gl_loader)find(library, "OSMesaGetProcAddress");
    *why = "its functions are missing";
    if (!create || !o->osmesa_make_current || !o->osmesa_destroy || !o->loader) return 0;
    static const int wanted[] = {OSMESA_FORMAT_KEY,
                                 FORMAT_RGBA,
                                 OSMESA_DEPTH_BITS_KEY,
                                 24,
                                 OSMESA_PROFILE_KEY,
                                 OSMESA_CORE,
                                 OSMESA_MAJOR_KEY,
                                 3,
                                 OSMESA_MINOR_KEY,
                                 3,
                                 0};
    *why = "no OpenGL 3.3 core context";
    o->osmesa = create(wanted, NULL);
    if (!o->osmesa) return 0;
    if (!o->osmesa_make_current(o->osmesa, o->pixel, TYPE_UNSIGNED_BYTE, 4, 4)) {
        o->osmesa_destroy(o->osmesa);
        o->osmesa = NULL;
        return 0;
    }
    return 1;
}

ts_code ts_offscreen_create(ts_offscreen** out_offscreen, ts_status* out_status) {
    *out_offscreen = NULL;
    ts_offscreen* o = calloc(1, sizeof *o);
    if (!o) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for an OpenGL context");
    const char* why_egl = "";
    const char* why_osmesa = "";
    if (!egl_create(o, &why_egl)) {
        memset(o, 0, sizeof *o);
        if (!osmesa_create(o, &why_osmesa)) {
            free(o);
            return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                                 "pictures need OpenGL 3.3: EGL says '%s', OSMesa says '%s' (Debian: libegl1 and "
                                 "libgl1-mesa-dri, or libosmesa6)",
                                 why_egl, why_osmesa);
        }
    }
    *out_offscreen = o;
    return ts_status_ok(out_status);
}

ts_device_gl_loader ts_offscreen_loader(const ts_offscreen* offscreen) { return offscreen->loader; }

void ts_offscreen_destroy(ts_offscreen* offscreen) {
    if (!offscreen) return;
    if (offscreen->osmesa) {
        offscreen->osmesa_destroy(offscreen->osmesa);
    } else {
        offscreen->make_current(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        offscreen->destroy_context(offscreen->display, offscreen->context);
    }
    free(offscreen);
}
