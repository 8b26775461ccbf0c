// XML text to a tree of plain nodes with their places, for every reader of models. Untrusted input: no network, no entity
// is expanded, depth, elements and bytes are bounded.
//
// Errors are sticky: the first one is kept (place and message), everything after it is harmless and meaningless, and
// callers look at `code` where it matters.
#ifndef TS_ENGINE_XML_INTERNAL_H
#define TS_ENGINE_XML_INTERNAL_H

#include "base/arena.h"
#include "base/text.h"
#include "engine/read/import_report.h"
#include "engine/read/name_table_internal.h"

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Limits on what a file may ask for. Real models have a depth below 60, a few thousand elements, and a few MB.
enum {
    TS_XML_DEPTH_LIMIT = 100,
    TS_XML_ELEMENT_LIMIT = 2000000,  // in all files together
    TS_XML_BYTE_LIMIT = 64 << 20,    // in all files together
    TS_XML_INCLUDE_LIMIT = 1000      // files
};

/// name="value"
typedef struct ts_xml_attribute {
    const char* name;
    const char* value;
} ts_xml_attribute;

/// An element. Lives in the arena of its ts_xml, like everything it points to.
typedef struct ts_xml_node {
    const char* name;
    const char* file;
    int line;
    int document;  // which of the reader's documents it is of
    int attribute_count;
    const ts_xml_attribute* attribute;
    const char* text;                  // between its tags, where the dialect keeps it; never NULL
    const struct ts_xml_node* origin;  // what it is a copy of, or NULL
    struct ts_xml_node* parent;
    struct ts_xml_node* child;
    struct ts_xml_node* last_child;
    struct ts_xml_node* next;
} ts_xml_node;

/// What a family of files does with XML.
typedef struct ts_xml_dialect {
    const char* name;         // "MJCF", for messages
    const char* include;      // an element that stands for another file's contents; NULL: there is none
    const char* fragment[2];  // root elements that such a file may have
    int takes_prefixes;       // nonzero: <a:b> is an element "a:b", declared or not; else it is refused
    int keeps_text;           // nonzero: nodes carry their text; else text is reported as meaningless
} ts_xml_dialect;

/// Reading one file and what belongs to it. Zero-initialised but for dialect, directory and report; free with ts_xml_free.
typedef struct ts_xml {
    const ts_xml_dialect* dialect;
    const char* directory;     // where names of files begin; NULL: no file may be opened
    ts_import_report* report;  // may be NULL
    ts_arena arena;
    ts_code code;  // first failure
    ts_status problem;
    int element_count;
    int document;  // that nodes parsed from now on are of
    size_t byte_count;
    ts_name_table seen_file;  // real paths read so far; value 1 while open
} ts_xml;

/// Parses text into a tree; NULL on failure. `file` stands in messages.
ts_xml_node* ts_xml_parse(ts_xml* xml, const char* text, size_t size, const char* file);

/// Releases the memory and with it all nodes.
void ts_xml_free(ts_xml* xml);

/// Reads a whole regular file (no pipe, no device) of at most TS_XML_BYTE_LIMIT bytes.
ts_code ts_xml_read_file(const char* path, ts_text* out_text, ts_status* out_status);

/// The folder of a path, "" for the current one; to be freed. NULL on short memory.
char* ts_xml_folder_of(const char* path);

/// How reading ended: xml->code, with the problem (or, where the failure is not of this reader's, what stands in *status
/// already) in *status, and `name` as its file where it has none.
ts_code ts_xml_outcome(const ts_xml* xml, const char* name, ts_status* status);

/// Takes the first failure, with a printf-style message. node (NULL: no place) says where. Always returns xml->code.
ts_code ts_xml_fail(ts_xml* xml, const ts_xml_node* node, ts_code code, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/// The same with the arguments as a list.
void ts_xml_fail_list(ts_xml* xml, const ts_xml_node* node, ts_code code, const char* format, va_list arguments);

/// A copy of text in the arena; "" on failure.
const char* ts_xml_copy(ts_xml* xml, const char* text, size_t length);

/// The file a name in the model means: absolute, or below `directory` ("" is the current one), joined with a sub-directory
/// ("" for none). In the arena; NULL on failure.
const char* ts_xml_path(ts_xml* xml, const char* directory, const char* sub_directory, const char* name);

/// An attribute of that very node, or NULL.
const char* ts_xml_value(const ts_xml_node* node, const char* name);

/// Whether `word` is one of a list's, which blanks separate.
int ts_xml_is_listed(const char* list, const char* word);

// --- xml_edit.c: making trees out of trees; whatever is made counts as an element that was read ---

/// A node without attributes and children, of the document and at the place of another; NULL on failure.
ts_xml_node* ts_xml_make(ts_xml* xml, const ts_xml_node* place, const char* name);

/// A node with the same name, attributes and place, without children and parent; NULL on failure.
ts_xml_node* ts_xml_copy_node(ts_xml* xml, const ts_xml_node* node);

/// Gives an attribute of that very node a value (not copied).
void ts_xml_set(ts_xml* xml, ts_xml_node* node, const char* name, const char* value);

/// Adds a child behind the others.
void ts_xml_append(ts_xml_node* parent, ts_xml_node* child);

/// Moves all children behind those of another node.
void ts_xml_move_children(ts_xml_node* from, ts_xml_node* to);

#ifdef __cplusplus
}
#endif
#endif
