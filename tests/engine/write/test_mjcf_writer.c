// Models written as MJCF and read back: the same numbers, the same matrices, the same contacts.
#include "engine/model/builder.h"
#include "engine/read/model_file.h"
#include "engine/sim.h"
#include "engine/write/mjcf_writer.h"
#include "base/rng.h"
#include "tests/engine/read/urdf_sample.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

static void near(double a, double b, double scale, const char* what, const char* file) {
    cr_expect(fabs(a - b) <= 1e-12 * scale, "%s: %s %.17g became %.17g", file, what, a, b);
}

static void compare_bodies(const ts_model* a, const ts_model* b, const char* file) {
    for (int i = 0; i < a->body_count; ++i) {
        const ts_body *x = &a->body[i], *y = &b->body[i];
        cr_expect(x->parent == y->parent && x->joint_count == y->joint_count && x->geom_count == y->geom_count,
                  "%s: body %d", file, i);
        if (x->name[0]) cr_expect_str_eq(x->name, y->name, "%s", file);
        if (i == 0) continue;
        near(x->mass, y->mass, 0.0, "mass", file);
        near(x->buoyancy, y->buoyancy, 0.0, "buoyancy", file);
        near(ts_vec3_distance(x->pose.position, y->pose.position), 0.0, 1e-3, "position", file);
        near(ts_vec3_distance(x->centre, y->centre), 0.0, 0.0, "centre", file);
        for (int k = 0; k < 9; ++k) near(x->inertia.m[k / 3][k % 3], y->inertia.m[k / 3][k % 3], 0.0, "inertia", file);
    }
}

static void compare_joints(const ts_model* a, const ts_model* b, const char* file) {
    for (int i = 0; i < a->joint_count; ++i) {
        const ts_joint *x = &a->joint[i], *y = &b->joint[i];
        cr_expect(x->type == y->type && x->limited == y->limited && x->actuation.limited == y->actuation.limited,
                  "%s: joint %d", file, i);
        if (x->name[0]) cr_expect_str_eq(x->name, y->name, "%s", file);
        const double p[] = {x->reference, x->spring, x->spring_rest, x->damping, x->armature, x->friction};
        const double q[] = {y->reference, y->spring, y->spring_rest, y->damping, y->armature, y->friction};
        for (int k = 0; k < 6; ++k) near(p[k], q[k], 0.0, "joint number", file);
        for (int k = 0; x->limited && k < 2; ++k) near(x->range[k], y->range[k], 0.0, "range", file);
        cr_expect_eq(memcmp(&x->softness, &y->softness, sizeof x->softness), 0, "%s: softness of joint %d", file, i);
        near(ts_vec3_distance(x->axis, y->axis), 0.0, 1e-3, "axis", file);
        near(ts_vec3_distance(x->anchor, y->anchor), 0.0, 0.0, "anchor", file);
    }
}

static void compare_geoms(const ts_model* a, const ts_model* b, const char* file) {
    for (int i = 0; i < a->geom_count; ++i) {
        const ts_geom *x = &a->geom[i], *y = &b->geom[i];
        cr_expect(x->body == y->body && x->shape.kind == y->shape.kind && x->category == y->category &&
                      x->mask == y->mask,
                  "%s: geom %d", file, i);
        cr_expect_eq(memcmp(&x->surface, &y->surface, sizeof x->surface), 0, "%s: surface of geom %d", file, i);
        cr_expect_eq(memcmp(x->rgba, y->rgba, sizeof x->rgba), 0, "%s: colour of geom %d", file, i);
        near(ts_vec3_distance(x->pose.position, y->pose.position), 0.0, 1e-3, "geom position", file);
        near(ts_shape_bounding_radius(&x->shape) < 1e300 ? ts_shape_bounding_radius(&x->shape) : 0.0,
             ts_shape_bounding_radius(&y->shape) < 1e300 ? ts_shape_bounding_radius(&y->shape) : 0.0, 1.0, "size",
             file);
    }
}

