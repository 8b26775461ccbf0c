// Loading scenes, choosing solvers, applying settings, and preparing an output directory.
#include "cli/setup.h"

#include "cli/console.h"
#include "engine/record/record.h"
#include "engine/step/integrate/integrator.h"
#include "scenes/experiments/experiment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Scenes, then those of experiments.
static int sized_count(void) {
    int count = 0;
    while (ts_scene_sized(count)) ++count;
    return count;
}

// Scenes, those of experiments and kinds that come in any size.
static const char* scene_name(const void* context, int i) {
    int scenes = ts_scene_count(), experiments = ts_experiment_count();
    (void)context;
    if (i < scenes) return ts_scene_at(i)->name;
    if (i < scenes + experiments) return ts_experiment_scene(ts_experiment_at(i - scenes));
    return ts_scene_sized(i - scenes - experiments)->name;
}

static const char* solver_name(const void* context, int i) {
    (void)context;
    return ts_solver_at(i)->name;
}

int ts_setup_is_recording(const char* path) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char first[8];
    FILE* file = fopen(path, "rb");
    int found = file && fread(first, 1, sizeof first, file) == sizeof first && memcmp(first, signature, 8) == 0;
    if (file) fclose(file);
    return found;
}

int ts_setup_looks_recorded(const char* path) { return ts_setup_is_recording(path) || ts_scene_is_recording(path); }

// What can be told of a name before it is taken for a scene or a model's file.
// A kind of scenes that come in any size, without its number or with one that it does not take.
static int lacks_size(const char* name, ts_status* out_status) {
    const ts_sized_scene* kind;
    size_t length = strcspn(name, ":");
    for (int i = 0; (kind = ts_scene_sized(i)) != NULL; ++i)
        if (strlen(kind->name) == length && strncmp(kind->name, name, length) == 0)
            ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                          "'%s' takes a whole number from 1 to %d, such as '%s:10' (%s), not '%s'", kind->name,
                          kind->most, kind->name, kind->summary, name);
    return out_status->code != TS_OK;
}

static int is_something_else(const char* name, ts_status* out_status) {
    const ts_experiment* experiment = ts_experiment_find(name);
    if (experiment && experiment->scene)
        ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                      "'%s' is an experiment: 'touchstone compare %s' runs it; its scene is '%s'", name, name,
                      experiment->scene);
    else if (ts_setup_is_recording(name))
        ts_status_set(
            out_status, TS_ERROR_VALUE, name, 0,
            "this is an HDF5 file, not a model: 'touchstone solve' takes contact problems; a recording is shown by "
            "'touchstone view', read with h5py or h5dump, and '--from' starts a scene from its end");
    else if (ts_scene_is_recording(name) && access(name, R_OK) == 0)
        ts_status_set(out_status, TS_ERROR_VALUE, name, 0, "the name is that of a recording, and this is no HDF5 file");
    return out_status->code != TS_OK;
}

// What the command line says about a URDF. ROS_PACKAGE_PATH is what its users have set already.
static ts_code file_options(const ts_args* args, ts_model_file_options* out_options, ts_status* out_status) {
    memset(out_options, 0, sizeof *out_options);
    out_options->package_path = args->package_path ? args->package_path : getenv("ROS_PACKAGE_PATH");
    out_options->srdf = args->srdf;
    out_options->overlaps_touch = args->overlaps && strcmp(args->overlaps, "keep") == 0;
    if (args->overlaps && strcmp(args->overlaps, "keep") != 0 && strcmp(args->overlaps, "exclude") != 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--overlaps is exclude or keep, not '%.40s'",
                             args->overlaps);
    if (args->root && strcmp(args->root, "fixed") == 0)
        out_options->root = TS_ROOT_FIXED;
    else if (args->root && strcmp(args->root, "floating") == 0)
        out_options->root = TS_ROOT_FLOATING;
    else if (args->root)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--root is fixed or floating, not '%.40s'",
                             args->root);
    return TS_OK;
}

static const char* controller_name(const void* context, int i) {
    (void)context;
    return ts_controller_at(i)->name;
}

