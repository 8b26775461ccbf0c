// What MJCF knows, and what becomes of it here: for every element that is read, each of its attributes with how
// faithfully it is taken over, and, where no thought is needed, the field that it lands in. An attribute in no table is a
// slip of the pen and refused. The names are those of the MJCF reference up to MuJoCo 4.0, and older ones still found in
// files.
#include "base/assert.h"
#include "engine/read/mjcf/drafts_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// How an attribute's text becomes the value of a field.
typedef enum landing {
    LANDS_NOWHERE,  // whoever reads the element asks for it
    LANDS_REALS,    // double, or several in a row; those that are not given keep their values
    LANDS_WHOLE,    // int
    LANDS_WORD,     // int: index of the word
    LANDS_TEXT,     // const char*
    LANDS_INDEX,    // int: what has that name
    LANDS_OPTION    // an option of the model (engine/model/options.h)
} landing;

// Words that several attributes share.
typedef struct word_list {
    int count;
    const char* word[8];
} word_list;

static const word_list false_true = {2, {"false", "true"}};
static const word_list false_true_auto = {3, {"false", "true", "auto"}};
static const word_list enable_disable = {2, {"enable", "disable"}};
static const word_list none_ellipsoid = {2, {"none", "ellipsoid"}};
static const word_list sensor_frames = {5, {"body", "xbody", "geom", "site", "camera"}};
static const word_list dynamics = {8,
                                   {"none", "integrator", "filter", "filterexact", "pid", "dcmotor", "muscle", "user"}};
static const word_list gains = {7, {"fixed", "affine", "muscle", "dcmotor", "pid", "so3", "user"}};
static const word_list biases = {6, {"none", "affine", "muscle", "dcmotor", "so3", "user"}};

// An attribute, or several of one fate that land nowhere, separated by blanks. Without meaning they are honoured (or have
// none for the physics).
typedef struct known {
    const char* name;
    ts_import_level level;
    int physics;
    const char* meaning;
    const char* usual;  // the value that means what is done anyway; NULL: none
    landing lands;
    size_t offset;           // of the field, but for LANDS_OPTION
    size_t names;            // LANDS_INDEX: where in the reader its names are
    int least, most;         // numbers
    const word_list* words;  // LANDS_WORD
    const char* option;      // LANDS_OPTION
} known;

// The most numbers that land at once.
enum { REALS_MOST = 10 };

#define OK(attribute) \
    { .name = attribute }
#define LOOK(attribute) \
    { .name = attribute, .level = TS_IMPORT_IGNORED }
#define LOST(attribute, why) \
    { .name = attribute, .level = TS_IMPORT_IGNORED, .physics = 1, .meaning = why }
#define LOST_UNLESS(attribute, word, why) \
    { .name = attribute, .level = TS_IMPORT_IGNORED, .physics = 1, .usual = word, .meaning = why }
#define MOOT(attribute, why) \
    { .name = attribute, .level = TS_IMPORT_IGNORED, .meaning = why }
#define REALS_TO(type, field, few, many) \
    .lands = LANDS_REALS, .offset = offsetof(type, field), .least = few, .most = many
#define REALS(attribute, type, field, few, many) \
    { .name = attribute, REALS_TO(type, field, few, many) }
#define REAL(attribute, type, field) REALS(attribute, type, field, 1, 1)
#define KEPT_REALS(attribute, why, type, field, few, many) \
    { .name = attribute, .level = TS_IMPORT_KEPT, .meaning = why, REALS_TO(type, field, few, many) }
#define KEPT(attribute, why) \
    { .name = attribute, .level = TS_IMPORT_KEPT, .meaning = why }
#define WHOLE(attribute, type, field) \
    { .name = attribute, .lands = LANDS_WHOLE, .offset = offsetof(type, field) }
#define WORD(attribute, type, field, list) \
    { .name = attribute, .lands = LANDS_WORD, .offset = offsetof(type, field), .words = &list }
#define TEXT(attribute, type, field) \
    { .name = attribute, .lands = LANDS_TEXT, .offset = offsetof(type, field) }
#define INDEX(attribute, type, field, names_of)                                   \
    {                                                                             \
        .name = attribute, .lands = LANDS_INDEX, .offset = offsetof(type, field), \
        .names = offsetof(ts_mjcf_reader, names_of)                               \
    }
