// Problem: what OpenGL holds for the device: programs, textures, buffers, triangles. Rule: names are made once, sizes follow the picture; shapes
// are uploaded once and drawn by instances. Guaranteed: whatever was made is given back, also when making stopped half-way. Known to fail:
// nothing known.
#include "viewer/device_gl_internal.h"

#include "viewer/device_gl_shaders_internal.h"
#include "viewer/font_internal.h"

#include <stddef.h>
#include <stdlib.h>

void ts_gl_fill_buffer(device_gl* gl, GLenum target, size_t bytes, const void* data, GLenum usage) {
    glBufferData(target, (GLsizeiptr)bytes, data, usage);
    ++gl->device.counts.uploads;
    gl->device.counts.bytes += (long long)bytes;
}

// `head` comes before the text; "" where there is none.
static GLuint compile_shader(GLenum type, const char* head, const char* text, ts_status* out_status) {
    const char* const parts[2] = {head, text};
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 2, parts, NULL);
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

// The vertex shader's text, the fragment shader's, and its head.
static GLuint link_program(const char* const text[3], ts_status* out_status) {
    GLuint vertex = compile_shader(GL_VERTEX_SHADER, "", text[0], out_status);
    if (!vertex) return 0;
    GLuint fragment = compile_shader(GL_FRAGMENT_SHADER, text[2] ? text[2] : "", text[1], out_status);
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
    const char* const text[PROGRAM_COUNT][3] = {
        {ts_shader_mesh_vertex, ts_shader_solid_fragment, ts_shader_lit_head},
        {ts_shader_mesh_vertex, ts_shader_floor_fragment, ts_shader_lit_head},
        {ts_shader_mesh_vertex, ts_shader_depth_fragment, NULL},
        {ts_shader_sky_vertex, ts_shader_sky_fragment, NULL},
        {ts_shader_line_vertex, ts_shader_line_fragment, NULL},
        {ts_shader_mesh_vertex, ts_shader_ghost_fragment, NULL},
        {ts_shader_sky_vertex, ts_shader_finish_fragment, NULL},
        {ts_shader_overlay_vertex, ts_shader_overlay_fragment, NULL},
    };
    for (int p = 0; p < PROGRAM_COUNT; ++p) {
        gl->program[p] = link_program(text[p], out_status);
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

ts_code ts_gl_take_font(device_gl* gl, const ts_typeface* typeface, ts_status* out_status) {
    if (gl->has_font && gl->typeface == typeface) return TS_OK;
    ts_typeface* own = NULL;
    if (!typeface) {
        own = malloc(sizeof *own);
        if (!own) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the typeface");
        ts_font_draw(own);
    }
    const ts_typeface* face = own ? own : typeface;
    glBindTexture(GL_TEXTURE_2D, gl->font);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, TS_FONT_FIELD_WIDTH, TS_FONT_FIELD_HEIGHT, 0, GL_RED, GL_UNSIGNED_BYTE,
                 face->field);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->stem = (float)face->stem;
    gl->typeface = typeface;
    gl->has_font = 1;
    free(own);
    return TS_OK;
}

void ts_gl_instance_attribute(GLuint location, GLint size, size_t stride, size_t offset) {
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void*)offset);
    glVertexAttribDivisor(location, 1);
}

static void create_arrays(device_gl* gl) {
    glGenBuffers(1, &gl->instances);
    glGenVertexArrays(1, &gl->sky_array);
    glGenVertexArrays(1, &gl->line_array);
    glGenBuffers(1, &gl->line_buffer);
    glBindVertexArray(gl->line_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->line_buffer);
    ts_gl_instance_attribute(0, 3, sizeof(ts_draw_line), offsetof(ts_draw_line, from));
    ts_gl_instance_attribute(1, 3, sizeof(ts_draw_line), offsetof(ts_draw_line, to));
    ts_gl_instance_attribute(2, 1, sizeof(ts_draw_line), offsetof(ts_draw_line, width));
    ts_gl_instance_attribute(3, 4, sizeof(ts_draw_line), offsetof(ts_draw_line, color));
    glGenVertexArrays(1, &gl->overlay_array);
    glGenBuffers(1, &gl->overlay_buffer);
    glBindVertexArray(gl->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->overlay_buffer);
    ts_gl_instance_attribute(0, 4, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, rectangle));
    ts_gl_instance_attribute(1, 4, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, color));
    ts_gl_instance_attribute(2, 1, sizeof(gl_overlay_quad), offsetof(gl_overlay_quad, character));
    glBindVertexArray(0);
}

