// Problem: a plot as a PDF that stands alone, for papers. Rule: one page; paths are its operators, words are Helvetica, which every
// reader has, in the encoding WinAnsi; powers are smaller letters raised. Source: ISO 32000-1, and the widths of letters that Adobe
// published with the fonts. Guaranteed: offsets of the cross-reference table are those of the objects; the same plot gives the same
// bytes (no date). Known to fail: letters beyond Latin-1, but for those that plots use, become question marks; contents are not
// compressed.
#include "cli/report/canvas_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A pixel in points.
static const double point = 0.75;

// --- how parts look, on white ----------------------------------------------------------------------------------------

#define LINE "#d8dee4"
#define SOFT "#59636e"
#define TEXT "#1f2328"
#define CARD "#ffffff"

// Colours: NULL is none, "ink" the group's. Sizes in pixels.
static const struct look {
    const char* stroke;
    const char* fill;
    double width;
    const char* dash;
    const char* font;
    double size;
} looks[TS_PART_COUNT] = {[TS_PART_GRID] = {.stroke = LINE, .width = 1.0},
                          [TS_PART_ZERO] = {.stroke = SOFT, .width = 1.0},
                          [TS_PART_CURVE] = {.stroke = "ink", .width = 1.8},
                          [TS_PART_MARK] = {.stroke = CARD, .fill = "ink", .width = 1.0},
                          [TS_PART_HOLLOW] = {.stroke = "ink", .fill = CARD, .width = 1.0},
                          [TS_PART_START] = {.stroke = TEXT, .width = 1.5},
                          [TS_PART_GUIDE] = {.stroke = TEXT, .width = 1.1, .dash = "3 5"},
                          [TS_PART_TICK] = {.fill = SOFT, .font = "F1", .size = 11.0},
                          [TS_PART_LABEL] = {.fill = SOFT, .font = "F1", .size = 12.0},
                          [TS_PART_TITLE] = {.fill = TEXT, .font = "F2", .size = 15.0},
                          [TS_PART_KEY] = {.fill = TEXT, .font = "F1", .size = 12.0}};

static void add_color(const ts_canvas* canvas, const char* color, const char* operator, ts_text * text) {
    if (strcmp(color, "ink") == 0) color = ts_canvas_ink(canvas);
    unsigned long rgb = strtoul(color + 1, NULL, 16);
    ts_text_add(text, "%.3f %.3f %.3f %s\n", (double)(rgb >> 16 & 255u) / 255.0, (double)(rgb >> 8 & 255u) / 255.0,
                (double)(rgb & 255u) / 255.0, operator);
}

// --- groups and paths ------------------------------------------------------------------------------------------------

static void pdf_begin(ts_canvas* canvas, const ts_canvas_group* group) {
    ts_text_add(canvas->text, "q\n");
    if (group->x != 0.0 || group->y != 0.0) ts_text_add(canvas->text, "1 0 0 1 %.2f %.2f cm\n", group->x, group->y);
}

static void pdf_end(ts_canvas* canvas) { ts_text_add(canvas->text, "Q\n"); }

// Where the pen is, and where its stroke began.
typedef struct pen {
    ts_text* text;
    double x, y, first_x, first_y;
} pen;

static void move_to(pen* p, double x, double y) {
    p->x = p->first_x = x;
    p->y = p->first_y = y;
    ts_text_add(p->text, "%.2f %.2f m\n", x, y);
}

static void line_to(pen* p, double x, double y) {
    p->x = x;
    p->y = y;
    ts_text_add(p->text, "%.2f %.2f l\n", x, y);
}

// Half a circle over a level diameter, as two cubic curves; downwards when it goes to the right.
static void half_circle(pen* p, double across) {
    static const double kappa = 0.5522847498307936;  // 4 (sqrt 2 - 1) / 3
    double r = 0.5 * across, k = kappa * r;
    ts_text_add(p->text, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", p->x, p->y + k, p->x + r - k, p->y + r, p->x + r,
                p->y + r);
    ts_text_add(p->text, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", p->x + r + k, p->y + r, p->x + across, p->y + k,
                p->x + across, p->y);
    p->x += across;
}

