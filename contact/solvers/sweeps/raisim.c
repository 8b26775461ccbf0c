// RaiSim: every contact in turn, sliding found by bisection on the boundary of its friction cone; as published (raisim),
// and with an end point that obeys the exact law (raisim-corrected).
//
// Problem: Signorini for all contacts, and where one slides, least energy E(lambda) = 1/2 lambda^T D lambda + b^T
// lambda over the section of its cone where u_N = 0, the other contacts as they stand: u = D lambda + b, D = G_bb +
// R_b.
// Rule, one contact at a time: b_N >= 0 opens. Else lambda_0 = -D^-1 b sticks if the cone holds it. Else, with friction
// in direction t and eps = mu D_TN / D_NN, the section is the conic
//     |lambda_T| = r(t) = -mu b_N / (D_NN (1 + eps . t)),   lambda_N = r / mu,
// with its focus at the origin, and E falls or rises around it as (t_perp is t turned by a quarter)
//     dE / r = t_perp . u_T - (eps . t_perp) / (1 + eps . t) (t . u_T).
// From the direction of lambda_0 one steps downhill, step beta_1, growing by beta_3; points where r < 0 or that do not
// face lambda_0 (t . lambda_0T < mu lambda_0N) are refused and shrink the step by beta_2; the first rise closes a
// bracket, which is halved. lambda <- (1 - alpha) lambda + alpha lambda*, alpha shrinking from sweep to sweep if asked
// to.
// raisim-corrected counts u_N + mu |u_T| in the gradient where raisim counts u_N = 0; |u_T| is the contact's slip before
// the update (de Saxce's shift, one visit late). The section u_N = 0 itself stays unshifted.
// Source: Hwangbo, Lee, Hutter, Per-contact iteration method for solving contact dynamics, 2018; eq. (21) and Alg. 4 of
// Le Lidec et al., Contact Models in Robotics: a Comparative Analysis (whose printed relaxation never moves; this is
// the one of the original). The certificate below is ours. Le Lidec et al. also name the error in friction; the shifted
// gradient follows their released code. A sliding fixed point of it satisfies u_T - |u_T| eps = -s (t + eps) with s >= 0,
// and u_T = -s t solves it. Multiplying out, any other solution needs s |t + eps|^2 = (|eps|^2 - 1) |u_T|, so for
// mu |D_TN| < D_NN there is none.
// Guaranteed: the section is convex in lambda_T (|lambda_T| + eps . lambda_T <= const) and so is E on it, so the root
// found is the global minimum exactly when u_T . (t + eps) <= 0; that is checked, and directions all round are scanned
// where it fails. No proof of convergence over contacts. Convergence of raisim is judged in the law its rule ends at
// (TS_LAW_RAISIM) and never in the exact one, which sliding with D_TN != 0 does not meet however long one iterates; that
// of raisim-corrected in the exact one.
// Contacts that also spin or roll have no published section; they are solved exactly, as by ncp-nsgs.
// Known to fail: raisim's friction does not oppose slip where D_TN != 0; with mu |D_TN| > D_NN the late shift of
// raisim-corrected can swing or settle where the law does not hold, reported as a stall or as the iteration limit; large
// mass ratios converge slowly, as in all per-contact methods; internal forces persist even while sliding.
#include "contact/solvers/sweeps/raisim_internal.h"

enum { SEARCH_LIMIT = 100, BISECTION_LIMIT = 100, SCAN = 24 };

// The published parameters.
static const double paper_alpha_min = 0.7, paper_gamma = 0.99, paper_width = 1e-6;

// Settings of both. Of `sweep`, omega and local_iterations mean nothing to them (alpha relaxes). With sweep.step_rule =
// TS_PGS_STEP_SEED the published parameters take the place of alpha_min, gamma and width, with plain halving.
typedef struct raisim_settings {
    ts_pgs_settings sweep;
    double alpha;       // share of the new impulse that is taken in the first sweep
    double alpha_min;   // where alpha goes: after a sweep alpha <- alpha_min + gamma (alpha - alpha_min)
    double gamma;       // 1 keeps alpha as it is
    double first_step;  // rad: first step of the search for a bracket (beta_1)
    double shrink;      // beta_2, of a step that was refused
    double grow;        // beta_3, of a step that was taken
    double width;       // bracket at which the bisection ends, relative to the impulse
} raisim_settings;

