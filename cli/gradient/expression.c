// Expressions: a reader by recursive descent, values, and exact derivatives backward.
//
// sum := product {(+|-) product}, product := signed {(*|/) signed}, signed := [-] power, power := operand [^ signed], operand := number | (sum) |
// function(sum, ...) | at(seconds, sum) | integral(sum) | quantity. A node's derivative by what stands below it is in the table of functions.
#include "cli/gradient/expression_internal.h"

#include "cli/args.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- functions ---

// f(x, y) and its derivatives by x and y.
typedef struct function {
    const char* name;  // operators have their sign
    int arguments;
    double (*value)(double x, double y);
    double (*by_x)(double x, double y);
    double (*by_y)(double x, double y);
} function;

static double one(double x, double y) { return (void)x, (void)y, 1.0; }
static double minus_one(double x, double y) { return (void)x, (void)y, -1.0; }
static double first(double x, double y) { return (void)y, x; }
static double second(double x, double y) { return (void)x, y; }
static double add(double x, double y) { return x + y; }
static double subtract(double x, double y) { return x - y; }
static double multiply(double x, double y) { return x * y; }
static double divide(double x, double y) { return x / y; }
static double divide_by_x(double x, double y) { return (void)x, 1.0 / y; }
static double divide_by_y(double x, double y) { return -x / (y * y); }
static double negate(double x, double y) { return (void)y, -x; }
static double raise(double x, double y) { return pow(x, y); }
static double raise_by_x(double x, double y) { return y == 0.0 ? 0.0 : y * pow(x, y - 1.0); }
static double raise_by_y(double x, double y) { return x == 0.0 ? 0.0 : log(x) * pow(x, y); }
static double square(double x, double y) { return (void)y, x * x; }
static double square_by(double x, double y) { return (void)y, 2.0 * x; }
static double root(double x, double y) { return (void)y, sqrt(x); }
static double root_by(double x, double y) { return (void)y, 0.5 / sqrt(x); }
static double size(double x, double y) { return (void)y, fabs(x); }
static double size_by(double x, double y) { return (void)y, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }
static double exponential(double x, double y) { return (void)y, exp(x); }
static double logarithm(double x, double y) { return (void)y, log(x); }
static double logarithm_by(double x, double y) { return (void)y, 1.0 / x; }
static double sine(double x, double y) { return (void)y, sin(x); }
static double cosine(double x, double y) { return (void)y, cos(x); }
static double cosine_by(double x, double y) { return (void)y, -sin(x); }
static double least(double x, double y) { return fmin(x, y); }
static double least_by_x(double x, double y) { return x < y ? 1.0 : x > y ? 0.0 : 0.5; }
static double least_by_y(double x, double y) { return least_by_x(y, x); }
static double most(double x, double y) { return fmax(x, y); }
static double most_by_x(double x, double y) { return least_by_x(y, x); }
static double most_by_y(double x, double y) { return least_by_x(x, y); }
static double angle(double x, double y) { return atan2(x, y); }
static double angle_by_x(double x, double y) { return y / (x * x + y * y); }
static double angle_by_y(double x, double y) { return -x / (x * x + y * y); }
// Of several: nested. Where it is zero it has no derivative; zero is one of those it might have.
static double norm(double x, double y) { return hypot(x, y); }
static double norm_by_x(double x, double y) { return x == 0.0 ? 0.0 : x / hypot(x, y); }
static double norm_by_y(double x, double y) { return norm_by_x(y, x); }

static const function functions[] = {
    {"+", 2, add, one, one},
    {"-", 2, subtract, one, minus_one},
    {"*", 2, multiply, second, first},
    {"/", 2, divide, divide_by_x, divide_by_y},
    {"^", 2, raise, raise_by_x, raise_by_y},
    {"negative", 1, negate, minus_one, NULL},
    {"sqrt", 1, root, root_by, NULL},
    {"square", 1, square, square_by, NULL},
    {"abs", 1, size, size_by, NULL},
    {"exp", 1, exponential, exponential, NULL},
    {"log", 1, logarithm, logarithm_by, NULL},
    {"sin", 1, sine, cosine, NULL},
    {"cos", 1, cosine, cosine_by, NULL},
    {"atan2", 2, angle, angle_by_x, angle_by_y},
    {"min", 2, least, least_by_x, least_by_y},
    {"max", 2, most, most_by_x, most_by_y},
    {"norm", 2, norm, norm_by_x, norm_by_y},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0], NEGATIVE = 5, FIRST_NAMED = 6 };

