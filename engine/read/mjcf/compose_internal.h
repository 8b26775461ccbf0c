// Models out of parts: documents, and copies of what stands in them.
#ifndef TS_ENGINE_MJCF_COMPOSE_INTERNAL_H
#define TS_ENGINE_MJCF_COMPOSE_INTERNAL_H

#include "engine/read/mjcf/mjcf_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds on what few characters can ask for any number of: elements made by <replicate> and <attach>, models in models, how deep
/// they may end up in each other, and looks at elements while it is found out what refers to what is copied.
enum {
    TS_MJCF_COPY_LIMIT = 200000,
    TS_MJCF_DOCUMENT_LIMIT = 1000,
    TS_MJCF_NESTING_LIMIT = 50,
    TS_MJCF_DEPTH_LIMIT = 3 * TS_XML_DEPTH_LIMIT,
    TS_MJCF_LOOK_LIMIT = 50000000
};

// --- documents.c ---

/// Adds a document with nothing in it. Returns its number, or -1 with a failure at `node` (which may be NULL).
int ts_mjcf_add_document(ts_mjcf_reader* reader, const ts_xml_node* node, const char* directory, int parent);

/// <model> of <asset>: another file, read and prepared.
void ts_mjcf_read_model_asset(ts_mjcf_reader* reader, const ts_xml_node* node);

// --- compose.c ---

/// Works out <replicate> and <attach> in a document: afterwards there are none.
void ts_mjcf_compose(ts_mjcf_reader* reader, int document);

// --- copies.c ---

/// What copying adds to the names of all that is copied; "" for nothing.
typedef struct ts_mjcf_affix {
    const char* prefix;
    const char* suffix;
} ts_mjcf_affix;

/// Releases the memory.
void ts_mjcf_name_set_free(ts_mjcf_name_set* set);

/// What a name of that element belongs to, or -1.
int ts_mjcf_name_kind_of(const ts_xml_node* node);

/// The names of a node (but for itself when `with_node` is 0) and of all below it, added to the set.
void ts_mjcf_collect_names(ts_mjcf_reader* reader, const ts_xml_node* node, int with_node, ts_mjcf_name_set* set);

/// A copy of a node and of all below it, up to `stop` (NULL: nothing), renamed. NULL on failure.
ts_xml_node* ts_mjcf_copy_tree(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_xml_node* stop,
                               ts_mjcf_affix affix);

/// Renames a node and all below it in place.
void ts_mjcf_rename_tree(ts_mjcf_reader* reader, ts_xml_node* node, ts_mjcf_affix affix);

/// Cameras in a tree (itself included) that look at a body of `moved` look at the body of the new name.
void ts_mjcf_retarget(ts_mjcf_reader* reader, ts_xml_node* node, const ts_mjcf_name_set* moved, ts_mjcf_affix affix);

/// A group of sections' elements outside of the tree that refer to something of a set (or to another of them).
typedef struct ts_mjcf_referrers {
    ts_xml_node_array node;
    ts_mjcf_name_set moved;  // what they refer to, themselves included
} ts_mjcf_referrers;

/// Finds what in <contact>, <tendon>, <equality>, <actuator>, <sensor> of a document refers to the names of `out->moved`,
/// which are added to. Elements of <sensor> that refer to nothing at all count when `with_free` is nonzero.
void ts_mjcf_find_referrers(ts_mjcf_reader* reader, const ts_xml_node* root, int with_free, ts_mjcf_referrers* out);

/// Copies them, renamed like what they refer to, into the sections of `document`. Where they also refer to something that
/// was not copied: equalities and actuators are left out; of the others those that, coming from another document, name
/// something that this one does not have.
void ts_mjcf_copy_referrers(ts_mjcf_reader* reader, const ts_mjcf_referrers* referrers, int document,
                            ts_mjcf_affix affix);

/// Takes them out of their sections under `root`, the very one that they were found in.
void ts_mjcf_remove_referrers(const ts_mjcf_referrers* referrers, ts_xml_node* root);

/// Releases the memory.
void ts_mjcf_referrers_free(ts_mjcf_referrers* referrers);

#ifdef __cplusplus
}
#endif
#endif
