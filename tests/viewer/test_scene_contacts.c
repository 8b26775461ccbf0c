// Claims: what is drawn at contacts is what statics says: the outline of a resting box is its base, the force goes through below its centre of mass,
// and the internal part of the forces neither pushes nor turns anything; in a crowd weak contacts fade, elsewhere none does; a contact is found under
// the mouse, pinned by a click and filtered; the scale bar is as long as a round force would be drawn.
#include "tests/viewer/device_null.h"
#include "tests/viewer/viewer_fixture.h"

#include "scenes/scene_look.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/session/session_internal.h"
#include "viewer/view.h"

static fixture box_on_floor(ts_vec3 velocity, int steps) {
    ts_builder* builder = fixture_floor(0.8);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.2, 0.05)), ts_vec3_make(0.3, -0.1, 0.05), velocity, 0.8);
    fixture f = fixture_start(builder);
    fixture_run(&f, steps);
    cr_assert_eq(f.sim->contact_count, 4);
    return f;
}

static ts_view open_null(const ts_sim* sim, ts_device** out_device) {
    ts_view view;
    ts_status status;
    *out_device = ts_device_null_create();
    cr_assert(*out_device);
    ts_code code = ts_view_open(&view, sim, *out_device, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return view;
}

static void draw(ts_view* view) {
    ts_status status;
    ts_code code = ts_view_draw(view, 640, 480, NULL, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

Test(scene_contacts, the_patch_of_a_box_is_its_base) {
    fixture f = box_on_floor(ts_vec3_zero(), 50);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_PATCHES;
    draw(&view);
    cr_assert_eq(view.list.lines.count, 4);
    double length = 0.0;
    for (int i = 0; i < 4; ++i) {
        const ts_draw_line* line = &view.list.lines.data[i];
        length += hypot(line->to[0] - line->from[0], line->to[1] - line->from[1]);
    }
    cr_assert(fabs(length - 1.2) < 1e-4, "%g", length);
    cr_assert_eq(view.list.items.count, 1);
    const float* at = view.list.items.data[0].position;
    ts_vec3 centre = ts_vec3_add(view.list.origin, ts_vec3_make(at[0], at[1], at[2]));
    cr_assert(hypot(centre.x - 0.3, centre.y + 0.1) < 1e-4 && fabs(centre.z) < 1e-4, "%g %g %g", centre.x, centre.y,
              centre.z);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_contacts, internal_forces_move_nothing) {
    // Sliding stops after some 30 steps; friction then stays open.
    fixture f = box_on_floor(ts_vec3_make(0.3, 0.2, 0.0), 5);
    ts_arena arena = {0};
    // Impulses of four corners that nobody has to push for: towards the middle, by hand.
    for (int c = 0; c < 4; ++c) {
        int row = f.sim->problem.block[f.sim->contact[c].block].row;
        ts_vec3 inwards = ts_vec3_sub(ts_vec3_make(0.3, -0.1, 0.0), f.sim->contact[c].position);
        inwards.z = 0.0;
        ts_vec3 local = ts_mat3_mul_vec_transposed(&f.sim->contact[c].frame, inwards);
        f.sim->impulse[row] += 2.0 * local.x;
        f.sim->impulse[row + 1] += 2.0 * local.y;
    }
    ts_contact_facts facts = ts_scene_contacts_judge(f.sim, TS_SHOW_INTERNAL, &arena);
    cr_assert(facts.internal && facts.exact && facts.own);
    ts_vec3 force = ts_vec3_zero(), torque = ts_vec3_zero();
    double size = 0.0;
    for (int c = 0; c < 4; ++c) {
        ts_vec3 part = ts_mat3_mul_vec(&f.sim->contact[c].frame, facts.internal[c]);
        force = ts_vec3_add(force, part);
        torque = ts_vec3_add(torque, ts_vec3_cross(f.sim->contact[c].position, part));
        size += ts_vec3_norm(part);
    }
    // Twice what four corners, each sqrt(0.05) m from the middle, were given, or most of it.
    cr_assert(size > 0.8 * 4.0 * 2.0 * sqrt(0.05), "%g", size);
    cr_assert(ts_vec3_norm(force) < 1e-8 * size && ts_vec3_norm(torque) < 1e-8 * size, "%g %g of %g",
              ts_vec3_norm(force), ts_vec3_norm(torque), size);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_INTERNAL;
    draw(&view);
    cr_assert_eq(view.list.arrows.count, 4);
    ts_view_close(&view);
    ts_device_destroy(device);
    ts_arena_free(&arena);
    fixture_end(&f);
}

Test(scene_contacts, weak_ones_fade_in_a_crowd_only) {
    for (int boxes = 3; boxes <= 15; boxes += 12) {
        ts_builder* builder = fixture_floor(0.5);
        for (int i = 0; i < boxes; ++i) {
            double half = i ? 0.02 : 0.2;
            fixture_body(builder, ts_shape_box(ts_vec3_make(half, half, half)), ts_vec3_make(0.5 * i, 0, half),
                         ts_vec3_zero(), 0.5);
        }
        fixture f = fixture_start(builder);
        fixture_run(&f, 30);
        cr_assert_eq(f.sim->contact_count, 4 * boxes);
        ts_device* device;
        ts_view view = open_null(f.sim, &device);
        view.show = TS_SHOW_FORCES;
        draw(&view);
        float strongest = 0.0f, weakest = 1.0f;
        for (int i = 0; i < view.list.arrows.count; ++i) {
            const ts_draw_arrow* arrow = &view.list.arrows.data[i];
            int large = f.sim->contact[arrow->source].body_a == 1 || f.sim->contact[arrow->source].body_b == 1;
            if (large) strongest = fmaxf(strongest, arrow->color[3]);
            if (!large) weakest = fminf(weakest, arrow->color[3]);
        }
        cr_assert(strongest > 0.99f);
        // A thousandth of the weight each.
        cr_assert(boxes > 10 ? weakest < 0.3f && weakest > 0.05f : weakest > 0.99f, "%d boxes: %g", boxes, weakest);
        ts_view_close(&view);
        ts_device_destroy(device);
        fixture_end(&f);
    }
}

Test(scene_contacts, gaps_lie_between_the_surfaces) {
    fixture f = box_on_floor(ts_vec3_zero(), 20);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    f.sim->contact[0].gap = 0.01;
    f.sim->contact[0].position.z = 0.005;
    view.show = TS_SHOW_GAPS;
    draw(&view);
    double low = 1.0, high = -1.0;
    for (int i = 0; i < view.list.items.count; ++i) {
        if (view.list.items.data[i].source != 0) continue;
        low = fmin(low, view.list.origin.z + view.list.items.data[i].position[2]);
        high = fmax(high, view.list.origin.z + view.list.items.data[i].position[2]);
    }
    cr_assert(fabs(low) < 1e-6 && fabs(high - 0.01) < 1e-6, "%g %g", low, high);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_contacts, the_scale_bar_is_a_round_force) {
    fixture f = box_on_floor(ts_vec3_zero(), 20);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    for (int k = 0; k < 4; ++k) {
        const int size[2] = {800, 500};
        ts_overlay overlay = {0};
        ts_overlay_begin(&overlay, size[1]);
        ts_scene_contacts_scale(&view.sizes, &view.camera, TS_SHOW_FORCES, size, &overlay);
        double bar = 0.0;
        for (int i = 0; i < overlay.quads.count; ++i) {
            const ts_overlay_quad* quad = &overlay.quads.data[i];
            if (!quad->character && quad->height < 3.0f * (float)overlay.unit) bar = fmax(bar, quad->width);
        }
        // One newton to the right of the target, projected.
        ts_mat3 axes = ts_camera_axes(&view.camera);
        ts_vec3 aside = ts_vec3_add_scaled(view.camera.target, view.sizes.metres_per_newton, ts_mat3_column(&axes, 0));
        double a[2], b[2];
        cr_assert(ts_camera_project(&view.camera, size[0], size[1], view.camera.target, a));
        cr_assert(ts_camera_project(&view.camera, size[0], size[1], aside, b));
        double newtons = bar / (b[0] - a[0]), digit = newtons / pow(10.0, floor(log10(newtons * 1.0001)));
        cr_assert(bar > 20.0 && bar < 200.0, "%g pixels", bar);
        cr_assert(fabs(digit - 1.0) < 1e-3 || fabs(digit - 2.0) < 1e-3 || fabs(digit - 5.0) < 1e-3, "%g N", newtons);
        ts_overlay_free(&overlay);
        ts_camera_zoom(&view.camera, 4.0);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_contacts, a_click_pins_and_keys_filter) {
    ts_status status;
    fixture f = box_on_floor(ts_vec3_zero(), 20);
    ts_view_request request = ts_view_request_default();
    request.scene = &f.scene;
    request.sim = f.sim;
    request.width = 800;
    request.height = 600;
    request.paused = 1;
    ts_device* device = ts_device_null_create();
    ts_session* session = NULL;
    cr_assert(ts_session_open(&request, device, NULL, 0, &session, &status) == TS_OK, "%s", status.message);
    (void)ts_session_tick(session, 0.0);
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    int without = ((ts_device_null*)device)->overlay_quads;
    double pixel[2];
    cr_assert(ts_camera_project(&session->view.camera, 800, 600, f.sim->contact[2].position, pixel));
    ts_event event = {.kind = TS_EVENT_MOVE, .x = pixel[0] + 2.0, .y = pixel[1] - 2.0, .time = 0.1};
    ts_session_event(session, &event);
    cr_assert_eq(ts_session_hovered(session), 2);
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    cr_assert(((ts_device_null*)device)->overlay_quads > without + 100, "its card");
    event.kind = TS_EVENT_BUTTON;
    event.action = TS_ACTION_PRESS;
    ts_session_event(session, &event);
    event.action = TS_ACTION_RELEASE;
    ts_session_event(session, &event);
    // A click pins the contact, and means the body there as well: where it is, is told in its frame.
    cr_assert(session->view.filter.pinned == f.sim->contact[2].key && session->selected > 0);
    cr_assert_eq(session->clicked_body, session->selected);
    ts_vec3 clicked = ts_transform_point(&f.sim->kinematics.body_pose[session->selected], session->clicked);
    double on_picture[2];
    cr_assert(ts_camera_project(&session->view.camera, 800, 600, clicked, on_picture));
    cr_expect(fabs(on_picture[0] - event.x) < 1e-6 && fabs(on_picture[1] - event.y) < 1e-6);
    // A card would hide what is held.
    session->grab.kind = TS_GRAB_MOVE;
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    int held = ((ts_device_null*)device)->overlay_quads;
    session->grab.kind = TS_GRAB_NONE;
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    cr_assert_lt(held + 100, ((ts_device_null*)device)->overlay_quads);
    // The mouse goes away, the card stays.
    event.kind = TS_EVENT_MOVE;
    event.x = event.y = 5.0;
    ts_session_event(session, &event);
    cr_assert_eq(ts_session_hovered(session), -1);
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    cr_assert(((ts_device_null*)device)->overlay_quads > without + 100);
    // Nothing is violated: only the pinned one is left.
    ts_event key = {.kind = TS_EVENT_KEY, .code = 'X', .action = TS_ACTION_PRESS, .mods = TS_MOD_SHIFT, .time = 0.2};
    ts_session_event(session, &key);
    cr_assert(ts_session_draw(session, &status) == TS_OK);
    cr_assert_eq(session->view.list.arrows.count, 1);
    ts_session_close(session);
    ts_device_destroy(device);
    fixture_end(&f);
}

// sRGB as someone without one kind of cones sees it, in CIE L*a*b* (Vienot, Brettel and Mollon 1999).
static void seen_lab(const float rgb[3], int kind, double out[3]) {
    double l[3], seen[3];
    for (int i = 0; i < 3; ++i) {
        double c = (double)rgb[i];
        l[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    memcpy(seen, l, sizeof l);
    if (kind == 1) {
        seen[0] = seen[1] = 0.11238 * l[0] + 0.88762 * l[1];
        seen[2] = 0.00401 * l[0] - 0.00401 * l[1] + l[2];
    } else if (kind == 2) {
        seen[0] = seen[1] = 0.29275 * l[0] + 0.70725 * l[1];
        seen[2] = -0.02234 * l[0] + 0.02234 * l[1] + l[2];
    }
    double x = (0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505;
    double y = 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2];
    double z = (0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089;
    double f[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) f[i] = f[i] > 0.008856 ? cbrt(f[i]) : 7.787 * f[i] + 16.0 / 116.0;
    out[0] = 116.0 * f[1] - 16.0;
    out[1] = 500.0 * (f[0] - f[1]);
    out[2] = 200.0 * (f[1] - f[2]);
}

Test(scene_contacts, verdicts_are_told_apart_by_the_colour_blind) {
    for (int kind = 0; kind < 3; ++kind)
        for (int a = 0; a < TS_MODE_COUNT; ++a)
            for (int b = 0; b < a; ++b) {
                double p[3], q[3];
                seen_lab(ts_scene_look_mode_color((ts_contact_mode)a), kind, p);
                seen_lab(ts_scene_look_mode_color((ts_contact_mode)b), kind, q);
                double apart =
                    sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
                // Two are just noticeable side by side; ten times that are told apart at a distance.
                cr_expect(apart > 20.0, "%s and %s, kind %d: %g", ts_contact_mode_name((ts_contact_mode)a),
                          ts_contact_mode_name((ts_contact_mode)b), kind, apart);
            }
}