#define OPTION(attribute, name_of_option) \
    { .name = attribute, .lands = LANDS_OPTION, .option = name_of_option }
#define END \
    { .name = NULL }
#define POSE OK("pos quat axisangle xyaxes zaxis euler")

static const char model_softness[] =
    "honoured under solver mujoco or with the option soft_contacts=2; under the other laws contacts are rigid";
static const char model_tie[] =
    "honoured under solver mujoco or with the option soft_contacts=2; under the other laws equalities are rigid";
static const char model_limit[] =
    "honoured under solver mujoco or with the option soft_contacts=2; under the other laws limits are rigid";
static const char model_friction[] = "honoured under solver mujoco or with the option soft_contacts=2; under the other "
                                     "laws dry friction holds without creep";
static const char no_such_actuator[] = "actuators of this kind pull at nothing";
// A handful of Newton iterations is plenty, a handful of sweeps is nothing: the numbers do not carry over.
static const char their_solver[] =
    "read by MuJoCo's solvers only; here: custom numeric touchstone.iterations, touchstone.tolerance";
static const char own_solver[] = "the solver is chosen by the option 'solver', its settings by 'solver.NAME'";

// What all equalities have, what those of two bodies or two joints have, and numbers of their own.
#define EQUALITY                                                                      \
    OK("name class"), WORD("active", ts_mjcf_equality, def.active, false_true),       \
        KEPT_REALS("solref", model_tie, ts_mjcf_equality, def.softness.solref, 1, 2), \
        KEPT_REALS("solimp", model_tie, ts_mjcf_equality, def.softness.solimp, 1, 5)
#define TWO_BODIES                                                \
    INDEX("body1", ts_mjcf_equality, def.body[0], body_name),     \
        INDEX("body2", ts_mjcf_equality, def.body[1], body_name), \
        INDEX("site1", ts_mjcf_equality, site[0], site_name), INDEX("site2", ts_mjcf_equality, site[1], site_name)
#define TWO_JOINTS                                               \
    INDEX("joint1", ts_mjcf_equality, def.joint[0], joint_name), \
        INDEX("joint2", ts_mjcf_equality, def.joint[1], joint_name)
#define TWO_TENDONS                                                 \
    INDEX("tendon1", ts_mjcf_equality, def.tendon[0], tendon_name), \
        INDEX("tendon2", ts_mjcf_equality, def.tendon[1], tendon_name)
// What a joint or a tendon says about its limits and its dry friction.
#define STOP_SOFTNESS(type, field)                                                                              \
    REAL("margin", type, field.margin), KEPT_REALS("solreflimit", model_limit, type, field.limit.solref, 1, 2), \
        KEPT_REALS("solimplimit", model_limit, type, field.limit.solimp, 1, 5),                                 \
        KEPT_REALS("solreffriction", model_friction, type, field.friction.solref, 1, 2),                        \
        KEPT_REALS("solimpfriction", model_friction, type, field.friction.solimp, 1, 5)
#define ANCHOR(attribute) REALS(attribute, ts_mjcf_equality, def.frame[0].position, 3, 3)
#define NUMBERS(attribute, first, few, many) REALS(attribute, ts_mjcf_equality, def.coefficient[first], few, many)

