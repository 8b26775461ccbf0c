// Contacts as a source of rows.
//
// Problem: from contact points to blocks of rows, a friction cone or a half-line each (docs/contact.md).
// Rule: row r is frame_r . (v_B(p) - v_A(p)), its reference what the surfaces run by themselves, and where the contact resists spinning and rolling frame_r . (omega_B -
// omega_A), scaled (contact/problem.h). Blocks go top down (contact_order.c).
//
// Warm starts (docs/contact.md): last step's impulse, kept in world axes, is turned into the new frame and scaled by the
// ratio of time steps; solvers bring it into the cone. It is dropped when the normal turned by more than 45 degrees, when the
// contact closes fast or bounces, and when the last solve failed. An iteration limit or a stall is no reason to drop
// it: large piles are run with few iterations on purpose, and it is the warm start that carries the convergence over
// steps.
//
// Known weaknesses. Restitution is Newton's, contact by contact and all at once: an impact does not travel through
// bodies that already touch (a row of balls moves on as one). Baumgarte's push-out stays in the velocity, and that loop
// is only stable while the iterations of one step remove a larger share of the slowest error than kappa: write v' = v +
// l, l' = l - e (v + l + kappa phi / h), phi' = phi + h v' for a slow mode of a warm-started sweep with contraction e
// per step; Routh's criterion gives e > kappa. A stack solved with too few iterations therefore never comes to rest.
#include "engine/rows/contact_internal.h"

#include <math.h>
#include <stdio.h>

#include "base/assert.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"

// 1: what is so much slower than what mends a penetration may come of mending one, and is no impact (1 cm/s by default).
static const double push_out_part = 0.01;

static ts_contact* contact_of(const ts_sim* sim, int b) { return &sim->contact[sim->row_block[b].item]; }

static const ts_row_memory* memory_of(const ts_sim* sim, int b) {
    int memory = sim->row_block[b].memory;
    return memory >= 0 ? &sim->row_memory.data[memory] : NULL;
}

void ts_contact_memory(const ts_sim* sim, int* out_first, int* out_last) {
    int source = 0;
    while (ts_row_source_at(source) != &ts_row_contact) ++source;
    ts_row_memory_range(sim, source, out_first, out_last);
}

// The contacts of a pair of geoms, which differ in nothing but where they are, and what is remembered of them.
static void plan_run(ts_sim* sim, const ts_contact_run* run, ts_row_plan* plan) {
    ts_contact* contact = &sim->contact[run->first];
    const int *memory = ts_sim_storage_of(sim)->contact_memory_index + run->first,
              dimension = contact->surface.dimension;
    ts_row_key key = {(uint64_t)(uint32_t)contact->geom_a << 32 | (uint32_t)contact->geom_b, contact->key};
    ts_row_block owner = {key, 0, run->first, memory[0], 0};
    ts_block block = {
        dimension == 1 ? TS_SET_HALF_LINE : TS_SET_CONE, 0, dimension, contact->surface.friction, 0.0, 0.0};
    const ts_body* body = sim->model->body;
    int chain[2] = {body[contact->body_a].dof_last, body[contact->body_b].dof_last}, first = plan->block_count;
    if (!ts_row_plan_keep(plan, key.whole, dimension, run->count)) {
        if (!ts_row_plan_add_matched(plan, &owner, &block, chain, 2)) return;
        if (run->count > 1 && !ts_row_plan_add_alike(plan, run->count - 1)) return;
    }
    for (int k = 0; k < run->count; ++k) {
        ts_row_block* mine = &plan->owner[first + k];
        mine->key.part = contact[k].key;
        mine->item = run->first + k;
        mine->memory = memory[k];
        mine->blocked = 0;
        plan->block[first + k].mu = contact[k].surface.friction;
        contact[k].block = first + k;
    }
}

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const int* order = ts_contact_order_runs(sim);
    storage->contact_softness = (int)ts_soft_contact_kind(sim);
    for (int k = 0; order && k < storage->run_count; ++k) plan_run(sim, &storage->contact_run[order[k]], out_plan);
    if (!order) ts_row_plan_fail(out_plan);
}

