// `touchstone view`: a window on a running scene, or a picture of it.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/controls.h"
#include "cli/divergence_internal.h"
#include "cli/commands/view_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/video/video_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TS_VIEW_BESIDE = 8 };

// One simulation per solver that was named, or per recording.
typedef struct view_sims {
    ts_sim* sim[1 + TS_VIEW_BESIDE];
    int count;
    // Of several recordings: those beside the first, as the same scene with other steps, and what is known of their difference.
    ts_loaded_scene beside[TS_VIEW_BESIDE];
    const ts_loaded_scene* beside_scene[TS_VIEW_BESIDE];
    char name[1 + TS_VIEW_BESIDE][128];
    double mark;  // s
    char mark_text[320];
} view_sims;

#ifdef TS_HAVE_VIEWER
#include "viewer/viewer.h"

static int stop(void* user) {
    (void)user;
    return ts_signals_caught();
}

static ts_code film(const ts_args* args, ts_view_request* request, ts_status* status) {
    ts_video_format format = {args->video, request->width, request->height, isnan(args->rate) ? 25.0 : args->rate};
    ts_video_job job = {.patience = HUGE_VAL};
    if (isnan(args->time)) request->time = request->sim->time + request->scene->duration;
    if (!(request->time > request->sim->time))
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                             "a film has to end after its start, t = %g s: --time says when", request->sim->time);
    ts_code code =
        ts_video_begin(&format, request->time - request->sim->time, isnan(args->slow) ? 1.0 : args->slow, &job, status);
    if (code) return code;
    return ts_video_end(&job, ts_viewer_film(request, job.count, ts_video_take, &job, status), NULL, status);
}

static ts_code charts(const ts_args* args, ts_view_request* request, ts_status* status) {
    if (isnan(args->time)) request->time = request->sim->time + request->scene->duration;
    return ts_viewer_charts(request, args->charts, status);
}

static ts_code measure(const ts_args* args, const ts_view_request* request, ts_status* status) {
    ts_viewer_cost cost;
    ts_text text = {0};
    ts_code code = ts_viewer_measure(request, args->measure, &cost, status);
    if (code) return code;
    if (args->json) {
        ts_json json = ts_json_begin(&text);
        ts_json_object(&json);
        ts_json_add_string(&json, "scene", request->scene->name);
        ts_json_add_integer(&json, "bodies", request->sim->model->body_count - 1);
        ts_json_add_integer(&json, "items", cost.items);
        ts_json_add_number(&json, "list_seconds", cost.list);
        ts_json_add_number(&json, "frame_seconds", cost.draw);
        ts_json_add_integer(&json, "draw_calls", cost.frame.draw_calls);
        ts_json_add_integer(&json, "uploads", cost.frame.uploads);
        ts_json_add_integer(&json, "upload_bytes", cost.frame.bytes);
        ts_json_add_integer(&json, "mesh_bytes", cost.open.bytes);
        ts_json_object_end(&json);
        ts_text_add(&text, "\n");
    } else {
        ts_text_add(&text,
                    "%s, %d bodies, %d things to draw: frame %.3g ms, of which list %.3g ms; %lld draw calls, %lld "
                    "uploads of %.3g kB (meshes, once: %.3g kB)\n",
                    request->scene->name, request->sim->model->body_count - 1, cost.items, 1e3 * cost.draw,
                    1e3 * cost.list, cost.frame.draw_calls, cost.frame.uploads, 1e-3 * (double)cost.frame.bytes,
                    1e-3 * (double)cost.open.bytes);
    }
    return ts_console_print(&text, TS_EXIT_DONE) ? TS_ERROR_FILE : TS_OK;
}

