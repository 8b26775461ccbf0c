// Problem: draw a picture with OpenGL 3.3 core, in a window or without one, the same way. Rule: everything is drawn into
// multisampled memory of the device's own: shadow map, sky, solid shapes, floors, see-through shapes, marks (first
// faintly where something hides them, then plainly), lines, and beside the colours what body each sample shows; then
// averaged, with outlines where bodies meet, and the overlay put on top. A window only gets
// a copy. Shapes are instanced: one draw call per mesh and pass. Guaranteed: same frame, same context, same pixels. Known
// to fail: two devices in one process, since OpenGL's function pointers are process-wide.
#include "viewer/device_gl.h"

#include "viewer/device_gl_shaders_internal.h"
#include "viewer/font_internal.h"

#include <cglm/cglm.h>
#include <glad/gl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Texels per side of the shadow map when pictures count and when speed does.
enum { SHADOW_FINE = 2048, SHADOW_FAST = 1024 };

// The texture unit through which the map is read as plain depths; the others are those of `finish`.
enum { SHADOW_DEPTH_UNIT = 4 };

// Shares of the shadow map's side: the widest edge of a shadow; and how wide an edge is per depth (1: all that the map covers, 2.75 times as
// much as its side) to what makes it: the tangent of half the sun's disk, larger than the real one's, since worlds are small here.
static const float sun_reach = 0.024f, sun_spread = 2.75f * 0.045f;

typedef struct gl_mesh {
    GLuint array;
    GLuint vertices;
    GLuint indices;
    GLsizei index_count;
} gl_mesh;

TS_ARRAY_DECLARE(gl_meshes, gl_mesh);

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
    GLuint font;
    GLuint instances;  // of meshes
    GLuint line_array, line_buffer;
    GLuint overlay_array, overlay_buffer;
    GLuint sky_array;
    gl_meshes meshes;
} device_gl;

// Fills the buffer that is bound there, and counts it.
static void fill_buffer(device_gl* gl, GLenum target, size_t bytes, const void* data, GLenum usage) {
    glBufferData(target, (GLsizeiptr)bytes, data, usage);
    ++gl->device.counts.uploads;
    gl->device.counts.bytes += (long long)bytes;
}

// --- creation ------------------------------------------------------------------------------------------------------

static GLuint compile_shader(GLenum type, const char* text, ts_status* out_status) {
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    char log[400] = "";
    glGetShaderInfoLog(shader, (GLsizei)sizeof log, NULL, log);
    glDeleteShader(shader);
    ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "the OpenGL driver refuses a shader: %s", log);
    return 0;
}

static GLuint link_program(const char* vertex_text, const char* fragment_text, ts_status* out_status) {
    GLuint vertex = compile_shader(GL_VERTEX_SHADER, vertex_text, out_status);
    if (!vertex) return 0;
    GLuint fragment = compile_shader(GL_FRAGMENT_SHADER, fragment_text, out_status);
    if (!fragment) {
        glDeleteShader(vertex);
        return 0;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) return program;
    char log[400] = "";
    glGetProgramInfoLog(program, (GLsizei)sizeof log, NULL, log);
    glDeleteProgram(program);
    ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "the OpenGL driver refuses a program: %s", log);
    return 0;
}

static ts_code create_programs(device_gl* gl, ts_status* out_status) {
    const char* text[PROGRAM_COUNT][2] = {
        {ts_shader_mesh_vertex, ts_shader_solid_fragment}, {ts_shader_mesh_vertex, ts_shader_floor_fragment},
        {ts_shader_mesh_vertex, ts_shader_depth_fragment}, {ts_shader_sky_vertex, ts_shader_sky_fragment},
        {ts_shader_line_vertex, ts_shader_line_fragment},  {ts_shader_mesh_vertex, ts_shader_ghost_fragment},
        {ts_shader_sky_vertex, ts_shader_finish_fragment}, {ts_shader_overlay_vertex, ts_shader_overlay_fragment},
    };
    for (int p = 0; p < PROGRAM_COUNT; ++p) {
        gl->program[p] = link_program(text[p][0], text[p][1], out_status);
        if (!gl->program[p]) return TS_ERROR_UNSUPPORTED;
    }
    return TS_OK;
}