static const known compiler_table[] = {
    OK("angle eulerseq coordinate inertiagrouprange"),
    TEXT("meshdir", ts_mjcf_compiler, mesh_directory),
    TEXT("assetdir", ts_mjcf_compiler, asset_directory),
    WORD("autolimits", ts_mjcf_compiler, auto_limits, false_true),
    WORD("inertiafromgeom", ts_mjcf_compiler, inertia_from_geom, false_true_auto),
    REAL("boundmass", ts_mjcf_compiler, bound_mass),
    REAL("boundinertia", ts_mjcf_compiler, bound_inertia),
    REAL("settotalmass", ts_mjcf_compiler, total_mass),
    WORD("balanceinertia", ts_mjcf_compiler, balance_inertia, false_true),
    WORD("strippath", ts_mjcf_compiler, strip_path, false_true),
    TEXT("texturedir", ts_mjcf_compiler, texture_directory),
    LOOK("discardvisual usethread convexhull saveinertial savecompiled savecanonical passthrough"),
    OK("conflict"),
    MOOT("fusestatic", "bodies without joints stay bodies; the motion is the same"),
    MOOT("alignfree", "free bodies keep the frame they are given; qpos refers to it"),
    WORD("fitaabb", ts_mjcf_compiler, fit_box, false_true),
    WORD("exactmeshinertia", ts_mjcf_compiler, exact_mesh, false_true),
    END,
};
static const known option_table[] = {
    OPTION("timestep", "time_step"),
    OPTION("gravity", "gravity"),
    OPTION("impratio", "impratio"),
    OPTION("integrator", "integrator"),
    MOOT("iterations tolerance", their_solver),
    MOOT("ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance ls_iterations ls_tolerance "
         "noslip_tolerance",
         own_solver),
    MOOT("solver", own_solver),
    MOOT("cone", "how MuJoCo's solvers see the cone of Coulomb friction; here the law of the chosen solver says it"),
    OPTION("density", "density"),
    OPTION("viscosity", "viscosity"),
    OPTION("wind", "wind"),
    OPTION("magnetic", "magnetic"),
    MOOT("o_margin o_solref o_solimp o_friction", "they count with the flag 'override' alone"),
    MOOT("jacobian", "storage follows the size of the problem"),
    MOOT("apirate", "no meaning"),
    OK("actuatorgroupdisable"),
    MOOT("noslip_iterations",
         "a second pass of MuJoCo's solvers against slip; here friction is solved with the contacts"),
    MOOT("sdf_initpoints sdf_iterations", "there are no signed distance fields"),
    OPTION("sleep_tolerance", "sleep_speed"),
    MOOT("collision", "all pairs are found by the broad phase"),
    END,
};
static const known flag_table[] = {
    WORD("gravity", ts_mjcf_switches, no_gravity, enable_disable),
    WORD("contact", ts_mjcf_switches, no_contact, enable_disable),
    WORD("frictionloss", ts_mjcf_switches, no_friction, enable_disable),
    WORD("limit", ts_mjcf_switches, no_limit, enable_disable),
    WORD("spring", ts_mjcf_switches, no_spring, enable_disable),
    WORD("damper", ts_mjcf_switches, no_damper, enable_disable),
    WORD("passive", ts_mjcf_switches, no_passive, enable_disable),
    WORD("warmstart", ts_mjcf_switches, no_warm_start, enable_disable),
    WORD("equality", ts_mjcf_switches, no_equality, enable_disable),
    WORD("constraint", ts_mjcf_switches, no_constraint, enable_disable),
    LOST_UNLESS("filterparent", "enable", "parent and child never touch"),
    MOOT("eulerdamp",
         "how MuJoCo's Euler takes damping; here it is always implicit, which is the same to the order of the step"),
    LOST_UNLESS("override", "disable", "contacts are not overridden"),
    OK("sleep"),
    MOOT("speculative", "contacts are made from the option contact_margin on"),
    LOST_UNLESS("ipc", "disable", "there is no incremental potential contact"),
    WORD("actuation", ts_mjcf_switches, no_actuation, enable_disable),
    WORD("clampctrl", ts_mjcf_switches, no_clamp_control, enable_disable),
    KEPT("refsafe", "time constants under two steps are raised to that under soft laws; rigid laws have none"),
    MOOT("sensor", "sensors are measured when asked for"),
    MOOT("autoreset", "a failed step says so and keeps its state"),
    MOOT("energy", "energy is always available"),
    MOOT("multiccd", "contacts have up to manifold_points points"),
    MOOT("midphase nativeccd island fwdinv invdiscrete diagexact", "no meaning"),
    END,
};
static const known mesh_table[] = {
    OK("name class file vertex face texcoord scale refpos refquat inertia builtin params"),
    LOOK("normal smoothnormal material"),
    MOOT("content_type", "the format follows the file's extension"),
    MOOT("maxhullvert", "a bound on MuJoCo's effort: here hulls keep all their vertices"),
    END,
};
static const known hfield_table[] = {OK("name content_type file nrow ncol elevation size"), END};
static const known texture_table[] = {
    OK("name type content_type file gridsize gridlayout fileright fileleft fileup filedown filefront fileback builtin "
       "rgb1 rgb2 mark markrgb random width height hflip vflip"),
    LOOK("colorspace nchannel"),
    END,
};
static const known material_table[] = {
    OK("name class rgba texture"),
    REALS("texrepeat", ts_visual_material, repeat, 2, 2),
    WORD("texuniform", ts_visual_material, uniform, false_true),
    REAL("emission", ts_visual_material, emission),
    REAL("specular", ts_visual_material, specular),
    REAL("shininess", ts_visual_material, shininess),
    LOOK("reflectance metallic roughness"),
    END,
};
static const known body_table[] = {
    OK("name childclass sleep"),
    POSE,
    WORD("mocap", ts_body_def, is_mocap, false_true),
    REAL("gravcomp", ts_body_def, buoyancy),
    LOOK("user fuse simple"),
    END,
};
static const known freejoint_table[] = {
    OK("name"),
    LOOK("group"),
    MOOT("align", "the body keeps the frame it is given; qpos refers to it"),
    END,
};
static const known joint_table[] = {
    OK("name class type limited stiffness damping"),
    REALS("pos", ts_joint_def, anchor, 3, 3),
    REALS("axis", ts_joint_def, axis, 3, 3),
    REALS("range", ts_joint_def, range, 2, 2),
    REAL("ref", ts_joint_def, reference),
    REAL("springref", ts_joint_def, spring_rest),
    REAL("armature", ts_joint_def, armature),
    REAL("frictionloss", ts_joint_def, friction),
    LOOK("group user"),
    OK("springdamper"),
    LOST("springyield", "springs do not yield"),
    STOP_SOFTNESS(ts_joint_def, softness),
    REALS("actuatorfrcrange", ts_joint_def, actuation.range, 2, 2),
    OK("actuatorfrclimited"),
    OK("actuatorgravcomp"),
    END,
};
static const known geom_table[] = {
    OK("name class type size fromto rgba material mesh group hfield shellinertia"),
    POSE,
    REAL("mass", ts_geom_def, mass),
    REAL("density", ts_geom_def, density),
    // Sliding, spinning and rolling friction stand in a row.
    REALS("friction", ts_geom_def, surface.friction, 1, 3),
    WHOLE("condim", ts_geom_def, surface.dimension),
    WHOLE("contype", ts_geom_def, category),
    WHOLE("conaffinity", ts_geom_def, mask),
    WHOLE("priority", ts_geom_def, surface.priority),
    OK("fitscale"),
    LOOK("user castshadow"),
    REAL("margin", ts_geom_def, surface.margin),
    REAL("gap", ts_geom_def, surface.gap),
    KEPT_REALS("solref", model_softness, ts_geom_def, surface.softness.solref, 1, 2),
    KEPT_REALS("solimp", model_softness, ts_geom_def, surface.softness.solimp, 1, 5),
    KEPT_REALS("solmix", model_softness, ts_geom_def, surface.solmix, 1, 1),
    REAL("adhesion", ts_geom_def, surface.adhesion),
    REALS("surfacevel", ts_geom_def, surface.motion, 1, 6),
    WORD("fluidshape", ts_geom_def, fluid_ellipsoid, none_ellipsoid),
    REALS("fluidcoef", ts_geom_def, fluid_coefficient, 1, 5),
    END,
};
static const known site_table[] = {
    OK("name class fromto size type"),
    POSE,
    LOOK("group material mesh rgba user"),
    END,
};
static const known pair_table[] = {
    OK("name class"),
    INDEX("geom1", ts_mjcf_pair, geom[0], geom_name),
    INDEX("geom2", ts_mjcf_pair, geom[1], geom_name),
    WHOLE("condim", ts_mjcf_pair, surface.dimension),
    REALS("friction", ts_mjcf_pair, friction, 1, 5),
    REAL("margin", ts_mjcf_pair, surface.margin),
    REAL("gap", ts_mjcf_pair, surface.gap),
    KEPT_REALS("solref", model_softness, ts_mjcf_pair, surface.softness.solref, 1, 2),
    KEPT_REALS("solimp", model_softness, ts_mjcf_pair, surface.softness.solimp, 1, 5),
    KEPT_REALS("solreffriction", model_softness, ts_mjcf_pair, surface.friction_solref, 1, 2),
    REAL("adhesion", ts_mjcf_pair, surface.adhesion),
    END,
};
static const known exclude_table[] = {
    OK("name"),
    INDEX("body1", ts_exclusion, body_a, body_name),
    INDEX("body2", ts_exclusion, body_b, body_name),
    END,
};
static const char one_step[] = "controls act at once";

