// What an HDF5 recording holds: the table of its columns, and how a moment becomes a row of each. How they get into the file
// is record_hdf5.c's. Contacts are ragged: flat arrays, with the first index and the count per recorded moment.
#include "engine/record/record_table_internal.h"

#ifdef TS_HAVE_HDF5

#include "engine/rows/row_source_internal.h"
#include "engine/step/certify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Sizes of a row that the model decides.
enum { ALL_QPOS = -1, ALL_QVEL = -2, ALL_BODIES = -3, ALL_CTRL = -4, ALL_ACT = -5, ALL_TENDONS = -6, ALL_SENSORS = -7 };

// Columns that are filled by name; those after them are numbers of ts_step_info.
typedef enum column_id {
    TIME,
    STEP,
    QPOS,
    QVEL,
    CTRL,
    ACT,
    ACTUATOR_LENGTH,
    ACTUATOR_VELOCITY,
    ACTUATOR_FORCE,
    TENDON_LENGTH,
    SENSORS,
    BODY_POSITION,
    BODY_QUATERNION,
    BODY_LINEAR,
    BODY_ANGULAR,
    ENERGY_KINETIC,
    ENERGY_POTENTIAL,
    CONTACT_FIRST,
    CONTACT_COUNT,
    CONTACT_POSITION,
    CONTACT_FRAME,
    CONTACT_IMPULSE,
    CONTACT_VELOCITY,
    CONTACT_GAP,
    CONTACT_FRICTION,
    CONTACT_GEOM_A,
    CONTACT_GEOM_B,
    CONTACT_KEY,
    CONTACT_MODE,
    CONTACT_LAWS,
    CONTACT_NATURAL,
    ROW_FIRST,
    ROW_COUNT,
    ROW_SOURCE,
    ROW_KEY,
    ROW_IMPULSE,
    NAMED_COUNT
} column_id;

// What stands in ts_step_info, and how it is written.
typedef enum info_kind {
    INFO_NUMBER,  // double
    INFO_WHOLE,   // int, or an enum
    INFO_FIGURE   // ts_figure, of the residual
} info_kind;

typedef struct column_definition {
    const char* path;
    const char* unit;
    ts_record_type type;
    int shape[2];         // numbers, or one of the sizes above; 0: no such dimension
    const char* meaning;  // attribute that explains numbers that are codes, or NULL
    info_kind kind;       // from NAMED_COUNT on
    size_t offset;        // in ts_step_info, likewise; or the ts_figure
} column_definition;

#define NUMBER(path, unit, field) \
    { path, unit, TS_RECORD_DOUBLE, {0}, NULL, INFO_NUMBER, offsetof(ts_step_info, field) }
#define WHOLE(path, field, meaning) \
    { path, "1", TS_RECORD_INT32, {0}, meaning, INFO_WHOLE, offsetof(ts_step_info, field) }
#define FIGURE(path, unit, figure) \
    { path, unit, TS_RECORD_DOUBLE, {0}, NULL, INFO_FIGURE, figure }

