// Linear systems over the blocks of a contact problem: which way, and what all ways share.
//
// Problem: (C + E A) x = r for unknown blocks, with x known in all others; see linear_internal.h.
// Rule: up to TS_LINEAR_DENSE_ROWS unknown rows one dense factor is the quickest. Beyond, by blocks or by groups, or
// through the bodies, whichever takes fewer multiplications; that is compared again when the number of unknown rows has
// changed much. A shift that changes seldom gets a factor too, and for a velocity form with more rows than degrees of
// freedom conjugate gradients until a factor through the bodies has paid for itself. What is known moves to the right-hand
// side.
// Source: elimination of known unknowns, textbook linear algebra; the ways name their own.
// Guaranteed: same input, same bits; 0 rather than an answer that is not finite.
// Known to fail: see the ways; whoever takes a step checks that it helps.
#include "contact/operator/linear_internal.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "contact/operator/linear_groups_internal.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    RECOMPARE = 5,      // the ways are compared again when the unknown rows have changed by more than this part of them
    KEPT_PART = 4,      // at most one of so many unknown blocks is known, and kept among them
    CLEARLY_MORE = 3,   // unknown rows to a body's degree of freedom from which nothing needs to be compared
    DENSE_MOST = 3000,  // rows of a full matrix that is still factorised densely
};

static const double bodies_rate = 0.7;  // a multiplication through the bodies is worth this one over contacts: more is
                                        // done beside it
static const double dense_speed =
    0.25;  // multiply-adds of a dense factor take this part of the time of those by blocks

// --- what there is ---------------------------------------------------------------------------------------------------

// Columns that the blocks of a velocity form use, or -1 when scratch is short.
static int used_columns(const ts_velocity_form* form, ts_arena* scratch) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    unsigned char* used = (unsigned char*)ts_arena_alloc_zeroed(scratch, (size_t)form->velocity_count, 1);
    int columns = 0;
    for (int s = 0; used && s < form->segment_start[form->base.block_count]; ++s)
        memset(used + form->segment[s].column, 1, (size_t)form->segment[s].count);
    for (int j = 0; used && j < form->velocity_count; ++j) columns += used[j];
    ts_arena_scope_end(scratch, scope);
    return used ? columns : -1;
}

int ts_linear_prefers_bodies(ts_delassus* G, ts_arena* scratch) {
    const ts_velocity_form* form = ts_velocity_form_of(G);
    if (!form || G->row_count <= TS_LINEAR_DENSE_ROWS) return 0;
    if (G->row_count > form->velocity_count) return 1;
    int columns = used_columns(form, scratch);
    return columns >= 0 && G->row_count > columns;
}

static int take_memory(ts_linear* s, ts_arena* arena) {
    ts_linear_room* room = s->room;
    int blocks = s->A->blocks;
    int* square = TS_ARENA_ARRAY(arena, int, blocks + 1);
    room->place = TS_ARENA_ARRAY(arena, int, blocks);
    room->list = TS_ARENA_ARRAY(arena, int, blocks);
    room->first = TS_ARENA_ARRAY(arena, int, blocks);
    if (!square || !room->place || !room->list || !room->first) return 0;
    square[0] = 0;
    for (int b = 0; b < blocks; ++b) {
        int rows = ts_linear_rows_of(s, b);
        square[b + 1] = square[b] + rows * rows;
        room->place[b] = -1;
    }
    s->square = square;
    if (room->use == TS_LINEAR_SHIFT) return 1;
    room->right = TS_ARENA_ARRAY(arena, double, s->A->rows);
    s->C = TS_ARENA_ARRAY(arena, double, square[blocks]);
    s->E = TS_ARENA_ARRAY(arena, double, square[blocks]);
    s->active = TS_ARENA_ARRAY(arena, int, blocks);
    for (int b = 0; s->active && b < blocks; ++b) s->active[b] = 1;
    return room->right && s->C && s->E && s->active;
}