static void compare_rest(const ts_model* a, const ts_model* b, const char* file) {
    cr_expect_eq(memcmp(&a->options, &b->options, sizeof a->options), 0, "%s: options", file);
    cr_expect_eq(a->initial_keyframe, b->initial_keyframe, "%s: keyframe", file);
    for (int i = 0; i < a->nq; ++i) near(a->qpos0[i], b->qpos0[i], 1e-3, "qpos0", file);
    for (int k = 0; k < a->keyframe_count; ++k)
        for (int i = 0; i < a->nq; ++i) near(a->keyframe[k].qpos[i], b->keyframe[k].qpos[i], 1e-3, "key", file);
    cr_assert_eq(a->mocap_count, b->mocap_count, "%s", file);
    for (int k = 0; k < a->keyframe_count; ++k) {
        const ts_keyframe *x = &a->keyframe[k], *y = &b->keyframe[k];
        for (int i = 0; i < 3 * a->mocap_count; ++i)
            near(x->mocap_position[i], y->mocap_position[i], 0.0, "mpos", file);
        for (int i = 0; i < 4 * a->mocap_count; ++i)
            near(x->mocap_rotation[i], y->mocap_rotation[i], 0.0, "mquat", file);
    }
    for (int i = 0; i < a->exclusion_count; ++i)
        cr_expect(a->exclusion[i].body_a == b->exclusion[i].body_a && a->exclusion[i].body_b == b->exclusion[i].body_b);
    cr_assert_eq(a->pair_count, b->pair_count, "%s", file);
    for (int i = 0; i < a->pair_count; ++i) {
        const ts_contact_pair *x = &a->pair[i], *y = &b->pair[i];
        cr_expect(x->geom_a == y->geom_a && x->geom_b == y->geom_b, "%s: pair %d", file, i);
        cr_expect_eq(memcmp(&x->surface, &y->surface, sizeof x->surface), 0, "%s: surface of pair %d", file, i);
    }
    for (int i = 0; i < a->equality_count; ++i) {
        const ts_equality *x = &a->equality[i], *y = &b->equality[i];
        cr_expect(x->source == y->source && x->active == y->active && x->joint[0] == y->joint[0] &&
                      x->joint[1] == y->joint[1],
                  "%s: equality %d", file, i);
    }
    for (int i = 0; i < a->actuator_count; ++i) {
        const ts_actuator *x = &a->actuator[i], *y = &b->actuator[i];
        cr_expect(x->transmission == y->transmission && x->target == y->target && x->activation == y->activation &&
                      x->active == y->active && x->act_early == y->act_early,
                  "%s: actuator %d", file, i);
        for (int k = 0; k < 3; ++k) near(x->gain[k], y->gain[k], 0.0, "gain", file);
        for (int k = 0; k < 3; ++k) near(x->bias[k], y->bias[k], 0.0, "bias", file);
        for (int k = 0; k < TS_GEAR_SIZE; ++k) near(x->gear[k], y->gear[k], 0.0, "gear", file);
    }
}

static void compare_tendons(const ts_model* a, const ts_model* b, const char* file) {
    cr_assert_eq(a->tendon_count, b->tendon_count, "%s", file);
    cr_assert_eq(a->tendon_part_count, b->tendon_part_count, "%s", file);
    for (int i = 0; i < a->tendon_count; ++i) {
        const ts_tendon *x = &a->tendon[i], *y = &b->tendon[i];
        cr_expect(x->part_count == y->part_count && x->limits.limited == y->limits.limited, "%s: tendon %d", file, i);
        const double p[] = {x->spring, x->damping, x->friction, x->spring ? x->rest[0] : 0.0};
        const double q[] = {y->spring, y->damping, y->friction, x->spring ? y->rest[0] : 0.0};
        for (int k = 0; k < 4; ++k) near(p[k], q[k], 0.0, "tendon number", file);
        cr_expect_eq(memcmp(&x->softness, &y->softness, sizeof x->softness), 0, "%s: softness of tendon %d", file, i);
        near(x->length0, y->length0, 1.0, "length", file);
    }
    for (int i = 0; i < a->tendon_part_count; ++i) {
        const ts_tendon_part *x = &a->tendon_part[i], *y = &b->tendon_part[i];
        cr_expect(x->kind == y->kind && x->side == y->side && x->number == y->number, "%s: part %d", file, i);
        // Sites are written by body, with those that sensors and equalities need among them: where they are counts, not their number.
        if (x->kind == TS_TENDON_SITE) {
            const ts_site *p = &a->site[x->index], *q = &b->site[y->index];
            cr_expect_eq(p->body, q->body, "%s: part %d", file, i);
            near(ts_vec3_distance(p->pose.position, q->pose.position), 0.0, 1e-3, "part", file);
        } else {
            cr_expect(x->kind == TS_TENDON_PULLEY || x->index == y->index, "%s: part %d", file, i);
        }
    }
}

