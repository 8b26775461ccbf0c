// The derivative of the law at the impulses of a step, and what a solve left open of them.
#include <math.h>
#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/judge_internal.h"

// 1: how far the answer of a solve may be from its law, in what it leaves open itself, and what is no direction.
static const double slack[3] = {10.0, 1e3, 1e5}, rank = 1e-10;

// 1: condition from which it is doubtful.
static const double well_conditioned = 1e4;

int ts_step_law_is_doubtful(const ts_contact_derivative* law) { return law->condition > well_conditioned; }

static double largest_of(const double* x, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

ts_code ts_step_law_make(const ts_step_task* task, const ts_contact_problem* own, ts_contact_derivative* out,
                         ts_status* out_status) {
    const ts_sim* sim = task->sim;
    int cascade = task->settings->method == TS_STEP_CASCADE;
    double share = fmax(sim->info.unmet, 1e-12), largest = largest_of(sim->impulse, own->row_count);
    double speed = fmax(largest_of(own->g, own->row_count), own->rest_speed);
    ts_code code = TS_ERROR_VALUE;
    // A share of the problem is no bound on each of its parts: what breaks the law by little more is taken, too.
    for (int i = 0; i < 3 && code == TS_ERROR_VALUE; ++i) {
        ts_contact_derivative_tolerance tolerance = {share * slack[i] * largest, share * slack[i] * speed, rank,
                                                     task->one_sided};
        code = cascade ? ts_contact_derivative_cascade(own, sim->impulse, &tolerance, task->arena, out, out_status)
                       : ts_contact_derivative_make(own, sim->solver->law, sim->impulse, &tolerance, task->arena, out,
                                                    out_status);
    }
    return code;
}

int ts_step_law_refine(const ts_step_task* task, const ts_contact_problem* own, const ts_contact_derivative* law,
                       double doubt) {
    ts_sim* sim = task->sim;
    size_t bytes = (size_t)own->row_count * sizeof(double);
    double before = sim->info.unmet;
    if (task->settings->method == TS_STEP_CASCADE || !(law->condition * before > doubt)) return 0;
    double* kept = TS_ARENA_ARRAY(task->arena, double, own->row_count);
    if (!kept) return -1;
    memcpy(kept, sim->impulse, bytes);
    if (ts_contact_derivative_refine(law, own, sim->solver->law, task->arena, sim->impulse)) return -1;
    int fine = ts_step_judge(sim);
    int better = sim->info.unmet < before;
    if (!better) {
        memcpy(sim->impulse, kept, bytes);
        fine = fine && ts_step_judge(sim);
    }
    ts_step_take_velocity(sim);
    return fine ? better : -1;
}
