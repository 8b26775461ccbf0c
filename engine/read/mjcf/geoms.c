// <geom>: shapes, their mass, contact properties and colour.
#include "engine/read/mjcf/mesh_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The words of geom@type and the kinds that they mean; TS_SHAPE_KIND_COUNT for what is not known.
typedef struct type_list {
    int count;
    const char* word[TS_SHAPE_KIND_COUNT + 1];
    ts_shape_kind kind[TS_SHAPE_KIND_COUNT + 1];
} type_list;

static void add_type(type_list* list, const char* word, ts_shape_kind kind) {
    list->word[list->count] = word;
    list->kind[list->count++] = kind;
}

// Kinds that are made of numbers go by their own names; the first is what a geom is that does not say.
static void list_types(type_list* list) {
    list->count = 0;
    add_type(list, ts_shape_kind_name(TS_SHAPE_SPHERE), TS_SHAPE_SPHERE);
    for (int k = 0; k < TS_SHAPE_KIND_COUNT; ++k) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)k);
        if (!info->made_of && k != TS_SHAPE_SPHERE) add_type(list, info->name, (ts_shape_kind)k);
    }
    add_type(list, "hfield", TS_SHAPE_HEIGHT_FIELD);
    add_type(list, "mesh", TS_SHAPE_HULL);
    add_type(list, "sdf", TS_SHAPE_KIND_COUNT);
}

// A geom while it is read.
typedef struct geom_draft {
    ts_mjcf_element element;
    const ts_mjcf_scope* scope;
    ts_geom_def def;
    ts_shape_kind kind;
    int weighs;  // nonzero when the body's motion depends on this geom's mass
    const ts_mjcf_mesh* mesh;
} geom_draft;

static void read_contact(geom_draft* g) {
    const ts_mjcf_element* e = &g->element;
    const ts_mjcf_switches* c = &e->reader->switches;
    int dimension = g->def.surface.dimension;
    if (dimension != 1 && dimension != 3 && dimension != 4 && dimension != 6)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "condim of geom must be 1, 3, 4 or 6, not %d", dimension);
    if (c->no_contact) g->def.category = g->def.mask = 0;
}

static void read_colour(geom_draft* g) {
    ts_mjcf_element* e = &g->element;
    ts_mjcf_reader* r = e->reader;
    double rgba[4];
    const char* material = ts_mjcf_text(e, "material", NULL);
    int index = -1;
    if (material) {
        index = ts_name_table_find(&ts_mjcf_document_of(r, e->node)->material_name, material);
        if (index < 0) ts_mjcf_fail(r, e->node, TS_ERROR_VALUE, "geom: there is no material '%.80s'", material);
    }
    g->def.material = index;
    if (ts_mjcf_reals(e, "rgba", rgba, 4, 4))
        for (int i = 0; i < 4; ++i) g->def.rgba[i] = (float)rgba[i];
    else if (index >= 0)
        memcpy(g->def.rgba, r->materials.data[index].rgba, sizeof g->def.rgba);
}

static void read_mass(geom_draft* g) {
    ts_mjcf_element* e = &g->element;
    ts_mjcf_reader* r = e->reader;
    if (ts_mjcf_text(e, "mass", NULL) && g->def.mass < 0.0)
        ts_mjcf_fail(r, e->node, TS_ERROR_VALUE, "mass of geom is negative");
    if (g->def.density < 0.0) ts_mjcf_fail(r, e->node, TS_ERROR_VALUE, "density of geom is negative");
    const ts_mjcf_compiler* c = ts_mjcf_compiler_of(r, e->node);
    g->def.group = ts_mjcf_integer(e, "group", 0);
    if (g->def.group < c->group_low || g->def.group > c->group_high) g->def.mass = 0.0;
    g->weighs = g->scope->mass_from_geoms && g->scope->moves && g->def.mass != 0.0 &&
                (g->def.mass > 0.0 || g->def.density > 0.0);
}

// Whether a solid or its surface weighs. Meshes have the choice in their asset.
static void read_shell(geom_draft* g) {
    if (!ts_mjcf_bool(&g->element, "shellinertia", 0) || g->kind == TS_SHAPE_PLANE) return;
    if (g->weighs)
        ts_mjcf_report(g->element.reader, g->element.node, TS_IMPORT_APPROXIMATED, 1, "geom@shellinertia",
                       "the geom weighs as a solid of its density (or mass), not as a surface");
}

// A shape made of numbers, which are the sizes; more of them are allowed, since a class may serve several shapes. Where two
// points say how long it is, the first size stands for all others.
static void read_primitive(geom_draft* g) {
    const ts_shape_kind_info* info = ts_shape_kind_info_of(g->kind);
    double size[TS_SHAPE_PARAMETERS_MOST] = {0.0}, half = 0.0;
    int long_way = -1, count = info->parameter_count, most = count > 3 ? count : 3;
    for (int i = 0; i < count; ++i)
        if (info->parameter[i].place == TS_SHAPE_AT_Z) long_way = i;
    int spans = long_way >= 0 && ts_mjcf_from_to(&g->element, &g->def.pose, &half);
    if (!ts_mjcf_text(&g->element, "size", NULL)) {
        ts_mjcf_fail(g->element.reader, g->element.node, TS_ERROR_PARSE, "a %s geom needs a size", info->name);
        return;
    }
    if (!ts_mjcf_reals(&g->element, "size", size, spans ? 1 : count, most)) return;
    for (int i = 1; spans && i < count; ++i) size[i] = i == long_way ? half : size[0];
    g->def.shape = ts_shape_make(g->kind, size);
}