// What all actuators have, and what those of one element add.
#define ACTUATOR                                                                                             \
    OK("name class"), LOOK("user"), WHOLE("group", ts_mjcf_actuator, group),                                 \
        INDEX("joint", ts_mjcf_actuator, target[0], joint_name),                                             \
        INDEX("jointinparent", ts_mjcf_actuator, target[1], joint_name),                                     \
        INDEX("site", ts_mjcf_actuator, target[2], site_name),                                               \
        INDEX("tendon", ts_mjcf_actuator, target[3], tendon_name),                                           \
        INDEX("refsite", ts_mjcf_actuator, def.is.reference, site_name),                                     \
        INDEX("cranksite", ts_mjcf_actuator, target[4], site_name),                                          \
        INDEX("slidersite", ts_mjcf_actuator, def.is.reference, site_name),                                  \
        REAL("cranklength", ts_mjcf_actuator, def.is.rod),                                                   \
        REALS("lengthrange", ts_mjcf_actuator, def.is.length_range, 2, 2),                                   \
        REALS("gear", ts_mjcf_actuator, def.is.gear, 1, 6),                                                  \
        REALS("ctrlrange", ts_mjcf_actuator, def.is.control.range, 2, 2),                                    \
        REALS("forcerange", ts_mjcf_actuator, def.is.force.range, 2, 2),                                     \
        WORD("ctrllimited", ts_mjcf_actuator, control_limited, false_true_auto),                             \
        WORD("forcelimited", ts_mjcf_actuator, force_limited, false_true_auto),                              \
        REALS("damping", ts_mjcf_actuator, damping, 1, 3), REAL("armature", ts_mjcf_actuator, def.armature), \
        MOOT("nsample interp", one_step), LOST("delay", one_step)
