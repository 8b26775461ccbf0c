// Claims: patterns are what their formulas say at every pixel; marks lie where they are said to; a file's picture comes onto the faces that it is
// for, turned as asked; what makes no sense is refused where it was described.
#include "engine/model/texture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ts_texture pattern(ts_texture_kind kind, ts_texture_pattern which, int size) {
    ts_texture t = ts_texture_default();
    const float white[3] = {1.0f, 1.0f, 1.0f};
    t.name = "t";
    t.kind = kind;
    t.pattern = which;
    t.width = t.height = size;
    memcpy(t.color[0], white, sizeof white);
    return t;
}

static ts_texture_picture paint(const ts_texture* t) {
    ts_texture_picture p;
    ts_status status;
    cr_assert_eq(ts_texture_paint(t, &p, &status), TS_OK, "%s", status.message);
    cr_assert(p.faces == (t->kind == TS_TEXTURE_FLAT ? 1 : 6));
    return p;
}

static int at(const ts_texture_picture* p, int face, int row, int column) {
    return p->rgb[3 * ((face * p->height + row) * p->width + column)];
}

Test(texture, a_checker_is_two_by_two) {
    ts_texture t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_CHECKER, 6);
    ts_texture_picture p = paint(&t);
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) cr_expect_eq(at(&p, 0, r, c), (r / 3 + c / 3) % 2 ? 0 : 255, "%d %d", r, c);
    float mean[3];
    ts_texture_picture_mean(&p, mean);
    for (int c = 0; c < 3; ++c) cr_expect_float_eq(mean[c], 0.5, 1e-6);
    ts_texture_picture_free(&p);
}

// A pixel's place on the cube, with the edge of a face as 1, by the table of OpenGL's specification.
static void direction(int face, double s, double t, double out[3]) {
    const double table[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    memcpy(out, table[face], sizeof table[face]);
}

// Where two faces meet the checker goes on: opposite colours on either side of every edge, so that a cube of colours has eight corners.
Test(texture, a_checker_changes_at_the_edges_of_a_cube) {
    ts_texture t = pattern(TS_TEXTURE_CUBE, TS_TEXTURE_CHECKER, 2);
    ts_texture_picture p = paint(&t);
    for (int face = 0; face < 4; ++face)
        for (int k = 0; k < 4; ++k) cr_expect_eq(at(&p, face, k / 2, k % 2), (k == 0 || k == 3) ? 255 : 0);
    for (int face = 4; face < 6; ++face)
        for (int k = 0; k < 4; ++k) cr_expect_eq(at(&p, face, k / 2, k % 2), (k == 0 || k == 3) ? 0 : 255);
    ts_texture_picture_free(&p);
}

// Outwards: the share of the second colour is (1 + sqrt(2) q / sqrt(1 + q^2)) / 2 with q = 2 r - 1.
Test(texture, a_flat_gradient_goes_outwards) {
    enum { N = 9 };
    ts_texture t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_GRADIENT, N);
    ts_texture_picture p = paint(&t);
    cr_expect(at(&p, 0, 4, 4) == 255 && at(&p, 0, 0, 0) == 0 && at(&p, 0, 4, 0) == 0);
    for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c) {
            double q = 2.0 * hypot((c - 4) / 4.0, (r - 4) / 4.0) - 1.0,
                   share = (1.0 + q * sqrt(2.0 / (1.0 + q * q))) / 2.0;
            share = share > 1.0 ? 1.0 : share;
            cr_expect_float_eq(at(&p, 0, r, c), 255.0 * (1.0 - share), 0.51, "%d %d: %d", r, c, at(&p, 0, r, c));
        }
    ts_texture_picture_free(&p);
}

// Down the sky: a pixel's colour depends on its elevation alone, whichever face it is on.
Test(texture, a_gradient_of_six_faces_goes_by_elevation) {
    enum { N = 5 };
    ts_texture t = pattern(TS_TEXTURE_SKY, TS_TEXTURE_GRADIENT, N);
    ts_texture_picture p = paint(&t);
    for (int face = 0; face < 6; ++face)
        for (int r = 0; r < N; ++r)
            for (int c = 0; c < N; ++c) {
                double d[3];
                direction(face, (c - 2) / 2.0, (r - 2) / 2.0, d);
                double q = asin(d[1] / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])) / asin(1.0);
                double share = (1.0 + q * sqrt(2.0 / (1.0 + q * q))) / 2.0;
                share = fmin(fmax(share, 0.0), 1.0);
                cr_expect_float_eq(at(&p, face, r, c), 255.0 * share, 0.51, "face %d, %d %d", face, r, c);
            }
    ts_texture_picture_free(&p);
}

