// Collecting a model piece by piece. Nothing is judged here beyond what would make later pieces meaningless (indices of
// bodies that do not exist); ts_builder_finish judges everything at once, in one place.
#include "engine/model/builder_internal.h"

#include "collision/shape/height_field.h"
#include "collision/shape/mesh_file.h"

#include <stdlib.h>
#include <string.h>

ts_body_def ts_body_def_default(void) {
    ts_body_def def;
    memset(&def, 0, sizeof def);
    def.pose = ts_pose_identity();
    def.mass = -1.0;
    return def;
}

ts_joint_def ts_joint_def_default(void) {
    ts_joint_def def;
    memset(&def, 0, sizeof def);
    def.type = TS_JOINT_HINGE;
    def.axis = ts_vec3_make(0.0, 0.0, 1.0);
    def.softness = ts_stop_softness_default();
    return def;
}

ts_geom_def ts_geom_def_default(void) {
    ts_geom_def def;
    memset(&def, 0, sizeof def);
    def.shape = ts_shape_sphere(0.1);
    def.pose = ts_pose_identity();
    def.surface = ts_surface_default();
    def.category = 1;
    def.mask = 1;
    def.density = 1000.0;
    def.mass = -1.0;
    const double coefficient[TS_FLUID_COEFFICIENTS] = {0.5, 0.25, 1.5, 1.0, 1.0};
    memcpy(def.fluid_coefficient, coefficient, sizeof coefficient);
    def.rgba[0] = def.rgba[1] = def.rgba[2] = 0.5f;
    def.rgba[3] = 1.0f;
    def.material = -1;
    return def;
}

ts_equality_def ts_equality_def_default(void) {
    ts_equality_def def;
    memset(&def, 0, sizeof def);
    def.active = 1;
    def.body[0] = def.joint[0] = def.joint[1] = def.tendon[0] = def.tendon[1] = -1;
    def.frame[0] = def.frame[1] = ts_pose_identity();
    def.aligned = 1;
    def.coefficient[1] = 1.0;
    def.softness = ts_mujoco_softness_default();
    return def;
}

ts_tendon_def ts_tendon_def_default(void) {
    ts_tendon_def def;
    memset(&def, 0, sizeof def);
    def.is.softness = ts_stop_softness_default();
    def.rest_at_springs = 1;
    return def;
}

ts_actuator_def ts_actuator_def_default(void) {
    ts_actuator_def def;
    memset(&def, 0, sizeof def);
    def.transmission = "joint";
    def.is.reference = def.is.act = -1;
    def.is.gear[0] = def.is.gain[0] = def.is.time_constant = 1.0;
    def.is.active = 1;
    return def;
}

ts_sensor_def ts_sensor_def_default(void) {
    ts_sensor_def def;
    memset(&def, 0, sizeof def);
    def.kind = "clock";
    def.is.fields = 1;
    def.is.slots = 1;
    for (int k = 0; k < 2; ++k) {
        def.is.object[k].index = def.is.object[k].body = -1;
        def.is.object[k].pose = ts_pose_identity();
    }
    return def;
}

size_t ts_builder_pool_add(ts_builder* builder, const char* text) {
    if (!text || !text[0]) return 0;
    size_t offset = builder->pool.length;
    ts_text_add_bytes(&builder->pool, text, strlen(text) + 1);
    return builder->pool.failed ? 0 : offset;
}

// Most definitions come from the same file as the one before; its name is kept once.
ts_builder_label ts_builder_make_label(ts_builder* builder, const char* name, const char* file, int line) {
    ts_builder_label label = {ts_builder_pool_add(builder, name), 0, line};
    if (file && file[0]) {
        if (builder->last_file == 0 || strcmp(ts_builder_string(builder, builder->last_file), file) != 0)
            builder->last_file = ts_builder_pool_add(builder, file);
        label.file = builder->last_file;
    }
    return label;
}

