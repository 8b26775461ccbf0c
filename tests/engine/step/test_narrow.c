// Contacts between geoms: who is A, combined properties, persistent labels and tangents, who may touch.
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

static ts_geom_def geom_on(int body, ts_shape shape) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = shape;
    return geom;
}

// A sphere resting on a floor with the given properties.
static fixture pair(const ts_geom_def* floor_geom, const ts_geom_def* ball_geom) {
    ts_builder* builder = ts_builder_create("pair");
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 1.0, ts_mat3_identity());
    ts_geom_def ball = *ball_geom;
    ball.body = body;
    ball.shape = ts_shape_sphere(0.1);
    ts_builder_add_geom(builder, &ball);
    ts_geom_def ground = *floor_geom;
    ground.shape = ts_shape_plane();
    ts_builder_add_geom(builder, &ground);
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    return f;
}

Test(narrow, the_smaller_kind_is_a_and_the_normal_points_to_b) {
    ts_geom_def geom = ts_geom_def_default();
    fixture f = pair(&geom, &geom);
    cr_assert_eq(f.sim->contact_count, 1);
    const ts_contact* contact = &f.sim->contact[0];
    // The model orders geoms by body, so the plane is geom 0.
    cr_assert_eq(f.model->geom[contact->geom_a].shape.kind, TS_SHAPE_PLANE);
    cr_assert_eq(contact->body_a, 0);
    cr_assert_eq(contact->body_b, 1);
    cr_assert_float_eq(contact->frame.m[2][2], 1.0, 1e-15);
    cr_assert_float_eq(contact->gap, 0.0, 1e-15);
    cr_assert_lt(ts_vec3_norm(contact->position), 1e-15);
    // A plane's first tangent is its x axis, the second is n x t1.
    cr_assert_lt(ts_vec3_distance(ts_mat3_column(&contact->frame, 0), ts_vec3_axis(0)), 1e-15);
    cr_assert_lt(ts_vec3_distance(ts_mat3_column(&contact->frame, 1), ts_vec3_axis(1)), 1e-15);
    fixture_end(&f);
}

static double friction_after_a_step(fixture* f) {
    cr_assert_eq(ts_sim_forward(f->sim, NULL), TS_OK);
    cr_assert_eq(f->sim->contact_count, 1);
    return f->sim->contact[0].surface.friction;
}

// What is known of a surface from the last step is not taken for what it has become.
Test(narrow, a_surface_that_changes_is_seen_at_once) {
    ts_geom_def floor_geom = ts_geom_def_default(), ball = ts_geom_def_default();
    floor_geom.surface.friction = ball.surface.friction = 0.5;
    fixture f = pair(&floor_geom, &ball);
    ts_surface_move move[2] = {{0.25, 0.0}, {0.0, 0.0}};
    ts_geom* geom = (ts_geom*)(uintptr_t)f.model->geom;
    cr_expect_eq(friction_after_a_step(&f), 0.5);
    for (int g = 0; g < 2; ++g) {
        geom[g].surface.friction = 0.75;
        cr_expect_eq(friction_after_a_step(&f), 0.75, "geom %d", g);
        ts_sim_storage_of(f.sim)->surface_move = move;
        cr_expect_eq(friction_after_a_step(&f), 1.0, "geom %d", g);
        ts_sim_storage_of(f.sim)->surface_move = NULL;
        cr_expect_eq(friction_after_a_step(&f), 0.75, "geom %d", g);
        geom[g].surface.friction = 0.5;
        cr_expect_eq(friction_after_a_step(&f), 0.5, "geom %d", g);
    }
    fixture_end(&f);
}

