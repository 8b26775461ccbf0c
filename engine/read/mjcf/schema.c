// What MJCF knows, and what becomes of it here: for every element that is read, each of its attributes with how
// faithfully it is taken over. An attribute in no table is a slip of the pen and refused. The names are those of the
// MJCF reference up to MuJoCo 4.0, and older ones still found in files.
#include "engine/read/mjcf/mjcf_internal.h"

#include <stdio.h>
#include <string.h>

// An attribute. Without meaning it is honoured (or has none for the physics).
typedef struct known {
    const char* name;
    ts_import_level level;
    int physics;
    const char* meaning;
} known;

#define OK(name) \
    { name, TS_IMPORT_HONOURED, 0, NULL }
#define LOOK(name) \
    { name, TS_IMPORT_IGNORED, 0, NULL }
#define NEAR(name, meaning) \
    { name, TS_IMPORT_APPROXIMATED, 1, meaning }
#define LOST(name, meaning) \
    { name, TS_IMPORT_IGNORED, 1, meaning }
#define MOOT(name, meaning) \
    { name, TS_IMPORT_IGNORED, 0, meaning }
#define END \
    { NULL, TS_IMPORT_HONOURED, 0, NULL }
#define POSE OK("pos"), OK("quat"), OK("axisangle"), OK("xyaxes"), OK("zaxis"), OK("euler")

static const char soft_contact[] = "contacts are hard: softness comes from the options compliance_normal and baumgarte";
static const char model_softness[] = "contacts are hard, except under solver mujoco or with the option soft_contacts=2";
static const char soft_limit[] = "joint limits are hard";
static const char no_fluid[] = "there is no surrounding fluid";
static const char no_actuator[] = "actuators apply no force";
// A handful of Newton iterations is plenty, a handful of sweeps is nothing: the numbers do not carry over.
static const char their_solver[] =
    "read by MuJoCo's solvers only; here: custom numeric touchstone.iterations, touchstone.tolerance";
static const char own_solver[] = "the solver is chosen by the option 'solver', its settings by 'solver.NAME'";

static const known mujoco_table[] = {OK("model"), END};
static const known asset_table[] = {END};
static const known default_table[] = {OK("class"), END};
static const known compiler_table[] = {
    OK("angle"),
    OK("eulerseq"),
    OK("coordinate"),
    OK("meshdir"),
    OK("assetdir"),
    OK("autolimits"),
    OK("inertiafromgeom"),
    OK("inertiagrouprange"),
    OK("boundmass"),
    OK("boundinertia"),
    OK("settotalmass"),
    OK("balanceinertia"),
    OK("strippath"),
    LOOK("texturedir"),
    LOOK("discardvisual"),
    LOOK("usethread"),
    MOOT("fusestatic", "bodies without joints stay bodies; the motion is the same"),
    MOOT("alignfree", "free bodies keep the frame they are given; qpos refers to it"),
    LOOK("convexhull"),
    LOOK("saveinertial"),
    LOOK("savecompiled"),
    LOOK("savecanonical"),
    LOOK("passthrough"),
    LOOK("conflict"),
    MOOT("fitaabb", "meshes are not fitted by primitives"),
    NEAR("exactmeshinertia", "say inertia='exact' at the mesh instead"),
    END};
