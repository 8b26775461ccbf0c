// The builder: layout of trees and degrees of freedom, masses against closed forms, and what it refuses.
#include "engine/model/builder.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <string.h>

static int add_body(ts_builder* b, const char* name, int parent, ts_vec3 position) {
    ts_body_def def = ts_body_def_default();
    def.name = name;
    def.parent = parent;
    def.pose.position = position;
    int index = ts_builder_add_body(b, &def);
    cr_assert_geq(index, 0);
    return index;
}

static void add_joint(ts_builder* b, int body, ts_joint_type type) {
    ts_joint_def def = ts_joint_def_default();
    def.body = body;
    def.type = type;
    cr_assert_geq(ts_builder_add_joint(b, &def), 0);
}

static void add_sphere(ts_builder* b, int body, double radius) {
    ts_geom_def def = ts_geom_def_default();
    def.body = body;
    def.shape = ts_shape_sphere(radius);
    cr_assert_geq(ts_builder_add_geom(b, &def), 0);
}

static ts_model* finish(ts_builder* b) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_builder_finish(b, &model, &status), TS_OK, "%s", status.message);
    cr_assert_not_null(model);
    return model;
}

// Finishing must fail with a message that contains `wanted`.
static void refuse(ts_builder* b, const char* wanted) {
    ts_model* model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    cr_assert_eq(ts_builder_finish(b, &model, &status), TS_ERROR_VALUE, "no failure: %s", wanted);
    cr_assert_null(model);
    cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
}

static ts_builder* one_ball(void) {
    ts_builder* b = ts_builder_create("one");
    add_body(b, "ball", 0, ts_vec3_make(0.0, 0.0, 1.0));
    add_joint(b, 1, TS_JOINT_FREE);
    add_sphere(b, 1, 0.1);
    return b;
}

Test(builder, dofs_are_contiguous_per_tree_even_when_bodies_interleave) {
    ts_builder* b = ts_builder_create("two arms");
    int base[2], tip[2];
    for (int k = 0; k < 2; ++k) base[k] = add_body(b, k ? "b1" : "b0", 0, ts_vec3_make(k, 0.0, 0.0));
    for (int k = 0; k < 2; ++k) tip[k] = add_body(b, k ? "t1" : "t0", base[k], ts_vec3_make(0.0, 0.0, 1.0));
    int welded = add_body(b, "welded", tip[0], ts_vec3_make(0.0, 0.0, 1.0));
    int fixed = add_body(b, "fixed", 0, ts_vec3_zero());
    // Joints and geoms in the opposite order of bodies.
    for (int k = 1; k >= 0; --k) {
        add_joint(b, tip[k], TS_JOINT_BALL);
        add_joint(b, base[k], TS_JOINT_SLIDE);
        add_joint(b, base[k], TS_JOINT_HINGE);
        add_sphere(b, tip[k], 0.1);
        add_sphere(b, base[k], 0.2);
    }
    add_sphere(b, welded, 0.1);
    add_sphere(b, fixed, 0.1);
    ts_model* m = finish(b);
    cr_assert_eq(m->tree_count, 2);
    cr_assert_eq(m->nv, 10);
    cr_assert_eq(m->nq, 12);
    for (int t = 0; t < 2; ++t) {
        cr_assert_eq(m->tree[t].root, base[t]);
        cr_assert_eq(m->tree[t].dof_first, 5 * t);
        cr_assert_eq(m->tree[t].dof_count, 5);
        for (int i = 0; i < 5; ++i) {
            const ts_dof* dof = &m->dof[5 * t + i];
            cr_assert_eq(dof->tree, t);
            cr_assert_eq(dof->parent, i ? 5 * t + i - 1 : -1);
            cr_assert_eq(dof->body, i < 2 ? base[t] : tip[t]);
        }
        cr_assert_eq(m->body[base[t]].dof_last, 5 * t + 1);
        cr_assert_eq(m->body[tip[t]].dof_last, 5 * t + 4);
    }
    // The slide was added before the hinge and stays before it.
    cr_assert_eq(m->joint[m->body[base[0]].joint_first].type, TS_JOINT_SLIDE);
    cr_assert_eq(m->body[welded].weld, tip[0]);
    cr_assert_eq(m->body[welded].tree, 0);
    cr_assert_eq(m->body[welded].dof_last, m->body[tip[0]].dof_last);
    cr_assert_eq(m->body[fixed].weld, 0);
    cr_assert_eq(m->body[fixed].tree, -1);
    cr_assert_eq(m->body[fixed].dof_last, -1);
    for (int i = 0; i < m->geom_count; ++i) {
        const ts_body* body = &m->body[m->geom[i].body];
        cr_assert(i >= body->geom_first && i < body->geom_first + body->geom_count);
    }
    cr_assert_eq(ts_model_find_body(m, "t1"), tip[1]);
    cr_assert_eq(ts_model_find_body(m, "nobody"), -1);
    ts_model_free(m);
}