Test(texture, plain_faces_have_one_colour_and_the_lower_one_the_other) {
    ts_texture t = pattern(TS_TEXTURE_CUBE, TS_TEXTURE_PLAIN, 3);
    ts_texture_picture p = paint(&t);
    for (int face = 0; face < 6; ++face) cr_expect_eq(at(&p, face, 1, 1), face == 3 ? 0 : 255);
    ts_texture_picture_free(&p);
}

Test(texture, marks_lie_on_edges_crosses_and_at_random) {
    ts_texture t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_PLAIN, 200);
    t.mark = TS_TEXTURE_EDGE;
    ts_texture_picture p = paint(&t);
    int marked = 0;
    for (int i = 0; i < 200 * 200; ++i) marked += at(&p, 0, i / 200, i % 200) == 0;
    cr_expect(marked == 4 * 199 && at(&p, 0, 0, 77) == 0 && at(&p, 0, 199, 0) == 0 && at(&p, 0, 1, 1) == 255);
    ts_texture_picture_free(&p);
    t.mark = TS_TEXTURE_CROSS;
    p = paint(&t);
    cr_expect(at(&p, 0, 100, 3) == 0 && at(&p, 0, 3, 100) == 0 && at(&p, 0, 99, 99) == 255);
    ts_texture_picture_free(&p);
    // 40,000 draws of one in a hundred: 400 give or take five times 20.
    t.mark = TS_TEXTURE_RANDOM;
    p = paint(&t);
    marked = 0;
    for (int i = 0; i < 200 * 200; ++i) marked += at(&p, 0, i / 200, i % 200) == 0;
    cr_expect(abs(marked - 400) < 100, "%d", marked);
    ts_texture again = t;
    ts_texture_picture q = paint(&again);
    cr_expect_eq(memcmp(p.rgb, q.rgb, 3 * 200 * 200), 0);
    ts_texture_picture_free(&q);
    ts_texture_picture_free(&p);
}

static void refuse(ts_texture t, const char* wanted) {
    ts_texture_picture p;
    ts_status status;
    t.source = "m.xml";
    t.line = 7;
    cr_assert_neq(ts_texture_paint(&t, &p, &status), TS_OK, "taken, but wanted '%s'", wanted);
    cr_expect(strstr(status.message, wanted) && strstr(status.message, "'t'"), "'%s' is not in '%s'", wanted,
              status.message);
    cr_expect(strcmp(status.file, "m.xml") == 0 && status.line == 7 && p.rgb == NULL);
}

Test(texture, nonsense_is_refused_where_it_was_described) {
    ts_texture t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_CHECKER, 0);
    refuse(t, "width");
    t.width = 4;
    refuse(t, "height");
    t.height = 1 << 23;
    refuse(t, "too many pixels");
    t.height = 4;
    t.color[1][2] = 1.5f;
    refuse(t, "colour");
    t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_FILE, 0);
    refuse(t, "file");
    t.file[0] = "/nonexistent/picture.png";
    refuse(t, "/nonexistent/picture.png");
    t.grid[0] = 3;
    refuse(t, "layout");
    memcpy(t.layout, ".U?", 4);
    refuse(t, "letters");
    t.kind = TS_TEXTURE_CUBE;
    t.grid[0] = 13;
    refuse(t, "cells");
}

// --- files -----------------------------------------------------------------------------------------------------------

// A PNG of four by three faces of one pixel, whose red is 10 times row + column, made by hand from stored (uncompressed) blocks.
typedef struct png_bytes {
    unsigned char byte[256];
    size_t count;
} png_bytes;

static void put(png_bytes* out, const void* bytes, size_t count) {
    memcpy(out->byte + out->count, bytes, count);
    out->count += count;
}

static void put_word(png_bytes* out, unsigned word) {
    const unsigned char b[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16), (unsigned char)(word >> 8),
                                (unsigned char)word};
    put(out, b, 4);
}

static unsigned crc_of(const unsigned char* bytes, size_t count) {
    unsigned crc = 0xffffffffu;
    for (size_t i = 0; i < count; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) crc = crc & 1u ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return crc ^ 0xffffffffu;
}

static void put_chunk(png_bytes* out, const char* type, const unsigned char* data, size_t count) {
    put_word(out, (unsigned)count);
    size_t begin = out->count;
    put(out, type, 4);
    put(out, data, count);
    put_word(out, crc_of(out->byte + begin, count + 4));
}

