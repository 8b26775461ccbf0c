// `run --ledger FILE.csv`: the books of every step as lines, their sums as a table.
#ifndef TS_CLI_LEDGER_SHEET_INTERNAL_H
#define TS_CLI_LEDGER_SHEET_INTERNAL_H

#include "base/text.h"
#include "engine/step/step.h"

/// The books and their lines so far. Zero-initialised keeps none; free with ts_ledger_sheet_free.
typedef struct ts_ledger_sheet {
    const char* file;  // borrowed; NULL: no books are kept
    ts_ledger ledger;
    ts_text text;
} ts_ledger_sheet;

/// Has `sim` keep books from now on; the sheet must outlive it, and stay where it is.
void ts_ledger_sheet_keep(ts_ledger_sheet* sheet, const char* file, ts_sim* sim);

/// Adds a line for the step just done, once; none before the first.
void ts_ledger_sheet_add(ts_ledger_sheet* sheet, const ts_sim* sim);

/// Writes the file, in one piece; nothing where no books are kept. TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_ledger_sheet_write(const ts_ledger_sheet* sheet, ts_status* out_status);

/// The sums as lines for people.
void ts_ledger_sheet_summary(const ts_ledger_sheet* sheet, ts_text* text);

/// The sums as an object.
void ts_ledger_sheet_json(const ts_ledger_sheet* sheet, ts_json* json);

/// Releases the memory.
void ts_ledger_sheet_free(ts_ledger_sheet* sheet);

#endif
