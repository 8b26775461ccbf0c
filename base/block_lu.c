// Block-sparse LU with a minimum-degree order.
//
// Problem: A x = b for a matrix of small blocks whose pattern is symmetric and whose numbers need not be.
// Rule: eliminate the block that has the fewest neighbours left, join its neighbours, repeat; the sets of neighbours at
// elimination are the pattern of the factor. Numbers are eliminated right-looking in that order: L_ip = A_ip D_p^-1,
// A_ij -= L_ip U_pj. The neighbours of p behind i are neighbours of i too, so targets are found by walking two sorted
// lists side by side.
// Source: minimum degree: Tinney and Walker 1967; George and Liu 1989. Sets are bit sets, so that joining is an OR.
// Guaranteed: one fixed order that depends on the pattern alone; the same input gives the same bits.
// Known to fail: there is no pivoting between blocks. Matrices far from block diagonal dominance can grow without bound;
// callers check the residual. The order takes count^2 / 8 bytes and about count^2 steps: for some ten thousand blocks.
#include "base/block_lu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/dense.h"

// One eliminated block. "Position" is the place in the order of elimination.
typedef struct pivot {
    int node;
    int size;
    int first;        // of its neighbours in ts_block_lu.neighbour
    int count;        // neighbours left when it is eliminated
    size_t diagonal;  // of its inverse diagonal block in ts_block_lu.value
} pivot;

struct ts_block_lu {
    int count;
    int rows;
    int* position;   // (count) of a node
    int* row;        // (count) first row of a node
    pivot* step;     // (count)
    int* neighbour;  // positions, ascending for every step
    size_t* lower;   // per neighbour: its block of L, size of the neighbour x size of the step
    size_t* upper;   // per neighbour: its block of U, size of the step x size of the neighbour
    double* value;
    size_t value_count;
    double work;
};

// Sums of bits in pairs, then fours, then bytes, and the bytes by one product.
static int bits_in(uint64_t word) {
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)((word * UINT64_C(0x0101010101010101)) >> 56);
}

// The bits below the lowest that is set.
static int lowest_bit(uint64_t word) { return bits_in((word & (0 - word)) - 1); }

// The elimination order. The set of an eliminated node is never touched again: it stays what was beside it then. Returns
// the number of all neighbours.
static size_t eliminate(int count, int words, uint64_t* set, int* degree, pivot* step, int* position) {
    size_t total = 0;
    for (int p = 0; p < count; ++p) {
        int best = -1;
        for (int i = 0; i < count; ++i)
            if (position[i] < 0 && (best < 0 || degree[i] < degree[best])) best = i;
        const uint64_t* mine = set + (size_t)best * (size_t)words;
        position[best] = p;
        step[p].node = best;
        step[p].count = degree[best];
        total += (size_t)degree[best];
        for (int v = 0; v < words; ++v) {
            for (uint64_t left = mine[v]; left; left &= left - 1) {
                int i = 64 * v + lowest_bit(left), now = 0;
                uint64_t* theirs = set + (size_t)i * (size_t)words;
                for (int w = 0; w < words; ++w) theirs[w] |= mine[w];
                theirs[i / 64] &= ~((uint64_t)1 << (i % 64));
                theirs[best / 64] &= ~((uint64_t)1 << (best % 64));
                for (int w = 0; w < words; ++w) now += bits_in(theirs[w]);
                degree[i] = now;
            }
        }
    }
    return total;
}

static void sort_ascending(int* value, int count) {
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; ++i) {
            int v = value[i], j = i;
            for (; j >= gap && value[j - gap] > v; j -= gap) value[j] = value[j - gap];
            value[j] = v;
        }
    }
}

// The neighbours of every step as positions, ascending, read from the sets.
static void list_neighbours(ts_block_lu* lu, int words, const uint64_t* set) {
    int total = 0;
    for (int p = 0; p < lu->count; ++p) {
        pivot* step = &lu->step[p];
        const uint64_t* mine = set + (size_t)step->node * (size_t)words;
        step->first = total;
        for (int w = 0; w < words; ++w)
            for (uint64_t left = mine[w]; left; left &= left - 1)
                lu->neighbour[total++] = lu->position[64 * w + lowest_bit(left)];
        sort_ascending(lu->neighbour + step->first, step->count);
    }
}

