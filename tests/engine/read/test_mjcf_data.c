// Real robots, where they are at hand: every MJCF file below $TOUCHSTONE_DATA/robots loads or is refused with a place, and
// the models' sizes and masses are those that MuJoCo 4.0 gives for the same files (less the looks that are not there).
#include "tests/engine/read/mjcf_sample.h"

#include <dirent.h>
#include <math.h>

static const char* data(void) {
    const char* path = getenv("TOUCHSTONE_DATA");
    return path && path[0] ? path : NULL;
}

Test(mjcf_data, robots_are_as_heavy_as_in_mujoco) {
    static const struct {
        const char* file;
        int nq, nv, body_count;
        double mass;
        double tolerance;  // MuJoCo keeps mesh vertices in single precision
    } robots[] = {{"agility_cassie/cassie.xml", 35, 32, 26, 33.312, 1e-12},
                  {"anybotics_anymal_c/anymal_c.xml", 19, 18, 14, 44.96518, 1e-12},
                  {"apptronik_apollo/apptronik_apollo.xml", 39, 38, 37, 80.8978159, 1e-12},
                  {"franka_emika_panda/panda.xml", 9, 9, 12, 17.451901, 1e-12},
                  {"mujoco_model/humanoid/humanoid.xml", 28, 27, 17, 40.84402122162133, 1e-12},
                  {"mujoco_model/replicate/helix.xml", 14, 12, 3, 4.340235837034216, 1e-12},
                  {"pal_talos/talos_position.xml", 51, 50, 46, 94.00319, 1e-12},
                  {"unitree_go2/go2.xml", 19, 18, 14, 15.206408, 1e-12},
                  {"unitree_h1/h1.xml", 26, 25, 21, 51.437, 1e-12},
                  {"wonik_allegro/right_hand.xml", 16, 16, 22, 0.6444955481334458, 1e-6},
                  {"mujoco_model/replicate/bunnies.xml", 875, 750, 127, 114.2112725499093, 1e-6}};
    if (!data()) cr_skip("TOUCHSTONE_DATA is not set");
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/robots/%s", data(), robots[i].file);
        ts_model* m = NULL;
        ts_status status;
        memset(&status, 0, sizeof status);
        cr_assert_eq(ts_mjcf_load(path, NULL, &m, &status), TS_OK, "%s:%d: %s", status.file, status.line,
                     status.message);
        cr_assert_eq(m->nq, robots[i].nq, "%s", path);
        cr_assert_eq(m->nv, robots[i].nv, "%s", path);
        cr_assert_eq(m->body_count, robots[i].body_count, "%s", path);
        cr_assert_float_eq(ts_model_total_mass(m), robots[i].mass, robots[i].tolerance * robots[i].mass, "%s: %.17g",
                           path, ts_model_total_mass(m));
        ts_model_free(m);
    }
}

// Walks a folder; returns how many models were tried.
static int try_folder(const char* folder, int depth) {
    int tried = 0;
    DIR* dir = opendir(folder);
    if (!dir) return 0;
    for (struct dirent* entry; (entry = readdir(dir));) {
        char path[1024];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0) {
            ts_model* m = NULL;
            ts_status status;
            memset(&status, 0, sizeof status);
            ts_code code = ts_mjcf_load(path, NULL, &m, &status);
            cr_assert(code ? m == NULL && status.message[0] && status.file[0] : m != NULL, "%s", path);
            ts_model_free(m);
            ++tried;
        } else if (depth < 4) {
            tried += try_folder(path, depth + 1);
        }
    }
    closedir(dir);
    return tried;
}

Test(mjcf_data, every_file_ends_well) {
    if (!data()) cr_skip("TOUCHSTONE_DATA is not set");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/robots", data());
    cr_assert_gt(try_folder(folder, 0), 10);
}
