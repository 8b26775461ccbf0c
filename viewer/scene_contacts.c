// Problem: judge contacts by eye, one and a thousand. Rule: a disk in the tangent plane in the colour of the verdict, an arrow for the force, and on
// request the cone around it, its internal part, the gap with both witness points, the patch of a pair, and the share of the exact law that is
// unmet as a colour (heat). Sizes derive from the scene. In a crowd arrows fade by how little they carry, unless they break the law. Guaranteed:
// reads the simulation only. Known to fail: gaps of micrometres are dots of one place; the card says what they are.
#include "viewer/scene_contacts_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/judge/internal_force.h"
#include "scenes/scene_look.h"
#include "viewer/scene_marks_internal.h"

// Contacts from which weak ones fade.
enum { CROWD = 40 };
// Powers of ten of what is unmet, from one end of the colours to the other.
static const double heat_low = -12.0, heat_high = 0.0;

static const float internal_color[4] = {0.55f, 0.25f, 0.75f, 1.0f};
static const float gap_color[2][4] = {{0.00f, 0.45f, 0.70f, 1.0f}, {0.90f, 0.62f, 0.00f, 1.0f}};

// --- judging ---------------------------------------------------------------------------------------------------------

static void judge_internal(const ts_sim* sim, ts_contact_facts* facts, ts_arena* arena) {
    int rows = sim->problem.row_count;
    ts_vec3* internal = TS_ARENA_ARRAY(arena, ts_vec3, sim->contact_count);
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* part = rows > 0 && rows <= TS_INTERNAL_FORCE_ROWS_MAX ? TS_ARENA_ARRAY(arena, double, rows) : NULL;
    double length = part && internal ? ts_internal_force(&sim->problem, sim->impulse, arena, part) : (double)NAN;
    for (int c = 0; part && internal && c < sim->contact_count && isfinite(length); ++c) {
        if (ts_sim_contact(sim, c).block < 0) {
            internal[c] = ts_vec3_zero();  // of sleepers nothing was solved
            continue;
        }
        const ts_block* block = &sim->problem.block[ts_sim_contact(sim, c).block];
        // Rows of a cone are two tangents and the normal; without friction there is only the latter.
        internal[c] = block->rows >= 3 ? ts_vec3_load(part + block->row) : ts_vec3_make(0.0, 0.0, part[block->row]);
    }
    ts_arena_scope_end(arena, scope);
    if (isfinite(length)) facts->internal = internal;
}

// As it was when its bodies fell asleep.
static void judge_sleeper(const ts_sim* sim, int c, ts_contact_mode* out_mode, double* out_exact) {
    const ts_contact_verdict* verdict = ts_certify_contact(sim, NULL, c);
    if (!verdict) return;
    *out_mode = verdict->mode;
    *out_exact = verdict->unmet[TS_LAW_NCP];
}

ts_contact_facts ts_scene_contacts_judge(const ts_sim* sim, unsigned show, ts_arena* arena) {
    ts_contact_facts facts = {NULL, NULL, NULL, NULL};
    ts_contact_certificate certificate;
    int count = sim->contact_count;
    if (!count) return facts;
    ts_contact_mode* mode = TS_ARENA_ARRAY(arena, ts_contact_mode, count);
    double* exact = TS_ARENA_ARRAY(arena, double, count);
    double* own = TS_ARENA_ARRAY(arena, double, count);
    if (!mode || !exact || !own) return facts;
    for (int c = 0; c < count; ++c) {
        mode[c] = sim->contact_mode ? sim->contact_mode[c] : TS_MODE_OPEN;
        exact[c] = own[c] = (double)NAN;
        if (ts_sim_contact(sim, c).asleep && !sim->contact_mode) judge_sleeper(sim, c, &mode[c], &exact[c]);
    }
    facts.mode = mode;
    if (sim->contact_mode || sim->step_count == 0 || !ts_sim_problem(sim) || !sim->problem.block_count) return facts;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    ts_code code = ts_certify_step(sim, TS_CERTIFICATE_FAST, arena, &certificate);
    const ts_own_verdict* verdict = code ? NULL : ts_certify_own(sim, arena);
    for (int c = 0; c < count && !code; ++c) {
        int b = ts_sim_contact(sim, c).block;
        if (b < 0 || b >= certificate.block_count) continue;
        mode[c] = certificate.verdict[b].mode;
        exact[c] = certificate.verdict[b].unmet[TS_LAW_NCP];
        own[c] = verdict ? verdict[b].unmet : (double)NAN;
    }
    ts_arena_scope_end(arena, scope);
    if (code) return facts;
    facts.exact = exact;
    facts.own = own;
    if (show & TS_SHOW_INTERNAL) judge_internal(sim, &facts, arena);
    return facts;
}