// Invariants of any tree, for random forests: the chain of dofs above a dof is that of its body and its ancestors.
Test(builder, dof_chains_of_random_forests) {
    ts_rng rng = ts_rng_make(11, 0);
    for (int round = 0; round < 50; ++round) {
        ts_builder* b = ts_builder_create(NULL);
        int parent[40];
        for (int i = 1; i < 40; ++i) {
            parent[i] = (int)(ts_rng_uniform(&rng) * (double)i);
            add_body(b, NULL, parent[i], ts_vec3_make(ts_rng_uniform(&rng), ts_rng_uniform(&rng), 1.0));
            add_sphere(b, i, 0.1 + ts_rng_uniform(&rng));
            if (ts_rng_uniform(&rng) < 0.6) add_joint(b, i, TS_JOINT_HINGE);
            if (ts_rng_uniform(&rng) < 0.3) add_joint(b, i, TS_JOINT_SLIDE);
        }
        ts_model* m = finish(b);
        for (int i = 1; i < 40; ++i) {
            // Walk dof_last down the chain and count; compare with the joints of the ancestors.
            int wanted = 0, got = 0;
            for (int a = i; a > 0; a = parent[a]) wanted += m->body[a].dof_count;
            for (int d = m->body[i].dof_last; d >= 0; d = m->dof[d].parent) {
                cr_assert_eq(m->dof[d].tree, m->body[i].tree);
                cr_assert_lt(m->dof[d].parent, d);
                ++got;
            }
            cr_assert_eq(got, wanted);
        }
        int sum = 0;
        for (int t = 0; t < m->tree_count; ++t) {
            cr_assert_eq(m->tree[t].dof_first, sum);
            sum += m->tree[t].dof_count;
        }
        cr_assert_eq(sum, m->nv);
        ts_model_free(m);
    }
}

Test(builder, mass_from_geoms_follows_the_parallel_axis_theorem) {
    // A dumbbell: two solid balls of radius r at +-d along a turned axis, joined by nothing.
    const double r = 0.1, d = 0.7, m = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
    ts_builder* b = ts_builder_create(NULL);
    add_body(b, NULL, 0, ts_vec3_zero());
    add_joint(b, 1, TS_JOINT_FREE);
    ts_vec3 axis = ts_vec3_unit_or(ts_vec3_make(1.0, 2.0, 2.0), ts_vec3_zero());
    ts_vec3 middle = ts_vec3_make(5.0, -3.0, 2.0);
    for (int side = -1; side <= 1; side += 2) {
        ts_geom_def def = ts_geom_def_default();
        def.body = 1;
        def.shape = ts_shape_sphere(r);
        def.pose.position = ts_vec3_add_scaled(middle, side * d, axis);
        ts_builder_add_geom(b, &def);
    }
    ts_model* model = finish(b);
    const ts_body* body = &model->body[1];
    cr_assert_float_eq(body->mass, 2.0 * m, 1e-12 * m);
    cr_assert_lt(ts_vec3_distance(body->centre, middle), 1e-14);
    ts_vec3 u = ts_mat3_mul_vec(&body->inertia, axis);
    double along = 2.0 * 0.4 * m * r * r, across = along + 2.0 * m * d * d;
    cr_assert_lt(ts_vec3_norm(ts_vec3_add_scaled(u, -along, axis)), 1e-12);
    ts_vec3 side = ts_vec3_unit_or(ts_vec3_cross(axis, ts_vec3_axis(0)), ts_vec3_zero());
    u = ts_mat3_mul_vec(&body->inertia, side);
    cr_assert_lt(ts_vec3_norm(ts_vec3_add_scaled(u, -across, side)), 1e-12);
    cr_assert_float_eq(ts_model_total_mass(model), 2.0 * m, 1e-12);
    ts_model_free(model);
}

