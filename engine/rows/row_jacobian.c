// Rows over the degrees of freedom of trees, from what they read: velocities of points, turning of bodies, single dofs.
//
// Rule: with the dof axes S about the tree's origin o, direction . velocity of the point p of a body is, for each dof d on the
// body's chain, J_d = direction . (S_d.linear + S_d.angular x (p - o)) = direction . S_d.linear + ((p - o) x direction) . S_d.angular, and
// direction . angular velocity is direction . S_d.angular; every other dof has zero (row_lanes.c). A lone free body has its six in closed form (engine/dynamics/free_body_internal.h).
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

// The piece of a tree. A source that fills what it has not planned made a mistake.
static ts_row_piece* piece_of(const ts_row_jacobian* J, int tree) {
    ts_row_piece* piece = J->piece;
    while (piece->tree != tree) {
        ++piece;
        TS_ASSERT(piece < J->piece + J->piece_count);
    }
    return piece;
}

// In pairs that do not wait for each other.
static inline double dot_six(const double* a, const double* b) {
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

// Where rows [row, row + rows) over a lone free body, six numbers each, are to be made: in their place the first time, else
// in `spare`.
static inline double* open_sixes(ts_row_piece* piece, int row, int rows, double* spare) {
    TS_ASSERT(rows > 0);
    unsigned mask = ((1u << rows) - 1u) << row, before = piece->written & mask;
    piece->written |= mask;
    if (!before) return piece->J + 6 * row;
    for (int r = row; r < row + rows; ++r)
        if (!(before >> r & 1u)) memset(piece->J + 6 * r, 0, 6 * sizeof(double));
    return spare;
}

// Takes them in: notes their speeds and whitens them. Whitening is linear, so addends may be whitened one by one.
static inline void close_sixes(ts_row_jacobian* J, const ts_row_piece* piece, int row, int rows, double* six) {
    const ts_sim* sim = J->sim;
    const double* L = sim->mass_factor + sim->mass_start[piece->tree];
    const double* inverse = ts_sim_inverse_diagonal(sim, piece->tree);
    const double *v = sim->qvel + piece->dof_first, *v_free = sim->free_velocity + piece->dof_first;
    ts_row_speeds* speeds = J->speeds;
    int centred = ts_free_body_is_centred(sim->model, piece->tree);
    for (int r = 0; speeds && r < rows; ++r) {
        double* one = six + 6 * r;
        speeds->now[row + r] += dot_six(one, v);
        speeds->free[row + r] += dot_six(one, v_free);
        if (centred)
            ts_free_body_whiten_centred(L, inverse, one);
        else
            ts_free_body_whiten(L, inverse, one);
    }
    double* to = piece->J + 6 * row;
    for (int i = 0; six != to && i < 6 * rows; ++i) to[i] += six[i];
}

// Metres and radians are compared by what moves with them. `last` is the tip of the chain that moves the point, or turns.
static void note_speed(const ts_sim* sim, ts_row_piece* piece, int last, ts_vec3 lever, int turns) {
    const double* inverse = ts_sim_inverse_diagonal(sim, piece->tree);
    for (int d = last; d >= 0; d = sim->model->dof[d].parent) {
        ts_motion axis = ts_kinematics_axis(sim->model, &sim->kinematics, d);
        ts_vec3 velocity = turns ? axis.angular : ts_motion_at(axis, lever);
        double speed = fabs(velocity.x) + fabs(velocity.y) + fabs(velocity.z);
        piece->fastest = fmax(piece->fastest, speed * inverse[d - piece->dof_first]);
    }
}

// Adds to the wrench that a row is along the axes of a chain.
static inline void add_wrench(ts_vec3 couple, ts_vec3 force, double* to) {
    to[0] += couple.x, to[1] += couple.y, to[2] += couple.z;
    to[3] += force.x, to[4] += force.y, to[5] += force.z;
}

// Adds wrench . axis of each dof of a body's chain to rows [row, row + rows): force, and couple about the tree's origin.
static void add_wrenches(const ts_sim* sim, ts_row_piece* piece, int row, int rows, int body, const ts_vec3* couple,
                         const ts_vec3* force) {
    enum { GROUP = 6 * TS_ROW_LANES };
    if (piece->wrench) {
        for (int r = 0; r < rows; ++r) add_wrench(couple[r], force[r], piece->wrench + 6 * (row + r));
        return;
    }
    double wrench[TS_ROW_LANES_MOST / TS_ROW_LANES * GROUP] = {0.0};
    int first = row / TS_ROW_LANES, groups = piece->rows == 1 ? 0 : (row + rows - 1) / TS_ROW_LANES + 1 - first;
    for (int r = 0; r < rows; ++r) {
        double* to = wrench + ((row + r) / TS_ROW_LANES - first) * GROUP + (row + r) % TS_ROW_LANES;
        for (int k = 0; k < 3; ++k) {
            to[k * TS_ROW_LANES] = ts_vec3_get(couple[r], k);
            to[(3 + k) * TS_ROW_LANES] = ts_vec3_get(force[r], k);
        }
    }
    ts_motion room[6];
    const ts_motion* axis = ts_kinematics_axes(sim->model, &sim->kinematics, piece->tree, room);
    ts_row_lanes_wrench by = {sim->model, axis, wrench, groups, piece->dof_first, piece->dof_count};
    ts_row_lanes_add(&by, sim->model->body[body].dof_last, piece->J + first * TS_ROW_LANES * piece->dof_count);
}

// The sum of the rows' forces along their directions.
static ts_vec3 told_force(const ts_row_jacobian* J, int row, int rows, const ts_vec3* direction, double sign) {
    ts_vec3 force = ts_vec3_zero();
    for (int r = 0; r < rows; ++r) force = ts_vec3_add_scaled(force, sign * J->listener->force[row + r], direction[r]);
    return force;
}

void ts_row_add_point(ts_row_jacobian* J, int row, int rows, int body, ts_vec3 point, const ts_vec3* direction,
                      double sign) {
    const ts_sim* sim = J->sim;
    if (J->listener) {
        ts_force wrench = {ts_vec3_zero(), told_force(J, row, rows, direction, sign)};
        J->listener->act(sim, body, point, wrench);
        return;
    }
    int tree = sim->model->body[body].tree;
    if (tree < 0) return;
    ts_row_piece* piece = piece_of(J, tree);
    if (piece->is_free_body) {
        const ts_transform* pose = &sim->kinematics.body_pose[body];
        if (row == 0 && rows == 3 && !piece->written && J->speeds && ts_free_body_is_centred(sim->model, tree)) {
            ts_mat3 frame = ts_mat3_from_columns(direction[0], direction[1], direction[2]);
            ts_row_lanes_lone by = {pose,
                                    point,
                                    &frame,
                                    sign,
                                    sim->mass_factor + sim->mass_start[tree],
                                    ts_sim_inverse_diagonal(sim, tree),
                                    sim->qvel + piece->dof_first,
                                    sim->free_velocity + piece->dof_first};
            ts_row_lanes_three(&by, 1, J->speeds->now, J->speeds->free, piece->J);
            piece->written = 7u;
            return;
        }
        ts_vec3 lever = ts_vec3_sub(point, pose->p);
        double spare[6 * TS_BLOCK_ROWS_MAX];
        double* six = open_sixes(piece, row, rows, spare);
        for (int r = 0; r < rows; ++r) ts_free_body_row(pose, lever, ts_vec3_scale(sign, direction[r]), six + 6 * r);
        close_sixes(J, piece, row, rows, six);
        return;
    }
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(sim->model, &sim->kinematics, tree));
    // Contacts of one foot.
    if (piece->wrench && !piece->may_stand_still) {
        double* to = piece->wrench + 6 * row;
        for (int r = 0; r < rows; ++r, to += 6) {
            ts_vec3 force = ts_vec3_scale(sign, direction[r]);
            add_wrench(ts_vec3_cross(lever, force), force, to);
        }
        return;
    }
    ts_vec3 couple[TS_BLOCK_ROWS_MAX], force[TS_BLOCK_ROWS_MAX];
    for (int r = 0; r < rows; ++r) {
        force[r] = ts_vec3_scale(sign, direction[r]);
        couple[r] = ts_vec3_cross(lever, force[r]);
    }
    add_wrenches(sim, piece, row, rows, body, couple, force);
    if (piece->may_stand_still) note_speed(sim, piece, sim->model->body[body].dof_last, lever, 0);
}

