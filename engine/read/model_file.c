// Which reader a file is for: told from the first element of its text.
#include "engine/read/model_file.h"

#include "base/text.h"
#include "engine/read/mesh_asset_internal.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/read/urdf/urdf.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// What may stand before the first element: a licence, at most.
enum { HEAD_BYTES = 1 << 16 };

// Behind what opens with `begin` and closes with `end`; NULL when it does not close.
static const char* skip(const char* at, const char* begin, const char* end) {
    const char* stop = strstr(at + strlen(begin), end);
    return stop ? stop + strlen(end) : NULL;
}

// The name of the first element, or NULL: behind declarations, comments and blanks.
static const char* first_element(const char* text, size_t size) {
    const char* at = text + ts_text_mark(text, size);
    while (at) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "<!--", 4) == 0)
            at = skip(at, "<!--", "-->");
        else if (strncmp(at, "<?", 2) == 0)
            at = skip(at, "<?", "?>");
        else
            return at[0] == '<' ? at + 1 : NULL;
    }
    return NULL;
}

static int is_urdf(const char* path) {
    static const char robot[] = "robot";
    char head[HEAD_BYTES + 1];
    struct stat info;
    // A pipe would lose what is read here.
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    FILE* file = fopen(path, "rb");
    size_t size = file ? fread(head, 1, HEAD_BYTES, file) : 0;
    if (file) fclose(file);
    head[size] = '\0';
    const char* name = first_element(head, size);
    return name && strncmp(name, robot, sizeof robot - 1) == 0 && strchr(" \t\r\n/>", name[sizeof robot - 1]) != NULL;
}

ts_code ts_model_file_load(const char* path, const ts_model_file_options* options, ts_import_report* report,
                           ts_model** out_model, ts_status* out_status) {
    return is_urdf(path) ? ts_urdf_load(path, options, report, out_model, out_status)
                         : ts_mjcf_load(path, report, out_model, out_status);
}

ts_code ts_model_hull_mesh(const ts_model* model, int hull, ts_mesh* out_mesh, ts_status* out_status) {
    memset(out_mesh, 0, sizeof *out_mesh);
    const ts_hull_source* source = hull >= 0 && hull < model->hull_count ? &model->hull_source[hull] : NULL;
    if (source && source->mesh) return ts_mesh_copy(source->mesh, out_mesh, out_status);
    if (!source || !source->file[0])
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "hull %d of the model came from no mesh", hull);
    ts_code code = ts_mesh_asset_load(source->file, out_mesh, out_status);
    if (!code) ts_mesh_asset_place(out_mesh, &source->placing);
    return code;
}
