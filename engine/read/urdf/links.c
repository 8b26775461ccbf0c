// <link>: its mass and its shapes.
//
// Inertia. Exporters write moments that no body can have: one that exceeds the sum of the other two, inertia without mass,
// negative ones on little frames that are fixed to something heavy. Motion is defined with them as long as the mass matrix
// is positive definite, and every reader of URDF goes on with them: so does this one, and names the link. Negative moments
// of a link that moves on its own would make motion that feeds on itself: they become zero. A link without <inertial> has
// no mass, as URDF says.
#include "engine/read/urdf/urdf_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- mass ---

// Relative: moments given with a handful of decimals may break the triangle inequality by their rounding.
static const double triangle_slack = 1e-5;

// Whether the link is fixed to another one.
static int is_carried(const ts_urdf_reader* reader, const ts_urdf_link* link) {
    return link->joint >= 0 && reader->joint.data[link->joint].type == TS_URDF_FIXED;
}

static void judge_inertia(ts_urdf_reader* reader, const ts_xml_node* node, const ts_urdf_link* link, double mass,
                          ts_mat3* inertia) {
    ts_vec3 m;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(inertia, &m, &axes);
    double size = fmax(fabs(m.x), fabs(m.z));
    int negative = m.x < -1e-12 * size;
    if (!negative && m.z <= m.x + m.y + triangle_slack * size && (mass > 0.0 || size == 0.0)) return;
    int mended = negative && !is_carried(reader, link);
    char what[96], meaning[192];
    snprintf(what, sizeof what, "inertia of link %.60s", link->name);
    snprintf(meaning, sizeof meaning, "mass %.4g, principal moments %.4g %.4g %.4g belong to no body: %s", mass, m.x,
             m.y, m.z, mended ? "negative ones are taken as 0" : "taken as they are, which moves, but like no body");
    ts_urdf_report(reader, node, mended ? TS_IMPORT_APPROXIMATED : TS_IMPORT_HONOURED, 1, what, meaning);
    if (!mended) return;
    m = ts_vec3_max(m, ts_vec3_zero());
    *inertia = ts_mat3_rotate_tensor(axes, ts_mat3_diagonal(m));
}

static ts_mat3 read_inertia(ts_urdf_reader* reader, const ts_xml_node* node) {
    double xx = ts_urdf_need(reader, node, "ixx"), xy = ts_urdf_need(reader, node, "ixy");
    double xz = ts_urdf_need(reader, node, "ixz"), yy = ts_urdf_need(reader, node, "iyy");
    double yz = ts_urdf_need(reader, node, "iyz"), zz = ts_urdf_need(reader, node, "izz");
    return ts_mat3_from_rows(ts_vec3_make(xx, xy, xz), ts_vec3_make(xy, yy, yz), ts_vec3_make(xz, yz, zz));
}

static void read_inertial(ts_urdf_reader* reader, const ts_urdf_link* link, ts_body_def* def) {
    const ts_xml_node* node = ts_urdf_child(reader, link->node, "inertial");
    def->mass = 0.0;
    if (!node) return;
    ts_urdf_check(reader, node);
    ts_pose pose = ts_urdf_origin(reader, node);
    const ts_xml_node* mass = ts_urdf_child(reader, node, "mass");
    const ts_xml_node* moments = ts_urdf_child(reader, node, "inertia");
    if (!mass || !moments) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "inertial needs <mass> and <inertia>");
        return;
    }
    ts_urdf_check(reader, mass);
    ts_urdf_check(reader, moments);
    def->mass = ts_urdf_need(reader, mass, "value");
    def->centre = pose.position;
    if (def->mass < 0.0) ts_urdf_fail(reader, mass, TS_ERROR_VALUE, "the mass is negative");
    ts_mat3 inertia = read_inertia(reader, moments);
    if (reader->xml.code) return;
    judge_inertia(reader, moments, link, def->mass, &inertia);
    def->inertia = ts_mat3_rotate_tensor(ts_quat_to_mat3(pose.rotation), inertia);
}

int ts_urdf_add_body(ts_urdf_reader* reader, const ts_urdf_link* link, int parent, ts_pose pose) {
    ts_body_def def = ts_body_def_default();
    def.name = link->name;
    def.parent = parent;
    def.pose = pose;
    def.file = link->node->file;
    def.line = link->node->line;
    read_inertial(reader, link, &def);
    if (reader->xml.code) return -1;
    int body = ts_builder_add_body(reader->builder, &def);
    if (body < 0) ts_urdf_fail(reader, link->node, TS_ERROR_MEMORY, "out of memory");
    return body;
}