#define ACTIVATION                                                          \
    REALS("actrange", ts_mjcf_actuator, def.is.act_limits.range, 2, 2),     \
        WORD("actlimited", ts_mjcf_actuator, act_limited, false_true_auto), \
        WORD("actearly", ts_mjcf_actuator, def.is.act_early, false_true)

static const known general_table[] = {
    ACTUATOR,
    ACTIVATION,
    INDEX("body", ts_mjcf_actuator, target[5], body_name),
    WORD("dyntype", ts_mjcf_actuator, dynamics, dynamics),
    WORD("gaintype", ts_mjcf_actuator, gain_kind, gains),
    WORD("biastype", ts_mjcf_actuator, bias_kind, biases),
    REALS("dynprm", ts_mjcf_actuator, dynprm, 1, 10),
    REALS("gainprm", ts_mjcf_actuator, gainprm, 1, 10),
    REALS("biasprm", ts_mjcf_actuator, biasprm, 1, 10),
    REAL("inheritrange", ts_mjcf_actuator, inherit_range),
    OK("actdim input velrange ffrange"),
    END,
};
static const known tendon_table[] = {
    OK("name class"),
    REALS("range", ts_mjcf_tendon, def.is.limits.range, 2, 2),
    WORD("limited", ts_mjcf_tendon, limited, false_true_auto),
    REALS("stiffness", ts_mjcf_tendon, stiffness, 1, 3),
    REALS("damping", ts_mjcf_tendon, damping, 1, 3),
    REALS("springlength", ts_mjcf_tendon, rest, 1, 2),
    REAL("frictionloss", ts_mjcf_tendon, def.is.friction),
    LOOK("group user width material rgba"),
    LOST("springyield", "springs do not yield"),
    LOST("armature", "tendons have no mass"),
    REALS("actuatorfrcrange", ts_mjcf_tendon, def.actuation.range, 2, 2),
    WORD("actuatorfrclimited", ts_mjcf_tendon, actuation_limited, false_true_auto),
    STOP_SOFTNESS(ts_mjcf_tendon, def.is.softness),
    END,
};
static const known part_joint_table[] = {
    INDEX("joint", ts_tendon_part, index, joint_name),
    REAL("coef", ts_tendon_part, number),
    END,
};
static const known part_site_table[] = {INDEX("site", ts_tendon_part, index, site_name), END};
static const known part_geom_table[] = {
    INDEX("geom", ts_tendon_part, index, geom_name),
    INDEX("sidesite", ts_tendon_part, side, site_name),
    END,
};
static const known part_pulley_table[] = {REAL("divisor", ts_tendon_part, number), END};
static const char at_once[] = "sensors show what is, at once";

