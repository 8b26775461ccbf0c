// Claims: <texture> and <material> land in the model with MJCF's defaults and classes; geoms wear them; a picture that is not there costs a
// finding and no more; everything else that is wrong is refused with its place; what is written reads back.
#include "collision/shape/mesh_file.h"
#include "engine/write/mjcf_writer.h"
#include "tests/engine/read/mjcf_sample.h"

static const char looks[] =
    "<mujoco><default><material specular='0.25'/><default class='c'><material shininess='1'/></default></default>"
    "<asset><material name='a' class='c' texture='ground' texrepeat='5 4' texuniform='true' emission='0.5'/>"
    "<texture type='skybox' builtin='gradient' rgb1='.3 .5 .7' rgb2='0 0 0' width='8' height='48'/>"
    "<texture name='ground' type='2d' builtin='checker' mark='edge' rgb1='0.2 0.3 0.4' rgb2='0.1 0.2 0.3' "
    "markrgb='0.8 0.8 0.8' width='30' height='20'/>"
    "<texture name='box' builtin='flat' width='4' mark='random' random='0.5'/>"
    "<material name='b' rgba='1 0.5 0 0.75'><layer role='rgb' texture='box'/></material></asset>"
    "<worldbody><geom name='floor' type='plane' size='2 3 1' material='a'/>"
    "<body><freejoint/><geom name='x' size='1' material='b'/><geom name='y' size='1' material='b' rgba='0 1 0 1'/>"
    "<geom name='z' size='1'/></body></worldbody></mujoco>";

static void expect_looks(const ts_model* m) {
    cr_assert(m->texture_count == 3 && m->material_count == 2);
    const ts_texture *sky = &m->texture[0], *ground = &m->texture[1], *box = &m->texture[2];
    cr_expect(sky->kind == TS_TEXTURE_SKY && sky->pattern == TS_TEXTURE_GRADIENT && sky->width == 8);
    cr_expect(ground->kind == TS_TEXTURE_FLAT && ground->pattern == TS_TEXTURE_CHECKER &&
              ground->mark == TS_TEXTURE_EDGE && ground->width == 30 && ground->height == 20);
    cr_expect(ground->color[0][1] == 0.3f && ground->color[1][0] == 0.1f && ground->mark_color[2] == 0.8f);
    cr_expect(box->kind == TS_TEXTURE_CUBE && box->mark == TS_TEXTURE_RANDOM && box->random == 0.5 &&
              box->color[0][0] == 0.8f && box->color[1][0] == 0.5f);
    const ts_visual_material *a = &m->material[0], *b = &m->material[1];
    cr_expect(a->texture == 1 && a->uniform == 1 && a->repeat[0] == 5.0 && a->repeat[1] == 4.0 && a->emission == 0.5 &&
              a->specular == 0.25 && a->shininess == 1.0);
    cr_expect(b->texture == 2 && b->uniform == 0 && b->repeat[0] == 1.0 && b->emission == 0.0 && b->specular == 0.25 &&
              b->shininess == 0.5);
    const ts_geom* geom = m->geom;
    cr_expect(geom[0].material == 0 && geom[1].material == 1 && geom[2].material == 1 && geom[3].material == -1);
    cr_expect(geom[1].rgba[1] == 0.5f && geom[1].rgba[3] == 0.75f && geom[2].rgba[0] == 0.0f);
}

Test(mjcf_looks, textures_and_materials_land_in_the_model) {
    ts_model* m = mjcf_read(looks);
    expect_looks(m);
    cr_expect(m->geom[0].plane_half[0] == 2.0 && m->geom[0].plane_half[1] == 3.0);
    ts_model_free(m);
}

Test(mjcf_looks, they_are_written_and_read_back) {
    ts_model* m = mjcf_read(looks);
    ts_text text = {0};
    ts_status status;
    cr_assert_eq(ts_mjcf_writer_text(m, NULL, &text, &status), TS_OK, "%s", status.message);
    ts_model* back = mjcf_read(ts_text_get(&text));
    expect_looks(back);
    ts_model_free(back);
    ts_model_free(m);
    ts_text_free(&text);
}

