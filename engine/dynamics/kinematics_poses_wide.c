// engine/dynamics/kinematics_poses.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/kinematics_poses.c"
#else
typedef int ts_kinematics_poses_not_wide;
#endif