// What is shown, from where and how.
static ts_code read_wishes(const ts_args* args, const ts_model* model, ts_camera* camera, ts_view_request* request,
                           ts_status* status) {
    ts_code code =
        args->camera ? ts_viewer_read_camera(args->camera, model, camera, &request->model_camera, status) : TS_OK;
    if (!code && args->camera) request->camera = camera;
    if (!code && args->layers) code = ts_viewer_read_layers(args->layers, request, status);
    request->layout = TS_LAYOUT_PANES;
    if (!code && args->layout) code = ts_viewer_read_layout(args->layout, &request->layout, status);
    return code;
}

static ts_code check_wishes(const ts_args* args, const ts_model* model, const ts_sim* sim, ts_status* status) {
    ts_camera camera;
    ts_view_request request = ts_view_request_default();
    ts_code code = args->charts ? ts_viewer_check_charts(args->charts, status) : TS_OK;
    if (!code && args->watch) code = ts_viewer_check_watched(args->watch, sim, status);
    return code ? code : read_wishes(args, model, &camera, &request, status);
}

// The first layer that was asked for and that pages have not, or 0.
static unsigned layer_beyond_pages(const ts_view_request* request, unsigned usual) {
    const unsigned known =
        TS_SHOW_GEOMS | TS_SHOW_PATTERN | TS_SHOW_CONTACTS | TS_SHOW_FORCES | TS_SHOW_GLASS | TS_SHOW_GRID;
    return (request->show ^ usual) & ~known;
}

ts_code ts_view_html_look(const ts_args* args, const ts_model* model, ts_replay_look* out_look, ts_status* out_status) {
    ts_view_request request = ts_view_request_default();
    ts_camera camera;
    const unsigned usual = request.show;
    ts_code code = read_wishes(args, model, &camera, &request, out_status);
    if (code) return code;
    if (layer_beyond_pages(&request, usual) || request.hidden_groups || request.card || !request.overlay)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "--layers %s: a page has contacts, forces, glass, grid and dark only", args->layers);
    memset(out_look, 0, sizeof *out_look);
    if (args->camera) {
        out_look->is_turned = 1;
        out_look->azimuth = camera.azimuth;
        out_look->elevation = camera.elevation;
        out_look->distance = camera.distance;
        out_look->target = camera.target;
    }
    out_look->contacts = (request.show & TS_SHOW_CONTACTS) != 0;
    out_look->forces = (request.show & TS_SHOW_FORCES) != 0;
    out_look->glass = (request.show & TS_SHOW_GLASS) != 0;
    out_look->grid = (request.show & TS_SHOW_GRID) != 0;
    out_look->ghosts = request.layout == TS_LAYOUT_GHOSTS;
    out_look->dark = request.dark;
    return ts_status_ok(out_status);
}

// The typeface that was asked for; NULL is the viewer's own.
static ts_code choose_typeface(const ts_args* args, ts_typeface** out_typeface, ts_status* status) {
    *out_typeface = NULL;
    if (args->font && strcmp(args->font, "own") == 0) return ts_status_ok(status);
    if (args->font) return ts_typeface_open(args->font, out_typeface, status);
    *out_typeface = ts_typeface_usual();
    return ts_status_ok(status);
}

static ts_code show(const ts_args* args, const ts_loaded_scene* scene, const view_sims* sims, ts_status* status) {
    ts_view_request request = ts_view_request_default();
    request.scene = scene;
    request.sim = sims->sim[0];
    request.subject = args->subject ? args->subject : ts_scene_at(0)->name;
    request.browse = !args->subject;
    request.png_path = args->png;
    if (!isnan(args->time)) request.time = args->time;
    if (args->width > 0) {
        request.width = args->width;
        request.height = args->height;
    }
    request.watched = args->watch;
    ts_camera camera;
    ts_view_companion companion[TS_VIEW_BESIDE];
    ts_code code = read_wishes(args, scene->model, &camera, &request, status);
    if (code) return code;
    memset(companion, 0, sizeof companion);
    for (int i = 1; i < sims->count; ++i) {
        companion[i - 1].sim = sims->sim[i];
        if (sims->name[i][0]) companion[i - 1].name = sims->name[i];
    }
    if (sims->count > 1 && sims->beside_scene[0]) {
        request.companion_scene = sims->beside_scene;
        request.name = sims->name[0];
        request.mark = sims->mark;
        if (sims->mark_text[0]) request.mark_text = sims->mark_text;
    }
    request.companion = companion;
    request.companion_count = sims->count - 1;
    request.stop = stop;
    ts_signals_begin();
    ts_typeface* typeface;
    code = choose_typeface(args, &typeface, status);
    request.typeface = typeface;
    if (!code && args->charts)
        code = charts(args, &request, status);
    else if (!code && args->measure)
        code = measure(args, &request, status);
    else if (!code)
        code = args->video ? film(args, &request, status) : ts_viewer_run(&request, status);
    ts_typeface_free(typeface);
    return code;
}

