// The constant model: looking things up in it, and letting it go.
#include "engine/model/model.h"

#include "base/arena.h"
#include "collision/shape/height_field.h"
#include "collision/shape/mesh_file.h"
#include "engine/actuation/transmission_internal.h"

#include <stdlib.h>
#include <string.h>

void ts_model_free(ts_model* model) {
    if (!model) return;
    for (int i = 0; i < model->hull_count; ++i) {
        ts_hull_free(model->hull[i]);
        ts_mesh_free(model->hull_source[i].mesh);
        free(model->hull_source[i].mesh);
    }
    for (int i = 0; i < model->ground_count; ++i) ts_height_field_free(model->ground[i]);
    ts_arena* storage = (ts_arena*)model->storage;
    if (storage) ts_arena_free(storage);
    free(storage);
    free(model);
}

// The index of the name among `count` structs of `stride` bytes that begin with theirs, or -1.
static int find(const void* first, size_t stride, int count, const char* name) {
    for (int i = 0; i < count; ++i) {
        const char* own;
        memcpy(&own, (const char*)first + (size_t)i * stride, sizeof own);
        if (strcmp(own, name) == 0) return i;
    }
    return -1;
}

int ts_model_find_body(const ts_model* model, const char* name) {
    return find(model->body, sizeof *model->body, model->body_count, name);
}

int ts_model_find_joint(const ts_model* model, const char* name) {
    return find(model->joint, sizeof *model->joint, model->joint_count, name);
}

int ts_model_find_geom(const ts_model* model, const char* name) {
    return find(model->geom, sizeof *model->geom, model->geom_count, name);
}

int ts_model_find_site(const ts_model* model, const char* name) {
    return find(model->site, sizeof *model->site, model->site_count, name);
}
int ts_model_find_camera(const ts_model* model, const char* name) {
    return find(model->camera, sizeof *model->camera, model->camera_count, name);
}

int ts_model_find_keyframe(const ts_model* model, const char* name) {
    return find(model->keyframe, sizeof *model->keyframe, model->keyframe_count, name);
}

int ts_model_find_tendon(const ts_model* model, const char* name) {
    return find(model->tendon, sizeof *model->tendon, model->tendon_count, name);
}

int ts_model_find_actuator(const ts_model* model, const char* name) {
    return find(model->actuator, sizeof *model->actuator, model->actuator_count, name);
}

int ts_model_find_sensor(const ts_model* model, const char* name) {
    return find(model->sensor, sizeof *model->sensor, model->sensor_count, name);
}

const char* ts_actuator_target_name(const ts_model* model, const ts_actuator* actuator) {
    switch (ts_transmission_at(actuator->transmission)->target) {
    case TS_TARGET_JOINT: return model->joint[actuator->target].name;
    case TS_TARGET_TENDON: return model->tendon[actuator->target].name;
    case TS_TARGET_SITE: return model->site[actuator->target].name;
    case TS_TARGET_BODY: return model->body[actuator->target].name;
    }
    return "";
}

const char* ts_sensor_object_name(const ts_model* model, const ts_sensor_object* object) {
    if (object->index < 0) return "";
    switch (object->type) {
    case TS_SENSOR_JOINT: return model->joint[object->index].name;
    case TS_SENSOR_TENDON: return model->tendon[object->index].name;
    case TS_SENSOR_ACTUATOR: return model->actuator[object->index].name;
    case TS_SENSOR_BODY:
    case TS_SENSOR_BODY_INERTIAL:
    case TS_SENSOR_SUBTREE: return model->body[object->index].name;
    case TS_SENSOR_GEOM: return model->geom[object->index].name;
    case TS_SENSOR_SITE: return model->site[object->index].name;
    case TS_SENSOR_CAMERA:
    case TS_SENSOR_NOTHING:
    case TS_SENSOR_OBJECT_TYPE_COUNT: break;
    }
    return "";
}

// The contact pair of two geoms, or NULL; they are sorted, see builder_finish.c.
static const ts_contact_pair* find_pair(const ts_model* model, int a, int b) {
    int first = a < b ? a : b, second = a < b ? b : a, low = 0, high = model->pair_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ts_contact_pair* pair = &model->pair[middle];
        if (pair->geom_a == first && pair->geom_b == second) return pair;
        if (pair->geom_a < first || (pair->geom_a == first && pair->geom_b < second))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// The exclusions are sorted by (smaller body, larger body), see builder_finish.c.
static int is_excluded(const ts_model* model, int a, int b) {
    int low = 0, high = model->exclusion_count;
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ts_exclusion* e = &model->exclusion[middle];
        if (e->body_a == a && e->body_b == b) return 1;
        if (e->body_a < a || (e->body_a == a && e->body_b < b))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

// The rigid body that a rigid body hangs on; the world hangs on nothing (-1).
static int weld_parent(const ts_model* model, int weld) {
    int parent = model->body[weld].parent;
    return parent < 0 ? -1 : model->body[parent].weld;
}

int ts_model_geoms_can_touch(const ts_model* model, int geom_a, int geom_b) {
    const ts_geom* a = &model->geom[geom_a];
    const ts_geom* b = &model->geom[geom_b];
    if (a->shape.kind == TS_SHAPE_PLANE && b->shape.kind == TS_SHAPE_PLANE) return 0;
    // Nothing comes of two bodies that cannot give way.
    if (model->body[a->body].tree < 0 && model->body[b->body].tree < 0) return 0;
    if (find_pair(model, geom_a, geom_b)) return model->body[a->body].weld != model->body[b->body].weld;
    if (!(a->category & b->mask) && !(b->category & a->mask)) return 0;
    int weld_a = model->body[a->body].weld;
    int weld_b = model->body[b->body].weld;
    if (weld_a == weld_b) return 0;
    // Rigid groups count, not single bodies: a foot welded to a shank is a child of whatever the shank is a child of.
    if (weld_a != 0 && weld_b != 0 && (weld_parent(model, weld_a) == weld_b || weld_parent(model, weld_b) == weld_a))
        return 0;
    return !is_excluded(model, a->body, b->body);
}

ts_surface ts_model_surface_between(const ts_model* model, int geom_a, int geom_b) {
    const ts_contact_pair* pair = find_pair(model, geom_a, geom_b);
    return pair ? pair->surface : ts_surface_combine(&model->geom[geom_a].surface, &model->geom[geom_b].surface);
}

ts_surface_softness ts_model_softness_between(const ts_model* model, int geom_a, int geom_b) {
    const ts_contact_pair* pair = find_pair(model, geom_a, geom_b);
    return pair ? ts_surface_softness_of(&pair->surface)
                : ts_surface_softness_between(&model->geom[geom_a].surface, &model->geom[geom_b].surface);
}

double ts_model_margin_between(const ts_model* model, int geom_a, int geom_b) {
    const ts_contact_pair* pair = find_pair(model, geom_a, geom_b);
    return pair ? pair->surface.margin : model->geom[geom_a].surface.margin + model->geom[geom_b].surface.margin;
}

double ts_model_total_mass(const ts_model* model) {
    double sum = 0.0;
    for (int i = 0; i < model->body_count; ++i) sum += model->body[i].mass;
    return sum;
}
