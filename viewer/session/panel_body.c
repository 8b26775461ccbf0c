// The right panel: what is selected, what can be moved, what is measured, what is drawn.
#include "viewer/session/panels_internal.h"

#include "scenes/experiments/experiment.h"

#include "viewer/session/theme_internal.h"

#include "viewer/session/convergence_internal.h"
#include "viewer/session/command_internal.h"
#include "viewer/session/gauge_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// More rows of a kind than anybody scrolls through, and than a picture has time for.
enum { MOST_ROWS = 300 };

static void name_of(const char* name, const char* kind, int number, char* out_label, size_t size) {
    if (name[0])
        snprintf(out_label, size, "%.60s##%s %d", name, kind, number);
    else
        snprintf(out_label, size, "%s %d##%s", kind, number, kind);
}

// --- the selected body ---------------------------------------------------------------------------------------------

static void figures(ts_session* s, int b) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_sim* sim = &s->shadow->sim;
    const ts_body* body = &sim->model->body[b];
    ts_vec3 centre = sim->kinematics.body_centre[b];
    ts_vec3 velocity = ts_kinematics_point_velocity(sim->model, &sim->kinematics, b, centre);
    ts_vec3 force = ts_vec3_zero();
    int contacts = 0;
    double per_step = sim->options.time_step > 0.0 ? 1.0 / sim->options.time_step : 0.0;
    for (int c = 0; c < sim->contact_count; ++c) {
        const ts_contact contact = ts_sim_contact(sim, c);
        double side = (contact.body_b == b ? 1.0 : 0.0) - (contact.body_a == b ? 1.0 : 0.0);
        contacts += contact.body_a == b || contact.body_b == b;
        force = ts_vec3_add_scaled(force, side * per_step, ts_mat3_mul_vec(&contact.frame, contact.impulse));
    }
    char text[160];
    snprintf(text, sizeof text, "mass %.4g kg, %d contact%s", body->mass, contacts, contacts == 1 ? "" : "s");
    ops->text(s->kit, text, NULL);
    snprintf(text, sizeof text, "centre %.4g %.4g %.4g m", centre.x, centre.y, centre.z);
    ops->text(s->kit, text, NULL);
    snprintf(text, sizeof text, "velocity %.3g %.3g %.3g m/s", velocity.x, velocity.y, velocity.z);
    ops->text(s->kit, text, NULL);
    snprintf(text, sizeof text, "contact force %.3g %.3g %.3g N", force.x, force.y, force.z);
    ops->text(s->kit, text, NULL);
    if (!s->shadow->sleep || body->tree < 0) return;
    // Why it is awake, or that it sleeps.
    ts_sleep_state_text(sim->model, &sim->options, &s->shadow->sleep[body->tree], text, sizeof text);
    ops->text(s->kit, text, NULL);
}

static void selected(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    char label[96];
    if (!ops->section(s->kit, "Selected body", 1)) return;
    if (s->selected <= 0) {
        ops->text(s->kit, "Click a body to select it. ctrl + right drag pulls it, ctrl + left drag turns it.",
                  ts_theme_of(s->view.dark)->dim);
        return;
    }
    name_of(s->shadow->sim.model->body[s->selected].name, "body", s->selected, label, sizeof label);
    label[strcspn(label, "#")] = '\0';
    ops->text(s->kit, label, NULL);
    figures(s, s->selected);
    if (ops->button(s->kit, "aim", "ctrl + F")) ts_command_run(s, ts_command_of_key('F', TS_MOD_CONTROL));
    ops->beside(s->kit);
    if (ops->button(s->kit, "follow", "the camera goes with it; Esc ends that")) ts_session_track(s, s->selected);
    ops->beside(s->kit);
    if (ops->button(s->kit, "parent", "page up")) ts_session_select(s, s->shadow->sim.model->body[s->selected].parent);
}

// --- narrow phase --------------------------------------------------------------------------------------------------

