// Claims: runs cover every instance once and share meshes; see-through items go from far to near; an arrow's parts lie on
// its vector and end at its tip; positions far from the world's origin lose nothing.
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "viewer/draw_list.h"

static const float grey[4] = {0.5f, 0.5f, 0.5f, 1.0f};
static const float glass[4] = {0.5f, 0.5f, 0.5f, 0.4f};

static ts_transform at(double x, double y, double z) {
    ts_transform t = ts_transform_identity();
    t.p = ts_vec3_make(x, y, z);
    return t;
}

Test(draw_list, a_thousand_shapes_are_a_handful_of_runs) {
    ts_draw_list list;
    memset(&list, 0, sizeof list);
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_rng rng = ts_rng_make(1, 0);
    int of_mesh[TS_DRAW_MESH_HULL] = {0};
    for (int i = 0; i < 1000; ++i) {
        int mesh = (int)(ts_rng_uniform(&rng) * TS_DRAW_MESH_HULL);
        ts_transform t = at(i, 0.0, 0.0);
        cr_assert(ts_draw_list_add(&list, mesh, &t, ts_vec3_make(1.0, 1.0, 1.0), 0.0, grey) != NULL);
        ++of_mesh[mesh];
    }
    cr_assert(ts_draw_list_batch(&list, ts_vec3_make(0.0, -5.0, 5.0)));
    cr_assert(list.batches.count <= TS_DRAW_MESH_HULL);
    cr_assert(list.instances.count == 1000);
    int next = 0;
    char seen[1000] = {0};
    for (int b = 0; b < list.batches.count; ++b) {
        const ts_draw_batch* batch = &list.batches.data[b];
        cr_assert(batch->first == next);
        cr_assert(batch->count == of_mesh[batch->mesh], "mesh %d", batch->mesh);
        next += batch->count;
        for (int i = batch->first; i < next; ++i) {
            int who = (int)list.instances.data[i].row[0][3];
            cr_assert(!seen[who] && list.items.data[who].mesh == batch->mesh);
            seen[who] = 1;
        }
    }
    cr_assert(next == 1000);
    ts_draw_list_free(&list);
}

Test(draw_list, glass_goes_from_far_to_near) {
    ts_draw_list list;
    memset(&list, 0, sizeof list);
    ts_draw_list_begin(&list, ts_vec3_make(1.0, 1.0, 1.0));
    for (int i = 0; i < 50; ++i) {
        ts_transform t = at((i * 37) % 50, 0.0, 0.0);
        ts_draw_item* item =
            ts_draw_list_add(&list, i % 2 ? TS_DRAW_MESH_BOX : TS_DRAW_MESH_SPHERE, &t, ts_vec3_zero(), 0.0, glass);
        cr_assert(item && item->pass == TS_DRAW_PASS_GLASS && !(item->flags & TS_DRAW_SHADOW));
    }
    cr_assert(ts_draw_list_batch(&list, ts_vec3_make(-3.0, 0.0, 0.0)));
    for (int i = 1; i < list.instances.count; ++i)
        cr_assert(list.instances.data[i].row[0][3] < list.instances.data[i - 1].row[0][3]);
    ts_draw_list_free(&list);
}

