// Problem: show what a model has beside shapes: where joints turn, what is tied to what, how mass is spread, what pulls. Rule: one function
// per kind of mark, each from public fields, sized by the scene. Guaranteed: reads the simulation only.
#include "viewer/scene_marks_internal.h"

#include <string.h>

#include "engine/actuation/tendon_way.h"
#include "viewer/model_camera_internal.h"

static const float joint_color[4] = {0.20f, 0.55f, 0.85f, 1.0f};
static const float tendon_color[4] = {0.85f, 0.25f, 0.30f, 1.0f};
static const float tie_color[4] = {0.80f, 0.35f, 0.75f, 1.0f};
static const float inertia_color[4] = {0.95f, 0.45f, 0.25f, 0.30f};
static const float applied_color[4] = {0.95f, 0.85f, 0.20f, 1.0f};
static const float motor_color[4] = {0.95f, 0.75f, 0.15f, 1.0f};
static const float ray_color[4] = {0.95f, 0.35f, 0.65f, 1.0f};
static const float eye_color[4] = {0.25f, 0.65f, 0.60f, 1.0f};
static const float link_color[4] = {0.30f, 0.32f, 0.36f, 1.0f};
static const float normal_color[4] = {0.25f, 0.50f, 0.90f, 1.0f};
static const float friction_color[4] = {0.95f, 0.55f, 0.10f, 1.0f};

// An arrow along the axis of a hinge or a slide, a ball at that of a ball joint.
static void draw_joint(const ts_sim* sim, int j, double size, ts_draw_list* list) {
    const ts_joint* joint = &sim->model->joint[j];
    if (joint->type == TS_JOINT_FREE || !sim->kinematics.joint_anchor) return;
    ts_vec3 anchor = ts_kinematics_anchor(sim->model, &sim->kinematics, j);
    if (joint->type == TS_JOINT_BALL) {
        ts_transform placed = {ts_mat3_identity(), anchor};
        double r = 0.25 * size;
        ts_draw_item* item =
            ts_draw_list_add(list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(r, r, r), 0.0, joint_color);
        if (item) item->pass = TS_DRAW_PASS_MARK;
        return;
    }
    ts_vec3 axis = ts_transform_direction(&sim->kinematics.body_pose[joint->body], joint->axis);
    ts_vec3 way = ts_vec3_scale(2.0 * size, axis);
    ts_draw_list_add_arrow(list, ts_vec3_add_scaled(anchor, -0.5, way), way, 0.06 * size, joint_color, -1);
}

static void draw_tie(const ts_sim* sim, const ts_equality* equality, ts_draw_list* list) {
    if (!sim->equality_active[equality - sim->model->equality] || equality->body[0] < 0 || equality->body[1] < 0)
        return;
    ts_vec3 end[2];
    for (int k = 0; k < 2; ++k)
        end[k] = ts_transform_point(&sim->kinematics.body_pose[equality->body[k]], equality->frame[k].position);
    ts_draw_list_add_line(list, end[0], end[1], 3.0, tie_color);
    for (int k = 0; k < 2; ++k)
        ts_draw_list_add_line(list, sim->kinematics.body_centre[equality->body[k]], end[k], 2.0, tie_color);
}

// The solid box of the body's mass and inertia: along its principal axes (a, b, c halves) I_a = m (b^2 + c^2) / 3 and so on.
static void draw_inertia(const ts_sim* sim, int b, ts_draw_list* list) {
    const ts_body* body = &sim->model->body[b];
    if (!(body->mass > 0.0)) return;
    ts_vec3 moments;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&body->inertia, &moments, &axes);
    double half[3], sum = 0.5 * (moments.x + moments.y + moments.z);
    for (int k = 0; k < 3; ++k) half[k] = sqrt(fmax(3.0 * (sum - ts_vec3_get(moments, k)) / body->mass, 0.0));
    ts_transform local = {axes, body->centre};
    ts_transform placed = ts_transform_mul(&sim->kinematics.body_pose[b], &local);
    ts_draw_list_add(list, TS_DRAW_MESH_BOX, &placed, ts_vec3_make(half[0], half[1], half[2]), 0.0, inertia_color);
}

static void draw_force(const ts_sim* sim, int b, const ts_scene_sizes* sizes, ts_draw_list* list) {
    ts_vec3 arrow = ts_vec3_scale(sizes->metres_per_newton, sim->wrench_applied[b].force);
    double length = ts_vec3_norm(arrow);
    if (length > sizes->longest_arrow) arrow = ts_vec3_scale(sizes->longest_arrow / length, arrow);
    ts_draw_list_add_arrow(list, sim->kinematics.body_centre[b], arrow, 0.03 * sizes->body_radius, applied_color, -1);
}

