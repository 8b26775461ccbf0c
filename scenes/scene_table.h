// The one table of demo scenes, shared by viewer, tests, benchmarks and command line. A scene is an MJCF file in this
// folder (embedded in the library at build time) or a build function in C, plus optionally a controller.
#ifndef TS_SCENES_SCENE_TABLE_H
#define TS_SCENES_SCENE_TABLE_H

#include "engine/read/model_file.h"
#include "engine/record/record.h"
#include "engine/sim.h"
#include "scenes/controllers/controller.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A demo scene.
typedef struct ts_scene {
    const char* name;     // "sliding-cube"
    const char* summary;  // one line
    double duration;      // s, when nothing else is asked for
    const char* focus;    // body whose motion plots show; NULL: the first free body
    ts_code (*build)(ts_model** out_model, ts_status* out_status);  // NULL: the embedded file of the same name
    const char* controller;                                         // its name in that table; NULL: nothing acts
} ts_scene;

/// A scene ready to run. Free with ts_loaded_scene_free.
typedef struct ts_loaded_scene {
    char name[128];                // scene name, or the file name with the folder it is in
    char file[1024];               // the whole path of its model's file; "" where there is none, or one too long
    ts_model* model;               // owned
    double duration;               // s
    int focus;                     // body index to plot, or -1 when nothing moves freely
    ts_controller_choice control;  // acts before every step
    ts_recording* recording;       // owned; shown in place of steps (ts_scene_step), NULL: it is simulated
} ts_loaded_scene;

/// How many scenes there are.
int ts_scene_count(void);

/// Scene number i.
const ts_scene* ts_scene_at(int i);

/// The scene of that name, or NULL.
const ts_scene* ts_scene_find(const char* name);

/// A kind of scenes that come in any size, by name and number: "pyramid:30". Adding one: a row in sized.c.
typedef struct ts_sized_scene {
    const char* name;     // "pyramid"
    const char* summary;  // one line: what the number counts
    int most;             // the largest number
    double duration;      // s
    ts_code (*build)(int number, ts_model** out_model, ts_status* out_status);
} ts_sized_scene;

/// Kind i of these; NULL beyond the last.
const ts_sized_scene* ts_scene_sized(int i);

/// Nonzero when ts_scene_load knows this name: a scene's of the table, NAME:NUMBER of a kind that comes in any size, that of a file that
/// only an experiment runs, or "EXPERIMENT" and "EXPERIMENT:VALUE" where the experiment writes its scene.
int ts_scene_is_known(const char* name);

/// Loads a scene by name, or a model's file (MJCF, URDF) by path (anything with a '/' or a '.', or that is no scene's name and exists).
/// An unknown name is TS_ERROR_VALUE, and the message lists the scenes. `report` may be NULL.
ts_code ts_scene_load(const char* name_or_path, ts_import_report* report, ts_loaded_scene* out_scene,
                      ts_status* out_status);

/// The same, with what the file does not say itself.
ts_code ts_scene_load_with(const char* name_or_path, const ts_model_file_options* options, ts_import_report* report,
                           ts_loaded_scene* out_scene, ts_status* out_status);

/// The scene that a recording is of: the one of its name, the file that its model was read from, or the text of that file, which is in
/// the recording, whichever is still the same. `model` (NULL: none) is a file to take instead. TS_ERROR_FILE when nothing of that is there.
ts_code ts_scene_load_recorded(const ts_recording* recording, const char* model, const ts_model_file_options* options,
                               ts_import_report* report, ts_loaded_scene* out_scene, ts_status* out_status);

/// A recording as a scene: its model, found as ts_scene_load_recorded does, whose steps are the moments that were recorded. Simulations of it begin
/// with ts_recording_configure and the first moment.
ts_code ts_scene_load_recording(const char* path, const char* model, const ts_model_file_options* options,
                                ts_import_report* report, ts_loaded_scene* out_scene, ts_status* out_status);

/// Nonzero for the name of a recording: *.h5 or *.hdf5.
int ts_scene_is_recording(const char* name_or_path);

/// The body to look at when nobody names one: the first with a free joint, else the last that moves; -1 where nothing does.
int ts_scene_default_focus(const ts_model* model);

/// The model of a simulation with every joint but free ones locked where it stands, kinematics being those of its state: each tree is one body. Its hulls
/// and height fields stay the simulation's model's, which outlives it. The caller frees it.
ts_code ts_scene_lock(const ts_sim* sim, ts_model** out_model, ts_status* out_status);

/// Releases the model.
void ts_loaded_scene_free(ts_loaded_scene* scene);

#ifdef __cplusplus
}
#endif
#endif