// What all sensors have, and what objects of one type add.
#define SENSOR                                                                                       \
    OK("name"), LOOK("user"), REAL("cutoff", ts_mjcf_sensor, def.is.cutoff),                         \
        REAL("noise", ts_mjcf_sensor, def.is.noise), MOOT("nsample interp", "no readings are kept"), \
        LOST("delay interval", at_once)
#define SENSOR_OBJECT(attribute, k) TEXT(attribute, ts_mjcf_sensor, object[k])
#define SENSOR_SIDE(type, k) TEXT(#type "1", ts_mjcf_sensor, side[0][k]), TEXT(#type "2", ts_mjcf_sensor, side[1][k])
#define SENSOR_FRAME(prefix, k) \
    WORD(prefix "type", ts_mjcf_sensor, type[k], sensor_frames), SENSOR_OBJECT(prefix "name", k)

static const known key_table[] = {
    OK("name time qpos qvel act ctrl mpos mquat"),
    LOST("plastic", "nothing deforms"),
    END,
};

// Elements with what each of them may have, and, of those in <equality>, the source of their rows (engine/rows/).
static const struct element {
    const char* name;
    const known* attribute;
    const char* kind;
} elements[] = {
    {"mujoco", (const known[]){OK("model"), END}, NULL},
    {"asset", (const known[]){END}, NULL},
    {"default", (const known[]){OK("class"), END}, NULL},
    {"compiler", compiler_table, NULL},
    {"option", option_table, NULL},
    {"flag", flag_table, NULL},
    {"mesh", mesh_table, NULL},
    {"hfield", hfield_table, NULL},
    {"texture", texture_table, NULL},
    {"material", material_table, NULL},
    {"worldbody", (const known[]){OK("childclass name"), END}, NULL},
    {"body", body_table, NULL},
    {"frame", (const known[]){OK("name childclass"), POSE, END}, NULL},
    {"replicate",
     (const known[]){OK("count sep offset euler childclass"), MOOT("prefix", "names nothing (as in MuJoCo)"), END},
     NULL},
    {"attach", (const known[]){OK("model body frame prefix"), END}, NULL},
    {"model", (const known[]){OK("name file content_type"), END}, NULL},
    {"inertial", (const known[]){OK("mass diaginertia fullinertia"), POSE, END}, NULL},
    {"freejoint", freejoint_table, NULL},
    {"joint", joint_table, NULL},
    {"geom", geom_table, NULL},
    {"site", site_table, NULL},
    {"camera",
     (const known[]){OK("name class mode target fovy"), POSE,
                     LOOK("projection ipd resolution output focal focalpixel principal principalpixel "
                          "sensorsize user"),
                     END},
     NULL},
    {"sensor/of the world", (const known[]){SENSOR, END}, NULL},
    {"sensor/of a joint", (const known[]){SENSOR, SENSOR_OBJECT("joint", 0), END}, NULL},
    {"sensor/of a tendon", (const known[]){SENSOR, SENSOR_OBJECT("tendon", 0), END}, NULL},
    {"sensor/of an actuator", (const known[]){SENSOR, SENSOR_OBJECT("actuator", 0), END}, NULL},
    {"sensor/of a subtree", (const known[]){SENSOR, SENSOR_OBJECT("body", 0), END}, NULL},
    {"sensor/of a site", (const known[]){SENSOR, SENSOR_OBJECT("site", 0), END}, NULL},
    {"sensor/of a ray",
     (const known[]){SENSOR, SENSOR_OBJECT("site", 0), TEXT("data", ts_mjcf_sensor, data),
                     TEXT("camera", ts_mjcf_sensor, camera), END},
     NULL},
    {"sensor/of a frame in a site",
     (const known[]){SENSOR, SENSOR_FRAME("obj", 0), SENSOR_OBJECT("site", 1),
                     WORD("enclosed", ts_mjcf_sensor, enclosed, false_true), END},
     NULL},
    {"sensor/of two shapes", (const known[]){SENSOR, SENSOR_SIDE(geom, 0), SENSOR_SIDE(body, 1), END}, NULL},
    {"sensor/of contacts",
     (const known[]){SENSOR, SENSOR_SIDE(geom, 0), SENSOR_SIDE(body, 1), SENSOR_SIDE(subtree, 2),
                     TEXT("site", ts_mjcf_sensor, side[0][3]), WHOLE("num", ts_mjcf_sensor, def.is.slots),
                     TEXT("data", ts_mjcf_sensor, data), TEXT("reduce", ts_mjcf_sensor, order), END},
     NULL},
    {"sensor/of a frame", (const known[]){SENSOR, SENSOR_FRAME("obj", 0), END}, NULL},
    {"sensor/of two frames", (const known[]){SENSOR, SENSOR_FRAME("obj", 0), SENSOR_FRAME("ref", 1), END}, NULL},
    {"pair", pair_table, NULL},
    {"exclude", exclude_table, NULL},
    {"key", key_table, NULL},
    {"actuator", (const known[]){END}, NULL},
    {"tendon", tendon_table, NULL},
    {"fixed/joint", part_joint_table, NULL},
    {"spatial/site", part_site_table, NULL},
    {"spatial/geom", part_geom_table, NULL},
    {"spatial/pulley", part_pulley_table, NULL},
    {"general", general_table, NULL},
    {"motor", (const known[]){ACTUATOR, END}, NULL},
    {"position", (const known[]){ACTUATOR, OK("kp kv dampratio timeconst inheritrange"), END}, NULL},
    {"velocity", (const known[]){ACTUATOR, OK("kv"), END}, NULL},
    {"intvelocity", (const known[]){ACTUATOR, ACTIVATION, OK("kp kv dampratio inheritrange"), END}, NULL},
    {"damper", (const known[]){ACTUATOR, OK("kv"), END}, NULL},
    {"muscle", (const known[]){ACTUATOR, OK("timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"), END},
     NULL},
    {"adhesion", (const known[]){ACTUATOR, INDEX("body", ts_mjcf_actuator, target[5], body_name), OK("gain"), END},
     NULL},
    {"cylinder", (const known[]){ACTUATOR, ACTIVATION, OK("timeconst area diameter bias"), END}, NULL},
    {"numeric", (const known[]){OK("name data"), LOOK("size"), END}, NULL},
    {"text", (const known[]){OK("name data"), END}, NULL},
    {"equality", (const known[]){EQUALITY, END}, NULL},
    {"equality/connect", (const known[]){EQUALITY, TWO_BODIES, ANCHOR("anchor"), END}, "connect"},
    {"equality/weld",
     (const known[]){EQUALITY, INDEX("body1", ts_mjcf_equality, def.body[1], body_name),
                     INDEX("body2", ts_mjcf_equality, def.body[0], body_name),
                     INDEX("site1", ts_mjcf_equality, site[1], site_name),
                     INDEX("site2", ts_mjcf_equality, site[0], site_name), ANCHOR("anchor"),
                     REALS("relpose", ts_mjcf_equality, relative, 7, 7), NUMBERS("torquescale", 1, 1, 1), END},
     "weld"},
    {"equality/joint", (const known[]){EQUALITY, TWO_JOINTS, NUMBERS("polycoef", 0, 1, 5), END}, "joint-equality"},
    {"equality/tendon", (const known[]){EQUALITY, TWO_TENDONS, NUMBERS("polycoef", 0, 1, 5), END}, "tendon-equality"},
};