Test(narrow, friction_and_restitution_combine) {
    ts_geom_def floor_geom = ts_geom_def_default(), ball = ts_geom_def_default();
    floor_geom.surface.friction = 0.3;
    ball.surface.friction = 0.7;
    floor_geom.surface.restitution = 0.4;
    ball.surface.restitution = 0.2;
    fixture f = pair(&floor_geom, &ball);
    cr_assert_float_eq(f.sim->contact[0].surface.friction, 0.7, 0.0);
    cr_assert_float_eq(f.sim->contact[0].surface.restitution, 0.4, 0.0);
    cr_assert_eq(f.sim->problem.row_count, 3);
    cr_assert_eq(f.sim->problem.block[0].set, TS_SET_CONE);
    cr_assert_float_eq(f.sim->problem.block[0].mu, 0.7, 0.0);
    fixture_end(&f);
    floor_geom.surface.priority = 1;
    f = pair(&floor_geom, &ball);
    cr_assert_float_eq(f.sim->contact[0].surface.friction, 0.3, 0.0);
    fixture_end(&f);
    // Frictionless only when both are, or when the geom that rules is.
    floor_geom.surface.dimension = 1;
    f = pair(&floor_geom, &ball);
    cr_assert_eq(f.sim->problem.row_count, 1);
    cr_assert_eq(f.sim->problem.block[0].set, TS_SET_HALF_LINE);
    cr_assert_float_eq(f.sim->contact[0].surface.friction, 0.0, 0.0);
    fixture_run(&f, 50);
    cr_assert_float_eq(f.sim->contact[0].impulse.z, 9.81 * f.sim->options.time_step, 1e-9);
    fixture_end(&f);
    floor_geom.surface.priority = 0;
    f = pair(&floor_geom, &ball);
    cr_assert_eq(f.sim->contact[0].surface.dimension, 3);
    fixture_end(&f);
    ball.surface.dimension = 1;
    f = pair(&floor_geom, &ball);
    cr_assert_eq(f.sim->contact[0].surface.dimension, 1);
    fixture_end(&f);
}

Test(narrow, who_may_touch) {
    ts_builder* builder = ts_builder_create("filters");
    // Spheres all at one place, each on its own body: 1 and 2 touch; 3 is of another category; 4 hangs on 1; 5 and 1 are
    // excluded; 6 is welded to 2.
    for (int i = 1; i <= 6; ++i) {
        ts_body_def body = ts_body_def_default();
        body.parent = i == 4 ? 1 : i == 6 ? 2 : 0;
        body.mass = 1.0;
        body.inertia = ts_mat3_identity();
        int index = ts_builder_add_body(builder, &body);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = index;
        joint.type = i == 4 ? TS_JOINT_HINGE : TS_JOINT_FREE;
        if (i != 6) ts_builder_add_joint(builder, &joint);
        ts_geom_def geom = geom_on(index, ts_shape_sphere(0.1 + 0.01 * i));
        if (i == 3) geom.category = geom.mask = 2;
        ts_builder_add_geom(builder, &geom);
    }
    ts_builder_exclude(builder, 5, 1);
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    int touch[7][7] = {{0}};
    for (int i = 0; i < f.sim->contact_count; ++i) {
        const ts_contact* contact = &f.sim->contact[i];
        touch[contact->body_a][contact->body_b] = touch[contact->body_b][contact->body_a] = 1;
    }
    for (int a = 1; a <= 6; ++a) {
        for (int b = a + 1; b <= 6; ++b) {
            int expected = a != 3 && b != 3 && !(a == 1 && b == 4) && !(a == 1 && b == 5) && !(a == 2 && b == 6);
            cr_assert_eq(touch[a][b], expected, "bodies %d and %d", a, b);
        }
    }
    fixture_end(&f);
}

Test(narrow, labels_and_tangents_persist) {
    ts_builder* builder = ts_builder_create("labels");
    for (int i = 0; i < 3; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(0.03 * i, 0.01 * i, 0.1 + 0.2 * i), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
    }
    fixture_floor(builder, 0.5, 0.4);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 50);
    ts_contact before[32];
    int count = f.sim->contact_count;
    cr_assert(count >= 12 && count <= 32);
    memcpy(before, f.sim->contact, (size_t)count * sizeof(ts_contact));
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->contact_count, count);
    for (int i = 0; i < count; ++i) {
        const ts_contact* now = &f.sim->contact[i];
        cr_assert_eq(now->key, before[i].key);
        cr_assert(now->persistent);
        for (int c = 0; c < 3; ++c)
            cr_assert_lt(ts_vec3_distance(ts_mat3_column(&now->frame, c), ts_mat3_column(&before[i].frame, c)), 1e-6);
        cr_assert_float_eq(ts_mat3_determinant(now->frame), 1.0, 1e-12);
        for (int k = 0; k < i; ++k) cr_assert_neq(f.sim->contact[k].key, now->key);
        if (i > 0) {
            int later = now->geom_a > before[i - 1].geom_a ||
                        (now->geom_a == before[i - 1].geom_a && now->geom_b >= before[i - 1].geom_b);
            cr_assert(later, "contacts are sorted by pair");
        }
    }
    fixture_end(&f);
}

