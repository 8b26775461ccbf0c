// From definitions to the constant model: the single judge of soundness, and the layout.
//
// Layout. Bodies keep the order of adding (parents first, since a parent must exist before its child). Joints and geoms
// are ordered by body, stably. A tree begins at each body that has joints while nothing above it has; trees are
// numbered by root. Coordinates are handed out tree by tree, inside a tree by body, inside a body by joint: so the dofs
// of a tree are contiguous even when bodies of several trees were added in turns. When every tree was added in one go
// (depth-first, as files are read) this is the order of the joints in the file.
// The dof chain: the first dof of a body hangs on the last dof of the nearest moving ancestor, every other one on the
// dof before it; M_ij is nonzero only if one of i, j lies on the chain of the other.
#include "base/arena.h"
#include "engine/model/builder_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

// The model with its arrays still writable.
typedef struct draft {
    ts_builder* builder;
    ts_model* model;
    ts_arena* arena;
    char* names;  // copy of the builder's pool
    ts_body* body;
    ts_joint* joint;
    ts_dof* dof;
    ts_kinematic_tree* tree;
    int* tree_body;
    ts_geom* geom;
    double* qpos0;
    double* qpos_rest;
    double* qvel0;
    ts_status* status;
} draft;

static ts_code short_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}

static const char* name_at(const draft* d, size_t offset) { return d->names + offset; }

static ts_code allocate(draft* d) {
    ts_builder* b = d->builder;
    ts_model* m = d->model;
    m->body_count = b->body.count;
    m->joint_count = b->joint.count;
    m->geom_count = b->geom.count;
    m->site_count = b->site.count;
    m->camera_count = b->camera.count;
    m->keyframe_count = b->key.count;
    m->tendon_count = b->tendon.count;
    m->tendon_part_count = b->part.count;
    m->actuator_count = b->actuator.count;
    m->act_count = ts_builder_act_count(b);
    long long nq = 0, nv = 0;
    for (int i = 0; i < b->joint.count; ++i) {
        nq += ts_joint_type_nq(b->joint.data[i].def.type);
        nv += ts_joint_type_nv(b->joint.data[i].def.type);
    }
    if (nq > 100000000) return ts_status_set(d->status, TS_ERROR_MEMORY, NULL, 0, "more than 10^8 coordinates");
    m->nq = (int)nq;
    m->nv = (int)nv;

    size_t bytes = b->pool.length + b->source.length + (size_t)b->body.count * sizeof(ts_body) +
                   (size_t)b->joint.count * sizeof(ts_joint) + (size_t)b->geom.count * sizeof(ts_geom) + 4096;
    d->arena = (ts_arena*)calloc(1, sizeof *d->arena);
    if (!d->arena) return short_memory(d->status);
    m->storage = d->arena;
    if (!ts_arena_init(d->arena, bytes)) return short_memory(d->status);
    d->names = TS_ARENA_ARRAY(d->arena, char, b->pool.length + 1);
    d->body = (ts_body*)ts_arena_alloc_zeroed(d->arena, (size_t)m->body_count, sizeof(ts_body));
    d->joint = (ts_joint*)ts_arena_alloc_zeroed(d->arena, (size_t)m->joint_count, sizeof(ts_joint));
    d->dof = (ts_dof*)ts_arena_alloc_zeroed(d->arena, (size_t)nv, sizeof(ts_dof));
    d->tree = (ts_kinematic_tree*)ts_arena_alloc_zeroed(d->arena, (size_t)m->body_count, sizeof(ts_kinematic_tree));
    d->tree_body = TS_ARENA_ARRAY(d->arena, int, m->body_count);
    d->geom = (ts_geom*)ts_arena_alloc_zeroed(d->arena, (size_t)m->geom_count, sizeof(ts_geom));
    d->qpos0 = (double*)ts_arena_alloc_zeroed(d->arena, (size_t)nq, sizeof(double));
    d->qvel0 = (double*)ts_arena_alloc_zeroed(d->arena, (size_t)nv, sizeof(double));
    if (d->arena->failed) return short_memory(d->status);
    memcpy(d->names, b->pool.data, b->pool.length);
    d->names[b->pool.length] = '\0';
    m->body = d->body;
    m->joint = d->joint;
    m->dof = d->dof;
    m->tree = d->tree;
    m->tree_body = d->tree_body;
    m->geom = d->geom;
    m->qpos0 = d->qpos0;
    d->qpos_rest = (double*)ts_arena_alloc_zeroed(d->arena, (size_t)nq, sizeof(double));
    m->qpos_rest = d->qpos_rest;
    m->qvel0 = d->qvel0;
    m->name = name_at(d, b->name);
    m->options = b->options;
    return TS_OK;
}

