// Triangle meshes from Collada (.dae), as far as collision needs them: the geometries that the visual scene shows, with the
// transforms of its nodes and the file's unit.
//
// Read: <triangles>, <polylist>, <polygons> (outer rings), <trifans>, <tristrips>; polygons are cut into fans. Lines and
// points have no inside and are passed over. Of nodes: matrix, translate, rotate, scale, in their order; instances of
// geometries, of nodes, and of skins in their bind shape. A file without a scene gives all its geometries. Vertices that no
// triangle uses are left out, since the hull would take them for part of the shape. Of places on textures a primitive's first set counts; the mesh
// has them where all its corners do.
// Source: Collada 1.4.1 specification, chapter 5.
// Known to differ: <up_axis> is looked at only to refuse what it cannot be. Coordinates stay as they are written, because
// that is what the programs do with which robots are made (RViz, Pinocchio): a robot whose meshes are turned by up_axis falls apart
// in them, so none is published. lookat and skew are refused.
#include "engine/read/collada_internal.h"

#include "base/array.h"
#include "base/mat.h"
#include "base/number.h"
#include "base/quat.h"
#include "engine/read/xml_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INDEX_LIMIT = 30000000,  // corners of all instances together: instances of instances can ask for any number
    VERTEX_LIMIT = 30000000,
    INSTANCE_LIMIT = 100000,
    VISIT_LIMIT = 10000000,  // nodes and what is in them, once for every instance
    INSTANCE_DEPTH = 64,
    ARRAY_LIMIT = 30000000  // numbers in one array
};

TS_ARRAY_DECLARE(number_array, double);
TS_ARRAY_DECLARE(vertex_array, ts_vec3);
TS_ARRAY_DECLARE(index_array, int);
TS_ARRAY_DECLARE(place_array, float);

// x -> a x + t
typedef struct affine {
    ts_mat3 a;
    ts_vec3 t;
} affine;

typedef struct collada {
    ts_xml xml;
    ts_name_table id;  // of elements, as indices into `element`
    const ts_xml_node** element;
    int element_count;
    int instances;
    int visits;
    vertex_array vertex;
    index_array triangle;
    place_array
        place;  // two of every corner in `triangle`, from the left and from the top; not finite where it has none
} collada;

static const ts_xml_dialect dialect = {.name = "Collada", .takes_prefixes = 1, .keeps_text = 1};

static affine affine_mul(const affine* f, const affine* g) {
    affine h = {ts_mat3_mul(f->a, g->a), ts_vec3_add(ts_mat3_mul_vec(&f->a, g->t), f->t)};
    return h;
}

