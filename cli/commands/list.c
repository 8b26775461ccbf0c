// `touchstone list`: what scenes, controllers, solvers, integrators, shapes and experiments there are.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "collision/shape/shape.h"
#include "contact/solver.h"
#include "engine/step/integrate/integrator.h"
#include "scenes/experiments/experiment.h"
#include "scenes/scene_table.h"

#include <stdio.h>
#include <string.h>

typedef struct topic {
    const char* name;
    void (*text)(ts_text* text);
    void (*json)(ts_json* json);
} topic;

static void scenes_text(ts_text* text) {
    for (int i = 0; i < ts_scene_count(); ++i) {
        const ts_scene* scene = ts_scene_at(i);
        ts_text_add(text, "%-22s %5g s  %s\n", scene->name, scene->duration, scene->summary);
    }
    const ts_sized_scene* kind;
    for (int i = 0; (kind = ts_scene_sized(i)) != NULL; ++i) {
        int room = 20 - (int)strlen(kind->name);
        ts_text_add(text, "%s:N%*s %5g s  %s\n", kind->name, room, "", kind->duration, kind->summary);
    }
}

static void scenes_json(ts_json* json) {
    for (int i = 0; i < ts_scene_count(); ++i) {
        const ts_scene* scene = ts_scene_at(i);
        ts_json_object(json);
        ts_json_add_string(json, "name", scene->name);
        ts_json_add_string(json, "summary", scene->summary);
        ts_json_add_number(json, "duration", scene->duration);
        ts_json_add_string(json, "focus", scene->focus);
        ts_json_add_string(json, "controller", scene->controller);
        ts_json_object_end(json);
    }
    const ts_sized_scene* kind;
    for (int i = 0; (kind = ts_scene_sized(i)) != NULL; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s:N", kind->name);
        ts_json_object(json);
        ts_json_add_string(json, "name", name);
        ts_json_add_string(json, "summary", kind->summary);
        ts_json_add_number(json, "duration", kind->duration);
        ts_json_add_number(json, "largest", kind->most);
        ts_json_object_end(json);
    }
}

static void controllers_text(ts_text* text) {
    for (int i = 0; i < ts_controller_count(); ++i) {
        const ts_controller* controller = ts_controller_at(i);
        ts_text_add(text, "%-22s %s\n", controller->name, controller->summary);
        for (int k = 0; k < controller->setting_count; ++k) {
            const ts_controller_setting* setting = &controller->setting[k];
            ts_text_add(text, "%-22s   controller.%s=%g: %s\n", "", setting->name, setting->initial, setting->summary);
        }
    }
}

static void controllers_json(ts_json* json) {
    for (int i = 0; i < ts_controller_count(); ++i) {
        const ts_controller* controller = ts_controller_at(i);
        ts_json_object(json);
        ts_json_add_string(json, "name", controller->name);
        ts_json_add_string(json, "summary", controller->summary);
        ts_json_add_array(json, "settings");
        for (int k = 0; k < controller->setting_count; ++k) {
            const ts_controller_setting* setting = &controller->setting[k];
            ts_json_object(json);
            ts_json_add_string(json, "name", setting->name);
            ts_json_add_string(json, "summary", setting->summary);
            ts_json_add_number(json, "default", setting->initial);
            ts_json_add_number(json, "low", setting->low);
            ts_json_add_number(json, "high", setting->high);
            ts_json_object_end(json);
        }
        ts_json_array_end(json);
        ts_json_object_end(json);
    }
}

static void solvers_text(ts_text* text) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        ts_text_add(text, "%-22s %s  %s\n", solver->name, ts_contact_law_name(solver->law), solver->summary);
    }
    ts_text_add(text, "\nSettings (--set solver.NAME=VALUE):\n");
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        ts_text_add(text, "%-22s", solver->name);
        size_t line = 22;
        for (int k = 0; k < ts_solver_setting_count(solver); ++k) {
            const char* name = ts_solver_setting_at(solver, k)->name;
            char piece[96];
            snprintf(piece, sizeof piece, " %s=%g", name, ts_solver_get(solver, solver->defaults, name));
            if (line + strlen(piece) > 100) {
                ts_text_add(text, "\n%-22s", "");
                line = 22;
            }
            ts_text_add(text, "%s", piece);
            line += strlen(piece);
        }
        ts_text_add(text, "\n");
    }
}

