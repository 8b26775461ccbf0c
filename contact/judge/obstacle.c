// What keeps a solver from a problem. Solves go island by island (contact/island.h), so a limit on size is one on
// islands.
#include "contact/judge/obstacle.h"

#include "contact/island.h"

// The blocks of one island as a problem to be looked at, not solved.
static ts_contact_problem part_of(const ts_contact_problem* problem, const ts_islands* islands, int i,
                                  ts_block* block) {
    ts_contact_problem part = *problem;
    part.block = block;
    part.block_count = part.row_count = 0;
    for (int k = islands->start[i]; k < islands->start[i + 1]; ++k) {
        ts_block* copy = &block[part.block_count++];
        *copy = problem->block[islands->block[k]];
        copy->row = part.row_count;
        part.row_count += copy->rows;
    }
    return part;
}

const char* ts_obstacle_of(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                           ts_arena* arena) {
    if (solver->needs & ~problem->delassus->ops->abilities)
        return "the operator lacks an ability that the solver needs";
    if (!solver->obstacle) return NULL;
    const char* whole = solver->obstacle(problem, settings);
    ts_islands islands = {0, NULL, NULL};
    if (!whole || !(problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS)) return whole;
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, problem->block_count);
    if (!block || ts_islands_find(problem, arena, &islands)) return whole;
    for (int i = 0; i < islands.count; ++i) {
        ts_contact_problem part = part_of(problem, &islands, i, block);
        const char* text = solver->obstacle(&part, settings);
        if (text) return text;
    }
    return NULL;
}