static int function_of(const char* name, size_t length) {
    for (int i = 0; i < FUNCTIONS; ++i)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0) return i;
    return -1;
}

void ts_expression_add_help(ts_text* text) {
    ts_text_add(
        text,
        "\nEXPRESSION, of the state at the end unless it says otherwise (SI units):\n"
        "  1.5, + - * / ^, ( )     numbers, operators\n"
        "  sqrt(E) square(E) abs(E) exp(E) log(E) sin(E) cos(E) min(E,F) max(E,F) atan2(E,F)\n"
        "  norm(E,F,...)           square root of the sum of squares\n"
        "  at(S, E)                E at S seconds; integral(E): over the time from 0 to the end\n"
        "  qpos[I] qvel[I] act[I]  numbers of the state, I a number or a joint with one\n"
        "  body[N].x .y .z         where the frame of body N is; .vx .vy .vz its velocity, .wx .wy .wz its angular\n"
        "                          velocity, .rxx to .rzz its rotation, row by row; N a name or a number\n"
        "  centre[N] geom[N] site[N]  the same of a centre of mass, a geom, a site\n"
        "  sensor[N] .x .y .z .0 ..   what a sensor of the state shows; of three numbers by axis, of more by number\n"
        "  kinetic potential energy   J\n"
        "\nLIST: KIND[I], KIND[I..J], KIND[NAME] or KIND (all of them), with commas between:\n"
        "  qpos, qvel, force       of a degree of freedom, a joint or a body (positions along velocities: nv of them)\n"
        "  ctrl                    of an actuator, held throughout; act[I] to begin with\n"
        "  friction, restitution   of a geom, or of all of a body; mass, inertia, wrench of a body\n"
        "  gravity[x], gravity[y], gravity[z], compliance[normal], compliance[tangent], time_step\n");
}

// --- reading ---

typedef struct reader {
    const char* text;
    const char* at;
    const ts_model* model;
    ts_expression* out;
    int depth;
    int elsewhere;  // nonzero: below at() or integral()
    ts_status* status;
} reader;

static int read_sum(reader* r);

static int column(const reader* r) { return (int)(r->at - r->text) + 1; }

static int refuse(const reader* r, const char* why) {
    char rest[24];
    size_t length = strlen(r->at);
    if (length >= sizeof rest) length = sizeof rest - 1;
    memcpy(rest, r->at, length);
    rest[length] = '\0';
    if (length > 0)
        ts_status_set(r->status, TS_ERROR_VALUE, NULL, 0, "--of, character %d, at '%s': %s", column(r), rest, why);
    else
        ts_status_set(r->status, TS_ERROR_VALUE, NULL, 0, "--of, at its end: %s", why);
    return -1;
}

static void skip_blanks(reader* r) {
    while (isspace((unsigned char)*r->at)) ++r->at;
}

static int take(reader* r, char c) {
    skip_blanks(r);
    if (*r->at != c) return 0;
    ++r->at;
    return 1;
}

static int add_node(reader* r, ts_expression_node node) {
    if (r->out->count == TS_EXPRESSION_NODES) return refuse(r, "the expression is too long");
    r->out->node[r->out->count] = node;
    return r->out->count++;
}

static int add_function(reader* r, int which, int x, int y) {
    if (x < 0 || y < 0) return -1;
    return add_node(r, (ts_expression_node){TS_EXPRESSION_FUNCTION, {x, y}, which, 0.0});
}

static int add_number(reader* r, double number) {
    return add_node(r, (ts_expression_node){TS_EXPRESSION_NUMBER, {0, 0}, 0, number});
}

static int read_plain_number(reader* r, double* out) {
    char digits[64];
    size_t length = strspn(r->at, "0123456789.");
    if (length > 0 && (r->at[length] == 'e' || r->at[length] == 'E')) {
        size_t sign = r->at[length + 1] == '-' || r->at[length + 1] == '+';
        size_t more = strspn(r->at + length + 1 + sign, "0123456789");
        if (more > 0) length += 1 + sign + more;
    }
    if (length == 0 || length >= sizeof digits) return 0;
    memcpy(digits, r->at, length);
    digits[length] = '\0';
    if (!ts_args_number(digits, out)) return 0;
    r->at += length;
    return 1;
}