// A mesh in the model file with its triangles and its places; u and v by what the texture shows.
static void expect_mesh(const ts_model* m) {
    static const int triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const float place[4][2] = {{0.0f, 0.0f}, {1.0f, 0.25f}, {0.5f, 1.0f}, {-0.5f, 2.0f}};
    const ts_mesh* mesh = m->hull_count == 1 ? m->hull_source[0].mesh : NULL;
    cr_assert(mesh && mesh->vertex_count == 4 && mesh->triangle_count == 4 && mesh->place);
    for (int i = 0; i < 12; ++i) {
        const float* at = place[triangle[i]];
        cr_expect_eq(mesh->triangle[i], triangle[i]);
        cr_expect(mesh->place[2 * i] == at[0] && mesh->place[2 * i + 1] == at[1]);
    }
    cr_expect_eq(mesh->vertex[3].z - mesh->vertex[0].z, 2.0);
}

Test(mjcf_looks, meshes_with_places_are_read_and_written) {
    ts_model* m = mjcf_read(
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3' scale='1 1 2' "
        "texcoord='0 0 1 .25 .5 1 -.5 2'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
    ts_text text = {0};
    ts_status status;
    expect_mesh(m);
    cr_assert_eq(ts_mjcf_writer_text(m, NULL, &text, &status), TS_OK, "%s", status.message);
    ts_model* back = mjcf_read(ts_text_get(&text));
    expect_mesh(back);
    ts_model_free(back);
    ts_model_free(m);
    ts_text_free(&text);
}

static void refuse_in_asset(const char* element, const char* wanted) {
    char text[600];
    snprintf(text, sizeof text, "<mujoco><asset>\n%s</asset></mujoco>", element);
    mjcf_refuse(text, 2, wanted);
}

Test(mjcf_looks, mistakes_are_refused_where_they_are) {
    refuse_in_asset("<texture/>", "a name or a file");
    refuse_in_asset("<texture name='t'/>", "needs one file");
    refuse_in_asset("<texture builtin='flat' width='4'/>", "a name or a file");
    refuse_in_asset("<texture name='t' builtin='stripes' width='4'/>", "'stripes'");
    refuse_in_asset("<texture name='t' type='3d' builtin='flat' width='4'/>", "'3d'");
    refuse_in_asset("<texture name='t' type='2d' builtin='flat' width='4'/>", "height");
    refuse_in_asset("<texture name='t' builtin='flat' width='4' rgb1='1 1'/>", "rgb1");
    refuse_in_asset("<texture name='t' builtin='flat' width='4' rgb1='1 2 1'/>", "colour");
    refuse_in_asset("<texture name='t' builtin='flat' width='4' mark='random' random='-1'/>", "random");
    refuse_in_asset("<texture name='t' builtin='flat' width='99999'/>", "too many pixels");
    refuse_in_asset("<texture name='t' builtin='flat' wide='4'/>", "no attribute 'wide'");
    refuse_in_asset("<texture name='t' builtin='flat' width='4'/><texture name='t' builtin='flat' width='4'/>",
                    "another texture");
    refuse_in_asset("<material name='m' texture='t'/>", "no texture 't'");
    refuse_in_asset("<material name='m' texrepeat='0 1'/>", "more than zero times");
    refuse_in_asset("<material name='m' shininess='2'/>", "shininess");
    refuse_in_asset("<material name='m' emission='-1'/>", "negative");
    mjcf_refuse("<mujoco><worldbody>\n<geom size='1' material='m'/></worldbody></mujoco>", 2, "no material 'm'");
}

// A model for computing alone may lack its pictures.
Test(mjcf_looks, pictures_that_cannot_be_had_cost_a_finding) {
    static const char text[] =
        "<mujoco><asset>\n<texture type='2d' file='gone.png'/>\n<texture name='k' file='gone.ktx'/>"
        "<material name='m' texture='gone'/></asset><worldbody><geom size='1' material='m'/></worldbody></mujoco>";
    ts_import_report report = mjcf_report(text);
    const ts_import_item* item = mjcf_finding(&report, "texture gone.png");
    cr_assert(item && item->line == 2 && item->level == TS_IMPORT_IGNORED && !item->affects_physics);
    cr_assert_not_null(mjcf_finding(&report, "texture gone.ktx"));
    cr_assert_null(mjcf_finding(&report, "material@texture"));
    ts_import_report_free(&report);
    ts_model* m = mjcf_read(text);
    cr_expect(m->texture_count == 0 && m->material_count == 1 && m->material[0].texture == -1);
    ts_model_free(m);
}
