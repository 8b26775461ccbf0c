// Trees as chains of degrees of freedom, and lines of numbers that lie along them: what making a factor (tree_factor.c) and using it on rows
// (tree_factor_rows.c) and columns (tree_factor_columns.c) share.
#ifndef TS_ENGINE_DYNAMICS_TREE_FACTOR_INTERNAL_H
#define TS_ENGINE_DYNAMICS_TREE_FACTOR_INTERNAL_H

#include <string.h>

#include "base/linear/tiles.h"
#include "engine/dynamics/tree_factor.h"

/// The dofs of a tree as chains to its root, in runs of consecutive ones: a robot's limb is one run, and walking it needs
/// no look at the dofs in between.
typedef struct ts_dof_chains {
    const ts_dof* dof;
    int first;  // the tree's first dof; what follows counts from it
} ts_dof_chains;

/// Those of a tree.
static inline ts_dof_chains ts_dof_chains_of(const ts_model* model, int tree) {
    ts_dof_chains chains = {model->dof, model->tree[tree].dof_first};
    return chains;
}

/// The dof that i hangs on, or a negative number.
static inline int ts_dof_above(const ts_dof_chains* chains, int i) {
    return chains->dof[chains->first + i].parent - chains->first;
}

#if defined(__GNUC__)

/// Two neighbouring columns: runs are short, and compilers leave them scalar.
typedef double ts_two_columns __attribute__((vector_size(16)));

/// The two that lie there.
static inline ts_two_columns ts_pair_of_columns(const double* from) {
    ts_two_columns v;
    memcpy(&v, from, sizeof v);
    return v;
}

#endif

/// Dofs of a run that are eliminated at a time.
enum { TS_DOF_CHUNK = 4 };

/// Four neighbouring columns, and lines of them. Under x86 the factorisation is compiled a second time for processors with vectors of four
/// lanes; every number is found by the same operations in the same order, so both give the same bits.
#if defined(__GNUC__)
#define TS_LINE_INLINED static inline __attribute__((always_inline))
typedef double ts_four_columns __attribute__((vector_size(32)));
#else
#define TS_LINE_INLINED static inline
#endif

/// to = s from, n numbers.
TS_LINE_INLINED void ts_line_copy_scaled(int n, double s, const double* from, double* to) {
    int j = 0;
#if defined(__GNUC__)
    const ts_four_columns four = {s, s, s, s};
    const ts_two_columns two = {s, s};
    for (; j + 4 <= n; j += 4) {
        ts_four_columns v;
        memcpy(&v, from + j, sizeof v);
        v *= four;
        memcpy(to + j, &v, sizeof v);
    }
    if (j + 2 <= n) {
        ts_two_columns v = ts_pair_of_columns(from + j) * two;
        memcpy(to + j, &v, sizeof v);
        j += 2;
    }
#endif
    if (j < n) to[j] = s * from[j];
}

/// x -= value * line, n numbers.
TS_LINE_INLINED void ts_line_subtract(int n, double value, const double* line, double* x) {
    int j = 0;
#if defined(__GNUC__)
    ts_four_columns values = {value, value, value, value};
    for (; j + 4 <= n; j += 4) {
        ts_four_columns l, sum;
        memcpy(&l, line + j, sizeof l);
        memcpy(&sum, x + j, sizeof sum);
        sum -= l * values;
        memcpy(x + j, &sum, sizeof sum);
    }
#endif
    for (; j < n; ++j) x[j] -= line[j] * value;
}

/// Most dofs of a tree whose factor is made in tiles.
enum { TS_TREE_TILES = TS_TILE * TS_TILES_MOST };

/// The tiles that dofs of tile k of such a tree hang on, but for tile k: a bit for each.
static inline uint32_t ts_dof_tiles_above(const ts_dof_chains* chains, int k) {
    return chains->dof[chains->first + TS_TILE * k].tiles;
}

/// ts_tree_factor_make of so few dofs.
int ts_tree_factor_tiles(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse);

/// The same, whatever the machine, and with AVX2: the same bits.
int ts_tree_factor_tiles_narrow(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse);
int ts_tree_factor_tiles_wide(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse);

/// ts_tree_factor_whiten and ts_tree_factor_unwhiten of one row, of a general tree of so few dofs.
void ts_tree_factor_whiten_one(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* x);
void ts_tree_factor_unwhiten_one(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* w);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_tree_factor_whiten_one_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                      double* x);
void ts_tree_factor_whiten_one_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    double* x);
void ts_tree_factor_unwhiten_one_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                        double* w);
void ts_tree_factor_unwhiten_one_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                      double* w);

/// Most rows of ts_tree_factor_unwhiten_few.
enum { TS_TREE_LANES = 4 };

/// ts_tree_factor_unwhiten of two to four rows together, of a tree of at most TS_TREE_TILES dofs.
void ts_tree_factor_unwhiten_few(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                                 double* w);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_tree_factor_unwhiten_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    int rows, double* w);
void ts_tree_factor_unwhiten_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                                  double* w);

#endif
