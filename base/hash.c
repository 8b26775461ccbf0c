// 64-bit FNV-1a (Fowler, Noll, Vo): xor a byte in, multiply by a prime. Every step is a bijection of the state, so two
// equally long inputs that differ in exactly one byte never collide; nothing is promised against an adversary.
#include "base/hash.h"

uint64_t ts_hash_bytes(uint64_t hash, const void* bytes, size_t size) {
    const unsigned char* byte = (const unsigned char*)bytes;
    for (size_t i = 0; i < size; ++i) {
        hash ^= byte[i];
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}
