// Newton where few velocities move, on random robots: a free root, limbs, feet on four points each (more rows than can move
// independently), dry friction, limits, now and then two limbs in touch. From nothing, and from the answer to the problem beside.
// Answers are judged by the natural map, written out here in long double, and where the law has one answer only, compared with
// what the other stages find.
#include <stdlib.h>

#include "base/rng.h"
#include "base/scalar.h"
#include "contact/operator/delassus.h"
#include "contact/solvers/newton/small_newton_internal.h"
#include "contact/solvers/newton/small_rows_internal.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/admissible.h"

enum { ROOT = 6, LIMBS = 6, LIMB = 8, DOFS = ROOT + LIMBS * LIMB, BLOCKS = 160, ROWS = 3 * BLOCKS };

// A robot's contact problem, in whitened coordinates.
typedef struct robot {
    int limbs, limb, dofs;
    int blocks, rows, segments;
    ts_block block[BLOCKS];
    int block_row[BLOCKS + 1], segment_start[BLOCKS + 1];
    ts_delassus_segment segment[4 * BLOCKS];
    double J[ROWS * DOFS];  // as segments keep it
    double full[ROWS][DOFS];
    double g[ROWS], R[ROWS];
    double* at;
    ts_arena arena;
    ts_contact_problem problem;
} robot;

static const ts_solver* ncp(void) { return ts_solver_find("ncp"); }

// A block whose rows stand in full[rows] on, moving the root and `deep` dofs of a limb, or two limbs: then all dofs, as assembly has it.
static void add_block(robot* r, ts_block block, int limb, int deep, int whole) {
    int first = r->rows, run[2][2] = {{0, ROOT}, {ROOT + limb * r->limb, deep}}, runs = deep > 0 ? 2 : 1;
    if (whole) {
        run[0][1] = r->dofs;
        runs = 1;
    }
    block.row = first;
    for (int k = 0; k < runs; ++k) {
        r->segment[r->segments++] = (ts_delassus_segment){run[k][0], run[k][1], r->at, r->at};
        for (int i = 0; i < block.rows; ++i)
            for (int j = 0; j < run[k][1]; ++j) *r->at++ = r->full[first + i][run[k][0] + j];
    }
    r->rows += block.rows;
    r->block[r->blocks++] = block;
    r->block_row[r->blocks] = r->rows;
    r->segment_start[r->blocks] = r->segments;
}

// A foot at the end of a limb: how it moves is six rows, and each of its points three combinations of these.
static void add_foot(robot* r, ts_rng* rng, int limb, int points, double mu) {
    double foot[6][DOFS] = {{0}};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < ROOT; ++j) foot[i][j] = ts_rng_normal(rng);
        for (int j = 0; j < r->limb; ++j) foot[i][ROOT + limb * r->limb + j] = ts_rng_normal(rng);
    }
    for (int k = 0; k < points; ++k) {
        double x = k & 1 ? 0.1 : -0.1, y = k & 2 ? 0.05 : -0.05;
        for (int j = 0; j < r->dofs; ++j) {
            r->full[r->rows][j] = foot[0][j] - y * foot[5][j];
            r->full[r->rows + 1][j] = foot[1][j] + x * foot[5][j];
            r->full[r->rows + 2][j] = foot[2][j] + y * foot[3][j] - x * foot[4][j];
        }
        add_block(r, (ts_block){.set = TS_SET_CONE, .rows = 3, .mu = mu}, limb, r->limb, 0);
    }
}

// One row on a joint.
static void add_joint(robot* r, ts_rng* rng, ts_block block, int limb, int dof) {
    block.rows = 1;
    for (int j = 0; j < DOFS; ++j) r->full[r->rows][j] = 0.0;
    for (int j = 0; j < ROOT; ++j) r->full[r->rows][j] = 0.3 * ts_rng_normal(rng);
    for (int j = 0; j <= dof; ++j) r->full[r->rows][ROOT + limb * r->limb + j] = ts_rng_normal(rng);
    add_block(r, block, limb, dof + 1, 0);
}

