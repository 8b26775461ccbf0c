// Derivatives of inverse dynamics, the walk: out along the tree for what moves each body and what each dof needs of it, then in, dof by dof, with the
// sums of all that it carries.
//
// Problem, rule and source: inverse_derivative.c. What a dof means to those beyond it is laid out number by number, so that four dofs of a chain are asked for their
// entries at once. Guaranteed: same bits with and without AVX2, since every entry is its own sum.
#include "engine/dynamics/inverse_derivative_walk_internal.h"

#include <stddef.h>
#include <string.h>

#include "engine/dynamics/spatial_four_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

// Vectors of a dof (ts_derivative_dof), of each of which three numbers mean something: its axis, second, rates, rate, weight.
enum { N = 4, HALVES = 2, AXIS = 0, SECOND = 2, RATES = 4, RATE = 6, WEIGHT = 7, VECTORS = 8, NUMBERS = 3 };

_Static_assert((int)(N* NUMBERS* VECTORS) == (int)TS_DERIVATIVE_LANES, "room in the scratch");
_Static_assert(offsetof(ts_derivative_dof, weight) == N * WEIGHT * sizeof(double), "vectors lie side by side");

// --- outwards ---

// What stays of a dof when its carrier moves with p and A (from -g); `after` is the twist beyond the joint, or p for a number.
static inline void note_dof(ts_spatial_four S, ts_spatial_four p, ts_spatial_four A, ts_spatial_four after,
                            ts_four gravity, int turns_with, ts_derivative_dof* out) {
    ts_spatial_four rate = ts_spatial_four_cross(p, S);
    A.linear = ts_four_minus(A.linear, gravity);
    ts_spatial_four_store(S, out->axis);
    ts_spatial_four_store(ts_spatial_four_plus(ts_spatial_four_cross(A, S), ts_spatial_four_cross(p, rate)),
                          out->second);
    ts_spatial_four_store(ts_spatial_four_plus(rate, ts_spatial_four_cross(after, S)), out->rates);
    ts_four_store(rate.angular, out->rate);
    ts_four_store(ts_four_cross(gravity, S.angular), out->weight);
    out->turns_with = turns_with;
}

// A dof's share in the acceleration, `pushed` the one that is asked for.
static inline ts_spatial_four accelerate(ts_spatial_four a, double velocity, ts_spatial_four rate, double pushed,
                                         ts_spatial_four S) {
    a = ts_spatial_four_plus(a, ts_spatial_four_times(velocity, rate));
    return ts_spatial_four_plus(a, ts_spatial_four_times(pushed, S));
}

// Takes twist and acceleration of a body's parent to those of the body, and notes what its dofs need.
static inline void move_body(const ts_inverse_derivative_walk* walk, int b, ts_spatial_four* velocity,
                             ts_spatial_four* acceleration) {
    const ts_model* model = walk->model;
    const ts_body* body = &model->body[b];
    ts_motion room[6];
    const ts_motion* axis = ts_kinematics_axes(model, walk->kinematics, walk->tree, room);
    const double* speed = walk->kinematics->dof_velocity;
    const double* push = walk->acceleration ? walk->acceleration - model->tree[walk->tree].dof_first : NULL;
    ts_four gravity = ts_four_vec3(walk->gravity);
    ts_spatial_four v = *velocity, a = *acceleration;
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        int d = model->joint[j].dof_first, turn = d + traits->numbers;
        for (; d < turn; ++d) {
            ts_spatial_four S = ts_spatial_four_of(&axis[d]);
            note_dof(S, v, a, v, gravity, d, &walk->scratch->dof[d]);
            a = accelerate(a, speed[d], ts_spatial_four_cross(v, S), push ? push[d] : 0.0, S);
            v = ts_spatial_four_plus(v, ts_spatial_four_times(speed[d], S));
        }
        if (!traits->quaternion) continue;
        ts_spatial_four p = v, A = a;
        for (int i = turn; i < turn + 3; ++i)
            v = ts_spatial_four_plus(v, ts_spatial_four_times(speed[i], ts_spatial_four_of(&axis[i])));
        for (int i = turn; i < turn + 3; ++i) {
            ts_spatial_four S = ts_spatial_four_of(&axis[i]);
            note_dof(S, p, A, v, gravity, turn, &walk->scratch->dof[i]);
            a = accelerate(a, speed[i], ts_spatial_four_cross(p, S), push ? push[i] : 0.0, S);
        }
    }
    *velocity = v;
    *acceleration = a;
}