void ts_row_add_turn(ts_row_jacobian* J, int row, int rows, int body, const ts_vec3* direction, double sign) {
    const ts_sim* sim = J->sim;
    if (J->listener) {
        ts_force wrench = {told_force(J, row, rows, direction, sign), ts_vec3_zero()};
        J->listener->act(sim, body, ts_vec3_zero(), wrench);
        return;
    }
    int tree = sim->model->body[body].tree;
    if (tree < 0) return;
    ts_row_piece* piece = piece_of(J, tree);
    if (piece->is_free_body) {
        double spare[6 * TS_BLOCK_ROWS_MAX];
        double* six = open_sixes(piece, row, rows, spare);
        for (int r = 0; r < rows; ++r)
            ts_free_body_turn_row(&sim->kinematics.body_pose[body], ts_vec3_scale(sign, direction[r]), six + 6 * r);
        close_sixes(J, piece, row, rows, six);
        return;
    }
    ts_vec3 couple[TS_BLOCK_ROWS_MAX], force[TS_BLOCK_ROWS_MAX];
    for (int r = 0; r < rows; ++r) {
        force[r] = ts_vec3_zero();
        couple[r] = ts_vec3_scale(sign, direction[r]);
    }
    add_wrenches(sim, piece, row, rows, body, couple, force);
    if (piece->may_stand_still) note_speed(sim, piece, sim->model->body[body].dof_last, ts_vec3_zero(), 1);
}

