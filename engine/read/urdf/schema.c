// What URDF knows, and what of it means nothing to a simulation, or something that is not taken over. Parsers of ROS pass
// over what they do not know, and so does this one, but it says so.
#include "base/assert.h"
#include "engine/read/urdf/urdf_internal.h"

#include <stdio.h>
#include <string.h>

// Attributes and children that are read; both lists separated by blanks.
static const struct known {
    const char* element;
    const char* attributes;
    const char* children;
} known_table[] = {
    {"robot", "name version", "link joint material gazebo"},
    {"gazebo", "reference", ""},
    {"link", "name", "inertial visual collision contact"},
    {"joint", "name type", "origin parent child axis limit dynamics mimic"},
    {"inertial", "", "origin mass inertia"},
    {"mass", "value", ""},
    {"inertia", "ixx ixy ixz iyy iyz izz", ""},
    {"origin", "xyz rpy quat_xyzw", ""},
    {"visual", "name", "origin geometry material"},
    {"collision", "name", "origin geometry"},
    {"geometry", "", "box cylinder sphere capsule mesh"},
    {"box", "size", ""},
    {"cylinder", "radius length", ""},
    {"capsule", "radius length", ""},
    {"sphere", "radius", ""},
    {"mesh", "filename scale", ""},
    {"material", "name", "color"},
    {"color", "rgba", ""},
    {"parent", "link", ""},
    {"child", "link", ""},
    {"axis", "xyz", ""},
    {"limit", "lower upper effort", ""},
    {"dynamics", "damping friction", ""},
    {"mimic", "joint multiplier offset", ""},
    {"contact", "", "lateral_friction spinning_friction rolling_friction restitution"},
    {"lateral_friction", "value", ""},
    {"spinning_friction", "value", ""},
    {"rolling_friction", "value", ""},
    {"restitution", "value", ""},
};

static const char software[] = "acts in the robot's own controllers, not in its mechanics";

// What is known but not taken over: attributes and children alike. NULL as the element: anywhere.
static const struct passed {
    const char* element;
    const char* names;
    int physics;
    const char* meaning;
} passed_table[] = {
    {"robot", "transmission", 0,
     "ties motors to joints for controllers; a gear moves nothing by itself and has no inertia"},
    {"gazebo", "mu mu1 mu2 kp kd fdir1 maxVel minDepth maxContacts", 1,
     "Gazebo's own friction and stiffness of the link"},
    {"gazebo", "selfCollide", 1, "SRDF says what may touch"},
    {"gazebo", "turnGravityOff gravity", 1, "gravity acts on all links"},
    {"gazebo", "springReference springStiffness dampingFactor implicitSpringDamper cfmDamping stopCfm stopErp", 1,
     "Gazebo's own joint settings"},
    {"robot", "mujoco", 1, "MuJoCo's own settings are not read"},
    {"robot", "drake:diagram drake:collision_filter_group", 1, "Drake's own settings are not read"},
    {"robot", "ros2_control sensor", 0, software},
    {"robot", "loop_joint", 1, "the loop stays open"},
    {"link", "self_collision_checking", 1, "SRDF says what may touch"},
    {"link", "sensor", 0, software},
    {"link", "type", 0, "no meaning"},
    {"joint", "safety_controller calibration hardwareInterface", 0, software},
    {"contact", "stiffness damping contact_cfm contact_erp friction_anchor inertia_scaling", 1,
     "contacts are rigid, or as soft as the options say"},
    {"limit", "velocity acceleration jerk deceleration", 0,
     "a rating of the motor: nothing stops the joint at that speed (as in MuJoCo)"},
    {"material", "texture", 0, "looks only"},
    {"visual", "cast_shadows verbose", 0, "looks only"},
    {"collision", "verbose material", 0, "looks only"},
};

static void report_name(ts_urdf_reader* reader, const ts_xml_node* node, const ts_xml_node* place, const char* name,
                        char mark) {
    char what[96];
    snprintf(what, sizeof what, "%.40s%c%.50s", node->name, mark, name);
    for (size_t i = 0; i < sizeof passed_table / sizeof passed_table[0]; ++i) {
        const struct passed* p = &passed_table[i];
        if (strcmp(p->element, node->name) != 0 || !ts_xml_is_listed(p->names, name)) continue;
        ts_urdf_report(reader, place, TS_IMPORT_IGNORED, p->physics, what, p->meaning);
        return;
    }
    ts_urdf_report(reader, place, TS_IMPORT_IGNORED, 0, what,
                   strcmp(node->name, "gazebo") == 0 ? "for Gazebo's looks, sensors and plugins"
                                                     : "URDF has no such thing; its parsers pass over it");
}

void ts_urdf_check(ts_urdf_reader* reader, const ts_xml_node* node) {
    const struct known* k = known_table;
    const struct known* end = known_table + sizeof known_table / sizeof known_table[0];
    while (k < end && strcmp(k->element, node->name) != 0) ++k;
    TS_ASSERT(k < end);
    for (int i = 0; i < node->attribute_count; ++i)
        if (!ts_xml_is_listed(k->attributes, node->attribute[i].name))
            report_name(reader, node, node, node->attribute[i].name, '@');
    for (const ts_xml_node* child = node->child; child; child = child->next)
        if (!ts_xml_is_listed(k->children, child->name)) report_name(reader, node, child, child->name, '/');
}
