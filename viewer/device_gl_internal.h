// What the parts of the OpenGL device share: its textures and buffers (device_gl_buffers.c), what one picture goes through (device_gl_passes.c),
// and the device itself (device_gl.c).
#ifndef TS_VIEWER_DEVICE_GL_INTERNAL_H
#define TS_VIEWER_DEVICE_GL_INTERNAL_H

#include "viewer/device.h"

#include <glad/gl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gl_mesh {
    GLuint array;
    GLuint vertices;
    GLuint indices;
    GLsizei index_count;
} gl_mesh;

TS_ARRAY_DECLARE(gl_meshes, gl_mesh);

typedef struct gl_texture {
    GLuint name;
    GLenum target;
} gl_texture;

TS_ARRAY_DECLARE(gl_textures, gl_texture);

/// Texture units of the programs that draw the world; the last step, which averages, has 0 to 3 for itself.
enum { UNIT_SHADOW = 0, UNIT_SHADOW_DEPTH = 4, UNIT_FLAT = 5, UNIT_CUBE = 6 };

/// The shader programs.
typedef enum gl_program {
    PROGRAM_SOLID,
    PROGRAM_FLOOR,
    PROGRAM_DEPTH,
    PROGRAM_SKY,
    PROGRAM_LINE,
    PROGRAM_GHOST,
    PROGRAM_FINISH,
    PROGRAM_OVERLAY,
    PROGRAM_COUNT
} gl_program;

typedef struct device_gl {
    ts_device device;
    int samples;
    int shadow_size;
    int fine;                       // pictures count more than speed
    int width, height;              // of the buffers below, those of one pane
    int whole_width, whole_height;  // of the picture
    GLuint program[PROGRAM_COUNT];
    GLuint frame_many, color_many, identity_many, depth_many;  // multisampled
    GLuint frame_ghost, identity_ghost, depth_ghost;           // the same of what is only an outline
    GLuint frame_one, color_one;                               // averaged
    GLuint shadow_frame, shadow_map, shadow_sampler;
    GLuint font;                  // the field of `typeface`
    const ts_typeface* typeface;  // whose field it is, once there is one
    int has_font;
    float stem;        // of that typeface
    GLuint instances;  // of meshes
    GLuint line_array, line_buffer;
    GLuint overlay_array, overlay_buffer;
    GLuint sky_array;
    gl_meshes meshes;
    gl_textures textures;
} device_gl;

/// What the overlay program reads per rectangle.
typedef struct gl_overlay_quad {
    float rectangle[4];
    float color[4];
    float character;
} gl_overlay_quad;

/// Fills the buffer that is bound there, and counts it.
void ts_gl_fill_buffer(device_gl* gl, GLenum target, size_t bytes, const void* data, GLenum usage);

/// Shader programs, shadow map, arrays, and the names of all that ts_gl_resize gives a size. A driver that refuses a shader is
/// TS_ERROR_UNSUPPORTED; what was made by then ts_gl_release takes back.
ts_code ts_gl_create_buffers(device_gl* gl, ts_status* out_status);

/// Memory for a frame of that size, bound for drawing; what no pane covers is cleared. TS_ERROR_UNSUPPORTED when OpenGL has none.
ts_code ts_gl_resize(device_gl* gl, const ts_device_frame* frame, ts_status* out_status);

/// Gives mesh number `mesh` its triangles.
ts_code ts_gl_upload(ts_device* device, int mesh, const ts_geometry_mesh* data, ts_status* out_status);

/// Gives texture number `texture` its pixels.
ts_code ts_gl_paint(ts_device* device, int texture, const ts_texture_picture* picture, ts_status* out_status);

/// Has the field of a typeface (NULL: the viewer's own) in `font`. TS_ERROR_MEMORY.
ts_code ts_gl_take_font(device_gl* gl, const ts_typeface* typeface, ts_status* out_status);

/// One attribute that advances per instance.
void ts_gl_instance_attribute(GLuint location, GLint size, size_t stride, size_t offset);

/// Takes back all that OpenGL holds for the device.
void ts_gl_release(device_gl* gl);

/// The frame's place; that of one which is the whole picture says so.
ts_device_place ts_gl_place(const ts_device_frame* frame);

/// Draws shadows, world, outlines and overlay of a frame into the memory that ts_gl_resize made.
ts_code ts_gl_draw_frame(device_gl* gl, const ts_device_frame* frame, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
