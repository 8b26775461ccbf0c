// SRDF: which links never touch, named poses, and whether the root moves. Everything else in it is for planners.
#include "engine/read/urdf/urdf_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 256 };

// --- finding the file ---

// The files NAME.srdf of a folder that are for the robot: how many, and the first of them by name, or the one named STEM.
typedef struct candidate {
    int count;
    int has_stem;
    char path[PATH_BYTES];
} candidate;

static int is_for(ts_urdf_reader* reader, const char* path, const char* robot) {
    ts_xml xml;
    ts_text text = {0};
    ts_status status;
    memset(&xml, 0, sizeof xml);
    xml.dialect = reader->xml.dialect;
    int fits = 0;
    if (ts_xml_read_file(path, &text, &status) == TS_OK) {
        const ts_xml_node* root = ts_xml_parse(&xml, ts_text_get(&text), text.length, path);
        const char* name = root && strcmp(root->name, "robot") == 0 ? ts_xml_value(root, "name") : NULL;
        fits = name && strcmp(name, robot) == 0;
    }
    ts_text_free(&text);
    ts_xml_free(&xml);
    return fits;
}

static void consider(ts_urdf_reader* reader, const char* folder, const char* name, const char* stem, const char* robot,
                     candidate* best) {
    char path[PATH_BYTES];
    size_t length = strlen(name);
    if (length < 6 || strcmp(name + length - 5, ".srdf") != 0) return;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || n >= PATH_BYTES || !is_for(reader, path, robot)) return;
    int has_stem = strlen(stem) == length - 5 && memcmp(stem, name, length - 5) == 0;
    ++best->count;
    if (!has_stem && (best->has_stem || (best->path[0] && strcmp(path, best->path) > 0))) return;
    best->has_stem |= has_stem;
    memcpy(best->path, path, (size_t)n + 1);
}

static void scan(ts_urdf_reader* reader, const char* folder, const char* stem, const char* robot, candidate* best) {
    DIR* directory = opendir(folder);
    if (!directory) return;
    for (const struct dirent* entry; (entry = readdir(directory)) != NULL;)
        consider(reader, folder, entry->d_name, stem, robot, best);
    closedir(directory);
}

// In the folder of the file, and in srdf/ of every folder from there up to its home; one of the same stem, or the only one.
static int find_beside(ts_urdf_reader* reader, const char* path, const char* robot, candidate* best) {
    char home[PATH_BYTES], folder[PATH_BYTES + 8], stem[NAME_BYTES];
    if (!ts_urdf_home(reader, home, sizeof home)) return 0;
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), name);
    char* at = realpath(reader->xml.directory[0] ? reader->xml.directory : ".", NULL);
    if (!at) return 0;
    scan(reader, at, stem, robot, best);
    for (int end = 0; best->count == 0 && !end;) {
        end = strcmp(at, home) == 0;
        int n = snprintf(folder, sizeof folder, "%s/srdf", at);
        if (n > 0 && n < PATH_BYTES) scan(reader, folder, stem, robot, best);
        char* last = strrchr(at, '/');
        if (last == at) break;
        *last = '\0';
    }
    free(at);
    return best->has_stem || best->count == 1;
}

void ts_urdf_take_srdf(ts_urdf_reader* reader, const char* text, size_t size, const char* file, const char* robot) {
    reader->srdf = ts_xml_parse(&reader->xml, text, size, ts_xml_copy(&reader->xml, file, strlen(file)));
    if (!reader->srdf) return;
    if (strcmp(reader->srdf->name, "robot") != 0) {
        ts_urdf_fail(reader, reader->srdf, TS_ERROR_PARSE, "the root element is <%.40s>; SRDF begins with <robot>",
                     reader->srdf->name);
        return;
    }
    const char* name = ts_xml_value(reader->srdf, "name");
    ts_urdf_report(reader, reader->srdf, TS_IMPORT_HONOURED, 1, "SRDF",
                   reader->options->srdf ? "exclusions and poses come from it, as asked for"
                                         : "exclusions and poses come from it: it is for this robot");
    if (!name || strcmp(name, robot) != 0)
        ts_urdf_report(reader, reader->srdf, TS_IMPORT_APPROXIMATED, 0, "robot@name of the SRDF",
                       "differs from the robot's; names of links and joints decide");
}

void ts_urdf_find_srdf(ts_urdf_reader* reader, const char* path, const char* robot) {
    candidate best;
    memset(&best, 0, sizeof best);
    const char* file = reader->options->srdf;
    if (!file) {
        if (!reader->xml.directory || !find_beside(reader, path, robot, &best)) return;
        file = best.path;
    }
    ts_text text = {0};
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_code code = ts_xml_read_file(file, &text, &status);
    if (code)
        ts_urdf_fail(reader, NULL, code, "the SRDF '%.200s' cannot be read: %.200s", file, status.message);
    else
        ts_urdf_take_srdf(reader, ts_text_get(&text), text.length, file, robot);
    ts_text_free(&text);
}

// --- reading it ---

