// <replicate> and <attach>, worked out on the tree of nodes before anything is built of it: whoever reads bodies, tendons
// or actuators afterwards meets plain elements only. The rules are those of MuJoCo 4.0.
//
// A replicate becomes `count` frames with the same contents, whose names get a running number, from the innermost replicate
// outwards. Frame i is turned by i times the Euler angles (which for several angles is not i times the turn), and stands where steps
// of `offset`, each in the axes of the frame before, lead. An attach becomes a frame with a copy of a body, of a frame or of all bodies of
// another model (or of this one, as far as it stands before the attach), with `prefix` before its names. What refers to something
// that is copied is copied with it (copies.c).
#include "engine/read/mjcf/compose_internal.h"

#include <stdio.h>
#include <string.h>

// A document while its tree is composed.
typedef struct composer {
    ts_mjcf_reader* reader;
    ts_mjcf_document* document;
    int number;  // of the document
} composer;

static void compose_below(composer* c, ts_xml_node* node, int depth);

static int is_named(const ts_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

static void note_names(composer* c, const ts_xml_node* node) {
    ts_mjcf_collect_names(c->reader, node, 1, &c->document->known);
}

// Elements below a node, itself not counted.
static int count_below(const ts_xml_node* node) {
    int count = 0;
    for (const ts_xml_node* child = node->child; child; child = child->next) count += 1 + count_below(child);
    return count;
}

static int height_of(const ts_xml_node* node) {
    int height = 0;
    for (const ts_xml_node* child = node->child; child; child = child->next) {
        int h = 1 + height_of(child);
        if (h > height) height = h;
    }
    return height;
}

// The nearest childclass at a node or around it; NULL: none.
static const char* class_around(const ts_xml_node* node) {
    for (; node; node = node->parent) {
        const char* name = ts_xml_value(node, "childclass");
        if (name) return name;
    }
    return NULL;
}

// Puts `node` (NULL: nothing), which has no next, in the place of the child behind `before` (NULL: the first). Returns the
// node that then stands behind it.
static ts_xml_node* replace_child(ts_xml_node* parent, ts_xml_node* before, ts_xml_node* first, ts_xml_node* last) {
    ts_xml_node* old = before ? before->next : parent->child;
    last->next = old->next;
    if (before)
        before->next = first;
    else
        parent->child = first;
    if (parent->last_child == old) parent->last_child = last;
    old->next = NULL;
    for (ts_xml_node* node = first; node != last->next; node = node->next) node->parent = parent;
    return last;
}

// --- replicate ---

// The attributes of <replicate>.
typedef struct replicate {
    ts_mjcf_element element;
    int count;
    int digits;
    double offset[3];
    const char* separator;
} replicate;

static int read_replicate(composer* c, const ts_xml_node* node, replicate* out) {
    ts_mjcf_reader* reader = c->reader;
    ts_mjcf_check(reader, node, "replicate");
    out->element = ts_mjcf_element_plain(reader, node);
    out->count = ts_mjcf_integer(&out->element, "count", 0);
    memset(out->offset, 0, sizeof out->offset);
    ts_mjcf_reals(&out->element, "offset", out->offset, 3, 3);
    const char* separator = ts_xml_value(node, "sep");
    out->separator = separator ? separator : "";
    if (out->count <= 0 || out->count > TS_MJCF_COPY_LIMIT)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "replicate needs a count between 1 and %d", TS_MJCF_COPY_LIMIT);
    out->digits = 1;
    for (int n = out->count; n >= 10; n /= 10) ++out->digits;
    for (const ts_xml_node* child = node->child; child; child = child->next)
        if (is_named(child, "joint") || is_named(child, "freejoint") || is_named(child, "inertial"))
            ts_mjcf_fail(reader, child, TS_ERROR_PARSE, "%s cannot stand directly in a replicate", child->name);
    return !reader->xml.code;
}

static const char* suffix_of(composer* c, const replicate* r, int i) {
    char suffix[256];
    int n = snprintf(suffix, sizeof suffix, "%.200s%0*d", r->separator, r->digits, i);
    return ts_xml_copy(&c->reader->xml, suffix, n < 0 ? 0 : (size_t)n);
}

static const char* numbers_text(composer* c, const double* x, int count) {
    char text[128];
    size_t used = 0;
    for (int i = 0; i < count; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i ? " " : "", x[i]);
    return ts_xml_copy(&c->reader->xml, text, used);
}

