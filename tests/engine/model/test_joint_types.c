// Every row of the table of joint types against what must hold for any joint: differences undo integration, axes are
// derivatives of positions, stops and springs are derivatives along the velocities, names are read back from files.
#include "engine/model/joint/joint_traits_internal.h"
#include "tests/engine/engine_fixture.h"
#include "tests/engine/read/mjcf_sample.h"

enum { samples = 200 };

// A joint of type t with random axis, anchor and reference, in random coordinates.
static ts_joint random_joint(int t, ts_rng* rng, double* out_q) {
    ts_joint joint;
    memset(&joint, 0, sizeof joint);
    joint.name = "";
    joint.type = (ts_joint_type)t;
    joint.anchor = ts_joint_table[t]->floats ? ts_vec3_zero() : fixture_random_vec3(rng, 1.0);
    joint.axis = ts_vec3_unit_or(fixture_random_vec3(rng, 1.0), ts_vec3_axis(2));
    joint.reference = ts_rng_uniform_in(rng, -0.5, 0.5);
    joint.spring_rest = ts_rng_uniform_in(rng, -0.5, 0.5);
    joint.limited = 1;
    joint.range[1] = 2.0;
    fixture_random_coordinates(joint.type, rng, 1.5, out_q);
    return joint;
}

static void random_velocity(const ts_joint* joint, ts_rng* rng, double* out_v) {
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) out_v[i] = ts_rng_uniform_in(rng, -1.5, 1.5);
}

static ts_transform random_frame(ts_rng* rng) {
    ts_pose pose = {fixture_random_vec3(rng, 2.0), fixture_random_turn(rng)};
    return ts_transform_from_pose(pose);
}

static double quaternion_norm(const ts_joint* joint, const double* q) {
    return ts_quat_norm(ts_quat_load(q + ts_joint_traits_of(joint->type)->numbers));
}

Test(joint_types, have_rows_that_fit_the_arrays) {
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        const ts_joint_traits* traits = ts_joint_table[t];
        cr_assert_not_null(traits, "type %d has no line in the table", t);
        cr_assert(traits->quaternion == 0 || traits->quaternion == 1);
        cr_assert(traits->place && (!traits->stops == !traits->range_fault), "%s", traits->name);
        cr_assert_leq(ts_joint_type_nq((ts_joint_type)t), TS_JOINT_NQ_MOST);
        cr_assert_leq(ts_joint_type_nv((ts_joint_type)t), TS_JOINT_NV_MOST);
        for (int u = 0; u < t; ++u) cr_assert_str_neq(traits->name, ts_joint_table[u]->name);
    }
    static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    for (int t = 0; t < 4; ++t) {
        cr_assert_eq(ts_joint_type_nq((ts_joint_type)t), nq[t]);
        cr_assert_eq(ts_joint_type_nv((ts_joint_type)t), nv[t]);
    }
}

Test(joint_types, difference_undoes_integration) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        for (int k = 0; k < samples; ++k) {
            double q[TS_JOINT_NQ_MOST], moved[TS_JOINT_NQ_MOST], v[TS_JOINT_NV_MOST], back[TS_JOINT_NV_MOST];
            ts_joint joint = random_joint(t, &rng, q);
            random_velocity(&joint, &rng, v);
            ts_joint_integrate(joint.type, q, v, 0.7, moved);
            ts_joint_difference(joint.type, q, moved, 0.7, back);
            for (int i = 0; i < ts_joint_type_nv(joint.type); ++i) cr_assert_float_eq(back[i], v[i], 1e-13);
            if (ts_joint_table[t]->quaternion) cr_assert_float_eq(quaternion_norm(&joint, moved), 1.0, 1e-15);
            // And in place.
            ts_joint_integrate(joint.type, q, v, 0.7, q);
            cr_assert_arr_eq(q, moved, (size_t)ts_joint_type_nq(joint.type) * sizeof(double));
        }
    }
}

// Half a turn about z within the turn's own closed form: q = (cos w t / 2, 0, 0, sin w t / 2); numbers go straight on.
Test(joint_types, integration_by_hand) {
    double free_body[7] = {1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0}, velocity[6] = {0.5, -1.0, 2.0, 0.0, 0.0, 3.0};
    ts_joint_integrate(TS_JOINT_FREE, free_body, velocity, 0.4, free_body);
    const double wanted[7] = {1.2, 1.6, 3.8, cos(0.6), 0.0, 0.0, sin(0.6)};
    for (int i = 0; i < 7; ++i) cr_assert_float_eq(free_body[i], wanted[i], 1e-15);
}