// --- colours ---------------------------------------------------------------------------------------------------------

// Dark blue to yellow over green, which those who see fewer colours can tell apart, too.
static void heat_color(double share, float out[4]) {
    static const float stop[5][3] = {{0.27f, 0.00f, 0.33f},
                                     {0.23f, 0.32f, 0.55f},
                                     {0.13f, 0.57f, 0.55f},
                                     {0.37f, 0.79f, 0.38f},
                                     {0.99f, 0.91f, 0.14f}};
    double at = share > 0.0 ? (log10(share) - heat_low) / (heat_high - heat_low) : 0.0;
    at = 4.0 * fmin(1.0, fmax(0.0, isnan(at) ? 1.0 : at));
    int k = at >= 4.0 ? 3 : (int)at;
    float t = (float)(at - (double)k);
    for (int i = 0; i < 3; ++i) out[i] = stop[k][i] + t * (stop[k + 1][i] - stop[k][i]);
    out[3] = 1.0f;
}

static void color_of(const ts_scene_style* style, const ts_contact_facts* facts, int c, float out[4]) {
    if (style->show & TS_SHOW_HEAT && facts->exact)
        heat_color(facts->exact[c], out);
    else
        memcpy(out, ts_scene_look_mode_color(facts->mode[c]), 4 * sizeof *out);
}

int ts_scene_contacts_passes(const ts_contact_filter* filter, const ts_sim* sim, const ts_contact_facts* facts, int c) {
    const ts_contact contact = ts_sim_contact(sim, c);
    if (!filter) return 1;
    if (filter->pinned && contact.key == filter->pinned) return 1;
    if (filter->body > 0 && contact.body_a != filter->body && contact.body_b != filter->body) return 0;
    return !filter->hidden_modes || !(filter->hidden_modes & 1u << facts->mode[c]);
}

// --- drawing ---------------------------------------------------------------------------------------------------------

static ts_vec3 shown_length(const ts_scene_sizes* sizes, ts_vec3 force) {
    ts_vec3 arrow = ts_vec3_scale(sizes->metres_per_newton, force);
    double length = ts_vec3_norm(arrow);
    return length > sizes->longest_arrow ? ts_vec3_scale(sizes->longest_arrow / length, arrow) : arrow;
}

static void add_ball(ts_vec3 at, double size, const float color[4], int source, ts_draw_list* list) {
    ts_transform placed = {ts_mat3_identity(), at};
    ts_draw_item* item =
        ts_draw_list_add(list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(size, size, size), 0.0, color);
    if (!item) return;
    item->pass = TS_DRAW_PASS_MARK;
    item->flags = TS_DRAW_GLOW;
    item->source = source;
}

static void draw_disk(const ts_contact* contact, double size, const float color[4], int c, ts_draw_list* list) {
    ts_transform placed = {contact->frame, contact->position};
    ts_draw_item* item =
        ts_draw_list_add(list, TS_DRAW_MESH_CYLINDER, &placed, ts_vec3_make(size, size, 0.22 * size), 0.0, color);
    if (!item) return;
    item->pass = TS_DRAW_PASS_MARK;
    item->flags = TS_DRAW_GLOW;
    item->source = c;
}