Test(builder, geom_mass_overrides_density_and_planes_weigh_nothing) {
    ts_builder* b = ts_builder_create(NULL);
    add_body(b, NULL, 0, ts_vec3_zero());
    add_joint(b, 1, TS_JOINT_FREE);
    ts_geom_def def = ts_geom_def_default();
    def.body = 1;
    def.shape = ts_shape_box(ts_vec3_make(0.5, 1.0, 1.5));
    def.mass = 12.0;
    ts_builder_add_geom(b, &def);
    def.shape = ts_shape_plane();
    ts_builder_add_geom(b, &def);
    ts_model* m = finish(b);
    cr_assert_eq(m->body[1].mass, 12.0);
    // m/12 (b^2 + c^2) with edges 1, 2, 3.
    cr_assert_float_eq(m->body[1].inertia.m[0][0], 13.0, 1e-12);
    cr_assert_float_eq(m->body[1].inertia.m[1][1], 10.0, 1e-12);
    cr_assert_float_eq(m->body[1].inertia.m[2][2], 5.0, 1e-12);
    ts_model_free(m);
}

Test(builder, initial_state) {
    ts_builder* b = one_ball();
    add_body(b, "arm", 0, ts_vec3_zero());
    ts_joint_def def = ts_joint_def_default();
    def.body = 2;
    def.reference = 0.25;
    ts_builder_add_joint(b, &def);
    add_sphere(b, 2, 0.1);
    cr_assert_eq(ts_builder_set_free_velocity(b, 1, ts_vec3_make(1.0, 2.0, 3.0), ts_vec3_make(4.0, 5.0, 6.0)), 1);
    cr_assert_eq(ts_builder_set_free_velocity(b, 2, ts_vec3_zero(), ts_vec3_zero()), 0);
    cr_assert_eq(ts_builder_set_free_velocity(b, 9, ts_vec3_zero(), ts_vec3_zero()), 0);
    const double other[8] = {9.0, 9.0, 9.0, 2.0, 0.0, 0.0, 0.0, 9.0};
    ts_builder_add_keyframe(b, &(ts_keyframe_def){.name = "rest", .time = 0.5});
    ts_builder_add_keyframe(b, &(ts_keyframe_def){.name = "other", .time = 1.5, .qpos = other, .qpos_count = 8});
    ts_model* m = finish(b);
    const double qpos[8] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.25}, qvel[7] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0};
    cr_assert_eq(memcmp(m->qpos0, qpos, sizeof qpos), 0);
    cr_assert_eq(memcmp(m->qvel0, qvel, sizeof qvel), 0);
    cr_assert_eq(memcmp(m->keyframe[0].qpos, qpos, sizeof qpos), 0);
    cr_assert_eq(memcmp(m->keyframe[0].qvel, qvel, sizeof qvel), 0);
    cr_assert_eq(m->keyframe[1].time, 1.5);
    cr_assert_eq(m->keyframe[1].qpos[3], 1.0, "the quaternion of a keyframe was not normalised");
    cr_assert_eq(ts_model_find_keyframe(m, "other"), 1);
    ts_model_free(m);
}

Test(builder, a_keyframe_can_be_the_beginning) {
    ts_builder* b = one_ball();
    const double qpos[7] = {1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0}, qvel[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 2.0};
    ts_builder_add_keyframe(
        b, &(ts_keyframe_def){.qpos = qpos, .qpos_count = 7, .qvel = qvel, .qvel_count = 6, .is_initial = 1});
    ts_model* m = finish(b);
    cr_assert_eq(memcmp(m->qpos0, qpos, sizeof qpos), 0);
    cr_assert_eq(memcmp(m->qvel0, qvel, sizeof qvel), 0);
    ts_model_free(m);
}

