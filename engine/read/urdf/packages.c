// Where the files are that a URDF names.
//
// Rule: a name counts from a folder, and may not leave it.
//   relative, file:// or absolute  inside of the file's home (the nearest folder above that holds a package.xml; else the
//                     folder of the file, or the one above when that is called urdf, robots or the like), or inside of a folder
//                     of the search path.
//   package://P/REST  the package P: in the search path (as a folder P there, or as a folder of the search path that is
//                     P), a folder above the file that is P, or one beside those up to the home. A folder is P when it is
//                     called so or its package.xml says so. Any number of slashes separates. model:// means the same.
// Packages that are not installed leave their names behind in copies of the robot; where P is not found, the ends of REST are
// tried in the home and the search path, longest first, and what is found there is reported.
// Names are only ever handed to realpath and open. Symbolic links are followed first, so they cannot lead outside either.
#include "engine/read/urdf/urdf_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

// A search for one file.
typedef struct search {
    ts_urdf_reader* reader;
    char found[PATH_BYTES];  // "" until something is
    char left[PATH_BYTES];   // a file that is there, but outside of the folder that it was named from; "" for none
} search;

static int is_inside(const char* folder, const char* path) {
    size_t length = strlen(folder);
    if (length == 1) return 1;
    return strncmp(folder, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int real_path(const char* path, char out_real[PATH_BYTES]) {
    char* real = realpath(path, NULL);
    int fits = real && strlen(real) < PATH_BYTES;
    if (fits) memcpy(out_real, real, strlen(real) + 1);
    free(real);
    return fits;
}

// Looks for folder/rest (rest alone when it is absolute). Returns nonzero when it is there and inside of the folder.
static int look(search* s, const char* folder, const char* rest) {
    char path[PATH_BYTES], root[PATH_BYTES], real[PATH_BYTES];
    struct stat info;
    int n =
        rest[0] == '/' ? snprintf(path, sizeof path, "%s", rest) : snprintf(path, sizeof path, "%s/%s", folder, rest);
    if (n < 0 || n >= PATH_BYTES || !real_path(folder, root) || !real_path(path, real)) return 0;
    if (stat(real, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    snprintf(is_inside(root, real) ? s->found : s->left, PATH_BYTES, "%s", real);
    return s->found[0] != '\0';
}

// Whether a folder's package.xml names it `package`.
static int is_named(const char* folder, const char* package) {
    char path[PATH_BYTES];
    ts_text text = {0};
    ts_status status;
    int n = snprintf(path, sizeof path, "%s/package.xml", folder), named = 0;
    struct stat info;
    if (n < 0 || n >= PATH_BYTES || stat(path, &info) != 0) return 0;
    if (ts_xml_read_file(path, &text, &status) == TS_OK) {
        const char* name = strstr(ts_text_get(&text), "<name>");
        if (name) name += 6 + strspn(name + 6, " \t\r\n");
        size_t length = strlen(package);
        named = name && strncmp(name, package, length) == 0 && strchr(" \t\r\n<", name[length]) != NULL;
    }
    ts_text_free(&text);
    return named;
}

static int is_package(const char* folder, const char* package) {
    char real[PATH_BYTES];
    if (!real_path(folder, real)) return 0;
    return strcmp(strrchr(real, '/') + 1, package) == 0 || is_named(real, package);
}

// Cuts the last part off a real path. Returns 0 at the top.
static int climb(char* path) {
    char* slash = strrchr(path, '/');
    if (!slash || path[1] == '\0') return 0;
    slash[slash == path ? 1 : 0] = '\0';
    return 1;
}

static int file_exists(const char* folder, const char* name) {
    char path[PATH_BYTES];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && n < PATH_BYTES && stat(path, &info) == 0;
}

int ts_urdf_home(const ts_urdf_reader* reader, char* out_folder, size_t size) {
    static const char* const usual[] = {"urdf", "robots", "robot", "models", "model", "xacro", "description"};
    char folder[PATH_BYTES];
    const char* directory = reader->xml.directory;
    if (!directory || !real_path(directory[0] ? directory : ".", folder)) return 0;
    char at[PATH_BYTES];
    memcpy(at, folder, sizeof at);
    do {
        if (!file_exists(at, "package.xml")) continue;
        snprintf(out_folder, size, "%s", at);
        return 1;
    } while (climb(at) && at[1]);
    const char* last = strrchr(folder, '/') + 1;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; ++i) {
        memcpy(at, folder, sizeof at);
        if (strcmp(last, usual[i]) != 0 || !climb(at) || !at[1]) continue;
        snprintf(out_folder, size, "%s", at);
        return 1;
    }
    snprintf(out_folder, size, "%s", folder);
    return 1;
}

// The next folder of the search path, into out_folder; returns what follows it, or NULL at the end.
static const char* next_folder(const char* list, char out_folder[PATH_BYTES]) {
    while (list && *list) {
        size_t length = strcspn(list, ":");
        const char* rest = list + length + (list[length] == ':');
        if (length > 0 && length < PATH_BYTES) {
            memcpy(out_folder, list, length);
            out_folder[length] = '\0';
            return rest;
        }
        list = rest;
    }
    return NULL;
}

static int look_beside(search* s, const char* folder, const char* package, const char* rest) {
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s/%s", folder, package);
    return n > 0 && n < PATH_BYTES && look(s, path, rest);
}

static int find_package(search* s, const char* home, const char* package, const char* rest) {
    char folder[PATH_BYTES], top[PATH_BYTES];
    for (const char* list = s->reader->options->package_path; (list = next_folder(list, folder)) != NULL;)
        if (look_beside(s, folder, package, rest) || (is_package(folder, package) && look(s, folder, rest))) return 1;
    const char* directory = s->reader->xml.directory;
    if (!real_path(directory[0] ? directory : ".", folder)) return 0;
    snprintf(top, sizeof top, "%s", home);
    climb(top);
    do {
        if (is_package(folder, package) && look(s, folder, rest)) return 1;
        if (is_inside(top, folder) && look_beside(s, folder, package, rest)) return 1;
    } while (climb(folder) && folder[1]);
    return 0;
}

// The ends of `rest`, longest first, in `folder`.
static int find_end(search* s, const char* folder, const char* rest) {
    while (rest && *rest) {
        if (look(s, folder, rest)) return 1;
        rest = strchr(rest, '/');
        if (rest) rest += strspn(rest, "/");
    }
    return 0;
}

static int find_by_end(search* s, const ts_xml_node* node, const char* home, const char* package, const char* rest) {
    char folder[PATH_BYTES], what[96];
    int found = 0;
    for (const char* list = s->reader->options->package_path; !found && (list = next_folder(list, folder)) != NULL;)
        found = find_end(s, folder, rest);
    if (!found) found = find_end(s, home, rest);
    snprintf(what, sizeof what, "package %.80s", package);
    if (found)
        ts_urdf_report(s->reader, node, TS_IMPORT_APPROXIMATED, 0, what,
                       "the package is not at hand; files with the same ends of their paths are taken");
    return found;
}

// Inside of the home or of a folder of the search path.
static void find_plain(search* s, const char* home, const char* path) {
    char folder[PATH_BYTES], real[PATH_BYTES];
    const char* directory = s->reader->xml.directory;
    int n = path[0] == '/' ? snprintf(folder, sizeof folder, "%s", path)
                           : snprintf(folder, sizeof folder, "%s%s%s", directory, directory[0] ? "/" : "", path);
    if (n < 0 || n >= PATH_BYTES || !real_path(folder, real)) return;
    if (look(s, home, real)) return;
    for (const char* list = s->reader->options->package_path; (list = next_folder(list, folder)) != NULL;)
        if (look(s, folder, real)) return;
}

// What stands behind `scheme` in the URI, or NULL.
static const char* behind(const char* uri, const char* scheme) {
    size_t length = strlen(scheme);
    return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

static void find(search* s, const ts_xml_node* node, const char* home, const char* uri) {
    const char* name = behind(uri, "package://");
    if (!name) name = behind(uri, "model://");
    if (name) {
        char package[256];
        name += strspn(name, "/");
        size_t length = strcspn(name, "/");
        const char* rest = name + length + strspn(name + length, "/");
        if (length >= sizeof package) return;
        memcpy(package, name, length);
        package[length] = '\0';
        // A name of dots would be a way out.
        if (length == strspn(package, ".")) return;
        if (!find_package(s, home, package, rest)) find_by_end(s, node, home, package, rest);
        return;
    }
    name = behind(uri, "file://");
    if (name && behind(name, "localhost/")) name += strlen("localhost");
    find_plain(s, home, name ? name : uri);
}

const char* ts_urdf_resolve(ts_urdf_reader* reader, const ts_xml_node* node, const char* uri, ts_status* out_problem) {
    static const char* const schemes[] = {"package://", "model://", "file://"};
    char home[PATH_BYTES];
    search* s = (search*)calloc(1, sizeof *s);
    int known = strstr(uri, "://") == NULL;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; ++i) known |= behind(uri, schemes[i]) != NULL;
    const char* path = NULL;
    if (!s) {
        ts_status_set(out_problem, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    } else if (!known) {
        ts_status_set(out_problem, TS_ERROR_UNSUPPORTED, NULL, 0, "only package://, model:// and file:// are known");
    } else if (!ts_urdf_home(reader, home, sizeof home)) {
        ts_status_set(out_problem, TS_ERROR_UNSUPPORTED, NULL, 0, "the model is not read from a file");
    } else {
        s->reader = reader;
        find(s, node, home, uri);
        if (s->found[0])
            path = ts_xml_copy(&reader->xml, s->found, strlen(s->found));
        else if (s->left[0])
            ts_status_set(out_problem, TS_ERROR_FILE, s->left, 0,
                          "it lies outside of %.200s; --package-path DIR allows another folder", home);
        else
            ts_status_set(out_problem, TS_ERROR_FILE, NULL, 0,
                          "no such file in %.200s%s; --package-path DIR names folders to look in", home,
                          behind(uri, "file://") || known == 0 ? "" : " or the package path");
    }
    free(s);
    return path;
}