Test(draw_list, arrows_lie_on_their_vector) {
    ts_rng rng = ts_rng_make(2, 0);
    for (int k = 0; k < 200; ++k) {
        ts_draw_list list;
        memset(&list, 0, sizeof list);
        ts_draw_list_begin(&list, ts_vec3_zero());
        ts_vec3 from = ts_vec3_make(ts_rng_uniform(&rng), ts_rng_uniform(&rng), ts_rng_uniform(&rng));
        ts_vec3 v = ts_vec3_make(ts_rng_uniform(&rng) - 0.5, ts_rng_uniform(&rng) - 0.5, ts_rng_uniform(&rng) - 0.5);
        if (k < 6) v = ts_vec3_scale(k < 3 ? 1.0 : -1.0, ts_vec3_axis(k % 3));
        ts_draw_list_add_arrow(&list, from, v, 0.01, grey, 5);
        cr_assert(list.arrows.count == 1 && list.arrows.data[0].source == 5);
        cr_assert(ts_draw_list_batch(&list, ts_vec3_zero()));
        cr_assert(list.batches.count == 2 && list.instances.count == 2);
        for (int b = 0; b < 2; ++b) {
            const ts_draw_instance* i = &list.instances.data[list.batches.data[b].first];
            ts_vec3 axis = ts_vec3_make((double)i->row[0][2], (double)i->row[1][2], (double)i->row[2][2]);
            ts_vec3 p = ts_vec3_make((double)i->row[0][3], (double)i->row[1][3], (double)i->row[2][3]);
            cr_assert(ts_vec3_norm(ts_vec3_cross(axis, v)) < 1e-6 && ts_vec3_dot(axis, v) > 0.0);
            double low = list.batches.data[b].mesh == TS_DRAW_MESH_CYLINDER ? -1.0 : 0.0;
            ts_vec3 bottom = ts_vec3_add_scaled(p, low * (double)i->scale[2], axis);
            ts_vec3 top = ts_vec3_add_scaled(p, (double)i->scale[2], axis);
            if (list.batches.data[b].mesh == TS_DRAW_MESH_CYLINDER)
                cr_assert(ts_vec3_distance(bottom, from) < 1e-6, "the shaft starts at the tail");
            else
                cr_assert(ts_vec3_distance(top, ts_vec3_add(from, v)) < 1e-6, "the head ends at the tip");
        }
        ts_draw_list_free(&list);
    }
}

Test(draw_list, bad_arrows_are_left_out) {
    ts_draw_list list;
    memset(&list, 0, sizeof list);
    ts_draw_list_begin(&list, ts_vec3_zero());
    ts_draw_list_add_arrow(&list, ts_vec3_zero(), ts_vec3_zero(), 0.1, grey, 0);
    ts_draw_list_add_arrow(&list, ts_vec3_zero(), ts_vec3_make(0.0, (double)NAN, 0.0), 0.1, grey, 0);
    ts_draw_list_add_arrow(&list, ts_vec3_make((double)INFINITY, 0.0, 0.0), ts_vec3_axis(0), 0.1, grey, 0);
    ts_draw_list_add_line(&list, ts_vec3_make((double)NAN, 0.0, 0.0), ts_vec3_axis(0), 1.0, grey);
    cr_assert(list.arrows.count == 0 && list.lines.count == 0);
    cr_assert(ts_draw_list_batch(&list, ts_vec3_zero()) && list.batches.count == 0);
    ts_draw_list_free(&list);
}

Test(draw_list, frames_are_rotations) {
    ts_rng rng = ts_rng_make(3, 0);
    for (int k = 0; k < 100; ++k) {
        ts_vec3 v = ts_vec3_make(ts_rng_uniform(&rng) - 0.5, ts_rng_uniform(&rng) - 0.5, ts_rng_uniform(&rng) - 0.5);
        v = k < 6 ? ts_vec3_scale(k < 3 ? 1.0 : -1.0, ts_vec3_axis(k % 3)) : ts_vec3_unit_or(v, ts_vec3_axis(0));
        ts_mat3 R = ts_draw_list_frame(v);
        cr_assert(ts_vec3_distance(ts_mat3_column(&R, 2), v) < 1e-15);
        cr_assert(fabs(ts_mat3_determinant(R) - 1.0) < 1e-12);
        ts_mat3 product = ts_mat3_transposed_mul(R, R);
        for (int i = 0; i < 9; ++i) cr_assert(fabs(product.m[i / 3][i % 3] - (i % 4 == 0 ? 1.0 : 0.0)) < 1e-12);
    }
}

Test(draw_list, far_from_the_origin_nothing_is_lost) {
    ts_draw_list list;
    memset(&list, 0, sizeof list);
    ts_draw_list_begin(&list, ts_vec3_make(1e7, -1e7, 0.0));
    ts_transform t = at(1e7 + 0.001, -1e7, 0.0);
    const ts_draw_item* item = ts_draw_list_add(&list, TS_DRAW_MESH_BOX, &t, ts_vec3_axis(0), 0.0, grey);
    // A float at 1e7 resolves whole metres; relative to the list's origin the millimetre survives.
    cr_assert(item && fabs((double)item->position[0] - 0.001) < 1e-8);
    ts_draw_list_free(&list);
}