static int choose_controller(const ts_args* args, ts_loaded_scene* scene, ts_status* out_status) {
    static const char prefix[] = "controller.";
    if (args->controller && strcmp(args->controller, "none") != 0 && !ts_controller_find(args->controller)) {
        char room[TS_ARGS_HINT];
        ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no controller is called '%s'%s", args->controller,
                      ts_args_hint(args->controller, controller_name, NULL, ts_controller_count(),
                                   " ('touchstone list controllers' shows them)", room));
        return TS_EXIT_USAGE;
    }
    if (args->controller && ts_controller_choose(args->controller, scene->model, &scene->control, out_status))
        return TS_EXIT_USAGE;
    for (int i = 0; i < args->pair_count; ++i) {
        char name[64];
        double value = 0.0;
        if (strncmp(args->pair[i], prefix, sizeof prefix - 1) != 0) continue;
        const char* key = args->pair[i] + sizeof prefix - 1;
        const char* equals = strchr(key, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - key < 63 ? equals - key : 63), key);
        if (!ts_args_number(equals + 1, &value)) {
            ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--set takes %s%s=NUMBER, not '%.60s'", prefix, name,
                          equals + 1);
            return TS_EXIT_USAGE;
        }
        if (ts_controller_set(&scene->control, name, value, out_status)) return TS_EXIT_USAGE;
    }
    return TS_EXIT_DONE;
}

// What has been left out of a model is often why the rest of it makes no sense: what stands nearest to the complaint is named.
static void name_left_out(const ts_import_report* report, ts_status* io_status) {
    const ts_import_item* nearest = NULL;
    int count = 0;
    for (int i = 0; report && i < report->count; ++i) {
        const ts_import_item* item = &report->item[i];
        if (item->level != TS_IMPORT_IGNORED || !item->affects_physics) continue;
        ++count;
        if (strcmp(item->file, io_status->file) == 0 &&
            (!nearest || abs(item->line - io_status->line) <= abs(nearest->line - io_status->line)))
            nearest = item;
    }
    if (!nearest) return;
    size_t length = strlen(io_status->message), room = sizeof io_status->message - length;
    snprintf(io_status->message + length, room, " (%s of line %d was left out%s)", nearest->what, nearest->line,
             count > 1 ? ", and more: 'touchstone check' lists it" : "");
}

int ts_setup_load(const ts_args* args, const char* name_or_path, ts_import_report* report, ts_loaded_scene* out_scene,
                  ts_status* out_status) {
    struct stat info;
    int known = ts_scene_is_known(name_or_path);
    ts_status_ok(out_status);
    if (!known && is_something_else(name_or_path, out_status)) return TS_EXIT_USAGE;
    if (!known && !strpbrk(name_or_path, "/.") && stat(name_or_path, &info) != 0) {
        char room[TS_ARGS_HINT], wanted[64];
        if (lacks_size(name_or_path, out_status)) return TS_EXIT_USAGE;
        snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(name_or_path, ":"), name_or_path);
        ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no scene or file is called '%s'%s", name_or_path,
                      ts_args_hint(wanted, scene_name, NULL, ts_scene_count() + ts_experiment_count() + sized_count(),
                                   " ('touchstone list scenes' and 'list experiments' show what there is)", room));
        return TS_EXIT_USAGE;
    }
    ts_model_file_options options;
    if (file_options(args, &options, out_status)) return TS_EXIT_USAGE;
    if (ts_scene_load_with(name_or_path, &options, report, out_scene, out_status)) {
        name_left_out(report, out_status);
        return TS_EXIT_FAILED;
    }
    return choose_controller(args, out_scene, out_status);
}

