// Problem: pictures in which contacts can be judged: where a body stands, how it turns, what casts which shadow. Rule: one
// sun with soft shadows, light from sky and ground by the normal's slope, a small highlight; colours are sRGB in and out and
// lit in linear light. A shadow's edge is as wide as the sun's disk makes it from where the nearest things in the way are (percentage-closer
// soft shadows, Fernando 2005): sharp where a body stands, wide under one that hangs in the air. Taps lie on a spiral in the receiving plane. When
// speed matters more it is percentage-closer filtering (Reeves, Salesin, Cook 1987) over 2 x 2 bilinear taps;
// grid lines are as wide as a pixel, by screen-space derivatives, and vanish before they could flicker. Known to fail:
// shadows end at the shadow region's border, and light does not bounce.
#include "viewer/device_gl_shaders_internal.h"

// clang-format off
#define GLSL "#version 330 core\n"

// What all lit surfaces share, before their own text; and what lies on them, by how a place of a surface (in its mesh's frame and size)
// becomes one of a texture: see ts_draw_mapping.
const char* const ts_shader_lit_head = GLSL
    "uniform vec3 u_eye;\n"
    "uniform vec3 u_sun;\n"
    "uniform mat4 u_shadow_matrix;\n"
    "uniform float u_shadow_texel;\n"   /* m */
    "uniform sampler2DShadow u_shadow_map;\n"
    "uniform sampler2D u_shadow_depth;\n"  /* the same without comparison */
    "uniform bool u_soft;\n"
    "uniform float u_sun_reach;\n"   /* of the widest edge, as a share of the map's side */
    "uniform float u_sun_spread;\n"  /* of an edge, likewise, per depth between it and what makes it */
    "vec2 spiral(int i, int n) {\n"
    "    float angle = 2.39996 * float(i);\n"
    "    return sqrt((float(i) + 0.5) / float(n)) * vec2(cos(angle), sin(angle));\n"
    "}\n"
    "vec3 to_linear(vec3 c) { return pow(c, vec3(2.2)); }\n"
    "vec3 to_screen(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }\n"
    "float sunlight(vec3 position, vec3 normal) {\n"
    "    vec3 p = position + normal * (1.6 * u_shadow_texel);\n"
    "    vec3 s = (u_shadow_matrix * vec4(p, 1.0)).xyz;\n"
    "    vec2 border = min(s.xy, 1.0 - s.xy);\n"
    "    if (min(border.x, border.y) <= 0.0 || s.z >= 1.0) return 1.0;\n"
    "    vec2 texel = 1.0 / vec2(textureSize(u_shadow_map, 0));\n"
    "    float edge = smoothstep(0.0, 0.05, min(border.x, border.y));\n"
    "    float sum = 0.0;\n"
    "    if (!u_soft) {\n"
    "        for (int i = 0; i < 4; ++i) {\n"
    "            vec2 o = (vec2(float(i & 1), float(i >> 1)) - 0.5) * 1.25 * texel;\n"
    "            sum += texture(u_shadow_map, vec3(s.xy + o, s.z));\n"
    "        }\n"
    "        return mix(1.0, 0.25 * sum, edge);\n"
    "    }\n"
    /* How deep the receiving plane lies beside this place, per step aside. */
    "    vec3 m;\n"
    "    for (int i = 0; i < 3; ++i) {\n"
    "        vec3 row = vec3(u_shadow_matrix[0][i], u_shadow_matrix[1][i], u_shadow_matrix[2][i]);\n"
    "        m[i] = dot(row, normal) / dot(row, row);\n"
    "    }\n"
    "    vec2 lean = abs(m.z) > 1e-3 * length(m) ? clamp(-m.xy / m.z, -4.0, 4.0) : vec2(0.0);\n"
    "    float blockers = 0.0, nearer = 0.0;\n"
    "    for (int i = 0; i < 16; ++i) {\n"
    "        vec2 o = u_sun_reach * spiral(i, 16);\n"
    "        float depth = texture(u_shadow_depth, s.xy + o).r, gap = s.z + dot(lean, o) - depth;\n"
    /* What is nearer than that makes an edge of less than a texel. */
    "        if (gap > 0.002) { blockers += 1.0; nearer += gap; }\n"
    "    }\n"
    "    float wide = blockers > 0.0 ? u_sun_spread * nearer / blockers : 0.0;\n"
    "    wide = clamp(wide, 1.6 * texel.x, u_sun_reach);\n"
    "    for (int i = 0; i < 48; ++i) {\n"
    "        vec2 o = wide * spiral(i, 48);\n"
    "        sum += texture(u_shadow_map, vec3(s.xy + o, s.z + dot(lean, o)));\n"
    "    }\n"
    "    return mix(1.0, sum / 48.0, edge);\n"
    "}\n"
    "vec3 ambient(vec3 normal) {\n"
    "    return mix(vec3(0.19, 0.18, 0.17), vec3(0.42, 0.45, 0.50), 0.5 + 0.5 * normal.z);\n"
    "}\n"
    "const vec3 sun_color = vec3(0.63, 0.60, 0.55);\n"
    "in vec3 v_local;\n"
    "in vec3 v_unit;\n"
    "in vec2 v_place;\n"
    "flat in vec4 v_surface;\n"
    "flat in vec4 v_map;\n"
    "uniform sampler2D u_flat;\n"
    "uniform samplerCube u_faces;\n"
    "vec3 on_box() {\n"
    "    vec3 a = abs(v_unit), q = 0.5 * v_unit;\n"
    "    if (a.z >= max(a.x, a.y)) return texture(u_flat, (0.5 + vec2(q.x, -sign(q.z) * q.y)) * v_map.xz).rgb;\n"
    "    if (a.x >= a.y) return texture(u_flat, (0.5 + vec2(sign(q.x) * q.y, -q.z)) * v_map.yw).rgb;\n"
    "    return texture(u_flat, (0.5 + vec2(-sign(q.y) * q.x, -q.z)) * v_map.xw).rgb;\n"
    "}\n"
    "vec3 around() {\n"
    "    float turn = atan(v_unit.y, v_unit.x) / 6.2831853, down = 0.5 - 0.25 * v_unit.z;\n"
    "    if (v_map.z < 0.5) down = 0.5 - asin(clamp(v_unit.z / length(v_unit), -1.0, 1.0)) / 3.1415927;\n"
    "    else if (v_map.z < 1.5) down = 0.5 - 0.5 * v_unit.z;\n"
    "    vec2 at = vec2(fract(turn), down);\n"
    "    if (v_map.z > 0.5 && v_map.z < 1.5 && abs(v_unit.z) > 0.9999) at = 0.5 + 0.5 * vec2(v_unit.x, -v_unit.y);\n"
    // Where a turn ends and begins again, the step back is none of the picture.
    "    vec2 dx = dFdx(at), dy = dFdy(at);\n"
    "    if (abs(dFdx(turn)) < abs(dx.x)) dx.x = dFdx(turn);\n"
    "    if (abs(dFdy(turn)) < abs(dy.x)) dy.x = dFdy(turn);\n"
    "    return textureGrad(u_flat, at * v_map.xy, dx * v_map.xy, dy * v_map.xy).rgb;\n"
    "}\n"
    "vec3 dye() {\n"
    "    int mapping = int(v_surface.w + 0.5);\n"
    "    if (mapping == 1) return texture(u_flat, vec2(v_map.x * v_local.x + v_map.z, v_map.w - v_map.y * v_local.y)).rgb;\n"
    "    if (mapping == 2) return texture(u_faces, v_map.xyz * v_local).rgb;\n"
    "    if (mapping == 3) return texture(u_faces, v_local - v_map.xyz).rgb;\n"
    "    if (mapping == 4) return on_box();\n"
    "    if (mapping == 5) return around();\n"
    "    if (mapping == 6) return texture(u_flat, v_place * v_map.xy).rgb;\n"
    "    return vec3(1.0);\n"
    "}\n";

