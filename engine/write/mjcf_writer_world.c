// <asset> and <worldbody>: hulls, bodies, joints, geoms, sites and cameras.
#include "engine/write/mjcf_writer_internal.h"

#include "base/scalar.h"
#include "collision/shape/height_field.h"
#include "collision/shape/mesh_file.h"
#include "engine/model/builder_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- meshes ---

static void mesh_name(int hull, char out_name[32]) { snprintf(out_name, 32, "mesh %d", hull); }

// Whether ts_mesh_load, and MuJoCo, read files of this kind.
static int is_plain_mesh(const char* file) {
    const char* dot = strrchr(file, '.');
    return dot && strlen(dot) == 4 && (strspn(dot, ".oObBjJ") == 4 || strspn(dot, ".sStTlL") == 4);
}

// The way from one real folder to a real file, appended.
static void add_way(ts_text* text, const char* folder, const char* file) {
    size_t common = 0;
    for (size_t i = 0; folder[i] == file[i] && folder[i]; ++i)
        if (folder[i] == '/') common = i;
    size_t length = strlen(folder);
    // The folder itself may be the last one in common.
    if (length > 1 && strncmp(folder, file, length) == 0 && file[length] == '/') common = length;
    for (const char* c = folder + common; *c; ++c)
        if (*c == '/' && c[1]) ts_text_add(text, "../");
    ts_text_add_bytes(text, file + common + 1, strlen(file + common + 1));
}

int ts_mjcf_writer_file(ts_mjcf_writer* w, const char* attribute, const char* file) {
    char* folder = w->folder ? realpath(w->folder[0] ? w->folder : ".", NULL) : NULL;
    char* real = file[0] ? realpath(file, NULL) : NULL;
    ts_text way = {0};
    if (real && folder) add_way(&way, folder, real);
    if (real) ts_mjcf_writer_string(w, attribute, folder ? ts_text_get(&way) : real);
    int written = real != NULL;
    ts_text_free(&way);
    free(folder);
    free(real);
    return written;
}

// file="..." of a hull, when there is a file that can be named. Returns 0 when there is none.
static int write_file(ts_mjcf_writer* w, const ts_hull_source* source) {
    if (!w->folder || !source->file[0] || !is_plain_mesh(source->file)) return 0;
    if (!ts_mjcf_writer_file(w, "file", source->file)) return 0;
    double position[3], rotation[4], scale[3];
    ts_vec3_store(source->placing.position, position);
    ts_quat_store(source->placing.rotation, rotation);
    ts_vec3_store(source->placing.scale, scale);
    if (ts_vec3_norm(source->placing.position) != 0.0) ts_mjcf_writer_numbers(w, "refpos", position, 3);
    if (rotation[0] != 1.0) ts_mjcf_writer_numbers(w, "refquat", rotation, 4);
    if (scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0) ts_mjcf_writer_numbers(w, "scale", scale, 3);
    return 1;
}

static void write_vertices(ts_mjcf_writer* w, const ts_vec3* vertex, int count) {
    double* corner = (double*)malloc(((size_t)count + 1) * 3 * sizeof *corner);
    for (int v = 0; corner && v < count; ++v) ts_vec3_store(vertex[v], corner + 3 * v);
    if (corner)
        ts_mjcf_writer_numbers(w, "vertex", corner, 3 * count);
    else
        w->text->failed = 1;
    free(corner);
}

// Of a mesh that a model file had itself: its places are of vertices.
static void write_mesh(ts_mjcf_writer* w, const ts_mesh* mesh) {
    double* place = (double*)calloc((size_t)mesh->vertex_count + 1, 2 * sizeof *place);
    write_vertices(w, mesh->vertex, mesh->vertex_count);
    ts_text_add(w->text, " face=\"");
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        int vertex = mesh->triangle[i];
        ts_text_add(w->text, i ? " %d" : "%d", vertex);
        for (int k = 0; place && mesh->place && k < 2; ++k) place[2 * vertex + k] = (double)mesh->place[2 * i + k];
    }
    ts_text_add(w->text, "\"");
    if (mesh->place && place) ts_mjcf_writer_numbers(w, "texcoord", place, 2 * mesh->vertex_count);
    if (!place) w->text->failed = 1;
    free(place);
}

// --- height fields ---

void ts_mjcf_writer_field_name(int field, char out_name[32]) { snprintf(out_name, 32, "field %d", field); }

