// Claims: marks stand where the model says: boxes of inertia are the solid boxes themselves, the two parts of a split force add up to it, an
// arrow lies along each hinge, frames are those of what they stand for, and islands are what hangs together.
#include "tests/viewer/viewer_fixture.h"

#include "viewer/scene_marks_internal.h"

static ts_scene_sizes sizes;

static ts_scene_style style_of(const ts_sim* sim, unsigned show) {
    static ts_camera camera;
    static ts_own_shapes own;
    camera = ts_camera_default();
    sizes = ts_scene_sizes_measure(sim);
    ts_scene_style style = {&sizes, &own, &camera, show, NULL, NULL, 0, 0};
    return style;
}

static fixture stacked(void) {
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), ts_vec3_make(0, 0, 0.1), ts_vec3_zero(), 0.5);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(0, 0, 0.3), ts_vec3_zero(), 0.5);
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_make(2, 0, 0.1), ts_vec3_zero(), 0.5);
    return fixture_start(builder);
}

Test(scene_marks, the_box_of_a_boxs_inertia_is_that_box) {
    fixture f = stacked();
    ts_draw_list list = {0};
    ts_scene_style style = style_of(f.sim, TS_SHOW_INERTIA);
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_scene_marks_draw(f.sim, &style, &list);
    cr_assert(list.items.count == 3);
    // Sides in whatever order the principal axes come.
    const float* scale = list.items.data[0].scale;
    double sum = 0.0, product = 1.0;
    for (int k = 0; k < 3; ++k) {
        sum += (double)scale[k];
        product *= (double)scale[k];
    }
    cr_assert(fabs(sum - 0.6) < 1e-6 && fabs(product - 0.006) < 1e-6, "%g %g", sum, product);
    ts_draw_list_free(&list);
    fixture_end(&f);
}

Test(scene_marks, a_force_is_the_sum_of_its_parts) {
    fixture f = stacked();
    f.sim->options.gravity = ts_vec3_make(2.0, 0.0, -9.81);
    fixture_run(&f, 20);
    ts_draw_list list = {0};
    ts_scene_style style = style_of(f.sim, 0);
    cr_assert(f.sim->contact_count >= 12);
    for (int c = 0; c < f.sim->contact_count; ++c) {
        const ts_contact* contact = &f.sim->contact[c];
        ts_vec3 force =
            ts_mat3_mul_vec(&contact->frame, ts_vec3_scale(1.0 / f.sim->options.time_step, contact->impulse));
        ts_draw_list_begin(&list, ts_vec3_zero());
        ts_scene_marks_split(contact, force, style.sizes, &list);
        if (contact->impulse.z <= 0.0) continue;
        ts_vec3 drawn = ts_vec3_zero();
        for (int k = 0; k < list.arrows.count; ++k) {
            const float* v = list.arrows.data[k].vector;
            drawn = ts_vec3_add(drawn, ts_vec3_make((double)v[0], (double)v[1], (double)v[2]));
        }
        ts_vec3 wanted = ts_vec3_scale(style.sizes->metres_per_newton, force);
        cr_assert(ts_vec3_distance(drawn, wanted) < 1e-5 * ts_vec3_norm(wanted));
        cr_assert(fabs((double)list.arrows.data[0].vector[0]) < 1e-6, "the normal part is upright");
    }
    ts_draw_list_free(&list);
    fixture_end(&f);
}

Test(scene_marks, islands_are_what_pushes_each_other) {
    fixture f = stacked();
    ts_arena arena = {0};
    fixture_run(&f, 5);
    const int* island = ts_scene_marks_islands(f.sim, &arena);
    cr_assert(island);
    const ts_body* body = f.sim->model->body;
    cr_assert(island[body[1].tree] == island[body[2].tree] && island[body[1].tree] != island[body[3].tree]);
    ts_arena_free(&arena);
    fixture_end(&f);
}

Test(scene_marks, joints_ties_and_frames_are_where_they_are) {
    ts_loaded_scene scene;
    ts_status status;
    ts_sim* sim = NULL;
    cr_assert(ts_scene_load("four-bar", NULL, &scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(scene.model, 1, &sim, &status) == TS_OK);
    cr_assert(ts_sim_forward(sim, &status) == TS_OK);
    ts_draw_list list = {0};
    ts_scene_style style = style_of(sim, TS_SHOW_JOINTS);
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_scene_marks_draw(sim, &style, &list);
    int hinges = 0;
    for (int j = 0; j < scene.model->joint_count; ++j) hinges += scene.model->joint[j].type == TS_JOINT_HINGE;
    cr_assert(hinges > 1 && list.arrows.count == hinges);
    for (int k = 0; k < hinges; ++k) {
        const ts_draw_arrow* arrow = &list.arrows.data[k];
        ts_vec3 anchor = ts_kinematics_anchor(sim->model, &sim->kinematics, k);
        ts_vec3 way = ts_vec3_make((double)arrow->vector[0], (double)arrow->vector[1], (double)arrow->vector[2]);
        ts_vec3 from = ts_vec3_make((double)arrow->from[0], (double)arrow->from[1], (double)arrow->from[2]);
        cr_assert(ts_vec3_distance(ts_vec3_add_scaled(from, 0.5, way), anchor) < 1e-6, "its middle is the anchor");
        ts_motion axis = ts_kinematics_axis(sim->model, &sim->kinematics, scene.model->joint[k].dof_first);
        cr_assert(ts_vec3_norm(ts_vec3_cross(axis.angular, way)) < 1e-6 * ts_vec3_norm(way));
    }
    // A tie is three lines, a frame three arrows, and the lines of links one for each body that hangs on another.
    style.show = TS_SHOW_EQUALITIES;
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_scene_marks_draw(sim, &style, &list);
    cr_assert(scene.model->equality_count > 0 && list.lines.count == 3 * scene.model->equality_count);
    style.show = TS_SHOW_GEOM_FRAMES | TS_SHOW_WORLD_FRAME | TS_SHOW_SITE_FRAMES;
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_scene_marks_draw(sim, &style, &list);
    cr_assert(list.arrows.count == 3 * (1 + scene.model->geom_count + scene.model->site_count));
    cr_assert(list.arrows.data[2].vector[2] > 0.0f && list.arrows.data[2].vector[0] == 0.0f);
    ts_draw_list_free(&list);
    ts_sim_free(sim);
    ts_loaded_scene_free(&scene);
}