const char* const ts_shader_mesh_vertex = GLSL
    "layout(location = 0) in vec4 a_position;\n"  // lift in w
    "layout(location = 1) in vec3 a_normal;\n"
    "layout(location = 2) in vec4 i_row0;\n"
    "layout(location = 3) in vec4 i_row1;\n"
    "layout(location = 4) in vec4 i_row2;\n"
    "layout(location = 5) in vec4 i_scale;\n"
    "layout(location = 6) in vec4 i_color;\n"
    "layout(location = 7) in vec4 i_extra;\n"
    "layout(location = 8) in vec4 i_surface;\n"
    "layout(location = 9) in vec4 i_map;\n"
    "layout(location = 10) in vec2 a_place;\n"
    "uniform mat4 u_view_projection;\n"
    "out vec2 v_place;\n"
    "out vec3 v_position;\n"
    "out vec3 v_normal;\n"
    "out vec3 v_unit;\n"   // before scaling
    "out vec3 v_local;\n"  // after scaling
    "flat out vec4 v_color;\n"
    "flat out vec4 v_extra;\n"
    "flat out vec4 v_surface;\n"
    "flat out vec4 v_map;\n"
    "void main() {\n"
    "    vec4 local = vec4(a_position.xyz * i_scale.xyz + vec3(0.0, 0.0, a_position.w * i_scale.w), 1.0);\n"
    "    vec3 p = vec3(dot(i_row0, local), dot(i_row1, local), dot(i_row2, local));\n"
    "    vec3 n = normalize(a_normal / max(i_scale.xyz, vec3(1e-12)));\n"
    "    v_position = p;\n"
    "    v_normal = vec3(dot(i_row0.xyz, n), dot(i_row1.xyz, n), dot(i_row2.xyz, n));\n"
    "    v_unit = a_position.xyz + vec3(0.0, 0.0, a_position.w);\n"
    "    v_local = local.xyz;\n"
    "    v_color = i_color;\n"
    "    v_extra = i_extra;\n"
    "    v_surface = i_surface;\n"
    "    v_map = i_map;\n"
    "    v_place = a_place;\n"
    "    gl_Position = u_view_projection * vec4(p, 1.0);\n"
    "}\n";

