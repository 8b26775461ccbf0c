// Copying parts of a document under new names, for <replicate> and <attach>.
//
// In the tree of bodies that is simple: every name gets a prefix and a suffix. Outside of it stand elements that refer to
// the tree by name (contacts, tendons, equalities, actuators, sensors): those that refer to something copied are copied, too,
// and refer to the copy. As in MuJoCo 4.0, what refers to both worlds, say a tendon from a copied site to one that is not,
// keeps the name of what is not copied, but for equalities and actuators, which do not belong to one copy and are left out.
#include "engine/read/mjcf/compose_internal.h"

#include <stdio.h>
#include <string.h>

void ts_mjcf_name_set_free(ts_mjcf_name_set* set) {
    for (int k = 0; k < TS_MJCF_NAMES_COUNT; ++k) ts_name_table_free(&set->of[k]);
}

// --- names ---

static const struct naming {
    const char* element;
    ts_mjcf_name_kind kind;
} namings[] = {{"body", TS_MJCF_NAMES_BODY},     {"joint", TS_MJCF_NAMES_JOINT},  {"freejoint", TS_MJCF_NAMES_JOINT},
               {"geom", TS_MJCF_NAMES_GEOM},     {"site", TS_MJCF_NAMES_SITE},    {"frame", TS_MJCF_NAMES_FRAME},
               {"camera", TS_MJCF_NAMES_CAMERA}, {"fixed", TS_MJCF_NAMES_TENDON}, {"spatial", TS_MJCF_NAMES_TENDON}};

int ts_mjcf_name_kind_of(const ts_xml_node* node) {
    if (node->parent && strcmp(node->parent->name, "actuator") == 0) return TS_MJCF_NAMES_ACTUATOR;
    for (size_t i = 0; i < sizeof namings / sizeof namings[0]; ++i)
        if (strcmp(namings[i].element, node->name) == 0) return (int)namings[i].kind;
    return -1;
}