// The mesh's hull stands in for the mesh, or a primitive that is fitted to it. Returns 0 when the geom is to be left out.
static int read_mesh(geom_draft* g) {
    ts_mjcf_element* e = &g->element;
    ts_mjcf_reader* r = e->reader;
    const char* name = ts_mjcf_text(e, "mesh", NULL);
    if (!name) {
        ts_mjcf_fail(r, e->node, TS_ERROR_PARSE, "a mesh geom needs a mesh");
        return 0;
    }
    const ts_mjcf_mesh* mesh = ts_mjcf_load_mesh(r, e->node, name);
    if (!mesh) return 0;
    int collides = g->def.category != 0 || g->def.mask != 0;
    if (!mesh->hull) {
        char why[600];
        ts_status_format(&mesh->problem, why, sizeof why);
        if (collides || g->weighs) {
            ts_mjcf_fail(r, e->node, mesh->problem.code ? mesh->problem.code : TS_ERROR_VALUE,
                         "mesh '%.60s', which this geom %s, cannot be used: %.380s", name,
                         collides ? "collides with" : "weighs by", why);
        } else {
            char what[96];
            snprintf(what, sizeof what, "mesh %.80s", name);
            ts_mjcf_report(r, e->node, TS_IMPORT_IGNORED, 0, what,
                           "cannot be read; it only serves looks, its geoms are left out");
        }
        return 0;
    }
    if (g->kind != TS_SHAPE_HULL) {
        ts_status status;
        g->def.shape = ts_mjcf_fit(mesh, g->kind, ts_mjcf_compiler_of(r, e->node)->fit_box,
                                   ts_mjcf_real(e, "fitscale", 1.0), &g->def.pose);
        if (ts_shape_validate(&g->def.shape, &status))
            ts_mjcf_fail(r, e->node, TS_ERROR_VALUE, "fitted to mesh '%.60s': %s", name, status.message);
        return 1;
    }
    g->mesh = mesh;
    g->def.shape = ts_shape_hull(mesh->hull);
    if (collides)
        ts_mjcf_report(r, e->node, TS_IMPORT_HONOURED, 0, "geom@mesh",
                       "the mesh's convex hull is what collides (as in MuJoCo)");
    return 1;
}

// Ground, which does not move.
static int read_height_field(geom_draft* g) {
    const ts_mjcf_element* e = &g->element;
    const char* name = ts_mjcf_text(e, "hfield", NULL);
    if (!name)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_PARSE, "a geom of type hfield needs an hfield");
    else if (g->scope->moves)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "a height field must be on a body that does not move");
    const ts_height_field* field = e->reader->xml.code ? NULL : ts_mjcf_find_height_field(e->reader, e->node, name);
    if (field) g->def.shape = ts_shape_height_field(field);
    return field != NULL;
}

static int read_shape(geom_draft* g) {
    ts_mjcf_element* e = &g->element;
    if (g->kind == TS_SHAPE_KIND_COUNT) {
        ts_mjcf_report(e->reader, e->node, TS_IMPORT_IGNORED, 1, "geom type sdf",
                       "the geom is left out: nothing touches it and it has no mass");
        return 0;
    }
    if (g->kind == TS_SHAPE_HEIGHT_FIELD) return read_height_field(g);
    if (g->kind == TS_SHAPE_PLANE) {
        g->def.shape = ts_shape_plane();
        double size[3] = {0.0, 0.0, 0.0};
        ts_mjcf_reals(e, "size", size, 1, 3);
        for (int i = 0; i < 2; ++i) g->def.plane_half[i] = fmax(size[i], 0.0);
        return 1;
    }
    if (g->kind == TS_SHAPE_HULL || ts_mjcf_text(e, "mesh", NULL)) return read_mesh(g);
    read_primitive(g);
    ts_status status;
    memset(&status, 0, sizeof status);
    if (!e->reader->xml.code && ts_shape_validate(&g->def.shape, &status))
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "%s", status.message);
    return 1;
}

void ts_mjcf_read_geom(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "geom");
    geom_draft g;
    memset(&g, 0, sizeof g);
    g.element = ts_mjcf_element_make(reader, node, TS_MJCF_GEOM, scope->childclass);
    g.scope = scope;
    g.def = ts_geom_def_default();
    g.def.name = ts_xml_value(node, "name");
    g.def.body = scope->body;
    g.def.file = node->file;
    g.def.line = node->line;
    type_list types;
    list_types(&types);
    g.kind = types.kind[ts_mjcf_word(&g.element, "type", types.word, types.count, 0)];
    for (const ts_xml_node* child = node->child; child; child = child->next)
        if (!ts_mjcf_report_element(reader, child, "geom")) ts_mjcf_unknown_element(reader, child);
    if (reader->xml.code) return;
    g.def.pose = ts_mjcf_pose(&g.element);
    ts_mjcf_take(&g.element, "geom", &g.def);
    read_contact(&g);
    read_colour(&g);
    read_mass(&g);
    read_shell(&g);
    if (reader->xml.code || !read_shape(&g) || reader->xml.code) return;
    g.def.pose = ts_pose_mul(scope->frame, g.def.pose);
    int index = ts_builder_add_geom(reader->builder, &g.def);
    ts_mjcf_note(reader, node, &reader->geom_name, g.def.name, index);
    if (index >= 0 && g.mesh) ts_builder_set_geom_solid(reader->builder, index, &g.mesh->solid);
}
