// How far the blocks of a step are from another mode, and whether its derivative is to be trusted.
//
// A half-line or a cone that is open closes when its u, less mu |u_T| under the relaxed law, has gone to zero; what presses opens when its impulse has. A cone
// that sticks slips at |lambda_T| = mu lambda_n, and one that slips sticks where |u_T| has gone to zero; a box likewise with its bounds. What the
// solve leaves open is a share of the largest impulse and the largest velocity of the problem: distances are also told in units of that.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/row_block.h"
#include "engine/step/certify.h"
#include "engine/step/yield_internal.h"

const char* ts_step_method_name(ts_step_method method) {
    static const char* const name[] = {"implicit", "difference", "cascade"};
    return (unsigned)method <= TS_STEP_CASCADE ? name[method] : "unknown";
}

const char* ts_step_change_name(ts_step_change change) {
    static const char* const name[] = {"none", "closes", "opens", "slips", "sticks", "is pushed"};
    return (unsigned)change <= TS_CHANGE_PUSHES ? name[change] : "unknown";
}

const char* ts_step_verdict_name(ts_step_verdict verdict) {
    static const char* const name[] = {"regular", "near a change", "rank-deficient", "one-sided", "unsupported"};
    return (unsigned)verdict <= TS_STEP_UNSUPPORTED ? name[verdict] : "unknown";
}

// 1: what is left open at least, as a share: rounding of a solve.
static const double least_open = 1e-12;

// 1: the same of steps as simulations make them, in gaps.
static const double gap_share = 1e-8;

// 1: part of a control's range that counts as its end.
static const double control_edge = 1e-9;

// 1: roundings of a gap within which its kink is the change to speak of.
static const double here = 1e3;

// What a solve leaves open.
typedef struct open_ends {
    double impulse;  // N s
    double speed;    // m/s
} open_ends;

static double largest_of(const double* x, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static open_ends open_ends_of(const ts_sim* sim, const ts_contact_problem* problem, const double* u) {
    double share = fmax(sim->info.unmet, least_open);
    double speed = fmax(largest_of(problem->g, problem->row_count), largest_of(u, problem->row_count));
    return (open_ends){share * largest_of(sim->impulse, problem->row_count), share * fmax(speed, problem->rest_speed)};
}

static double tangent_length(const double* x, int rows) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r)
        if (r != 2) sum += x[r] * x[r];
    return sqrt(sum);
}

// A change at this impulse, or this speed.
static ts_step_block_report at_impulse(ts_contact_mode mode, ts_step_change change, double impulse) {
    return (ts_step_block_report){mode, change, impulse, HUGE_VAL, HUGE_VAL, HUGE_VAL};
}

static ts_step_block_report at_speed(ts_contact_mode mode, ts_step_change change, double speed) {
    return (ts_step_block_report){mode, change, HUGE_VAL, speed, HUGE_VAL, HUGE_VAL};
}

// Which of two modes it is: in one this impulse would be nothing, in the other that speed; what is nearer to nothing, in what a solve leaves open.
static int impulse_is_more(double impulse, double speed, const open_ends* ends) {
    return impulse * ends->speed > speed * ends->impulse;
}

// Of what pushes with lambda and opens with w.
static ts_step_block_report judge_push(double lambda, double w, double h, const open_ends* ends) {
    if (impulse_is_more(lambda, fmax(w, 0.0), ends)) return at_impulse(TS_MODE_STICK, TS_CHANGE_OPENS, lambda);
    ts_step_block_report report = at_speed(TS_MODE_OPEN, TS_CHANGE_CLOSES, fmax(w, 0.0));
    report.gap = h * report.speed;
    return report;
}

static ts_step_block_report judge_cone(const ts_block* block, int relaxed, const double* lambda, const double* u,
                                       double h, const open_ends* ends) {
    double slip = tangent_length(u, block->rows), friction = tangent_length(lambda, block->rows);
    ts_step_block_report normal = judge_push(lambda[2], u[2] - (relaxed ? block->mu * slip : 0.0), h, ends);
    if (normal.mode == TS_MODE_OPEN) return normal;
    if (block->mu == 0.0) {
        normal.mode = TS_MODE_SLIDE;
        return normal;
    }
    double left = block->mu * lambda[2] - friction;
    if (slip > 0.0 && !impulse_is_more(left, slip, ends)) {
        ts_step_block_report slide = at_speed(TS_MODE_SLIDE, TS_CHANGE_STICKS, slip);
        slide.roundings = slip / ends->speed;
        // It may open before it sticks.
        if (lambda[2] / ends->impulse < slide.roundings) {
            slide = normal;
            slide.mode = TS_MODE_SLIDE;
        }
        return slide;
    }
    // The border of the cone is nearer than its tip, along a normal of that border.
    return at_impulse(TS_MODE_STICK, TS_CHANGE_SLIPS, fmax(left, 0.0) / sqrt(1.0 + block->mu * block->mu));
}

