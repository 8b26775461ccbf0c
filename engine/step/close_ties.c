// What a step leaves connections and welds open by, taken out of positions.
//
// Problem: the rows of a tie close it to second order: c* = -phi / h - h / 2 (dJ/dt) v (engine/rows/row_tie.c) has (dJ/dt) v of the velocity
// that the step begins with. Where an impact changes the velocity it is wrong, and phi(q+) is of second order though every row is met: Cassie's
// rods open by 1.6e-8 m when it falls.
// Rule: what the rows let it be open by is h (J v+ - c*), what they give; e is the rest of phi(q+). Where something strikes and e exceeds a bound,
// positions move by
//
//     dq = -M_hat^-1 J^T (J M_hat^-1 J^T + S)^-1 e,
//
// one step of Newton in the metric of the inertia, J and M_hat those of the step: of all motions that close the ties it is the one of least
// energy. What is left is |e| times the angle that the step has turned. Velocities stay as they are. S is a share of the largest G_ii: what
// joints can hardly do (dead centres) stays open rather than throw them about. The system is solved by conjugate gradients, to a thousandth.
// Source: projection on the constraints after the step, Hairer, Lubich and Wanner, "Geometric Numerical Integration" (2006), IV.4.
// Guaranteed: no tie that the rows mend whole is further open than before; else the step stays as it was. Same bits on any number of threads: one does it.
// What the potential changes by is in the books with that of the way, integrator_potential (ledger.c).
// Derivatives by equations refuse such a step (engine/derivative/step_implicit.c).
// Known to be left alone: what is of third order in steps without an impact; ties that are mended at the limit of push_out_speed, that are slowed or soft, and gears, whose error is of second order anyway.
#include <math.h>
#include <string.h>

#include "engine/dynamics/dynamics_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/pile_internal.h"

// 1: share of the slop, or where there is none of the way at push_out_speed, that a tie may be open by: 4e-9 m by default.
static const double most_open = 4e-4, most_open_of_way = 1e-6;

// 1: S over the largest G_ii of its kind.
static const double least_motion = 1e-5;

// 1: where conjugate gradients end.
static const double enough = 1e-3;

typedef struct closing {
    ts_sim* sim;
    const ts_row_plan* plan;
    ts_sim* end;  // the simulation as it is where the step leads to, as far as ties ask
    int* block;   // (count) of ties that are to be closed
    int* row;     // (count + 1) where their rows begin among those of all of them
    int count;
    double *e, *mu, *left, *way, *answer;  // (rows)
    double *give, *diagonal;               // (rows) S, and G_ii + S
    double* motion;                        // (nv) whitened, then dq
} closing;

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// Whether something strikes: pushed, it comes faster than what does not bounce.
static int is_impact(const ts_sim* sim) {
    double threshold = ts_contact_bounce_threshold(&sim->options);
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        if (block->set != TS_SET_CONE && block->set != TS_SET_HALF_LINE) continue;
        int normal = block->row + (block->set == TS_SET_CONE ? 2 : 0);
        double free_speed = sim->problem.g[normal] + ts_sim_storage_of(sim)->reference[normal];
        if (sim->impulse[normal] > 0.0 && free_speed < -threshold) return 1;
    }
    return 0;
}

static int rows_of(const closing* c) { return c->row[c->count]; }

// Whether the rows of block b were to close it within the step.
static int is_closed_by_rows(const ts_sim* sim, int b) {
    const ts_row_source* source = ts_row_source_at(sim->row_block[b].source);
    double offset[TS_BLOCK_ROWS_MAX];
    if (!source->offset || sim->row_block[b].blocked != TS_ROW_FREE) return 0;
    int rows = sim->problem.block[b].rows;
    source->offset(sim, ts_row_equality_of(sim, b), offset);
    double most = sim->options.time_step * sim->options.push_out_speed;
    return dot(offset, offset, rows) < most * most;
}

// Lists ties. Returns 0 when memory is short.
static int list_ties(closing* c) {
    const ts_contact_problem* problem = &c->sim->problem;
    int ties = 0;
    for (int b = 0; b < problem->block_count; ++b)
        ties += ts_row_source_at(c->sim->row_block[b].source)->offset != NULL;
    if (ties == 0) return 1;
    c->block = TS_ARENA_ARRAY(&c->sim->scratch, int, ties);
    c->row = TS_ARENA_ARRAY(&c->sim->scratch, int, ties + 1);
    if (!c->block || !c->row) return 0;
    c->row[0] = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        if (!is_closed_by_rows(c->sim, b)) continue;
        c->block[c->count++] = b;
        c->row[c->count] = c->row[c->count - 1] + problem->block[b].rows;
    }
    return 1;
}