// --- looks ---

// The colour inside of a <material>, if there is one.
static int read_colour(ts_urdf_reader* reader, const ts_xml_node* node, float out_rgba[4]) {
    const ts_xml_node* colour = ts_urdf_child(reader, node, "color");
    double rgba[4];
    if (colour) ts_urdf_check(reader, colour);
    if (!ts_urdf_reals(reader, colour, "rgba", rgba, 4)) return 0;
    for (int i = 0; i < 4; ++i) out_rgba[i] = (float)fmax(0.0, fmin(1.0, rgba[i]));
    return 1;
}

void ts_urdf_read_material(ts_urdf_reader* reader, const ts_xml_node* node) {
    ts_urdf_check(reader, node);
    ts_urdf_material material;
    const char* name = ts_xml_value(node, "name");
    if (!name || !name[0] || !read_colour(reader, node, material.rgba)) return;
    // Of several definitions the first one counts.
    if (ts_name_table_find(&reader->material_name, name) >= 0) return;
    if (!ts_urdf_material_array_push(&reader->material, material) ||
        !ts_name_table_put(&reader->material_name, name, reader->material.count - 1))
        ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

static void paint(ts_urdf_reader* reader, const ts_xml_node* visual, float rgba[4]) {
    const ts_xml_node* node = ts_urdf_child(reader, visual, "material");
    if (!node) return;
    // What is defined here can be referred to from elsewhere.
    ts_urdf_read_material(reader, node);
    const char* name = ts_xml_value(node, "name");
    int index = name ? ts_name_table_find(&reader->material_name, name) : -1;
    if (read_colour(reader, node, rgba)) return;
    if (index >= 0)
        memcpy(rgba, reader->material.data[index].rgba, 4 * sizeof *rgba);
    else if (name && name[0] && !ts_urdf_child(reader, node, "texture"))
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, 0, "material (not defined)", "looks only");
}

// --- shapes ---

static const char left_out[] = "nothing has this size: the geometry is left out";

// A shape made of numbers. Returns 0 when there is nothing of it.
static int read_primitive(ts_urdf_reader* reader, const ts_xml_node* node, int collides, ts_shape* out_shape) {
    double size[3] = {0.0, 0.0, 0.0};
    if (strcmp(node->name, "box") == 0) {
        if (!ts_urdf_reals(reader, node, "size", size, 3))
            ts_urdf_fail(reader, node, TS_ERROR_PARSE, "a box needs the attribute 'size'");
        *out_shape = ts_shape_box(ts_vec3_scale(0.5, ts_vec3_load(size)));
    } else {
        size[0] = size[1] = size[2] = ts_urdf_need(reader, node, "radius");
        if (strcmp(node->name, "sphere") == 0) {
            *out_shape = ts_shape_sphere(size[0]);
        } else {
            size[1] = ts_urdf_need(reader, node, "length");
            *out_shape = strcmp(node->name, "capsule") == 0 ? ts_shape_capsule(size[0], 0.5 * size[1])
                                                            : ts_shape_cylinder(size[0], 0.5 * size[1]);
        }
    }
    if (reader->xml.code) return 0;
    if (size[0] == 0.0 || size[1] == 0.0 || size[2] == 0.0) {
        char what[96];
        snprintf(what, sizeof what, "%.40s of no size", node->name);
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, collides, what, left_out);
        return 0;
    }
    ts_status status;
    memset(&status, 0, sizeof status);
    if (ts_shape_validate(out_shape, &status)) ts_urdf_fail(reader, node, TS_ERROR_VALUE, "%s", status.message);
    return !reader->xml.code;
}

// A mesh's hull. Returns 0 when the geometry is to be left out.
static int read_mesh(ts_urdf_reader* reader, const ts_xml_node* node, int collides, ts_shape* out_shape) {
    ts_status problem;
    memset(&problem, 0, sizeof problem);
    const ts_hull* hull = ts_urdf_mesh_hull(reader, node, &problem);
    if (reader->xml.code) return 0;
    if (hull) {
        *out_shape = ts_shape_hull(hull);
        if (collides)
            ts_urdf_report(reader, node, TS_IMPORT_APPROXIMATED, 1, "collision mesh",
                           "the mesh's convex hull is what collides (as in MuJoCo)");
        return 1;
    }
    char why[600];
    ts_status_format(&problem, why, sizeof why);
    const char* name = ts_xml_value(node, "filename");
    if (collides)
        ts_urdf_fail(reader, node, problem.code, "mesh '%.200s' cannot be used: %.400s", name ? name : "", why);
    else
        ts_urdf_report(reader, node, TS_IMPORT_IGNORED, 0, "visual mesh", "cannot be read; it only serves looks");
    return 0;
}