static const ts_setting setting[] = {
    TS_SETTING_WHOLE(ts_pgs_settings, step_rule, 0.0, 1.0, "0 safe parameters, 1 the published ones"),
    TS_SETTING_WHOLE(ts_pgs_settings, order, 0.0, 1.0, "0 always forward, 1 forward and backward in turn"),
    TS_SETTING_REAL(raisim_settings, alpha, 1e-3, 1.0, "share of the new impulse taken in the first sweep"),
    TS_SETTING_REAL(raisim_settings, alpha_min, 1e-3, 1.0, "where that share goes"),
    TS_SETTING_REAL(raisim_settings, gamma, 0.0, 1.0, "how slowly it goes there; 1 keeps it"),
    TS_SETTING_REAL(raisim_settings, first_step, 1e-6, 1.0, "first step around the cone, rad"),
    TS_SETTING_REAL(raisim_settings, shrink, 0.01, 0.99, "factor of a refused step"),
    TS_SETTING_REAL(raisim_settings, grow, 1.0, 10.0, "factor of a step that was taken"),
    TS_SETTING_REAL(raisim_settings, width, 0.0, 1.0, "relative width at which the bisection ends"),
};

static const raisim_settings defaults = {
    .sweep = {.shared = {1e-8, 1e-12, 1000, 0.0}, .omega = 1.0, .step_rule = TS_PGS_STEP_SAFE, .local_iterations = 1},
    .alpha = 1.0,
    .alpha_min = 0.7,
    .gamma = 1.0,
    .first_step = 0.01,
    .shrink = 0.5,
    .grow = 1.3,
    .width = 1e-15,
};

// A direction in the tangent plane.
typedef struct direction {
    double x, y;
} direction;

// A point of the section's boundary.
typedef struct boundary {
    direction t;
    double reach;    // 1 + eps . t, > 0 where the point exists
    double slope;    // dE / r around the cone, counterclockwise
    double outward;  // of -gradient: <= 0 proves the global minimum where slope = 0
    ts_vec3 lambda;
} boundary;

static direction unit(double x, double y) {
    double length = sqrt(x * x + y * y);
    if (!(length > 0.0)) return (direction){1.0, 0.0};
    return (direction){x / length, y / length};
}

// Turned by about `angle`, without trigonometry: the half angle's tangent is taken to be the half angle.
static direction turned(direction t, double angle) {
    double h = 0.5 * angle, d = 1.0 / (1.0 + h * h), c = (1.0 - h * h) * d, s = 2.0 * h * d;
    return unit(c * t.x - s * t.y, s * t.x + c * t.y);
}

static boundary at(const ts_raisim_contact* q, direction t) {
    boundary p = {.t = t};
    double ex = q->mu * q->d02 / q->d22, ey = q->mu * q->d12 / q->d22;
    p.reach = 1.0 + (ex * t.x + ey * t.y);
    if (!(p.reach > 0.0)) return p;
    double z = -q->b.z / (q->d22 * p.reach), r = q->mu * z;
    p.lambda = ts_vec3_make(r * t.x, r * t.y, z);
    double ux = q->d00 * p.lambda.x + q->d01 * p.lambda.y + q->d02 * z + q->b.x;
    double uy = q->d01 * p.lambda.x + q->d11 * p.lambda.y + q->d12 * z + q->b.y;
    double along = t.x * ux + t.y * uy, across = t.x * uy - t.y * ux, turn = t.x * ey - t.y * ex;
    p.slope = across - turn / p.reach * (along + q->slip);
    p.outward = (ux - q->slip * ex) * (t.x + ex) + (uy - q->slip * ey) * (t.y + ey);
    return p;
}

static double energy(const ts_raisim_contact* q, const boundary* p) {
    double x = p->lambda.x, y = p->lambda.y, z = p->lambda.z;
    double quadratic =
        x * (q->d00 * x + 2.0 * q->d01 * y) + q->d11 * y * y + z * (2.0 * (q->d02 * x + q->d12 * y)) + q->d22 * z * z;
    return 0.5 * quadratic + q->b.x * x + q->b.y * y + (q->b.z + q->mu * q->slip) * z;
}

