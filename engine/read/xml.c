// XML text to a tree of nodes with their places, included files spliced in.
//
// The text is untrusted. libxml2's SAX interface is used without building its own document: the callbacks below count depth
// and elements and stop the parser at the first offence, so a million nested elements cost a hundred. A DOCTYPE is refused the
// moment it is seen, before its contents: no entity is ever declared, so none can expand. Nothing is fetched: includes
// are opened here, each file once, which also rules out cycles.
#include "engine/read/xml_internal.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- failures and text ---

void ts_xml_fail_list(ts_xml* xml, const ts_xml_node* node, ts_code code, const char* format, va_list arguments) {
    if (xml->code) return;
    char why[sizeof xml->problem.message];
    vsnprintf(why, sizeof why, format, arguments);
    xml->code = code;
    ts_status_set(&xml->problem, code, node ? node->file : NULL, node ? node->line : 0, "%s", why);
}

ts_code ts_xml_fail(ts_xml* xml, const ts_xml_node* node, ts_code code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ts_xml_fail_list(xml, node, code, format, arguments);
    va_end(arguments);
    return xml->code;
}

static void short_memory(ts_xml* xml) { ts_xml_fail(xml, NULL, TS_ERROR_MEMORY, "out of memory"); }

const char* ts_xml_copy(ts_xml* xml, const char* text, size_t length) {
    char* copy = TS_ARENA_ARRAY(&xml->arena, char, length + 1);
    if (!copy) {
        short_memory(xml);
        return "";
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

const char* ts_xml_path(ts_xml* xml, const char* directory, const char* sub_directory, const char* name) {
    char path[4096];
    int n;
    if (name[0] == '/')
        n = snprintf(path, sizeof path, "%s", name);
    else if (sub_directory[0] == '/')
        n = snprintf(path, sizeof path, "%s/%s", sub_directory, name);
    else
        n = snprintf(path, sizeof path, "%s%s%s%s%s", directory, directory[0] ? "/" : "", sub_directory,
                     sub_directory[0] ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof path) {
        ts_xml_fail(xml, NULL, TS_ERROR_VALUE, "a file name is longer than %zu bytes", sizeof path - 1);
        return NULL;
    }
    return ts_xml_copy(xml, path, (size_t)n);
}

// --- the parser ---

// Large, because the parser looks back to the beginning of an unfinished tag once per piece.
enum { PIECE_BYTES = 1 << 20 };

// One file being read.
typedef struct xml_file {
    ts_xml* xml;
    xmlParserCtxtPtr context;
    const char* file;
    ts_xml_node* root;  // where the file's contents go: the root itself, or the parent of an include
    ts_xml_node* open;  // innermost open element
    int depth;          // of `open`
    int is_include;
    int ending;    // nonzero once all text was handed over
    ts_text text;  // since the last tag
} xml_file;

static void read_include(xml_file* x, ts_xml_node* node);

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

// Attributes arrive as (local name, prefix, URI, value begin, value end); namespaced ones are no business of models.
static ts_xml_node* make_node(xml_file* x, const char* prefix, const char* name, int attribute_count,
                              const xmlChar** attributes) {
    ts_xml* xml = x->xml;
    size_t bytes = strlen(name) + 1 + (prefix ? strlen(prefix) + 1 : 0);
    for (int i = 0; i < attribute_count; ++i) {
        const xmlChar** a = attributes + 5 * i;
        bytes += strlen((const char*)a[0]) + 1 + (size_t)(a[4] - a[3]) + 1;
    }
    size_t table = (size_t)attribute_count * sizeof(ts_xml_attribute);
    char* memory = TS_ARENA_ARRAY(&xml->arena, char, sizeof(ts_xml_node) + table + bytes);
    if (!memory) {
        short_memory(xml);
        return NULL;
    }
    ts_xml_node* node = (ts_xml_node*)(void*)memory;
    ts_xml_attribute* list = (ts_xml_attribute*)(void*)(memory + sizeof *node);
    char* text = memory + sizeof *node + table;
    memset(node, 0, sizeof *node);
    node->file = x->file;
    node->line = tag_line(x);
    node->document = xml->document;
    node->text = "";
    node->name = text;
    if (prefix) {
        text = copy_name(text, prefix);
        text[-1] = ':';
    }
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

static int is_include(const ts_xml* xml, const ts_xml_node* node) {
    return xml->dialect->include && strcmp(node->name, xml->dialect->include) == 0;
}

static void on_start(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri, int namespace_count,
                     const xmlChar** namespaces, int attribute_count, int defaulted, const xmlChar** attributes) {
    xml_file* x = (xml_file*)user;
    (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    x->text.length = 0;
    if (x->xml->code) return;
    ts_xml_node place = {.file = x->file, .line = tag_line(x)};
    if (++x->depth > TS_XML_DEPTH_LIMIT)
        ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "elements are nested deeper than %d", TS_XML_DEPTH_LIMIT);
    if (++x->xml->element_count > TS_XML_ELEMENT_LIMIT)
        ts_xml_fail(x->xml, &place, TS_ERROR_MEMORY, "more than %d elements", TS_XML_ELEMENT_LIMIT);
    if (prefix && !x->xml->dialect->takes_prefixes)
        ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "%s has no element <%.40s:%.40s>", x->xml->dialect->name,
                    (const char*)prefix, (const char*)name);
    ts_xml_node* node =
        x->xml->code ? NULL : make_node(x, (const char*)prefix, (const char*)name, attribute_count, attributes);
    if (!node) {
        stop(x);
        return;
    }
    if (!x->open && x->is_include) {
        // The root of an included file stands for nothing itself: its children go where the include was.
        const char* const* root = x->xml->dialect->fragment;
        if (strcmp(node->name, root[0]) != 0 && strcmp(node->name, root[1]) != 0)
            ts_xml_fail(x->xml, node, TS_ERROR_PARSE, "an included file must begin with <%s> or <%s>, not <%.40s>",
                        root[0], root[1], node->name);
        x->open = x->root;
        return;
    }
    if (!x->open) {
        x->root = x->open = node;
        return;
    }
    // The link to the parent is needed now, the one from the parent only when the element turns out to be no include.
    node->parent = x->open;
    if (!is_include(x->xml, node)) ts_xml_append(x->open, node);
    x->open = node;
}

static void on_end(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri) {
    xml_file* x = (xml_file*)user;
    (void)name, (void)prefix, (void)uri;
    if (x->xml->code || !x->open) return;
    --x->depth;
    ts_xml_node* node = x->open;
    // What stands behind a child is layout.
    if (x->text.length > 0 && !node->child) node->text = ts_xml_copy(x->xml, ts_text_get(&x->text), x->text.length);
    x->text.length = 0;
    if (x->text.failed) short_memory(x->xml);
    if (x->is_include && node == x->root) {
        x->open = NULL;  // end of the included file
        return;
    }
    x->open = node->parent;
    if (!is_include(x->xml, node) || !node->parent) return;
    if (node->child)
        ts_xml_fail(x->xml, node, TS_ERROR_PARSE, "<include> has elements inside");
    else
        read_include(x, node);
    if (x->xml->code) stop(x);
}

static void on_text(void* user, const xmlChar* text, int length) {
    xml_file* x = (xml_file*)user;
    if (x->xml->dialect->keeps_text) {
        ts_text_add_bytes(&x->text, (const char*)text, (size_t)length);
        return;
    }
    for (int i = 0; i < length; ++i) {
        if (strchr(" \t\r\n", text[i])) continue;
        ts_import_report_add(x->xml->report, TS_IMPORT_IGNORED, 0, "text", "text between elements means nothing",
                             x->file, x->context->input->line);
        return;
    }
}

static void on_doctype(void* user, const xmlChar* name, const xmlChar* external, const xmlChar* system) {
    xml_file* x = (xml_file*)user;
    (void)name, (void)external, (void)system;
    ts_xml_node place = {.file = x->file, .line = x->context->input->line};
    ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "a DOCTYPE is not allowed in %s: entities would be expanded",
                x->xml->dialect->name);
    stop(x);
}

#if LIBXML_VERSION >= 21200
static void on_error(void* user, const xmlError* error) {
#else
static void on_error(void* user, xmlErrorPtr error) {
#endif
    xml_file* x = (xml_file*)user;
    if (!x || !error || error->level <= XML_ERR_WARNING) return;
    // A prefix that nobody declared still is a name.
    if (error->domain == XML_FROM_NAMESPACE && x->xml->dialect->takes_prefixes) return;
    char why[200];
    size_t n = 0;
    for (const char* p = error->message ? error->message : "not well-formed XML"; *p && n + 1 < sizeof why; ++p)
        why[n++] = (char)(*p == '\n' ? ' ' : *p);
    while (n > 0 && why[n - 1] == ' ') --n;
    why[n] = '\0';
    ts_xml_node place = {.file = x->file, .line = error->line};
    if (strstr(why, "Huge input"))  // sounds like a mistake of ours
        ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "an attribute, a text or a comment of more than 10 million bytes");
    else if (x->ending && x->open)  // libxml2 words this as if something were left over
        ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "the file ends inside of <%.40s>", x->open->name);
    else
        ts_xml_fail(x->xml, &place, TS_ERROR_PARSE, "%s", why);
}