void ts_row_add_dof(ts_row_jacobian* J, int row, int dof, double coefficient) {
    if (J->listener) return;
    ts_row_piece* piece = piece_of(J, J->sim->model->dof[dof].tree);
    if (piece->is_free_body) {
        double spare[6];
        double* six = open_sixes(piece, row, 1, spare);
        for (int d = 0; d < 6; ++d) six[d] = piece->dof_first + d == dof ? coefficient : 0.0;
        close_sixes(J, piece, row, 1, six);
        return;
    }
    piece->J[ts_row_lanes_at(piece->dof_count, row, dof - piece->dof_first)] += coefficient;
}

void ts_row_add_lever(ts_row_jacobian* J, int row, const ts_lever* lever, double coefficient) {
    if (J->listener) {
        // Levers of tendons lie together.
        ptrdiff_t tendon = lever - ts_sim_storage_of(J->sim)->tendon_lever;
        if (tendon >= 0) J->listener->pull[tendon] += coefficient * J->listener->force[row];
        return;
    }
    for (int k = 0; k < lever->count; ++k) ts_row_add_dof(J, row, lever->dof[k], coefficient * lever->moment[k]);
}

ts_vec3 ts_row_point_bias(const ts_sim* sim, int body, ts_vec3 point) {
    int tree = sim->model->body[body].tree;
    if (tree < 0) return ts_vec3_zero();
    ts_motion velocity = sim->kinematics.body_velocity[body];
    // With constant coordinates a lone free body turns steadily about its frame's origin, which moves steadily.
    if (sim->model->tree[tree].kind != TS_TREE_GENERAL) {
        ts_vec3 lever = ts_vec3_sub(point, sim->kinematics.body_pose[body].p);
        return ts_vec3_cross(velocity.angular, ts_vec3_cross(velocity.angular, lever));
    }
    // Spatial accelerations are those of what passes by the origin.
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(sim->model, &sim->kinematics, tree));
    ts_vec3 passing = ts_motion_at(ts_kinematics_bias(sim->model, &sim->kinematics, body), lever);
    ts_vec3 turning = ts_vec3_cross(velocity.angular, ts_motion_at(velocity, lever));
    return ts_vec3_add(passing, turning);
}

double ts_row_stored_entry(const ts_row_piece* piece, int r, int d) {
    for (int s = 0; s < piece->segment_count; ++s) {
        const ts_delassus_segment* segment = &piece->stored[s];
        int at = piece->dof_first + d - segment->column;
        if (at >= 0 && at < segment->count) return segment->J[r * segment->count + at];
    }
    return 0.0;
}

double ts_row_squared(const ts_row_jacobian* J, int r) {
    double sum = 0.0;
    for (int k = 0; k < J->piece_count; ++k)
        for (int d = 0; d < J->piece[k].dof_count; ++d) {
            double j = ts_row_entry(&J->piece[k], r, d);
            sum += j * j;
        }
    return sum;
}

ts_mat3 ts_row_products(const ts_row_jacobian* J, int r) {
    ts_mat3 G = ts_mat3_zero();
    for (int k = 0; k < J->piece_count; ++k)
        for (int d = 0; d < J->piece[k].dof_count; ++d) {
            const ts_row_piece* piece = &J->piece[k];
            ts_vec3 column =
                ts_vec3_make(ts_row_entry(piece, r, d), ts_row_entry(piece, r + 1, d), ts_row_entry(piece, r + 2, d));
            G = ts_mat3_add(G, ts_mat3_outer(column, column));
        }
    return G;
}

double ts_row_lightest(const ts_row_jacobian* J) {
    double mass = (double)INFINITY;
    for (int k = 0; k < J->piece_count; ++k) mass = fmin(mass, J->sim->model->tree[J->piece[k].tree].mass);
    return mass;
}

double ts_row_mend_speed(const ts_options* options, double error) {
    return fmin(error * options->baumgarte / options->time_step, options->push_out_speed);
}

double ts_row_mend_turn(const ts_options* options, double error) {
    return fmin(error * options->baumgarte / options->time_step, options->push_out_turn);
}