static void create_shadow_map(device_gl* gl) {
    glGenTextures(1, &gl->shadow_map);
    glBindTexture(GL_TEXTURE_2D, gl->shadow_map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, gl->shadow_size, gl->shadow_size, 0, GL_DEPTH_COMPONENT,
                 GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenSamplers(1, &gl->shadow_sampler);
    glSamplerParameteri(gl->shadow_sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameteri(gl->shadow_sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glSamplerParameteri(gl->shadow_sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(gl->shadow_sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(gl->shadow_sampler, GL_TEXTURE_COMPARE_MODE, GL_NONE);
    glGenFramebuffers(1, &gl->shadow_frame);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->shadow_frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, gl->shadow_map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
}

static ts_code create_font(device_gl* gl, ts_status* out_status) {
    unsigned char* field = malloc((size_t)TS_FONT_FIELD_WIDTH * TS_FONT_FIELD_HEIGHT);
    if (!field) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the typeface");
    ts_font_fill(field);
    glGenTextures(1, &gl->font);
    glBindTexture(GL_TEXTURE_2D, gl->font);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, TS_FONT_FIELD_WIDTH, TS_FONT_FIELD_HEIGHT, 0, GL_RED, GL_UNSIGNED_BYTE,
                 field);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    free(field);
    return TS_OK;
}

// One attribute that advances per instance.
static void instance_attribute(GLuint location, GLint size, size_t stride, size_t offset) {
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void*)offset);
    glVertexAttribDivisor(location, 1);
}

// What the overlay program reads per rectangle.
typedef struct gl_overlay_quad {
    float rectangle[4];
    float color[4];
    float character;
} gl_overlay_quad;

static void create_arrays(device_gl* gl) {
    glGenBuffers(1, &gl->instances);
    glGenVertexArrays(1, &gl->sky_array);
    glGenVertexArrays(1, &gl->line_array);
    glGenBuffers(1, &gl->line_buffer);
    glBindVertexArray(gl->line_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->line_buffer);
    instance_attribute(0, 3, sizeof(ts_draw_line), offsetof(ts_draw_line, from));
    instance_attribute(1, 3, sizeof(ts_draw_line), offsetof(ts_draw_line, to));
    instance_attribute(2, 1, sizeof(ts_draw_line), offsetof(ts_draw_line, width));
    instance_attribute(3, 4, sizeof(ts_draw_line), offsetof(ts_draw_line, color));
    glGenVertexArrays(1, &gl->overlay_array);
    glGenBuffers(1, &gl->overlay_buffer);
    glBindVertexArray(gl->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->overlay_buffer);
    instance_attribute(0, 4, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, rectangle));
    instance_attribute(1, 4, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, color));
    instance_attribute(2, 1, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, character));
    glBindVertexArray(0);
}

// --- meshes --------------------------------------------------------------------------------------------------------

static ts_code gl_upload(ts_device* device, int mesh, const ts_geometry_mesh* data, ts_status* out_status) {
    device_gl* gl = (device_gl*)device;
    while (gl->meshes.count <= mesh) {
        gl_mesh empty = {0, 0, 0, 0};
        if (!gl_meshes_push(&gl->meshes, empty))
            return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the table of meshes");
    }
    gl_mesh* m = &gl->meshes.data[mesh];
    if (!m->array) {
        glGenVertexArrays(1, &m->array);
        glGenBuffers(1, &m->vertices);
        glGenBuffers(1, &m->indices);
    }
    glBindVertexArray(m->array);
    glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
    fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)data->vertex_count * sizeof *data->vertex, data->vertex, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(ts_geometry_vertex), (const void*)0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(ts_geometry_vertex),
                          (const void*)offsetof(ts_geometry_vertex, normal));
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, m->indices);
    fill_buffer(gl, GL_ELEMENT_ARRAY_BUFFER, (size_t)data->index_count * sizeof *data->index, data->index,
                GL_STATIC_DRAW);
    glBindVertexArray(0);
    m->index_count = (GLsizei)data->index_count;
    return ts_status_ok(out_status);
}

