// Statistics over a run, in constant memory except for the step times (their median needs them all).
#include "cli/report/stats_internal.h"

#include "engine/step/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Enough for an hour of simulation at 1 ms; later steps do not enter the median.
enum { MOST_TIMES = 1 << 22 };

// 1: of the most kinetic energy there was; a rise of the sum by more than that is no error of integration any more.
static const double unexplained_part = 0.05;

// 1: of the potential energy, which what rests gains and loses by the solver's tolerance.
static const double noise_part = 1e-5;

static double larger(double a, double b) { return b > a ? b : a; }

// 1: of the speed that gravity gives in a step; slower contacts say nothing about the direction of friction.
static const double sliding_part = 0.1;

double ts_contact_motion_askew(const ts_contact_motion* motion) {
    return motion->across > 0.0 ? atan2(motion->across, motion->against) : 0.0;
}

// The normal velocity that time stepping asks of a contact that pushes: a gap may close within the step, a penetration
// beyond the slop is pushed out. Contacts that may bounce are left out by the caller.
static double allowed_opening(const ts_contact* contact, const ts_options* options) {
    if (contact->gap > 0.0) return -contact->gap / options->time_step;
    double depth = -contact->gap - options->slop;
    double push = depth > 0.0 ? options->baumgarte * depth / options->time_step : 0.0;
    return push < options->push_out_speed ? push : options->push_out_speed;
}

ts_contact_motion ts_stats_contact_motion(const ts_sim* sim) {
    ts_contact_motion motion;
    double sliding_speed = sliding_part * sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    memset(&motion, 0, sizeof motion);
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        double impulse = contact.impulse.z;
        if (contact.asleep) continue;
        if (!(impulse > 0.0) || (contact.surface.restitution > 0.0 && contact.velocity_before.z < 0.0)) continue;
        double slip = hypot(contact.velocity.x, contact.velocity.y);
        motion.impulse += impulse;
        motion.opening += impulse * (contact.velocity.z - allowed_opening(&contact, &sim->options));
        motion.slip += impulse * slip;
        motion.cone += impulse * contact.surface.friction * slip;
        if (slip < sliding_speed || !(contact.surface.friction > 0.0)) continue;
        ts_vec3 l = contact.impulse, u = contact.velocity;
        motion.across += fabs(l.x * u.y - l.y * u.x);
        motion.against -= l.x * u.x + l.y * u.y;
    }
    if (motion.impulse > 0.0) {
        motion.opening /= motion.impulse;
        motion.slip /= motion.impulse;
        motion.cone /= motion.impulse;
    }
    return motion;
}

// J that contacts put into the bodies in this step: impulses times the mean of the velocities before and after, of the bodies and not of
// surfaces that run on them.
static double work_of_contacts(const ts_sim* sim) {
    double work = 0.0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        if (contact.asleep) continue;
        ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(contact.velocity_before, contact.velocity));
        middle.x -= ts_sim_contact_rare(sim, i)->drift.x;
        middle.y -= ts_sim_contact_rare(sim, i)->drift.y;
        work += ts_vec3_dot(contact.impulse, middle);
    }
    return work;
}

// J that rows of joints and ties put in at most where they pull something back into place: impulses times the speeds that they ask for.
static double work_of_mending(const ts_sim* sim) {
    const ts_contact_problem* problem = &sim->problem;
    int contact = ts_row_source_find("contact");
    double work = 0.0;
    for (int b = 0; problem->push_out && b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        for (int r = block->row; sim->row_block[b].source != contact && r < block->row + block->rows; ++r)
            work += larger(sim->impulse[r] * problem->push_out[r], 0.0);
    }
    return work;
}

static int acts_from_outside(const ts_sim* sim) {
    for (int d = 0; d < sim->model->nv; ++d)
        if (sim->force_applied[d] != 0.0) return 1;
    for (int i = 0; i < sim->model->actuator_count; ++i)
        if (sim->actuator_force[i] != 0.0) return 1;
    for (int b = 0; b < sim->model->body_count; ++b)
        if (ts_vec3_norm(sim->wrench_applied[b].force) + ts_vec3_norm(sim->wrench_applied[b].couple) > 0.0) return 1;
    return 0;
}