int ts_mjcf_writer_is_plain_field(const ts_height_field* field, double* out_most) {
    double low = field->height[0], most = 0.0;
    int count = field->rows * field->columns;
    for (int i = 0; i < count; ++i) {
        low = fmin(low, field->height[i]);
        most = fmax(most, field->height[i]);
    }
    *out_most = most > 0.0 ? most : 1.0;
    for (int i = 0; i < count && low == 0.0; ++i)
        if (*out_most * (double)(float)(field->height[i] / *out_most) != field->height[i]) return 0;
    return low == 0.0;
}

static void write_height_field(ts_mjcf_writer* w, int index) {
    const ts_height_field* field = w->model->ground[index];
    char name[32];
    double most;
    int plain = ts_mjcf_writer_is_plain_field(field, &most);
    const double size[4] = {field->box_max.x, field->box_max.y, most, -field->floor};
    ts_mjcf_writer_field_name(index, name);
    ts_mjcf_writer_open(w, "hfield");
    ts_mjcf_writer_string(w, "name", name);
    ts_mjcf_writer_whole(w, "nrow", field->rows);
    ts_mjcf_writer_whole(w, "ncol", field->columns);
    ts_mjcf_writer_numbers(w, "size", size, 4);
    if (!(field->floor < 0.0)) ts_mjcf_writer_refuse(w, "MJCF has no height fields with a floor above zero");
    ts_text_add(w->text, " elevation=\"");
    for (int row = field->rows - 1; row >= 0; --row)
        for (int column = 0; column < field->columns; ++column) {
            double height = field->height[row * field->columns + column];
            if (column || row != field->rows - 1) ts_text_add(w->text, " ");
            // Nine digits give a float back.
            if (plain)
                ts_text_add(w->text, "%.9g", (double)(float)(height / most));
            else
                ts_text_add_number(w->text, height);
        }
    ts_text_add(w->text, "\"");
    ts_mjcf_writer_end(w);
}

void ts_mjcf_writer_assets(ts_mjcf_writer* w) {
    const ts_model* m = w->model;
    if (m->hull_count == 0 && m->ground_count == 0 && m->texture_count == 0 && m->material_count == 0) return;
    ts_mjcf_writer_open(w, "asset");
    ts_mjcf_writer_inside(w);
    for (int i = 0; i < m->hull_count; ++i) {
        char name[32];
        mesh_name(i, name);
        ts_mjcf_writer_open(w, "mesh");
        ts_mjcf_writer_string(w, "name", name);
        if (m->hull_source[i].mesh)
            write_mesh(w, m->hull_source[i].mesh);
        else if (!write_file(w, &m->hull_source[i]))
            write_vertices(w, m->hull[i]->vertex, m->hull[i]->vertex_count);
        ts_mjcf_writer_end(w);
    }
    for (int i = 0; i < m->ground_count; ++i) write_height_field(w, i);
    ts_mjcf_writer_looks(w);
    ts_mjcf_writer_close(w, "asset");
}

// --- bodies ---

// Whether the box that a medium presses on has other axes than readers would find from the inertia: equal moments leave a choice.
static int needs_axes(const ts_mjcf_writer* w, const ts_body* body) {
    const ts_options* o = &w->model->options;
    if ((o->density == 0.0 && o->viscosity == 0.0) || body->fluid_count != 1) return 0;
    const ts_fluid_shape* shape = &w->model->fluid[body->fluid_first];
    ts_mat3 own = ts_quat_to_mat3(shape->pose.rotation);
    ts_mat3 found = ts_quat_to_mat3(ts_builder_principal_axes(&body->inertia));
    ts_mat3 between = ts_mat3_transposed_mul(own, found);
    for (int i = 0; i < 9 && shape->is_box; ++i) {
        double entry = fabs(between.m[i / 3][i % 3]);
        if (entry > 1e-9 && entry < 1.0 - 1e-9) return 1;
    }
    return 0;
}

// The same inertia by its moments along the axes that count.
static void write_moments(ts_mjcf_writer* w, const ts_body* body) {
    double quat[4], moment[3];
    ts_quat axes = w->model->fluid[body->fluid_first].pose.rotation;
    ts_mat3 turned = ts_mat3_rotate_tensor(ts_quat_to_mat3(ts_quat_conjugate(axes)), body->inertia);
    for (int i = 0; i < 3; ++i) moment[i] = turned.m[i][i];
    ts_quat_store(axes, quat);
    ts_mjcf_writer_numbers(w, "quat", quat, 4);
    ts_mjcf_writer_numbers(w, "diaginertia", moment, 3);
    ts_mjcf_writer_end(w);
}

