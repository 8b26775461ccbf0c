// Inputs of a rollout, by name: "KIND", "KIND[3]", "KIND[0..5]", "KIND[NAME]" with commas between.
#include "cli/gradient/inputs_internal.h"

#include "cli/args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* kind_name(const void* context, int i) {
    (void)context;
    return ts_step_input_name((ts_step_input_kind)i);
}

static int read_kind(const char* word, ts_step_input_kind* out_kind, ts_status* out_status) {
    char room[TS_ARGS_HINT], list[256];
    for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k)
        if (strcmp(word, ts_step_input_name((ts_step_input_kind)k)) == 0) {
            *out_kind = (ts_step_input_kind)k;
            return 1;
        }
    char otherwise[300];
    ts_text_list(kind_name, NULL, TS_STEP_INPUT_KINDS, sizeof list, list);
    snprintf(otherwise, sizeof otherwise, ": there are %s", list);
    ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: nothing can be differentiated by '%.40s'%s", word,
                  ts_args_hint(word, kind_name, NULL, TS_STEP_INPUT_KINDS, otherwise, room));
    return 0;
}

static ts_step_input range(ts_step_input_kind kind, int first, int count) {
    return (ts_step_input){kind, first, count};
}

static const ts_step_input no_range = {TS_STEP_INPUT_KINDS, 0, 0};

// Of degrees of freedom: a joint's, else a body's.
static ts_step_input dofs_called(const ts_model* model, ts_step_input_kind kind, const char* name) {
    int joint = ts_model_find_joint(model, name), body = ts_model_find_body(model, name);
    if (joint >= 0) return range(kind, model->joint[joint].dof_first, ts_joint_type_nv(model->joint[joint].type));
    return body >= 0 ? range(kind, model->body[body].dof_first, model->body[body].dof_count) : no_range;
}

// Surfaces: a geom's, else all of a body.
static ts_step_input geoms_called(const ts_model* model, ts_step_input_kind kind, const char* name) {
    int geom = ts_model_find_geom(model, name), body = ts_model_find_body(model, name);
    if (geom >= 0) return range(kind, geom, 1);
    return body >= 0 ? range(kind, model->body[body].geom_first, model->body[body].geom_count) : no_range;
}

static ts_step_input called(const ts_model* model, ts_step_input_kind kind, const char* name) {
    static const char* const axes[] = {"x", "y", "z"};
    static const char* const ways[] = {"normal", "tangent"};
    int body = ts_model_find_body(model, name), actuator = ts_model_find_actuator(model, name);
    switch (kind) {
    case TS_STEP_BY_POSITION:
    case TS_STEP_BY_VELOCITY:
    case TS_STEP_BY_FORCE: return dofs_called(model, kind, name);
    case TS_STEP_BY_CONTROL: return actuator >= 0 ? range(kind, actuator, 1) : no_range;
    case TS_STEP_BY_FRICTION:
    case TS_STEP_BY_RESTITUTION: return geoms_called(model, kind, name);
    case TS_STEP_BY_MASS: return body >= 0 ? range(kind, body, 1) : no_range;
    case TS_STEP_BY_WRENCH: return body >= 0 ? range(kind, 6 * body, 6) : no_range;
    case TS_STEP_BY_INERTIA: return body >= 0 ? range(kind, 10 * body, 10) : no_range;
    case TS_STEP_BY_GRAVITY:
        for (int i = 0; i < 3; ++i)
            if (strcmp(name, axes[i]) == 0) return range(kind, i, 1);
        break;
    case TS_STEP_BY_COMPLIANCE:
        for (int i = 0; i < 2; ++i)
            if (strcmp(name, ways[i]) == 0) return range(kind, i, 1);
        break;
    case TS_STEP_BY_ACTIVATION:
    case TS_STEP_BY_TIME_STEP:
    case TS_STEP_INPUT_KINDS: break;
    }
    return no_range;
}

// "3" and "0..5".
static ts_step_input numbered(ts_step_input_kind kind, int size, const char* name) {
    char first[128];
    const char* dots = strstr(name, "..");
    snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - name) : (int)strlen(name), name);
    int a = ts_quantity_number(first, size), b = dots ? ts_quantity_number(dots + 2, size) : a;
    return a >= 0 && b >= a ? range(kind, a, b - a + 1) : no_range;
}

// --- what they are called, and how large they are ---

static const char* owner_of(const ts_model* model, ts_step_input_kind kind, int index) {
    switch (kind) {
    case TS_STEP_BY_POSITION:
    case TS_STEP_BY_VELOCITY:
    case TS_STEP_BY_FORCE: {
        const char* joint = model->joint[model->dof[index].joint].name;
        return joint[0] ? joint : model->body[model->dof[index].body].name;
    }
    case TS_STEP_BY_CONTROL: return model->actuator[index].name;
    case TS_STEP_BY_FRICTION:
    case TS_STEP_BY_RESTITUTION: {
        const char* geom = model->geom[index].name;
        return geom[0] ? geom : model->body[model->geom[index].body].name;
    }
    case TS_STEP_BY_MASS: return model->body[index].name;
    case TS_STEP_BY_WRENCH: return model->body[index / 6].name;
    case TS_STEP_BY_INERTIA: return model->body[index / 10].name;
    default: return "";
    }
}