// Room for poses at the end of the step. Returns 0 when memory is short.
static int take_room(closing* c) {
    const ts_model* model = c->sim->model;
    ts_arena* arena = &c->sim->scratch;
    double* numbers = TS_ARENA_ARRAY(arena, double, 7 * rows_of(c) + model->nv);
    ts_sim* end = TS_ARENA_ARRAY(arena, ts_sim, 1);
    if (!numbers || !end) return 0;
    c->e = numbers;
    c->mu = c->e + rows_of(c);
    c->left = c->mu + rows_of(c);
    c->way = c->left + rows_of(c);
    c->answer = c->way + rows_of(c);
    c->give = c->answer + rows_of(c);
    c->diagonal = c->give + rows_of(c);
    c->motion = c->diagonal + rows_of(c);
    *end = *c->sim;
    end->kinematics.body_pose = TS_ARENA_ARRAY(arena, ts_transform, end->kinematics.pose_count);
    end->kinematics.body_centre = TS_ARENA_ARRAY(arena, ts_vec3, model->body_count);
    end->kinematics.joint_anchor = TS_ARENA_ARRAY(arena, ts_vec3, end->kinematics.anchor_count);
    end->kinematics.own_axis = TS_ARENA_ARRAY(arena, ts_motion, end->kinematics.axis_count);
    if (arena->failed) return 0;
    end->kinematics.own_axis -= end->kinematics.axis_first;
    c->end = end;
    return 1;
}

// Poses of the trees that ties move.
static void place_trees(const closing* c, double* qpos) {
    const ts_model* model = c->sim->model;
    c->end->qpos = qpos;
    int last = -1;
    for (int i = 0; i < c->count; ++i)
        for (int s = c->plan->segment_start[c->block[i]]; s < c->plan->segment_start[c->block[i] + 1]; ++s) {
            int tree = model->dof[c->plan->segment[s].column].tree;
            if (tree != last)
                ts_kinematics_find_tree(model, qpos, NULL, TS_KINEMATICS_GEOMS, tree, &c->end->kinematics);
            last = tree;
        }
}

// e of all ties, and the largest |e| of one; `out_open` (NULL: not wanted) hears how many exceed `bound`.
static double find_errors(const closing* c, double bound, int* out_open) {
    const ts_sim* sim = c->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double worst = 0.0;
    for (int i = 0; i < c->count; ++i) {
        int b = c->block[i], first = sim->problem.block[b].row, rows = sim->problem.block[b].rows;
        double* e = c->e + c->row[i];
        ts_row_source_at(sim->row_block[b].source)->offset(c->end, ts_row_equality_of(sim, b), e);
        for (int r = 0; r < rows; ++r)
            e[r] -= sim->options.time_step * (storage->row_after[first + r] - storage->reference[first + r]);
        double size = sqrt(dot(e, e, rows));
        if (out_open && size > bound) ++*out_open;
        worst = fmax(worst, size);
    }
    return worst;
}

// motion = J^T x, whitened.
static void spread(const closing* c, const double* x) {
    memset(c->motion, 0, (size_t)c->sim->model->nv * sizeof(double));
    for (int i = 0; i < c->count; ++i)
        for (int s = c->plan->segment_start[c->block[i]]; s < c->plan->segment_start[c->block[i] + 1]; ++s) {
            const ts_delassus_segment* g = &c->plan->segment[s];
            for (int r = 0; r < c->row[i + 1] - c->row[i]; ++r)
                for (int k = 0; k < g->count; ++k)
                    c->motion[g->column + k] += g->J[r * g->count + k] * x[c->row[i] + r];
        }
}

// y = (G + S) x
static void multiply(const closing* c, const double* x, double* y) {
    spread(c, x);
    for (int i = 0; i < rows_of(c); ++i) y[i] = c->give[i] * x[i];
    for (int i = 0; i < c->count; ++i)
        for (int s = c->plan->segment_start[c->block[i]]; s < c->plan->segment_start[c->block[i] + 1]; ++s) {
            const ts_delassus_segment* g = &c->plan->segment[s];
            for (int r = 0; r < c->row[i + 1] - c->row[i]; ++r)
                y[c->row[i] + r] += dot(g->J + (size_t)r * (size_t)g->count, c->motion + g->column, g->count);
        }
}

