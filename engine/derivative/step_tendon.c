// How the moments of a tendon through space turn with positions.
//
// A span from a on A to b on B, around a geom on G or around nothing, has a length L(a, b) in the frame of G, with gradients g_a and g_b, unit vectors along its
// ends. Dof k moves a against G by alpha_k, its field at a where it carries A less that where it carries G, and b by beta_k:
//     m_k = g_a . alpha_k + g_b . beta_k
//     dm_k = (omega_G x g_a + L_aa alpha + L_ab beta) . alpha_k + g_a . dalpha_k + ...
// Straight: L_aa = L_bb = -L_ab = (1 - e e^T) / L. Around a circle, in its plane, an end that moves across its line turns the line about where it touches: L_aa = n n^T / l_a
// and L_ab = 0. A sphere's plane turns as well: along its normal N, with the angle c between a and b from the centre and rho the distances,
//     L_aa = L_rho / rho_a + L_c cot(c) / rho_a^2,   L_ab = -L_c / (sin(c) rho_a rho_b).
// Around a cylinder L = hypot(w, z) of the way w across its axis and the climb z.
// Source: derived here from engine/actuation/tendon.c and tendon_wrap.c.
// Known: nothing is said (0 is returned) where a way touches from within, or ends where it touches, or goes around a sphere in no plane.
#include <math.h>
#include <string.h>

#include "engine/actuation/tendon_internal.h"
#include "engine/derivative/step_implicit_internal.h"

// m: ends nearer to where a way touches are on it.
static const double nothing = 1e-9;

// Gradients of a span's length by its ends, and second derivatives: K[i][j] by ends i and j.
typedef struct bend {
    ts_vec3 g[2];
    ts_mat3 K[2][2];
} bend;

static ts_mat3 outer(double by, ts_vec3 a, ts_vec3 b) {
    ts_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = by * ts_vec3_get(a, i) * ts_vec3_get(b, j);
    return out;
}

static void add(ts_mat3* io, ts_mat3 A) { *io = ts_mat3_add(*io, A); }

static int bend_straight(ts_vec3 a, ts_vec3 b, bend* out) {
    ts_vec3 way = ts_vec3_sub(b, a);
    double length = ts_vec3_norm(way);
    if (length < nothing) return 0;
    ts_vec3 e = ts_vec3_scale(1.0 / length, way);
    ts_mat3 P = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)), outer(1.0, e, e));
    out->g[0] = ts_vec3_neg(e);
    out->g[1] = e;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) out->K[i][j] = ts_mat3_scale((i == j ? 1.0 : -1.0) / length, P);
    return 1;
}

// What the plane of a sphere's centre and the ends does when an end leaves it.
static int bend_plane(ts_vec3 centre, const ts_vec3 end[2], const double straight[2], bend* out) {
    ts_vec3 from[2] = {ts_vec3_sub(end[0], centre), ts_vec3_sub(end[1], centre)}, N = ts_vec3_cross(from[0], from[1]);
    double rho[2] = {ts_vec3_norm(from[0]), ts_vec3_norm(from[1])};
    double sine = ts_vec3_norm(N) / (rho[0] * rho[1]), cosine = ts_vec3_dot(from[0], from[1]) / (rho[0] * rho[1]);
    if (sine < nothing) return 0;
    N = ts_vec3_scale(1.0 / ts_vec3_norm(N), N);
    ts_vec3 away = ts_vec3_sub(ts_vec3_scale(cosine * rho[1] / rho[0], from[0]), from[1]);
    double by_angle = rho[0] * ts_vec3_dot(out->g[0], away) / ts_vec3_norm(away);
    for (int i = 0; i < 2; ++i) {
        ts_vec3 across = ts_vec3_cross(N, out->g[i]);
        double by_rho = ts_vec3_dot(out->g[i], from[i]) / rho[i];
        double own = by_rho / rho[i] + by_angle * cosine / (sine * rho[i] * rho[i]);
        add(&out->K[i][i], outer(1.0 / straight[i], across, across));
        add(&out->K[i][i], outer(own, N, N));
        add(&out->K[i][1 - i], outer(-by_angle / (sine * rho[0] * rho[1]), N, N));
    }
    return 1;
}

static int bend_cylinder(ts_vec3 axis, const ts_vec3 end[2], const ts_vec3 straight[2], double length, bend* out) {
    double climb = ts_vec3_dot(axis, ts_vec3_sub(end[1], end[0]));
    double across = sqrt(fmax(length * length - climb * climb, 0.0));
    ts_vec3 flat[2], up[2] = {ts_vec3_neg(axis), axis};
    for (int i = 0; i < 2; ++i) {
        ts_vec3 plane = ts_vec3_add_scaled(straight[i], -ts_vec3_dot(straight[i], axis), axis);
        double long_enough = ts_vec3_norm(plane);
        if (long_enough < nothing) return 0;
        // Of the way across: it ends along this.
        flat[i] = ts_vec3_scale((i ? 1.0 : -1.0) / long_enough, plane);
        ts_vec3 side = ts_vec3_cross(axis, flat[i]);
        add(&out->K[i][i], outer(across / (length * long_enough), side, side));
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            add(&out->K[i][j], outer(1.0 / length, flat[i], flat[j]));
            add(&out->K[i][j], outer(1.0 / length, up[i], up[j]));
            add(&out->K[i][j], outer(-1.0 / length, out->g[i], out->g[j]));
        }
    return 1;
}