int ts_setup_load_recorded(const ts_args* args, const ts_recording* recording, ts_import_report* report,
                           ts_loaded_scene* out_scene, ts_status* out_status) {
    ts_model_file_options options;
    if (file_options(args, &options, out_status)) return TS_EXIT_USAGE;
    if (ts_scene_load_recorded(recording, args->model, &options, report, out_scene, out_status)) return TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

ts_code ts_setup_only_shown(const ts_args* args, ts_status* out_status) {
    const char* flag = args->solver           ? "--solver"
                       : !isnan(args->dt)     ? "--dt"
                       : args->substeps > 0   ? "--substeps"
                       : args->key            ? "--key"
                       : args->from           ? "--from"
                       : args->pair_count > 0 ? "--set"
                       : args->controller     ? "--controller"
                       : args->ctrl_count > 0 ? "--ctrl"
                       : args->ctrl_file      ? "--ctrl-file"
                                              : NULL;
    if (!flag) return ts_status_ok(out_status);
    return ts_status_set(
        out_status, TS_ERROR_VALUE, NULL, 0,
        "a recording is shown as the run was, which %s cannot change ('touchstone view SCENE --from' goes on "
        "from its end)",
        flag);
}

int ts_setup_load_recording(const ts_args* args, const char* path, ts_import_report* report, ts_loaded_scene* out_scene,
                            ts_status* out_status) {
    ts_model_file_options options;
    if (ts_setup_only_shown(args, out_status) || file_options(args, &options, out_status)) return TS_EXIT_USAGE;
    if (ts_scene_load_recording(path, args->model, &options, report, out_scene, out_status)) return TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

const ts_solver* ts_setup_solver(const char* name, ts_status* out_status) {
    const ts_solver* solver = ts_solver_find(name);
    if (solver) return solver;
    char known[400], room[TS_ARGS_HINT];
    ts_text_list(solver_name, NULL, ts_solver_count(), sizeof known, known);
    ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no solver is called '%s'%s; solvers: %s", name,
                  ts_args_hint(name, solver_name, NULL, ts_solver_count(), "", room), known);
    return NULL;
}

static ts_code add_solver(ts_solver_choice* choice, const ts_solver* solver, ts_status* out_status) {
    for (int i = 0; i < choice->count; ++i)
        if (choice->solver[i] == solver)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--solvers names '%s' twice", solver->name);
    if (choice->count == TS_SETUP_SOLVERS)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "more than %d solvers", (int)TS_SETUP_SOLVERS);
    choice->solver[choice->count++] = solver;
    return TS_OK;
}

ts_code ts_setup_solvers(const char* names, ts_solver_choice* out_choice, ts_status* out_status) {
    ts_code code = TS_OK;
    out_choice->count = 0;
    if (strcmp(names, "all") == 0) {
        for (int i = 0; i < ts_solver_count() && !code; ++i) code = add_solver(out_choice, ts_solver_at(i), out_status);
        return code;
    }
    for (const char* c = names; *c && !code;) {
        char name[64];
        size_t length = strcspn(c, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), c);
        const ts_solver* solver = length > 0 ? ts_setup_solver(name, out_status) : NULL;
        if (solver)
            code = add_solver(out_choice, solver, out_status);
        else if (length > 0)
            code = out_status->code;
        c += length + (c[length] == ',');
    }
    if (code || out_choice->count > 0) return code;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--solvers names no solver");
}

static const char* integrator_name(const void* context, int i) {
    (void)context;
    return ts_integrator_at(i)->name;
}

ts_code ts_setup_integrators(const char* names, ts_integrator_choice* out_choice, ts_status* out_status) {
    enum { MOST = sizeof out_choice->name / sizeof out_choice->name[0] };
    out_choice->count = 0;
    for (int i = 0; strcmp(names, "all") == 0 && i < ts_integrator_count() && i < MOST; ++i)
        out_choice->name[out_choice->count++] = ts_integrator_at(i)->name;
    for (const char* c = names; out_choice->count == 0 || (strcmp(names, "all") != 0 && *c);) {
        char name[64], known[256];
        size_t length = strcspn(c, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), c);
        const ts_integrator* integrator = ts_integrator_find(name);
        if (!integrator || out_choice->count == MOST) {
            ts_text_list(integrator_name, NULL, ts_integrator_count(), sizeof known, known);
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                                 "--integrators: no integrator \"%s\"; there are: %s", name, known);
        }
        out_choice->name[out_choice->count++] = integrator->name;
        c += length + (c[length] == ',');
        if (!*c) break;
    }
    return ts_status_ok(out_status);
}

// Names that --set knows: options first, then the settings of all solvers as "solver.NAME".
enum { MOST_KEYS = 256 };

typedef struct key_list {
    int count;
    char name[MOST_KEYS][64];
} key_list;

static const char* key_name(const void* context, int i) { return ((const key_list*)context)->name[i]; }