// What tells the surfaces of a picture apart: the body's number in red and green, the normal folded onto an octahedron in blue and
// alpha. Zero is no body; the highest number is a mark, which has no outline and takes none from what it covers.
#define IDENTITY \
    "vec4 identity(int body, vec3 n) {\n" \
    "    vec2 o = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));\n" \
    "    if (n.z < 0.0) o = (1.0 - abs(o.yx)) * vec2(o.x < 0.0 ? -1.0 : 1.0, o.y < 0.0 ? -1.0 : 1.0);\n" \
    "    int id = body > 0 ? 1 + (body - 1) % 65534 : 65535;\n" \
    "    return vec4(float(id & 255) / 255.0, float(id >> 8) / 255.0, 0.5 * o + 0.5);\n" \
    "}\n"

const char* const ts_shader_ghost_fragment = GLSL
    "in vec3 v_normal;\n"
    "flat in vec4 v_extra;\n"
    "out vec4 out_identity;\n"
    IDENTITY
    "void main() { out_identity = identity(max(int(v_extra.x + 0.5) >> 4, 1), normalize(v_normal)); }\n";

const char* const ts_shader_solid_fragment =
    "in vec3 v_position;\n"
    "in vec3 v_normal;\n"
    "flat in vec4 v_color;\n"
    "flat in vec4 v_extra;\n"
    "layout(location = 0) out vec4 out_color;\n"
    "layout(location = 1) out vec4 out_identity;\n"
    "uniform float u_fainter;\n"  // multiplies alpha
    IDENTITY
    "void main() {\n"
    "    int flags = int(v_extra.x + 0.5);\n"
    "    vec3 n = normalize(v_normal);\n"
    "    vec3 to_eye = normalize(u_eye - v_position);\n"
    "    if (dot(n, to_eye) < 0.0 && !gl_FrontFacing) n = -n;\n"
    "    vec3 albedo = to_linear(v_color.rgb * dye());\n"
    "    if ((flags & 2) != 0) {\n"
    "        float octant = v_unit.x * v_unit.y * v_unit.z;\n"
    "        float w = max(fwidth(octant), 1e-5);\n"
    "        albedo *= mix(0.48, 1.0, smoothstep(-w, w, octant));\n"
    "    }\n"
    "    float slope = dot(n, u_sun);\n"
    "    vec3 lit;\n"
    "    if ((flags & 4) != 0) {\n"
    "        lit = albedo * (0.80 + 0.26 * slope);\n"
    "    } else {\n"
    "        float light = slope > 0.0 ? sunlight(v_position, n) : 0.0;\n"
    "        vec3 halfway = normalize(u_sun + to_eye);\n"
    "        float shine = pow(max(dot(n, halfway), 0.0), max(128.0 * v_surface.z, 1.0)) * 0.44 * v_surface.y * light;\n"
    "        float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 4.0) * 0.25;\n"
    "        lit = albedo * (v_surface.x + ambient(n) + rim + sun_color * max(slope, 0.0) * light) + vec3(shine);\n"
    "    }\n"
    "    out_color = vec4(to_screen(lit), v_color.a * u_fainter);\n"
    "    out_identity = identity(flags >> 4, n);\n"
    "}\n";