void ts_mjcf_report(ts_mjcf_reader* reader, const ts_xml_node* node, ts_import_level level, int affects_physics,
                    const char* what, const char* meaning) {
    ts_import_report_add(reader->xml.report, level, affects_physics, what, meaning, node->file, node->line);
}

void ts_mjcf_unknown_element(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "<%.40s> has no element <%.40s>",
                 node->parent && node->parent->name ? node->parent->name : "the file", node->name);
}

static const struct element* find_element(const char* name) {
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; ++i)
        if (strcmp(elements[i].name, name) == 0) return &elements[i];
    return NULL;
}

static const known* attributes_of(const char* element) {
    const struct element* found = find_element(element);
    TS_ASSERT(found);
    return found->attribute;
}

const char* ts_mjcf_equality_kind(const char* table) {
    const struct element* found = find_element(table);
    return found ? found->kind : NULL;
}

void ts_mjcf_check(ts_mjcf_reader* reader, const ts_xml_node* node, const char* element) {
    const known* table = attributes_of(element);
    for (int i = 0; i < node->attribute_count && !reader->xml.code; ++i) {
        const char* name = node->attribute[i].name;
        const known* k = table;
        while (k->name && !ts_xml_is_listed(k->name, name)) ++k;
        if (!k->name) {
            ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s has no attribute '%.60s'", element, name);
        } else if (k->level != TS_IMPORT_HONOURED && !(k->usual && strcmp(k->usual, node->attribute[i].value) == 0)) {
            char what[96];
            snprintf(what, sizeof what, "%s@%s", element, name);
            ts_mjcf_report(reader, node, k->level, k->physics, what, k->meaning ? k->meaning : "looks only");
        }
    }
}

