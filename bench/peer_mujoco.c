// MuJoCo (the library inside its Python package) behind the face of robots.
//
// Robots come without the meshes and textures that only serve looks, and MuJoCo insists on them. So geoms that touch nothing, on bodies
// whose inertia is given, and all materials are taken out of the description before it is compiled: nothing of it has weight.
//
// Its contacts are judged by our yardstick, as rigid ones: what touches may not approach, what is apart no faster than to close the gap
// in the step. Impulses are its forces over the step, velocities those after it. Limits and equalities are not judged.
#include <math.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/peer_mujoco_rows.h"
#include "bench/robot_peer.h"
#include "contact/judge/residual.h"

enum { THREADS_MOST = 64 };

struct ts_bench_robot {
    mjModel* model;
    mjData* data;
    int home;        // the keyframe, or -1
    ts_arena arena;  // of the judge
};

static void close_robot(ts_bench_robot* robot) {
    if (!robot) return;
    ts_arena_free(&robot->arena);
    if (robot->data) mj_deleteData(robot->data);
    if (robot->model) mj_deleteModel(robot->model);
    free(robot);
}

// Nonzero when a geom has neither weight nor contacts.
static int only_serves_looks(const mjsGeom* geom) {
    const mjsBody* body = mjs_getParent(geom->element);
    return geom->contype == 0 && geom->conaffinity == 0 && body && body->explicitinertial;
}

// Nonzero when a pair of the description names this geom.
static int is_paired(mjSpec* spec, const char* geom) {
    for (mjsElement* e = mjs_firstElement(spec, mjOBJ_PAIR); e; e = mjs_nextElement(spec, e)) {
        const mjsPair* pair = mjs_asPair(e);
        if (strcmp(mjs_getString(pair->geomname1), geom) == 0 || strcmp(mjs_getString(pair->geomname2), geom) == 0)
            return 1;
    }
    return 0;
}

// Nonzero when a geom of the description has this mesh.
static int is_used(mjSpec* spec, const char* mesh) {
    for (mjsElement* e = mjs_firstElement(spec, mjOBJ_GEOM); e; e = mjs_nextElement(spec, e))
        if (strcmp(mjs_getString(mjs_asGeom(e)->meshname), mesh) == 0) return 1;
    return 0;
}

// Deletes the elements of a kind for which `drop` says so.
static void drop_elements(mjSpec* spec, mjtObj kind, int (*drop)(mjSpec* spec, mjsElement* element)) {
    for (mjsElement *e = mjs_firstElement(spec, kind), *next; e; e = next) {
        next = mjs_nextElement(spec, e);
        if (drop(spec, e)) mjs_delete(spec, e);
    }
}

static int drop_geom(mjSpec* spec, mjsElement* element) {
    return only_serves_looks(mjs_asGeom(element)) && !is_paired(spec, mjs_getString(mjs_getName(element)));
}

static int drop_mesh(mjSpec* spec, mjsElement* element) { return !is_used(spec, mjs_getString(mjs_getName(element))); }

static int drop_any(mjSpec* spec, mjsElement* element) {
    (void)spec;
    (void)element;
    return 1;
}

static mjModel* compile(const char* file, const char* text, char error[200]) {
    mjSpec* spec = text ? mj_parseXMLString(text, NULL, error, 200) : mj_parseXML(file, NULL, error, 200);
    if (!spec) return NULL;
    drop_elements(spec, mjOBJ_GEOM, drop_geom);
    drop_elements(spec, mjOBJ_MESH, drop_mesh);
    for (mjsElement* e = mjs_firstElement(spec, mjOBJ_GEOM); e; e = mjs_nextElement(spec, e))
        mjs_setString(mjs_asGeom(e)->material, "");
    for (mjsElement* e = mjs_firstElement(spec, mjOBJ_SITE); e; e = mjs_nextElement(spec, e))
        mjs_setString(mjs_asSite(e)->material, "");
    drop_elements(spec, mjOBJ_MATERIAL, drop_any);
    drop_elements(spec, mjOBJ_TEXTURE, drop_any);
    mjModel* model = mj_compile(spec, NULL);
    if (!model) snprintf(error, 200, "%.199s", mjs_getError(spec));
    mj_deleteSpec(spec);
    return model;
}

static void start(const ts_bench_robot* robot, mjData* data) {
    if (robot->home >= 0)
        mj_resetDataKeyframe(robot->model, data, robot->home);
    else
        mj_resetData(robot->model, data);
}

static ts_bench_robot* open_robot(const char* file, const char* text, char error[200]) {
    ts_bench_robot* robot = (ts_bench_robot*)calloc(1, sizeof *robot);
    if (!robot) return NULL;
    robot->model = compile(file, text, error);
    if (robot->model) robot->data = mj_makeData(robot->model);
    if (!robot->data) {
        close_robot(robot);
        return NULL;
    }
    robot->home = mj_name2id(robot->model, mjOBJ_KEY, "home");
    start(robot, robot->data);
    return robot;
}