static const known option_table[] = {
    OK("timestep"),
    OK("gravity"),
    MOOT("iterations", their_solver),
    MOOT("tolerance", their_solver),
    LOST("solver", own_solver),
    LOST("cone", "the friction cone follows from the chosen solver's contact law"),
    OK("impratio"),
    LOST("integrator", "there is one integrator: semi-implicit, with implicit joint damping and springs"),
    LOST("density", no_fluid),
    LOST("viscosity", no_fluid),
    LOST("wind", no_fluid),
    MOOT("magnetic", "there are no sensors"),
    LOST("o_margin", soft_contact),
    LOST("o_solref", soft_contact),
    LOST("o_solimp", soft_contact),
    LOST("o_friction", "friction is not overridden"),
    MOOT("jacobian", "storage follows the size of the problem"),
    MOOT("apirate", "no meaning"),
    MOOT("actuatorgroupdisable", no_actuator),
    MOOT("ccd_iterations", own_solver),
    MOOT("ccd_tolerance", own_solver),
    MOOT("mpr_iterations", own_solver),
    MOOT("mpr_tolerance", own_solver),
    MOOT("ls_iterations", own_solver),
    MOOT("ls_tolerance", own_solver),
    LOST("noslip_iterations", "friction is solved with the contacts; there is no second pass"),
    MOOT("noslip_tolerance", own_solver),
    MOOT("sdf_initpoints", "there are no signed distance fields"),
    MOOT("sdf_iterations", "there are no signed distance fields"),
    LOST("sleep_tolerance", "bodies never sleep"),
    MOOT("collision", "all pairs are found by the broad phase"),
    END};
static const known flag_table[] = {OK("gravity"),
                                   OK("contact"),
                                   OK("frictionloss"),
                                   OK("limit"),
                                   OK("spring"),
                                   OK("damper"),
                                   OK("passive"),
                                   OK("warmstart"),
                                   LOST("constraint", "constraints stay on"),
                                   MOOT("equality", "there are no equality constraints"),
                                   LOST("filterparent", "parent and child never touch"),
                                   MOOT("actuation", no_actuator),
                                   MOOT("clampctrl", no_actuator),
                                   MOOT("refsafe", soft_contact),
                                   MOOT("sensor", "there are no sensors"),
                                   MOOT("midphase", "no meaning"),
                                   LOST("eulerdamp", "joint damping is always implicit"),
                                   MOOT("autoreset", "a failed step says so and keeps its state"),
                                   MOOT("nativeccd", "no meaning"),
                                   MOOT("island", "no meaning"),
                                   LOST("override", "contacts are not overridden"),
                                   MOOT("energy", "energy is always available"),
                                   MOOT("fwdinv", "no meaning"),
                                   MOOT("invdiscrete", "no meaning"),
                                   MOOT("multiccd", "contacts have up to manifold_points points"),
                                   LOST("sleep", "bodies never sleep"),
                                   LOST("speculative", "contacts are made from the option contact_margin on"),
                                   MOOT("diagexact", "no meaning"),
                                   LOST("ipc", "there is no incremental potential contact"),
                                   END};
static const known mesh_table[] = {OK("name"),
                                   OK("class"),
                                   OK("file"),
                                   OK("vertex"),
                                   OK("face"),
                                   OK("scale"),
                                   OK("refpos"),
                                   OK("refquat"),
                                   OK("inertia"),
                                   OK("builtin"),
                                   OK("params"),
                                   LOOK("normal"),
                                   LOOK("texcoord"),
                                   LOOK("smoothnormal"),
                                   LOOK("material"),
                                   MOOT("content_type", "the format follows the file's extension"),
                                   NEAR("maxhullvert", "hulls keep all their vertices"),
                                   END};
static const known material_table[] = {OK("name"),
                                       OK("class"),
                                       OK("rgba"),
                                       LOOK("texture"),
                                       LOOK("texrepeat"),
                                       LOOK("texuniform"),
                                       LOOK("emission"),
                                       LOOK("specular"),
                                       LOOK("shininess"),
                                       LOOK("reflectance"),
                                       LOOK("metallic"),
                                       LOOK("roughness"),
                                       END};
static const known world_table[] = {OK("childclass"), OK("name"), END};
static const known body_table[] = {OK("name"),
                                   OK("childclass"),
                                   POSE,
                                   LOST("mocap", "the body stays where it is: it is not moved from outside"),
                                   LOST("gravcomp", "gravity is not compensated"),
                                   LOOK("user"),
                                   LOST("sleep", "bodies never sleep"),
                                   LOOK("fuse"),
                                   LOOK("simple"),
                                   END};
