// Measuring how runs depart from the reference, and saying it.
//
// Runs are compared sample by sample at equal times. Nothing is large or small by itself: a departure is worth a word when it exceeds
// 0.2 % of the reference's path, or 3e-5 of the body's size where that is more (10 um for a cube of 0.2 m): below that lie time stepping
// and solver tolerances. One of energy, when it exceeds 2 % of the range of the reference's energy and what lifts the scene by such a
// departure. A speed, when gravity needs more than a tenth of a step to make it. Friction that points the wrong way, when the work it
// could have done is worth a word as an energy.
#include "cli/report/findings_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/model/options.h"

static const double noise_of_path = 2e-3;
static const double noise_of_size = 3e-5;
static const double speed_part = 0.1;  // of what gravity gives in a step
static const double level_part =
    0.1;  // of a path or speed: what is less across than this goes up and down, nowhere else
static const double energy_part = 0.02;
static const double visible_turn = 2e-3;     // rad: a tenth of a degree
static const double unsound_natural = 1e-3;  // natural map: a thousandth of a force is missing
#define DEGREES (180.0 / TS_PI)

static ts_vec3 horizontal(ts_vec3 v, ts_vec3 up) { return ts_vec3_add_scaled(v, -ts_vec3_dot(v, up), up); }

static void choose_direction(const ts_series* reference, ts_frame_of_reference* frame) {
    const ts_sample* sample = reference->sample.data;
    int last = reference->sample.count - 1;
    for (int i = 1; i <= last; ++i) frame->length += ts_vec3_distance(sample[i].position, sample[i - 1].position);
    frame->noise = fmax(noise_of_path * frame->length, noise_of_size * frame->size);
    ts_vec3 start = horizontal(sample[0].velocity, frame->up);
    ts_vec3 way = horizontal(ts_vec3_sub(sample[last].position, sample[0].position), frame->up);
    ts_vec3 forward = ts_vec3_zero();
    if (ts_vec3_norm(start) > fmax(frame->speed, level_part * ts_vec3_norm(sample[0].velocity)))
        forward = start;
    else if (ts_vec3_norm(way) > fmax(10.0 * frame->noise, level_part * frame->length))
        forward = way;
    frame->has_direction = ts_vec3_norm(forward) > 0.0;
    ts_vec3 fallback = horizontal(fabs(frame->up.x) < 0.9 ? ts_vec3_axis(0) : ts_vec3_axis(1), frame->up);
    frame->forward = ts_vec3_unit_or(forward, ts_vec3_unit_or(fallback, ts_vec3_axis(0)));
    frame->left = ts_vec3_cross(frame->up, frame->forward);
}

// The solver that everything has by default is the one that is trusted most.
static int is_default(const ts_series* series) { return strcmp(series->solver, ts_options_default().solver) == 0; }

// Whether a is nearer to being right than b: of the exact law, converged in every step, the default, or else less unmet.
static int is_sounder(const ts_series* a, const ts_series* b) {
    int exact[2] = {a->law == TS_LAW_NCP, b->law == TS_LAW_NCP};
    int converged[2] = {ts_stats_unconverged(&a->stats) == 0, ts_stats_unconverged(&b->stats) == 0};
    if (exact[0] != exact[1]) return exact[0];
    if (exact[0] && converged[0] != converged[1]) return converged[0];
    if (exact[0] && converged[0]) return is_default(a) && !is_default(b);
    return a->stats.worst_natural < b->stats.worst_natural;
}

// The soundest of the runs that reached their end, the first where several are.
static int choose_reference(const ts_series* series, int count) {
    int best = -1;
    for (int i = 0; i < count; ++i) {
        if (series[i].code != TS_OK || series[i].sample.count == 0) continue;
        if (best < 0 || is_sounder(&series[i], &series[best])) best = i;
    }
    return best;
}

ts_frame_of_reference ts_findings_frame(const ts_series* series, int count, const ts_scene_scale* scale) {
    ts_frame_of_reference frame;
    double g = ts_vec3_norm(scale->gravity);
    memset(&frame, 0, sizeof frame);
    frame.up = ts_vec3_unit_or(ts_vec3_neg(scale->gravity), ts_vec3_axis(2));
    frame.size = scale->size;
    frame.weight = scale->mass * g;
    frame.on_floor = scale->on_floor;
    // Without gravity: what crosses no more than a departure in the whole time.
    frame.speed = fmax(speed_part * g * scale->time_step,
                       scale->duration > 0.0 ? noise_of_size * scale->size / scale->duration : 0.0);
    frame.forward = ts_vec3_axis(0);
    frame.left = ts_vec3_axis(1);
    frame.reference = choose_reference(series, count);
    if (frame.reference < 0) return frame;
    const ts_series* reference = &series[frame.reference];
    frame.exact = reference->law == TS_LAW_NCP;
    choose_direction(reference, &frame);
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int i = 0; i < reference->sample.count; ++i) {
        double energy = reference->sample.data[i].kinetic + reference->sample.data[i].potential;
        low = fmin(low, energy);
        high = fmax(high, energy);
    }
    frame.energy = fmax(energy_part * (high - low), frame.weight * frame.noise);
    return frame;
}