// libxml2 reports failures of character conversion past the parser's own handler, to standard error. Its generic handler,
// which belongs to the calling thread, is borrowed for the time of a parse.
static void stay_silent(void* context, const char* format, ...) {
    (void)context;
    (void)format;
}

// Hands text over in pieces. Fed so, the parser ends with its first error; on a whole document it would go on looking for more of them,
// with the callbacks (and so the refusal of DOCTYPE) switched off.
static int feed_pieces(xml_file* x, const char* text, size_t size) {
    int error = 0;
    for (size_t at = 0; at < size && !error && !x->xml->code; at += PIECE_BYTES)
        error = xmlParseChunk(x->context, text + at, (int)(size - at < PIECE_BYTES ? size - at : PIECE_BYTES), 0);
    return error;
}

// Finds a declaration <?xml ...?> that libxml2 refuses and others read over: behind empty lines, or of version "0.0", as hundreds of models that come with
// Bullet begin. Returns 0 where there is none; one that names an encoding is left to libxml2.
static int find_odd_declaration(const char* text, size_t size, size_t* out_begin, size_t* out_end) {
    static const char start[] = "<?xml", of_1[] = "version=\"1.";
    size_t begin = 0, end;
    while (begin < size && strchr(" \t\r\n", text[begin]) && text[begin]) ++begin;
    if (size - begin < sizeof start || memcmp(text + begin, start, sizeof start - 1) != 0 ||
        !strchr(" \t\r\n", text[begin + 5]))
        return 0;
    for (end = begin; end + 1 < size && !(text[end] == '?' && text[end + 1] == '>' && end > begin + 1);) ++end;
    if (end + 1 >= size || end - begin > 200) return 0;
    char declaration[208] = {0};
    memcpy(declaration, text + begin, end - begin);
    if (strlen(declaration) < end - begin || strstr(declaration, "encoding")) return 0;
    *out_begin = begin;
    *out_end = end + 2;
    return begin > 0 ||
           (strstr(declaration, "version=") && !strstr(declaration, of_1) && !strstr(declaration, "version='1."));
}

