// Models within models: <asset><model file="..."/> names another file, which is read into a document of its own. Its
// elements stay of that document wherever they are attached, so that its angles, classes and assets go on to count.
//
// Untrusted input: a file that asks for itself, directly or through others, is refused, and so are too many of them.
#include "engine/read/mjcf/compose_internal.h"

#include <stdlib.h>
#include <string.h>

int ts_mjcf_add_document(ts_mjcf_reader* reader, const ts_xml_node* node, const char* directory, int parent) {
    int index = reader->documents.count;
    ts_mjcf_document* d = TS_ARENA_ARRAY(&reader->xml.arena, ts_mjcf_document, 1);
    ts_mjcf_class main_class;
    memset(&main_class, 0, sizeof main_class);
    main_class.name = "main";
    main_class.parent = -1;
    if (!d || !ts_mjcf_document_array_push(&reader->documents, d)) {
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
        return -1;
    }
    memset(d, 0, sizeof *d);
    d->directory = directory;
    d->parent = parent;
    d->nesting = parent < 0 ? 0 : reader->documents.data[parent]->nesting + 1;
    d->compiler.angle = 0.017453292519943295;
    memcpy(d->compiler.euler, "xyz", 4);
    d->compiler.mesh_directory = d->compiler.asset_directory = d->compiler.texture_directory = "";
    d->compiler.auto_limits = 1;
    d->compiler.inertia_from_geom = 2;
    d->compiler.group_low = 0;
    d->compiler.group_high = 5;
    d->main_class = reader->classes.count;
    if (!ts_mjcf_class_array_push(&reader->classes, main_class) ||
        !ts_name_table_put(&d->class_name, "main", d->main_class) ||
        !ts_name_table_put(&d->known.of[TS_MJCF_NAMES_BODY], "world", 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    return reader->xml.code ? -1 : index;
}

// The real path, in the arena; NULL with a failure.
static const char* real_path(ts_mjcf_reader* reader, const ts_xml_node* node, const char* path) {
    char* real = realpath(path, NULL);
    if (!real) {
        ts_mjcf_fail(reader, node, TS_ERROR_FILE, "there is no file '%.300s'", path);
        return NULL;
    }
    const char* copy = ts_xml_copy(&reader->xml, real, strlen(real));
    free(real);
    return copy;
}

// Whether a file may be asked for by a document.
static int may_ask(ts_mjcf_reader* reader, const ts_xml_node* node, const char* path) {
    const ts_mjcf_document* d = ts_mjcf_document_of(reader, node);
    if (reader->documents.count >= TS_MJCF_DOCUMENT_LIMIT || d->nesting >= TS_MJCF_NESTING_LIMIT) {
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "more than %d models in models, or deeper than %d",
                     TS_MJCF_DOCUMENT_LIMIT, TS_MJCF_NESTING_LIMIT);
        return 0;
    }
    for (int i = node->document; i >= 0; i = reader->documents.data[i]->parent) {
        const char* above = reader->documents.data[i]->path;
        if (!above || strcmp(above, path) != 0) continue;
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "'%.300s' is a model within itself, directly or through others",
                     ts_xml_value(node, "file"));
        return 0;
    }
    return 1;
}

// Text to a tree, in a document of its own with includes of its own.
static void parse(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_text* text, const char* path, int index) {
    ts_xml* xml = &reader->xml;
    ts_mjcf_document* d = reader->documents.data[index];
    ts_name_table seen = xml->seen_file;
    const char* directory = xml->directory;
    int document = xml->document;
    memset(&xml->seen_file, 0, sizeof xml->seen_file);
    xml->directory = d->directory;
    xml->document = index;
    if (!ts_name_table_put(&xml->seen_file, d->path, 1)) ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    d->root = ts_xml_parse(xml, ts_text_get(text), text->length, path);
    ts_name_table_free(&xml->seen_file);
    xml->seen_file = seen;
    xml->directory = directory;
    xml->document = document;
    if (d->root && strcmp(d->root->name, "mujoco") != 0)
        ts_mjcf_fail(reader, d->root, TS_ERROR_PARSE, "the root element is <%.40s>; MJCF begins with <mujoco>",
                     d->root->name);
}

// The file's name among the models that can be attached.
static void give_name(ts_mjcf_reader* reader, const ts_xml_node* node, int index) {
    const char* name = ts_xml_value(node, "name");
    if (!name || !name[0]) name = ts_xml_value(reader->documents.data[index]->root, "model");
    if (!name) name = "MuJoCo Model";
    ts_name_table* names = &ts_mjcf_document_of(reader, node)->model_name;
    if (ts_name_table_find(names, name) >= 0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "another model is named '%.80s'", name);
    else if (!ts_name_table_put(names, name, index))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_read_model_asset(ts_mjcf_reader* reader, const ts_xml_node* node) {
    const char* directory = ts_mjcf_document_of(reader, node)->directory;
    const char* file = ts_xml_value(node, "file");
    ts_mjcf_check(reader, node, "model");
    if (!file || !file[0])
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "a model needs a file");
    else if (!directory)
        ts_mjcf_fail(reader, node, TS_ERROR_UNSUPPORTED, "'%.200s' cannot be read: the model is not read from a file",
                     file);
    const char* path = reader->xml.code ? NULL : ts_xml_path(&reader->xml, directory, "", file);
    const char* real = path ? real_path(reader, node, path) : NULL;
    if (!real || !may_ask(reader, node, real)) return;
    ts_text text;
    ts_status status;
    memset(&text, 0, sizeof text);
    memset(&status, 0, sizeof status);
    ts_code code = ts_xml_read_file(path, &text, &status);
    if (code) ts_mjcf_fail(reader, node, code, "'%.150s': %.300s", path, status.message);
    char* folder = ts_xml_folder_of(path);
    int index = -1;
    if (folder && !reader->xml.code)
        index = ts_mjcf_add_document(reader, node, ts_xml_copy(&reader->xml, folder, strlen(folder)), node->document);
    free(folder);
    if (index >= 0) {
        reader->documents.data[index]->path = real;
        parse(reader, node, &text, path, index);
        if (!reader->xml.code) give_name(reader, node, index);
        if (!reader->xml.code) ts_mjcf_prepare_document(reader, index);
    } else if (!reader->xml.code) {
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    }
    ts_text_free(&text);
}