int ts_urdf_srdf_root(ts_urdf_reader* reader) {
    const char* root = reader->link.data[reader->root].name;
    int said = -1;
    for (const ts_xml_node* node = reader->srdf->child; node; node = node->next) {
        if (strcmp(node->name, "virtual_joint") == 0) {
            const char* link = ts_xml_value(node, "child_link");
            const char* type = ts_xml_value(node, "type");
            if (!link || !type || strcmp(link, root) != 0) continue;
            if (strcmp(type, "planar") == 0)
                ts_urdf_report(reader, node, TS_IMPORT_APPROXIMATED, 1, "virtual_joint (planar)",
                               "the root floats freely");
            return strcmp(type, "fixed") != 0;
        }
        if (strcmp(node->name, "group_state") != 0) continue;
        for (const ts_xml_node* joint = node->child; joint; joint = joint->next) {
            const char* name = ts_xml_value(joint, "name");
            if (name && strcmp(name, "root_joint") == 0 && ts_name_table_find(&reader->joint_name, name) < 0) said = 1;
        }
    }
    return said;
}

static int link_of(ts_urdf_reader* reader, const ts_xml_node* node, const char* attribute) {
    const char* name = ts_xml_value(node, attribute);
    if (!name) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "%.40s needs the attribute '%s'", node->name, attribute);
        return -1;
    }
    int link = ts_name_table_find(&reader->link_name, name);
    if (link < 0)
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, 0, "disable_collisions (unknown link)",
                       "the robot has no such link");
    return link < 0 ? -1 : reader->link.data[link].body;
}

static void read_exclusion(ts_urdf_reader* reader, const ts_xml_node* node) {
    int a = link_of(reader, node, "link1"), b = link_of(reader, node, "link2");
    if (a < 0 || b < 0 || reader->xml.code) return;
    if (!ts_builder_exclude(reader->builder, a, b)) ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// --- poses ---

// A state while it is read.
typedef struct pose {
    ts_builder_number_array qpos;
    int*
        first;  // of each joint of the builder: where its coordinates begin, in the order of adding, which is the model's
    char* given;  // of each joint of the robot: whether the state itself sets it
} pose;

static int find_first(const ts_builder* builder, int* first) {
    int count = 0;
    for (int i = 0; i < builder->joint.count; ++i) {
        first[i] = count;
        count += ts_joint_type_nq(builder->joint.data[i].def.type);
    }
    return count;
}

static int start_pose(ts_urdf_reader* reader, pose* p) {
    const ts_builder* b = reader->builder;
    p->first = (int*)calloc((size_t)b->joint.count + 1, sizeof *p->first);
    p->given = (char*)calloc((size_t)reader->joint.count + 1, 1);
    if (!p->first || !p->given || !ts_builder_number_array_resize(&p->qpos, find_first(b, p->first))) return 0;
    double* q = p->qpos.data;
    for (int i = 0; i < b->joint.count; ++i) {
        const ts_joint_def* def = &b->joint.data[i].def;
        int count = ts_joint_type_nq(def->type);
        for (int k = 0; k < count; ++k) q[k] = 0.0;
        if (def->type == TS_JOINT_FREE) {
            ts_vec3_store(b->body.data[def->body].def.pose.position, q);
            ts_quat_store(b->body.data[def->body].def.pose.rotation, q + 3);
        }
        q += count;
    }
    return 1;
}

// A free joint's pose: x y z, then the quaternion with its real part last, as in Pinocchio.
static void set_free(ts_urdf_reader* reader, const ts_xml_node* node, double* q) {
    double value[7];
    if (!ts_urdf_reals(reader, node, "value", value, 7)) return;
    ts_quat rotation = ts_quat_make(value[6], value[3], value[4], value[5]);
    if (!(ts_quat_norm(rotation) > 1e-10)) {
        ts_urdf_fail(reader, node, TS_ERROR_VALUE, "the quaternion of a floating joint is zero");
        return;
    }
    memcpy(q, value, 3 * sizeof *q);
    ts_quat_store(ts_quat_normalize(rotation), q + 3);
}

static void set_joint(ts_urdf_reader* reader, const ts_xml_node* node, pose* p) {
    const char* name = ts_xml_value(node, "name");
    int index = name ? ts_name_table_find(&reader->joint_name, name) : -1;
    if (strcmp(node->name, "joint") != 0 || !name) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "group_state holds joints with names, and nothing else");
    } else if (index < 0 && reader->root_floats && strcmp(name, "root_joint") == 0) {
        set_free(reader, node, p->qpos.data);
    } else if (index < 0) {
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, 1, "group_state (unknown joint)",
                       "the robot has no such joint");
    } else {
        const ts_urdf_joint* joint = &reader->joint.data[index];
        p->given[index] = 1;
        if (joint->def < 0) return;
        double* q = p->qpos.data + p->first[joint->def];
        if (joint->type == TS_URDF_FLOATING)
            set_free(reader, node, q);
        else if (joint->type == TS_URDF_PLANAR)
            ts_urdf_reals(reader, node, "value", q - 2, 3);
        else
            ts_urdf_reals(reader, node, "value", q, 1);
    }
}

// Joints that mimic others follow them. A chain of them is followed so far; longer ones are no mechanism.
enum { CHAIN_MOST = 16 };

