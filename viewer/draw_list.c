// Problem: turn a list of things to draw into few draw calls. Rule: sort by (pass, mesh, texture), stable, so one frame's
// order depends on the list only; see-through items keep their own far-to-near order instead. Guaranteed: every item
// appears in exactly one run. Known to fail: see-through items that pierce each other blend in the wrong order.
#include "viewer/draw_list.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

ts_draw_surface ts_draw_surface_default(void) {
    // A highlight of 70, of 128 at most: the exponent of Blinn and Phong.
    ts_draw_surface surface = {0.0f, 0.5f, 70.0f / 128.0f, TS_DRAW_NO_TEXTURE, -1, {0.0f, 0.0f, 0.0f, 0.0f}};
    return surface;
}

void ts_draw_list_begin(ts_draw_list* list, ts_vec3 origin) {
    list->origin = origin;
    list->failed = 0;
    ts_draw_items_clear(&list->items);
    ts_draw_arrows_clear(&list->arrows);
    ts_draw_lines_clear(&list->lines);
    ts_draw_instances_clear(&list->instances);
    ts_draw_batches_clear(&list->batches);
}

static void store_relative(const ts_draw_list* list, ts_vec3 point, float out[3]) {
    ts_vec3_store_floats(ts_vec3_sub(point, list->origin), out);
}

ts_draw_item* ts_draw_list_add(ts_draw_list* list, int mesh, const ts_transform* placed, ts_vec3 scale, double stretch,
                               const float color[4]) {
    ts_draw_item item;
    memset(&item, 0, sizeof item);
    item.mesh = mesh;
    item.pass = color[3] < 0.995f ? TS_DRAW_PASS_GLASS : TS_DRAW_PASS_SOLID;
    item.flags = item.pass == TS_DRAW_PASS_SOLID ? (unsigned)TS_DRAW_SHADOW : 0u;
    for (int i = 0; i < 9; ++i) item.rotation[i] = (float)placed->R.m[i / 3][i % 3];
    store_relative(list, placed->p, item.position);
    ts_vec3_store_floats(scale, item.scale);
    item.stretch = (float)stretch;
    memcpy(item.color, color, sizeof item.color);
    item.source = -1;
    item.surface = ts_draw_surface_default();
    if (!ts_draw_items_push(&list->items, item)) {
        list->failed = 1;
        return NULL;
    }
    return &list->items.data[list->items.count - 1];
}

void ts_draw_list_add_arrow(ts_draw_list* list, ts_vec3 from, ts_vec3 vector, double radius, const float color[4],
                            int source) {
    if (!ts_vec3_is_finite(from) || !ts_vec3_is_finite(vector) || !(ts_vec3_norm(vector) > 0.0)) return;
    ts_draw_arrow arrow;
    store_relative(list, from, arrow.from);
    ts_vec3_store_floats(vector, arrow.vector);
    arrow.radius = (float)radius;
    memcpy(arrow.color, color, sizeof arrow.color);
    arrow.source = source;
    if (!ts_draw_arrows_push(&list->arrows, arrow)) list->failed = 1;
}

void ts_draw_list_add_line(ts_draw_list* list, ts_vec3 from, ts_vec3 to, double width, const float color[4]) {
    if (!ts_vec3_is_finite(from) || !ts_vec3_is_finite(to)) return;
    ts_draw_line line;
    store_relative(list, from, line.from);
    store_relative(list, to, line.to);
    line.width = (float)width;
    memcpy(line.color, color, sizeof line.color);
    if (!ts_draw_lines_push(&list->lines, line)) list->failed = 1;
}

ts_mat3 ts_draw_list_frame(ts_vec3 direction) {
    // The axis least along the direction gives the best conditioned cross product.
    int axis = ts_vec3_least(ts_vec3_abs(direction));
    ts_vec3 u = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_axis(axis), direction), ts_vec3_axis((axis + 1) % 3));
    return ts_mat3_from_columns(u, ts_vec3_cross(direction, u), direction);
}

static void instance_surface(const ts_draw_surface* surface, ts_draw_instance* out_instance) {
    const float numbers[4] = {surface->emission, surface->specular, surface->shininess, (float)surface->mapping};
    memcpy(out_instance->surface, numbers, sizeof numbers);
    memcpy(out_instance->map, surface->map, sizeof surface->map);
}

static ts_draw_instance instance_of_item(const ts_draw_item* item) {
    ts_draw_instance instance;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) instance.row[i][j] = item->rotation[3 * i + j];
        instance.row[i][3] = item->position[i];
        instance.scale[i] = item->scale[i];
        instance.extra[1 + i] = item->grid[i];
    }
    instance.scale[3] = item->stretch;
    memcpy(instance.color, item->color, sizeof instance.color);
    instance.extra[0] = (float)(item->flags + 16u * (unsigned)item->body);
    instance_surface(&item->surface, &instance);
    return instance;
}

