// Links and joints by name, and the tree that they make: every link but one is the child of one joint, and following
// joints from the one that is not, the root, reaches all links.
#include "engine/read/urdf/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

static const char* const joint_type_name[TS_URDF_JOINT_TYPE_COUNT] = {"revolute", "continuous", "prismatic",
                                                                      "fixed",    "floating",   "planar"};

static void short_memory(ts_urdf_reader* reader) { ts_urdf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory"); }

// The name of a link or joint, noted in `names` as number `index`; NULL with a failure.
static const char* take_name(ts_urdf_reader* reader, const ts_xml_node* node, ts_name_table* names, int index) {
    const char* name = ts_xml_value(node, "name");
    if (!name || !name[0])
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "a %s needs a name", node->name);
    else if (ts_name_table_find(names, name) >= 0)
        ts_urdf_fail(reader, node, TS_ERROR_VALUE, "another %s is named '%.80s'", node->name, name);
    else if (!ts_name_table_put(names, name, index))
        short_memory(reader);
    return reader->xml.code ? NULL : name;
}

static void list_link(ts_urdf_reader* reader, const ts_xml_node* node) {
    ts_urdf_check(reader, node);
    ts_urdf_link link = {.node = node, .joint = -1, .first = -1, .body = -1, .offset = ts_pose_identity()};
    link.name = take_name(reader, node, &reader->link_name, reader->link.count);
    if (link.name && !ts_urdf_link_array_push(&reader->link, link)) short_memory(reader);
}

static int read_type(ts_urdf_reader* reader, const ts_xml_node* node) {
    const char* type = ts_xml_value(node, "type");
    for (int t = 0; type && t < TS_URDF_JOINT_TYPE_COUNT; ++t)
        if (strcmp(type, joint_type_name[t]) == 0) return t;
    ts_urdf_fail(reader, node, TS_ERROR_VALUE,
                 "type of joint must be revolute, continuous, prismatic, fixed, floating or planar, not '%.40s'",
                 type ? type : "");
    return TS_URDF_FIXED;
}

static void list_joint(ts_urdf_reader* reader, const ts_xml_node* node) {
    ts_urdf_check(reader, node);
    ts_urdf_joint joint = {.node = node, .parent = -1, .child = -1, .next = -1, .def = -1, .mimics = -1};
    joint.type = (ts_urdf_joint_type)read_type(reader, node);
    joint.name = take_name(reader, node, &reader->joint_name, reader->joint.count);
    if (joint.name && !ts_urdf_joint_array_push(&reader->joint, joint)) short_memory(reader);
}

// The link that <parent> or <child> of a joint names, or -1 with a failure.
static int linked(ts_urdf_reader* reader, const ts_xml_node* joint, const char* element) {
    const ts_xml_node* node = ts_urdf_child(reader, joint, element);
    const char* name = node ? ts_xml_value(node, "link") : NULL;
    if (!name || !name[0]) {
        ts_urdf_fail(reader, node ? node : joint, TS_ERROR_PARSE, "the joint names no %s link", element);
        return -1;
    }
    ts_urdf_check(reader, node);
    int link = ts_name_table_find(&reader->link_name, name);
    if (link < 0) ts_urdf_fail(reader, node, TS_ERROR_VALUE, "%s of joint: there is no link '%.80s'", element, name);
    return link;
}

// Children come in the order of their joints in the file.
static void connect(ts_urdf_reader* reader, int index, int* last) {
    ts_urdf_joint* joint = &reader->joint.data[index];
    joint->parent = linked(reader, joint->node, "parent");
    joint->child = linked(reader, joint->node, "child");
    if (reader->xml.code) return;
    ts_urdf_link* child = &reader->link.data[joint->child];
    if (child->joint >= 0) {
        ts_urdf_fail(reader, joint->node, TS_ERROR_VALUE, "link '%.80s' is already the child of joint '%.80s'",
                     child->name, reader->joint.data[child->joint].name);
        return;
    }
    child->joint = index;
    if (last[joint->parent] < 0)
        reader->link.data[joint->parent].first = index;
    else
        reader->joint.data[last[joint->parent]].next = index;
    last[joint->parent] = index;
}

static void find_root(ts_urdf_reader* reader, const ts_xml_node* robot) {
    reader->root = -1;
    for (int i = 0; i < reader->link.count && !reader->xml.code; ++i) {
        const ts_urdf_link* link = &reader->link.data[i];
        if (link->joint >= 0) continue;
        if (reader->root >= 0)
            ts_urdf_fail(reader, link->node, TS_ERROR_VALUE,
                         "'%.80s' and '%.80s' are both the child of no joint: a robot has one root",
                         reader->link.data[reader->root].name, link->name);
        reader->root = i;
    }
    if (reader->root < 0 && !reader->xml.code)
        ts_urdf_fail(reader, robot, TS_ERROR_VALUE, "every link is the child of a joint: there is a loop and no root");
}

// Whoever cannot climb to the root within as many joints as there are hangs in a loop. Links are marked on the way, so that
// all climbs together take linear time.
static void refuse_loops(ts_urdf_reader* reader, int* mark) {
    for (int i = 0; i < reader->link.count && !reader->xml.code; ++i) {
        int at = i;
        while (at != reader->root && mark[at] == -1) {
            mark[at] = i;
            at = reader->joint.data[reader->link.data[at].joint].parent;
        }
        if (at != reader->root && mark[at] == i)
            ts_urdf_fail(reader, reader->link.data[at].node, TS_ERROR_VALUE,
                         "link '%.80s' hangs on itself: its joints make a loop", reader->link.data[at].name);
    }
}

void ts_urdf_read_tree(ts_urdf_reader* reader, const ts_xml_node* robot) {
    ts_urdf_check(reader, robot);
    for (const ts_xml_node* child = robot->child; child && !reader->xml.code; child = child->next) {
        if (strcmp(child->name, "link") == 0) list_link(reader, child);
        if (strcmp(child->name, "joint") == 0) list_joint(reader, child);
        if (strcmp(child->name, "material") == 0) ts_urdf_read_material(reader, child);
        if (strcmp(child->name, "gazebo") == 0) ts_urdf_check(reader, child);
    }
    if (reader->link.count == 0) ts_urdf_fail(reader, robot, TS_ERROR_VALUE, "the robot has no link");
    if (reader->xml.code) return;
    int* scratch = (int*)malloc((size_t)reader->link.count * sizeof *scratch);
    if (!scratch) {
        short_memory(reader);
        return;
    }
    for (int i = 0; i < reader->link.count; ++i) scratch[i] = -1;
    for (int i = 0; i < reader->joint.count && !reader->xml.code; ++i) connect(reader, i, scratch);
    find_root(reader, robot);
    for (int i = 0; i < reader->link.count; ++i) scratch[i] = -1;
    refuse_loops(reader, scratch);
    free(scratch);
}
