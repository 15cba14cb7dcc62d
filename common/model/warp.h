#ifndef PMPP_COMMON_MODEL_WARP_H
#define PMPP_COMMON_MODEL_WARP_H

/* NVIDIA's GPUs, for all compute capabilities: the figures of the models that exist only for them
 * (occupancy, floors), and of the default access model (access_model.h). */
enum {
	WARP_THREADS = 32,
	SECTOR_BYTES = 32,
	LINE_BYTES = 128,
	BANKS = 32,
	BANK_BYTES = 4
};

#endif
