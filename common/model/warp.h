#ifndef PMPP_COMMON_MODEL_WARP_H
#define PMPP_COMMON_MODEL_WARP_H

/* Of every compute capability so far. */
enum {
	WARP_THREADS = 32
};

#endif