// Bodies with the places of their joints and geoms, welds and trees.
static void lay_out_bodies(draft* d) {
    const ts_builder* b = d->builder;
    for (int i = 0; i < b->joint.count; ++i) ++d->body[b->joint.data[i].def.body].joint_count;
    for (int i = 0; i < b->geom.count; ++i) ++d->body[b->geom.data[i].def.body].geom_count;
    int joints = 0, geoms = 0;
    for (int i = 0; i < b->body.count; ++i) {
        ts_body* body = &d->body[i];
        const ts_body_def* def = &b->body.data[i].def;
        body->name = name_at(d, b->body.data[i].label.name);
        body->parent = def->parent;
        body->pose = def->pose;
        body->mass = def->mass;
        body->centre = def->centre;
        body->inertia = def->inertia;
        body->buoyancy = def->buoyancy;
        body->stays_awake = def->stays_awake;
        body->joint_first = joints;
        body->geom_first = geoms;
        joints += body->joint_count;
        geoms += body->geom_count;
        int above = i ? d->body[def->parent].tree : -1;
        body->mocap = i && def->is_mocap ? d->model->mocap_count++ : -1;
        body->weld = i && body->joint_count == 0 && body->mocap < 0 ? d->body[def->parent].weld : i;
        body->tree = above;
        if (above < 0 && body->joint_count > 0) {
            body->tree = d->model->tree_count;
            d->tree[d->model->tree_count++].root = i;
        }
        if (body->tree >= 0) ++d->tree[body->tree].body_count;
    }
}

static void lay_out_joints(draft* d) {
    const ts_builder* b = d->builder;
    for (int i = 0; i < b->body.count; ++i) d->body[i].joint_count = 0;
    for (int i = 0; i < b->joint.count; ++i) {
        const ts_joint_def* def = &b->joint.data[i].def;
        ts_body* body = &d->body[def->body];
        ts_joint* joint = &d->joint[body->joint_first + body->joint_count++];
        d->builder->joint.data[i].index = (int)(joint - d->joint);
        joint->name = name_at(d, b->joint.data[i].label.name);
        joint->type = def->type;
        joint->body = def->body;
        joint->anchor = def->anchor;
        joint->axis = def->axis;
        joint->limited = def->limited != 0;
        joint->range[0] = def->range[0];
        joint->range[1] = def->range[1];
        joint->reference = def->reference;
        joint->spring = def->spring;
        joint->spring_rest = def->spring_rest;
        joint->curve = def->curve;
        joint->damping = def->damping;
        joint->armature = def->armature;
        joint->friction = def->friction;
        joint->softness = def->softness;
        joint->actuation = def->actuation;
    }
}

// The initial coordinates of a joint: every body at its pose.
static void set_initial(draft* d, const ts_joint* joint) {
    const ts_builder_body* body = &d->builder->body.data[joint->body];
    ts_joint_rest(joint, &body->def.pose, d->qpos0 + joint->qpos_first);
    if (!ts_joint_traits_of(joint->type)->floats) return;
    ts_vec3_store(body->free_linear, d->qvel0 + joint->dof_first);
    ts_vec3_store(body->free_angular, d->qvel0 + joint->dof_first + 3);
}