// What a letter of path data asks for, with its numbers.
static void obey(pen* p, char command, const double n[7]) {
    switch (command) {
    case 'M': move_to(p, n[0], n[1]); break;
    case 'm': move_to(p, p->x + n[0], p->y + n[1]); break;
    case 'L': line_to(p, n[0], n[1]); break;
    case 'l': line_to(p, p->x + n[0], p->y + n[1]); break;
    case 'H': line_to(p, n[0], p->y); break;
    case 'h': line_to(p, p->x + n[0], p->y); break;
    case 'V': line_to(p, p->x, n[0]); break;
    case 'v': line_to(p, p->x, p->y + n[0]); break;
    case 'a': half_circle(p, n[5]); break;
    default: break;
    }
}

static void add_path(const char* data, ts_text* text) {
    pen p = {text, 0.0, 0.0, 0.0, 0.0};
    char command = 'M';
    for (const char* at = data; *at;) {
        if (*at == ' ' || *at == ',') {
            ++at;
        } else if (*at == 'z') {
            ts_text_add(text, "h\n");
            p.x = p.first_x;
            p.y = p.first_y;
            ++at;
        } else if (strchr("MmLlHhVva", *at)) {
            command = *at++;
        } else {
            double n[7] = {0.0};
            int count = command == 'a' ? 7 : strchr("HhVv", command) ? 1 : 2;
            for (int i = 0; i < count; ++i) {
                char* end = NULL;
                n[i] = strtod(at, &end);
                if (end == at) return;
                at = end;
            }
            obey(&p, command, n);
            if (command == 'M') command = 'L';
        }
    }
}

static void pdf_path(ts_canvas* canvas, ts_part part, double width, int dashed, const char* data) {
    const struct look* look = &looks[part];
    if (!*data) return;
    if (look->stroke) add_color(canvas, look->stroke, "RG", canvas->text);
    if (look->fill) add_color(canvas, look->fill, "rg", canvas->text);
    ts_text_add(canvas->text, "%.2f w [%s] 0 d\n", width > 0.0 ? width : look->width,
                look->dash ? look->dash
                : dashed   ? "9 4"
                           : "");
    add_path(data, canvas->text);
    ts_text_add(canvas->text, look->fill ? "B\n" : "S\n");
}

// --- words -----------------------------------------------------------------------------------------------------------

// Widths of the letters of Helvetica from the blank to the tilde, in thousandths of their size.
static const short widths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                               556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                               1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                               667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                               333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                               556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

// Letters that are raised are smaller by this factor, and stand higher by that part of the size.
static const double raised_size = 0.66, raised_by = 0.36;

static unsigned next_letter(const char** at) {
    const unsigned char* c = (const unsigned char*)*at;
    int more = *c < 0x80 ? 0 : *c < 0xE0 ? 1 : *c < 0xF0 ? 2 : 3;
    static const unsigned mask[] = {0x7F, 0x1F, 0x0F, 0x07};
    unsigned letter = *c++ & mask[more];
    for (; more > 0 && *c; --more) letter = letter << 6 | (*c++ & 0x3Fu);
    *at = (const char*)c;
    return letter;
}

// A letter in WinAnsi, and whether it is raised.
static unsigned char encode(unsigned letter, int* out_raised) {
    *out_raised = 0;
    if (letter == 0xB2 || letter == 0xB3 || letter == 0xB9 || letter == 0x2070 ||
        (letter >= 0x2074 && letter <= 0x2079) || letter == 0x207B) {
        *out_raised = 1;
        if (letter == 0x207B) return 0x96;
        return (unsigned char)('0' + (letter == 0xB9 ? 1u : letter < 0x100 ? letter - 0xB0u : letter - 0x2070u));
    }
    if (letter == 0x2212 || letter == 0x2013) return 0x96;
    if (letter == 0x3BC) return 0xB5;
    return (letter >= 0x20 && letter < 0x7F) || (letter >= 0xA0 && letter <= 0xFF) ? (unsigned char)letter
                                                                                   : (unsigned char)'?';
}

static double width_of(unsigned char code) {
    if (code >= 0x20 && code < 0x7F) return 1e-3 * widths[code - 0x20];
    return code == 0xB7 ? 0.278 : code == 0xB0 ? 0.4 : 0.556;
}

