// MJCF text to a tree of nodes with their places, includes spliced in.
//
// The text is untrusted. libxml2's SAX interface is used without building its own document: the callbacks below count depth
// and elements and stop the parser at the first offence, so a million nested elements cost a hundred. A DOCTYPE is refused the
// moment it is seen, before its contents: no entity is ever declared, so none can expand. Nothing is fetched: includes
// are opened here, each file once, which also rules out cycles.
#include "engine/read/mjcf/mjcf_internal.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"

// --- names ---

static int name_place(const ts_mjcf_names* names, const char* key) {
    uint64_t hash = ts_hash_bytes(TS_HASH_START, key, strlen(key));
    int at = (int)((hash ^ (hash >> 32)) & (uint64_t)(names->capacity - 1));
    while (names->key[at] && strcmp(names->key[at], key) != 0) at = (at + 1) & (names->capacity - 1);
    return at;
}

int ts_mjcf_names_find(const ts_mjcf_names* names, const char* key) {
    if (names->count == 0) return -1;
    int at = name_place(names, key);
    return names->key[at] ? names->value[at] : -1;
}

int ts_mjcf_names_put(ts_mjcf_names* names, const char* key, int value) {
    if (2 * names->count >= names->capacity) {
        ts_mjcf_names bigger = {NULL, NULL, names->count, names->capacity ? 2 * names->capacity : 64};
        bigger.key = (const char**)calloc((size_t)bigger.capacity, sizeof *bigger.key);
        bigger.value = (int*)calloc((size_t)bigger.capacity, sizeof *bigger.value);
        if (!bigger.key || !bigger.value) {
            free(bigger.key);
            free(bigger.value);
            return 0;
        }
        for (int i = 0; i < names->capacity; ++i) {
            if (!names->key[i]) continue;
            int at = name_place(&bigger, names->key[i]);
            bigger.key[at] = names->key[i];
            bigger.value[at] = names->value[i];
        }
        free(names->key);
        free(names->value);
        *names = bigger;
    }
    int at = name_place(names, key);
    if (!names->key[at]) ++names->count;
    names->key[at] = key;
    names->value[at] = value;
    return 1;
}

void ts_mjcf_names_free(ts_mjcf_names* names) {
    free(names->key);
    free(names->value);
    memset(names, 0, sizeof *names);
}

// --- failures and text ---

