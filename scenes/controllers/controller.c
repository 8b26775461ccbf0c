// The table of controllers, and choosing one.
#include "scenes/controllers/controller.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

// Each in its file.
extern const ts_controller ts_controller_hold, ts_controller_path, ts_controller_servo, ts_controller_trot,
    ts_controller_turn, ts_controller_drag;

static const ts_controller* const controllers[] = {
    &ts_controller_hold, &ts_controller_path, &ts_controller_servo,
    &ts_controller_trot, &ts_controller_turn, &ts_controller_drag,
};

int ts_controller_count(void) { return (int)(sizeof controllers / sizeof controllers[0]); }

const ts_controller* ts_controller_at(int i) { return i >= 0 && i < ts_controller_count() ? controllers[i] : NULL; }

const ts_controller* ts_controller_find(const char* name) {
    for (int i = 0; i < ts_controller_count(); ++i)
        if (strcmp(controllers[i]->name, name) == 0) return controllers[i];
    return NULL;
}

static const char* controller_name(const void* context, int i) {
    (void)context;
    return controllers[i]->name;
}

static const char* setting_name(const void* context, int i) { return ((const ts_controller*)context)->setting[i].name; }

ts_code ts_controller_choose(const char* name, const ts_model* model, ts_controller_choice* out_choice,
                             ts_status* out_status) {
    memset(out_choice, 0, sizeof *out_choice);
    if (strcmp(name, "none") == 0) return ts_status_ok(out_status);
    const ts_controller* controller = ts_controller_find(name);
    if (!controller) {
        char known[384];
        ts_text_list(controller_name, NULL, ts_controller_count(), sizeof known, known);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no controller is called '%.60s'; controllers: %s",
                             name, known);
    }
    const char* fault = controller->fault(model);
    if (fault)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "controller '%s' cannot drive this model: %s",
                             name, fault);
    out_choice->controller = controller;
    for (int i = 0; i < controller->setting_count; ++i) out_choice->value[i] = controller->setting[i].initial;
    return ts_status_ok(out_status);
}

ts_code ts_controller_set(ts_controller_choice* choice, const char* name, double value, ts_status* out_status) {
    const ts_controller* controller = choice->controller;
    if (!controller) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "there is no controller to set");
    for (int i = 0; i < controller->setting_count; ++i) {
        const ts_controller_setting* setting = &controller->setting[i];
        if (strcmp(setting->name, name) != 0) continue;
        if (!(value >= setting->low && value <= setting->high))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s of controller '%s' is between %g and %g",
                                 name, controller->name, setting->low, setting->high);
        choice->value[i] = value;
        return ts_status_ok(out_status);
    }
    char known[384];
    ts_text_list(setting_name, controller, controller->setting_count, sizeof known, known);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "controller '%s' has no setting '%.60s'; it has: %s",
                         controller->name, name, controller->setting_count > 0 ? known : "none");
}

void ts_controller_act(const ts_controller_choice* choice, ts_sim* sim) {
    if (choice->controller) choice->controller->act(sim, choice->value);
}

static void act(ts_sim* sim, void* user) { ts_controller_act((const ts_controller_choice*)user, sim); }

void ts_controller_follow(const ts_controller_choice* choice, ts_sim* sim) {
    ts_sim_set_control(sim, choice->controller ? act : NULL, (void*)(size_t)choice);
}
