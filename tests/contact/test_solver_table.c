// The table of solvers: names, settings by name, and what every entry must provide.
#include "tests/contact/contact_fixture.h"

typedef union settings_buffer {
    double align;
    unsigned char bytes[TS_SOLVER_SETTINGS_BYTES];
} settings_buffer;

Test(table, names_are_unique_and_found) {
    cr_assert_gt(ts_solver_count(), 0);
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        cr_expect_eq(ts_solver_find(solver->name), solver);
        cr_expect_gt(strlen(solver->summary), 10u, "%s", solver->name);
        for (int j = 0; j < i; ++j) cr_expect_str_neq(solver->name, ts_solver_at(j)->name);
    }
    cr_expect_null(ts_solver_find("no-such-solver"));
    cr_expect_null(ts_solver_find(""));
}

Test(table, every_entry_is_complete) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        cr_expect(solver->settings_default && solver->scratch_bytes && solver->solve, "%s", solver->name);
        cr_expect_leq(solver->settings_bytes, (unsigned long)TS_SOLVER_SETTINGS_BYTES, "%s", solver->name);
        cr_expect_neq(solver->needs, 0u, "%s", solver->name);
        cr_expect_geq(solver->setting_count, 3);
        for (int s = 0; s < solver->setting_count; ++s) {
            const ts_setting* setting = &solver->setting[s];
            size_t size = setting->type == TS_SETTING_INT ? sizeof(int) : sizeof(double);
            cr_expect_leq(setting->offset + size, solver->settings_bytes, "%s %s", solver->name, setting->name);
            cr_expect_lt(setting->low, setting->high, "%s %s", solver->name, setting->name);
            for (int t = 0; t < s; ++t) cr_expect_str_neq(setting->name, solver->setting[t].name);
        }
        // The shared fields come first and lie where ts_solver_settings puts them.
        cr_expect_str_eq(solver->setting[0].name, "tolerance");
        cr_expect_str_eq(solver->setting[1].name, "stall");
        cr_expect_str_eq(solver->setting[2].name, "iteration_limit");
        cr_expect_eq(solver->setting[2].offset, offsetof(ts_solver_settings, iteration_limit));
    }
}

Test(settings, defaults_are_in_range_and_the_shared_ones_are_shared) {
    ts_solver_settings shared = ts_solver_settings_default();
    cr_expect_eq(shared.tolerance, 1e-8);
    cr_expect_eq(shared.stall, 1e-12);
    cr_expect_eq(shared.iteration_limit, 1000);
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        settings_buffer buffer;
        memset(&buffer, 0xa5, sizeof(buffer));
        solver->settings_default(&buffer);
        for (unsigned long k = solver->settings_bytes; k < sizeof(buffer); ++k) cr_assert_eq(buffer.bytes[k], 0xa5);
        for (int s = 0; s < solver->setting_count; ++s) {
            double value = ts_solver_get(solver, &buffer, s);
            cr_expect(value >= solver->setting[s].low && value <= solver->setting[s].high, "%s %s = %g", solver->name,
                      solver->setting[s].name, value);
        }
    }
}

Test(settings, set_and_get_by_name) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        settings_buffer buffer;
        ts_status status;
        solver->settings_default(&buffer);
        for (int s = 0; s < solver->setting_count; ++s) {
            const ts_setting* setting = &solver->setting[s];
            for (int side = 0; side < 2; ++side) {
                double value = side ? setting->high : setting->low;
                cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, value, &status), TS_OK, "%s",
                             status.message);
                cr_expect_eq(ts_solver_get(solver, &buffer, s), value, "%s %s", solver->name, setting->name);
            }
            double before = ts_solver_get(solver, &buffer, s);
            cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, setting->low - 1.0, &status), TS_ERROR_VALUE);
            cr_expect_not_null(strstr(status.message, setting->name));
            cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, NAN, &status), TS_ERROR_VALUE);
            cr_expect_eq(ts_solver_get(solver, &buffer, s), before, "a refused value must change nothing");
        }
        cr_expect_eq(ts_solver_set(solver, &buffer, "iteration_limit", 10.5, &status), TS_ERROR_VALUE);
        cr_expect_eq(ts_solver_set(solver, &buffer, "iteration_limit", 77.0, &status), TS_OK);
        cr_expect_eq(((const ts_solver_settings*)(const void*)&buffer)->iteration_limit, 77);
    }
}

Test(settings, unknown_name_is_refused_with_the_known_ones) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        settings_buffer buffer;
        ts_status status;
        solver->settings_default(&buffer);
        cr_expect_eq(ts_solver_set(solver, &buffer, "tolerence", 1.0, &status), TS_ERROR_VALUE);
        cr_expect_not_null(strstr(status.message, "tolerence"));
        for (int s = 0; s < solver->setting_count; ++s)
            cr_expect_not_null(strstr(status.message, solver->setting[s].name), "%s is missing in: %s",
                               solver->setting[s].name, status.message);
    }
}

Test(names, of_laws_and_statuses) {
    cr_expect_str_eq(ts_contact_law_name(TS_LAW_LCP), "LCP");
    cr_expect_str_eq(ts_contact_law_name(TS_LAW_CCP), "CCP");
    cr_expect_str_eq(ts_contact_law_name(TS_LAW_NCP), "NCP");
    for (int s = 0; s < 4; ++s)
        for (int t = 0; t < s; ++t)
            cr_expect_str_neq(ts_solve_status_name((ts_solve_status)s), ts_solve_status_name((ts_solve_status)t));
    cr_expect_not_null(ts_solve_status_name((ts_solve_status)99));
    cr_expect_not_null(ts_contact_law_name((ts_contact_law)99));
}
