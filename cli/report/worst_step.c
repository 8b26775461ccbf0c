// A step is looked at closely when its natural map is the largest so far, which is seldom. What is not finite is worst.
#include "cli/report/worst_step_internal.h"

#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double or_infinite(double x) { return isnan(x) ? HUGE_VAL : x; }

// Worst first; equal ones stay in the order of the problem, by their place before.
typedef struct place {
    double exact;
    double own;
    int block;
} place;

static int by_worst(const void* a, const void* b) {
    const place *x = (const place*)a, *y = (const place*)b;
    if (x->exact != y->exact) return x->exact > y->exact ? -1 : 1;
    if (x->own != y->own) return x->own > y->own ? -1 : 1;
    return x->block - y->block;
}

const char* ts_contact_side_name(const ts_model* model, int geom, char room[TS_CONTACT_ROW_NAME]) {
    const ts_geom* g = &model->geom[geom];
    const char* body = g->body ? model->body[g->body].name : "world";
    if (g->name[0] && (!g->body || !body[0] || strcmp(g->name, body) == 0)) return g->name;
    if (g->name[0])
        snprintf(room, TS_CONTACT_ROW_NAME, "%.46s/%.46s", body, g->name);
    else if (g->body && !body[0])
        snprintf(room, TS_CONTACT_ROW_NAME, "body %d", g->body);
    else
        snprintf(room, TS_CONTACT_ROW_NAME, "%.94s", body);
    return room;
}

static void describe_contact(const ts_sim* sim, const ts_contact* contact, ts_contact_row* row) {
    char a[TS_CONTACT_ROW_NAME], b[TS_CONTACT_ROW_NAME];
    snprintf(row->name, sizeof row->name, "%.45s - %.45s", ts_contact_side_name(sim->model, contact->geom_a, a),
             ts_contact_side_name(sim->model, contact->geom_b, b));
    row->is_contact = 1;
    row->position = contact->position;
    row->gap = contact->gap;
}

static void fill(const ts_sim* sim, const ts_contact* contact, const ts_contact_verdict* v, const ts_own_verdict* own,
                 ts_contact_row* row) {
    double h = sim->options.time_step / sim->options.substeps;
    memset(row, 0, sizeof *row);
    if (contact)
        describe_contact(sim, contact, row);
    else
        ts_certify_describe(sim, v->block, row->name, sizeof row->name);
    row->blocked = sim->row_block[v->block].blocked;
    row->mode = v->mode;
    row->mu = v->mu;
    row->slip = v->slip;
    row->friction = v->friction / h;
    row->force.z = v->normal_impulse / h;
    if (v->set == TS_SET_CONE) {
        const double* impulse = sim->impulse + sim->problem.block[v->block].row;
        row->force.x = impulse[0] / h;
        row->force.y = impulse[1] / h;
    }
    row->exact_unmet = v->unmet[2];
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) row->figure[f] = ts_figure_of(&v->residual, (ts_figure)f, h);
    row->own_unmet = own->unmet;
    row->own_force = own->residual.primal / h;
    row->own_velocity = own->residual.dual;
    row->own_power = own->residual.complementarity / h;
}

// Returns 0 when memory is short.
static int look(ts_worst_step* worst, ts_sim* sim) {
    ts_arena* arena = &sim->scratch;
    ts_contact_certificate c;
    int count = sim->problem.block_count;
    if (ts_certify_step(sim, TS_CERTIFICATE_FAST, arena, &c)) return 0;
    const ts_own_verdict* own = ts_certify_own(sim, arena);
    place* order = TS_ARENA_ARRAY(arena, place, count);
    int* contact = TS_ARENA_ARRAY(arena, int, count);
    int kept = count < TS_WORST_STEP_ROWS ? count : TS_WORST_STEP_ROWS;
    if (!own || !order || !contact || !ts_contact_row_array_resize(&worst->row, kept)) return 0;
    for (int b = 0; b < count; ++b) {
        order[b] = (place){or_infinite(c.verdict[b].unmet[2]), or_infinite(own[b].unmet), b};
        contact[b] = -1;
    }
    for (int i = 0; i < sim->contact_count; ++i) {
        int b = ts_sim_contact(sim, i).block;
        if (b >= 0) contact[b] = i;
    }
    qsort(order, (size_t)count, sizeof *order, by_worst);
    for (int i = 0; i < kept; ++i) {
        int b = order[i].block;
        ts_contact whose;
        if (contact[b] >= 0) whose = ts_sim_contact(sim, contact[b]);
        fill(sim, contact[b] >= 0 ? &whose : NULL, &c.verdict[b], &own[b], &worst->row.data[i]);
    }
    memcpy(worst->mode_count, c.count, sizeof c.count);
    worst->block_count = count;
    return 1;
}

int ts_worst_step_see(ts_worst_step* worst, ts_sim* sim) {
    double natural = or_infinite(sim->info.residual.natural);
    if (sim->step_count == 0 || (worst->step > 0 && natural <= worst->natural)) return 1;
    if (!ts_sim_problem(sim)) return 0;
    if (sim->problem.block_count == 0) return 1;
    worst->step = sim->step_count;
    worst->time = sim->time;
    worst->natural = natural;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    int room = look(worst, sim);
    ts_arena_scope_end(&sim->scratch, scope);
    return room;
}

static void write_row(ts_json* json, const ts_contact_row* row) {
    ts_json_object(json);
    ts_json_add_string(json, "name", row->name);
    ts_json_add_bool(json, "contact", row->is_contact);
    ts_json_add_bool(json, "blocked", row->blocked);
    ts_json_add_string(json, "mode", ts_contact_mode_name(row->mode));
    if (row->is_contact) ts_report_json_vector(json, "position", row->position);
    if (row->is_contact) ts_json_add_number(json, "gap", row->gap);
    ts_json_add_number(json, "mu", row->mu);
    ts_report_json_vector(json, "force", row->force);
    ts_json_add_number(json, "friction", row->friction);
    ts_json_add_number(json, "slip", row->slip);
    ts_json_add_number(json, "exact_unmet", row->exact_unmet);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        ts_json_add_number(json, ts_figure_kind_of((ts_figure)f)->key, row->figure[f]);
    ts_json_add_number(json, "own_unmet", row->own_unmet);
    ts_json_add_number(json, "own_force", row->own_force);
    ts_json_add_number(json, "own_velocity", row->own_velocity);
    ts_json_add_number(json, "own_power", row->own_power);
    ts_json_object_end(json);
}

void ts_worst_step_json(const ts_worst_step* worst, ts_json* json) {
    if (worst->step == 0) {
        ts_json_string(json, NULL);
        return;
    }
    ts_json_object(json);
    ts_json_add_integer(json, "step", worst->step);
    ts_json_add_number(json, "time", worst->time);
    ts_json_add_number(json, "natural", worst->natural);
    ts_json_add_object(json, "modes");
    for (int m = 0; m < TS_MODE_COUNT; ++m)
        ts_json_add_integer(json, ts_contact_mode_name((ts_contact_mode)m), worst->mode_count[m]);
    ts_json_object_end(json);
    ts_json_add_integer(json, "rows", worst->block_count);
    ts_json_add_array(json, "worst");
    for (int i = 0; i < worst->row.count; ++i) write_row(json, &worst->row.data[i]);
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_worst_step_free(ts_worst_step* worst) {
    ts_contact_row_array_free(&worst->row);
    memset(worst, 0, sizeof *worst);
}