static const column_definition definitions[] = {
    [TIME] = {.path = "/state/time", .unit = "s"},
    [STEP] = {.path = "/state/step", .unit = "1", .type = TS_RECORD_INT64},
    [QPOS] = {.path = "/state/qpos", .unit = "m, rad, 1", .shape = {ALL_QPOS}},
    [QVEL] = {.path = "/state/qvel", .unit = "m/s, rad/s", .shape = {ALL_QVEL}},
    [CTRL] = {.path = "/state/ctrl", .unit = "of its actuator", .shape = {ALL_CTRL}},
    [ACT] = {.path = "/state/act", .unit = "of its actuator", .shape = {ALL_ACT}},
    [ACTUATOR_LENGTH] = {.path = "/actuators/length", .unit = "m, rad", .shape = {ALL_CTRL}},
    [ACTUATOR_VELOCITY] = {.path = "/actuators/velocity", .unit = "m/s, rad/s", .shape = {ALL_CTRL}},
    [ACTUATOR_FORCE] = {.path = "/actuators/force", .unit = "N, N m", .shape = {ALL_CTRL}},
    [TENDON_LENGTH] = {.path = "/tendons/length", .unit = "m, rad", .shape = {ALL_TENDONS}},
    [SENSORS] = {.path = "/sensors/value", .unit = "of its sensor", .shape = {ALL_SENSORS}},
    [BODY_POSITION] = {.path = "/bodies/position", .unit = "m", .shape = {ALL_BODIES, 3}},
    [BODY_QUATERNION] = {.path = "/bodies/quaternion", .unit = "1", .shape = {ALL_BODIES, 4}},
    [BODY_LINEAR] = {.path = "/bodies/linear_velocity", .unit = "m/s", .shape = {ALL_BODIES, 3}},
    [BODY_ANGULAR] = {.path = "/bodies/angular_velocity", .unit = "rad/s", .shape = {ALL_BODIES, 3}},
    [ENERGY_KINETIC] = {.path = "/energy/kinetic", .unit = "J"},
    [ENERGY_POTENTIAL] = {.path = "/energy/potential", .unit = "J"},
    [CONTACT_FIRST] = {.path = "/contacts/first", .unit = "1", .type = TS_RECORD_INT64},
    [CONTACT_COUNT] = {.path = "/contacts/count", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_POSITION] = {.path = "/contacts/position", .unit = "m", .shape = {3}},
    [CONTACT_FRAME] = {.path = "/contacts/frame", .unit = "1", .shape = {3, 3}},
    [CONTACT_IMPULSE] = {.path = "/contacts/impulse", .unit = "N s", .shape = {3}},
    [CONTACT_VELOCITY] = {.path = "/contacts/velocity", .unit = "m/s", .shape = {3}},
    [CONTACT_GAP] = {.path = "/contacts/gap", .unit = "m"},
    [CONTACT_FRICTION] = {.path = "/contacts/friction", .unit = "1"},
    [CONTACT_GEOM_A] = {.path = "/contacts/geom_a", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_GEOM_B] = {.path = "/contacts/geom_b", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_KEY] = {.path = "/contacts/key", .unit = "1", .type = TS_RECORD_UINT64},
    [CONTACT_MODE] = {"/contacts/mode", "1", TS_RECORD_INT32,
                      .meaning = "0 open, 1 stick, 2 slide, 3 violated: breaks the exact law by more than a millionth"},
    [CONTACT_LAWS] = {"/contacts/laws", "1", TS_RECORD_INT32, .meaning = "sum of 1 LCP, 2 CCP, 4 NCP that hold"},
    [CONTACT_NATURAL] = {.path = "/contacts/natural", .unit = "1"},
    [ROW_FIRST] = {.path = "/rows/first", .unit = "1", .type = TS_RECORD_INT64},
    [ROW_COUNT] = {.path = "/rows/count", .unit = "1", .type = TS_RECORD_INT32},
    [ROW_SOURCE] = {"/rows/source", "1", TS_RECORD_INT32, .meaning = "index in /model/row_sources"},
    [ROW_KEY] = {.path = "/rows/key", .unit = "1", .type = TS_RECORD_UINT64, .shape = {2}},
    [ROW_IMPULSE] = {.path = "/rows/impulse", .unit = "N s, N m s", .shape = {6}},
    WHOLE("/solver/iterations", solve.iterations, NULL),
    WHOLE("/solver/status", solve.status, "0 converged, 1 stalled, 2 iteration limit, 3 failed"),
    NUMBER("/solver/own_unmet", "1", unmet),
    FIGURE("/figures/approach", "m/s", TS_FIGURE_APPROACH),
    FIGURE("/figures/sinks", "m", TS_FIGURE_SINKS),
    FIGURE("/figures/pull", "N", TS_FIGURE_PULL),
    FIGURE("/figures/off_cone", "N", TS_FIGURE_OFF_CONE),
    FIGURE("/figures/friction_angle", "deg", TS_FIGURE_FRICTION_ANGLE),
    FIGURE("/figures/power", "W", TS_FIGURE_POWER),
    FIGURE("/figures/complementarity", "W", TS_FIGURE_COMPLEMENTARITY),
    NUMBER("/solver/ncp_primal", "N s", residual.ncp.primal),
    NUMBER("/solver/ncp_dual", "m/s", residual.ncp.dual),
    NUMBER("/solver/ncp_complementarity", "J", residual.ncp.complementarity),
    NUMBER("/solver/natural", "1", residual.natural),
    NUMBER("/solver/signorini", "J", residual.signorini),
    NUMBER("/solver/dissipation", "J", residual.dissipation),
    NUMBER("/solver/closing", "m/s", residual.closing),
    NUMBER("/solver/slip_angle", "rad", residual.slip_angle),
    NUMBER("/contacts/worst_penetration", "m", worst_penetration),
    WHOLE("/contacts/narrow_failures", narrow_failures, NULL),
    NUMBER("/timing/kinematics", "s", seconds_kinematics),
    NUMBER("/timing/broad_phase", "s", seconds_broad),
    NUMBER("/timing/narrow_phase", "s", seconds_narrow),
    NUMBER("/timing/dynamics", "s", seconds_dynamics),
    NUMBER("/timing/assemble", "s", seconds_assemble),
    NUMBER("/timing/solve", "s", seconds_solve),
    NUMBER("/timing/integrate", "s", seconds_integrate),
    NUMBER("/timing/total", "s", seconds_total),
};