void ts_scene_marks_split(const ts_contact* contact, ts_vec3 force, const ts_scene_sizes* sizes, ts_draw_list* list) {
    ts_vec3 n = ts_mat3_column(&contact->frame, 2);
    ts_vec3 part[2] = {ts_vec3_scale(ts_vec3_dot(force, n), n), ts_vec3_zero()};
    part[1] = ts_vec3_sub(force, part[0]);
    for (int k = 0; k < 2; ++k) {
        ts_vec3 arrow = ts_vec3_scale(sizes->metres_per_newton, part[k]);
        double length = ts_vec3_norm(arrow);
        if (length > sizes->longest_arrow) arrow = ts_vec3_scale(sizes->longest_arrow / length, arrow);
        ts_draw_list_add_arrow(list, contact->position, arrow, 0.018 * sizes->body_radius,
                               k ? friction_color : normal_color, -1);
    }
}

void ts_scene_marks_frame(const ts_transform* placed, double size, ts_draw_list* list) {
    static const float axis_color[3][4] = {
        {0.88f, 0.20f, 0.22f, 1.0f}, {0.24f, 0.66f, 0.28f, 1.0f}, {0.20f, 0.42f, 0.90f, 1.0f}};
    for (int axis = 0; axis < 3; ++axis)
        ts_draw_list_add_arrow(list, placed->p, ts_vec3_scale(size, ts_mat3_column(&placed->R, axis)), 0.018 * size,
                               axis_color[axis], -1);
}

static void draw_tendon(const ts_sim* sim, int tendon, ts_draw_list* list) {
    enum { MOST = 512 };  // longer ways are cut
    ts_tendon_segment segment[MOST];
    int count = ts_tendon_way(sim, tendon, MOST, segment);
    for (int i = 0; i < count && i < MOST; ++i)
        ts_draw_list_add_line(list, segment[i].from, segment[i].to, 3.0, tendon_color);
}

static void draw_frames(const ts_sim* sim, unsigned show, double size, ts_draw_list* list) {
    const ts_model* model = sim->model;
    ts_transform world = ts_transform_identity();
    if (show & TS_SHOW_WORLD_FRAME) ts_scene_marks_frame(&world, 3.0 * size, list);
    for (int g = 0; g < model->geom_count && show & TS_SHOW_GEOM_FRAMES; ++g)
        ts_scene_marks_frame(ts_kinematics_geom(&sim->kinematics, g), size, list);
    for (int i = 0; i < model->site_count && show & TS_SHOW_SITE_FRAMES; ++i) {
        ts_transform site = ts_kinematics_site(model, &sim->kinematics, i);
        ts_scene_marks_frame(&site, size, list);
    }
    for (int c = 0; c < sim->contact_count && show & TS_SHOW_CONTACT_FRAMES; ++c) {
        ts_transform contact = {ts_sim_contact(sim, c).frame, ts_sim_contact(sim, c).position};
        if (ts_vec3_is_finite(contact.p)) ts_scene_marks_frame(&contact, 0.6 * size, list);
    }
}

// An arrow along the axis that a motor turns or pushes, as long as its share of what it can do, or of the strongest of those without a limit.
static void draw_actuator(const ts_sim* sim, int a, double most, double size, ts_draw_list* list) {
    const ts_actuator* actuator = &sim->model->actuator[a];
    const char* transmission = ts_transmission_name(actuator->transmission);
    if (strncmp(transmission, "joint", 5) != 0) return;
    const ts_joint* joint = &sim->model->joint[actuator->target];
    if (joint->type != TS_JOINT_HINGE && joint->type != TS_JOINT_SLIDE) return;
    const double* range = actuator->force.range;
    double force = sim->actuator_force[a], full = actuator->force.limited ? fmax(fabs(range[0]), fabs(range[1])) : most;
    if (!(fabs(force) > 0.0) || !(full > 0.0)) return;
    double way = (actuator->gear[0] < 0.0 ? -3.0 : 3.0) * size * fmin(1.0, fmax(-1.0, force / full));
    ts_vec3 axis = ts_transform_direction(&sim->kinematics.body_pose[joint->body], joint->axis);
    ts_draw_list_add_arrow(list, ts_kinematics_anchor(sim->model, &sim->kinematics, actuator->target),
                           ts_vec3_scale(way, axis), 0.09 * size, motor_color, -1);
}

static void draw_actuators(const ts_sim* sim, double size, ts_draw_list* list) {
    double most = 0.0;
    for (int a = 0; a < sim->model->actuator_count; ++a) most = fmax(most, fabs(sim->actuator_force[a]));
    for (int a = 0; a < sim->model->actuator_count; ++a) draw_actuator(sim, a, most, size, list);
}