// Gives a body's joints their coordinates from (*qpos, *dof) on.
static void lay_out_body_dofs(draft* d, int index, int* qpos, int* dof) {
    ts_body* body = &d->body[index];
    int above = body->parent < 0 ? -1 : d->body[body->parent].dof_last;
    body->dof_first = *dof;
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        ts_joint* joint = &d->joint[j];
        joint->qpos_first = *qpos;
        joint->dof_first = *dof;
        *qpos += ts_joint_type_nq(joint->type);
        for (int k = ts_joint_type_nv(joint->type); k > 0; --k) {
            ts_dof* f = &d->dof[*dof];
            f->body = index;
            f->joint = j;
            f->parent = above;
            f->depth = above >= 0 ? d->dof[above].depth + 1 : 0;
            f->run = above >= 0 && above == *dof - 1 ? d->dof[above].run : *dof;
            f->tree = body->tree;
            f->tiles = 0;
            f->damping = joint->damping;
            f->armature = joint->armature;
            f->friction = joint->friction;
            above = (*dof)++;
        }
        set_initial(d, joint);
    }
    body->dof_count = *dof - body->dof_first;
    body->dof_last = above;
}

static ts_tree_kind kind_of(const draft* d, const ts_kinematic_tree* tree) {
    const ts_body* root = &d->body[tree->root];
    if (tree->body_count > 1 || root->joint_count > 1 || d->joint[root->joint_first].type != TS_JOINT_FREE)
        return TS_TREE_GENERAL;
    return ts_vec3_max_abs(root->centre) == 0.0 ? TS_TREE_CENTRED : TS_TREE_FREE_BODY;
}

// Which dofs, four by four, those of a tree hang on.
static void find_tiles(const draft* d, const ts_kinematic_tree* tree) {
    enum { TILE = 4, MOST = 64 };
    ts_dof* dof = d->dof + tree->dof_first;
    for (int i = TILE; i < tree->dof_count && i < MOST; ++i)
        for (int above = dof[i].parent; above >= 0; above = d->dof[above].parent) {
            int k = (above - tree->dof_first) / TILE;
            if (k < i / TILE) dof[i - i % TILE].tiles |= 1u << k;
        }
}

// Bodies and coordinates tree by tree.
static void lay_out_trees(draft* d) {
    int trees = d->model->tree_count, qpos = 0, dof = 0, bodies = 0;
    for (int t = 0; t < trees; ++t) {
        d->tree[t].body_first = bodies;
        bodies += d->tree[t].body_count;
        d->tree[t].body_count = 0;
    }
    for (int i = 0; i < d->model->body_count; ++i) {
        ts_kinematic_tree* tree = d->body[i].tree < 0 ? NULL : &d->tree[d->body[i].tree];
        d->body[i].dof_last = -1;
        if (!tree) continue;
        d->tree_body[tree->body_first + tree->body_count++] = i;
        tree->mass += d->body[i].mass;
    }
    for (int t = 0; t < trees; ++t) {
        ts_kinematic_tree* tree = &d->tree[t];
        tree->dof_first = dof;
        for (int k = 0; k < tree->body_count; ++k)
            lay_out_body_dofs(d, d->tree_body[tree->body_first + k], &qpos, &dof);
        tree->dof_count = dof - tree->dof_first;
        find_tiles(d, tree);
        tree->kind = kind_of(d, tree);
    }
}