const char* const ts_shader_floor_fragment =
    "in vec3 v_position;\n"
    "in vec3 v_normal;\n"
    "flat in vec4 v_color;\n"
    "flat in vec4 v_extra;\n"
    "out vec4 out_color;\n"
    "uniform float u_fade;\n"
    "uniform bool u_paper;\n"  // only lines and shadows
    "uniform bool u_dark;\n"
    "float lines(vec2 where, float cell, float half_width) {\n"
    "    vec2 q = where / cell;\n"
    "    vec2 w = max(fwidth(q), vec2(1e-6));\n"
    "    vec2 d = abs(fract(q - 0.5) - 0.5) / w;\n"                          // pixels from the nearest line
    "    vec2 a = 1.0 - smoothstep(half_width - 0.5, half_width + 0.5, d);\n"
    "    a *= 1.0 - smoothstep(0.12, 0.4, w);\n"                             // gone before lines crowd
    "    return max(a.x, a.y);\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = gl_FrontFacing ? normalize(v_normal) : -normalize(v_normal);\n"
    // A white floor would outshine everything on it.
    "    float strength = u_dark ? (v_surface.w > 0.5 ? 0.45 : 0.10) : 0.90;\n"
    "    vec3 albedo = strength * to_linear(v_color.rgb * dye());\n"
    "    float line = 0.0;\n"
    "    if ((int(v_extra.x + 0.5) & 8) == 0) {\n"
    "        vec2 where = v_local.xy + v_extra.yz;\n"
    "        float fine = lines(where, v_extra.w, 0.6);\n"
    "        float coarse = lines(where, 10.0 * v_extra.w, 1.0);\n"
    "        line = max(0.22 * fine, 0.45 * coarse);\n"
    "        albedo *= u_dark ? 1.0 + 3.0 * line : 1.0 - line;\n"
    "    }\n"
    "    float slope = max(dot(n, u_sun), 0.0);\n"
    "    float light = slope > 0.0 ? sunlight(v_position, n) : 0.0;\n"
    "    vec3 lit = albedo * (v_surface.x + ambient(n) + sun_color * slope * light);\n"
    "    float distance = length(u_eye - v_position);\n"
    "    float alpha = v_color.a * (1.0 - smoothstep(0.12 * u_fade, u_fade, distance));\n"
    "    if (!gl_FrontFacing) alpha *= 0.35;\n"
    "    if (u_paper) {\n"
    "        float shade = slope > 0.0 ? 0.30 * (1.0 - light) : 0.0;\n"
    "        line *= 0.8;\n"
    "        float both = shade + line * (1.0 - shade);\n"
    "        out_color = vec4(vec3(0.5 * line * (1.0 - shade) / max(both, 1e-4)), alpha * both);\n"
    "        return;\n"
    "    }\n"
    "    out_color = vec4(to_screen(lit), alpha);\n"
    "}\n";

const char* const ts_shader_depth_fragment = GLSL
    "flat in vec4 v_extra;\n"
    "void main() {\n"
    "    if ((int(v_extra.x + 0.5) & 1) == 0) discard;\n"
    "}\n";

const char* const ts_shader_sky_vertex = GLSL
    "uniform mat4 u_from_clip;\n"
    "out vec3 v_direction;\n"
    "void main() {\n"
    "    vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "    vec4 d = u_from_clip * vec4(p, 1.0, 1.0);\n"
    "    v_direction = d.xyz / d.w;\n"
    "    gl_Position = vec4(p, 1.0, 1.0);\n"
    "}\n";