// [w]x (2 J - tr J) - 2 [c]x [u]x, the latter u c^T - (c . u), by columns.
static inline void find_turning(const ts_inertia* inertia, const ts_inertia_four* I, ts_spatial_four v,
                                double out[3][4]) {
    static const double unit[3][N] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};
    const double c[3] = {inertia->moment.x, inertia->moment.y, inertia->moment.z};
    ts_four u = ts_four_times(-2.0, v.linear);
    double trace = ts_mat3_trace(&inertia->rotation), part[N];
    ts_four_store(ts_four_product(u, I->moment), part);
    double along = (part[0] + part[1]) + part[2];
    for (int i = 0; i < 3; ++i) {
        ts_four axis = ts_four_load(unit[i]);
        ts_four K = ts_four_minus(ts_four_times(2.0, I->column[i]), ts_four_times(trace, axis));
        ts_four column = ts_four_plus(ts_four_cross(v.angular, K), ts_four_times(c[i], u));
        ts_four_store(ts_four_minus(column, ts_four_times(along, axis)), out[i]);
    }
}

static inline void start_body(const ts_body* body, const ts_inertia* inertia, ts_spatial_four v, ts_spatial_four a,
                              ts_four gravity, ts_derivative_body* out) {
    ts_inertia_four I = ts_inertia_four_of(inertia);
    ts_spatial_four momentum = ts_inertia_four_mul(&I, v);
    ts_spatial_four_store(a, out->acceleration);
    a.linear = ts_four_plus(a.linear, ts_four_times(body->buoyancy - 1.0, gravity));
    ts_spatial_four_store(ts_spatial_four_plus(ts_inertia_four_mul(&I, a), ts_spatial_four_cross_force(v, momentum)),
                          out->force);
    ts_four_store(momentum.linear, out->momentum);
    find_turning(inertia, &I, v, out->turning);
    ts_four_store(I.moment, out->moment);
    for (int i = 0; i < 3; ++i) ts_four_store(I.column[i], out->inertia[i]);
    ts_four_store(ts_four_times(body->buoyancy, I.moment), out->buoyant_moment);
    out->mass = I.mass;
    out->buoyant_mass = body->buoyancy * I.mass;
}

// Returns nonzero where something is buoyant.
static inline int walk_out(const ts_inverse_derivative_walk* walk) {
    const ts_model* model = walk->model;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    const ts_kinematics* k = walk->kinematics;
    ts_four gravity = ts_four_vec3(walk->gravity);
    int lifted = 0;
    for (int i = tree->body_first; i < tree->body_first + tree->body_count; ++i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        ts_spatial_four v = ts_spatial_four_zero(), a = v;
        if (model->body[parent].tree >= 0) {
            v = ts_spatial_four_of(&k->body_velocity[parent]);
            a = ts_spatial_four_load(walk->scratch->body[parent].acceleration);
        }
        move_body(walk, b, &v, &a);
        ts_inertia inertia = ts_kinematics_inertia(model, k, b);
        start_body(&model->body[b], &inertia, v, a, gravity, &walk->scratch->body[b]);
        lifted = lifted || model->body[b].buoyancy != 0.0;
    }
    return lifted;
}

// Vector v of a dof: they lie side by side from its beginning on.
static inline ts_four load_vector(const ts_derivative_dof* dof, int v) {
    ts_four a;
    memcpy(&a, (const char*)dof + (size_t)(N * v) * sizeof(double), sizeof a);
    return a;
}

// Number i of vector v of dof d of the tree at lane[TS_DERIVATIVE_LANES * (d / N) + N * (NUMBERS * v + i) + d % N], zeros behind the last.
static inline void lay_out(const ts_derivative_dof* dof, int count, int vectors, double* lane) {
    for (int d = 0; d < count; d += N, lane += TS_DERIVATIVE_LANES)
        for (int v = 0; v < vectors; ++v) {
            ts_four a[N];
            for (int k = 0; k < N; ++k) a[k] = d + k < count ? load_vector(&dof[d + k], v) : ts_four_zero();
            ts_four_transpose(&a[0], &a[1], &a[2], &a[3]);
            for (int i = 0; i < NUMBERS; ++i) ts_four_store(a[i], lane + N * (NUMBERS * v + i));
        }
}

// --- inwards ---

static inline void add_four(const double* from, double* to) {
    ts_four_store(ts_four_plus(ts_four_load(to), ts_four_load(from)), to);
}

static inline void add_child(const ts_derivative_body* child, ts_derivative_body* parent) {
    for (int h = 0; h < HALVES; ++h) add_four(child->force + N * h, parent->force + N * h);
    add_four(child->moment, parent->moment);
    add_four(child->buoyant_moment, parent->buoyant_moment);
    add_four(child->momentum, parent->momentum);
    for (int i = 0; i < 3; ++i) add_four(child->inertia[i], parent->inertia[i]);
    for (int i = 0; i < 3; ++i) add_four(child->turning[i], parent->turning[i]);
    parent->mass += child->mass;
    parent->buoyant_mass += child->buoyant_mass;
}

