// Problem: draw a picture with OpenGL 3.3 core, in a window or without one, the same way. Rule: everything is drawn into
// multisampled memory of the device's own (device_gl_buffers.c), pass by pass (device_gl_passes.c); a window only gets a copy. Guaranteed:
// same frame, same context, same pixels. Known to fail: two devices on different contexts in one process, since OpenGL's function pointers
// are process-wide.
#include "viewer/device_gl.h"

#include "viewer/device_gl_internal.h"

#include <stdlib.h>
#include <string.h>

// Texels per side of the shadow map when pictures count and when speed does.
enum { SHADOW_FINE = 2048, SHADOW_FAST = 1024 };

static ts_code gl_draw(ts_device* device, const ts_device_frame* frame, ts_status* out_status) {
    device_gl* gl = (device_gl*)device;
    if (frame->width < 1 || frame->height < 1)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a picture of %d x %d pixels", frame->width,
                             frame->height);
    ts_code code = ts_gl_resize(gl, frame, out_status);
    if (code) return code;
    ++gl->device.counts.frames;
    code = ts_gl_draw_frame(gl, frame, out_status);
    glBindVertexArray(0);
    if (code) return code;
    GLenum error = glGetError();
    if (error != GL_NO_ERROR)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "OpenGL reports error %#x", (unsigned)error);
    return ts_status_ok(out_status);
}

static ts_code gl_read(ts_device* device, int channels, unsigned char* out_pixels, ts_status* out_status) {
    device_gl* gl = (device_gl*)device;
    if (!gl->whole_width) return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "nothing has been drawn yet");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gl->frame_one);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    // OpenGL's rows go upwards, pictures' rows downwards.
    size_t row = (size_t)channels * (size_t)gl->whole_width;
    for (int y = 0; y < gl->whole_height; ++y)
        glReadPixels(0, gl->whole_height - 1 - y, gl->whole_width, 1, channels == 4 ? GL_RGBA : GL_RGB,
                     GL_UNSIGNED_BYTE, out_pixels + (size_t)y * row);
    for (size_t i = 0; channels == 4 && i < row * (size_t)gl->whole_height; i += 4)
        for (size_t c = i; c < i + 3; ++c) {
            unsigned alpha = out_pixels[i + 3], whole = alpha ? (255u * out_pixels[c] + alpha / 2u) / alpha : 0u;
            out_pixels[c] = (unsigned char)(whole > 255u ? 255u : whole);
        }
    return ts_status_ok(out_status);
}

static void gl_show(ts_device* device, int left, int bottom) {
    device_gl* gl = (device_gl*)device;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gl->frame_one);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, gl->whole_width, gl->whole_height, left, bottom, left + gl->whole_width,
                      bottom + gl->whole_height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

static void gl_destroy(ts_device* device) {
    device_gl* gl = (device_gl*)device;
    ts_gl_release(gl);
    free(gl);
}

static const ts_device_ops gl_ops = {"opengl", ts_gl_upload, ts_gl_paint, gl_draw, gl_read, gl_show, gl_destroy};

static int is_software(const char* renderer) {
    return strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe") || strstr(renderer, "SWR");
}

ts_code ts_device_gl_create(ts_device_gl_loader loader, int samples, ts_device_gl_quality quality,
                            ts_device** out_device, ts_status* out_status) {
    *out_device = NULL;
    int version = gladLoadGL((GLADloadfunc)loader);
    if (!version) return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "there is no OpenGL context");
    if (version < GLAD_MAKE_VERSION(3, 3))
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "OpenGL 3.3 is needed, this is %d.%d",
                             GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version));
    device_gl* gl = calloc(1, sizeof *gl);
    if (!gl) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the render device");
    gl->device.ops = &gl_ops;
    const char* renderer = (const char*)glGetString(GL_RENDERER);
    int fast = quality == TS_DEVICE_GL_FAST || (quality == TS_DEVICE_GL_FITTING && renderer && is_software(renderer));
    gl->shadow_size = fast ? SHADOW_FAST : SHADOW_FINE;
    gl->fine = !fast;
    if (fast) samples = 1;
    GLint most = 1, most_in_textures = 1;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &most_in_textures);
    if (most_in_textures < most) most = most_in_textures;
    gl->samples = samples < most ? samples : (int)most;
    if (gl->samples < 1) gl->samples = 1;

    ts_code code = ts_gl_create_buffers(gl, out_status);
    if (code) {
        gl_destroy(&gl->device);
        return code;
    }
    glEnable(GL_MULTISAMPLE);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    *out_device = &gl->device;
    return ts_status_ok(out_status);
}
