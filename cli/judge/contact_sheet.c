// Writing a log of contacts, with what each is certified to do: the columns, and CSV.
#include "cli/judge/log_format_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Bytes that are kept before they are written.
enum { KEPT = 1 << 16 };

// What a log has, then what the contact does, the shares of three laws that are unmet, and the figures.
enum { VERDICT = TS_LOG_COLUMNS, SHARES = VERDICT + 1, FIGURES = SHARES + 3, COLUMNS = FIGURES + TS_FIGURE_COUNT };

static ts_sheet_column column_at(int k) {
    static const char* const shares[] = {"lcp", "ccp", "ncp"};
    if (k < VERDICT) {
        const ts_log_column_info* info = ts_log_column_at((ts_log_column)k);
        return (ts_sheet_column){info->name, info->unit, ts_log_column_is_name((ts_log_column)k)};
    }
    if (k == VERDICT) return (ts_sheet_column){"mode", "", 1};
    if (k < FIGURES) return (ts_sheet_column){shares[k - SHARES], "1", 0};
    const ts_figure_kind* kind = ts_figure_kind_of((ts_figure)(k - FIGURES));
    return (ts_sheet_column){kind->key, kind->unit, 0};
}

static ts_code cannot_write(const ts_contact_sheet* sheet, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_FILE, sheet->file, 0, "cannot write: %s", strerror(errno));
}

static ts_code flush(ts_contact_sheet* sheet, ts_status* out_status) {
    const char* bytes = ts_text_get(&sheet->text);
    size_t left = sheet->text.length;
    if (sheet->text.failed) return ts_status_set(out_status, TS_ERROR_MEMORY, sheet->file, 0, "out of memory");
    while (left > 0) {
        ssize_t written = write(sheet->fd, bytes, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannot_write(sheet, out_status);
        bytes += written;
        left -= (size_t)written;
    }
    ts_text_free(&sheet->text);
    return TS_OK;
}

static ts_code open_hdf5(ts_contact_sheet* sheet, ts_status* out_status) {
    ts_sheet_column column[COLUMNS];
    for (int k = 0; k < COLUMNS; ++k) column[k] = column_at(k);
    ts_code code = ts_sheet_hdf5_open(sheet->file, column, COLUMNS, &sheet->hdf5, out_status);
    sheet->open = !code;
    return code;
}

ts_code ts_contact_sheet_open(ts_contact_sheet* sheet, const char* file, ts_status* out_status) {
    memset(sheet, 0, sizeof *sheet);
    sheet->file = file;
    if (ts_log_is_hdf5_name(file)) return open_hdf5(sheet, out_status);
    sheet->fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (sheet->fd < 0) return cannot_write(sheet, out_status);
    sheet->open = 1;
    for (int k = 0; k < COLUMNS; ++k) ts_text_add(&sheet->text, "%s%s", k > 0 ? "," : "", column_at(k).name);
    ts_text_add(&sheet->text, "\n");
    return flush(sheet, out_status);
}

static void put_vector(ts_sheet_value* value, ts_vec3 v) {
    value[0].number = v.x;
    value[1].number = v.y;
    value[2].number = v.z;
}

// What a contact's line says, column by column.
static void fill(const ts_logged_step* step, const ts_logged_contact* c, ts_sheet_value value[COLUMNS]) {
    const ts_contact_verdict* v = &c->verdict;
    memset(value, 0, COLUMNS * sizeof *value);
    value[TS_LOG_STEP].number = (double)step->step;
    value[TS_LOG_TIME].number = step->time;
    value[TS_LOG_DT].number = step->dt;
    value[TS_LOG_A].text = c->a;
    value[TS_LOG_B].text = c->b;
    put_vector(value + TS_LOG_X, c->position);
    put_vector(value + TS_LOG_TX, c->tangent);
    put_vector(value + TS_LOG_NX, c->normal);
    value[TS_LOG_GAP].number = c->gap;
    value[TS_LOG_MU].number = c->mu;
    put_vector(value + TS_LOG_JX, c->impulse);
    put_vector(value + TS_LOG_VX, c->velocity);
    value[VERDICT].text = ts_contact_mode_name(v->mode);
    for (int k = 0; k < 3; ++k) value[SHARES + k].number = v->unmet[k];
    for (int k = 0; k < TS_FIGURE_COUNT; ++k)
        value[FIGURES + k].number = ts_figure_of(&v->residual, (ts_figure)k, step->dt);
}

static void add_line(ts_text* text, const ts_sheet_value* value) {
    for (int k = 0; k < COLUMNS; ++k) {
        if (k > 0) ts_text_add(text, ",");
        if (k == TS_LOG_STEP)
            ts_text_add(text, "%lld", (long long)value[k].number);
        else if (value[k].text)
            ts_text_add(text, "%s", value[k].text);
        else
            ts_text_add_number(text, value[k].number);
    }
    ts_text_add(text, "\n");
}

ts_code ts_contact_sheet_add(ts_contact_sheet* sheet, const ts_logged_step* step, ts_status* out_status) {
    ts_sheet_value value[COLUMNS];
    ts_code code = TS_OK;
    for (int i = 0; i < step->contact.count && !code; ++i) {
        fill(step, &step->contact.data[i], value);
        if (sheet->hdf5)
            code = ts_sheet_hdf5_add(sheet->hdf5, value, out_status);
        else
            add_line(&sheet->text, value);
        ++sheet->lines;
    }
    return code || sheet->text.length < KEPT ? code : flush(sheet, out_status);
}

ts_code ts_contact_sheet_close(ts_contact_sheet* sheet, ts_status* out_status) {
    if (!sheet->open) return TS_OK;
    sheet->open = 0;
    if (sheet->hdf5) return ts_sheet_hdf5_close(sheet->hdf5, out_status);
    ts_code code = flush(sheet, out_status);
    if (close(sheet->fd) != 0 && !code) code = cannot_write(sheet, out_status);
    ts_text_free(&sheet->text);
    return code;
}
