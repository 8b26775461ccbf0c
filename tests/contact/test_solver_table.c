// The table of solvers: names, settings by name, and what every entry must provide.
#include "tests/contact/contact_fixture.h"

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
        cr_expect(solver->defaults && solver->solve, "%s", solver->name);
        cr_expect_leq(solver->settings_bytes, (unsigned long)TS_SOLVER_SETTINGS_BYTES, "%s", solver->name);
        cr_expect_geq(solver->settings_bytes, sizeof(ts_solver_settings), "%s", solver->name);
        cr_expect_neq(solver->needs, 0u, "%s", solver->name);
        for (int s = 0; s < ts_solver_setting_count(solver); ++s) {
            const ts_setting* setting = ts_solver_setting_at(solver, s);
            size_t size = setting->type == TS_SETTING_INT ? sizeof(int) : sizeof(double);
            cr_expect_leq(setting->offset + size, solver->settings_bytes, "%s %s", solver->name, setting->name);
            cr_expect(s < 4 || setting->offset >= sizeof(ts_solver_settings), "%s %s", solver->name, setting->name);
            cr_expect_lt(setting->low, setting->high, "%s %s", solver->name, setting->name);
            cr_expect_eq(ts_solver_setting_find(solver, setting->name), setting, "%s: %s twice", solver->name,
                         setting->name);
        }
        // The shared fields come first and lie where ts_solver_settings puts them.
        cr_expect_str_eq(ts_solver_setting_at(solver, 0)->name, "tolerance");
        cr_expect_str_eq(ts_solver_setting_at(solver, 1)->name, "stall");
        cr_expect_str_eq(ts_solver_setting_at(solver, 2)->name, "iteration_limit");
        cr_expect_str_eq(ts_solver_setting_at(solver, 3)->name, "force");
        cr_expect_eq(ts_solver_setting_at(solver, 2)->offset, offsetof(ts_solver_settings, iteration_limit));
        cr_expect_null(ts_solver_setting_find(solver, "no-such-setting"));
    }
}

Test(settings, defaults_are_in_range) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        fixture_settings buffer;
        memset(&buffer, 0xa5, sizeof(buffer));
        ts_solver_default_settings(solver, &buffer);
        for (unsigned long k = solver->settings_bytes; k < sizeof(buffer); ++k) cr_assert_eq(buffer.bytes[k], 0xa5);
        cr_expect_eq(buffer.shared.tolerance, 1e-8, "%s", solver->name);
        for (int s = 0; s < ts_solver_setting_count(solver); ++s) {
            const ts_setting* setting = ts_solver_setting_at(solver, s);
            double value = ts_solver_get(solver, &buffer, setting->name);
            cr_expect(value >= setting->low && value <= setting->high, "%s %s = %g", solver->name, setting->name,
                      value);
        }
        cr_expect(isnan(ts_solver_get(solver, &buffer, "no-such-setting")));
    }
}

Test(settings, set_and_get_by_name) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        fixture_settings buffer;
        ts_status status;
        ts_solver_default_settings(solver, &buffer);
        for (int s = 0; s < ts_solver_setting_count(solver); ++s) {
            const ts_setting* setting = ts_solver_setting_at(solver, s);
            for (int side = 0; side < 2; ++side) {
                double value = side ? setting->high : setting->low;
                cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, value, &status), TS_OK, "%s",
                             status.message);
                cr_expect_eq(ts_solver_get(solver, &buffer, setting->name), value, "%s %s", solver->name,
                             setting->name);
            }
            double before = ts_solver_get(solver, &buffer, setting->name);
            cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, setting->low - 1.0, &status), TS_ERROR_VALUE);
            cr_expect_not_null(strstr(status.message, setting->name));
            cr_expect_eq(ts_solver_set(solver, &buffer, setting->name, NAN, &status), TS_ERROR_VALUE);
            cr_expect_eq(ts_solver_get(solver, &buffer, setting->name), before, "a refused value must change nothing");
        }
        cr_expect_eq(ts_solver_set(solver, &buffer, "iteration_limit", 10.5, &status), TS_ERROR_VALUE);
        cr_expect_eq(ts_solver_set(solver, &buffer, "iteration_limit", 77.0, &status), TS_OK);
        cr_expect_eq(buffer.shared.iteration_limit, 77);
    }
}

Test(settings, unknown_name_is_refused_with_the_known_ones) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        fixture_settings buffer;
        ts_status status;
        ts_solver_default_settings(solver, &buffer);
        cr_expect_eq(ts_solver_set(solver, &buffer, "tolerence", 1.0, &status), TS_ERROR_VALUE);
        cr_expect_not_null(strstr(status.message, "tolerence"));
        for (int s = 0; s < ts_solver_setting_count(solver); ++s) {
            const char* name = ts_solver_setting_at(solver, s)->name;
            cr_expect_not_null(strstr(status.message, name), "%s is missing in: %s", name, status.message);
        }
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