const char* const ts_shader_sky_fragment = GLSL
    "in vec3 v_direction;\n"
    "out vec4 out_color;\n"
    "uniform bool u_dark;\n"
    "uniform bool u_painted;\n"
    "uniform samplerCube u_faces;\n"
    "void main() {\n"
    // Of a cube y is up.
    "    if (u_painted) {\n"
    "        out_color = vec4(texture(u_faces, vec3(v_direction.x, v_direction.z, -v_direction.y)).rgb, 1.0);\n"
    "        return;\n"
    "    }\n"
    "    float up = normalize(v_direction).z;\n"
    "    vec3 horizon = vec3(0.89, 0.92, 0.95);\n"
    "    vec3 zenith = vec3(0.40, 0.57, 0.78);\n"
    "    vec3 ground = vec3(0.80, 0.82, 0.84);\n"
    "    if (u_dark) {\n"
    "        horizon = vec3(0.21, 0.24, 0.28);\n"
    "        zenith = vec3(0.08, 0.10, 0.14);\n"
    "        ground = vec3(0.15, 0.17, 0.20);\n"
    "    }\n"
    "    vec3 c = up > 0.0 ? mix(horizon, zenith, pow(up, 0.7)) : mix(horizon, ground, pow(-up, 0.4));\n"
    // A dither of half a level (interleaved gradient noise, Jimenez 2014): without it the slow gradient shows bands.
    "    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;\n"
    "    out_color = vec4(c + noise / 255.0, 1.0);\n"
    "}\n";

const char* const ts_shader_line_vertex = GLSL
    "layout(location = 0) in vec3 i_from;\n"
    "layout(location = 1) in vec3 i_to;\n"
    "layout(location = 2) in float i_width;\n"
    "layout(location = 3) in vec4 i_color;\n"
    "uniform mat4 u_view_projection;\n"
    "uniform vec2 u_size;\n"
    "flat out vec4 v_color;\n"
    "void main() {\n"
    "    vec4 a = u_view_projection * vec4(i_from, 1.0);\n"
    "    vec4 b = u_view_projection * vec4(i_to, 1.0);\n"
    // An end behind the eye moves to just in front of it: there is no screen position to build on otherwise.
    "    float near = 1e-4 * max(abs(a.w), abs(b.w));\n"
    "    if (a.w < near && b.w > near) a = mix(b, a, (b.w - near) / (b.w - a.w));\n"
    "    if (b.w < near && a.w > near) b = mix(a, b, (a.w - near) / (a.w - b.w));\n"
    "    vec2 along = (b.xy / b.w - a.xy / a.w) * u_size;\n"
    "    float n = length(along);\n"
    "    along = n > 0.0 ? along / n : vec2(1.0, 0.0);\n"
    "    vec2 side = vec2(-along.y, along.x) * i_width / u_size;\n"
    "    vec4 p = (gl_VertexID & 1) == 0 ? a : b;\n"
    "    p.xy += side * ((gl_VertexID & 2) == 0 ? -1.0 : 1.0) * p.w;\n"
    "    v_color = i_color;\n"
    "    gl_Position = p;\n"
    "}\n";

const char* const ts_shader_line_fragment = GLSL
    "flat in vec4 v_color;\n"
    "layout(location = 0) out vec4 out_color;\n"
    "layout(location = 1) out vec4 out_identity;\n"
    "uniform float u_fainter;\n"
    "void main() {\n"
    "    out_color = vec4(v_color.rgb, v_color.a * u_fainter);\n"
    "    out_identity = vec4(1.0);\n"
    "}\n";

