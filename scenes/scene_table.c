// The scene table, and finding a scene by name or a model file by path.
#include "scenes/scene_table.h"

#include "base/text.h"
#include "engine/read/mjcf/mjcf.h"
#include "scenes/experiments/experiment.h"
#include "scenes/pile_internal.h"
#include "scenes/quadruped_internal.h"
#include "scenes/scene_files_internal.h"
#include "scenes/sized_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const ts_scene scenes[] = {
    {"sliding-cube", "a cube slides along y and friction stops it: lift-off of the convex relaxation", 0.3, "cube",
     NULL, NULL},
    {"sliding-cube-rotated", "a cube slides, friction axes turned by 22.5 degrees: drift of the pyramid", 0.3, "cube",
     NULL, NULL},
    {"fast-cube", "a cube slides at 4 m/s with more friction: lift-off and drift for the naked eye", 0.8, "cube", NULL,
     NULL},
    {"dragged-cube", "a cube is dragged until it slips: undetermined forces while it sticks", 0.6, "cube", NULL,
     "drag"},
    {"stack-10", "ten boxes on one another stand still", 2.0, "box10", NULL, NULL},
    {"unequal-cubes", "1 kg on 1 g: ill-conditioning crushes the light cube", 0.1, "heavy", NULL, NULL},
    {"tonne-on-gram", "1000 kg on 1 g: solvers that work contact by contact fail, and say so", 0.05, "heavy", NULL,
     NULL},
    {"pile-1000", "a thousand mixed shapes fall into a container", 3.0, "body1", ts_pile_build_1000, NULL},
    {"double-pendulum", "two rods on hinges swing: energy of the integrator", 5.0, "lower", NULL, NULL},
    {"incline", "one block sticks on a slope, one slides down", 1.0, "sliding", NULL, NULL},
    {"quadruped", "a quadruped of 2.5 kg trots at 0.3 m/s", 10.0, "base", NULL, "trot"},
    {"quadruped-slippery", "it trots where friction is 0.3", 10.0, "base", ts_quadruped_build_slippery, "trot"},
    {"quadruped-bumpy", "it trots over waves of 0.1 m", 10.0, "base", ts_quadruped_build_bumpy, "trot"},
    {"biped", "a biped of 26 kg stands on its feet", 5.0, "pelvis", NULL, "hold"},
    {"hand", "a hand of four fingers turns the ball that it holds", 10.0, "ball", NULL, "turn"},
    {"gripper", "two linkages with closed loops close on a cube", 3.0, "cube", NULL, "path"},
    {"four-bar", "a crank turns a closed loop of four bars", 5.0, "rocker", NULL, "hold"},
    {"arm-push", "an arm pushes a box along the floor", 3.0, "box", NULL, "path"},
    {"throw", "a box is thrown, comes down, slides: a task for gradients", 0.8, "box", NULL, NULL},
    {"push", "a box slides over a floor: friction and mass from its way", 0.5, "box", NULL, NULL},
    {"settle", "a stack is brought to rest by its base: a task for gradients", 0.5, "upper", NULL, NULL},
    {"two-link-push", "an arm of two links pushes a box by its torques: a task for gradients", 0.4, "box", NULL, NULL},
};

int ts_scene_count(void) { return (int)(sizeof scenes / sizeof scenes[0]); }

const ts_scene* ts_scene_at(int i) { return i >= 0 && i < ts_scene_count() ? &scenes[i] : NULL; }

const ts_scene* ts_scene_find(const char* name) {
    for (int i = 0; i < ts_scene_count(); ++i)
        if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
    return NULL;
}

static const ts_scene_file* find_file(const char* name) {
    for (int i = 0; i < ts_scene_file_count; ++i)
        if (strcmp(ts_scene_files[i].name, name) == 0) return &ts_scene_files[i];
    return NULL;
}

int ts_scene_is_known(const char* name) {
    double value;
    int number;
    return ts_scene_find(name) || find_file(name) || ts_sized_scene_find(name, &number) ||
           ts_experiment_of_scene(name, &value);
}