// Places of all blocks of the factor, and the work of filling them. Returns 0 when they are more than `most` numbers.
static int place_blocks(ts_block_lu* lu, const int* size, size_t most) {
    size_t at = 0;
    for (int p = 0; p < lu->count; ++p) {
        pivot* step = &lu->step[p];
        size_t own = (size_t)size[step->node], beside = 0;
        step->size = (int)own;
        step->diagonal = at;
        at += own * own;
        for (int k = step->first; k < step->first + step->count; ++k) {
            size_t other = (size_t)size[lu->step[lu->neighbour[k]].node];
            lu->lower[k] = at;
            lu->upper[k] = at + own * other;
            at += 2 * own * other;
            beside += other;
        }
        if (at > most) return 0;
        lu->work += (double)(own * (own * (own + beside) + beside * beside));
    }
    lu->value_count = at;
    return 1;
}

ts_block_lu* ts_block_lu_analyse(ts_arena* arena, int count, const int* size, const int* start, const int* column,
                                 size_t most) {
    size_t words = ((size_t)count + 63) / 64;
    ts_block_lu* lu = (ts_block_lu*)ts_arena_alloc_zeroed(arena, 1, sizeof(*lu));
    uint64_t* set = (uint64_t*)ts_arena_alloc_zeroed(arena, (size_t)count * words, sizeof(uint64_t));
    int* degree = TS_ARENA_ARRAY(arena, int, count);
    if (!lu || !set || !degree) return NULL;
    lu->count = count;
    lu->position = TS_ARENA_ARRAY(arena, int, count);
    lu->row = TS_ARENA_ARRAY(arena, int, count);
    lu->step = TS_ARENA_ARRAY(arena, pivot, count);
    if (!lu->position || !lu->row || !lu->step) return NULL;
    for (int i = 0; i < count; ++i) {
        lu->row[i] = lu->rows;
        lu->rows += size[i];
        lu->position[i] = -1;
        degree[i] = start[i + 1] - start[i] - 1;
        for (int e = start[i]; e < start[i + 1]; ++e)
            if (column[e] != i) set[(size_t)i * words + (size_t)(column[e] / 64)] |= (uint64_t)1 << (column[e] % 64);
    }
    size_t total = eliminate(count, (int)words, set, degree, lu->step, lu->position);
    if (total > most) return NULL;
    lu->neighbour = TS_ARENA_ARRAY(arena, int, total);
    lu->lower = TS_ARENA_ARRAY(arena, size_t, total);
    lu->upper = TS_ARENA_ARRAY(arena, size_t, total);
    if (!lu->neighbour || !lu->lower || !lu->upper) return NULL;
    list_neighbours(lu, (int)words, set);
    if (!place_blocks(lu, size, most)) return NULL;
    lu->value = TS_ARENA_ARRAY(arena, double, lu->value_count);
    return lu->value ? lu : NULL;
}

double ts_block_lu_work(const ts_block_lu* lu) { return lu->work; }

