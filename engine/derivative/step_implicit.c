// The derivative of a step by its equations (step_implicit_internal.h).
//
// Problem: M_hat (v+ - v_f) = J^T lambda with lambda of the contact law, q+ = q (+) h v+ . Rule: differentiate at frozen impulses, the law by its
// implicit derivative, and put both together.
// Source: the structure of docs/contact.md, as of Le Lidec et al. (2021) for contacts; derived here for all rows.
// Guaranteed: forward and backward are transposes of each other to rounding. Refuses where a mode changes, where the contact problem was not solved, or where its
// law has no derivative here.
#include "engine/derivative/step_implicit_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/step/certify.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/step.h"

// --- made ---

int ts_step_block_acts(const ts_sim* sim, const ts_step_implicit* p, int b) {
    ts_contact_mode mode = p->contact.mode[b];
    return mode != TS_MODE_OPEN && (mode == TS_MODE_STICK || sim->problem.block[b].set == TS_SET_CONE);
}

int ts_step_block_is_softened(const ts_sim* sim, const ts_step_implicit* p, int b) {
    const ts_block* block = &sim->problem.block[b];
    for (int r = block->row; r < block->row + block->rows; ++r) {
        double own = p->own_R ? p->own_R[r] : 0.0, given = sim->problem.R ? sim->problem.R[r] : 0.0;
        if (own != given) return 1;
    }
    return 0;
}

static int copy_rows(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    size_t numbers = 0;
    int count = 0;
    for (int b = 0; b < p->block_count; ++b) {
        if (!ts_step_block_acts(sim, p, b)) continue;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s, ++count)
            numbers += (size_t)plan->block[b].rows * (size_t)plan->segment[s].count;
    }
    ts_contact_run* run = TS_ARENA_ARRAY(arena, ts_contact_run, count);
    double* data = TS_ARENA_ARRAY(arena, double, numbers);
    if (!run || !data) return 0;
    p->rows.run = run;
    for (int b = 0; b < p->block_count; ++b) {
        if (!ts_step_block_acts(sim, p, b)) continue;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* from = &plan->segment[s];
            size_t size = (size_t)plan->block[b].rows * (size_t)from->count;
            memcpy(data, from->J, size * sizeof(double));
            run[p->rows.count++] =
                (ts_contact_run){plan->block_row[b], plan->block[b].rows, from->column, from->count, data};
            data += size;
        }
    }
    return 1;
}

static int copy_factor(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_model* model = sim->model;
    size_t size = (size_t)sim->mass_start[model->tree_count], nv = (size_t)model->nv;
    double* L = TS_ARENA_ARRAY(arena, double, size + nv);
    if (!L) return 0;
    double* inverse = L + size;
    memcpy(L, sim->mass_factor, size * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t)
        memcpy(inverse + model->tree[t].dof_first, ts_sim_inverse_diagonal(sim, t),
               (size_t)model->tree[t].dof_count * sizeof(double));
    p->mass_start = sim->mass_start;
    p->L = L;
    p->inverse = inverse;
    return 1;
}

// d log(exp(x)^-1 exp(x + dx)) / dx = 1 - (1 - cos t) / t^2 X + (t - sin t) / t^3 X^2.
ts_mat3 ts_step_turn_slope(ts_vec3 x) {
    double square = ts_vec3_norm_squared(x), t = sqrt(square);
    double a = t > 1e-2 ? (1.0 - cos(t)) / square : 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0));
    double b = t > 1e-2 ? (t - sin(t)) / (square * t)
                        : 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0));
    ts_mat3 X = ts_mat3_skew(x), one = ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0));
    return ts_mat3_add(ts_mat3_sub(one, ts_mat3_scale(a, X)), ts_mat3_scale(b, ts_mat3_mul(X, X)));
}

// 1 + X / 2 + (1 / t^2 - cot(t / 2) / (2 t)) X^2.
ts_mat3 ts_step_log_slope(ts_vec3 x) {
    double square = ts_vec3_norm_squared(x), t = sqrt(square);
    double b = t > 0.05 ? 1.0 / square - 0.5 / (t * tan(0.5 * t))
                        : 1.0 / 12.0 + square / 720.0 * (1.0 + square / 42.0 * (1.0 + square / 40.0));
    ts_mat3 X = ts_mat3_skew(x), one = ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0));
    return ts_mat3_add(ts_mat3_add(one, ts_mat3_scale(0.5, X)), ts_mat3_scale(b, ts_mat3_mul(X, X)));
}