// What rows from the fourth on read: relative spin and roll about this direction, scaled as contact/problem.h says.
static ts_vec3 turn_direction(const ts_sim* sim, const ts_contact* contact, int r) {
    const ts_contact_rare* rare = ts_sim_contact_rare(sim, (int)(contact - sim->contact));
    double scale = (r == 3 ? rare->friction_spin : rare->friction_roll) / contact->surface.friction;
    return ts_vec3_scale(scale, ts_mat3_column(&contact->frame, r == 3 ? 2 : r - 4));
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_contact* contact = contact_of(sim, b);
    int rows = contact->surface.dimension, moves = rows < 3 ? rows : 3;
    TS_ASSERT(rows >= 1 && rows <= TS_BLOCK_ROWS_MAX);
    ts_vec3 axis[3], turn[TS_BLOCK_ROWS_MAX - 3];
    for (int r = 0; r < 3; ++r) axis[r] = ts_mat3_column(&contact->frame, r);
    const ts_vec3* direction = rows == 1 ? &axis[2] : axis;
    ts_row_add_point(out_J, 0, moves, contact->body_a, contact->position, direction, -1.0);
    ts_row_add_point(out_J, 0, moves, contact->body_b, contact->position, direction, 1.0);
    if (rows == moves) return;
    for (int r = 3; r < rows; ++r) turn[r - 3] = turn_direction(sim, contact, r);
    ts_row_add_turn(out_J, 3, rows - 3, contact->body_a, turn, -1.0);
    ts_row_add_turn(out_J, 3, rows - 3, contact->body_b, turn, 1.0);
}

double ts_contact_bounce_threshold(const ts_options* options) {
    if (options->restitution_speed > 0.0) return options->restitution_speed;
    // One step of gravity is not an impact: below this a resting contact would be taken for one.
    double step_speed = 2.0 * ts_vec3_norm(options->gravity) * options->time_step;
    return fmax(step_speed, push_out_part * options->push_out_speed);
}

double ts_contact_reference(const ts_options* options, const ts_reference_input* input, int* out_bounces) {
    double h = options->time_step;
    double bounce = 0.0;
    // The gap must close within this step. The free velocity decides that, not the present one: otherwise gravity could
    // close it in a step in which it counts as open, and the contact would be old when its turn to bounce comes.
    *out_bounces = input->restitution > 0.0 && !input->was_closed &&
                   -input->speed_now > ts_contact_bounce_threshold(options) && input->gap + h * input->speed_free < 0.0;
    if (*out_bounces) bounce = -input->restitution * input->speed_now;
    if (input->gap > 0.0) return *out_bounces ? bounce : -input->gap / h;
    double depth = -input->gap - options->slop;
    double push = depth > 0.0 ? ts_row_mend_speed(options, depth) : 0.0;
    return push > bounce ? push : bounce;
}

// How fast a contact is pushed out, no faster than with the energy that the lighter of the trees it moves would have at `push`. Where
// joints let a point move as if it had more mass than all that hangs together (a leg pressed into its own hip), the push is one
// that leverage turns into absurd speeds elsewhere.
static double limit_push(const ts_row_law* law, int normal, double push) {
    double G = ts_row_squared(law->J, normal), mass = ts_row_lightest(law->J);
    int levers = 0;
    for (int k = 0; k < law->J->piece_count; ++k) levers = levers || !law->J->piece[k].is_free_body;
    return levers && G * mass < 1.0 ? sqrt(G * mass) * push : push;
}

void ts_contact_start(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory, double speed_now,
                      double* out_impulse) {
    ts_vec3 impulse = ts_vec3_zero();
    double ratio = ts_contact_start_of(sim, contact, memory, speed_now, &impulse);
    if (ratio == 0.0) return;
    if (contact->surface.dimension == 1) {
        out_impulse[0] = impulse.z;
        return;
    }
    ts_vec3_store(impulse, out_impulse);
    for (int r = 3; r < contact->surface.dimension; ++r) {
        ts_vec3 direction = turn_direction(sim, contact, r);
        double squared = ts_vec3_dot(direction, direction);
        // A contact that rolls with friction and spins without has a row of zeros.
        if (!(squared > 0.0) || memory->more_count < 2) continue;
        const double* turning = sim->row_more.data[memory->more + 1].number;
        out_impulse[r] = ratio * ts_vec3_dot(ts_vec3_load(turning), direction) / squared;
    }
}