static int feed(xml_file* x, const char* text, size_t size) {
    xmlGenericErrorFunc handler = xmlGenericError;
    void* context = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, stay_silent);
    int error = 0;
    size_t begin = 0, end = 0;
    if (find_odd_declaration(text, size, &begin, &end)) {
        for (size_t i = 0; i < end && !error; ++i)  // lines are counted on
            if (text[i] == '\n') error = xmlParseChunk(x->context, "\n", 1, 0);
        text += end;
        size -= end;
    }
    if (!error) error = feed_pieces(x, text, size);
    x->ending = 1;
    if (!error && !x->xml->code) error = xmlParseChunk(x->context, text, 0, 1);
    xmlSetGenericErrorFunc(context, handler);
    return error;
}

// Parses one file. `into` is NULL for the main file, else the parent of the include.
static void parse_file(ts_xml* xml, const char* text, size_t size, const char* file, ts_xml_node* into, int depth,
                       ts_xml_node** out_root) {
    xml_file x = {xml, NULL, file, into, NULL, depth, into != NULL, 0, {0}};
    ts_xml_node place = {.file = file, .line = 1};
    if (size > (size_t)TS_XML_BYTE_LIMIT - xml->byte_count) {
        ts_xml_fail(xml, &place, TS_ERROR_MEMORY, "more than %d MiB of text", TS_XML_BYTE_LIMIT >> 20);
        return;
    }
    xml->byte_count += size;
    if (size == 0) {
        ts_xml_fail(xml, &place, TS_ERROR_PARSE, "the file is empty");
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
        short_memory(xml);
        return;
    }
    xmlCtxtUseOptions(x.context, XML_PARSE_NONET);
    int error = feed(&x, text, size);
    // Some failures of conversion reach no handler and leave a document "well-formed" that ends in its middle.
    if (!xml->code && error && x.context->wellFormed)
        ts_xml_fail(xml, &place, TS_ERROR_PARSE, "the bytes do not fit the encoding that the file declares");
    if (!xml->code && !x.context->wellFormed) ts_xml_fail(xml, &place, TS_ERROR_PARSE, "not well-formed XML");
    if (x.context->myDoc) xmlFreeDoc(x.context->myDoc);
    xmlFreeParserCtxt(x.context);
    ts_text_free(&x.text);
    if (out_root) *out_root = x.root;
}