static void write_inertial(ts_mjcf_writer* w, const ts_body* body) {
    const double(*I)[3] = body->inertia.m;
    double centre[3], full[] = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    ts_vec3_store(body->centre, centre);
    ts_mjcf_writer_open(w, "inertial");
    ts_mjcf_writer_numbers(w, "pos", centre, 3);
    ts_mjcf_writer_numbers(w, "mass", &body->mass, 1);
    if (needs_axes(w, body)) {
        write_moments(w, body);
        return;
    }
    // Where the body's axes are principal ones the shorter word does, which MuJoCo takes for what has no inertia, too.
    int is_diagonal = full[3] == 0.0 && full[4] == 0.0 && full[5] == 0.0;
    int is_positive = full[0] >= 0.0 && full[1] >= 0.0 && full[2] >= 0.0;
    ts_mjcf_writer_numbers(w, is_diagonal && is_positive ? "diaginertia" : "fullinertia", full,
                           is_diagonal && is_positive ? 3 : 6);
    ts_mjcf_writer_end(w);
}

static void write_number(ts_mjcf_writer* w, const char* name, double value, double usual) {
    if (value != usual) ts_mjcf_writer_numbers(w, name, &value, 1);
}

void ts_mjcf_writer_coefficients(ts_mjcf_writer* w, const char* name, double linear, const double* curve) {
    const double number[] = {linear, curve[0], curve[1]};
    int curved = curve[0] != 0.0 || curve[1] != 0.0;
    if (linear != 0.0 || curved) ts_mjcf_writer_numbers(w, name, number, curved ? 3 : 1);
}

static void write_joint(ts_mjcf_writer* w, int index) {
    const ts_joint* joint = &w->model->joint[index];
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    double anchor[3], axis[3];
    ts_mjcf_writer_open(w, "joint");
    ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_JOINT, index);
    ts_mjcf_writer_string(w, "type", ts_joint_type_name(joint->type));
    ts_vec3_store(joint->anchor, anchor);
    ts_vec3_store(joint->axis, axis);
    if (!traits->floats && ts_vec3_norm(joint->anchor) != 0.0) ts_mjcf_writer_numbers(w, "pos", anchor, 3);
    if (traits->has_axis) ts_mjcf_writer_numbers(w, "axis", axis, 3);
    if (joint->limited) {
        ts_mjcf_writer_string(w, "limited", "true");
        ts_mjcf_writer_numbers(w, "range", joint->range, 2);
    }
    write_number(w, "ref", joint->reference, 0.0);
    ts_mjcf_writer_coefficients(w, "stiffness", joint->spring, joint->curve.spring);
    write_number(w, "springref", joint->spring_rest, 0.0);
    ts_mjcf_writer_coefficients(w, "damping", joint->damping, joint->curve.damping);
    write_number(w, "armature", joint->armature, 0.0);
    write_number(w, "frictionloss", joint->friction, 0.0);
    ts_mjcf_writer_stop_softness(w, &joint->softness);
    ts_mjcf_writer_limits(w, "actuatorfrc", &joint->actuation);
    ts_mjcf_writer_end(w);
}

static const double endless[2] = {0.0, 0.0};

// Planes have no end here, and so they are written; only a texture that is stretched over one needs to know how far it went.
static int stretches(const ts_model* model, const ts_geom* geom) {
    if (geom->material < 0 || model->material[geom->material].uniform) return 0;
    return model->material[geom->material].texture >= 0;
}

// `half` is how far a plane goes; 0 and 0: without end.
static void write_shape(ts_mjcf_writer* w, const ts_shape* shape, const double half[2]) {
    const ts_shape_kind_info* info = ts_shape_kind_info_of(shape->kind);
    double size[TS_SHAPE_PARAMETERS_MOST];
    char name[32];
    if (shape->kind == TS_SHAPE_PLANE) {
        const double of_plane[] = {half[0], half[1], 1.0};
        ts_mjcf_writer_string(w, "type", "plane");
        ts_mjcf_writer_numbers(w, "size", of_plane, 3);
    } else if (shape->kind == TS_SHAPE_HULL) {
        int hull = 0;
        while (hull < w->model->hull_count && w->model->hull[hull] != shape->hull) ++hull;
        mesh_name(hull, name);
        ts_mjcf_writer_string(w, "type", "mesh");
        ts_mjcf_writer_string(w, "mesh", name);
        if (shape->radius != 0.0) ts_mjcf_writer_refuse(w, "MJCF has no rounded meshes");
    } else if (shape->kind == TS_SHAPE_HEIGHT_FIELD) {
        int field = 0;
        while (field < w->model->ground_count && w->model->ground[field] != shape->height_field) ++field;
        ts_mjcf_writer_field_name(field, name);
        ts_mjcf_writer_string(w, "type", "hfield");
        ts_mjcf_writer_string(w, "hfield", name);
    } else if (info->made_of) {
        ts_mjcf_writer_refuse(w, "a geom is a %s, which this writer cannot say in MJCF", info->name);
    } else {
        for (int i = 0; i < info->parameter_count; ++i) size[i] = ts_shape_value(shape, i);
        ts_shape same = ts_shape_make(shape->kind, size);
        if (same.radius != shape->radius) ts_mjcf_writer_refuse(w, "MJCF has no rounded %s", info->name);
        ts_mjcf_writer_string(w, "type", info->name);
        ts_mjcf_writer_numbers(w, "size", size, info->parameter_count);
    }
}