static int bend_span(const ts_sim* sim, const ts_tendon_span* way, int* out_around, bend* out) {
    ts_vec3 touch[2], end[2] = {way->from.point, way->to.point};
    double curve = ts_tendon_curve(sim, way, touch);
    *out_around = way->around && curve >= 0.0;
    memset(out, 0, sizeof *out);
    if (!*out_around) return way->from.body == way->to.body || bend_straight(end[0], end[1], out);
    ts_vec3 piece[2] = {ts_vec3_sub(touch[0], end[0]), ts_vec3_sub(end[1], touch[1])};
    double straight[2] = {ts_vec3_norm(piece[0]), ts_vec3_norm(piece[1])};
    if (curve < nothing || straight[0] < nothing || straight[1] < nothing) return 0;
    out->g[0] = ts_vec3_scale(-1.0 / straight[0], piece[0]);
    out->g[1] = ts_vec3_scale(1.0 / straight[1], piece[1]);
    const ts_transform* pose = ts_kinematics_geom(&sim->kinematics, way->around->index);
    if (sim->model->geom[way->around->index].shape.kind == TS_SHAPE_SPHERE)
        return bend_plane(pose->p, end, straight, out);
    return bend_cylinder(ts_mat3_column(&pose->R, 2), end, piece, straight[0] + curve + straight[1], out);
}

// A dof as it moves a span: its field at the ends, and which of them and of what is gone around it carries.
typedef struct mover {
    ts_vec3 at[2];
    int carries[2], turns;
    ts_vec3 relative[2];  // alpha and beta
} mover;

static int is_carried(const ts_model* model, int body, int dof) {
    int d = body >= 0 ? model->body[body].dof_last : -1;
    while (d > dof) d = model->dof[d].parent;
    return d == dof;
}

static mover mover_of(const ts_sim* sim, const ts_tendon_span* way, int around, int dof) {
    const ts_model* model = sim->model;
    const ts_tendon_hold* hold[2] = {&way->from, &way->to};
    ts_vec3 origin = ts_kinematics_origin(sim->model, &sim->kinematics, model->dof[dof].tree);
    mover m;
    m.turns = is_carried(model, around, dof);
    for (int i = 0; i < 2; ++i) {
        m.at[i] =
            ts_motion_at(ts_kinematics_axis(sim->model, &sim->kinematics, dof), ts_vec3_sub(hold[i]->point, origin));
        m.carries[i] = is_carried(model, hold[i]->body, dof);
        m.relative[i] = ts_vec3_scale(m.carries[i] - m.turns, m.at[i]);
    }
    return m;
}

// Whether dof c turns or shifts the axis of dof r.
static int shifts(const ts_model* model, int c, int r) {
    int d = ts_step_carrier(model, r);
    while (d > c) d = model->dof[d].parent;
    return d == c;
}

// Of the moment of dof r by dof c.
static double moment_slope(const ts_sim* sim, const ts_tendon_span* way, const bend* of, int r, int c, const mover* row,
                           const mover* column) {
    const ts_kinematics* k = &sim->kinematics;
    ts_motion turned = ts_motion_cross(ts_kinematics_axis(sim->model, k, c), ts_kinematics_axis(sim->model, k, r));
    ts_vec3 origin = ts_kinematics_origin(sim->model, k, sim->model->dof[r].tree),
            end[2] = {way->from.point, way->to.point};
    int moved = shifts(sim->model, c, r);
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        ts_vec3 dg =
            column->turns ? ts_vec3_cross(ts_kinematics_axis(sim->model, k, c).angular, of->g[i]) : ts_vec3_zero();
        for (int j = 0; j < 2; ++j) dg = ts_vec3_add(dg, ts_mat3_mul_vec(&of->K[i][j], column->relative[j]));
        sum += ts_vec3_dot(dg, row->relative[i]);
        if (row->carries[i] == row->turns) continue;
        ts_vec3 change = moved ? ts_motion_at(turned, ts_vec3_sub(end[i], origin)) : ts_vec3_zero();
        if (column->carries[i])
            change = ts_vec3_add(change, ts_vec3_cross(ts_kinematics_axis(sim->model, k, r).angular, column->at[i]));
        sum += (row->carries[i] - row->turns) * ts_vec3_dot(of->g[i], change);
    }
    return sum;
}

int ts_step_tendon_bend(const ts_sim* sim, int tendon, double* out_bend) {
    const ts_model* model = sim->model;
    const ts_lever* lever = &ts_sim_storage_of(sim)->tendon_lever[tendon];
    size_t n = (size_t)lever->count;
    if (out_bend) memset(out_bend, 0, n * n * sizeof(double));
    if (ts_step_tendon_is_sum(model, tendon)) return 1;
    for (ts_tendon_span way = ts_tendon_first_span(); ts_tendon_next_span(sim, &model->tendon[tendon], &way);) {
        bend of;
        int is_around;
        if (!bend_span(sim, &way, &is_around, &of)) return 0;
        int around = is_around ? model->geom[way.around->index].body : -1;
        if (!is_around && way.from.body == way.to.body) continue;
        for (size_t c = 0; out_bend && c < n; ++c) {
            mover column = mover_of(sim, &way, around, lever->dof[c]);
            for (size_t r = 0; r < n; ++r) {
                mover row = mover_of(sim, &way, around, lever->dof[r]);
                out_bend[r * n + c] +=
                    way.share * moment_slope(sim, &way, &of, lever->dof[r], lever->dof[c], &row, &column);
            }
        }
    }
    return 1;
}