ts_code ts_mjcf_fail(ts_mjcf_reader* reader, const ts_mjcf_node* node, ts_code code, const char* format, ...) {
    if (reader->code) return reader->code;
    char why[sizeof reader->problem.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    reader->code = code;
    ts_status_set(&reader->problem, code, node ? node->file : NULL, node ? node->line : 0, "%s", why);
    return code;
}

static void short_memory(ts_mjcf_reader* reader) { ts_mjcf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory"); }

const char* ts_mjcf_copy(ts_mjcf_reader* reader, const char* text, size_t length) {
    char* copy = TS_ARENA_ARRAY(&reader->arena, char, length + 1);
    if (!copy) {
        short_memory(reader);
        return "";
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

const char* ts_mjcf_path(ts_mjcf_reader* reader, const char* sub_directory, const char* name) {
    char path[4096];
    int n;
    if (name[0] == '/')
        n = snprintf(path, sizeof path, "%s", name);
    else if (sub_directory[0] == '/')
        n = snprintf(path, sizeof path, "%s/%s", sub_directory, name);
    else
        n = snprintf(path, sizeof path, "%s%s%s%s%s", reader->directory, reader->directory[0] ? "/" : "", sub_directory,
                     sub_directory[0] ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof path) {
        ts_mjcf_fail(reader, NULL, TS_ERROR_VALUE, "a file name is longer than %zu bytes", sizeof path - 1);
        return NULL;
    }
    return ts_mjcf_copy(reader, path, (size_t)n);
}

// --- the parser ---

// Large, because the parser looks back to the beginning of an unfinished tag once per piece.
enum { PIECE_BYTES = 1 << 20 };

// One file being read.
typedef struct xml_file {
    ts_mjcf_reader* reader;
    xmlParserCtxtPtr context;
    const char* file;
    ts_mjcf_node* root;  // where the file's contents go: the root itself, or the parent of an include
    ts_mjcf_node* open;  // innermost open element
    int depth;           // of `open`
    int is_include;
    int ending;  // nonzero once all text was handed over
} xml_file;

static void read_include(xml_file* x, ts_mjcf_node* node);

// libxml2 counts to the end of a tag; a message is of more use at its beginning. No '<' can stand inside of a tag, so the
// last one before the parser's position opens it.
static int tag_line(const xml_file* x) {
    const xmlParserInput* input = x->context->input;
    int line = input->line;
    for (const xmlChar* p = input->cur; p > input->base; --p) {
        if (p[-1] == '<') break;
        if (p[-1] == '\n') --line;
    }
    return line > 0 ? line : 1;
}

static void stop(xml_file* x) { xmlStopParser(x->context); }

// Copies with the terminator and returns the place behind.
static char* copy_name(char* target, const char* name) {
    size_t bytes = strlen(name) + 1;
    memcpy(target, name, bytes);
    return target + bytes;
}

// An ampersand arrives as the reference "&#38;": libxml2 leaves it to whoever expands entities, which is nobody here.
// Copies, terminates, and returns the place behind.
static char* copy_value(char* target, const char* value, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        *target++ = value[i];
        if (value[i] == '&' && length - i >= 5 && memcmp(value + i, "&#38;", 5) == 0) i += 4;
    }
    *target = '\0';
    return target + 1;
}

// Attributes arrive as (local name, prefix, URI, value begin, value end); namespaced ones are no business of MJCF.
static ts_mjcf_node* make_node(xml_file* x, const char* name, int attribute_count, const xmlChar** attributes) {
    ts_mjcf_reader* r = x->reader;
    size_t bytes = strlen(name) + 1;
    for (int i = 0; i < attribute_count; ++i) {
        const xmlChar** a = attributes + 5 * i;
        bytes += strlen((const char*)a[0]) + 1 + (size_t)(a[4] - a[3]) + 1;
    }
    size_t table = (size_t)attribute_count * sizeof(ts_mjcf_attribute);
    char* memory = TS_ARENA_ARRAY(&r->arena, char, sizeof(ts_mjcf_node) + table + bytes);
    if (!memory) {
        short_memory(r);
        return NULL;
    }
    ts_mjcf_node* node = (ts_mjcf_node*)(void*)memory;
    ts_mjcf_attribute* list = (ts_mjcf_attribute*)(void*)(memory + sizeof *node);
    char* text = memory + sizeof *node + table;
    memset(node, 0, sizeof *node);
    node->file = x->file;
    node->line = tag_line(x);
    node->name = text;
    text = copy_name(text, name);
    for (int i = 0; i < attribute_count; ++i) {
        const xmlChar** a = attributes + 5 * i;
        size_t length = (size_t)(a[4] - a[3]);
        if (a[1]) continue;  // xml:lang and the like
        list[node->attribute_count].name = text;
        text = copy_name(text, (const char*)a[0]);
        list[node->attribute_count++].value = text;
        text = copy_value(text, (const char*)a[3], length);
    }
    node->attribute = list;
    return node;
}

static void append_child(ts_mjcf_node* parent, ts_mjcf_node* node) {
    node->parent = parent;
    if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->child = node;
    parent->last_child = node;
}

static void on_start(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri, int namespace_count,
                     const xmlChar** namespaces, int attribute_count, int defaulted, const xmlChar** attributes) {
    xml_file* x = (xml_file*)user;
    (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    if (x->reader->code) return;
    ts_mjcf_node place = {NULL, x->file, tag_line(x), 0, NULL, NULL, NULL, NULL, NULL};
    if (++x->depth > TS_MJCF_DEPTH_LIMIT)
        ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE, "elements are nested deeper than %d", TS_MJCF_DEPTH_LIMIT);
    if (++x->reader->element_count > TS_MJCF_ELEMENT_LIMIT)
        ts_mjcf_fail(x->reader, &place, TS_ERROR_MEMORY, "more than %d elements", TS_MJCF_ELEMENT_LIMIT);
    if (prefix)
        ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE, "MJCF has no element <%.40s:%.40s>", (const char*)prefix,
                     (const char*)name);
    ts_mjcf_node* node = x->reader->code ? NULL : make_node(x, (const char*)name, attribute_count, attributes);
    if (!node) {
        stop(x);
        return;
    }
    if (!x->open && x->is_include) {
        // The root of an included file stands for nothing itself: its children go where the include was.
        if (strcmp(node->name, "mujoco") != 0 && strcmp(node->name, "mujocoinclude") != 0)
            ts_mjcf_fail(x->reader, node, TS_ERROR_PARSE,
                         "an included file must begin with <mujoco> or <mujocoinclude>, not <%.40s>", node->name);
        x->open = x->root;
        return;
    }
    if (!x->open) {
        x->root = x->open = node;
        return;
    }
    // The link to the parent is needed now, the one from the parent only when the element turns out to be no include.
    node->parent = x->open;
    if (strcmp(node->name, "include") != 0) append_child(x->open, node);
    x->open = node;
}

static void on_end(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri) {
    xml_file* x = (xml_file*)user;
    (void)name, (void)prefix, (void)uri;
    if (x->reader->code || !x->open) return;
    --x->depth;
    ts_mjcf_node* node = x->open;
    if (x->is_include && node == x->root) {
        x->open = NULL;  // end of the included file
        return;
    }
    x->open = node->parent;
    if (strcmp(node->name, "include") != 0 || !node->parent) return;
    if (node->child)
        ts_mjcf_fail(x->reader, node, TS_ERROR_PARSE, "<include> has elements inside");
    else
        read_include(x, node);
    if (x->reader->code) stop(x);
}

static void on_text(void* user, const xmlChar* text, int length) {
    xml_file* x = (xml_file*)user;
    for (int i = 0; i < length; ++i) {
        if (strchr(" \t\r\n", text[i])) continue;
        ts_import_report_add(x->reader->report, TS_IMPORT_IGNORED, 0, "text", "text between elements means nothing",
                             x->file, x->context->input->line);
        return;
    }
}

static void on_doctype(void* user, const xmlChar* name, const xmlChar* external, const xmlChar* system) {
    xml_file* x = (xml_file*)user;
    (void)name, (void)external, (void)system;
    ts_mjcf_node place = {NULL, x->file, x->context->input->line, 0, NULL, NULL, NULL, NULL, NULL};
    ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE, "a DOCTYPE is not allowed in MJCF: entities would be expanded");
    stop(x);
}

#if LIBXML_VERSION >= 21200
static void on_error(void* user, const xmlError* error) {
#else
static void on_error(void* user, xmlErrorPtr error) {
#endif
    xml_file* x = (xml_file*)user;
    if (!x || !error || error->level <= XML_ERR_WARNING) return;
    char why[200];
    size_t n = 0;
    for (const char* p = error->message ? error->message : "not well-formed XML"; *p && n + 1 < sizeof why; ++p)
        why[n++] = (char)(*p == '\n' ? ' ' : *p);
    while (n > 0 && why[n - 1] == ' ') --n;
    why[n] = '\0';
    ts_mjcf_node place = {NULL, x->file, error->line, 0, NULL, NULL, NULL, NULL, NULL};
    if (strstr(why, "Huge input"))  // sounds like a mistake of ours
        ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE,
                     "an attribute, a text or a comment of more than 10 million bytes");
    else if (x->ending && x->open)  // libxml2 words this as if something were left over
        ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE, "the file ends inside of <%.40s>", x->open->name);
    else
        ts_mjcf_fail(x->reader, &place, TS_ERROR_PARSE, "%s", why);
}