static void lay_out_geoms(draft* d) {
    const ts_builder* b = d->builder;
    for (int i = 0; i < b->body.count; ++i) d->body[i].geom_count = 0;
    for (int i = 0; i < b->geom.count; ++i) {
        const ts_geom_def* def = &b->geom.data[i].def;
        ts_body* body = &d->body[def->body];
        ts_geom* geom = &d->geom[body->geom_first + body->geom_count++];
        d->builder->geom.data[i].index = (int)(geom - d->geom);
        geom->name = name_at(d, b->geom.data[i].label.name);
        geom->body = def->body;
        geom->shape = def->shape;
        geom->pose = def->pose;
        geom->surface = def->surface;
        geom->category = def->category;
        geom->group = def->group;
        geom->mask = def->mask;
        memcpy(geom->rgba, def->rgba, sizeof geom->rgba);
        geom->material = def->material;
        memcpy(geom->plane_half, def->plane_half, sizeof geom->plane_half);
    }
}

static int compare_pairs(const void* a, const void* b) {
    const ts_contact_pair* x = (const ts_contact_pair*)a;
    const ts_contact_pair* y = (const ts_contact_pair*)b;
    if (x->geom_a != y->geom_a) return x->geom_a < y->geom_a ? -1 : 1;
    return (x->geom_b > y->geom_b) - (x->geom_b < y->geom_b);
}

// Contact pairs with the model's indices, sorted, of the same two geoms the first.
static int lay_out_pairs(draft* d) {
    const ts_builder* b = d->builder;
    ts_contact_pair* pair = TS_ARENA_ARRAY(d->arena, ts_contact_pair, b->pair.count);
    d->model->pair = pair;
    if (b->pair.count && !pair) return 0;
    for (int i = 0; i < b->pair.count; ++i) {
        const ts_contact_pair* given = &b->pair.data[i];
        int g = b->geom.data[given->geom_a].index, h = b->geom.data[given->geom_b].index, at = d->model->pair_count;
        // A surface with itself: what has no effect is dropped, as everywhere.
        ts_contact_pair entry = {g < h ? g : h, g < h ? h : g, ts_surface_combine(&given->surface, &given->surface)};
        entry.surface.margin = given->surface.margin;
        entry.surface.gap = given->surface.gap;
        entry.surface.adhesion = given->surface.adhesion;
        while (at > 0 && compare_pairs(&pair[at - 1], &entry) > 0) --at;
        if (at > 0 && compare_pairs(&pair[at - 1], &entry) == 0) continue;
        memmove(pair + at + 1, pair + at, (size_t)(d->model->pair_count++ - at) * sizeof *pair);
        pair[at] = entry;
    }
    return 1;
}

static int compare_exclusions(const void* a, const void* b) {
    const ts_exclusion* x = (const ts_exclusion*)a;
    const ts_exclusion* y = (const ts_exclusion*)b;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    return (x->body_b > y->body_b) - (x->body_b < y->body_b);
}