static void compare_sample(const ts_sample* a, const ts_sample* b, const ts_frame_of_reference* frame,
                           ts_finding* out) {
    ts_vec3 apart = ts_vec3_sub(a->position, b->position);
    double side = ts_vec3_dot(apart, frame->left);
    double height = ts_vec3_dot(apart, frame->up);
    double away = ts_vec3_norm(apart);
    double energy = a->kinetic + a->potential - b->kinetic - b->potential;
    out->along = ts_vec3_dot(apart, frame->forward);
    out->side = side;
    if (fabs(side) > fabs(out->side_most)) out->side_most = side;
    if (height > out->rise_most) {
        out->rise_most = height;
        out->rise_time = a->time;
    }
    if (-height > out->sink_most) {
        out->sink_most = -height;
        out->sink_time = a->time;
    }
    if (away > out->away_most) {
        out->away_most = away;
        out->away_time = a->time;
    }
    if (energy > out->energy_more) {
        out->energy_more = energy;
        out->energy_more_time = a->time;
    }
    if (-energy > out->energy_less) {
        out->energy_less = -energy;
        out->energy_less_time = a->time;
    }
    ts_vec3 turn = ts_quat_to_rotation_vector(ts_quat_mul(ts_quat_conjugate(b->rotation), a->rotation));
    out->turn = ts_vec3_norm(turn);
}

ts_finding ts_findings_measure(const ts_series* series, const ts_frame_of_reference* frame, int index) {
    const ts_series* self = &series[index];
    ts_finding finding;
    memset(&finding, 0, sizeof finding);
    finding.is_reference = index == frame->reference;
    finding.reached_end = self->code == TS_OK;
    const ts_stats* stats = &self->stats;
    if (stats->impulse_sum > 0.0) finding.opening = stats->opening_sum / stats->impulse_sum;
    int slips = stats->impulse_sum > 0.0 && stats->cone_sum / stats->impulse_sum > frame->speed;
    finding.opening_part = slips ? stats->opening_sum / stats->cone_sum : (double)NAN;
    if (stats->across_sum > 0.0) finding.slip_angle = atan2(stats->across_sum, stats->against_sum);
    finding.slip_across = stats->across_sum;
    for (int i = 0; i < self->sample.count; ++i) {
        const ts_sample* sample = &self->sample.data[i];
        double climb = ts_vec3_dot(ts_vec3_sub(sample->position, self->sample.data[0].position), frame->up);
        finding.inner_friction = fmax(finding.inner_friction, sample->inner_friction);
        finding.climb_most = fmax(finding.climb_most, climb);
    }
    if (frame->reference < 0) return finding;
    const ts_series* reference = &series[frame->reference];
    for (int i = 0; i < self->sample.count && i < reference->sample.count; ++i)
        if (self->sample.data[i].step == reference->sample.data[i].step)
            compare_sample(&self->sample.data[i], &reference->sample.data[i], frame, &finding);
    return finding;
}

// rad: orientations that differ by less are called equal.
static const double same_turn = 1e-3;

// Whether two runs cannot be told apart.
static int is_same(const ts_series* a, const ts_series* b, const ts_frame_of_reference* frame) {
    if (a->code != b->code || a->sample.count != b->sample.count || (a->law == TS_LAW_NCP) != (b->law == TS_LAW_NCP))
        return 0;
    for (int i = 0; i < a->sample.count; ++i) {
        const ts_sample *x = &a->sample.data[i], *y = &b->sample.data[i];
        double energy = x->kinetic + x->potential - y->kinetic - y->potential;
        ts_quat turn = ts_quat_mul(ts_quat_conjugate(x->rotation), y->rotation);
        if (x->step != y->step || !(ts_vec3_distance(x->position, y->position) <= 0.1 * frame->noise)) return 0;
        if (!(fabs(energy) <= 0.5 * frame->energy)) return 0;
        if (a->focus >= 0 && !(ts_vec3_norm(ts_quat_to_rotation_vector(turn)) <= same_turn)) return 0;
    }
    return 1;
}

int ts_findings_group(const ts_series* series, const ts_frame_of_reference* frame, int count, ts_finding* findings) {
    int groups = 0;
    for (int i = 0; i < count; ++i) {
        int other = 0;
        while (other < i && !(frame->reference >= 0 && is_same(&series[i], &series[other], frame))) ++other;
        findings[i].group = other < i ? findings[other].group : groups++;
    }
    // That of the reference comes first.
    int own = frame->reference >= 0 ? findings[frame->reference].group : 0;
    for (int i = 0; i < count; ++i) {
        int group = findings[i].group;
        findings[i].group = group == own ? 0 : group < own ? group + 1 : group;
    }
    return groups;
}

