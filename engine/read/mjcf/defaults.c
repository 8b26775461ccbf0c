// Default classes: a tree of named sets of attributes. A class has its parent's defaults, overridden by its own.
#include "engine/read/mjcf/mjcf_internal.h"

#include <string.h>

// Elements of one kind in a class. MJCF allows one; main may get more from several files.
enum { SAME_KIND_LIMIT = 64 };

static const char* const kind_name[TS_MJCF_KIND_COUNT] = {"mesh",   "material", "joint", "geom",   "site",
                                                          "camera", "equality", "pair",  "tendon", "actuator"};

int ts_mjcf_find_class(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name) {
    int index = ts_name_table_find(&ts_mjcf_document_of(reader, node)->class_name, name);
    if (index < 0) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "%s: unknown default class '%.80s'", node->name, name);
    return index;
}

// Elements whose defaults concern nothing that is read.
static int is_other_kind(const char* name) {
    static const char* const other[] = {"texture",     "light",  "pid",  "muscle", "adhesion", "dcmotor",
                                        "orientation", "plugin", "flex", "skin",   "hfield"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i)
        if (strcmp(other[i], name) == 0) return 1;
    return 0;
}

static void read_class(ts_mjcf_reader* reader, const ts_xml_node* node, int index);

static void read_nested(ts_mjcf_reader* reader, const ts_xml_node* node, int parent) {
    const char* name = ts_xml_value(node, "class");
    if (!name || !name[0]) {
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "a nested default needs a class name");
        return;
    }
    ts_name_table* names = &ts_mjcf_document_of(reader, node)->class_name;
    if (ts_name_table_find(names, name) >= 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "default class '%.80s' is defined twice", name);
        return;
    }
    ts_mjcf_class entry;
    memset(&entry, 0, sizeof entry);
    entry.name = name;
    entry.parent = parent;
    if (!ts_mjcf_class_array_push(&reader->classes, entry) ||
        !ts_name_table_put(names, name, reader->classes.count - 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    else
        read_class(reader, node, reader->classes.count - 1);
}

// Whether the list holds an element of the same name from the same place.
static int has_twin(const ts_xml_node_array* list, const ts_xml_node* node) {
    for (int i = 0; i < list->count; ++i)
        if (list->data[i]->parent == node->parent && strcmp(list->data[i]->name, node->name) == 0) return 1;
    return 0;
}

static void read_class(ts_mjcf_reader* reader, const ts_xml_node* node, int index) {
    ts_mjcf_check(reader, node, "default");
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        const char* name = ts_mjcf_is_actuator(child->name) ? "actuator" : child->name;
        int kind = 0;
        while (kind < TS_MJCF_KIND_COUNT && strcmp(kind_name[kind], name) != 0) ++kind;
        if (kind < TS_MJCF_KIND_COUNT) {
            ts_mjcf_check(reader, child, child->name);
            if (ts_xml_value(child, "name") || ts_xml_value(child, "class"))
                ts_mjcf_fail(reader, child, TS_ERROR_PARSE, "a default %s cannot have a name or a class", child->name);
            ts_xml_node_array* list = &reader->classes.data[index].node[kind];
            if (has_twin(list, child) || list->count >= SAME_KIND_LIMIT)
                ts_mjcf_fail(reader, child, TS_ERROR_PARSE, "a second <%s> in the same default class", child->name);
            if (!ts_xml_node_array_push(list, child)) ts_mjcf_fail(reader, child, TS_ERROR_MEMORY, "out of memory");
        } else if (strcmp(child->name, "default") == 0) {
            read_nested(reader, child, index);
        } else if (!is_other_kind(child->name)) {
            ts_mjcf_unknown_element(reader, child);
        }
    }
}

void ts_mjcf_read_default(ts_mjcf_reader* reader, const ts_xml_node* node) {
    // The outermost class is always the same one; a name given to it is another name for it.
    const char* name = ts_xml_value(node, "class");
    ts_mjcf_document* document = ts_mjcf_document_of(reader, node);
    if (name && name[0]) {
        int known = ts_name_table_find(&document->class_name, name);
        if (known >= 0 && known != document->main_class)
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "default class '%.80s' is defined twice", name);
        else if (known < 0 && !ts_name_table_put(&document->class_name, name, document->main_class))
            ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    }
    read_class(reader, node, document->main_class);
}

const ts_xml_node* ts_mjcf_next_default(const ts_mjcf_element* element, ts_mjcf_default_cursor* cursor) {
    while (cursor->class_index >= 0) {
        const ts_mjcf_class* c = &element->reader->classes.data[cursor->class_index];
        const ts_xml_node_array* list = &c->node[element->kind];
        // Of several equal elements in one class the later one counts first.
        if (cursor->passed < list->count) return list->data[list->count - 1 - cursor->passed++];
        cursor->class_index = c->parent;
        cursor->passed = 0;
    }
    return NULL;
}