enum { COLUMN_COUNT = sizeof definitions / sizeof definitions[0] };

const char* ts_record_table_group(int i) {
    static const char* const groups[] = {"/state",  "/actuators", "/tendons", "/sensors", "/bodies",
                                         "/energy", "/contacts",  "/rows",    "/figures", "/timing"};
    return i < (int)(sizeof groups / sizeof groups[0]) ? groups[i] : NULL;
}

int ts_record_table_info(int i, ts_record_info_column* out_column) {
    int seen = 0;
    for (int id = NAMED_COUNT; id < COLUMN_COUNT; ++id) {
        const column_definition* d = &definitions[id];
        if (d->kind == INFO_FIGURE || seen++ != i) continue;
        *out_column = (ts_record_info_column){d->path, d->type, d->offset};
        return 1;
    }
    return 0;
}

// --- columns ---------------------------------------------------------------------------------------------------------

static int size_of(int size, const ts_model* model) {
    switch (size) {
    case ALL_QPOS: return model->nq;
    case ALL_QVEL: return model->nv;
    case ALL_BODIES: return model->body_count;
    case ALL_CTRL: return model->actuator_count;
    case ALL_ACT: return model->act_count;
    case ALL_TENDONS: return model->tendon_count;
    case ALL_SENSORS: return model->sensor_size;
    default: return size;
    }
}

// Dimensions of a row; returns how many there are.
static int row_shape(const int shape[2], const ts_model* model, uint64_t out_size[2]) {
    int rank = 0;
    for (int i = 0; i < 2; ++i) {
        rank += shape[i] != 0;
        out_size[i] = shape[i] ? (uint64_t)size_of(shape[i], model) : 1;
    }
    return rank;
}

int ts_record_table_create(ts_record_table* self, int64_t file, const ts_model* model) {
    self->column = (ts_record_column*)calloc(COLUMN_COUNT, sizeof *self->column);
    if (!self->column) return 0;
    for (int id = 0; id < COLUMN_COUNT; ++id) self->column[id].dataset = -1;
    int ok = 1;
    for (int id = 0; ok && id < COLUMN_COUNT; ++id) {
        const column_definition* definition = &definitions[id];
        uint64_t row[2];
        int rank = row_shape(definition->shape, model, row);
        ok = ts_record_column_create(&self->column[id], file, definition->path, definition->unit, definition->type,
                                     rank, row);
        if (ok && definition->meaning)
            ok = ts_record_text_attribute(self->column[id].dataset, "meaning", definition->meaning);
    }
    return ok;
}

int ts_record_table_flush(ts_record_table* self, int last) {
    int ok = 1;
    for (int id = 0; id < COLUMN_COUNT; ++id) ok = ts_record_column_flush(&self->column[id], last) && ok;
    return ok;
}

int ts_record_table_close(ts_record_table* self) {
    int ok = 1;
    for (int id = 0; self->column && id < COLUMN_COUNT; ++id) ok = ts_record_column_close(&self->column[id]) && ok;
    free(self->column);
    ts_arena_free(&self->arena);
    return ok;
}

// --- one moment ------------------------------------------------------------------------------------------------------

// Room for one more row. Where those before it could not be written, the append that follows says so.
static void* next_row(ts_record_table* self, column_id id) {
    return ts_record_column_row(&self->column[id], &self->failed);
}

static void put(ts_record_table* self, column_id id, double value) { *(double*)next_row(self, id) = value; }

static void put_int(ts_record_table* self, column_id id, int value) { *(int32_t*)next_row(self, id) = value; }

static void put_numbers(ts_record_table* self, column_id id, const double* values) {
    void* row = next_row(self, id);
    if (self->column[id].row_bytes > 0) memcpy(row, values, self->column[id].row_bytes);
}

static void append_bodies(ts_record_table* self, const ts_sim* sim) {
    double* position = (double*)next_row(self, BODY_POSITION);
    double* quaternion = (double*)next_row(self, BODY_QUATERNION);
    double* linear = (double*)next_row(self, BODY_LINEAR);
    double* angular = (double*)next_row(self, BODY_ANGULAR);
    for (int b = 0; b < sim->model->body_count; ++b) {
        ts_motion velocity = ts_sim_body_velocity(sim, b);
        ts_vec3_store(sim->kinematics.body_pose[b].p, position + 3 * b);
        ts_quat_store(ts_quat_from_mat3(&sim->kinematics.body_pose[b].R), quaternion + 4 * b);
        ts_vec3_store(velocity.linear, linear + 3 * b);
        ts_vec3_store(velocity.angular, angular + 3 * b);
    }
}