Test(builder, who_can_touch_whom) {
    ts_builder* b = ts_builder_create(NULL);
    add_sphere(b, 0, 0.1);  // geom 0, world
    int a = add_body(b, NULL, 0, ts_vec3_zero());
    int child = add_body(b, NULL, a, ts_vec3_zero());     // moves against a
    int foot = add_body(b, NULL, child, ts_vec3_zero());  // welded to child
    int other = add_body(b, NULL, 0, ts_vec3_zero());
    int fixed = add_body(b, NULL, 0, ts_vec3_zero());
    add_joint(b, a, TS_JOINT_FREE);
    add_joint(b, child, TS_JOINT_HINGE);
    add_joint(b, other, TS_JOINT_FREE);
    const int order[5] = {a, child, foot, other, fixed};
    for (int i = 0; i < 5; ++i) add_sphere(b, order[i], 0.1);  // geoms 1 to 5
    ts_geom_def masked = ts_geom_def_default();
    masked.body = other;
    masked.category = 2;
    masked.mask = 4;
    ts_builder_add_geom(b, &masked);  // other's second geom: 5, fixed's becomes 6
    ts_builder_exclude(b, foot, other);
    ts_builder_exclude(b, other, foot);  // twice, the other way round: the same
    ts_model* m = finish(b);
    cr_assert_eq(m->exclusion_count, 1);
    enum { WORLD, A, CHILD, FOOT, OTHER, MASKED, FIXED };
    static const int touch[][3] = {{WORLD, A, 1},    {WORLD, FIXED, 0}, {A, CHILD, 0},      {A, FOOT, 0},
                                   {CHILD, FOOT, 0}, {A, OTHER, 1},     {CHILD, OTHER, 1},  {FOOT, OTHER, 0},
                                   {A, FIXED, 1},    {A, MASKED, 0},    {OTHER, MASKED, 0}, {OTHER, FIXED, 1}};
    for (size_t i = 0; i < sizeof touch / sizeof touch[0]; ++i) {
        cr_assert_eq(ts_model_geoms_can_touch(m, touch[i][0], touch[i][1]), touch[i][2], "%d %d", touch[i][0],
                     touch[i][1]);
        cr_assert_eq(ts_model_geoms_can_touch(m, touch[i][1], touch[i][0]), touch[i][2], "%d %d", touch[i][1],
                     touch[i][0]);
    }
    ts_model_free(m);
}

// Many exclusions, in any order and repeated, against a table.
Test(builder, exclusions_are_found_among_many) {
    enum { COUNT = 24 };
    static unsigned char excluded[COUNT][COUNT];
    ts_rng rng = ts_rng_make(5, 0);
    for (int round = 0; round < 20; ++round) {
        ts_builder* b = ts_builder_create(NULL);
        memset(excluded, 0, sizeof excluded);
        for (int i = 1; i < COUNT; ++i) {
            add_body(b, NULL, 0, ts_vec3_zero());
            add_joint(b, i, TS_JOINT_FREE);
            add_sphere(b, i, 0.1);
        }
        for (int k = 0; k < 10 * round; ++k) {
            int i = 1 + (int)(ts_rng_uniform(&rng) * (COUNT - 1)), j = 1 + (int)(ts_rng_uniform(&rng) * (COUNT - 1));
            ts_builder_exclude(b, i, j);
            excluded[i][j] = excluded[j][i] = 1;
        }
        ts_model* m = finish(b);
        for (int i = 1; i < COUNT; ++i)
            for (int j = 1; j < COUNT; ++j)
                if (i != j) cr_assert_eq(ts_model_geoms_can_touch(m, i - 1, j - 1), !excluded[i][j], "%d %d", i, j);
        ts_model_free(m);
    }
}

