// Height fields from MJCF: where elevations land, files of them, waves by their formula, mistakes with their place.
#include "collision/shape/height_field.h"
#include "engine/read/model_file.h"
#include "engine/step/step.h"
#include "engine/write/mjcf_writer.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

// Two rows of three pixels, 10 60 110 above 210 160 35: grey in 8 bits, and as the red of a picture in 16 bits.
static const unsigned char grey[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xe0, 0xb2, 0xc9, 0x63, 0xb8, 0xb4, 0x40, 0x19, 0x00, 0x07, 0xb5, 0x02, 0x4a,
    0x1c, 0x3e, 0x02, 0x51, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static const unsigned char colour[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x02, 0x10, 0x02, 0x00, 0x00, 0x00, 0x42, 0x86, 0x2d, 0x0e, 0x00, 0x00, 0x00, 0x26, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xe0, 0xfa, 0xcf, 0xc0, 0xc8, 0xc0, 0x64, 0xc3, 0x00, 0x22, 0xf3, 0x18, 0x18,
    0x98, 0x19, 0x58, 0x18, 0x2e, 0x31, 0x30, 0x70, 0x32, 0x70, 0x2e, 0x60, 0x07, 0x91, 0xca, 0x60, 0x36, 0x00, 0x51,
    0xcd, 0x03, 0x93, 0xd9, 0x4a, 0x63, 0x05, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

// A model of one field whose file is in `folder`; NULL when it is refused.
static ts_model* load_file(const char* folder, const char* name, ts_status* out_status) {
    char text[600];
    ts_model* model = NULL;
    snprintf(text, sizeof text,
             "<mujoco><asset>\n<hfield name='h' file='%s' size='2 1 0.5 0.1'/></asset>"
             "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
             name);
    memset(out_status, 0, sizeof *out_status);
    ts_mjcf_parse(text, strlen(text), "t.xml", folder, NULL, &model, out_status);
    return model;
}

// Six elevations, from the least y on, of a field of size 2 1 0.5 0.1.
static void expect_heights(const ts_model* model, const double wanted[6]) {
    cr_assert_eq(model->ground_count, 1);
    const ts_height_field* field = model->ground[0];
    cr_assert(model->geom[0].shape.kind == TS_SHAPE_HEIGHT_FIELD && model->geom[0].shape.height_field == field);
    cr_assert(field->rows == 2 && field->columns == 3);
    cr_expect(field->spacing_x == 2.0 && field->spacing_y == 2.0 && field->floor == -0.1);
    for (int i = 0; i < 6; ++i)
        cr_expect_float_eq(field->height[i], 0.5 * wanted[i], 1e-7, "%d: %g", i, field->height[i]);
}

static const double scaled[6] = {1.0, 0.75, 0.125, 0.0, 0.25, 0.5};

Test(height_fields, elevations_go_from_the_greatest_y_to_the_least) {
    ts_model* model = mjcf_read("<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' "
                                "elevation='10 60 110  210 160 35'/></asset>"
                                "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
    expect_heights(model, scaled);
    ts_model_free(model);
}

Test(height_fields, without_elevations_it_is_level) {
    ts_model* model = mjcf_read("<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1'/></asset>"
                                "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
    const double level[6] = {0.0};
    expect_heights(model, level);
    ts_model_free(model);
}

Test(height_fields, elevations_in_metres_stay_as_they_are) {
    ts_model* model = mjcf_read(
        "<mujoco><custom><text name='touchstone.elevation.h' data='metres'/></custom><asset><hfield name='h' nrow='2' "
        "ncol='2' size='2 1 0.5 0.1' elevation='0.1 0.2  0.3 -0.05'/></asset>"
        "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
    const double wanted[4] = {0.3, -0.05, 0.1, 0.2};
    for (int i = 0; i < 4; ++i) cr_expect_eq(model->ground[0]->height[i], wanted[i]);
    ts_model_free(model);
}

// A product of waves, s(x) 0.03 sin(2 pi x / 0.55) cos(2 pi y / 0.7), is two of them.
Test(height_fields, waves_follow_their_formula) {
    ts_model* model = mjcf_read(
        "<mujoco><asset><hfield name='h' nrow='41' ncol='61' size='1.5 1 1 0.2'/></asset>"
        "<worldbody><geom type='hfield' hfield='h'/></worldbody><custom><numeric name='touchstone.waves.h' data='"
        "0.5 0.25 0.015 1.8181818181818181 1.4285714285714286 0.015 1.8181818181818181 -1.4285714285714286'/></custom>"
        "</mujoco>");
    const ts_height_field* field = model->ground[0];
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int i = 0; i < field->rows * field->columns; ++i) {
        long double x = (i % 61 - 30) * 0.05L, y = (i / 61 - 20) * 0.05L, t = (x - 0.5L) / 0.25L;
        long double s = t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : 3.0L * t * t - 2.0L * t * t * t;
        long double z = s * 0.03L * sinl(2.0L * pi * x / 0.55L) * cosl(2.0L * pi * y / 0.7L);
        cr_expect_float_eq(field->height[i], (double)z, 1e-14, "%d", i);
    }
    ts_model_free(model);
}

Test(height_fields, files) {
    char folder[256];
    unsigned char own[8 + 24] = {2, 0, 0, 0, 3, 0, 0, 0};
    const float value[6] = {210.0f, 160.0f, 35.0f, 10.0f, 60.0f, 110.0f};  // its first row is at the least y
    ts_status status;
    scratch_make(folder);
    memcpy(own + 8, value, sizeof value);
    scratch_write(folder, "own.hf", own, sizeof own);
    scratch_write(folder, "grey.PNG", grey, sizeof grey);
    scratch_write(folder, "colour.png", colour, sizeof colour);
    const char* names[] = {"own.hf", "grey.PNG", "colour.png"};
    for (int i = 0; i < 3; ++i) {
        ts_model* model = load_file(folder, names[i], &status);
        if (!model && status.code == TS_ERROR_UNSUPPORTED) continue;  // built without libpng
        cr_assert_not_null(model, "%s: %s", names[i], status.message);
        expect_heights(model, scaled);
        ts_model_free(model);
        scratch_remove(folder, names[i]);
    }
    rmdir(folder);
}

static void refuse_file(const char* folder, const void* bytes, size_t size, const char* name, const char* why) {
    ts_status status;
    scratch_write(folder, name, bytes, size);
    ts_model* model = load_file(folder, name, &status);
    cr_assert_null(model, "%s of %zu bytes", name, size);
    scratch_remove(folder, name);
    if (status.code == TS_ERROR_UNSUPPORTED) return;
    cr_expect(status.line == 2 && strstr(status.message, name) && strstr(status.message, why), "%s:%d: %s", status.file,
              status.line, status.message);
}

Test(height_fields, damaged_files_are_refused_with_the_reason) {
    char folder[256];
    unsigned char own[8 + 24] = {2, 0, 0, 0, 3, 0, 0, 0};
    scratch_make(folder);
    refuse_file(folder, own, sizeof own - 1, "cut.hf", "32 bytes");
    refuse_file(folder, own, 5, "head.hf", "ends");
    own[3] = 0x80;
    refuse_file(folder, own, sizeof own, "minus.hf", "negative");
    own[3] = 0x7f;
    refuse_file(folder, own, sizeof own, "vast.hf", "more than");
    own[3] = 0;
    own[0] = 1;
    refuse_file(folder, own, sizeof own, "thin.hf", "two rows");
    own[0] = 2;
    memset(own + 8, 0xff, 24);
    ts_status status;
    scratch_write(folder, "nan.hf", own, sizeof own);
    cr_assert_null(load_file(folder, "nan.hf", &status));
    cr_expect(status.line == 2 && strstr(status.message, "not finite"), "%s", status.message);
    scratch_remove(folder, "nan.hf");
    for (size_t size = 0; size < sizeof grey - 12; ++size) refuse_file(folder, grey, size, "cut.png", "PNG");
    unsigned char bent[sizeof grey];
    for (size_t i = 0; i < sizeof grey; ++i) {
        memcpy(bent, grey, sizeof bent);
        bent[i] ^= 0x40;
        scratch_write(folder, "bent.png", bent, sizeof bent);
        ts_model* model = load_file(folder, "bent.png", &status);
        cr_expect(model || status.message[0], "byte %zu", i);
        ts_model_free(model);
        scratch_remove(folder, "bent.png");
    }
    rmdir(folder);
}

static void refuse_field(const char* hfield, const char* geom, int line, const char* wanted) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><asset>\n<hfield %s/></asset><worldbody>\n<body><geom %s/></body></worldbody></mujoco>", hfield,
             geom);
    mjcf_refuse(text, line, wanted);
}

Test(height_fields, mistakes) {
    const char* use = "type='hfield' hfield='h'";
    refuse_field("nrow='2' ncol='2' size='1 1 1 1'", use, 2, "needs a name");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 1'", use, 2, "size");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 0 1'", use, 2, "positive");
    refuse_field("name='h' nrow='1' ncol='2' size='1 1 1 1'", use, 2, "two rows");
    refuse_field("name='h' nrow='99999' ncol='99999' size='1 1 1 1'", use, 2, "more than");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'", use, 2, "3 numbers");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 1e300'", use, 2, "not finite");
    refuse_field("name='h' file='x.png' size='1 1 1 1'", use, 2, "not read from a file");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 1 1'", "type='hfield'", 3, "needs an hfield");
    refuse_field("name='h' nrow='2' ncol='2' size='1 1 1 1'", "type='hfield' hfield='g'", 3, "no hfield 'g'");
    mjcf_refuse(
        "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody><body><freejoint/>"
        "\n<geom type='hfield' hfield='h'/></body></worldbody></mujoco>",
        2, "does not move");
}

// On a slope of 1 in 10 a block with friction stays, one without slides by g sin cos t^2 / 2.
Test(height_fields, blocks_on_a_slope) {
    ts_model* model = mjcf_read(
        "<mujoco><option gravity='0 0 -10'/><asset><hfield name='h' nrow='9' ncol='9' size='4 4 0.8 1' elevation='"
        "0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 "
        "0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8'/></asset><worldbody>"
        "<geom type='hfield' hfield='h' friction='0'/>"
        "<body pos='1.3 0.3 0.63002' zaxis='-0.1 0 1'><freejoint/><geom type='box' size='0.1 0.1 0.1' "
        "friction='0.5'/></body>"
        "<body pos='1.3 -1.3 0.63002' zaxis='-0.1 0 1'><freejoint/><geom type='box' size='0.1 0.1 0.1' "
        "friction='0'/></body>"
        "</worldbody></mujoco>");
    ts_sim* sim = NULL;
    cr_assert_eq(ts_sim_create(model, 1, &sim, NULL), TS_OK);
    for (int i = 0; i < 250; ++i) cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
    double along = 10.0 * 0.1 / (1.0 + 0.01) * 0.5 * 0.25;
    cr_expect_float_eq(sim->qpos[0], 1.3, 1e-4, "%g", sim->qpos[0]);
    cr_expect_float_eq(sim->qpos[7], 1.3 - along, 2e-3, "%g against %g", sim->qpos[7], 1.3 - along);
    ts_sim_free(sim);
    ts_model_free(model);
}

// Written and read back: the same bits, in MuJoCo's way and in metres.
Test(height_fields, written_and_read_back) {
    const char* notes[] = {"", "<text name='touchstone.elevation.h' data='metres'/>",
                           "<numeric name='touchstone.waves.h' data='0 0.1  0.1 0.37 0.81'/>"};
    for (int n = 0; n < 3; ++n) {
        char text[700];
        snprintf(text, sizeof text,
                 "<mujoco><custom>%s</custom><asset><hfield name='h' nrow='3' ncol='2' size='0.7 0.9 0.33 0.2' "
                 "elevation='0.1 0.123 -0.12 0.7 0.333 0.2'/></asset><worldbody><geom type='hfield' "
                 "hfield='h'/></worldbody></mujoco>",
                 notes[n]);
        ts_model* model = mjcf_read(text);
        ts_text written = {0};
        ts_status status;
        cr_assert_eq(ts_mjcf_writer_text(model, NULL, &written, &status), TS_OK, "%s", status.message);
        ts_model* again = mjcf_read(ts_text_get(&written));
        const ts_height_field *a = model->ground[0], *b = again->ground[0];
        cr_assert(a->rows == b->rows && a->columns == b->columns && a->floor == b->floor);
        cr_expect(a->spacing_x == b->spacing_x && a->spacing_y == b->spacing_y);
        cr_expect_eq(memcmp(a->height, b->height, 6 * sizeof(double)), 0, "%d", n);
        ts_text_free(&written);
        ts_model_free(again);
        ts_model_free(model);
    }
}
