/* Requests of a warp of 32 lanes by a rule, for tests of their costs. */
#ifndef PMPP_TESTS_SUPPORT_REQUESTS_H
#define PMPP_TESTS_SUPPORT_REQUESTS_H

#include "common/model/access.h"

#define ALL 0xffffffffu

/* Each active lane t requests address base + (t % run) * step + t / run * row. */
struct made {
	uint64_t base;
	uint32_t width;
	int64_t step;
	int run;
	int64_t row;
	uint32_t lanes;
};

static inline struct warp_access make(const struct made *made)
{
	struct warp_access access = {
		.model = access_model_default(), .lanes = made->lanes, .width_bytes = made->width};

	/* Inactive lanes get addresses that must not count. */
	for (int lane = 0; lane < WARP_THREADS; lane++)
		access.address[lane] =
			made->lanes >> lane & 1
				? made->base + (uint64_t)(lane % made->run * made->step +
							  lane / made->run * made->row)
				: 0x5eed0000u + 4096u * (unsigned)lane;
	return access;
}

#endif
