// Where the contact problems come from. Steps are simulated with the solver `ncp`, so that the states are those of the
// exact law; each problem is copied by blocks while the step's memory lasts. What the table of scenes does not have, a
// wall of bricks, a funnel, cubes of unequal mass, is written down here.
#include "bench/contact_problems.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "contact/operator/delassus_block.h"
#include "contact/file/fclib.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

enum { STEPS = 4 };

// A scene and the steps whose problems are kept; 0 ends the list.
typedef struct recorded_scene {
    const char* scene;  // a name, or a file below the data folder's robots
    int step[STEPS + 1];
    void (*write)(ts_text* text);  // writes the bodies down; NULL: look it up
} recorded_scene;

// Six layers of bricks in running bond.
static void write_wall(ts_text* text) {
    ts_text_add(text, "<geom type='plane' size='5 5 0.1'/>");
    for (int layer = 0; layer < 6; ++layer)
        for (int k = 0; k < 8; ++k)
            ts_text_add(text,
                        "<body pos='%.17g 0 %.17g'><freejoint/><geom type='box' size='0.1 0.05 0.04' mass='3'/></body>",
                        0.202 * k + (layer % 2 ? 0.101 : 0.0), 0.04 + 0.08 * layer);
}

// Ninety bodies of three shapes above four planes that lean outwards from the sides of a small square.
static void write_funnel(ts_text* text) {
    static const char* const shape[3] = {"type='sphere' size='0.045'", "type='box' size='0.045 0.035 0.03'",
                                         "type='capsule' size='0.03 0.035'"};
    ts_rng rng = ts_rng_make(17, 0);
    ts_text_add(text, "<geom type='plane' size='5 5 0.1'/>");
    for (int side = 0; side < 4; ++side) {
        int x = side == 0 ? 1 : (side == 1 ? -1 : 0), y = side == 2 ? 1 : (side == 3 ? -1 : 0);
        ts_text_add(text, "<geom type='plane' size='5 5 0.1' pos='%.17g %.17g 0' zaxis='%d %d 1'/>", 0.1 * x, 0.1 * y,
                    -x, -y);
    }
    for (int k = 0; k < 90; ++k) {
        int column = k % 3 - 1, row = k / 3 % 3 - 1, layer = k / 9;
        double angle = ts_rng_uniform_in(&rng, 0.0, 360.0);
        double y = 0.14 * row + ts_rng_uniform_in(&rng, -0.01, 0.01);  // drawn one by one: the same for every compiler
        double x = 0.14 * column + ts_rng_uniform_in(&rng, -0.01, 0.01);
        ts_text_add(text,
                    "<body pos='%.17g %.17g %.17g' euler='%.17g 30 0'><freejoint/><geom %s density='800'/></body>", x,
                    y, 0.4 + 0.14 * layer, angle, shape[k % 3]);
    }
}

// The last step of each is the longest that is simulated: a pile's first tenth of a second of contacts is enough.
static const recorded_scene scenes[] = {
    {"sliding-cube", {1, 50}, NULL},
    {"dragged-cube", {1, 300}, NULL},
    {"incline", {1, 100}, NULL},
    {"stack-10", {1, 10, 100}, NULL},
    {"tonne-on-gram", {1, 20}, NULL},
    {"wall", {1, 10, 50}, write_wall},
    {"funnel", {150, 400, 700}, write_funnel},
    {"pile-1000", {60, 100, 140}, NULL},
    {"unitree_go2/scene.xml", {150}, NULL},
    {"unitree_h1/scene.xml", {150}, NULL},
    {"agility_cassie/scene.xml", {150}, NULL},
};

enum { SCENES = sizeof scenes / sizeof scenes[0], MOST_FILES = 4096 };

static int grow(ts_bench_contact_set* set) {
    if (set->count < set->room) return 1;
    int room = set->room ? 2 * set->room : 32;
    ts_bench_contact_problem* problem =
        (ts_bench_contact_problem*)realloc(set->problem, (size_t)room * sizeof *problem);
    if (!problem) return 0;
    set->problem = problem;
    set->room = room;
    return 1;
}