#else

static ts_code check_wishes(const ts_args* args, const ts_model* model, const ts_sim* sim, ts_status* status) {
    (void)args;
    (void)model;
    (void)sim;
    return ts_status_ok(status);
}

ts_code ts_view_html_look(const ts_args* args, const ts_model* model, ts_replay_look* out_look, ts_status* out_status) {
    (void)model;
    const char* unheard = args->camera ? "--camera" : args->layers ? "--layers" : args->layout ? "--layout" : NULL;
    memset(out_look, 0, sizeof *out_look);
    out_look->contacts = out_look->forces = out_look->grid = 1;
    if (!unheard) return ts_status_ok(out_status);
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "%s: this build has no viewer (build with TS_VIEWER=ON)", unheard);
}

static ts_code show(const ts_args* args, const ts_loaded_scene* scene, const view_sims* sims, ts_status* status) {
    (void)args;
    (void)scene;
    (void)sims;
    return ts_status_set(status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no viewer (build with TS_VIEWER=ON)");
}

#endif

int ts_view_outputs(const ts_args* args, const char* out_first[2]) {
    const char* const given[4] = {args->png, args->video, args->charts, args->html};
    static const char* const flag[4] = {"--png", "--video", "--charts", "--html"};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        if (given[i] && count < 2) out_first[count] = flag[i];
        count += given[i] != NULL;
    }
    return count;
}

static int check_outputs(const ts_args* args, const ts_model* model, const ts_sim* sim, ts_status* status) {
    const char* output[2] = {NULL, NULL};
    if (ts_view_outputs(args, output) > 1) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s or %s, not both", output[0], output[1]);
        return TS_EXIT_USAGE;
    }
    if (args->watch && !args->charts && (output[0] || args->measure)) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "--watch charts numbers in a window or with --charts, not with %s",
                      output[0] ? output[0] : "--measure");
        return TS_EXIT_USAGE;
    }
    // Of a run that goes on from a recording, too, --time counts from zero.
    if (!isnan(args->time) && args->time < sim->time - 0.5 * sim->options.time_step) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--time %g is before the start, t = %g s", args->time,
                      sim->time);
        return TS_EXIT_USAGE;
    }
    if (check_wishes(args, model, sim, status)) return TS_EXIT_USAGE;
    if (args->png && ts_setup_writable(args->png, status)) return TS_EXIT_FAILED;
    if (args->charts && ts_setup_writable(args->charts, status)) return TS_EXIT_FAILED;
    if (args->video && (ts_video_check(args->video, status) || ts_setup_writable(args->video, status)))
        return TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

static void name_recording(const char* path, const ts_recording_about* about, char out_name[128]) {
    const char* slash = strrchr(path, '/');
    snprintf(out_name, 128, "%.80s%s%.30s", slash ? slash + 1 : path, about->solver[0] ? ", " : "", about->solver);
}