// `newtons` below zero: the cone of the force on the first body.
static void draw_cone(const ts_contact* contact, double newtons, const ts_scene_sizes* sizes, const float color[4],
                      int c, ts_draw_list* list) {
    // The cone mesh has its tip up: turned about a tangent it stands on its tip at the contact point.
    double height = fmin(sizes->metres_per_newton * fabs(newtons), 2.0 * sizes->radius);
    double width = contact->surface.friction * height;
    ts_vec3 t1 = ts_mat3_column(&contact->frame, 0), t2 = ts_mat3_column(&contact->frame, 1);
    ts_vec3 n = ts_mat3_column(&contact->frame, 2);
    if (newtons < 0.0) {
        t2 = ts_vec3_neg(t2);
        n = ts_vec3_neg(n);
    }
    ts_transform placed = {ts_mat3_from_columns(t1, ts_vec3_neg(t2), ts_vec3_neg(n)),
                           ts_vec3_add_scaled(contact->position, height, n)};
    float glass[4] = {color[0], color[1], color[2], 0.30f};
    ts_draw_item* item =
        ts_draw_list_add(list, TS_DRAW_MESH_CONE, &placed, ts_vec3_make(width, width, height), 0.0, glass);
    if (item) item->source = c;
}

// Where the surfaces are nearest: that of A blue, that of B orange, and the normal through both.
static void draw_gap(const ts_contact* contact, double body_radius, int c, ts_draw_list* list) {
    static const float normal_color[4] = {0.25f, 0.28f, 0.33f, 1.0f};
    ts_vec3 n = ts_mat3_column(&contact->frame, 2);
    double reach = 0.35 * body_radius + fabs(contact->gap);
    ts_draw_list_add_line(list, ts_vec3_add_scaled(contact->position, -reach, n),
                          ts_vec3_add_scaled(contact->position, reach, n), 2.0, normal_color);
    for (int k = 0; k < 2; ++k)
        add_ball(ts_vec3_add_scaled(contact->position, (k ? 0.5 : -0.5) * contact->gap, n), 0.05 * body_radius,
                 gap_color[k], c, list);
}

// 1: how much of its colour an arrow keeps among `count` contacts of which the strongest pushes with `most` newtons.
static float weight_of(const ts_contact_facts* facts, int c, int count, double newtons, double most) {
    if (count <= CROWD || !(most > 0.0) || facts->mode[c] == TS_MODE_VIOLATED) return 1.0f;
    double share = sqrt(fmin(newtons / most, 1.0));
    return (float)fmin(1.0, 0.12 + 1.3 * share);
}

static void draw_contact(const ts_sim* sim, const ts_contact_facts* facts, const ts_scene_style* style, int c,
                         double most, ts_draw_list* list) {
    const ts_scene_sizes* sizes = style->sizes;
    const ts_contact contact = ts_sim_contact(sim, c);
    unsigned show = style->show;
    if (!ts_vec3_is_finite(contact.position)) return;
    double h = sim->options.time_step, per_step = h > 0.0 ? 1.0 / h : 0.0, size = 0.07 * sizes->body_radius;
    per_step *= ts_scene_look_side(sim->model, contact.body_a, contact.body_b);
    ts_vec3 force = ts_mat3_mul_vec(&contact.frame, ts_vec3_scale(per_step, contact.impulse));
    float color[4];
    color_of(style, facts, c, color);
    int pinned = style->filter && style->filter->pinned && style->filter->pinned == contact.key;
    if (show & TS_SHOW_CONTACTS || pinned) draw_disk(&contact, pinned ? 1.6 * size : size, color, c, list);
    if (show & TS_SHOW_GAPS) draw_gap(&contact, sizes->body_radius, c, list);
    color[3] = weight_of(facts, c, sim->contact_count, ts_vec3_norm(force), most);
    if (show & TS_SHOW_SPLIT) ts_scene_marks_split(&contact, force, sizes, list);
    if (show & TS_SHOW_FORCES && !(show & TS_SHOW_SPLIT))
        ts_draw_list_add_arrow(list, contact.position, shown_length(sizes, force), 0.26 * size, color, c);
    if (show & TS_SHOW_INTERNAL && facts->internal) {
        ts_vec3 part = ts_mat3_mul_vec(&contact.frame, ts_vec3_scale(per_step, facts->internal[c]));
        ts_draw_list_add_arrow(list, contact.position, shown_length(sizes, part), 0.20 * size, internal_color, c);
    }
    if (show & TS_SHOW_CONES && contact.impulse.z > 0.0 && contact.surface.friction > 0.0 && h > 0.0)
        draw_cone(&contact, contact.impulse.z * per_step, sizes, color, c, list);
}