// Copies a problem by blocks. 0 when memory is short.
static int keep(ts_bench_contact_set* set, const char* name, int from_file, const ts_contact_problem* from) {
    ts_arena* arena = &set->arena;
    ts_delassus_blocks blocks;
    size_t rows = (size_t)from->row_count, count = (size_t)from->block_count;
    if (!grow(set)) return 0;
    ts_bench_contact_problem* to = &set->problem[set->count];
    memset(to, 0, sizeof *to);
    snprintf(to->name, sizeof to->name, "%s", name);
    to->from_file = from_file;
    if (!from->delassus->ops->blocks(from->delassus, arena, (size_t)1 << 27, &blocks)) return 0;
    int entries = blocks.start[count];
    size_t numbers = 0;
    for (size_t b = 0; b < count; ++b)
        for (int e = blocks.start[b]; e < blocks.start[b + 1]; ++e)
            numbers += (size_t)from->block[b].rows * (size_t)from->block[blocks.column[e]].rows;
    int* start = TS_ARENA_ARRAY(arena, int, count + 1);
    int* column = TS_ARENA_ARRAY(arena, int, entries);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, entries);
    double* value = TS_ARENA_ARRAY(arena, double, numbers);
    int* block_row = TS_ARENA_ARRAY(arena, int, count + 1);
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, count);
    double* g = TS_ARENA_ARRAY(arena, double, rows);
    double* R = from->R ? TS_ARENA_ARRAY(arena, double, rows) : NULL;
    if (!start || !column || !at || !value || !block_row || !block || !g || (from->R && !R)) return 0;
    memcpy(start, blocks.start, (count + 1) * sizeof *start);
    memcpy(column, blocks.column, (size_t)entries * sizeof *column);
    memcpy(at, blocks.at, (size_t)entries * sizeof *at);
    memcpy(value, blocks.value, numbers * sizeof *value);
    memcpy(block_row, from->delassus->block_row, (count + 1) * sizeof *block_row);
    memcpy(block, from->block, count * sizeof *block);
    memcpy(g, from->g, rows * sizeof *g);
    if (R) memcpy(R, from->R, rows * sizeof *R);
    ts_delassus_blocks copy = {start, column, at, value};
    to->problem = *from;
    to->problem.block = block;
    to->problem.g = g;
    to->problem.R = R;
    to->problem.delassus = ts_delassus_block_sparse(arena, from->block_count, block_row, &copy);
    if (!to->problem.delassus) return 0;
    ++set->count;
    return 1;
}

// --- files -----------------------------------------------------------------------------------------------------------

static int by_name(const void* a, const void* b) { return strcmp(*(const char* const*)a, *(const char* const*)b); }

static int is_problem_file(const char* name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".hdf5") == 0;
}

static int read_file(ts_bench_report* report, const char* folder, const char* name, ts_bench_contact_set* set) {
    char path[1200], label[64];
    ts_fclib_problem recorded;
    ts_status status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(label, sizeof label, "%.*s", (int)(strlen(name) - 5 < 60 ? strlen(name) - 5 : 60), name);
    if (ts_fclib_read(path, &recorded, &status)) {
        ts_bench_note(report, "%s is left out: %s", name, status.message);
        return 1;
    }
    int kept = keep(set, label, 1, &recorded.problem);
    ts_fclib_free(&recorded);
    return kept;
}