// The share of row r in how the surfaces run.
static double drift_along(const ts_contact* contact, const ts_contact_rare* rare, int r) {
    if (contact->surface.dimension == 1 || r == 2 || r > 3) return 0.0;
    if (r < 2) return r ? rare->drift.y : rare->drift.x;
    return rare->friction_spin / contact->surface.friction * rare->drift.z;
}

// What brings a contact back to its anchor within the step, as c* of the tangents: u = c - c* + R lambda = 0 is then the spring
// lambda / h = -(xi + h c) / (h^2 R), taken at the end of the step. Where its end was is what its force says it was stretched to, and no more
// than friction holds: xi = -h R lambda_T of the last step, with the R that the solver remembers. It turns with nothing, as old impulses do.
static void pull_to_anchor(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory,
                           double* out_reference) {
    ts_vec3 normal = ts_contact_remembered(sim, memory, TS_CONTACT_NORMAL), impulse = ts_vec3_load(memory->impulse);
    if (memory->keeper != ts_sim_keeper(sim)) return;
    if (ts_vec3_dot(normal, ts_mat3_column(&contact->frame, 2)) < ts_contact_least_agreement) return;
    impulse = ts_vec3_add_scaled(impulse, -ts_vec3_dot(impulse, normal), normal);
    ts_vec3 way = ts_vec3_scale(-memory->time_step * memory->solver, impulse);
    way = ts_mat3_mul_vec_transposed(&contact->frame, way);
    out_reference[0] -= way.x / sim->options.time_step;
    out_reference[1] -= way.y / sim->options.time_step;
}

// Velocity of the surfaces, where rows have that of the geoms.
static ts_vec3 surface_velocity(const ts_contact* contact, const ts_contact_rare* rare, const double* row) {
    if (contact->surface.dimension == 1) return ts_vec3_make(0.0, 0.0, row[0]);
    return ts_vec3_make(row[0] + rare->drift.x, row[1] + rare->drift.y, row[2]);
}

// What a rigid contact's normal is asked for. A soft one's spring knows nothing of Baumgarte's push-out: against rigid contact it is asked for no
// approach, and no more.
static double rigid_reference(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory, int normal,
                              int soft, const ts_row_law* law, int* out_bounces) {
    const ts_row_speeds* speeds = law->speeds;
    ts_reference_input input = {contact->gap, contact->surface.restitution, speeds->now[normal], speeds->free[normal],
                                contact->surface.restitution > 0.0 && memory && ts_contact_was_closed(sim, memory)};
    if (soft && input.gap < 0.0) input.gap = 0.0;
    double reference = ts_contact_reference(&sim->options, &input, out_bounces);
    return !*out_bounces && !soft && reference > 0.0 ? limit_push(law, normal, reference) : reference;
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    ts_contact* contact = contact_of(sim, b);
    const ts_row_memory* memory = memory_of(sim, b);
    const double* now = out_law->speeds->now;
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2, bounces = 0;
    int soft = ts_sim_storage_of(sim)->contact_softness != TS_SOFT_CONTACT_NONE;
    const ts_contact_rare* rare = ts_sim_contact_rare(sim, (int)(contact - sim->contact));
    double drift[TS_BLOCK_ROWS_MAX] = {0.0};
    int drifts = rare->drift.x != 0.0 || rare->drift.y != 0.0 || rare->drift.z != 0.0;
    for (int r = 0; r < rows && drifts; ++r) drift[r] = drift_along(contact, rare, r);
    if (soft && !out_law->rigid) {
        double of_surfaces[TS_BLOCK_ROWS_MAX];
        for (int r = 0; r < rows; ++r) of_surfaces[r] = now[r] + drift[r];
        ts_soft_contact_rows(sim, contact, of_surfaces, out_law->reference, out_law->R);
        // The pull that is in the free velocity shall press a soft contact no deeper.
        out_law->reference[normal] += out_law->R[normal] * sim->options.time_step * rare->adhesion;
    } else {
        for (int r = 0; r < rows && !out_law->rigid; ++r)
            out_law->R[r] = r == normal ? sim->options.compliance_normal : sim->options.compliance_tangent;
        out_law->reference[normal] = rigid_reference(sim, contact, memory, normal, soft, out_law, &bounces);
    }
    // Friction stops what slides of the surfaces, not of the geoms under them.
    for (int r = 0; r < rows && drifts; ++r) out_law->reference[r] -= drift[r];
    // Against rigid contact nothing begins, and nothing is told.
    if (out_law->rigid) return;
    if (memory && sim->solver->anchors && rows >= 3) pull_to_anchor(sim, contact, memory, out_law->reference);
    if (memory && !bounces) ts_contact_start(sim, contact, memory, now[normal], out_law->impulse);
    contact->velocity_before = surface_velocity(contact, rare, now);
}