// --- patches ---------------------------------------------------------------------------------------------------------

// Most corners that a patch is drawn with.
enum { CORNERS = 32 };

static double turn(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The hull of points in the plane, counter-clockwise: each corner is followed by the point that all others lie left of.
static int hull_of(double point[][2], int count, int out_corner[CORNERS]) {
    int start = 0, n = 0;
    for (int i = 1; i < count; ++i)
        if (point[i][0] < point[start][0] || (point[i][0] == point[start][0] && point[i][1] < point[start][1]))
            start = i;
    int at = start;
    do {
        out_corner[n++] = at;
        int next = at == 0 ? 1 : 0;
        for (int i = 0; i < count; ++i) {
            double side = turn(point[at], point[next], point[i]);
            double far = hypot(point[i][0] - point[at][0], point[i][1] - point[at][1]);
            double near = hypot(point[next][0] - point[at][0], point[next][1] - point[at][1]);
            if (i != at && (side < 0.0 || (side == 0.0 && far > near))) next = i;
        }
        at = next;
    } while (at != start && n < CORNERS && n < count);
    return n;
}

// The hull of the contacts of two bodies, first to last, in the tangent plane of the first; and where their force goes through it.
static void draw_patch(const ts_sim* sim, int first, int last, double body_radius, ts_draw_list* list) {
    static const float edge[4] = {0.10f, 0.35f, 0.60f, 1.0f}, middle[4] = {0.95f, 0.85f, 0.20f, 1.0f};
    double point[CORNERS][2], pressed = 0.0;
    int corner[CORNERS], count = last - first < CORNERS ? last - first : CORNERS;
    const ts_contact base = ts_sim_contact(sim, first);
    ts_vec3 centre = ts_vec3_zero();
    if (count < 2) return;
    for (int i = 0; i < count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, first + i);
        ts_vec3 local = ts_mat3_mul_vec_transposed(&base.frame, ts_vec3_sub(contact.position, base.position));
        if (!ts_vec3_is_finite(local)) return;
        point[i][0] = local.x;
        point[i][1] = local.y;
        pressed += contact.impulse.z;
        centre = ts_vec3_add_scaled(centre, contact.impulse.z, contact.position);
    }
    int corners = hull_of(point, count, corner);
    for (int i = 0; i < corners; ++i)
        ts_draw_list_add_line(list, ts_sim_contact(sim, first + corner[i]).position,
                              ts_sim_contact(sim, first + corner[(i + 1) % corners]).position, 3.0, edge);
    if (pressed > 0.0) add_ball(ts_vec3_scale(1.0 / pressed, centre), 0.06 * body_radius, middle, -1, list);
}

void ts_scene_contacts_draw(const ts_sim* sim, const ts_contact_facts* facts, const ts_scene_style* style,
                            ts_draw_list* list) {
    double most = 0.0, h = sim->options.time_step;
    if (!facts || !facts->mode) return;
    for (int c = 0; c < sim->contact_count && h > 0.0; ++c)
        most = fmax(most, ts_vec3_norm(ts_sim_contact(sim, c).impulse) / h);
    for (int c = 0; c < sim->contact_count; ++c)
        if (ts_scene_contacts_passes(style->filter, sim, facts, c)) draw_contact(sim, facts, style, c, most, list);
    for (int first = 0, last; style->show & TS_SHOW_PATCHES && first < sim->contact_count; first = last) {
        for (last = first + 1; last < sim->contact_count &&
                               ts_sim_contact(sim, last).body_a == ts_sim_contact(sim, first).body_a &&
                               ts_sim_contact(sim, last).body_b == ts_sim_contact(sim, first).body_b;)
            ++last;
        if (ts_scene_contacts_passes(style->filter, sim, facts, first))
            draw_patch(sim, first, last, style->sizes->body_radius, list);
    }
}