// --- words -----------------------------------------------------------------------------------------------------------

static void quantity(ts_text* text, const char* before, double value, const char* unit, const char* after) {
    ts_text_add(text, "%s", before);
    ts_stats_add_quantity(text, value, unit);
    ts_text_add(text, "%s", after);
}

static void words_about_end(const ts_series* self, ts_text* text) {
    if (self->code == TS_ERROR_INTERRUPTED)
        ts_text_add(text, "Stopped at t = %.4g s by the user. ", self->stats.time_last);
    else if (self->code)
        ts_text_add(text, "%s: %s. ", self->code == TS_ERROR_NUMERIC ? "Blew up" : "Ended early", self->status.message);
}

// Whether the body in focus ends turned so much against that of the reference that its skin departs.
static int is_turned(const ts_frame_of_reference* frame, const ts_finding* finding) {
    return finding->turn > visible_turn && 0.5 * frame->size * finding->turn > frame->noise;
}

// Returns nonzero when there was something to say.
static int words_about_motion(const ts_frame_of_reference* frame, const ts_finding* finding, ts_text* text) {
    double noise = frame->noise;
    size_t before = text->length;
    if (finding->rise_most > noise) {
        int lifts = frame->on_floor && finding->climb_most > 0.5 * finding->rise_most;
        quantity(text, lifts ? "Lifts off: up to " : "Is up to ", finding->rise_most, "m",
                 " higher than the reference");
        ts_text_add(text, " (at t = %.3g s). ", finding->rise_time);
    }
    if (finding->sink_most > noise) {
        quantity(text, "Is up to ", finding->sink_most, "m", " lower than the reference");
        ts_text_add(text, " (at t = %.3g s). ", finding->sink_time);
    }
    // Said of what is not above or below alone.
    double vertical = fmax(finding->rise_most, finding->sink_most);
    if (!frame->has_direction && finding->away_most > fmax(noise, (1.0 + level_part) * vertical)) {
        quantity(text, "Moves up to ", finding->away_most, "m", " away from where the reference is");
        ts_text_add(text, " (at t = %.3g s). ", finding->away_time);
    }
    if (frame->has_direction && fabs(finding->side_most) > noise) {
        quantity(text, "Drifts ", fabs(finding->side_most), "m", " sideways, to the ");
        ts_text_add(text, "%s. ", finding->side_most > 0.0 ? "left" : "right");
    }
    if (frame->has_direction && finding->reached_end && fabs(finding->along) > noise)
        quantity(text, "Ends ", fabs(finding->along), "m",
                 finding->along > 0.0 ? " farther along than the reference. " : " short of the reference. ");
    if (finding->reached_end && is_turned(frame, finding))
        ts_text_add(text, "Ends turned by %.3g\xC2\xB0 against the reference. ", finding->turn * DEGREES);
    return text->length > before;
}

// `moves_alike`: what the contacts do wrong shows nowhere in the motion.
static void words_about_contact(const ts_frame_of_reference* frame, const ts_finding* finding, int moves_alike,
                                ts_text* text) {
    if (isfinite(finding->opening_part) && finding->opening_part > 0.02 && finding->opening > frame->speed) {
        quantity(text, "Its contacts push while they open, at ", finding->opening, "m/s", " on average");
        if (fabs(finding->opening_part - 1.0) < 0.1)
            ts_text_add(text,
                        ": normal velocity equals \xCE\xBC times slip speed (factor %.3f), the mark of the convex "
                        "relaxation; the exact law says 0. ",
                        finding->opening_part);
        else
            ts_text_add(text, ", %.2g of \xCE\xBC times slip speed; the exact law says 0. ", finding->opening_part);
    }
    if (finding->slip_angle * DEGREES > 0.5 && finding->slip_across > frame->energy)
        ts_text_add(text, "Friction at sliding contacts points %.3g\xC2\xB0 away from the opposite of slip%s. ",
                    finding->slip_angle * DEGREES,
                    moves_alike ? ", but these forces cancel one another: the motion shows nothing of it" : "");
}

static void words_about_energy(const ts_frame_of_reference* frame, const ts_finding* finding, ts_text* text) {
    int less = finding->energy_less > frame->energy;
    int more = finding->energy_more > frame->energy;
    if (!less && !more) return;
    ts_text_add(text, "Its energy is ");
    if (less) {
        quantity(text, "up to ", finding->energy_less, "J", " below");
        ts_text_add(text, " (at t = %.3g s)", finding->energy_less_time);
    }
    if (more) {
        quantity(text, less ? " and up to " : "up to ", finding->energy_more, "J", " above");
        ts_text_add(text, " (at t = %.3g s)", finding->energy_more_time);
    }
    ts_text_add(text, " that of the reference. ");
}