static void compare_sensors(const ts_model* a, const ts_model* b, const char* file) {
    cr_assert(a->sensor_count == b->sensor_count && a->sensor_size == b->sensor_size, "%s", file);
    for (int i = 0; i < a->sensor_count; ++i) {
        const ts_sensor *x = &a->sensor[i], *y = &b->sensor[i];
        cr_expect(x->kind == y->kind && x->cutoff == y->cutoff && x->noise == y->noise && x->fields == y->fields &&
                      x->slots == y->slots && x->order == y->order,
                  "%s: sensor %d", file, i);
        cr_expect_str_eq(x->name, y->name, "%s", file);
        for (int k = 0; k < 2; ++k) {
            const ts_sensor_object *p = &x->object[k], *q = &y->object[k];
            cr_expect_eq(p->body, q->body, "%s: sensor %d", file, i);
            if (p->body >= 0) near(ts_vec3_distance(p->pose.position, q->pose.position), 0.0, 1e-3, "sensor", file);
        }
    }
}

// The same random states in both, and what follows from them.
static void compare_motion(const ts_model* a, const ts_model* b, const char* file) {
    ts_sim *x = NULL, *y = NULL;
    ts_status status;
    ts_rng rng = ts_rng_make(7, 1);
    cr_assert_eq(ts_sim_create(a, 1, &x, &status), TS_OK, "%s: %s", file, status.message);
    cr_assert_eq(ts_sim_create(b, 1, &y, &status), TS_OK, "%s: %s", file, status.message);
    for (int trial = 0; trial < 3; ++trial) {
        for (int j = 0; j < a->joint_count; ++j) {
            if (ts_joint_type_nq(a->joint[j].type) != 1) continue;
            int q = a->joint[j].qpos_first;
            x->qpos[q] = y->qpos[q] = a->qpos0[q] + 0.1 * ts_rng_normal(&rng);
        }
        for (int i = 0; i < a->nv; ++i) x->qvel[i] = y->qvel[i] = ts_rng_normal(&rng);
        for (int i = 0; i < a->actuator_count; ++i) x->ctrl[i] = y->ctrl[i] = ts_rng_normal(&rng);
        cr_assert_eq(ts_sim_forward(x, &status), ts_sim_forward(y, &status), "%s", file);
        double m = 0.0, f = 0.0;
        int entries = x->mass_start[a->tree_count];
        for (int i = 0; i < entries; ++i) m = fmax(m, fabs(x->mass_matrix[i]));
        for (int i = 0; i < a->nv; ++i) f = fmax(f, fabs(x->bias[i]));
        for (int i = 0; i < entries; ++i) near(x->mass_matrix[i], y->mass_matrix[i], m, "M", file);
        for (int i = 0; i < a->nv; ++i) near(x->bias[i], y->bias[i], f, "bias", file);
        cr_expect_eq(x->contact_count, y->contact_count, "%s: %d contacts became %d", file, x->contact_count,
                     y->contact_count);
        ts_sim_measure(x);
        ts_sim_measure(y);
        for (int i = 0; i < a->sensor_size; ++i)
            near(x->sensor[i], y->sensor[i], fmax(10.0, fabs(x->sensor[i])), "sensor", file);
    }
    ts_sim_free(x);
    ts_sim_free(y);
}

static void compare(const ts_model* a, const ts_model* b, const char* file) {
    cr_assert(a->nq == b->nq && a->nv == b->nv && a->body_count == b->body_count && a->geom_count == b->geom_count &&
                  a->joint_count == b->joint_count && a->keyframe_count == b->keyframe_count &&
                  a->equality_count == b->equality_count && a->exclusion_count == b->exclusion_count &&
                  a->actuator_count == b->actuator_count && a->tree_count == b->tree_count,
              "%s", file);
    compare_bodies(a, b, file);
    compare_joints(a, b, file);
    compare_geoms(a, b, file);
    compare_rest(a, b, file);
    compare_tendons(a, b, file);
    compare_sensors(a, b, file);
    compare_motion(a, b, file);
}

