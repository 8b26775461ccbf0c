// Problem: follow one contact over time, though it comes, goes and has no name. Rule: it is named by what touches (geoms or bodies) and, of several
// contacts of a pair, by the label of the features that touch, which is what warm starts go by (ts_contact.key). Without a label all contacts
// of the pair count: forces are summed, of gaps the least and of all else the largest is taken. Guaranteed: no contact, no number. Known to fail: features
// of round things and of hulls may be numbered anew when they roll on.
#include "viewer/session/gauge_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a number of contacts is.
typedef enum part {
    PART_GAP,
    PART_NORMAL,
    PART_FRICTION,
    PART_NORMAL_IMPULSE,
    PART_FRICTION_IMPULSE,
    PART_SLIP,
    PART_OWN,
    PART_EXACT,
    PART_COUNT
} part;

static const char* const part_name[] = {"gap",  "normal", "friction", "normal_impulse", "friction_impulse",
                                        "slip", "own",    "exact",    "count"};

// One side of a contact: a geom, or any geom of a body.
typedef struct side {
    int geom;  // or -1
    int body;  // or -1
} side;

typedef struct chosen {
    side of[2];
    int sides;
    int has_label;
    uint32_t label;
} chosen;

static int find_side(const ts_model* m, const char* name, side* out) {
    if (!name[0]) return 0;
    out->geom = ts_model_find_geom(m, name);
    out->body = out->geom < 0 ? ts_model_find_body(m, name) : -1;
    if (out->geom < 0 && out->body < 0 && strcmp(name, "world") == 0) out->body = 0;
    if (out->geom >= 0 || out->body >= 0) return 1;
    if (strlen(name) > 9 || strspn(name, "0123456789") != strlen(name)) return 0;
    out->geom = atoi(name);
    return out->geom < m->geom_count;
}

static int find_sides(const ts_model* m, const char* text, chosen* out) {
    char first[TS_GAUGE_WORD];
    out->sides = 1;
    if (find_side(m, text, &out->of[0])) return 1;
    out->sides = 2;
    // A name may hold a comma itself.
    for (const char* comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
        snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
        if (find_side(m, first, &out->of[0]) && find_side(m, comma + 1, &out->of[1])) return 1;
    }
    return 0;
}

static int find_contacts(const ts_model* m, const char* text, chosen* out) {
    char names[TS_GAUGE_WORD];
    memset(out, 0, sizeof *out);
    if (find_sides(m, text, out)) return 1;
    const char* colon = strrchr(text, ':');
    size_t length = colon ? strlen(colon + 1) : 0;
    if (!colon || length < 1 || length > 8 || strspn(colon + 1, "0123456789abcdef") != length) return 0;
    out->has_label = 1;
    out->label = (uint32_t)strtoul(colon + 1, NULL, 16);
    snprintf(names, sizeof names, "%.*s", (int)(colon - text), text);
    return find_sides(m, names, out);
}

static int is_on(const side* s, int geom, int body) { return s->geom >= 0 ? s->geom == geom : s->body == body; }

static int is_chosen(const chosen* wanted, const ts_contact* c) {
    const side* of = wanted->of;
    if (wanted->has_label && (uint32_t)c->key != wanted->label) return 0;
    int first_a = is_on(&of[0], c->geom_a, c->body_a), first_b = is_on(&of[0], c->geom_b, c->body_b);
    if (wanted->sides == 1) return first_a || first_b;
    return (first_a && is_on(&of[1], c->geom_b, c->body_b)) || (first_b && is_on(&of[1], c->geom_a, c->body_a));
}