static void draw_batch(device_gl* gl, const ts_draw_batch* batch) {
    if (batch->mesh < 0 || batch->mesh >= gl->meshes.count || !gl->meshes.data[batch->mesh].array) return;
    const gl_mesh* m = &gl->meshes.data[batch->mesh];
    glBindVertexArray(m->array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->instances);
    // OpenGL 3.3 has no first instance: the attributes start where the run does.
    size_t start = (size_t)batch->first * sizeof(ts_draw_instance);
    for (GLuint i = 0; i < 6; ++i) instance_attribute(2 + i, 4, sizeof(ts_draw_instance), start + 16u * (size_t)i);
    ++gl->device.counts.draw_calls;
    glDrawElementsInstanced(GL_TRIANGLES, m->index_count, GL_UNSIGNED_INT, (const void*)0, (GLsizei)batch->count);
}

static void draw_pass(device_gl* gl, const ts_draw_list* list, ts_draw_pass pass) {
    for (int b = 0; b < list->batches.count; ++b)
        if (list->batches.data[b].pass == pass) draw_batch(gl, &list->batches.data[b]);
}

// --- one picture ---------------------------------------------------------------------------------------------------

// Multisampled textures for what bodies are shown, and colours with them unless `color` is 0, in a frame with a depth of its own.
static GLenum resize_frame(const device_gl* gl, GLuint frame, GLuint color, GLuint identity, GLuint depth) {
    GLuint textures[2] = {color, identity};
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    for (int i = color ? 0 : 1, place = 0; i < 2; ++i, ++place) {
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[i]);
        glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, gl->samples, GL_RGBA8, gl->width, gl->height, GL_TRUE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)place, GL_TEXTURE_2D_MULTISAMPLE,
                               textures[i], 0);
    }
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, depth);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, gl->samples, GL_DEPTH_COMPONENT24, gl->width, gl->height,
                            GL_TRUE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D_MULTISAMPLE, depth, 0);
    static const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(color ? 2 : 1, both);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

// The frame's place; that of one which is the whole picture says so.
static ts_device_place place_of(const ts_device_frame* frame) {
    ts_device_place place = frame->place;
    if (place.width > 0) return place;
    ts_device_place whole = {0, 0, frame->width, frame->height, 0};
    return whole;
}

static GLenum resize_whole(device_gl* gl, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, gl->frame_one);
    if (gl->whole_width == width && gl->whole_height == height) return GL_FRAMEBUFFER_COMPLETE;
    gl->whole_width = width;
    gl->whole_height = height;
    glBindRenderbuffer(GL_RENDERBUFFER, gl->color_one);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, gl->color_one);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

static ts_code resize_buffers(device_gl* gl, const ts_device_frame* frame, ts_status* out_status) {
    // What no pane covers is as dark as the panels; a frame that is all of the picture covers everything.
    const float empty[4] = {0.13f, 0.15f, 0.18f, 1.0f};
    ts_device_place place = place_of(frame);
    GLenum many = GL_FRAMEBUFFER_COMPLETE, ghost = GL_FRAMEBUFFER_COMPLETE;
    if (gl->width != frame->width || gl->height != frame->height) {
        gl->width = frame->width;
        gl->height = frame->height;
        many = resize_frame(gl, gl->frame_many, gl->color_many, gl->identity_many, gl->depth_many);
        ghost = resize_frame(gl, gl->frame_ghost, 0, gl->identity_ghost, gl->depth_ghost);
    }
    GLenum one = resize_whole(gl, place.width, place.height);
    if (many != GL_FRAMEBUFFER_COMPLETE || ghost != GL_FRAMEBUFFER_COMPLETE || one != GL_FRAMEBUFFER_COMPLETE) {
        gl->width = gl->height = gl->whole_width = gl->whole_height = 0;
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "OpenGL cannot make a picture of %d x %d pixels (framebuffer status %#x, %#x, %#x)",
                             place.width, place.height, (unsigned)many, (unsigned)ghost, (unsigned)one);
    }
    if (!place.goes_on) glClearBufferfv(GL_COLOR, 0, empty);
    return TS_OK;
}