static void solvers_json(ts_json* json) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        ts_json_object(json);
        ts_json_add_string(json, "name", solver->name);
        ts_json_add_string(json, "law", ts_contact_law_name(solver->law));
        ts_json_add_string(json, "summary", solver->summary);
        ts_json_add_array(json, "settings");
        for (int k = 0; k < ts_solver_setting_count(solver); ++k) {
            const ts_setting* setting = ts_solver_setting_at(solver, k);
            ts_json_object(json);
            ts_json_add_string(json, "name", setting->name);
            ts_json_add_string(json, "summary", setting->summary);
            ts_json_add_string(json, "type", setting->type == TS_SETTING_INT ? "integer" : "number");
            ts_json_add_number(json, "default", ts_solver_get(solver, solver->defaults, setting->name));
            ts_json_add_number(json, "low", setting->low);
            ts_json_add_number(json, "high", setting->high);
            ts_json_object_end(json);
        }
        ts_json_array_end(json);
        ts_json_object_end(json);
    }
}

static void integrators_text(ts_text* text) {
    for (int i = 0; i < ts_integrator_count(); ++i)
        ts_text_add(text, "%-22s %s\n", ts_integrator_at(i)->name, ts_integrator_at(i)->summary);
}

static void integrators_json(ts_json* json) {
    for (int i = 0; i < ts_integrator_count(); ++i) {
        ts_json_object(json);
        ts_json_add_string(json, "name", ts_integrator_at(i)->name);
        ts_json_add_string(json, "summary", ts_integrator_at(i)->summary);
        ts_json_object_end(json);
    }
}

static void shapes_text(ts_text* text) {
    for (int kind = 0; kind < TS_SHAPE_KIND_COUNT; ++kind)
        ts_text_add(text, "%-22s %s\n", ts_shape_kind_name((ts_shape_kind)kind),
                    ts_shape_kind_info_of((ts_shape_kind)kind)->summary);
}

static void shapes_json(ts_json* json) {
    for (int kind = 0; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        ts_json_object(json);
        ts_json_add_string(json, "name", ts_shape_kind_name((ts_shape_kind)kind));
        ts_json_add_string(json, "summary", ts_shape_kind_info_of((ts_shape_kind)kind)->summary);
        ts_json_object_end(json);
    }
}

static void experiments_text(ts_text* text) {
    for (int i = 0; i < ts_experiment_count(); ++i) {
        const ts_experiment* experiment = ts_experiment_at(i);
        ts_text_add(text, "%-22s %s\n%-22s   %s; scene %s, solvers %s, %g s\n", experiment->name, experiment->summary,
                    "", experiment->source, ts_experiment_scene(experiment), experiment->solvers, experiment->duration);
    }
}

static void experiments_json(ts_json* json) {
    for (int i = 0; i < ts_experiment_count(); ++i) {
        const ts_experiment* experiment = ts_experiment_at(i);
        ts_json_object(json);
        ts_json_add_string(json, "name", experiment->name);
        ts_json_add_string(json, "source", experiment->source);
        ts_json_add_string(json, "summary", experiment->summary);
        ts_json_add_string(json, "scene", ts_experiment_scene(experiment));
        ts_json_add_string(json, "solvers", experiment->solvers);
        ts_json_add_number(json, "duration", experiment->duration);
        ts_json_object_end(json);
    }
}

static const topic topics[] = {
    {"scenes", scenes_text, scenes_json},    {"controllers", controllers_text, controllers_json},
    {"solvers", solvers_text, solvers_json}, {"integrators", integrators_text, integrators_json},
    {"shapes", shapes_text, shapes_json},    {"experiments", experiments_text, experiments_json}};

enum { TOPIC_COUNT = sizeof topics / sizeof topics[0] };

static const char* topic_name(const void* context, int i) {
    (void)context;
    return topics[i].name;
}

int ts_cmd_list(const ts_args* args) {
    for (int i = 0; i < TOPIC_COUNT; ++i) {
        if (strcmp(topics[i].name, args->subject) != 0) continue;
        ts_text text = {0};
        if (args->json) {
            ts_json json = ts_json_begin(&text);
            ts_json_object(&json);
            ts_json_add_array(&json, topics[i].name);
            topics[i].json(&json);
            ts_json_array_end(&json);
            ts_json_object_end(&json);
            ts_text_add(&text, "\n");
        } else {
            topics[i].text(&text);
        }
        return ts_console_print(&text, TS_EXIT_DONE);
    }
    ts_status status;
    char room[TS_ARGS_HINT];
    ts_status_set(&status, TS_ERROR_VALUE, NULL, 0,
                  "'%s' cannot be listed%s; it is scenes, controllers, solvers, integrators, shapes or experiments",
                  args->subject, ts_args_hint(args->subject, topic_name, NULL, TOPIC_COUNT, "", room));
    return ts_console_error("list", args->json, TS_EXIT_USAGE, &status);
}