static png_bytes make_png(int width, int height) {
    png_bytes png = {{0}, 0};
    unsigned char raw[128];
    size_t count = 0;
    unsigned a = 1, b = 0;
    for (int r = 0; r < height; ++r) {
        raw[count++] = 0;
        for (int c = 0; c < width; ++c) raw[count++] = (unsigned char)(10 * (r + 1) + c);
    }
    for (size_t i = 0; i < count; ++i) {
        a = (a + raw[i]) % 65521u;
        b = (b + a) % 65521u;
    }
    put(&png, "\x89PNG\r\n\x1a\n", 8);
    const unsigned char header[13] = {0, 0, 0, (unsigned char)width, 0, 0, 0, (unsigned char)height, 8, 0, 0, 0, 0};
    put_chunk(&png, "IHDR", header, 13);
    unsigned char stream[160] = {0x78, 0x01, 0x01, (unsigned char)count, 0, (unsigned char)~count, 0xff};
    memcpy(stream + 7, raw, count);
    const unsigned char sum[4] = {(unsigned char)(b >> 8), (unsigned char)b, (unsigned char)(a >> 8), (unsigned char)a};
    memcpy(stream + 7 + count, sum, 4);
    put_chunk(&png, "IDAT", stream, count + 11);
    put_chunk(&png, "IEND", header, 0);
    return png;
}

static char path[300];

static void write_file(const void* bytes, size_t count) {
    const char* base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/touchstone-texture-XXXXXX", base && base[0] ? base : "/tmp");
    int number = mkstemp(path);
    cr_assert(number >= 0 && write(number, bytes, count) == (ssize_t)count);
    close(number);
}

static ts_texture of_file(ts_texture_kind kind) {
    ts_texture t = pattern(kind, TS_TEXTURE_FILE, 0);
    t.file[0] = path;
    ts_texture_picture p;
    ts_status status;
    ts_code code = ts_texture_paint(&t, &p, &status);
    ts_texture_picture_free(&p);
    if (code == TS_ERROR_UNSUPPORTED) {
        remove(path);
        cr_skip_test("%s", status.message);
    }
    return t;
}

Test(texture, a_picture_is_taken_as_it_is_or_turned) {
    png_bytes png = make_png(4, 3);
    write_file(png.byte, png.count);
    ts_texture t = of_file(TS_TEXTURE_FLAT);
    for (int turn = 0; turn < 4; ++turn) {
        t.flip[0] = turn & 1;
        t.flip[1] = turn >> 1;
        ts_texture_picture p = paint(&t);
        cr_assert(p.width == 4 && p.height == 3);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 4; ++c)
                cr_expect_eq(at(&p, 0, r, c), 10 * ((turn >> 1 ? 2 - r : r) + 1) + (turn & 1 ? 3 - c : c));
        ts_texture_picture_free(&p);
    }
    remove(path);
}

Test(texture, a_grid_of_faces_is_cut_by_its_layout) {
    png_bytes png = make_png(4, 3);
    write_file(png.byte, png.count);
    ts_texture t = of_file(TS_TEXTURE_CUBE);
    refuse(t, "4 x 3 pixels are no 1 x 1 squares");
    t.grid[0] = 3;
    t.grid[1] = 4;
    memcpy(t.layout, ".U..LFRB.D..", 13);
    ts_texture_picture p = paint(&t);
    const int wanted[6] = {22, 20, 11, 31, 21, 23};
    for (int face = 0; face < 6; ++face) cr_expect_eq(at(&p, face, 0, 0), wanted[face], "face %d", face);
    ts_texture_picture_free(&p);
    remove(path);
}

Test(texture, one_square_is_on_every_face_and_six_files_on_one_each) {
    png_bytes png = make_png(2, 2);
    write_file(png.byte, png.count);
    ts_texture t = of_file(TS_TEXTURE_CUBE);
    for (int six = 0; six < 2; ++six) {
        for (int f = 1; six && f < 6; ++f) t.file[f] = path;
        ts_texture_picture p = paint(&t);
        for (int face = 0; face < 6; ++face) cr_expect(at(&p, face, 0, 1) == 11 && at(&p, face, 1, 0) == 20);
        ts_texture_picture_free(&p);
    }
    remove(path);
}

Test(texture, broken_pictures_are_refused) {
    png_bytes png = make_png(4, 3);
    write_file(png.byte, png.count);
    (void)of_file(TS_TEXTURE_FLAT);
    remove(path);
    for (size_t cut = 0; cut < png.count; cut += 5) {
        write_file(png.byte, cut);
        ts_texture t = pattern(TS_TEXTURE_FLAT, TS_TEXTURE_FILE, 0);
        t.file[0] = path;
        refuse(t, "no sound PNG");
        remove(path);
    }
}