// What rises in a step and was not put in by contacts, nor by what mends joints and ties, came from the integration of motion; what dampers and
// other rows take out hides some of it.
static void watch_energy(ts_stats* stats, const ts_sim* sim, ts_energy energy, double rise) {
    double work = work_of_contacts(sim);
    stats->is_driven |= acts_from_outside(sim);
    stats->kinetic_most = larger(stats->kinetic_most, energy.kinetic);
    if (stats->steps == 1) {
        double speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
        stats->fall = ts_model_total_mass(sim->model) * speed * speed;
    }
    if (work > 0.0) stats->contact_work += work;
    stats->drift += rise - work - work_of_mending(sim);
    stats->drift_most = larger(stats->drift_most, stats->drift);
    if (stats->drift_time == 0.0 && ts_stats_energy_alarm(stats)) stats->drift_time = sim->time;
}

static void note_left_out(ts_stats* stats, const ts_sim* sim) {
    int seen[3] = {0, 0, 0};
    for (int b = 0; b < sim->problem.block_count; ++b) {
        int k = sim->row_block[b].blocked - 1;
        if (k < 0 || seen[k]++ > 0 || stats->blocked_steps[k]++ > 0) continue;
        ts_certify_describe(sim, b, stats->blocked[k], sizeof stats->blocked[k]);
    }
}

static void add_step(ts_stats* stats, const ts_sim* sim, ts_energy energy) {
    const ts_step_info* info = &sim->info;
    double h = sim->options.time_step / sim->options.substeps;
    stats->steps++;
    stats->status_count[info->solve.status & 3]++;
    stats->stage_count[info->solve.stage < TS_STATS_STAGES ? info->solve.stage : TS_STATS_STAGES]++;
    stats->iterations_sum += info->solve.iterations;
    if (info->solve.iterations > stats->iterations_most) stats->iterations_most = info->solve.iterations;
    if (sim->contact_count > stats->contacts_most) stats->contacts_most = sim->contact_count;
    stats->narrow_failures += info->narrow_failures;
    stats->unsolved_rotations += info->unsolved_rotations;
    stats->held_back_steps += info->held_back > 0;
    if (info->blocked > 0) note_left_out(stats, sim);
    stats->worst_penetration = larger(stats->worst_penetration, info->worst_penetration);
    stats->worst_natural = larger(stats->worst_natural, info->residual.natural);
    stats->worst_unmet = larger(stats->worst_unmet, info->unmet);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        stats->worst_figure[f] = larger(stats->worst_figure[f], ts_figure_of(&info->residual, (ts_figure)f, h));
    double rise = energy.kinetic + energy.potential - stats->energy_last.kinetic - stats->energy_last.potential;
    if (rise > 0.0) stats->energy_gained += rise;
    watch_energy(stats, sim, energy, rise);
    ts_contact_motion motion = ts_stats_contact_motion(sim);
    stats->impulse_sum += motion.impulse;
    stats->opening_sum += motion.impulse * motion.opening;
    stats->slip_sum += motion.impulse * motion.slip;
    stats->cone_sum += motion.impulse * motion.cone;
    // Where the solve did not end, friction says nothing about the law.
    if (info->solve.status == TS_SOLVE_CONVERGED) {
        stats->across_sum += motion.across;
        stats->against_sum += motion.against;
    }
    if (stats->seconds.count < MOST_TIMES) ts_number_array_push(&stats->seconds, info->seconds_total);
}

// Options give the solver a limit, and a setting of its own has the last word.
static void note_limit(ts_stats* stats, const ts_sim* sim) {
    ts_solver_settings set, own;
    memcpy(&set, sim->solver_settings, sizeof set);
    memcpy(&own, sim->solver->defaults, sizeof own);
    int is_given = sim->options.iterations > 0 || set.iteration_limit != own.iteration_limit;
    stats->limit = is_given ? set.iteration_limit : 0;
    stats->limit_of_scene = set.iteration_limit == sim->model->options.iterations;
}