static int close(reader* r, int node) {
    if (node < 0) return -1;
    return take(r, ')') ? node : refuse(r, "a ')' is missing here");
}

static int read_call(reader* r, int which) {
    int is_norm = strcmp(functions[which].name, "norm") == 0;
    int node = read_sum(r);
    if (is_norm && node >= 0) {
        int zero = add_number(r, 0.0);
        node = add_function(r, which, node, zero);
        while (node >= 0 && take(r, ',')) node = add_function(r, which, node, read_sum(r));
        return close(r, node);
    }
    if (functions[which].arguments == 1) return close(r, add_function(r, which, node, 0));
    if (node >= 0 && !take(r, ',')) return refuse(r, "a second argument is missing");
    return close(r, node < 0 ? -1 : add_function(r, which, node, read_sum(r)));
}

// at(S, E) and integral(E).
static int read_elsewhere(reader* r, int is_at) {
    ts_expression_node node = {is_at ? TS_EXPRESSION_AT : TS_EXPRESSION_INTEGRAL, {0, 0}, 0, 0.0};
    if (r->elsewhere) return refuse(r, "at() and integral() cannot stand within each other");
    if (is_at) {
        double time = 0.0, end = r->out->time_step * r->out->steps;
        skip_blanks(r);
        const char* number = r->at;
        if (!read_plain_number(r, &time)) return refuse(r, "at() takes seconds, a number");
        if (!(time <= end * (1.0 + 1e-12))) {
            r->at = number;
            return refuse(r, "this is after the end (--time)");
        }
        node.which = (int)floor(time / r->out->time_step + 0.5);
        if (!take(r, ',')) return refuse(r, "at(S, E) needs a ',' here");
    }
    r->elsewhere = 1;
    node.below[0] = read_sum(r);
    r->elsewhere = 0;
    return close(r, node.below[0] < 0 ? -1 : add_node(r, node));
}

static int read_quantity(reader* r) {
    ts_expression* e = r->out;
    ts_status status;
    if (e->quantity_count == TS_EXPRESSION_QUANTITIES) return refuse(r, "the expression asks for too many numbers");
    if (ts_quantity_read(r->model, &r->at, &e->quantity[e->quantity_count], &status)) return refuse(r, status.message);
    return add_node(r, (ts_expression_node){TS_EXPRESSION_QUANTITY, {0, 0}, e->quantity_count++, 0.0});
}

static int read_operand(reader* r) {
    double number = 0.0;
    skip_blanks(r);
    if (take(r, '(')) return close(r, read_sum(r));
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        if (read_plain_number(r, &number)) return add_number(r, number);
        return refuse(r, "this is no number");
    }
    size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (length == 0) return refuse(r, "a number, a name or a '(' should stand here");
    if (r->at[length] != '(') return read_quantity(r);
    const char* name = r->at;
    int which = function_of(name, length);
    int is_at = length == 2 && strncmp(name, "at", 2) == 0, is_integral = length == 8 && !strncmp(name, "integral", 8);
    if (which < FIRST_NAMED && !is_at && !is_integral) return refuse(r, "there is no such function");
    r->at += length + 1;
    return which >= FIRST_NAMED ? read_call(r, which) : read_elsewhere(r, is_at);
}

static int read_signed(reader* r) {
    if (r->depth == TS_EXPRESSION_DEPTH) return refuse(r, "the expression is nested too deeply");
    ++r->depth;
    int node = -1;
    if (take(r, '-')) {
        node = add_function(r, NEGATIVE, read_signed(r), 0);
    } else {
        node = read_operand(r);
        if (node >= 0 && take(r, '^')) node = add_function(r, function_of("^", 1), node, read_signed(r));
    }
    --r->depth;
    return node;
}

static int read_product(reader* r) {
    int node = read_signed(r);
    while (node >= 0) {
        char sign = take(r, '*') ? '*' : take(r, '/') ? '/' : '\0';
        if (!sign) break;
        node = add_function(r, function_of(&sign, 1), node, read_signed(r));
    }
    return node;
}