// libxml2 reports failures of character conversion past the parser's own handler, to standard error. Its generic handler,
// which belongs to the calling thread, is borrowed for the time of a parse.
static void stay_silent(void* context, const char* format, ...) {
    (void)context;
    (void)format;
}

static int feed(xml_file* x, const char* text, size_t size) {
    xmlGenericErrorFunc handler = xmlGenericError;
    void* context = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, stay_silent);
    // Fed in pieces, the parser ends with its first error; on a whole document it would go on looking for more of them,
    // with the callbacks (and so the refusal of DOCTYPE) switched off.
    int error = 0;
    for (size_t at = 0; at < size && !error && !x->reader->code; at += PIECE_BYTES)
        error = xmlParseChunk(x->context, text + at, (int)(size - at < PIECE_BYTES ? size - at : PIECE_BYTES), 0);
    x->ending = 1;
    if (!error && !x->reader->code) error = xmlParseChunk(x->context, text, 0, 1);
    xmlSetGenericErrorFunc(context, handler);
    return error;
}

// Parses one file. `into` is NULL for the main file, else the parent of the include.
static void parse_file(ts_mjcf_reader* reader, const char* text, size_t size, const char* file, ts_mjcf_node* into,
                       int depth, ts_mjcf_node** out_root) {
    xml_file x = {reader, NULL, file, into, NULL, depth, into != NULL, 0};
    ts_mjcf_node place = {NULL, file, 1, 0, NULL, NULL, NULL, NULL, NULL};
    if (size > (size_t)TS_MJCF_BYTE_LIMIT - reader->byte_count) {
        ts_mjcf_fail(reader, &place, TS_ERROR_MEMORY, "more than %d MiB of text", TS_MJCF_BYTE_LIMIT >> 20);
        return;
    }
    reader->byte_count += size;
    if (size == 0) {
        ts_mjcf_fail(reader, &place, TS_ERROR_PARSE, "the file is empty");
        return;
    }
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = on_start;
    handler.endElementNs = on_end;
    handler.characters = on_text;
    handler.cdataBlock = on_text;
    handler.internalSubset = on_doctype;
    handler.serror = on_error;
    x.context = xmlCreatePushParserCtxt(&handler, &x, NULL, 0, NULL);
    if (!x.context) {
        short_memory(reader);
        return;
    }
    xmlCtxtUseOptions(x.context, XML_PARSE_NONET);
    int error = feed(&x, text, size);
    // Some failures of conversion reach no handler and leave a document "well-formed" that ends in its middle.
    if (!reader->code && error && x.context->wellFormed)
        ts_mjcf_fail(reader, &place, TS_ERROR_PARSE, "the bytes do not fit the encoding that the file declares");
    if (!reader->code && !x.context->wellFormed) ts_mjcf_fail(reader, &place, TS_ERROR_PARSE, "not well-formed XML");
    if (x.context->myDoc) xmlFreeDoc(x.context->myDoc);
    xmlFreeParserCtxt(x.context);
    if (out_root) *out_root = x.root;
}