void ts_mjcf_writer_softness(ts_mjcf_writer* w, const char* of, const ts_mujoco_softness* softness) {
    const ts_mujoco_softness usual = ts_mujoco_softness_default();
    char solref[32], solimp[32];
    snprintf(solref, sizeof solref, "solref%s", of);
    snprintf(solimp, sizeof solimp, "solimp%s", of);
    if (memcmp(softness->solref, usual.solref, sizeof usual.solref) != 0)
        ts_mjcf_writer_numbers(w, solref, softness->solref, 2);
    if (memcmp(softness->solimp, usual.solimp, sizeof usual.solimp) != 0)
        ts_mjcf_writer_numbers(w, solimp, softness->solimp, 5);
}

void ts_mjcf_writer_stop_softness(ts_mjcf_writer* w, const ts_stop_softness* softness) {
    ts_mjcf_writer_softness(w, "limit", &softness->limit);
    ts_mjcf_writer_softness(w, "friction", &softness->friction);
    if (softness->margin != 0.0) ts_mjcf_writer_numbers(w, "margin", &softness->margin, 1);
}

void ts_mjcf_writer_margins(ts_mjcf_writer* w, const ts_surface* surface) {
    if (surface->margin != 0.0) ts_mjcf_writer_numbers(w, "margin", &surface->margin, 1);
    if (surface->adhesion != 0.0) ts_mjcf_writer_numbers(w, "adhesion", &surface->adhesion, 1);
    if (surface->gap != 0.0) ts_mjcf_writer_numbers(w, "gap", &surface->gap, 1);
}

static void write_surface(ts_mjcf_writer* w, const ts_surface* s) {
    const ts_surface usual = ts_surface_default();
    const double friction[] = {s->friction, s->friction_spin, s->friction_roll};
    if (s->friction != usual.friction || s->friction_spin != usual.friction_spin ||
        s->friction_roll != usual.friction_roll)
        ts_mjcf_writer_numbers(w, "friction", friction, 3);
    if (s->dimension != usual.dimension) ts_mjcf_writer_whole(w, "condim", s->dimension);
    if (s->priority != usual.priority) ts_mjcf_writer_whole(w, "priority", s->priority);
    ts_mjcf_writer_softness(w, "", &s->softness);
    ts_mjcf_writer_margins(w, s);
    write_number(w, "solmix", s->solmix, usual.solmix);
    if (memcmp(s->motion, usual.motion, sizeof s->motion) != 0) ts_mjcf_writer_numbers(w, "surfacevel", s->motion, 6);
}

// fluidshape and fluidcoef of a geom that has an ellipsoid.
static void write_fluid(ts_mjcf_writer* w, const ts_geom* geom) {
    const ts_body* body = &w->model->body[geom->body];
    for (int i = body->fluid_first; i < body->fluid_first + body->fluid_count; ++i) {
        const ts_fluid_shape* shape = &w->model->fluid[i];
        if (shape->is_box || &w->model->geom[shape->geom] != geom) continue;
        ts_mjcf_writer_string(w, "fluidshape", "ellipsoid");
        ts_mjcf_writer_numbers(w, "fluidcoef", shape->coefficient, TS_FLUID_COEFFICIENTS);
    }
}

static void write_geom(ts_mjcf_writer* w, const ts_geom* geom) {
    char rgba[80];
    // Nine digits give a float back.
    snprintf(rgba, sizeof rgba, "%.9g %.9g %.9g %.9g", (double)geom->rgba[0], (double)geom->rgba[1],
             (double)geom->rgba[2], (double)geom->rgba[3]);
    ts_mjcf_writer_open(w, "geom");
    ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_GEOM, (int)(geom - w->model->geom));
    write_shape(w, &geom->shape, stretches(w->model, geom) ? geom->plane_half : endless);
    ts_mjcf_writer_pose(w, geom->pose);
    if (geom->category != 1) ts_mjcf_writer_whole(w, "contype", (int)geom->category);
    if (geom->mask != 1) ts_mjcf_writer_whole(w, "conaffinity", (int)geom->mask);
    if (geom->group != 0) ts_mjcf_writer_whole(w, "group", geom->group);
    write_surface(w, &geom->surface);
    write_fluid(w, geom);
    ts_mjcf_writer_string(w, "rgba", rgba);
    if (geom->material >= 0) {
        char name[32];
        ts_mjcf_writer_material_name(geom->material, name);
        ts_mjcf_writer_string(w, "material", name);
    }
    ts_mjcf_writer_end(w);
}