Test(builder, refuses_bad_bodies) {
    ts_builder* b = one_ball();
    add_body(b, "ball", 0, ts_vec3_zero());
    refuse(b, "same name");

    ts_body_def def = ts_body_def_default();
    def.parent = 7;
    b = one_ball();
    cr_assert_eq(ts_builder_add_body(b, &def), -1);
    refuse(b, "body: there was no body 7");
    b = one_ball();
    ts_geom_def geom = ts_geom_def_default();
    geom.body = -1;
    cr_assert_eq(ts_builder_add_geom(b, &geom), -1);
    refuse(b, "geom: there was no body -1");
    b = one_ball();
    cr_assert_eq(ts_builder_exclude(b, 1, 9), 0);
    refuse(b, "exclusion");

    b = one_ball();
    def.parent = 0;
    def.pose.rotation = ts_quat_make(0.0, 0.0, 0.0, 0.0);
    ts_builder_add_body(b, &def);
    refuse(b, "quaternion is zero");

    def = ts_body_def_default();
    def.pose.position.x = (double)NAN;
    b = one_ball();
    ts_builder_add_body(b, &def);
    refuse(b, "not finite");

    static const double moments[][3] = {{1.0, 1.0, 2.1}, {-1.0, 1.0, 1.0}, {(double)NAN, 1.0, 1.0}};
    static const char* const why[] = {"triangle inequality", "negative principal moment", "not finite"};
    for (int i = 0; i < 3; ++i) {
        def = ts_body_def_default();
        def.name = "bad";
        def.mass = 1.0;
        def.inertia = ts_mat3_diagonal(ts_vec3_load(moments[i]));
        def.file = "some.file";
        def.line = 42;
        b = one_ball();
        ts_builder_add_body(b, &def);
        ts_model* model = NULL;
        ts_status status;
        cr_assert_eq(ts_builder_finish(b, &model, &status), TS_ERROR_VALUE);
        cr_assert(strstr(status.message, why[i]), "%s", status.message);
        cr_assert(strstr(status.message, "bad"));
        cr_assert_str_eq(status.file, "some.file");
        cr_assert_eq(status.line, 42);
    }
    def = ts_body_def_default();
    def.mass = 1.0;
    def.inertia.m[0][1] = 0.5;
    def.inertia.m[0][0] = def.inertia.m[1][1] = def.inertia.m[2][2] = 1.0;
    b = one_ball();
    ts_builder_add_body(b, &def);
    refuse(b, "not symmetric");
    def = ts_body_def_default();
    def.mass = (double)INFINITY;
    b = one_ball();
    ts_builder_add_body(b, &def);
    refuse(b, "mass is not finite");
}

Test(builder, a_thin_rod_may_have_rounded_moments) {
    ts_builder* b = ts_builder_create(NULL);
    ts_body_def def = ts_body_def_default();
    def.mass = 1.0;
    def.inertia = ts_mat3_diagonal(ts_vec3_make(1e-8, 0.0833333, 0.0833334));
    ts_builder_add_body(b, &def);
    add_joint(b, 1, TS_JOINT_FREE);
    ts_model_free(finish(b));
}

Test(builder, refuses_bad_joints) {
    ts_joint_def def = ts_joint_def_default();
    def.body = 1;
    ts_builder* b = one_ball();
    ts_builder_add_joint(b, &def);
    refuse(b, "only joint");

    b = one_ball();
    int child = add_body(b, NULL, 1, ts_vec3_zero());
    add_sphere(b, child, 0.1);
    add_joint(b, child, TS_JOINT_FREE);
    refuse(b, "child of the world");

    static const struct {
        const char* why;
        ts_joint_def def;
    } bad[] = {{"axis is zero", {.axis = {0.0, 0.0, 0.0}, .type = TS_JOINT_HINGE}},
               {"axis is not finite", {.axis = {(double)NAN, 0.0, 0.0}, .type = TS_JOINT_SLIDE}},
               {"ascending", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .limited = 1, .range = {1.0, 1.0}}},
               {"begin with 0", {.type = TS_JOINT_BALL, .limited = 1, .range = {-1.0, 1.0}}},
               {"positive angle", {.type = TS_JOINT_BALL, .limited = 1, .range = {0.0, 0.0}}},
               {"damping is negative", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .damping = -1.0}},
               {"armature is negative", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .armature = -1.0}},
               {"friction is negative", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .friction = -1.0}},
               {"stiffness is negative", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .spring = -1.0}},
               {"not finite", {.axis = {1.0, 0.0, 0.0}, .type = TS_JOINT_HINGE, .reference = (double)NAN}},
               {"type is unknown", {.axis = {1.0, 0.0, 0.0}, .type = (ts_joint_type)17}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        b = one_ball();
        int body = add_body(b, NULL, 0, ts_vec3_zero());
        add_sphere(b, body, 0.1);
        def = bad[i].def;
        def.body = body;
        ts_builder_add_joint(b, &def);
        refuse(b, bad[i].why);
    }
    b = one_ball();
    def = ts_joint_def_default();
    ts_builder_add_joint(b, &def);
    refuse(b, "world cannot have joints");
}