// A sphere on a turning box keeps its tangent while the normal stays, though the axes of geom A (the sphere) turn.
Test(narrow, a_tangent_is_kept_while_the_normal_stays) {
    ts_geom_def geom = ts_geom_def_default();
    geom.surface.friction = 0.0;
    ts_builder* builder = ts_builder_create("spin");
    int ball = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.3), 1.0, ts_mat3_identity());
    geom.body = ball;
    ts_builder_add_geom(builder, &geom);
    ts_geom_def table = geom_on(0, ts_shape_box(ts_vec3_make(1.0, 1.0, 0.2)));
    table.surface.friction = 0.0;
    ts_builder_add_geom(builder, &table);
    ts_builder_set_free_velocity(builder, ball, ts_vec3_zero(), ts_vec3_make(0.0, 0.0, 2.0));
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->contact_count, 1);
    cr_assert_eq(f.sim->contact[0].body_a, ball);
    ts_vec3 tangent = ts_mat3_column(&f.sim->contact[0].frame, 0);
    fixture_run(&f, 200);
    cr_assert_eq(f.sim->contact_count, 1);
    cr_assert_lt(ts_vec3_distance(ts_mat3_column(&f.sim->contact[0].frame, 0), tangent), 1e-9);
    // Without its memory it takes a fresh one from the turned ball.
    f.sim->row_memory.count = 0;
    fixture_run(&f, 1);
    ts_vec3 fresh = ts_mat3_column(&f.sim->contact[0].frame, 0);
    cr_assert_float_eq(fabs(ts_vec3_dot(fresh, tangent)), fabs(cos(201 * f.sim->options.time_step * 2.0)), 1e-2);
    fixture_end(&f);
}

Test(narrow, a_planes_first_tangent_is_its_x_axis_however_it_is_tilted) {
    ts_rng rng = ts_rng_make(8, 8);
    for (int i = 0; i < 50; ++i) {
        ts_quat tilt = fixture_random_turn(&rng);
        ts_builder* builder = ts_builder_create("tilted");
        ts_geom_def plane = geom_on(0, ts_shape_plane());
        plane.pose.rotation = tilt;
        ts_builder_add_geom(builder, &plane);
        int body =
            fixture_free_body(builder, ts_quat_rotate(tilt, ts_vec3_make(0.3, 0.2, 0.1)), 1.0, ts_mat3_identity());
        fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
        fixture f = fixture_start(builder, 1);
        ts_status status;
        cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
        cr_assert_eq(f.sim->contact_count, 1);
        ts_vec3 tangent = ts_mat3_column(&f.sim->contact[0].frame, 0);
        cr_assert_lt(ts_vec3_distance(tangent, ts_quat_rotate(tilt, ts_vec3_axis(0))), 1e-14);
        fixture_end(&f);
    }
}

// What a pair knew stays with it through steps in which it is only near (its boxes overlap, its shapes do not).
Test(narrow, pairs_keep_what_they_know) {
    ts_builder* builder = ts_builder_create("near");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    for (int i = 0; i < 3; ++i) {
        ts_body_def def = ts_body_def_default();
        def.pose.position = ts_vec3_make(0.0, 0.15 * i, 0.15 * i);
        ts_joint_def joint = ts_joint_def_default();
        joint.type = TS_JOINT_FREE;
        joint.body = ts_builder_add_body(builder, &def);
        ts_builder_add_joint(builder, &joint);
        fixture_geom(builder, joint.body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
    }
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->contact_count, 0);
    cr_assert_eq(f.sim->pair_memory.count, 2);
    f.sim->pair_memory.data[0].reference = 1;
    f.sim->pair_memory.data[1].reference = 2;
    // The first pair ends; the second must not inherit from it.
    f.sim->qpos[0] = 10.0;
    fixture_run(&f, 3);
    cr_assert_eq(f.sim->pair_memory.count, 1);
    cr_assert_eq(f.sim->pair_memory.data[0].reference, 2);
    f.sim->qpos[0] = 0.0;
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->pair_memory.count, 2);
    cr_assert_eq(f.sim->pair_memory.data[0].reference, 0);
    fixture_end(&f);
}

