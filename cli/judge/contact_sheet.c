// Writing a log of contacts, with what each is certified to do.
#include "cli/judge/judge_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Bytes that are kept before they are written.
enum { KEPT = 1 << 16 };

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

ts_code ts_contact_sheet_open(ts_contact_sheet* sheet, const char* file, ts_status* out_status) {
    memset(sheet, 0, sizeof *sheet);
    sheet->file = file;
    sheet->fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (sheet->fd < 0) return cannot_write(sheet, out_status);
    sheet->open = 1;
    ts_text_add(&sheet->text, "step,time,dt,a,b,x,y,z,tx,ty,tz,nx,ny,nz,gap,mu,jx,jy,jz,vx,vy,vz,mode,lcp,ccp,ncp");
    for (int k = 0; k < TS_FIGURE_COUNT; ++k) ts_text_add(&sheet->text, ",%s", ts_figure_kind_of((ts_figure)k)->key);
    ts_text_add(&sheet->text, "\n");
    return flush(sheet, out_status);
}

static void add_number(ts_text* text, double value) {
    ts_text_add(text, ",");
    ts_text_add_number(text, value);
}

static void add_vector(ts_text* text, ts_vec3 v) {
    add_number(text, v.x);
    add_number(text, v.y);
    add_number(text, v.z);
}

ts_code ts_contact_sheet_add(ts_contact_sheet* sheet, const ts_logged_step* step, ts_status* out_status) {
    ts_text* text = &sheet->text;
    for (int i = 0; i < step->contact.count; ++i) {
        const ts_logged_contact* c = &step->contact.data[i];
        const ts_contact_verdict* v = &c->verdict;
        ts_text_add(text, "%lld", step->step);
        add_number(text, step->time);
        add_number(text, step->dt);
        ts_text_add(text, ",%s,%s", c->a, c->b);
        add_vector(text, c->position);
        add_vector(text, c->tangent);
        add_vector(text, c->normal);
        add_number(text, c->gap);
        add_number(text, c->mu);
        add_vector(text, c->impulse);
        add_vector(text, c->velocity);
        ts_text_add(text, ",%s", ts_contact_mode_name(v->mode));
        for (int k = 0; k < 3; ++k) add_number(text, v->unmet[k]);
        for (int k = 0; k < TS_FIGURE_COUNT; ++k) add_number(text, ts_figure_of(&v->residual, (ts_figure)k, step->dt));
        ts_text_add(text, "\n");
        ++sheet->lines;
    }
    return text->length < KEPT ? TS_OK : flush(sheet, out_status);
}

ts_code ts_contact_sheet_close(ts_contact_sheet* sheet, ts_status* out_status) {
    if (!sheet->open) return TS_OK;
    ts_code code = flush(sheet, out_status);
    if (close(sheet->fd) != 0 && !code) code = cannot_write(sheet, out_status);
    sheet->open = 0;
    ts_text_free(&sheet->text);
    return code;
}