int ts_scene_default_focus(const ts_model* model) {
    int last = -1;
    for (int j = 0; j < model->joint_count; ++j) {
        if (model->joint[j].type == TS_JOINT_FREE) return model->joint[j].body;
        last = model->joint[j].body;
    }
    return last;
}

static ts_code load_table_scene(const ts_scene* scene, ts_import_report* report, ts_loaded_scene* out_scene,
                                ts_status* out_status) {
    ts_code code;
    if (scene->build) {
        code = scene->build(&out_scene->model, out_status);
    } else {
        const ts_scene_file* file = find_file(scene->name);
        if (!file)
            return ts_status_set(out_status, TS_ERROR_FILE, NULL, 0, "scene '%s' is not built into this program",
                                 scene->name);
        code = ts_mjcf_parse(file->text, file->size, scene->name, NULL, report, &out_scene->model, out_status);
    }
    if (code) return code;
    snprintf(out_scene->name, sizeof out_scene->name, "%s", scene->name);
    out_scene->duration = scene->duration;
    out_scene->focus = scene->focus ? ts_model_find_body(out_scene->model, scene->focus) : -1;
    if (out_scene->focus < 0) out_scene->focus = ts_scene_default_focus(out_scene->model);
    return scene->controller
               ? ts_controller_choose(scene->controller, out_scene->model, &out_scene->control, out_status)
               : TS_OK;
}

static const char* scene_name(const void* context, int i) {
    (void)context;
    return scenes[i].name;
}

static ts_code unknown_scene(const char* name, ts_status* out_status) {
    char known[384];
    ts_text_list(scene_name, NULL, ts_scene_count(), sizeof known, known);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no scene and no file is called '%s'; scenes: %s", name,
                         known);
}

static ts_code load_sized(const ts_sized_scene* kind, int number, const char* name, ts_loaded_scene* out_scene,
                          ts_status* out_status) {
    ts_code code = kind->build(number, &out_scene->model, out_status);
    if (code) return code;
    snprintf(out_scene->name, sizeof out_scene->name, "%s", name);
    out_scene->duration = kind->duration;
    out_scene->focus = ts_scene_default_focus(out_scene->model);
    return ts_status_ok(out_status);
}

ts_code ts_scene_load(const char* name_or_path, ts_import_report* report, ts_loaded_scene* out_scene,
                      ts_status* out_status) {
    return ts_scene_load_with(name_or_path, NULL, report, out_scene, out_status);
}

ts_code ts_scene_load_with(const char* name_or_path, const ts_model_file_options* options, ts_import_report* report,
                           ts_loaded_scene* out_scene, ts_status* out_status) {
    memset(out_scene, 0, sizeof *out_scene);
    out_scene->focus = -1;
    const ts_scene* scene = ts_scene_find(name_or_path);
    // A scene that only serves an experiment is in no list; the experiment knows how long it takes.
    const ts_scene unlisted = {name_or_path, "", 1.0, NULL, NULL, NULL};
    if (!scene && find_file(name_or_path)) scene = &unlisted;
    double value;
    int number = 0;
    const ts_sized_scene* sized = scene ? NULL : ts_sized_scene_find(name_or_path, &number);
    if (sized) return load_sized(sized, number, name_or_path, out_scene, out_status);
    const ts_experiment* experiment = scene ? NULL : ts_experiment_of_scene(name_or_path, &value);
    if (experiment) return ts_experiment_load(experiment, value, out_scene, out_status);
    if (scene) return load_table_scene(scene, report, out_scene, out_status);
    struct stat info;
    if (!strpbrk(name_or_path, "/.") && stat(name_or_path, &info) != 0) return unknown_scene(name_or_path, out_status);
    ts_code code = ts_model_file_load(name_or_path, options, report, &out_scene->model, out_status);
    if (code) return code;
    char* whole = realpath(name_or_path, NULL);
    if (whole && strlen(whole) < sizeof out_scene->file) memcpy(out_scene->file, whole, strlen(whole) + 1);
    free(whole);
    // With its folder: robots come as ROBOT/scene.xml.
    const char* name = name_or_path + strlen(name_or_path);
    for (int slashes = 0; name > name_or_path && (slashes += name[-1] == '/') < 2;) --name;
    snprintf(out_scene->name, sizeof out_scene->name, "%s", strncmp(name, "./", 2) == 0 ? name + 2 : name);
    out_scene->duration = 1.0;
    out_scene->focus = ts_scene_default_focus(out_scene->model);
    return ts_status_ok(out_status);
}

