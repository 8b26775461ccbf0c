// Lines are kept in memory and written once the run is over, so that a file is there whole or not at all; a run that is interrupted has lines up
// to there.
#include "cli/ledger_sheet_internal.h"

#include "cli/report/stats_internal.h"

#include <math.h>

// 1: an account in which less of the energy was turned over is rounding, and not shown to people.
static const double least_part = 1e-12;

void ts_ledger_sheet_keep(ts_ledger_sheet* sheet, const char* file, ts_sim* sim) {
    sheet->file = file;
    ts_ledger_keep(sim, &sheet->ledger);
    ts_text_add(&sheet->text, "step,time [s],kinetic [J],potential [J]");
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i)
        ts_text_add(&sheet->text, ",%s [J]", ts_ledger_name((ts_ledger_account)i, NULL));
    ts_text_add(&sheet->text, ",outside [J],within [J],remainder [J]\n");
}

static void add_number(ts_text* text, double value) {
    ts_text_add(text, ",");
    ts_text_add_number(text, value);
}

void ts_ledger_sheet_add(ts_ledger_sheet* sheet, const ts_sim* sim) {
    const ts_ledger* ledger = &sheet->ledger;
    ts_text* text = &sheet->text;
    if (!sheet->file || ledger->steps == 0) return;
    ts_text_add(text, "%lld", sim->step_count);
    add_number(text, sim->time);
    add_number(text, ledger->end.kinetic);
    add_number(text, ledger->end.potential);
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) add_number(text, ledger->work[i]);
    add_number(text, ledger->outside);
    add_number(text, ledger->within);
    add_number(text, ledger->remainder);
    ts_text_add(text, "\n");
}

ts_code ts_ledger_sheet_write(const ts_ledger_sheet* sheet, ts_status* out_status) {
    return sheet->file ? ts_text_write_file(&sheet->text, sheet->file, out_status) : TS_OK;
}

// "    gravity                 1.23 J      4.56 J  gravity, from potential energy"
static void add_line(ts_text* text, const char* name, double net, double turned, const char* summary) {
    ts_text one = {0}, two = {0};
    ts_stats_add_quantity(&one, net, "J");
    ts_stats_add_quantity(&two, turned, "J");
    // Where a prefix is two bytes long, the column is one longer.
    const char *a = ts_text_get(&one), *b = ts_text_get(&two);
    int wide_a = 12, wide_b = 12;
    for (const char* c = a; *c; ++c) wide_a += ((unsigned char)*c & 0xC0u) == 0x80u;
    for (const char* c = b; *c; ++c) wide_b += ((unsigned char)*c & 0xC0u) == 0x80u;
    ts_text_add(text, "               %-20s%*s%*s  %s\n", name, wide_a, a, wide_b, b, summary);
    ts_text_free(&one);
    ts_text_free(&two);
}

void ts_ledger_sheet_summary(const ts_ledger_sheet* sheet, ts_text* text) {
    const ts_ledger* ledger = &sheet->ledger;
    double turnover = ts_ledger_turnover(ledger);
    ts_text_add(text, "  ledger       %s, %lld lines; ", sheet->file, ledger->steps);
    ts_stats_add_quantity(text, turnover, "J");
    ts_text_add(text, " turned over, %.1g of it unaccounted for\n",
                turnover > 0.0 ? ledger->total_remainder / turnover : 0.0);
    if (ledger->steps > 0) ts_text_add(text, "               %-20s%12s%12s\n", "account", "sum", "in and out");
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) {
        const char *summary, *name = ts_ledger_name((ts_ledger_account)i, &summary);
        if (ledger->turned[i] > least_part * turnover)
            add_line(text, name, ledger->total[i], ledger->turned[i], summary);
    }
    if (fabs(ledger->total_outside) > least_part * turnover)
        add_line(text, "outside", ledger->total_outside, ledger->total_outside, "states set between steps");
}

void ts_ledger_sheet_json(const ts_ledger_sheet* sheet, ts_json* json) {
    const ts_ledger* ledger = &sheet->ledger;
    ts_json_object(json);
    ts_json_add_string(json, "file", sheet->file);
    ts_json_add_integer(json, "steps", ledger->steps);
    ts_json_add_number(json, "turned_over", ts_ledger_turnover(ledger));
    ts_json_add_number(json, "remainder", ledger->total_remainder);
    ts_json_add_number(json, "outside", ledger->total_outside);
    ts_json_add_number(json, "within", ledger->total_within);
    ts_json_add_number(json, "kinetic_start", ledger->first.kinetic);
    ts_json_add_number(json, "potential_start", ledger->first.potential);
    ts_json_add_number(json, "kinetic_end", ledger->end.kinetic);
    ts_json_add_number(json, "potential_end", ledger->end.potential);
    ts_json_add_object(json, "work");
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i)
        ts_json_add_number(json, ts_ledger_name((ts_ledger_account)i, NULL), ledger->total[i]);
    ts_json_object_end(json);
    ts_json_add_object(json, "in_and_out");
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i)
        ts_json_add_number(json, ts_ledger_name((ts_ledger_account)i, NULL), ledger->turned[i]);
    ts_json_object_end(json);
    ts_json_object_end(json);
}

void ts_ledger_sheet_free(ts_ledger_sheet* sheet) { ts_text_free(&sheet->text); }