static void set_mimics(const ts_urdf_reader* reader, pose* p) {
    for (int i = 0; i < reader->joint.count; ++i) {
        const ts_urdf_joint* chain[CHAIN_MOST];
        int count = 0, at = i;
        while (count < CHAIN_MOST && reader->joint.data[at].mimics >= 0 && !p->given[at]) {
            chain[count++] = &reader->joint.data[at];
            at = reader->joint.data[at].mimics;
        }
        if (count == 0) continue;
        int source = reader->joint.data[at].def;
        double value = source < 0 ? 0.0 : p->qpos.data[p->first[source]];
        while (count > 0) {
            const ts_urdf_joint* joint = chain[--count];
            value = joint->offset + joint->multiplier * value;
        }
        p->qpos.data[p->first[reader->joint.data[i].def]] = value;
    }
}

// The state that a simulation begins with: what everybody calls it, or what SRDF files do.
static const ts_xml_node* initial_state(const ts_xml_node* robot) {
    static const char* const names[] = {"home", "standing", "half_sitting", "default"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        for (const ts_xml_node* node = robot->child; node; node = node->next) {
            const char* name = strcmp(node->name, "group_state") == 0 ? ts_xml_value(node, "name") : NULL;
            if (name && strcmp(name, names[k]) == 0) return node;
        }
    return NULL;
}

// "NAME", or "GROUP/NAME" when another group has a state of that name already.
static const char* state_name(ts_urdf_reader* reader, const ts_xml_node* node, ts_name_table* seen) {
    const char* name = ts_xml_value(node, "name");
    const char* group = ts_xml_value(node, "group");
    if (!name || !name[0]) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "a group_state needs a name");
        return NULL;
    }
    if (ts_name_table_find(seen, name) >= 0) {
        char full[2 * NAME_BYTES];
        int n = snprintf(full, sizeof full, "%.200s/%.200s", group ? group : "", name);
        name = ts_xml_copy(&reader->xml, full, (size_t)n);
        if (ts_name_table_find(seen, name) >= 0)
            ts_urdf_fail(reader, node, TS_ERROR_VALUE, "another group_state is called '%.200s'", name);
    }
    if (!ts_name_table_put(seen, name, 0)) ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    return name;
}

static void read_state(ts_urdf_reader* reader, const ts_xml_node* node, int is_initial, ts_name_table* seen) {
    pose p;
    memset(&p, 0, sizeof p);
    ts_keyframe_def def = {.name = state_name(reader, node, seen), .file = node->file, .line = node->line};
    if (!start_pose(reader, &p)) ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    for (const ts_xml_node* joint = node->child; joint && !reader->xml.code; joint = joint->next)
        set_joint(reader, joint, &p);
    if (!reader->xml.code && p.qpos.count > 0) {
        set_mimics(reader, &p);
        def.qpos = p.qpos.data;
        def.qpos_count = p.qpos.count;
        def.is_initial = is_initial;
        if (!ts_builder_add_keyframe(reader->builder, &def))
            ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
        else if (is_initial)
            ts_urdf_report(reader, node, TS_IMPORT_HONOURED, 1, "group_state",
                           "poses are keyframes; this one is where simulations begin");
    }
    ts_builder_number_array_free(&p.qpos);
    free(p.first);
    free(p.given);
}

// What else SRDF knows.
static void pass_over(ts_urdf_reader* reader, const ts_xml_node* node) {
    static const struct {
        const char* name;
        int physics;
        const char* meaning;
    } known[] = {{"group", 0, "groups are for planners"},
                 {"end_effector", 0, "for planners"},
                 {"virtual_joint", 0, "says whether the root moves"},
                 {"passive_joint", 0, "for planners: no joint has a motor of its own"},
                 {"joint_property", 0, "for planners"},
                 {"link_sphere_approximation", 0, "for planners"},
                 {"disable_default_collisions", 1, "the link may touch whatever is not excluded by name"},
                 {"enable_collisions", 1, "links may touch unless they are excluded by name"},
                 {"rotor_params", 1, "the inertia of rotors is left out"},
                 {"gripper", 0, "for planners"}};
    char what[96];
    snprintf(what, sizeof what, "SRDF %.80s", node->name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strcmp(known[i].name, node->name) != 0) continue;
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, known[i].physics, what, known[i].meaning);
        return;
    }
    ts_urdf_report(reader, node, TS_IMPORT_IGNORED, 0, what, "SRDF has no such thing; its parsers pass over it");
}

void ts_urdf_read_srdf(ts_urdf_reader* reader) {
    const ts_xml_node* initial = initial_state(reader->srdf);
    ts_name_table seen = {NULL, NULL, 0, 0};
    for (const ts_xml_node* node = reader->srdf->child; node && !reader->xml.code; node = node->next) {
        if (strcmp(node->name, "disable_collisions") == 0)
            read_exclusion(reader, node);
        else if (strcmp(node->name, "group_state") == 0)
            read_state(reader, node, node == initial, &seen);
        else
            pass_over(reader, node);
    }
    ts_name_table_free(&seen);
}