// World (relative to the list's origin) to the shadow map's texture coordinates and depth, all in [0, 1].
static void shadow_matrices(const ts_device_frame* frame, mat4 out_clip, mat4 out_texture) {
    float r = frame->shadow_radius;
    vec3 centre = {frame->shadow_centre[0], frame->shadow_centre[1], frame->shadow_centre[2]};
    vec3 sun = {frame->sun[0], frame->sun[1], frame->sun[2]};
    vec3 eye;
    glm_vec3_scale(sun, 3.0f * r, eye);
    glm_vec3_add(eye, centre, eye);
    vec3 up = {0.0f, 1.0f, 0.0f};
    if (fabsf(sun[1]) > 0.95f) glm_vec3_copy((vec3){1.0f, 0.0f, 0.0f}, up);
    mat4 view, projection;
    glm_lookat(eye, centre, up, view);
    glm_ortho(-r, r, -r, r, 0.5f * r, 6.0f * r, projection);
    glm_mat4_mul(projection, view, out_clip);
    mat4 half = {{0.5f, 0, 0, 0}, {0, 0.5f, 0, 0}, {0, 0, 0.5f, 0}, {0.5f, 0.5f, 0.5f, 1.0f}};
    glm_mat4_mul(half, out_clip, out_texture);
}

static GLint uniform(GLuint program, const char* name) { return glGetUniformLocation(program, name); }

static void draw_shadows(device_gl* gl, const ts_draw_list* list, mat4 clip) {
    glBindFramebuffer(GL_FRAMEBUFFER, gl->shadow_frame);
    glViewport(0, 0, gl->shadow_size, gl->shadow_size);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 4.0f);
    glUseProgram(gl->program[PROGRAM_DEPTH]);
    glUniformMatrix4fv(uniform(gl->program[PROGRAM_DEPTH], "u_view_projection"), 1, GL_FALSE, clip[0]);
    draw_pass(gl, list, TS_DRAW_PASS_SOLID);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void set_lighting(const device_gl* gl, GLuint program, const ts_device_frame* frame, mat4 view_projection,
                         mat4 shadow) {
    glUseProgram(program);
    glUniformMatrix4fv(uniform(program, "u_view_projection"), 1, GL_FALSE, view_projection[0]);
    glUniform3fv(uniform(program, "u_eye"), 1, frame->eye);
    glUniform3fv(uniform(program, "u_sun"), 1, frame->sun);
    glUniformMatrix4fv(uniform(program, "u_shadow_matrix"), 1, GL_FALSE, shadow[0]);
    glUniform1f(uniform(program, "u_shadow_texel"), 2.0f * frame->shadow_radius / (float)gl->shadow_size);
    glUniform1i(uniform(program, "u_soft"), gl->fine);
    glUniform1f(uniform(program, "u_sun_reach"), sun_reach);
    glUniform1f(uniform(program, "u_sun_spread"), sun_spread);
    glUniform1i(uniform(program, "u_shadow_map"), 0);
    glUniform1i(uniform(program, "u_shadow_depth"), SHADOW_DEPTH_UNIT);
    glUniform1f(uniform(program, "u_fade"), frame->fade);
    glUniform1f(uniform(program, "u_fainter"), 1.0f);
    glUniform1i(uniform(program, "u_dark"), frame->dark);
    glUniform1i(uniform(program, "u_paper"), frame->background != TS_BACKGROUND_SKY);
}

static void draw_sky(device_gl* gl, const ts_device_frame* frame) {
    // Directions only: the view's rotation, without its translation.
    mat4 view, projection, both;
    memcpy(view, frame->view, sizeof view);
    memcpy(projection, frame->projection, sizeof projection);
    view[3][0] = view[3][1] = view[3][2] = 0.0f;
    glm_mat4_mul(projection, view, both);
    glm_mat4_inv(both, both);
    GLuint program = gl->program[PROGRAM_SKY];
    glUseProgram(program);
    glUniformMatrix4fv(uniform(program, "u_from_clip"), 1, GL_FALSE, both[0]);
    glUniform1i(uniform(program, "u_dark"), frame->dark);
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(gl->sky_array);
    ++gl->device.counts.draw_calls;
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_DEPTH_TEST);
}

// Colours are mixed, what body a sample shows never is.
static void blend_colors(void) {
    glEnable(GL_BLEND);
    glDisablei(GL_BLEND, 1);
}

// Whether what is drawn next says what it is, or leaves what lies behind it to say so.
static void show_identity(int shown) {
    GLboolean on = shown ? GL_TRUE : GL_FALSE;
    glColorMaski(1, on, on, on, on);
}

