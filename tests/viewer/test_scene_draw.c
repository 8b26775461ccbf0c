// Claims: what would be drawn of a known scene, checked through the null device: one item per geom, marks per contact in
// the colour of its mode, arrows along the force with one scale for all, weights that add up.
#include "tests/viewer/viewer_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "scenes/scene_look.h"
#include "tests/viewer/device_null.h"
#include "viewer/ui_internal.h"
#include "viewer/view.h"

// A floor, a resting cube of 0.2 m and one of every other convex shape above it.
static fixture all_shapes(void) {
    ts_builder* builder = fixture_floor(0.5);
    ts_vec3 still = ts_vec3_zero();
    ts_vec3 corners[6] = {ts_vec3_make(0.1, 0, 0),  ts_vec3_make(-0.1, 0, 0), ts_vec3_make(0, 0.1, 0),
                          ts_vec3_make(0, -0.1, 0), ts_vec3_make(0, 0, 0.1),  ts_vec3_make(0, 0, -0.1)};
    ts_hull* hull = NULL;
    cr_assert(ts_hull_build(corners, 6, &hull, NULL) == TS_OK);
    cr_assert(ts_builder_add_hull(builder, hull));
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1), still, 0.5);
    fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_make(1, 0, 1), still, 0.5);
    fixture_body(builder, ts_shape_capsule(0.05, 0.1), ts_vec3_make(2, 0, 1), still, 0.5);
    fixture_body(builder, ts_shape_ellipsoid(ts_vec3_make(0.1, 0.2, 0.3)), ts_vec3_make(3, 0, 1), still, 0.5);
    fixture_body(builder, ts_shape_cylinder(0.1, 0.2), ts_vec3_make(4, 0, 1), still, 0.5);
    fixture_body(builder, ts_shape_hull(hull), ts_vec3_make(5, 0, 1), still, 0.5);
    return fixture_start(builder);
}

static fixture cube(double speed, double friction) {
    ts_builder* builder = fixture_floor(friction);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1),
                 ts_vec3_make(speed, 0.0, 0.0), friction);
    return fixture_start(builder);
}

static ts_view open_null(const ts_sim* sim, ts_device** out_device) {
    ts_view view;
    ts_status status;
    *out_device = ts_device_null_create();
    cr_assert(*out_device != NULL);
    cr_assert(ts_view_open(&view, sim, *out_device, &status) == TS_OK, "%s", status.message);
    return view;
}

static void draw(ts_view* view) {
    ts_status status;
    cr_assert(ts_view_draw(view, 640, 480, NULL, &status) == TS_OK, "%s", status.message);
}

