// The dynamic tree against all boxes tried, and its own invariants after every operation.
#include "tests/collision/collision_fixture.h"

#include "tests/collision/broad/box_tree_fixture.h"

enum { N = 600 };

static ts_box random_box(ts_rng* rng, double reach, double size) {
    ts_vec3 centre = random_vector(rng, reach);
    ts_vec3 half = ts_vec3_make(size * ts_rng_uniform(rng), size * ts_rng_uniform(rng), size * ts_rng_uniform(rng));
    ts_box b = {ts_vec3_sub(centre, half), ts_vec3_add(centre, half)};
    return b;
}

static int meet(ts_box a, ts_box b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}

static ts_box grown(ts_box b, double by) {
    ts_vec3 more = ts_vec3_make(by, by, by);
    b.min = ts_vec3_sub(b.min, more);
    b.max = ts_vec3_add(b.max, more);
    return b;
}

typedef struct hits {
    int count[N];
    int total;
    int most;  // stop after this many
} hits;

static int count_hit(void* context, int item) {
    hits* h = (hits*)context;
    ++h->count[item];
    return ++h->total < h->most;
}

// Every item that meets the query is visited once, none that misses it by more than `slack`.
static void check_overlap(const ts_box_tree* tree, const ts_box* box, const int* in, ts_box query, double slack) {
    hits h = {.most = INT_MAX};
    cr_assert_eq(tree_overlap(tree, query, count_hit, &h), 1);
    for (int i = 0; i < N; ++i) {
        cr_assert_leq(h.count[i], 1);
        if (in[i] && meet(box[i], query)) cr_assert_eq(h.count[i], 1, "item %d is missing", i);
        if (!in[i] || !meet(grown(box[i], slack), query)) cr_assert_eq(h.count[i], 0, "item %d is too much", i);
    }
}

Test(box_tree, finds_what_overlaps_while_items_come_go_and_move) {
    ts_rng rng = ts_rng_make(311, 0);
    static ts_box box[N];
    static int in[N];
    ts_box_tree tree;
    memset(&tree, 0, sizeof tree);
    memset(in, 0, sizeof in);
    for (int round = 0; round < 6000; ++round) {
        int i = (int)(ts_rng_uniform(&rng) * N);
        double kind = ts_rng_uniform(&rng);
        if (!in[i]) {
            box[i] = random_box(&rng, 10.0, kind < 0.1 ? 5.0 : 0.5);
            tree_insert(&tree, i, box[i]);
        } else if (kind < 0.4) {
            ts_box_tree_remove(&tree, i);
            ts_box_tree_remove(&tree, i);
        } else {
            ts_vec3 step = random_vector(&rng, kind < 0.5 ? 10.0 : 0.1);
            box[i].min = ts_vec3_add(box[i].min, step);
            box[i].max = ts_vec3_add(box[i].max, step);
            tree_move(&tree, i, box[i]);
        }
        in[i] = ts_box_tree_has(&tree, i);
        if (round % 20) continue;
        cr_assert_eq(tree_faults(&tree), 0, "round %d", round);
        check_overlap(&tree, box, in, random_box(&rng, 10.0, 3.0), 1e-4);
    }
    for (int i = 0; i < N; ++i) ts_box_tree_remove(&tree, i);
    cr_assert_eq(tree.item_count, 0);
    cr_assert_eq(tree_faults(&tree), 0);
    cr_assert_eq(tree_depth(&tree), 0);
    ts_box_tree_free(&tree);
}

Test(box_tree, one_operation_undone_leaves_the_cost_of_the_rest) {
    // The running sum of surfaces against one counted afresh by building the same leaves: equal trees, equal cost.
    ts_rng rng = ts_rng_make(312, 0);
    static ts_box box[N];
    ts_box_tree tree;
    memset(&tree, 0, sizeof tree);
    for (int i = 0; i < N; ++i) box[i] = random_box(&rng, 5.0, 0.5);
    tree_build(&tree, box, N, NULL);
    cr_assert_float_eq(ts_box_tree_decay(&tree), 1.0, 1e-12);
    for (int i = 0; i < N; ++i) {
        ts_box away = {ts_vec3_add(box[i].min, ts_vec3_make(0.3, 0, 0)),
                       ts_vec3_add(box[i].max, ts_vec3_make(0.3, 0, 0))};
        tree_move(&tree, i, away);
        tree_move(&tree, i, box[i]);
    }
    cr_assert_float_eq(ts_box_tree_decay(&tree), 1.0, 1e-6);
    for (int i = 0; i < N; ++i) tree_move(&tree, i, random_box(&rng, 5.0, 0.5));
    cr_assert_gt(ts_box_tree_decay(&tree), 1.5);
    ts_box_tree_free(&tree);
}