// Writes a model into `folder` and reads it back. Returns 0 when the writer says that it cannot.
static int round_trip(const ts_model* model, const char* folder, const char* file) {
    char path[600];
    ts_status status;
    ts_model* back = NULL;
    memset(&status, 0, sizeof status);
    snprintf(path, sizeof path, "%s/back.xml", folder);
    ts_code code = ts_mjcf_writer_save(model, path, &status);
    if (code == TS_ERROR_UNSUPPORTED) return 0;
    cr_assert_eq(code, TS_OK, "%s: %s:%d: %s", file, status.file, status.line, status.message);
    cr_assert_eq(ts_model_file_load(path, NULL, NULL, &back, &status), TS_OK, "%s: %d: %s", file, status.line,
                 status.message);
    compare(model, back, file);
    ts_model_free(back);
    remove(path);
    return 1;
}

// Every model file below `root` that can be read at all; folders of hidden names are left out. Returns how many.
static int round_trip_all(const char* root, const char* folder, int depth) {
    int count = 0;
    DIR* directory = opendir(root);
    if (!directory || depth > 4) {
        if (directory) closedir(directory);
        return 0;
    }
    for (const struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        char path[1024];
        struct stat info;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            count += round_trip_all(path, folder, depth + 1);
            continue;
        }
        const char* dot = strrchr(path, '.');
        if (!dot || (strcmp(dot, ".xml") != 0 && strcmp(dot, ".urdf") != 0)) continue;
        ts_model* model = NULL;
        if (ts_model_file_load(path, NULL, NULL, &model, NULL) != TS_OK) continue;
        count += round_trip(model, folder, path);
        ts_model_free(model);
    }
    closedir(directory);
    return count;
}

Test(mjcf_writer, own_scenes_and_seeds) {
    char folder[256];
    scratch_make(folder);
    cr_expect_gt(round_trip_all("scenes", folder, 0), 3);
    cr_expect_gt(round_trip_all("tests/fuzz/corpus_mjcf", folder, 0), 10);
    cr_expect_gt(round_trip_all("tests/fuzz/corpus_urdf", folder, 0), 5);
    rmdir(folder);
}

Test(mjcf_writer, robots) {
    const char* data = getenv("TOUCHSTONE_DATA");
    char root[512], folder[256];
    struct stat info;
    snprintf(root, sizeof root, "%s/robots", data ? data : "");
    if (!data || stat(root, &info) != 0) cr_skip_test("TOUCHSTONE_DATA names no folder with robots");
    scratch_make(folder);
    cr_expect_gt(round_trip_all(root, folder, 0), 10);
    rmdir(folder);
}

static ts_model* mjcf_of(const char* contents) {
    char text[4096];
    snprintf(text, sizeof text, "<mujoco>%s</mujoco>", contents);
    return mjcf_read(text);
}

