// Counter-based random numbers (Philox4x32-10, Salmon et al., SC 2011): a pure function of (seed, stream, counter),
// so any thread can draw the n-th number without asking the others. Known answers of the paper's authors are tested.
#ifndef TS_BASE_RNG_H
#define TS_BASE_RNG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream of random numbers; plain data. Copy it to fork, set `counter` to jump.
typedef struct ts_rng {
    uint64_t seed;
    uint64_t stream;
    uint64_t counter;  // the next draw
} ts_rng;

/// The stream number `stream` of a seed, at its start.
ts_rng ts_rng_make(uint64_t seed, uint64_t stream);

/// 128 random bits for a 128-bit counter and a 64-bit key: the Philox4x32-10 block function.
void ts_rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out_random[4]);

/// 64 random bits.
uint64_t ts_rng_bits(ts_rng* rng);

/// Uniform in [0, 1), 53 bits.
double ts_rng_uniform(ts_rng* rng);

/// Uniform in [low, high).
double ts_rng_uniform_in(ts_rng* rng, double low, double high);

/// Standard normal (Box-Muller; always consumes one counter).
double ts_rng_normal(ts_rng* rng);

#ifdef __cplusplus
}
#endif
#endif