// An empty frame for replica i, which stands at *pose; *pose goes on to the next.
static ts_xml_node* make_frame(composer* c, const replicate* r, int i, ts_pose* pose) {
    ts_xml* xml = &c->reader->xml;
    ts_xml_node* frame = ts_xml_make(xml, r->element.node, "frame");
    if (!frame) return NULL;
    const char* childclass = ts_xml_value(r->element.node, "childclass");
    double p[3], q[4];
    ts_vec3_store(pose->position, p);
    ts_quat_store(pose->rotation, q);
    ts_xml_set(xml, frame, "pos", numbers_text(c, p, 3));
    ts_xml_set(xml, frame, "quat", numbers_text(c, q, 4));
    if (childclass) ts_xml_set(xml, frame, "childclass", childclass);
    pose->position = ts_pose_apply(*pose, ts_vec3_load(r->offset));
    pose->rotation = ts_mjcf_euler(&r->element, (double)(i + 1));
    return frame;
}

// Frames for all replicas in a row; copies of the contents in all but the first, which gets the contents themselves.
static void make_replicas(composer* c, const replicate* r, ts_xml_node* node, const ts_mjcf_name_set* moved,
                          ts_xml_node** out_first, ts_xml_node** out_last) {
    ts_mjcf_reader* reader = c->reader;
    ts_pose pose = ts_pose_identity();
    for (int i = 0; i < r->count; ++i) {
        ts_xml_node* frame = make_frame(c, r, i, &pose);
        if (!frame || reader->xml.code) return;
        ts_mjcf_affix affix = {"", suffix_of(c, r, i)};
        for (const ts_xml_node* child = node->child; i > 0 && child && !reader->xml.code; child = child->next) {
            ts_xml_node* copy = ts_mjcf_copy_tree(reader, child, NULL, affix);
            if (!copy) continue;
            ts_mjcf_retarget(reader, copy, moved, affix);
            ts_xml_append(frame, copy);
        }
        if (*out_last) (*out_last)->next = frame;
        *out_last = frame;
        if (i == 0) *out_first = frame;
    }
}

static void forget_names(composer* c, const ts_mjcf_name_set* names) {
    for (int k = 0; k < TS_MJCF_NAMES_COUNT; ++k)
        for (int i = 0; i < names->of[k].capacity; ++i)
            if (names->of[k].key[i]) ts_name_table_put(&c->document->known.of[k], names->of[k].key[i], -1);
}

// The node is that behind `before`; its contents are composed. Returns the last of what stands in its place.
static ts_xml_node* work_out_replicate(composer* c, ts_xml_node* parent, ts_xml_node* before, ts_xml_node* node) {
    ts_mjcf_reader* reader = c->reader;
    replicate r;
    if (!read_replicate(c, node, &r)) return node;
    if ((double)r.count * (1.0 + count_below(node)) > TS_MJCF_COPY_LIMIT) {
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "replicate and attach make more than %d things",
                     TS_MJCF_COPY_LIMIT);
        return node;
    }
    reader->copy_count += r.count;
    ts_mjcf_referrers referrers;
    memset(&referrers, 0, sizeof referrers);
    ts_mjcf_collect_names(reader, node, 0, &referrers.moved);
    ts_mjcf_find_referrers(reader, c->document->root, 0, &referrers);
    ts_xml_node *first = NULL, *last = NULL;
    make_replicas(c, &r, node, &referrers.moved, &first, &last);
    for (int i = 0; i < r.count && !reader->xml.code; ++i)
        ts_mjcf_copy_referrers(reader, &referrers, c->number, (ts_mjcf_affix){"", suffix_of(c, &r, i)});
    if (!reader->xml.code) {
        ts_mjcf_remove_referrers(&referrers, c->document->root);
        forget_names(c, &referrers.moved);
        ts_xml_move_children(node, first);
        ts_mjcf_affix affix = {"", suffix_of(c, &r, 0)};
        for (ts_xml_node* child = first->child; child; child = child->next) {
            ts_mjcf_rename_tree(reader, child, affix);
            ts_mjcf_retarget(reader, child, &referrers.moved, affix);
        }
        node = replace_child(parent, before, first, last);
        for (ts_xml_node* frame = first; frame != last->next; frame = frame->next) note_names(c, frame);
    }
    ts_mjcf_referrers_free(&referrers);
    return node;
}

// --- attach ---

// The attributes of <attach>.
typedef struct attachment {
    const ts_xml_node* node;
    ts_mjcf_document* source;
    const char* prefix;
    int kind;            // TS_MJCF_NAMES_BODY, TS_MJCF_NAMES_FRAME, or -1: all bodies
    const char* target;  // its name
} attachment;