// What robots on disk happen not to have.
Test(mjcf_writer, everything) {
    static const char* const models[] = {
        // Unnamed things that others refer to cannot be referred to in MJCF either; names with marks can.
        "<worldbody><body name='a &amp; &quot;b&quot;'><joint name='&lt;j&gt;' type='ball' range='0 60' damping='1'/>"
        "<geom size='1' friction='0.5 0.1 0.2' condim='6' priority='3' solref='-100 -5' solimp='0.8 0.9 0.01 0.3 4' "
        "solmix='2' margin='0.3' gap='-0.4' surfacevel='0.1 0.2 0 0 0 3' adhesion='2' contype='3' conaffinity='5' "
        "rgba='0.1 0.2 0.3 "
        "0.4'/></body></worldbody>",
        // Connections by anchor and by sites that do not meet.
        "<worldbody><body name='a'><freejoint/><geom size='1'/><site name='s' pos='1 0 0'/></body><body name='b' "
        "pos='0 0 5'>"
        "<freejoint/><geom size='1'/><site name='t' pos='0 1 0' quat='1 2 3 4'/></body></worldbody><equality>"
        "<connect body1='a' body2='b' anchor='0 0 2' solref='0.05 0.7'/><connect site1='s' site2='t' active='false'/>"
        "<connect body1='b' anchor='1 1 1'/></equality>",
        // Actuators of every law, on joints and sites, some idle.
        "<option actuatorgroupdisable='2'/><worldbody><site name='w'/><body name='a'><joint name='j' range='-1 1' "
        "actuatorfrcrange='-5 6' limited='true' margin='0.02' solreflimit='-3 -4' solimplimit='0.1 0.2 0.3 0.4 5' "
        "solreffriction='0.3 0.4' solimpfriction='0.5 0.6 0.7 0.8 9' armature='0.5' ref='0.1' stiffness='3' "
        "springref='0.2' "
        "frictionloss='0.4'/><geom size='1' pos='1 0 0'/><site name='s' pos='0.3 0 0'/></body></worldbody><actuator>"
        "<motor joint='j' ctrlrange='-1 1' ctrllimited='true' gear='3'/><position jointinparent='j' kp='10' "
        "dampratio='1'/><velocity joint='j' kv='2' group='2' forcerange='-1 2' forcelimited='true'/>"
        "<intvelocity joint='j' kp='5' actrange='-1 1'/><damper joint='j' kv='2' ctrlrange='0 1'/>"
        "<general site='s' refsite='w' gear='1 2 3 4 5 6' dyntype='filter' dynprm='0.3' gainprm='2' biastype='affine' "
        "biasprm='1 2 -3'/></actuator><keyframe><key name='k' time='2' qpos='0.3' qvel='0.1' act='0.4 0.5' "
        "ctrl='1 2 3 4 0 6'/></keyframe>",
        // Tendons of every part, tied to each other and pulled at; what they pass by has no name.
        "<worldbody><site name='p' pos='0 0 1'/><site name='q' pos='0 0.3 0'/><body name='a'><joint name='j' axis='0 1 "
        "0'/><geom "
        "size='0.1' pos='0.5 0 0' name='g'/><site name='s' pos='1 0 0'/><body pos='1 0 0'><joint name='k' axis='0 1 "
        "0'/>"
        "<geom size='0.1' pos='0.5 0 0'/><site name='t' pos='1 0 0'/></body></body></worldbody><tendon><fixed name='f' "
        "range='-1 2' limited='true' margin='0.01' solreflimit='1 2' solimpfriction='0.5 0.6 0.7 0.8 9' "
        "stiffness='3' springlength='0.1 0.2' damping='0.4'><joint joint='j' "
        "coef='2'/><joint "
        "joint='k' coef='-1'/></fixed><spatial name='u' stiffness='5' frictionloss='0.3'><site site='p'/><geom "
        "geom='g' "
        "sidesite='q'/><site site='s'/><pulley divisor='2'/><site site='s'/><site "
        "site='t'/></spatial></tendon><equality>"
        "<tendon tendon1='f' tendon2='u' polycoef='0.1 2 0 0 0' active='false'/></equality><actuator><motor tendon='f' "
        "gear='2'/>"
        "</actuator>",
        // Sensors of joints, tendons, actuators and the world; what they look at has no other need of a name.
        "<option magnetic='1 2 3'/><worldbody><body><joint name='h' range='-1 1' limited='true' ref='0.2'/><geom "
        "size='1' "
        "pos='1 0 0'/><body><joint name='b' type='ball'/><geom size='1' pos='1 0 "
        "0'/></body></body></worldbody><tendon><fixed name='t' range='0 1' "
        "limited='true'><joint joint='h' coef='2'/></fixed></tendon><actuator><motor name='m' joint='h'/></actuator>"
        "<sensor><jointpos name='p' joint='h' cutoff='0.1' noise='0.2'/><jointlimitfrc joint='h'/><ballquat "
        "joint='b'/><tendonvel tendon='t'/><actuatorfrc actuator='m'/><clock/><e_kinetic name='e'/></sensor>",
        // A pair with a surface of its own between geoms that masks keep apart, and a body that floats.
        "<worldbody><geom name='floor' type='plane' size='1 1 1' contype='0' conaffinity='0'/><body gravcomp='0.5' "
        "pos='0 0 1'>"
        "<freejoint/><geom name='ball' size='1' contype='0' conaffinity='0'/></body></worldbody><contact><pair "
        "geom1='floor' "
        "geom2='ball' condim='6' friction='0.3 0.3 0.2 0.1 0.1' solref='0.05 0.7' solreffriction='0.3 1' margin='0.1' "
        "gap='0.2'/></contact>",
        // Bodies that are moved from outside, in a keyframe, too.
        "<worldbody><body name='h' mocap='true' pos='1 2 3' quat='0.5 0.5 0.5 0.5'><geom size='1'/></body><body "
        "mocap='true'/></worldbody><keyframe><key mpos='1 2 3 4 5 6' mquat='1 0 0 0 0 1 0 0'/></keyframe>",
        // Options that only Touchstone has, and bounce.
        "<option timestep='0.004' gravity='1 2 3' impratio='10' integrator='RK4'/><custom><text "
        "name='touchstone.solver' "
        "data='ccp-pgs'/><numeric name='touchstone.slop' data='0.001'/><numeric name='touchstone.restitution' "
        "data='0.25 0.75'/></custom><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom type='box' "
        "size='1 2 3'/></body></worldbody>",
        // Meshes in the file itself, mirrored and turned.
        "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3' scale='-1 2 1' refquat='1 1 0 0' refpos='1 2 "
        "3'/></asset>"
        "<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>",
    };
    char folder[256];
    scratch_make(folder);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) {
        ts_model* model = mjcf_of(models[i]);
        cr_expect(round_trip(model, folder, models[i]), "refused: %s", models[i]);
        ts_model_free(model);
    }
    rmdir(folder);
}