ts_builder* ts_builder_create(const char* name) {
    ts_builder* builder = (ts_builder*)calloc(1, sizeof *builder);
    if (!builder) return NULL;
    builder->options = ts_options_default();
    builder->initial_key = -1;
    ts_text_add_bytes(&builder->pool, "", 1);
    builder->name = ts_builder_pool_add(builder, name);

    ts_builder_body world;
    memset(&world, 0, sizeof world);
    world.def = ts_body_def_default();
    world.def.parent = -1;
    world.def.mass = 0.0;
    world.free_joint = -1;
    world.label = ts_builder_make_label(builder, "world", NULL, 0);
    if (builder->pool.failed || !ts_builder_body_array_push(&builder->body, world)) {
        ts_builder_free(builder);
        return NULL;
    }
    return builder;
}

void ts_builder_free(ts_builder* builder) {
    if (!builder) return;
    for (int i = 0; i < builder->hull.count; ++i) {
        ts_hull_free(builder->hull.data[i]);
        ts_mesh_free(builder->hull_source.data[i].mesh);
        free(builder->hull_source.data[i].mesh);
    }
    for (int i = 0; i < builder->height_field.count; ++i) ts_height_field_free(builder->height_field.data[i]);
    ts_text_free(&builder->pool);
    ts_text_free(&builder->source);
    ts_builder_body_array_free(&builder->body);
    ts_builder_joint_array_free(&builder->joint);
    ts_builder_geom_array_free(&builder->geom);
    ts_builder_site_array_free(&builder->site);
    ts_builder_camera_array_free(&builder->camera);
    ts_builder_texture_array_free(&builder->texture);
    ts_builder_material_array_free(&builder->material);
    ts_builder_equality_array_free(&builder->equality);
    ts_builder_tendon_array_free(&builder->tendon);
    ts_builder_part_array_free(&builder->part);
    ts_builder_actuator_array_free(&builder->actuator);
    ts_builder_sensor_array_free(&builder->sensor);
    ts_builder_key_array_free(&builder->key);
    ts_builder_hull_array_free(&builder->hull);
    ts_builder_hull_source_array_free(&builder->hull_source);
    ts_builder_height_field_array_free(&builder->height_field);
    ts_builder_exclusion_array_free(&builder->exclusion);
    ts_builder_pair_array_free(&builder->pair);
    ts_builder_number_array_free(&builder->number);
    free(builder);
}

ts_options* ts_builder_options(ts_builder* builder) { return &builder->options; }

static int body_exists(const ts_builder* builder, int body) { return body >= 0 && body < builder->body.count; }

// Remembered like a name that found no room, so that ts_builder_finish knows.
static int short_memory(ts_builder* builder) {
    builder->pool.failed = 1;
    return -1;
}

// Whether the body exists that something is to be added to. Whoever overlooks that an add failed shall not get a world
// that lacks something: the first such body is remembered, and ts_builder_finish refuses.
static int body_is_there(ts_builder* builder, const char* what, int body) {
    if (body_exists(builder, body)) return 1;
    if (!builder->homeless) {
        builder->homeless = what;
        builder->homeless_body = body;
    }
    return 0;
}

int ts_builder_add_body(ts_builder* builder, const ts_body_def* def) {
    if (!body_is_there(builder, "body", def->parent)) return -1;
    ts_builder_body entry;
    memset(&entry, 0, sizeof entry);
    entry.def = *def;
    entry.free_joint = -1;
    entry.label = ts_builder_make_label(builder, def->name, def->file, def->line);
    if (builder->pool.failed || !ts_builder_body_array_push(&builder->body, entry)) return short_memory(builder);
    return builder->body.count - 1;
}

int ts_builder_add_joint(ts_builder* builder, const ts_joint_def* def) {
    if (!body_is_there(builder, "joint", def->body)) return -1;
    ts_builder_joint entry = {*def, ts_builder_make_label(builder, def->name, def->file, def->line), -1};
    if (builder->pool.failed || !ts_builder_joint_array_push(&builder->joint, entry)) return short_memory(builder);
    if (def->type == TS_JOINT_FREE) builder->body.data[def->body].free_joint = builder->joint.count - 1;
    return builder->joint.count - 1;
}