Test(builder, refuses_bad_geoms_sites_and_keyframes) {
    static const struct {
        const char* why;
        int what;
    } bad[] = {{"friction", 0},
               {"restitution", 1},
               {"contact dimension", 2},
               {"density", 3},
               {"mass", 4},
               {"quaternion", 5},
               {"", 6},
               {"", 7}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        ts_builder* b = one_ball();
        ts_geom_def def = ts_geom_def_default();
        if (bad[i].what == 0) def.surface.friction = -0.1;
        if (bad[i].what == 1) def.surface.restitution = 1.1;
        if (bad[i].what == 2) def.surface.dimension = 2;
        if (bad[i].what == 3) def.density = (double)NAN;
        if (bad[i].what == 4) def.mass = (double)INFINITY;
        if (bad[i].what == 5) def.pose.rotation.w = 0.0;
        if (bad[i].what == 6) def.shape = ts_shape_sphere(0.0);
        if (bad[i].what == 7) def.shape = ts_shape_hull(NULL);
        ts_builder_add_geom(b, &def);
        refuse(b, bad[i].why);
    }
    ts_builder* b = one_ball();
    ts_builder_add_site(b, "s", 1, ts_pose_identity(), ts_shape_sphere(-1.0), NULL, 0);
    refuse(b, "size");
    const double numbers[7] = {0.0};
    b = one_ball();
    ts_builder_add_keyframe(b, &(ts_keyframe_def){.name = "k", .qpos = numbers, .qpos_count = 6});
    refuse(b, "qpos has 6 numbers, but the model takes 7");
    b = one_ball();
    ts_builder_add_keyframe(b, &(ts_keyframe_def){.name = "k", .qvel = numbers, .qvel_count = 7});
    refuse(b, "qvel has 7 numbers, but the model takes 6");
    b = one_ball();
    ts_builder_add_keyframe(b,
                            &(ts_keyframe_def){.name = "k", .qpos = numbers, .qpos_count = 7, .file = "f", .line = 3});
    refuse(b, "quaternion at qpos[3] is zero");
    b = one_ball();
    ts_builder_options(b)->time_step = 0.0;
    refuse(b, "time_step");
}