static const known frame_table[] = {OK("name"), OK("childclass"), POSE, END};
static const known replicate_table[] = {OK("count"), OK("sep"), OK("offset"), OK("euler"), END};
static const known inertial_table[] = {POSE, OK("mass"), OK("diaginertia"), OK("fullinertia"), END};
static const known freejoint_table[] = {OK("name"), LOOK("group"),
                                        MOOT("align", "the body keeps the frame it is given; qpos refers to it"), END};
static const known joint_table[] = {
    OK("name"),
    OK("class"),
    OK("type"),
    OK("pos"),
    OK("axis"),
    OK("range"),
    OK("limited"),
    OK("ref"),
    OK("springref"),
    OK("stiffness"),
    OK("damping"),
    OK("armature"),
    OK("frictionloss"),
    LOOK("group"),
    LOOK("user"),
    LOST("springdamper", "no spring or damper is made from it; give stiffness and damping"),
    LOST("springyield", "springs do not yield"),
    NEAR("margin", "a limit acts exactly at the end of the range"),
    LOST("solreflimit", soft_limit),
    LOST("solimplimit", soft_limit),
    LOST("solreffriction", "dry friction is hard"),
    LOST("solimpfriction", "dry friction is hard"),
    MOOT("actuatorfrclimited", no_actuator),
    MOOT("actuatorfrcrange", no_actuator),
    MOOT("actuatorgravcomp", no_actuator),
    END};
static const known geom_table[] = {
    OK("name"),
    OK("class"),
    OK("type"),
    OK("size"),
    OK("fromto"),
    POSE,
    OK("mass"),
    OK("density"),
    OK("friction"),
    OK("condim"),
    OK("contype"),
    OK("conaffinity"),
    OK("priority"),
    OK("rgba"),
    OK("material"),
    OK("mesh"),
    OK("group"),
    LOOK("user"),
    LOOK("castshadow"),
    OK("hfield"),
    LOOK("fitscale"),
    OK("shellinertia"),
    NEAR("margin", "contacts are made from the option contact_margin on, for all geoms alike"),
    LOST("gap", "contacts act as soon as they are made"),
    NEAR("solref", model_softness),
    NEAR("solimp", model_softness),
    NEAR("solmix", model_softness),
    LOST("adhesion", "surfaces do not stick"),
    LOST("surfacevel", "surfaces do not move by themselves"),
    LOST("fluidshape", no_fluid),
    LOST("fluidcoef", no_fluid),
    END};
static const known site_table[] = {OK("name"),   OK("class"),  POSE,          OK("fromto"),
                                   OK("size"),   LOOK("type"), LOOK("group"), LOOK("material"),
                                   LOOK("mesh"), LOOK("rgba"), LOOK("user"),  END};
static const known exclude_table[] = {OK("name"), OK("body1"), OK("body2"), END};
static const known key_table[] = {OK("name"),
                                  OK("time"),
                                  OK("qpos"),
                                  OK("qvel"),
                                  MOOT("act", no_actuator),
                                  MOOT("ctrl", no_actuator),
                                  MOOT("mpos", "bodies are not moved from outside"),
                                  MOOT("mquat", "bodies are not moved from outside"),
                                  LOST("plastic", "nothing deforms"),
                                  END};
static const known numeric_table[] = {OK("name"), OK("data"), LOOK("size"), END};
static const known text_table[] = {OK("name"), OK("data"), END};

static const struct table {
    const char* element;
    const known* attribute;
} tables[] = {{"mujoco", mujoco_table},     {"asset", asset_table},         {"default", default_table},
              {"compiler", compiler_table}, {"option", option_table},       {"flag", flag_table},
              {"mesh", mesh_table},         {"material", material_table},   {"worldbody", world_table},
              {"body", body_table},         {"frame", frame_table},         {"replicate", replicate_table},
              {"inertial", inertial_table}, {"freejoint", freejoint_table}, {"joint", joint_table},
              {"geom", geom_table},         {"site", site_table},           {"exclude", exclude_table},
              {"key", key_table},           {"numeric", numeric_table},     {"text", text_table}};