static void narrow_phase(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    ts_stepper* stepper = s->stepper;
    char words[512];
    if (!stepper || !ops->section(s->kit, "Narrow phase", 1)) return;
    int last = stepper->trace.steps - 1, step = stepper->step;
    const ts_image image = {ts_scene_count() + ts_experiment_count(),
                            stepper->version,
                            stepper->version ? stepper->pixels : NULL,
                            TS_STEPPER_WIDTH,
                            TS_STEPPER_HEIGHT,
                            13.0};
    (void)ops->image(s->kit, &image);
    ts_stepper_words(stepper, words, sizeof words);
    ops->text(s->kit, words, NULL);
    if (ops->button(s->kit, "|<", "the first step")) step = 0;
    ops->beside(s->kit);
    if (ops->button(s->kit, "< back", "one step of the search back")) --step;
    ops->beside(s->kit);
    if (ops->button(s->kit, "on >", "one step of the search on")) ++step;
    ops->beside(s->kit);
    if (ops->button(s->kit, ">|", "the last step")) step = last;
    ops->beside(s->kit);
    if (ops->button(s->kit, "close", "Z")) {
        ts_session_step_through(s, -1, 0);
        return;
    }
    double at = step, turn = stepper->turn, tilt = stepper->tilt;
    const ts_knob which = {"step of the search", NULL, 0.0, last, 1, 0, 0};
    const ts_knob around = {"turn", "rad, about the vertical", -3.15, 3.15, 0, 0, 0};
    const ts_knob over = {"tilt", "rad", -1.5, 1.5, 0, 0, 0};
    if (last > 0) (void)ops->knob(s->kit, &which, &at);
    (void)ops->knob(s->kit, &around, &turn);
    (void)ops->knob(s->kit, &over, &tilt);
    step = (int)fmin((double)last, fmax(0.0, at));
    stepper->stale |= step != stepper->step || fabs(turn - stepper->turn) + fabs(tilt - stepper->tilt) > 0.0 ||
                      stepper->dark != (s->view.dark != 0);
    stepper->step = step;
    stepper->turn = turn;
    stepper->tilt = tilt;
    stepper->dark = s->view.dark != 0;
    if (stepper->stale) s->panels_dirty = 2;
}

static void bodies(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_model* model = s->shadow->sim.model;
    char label[96];
    if (!ops->section(s->kit, "Bodies", 0)) return;
    for (int b = 1; b < model->body_count && b <= MOST_ROWS; ++b) {
        name_of(model->body[b].name, "body", b, label, sizeof label);
        if (ops->item(s->kit, label, NULL, s->selected == b)) ts_session_select(s, b);
    }
}

// --- what can be moved ---------------------------------------------------------------------------------------------

static void joints(ts_session* s) {
    const ts_sim* sim = &s->shadow->sim;
    char label[96];
    int rows = 0;
    for (int j = 0; j < sim->model->joint_count && rows < MOST_ROWS; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        if (joint->type != TS_JOINT_HINGE && joint->type != TS_JOINT_SLIDE) continue;
        if (!rows++ && !s->kit->ops->section(s->kit, "Joints", 1)) return;
        double around = joint->type == TS_JOINT_HINGE ? 3.15 : 4.0 * s->view.sizes.body_radius;
        double value = sim->qpos[joint->qpos_first];
        name_of(joint->name, "joint", j, label, sizeof label);
        ts_knob knob = {label, joint->type == TS_JOINT_HINGE ? "rad" : "m", -around, around, 0, 0, 0};
        if (joint->limited) {
            knob.low = joint->range[0];
            knob.high = joint->range[1];
        }
        // A joint may be beyond its range, and is not pushed back by being looked at.
        knob.low = fmin(knob.low, value);
        knob.high = fmax(knob.high, value);
        if (s->kit->ops->knob(s->kit, &knob, &value))
            ts_session_ask(s, TS_ASK_POSITION, joint->qpos_first, value, NULL);
    }
}

static void controls(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_sim* sim = &s->shadow->sim;
    char label[96];
    if (!sim->model->actuator_count || !ops->section(s->kit, "Controls", 1)) return;
    if (ops->button(s->kit, "all to zero", "also forces from outside (delete)"))
        ts_session_ask(s, TS_ASK_CLEAR, 0, 0.0, NULL);
    for (int a = 0; a < sim->model->actuator_count && a < MOST_ROWS; ++a) {
        const ts_actuator* actuator = &sim->model->actuator[a];
        double value = sim->ctrl[a];
        name_of(actuator->name, "actuator", a, label, sizeof label);
        ts_knob knob = {label, ts_actuator_target_name(sim->model, actuator), -1.0, 1.0, 0, 0, 0};
        if (actuator->control.limited) {
            knob.low = actuator->control.range[0];
            knob.high = actuator->control.range[1];
        }
        knob.low = fmin(knob.low, value);
        knob.high = fmax(knob.high, value);
        if (ops->knob(s->kit, &knob, &value)) ts_session_ask(s, TS_ASK_CONTROL, a, value, NULL);
        double force = sim->actuator_force[a];
        snprintf(label, sizeof label, "force##%d", a);
        ops->bar(s->kit, "force", force, -fmax(1.0, fabs(force)), fmax(1.0, fabs(force)));
    }
}