// Shaft and head of an arrow. The head keeps its proportions unless the arrow is too short for it.
static void instances_of_arrow(const ts_draw_arrow* arrow, ts_draw_instance* out_shaft, ts_draw_instance* out_head) {
    ts_vec3 v = ts_vec3_make((double)arrow->vector[0], (double)arrow->vector[1], (double)arrow->vector[2]);
    double length = ts_vec3_norm(v);
    ts_vec3 direction = ts_vec3_unit_or(v, ts_vec3_axis(2));
    ts_mat3 R = ts_draw_list_frame(direction);
    double radius = (double)arrow->radius;
    double head = fmin(6.0 * radius, 0.6 * length);
    double shaft = length - head;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out_shaft->row[i][j] = out_head->row[i][j] = (float)R.m[i][j];
        double along = R.m[i][2];
        out_shaft->row[i][3] = (float)((double)arrow->from[i] + 0.5 * shaft * along);
        out_head->row[i][3] = (float)((double)arrow->from[i] + shaft * along);
        out_shaft->extra[1 + i] = out_head->extra[1 + i] = 0.0f;
    }
    out_shaft->scale[0] = out_shaft->scale[1] = (float)radius;
    out_shaft->scale[2] = (float)(0.5 * shaft);
    out_head->scale[0] = out_head->scale[1] = (float)(fmin(2.3 * radius, 0.5 * head));
    out_head->scale[2] = (float)head;
    out_shaft->scale[3] = out_head->scale[3] = 0.0f;
    memcpy(out_shaft->color, arrow->color, sizeof arrow->color);
    memcpy(out_head->color, arrow->color, sizeof arrow->color);
    out_shaft->extra[0] = out_head->extra[0] = (float)TS_DRAW_GLOW;
    const ts_draw_surface surface = ts_draw_surface_default();
    instance_surface(&surface, out_shaft);
    instance_surface(&surface, out_head);
}

// A mesh instance with what decides its place among the others.
typedef struct sort_entry {
    int pass;
    int mesh;
    int texture;
    double distance;  // glass only, else 0
    int order;
    ts_draw_instance instance;
} sort_entry;

static int compare_entries(const void* left, const void* right) {
    const sort_entry* a = left;
    const sort_entry* b = right;
    if (a->pass != b->pass) return a->pass < b->pass ? -1 : 1;
    if (a->distance > b->distance || a->distance < b->distance) return a->distance > b->distance ? -1 : 1;
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->texture != b->texture) return a->texture < b->texture ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int batch_entries(ts_draw_list* list, const sort_entry* entry, int count) {
    for (int i = 0; i < count; ++i) {
        list->instances.data[i] = entry[i].instance;
        ts_draw_batch* last = list->batches.count ? &list->batches.data[list->batches.count - 1] : NULL;
        if (last && last->mesh == entry[i].mesh && last->texture == entry[i].texture &&
            (int)last->pass == entry[i].pass) {
            ++last->count;
            continue;
        }
        ts_draw_batch batch = {entry[i].mesh, entry[i].texture, (ts_draw_pass)entry[i].pass, i, 1};
        if (!ts_draw_batches_push(&list->batches, batch)) return 0;
    }
    return 1;
}

int ts_draw_list_batch(ts_draw_list* list, ts_vec3 eye) {
    int count = list->items.count + 2 * list->arrows.count;
    ts_draw_batches_clear(&list->batches);
    if (!ts_draw_instances_resize(&list->instances, count)) return 0;
    if (!count) return 1;
    sort_entry* entry = malloc((size_t)count * sizeof *entry);
    if (!entry) return 0;

    ts_vec3 relative_eye = ts_vec3_sub(eye, list->origin);
    int used = 0;
    for (int i = 0; i < list->items.count; ++i) {
        const ts_draw_item* item = &list->items.data[i];
        sort_entry* e = &entry[used];
        e->pass = (int)item->pass;
        e->mesh = item->mesh;
        e->texture = item->surface.mapping == TS_DRAW_NO_TEXTURE ? -1 : item->surface.texture;
        e->order = used++;
        e->distance = 0.0;
        if (item->pass == TS_DRAW_PASS_GLASS) {
            ts_vec3 p = ts_vec3_make((double)item->position[0], (double)item->position[1], (double)item->position[2]);
            e->distance = ts_vec3_distance(p, relative_eye);
        }
        e->instance = instance_of_item(item);
    }
    for (int i = 0; i < list->arrows.count; ++i) {
        sort_entry* shaft = &entry[used];
        sort_entry* head = &entry[used + 1];
        shaft->pass = head->pass = (int)TS_DRAW_PASS_MARK;
        shaft->distance = head->distance = 0.0;
        shaft->mesh = TS_DRAW_MESH_CYLINDER;
        head->mesh = TS_DRAW_MESH_CONE;
        shaft->texture = head->texture = -1;
        shaft->order = used++;
        head->order = used++;
        instances_of_arrow(&list->arrows.data[i], &shaft->instance, &head->instance);
    }
    TS_ASSERT(used == count);
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    int done = batch_entries(list, entry, count);
    free(entry);
    return done;
}

void ts_draw_list_free(ts_draw_list* list) {
    ts_draw_items_free(&list->items);
    ts_draw_arrows_free(&list->arrows);
    ts_draw_lines_free(&list->lines);
    ts_draw_instances_free(&list->instances);
    ts_draw_batches_free(&list->batches);
    memset(list, 0, sizeof *list);
}