void ts_mjcf_report(ts_mjcf_reader* reader, const ts_mjcf_node* node, ts_import_level level, int affects_physics,
                    const char* what, const char* meaning) {
    ts_import_report_add(reader->report, level, affects_physics, what, meaning, node->file, node->line);
}

void ts_mjcf_unknown_element(ts_mjcf_reader* reader, const ts_mjcf_node* node) {
    ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "<%.40s> has no element <%.40s>",
                 node->parent && node->parent->name ? node->parent->name : "the file", node->name);
}

void ts_mjcf_check(ts_mjcf_reader* reader, const ts_mjcf_node* node, const char* element) {
    const known* table = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i)
        if (strcmp(tables[i].element, element) == 0) table = tables[i].attribute;
    for (int i = 0; i < node->attribute_count && !reader->code; ++i) {
        const char* name = node->attribute[i].name;
        const known* k = table;
        while (k && k->name && strcmp(k->name, name) != 0) ++k;
        if (!k || !k->name) {
            ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s has no attribute '%.60s'", element, name);
        } else if (k->level != TS_IMPORT_HONOURED) {
            char what[96];
            snprintf(what, sizeof what, "%s@%s", element, name);
            ts_mjcf_report(reader, node, k->level, k->physics, what, k->meaning ? k->meaning : "looks only");
        }
    }
}

// Elements that are passed over, by the section they stand in. `any` child of a section that is passed over as a whole.
static const struct passed {
    const char* section;
    const char* element;  // NULL: any
    int physics;
    const char* meaning;
} passed_table[] = {{"actuator", NULL, 1, no_actuator},
                    {"sensor", NULL, 0, "there are no sensors"},
                    {"tendon", NULL, 1, "tendons do not act"},
                    {"equality", NULL, 1, "bodies and joints are not tied together"},
                    {"deformable", NULL, 1, "deformable bodies are left out"},
                    {"extension", NULL, 1, "plugins are left out"},
                    {"mujoco", "size", 0, "memory is sized as needed"},
                    {"mujoco", "visual", 0, "looks only"},
                    {"mujoco", "statistic", 0, "looks only"},
                    {"asset", "texture", 0, "looks only"},
                    {"asset", "skin", 0, "looks only"},
                    {"asset", "hfield", 0, "height fields are not known; geoms that use one say so"},
                    {"asset", "model", 0, "other models are not attached; <attach> says so"},
                    {"mesh", "plugin", 1, "plugins are left out"},
                    {"geom", "plugin", 1, "plugins are left out"},
                    {"material", "layer", 0, "looks only"},
                    {"compiler", "lengthrange", 0, no_actuator},
                    {"body", "camera", 0, "looks only"},
                    {"body", "light", 0, "looks only"},
                    {"body", "attach", 1, "other models are not attached"},
                    {"body", "composite", 1, "composite bodies are left out"},
                    {"body", "flexcomp", 1, "deformable bodies are left out"},
                    {"body", "plugin", 1, "plugins are left out"},
                    {"contact", "pair", 1, "the pair follows its geoms' own settings and masks"},
                    {"custom", "tuple", 0, "no meaning for the simulation"}};

int ts_mjcf_report_element(ts_mjcf_reader* reader, const ts_mjcf_node* node, const char* section) {
    for (size_t i = 0; i < sizeof passed_table / sizeof passed_table[0]; ++i) {
        const struct passed* p = &passed_table[i];
        if (strcmp(p->section, section) != 0 || (p->element && strcmp(p->element, node->name) != 0)) continue;
        char what[96];
        snprintf(what, sizeof what, "%s/%s", section, node->name);
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, p->physics, what, p->meaning);
        return 1;
    }
    return 0;
}