static int read_attachment(composer* c, const ts_xml_node* node, attachment* out) {
    ts_mjcf_reader* reader = c->reader;
    ts_mjcf_check(reader, node, "attach");
    const char *model = ts_xml_value(node, "model"), *body = ts_xml_value(node, "body");
    const char* frame = ts_xml_value(node, "frame");
    memset(out, 0, sizeof *out);
    out->node = node;
    out->prefix = ts_xml_value(node, "prefix");
    out->kind = body ? TS_MJCF_NAMES_BODY : frame ? TS_MJCF_NAMES_FRAME : -1;
    out->target = body ? body : frame;
    out->source = c->document;
    if (!out->prefix) return !ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "attach needs a prefix");
    if (body && frame) return !ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "attach names a body or a frame, not both");
    if (node->child) return !ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "<attach> has elements inside");
    if (!model && !out->target)
        return !ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "attach needs a model, or a body or a frame of this one");
    if (!model) return 1;
    int index = ts_name_table_find(&c->document->model_name, model);
    if (index < 0)
        return !ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "attach: there is no model '%.80s' among the assets", model);
    out->source = reader->documents.data[index];
    return 1;
}

// What an attach names, below `node`; `stop` is as in ts_mjcf_copy_tree, and what stands behind it is not there yet.
static const ts_xml_node* find_target(const ts_xml_node* node, const attachment* a, int* io_stopped) {
    for (const ts_xml_node* child = node->child; child && !*io_stopped; child = child->next) {
        if (child == a->node) {
            *io_stopped = 1;
            return NULL;
        }
        const char* name = ts_xml_value(child, "name");
        if (name && ts_mjcf_name_kind_of(child) == a->kind && strcmp(name, a->target) == 0) return child;
        const ts_xml_node* found = find_target(child, a, io_stopped);
        if (found) return found;
    }
    return NULL;
}

static const ts_xml_node* find_in_document(composer* c, const attachment* a) {
    const ts_xml_node* found = NULL;
    int stopped = 0;
    for (const ts_xml_node* at = a->source->root->child; at && !found && !stopped; at = at->next)
        if (is_named(at, "worldbody")) found = find_target(at, a, &stopped);
    if (!found)
        ts_mjcf_fail(c->reader, a->node, TS_ERROR_VALUE, "attach: the model has no %s '%.80s'",
                     a->kind == TS_MJCF_NAMES_BODY ? "body" : "frame", a->target);
    return found;
}

// A copy of `target` with the class that it stands in.
static ts_xml_node* copy_target(composer* c, const attachment* a, const ts_xml_node* target) {
    ts_mjcf_affix affix = {a->prefix, ""};
    ts_xml_node* copy = ts_mjcf_copy_tree(c->reader, target, a->node, affix);
    const char* childclass = class_around(target);
    if (copy) ts_xml_set(&c->reader->xml, copy, "childclass", childclass ? childclass : "main");
    return copy;
}

// Everything that stands in the world, in a frame.
static ts_xml_node* copy_world(composer* c, const attachment* a, ts_mjcf_name_set* moved) {
    ts_xml_node* all = ts_xml_make(&c->reader->xml, a->source->root, "frame");
    for (const ts_xml_node* at = a->source->root->child; all && at; at = at->next) {
        if (!is_named(at, "worldbody")) continue;
        ts_mjcf_collect_names(c->reader, at, 0, moved);
        ts_xml_node* copy = ts_mjcf_copy_tree(c->reader, at, a->node, (ts_mjcf_affix){"", ""});
        if (!copy) return NULL;
        for (ts_xml_node* child = copy->child; child; child = child->next)
            ts_mjcf_rename_tree(c->reader, child, (ts_mjcf_affix){a->prefix, ""});
        copy->name = "frame";
        ts_xml_append(all, copy);
    }
    return all;
}

// Assets go by their new names where the other model is attached to.
static void add_aliases(composer* c, const attachment* a, const ts_name_table* from, ts_name_table* to) {
    for (int i = 0; i < from->capacity; ++i) {
        if (!from->key[i]) continue;
        char name[512];
        int n = snprintf(name, sizeof name, "%s%s", a->prefix, from->key[i]);
        if (n < 0 || (size_t)n >= sizeof name || ts_name_table_find(to, name) >= 0) continue;
        if (++c->reader->copy_count > TS_MJCF_COPY_LIMIT ||
            !ts_name_table_put(to, ts_xml_copy(&c->reader->xml, name, (size_t)n), from->value[i]))
            ts_mjcf_fail(c->reader, a->node, TS_ERROR_MEMORY, "attach: too many names of assets");
    }
}