static ts_bench_robot_view view(ts_bench_robot* robot) {
    const mjModel* m = robot->model;
    const mjData* d = robot->data;
    ts_bench_robot_view v = {(int)m->nq, (int)m->nv, (int)m->nu,       (int)m->nbody, m->opt.timestep,
                             d->qpos,    d->qvel,    d->qfrc_actuator, d->ctrl};
    return v;
}

static void reset(ts_bench_robot* robot, const double* qpos, const double* qvel) {
    start(robot, robot->data);
    if (qpos) memcpy(robot->data->qpos, qpos, (size_t)robot->model->nq * sizeof(double));
    if (qvel) memcpy(robot->data->qvel, qvel, (size_t)robot->model->nv * sizeof(double));
}

static int inertia(ts_bench_robot* robot, double* out_matrix) {
    mj_forward(robot->model, robot->data);
    mj_fullM(robot->model, robot->data, out_matrix);
    return 1;
}

static int driven(const ts_bench_robot* robot, int i, int* out_position, int* out_velocity) {
    const mjModel* m = robot->model;
    int joint = m->actuator_trnid[2 * i];
    if (m->actuator_trntype[i] != mjTRN_JOINT) return 0;
    *out_position = (int)m->jnt_qposadr[joint];
    *out_velocity = (int)m->jnt_dofadr[joint];
    return m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE;
}

static int range(const ts_bench_robot* robot, int i, double out_range[2]) {
    memcpy(out_range, robot->model->actuator_ctrlrange + 2 * i, 2 * sizeof(double));
    return robot->model->actuator_ctrllimited[i];
}

static int step(ts_bench_robot* robot) {
    mj_step(robot->model, robot->data);
    return robot->data->warning[mjWARN_BADQACC].number == 0 && robot->data->warning[mjWARN_BADQPOS].number == 0;
}

// Share of the exact law that the contacts of the last step leave unmet; < 0 where it cannot be known.
static double judge(ts_bench_robot* robot) {
    const mjModel* m = robot->model;
    mjData* d = robot->data;
    size_t n = (size_t)m->nv, most = (size_t)d->ncon;
    ts_arena* arena = &robot->arena;
    ts_arena_reset(arena);
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, most);
    ts_delassus_segment* segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, most);
    int *row = TS_ARENA_ARRAY(arena, int, most + 1), *first = TS_ARENA_ARRAY(arena, int, most + 1), count = 0;
    double *J = TS_ARENA_ARRAY(arena, double, 3 * most * n), *Y = TS_ARENA_ARRAY(arena, double, 3 * most * n);
    double *u = TS_ARENA_ARRAY(arena, double, 3 * most), *impulse = TS_ARENA_ARRAY(arena, double, 3 * most);
    double *g = TS_ARENA_ARRAY(arena, double, 3 * most), *jacobian = TS_ARENA_ARRAY(arena, double, 3 * n);
    if (arena->failed) return -1.0;
    for (size_t i = 0; i < most; ++i) {
        const mjContact* contact = &d->contact[i];
        if (contact->efc_address < 0 || contact->geom[0] < 0 || contact->geom[1] < 0) continue;
        double force[6], *rows = J + 3 * n * (size_t)count;
        ts_peer_mujoco_contact_rows(m, d, contact, jacobian, rows);
        mj_contactForce(m, d, (int)i, force);
        mj_solveM(m, d, Y + 3 * n * (size_t)count, rows, 3);
        for (int r = 0; r < 3; ++r) {
            u[3 * count + r] = mju_dot(rows + (size_t)r * n, d->qvel, (int)n);
            impulse[3 * count + r] = m->opt.timestep * (contact->dim == 1 && r < 2 ? 0.0 : force[(r + 1) % 3]);
        }
        u[3 * count + 2] += fmax(contact->dist, 0.0) / m->opt.timestep;
        block[count] = (ts_block){
            .set = TS_SET_CONE, .row = 3 * count, .rows = 3, .mu = contact->dim == 1 ? 0.0 : contact->friction[0]};
        segment[count] = (ts_delassus_segment){0, (int)n, rows, Y + 3 * n * (size_t)count};
        row[count] = 3 * count;
        first[count] = count;
        ++count;
    }
    if (!count) return 0.0;
    row[count] = 3 * count;
    first[count] = count;
    ts_contact_problem problem = {.block = block, .block_count = count, .row_count = 3 * count, .g = g};
    problem.time_step = m->opt.timestep;
    problem.rest_speed = m->opt.timestep * mju_norm3(m->opt.gravity);
    problem.delassus = ts_delassus_velocity_form(arena, (int)n, count, row, first, segment);
    if (!problem.delassus) return -1.0;
    problem.delassus->ops->apply(problem.delassus, impulse, g);
    for (int i = 0; i < 3 * count; ++i) g[i] = u[i] - g[i];
    ts_residual residual;
    ts_residual_from_velocity(&problem, NULL, impulse, u, &residual);
    return residual.natural;
}