ts_vec3 ts_step_ball_turn(const ts_sim* sim, const ts_joint* joint) {
    return ts_quat_to_rotation_vector(ts_quat_normalize(ts_quat_load(sim->qpos + joint->qpos_first)));
}

// How positions answer to the velocities that move them.
static int find_motion(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_model* model = sim->model;
    const double* velocity = ts_sim_storage_of(sim)->new_velocity;
    int* coasts = TS_ARENA_ARRAY(arena, int, model->tree_count);
    double* slope = TS_ARENA_ARRAY(arena, double, 18 * model->joint_count);
    if (!coasts || !slope) return 0;
    double* turned = slope + 9 * model->joint_count;
    // midpoint has a way of its own for lone bodies only.
    int all = sim->integrator->coast && !sim->integrator->frees_lone_bodies;
    for (int t = 0; t < model->tree_count; ++t)
        coasts[t] = sim->integrator->coast && (all || ts_sim_storage_of(sim)->tree_is_lone[t]);
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int s = 0; p->has_contact && s < plan->segment_count; ++s)
        coasts[model->dof[plan->segment[s].column].tree] = 0;
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        if (!traits->quaternion) continue;
        ts_vec3 omega = ts_vec3_load(velocity + model->joint[j].dof_first + traits->numbers);
        ts_mat3 K = ts_mat3_scale(p->time_step, ts_step_turn_slope(ts_vec3_scale(p->time_step, omega)));
        ts_mat3 back = ts_quat_to_mat3(ts_quat_from_rotation_vector(ts_vec3_scale(-p->time_step, omega)));
        for (int i = 0; i < 9; ++i) slope[9 * j + i] = K.m[i / 3][i % 3];
        for (int i = 0; i < 9; ++i) turned[9 * j + i] = back.m[i / 3][i % 3];
    }
    p->coasts = coasts;
    p->turn_by_velocity = slope;
    p->turned = turned;
    return 1;
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
}

// Notes why there is no derivative.
static ts_code refuse(ts_step_report* report, ts_code code, ts_step_verdict verdict, const char* reason,
                      ts_status* out_status) {
    report->verdict = verdict;
    snprintf(report->reason, sizeof report->reason, "%.190s", reason);
    return ts_status_set(out_status, code, NULL, 0, "%s", reason);
}

// 1: share of a contact problem that may stay unmet for its answer to be differentiated.
static const double most_unmet = 1e-7;

// 1: what may be off in impulses by what a solve left open, beyond which it is taken out first.
static const double most_doubt = 1e-9;

// The report of blocks is of the impulses before.
static int judge_again(const ts_step_task* task, const ts_contact_problem* own, ts_step_report* report) {
    double* u = TS_ARENA_ARRAY(task->arena, double, own->row_count);
    if (!u) return 0;
    ts_contact_problem_velocity(own, task->sim->impulse, u);
    report->block = ts_step_report_blocks(task->sim, own, u, task->arena);
    report->unmet = task->sim->info.unmet;
    return report->block != NULL;
}

// Whether positions do not follow from the velocity alone. Returns -1 when memory is short.
static int closes_ties(ts_sim* sim) {
    double* qpos = TS_ARENA_ARRAY(&sim->scratch, double, sim->model->nq);
    if (!qpos) return -1;
    ts_integrate_position(sim->model, sim->qpos, ts_sim_storage_of(sim)->new_velocity, sim->options.time_step, qpos);
    return ts_step_close_ties(sim, qpos) ? ts_sim_storage_of(sim)->closed_ties > 0 : -1;
}