static void note_name(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_name_set* set) {
    int kind = ts_mjcf_name_kind_of(node);
    const char* name = ts_xml_value(node, "name");
    if (kind >= 0 && name && name[0] && !ts_name_table_put(&set->of[kind], name, 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_collect_names(ts_mjcf_reader* reader, const ts_xml_node* node, int with_node, ts_mjcf_name_set* set) {
    if (with_node) note_name(reader, node, set);
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        ts_mjcf_collect_names(reader, child, 1, set);
}

// Longer names of copies are refused: each of many copies has them.
enum { NAME_LIMIT = 500 };

static const char* affixed(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name, ts_mjcf_affix affix) {
    char full[NAME_LIMIT + 1];
    int n = snprintf(full, sizeof full, "%s%s%s", affix.prefix, name, affix.suffix);
    if (n < 0 || n > NAME_LIMIT) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "the name of a copy is longer than %d characters", NAME_LIMIT);
        return name;
    }
    return ts_xml_copy(&reader->xml, full, (size_t)n);
}

static void rename_node(ts_mjcf_reader* reader, ts_xml_node* node, ts_mjcf_affix affix) {
    const char* name = ts_xml_value(node, "name");
    if (name && name[0]) ts_xml_set(&reader->xml, node, "name", affixed(reader, node, name, affix));
}

void ts_mjcf_rename_tree(ts_mjcf_reader* reader, ts_xml_node* node, ts_mjcf_affix affix) {
    rename_node(reader, node, affix);
    for (ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        ts_mjcf_rename_tree(reader, child, affix);
}

void ts_mjcf_retarget(ts_mjcf_reader* reader, ts_xml_node* node, const ts_mjcf_name_set* moved, ts_mjcf_affix affix) {
    const char* target = strcmp(node->name, "camera") == 0 ? ts_xml_value(node, "target") : NULL;
    if (target && ts_name_table_find(&moved->of[TS_MJCF_NAMES_BODY], target) >= 0)
        ts_xml_set(&reader->xml, node, "target", affixed(reader, node, target, affix));
    for (ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        ts_mjcf_retarget(reader, child, moved, affix);
}

// --- copies of nodes ---

static ts_xml_node* copy_node(ts_mjcf_reader* reader, const ts_xml_node* node) {
    if (++reader->copy_count > TS_MJCF_COPY_LIMIT) {
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "replicate and attach make more than %d things",
                     TS_MJCF_COPY_LIMIT);
        return NULL;
    }
    return ts_xml_copy_node(&reader->xml, node);
}

// Returns nonzero when all was copied; `stop` was met otherwise, or something failed.
static int copy_below(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_xml_node* stop, ts_mjcf_affix affix,
                      ts_xml_node* copy) {
    for (const ts_xml_node* child = node->child; child; child = child->next) {
        if (child == stop) return 0;
        ts_xml_node* twin = copy_node(reader, child);
        if (!twin) return 0;
        rename_node(reader, twin, affix);
        ts_xml_append(copy, twin);
        if (!copy_below(reader, child, stop, affix, twin)) return 0;
    }
    return 1;
}

ts_xml_node* ts_mjcf_copy_tree(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_xml_node* stop,
                               ts_mjcf_affix affix) {
    ts_xml_node* copy = copy_node(reader, node);
    if (!copy) return NULL;
    rename_node(reader, copy, affix);
    copy_below(reader, node, stop, affix, copy);
    return reader->xml.code ? NULL : copy;
}

// --- references ---

// Attributes by which elements outside of the tree refer to something; they mean the same wherever they stand.
static const struct reference {
    const char* attribute;
    ts_mjcf_name_kind kind;
} references[] = {
    {"body", TS_MJCF_NAMES_BODY},       {"body1", TS_MJCF_NAMES_BODY},     {"body2", TS_MJCF_NAMES_BODY},
    {"subtree1", TS_MJCF_NAMES_BODY},   {"subtree2", TS_MJCF_NAMES_BODY},  {"joint", TS_MJCF_NAMES_JOINT},
    {"joint1", TS_MJCF_NAMES_JOINT},    {"joint2", TS_MJCF_NAMES_JOINT},   {"jointinparent", TS_MJCF_NAMES_JOINT},
    {"geom", TS_MJCF_NAMES_GEOM},       {"geom1", TS_MJCF_NAMES_GEOM},     {"geom2", TS_MJCF_NAMES_GEOM},
    {"site", TS_MJCF_NAMES_SITE},       {"site1", TS_MJCF_NAMES_SITE},     {"site2", TS_MJCF_NAMES_SITE},
    {"sidesite", TS_MJCF_NAMES_SITE},   {"refsite", TS_MJCF_NAMES_SITE},   {"cranksite", TS_MJCF_NAMES_SITE},
    {"slidersite", TS_MJCF_NAMES_SITE}, {"camera", TS_MJCF_NAMES_CAMERA},  {"tendon", TS_MJCF_NAMES_TENDON},
    {"tendon1", TS_MJCF_NAMES_TENDON},  {"tendon2", TS_MJCF_NAMES_TENDON}, {"actuator", TS_MJCF_NAMES_ACTUATOR},
};

// Where the kind stands in another attribute of a sensor.
static const struct typed_reference {
    const char* attribute;
    const char* type;
} typed_references[] = {{"objname", "objtype"}, {"refname", "reftype"}};

static int kind_of_word(const char* word) {
    if (!word) return -1;
    if (strcmp(word, "xbody") == 0) return TS_MJCF_NAMES_BODY;
    for (size_t i = 0; i < sizeof namings / sizeof namings[0]; ++i)
        if (strcmp(namings[i].element, word) == 0) return (int)namings[i].kind;
    return -1;
}

// What an attribute's value names, or -1 when it is no reference.
static int reference_kind(const ts_xml_node* node, const char* attribute) {
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i)
        if (strcmp(references[i].attribute, attribute) == 0) return (int)references[i].kind;
    for (size_t i = 0; i < sizeof typed_references / sizeof typed_references[0]; ++i)
        if (strcmp(typed_references[i].attribute, attribute) == 0)
            return kind_of_word(ts_xml_value(node, typed_references[i].type));
    return -1;
}

// How an element's references (its own, and those of the parts of a tendon) stand to what is copied.
typedef struct standing {
    int moved;  // refer to what is copied
    int fixed;  // do not
    int lost;   // of these: name nothing of `known`
} standing;

static int is_world(int kind, const char* name) { return kind == TS_MJCF_NAMES_BODY && strcmp(name, "world") == 0; }

// `known` may be NULL.
static void look_at(const ts_xml_node* node, const ts_mjcf_name_set* moved, const ts_name_table* known,
                    standing* out_standing) {
    for (int i = 0; i < node->attribute_count; ++i) {
        const char* name = node->attribute[i].value;
        int kind = reference_kind(node, node->attribute[i].name);
        if (kind < 0 || is_world(kind, name)) continue;
        if (ts_name_table_find(&moved->of[kind], name) >= 0) {
            ++out_standing->moved;
            continue;
        }
        ++out_standing->fixed;
        out_standing->lost += known && ts_name_table_find(&known[kind], name) < 0;
    }
    for (const ts_xml_node* child = node->child; child; child = child->next) look_at(child, moved, known, out_standing);
}

// --- what refers ---

// Sections whose elements refer to the tree, those that others refer to first; and whether all of an element's references
// must be copied.
static const struct section {
    const char* name;
    int is_whole;
} sections[] = {{"contact", 0}, {"tendon", 0}, {"equality", 1}, {"actuator", 1}, {"sensor", 0}};

static const struct section* section_of(const ts_xml_node* node) {
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i)
        if (strcmp(sections[i].name, node->name) == 0) return &sections[i];
    return NULL;
}