static int read_shape(ts_urdf_reader* reader, const ts_xml_node* holder, int collides, ts_shape* out_shape) {
    static const char* const kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    const ts_xml_node* geometry = ts_urdf_child(reader, holder, "geometry");
    const ts_xml_node* shape = NULL;
    if (!geometry) {
        ts_urdf_fail(reader, holder, TS_ERROR_PARSE, "%.40s needs a <geometry>", holder->name);
        return 0;
    }
    ts_urdf_check(reader, geometry);
    for (const ts_xml_node* child = geometry->child; child; child = child->next)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
            if (strcmp(child->name, kinds[k]) != 0) continue;
            if (shape) ts_urdf_fail(reader, child, TS_ERROR_PARSE, "a second shape in the same geometry");
            shape = child;
        }
    if (!shape)
        ts_urdf_fail(reader, geometry, TS_ERROR_PARSE, "geometry has none of box, cylinder, sphere, capsule, mesh");
    if (reader->xml.code) return 0;
    ts_urdf_check(reader, shape);
    return strcmp(shape->name, "mesh") == 0 ? read_mesh(reader, shape, collides, out_shape)
                                            : read_primitive(reader, shape, collides, out_shape);
}

// PyBullet's <contact> of a link.
static void read_surface(ts_urdf_reader* reader, const ts_urdf_link* link, ts_surface* surface) {
    const ts_xml_node* contact = ts_urdf_child(reader, link->node, "contact");
    if (!contact) return;
    const struct {
        const char* name;
        double* field;
    } rows[] = {{"lateral_friction", &surface->friction},
                {"spinning_friction", &surface->friction_spin},
                {"rolling_friction", &surface->friction_roll},
                {"restitution", &surface->restitution}};
    ts_urdf_check(reader, contact);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const ts_xml_node* node = ts_urdf_child(reader, contact, rows[i].name);
        if (!node) continue;
        ts_urdf_check(reader, node);
        *rows[i].field = ts_urdf_real(reader, node, "value", *rows[i].field);
        if (i == 1 && *rows[i].field > 0.0 && surface->dimension < 4) surface->dimension = 4;
        if (i == 2 && *rows[i].field > 0.0) surface->dimension = 6;
    }
    const char* fault = ts_surface_fault(surface);
    if (fault) ts_urdf_fail(reader, contact, TS_ERROR_VALUE, "%s", fault);
}

// Names of collisions need not be unique, those of geoms are.
static const char* geom_name(ts_urdf_reader* reader, const ts_xml_node* node) {
    const char* name = ts_xml_value(node, "name");
    if (!name || !name[0] || ts_name_table_find(&reader->geom_name, name) >= 0) return NULL;
    if (!ts_name_table_put(&reader->geom_name, name, 0)) ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    return name;
}

void ts_urdf_add_geoms(ts_urdf_reader* reader, const ts_urdf_link* link) {
    ts_geom_def def = ts_geom_def_default();
    ts_geom_def bare = def;
    read_surface(reader, link, &def.surface);
    def.body = link->body;
    for (const ts_xml_node* node = link->node->child; node && !reader->xml.code; node = node->next) {
        int collides = strcmp(node->name, "collision") == 0;
        if (!collides && strcmp(node->name, "visual") != 0) continue;
        ts_urdf_check(reader, node);
        def.category = def.mask = collides ? 1 : 0;
        def.file = node->file;
        def.line = node->line;
        def.pose = ts_pose_mul(link->offset, ts_urdf_origin(reader, node));
        memcpy(def.rgba, bare.rgba, sizeof def.rgba);
        if (!collides) paint(reader, node, def.rgba);
        if (reader->xml.code || !read_shape(reader, node, collides, &def.shape)) continue;
        def.name = collides ? geom_name(reader, node) : NULL;
        // Masses are the links' own.
        def.mass = 0.0;
        if (ts_builder_add_geom(reader->builder, &def) < 0)
            ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    }
}