// A simulation that shows the first moment of a recording, or for a picture one near its time, so that the chart has a past.
static int load_recording(const ts_args* args, const char* path, ts_import_report* report, ts_loaded_scene* scene,
                          view_sims* sims, ts_status* status) {
    enum { PAST = 200 };
    int exit_code = ts_setup_load_recording(args, path, report, scene, status);
    if (exit_code) return exit_code;
    const ts_recording_about* about = ts_recording_about_of(scene->recording);
    double end = about->time[about->count - 1];
    if (!isnan(args->time) &&
        (args->time > end + 0.5 * about->time_step || args->time < about->time[0] - 0.5 * about->time_step)) {
        ts_status_set(status, TS_ERROR_VALUE, path, 0, "the recording goes from t = %g s to t = %g s", about->time[0],
                      end);
        return TS_EXIT_USAGE;
    }
    long long row = args->video || args->charts || isnan(args->time)
                        ? 0
                        : ts_recording_nearest(scene->recording, args->time) - PAST;
    ts_sim** sim = &sims->sim[sims->count];
    ts_code code = ts_sim_create(scene->model, args->threads > 0 ? args->threads : 1, sim, status);
    if (code) return TS_EXIT_FAILED;
    name_recording(path, about, sims->name[sims->count++]);
    code = ts_recording_configure(scene->recording, *sim, status);
    if (!code) code = ts_recording_take(scene->recording, row > 0 ? row : 0, *sim, status);
    return code ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

// One more recording of the model that is there.
static int load_beside(const ts_args* args, const char* path, const ts_loaded_scene* first, view_sims* sims,
                       ts_status* status) {
    int i = sims->count - 1;
    ts_loaded_scene* scene = &sims->beside[i];
    *scene = *first;
    scene->recording = NULL;
    if (ts_recording_open(path, &scene->recording, status)) return TS_EXIT_FAILED;
    sims->beside_scene[i] = scene;
    const ts_recording_about* about = ts_recording_about_of(scene->recording);
    ts_sim** sim = &sims->sim[sims->count];
    ts_code code = ts_sim_create(first->model, args->threads > 0 ? args->threads : 1, sim, status);
    if (code) return TS_EXIT_FAILED;
    name_recording(path, about, sims->name[sims->count++]);
    code = ts_recording_configure(scene->recording, *sim, status);
    if (!code) {
        long long row = ts_recording_nearest(scene->recording, sims->sim[0]->time);
        code = ts_recording_take(scene->recording, row > 0 ? row : 0, *sim, status);
    }
    return code ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

static int load_recordings(const ts_args* args, ts_import_report* report, ts_loaded_scene* scene, view_sims* sims,
                           ts_status* status) {
    if (args->file_count > 1 + TS_VIEW_BESIDE) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%d recordings side by side are the most, not %d",
                      1 + TS_VIEW_BESIDE, args->file_count);
        return TS_EXIT_USAGE;
    }
    for (int i = 1; i < args->file_count; ++i)
        if (!ts_setup_looks_recorded(args->file[i])) {
            ts_status_set(
                status, TS_ERROR_VALUE, NULL, 0,
                "recordings can be seen beside each other, and a scene under several solvers (--solver): what is '%s'?",
                args->file[i]);
            return TS_EXIT_USAGE;
        }
    int exit_code = load_recording(args, args->subject, report, scene, sims, status);
    for (int i = 1; i < args->file_count && !exit_code; ++i)
        exit_code = load_beside(args, args->file[i], scene, sims, status);
    sims->mark = (double)NAN;
    if (!exit_code && args->file_count == 2) {
        ts_recording* const both[2] = {scene->recording, sims->beside[0].recording};
        sims->mark = ts_divergence_mark(both, scene->model, sims->mark_text, sizeof sims->mark_text);
    }
    return exit_code ? exit_code : check_outputs(args, scene->model, sims->sim[0], status);
}