ts_linear* ts_linear_make(const ts_linear_matrix* A, ts_linear_use use, ts_arena* arena) {
    ts_linear* s = (ts_linear*)ts_arena_alloc_zeroed(arena, 1, sizeof(*s));
    ts_linear_room* room = (ts_linear_room*)ts_arena_alloc_zeroed(arena, 1, sizeof(*room));
    if (!s || !room) return NULL;
    s->A = A;
    s->room = room;
    room->use = use;
    room->arena = arena;
    if (!take_memory(s, arena)) return NULL;
    room->form = ts_velocity_form_of(A->G);
    room->columns = room->form ? used_columns(room->form, arena) : 0;
    if (room->columns < 0) room->form = NULL;
    if (use == TS_LINEAR_BLOCKS && A->start && (!room->form || A->rows < CLEARLY_MORE * room->columns))
        room->groups = ts_linear_groups_make(A, arena);
    room->scope = ts_arena_scope_begin(arena);
    room->top = arena->used;
    return s;
}

// --- the choice ------------------------------------------------------------------------------------------------------

// Whether what was analysed through the bodies may keep blocks that have become known: under a Hessian a row of nothing in E says that x is what
// is known. Not where they would be many, and work for nothing.
static int keeps_known(const ts_linear* s) {
    const ts_linear_room* room = s->room;
    if (!room->analysed || room->way != &ts_linear_bodies_way || !s->is_hessian) return 0;
    int known = 0;
    for (int b = 0; b < s->A->blocks; ++b) known += room->place[b] >= 0 && !s->active[b];
    return known * KEPT_PART <= room->count;
}

// Numbers the unknown blocks, with those that are kept among them. Returns whether they are others than before.
static int list_unknown(ts_linear* s) {
    ts_linear_room* room = s->room;
    int changed = 0, keeps = keeps_known(s);
    room->count = room->rows = 0;
    for (int b = 0; b < s->A->blocks; ++b) {
        int unknown = !s->active || s->active[b];
        if (keeps && !unknown && room->place[b] >= 0) {
            memset(s->E + s->square[b], 0, (size_t)(s->square[b + 1] - s->square[b]) * sizeof(double));
            unknown = 1;
        }
        changed |= unknown != (room->place[b] >= 0);
        room->place[b] = unknown ? room->count : -1;
        if (!unknown) continue;
        room->first[room->count] = room->rows;
        room->list[room->count++] = b;
        room->rows += ts_linear_rows_of(s, b);
    }
    return changed;
}

// Forgets what was analysed.
static void forget(ts_linear_room* room) {
    TS_ASSERT(room->arena->used == room->top);
    ts_arena_scope_end(room->arena, room->scope);
    room->top = room->arena->used;
    room->analysed = NULL;
}

// Analyses for one way. Returns 0, with nothing kept, when that is refused or would cost more than `most_work`.
static int analyse(ts_linear* s, const ts_linear_way* way, double most_work) {
    ts_linear_room* room = s->room;
    ts_arena_scope scope = ts_arena_scope_begin(room->arena);
    room->way = way;
    room->analysed = way->analyse(s, room->arena, TS_LINEAR_LARGEST_FACTOR);
    if (room->analysed && way->cost(room->analysed).change > most_work) room->analysed = NULL;
    if (!room->analysed) ts_arena_scope_end(room->arena, scope);
    room->top = room->arena->used;
    return room->analysed != NULL;
}

// Over the contacts, C and E changing.
static int analyse_contacts(ts_linear* s, double most_work) {
    const ts_linear_room* room = s->room;
    if (room->groups) return analyse(s, &ts_linear_groups_way, most_work);
    return analyse(s, room->rows <= TS_LINEAR_DENSE_ROWS ? &ts_linear_dense_way : &ts_linear_blocks_way, most_work);
}

// Nonzero when the ways have to be compared, again where the number of unknown rows has changed much.
static int is_open(const ts_linear_room* room) {
    int change = room->rows - room->compared_rows;
    return room->compared_rows == 0 || RECOMPARE * (change < 0 ? -change : change) > room->compared_rows;
}