// The root of the slope between a falling and a rising point less than half a turn apart.
static boundary bisect(const ts_raisim_contact* q, const ts_raisim_search* search, boundary low, boundary high) {
    double f_low = low.slope, f_high = high.slope;  // of opposite sign; halved where the secant drags its feet
    int side = 0;
    for (int k = 0; k < BISECTION_LIMIT; ++k) {
        double gap = fmax(fabs(high.t.x - low.t.x), fabs(high.t.y - low.t.y));
        if (!(gap > search->width)) break;
        double a = 0.5, b = 0.5;
        // Every fourth step halves, so that the bracket shrinks even where the slope is far from straight.
        if (search->secant && (k & 3) != 3) {
            a = fabs(f_high) / (fabs(f_low) + fabs(f_high));
            b = 1.0 - a;
        }
        boundary middle = at(q, unit(a * low.t.x + b * high.t.x, a * low.t.y + b * high.t.y));
        if (!(middle.reach > 0.0)) break;
        if (middle.slope == 0.0) return middle;
        if ((middle.slope < 0.0) == (low.slope < 0.0)) {
            if (middle.t.x == low.t.x && middle.t.y == low.t.y) break;
            low = middle;
            f_low = middle.slope;
            if (side == 1) f_high *= 0.5;
            side = 1;
        } else {
            if (middle.t.x == high.t.x && middle.t.y == high.t.y) break;
            high = middle;
            f_high = middle.slope;
            if (side == 2) f_low *= 0.5;
            side = 2;
        }
    }
    return fabs(low.slope) <= fabs(high.slope) ? low : high;
}

// The published search from the direction of the sticking impulse. Returns 0 when it finds no bracket.
static int search_root(const ts_raisim_contact* q, const ts_raisim_search* search, ts_vec3 stick, boundary* out) {
    boundary p = at(q, stick.x != 0.0 || stick.y != 0.0 ? unit(stick.x, stick.y) : unit(-q->b.x, -q->b.y));
    *out = p;
    if (!(p.reach > 0.0)) return 0;
    if (p.slope == 0.0) return 1;
    double step = p.slope > 0.0 ? -search->first_step : search->first_step;
    for (int k = 0; k < SEARCH_LIMIT && fabs(step) > search->width; ++k) {
        boundary next = at(q, turned(p.t, step));
        double facing = next.t.x * stick.x + next.t.y * stick.y - q->mu * stick.z;
        if (!(next.reach > 0.0) || !(facing >= 0.0)) {
            step *= search->shrink;
        } else if ((next.slope > 0.0) == (p.slope > 0.0) && next.slope != 0.0) {
            p = next;
            step = fmin(fmax(step * search->grow, -1.0), 1.0);
        } else {
            *out = bisect(q, search, p, next);
            return 1;
        }
    }
    return 0;
}

// All round: the root of least energy.
static boundary scan(const ts_raisim_contact* q, const ts_raisim_search* search) {
    const double c = 0.96592582628906829, s = 0.25881904510252076;  // 15 degrees
    boundary best = {.reach = 0.0}, previous = at(q, (direction){1.0, 0.0});
    double least = HUGE_VAL;
    for (int k = 0; k < SCAN; ++k) {
        direction t = previous.t;
        boundary next = at(q, unit(c * t.x - s * t.y, s * t.x + c * t.y));
        if (previous.reach > 0.0 && next.reach > 0.0) {
            boundary candidate = next;
            if (previous.slope <= 0.0 && next.slope > 0.0) candidate = bisect(q, search, previous, next);
            double e = energy(q, &candidate);
            if (e < least) {
                least = e;
                best = candidate;
            }
        }
        previous = next;
    }
    return best;
}

// -D^-1 b; a direction without give to rounding gets some.
static ts_vec3 sticking(const ts_raisim_contact* q) {
    double e0 = q->d02 / q->d22, e1 = q->d12 / q->d22;
    double A = q->d00 - q->d02 * e0, B = q->d01 - q->d02 * e1, C = q->d11 - q->d12 * e1;
    double c0 = e0 * q->b.z - q->b.x, c1 = e1 * q->b.z - q->b.y, det = A * C - B * B;
    if (!(det > 1e-13 * (A + C) * (A + C))) {
        double keep = 1e-12 * (q->d00 + q->d11);
        A += keep;
        C += keep;
        det = A * C - B * B;
    }
    if (!(det > 0.0)) return ts_vec3_make(0.0, 0.0, -q->b.z / q->d22);
    double x = (C * c0 - B * c1) / det, y = (A * c1 - B * c0) / det;
    return ts_vec3_make(x, y, -q->b.z / q->d22 - (e0 * x + e1 * y));
}

ts_vec3 ts_raisim_solve_contact(const ts_raisim_contact* contact, const ts_raisim_search* search) {
    const ts_raisim_contact* q = contact;
    if (!(q->b.z < 0.0)) return ts_vec3_zero();
    if (!(q->mu > 0.0)) return ts_vec3_make(0.0, 0.0, -q->b.z / q->d22);
    ts_vec3 stick = sticking(q);
    double bound = q->mu * stick.z;
    if (stick.z >= 0.0 && stick.x * stick.x + stick.y * stick.y <= bound * bound) return stick;
    boundary root;
    int found = search_root(q, search, stick, &root);
    // Rounding of a root leaves an outward push of the size of the velocities' last bits.
    double noise = 1e-12 * (fabs(q->b.x) + fabs(q->b.y) + (q->d00 + q->d11) * root.lambda.z * q->mu);
    if (!found || !(root.outward <= noise)) {
        boundary other = scan(q, search);
        if (other.reach > 0.0 && (!(root.reach > 0.0) || energy(q, &other) < energy(q, &root))) root = other;
    }
    return root.reach > 0.0 ? root.lambda : ts_vec3_make(0.0, 0.0, -q->b.z / q->d22);
}