static int read_sum(reader* r) {
    int node = read_product(r);
    while (node >= 0) {
        char sign = take(r, '+') ? '+' : take(r, '-') ? '-' : '\0';
        if (!sign) break;
        node = add_function(r, function_of(&sign, 1), node, read_product(r));
    }
    return node;
}

ts_code ts_expression_read(const char* text, const ts_model* model, double time_step, int steps, ts_expression* out,
                           ts_status* out_status) {
    ts_status own;
    reader r = {text, text, model, out, 0, 0, out_status ? out_status : &own};
    memset(out, 0, sizeof *out);
    out->time_step = time_step;
    out->steps = steps;
    int node = read_sum(&r);
    skip_blanks(&r);
    if (node >= 0 && *r.at) node = refuse(&r, "nothing more can stand here");
    if (node < 0) return TS_ERROR_VALUE;
    if (out->quantity_count == 0) {
        r.at = r.text + strlen(r.text);
        refuse(&r, "this is a number whatever the state is");
        return TS_ERROR_VALUE;
    }
    return ts_status_ok(out_status);
}

// --- values and derivatives ---

static double share_of(const ts_expression* self, int state) {
    return self->steps == 0 ? 0.0 : state == 0 || state == self->steps ? 0.5 : 1.0;
}

static double value_at(const ts_expression* self, const double* table, int node, int state) {
    const ts_expression_node* n = &self->node[node];
    double sum = 0.0;
    switch (n->kind) {
    case TS_EXPRESSION_NUMBER: return n->number;
    case TS_EXPRESSION_QUANTITY: return table[(size_t)state * (size_t)self->quantity_count + (size_t)n->which];
    case TS_EXPRESSION_FUNCTION:
        return functions[n->which].value(value_at(self, table, n->below[0], state),
                                         functions[n->which].arguments == 2 ? value_at(self, table, n->below[1], state)
                                                                            : 0.0);
    case TS_EXPRESSION_AT: return value_at(self, table, n->below[0], n->which);
    case TS_EXPRESSION_INTEGRAL:
        for (int k = 0; k <= self->steps; ++k)
            sum += self->time_step * share_of(self, k) * value_at(self, table, n->below[0], k);
        return sum;
    }
    return 0.0;
}

double ts_expression_value(const ts_expression* self, const double* table) {
    return value_at(self, table, self->count - 1, self->steps);
}

// Values below a node are found again at each level: expressions are small.
static void push(const ts_expression* self, const double* table, int node, int state, double bar, double* by,
                 double* by_step) {
    const ts_expression_node* n = &self->node[node];
    if (bar == 0.0) return;
    if (n->kind == TS_EXPRESSION_QUANTITY) {
        by[(size_t)state * (size_t)self->quantity_count + (size_t)n->which] += bar;
    } else if (n->kind == TS_EXPRESSION_AT) {
        push(self, table, n->below[0], n->which, bar, by, by_step);
    } else if (n->kind == TS_EXPRESSION_INTEGRAL) {
        for (int k = 0; k <= self->steps; ++k) {
            push(self, table, n->below[0], k, bar * self->time_step * share_of(self, k), by, by_step);
            *by_step += bar * share_of(self, k) * value_at(self, table, n->below[0], k);
        }
    } else if (n->kind == TS_EXPRESSION_FUNCTION) {
        const function* f = &functions[n->which];
        double x = value_at(self, table, n->below[0], state);
        double y = f->arguments == 2 ? value_at(self, table, n->below[1], state) : 0.0;
        push(self, table, n->below[0], state, bar * f->by_x(x, y), by, by_step);
        if (f->arguments == 2) push(self, table, n->below[1], state, bar * f->by_y(x, y), by, by_step);
    }
}

void ts_expression_differentiate(const ts_expression* self, const double* table, double* out_by, double* out_by_step) {
    memset(out_by, 0, ((size_t)self->steps + 1) * (size_t)self->quantity_count * sizeof *out_by);
    *out_by_step = 0.0;
    push(self, table, self->count - 1, self->steps, 1.0, out_by, out_by_step);
}
