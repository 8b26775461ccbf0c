// A 64-bit hash of bytes, for comparing states bit by bit (not against an adversary).
#ifndef TS_BASE_HASH_H
#define TS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The value to start a chain of ts_hash_bytes with.
#define TS_HASH_START UINT64_C(0xcbf29ce484222325)

/// Continues `hash` over `size` bytes (64-bit FNV-1a). The same bytes in one call or several give the same hash.
uint64_t ts_hash_bytes(uint64_t hash, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
