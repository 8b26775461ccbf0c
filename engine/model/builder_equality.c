// Equalities of a model under construction. What every one of them must have is checked here; what its kind needs, its
// source of rows knows.
#include "engine/model/builder_internal.h"
#include "engine/rows/row_source_internal.h"

#include <math.h>
#include <string.h>

// A body's pose in the world while all joints are at their reference.
static ts_pose reference_pose(const ts_builder* builder, int body) {
    ts_pose pose = ts_pose_identity();
    for (; body > 0; body = builder->body.data[body].def.parent)
        pose = ts_pose_mul(builder->body.data[body].def.pose, pose);
    return pose;
}

static const char* fault_of(const ts_builder* builder, const ts_equality_def* def) {
    for (int k = 0; k < 2; ++k) {
        if (def->body[k] < -1 || def->body[k] >= builder->body.count) return "there is no such body";
        if (def->joint[k] < -1 || def->joint[k] >= builder->joint.count) return "there is no such joint";
        if (def->tendon[k] < -1 || def->tendon[k] >= builder->tendon.count) return "there is no such tendon";
        double n = ts_quat_norm(def->frame[k].rotation);
        if (!ts_vec3_is_finite(def->frame[k].position) || !isfinite(n) || n < 1e-10) return "a frame is not finite";
    }
    for (int k = 0; k < TS_EQUALITY_COEFFICIENTS; ++k)
        if (!isfinite(def->coefficient[k])) return "a coefficient is not finite";
    double softness = def->softness.solref[0] + def->softness.solref[1];
    for (int k = 0; k < 5; ++k) softness += def->softness.solimp[k];
    if (!isfinite(softness)) return "its solref and solimp must be finite";
    return NULL;
}

static void take(const ts_builder* builder, const ts_equality_def* def, ts_equality* out_equality) {
    out_equality->active = def->active != 0;
    for (int k = 0; k < 2; ++k) {
        out_equality->body[k] = def->body[k];
        out_equality->frame[k].position = def->frame[k].position;
        out_equality->frame[k].rotation = ts_quat_normalize(def->frame[k].rotation);
        out_equality->joint[k] = def->joint[k] < 0 ? -1 : builder->joint.data[def->joint[k]].index;
        out_equality->tendon[k] = def->tendon[k];
    }
    if (def->aligned && def->body[0] >= 0 && def->body[1] >= 0) {
        ts_pose in_world = ts_pose_mul(reference_pose(builder, def->body[0]), out_equality->frame[0]);
        out_equality->frame[1] = ts_pose_mul(ts_pose_inverse(reference_pose(builder, def->body[1])), in_world);
    }
    out_equality->softness = def->softness;
    memcpy(out_equality->coefficient, def->coefficient, sizeof out_equality->coefficient);
}

ts_code ts_builder_lay_out_equalities(const ts_builder* builder, const ts_model* model, const char* names,
                                      ts_equality* out_equality, ts_status* out_status) {
    for (int i = 0; i < builder->equality.count; ++i) {
        const ts_builder_equality* entry = &builder->equality.data[i];
        ts_equality* equality = &out_equality[i];
        equality->name = names + entry->label.name;
        equality->source = ts_row_source_find(names + entry->kind);
        const char* (*fault)(const ts_model*, const ts_equality*) =
            equality->source < 0 ? NULL : ts_row_source_at(equality->source)->fault;
        if (!fault)
            return ts_builder_refuse(builder, &entry->label, "equality", i, out_status, "there is no kind '%.60s'",
                                     names + entry->kind);
        const char* why = fault_of(builder, &entry->def);
        if (!why) {
            take(builder, &entry->def, equality);
            why = fault(model, equality);
        }
        if (why) return ts_builder_refuse(builder, &entry->label, "equality", i, out_status, "%s", why);
    }
    return TS_OK;
}