int ts_builder_add_geom(ts_builder* builder, const ts_geom_def* def) {
    if (!body_is_there(builder, "geom", def->body)) return -1;
    ts_builder_geom entry;
    memset(&entry, 0, sizeof entry);
    entry.def = *def;
    entry.label = ts_builder_make_label(builder, def->name, def->file, def->line);
    if (builder->pool.failed || !ts_builder_geom_array_push(&builder->geom, entry)) return short_memory(builder);
    return builder->geom.count - 1;
}

int ts_builder_add_site(ts_builder* builder, const char* name, int body, ts_pose pose, ts_shape shape, const char* file,
                        int line) {
    if (!body_is_there(builder, "site", body)) return -1;
    ts_builder_site entry = {ts_builder_make_label(builder, name, file, line), body, pose, shape};
    if (builder->pool.failed || !ts_builder_site_array_push(&builder->site, entry)) return short_memory(builder);
    return builder->site.count - 1;
}

const char* const ts_builder_camera_modes[TS_MODEL_CAMERA_MODE_COUNT] = {"fixed", "track", "trackcom", "targetbody",
                                                                         "targetbodycom"};

int ts_builder_add_camera(ts_builder* builder, const ts_model_camera* camera, const char* file, int line) {
    if (!body_is_there(builder, "camera", camera->body)) return -1;
    ts_builder_camera entry = {*camera, ts_builder_make_label(builder, camera->name, file, line)};
    if (builder->pool.failed || !ts_builder_camera_array_push(&builder->camera, entry)) return short_memory(builder);
    return builder->camera.count - 1;
}

int ts_builder_add_equality(ts_builder* builder, const ts_equality_def* def) {
    ts_builder_equality entry = {*def, ts_builder_make_label(builder, def->name, def->file, def->line), 0};
    entry.kind = ts_builder_pool_add(builder, def->kind);
    if (builder->pool.failed || !ts_builder_equality_array_push(&builder->equality, entry))
        return short_memory(builder);
    return builder->equality.count - 1;
}

int ts_builder_add_tendon(ts_builder* builder, const ts_tendon_def* def) {
    ts_builder_tendon entry = {*def, ts_builder_make_label(builder, def->is.name, def->file, def->line),
                               builder->part.count, 0};
    for (int i = 0; i < def->part_count; ++i)
        if (!ts_builder_part_array_push(&builder->part, def->part[i])) return short_memory(builder);
    if (builder->pool.failed || !ts_builder_tendon_array_push(&builder->tendon, entry)) return short_memory(builder);
    return builder->tendon.count - 1;
}

int ts_builder_add_actuator(ts_builder* builder, const ts_actuator_def* def) {
    ts_builder_actuator entry = {*def, ts_builder_make_label(builder, def->is.name, def->file, def->line), 0};
    entry.transmission = ts_builder_pool_add(builder, def->transmission);
    if (builder->pool.failed || !ts_builder_actuator_array_push(&builder->actuator, entry))
        return short_memory(builder);
    return builder->actuator.count - 1;
}

int ts_builder_add_sensor(ts_builder* builder, const ts_sensor_def* def) {
    ts_builder_sensor entry = {*def, ts_builder_make_label(builder, def->is.name, def->file, def->line), 0};
    entry.kind = ts_builder_pool_add(builder, def->kind);
    if (builder->pool.failed || !ts_builder_sensor_array_push(&builder->sensor, entry)) return short_memory(builder);
    return builder->sensor.count - 1;
}

ts_mesh_placing ts_mesh_placing_none(void) {
    return (ts_mesh_placing){ts_vec3_zero(), ts_quat_identity(), ts_vec3_make(1.0, 1.0, 1.0)};
}

int ts_builder_add_hull(ts_builder* builder, ts_hull* hull) {
    ts_builder_hull_source source = {0, ts_mesh_placing_none(), NULL};
    if (!ts_builder_hull_source_array_push(&builder->hull_source, source)) return 0;
    if (ts_builder_hull_array_push(&builder->hull, hull)) return 1;
    --builder->hull_source.count;
    return 0;
}