static ts_code differentiate_law(const ts_step_task* task, const ts_contact_problem* own, ts_step_implicit* p,
                                 ts_step_report* report, ts_status* out_status) {
    const ts_sim* sim = task->sim;
    char text[sizeof report->reason], whose[120];
    int closes = closes_ties(task->sim);
    if (closes < 0) return no_memory(out_status);
    if (closes)
        return refuse(report, TS_ERROR_UNSUPPORTED, TS_STEP_UNSUPPORTED,
                      "a loop was closed after the step, and the equations do not know of that: take differences",
                      out_status);
    if (ts_sim_storage_of(sim)->push_excess > 1.0)
        return refuse(report, TS_ERROR_UNSUPPORTED, TS_STEP_UNSUPPORTED,
                      "what overlaps is pushed out more slowly, by a share that goes by the solve: take differences",
                      out_status);
    if (sim->info.held_back > 0 || !(sim->info.unmet <= most_unmet))
        return refuse(report, TS_ERROR_UNSUPPORTED, TS_STEP_UNSUPPORTED, "the contact problem was not solved",
                      out_status);
    if (task->settings->method == TS_STEP_CASCADE && sim->solver->law != TS_LAW_NCP)
        return refuse(report, TS_ERROR_UNSUPPORTED, TS_STEP_UNSUPPORTED, "a cascade is of the exact law only",
                      out_status);
    ts_status status;
    ts_code code = ts_step_law_make(task, own, &p->contact, &status);
    int refined = code ? 0 : ts_step_law_refine(task, own, &p->contact, most_doubt);
    if (refined < 0) return no_memory(out_status);
    if (refined) code = ts_step_law_make(task, own, &p->contact, &status);
    if (refined && !judge_again(task, own, report)) return no_memory(out_status);
    report->unknowns = p->contact.unknowns;
    report->rank = p->contact.rank;
    report->condition = p->contact.condition;
    if (!code) return TS_OK;
    if (code == TS_ERROR_MEMORY) return no_memory(out_status);
    if (p->contact.refused < 0) return refuse(report, code, TS_STEP_UNSUPPORTED, status.message, out_status);
    ts_certify_describe(sim, p->contact.refused, whose, sizeof whose);
    snprintf(text, sizeof text, "%.110s: %.70s", whose, status.message);
    return refuse(report, code, code == TS_ERROR_NUMERIC ? TS_STEP_ONE_SIDED : TS_STEP_UNSUPPORTED, text, out_status);
}

// Something that is no more in the way of one thing than of another.
static double any_number(int i) { return sin(1.0 + 1.7 * i) + 0.3 * cos(2.3 * i); }

// Where contacts are hyperstatic, asks once whether velocities notice (J'^T of what impulses are free to do; contact/derivative/derivative.c says when), and once
// whether bodies can follow where the inputs move the contacts.
static ts_code probe_rank(const ts_step_implicit* p, int columns, ts_arena* arena, ts_step_report* report) {
    ts_step_workplace w;
    double open = 0.0, missed = 0.0;
    // A cascade knows the rank of its parts only.
    if (!p->has_contact || (report->rank == report->unknowns && p->contact.rounds == 0)) return TS_OK;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* y = TS_ARENA_ARRAY(arena, double, 2 * p->model->nv + p->model->act_count);
    ts_code code = y && ts_step_workplace_take(p, arena, &w) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        for (int i = 0; i < p->model->nv; ++i) w.z[i] = any_number(i);
        ts_step_add_rows(p, w.z, w.dlambda);
        code = ts_contact_derivative_reverse(&p->contact, w.dlambda, arena, w.du, w.dmu, &open);
    }
    if (!code) {
        memset(w.z, 0, (size_t)p->model->nv * sizeof(double));
        memset(w.du, 0, (size_t)p->row_count * sizeof(double));
        memset(w.dmu, 0, (size_t)p->block_count * sizeof(double));
        for (int c = 0; c < columns; ++c) ts_step_add_input(p, c, any_number(c), &w);
        code = ts_step_finish_forward(p, &w, arena, &missed, y);
    }
    report->mismatch = fmax(open, missed);
    ts_arena_scope_end(arena, scope);
    return code;
}

static void place_parts(ts_step_implicit* p) {
    ts_step_frozen* part = &p->frozen;
    part->velocity = 0;
    part->position = p->model->nv;
    part->activation = 2 * p->model->nv;
    part->row = part->activation + p->model->act_count;
    part->friction = part->row + p->row_count;
    part->size = part->friction + p->block_count;
}