// The published parameters where step_rule asks for them.
static raisim_settings effective(const raisim_settings* settings) {
    raisim_settings s = *settings;
    if (s.sweep.step_rule == TS_PGS_STEP_SEED) {
        s.alpha_min = paper_alpha_min;
        s.gamma = paper_gamma;
        s.width = paper_width;
    }
    s.sweep.omega = s.alpha;
    s.sweep.local_iterations = 1;
    return s;
}

// What the contact sees of the others.
static ts_raisim_contact contact_of(const ts_pgs_block* c, ts_vec3 l, ts_vec3 u, int corrected) {
    ts_raisim_contact q = {.d00 = c->D00, .d01 = c->D01, .d11 = c->D11, .d02 = c->D02, .d12 = c->D12, .d22 = c->D22};
    q.b = ts_pgs_bias(c, l, u);
    q.mu = c->mu;
    q.slip = corrected ? sqrt(u.x * u.x + u.y * u.y) : 0.0;
    return q;
}

static void sweep_with(ts_pgs* pgs, int begin, int end, int corrected, ts_pgs_movement* movement) {
    // raisim_settings begins with the settings of the sweep.
    const raisim_settings* settings = (const raisim_settings*)(const void*)pgs->settings;
    ts_raisim_search search = {settings->first_step, settings->shrink, settings->grow, settings->width,
                               settings->sweep.step_rule == TS_PGS_STEP_SAFE};
    double alpha = pgs->omega;
    for (int k = begin; k < end; ++k) {
        int b = pgs->backward ? begin + end - 1 - k : k;
        const ts_pgs_block* block = &pgs->block[b];
        if (block->kind == TS_PGS_CONE) {
            const ts_velocity_block* six = ts_pgs_six(pgs, b);
            ts_vec3 old = ts_vec3_load(pgs->lambda + block->row);
            ts_raisim_contact q = contact_of(block, old, ts_pgs_velocity(pgs, b, six, block, old), corrected);
            ts_vec3 next = ts_raisim_solve_contact(&q, &search);
            if (alpha != 1.0) next = ts_vec3_add_scaled(old, alpha, ts_vec3_sub(next, old));
            ts_pgs_commit(pgs, b, six, block, old, next, movement);
        } else if (block->kind == TS_PGS_COORDINATE) {
            ts_pgs_update_coordinates(pgs, b, movement);
        } else if (block->kind == TS_PGS_ROWS) {
            ts_pgs_update_rows(pgs, b, movement);
        }
    }
    pgs->omega = settings->alpha_min + settings->gamma * (alpha - settings->alpha_min);
}

static void sweep_published(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    sweep_with(pgs, begin, end, 0, movement);
}

static void sweep_corrected(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    sweep_with(pgs, begin, end, 1, movement);
}

static ts_solve_report solve_with(const ts_pgs_method* method, const ts_contact_problem* problem, const void* settings,
                                  ts_arena* scratch, double* impulse) {
    raisim_settings s = effective((const raisim_settings*)settings);
    return ts_pgs_solve(method, problem, &s.sweep, scratch, impulse);
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    static const ts_pgs_method method = {TS_LAW_RAISIM, NULL, sweep_published, 1, 0};
    return solve_with(&method, problem, settings, scratch, impulse);
}

static ts_solve_report solve_corrected(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                       double* impulse) {
    static const ts_pgs_method method = {TS_LAW_NCP, NULL, sweep_corrected, 1, 0};
    return solve_with(&method, problem, settings, scratch, impulse);
}

const ts_solver ts_raisim_solver = {
    .name = "raisim",
    .law = TS_LAW_RAISIM,
    .summary = "per-contact bisection on the cone: Signorini holds, friction is a little off the slip",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(defaults, setting),
};

const ts_solver ts_raisim_corrected_solver = {
    .name = "raisim-corrected",
    .law = TS_LAW_NCP,
    .summary = "per-contact bisection with the slip counted in its gradient: ends at the exact law",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve_corrected,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(defaults, setting),
};
