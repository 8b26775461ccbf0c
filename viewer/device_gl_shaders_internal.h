// The shader programs of device_gl.c, as text.
#ifndef TS_VIEWER_DEVICE_GL_SHADERS_INTERNAL_H
#define TS_VIEWER_DEVICE_GL_SHADERS_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Places an instance of a mesh; for solid shapes, floors and marks.
extern const char* const ts_shader_mesh_vertex;
/// What stands before both of the following.
extern const char* const ts_shader_lit_head;
/// Lit surfaces.
extern const char* const ts_shader_solid_fragment;
/// Endless planes with a grid.
extern const char* const ts_shader_floor_fragment;
/// Nothing but depth.
extern const char* const ts_shader_depth_fragment;
/// A triangle that covers the picture.
extern const char* const ts_shader_sky_vertex;
/// The background.
extern const char* const ts_shader_sky_fragment;
/// Lines of constant width on the screen.
extern const char* const ts_shader_line_vertex;
/// One colour.
extern const char* const ts_shader_line_fragment;
/// What separates bodies, without their colours.
extern const char* const ts_shader_ghost_fragment;
/// Averages the samples of a pixel and draws outlines.
extern const char* const ts_shader_finish_fragment;
/// Rectangles in pixels.
extern const char* const ts_shader_overlay_vertex;
/// Filled, or a character.
extern const char* const ts_shader_overlay_fragment;

#ifdef __cplusplus
}
#endif
#endif