// --- asking ----------------------------------------------------------------------------------------------------------

int ts_scene_contacts_at(const ts_sim* sim, const ts_contact_facts* facts, const ts_contact_filter* filter,
                         const ts_camera* camera, const int size[2], const double pixel[2], double reach) {
    int found = -1;
    for (int c = 0; facts->mode && c < sim->contact_count; ++c) {
        double at[2];
        if (!ts_scene_contacts_passes(filter, sim, facts, c)) continue;
        if (!ts_camera_project(camera, size[0], size[1], ts_sim_contact(sim, c).position, at)) continue;
        double away = hypot(at[0] - pixel[0], at[1] - pixel[1]);
        if (!(away < reach)) continue;
        reach = away;
        found = c;
    }
    return found;
}

int ts_scene_contacts_worst(const ts_sim* sim, const ts_contact_facts* facts) {
    int worst = -1;
    for (int c = 0; facts->exact && c < sim->contact_count; ++c)
        if (worst < 0 || facts->exact[c] > facts->exact[worst]) worst = c;
    return worst;
}

static void name_body(const ts_model* model, int body, char* out, size_t size) {
    const char* name = model->body[body].name;
    if (body == 0)
        snprintf(out, size, "world");
    else if (name[0])
        snprintf(out, size, "%.20s", name);
    else
        snprintf(out, size, "body %d", body);
}

enum { CARD_LINES = 8, CARD_TEXT = 96 };

static int card_text(const ts_sim* sim, const ts_contact_facts* facts, int c, char text[CARD_LINES][CARD_TEXT]) {
    const ts_contact k = ts_sim_contact(sim, c);
    char a[32], b[32];
    int n = 0;
    double h = sim->options.time_step, per_step = h > 0.0 ? 1.0 / h : 0.0;
    name_body(sim->model, k.body_a, a, sizeof a);
    name_body(sim->model, k.body_b, b, sizeof b);
    snprintf(text[n++], CARD_TEXT, "contact %d: %s - %s", c, a, b);
    snprintf(text[n++], CARD_TEXT, "%s, id %llx%s", ts_contact_mode_name(facts->mode[c]), (unsigned long long)k.key,
             k.persistent ? "" : ", new");
    double friction = hypot(k.impulse.x, k.impulse.y);
    snprintf(text[n++], CARD_TEXT, "normal %.4g N, friction %.4g N", per_step * k.impulse.z, per_step * friction);
    snprintf(text[n++], CARD_TEXT, "mu %.3g, of which used %.0f%%", k.surface.friction,
             k.surface.friction * k.impulse.z > 0.0 ? 100.0 * friction / (k.surface.friction * k.impulse.z) : 0.0);
    snprintf(text[n++], CARD_TEXT, "slip %.3g m/s, parting %.3g m/s", hypot(k.velocity.x, k.velocity.y), k.velocity.z);
    snprintf(text[n++], CARD_TEXT, "gap %.3g m", k.gap);
    if (facts->exact) snprintf(text[n++], CARD_TEXT, "unmet: own law %.1e, exact %.1e", facts->own[c], facts->exact[c]);
    if (sim->solver)
        snprintf(text[n++], CARD_TEXT, "%s (%s), %d iteration%s", sim->solver->name,
                 ts_contact_law_name(sim->solver->law), sim->info.solve.iterations,
                 sim->info.solve.iterations == 1 ? "" : "s");
    return n;
}

