#include "common/model/claim.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

const char *const claim_verdict_words[CLAIM_VERDICT_COUNT + 1] = {
	[CLAIM_HOLDS] = "holds",
	[CLAIM_FAILS] = "does not hold",
	[CLAIM_UNDECIDED] = "undecided",
};

static const struct {
	enum claim_model bit;
	const char *needs;   /* the claim is meant for devices with these */
	const char *missing; /* the device has none, or it is unknown */
} models[] = {
	{CLAIM_OF_WARPS, "warps",
		"this device is not known to execute several threads in lockstep"},
	{CLAIM_OF_WIDE_WARPS, "warps of 32 threads or more",
		"this device is not known to execute 32 threads in lockstep"},
	{CLAIM_OF_BANKS, "shared memory with banks",
		"this device is not known to have shared memory with banks"},
	{CLAIM_OF_SHARED, "shared memory on the chip",
		"the shared memory of this device is a part of global memory"},
	{CLAIM_OF_SECTORS, "sectors of global memory",
		"the sectors and lines of this device are unknown"},
};

/* The bits of enum claim_model that the device is known to have. */
static unsigned models_of(const struct device_shape *shape)
{
	int64_t lanes = shape_value_or(shape, SHAPE_LANES, 0);
	bool on_chip = shape_value_or(shape, SHAPE_SHARED_ON_CHIP, 1) != 0;
	bool sectors = shape_value_or(shape, SHAPE_SECTOR, 0) > 0 ||
		       shape_value_or(shape, SHAPE_LINE, 0) > 0;
	bool banks = on_chip && shape_value_or(shape, SHAPE_BANKS, 0) > 0;

	return (lanes >= 2 ? CLAIM_OF_WARPS : 0u) | (lanes >= 32 ? CLAIM_OF_WIDE_WARPS : 0u) |
	       (on_chip ? CLAIM_OF_SHARED : 0u) | (banks ? CLAIM_OF_BANKS : 0u) |
	       (sectors ? CLAIM_OF_SECTORS : 0u);
}

void claim_needs_text(unsigned needs, char *ret_text, size_t size)
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < sizeof models / sizeof *models && used < size; i++)
		if (needs & models[i].bit)
			used += (size_t)snprintf(ret_text + used, size - used, "%s%s",
				used ? ", " : "", models[i].needs);
}

const char *claim_missing_text(unsigned needs, const struct device_shape *shape)
{
	unsigned missing = needs & ~models_of(shape);

	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (missing & models[i].bit)
			return models[i].missing;
	return NULL;
}

const char *claim_verdict_name(enum claim_verdict verdict)
{
	return (size_t)verdict < CLAIM_VERDICT_COUNT ? claim_verdict_words[verdict] : NULL;
}

enum claim_verdict claim_judge(
	const struct claim *claim, const struct claim_evidence *evidence, bool gpu)
{
	const double *ends = evidence->ci95;
	double max = claim->at_most > 0 ? claim->at_most : INFINITY;

	if (!isfinite(evidence->ratio) || !gpu)
		return CLAIM_NOT_APPLICABLE;
	if (evidence->flagged || !isfinite(ends[0]) || !isfinite(ends[1]))
		return CLAIM_UNDECIDED;
	if (ends[0] >= claim->at_least && ends[1] <= max)
		return CLAIM_HOLDS;
	return ends[1] < claim->at_least || ends[0] > max ? CLAIM_FAILS : CLAIM_UNDECIDED;
}