// Two limbs in touch.
static void add_touch(robot* r, ts_rng* rng, double mu) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < DOFS; ++j)
            r->full[r->rows + i][j] = j >= ROOT && j < ROOT + 2 * r->limb ? ts_rng_normal(rng) : 0.0;
    add_block(r, (ts_block){.set = TS_SET_CONE, .rows = 3, .mu = mu}, 0, 0, 1);
}

static void build(robot* r, ts_rng* rng, double mu) {
    memset(r, 0, sizeof *r);
    r->at = r->J;
    r->limbs = 1 + (int)(ts_rng_uniform(rng) * LIMBS);
    r->limb = 1 + (int)(ts_rng_uniform(rng) * LIMB);
    r->dofs = ROOT + r->limbs * r->limb;
    double dry = ts_rng_uniform(rng) < 0.5 ? 0.0 : 0.2;
    for (int l = 0; l < r->limbs; ++l)
        if (ts_rng_uniform(rng) < 0.7) add_foot(r, rng, l, ts_rng_uniform(rng) < 0.5 ? 4 : 1, mu);
    if (r->limbs > 1 && ts_rng_uniform(rng) < 0.3) add_touch(r, rng, mu);
    for (int l = 0; l < r->limbs; ++l)
        for (int d = 0; d < r->limb; ++d) {
            double most = dry * ts_rng_uniform(rng);
            if (dry > 0.0) add_joint(r, rng, (ts_block){.set = TS_SET_BOX, .low = -most, .high = most}, l, d);
            if (ts_rng_uniform(rng) < 0.1) add_joint(r, rng, (ts_block){.set = TS_SET_HALF_LINE}, l, d);
        }
    r->problem = (ts_contact_problem){.block_count = r->blocks,
                                      .row_count = r->rows,
                                      .block = r->block,
                                      .delassus = ts_delassus_velocity_form(&r->arena, r->dofs, r->blocks, r->block_row,
                                                                            r->segment_start, r->segment),
                                      .g = r->g,
                                      .time_step = TIME_STEP};
}

// g = J v: any velocity without contacts; then all rows at rest is a motion, and the law has an answer.
static void move(robot* r, const double* v) {
    for (int i = 0; i < r->rows; ++i) {
        r->g[i] = 0.0;
        for (int j = 0; j < r->dofs; ++j) r->g[i] += r->full[i][j] * v[j];
    }
}

// The largest violation of Signorini's and Coulomb's law, each part by a step of one over the block's trace, in long double.
static double violation(const robot* r, const double* impulse) {
    long double w[DOFS] = {0}, worst = 0.0L, largest = 0.0L;
    for (int i = 0; i < r->rows; ++i)
        for (int j = 0; j < r->dofs; ++j) w[j] += (long double)r->full[i][j] * impulse[i];
    for (int b = 0; b < r->blocks; ++b) {
        const ts_block* block = &r->block[b];
        const double* x = impulse + block->row;
        long double u[3], stiffness = 0.0L, free = 0.0L;
        for (int i = 0; i < block->rows; ++i) {
            u[i] = r->g[block->row + i] + (r->problem.R ? (long double)r->R[block->row + i] * x[i] : 0.0L);
            free = fmaxl(free, fabsl((long double)r->g[block->row + i]));
            for (int j = 0; j < r->dofs; ++j) {
                u[i] += r->full[block->row + i][j] * w[j];
                stiffness += (long double)r->full[block->row + i][j] * r->full[block->row + i][j];
            }
            largest = fmaxl(largest, fabsl((long double)x[i]));
        }
        largest = fmaxl(largest, free / stiffness);
        if (block->set == TS_SET_BOX) {
            long double y = x[0] - u[0] / stiffness;
            worst = fmaxl(worst, fabsl(x[0] - fminl(fmaxl(y, block->low), block->high)));
        } else if (block->set == TS_SET_HALF_LINE) {
            worst = fmaxl(worst, fabsl(x[0] - fmaxl(x[0] - u[0] / stiffness, 0.0L)));
        } else {
            long double z = fmaxl(x[2] - u[2] / stiffness, 0.0L), a = x[0] - u[0] / stiffness,
                        c = x[1] - u[1] / stiffness;
            long double t = sqrtl(a * a + c * c), share = t > block->mu * x[2] ? block->mu * x[2] / t : 1.0L;
            worst = fmaxl(worst, fabsl(x[2] - z));
            worst = fmaxl(worst, fmaxl(fabsl(x[0] - share * a), fabsl(x[1] - share * c)));
        }
    }
    return (double)(worst / largest);
}