static void read_clocks(const mjData* d, double out_seconds[TS_BENCH_STAGES]) {
    const mjTimerStat* t = d->timer;
    out_seconds[TS_BENCH_STAGE_KINEMATICS] = t[mjTIMER_POS_KINEMATICS].duration;
    out_seconds[TS_BENCH_STAGE_BROAD] = t[mjTIMER_COL_BROAD].duration;
    out_seconds[TS_BENCH_STAGE_NARROW] = t[mjTIMER_COL_NARROW].duration;
    out_seconds[TS_BENCH_STAGE_DYNAMICS] =
        t[mjTIMER_POS_INERTIA].duration + t[mjTIMER_VELOCITY].duration + t[mjTIMER_ACTUATION].duration;
    out_seconds[TS_BENCH_STAGE_ASSEMBLE] = t[mjTIMER_POS_MAKE].duration + t[mjTIMER_POS_PROJECT].duration;
    out_seconds[TS_BENCH_STAGE_SOLVE] = t[mjTIMER_CONSTRAINT].duration;
    out_seconds[TS_BENCH_STAGE_INTEGRATE] = t[mjTIMER_ADVANCE].duration;
}

static double clock_seconds(void) { return ts_clock_seconds(); }

static int watch(ts_bench_robot* robot, ts_bench_robot_step* out_step) {
    mjData* d = robot->data;
    double before[TS_BENCH_STAGES];
    read_clocks(d, before);
    robot->model->opt.enableflags |= mjENBL_ENERGY;
    mjcb_time = clock_seconds;
    int done = step(robot);
    mjcb_time = NULL;
    robot->model->opt.enableflags &= ~mjENBL_ENERGY;
    if (!done) return 0;
    memset(out_step, 0, sizeof *out_step);
    read_clocks(d, out_step->seconds);
    for (int i = 0; i < TS_BENCH_STAGES; ++i) out_step->seconds[i] -= before[i];
    out_step->contacts = (int)d->ncon;
    out_step->converged = 1;
    for (int i = 0; i < (int)d->ncon; ++i) out_step->penetration = fmax(out_step->penetration, -d->contact[i].dist);
    out_step->natural = judge(robot);
    out_step->energy = d->energy[0] + d->energy[1];
    return 1;
}

static void centres(ts_bench_robot* robot, double* out_points) {
    memcpy(out_points, robot->data->xipos, 3 * (size_t)robot->model->nbody * sizeof(double));
}

// Worlds [first, end) of a batch, on a thread of their own.
typedef struct share {
    const mjModel* model;
    mjData** world;
    int first;
    int end;
    int steps;
} share;

static void* run_share(void* argument) {
    const share* s = (const share*)argument;
    for (int i = s->first; i < s->end; ++i)
        for (int k = 0; k < s->steps; ++k) mj_step(s->model, s->world[i]);
    return NULL;
}

static double batch(ts_bench_robot* robot, int worlds, int steps, int threads) {
    share part[THREADS_MOST];
    pthread_t thread[THREADS_MOST];
    mjData** world = (mjData**)calloc((size_t)worlds, sizeof *world);
    int made = 0;
    if (!world || threads > THREADS_MOST) return free(world), -1.0;
    for (; made < worlds && (world[made] = mj_makeData(robot->model)); ++made) {
        start(robot, world[made]);
        mj_step(robot->model, world[made]);
    }
    double begin = ts_clock_seconds();
    int started = 0;
    for (; made == worlds && started < threads; ++started) {
        part[started] =
            (share){robot->model, world, worlds * started / threads, worlds * (started + 1) / threads, steps};
        if (pthread_create(&thread[started], NULL, run_share, &part[started])) break;
    }
    for (int t = 0; t < started; ++t) pthread_join(thread[t], NULL);
    double seconds = ts_clock_seconds() - begin;
    for (int i = 0; i < made; ++i) mj_deleteData(world[i]);
    free(world);
    return started == threads ? seconds : -1.0;
}

const ts_bench_robot_engine* ts_bench_robot_mujoco(void) {
    static const ts_bench_robot_engine engine = {"mujoco", open_robot, close_robot, view,  reset,   inertia,
                                                 driven,   range,      step,        watch, centres, batch};
    return &engine;
}