int ts_builder_add_height_field(ts_builder* builder, ts_height_field* field) {
    return ts_builder_height_field_array_push(&builder->height_field, field);
}

int ts_builder_set_hull_source(ts_builder* builder, const char* file, const ts_mesh_placing* placing) {
    ts_builder_hull_source* last = &builder->hull_source.data[builder->hull_source.count - 1];
    last->file = ts_builder_pool_add(builder, file);
    last->placing = *placing;
    return !builder->pool.failed;
}

int ts_builder_keep_mesh(ts_builder* builder, ts_mesh* mesh) {
    ts_mesh* kept = (ts_mesh*)malloc(sizeof *kept);
    if (!kept) return 0;
    *kept = *mesh;
    memset(mesh, 0, sizeof *mesh);
    builder->hull_source.data[builder->hull_source.count - 1].mesh = kept;
    return 1;
}

int ts_builder_add_pair(ts_builder* builder, int geom_a, int geom_b, const ts_surface* surface) {
    int least = geom_a < geom_b ? geom_a : geom_b, most = geom_a < geom_b ? geom_b : geom_a;
    if (least < 0 || most >= builder->geom.count || least == most || ts_surface_fault(surface)) return 0;
    return ts_builder_pair_array_push(&builder->pair, (ts_contact_pair){geom_a, geom_b, *surface});
}

int ts_builder_exclude(ts_builder* builder, int body_a, int body_b) {
    if (!body_is_there(builder, "exclusion", body_a) || !body_is_there(builder, "exclusion", body_b)) return 0;
    ts_exclusion pair = {body_a < body_b ? body_a : body_b, body_a < body_b ? body_b : body_a};
    return ts_builder_exclusion_array_push(&builder->exclusion, pair);
}

int ts_builder_set_free_velocity(ts_builder* builder, int body, ts_vec3 linear, ts_vec3 angular) {
    if (!body_exists(builder, body) || builder->body.data[body].free_joint < 0) return 0;
    builder->body.data[body].free_linear = linear;
    builder->body.data[body].free_angular = angular;
    return 1;
}

// Copies numbers behind the others; NULL gives count -1, "initial values".
static int add_numbers(ts_builder* builder, const double* values, int count, ts_builder_numbers* out_numbers) {
    int first = builder->number.count;
    *out_numbers = (ts_builder_numbers){first, -1};
    if (!values) return 1;
    if (count < 0 || !ts_builder_number_array_resize(&builder->number, first + count)) return 0;
    if (count > 0) memcpy(builder->number.data + first, values, (size_t)count * sizeof *values);
    out_numbers->count = count;
    return 1;
}

int ts_builder_add_keyframe(ts_builder* builder, const ts_keyframe_def* def) {
    ts_builder_key key;
    memset(&key, 0, sizeof key);
    key.label = ts_builder_make_label(builder, def->name, def->file, def->line);
    key.time = def->time;
    if (builder->pool.failed || !add_numbers(builder, def->qpos, def->qpos_count, &key.qpos) ||
        !add_numbers(builder, def->qvel, def->qvel_count, &key.qvel) ||
        !add_numbers(builder, def->ctrl, def->ctrl_count, &key.ctrl) ||
        !add_numbers(builder, def->act, def->act_count, &key.act) ||
        !add_numbers(builder, def->mocap_position, def->mocap_position_count, &key.mocap_position) ||
        !add_numbers(builder, def->mocap_rotation, def->mocap_rotation_count, &key.mocap_rotation) ||
        !ts_builder_key_array_push(&builder->key, key))
        return 0;
    if (def->is_initial) builder->initial_key = builder->key.count - 1;
    return 1;
}

int ts_builder_set_source(ts_builder* builder, const char* text) {
    ts_text_free(&builder->source);
    ts_text_add_bytes(&builder->source, text, strlen(text));
    return !builder->source.failed;
}
