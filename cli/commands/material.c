// `touchstone material`: a spring, a damper and friction in the parameters of every kind of contact model.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/material/material_internal.h"

#include <math.h>
#include <string.h>

// m in a unit that fits.
static void add_length(ts_text* text, double metres) {
    double size = fabs(metres);
    if (size == 0.0)
        ts_text_add(text, "0 m");
    else if (size < 1e-6)
        ts_text_add(text, "%.4g nm", 1e9 * metres);
    else if (size < 1e-3)
        ts_text_add(text, "%.4g um", 1e6 * metres);
    else
        ts_text_add(text, "%.4g mm", 1e3 * metres);
}

static void add_figures(ts_text* text, const char* label, const ts_material_native* n) {
    ts_text_add(text, "  %-10s sinks ", label);
    add_length(text, n->penetration);
    ts_text_add(text, " at rest, creeps ");
    add_length(text, n->creep);
    ts_text_add(text, "/s under half the friction, sinks ");
    add_length(text, n->pinch);
    ts_text_add(text, "/s in a pinch that could hold twice as much, bounces %.4g\n", n->bounce);
}

static void add_text(const ts_material* m, const ts_material_native* native, const ts_material_native* measured,
                     ts_text* text) {
    ts_text_add(text,
                "stiffness %g N/m, damping %g N s/m (restitution %.4g without gravity), friction %g, steps of %g s, %g "
                "kg on a contact\n",
                m->stiffness, m->damping, m->restitution, m->mu, m->time_step, m->mass);
    for (int i = 0; i < TS_MATERIAL_MODELS; ++i) {
        ts_text_add(text, "\n%s\n  %s\n", native[i].model, native[i].parameters);
        if (native[i].compliance > 0.0) ts_text_add(text, "  R_N = %.6g 1/kg\n", native[i].compliance);
        if (native[i].remark[0]) ts_text_add(text, "  %s\n", native[i].remark);
        add_figures(text, "predicted:", &native[i]);
        if (measured && native[i].solver) add_figures(text, "measured:", &measured[i]);
    }
    ts_text_add(text, measured ? "\n" : "\nWith --verify a ball is laid down, pinched and dropped to confirm it.\n");
}

static void add_json(const ts_material* m, const ts_material_native* native, const ts_material_native* measured,
                     ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_number(&json, "stiffness", m->stiffness);
    ts_json_add_number(&json, "damping", m->damping);
    ts_json_add_number(&json, "restitution", m->restitution);
    ts_json_add_number(&json, "impact", m->impact);
    ts_json_add_number(&json, "mu", m->mu);
    ts_json_add_number(&json, "time_step", m->time_step);
    ts_json_add_number(&json, "mass", m->mass);
    ts_json_add_array(&json, "models");
    for (int i = 0; i < TS_MATERIAL_MODELS; ++i) {
        ts_json_object(&json);
        ts_json_add_string(&json, "model", native[i].model);
        ts_json_add_string(&json, "parameters", native[i].parameters);
        ts_json_add_string(&json, "remark", native[i].remark[0] ? native[i].remark : NULL);
        ts_json_add_number(&json, "compliance", native[i].compliance);
        for (int k = 0; k < (measured && native[i].solver ? 2 : 1); ++k) {
            const ts_material_native* n = k ? &measured[i] : &native[i];
            ts_json_add_object(&json, k ? "measured" : "predicted");
            ts_json_add_number(&json, "penetration", n->penetration);
            ts_json_add_number(&json, "creep", n->creep);
            ts_json_add_number(&json, "pinch", n->pinch);
            ts_json_add_number(&json, "bounce", n->bounce);
            ts_json_object_end(&json);
        }
        ts_json_object_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

int ts_cmd_material(const ts_args* args) {
    ts_material material = {args->stiffness,
                            isnan(args->damping) ? -1.0 : args->damping,
                            isnan(args->restitution) ? -1.0 : args->restitution,
                            -1.0,
                            isnan(args->mu) ? 0.5 : args->mu,
                            isnan(args->dt) ? 0.001 : args->dt,
                            isnan(args->mass) ? 1.0 : args->mass};
    ts_material_native native[TS_MATERIAL_MODELS], measured[TS_MATERIAL_MODELS];
    ts_status status;
    ts_text text = {0};
    ts_status_ok(&status);
    if (isnan(args->stiffness)) {
        ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "'material' needs --stiffness");
        return ts_console_error("material", args->json, TS_EXIT_USAGE, &status);
    }
    if (ts_material_complete(&material, &status))
        return ts_console_error("material", args->json, TS_EXIT_USAGE, &status);
    ts_material_translate(&material, native);
    memcpy(measured, native, sizeof measured);
    for (int i = 0; i < TS_MATERIAL_MODELS && args->verify; ++i)
        if (native[i].solver && ts_material_verify(&material, i, &native[i], &measured[i], &status))
            return ts_console_error("material", args->json, TS_EXIT_FAILED, &status);
    if (args->json)
        add_json(&material, native, args->verify ? measured : NULL, &text);
    else
        add_text(&material, native, args->verify ? measured : NULL, &text);
    return ts_console_print(&text, TS_EXIT_DONE);
}