static int load(const ts_args* args, ts_import_report* report, ts_loaded_scene* scene, ts_controls* controls,
                view_sims* sims, ts_status* status) {
    if (args->subject && ts_setup_looks_recorded(args->subject))
        return load_recordings(args, report, scene, sims, status);
    if (args->file_count > 1) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "one scene, under several solvers (--solver), or several recordings: what is '%s'?",
                      args->file[1]);
        return TS_EXIT_USAGE;
    }
    ts_solver_choice chosen = {1, {NULL}};
    if (args->solver && ts_setup_solvers(args->solver, &chosen, status)) return TS_EXIT_USAGE;
    if (chosen.count > 1 + TS_VIEW_BESIDE) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "%d simulations side by side are the most, not %d: --solver names them", 1 + TS_VIEW_BESIDE,
                      chosen.count);
        return TS_EXIT_USAGE;
    }
    int exit_code = ts_setup_load(args, args->subject ? args->subject : ts_scene_at(0)->name, report, scene, status);
    if (exit_code) return exit_code;
    ts_code code = ts_controls_read(args, scene->model, controls, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    for (int i = 0; i < chosen.count && !code; ++i) {
        ts_sim** sim = &sims->sim[sims->count];
        char recording[4096];
        if (ts_sim_create(scene->model, args->threads > 0 ? args->threads : 1, sim, status)) return TS_EXIT_FAILED;
        ++sims->count;
        const char* solver = chosen.solver[i] ? chosen.solver[i]->name : NULL;
        code = ts_setup_configure(*sim, args, solver, chosen.count > 1, status);
        if (!code) ts_controls_follow(controls, *sim);
        if (!code) code = ts_setup_from(args, *sim, recording, sizeof recording, status);
    }
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    return check_outputs(args, scene->model, sims->sim[0], status);
}

static int report_done(const ts_args* args, const ts_loaded_scene* scene, const ts_sim* sim) {
    ts_text text = {0};
    if (args->json) {
        ts_json json = ts_json_begin(&text);
        ts_json_object(&json);
        ts_json_add_string(&json, "scene", scene->name);
        ts_json_add_number(&json, "time", sim->time);
        ts_json_add_string(&json, "png", args->png);
        ts_json_add_string(&json, "video", args->video);
        ts_json_add_string(&json, "charts", args->charts);
        ts_json_object_end(&json);
        ts_text_add(&text, "\n");
    } else if (args->png || args->video || args->charts) {
        ts_text_add(&text, "%s %s t = %g s: %s\n", scene->name, args->png ? "at" : "until", sim->time,
                    args->png     ? args->png
                    : args->video ? args->video
                                  : args->charts);
    }
    return ts_console_print(&text, TS_EXIT_DONE);
}

int ts_cmd_view(const ts_args* args) {
    if (args->html) return ts_view_html(args);
    ts_import_report report;
    ts_loaded_scene scene;
    ts_controls controls;
    memset(&controls, 0, sizeof controls);
    memset(&report, 0, sizeof report);
    memset(&scene, 0, sizeof scene);
    view_sims sims;
    memset(&sims, 0, sizeof sims);
    ts_status status;
    ts_status_ok(&status);
    int exit_code = load(args, &report, &scene, &controls, &sims, &status);
    if (exit_code == TS_EXIT_DONE && sims.sim[0]) {
        ts_setup_note_report(args->subject ? args->subject : scene.name, &report);
        ts_code code = show(args, &scene, &sims, &status);
        if (code == TS_ERROR_INTERRUPTED && ts_signals_caught())
            exit_code = ts_signals_exit_code();
        else if (code)
            exit_code = TS_EXIT_FAILED;
    }
    if (exit_code)
        exit_code = ts_console_error("view", args->json, exit_code, &status);
    else if (sims.sim[0] && !args->measure)
        exit_code = report_done(args, &scene, sims.sim[0]);
    for (int i = 0; i < sims.count; ++i) ts_sim_free(sims.sim[i]);
    for (int i = 0; i < TS_VIEW_BESIDE; ++i) ts_recording_close(sims.beside[i].recording);
    ts_loaded_scene_free(&scene);
    ts_controls_free(&controls);
    ts_import_report_free(&report);
    return exit_code;
}