static int is_asked(const ts_step_task* task, ts_step_input_kind kind) {
    for (int n = 0; n < task->input_count; ++n)
        if (task->input[n].kind == kind) return 1;
    return 0;
}

// What columns by wrenches need of the step.
static int copy_levers(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_model* model = sim->model;
    ts_motion* axis = TS_ARENA_ARRAY(arena, ts_motion, model->nv);
    ts_vec3* arm = TS_ARENA_ARRAY(arena, ts_vec3, model->body_count);
    if (!axis || !arm) return 0;
    for (int d = 0; d < model->nv; ++d) axis[d] = ts_kinematics_axis(model, &sim->kinematics, d);
    for (int b = 0; b < model->body_count; ++b) {
        int tree = model->body[b].tree;
        if (tree >= 0)
            arm[b] =
                ts_vec3_sub(sim->kinematics.body_centre[b], ts_kinematics_origin(sim->model, &sim->kinematics, tree));
    }
    p->axis = axis;
    p->arm = arm;
    return 1;
}

// What columns by friction need.
static int copy_geoms(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    int* geom = TS_ARENA_ARRAY(arena, int, 2 * p->block_count);
    if (!geom) return 0;
    for (int b = 0; b < p->block_count; ++b) geom[2 * b] = geom[2 * b + 1] = -1;
    for (int i = 0; i < sim->contact_count; ++i) {
        geom[2 * sim->contact[i].block] = sim->contact[i].geom_a;
        geom[2 * sim->contact[i].block + 1] = sim->contact[i].geom_b;
    }
    p->geom = geom;
    return 1;
}

// Whether friction is but a number of the cones of a geom's contacts.
static int friction_is_plain(const ts_sim* sim, int geom) {
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        if (contact->geom_a != geom && contact->geom_b != geom) continue;
        // Rows of spinning and rolling are scaled by it (step_parameter.c).
        if (contact->surface.dimension > 3 || contact->surface.friction == 0.0) return 0;
        if (sim->row_block[contact->block].blocked != TS_ROW_FREE) return 0;
    }
    return 1;
}

static int is_known(const ts_sim* sim, const ts_step_implicit* p, ts_step_column c) {
    const ts_model* model = sim->model;
    switch (c.kind) {
    case TS_STEP_BY_POSITION: return p->tree[model->dof[c.index].tree].by_q != NULL;
    case TS_STEP_BY_VELOCITY: return p->tree[model->dof[c.index].tree].by_v != NULL;
    case TS_STEP_BY_FORCE: return p->tree[model->dof[c.index].tree].plain;
    case TS_STEP_BY_WRENCH: {
        int tree = model->body[c.index / 6].tree;
        return tree < 0 || p->tree[tree].plain;
    }
    case TS_STEP_BY_CONTROL: return ts_step_control_is_known(sim, p, c.index);
    case TS_STEP_BY_FRICTION: return friction_is_plain(sim, c.index);
    case TS_STEP_BY_ACTIVATION:
    case TS_STEP_BY_RESTITUTION:
    case TS_STEP_BY_MASS:
    case TS_STEP_BY_INERTIA:
    case TS_STEP_BY_TIME_STEP:
    case TS_STEP_BY_GRAVITY:
    case TS_STEP_BY_COMPLIANCE:
    case TS_STEP_INPUT_KINDS: break;
    }
    return 0;
}