// Meshes keep their files, whatever folder the new file is in; Collada is written as corners.
Test(mjcf_writer, meshes) {
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    static const char dae[] =
        "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0 1 0 0 0 2 0 0 0 3"
        "</float_array></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles><input "
        "semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"
        "</library_geometries></COLLADA>";
    static const char urdf[] = "<robot name='r'><link name='a'><collision><geometry><mesh filename='t.obj' scale='-1 2 "
                               "0.5'/></geometry></collision>"
                               "<collision><geometry><mesh filename='t.dae'/></geometry></collision></link></robot>";
    char folder[256], path[512], deep[512];
    ts_model *model = NULL, *back = NULL;
    ts_status status;
    scratch_make(folder);
    scratch_write(folder, "t.obj", obj, sizeof obj - 1);
    scratch_write(folder, "t.dae", dae, sizeof dae - 1);
    scratch_write(folder, "r.urdf", urdf, sizeof urdf - 1);
    snprintf(path, sizeof path, "%s/r.urdf", folder);
    cr_assert_eq(ts_model_file_load(path, NULL, NULL, &model, &status), TS_OK, "%s", status.message);
    snprintf(deep, sizeof deep, "%s/deep", folder);
    cr_assert_eq(mkdir(deep, 0777), 0);
    cr_expect(round_trip(model, folder, "beside"));
    cr_expect(round_trip(model, deep, "below"));
    snprintf(path, sizeof path, "%s/r.xml", deep);
    cr_assert_eq(ts_mjcf_writer_save(model, path, &status), TS_OK);
    cr_assert_eq(ts_model_file_load(path, NULL, NULL, &back, &status), TS_OK);
    cr_expect_str_eq(strrchr(back->hull_source[0].file, '/'), "/t.obj");
    cr_expect_str_eq(back->hull_source[1].file, "");
    ts_text text = {0};
    cr_assert_eq(ts_mjcf_writer_text(model, NULL, &text, &status), TS_OK);
    cr_expect_null(strstr(ts_text_get(&text), "t.obj"));
    ts_text_free(&text);
    ts_model_free(back);
    ts_model_free(model);
    remove(path);
    rmdir(deep);
    scratch_remove(folder, "t.obj");
    scratch_remove(folder, "t.dae");
    scratch_remove(folder, "r.urdf");
    rmdir(folder);
}

// After an error the old file stands, and no other is left.
Test(mjcf_writer, nothing_half_written) {
    char folder[256], path[512];
    ts_status status;
    struct stat info;
    scratch_make(folder);
    ts_builder* builder = ts_builder_create("cone and compound");
    ts_geom_def geom = ts_geom_def_default();
    static const ts_vec3 corner[] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    geom.shape = ts_shape_triangle(corner);
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    ts_model* model = NULL;
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_OK, "%s", status.message);
    snprintf(path, sizeof path, "%s/a.xml", folder);
    cr_expect_eq(ts_mjcf_writer_save(model, path, &status), TS_ERROR_UNSUPPORTED);
    cr_expect(strstr(status.message, "triangle"), "%s", status.message);
    cr_expect_neq(stat(path, &info), 0);
    scratch_write(folder, "a.xml", "old", 3);
    cr_expect_eq(ts_mjcf_writer_save(model, path, &status), TS_ERROR_UNSUPPORTED);
    cr_assert_eq(stat(path, &info), 0);
    cr_expect_eq(info.st_size, 3);
    ts_model_free(model);
    model = mjcf_of("<worldbody/>");
    cr_expect_neq(ts_mjcf_writer_save(model, "/nonexistent/folder/a.xml", &status), TS_OK);
    ts_model_free(model);
    scratch_remove(folder, "a.xml");
    cr_expect_eq(rmdir(folder), 0, "something is left");
}
