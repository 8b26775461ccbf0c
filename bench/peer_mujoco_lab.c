// MuJoCo (the library inside its Python package) in the laboratory: as it comes, as the tuning guide of its manual wants it, and as hard
// as its discrete integrator lets it be. Each reads the same MJCF as ours; what the file asks for beyond MuJoCo's own language, such as
// restitution, it does not know.
#include <math.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lab_peer_internal.h"
#include "bench/peer_mujoco_rows.h"

enum { ENGINES = 3 };

typedef struct lab {
    mjModel* model;
    mjData* data;
    ts_contact* contact;
    int room;      // for contacts
    double* rows;  // (6 x nv)
} lab;

static void ignore(const char* message) { (void)message; }

static pthread_once_t silence = PTHREAD_ONCE_INIT;

// Warnings would be printed, and written to a file. What blows up is seen by who watches the state.
static void keep_quiet(void) { mju_user_warning = ignore; }

// What contacts are told, of geoms and of pairs.
static void set_stiffness(mjModel* m, double time_constant, double damping_ratio) {
    for (int g = 0; g < (int)m->ngeom; ++g) {
        m->geom_solref[mjNREF * g] = time_constant;
        m->geom_solref[mjNREF * g + 1] = damping_ratio;
    }
    for (int p = 0; p < (int)m->npair; ++p) {
        m->pair_solref[mjNREF * p] = time_constant;
        m->pair_solref[mjNREF * p + 1] = damping_ratio;
    }
}

static void as_it_comes(mjModel* m) { (void)m; }

static void by_its_guide(mjModel* m) {
    m->opt.cone = mjCONE_ELLIPTIC;
    m->opt.impratio = 10.0;
    m->opt.integrator = mjINT_IMPLICITFAST;
    set_stiffness(m, 0.004, 1.0);
}

// Twice the critical damping: with less, boxes that are laid down hop for a second.
static void as_hard_as_it_goes(mjModel* m) {
    by_its_guide(m);
    m->opt.integrator = mjINT_DISCRETE;
    m->opt.disableflags |= mjDSBL_REFSAFE;
    set_stiffness(m, 1e-4, 2.0);
}

static void (*const settings[ENGINES])(mjModel* m) = {as_it_comes, by_its_guide, as_hard_as_it_goes};

static void close_lab(void* state) {
    lab* l = (lab*)state;
    if (!l) return;
    if (l->data) mj_deleteData(l->data);
    if (l->model) mj_deleteModel(l->model);
    free(l->contact);
    free(l->rows);
    free(l);
}

// Both are to count bodies and coordinates alike.
static int is_the_same(const mjModel* m, const ts_model* ours) {
    if ((int)m->nq != ours->nq || (int)m->nv != ours->nv || (int)m->nbody != ours->body_count) return 0;
    if ((int)m->nu != ours->actuator_count || (int)m->nmocap != ours->mocap_count) return 0;
    for (int b = 1; b < ours->body_count; ++b)
        if (!(fabs(m->body_mass[b] - ours->body[b].mass) <= 1e-6 * ours->body[b].mass)) return 0;
    return 1;
}

static void tell_state(lab* l, const ts_sim* shadow) {
    const ts_model* model = shadow->model;
    memcpy(l->data->qpos, shadow->qpos, (size_t)model->nq * sizeof(double));
    memcpy(l->data->qvel, shadow->qvel, (size_t)model->nv * sizeof(double));
    l->data->time = shadow->time;
}

static const ts_lab_engine engines[ENGINES];

static ts_code open_lab(const ts_lab_engine* engine, const char* mjcf, size_t size, const ts_sim* shadow,
                        void** out_state, ts_status* out_status) {
    char error[200] = "";
    (void)size;
    pthread_once(&silence, keep_quiet);
    lab* l = (lab*)calloc(1, sizeof *l);
    if (!l) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    mjSpec* spec = mj_parseXMLString(mjcf, NULL, error, sizeof error);
    if (spec) l->model = mj_compile(spec, NULL);
    if (spec && !l->model) snprintf(error, sizeof error, "%.199s", mjs_getError(spec));
    if (spec) mj_deleteSpec(spec);
    if (!l->model || !is_the_same(l->model, shadow->model)) {
        ts_code code = ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "%s: %s", engine->name,
                                     l->model ? "reads another model than ours from the same text" : error);
        close_lab(l);
        return code;
    }
    settings[engine - engines](l->model);
    l->data = mj_makeData(l->model);
    l->rows = (double*)calloc(6 * (size_t)l->model->nv + 1, sizeof(double));
    if (!l->data || !l->rows) {
        close_lab(l);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    }
    mj_resetData(l->model, l->data);
    tell_state(l, shadow);
    *out_state = l;
    return ts_status_ok(out_status);
}