static ts_step_block_report judge_box(const ts_block* block, double lambda, double u, const open_ends* ends) {
    double left = fmin(lambda - block->low, block->high - lambda);
    if (block->low == block->high) return at_speed(TS_MODE_SLIDE, TS_CHANGE_NONE, HUGE_VAL);
    if (u != 0.0 && !impulse_is_more(left, fabs(u), ends)) return at_speed(TS_MODE_SLIDE, TS_CHANGE_STICKS, fabs(u));
    return at_impulse(TS_MODE_STICK, TS_CHANGE_SLIPS, fmax(left, 0.0));
}

// m or rad: how far the gap of a block is from a kink of its reference velocity: a gap closes with -gap / h, nothing happens within the slop, what is deeper
// is pushed out.
static double gap_to_kink(const ts_sim* sim, int b, int normal) {
    double reference = ts_sim_storage_of(sim)->reference[sim->problem.block[b].row + normal];
    double h = sim->options.time_step;
    if (reference < 0.0) return -h * reference;
    if (reference > 0.0) return sim->options.baumgarte > 0.0 ? h * reference / sim->options.baumgarte : HUGE_VAL;
    if (!ts_row_is(sim, b, &ts_row_contact)) return 0.0;
    double gap = sim->contact[sim->row_block[b].item].gap;
    return fmin(fabs(gap), fabs(gap + sim->options.slop));
}

// Takes the kink into account where something presses. A step ends with gaps that its solve has left open.
static void judge_kink(const ts_sim* sim, int b, int normal, ts_step_block_report* report) {
    double h = sim->options.time_step, rest = sim->problem.rest_speed, size = 0.0;
    report->gap = gap_to_kink(sim, b, normal);
    if (ts_row_is(sim, b, &ts_row_contact)) size = ts_vec3_norm(sim->contact[sim->row_block[b].item].position);
    double roundings = report->gap / fmax(gap_share * rest * h, DBL_EPSILON * (1.0 + size));
    // How far off is told anyway: another unit, not to be compared with impulses unless it is here.
    if (roundings > here || roundings >= report->roundings) return;
    report->roundings = roundings;
    report->change = TS_CHANGE_PUSHES;
}

// Of one block: an impulse that turns its velocity by less than is left open anyhow is no more than that.
static open_ends open_ends_at(const ts_contact_problem* problem, int b, const open_ends* all) {
    double stiffness = ts_contact_problem_stiffness(problem, b);
    open_ends ends = *all;
    if (stiffness > 0.0) ends.impulse = fmax(ends.impulse, ends.speed / stiffness);
    return ends;
}

static ts_step_block_report judge_block(const ts_sim* sim, const ts_contact_problem* problem, int b, const double* u,
                                        const open_ends* all) {
    const ts_block* block = &problem->block[b];
    open_ends own = open_ends_at(problem, b, all), *ends = &own;
    const double* lambda = sim->impulse + block->row;
    ts_step_block_report report = at_speed(TS_MODE_STICK, TS_CHANGE_NONE, HUGE_VAL);
    if (block->set == TS_SET_CONE)
        report = judge_cone(block, sim->solver->law == TS_LAW_CCP, lambda, u + block->row, problem->time_step, ends);
    else if (block->set == TS_SET_HALF_LINE)
        report = judge_push(lambda[0], u[block->row], problem->time_step, ends);
    else if (block->set == TS_SET_BOX)
        report = judge_box(block, lambda[0], u[block->row], ends);
    double by_impulse = ends->impulse > 0.0 ? report.impulse / ends->impulse : HUGE_VAL;
    double by_speed = ends->speed > 0.0 ? report.speed / ends->speed : HUGE_VAL;
    report.roundings = fmin(by_impulse, by_speed);
    int normal = block->set == TS_SET_CONE ? 2 : block->set == TS_SET_HALF_LINE ? 0 : -1;
    if (normal >= 0 && report.mode != TS_MODE_OPEN) judge_kink(sim, b, normal, &report);
    return report;
}

