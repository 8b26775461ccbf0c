// A large island, a hub and many small islands under the thread sanitizer: pieces of a sweep that share a body would
// write to the same velocities without waiting for each other, which is a report.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/island.h"

enum { SIDE = 10, HEIGHT = 8, BODIES = SIDE * SIDE * HEIGHT, SMALL = 60, BLOCKS = 4 * BODIES + SMALL };

typedef struct pile {
    int blocks, segments;
    int block_row[BLOCKS + 1];
    int segment_start[BLOCKS + 1];
    ts_delassus_segment segment[2 * BLOCKS];
    ts_block block[BLOCKS];
    double J[BLOCKS][36];
    double g[3 * BLOCKS];
    double impulse[3 * BLOCKS];
    double alone[3 * BLOCKS];
} pile;

static void add_contact(pile* p, int a, int b) {
    int k = p->blocks++, body[2] = {a, b};
    p->segment_start[k] = p->segments;
    p->block_row[k] = 3 * k;
    double* J = p->J[k];
    for (int side = 0; side < 2; ++side, J += 18) {
        if (body[side] < 0) continue;
        for (int i = 0; i < 18; ++i) J[i] = (double)((7 * k + 5 * i + 3 * side) % 11 - 5) / 5.0;
        ts_delassus_segment segment = {6 * body[side], 6, J, J};
        p->segment[p->segments++] = segment;
    }
    ts_block block = {TS_SET_CONE, 3 * k, 3, 0.5, 0.0, 0.0};
    p->block[k] = block;
    for (int r = 0; r < 3; ++r) p->g[3 * k + r] = (double)((3 * k + r) % 7 - 3);
    p->block_row[k + 1] = 3 * k + 3;
    p->segment_start[k + 1] = p->segments;
}

static void fill(pile* p) {
    int hub = BODIES;
    for (int i = 0; i < BODIES; ++i) {
        add_contact(p, i, i >= SIDE * SIDE ? i - SIDE * SIDE : -1);
        if (i % SIDE > 0) add_contact(p, i, i - 1);
        if (i / SIDE % SIDE > 0) add_contact(p, i, i - SIDE);
        if (i % 2 == 0) add_contact(p, i, hub);
    }
    for (int i = 0; i < SMALL; ++i) add_contact(p, hub + 1 + i, -1);
}

int main(void) {
    static const char* const names[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs", "ccp-apgd", "ncp"};
    pile* p = (pile*)calloc(1, sizeof *p);
    ts_arena arena = {0};
    int wrong = 0;
    if (!p) return 1;
    fill(p);
    ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * (BODIES + 1 + SMALL), p->blocks, p->block_row,
                                               p->segment_start, p->segment);
    ts_contact_problem problem = {.block_count = p->blocks,
                                  .row_count = 3 * p->blocks,
                                  .block = p->block,
                                  .delassus = G,
                                  .g = p->g,
                                  .time_step = 1e-3};
    for (int k = 0; G && k < (int)(sizeof names / sizeof names[0]); ++k) {
        const ts_solver* solver = ts_solver_find(names[k]);
        for (int workers = 1; workers <= 4; ++workers) {
            double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)];
            ts_status status;
            ts_arena scratch[4] = {{0}};
            ts_task_pool* pool = ts_task_pool_create(workers);
            ts_solver_default_settings(solver, settings);
            ts_solver_set(solver, settings, "iteration_limit", 6, &status);
            memset(p->impulse, 0, sizeof p->impulse);
            ts_island_solve(solver, &problem, NULL, settings, pool, scratch, p->impulse, NULL);
            if (workers == 1) memcpy(p->alone, p->impulse, sizeof p->impulse);
            if (memcmp(p->alone, p->impulse, sizeof p->impulse) != 0) {
                printf("%s: other bits on %d threads\n", names[k], workers);
                ++wrong;
            }
            ts_task_pool_destroy(pool);
            for (int w = 0; w < 4; ++w) ts_arena_free(&scratch[w]);
        }
    }
    ts_arena_free(&arena);
    free(p);
    return !G || wrong > 0;
}