static void write_sites(ts_mjcf_writer* w, int body) {
    const ts_model* m = w->model;
    for (int i = 0; i < m->site_count; ++i) {
        if (m->site[i].body != body) continue;
        ts_mjcf_writer_open(w, "site");
        ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_SITE, i);
        ts_mjcf_writer_pose(w, m->site[i].pose);
        write_shape(w, &m->site[i].shape, endless);
        ts_mjcf_writer_end(w);
    }
    for (int i = 0; i < m->equality_count; ++i)
        for (int k = 0; k < 2; ++k) {
            if (m->equality[i].body[k] != body || ts_mjcf_writer_is_aligned(m, &m->equality[i])) continue;
            ts_mjcf_writer_open(w, "site");
            ts_mjcf_writer_equality_site(w, "name", i, k);
            ts_mjcf_writer_pose(w, m->equality[i].frame[k]);
            ts_mjcf_writer_end(w);
        }
    for (int i = 0; i < m->sensor_count; ++i)
        for (int k = 0; k < 2; ++k) {
            if (m->sensor[i].object[k].body != body || !ts_mjcf_writer_has_sensor_site(&m->sensor[i], k)) continue;
            ts_mjcf_writer_open(w, "site");
            ts_mjcf_writer_sensor_site(w, "name", i, k);
            ts_mjcf_writer_pose(w, m->sensor[i].object[k].pose);
            ts_mjcf_writer_end(w);
        }
}

static void write_cameras(ts_mjcf_writer* w, int body) {
    const ts_model* m = w->model;
    for (int i = 0; i < m->camera_count; ++i) {
        const ts_model_camera* camera = &m->camera[i];
        if (camera->body != body) continue;
        double degrees = camera->field_of_view * 180.0 / TS_PI;
        ts_mjcf_writer_open(w, "camera");
        if (camera->name[0]) ts_mjcf_writer_string(w, "name", camera->name);
        ts_mjcf_writer_pose(w, camera->pose);
        if (camera->mode != TS_MODEL_CAMERA_FIXED)
            ts_mjcf_writer_string(w, "mode", ts_builder_camera_modes[camera->mode]);
        if (camera->target >= 0) ts_mjcf_writer_name(w, "target", TS_MJCF_NAMED_BODY, camera->target);
        ts_mjcf_writer_numbers(w, "fovy", &degrees, 1);
        ts_mjcf_writer_end(w);
    }
}

static void write_contents(ts_mjcf_writer* w, int index) {
    const ts_body* body = &w->model->body[index];
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) write_joint(w, j);
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) write_geom(w, &w->model->geom[g]);
    write_sites(w, index);
    write_cameras(w, index);
}

// Bodies must come depth-first, as readers add them: then the file has their order, and with it that of all numbers.
void ts_mjcf_writer_world(ts_mjcf_writer* w) {
    const ts_model* m = w->model;
    ts_mjcf_writer_open(w, "worldbody");
    ts_mjcf_writer_inside(w);
    write_contents(w, 0);
    int open = 0;
    for (int i = 1; i < m->body_count && !w->code; ++i) {
        const ts_body* body = &m->body[i];
        for (; open > 0 && open != body->parent; open = m->body[open].parent) ts_mjcf_writer_close(w, "body");
        if (open != body->parent) {
            ts_mjcf_writer_refuse(w, "body '%.80s' does not follow its parent and what hangs on that", body->name);
            return;
        }
        ts_mjcf_writer_open(w, "body");
        ts_mjcf_writer_name(w, "name", TS_MJCF_NAMED_BODY, i);
        ts_mjcf_writer_pose(w, body->pose);
        write_number(w, "gravcomp", body->buoyancy, 0.0);
        if (body->mocap >= 0) ts_mjcf_writer_string(w, "mocap", "true");
        if (body->stays_awake) ts_mjcf_writer_string(w, "sleep", "never");
        ts_mjcf_writer_inside(w);
        write_inertial(w, body);
        write_contents(w, i);
        open = i;
    }
    for (; open > 0; open = m->body[open].parent) ts_mjcf_writer_close(w, "body");
    ts_mjcf_writer_close(w, "worldbody");
}
