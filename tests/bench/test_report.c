// What benchmarks build on: summaries against closed forms, tables and figures that keep what they are given, pairs that
// lie where they are said to, and solvers that agree with certified bounds.
#include "bench/contest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include "collision/shape/support.h"

TestSuite(bench, .timeout = 120);

Test(bench, a_summary_is_the_textbook_one) {
    double value[101];
    for (int i = 0; i <= 100; ++i) value[i] = (double)((37 * i) % 101);  // 0 .. 100, shuffled
    ts_bench_sample s = ts_bench_summarise(value, 101);
    cr_expect_eq(s.count, 101);
    cr_expect_float_eq(s.mean, 50.0, 1e-12);
    cr_expect_float_eq(s.deviation, sqrt((101.0 * 101.0 - 1.0) / 12.0), 1e-9);
    cr_expect(s.least == 0.0 && s.p10 == 10.0 && s.median == 50.0 && s.p90 == 90.0 && s.p99 == 99.0 && s.most == 100.0);
    double two[2] = {3.0, 1.0};
    cr_expect_float_eq(ts_bench_summarise(two, 2).median, 2.0, 1e-15);
    cr_expect(isnan(ts_bench_summarise(two, 0).median));
}

Test(bench, a_table_keeps_cells_in_their_places) {
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    ts_bench_table* t = ts_bench_add_table(&report, "stem", "Title");
    ts_bench_add_column(t, "name", "");
    ts_bench_add_column(t, "time", "ns");
    ts_bench_add_column(t, "left out", "");
    for (int i = 0; i < 100; ++i) {
        ts_bench_row(t);
        ts_bench_text(t, "row %d", i);
        ts_bench_number(t, 0.5 * i);
    }
    ts_bench_add_column(t, "too late", "");
    cr_assert_eq(t->row_count, 100);
    cr_assert_eq(t->column_count, 3);
    for (int i = 0; i < 100; ++i) {
        char name[16];
        snprintf(name, sizeof name, "row %d", i);
        cr_expect_str_eq(t->cell[3 * i].text, name);
        cr_expect_eq(t->cell[3 * i + 1].number, 0.5 * i);
        cr_expect(isnan(t->cell[3 * i + 2].number) && !t->cell[3 * i + 2].text);
    }
    // More cells than columns are dropped, and nothing at all is no harm.
    ts_bench_number(t, 1.0);
    ts_bench_number(t, 2.0);
    cr_expect_eq(t->cell[3 * 99 + 2].number, 1.0);
    ts_bench_row(NULL);
    ts_bench_number(NULL, 1.0);
    ts_bench_text(NULL, "x");
    ts_text text = {0};
    ts_bench_report_text(&report, &text);
    cr_expect_not_null(strstr(ts_text_get(&text), "Title"));
    cr_expect_not_null(strstr(ts_text_get(&text), "time [ns]"));
    ts_text_free(&text);
    ts_bench_report_free(&report);
    cr_expect_null(report.table);
}

Test(bench, a_distribution_rises_from_least_to_most) {
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    ts_bench_figure* f = ts_bench_add_figure(&report, "f", "F", (ts_bench_axis){"x", "m", TS_BENCH_LOG},
                                             (ts_bench_axis){"y", "", TS_BENCH_LINEAR});
    double value[1000];
    for (int i = 0; i < 1000; ++i) value[i] = (double)((617 * i) % 1000);
    ts_bench_add_distribution(f, "all", value, 1000);
    const ts_bench_curve* c = &f->curve[0];
    cr_assert(c->count >= 2 && c->count <= 200);
    cr_expect(c->x[0] == 0.0 && c->x[c->count - 1] == 999.0 && c->y[c->count - 1] == 1.0);
    // The part of the sample up to x is known: (x + 1) / 1000.
    for (int i = 0; i < c->count; ++i) cr_expect_float_eq(c->y[i], (c->x[i] + 1.0) / 1000.0, 1e-12);
    ts_bench_report_free(&report);
}

typedef struct worker {
    long nanoseconds;
    long calls;
} worker;

static double processor_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void work(void* context, int query) {
    worker* w = (worker*)context;
    double end = processor_nanoseconds() + (double)(w->nanoseconds * (1 + query));
    while (processor_nanoseconds() < end) {
    }
    w->calls++;
}

// Work that lasts at least so long: a lower bound that holds on any machine, and an order that tails must keep.
Test(bench, times_are_at_least_what_was_worked) {
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    ts_bench_options options = {1, 1, NULL, NULL, NULL};
    worker w[2] = {{20000, 0}, {40000, 0}};
    ts_bench_contestant c[2] = {{"short", work, &w[0]}, {"long", work, &w[1]}};
    ts_bench_timing t[2];
    double each[2 * 4];
    ts_bench_time(&report, &options, &(ts_bench_race){c, 2, 4, 3, 1e-9}, t, each);
    for (int i = 0; i < 2; ++i) {
        cr_expect_geq(t[i].least, 2.5 * (double)w[i].nanoseconds);
        cr_expect(t[i].least <= t[i].p10 && t[i].p10 <= t[i].median && t[i].median <= t[i].p90);
        cr_expect(t[i].query_p50 <= t[i].query_p99 && t[i].query_p99 <= t[i].query_most);
        for (int q = 0; q < 4; ++q) cr_expect_geq(each[4 * i + q], 0.9 * (double)(w[i].nanoseconds * (1 + q)));
    }
    cr_expect_eq(w[0].calls, w[1].calls, "contestants take turns");
    ts_bench_report_free(&report);
}

static int always(void* watcher, double fraction) {
    (void)watcher;
    (void)fraction;
    return 1;
}

