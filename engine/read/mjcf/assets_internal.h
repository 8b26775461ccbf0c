// What <asset> holds, for those who read it and those who ask for it.
#ifndef TS_ENGINE_MJCF_ASSETS_INTERNAL_H
#define TS_ENGINE_MJCF_ASSETS_INTERNAL_H

#include "engine/read/mjcf/mjcf_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- assets.c ---

/// <asset>.
void ts_mjcf_read_asset(ts_mjcf_reader* reader, const ts_xml_node* node);

/// The mesh of that name, loaded if it can be; NULL with a failure at `node` when there is no such asset. A mesh that
/// could not be loaded has hull == NULL and says why in `problem`.
const ts_mjcf_mesh* ts_mjcf_load_mesh(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name);

/// The name of an asset: its own, else the stem of its file; NULL with a failure when it has neither.
const char* ts_mjcf_asset_name(ts_mjcf_reader* reader, const ts_xml_node* node);

/// Where an asset's file is, in `folder` or, where that is "", in that of all assets; NULL with a failure at `node`.
const char* ts_mjcf_asset_path(ts_mjcf_reader* reader, const ts_xml_node* node, const char* folder, const char* file);

// --- inline_mesh.c ---

/// The mesh that an element holds itself, in `vertex`, `face` and `texcoord`. Free with ts_mesh_free, after a failure too.
ts_code ts_mjcf_inline_mesh(const ts_mjcf_element* element, ts_mesh* out_mesh, ts_status* out_status);

// --- looks.c ---

/// <texture>.
void ts_mjcf_add_texture(ts_mjcf_reader* reader, const ts_xml_node* node);

/// <material>.
void ts_mjcf_add_material(ts_mjcf_reader* reader, const ts_xml_node* node);

/// Once all documents are prepared: the builder's materials, with the textures that they name.
void ts_mjcf_settle_materials(ts_mjcf_reader* reader);

// --- height_fields.c ---

/// <hfield>.
void ts_mjcf_add_height_field(ts_mjcf_reader* reader, const ts_xml_node* node);

/// Whether a file is a PNG, by what the element says or by its name.
int ts_mjcf_names_png(const ts_xml_node* node, const char* file);

/// The height field of that name; NULL with a failure.
const ts_height_field* ts_mjcf_find_height_field(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name);

#ifdef __cplusplus
}
#endif
#endif