ts_step_block_report* ts_step_report_blocks(const ts_sim* sim, const ts_contact_problem* problem, const double* u,
                                            ts_arena* arena) {
    ts_step_block_report* report = TS_ARENA_ARRAY(arena, ts_step_block_report, problem->block_count);
    open_ends ends = open_ends_of(sim, problem, u);
    for (int b = 0; report && b < problem->block_count; ++b) report[b] = judge_block(sim, problem, b, u, &ends);
    return report;
}

// Which way a block's reference velocity goes: opening, none, closing. Between them its law has a kink.
static int side_of(const ts_sim* sim, const ts_block* block) {
    int row = block->set == TS_SET_CONE ? 2 : block->set == TS_SET_HALF_LINE ? 0 : -1;
    if (row < 0) return 1;
    double reference = ts_sim_storage_of(sim)->reference[block->row + row];
    return 1 + (reference > 0.0) - (reference < 0.0);
}

void ts_step_report_modes(const ts_sim* sim, const ts_contact_problem* problem, const double* u, int* out_mode) {
    open_ends ends = open_ends_of(sim, problem, u);
    for (int b = 0; b < problem->block_count; ++b)
        out_mode[b] = 3 * (int)judge_block(sim, problem, b, u, &ends).mode + side_of(sim, &problem->block[b]);
}

int ts_step_own_problem(const ts_sim* sim, ts_arena* arena, ts_contact_problem* out, double** out_u) {
    *out = sim->problem;
    double* u = TS_ARENA_ARRAY(arena, double, out->row_count);
    double* R = sim->solver->compliance && out->row_count > 0 ? TS_ARENA_ARRAY(arena, double, out->row_count) : NULL;
    if (!u || arena->failed) return 0;
    if (R) {
        sim->solver->compliance(&sim->problem, sim->solver_settings, R);
        out->R = R;
    }
    if (out->row_count > 0) ts_contact_problem_velocity(out, sim->impulse, u);
    *out_u = u;
    return 1;
}

void ts_step_report_say(ts_step_report* report, ts_step_verdict verdict, const char* text) {
    if (verdict <= report->verdict) return;
    report->verdict = verdict;
    snprintf(report->reason, sizeof report->reason, "%s", text);
}

// 1: how many times further off a change is still near at most, and where contacts are hyperstatic: how they share their load is what the solve left, and may be
// otherwise from one state to the next.
static const double shared_load = 1e6;

// 1: a right-hand side of which more than this is unmet is more than rounding; of what hyperstatic contacts lose in it.
static const double most_mismatch = 1e-11;

static int control_is_at_end(const ts_sim* sim, int i) {
    const ts_limits* limits = &sim->model->actuator[i].control;
    if (!limits->limited) return 0;
    double off = fmin(fabs(sim->ctrl[i] - limits->range[0]), fabs(sim->ctrl[i] - limits->range[1]));
    return off <= control_edge * (limits->range[1] - limits->range[0]);
}

void ts_step_report_controls(const ts_sim* sim, const ts_step_input* input, int count, ts_step_report* report) {
    char text[sizeof report->reason];
    for (int n = 0; n < count; ++n) {
        if (input[n].kind != TS_STEP_BY_CONTROL) continue;
        for (int i = input[n].first; i < input[n].first + input[n].count; ++i) {
            if (!control_is_at_end(sim, i)) continue;
            snprintf(text, sizeof text, "control %d '%.80s' is at the end of its range: its derivative has two sides",
                     i, sim->model->actuator[i].name);
            ts_step_report_say(report, TS_STEP_NEAR_CHANGE, text);
        }
    }
}

void ts_step_report_push(const ts_sim* sim, double nearness, ts_step_report* report) {
    char text[sizeof report->reason];
    double excess = ts_sim_storage_of(sim)->push_excess, share = fmax(sim->info.unmet, least_open);
    double off = fmin(fabs(excess - 1.0), fabs(excess / TS_ABSURD_EXCESS - 1.0));
    double roundings = off / (share * fmin(fmax(report->condition, 1.0), shared_load));
    if (roundings > nearness) return;
    snprintf(text, sizeof text,
             "push-outs ask for %.12g times what they may: beyond 1 they are slowed down, beyond %d they give way",
             excess, (int)TS_ABSURD_EXCESS);
    ts_step_report_say(report, roundings <= 1.0 ? TS_STEP_ONE_SIDED : TS_STEP_NEAR_CHANGE, text);
}

