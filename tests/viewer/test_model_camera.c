// Claims: a camera of a model stands and looks where MJCF says for each of its modes, worked out by hand for a cart that has moved and turned; the
// view looks through it until it is turned by hand; numbers are watched by name.
#include "tests/engine/read/mjcf_sample.h"

#include "base/scalar.h"
#include "viewer/model_camera_internal.h"
#include "viewer/session/gauge_internal.h"
#include "viewer/viewer.h"

static const char cart[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='cart' pos='1 0 0'><joint name='s' type='slide' axis='1 0 "
    "0'/>"
    "<joint name='turn' axis='0 0 1'/><geom size='.1' mass='1'/><camera name='fixed' pos='0 0 1'/>"
    "<camera name='track' mode='track' pos='0 -2 0' xyaxes='1 0 0 0 0 1'/>"
    "<camera name='trackcom' mode='trackcom' pos='0 -2 0' xyaxes='1 0 0 0 0 1'/>"
    "<body name='arm' pos='.5 0 0'><geom size='.1' mass='3'/></body></body>"
    "<camera name='aim' mode='targetbody' target='cart' pos='1 -3 .5' fovy='60'/>"
    "<camera name='aimcom' mode='targetbodycom' target='cart' pos='1 -3 .5'/></worldbody>"
    "<actuator><motor name='m' joint='turn'/></actuator></mujoco>";

static ts_sim* moved(ts_model* model) {
    ts_sim* sim = NULL;
    cr_assert(ts_sim_create(model, 1, &sim, NULL) == TS_OK);
    sim->qpos[0] = 0.4;
    sim->qpos[1] = 0.5 * TS_PI;
    ts_sim_update_kinematics(sim);
    return sim;
}

static void expect(const ts_sim* sim, const char* name, const double eye[3], const double right[3],
                   const double back[3]) {
    ts_camera camera = ts_camera_default();
    int index = ts_model_find_camera(sim->model, name);
    cr_assert(index >= 0, "%s", name);
    camera.distance = 0.7;
    ts_model_camera_look(sim, index, &camera);
    ts_mat3 axes = ts_camera_axes(&camera);
    cr_expect(ts_vec3_distance(ts_camera_eye(&camera), ts_vec3_load(eye)) < 1e-12, "%s: eye", name);
    cr_expect(ts_vec3_distance(ts_mat3_column(&axes, 0), ts_vec3_load(right)) < 1e-12, "%s: right", name);
    cr_expect(ts_vec3_distance(ts_mat3_column(&axes, 2), ts_vec3_load(back)) < 1e-12, "%s: back", name);
    ts_vec3 up = ts_vec3_cross(ts_vec3_load(back), ts_vec3_load(right));
    cr_expect(ts_vec3_distance(ts_mat3_column(&axes, 1), up) < 1e-12, "%s: up", name);
}

// Towards (x, y, 0) from (1, -3, 0.5), with level sides.
static void expect_aim(const ts_sim* sim, const char* name, double x, double y) {
    double eye[3] = {1.0, -3.0, 0.5}, back[3], right[3];
    ts_vec3 z = ts_vec3_unit_or(ts_vec3_make(1.0 - x, -3.0 - y, 0.5), ts_vec3_axis(0));
    double level = hypot(z.x, z.y);
    ts_vec3_store(z, back);
    ts_vec3_store(ts_vec3_make(-z.y / level, z.x / level, 0.0), right);
    expect(sim, name, eye, right, back);
}

Test(model_camera, every_mode_is_where_it_should_be) {
    ts_model* model = mjcf_read(cart);
    cr_assert_eq(model->camera_count, 5);
    ts_sim* sim = moved(model);
    // The cart's frame has gone to x = 1.4 and turned by a quarter; the centre of all its mass from (1.375, 0) to (1.4, 0.375).
    expect(sim, "fixed", (double[]){1.4, 0.0, 1.0}, (double[]){0.0, 1.0, 0.0}, (double[]){0.0, 0.0, 1.0});
    expect(sim, "track", (double[]){1.4, -2.0, 0.0}, (double[]){1.0, 0.0, 0.0}, (double[]){0.0, -1.0, 0.0});
    expect(sim, "trackcom", (double[]){1.025, -1.625, 0.0}, (double[]){1.0, 0.0, 0.0}, (double[]){0.0, -1.0, 0.0});
    expect_aim(sim, "aim", 1.4, 0.0);
    expect_aim(sim, "aimcom", 1.4, 0.375);
    ts_sim_free(sim);
    ts_model_free(model);
}

Test(model_camera, is_named_and_left_by_turning) {
    ts_model* model = mjcf_read(cart);
    ts_camera camera;
    int number;
    ts_status status;
    cr_assert(ts_viewer_read_camera("aim", model, &camera, &number, &status) == TS_OK);
    cr_assert_eq(number, 1 + ts_model_find_camera(model, "aim"));
    cr_assert(fabs(model->camera[number - 1].field_of_view - TS_PI / 3.0) < 1e-15);
    cr_assert(ts_viewer_read_camera("ai", model, &camera, &number, &status) == TS_ERROR_VALUE);
    cr_assert(strstr(status.message, "trackcom"), "%s", status.message);
    cr_assert(ts_viewer_read_camera("top", model, &camera, &number, &status) == TS_OK && number == 0);

    // Upright again, about the same target and from nearly the same side: a drag of no length moves nothing but the tilt.
    ts_sim* sim = moved(model);
    camera = ts_camera_default();
    ts_model_camera_look(sim, ts_model_find_camera(model, "aim"), &camera);
    ts_vec3 eye = ts_camera_eye(&camera);
    ts_camera_orbit(&camera, 0.0, 0.0, 100);
    cr_assert(!camera.tilted && ts_vec3_distance(eye, ts_camera_eye(&camera)) < 1e-12);
    ts_camera_orbit(&camera, 25.0, 0.0, 100);
    cr_assert(ts_vec3_distance(eye, ts_camera_eye(&camera)) > 0.1);
    ts_sim_free(sim);
    ts_model_free(model);
}

Test(model_camera, targets_are_found_and_renamed_with_their_bodies) {
    mjcf_refuse("<mujoco><worldbody>\n<camera mode='targetbody' target='nobody'/></worldbody></mujoco>", 2, "'nobody'");
    mjcf_refuse("<mujoco><worldbody>\n<camera fovy='180'/></worldbody></mujoco>", 2, "180");
    ts_model* m = mjcf_read(
        "<mujoco><worldbody><body name='still'/><replicate count='2'><body name='b'><geom size='1'/></body>"
        "<camera name='near' mode='targetbody' target='b'/><camera name='far' mode='targetbody' target='still'/>"
        "</replicate></worldbody></mujoco>");
    for (int i = 0; i < 2; ++i) {
        char name[8];
        snprintf(name, sizeof name, "near%d", i);
        const ts_model_camera* near_camera = &m->camera[ts_model_find_camera(m, name)];
        snprintf(name, sizeof name, "far%d", i);
        const ts_model_camera* far_camera = &m->camera[ts_model_find_camera(m, name)];
        snprintf(name, sizeof name, "b%d", i);
        cr_assert_str_eq(m->body[near_camera->target].name, name);
        cr_assert_str_eq(m->body[far_camera->target].name, "still");
    }
    ts_model_free(m);
}

Test(model_camera, numbers_are_watched_by_name) {
    ts_model* model = mjcf_read(cart);
    ts_sim* sim = moved(model);
    double value = 0.0;
    sim->ctrl[0] = 7.0;
    cr_assert(!ts_gauge_read(sim, NULL, "qpos[turn]", &value) && value == 0.5 * TS_PI);
    cr_assert(!ts_gauge_read(sim, NULL, "qpos[0]", &value) && value == 0.4);
    cr_assert(!ts_gauge_read(sim, NULL, "ctrl[m]", &value) && value == 7.0);
    cr_assert(!ts_gauge_read(sim, NULL, "time", &value) && value == 0.0);
    static const char* const bad[] = {"",           "qpos", "qpos[]",    "qpos[2]", "qpos[-1]",
                                      "ctrl[turn]", "q[0]", "sensor[0]", "qpos[0",  "act[x]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        value = 3.0;
        cr_assert(ts_gauge_read(sim, NULL, bad[i], &value) && value == 3.0, "'%s'", bad[i]);
    }
    ts_sim_free(sim);
    ts_model_free(model);
}
