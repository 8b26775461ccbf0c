// Compounds: what is refused, the tree's boxes, and moments against the sum of the parts.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"

static void refused(ts_shape shape, ts_transform placed, const char* why) {
    ts_compound_child child = {shape, placed};
    ts_compound* compound = (ts_compound*)1;
    ts_status status;
    cr_expect_eq(ts_compound_build(&child, 1, &compound, &status), TS_ERROR_VALUE, "%s", why);
    cr_expect_null(compound);
    cr_expect_neq(status.message[0], '\0');
}

Test(compound, bad_children_are_refused) {
    ts_transform here = ts_transform_identity(), mirror = here, lost = here, bent = here;
    mirror.R.m[0][0] = -1.0;
    lost.p.y = (double)NAN;
    bent.R.m[0][1] = 0.01;
    refused(ts_shape_plane(), here, "a plane");
    refused(ts_shape_compound(0), here, "a compound");
    refused(ts_shape_height_field(0), here, "a height field");
    refused(ts_shape_sphere(-1.0), here, "a negative radius");
    refused(ts_shape_sphere(1.0), mirror, "a mirror");
    refused(ts_shape_sphere(1.0), lost, "nowhere");
    refused(ts_shape_sphere(1.0), bent, "sheared");
    ts_compound* compound = 0;
    cr_expect_eq(ts_compound_build(0, 0, &compound, 0), TS_ERROR_VALUE);
}

Test(compound, boxes_hold_what_lies_below_and_skips_lead_behind_it) {
    ts_rng rng = ts_rng_make(101, 0);
    ts_compound_child child[90];
    for (int i = 0; i < 90; ++i) {
        child[i].shape = random_shape(&rng, i % 2 ? TS_SHAPE_BOX : TS_SHAPE_CONE, 0.4, 0);
        child[i].placed = random_pose(&rng, i % 3 ? 2.0 : 0.0);
    }
    ts_compound* compound = 0;
    cr_assert_eq(ts_compound_build(child, 90, &compound, 0), TS_OK);
    int seen[90] = {0}, end = 2 * 90 - 1;
    for (int i = 0; i < end; ++i) {
        const ts_compound_node* node = &compound->node[i];
        cr_assert(node->skip > i && node->skip <= end);
        if (node->child >= 0) {
            cr_assert_eq(node->skip, i + 1);
            ++seen[node->child];
        }
        // Its halves follow one behind the other and fill it.
        if (node->child < 0) cr_assert_eq(compound->node[compound->node[i + 1].skip].skip, node->skip);
        for (int j = i + 1; j < node->skip; ++j) {
            const ts_compound_node* below = &compound->node[j];
            cr_assert(below->skip <= node->skip);
            for (int k = 0; k < 3; ++k) {
                cr_assert(ts_vec3_get(below->box_min, k) >= ts_vec3_get(node->box_min, k));
                cr_assert(ts_vec3_get(below->box_max, k) <= ts_vec3_get(node->box_max, k));
            }
        }
    }
    for (int i = 0; i < 90; ++i) cr_assert_eq(seen[i], 1);
    ts_compound_free(compound);
}

// A box cut into eight along its middle planes, each piece turned in itself by quarter turns.
Test(compound, eight_pieces_weigh_what_the_whole_weighs) {
    ts_vec3 h = ts_vec3_make(0.4, 0.4, 0.7);
    ts_compound_child child[8];
    for (int i = 0; i < 8; ++i) {
        child[i].shape = ts_shape_box(ts_vec3_scale(0.5, h));
        child[i].placed.R = turn(2, 1.5707963267948966 * (i % 4));
        child[i].placed.p =
            ts_vec3_make((i & 1 ? 0.5 : -0.5) * h.x, (i & 2 ? 0.5 : -0.5) * h.y, (i & 4 ? 0.5 : -0.5) * h.z);
    }
    ts_compound* compound = 0;
    cr_assert_eq(ts_compound_build(child, 8, &compound, 0), TS_OK);
    ts_shape whole = ts_shape_box(h), parts = ts_shape_compound(compound);
    ts_mass_properties a = ts_shape_mass_properties(&whole), b = ts_shape_mass_properties(&parts);
    cr_expect_float_eq(a.volume, b.volume, 1e-14);
    cr_expect_leq(ts_vec3_norm(b.centre), 1e-15);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) cr_expect_float_eq(a.inertia.m[i][j], b.inertia.m[i][j], 1e-14);
    ts_vec3 low, high;
    ts_shape_local_box(&parts, &low, &high);
    cr_expect_leq(ts_vec3_distance(high, h), 1e-12);
    cr_expect_float_eq(ts_shape_bounding_radius(&parts), ts_vec3_norm(h), 1e-12);
    ts_compound_free(compound);
}