ts_energy ts_stats_add(ts_stats* stats, ts_sim* sim) {
    ts_energy energy = ts_sim_energy(sim);
    double sum = energy.kinetic + energy.potential;
    if (stats->started) {
        add_step(stats, sim, energy);
        stats->energy_highest = larger(stats->energy_highest, sum);
    } else {
        stats->started = 1;
        note_limit(stats, sim);
        stats->energy_first = energy;
        stats->energy_highest = sum;
    }
    stats->energy_last = energy;
    stats->time_last = sim->time;
    return energy;
}

long long ts_stats_unconverged(const ts_stats* stats) { return stats->steps - stats->status_count[TS_SOLVE_CONVERGED]; }

double ts_stats_iterations_mean(const ts_stats* stats) {
    return stats->steps > 0 ? stats->iterations_sum / (double)stats->steps : 0.0;
}

static int compare_numbers(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

double ts_stats_seconds_median(const ts_stats* stats) {
    int count = stats->seconds.count;
    if (count == 0) return 0.0;
    double* sorted = (double*)malloc((size_t)count * sizeof *sorted);
    if (!sorted) return 0.0;
    memcpy(sorted, stats->seconds.data, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    double median = count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
    free(sorted);
    return median;
}

void ts_stats_statuses(const ts_stats* stats, ts_text* text) {
    const char* comma = "";
    for (int i = 0; i < 4; ++i) {
        if (stats->status_count[i] == 0) continue;
        ts_text_add(text, "%s%lld %s", comma, stats->status_count[i], ts_solve_status_name((ts_solve_status)i));
        comma = ", ";
    }
    if (!comma[0]) ts_text_add(text, "none");
}

void ts_stats_stages(const ts_stats* stats, const ts_solver* solver, ts_text* text) {
    const char* before = "  stages       ";
    for (int k = 1; k <= TS_STATS_STAGES; ++k) {
        if (stats->stage_count[k] == 0) continue;
        ts_text_add(text, "%s%lld %s", before, stats->stage_count[k], ts_solver_stage_name(solver, k));
        before = ", ";
    }
    if (before[0] == ',') ts_text_add(text, "\n");
}

int ts_stats_energy_alarm(const ts_stats* stats) {
    double most = stats->kinetic_most + noise_part * fabs(stats->energy_first.potential);
    return !stats->is_driven && stats->drift_most > larger(unexplained_part * most, stats->fall);
}

void ts_stats_alarm(const ts_stats* stats, ts_text* text) {
    if (!ts_stats_energy_alarm(stats)) return;
    ts_text_add(text, "energy rose by ");
    ts_stats_add_quantity(text, stats->drift_most, "J");
    ts_text_add(text, " without a cause, in the integration of motion (from t = %.4g s)", stats->drift_time);
}

void ts_stats_limit(const ts_stats* stats, ts_text* text) {
    long long stopped = stats->status_count[TS_SOLVE_ITERATION_LIMIT];
    if (stopped > 0 && stats->limit > 0)
        ts_text_add(text, "stopped by the %s limit of %d iterations in %lld of %lld steps: not solved",
                    stats->limit_of_scene ? "scene's" : "given", stats->limit, stopped, stats->steps);
}

void ts_stats_left_out(const ts_stats* stats, const char* before, const char* after, ts_text* text) {
    static const char* const how[3][2] = {
        {"joints block what a contact or row asks for", "left out"},
        {"contacts or rows ask to be pushed out in ways that contradict each other", "left out"},
        {"what is to be pushed out or pulled together would take absurd speeds elsewhere", "done more slowly"}};
    for (int k = 0; k < 3; ++k)
        if (stats->blocked_steps[k] > 0)
            ts_text_add(text, "%sIn %lld of %lld steps %s (first %s): %s.%s", before, stats->blocked_steps[k],
                        stats->steps, how[k][0], stats->blocked[k], how[k][1], after);
}

void ts_stats_verdicts(const ts_stats* stats, ts_text* text) {
    ts_text_add(text, "  own law      obeyed to %.1e, at worst: the share of it that is unmet\n", stats->worst_unmet);
    ts_text_add(text, "  exact law    obeyed to %.1e against rigid contact; at worst\n              ",
                stats->worst_natural);
    const char* comma = "";
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) {
        const ts_figure_kind* kind = ts_figure_kind_of((ts_figure)f);
        ts_text_add(text, "%s %s ", comma, kind->name);
        if (strcmp(kind->unit, "deg") == 0)
            ts_text_add(text, "%.3g deg", stats->worst_figure[f]);
        else
            ts_stats_add_quantity(text, stats->worst_figure[f], kind->unit);
        comma = ",";
    }
    ts_text_add(text, "\n");
}

// How many kinematic trees there are of each reason.
static void count_sleep(const ts_sim* sim, int out_count[TS_SLEEP_REASON_COUNT]) {
    memset(out_count, 0, TS_SLEEP_REASON_COUNT * sizeof(int));
    for (int t = 0; t < sim->model->tree_count; ++t) ++out_count[ts_sim_sleep(sim, sim->model->tree[t].root).reason];
}

void ts_stats_sleep(const ts_sim* sim, ts_text* text) {
    int count[TS_SLEEP_REASON_COUNT], trees = sim->model->tree_count;
    char words[320];
    if (!(sim->options.sleep > 0.0) || trees == 0) return;
    count_sleep(sim, count);
    ts_text_add(text, "  sleep        %d of %d kinematic trees at the end", count[TS_SLEEP_ASLEEP], trees);
    const char* comma = "; awake: ";
    for (int r = TS_SLEEP_OFF; r < TS_SLEEP_REASON_COUNT; ++r) {
        if (count[r] == 0) continue;
        ts_text_add(text, "%s%d %s", comma, count[r], ts_sleep_reason_name((ts_sleep_reason)r));
        comma = ", ";
    }
    ts_text_add(text, "\n");
    for (int t = 0; t < trees; ++t) {
        int root = sim->model->tree[t].root;
        if (ts_sim_sleep(sim, root).reason == TS_SLEEP_ASLEEP) continue;
        ts_sim_sleep_text(sim, root, words, sizeof words);
        ts_text_add(text, "               the first that is awake, body %d '%s': %s\n", root,
                    sim->model->body[root].name, words);
        return;
    }
}

void ts_stats_sleep_json(const ts_sim* sim, ts_json* json) {
    enum { BODIES = 100 };
    int count[TS_SLEEP_REASON_COUNT], listed = 0;
    char words[320];
    count_sleep(sim, count);
    ts_json_add_object(json, "sleep");
    ts_json_add_integer(json, "trees", sim->model->tree_count);
    ts_json_add_integer(json, "asleep", count[TS_SLEEP_ASLEEP]);
    ts_json_add_object(json, "awake");
    for (int r = TS_SLEEP_OFF; r < TS_SLEEP_REASON_COUNT; ++r)
        if (count[r] > 0) ts_json_add_integer(json, ts_sleep_reason_name((ts_sleep_reason)r), count[r]);
    ts_json_object_end(json);
    ts_json_add_array(json, "bodies_awake");
    for (int t = 0; t < sim->model->tree_count && listed < BODIES && sim->options.sleep > 0.0; ++t) {
        int root = sim->model->tree[t].root;
        ts_sleep_state state = ts_sim_sleep(sim, root);
        if (state.reason == TS_SLEEP_ASLEEP) continue;
        ts_sim_sleep_text(sim, root, words, sizeof words);
        ts_json_object(json);
        ts_json_add_integer(json, "number", root);
        ts_json_add_string(json, "body", sim->model->body[root].name);
        ts_json_add_string(json, "reason", ts_sleep_reason_name(state.reason));
        ts_json_add_string(json, "woken_by", state.cause == TS_SLEEP_NONE ? NULL : ts_sleep_reason_name(state.cause));
        ts_json_add_string(json, "why", words);
        ts_json_object_end(json);
        ++listed;
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_stats_json(const ts_stats* stats, const ts_solver* solver, ts_json* json) {
    static const char* const status_keys[4] = {"converged", "stalled", "iteration_limit", "failed"};
    ts_json_add_integer(json, "steps", stats->steps);
    ts_json_add_number(json, "time", stats->time_last);
    ts_json_add_object(json, "solves");
    for (int i = 0; i < 4; ++i) ts_json_add_integer(json, status_keys[i], stats->status_count[i]);
    ts_json_object_end(json);
    ts_json_add_object(json, "stages");
    for (int k = 1; k <= TS_STATS_STAGES; ++k)
        if (stats->stage_count[k] > 0)
            ts_json_add_integer(json, ts_solver_stage_name(solver, k), stats->stage_count[k]);
    ts_json_object_end(json);
    ts_json_add_integer(json, "steps_not_converged", ts_stats_unconverged(stats));
    ts_json_add_integer(json, "iteration_limit_set", stats->limit);
    ts_json_add_number(json, "iterations_mean", ts_stats_iterations_mean(stats));
    ts_json_add_integer(json, "iterations_max", stats->iterations_most);
    ts_json_add_number(json, "residual_natural_max", stats->worst_natural);
    ts_json_add_number(json, "own_unmet_max", stats->worst_unmet);
    ts_json_add_object(json, "figures_max");
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        ts_json_add_number(json, ts_figure_kind_of((ts_figure)f)->key, stats->worst_figure[f]);
    ts_json_object_end(json);
    ts_json_add_integer(json, "contacts_max", stats->contacts_most);
    ts_json_add_number(json, "penetration_max", stats->worst_penetration);
    ts_json_add_integer(json, "narrow_failures", stats->narrow_failures);
    ts_json_add_integer(json, "unsolved_rotations", stats->unsolved_rotations);
    ts_json_add_integer(json, "held_back_steps", stats->held_back_steps);
    ts_json_add_integer(json, "blocked_steps", stats->blocked_steps[0]);
    ts_json_add_string(json, "blocked_first", stats->blocked_steps[0] > 0 ? stats->blocked[0] : NULL);
    ts_json_add_integer(json, "contradicted_steps", stats->blocked_steps[1]);
    ts_json_add_string(json, "contradicted_first", stats->blocked_steps[1] > 0 ? stats->blocked[1] : NULL);
    ts_json_add_integer(json, "slowed_steps", stats->blocked_steps[2]);
    ts_json_add_string(json, "slowed_first", stats->blocked_steps[2] > 0 ? stats->blocked[2] : NULL);
    ts_json_add_number(json, "energy_start", stats->energy_first.kinetic + stats->energy_first.potential);
    ts_json_add_number(json, "energy_end", stats->energy_last.kinetic + stats->energy_last.potential);
    ts_json_add_number(json, "kinetic_energy_end", stats->energy_last.kinetic);
    ts_json_add_number(json, "potential_energy_end", stats->energy_last.potential);
    ts_json_add_number(json, "energy_gained", stats->energy_gained);
    ts_json_add_number(json, "energy_by_contacts", stats->contact_work);
    ts_json_add_number(json, "energy_unexplained", stats->drift_most);
    ts_json_add_bool(json, "energy_alarm", ts_stats_energy_alarm(stats));
    ts_json_add_number(json, "step_microseconds_median", 1e6 * ts_stats_seconds_median(stats));
}

void ts_stats_free(ts_stats* stats) {
    ts_number_array_free(&stats->seconds);
    memset(stats, 0, sizeof *stats);
}

void ts_stats_add_quantity(ts_text* text, double value, const char* unit) {
    static const struct {
        double scale;
        const char* prefix;
    } prefixes[] = {{1e9, "n"}, {1e6, "\xC2\xB5"}, {1e3, "m"}, {1.0, ""}, {1e-3, "k"}, {1e-6, "M"}, {1e-9, "G"}};
    double magnitude = fabs(value);
    if (magnitude == 0.0) value = 0.0;  // no "-0"
    if (!isfinite(value) || magnitude == 0.0 || magnitude < 0.9995e-9 || magnitude >= 0.9995e12) {
        ts_text_add(text, "%.3g %s", value, unit);
        return;
    }
    // The threshold leaves room for rounding: 999.96 um is 1 mm with three digits.
    size_t i = 0;
    size_t count = sizeof prefixes / sizeof prefixes[0];
    while (i + 1 < count && magnitude * prefixes[i].scale >= 999.5) ++i;
    double scaled = value * prefixes[i].scale;
    int decimals = fabs(scaled) >= 99.95 ? 0 : (fabs(scaled) >= 9.995 ? 1 : 2);
    ts_text_add(text, "%.*f %s%s", decimals, scaled, prefixes[i].prefix, unit);
}