// Whether that scene is, by its file's text, the one that was recorded; else it is given back.
static int is_recorded(const ts_recording_about* about, ts_code loaded, ts_loaded_scene* scene) {
    if (loaded) return 0;
    const char* source = scene->model->source ? scene->model->source : "";
    if (strcmp(source, about->source) == 0) return 1;
    ts_loaded_scene_free(scene);
    return 0;
}

// From the text in the recording; meshes are looked for where its model's file was, or beside the recording.
static ts_code load_recorded_text(const ts_recording_about* about, ts_import_report* report, ts_loaded_scene* out_scene,
                                  ts_status* out_status) {
    const char* beside = about->model_file[0] ? about->model_file : about->path;
    const char* slash = strrchr(beside, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - beside) : 1, slash ? beside : ".");
    memset(out_scene, 0, sizeof *out_scene);
    ts_code code =
        ts_mjcf_parse(about->source, strlen(about->source), about->path, folder, report, &out_scene->model, out_status);
    if (code) return code;
    snprintf(out_scene->name, sizeof out_scene->name, "%s", about->scene);
    out_scene->duration = 1.0;
    out_scene->focus = ts_scene_default_focus(out_scene->model);
    return ts_status_ok(out_status);
}

ts_code ts_scene_load_recorded(const ts_recording* recording, const char* model, const ts_model_file_options* options,
                               ts_import_report* report, ts_loaded_scene* out_scene, ts_status* out_status) {
    const ts_recording_about* about = ts_recording_about_of(recording);
    if (model) return ts_scene_load_with(model, options, report, out_scene, out_status);
    if (ts_scene_is_known(about->scene) &&
        is_recorded(about, ts_scene_load_with(about->scene, options, report, out_scene, out_status), out_scene))
        return ts_status_ok(out_status);
    if (about->model_file[0] &&
        is_recorded(about, ts_scene_load_with(about->model_file, options, report, out_scene, out_status), out_scene))
        return ts_status_ok(out_status);
    if (about->source[0] && load_recorded_text(about, report, out_scene, out_status) == TS_OK) return TS_OK;
    memset(out_scene, 0, sizeof *out_scene);
    return ts_status_set(
        out_status, TS_ERROR_FILE, about->path, 0,
        "the model of this recording is not to be had (scene '%s', file '%s'): --model FILE says where it is",
        about->scene, about->model_file);
}

ts_code ts_scene_load_recording(const char* path, const char* model, const ts_model_file_options* options,
                                ts_import_report* report, ts_loaded_scene* out_scene, ts_status* out_status) {
    ts_recording* recording = NULL;
    memset(out_scene, 0, sizeof *out_scene);
    ts_code code = ts_recording_open(path, &recording, out_status);
    if (!code) code = ts_scene_load_recorded(recording, model, options, report, out_scene, out_status);
    if (code) {
        ts_recording_close(recording);
        return code;
    }
    const ts_recording_about* about = ts_recording_about_of(recording);
    const char* slash = strrchr(path, '/');
    snprintf(out_scene->name, sizeof out_scene->name, "%s", slash ? slash + 1 : path);
    memset(&out_scene->control, 0, sizeof out_scene->control);
    out_scene->duration = about->time[about->count - 1] - about->time[0];
    out_scene->recording = recording;
    return ts_status_ok(out_status);
}

int ts_scene_is_recording(const char* name_or_path) {
    const char* suffix = strrchr(name_or_path, '.');
    return suffix && (strcasecmp(suffix, ".h5") == 0 || strcasecmp(suffix, ".hdf5") == 0);
}

void ts_loaded_scene_free(ts_loaded_scene* scene) {
    ts_recording_close(scene->recording);
    ts_model_free(scene->model);
    memset(scene, 0, sizeof *scene);
}
