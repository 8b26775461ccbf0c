// Programmer mistakes: TS_ASSERT stops a debug build at the place of the mistake and vanishes in a release build.
// It never guards user input: a bad file or a bad number is a ts_status (base/status.h).
#ifndef TS_BASE_ASSERT_H
#define TS_BASE_ASSERT_H

#include <assert.h>

#ifndef TS_ASSERT
/// Checks a condition that only a mistake in the calling code can break. Overridable before inclusion.
#define TS_ASSERT(condition) assert(condition)
#endif

#endif
