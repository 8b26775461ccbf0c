// What keeps a solver from a problem: limits count by islands, and an operator that lacks an ability is named.
#include "contact/judge/obstacle.h"
#include "tests/contact/contact_fixture.h"

// Six contacts, of which `chained` hang together one by one from the first on.
static ts_contact_problem six(ts_arena* arena, ts_block* block, double* G, int* block_row, double* g, int chained) {
    memset(G, 0, 18 * 18 * sizeof(double));
    for (int b = 0; b <= 6; ++b) block_row[b] = 3 * b;
    for (int b = 0; b < 6; ++b) block[b] = fixture_cone(3 * b, 0.5);
    for (int i = 0; i < 18; ++i) {
        G[19 * i] = 2.0;
        g[i] = -1.0;
    }
    for (int b = 0; b + 1 < chained; ++b) G[(3 * b + 2) * 18 + 3 * b + 5] = G[(3 * b + 5) * 18 + 3 * b + 2] = -0.5;
    ts_contact_problem problem = {.block_count = 6,
                                  .row_count = 18,
                                  .block = block,
                                  .delassus = dense_operator(arena, 6, block_row, G),
                                  .g = g,
                                  .time_step = 0.01};
    return problem;
}

Test(obstacle, limits_count_by_islands) {
    ts_arena arena = {0};
    ts_block block[6];
    double G[18 * 18], g[18];
    int block_row[7];
    const ts_solver* lemke = ts_solver_find("lcp-lemke");
    fixture_settings settings = fixture_settings_of(lemke, 1e-8, 1000);
    fixture_set(lemke, &settings, "row_limit", 18.0);  // three contacts of six rows
    for (int chained = 0; chained <= 6; ++chained) {
        ts_contact_problem problem = six(&arena, block, G, block_row, g, chained);
        const char* text = ts_obstacle_of(lemke, &problem, &settings, &arena);
        cr_expect_eq(text != NULL, chained > 3, "%d in a chain: %s", chained, text ? text : "nothing");
        if (text) cr_expect(strstr(text, "row_limit"), "%s", text);
        ts_arena_reset(&arena);
    }
    fixture_set(lemke, &settings, "row_limit", 36.0);
    ts_contact_problem whole = six(&arena, block, G, block_row, g, 6);
    cr_expect_null(ts_obstacle_of(lemke, &whole, &settings, &arena));
    cr_expect_null(ts_obstacle_of(ts_solver_find("ncp"), &whole, NULL, &arena), "sweeps have no limit");
    ts_arena_free(&arena);
}

Test(obstacle, an_ability_that_is_missing_is_named) {
    ts_arena arena = {0};
    ts_block block[6];
    double G[18 * 18], g[18];
    int block_row[7];
    ts_contact_problem problem = six(&arena, block, G, block_row, g, 2);
    ts_delassus_ops poor = *problem.delassus->ops;
    poor.abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    problem.delassus->ops = &poor;
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        const char* text = ts_obstacle_of(solver, &problem, solver->defaults, &arena);
        cr_expect_eq(text != NULL, (solver->needs & ~poor.abilities) != 0, "%s", solver->name);
    }
    ts_arena_free(&arena);
}