// All columns: what is known of the step, and the others at frozen impulses.
static ts_code find_columns(const ts_step_task* task, ts_step_implicit* p, int columns, ts_step_report* report,
                            ts_status* out_status) {
    int known = 0, count = 0, at = 0, unknown = 0;
    int* place = TS_ARENA_ARRAY(task->arena, int, columns);
    ts_step_column* column = TS_ARENA_ARRAY(task->arena, ts_step_column, 2 * columns);
    unsigned char* is_numbered = (unsigned char*)ts_arena_alloc_zeroed(task->arena, (size_t)columns, 4);
    if (!place || !column || !is_numbered) return no_memory(out_status);
    ts_step_column* frozen = column + columns;
    unsigned char *verdict = is_numbered + columns, *column_changed = verdict + columns,
                  *changed = column_changed + columns;
    for (int n = 0; n < task->input_count; ++n)
        for (int i = 0, tree = -1; i < task->input[n].count; ++i, ++at) {
            column[at] = (ts_step_column){task->input[n].kind, task->input[n].first + i};
            // Of one tree all are known, or none.
            int of_state = column[at].kind == TS_STEP_BY_POSITION || column[at].kind == TS_STEP_BY_VELOCITY;
            int same = of_state && task->sim->model->dof[column[at].index].tree == tree;
            if (of_state) tree = task->sim->model->dof[column[at].index].tree;
            place[at] = same ? place[at - 1] : is_known(task->sim, p, column[at]) ? -1 : 0;
            unknown += place[at] == 0;
        }
    // What has its equations first.
    for (int of_equations = 1; unknown > 0 && of_equations >= 0; --of_equations) {
        for (int c = 0; c < columns; ++c)
            if (place[c] >= 0 && !is_numbered[c] && (!of_equations || ts_step_parameter_is_known(task, p, column[c]))) {
                is_numbered[c] = 1;
                place[c] = count;
                frozen[count++] = column[c];
            }
        if (of_equations) known = count;
    }
    p->frozen_count = count;
    p->asks_friction = count > 0 || is_asked(task, TS_STEP_BY_FRICTION);
    double* numbers = TS_ARENA_ARRAY(task->arena, double, (size_t)count*(size_t)p->frozen.size);
    if (!numbers) return no_memory(out_status);
    p->column = column;
    p->frozen_column = place;
    p->numbers = numbers;
    if (known > 0 && !ts_step_parameters_find(task, p, frozen, known, numbers)) return no_memory(out_status);
    if (count == known) {
        ts_step_report_columns(task->sim, task->input, task->input_count, verdict, report);
        return TS_OK;
    }
    report->differenced |= TS_PART_INPUTS;
    double* differences = numbers + (size_t)known * (size_t)p->frozen.size;
    ts_code code = ts_step_frozen_find(task, p, frozen + known, count - known, differences, changed, out_status);
    report->column_changed = column_changed;
    for (int c = 0; !code && c < columns; ++c) {
        if (place[c] < known) continue;
        verdict[c] = TS_COLUMN_DIFFERENCE;
        column_changed[c] = changed[place[c] - known];
        report->changed += column_changed[c];
    }
    // What follows is of the step itself.
    if (!code) code = ts_sim_foresee(task->sim, out_status);
    if (!code) ts_step_report_columns(task->sim, task->input, task->input_count, verdict, report);
    return code;
}

ts_code ts_step_implicit_make(const ts_step_task* task, const ts_contact_problem* own, ts_step_derivative* out,
                              ts_status* out_status) {
    ts_sim* sim = task->sim;
    ts_arena* arena = task->arena;
    ts_step_implicit* p = (ts_step_implicit*)ts_arena_alloc_zeroed(arena, 1, sizeof *p);
    if (!p) return no_memory(out_status);
    p->shared.ops = &ts_step_implicit_operator;
    p->model = sim->model;
    p->time_step = sim->options.time_step;
    p->row_count = own->row_count;
    p->block_count = own->block_count;
    p->has_contact = own->row_count > 0;
    p->own_R = own->R;
    place_parts(p);
    ts_code code = TS_OK;
    if (p->has_contact) code = differentiate_law(task, own, p, &out->report, out_status);
    if (code) return code;
    if ((p->has_contact && !copy_rows(sim, arena, p)) || !copy_factor(sim, arena, p) || !find_motion(sim, arena, p))
        return no_memory(out_status);
    if (is_asked(task, TS_STEP_BY_WRENCH) && !copy_levers(sim, arena, p)) return no_memory(out_status);
    if (is_asked(task, TS_STEP_BY_FRICTION) && !copy_geoms(sim, arena, p)) return no_memory(out_status);
    if (!ts_step_trees_find(task, p, &sim->scratch) || !ts_step_blocks_find(task, p, &sim->scratch, &out->report))
        code = no_memory(out_status);
    if (!code) code = find_columns(task, p, out->columns, &out->report, out_status);
    if (!code && probe_rank(p, out->columns, arena, &out->report)) return no_memory(out_status);
    if (code) return code;
    out->parts = &p->shared;
    return TS_OK;
}