// C and E changing.
static int choose(ts_linear* s) {
    ts_linear_room* room = s->room;
    int by_contacts = s->A->start != NULL;
    if (by_contacts && (room->rows <= TS_LINEAR_DENSE_ROWS || !room->form)) return analyse_contacts(s, HUGE_VAL);
    if (!room->form) return 0;
    if (by_contacts && is_open(room)) {
        room->compared_rows = room->rows;
        room->through_bodies = 1;
        if (room->rows < CLEARLY_MORE * room->columns) {
            double work =
                analyse(s, &ts_linear_bodies_way, HUGE_VAL) ? room->way->cost(room->analysed).change : HUGE_VAL;
            if (room->analysed) forget(room);
            room->through_bodies = !analyse_contacts(s, work / bodies_rate);
            if (!room->through_bodies) return 1;
        }
    } else if (by_contacts && !room->through_bodies) {
        return analyse_contacts(s, HUGE_VAL);
    }
    return analyse(s, &ts_linear_bodies_way, HUGE_VAL) || (by_contacts && analyse_contacts(s, HUGE_VAL));
}

// Only a shift changing.
static int choose_for_shift(ts_linear* s) {
    int rows = s->A->rows;
    double n = rows, most = rows > DENSE_MOST ? HUGE_VAL : dense_speed * n * n * n / 3.0;
    if (!s->A->start) return analyse(s, &ts_linear_steps_way, HUGE_VAL);
    if (s->A->at && analyse(s, &ts_linear_blocks_way, most)) return 1;
    return rows <= DENSE_MOST &&
           (analyse(s, &ts_linear_symmetric_way, HUGE_VAL) || analyse(s, &ts_linear_dense_way, HUGE_VAL));
}

// --- changing --------------------------------------------------------------------------------------------------------

// The analysis for the blocks that are unknown now.
static int prepare(ts_linear* s) {
    ts_linear_room* room = s->room;
    if (room->analysed && (room->use == TS_LINEAR_SHIFT || !list_unknown(s))) return 1;
    if (!room->analysed) list_unknown(s);
    if (room->analysed) forget(room);
    return room->use == TS_LINEAR_SHIFT ? choose_for_shift(s) : choose(s);
}

int ts_linear_shift(ts_linear* s, double shift) {
    ts_linear_room* room = s->room;
    TS_ASSERT(room->use == TS_LINEAR_SHIFT);
    room->shift = shift;
    if (s->A->rows == 0) return 1;
    if (!prepare(s)) return 0;
    if (room->way->change(room->analysed)) return 1;
    if (room->way != &ts_linear_symmetric_way) return 0;
    // Recorded matrices can be slightly indefinite; then LU takes over for good.
    forget(room);
    return analyse(s, &ts_linear_dense_way, HUGE_VAL) && room->way->change(room->analysed);
}

int ts_linear_change(ts_linear* s) {
    ts_linear_room* room = s->room;
    TS_ASSERT(room->use == TS_LINEAR_BLOCKS);
    if (!prepare(s)) return room->rows == 0;
    return room->rows == 0 || room->way->change(room->analysed);
}

ts_linear_cost ts_linear_cost_of(ts_linear* s) {
    static const ts_linear_cost nothing = {0.0, 0.0, 0.0}, refused = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    if (prepare(s)) return s->room->way->cost(s->room->analysed);
    return s->room->rows == 0 ? nothing : refused;
}

// C + E A of three rows and three columns.
static void form_three(const double* A, int ld, const double* C, const double* E, double* out, int out_ld) {
    for (int i = 0; i < 3; ++i, E += 3, out += out_ld) {
        out[0] = E[0] * A[0] + E[1] * A[ld] + E[2] * A[2 * ld];
        out[1] = E[0] * A[1] + E[1] * A[ld + 1] + E[2] * A[2 * ld + 1];
        out[2] = E[0] * A[2] + E[1] * A[ld + 2] + E[2] * A[2 * ld + 2];
        for (int c = 0; c < 3 && C; ++c) out[c] += *C++;
    }
}