static void find_in_section(ts_mjcf_reader* reader, const ts_xml_node* section, int with_free, ts_mjcf_referrers* out) {
    for (const ts_xml_node* node = section->child; node && !reader->xml.code; node = node->next) {
        standing s = {0, 0, 0};
        look_at(node, &out->moved, NULL, &s);
        if (++reader->look_count > TS_MJCF_LOOK_LIMIT)
            ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "too much refers to what replicate and attach copy");
        int is_free = with_free && s.moved + s.fixed == 0;
        if (s.moved == 0 && !is_free) continue;
        if (!ts_xml_node_array_push(&out->node, node)) ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
        note_name(reader, node, &out->moved);
    }
}

void ts_mjcf_find_referrers(ts_mjcf_reader* reader, const ts_xml_node* root, int with_free, ts_mjcf_referrers* out) {
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i)
        for (const ts_xml_node* at = root->child; at; at = at->next)
            if (strcmp(at->name, sections[i].name) == 0)
                find_in_section(reader, at, with_free && strcmp(at->name, "sensor") == 0, out);
}

static void rename_references(ts_mjcf_reader* reader, ts_xml_node* node, const ts_mjcf_name_set* moved,
                              ts_mjcf_affix affix) {
    for (int i = 0; i < node->attribute_count; ++i) {
        ts_xml_attribute a = node->attribute[i];
        int kind = reference_kind(node, a.name);
        if (kind < 0 || is_world(kind, a.value) || ts_name_table_find(&moved->of[kind], a.value) < 0) continue;
        ts_xml_set(&reader->xml, node, a.name, affixed(reader, node, a.value, affix));
    }
    for (ts_xml_node* child = node->child; child; child = child->next) rename_references(reader, child, moved, affix);
}

// The last section of that name in a document; made when there is none.
static ts_xml_node* section_for(ts_mjcf_reader* reader, const ts_xml_node* section, ts_xml_node* root) {
    ts_xml_node* last = NULL;
    for (ts_xml_node* at = root->child; at; at = at->next)
        if (strcmp(at->name, section->name) == 0) last = at;
    if (last) return last;
    last = ts_xml_make(&reader->xml, section, section->name);
    if (last) ts_xml_append(root, last);
    return last;
}

static void copy_referrer(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_name_set* moved,
                          ts_mjcf_document* document, ts_mjcf_affix affix) {
    int is_foreign = ts_mjcf_document_of(reader, node) != document;
    const struct section* section = section_of(node->parent);
    standing s = {0, 0, 0};
    look_at(node, moved, is_foreign ? document->known.of : NULL, &s);
    if (s.lost > 0) return;
    if (section->is_whole && s.fixed > 0) {
        char what[96];
        snprintf(what, sizeof what, "%s/%s (half of it copied)", section->name, node->name);
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, 1, what,
                       "it refers to something that is copied and to something that is not; copies do without it");
        return;
    }
    ts_xml_node* home = section_for(reader, node->parent, document->root);
    ts_xml_node* copy = home ? ts_mjcf_copy_tree(reader, node, NULL, (ts_mjcf_affix){"", ""}) : NULL;
    if (!copy) return;
    rename_node(reader, copy, affix);
    rename_references(reader, copy, moved, affix);
    ts_xml_append(home, copy);
    note_name(reader, copy, &document->known);
}

void ts_mjcf_copy_referrers(ts_mjcf_reader* reader, const ts_mjcf_referrers* referrers, int document,
                            ts_mjcf_affix affix) {
    for (int i = 0; i < referrers->node.count && !reader->xml.code; ++i)
        copy_referrer(reader, referrers->node.data[i], &referrers->moved, reader->documents.data[document], affix);
}

// What is left of a section's elements when those that stand in the list from *cursor on are taken out.
static void thin_section(const ts_xml_node_array* taken, int* cursor, ts_xml_node* section) {
    ts_xml_node* next = section->child;
    section->child = section->last_child = NULL;
    for (ts_xml_node* node = next; node; node = next) {
        next = node->next;
        if (*cursor < taken->count && taken->data[*cursor] == node) {
            ++*cursor;
            continue;
        }
        node->next = NULL;
        ts_xml_append(section, node);
    }
}

void ts_mjcf_remove_referrers(const ts_mjcf_referrers* referrers, ts_xml_node* root) {
    // They were found in this very order.
    int cursor = 0;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i)
        for (ts_xml_node* at = root->child; at; at = at->next)
            if (strcmp(at->name, sections[i].name) == 0) thin_section(&referrers->node, &cursor, at);
}

void ts_mjcf_referrers_free(ts_mjcf_referrers* referrers) {
    ts_xml_node_array_free(&referrers->node);
    ts_mjcf_name_set_free(&referrers->moved);
}