Test(narrow, impulses_are_remembered_in_world_axes) {
    ts_builder* builder = ts_builder_create("world axes");
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.2, 0.2, 0.1)), ts_vec3_zero(), 0.3);
    fixture_floor(builder, 0.3, 1.1);
    ts_builder_set_free_velocity(builder, body, ts_vec3_make(3.0, 0.0, 0.0), ts_vec3_zero());
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 10);
    ts_vec3 sum = ts_vec3_zero();
    for (int i = 0; i < f.sim->row_memory.count; ++i)
        sum = ts_vec3_add(sum, ts_vec3_load(f.sim->row_memory.data[i].impulse));
    double weight = f.model->body[body].mass * 9.81 * f.sim->options.time_step;
    cr_assert_lt(ts_vec3_distance(sum, ts_vec3_make(-0.3 * weight, 0.0, weight)), 1e-6 * weight);
    fixture_end(&f);
}

// Two equal boxes on one another, the upper one pushed to and fro by a millimetre: now its corners end on the lower box, now
// the lower one's corners on it, so points change their names. They must be found again all the same, by where they are.
Test(narrow, points_keep_their_memory_when_their_names_change) {
    ts_builder* builder = ts_builder_create("twins");
    for (int i = 0; i < 2; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1 + 0.2 * i), 1.0, ts_mat3_identity());
        ts_geom_def box = geom_on(body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)));
        ts_builder_add_geom(builder, &box);
    }
    fixture f = fixture_start(builder, 1);
    int renamed = 0;
    uint64_t key[4] = {0, 0, 0, 0};
    for (int step = 0; step < 20; ++step) {
        f.sim->qpos[7] = step % 2 ? 1e-3 : -1e-3;
        f.sim->qpos[8] = step % 3 ? -1e-3 : 1e-3;
        ts_status status;
        cr_assert_eq(ts_sim_step(f.sim, &status), TS_OK, "%s", status.message);
        cr_assert_eq(f.sim->contact_count, 4);
        for (int c = 0; c < 4; ++c) {
            if (step > 0) cr_expect(f.sim->contact[c].persistent, "step %d, point %d", step, c);
            renamed += step > 0 && f.sim->contact[c].key != key[c];
            key[c] = f.sim->contact[c].key;
        }
        memset(f.sim->qvel, 0, (size_t)f.model->nv * sizeof(double));
    }
    cr_expect_gt(renamed, 0, "the case must be one in which names do change");
    fixture_end(&f);
}

// Pairs are filled range by range; in each the memory of its own is found, and nobody's where there was no contact.
static void find_all(int workers) {
    enum { BALLS = 300, AWAY = 3 };
    ts_builder* builder = ts_builder_create("balls");
    ts_builder_options(builder)->time_step = 1e-4;
    fixture_floor(builder, 0.5, 0.0);
    for (int i = 0; i < BALLS; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(0.5 * i, 0.0, 0.1), 1.0, ts_mat3_identity());
        ts_geom_def ball = geom_on(body, ts_shape_sphere(0.1));
        ts_builder_add_geom(builder, &ball);
    }
    fixture f = fixture_start(builder, workers);
    for (int step = 0; step < 4; ++step) {
        // Up in step 2, down again in step 3.
        double height = step == 2 ? 5.0 : 0.1;
        for (int i = 0; i < BALLS; i += AWAY) f.sim->qpos[7 * i + 2] = height;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->contact_count, step == 2 ? BALLS - BALLS / AWAY : BALLS);
        for (int c = 0; c < f.sim->contact_count; ++c) {
            const ts_contact* contact = &f.sim->contact[c];
            int is_new = step == 0 || (step == 3 && (contact->body_b - 1) % AWAY == 0);
            cr_expect_eq(contact->persistent != 0, !is_new, "step %d, contact %d", step, c);
        }
    }
    fixture_end(&f);
}

Test(narrow, memory_is_found_in_every_range) {
    find_all(1);
    find_all(3);
}