const char* ts_step_column_verdict_name(ts_step_column_verdict verdict) {
    static const char* const name[] = {"exact", "difference", "one-sided", "useless"};
    return (unsigned)verdict <= TS_COLUMN_USELESS ? name[verdict] : "unknown";
}

// Where an input has but one side. A bounce that there is none of yet jumps with the restitution that it would have.
static ts_step_column_verdict judge_column(const ts_sim* sim, ts_step_input_kind kind, int i,
                                           ts_step_column_verdict verdict) {
    const ts_options* options = &sim->options;
    int ends =
        (kind == TS_STEP_BY_CONTROL && control_is_at_end(sim, i)) ||
        (kind == TS_STEP_BY_COMPLIANCE && !((i == 0 ? options->compliance_normal : options->compliance_tangent) > 0.0));
    if (kind == TS_STEP_BY_RESTITUTION && verdict == TS_COLUMN_DIFFERENCE) {
        ends = 1;
        for (int c = 0; c < sim->contact_count; ++c) {
            const ts_contact* contact = &sim->contact[c];
            if (contact->geom_a != i && contact->geom_b != i) continue;
            if (contact->surface.restitution == 0.0 &&
                -contact->velocity_before.z > ts_contact_bounce_threshold(options))
                return TS_COLUMN_USELESS;
        }
    }
    return ends && verdict < TS_COLUMN_ONE_SIDED ? TS_COLUMN_ONE_SIDED : verdict;
}

void ts_step_report_columns(const ts_sim* sim, const ts_step_input* input, int count, unsigned char* verdict,
                            ts_step_report* report) {
    report->column_verdict = verdict;
    const unsigned char* changed = report->column_changed;
    for (int n = 0, c = 0; n < count; ++n) {
        ts_step_input_kind kind = input[n].kind;
        int worst = report->input_verdict[kind];
        int may_end = kind == TS_STEP_BY_CONTROL || kind == TS_STEP_BY_COMPLIANCE || kind == TS_STEP_BY_RESTITUTION;
        for (int i = input[n].first; i < input[n].first + input[n].count; ++i, ++c) {
            if (changed && changed[c]) verdict[c] = TS_COLUMN_USELESS;
            if (may_end) verdict[c] = (unsigned char)judge_column(sim, kind, i, (ts_step_column_verdict)verdict[c]);
            if (verdict[c] > worst) worst = verdict[c];
        }
        report->input_verdict[kind] = (unsigned char)worst;
    }
}

void ts_step_report_judge(const ts_sim* sim, double nearness, ts_step_report* report) {
    char text[sizeof report->reason], whose[120];
    nearness *= report->rank < report->unknowns ? shared_load : fmin(fmax(report->condition, 1.0), shared_load);
    report->nearest = -1;
    for (int b = 0; b < report->block_count; ++b) {
        double roundings = report->block[b].roundings;
        if (!isfinite(roundings)) continue;
        if (report->nearest < 0 || roundings < report->block[report->nearest].roundings) report->nearest = b;
    }
    if (report->mismatch > most_mismatch) {
        snprintf(text, sizeof text,
                 "contacts are hyperstatic, and %.2g of a change depends on how they share their load or cannot be met",
                 report->mismatch);
        ts_step_report_say(report, TS_STEP_RANK_DEFICIENT, text);
    }
    if (report->nearest < 0 || report->block[report->nearest].roundings > nearness) return;
    const ts_step_block_report* nearest = &report->block[report->nearest];
    ts_certify_describe(sim, report->nearest, whose, sizeof whose);
    int gap = nearest->change == TS_CHANGE_PUSHES, impulse = !gap && isfinite(nearest->impulse);
    snprintf(text, sizeof text, "%s %s at %.2g %s from here", whose, ts_step_change_name(nearest->change),
             gap       ? nearest->gap
             : impulse ? nearest->impulse
                       : nearest->speed,
             gap       ? "m or rad"
             : impulse ? "N s"
                       : "m/s");
    ts_step_report_say(report, nearest->roundings <= 1.0 ? TS_STEP_ONE_SIDED : TS_STEP_NEAR_CHANGE, text);
}