// Fields are written bytewise: a row knows their place and their type, and nothing of the struct around them.
static void take(const ts_mjcf_element* element, const known* k, char* field) {
    double real[REALS_MOST];
    int whole = 0;
    switch (k->lands) {
    case LANDS_REALS:
        TS_ASSERT(k->most <= REALS_MOST);
        memcpy(field, real, (size_t)ts_mjcf_reals(element, k->name, real, k->least, k->most) * sizeof *real);
        break;
    case LANDS_WHOLE:
    case LANDS_WORD:
        memcpy(&whole, field, sizeof whole);
        whole = k->lands == LANDS_WHOLE ? ts_mjcf_integer(element, k->name, whole)
                                        : ts_mjcf_word(element, k->name, k->words->word, k->words->count, whole);
        memcpy(field, &whole, sizeof whole);
        break;
    case LANDS_TEXT: {
        const char* text = ts_mjcf_text(element, k->name, NULL);
        if (text) memcpy(field, &text, sizeof text);
        break;
    }
    case LANDS_INDEX: {
        const char* name = ts_mjcf_text(element, k->name, NULL);
        if (!name) break;
        whole = ts_name_table_find((const ts_name_table*)(const void*)((const char*)element->reader + k->names), name);
        memcpy(field, &whole, sizeof whole);
        // "body1" names a body, "sidesite" a site.
        const char* name_of = strcmp(k->name, "sidesite") == 0 ? "site" : k->name;
        if (whole < 0)
            ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE, "%s of %s: there is no %.*s '%.80s'", k->name,
                         element->node->name, (int)strcspn(name_of, "0123456789"), name_of, name);
        break;
    }
    case LANDS_OPTION: ts_mjcf_set_option(element->reader, element->node, k->name, k->option); break;
    case LANDS_NOWHERE: break;
    }
}

void ts_mjcf_take(const ts_mjcf_element* element, const char* table, void* out_fields) {
    for (const known* k = attributes_of(table); k->name; ++k) take(element, k, (char*)out_fields + k->offset);
}

// Elements that are passed over, by the section they stand in; both may be several, separated by blanks.
static const struct passed {
    const char* section;
    const char* element;  // NULL: any child of a section that is passed over as a whole
    int physics;
    const char* meaning;
} passed_table[] = {
    {"actuator", "pid orientation dcmotor plugin", 1, no_such_actuator},
    {"sensor", "user plugin tactile camprojection", 0, "sensors of this kind show nothing"},
    {"equality", NULL, 1, "what it names is not tied together"},
    {"deformable", NULL, 1, "deformable bodies are left out"},
    {"extension", NULL, 1, "plugins are left out"},
    {"mujoco", "size", 0, "memory is sized as needed"},
    {"mujoco", "visual statistic", 0, "looks only"},
    {"asset", "skin", 0, "looks only"},
    {"mesh geom body", "plugin", 1, "plugins are left out"},
    {"material", "layer", 0, "looks only"},
    {"compiler", "lengthrange", 0, "length ranges that muscles are not given are found in a way of their own"},
    {"body", "light", 0, "looks only"},
    {"body", "composite", 1, "composite bodies are left out"},
    {"body", "flexcomp", 1, "deformable bodies are left out"},
    {"custom", "tuple", 0, "no meaning for the simulation"},
};

int ts_mjcf_report_element(ts_mjcf_reader* reader, const ts_xml_node* node, const char* section) {
    for (size_t i = 0; i < sizeof passed_table / sizeof passed_table[0]; ++i) {
        const struct passed* p = &passed_table[i];
        if (!ts_xml_is_listed(p->section, section) || (p->element && !ts_xml_is_listed(p->element, node->name)))
            continue;
        char what[96];
        snprintf(what, sizeof what, "%s/%s", section, node->name);
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, p->physics, what, p->meaning);
        return 1;
    }
    return 0;
}