ts_code ts_setup_unknown_key(const char* key, int with_options, const ts_solver_choice* among, ts_status* out_status) {
    key_list* list = (key_list*)calloc(1, sizeof *list);
    char room[TS_ARGS_HINT];
    if (!list) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    for (int i = 0; with_options && i < ts_option_count() && list->count < MOST_KEYS; ++i)
        snprintf(list->name[list->count++], sizeof list->name[0], "%s", ts_option_at(i)->name);
    for (int s = 0; s < among->count; ++s)
        for (int i = 0; i < ts_solver_setting_count(among->solver[s]) && list->count < MOST_KEYS; ++i)
            snprintf(list->name[list->count++], sizeof list->name[0], "solver.%s",
                     ts_solver_setting_at(among->solver[s], i)->name);
    ts_status_set(
        out_status, TS_ERROR_VALUE, NULL, 0, "there is no option '%s'%s", key,
        ts_args_hint(key, key_name, list, list->count,
                     " ('touchstone list solvers --json' shows the settings of solvers, 'touchstone run --help' "
                     "the options)",
                     room));
    free(list);
    return TS_ERROR_VALUE;
}

static ts_code unknown_key(const char* key, const ts_solver* only, ts_status* out_status) {
    ts_solver_choice among = {1, {only}};
    if (!only) (void)ts_setup_solvers("all", &among, out_status);
    return ts_setup_unknown_key(key, 1, &among, out_status);
}

static int is_option(const char* key) {
    for (int i = 0; i < ts_option_count(); ++i)
        if (strcmp(ts_option_at(i)->name, key) == 0) return 1;
    return 0;
}

// Applies one pair when it is of the wanted kind: 0 options, 1 settings of the solver.
static ts_code apply_pair(ts_sim* sim, const char* pair, int settings, int skip_foreign, ts_status* out_status) {
    const char* equals = strchr(pair, '=');
    char key[128];
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair < 127 ? equals - pair : 127), pair);
    int is_setting = strncmp(key, "solver.", 7) == 0;
    if (strncmp(key, "controller.", 11) == 0) return TS_OK;  // the scene has it already
    if (is_setting != settings) return TS_OK;
    if (is_setting && !ts_solver_setting_find(sim->solver, key + 7)) {
        for (int s = 0; skip_foreign && s < ts_solver_count(); ++s)
            if (ts_solver_setting_find(ts_solver_at(s), key + 7)) return TS_OK;
        return unknown_key(key, skip_foreign ? NULL : sim->solver, out_status);
    }
    if (!is_setting && !is_option(key)) return unknown_key(key, skip_foreign ? NULL : sim->solver, out_status);
    return ts_sim_set(sim, key, equals + 1, out_status);
}

// A flag and a --set that say different things: neither may win in silence.
static ts_code check_contradictions(const ts_args* args, ts_status* out_status) {
    for (int i = 0; i < args->pair_count; ++i) {
        const char* pair = args->pair[i];
        double value;
        if (args->solver && strncmp(pair, "solver=", 7) == 0 && strcmp(pair + 7, args->solver) != 0)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--solver %s contradicts --set %s", args->solver,
                                 pair);
        if (!isnan(args->dt) && strncmp(pair, "time_step=", 10) == 0 &&
            !(ts_args_number(pair + 10, &value) && value == args->dt))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--dt %g contradicts --set %s", args->dt, pair);
        if (args->substeps > 0 && strncmp(pair, "substeps=", 9) == 0 &&
            !(ts_args_number(pair + 9, &value) && value == args->substeps))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--substeps %d contradicts --set %s",
                                 args->substeps, pair);
    }
    return TS_OK;
}

ts_code ts_setup_configure(ts_sim* sim, const ts_args* args, const char* solver, int skip_foreign,
                           ts_status* out_status) {
    ts_code code = check_contradictions(args, out_status);
    if (code) return code;
    sim->times = TS_STEP_TIMES_TOTAL;
    for (int i = 0; i < args->pair_count; ++i) {
        code = apply_pair(sim, args->pair[i], 0, skip_foreign, out_status);
        if (code) return code;
    }
    if (!isnan(args->dt)) {
        char value[64];
        snprintf(value, sizeof value, "%.17g", args->dt);
        code = ts_sim_set(sim, "time_step", value, out_status);
        if (code) return code;
    }
    if (args->substeps > 0) sim->options.substeps = args->substeps;
    // Chosen after the options, since a solver takes tolerance and iterations from them; its settings come after that.
    char chosen[sizeof sim->options.solver];
    snprintf(chosen, sizeof chosen, "%s", solver ? solver : sim->options.solver);
    code = ts_sim_set_solver(sim, chosen, out_status);
    if (code == TS_OK && args->key) code = ts_sim_start_from(sim, args->key, out_status);
    for (int i = 0; code == TS_OK && i < args->pair_count; ++i)
        code = apply_pair(sim, args->pair[i], 1, skip_foreign, out_status);
    return code;
}

