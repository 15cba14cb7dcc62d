/*
 * Claims: compares the speed-up that a book states for a variant with the measured speed-up.
 */
#ifndef PMPP_COMMON_MODEL_CLAIM_H
#define PMPP_COMMON_MODEL_CLAIM_H

#include "common/model/shape.h"

#include <stdbool.h>
#include <stddef.h>

/* What a claim assumes of a device's execution model. */
enum claim_model {
	CLAIM_OF_WARPS = 1 << 0, /* several threads execute one instruction in lockstep */
	CLAIM_OF_BANKS = 1 << 1, /* shared memory is on the chip and has banks */
	/* Shared memory is on the chip. If it is a part of global memory instead, copying a tile
	 * to it gains nothing. */
	CLAIM_OF_SHARED = 1 << 2,
	CLAIM_OF_SECTORS = 1 << 3,   /* global memory moves whole sectors or lines */
	CLAIM_OF_WIDE_WARPS = 1 << 4 /* warps of 32 threads or more */
};

/* What a claim with these needs is meant for: "warps, shared memory with banks"; "" = any GPU. */
void claim_needs_text(unsigned needs, char *ret_text, size_t size);

/* Why a claim with these needs is not meant for a device; NULL: it is. CLAIM_OF_SHARED: all devices but
 * those whose shared memory is known to be a part of global memory. */
const char *claim_missing_text(unsigned needs, const struct device_shape *shape);

/* The speed-up that the book claims for this rung. Claims apply to GPUs only. */
struct claim {
	const char *text; /* "coalesced >= 2 x uncoalesced"; NULL: none */
	const char *over; /* variant above in the ladder; NULL: variant.base */
	double at_least;  /* ratio of times, over / this; 0: no such limit */
	double at_most;   /* the same ratio; 0: no such limit */
	unsigned needs;   /* bits of enum claim_model; elsewhere the claim is not applicable */
};

enum claim_verdict {
	CLAIM_NOT_APPLICABLE = -1, /* not meant for the device, or a time is unknown */
	CLAIM_HOLDS,
	CLAIM_FAILS,
	CLAIM_UNDECIDED,
	CLAIM_VERDICT_COUNT
};

/* Words by verdict: "holds", "does not hold", "undecided"; ended by NULL. */
extern const char *const claim_verdict_words[CLAIM_VERDICT_COUNT + 1];

/* "holds"; NULL for CLAIM_NOT_APPLICABLE. */
const char *claim_verdict_name(enum claim_verdict verdict);

/* The measurement. */
struct claim_evidence {
	double ratio;   /* of times, over / this; NAN = unknown */
	double ci95[2]; /* 95 % interval of the ratio, ascending; NAN = unknown: too few samples */
	bool flagged;   /* the samples of a side are flagged noisy or throttled */
};

/* A ratio equal to a limit is within the limits.
 *   NOT_APPLICABLE  not on a GPU, or the ratio is unknown
 *   UNDECIDED       the interval contains a value within the limits and a value outside, or it is
 *                   unknown, or the samples are flagged
 *   HOLDS, FAILS    the whole interval is within the limits, outside the limits
 *
 * If the true ratio is exactly a limit, HOLDS and FAILS have a probability of 2.5 % each, because
 * the interval covers the true ratio with a probability of 95 %. */
enum claim_verdict claim_judge(
	const struct claim *claim, const struct claim_evidence *evidence, bool gpu);

#endif