static void draw_marks(device_gl* gl, const ts_draw_list* list) {
    GLint fainter = uniform(gl->program[PROGRAM_SOLID], "u_fainter");
    blend_colors();
    show_identity(0);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_GREATER);
    glUniform1f(fainter, 0.40f);
    draw_pass(gl, list, TS_DRAW_PASS_MARK);
    glUniform1f(fainter, 1.0f);
    show_identity(1);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    draw_pass(gl, list, TS_DRAW_PASS_MARK);
}

static void draw_lines(device_gl* gl, const ts_device_frame* frame, mat4 view_projection) {
    const ts_draw_lines* lines = &frame->list->lines;
    if (!lines->count) return;
    GLuint program = gl->program[PROGRAM_LINE];
    glUseProgram(program);
    glUniformMatrix4fv(uniform(program, "u_view_projection"), 1, GL_FALSE, view_projection[0]);
    glUniform2f(uniform(program, "u_size"), (float)frame->width, (float)frame->height);
    glBindVertexArray(gl->line_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->line_buffer);
    fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)lines->count * sizeof *lines->data, lines->data, GL_STREAM_DRAW);
    glDisable(GL_CULL_FACE);
    // Like marks: faintly where something hides them.
    glDepthFunc(GL_GREATER);
    glUniform1f(uniform(program, "u_fainter"), 0.40f);
    ++gl->device.counts.draw_calls;
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)lines->count);
    show_identity(1);
    glDepthFunc(GL_LEQUAL);
    glUniform1f(uniform(program, "u_fainter"), 1.0f);
    ++gl->device.counts.draw_calls;
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)lines->count);
}

static ts_code draw_overlay(device_gl* gl, const ts_device_frame* frame, ts_status* out_status) {
    const ts_overlay* overlay = frame->overlay;
    if (!overlay || !overlay->quads.count) return TS_OK;
    size_t bytes = (size_t)overlay->quads.count * sizeof(gl_overlay_quad);
    gl_overlay_quad* quad = malloc(bytes);
    if (!quad) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the overlay");
    for (int i = 0; i < overlay->quads.count; ++i) {
        const ts_overlay_quad* q = &overlay->quads.data[i];
        quad[i].rectangle[0] = q->x;
        quad[i].rectangle[1] = q->y;
        quad[i].rectangle[2] = q->width;
        quad[i].rectangle[3] = q->height;
        memcpy(quad[i].color, q->color, sizeof q->color);
        quad[i].character = (float)q->character;
    }
    GLuint program = gl->program[PROGRAM_OVERLAY];
    glUseProgram(program);
    glUniform2f(uniform(program, "u_size"), (float)frame->width, (float)frame->height);
    glUniform1i(uniform(program, "u_font"), 0);
    glUniform4i(uniform(program, "u_cell"), TS_FONT_CELL_WIDTH * TS_FONT_TEXELS, TS_FONT_CELL_HEIGHT * TS_FONT_TEXELS,
                TS_FONT_CELLS, TS_FONT_FIRST);
    glUniform3f(uniform(program, "u_pen"), (float)ts_font_stroke, (float)ts_font_reach, (float)TS_FONT_CELL_HEIGHT);
    glBindTexture(GL_TEXTURE_2D, gl->font);
    glBindVertexArray(gl->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->overlay_buffer);
    fill_buffer(gl, GL_ARRAY_BUFFER, bytes, quad, GL_STREAM_DRAW);
    free(quad);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    ++gl->device.counts.draw_calls;
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)overlay->quads.count);
    return TS_OK;
}