// Rays that meet something, as far as they go.
static void draw_rays(const ts_sim* sim, ts_draw_list* list) {
    int kind = ts_sensor_kind_find("rangefinder");
    for (int i = 0; i < sim->model->sensor_count; ++i) {
        const ts_sensor* sensor = &sim->model->sensor[i];
        const ts_sensor_object* object = &sensor->object[0];
        if (sensor->kind != kind || object->body < 0 || !(sim->sensor[sensor->first] > 0.0)) continue;
        ts_transform local = ts_transform_from_pose(object->pose);
        ts_transform placed = ts_transform_mul(&sim->kinematics.body_pose[object->body], &local);
        ts_vec3 end = ts_vec3_add_scaled(placed.p, sim->sensor[sensor->first], ts_mat3_column(&placed.R, 2));
        ts_draw_list_add_line(list, placed.p, end, 2.0, ray_color);
    }
}

// The edges of what a camera sees up to a body's size away, and its axes.
static void draw_camera(const ts_sim* sim, int index, double size, int axes, ts_draw_list* list) {
    ts_camera camera = ts_camera_default();
    camera.distance = size;
    ts_model_camera_look(sim, index, &camera);
    ts_vec3 eye = ts_camera_eye(&camera), corner[4];
    double up = size * tan(0.5 * camera.field_of_view), aside = up * 4.0 / 3.0;
    for (int k = 0; k < 4; ++k) {
        ts_vec3 there = ts_vec3_make(k == 0 || k == 3 ? -aside : aside, k < 2 ? -up : up, -size);
        corner[k] = ts_vec3_add(eye, ts_mat3_mul_vec(&camera.axes, there));
    }
    const ts_transform placed = {camera.axes, eye};
    if (axes) ts_scene_marks_frame(&placed, size, list);
    for (int k = 0; k < 4; ++k) {
        ts_draw_list_add_line(list, eye, corner[k], 2.0, eye_color);
        ts_draw_list_add_line(list, corner[k], corner[(k + 1) % 4], 2.0, eye_color);
    }
}

void ts_scene_marks_draw(const ts_sim* sim, const ts_scene_style* style, ts_draw_list* list) {
    const ts_model* model = sim->model;
    double size = style->sizes->body_radius;
    if (style->show & TS_SHOW_JOINTS)
        for (int j = 0; j < model->joint_count; ++j) draw_joint(sim, j, size, list);
    if (style->show & TS_SHOW_EQUALITIES)
        for (int e = 0; e < model->equality_count; ++e) draw_tie(sim, &model->equality[e], list);
    if (style->show & TS_SHOW_TENDONS)
        for (int t = 0; t < model->tendon_count; ++t) draw_tendon(sim, t, list);
    if (style->show & TS_SHOW_ACTUATORS) draw_actuators(sim, size, list);
    if (style->show & TS_SHOW_RAYS) draw_rays(sim, list);
    for (int i = 0; style->show & TS_SHOW_CAMERAS && i < model->camera_count; ++i)
        draw_camera(sim, i, size, (style->show & TS_SHOW_FRAMES) != 0, list);
    draw_frames(sim, style->show, size, list);
    for (int b = 1; b < model->body_count; ++b) {
        if (style->show & TS_SHOW_APPLIED && sim->wrench_applied) draw_force(sim, b, style->sizes, list);
        if (model->body[b].tree < 0) continue;
        if (style->show & TS_SHOW_INERTIA) draw_inertia(sim, b, list);
        if (style->show & TS_SHOW_LINKS && model->body[b].parent > 0)
            ts_draw_list_add_line(list, sim->kinematics.body_pose[b].p,
                                  sim->kinematics.body_pose[model->body[b].parent].p, 3.0, link_color);
    }
}

static int root_of(int* island, int tree) {
    while (island[tree] != tree) tree = island[tree] = island[island[tree]];
    return tree;
}

static void join(int* island, int a, int b) {
    if (a < 0 || b < 0) return;
    a = root_of(island, a);
    b = root_of(island, b);
    if (a < b)
        island[b] = a;
    else
        island[a] = b;
}

const int* ts_scene_marks_islands(const ts_sim* sim, ts_arena* arena) {
    const ts_model* model = sim->model;
    if (!model->tree_count) return NULL;
    int* island = TS_ARENA_ARRAY(arena, int, model->tree_count);
    if (!island) return NULL;
    for (int t = 0; t < model->tree_count; ++t) island[t] = t;
    for (int c = 0; c < sim->contact_count; ++c)
        if (ts_sim_contact(sim, c).impulse.z > 0.0)
            join(island, model->body[ts_sim_contact(sim, c).body_a].tree,
                 model->body[ts_sim_contact(sim, c).body_b].tree);
    for (int e = 0; e < model->equality_count; ++e) {
        const ts_equality* tie = &model->equality[e];
        if (sim->equality_active[e] && tie->body[0] >= 0 && tie->body[1] >= 0)
            join(island, model->body[tie->body[0]].tree, model->body[tie->body[1]].tree);
    }
    for (int t = 0; t < model->tree_count; ++t) island[t] = root_of(island, t);
    return island;
}