// What a dof meets in those that carry it: I S, B^T S, the momentum that what is buoyant has; and df of inverse_derivative.c, by q of those inside and beyond, and by v.
typedef struct pull {
    double inertial[8];
    double turned[4];
    double buoyant[4];
    double beside[8];
    double before[8];
    double by_rate[8];
} pull;

// M x of columns.
static inline ts_four columns_times(const ts_four column[3], ts_four x) {
    ts_four sum =
        ts_four_plus(ts_four_product(column[0], ts_four_lane(x, 0)), ts_four_product(column[1], ts_four_lane(x, 1)));
    return ts_four_plus(sum, ts_four_product(column[2], ts_four_lane(x, 2)));
}

// What all dofs of a body share.
typedef struct carried {
    ts_inertia_four I;
    ts_four turning[3], transposed[3];
    ts_four twice;  // the momentum
    ts_spatial_four force;
} carried;

static inline carried carried_of(const ts_derivative_body* body) {
    carried c = {
        .I = {body->mass,
              ts_four_load(body->moment),
              {ts_four_load(body->inertia[0]), ts_four_load(body->inertia[1]), ts_four_load(body->inertia[2])}},
        .twice = ts_four_times(2.0, ts_four_load(body->momentum)),
        .force = ts_spatial_four_load(body->force)};
    for (int i = 0; i < 3; ++i) c.turning[i] = c.transposed[i] = ts_four_load(body->turning[i]);
    ts_four none = ts_four_zero();
    ts_four_transpose(&c.transposed[0], &c.transposed[1], &c.transposed[2], &none);
    return c;
}

// B of an angular velocity, added to a force.
static inline ts_spatial_four plus_turned(const carried* c, ts_four w, ts_spatial_four f) {
    f.angular = ts_four_plus(f.angular, columns_times(c->turning, w));
    f.linear = ts_four_plus(f.linear, ts_four_cross(w, c->twice));
    return f;
}

static inline void find_pull(const carried* c, const ts_derivative_body* body, const ts_derivative_dof* dof, int lifted,
                             pull* out) {
    ts_spatial_four S = ts_spatial_four_load(dof->axis), second = ts_spatial_four_load(dof->second);
    ts_spatial_four_store(ts_inertia_four_mul(&c->I, S), out->inertial);
    ts_four_store(ts_four_plus(columns_times(c->transposed, S.angular), ts_four_cross(c->twice, S.linear)),
                  out->turned);
    ts_spatial_four beside = ts_inertia_four_mul(&c->I, second);
    if (lifted) {
        ts_four weight = ts_four_load(dof->weight), moment = ts_four_load(body->buoyant_moment);
        ts_four_store(ts_four_plus(ts_four_times(body->buoyant_mass, S.linear), ts_four_cross(S.angular, moment)),
                      out->buoyant);
        beside.angular = ts_four_plus(beside.angular, ts_four_cross(moment, weight));
        beside.linear = ts_four_plus(beside.linear, ts_four_times(body->buoyant_mass, weight));
    }
    beside = plus_turned(c, ts_four_load(dof->rate), beside);
    ts_spatial_four_store(beside, out->beside);
    ts_spatial_four_store(ts_spatial_four_plus(beside, ts_spatial_four_cross_force(S, c->force)), out->before);
    ts_spatial_four by_rate = ts_inertia_four_mul(&c->I, ts_spatial_four_load(dof->rates));
    ts_spatial_four_store(plus_turned(c, S.angular, by_rate), out->by_rate);
}

// The dot products of vector `of` of four dofs with three numbers.
static inline ts_four dot(const double* lane, int of, const double* x) {
    lane += N * NUMBERS * of;
    ts_four sum = ts_four_plus(ts_four_times(x[0], ts_four_load(lane)), ts_four_times(x[1], ts_four_load(lane + N)));
    return ts_four_plus(sum, ts_four_times(x[2], ts_four_load(lane + 2 * N)));
}

// And of vectors `of` and the one behind it with a force or motion.
static inline ts_four power(const double* lane, int of, const double f[8]) {
    return ts_four_plus(dot(lane, of, f), dot(lane, of + 1, f + N));
}

// Four numbers of a line, zeros where they are not in `mask`.
static inline ts_four load_masked(const double* line, int mask) {
    if (mask == (1 << N) - 1) return ts_four_load(line);
    double x[N] = {0.0};
    for (int i = 0; i < N; ++i)
        if (mask >> i & 1) x[i] = line[i];
    return ts_four_load(x);
}