Test(box_tree, insertion_makes_trees_nearly_as_good_as_building) {
    ts_rng rng = ts_rng_make(313, 0);
    static ts_box box[N];
    ts_box_tree built, grown_tree;
    memset(&built, 0, sizeof built);
    memset(&grown_tree, 0, sizeof grown_tree);
    for (int i = 0; i < N; ++i) box[i] = random_box(&rng, 5.0, 0.3);
    tree_build(&built, box, N, NULL);
    for (int i = 0; i < N; ++i) tree_insert(&grown_tree, i, box[i]);
    cr_expect_lt(grown_tree.cost, 1.3 * built.cost);
    cr_expect_lt(tree_depth(&grown_tree), 30);
    cr_expect_lt(tree_depth(&built), 20);
    ts_box_tree_free(&built);
    ts_box_tree_free(&grown_tree);
}

Test(box_tree, building_is_the_same_for_any_number_of_workers) {
    enum { MANY = 30000 };
    ts_rng rng = ts_rng_make(314, 0);
    ts_box* box = (ts_box*)malloc(sizeof(ts_box) * MANY);
    for (int i = 0; i < MANY; ++i) box[i] = random_box(&rng, 50.0, i % 100 ? 0.4 : 20.0);
    for (int i = 0; i < 500; ++i) box[100 + i] = box[7];  // a knot that no cut takes apart
    ts_box_tree one;
    memset(&one, 0, sizeof one);
    tree_build(&one, box, MANY, NULL);
    cr_assert_eq(tree_faults(&one), 0);
    for (int workers = 2; workers <= 8; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        ts_box_tree more;
        memset(&more, 0, sizeof more);
        tree_build(&more, box, MANY, pool);
        cr_assert_eq(more.pair_count, one.pair_count);
        cr_assert_arr_eq(more.pair, one.pair, sizeof(ts_box_tree_pair) * (size_t)one.pair_count);
        cr_assert(more.cost >= one.cost && more.cost <= one.cost);
        ts_box_tree_free(&more);
        ts_task_pool_destroy(pool);
    }
    ts_box_tree_free(&one);
    free(box);
}

Test(box_tree, chains_and_knots) {
    // Boxes each half as large as the last, and boxes all alike: what makes a tree deep when they come one by one.
    static ts_box box[N];
    ts_box_tree tree;
    for (int kind = 0; kind < 3; ++kind) {
        memset(&tree, 0, sizeof tree);
        for (int i = 0; i < N; ++i) {
            double s = kind == 0 ? ldexp(1e15, -(i % 160)) : 1.0;
            double x = kind == 2 ? ldexp(1.0, i % 50) : 0.0;
            box[i].min = ts_vec3_make(x, 0.0, 0.0);
            box[i].max = ts_vec3_make(x + s, s, s);
            tree_insert(&tree, i, box[i]);
        }
        // Nested boxes are a chain by nature; the others need not be one.
        cr_expect_lt(tree_depth(&tree), kind == 0 ? 2 * 160 : TS_BOX_TREE_STACK);
        cr_assert_eq(tree_faults(&tree), 0);
        ts_box query = {ts_vec3_make(-1.0, -1.0, -1.0), ts_vec3_make(1e-30, 1e-30, 1e-30)};
        hits h = {.most = INT_MAX};
        tree_overlap(&tree, query, count_hit, &h);
        for (int i = 0; i < N; ++i) cr_assert(h.count[i] == 1 || !meet(box[i], query), "kind %d item %d", kind, i);
        ts_box_tree_free(&tree);
    }
}

// A chain by hand, deeper than any stack: queries must still visit every item.
Test(box_tree, queries_outlive_their_stack) {
    enum { DEEP = 300 };
    ts_box_tree tree;
    memset(&tree, 0, sizeof tree);
    cr_assert(ts_box_tree_reserve(&tree, DEEP + 1, N));
    tree.pair_count = DEEP;
    tree.item_count = DEEP;
    for (int side = 0; side < 2; ++side) {
        for (int p = 0; p < DEEP; ++p) {
            ts_box_tree_pair* pair = &tree.pair[p];
            // Leaves to one side, the chain to the other.
            for (int k = 0; k < 6; ++k) pair->bound[k][0] = pair->bound[k][1] = -1.0f;
            pair->parent = p == 0 ? -1 : p == 1 ? 0 : 2 * (p - 1) + side;
            if (p == 0) {
                for (int k = 0; k < 6; ++k) pair->bound[k][1] = (float)INFINITY;
                pair->child[0] = 1;
                pair->child[1] = TS_BOX_TREE_NOTHING;
                continue;
            }
            pair->child[side] = p + 1 < DEEP ? p + 1 : ~(DEEP - 1);
            pair->child[side ^ 1] = ~(p - 1);
            tree.place[p - 1] = 2 * p + (side ^ 1);
            if (p + 1 == DEEP) tree.place[DEEP - 1] = 2 * p + side;
        }
        cr_assert_eq(tree_faults(&tree), 0);
        cr_assert_gt(tree_depth(&tree), 2 * TS_BOX_TREE_STACK);
        ts_box query = {ts_vec3_make(0, 0, 0), ts_vec3_make(0.5, 0.5, 0.5)};
        hits h = {.most = INT_MAX};
        cr_assert_eq(tree_overlap(&tree, query, count_hit, &h), 1);
        for (int i = 0; i < DEEP; ++i) cr_assert_eq(h.count[i], 1);
        hits few = {.most = 200};
        cr_assert_eq(tree_overlap(&tree, query, count_hit, &few), 0);
        cr_assert_eq(few.total, 200);
    }
    ts_box_tree_free(&tree);
}