// Which neighbour of step p has this position; it is known to be there.
static int find_neighbour(const ts_block_lu* lu, int p, int position) {
    int low = lu->step[p].first, high = low + lu->step[p].count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (lu->neighbour[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void load(ts_block_lu* lu, const int* start, const int* column, const size_t* at, const double* value) {
    memset(lu->value, 0, lu->value_count * sizeof(double));
    for (int i = 0; i < lu->count; ++i) {
        int p = lu->position[i];
        for (int e = start[i]; e < start[i + 1]; ++e) {
            int q = lu->position[column[e]];
            size_t numbers = (size_t)lu->step[p].size * (size_t)lu->step[q].size;
            size_t target = lu->step[p].diagonal;
            if (p < q) target = lu->upper[find_neighbour(lu, p, q)];
            if (p > q) target = lu->lower[find_neighbour(lu, q, p)];
            memcpy(lu->value + target, value + at[e], numbers * sizeof(double));
        }
    }
}

// C -= A B with A rows x inner, B inner x columns.
static inline void subtract_product(double* C, const double* A, const double* B, int rows, int inner, int columns) {
    if (rows == 3 && inner == 3 && columns == 3) {
        for (int i = 0; i < 3; ++i) {
            double a0 = A[3 * i], a1 = A[3 * i + 1], a2 = A[3 * i + 2];
            for (int j = 0; j < 3; ++j) C[3 * i + j] -= a0 * B[j] + a1 * B[3 + j] + a2 * B[6 + j];
        }
        return;
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (int k = 0; k < inner; ++k) sum += A[i * inner + k] * B[k * columns + j];
            C[i * columns + j] -= sum;
        }
}

// Replaces a diagonal block by its inverse.
static int invert(double* D, int n) {
    double LU[TS_BLOCK_LU_MAX * TS_BLOCK_LU_MAX], e[TS_BLOCK_LU_MAX];
    int swap[TS_BLOCK_LU_MAX];
    memcpy(LU, D, (size_t)(n * n) * sizeof(double));
    if (!ts_lu_factor(LU, n, n, swap)) return 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) e[i] = i == j ? 1.0 : 0.0;
        ts_lu_solve(LU, n, n, swap, e);
        for (int i = 0; i < n; ++i) {
            if (!isfinite(e[i])) return 0;
            D[i * n + j] = e[i];
        }
    }
    return 1;
}

// Takes step p out of all that comes behind it.
static void update_behind(ts_block_lu* lu, int p) {
    const pivot* step = &lu->step[p];
    double* value = lu->value;
    int end = step->first + step->count;
    for (int a = step->first; a < end; ++a) {
        const pivot* target = &lu->step[lu->neighbour[a]];
        const double* L = value + lu->lower[a];
        const double* U = value + lu->upper[a];
        subtract_product(value + target->diagonal, L, U, target->size, step->size, target->size);
        int t = target->first;
        for (int b = a + 1; b < end; ++b, ++t) {
            int other = lu->neighbour[b];
            while (lu->neighbour[t] < other) ++t;
            int size = lu->step[other].size;
            subtract_product(value + lu->upper[t], L, value + lu->upper[b], target->size, step->size, size);
            subtract_product(value + lu->lower[t], value + lu->lower[b], U, size, step->size, target->size);
        }
    }
}

int ts_block_lu_factor(ts_block_lu* lu, const int* start, const int* column, const size_t* at, const double* value) {
    load(lu, start, column, at, value);
    for (int p = 0; p < lu->count; ++p) {
        const pivot* step = &lu->step[p];
        int n = step->size;
        double* D = lu->value + step->diagonal;
        if (!invert(D, n)) return 0;
        for (int k = step->first; k < step->first + step->count; ++k) {
            // L = A D^-1, in place by way of a copy.
            double A[TS_BLOCK_LU_MAX * TS_BLOCK_LU_MAX];
            double* L = lu->value + lu->lower[k];
            int rows = lu->step[lu->neighbour[k]].size;
            for (int i = 0; i < rows * n; ++i) {
                A[i] = -L[i];
                L[i] = 0.0;
            }
            subtract_product(L, A, D, rows, n, n);
        }
        update_behind(lu, p);
    }
    return 1;
}

void ts_block_lu_solve(const ts_block_lu* lu, double* x) {
    for (int p = 0; p < lu->count; ++p) {
        const pivot* step = &lu->step[p];
        for (int k = step->first; k < step->first + step->count; ++k) {
            const pivot* other = &lu->step[lu->neighbour[k]];
            subtract_product(x + lu->row[other->node], lu->value + lu->lower[k], x + lu->row[step->node], other->size,
                             step->size, 1);
        }
    }
    for (int p = lu->count - 1; p >= 0; --p) {
        const pivot* step = &lu->step[p];
        double right[TS_BLOCK_LU_MAX];
        double* mine = x + lu->row[step->node];
        for (int k = step->first; k < step->first + step->count; ++k) {
            const pivot* other = &lu->step[lu->neighbour[k]];
            subtract_product(mine, lu->value + lu->upper[k], x + lu->row[other->node], step->size, other->size, 1);
        }
        for (int i = 0; i < step->size; ++i) {
            right[i] = -mine[i];
            mine[i] = 0.0;
        }
        subtract_product(mine, lu->value + step->diagonal, right, step->size, step->size, 1);
    }
}