double ts_canvas_pdf_width(const char* words) {
    double sum = 0.0;
    while (*words) {
        int raised;
        unsigned char code = encode(next_letter(&words), &raised);
        sum += (raised ? raised_size : 1.0) * width_of(code);
    }
    return sum;
}

static void pdf_words(ts_canvas* canvas, ts_part part, double x, double y, ts_anchor anchor, const char* words) {
    const struct look* look = &looks[part];
    ts_text* text = canvas->text;
    int was = -1;
    x -= 0.5 * (double)anchor * look->size * ts_canvas_pdf_width(words);
    add_color(canvas, look->fill, "rg", text);
    ts_text_add(text, "BT 1 0 0 -1 %.2f %.2f Tm\n", x, y);
    while (*words) {
        int raised;
        unsigned char code = encode(next_letter(&words), &raised);
        if (raised != was)
            ts_text_add(text, "%s/%s %.2f Tf %.2f Ts (", was >= 0 ? ") Tj\n" : "", look->font,
                        raised ? raised_size * look->size : look->size, raised ? raised_by * look->size : 0.0);
        was = raised;
        if (code == '(' || code == ')' || code == '\\')
            ts_text_add(text, "\\%c", code);
        else
            ts_text_add(text, code < 0x7F ? "%c" : "\\%03o", code);
    }
    ts_text_add(text, "%sET\n", was >= 0 ? ") Tj\n" : "");
}

static const ts_canvas_kind pdf = {pdf_begin, pdf_end, pdf_path, pdf_words};

ts_canvas ts_canvas_pdf(double height, ts_text* text) {
    ts_canvas canvas = {.kind = &pdf, .text = text};
    // Pixels from the top; ends and corners are round.
    ts_text_add(text, "%.4f 0 0 %.4f 0 %.4f cm 1 J 1 j\n", point, -point, point * height);
    return canvas;
}

// --- the file --------------------------------------------------------------------------------------------------------

enum { OBJECTS = 7 };

static void begin_object(size_t offset[OBJECTS + 1], int number, const ts_text* text, size_t begin) {
    offset[number] = text->length - begin;
}

// A text as PDF has them beside its pages: UTF-16.
static void add_title(const char* title, ts_text* text) {
    ts_text_add(text, "<FEFF");
    while (*title) ts_text_add(text, "%04X", next_letter(&title) & 0xFFFFu);
    ts_text_add(text, ">");
}

void ts_canvas_pdf_file(const char* title, double width, double height, const ts_text* content, ts_text* text) {
    static const char* const fonts[] = {"Helvetica", "Helvetica-Bold"};
    size_t offset[OBJECTS + 1] = {0}, begin = text->length;
    ts_text_add(text, "%%PDF-1.4\n%%\xE2\xE3\xCF\xD3\n");
    begin_object(offset, 1, text, begin);
    ts_text_add(text, "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    begin_object(offset, 2, text, begin);
    ts_text_add(text, "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    begin_object(offset, 3, text, begin);
    ts_text_add(text,
                "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R\n"
                "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>\nendobj\n",
                point * width, point * height);
    begin_object(offset, 4, text, begin);
    ts_text_add(text, "4 0 obj\n<< /Length %zu >>\nstream\n", content->length);
    ts_text_add_bytes(text, ts_text_get(content), content->length);
    ts_text_add(text, "\nendstream\nendobj\n");
    for (int f = 0; f < 2; ++f) {
        begin_object(offset, 5 + f, text, begin);
        ts_text_add(text,
                    "%d 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>\nendobj\n",
                    5 + f, fonts[f]);
    }
    begin_object(offset, 7, text, begin);
    ts_text_add(text, "7 0 obj\n<< /Producer (Touchstone " TS_VERSION ") /Title ");
    add_title(title, text);
    ts_text_add(text, " >>\nendobj\n");
    size_t table = text->length - begin;
    ts_text_add(text, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int i = 1; i <= OBJECTS; ++i) ts_text_add(text, "%010zu 00000 n \n", offset[i]);
    ts_text_add(text, "trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%zu\n%%%%EOF\n", OBJECTS + 1, table);
    if (content->failed) text->failed = 1;
}