// G_rr of row r of tie i.
static double squared_of(const closing* c, int i, int r) {
    double sum = 0.0;
    for (int s = c->plan->segment_start[c->block[i]]; s < c->plan->segment_start[c->block[i] + 1]; ++s) {
        const double* J = c->plan->segment[s].J + (size_t)r * (size_t)c->plan->segment[s].count;
        sum += dot(J, J, c->plan->segment[s].count);
    }
    return sum;
}

static void find_diagonal(const closing* c) {
    enum { POINT_ROWS = 3 };
    for (int i = 0; i < c->count; ++i) {
        int first = c->row[i], rows = c->row[i + 1] - first;
        double most[2] = {0.0, 0.0};
        for (int r = 0; r < rows; ++r) {
            c->diagonal[first + r] = squared_of(c, i, r);
            most[r >= POINT_ROWS] = fmax(most[r >= POINT_ROWS], c->diagonal[first + r]);
        }
        for (int r = 0; r < rows; ++r) {
            c->give[first + r] = least_motion * most[r >= POINT_ROWS];
            c->diagonal[first + r] += c->give[first + r];
        }
    }
}

// to = from over the diagonal; returns from . to. What nothing moves is left alone.
static double scale_down(const closing* c, const double* from, double* to) {
    for (int i = 0; i < rows_of(c); ++i) to[i] = c->diagonal[i] > 0.0 ? from[i] / c->diagonal[i] : 0.0;
    return dot(from, to, rows_of(c));
}

// (G + S) mu = e by conjugate gradients, with that diagonal.
static void find_closing(const closing* c) {
    int rows = rows_of(c);
    memset(c->mu, 0, (size_t)rows * sizeof(double));
    memcpy(c->left, c->e, (size_t)rows * sizeof(double));
    double product = scale_down(c, c->left, c->way), goal = enough * enough * product;
    for (int k = 0; k < 2 * rows && product > goal; ++k) {
        multiply(c, c->way, c->answer);
        double step = product / dot(c->way, c->answer, rows);
        for (int i = 0; i < rows; ++i) c->mu[i] += step * c->way[i];
        for (int i = 0; i < rows; ++i) c->left[i] -= step * c->answer[i];
        double next = scale_down(c, c->left, c->answer), turn = next / product;
        for (int i = 0; i < rows; ++i) c->way[i] = c->answer[i] + turn * c->way[i];
        product = next;
    }
}

int ts_step_close_ties(ts_sim* sim, double* io_qpos) {
    ts_sim_storage_of(sim)->closed_ties = 0;
    if (sim->model->equality_count == 0 || ts_pile_is_on(sim) || ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL)
        return 1;
    const ts_options* o = &sim->options;
    closing c = {.sim = sim, .plan = ts_sim_storage_of(sim)->row_plan};
    if (!list_ties(&c)) return 0;
    if (c.count == 0) return 1;
    // Room is taken in every step, so that the first impact finds the arena as large as it needs it.
    double* closed = TS_ARENA_ARRAY(&sim->scratch, double, sim->model->nq);
    if (!closed || !take_room(&c)) return 0;
    if (!is_impact(sim)) return 1;
    memcpy(c.end->kinematics.body_pose, sim->kinematics.body_pose,
           (size_t)sim->model->body_count * sizeof(ts_transform));
    int open = 0;
    double bound = o->slop > 0.0 ? most_open * o->slop : most_open_of_way * o->time_step * o->push_out_speed;
    place_trees(&c, io_qpos);
    double before = find_errors(&c, bound, &open);
    if (open == 0) return 1;
    find_diagonal(&c);
    find_closing(&c);
    spread(&c, c.mu);
    for (int t = 0; t < sim->model->tree_count; ++t)
        ts_dynamics_unwhiten(sim, t, c.motion + sim->model->tree[t].dof_first);
    ts_integrate_position(sim->model, io_qpos, c.motion, -1.0, closed);
    place_trees(&c, closed);
    if (!(find_errors(&c, bound, NULL) < before)) return 1;
    memcpy(io_qpos, closed, (size_t)sim->model->nq * sizeof(double));
    ts_sim_storage_of(sim)->closed_ties = open;
    return 1;
}
