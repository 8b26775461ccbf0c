// base/hash.h: published FNV-1a values, chaining, and sensitivity to every bit.
#include <criterion/criterion.h>

#include "base/hash.h"

Test(hash, published_values) {
    // From the test vectors of the FNV authors (64-bit FNV-1a).
    cr_assert_eq(ts_hash_bytes(TS_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    cr_assert_eq(ts_hash_bytes(TS_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    cr_assert_eq(ts_hash_bytes(TS_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
}

Test(hash, pieces_give_the_hash_of_the_whole) {
    const char text[] = "the same bytes in one call or several";
    uint64_t whole = ts_hash_bytes(TS_HASH_START, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; ++cut) {
        uint64_t first = ts_hash_bytes(TS_HASH_START, text, cut);
        cr_assert_eq(ts_hash_bytes(first, text + cut, sizeof text - cut), whole);
    }
}

Test(hash, one_flipped_bit_changes_it) {
    unsigned char bytes[64] = {0};
    uint64_t plain = ts_hash_bytes(TS_HASH_START, bytes, sizeof bytes);
    for (int bit = 0; bit < 512; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_neq(ts_hash_bytes(TS_HASH_START, bytes, sizeof bytes), plain);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}