// A pipe or a device would never end, or block.
static int is_regular(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// Reads a whole regular file of at most what is left of the byte limit.
static int read_text(ts_xml* xml, const ts_xml_node* node, const char* path, ts_text* out_text) {
    ts_status status;
    memset(&status, 0, sizeof status);
    if (!is_regular(path)) {
        ts_xml_fail(xml, node, TS_ERROR_FILE, "cannot include '%.300s': no such file", path);
        return 0;
    }
    ts_code code = ts_text_read_file(path, (size_t)TS_XML_BYTE_LIMIT - xml->byte_count, out_text, &status);
    if (!code) return 1;
    ts_xml_fail(xml, node, code, "cannot include '%.150s': %.300s", path, status.message);
    return 0;
}

static void read_include(xml_file* x, ts_xml_node* node) {
    ts_xml* xml = x->xml;
    const char* name = ts_xml_value(node, "file");
    if (!name || !name[0] || node->attribute_count != 1) {
        ts_xml_fail(xml, node, TS_ERROR_PARSE, "<include> takes the attribute 'file' and no other");
        return;
    }
    if (!xml->directory) {
        ts_xml_fail(xml, node, TS_ERROR_UNSUPPORTED, "'%.200s' cannot be included: the model is not read from a file",
                    name);
        return;
    }
    if (xml->seen_file.count >= TS_XML_INCLUDE_LIMIT) {
        ts_xml_fail(xml, node, TS_ERROR_MEMORY, "more than %d included files", TS_XML_INCLUDE_LIMIT);
        return;
    }
    const char* path = ts_xml_path(xml, xml->directory, "", name);
    if (!path) return;
    char* real = realpath(path, NULL);
    if (!real) {
        ts_xml_fail(xml, node, TS_ERROR_FILE, "cannot include '%.300s': no such file", path);
        return;
    }
    const char* key = ts_xml_copy(xml, real, strlen(real));
    free(real);
    int seen = ts_name_table_find(&xml->seen_file, key);
    if (seen >= 0) {
        ts_xml_fail(
            xml, node, TS_ERROR_PARSE,
            seen ? "'%.300s' includes itself, directly or through others" : "'%.300s' is included a second time", name);
        return;
    }
    ts_text text;
    memset(&text, 0, sizeof text);
    if (read_text(xml, node, path, &text)) {
        if (!ts_name_table_put(&xml->seen_file, key, 1)) short_memory(xml);
        if (!xml->code) parse_file(xml, ts_text_get(&text), text.length, path, node->parent, x->depth, NULL);
        ts_name_table_put(&xml->seen_file, key, 0);
    }
    ts_text_free(&text);
}

ts_xml_node* ts_xml_parse(ts_xml* xml, const char* text, size_t size, const char* file) {
    ts_xml_node* root = NULL;
    xmlInitParser();
    parse_file(xml, text, size, file, NULL, 0, &root);
    if (xml->code || !root) return NULL;
    return root;
}

void ts_xml_free(ts_xml* xml) {
    ts_name_table_free(&xml->seen_file);
    ts_arena_free(&xml->arena);
}

ts_code ts_xml_read_file(const char* path, ts_text* out_text, ts_status* out_status) {
    struct stat info;
    if (stat(path, &info) == 0 && !is_regular(path))
        return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "not a regular file");
    return ts_text_read_file(path, TS_XML_BYTE_LIMIT, out_text, out_status);
}

char* ts_xml_folder_of(const char* path) {
    const char* slash = strrchr(path, '/');
    char* folder = (char*)calloc(strlen(path) + 2, 1);
    if (folder && slash) memcpy(folder, path, slash == path ? 1 : (size_t)(slash - path));
    return folder;
}

ts_code ts_xml_outcome(const ts_xml* xml, const char* name, ts_status* status) {
    if (xml->problem.code) *status = xml->problem;
    if (!xml->code) return ts_status_ok(status);
    // The builder knows the line of a definition, but not every finding belongs to one.
    if (!status->file[0]) {
        ts_status bare = *status;
        ts_status_set(status, xml->code, name, 0, "%.500s", bare.message);
    }
    return xml->code;
}

const char* ts_xml_value(const ts_xml_node* node, const char* name) {
    for (int i = 0; i < node->attribute_count; ++i)
        if (strcmp(node->attribute[i].name, name) == 0) return node->attribute[i].value;
    return NULL;
}

int ts_xml_is_listed(const char* list, const char* word) {
    size_t length = strlen(word);
    for (size_t taken; *list; list += taken) {
        list += strspn(list, " ");
        taken = strcspn(list, " ");
        if (taken == length && memcmp(list, word, length) == 0) return 1;
    }
    return 0;
}