// Equalities, tendons, actuators, sensors, sites, cameras, exclusions (sorted, each once), hulls and source.
static ts_code lay_out_rest(draft* d) {
    ts_builder* b = d->builder;
    ts_model* m = d->model;
    ts_site* site = (ts_site*)ts_arena_alloc_zeroed(d->arena, (size_t)b->site.count, sizeof *site);
    ts_model_camera* camera =
        (ts_model_camera*)ts_arena_alloc_zeroed(d->arena, (size_t)b->camera.count, sizeof *camera);
    ts_equality* equality = (ts_equality*)ts_arena_alloc_zeroed(d->arena, (size_t)b->equality.count, sizeof *equality);
    ts_actuator* actuator = (ts_actuator*)ts_arena_alloc_zeroed(d->arena, (size_t)b->actuator.count, sizeof *actuator);
    ts_tendon* tendon = (ts_tendon*)ts_arena_alloc_zeroed(d->arena, (size_t)b->tendon.count, sizeof *tendon);
    ts_tendon_part* part = (ts_tendon_part*)ts_arena_alloc_zeroed(d->arena, (size_t)b->part.count, sizeof *part);
    ts_sensor* sensor = (ts_sensor*)ts_arena_alloc_zeroed(d->arena, (size_t)b->sensor.count, sizeof *sensor);
    ts_exclusion* exclusion = TS_ARENA_ARRAY(d->arena, ts_exclusion, b->exclusion.count);
    ts_hull** hull = TS_ARENA_ARRAY(d->arena, ts_hull*, b->hull.count);
    ts_height_field** field = TS_ARENA_ARRAY(d->arena, ts_height_field*, b->height_field.count);
    ts_hull_source* hull_source = TS_ARENA_ARRAY(d->arena, ts_hull_source, b->hull.count);
    char* source = b->source.data ? TS_ARENA_ARRAY(d->arena, char, b->source.length + 1) : NULL;
    if (d->arena->failed) return short_memory(d->status);
    ts_code code = ts_builder_lay_out_equalities(b, m, d->names, equality, d->status);
    if (code) return code;
    m->equality = equality;
    m->equality_count = b->equality.count;
    m->actuator = actuator;
    m->tendon = tendon;
    m->tendon_part = part;
    if (!lay_out_pairs(d) || !ts_builder_lay_out_looks(b, d->arena, d->names, m)) return short_memory(d->status);
    for (int i = 0; i < b->site.count; ++i) {
        const ts_builder_site* s = &b->site.data[i];
        site[i].name = name_at(d, s->label.name);
        site[i].body = s->body;
        site[i].pose = s->pose;
        site[i].shape = s->shape;
    }
    for (int i = 0; i < b->camera.count; ++i) {
        camera[i] = b->camera.data[i].is;
        camera[i].name = name_at(d, b->camera.data[i].label.name);
    }
    m->camera = camera;
    if (b->exclusion.count)
        qsort(b->exclusion.data, (size_t)b->exclusion.count, sizeof *b->exclusion.data, compare_exclusions);
    for (int i = 0; i < b->exclusion.count; ++i)
        if (i == 0 || compare_exclusions(&b->exclusion.data[i - 1], &b->exclusion.data[i]) != 0)
            exclusion[m->exclusion_count++] = b->exclusion.data[i];
    if (source) memcpy(source, b->source.data, b->source.length + 1);
    for (int i = 0; i < b->hull.count; ++i) {
        hull[i] = b->hull.data[i];
        hull_source[i].file = name_at(d, b->hull_source.data[i].file);
        hull_source[i].placing = b->hull_source.data[i].placing;
        hull_source[i].mesh = b->hull_source.data[i].mesh;
    }
    m->hull = hull;
    m->hull_source = hull_source;
    m->hull_count = b->hull.count;
    b->hull.count = 0;  // they belong to the model now
    for (int i = 0; i < b->height_field.count; ++i) field[i] = b->height_field.data[i];
    m->ground = field;
    m->ground_count = b->height_field.count;
    b->height_field.count = 0;
    m->site = site;
    m->exclusion = exclusion;
    m->source = source;
    code = ts_builder_lay_out_tendons(b, m, d->names, tendon, part, d->status);
    if (!code) code = ts_builder_lay_out_actuators(b, m, d->names, actuator, d->status);
    if (!code) code = ts_builder_settle_at_rest(b, m, tendon, actuator, d->status);
    return code ? code : ts_builder_lay_out_sensors(b, m, d->names, sensor, d->status);
}