Test(scene_draw, one_item_per_geom_with_its_mesh_and_size) {
    fixture f = all_shapes();
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS | TS_SHOW_GRID;
    draw(&view);
    const ts_device_null* null = (const ts_device_null*)device;
    cr_assert(null->uploads == TS_DRAW_MESH_HULL + 1);
    cr_assert(null->frames == 1 && null->instances == 7);
    static const int mesh[7] = {TS_DRAW_MESH_SQUARE, TS_DRAW_MESH_BOX,      TS_DRAW_MESH_SPHERE, TS_DRAW_MESH_CAPSULE,
                                TS_DRAW_MESH_SPHERE, TS_DRAW_MESH_CYLINDER, TS_DRAW_MESH_HULL};
    static const float size[7][4] = {{0},
                                     {0.1f, 0.1f, 0.1f, 0},
                                     {0.1f, 0.1f, 0.1f, 0},
                                     {0.05f, 0.05f, 0.05f, 0.1f},
                                     {0.1f, 0.2f, 0.3f, 0},
                                     {0.1f, 0.1f, 0.2f, 0},
                                     {1, 1, 1, 0}};
    for (int g = 0; g < 7; ++g) {
        const ts_draw_item* item = &view.list.items.data[g];
        cr_assert(item->source == g && item->mesh == mesh[g], "geom %d", g);
        cr_assert((int)item->pass == (g == 0 ? TS_DRAW_PASS_FLOOR : TS_DRAW_PASS_SOLID));
        if (g == 0) continue;
        for (int k = 0; k < 3; ++k) cr_assert(fabsf(item->scale[k] - size[g][k]) < 1e-6f);
        cr_assert(fabsf(item->stretch - size[g][3]) < 1e-6f);
        ts_vec3 p = ts_vec3_sub(ts_kinematics_geom(&f.sim->kinematics, g)->p, view.list.origin);
        cr_assert(fabs((double)item->position[0] - p.x) < 1e-5 && fabs((double)item->position[2] - p.z) < 1e-5);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

// A compound is its children, a height field one mesh of its own, a cone stands on its base.
Test(scene_draw, composite_shapes_are_drawn_part_by_part) {
    const double height[6] = {0.0, 0.1, 0.0, 0.0, 0.1, 0.2};
    ts_height_field* field = NULL;
    cr_assert(ts_height_field_build(height, 2, 3, 0.5, 1.0, -1.0, &field, NULL) == TS_OK);
    ts_compound_child child[2] = {{ts_shape_sphere(0.1), ts_transform_identity()},
                                  {ts_shape_cone(0.1, 0.2), ts_transform_identity()}};
    child[1].placed.p.x = 0.5;
    ts_compound* compound = NULL;
    cr_assert(ts_compound_build(child, 2, &compound, NULL) == TS_OK);
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_compound(compound), ts_vec3_make(0, 0, 5.0), ts_vec3_zero(), 0.5);
    ts_geom_def ground = ts_geom_def_default();
    ground.shape = ts_shape_height_field(field);
    cr_assert(ts_builder_add_geom(builder, &ground) >= 0);
    fixture f = fixture_start(builder);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS | TS_SHOW_GRID;
    draw(&view);
    int grounds = 0, balls = 0, cones = 0;
    for (int k = 0; k < view.list.items.count; ++k) {
        const ts_draw_item* item = &view.list.items.data[k];
        const ts_shape* shape = &f.sim->model->geom[item->source].shape;
        ts_vec3 p =
            ts_vec3_add(ts_vec3_make((double)item->position[0], (double)item->position[1], (double)item->position[2]),
                        view.list.origin);
        if (shape->kind == TS_SHAPE_HEIGHT_FIELD) {
            cr_assert(item->mesh >= TS_DRAW_MESH_HULL && ts_vec3_norm(p) < 1e-6);
            // Two triangles for each of two cells and of six sides, and for the floor.
            cr_assert(((const ts_device_null*)device)->mesh_triangles[item->mesh] == 2 * (2 + 6 + 1));
            ++grounds;
        } else if (shape->kind == TS_SHAPE_COMPOUND) {
            balls += item->mesh == TS_DRAW_MESH_SPHERE;
            cones += item->mesh == TS_DRAW_MESH_CONE;
            if (item->mesh == TS_DRAW_MESH_CONE) cr_assert(fabs(p.z - 4.8) < 1e-5 && fabs(p.x - 0.5) < 1e-5);
        }
    }
    cr_assert(grounds == 1 && balls == 1 && cones == 1, "%d %d %d", grounds, balls, cones);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
    ts_height_field_free(field);
    ts_compound_free(compound);
}

// Whatever is no unit mesh gets one of its own, and equal shapes share it.
Test(scene_draw, other_shapes_have_meshes_of_their_own) {
    ts_builder* builder = fixture_floor(0.5);
    for (int i = 0; i < 3; ++i) {
        ts_shape box = ts_shape_box(ts_vec3_make(0.1, 0.1, i < 2 ? 0.1 : 0.2));
        fixture_body(builder, ts_shape_rounded(box, 0.05), ts_vec3_make(i, 0, 1.0), ts_vec3_zero(), 0.5);
    }
    fixture f = fixture_start(builder);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS;
    draw(&view);
    cr_assert_eq(((const ts_device_null*)device)->uploads, TS_DRAW_MESH_HULL + 2);
    for (int i = 0; i < 3; ++i) {
        const ts_draw_item* item = &view.list.items.data[1 + i];
        cr_expect_eq(item->mesh, TS_DRAW_MESH_HULL + (i == 2), "body %d: mesh %d", i, item->mesh);
        cr_expect(fabsf(item->scale[0] - 1.0f) < 1e-6f);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, bodies_without_a_colour_get_different_ones) {
    fixture f = all_shapes();
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS;
    draw(&view);
    for (int a = 1; a < 7; ++a)
        for (int b = 1; b < a; ++b)
            cr_assert(memcmp(view.list.items.data[a].color, view.list.items.data[b].color, sizeof(float[4])) != 0);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, colours_of_modes_are_told_apart) {
    const float* green = ts_scene_look_mode_color(TS_MODE_STICK);
    const float* orange = ts_scene_look_mode_color(TS_MODE_SLIDE);
    const float* red = ts_scene_look_mode_color(TS_MODE_VIOLATED);
    const float* grey = ts_scene_look_mode_color(TS_MODE_OPEN);
    cr_assert(green[1] > green[0] && green[1] > green[2]);
    cr_assert(orange[0] > orange[1] && orange[1] > orange[2]);
    cr_assert(red[0] > 2.0f * red[1] && red[0] > 2.0f * red[2]);
    cr_assert(grey[0] < 1.2f * grey[1] && grey[2] < 1.2f * grey[0]);
}

// Draws and returns how many disks have the colour of `mode`; checks that arrows have the colour of their contact.
static int count_mode(ts_view* view, ts_contact_mode mode) {
    draw(view);
    int count = 0;
    const float* color = ts_scene_look_mode_color(mode);
    ts_arena arena = {0};
    const ts_contact_mode* modes = ts_certify_contacts(view->sim, &arena);
    for (int i = 0; i < view->list.items.count; ++i)
        count += view->list.items.data[i].pass == TS_DRAW_PASS_MARK &&
                 memcmp(view->list.items.data[i].color, color, sizeof(float[4])) == 0;
    for (int i = 0; i < view->list.arrows.count; ++i) {
        const ts_draw_arrow* arrow = &view->list.arrows.data[i];
        cr_assert(memcmp(arrow->color, ts_scene_look_mode_color(modes[arrow->source]), sizeof(float[4])) == 0);
    }
    ts_arena_free(&arena);
    return count;
}

Test(scene_draw, a_cube_slides_orange_and_rests_green) {
    // It starts at 1 m/s and friction takes v / (mu g) = 0.2 s to stop it.
    fixture f = cube(1.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_CONTACTS | TS_SHOW_FORCES;
    fixture_run(&f, 50);
    cr_assert(f.sim->contact_count == 4);
    cr_assert(count_mode(&view, TS_MODE_SLIDE) == 4);
    fixture_run(&f, 100);
    cr_assert(count_mode(&view, TS_MODE_STICK) == 4);
    cr_assert(view.list.arrows.count == 4);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

// The relaxation lifts what slides: its impulses lie inside the cone, and yet the exact law is broken at every contact. The
// picture, the legend and the certificate say the same.
Test(scene_draw, a_cube_that_slides_under_the_relaxed_law_is_red) {
    fixture f = cube(1.0, 0.5);
    ts_status status;
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    ts_ui ui = {.panel = 1, .legend = 1, .speed = 1.0};
    ts_overlay overlay = {0};
    view.show = TS_SHOW_CONTACTS | TS_SHOW_FORCES;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ccp-pgs", &status), TS_OK);
    cr_assert(f.sim->step_count == 0 && count_mode(&view, TS_MODE_OPEN) == f.sim->contact_count);
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->contact_count, 4);
    cr_expect_eq(count_mode(&view, TS_MODE_VIOLATED), 4);
    ts_ui_fill(&ui, f.sim, 640, 480, &overlay);
    char words[512] = "";
    size_t length = 0;
    for (int i = 0; i < overlay.quads.count && length + 1 < sizeof words; ++i)
        if (overlay.quads.data[i].character) words[length++] = (char)overlay.quads.data[i].character;
    words[length] = 0;
    cr_expect(strstr(words, "stick0slide0open0violated4") != NULL, "%s", words);
    ts_overlay_free(&overlay);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, arrows_are_forces_and_add_up_to_the_weight) {
    fixture f = cube(0.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_FORCES;
    fixture_run(&f, 100);
    draw(&view);
    double scale = view.sizes.metres_per_newton;
    cr_assert(scale > 0.0);
    double sum[3] = {0};
    double h = f.sim->options.time_step;
    for (int i = 0; i < view.list.arrows.count; ++i) {
        const ts_draw_arrow* arrow = &view.list.arrows.data[i];
        const ts_contact* c = &f.sim->contact[arrow->source];
        ts_vec3 force = ts_mat3_mul_vec(&c->frame, ts_vec3_scale(1.0 / h, c->impulse));
        ts_vec3 v = ts_vec3_make((double)arrow->vector[0], (double)arrow->vector[1], (double)arrow->vector[2]);
        cr_assert(ts_vec3_distance(v, ts_vec3_scale(scale, force)) < 1e-5 * ts_vec3_norm(v));
        for (int k = 0; k < 3; ++k) sum[k] += (double)arrow->vector[k];
    }
    double weight = 1000.0 * 0.008 * 9.81;  // N: density, volume, gravity
    cr_assert(fabs(sum[2] - scale * weight) < 1e-4 * scale * weight, "%g of %g", sum[2] / scale, weight);
    cr_assert(hypot(sum[0], sum[1]) < 1e-4 * scale * weight);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

// On whichever side of the pair it stands, a ball that rests is pushed up, and its cone opens upwards.
Test(scene_draw, arrows_are_on_what_moves) {
    const double height[4] = {0.0, 0.0, 0.0, 0.0};
    for (int order = 0; order < 2; ++order) {
        ts_height_field* field = NULL;
        cr_assert(ts_height_field_build(height, 2, 2, 4.0, 4.0, -1.0, &field, NULL) == TS_OK);
        ts_builder* builder = order ? fixture_floor(0.5) : ts_builder_create("hill");
        ts_geom_def ground = ts_geom_def_default();
        ground.shape = ts_shape_height_field(field);
        if (!order) cr_assert(ts_builder_add_geom(builder, &ground) >= 0);
        fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_make(0, 0, 0.0999), ts_vec3_zero(), 0.5);
        fixture f = fixture_start(builder);
        ts_device* device;
        ts_view view = open_null(f.sim, &device);
        view.show = TS_SHOW_FORCES | TS_SHOW_CONES;
        fixture_run(&f, 20);
        draw(&view);
        // The two kinds of ground stand on different sides of the pair; that is what makes this test one.
        cr_assert(f.sim->contact_count == 1);
        cr_expect((f.sim->model->body[f.sim->contact[0].body_a].tree < 0) == order, "order %d", order);
        cr_assert(view.list.arrows.count == 1 && view.list.arrows.data[0].vector[2] > 0.0f, "order %d", order);
        const ts_draw_item* cone = &view.list.items.data[0];
        cr_assert(cone->mesh == TS_DRAW_MESH_CONE && cone->rotation[8] < -0.99f, "order %d", order);
        ts_view_close(&view);
        ts_device_destroy(device);
        fixture_end(&f);
        ts_height_field_free(field);
    }
}

Test(scene_draw, cones_open_by_the_friction_angle_and_hold_the_force) {
    fixture f = cube(1.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_CONES;
    fixture_run(&f, 50);
    draw(&view);
    cr_assert(view.list.items.count == 4);
    for (int i = 0; i < 4; ++i) {
        const ts_draw_item* item = &view.list.items.data[i];
        cr_assert(item->mesh == TS_DRAW_MESH_CONE && item->pass == TS_DRAW_PASS_GLASS);
        cr_assert(fabsf(item->scale[0] / item->scale[2] - 0.5f) < 1e-5f);
        // The tip, at z = 1 of the mesh, is the contact point.
        ts_vec3 p = ts_vec3_sub(f.sim->contact[item->source].position, view.list.origin);
        for (int k = 0; k < 3; ++k) {
            double tip = (double)item->position[k] + (double)item->rotation[3 * k + 2] * (double)item->scale[2];
            cr_assert(fabs(tip - ts_vec3_get(p, k)) < 1e-6);
        }
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, the_grid_stays_in_the_world_when_the_camera_moves) {
    fixture f = cube(0.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS | TS_SHOW_GRID;
    for (int k = 0; k < 5; ++k) {
        view.camera.target = ts_vec3_make(0.37 * k, -91.0 * k, 0.1);
        draw(&view);
        const ts_draw_item* floor = &view.list.items.data[0];
        cr_assert(floor->mesh == TS_DRAW_MESH_SQUARE && floor->grid[2] > 0.0f);
        double world = (double)floor->position[1] + view.list.origin.y;
        double off = remainder(world - (double)floor->grid[1], (double)floor->grid[2]);
        cr_assert(fabs(off) < 1e-4 * (double)floor->grid[2] * 100.0, "off by %g", off);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, switches_switch) {
    fixture f = cube(0.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    const ts_device_null* null = (const ts_device_null*)device;
    fixture_run(&f, 20);
    view.show = 0;
    draw(&view);
    cr_assert(null->instances == 0 && null->draw_calls == 0);
    view.show = TS_SHOW_FRAMES;
    draw(&view);
    cr_assert(view.list.arrows.count == 3);
    view.show = TS_SHOW_CENTRES;
    draw(&view);
    cr_assert(view.list.items.count == 1 && view.list.items.data[0].mesh == TS_DRAW_MESH_SPHERE);
    view.show = TS_SHOW_GEOMS | TS_SHOW_GLASS;
    draw(&view);
    cr_assert(view.list.items.data[1].pass == TS_DRAW_PASS_GLASS);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, a_thousand_spheres_are_a_few_draw_calls) {
    ts_builder* builder = fixture_floor(0.5);
    for (int i = 0; i < 1000; ++i)
        fixture_body(builder, ts_shape_sphere(0.1),
                     ts_vec3_make(0.3 * (i % 10), 0.3 * (i / 10 % 10), 0.3 * (i / 100) + 1.0), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    draw(&view);
    const ts_device_null* null = (const ts_device_null*)device;
    cr_assert(null->instances == 1001 && null->draw_calls == 2);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, the_camera_frames_every_body) {
    fixture f = all_shapes();
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    for (int panel = 0; panel < 2; ++panel) {
        ts_view_frame_scene(&view, 640, 480, panel);
        for (int b = 1; b < f.scene.model->body_count; ++b) {
            double pixel[2];
            cr_assert(ts_camera_project(&view.camera, 640, 480, f.sim->kinematics.body_pose[b].p, pixel));
            cr_assert(pixel[0] > 0.0 && pixel[0] < 640.0 && pixel[1] > 0.0 && pixel[1] < 480.0);
        }
    }
    ts_view_frame_body(&view, 3, 640.0 / 480.0);
    cr_assert(ts_vec3_distance(view.camera.target, f.sim->kinematics.body_pose[3].p) < 1e-9);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, a_wide_scene_beside_the_panel_ends_inside_the_picture) {
    ts_builder* builder = fixture_floor(0.5);
    ts_camera camera = ts_camera_default();
    camera.distance = 1.0;
    // A row of spheres across the picture, whatever the default direction is.
    double a[2], b[2];
    cr_assert(ts_camera_project(&camera, 1280, 720, camera.target, a));
    ts_vec3 along = ts_vec3_axis(0);
    cr_assert(ts_camera_project(&camera, 1280, 720, ts_vec3_add(camera.target, ts_vec3_scale(0.1, along)), b));
    ts_vec3 other = ts_vec3_axis(1);
    double c[2];
    cr_assert(ts_camera_project(&camera, 1280, 720, ts_vec3_add(camera.target, ts_vec3_scale(0.1, other)), c));
    if (fabs(c[0] - a[0]) > fabs(b[0] - a[0])) along = other;
    for (int i = -5; i <= 5; ++i)
        fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_scale((double)i, along), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    ts_view_frame_scene(&view, 1280, 720, 1);
    for (int body = 1; body < f.scene.model->body_count; ++body) {
        cr_assert(ts_camera_project(&view.camera, 1280, 720, f.sim->kinematics.body_pose[body].p, a));
        cr_assert(a[0] > 0.0 && a[0] < 1280.0 && a[1] > 0.0 && a[1] < 720.0, "body %d at %g, %g", body, a[0], a[1]);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(scene_draw, the_null_device_refuses_what_cannot_be_drawn) {
    ts_device* device = ts_device_null_create();
    ts_draw_list list;
    memset(&list, 0, sizeof list);
    ts_draw_list_begin(&list, ts_vec3_zero());
    static const float grey[4] = {0.5f, 0.5f, 0.5f, 1.0f};
    ts_transform t = ts_transform_identity();
    ts_draw_list_add(&list, TS_DRAW_MESH_BOX, &t, ts_vec3_axis(0), 0.0, grey);
    cr_assert(ts_draw_list_batch(&list, ts_vec3_zero()));
    ts_device_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.width = frame.height = 16;
    frame.shadow_radius = 1.0f;
    frame.list = &list;
    ts_status status;
    cr_assert(ts_device_draw(device, &frame, &status) == TS_ERROR_VALUE, "the mesh was never uploaded");
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_box(&mesh, NULL) == TS_OK);
    cr_assert(ts_device_upload(device, TS_DRAW_MESH_BOX, &mesh, &status) == TS_OK);
    ts_geometry_mesh_free(&mesh);
    cr_assert(ts_device_draw(device, &frame, &status) == TS_OK, "%s", status.message);
    cr_assert(((ts_device_null*)device)->triangles == 12);
    list.instances.data[0].row[1][3] = NAN;
    cr_assert(ts_device_draw(device, &frame, &status) == TS_ERROR_VALUE, "not finite");
    unsigned char rgb[3 * 16 * 16];
    cr_assert(ts_device_read(device, 3, rgb, &status) == TS_ERROR_UNSUPPORTED);
    ts_draw_list_free(&list);
    ts_device_destroy(device);
}

Test(scene_draw, companions_stand_beside_with_their_colour_and_path) {
    fixture f = cube(1.0, 0.5), g = cube(1.0, 0.5);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    static const float blue[3] = {0.1f, 0.2f, 0.9f};
    ts_vec3 points[3] = {{0.0, 0.0, 0.1}, {0.1, 0.0, 0.1}, {0.2, 0.0, 0.1}};
    ts_view_path path = {points, 3, 3};
    ts_view_layer layer = {g.sim, {0.0, 2.0, 0.0}, blue, &path, 0, NULL};
    ts_view_add_layer(&view, layer);
    view.show = TS_SHOW_GEOMS;
    draw(&view);
    // Floor and cube of the first, the cube of the second two metres further along y; its path beside it.
    cr_assert(view.list.items.count == 3 && view.list.lines.count == 2);
    const ts_draw_item* own = &view.list.items.data[1];
    const ts_draw_item* other = &view.list.items.data[2];
    cr_assert(fabsf(other->position[1] - own->position[1] - 2.0f) < 1e-5f);
    cr_assert(fabsf(other->position[0] - own->position[0]) < 1e-5f);
    cr_assert(memcmp(other->color, blue, sizeof blue) == 0 && memcmp(own->color, blue, sizeof blue) != 0);
    cr_assert(fabs((double)view.list.lines.data[0].from[1] + view.list.origin.y - 2.0) < 1e-5);
    // The camera sees both, and the path.
    ts_view_frame_scene(&view, 640, 480, 0);
    double pixel[2];
    cr_assert(ts_camera_project(&view.camera, 640, 480, ts_vec3_make(0.0, 2.0, 0.1), pixel));
    cr_assert(pixel[0] > 0.0 && pixel[0] < 640.0 && pixel[1] > 0.0 && pixel[1] < 480.0);
    // Full is full: more layers are ignored.
    for (int i = 0; i < 2 * TS_VIEW_LAYERS; ++i) ts_view_add_layer(&view, layer);
    cr_assert(view.layer_count == TS_VIEW_LAYERS);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
    fixture_end(&g);
}

Test(scene_draw, shapes_for_contacts_hide_behind_shapes_for_looks) {
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.1), ts_vec3_zero(), 0.5);
    ts_geom_def looks = ts_geom_def_default();
    looks.body = 1;
    looks.category = looks.mask = 0;
    looks.mass = 0.0;
    looks.rgba[0] = 1.0f;
    ts_builder_add_geom(builder, &looks);
    fixture f = fixture_start(builder);
    ts_device* device;
    ts_view view = open_null(f.sim, &device);
    view.show = TS_SHOW_GEOMS;
    draw(&view);
    cr_assert(view.list.items.count == 2 && view.list.items.data[1].mesh == TS_DRAW_MESH_SPHERE);
    view.show = TS_SHOW_GEOMS | TS_SHOW_COLLISION;
    draw(&view);
    cr_assert(view.list.items.count == 2 && view.list.items.data[1].mesh == TS_DRAW_MESH_BOX);
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}