static void equalities(ts_session* s) {
    const ts_sim* sim = &s->shadow->sim;
    char label[96];
    if (!sim->model->equality_count || !s->kit->ops->section(s->kit, "Equalities", 0)) return;
    for (int e = 0; e < sim->model->equality_count && e < MOST_ROWS; ++e) {
        int on = sim->equality_active[e] != 0;
        name_of(sim->model->equality[e].name, "equality", e, label, sizeof label);
        if (s->kit->ops->check(s->kit, label, on, "whether it holds")) ts_session_ask(s, TS_ASK_EQUALITY, e, !on, NULL);
    }
}

// --- what is measured, and drawn -----------------------------------------------------------------------------------

static void sensors(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_sim* sim = &s->shadow->sim;
    char label[128];
    int rows = 0;
    if (!sim->model->sensor_count || !sim->sensor || !ops->section(s->kit, "Sensors", 1)) return;
    for (int k = 0; k < sim->model->sensor_count && rows < MOST_ROWS; ++k) {
        const ts_sensor* sensor = &sim->model->sensor[k];
        for (int i = 0; i < sensor->size && rows < MOST_ROWS; ++i, ++rows) {
            double value = sim->sensor[sensor->first + i];
            const char* name = sensor->name[0] ? sensor->name : ts_sensor_kind_name(sensor->kind);
            snprintf(label, sizeof label, sensor->size > 1 ? "%.50s %d" : "%.50s", name, i);
            double most =
                sensor->cutoff > 0.0 ? sensor->cutoff : fmax(1.0, pow(10.0, ceil(log10(fmax(fabs(value), 1e-9)))));
            ops->bar(s->kit, label, value, -most, most);
        }
    }
}

static void watched(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    if (!ops->section(s->kit, "Watch", 0)) return;
    (void)ops->field(s->kit, "##watched", s->watched, sizeof s->watched);
    if (!s->watched[0])
        ops->text(s->kit, "qpos[0] ctrl[name] sensor[name] contact[a,b].gap ...", ts_theme_of(s->view.dark)->dim);
    char name[TS_GAUGE_WORD], line[TS_GAUGE_WORD + 160];
    for (int n = 0; ts_gauge_word(s->watched, n, name); ++n) {
        double value = 0.0;
        const char* fault = ts_gauge_read(&s->shadow->sim, &s->shadow->facts, name, &value);
        if (fault)
            snprintf(line, sizeof line, "%s: %s", name, fault);
        else if (isnan(value))
            snprintf(line, sizeof line, "%s: none now", name);
        else
            snprintf(line, sizeof line, "%s = %.9g", name, value);
        ops->text(s->kit, line, fault || isnan(value) ? ts_theme_of(s->view.dark)->dim : NULL);
    }
}

static void stretch_arrows(ts_session* s, double length) {
    double by = length / s->arrows;
    s->view.sizes.metres_per_newton *= by;
    s->view.sizes.longest_arrow *= by;
    s->arrows = length;
    s->dirty = 1;
}

static void shown(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    char key[48];
    if (!ops->section(s->kit, "Show", 0)) return;
    const ts_knob knob = {"arrows", "length of force arrows, 1: as the scene suggests", 0.01, 100.0, 0, 1, 0};
    double arrows = s->arrows;
    if (ops->knob(s->kit, &knob, &arrows) && arrows > 0.0) stretch_arrows(s, arrows);
    for (int i = 0; i < ts_command_count(); ++i) {
        const ts_command* command = ts_command_at(i);
        if (!command->is_on || strcmp(command->group, "Show") != 0) continue;
        ts_command_key_text(command, key, sizeof key);
        if (ops->check(s->kit, command->name, command->is_on(s, command->argument), key)) ts_command_run(s, command);
    }
}

static void charts(ts_session* s) {
    if (!s->panels.charts || !s->kit->ops->section(s->kit, "Charts", 0)) return;
    for (int i = 0, first, count; i < ts_chart_count(); ++i) {
        ts_chart_numbers(i, &first, &count);
        if (s->kit->ops->check(s->kit, ts_quantity_at(first)->chart, (int)(s->charts >> i & 1u), NULL))
            s->charts ^= 1u << i;
    }
    if (s->kit->ops->check(s->kit, ts_convergence_name, (s->charts & ts_convergence_bit()) != 0,
                           "how its solve got to the answer, iteration by iteration (shift + F3)"))
        s->charts ^= ts_convergence_bit();
}

void ts_panel_body(ts_session* session) {
    if (session->panels.right) {
        narrow_phase(session);
        selected(session);
        joints(session);
        controls(session);
        equalities(session);
    }
    sensors(session);
    if (session->panels.right) {
        watched(session);
        shown(session);
        charts(session);
        bodies(session);
    }
}