Test(box_tree, what_is_no_box_is_refused) {
    const double inf = (double)INFINITY, none = (double)NAN;
    ts_box_tree tree;
    memset(&tree, 0, sizeof tree);
    ts_box good = {ts_vec3_make(0, 0, 0), ts_vec3_make(1, 1, 1)};
    tree_insert(&tree, 3, good);
    for (int k = 0; k < 6; ++k)
        for (int kind = 0; kind < 4; ++kind) {
            ts_box bad = good;
            double value = kind == 0 ? none : kind == 1 ? inf : kind == 2 ? -inf : (k < 3 ? 2.0 : -2.0);
            if (k < 3)
                bad.min = ts_vec3_with(bad.min, k, value);
            else
                bad.max = ts_vec3_with(bad.max, k - 3, value);
            ts_box4 refused;
            cr_assert(!ts_box4_from(bad.min, bad.max, tree.origin, &refused));
            hits h = {.most = INT_MAX};
            tree_overlap(&tree, bad, count_hit, &h);
            // As a query an infinite end on the proper side is fine.
            int fine = (k < 3 && kind == 2) || (k >= 3 && kind == 1);
            cr_assert_eq(h.total, fine);
        }
    ts_box_tree_free(&tree);
}

typedef struct first_hit {
    const ts_box* box;
    ts_vec3 from, direction;
    int item;
    int visits;
} first_hit;

// The parameter at which a ray enters a box, in long double; negative when it does not.
static long double enter_long(ts_box b, ts_vec3 from, ts_vec3 direction) {
    long double enter = 0.0L, leave = (long double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        long double o = ts_vec3_get(from, k), d = ts_vec3_get(direction, k);
        long double low = ts_vec3_get(b.min, k) - o, high = ts_vec3_get(b.max, k) - o;
        if (d == 0.0L) {
            if (low > 0.0L || high < 0.0L) return -1.0L;
            continue;
        }
        long double t1 = low / d, t2 = high / d;
        enter = fmaxl(enter, fminl(t1, t2));
        leave = fminl(leave, fmaxl(t1, t2));
    }
    return enter <= leave ? enter : -1.0L;
}

static double take_first(void* context, int item, double enter, double limit) {
    first_hit* f = (first_hit*)context;
    double t = (double)enter_long(f->box[item], f->from, f->direction);
    ++f->visits;
    cr_assert(enter >= 0.0 && enter <= limit);
    if (t < 0.0) return limit;
    cr_assert_leq(enter, t * (1.0 + 1e-14) + 1e-300);
    if (t > limit) return limit;
    f->item = item;
    return t;
}