// What every contact is certified to do. Without memory for that, nothing is known of it.
static void append_verdicts(ts_record_table* self, const ts_sim* sim) {
    ts_contact_certificate certificate;
    if (sim->contact_count == 0) return;
    ts_arena_reset(&self->arena);
    int known = ts_certify_step(sim, TS_CERTIFICATE_FAST, &self->arena, &certificate) == TS_OK;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact_verdict* verdict = known ? ts_certify_contact(sim, &certificate, i) : NULL;
        put_int(self, CONTACT_MODE, verdict ? (int)verdict->mode : -1);
        put_int(self, CONTACT_LAWS, verdict ? (int)verdict->holds : 0);
        put(self, CONTACT_NATURAL, verdict ? verdict->residual.natural : (double)NAN);
    }
}

static void append_contacts(ts_record_table* self, const ts_sim* sim) {
    *(int64_t*)next_row(self, CONTACT_FIRST) = self->contacts;
    put_int(self, CONTACT_COUNT, sim->contact_count);
    self->contacts += sim->contact_count;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        ts_vec3_store(contact.position, (double*)next_row(self, CONTACT_POSITION));
        memcpy(next_row(self, CONTACT_FRAME), contact.frame.m, sizeof contact.frame.m);
        ts_vec3_store(contact.impulse, (double*)next_row(self, CONTACT_IMPULSE));
        ts_vec3_store(contact.velocity, (double*)next_row(self, CONTACT_VELOCITY));
        put(self, CONTACT_GAP, contact.gap);
        put(self, CONTACT_FRICTION, contact.surface.friction);
        put_int(self, CONTACT_GEOM_A, contact.geom_a);
        put_int(self, CONTACT_GEOM_B, contact.geom_b);
        *(uint64_t*)next_row(self, CONTACT_KEY) = contact.key;
    }
    append_verdicts(self, sim);
}

// Blocks of rows that nobody else tells of.
static void append_rows(ts_record_table* self, const ts_sim* sim) {
    int count = 0;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_row_block* owner = &sim->row_block[b];
        const ts_block* block = &sim->problem.block[b];
        if (ts_row_source_at(owner->source)->answer) continue;
        put_int(self, ROW_SOURCE, owner->source);
        uint64_t* key = (uint64_t*)next_row(self, ROW_KEY);
        key[0] = owner->key.whole;
        key[1] = owner->key.part;
        double* impulse = (double*)next_row(self, ROW_IMPULSE);
        // Of substeps the last one is known, and stands for all.
        for (int r = 0; r < TS_BLOCK_ROWS_MAX; ++r)
            impulse[r] = r < block->rows ? sim->options.substeps * sim->impulse[block->row + r] : 0.0;
        ++count;
    }
    *(int64_t*)next_row(self, ROW_FIRST) = self->rows;
    put_int(self, ROW_COUNT, count);
    self->rows += count;
}

// The numbers of the last step.
static void append_info(ts_record_table* self, const ts_sim* sim) {
    for (int id = NAMED_COUNT; id < COLUMN_COUNT; ++id) {
        const char* source = (const char*)&sim->info + definitions[id].offset;
        void* row = ts_record_column_row(&self->column[id], &self->failed);
        double figure;
        switch (definitions[id].kind) {
        case INFO_NUMBER: memcpy(row, source, sizeof(double)); break;
        case INFO_WHOLE: memcpy(row, source, sizeof(int32_t)); break;
        case INFO_FIGURE:
            figure = ts_figure_of(&sim->info.residual, (ts_figure)definitions[id].offset,
                                  sim->options.time_step / sim->options.substeps);
            memcpy(row, &figure, sizeof figure);
            break;
        }
    }
}

void ts_record_table_append(ts_record_table* self, const ts_sim* sim, ts_energy energy) {
    put(self, TIME, sim->time);
    *(int64_t*)next_row(self, STEP) = sim->step_count;
    put_numbers(self, QPOS, sim->qpos);
    put_numbers(self, QVEL, sim->qvel);
    put_numbers(self, CTRL, sim->ctrl);
    put_numbers(self, ACT, sim->act);
    put_numbers(self, ACTUATOR_LENGTH, sim->actuator_length);
    put_numbers(self, ACTUATOR_VELOCITY, sim->actuator_velocity);
    put_numbers(self, ACTUATOR_FORCE, sim->actuator_force);
    put_numbers(self, TENDON_LENGTH, sim->tendon_length);
    put_numbers(self, SENSORS, sim->sensor);
    append_bodies(self, sim);
    put(self, ENERGY_KINETIC, energy.kinetic);
    put(self, ENERGY_POTENTIAL, energy.potential);
    append_info(self, sim);
    append_contacts(self, sim);
    append_rows(self, sim);
}

#else
typedef int record_table_empty;
#endif