// Where a point of the body is after the joint moved along v for a time h.
static ts_vec3 point_after(const ts_joint* joint, const ts_transform* start, const double* q, const double* v, double h,
                           ts_vec3 point) {
    double moved[TS_JOINT_NQ_MOST];
    ts_motion axis[TS_JOINT_NV_MOST];
    ts_transform placed = *start;
    ts_joint_integrate(joint->type, q, v, h, moved);
    ts_joint_traits_of(joint->type)->place(joint, moved, &placed, axis);
    return ts_transform_point(&placed, point);
}

Test(joint_types, axes_are_derivatives_of_positions) {
    ts_rng rng = ts_rng_make(32, 0);
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        for (int k = 0; k < samples; ++k) {
            double q[TS_JOINT_NQ_MOST], h = 1e-3;
            ts_motion axis[TS_JOINT_NV_MOST];
            ts_joint joint = random_joint(t, &rng, q);
            ts_transform start = random_frame(&rng), placed = start;
            ts_vec3 point = fixture_random_vec3(&rng, 1.0);
            ts_vec3 anchor = ts_joint_traits_of(joint.type)->place(&joint, q, &placed, axis);
            for (int i = 0; i < ts_joint_type_nv(joint.type); ++i) {
                double unit[TS_JOINT_NV_MOST] = {0.0};
                unit[i] = 1.0;
                ts_vec3 near = ts_vec3_sub(point_after(&joint, &start, q, unit, h, point),
                                           point_after(&joint, &start, q, unit, -h, point));
                ts_vec3 far = ts_vec3_sub(point_after(&joint, &start, q, unit, 2.0 * h, point),
                                          point_after(&joint, &start, q, unit, -2.0 * h, point));
                ts_vec3 rate = ts_vec3_scale(1.0 / (12.0 * h), ts_vec3_sub(ts_vec3_scale(8.0, near), far));
                ts_vec3 said = ts_motion_at(axis[i], ts_vec3_sub(ts_transform_point(&placed, point), anchor));
                cr_assert_leq(ts_vec3_distance(rate, said), 1e-10, "%s, velocity %d", ts_joint_table[t]->name, i);
            }
        }
    }
}

Test(joint_types, rest_leaves_the_body_where_it_is_described) {
    ts_rng rng = ts_rng_make(33, 0);
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        double q[TS_JOINT_NQ_MOST];
        ts_motion axis[TS_JOINT_NV_MOST];
        ts_joint joint = random_joint(t, &rng, q);
        ts_pose pose = {fixture_random_vec3(&rng, 2.0), fixture_random_turn(&rng)};
        ts_transform start = ts_transform_from_pose(pose), placed = start;
        ts_joint_rest(&joint, &pose, q);
        ts_joint_traits_of(joint.type)->place(&joint, q, &placed, axis);
        cr_assert_leq(ts_vec3_distance(placed.p, start.p), 1e-14, "%s", ts_joint_table[t]->name);
        for (int c = 0; c < 3; ++c)
            cr_assert_leq(ts_vec3_distance(ts_mat3_column(&placed.R, c), ts_mat3_column(&start.R, c)), 1e-14);
    }
}

Test(joint_types, stops_say_how_their_gap_changes) {
    ts_rng rng = ts_rng_make(34, 0);
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        if (!ts_joint_table[t]->stops) continue;
        for (int k = 0; k < samples; ++k) {
            double q[TS_JOINT_NQ_MOST], v[TS_JOINT_NV_MOST], before[TS_JOINT_NQ_MOST], after[TS_JOINT_NQ_MOST],
                h = 1e-6;
            ts_joint_stop now[TS_JOINT_STOPS_MOST], low[TS_JOINT_STOPS_MOST], high[TS_JOINT_STOPS_MOST];
            ts_joint joint = random_joint(t, &rng, q);
            random_velocity(&joint, &rng, v);
            int count = ts_joint_table[t]->stops(&joint, q, now);
            cr_assert(count >= 1 && count <= TS_JOINT_STOPS_MOST);
            ts_joint_integrate(joint.type, q, v, -h, before);
            ts_joint_integrate(joint.type, q, v, h, after);
            cr_assert_eq(ts_joint_table[t]->stops(&joint, before, low), count);
            cr_assert_eq(ts_joint_table[t]->stops(&joint, after, high), count);
            for (int s = 0; s < count; ++s) {
                double said = 0.0, rate = (high[s].gap - low[s].gap) / (2.0 * h);
                for (int i = 0; i < ts_joint_type_nv(joint.type); ++i) said += now[s].rate[i] * v[i];
                cr_assert_float_eq(said, rate, 1e-8, "%s, stop %d", ts_joint_table[t]->name, s);
                cr_assert(s == 0 || now[s].side > now[s - 1].side);
            }
        }
    }
}