static void words_about_solves(const ts_series* self, ts_text* text) {
    const ts_stats* stats = &self->stats;
    long long bad = ts_stats_unconverged(stats);
    if (bad == 0) return;
    ts_text limit = {0};
    ts_stats_limit(stats, &limit);
    // The limit is the whole story when nothing else went wrong.
    if (limit.length == 0 || bad > stats->status_count[TS_SOLVE_ITERATION_LIMIT]) {
        static const char* const ending[] = {"", "stalled", "at the iteration limit", "failed"};
        const char* comma = ": ";
        ts_text_add(text, "%lld of %lld steps did not converge", bad, stats->steps);
        for (int i = 1; i < 4; ++i) {
            long long count = stats->status_count[i];
            if (count == 0) continue;
            ts_text_add(text, "%s", comma);
            if (count < bad) ts_text_add(text, "%lld ", count);
            ts_text_add(text, "%s", ending[i]);
            comma = ", ";
        }
        ts_text_add(text, ". ");
    }
    if (limit.length > 0) ts_text_add(text, "The solver was %s. ", ts_text_get(&limit));
    ts_text_free(&limit);
}

void ts_findings_words(const ts_series* series, const ts_frame_of_reference* frame, int index,
                       const ts_finding* finding, ts_text* text) {
    const ts_series* self = &series[index];
    words_about_end(self, text);
    int moves_alike = 0;
    if (frame->reference >= 0 && self->focus >= 0 && !finding->is_reference) {
        moves_alike = !words_about_motion(frame, finding, text);
        if (moves_alike && finding->away_most == 0.0)
            ts_text_add(text, "Moves exactly like the reference. ");
        else if (moves_alike)
            quantity(text, "Moves like the reference, within ", finding->away_most, "m", ". ");
    }
    if (finding->is_reference) {
        if (!frame->exact)
            ts_text_add(text, "The reference, for want of a solver of the exact law. ");
        else if (self->stats.worst_natural > unsound_natural && self->stats.worst_unmet <= unsound_natural)
            ts_text_add(text, "The reference: it solves the exact law of contacts that give way, as the scene's do. ");
        else if (self->stats.worst_natural > unsound_natural)
            ts_text_add(text,
                        "The reference, though not a sound one: it is nearest to the exact law, but far from it. ");
        else if (ts_stats_unconverged(&self->stats) > 0)
            ts_text_add(text, "The reference: of these runs the nearest to the exact law. ");
        else
            ts_text_add(text, "The reference: it solves the exact law. ");
        if (self->focus >= 0 && frame->length > frame->noise)
            quantity(text, "The body in focus travels ", frame->length, "m", ". ");
    }
    words_about_contact(frame, finding, moves_alike, text);
    if (frame->reference >= 0 && !finding->is_reference) words_about_energy(frame, finding, text);
    ts_stats_left_out(&self->stats, "", " ", text);
    ts_text alarm = {0};
    ts_stats_alarm(&self->stats, &alarm);
    if (alarm.length > 0) ts_text_add(text, "Alarm: %s. ", ts_text_get(&alarm));
    ts_text_free(&alarm);
    words_about_solves(self, text);
}

void ts_findings_headline(const ts_series* self, const ts_frame_of_reference* frame, const ts_finding* finding,
                          ts_text* text) {
    const char* comma = "";
    struct {
        double value;
        const char *more, *less;
    } part[] = {{finding->rise_most, " higher", NULL},
                {finding->sink_most, " lower", NULL},
                {frame->has_direction ? finding->side_most : 0.0, " to the left", " to the right"},
                {frame->has_direction && finding->reached_end ? finding->along : 0.0, " farther", " short"}};
    if (self->code && self->code != TS_ERROR_INTERRUPTED) {
        ts_text_add(text, "blew up at t = %.4g s", self->stats.time_last);
        return;
    }
    if (finding->is_reference || frame->reference < 0 || self->focus < 0) {
        ts_text_add(text, finding->is_reference ? "the reference" : "");
        return;
    }
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        if (!(fabs(part[i].value) > frame->noise)) continue;
        quantity(text, comma, fabs(part[i].value), "m", part[i].value > 0.0 ? part[i].more : part[i].less);
        comma = ", ";
    }
    if (comma[0]) return;
    if (finding->away_most > frame->noise)
        quantity(text, "", finding->away_most, "m", " away");
    else if (is_turned(frame, finding))
        ts_text_add(text, "turned by %.3g\xC2\xB0", finding->turn * DEGREES);
    else
        ts_text_add(text, "moves alike");
}
