// The seeds of the fuzz targets: broken ones (bad_*) are refused with a file, a line and a reason, the others are taken.
#include "engine/read/collada_internal.h"
#include "engine/read/urdf/urdf_internal.h"
#include "tests/engine/read/urdf_sample.h"

#include <dirent.h>

static ts_code read_urdf(const ts_text* text, const char* name, ts_status* status) {
    ts_model* model = NULL;
    ts_code code = ts_urdf_parse(ts_text_get(text), text->length, name, NULL, NULL, NULL, &model, status);
    ts_model_free(model);
    return code;
}

static ts_code read_mjcf(const ts_text* text, const char* name, ts_status* status) {
    ts_model* model = NULL;
    ts_code code = ts_mjcf_parse(ts_text_get(text), text->length, name, NULL, NULL, &model, status);
    ts_model_free(model);
    return code;
}

static ts_code read_srdf(const ts_text* text, const char* name, ts_status* status) {
    static const char robot[] = "<robot name='r'>" LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
        JOINT("ja", "continuous", "base", "a", "") JOINT("jb", "prismatic", "a", "b", "")
            JOINT("jc", "planar", "b", "c", "") JOINT("jd", "fixed", "base", "d", "")
                JOINT("je", "continuous", "d", "e", "") "</robot>";
    ts_urdf_input input = {.text = robot, .size = sizeof robot - 1, .name = name, .srdf = ts_text_get(text)};
    ts_model_file_options options = {.root = TS_ROOT_FLOATING};
    ts_model* model = NULL;
    input.srdf_size = text->length;
    ts_code code = ts_urdf_parse_input(&input, &options, NULL, &model, status);
    ts_model_free(model);
    return code;
}

static ts_code read_collada(const ts_text* text, const char* name, ts_status* status) {
    ts_mesh mesh;
    ts_code code = ts_collada_parse(ts_text_get(text), text->length, name, &mesh, status);
    ts_mesh_free(&mesh);
    return code;
}

static void check_corpus(const char* folder, ts_code (*read)(const ts_text*, const char*, ts_status*), int least) {
    char path[600];
    int bad = 0;
    snprintf(path, sizeof path, "tests/fuzz/%s", folder);
    DIR* directory = opendir(path);
    cr_assert_not_null(directory, "%s", path);
    for (const struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        ts_text text = {0};
        ts_status status;
        memset(&status, 0, sizeof status);
        snprintf(path, sizeof path, "tests/fuzz/%s/%s", folder, entry->d_name);
        cr_assert_eq(ts_text_read_file(path, 1 << 20, &text, &status), TS_OK);
        int broken = strncmp(entry->d_name, "bad_", 4) == 0;
        ts_code code = read(&text, entry->d_name, &status);
        cr_expect_eq(code != TS_OK, broken, "%s: %s", entry->d_name, code ? status.message : "taken");
        if (code) {
            cr_expect(status.file[0] && status.message[0], "%s: no reason", entry->d_name);
            cr_expect(status.line > 0 || strstr(status.message, "not finite"), "%s: no line: %s", entry->d_name,
                      status.message);
        }
        bad += broken;
        ts_text_free(&text);
    }
    closedir(directory);
    cr_expect_geq(bad, least, "%s: %d broken files", folder, bad);
}

Test(corpus, urdf) { check_corpus("corpus_urdf", read_urdf, 41); }

Test(corpus, mjcf) { check_corpus("corpus_mjcf", read_mjcf, 38); }

Test(corpus, srdf) { check_corpus("corpus_srdf", read_srdf, 10); }

Test(corpus, collada) { check_corpus("corpus_collada", read_collada, 20); }