void ts_linear_form_entry(const ts_linear* s, int b, int e, double* out, int out_ld) {
    int other = s->A->column[e], rows = ts_linear_rows_of(s, b), columns = ts_linear_rows_of(s, other), ld;
    const double *A = ts_linear_matrix_entry(s->A, b, e, &ld), *E = s->E ? s->E + s->square[b] : NULL;
    const double* C = s->C && other == b ? s->C + s->square[b] : NULL;
    if (E && rows == 3 && columns == 3) {
        form_three(A, ld, C, E, out, out_ld);
        return;
    }
    for (int i = 0; i < rows; ++i, out += out_ld) {
        if (!E) memcpy(out, A + i * ld, (size_t)columns * sizeof(double));
        for (int c = 0; c < columns && E; ++c) {
            double sum = 0.0;
            for (int k = 0; k < rows; ++k) sum += E[i * rows + k] * A[k * ld + c];
            out[c] = C ? sum + C[i * columns + c] : sum;
        }
    }
}

// --- solving ---------------------------------------------------------------------------------------------------------

// right -= E_b times what the known blocks do to the rows of block b.
static void subtract_known(const ts_linear* s, int b, const double* x, double* right) {
    const ts_linear_matrix* A = s->A;
    int rows = ts_linear_rows_of(s, b);
    double sum[MAX] = {0.0};
    const double* E = s->E + s->square[b];
    for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
        int other = A->column[e], ld;
        if (s->room->place[other] >= 0) continue;
        const double *a = ts_linear_matrix_entry(A, b, e, &ld), *known = x + A->row[other];
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < ts_linear_rows_of(s, other); ++c) sum[r] += a[(size_t)r * (size_t)ld + c] * known[c];
    }
    for (int r = 0; r < rows; ++r) {
        double known = 0.0;
        for (int k = 0; k < rows; ++k) known += E[r * rows + k] * sum[k];
        right[r] -= known;
    }
}

// Whether any known block is not at rest.
static int is_something_known(const ts_linear* s, const double* x) {
    for (int b = 0; b < s->A->blocks; ++b)
        for (int i = s->A->row[b]; i < s->A->row[b + 1] && s->room->place[b] < 0; ++i)
            if (x[i] != 0.0) return 1;
    return 0;
}

static int solve_over_contacts(ts_linear* s, double* x) {
    const ts_linear_room* room = s->room;
    double sum = 0.0;
    if (room->count == s->A->blocks) {
        int solved = room->way->solve(room->analysed, NULL, 0.0, x);
        for (int i = 0; i < room->rows; ++i) sum += 0.0 * x[i];
        return solved && sum == 0.0;
    }
    int known = is_something_known(s, x);
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a];
        double* right = room->right + room->first[a];
        memcpy(right, x + s->A->row[b], (size_t)ts_linear_rows_of(s, b) * sizeof(double));
        if (known) subtract_known(s, b, x, right);
    }
    int solved = room->way->solve(room->analysed, NULL, 0.0, room->right);
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a], rows = ts_linear_rows_of(s, b);
        const double* right = room->right + room->first[a];
        for (int r = 0; r < rows; ++r) {
            x[s->A->row[b] + r] = right[r];
            sum += 0.0 * right[r];
        }
    }
    return solved && sum == 0.0;
}

int ts_linear_solve(ts_linear* s, const double* guess, double accuracy, double* x) {
    ts_linear_room* room = s->room;
    if (room->rows == 0) return 1;
    if (room->way->over_contacts) return solve_over_contacts(s, x);
    int solved = room->way->solve(room->analysed, guess, accuracy, x);
    room->top = room->arena->used;
    if (solved || room->use == TS_LINEAR_SHIFT || !s->A->start) return solved;
    // The digits did not suffice through the bodies.
    forget(room);
    return analyse_contacts(s, HUGE_VAL) && room->way->change(room->analysed) && solve_over_contacts(s, x);
}