// A sample is on an outline where the one a line's width away belongs to another body, or to a face of the same that turns by
// more than 35 degrees; lines lie inside of the body that has them. With `once` two bodies share one line.
const char* const ts_shader_finish_fragment = GLSL
    "out vec4 out_color;\n"
    "uniform sampler2DMS u_color;\n"
    "uniform sampler2DMS u_identity;\n"
    "uniform sampler2DMS u_ghost;\n"
    "uniform ivec2 u_corner;\n"  // of the pane in the picture, pixels
    "uniform int u_samples;\n"
    "uniform int u_line;\n"    // pixels
    "uniform bool u_outline;\n"
    "uniform bool u_ghosts;\n"
    "uniform bool u_shaded;\n"
    "uniform sampler2DMS u_depth;\n"
    "uniform vec4 u_lens;\n"  // of the projection: x, y, and the two numbers of the depth
    "uniform vec2 u_size;\n"  // pixels
    "uniform float u_reach;\n"
    "int number(vec4 identity) { return int(identity.r * 255.0 + 0.5) + 256 * int(identity.g * 255.0 + 0.5); }\n"
    "vec3 normal(vec4 identity) {\n"
    "    vec2 o = 2.0 * identity.ba - 1.0;\n"
    "    vec3 n = vec3(o, 1.0 - abs(o.x) - abs(o.y));\n"
    "    if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);\n"
    "    return normalize(n);\n"
    "}\n"
    // Where a pixel of the pane is, from the eye.
    "vec3 place(ivec2 pixel) {\n"
    "    float z = 2.0 * texelFetch(u_depth, pixel, 0).r - 1.0;\n"
    "    float deep = u_lens.w / (z + u_lens.z);\n"
    "    return vec3((2.0 * (vec2(pixel) + 0.5) / u_size - 1.0) / u_lens.xy * deep, -deep);\n"
    "}\n"
    // The nearer neighbour on either side is on the same surface.
    "vec3 slope(ivec2 pixel, ivec2 step, vec3 here) {\n"
    "    ivec2 last = ivec2(u_size) - 1;\n"
    "    vec3 a = place(clamp(pixel + step, ivec2(0), last)) - here, b = here - place(clamp(pixel - step, ivec2(0), last));\n"
    "    return abs(a.z) < abs(b.z) || dot(b, b) == 0.0 ? a : b;\n"
    "}\n"
    // What share of the sky's light is kept from a place by what stands within reach of it (McGuire et al. 2011): points on a spiral.
    "float kept(ivec2 pixel) {\n"
    "    if (texelFetch(u_depth, pixel, 0).r >= 1.0) return 0.0;\n"
    "    vec3 here = place(pixel);\n"
    "    vec3 n = normalize(cross(slope(pixel, ivec2(1, 0), here), slope(pixel, ivec2(0, 1), here)));\n"
    "    if (n.z < 0.0) n = -n;\n"
    "    float wide = min(0.5 * u_reach * u_lens.y * u_size.y / -here.z, 0.12 * u_size.y);\n"
    "    float turn = 6.2832 * fract(52.9829189 * fract(dot(vec2(pixel), vec2(0.06711056, 0.00583715))));\n"
    "    float sum = 0.0;\n"
    "    for (int k = 0; k < 20; ++k) {\n"
    "        float along = (float(k) + 0.5) / 20.0, angle = turn + 2.39996 * float(k);\n"
    "        ivec2 at = pixel + ivec2(wide * along * vec2(cos(angle), sin(angle)));\n"
    "        if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, ivec2(u_size)))) continue;\n"
    "        vec3 v = place(at) - here;\n"
    "        float near = max(1.0 - dot(v, v) / (u_reach * u_reach), 0.0);\n"
    "        sum += near * max(dot(v, n) - 0.02 * u_reach, 0.0) / (length(v) + 0.02 * u_reach);\n"
    "    }\n"
    "    return min(1.7 * sum / 20.0, 0.75);\n"
    "}\n"
    "float outline(sampler2DMS identities, vec4 mine, ivec2 pixel, int s, int width, float crease, bool once) {\n"
    "    int me = number(mine);\n"
    "    if (me == 0 || me == 65535) return 0.0;\n"
    "    ivec2 last = textureSize(identities) - 1;\n"
    "    float edge = 0.0;\n"
    "    for (int k = 0; k < 4; ++k) {\n"
    "        ivec2 step = (k < 2 ? 1 : -1) * ivec2((k & 1) == 0 ? width : 0, (k & 1) == 0 ? 0 : width);\n"
    "        vec4 other = texelFetch(identities, clamp(pixel + step, ivec2(0), last), s);\n"
    "        int it = number(other);\n"
    "        if (it == 65535) continue;\n"
    "        if (it != me && !(once && it != 0 && k >= 2)) edge = 1.0;\n"
    "        else if (k < 2 && dot(normal(mine), normal(other)) < 0.82) edge = max(edge, crease);\n"
    "    }\n"
    "    return edge;\n"
    "}\n"
    "void main() {\n"
    "    ivec2 pixel = ivec2(gl_FragCoord.xy) - u_corner;\n"
    "    vec4 sum = vec4(0.0);\n"
    "    float dark = u_shaded ? kept(pixel) : 0.0;\n"
    "    for (int s = 0; s < u_samples; ++s) {\n"
    "        vec4 color = texelFetch(u_color, pixel, s);\n"
    "        vec4 mine = texelFetch(u_identity, pixel, s);\n"
    "        if (number(mine) != 65535) color.rgb *= 1.0 - dark;\n"
    "        if (u_outline) color.rgb *= 1.0 - 0.55 * outline(u_identity, mine, pixel, s, u_line, 0.6, false);\n"
    // A ghost's outline is bright on bodies and grey beside them, so that it shows on any page.
    "        if (u_ghosts) {\n"
    "            float line = outline(u_ghost, texelFetch(u_ghost, pixel, s), pixel, s, 2 * u_line, 0.7, true);\n"
    "            int under = number(mine);\n"
    "            vec3 shade = under == 0 ? vec3(0.45) : vec3(0.97);\n"
    "            if (under != 65535) color = mix(color, vec4(shade, 1.0), 0.9 * line);\n"
    "        }\n"
    "        sum += color;\n"
    "    }\n"
    "    out_color = sum / float(u_samples);\n"
    "}\n";