static ts_small_report solve_within(const robot* r, int limit, double* impulse) {
    ts_arena scratch = {0};
    ts_yardstick yardstick = ts_yardstick_make(&r->problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
    ts_small_report report =
        ts_small_newton(&yardstick, (ts_small_start){TS_SMALL_FROM_HERE, 1.0}, limit, &scratch, impulse);
    cr_expect_eq(scratch.used, 0u);
    cr_expect_leq(report.newtons, limit);
    ts_arena_free(&scratch);
    return report;
}

static ts_small_report solve(const robot* r, double* impulse) { return solve_within(r, 40, impulse); }

// Whether the twin for every machine gives the same bits as what this one runs.
static int twins_agree(const robot* r, int limit, const double* start, const double* answer, ts_small_report report) {
    static double impulse[ROWS];
    ts_arena scratch = {0};
    ts_yardstick yardstick = ts_yardstick_make(&r->problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
    memcpy(impulse, start, sizeof impulse);
    ts_small_report other =
        ts_small_newton_narrow(&yardstick, (ts_small_start){TS_SMALL_FROM_HERE, 1.0}, limit, &scratch, impulse);
    ts_arena_free(&scratch);
    return memcmp(impulse, answer, sizeof impulse) == 0 && other.newtons == report.newtons &&
           other.excess == report.excess;
}

static void random_velocity(ts_rng* rng, double size, double* v) {
    for (int j = 0; j < DOFS; ++j) v[j] += size * ts_rng_normal(rng);
}

// What the operator makes of an answer, asked twice: the first time it may have been told, the
// second time it has to add up. The same bits.
static void expect_velocities_of(const robot* r, const double* impulse) {
    ts_delassus* G = r->problem.delassus;
    static double told[ROWS], found[ROWS];
    for (int time = 0; time < 2; ++time) {
        G->ops->set_impulse(G, impulse);
        for (int b = 0; b < r->blocks; ++b) G->ops->velocity(G, b, (time == 0 ? told : found) + r->block[b].row);
    }
    cr_expect_arr_eq(told, found, (size_t)r->rows * sizeof(double));
}

// Solves a robot from nothing, then a few motions next to it, each from the answer before. What converges is right, what does not is
// left alone. Counts.
static void walk(robot* r, ts_rng* rng, int* io_tried, int* io_solved) {
    static double impulse[ROWS], before[ROWS];
    double v[DOFS] = {0.0};
    memset(impulse, 0, sizeof impulse);
    random_velocity(rng, 1.0, v);
    for (int k = 0; k < 4; ++k, random_velocity(rng, 0.02, v)) {
        move(r, v);
        memcpy(before, impulse, sizeof before);
        ts_small_report report = solve(r, impulse);
        ++io_tried[k > 0];
        cr_expect(twins_agree(r, 40, before, impulse, report));
        if (report.status != TS_SOLVE_CONVERGED) {
            cr_expect_eq(report.status, TS_SOLVE_STALLED);
            cr_expect_arr_eq(impulse, before, sizeof before);
            continue;
        }
        ++io_solved[k > 0];
        cr_expect(is_admissible(&r->problem, impulse));
        cr_expect_leq(violation(r, impulse), 2e-7, "%g", violation(r, impulse));
        expect_velocities_of(r, impulse);
    }
}

Test(small_newton, finds_what_robots_ask_for, .timeout = 300) {
    static robot r;
    int tried[2] = {0, 0}, solved[2] = {0, 0};
    ts_rng rng = ts_rng_make(11, 0);
    for (int i = 0; i < 1000; ++i) {
        build(&r, &rng, ts_rng_uniform_in(&rng, 0.0, 1.2));
        // Some of them soft.
        for (int k = 0; k < r.rows; ++k) r.R[k] = 0.05;
        if (i % 5 == 0) r.problem.R = r.R;
        if (r.rows > 0) walk(&r, &rng, tried, solved);
        ts_arena_free(&r.arena);
    }
    cr_expect_geq(solved[0], (int)(0.95 * tried[0]), "from nothing: %d of %d", solved[0], tried[0]);
    cr_expect_geq(solved[1], (int)(0.98 * tried[1]), "from beside: %d of %d", solved[1], tried[1]);
}

// Feet that are kicked about, with friction of more than they weigh: whole steps go from one choice of contacts to the next; a central
// path ends what they leave, or proximal points.
Test(small_newton, ends_what_whole_steps_leave, .timeout = 300) {
    enum { LIMIT = 900, FIRST = 12 };
    static robot r;
    static double impulse[ROWS], before[ROWS];
    int late = 0, ended = 0;
    ts_rng rng = ts_rng_make(13, 0);
    for (int i = 0; i < 1500; ++i) {
        double v[DOFS] = {0.0};
        build(&r, &rng, ts_rng_uniform_in(&rng, 0.5, 2.0));
        for (int k = 0; k < r.rows; ++k) r.R[k] = 0.05;
        if (i % 5 == 0) r.problem.R = r.R;
        memset(impulse, 0, sizeof impulse);
        for (int k = 0; k < 3 && r.rows > 0; ++k) {
            random_velocity(&rng, 1.0, v);
            move(&r, v);
            memcpy(before, impulse, sizeof before);
            ts_small_report report = solve_within(&r, LIMIT, impulse);
            if (report.newtons <= FIRST) continue;
            ++late;
            ended += report.status == TS_SOLVE_CONVERGED;
            cr_expect(twins_agree(&r, LIMIT, before, impulse, report));
            if (report.status != TS_SOLVE_CONVERGED) continue;
            cr_expect(is_admissible(&r.problem, impulse));
            cr_expect_leq(violation(&r, impulse), 2e-7, "%g", violation(&r, impulse));
            expect_velocities_of(&r, impulse);
        }
        ts_arena_free(&r.arena);
    }
    cr_expect_geq(late, 100);
    cr_expect_geq(ended, (int)(0.99 * late), "%d of %d", ended, late);
}

// Without friction of contacts the velocities are the one minimum of a convex function, whoever finds them. A natural map of 1e-8
// leaves them a few hundred times that where rows are nearly redundant.
Test(small_newton, agrees_with_the_other_stages, .timeout = 300) {
    static robot r;
    static double impulse[ROWS], other[ROWS];
    int compared = 0;
    ts_rng rng = ts_rng_make(12, 0);
    for (int i = 0; i < 300; ++i) {
        ts_arena scratch = {0};
        build(&r, &rng, 0.0);
        double v[DOFS] = {0.0}, size = 0.0;
        random_velocity(&rng, 1.0, v);
        move(&r, v);
        memset(impulse, 0, sizeof impulse);
        memset(other, 0, sizeof other);
        fixture_settings settings;
        ts_solver_default_settings(ncp(), &settings);
        fixture_set(ncp(), &settings, "stages", (1 << ncp()->stage_count) - 2);
        if (r.rows > 0 && solve(&r, impulse).status == TS_SOLVE_CONVERGED &&
            ncp()->solve(&r.problem, &settings, &scratch, other).status == TS_SOLVE_CONVERGED) {
            for (int j = 0; j < r.dofs; ++j) {
                double gap = 0.0;
                for (int k = 0; k < r.rows; ++k) gap += r.full[k][j] * (impulse[k] - other[k]);
                size = fmax(size, fabs(gap));
            }
            cr_expect_leq(size, 1e-5, "robot %d: velocities differ by %g", i, size);
            ++compared;
        }
        ts_arena_free(&scratch);
        ts_arena_free(&r.arena);
    }
    cr_expect_geq(compared, 200);
}

// A cube's corner dragged along the ground, in closed form: it presses with its weight, and slides against the pull.
Test(small_newton, one_point_that_slides) {
    static const int block_row[] = {0, 3}, segment_start[] = {0, 1};
    const double m = 2.0, mu = 0.3, pull = 0.5, fall = -0.01;
    double J[9] = {0.0}, g[3] = {0.6 * pull, 0.8 * pull, fall}, impulse[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) J[4 * i] = 1.0 / sqrt(m);
    ts_arena arena = {0};
    ts_delassus_segment segment = {0, 3, J, J};
    ts_block block = fixture_cone(0, mu);
    robot r = {.problem = {.block_count = 1, .row_count = 3, .block = &block, .g = g, .time_step = TIME_STEP}};
    r.problem.delassus = ts_delassus_velocity_form(&arena, 3, 1, block_row, segment_start, &segment);
    cr_expect_eq(solve(&r, impulse).status, TS_SOLVE_CONVERGED);
    // To the tolerance of the velocities that the problem is about.
    cr_expect_float_eq(impulse[2], -m * fall, 3e-8);
    cr_expect_float_eq(impulse[0], 0.6 * mu * m * fall, 3e-8);
    cr_expect_float_eq(impulse[1], 0.8 * mu * m * fall, 3e-8);
    ts_arena_free(&arena);
}

// Two points of one body that cannot turn, each of which is to be drawn off by a hair, to either side. What holds both contradicts itself: the
// answer has both at their friction, the one against the other, however small the hair is. No limit of friction is near when it begins.
Test(small_newton, finds_what_gives_where_points_contradict_each_other) {
    static const int block_row[] = {0, 3, 6}, segment_start[] = {0, 1, 2};
    const double m = 2.0, mu = 0.5, fall = -0.1;
    for (double hair = 1e-2; hair > 1e-7; hair *= 0.1) {
        double J[9] = {0.0}, g[6] = {hair, 0.0, fall, -hair, 0.0, fall}, impulse[6] = {0.0}, before[6] = {0.0};
        for (int i = 0; i < 3; ++i) J[4 * i] = 1.0 / sqrt(m);
        ts_arena arena = {0};
        ts_delassus_segment segment[2] = {{0, 3, J, J}, {0, 3, J, J}};
        ts_block block[2] = {fixture_cone(0, mu), fixture_cone(3, mu)};
        robot r = {.problem = {.block_count = 2, .row_count = 6, .block = block, .g = g, .time_step = TIME_STEP}};
        r.problem.delassus = ts_delassus_velocity_form(&arena, 3, 2, block_row, segment_start, segment);
        ts_small_report report = solve(&r, impulse);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
        cr_expect_leq(report.newtons, 5, "%g: %d systems", hair, report.newtons);
        cr_expect_float_eq(impulse[2] + impulse[5], -m * fall, 1e-7);
        cr_expect_float_eq(impulse[0], -mu * impulse[2], 1e-7, "%g", hair);
        cr_expect_float_eq(impulse[3], mu * impulse[5], 1e-7, "%g", hair);
        ts_arena scratch = {0};
        ts_yardstick yardstick = ts_yardstick_make(&r.problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
        (void)ts_small_newton_narrow(&yardstick, (ts_small_start){TS_SMALL_FROM_HERE, 1.0}, 40, &scratch, before);
        cr_expect_arr_eq(before, impulse, sizeof before);
        ts_arena_free(&scratch);
        ts_arena_free(&arena);
    }
}

// A humanoid that lies on its arms, in a step that neither the impulses of the step before nor a central path lead to the end: two contacts and
// seven limits whose rows are far from square to each other. Recorded, whitened rows turned to a triangle, rounded to four digits. A start from
// nothing finds the answer, which stands for itself.
static void make_jam(robot* r, double* out_before) {
    enum { N = 13 };
    static const double J[N][N] = {
        {0.8674},
        {0.3549, 0.4098},
        {0.002887, 0.004145, 1.248},
        {0.01015, 0.01904, 0.0792, 1.015},
        {-0.0009136, -0.0003427, -0.112, -0.1746, 0.6156},
        {0.5473, -0.7858, 0.003239, 0.0148, -0.001406, 0.7326},
        {-0.3708, 0.07762, 0.003772, 0.01292, -0.00876, 0.1796, 0.954},
        {-0.4377, -0.3135, -0.0001436, 0.003422, 0.008602, -0.2478, -0.4326, 0.2806},
        {-0.0811, 0.01759, 0.2591, 1.194, -0.9073, 0.007116, -0.1785, -0.1841, 2.918},
        {-0.4151, 0.1725, 0.2128, -0.1259, -0.5288, 0.4907, -0.273, -0.5009, -0.1886, 2.571},
        {-0.02424, -0.03006, -5.975, 2.421, -1.212, -0.02628, -0.008589, -0.148, -0.7904, 1.293, 2.421},
        {0.04304, 0.02872, -2.278, -5.199, 0.6243, 0.1483, 0.1207, 0.3551, 4.454, 0.8083, -1.916, 3.613},
        {-0.02287, -0.008394, 0.007528, 0.002851, -0.04051, 0.02947, 0.006884, -0.07131, -0.1765, -0.1005, 0.01553,
         0.3051, 6.412}};
    static const double g[N] = {-0.2042, -0.09528, 0.3269, 0.2978, -0.3985, 0.3199, -0.1127,
                                0.1143,  0.1666,   1.939,  -7.087, 2.203,   1.191};
    static const double before[N] = {1.118, 0.0,   1.485, -0.9409, 1.758, -0.3919, 0.5186,
                                     0.65,  0.184, 0.0,   0.3302,  0.0,   0.0};
    memset(r, 0, sizeof *r);
    r->at = r->J;
    r->dofs = N;
    for (int row = 0; row < N;) {
        int is_contact = row == 2 || row == 5;
        ts_block block = {
            .set = is_contact ? TS_SET_CONE : TS_SET_HALF_LINE, .rows = is_contact ? 3 : 1, .mu = is_contact};
        for (int i = 0; i < block.rows; ++i, ++row) memcpy(r->full[row], J[row], sizeof J[row]);
        add_block(r, block, 0, 0, 1);
    }
    r->problem = (ts_contact_problem){
        .block_count = r->blocks,
        .row_count = r->rows,
        .block = r->block,
        .delassus = ts_delassus_velocity_form(&r->arena, N, r->blocks, r->block_row, r->segment_start, r->segment),
        .g = r->g,
        .time_step = 0.005,
        .rest_speed = 0.04905};
    memcpy(r->g, g, sizeof g);
    memset(out_before, 0, ROWS * sizeof(double));
    memcpy(out_before, before, sizeof before);
}

Test(small_newton, starts_from_nothing_where_friction_jams) {
    static robot r;
    static double impulse[ROWS];
    make_jam(&r, impulse);
    cr_expect_eq(solve_within(&r, 1000, impulse).status, TS_SOLVE_CONVERGED);
    cr_expect(is_admissible(&r.problem, impulse));
    cr_expect_leq(violation(&r, impulse), 2e-7, "%g", violation(&r, impulse));
    ts_arena_free(&r.arena);
}

// The last places to begin at are others than the first, and one of them ends that, too; too few systems leave the impulse as it was.
Test(small_newton, begins_beside_where_that_is_asked_for) {
    static robot r;
    static double before[ROWS], impulse[ROWS];
    make_jam(&r, before);
    ts_yardstick yardstick = ts_yardstick_make(&r.problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
    for (int limit = 3; limit <= 900; limit += 897) {
        ts_arena scratch = {0};
        memcpy(impulse, before, sizeof before);
        ts_small_report report =
            ts_small_newton(&yardstick, (ts_small_start){TS_SMALL_FROM_BESIDE, 1.0}, limit, &scratch, impulse);
        cr_expect_eq(scratch.used, 0u);
        cr_expect_leq(report.newtons, limit);
        cr_expect_eq(report.status, limit < 900 ? TS_SOLVE_STALLED : TS_SOLVE_CONVERGED, "%d systems", report.newtons);
        if (limit < 900) cr_expect_arr_eq(impulse, before, sizeof before);
        ts_arena_free(&scratch);
    }
    cr_expect(is_admissible(&r.problem, impulse));
    cr_expect_leq(violation(&r, impulse), 2e-7, "%g", violation(&r, impulse));
    ts_arena_free(&r.arena);
}

// What it is not made for it refuses: more velocities, another operator, rows that are not whitened.
Test(small_newton, refuses_what_is_not_small) {
    static const int block_row[] = {0, 1}, segment_start[] = {0, 1};
    double J[80], Y[80], g = -1.0, impulse = 0.5;
    for (int i = 0; i < 80; ++i) J[i] = Y[i] = 1.0;
    ts_block block = {.set = TS_SET_HALF_LINE, .rows = 1};
    for (int k = 0; k < 4; ++k) {
        ts_arena arena = {0};
        robot r = {.problem = {.block_count = 1, .row_count = 1, .block = &block, .g = &g, .time_step = TIME_STEP}};
        ts_delassus_segment segment = {0, k == 1 ? 65 : 64, J, k == 2 ? Y : J};
        r.problem.delassus = k == 3 ? dense_operator(&arena, 1, block_row, J)
                                    : ts_delassus_velocity_form(&arena, 65, 1, block_row, segment_start, &segment);
        if (k == 0) r.problem.delassus = ts_delassus_velocity_form(&arena, 64, 1, block_row, segment_start, &segment);
        double before = impulse;
        cr_expect_eq(solve(&r, &impulse).status, k == 0 ? TS_SOLVE_CONVERGED : TS_SOLVE_FAILED, "case %d", k);
        if (k > 0) cr_expect_eq(impulse, before);
        ts_arena_free(&arena);
    }
}

// ts_largest decides, in its own order, one number after the other.
Test(small_newton, four_at_a_time_the_same_is_largest) {
    static const double odd[] = {0.0, -0.0, -7.0, HUGE_VAL, -HUGE_VAL, NAN, 1e-320, -1e308};
    for (int n = 0; n <= 13; ++n)
        for (int i = 0; i <= n; ++i)
            for (size_t k = 0; k < sizeof odd / sizeof odd[0]; ++k) {
                double x[14];
                for (int j = 0; j < 14; ++j) x[j] = j % 3 == 0 ? -0.1 * j : 0.2 * j;
                if (i < n) x[i] = odd[k];
                double is = small_largest(x, n), should = ts_largest(x, n);
                cr_assert(memcmp(&is, &should, sizeof is) == 0 || (isnan(is) && isnan(should)), "%d numbers, %g at %d",
                          n, odd[k], i);
            }
}