ts_code ts_setup_from(const ts_args* args, ts_sim* sim, char* out_recording, size_t size, ts_status* out_status) {
    snprintf(out_recording, size, "%s", args->from ? args->from : "");
    if (!args->from) return TS_OK;
    if (args->key)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--from %s contradicts --key %s", args->from,
                             args->key);
    // What is no number behind the last @ belongs to the name.
    double time = (double)NAN;
    char* at = strrchr(out_recording, '@');
    if (at && ts_args_number(at + 1, &time)) *at = '\0';
    return ts_record_restore(out_recording, time, sim, out_status);
}

ts_code ts_setup_strict(const ts_args* args, const ts_import_report* report, const char* file, ts_status* out_status) {
    int ignored = ts_import_report_count(report, TS_IMPORT_IGNORED, 1);
    int approximated = ts_import_report_count(report, TS_IMPORT_APPROXIMATED, 1);
    if (!args->strict || ignored + approximated == 0) return ts_status_ok(out_status);
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, file, 0,
                         "--strict: %d ignored and %d approximated kinds of content affect the physics "
                         "('touchstone check' lists them)",
                         ignored, approximated);
}

void ts_setup_note_report(const char* subject, const ts_import_report* report) {
    int ignored = ts_import_report_count(report, TS_IMPORT_IGNORED, 1);
    int approximated = ts_import_report_count(report, TS_IMPORT_APPROXIMATED, 1);
    if (ignored + approximated == 0) return;
    ts_console_note("%s: %d ignored and %d approximated kinds of content affect the physics; "
                    "'touchstone check %s' lists them",
                    subject, ignored, approximated, subject);
}

ts_code ts_setup_directory(const char* path, int* out_created, ts_status* out_status) {
    *out_created = 0;
    char part[4096];
    if (strlen(path) + 32 > sizeof part)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the path of the output directory is too long");
    for (size_t i = 1; i <= strlen(path); ++i) {
        if (path[i] != '/' && path[i]) continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        struct stat info;
        if (stat(part, &info) == 0 && S_ISDIR(info.st_mode)) continue;
        if (mkdir(part, 0777) != 0)
            return ts_status_set(out_status, TS_ERROR_FILE, part, 0, "cannot make this directory: %s",
                                 errno == EEXIST ? "there is a file of that name" : strerror(errno));
        *out_created = 1;
    }
    // Only trying tells: permissions, read-only file systems and quotas all end here.
    snprintf(part, sizeof part, "%s/.touchstone-XXXXXX", path);
    int fd = mkstemp(part);
    if (fd < 0) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write here: %s", strerror(errno));
    close(fd);
    unlink(part);
    return ts_status_ok(out_status);
}

// The folder of a path, into `out_folder` (size bytes), and the rest of it.
static const char* split_path(const char* path, char* out_folder, size_t size) {
    const char* slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(out_folder, size, "%.*s", (int)(length < size ? length : size - 1), path);
    if (length == 0) snprintf(out_folder, size, ".");
    return slash ? slash + 1 : path;
}

int ts_setup_same_file(const char* a, const char* b) {
    struct stat one, two;
    char folder_a[1024], folder_b[1024];
    if (strcmp(a, b) == 0) return 1;
    int there_a = stat(a, &one) == 0, there_b = stat(b, &two) == 0;
    if (there_a != there_b) return 0;
    if (!there_a) {
        if (strcmp(split_path(a, folder_a, sizeof folder_a), split_path(b, folder_b, sizeof folder_b)) != 0) return 0;
        if (stat(folder_a, &one) != 0 || stat(folder_b, &two) != 0) return 0;
    }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

ts_code ts_setup_writable(const char* path, ts_status* out_status) {
    struct stat info;
    int existed = stat(path, &info) == 0;
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    if (fd < 0) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write: %s", strerror(errno));
    close(fd);
    if (!existed) unlink(path);
    return ts_status_ok(out_status);
}