static ts_code check_key(draft* d, int index, const ts_keyframe* key) {
    const ts_builder_label* label = &d->builder->key.data[index].label;
    if (!isfinite(key->time))
        return ts_builder_refuse(d->builder, label, "keyframe", index, d->status, "its time is not finite");
    for (int j = 0; j < d->model->joint_count; ++j) {
        const ts_joint* joint = &d->joint[j];
        if (!ts_joint_traits_of(joint->type)->quaternion) continue;
        double* q = key->qpos + joint->qpos_first + ts_joint_traits_of(joint->type)->numbers;
        ts_quat rotation = ts_quat_load(q);
        double n = ts_quat_norm(rotation);
        if (n < 1e-10 && d->builder->mend_keyframes) {
            ts_import_report_add(d->builder->report, TS_IMPORT_HONOURED, 0, "key@qpos (zero quaternion)",
                                 "taken as no rotation (as in MuJoCo)", ts_builder_string(d->builder, label->file),
                                 label->line);
            ts_quat_store(ts_quat_identity(), q);
            continue;
        }
        if (n < 1e-10 || !isfinite(n))
            return ts_builder_refuse(d->builder, label, "keyframe", index, d->status,
                                     "the quaternion at qpos[%d] is zero", (int)(q - key->qpos));
        if (fabs(n - 1.0) > 1e-15) ts_quat_store(ts_quat_normalize(rotation), q);
    }
    return TS_OK;
}

static void report_fewer(const draft* d, const ts_builder_label* label, const char* name) {
    char what[40];
    snprintf(what, sizeof what, "key@%s (fewer numbers)", name);
    ts_import_report_add(d->builder->report, TS_IMPORT_HONOURED, 0, what,
                         "what is missing stays as it is without the keyframe (as in MuJoCo)",
                         ts_builder_string(d->builder, label->file), label->line);
}

// The numbers of keyframe `index` called `name`, `wanted` of them; `initial` (NULL: zeros) where it has none.
static ts_code lay_out_key_array(draft* d, int index, const char* name, ts_builder_numbers numbers,
                                 const double* initial, int wanted, double** out_x) {
    const ts_builder* b = d->builder;
    const ts_builder_label* label = &b->key.data[index].label;
    int fewer = d->builder->mend_keyframes && numbers.count >= 0 && numbers.count < wanted;
    if (numbers.count >= 0 && numbers.count != wanted && !fewer)
        return ts_builder_refuse(b, label, "keyframe", index, d->status, "%s has %d numbers, but the model takes %d",
                                 name, numbers.count, wanted);
    double* x = (double*)ts_arena_alloc_zeroed(d->arena, (size_t)wanted, sizeof *x);
    if (d->arena->failed) return short_memory(d->status);
    *out_x = x;
    int given = numbers.count > 0 ? numbers.count : 0;
    if (initial && given < wanted) memcpy(x, initial, (size_t)wanted * sizeof *x);
    if (given > 0) memcpy(x, b->number.data + numbers.first, (size_t)given * sizeof *x);
    if (fewer) report_fewer(d, label, name);
    for (int i = 0; i < wanted; ++i)
        if (!isfinite(x[i]))
            return ts_builder_refuse(b, label, "keyframe", index, d->status, "%s[%d] is not finite", name, i);
    return TS_OK;
}

// Where bodies that are moved from outside are while nobody does: their poses, 3 and 4 numbers each. NULL when memory is short.
static double* rest_of_mocap(draft* d, int rotation) {
    int size = rotation ? 4 : 3;
    double* x = (double*)ts_arena_alloc_zeroed(d->arena, (size_t)d->model->mocap_count * (size_t)size, sizeof *x);
    for (int b = 0; b < d->model->body_count && x; ++b) {
        if (d->body[b].mocap < 0) continue;
        if (rotation)
            ts_quat_store(d->body[b].pose.rotation, x + 4 * d->body[b].mocap);
        else
            ts_vec3_store(d->body[b].pose.position, x + 3 * d->body[b].mocap);
    }
    return x;
}

