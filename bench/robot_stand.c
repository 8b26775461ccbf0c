// Robots from their files with a floor under them: the model is written as MJCF, the floor and the rest are put into its text, and that is read.
#include "bench/robot_stand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/read/mjcf/mjcf.h"
#include "engine/write/mjcf_writer.h"

static const ts_bench_stand cases[] = {
    {.name = "solo12",
     .file = "solo12/robots/solo12.urdf",
     .key = "standing",
     .foot = "_FOOT",
     .sole = 0.01910275,
     .root = TS_ROOT_FLOATING,
     .extra = "",
     .shake = 12.0,
     .stiffness = 3.0,
     .damping = 0.3,
     .lift = 1},
    {.name = "talos",
     .file = "pal_talos/talos_position.xml",
     .root = TS_ROOT_BY_FILE,
     .extra = "",
     .shake = 75.0,
     .lift = 1},
    {.name = "allegro",
     .file = "allegro_hand/urdf/allegro_right_hand.urdf",
     .pose = {0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0},
     .root = TS_ROOT_FIXED,
     .wrap = "<body pos=\"0 0 0.2\" quat=\"0.7606 -0.1055 0.6333 -0.0961\">",
     .extra = "<body name=\"ball\" pos=\"-0.05 -0.04 0.27\"><freejoint/><geom type=\"sphere\" size=\"0.05\" "
              "mass=\"1\"/></body>",
     .stiffness = 3.0,
     .damping = 0.1},
};

const ts_bench_stand* ts_bench_stand_at(int i) {
    return i >= 0 && i < (int)(sizeof cases / sizeof cases[0]) ? &cases[i] : NULL;
}

// Takes the element that gives each geom a number of its own out of the text: there will be more of them.
static void drop_element(char* text, const char* name) {
    char* at = strstr(text, name);
    if (!at) return;
    while (*at != '<') --at;
    memset(at, ' ', strcspn(at, ">") + 1);
}

// A piece of the robot's text, with a ball in every foot.
static void add_bodies(const ts_bench_stand* c, const char* from, const char* end, ts_text* all) {
    char mark[64];
    snprintf(mark, sizeof mark, "%s\" pos=", c->foot ? c->foot : "");
    for (const char* at = from; c->foot && (at = strstr(at, mark)) != NULL && at < end; from = at) {
        at += strcspn(at, ">") + 1;
        ts_text_add_bytes(all, from, (size_t)(at - from));
        ts_text_add(all, "<geom type=\"sphere\" size=\"%.17g\" mass=\"0\" contype=\"1\" conaffinity=\"1\"/>", c->sole);
    }
    ts_text_add_bytes(all, from, (size_t)(end - from));
}

// The robot's text with a floor, and what lies on it. Where balls are its feet, no geom touches but those that say so.
static void add_furniture(const ts_bench_stand* c, const char* text, ts_text* all) {
    const char *start = strstr(text, "<mujoco"), *head = strstr(text, "<worldbody>") + strlen("<worldbody>");
    const char* tail = strstr(head, "</worldbody>");
    start += strcspn(start, ">") + 1;
    ts_text_add_bytes(all, text, (size_t)(start - text));
    if (c->foot) ts_text_add(all, "<default><geom contype=\"0\" conaffinity=\"0\"/></default>");
    ts_text_add_bytes(all, start, (size_t)(head - start));
    ts_text_add(
        all,
        "<geom name=\"ground\" type=\"plane\" size=\"5 5 0.1\" friction=\"0.9\" contype=\"1\" conaffinity=\"1\"/>%s",
        c->wrap ? c->wrap : "");
    add_bodies(c, head, tail, all);
    ts_text_add(all, "%s%s%s", c->wrap ? "</body>" : "", c->extra, tail);
}

// The robot with a floor under it, and what lies on it, as one model.
static ts_code furnish(const ts_bench_stand* c, const ts_model* robot, ts_model** out_model, ts_status* status) {
    ts_text text = {0}, all = {0};
    ts_code code = ts_mjcf_writer_text(robot, NULL, &text, status);
    if (!code && !strstr(ts_text_get(&text), "<worldbody>"))
        code = ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s has no bodies", c->name);
    if (!code) {
        drop_element(text.data, "touchstone.restitution");
        add_furniture(c, ts_text_get(&text), &all);
        code = all.failed ? ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory")
                          : ts_mjcf_parse(ts_text_get(&all), all.length, c->name, NULL, NULL, out_model, status);
    }
    ts_text_free(&text);
    ts_text_free(&all);
    return code;
}

ts_model* ts_bench_stand_open(const ts_bench_options* options, ts_bench_report* report, const ts_bench_stand* c) {
    char path[4200], packages[4200];
    ts_status status;
    ts_model *robot = NULL, *model = NULL;
    ts_model_file_options how;
    memset(&how, 0, sizeof how);
    snprintf(packages, sizeof packages, "%s/robots", options->data_folder);
    snprintf(path, sizeof path, "%s/robots/%s", options->data_folder, c->file);
    how.package_path = packages;
    how.root = c->root;
    ts_code code = ts_model_file_load(path, &how, NULL, &robot, &status);
    if (!code && c->key) {
        robot->initial_keyframe = ts_model_find_keyframe(robot, c->key);
        if (robot->initial_keyframe < 0)
            code = ts_status_set(&status, TS_ERROR_VALUE, path, 0, "there is no pose '%s'", c->key);
    }
    if (!code) code = furnish(c, robot, &model, &status);
    if (code) ts_bench_note(report, "%s: %s", c->name, status.message);
    ts_model_free(robot);
    return model;
}

void ts_bench_put_down(ts_sim* sim, double depth) {
    double low = HUGE_VAL;
    int base = -1;
    ts_sim_update_kinematics(sim);
    for (int g = 0; g < sim->model->geom_count; ++g) {
        const ts_geom* geom = &sim->model->geom[g];
        ts_vec3 least, most;
        if (!geom->body || !(geom->category || geom->mask)) continue;
        ts_shape_bounds(&geom->shape, ts_kinematics_geom(&sim->kinematics, g), &least, &most);
        low = fmin(low, least.z);
    }
    for (int j = 0; j < sim->model->joint_count && base < 0; ++j)
        if (sim->model->joint[j].type == TS_JOINT_FREE) base = sim->model->joint[j].qpos_first;
    if (base < 0 || !isfinite(low)) return;
    sim->qpos[base + 2] -= low + depth;
    ts_sim_update_kinematics(sim);
}

void ts_bench_stand_begin(const ts_bench_stand* stand, ts_sim* sim, double depth) {
    int hinges = 0;
    for (int j = 0; j < sim->model->joint_count && !stand->key; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        if (joint->type == TS_JOINT_HINGE && hinges < 16) sim->qpos[joint->qpos_first] += stand->pose[hinges++];
    }
    ts_sim_update_kinematics(sim);
    if (stand->lift) ts_bench_put_down(sim, depth);
}