static void answer(ts_sim* sim, int b, int end, const double* velocity, const double* impulse) {
    for (; b < end; ++b) {
        ts_contact* contact = contact_of(sim, b);
        int rows = contact->surface.dimension;
        const double *own = impulse + sim->problem.block[b].row, *speed = velocity + sim->problem.block[b].row;
        if (rows > 3) {
            ts_contact_rare* rare = &sim->contact_rare[contact - sim->contact];
            double scale = rare->friction_roll / contact->surface.friction;
            rare->angular_impulse = ts_vec3_make(rows > 4 ? scale * own[4] : 0.0, rows > 4 ? scale * own[5] : 0.0,
                                                 rare->friction_spin / contact->surface.friction * own[3]);
        }
        contact->velocity = surface_velocity(contact, ts_sim_contact_rare(sim, (int)(contact - sim->contact)), speed);
        contact->impulse = rows >= 3 ? ts_vec3_load(own) : ts_vec3_make(0.0, 0.0, own[0]);
    }
}

static void book(const ts_sim* sim, int b, const ts_row_work* work, double* account) {
    const ts_contact* contact = contact_of(sim, b);
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2;
    const ts_contact_rare* rare = ts_sim_contact_rare(sim, (int)(contact - sim->contact));
    double bounce = -contact->surface.restitution * work->before[normal], drive[TS_BLOCK_ROWS_MAX], squared = 0.0;
    // The reference is either of the two, to the bit.
    int bounces = bounce > 0.0 && work->reference[normal] == bounce;
    ts_row_book_push(work, normal, bounces, TS_LEDGER_NORMAL, account);
    if (rows == 1) return;
    for (int r = 0; r < rows; ++r) {
        drive[r] = -drift_along(contact, rare, r);
        if (r != normal) squared += work->impulse[r] * work->impulse[r];
    }
    int slides = ts_row_is_at_bound(sqrt(squared), contact->surface.friction * work->impulse[normal]);
    // A spring to an anchor is one in c* and R, whatever the normal is.
    ts_row_work friction = *work;
    friction.soft = work->soft || sim->solver->anchors;
    ts_row_book_friction(&friction, 0, 2, drive, slides, TS_LEDGER_FRICTION, account);
    if (rows > 3) ts_row_book_friction(work, 3, rows - 3, drive, slides, TS_LEDGER_ROLLING, account);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    int a = (int)(key.whole >> 32), b = (int)(key.whole & 0xffffffffu);
    char one[128], two[128];
    ts_row_label("geom", a, model->geom[a].name, one, sizeof one);
    ts_row_label("geom", b, model->geom[b].name, two, sizeof two);
    snprintf(out_text, size, "%s, %s", one, two);
}

const ts_row_source ts_row_contact = {.name = "contact",
                                      .plan = plan,
                                      .jacobian = jacobian,
                                      .law = law,
                                      .lone = ts_contact_fill_lone,
                                      .answer = answer,
                                      .book = book,
                                      .remember = ts_contact_remember_blocks,
                                      .more = 1,
                                      .describe = describe,
                                      .reads_bodies = 1};