static void draw_world(device_gl* gl, const ts_device_frame* frame, mat4 shadow_texture) {
    mat4 view, projection, view_projection;
    memcpy(view, frame->view, sizeof view);
    memcpy(projection, frame->projection, sizeof projection);
    glm_mat4_mul(projection, view, view_projection);

    glBindFramebuffer(GL_FRAMEBUFFER, gl->frame_many);
    glViewport(0, 0, frame->width, frame->height);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    float paper = frame->background == TS_BACKGROUND_WHITE ? 1.0f : 0.0f;
    const float behind[4] = {paper, paper, paper, paper}, nobody[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    show_identity(1);
    glClearBufferfv(GL_COLOR, 0, behind);
    glClearBufferfv(GL_COLOR, 1, nobody);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    // Colours come out multiplied by their alpha, which is 1 unless the background is clear.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    show_identity(0);
    if (frame->background == TS_BACKGROUND_SKY) draw_sky(gl, frame);
    glEnable(GL_DEPTH_TEST);
    show_identity(1);

    glActiveTexture(GL_TEXTURE0 + SHADOW_DEPTH_UNIT);
    glBindTexture(GL_TEXTURE_2D, gl->shadow_map);
    glBindSampler(SHADOW_DEPTH_UNIT, gl->shadow_sampler);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, gl->shadow_map);
    set_lighting(gl, gl->program[PROGRAM_SOLID], frame, view_projection, shadow_texture);
    glEnable(GL_CULL_FACE);
    if (frame->wireframe) {
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        glDisable(GL_CULL_FACE);
    }
    draw_pass(gl, frame->list, TS_DRAW_PASS_SOLID);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);

    set_lighting(gl, gl->program[PROGRAM_FLOOR], frame, view_projection, shadow_texture);
    glDisable(GL_CULL_FACE);
    blend_colors();
    show_identity(0);
    draw_pass(gl, frame->list, TS_DRAW_PASS_FLOOR);

    glUseProgram(gl->program[PROGRAM_SOLID]);
    glEnable(GL_CULL_FACE);
    draw_marks(gl, frame->list);
    // See-through shapes come last and leave the depth alone, so that marks inside them stay visible.
    glDepthMask(GL_FALSE);
    show_identity(0);
    // Glass in the very place of something solid is hidden by it, not mixed with it at random.
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.0f, 2.0f);
    draw_pass(gl, frame->list, TS_DRAW_PASS_GLASS);
    glDisable(GL_POLYGON_OFFSET_FILL);
    draw_lines(gl, frame, view_projection);
    glDepthMask(GL_TRUE);
}

static int has_pass(const ts_draw_list* list, ts_draw_pass pass) {
    for (int b = 0; b < list->batches.count; ++b)
        if (list->batches.data[b].pass == pass) return 1;
    return 0;
}

// What is only an outline hides itself but nothing else, and nothing hides it.
static void draw_ghosts(device_gl* gl, const ts_device_frame* frame) {
    static const float nobody[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    mat4 view, projection, view_projection;
    memcpy(view, frame->view, sizeof view);
    memcpy(projection, frame->projection, sizeof projection);
    glm_mat4_mul(projection, view, view_projection);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->frame_ghost);
    glClearBufferfv(GL_COLOR, 0, nobody);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_BLEND);
    glEnable(GL_CULL_FACE);
    glUseProgram(gl->program[PROGRAM_GHOST]);
    glUniformMatrix4fv(uniform(gl->program[PROGRAM_GHOST], "u_view_projection"), 1, GL_FALSE, view_projection[0]);
    draw_pass(gl, frame->list, TS_DRAW_PASS_GHOST);
}

