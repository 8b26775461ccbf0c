// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011), section 4.3: ten rounds, each two 32x32->64 multiplications whose halves are crossed over and
// mixed with a key that advances by a Weyl sequence.
//
// The counter words are (draw number, stream), the key is the seed, so streams of one seed never overlap: the block
// function is a bijection of the 128-bit counter. Uniform numbers are exact multiples of 2^-53 and the same bits on
// every machine; normal ones go through log and cos and share the platform's last bit.
#include "base/rng.h"

#include <math.h>

ts_rng ts_rng_make(uint64_t seed, uint64_t stream) {
    ts_rng rng = {seed, stream, 0};
    return rng;
}

void ts_rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out_random[4]) {
    const uint64_t multiplier0 = UINT64_C(0xD2511F53), multiplier1 = UINT64_C(0xCD9E8D57);
    const uint32_t weyl0 = UINT32_C(0x9E3779B9), weyl1 = UINT32_C(0xBB67AE85);
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
        uint64_t product0 = multiplier0 * c0, product1 = multiplier1 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += weyl0;
        k1 += weyl1;
    }
    out_random[0] = c0;
    out_random[1] = c1;
    out_random[2] = c2;
    out_random[3] = c3;
}

// The next block of the stream as two 64-bit words.
static void next_block(ts_rng* rng, uint64_t out_words[2]) {
    const uint32_t counter[4] = {(uint32_t)rng->counter, (uint32_t)(rng->counter >> 32), (uint32_t)rng->stream,
                                 (uint32_t)(rng->stream >> 32)};
    const uint32_t key[2] = {(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)};
    uint32_t random[4];
    ts_rng_philox(counter, key, random);
    rng->counter += 1;
    out_words[0] = random[0] | (uint64_t)random[1] << 32;
    out_words[1] = random[2] | (uint64_t)random[3] << 32;
}

uint64_t ts_rng_bits(ts_rng* rng) {
    uint64_t words[2];
    next_block(rng, words);
    return words[0];
}

double ts_rng_uniform(ts_rng* rng) { return (double)(ts_rng_bits(rng) >> 11) * 0x1p-53; }

double ts_rng_uniform_in(ts_rng* rng, double low, double high) {
    double value = low + (high - low) * ts_rng_uniform(rng);
    // The product may round up to the excluded end.
    return value < high || !(low < high) ? value : nextafter(high, low);
}

double ts_rng_normal(ts_rng* rng) {
    uint64_t words[2];
    next_block(rng, words);
    double radius_uniform = ((double)(words[0] >> 11) + 1.0) * 0x1p-53;  // (0, 1]: the logarithm stays finite
    double turn = (double)(words[1] >> 11) * 0x1p-53;
    return sqrt(-2.0 * log(radius_uniform)) * cos(6.283185307179586477 * turn);
}
