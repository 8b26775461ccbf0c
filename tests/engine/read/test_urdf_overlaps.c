// Links that overlap while all joints are at zero: who touches whom, where no SRDF says so. Boxes of 0.1 m on slides along x, so that where they are
// says who overlaps whom.
#include "tests/engine/read/urdf_sample.h"

#include "engine/read/urdf/urdf_internal.h"
#include "engine/step/step.h"

// Link `name` at x on the root, turned about z.
static void add_box(ts_text* text, const char* name, double x, double turn) {
    ts_text_add(
        text,
        "<link name='%s'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
        "izz='1'/></inertial>"
        "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
        "<joint name='j%s' type='prismatic'><parent link='base'/><child link='%s'/><origin xyz='%g 0 0' rpy='0 0 %g'/>"
        "<axis xyz='1 0 0'/><limit lower='-9' upper='9' effort='0' velocity='0'/></joint>",
        name, name, name, x, turn);
}

typedef struct robot {
    ts_text text;
    ts_model* model;
    ts_import_report report;
} robot;

static void read_robot(robot* r, const char* srdf, int overlaps_touch) {
    ts_model_file_options options = {.overlaps_touch = overlaps_touch};
    ts_status status;
    ts_urdf_input input = {.text = ts_text_get(&r->text), .size = r->text.length, .name = "t.urdf", .srdf = srdf};
    input.srdf_size = srdf ? strlen(srdf) : 0;
    cr_assert_eq(ts_urdf_parse_input(&input, &options, &r->report, &r->model, &status), TS_OK, "%s", status.message);
}

// How many pairs of bodies touch once the second one has slid to where `slide` says.
static int touches(const ts_model* model, double slide) {
    ts_sim* sim = NULL;
    ts_status status;
    int pairs = 0;
    cr_assert_eq(ts_sim_create(model, 1, &sim, &status), TS_OK);
    sim->qpos[1] = slide;
    cr_assert_eq(ts_sim_forward(sim, &status), TS_OK);
    for (int i = 0; i < sim->contact_count; ++i)
        pairs += i == 0 || sim->contact[i].geom_a != sim->contact[i - 1].geom_a ||
                 sim->contact[i].geom_b != sim->contact[i - 1].geom_b;
    ts_sim_free(sim);
    return pairs;
}

// Three boxes in a row; the second overlaps the first by `depth`, the third is far off.
static void make_row(robot* r, double depth, double turn) {
    memset(r, 0, sizeof *r);
    ts_text_add(&r->text, "<robot name='r'>" LINK("base"));
    add_box(&r->text, "one", 0.0, 0.0);
    add_box(&r->text, "two", 0.1 - depth, turn);
    add_box(&r->text, "three", 1.0, 0.0);
    ts_text_add(&r->text, "</robot>");
}

static void free_robot(robot* r) {
    ts_text_free(&r->text);
    ts_model_free(r->model);
    ts_import_report_free(&r->report);
}

static const char what[] = "links that overlap with all joints at zero";

Test(urdf_overlaps, deep_ones_never_touch) {
    robot r;
    make_row(&r, 0.0011, 0.0);
    read_robot(&r, NULL, 0);
    const ts_import_item* item = mjcf_finding(&r.report, what);
    cr_assert(item && item->count == 1 && item->level == TS_IMPORT_APPROXIMATED);
    cr_assert_eq(touches(r.model, 0.0), 0);
    cr_assert_eq(touches(r.model, -0.05), 0);
    // The third is no such link: both others may touch it.
    cr_assert_eq(touches(r.model, 0.86), 1);
    free_robot(&r);
}

Test(urdf_overlaps, what_meets_at_most_touches) {
    for (int i = 0; i < 2; ++i) {
        robot r;
        make_row(&r, i ? 0.0009 : 0.0, 0.0);
        read_robot(&r, NULL, 0);
        cr_assert_null(mjcf_finding(&r.report, what));
        cr_assert_eq(touches(r.model, -0.01), 1);
        free_robot(&r);
    }
}

// Boxes around them overlap, they do not: a corner of one that is turned by 45 degrees stands beside the face of the other.
Test(urdf_overlaps, shapes_count_and_not_boxes) {
    robot r;
    make_row(&r, 0.05 - 0.05 * 1.41421356 - 0.001, 0.78539816339744831);
    read_robot(&r, NULL, 0);
    cr_assert_null(mjcf_finding(&r.report, what));
    free_robot(&r);
    make_row(&r, 0.05 - 0.05 * 1.41421356 + 0.002, 0.78539816339744831);
    read_robot(&r, NULL, 0);
    cr_assert_not_null(mjcf_finding(&r.report, what));
    free_robot(&r);
}

Test(urdf_overlaps, an_srdf_or_the_user_has_the_last_word) {
    robot r;
    make_row(&r, 0.03, 0.0);
    read_robot(&r, "<robot name='r'/>", 0);
    cr_assert_null(mjcf_finding(&r.report, what));
    cr_assert_eq(touches(r.model, 0.0), 1);
    free_robot(&r);
    make_row(&r, 0.03, 0.0);
    read_robot(&r, NULL, 1);
    cr_assert_null(mjcf_finding(&r.report, what));
    cr_assert_eq(touches(r.model, 0.0), 1);
    free_robot(&r);
}