// Entries of those of four dofs that are in `mask`, in column and row `row`. What a dof gives itself is the row's.
static inline void put(double* matrix, int ld, int row, int column, int mask, ts_four down, ts_four across) {
    double x[N], y[N];
    ts_four_store(down, x);
    double *to = matrix + (ptrdiff_t)column * ld + row, *line = matrix + (ptrdiff_t)row * ld + column;
    for (int i = 0; i < N; ++i)
        if (mask >> i & 1) to[(ptrdiff_t)i * ld] = x[i];
    if (mask == (1 << N) - 1) {
        ts_four_store(across, line);
        return;
    }
    ts_four_store(across, y);
    for (int i = 0; i < N; ++i)
        if (mask >> i & 1) line[i] = y[i];
}

// Rows and columns of dof j at what it hangs on.
static inline void fill_dof(const ts_inverse_derivative_walk* walk, int j, const pull* p, int lifted,
                            const ts_derivative_matrices* out) {
    const ts_model* model = walk->model;
    int first = model->tree[walk->tree].dof_first, row = j - first, ld = walk->ld;
    const double* lane = ts_derivative_lanes(walk->scratch, model, walk->tree);
    const double* onto = walk->share.inertia ? walk->share.inertia + (ptrdiff_t)row * ld : NULL;
    double factor = walk->share.factor;
    for (int i = j; i >= 0;) {
        int four = (i - first) / N, mask = 0, start = first + N * four;
        for (; i >= start; i = model->dof[i].parent) mask |= 1 << (i - start);
        const double* at = lane + (ptrdiff_t)TS_DERIVATIVE_LANES * four;
        if (out->by_q) {
            ts_four across = ts_four_plus(power(at, SECOND, p->inertial), dot(at, RATE, p->turned));
            if (lifted) across = ts_four_plus(across, dot(at, WEIGHT, p->buoyant));
            put(out->by_q, ld, row, N * four, mask, ts_four_times(factor, power(at, AXIS, p->before)),
                ts_four_times(factor, across));
        }
        if (out->by_v) {
            ts_four across = ts_four_plus(power(at, RATES, p->inertial), dot(at, AXIS, p->turned));
            ts_four down = ts_four_times(factor, power(at, AXIS, p->by_rate));
            across = ts_four_times(factor, across);
            if (onto) {
                ts_four M = load_masked(onto + (ptrdiff_t)(N * four), mask);
                down = ts_four_plus(M, down);
                across = ts_four_plus(M, across);
            }
            put(out->by_v, ld, row, N * four, mask, down, across);
        }
        if (out->by_input) {
            ts_four inertia = power(at, AXIS, p->inertial);
            put(out->by_input, ld, row, N * four, mask, inertia, inertia);
        }
    }
    if (out->by_input) out->by_input[(ptrdiff_t)row * (ld + 1)] += model->dof[j].armature;
    // Axes of one quaternion are beyond each other.
    ts_spatial_four beside = ts_spatial_four_load(p->beside);
    for (int i = walk->scratch->dof[j].turns_with; out->by_q && i < j; ++i)
        out->by_q[(ptrdiff_t)(i - first) * ld + row] =
            factor * ts_spatial_four_dot(ts_spatial_four_load(walk->scratch->dof[i].axis), beside);
}

static inline void walk_in(const ts_inverse_derivative_walk* walk, int lifted, const ts_derivative_matrices* out) {
    const ts_model* model = walk->model;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    const ts_derivative_scratch* scratch = walk->scratch;
    pull p;
    for (int i = tree->body_first + tree->body_count - 1; i >= tree->body_first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        carried c = carried_of(&scratch->body[b]);
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            find_pull(&c, &scratch->body[b], &scratch->dof[d], lifted, &p);
            fill_dof(walk, d, &p, lifted, out);
        }
        if (model->body[body->parent].tree >= 0) add_child(&scratch->body[b], &scratch->body[body->parent]);
    }
}

static inline void run(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out) {
    const ts_kinematic_tree* tree = &walk->model->tree[walk->tree];
    int lifted = walk_out(walk);
    lay_out(walk->scratch->dof + tree->dof_first, tree->dof_count, lifted ? VECTORS : WEIGHT,
            ts_derivative_lanes(walk->scratch, walk->model, walk->tree));
    walk_in(walk, lifted, out);
}

#if TS_WIDE

void ts_inverse_derivative_walk_wide(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out) {
    run(walk, out);
}

#else

void ts_inverse_derivative_walk_narrow(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out) {
    run(walk, out);
}

void ts_inverse_derivative_walk_run(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_inverse_derivative_walk_wide(walk, out);
        return;
    }
#endif
    run(walk, out);
}

#endif