// Averages samples, with outlines.
static void finish(device_gl* gl, const ts_device_frame* frame, int ghosts) {
    const GLuint textures[4] = {gl->color_many, gl->identity_many, gl->identity_ghost, gl->depth_many};
    static const char* const names[4] = {"u_color", "u_identity", "u_ghost", "u_depth"};
    GLuint program = gl->program[PROGRAM_FINISH];
    ts_device_place place = place_of(frame);
    int bottom = place.height - place.top - frame->height;
    glBindFramebuffer(GL_FRAMEBUFFER, gl->frame_one);
    glViewport(place.left, bottom, frame->width, frame->height);
    glUseProgram(program);
    glUniform2i(uniform(program, "u_corner"), place.left, bottom);
    for (int i = 3; i >= 0; --i) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, textures[i]);
        glUniform1i(uniform(program, names[i]), i);
    }
    glUniform1i(uniform(program, "u_samples"), gl->samples);
    // Corners are shaded where pictures count; a parallel camera has no depths of that kind, a page of paper no light of its own.
    int shaded = gl->fine && frame->projection[11] < 0.0f && frame->background == TS_BACKGROUND_SKY;
    glUniform1i(uniform(program, "u_shaded"), shaded && !frame->wireframe);
    glUniform4f(uniform(program, "u_lens"), frame->projection[0], frame->projection[5], frame->projection[10],
                frame->projection[14]);
    glUniform2f(uniform(program, "u_size"), (float)frame->width, (float)frame->height);
    glUniform1f(uniform(program, "u_reach"), frame->corner);
    glUniform1i(uniform(program, "u_line"), frame->height < 1000 ? 1 : (frame->height + 250) / 750);
    glUniform1i(uniform(program, "u_outline"), !frame->wireframe);
    glUniform1i(uniform(program, "u_ghosts"), ghosts);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glBindVertexArray(gl->sky_array);
    ++gl->device.counts.draw_calls;
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static ts_code gl_draw(ts_device* device, const ts_device_frame* frame, ts_status* out_status) {
    device_gl* gl = (device_gl*)device;
    if (frame->width < 1 || frame->height < 1)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a picture of %d x %d pixels", frame->width,
                             frame->height);
    ts_code code = resize_buffers(gl, frame, out_status);
    if (code) return code;
    const ts_draw_list* list = frame->list;
    glBindBuffer(GL_ARRAY_BUFFER, gl->instances);
    fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)list->instances.count * sizeof *list->instances.data, list->instances.data,
                GL_STREAM_DRAW);
    ++gl->device.counts.frames;
    mat4 shadow_clip, shadow_texture;
    shadow_matrices(frame, shadow_clip, shadow_texture);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    draw_shadows(gl, list, shadow_clip);
    draw_world(gl, frame, shadow_texture);

    int ghosts = has_pass(list, TS_DRAW_PASS_GHOST);
    if (ghosts) draw_ghosts(gl, frame);
    finish(gl, frame, ghosts);
    code = draw_overlay(gl, frame, out_status);
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
    for (int i = 0; i < gl->meshes.count; ++i) {
        gl_mesh* m = &gl->meshes.data[i];
        if (!m->array) continue;
        glDeleteVertexArrays(1, &m->array);
        glDeleteBuffers(1, &m->vertices);
        glDeleteBuffers(1, &m->indices);
    }
    gl_meshes_free(&gl->meshes);
    for (int p = 0; p < PROGRAM_COUNT; ++p)
        if (gl->program[p]) glDeleteProgram(gl->program[p]);
    GLuint frames[4] = {gl->frame_many, gl->frame_ghost, gl->frame_one, gl->shadow_frame};
    GLuint buffers[3] = {gl->instances, gl->line_buffer, gl->overlay_buffer};
    GLuint arrays[3] = {gl->sky_array, gl->line_array, gl->overlay_array};
    GLuint textures[7] = {gl->shadow_map,     gl->font,       gl->color_many, gl->identity_many,
                          gl->identity_ghost, gl->depth_many, gl->depth_ghost};
    glDeleteFramebuffers(4, frames);
    glDeleteBuffers(3, buffers);
    glDeleteVertexArrays(3, arrays);
    glDeleteRenderbuffers(1, &gl->color_one);
    glDeleteSamplers(1, &gl->shadow_sampler);
    glDeleteTextures(7, textures);
    free(gl);
}

static const ts_device_ops gl_ops = {"opengl", gl_upload, gl_draw, gl_read, gl_show, gl_destroy};

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

    ts_code code = create_programs(gl, out_status);
    if (!code) code = create_font(gl, out_status);
    if (code) {
        gl_destroy(&gl->device);
        return code;
    }
    glGenFramebuffers(1, &gl->frame_many);
    glGenFramebuffers(1, &gl->frame_one);
    glGenFramebuffers(1, &gl->frame_ghost);
    glGenTextures(1, &gl->color_many);
    glGenTextures(1, &gl->identity_many);
    glGenTextures(1, &gl->identity_ghost);
    glGenTextures(1, &gl->depth_many);
    glGenTextures(1, &gl->depth_ghost);
    glGenRenderbuffers(1, &gl->color_one);
    create_shadow_map(gl);
    create_arrays(gl);
    glEnable(GL_MULTISAMPLE);
    *out_device = &gl->device;
    return ts_status_ok(out_status);
}