// A massless body may stand between two joints if what hangs on it, or armature, makes every joint move something.
Test(builder, massless_bodies_need_something_behind_them) {
    ts_builder* b = ts_builder_create(NULL);
    add_body(b, "empty", 0, ts_vec3_zero());
    add_joint(b, 1, TS_JOINT_HINGE);
    refuse(b, "moves nothing");

    b = ts_builder_create(NULL);
    add_body(b, "gimbal", 0, ts_vec3_zero());
    ts_joint_def def = ts_joint_def_default();
    def.body = 1;
    def.axis = ts_vec3_axis(0);
    ts_builder_add_joint(b, &def);
    int ball = add_body(b, NULL, 1, ts_vec3_zero());
    def.body = ball;
    def.axis = ts_vec3_axis(1);
    ts_builder_add_joint(b, &def);
    add_sphere(b, ball, 0.1);
    ts_model_free(finish(b));

    // The same with parallel axes through one point: only one of the two turns is ever felt.
    for (int with_armature = 0; with_armature < 2; ++with_armature) {
        b = ts_builder_create(NULL);
        add_body(b, "double", 0, ts_vec3_zero());
        def = ts_joint_def_default();
        def.body = 1;
        def.armature = with_armature ? 0.01 : 0.0;
        ts_builder_add_joint(b, &def);
        ball = add_body(b, NULL, 1, ts_vec3_zero());
        def.body = ball;
        ts_builder_add_joint(b, &def);
        add_sphere(b, ball, 0.1);
        if (with_armature)
            ts_model_free(finish(b));
        else
            refuse(b, "moves nothing");
    }

    // A point mass has no inertia to turn.
    b = ts_builder_create(NULL);
    ts_body_def point = ts_body_def_default();
    point.mass = 1.0;
    ts_builder_add_body(b, &point);
    add_joint(b, 1, TS_JOINT_FREE);
    refuse(b, "moves nothing");
    // Hung off the axis, it has.
    b = ts_builder_create(NULL);
    point.centre = ts_vec3_make(1.0, 0.0, 0.0);
    ts_builder_add_body(b, &point);
    add_joint(b, 1, TS_JOINT_HINGE);
    ts_model_free(finish(b));
}

Test(builder, giving_up_frees_everything) {
    const ts_vec3 corner[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int fail = 0; fail < 3; ++fail) {
        ts_hull* hull = NULL;
        ts_status status;
        cr_assert_eq(ts_hull_build(corner, 4, &hull, &status), TS_OK, "%s", status.message);
        ts_builder* b = one_ball();
        cr_assert_eq(ts_builder_add_hull(b, hull), 1);
        ts_geom_def def = ts_geom_def_default();
        def.body = 1;
        def.shape = ts_shape_hull(hull);
        ts_builder_add_geom(b, &def);
        ts_builder_set_source(b, "text");
        if (fail == 0) {
            ts_builder_free(b);
        } else if (fail == 1) {
            add_body(b, "ball", 0, ts_vec3_zero());
            refuse(b, "same name");
        } else {
            ts_model* m = finish(b);
            cr_assert_eq(m->hull_count, 1);
            cr_assert_str_eq(m->source, "text");
            ts_model_free(m);
        }
    }
    ts_builder_free(NULL);
    ts_model_free(NULL);
}

Test(builder, equalities_are_checked_and_follow_their_joints) {
    ts_equality_def def = ts_equality_def_default();
    ts_builder* b = one_ball();
    def.kind = "glue";
    ts_builder_add_equality(b, &def);
    refuse(b, "there is no kind 'glue'");
    b = one_ball();
    def.kind = "contact";
    ts_builder_add_equality(b, &def);
    refuse(b, "there is no kind 'contact'");
    b = one_ball();
    def.kind = "connect";
    def.body[0] = 2;
    ts_builder_add_equality(b, &def);
    refuse(b, "there is no such body");
    b = one_ball();
    def.body[0] = 1;
    def.frame[0].position.y = (double)NAN;
    ts_builder_add_equality(b, &def);
    refuse(b, "a frame is not finite");
    b = one_ball();
    def.frame[0].position.y = 0.0;
    def.softness.solimp[2] = (double)INFINITY;
    ts_builder_add_equality(b, &def);
    refuse(b, "solref and solimp");
    // Joints are reordered by body, and the equality knows.
    b = ts_builder_create("order");
    def = ts_equality_def_default();
    def.kind = "joint-equality";
    for (int i = 0; i < 2; ++i) add_body(b, i ? "second" : "first", 0, ts_vec3_zero());
    for (int i = 2; i > 0; --i) {
        add_joint(b, i, TS_JOINT_HINGE);
        add_sphere(b, i, 0.1);
    }
    def.joint[0] = 0;
    ts_builder_add_equality(b, &def);
    ts_model* model = finish(b);
    cr_assert_eq(model->equality[0].joint[0], 1);
    cr_assert_eq(model->joint[1].body, 2);
    ts_model_free(model);
}