int ts_bench_contact_set_read(const ts_bench_options* options, ts_bench_report* report, ts_bench_contact_set* set) {
    char folder[1024];
    static char* none;
    char** name = &none;
    int count = 0, ok = 1;
    if (!options->data_folder) {
        ts_bench_note(report, "Recorded files are left out: TOUCHSTONE_DATA is not set.");
        return 1;
    }
    snprintf(folder, sizeof folder, "%s/contact_problems", options->data_folder);
    DIR* directory = opendir(folder);
    if (!directory) {
        ts_bench_note(report, "Recorded files are left out: there is no folder %s.", folder);
        return 1;
    }
    name = (char**)calloc(MOST_FILES, sizeof *name);
    for (struct dirent* e = readdir(directory); name && e && count < MOST_FILES; e = readdir(directory))
        if (is_problem_file(e->d_name) && ts_bench_wanted(report, options, e->d_name)) {
            size_t bytes = strlen(e->d_name) + 1;
            name[count] = (char*)malloc(bytes);
            if (!name[count]) break;
            memcpy(name[count++], e->d_name, bytes);
        }
    closedir(directory);
    if (!name) return 0;
    qsort(name, (size_t)count, sizeof *name, by_name);
    for (int i = 0; i < count && ok; ++i) ok = read_file(report, folder, name[i], set);
    for (int i = 0; i < count; ++i) free(name[i]);
    free(name);
    return ok;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

// Steps a simulation and keeps the problems of the wanted steps.
static int record(ts_bench_report* report, const char* name, const ts_loaded_scene* scene, const int* step,
                  ts_bench_contact_set* set) {
    ts_sim* sim = NULL;
    ts_status status;
    int ok = 1, wanted = 0;
    if (ts_sim_create(scene->model, 1, &sim, &status) || ts_sim_set_solver(sim, "ncp", &status)) {
        ts_bench_note(report, "%s is left out: %s", name, status.message);
        ts_sim_free(sim);
        return 1;
    }
    for (int k = 1; ok && step[wanted] > 0; ++k) {
        if (ts_bench_progress(report, -1.0, 1.0)) break;
        ts_controller_act(&scene->control, sim);
        if (ts_sim_step(sim, &status)) {
            ts_bench_note(report, "%s ends at step %d: %s", name, k, status.message);
            break;
        }
        if (k != step[wanted]) continue;
        char label[64];
        snprintf(label, sizeof label, "%.40s step %d", name, k);
        if (ts_sim_problem(sim) && sim->problem.block_count > 0) ok = keep(set, label, 0, &sim->problem);
        ++wanted;
    }
    ts_sim_free(sim);
    return ok;
}

// The same of bodies written down as text.
static int record_text(ts_bench_report* report, const char* name, const char* bodies, const int* step,
                       ts_bench_contact_set* set) {
    ts_loaded_scene scene;
    ts_status status;
    ts_text text;
    memset(&text, 0, sizeof text);
    memset(&scene, 0, sizeof scene);
    ts_text_add(&text, "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>%s</worldbody></mujoco>",
                bodies);
    ts_code code = ts_mjcf_parse(ts_text_get(&text), text.length, name, NULL, NULL, &scene.model, &status);
    ts_text_free(&text);
    if (code) {
        ts_bench_note(report, "%s is left out: %s", name, status.message);
        return 1;
    }
    int ok = record(report, name, &scene, step, set);
    ts_loaded_scene_free(&scene);
    return ok;
}

int ts_bench_contact_set_record(ts_bench_report* report, const char* path, const char* name, const int* step,
                                ts_bench_contact_set* set) {
    ts_loaded_scene scene;
    ts_status status;
    if (ts_scene_load(path, NULL, &scene, &status)) {
        ts_bench_note(report, "%s is left out: %s", name, status.message);
        return 1;
    }
    int ok = record(report, name, &scene, step, set);
    ts_loaded_scene_free(&scene);
    return ok;
}

static int record_scene(const ts_bench_options* options, ts_bench_report* report, const recorded_scene* r,
                        ts_bench_contact_set* set) {
    char path[1200], name[48];
    int robot = strchr(r->scene, '/') != NULL;
    if (!ts_bench_wanted(report, options, r->scene)) return 1;
    if (r->write) {
        ts_text bodies;
        memset(&bodies, 0, sizeof bodies);
        r->write(&bodies);
        int ok = record_text(report, r->scene, ts_text_get(&bodies), r->step, set);
        ts_text_free(&bodies);
        return ok;
    }
    if (robot && !options->data_folder) return 1;
    snprintf(path, sizeof path, "%s%s%s", robot ? options->data_folder : "", robot ? "/robots/" : "", r->scene);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(r->scene, "/"), r->scene);
    return ts_bench_contact_set_record(report, path, name, r->step, set);
}

// Two cubes on one another on the ground, the upper one `ratio` times as heavy.
static int record_ratio(const ts_bench_options* options, ts_bench_report* report, double ratio,
                        ts_bench_contact_set* set) {
    static const int step[] = {1, 0};
    char text[512], name[48];
    snprintf(name, sizeof name, "mass ratio %g", ratio);
    if (!ts_bench_wanted(report, options, name)) return 1;
    snprintf(text, sizeof text,
             "<geom type='plane' size='2 2 0.1'/>"
             "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
             "<body pos='0 0 0.3'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='%.17g'/></body>",
             ratio);
    return record_text(report, name, text, step, set);
}

// Smaller ones first, then by name: a solver that is too slow is given up before the large ones come.
static int by_size(const void* a, const void* b) {
    const ts_bench_contact_problem* x = (const ts_bench_contact_problem*)a;
    const ts_bench_contact_problem* y = (const ts_bench_contact_problem*)b;
    if (x->problem.row_count != y->problem.row_count) return x->problem.row_count < y->problem.row_count ? -1 : 1;
    return strcmp(x->name, y->name);
}

int ts_bench_contact_set_make(const ts_bench_options* options, ts_bench_report* report, ts_bench_contact_set* set) {
    memset(set, 0, sizeof *set);
    int ok = ts_bench_contact_set_read(options, report, set);
    for (int i = 0; i < SCENES && ok && !report->stopped; ++i) {
        // A quick look leaves the large ones out.
        if (options->quick && scenes[i].step[0] >= 50) continue;
        ok = record_scene(options, report, &scenes[i], set);
    }
    for (double ratio = 1.0; ratio <= 1e6 && ok; ratio *= 10.0) ok = record_ratio(options, report, ratio, set);
    if (set->count > 0) qsort(set->problem, (size_t)set->count, sizeof *set->problem, by_size);
    return ok;
}

void ts_bench_contact_set_free(ts_bench_contact_set* set) {
    free(set->problem);
    ts_arena_free(&set->arena);
    memset(set, 0, sizeof *set);
}