static void say_what_stays_behind(composer* c, const attachment* a) {
    ts_mjcf_reader* reader = c->reader;
    for (const ts_xml_node* at = a->source->root->child; at; at = at->next) {
        if (is_named(at, "option"))
            ts_mjcf_report(reader, at, TS_IMPORT_IGNORED, c->document->compiler.merges_options,
                           "option (of a model that is attached)",
                           "the options of the model that it is attached to count");
        if (is_named(at, "keyframe"))
            ts_mjcf_report(reader, at, TS_IMPORT_IGNORED, 0, "keyframe (of a model that is attached)",
                           "only keyframes of the whole count");
    }
}

static ts_xml_node* work_out_attach(composer* c, ts_xml_node* parent, ts_xml_node* before, ts_xml_node* node,
                                    int depth) {
    ts_mjcf_reader* reader = c->reader;
    attachment a;
    ts_mjcf_referrers referrers;
    memset(&referrers, 0, sizeof referrers);
    if (!read_attachment(c, node, &a)) return node;
    const ts_xml_node* target = a.kind < 0 ? a.source->root : find_in_document(c, &a);
    if (!target) return node;
    if (a.kind >= 0) ts_mjcf_collect_names(reader, target, 1, &referrers.moved);
    ts_xml_node* copy = a.kind < 0 ? copy_world(c, &a, &referrers.moved) : copy_target(c, &a, target);
    if (copy) ts_mjcf_retarget(reader, copy, &referrers.moved, (ts_mjcf_affix){a.prefix, ""});
    const char* name = copy && a.kind >= 0 ? ts_xml_value(copy, "name") : NULL;
    if (name && ts_name_table_find(&c->document->known.of[a.kind], name) >= 0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "attach: there is a '%.80s' already", name);
    if (copy && depth + height_of(copy) > TS_MJCF_DEPTH_LIMIT)
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "attached models are nested deeper than %d elements",
                     TS_MJCF_DEPTH_LIMIT);
    int is_foreign = a.source != c->document;
    if (!reader->xml.code) {
        note_names(c, copy);
        node = replace_child(parent, before, copy, copy);
        ts_mjcf_find_referrers(reader, a.source->root, is_foreign, &referrers);
        ts_mjcf_copy_referrers(reader, &referrers, c->number, (ts_mjcf_affix){a.prefix, ""});
    }
    if (is_foreign && !reader->xml.code) {
        add_aliases(c, &a, &a.source->mesh_name, &c->document->mesh_name);
        add_aliases(c, &a, &a.source->height_field_name, &c->document->height_field_name);
        add_aliases(c, &a, &a.source->material_name, &c->document->material_name);
        say_what_stays_behind(c, &a);
    }
    ts_mjcf_referrers_free(&referrers);
    return node;
}

// --- the walk ---

static void compose_below(composer* c, ts_xml_node* node, int depth) {
    ts_mjcf_reader* reader = c->reader;
    ts_xml_node* before = NULL;
    for (ts_xml_node* child = node->child; child && !reader->xml.code; before = child, child = child->next) {
        if (is_named(child, "attach")) {
            child = work_out_attach(c, node, before, child, depth);
            continue;
        }
        int kind = ts_mjcf_name_kind_of(child);
        const char* name = ts_xml_value(child, "name");
        if (kind >= 0 && name && name[0] && !ts_name_table_put(&c->document->known.of[kind], name, 1))
            ts_mjcf_fail(reader, child, TS_ERROR_MEMORY, "out of memory");
        compose_below(c, child, depth + 1);
        if (is_named(child, "replicate")) child = work_out_replicate(c, node, before, child);
    }
}

void ts_mjcf_compose(ts_mjcf_reader* reader, int document) {
    composer c = {reader, reader->documents.data[document], document};
    ts_xml_node* root = c.document->root;
    for (ts_xml_node* at = root->child; at && !reader->xml.code; at = at->next)
        if (is_named(at, "tendon") || is_named(at, "actuator"))
            ts_mjcf_collect_names(reader, at, 0, &c.document->known);
    for (ts_xml_node* at = root->child; at && !reader->xml.code; at = at->next)
        if (is_named(at, "worldbody")) compose_below(&c, at, 1);
}