static double scale_of(const ts_sim* sim, ts_step_input_kind kind, int index) {
    const ts_model* model = sim->model;
    switch (kind) {
    case TS_STEP_BY_CONTROL: return fmax(1.0, fabs(sim->ctrl[index]));
    case TS_STEP_BY_MASS: return model->body[index].mass > 0.0 ? model->body[index].mass : 1.0;
    case TS_STEP_BY_INERTIA: {
        const ts_body* body = &model->body[index / 10];
        const ts_mat3* I = &body->inertia;
        double size = index % 10 < 4 ? body->mass : I->m[0][0] + I->m[1][1] + I->m[2][2];
        return size > 0.0 ? 0.1 * size : 1.0;
    }
    case TS_STEP_BY_TIME_STEP: return sim->options.time_step;
    default: return 1.0;
    }
}

// What the inputs of a kind are called, for hints.
typedef struct input_names {
    const ts_model* model;
    ts_step_input_kind kind;
} input_names;

static const char* input_name(const void* context, int i) {
    const input_names* names = (const input_names*)context;
    return owner_of(names->model, names->kind, i);
}

static ts_code refuse_name(const ts_model* model, ts_step_input_kind kind, const char* name, ts_status* out_status) {
    char otherwise[80], room[TS_ARGS_HINT];
    const input_names names = {model, kind};
    const char* word = ts_step_input_name(kind);
    int size = ts_step_input_size(model, kind);
    snprintf(otherwise, sizeof otherwise, ", which has %d of %s", size, word);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: %s[%.60s] is nothing of this model%s", word, name,
                         ts_args_hint(name, input_name, &names, size, otherwise, room));
}

static ts_code add_range(const ts_sim* sim, ts_step_input which, ts_inputs* io, ts_status* out_status) {
    for (int i = which.first; i < which.first + which.count; ++i) {
        if (io->count == TS_INPUTS_MOST)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: more than %d inputs",
                                 (int)TS_INPUTS_MOST);
        for (int k = 0; k < io->count; ++k)
            if (io->input[k].kind == which.kind && io->input[k].index == i)
                return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt names %s twice", io->input[k].label);
        ts_input* in = &io->input[io->count++];
        memset(in, 0, sizeof *in);
        in->kind = which.kind;
        in->index = i;
        in->scale = scale_of(sim, which.kind, i);
        snprintf(in->label, sizeof in->label, "%s[%d]", ts_step_input_name(which.kind), i);
        snprintf(in->of, sizeof in->of, "%.60s", owner_of(sim->model, which.kind, i));
    }
    return TS_OK;
}

static ts_code read_item(const char** io_text, const ts_sim* sim, ts_inputs* io, ts_status* out_status) {
    char word[64], name[128];
    size_t length = strspn(*io_text, "abcdefghijklmnopqrstuvwxyz_");
    ts_step_input_kind kind = TS_STEP_INPUT_KINDS;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), *io_text);
    if (length == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "--wrt takes KIND[NAME], with commas between: not '%.40s'", *io_text);
    if (!read_kind(word, &kind, out_status)) return TS_ERROR_VALUE;
    *io_text += length;
    int size = ts_step_input_size(sim->model, kind);
    ts_step_input which = ts_step_input_all(sim->model, kind);
    if (**io_text == '[') {
        ts_status status;
        if (ts_quantity_read_name(io_text, name, sizeof name, &status))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt, after '%s': %s", word, status.message);
        which = numbered(kind, size, name);
        if (which.count == 0) which = called(sim->model, kind, name);
        if (which.count == 0) return refuse_name(sim->model, kind, name, out_status);
    }
    if (which.count == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: this model has no %s", word);
    return add_range(sim, which, io, out_status);
}

ts_code ts_inputs_read(const char* text, const ts_sim* sim, ts_inputs* out, ts_status* out_status) {
    out->count = 0;
    for (;;) {
        while (*text == ' ') ++text;
        ts_code code = read_item(&text, sim, out, out_status);
        if (code) return code;
        while (*text == ' ') ++text;
        if (!*text) return ts_status_ok(out_status);
        if (*text != ',')
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: a ',' should stand before '%.40s'", text);
        ++text;
    }
}

int ts_input_is_start(const ts_input* in) {
    return in->kind == TS_STEP_BY_POSITION || in->kind == TS_STEP_BY_VELOCITY || in->kind == TS_STEP_BY_ACTIVATION;
}

int ts_input_place(const ts_model* model, const ts_input* in) {
    if (in->kind == TS_STEP_BY_POSITION) return in->index;
    return in->kind == TS_STEP_BY_VELOCITY ? model->nv + in->index : 2 * model->nv + in->index;
}