// Reads a whole regular file of at most what is left of the byte limit.
static int read_text(ts_mjcf_reader* reader, const ts_mjcf_node* node, const char* path, ts_text* out_text) {
    ts_status status;
    memset(&status, 0, sizeof status);
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        ts_mjcf_fail(reader, node, TS_ERROR_FILE, "cannot include '%.300s': no such file", path);
        return 0;
    }
    ts_code code = ts_text_read_file(path, (size_t)TS_MJCF_BYTE_LIMIT - reader->byte_count, out_text, &status);
    if (!code) return 1;
    ts_mjcf_fail(reader, node, code, "cannot include '%.150s': %.300s", path, status.message);
    return 0;
}

static void read_include(xml_file* x, ts_mjcf_node* node) {
    ts_mjcf_reader* r = x->reader;
    const char* name = ts_mjcf_own(node, "file");
    if (!name || !name[0] || node->attribute_count != 1) {
        ts_mjcf_fail(r, node, TS_ERROR_PARSE, "<include> takes the attribute 'file' and no other");
        return;
    }
    if (!r->directory) {
        ts_mjcf_fail(r, node, TS_ERROR_UNSUPPORTED, "'%.200s' cannot be included: the model is not read from a file",
                     name);
        return;
    }
    if (r->seen_file.count >= TS_MJCF_INCLUDE_LIMIT) {
        ts_mjcf_fail(r, node, TS_ERROR_MEMORY, "more than %d included files", TS_MJCF_INCLUDE_LIMIT);
        return;
    }
    const char* path = ts_mjcf_path(r, "", name);
    if (!path) return;
    char* real = realpath(path, NULL);
    if (!real) {
        ts_mjcf_fail(r, node, TS_ERROR_FILE, "cannot include '%.300s': no such file", path);
        return;
    }
    const char* key = ts_mjcf_copy(r, real, strlen(real));
    free(real);
    int seen = ts_mjcf_names_find(&r->seen_file, key);
    if (seen >= 0) {
        ts_mjcf_fail(
            r, node, TS_ERROR_PARSE,
            seen ? "'%.300s' includes itself, directly or through others" : "'%.300s' is included a second time", name);
        return;
    }
    ts_text text;
    memset(&text, 0, sizeof text);
    if (read_text(r, node, path, &text)) {
        if (!ts_mjcf_names_put(&r->seen_file, key, 1)) short_memory(r);
        if (!r->code) parse_file(r, ts_text_get(&text), text.length, path, node->parent, x->depth, NULL);
        ts_mjcf_names_put(&r->seen_file, key, 0);
    }
    ts_text_free(&text);
}

ts_mjcf_node* ts_mjcf_xml_parse(ts_mjcf_reader* reader, const char* text, size_t size, const char* file) {
    ts_mjcf_node* root = NULL;
    xmlInitParser();
    parse_file(reader, text, size, file, NULL, 0, &root);
    if (reader->code || !root) return NULL;
    return root;
}