static double number_of(const ts_sim* sim, const ts_contact_facts* facts, const chosen* wanted, part which) {
    ts_vec3 along = ts_vec3_zero();
    double least = HUGE_VAL, most = -HUGE_VAL, normal = 0.0, h = sim->options.time_step;
    int count = 0;
    for (int k = 0; k < sim->contact_count; ++k) {
        const ts_contact c = ts_sim_contact(sim, k);
        if (!is_chosen(wanted, &c)) continue;
        const double* share = !facts ? NULL : which == PART_OWN ? facts->own : facts->exact;
        double value = which == PART_GAP    ? c.gap
                       : which == PART_SLIP ? hypot(c.velocity.x, c.velocity.y)
                       : share              ? share[k]
                                            : (double)NAN;
        ++count;
        normal += c.impulse.z;
        along = ts_vec3_add(along, ts_mat3_mul_vec(&c.frame, ts_vec3_make(c.impulse.x, c.impulse.y, 0.0)));
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (which == PART_COUNT) return count;
    if (!count) return (double)NAN;
    switch (which) {
    case PART_GAP: return least;
    case PART_NORMAL: return normal / h;
    case PART_FRICTION: return ts_vec3_norm(along) / h;
    case PART_NORMAL_IMPULSE: return normal;
    case PART_FRICTION_IMPULSE: return ts_vec3_norm(along);
    default: return isfinite(most) ? most : (double)NAN;
    }
}

const char* ts_gauge_read_contact(const ts_sim* sim, const ts_contact_facts* facts, const char* text,
                                  double* out_value) {
    const char* end = strrchr(text, ']');
    char inside[TS_GAUGE_WORD];
    chosen wanted;
    int which = -1;
    if (text[0] != '[' || !end || (size_t)(end - text) > sizeof inside) return "contact[A,B].PART, or contact[A].PART";
    snprintf(inside, sizeof inside, "%.*s", (int)(end - text - 1), text + 1);
    for (int i = 0; i <= PART_COUNT && end[1] == '.'; ++i)
        if (strcmp(end + 2, part_name[i]) == 0) which = i;
    if (which < 0)
        return "a contact has .gap .normal .friction .normal_impulse .friction_impulse .slip .own .exact .count";
    if (!find_contacts(sim->model, inside, &wanted))
        return "no such geoms or bodies: contact[A,B] or contact[A,B:LABEL]";
    *out_value = number_of(sim, facts, &wanted, (part)which);
    return NULL;
}

// What holds any of these would be read as something else.
static int is_plain(const char* name, size_t size) {
    return name && name[0] && strlen(name) < size && !strpbrk(name, " ,:]");
}

// By its own name; by that of its body where nothing else of it makes contacts; else by its number.
static void name_side(const ts_model* m, int geom, int body, char* out_name, size_t size) {
    const char* own = m->geom[geom].name;
    const char* name = body ? m->body[body].name : "world";
    side found;
    int others = 0;
    for (int g = 0; g < m->geom_count; ++g)
        others += g != geom && m->geom[g].body == body && (m->geom[g].category || m->geom[g].mask);
    if (is_plain(own, size) && find_side(m, own, &found) && found.geom == geom)
        snprintf(out_name, size, "%s", own);
    else if (!others && is_plain(name, size) && find_side(m, name, &found) && found.body == body)
        snprintf(out_name, size, "%s", name);
    else
        snprintf(out_name, size, "%d", geom);
}

void ts_gauge_contact_word(const ts_sim* sim, int contact, char out_word[TS_GAUGE_WORD]) {
    const ts_contact c = ts_sim_contact(sim, contact);
    char name[2][TS_GAUGE_WORD / 2 - 20];
    name_side(sim->model, c.geom_a, c.body_a, name[0], sizeof name[0]);
    name_side(sim->model, c.geom_b, c.body_b, name[1], sizeof name[1]);
    snprintf(out_word, TS_GAUGE_WORD, "contact[%s,%s:%x]", name[0], name[1], (unsigned)(uint32_t)c.key);
}

int ts_gauge_is_share(const char* word) {
    const char* dot = strrchr(word, '.');
    return strncmp(word, "contact[", 8) == 0 && dot &&
           (strcmp(dot + 1, part_name[PART_OWN]) == 0 || strcmp(dot + 1, part_name[PART_EXACT]) == 0);
}

int ts_gauge_toggle_contact(char io_words[TS_GAUGE_WORDS], const char* contact) {
    static const part shown[] = {PART_GAP, PART_NORMAL, PART_FRICTION, PART_SLIP, PART_EXACT};
    enum { SHOWN = sizeof shown / sizeof shown[0] };
    char word[TS_GAUGE_WORD], rest[TS_GAUGE_WORDS] = "";
    size_t length = strlen(contact), used = 0;
    int count = 0, gone = 0;
    for (int n = 0; ts_gauge_word(io_words, n, word); ++n) {
        if (strncmp(word, contact, length) == 0 && word[length] == '.') {
            ++gone;
            continue;
        }
        ++count;
        used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", used ? " " : "", word);
    }
    if (!gone) {
        if (count + SHOWN > TS_GAUGE_MOST || used + SHOWN * (length + 12) >= sizeof rest) return 0;
        for (int i = 0; i < SHOWN; ++i)
            used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s.%s", used ? " " : "", contact,
                                     part_name[shown[i]]);
    }
    memcpy(io_words, rest, sizeof rest);
    return 1;
}
