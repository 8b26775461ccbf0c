// Collecting samples, thinned out evenly when a run is long; worst values are carried over so that no peak is lost.
#include "cli/report/series_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double larger(double a, double b) { return b > a ? b : a; }

// The part of the friction on the focus body that its other contacts take back: sum of magnitudes less magnitude of the sum.
static double inner_friction(const ts_sim* sim, int focus) {
    ts_vec3 sum = ts_vec3_zero();
    double magnitudes = 0.0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        if (contact.body_a != focus && contact.body_b != focus) continue;
        ts_vec3 tangential = ts_vec3_make(contact.impulse.x, contact.impulse.y, 0.0);
        ts_vec3 force = ts_mat3_mul_vec(&contact.frame, tangential);
        sum = ts_vec3_add_scaled(sum, contact.body_b == focus ? 1.0 : -1.0, force);
        magnitudes += ts_vec3_norm(tangential);
    }
    double left = magnitudes - ts_vec3_norm(sum);
    return left > 0.0 ? left / sim->options.time_step : 0.0;
}

static ts_sample take_sample(const ts_series* series, const ts_sim* sim, ts_energy energy) {
    const ts_step_info* info = &sim->info;
    double h = sim->options.time_step / sim->options.substeps;
    ts_sample sample;
    memset(&sample, 0, sizeof sample);
    sample.step = sim->step_count;
    sample.time = sim->time;
    if (series->focus >= 0) {
        ts_motion motion = ts_sim_body_velocity(sim, series->focus);
        ts_vec3 arm =
            ts_vec3_sub(sim->kinematics.body_centre[series->focus], sim->kinematics.body_pose[series->focus].p);
        sample.position = sim->kinematics.body_centre[series->focus];
        sample.rotation = ts_quat_from_mat3(&sim->kinematics.body_pose[series->focus].R);
        sample.velocity = ts_motion_at(motion, arm);
        sample.spin = motion.angular;
        sample.inner_friction = inner_friction(sim, series->focus);
    }
    sample.kinetic = energy.kinetic;
    sample.potential = energy.potential;
    sample.contacts = sim->contact_count;
    sample.iterations = info->solve.iterations;
    sample.status = (int)info->solve.status;
    sample.penetration = info->worst_penetration;
    sample.natural = info->residual.natural;
    sample.unmet = info->unmet;
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) sample.figure[f] = ts_figure_of(&info->residual, (ts_figure)f, h);
    sample.motion = ts_stats_contact_motion(sim);
    sample.seconds = info->seconds_total;
    return sample;
}

// Worst values of an earlier moment that is not kept pass on to the one that is.
static void absorb(ts_sample* kept, const ts_sample* dropped) {
    if (dropped->iterations > kept->iterations) kept->iterations = dropped->iterations;
    if (dropped->status > kept->status) kept->status = dropped->status;
    kept->penetration = larger(kept->penetration, dropped->penetration);
    kept->natural = larger(kept->natural, dropped->natural);
    kept->unmet = larger(kept->unmet, dropped->unmet);
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) kept->figure[f] = larger(kept->figure[f], dropped->figure[f]);
}

static void thin_out(ts_series* series) {
    ts_sample* sample = series->sample.data;
    int kept = 0;
    for (int i = 0; i < series->sample.count; i += 2) {
        ts_sample next = sample[i];
        if (i > 0) absorb(&next, &sample[i - 1]);
        sample[kept++] = next;
    }
    // An odd one at the end goes on to the next sample.
    if (series->sample.count % 2 == 0) absorb(&series->pending, &sample[series->sample.count - 1]);
    series->sample.count = kept;
    series->stride *= 2;
}

int ts_series_add(ts_series* series, ts_sim* sim) {
    ts_energy energy = ts_stats_add(&series->stats, sim);
    ts_sample sample = take_sample(series, sim, energy);
    if (series->stride == 0) series->stride = 1;
    if (series->pending_waits) absorb(&sample, &series->pending);
    series->pending = sample;
    series->pending_waits = 1;
    if (series->sample.count >= TS_SERIES_SAMPLES) thin_out(series);
    if (!ts_worst_step_see(&series->worst, sim)) return 0;
    if (sample.step % series->stride != 0) return 1;
    series->pending_waits = 0;
    return ts_sample_array_push(&series->sample, series->pending);
}

int ts_series_finish(ts_series* series) {
    if (!series->pending_waits) return 1;
    series->pending_waits = 0;
    return ts_sample_array_push(&series->sample, series->pending);
}

const ts_sample* ts_series_last(const ts_series* series) {
    return series->sample.count > 0 ? &series->sample.data[series->sample.count - 1] : NULL;
}

void ts_series_free(ts_series* series) {
    ts_stats_free(&series->stats);
    ts_sample_array_free(&series->sample);
    ts_worst_step_free(&series->worst);
}

static void add_number(ts_text* text, double value) {
    ts_text_add_bytes(text, ",", 1);
    ts_text_add_number(text, value);
}

void ts_series_label(const ts_series* series, char* out_label) {
    snprintf(out_label, TS_SERIES_LABEL, "%s%s%s", series->solver, series->integrator[0] ? "+" : "",
             series->integrator);
}

static void add_vector(ts_text* text, ts_vec3 v) {
    add_number(text, v.x);
    add_number(text, v.y);
    add_number(text, v.z);
}

void ts_series_csv(const ts_series* series, int count, ts_text* text) {
    ts_text_add(text,
                "solver,law,step,time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,kinetic_energy,potential_energy,contacts,"
                "penetration,residual_natural,own_unmet,");
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) ts_text_add(text, "%s,", ts_figure_kind_of((ts_figure)f)->key);
    ts_text_add(text, "iterations,status,slip_angle,opening_speed,slip_speed,inner_friction,step_seconds\n");
    for (int s = 0; s < count; ++s) {
        for (int i = 0; i < series[s].sample.count; ++i) {
            const ts_sample* sample = &series[s].sample.data[i];
            char label[TS_SERIES_LABEL];
            ts_series_label(&series[s], label);
            ts_text_add(text, "%s,%s,%lld", label, ts_contact_law_name(series[s].law), sample->step);
            add_number(text, sample->time);
            add_vector(text, sample->position);
            add_number(text, sample->rotation.w);
            add_number(text, sample->rotation.x);
            add_number(text, sample->rotation.y);
            add_number(text, sample->rotation.z);
            add_vector(text, sample->velocity);
            add_vector(text, sample->spin);
            add_number(text, sample->kinetic);
            add_number(text, sample->potential);
            ts_text_add(text, ",%d", sample->contacts);
            add_number(text, sample->penetration);
            add_number(text, sample->natural);
            add_number(text, sample->unmet);
            for (int f = 0; f < TS_FIGURE_COUNT; ++f) add_number(text, sample->figure[f]);
            ts_text_add(text, ",%d,%s", sample->iterations, ts_solve_status_name((ts_solve_status)sample->status));
            add_number(text, ts_contact_motion_askew(&sample->motion));
            add_number(text, sample->motion.opening);
            add_number(text, sample->motion.slip);
            add_number(text, sample->inner_friction);
            add_number(text, sample->seconds);
            ts_text_add_bytes(text, "\n", 1);
        }
    }
}