const char* const ts_shader_overlay_vertex = GLSL
    "layout(location = 0) in vec4 i_rectangle;\n"
    "layout(location = 1) in vec4 i_color;\n"
    "layout(location = 2) in float i_character;\n"
    "uniform vec2 u_size;\n"
    "out vec2 v_where;\n"
    "flat out vec4 v_color;\n"
    "flat out int v_character;\n"
    "flat out vec2 v_pixels;\n"
    "void main() {\n"
    "    vec2 corner = vec2(float(gl_VertexID & 1), float((gl_VertexID >> 1) & 1));\n"
    "    vec2 pixel = i_rectangle.xy + corner * i_rectangle.zw;\n"
    "    v_where = corner;\n"
    "    v_pixels = i_rectangle.zw;\n"
    "    v_color = i_color;\n"
    "    v_character = int(i_character + 0.5);\n"
    "    gl_Position = vec4(2.0 * pixel.x / u_size.x - 1.0, 1.0 - 2.0 * pixel.y / u_size.y, 0.0, 1.0);\n"
    "}\n";

const char* const ts_shader_overlay_fragment = GLSL
    "in vec2 v_where;\n"
    "flat in vec4 v_color;\n"
    "flat in int v_character;\n"
    "flat in vec2 v_pixels;\n"
    "out vec4 out_color;\n"
    "uniform sampler2D u_font;\n"
    "uniform ivec4 u_cell;\n"  // width and height in texels, cells per row, first character
    "uniform vec4 u_ink;\n"    // units: thickness of strokes, how deep the field's 0 is, its range, height of a cell
    "void main() {\n"
    "    float ink = 1.0;\n"
    "    if (v_character != 0) {\n"
    "        int place = v_character - u_cell.w;\n"
    "        vec2 corner = vec2(float(place % u_cell.z), float(place / u_cell.z)) * vec2(u_cell.xy);\n"
    "        float unit = v_pixels.y / u_ink.w;\n"                                  // pixels
    "        vec2 inside = v_where * v_pixels / unit * (float(u_cell.y) / u_ink.w);\n"  // texels
    "        vec2 at = (corner + inside) / vec2(textureSize(u_font, 0));\n"
    "        float edge = (texture(u_font, at).r * u_ink.z - u_ink.y) * unit;\n"        // pixels to the ink
    "        float bolder = 0.5 * max(1.1 - u_ink.x * unit, 0.0);\n"  // strokes are not thinner than a pixel
    "        ink = clamp(bolder - edge + 0.5, 0.0, 1.0);\n"
    "    }\n"
    "    out_color = vec4(v_color.rgb, v_color.a * ink);\n"
    "}\n";
// clang-format on
