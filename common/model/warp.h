#ifndef PMPP_COMMON_MODEL_WARP_H
#define PMPP_COMMON_MODEL_WARP_H

/* Number of threads of a warp, for all compute capabilities. */
enum {
	WARP_THREADS = 32
};

#endif
