// Trees made out of trees: what a reader does that copies parts of a file before it reads them. Nodes share what does not
// differ: a copy has the attributes of its original until one of them is set.
#include "engine/read/xml_internal.h"

#include <string.h>

static ts_xml_node* new_node(ts_xml* xml, const ts_xml_node* place) {
    if (xml->code) return NULL;
    if (++xml->element_count > TS_XML_ELEMENT_LIMIT) {
        ts_xml_fail(xml, place, TS_ERROR_MEMORY, "more than %d elements", TS_XML_ELEMENT_LIMIT);
        return NULL;
    }
    ts_xml_node* node = TS_ARENA_ARRAY(&xml->arena, ts_xml_node, 1);
    if (!node) ts_xml_fail(xml, place, TS_ERROR_MEMORY, "out of memory");
    return node;
}

ts_xml_node* ts_xml_make(ts_xml* xml, const ts_xml_node* place, const char* name) {
    ts_xml_node* node = new_node(xml, place);
    if (!node) return NULL;
    memset(node, 0, sizeof *node);
    node->name = name;
    node->file = place->file;
    node->line = place->line;
    node->document = place->document;
    node->text = "";
    return node;
}

ts_xml_node* ts_xml_copy_node(ts_xml* xml, const ts_xml_node* node) {
    ts_xml_node* copy = new_node(xml, node);
    if (!copy) return NULL;
    *copy = *node;
    copy->origin = node;
    copy->parent = copy->child = copy->last_child = copy->next = NULL;
    return copy;
}

void ts_xml_set(ts_xml* xml, ts_xml_node* node, const char* name, const char* value) {
    int count = node->attribute_count, at = 0;
    ts_xml_attribute* list = TS_ARENA_ARRAY(&xml->arena, ts_xml_attribute, (size_t)count + 1);
    if (!list) {
        ts_xml_fail(xml, node, TS_ERROR_MEMORY, "out of memory");
        return;
    }
    for (int i = 0; i < count; ++i) list[i] = node->attribute[i];
    while (at < count && strcmp(list[at].name, name) != 0) ++at;
    list[at].name = name;
    list[at].value = value;
    node->attribute = list;
    node->attribute_count = at < count ? count : count + 1;
}

void ts_xml_append(ts_xml_node* parent, ts_xml_node* child) {
    child->parent = parent;
    if (parent->last_child)
        parent->last_child->next = child;
    else
        parent->child = child;
    parent->last_child = child;
}

void ts_xml_move_children(ts_xml_node* from, ts_xml_node* to) {
    for (ts_xml_node* child = from->child; child;) {
        ts_xml_node* next = child->next;
        child->next = NULL;
        ts_xml_append(to, child);
        child = next;
    }
    from->child = from->last_child = NULL;
}