Test(bench, a_wish_to_stop_is_heard) {
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    report.progress = always;
    cr_expect(ts_bench_progress(&report, 1.0, 2.0));
    cr_expect(report.stopped);
    ts_bench_options options = {0, 1, NULL, NULL, NULL};
    worker w = {1000000, 0};
    ts_bench_contestant c = {"late", work, &w};
    ts_bench_timing t;
    ts_bench_time(&report, &options, &(ts_bench_race){&c, 1, 1000, 100, 10.0}, &t, NULL);
    cr_expect(isnan(t.median));
    cr_expect_eq(w.calls, 0);
}

// A certificate that needs no query: the plane through the pair's axis has A behind it and B beyond, at the distance.
Test(bench, pairs_lie_where_they_are_said_to) {
    static const double distances[] = {1e-4, 1e-3, 0.1, 1.0};
    for (int family = 0; family < TS_BENCH_FAMILY_COUNT; ++family) {
        ts_bench_workload w;
        cr_assert(ts_bench_workload_make((ts_bench_family)family, 50, 20, 11, &w));
        for (int d = 0; d < 4; ++d) {
            ts_bench_workload_place(&w, distances[d]);
            cr_expect_eq(w.contradictions, 0);
            for (int i = 0; i < w.count; ++i) {
                const ts_bench_pair* p = &w.pair[i];
                ts_vec3 n = p->axis;
                ts_vec3 local_a = ts_transform_direction_inverse(&p->pose_a, n);
                ts_vec3 local_b = ts_transform_direction_inverse(&p->pose_b, ts_vec3_neg(n));
                ts_vec3 a = ts_transform_point(&p->pose_a, ts_support_core(&p->a, local_a, -1).point);
                ts_vec3 b = ts_transform_point(&p->pose_b, ts_support_core(&p->b, local_b, -1).point);
                double gap = ts_vec3_dot(n, ts_vec3_sub(b, a)) - p->a.radius - p->b.radius;
                cr_expect_float_eq(gap, distances[d], 1e-11, "%s %d: %g, not %g",
                                   ts_bench_family_name((ts_bench_family)family), i, gap, distances[d]);
                cr_expect(p->lower <= distances[d] + 1e-12 && p->upper >= distances[d] - 1e-12);
            }
        }
        ts_bench_workload_free(&w);
    }
}

Test(bench, the_same_seed_makes_the_same_pairs) {
    ts_bench_workload a;
    ts_bench_workload b;
    ts_bench_workload c;
    cr_assert(ts_bench_workload_make(TS_BENCH_BOXES, 0, 5, 3, &a));
    cr_assert(ts_bench_workload_make(TS_BENCH_BOXES, 0, 5, 3, &b));
    cr_assert(ts_bench_workload_make(TS_BENCH_BOXES, 0, 5, 4, &c));
    for (int i = 0; i < 5; ++i) {
        cr_expect_eq(memcmp(&a.pair[i].b_in_a, &b.pair[i].b_in_a, sizeof(ts_transform)), 0);
        cr_expect_neq(memcmp(&a.pair[i].b_in_a, &c.pair[i].b_in_a, sizeof(ts_transform)), 0);
    }
    ts_bench_workload_free(&a);
    ts_bench_workload_free(&b);
    ts_bench_workload_free(&c);
}

Test(bench, an_error_is_the_way_to_the_bounds) {
    ts_bench_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.lower = 1.0;
    pair.upper = 1.5;
    cr_expect_eq(ts_bench_error(&pair, 1.25), 0.0);
    cr_expect_float_eq(ts_bench_error(&pair, 0.75), 0.25, 1e-15);
    cr_expect_float_eq(ts_bench_error(&pair, 2.0), 0.5, 1e-15);
    cr_expect(isinf(ts_bench_error(&pair, (double)NAN)));
}

Test(bench, our_own_rows_have_no_wrong_answers) {
    ts_bench_report report;
    memset(&report, 0, sizeof report);
    ts_bench_options options = {1, 5, NULL, NULL, NULL};
    ts_bench_table* t = ts_bench_contest_table(&report, "peers", "Boxes");
    ts_bench_workload w;
    cr_assert(ts_bench_workload_make(TS_BENCH_BOXES, 0, 20, 5, &w));
    static const ts_bench_contest contests[] = {{"boxes", 1e-3, TS_BENCH_ASK_DISTANCE},
                                                {"boxes", -0.01, TS_BENCH_ASK_DEPTH},
                                                {"boxes", 0.1, TS_BENCH_ASK_VERDICT}};
    for (int i = 0; i < 3; ++i)
        cr_expect_eq(ts_bench_contest_run(&report, &options, t, &w, &contests[i]), TS_BENCH_DONE);
    cr_assert_geq(t->row_count, 3);
    for (int r = 0; r < t->row_count; ++r) {
        const ts_bench_cell* cell = &t->cell[r * t->column_count];
        if (strncmp(cell[3].text, "touchstone", 10) == 0) cr_expect_eq(cell[5].number, 0.0, "%s", cell[3].text);
    }
    ts_bench_workload_free(&w);
    ts_bench_report_free(&report);
}

// The table of benchmarks: names are unique, short and findable.
Test(bench, every_benchmark_is_found_by_its_name) {
    for (int i = 0; i < ts_bench_count(); ++i) {
        const ts_bench* bench = ts_bench_at(i);
        cr_expect_eq(ts_bench_find(bench->name), bench);
        cr_expect_eq(strspn(bench->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(bench->name));
        cr_expect(bench->summary[0] && bench->run);
        cr_expect(i == 0 || strcmp(ts_bench_at(i - 1)->name, bench->name) < 0, "the table is sorted: %s", bench->name);
    }
    cr_expect_null(ts_bench_find("nothing"));
}
