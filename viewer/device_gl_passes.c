// Problem: what one picture goes through. Rule: shadow map, sky, solid shapes, floors, see-through shapes, marks (first faintly where something
// hides them, then plainly), lines, and beside the colours what body each sample shows; then averaged, with outlines where bodies meet, and
// the overlay put on top. Shapes are instanced: one draw call per mesh, texture and pass. Guaranteed: same frame, same context, same pixels. Known
// to fail: see-through shapes that pierce each other blend in the wrong order.
#include "viewer/device_gl_internal.h"

#include "viewer/font_internal.h"

#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

// Shares of the shadow map's side: the widest edge of a shadow; and how wide an edge is per depth (1: all that the map covers, 2.75 times as
// much as its side) to what makes it: the tangent of half the sun's disk, larger than the real one's, since worlds are small here.
static const float sun_reach = 0.024f, sun_spread = 2.75f * 0.045f;

static void bind_texture(const device_gl* gl, int texture) {
    if (texture < 0 || texture >= gl->textures.count || !gl->textures.data[texture].name) return;
    const gl_texture* t = &gl->textures.data[texture];
    glActiveTexture(GL_TEXTURE0 + (GLenum)(t->target == GL_TEXTURE_2D ? UNIT_FLAT : UNIT_CUBE));
    glBindTexture(t->target, t->name);
    glActiveTexture(GL_TEXTURE0);
}

static void draw_batch(device_gl* gl, const ts_draw_batch* batch) {
    if (batch->mesh < 0 || batch->mesh >= gl->meshes.count || !gl->meshes.data[batch->mesh].array) return;
    bind_texture(gl, batch->texture);
    const gl_mesh* m = &gl->meshes.data[batch->mesh];
    glBindVertexArray(m->array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->instances);
    // OpenGL 3.3 has no first instance: the attributes start where the run does.
    size_t start = (size_t)batch->first * sizeof(ts_draw_instance);
    for (GLuint i = 0; i < sizeof(ts_draw_instance) / 16u; ++i)
        ts_gl_instance_attribute(2 + i, 4, sizeof(ts_draw_instance), start + 16u * (size_t)i);
    ++gl->device.counts.draw_calls;
    glDrawElementsInstanced(GL_TRIANGLES, m->index_count, GL_UNSIGNED_INT, (const void*)0, (GLsizei)batch->count);
}

static void draw_pass(device_gl* gl, const ts_draw_list* list, ts_draw_pass pass) {
    for (int b = 0; b < list->batches.count; ++b)
        if (list->batches.data[b].pass == pass) draw_batch(gl, &list->batches.data[b]);
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
    glUniform1i(uniform(program, "u_shadow_map"), UNIT_SHADOW);
    glUniform1i(uniform(program, "u_flat"), UNIT_FLAT);
    glUniform1i(uniform(program, "u_faces"), UNIT_CUBE);
    glUniform1i(uniform(program, "u_shadow_depth"), UNIT_SHADOW_DEPTH);
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
    glUniform1i(uniform(program, "u_painted"), frame->sky > 0);
    glUniform1i(uniform(program, "u_faces"), UNIT_CUBE);
    bind_texture(gl, frame->sky - 1);
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
    ts_gl_fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)lines->count * sizeof *lines->data, lines->data, GL_STREAM_DRAW);
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
    ts_code code = ts_gl_take_font(gl, overlay->typeface, out_status);
    if (code) return code;
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
    glUniform4f(uniform(program, "u_ink"), gl->stem, (float)ts_font_inside, (float)ts_font_range,
                (float)TS_FONT_CELL_HEIGHT);
    glBindTexture(GL_TEXTURE_2D, gl->font);
    glBindVertexArray(gl->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->overlay_buffer);
    ts_gl_fill_buffer(gl, GL_ARRAY_BUFFER, bytes, quad, GL_STREAM_DRAW);
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

    glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_DEPTH);
    glBindTexture(GL_TEXTURE_2D, gl->shadow_map);
    glBindSampler(UNIT_SHADOW_DEPTH, gl->shadow_sampler);
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
    ts_device_place place = ts_gl_place(frame);
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

ts_code ts_gl_draw_frame(device_gl* gl, const ts_device_frame* frame, ts_status* out_status) {
    const ts_draw_list* list = frame->list;
    glBindBuffer(GL_ARRAY_BUFFER, gl->instances);
    ts_gl_fill_buffer(gl, GL_ARRAY_BUFFER, (size_t)list->instances.count * sizeof *list->instances.data,
                      list->instances.data, GL_STREAM_DRAW);
    mat4 shadow_clip, shadow_texture;
    shadow_matrices(frame, shadow_clip, shadow_texture);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    draw_shadows(gl, list, shadow_clip);
    draw_world(gl, frame, shadow_texture);

    int ghosts = has_pass(list, TS_DRAW_PASS_GHOST);
    if (ghosts) draw_ghosts(gl, frame);
    finish(gl, frame, ghosts);
    return draw_overlay(gl, frame, out_status);
}