static ts_code lay_out_key_mocap(draft* d, int index, const double* position, const double* rotation,
                                 ts_keyframe* key) {
    const ts_builder_key* k = &d->builder->key.data[index];
    int count = d->model->mocap_count;
    if (k->mocap_position.count % 3 > 0 || k->mocap_rotation.count % 4 > 0)
        return ts_builder_refuse(d->builder, &k->label, "keyframe", index, d->status,
                                 "mpos comes in threes, mquat in fours");
    ts_code code = lay_out_key_array(d, index, "mpos", k->mocap_position, position, 3 * count, &key->mocap_position);
    if (!code)
        code = lay_out_key_array(d, index, "mquat", k->mocap_rotation, rotation, 4 * count, &key->mocap_rotation);
    for (int i = 0; i < count && !code; ++i) {
        ts_quat q = ts_quat_load(key->mocap_rotation + 4 * i);
        if (!(ts_quat_norm(q) > 1e-10))
            return ts_builder_refuse(d->builder, &k->label, "keyframe", index, d->status,
                                     "quaternion %d of mquat is zero", i);
        ts_quat_store(ts_quat_normalize(q), key->mocap_rotation + 4 * i);
    }
    return code;
}

static ts_code lay_out_keyframes(draft* d) {
    ts_builder* b = d->builder;
    ts_model* m = d->model;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    ts_keyframe* key = (ts_keyframe*)ts_arena_alloc_zeroed(d->arena, (size_t)b->key.count, sizeof *key);
    const double *position = rest_of_mocap(d, 0), *rotation = rest_of_mocap(d, 1);
    m->keyframe = key;
    for (int i = 0; i < b->key.count; ++i) {
        const ts_builder_key* k = &b->key.data[i];
        key[i].name = name_at(d, k->label.name);
        key[i].time = k->time;
        ts_code code = lay_out_key_array(d, i, "qpos", k->qpos, d->qpos0, m->nq, &key[i].qpos);
        if (!code) code = lay_out_key_array(d, i, "qvel", k->qvel, d->qvel0, m->nv, &key[i].qvel);
        if (!code) code = lay_out_key_array(d, i, "ctrl", k->ctrl, NULL, m->actuator_count, &key[i].ctrl);
        if (!code) code = lay_out_key_array(d, i, "act", k->act, NULL, m->act_count, &key[i].act);
        if (!code) code = lay_out_key_mocap(d, i, position, rotation, &key[i]);
        if (!code) code = check_key(d, i, &key[i]);
        if (code) return code;
    }
    if (d->arena->failed) return short_memory(d->status);
    if (nq) memcpy(d->qpos_rest, d->qpos0, nq * sizeof(double));
    m->initial_keyframe = b->initial_key;
    if (b->initial_key >= 0) {
        if (nq) memcpy(d->qpos0, key[b->initial_key].qpos, nq * sizeof(double));
        if (nv) memcpy(d->qvel0, key[b->initial_key].qvel, nv * sizeof(double));
    }
    return TS_OK;
}

static ts_code lay_out(draft* d) {
    ts_code code = ts_builder_check(d->builder, d->status);
    if (!code) code = ts_builder_settle_masses(d->builder, d->status);
    if (!code) code = ts_builder_check_masses(d->builder, d->status);
    if (!code) code = allocate(d);
    if (code) return code;
    lay_out_bodies(d);
    lay_out_joints(d);
    lay_out_trees(d);
    lay_out_geoms(d);
    if (!ts_builder_lay_out_fluid(d->builder, d->arena, d->model, d->body)) return short_memory(d->status);
    code = ts_builder_check_inertia(d->builder, d->model, d->status);
    if (!code) code = lay_out_keyframes(d);
    if (!code) code = ts_builder_settle_springs(d->builder, d->model, d->joint, d->dof, d->status);
    // Last, because the hulls change hands here.
    if (!code) code = lay_out_rest(d);
    return code;
}

ts_code ts_builder_finish(ts_builder* builder, ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    draft d;
    memset(&d, 0, sizeof d);
    d.builder = builder;
    d.status = out_status;
    d.model = (ts_model*)calloc(1, sizeof *d.model);
    ts_code code = d.model ? lay_out(&d) : short_memory(out_status);
    ts_builder_free(builder);
    if (code) {
        ts_model_free(d.model);
        return code;
    }
    *out_model = d.model;
    return ts_status_ok(out_status);
}
