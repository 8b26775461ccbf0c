// MuJoCo (the library inside its Python package) behind the face of robots.
//
// Robots come without the meshes and textures that only serve looks, and MuJoCo insists on them. So geoms that touch nothing, on bodies
// whose inertia is given, and all materials are taken out of the description before it is compiled: nothing of it has weight.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/robot_peer.h"

struct ts_bench_robot {
    mjModel* model;
    mjData* data;
};

static void close_robot(ts_bench_robot* robot) {
    if (!robot) return;
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

static mjModel* compile(const char* file, char error[200]) {
    mjSpec* spec = mj_parseXML(file, NULL, error, 200);
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

static ts_bench_robot* open_robot(const char* file, char error[200]) {
    ts_bench_robot* robot = (ts_bench_robot*)calloc(1, sizeof *robot);
    if (!robot) return NULL;
    robot->model = compile(file, error);
    if (robot->model) robot->data = mj_makeData(robot->model);
    if (!robot->data) {
        close_robot(robot);
        return NULL;
    }
    robot->model->opt.disableflags |= mjDSBL_ACTUATION;
    int home = mj_name2id(robot->model, mjOBJ_KEY, "home");
    if (home >= 0) mj_resetDataKeyframe(robot->model, robot->data, home);
    return robot;
}

static double time_step(const ts_bench_robot* robot) { return robot->model->opt.timestep; }

static int dofs(const ts_bench_robot* robot) { return (int)robot->model->nv; }

static int inertia(ts_bench_robot* robot, double* out_matrix) {
    mj_forward(robot->model, robot->data);
    mj_fullM(robot->model, robot->data, out_matrix);
    return 1;
}

static int step(ts_bench_robot* robot) {
    mj_step(robot->model, robot->data);
    return robot->data->warning[mjWARN_BADQACC].number == 0 && robot->data->warning[mjWARN_BADQPOS].number == 0;
}

static ts_bench_robot_state state(const ts_bench_robot* robot) {
    ts_bench_robot_state s = {(int)robot->data->ncon, 0.0, -1.0};
    for (int i = 0; i < s.contacts; ++i) s.penetration = fmax(s.penetration, -robot->data->contact[i].dist);
    return s;
}

const ts_bench_robot_engine* ts_bench_robot_mujoco(void) {
    static const ts_bench_robot_engine engine = {"mujoco", open_robot, close_robot, time_step,
                                                 dofs,     inertia,    step,        state};
    return &engine;
}