ts_code ts_gl_create_buffers(device_gl* gl, ts_status* out_status) {
    ts_code code = create_programs(gl, out_status);
    if (code) return code;
    glGenTextures(1, &gl->font);
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
    return TS_OK;
}

ts_code ts_gl_upload(ts_device* device, int mesh, const ts_geometry_mesh* data, ts_status* out_status) {
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
    ts_gl_fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)data->vertex_count * sizeof *data->vertex, data->vertex,
                      GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(ts_geometry_vertex), (const void*)0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(ts_geometry_vertex),
                          (const void*)offsetof(ts_geometry_vertex, normal));
    glEnableVertexAttribArray(10);
    glVertexAttribPointer(10, 2, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(ts_geometry_vertex),
                          (const void*)offsetof(ts_geometry_vertex, place));
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, m->indices);
    ts_gl_fill_buffer(gl, GL_ELEMENT_ARRAY_BUFFER, (size_t)data->index_count * sizeof *data->index, data->index,
                      GL_STATIC_DRAW);
    glBindVertexArray(0);
    m->index_count = (GLsizei)data->index_count;
    return ts_status_ok(out_status);
}

ts_code ts_gl_paint(ts_device* device, int texture, const ts_texture_picture* picture, ts_status* out_status) {
    device_gl* gl = (device_gl*)device;
    GLenum target = picture->faces > 1 ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
    GLint most = 0, wrap = picture->faces > 1 ? GL_CLAMP_TO_EDGE : GL_REPEAT;
    glGetIntegerv(picture->faces > 1 ? GL_MAX_CUBE_MAP_TEXTURE_SIZE : GL_MAX_TEXTURE_SIZE, &most);
    if (picture->width > most || picture->height > most)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "a texture of %d x %d pixels: this OpenGL has %d at most", picture->width, picture->height,
                             (int)most);
    while (gl->textures.count <= texture) {
        gl_texture empty = {0, 0};
        if (!gl_textures_push(&gl->textures, empty))
            return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the table of textures");
    }
    gl_texture* t = &gl->textures.data[texture];
    // A name that was of one kind cannot become one of the other.
    if (t->name) glDeleteTextures(1, &t->name);
    t->target = target;
    glGenTextures(1, &t->name);
    glBindTexture(target, t->name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    size_t bytes = 3 * (size_t)picture->width * (size_t)picture->height;
    for (int face = 0; face < picture->faces; ++face) {
        GLenum side = picture->faces > 1 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : GL_TEXTURE_2D;
        glTexImage2D(side, 0, GL_RGB8, picture->width, picture->height, 0, GL_RGB, GL_UNSIGNED_BYTE,
                     picture->rgb + (size_t)face * bytes);
        ++gl->device.counts.uploads;
        gl->device.counts.bytes += (long long)bytes;
    }
    glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_R, wrap);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glGenerateMipmap(target);
    glBindTexture(target, 0);
    return ts_status_ok(out_status);
}

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

ts_device_place ts_gl_place(const ts_device_frame* frame) {
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

ts_code ts_gl_resize(device_gl* gl, const ts_device_frame* frame, ts_status* out_status) {
    // What no pane covers is as dark as the panels; a frame that is all of the picture covers everything.
    const float empty[4] = {0.13f, 0.15f, 0.18f, 1.0f};
    ts_device_place place = ts_gl_place(frame);
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

void ts_gl_release(device_gl* gl) {
    for (int i = 0; i < gl->meshes.count; ++i) {
        gl_mesh* m = &gl->meshes.data[i];
        if (!m->array) continue;
        glDeleteVertexArrays(1, &m->array);
        glDeleteBuffers(1, &m->vertices);
        glDeleteBuffers(1, &m->indices);
    }
    gl_meshes_free(&gl->meshes);
    for (int i = 0; i < gl->textures.count; ++i)
        if (gl->textures.data[i].name) glDeleteTextures(1, &gl->textures.data[i].name);
    gl_textures_free(&gl->textures);
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
}