Test(box_tree, rays_find_the_first_box) {
    ts_rng rng = ts_rng_make(315, 0);
    static ts_box box[N];
    ts_box_tree tree;
    memset(&tree, 0, sizeof tree);
    long long visits = 0;
    int hit = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        if (trial % 100 == 0) {
            ts_vec3 shift = random_vector(&rng, trial % 200 ? 0.0 : 1e5);
            for (int i = 0; i < N; ++i) {
                box[i] = random_box(&rng, 10.0, 0.5);
                box[i].min = ts_vec3_add(box[i].min, shift);
                box[i].max = ts_vec3_add(box[i].max, shift);
            }
            tree_build(&tree, box, N, NULL);
        }
        first_hit f = {box, ts_vec3_zero(), random_vector(&rng, 1.0), -1, 0};
        int target = (int)(ts_rng_uniform(&rng) * N);
        if (trial % 3 == 0)
            f.direction = ts_vec3_scale(ts_rng_uniform_in(&rng, -2.0, 2.0), ts_vec3_axis(trial % 9 / 3));
        f.from = ts_vec3_add_scaled(box[target].min, trial % 5 ? -20.0 : -1e4, f.direction);
        double limit = ts_box_tree_ray(&tree, f.from, f.direction, (double)INFINITY, take_first, &f);
        long double best = (long double)INFINITY;
        for (int i = 0; i < N; ++i) {
            long double t = enter_long(box[i], f.from, f.direction);
            if (t >= 0.0L && t < best) best = t;
        }
        if (f.item >= 0) ++hit;
        // Boxes hit within rounding of each other may stand for each other.
        if (best < (long double)INFINITY)
            cr_assert(f.item >= 0 && fabs(limit - (double)best) <= 1e-12 * (double)best, "%g, not %g", limit,
                      (double)best);
        else
            cr_assert_eq(f.item, -1);
        visits += f.visits;
    }
    cr_expect_gt(hit, 1500);
    cr_expect_lt((double)visits / 2000.0, 20.0, "%g boxes looked at for a ray", (double)visits / 2000.0);
    first_hit nothing = {box, ts_vec3_zero(), ts_vec3_axis(0), -1, 0};
    ts_box_tree_ray(&tree, ts_vec3_make((double)NAN, 0, 0), ts_vec3_axis(0), 1.0, take_first, &nothing);
    ts_box_tree_ray(&tree, ts_vec3_zero(), ts_vec3_make((double)NAN, 0, 0), 1.0, take_first, &nothing);
    ts_box_tree_ray(&tree, ts_vec3_zero(), ts_vec3_axis(0), (double)NAN, take_first, &nothing);
    cr_assert_eq(nothing.visits, 0);
    ts_box_tree_free(&tree);
}

// Floats that compare equal, are infinite, tiny: the wide tests must say what the scalar ones say.
Test(box_tree, wide_tests_agree_with_their_scalar_twins) {
    ts_rng rng = ts_rng_make(317, 0);
    const float values[8] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, 3e18f, -3e18f, 0.5f};
    for (int trial = 0; trial < 200000; ++trial) {
        ts_box_tree_pair pair;
        ts_box4 a, b;
        memset(&pair, 0, sizeof pair);
        for (int k = 0; k < 6; ++k)
            for (int side = 0; side < 2; ++side) pair.bound[k][side] = values[ts_rng_bits(&rng) >> 61];
        for (int k = 0; k < 4; ++k) {
            a.low[k] = values[ts_rng_bits(&rng) >> 61];
            a.minus_high[k] = values[ts_rng_bits(&rng) >> 61];
            b.low[k] = values[ts_rng_bits(&rng) >> 61];
            b.minus_high[k] = values[ts_rng_bits(&rng) >> 61];
        }
        a.low[3] = a.minus_high[3] = b.low[3] = b.minus_high[3] = -1e30f;
        ts_box_tree_query q = ts_box_tree_query_from(a.low, a.minus_high);
        cr_assert_eq(ts_box_tree_meet(&pair, &q), ts_box_tree_meet_scalar(&pair, &q));
        cr_assert_eq(ts_box4_inside(&a, &b), ts_box4_inside_scalar(&a, &b));
        cr_assert_eq(ts_box4_meet(&a, &b, 1e-3f), ts_box4_meet_scalar(&a, &b, 1e-3f));
    }
}

Test(box_tree, rounding_outwards_agrees_with_its_scalar_twin) {
    ts_rng rng = ts_rng_make(318, 0);
    const double odd[12] = {0.0,  -0.0,  1e-310,           -1e-310,           1e18,        -1e18,
                            2e18, -2e18, (double)INFINITY, -(double)INFINITY, (double)NAN, 1.0};
    int fine = 0;
    for (int trial = 0; trial < 300000; ++trial) {
        double x[9];
        for (int k = 0; k < 9; ++k)
            x[k] = ts_rng_uniform(&rng) < 0.2 ? odd[ts_rng_bits(&rng) % (k < 6 ? 12 : 4)]
                                              : ts_rng_uniform_in(&rng, -1.0, 1.0) * ldexp(1.0, trial % 61 - 30);
        ts_vec3 a = ts_vec3_load(x), b = ts_vec3_load(x + 3), origin = ts_vec3_load(x + 6);
        if (trial % 4) {
            ts_vec3 low = ts_vec3_min(a, b);
            b = ts_vec3_max(a, b);
            a = low;
        }
        ts_box4 wide_box, box;
        int is_fine = ts_box4_from_scalar(a, b, origin, &box);
        cr_assert_eq(ts_box4_from(a, b, origin, &wide_box), is_fine);
        if (!is_fine) continue;
        ++fine;
        cr_assert_arr_eq(&wide_box, &box, sizeof box);
        for (int k = 0; k < 3; ++k) {
            cr_assert_leq((double)box.low[k], ts_vec3_get(a, k) - ts_vec3_get(origin, k));
            cr_assert_leq((double)box.minus_high[k], ts_vec3_get(origin, k) - ts_vec3_get(b, k));
        }
    }
    cr_expect_gt(fine, 10000);
}