// Controls and pushes from outside.
static void tell_inputs(lab* l, const ts_sim* shadow) {
    const ts_model* model = shadow->model;
    mjData* d = l->data;
    memcpy(d->ctrl, shadow->ctrl, (size_t)model->actuator_count * sizeof(double));
    memcpy(d->qfrc_applied, shadow->force_applied, (size_t)model->nv * sizeof(double));
    for (int b = 0; b < model->body_count; ++b) {
        ts_vec3_store(shadow->wrench_applied[b].force, d->xfrc_applied + 6 * b);
        ts_vec3_store(shadow->wrench_applied[b].couple, d->xfrc_applied + 6 * b + 3);
    }
    for (int k = 0; k < model->mocap_count; ++k) {
        memcpy(d->mocap_pos + 3 * k, shadow->mocap + 7 * k, 3 * sizeof(double));
        memcpy(d->mocap_quat + 4 * k, shadow->mocap + 7 * k + 3, 4 * sizeof(double));
    }
}

static void show_contact(const lab* l, int i, ts_contact* out) {
    const mjModel* m = l->model;
    const mjData* d = l->data;
    const mjContact* c = &d->contact[i];
    double force[6], v[3], *row = l->rows, h = m->opt.timestep;
    int n = (int)m->nv;
    memset(out, 0, sizeof *out);
    mj_contactForce(m, d, i, force);
    ts_peer_mujoco_contact_rows(m, d, c, row + (size_t)(3 * n), row);
    for (int r = 0; r < 3; ++r) v[r] = mju_dot(row + (size_t)(r * n), d->qvel, n) + (r < 2 ? c->surfacevel[r] : 0.0);
    out->geom_a = c->geom[0];
    out->geom_b = c->geom[1];
    out->body_a = m->geom_bodyid[c->geom[0]];
    out->body_b = m->geom_bodyid[c->geom[1]];
    out->position = ts_vec3_load(c->pos);
    out->frame = ts_mat3_from_columns(ts_vec3_load(c->frame + 3), ts_vec3_load(c->frame + 6), ts_vec3_load(c->frame));
    out->gap = c->dist;
    out->surface.dimension = 3;
    out->surface.friction = c->dim == 1 ? 0.0 : c->friction[0];
    out->impulse = ts_vec3_make(c->dim == 1 ? 0.0 : h * force[1], c->dim == 1 ? 0.0 : h * force[2], h * force[0]);
    out->velocity = ts_vec3_load(v);
}

static ts_code show(lab* l, ts_sim* shadow, ts_status* out_status) {
    const mjData* d = l->data;
    memcpy(shadow->qpos, d->qpos, (size_t)shadow->model->nq * sizeof(double));
    memcpy(shadow->qvel, d->qvel, (size_t)shadow->model->nv * sizeof(double));
    shadow->time = d->time;
    shadow->step_count++;
    if (d->ncon > l->room) {
        free(l->contact);
        l->room = 2 * (int)d->ncon;
        l->contact = (ts_contact*)calloc((size_t)l->room, sizeof *l->contact);
        if (!l->contact) l->room = 0;
    }
    if (d->ncon > l->room) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    shadow->contact = l->contact;
    shadow->contact_count = 0;
    for (int i = 0; i < (int)d->ncon; ++i)
        if (d->contact[i].efc_address >= 0 && d->contact[i].geom[0] >= 0 && d->contact[i].geom[1] >= 0)
            show_contact(l, i, &l->contact[shadow->contact_count++]);
    return ts_status_ok(out_status);
}

static ts_code step(void* state, ts_sim* shadow, ts_status* out_status) {
    lab* l = (lab*)state;
    tell_inputs(l, shadow);
    mj_step(l->model, l->data);
    // It starts again from the beginning where it has blown up.
    for (int w = mjWARN_BADQPOS; w <= mjWARN_BADQACC; ++w)
        if (l->data->warning[w].number > 0)
            return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0, "blew up at t = %g s", shadow->time);
    return show(l, shadow, out_status);
}

static const ts_lab_engine engines[ENGINES] = {
    {"mujoco-default", "MuJoCo " TS_PEER_MUJOCO " as it comes",
     TS_TRAIT_RELAXED | TS_TRAIT_PYRAMID | TS_TRAIT_SOFT | TS_TRAIT_EXPLICIT, open_lab, step, close_lab},
    {"mujoco-guide",
     "MuJoCo " TS_PEER_MUJOCO " as its tuning guide says: elliptic cones, impratio 10, implicitfast, solref 0.004",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_EXPLICIT, open_lab, step, close_lab},
    {"mujoco-hard", "MuJoCo " TS_PEER_MUJOCO " as hard as it goes: the same, but discrete, solref 1e-4 2, refsafe off",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_EXPLICIT, open_lab, step, close_lab},
};

const ts_lab_engine* ts_bench_lab_mujoco(int i) { return i >= 0 && i < ENGINES ? &engines[i] : NULL; }