static int is_named(const ts_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

static const ts_xml_node* child_of(const ts_xml_node* node, const char* name) {
    for (const ts_xml_node* child = node ? node->child : NULL; child; child = child->next)
        if (is_named(child, name)) return child;
    return NULL;
}

static void short_memory(collada* c) { ts_xml_fail(&c->xml, NULL, TS_ERROR_MEMORY, "out of memory"); }

// --- references ---

static int count_ids(const ts_xml_node* node) {
    int count = ts_xml_value(node, "id") != NULL;
    for (const ts_xml_node* child = node->child; child; child = child->next) count += count_ids(child);
    return count;
}

static void list_ids(collada* c, const ts_xml_node* node) {
    const char* id = ts_xml_value(node, "id");
    // Of elements with the same id the first one counts.
    if (id && ts_name_table_find(&c->id, id) < 0) {
        if (!ts_name_table_put(&c->id, id, c->element_count)) short_memory(c);
        c->element[c->element_count++] = node;
    }
    for (const ts_xml_node* child = node->child; child; child = child->next) list_ids(c, child);
}

// The element that an attribute names, which must be of one of two kinds; NULL with a failure.
static const ts_xml_node* referred(collada* c, const ts_xml_node* node, const char* attribute, const char* kind,
                                   const char* other_kind) {
    const char* url = ts_xml_value(node, attribute);
    int index = url && url[0] == '#' ? ts_name_table_find(&c->id, url + 1) : -1;
    const ts_xml_node* found = index < 0 ? NULL : c->element[index];
    if (found && (is_named(found, kind) || is_named(found, other_kind))) return found;
    ts_xml_fail(&c->xml, node, TS_ERROR_VALUE, "%s of %.40s: there is no %s '%.80s' in this file", attribute,
                node->name, kind, url ? url : "");
    return NULL;
}

// --- numbers ---

// All numbers between the tags of a node, at most `most`.
static int read_numbers(collada* c, const ts_xml_node* node, int most, number_array* out_numbers) {
    const char* at = node->text;
    const char* end = at + strlen(at);
    for (double value;;) {
        ts_number_result result = ts_number_scan(&at, end, &value);
        if (result == TS_NUMBER_END) return 1;
        if (result != TS_NUMBER_OK) {
            ts_xml_fail(&c->xml, node, TS_ERROR_PARSE, "%.40s: '%.*s' is not a finite number", node->name,
                        (int)strcspn(at, " \t\r\n") < 30 ? (int)strcspn(at, " \t\r\n") : 30, at);
            return 0;
        }
        if (out_numbers->count >= most) {
            ts_xml_fail(&c->xml, node, TS_ERROR_PARSE, "%.40s holds more than %d numbers", node->name, most);
            return 0;
        }
        if (!number_array_push(out_numbers, value)) {
            short_memory(c);
            return 0;
        }
    }
}

// Exactly `count` numbers between the tags.
static int read_exactly(collada* c, const ts_xml_node* node, int count, double* out_values) {
    number_array numbers = {NULL, 0, 0};
    int fine = read_numbers(c, node, count, &numbers) && numbers.count == count;
    if (fine)
        memcpy(out_values, numbers.data, (size_t)count * sizeof *out_values);
    else
        ts_xml_fail(&c->xml, node, TS_ERROR_PARSE, "%.40s needs %d numbers, not %d", node->name, count, numbers.count);
    number_array_free(&numbers);
    return fine;
}

// A whole number of at least 0 from an attribute, or `fallback`.
static int read_count(collada* c, const ts_xml_node* node, const char* name, int fallback) {
    const char* text = ts_xml_value(node, name);
    double value;
    char why[80];
    if (!text) return fallback;
    if (ts_number_list(text, &value, 1, why, sizeof why) == 1 && value >= 0.0 && value <= 1e9 && value == floor(value))
        return (int)value;
    ts_xml_fail(&c->xml, node, TS_ERROR_PARSE, "%s of %.40s is not a count: '%.40s'", name, node->name, text);
    return fallback;
}

// --- geometry ---

// The points of a <source>: point i begins at number offset + i stride. Free `number` with number_array_free.
typedef struct points {
    number_array number;
    int offset, stride, count;
} points;

// Points of `width` coordinates or more, which `what` names. Returns 0 with a failure.
static int read_points(collada* c, const ts_xml_node* source, int width, const char* what, points* out) {
    const ts_xml_node* array = child_of(source, "float_array");
    const ts_xml_node* accessor = child_of(child_of(source, "technique_common"), "accessor");
    memset(out, 0, sizeof *out);
    if (!array) ts_xml_fail(&c->xml, source, TS_ERROR_PARSE, "a source of %s needs a float_array", what);
    out->stride = accessor ? read_count(c, accessor, "stride", 1) : width;
    out->offset = accessor ? read_count(c, accessor, "offset", 0) : 0;
    if (!c->xml.code && (out->stride < width || out->offset > ARRAY_LIMIT))
        ts_xml_fail(&c->xml, source, TS_ERROR_VALUE, "%s need %d coordinates each, and their source has %d", what,
                    width, out->stride);
    if (c->xml.code || !read_numbers(c, array, ARRAY_LIMIT, &out->number)) return 0;
    int there = out->number.count > out->offset ? (out->number.count - out->offset) / out->stride : 0;
    out->count = accessor ? read_count(c, accessor, "count", there) : there;
    if (out->count > there)
        ts_xml_fail(&c->xml, source, TS_ERROR_VALUE, "the source says it has %d %s, but there are %d", out->count, what,
                    there);
    return !c->xml.code;
}

// Appends the positions of a <source>, placed. Returns how many, or -1.
static int add_positions(collada* c, const ts_xml_node* source, const affine* place) {
    points p;
    int fine = read_points(c, source, 3, "positions", &p);
    if (fine && p.count > VERTEX_LIMIT - c->vertex.count)
        ts_xml_fail(&c->xml, source, TS_ERROR_MEMORY, "more than %d positions in all instances", VERTEX_LIMIT);
    for (int i = 0; fine && i < p.count && !c->xml.code; ++i) {
        ts_vec3 v = ts_vec3_load(p.number.data + p.offset + (ptrdiff_t)i * p.stride);
        if (!vertex_array_push(&c->vertex, ts_vec3_add(ts_mat3_mul_vec(&place->a, v), place->t))) short_memory(c);
    }
    number_array_free(&p.number);
    return c->xml.code ? -1 : p.count;
}

// How a primitive's indices lie: of `stride` numbers per corner, the one at `offset` names the position, and the one at `place_offset` the place on a
// texture among those of `places` (NULL: there are none).
typedef struct corner_layout {
    int stride;
    int offset;
    int place_offset;
    const ts_xml_node* places;
} corner_layout;

static corner_layout read_layout(collada* c, const ts_xml_node* primitive) {
    corner_layout layout = {0, -1, 0, NULL};
    for (const ts_xml_node* input = primitive->child; input; input = input->next) {
        if (!is_named(input, "input")) continue;
        const char* semantic = ts_xml_value(input, "semantic");
        int offset = read_count(c, input, "offset", 0);
        if (offset > 100) ts_xml_fail(&c->xml, input, TS_ERROR_VALUE, "more than 100 inputs");
        if (offset >= layout.stride) layout.stride = offset + 1;
        if (semantic && strcmp(semantic, "VERTEX") == 0) layout.offset = offset;
        if (!semantic || strcmp(semantic, "TEXCOORD") != 0 || layout.places) continue;
        layout.place_offset = offset;
        layout.places = referred(c, input, "source", "source", "source");
    }
    if (layout.offset < 0)
        ts_xml_fail(&c->xml, primitive, TS_ERROR_PARSE, "%.40s has no input of vertices", primitive->name);
    return layout;
}

// A primitive while it is cut up: where its positions are among all vertices, and whether its transform mirrors.
typedef struct cutter {
    collada* c;
    const ts_xml_node* primitive;
    corner_layout layout;
    int first;
    int count;
    int mirrors;
    points place;  // on the texture
} cutter;

// The vertex of corner i; -1 with a failure.
static int corner_at(const cutter* k, const number_array* index, int i) {
    double value = index->data[(ptrdiff_t)i * k->layout.stride + k->layout.offset];
    if (value >= 0.0 && value < (double)k->count && value == floor(value)) return k->first + (int)value;
    ts_xml_fail(&k->c->xml, k->primitive, TS_ERROR_VALUE, "%.40s names position %g, but there are %d",
                k->primitive->name, value, k->count);
    return -1;
}

// The place of corner i on the texture, which counts from below in the file; one that is not there leaves the mesh without.
static void add_place(const cutter* k, const number_array* index, int i) {
    double at[2] = {HUGE_VAL, HUGE_VAL};
    double value = k->layout.places ? index->data[(ptrdiff_t)i * k->layout.stride + k->layout.place_offset] : -1.0;
    if (value >= 0.0 && value < (double)k->place.count && value == floor(value)) {
        const double* place = k->place.number.data + k->place.offset + (ptrdiff_t)value * k->place.stride;
        at[0] = place[0];
        at[1] = 1.0 - place[1];
    }
    for (int axis = 0; axis < 2; ++axis)
        if (!place_array_push(&k->c->place, (float)at[axis])) short_memory(k->c);
}

static void add_triangle(const cutter* k, const number_array* index, int i, int j, int l) {
    int a = corner_at(k, index, i), b = corner_at(k, index, j), d = corner_at(k, index, l);
    index_array* triangle = &k->c->triangle;
    if (k->c->xml.code) return;
    if (triangle->count >= INDEX_LIMIT)
        ts_xml_fail(&k->c->xml, k->primitive, TS_ERROR_MEMORY, "more than %d corners", INDEX_LIMIT);
    else if (!index_array_push(triangle, a) || !index_array_push(triangle, k->mirrors ? d : b) ||
             !index_array_push(triangle, k->mirrors ? b : d))
        short_memory(k->c);
    add_place(k, index, i);
    add_place(k, index, k->mirrors ? l : j);
    add_place(k, index, k->mirrors ? j : l);
}

static void cut_fan(const cutter* k, const number_array* index, int first, int corners) {
    for (int i = 2; i < corners && !k->c->xml.code; ++i) add_triangle(k, index, first, first + i - 1, first + i);
}

// What a list of corners means, by the primitive's name.
static void cut_list(const cutter* k, const number_array* index) {
    int corners = index->count / k->layout.stride;
    if (is_named(k->primitive, "triangles")) {
        for (int i = 0; i + 2 < corners && !k->c->xml.code; i += 3) add_triangle(k, index, i, i + 1, i + 2);
    } else if (is_named(k->primitive, "tristrips")) {
        for (int i = 0; i + 2 < corners && !k->c->xml.code; ++i)
            add_triangle(k, index, i, i + 1 + i % 2, i + 2 - i % 2);
    } else {
        cut_fan(k, index, 0, corners);
    }
}

static void cut_polylist(const cutter* k, const number_array* index) {
    const ts_xml_node* node = child_of(k->primitive, "vcount");
    number_array size = {NULL, 0, 0};
    int corners = index->count / k->layout.stride, first = 0;
    if (!node) ts_xml_fail(&k->c->xml, k->primitive, TS_ERROR_PARSE, "polylist has no vcount");
    if (node && read_numbers(k->c, node, ARRAY_LIMIT, &size))
        for (int i = 0; i < size.count && !k->c->xml.code; ++i) {
            double sides = size.data[i];
            if (!(sides >= 0.0 && sides <= (double)(corners - first) && sides == floor(sides))) {
                ts_xml_fail(&k->c->xml, node, TS_ERROR_VALUE, "polygon %d has %g corners, but %d are left", i, sides,
                            corners - first);
                break;
            }
            cut_fan(k, index, first, (int)sides);
            first += (int)sides;
        }
    number_array_free(&size);
}

static void cut(const cutter* k) {
    for (const ts_xml_node* p = k->primitive->child; p && !k->c->xml.code; p = p->next) {
        // <ph> is a polygon with holes; its outer ring comes first.
        const ts_xml_node* list = is_named(p, "ph") ? child_of(p, "p") : is_named(p, "p") ? p : NULL;
        number_array index = {NULL, 0, 0};
        if (!list) continue;
        if (read_numbers(k->c, list, ARRAY_LIMIT, &index)) {
            if (is_named(k->primitive, "polylist"))
                cut_polylist(k, &index);
            else
                cut_list(k, &index);
        }
        number_array_free(&index);
    }
}

static int is_surface(const ts_xml_node* node) {
    static const char* const names[] = {"triangles", "polylist", "polygons", "trifans", "tristrips"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (is_named(node, names[i])) return 1;
    return 0;
}

// The source of positions behind a mesh's <vertices>.
static const ts_xml_node* positions_of(collada* c, const ts_xml_node* mesh) {
    const ts_xml_node* vertices = child_of(mesh, "vertices");
    for (const ts_xml_node* input = vertices ? vertices->child : NULL; input; input = input->next) {
        const char* semantic = ts_xml_value(input, "semantic");
        if (semantic && strcmp(semantic, "POSITION") == 0) return referred(c, input, "source", "source", "source");
    }
    ts_xml_fail(&c->xml, mesh, TS_ERROR_PARSE, "the mesh has no positions");
    return NULL;
}

static void add_geometry(collada* c, const ts_xml_node* geometry, const affine* place) {
    const ts_xml_node* mesh = child_of(geometry, "mesh");
    cutter k = {.c = c, .first = c->vertex.count, .count = -1, .mirrors = ts_mat3_determinant(place->a) < 0.0};
    for (const ts_xml_node* node = mesh ? mesh->child : NULL; node && !c->xml.code; node = node->next) {
        if (!is_surface(node) || !child_of(node, "p")) {
            if (!is_surface(node) || !child_of(node, "ph")) continue;
        }
        if (k.count < 0) {
            const ts_xml_node* source = positions_of(c, mesh);
            k.count = source ? add_positions(c, source, place) : -1;
        }
        k.primitive = node;
        if (!c->xml.code) k.layout = read_layout(c, node);
        memset(&k.place, 0, sizeof k.place);
        if (!c->xml.code && (!k.layout.places || read_points(c, k.layout.places, 2, "places on a texture", &k.place)))
            cut(&k);
        number_array_free(&k.place.number);
    }
}

// --- the scene ---

static affine identity(void) {
    affine f = {ts_mat3_identity(), ts_vec3_zero()};
    return f;
}

// Multiplies a transform of a node onto its place. Returns 0 when `node` is none.
static int add_transform(collada* c, const ts_xml_node* node, affine* place) {
    affine f = identity();
    double v[16];
    if (is_named(node, "matrix")) {
        if (!read_exactly(c, node, 16, v)) return 1;
        f.a = ts_mat3_from_rows(ts_vec3_load(v), ts_vec3_load(v + 4), ts_vec3_load(v + 8));
        f.t = ts_vec3_make(v[3], v[7], v[11]);
    } else if (is_named(node, "translate")) {
        if (read_exactly(c, node, 3, v)) f.t = ts_vec3_load(v);
    } else if (is_named(node, "scale")) {
        if (read_exactly(c, node, 3, v)) f.a = ts_mat3_diagonal(ts_vec3_load(v));
    } else if (is_named(node, "rotate")) {
        if (!read_exactly(c, node, 4, v)) return 1;
        ts_vec3 axis = ts_vec3_load(v);
        if (ts_vec3_norm(axis) > 0.0) {
            ts_quat turn = ts_quat_from_axis_angle(axis, v[3] * 0.017453292519943295);
            f.a = ts_quat_to_mat3(turn);
        }
    } else {
        if (is_named(node, "lookat") || is_named(node, "skew"))
            ts_xml_fail(&c->xml, node, TS_ERROR_UNSUPPORTED, "<%s> of a node is not read", node->name);
        return 0;
    }
    *place = affine_mul(place, &f);
    return 1;
}

static void add_node(collada* c, const ts_xml_node* node, affine place, int depth);

static void add_instance(collada* c, const ts_xml_node* node, const affine* place, int depth) {
    if (++c->instances > INSTANCE_LIMIT || depth > INSTANCE_DEPTH) {
        ts_xml_fail(&c->xml, node, TS_ERROR_MEMORY, "instances of instances without end");
        return;
    }
    if (is_named(node, "instance_geometry")) {
        const ts_xml_node* geometry = referred(c, node, "url", "geometry", "geometry");
        if (geometry) add_geometry(c, geometry, place);
    } else if (is_named(node, "instance_node")) {
        const ts_xml_node* other = referred(c, node, "url", "node", "node");
        if (other) add_node(c, other, *place, depth + 1);
    } else {
        const ts_xml_node* controller = referred(c, node, "url", "controller", "controller");
        const ts_xml_node* skin = child_of(controller, "skin");
        const ts_xml_node* geometry = skin ? referred(c, skin, "source", "geometry", "controller") : NULL;
        if (geometry) add_geometry(c, geometry, place);
    }
}

// Transforms of a node come before what they act on.
static void add_node(collada* c, const ts_xml_node* node, affine place, int depth) {
    for (const ts_xml_node* child = node->child; child && !c->xml.code; child = child->next) {
        if (++c->visits > VISIT_LIMIT)
            ts_xml_fail(&c->xml, child, TS_ERROR_MEMORY, "more than %d nodes in all instances", VISIT_LIMIT);
        if (add_transform(c, child, &place)) continue;
        if (is_named(child, "node"))
            add_node(c, child, place, depth);
        else if (is_named(child, "instance_geometry") || is_named(child, "instance_node") ||
                 is_named(child, "instance_controller"))
            add_instance(c, child, &place, depth);
    }
}

// The file's unit; its axes are only looked at.
static affine read_asset(collada* c, const ts_xml_node* root) {
    const ts_xml_node* asset = child_of(root, "asset");
    const ts_xml_node* unit = child_of(asset, "unit");
    const ts_xml_node* up = child_of(asset, "up_axis");
    const char* text = unit ? ts_xml_value(unit, "meter") : NULL;
    affine place = identity();
    double metre = 1.0;
    char why[80];
    if (text && (ts_number_list(text, &metre, 1, why, sizeof why) != 1 || !(metre > 0.0)))
        ts_xml_fail(&c->xml, unit, TS_ERROR_VALUE, "meter of unit must be a number above 0, not '%.40s'", text);
    place.a = ts_mat3_scale(metre, place.a);
    const char* axis = up ? up->text + strspn(up->text, " \t\r\n") : "Z_UP";
    if (strncmp(axis, "X_UP", 4) != 0 && strncmp(axis, "Y_UP", 4) != 0 && strncmp(axis, "Z_UP", 4) != 0)
        ts_xml_fail(&c->xml, up, TS_ERROR_VALUE, "up_axis must be X_UP, Y_UP or Z_UP, not '%.20s'", axis);
    return place;
}

static void add_all_geometries(collada* c, const ts_xml_node* root, const affine* place) {
    for (const ts_xml_node* library = root->child; library; library = library->next) {
        if (!is_named(library, "library_geometries")) continue;
        for (const ts_xml_node* geometry = library->child; geometry && !c->xml.code; geometry = geometry->next)
            if (is_named(geometry, "geometry")) add_geometry(c, geometry, place);
    }
}

static void read_document(collada* c, const ts_xml_node* root) {
    if (!is_named(root, "COLLADA")) {
        ts_xml_fail(&c->xml, root, TS_ERROR_PARSE, "the root element is <%.40s>; Collada begins with <COLLADA>",
                    root->name);
        return;
    }
    c->element = (const ts_xml_node**)calloc((size_t)count_ids(root) + 1, sizeof *c->element);
    if (!c->element) {
        short_memory(c);
        return;
    }
    list_ids(c, root);
    affine place = read_asset(c, root);
    const ts_xml_node* instance = child_of(child_of(root, "scene"), "instance_visual_scene");
    const ts_xml_node* scene = instance ? referred(c, instance, "url", "visual_scene", "visual_scene") : NULL;
    if (scene)
        add_node(c, scene, place, 0);
    else if (!c->xml.code)
        add_all_geometries(c, root, &place);
    if (!c->xml.code && c->triangle.count == 0)
        ts_xml_fail(&c->xml, root, TS_ERROR_VALUE, "there are no triangles in the scene");
}

// Leaves out vertices that no triangle uses, and hands the rest over.
static ts_code give_mesh(collada* c, const char* name, ts_mesh* out_mesh, ts_status* out_status) {
    int* place = (int*)malloc(((size_t)c->vertex.count + 1) * sizeof *place);
    if (!place) return ts_status_set(out_status, TS_ERROR_MEMORY, name, 0, "out of memory");
    for (int i = 0; i < c->vertex.count; ++i) place[i] = -1;
    for (int i = 0; i < c->triangle.count; ++i) place[c->triangle.data[i]] = 0;
    int used = 0;
    for (int i = 0; i < c->vertex.count; ++i) {
        if (place[i] < 0) continue;
        place[i] = used;
        c->vertex.data[used++] = c->vertex.data[i];
    }
    for (int i = 0; i < c->triangle.count; ++i) c->triangle.data[i] = place[c->triangle.data[i]];
    free(place);
    for (int i = 0; i < used; ++i)
        if (!ts_vec3_is_finite(c->vertex.data[i]))
            return ts_status_set(out_status, TS_ERROR_VALUE, name, 0, "a placed vertex is not finite");
    int has_places = 1;
    for (int i = 0; i < c->place.count && has_places; ++i) has_places = isfinite(c->place.data[i]);
    *out_mesh = (ts_mesh){c->vertex.data, used, c->triangle.data, c->triangle.count / 3, NULL};
    memset(&c->vertex, 0, sizeof c->vertex);
    memset(&c->triangle, 0, sizeof c->triangle);
    if (has_places) {
        out_mesh->place = c->place.data;
        memset(&c->place, 0, sizeof c->place);
    }
    return ts_status_ok(out_status);
}

ts_code ts_collada_parse(const char* text, unsigned long size, const char* name, ts_mesh* out_mesh,
                         ts_status* out_status) {
    collada c;
    memset(&c, 0, sizeof c);
    memset(out_mesh, 0, sizeof *out_mesh);
    c.xml.dialect = &dialect;
    const ts_xml_node* root = ts_xml_parse(&c.xml, text, size, name);
    if (root) read_document(&c, root);
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_code code = ts_xml_outcome(&c.xml, name, &status);
    if (!code) code = give_mesh(&c, name, out_mesh, &status);
    if (out_status) *out_status = status;
    vertex_array_free(&c.vertex);
    index_array_free(&c.triangle);
    place_array_free(&c.place);
    ts_name_table_free(&c.id);
    free(c.element);
    ts_xml_free(&c.xml);
    return code;
}

ts_code ts_collada_load(const char* path, ts_mesh* out_mesh, ts_status* out_status) {
    ts_text text = {0};
    memset(out_mesh, 0, sizeof *out_mesh);
    ts_code code = ts_xml_read_file(path, &text, out_status);
    if (!code) code = ts_collada_parse(ts_text_get(&text), text.length, path, out_mesh, out_status);
    ts_text_free(&text);
    return code;
}
