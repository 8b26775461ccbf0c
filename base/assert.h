// Programmer mistakes: TS_ASSERT stops a debug build at the place of the mistake and vanishes in a release build.
// It never guards user input: a bad file or a bad number is a ts_status (base/status.h).
#ifndef TS_BASE_ASSERT_H
#define TS_BASE_ASSERT_H

#include <assert.h>

#if defined(__clang_analyzer__) && !defined(TS_ASSERT)
// A static analysis of a release build may rely on what holds, too.
#define TS_ASSERT(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

#ifndef TS_ASSERT
/// Checks a condition that only a mistake in the calling code can break. Overridable before inclusion.
#define TS_ASSERT(condition) assert(condition)
#endif

#endif
