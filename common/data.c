#include "common/data.h"

#include <math.h>

uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t z = seed * 0xd1342543de82ef95u + stream * 0xaf251af3b0f025b5u;

	z += (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

float data_random(uint64_t seed, uint64_t stream, uint64_t index)
{
	static const float scales[] = {1.0f, 0.5f, 0.25f, 0.125f};
	uint64_t bits = data_bits(seed, stream, index);

	return ((float)(bits >> 40) * 0x1p-23f - 1.0f) * scales[bits & 3];
}

static double random_element(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t bits;

	if (dtype_info(dtype)->is_float)
		return (double)data_random(seed, stream, index);
	bits = data_bits(seed, stream, index);
	if (dtype == DTYPE_I32)
		return (double)((int64_t)(bits >> 43) - (1 << 20));
	return (double)(dtype == DTYPE_U8 ? bits >> 56 : bits >> 32);
}

void data_fill_random(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream)
{
	float *floats = target;

	/* Nearly all operands are f32: the conversion to double and back is skipped. */
	for (int64_t i = 0; dtype == DTYPE_F32 && i < count; i++)
		floats[i] = data_random(seed, stream, (uint64_t)(first + i));
	for (int64_t i = 0; dtype != DTYPE_F32 && i < count; i++)
		dtype_store(dtype, target, i,
			random_element(dtype, seed, stream, (uint64_t)(first + i)));
}

void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit)
{
	uint64_t span = 2 * (uint64_t)limit + 1;

	for (int64_t i = 0; i < count; i++) {
		uint64_t bits = data_bits(seed, stream, (uint64_t)(first + i)) >> 32;
		dtype_store(dtype, target, i, (double)((int64_t)(bits * span >> 32) - limit));
	}
}

/* ---- Cases --------------------------------------------------------------------------------- */

/* The values of a type: small ones, and two that are beyond all of them. */
static const struct case_scale {
	double low, high; /* of ordinary elements: uniform between them */
	double least, largest;
	double step; /* the smallest magnitude of a positive and of a negative element */
	double subnormal;
	double large;
} case_scales[DTYPE_COUNT] = {
	[DTYPE_F32] = {-1, 1, -64, 64, 0x1p-10, 0x1p-127, 0x1p50},
	[DTYPE_F16] = {-1, 1, -64, 64, 0x1p-10, 0x1p-15, 0x1p14},
	[DTYPE_I32] = {-0x1p20, 0x1p20, -0x1p28, 0x1p28, 1, 1.5, 0x1p31},
	[DTYPE_U32] = {0x1p8, 0x1p20, 0, 0x1p28, 1, 1.5, 0},
	[DTYPE_U8] = {64, 192, 0, 255, 1, 1.5, 0},
};

struct case_place {
	enum dtype dtype;
	const struct case_scale *scale;
	int64_t index, total;
	uint64_t bits;
	double share;     /* uniform in [0, 1) */
	double same;      /* the same for all elements */
	bool same_is_odd; /* a bit of it */
};

static bool is_unsigned(const struct case_place *at)
{
	return at->scale->low > 0;
}

static double ordinary(const struct case_place *at, double share)
{
	return at->scale->low + share * (at->scale->high - at->scale->low);
}

static double upper(const struct case_place *at, double share)
{
	return is_unsigned(at) ? ordinary(at, 0.5 + share / 2)
			       : at->scale->step + share * (at->scale->high - at->scale->step);
}

static double lower(const struct case_place *at, double share)
{
	return is_unsigned(at) ? at->scale->step + share * (ordinary(at, 0.5) - at->scale->step)
			       : -upper(at, share);
}

static double negative(const struct case_place *at)
{
	return is_unsigned(at) ? upper(at, at->share) : lower(at, at->share);
}

static double positive(const struct case_place *at)
{
	return is_unsigned(at) ? lower(at, at->share) : upper(at, at->share);
}

static double equal(const struct case_place *at)
{
	return at->same_is_odd ? upper(at, at->same) : lower(at, at->same);
}

static double ascending(const struct case_place *at)
{
	return ordinary(at, (double)at->index / (double)at->total);
}

/* The elements at two places are beyond all others. */
static double outlier(const struct case_place *at, int64_t largest, int64_t least)
{
	if (at->index == largest)
		return at->scale->largest;
	return at->index == least ? at->scale->least : ordinary(at, at->share);
}

static double ends(const struct case_place *at)
{
	return outlier(at, 0, at->total - 1);
}

static double swapped(const struct case_place *at)
{
	return outlier(at, at->total - 1, 0);
}

static double middle(const struct case_place *at)
{
	return outlier(at, at->total / 2, at->total / 2 - 1);
}

static double zeros(const struct case_place *at)
{
	if (at->bits & 1)
		return at->bits & 2 ? -0.0 : 0.0;
	return ordinary(at, at->share);
}

static double subnormal(const struct case_place *at)
{
	return is_unsigned(at) ? (double)(at->bits & 1)
			       : (2 * at->share - 1) * at->scale->subnormal;
}

static double large(const struct case_place *at)
{
	if (at->dtype == DTYPE_U8)
		return (double)(at->bits >> 56);
	if (!dtype_info(at->dtype)->is_float)
		return (double)(at->bits >> 32) - at->scale->large;
	return (2 * at->share - 1) * at->scale->large;
}

static const struct case_row {
	const char *name;
	double (*element)(const struct case_place *at);
} case_rows[CASE_COUNT] = {
	[CASE_NEGATIVE] = {"negative", negative},
	[CASE_POSITIVE] = {"positive", positive},
	[CASE_EQUAL] = {"equal", equal},
	[CASE_ASCENDING] = {"ascending", ascending},
	[CASE_ENDS] = {"largest first", ends},
	[CASE_SWAPPED] = {"largest last", swapped},
	[CASE_MIDDLE] = {"largest in the middle", middle},
	[CASE_ZEROS] = {"zeros", zeros},
	[CASE_SUBNORMAL] = {"subnormal", subnormal},
	[CASE_LARGE] = {"large", large},
};

const char *data_case_name(enum data_case data_case)
{
	return case_rows[data_case].name;
}

void data_fill_case(enum dtype dtype, enum dtype range, void *target, int64_t first, int64_t count,
	int64_t total, uint64_t seed, uint64_t stream, enum data_case data_case)
{
	uint64_t same = data_bits(seed, stream, UINT64_MAX);
	struct case_place at = {.dtype = dtype,
		.scale = &case_scales[range],
		.total = total,
		.same = (double)(same >> 40) * 0x1p-24,
		.same_is_odd = same & 1};

	for (int64_t i = 0; i < count; i++) {
		at.index = first + i;
		at.bits = data_bits(seed, stream, (uint64_t)at.index);
		at.share = (double)(at.bits >> 40) * 0x1p-24;
		double value = case_rows[data_case].element(&at);
		dtype_store(dtype, target, i, dtype_info(dtype)->is_float ? value : trunc(value));
	}
}