Test(joint_types, stops_by_hand) {
    ts_joint joint;
    memset(&joint, 0, sizeof joint);
    joint.range[0] = -0.5;
    joint.range[1] = 2.0;
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    const double angle = 0.25;
    cr_assert_eq(ts_joint_table[TS_JOINT_HINGE]->stops(&joint, &angle, stop), 2);
    cr_assert(stop[0].side == TS_JOINT_LOWER && stop[0].gap == 0.75 && stop[0].rate[0] == 1.0);
    cr_assert(stop[1].side == TS_JOINT_UPPER && stop[1].gap == 1.75 && stop[1].rate[0] == -1.0);
    double q[4] = {cos(0.15), 0.0, -sin(0.15), 0.0};  // 0.3 rad about -y
    cr_assert_eq(ts_joint_table[TS_JOINT_BALL]->stops(&joint, q, stop), 1);
    cr_assert_float_eq(stop[0].gap, 1.7, 1e-15);
    cr_assert_float_eq(stop[0].rate[1], 1.0, 1e-15);
    cr_assert_null(ts_joint_table[TS_JOINT_FREE]->stops);
}

Test(joint_types, ranges_the_wrong_way_round_are_refused) {
    const double wrong[2] = {1.0, -1.0};
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t)
        if (ts_joint_table[t]->range_fault)
            cr_assert_not_null(ts_joint_table[t]->range_fault(wrong), "%s", ts_joint_table[t]->name);
}

// A spring's potential K |stretch|^2 / 2 falls at the rate K stretch . v.
Test(joint_types, stretch_is_what_a_spring_pulls_along) {
    ts_rng rng = ts_rng_make(35, 0);
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        for (int k = 0; k < samples; ++k) {
            double q[TS_JOINT_NQ_MOST], v[TS_JOINT_NV_MOST], moved[TS_JOINT_NQ_MOST], stretch[TS_JOINT_NV_MOST];
            double h = 1e-6, half[2] = {0.0, 0.0}, power = 0.0;
            ts_joint joint = random_joint(t, &rng, q);
            random_velocity(&joint, &rng, v);
            for (int side = 0; side < 2; ++side) {
                ts_joint_integrate(joint.type, q, v, side ? h : -h, moved);
                ts_joint_stretch(&joint, moved, stretch);
                for (int i = 0; i < ts_joint_type_nv(joint.type); ++i) half[side] += 0.5 * stretch[i] * stretch[i];
            }
            ts_joint_stretch(&joint, q, stretch);
            for (int i = 0; i < ts_joint_type_nv(joint.type); ++i) power += stretch[i] * v[i];
            cr_assert_float_eq(power, (half[1] - half[0]) / (2.0 * h), 1e-7, "%s", ts_joint_table[t]->name);
        }
    }
}

Test(joint_types, names_are_read_from_files) {
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        char text[256];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><joint type='%s'/><geom size='1' pos='1 1 1'/></body></worldbody></mujoco>",
                 ts_joint_type_name((ts_joint_type)t));
        ts_model* model = mjcf_read(text);
        cr_assert_eq((int)model->joint[0].type, t);
        ts_model_free(model);
        mjcf_refuse("<mujoco><worldbody>\n<body><joint type='bearing'/></body></worldbody></mujoco>", 2,
                    ts_joint_type_name((ts_joint_type)t));
    }
}

// What one type cannot have is refused with the type's name; the reader of files leaves it out and says so.
Test(joint_types, messages_name_the_type) {
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        const ts_joint_traits* traits = ts_joint_table[t];
        for (int spring = 0; spring < 2; ++spring) {
            if (spring ? !traits->floats : traits->stops != NULL) continue;
            ts_builder* builder = ts_builder_create("bad");
            ts_joint_def joint = ts_joint_def_default();
            joint.body = fixture_random_body(builder, &(ts_rng){0}, 0);
            joint.type = (ts_joint_type)t;
            joint.limited = !spring;
            joint.range[1] = 1.0;
            joint.spring = spring ? 1.0 : 0.0;
            ts_builder_add_joint(builder, &joint);
            ts_model* model;
            ts_status status;
            char wanted[100];
            snprintf(wanted, sizeof wanted, "a %s joint cannot %s", traits->name,
                     spring ? "have a spring" : "be limited");
            cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_ERROR_VALUE);
            cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
        }
    }
    ts_import_report report = mjcf_report(
        "<mujoco><default><joint range='-1 1' stiffness='2'/></default><worldbody><body><joint type='free'/><geom "
        "size='1'/></body></worldbody></mujoco>");
    cr_assert_str_eq(mjcf_finding(&report, "joint@range (free joint)")->meaning, "a free joint has no limits");
    cr_assert_str_eq(mjcf_finding(&report, "joint@stiffness (free joint)")->meaning, "a free joint has no springs");
    ts_import_report_free(&report);
}