void ts_scene_contacts_card(const ts_sim* sim, const ts_contact_facts* facts, int c, const int size[2],
                            const double at[2], ts_overlay* overlay) {
    static const float back[4] = {0.07f, 0.09f, 0.12f, 0.88f}, title[4] = {1.0f, 1.0f, 1.0f, 1.0f},
                       plain[4] = {0.84f, 0.87f, 0.91f, 1.0f};
    char text[CARD_LINES][CARD_TEXT];
    int n = card_text(sim, facts, c, text);
    double s = overlay->unit, line = ts_overlay_line_height(overlay), width = 0.0;
    for (int i = 0; i < n; ++i) width = fmax(width, ts_overlay_text_width(overlay, text[i]));
    width += 14.0 * s;
    double height = (double)n * line + 6.0 * s;
    double x = fmax(0.0, fmin(at[0] + 10.0 * s, (double)size[0] - width - 2.0 * s));
    // Above the contact, where it hides less of what the force does, unless there is no room.
    double y = at[1] > height + 12.0 * s ? at[1] - height - 10.0 * s : at[1] + 10.0 * s;
    ts_overlay_add_rectangle(overlay, x, y, width, height, back);
    ts_overlay_add_rectangle(overlay, x, y, 3.0 * s, height, ts_scene_look_mode_color(facts->mode[c]));
    for (int i = 0; i < n; ++i)
        ts_overlay_add_text(overlay, x + 8.0 * s, y + 3.0 * s + (double)i * line, text[i], i ? plain : title);
}

// The largest of 1, 2 and 5 times a power of ten that is no larger.
static double round_down(double value) {
    double power = pow(10.0, floor(log10(value)));
    double digit = value / power;
    return power * (digit >= 5.0 ? 5.0 : (digit >= 2.0 ? 2.0 : 1.0));
}

void ts_scene_contacts_scale(const ts_scene_sizes* sizes, const ts_camera* camera, unsigned show, const int size[2],
                             ts_overlay* overlay) {
    static const float back[4] = {0.07f, 0.09f, 0.12f, 0.66f}, ink[4] = {0.92f, 0.94f, 0.96f, 1.0f};
    double s = overlay->unit, line = ts_overlay_line_height(overlay), longest = 0.16 * (double)size[0];
    double pixels_per_metre = 0.5 * (double)size[1] / (camera->distance * tan(0.5 * camera->field_of_view));
    double pixels_per_newton = pixels_per_metre * sizes->metres_per_newton;
    double right = (double)size[0] - 8.0 * s, y = (double)size[1] - 3.0 * line;
    char text[48];
    if (show & (TS_SHOW_FORCES | TS_SHOW_SPLIT) && pixels_per_newton > 0.0 && isfinite(pixels_per_newton)) {
        double newtons = round_down(longest / pixels_per_newton), bar = newtons * pixels_per_newton;
        snprintf(text, sizeof text, newtons >= 1e4 || newtons < 1e-2 ? "%.0e N" : "%g N", newtons);
        double words = ts_overlay_text_width(overlay, text);
        ts_overlay_add_rectangle(overlay, right - bar - words - 14.0 * s, y - 3.0 * s, bar + words + 18.0 * s,
                                 line + 4.0 * s, back);
        ts_overlay_add_text(overlay, right - bar - words - 8.0 * s, y, text, ink);
        ts_overlay_add_rectangle(overlay, right - bar, y + 3.0 * s, bar, 2.0 * s, ink);
        for (int k = 0; k < 2; ++k)
            ts_overlay_add_rectangle(overlay, right - (k ? bar : 1.5 * s), y + 0.5 * s, 1.5 * s, 7.0 * s, ink);
        y -= line + 6.0 * s;
    }
    if (!(show & TS_SHOW_HEAT)) return;
    enum { STEPS = 24 };
    double words[2] = {ts_overlay_text_width(overlay, "1e-12 "), ts_overlay_text_width(overlay, " 1 unmet")};
    double left = right - longest - words[1];
    ts_overlay_add_rectangle(overlay, left - words[0] - 4.0 * s, y - 3.0 * s, longest + words[0] + words[1] + 8.0 * s,
                             line + 4.0 * s, back);
    ts_overlay_add_text(overlay, left - words[0], y, "1e-12", ink);
    ts_overlay_add_text(overlay, left + longest, y, " 1 unmet", ink);
    for (int k = 0; k < STEPS; ++k) {
        float color[4];
        double at = ((double)k + 0.5) / STEPS, begin = floor(left + longest * k / STEPS);
        heat_color(pow(10.0, heat_low + at * (heat_high - heat_low)), color);
        ts_overlay_add_rectangle(overlay, begin, y, floor(left + longest * (k + 1) / STEPS) - begin, 7.0 * s, color);
    }
}
